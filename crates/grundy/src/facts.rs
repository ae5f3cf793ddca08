//! A game's own facts: every `expect` is answered as `solve` would, every `sample` as `judge --strict` would.
//!
//! Cost: that of the answers.

use std::sync::Arc;

use grundy_core::Budget;
use grundy_lang::bind::{Arguments, bind};
use grundy_lang::diag::{Code, Diagnostic, Severity, line_column};
use grundy_lang::ir::{Expect, ExpectAnswer, Game};
use serde_json::{Value as Json, json};

use crate::Result;
use crate::answer::one_line;
use crate::decide::Decider;
use crate::plan::{Engine, Plan};

/// A fact and what came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Where it stands: `FILE:LINE`, or which sample it is.
    pub place: String,
    /// Its text.
    pub text: String,
    /// What it says must come out.
    pub expected: String,
    /// What came out, or why nothing did.
    pub found: String,
}

/// What the facts of a game come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// All of them, in the order of the text, samples last.
    pub facts: Vec<Fact>,
}

/// Checks every fact of a game.
pub fn check(game: &Arc<Game>, budget: &Budget) -> Result<Report> {
    if game.expects.is_empty() && game.samples.is_empty() {
        let message = format!("`{}` states no facts", one_line(&game.name));
        let error = Diagnostic::error(Code::Unsupported, &game.source, message);
        return Err(Box::new(error.help(
            "state one in the game's file, as in `expect 10 -> win`; or test a program, `grundy check GAME -- COMMAND`",
        )));
    }
    let mut facts = Vec::new();
    for expect in &game.expects {
        let (line, _) = line_column(&game.source, expect.span);
        let expected = match &expect.answer {
            ExpectAnswer::Win => "win".to_owned(),
            ExpectAnswer::Lose => "lose".to_owned(),
            ExpectAnswer::Value(v) => v.to_string(),
        };
        facts.push(Fact {
            place: format!("{}:{line}", game.source.label),
            text: one_line(game.source.slice(expect.span)),
            expected,
            found: told(found(game, expect, budget))?,
        });
    }
    for (i, (input, output)) in game.samples.iter().enumerate() {
        let mut decider = Decider::new(Engine::Auto, budget.clone());
        let mut out = Vec::new();
        let run =
            crate::judge::run_with(game, &mut decider, input.as_bytes(), &mut out, true, budget);
        let mut out = String::from_utf8_lossy(&out).into_owned();
        // A line that is written without its end means the line all the same.
        if out.ends_with('\n') && !output.ends_with('\n') {
            out.pop();
        }
        facts.push(Fact {
            place: format!("{}, sample {}", game.source.label, i + 1),
            text: input.clone(),
            expected: output.clone(),
            found: told(run.map(|_| out))?,
        });
    }
    Ok(Report { facts })
}

/// What comes out for a fact, in its own words.
fn found(game: &Arc<Game>, expect: &Expect, budget: &Budget) -> Result<String> {
    let args = Arguments {
        source: game.source.clone(),
        list: expect.args.clone(),
    };
    let bound = bind(game, &args)?;
    let plan = Plan::new(&bound.rules, Engine::Auto, budget.clone())?;
    let doubts = plan.doubts(&bound.position);
    if let Some(error) = doubts.into_iter().find(|d| d.severity == Severity::Error) {
        return Err(Box::new(error));
    }
    Ok(match &expect.answer {
        ExpectAnswer::Value(_) => match plan.value(&bound.position)? {
            Some(value) => value.to_string(),
            None => "no Grundy value, which these rules do not have".to_owned(),
        },
        _ if plan.outcome(&bound.position)?.next_wins() => "win".to_owned(),
        _ => "lose".to_owned(),
    })
}

/// A fact that cannot be answered is one that fails; only a stop ends the check.
fn told(found: Result<String>) -> Result<String> {
    match found {
        Err(error) if error.code == Code::Interrupted => Err(error),
        Err(error) => Ok(format!("error {}: {}", error.code, error.message)),
        found => found,
    }
}

impl Fact {
    /// Whether what came out is what it says.
    pub fn holds(&self) -> bool {
        self.found == self.expected
    }
}

impl Report {
    /// Whether all facts hold.
    pub fn passed(&self) -> bool {
        self.facts.iter().all(Fact::holds)
    }

    /// The facts that fail, and how many hold, as text; lines ended.
    pub fn render(&self) -> String {
        let mut out = String::new();
        for fact in self.facts.iter().filter(|f| !f.holds()) {
            out.push_str(&format!("{}\n", fact.place));
            for (label, text) in [
                ("fact", &fact.text),
                ("expected", &fact.expected),
                ("found", &fact.found),
            ] {
                let mut lines = text.lines();
                let first = lines.next().unwrap_or("(nothing)");
                out.push_str(&format!("    {label:8}  {first}\n"));
                lines.for_each(|l| out.push_str(&format!("    {:8}  {l}\n", "")));
            }
            out.push('\n');
        }
        let failed = self.facts.iter().filter(|f| !f.holds()).count();
        let count = |n: usize, one: &str, many: &str| match n {
            1 => format!("1 fact {one}"),
            n => format!("{n} facts {many}"),
        };
        out.push_str(&match (self.facts.len() - failed, failed) {
            (held, 0) => count(held, "holds", "hold"),
            (0, failed) => count(failed, "fails", "fail"),
            (held, failed) => format!(
                "{}, {}",
                count(held, "holds", "hold"),
                count(failed, "fails", "fail")
            ),
        });
        out.push('\n');
        out
    }

    /// The report as JSON.
    pub fn to_json(&self) -> Json {
        let facts: Vec<Json> = self
            .facts
            .iter()
            .map(|f| {
                json!({
                    "place": f.place,
                    "fact": f.text,
                    "expected": f.expected,
                    "found": f.found,
                    "holds": f.holds(),
                })
            })
            .collect();
        json!({ "passed": self.passed(), "facts": facts })
    }
}
