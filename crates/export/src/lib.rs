//! Files that other programs read: npy and Parquet. Columns come in blocks, so memory is that of a few blocks; no game
//! is known here. This crate writes both itself: the crate `parquet` takes longer to build than all the rest, and only
//! reads back in the tests what is written.

mod npy;
mod parquet;

pub use npy::{npy, npy_size};
pub use parquet::{Column, Kind, Parquet};
