//! The P-positions of a table, listed one by one: pairs of Wythoff's game up to ten million without its table.
//!
//! Where moves of two counters run along rays they are found without values (see [`grundy_search::dense::rays`]): pair by pair
//! where each number can be in one pair only, else row by row; of all other games they are read from the table. Cost: a step
//! a pair; or a few operations on words for each 64 cells; or that of the table.

use std::ops::ControlFlow;
use std::sync::Arc;

use grundy_core::{Budget, Claim};
use grundy_lang::bind::Arguments;
use grundy_lang::diag::{Code, Diagnostic, Source};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Game, Play, Shape};
use grundy_search::Progress;
use grundy_search::dense::Layout;
use grundy_search::dense::rays::{self, Ray};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::Result;
use crate::answer::one_line;
use crate::dense::{self, Word};
use crate::plan::{Engine, Hook};
use crate::room;
use crate::table::{Axes, Table, about, axes, requires_vary, table};

/// Bytes of the checksum that are put in at a time.
const ZEROS: [u8; 1 << 12] = [0; 1 << 12];

/// The P-positions of a table, to be listed.
pub struct Positions {
    game: Arc<Game>,
    source: Arc<Source>,
    axes: Vec<String>,
    to: Vec<u64>,
    /// Members in no order, by their sides of the table.
    unordered: Vec<Vec<usize>>,
    by: By,
}

/// Who finds them.
enum By {
    /// Pair by pair.
    Pairs(Vec<Ray>),
    /// Row by row.
    Rows(Vec<Ray>),
    Table(Box<Table>),
}

impl Positions {
    /// Sees how the P-positions of a table are to be found; a table that is needed is filled.
    ///
    /// # Errors
    /// Those of the table.
    pub fn new(
        game: &Arc<Game>,
        args: &Arguments,
        to: &[u64],
        engine: Engine,
        budget: &Budget,
        hook: Option<&Hook>,
    ) -> Result<Positions> {
        let found = axes(game, args, to)?;
        let by = match engine {
            Engine::Auto | Engine::Rays => along_rays(game, &found),
            _ => None,
        };
        let by = match by {
            Some(by) => by,
            None => {
                let table = table(game, args, to, engine, budget, hook)?;
                By::Table(Box::new(table))
            }
        };
        Ok(Positions {
            game: game.clone(),
            source: args.source.clone(),
            axes: found
                .slots
                .iter()
                .map(|&s| game.vars[s].name.clone())
                .collect(),
            unordered: unordered(game, &found),
            to: found.to,
            by,
        })
    }

