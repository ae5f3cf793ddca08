//! Random games of every class, as rule texts, for the tests of the other crates.

pub mod arcs;
pub mod counters;
pub mod dynamic;
mod game;
pub mod independent;
pub mod interval;
pub mod look_back;
pub mod nim;
mod random;
pub mod rays;
pub mod strips;
pub mod take_and_break;
pub mod take_any;
mod text;
mod truth;
pub mod window;
pub mod wythoff;

pub use game::RandomGame;
pub use random::Random;
pub use text::{bound, game};
pub use truth::Truth;
