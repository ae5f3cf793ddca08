//! Window moves: one counter whose options are the numbers next to it, up to a distance that depends on the counter
//! itself.
//!
//! Rising: `(s, c) -> (s, c + k) for k in 1..min(f(c), s - c)`. Falling: `n -> n - k for k in 1..f(n)`. Measure a
//! position by its distance d from the end of play, s − c or n. The options of d are the distances ℓ(d), …, d−1 with
//! ℓ(d) = d − min(d, m(d)), m(d) = max(0, f). Its value is G(d) = mex{G(ℓ(d)), …, G(d−1)}.
//!
//! # Blocks
//! Let b₀ = 0 and b' the least d > b with ℓ(d) > b for the successor b' of each b. The *recursive form* says that G(b +
//! j) = j for 0 ≤ j < b' − b. In the rising game with cap s this reads: let q be the largest c with c + f(c) < s; above
//! q the value is s − c; at q it is 0; below q it is that with the cap q.
//!
//! **Theorem.** The recursive form holds if and only if (∗): for all blocks b and all 1 ≤ j < b' − b, the last position
//! before b that lies j after the start of its own block (if there is one) is before ℓ(b + j).
//!
//! *Proof.* By induction on d = b + j let all earlier positions have the values claimed. For j ≥ 1 the choice of b'
//! gives ℓ(d) ≤ b, so the window holds b, …, d−1 with the values 0, …, j−1; its mex is j exactly if no position of an
//! earlier block in the window has the value j, which is (∗). For j = 0 and b > 0, ℓ(b) is after the start of the block
//! before, so the window holds no 0 and the mex is 0. ∎
//!
//! **Corollary.** The form holds if d − m(d) strictly increases, that is if m never rises with d: in the rising game if
//! f never falls as c rises, in the falling game if f never rises with n. *Proof.* Let a be the start of the block
//! before b. ℓ(b) ≥ a + 1, and while ℓ > 0 it grows by at least 1 a step, so ℓ(b + j) ≥ a + 1 + j, and positions j
//! after an earlier start are at most a + j. ∎ It is not enough that ℓ never falls: with ℓ = 0, 0, 0, 1, 1 the window
//! of 4 is {1, 2, 3} with the values 1, 2, 0, so G(4) = 3, where the form says 1. f(c) = 0 (no move) and a cap of 0
//! need no special case.
//!
//! # Plateaus
//! **Theorem.** If m never falls and rises by at most 1 a step (falling game: n // k, isqrt(n); Strange Nim), then G(d) = w(d)
//! if d is the first with w(d) = min(d, m(d)), and else G(d) = G(d − w(d) − 1). *Proof.* w also never falls and
//! rises by at most 1, so ℓ = d − w rises by 0 or 1 a step. Claim: the window of d and d itself together have the
//! values 0, …, w(d), each once. True for d = 0. If ℓ(d+1) = ℓ(d), the window of d + 1 has all these, so G(d+1) = w(d) + 1
//! = w(d+1). Else the window has lost the position ℓ(d) and w(d+1) = w(d), so G(d+1) = G(ℓ(d)) with ℓ(d) = d + 1 −
//! w(d+1) − 1. ∎
//!
//! # Everything else
//! A table over d: mex is the least value whose last occurrence is before ℓ(d), found by descent in a tree of minima.
//! It holds for any ℓ, and takes O(d log d) time and 20 bytes a position, up to the budget's memory.
//!
//! # Cost
//! Blocks: one search for a threshold a block, about 40 evaluations of f for numbers of a thousand digits; a Stone Game
//! (f = c²) has O(log log s) blocks. Runs of blocks with the same m are one step. Plateaus: the same a plateau passed,
//! where f is linear and rounded down a few divisions instead; with n // k a winning move of a number of b bits lies
//! about b / log₂(k/(k − 1)) plateaus away, of 1000 digits 3300 for k = 2. Both stop at [`MAX_STEPS`].

use std::sync::{Mutex, PoisonError};

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Pattern, Play};
use grundy_lang::value::Pos;

use smallvec::SmallVec;

use crate::cases::{Interval, intervals};
use crate::terms::{Poly, WordCode, follows};
use crate::{Options, Result, Solver, Target, Theorem, WhyNot};

mod walk;
use walk::{Blocks, Number, Starts, first_positive, last_holding};

/// The theorem.
pub struct WindowMoves;

/// The most blocks or plateaus that one question walks over.
pub const MAX_STEPS: u64 = 1 << 25;

/// Bytes a position of the table.
const TABLE_BYTES: u64 = 20;

