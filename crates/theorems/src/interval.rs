//! Take from p to q: a heap from which any number from p to q may be taken, and perhaps all of it where fewer than p are
//! left.
//!
//! Let c = p + q and r = n mod c. *Values*, normal play: without the rest rule G(n) = ⌊r/p⌋ (Winning Ways, chapter 4, for
//! p = 1; own for all). The options of n are the heaps n − q to n − p: those that do not go below a multiple of c have
//! the remainders 0 to r − p, so all values less than ⌊r/p⌋, and the others have remainders from r + p on, so greater
//! values. With the rest rule G(n) = ⌈r/p⌉ for r ≤ q, else 0: for r = 0 the options have the remainders p to q, none of
//! value 0. For 1 ≤ r ≤ q those up to r − p have all values less than ⌈r/p⌉ if r ≥ p; else value 0 is that of the
//! remainder r − p + c > q, or of the heap of 0 by the rest rule; the others, from r + p on, have greater values or 0.
//! For r > q they are r − q to r − p, of which none is 0 and each is at most q.
//!
//! *Outcomes*, misère play: without the rest rule n is a P-position if p ≤ r < 2p. A heap of less than p has no move and
//! wins. From these r a move goes below a multiple of c to r + p or more, at least 2p, or to r − p, less than p: none of
//! them is a P-position; from r ≥ 2p taking r − p, which is at most q, leads to p, and from r < p, where n ≥ c, taking q
//! leads to r + p. With the rest rule the P-positions are 1 ≤ r ≤ p: from them moves lead to 0, or below a multiple of c,
//! to r + p or more (the heaps 1 to p have the one move to 0); from r > p taking min(q, r − 1) leads to max(r − q, 1) ≤
//! p, and from r = 0, n > 0, taking q leads to p.
//!
//! The rules are read by what they allow, in whatever way they are written: the relation of a heap to its options has to
//! be equal to one of the two. Cost: a division; options are counted by intervals.

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Play, Shape};
use grundy_lang::linear::relation::Relation;
use grundy_lang::linear::system::{Constraint, Lin};
use grundy_lang::value::Pos;

use crate::{Options, Result, Solver, Target, Theorem, WhyNot};

/// The theorem for the registry.
pub struct Interval;

impl Theorem for Interval {
    fn name(&self) -> &'static str {
        "interval"
    }

    fn title(&self) -> &'static str {
        "Taking from p to q"
    }

    fn source(&self) -> &'static str {
        "the proof is in the source of `interval`"
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        let game = rules.game();
        if game.shape != Shape::Int {
            return Err(WhyNot::new("a position is not a heap"));
        }
        if !game.ends.is_empty() {
            return Err(WhyNot::new("there is a `win if` or `lose if`"));
        }
        let relation = Relation::of_rules(rules).map_err(WhyNot)?;
        if !relation.exact() || !relation.opaque.is_empty() {
            return Err(WhyNot::new(
                "the heap left is not linear in the heap moved from",
            ));
        }
        if relation.cases.iter().any(|case| case.parts != 1) {
            return Err(WhyNot::new("a move does not leave one heap"));
        }
        let (n, m) = (relation.x(0), relation.y(0, 0));
        let taken = n.clone() - m.clone();
        // The least and the greatest number that may be taken where something is left.
        let (mut p, mut q): (Option<Int>, Option<Int>) = (None, None);
        for case in &relation.cases {
            let system = case.system.clone().with(Constraint::Ge(m.clone() - 1));
            if system.is_empty().yes() {
                continue;
            }
            let least = system.lower_bound(&taken);
            let most = system.lower_bound(&-taken.clone()).map(|low| -&low);
            let (Some(least), Some(most)) = (least, most) else {
                return Err(WhyNot::new("the number taken from a heap has no bound"));
            };
            p = Some(p.map_or(least.clone(), |p| p.min(least)));
            q = Some(q.map_or(most.clone(), |q| q.max(most)));
        }
        let (Some(p), Some(q)) = (p, q) else {
            return Err(WhyNot::new("a move leaves nothing"));
        };
        if p < Int::from(1) {
            return Err(WhyNot::new("a move may take nothing"));
        }
        let plain = vec![
            Constraint::Ge(taken.clone() - Lin::constant(p.clone())),
            Constraint::Ge(Lin::constant(q.clone()) - taken),
        ];
        let all = vec![
            Constraint::Eq(m),
            Constraint::Ge(n.clone() - 1),
            Constraint::Ge(Lin::constant(p.clone()) - n - 1),
        ];
        let without = relation.like([(1, plain.clone())]);
        let rest = if relation.equal(&without).yes() {
            false
        } else if relation.equal(&relation.like([(1, plain), (1, all)])).yes() {
            true
        } else {
            return Err(WhyNot(format!(
                "not every number from {p} to {q} may be taken from every heap"
            )));
        };
        Ok(Box::new(IntervalSolver {
            name: crate::heap_name(game).to_owned(),
            cycle: &p + &q,
            p,
            q,
            rest,
            misere: game.play == Play::Misere,
        }))
    }
}

struct IntervalSolver {
    name: String,
    p: Int,
    q: Int,
    /// p + q.
    cycle: Int,
    /// Whether fewer than p may be taken where there are no more.
    rest: bool,
    misere: bool,
}

impl IntervalSolver {
    fn phase(&self, heap: &Int) -> Int {
        heap.mod_floor(&self.cycle).expect("p + q is not 0")
    }

