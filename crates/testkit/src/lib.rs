//! Random games of every class, as rule texts, for the tests of the other crates.