impl Theorem for WindowMoves {
    fn name(&self) -> &'static str {
        "window"
    }

    fn title(&self) -> &'static str {
        "Window moves"
    }

    fn source(&self) -> &'static str {
        "in the book, chapter Theorems, and proved in the source of `window`; with n // k it is AtCoder ARC 091 F"
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        Ok(Box::new(Windows::new(rules)?))
    }
}

impl Windows {
    fn new(rules: &Rules) -> std::result::Result<Self, WhyNot> {
        if rules.game().play == Play::Misere {
            return Err(WhyNot::new(
                "play is misère, and the values are those of normal play",
            ));
        }
        let (x, intervals) = intervals(rules)?;
        let next = Poly::var(x).plus(&Poly::one());
        let last = Poly::var(x).minus(&Poly::one());
        let up = intervals.iter().all(|i| starts(&i.lower, &next, 1));
        if !up && !intervals.iter().all(|i| starts(&i.upper, &last, -1)) {
            return Err(WhyNot::new(
                "the options are not the numbers next to the counter, all on one side of it",
            ));
        }
        let mut windows = Vec::new();
        for i in intervals {
            windows.push(Window::new(i, x, up, rules)?);
        }
        let form = form(&windows, x, up);
        Ok(Windows {
            rules: rules.clone(),
            x,
            up,
            compiled: compile(&windows),
            windows,
            form,
            table: Mutex::new(Table::default()),
        })
    }
}

/// Whether the bounds on the near side say exactly that the interval begins at `edge`; `sign` 1 if they are lower
/// bounds.
fn starts(bounds: &[Poly], edge: &Poly, sign: i64) -> bool {
    let sign = Int::from(sign);
    bounds.contains(edge)
        && bounds
            .iter()
            .all(|b| edge.minus(b).scaled(&sign).nonnegative())
}

/// The options by one rule: where the guards hold, the numbers from next to x as far as every `reach` says, not past
/// any `end`.
struct Window {
    /// Bounds on the far side that the counter does not enter.
    ends: Vec<Poly>,
    /// How far it reaches from x.
    reach: Vec<Poly>,
    /// Guards that do not follow from there being an option.
    guards: Vec<Poly>,
}

impl Window {
    fn new(i: Interval, x: usize, up: bool, rules: &Rules) -> std::result::Result<Self, WhyNot> {
        let here = Poly::var(x);
        let (mut ends, mut reach) = (Vec::new(), Vec::new());
        for far in if up { i.upper } else { i.lower } {
            if !far.mentions(x) {
                ends.push(far);
            } else if up {
                reach.push(far.minus(&here));
            } else {
                reach.push(here.minus(&far));
            }
        }
        if up && ends.is_empty() {
            let text = rules.game().source.slice(rules.game().moves[i.rule].span);
            return Err(WhyNot::new(format!("`{}` has no fixed cap", text.trim())));
        }
        ends.sort();
        ends.dedup();
        // There is an option only if each reach is at least 1 and each end is on the far side of x.
        let one = Poly::one();
        let mut facts: Vec<Poly> = reach.iter().map(|r| r.minus(&one)).collect();
        let gap = |end: &Poly| {
            if up {
                end.minus(&here)
            } else {
                here.minus(end)
            }
        };
        facts.extend(ends.iter().map(|end| gap(end).minus(&one)));
        if !up {
            facts.push(here.minus(&one));
        }
        let guards = i
            .guards
            .into_iter()
            .filter(|g| !follows(g, &facts))
            .collect();
        Ok(Window {
            ends,
            reach,
            guards,
        })
    }

    /// Where play ends for this rule.
    fn end(&self, up: bool, vars: &[Int]) -> Int {
        let ends = self.ends.iter().map(|p| p.eval(vars));
        let end = if up { ends.min() } else { ends.max() };
        match end {
            Some(end) if up => end,
            Some(end) => end.max(Int::ZERO),
            None => Int::ZERO,
        }
    }
}

/// Which theorem of this file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Blocks,
    Plateaus,
    Table,
}

fn form(windows: &[Window], x: usize, up: bool) -> Form {
    let same = windows
        .iter()
        .all(|w| w.ends == windows[0].ends && w.guards.is_empty());
    if !same {
        return Form::Table;
    }
    let growths: Vec<_> = windows
        .iter()
        .flat_map(|w| &w.reach)
        .map(|r| r.growth(x))
        .collect();
    let within = |lo: i64, hi: i64| {
        let (lo, hi) = (Int::from(lo), Int::from(hi));
        growths.iter().all(|g| {
            g.lo.as_ref().is_some_and(|v| *v >= lo) && g.hi.as_ref().is_some_and(|v| *v <= hi)
        })
    };
    // A rule without a reach goes all the way: no bound at all, beside which a bound of another rule does not count.
    let blocks = growths.iter().all(|g| {
        if up {
            g.never_negative()
        } else {
            g.never_positive()
        }
    });
    if blocks || windows.iter().any(|w| w.reach.is_empty()) {
        Form::Blocks
    } else if up && within(-1, 0) || !up && within(0, 1) {
        Form::Plateaus
    } else {
        Form::Table
    }
}

