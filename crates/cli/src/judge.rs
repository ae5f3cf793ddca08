//! The command `judge`: a contest's input, answered in its format. What a case that takes long is at is told on the terminal.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use grundy::decide::Decider;
use grundy::format::Want;
use grundy::judge::{CaseAnswer, Decide, run_records, run_with};
use grundy::record::Known;
use grundy::value::Position;
use grundy::{Budget, Diagnostic, Engine, Rules};

use crate::args::When;
use crate::style::Style;
use crate::{Done, clear_progress, one, open, progress_of, report};

/// Answers standard input on standard output.
pub fn run(
    color: When,
    spec: &str,
    json: bool,
    strict: bool,
    engine: &str,
    budget: &Budget,
) -> Done {
    let game = open(color, spec)?;
    let decider = Decider::new(Engine::parse(engine).map_err(one)?, budget.clone());
    let case = Arc::new(AtomicU64::new(0));
    let hook = {
        let case = case.clone();
        progress_of(move || {
            let case = case.load(Ordering::Relaxed);
            (case, format!("case {case}: "))
        })
    };
    let inner = match hook {
        Some(hook) => decider.report(hook),
        None => decider,
    };
    let mut decider = Told { inner, case };
    let (input, output) = (io::stdin().lock(), io::stdout().lock());
    let run = if json { run_records } else { run_with };
    let done = run(&game, &mut decider, input, output, strict, budget);
    // The program is about to end, and the system takes memory back faster than it can be tidied up.
    std::mem::forget((game, decider));
    clear_progress();
    if let Ok(summary) = &done
        && let Some(warning) = &summary.warning
    {
        report(std::slice::from_ref(warning), Style::stderr(color));
    }
    done.map(|_| true).map_err(one)
}

/// A decider, and the number of the case that it is asked about.
struct Told {
    inner: Decider,
    case: Arc<AtomicU64>,
}

impl Decide for Told {
    fn rules(&mut self, rules: Rules) -> Result<(), Box<Diagnostic>> {
        self.inner.rules(rules)
    }

    #[inline]
    fn answer(&mut self, position: &Position, want: Want) -> Result<CaseAnswer, Box<Diagnostic>> {
        self.case.fetch_add(1, Ordering::Relaxed);
        let answer = self.inner.answer(position, want);
        // Answers may go to the same terminal.
        clear_progress();
        answer
    }

    fn known(
        &mut self,
        position: &Position,
        answer: &CaseAnswer,
    ) -> Result<Known, Box<Diagnostic>> {
        let known = self.inner.known(position, answer);
        clear_progress();
        known
    }

    fn forget(&mut self) {
        self.inner.forget();
    }

    fn winning(&mut self, position: &Position) -> Result<Option<Position>, Box<Diagnostic>> {
        self.inner.winning(position)
    }
}
