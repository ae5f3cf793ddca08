//! A search engine that owns its rules and may be asked from any thread.
//!
//! The engine borrows the rules it plays by, so both live on a thread of their own, which does what it is told and ends
//! with its owner. Cost: some microseconds a question beyond the search itself.

use std::panic::resume_unwind;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use grundy_core::Budget;
use grundy_lang::interp::{Machine, Rules};
use grundy_search::Engine;

use crate::plan::Hook;

type Job = Box<dyn FnOnce(&mut Engine<Machine<'_>>) + Send>;

/// The engine's thread and the way to it.
pub(crate) struct Searcher {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

impl Searcher {
    pub(crate) fn new(rules: Rules, budget: Budget, hook: Option<Hook>) -> Self {
        let (jobs, todo) = channel::<Job>();
        let thread = thread::spawn(move || {
            let mut engine = Engine::new(&rules, budget);
            if let Some(hook) = hook {
                engine.on_progress(move |progress| hook(progress));
            }
            for job in todo {
                job(&mut engine);
            }
        });
        Searcher { jobs, thread }
    }

    /// Asks the engine and waits for its answer. A panic there is a panic here.
    pub(crate) fn ask<T: Send + 'static>(
        this: &mut Option<Searcher>,
        start: impl FnOnce() -> Searcher,
        question: impl FnOnce(&mut Engine<Machine<'_>>) -> T + Send + 'static,
    ) -> T {
        let searcher = this.get_or_insert_with(start);
        let (reply, answer) = channel();
        let job: Job = Box::new(move |engine| {
            // The one who asked is waiting.
            let _ = reply.send(question(engine));
        });
        let sent = searcher.jobs.send(job);
        if sent.is_ok()
            && let Ok(answer) = answer.recv()
        {
            return answer;
        }
        let panic = this.take().map(|s| s.thread.join());
        match panic {
            Some(Err(panic)) => resume_unwind(panic),
            _ => unreachable!("the search thread ends only with its owner or by a panic"),
        }
    }
}