/// A window compiled for machine words.
struct WordWindow {
    ends: Vec<WordCode>,
    reach: Vec<WordCode>,
    guards: Vec<WordCode>,
}

fn compile(windows: &[Window]) -> Option<Vec<WordWindow>> {
    let codes = |ps: &[Poly]| ps.iter().map(WordCode::of).collect::<Option<Vec<_>>>();
    windows
        .iter()
        .map(|w| {
            Some(WordWindow {
                ends: codes(&w.ends)?,
                reach: codes(&w.reach)?,
                guards: codes(&w.guards)?,
            })
        })
        .collect()
}

impl WordWindow {
    /// [`Window::end`] in machine words.
    fn end(&self, up: bool, vars: &[i64]) -> Option<i64> {
        let mut end = None;
        for code in &self.ends {
            let at = code.run(vars)?;
            end = Some(match end {
                None => at,
                Some(end) if up => at.min(end),
                Some(end) => at.max(end),
            });
        }
        Some(match end {
            Some(end) if up => end,
            Some(end) => end.max(0),
            None => 0,
        })
    }

    /// How many numbers the counter can go to, at least 0.
    fn room(&self, up: bool, x: i64, vars: &[i64]) -> Option<i64> {
        if !WordCode::hold(&self.guards, vars)? {
            return Some(0);
        }
        let mut room = if up { i64::MAX } else { x };
        for end in &self.ends {
            let end = end.run(vars)?;
            room = room.min(if up {
                end.checked_sub(x)?
            } else {
                x.checked_sub(end)?
            });
        }
        for reach in &self.reach {
            room = room.min(reach.run(vars)?);
        }
        Some(room.max(0))
    }
}

struct Windows {
    rules: Rules,
    x: usize,
    up: bool,
    windows: Vec<Window>,
    /// The same for machine words.
    compiled: Option<Vec<WordWindow>>,
    form: Form,
    table: Mutex<Table>,
}

/// One part: the counters that stay, and where play ends.
struct Line<'a> {
    of: &'a Windows,
    vars: Vec<Int>,
    end: Int,
}

impl Line<'_> {
    /// The counter at a distance from the end.
    fn at(&self, d: &Int) -> Int {
        if self.of.up {
            &self.end - d
        } else {
            &self.end + d
        }
    }

    /// How far the moves reach from a counter; `None` if all the way.
    fn reach(&mut self, x: Int) -> Option<Int> {
        self.vars[self.of.x] = x;
        let mut most = Int::ZERO;
        for w in &self.of.windows {
            let reach = w.reach.iter().map(|r| r.eval(&self.vars)).min()?;
            most = most.max(reach);
        }
        Some(most)
    }

    /// m(d), at most d.
    fn width(&mut self, d: &Int) -> Int {
        let x = self.at(d);
        match self.reach(x) {
            Some(m) => m.min(d.clone()),
            None => d.clone(),
        }
    }

    /// The nearest distance that can be left from d, by any rule with its own guards and end.
    fn leftmost(&mut self, d: &Int) -> Int {
        let x = self.at(d);
        self.vars[self.of.x] = x.clone();
        let mut least = d.clone();
        for w in &self.of.windows {
            if w.guards.iter().any(|g| g.eval(&self.vars).is_negative()) {
                continue;
            }
            let end = w.end(self.of.up, &self.vars);
            let mut room = if self.of.up { &end - &x } else { &x - &end };
            for r in &w.reach {
                room = room.min(r.eval(&self.vars));
            }
            if room > Int::ZERO {
                least = least.min(d - &room);
            }
        }
        least
    }
}

impl Line<'_> {
    /// [`Line::leftmost`] in machine words, `None` if something does not fit.
    fn leftmost_word(&self, n: usize, vars: &mut [i64]) -> Option<usize> {
        let windows = self.of.compiled.as_ref()?;
        let (end, d) = (self.end.to_i64()?, i64::try_from(n).ok()?);
        let x = if self.of.up {
            end.checked_sub(d)?
        } else {
            end.checked_add(d)?
        };
        vars[self.of.x] = x;
        let mut most = 0;
        for w in windows {
            most = most.max(w.room(self.of.up, x, vars)?);
        }
        usize::try_from(d.checked_sub(most)?).ok()
    }
}

/// A width (c·d + a) // k of the distance d from the end, 0 < c < k. What is asked of it is one division, where in
/// general it takes a search.
struct Slope {
    c: Int,
    a: Int,
    k: Int,
}

