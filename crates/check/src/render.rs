//! What a check found, as a person and as a program reads it.

use serde_json::{Value as Json, json};

use crate::{Refusal, Report};

/// The text, and the exit status of a command that prints it: 0 accepted, 1 refused, 2 not decided.
pub fn text(checked: &Result<Report, Refusal>) -> (String, u8) {
    match checked {
        Ok(report) => {
            let lines: Vec<String> = report.lines.iter().map(|l| format!("  {l}\n")).collect();
            (format!("accepted: {}\n{}", report.claim, lines.concat()), 0)
        }
        Err(refusal) if refusal.fault.undecided() => (format!("not decided: {refusal}\n"), 2),
        Err(refusal) => (format!("refused: {refusal}\n"), 1),
    }
}

/// `accepted` (null if that is not decided), and what was checked or what is wrong.
pub fn to_json(file: &str, checked: &Result<Report, Refusal>) -> Json {
    match checked {
        Ok(report) => json!({
            "file": file,
            "accepted": true,
            "claim": report.claim,
            "checked": report.lines,
        }),
        Err(refusal) => json!({
            "file": file,
            "accepted": if refusal.fault.undecided() { Json::Null } else { Json::Bool(false) },
            "fault": refusal.fault.name(),
            "message": refusal.message,
            "at": refusal.at,
            "row": refusal.row,
            "expected": refusal.expected,
            "found": refusal.found,
        }),
    }
}
