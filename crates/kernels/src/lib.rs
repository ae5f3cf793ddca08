//! Nim-sequences of one-heap games at record speed: kernels that know nothing of rules, only of codes. No I/O enters.
//!
//! A ladder, each rung tested against the one below: `plain` (every option, every code), `scalar` (a rare/common split, one
//! heap after the other), then 32 or 64 heaps at a time, `pairs` for small codes and `large` for codes of one and of two
//! bytes (`table` has what they share, `spans` the proofs of 512 heaps with codes of a byte, `small` and `lanes` the inner
//! loops, portable and for AVX2). A sequence goes up to larger codes when it needs them. `taking` is for moves that leave at
//! most one heap. `checkpoint` has the state as bytes.
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx512;
mod checkpoint;
mod lanes;
mod large;
mod pairs;
mod plain;
mod scalar;
mod small;
mod spans;
mod split;
mod table;
mod taking;

use std::ops::Range;

use grundy_core::Code;

pub use checkpoint::Unreadable;
pub use split::Split;
pub use table::Work;

use large::Large;
use pairs::Pairs;
use plain::Plain;
use scalar::Scalar;
use table::{Blocks, Table};
use taking::Taking;

pub use taking::p_positions;

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The caller asked for it.
    Interrupted,
    /// The value of this heap is past 65,535.
    ValueTooLarge(usize),
}

/// How a sequence is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// From every option.
    Plain,
    /// By a split, one heap after the other; by `Plain` where there is no split.
    Scalar,
    /// The fastest that there is.
    Best,
}

/// The nim-sequence of a code, as far as it has been asked for.
///
/// ```
/// use grundy_core::Code;
/// use grundy_kernels::Sequence;
/// let mut kayles = Sequence::new(&Code::finite([0, 7, 7]));
/// kayles.advance(13, &mut |_| false).unwrap();
/// assert_eq!(kayles.values(0..13), [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4]);
/// ```
pub struct Sequence {
    code: Code,
    state: State,
    threads: usize,
}

enum State {
    Plain(Plain),
    Scalar(Scalar),
    Pairs(Box<Pairs>),
    Bytes(Box<Large<u8>>),
    Words(Box<Large<u16>>),
    Taking(Taking),
}

impl Sequence {
    /// The sequence by the fastest rung.
    pub fn new(code: &Code) -> Self {
        Sequence::with_rung(code, Rung::Best)
    }

    /// The sequence by a rung.
    pub fn with_rung(code: &Code, rung: Rung) -> Self {
        let pairs = code.parts() == 2 && code.tail == 0;
        let state = match rung {
            Rung::Best if code.parts() <= 1 && code.tail <= 3 => State::Taking(Taking::new(code)),
            Rung::Best if pairs => State::Pairs(Box::new(Pairs::new(Table::new(code)))),
            Rung::Scalar if pairs => State::Scalar(Scalar::new(&code.digits, code.unequal)),
            _ => State::Plain(Plain::new(code)),
        };
        Sequence {
            code: code.clone(),
            state,
            threads: 1,
        }
    }