impl Slope {
    fn of(line: &Line<'_>) -> Option<Slope> {
        let of = line.of;
        let [window] = &of.windows[..] else {
            return None;
        };
        let [reach] = &window.reach[..] else {
            return None;
        };
        let (c, rest, k) = reach.floor_linear_in(of.x)?;
        // x = end ∓ d.
        let a = rest.eval(&line.vars) + &c * &line.end;
        let c = if of.up { -&c } else { c };
        (c > Int::ZERO && c < k).then_some(Slope { c, a, k })
    }

    /// The least p with w(p) ≥ v, for v ≥ 1: v ≤ p and k·v ≤ c·p + a.
    fn first_as_wide(&self, v: &Int) -> Int {
        let past = &(&(&self.k * v) - &self.a) + &(&self.c - &Int::ONE);
        let p = past.div_floor(&self.c).unwrap_or_default();
        p.max(v.clone())
    }

    /// Whether positions so far apart can have the same width; nowhere does it stay for k/c steps but at 0.
    fn may_last(&self, apart: &Int) -> bool {
        &self.c * apart <= self.k
    }

    /// The least q with q − w(q) > p: q > p and c·q + a < k·(q − p).
    fn past(&self, p: &Int) -> Int {
        let over = (&self.k * p + self.a.clone()).div_floor(&(&self.k - &self.c));
        over.unwrap_or_default().max(p.clone()) + Int::ONE
    }
}

/// How often a walk has gone on; it stops when told to or past the limit.
struct Steps<'a> {
    taken: u64,
    /// After how many steps it is asked whether to stop: fewer, the longer the numbers.
    every: u64,
    budget: &'a Budget,
    rules: &'a Rules,
}

impl Steps<'_> {
    fn step(&mut self) -> Result<()> {
        self.taken += 1;
        if self.taken.is_multiple_of(self.every) && self.budget.stopped() {
            let passed = format!("{} blocks of windows were passed", self.taken);
            return Err(interrupted(self.rules, "the walk to the value", passed));
        }
        if self.taken > MAX_STEPS {
            return Err(Box::new(
                Diagnostic::error(
                    Code::TooLarge,
                    &self.rules.game().source,
                    format!("the value lies more than {MAX_STEPS} blocks of windows away"),
                )
                .note("a question walks from block to block, and here the blocks are short")
                .help("ask for a smaller position"),
            ));
        }
        Ok(())
    }
}

fn interrupted(rules: &Rules, what: &str, passed: String) -> Box<Diagnostic> {
    let message = format!("{what} was stopped");
    let error = Diagnostic::error(Code::Interrupted, &rules.game().source, message);
    Box::new(error.note(passed))
}

impl Windows {
    fn line(&self, part: &Pos) -> (Line<'_>, Int) {
        let vars = part.0.to_vec();
        let ends = self.windows.iter().map(|w| w.end(self.up, &vars));
        let end = if self.up { ends.max() } else { ends.min() }.unwrap_or_default();
        let x = &vars[self.x];
        let d = if self.up { &end - x } else { x - &end };
        // Past the end there is no move, as at the end itself.
        let d = d.max(Int::ZERO);
        let line = Line {
            of: self,
            vars,
            end,
        };
        (line, d)
    }

    fn steps<'a>(&'a self, bits: u64, budget: &'a Budget) -> Steps<'a> {
        let words = bits / 64 + 1;
        Steps {
            taken: 0,
            every: (1024 / words).max(1),
            budget,
            rules: &self.rules,
        }
    }

    /// The blocks from the end up to d; `seen` is told every start but the first, runs of equal ones by their ends.
    fn block(
        &self,
        line: &mut Line<'_>,
        d: &Int,
        budget: &Budget,
        seen: &mut dyn FnMut(&Int),
    ) -> Result<Starts<Int>> {
        let end = line.end.clone();
        let mut steps = self.steps(Number::bits(d), budget);
        let mut walk = Blocks {
            up: self.up,
            end,
            reach: &mut |x: &Int| line.reach(x.clone()),
        };
        walk.to(d, &mut || steps.step(), seen)
    }

    /// The counters, where play ends and how far that is, in machine words; `None` if a number does not fit.
    fn small_line(&self, part: &Pos) -> Option<(SmallVec<[i64; 4]>, i64, i64)> {
        let word = |v: i64| Some(v).filter(|v| v.abs() < 1 << 60);
        let mut vars = SmallVec::new();
        for v in &part.0 {
            vars.push(v.to_i64().and_then(word)?);
        }
        let mut end = None;
        for w in self.compiled.as_ref()? {
            let at = w.end(self.up, &vars)?;
            end = Some(match end {
                None => at,
                Some(end) if self.up => at.max(end),
                Some(end) => at.min(end),
            });
        }
        let end = word(end.unwrap_or(0))?;
        let x = vars[self.x];
        let d = if self.up { end - x } else { x - end };
        Some((vars, end, word(d.max(0))?))
    }

