//! What a computation may use, and how it is told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A bound on memory and a flag that asks for a stop. Cloning shares the flag.
///
/// ```
/// use grundy_core::Budget;
/// let budget = Budget::with_memory(1 << 30);
/// assert!(!budget.stopped());
/// budget.stop();
/// assert!(budget.clone().stopped());
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    memory: u64,
    stop: Arc<AtomicBool>,
}

impl Budget {
    /// The bound on memory unless a user says otherwise: 4 GiB.
    pub const DEFAULT_MEMORY: u64 = 4 << 30;

    /// A budget of that many bytes.
    pub fn with_memory(bytes: u64) -> Self {
        Budget {
            memory: bytes,
            stop: Arc::default(),
        }
    }

    /// The most bytes that tables and memos may take, as counted by those who take them.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Asks every computation with this budget to stop.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was asked for. Long loops ask this every few thousand steps.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget::with_memory(Self::DEFAULT_MEMORY)
    }
}
