//! Exact integers, mex, outcomes and claims: the arithmetic of impartial games. No I/O and no knowledge of rules enters.

mod budget;
mod int;
mod mex;
mod outcome;

pub use budget::Budget;
pub use int::{Int, ParseIntError};
pub use mex::{MexSet, mex};
pub use num_bigint::BigInt;
pub use outcome::{Claim, Outcome};
