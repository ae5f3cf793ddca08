//! Incremental mex: tables of games whose moves run along rays.
//!
//! In a game such as Nim or Wythoff's a position has as many options as its counters are large, but they lie on a few rays,
//! and the next position on a ray has the same options there and one more. So for each ray through the table the set of
//! values on it is kept as bits, a new value is put in as it is computed, one that falls behind the end of a limited ray is
//! taken out, and the value of a cell is the mex of the union of the sets of its rays. Moves that are no rays are evaluated as in any table, and their
//! values looked up for each gap. `recognise` finds the rays in the rules, `fill` fills the table.

mod fill;
mod recognise;
mod sieve;

pub use fill::{Failed, Rays, Unfit};
pub use recognise::{Split, everywhere, split, split_within};
pub use sieve::{pairs, pairs_bytes, rows, rows_bytes, symmetric};

/// Moves `x -> x - from - j*step` for `j = 0, 1, …`, as far as there are counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ray {
    /// What the first move takes; not nothing.
    pub from: Vec<u64>,
    /// What each further move takes more.
    pub step: Vec<u64>,
    /// How many moves there are, if not as many as counters allow.
    pub count: Option<u64>,
    /// Which guard must hold, an index into [`Split::guards`].
    pub guard: Option<usize>,
}

/// Rays of at most so many moves are looked at move by move.
pub const SHORT: u64 = 8;

impl Ray {
    /// Whether its moves are looked at one by one, since they are few.
    pub fn is_short(&self) -> bool {
        self.count.is_some_and(|count| count <= SHORT)
    }

    /// The same with two counters exchanged.
    fn exchanged(&self, i: usize, j: usize) -> Ray {
        let mut other = self.clone();
        other.from.swap(i, j);
        other.step.swap(i, j);
        other
    }
}