    /// The counters, and the greatest value of each.
    pub fn axes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.axes
            .iter()
            .map(String::as_str)
            .zip(self.to.iter().copied())
    }

    /// How they are known.
    pub fn method(&self) -> (&str, Claim) {
        match &self.by {
            By::Pairs(_) => ("pairs", Claim::Computed),
            By::Rows(_) => ("rays", Claim::Computed),
            By::Table(table) => (&table.method, table.claim),
        }
    }

    /// What should be said of how they are found, where a user may have hoped for more.
    pub fn note(&self) -> Option<&'static str> {
        let rows =
            "the rules do not say that each number is in one pair at most: every row is looked at";
        matches!(self.by, By::Rows(_)).then_some(rows)
    }

    /// What a list says of itself, without its positions.
    pub fn heading(&self) -> Json {
        let (method, claim) = self.method();
        json!({
            "game": self.game.name,
            "axes": self.axes,
            "to": self.to,
            "method": method,
            "claim": claim.to_string(),
        })
    }

    /// What a file of them should say: rules, arguments if there are any, method, claim, version.
    pub fn about(&self) -> Vec<(&'static str, String)> {
        about(&self.game, &one_line(&self.source.text), self.method())
    }

    /// Visits them in order of the counters, the first one slowest, until `visit` breaks; of members in no order only those in
    /// order of size.
    ///
    /// # Errors
    /// If the budget says stop.
    pub fn each(
        &self,
        budget: &Budget,
        hook: Option<&Hook>,
        visit: &mut dyn FnMut(&[u64]) -> ControlFlow<()>,
    ) -> Result<()> {
        self.walk(true, budget, hook, visit)
    }

    /// The same, with `halves` of members in no order only those in order of size.
    fn walk(
        &self,
        halves: bool,
        budget: &Budget,
        hook: Option<&Hook>,
        visit: &mut dyn FnMut(&[u64]) -> ControlFlow<()>,
    ) -> Result<()> {
        let halves = halves && !self.unordered.is_empty();
        self.take(halves, budget, hook)?;
        let mut told = |positions: u64| {
            if budget.stopped() {
                return ControlFlow::Break(());
            }
            if let Some(hook) = hook {
                hook(Progress {
                    positions,
                    ..Progress::default()
                });
            }
            ControlFlow::Continue(())
        };
        let mut broken = false;
        let misere = self.game.play == Play::Misere;
        let done = match &self.by {
            By::Pairs(all) if halves => {
                let mut visit = |a, b| {
                    broken = visit(&[a, b]).is_break();
                    if broken {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                };
                rays::pairs(all, self.to[0], misere, &mut told, &mut visit)
                    .map(|done| done.map(|_| ()))
            }
            By::Pairs(all) | By::Rows(all) => {
                let mut row = |a: u64, bits: &[u64]| {
                    for (w, &bits) in bits.iter().enumerate() {
                        let mut bits = bits;
                        while bits != 0 {
                            let b = 64 * w as u64 + u64::from(bits.trailing_zeros());
                            bits &= bits - 1;
                            if !(halves && a > b) && visit(&[a, b]).is_break() {
                                broken = true;
                                return ControlFlow::Break(());
                            }
                        }
                    }
                    ControlFlow::Continue(())
                };
                let to = [self.to[0], self.to[1]];
                rays::rows(all, to, misere, &mut told, &mut row)
            }
            By::Table(table) => {
                for (at, cell) in table.cells() {
                    let lost = cell.is_some_and(|cell| !cell.outcome.next_wins());
                    if lost && !(halves && self.again(&at)) && visit(&at).is_break() {
                        break;
                    }
                }
                return Ok(());
            }
        };
        match done {
            Some(Err(_)) if !broken => {
                let message = "stopped while P-positions were looked for";
                Err(Box::new(Diagnostic::error(
                    Code::Interrupted,
                    &self.source,
                    message,
                )))
            }
            // What has been seen for the least table holds for all.
            _ => Ok(()),
        }
    }

    /// Whether these counters are of a position that is listed in order of size.
    fn again(&self, at: &[u64]) -> bool {
        let mut sorted = at.to_vec();
        for run in &self.unordered {
            let mut members: Vec<u64> = run.iter().map(|&axis| at[axis]).collect();
            members.sort_unstable();
            run.iter()
                .zip(members)
                .for_each(|(&axis, x)| sorted[axis] = x);
        }
        sorted != at && sorted.iter().zip(&self.to).all(|(x, to)| x <= to)
    }

    /// Says what memory [`Positions::each`] is about to take, if it may.
    ///
    /// # Errors
    /// If it may not.
    pub fn ready(&self, budget: &Budget, hook: Option<&Hook>) -> Result<()> {
        self.take(true, budget, hook)
    }

    fn take(&self, halves: bool, budget: &Budget, hook: Option<&Hook>) -> Result<()> {
        let bytes = match &self.by {
            By::Pairs(_) if halves => rays::pairs_bytes(self.to[0]),
            By::Pairs(all) | By::Rows(all) => rays::rows_bytes(all, [self.to[0], self.to[1]]),
            // Its memory is taken.
            By::Table(_) => return Ok(()),
        };
        if bytes > budget.memory() {
            let message = format!(
                "P-positions of numbers up to {} need {} to be found, and the bound is {}",
                self.to.iter().max().expect("a table has a side"),
                room::text(bytes),
                room::text(budget.memory())
            );
            let error = Diagnostic::error(Code::Memory, &self.source, message);
            let help = "ask for smaller numbers, or give more memory with `--memory`";
            return Err(Box::new(error.help(help)));
        }
        if let Some(hook) = hook {
            hook(Progress {
                memory: bytes,
                ..Progress::default()
            });
        }
        Ok(())
    }

    /// The SHA-256 of the outcomes of all cells in order, a bit each, 1 for a P-position, eight to a byte from the lowest up, the
    /// last byte filled up with 0.
    ///
    /// # Errors
    /// If the budget says stop, there is too little memory, or there are more cells than can be counted.
    pub fn checksum(&self, budget: &Budget, hook: Option<&Hook>) -> Result<String> {
        let mut bits = Bits::default();
        let cells = self
            .to
            .iter()
            .try_fold(1u64, |cells, to| cells.checked_mul(to.checked_add(1)?));
        let Some(cells) = cells else {
            let message = "a checksum of more than 18446744073709551615 cells";
            let error = Diagnostic::error(Code::TooLarge, &self.source, message);
            return Err(Box::new(error.help("ask for smaller numbers")));
        };
        let place = |at: &[u64]| {
            at.iter()
                .zip(&self.to)
                .fold(0, |place, (x, to)| place * (to + 1) + x)
        };
        self.walk(false, budget, hook, &mut |at| {
            bits.set(place(at));
            ControlFlow::Continue(())
        })?;
        Ok(bits.finish(cells))
    }
}

