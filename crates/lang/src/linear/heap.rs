//! Rules of one heap read as a take-and-break code, exactly.
//!
//! The rules are read as linear relations between the heap n and the heaps left. For each number t taken and number r of
//! non-empty heaps left it is decided, for all n ≥ B at once, whether no way to leave r heaps of n − t is allowed, or every
//! way is, or every way in which the heaps differ and no other (integer linear systems, exact); if only some are, the rules
//! are refused. Where the number taken has no bound, the same is decided for all t past a bound together. Heaps below B are
//! compared with the interpreter, and where they differ their own options are kept; with a tail they may not differ. A heap
//! of 0 must have no move at all, not even to nothing: only then is it no heap. The order of heaps does not matter.
//!
//! So codes and rules written out in whatever way are one class. Cost: milliseconds; a few emptiness tests of systems for
//! each t, and the options of the heaps below B, all of which are bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use grundy_core::{Code, Int};

use super::relation::Relation;
use super::system::{Constraint, Lin, System, Union};
use crate::diag::Code as DiagnosticCode;
use crate::interp::Rules;
use crate::ir::{Play, Shape};
use crate::value::Pos;

/// At most this many heaps are left by a move.
const MOST_PARTS: usize = 6;
/// At most this much is taken by a move, but for a tail.
const MOST_TAKEN: i64 = 256;
/// Heaps below B are asked of the interpreter, so B is bounded.
const MOST_BELOW: i64 = 600;
/// And so are the options of these heaps together.
const MOST_SMALL: usize = 200_000;
/// And so are the values of quantifiers tried for them, most of which a guard may leave out.
const MOST_TRIED: u64 = 1 << 22;

/// Rules of one heap as a code.
#[derive(Clone, Debug)]
pub struct Heap {
    /// The moves of every heap that has no options of its own.
    pub code: Code,
    /// Options of small heaps that are not those of the code, as sorted non-empty heaps; the index is the heap. The last
    /// entry is not `None`, and a code with a tail has no entries.
    pub small: Vec<Option<Vec<Vec<u64>>>>,
    /// What a move to nothing leaves by the rules, an empty sum or heaps of 0, for the heaps that have one. It is complete
    /// where the code has no tail.
    pub empty: BTreeMap<usize, Vec<Pos>>,
    /// The interpreter was asked about the heaps below this, the linear systems about all others.
    pub below: u64,
}

/// Reads the rules of a game, parameters bound; `Err` says what is in the way.
pub fn read(rules: &Rules) -> Result<Heap, String> {
    let game = rules.game();
    if game.shape != Shape::Int {
        return Err("a position is not a heap".to_owned());
    }
    if game.play != Play::Normal || !game.ends.is_empty() {
        let why = "values add in normal play only, without `win if` and `lose if`";
        return Err(why.to_owned());
    }
    if game.moves.is_empty() {
        return Err("there are no moves".to_owned());
    }
    let relation = Relation::of_rules(rules)?;
    if !relation.exact() || !relation.opaque.is_empty() {
        return Err("the heaps left are not linear in the heap moved from".to_owned());
    }
    let parts = relation.cases.iter().map(|c| c.parts).max().unwrap_or(0);
    if parts > MOST_PARTS {
        return Err(format!("a move leaves more than {MOST_PARTS} heaps"));
    }
    // The rules may have heaps of their own up to the numbers in them; often they are plain from the first.
    let numbers = relation.cases.iter().flat_map(|c| c.system.constraints());
    let numbers = numbers
        .map(|c| c.lin().offset().abs())
        .max()
        .unwrap_or_default()
        .to_i64()
        .unwrap_or(i64::MAX);
    let far = numbers.saturating_mul(2).saturating_add(8);
    // Past the numbers in the rules nothing happens that depends on the number taken.
    let past = numbers.saturating_add(1);
    let uniform = match Uniform::of(&relation, 4, past) {
        Err(_) if far <= MOST_BELOW => Uniform::of(&relation, far, past),
        near => near,
    };
    compare(rules, uniform?)
}

/// The code that the rules are for heaps from a bound on, but for moves to nothing below it.
struct Uniform {
    /// Without bit 0.
    digits: Vec<u64>,
    tail: u64,
    unequal: bool,
    below: i64,
}

