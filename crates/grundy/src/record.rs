//! A judge's case as a record for programs: one JSON object, whose keys are those of an answer where they mean the same.

use grundy_core::{Claim, Int, Outcome};
use grundy_lang::ir::Shape;
use grundy_lang::value::Position;
use serde_json::{Value as Json, json};

use crate::answer::{int_json, position_json};

/// What is known of a position beside who wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The Grundy value.
    pub grundy: Option<Int>,
    /// Whether it was searched, though a theorem answered.
    pub grundy_searched: bool,
    /// The theorem or engine that answered, and how sure that is.
    pub how: Option<(&'static str, Claim)>,
}

/// A case.
pub(crate) struct Record<'a> {
    /// Its number, from 1.
    pub case: u64,
    /// The line of the input in which it starts.
    pub line: u64,
    pub position: &'a Position,
    /// Whether the player to move wins.
    pub win: bool,
    pub known: Known,
    /// What the contest's output has for it.
    pub output: &'a str,
}

impl Record<'_> {
    pub fn to_json(&self, shape: &Shape) -> Json {
        let (method, claim) = self.known.how.unzip();
        let mut record = json!({
            "case": self.case,
            "line": self.line,
            "position": position_json(shape, self.position),
            "outcome": Outcome::from_next_wins(self.win).to_string(),
            "grundy": self.known.grundy.as_ref().map(int_json),
            "method": method,
            "claim": claim.map(|c| c.to_string()),
            "output": self.output,
        });
        if self.known.grundy_searched {
            record["grundy_claim"] = json!(Claim::Computed.to_string());
        }
        record
    }
}
