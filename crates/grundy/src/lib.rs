//! The facade.

pub mod format;
pub mod judge;
pub mod reader;
