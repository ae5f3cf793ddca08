//! A Nim heap: a counter from which any positive number may be taken.
//!
//! Recognised: the options of n are exactly 0, …, n−1, each as one part, however they are written (`n -> n - k for k in
//! 1..n`, `n -> k for k in 0..n-1`), other rules whose options are among these included, and counters beside n that no
//! move changes. Then the Grundy value of n is n, by induction: n = mex{0, …, n−1}. Misère, a heap played alone is lost
//! for the player to move at n = 1 only: from there the one move takes the last, and from every n ≥ 2 there is a move
//! to 1.
//!
//! Sums of heaps in misère play follow the rule of C. L. Bouton, Nim, a game with a complete mathematical theory,
//! Annals of Mathematics 3 (1901/02): see [`misere_nim`].
//!
//! Cost: none but that of comparing numbers, for heaps of any size.

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::interp::Rules;
use grundy_lang::ir::Play;
use grundy_lang::value::Pos;

use crate::cases::{Interval, intervals};
use crate::terms::{Poly, follows};
use crate::{Options, Result, Solver, Target, Theorem, WhyNot};

/// The theorem.
pub struct NimHeap;

impl Theorem for NimHeap {
    fn name(&self) -> &'static str {
        "nim-heap"
    }

    fn title(&self) -> &'static str {
        "Nim heap"
    }

    fn source(&self) -> &'static str {
        "C. L. Bouton, Nim, a game with a complete mathematical theory, Annals of Mathematics 3 (1901/02)"
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        let (x, intervals) = intervals(rules)?;
        let last = Poly::var(x).minus(&Poly::one());
        for i in &intervals {
            if !below(i, x, &last) {
                let text = rules.game().source.slice(rules.game().moves[i.rule].span);
                return Err(WhyNot::new(format!(
                    "`{}` does not always lower the counter",
                    text.trim()
                )));
            }
        }
        if !intervals.iter().any(|i| full(i, &last)) {
            return Err(WhyNot::new(
                "no rule takes every number from 1 to all that there is",
            ));
        }
        Ok(Box::new(Heap {
            rules: rules.clone(),
            x,
            misere: rules.game().play == Play::Misere,
        }))
    }
}

/// Whether every new value is at most x − 1.
fn below(i: &Interval, x: usize, last: &Poly) -> bool {
    let mut facts = i.guards.clone();
    for upper in &i.upper {
        facts.push(upper.clone());
        facts.extend(i.lower.iter().map(|lower| upper.minus(lower)));
    }
    let above_zero = follows(last, &facts);
    i.upper.iter().any(|u| {
        let gap = last.minus(u);
        // Never negative at x = 1, and never falling from there on.
        let at_one = || {
            gap.substitute(x, &Poly::one())
                .is_some_and(|p| p.nonnegative())
        };
        follows(&gap, &facts) || above_zero && gap.growth(x).never_negative() && at_one()
    })
}

/// Whether every number from 0 to x − 1 is a new value, where x ≥ 1.
fn full(i: &Interval, last: &Poly) -> bool {
    let facts = [last.clone()];
    let minus = Int::from(-1);
    i.guards.iter().all(|g| follows(g, &facts))
        && i.upper.iter().all(|u| follows(&u.minus(last), &facts))
        && i.lower.iter().all(|l| follows(&l.scaled(&minus), &facts))
}

struct Heap {
    rules: Rules,
    x: usize,
    misere: bool,
}

impl Solver for Heap {
    fn finding(&self) -> String {
        "any positive number may be taken from the heap".to_owned()
    }

    fn nim_heap(&self, part: &Pos) -> Option<Int> {
        Some(part.0[self.x].clone())
    }

    fn outcome(&self, part: &Pos, _: &Budget) -> Result<Outcome> {
        let p = Int::from(i64::from(self.misere));
        Ok(Outcome::from_next_wins(part.0[self.x] != p))
    }

    fn value(&self, part: &Pos, _: &Budget) -> Result<Option<Int>> {
        Ok((!self.misere).then(|| part.0[self.x].clone()))
    }

    /// In misère play `Target::Value` asks for the size of the heap that is left, as a sum of Nim heaps needs it.
    fn options(&self, part: &Pos, target: &Target, limit: usize, _: &Budget) -> Result<Options> {
        let wanted = match target {
            Target::Value(v) => v.clone(),
            Target::P => Int::from(i64::from(self.misere)),
        };
        if wanted.is_negative() || wanted >= part.0[self.x] {
            return Ok(Options::default());
        }
        let mut left = part.clone();
        left.0[self.x] = wanted;
        Ok(Options {
            list: if limit == 0 {
                Vec::new()
            } else {
                vec![vec![left]]
            },
            total: Int::ONE,
        })
    }