/// Which ways to leave r heaps, two or more, are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    All,
    Unequal,
}

impl Uniform {
    fn of(relation: &Relation, from: i64, past: i64) -> Result<Uniform, String> {
        let mut bounded: Vec<(usize, System, std::ops::RangeInclusive<i64>)> = Vec::new();
        let mut unbounded: Vec<(usize, System)> = Vec::new();
        for case in &relation.cases {
            for empty in 0u32..1 << case.parts {
                let (r, system) = without_empty(&case.system, case.parts, empty, from);
                if system.is_empty().yes() {
                    continue;
                }
                let taken = taken(r);
                let lo = system.lower_bound(&taken);
                let lo = lo.and_then(|lo| lo.to_i64()).unwrap_or(i64::MIN);
                if lo < 0 && !system.implies(&Constraint::Ge(taken.clone())).yes() {
                    return Err("a move may leave more than there was".to_owned());
                }
                match system.lower_bound(&-taken) {
                    Some(hi) => {
                        let hi = (-&hi).to_i64().unwrap_or(i64::MAX);
                        if hi > MOST_TAKEN {
                            return Err(format!("a move may take more than {MOST_TAKEN}"));
                        }
                        bounded.push((r, system, lo.max(0)..=hi));
                    }
                    None => unbounded.push((r, system)),
                }
            }
        }
        let mut most = 0;
        if !unbounded.is_empty() {
            if past > MOST_TAKEN {
                return Err(format!(
                    "a move may take any number, and the rules have numbers past {MOST_TAKEN}"
                ));
            }
            most = past;
        }
        let mut classes: BTreeMap<(i64, usize), Vec<System>> = BTreeMap::new();
        let all_t = bounded.iter().map(|(_, _, t)| *t.end()).max().unwrap_or(0);
        let rest = 0..=most.max(all_t);
        let fixed = bounded.iter().map(|(r, system, t)| (*r, system, t.clone()));
        let free = unbounded.iter().map(|(r, s)| (*r, s, rest.clone()));
        for (r, system, range) in fixed.chain(free) {
            for t in range {
                let system = system.clone().with(Constraint::Eq(taken(r) - t));
                if !system.is_empty().yes() {
                    if t == 0 && r <= 1 {
                        return Err("a move may leave the heap as it is".to_owned());
                    }
                    most = most.max(t);
                    classes.entry((t, r)).or_default().push(system);
                }
            }
        }
        let mut out = Uniform {
            digits: vec![0; most as usize + 1],
            tail: 0,
            unequal: false,
            below: from.max(most + MOST_PARTS as i64 + 2),
        };
        let mut kind: Option<Ways> = None;
        for ((t, r), systems) in classes {
            // Without heaps only n = t is left, which is below the bound.
            if r == 0 {
                continue;
            }
            let when = format!("when {t} is taken");
            let ways = covered(r, &systems, out.below, Constraint::Eq(taken(r) - t), &when)?;
            one_kind(&mut kind, r, ways)?;
            out.digits[t as usize] |= 1 << r;
        }
        let mut tails: BTreeMap<usize, Vec<System>> = BTreeMap::new();
        for (r, system) in unbounded {
            let far = system
                .with(Constraint::Ge(taken(r) - most - 1))
                .with(Constraint::Ge(Lin::var(0) - out.below));
            if !far.is_empty().yes() {
                tails.entry(r).or_default().push(far);
            }
        }
        for (r, systems) in tails {
            let when = format!("when more than {most} is taken");
            let far = Constraint::Ge(taken(r) - most - 1);
            let ways = covered(r, &systems, out.below, far, &when)?;
            one_kind(&mut kind, r, ways)?;
            out.tail |= 1 << r;
        }
        out.unequal = kind == Some(Ways::Unequal);
        Ok(out)
    }
}

/// A code says of all its splits alike whether the heaps must differ.
fn one_kind(kind: &mut Option<Ways>, r: usize, ways: Ways) -> Result<(), String> {
    if r < 2 || *kind.get_or_insert(ways) == ways {
        return Ok(());
    }
    Err("some splits may leave equal heaps and others may not".to_owned())
}

