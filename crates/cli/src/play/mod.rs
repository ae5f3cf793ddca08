//! A game against the program. It reads lines and prints lines, so it works in a pipe and without colour; what is printed
//! is for a person ([`text`]) or for a program ([`json`]).

mod json;
mod text;

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::time::{SystemTime, UNIX_EPOCH};

use grundy::ir::{Play, Shape};
use grundy::value::{Pos, Position};
use grundy::{Diagnostic, Plan, Rules};

use crate::style::Style;

/// Moves that are listed without being asked for.
const LISTED: usize = 30;
/// Moves that are looked at for a list, a random choice or a typed position.
const LOOK: usize = 200_000;

/// A move: the part moved in, and what it leaves there.
type Step = (usize, Vec<Pos>);

/// How to play.
pub struct Options {
    /// How often the program plays a best move, in percent.
    pub strength: u8,
    /// Whether the program moves first.
    pub second: bool,
    /// Makes the program's choices repeatable.
    pub seed: Option<u64>,
    /// Print a line of JSON for each event.
    pub json: bool,
    /// What has been told of the question on standard error, for a program that does not read that.
    pub warnings: Vec<String>,
}

/// Why a game was broken off.
pub enum Trouble {
    /// Reading or writing failed.
    Io(io::Error),
    /// The rules or the budget are in the way.
    Rules(Box<Diagnostic>),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Trouble::Io(error)
    }
}

impl From<Box<Diagnostic>> for Trouble {
    fn from(error: Box<Diagnostic>) -> Self {
        Trouble::Rules(error)
    }
}

type Result<T> = std::result::Result<T, Trouble>;

