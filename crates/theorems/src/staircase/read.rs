//! From move rules to arcs: which box loses tokens, which gets them, that their number is free, and what chooses the
//! arc.

use std::cmp::Ordering;

use grundy_lang::interp::Rules;
use grundy_lang::ir::{
    Clause, CompareOp, Domain, Expr, ExprKind, Move, Parts, Pattern, Play, Shape, Slot, Type,
    UpdateOp,
};

use super::window::{alternatives, multiple, period};
use super::{Arcs, Bound, Form, Graph, MOST_ALTERNATIVES, MOST_CLASSES, Window, why};
use crate::WhyNot;
use crate::scan::{self, Atom, Env};

impl Graph {
    pub(super) fn read(rules: &Rules) -> std::result::Result<Self, WhyNot> {
        let game = rules.game();
        match &game.shape {
            Shape::Array(member) if **member == Shape::Int => {}
            _ => return why("a position is not an array of counts"),
        }
        if game.play != Play::Normal {
            return why("play is misère, where the colours do not give the outcome");
        }
        if !game.ends.is_empty() {
            return why("`win if` or `lose if` can end the game before the tokens are stuck");
        }
        let mut arcs = game
            .moves
            .iter()
            .map(|rule| Arcs::read(rule, rules))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let mut modulus = 1i64;
        for rule in &arcs {
            if let Form::Windows(windows) = &rule.form {
                let mut env = Env::new(rules.params(), game.slots.len(), rule.array);
                for w in windows {
                    for (e, _) in &w.residues {
                        let m =
                            period(e, w.u, w.v, &mut env).expect("sorted as a residue condition");
                        modulus = modulus / gcd(modulus, m) * m;
                        if modulus > MOST_CLASSES {
                            break;
                        }
                    }
                }
            }
            if modulus > MOST_CLASSES {
                break;
            }
        }
        if modulus > MOST_CLASSES {
            for rule in &mut arcs {
                rule.form = Form::Enumerated;
            }
            modulus = 1;
        }
        let stable = arcs.iter().all(|r| r.stable);
        Ok(Graph {
            rules: rules.clone(),
            arcs,
            slots: game.slots.len(),
            modulus,
            stable,
        })
    }

    pub(super) fn env(&self, rule: &Arcs, n: usize) -> Env<'_> {
        let mut env = Env::new(self.rules.params(), self.slots, rule.array);
        env.len = n as i64;
        env
    }
}

