//! What a computation may use, and how it is told to stop.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
    shared: Arc<Shared>,
}

struct Shared {
    state: AtomicU8,
    watch: Mutex<Option<Watch>>,
}

/// What is told that a computation takes long.
type Watch = Box<dyn FnOnce(&Budget) + Send>;

/// No computation has asked yet, and somebody wants to know when one does.
const WATCHED: u8 = 0;
const ON: u8 = 1;
const STOPPED: u8 = 2;

impl Budget {
    /// The bound on memory unless a user says otherwise: 4 GiB.
    pub const DEFAULT_MEMORY: u64 = 4 << 30;

    /// A budget of that many bytes.
    pub fn with_memory(bytes: u64) -> Self {
        Budget::new(bytes, ON, None)
    }

    /// The same with a call when a computation first asks whether to stop, which those that are soon done never do: what is
    /// there to stop the long ones need not be set up for the others.
    ///
    /// ```
    /// use grundy_core::Budget;
    /// let budget = Budget::watched(1 << 30, |budget| budget.stop());
    /// assert!(budget.stopped());
    /// ```
    pub fn watched(bytes: u64, watch: impl FnOnce(&Budget) + Send + 'static) -> Self {
        Budget::new(bytes, WATCHED, Some(Box::new(watch)))
    }

    fn new(memory: u64, state: u8, watch: Option<Watch>) -> Self {
        let shared = Arc::new(Shared {
            state: AtomicU8::new(state),
            watch: Mutex::new(watch),
        });
        Budget { memory, shared }
    }

    /// The most bytes that tables and memos may take, as counted by those who take them.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Asks every computation with this budget to stop.
    pub fn stop(&self) {
        self.shared.state.store(STOPPED, Ordering::Relaxed);
    }

    /// Whether a stop was asked for. Long loops ask this every few thousand steps.
    pub fn stopped(&self) -> bool {
        match self.shared.state.load(Ordering::Relaxed) {
            WATCHED => self.first_asked(),
            state => state == STOPPED,
        }
    }

    #[cold]
    fn first_asked(&self) -> bool {
        let state = &self.shared.state;
        // A stop that has come in between stays.
        let _ = state.compare_exchange(WATCHED, ON, Ordering::Relaxed, Ordering::Relaxed);
        let mut watch = self
            .shared
            .watch
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let watch = watch.take();
        if let Some(watch) = watch {
            watch(self);
        }
        state.load(Ordering::Relaxed) == STOPPED
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget::with_memory(Self::DEFAULT_MEMORY)
    }
}