    /// The starts of the block of a part and of the one before, and the part's distance from the end; `None` if a
    /// number does not fit in a word.
    fn small_block(&self, part: &Pos, budget: &Budget) -> Result<Option<(Starts<i64>, i64)>> {
        let (Some(windows), Some((mut vars, end, d))) =
            (self.compiled.as_ref(), self.small_line(part))
        else {
            return Ok(None);
        };
        let mut fits = true;
        let mut steps = self.steps(0, budget);
        let found = Blocks {
            up: self.up,
            end,
            reach: &mut |x: &i64| {
                vars[self.x] = *x;
                let mut most = 0;
                for w in windows {
                    let mut least = None;
                    for code in &w.reach {
                        let Some(m) = code.run(&vars) else {
                            fits = false;
                            return Some(0);
                        };
                        least = Some(least.map_or(m, |l: i64| l.min(m)));
                    }
                    most = most.max(least?);
                }
                Some(most.min(1 << 60))
            },
        }
        .to(&d, &mut || steps.step(), &mut |_| {});
        // With a number that did not fit the walk went anywhere, but it has ended.
        if fits {
            Ok(Some((found?, d)))
        } else {
            Ok(None)
        }
    }

    /// The first position as wide as d, whose width is m > 0.
    fn plateau_start(line: &mut Line<'_>, slope: Option<&Slope>, d: &Int, m: &Int) -> Int {
        if let Some(slope) = slope {
            return slope.first_as_wide(m);
        }
        // Walk down: `last_holding` goes up, so it is asked for the distance from d.
        let down = last_holding(&Int::ZERO, d, &mut |k| line.width(&(d - k)) == *m);
        d - &down
    }

    fn plateau_value(&self, line: &mut Line<'_>, d: &Int, budget: &Budget) -> Result<Int> {
        let slope = Slope::of(line);
        let mut steps = self.steps(Number::bits(d), budget);
        let mut d = d.clone();
        loop {
            steps.step()?;
            let m = line.width(&d);
            if m.is_zero() {
                return Ok(m);
            }
            let first = Self::plateau_start(line, slope.as_ref(), &d, &m);
            let length = &m + &Int::ONE;
            let rest = (&d - &first).mod_floor(&length).unwrap_or_default();
            if rest.is_zero() {
                return Ok(m);
            }
            d = first + rest - length;
        }
    }

    /// The position before d in its window that has the value v, which is at most m(d) and not d's own value.
    fn plateau_find(&self, line: &mut Line<'_>, d: &Int, v: &Int, budget: &Budget) -> Result<Int> {
        let slope = Slope::of(line);
        let mut steps = self.steps(Number::bits(d), budget);
        let start = d - &line.width(d);
        // The first position with the value v is the first as wide as v.
        let mut p = match &slope {
            _ if v.is_zero() => Int::ZERO,
            Some(slope) => slope.first_as_wide(v),
            None => first_positive(Int::ZERO, d.clone(), &mut |p| {
                line.width(p) - v.clone() + Int::ONE
            }),
        };
        while p < start {
            steps.step()?;
            // The next with this value is the first whose window begins after p.
            let mut next = match &slope {
                Some(slope) => slope.past(&p),
                // It is past p + w(p), since widths never fall, and not past d, whose window begins after p.
                None => first_positive(&p + &line.width(&p), d.clone(), &mut |q| {
                    q - &line.width(q) - p.clone()
                }),
            };
            // q − w(q) rises by 0 or 1 a step, so here it is p + 1, and the width of `next` is known.
            let length = &next - &p;
            if slope.as_ref().is_none_or(|slope| slope.may_last(&length)) {
                let m = &length - &Int::ONE;
                let second = &next + &length;
                if second <= start && line.width(&second) == m {
                    let last = last_holding(&second, &start, &mut |q| line.width(q) == m);
                    let run = (&last - &next).div_floor(&length).unwrap_or_default();
                    next = &next + &(&run * &length);
                }
            }
            p = next;
        }
        Ok(p)
    }

