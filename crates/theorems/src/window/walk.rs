//! The walk over the blocks of window moves, in machine words or in integers of any size: the search for the threshold
//! of a block, and runs of blocks of one length in one step. What it computes is in the file above.
//!
//! Cost: see there. Machine words must be below 2^60, so that no sum of a few of them wraps.

use grundy_core::{BigInt, Int};

use crate::Result;

/// The arithmetic that the walk needs.
pub(super) trait Number: Clone + Ord {
    fn small(v: i64) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    /// By a positive number, rounded down.
    fn over(&self, by: &Self) -> Self;
    fn halved(&self) -> Self;
    /// self·part/whole, whole positive, rounded down.
    fn share(&self, part: &Self, whole: &Self) -> Self;
    /// The number of bits of a natural number.
    fn bits(&self) -> u64;
    fn power_of_two(exponent: u64) -> Self;
}

impl Number for Int {
    fn small(v: i64) -> Self {
        Int::from(v)
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    fn over(&self, by: &Self) -> Self {
        self.div_floor(by).unwrap_or_default()
    }
    fn halved(&self) -> Self {
        self.over(&Int::from(2))
    }
    fn share(&self, part: &Self, whole: &Self) -> Self {
        (self * part).over(whole)
    }
    fn bits(&self) -> u64 {
        match self.to_i64() {
            Some(v) => Number::bits(&v),
            None => self.to_big().bits(),
        }
    }
    fn power_of_two(exponent: u64) -> Self {
        Int::from(BigInt::from(1) << exponent)
    }
}

impl Number for i64 {
    fn small(v: i64) -> Self {
        v
    }
    fn plus(&self, other: &Self) -> Self {
        self.saturating_add(*other)
    }
    fn minus(&self, other: &Self) -> Self {
        self.saturating_sub(*other)
    }
    fn times(&self, other: &Self) -> Self {
        self.saturating_mul(*other)
    }
    fn over(&self, by: &Self) -> Self {
        self.checked_div_euclid(*by).unwrap_or_default()
    }
    fn halved(&self) -> Self {
        self >> 1
    }
    fn share(&self, part: &Self, whole: &Self) -> Self {
        if let Some(product) = self.checked_mul(*part) {
            return product.over(whole);
        }
        let product = i128::from(*self) * i128::from(*part);
        let share = product.checked_div_euclid(i128::from(*whole));
        // A share of a word by less than the whole is a word.
        share
            .and_then(|v| i64::try_from(v).ok())
            .unwrap_or_default()
    }
    fn bits(&self) -> u64 {
        u64::from(64 - self.leading_zeros())
    }
    fn power_of_two(exponent: u64) -> Self {
        1 << exponent.min(62)
    }
}

/// The start of the block of d and of the block before it (none for the first).
pub(super) type Starts<N> = (N, Option<N>);

/// One game of window moves whose width never rises with the distance from the end.
pub(super) struct Blocks<'a, N> {
    /// Whether the counter rises.
    pub up: bool,
    /// Where play ends.
    pub end: N,
    /// How far the moves reach from a counter, at least 0; `None` if all the way.
    pub reach: &'a mut dyn FnMut(&N) -> Option<N>,
}

impl<N: Number> Blocks<'_, N> {
    fn at(&self, d: &N) -> N {
        if self.up {
            self.end.minus(d)
        } else {
            self.end.plus(d)
        }
    }

    /// m(d), at most d.
    fn width(&mut self, d: &N) -> N {
        let x = self.at(d);
        match (self.reach)(&x) {
            Some(m) => m.min(d.clone()),
            None => d.clone(),
        }
    }

    /// The blocks from the end up to d. `step` is asked before each; `seen` is told the starts, of a run of blocks of
    /// one length the first and the last.
    pub fn to(
        &mut self,
        d: &N,
        step: &mut dyn FnMut() -> Result<()>,
        seen: &mut dyn FnMut(&N),
    ) -> Result<Starts<N>> {
        let one = N::small(1);
        let (mut b, mut before) = (N::small(0), None);
        let leftmost = d.minus(&self.width(d));
        while *d > b && leftmost > b {
            step()?;
            let next = self.next_start(&b, d);
            if next <= b || next > *d {
                // Only where a width did not fit in a word, and then the caller throws this away.
                break;
            }
            before = Some(b);
            b = next;
            seen(&b);
            // Blocks of one length follow each other while m stays the same.
            let m = self.width(&b);
            let length = m.plus(&one);
            let second = b.plus(&length);
            if second <= *d && self.width(&second) == m {
                let last = last_holding(&second, d, &mut |p| self.width(p) == m);
                let run = last.minus(&b).over(&length);
                b = b.plus(&run.times(&length));
                before = Some(b.minus(&length));
                seen(&b);
            }
        }
        Ok((b, before))
    }

    /// The least p in (b, d] with p − m(p) > b; there is one.
    fn next_start(&mut self, b: &N, d: &N) -> N {
        // m never rises with p, so b + m(d) < p ≤ b + m(b) + 1.
        let one = N::small(1);
        let x = self.at(b);
        let hi = match (self.reach)(&x) {
            Some(m) => b.plus(&m).plus(&one).min(d.clone()),
            None => d.clone(),
        };
        let lo = b.plus(&self.width(&hi));
        if self.up {
            // In terms of the counter: p − m(p) > b if and only if x + m(x) < end − b. The least x where it is not.
            let cap = x;
            let (lo_x, hi_x) = (self.at(&hi), self.at(&lo));
            let found = first_positive(lo_x, hi_x, &mut |x| {
                let m = (self.reach)(x).unwrap_or_else(|| cap.clone());
                x.plus(&m).minus(&cap).plus(&one)
            });
            self.end.minus(&found.minus(&one))
        } else {
            let end = self.end.clone();
            let found = first_positive(lo.plus(&end), hi.plus(&end), &mut |x| {
                let p = x.minus(&end);
                p.minus(&self.width(&p)).minus(b)
            });
            found.minus(&end)
        }
    }
}

