//! The facade: state a game, ask about a position, get an [`Answer`]. Front ends use this crate and no other.
//!
//! ```text
//! text ── open ──▶ Game ── bind ──▶ Rules and Position ── Plan ──▶ Answer
//! ```

pub mod answer;
pub mod catalogue;
pub mod check;
pub mod checkpoint;
pub mod child;
pub mod decide;
mod dense;
pub mod explain;
pub mod facts;
pub mod format;
pub mod inputs;
pub mod judge;
mod lane;
pub mod nimber;
pub mod open;
pub mod period;
pub mod picture;
pub mod plan;
pub mod positions;
mod reach;
pub mod reader;
pub mod record;
pub mod room;
pub mod rows;
mod run;
mod searcher;
pub mod sequence;
pub mod shrink;
pub mod sweep;
pub mod table;
pub mod verify;

pub use answer::{Answer, WinningMove};
pub use grundy_core::{Budget, Claim, Int, Nimber, Outcome};
pub use grundy_lang::bind::{Arguments, Bound};
pub use grundy_lang::diag::{Code, Diagnostic, Severity, Source};
pub use grundy_lang::interp::Rules;
pub use grundy_lang::{bind, interp, ir, value};
pub use open::open;
pub use plan::{Engine, Plan};
pub use run::Keep;

/// An answer or the reason why there is none.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;
