//! The facade.

pub mod check;
mod child;
pub mod format;
pub mod inputs;
pub mod judge;
pub mod reader;
pub mod shrink;