/// The least x in (lo, hi] with g(x) > 0, for a g that never falls, with g(lo) ≤ 0 < g(hi), 0 ≤ lo.
///
/// First the number of bits is found by bisection, then false position narrows the rest (with the Illinois rule and a
/// bisection after every third step that gains less than half), so that smooth g take few evaluations and any g at most
/// about four times the number of bits.
pub(super) fn first_positive<N: Number>(lo: N, hi: N, g: &mut dyn FnMut(&N) -> N) -> N {
    let (zero, one) = (N::small(0), N::small(1));
    let (mut lo, mut hi) = (lo, hi);
    if hi.minus(&lo) <= one {
        return hi;
    }
    let (mut g_lo, mut g_hi) = (None, None);
    let (mut few, mut many) = (lo.bits(), hi.bits());
    while many > few + 1 {
        let middle = few + (many - few) / 2;
        let x = N::power_of_two(middle - 1);
        if x <= lo || x >= hi {
            break;
        }
        let v = g(&x);
        if v > zero {
            (hi, g_hi, many) = (x, Some(v), middle);
        } else {
            (lo, g_lo, few) = (x, Some(v), middle);
        }
    }
    let mut a = g_lo.unwrap_or_else(|| g(&lo));
    let mut b = g_hi.unwrap_or_else(|| g(&hi));
    let (mut slow, mut side) = (0, 0);
    loop {
        let gap = hi.minus(&lo);
        if gap <= one {
            return hi;
        }
        let half = gap.halved();
        let x = if slow >= 3 || gap < N::small(8) {
            slow = 0;
            lo.plus(&half)
        } else {
            // Where the straight line through both ends crosses 0.
            let part = gap.share(&zero.minus(&a), &b.minus(&a));
            lo.plus(&part.max(one.clone()).min(gap.minus(&one)))
        };
        let v = g(&x);
        if v > zero {
            (hi, b) = (x, v);
            if side == 1 {
                a = zero.minus(&zero.minus(&a).halved());
            }
            side = 1;
        } else {
            (lo, a) = (x, v);
            if side == -1 {
                b = b.halved().max(one.clone());
            }
            side = -1;
        }
        slow = if hi.minus(&lo) > half { slow + 1 } else { 0 };
    }
}

/// The largest x in [lo, hi] for which `holds`, which it does at lo and never again once it has ceased to; by doubling
/// steps.
pub(super) fn last_holding<N: Number>(lo: &N, hi: &N, holds: &mut dyn FnMut(&N) -> bool) -> N {
    let one = N::small(1);
    let mut good = lo.clone();
    let mut step = one.clone();
    let mut bad = loop {
        let x = good.plus(&step);
        if x > *hi {
            break hi.plus(&one);
        }
        if !holds(&x) {
            break x;
        }
        good = x;
        step = step.plus(&step);
    };
    loop {
        let gap = bad.minus(&good);
        if gap <= one {
            return good;
        }
        let x = good.plus(&gap.halved());
        if holds(&x) {
            good = x;
        } else {
            bad = x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_found_exactly() {
        let mut state = 7u64;
        let mut random = |n: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        for _ in 0..3000 {
            let at = random(5000) as i64 + 1;
            let hi = at + random(5000) as i64;
            let lo = at - 1 - random(at as u64) as i64;
            let kind = random(3);
            let mut calls = 0;
            let found = first_positive(Int::from(lo), Int::from(hi), &mut |x| {
                calls += 1;
                let x = x.to_i64().unwrap() - at;
                Int::from(match kind {
                    0 => x + 1,
                    1 => {
                        if x >= 0 {
                            1
                        } else {
                            0
                        }
                    }
                    _ => {
                        if x >= 0 {
                            1_000_000_000 + x
                        } else {
                            -1
                        }
                    }
                })
            });
            assert_eq!(found, Int::from(at));
            assert!(calls < 90, "{calls} evaluations");
        }
    }

    #[test]
    fn few_evaluations_find_the_root_of_a_thousand_digits() {
        let s: Int = format!("1{}7", "0".repeat(998)).parse().unwrap();
        let mut calls = 0;
        let found = first_positive(Int::ZERO, s.clone(), &mut |x| {
            calls += 1;
            x * x + x.clone() - s.clone() + Int::ONE
        });
        let below = &found - &Int::ONE;
        assert!(&found * &found + found.clone() >= s && &below * &below + below.clone() < s);
        assert!(calls < 60, "{calls} evaluations");
    }
}
