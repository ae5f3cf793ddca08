//! Random games of every class, as rule texts, for the tests of the other crates.

mod game;
pub mod nim;
mod random;
mod truth;
pub mod window;
pub mod wythoff;

pub use game::RandomGame;
pub use random::Random;
pub use truth::Truth;
