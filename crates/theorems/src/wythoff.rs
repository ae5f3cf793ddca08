//! Two heaps: take any positive number from one, or k from one and l from the other with |k − l| < t.
//!
//! t = 1 is Wythoff's game (W. A. Wythoff, A modification of the game of Nim, 1907); general t is A. S. Fraenkel, How
//! to beat your Wythoff games' opponent on three fronts, Amer. Math. Monthly 89 (1982). The P-positions are the pairs
//! (Aₙ, Bₙ) with Bₙ = Aₙ + tn and Aₙ = ⌊nα⌋, α = (2 − t + √(t² + 4))/2. Since ⌊(i + r)/2⌋ = ⌊(i + ⌊r⌋)/2⌋ for an
//! integer i and a real r, Aₙ = ⌊(n(2 − t) + isqrt(n²(t² + 4)))/2⌋ exactly. Every natural number is in exactly one
//! pair, and each multiple of t is the difference of exactly one: so a move in one heap goes to the pair of the other
//! heap, a move in both to the pair of a difference d' with t | d' and |d' − d| < t, of which there are at most two.
//! All winning moves are found so, at most four.
//!
//! 1/α = (t − 2 + √(t² + 4))/(2t) and 1/β = (t + 2 − √(t² + 4))/(2t) for β = α + t give the n with Aₙ = x or Bₙ = x up
//! to rounding; the candidates are tested.
//!
//! # Misère, t = 1
//! The P-positions are (0, 1), (2, 2) and (Aₙ, Bₙ) for n ≥ 2. *Proof.* Each natural number is still in exactly one of
//! them and each difference belongs to exactly one, so no move leads from one to another. Let (a, b), a ≤ b, be none of
//! them and not (0, 0), which is won by the player to move. a = 0: move to (0, 1). a = 1: take the other heap. a = 2:
//! then b > 2, move to (2, 2). a = Bₙ with n ≥ 2: lower b to Aₙ. a = Aₙ with n ≥ 2: if b > Bₙ lower b to Bₙ; else the
//! difference d = b − a is less than n, and the diagonal leads to the pair of that difference, whose heaps are smaller
//! since a ≥ 3. ∎ For t ≥ 2 misère play is refused.
//!
//! # Recognition
//! From the moves: each rule is brought to the numbers k and l taken; it must allow only moves of the t-game, and
//! together the rules must allow all: every number from either heap, and for each difference |k − l| < t all k, l ≥ 1.
//! Ranges, guards, one quantifier or two, one rule or one for each difference are all the same here.
//!
//! Cost: a few integer square roots a question, whatever the size of the heaps.

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Play, Shape};
use grundy_lang::value::Pos;

use crate::cases::{Case, cases};
use crate::terms::{Poly, SIGNED, follows};
use crate::{Options, Result, Solver, Target, Theorem, WhyNot};

/// The theorem.
pub struct Wythoff;

/// Options that a search of a moment may look at.
const MOST_OPTIONS: u64 = 1 << 25;

/// Variables of a case once it is told by what is left and what is taken.
const LEFT: [usize; 2] = [0, 1];
const TAKEN: [usize; 2] = [SIGNED + 2, SIGNED + 3];

