//! The moves of a game whose parts are a fixed number of counters, as integer constraints over the counters and
//! quantifiers.
//!
//! A move rule becomes one or more cases: a conjunction of `p >= 0` and the counters that it leaves. `or` in a guard
//! makes several cases of it. Whether members are named `n` or `(a, b)`, and whether a bound stands in the range or in
//! a guard, is not to be seen in a case.

use std::collections::hash_map::Entry;

use grundy_lang::interp::Rules;
use grundy_lang::ir::{Clause, Domain, Expr, ExprKind, Move, Parts, Pattern, Shape, Type};

use crate::WhyNot;
use crate::terms::{All, Any, Env, Poly, Reader, SIGNED, conjunction};

/// The most conditions of one case. Each clause builds its cases anew, so that a rule costs their square.
const MOST_CONDITIONS: usize = 300;

/// One way to move: where all constraints hold, the counters become `result`.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The rule it comes from, an index into the game's moves.
    pub rule: usize,
    /// Each is at least 0.
    pub constraints: All,
    /// What the counters become; a move that would make one negative is none.
    pub result: Vec<Poly>,
    /// How many quantifiers there are: variables `SIGNED`, `SIGNED + 1`, ….
    pub quantifiers: usize,
    /// Whether the rule is tried for every order of an unordered pair.
    pub every_order: bool,
}

/// The number of counters of a part, if it has nothing else: `n`, `(a, b)`, `((a, b), c)` and, if `unordered`, `{a,
/// b}`.
fn width(shape: &Shape, unordered: bool) -> Option<usize> {
    match shape {
        Shape::Int => Some(1),
        Shape::Tuple(members) => members.iter().map(|m| width(m, false)).sum(),
        Shape::Unordered(n, member) if unordered && **member == Shape::Int => Some(*n),
        _ => None,
    }
}

/// All cases of all moves, variables `0..width` being the counters in the order of a part's words.
pub(crate) fn cases(rules: &Rules, unordered: bool) -> Result<(usize, Vec<Case>), WhyNot> {
    let game = rules.game();
    let Some(width) = width(&game.shape, unordered) else {
        return Err(WhyNot::new("a part is not a fixed number of counters"));
    };
    if !game.ends.is_empty() {
        return Err(WhyNot::new("play can end by `win if` or `lose if`"));
    }
    let mut out = Vec::new();
    for (rule, m) in game.moves.iter().enumerate() {
        of_move(rules, rule, m, &mut out)?;
    }
    Ok((width, out))
}

fn of_move(rules: &Rules, rule: usize, m: &Move, out: &mut Vec<Case>) -> Result<(), WhyNot> {
    let game = rules.game();
    let text = || format!("`{}`", game.source.slice(m.span).trim());
    let mut reader = Reader {
        rules,
        env: Env::default(),
    };
    let mut next = 0;
    let every_order = match &m.pattern {
        Pattern::Unordered {
            members,
            every_order,
        } => {
            for member in members {
                bind(rules, member, &mut reader.env, &mut next)?;
            }
            *every_order
        }
        pattern => {
            bind(rules, pattern, &mut reader.env, &mut next)?;
            false
        }
    };
    let mut when: Any = vec![All::new()];
    let mut quantifiers = 0;
    for clause in &m.clauses {
        let more = match clause {
            Clause::If(condition) => reader.condition(condition, false)?,
            Clause::For { slots, domain } => {
                let (&[slot], Domain::Range(lo, hi)) = (slots.as_slice(), domain) else {
                    return Err(WhyNot::new(format!(
                        "{} takes from a list of numbers",
                        text()
                    )));
                };
                let q = Poly::var(SIGNED + quantifiers);
                quantifiers += 1;
                let bounds = reader.between(&q, lo, hi)?;
                match reader.env.entry(slot) {
                    Entry::Occupied(_) => {
                        return Err(WhyNot::new(format!("{} binds a name twice", text())));
                    }
                    Entry::Vacant(place) => place.insert(q),
                };
                vec![bounds]
            }
        };
        when = conjunction(&when, &more);
        if when.len() > 64 {
            return Err(WhyNot::new(format!("{} has too many alternatives", text())));
        }
        if when.iter().any(|all| all.len() > MOST_CONDITIONS) {
            return Err(WhyNot::new(format!(
                "a rule has more than {MOST_CONDITIONS} conditions"
            )));
        }
    }
    let Parts::Each(parts) = &m.parts else {
        return Err(WhyNot::new(format!(
            "{} leaves a varying number of parts",
            text()
        )));
    };
    let [part] = parts.as_slice() else {
        return Err(WhyNot::new(format!(
            "{} leaves {} parts",
            text(),
            parts.len()
        )));
    };
    let mut result = Vec::new();
    flatten(&reader, part, &mut result)?;
    if result.len() != next {
        return Err(WhyNot::new(format!(
            "{} is not one counter for each counter",
            text()
        )));
    }
    for constraints in when {
        out.push(Case {
            rule,
            constraints,
            result: result.clone(),
            quantifiers,
            every_order,
        });
    }
    Ok(())
}