/// Whether all ways to leave r heaps are allowed where the number taken is as said, or all but those with equal heaps.
fn covered(
    r: usize,
    systems: &[System],
    below: i64,
    amount: Constraint,
    when: &str,
) -> Result<Ways, String> {
    let all = |apart: i64| {
        let mut all = System::new(r + 1);
        all.add(Constraint::Ge(Lin::var(0) - below));
        all.add(amount.clone());
        all.add(Constraint::Ge(taken(r)));
        if r > 0 {
            all.add(Constraint::Ge(Lin::var(1) - 1));
        }
        for i in 1..r {
            all.add(Constraint::le(Lin::var(i) + apart, Lin::var(i + 1)));
        }
        Union(vec![all])
    };
    let by = |ways: &Union| {
        let mut covered = ways.subset(&Union(systems.to_vec()));
        if !covered.yes() && r > 1 && r <= 4 {
            covered = ways.subset(&Union(in_every_order(systems, r)));
        }
        covered
    };
    let truth = by(&all(0));
    if truth.yes() {
        return Ok(Ways::All);
    }
    let equal = |i: usize, j: usize| Constraint::Eq(Lin::var(i) - Lin::var(j));
    let mut pairs = (1..=r).flat_map(|j| (1..j).map(move |i| (i, j)));
    let differ = r > 1
        && pairs.all(|(i, j)| {
            let mut with = systems.iter().map(|s| s.clone().with(equal(i, j)));
            with.all(|s| s.is_empty().yes())
        });
    if differ && by(&all(1)).yes() {
        return Ok(Ways::Unequal);
    }
    Err(if truth.no() {
        format!("{when}, {r} heaps can be left in some ways but not in all")
    } else {
        format!("it was not decided whether {r} heaps can be left in all ways {when}")
    })
}

/// n − y₁ − … − y_r
fn taken(r: usize) -> Lin {
    (1..=r).fold(Lin::var(0), |sum, i| sum - Lin::var(i))
}

/// The moves of a case in which exactly the parts marked are empty, over n and the other parts, for n from a bound on.
fn without_empty(system: &System, parts: usize, empty: u32, from: i64) -> (usize, System) {
    let r = parts - empty.count_ones() as usize;
    let place = |v: usize| match v {
        0 => 0,
        v if v <= parts => {
            let before = (empty & ((1 << (v - 1)) - 1)).count_ones() as usize;
            if empty >> (v - 1) & 1 == 1 {
                r + 1 + before
            } else {
                v - before
            }
        }
        v => v,
    };
    let mut out = system.renamed(r + 1, system.variables(), place);
    out.add(Constraint::Ge(Lin::var(0) - from));
    for i in 1..=r {
        out.add(Constraint::Ge(Lin::var(i) - 1));
    }
    for i in r + 1..=parts {
        out.add(Constraint::Eq(Lin::var(i)));
    }
    (r, out)
}

