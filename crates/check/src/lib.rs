//! The checker of certificates. It trusts nobody: it reads the rules itself, computes every value again with its own mex,
//! and tests every hypothesis of the theorem that a certificate rests on. No kernel and no theorem of the solver is used;
//! of the language it uses the interpreter and the linear reading of rules.
//!
//! The book's page "Certificates" states and proves the theorems. Cost: `long` is quadratic in the values for two parts;
//! `window` is one step a rare heap and a few hundred a value, and a byte a value; `cofinite` is linear;
//! `arithmetic` looks at every option of some heaps, and at every choice of heaps from n0 + p for each number of parts;
//! `rows` is linear in the values of all rows, times the options of a value that are near.

mod arithmetic;
mod claim;
mod cofinite;
mod long;
mod render;
mod rows;
mod rules;
mod window;

use std::fmt;

use grundy_cert::{Certificate, Problem, Proof};
use grundy_core::Budget;

pub use render::{text, to_json};

/// What was checked, of a certificate that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The claim, in one sentence.
    pub claim: String,
    /// What was checked, in the order in which it was, in plain words.
    pub lines: Vec<String>,
}

/// Which check failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The text is no certificate of this version.
    Format,
    /// The rules cannot be read, or are not those of one heap.
    Rules,
    /// The rules are not the code that is stated.
    Code,
    /// The numbers do not meet a hypothesis of the theorem.
    Hypothesis,
    /// A value is not the mex of the options.
    Value,
    /// A heap past R is rare.
    Rare,
    /// A heap of the window is not settled.
    Settled,
    /// Values a period apart differ.
    Period,
    /// The period begins earlier.
    Preperiod,
    /// The period is a multiple of one.
    Least,
    /// The greatest value is another.
    Max,
    /// The values have another hash.
    Hash,
    /// More memory is needed than is allowed: nothing is decided.
    Memory,
    /// Stopped by the user: nothing is decided.
    Stopped,
}

impl Fault {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Fault::Format => "format",
            Fault::Rules => "rules",
            Fault::Code => "code",
            Fault::Hypothesis => "hypothesis",
            Fault::Value => "value",
            Fault::Rare => "rare",
            Fault::Settled => "settled",
            Fault::Period => "period",
            Fault::Preperiod => "preperiod",
            Fault::Least => "least",
            Fault::Max => "max",
            Fault::Hash => "hash",
            Fault::Memory => "memory",
            Fault::Stopped => "stopped",
        }
    }

    /// Whether the certificate was not found wrong, but could not be checked to its end.
    pub fn undecided(self) -> bool {
        matches!(self, Fault::Memory | Fault::Stopped)
    }
}

/// The first thing that is wrong with a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which check failed.
    pub fault: Fault,
    /// In a sentence.
    pub message: String,
    /// The heap where it fails; of a row, the column.
    pub at: Option<u64>,
    /// The row where it fails, if the certificate is of one.
    pub row: Option<u64>,
    /// What there should be, by this checker.
    pub expected: Option<String>,
    /// What the certificate has.
    pub found: Option<String>,
}

impl Refusal {
    fn new(fault: Fault, message: impl Into<String>) -> Self {
        Refusal {
            fault,
            message: message.into(),
            at: None,
            row: None,
            expected: None,
            found: None,
        }
    }

    fn at(mut self, n: u64) -> Self {
        self.at = Some(n);
        self
    }

    fn row(mut self, row: u64) -> Self {
        self.row = Some(row);
        self
    }