impl Arcs {
    fn read(rule: &Move, rules: &Rules) -> std::result::Result<Self, WhyNot> {
        let game = rules.game();
        let said = || game.source.slice(rule.span).trim().to_owned();
        let Pattern::Bind(array) = rule.pattern else {
            return why("a move takes the position apart");
        };
        let Parts::Each(parts) = &rule.parts else {
            return why("a move can split the position");
        };
        let [
            Expr {
                kind: ExprKind::With(base, updates),
                ..
            },
        ] = parts.as_slice()
        else {
            return why(format!("`{}` does not change the array in places", said()));
        };
        if !matches!(base.kind, ExprKind::Slot(s) if s == array) {
            return why(format!(
                "`{}` changes another array than the position",
                said()
            ));
        }
        if updates.is_empty() || updates.len() > 2 {
            return why(format!(
                "`{}` changes {} boxes at once",
                said(),
                updates.len()
            ));
        }
        let env = Env::new(rules.params(), game.slots.len(), array);

        // The amount is the quantifier that the new counts depend on; an index such as the i of x[i] does not count.
        let in_values = |s: Slot| {
            updates.iter().any(|u| {
                env.affine(&u.value).is_some_and(|form| {
                    form.terms
                        .iter()
                        .any(|(atom, _)| matches!(atom, Atom::Slot(t) if *t == s))
                })
            })
        };
        let quantified = rule.clauses.iter().flat_map(|c| match c {
            Clause::For { slots, .. } => slots.as_slice(),
            Clause::If(_) => &[],
        });
        let amounts: Vec<Slot> = quantified.copied().filter(|&s| in_values(s)).collect();
        let [amount] = amounts[..] else {
            return why(format!(
                "the number of tokens that `{}` moves is not a quantifier of its own",
                said()
            ));
        };
        let places: Vec<&Expr> = updates.iter().map(|u| &u.index).collect();
        for place in &places {
            if scan::mentions(place, amount) || scan::reads_contents(place, array) {
                return why(format!(
                    "which box `{}` changes depends on the counts",
                    said()
                ));
            }
        }
        let reader = Reader {
            env: &env,
            array,
            amount,
            places: &places,
        };
        let mut gains = Vec::new();
        for (j, u) in updates.iter().enumerate() {
            let gain = reader.form(&u.value).and_then(|value| match u.op {
                UpdateOp::Add => Some(value),
                UpdateOp::Sub => value.times(-1),
                UpdateOp::Set => value.plus(&Linear::own(j), -1),
            });
            match gain {
                Some(gain) => gains.push(gain),
                None => return why(format!("the new counts of `{}` are not linear", said())),
            }
        }

        // Which clauses choose the arc, and which bound the amount.
        let mut clauses = Vec::new();
        let mut limits: Vec<Linear> = Vec::new(); // each must be at least 0
        for clause in &rule.clauses {
            match clause {
                Clause::For { slots, domain } if slots.contains(&amount) => {
                    let (Domain::Range(lo, hi), [_]) = (domain, slots.as_slice()) else {
                        return why(format!(
                            "the number of tokens that `{}` moves is not a range",
                            said()
                        ));
                    };
                    let k = Linear {
                        k: 1,
                        ..Linear::default()
                    };
                    let pair = reader
                        .form(lo)
                        .and_then(|lo| k.plus(&lo, -1))
                        .zip(reader.form(hi).and_then(|hi| hi.plus(&k, -1)));
                    let Some((low, high)) = pair else {
                        return why(format!(
                            "`{}` cannot move any number of tokens of its box",
                            said()
                        ));
                    };
                    limits.extend([low, high]);
                }
                Clause::For { .. } => {
                    if scan::clause_reads_contents(clause, array) || clause_mentions(clause, amount)
                    {
                        return why(format!("a range of `{}` depends on the counts", said()));
                    }
                    clauses.push(clause.clone());
                }
                Clause::If(e) => {
                    for e in conjuncts(e) {
                        if !scan::reads_contents(e, array) && !scan::mentions(e, amount) {
                            clauses.push(Clause::If(e.clone()));
                            continue;
                        }
                        match reader.guard(e) {
                            Some(guard) => limits.push(guard),
                            None => {
                                return why(format!(
                                    "the guard `{}` depends on the counts",
                                    game.source.slice(e.span).trim()
                                ));
                            }
                        }
                    }
                }
            }
        }
        let mut verdict = why(format!("`{}` takes from no box", said()));
        for (j, gain) in gains.iter().enumerate() {
            let checked = takes_any_number(j, gain, &limits, said().as_str());
            // The box that loses tokens is the one to report on.
            if checked.is_ok() || gain.k < 0 {
                verdict = checked.map(|()| j);
            }
            if verdict.is_ok() {
                break;
            }
        }
        let source = verdict?;
        let from = places[source];
        let target = (places.len() == 2).then(|| 1 - source);
        if let Some(target) = target
            && gains[target].plus(&gains[source], 1) != Some(Linear::default())
        {
            return why(format!(
                "`{}` does not put down as many tokens as it takes",
                said()
            ));
        }

        let from = from.clone();
        let to = target.map(|t| places[t].clone());
        let mut arcs = Arcs {
            array,
            clauses,
            from,
            to,
            form: Form::Enumerated,
            stable: false,
        };
        arcs.stable = arcs.is_stable(&env);
        if let Some(windows) = arcs.windows(rules) {
            arcs.form = Form::Windows(windows);
        }
        Ok(arcs)
    }

    // The first quantifier gives the source, up to the last box, and nothing else depends on the number of boxes.
    fn is_stable(&self, env: &Env<'_>) -> bool {
        let Some(first) = self
            .clauses
            .iter()
            .position(|c| matches!(c, Clause::For { .. }))
        else {
            return false;
        };
        let Clause::For {
            slots,
            domain: Domain::Range(lo, hi),
        } = &self.clauses[first]
        else {
            return false;
        };
        let Some(from) = env.affine(&self.from) else {
            return false;
        };
        let Some(hi) = env.affine(hi) else {
            return false;
        };
        let [u] = slots[..] else { return false };
        from.of_slot(u) == 1
            && from.terms.len() == 1
            && matches!(hi.terms[..], [(Atom::Len, 1)])
            && hi.constant.checked_add(from.constant) == Some(-1)
            && !scan::reads_len(lo, self.array)
            && !self
                .to
                .as_ref()
                .is_some_and(|e| scan::reads_len(e, self.array))
            && self
                .clauses
                .iter()
                .enumerate()
                .all(|(i, c)| i == first || !scan::clause_reads_len(c, self.array))
    }