fn bind(rules: &Rules, pattern: &Pattern, env: &mut Env, next: &mut usize) -> Result<(), WhyNot> {
    match pattern {
        Pattern::Bind(slot) if rules.game().slots[*slot].ty == Type::Int => {
            env.insert(*slot, Poly::var(*next));
            *next += 1;
            Ok(())
        }
        Pattern::Tuple(members) => members
            .iter()
            .try_for_each(|member| bind(rules, member, env, next)),
        _ => Err(WhyNot::new("a pattern does not name every counter")),
    }
}

fn flatten(reader: &Reader<'_>, e: &Expr, out: &mut Vec<Poly>) -> Result<(), WhyNot> {
    match &e.kind {
        ExprKind::Tuple(members) => members.iter().try_for_each(|m| flatten(reader, m, out)),
        _ => {
            out.push(reader.int(e)?);
            Ok(())
        }
    }
}

/// A case in which one counter moves through an interval and the others stay: `lower ≤ new ≤ upper`, each bound in
/// turn, wherever the guards hold.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    /// The rule it comes from.
    pub rule: usize,
    /// The new value is at least each of these (and at least 0).
    pub lower: Vec<Poly>,
    /// The new value is at most each of these.
    pub upper: Vec<Poly>,
    /// What must hold, each at least 0.
    pub guards: All,
}

/// The cases as intervals of the one counter that moves, and which counter it is.
pub(crate) fn intervals(rules: &Rules) -> Result<(usize, Vec<Interval>), WhyNot> {
    let (width, cases) = cases(rules, false)?;
    if cases.is_empty() {
        return Err(WhyNot::new("there is no move"));
    }
    let moving: Vec<usize> = (0..width)
        .filter(|&i| cases.iter().any(|c| c.result[i] != Poly::var(i)))
        .collect();
    let x = match moving.as_slice() {
        [x] => *x,
        [] => return Err(WhyNot::new("no counter moves")),
        _ => return Err(WhyNot::new("more than one counter moves")),
    };
    let intervals = cases
        .into_iter()
        .map(|case| interval(rules, case, x))
        .collect::<Result<_, _>>()?;
    Ok((x, intervals))
}

fn interval(rules: &Rules, case: Case, x: usize) -> Result<Interval, WhyNot> {
    let game = rules.game();
    let text = || format!("`{}`", game.source.slice(game.moves[case.rule].span).trim());
    let mut out = Interval {
        rule: case.rule,
        lower: Vec::new(),
        upper: Vec::new(),
        guards: All::new(),
    };
    let new = &case.result[x];
    if case.quantifiers == 0 {
        out.lower.push(new.clone());
        out.upper.push(new.clone());
        out.guards = case.constraints;
        return Ok(out);
    }
    if case.quantifiers > 1 {
        return Err(WhyNot::new(format!(
            "{} has more than one quantifier",
            text()
        )));
    }
    let step = || {
        WhyNot::new(format!(
            "the steps of {} are not all the numbers of a range",
            text()
        ))
    };
    let (sign, base) = new.linear_in(SIGNED).ok_or_else(step)?;
    if sign.abs() != grundy_core::Int::ONE {
        return Err(step());
    }
    for p in case.constraints {
        // p = κ·q + rest with q = sign·(new − base).
        let bound = || {
            WhyNot::new(format!(
                "a bound in {} is not linear in the number moved",
                text()
            ))
        };
        let (k, rest) = p.linear_in(SIGNED).ok_or_else(bound)?;
        if k.is_zero() {
            out.guards.push(p);
            continue;
        }
        let k = &k * &sign;
        let rest = rest.minus(&base.scaled(&k));
        // k·new + rest ≥ 0
        if k.is_negative() {
            out.upper.push(rest.divided(&k.abs()));
        } else {
            let minus = grundy_core::Int::from(-1);
            out.lower.push(rest.divided(&k).scaled(&minus));
        }
    }
    Ok(out)
}
