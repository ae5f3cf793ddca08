//! `period` and `verify`: periods of games of one heap, and their certificates.

use std::io::{self, IsTerminal, Write as _};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use grundy::period::Progress;
use grundy::{Budget, period as facade};

use crate::args::When;
use crate::style::Style;
use crate::{
    Done, PROGRESS, broken, clear_progress, grouped, one, print, print_json, report, show,
    with_warnings,
};

/// Finds a period.
pub fn period(
    color: When,
    game: &str,
    args: &[String],
    to: Option<u64>,
    certificate: Option<&str>,
    json: bool,
    budget: &Budget,
) -> Done {
    let subject = facade::subject(game, args)?;
    report(&subject.notes, Style::stderr(color));
    let mut ticker = Ticker::new();
    let found = facade::period(&subject, to, budget, &mut |p, to| ticker.values(p, to));
    clear_progress();
    let found = found.map_err(one)?;
    let mut written = None;
    if let Some(file) = certificate {
        match found.certificate() {
            Some(certificate) => {
                facade::write(&certificate, file).map_err(one)?;
                written = Some(file);
            }
            None => report(
                &[broken(
                    &format!("no period is proved, so `{file}` is not written"),
                    "a larger `--to` may prove one",
                )
                .warning()],
                Style::stderr(color),
            ),
        }
    }
    match json {
        true => print_json(&with_warnings(found.to_json(), &subject.notes)),
        false => print(&show::period(&found, written, Style::stdout(color))),
    }
}

/// Checks a certificate.
pub fn verify(file: &str, json: bool, budget: &Budget) -> Done {
    let mut ticker = Ticker::new();
    let verdict = grundy::verify::verify(file, budget, &mut |done, all| {
        ticker.tell(done, || {
            format!("checking: {} of {} values", grouped(done), grouped(all))
        });
    });
    clear_progress();
    let verdict = verdict.map_err(one)?;
    let (text, exit) = verdict.text();
    match json {
        true => print_json(&verdict.to_json())?,
        false => print(&text)?,
    };
    match exit {
        0 => Ok(true),
        1 => Ok(false),
        // What is undecided has been told.
        _ => Err(Vec::new()),
    }
}

/// Says on a terminal how far a long run has come.
pub struct Ticker {
    start: Instant,
    last: Duration,
    terminal: bool,
    /// When and at how many values speed was last measured.
    measured: (Duration, u64),
}

impl Ticker {
    /// From now on.
    pub fn new() -> Self {
        Ticker {
            start: Instant::now(),
            last: Duration::from_millis(800),
            terminal: io::stderr().is_terminal(),
            measured: (Duration::ZERO, 0),
        }
    }

    /// A line with the speed, if it is time for one.
    pub fn tell(&mut self, done: u64, line: impl FnOnce() -> String) {
        let now = self.start.elapsed();
        if !self.terminal || now < self.last {
            return;
        }
        self.last = now + Duration::from_millis(200);
        let passed = (now - self.measured.0).as_millis().max(1);
        let speed = u128::from(done.saturating_sub(self.measured.1)) * 1000 / passed;
        if passed > 5000 {
            self.measured = (now, done);
        }
        PROGRESS.store(true, Ordering::Relaxed);
        let _ = write!(
            io::stderr(),
            "\r\x1b[K{}, {} a second, {} s (Ctrl-C stops)",
            line(),
            grouped(u64::try_from(speed).unwrap_or(u64::MAX)),
            now.as_secs(),
        );
    }

    fn values(&mut self, p: &Progress, to: u64) {
        let done = p.values as u64;
        let now = self.start.elapsed().as_millis();
        self.tell(done, || {
            let mut line = format!("{} values", grouped(done));
            if let Some(rares) = p.rares {
                line += &format!(", {} rare", grouped(rares as u64));
            }
            let left = u128::from(to.saturating_sub(done)) * now / u128::from(done.max(1)) / 1000;
            line + &format!(", top {}, up to {left} s to go", p.top)
        });
    }
}
