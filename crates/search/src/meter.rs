//! What a search has done so far, and whether it may go on.

use std::sync::Arc;

use grundy_core::{Budget, Int};
use grundy_lang::diag::{Code, Diagnostic, Source};
use grundy_lang::value::Pos;

use crate::Result;

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Positions in the memo.
    pub positions: u64,
    /// Options looked at.
    pub options: u64,
    /// Bytes that are about to be taken at once, if that is what is told.
    pub memory: u64,
}

/// Counts options, asks for stops, reports progress, holds the memory bound.
pub(crate) struct Meter {
    pub(crate) budget: Budget,
    pub(crate) progress: Option<Box<dyn Fn(Progress) + Send>>,
    pub(crate) done: Progress,
    source: Arc<Source>,
    /// Positions and bytes of the memo that is not being searched.
    other: (u64, u64),
    /// The largest counter asked about.
    largest: Int,
    /// After so many options in all it is given up.
    patience: u64,
}

/// A search that has met its bound below a larger counter than this is not helped by any memory.
const REACH: i64 = 1_000_000_000_000;

impl Meter {
    /// How many options are looked at between two questions whether to stop.
    const ASK: u64 = 1 << 12;
    /// How many options are looked at between two reports.
    const REPORT: u64 = 1 << 18;

    pub(crate) fn new(budget: Budget, source: Arc<Source>) -> Self {
        Meter {
            budget,
            progress: None,
            done: Progress::default(),
            source,
            other: (0, 0),
            largest: Int::ZERO,
            patience: u64::MAX,
        }
    }

    /// Gives up after so many options more, or never.
    pub(crate) fn give_up_after(&mut self, options: Option<u64>) {
        self.patience = options.map_or(u64::MAX, |n| self.done.options.saturating_add(n));
    }

    /// Whether it was given up.
    pub(crate) fn gave_up(&self) -> bool {
        self.done.options >= self.patience
    }

    /// Says what is asked about.
    pub(crate) fn asked<'p>(&mut self, parts: impl IntoIterator<Item = &'p Pos>) {
        let largest = parts.into_iter().flat_map(|p| p.0.iter()).max();
        self.largest = largest.cloned().unwrap_or_default();
    }

    /// Says what else is held in memory.
    pub(crate) fn share(&mut self, positions: usize, bytes: u64) {
        self.other = (positions as u64, bytes);
    }

    /// Counts one option.
    #[inline]
    pub(crate) fn option(&mut self) -> Result<()> {
        self.done.options += 1;
        if self.done.options.is_multiple_of(Self::ASK) {
            self.ask()
        } else {
            Ok(())
        }
    }

    #[cold]
    fn ask(&mut self) -> Result<()> {
        if let Some(hook) = &self.progress
            && self.done.options.is_multiple_of(Self::REPORT)
        {
            hook(self.done);
        }
        if self.budget.stopped() || self.gave_up() {
            let message = "the search was stopped";
            let stored = format!(
                "{} and {} examined",
                stored(self.done.positions),
                count(self.done.options, "option")
            );
            return Err(Diagnostic::error(Code::Interrupted, &self.source, message)
                .note(stored)
                .into());
        }
        Ok(())
    }

    /// Holds the memory bound.
    #[inline]
    pub(crate) fn memory(&mut self, positions: usize, bytes: u64, full: bool) -> Result<()> {
        self.done.positions = positions as u64 + self.other.0;
        if bytes + self.other.1 > self.budget.memory() || full {
            return Err(self.too_much(full));
        }
        Ok(())
    }

    #[cold]
    fn too_much(&self, full: bool) -> Box<Diagnostic> {
        let bound = if full { 8 << 30 } else { self.budget.memory() };
        let error = Diagnostic::error(
            Code::Memory,
            &self.source,
            format!("the search met its memory bound of {}", size(bound)),
        )
        .note(stored(self.done.positions));
        let help = if self.largest.to_i64().is_none_or(|n| n > REACH) {
            let digits = self.largest.to_string().len();
            format!(
                "a search goes through the positions one by one, and a counter of {digits} digits is out of its reach with any memory: ask about a smaller one"
            )
        } else if full {
            "ask about a smaller position: one search keeps at most 8 GiB of positions".to_owned()
        } else {
            format!(
                "give more memory, for example `--memory {}`, or ask about a smaller position",
                size(2 * bound).replace([' ', 'i', 'B'], "")
            )
        };
        error.help(help).into()
    }
}

fn count(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn stored(positions: u64) -> String {
    let were = if positions == 1 { "was" } else { "were" };
    format!("{} {were} stored", count(positions, "position"))
}

/// Bytes in the largest unit that leaves no more than a tenth open: `4 GiB`, `1.5 MiB`.
fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    for (shift, unit) in units {
        if bytes >> shift > 0 {
            let tenths = (u128::from(bytes) * 10) >> shift;
            let (whole, rest) = (tenths / 10, tenths % 10);
            return if rest == 0 {
                format!("{whole} {unit}")
            } else {
                format!("{whole}.{rest} {unit}")
            };
        }
    }
    format!("{bytes} B")
}