impl Theorem for Wythoff {
    fn name(&self) -> &'static str {
        "wythoff"
    }

    fn title(&self) -> &'static str {
        "Wythoff's game and Fraenkel's t-Wythoff"
    }

    fn source(&self) -> &'static str {
        "A. S. Fraenkel, How to beat your Wythoff games' opponent on three fronts, Amer. Math. Monthly 89 (1982)"
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        let game = rules.game();
        let (width, cases) = cases(rules, true)?;
        if width != 2 {
            return Err(WhyNot::new("a part is not two heaps"));
        }
        let unordered = matches!(game.shape, Shape::Unordered(..));
        let mut rows = [false; 2];
        let mut bands: Vec<(Int, Int)> = Vec::new();
        let mut reach: Option<Int> = None;
        for case in &cases {
            // The heaps of a pair without order may be named either way round in the result.
            let swapped = || {
                let mut case = case.clone();
                case.result.swap(0, 1);
                takes(&case).filter(|_| unordered)
            };
            let moves = takes(case).or_else(swapped).ok_or_else(|| {
                let text = game.source.slice(game.moves[case.rule].span).trim();
                WhyNot::new(format!(
                    "`{text}` takes otherwise than k from a heap, or k and l from both"
                ))
            })?;
            let mirror = unordered && case.every_order;
            match moves {
                Takes::Never => {}
                Takes::OneHeap { heap, all } => {
                    rows[heap] |= all;
                    rows[1 - heap] |= all && mirror;
                }
                Takes::Both { lo, hi, all } => {
                    let far = lo.abs().max(hi.abs());
                    reach = Some(reach.map_or(far.clone(), |r| r.max(far)));
                    if all {
                        if mirror {
                            bands.push((-&hi, -&lo));
                        }
                        bands.push((lo, hi));
                    }
                }
            }
        }
        let Some(reach) = reach else {
            return Err(WhyNot::new("no move takes from both heaps"));
        };
        if rows != [true, true] {
            return Err(WhyNot::new(
                "not every number may be taken from either heap alone",
            ));
        }
        bands.sort();
        let mut covered = &-&reach - &Int::ONE;
        for (lo, hi) in bands {
            if lo > &covered + &Int::ONE {
                break;
            }
            covered = covered.max(hi);
        }
        if covered < reach {
            return Err(WhyNot::new(format!(
                "the numbers taken from both heaps may differ by {reach}, but not every pair that differs by at most \
                 {reach} \
                 may be taken"
            )));
        }
        let t = reach + Int::ONE;
        let misere = game.play == Play::Misere;
        if misere && t != 1 {
            return Err(WhyNot::new(format!(
                "play is misère, and the misère theorem is proved for t = 1 only, not for t = {t}"
            )));
        }
        Ok(Box::new(Pairs {
            rules: rules.clone(),
            game: PairGame { t, misere },
            unordered,
        }))
    }
}

/// What a case takes, all of it moves of the t-game.
enum Takes {
    /// Its guards contradict each other.
    Never,
    /// Only from this heap; `all` if any number.
    OneHeap { heap: usize, all: bool },
    /// k and l with lo ≤ k − l ≤ hi (or from one heap); `all` if it allows all k, l ≥ 1 with these differences.
    Both { lo: Int, hi: Int, all: bool },
}

/// Brings a case to what it takes from each heap.
fn takes(case: &Case) -> Option<Takes> {
    // Solve the quantifiers for what is left, one heap after the other.
    let mut left = [case.result[0].clone(), case.result[1].clone()];
    let mut constraints = case.constraints.clone();
    let mut open: Vec<usize> = (0..case.quantifiers).map(|q| SIGNED + q).collect();
    // The heaps before the move, in terms of what is left and taken.
    let before: Vec<Poly> = (0..2)
        .map(|i| Poly::var(LEFT[i]).plus(&Poly::var(TAKEN[i])))
        .collect();
    let mut equations = Vec::new();
    for i in 0..2 {
        let Some((at, sign, rest)) = open.iter().enumerate().find_map(|(at, &q)| {
            let (c, rest) = left[i].linear_in(q)?;
            (c.abs() == Int::ONE).then_some((at, c, rest))
        }) else {
            if open.iter().any(|&q| left[i].mentions(q)) {
                return None;
            }
            // Fixed by the heaps and the quantifiers that have been solved: an equation for what is taken.
            equations.push(i);
            continue;
        };
        let q = open.remove(at);
        // left = ±q + rest, so q = ±(heap before − taken − rest).
        let value = Poly::var(LEFT[i])
            .minus(&Poly::var(TAKEN[i]))
            .minus(&rest)
            .scaled(&sign);
        for p in constraints.iter_mut().chain([&mut left[1]]) {
            if p.mentions(q) {
                *p = p.substitute(q, &value)?;
            }
        }
    }
    if !open.is_empty() {
        return None;
    }
    // So far LEFT stood for the heaps before the move. k or l that an equation fixes:
    let mut taken = [Poly::var(TAKEN[0]), Poly::var(TAKEN[1])];
    for &i in &equations {
        taken[i] = Poly::var(LEFT[i]).minus(&left[i]);
    }
    if equations == [0] {
        // The first is fixed by the heaps alone, the second is free.
        taken[0].as_constant()?;
    }
    if equations == [1] && taken[1].as_constant().is_none() {
        // The second goes with the first: l = k + a number.
        taken[1].minus(&taken[0]).as_constant()?;
    }
    if equations.len() == 2 && taken.iter().any(|p| p.as_constant().is_none()) {
        return None;
    }
    let mut told = Vec::new();
    for p in &constraints {
        let mut p = p.clone();
        for i in 0..2 {
            if p.mentions(LEFT[i]) {
                p = p.substitute(LEFT[i], &before[i])?;
            }
        }
        for &i in &equations {
            p = p.substitute(TAKEN[i], &taken[i])?;
        }
        if p.as_constant().is_some_and(|v| v.is_negative()) {
            return Some(Takes::Never);
        }
        told.push(p);
    }
    classify(&taken, &told)
}

