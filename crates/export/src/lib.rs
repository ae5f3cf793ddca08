//! Files that other programs read: npy and Parquet. Columns come in blocks, so memory is that of a few blocks; no game is known
//! here. This crate stands apart since building `parquet` takes longer than all the rest.

mod npy;
mod parquet;

pub use npy::{npy, npy_size};
pub use parquet::{Column, Kind, Parquet};
