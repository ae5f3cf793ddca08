//! Why: which theorems were asked about the rules, which applies, and the argument for a position.
//!
//! A theorem argues for itself; a sum is argued from its parts; a searched position from its options. Cost: that of the
//! answer, and for a searched position one more question an option shown.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use grundy_core::Int;
use grundy_lang::ir::{Game, Play};
use grundy_lang::value::{Pos, Position};
use grundy_theorems::{ALL, Solver};
use serde_json::{Value as Json, json};

use crate::Result;
use crate::answer::{Answer, End, parts_text};
use crate::plan::{Asked, Plan, Route};

/// An answer and its reasons.
#[derive(Clone)]
pub struct Explanation {
    /// The answer.
    pub answer: Answer,
    /// What each theorem said about the rules.
    pub asked: Vec<Asked>,
    /// Whether the plan was to ask no theorem.
    pub unasked: bool,
    /// Why the theorem that recognises the rules does not hold for this position, if so.
    pub refused: Option<String>,
    /// The argument, one paragraph an entry.
    pub argument: Vec<String>,
}

/// Parts of a sum that are argued one by one; the rest are only named.
const PARTS: usize = 4;
/// Options of a searched position that are shown.
const SHOWN: usize = 12;
/// Options of a searched position that are looked at.
const LOOK: usize = 5_000;

/// Explains the answer for a position.
pub fn explain(plan: &Plan, position: &Position, limit: usize) -> Result<Explanation> {
    let answer = plan.answer(position, limit)?;
    let asked = ALL
        .iter()
        .map(|&theorem| Asked {
            theorem,
            verdict: match theorem.recognise(plan.rules()) {
                Ok(solver) => Ok(solver.finding()),
                Err(why) => Err(why.0),
            },
        })
        .collect();
    let mut refused = None;
    if let Some((_, solver)) = plan.solver() {
        for part in &position.parts {
            if let Some(why) = solver.refuses(part, plan.budget())? {
                refused = Some(why.0);
                break;
            }
        }
    }
    let argument = match plan.solver() {
        Some((_, solver)) if answer.theorem.is_some() => by_theorem(plan, solver, &answer)?,
        _ => by_search(plan, &answer)?,
    };
    Ok(Explanation {
        answer,
        asked,
        unasked: !plan.asks(),
        refused,
        argument,
    })
}

fn by_theorem(plan: &Plan, solver: &dyn Solver, answer: &Answer) -> Result<Vec<String>> {
    let parts = &answer.position.parts;
    let budget = plan.budget();
    if let [part] = &parts[..] {
        return solver.explain(part, budget);
    }
    let shape = &answer.game().shape;
    if answer.game().play == Play::Misere {
        return by_bouton(plan, answer);
    }
    let mut out = vec![format!(
        "The position is a sum of {} parts, and a move is made in one of them. So it is worth the nim-sum (exclusive or) \
         of the Grundy values of its parts, and the player to move loses exactly when that is 0.",
        parts.len()
    )];
    let mut argued: Vec<&Pos> = Vec::new();
    let mut values = Vec::new();
    for part in parts {
        let value = solver.value(part, budget)?.unwrap_or_default();
        if !argued.contains(&part) {
            if argued.len() < PARTS {
                let why = solver.explain(part, budget)?.join(" ");
                out.push(format!(
                    "The part {} has value {value}. {why}",
                    shape.display(part)
                ));
            }
            argued.push(part);
        }
        values.push(value);
    }
    if argued.len() > PARTS {
        let rest = argued.len() - PARTS;
        out.push(format!(
            "The values of the other {rest} different parts come about in the same way."
        ));
    }
    out.push(nim_sum_line(&values));
    if let Some(m) = answer.moves.first() {
        let sum = nim_sum(&values);
        let value = &values[m.part];
        let wanted = value.bitxor(&sum);
        out.push(format!(
            "To win, make the sum 0: for example bring the part {} from value {value} to {value} ^ {sum} = {wanted} by the move {}.",
            shape.display(&m.from),
            m.text(shape)
        ));
    } else {
        out.push("Every move changes the value of one part, so it makes the sum other than 0, and the opponent can make it 0 again.".to_owned());
    }
    Ok(out)
}

/// A misère sum that a theorem answers: Nim heaps.
fn by_bouton(plan: &Plan, answer: &Answer) -> Result<Vec<String>> {
    let Route::Sum(_, sum) = plan.route(&answer.position)? else {
        return Ok(Vec::new());
    };
    let heaps = sum.values();
    let mut out = vec![
        "Every part is a Nim heap, and whoever takes the last stone loses. While some heap holds two stones or more, play \
         as if the last stone won: the player to move loses exactly when the nim-sum is 0. Once every heap holds at most \
         one, it is the other way round: the moves are forced, and the player to move loses exactly when the number of \
         heaps with one stone is odd."
            .to_owned(),
    ];
    let ones = heaps.iter().filter(|h| **h == Int::ONE).count();
    if heaps.iter().all(|h| *h <= Int::ONE) {
        out.push(format!(
            "Here every heap holds at most one, and {ones} of them one."
        ));
    } else {
        out.push(format!(
            "Here a heap holds two or more, and {}",
            nim_sum_line(heaps)
        ));
    }
    if let Some(m) = answer.moves.first() {
        let shape = &answer.game().shape;
        out.push(format!(
            "To win, move for example {} in part {}.",
            m.text(shape),
            m.part + 1
        ));
    }
    Ok(out)
}