    fn explain(&self, part: &Pos, budget: &Budget) -> Result<Vec<String>> {
        let n = &part.0[self.x];
        let shape = &self.rules.game().shape;
        let mut out = vec![format!(
            "From a heap of n every smaller heap 0, …, n − 1 can be left, and nothing else: {} is a Nim heap of {n}.",
            shape.display(part)
        )];
        if !self.misere {
            out.push(format!("Its Grundy value is mex{{0, …, n − 1}} = n = {n}."));
            return Ok(out);
        }
        out.push("Who takes the last one loses, so one wants to leave exactly 1.".to_owned());
        out.push(match self.outcome(part, budget)? {
            Outcome::P => "There is 1, and the player to move must take it.".to_owned(),
            Outcome::N if n.is_zero() => {
                "Nothing is left: the other player took the last.".to_owned()
            }
            Outcome::N => format!("Take {} and leave 1.", n - &Int::ONE),
        });
        Ok(out)
    }
}

/// Who wins a sum of Nim heaps of these sizes when who cannot move wins (Bouton).
///
/// If some heap is larger than 1, the same positions are lost as in normal play: those with nim-sum 0. If all are 0 or
/// 1, moves alternate on the ones, and the player to move loses exactly at an odd number of them. The two agree at the
/// change: from a single large heap the player to move leaves 0 or 1 of it, whichever makes the number of ones odd.
///
/// ```
/// use grundy_core::{Int, Outcome};
/// use grundy_theorems::nim::misere_nim;
/// let heaps = |sizes: &[i64]| sizes.iter().map(|&n| Int::from(n)).collect::<Vec<_>>();
/// assert_eq!(misere_nim(&heaps(&[1, 1])), Outcome::N);
/// assert_eq!(misere_nim(&heaps(&[1, 1, 1])), Outcome::P);
/// assert_eq!(misere_nim(&heaps(&[2, 2])), Outcome::P);
/// assert_eq!(misere_nim(&[]), Outcome::N);
/// ```
pub fn misere_nim(heaps: &[Int]) -> Outcome {
    let nim_sum = heaps.iter().fold(Int::ZERO, |x, n| x.bitxor(n));
    let large = heaps.iter().any(|n| *n > Int::ONE);
    Outcome::from_next_wins(nim_sum.is_zero() != large)
}

/// For each heap the size to which it must be lowered to win a misère sum of Nim heaps; `None` where no move in it
/// wins. There is never more than one such size a heap.
pub fn misere_nim_moves(heaps: &[Int]) -> Vec<Option<Int>> {
    let nim_sum = heaps.iter().fold(Int::ZERO, |x, n| x.bitxor(n));
    let large = heaps.iter().filter(|n| **n > Int::ONE).count();
    heaps
        .iter()
        .map(|n| {
            let others = nim_sum.bitxor(n);
            let others_large = large > usize::from(*n > Int::ONE);
            // Only ones beside it: `others` is their parity, and together with what is left it must be odd.
            let wanted = if others_large {
                others
            } else {
                Int::ONE.bitxor(&others)
            };
            (wanted < *n).then_some(wanted)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn slow(heaps: &[i64], memo: &mut HashMap<Vec<i64>, bool>) -> bool {
        let mut key = heaps.to_vec();
        key.sort_unstable();
        if let Some(&wins) = memo.get(&key) {
            return wins;
        }
        let mut wins = key.iter().all(|&n| n == 0);
        for i in 0..key.len() {
            for left in 0..key[i] {
                let mut next = key.clone();
                next[i] = left;
                wins |= !slow(&next, memo);
            }
        }
        memo.insert(key, wins);
        wins
    }

    #[test]
    fn misere_sums_of_heaps_agree_with_search() {
        let mut memo = HashMap::new();
        for code in 0..7i64.pow(4) {
            let heaps: Vec<i64> = (0..4).map(|i| code / 7i64.pow(i) % 7).collect();
            let big: Vec<Int> = heaps.iter().map(|&n| Int::from(n)).collect();
            assert_eq!(
                misere_nim(&big).next_wins(),
                slow(&heaps, &mut memo),
                "{heaps:?}"
            );
            for (i, wanted) in misere_nim_moves(&big).into_iter().enumerate() {
                let good: Vec<i64> = (0..heaps[i])
                    .filter(|&left| {
                        let mut next = heaps.clone();
                        next[i] = left;
                        !slow(&next, &mut memo)
                    })
                    .collect();
                let wanted: Vec<i64> = wanted.iter().filter_map(Int::to_i64).collect();
                assert_eq!(wanted, good, "{heaps:?}, heap {i}");
            }
        }
    }
}
