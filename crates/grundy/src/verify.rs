//! Certificates from files, by the independent checker.

use std::path::Path;

use grundy_cert::Problem;
use grundy_check::{Refusal, Report};
use grundy_core::Budget;
use grundy_lang::diag::{Code, Diagnostic, Source};
use serde_json::Value as Json;

use crate::Result;

/// What the checker says of a certificate.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The file.
    pub file: String,
    /// What was checked, or the first thing that is wrong.
    pub checked: std::result::Result<Report, Refusal>,
}

/// Reads a certificate and checks it. `progress` is told how many values are done, and of how many.
///
/// # Errors
/// If there is no such file, it cannot be read, or it is no certificate; one with a wrong or missing key is refused.
pub fn verify(file: &str, budget: &Budget, progress: &mut dyn FnMut(u64, u64)) -> Result<Verdict> {
    let checked = match grundy_cert::read(Path::new(file)) {
        Ok(certificate) => grundy_check::check(&certificate, budget, progress),
        Err(problem) if problem.unreadable() => {
            let source = Source::new(file, "");
            let message = format!("`{file}` cannot be read: {problem}");
            let error = Diagnostic::error(Code::File, &source, message);
            let help = match problem {
                Problem::Newer { .. } => "check it with the version that wrote it, or a later one",
                _ => "give a certificate as `grundy period GAME --certificate FILE` writes it",
            };
            return Err(Box::new(error.help(help)));
        }
        Err(problem) => Err(problem.into()),
    };
    if budget.stopped() && checked.as_ref().is_err_and(|r| r.fault.undecided()) {
        let source = Source::new(file, "");
        let message = "stopped before the certificate was checked";
        return Err(Box::new(Diagnostic::error(
            Code::Interrupted,
            &source,
            message,
        )));
    }
    Ok(Verdict {
        file: file.to_owned(),
        checked,
    })
}

impl Verdict {
    /// For a person, and the exit status: 0 accepted, 1 refused, 2 not decided.
    pub fn text(&self) -> (String, u8) {
        grundy_check::text(&self.checked)
    }

    /// As `grundy-check --json` prints it.
    pub fn to_json(&self) -> Json {
        grundy_check::to_json(&self.file, &self.checked)
    }
}
