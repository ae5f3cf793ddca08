//! Tables of positions of one to four counters.
//!
//! The counters are the names that are left open. Where a theorem answers, or the counters are not those of the position
//! itself, every cell is a question of its own to one plan, which keeps what it knows; the cost is that of the questions, in
//! order of the counters, so that a search meets small positions first. Other tables are filled cell by cell (see
//! `dense`).

use std::io::{self, Write};
use std::sync::Arc;

use grundy_core::{Budget, Claim, Int, Outcome};
use grundy_lang::bind::{Arguments, finish, usage, values};
use grundy_lang::diag::{Code, Diagnostic, Severity, Source};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{CompareOp, Expr, ExprKind, Game, Literal, Play, Type, Var};
use grundy_lang::linear::terminate;
use grundy_lang::value::Value;
use serde_json::{Value as Json, json};

use crate::Result;
use crate::answer::int_json;
use crate::dense::{self, By, Dense};
use crate::format::called;
use crate::plan::{Engine, Hook, Plan};
use crate::sequence::decimal;

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// The game's name.
    pub game: String,
    /// The names of the counters.
    pub axes: Vec<String>,
    /// The largest value of each counter; all start from 0.
    pub to: Vec<u64>,
    pub(crate) store: Store,
    /// The theorem or engine.
    pub method: String,
    /// How it is known.
    pub claim: Claim,
    /// Who computed the values, if the outcomes are from a theorem and they are not.
    pub values_by: Option<&'static str>,
    /// Whether values were left out because the table is too large to search them.
    pub values_left_out: bool,
}

