//! Periods of nim-sequences, found and proved. What lives here looks at values that the kernels compute and says what the
//! theorems of the book's page "Certificates" make of them; no rules are read, no I/O enters.

pub mod arithmetic;
mod heaps;
mod occur;
mod period;
pub mod rows;

pub use grundy_cert::{Certificate, GameText, Proof};
pub use grundy_core::Code;
pub use grundy_kernels::Stop;
pub use heaps::{Heaps, Progress};
pub use period::Period;
