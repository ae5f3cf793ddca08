//! Ranges cut down by guards: `k in 1..10**12 if k <= 3` tries three values.
//!
//! A comparison that is linear in the quantifier and cannot fail is a bound on it: `c*k + r <= 0` says `k <= (-r) // c` for
//! `c > 0` and `k >= -((-r) // -c)` for `c < 0`, exactly, since `//` rounds down. Only guards right behind the range are
//! read, and of those only the ones with nothing before them that may fail, so what is an error stays one. The guards
//! stay too.
//!
//! A count below 0 is no position, so a counter of what a move leaves is a guard as well: `n - k` says `k <= n`. It is asked
//! last, so it is a bound only if nothing that is asked before it may fail: no later clause and no earlier counter. A bound
//! that a range states itself, or that a short range hardly needs, is left out.
//!
//! Cost: linear in the guards and counters; at most [`MOST`] bounds a range are kept.

use grundy_core::Int;

use crate::ir::{
    BinaryOp, Clause, CompareOp, Domain, Expr, ExprKind, Function, Parts, Shape, Slot, Type,
};

use super::finish::total;

/// Bounds that are added to one range. Each is evaluated whenever the range is entered.
const MOST: usize = 8;

/// A range up to such a number is short.
const SHORT: i64 = 64;

/// The clauses of a move with their ranges cut down.
pub(super) fn narrow(clauses: &[Clause], parts: &Parts, shape: &Shape) -> Vec<Clause> {
    let mut out = clauses.to_vec();
    for (i, clause) in out.iter_mut().enumerate() {
        if let Clause::For {
            slots,
            domain: Domain::Range(lo, hi),
        } = clause
        {
            let mut bounds = Bounds {
                slot: slots[0],
                least: Vec::new(),
                most: Vec::new(),
            };
            for guard in &clauses[i + 1..] {
                let Clause::If(guard) = guard else { break };
                if !bounds.read(guard) {
                    break;
                }
            }
            let mut counts = Bounds {
                slot: slots[0],
                least: Vec::new(),
                most: Vec::new(),
            };
            counts.counters(&clauses[i + 1..], parts, shape);
            if !natural(lo) {
                bounds.least.append(&mut counts.least);
            }
            let short =
                matches!(&hi.kind, ExprKind::Int(v) if v.to_i64().is_some_and(|v| v <= SHORT));
            counts.most.retain(|bound| !short && !says(hi, bound));
            bounds.most.append(&mut counts.most);
            tighten(lo, Function::Max, bounds.least);
            tighten(hi, Function::Min, bounds.most);
        }
    }
    out
}

fn tighten(bound: &mut Expr, function: Function, mut others: Vec<Expr>) {
    if others.is_empty() {
        return;
    }
    let span = bound.span;
    others.truncate(MOST);
    others.insert(0, bound.clone());
    *bound = Expr {
        kind: ExprKind::Call(function, others),
        ty: Type::Int,
        span,
    };
}

/// Whether an expression is no less than 0 at first sight.
fn natural(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(v) => !v.is_negative(),
        // A parameter may be negative, but that is worth no bound each time.
        ExprKind::Slot(_) => true,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Mul, a, b) => natural(a) && natural(b),
        _ => false,
    }
}

/// Whether a range up to `hi` is plainly one up to at most `bound`.
fn says(hi: &Expr, bound: &Expr) -> bool {
    match &hi.kind {
        ExprKind::Call(Function::Min, all) if all.len() > 1 => all.iter().any(|e| says(e, bound)),
        _ => hi.same(bound),
    }
}

struct Bounds {
    slot: Slot,
    least: Vec<Expr>,
    most: Vec<Expr>,
}

impl Bounds {
    /// Takes the bounds that a guard states; whether it cannot fail.
    fn read(&mut self, guard: &Expr) -> bool {
        match &guard.kind {
            ExprKind::And(all) => return all.iter().all(|g| self.read(g)),
            ExprKind::Compare(op, a, b) if a.ty == Type::Int && total(guard) => {
                if let (Some(a), Some(b)) = (self.line(a), self.line(b)) {
                    self.compare(*op, a.minus(b));
                }
            }
            ExprKind::In(k, domain) if k.ty == Type::Int && total(guard) => {
                if let Domain::Range(lo, hi) = &**domain
                    && let (Some(k), Some(lo), Some(hi)) =
                        (self.line(k), self.line(lo), self.line(hi))
                {
                    self.at_most(lo.minus(k.clone()));
                    self.at_most(k.minus(hi));
                }
            }
            _ => {}
        }
        total(guard)
    }

    /// Takes the bounds by which the counters of what a move leaves are no less than 0.
    fn counters(&mut self, later: &[Clause], parts: &Parts, shape: &Shape) {
        let mut after = Vec::new();
        for clause in later {
            let safe = match clause {
                Clause::If(guard) => total(guard),
                Clause::For { slots, domain } => {
                    after.extend(slots);
                    match domain {
                        Domain::Range(lo, hi) => total(lo) && total(hi),
                        Domain::Members(list) => total(list),
                    }
                }
            };
            if !safe {
                return;
            }
        }
        if let Parts::Each(parts) = parts {
            let _ = parts.iter().all(|part| self.counter(part, shape, &after));
        }
    }