fn classify(taken: &[Poly; 2], told: &[Poly]) -> Option<Takes> {
    let minus = Int::from(-1);
    let [k, l] = taken;
    // No move may put back or pass.
    let one = Poly::one();
    if ![k.clone(), l.clone(), k.plus(l).minus(&one)]
        .iter()
        .all(|p| follows(p, told))
    {
        return None;
    }
    let put = |p: &Poly, values: &[Poly; 2]| {
        let mut p = p.clone();
        for i in 0..2 {
            p = p.substitute(TAKEN[i], &values[i])?;
        }
        Some(p)
    };
    for heap in 0..2 {
        let other = 1 - heap;
        if follows(&taken[other].scaled(&minus), told) {
            // Nothing from the other heap. A fresh natural number, 1 less than what is taken from this one:
            let mut values = [Poly::default(), Poly::default()];
            values[heap] = one.plus(&Poly::var(2));
            let free = taken[heap].minus(&taken[other]).as_constant().is_none();
            let all = free
                && told
                    .iter()
                    .all(|p| put(p, &values).is_some_and(|p| p.nonnegative()));
            return Some(Takes::OneHeap { heap, all });
        }
    }
    // Bounds of k − l: the constraints that are just that.
    let (mut lo, mut hi): (Option<Int>, Option<Int>) = (None, None);
    let mut others = Vec::new();
    let difference = Poly::var(TAKEN[0]).minus(&Poly::var(TAKEN[1]));
    for p in told {
        if let Some(c) = p.minus(&difference).as_constant() {
            lo = Some(lo.map_or(-&c, |v| v.max(-&c)));
        } else if let Some(c) = p.plus(&difference).as_constant() {
            hi = Some(hi.map_or(c.clone(), |v| v.min(c)));
        } else {
            others.push(p);
        }
    }
    if let Some(d) = k.minus(l).as_constant() {
        (lo, hi) = (Some(d.clone()), Some(d));
    }
    let (lo, hi) = (lo?, hi?);
    if lo > hi {
        return Some(Takes::Never);
    }
    // All k, l ≥ 1 with such a difference: with fresh natural numbers for what they are beyond the least.
    let (values, rest) = match k.minus(l).as_constant() {
        Some(d) => {
            let less = one.plus(&Poly::var(2));
            let more = less.plus(&Poly::constant(d.abs()));
            let free = k.as_constant().is_none();
            let values = if d.is_negative() {
                [less, more]
            } else {
                [more, less]
            };
            (values, free)
        }
        None => {
            let free = taken.iter().all(|p| p.as_constant().is_none());
            ([one.plus(&Poly::var(2)), one.plus(&Poly::var(3))], free)
        }
    };
    let all = rest
        && others
            .iter()
            .all(|p| put(p, &values).is_some_and(|p| p.nonnegative()));
    Some(Takes::Both { lo, hi, all })
}

/// The arithmetic of the P-positions.
struct PairGame {
    t: Int,
    misere: bool,
}

fn half(v: &Int) -> Int {
    v.div_floor(&Int::from(2)).unwrap_or_default()
}

impl PairGame {
    /// ⌊v·√(t² + 4)⌋
    fn root(&self, v: &Int) -> Int {
        let square = &(&self.t * &self.t) + &Int::from(4);
        (&(v * v) * &square).isqrt().unwrap_or_default()
    }