    /// How many threads may compute it: one if nothing is said, and no more than two are of use. The values do not hang on it.
    ///
    /// ```
    /// use grundy_core::Code;
    /// use grundy_kernels::Sequence;
    /// let mut sequence = Sequence::new(&Code::finite([0, 6]));
    /// sequence.set_threads(2);
    /// sequence.advance(2000, &mut |_| false).unwrap();
    /// ```
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
        match &mut self.state {
            State::Bytes(s) => s.threads = threads,
            State::Words(s) => s.threads = threads,
            _ => {}
        }
    }

    /// The code.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// How many values are known: those of the heaps below this.
    pub fn len(&self) -> usize {
        match &self.state {
            State::Plain(s) => s.values().len(),
            State::Scalar(s) => s.values().len(),
            State::Pairs(s) => s.table.len(),
            State::Bytes(s) => s.table.len(),
            State::Words(s) => s.table.len(),
            State::Taking(s) => s.len(),
        }
    }

    /// Whether no value is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Computes the values of all heaps below `to`, and perhaps of some more. `stopped` is asked every now and then, with the
    /// number of values known.
    ///
    /// # Errors
    /// `Interrupted` if `stopped` says so; `ValueTooLarge` past 65,535. The sequence keeps what it has.
    pub fn advance(
        &mut self,
        to: usize,
        stopped: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(), Stop> {
        loop {
            let fits = match &mut self.state {
                State::Plain(s) => return s.advance(to, stopped),
                State::Scalar(s) => return s.advance(to, stopped),
                State::Taking(s) => return s.advance(to, stopped),
                State::Pairs(s) => s.advance(to, stopped)?,
                State::Bytes(s) => s.advance(to, stopped)?,
                State::Words(s) => s.advance(to, stopped)?,
            };
            if fits {
                return Ok(());
            }
            self.state = self.larger()?;
            self.set_threads(self.threads);
        }
    }

    /// The same values in larger cells.
    fn larger(&mut self) -> Result<State, Stop> {
        let code = &self.code;
        let words = |table| match Table::of(code, table) {
            Some(table) => State::Words(Box::new(Large::new(table))),
            None => State::Scalar(Scalar::new(&code.digits, code.unequal)),
        };
        let scalar = |known: &mut dyn Iterator<Item = u32>| {
            let scalar = Scalar::with_values(&code.digits, code.unequal, known);
            scalar.map(State::Scalar)
        };
        let none = State::Plain(Plain::new(code));
        Ok(match std::mem::replace(&mut self.state, none) {
            State::Pairs(s) => State::Bytes(Box::new(Large::new(s.table))),
            State::Bytes(s) => words(s.table),
            State::Words(s) => scalar(&mut (0..s.table.len()).map(|n| s.table.value(n)))?,
            same => same,
        })
    }

    /// The value of a heap that is known.
    pub fn value(&self, n: usize) -> u32 {
        match &self.state {
            State::Plain(s) => u32::from(s.values()[n]),
            State::Scalar(s) => u32::from(s.values()[n]),
            State::Taking(s) => u32::from(s.value(n)),
            State::Pairs(s) => s.table.value(n),
            State::Bytes(s) => s.table.value(n),
            State::Words(s) => s.table.value(n),
        }
    }

    /// The values of heaps that are known.
    pub fn values(&self, heaps: Range<usize>) -> Vec<u16> {
        match &self.state {
            State::Plain(s) => s.values()[heaps].to_vec(),
            State::Scalar(s) => s.values()[heaps].to_vec(),
            State::Taking(s) => s.values(heaps),
            State::Pairs(s) => s.table.values(heaps),
            State::Bytes(s) => s.table.values(heaps),
            State::Words(s) => s.table.values(heaps),
        }
    }

    /// The split and what it rests on, where values are computed by one that fits bytes.
    pub fn split(&self) -> Option<Settled<'_>> {
        match &self.state {
            State::Pairs(s) if !s.table.is_empty() => Some(s.table.settled()),
            State::Bytes(s) if !s.table.is_empty() => {
                let settled = s.table.settled();
                // The windows of `spans` go up to the last rare heap.
                Some(Settled {
                    witness: settled.witness.max(settled.last_rare),
                    ..settled
                })
            }
            _ => None,
        }
    }

    /// What was done, where it is counted.
    pub fn work(&self) -> Option<Work> {
        match &self.state {
            State::Pairs(s) => Some(s.table.work),
            State::Bytes(s) => Some(s.table.work),
            State::Words(s) => Some(s.table.work),
            _ => None,
        }
    }
}

/// A split and how every value was settled by it: the facts of the window theorem.
#[derive(Clone, Copy, Debug)]
pub struct Settled<'a> {
    /// The split.
    pub split: Split,
    /// The first heap whose value was found by it; what is said of witnesses holds from there on.
    pub since: usize,
    /// The last rare heap, 0 if there is none.
    pub last_rare: usize,
    /// How many rare heaps there are.
    pub rares: usize,
    /// For each heap, from 0 on, a byte: the code of its value if it is common, 255 if it is rare or 0.
    pub codes: &'a [u8],
    /// The rare values are options of each heap, but for those in `searched`, by a pair with a heap up to this.
    pub witness: usize,
    /// Heaps, in order, for which a rare value was shown to be an option by a pair whose lesser heap is past `witness`,
    /// and that heap.
    pub searched: &'a [(usize, usize)],
}
