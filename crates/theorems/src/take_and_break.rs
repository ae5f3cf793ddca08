//! Take and break: from one heap take a bounded number and leave the rest in a bounded number of heaps, in any way.
//!
//! The rules are read as linear relations between the heap n and the heaps left. For each number t taken and number r of
//! non-empty heaps left it is decided, for all n ≥ B at once, whether no way to leave r heaps of n − t is allowed, or every
//! way is (integer linear systems, exact); if only some are, the rules are refused. Heaps below B are compared with the
//! interpreter, and where they differ their own options are kept. A heap of 0 must have no move at all, not even to nothing:
//! only then is it no heap. So octal codes (Guy and Smith 1956), longer codes, and
//! rules written out in whatever way are one class. The order of heaps does not matter.
//!
//! Values and the proof of the period are in `values`. An answer for a heap of any size is one division once the period is
//! known; without one, values are computed up to the heap asked, in quadratic time, as far as a bound on work allows.

mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use grundy_core::{Budget, Code, Int, Outcome};
use grundy_lang::diag::{Code as DiagnosticCode, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Pattern, Play, Shape};
use grundy_lang::linear::{Constraint, Lin, Relation, System, Truth, Union};
use grundy_lang::value::Pos;

use crate::{Options, Result, Solver, Target, Theorem, WhyNot};
use values::{Heaps, Stop};

/// The theorem for the registry.
pub struct TakeAndBreak;

/// At most this many heaps are left by a move.
const MOST_PARTS: usize = 6;
/// At most this much is taken by a move.
const MOST_TAKEN: i64 = 256;
/// Heaps below B are asked of the interpreter, so B is bounded.
const MOST_BELOW: i64 = 600;
/// And so are the options of these heaps together.
const MOST_SMALL: usize = 200_000;
/// And so are the values of quantifiers tried for them, most of which a guard may leave out.
const MOST_TRIED: u64 = 1 << 22;

impl Theorem for TakeAndBreak {
    fn name(&self) -> &'static str {
        "take-and-break"
    }

    fn title(&self) -> &'static str {
        "Guy–Smith periodicity of take-and-break games"
    }

    fn source(&self) -> &'static str {
        "R. K. Guy and C. A. B. Smith, The G-values of various games (1956); for more heaps, the proof is in the source of `take-and-break`"
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        let game = rules.game();
        if game.shape != Shape::Int {
            return Err(WhyNot::new("a position is not a heap"));
        }
        if game.play != Play::Normal || !game.ends.is_empty() {
            return Err(WhyNot::new(
                "values add in normal play only, without `win if` and `lose if`",
            ));
        }
        if game.moves.is_empty() {
            return Err(WhyNot::new("there are no moves"));
        }
        let relation = Relation::of_rules(rules).map_err(WhyNot)?;
        if !relation.exact() || !relation.opaque.is_empty() {
            return Err(WhyNot::new(
                "the heaps left are not linear in the heap moved from",
            ));
        }
        let parts = relation.cases.iter().map(|c| c.parts).max().unwrap_or(0);
        if parts > MOST_PARTS {
            return Err(WhyNot::new(format!(
                "a move leaves more than {MOST_PARTS} heaps"
            )));
        }
        // The rules may have heaps of their own up to the numbers in them; often they are plain from the first.
        let numbers = relation.cases.iter().flat_map(|c| c.system.constraints());
        let numbers = numbers
            .map(|c| c.lin().offset().abs())
            .max()
            .unwrap_or_default();
        let far = numbers
            .to_i64()
            .unwrap_or(i64::MAX)
            .saturating_mul(2)
            .saturating_add(8);
        let uniform = match uniform(&relation, 4) {
            Err(_) if far <= MOST_BELOW => uniform(&relation, far),
            near => near,
        };
        let (digits, below) = uniform.map_err(WhyNot)?;
        let heaps = compare(rules, digits, below)?;
        Ok(Box::new(TakeAndBreakSolver {
            rules: rules.clone(),
            empty: heaps.1,
            heaps: Mutex::new(heaps.0),
        }))
    }
}

