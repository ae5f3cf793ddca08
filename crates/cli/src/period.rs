//! `period` and `verify`: periods of games of one heap and of rows of games of two counters, and their certificates.

use std::io::{self, IsTerminal, Write as _};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use grundy::period::{Certificate, Progress};
use grundy::{Budget, Diagnostic, period as facade, rows};

use crate::args::When;
use crate::output::{Output, unwritable};
use crate::style::Style;
use crate::table::keep;
use crate::{
    Done, PROGRESS, broken, clear_progress, grouped, one, print, print_json, report, show,
    with_warnings,
};

/// What is asked for.
pub struct Wanted<'a> {
    pub fix: &'a [String],
    pub to: Option<u64>,
    pub certificate: Option<&'a Path>,
    pub resume: Option<&'a Path>,
    pub json: bool,
}

/// Finds a period.
pub fn period(color: When, game: &str, args: &[String], wanted: &Wanted, budget: &Budget) -> Done {
    if !wanted.fix.is_empty() {
        return row(color, game, args, wanted, budget);
    }
    let subject = facade::subject(game, args)?;
    report(&subject.notes, Style::stderr(color));
    let paper = Paper::open(wanted.certificate, budget)?;
    let keep = wanted.resume.map(keep);
    let mut ticker = Ticker::new();
    let found = facade::period(&subject, wanted.to, keep.as_ref(), budget, &mut |p, to| {
        ticker.values(p, to);
    });
    clear_progress();
    let found = found.map_err(one)?;
    let written = paper.write(found.certificate(), color)?;
    match wanted.json {
        true => print_json(&with_warnings(found.to_json(), &subject.notes)),
        false => print(&show::period(&found, written, Style::stdout(color))),
    }
}

/// Finds the period of a row.
fn row(color: When, game: &str, args: &[String], wanted: &Wanted, budget: &Budget) -> Done {
    let subject = rows::subject(game, args, wanted.fix)?;
    report(&subject.notes, Style::stderr(color));
    let paper = Paper::open(wanted.certificate, budget)?;
    let mut ticker = Ticker::new();
    let found = rows::period(&subject, wanted.to, budget, &mut |p, to| {
        ticker.tell(p.columns, to, || {
            format!(
                "row {} of {}: {} columns",
                grouped(p.row),
                grouped(subject.row.at),
                grouped(p.columns)
            )
        });
    });
    clear_progress();
    let found = found.map_err(one)?;
    let written = paper.write(found.certificate(), color)?;
    match wanted.json {
        true => print_json(&with_warnings(found.to_json(), &subject.notes)),
        false => print(&show::row(&found, written, Style::stdout(color))),
    }
}

/// The file for a certificate, if one is asked for.
struct Paper<'a>(Option<(&'a Path, Output)>);

impl<'a> Paper<'a> {
    /// What cannot be written is better known before than after.
    fn open(file: Option<&'a Path>, budget: &Budget) -> Result<Self, Vec<Diagnostic>> {
        let Some(path) = file else {
            return Ok(Paper(None));
        };
        let output = Output::open(file).map_err(|e| unwritable(file, &e))?;
        // From now on Ctrl-C has a file to remove.
        budget.stopped();
        Ok(Paper(Some((path, output))))
    }

    /// Where the certificate is, if there is one.
    fn write(
        self,
        certificate: Option<Certificate>,
        color: When,
    ) -> Result<Option<&'a Path>, Vec<Diagnostic>> {
        let Some((file, mut output)) = self.0 else {
            return Ok(None);
        };
        let Some(certificate) = certificate else {
            let what = format!(
                "no period is proved, so `{}` is not written",
                file.display()
            );
            let warning = broken(&what, "a larger `--to` may prove one").warning();
            report(&[warning], Style::stderr(color));
            return Ok(None);
        };
        let done = output.write_all(certificate.text().as_bytes());
        let done = done.and_then(|()| output.finish());
        done.map_err(|e| unwritable(Some(file), &e))?;
        Ok(Some(file))
    }
}

/// Checks a certificate.
pub fn verify(file: &str, json: bool, budget: &Budget) -> Done {
    let mut ticker = Ticker::new();
    let verdict = grundy::verify::verify(file, budget, &mut |done, all| {
        ticker.tell(done, all, || {
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
    next: Duration,
    terminal: bool,
    /// When, and at what count, speed was last measured; what was there at first was not done now.
    measured: Option<(Duration, u64)>,
}

impl Ticker {
    /// From now on.
    pub fn new() -> Self {
        Ticker {
            start: Instant::now(),
            next: Duration::from_millis(800),
            terminal: io::stderr().is_terminal(),
            measured: None,
        }
    }

    /// A line with the speed and the time that is left, if it is time for one.
    pub fn tell(&mut self, done: u64, all: u64, line: impl FnOnce() -> String) {
        if !self.terminal {
            return;
        }
        let now = self.start.elapsed();
        let (then, before) = *self.measured.get_or_insert((now, done));
        if now < self.next {
            return;
        }
        self.next = now + Duration::from_millis(200);
        let passed = (now - then).as_millis().max(1);
        let fresh = u128::from(done.saturating_sub(before));
        if passed > 5000 {
            self.measured = Some((now, done));
        }
        let left = match fresh {
            0 => String::new(),
            _ => {
                let left = u128::from(all.saturating_sub(done)) * passed / fresh / 1000;
                format!(
                    ", up to {} s left",
                    grouped(u64::try_from(left).unwrap_or(u64::MAX))
                )
            }
        };
        let speed = u64::try_from(fresh * 1000 / passed).unwrap_or(u64::MAX);
        PROGRESS.store(true, Ordering::Relaxed);
        // Nobody reads any more: nothing to say.
        let _ = write!(
            io::stderr(),
            "\r\x1b[K{}, {} a second{left} (Ctrl-C stops)",
            line(),
            grouped(speed),
        );
    }

    /// How many values of a sequence are known.
    pub fn values(&mut self, p: &Progress, to: u64) {
        let (done, all) = (p.values as u64, to.saturating_add(1));
        self.tell(done, all, || {
            let rares = p
                .rares
                .map_or_else(String::new, |r| format!(", {} rare", grouped(r as u64)));
            format!(
                "{} of {} values{rares}, the greatest {}",
                grouped(done),
                grouped(all),
                grouped(p.top)
            )
        });
    }
}
