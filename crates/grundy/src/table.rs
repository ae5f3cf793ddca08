//! Tables of positions of one or two counters.
//!
//! The counters are the names that are left open; every cell is a question of its own to one plan, which keeps what it
//! knows. Cost: that of the questions, in order of the counters, so that a search meets small positions first.

use std::sync::Arc;

use grundy_core::{Budget, Claim, Int, Outcome};
use grundy_lang::bind::{Arguments, finish, usage, values};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::ir::{Game, Literal, Type, Var};
use grundy_lang::value::Value;
use serde_json::{Value as Json, json};

use crate::Result;
use crate::answer::int_json;
use crate::format::called;
use crate::plan::{Engine, Hook, Plan};

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// The game's name.
    pub game: String,
    /// The names of the counters.
    pub axes: Vec<String>,
    /// The largest value of each counter; all start from 0.
    pub to: Vec<u64>,
    /// A cell for each position, the last counter fastest; `None` where the game has no such position.
    pub cells: Vec<Option<Cell>>,
    /// The theorem or engine.
    pub method: String,
    /// How it is known.
    pub claim: Claim,
    /// Whether the values are from search, although the outcomes are from a theorem.
    pub values_searched: bool,
    /// Whether values were left out because the table is too large to search them.
    pub values_left_out: bool,
}

/// What is known of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Who wins.
    pub outcome: Outcome,
    /// The Grundy value, where values are defined and known.
    pub grundy: Option<Int>,
}

/// The most cells for which values are searched that a theorem does not give.
const SEARCHED: u64 = 100_000;
/// The most cells of a table.
const CELLS: u64 = 100_000_000;

/// The counters of a table, and what stands for all else.
pub(crate) struct Axes {
    /// Which of the game's variables they are.
    pub slots: Vec<usize>,
    /// The largest value of each.
    pub to: Vec<u64>,
    /// Values of all variables, the counters 0.
    pub base: Vec<Value>,
}

/// A value for a variable as the command line takes it: that of the game's first fact which names it, or one of its type.
fn example(game: &Game, var: &Var) -> String {
    let head = format!("{}=", var.name);
    for fact in &game.expects {
        let text = game.source.slice(fact.span);
        let text = text.split("->").next().unwrap_or(text);
        let mut at = text.match_indices(&head).map(|(at, _)| at);
        // Not the end of another name.
        if let Some(at) = at.find(|at| text[..*at].ends_with(char::is_whitespace)) {
            let (mut depth, mut end) = (0, text.len());
            for (i, c) in text[at..].char_indices() {
                match c {
                    '[' | '(' | '{' => depth += 1,
                    ']' | ')' | '}' => depth -= 1,
                    c if c.is_whitespace() && depth == 0 => {
                        end = at + i;
                        break;
                    }
                    _ => {}
                }
            }
            return text[at..end].replace(char::is_whitespace, "");
        }
    }
    fn of(ty: &Type) -> &'static str {
        match ty {
            Type::List(member) if **member == Type::Char => "text",
            Type::List(member) if matches!(**member, Type::List(_)) => "[[1,2],[]]",
            _ => "[1,2]",
        }
    }
    head + of(&var.ty)
}

/// The counters that `args` leaves open.
pub(crate) fn axes(game: &Arc<Game>, args: &Arguments, to: &[u64]) -> Result<Axes> {
    let wrong = |code, message: String| {
        let error = Diagnostic::error(code, &args.source, message);
        error.note(format!("usage of the game: {}", usage(game)))
    };
    if args.list.iter().any(|(name, _)| name.is_none()) {
        let error = wrong(
            Code::BadArgument,
            "a table takes its arguments by name".to_owned(),
        );
        return Err(Box::new(error.help(
            "write NAME=VALUE for what is fixed; what is left open is tabulated",
        )));
    }
    let counts = |v: &Var| v.ty == Type::Int && (v.part || v.in_rules || v.in_start);
    if !game.vars.iter().any(counts) {
        let message = format!(
            "{} has no counter that a table could run over",
            called(game)
        );
        let help = "`grundy solve` and `grundy explain` answer for one position";
        return Err(Box::new(wrong(Code::BadArgument, message).help(help)));
    }
    let open: Vec<usize> = (0..game.vars.len())
        .filter(|s| {
            !args
                .list
                .iter()
                .any(|(n, _)| n.as_ref() == Some(&game.vars[*s].name))
        })
        .filter(|s| game.vars[*s].ty == Type::Int)
        .collect();
    let missing = game.vars.iter().enumerate().find(|(slot, var)| {
        var.ty != Type::Int
            && !args
                .list
                .iter()
                .any(|(n, _)| n.as_ref() == Some(&game.vars[*slot].name))
    });
    if let Some((_, var)) = missing {
        let message = format!("`{}` is not given, and it is no counter", var.name);
        let error = wrong(Code::BadArgument, message);
        return Err(Box::new(
            error.help(format!("fix it by name, as in `{}`", example(game, var))),
        ));
    }
    // What is only a length or a count follows from the rest.
    let mut with_zeros = args.clone();
    let needed: Vec<usize> = open
        .iter()
        .copied()
        .filter(|s| counts(&game.vars[*s]))
        .collect();
    let names: Vec<&str> = needed.iter().map(|s| game.vars[*s].name.as_str()).collect();
    if needed.is_empty() {
        let error = wrong(
            Code::BadArgument,
            "no counter is left open to tabulate".to_owned(),
        );
        let help = "leave out the value of the counter that `--to` bounds";
        return Err(Box::new(error.help(help)));
    }
    if needed.len() > 2 {
        let message = format!(
            "a table has one or two counters, and {} are open: {}",
            names.len(),
            names.join(", ")
        );
        let error = wrong(Code::BadArgument, message);
        return Err(Box::new(
            error.help("fix all but one or two of them with NAME=VALUE"),
        ));
    }
    let to: Vec<u64> = match (to, needed.len()) {
        ([n], 2) => vec![*n, *n],
        (to, n) if to.len() == n => to.to_vec(),
        (to, _) => {
            let message = format!(
                "--to has {} bounds, but the table has the one counter {}",
                to.len(),
                names[0]
            );
            let help = format!("give one bound, as in `--to {}`", to[0]);
            return Err(Box::new(wrong(Code::ValueCount, message).help(help)));
        }
    };
    for &slot in &needed {
        let span = Default::default();
        let zero = Literal::Int(Int::ZERO, span);
        with_zeros
            .list
            .push((Some(game.vars[slot].name.clone()), zero));
    }
    let base = values(game, &with_zeros)?;
    Ok(Axes {
        slots: needed,
        to,
        base,
    })
}