/// The digits of the code that the rules are for heaps from a bound on, and that bound.
fn uniform(relation: &Relation, from: i64) -> std::result::Result<(Vec<u64>, i64), String> {
    let mut classes: BTreeMap<(i64, usize), Vec<System>> = BTreeMap::new();
    let mut most = 0;
    for case in &relation.cases {
        for empty in 0u32..1 << case.parts {
            let (r, system) = without_empty(&case.system, case.parts, empty, from);
            if system.is_empty().yes() {
                continue;
            }
            let taken = taken(r);
            let bounds = (
                system.lower_bound(&taken),
                system.lower_bound(&-taken.clone()),
            );
            let (Some(lo), Some(hi)) = bounds else {
                return Err("the number taken from a large heap has no bound".to_owned());
            };
            let (lo, hi) = (
                lo.to_i64().unwrap_or(i64::MIN),
                (-&hi).to_i64().unwrap_or(i64::MAX),
            );
            if hi > MOST_TAKEN {
                return Err(format!("a move may take more than {MOST_TAKEN}"));
            }
            if lo < 0 && !system.implies(&Constraint::Ge(taken.clone())).yes() {
                return Err("a move may leave more than there was".to_owned());
            }
            for t in lo.max(0)..=hi {
                let system = system.clone().with(Constraint::Eq(taken.clone() - t));
                if !system.is_empty().yes() {
                    if t == 0 && r <= 1 {
                        return Err("a move may leave the heap as it is".to_owned());
                    }
                    most = most.max(t);
                    classes.entry((t, r)).or_default().push(system);
                }
            }
        }
    }
    let below = from.max(most + MOST_PARTS as i64 + 2);
    let mut digits = vec![0u64; most as usize + 1];
    for ((t, r), systems) in classes {
        // Without heaps only n = t is left, which is below the bound.
        if r == 0 {
            continue;
        }
        let mut all = System::new(r + 1);
        all.add(Constraint::Ge(Lin::var(0) - below));
        all.add(Constraint::Eq(taken(r) - t));
        all.add(Constraint::Ge(Lin::var(1) - 1));
        for i in 1..r {
            all.add(Constraint::le(Lin::var(i), Lin::var(i + 1)));
        }
        let all = Union(vec![all]);
        let mut covered = all.subset(&Union(systems.clone()));
        if !covered.yes() && r > 1 && r <= 4 {
            covered = all.subset(&Union(in_every_order(&systems, r)));
        }
        match covered {
            Truth::Yes => digits[t as usize] |= 1 << r,
            Truth::No => {
                return Err(format!(
                    "when {t} is taken, {r} heaps can be left in some ways but not in all"
                ));
            }
            Truth::Unknown => {
                return Err(format!(
                    "it was not decided whether {r} heaps can be left in all ways when {t} is taken"
                ));
            }
        }
    }
    Ok((digits, below))
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

/// What a move to nothing leaves by the rules, an empty sum or heaps of 0, for the heaps that have one.
type Empty = BTreeMap<usize, Vec<Pos>>;

/// The code with the heaps below the bound as the interpreter has them.
fn compare(
    rules: &Rules,
    mut digits: Vec<u64>,
    below: i64,
) -> std::result::Result<(Heaps, Empty), WhyNot> {
    let mut machine = rules.machine().with_patience(MOST_TRIED);
    let (mut small, mut empty) = (Vec::new(), Empty::new());
    let mut count = 0;
    for n in 0..below.max(1) as usize {
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
            DiagnosticCode::TooLarge => WhyNot::new("small heaps have too many candidates"),
            _ => WhyNot(format!("a small heap fails: {}", d.message)),
        })?;
        if let Some(why) = wrong {
            return Err(WhyNot(why));
        }
        small.push(options);
    }
    for &n in empty.keys() {
        if n >= digits.len() {
            digits.resize(n + 1, 0);
        }
        digits[n] |= 1;
    }
    let code = Code::finite(digits);
    let small = small.into_iter().enumerate().map(|(n, options)| {
        let same = code.options(n as u64, options.len() + 1) == options;
        (!same).then(|| options.into_iter().collect())
    });
    let mut small: Vec<Option<Vec<Vec<u64>>>> = small.collect();
    while small.last().is_some_and(|s| s.is_none()) {
        small.pop();
    }
    Ok((Heaps::new(code, small), empty))
}

struct TakeAndBreakSolver {
    rules: Rules,
    empty: Empty,
    heaps: Mutex<Heaps>,
}

impl TakeAndBreakSolver {
    fn heaps(&self) -> MutexGuard<'_, Heaps> {
        self.heaps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn name(&self) -> String {
        match self.rules.game().moves.first().map(|m| &m.pattern) {
            Some(Pattern::Bind(slot)) => self.rules.game().slots[*slot].name.clone(),
            _ => "n".to_owned(),
        }
    }

    fn stopped(&self, stop: Stop, part: &Pos) -> Box<Diagnostic> {
        let source = &self.rules.game().source;
        Box::new(match stop {
            Stop::Interrupted => Diagnostic::error(
                DiagnosticCode::Interrupted,
                source,
                "stopped before the answer was known",
            ),
            Stop::Limit(last) => Diagnostic::error(
                DiagnosticCode::TooLarge,
                source,
                format!("the heaps up to {last} prove no period, and this one is past them"),
            )
            .note(format!(
                "asked for {}",
                self.rules.game().shape.display(part)
            ))
            .help(format!("ask for a heap up to {last}")),
            Stop::TooMany => Diagnostic::error(
                DiagnosticCode::TooLarge,
                source,
                "there are too many options to count them one by one",
            )
            .note(format!(
                "asked for {}",
                self.rules.game().shape.display(part)
            ))
            .help("ask for a smaller heap"),
        })
    }

    /// Heaps as the parts of an option.
    fn parts(&self, heap: &Int, option: Vec<Int>) -> Vec<Pos> {
        if option.is_empty()
            && let Some(parts) = heap.to_usize().and_then(|n| self.empty.get(&n))
        {
            return parts.clone();
        }
        option
            .into_iter()
            .map(|h| Pos([h].into_iter().collect()))
            .collect()
    }
}