    fn with_table<T>(
        &self,
        line: &mut Line<'_>,
        d: &Int,
        budget: &Budget,
        read: impl FnOnce(&Table, usize) -> T,
    ) -> Result<T> {
        let most = (budget.memory() / TABLE_BYTES).min(u64::from(u32::MAX) - 2);
        let Some(to) = d
            .to_u64()
            .filter(|d| *d < most)
            .and_then(|d| usize::try_from(d).ok())
        else {
            return Err(Box::new(
                Diagnostic::error(
                    Code::Memory,
                    &self.rules.game().source,
                    format!("a table of values up to {d} does not fit: {most} is the most that it can have"),
                )
                .note("neither the block nor the plateau form holds for these moves, so every value is computed")
                .help("allow more memory, or ask for a smaller position"),
            ));
        };
        let mut key = line.vars.clone();
        key[self.x] = Int::ZERO;
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if table.key != key {
            *table = Table {
                key,
                ..Table::default()
            };
        }
        let mut words: Option<Vec<i64>> = line.vars.iter().map(Int::to_i64).collect();
        while table.values.len() <= to {
            let n = table.values.len();
            if n.is_multiple_of(4096) && budget.stopped() {
                let passed = format!("{n} of {to} values were computed");
                return Err(interrupted(&self.rules, "the table of values", passed));
            }
            let start = match &mut words {
                Some(words) => line.leftmost_word(n, words),
                None => None,
            };
            table.push(match start {
                Some(start) => start,
                None => line.leftmost(&Int::from(n)).to_usize().unwrap_or(0),
            });
        }
        Ok(read(&table, to))
    }

    fn grundy(&self, part: &Pos, budget: &Budget) -> Result<Int> {
        if matches!(self.form, Form::Blocks)
            && let Some(((b, _), d)) = self.small_block(part, budget)?
        {
            return Ok(Int::from(d - b));
        }
        let (mut line, d) = self.line(part);
        match self.form {
            Form::Blocks => {
                let (b, _) = self.block(&mut line, &d, budget, &mut |_| {})?;
                Ok(d - b)
            }
            Form::Plateaus => self.plateau_value(&mut line, &d, budget),
            Form::Table => self.with_table(&mut line, &d, budget, |table, to| {
                Int::from(u64::from(table.values[to]))
            }),
        }
    }

    fn names(&self) -> impl Fn(usize) -> String + '_ {
        fn collect(p: &Pattern, out: &mut Vec<usize>) {
            match p {
                Pattern::Bind(slot) => out.push(*slot),
                Pattern::Tuple(members) => members.iter().for_each(|m| collect(m, out)),
                _ => {}
            }
        }
        let game = self.rules.game();
        let mut slots = Vec::new();
        if let Some(m) = game.moves.first() {
            collect(&m.pattern, &mut slots);
        }
        move |v| {
            slots
                .get(v)
                .map_or_else(|| "?".to_owned(), |s| game.slots[*s].name.clone())
        }
    }

    fn reach_text(&self) -> Option<String> {
        let name = self.names();
        let texts: Option<Vec<String>> = self
            .windows
            .iter()
            .map(|w| match w.reach.as_slice() {
                [] => None,
                [one] => Some(one.show(&name)),
                many => {
                    let list: Vec<_> = many.iter().map(|r| r.show(&name)).collect();
                    Some(format!("min({})", list.join(", ")))
                }
            })
            .collect();
        let mut texts = texts?;
        texts.sort();
        texts.dedup();
        Some(match texts.as_slice() {
            [one] => one.clone(),
            many => format!("max({})", many.join(", ")),
        })
    }
}

/// How many numbers f says.
fn numbers(f: &str) -> String {
    format!("f = {f} number{}", if f == "1" { "" } else { "s" })
}

impl Solver for Windows {
    fn finding(&self) -> String {
        let name = self.names();
        let x = name(self.x);
        let side = if self.up { "above" } else { "below" };
        let Some(f) = self.reach_text() else {
            return format!("the options are all numbers {side} {x} up to a fixed end");
        };
        let why = match (self.form, self.up) {
            (Form::Blocks, true) => {
                "f never falls as the counter rises, so the values go by blocks"
            }
            (Form::Blocks, false) => "f never rises with the counter, so the values go by blocks",
            (Form::Plateaus, _) => {
                "f changes by at most 1 a step and grows away from the end, so the values go by plateaus"
            }
            (Form::Table, _) => {
                "neither closed form holds for this f, so a table of all values is made"
            }
        };
        format!("the options are the next f numbers {side} {x}, f = {f}; {why}")
    }

    fn outcome(&self, part: &Pos, budget: &Budget) -> Result<Outcome> {
        Ok(Outcome::from_next_wins(
            !self.grundy(part, budget)?.is_zero(),
        ))
    }

    fn value(&self, part: &Pos, budget: &Budget) -> Result<Option<Int>> {
        self.grundy(part, budget).map(Some)
    }