    /// Aₙ
    fn a(&self, n: &Int) -> Int {
        let two = Int::from(2);
        half(&(&(n * &(&two - &self.t)) + &self.root(n)))
    }

    /// The P-position with the difference tn, smaller heap first.
    fn pair(&self, n: &Int) -> (Int, Int) {
        if self.misere && *n == Int::ZERO {
            return (Int::from(2), Int::from(2));
        }
        if self.misere && *n == Int::ONE {
            return (Int::ZERO, Int::ONE);
        }
        let a = self.a(n);
        let b = &a + &(&self.t * n);
        (a, b)
    }

    /// The other heap of the P-position that x is in.
    fn partner(&self, x: &Int) -> Int {
        if self.misere && *x <= Int::from(2) {
            return if *x == 2 { x.clone() } else { &Int::ONE - x };
        }
        let two = Int::from(2);
        let twice = &two * &self.t;
        let root = self.root(x);
        let as_a = &(x * &(&self.t - &two)) + &root;
        let as_b = &(x * &(&self.t + &two)) - &root;
        for (sum, smaller) in [(as_a, true), (as_b, false)] {
            let near = sum.div_floor(&twice).unwrap_or_default();
            for off in -1..=2 {
                let n = &near + &Int::from(off);
                if n.is_negative() {
                    continue;
                }
                let (a, b) = self.pair(&n);
                if smaller && a == *x {
                    return b;
                }
                if !smaller && b == *x {
                    return a;
                }
            }
        }
        unreachable!("every number is in a pair")
    }

    /// Whether (a, b) is a P-position. Its difference d must be tn, and its smaller heap a = Aₙ: with r = 2a + d − 2n that is
    /// r ≤ isqrt(d² + 4n²) ≤ r + 1 by the formula for Aₙ, for which no root need be taken.
    fn is_p(&self, a: &Int, b: &Int) -> bool {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if let Some(met) = self.is_p_word(a, b) {
            return met;
        }
        let d = b - a;
        let n = d.div_floor(&self.t).unwrap_or_default();
        if &n * &self.t != d {
            return false;
        }
        if self.misere && n <= Int::ONE {
            return self.pair(&n).0 == *a;
        }
        let two = Int::from(2);
        let r = &(&(&two * a) + &d) - &(&two * &n);
        let above = &r + &two;
        let square = &(&d * &d) + &(&Int::from(4) * &(&n * &n));
        !r.is_negative() && &r * &r <= square && square < &above * &above
    }

    /// The same for numbers with which nothing on the way is too long: b < 2^61, and d, n and r are at most 2b.
    fn is_p_word(&self, a: &Int, b: &Int) -> Option<bool> {
        let word = |v: &Int| v.to_i64().filter(|v| *v < 1 << 61);
        let (a, b, t) = (word(a)?, word(b)?, word(&self.t)?);
        let d = b - a;
        let n = if t == 1 { d } else { d / t };
        if self.misere && n <= 1 {
            return None;
        }
        let times = |x: i64, y: i64| i128::from(x) * i128::from(y);
        let r = 2 * a + d - 2 * n;
        let square = times(d, d) + 4 * times(n, n);
        Some(n * t == d && r >= 0 && times(r, r) <= square && square < times(r + 2, r + 2))
    }

    /// The P-positions that a move reaches.
    fn moves(&self, a: &Int, b: &Int) -> Vec<[Int; 2]> {
        let mut out = Vec::new();
        let with_a = self.partner(a);
        if with_a < *b {
            out.push([a.clone(), with_a]);
        }
        let with_b = self.partner(b);
        if with_b < *a {
            out.push([with_b, b.clone()]);
        }
        // Differences tn with |tn − (b − a)| < t, from below.
        let d = b - a;
        let below = d.div_floor(&self.t).unwrap_or_default();
        let exact = &below * &self.t == d;
        let mut candidates = vec![below.clone()];
        if !exact {
            candidates.push(&below + &Int::ONE);
        }
        for n in candidates {
            let (small, large) = self.pair(&n.abs());
            let left = if n.is_negative() {
                [large, small]
            } else {
                [small, large]
            };
            if left[0] < *a && left[1] < *b {
                out.push(left);
            }
        }
        out
    }
}

