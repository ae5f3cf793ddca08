//! Random games of every class, as rule texts, for the tests of the other crates.

mod random;

pub use random::Random;