/// The cells of a table, the last counter fastest.
#[derive(Clone, Debug)]
pub(crate) enum Store {
    /// One by one; `None` where the game has no such position.
    Listed(Vec<Option<Cell>>),
    /// In an array, and which of them are positions of the game, if not all are.
    Dense(Arc<Dense>, Option<Vec<bool>>),
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
/// A small counter.
const SMALL: u64 = 5;
/// The most cells of a table whose cells are questions of their own.
const CELLS: u64 = 100_000_000;
/// The most counters of a table.
pub const MOST: usize = 4;

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
    if needed.len() > MOST {
        let message = format!(
            "a table has at most {MOST} counters, and {} are open: {}",
            names.len(),
            names.join(", ")
        );
        let error = wrong(Code::BadArgument, message);
        return Err(Box::new(error.help("fix some of them with NAME=VALUE")));
    }
    let to: Vec<u64> = match (to, needed.len()) {
        ([n], counters) => vec![*n; counters],
        (to, n) if to.len() == n => to.to_vec(),
        (to, n) => {
            let counters = if n == 1 {
                "the counter"
            } else {
                "the counters"
            };
            let message = format!(
                "--to has {} bounds, but the table has {counters} {}",
                to.len(),
                names.join(", ")
            );
            let help = format!("give one bound, as in `--to {}`, or one for each", to[0]);
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

/// The largest number whose power is at most n.
fn root(n: u64, power: u32) -> u64 {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = high - (high - low) / 2;
        if middle.checked_pow(power).is_some_and(|p| p <= n) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
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
    let axes = axes(game, args, to)?;
    let size = axes
        .to
        .iter()
        .try_fold(1u64, |size, n| size.checked_mul(n.checked_add(1)?));
    let mut table = Table {
        game: game.name.clone(),
        axes: axes
            .slots
            .iter()
            .map(|&s| game.vars[s].name.clone())
            .collect(),
        to: axes.to.clone(),
        store: Store::Listed(Vec::new()),
        method: "search".to_owned(),
        claim: Claim::Proved,
        values_by: None,
        values_left_out: false,
    };
    let planned = |rules: &Rules| -> Result<Plan> {
        let plan = Plan::new(rules, engine, budget.clone())?;
        Ok(match hook {
            Some(hook) => plan.report(hook.clone()),
            None => plan,
        })
    };
    let mut plan: Option<Plan> = None;
    let by = match engine {
        Engine::Rays => Some(By::Rays),
        Engine::Jit => Some(By::Jit),
        Engine::Interpret => Some(By::Interpret),
        // What a theorem knows is better known so.
        Engine::Auto => {
            let rules = Rules::new(game.clone(), axes.base.clone());
            let first = plan.insert(planned(&rules)?);
            (!by_theorem(first, &axes, size, &args.source)?).then_some(By::Auto)
        }
        Engine::Search | Engine::Theorem(_) => None,
    };
    // A theorem vouches for rules that it has taken.
    let vouched = matches!(engine, Engine::Theorem(_))
        || plan.as_ref().is_some_and(|plan| plan.solver().is_some());
    if !vouched && let Ok(bound) = finish(game, with_counters(game, &axes, &axes.to), &args.source)
    {
        let doubts = terminate::diagnostics_from(&bound.rules, &bound.position);
        if let Some(error) = doubts.into_iter().find(|d| d.severity == Severity::Error) {
            return Err(Box::new(error));
        }
    }
    let fill = |by| -> Result<Option<(Dense, Option<Vec<bool>>)>> {
        let source = &args.source;
        // What is too large is refused before its cells are listed.
        let exist = match size {
            Some(n) if n <= budget.memory() => existing(game, &axes, source, budget)?,
            _ => None,
        };
        let dense = dense::table(game, &axes, exist.as_deref(), by, source, budget, hook)?;
        Ok(dense.map(|dense| (dense, exist)))
    };
    if let Some(by) = by
        && let Some((dense, exist)) = fill(by)?
    {
        (table.method, table.claim) = (dense.by.to_owned(), Claim::Computed);
        table.store = Store::Dense(Arc::new(dense), exist);
        return Ok(table);
    }
    if size.is_none_or(|n| n > CELLS) {
        let message = format!(
            "the table would have more than {CELLS} cells, and they would be answered one by one"
        );
        let error = Diagnostic::error(Code::TooLarge, &args.source, message);
        let error = error.note(format!("usage of the game: {}", usage(game)));
        let each = root(CELLS, axes.to.len() as u32) - 1;
        return Err(Box::new(error.help(match &axes.to[..] {
            [_] => format!("the largest counter may be {each}"),
            _ => format!("with the same for each counter, the largest may be {each}"),
        })));
    }
    let mut cells = Vec::new();
    // The values beside a theorem's outcomes, once they are asked for, if they can be had so.
    let mut computed: Option<Option<Dense>> = None;
    let mut answered = false;
    let mut at = vec![0u64; axes.to.len()];
    loop {
        let values = with_counters(game, &axes, &at);
        let cell = match finish(game, values, &args.source) {
            Ok(bound) => {
                let current = match plan.take() {
                    Some(plan) if plan.serves(&bound.rules) => plan,
                    _ => planned(&bound.rules)?,
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
                            if computed.is_none() {
                                let dense = fill(By::Auto)?.map(|(dense, _)| dense);
                                computed = Some(dense.filter(Dense::by_value));
                            }
                            let (by, value) = match computed.as_ref().and_then(Option::as_ref) {
                                Some(dense) => (dense.by, dense.cell(&at).grundy),
                                None => ("search", current.searched_value(&bound.position)?),
                            };
                            if value.is_some() {
                                table.values_by = Some(by);
                            }
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
        cells.push(cell);
        if !next(&mut at, &axes.to) {
            table.store = Store::Listed(cells);
            return Ok(table);
        }
    }
}

/// Whether a theorem answers for the cells of a table. Of a large one only if it gives values where there are any, and if they
/// are not had for less by filling the table: to ask for a position takes the time of some hundred options.
fn by_theorem(plan: &Plan, axes: &Axes, size: Option<u64>, source: &Arc<Source>) -> Result<bool> {
    let game = plan.rules().game();
    if plan.solver().is_none() {
        return Ok(false);
    }
    if size.is_some_and(|n| n <= SEARCHED) || game.play == Play::Misere || !game.ends.is_empty() {
        return Ok(true);
    }
    // Whether it gives values is seen from one; a large one may take it long.
    let gives = |at: &[u64]| -> Result<bool> {
        let bound = finish(game, with_counters(game, axes, at), source);
        bound.map_or(Ok(true), |bound| Ok(plan.value(&bound.position)?.is_some()))
    };
    let small: Vec<u64> = axes.to.iter().map(|&to| to.min(SMALL)).collect();
    Ok(!dense::is_cheap(game, axes) && gives(&small)? && gives(&axes.to)?)
}

/// Whether a cell can be a position of the game and another not.
pub(crate) fn requires_vary(game: &Game, axes: &Axes) -> bool {
    game.requires.iter().any(|check| {
        let mut slots = check.condition.slots().into_iter();
        !natural(&check.condition) && slots.any(|slot| axes.slots.contains(&slot))
    })
}

/// Which cells are positions of the game; `None` if all are.
fn existing(
    game: &Arc<Game>,
    axes: &Axes,
    source: &Arc<Source>,
    budget: &Budget,
) -> Result<Option<Vec<bool>>> {
    if !requires_vary(game, axes) {
        // The same holds of all.
        let first = finish(game, axes.base.clone(), source);
        let size: u64 = axes.to.iter().map(|n| n + 1).product();
        return match first {
            Ok(_) => Ok(None),
            Err(error) if error.code == Code::Requirement => Ok(Some(vec![false; size as usize])),
            Err(error) => Err(error),
        };
    }
    let mut exist = Vec::new();
    let mut at = vec![0u64; axes.to.len()];
    loop {
        match finish(game, with_counters(game, axes, &at), source) {
            Ok(_) => exist.push(true),
            Err(error) if error.code == Code::Requirement => exist.push(false),
            Err(error) => return Err(error),
        }
        if exist.len().is_multiple_of(1 << 12) && budget.stopped() {
            let message = "stopped while the positions of a table were looked at";
            let error = Diagnostic::error(Code::Interrupted, source, message);
            return Err(Box::new(error));
        }
        if !next(&mut at, &axes.to) {
            return Ok(Some(exist));
        }
    }
}

/// Whether a requirement holds of all natural numbers at first sight: that some are at least 0.
fn natural(condition: &Expr) -> bool {
    match &condition.kind {
        ExprKind::And(all) => all.iter().all(natural),
        ExprKind::Compare(CompareOp::Ge, name, zero) => {
            matches!(name.kind, ExprKind::Slot(_))
                && matches!(&zero.kind, ExprKind::Int(v) if v.is_zero())
        }
        _ => false,
    }
}

/// The values of all variables with these counters.
fn with_counters(game: &Game, axes: &Axes, at: &[u64]) -> Vec<Value> {
    let mut values = axes.base.clone();
    for (&slot, &n) in axes.slots.iter().zip(at) {
        let n = Value::Int(Int::from(n));
        values[slot] = if game.vars[slot].part {
            Value::seq([n])
        } else {
            n
        };
    }
    values
}

/// Goes on to the next cell, the last counter fastest; false behind the last, and then it is the first again.
pub fn next(at: &mut [u64], to: &[u64]) -> bool {
    for (a, &to) in at.iter_mut().zip(to).rev() {
        if *a < to {
            *a += 1;
            return true;
        }
        *a = 0;
    }
    false
}

/// The Grundy values of all cells of a table, the last counter fastest.
pub(crate) enum Values {
    Listed(Vec<u64>),
    /// With the greatest values of the counters.
    Dense(Arc<Dense>, Vec<u64>),
}

impl Values {
    /// Bytes that are enough for each.
    pub fn width(&self) -> u64 {
        match self {
            Values::Listed(_) => 8,
            Values::Dense(dense, _) => dense.width(),
        }
    }

    /// Those of some cells.
    pub fn range(&self, cells: std::ops::Range<usize>) -> Vec<u64> {
        match self {
            Values::Listed(values) => values[cells].to_vec(),
            Values::Dense(dense, to) => {
                let mut at = vec![0; to.len()];
                let mut first = cells.start as u64;
                for (a, to) in at.iter_mut().zip(to).rev() {
                    (first, *a) = (first / (to + 1), first % (to + 1));
                }
                let mut out = Vec::with_capacity(cells.len());
                let last = to.len() - 1;
                while out.len() < cells.len() {
                    let left = (cells.len() - out.len()) as u64;
                    let count = left.min(to[last] + 1 - at[last]);
                    dense.run(&at, count, &mut out);
                    at[last] += count - 1;
                    next(&mut at, to);
                }
                out
            }
        }
    }
}

impl Table {
    /// The number of cells.
    pub fn size(&self) -> u64 {
        match &self.store {
            Store::Listed(cells) => cells.len() as u64,
            Store::Dense(..) => self.to.iter().map(|n| n + 1).product(),
        }
    }

    /// The counters of each cell and the cell, the last counter fastest; `None` where the game has no such position.
    pub fn cells(&self) -> impl Iterator<Item = (Vec<u64>, Option<Cell>)> + '_ {
        let mut at = vec![0; self.to.len()];
        (0..self.size() as usize).map(move |i| {
            let here = at.clone();
            next(&mut at, &self.to);
            let cell = match &self.store {
                Store::Listed(cells) => cells[i].clone(),
                Store::Dense(dense, exist) => {
                    let exists = exist.as_ref().is_none_or(|exist| exist[i]);
                    exists.then(|| dense.cell(&here))
                }
            };
            (here, cell)
        })
    }

    /// The Grundy values of all cells; `None` if one has none, or one past 64 bits.
    pub(crate) fn values(&self) -> Option<Values> {
        match &self.store {
            Store::Dense(dense, None) => dense
                .by_value()
                .then(|| Values::Dense(dense.clone(), self.to.clone())),
            _ => {
                let values = self.cells().map(|(_, cell)| cell?.grundy?.to_u64());
                Some(Values::Listed(values.collect::<Option<_>>()?))
            }
        }
    }

    /// Whether there are Grundy values.
    pub fn by_value(&self) -> bool {
        match &self.store {
            Store::Listed(cells) => cells.iter().flatten().any(|c| c.grundy.is_some()),
            Store::Dense(dense, _) => dense.by_value(),
        }
    }

    /// One line a position: the counters, the Grundy value if known, the outcome.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{},grundy,outcome", self.axes.join(","))?;
        let mut text = String::new();
        for (at, cell) in self.cells() {
            let Some(cell) = cell else { continue };
            for a in at {
                decimal(a, &mut text);
                text.push(',');
            }
            if let Some(value) = &cell.grundy {
                // A string takes what is written.
                let _ = std::fmt::Write::write_fmt(&mut text, format_args!("{value}"));
            }
            text.push(',');
            text.push_str(if cell.outcome.next_wins() {
                "N\n"
            } else {
                "P\n"
            });
            if text.len() > 1 << 16 {
                out.write_all(text.as_bytes())?;
                text.clear();
            }
        }
        out.write_all(text.as_bytes())
    }

    /// `game`, `axes`, `to`, `method` and `claim`: what is said before the cells.
    pub fn heading(&self) -> Json {
        json!({
            "game": self.game,
            "axes": self.axes,
            "to": self.to,
            "method": self.method,
            "claim": self.claim.to_string(),
            "values_searched": self.values_by.is_some(),
        })
    }

    /// The heading, `warnings`, and `cells`, each with its counters, `grundy` and `outcome`; laid out for reading, cell by
    /// cell.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_json(&self, warnings: Json, out: &mut dyn Write) -> io::Result<()> {
        open_list(self.heading(), warnings, "cells", out)?;
        let (mut text, mut between) = (String::new(), "\n");
        for (at, cell) in self.cells() {
            let Some(cell) = cell else { continue };
            text.push_str(between);
            between = ",\n";
            text.push_str("    {\"at\": [");
            for (i, a) in at.iter().enumerate() {
                if i > 0 {
                    text.push_str(", ");
                }
                decimal(*a, &mut text);
            }
            let grundy = cell.grundy.as_ref().map_or(Json::Null, int_json);
            let outcome = cell.outcome;
            // A string takes what is written.
            let _ = std::fmt::Write::write_fmt(
                &mut text,
                format_args!("], \"grundy\": {grundy}, \"outcome\": \"{outcome}\"}}"),
            );
            if text.len() > 1 << 16 {
                out.write_all(text.as_bytes())?;
                text.clear();
            }
        }
        out.write_all(text.as_bytes())?;
        writeln!(out, "\n  ]\n}}")
    }
}

/// Opens a JSON object that says `heading` and `warnings` and then lists something under a last key; `]` and `}` are left to
/// whoever writes the list.
///
/// # Errors
/// If it cannot be written.
pub fn open_list(
    mut heading: Json,
    warnings: Json,
    key: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    heading["warnings"] = warnings;
    writeln!(out, "{{")?;
    for (key, value) in heading.as_object().into_iter().flatten() {
        writeln!(out, "  \"{key}\": {value},")?;
    }
    write!(out, "  \"{key}\": [")
}

/// What a file in columns says of what is in it.
pub(crate) fn about(
    game: &Game,
    arguments: &str,
    (method, claim): (&str, Claim),
) -> Vec<(&'static str, String)> {
    let mut about = vec![
        ("game", game.name.clone()),
        ("rules", game.source.text.trim().to_owned()),
    ];
    if !arguments.is_empty() {
        about.push(("arguments", arguments.to_owned()));
    }
    about.extend([
        ("method", method.to_owned()),
        ("claim", claim.to_string()),
        ("version", format!("grundy {}", env!("CARGO_PKG_VERSION"))),
    ]);
    about
}