/// The checksum of bits of which those that are 1 are told in order.
#[derive(Default)]
struct Bits {
    sha: Sha256,
    /// The byte that is not put in yet, and its place.
    byte: u8,
    place: u64,
}

impl Bits {
    fn set(&mut self, bit: u64) {
        self.skip_to(bit / 8);
        self.byte |= 1 << (bit % 8);
    }

    fn skip_to(&mut self, place: u64) {
        if place == self.place {
            return;
        }
        self.sha.update([self.byte]);
        let mut zeros = place - self.place - 1;
        while zeros > 0 {
            let some = zeros.min(ZEROS.len() as u64);
            self.sha.update(&ZEROS[..some as usize]);
            zeros -= some;
        }
        (self.byte, self.place) = (0, place);
    }

    fn finish(mut self, bits: u64) -> String {
        self.skip_to(bits.div_ceil(8));
        self.sha
            .finalize()
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect()
    }
}

/// Whether a position is two members in no order.
fn pair(game: &Game) -> bool {
    matches!(&game.shape, Shape::Unordered(2, member) if **member == Shape::Int)
}

/// The sides of a table that are members in no order, if all members are sides.
fn unordered(game: &Arc<Game>, axes: &Axes) -> Vec<Vec<usize>> {
    let Ok((words, _)) = dense::sides(game, axes) else {
        return Vec::new();
    };
    let Ok(layout) = Layout::new(&game.shape, &vec![0; words.len()]) else {
        return Vec::new();
    };
    let axis = |word: &Word| match word {
        Word::Axis(axis) => Some(*axis),
        Word::Fixed(_) => None,
    };
    let run = |run: &std::ops::Range<usize>| words[run.clone()].iter().map(axis).collect();
    layout.unordered().iter().filter_map(run).collect()
}

fn along_rays(game: &Arc<Game>, axes: &Axes) -> Option<By> {
    let (words, to) = dense::sides(game, axes).ok()?;
    let unordered = pair(game);
    let plain = matches!(words[..], [Word::Axis(0), Word::Axis(1)]);
    if !plain || requires_vary(game, axes) || (unordered && to[0] != to[1]) {
        return None;
    }
    let rules = Rules::new(game.clone(), axes.base.clone());
    // The table itself may have more cells than there can be.
    let least = Layout::new(&game.shape, &[0, 0]).ok()?;
    let split = rays::split_within(&rules, least.unordered(), &to).ok()?;
    if split.rest.is_some() || !split.guards.is_empty() {
        return None;
    }
    let misere = game.play == Play::Misere;
    if unordered && !rays::symmetric(&split.rays) {
        return None;
    }
    // Whether they are for these rays is seen from the least table.
    let nothing = &mut |_| ControlFlow::Continue(());
    let none = &mut |_, _| ControlFlow::Break(());
    if unordered && rays::pairs(&split.rays, 0, misere, nothing, none).is_some() {
        return Some(By::Pairs(split.rays));
    }
    let none = &mut |_, _: &[u64]| ControlFlow::Break(());
    rays::rows(&split.rays, [0, 0], misere, nothing, none).map(|_| By::Rows(split.rays))
}