fn in_every_order(systems: &[System], r: usize) -> Vec<System> {
    let mut orders: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..r {
        orders = orders
            .into_iter()
            .flat_map(|o| {
                (1..=r)
                    .filter(|i| !o.contains(i))
                    .map(|i| [o.as_slice(), &[i]].concat())
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    let turned = |s: &System, o: &[usize]| {
        s.renamed(s.free(), s.variables(), |v| {
            if (1..=r).contains(&v) { o[v - 1] } else { v }
        })
    };
    systems
        .iter()
        .flat_map(|s| orders.iter().map(move |o| turned(s, o)))
        .collect()
}

/// The code with the heaps below the bound as the interpreter has them.
fn compare(rules: &Rules, uniform: Uniform) -> Result<Heap, String> {
    let below = uniform.below.max(1) as usize;
    let mut machine = rules.machine().with_patience(MOST_TRIED);
    let (mut small, mut empty) = (Vec::new(), BTreeMap::new());
    let mut count = 0;
    for n in 0..below {
        let pos = Pos([Int::from(n)].into_iter().collect());
        let mut options: BTreeSet<Vec<u64>> = BTreeSet::new();
        let mut wrong = None;
        let flow = machine.options(&pos, &mut |option| {
            let mut heaps: Vec<u64> = Vec::with_capacity(option.parts.len());
            heaps.extend(
                option
                    .parts
                    .iter()
                    .filter_map(|p| p.0[0].to_u64())
                    .filter(|&h| h > 0),
            );
            heaps.sort_unstable();
            count += 1;
            if n == 0 {
                // Heaps of 0 are left out of options, so a move there, though it leaves nothing, would be lost.
                wrong = Some("a heap of 0 has a move".to_owned());
            } else if heaps.iter().any(|&h| h >= n as u64) {
                wrong = Some(format!("a move from {n} leaves a heap that is not smaller"));
            } else if count > MOST_SMALL {
                wrong = Some("small heaps have too many options".to_owned());
            }
            if heaps.is_empty() {
                empty.entry(n).or_insert_with(|| option.parts.to_vec());
            }
            options.insert(heaps);
            if wrong.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        let _ = flow.map_err(|d| match d.code {
            DiagnosticCode::TooLarge => "small heaps have too many candidates".to_owned(),
            _ => format!("a small heap fails: {}", d.message),
        })?;
        if let Some(why) = wrong {
            return Err(why);
        }
        small.push(options);
    }
    let mut code = Code {
        digits: uniform.digits,
        tail: uniform.tail,
        unequal: uniform.unequal,
    };
    if code.tail != 0 {
        // Digits of t past the last one are the tail's, but for the move to nothing.
        code.digits.resize(below, code.tail & !1);
    }
    for &n in empty.keys() {
        if n >= code.digits.len() {
            code.digits.resize(n + 1, 0);
        }
        code.digits[n] |= 1;
    }
    while code.digits.last() == Some(&code.tail) {
        code.digits.pop();
    }
    let small = small.into_iter().enumerate().map(|(n, options)| {
        let same = code.options(n as u64, options.len() + 1) == options;
        (!same).then(|| options.into_iter().collect())
    });
    let mut small: Vec<Option<Vec<Vec<u64>>>> = small.collect();
    while small.last().is_some_and(|s| s.is_none()) {
        small.pop();
    }
    if code.tail != 0 && !small.is_empty() {
        let n = small.len() - 1;
        return Err(format!("any number may be taken, but not from {n} alike"));
    }
    Ok(Heap {
        code,
        small,
        empty,
        below: below as u64,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::diag::Source;
    use crate::value::Value;

    fn rules(text: &str) -> Rules {
        let (game, _) = crate::check::load(&Source::new("<test>", text)).unwrap();
        let zeros = vec![Value::Int(Int::ZERO); game.vars.len()];
        Rules::new(Arc::new(game), zeros)
    }

    fn code(text: &str) -> Code {
        read(&rules(text))
            .unwrap_or_else(|e| panic!("{text}: {e}"))
            .code
    }

    fn of(digits: &[u64], tail: u64, unequal: bool) -> Code {
        Code {
            digits: digits.to_vec(),
            tail,
            unequal,
        }
    }

    #[test]
    fn games_of_the_literature() {
        let kayles = "n -> [a, n - k - a] for k in 1..2, a in 0..(n-k)//2";
        assert_eq!(code(kayles), of(&[0, 7, 7], 0, false));
        let grundy = "n -> [a, n - a] for a in 1..(n-1)//2";
        assert_eq!(code(grundy), of(&[4], 0, true));
        let differ = "n -> [a, n - a] for a in 1..n-1 if a != n - a";
        assert_eq!(code(differ), of(&[4], 0, true));
        assert_eq!(code("n -> n - k for k in 1..n"), of(&[0], 3, false));
        assert_eq!(code("n -> k for k in 0..n-1"), of(&[0], 3, false));
        assert_eq!(code("n -> k for k in 1..n-1"), of(&[0], 2, false));
        let lasker = "n -> k for k in 0..n-1 | n -> [k, n-k] for k in 1..n//2";
        assert_eq!(code(lasker), of(&[4], 3, false));
        let two_at_least = "n -> [a, n - k - a] for k in 2..n, a in 0..n - k";
        assert_eq!(code(two_at_least), of(&[0, 0], 7, false));
    }

    #[test]
    fn numbers_left_out_of_a_tail() {
        for (set, digits) in [
            ("{2, 5}", &[0, 3, 0, 3, 3, 0][..]),
            ("{1}", &[0, 0]),
            ("{1, 4, 7, 8}", &[0, 0, 3, 3, 0, 3, 3, 0, 0]),
        ] {
            let text = format!("n -> n - k for k in 1..n if k not in {set}");
            assert_eq!(code(&text), of(digits, 3, false), "{text}");
        }
        // Only 1 and 4 may be taken to nothing.
        let text = "n -> n - k for k in 1..n-1 | n -> 0 if n == 1 or n == 4";
        assert_eq!(code(text), of(&[0, 3, 2, 2, 3], 2, false));
    }

    #[test]
    fn near_misses_are_refused() {
        for text in [
            "n -> n - k for k in 1..n//2",
            "n -> n - k for k in 1..n if k != 5 or n > 20",
            "n -> n - k for k in 1..n if n != 9",
            "n -> n - k for k in 1..n if k % 3 != 0",
            "n -> [a, n - a] for a in 1..(n-1)//2 | n -> [a, n - 1 - a] for a in 1..(n-1)//2",
            "n -> [a, n - a] for a in 1..(n-2)//2",
            "n -> [a, n - a] for a in 2..(n-1)//2",
            "n -> [a, n - k - a] for k in 1..n, a in 1..k",
            "n -> n - k for k in 0..n",
            "n -> n - k for k in 1..n | n -> n + 1 if n == 700",
        ] {
            let read = read(&rules(text));
            assert!(read.is_err(), "{text}: {read:?}");
        }
    }

    /// Whatever is read has the options that the interpreter gives, also for heaps that were not asked of it.
    #[test]
    fn what_is_read_has_the_options_of_the_rules() {
        let mut state = 5u64;
        let mut below = |n: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        let (mut tails, mut unequal, mut refused) = (0, 0, 0);
        for _ in 0..500 {
            let mut lines = Vec::new();
            for _ in 0..=below(2) {
                let (k, x, y) = (below(4), 1 + below(4), 1 + below(6));
                lines.push(match below(9) {
                    0 => format!("n -> n - k for k in {x}..n if k != {y}"),
                    1 => format!("n -> n - k for k in {x}..n - {k}"),
                    2 => format!("n -> k for k in {k}..n - {x}"),
                    3 => format!("n -> [a, n - {k} - a] for a in 1..(n-{k}-1)//2"),
                    4 => format!("n -> [a, n - {k} - a] for a in 1..(n-{k})//2"),
                    5 => format!("n -> [a, n - k - a] for k in {x}..n, a in 1..n-k-1"),
                    6 => format!("n -> [a, b] for a in 1..n, b in a+1..n if a + b <= n - {x}"),
                    7 => format!("n -> [a, n - k - a] for k in {x}..{y}, a in {k}..n-k"),
                    _ => format!("n -> n - {x} if n > {y}"),
                });
            }
            let text = lines.join(" | ");
            let rules = rules(&text);
            let Ok(heap) = read(&rules) else {
                refused += 1;
                continue;
            };
            tails += usize::from(heap.code.tail != 0);
            unequal += usize::from(heap.code.unequal);
            for n in 0..heap.below + 25 {
                let mut want = BTreeSet::new();
                let pos = Pos([Int::from(n)].into_iter().collect());
                let flow = rules.machine().options(&pos, &mut |option| {
                    let parts = option.parts.iter().filter_map(|p| p.0[0].to_u64());
                    let mut heaps: Vec<u64> = parts.filter(|&h| h > 0).collect();
                    heaps.sort_unstable();
                    want.insert(heaps);
                    ControlFlow::Continue(())
                });
                assert!(flow.is_ok());
                let own = heap.small.get(n as usize).and_then(Option::as_ref);
                let found = match own {
                    Some(own) => own.iter().cloned().collect(),
                    None => heap.code.options(n, usize::MAX),
                };
                assert_eq!(found, want, "{text} at {n}: {:?}", heap.code);
            }
        }
        assert!(
            tails > 40 && unequal > 20 && refused > 40,
            "{tails} {unequal} {refused}"
        );
    }
}
