//! Take any number: from one heap take any number past some, or some of the smaller numbers, and leave one heap; some moves may
//! leave two. Nim, Lasker's game and all-but sets are of the class, and what else `grundy_lang::linear::heap` reads as a code with
//! a tail.
//!
//! Values of such games grow without end. Where `grundy_find` proves that G(n + p) = G(n) + s for all n from n0 on (the theorems are
//! in the book's page "Certificates"), the value of a heap of any size is a division. Options: each value is that of one heap at most
//! in each residue class, and two heaps left are found by `sums`, which counts them without listing them.
//! Cost: the first heaps, in milliseconds; then for each class and each number that may be taken from two heaps the number's bits
//! by some s² states.

mod sums;

use std::collections::BTreeMap;

use grundy_core::{Budget, Code, Int, Outcome};
use grundy_find::{Heaps, Proof};
use grundy_lang::diag::{Code as DiagnosticCode, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::linear::heap::{self, Heap};
use grundy_lang::value::Pos;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{CheckedSub as _, ToPrimitive as _};

use crate::{Options, Result, Solver, Target, Theorem, WhyNot};
use sums::Sums;

/// Heaps by which a period has to be proved.
const HEAPS: usize = 2000;

/// The theorem for the registry.
pub struct TakeAny;

impl Theorem for TakeAny {
    fn name(&self) -> &'static str {
        "take-any"
    }

    fn title(&self) -> &'static str {
        "Arithmetic periods of take-any games"
    }

    fn source(&self) -> &'static str {
        "the proofs are in the book's page \"Certificates\""
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        let Heap { code, empty, .. } = heap::read(rules).map_err(WhyNot)?;
        if code.tail & 2 == 0 {
            return Err(WhyNot::new(
                "the number taken from a large heap, to leave one, has a bound",
            ));
        }
        if code.parts() > 2 {
            return Err(WhyNot::new("a move leaves more than two heaps"));
        }
        if code.tail & 4 != 0 {
            return Err(WhyNot::new(
                "the number taken from a large heap, to leave two, has no bound",
            ));
        }
        // How a large heap that is taken whole is written.
        let mut whole = empty.range(code.digits.len()..).map(|(_, parts)| parts);
        let last = whole.next_back();
        if code.tail & 1 != 0 && whole.any(|parts| Some(parts) != last) {
            return Err(WhyNot::new(
                "what is left of a heap taken whole is written in two ways",
            ));
        }
        Ok(Box::new(TakeAnySolver::new(rules, code, empty)?))
    }
}

struct TakeAnySolver {
    rules: Rules,
    code: Code,
    /// What a heap taken whole leaves by the rules; past the last one, what that leaves.
    empty: BTreeMap<usize, Vec<Pos>>,
    /// G(n + p) = G(n) + s from n0 ≥ 1 on, s > 0, and the values of the heaps below n0 + p.
    n0: usize,
    p: usize,
    s: u64,
    values: Vec<u64>,
    proof: Proof,
}

/// Options as heaps, and how many there are.
type Found = (Vec<Vec<BigUint>>, BigUint);

impl TakeAnySolver {
    fn new(
        rules: &Rules,
        code: Code,
        empty: BTreeMap<usize, Vec<Pos>>,
    ) -> std::result::Result<Self, WhyNot> {
        let mut heaps = Heaps::new(&code);
        let none = || {
            WhyNot::new(format!(
                "the heaps below {HEAPS} prove no period of the values"
            ))
        };
        heaps.advance(HEAPS, &mut |_| false).map_err(|_| none())?;
        let period = heaps.period().ok_or_else(none)?;
        let (p, s, proof) = (period.period, period.saltus, period.proof.clone());
        if s == 0 {
            return Err(WhyNot::new("the values do not grow"));
        }
        let n0 = period.preperiod.max(1);
        Ok(TakeAnySolver {
            rules: rules.clone(),
            values: heaps.values(0..n0 + p),
            code,
            empty,
            n0,
            p,
            s,
            proof,
        })
    }

    /// Turns through the period, and the heap in it that is meant.
    fn turns(&self, heap: &BigUint) -> (BigUint, usize) {
        let known = BigUint::from(self.values.len());
        if *heap < known {
            return (BigUint::default(), small(heap));
        }
        let (turns, phase) = (heap - self.n0).div_rem(&self.p.into());
        (turns, self.n0 + small(&phase))
    }

    fn value_of(&self, heap: &BigUint) -> BigUint {
        let (turns, first) = self.turns(heap);
        turns * self.s + self.values[first]
    }