struct Pairs {
    rules: Rules,
    game: PairGame,
    unordered: bool,
}

impl Pairs {
    fn winning(&self, part: &Pos) -> Vec<Pos> {
        let mut out: Vec<Pos> = Vec::new();
        for mut left in self.game.moves(&part.0[0], &part.0[1]) {
            if self.unordered {
                left.sort();
            }
            let left = Pos(left.into_iter().collect());
            if !out.contains(&left) {
                out.push(left);
            }
        }
        out
    }
}

impl Solver for Pairs {
    fn finding(&self) -> String {
        let t = &self.game.t;
        if *t == 1 {
            "take any number from one heap or the same number from both: Wythoff's game".to_owned()
        } else {
            format!(
                "take any number from one heap, or k and l from the two with |k - l| < {t}: Wythoff's game with t = {t}"
            )
        }
    }

    fn outcome(&self, part: &Pos, _: &Budget) -> Result<Outcome> {
        Ok(Outcome::from_next_wins(
            !self.game.is_p(&part.0[0], &part.0[1]),
        ))
    }

    fn value(&self, _: &Pos, _: &Budget) -> Result<Option<Int>> {
        Ok(None)
    }

    /// All pairs of lesser heaps come up, each with as many options as stones and more.
    fn may_search(&self, part: &Pos) -> bool {
        let (a, b) = (&part.0[0], &part.0[1]);
        let options = &(a * b) * &(a + b);
        options <= Int::from(MOST_OPTIONS)
    }

    fn options(&self, part: &Pos, target: &Target, limit: usize, _: &Budget) -> Result<Options> {
        match target {
            Target::Value(v) if !v.is_zero() || self.game.misere => {
                return Err(Box::new(
                    Diagnostic::error(
                        Code::Unsupported,
                        &self.rules.game().source,
                        "Wythoff's theorem tells who wins, not Grundy values",
                    )
                    .help("ask for the outcome, or let search compute the value"),
                ));
            }
            _ => {}
        }
        let all = self.winning(part);
        Ok(Options {
            total: Int::from(all.len()),
            list: all.into_iter().take(limit).map(|p| vec![p]).collect(),
        })
    }

