//! A nim-sequence with its period: values are computed until a period is proved, and copied from then on.
//!
//! Cost: that of the kernels, and looks for a period, each at a twentieth more values than the one before and as a rule of some
//! √n steps; memory a byte a value for splits in two, three for other codes.

use std::ops::Range;

use grundy_cert::{Certificate, GameText, Hasher, Values};
use grundy_core::Code;
use grundy_kernels::{Sequence, Stop};

use crate::arithmetic::{self, Pattern};
use crate::period::{self, Climb, Period};

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// How many values are known.
    pub values: usize,
    /// How many heaps are rare, where values are found by a split, at the last look for a period.
    pub rares: Option<usize>,
    /// The greatest value met when a period was looked for; of the new ones the last 65,536 are looked at.
    pub top: u64,
}

/// The nim-sequence of a code, and its period once it is proved.
///
/// ```
/// use grundy_find::{Code, Heaps};
/// let mut kayles = Heaps::new(&Code::finite([0, 7, 7]));
/// kayles.advance(1_000_000_000, &mut |_| false).unwrap();
/// let period = kayles.period().unwrap();
/// assert_eq!((period.period, period.preperiod), (12, 71));
/// assert_eq!(kayles.value(999_999_999), kayles.value(999_999_999 % 12 + 72));
/// ```
pub struct Heaps {
    sequence: Sequence,
    period: Option<Period>,
    /// Where no codes are kept: a byte of each value.
    bytes: Vec<u8>,
    climb: Option<Climb>,
    next_look: usize,
    /// Where a saltus is looked for next, of codes that split.
    next_saltus: usize,
    /// The greatest value met, and how many values there were at the last look.
    top: u64,
    looked: usize,
}

/// The first look for a period, and by what part of the values one is later than the one before.
const FIRST_LOOK: usize = 32;
const LOOKS: usize = 20;
/// A conjecture is looked for among so many values, which take some fifteen bytes each.
const SEEN: usize = 1 << 22;
/// At most so many values are written out in a certificate.
pub(crate) const LISTED: usize = 1000;

impl Heaps {
    /// Nothing is computed yet.
    pub fn new(code: &Code) -> Self {
        Heaps::of(Sequence::new(code))
    }

    /// From a sequence as far as it has come; the first look is at all of it.
    pub fn of(sequence: Sequence) -> Self {
        Heaps {
            period: None,
            bytes: Vec::new(),
            climb: Climb::new(sequence.code()),
            sequence,
            next_look: FIRST_LOOK,
            next_saltus: FIRST_LOOK,
            top: 0,
            looked: 0,
        }
    }

