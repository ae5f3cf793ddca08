//! Periods of games of one heap: from what a person calls a game to a proved period and its certificate.
//!
//! Rules are read as a take-and-break code (`grundy_lang::linear::heap`); `grundy_find` computes and proves. Cost: theirs.

pub use grundy_cert::Certificate;
use grundy_cert::GameText;
use grundy_core::{Budget, Claim};
pub use grundy_find::arithmetic::Pattern;
use grundy_find::{Heaps, Proof};
pub use grundy_find::{Period, Progress};
use grundy_lang::bind::{self, Arguments};
use grundy_lang::diag::{Code, Diagnostic, Source};
use grundy_lang::linear::heap;
use serde_json::{Value as Json, json};

use crate::open::{self, Opened};
use crate::run::{End, Keep, run};
use crate::{Result, catalogue};

/// A game read as a code.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What it is called.
    pub title: String,
    /// The code.
    pub code: grundy_find::Code,
    /// The rules, as a certificate has them.
    pub text: GameText,
    /// What is probably not meant, and how digits past 7 are read.
    pub notes: Vec<Diagnostic>,
}

/// Reads a game, with the parameters that its moves read, as a code.
///
/// # Errors
/// If there is no such game, or if it is not one of one heap that a code describes: then it says what is in the way.
pub fn subject(spec: &str, words: &[String]) -> std::result::Result<Subject, Vec<Diagnostic>> {
    let Opened { game, warnings } = open::open(spec)?;
    let args = Arguments::parse(words).map_err(|e| vec![*e])?;
    // The label of a file is its path.
    let coded = catalogue::find(spec).is_none()
        && game.source.label == spec
        && grundy_lang::codes::translate(spec).is_some();
    let read = grundy_lang::codes::code(spec).filter(|_| coded);
    let text = GameText {
        text: if coded {
            spec.trim()
        } else {
            &game.source.text
        }
        .to_owned(),
        arguments: words.to_vec(),
    };
    let code = match read {
        Some(code) if words.is_empty() => code,
        _ => {
            let rules = bind::rules(&game, &args).map_err(|e| vec![*e])?;
            let refuse = |why: &str| {
                let message = format!(
                    "`{}` has no period that can be looked for: {why}",
                    game.name
                );
                let error = Diagnostic::error(Code::Unsupported, &game.source, message);
                let help = match game.shape.width() {
                    Some(2) => {
                        "with `--fix NAME=VALUE` one counter stays as it is, and the values in the other are looked at"
                    }
                    _ => {
                        "a period is looked for in games of one heap in which a move takes a number and leaves the rest \
                          in a few heaps, however they are written"
                    }
                };
                vec![error.help(help)]
            };
            let read = heap::read(&rules).map_err(|why| refuse(&why))?;
            if let Some(own) = read.small.iter().position(Option::is_some) {
                return Err(refuse(&format!(
                    "the heap {own} has moves of its own, other than those of larger heaps"
                )));
            }
            read.code
        }
    };
    Ok(Subject {
        title: game.title.clone(),
        code,
        text,
        notes: warnings,
    })
}

/// How far heaps are computed unless a person says otherwise, with at most two heaps left by a move, and with more.
pub const DEFAULT_TO: [u64; 2] = [10_000_000, 10_000];

/// What is known of a game's period.
pub struct Report {
    /// What the game is called.
    pub title: String,
    /// The values, and the period if one is proved.
    pub heaps: Heaps,
    to: u64,
    text: GameText,
}

/// Looks for the period among the values of the heaps up to `to`; its state is kept where `keep` says. `progress` is told how
/// far it has come, and how far it may go.
///
/// # Errors
/// If all the values may take more memory than the budget allows and the first do not prove a period; if a value is
/// past 65,535; if the state that was kept is not this game's, or cannot be kept; if it was stopped.
pub fn period(
    subject: &Subject,
    to: Option<u64>,
    keep: Option<&Keep>,
    budget: &Budget,
    progress: &mut dyn FnMut(&Progress, u64),
) -> Result<Report> {
    let code = &subject.code;
    let to = to.unwrap_or(DEFAULT_TO[usize::from(code.parts() > 2)]);
    let kept = match keep {
        Some(keep) => keep.begin(code)?,
        None => None,
    };
    let mut heaps = kept.unwrap_or_else(|| Heaps::new(code));
    heaps.set_threads(budget.threads());
    let end = run(&mut heaps, to, budget, keep, &mut |p| progress(p, to));
    let end = end.map_err(|error| match error.code {
        Code::Interrupted => Box::new(error.note("they prove no period")),
        _ => error,
    })?;
    if let End::ValueTooLarge(n) = end {
        let source = Source::new(subject.title.clone(), "");
        let message = format!(
            "the value of heap {n} is past 65,535, and the heaps before it prove no period"
        );
        let error = Diagnostic::error(Code::TooLarge, &source, message);
        let last = heaps.computed().saturating_sub(1);
        return Err(Box::new(
            error.help(format!("`--to {last}` ends before it")),
        ));
    }
    Ok(Report {
        title: subject.title.clone(),
        heaps,
        to,
        text: subject.text.clone(),
    })
}