impl Solver for TakeAndBreakSolver {
    fn finding(&self) -> String {
        let mut heaps = self.heaps();
        let mut text = match heaps.code.text() {
            Some(code) => format!("the code {code}"),
            None => format!("a code that takes up to {}", heaps.code.reach()),
        };
        let own = heaps.small.iter().filter(|s| s.is_some()).count();
        if own > 0 {
            text += &format!(", but for {own} heaps up to {}", heaps.small.len() - 1);
        }
        // A short run finds the period of most codes.
        let _ = heaps.reach(&Int::from(2000), &Budget::default());
        if let Some(period) = heaps.period() {
            text += &format!(
                "; values repeat with period {} from {}",
                period.period, period.start
            );
        }
        text
    }

    fn outcome(&self, part: &Pos, budget: &Budget) -> Result<Outcome> {
        let value = self
            .heaps()
            .value(&part.0[0], budget)
            .map_err(|stop| self.stopped(stop, part))?;
        Ok(Outcome::from_next_wins(value != 0))
    }

    fn value(&self, part: &Pos, budget: &Budget) -> Result<Option<Int>> {
        let value = self
            .heaps()
            .value(&part.0[0], budget)
            .map_err(|stop| self.stopped(stop, part))?;
        Ok(Some(Int::from(i64::from(value))))
    }

    fn options(
        &self,
        part: &Pos,
        target: &Target,
        limit: usize,
        budget: &Budget,
    ) -> Result<Options> {
        let wanted = match target {
            Target::P => 0,
            Target::Value(v) => match v.to_u64().and_then(|v| u32::try_from(v).ok()) {
                Some(v) => v,
                None => return Ok(Options::default()),
            },
        };
        let heap = &part.0[0];
        let found = self.heaps().options(heap, wanted, limit, budget);
        let (list, total) = found.map_err(|stop| self.stopped(stop, part))?;
        let list = list
            .into_iter()
            .map(|option| self.parts(heap, option))
            .collect();
        Ok(Options { list, total })
    }

    fn explain(&self, part: &Pos, budget: &Budget) -> Result<Vec<String>> {
        let mut heaps = self.heaps();
        let (name, heap) = (self.name(), &part.0[0]);
        let mut out = Vec::new();
        let value = heaps
            .value(heap, budget)
            .map_err(|stop| self.stopped(stop, part))?;
        let (k, reach) = (heaps.code.parts(), heaps.code.reach());
        let left = match k {
            0 => "nothing".to_owned(),
            1 => "one heap".to_owned(),
            k => format!("up to {k} heaps"),
        };
        let code = heaps.code.text().map_or_else(String::new, |c| {
            format!(" These are the rules of the code {c}.")
        });
        out.push(format!(
            "A move takes at most {reach} from a heap and leaves {left}.{code}"
        ));
        match heaps.period() {
            Some(period) => {
                let (p, start) = (period.period, period.start);
                let bound = k.max(1) * (start + p - 1) + reach;
                out.push(format!(
                    "G({name} + {p}) = G({name}) was checked from {name} = {start} until {name} + {p} reaches {bound}. From \
                     there on an option always has a heap large enough to add or take {p}, so it holds for ever \
                     (Guy and Smith)."
                ));
                let past = heap - &Int::from(start);
                let phase = past.mod_floor(&Int::from(p)).and_then(|r| r.to_usize()).unwrap_or(0);
                if !past.is_negative() && *heap != Int::from(start + phase) {
                    out.push(if p == 1 {
                        format!("From {name} = {start} on all values are the same: G({heap}) = G({start}) = {value}.")
                    } else {
                        format!(
                            "{name} = {heap} leaves {} when divided by {p}, as {} does, so G({heap}) = G({}) = {value}.",
                            (start + phase) % p,
                            start + phase,
                            start + phase
                        )
                    });
                }
            }
            None => out.push(format!(
                "The values of all heaps up to {} were computed one after the other, each the mex of its options.",
                heaps.known().saturating_sub(1)
            )),
        }
        if value == 0 {
            out.push(format!(
                "G({heap}) = 0: no option has value 0, and {heap} is a P-position."
            ));
        } else {
            let found = heaps
                .options(heap, 0, 1, budget)
                .map_err(|stop| self.stopped(stop, part))?;
            let to = found.0.first().map(|option| {
                let heaps: Vec<String> = option.iter().map(Int::to_string).collect();
                if heaps.is_empty() {
                    "nothing".to_owned()
                } else {
                    heaps.join(" + ")
                }
            });
            let to = to.unwrap_or_else(|| "nothing".to_owned());
            out.push(format!(
                "G({heap}) = {value}, not 0, so {heap} is an N-position: leave {to}, of nim-sum 0 ({} in all).",
                match found.1.to_i64() {
                    Some(1) => "1 winning move".to_owned(),
                    _ => format!("{} winning moves", found.1),
                }
            ));
        }
        Ok(out)
    }
}