    fn windows(&self, rules: &Rules) -> Option<Vec<Window>> {
        let mut env = Env::new(rules.params(), rules.game().slots.len(), self.array);
        let to = self.to.as_ref()?;
        let quantifiers: Vec<Slot> = self
            .clauses
            .iter()
            .filter_map(|c| match c {
                Clause::For {
                    slots,
                    domain: Domain::Range(..),
                } if slots.len() == 1 => Some(Some(slots[0])),
                Clause::For { .. } => Some(None),
                Clause::If(_) => None,
            })
            .collect::<Option<_>>()?;
        let [p, q] = quantifiers[..] else { return None };
        for (u, v) in [(p, q), (q, p)] {
            if let Some(windows) = self.windows_over(u, v, to, &mut env) {
                return Some(windows);
            }
        }
        None
    }

    fn windows_over(&self, u: Slot, v: Slot, to: &Expr, env: &mut Env<'_>) -> Option<Vec<Window>> {
        let (from_sign, to_sign) = (multiple(&self.from, u, env)?, multiple(to, v, env)?);
        if scan::mentions(&self.from, v) || from_sign.abs() != 1 || to_sign.abs() != 1 {
            return None;
        }
        // Everything that must hold, as one list of alternatives.
        let mut all: Vec<Vec<(Expr, bool)>> = vec![Vec::new()];
        for clause in &self.clauses {
            let conditions = match clause {
                Clause::If(e) => vec![e.clone()],
                Clause::For {
                    slots,
                    domain: Domain::Range(lo, hi),
                } => {
                    let name = Expr {
                        kind: ExprKind::Slot(slots[0]),
                        ty: Type::Int,
                        span: lo.span,
                    };
                    vec![
                        comparison(CompareOp::Ge, name.clone(), lo.clone()),
                        comparison(CompareOp::Le, name, hi.clone()),
                    ]
                }
                Clause::For { .. } => return None,
            };
            for condition in conditions {
                let alternatives = alternatives(&condition, false, u, v, env)?;
                let mut product = Vec::new();
                for have in &all {
                    for more in &alternatives {
                        product.push(have.iter().chain(more).cloned().collect());
                    }
                }
                if product.len() > MOST_ALTERNATIVES {
                    return None;
                }
                all = product;
            }
        }
        all.into_iter()
            .map(|conditions| {
                let mut w = Window {
                    u,
                    v,
                    from_sign,
                    to_sign,
                    plain: Vec::new(),
                    bounds: Vec::new(),
                    residues: Vec::new(),
                };
                for (e, negate) in conditions {
                    if !scan::mentions(&e, v) {
                        w.plain.push((e, negate));
                        continue;
                    }
                    if let ExprKind::Compare(op, l, r) = &e.kind
                        && l.ty == Type::Int
                        && let (Some(a), Some(b)) = (multiple(l, v, env), multiple(r, v, env))
                    {
                        let multiple = a.checked_sub(b)?;
                        let op = if negate { scan::negated(*op) } else { *op };
                        let (left, right) = ((**l).clone(), (**r).clone());
                        w.bounds.push(Bound {
                            op,
                            left,
                            right,
                            multiple,
                        });
                        continue;
                    }
                    period(&e, u, v, env)?;
                    w.residues.push((e, negate));
                }
                Some(w)
            })
            .collect()
    }
}

/// `k·amount + own[0]·(count of the first place) + own[1]·(count of the second) + c`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Linear {
    k: i64,
    own: [i64; 2],
    c: i64,
}

impl Linear {
    fn own(place: usize) -> Self {
        let mut form = Linear::default();
        form.own[place] = 1;
        form
    }

    fn times(self, by: i64) -> Option<Self> {
        Linear::default().plus(&self, by)
    }

    fn plus(&self, other: &Linear, times: i64) -> Option<Self> {
        let add = |a: i64, b: i64| a.checked_add(b.checked_mul(times)?);
        Some(Linear {
            k: add(self.k, other.k)?,
            own: [
                add(self.own[0], other.own[0])?,
                add(self.own[1], other.own[1])?,
            ],
            c: add(self.c, other.c)?,
        })
    }
}

struct Reader<'a> {
    env: &'a Env<'a>,
    array: Slot,
    amount: Slot,
    places: &'a [&'a Expr],
}