    fn allows(&self, taken: &BigUint, heaps: usize) -> bool {
        let past = self.code.digits.len();
        let taken = taken.to_usize().unwrap_or(past).min(past);
        self.code.allows(taken, heaps)
    }

    /// The options of a heap that have a value, up to `limit` of them; `None` if they cannot be counted.
    fn found(
        &self,
        heap: &BigUint,
        wanted: &BigUint,
        limit: usize,
        budget: &Budget,
    ) -> Option<Found> {
        let mut list = Vec::new();
        let zero = BigUint::ZERO;
        if *wanted == zero && *heap > zero && self.allows(heap, 0) {
            list.push(vec![]);
        }
        list.extend(self.singles(wanted).into_iter().filter_map(|m| {
            let taken = (m <= *heap).then(|| heap - &m)?;
            self.allows(&taken, 1).then(|| vec![m])
        }));
        let mut total = BigUint::from(list.len());
        list.truncate(limit);
        for (taken, _) in (0..).zip(&self.code.digits).filter(|(_, d)| **d & 4 != 0) {
            let taken = BigUint::from(taken as u64);
            if taken < *heap {
                let (pairs, count) =
                    self.pairs(&(heap - taken), wanted, limit - list.len(), budget)?;
                list.extend(pairs);
                total += count;
            }
        }
        Some((list, total))
    }

    /// The heaps with a value, in order.
    fn singles(&self, value: &BigUint) -> Vec<BigUint> {
        let early = (1..self.n0).filter(|&m| *value == self.values[m].into());
        let mut heaps: Vec<BigUint> = early.map(BigUint::from).collect();
        for (first, &least) in self.values.iter().enumerate().skip(self.n0) {
            if *value >= least.into() {
                let (turns, rest) = (value - least).div_rem(&self.s.into());
                if rest == BigUint::ZERO {
                    heaps.push(turns * self.p + first);
                }
            }
        }
        heaps.sort_unstable();
        heaps
    }

    /// The ways to leave two heaps of a sum, those of which the lesser one is least first.
    fn pairs(
        &self,
        sum: &BigUint,
        wanted: &BigUint,
        limit: usize,
        budget: &Budget,
    ) -> Option<Found> {
        let mut list = Vec::new();
        let (mut early, mut total, mut equal) = (0u64, BigUint::ZERO, BigUint::ZERO);
        // A heap before the period.
        for a in 1..self.n0 {
            let (a, value) = (BigUint::from(a), self.values[a]);
            let Some(b) = sum.checked_sub(&a).filter(|b| *b >= a) else {
                break;
            };
            if BigUint::from(value) ^ self.value_of(&b) == *wanted && !(self.code.unequal && a == b)
            {
                early += 1;
                list.push(vec![a, b]);
            }
        }
        // None: each pair of unequal heaps is counted with either of them as the first one.
        let rest = sum.checked_sub(&BigUint::from(2 * self.n0));
        let rests = (0..self.p).map_while(|i| Some((i, rest.as_ref()?.checked_sub(&i.into())?)));
        for (i, rest) in rests {
            if budget.stopped() {
                return None;
            }
            let (turns, j) = rest.div_rem(&self.p.into());
            let j = small(&j);
            let sums = Sums {
                step: self.s,
                first: [self.values[self.n0 + i], self.values[self.n0 + j]],
                sum: &turns,
                wanted,
            };
            let ways = sums.ways()?;
            total += ways.count();
            if i == j && *wanted == BigUint::ZERO && !turns.bit(0) {
                equal += 1u8;
            }
            let mut left = limit;
            ways.each(|u| {
                let a = u * self.p + self.n0 + i;
                let b = sum - &a;
                if a > b || left == 0 {
                    return false;
                }
                if !(self.code.unequal && a == b) {
                    left -= 1;
                    list.push(vec![a, b]);
                }
                true
            });
        }
        list.sort_unstable();
        list.truncate(limit);
        let pairs = if self.code.unequal {
            total - equal
        } else {
            total + equal
        };
        Some((list, pairs / 2u8 + early))
    }

    fn options_of(
        &self,
        part: &Pos,
        wanted: &BigUint,
        limit: usize,
        budget: &Budget,
    ) -> Result<Found> {
        self.found(&heap(part), wanted, limit, budget)
            .ok_or_else(|| {
                let source = &self.rules.game().source;
                Box::new(if budget.stopped() {
                    let message = "stopped before the options were counted";
                    Diagnostic::error(DiagnosticCode::Interrupted, source, message)
                } else {
                    let message = "there are too many ways to leave two heaps to count the options";
                    let game = self.rules.game();
                    Diagnostic::error(DiagnosticCode::TooLarge, source, message)
                        .note(format!("asked for {}", game.shape.display(part)))
                        .help("ask for a smaller heap")
                })
            })
    }
}