/// What has happened, or stands on the table.
enum Event<'e> {
    /// A game begins at this position; whether the person moves first, and whether there is no move to be made.
    Start {
        at: &'e Position,
        person: bool,
        over: bool,
    },
    /// The person is to move in a position with these moves.
    Turn(&'e Position, &'e [Step]),
    /// All moves were asked for.
    Moves(&'e Position, &'e [Step]),
    /// A hint was asked for.
    Hint(&'e Position, &'e [Step]),
    /// Help was asked for.
    Help(&'e Position),
    /// The person or the program moved, from a position to another.
    Move(Player, &'e Position, &'e Step, &'e Position),
    /// The person's last move was taken back.
    Undo,
    /// What was typed cannot be followed.
    Unclear(&'e str),
    /// Play is over, and who has won.
    End(&'e Position, Player),
    /// The person leaves, at the end of the input or before.
    Leave(&'e Position, bool),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Player {
    Person,
    Program,
}

/// Where events are told.
trait View {
    fn tell(&mut self, event: &Event<'_>) -> Result<()>;

    /// A line is about to be read.
    fn prompt(&mut self) -> Result<()>;
}

struct Table<'a> {
    plan: &'a Plan,
    view: Box<dyn View + 'a>,
    random: u64,
    strength: u8,
}

enum Said {
    Move(Step),
    Hint,
    Undo,
    List,
    Help,
    Quit,
    Unclear(String),
}

/// Plays from a position until it ends or the person leaves.
pub fn play<'a>(
    plan: &'a Plan,
    position: &Position,
    options: &'a Options,
    input: &mut dyn BufRead,
    out: impl Write + 'a,
    style: Style,
) -> Result<()> {
    let time = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos() as u64);
    let view: Box<dyn View> = if options.json {
        Box::new(json::Lines { plan, out, options })
    } else {
        Box::new(text::Text { plan, out, style })
    };
    let mut table = Table {
        plan,
        view,
        random: options.seed.unwrap_or(time),
        strength: options.strength,
    };
    match table.play(position.clone(), !options.second, input) {
        Err(Trouble::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

impl<'a> Table<'a> {
    fn shape(&self) -> &'a Shape {
        &self.plan.rules().game().shape
    }

    fn lone_counter(&self, position: &Position) -> bool {
        *self.shape() == Shape::Int && position.parts.len() == 1
    }

    fn play(
        &mut self,
        mut position: Position,
        mut person: bool,
        input: &mut dyn BufRead,
    ) -> Result<()> {
        let start = over(self.plan.rules(), &position)?;
        self.view.tell(&Event::Start {
            at: &position,
            person,
            over: start.is_some(),
        })?;
        // Positions in which the person was to move.
        let mut past: Vec<Position> = Vec::new();
        loop {
            if let Some(next_wins) = over(self.plan.rules(), &position)? {
                let winner = if person == next_wins {
                    Player::Person
                } else {
                    Player::Program
                };
                return self.view.tell(&Event::End(&position, winner));
            }
            let moves = moves(self.plan.rules(), &position)?;
            if !person {
                let step = self.choose(&position, &moves)?;
                let after = position.after(step.0, &step.1);
                self.view
                    .tell(&Event::Move(Player::Program, &position, &step, &after))?;
                position = after;
                person = true;
                continue;
            }
            self.view.tell(&Event::Turn(&position, &moves))?;
            loop {
                self.view.prompt()?;
                let mut line = Vec::new();
                if input.read_until(b'\n', &mut line)? == 0 {
                    return self.view.tell(&Event::Leave(&position, true));
                }
                // What is no text is no move either.
                let line = String::from_utf8_lossy(&line);
                let said = self.read(line.trim(), &position, &moves);
                let event = match said {
                    Said::Quit => return self.view.tell(&Event::Leave(&position, false)),
                    Said::Help => Event::Help(&position),
                    Said::List => Event::Moves(&position, &moves),
                    Said::Hint => Event::Hint(&position, &moves),
                    Said::Unclear(ref why) => Event::Unclear(why),
                    Said::Undo => match past.pop() {
                        Some(before) => {
                            self.view.tell(&Event::Undo)?;
                            position = before;
                            break;
                        }
                        None => Event::Unclear("There is no move of yours to take back."),
                    },
                    Said::Move(step) => {
                        let after = position.after(step.0, &step.1);
                        self.view
                            .tell(&Event::Move(Player::Person, &position, &step, &after))?;
                        past.push(std::mem::replace(&mut position, after));
                        person = false;
                        break;
                    }
                };
                self.view.tell(&event)?;
            }
        }
    }

    fn read(&self, line: &str, position: &Position, moves: &[Step]) -> Said {
        match line.to_lowercase().as_str() {
            "" | "?" | "help" => return Said::Help,
            "h" | "hint" => return Said::Hint,
            "u" | "undo" => return Said::Undo,
            "m" | "moves" => return Said::List,
            "q" | "quit" | "exit" => return Said::Quit,
            _ => {}
        }
        let typed = line.strip_prefix("->").or_else(|| line.strip_prefix('>'));
        if typed.is_none()
            && let Ok(number) = line.parse::<usize>()
        {
            return match number.checked_sub(1).and_then(|i| moves.get(i)) {
                Some(step) => Said::Move(step.clone()),
                None => Said::Unclear(
                    match moves.len() {
                        1 => "There is one move, number 1.".to_owned(),
                        n => format!("The moves are numbered from 1 to {n}."),
                    } + if self.lone_counter(position) {
                        " To leave a number of your own, type `>` before it."
                    } else {
                        ""
                    },
                ),
            };
        }
        let typed = typed.unwrap_or(line);
        let wanted = words(typed);
        let mut sorted = wanted.clone();
        sorted.sort();
        let mut near = Vec::new();
        for step in moves {
            let after = position.after(step.0, &step.1);
            let left = words(&self.shape().display_position(&after));
            if left == wanted {
                return Said::Move(step.clone());
            }
            let mut left = left;
            left.sort();
            if left == sorted {
                near.push((after, step));
            }
        }
        let first = near.first().cloned();
        match first {
            Some((after, step)) if near.iter().all(|(other, _)| *other == after) => {
                Said::Move(step.clone())
            }
            Some(_) => Said::Unclear("More than one move leaves that; type its number.".to_owned()),
            None => Said::Unclear(format!(
                "No move leaves {}; m lists the moves, ? helps.",
                typed.trim()
            )),
        }
    }

    /// The program's move: a winning one as often as its strength says, else any.
    fn choose(&mut self, position: &Position, moves: &[Step]) -> Result<Step> {
        if self.below(100) < u64::from(self.strength) {
            let (best, _) = self.plan.moves(position, 64)?;
            if !best.is_empty() {
                let i = self.below(best.len() as u64) as usize;
                return Ok((best[i].part, best[i].to.clone()));
            }
        }
        let i = self.below(moves.len().max(1) as u64) as usize;
        Ok(moves[i].clone())
    }

    /// A random number below `n` (SplitMix64).
    fn below(&mut self, n: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}

/// The numbers and words of a position, brackets and separators apart.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || ",+(){}[]\"".contains(c))
        .filter(|w| !w.is_empty())
        .map(str::to_owned)
        .collect()
}

/// `Some(true)` if play is over and whoever would be next to move has won.
fn over(rules: &Rules, position: &Position) -> Result<Option<bool>> {
    let mut machine = rules.machine();
    for part in &position.parts {
        if let Some(mover_won) = machine.end(part)? {
            return Ok(Some(!mover_won));
        }
    }
    for part in &position.parts {
        if machine
            .options(part, &mut |_| ControlFlow::Break(()))?
            .is_break()
        {
            return Ok(None);
        }
    }
    Ok(Some(rules.game().play == Play::Misere))
}

/// The different moves of a position, [`LOOK`] at most.
fn moves(rules: &Rules, position: &Position) -> Result<Vec<Step>> {
    let mut machine = rules.machine();
    let mut out = Vec::new();
    for (i, part) in position.parts.iter().enumerate() {
        let mut seen = BTreeSet::new();
        let _ = machine.options(part, &mut |opt| {
            if seen.insert(opt.parts.to_vec()) {
                out.push((i, opt.parts.to_vec()));
            }
            if out.len() < LOOK {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
    }
    Ok(out)
}