impl Reader<'_> {
    /// The form of an expression that is one.
    fn form(&self, e: &Expr) -> Option<Linear> {
        let affine = self.env.affine(e)?;
        let mut form = Linear {
            c: affine.constant,
            ..Linear::default()
        };
        for (atom, c) in affine.terms {
            match atom {
                Atom::Slot(s) if s == self.amount => form.k += c,
                Atom::Opaque(Expr {
                    kind: ExprKind::Index(list, at),
                    ..
                }) if matches!(list.kind, ExprKind::Slot(s) if s == self.array) => {
                    let place = self.places.iter().position(|p| self.env.same(p, at))?;
                    form.own[place] = form.own[place].checked_add(c)?;
                }
                _ => return None,
            }
        }
        Some(form)
    }

    /// A guard as a form that must be at least 0.
    fn guard(&self, e: &Expr) -> Option<Linear> {
        let ExprKind::Compare(op, l, r) = &e.kind else {
            return None;
        };
        if l.ty != Type::Int || r.ty != Type::Int {
            return None;
        }
        let difference = self.form(l)?.plus(&self.form(r)?, -1)?;
        let less_one = Linear {
            c: -1,
            ..Linear::default()
        };
        match op {
            CompareOp::Ge => Some(difference),
            CompareOp::Gt => difference.plus(&less_one, 1),
            CompareOp::Le => difference.times(-1),
            CompareOp::Lt => less_one.plus(&difference, -1),
            // A count that is not 0 is at least 1.
            CompareOp::Ne if difference.k == 0 && difference.c == 0 => match difference.own {
                [1, 0] | [0, 1] => difference.plus(&less_one, 1),
                [-1, 0] | [0, -1] => less_one.plus(&difference, -1),
                _ => None,
            },
            CompareOp::Eq | CompareOp::Ne => None,
        }
    }
}

/// Whether the place loses t tokens, t from 1 to its count and each once, under limits that must all be at least 0.
fn takes_any_number(
    place: usize,
    gain: &Linear,
    limits: &[Linear],
    said: &str,
) -> std::result::Result<(), WhyNot> {
    let too_large = || WhyNot::new(format!("`{said}` has numbers past a machine word"));
    if gain.k.abs() != 1 {
        return why(format!("`{said}` does not take tokens one by one"));
    }
    // t = −gain, so amount = sign·(t − rest) with sign = −gain.k and rest = −gain without the amount.
    let sign = -gain.k;
    let rest = Linear { k: 0, ..*gain }.times(-1).ok_or_else(too_large)?;
    let mut least = i64::MIN;
    let mut bounded = false;
    for limit in limits {
        // limit = k·amount + f = k·sign·t + (f − k·sign·rest)
        let slope = limit.k.checked_mul(sign).ok_or_else(too_large)?;
        let free = Linear { k: 0, ..*limit }
            .plus(&rest, slope.checked_neg().ok_or_else(too_large)?)
            .ok_or_else(too_large)?;
        let own = free.own[place];
        if free.own[1 - place] != 0 {
            return why(format!(
                "how many tokens `{said}` moves depends on the box that gets them"
            ));
        }
        match (slope, own) {
            // t ≥ −c
            (1, 0) => least = least.max(-free.c),
            // t ≤ count + c; more than there are would leave a count below 0, and that is no move
            (-1, 1) if free.c >= 0 => bounded = true,
            (-1, 1) => {
                return why(format!(
                    "`{said}` must leave {} in the box",
                    tokens(-free.c)
                ));
            }
            (-1, 0) => {
                return why(format!("`{said}` moves at most {} at once", tokens(free.c)));
            }
            // count ≥ −c is no condition where there is a token to move
            (0, 1) if free.c >= -1 => {}
            _ => {
                return why(format!(
                    "`{said}` cannot move any number of tokens of its box"
                ));
            }
        }
    }
    if !bounded {
        return why(format!(
            "how many tokens `{said}` moves does not depend on the box"
        ));
    }
    match least.cmp(&1) {
        Ordering::Equal => Ok(()),
        Ordering::Less => why(format!("`{said}` can move no token, or tokens back")),
        Ordering::Greater => why(format!("`{said}` moves at least {least} tokens at once")),
    }
}

fn tokens(n: i64) -> String {
    format!("{n} token{}", if n == 1 { "" } else { "s" })
}

pub(super) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

pub(super) fn comparison(op: CompareOp, left: Expr, right: Expr) -> Expr {
    Expr {
        span: left.span,
        kind: ExprKind::Compare(op, Box::new(left), Box::new(right)),
        ty: Type::Bool,
    }
}

fn clause_mentions(clause: &Clause, slot: Slot) -> bool {
    scan::any_clause(clause, &mut |e| match e.kind {
        ExprKind::Slot(s) => Some(s == slot),
        _ => None,
    })
}

fn conjuncts(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::And(list) => list.iter().flat_map(conjuncts).collect(),
        _ => vec![e],
    }
}