    /// The value in normal play.
    fn value_of(&self, heap: &Int) -> Int {
        let r = self.phase(heap);
        let over = |r: &Int| r.div_floor(&self.p).expect("p is not 0");
        if !self.rest {
            return over(&r);
        }
        if r > self.q {
            return Int::ZERO;
        }
        over(&(&(&r + &self.p) - &Int::from(1)))
    }

    fn is_p(&self, heap: &Int) -> bool {
        let wanted = self.remainders(&Int::ZERO);
        let r = self.phase(heap);
        wanted.iter().any(|(low, high)| *low <= r && r <= *high)
    }

    /// The remainders of heaps with a value, or in misère play of the P-positions: from one to another, none twice.
    fn remainders(&self, value: &Int) -> Vec<(Int, Int)> {
        let one = Int::from(1);
        let last = &self.cycle - &one;
        let low = value * &self.p;
        match (self.misere, self.rest) {
            (true, false) => vec![(self.p.clone(), &(&self.p + &self.p) - &one)],
            (true, true) => vec![(one, self.p.clone())],
            (false, false) => vec![(low.clone(), (&(&low + &self.p) - &one).min(last))],
            (false, true) if value.is_zero() => {
                vec![(Int::ZERO, Int::ZERO), (&self.q + &one, last)]
            }
            (false, true) => {
                let high = low.clone().min(self.q.clone());
                vec![(&(&low - &self.p) + &one, high)]
            }
        }
    }

    /// The options whose remainders are in an interval, as intervals of heaps, from the least on.
    fn found(&self, heap: &Int, value: &Int) -> Vec<(Int, Int)> {
        let mut found = Vec::new();
        let mut add = |low: Int, high: Int| {
            for (a, b) in self.remainders(value) {
                // The turns in which the remainders may be options.
                let mut turn = (&low - &b).div_floor(&self.cycle).expect("p + q is not 0");
                while &(&turn * &self.cycle) + &a <= high {
                    let start = &turn * &self.cycle;
                    let first = (&start + &a).max(low.clone());
                    let last = (&start + &b).min(high.clone());
                    if first <= last {
                        found.push((first, last));
                    }
                    turn = &turn + &Int::from(1);
                }
            }
        };
        if *heap >= self.p {
            add((heap - &self.q).max(Int::ZERO), heap - &self.p);
        } else if self.rest && !heap.is_zero() {
            add(Int::ZERO, Int::ZERO);
        }
        found.sort_unstable();
        found
    }
}

impl Solver for IntervalSolver {
    fn finding(&self) -> String {
        let (p, q) = (&self.p, &self.q);
        let rest = if self.rest {
            ", or all where fewer are left"
        } else {
            ""
        };
        format!("from {p} to {q} may be taken{rest}")
    }

    fn outcome(&self, part: &Pos, _: &Budget) -> Result<Outcome> {
        Ok(Outcome::from_next_wins(!self.is_p(&part.0[0])))
    }

    fn value(&self, part: &Pos, _: &Budget) -> Result<Option<Int>> {
        Ok((!self.misere).then(|| self.value_of(&part.0[0])))
    }

    fn options(&self, part: &Pos, target: &Target, limit: usize, _: &Budget) -> Result<Options> {
        let value = match target {
            Target::Value(v) if v.is_negative() => return Ok(Options::default()),
            Target::Value(v) => v.clone(),
            Target::P => Int::ZERO,
        };
        let mut out = Options::default();
        for (first, last) in self.found(&part.0[0], &value) {
            let count = &(&last - &first) + &Int::from(1);
            out.total = &out.total + &count;
            let mut heap = first;
            while heap <= last && out.list.len() < limit {
                out.list
                    .push(vec![Pos([heap.clone()].into_iter().collect())]);
                heap = &heap + &Int::from(1);
            }
        }
        Ok(out)
    }

    fn explain(&self, part: &Pos, _: &Budget) -> Result<Vec<String>> {
        let (name, p, q, c) = (&self.name, &self.p, &self.q, &self.cycle);
        let heap = &part.0[0];
        let r = self.phase(heap);
        let mut out = vec![format!(
            "After a move that takes k the other player can take {c} − k, so that only the remainder r of {name} divided by \
             {p} + {q} = {c} counts."
        )];
        out.push(match (self.misere, self.rest) {
            (true, false) => {
                let end = &(p + p) - &Int::from(1);
                format!("{name} is a P-position if r is from {p} to {end}: then no move leaves such a remainder, and else one does.")
            }
            (true, true) => {
                format!("{name} is a P-position if r is from 1 to {p}: then no move leaves such a remainder, and else one does.")
            }
            (false, false) => format!("The value is r divided by {p}, rounded down."),
            (false, true) => format!("The value is r divided by {p}, rounded up, or 0 if r is more than {q}."),
        });
        let stands = if self.is_p(heap) {
            "a P-position"
        } else {
            "an N-position"
        };
        let value = if self.misere {
            String::new()
        } else {
            format!("the value is {} and ", self.value_of(heap))
        };
        let to = self.found(heap, &Int::ZERO);
        let leave = to
            .first()
            .map_or_else(String::new, |(m, _)| format!(": leave {m}"));
        out.push(format!(
            "For {heap} r is {r}, so {value}{heap} is {stands}{leave}."
        ));
        Ok(out)
    }
}