/// The size of the only heap of a part.
fn heap(part: &Pos) -> BigUint {
    part.0[0].to_big().to_biguint().unwrap_or_default()
}

/// A number that is known to be an index.
fn small(n: &BigUint) -> usize {
    n.to_usize().expect("less than the number of values")
}

impl Solver for TakeAnySolver {
    fn finding(&self) -> String {
        let code = self.code.text().map_or_else(
            || {
                format!(
                    "any number past {} may be taken",
                    self.code.digits.len().saturating_sub(1)
                )
            },
            |code| format!("the code {code}"),
        );
        let (p, s, n0) = (self.p, self.s, self.n0);
        format!("{code}; values grow by {s} in each period of {p} from {n0} on")
    }

    fn outcome(&self, part: &Pos, _: &Budget) -> Result<Outcome> {
        Ok(Outcome::from_next_wins(
            self.value_of(&heap(part)) != BigUint::ZERO,
        ))
    }

    fn value(&self, part: &Pos, _: &Budget) -> Result<Option<Int>> {
        Ok(Some(Int::from(BigInt::from(self.value_of(&heap(part))))))
    }

    fn options(
        &self,
        part: &Pos,
        target: &Target,
        limit: usize,
        budget: &Budget,
    ) -> Result<Options> {
        let wanted = match target {
            Target::P => Some(BigUint::ZERO),
            Target::Value(v) => v.to_big().to_biguint(),
        };
        let Some(wanted) = wanted else {
            return Ok(Options::default());
        };
        let (list, total) = self.options_of(part, &wanted, limit, budget)?;
        let whole = || match part.0[0].to_usize().and_then(|n| self.empty.get(&n)) {
            Some(parts) => parts.clone(),
            None => self.empty.values().next_back().cloned().unwrap_or_default(),
        };
        let parts = |heaps: Vec<BigUint>| {
            if heaps.is_empty() {
                return whole();
            }
            let parts = heaps.into_iter().map(|h| Int::from(BigInt::from(h)));
            parts.map(|h| Pos([h].into_iter().collect())).collect()
        };
        Ok(Options {
            list: list.into_iter().map(parts).collect(),
            total: Int::from(BigInt::from(total)),
        })
    }

    fn explain(&self, part: &Pos, budget: &Budget) -> Result<Vec<String>> {
        let name = crate::heap_name(self.rules.game());
        let (p, s, n0) = (self.p, self.s, self.n0);
        let why = match self.proof {
            Proof::Cofinite { state_at } => format!(
                "all that the value of heap {state_at} is found from, the values missing so far and those of the heaps just before, \
                 comes again {p} heaps later, {s} higher"
            ),
            _ => "no option can have the value of its heap, and each smaller value is that of an option which larger heaps \
                  have as well"
                .to_owned(),
        };
        let mut out = vec![format!(
            "G({name} + {p}) = G({name}) + {s} for every {name} from {n0} on: {why}."
        )];
        let heap = heap(part);
        let (turns, first) = self.turns(&heap);
        let value = self.value_of(&heap);
        let early = self.values[first];
        out.push(if turns == BigUint::ZERO {
            format!("G({heap}) = {value} is one of the first values, each the mex of its options.")
        } else {
            format!("{heap} = {first} + {p} · {turns}, so G({heap}) = {early} + {s} · {turns} = {value}.")
        });
        if value == BigUint::ZERO {
            out.push(format!(
                "G({heap}) = 0: no option has value 0, and {heap} is a P-position."
            ));
            return Ok(out);
        }
        let (list, total) = self.options_of(part, &BigUint::ZERO, 1, budget)?;
        let to = list.first().map(|heaps| {
            let heaps: Vec<String> = heaps.iter().map(BigUint::to_string).collect();
            heaps.join(" + ")
        });
        let to = to
            .filter(|t| !t.is_empty())
            .unwrap_or_else(|| "nothing".to_owned());
        let moves = if total == BigUint::from(1u8) {
            "1 winning move".to_owned()
        } else {
            format!("{total} winning moves")
        };
        out.push(format!(
            "G({heap}) is not 0, so {heap} is an N-position: leave {to}, of nim-sum 0 ({moves} in all)."
        ));
        Ok(out)
    }
}
