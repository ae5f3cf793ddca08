//! The facade.

pub mod format;
pub mod inputs;
pub mod judge;
pub mod reader;
