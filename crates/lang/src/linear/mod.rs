//! Integer linear constraints: a decision procedure, move rules read as linear relations, and what follows from them for
//! every game (does play end?). No engine is here, and no game is known by its name.

#[cfg(test)]
mod build;
pub mod heap;
mod longer;
mod reader;
pub mod relation;
mod space;
mod steps;
pub mod system;
pub mod terminate;

pub use relation::{Case, Opaque, Relation};
pub use system::{Constraint, Lin, System, Truth, Union, Var};
pub use terminate::{Termination, check, check_from, diagnostics, diagnostics_from};