fn nim_sum(values: &[Int]) -> Int {
    values.iter().fold(Int::ZERO, |sum, v| sum.bitxor(v))
}

fn nim_sum_line(values: &[Int]) -> String {
    let sum = nim_sum(values);
    let shown: Vec<String> = values.iter().take(16).map(Int::to_string).collect();
    let more = if values.len() > 16 { " ^ …" } else { "" };
    format!("{}{more} = {sum}.", shown.join(" ^ "))
}

/// The argument from the options of a position.
fn by_search(plan: &Plan, answer: &Answer) -> Result<Vec<String>> {
    let game: &Game = answer.game();
    let shape = &game.shape;
    let position = &answer.position;
    let convention = match game.play {
        Play::Normal => "who cannot move loses",
        Play::Misere => "who cannot move wins",
    };
    match answer.end {
        End::Decided => {
            return Ok(vec![
                "Play has ended here: an end condition of the rules holds.".to_owned(),
            ]);
        }
        End::Stuck => {
            return Ok(vec![format!("There is no move here, and {convention}.")]);
        }
        End::No => {}
    }
    let mut out = Vec::new();
    if answer.outcome.next_wins() {
        if let Some(m) = answer.moves.first() {
            let after = position.after(m.part, &m.to);
            out.push(format!(
                "The move {} wins, because it leaves {}, where the opponent loses.",
                m.text(shape),
                shape.display_position(&after)
            ));
            let there = options(plan, &after)?;
            if there.is_empty() {
                out.push(format!("There the opponent has no move, and {convention}."));
            } else {
                out.push(replies(plan, &after, &there)?);
            }
        }
    } else {
        let here = options(plan, position)?;
        out.push(replies(plan, position, &here)?);
    }
    if let Some(value) = &answer.grundy {
        let here = options(plan, position)?;
        if here.len() < LOOK {
            let mut values = BTreeSet::new();
            for (part, to) in &here {
                values.extend(plan.value(&position.after(*part, to))?);
            }
            let shown: Vec<String> = values.iter().take(24).map(Int::to_string).collect();
            let more = if values.len() > 24 { ", …" } else { "" };
            out.push(format!(
                "The options have the Grundy values {{{}{more}}}, and the least natural number that is missing there is {value}.",
                shown.join(", ")
            ));
        }
    }
    Ok(out)
}

/// The different options of a position, [`LOOK`] at most.
fn options(plan: &Plan, position: &Position) -> Result<Vec<(usize, Vec<Pos>)>> {
    let mut machine = plan.rules().machine_with(plan.budget().clone());
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for (i, part) in position.parts.iter().enumerate() {
        if machine.end(part)?.is_some() {
            return Ok(Vec::new());
        }
        let _ = machine.options(part, &mut |opt| {
            if seen.insert((part.clone(), opt.parts.to_vec())) {
                out.push((i, opt.parts.to_vec()));
            }
            if out.len() < LOOK {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
    }
    Ok(out)
}

/// Why a position with these options is lost: the answer to each of them.
fn replies(plan: &Plan, position: &Position, options: &[(usize, Vec<Pos>)]) -> Result<String> {
    let shape = &plan.rules().game().shape;
    let name = |parts: &Position| shape.display_position(parts);
    let mut out = format!("From {} there ", name(position));
    out.push_str(&match options.len() {
        0 => return Ok(format!("At {} play has ended.", name(position))),
        1 => "is 1 option, and it is".to_owned(),
        n if n >= LOOK => format!("are more than {LOOK} options, and all are"),
        n => format!("are {n} options, and all are"),
    });
    out.push_str(" won by whoever moves next:");
    for (part, to) in options.iter().take(SHOWN) {
        let after = position.after(*part, to);
        let (reply, _) = plan.moves(&after, 1)?;
        out.push_str(&format!(" {}", name(&after)));
        match reply.first() {
            Some(reply) => out.push_str(&format!(
                " is answered by {};",
                if after.parts.len() > 1 {
                    reply.text(shape)
                } else {
                    parts_text(shape, &reply.to)
                }
            )),
            None => out.push_str(" has no move left, which wins here;"),
        }
    }
    if options.len() > SHOWN {
        out.push_str(" and so on.");
    } else {
        out.pop();
        out.push('.');
    }
    Ok(out)
}

impl Explanation {
    /// The answer's JSON with `theorems` and `argument`.
    pub fn to_json(&self) -> Json {
        let mut out = self.answer.to_json();
        out["theorems"] = self
            .asked
            .iter()
            .map(|a| {
                let (applies, why) = match &a.verdict {
                    Ok(finding) => (true, finding),
                    Err(why) => (false, why),
                };
                json!({
                    "name": a.theorem.name(),
                    "title": a.theorem.title(),
                    "source": a.theorem.source(),
                    "applies": applies,
                    "why": why,
                })
            })
            .collect();
        out["argument"] = self
            .argument
            .iter()
            .map(|s| Json::from(s.as_str()))
            .collect();
        out
    }
}
