//! A game at the terminal: a person against the program. It reads lines and prints lines, so it works in a pipe and
//! without colour.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::time::{SystemTime, UNIX_EPOCH};

use grundy::answer::{End, parts_text};
use grundy::ir::{Game, Play, Shape};
use grundy::value::{Pos, Position};
use grundy::{Diagnostic, Plan, Rules};

use crate::show;
use crate::style::Style;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

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
}

struct Table<'a, W> {
    plan: &'a Plan,
    out: W,
    style: Style,
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
pub fn play(
    plan: &Plan,
    position: &Position,
    options: &Options,
    input: &mut dyn BufRead,
    out: impl Write,
    style: Style,
) -> Result<io::Result<()>> {
    let time = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos() as u64);
    let mut table = Table {
        plan,
        out,
        style,
        random: options.seed.unwrap_or(time),
        strength: options.strength,
    };
    let mut trouble = Ok(());
    let played = table.play(position.clone(), !options.second, input, &mut trouble);
    match played {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Ok(())),
        Err(error) => Ok(Err(error)),
        Ok(()) => trouble.map(|()| Ok(())),
    }
}

/// Breaks off with the diagnostic kept where `play` finds it.
macro_rules! ask {
    ($trouble:expr, $result:expr) => {
        match $result {
            Ok(value) => value,
            Err(error) => {
                *$trouble = Err(error);
                return Ok(());
            }
        }
    };
}

impl<'a, W: Write> Table<'a, W> {
    fn game(&self) -> &'a Game {
        self.plan.rules().game()
    }

    fn shape(&self) -> &'a Shape {
        &self.game().shape
    }

    fn shown(&self, position: &Position) -> String {
        show::shorten(&self.shape().display_position(position), 200)
    }

    fn lone_counter(&self, position: &Position) -> bool {
        *self.shape() == Shape::Int && position.parts.len() == 1
    }

    fn intro(&mut self, first: Option<&Position>) -> io::Result<()> {
        let game = self.game();
        // An inline rule is its own title.
        if !game.title.contains("->") {
            let title = self.style.bold(&game.title);
            writeln!(self.out, "{title}")?;
        }
        let rules = show::rules(game, self.style);
        writeln!(self.out, "{rules}")?;
        if game.play == Play::Misere {
            let warning = self.style.warn("Mind: whoever makes the last move LOSES.");
            writeln!(self.out, "{warning}")?;
        }
        self.help(first)
    }

    /// What can be typed, with a move from the position at hand as the example.
    fn help(&mut self, at: Option<&Position>) -> io::Result<()> {
        let example = at.and_then(|p| self.example(p)).map_or_else(
            || "Type the number of a move, or the position to leave behind `>`.".to_owned(),
            |text| {
                format!(
                    "Type the number of a move, or the position to leave behind `>`, as in `> {text}`."
                )
            },
        );
        writeln!(
            self.out,
            "{example}\nh hint   u undo   m all moves   q quit   ? this help"
        )
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

    fn play(
        &mut self,
        mut position: Position,
        mut person: bool,
        input: &mut dyn BufRead,
        trouble: &mut Result<()>,
    ) -> io::Result<()> {
        self.intro(Some(&position).filter(|_| person))?;
        // Positions in which the person was to move.
        let mut past: Vec<Position> = Vec::new();
        loop {
            if let Some(next_wins) = ask!(trouble, over(self.plan.rules(), &position)) {
                return self.finish(&position, person == next_wins);
            }
            let moves = ask!(trouble, moves(self.plan.rules(), &position));
            if !person {
                let step = ask!(trouble, self.choose(&position, &moves));
                let after = position.after(step.0, &step.1);
                let (from, to) = (self.shown(&position), self.shown(&after));
                writeln!(self.out, "\nI move  {from} -> {}", self.style.bold(&to))?;
                position = after;
                person = true;
                continue;
            }
            let shown = self.shown(&position);
            writeln!(
                self.out,
                "\nPosition {}, your move",
                self.style.bold(&shown)
            )?;
            self.list(&position, &moves, LISTED)?;
            loop {
                write!(self.out, "> ")?;
                self.out.flush()?;
                let mut line = String::new();
                if input.read_line(&mut line)? == 0 {
                    return writeln!(self.out, "\nEnd of input; goodbye.");
                }
                match self.read(line.trim(), &position, &moves) {
                    Said::Quit => return writeln!(self.out, "Goodbye."),
                    Said::Help => self.help(Some(&position))?,
                    Said::List => self.list(&position, &moves, usize::MAX)?,
                    Said::Unclear(why) => writeln!(self.out, "{why}")?,
                    Said::Hint => {
                        let (best, _) = ask!(trouble, self.plan.moves(&position, 1));
                        match best.first() {
                            Some(m) => {
                                let after = position.after(m.part, &m.to);
                                let to = self.shown(&after);
                                writeln!(
                                    self.out,
                                    "Hint: leave {}; then I cannot win against good play.",
                                    self.style.win(&to)
                                )?;
                            }
                            None => writeln!(
                                self.out,
                                "Hint: no move wins against good play; make it hard for me."
                            )?,
                        }
                    }
                    Said::Undo => match past.pop() {
                        Some(before) => {
                            position = before;
                            writeln!(self.out, "Taken back.")?;
                            break;
                        }
                        None => writeln!(self.out, "There is no move of yours to take back.")?,
                    },
                    Said::Move(step) => {
                        past.push(position.clone());
                        position = position.after(step.0, &step.1);
                        person = false;
                        break;
                    }
                }
            }
        }
    }

    fn finish(&mut self, position: &Position, person_wins: bool) -> io::Result<()> {
        let shown = self.shown(position);
        let why = match (over_how(self.plan.rules(), position), self.game().play) {
            (End::Decided, _) => "the game ends here",
            (_, Play::Normal) => "no move is left, and who cannot move loses",
            (_, Play::Misere) => "no move is left, and who cannot move wins",
        };
        let verdict = if person_wins {
            self.style.win("You win.")
        } else {
            self.style.lose("I win.")
        };
        writeln!(
            self.out,
            "\nPosition {}: {why}. {verdict}",
            self.style.bold(&shown)
        )
    }

    fn list(&mut self, position: &Position, moves: &[Step], limit: usize) -> io::Result<()> {
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

fn over_how(rules: &Rules, position: &Position) -> End {
    grundy::answer::end(rules, position).unwrap_or(End::Stuck)
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