/// Tabulates a game over the counters that `args` leaves open.
pub fn table(
    game: &Arc<Game>,
    args: &Arguments,
    to: &[u64],
    engine: Engine,
    budget: &Budget,
    hook: Option<&Hook>,
) -> Result<Table> {
    let Axes {
        slots: needed,
        to,
        base,
    } = axes(game, args, to)?;
    let size = to
        .iter()
        .try_fold(1u64, |size, n| size.checked_mul(n.checked_add(1)?));
    if size.is_none_or(|n| n > CELLS) {
        let message = format!("a table of more than {CELLS} cells");
        let error = Diagnostic::error(Code::TooLarge, &args.source, message);
        return Err(Box::new(
            error.note(format!("usage of the game: {}", usage(game))),
        ));
    }
    let mut table = Table {
        game: game.name.clone(),
        axes: needed.iter().map(|&s| game.vars[s].name.clone()).collect(),
        to,
        cells: Vec::new(),
        method: "search".to_owned(),
        claim: Claim::Proved,
        values_searched: false,
        values_left_out: false,
    };
    let mut answered = false;
    let mut plan: Option<Plan> = None;
    let mut at = vec![0u64; needed.len()];
    loop {
        let mut values = base.clone();
        for (&slot, &n) in needed.iter().zip(&at) {
            let n = Value::Int(Int::from(n));
            values[slot] = if game.vars[slot].part {
                Value::seq([n])
            } else {
                n
            };
        }
        let cell = match finish(game, values, &args.source) {
            Ok(bound) => {
                let current = match plan.take() {
                    Some(plan) if plan.serves(&bound.rules) => plan,
                    _ => {
                        let plan = Plan::new(&bound.rules, engine, budget.clone())?;
                        match hook {
                            Some(hook) => plan.report(hook.clone()),
                            None => plan,
                        }
                    }
                };
                let (method, claim) = current.method(&bound.position)?;
                if claim < table.claim || !answered {
                    (table.method, table.claim) = (method.to_owned(), claim);
                }
                answered = true;
                let cell = Cell {
                    outcome: current.outcome(&bound.position)?,
                    grundy: match current.value(&bound.position)? {
                        None if claim == Claim::Proved && size.is_some_and(|n| n <= SEARCHED) => {
                            let value = current.searched_value(&bound.position)?;
                            table.values_searched |= value.is_some();
                            value
                        }
                        None if claim == Claim::Proved => {
                            table.values_left_out = true;
                            None
                        }
                        value => value,
                    },
                };
                plan = Some(current);
                Some(cell)
            }
            Err(error) if error.code == Code::Requirement => None,
            Err(error) => return Err(error),
        };
        table.cells.push(cell);
        let mut axis = at.len();
        loop {
            if axis == 0 {
                return Ok(table);
            }
            axis -= 1;
            if at[axis] < table.to[axis] {
                at[axis] += 1;
                break;
            }
            at[axis] = 0;
        }
    }
}

impl Table {
    /// The counters of each cell, in order.
    pub fn places(&self) -> impl Iterator<Item = Vec<u64>> + '_ {
        let widths: Vec<u64> = self.to.iter().map(|n| n + 1).collect();
        (0..self.cells.len() as u64).map(move |mut i| {
            let mut at = vec![0; widths.len()];
            for (a, w) in at.iter_mut().zip(&widths).rev() {
                *a = i % w;
                i /= w;
            }
            at
        })
    }

    /// One line a position: the counters, the Grundy value if known, the outcome.
    pub fn to_csv(&self) -> String {
        let mut out = format!("{},grundy,outcome\n", self.axes.join(","));
        for (at, cell) in self.places().zip(&self.cells) {
            let Some(cell) = cell else { continue };
            for a in at {
                out.push_str(&a.to_string());
                out.push(',');
            }
            if let Some(value) = &cell.grundy {
                out.push_str(&value.to_string());
            }
            out.push_str(&format!(",{}\n", cell.outcome));
        }
        out
    }

    /// `game`, `axes`, `to`, `method`, `claim`, and `cells`, each with its counters, `grundy` and `outcome`.
    pub fn to_json(&self) -> Json {
        let cells: Vec<Json> = self
            .places()
            .zip(&self.cells)
            .filter_map(|(at, cell)| {
                let cell = cell.as_ref()?;
                Some(json!({
                    "at": at,
                    "grundy": cell.grundy.as_ref().map(int_json),
                    "outcome": cell.outcome.to_string(),
                }))
            })
            .collect();
        json!({
            "game": self.game,
            "axes": self.axes,
            "to": self.to,
            "method": self.method,
            "claim": self.claim.to_string(),
            "values_searched": self.values_searched,
            "cells": cells,
        })
    }
}
