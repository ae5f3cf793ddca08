//! Windows: guards over two quantifiers as bounds and residues, and the boxes that they let a box reach.
//!
//! A residue condition depends on u and v only through u mod m and v mod m, for an m that is read off the expression:
//! remainders of polynomials by constants, and anything made of such remainders. It is evaluated once for each pair of
//! residues.

use grundy_lang::ir::{BinaryOp, CompareOp, Domain, Expr, ExprKind, Function, Slot, Type};

use super::read::{comparison, gcd};
use super::{Arcs, MOST_ALTERNATIVES, MOST_CLASSES, Run, Window};
use crate::scan::{self, Env};

impl Window {
    pub(super) fn rows(&self, m: i64, env: &mut Env<'_>) -> Option<Vec<Vec<i64>>> {
        let mut rows = Vec::with_capacity(m as usize);
        for u in 0..m {
            env.vars[self.u] = u;
            let mut row = Vec::new();
            for v in 0..m {
                env.vars[self.v] = v;
                let mut all = true;
                for (e, negate) in &self.residues {
                    all = all && env.bool(e)? != *negate;
                }
                if all {
                    row.push(v);
                }
            }
            rows.push(row);
        }
        Some(rows)
    }

    pub(super) fn plain_hold(&self, env: &Env<'_>) -> Option<bool> {
        for (e, negate) in &self.plain {
            if env.bool(e)? == *negate {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Appends the runs of targets of box `a`, with no box in common. Ends may lie outside the array.
    pub(super) fn runs(
        &self,
        rule: &Arcs,
        a: usize,
        m: i64,
        rows: &[Vec<i64>],
        env: &mut Env<'_>,
        out: &mut Vec<Run>,
    ) -> Option<()> {
        env.vars[self.u] = 0;
        let u = self.from_sign * (a as i64).checked_sub(env.int(&rule.from)?)?;
        env.vars[self.u] = u;
        if !self.plain_hold(env)? {
            return Some(());
        }
        env.vars[self.v] = 0;
        let (mut lo, mut hi) = (i64::MIN, i64::MAX);
        let mut without: Vec<i64> = Vec::new();
        for bound in &self.bounds {
            let rest = env.int(&bound.left)?.checked_sub(env.int(&bound.right)?)?;
            // multiple·v + rest op 0
            let at_least = |multiple: i64, rest: i64, lo: &mut i64, hi: &mut i64| -> Option<()> {
                if multiple > 0 {
                    *lo = (*lo).max(-rest.div_euclid(multiple)); // ⌈−rest / multiple⌉
                } else if multiple < 0 {
                    *hi = (*hi).min(rest.div_euclid(multiple.checked_neg()?));
                } else if rest < 0 {
                    (*lo, *hi) = (0, -1);
                }
                Some(())
            };
            let m = bound.multiple;
            match bound.op {
                CompareOp::Ge => at_least(m, rest, &mut lo, &mut hi)?,
                CompareOp::Gt => at_least(m, rest.checked_sub(1)?, &mut lo, &mut hi)?,
                CompareOp::Le => at_least(m.checked_neg()?, rest.checked_neg()?, &mut lo, &mut hi)?,
                CompareOp::Lt => {
                    at_least(
                        m.checked_neg()?,
                        rest.checked_neg()?.checked_sub(1)?,
                        &mut lo,
                        &mut hi,
                    )?;
                }
                CompareOp::Eq => {
                    at_least(m, rest, &mut lo, &mut hi)?;
                    at_least(m.checked_neg()?, rest.checked_neg()?, &mut lo, &mut hi)?;
                }
                CompareOp::Ne => {
                    if m == 0 {
                        if rest == 0 {
                            return Some(());
                        }
                    } else if rest.checked_rem(m)? == 0 {
                        without.push(rest.checked_div(m)?.checked_neg()?);
                    }
                }
            }
        }
        if lo > hi {
            return Some(());
        }
        if lo == i64::MIN || hi == i64::MAX {
            return None;
        }
        without.sort_unstable();
        without.dedup();
        let offset = env.int(rule.to.as_ref()?)?;
        for &class in &rows[u.rem_euclid(m) as usize] {
            let first = lo.checked_add((class.checked_sub(lo)?).rem_euclid(m))?;
            let last = hi.checked_sub((hi.checked_sub(class)?).rem_euclid(m))?;
            let mut push = |first: i64, last: i64| -> Option<()> {
                if first <= last {
                    let ends = [first, last].map(|v| (self.to_sign * v).checked_add(offset));
                    let (a, b) = (ends[0]?, ends[1]?);
                    out.push(Run {
                        first: a.min(b),
                        last: a.max(b),
                    });
                }
                Some(())
            };
            let mut from = first;
            for &gap in &without {
                if (gap - class) % m == 0 && from <= gap && gap <= last {
                    push(from, gap - m)?;
                    from = gap + m;
                }
            }
            push(from, last)?;
        }
        Some(())
    }
}

/// The constant multiple of `v` in an expression that is linear in it, whatever else it holds.
pub(super) fn multiple(e: &Expr, v: Slot, env: &Env<'_>) -> Option<i64> {
    if !scan::mentions(e, v) {
        return Some(0);
    }
    match &e.kind {
        ExprKind::Slot(_) => Some(1),
        ExprKind::Neg(a) => multiple(a, v, env)?.checked_neg(),
        ExprKind::Binary(BinaryOp::Add, a, b) => {
            multiple(a, v, env)?.checked_add(multiple(b, v, env)?)
        }
        ExprKind::Binary(BinaryOp::Sub, a, b) => {
            multiple(a, v, env)?.checked_sub(multiple(b, v, env)?)
        }
        ExprKind::Binary(BinaryOp::Mul, a, b) if env.constant(a) => {
            env.int(a)?.checked_mul(multiple(b, v, env)?)
        }
        ExprKind::Binary(BinaryOp::Mul, a, b) if env.constant(b) => {
            env.int(b)?.checked_mul(multiple(a, v, env)?)
        }
        ExprKind::If(c, a, b) if !scan::mentions(c, v) => {
            let m = multiple(a, v, env)?;
            (multiple(b, v, env)? == m).then_some(m)
        }
        _ => None,
    }
}

/// A modulus m such that the expression depends on u and v only through their residues mod m.
pub(super) fn period(e: &Expr, u: Slot, v: Slot, env: &mut Env<'_>) -> Option<i64> {
    if !scan::mentions(e, u) && !scan::mentions(e, v) {
        return Some(1);
    }
    let join = |a: i64, b: i64| {
        let m = (a / gcd(a, b)).checked_mul(b)?;
        (m <= MOST_CLASSES).then_some(m)
    };
    match &e.kind {
        ExprKind::Binary(BinaryOp::Mod, a, m) if env.constant(m) => {
            let m = env
                .int(m)?
                .checked_abs()
                .filter(|m| (1..=MOST_CLASSES).contains(m))?;
            join(m, period_of_residue(a, m, u, v, env)?)
        }
        ExprKind::Neg(a) | ExprKind::Not(a) => period(a, u, v, env),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b)
        | ExprKind::Compare(_, a, b) => join(period(a, u, v, env)?, period(b, u, v, env)?),
        ExprKind::If(a, b, c) => {
            let bc = join(period(b, u, v, env)?, period(c, u, v, env)?)?;
            join(period(a, u, v, env)?, bc)
        }
        ExprKind::And(list)
        | ExprKind::Or(list)
        | ExprKind::Call(Function::Min | Function::Max | Function::Abs, list) => list
            .iter()
            .try_fold(1, |m, e| join(m, period(e, u, v, env)?)),
        ExprKind::In(e, domain) => {
            let m = period(e, u, v, env)?;
            match &**domain {
                Domain::Range(lo, hi) => {
                    let ends = join(period(lo, u, v, env)?, period(hi, u, v, env)?)?;
                    join(m, ends)
                }
                Domain::Members(list) => env.constant(list).then_some(m),
            }
        }
        ExprKind::Index(list, at) if env.constant(list) => period(at, u, v, env),
        _ => None,
    }
}

/// The same for the residue of a polynomial mod m.
fn period_of_residue(e: &Expr, m: i64, u: Slot, v: Slot, env: &mut Env<'_>) -> Option<i64> {
    if !scan::mentions(e, u) && !scan::mentions(e, v) {
        return Some(1);
    }
    match &e.kind {
        ExprKind::Slot(_) => Some(m),
        ExprKind::Neg(a) => period_of_residue(a, m, u, v, env),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
            let (a, b) = (
                period_of_residue(a, m, u, v, env)?,
                period_of_residue(b, m, u, v, env)?,
            );
            (a / gcd(a, b)).checked_mul(b)
        }
        ExprKind::Binary(BinaryOp::Pow, a, b) if env.constant(b) => {
            period_of_residue(a, m, u, v, env)
        }
        _ => period(e, u, v, env),
    }
}

/// The condition as alternatives of conditions that all hold; `true` beside a condition: it must fail.
pub(super) fn alternatives(
    e: &Expr,
    negate: bool,
    u: Slot,
    v: Slot,
    env: &mut Env<'_>,
) -> Option<Vec<Vec<(Expr, bool)>>> {
    let whole = || Some(vec![vec![(e.clone(), negate)]]);
    if !scan::mentions(e, v) {
        return whole();
    }
    let each = |list: &[Expr], all: bool, env: &mut Env<'_>| -> Option<Vec<Vec<(Expr, bool)>>> {
        let mut out: Vec<Vec<(Expr, bool)>> = if all { vec![Vec::new()] } else { Vec::new() };
        for e in list {
            let more = alternatives(e, negate, u, v, env)?;
            if all {
                out = out
                    .iter()
                    .flat_map(|have| {
                        more.iter()
                            .map(move |m| have.iter().chain(m).cloned().collect())
                    })
                    .collect();
            } else {
                out.extend(more);
            }
            if out.len() > MOST_ALTERNATIVES {
                return None;
            }
        }
        Some(out)
    };
    match &e.kind {
        ExprKind::Compare(op, l, r)
            if l.ty == Type::Int
                && multiple(l, v, env).is_some()
                && multiple(r, v, env).is_some() =>
        {
            let _ = op;
            whole()
        }
        _ if period(e, u, v, env).is_some() => whole(),
        ExprKind::Not(a) => alternatives(a, !negate, u, v, env),
        ExprKind::And(list) => each(list, !negate, env),
        ExprKind::Or(list) => each(list, negate, env),
        ExprKind::In(member, domain) => {
            let Domain::Range(lo, hi) = &**domain else {
                return None;
            };
            let ends = [
                comparison(CompareOp::Ge, (**member).clone(), lo.clone()),
                comparison(CompareOp::Le, (**member).clone(), hi.clone()),
            ];
            each(&ends, !negate, env)
        }
        // |a| against b is a against b and −b.
        ExprKind::Compare(op, l, r) if l.ty == Type::Int => {
            let (op, inner, other) = match (&l.kind, &r.kind) {
                (ExprKind::Call(Function::Abs, a), _) => (*op, a.first()?, r),
                (_, ExprKind::Call(Function::Abs, a)) => (mirrored(*op), a.first()?, l),
                _ => return None,
            };
            let minus = Expr {
                kind: ExprKind::Neg(other.clone()),
                ty: Type::Int,
                span: other.span,
            };
            let ends = [
                comparison(op, inner.clone(), (**other).clone()),
                comparison(mirrored(op), inner.clone(), minus),
            ];
            let all = matches!(op, CompareOp::Le | CompareOp::Lt | CompareOp::Ne);
            // |a| == b and |a| != b are the pair only where b is not below 0.
            if matches!(op, CompareOp::Eq | CompareOp::Ne) && !env.constant(other) {
                return None;
            }
            if matches!(op, CompareOp::Eq | CompareOp::Ne) && env.int(other)? < 0 {
                return None;
            }
            each(&ends, all != negate, env)
        }
        _ => None,
    }
}

fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        same => same,
    }
}
