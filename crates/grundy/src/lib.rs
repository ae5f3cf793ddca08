//! The facade.

pub mod reader;
