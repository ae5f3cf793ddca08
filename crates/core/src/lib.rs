//! Exact integers, nimbers, mex, outcomes, claims and codes: the arithmetic of impartial games. No I/O and no rule language enters.

mod budget;
mod code;
mod int;
mod mex;
mod nimber;
mod outcome;

pub use budget::Budget;
pub use code::Code;
pub use int::{Int, ParseIntError};
pub use mex::{MexSet, mex};
pub use nimber::{Nimber, NoPower};
pub use num_bigint::BigInt;
pub use outcome::{Claim, Outcome};
