//! What a computation may use, and how it is told to stop.

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A bound on memory, a number of threads, and a flag that asks for a stop. Cloning shares the flag.
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
    threads: usize,
    shared: Arc<Shared>,
}

struct Shared {
    state: AtomicU8,
    watch: Mutex<Option<Watch>>,
    clock: Option<Clock>,
}

/// The time of a budget that has one.
struct Clock {
    /// Its stop is ours.
    parent: Budget,
    start: Instant,
    /// Nanoseconds after the start.
    until: AtomicU64,
}

/// What is told that a computation takes long.
type Watch = Box<dyn FnOnce(&Budget) + Send>;

/// No computation has asked yet, and somebody wants to know when one does.
const WATCHED: u8 = 0;
const ON: u8 = 1;
const STOPPED: u8 = 2;
/// Stopped if the parent is, or once the time is over.
const TIMED: u8 = 3;

impl Budget {
    /// The bound on memory unless a user says otherwise: 4 GiB.
    pub const DEFAULT_MEMORY: u64 = 4 << 30;

    /// A budget of that many bytes.
    pub fn with_memory(bytes: u64) -> Self {
        Budget::new(bytes, ON, None, None)
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
        Budget::new(bytes, WATCHED, Some(Box::new(watch)), None)
    }

    /// The same memory, and a stop when this one is stopped or when the time is over that [`Budget::give`] gives.
    ///
    /// ```
    /// use grundy_core::Budget;
    /// use std::time::Duration;
    /// let timed = Budget::default().timed();
    /// assert!(!timed.stopped());
    /// timed.give(Duration::ZERO);
    /// assert!(timed.stopped());
    /// timed.give(Duration::MAX);
    /// assert!(!timed.stopped());
    /// ```
    pub fn timed(&self) -> Self {
        let clock = Clock {
            parent: self.clone(),
            start: Instant::now(),
            until: AtomicU64::new(u64::MAX),
        };
        Budget::new(self.memory, TIMED, None, Some(clock)).on_threads(self.threads)
    }

    /// Lets computations with this budget go on for that long from now; a budget that is not [`Budget::timed`] has no clock.
    pub fn give(&self, time: Duration) {
        if let Some(clock) = &self.shared.clock {
            let until = clock.start.elapsed().saturating_add(time).as_nanos();
            let until = u64::try_from(until).unwrap_or(u64::MAX);
            clock.until.store(until, Ordering::Relaxed);
        }
    }

    fn new(memory: u64, state: u8, watch: Option<Watch>, clock: Option<Clock>) -> Self {
        let shared = Arc::new(Shared {
            state: AtomicU8::new(state),
            watch: Mutex::new(watch),
            clock,
        });
        let threads = 1;
        Budget {
            memory,
            threads,
            shared,
        }
    }

    /// The same on up to so many threads, at least one.
    pub fn on_threads(self, threads: usize) -> Self {
        let threads = threads.max(1);
        Budget { threads, ..self }
    }

    /// How many threads a computation may use; one unless it is said.
    pub fn threads(&self) -> usize {
        self.threads
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
            TIMED => self.shared.clock.as_ref().is_some_and(Clock::over),
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

impl Clock {
    fn over(&self) -> bool {
        let until = self.until.load(Ordering::Relaxed);
        self.parent.stopped()
            || until != u64::MAX && self.start.elapsed().as_nanos() >= u128::from(until)
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