    fn explain(&self, part: &Pos, _: &Budget) -> Result<Vec<String>> {
        let t = &self.game.t;
        let shape = &self.rules.game().shape;
        let (a, b) = (&part.0[0], &part.0[1]);
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let d = b - a;
        let mut out = vec![if self.game.misere {
            "Who cannot move wins. The lost positions are (0, 1), (2, 2) and from n = 2 on the pairs (A, B) with \
             B = A + n and \
             A = floor((n + isqrt(5*n*n)) / 2): every number is in exactly one pair and every difference \
             belongs to one, so \
             no move leads from one to another, and from everywhere else some move leads to one."
                .to_owned()
        } else if *t == 1 {
            "The lost positions are the pairs (A, B) with B = A + n and A = floor((n + isqrt(5*n*n)) / 2), \
             n = 0, 1, 2, …: every number is in exactly one pair and every difference belongs to one, so \
             no move leads from one to another, and from everywhere else some move leads to one."
                .to_owned()
        } else {
            format!(
                "The lost positions are the pairs (A, B) with B = A + {t}*n and \
                 A = floor((n*(2 - {t}) + isqrt(n*n*({t}*{t} + 4))) \
                 / 2), n = 0, 1, 2, …: every number is in exactly one pair and every multiple of {t} \
                 is the difference of \
                 one, so no move leads from one to another, and from everywhere else some move leads to one."
            )
        }];
        let n = d.div_floor(t).unwrap_or_default();
        if &n * t != d {
            out.push(format!(
                "Here the difference {d} is not a multiple of {t}: the player to move wins."
            ));
        } else {
            let (small, large) = self.game.pair(&n);
            let wins = if small == *a {
                "that is this position, which is lost"
            } else {
                "not this position: the player to move wins"
            };
            out.push(format!(
                "Here the difference is {d}, n = {n}, and the pair is ({small}, {large}): {wins}."
            ));
        }
        for left in self.winning(part) {
            out.push(format!("A winning move leaves {}.", shape.display(&left)));
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(v: i64) -> Int {
        Int::from(v)
    }

    /// P-positions up to `to` by the definition, as `lost[a][b]`.
    fn slow(t: i64, misere: bool, to: usize) -> Vec<Vec<bool>> {
        let mut lost = vec![vec![false; to + 1]; to + 1];
        for a in 0..=to {
            for b in 0..=to {
                let reach = t as usize - 1;
                let one = (0..a).any(|x| lost[x][b]) || (0..b).any(|y| lost[a][y]);
                let two = || {
                    (1..=a).any(|k| {
                        (k.saturating_sub(reach).max(1)..=b.min(k + reach))
                            .any(|l| lost[a - k][b - l])
                    })
                };
                let end = a == 0 && b == 0;
                lost[a][b] = if end { !misere } else { !one && !two() };
            }
        }
        lost
    }

    #[test]
    fn pairs_and_moves_agree_with_the_definition() {
        for (t, misere) in [
            (1, false),
            (1, true),
            (2, false),
            (3, false),
            (4, false),
            (7, false),
        ] {
            let to = 90;
            let lost = slow(t, misere, to);
            let game = PairGame { t: int(t), misere };
            for a in 0..=to {
                for b in 0..=to {
                    let (x, y) = (int(a as i64), int(b as i64));
                    assert_eq!(
                        game.is_p(&x, &y),
                        lost[a][b],
                        "t={t} misere={misere} ({a}, {b})"
                    );
                    let mut good = Vec::new();
                    for k in 0..=a {
                        for l in 0..=b {
                            let legal = (k == 0) != (l == 0) || k > 0 && k.abs_diff(l) < t as usize;
                            if legal && lost[a - k][b - l] {
                                good.push([int((a - k) as i64), int((b - l) as i64)]);
                            }
                        }
                    }
                    let mut found = game.moves(&x, &y);
                    found.sort();
                    found.dedup();
                    good.sort();
                    assert_eq!(found, good, "t={t} misere={misere} ({a}, {b})");
                }
            }
        }
    }

    #[test]
    fn heaps_of_a_thousand_digits_have_exact_pairs() {
        for t in [1i64, 2, 5] {
            let game = PairGame {
                t: int(t),
                misere: false,
            };
            let mut n: Int = format!("1{}", "7".repeat(999)).parse().unwrap();
            for _ in 0..20 {
                let (a, b) = game.pair(&n);
                assert!(game.is_p(&b, &a));
                assert!(!game.is_p(&b, &(&a + &Int::ONE)));
                assert_eq!(game.partner(&a), b);
                assert_eq!(game.partner(&b), a);
                assert!(game.moves(&a, &b).is_empty());
                // Whatever stands between two pairs is in one of the other kind.
                let x = &a + &Int::ONE;
                assert_eq!(game.partner(&game.partner(&x)), x);
                for from in [
                    (&a + &n, &b + &n),
                    (&a + &Int::ONE, b.clone()),
                    (x.clone(), x.clone()),
                ] {
                    let moves = game.moves(&from.0, &from.1);
                    assert!(!moves.is_empty());
                    for [p, q] in moves {
                        assert!(game.is_p(&p, &q));
                    }
                }
                n = n.div_floor(&int(3)).unwrap();
            }
        }
    }

    #[test]
    fn known_values() {
        let game = PairGame {
            t: int(1),
            misere: false,
        };
        let n: Int = format!("1{}", "0".repeat(30)).parse().unwrap();
        assert_eq!(game.a(&n).to_string(), "1618033988749894848204586834365");
        // n = F(40): F(40)·φ is just below F(41), so a rounded φ takes the wrong pair of these two.
        assert!(game.is_p(&int(165_580_140), &int(267_914_295)));
        assert!(!game.is_p(&int(165_580_141), &int(267_914_296)));
        assert!(game.is_p(&int(0), &int(0)));
        assert!(game.is_p(&int(1), &int(2)) && game.moves(&int(1), &int(2)).is_empty());
        // (3, 4) has the diagonal to (1, 2) and nothing else; (14, 9) has the diagonal to (8, 13)'s mirror and a row.
        assert_eq!(game.moves(&int(3), &int(4)), vec![[int(1), int(2)]]);
    }
}
