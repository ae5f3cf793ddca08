//! Long runs: values up to a heap, or until a period is proved, with a bound on memory and a state that is kept.
//!
//! Cost: that of `grundy_find`, and a look at the clock every millisecond or so.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use grundy_core::{Budget, Code};
use grundy_find::{Heaps, Progress, Stop};
use grundy_lang::diag::{Code as DiagnosticCode, Diagnostic, Source};

use crate::{Result, checkpoint, room};

/// Where the state of a run is kept.
#[derive(Clone, Debug)]
pub struct Keep {
    /// The file.
    pub file: PathBuf,
    /// How often it is written.
    pub every: Duration,
}

impl Keep {
    /// The state that is kept for this code, if there is one; and whether it could be kept anew.
    ///
    /// # Errors
    /// If it cannot be read or written, is damaged, or is another game's.
    pub fn begin(&self, code: &Code) -> Result<Option<Heaps>> {
        let kept = checkpoint::read(&self.file, code)?;
        checkpoint::writable(&self.file)?;
        Ok(kept)
    }
}

/// How a run ended.
pub(crate) enum End {
    /// The values are known: computed, or past the begin of a period.
    Known,
    /// The value of this heap is past what kernels can hold.
    ValueTooLarge(usize),
}

/// Before the memory that a run needs is asked for, a period is looked for among so many values, for so long at most.
const FIRST: usize = 1 << 20;
const FIRST_TIME: Duration = Duration::from_secs(1);
/// The clock is read about so often: some kernels ask after every value, others after milliseconds.
const TICK: Duration = Duration::from_millis(1);
const MOST_STEPS: u32 = 4096;

/// Makes the values of all heaps up to `to` known; `told` hears how far this has come.
///
/// # Errors
/// If memory does not suffice, the state cannot be kept, or the budget says stop.
pub(crate) fn run(
    heaps: &mut Heaps,
    to: u64,
    budget: &Budget,
    keep: Option<&Keep>,
    told: &mut dyn FnMut(&Progress),
) -> Result<End> {
    let count = usize::try_from(to).unwrap_or(usize::MAX).saturating_add(1);
    let mut saved = (heaps.computed(), Instant::now());
    let (mut steps, mut skipped, mut tick) = (1, 0, Instant::now());
    let mut afforded = false;
    loop {
        let mut due = false;
        let every = keep.map_or(Duration::MAX, |k| k.every);
        let every = if afforded {
            every
        } else {
            every.min(FIRST_TIME)
        };
        let done = heaps.advance(count, &mut |progress| {
            skipped += 1;
            if skipped >= steps {
                let now = Instant::now();
                steps = if now - tick < TICK {
                    MOST_STEPS.min(2 * steps)
                } else {
                    1
                };
                (skipped, tick) = (0, now);
                told(progress);
                due |= now - saved.1 >= every || !afforded && progress.values >= FIRST;
            }
            due || budget.stopped()
        });
        let stopped = done == Err(Stop::Interrupted) && budget.stopped();
        match done {
            Err(Stop::ValueTooLarge(n)) => return Ok(End::ValueTooLarge(n)),
            Err(Stop::Interrupted) if !afforded && !stopped => {
                afford(heaps, to, budget)?;
                afforded = true;
                continue;
            }
            Ok(()) | Err(Stop::Interrupted) => {}
        }
        if let Some(keep) = keep
            && saved.0 != heaps.computed()
        {
            checkpoint::write(&keep.file, heaps)?;
            saved.0 = heaps.computed();
        }
        saved.1 = Instant::now();
        if done.is_ok() {
            return Ok(End::Known);
        }
        if stopped {
            return Err(interrupted(heaps.computed(), keep));
        }
    }
}

fn interrupted(computed: usize, keep: Option<&Keep>) -> Box<Diagnostic> {
    let message = format!("stopped after {computed} values");
    let error = Diagnostic::error(DiagnosticCode::Interrupted, &Source::new("", ""), message);
    Box::new(match keep {
        Some(keep) => error.help(format!(
            "the same command with `--resume {}` goes on from there",
            keep.file.display()
        )),
        None => error.help("with `--resume FILE` a run keeps its state and goes on later"),
    })
}

/// Whether there is memory for all values that may have to be computed.
fn afford(heaps: &Heaps, to: u64, budget: &Budget) -> Result<()> {
    if heaps.period().is_some() {
        return Ok(());
    }
    let values = to.saturating_add(1);
    let need = u64::try_from(Heaps::bytes(heaps.code(), values)).unwrap_or(u64::MAX);
    let free = room::memory().unwrap_or(u64::MAX);
    if need <= budget.memory().min(free) {
        return Ok(());
    }
    let message = format!(
        "{values} values need {} of memory, and no period is found that would spare them",
        room::text(need)
    );
    let error = Diagnostic::error(DiagnosticCode::Memory, &Source::new("", ""), message);
    Err(Box::new(if need <= budget.memory() {
        error
            .note(format!("the machine has {} left", room::text(free)))
            .help("ask for fewer values")
    } else {
        let more = need.div_ceil(1 << 30);
        error
            .note(format!("the bound is {}", room::text(budget.memory())))
            .help(format!(
                "give more memory, for example `--memory {more}G`, or ask for fewer values"
            ))
    }))
}