    /// How many threads may compute the values; they do not hang on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.sequence.set_threads(threads);
    }

    /// About how many bytes the values of so many heaps take, if no period spares them.
    pub fn bytes(code: &Code, heaps: u64) -> u128 {
        let each = match code.parts() {
            // Tables double when they are full.
            2 if code.tail == 0 => 2,
            0..=2 => 6,
            parts => 64 * parts as u128,
        };
        u128::from(heaps) * each
    }

    /// Goes on from a sequence that was saved when [`Heaps::next_look`] was this.
    pub fn resume(sequence: Sequence, next_look: u64) -> Self {
        let mut heaps = Heaps::of(sequence);
        if next_look == 0 {
            heaps.look();
        }
        heaps.next_look = usize::try_from(next_look).unwrap_or(usize::MAX);
        heaps
    }

    /// How many values there are at the next look for a period; 0 if one is proved.
    pub fn next_look(&self) -> u64 {
        match self.period {
            None => self.next_look as u64,
            Some(_) => 0,
        }
    }

    /// The code.
    pub fn code(&self) -> &Code {
        self.sequence.code()
    }

    /// How many values have been computed.
    pub fn computed(&self) -> usize {
        self.sequence.len()
    }

    /// The period, if one is proved.
    pub fn period(&self) -> Option<&Period> {
        self.period.as_ref()
    }

    /// The sequence as far as it has been computed.
    pub fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// How far this has come.
    pub fn progress(&self) -> Progress {
        Progress {
            values: self.sequence.len(),
            rares: self.sequence.split().map(|s| s.rares),
            top: self.top,
        }
    }

    /// Makes the values of all heaps below `to` known: computes them, or stops once a period is proved. `stopped` is asked
    /// every now and then.
    ///
    /// # Errors
    /// As [`Sequence::advance`]; what is known stays.
    pub fn advance(
        &mut self,
        to: usize,
        stopped: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<(), Stop> {
        while self.period.is_none()
            && (self.sequence.len() < to || self.sequence.len() >= self.next_look)
        {
            let mut progress = self.progress();
            let target = to.min(self.next_look);
            self.sequence.advance(target, &mut |values| {
                progress.values = values;
                stopped(&progress)
            })?;
            if self.sequence.len() >= self.next_look || self.sequence.len() >= to {
                self.look();
                self.next_look = self.sequence.len() + self.sequence.len() / LOOKS + 16;
            }
        }
        Ok(())
    }

    /// Looks for a period in all that is known.
    fn look(&mut self) {
        let n = self.sequence.len();
        let new = n.saturating_sub(1 << 16).max(self.looked)..n;
        self.top = self.top.max(period::largest(&self.sequence, new));
        self.looked = n;
        let found = if let Some(climb) = &mut self.climb {
            climb.take(&self.sequence);
            climb.prove(&self.sequence)
        } else if let Some(settled) = self.sequence.split() {
            self.bytes = Vec::new();
            period::window(&self.sequence, &settled)
                .or_else(|| period::long(&self.sequence, settled.codes, settled.split.position))
        } else {
            let new = self.sequence.values(self.bytes.len()..n);
            self.bytes.extend(new.into_iter().map(|v| v as u8));
            let long = period::long(&self.sequence, &self.bytes, false);
            long.or_else(|| self.look_for_saltus())
        };
        self.period = found.map(|found| found.finish(&self.sequence));
    }

    /// Looks for an arithmetic period, more rarely: where one is not proved, more is done in vain.
    fn look_for_saltus(&mut self) -> Option<period::Found> {
        let n = self.sequence.len();
        if self.code().parts() < 2 || n < self.next_saltus {
            return None;
        }
        self.next_saltus = n + n / 2;
        let proved = arithmetic::prove(self.code(), &self.sequence.values(0..n))?;
        Some(period::Found::arithmetic(&proved))
    }

    /// A period, with a saltus or without, that the values known have, where none is proved and they are three times as many as
    /// it takes to see it. It is a conjecture and no more. Where many values are known it is looked for among the last.
    pub fn conjecture(&self) -> Option<Pattern> {
        let n = self.sequence.len();
        if self.period.is_some() || n < FIRST_LOOK {
            return None;
        }
        let late = n - n.min(SEEN);
        let seen = arithmetic::pattern(&self.sequence.values(late..n))?;
        let Pattern { period, saltus, .. } = seen;
        let preperiod = period::begin(&self.sequence, late + seen.preperiod, period, saltus);
        (preperiod + period <= n / 3).then_some(Pattern { preperiod, ..seen })
    }

    /// The value of a heap that is computed or past the period's begin.
    ///
    /// # Panics
    /// If it is neither: `advance` to it first.
    pub fn value(&self, n: usize) -> u64 {
        match &self.period {
            Some(p) if n >= self.sequence.len() => {
                let past = n - p.preperiod;
                let first = u64::from(self.sequence.value(p.preperiod + past % p.period));
                first + p.saltus * (past / p.period) as u64
            }
            _ => u64::from(self.sequence.value(n)),
        }
    }

    /// The values of heaps that are computed or past the period's begin.
    pub fn values(&self, heaps: Range<usize>) -> Vec<u64> {
        let known = heaps.end.min(self.sequence.len());
        let mut out: Vec<u64> = Vec::with_capacity(heaps.len());
        if heaps.start < known {
            let values = self.sequence.values(heaps.start..known);
            out.extend(values.into_iter().map(u64::from));
        }
        let (Some(p), mut n) = (&self.period, heaps.start.max(known)) else {
            return out;
        };
        // Piece by piece of one period.
        while n < heaps.end {
            let (turns, phase) = ((n - p.preperiod) / p.period, (n - p.preperiod) % p.period);
            let count = (p.period - phase).min(heaps.end - n);
            let from = p.preperiod + phase;
            let more = p.saltus * turns as u64;
            let values = self.sequence.values(from..from + count);
            out.extend(values.into_iter().map(|v| u64::from(v) + more));
            n += count;
        }
        out
    }

    /// The greatest value of those computed for heaps up to `last`.
    pub fn largest(&self, last: u64) -> u64 {
        let count = usize::try_from(last)
            .unwrap_or(usize::MAX)
            .saturating_add(1);
        period::largest(&self.sequence, 0..count.min(self.sequence.len()))
    }

    /// A certificate of the period, if one is proved, for a game whose rules are this code.
    pub fn certificate(&self, game: GameText) -> Option<Certificate> {
        let period = self.period.as_ref()?;
        let count = period.checked_to + 1;
        let values = if count <= LISTED {
            Values::listed(self.values(0..count))
        } else {
            let max = period
                .max
                .unwrap_or_else(|| period::largest(&self.sequence, 0..count));
            let mut hasher = Hasher::new(max);
            for from in (0..count).step_by(1 << 16) {
                let block = self.sequence.values(from..count.min(from + (1 << 16)));
                block.into_iter().for_each(|v| hasher.push(v.into()));
            }
            Values::hashed(count as u64, hasher.finish())
        };
        Some(Certificate {
            game,
            code: self.code().clone(),
            period: period.period as u64,
            preperiod: period.preperiod as u64,
            saltus: period.saltus,
            max: period.max,
            values,
            proof: period.proof.clone(),
        })
    }
}