    fn options(
        &self,
        part: &Pos,
        target: &Target,
        limit: usize,
        budget: &Budget,
    ) -> Result<Options> {
        let wanted = match target {
            Target::Value(v) => v.clone(),
            Target::P => Int::ZERO,
        };
        if wanted.is_negative() {
            return Ok(Options::default());
        }
        let (mut line, d) = self.line(part);
        let leave = |line: &Line<'_>, p: &Int| {
            let mut left = part.clone();
            left.0[self.x] = line.at(p);
            vec![left]
        };
        // Positions of one window have different values in both closed forms: there, at most one option has the value.
        let found = match self.form {
            Form::Blocks => {
                let (b, before) = match self.small_block(part, budget)? {
                    Some(((b, before), _)) => (Int::from(b), before.map(Int::from)),
                    None => self.block(&mut line, &d, budget, &mut |_| {})?,
                };
                let start = &d - &line.width(&d);
                let here = &b + &wanted;
                if here < d {
                    (here >= start).then_some(here)
                } else {
                    before.and_then(|a| {
                        let there = a + wanted;
                        (there < b && there >= start).then_some(there)
                    })
                }
            }
            Form::Plateaus => {
                let m = line.width(&d);
                if wanted > m || m.is_zero() || self.plateau_value(&mut line, &d, budget)? == wanted
                {
                    None
                } else {
                    Some(self.plateau_find(&mut line, &d, &wanted, budget)?)
                }
            }
            Form::Table => {
                let start = line.leftmost(&d).to_usize().unwrap_or(0);
                let (first, total) = self.with_table(&mut line, &d, budget, |table, to| {
                    let good = (start..to)
                        .rev()
                        .filter(|&p| wanted == i64::from(table.values[p]));
                    (good.clone().take(limit).collect::<Vec<_>>(), good.count())
                })?;
                return Ok(Options {
                    list: first.iter().map(|&p| leave(&line, &Int::from(p))).collect(),
                    total: Int::from(total),
                });
            }
        };
        Ok(Options {
            list: found.iter().take(limit).map(|p| leave(&line, p)).collect(),
            total: Int::from(usize::from(found.is_some())),
        })
    }

    fn explain(&self, part: &Pos, budget: &Budget) -> Result<Vec<String>> {
        const SHOWN: usize = 8;
        let (mut line, d) = self.line(part);
        let name = self.names();
        let x = name(self.x);
        let f = self.reach_text();
        let mut out = Vec::new();
        let end = line.end.clone();
        let here = &part.0[self.x];
        if line.at(&d) != *here {
            out.push(format!(
                "Play ends at {x} = {end}, and {x} = {here} is past it: there is no move, and the value is 0."
            ));
            return Ok(out);
        }
        out.push(format!(
            "Play ends at {x} = {end}; here {x} = {here} is {d} away from it."
        ));
        let value = self.grundy(part, budget)?;
        match self.form {
            Form::Blocks => {
                let mut starts = Vec::new();
                let mut more = 0usize;
                let (b, _) = self.block(&mut line, &d, budget, &mut |b| {
                    if starts.len() < SHOWN {
                        starts.push(b.clone());
                    } else {
                        more += 1;
                    }
                })?;
                let side = if self.up { "above" } else { "below" };
                out.push(match f {
                    Some(f) => format!(
                        "From {x} the next {} {side} it can be reached, as far as the end. As long as the end is in \
                         reach, the value is the distance to the end.",
                        numbers(&f)
                    ),
                    None => {
                        "The end is always in reach, so the value is the distance to it.".to_owned()
                    }
                });
                if !starts.is_empty() {
                    out.push(
                        "Go from the end towards here. The first position with the end out of reach has the value 0, \
                         as all its options have values above 0. For the positions after it, it plays the part of the \
                         end, until one has it out of reach, which has the value 0 again, and so on."
                            .to_owned(),
                    );
                    let mut list = line.at(&starts[0]).to_string();
                    for pair in starts.windows(2) {
                        // A block is at most one longer than its start reaches; where more lies between, it is a run.
                        let run = &pair[1] - &pair[0] > line.width(&pair[0]) + Int::ONE;
                        list += if run { ", …, " } else { ", " };
                        list += &line.at(&pair[1]).to_string();
                    }
                    let dots = if more > 0 { ", …" } else { "" };
                    out.push(if starts.len() == 1 {
                        format!("There is one such position of value 0, {x} = {list}.")
                    } else {
                        format!("These positions of value 0 are {x} = {list}{dots}.")
                    });
                }
                out.push(if value.is_zero() && d.is_zero() {
                    format!("{x} = {here} is the end itself: there is no move, and the value is 0.")
                } else if value.is_zero() {
                    format!("{x} = {here} is such a position, so the value is 0.")
                } else if b.is_zero() {
                    format!("From {x} = {here} the end is in reach, {d} away, so the value is {value}.")
                } else {
                    format!(
                        "From {x} = {here} the nearest such position on the way to the end is {x} = {}, {value} away, so the \
                         value is {value}.",
                        line.at(&b)
                    )
                });
            }
            Form::Plateaus => {
                out.push(format!(
                    "From {x} the next {} can be reached. Where f has just become w \
                     the value is w; else the window \
                     has lost one position, f + 1 away, and the value is the one that was lost.",
                    numbers(&f.unwrap_or_default())
                ));
                let mut at = d.clone();
                let mut chain = vec![part.0[self.x].to_string()];
                let mut steps = self.steps(Number::bits(&d), budget);
                let slope = Slope::of(&line);
                while chain.len() < SHOWN {
                    steps.step()?;
                    let m = line.width(&at);
                    if m.is_zero() || Self::plateau_start(&mut line, slope.as_ref(), &at, &m) == at {
                        break;
                    }
                    at = at - m - Int::ONE;
                    chain.push(line.at(&at).to_string());
                }
                let dots = if chain.len() == SHOWN { ", …" } else { "" };
                out.push(format!("So go {}{dots}: the value is {value}.", chain.join(", ")));
            }
            Form::Table => out.push(format!(
                "The value is the least that no option has; computed from the end up to here, it is {value}."
            )),
        }
        Ok(out)
    }
}

