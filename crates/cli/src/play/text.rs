//! A game as a person follows it.

use std::io::Write;
use std::ops::ControlFlow;

use grundy::Plan;
use grundy::answer::{End, end, parts_text};
use grundy::ir::{Game, Play, Shape};
use grundy::value::Position;

use super::{Event, LISTED, LOOK, Player, Result, Step, View};
use crate::show;
use crate::style::Style;

/// Text on a terminal, or one without colour.
pub struct Text<'a, W> {
    pub plan: &'a Plan,
    pub out: W,
    pub style: Style,
}

impl<W: Write> View for Text<'_, W> {
    fn tell(&mut self, event: &Event<'_>) -> Result<()> {
        match *event {
            Event::Start { at, person, over } => {
                self.intro()?;
                // How a move is typed is no use where there is none.
                if !over {
                    if self.game().play == Play::Normal {
                        writeln!(self.out)?;
                    }
                    self.help(Some(at).filter(|_| person))?;
                }
            }
            Event::Turn(position, moves) => {
                let shown = self.shown(position);
                let shown = self.style.bold(&shown);
                writeln!(self.out, "\nPosition {shown}, your move")?;
                self.list(position, moves, LISTED)?;
            }
            Event::Moves(position, moves) => self.list(position, moves, usize::MAX)?,
            Event::Hint(position, _) => self.hint(position)?,
            Event::Help(position) => self.help(Some(position))?,
            Event::Move(Player::Person, ..) => {}
            Event::Move(Player::Program, before, _, after) => {
                let (from, to) = (self.shown(before), self.shown(after));
                let to = self.style.bold(&to);
                writeln!(self.out, "\nI move  {from} -> {to}")?;
            }
            Event::Undo => writeln!(self.out, "Taken back.")?,
            Event::Unclear(why) => writeln!(self.out, "{why}")?,
            Event::End(position, winner) => self.finish(position, winner)?,
            Event::Leave(_, true) => writeln!(self.out, "\nEnd of input; goodbye.")?,
            Event::Leave(_, false) => writeln!(self.out, "Goodbye.")?,
        }
        Ok(())
    }

    fn prompt(&mut self) -> Result<()> {
        write!(self.out, "> ")?;
        Ok(self.out.flush()?)
    }
}

impl<'a, W: Write> Text<'a, W> {
    fn game(&self) -> &'a Game {
        self.plan.rules().game()
    }

    fn shape(&self) -> &'a Shape {
        &self.game().shape
    }

    fn shown(&self, position: &Position) -> String {
        show::shorten(&self.shape().display_position(position), 200)
    }

    fn intro(&mut self) -> Result<()> {
        let game = self.game();
        // An inline rule is its own title.
        if !game.title.contains("->") {
            let title = self.style.bold(&game.title);
            writeln!(self.out, "{title}")?;
        }
        let rules = show::rules(game, self.style);
        write!(self.out, "{rules}")?;
        if game.play == Play::Misere {
            let warning = self.style.warn("Mind: whoever makes the last move LOSES.");
            writeln!(self.out, "\n{warning}")?;
        }
        Ok(())
    }

    /// What can be typed, with a move from the position at hand as the example.
    fn help(&mut self, at: Option<&Position>) -> Result<()> {
        let example = at.and_then(|p| self.example(p)).map_or_else(
            || "Type the number of a move, or the position to leave behind `>`.".to_owned(),
            |text| {
                format!(
                    "Type the number of a move, or the position to leave behind `>`, as in `> {text}`."
                )
            },
        );
        Ok(writeln!(
            self.out,
            "{example}\nh hint   u undo   m all moves   q quit   ? this help"
        )?)
    }

    /// A position that some move leaves, if it is short.
    fn example(&self, position: &Position) -> Option<String> {
        let mut machine = self.plan.rules().machine_with(self.plan.budget().clone());
        for (i, part) in position.parts.iter().enumerate() {
            let mut after = None;
            // What cannot be enumerated is told when the moves are asked for.
            let _ = machine.options(part, &mut |opt| {
                after = Some(position.after(i, opt.parts));
                ControlFlow::Break(())
            });
            if let Some(after) = after {
                let text = self.shape().display_position(&after);
                return (text.chars().count() <= 40).then_some(text);
            }
        }
        None
    }

    fn hint(&mut self, position: &Position) -> Result<()> {
        let (best, _) = self.plan.moves(position, 1)?;
        let Some(best) = best.first() else {
            let none = "Hint: no move wins against good play; make it hard for me.";
            return Ok(writeln!(self.out, "{none}")?);
        };
        let to = self.shown(&position.after(best.part, &best.to));
        let to = self.style.win(&to);
        Ok(writeln!(
            self.out,
            "Hint: leave {to}; then I cannot win against good play."
        )?)
    }

    fn finish(&mut self, position: &Position, winner: Player) -> Result<()> {
        let shown = self.shown(position);
        let why = match (end(self.plan.rules(), position)?, self.game().play) {
            (End::Decided, _) => "the game ends here",
            (_, Play::Normal) => "no move is left, and who cannot move loses",
            (_, Play::Misere) => "no move is left, and who cannot move wins",
        };
        let verdict = if winner == Player::Person {
            self.style.win("You win.")
        } else {
            self.style.lose("I win.")
        };
        let shown = self.style.bold(&shown);
        Ok(writeln!(self.out, "\nPosition {shown}: {why}. {verdict}")?)
    }

    fn list(&mut self, position: &Position, moves: &[Step], limit: usize) -> Result<()> {
        let cells: Vec<String> = moves
            .iter()
            .take(limit)
            .enumerate()
            .map(|(i, (part, to))| {
                let text = if position.parts.len() > 1 {
                    let from = self.shape().display(&position.parts[*part]);
                    format!("{from} -> {}", parts_text(self.shape(), to))
                } else {
                    parts_text(self.shape(), to)
                };
                format!("{:>3} {}", i + 1, show::shorten(&text, 60))
            })
            .collect();
        let width = cells.iter().map(|c| c.chars().count()).max().unwrap_or(0) + 2;
        let columns = (80 / width).clamp(1, 6);
        for row in cells.chunks(columns) {
            let row: String = row.iter().map(|c| format!("{c:width$}")).collect();
            writeln!(self.out, "{}", row.trim_end())?;
        }
        if moves.len() > limit {
            let more = moves.len() - limit;
            let more = if moves.len() >= LOOK {
                "many".to_owned()
            } else {
                more.to_string()
            };
            writeln!(self.out, "    … and {more} more; m lists them")?;
        }
        Ok(())
    }
}