    fn values(mut self, expected: impl ToString, found: impl ToString) -> Self {
        self.expected = Some(expected.to_string());
        self.found = Some(found.to_string());
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match (self.row, self.at) {
            (Some(row), Some(n)) => write!(f, "; row {row}, column {n}")?,
            (Some(row), None) => write!(f, "; row {row}")?,
            (None, Some(n)) => write!(f, "; heap {n}")?,
            (None, None) => {}
        }
        if let Some(expected) = &self.expected {
            write!(f, "; expected {expected}")?;
        }
        if let Some(found) = &self.found {
            write!(f, "; found {found}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Refusal::new(Fault::Format, problem.to_string())
    }
}

type Result<T> = std::result::Result<T, Refusal>;

/// Checks a certificate. `progress` is told how many values are done and how many there are; the budget bounds memory and
/// can stop the check.
///
/// ```
/// use grundy_cert::{Certificate, Code, GameText, Proof, Values};
/// let certificate = Certificate {
///     game: GameText { text: "subtract{1,2}".to_owned(), arguments: vec![] },
///     code: Code::finite([0, 3, 3]),
///     period: 3,
///     preperiod: 0,
///     saltus: 0,
///     max: Some(2),
///     values: Values::listed(vec![0, 1, 2, 0, 1, 2]),
///     proof: Proof::Long { checked_to: 5 },
/// };
/// let budget = grundy_core::Budget::default();
/// let report = grundy_check::check(&certificate, &budget, &mut |_, _| ()).unwrap();
/// assert!(report.claim.starts_with("G(n + 3) = G(n) for every n ≥ 0"));
/// let forged = Certificate { period: 6, ..certificate };
/// assert!(grundy_check::check(&forged, &budget, &mut |_, _| ()).is_err());
/// ```
pub fn check(
    certificate: &Certificate,
    budget: &Budget,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report> {
    let mut lines = Vec::new();
    let game = match certificate.proof {
        // Its rules are no code.
        Proof::Rows(_) => rules::Read::default(),
        _ => rules::read(certificate, &mut lines)?,
    };
    claim::shape(certificate)?;
    let mut run = Run {
        certificate,
        game,
        budget,
        progress,
        lines,
    };
    match &certificate.proof {
        Proof::Long { checked_to } => long::check(&mut run, *checked_to)?,
        Proof::Window(window) => window::check(&mut run, window)?,
        Proof::Cofinite { state_at } => cofinite::check(&mut run, *state_at)?,
        Proof::Arithmetic {
            multiple,
            settled_from,
        } => arithmetic::check(&mut run, *multiple, *settled_from)?,
        Proof::Rows(rows) => rows::check(&mut run, rows)?,
        other => {
            let message = format!("proofs of the kind `{}` are not checked yet", other.kind());
            return Err(Refusal::new(Fault::Format, message));
        }
    }
    Ok(Report {
        claim: claim::sentence(certificate),
        lines: run.lines,
    })
}

/// One certificate being checked.
struct Run<'a> {
    certificate: &'a Certificate,
    game: rules::Read,
    budget: &'a Budget,
    progress: &'a mut dyn FnMut(u64, u64),
    lines: Vec<String>,
}

impl Run<'_> {
    fn say(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Told at every value; acts at some.
    fn step(&mut self, n: usize, count: usize) -> Result<()> {
        if n.is_multiple_of(1 << 12) {
            (self.progress)(n as u64, count as u64);
            self.pause().map_err(|refusal| refusal.at(n as u64))?;
        }
        Ok(())
    }

    /// Whether the user stopped it.
    fn pause(&self) -> Result<()> {
        match self.budget.stopped() {
            true => Err(Refusal::new(Fault::Stopped, "stopped by the user")),
            false => Ok(()),
        }
    }

    /// Whether so many bytes are within bounds; said before they are taken.
    fn room(&self, bytes: u128) -> Result<()> {
        let memory = self.budget.memory();
        if bytes > u128::from(memory) {
            let message = "more memory is needed than is allowed, so nothing is decided";
            let needed = format!("at least {bytes} bytes");
            return Err(
                Refusal::new(Fault::Memory, message).values(needed, format!("{memory} bytes"))
            );
        }
        Ok(())
    }

    /// The number of values must be the one that the theorem needs.
    fn count(&self, needed: u128, bytes_each: u64) -> Result<usize> {
        let count = self.certificate.values.count;
        if u128::from(count) != needed {
            let message = "the number of values is not the one that the proof is about";
            return Err(Refusal::new(Fault::Hypothesis, message).values(needed, count));
        }
        self.room(u128::from(count) * u128::from(bytes_each))?;
        usize::try_from(count)
            .map_err(|_| Refusal::new(Fault::Memory, "more values than can be held"))
    }

    /// The value that the certificate lists for a heap must be the one computed.
    fn listed(&self, n: usize, computed: u64) -> Result<()> {
        let list = self.certificate.values.list.as_deref();
        match list.and_then(|list| list.get(n)) {
            Some(&found) if found != computed => {
                let message = "a value of the list is not the mex of the options";
                Err(Refusal::new(Fault::Value, message)
                    .at(n as u64)
                    .values(computed, found))
            }
            _ => Ok(()),
        }
    }
}