    /// The same of one part, in the order in which its counters are worked out; whether that cannot fail.
    fn counter(&mut self, e: &Expr, shape: &Shape, after: &[Slot]) -> bool {
        match (shape, &e.kind) {
            (Shape::Tuple(shapes), ExprKind::Tuple(members)) => shapes
                .iter()
                .zip(members)
                .all(|(shape, member)| self.counter(member, shape, after)),
            (Shape::Unordered(_, inner), ExprKind::Tuple(members)) if **inner == Shape::Int => {
                members.iter().all(|m| self.counter(m, inner, after))
            }
            (Shape::Int, _) if total(e) => {
                if let Some(line) = self.line(e)
                    && !line.rest.slots().iter().any(|slot| after.contains(slot))
                {
                    self.at_most(line.negated());
                }
                true
            }
            _ => total(e),
        }
    }

    fn compare(&mut self, op: CompareOp, line: Line) {
        match op {
            CompareOp::Le => self.at_most(line),
            CompareOp::Lt => self.at_most(line.plus_one()),
            CompareOp::Ge => self.at_most(line.negated()),
            CompareOp::Gt => self.at_most(line.negated().plus_one()),
            CompareOp::Eq => {
                self.at_most(line.clone());
                self.at_most(line.negated());
            }
            CompareOp::Ne => {}
        }
    }

    /// Takes the bound that `line <= 0` is on the quantifier.
    fn at_most(&mut self, line: Line) {
        let Line { slope, rest } = line;
        if slope.is_zero() {
            return;
        }
        let by = if slope.is_negative() {
            -&slope
        } else {
            slope.clone()
        };
        let mut bound = negative(rest);
        if by != Int::ONE {
            let by = number(by, &bound);
            bound = binary(BinaryOp::Div, bound, by);
        }
        if slope.is_negative() {
            self.least.push(negative(bound));
        } else {
            self.most.push(bound);
        }
    }

    /// An expression as a linear function of the quantifier.
    fn line(&self, e: &Expr) -> Option<Line> {
        if !e.slots().contains(&self.slot) {
            return Some(Line {
                slope: Int::ZERO,
                rest: e.clone(),
            });
        }
        match &e.kind {
            ExprKind::Slot(_) => Some(Line {
                slope: Int::ONE,
                rest: number(Int::ZERO, e),
            }),
            ExprKind::Neg(a) => Some(self.line(a)?.negated()),
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                Some(self.line(a)?.minus(self.line(b)?.negated()))
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) => Some(self.line(a)?.minus(self.line(b)?)),
            ExprKind::Binary(BinaryOp::Mul, a, b) => match (&a.kind, &b.kind) {
                (ExprKind::Int(c), _) => Some(self.line(b)?.times(c)),
                (_, ExprKind::Int(c)) => Some(self.line(a)?.times(c)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// `slope * k + rest`.
#[derive(Clone)]
struct Line {
    slope: Int,
    rest: Expr,
}

impl Line {
    fn minus(self, other: Line) -> Line {
        Line {
            slope: &self.slope - &other.slope,
            rest: binary(BinaryOp::Sub, self.rest, other.rest),
        }
    }

    fn negated(self) -> Line {
        Line {
            slope: -&self.slope,
            rest: negative(self.rest),
        }
    }

    fn plus_one(self) -> Line {
        let one = number(Int::ONE, &self.rest);
        Line {
            slope: self.slope,
            rest: binary(BinaryOp::Add, self.rest, one),
        }
    }

    fn times(self, c: &Int) -> Line {
        let factor = number(c.clone(), &self.rest);
        Line {
            slope: &self.slope * c,
            rest: binary(BinaryOp::Mul, self.rest, factor),
        }
    }
}

fn number(v: Int, at: &Expr) -> Expr {
    Expr {
        kind: ExprKind::Int(v),
        ty: Type::Int,
        span: at.span,
    }
}

fn negative(e: Expr) -> Expr {
    let zero = number(Int::ZERO, &e);
    binary(BinaryOp::Sub, zero, e)
}

/// The expression, worked out where both sides are numbers or one of them changes nothing.
fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let zero = |e: &Expr| matches!(&e.kind, ExprKind::Int(v) if v.is_zero());
    if zero(&b) && matches!(op, BinaryOp::Add | BinaryOp::Sub) {
        return a;
    }
    if zero(&a) && op == BinaryOp::Add {
        return b;
    }
    if let (ExprKind::Int(x), ExprKind::Int(y)) = (&a.kind, &b.kind) {
        let v = match op {
            BinaryOp::Add => Some(x + y),
            BinaryOp::Sub => Some(x - y),
            BinaryOp::Mul => Some(x * y),
            BinaryOp::Div => x.div_floor(y),
            _ => None,
        };
        if let Some(v) = v {
            return number(v, &a);
        }
    }
    // 0 - (0 - e) is e, 0 - (a - b) is b - a.
    if op == BinaryOp::Sub
        && zero(&a)
        && let ExprKind::Binary(BinaryOp::Sub, c, d) = &b.kind
    {
        return binary(op, (**d).clone(), (**c).clone());
    }
    let span = a.span.to(b.span);
    Expr {
        kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
        ty: Type::Int,
        span,
    }
}