/// Values by distance from the end, with the last position of every value so far.
#[derive(Default)]
struct Table {
    /// The counters that stay.
    key: Vec<Int>,
    values: Vec<u32>,
    /// A tree of minima over values: one more than the last position of that value, 0 if it has not occurred. The
    /// leaves are the upper half.
    last: Vec<u32>,
}

impl Table {
    /// Adds the next position, whose options start at `start`.
    fn push(&mut self, start: usize) {
        let n = self.values.len();
        let leaves = self.last.len() / 2;
        // A value is at most the number of positions before, so one spare leaf always has not occurred.
        if leaves < n + 2 {
            let grown = (n + 2).next_power_of_two() * 2;
            let mut last = vec![0; grown * 2];
            last[grown..grown + leaves].copy_from_slice(&self.last[leaves..]);
            for i in (1..grown).rev() {
                last[i] = last[2 * i].min(last[2 * i + 1]);
            }
            self.last = last;
        }
        let leaves = self.last.len() / 2;
        let mut i = 1;
        while i < leaves {
            i *= 2;
            if self.last[i] as usize > start {
                i += 1;
            }
        }
        self.values.push((i - leaves) as u32);
        self.last[i] = n as u32 + 1;
        while i > 1 {
            i /= 2;
            self.last[i] = self.last[2 * i].min(self.last[2 * i + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use grundy_core::BigInt;
    use grundy_lang::check;
    use grundy_lang::diag::Source;
    use grundy_lang::value::Value;

    use super::*;

    #[test]
    fn a_walk_in_words_that_is_stopped_says_so() {
        let text = "(s, c) -> (s, c + k) for k in 1..min(c // 100 + 1, s - c)";
        let (game, _) = check::load(&Source::new("<rule>", text)).expect("rules");
        let params = vec![Value::from(0); game.vars.len()];
        let windows = Windows::new(&Rules::new(Arc::new(game), params)).expect("window moves");
        assert_eq!(windows.form, Form::Blocks);
        let part = Pos([10i64.pow(17), 0].map(Int::from).into_iter().collect());
        let budget = Budget::default();
        assert!(matches!(windows.small_block(&part, &budget), Ok(Some(_))));
        budget.stop();
        let error = windows.small_block(&part, &budget).expect_err("stopped");
        assert_eq!(error.code, Code::Interrupted);
        let error = windows.value(&part, &budget).expect_err("stopped");
        assert_eq!(error.code, Code::Interrupted);
        // Past the word the other walk is taken.
        let large = Pos([Int::from(BigInt::from(1) << 90u32), Int::ZERO]
            .into_iter()
            .collect());
        assert!(matches!(windows.small_block(&large, &budget), Ok(None)));
    }

    #[test]
    fn a_walk_over_long_numbers_stops_within_a_few_steps() {
        let (game, _) =
            check::load(&Source::new("<rule>", "n -> n - k for k in 1..n//2")).expect("rules");
        let params = vec![Value::from(0); game.vars.len()];
        let windows = Windows::new(&Rules::new(Arc::new(game), params)).expect("window moves");
        // 300 plateaus, so that a look every 1024 would be none.
        let part = Pos([Int::from(BigInt::from(1) << 300u32)].into_iter().collect());
        let budget = Budget::default();
        budget.stop();
        let error = windows
            .options(&part, &Target::P, 1, &budget)
            .expect_err("stopped");
        assert_eq!(error.code, Code::Interrupted);
        assert_eq!(error.message, "the walk to the value was stopped");
        assert_eq!(error.notes, ["204 blocks of windows were passed"]);
    }
}
