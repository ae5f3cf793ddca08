//! Values and outcomes of positions by search over the interpreter: the reference that everything faster is tested against.
//!
//! No theorem is used but the Sprague–Grundy theorem, and that only where it holds ([`Engine::values_valid`]). No search
//! recurses: a heap of ten million is ten million frames of 24 bytes, not ten million stack frames.

pub mod dense;
mod engine;
mod meter;
mod outcomes;
mod store;
mod values;

pub use engine::{Engine, Known, Moves, Winning};
pub use meter::Progress;

/// An answer or the reason why there is none.
pub type Result<T> = std::result::Result<T, Box<grundy_lang::diag::Diagnostic>>;

#[cfg(test)]
mod tests;
