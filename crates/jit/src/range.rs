//! What is known of a number before it is computed: between which bounds it lies, and whether it rises with a quantifier.
//!
//! Bounds are kept in 128 bits; what leaves a machine word is checked when it is computed, and is within a word after that.

use grundy_lang::ir::{BinaryOp, Expr, ExprKind, Function, Slot};

/// Bounds of a number, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub lo: i128,
    pub hi: i128,
}

impl Range {
    /// Every machine word.
    pub const WORD: Range = Range {
        lo: i64::MIN as i128,
        hi: i64::MAX as i128,
    };

    pub fn new(lo: i128, hi: i128) -> Range {
        Range { lo, hi }
    }

    pub fn one(v: i64) -> Range {
        Range::new(v.into(), v.into())
    }

    /// Whether it is a machine word for sure.
    pub fn is_word(self) -> bool {
        Range::WORD.lo <= self.lo && self.hi <= Range::WORD.hi
    }

    /// What is left of it among machine words; the nearest word if nothing is.
    pub fn word(self) -> Range {
        let word = |v: i128| v.clamp(Range::WORD.lo, Range::WORD.hi);
        Range::new(word(self.lo), word(self.hi))
    }

    pub fn or(self, other: Range) -> Range {
        Range::new(self.lo.min(other.lo), self.hi.max(other.hi))
    }

    /// Of the lesser of two numbers.
    pub fn least(self, other: Range) -> Range {
        Range::new(self.lo.min(other.lo), self.hi.min(other.hi))
    }

    /// Of the greater of two numbers.
    pub fn greatest(self, other: Range) -> Range {
        Range::new(self.lo.max(other.lo), self.hi.max(other.hi))
    }

    pub fn natural(self) -> bool {
        self.lo >= 0
    }

    pub fn plus(self, other: Range) -> Range {
        Range::new(self.lo + other.lo, self.hi + other.hi)
    }

    pub fn minus(self, other: Range) -> Range {
        Range::new(self.lo - other.hi, self.hi - other.lo)
    }

    pub fn times(self, other: Range) -> Range {
        // Both are words, so that products fit.
        let ends = [
            self.lo * other.lo,
            self.lo * other.hi,
            self.hi * other.lo,
            self.hi * other.hi,
        ];
        let (mut lo, mut hi) = (ends[0], ends[0]);
        for end in ends {
            lo = lo.min(end);
            hi = hi.max(end);
        }
        Range::new(lo, hi)
    }
}

/// How a number goes with a quantifier that rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trend {
    /// It stays.
    Flat,
    /// It never falls.
    Up,
    /// It never rises.
    Down,
    /// Anything.
    Any,
}

impl Trend {
    fn turned(self) -> Trend {
        match self {
            Trend::Up => Trend::Down,
            Trend::Down => Trend::Up,
            same => same,
        }
    }

    fn and(self, other: Trend) -> Trend {
        match (self, other) {
            (Trend::Flat, t) | (t, Trend::Flat) => t,
            (a, b) if a == b => a,
            _ => Trend::Any,
        }
    }
}

/// The bounds of an expression that cannot fail, and how it goes with `slot`; `None` for one that may fail or is not read.
pub(crate) fn trend(
    expr: &Expr,
    slot: Slot,
    known: &dyn Fn(Slot) -> Option<Range>,
) -> Option<(Range, Trend)> {
    let of = |e: &Expr| trend(e, slot, known);
    let (range, trend) = match &expr.kind {
        ExprKind::Int(v) => (Range::one(v.to_i64()?), Trend::Flat),
        ExprKind::Slot(s) => {
            let trend = if *s == slot { Trend::Up } else { Trend::Flat };
            (known(*s)?, trend)
        }
        ExprKind::Neg(a) => {
            let (range, trend) = of(a)?;
            (Range::one(0).minus(range), trend.turned())
        }
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
            let ((a, s), (b, t)) = (of(a)?, of(b)?);
            if *op == BinaryOp::Add {
                (a.plus(b), s.and(t))
            } else {
                (a.minus(b), s.and(t.turned()))
            }
        }
        ExprKind::Binary(BinaryOp::Mul, a, b) => {
            let ((a, s), (b, t)) = (of(a)?, of(b)?);
            let trend = match (s, t) {
                (Trend::Flat, Trend::Flat) => Trend::Flat,
                _ if a.natural() && b.natural() => s.and(t),
                _ => Trend::Any,
            };
            (a.times(b), trend)
        }
        ExprKind::Binary(BinaryOp::Pow, a, b) => {
            let (base, trend) = of(a)?;
            let ExprKind::Int(n) = &b.kind else {
                return None;
            };
            let n = n
                .to_i64()
                .filter(|n| (1..=8).contains(n) && base.natural())?;
            let mut power = base;
            for _ in 1..n {
                power = power.times(base);
                if !power.is_word() {
                    return None;
                }
            }
            (power, trend)
        }
        ExprKind::Call(Function::Min | Function::Max, all) if all.len() > 1 => {
            let min = matches!(expr.kind, ExprKind::Call(Function::Min, _));
            let mut all = all.iter().map(of);
            let (mut range, mut trend) = all.next()??;
            for next in all {
                let (r, t) = next?;
                range = if min {
                    range.least(r)
                } else {
                    range.greatest(r)
                };
                trend = trend.and(t);
            }
            (range, trend)
        }
        _ => return None,
    };
    range.is_word().then_some((range, trend))
}
