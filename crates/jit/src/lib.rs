//! Rules compiled to machine code: the value of one cell of a table from the cells that are known, with the mex fused in.
//!
//! What goes in is the checked IR with its parameters bound, so that whatever depends on parameters alone is a constant. Out
//! comes a function of the counters of a position (see [`Compiled`]). It computes in machine words; whether each operation
//! stays within one is known from the bounds of its operands (see `range`) or checked. A number that does not fit, an error
//! of the rules, an option outside the table and a position with more than [`WORK`] values to try are all left to the
//! interpreter, which gives the value or the error with its place. Rules that use what is not compiled are refused with the
//! reason.
//!
//! Three things are done that a plain loop would not: a range ends at the first value for which a guard fails that can only
//! fail from there on (`k in 1..n if k*k <= n` tries sqrt(n) values), a range behind which `e % k == 0` stands tries the
//! divisors of `e` in pairs (sqrt(e) divisions), and each element of a short list has code of its own, without the guards
//! where those hold for the greatest and so for all (`k in S if k <= n`).
//!
//! The machine code is made by Cranelift. Cost: about a millisecond a set of rules. The only unsafe code is in `code`, which
//! calls it.

mod code;
mod lower;
mod range;

pub use code::Compiled;

/// Values of quantifiers that a position may try in machine code: a tenth of a second or two, since it hears no Ctrl-C.
pub const WORK: u64 = 1 << 27;
