//! A game as a program follows it: a line of JSON for each event. What may be written back is what a person may type.

use std::io::Write;

use grundy::Plan;
use grundy::answer::{End, end, one_line, pos_json, position_json, rule_text};
use grundy::ir::{Game, Play};
use grundy::value::{Pos, Position};
use serde_json::{Value, json};

use super::{Event, LISTED, LOOK, Options, Player, Result, Step, View};

/// Lines of JSON.
pub struct Lines<'a, W> {
    pub plan: &'a Plan,
    pub out: W,
    pub options: &'a Options,
}

impl<W: Write> View for Lines<'_, W> {
    fn tell(&mut self, event: &Event<'_>) -> Result<()> {
        let json = match *event {
            Event::Start { at, person, .. } => self.start(at, person),
            Event::Turn(position, moves) => self.moves("position", position, moves, LISTED),
            Event::Moves(position, moves) => self.moves("moves", position, moves, usize::MAX),
            Event::Hint(position, moves) => self.hint(position, moves)?,
            Event::Help(_) => json!({
                "event": "help",
                "text": "the number of a move, `> POSITION` to leave that, h hint, u undo, m all moves, q quit",
            }),
            Event::Move(player, before, (part, to), after) => {
                let mut json = json!({"event": "move", "by": name(player)});
                json["from"] = self.position(before);
                self.step(&mut json, before, *part, to);
                json["position"] = self.position(after);
                json
            }
            Event::Undo => json!({"event": "undo"}),
            Event::Unclear(why) => json!({"event": "unclear", "text": why}),
            Event::End(position, winner) => {
                let why = match end(self.plan.rules(), position)? {
                    End::Decided => "decided",
                    End::Stuck | End::No => "no move",
                };
                self.end(position, Some(winner), why)
            }
            Event::Leave(position, true) => self.end(position, None, "end of input"),
            Event::Leave(position, false) => self.end(position, None, "quit"),
        };
        writeln!(self.out, "{json}")?;
        Ok(self.out.flush()?)
    }

    fn prompt(&mut self) -> Result<()> {
        Ok(())
    }
}

/// What a player is called by the program that reads this.
fn name(player: Player) -> &'static str {
    match player {
        Player::Person => "you",
        Player::Program => "program",
    }
}

impl<'a, W> Lines<'a, W> {
    fn game(&self) -> &'a Game {
        self.plan.rules().game()
    }

    fn position(&self, position: &Position) -> Value {
        position_json(&self.game().shape, position)
    }

    fn start(&self, position: &Position, person: bool) -> Value {
        let game = self.game();
        let rules = (0..game.moves.len()).map(|i| rule_text(game, i));
        let ends = game.ends.iter();
        let ends = ends.map(|e| one_line(game.source.slice(e.span)));
        let first = if person {
            Player::Person
        } else {
            Player::Program
        };
        json!({
            "event": "start",
            "game": game.name,
            "rules": rules.chain(ends).collect::<Vec<_>>(),
            "play": if game.play == Play::Misere { "misere" } else { "normal" },
            "position": self.position(position),
            "first": name(first),
            "strength": self.options.strength,
            "warnings": self.options.warnings,
        })
    }

    /// Tells a move: the part moved in, what it leaves there, and the text of the position that it leaves, to be typed.
    fn step(&self, json: &mut Value, position: &Position, part: usize, to: &[Pos]) {
        let shape = &self.game().shape;
        let after = position.after(part, to);
        json["part"] = part.into();
        json["to"] = to.iter().map(|p| pos_json(shape, p)).collect();
        json["leaves"] = shape.display_position(&after).into();
    }

    fn numbered(
        &self,
        number: Option<usize>,
        position: &Position,
        part: usize,
        to: &[Pos],
    ) -> Value {
        let mut json = json!({"number": number});
        self.step(&mut json, position, part, to);
        json
    }

    fn moves(&self, event: &str, position: &Position, moves: &[Step], limit: usize) -> Value {
        let list = moves.iter().take(limit).enumerate();
        let list = list.map(|(i, (part, to))| self.numbered(Some(i + 1), position, *part, to));
        json!({
            "event": event,
            "position": self.position(position),
            "moves": list.collect::<Vec<_>>(),
            "moves_total": (moves.len() < LOOK).then_some(moves.len()),
        })
    }

    /// The answer to the position, each winning move with its number among all moves.
    fn hint(&self, position: &Position, moves: &[Step]) -> Result<Value> {
        let answer = self.plan.answer(position, LISTED)?;
        let list = answer.moves.iter().map(|m| {
            let mut all = moves.iter();
            let at = all.position(|(part, to)| *part == m.part && *to == m.to);
            self.numbered(at.map(|i| i + 1), position, m.part, &m.to)
        });
        let list: Vec<Value> = list.collect();
        let mut json = json!({"event": "hint"});
        if let (Value::Object(json), Value::Object(answer)) = (&mut json, answer.to_json()) {
            json.extend(answer.into_iter().filter(|(key, _)| key != "game"));
        }
        json["moves"] = list.into();
        Ok(json)
    }

    fn end(&self, position: &Position, winner: Option<Player>, why: &str) -> Value {
        json!({
            "event": "end",
            "position": self.position(position),
            "winner": winner.map(name),
            "why": why,
        })
    }
}