impl Report {
    /// The period, if one is proved by the heaps that were asked for: they are computed by the block, so that more may be
    /// known than that.
    pub fn period(&self) -> Option<&Period> {
        let asked = |p: &&Period| p.checked_to as u64 <= self.to;
        self.heaps.period().filter(asked)
    }

    /// The largest heap whose value the proof rests on; all of those asked for if there is none.
    pub fn checked_to(&self) -> u64 {
        self.period().map_or(self.to, |p| p.checked_to as u64)
    }

    /// How what is said is known.
    pub fn claim(&self) -> Claim {
        match self.period() {
            Some(_) => Claim::Proved,
            None => Claim::Computed,
        }
    }

    /// Which criterion proves the period.
    pub fn method(&self) -> Option<&'static str> {
        self.period().map(|p| p.proof.kind())
    }

    /// What the criterion is called, with its numbers.
    pub fn method_title(&self) -> String {
        match self.period() {
            None => "every value, the mex of its options".to_owned(),
            Some(period) => criterion(period),
        }
    }

    /// The period that the values computed have, where none is proved: a conjecture.
    pub fn conjecture(&self) -> Option<Pattern> {
        self.heaps.conjecture()
    }

    /// The greatest value of all heaps if a period is proved, else of those computed; `None` if there is none.
    pub fn max(&self) -> Option<u64> {
        match self.period() {
            Some(period) => period.max,
            None => Some(self.heaps.largest(self.to)),
        }
    }

    /// The claim as a formula.
    pub fn sentence(&self) -> String {
        match self.period() {
            None => format!("none is proved by the heaps up to {}", self.checked_to()),
            Some(p) => format!(
                "{} for every n ≥ {}",
                formula(p.period, p.saltus),
                p.preperiod
            ),
        }
    }

    /// The certificate, if a period is proved.
    pub fn certificate(&self) -> Option<Certificate> {
        self.period()?;
        self.heaps.certificate(self.text.clone())
    }

    /// `game`, `period`, `preperiod`, `saltus`, `max`, `checked_to`, `method`, `claim`, `conjecture`; null where nothing was
    /// found.
    pub fn to_json(&self) -> Json {
        let period = self.period();
        let conjecture = self.conjecture().map(|seen| {
            json!({
                "period": seen.period,
                "preperiod": seen.preperiod,
                "saltus": seen.saltus,
            })
        });
        json!({
            "game": self.title,
            "period": period.map(|p| p.period),
            "preperiod": period.map(|p| p.preperiod),
            "saltus": period.map(|p| p.saltus),
            "max": self.max(),
            "checked_to": self.checked_to(),
            "method": self.method(),
            "claim": self.claim().to_string(),
            "conjecture": conjecture,
        })
    }
}

/// What the criterion that proves a period is called, with its numbers.
pub(crate) fn criterion(period: &Period) -> String {
    match &period.proof {
        Proof::Long { checked_to } => {
            format!("Guy–Smith periodicity: the values up to n = {checked_to} repeat")
        }
        Proof::Window(window) => format!(
            "window: no heap past {} is rare, and heaps up to {} settle all from {} to {}",
            window.rares_to, window.witnesses_to, window.settled_from, period.checked_to
        ),
        Proof::Cofinite { state_at } => format!(
            "the state before n = {state_at} comes again {} later",
            bind::plural(period.period, "heap")
        ),
        Proof::Arithmetic {
            multiple,
            settled_from,
        } => format!(
            "arithmetic: the saltus is a power of two, and no option has the value of its heap; heaps {settled_from} to {} \
             have options of every smaller value that carry over to heaps {} further",
            period.checked_to,
            2 * multiple * period.period as u64
        ),
        other => other.kind().to_owned(),
    }
}

/// A period as an equation.
pub fn formula(period: usize, saltus: u64) -> String {
    match saltus {
        0 => format!("G(n + {period}) = G(n)"),
        s => format!("G(n + {period}) = G(n) + {s}"),
    }
}
