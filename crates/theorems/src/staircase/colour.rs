//! The colours of the boxes: in order of index where all arcs lead one way, else in topological order; kept for the
//! numbers of boxes seen before, and extended where they do not depend on that number.

use std::sync::{Arc, PoisonError};

use grundy_core::{Budget, Int};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::ir::{Clause, Domain, Expr, Slot};
use grundy_lang::value::Value;
use rustc_hash::FxHashMap;

use super::{Arcs, Form, Graph, KEPT_BOXES, MOST_STEPS, NOWHERE, Run, StaircaseSolver, Window};
use crate::scan::Env;
use crate::{Result, WhyNot};

/// The colours of the boxes of an array, and what the arcs are beside the windows.
#[derive(Clone, Default)]
pub(super) struct Prepared {
    /// Whether each box is odd.
    pub(super) odd: Vec<bool>,
    /// Targets of enumerated arcs: those of box a are `to[start[a]..start[a + 1]]`, in order, [`NOWHERE`] last.
    start: Vec<usize>,
    to: Vec<u32>,
    /// Whether the windows have been written out among the enumerated arcs.
    pub(super) written_out: bool,
    /// Odd boxes among this and those before it (or after it, if arcs go up) in its residue class.
    running: Vec<u32>,
    /// The first box with which the colouring fails, when it is kept for all numbers of boxes.
    broken: Option<(usize, WhyNot)>,
}

impl Prepared {
    pub(super) fn targets(&self, a: usize) -> &[u32] {
        &self.to[self.start[a]..self.start[a + 1]]
    }
}

/// Residue classes of v that go with each residue class of u, for each window.
type Rows = Vec<Vec<Vec<i64>>>;

/// What can be asked about the arcs of one number of boxes.
pub(super) struct View<'g> {
    graph: &'g Graph,
    n: usize,
    /// For each rule with windows: how it is read.
    windows: Vec<(Env<'g>, &'g [Window], &'g Arcs, Rows)>,
}

enum Stop {
    Why(WhyNot),
    Diagnostic(Box<Diagnostic>),
}

impl From<WhyNot> for Stop {
    fn from(why: WhyNot) -> Self {
        Stop::Why(why)
    }
}

fn stop<T>(text: impl Into<String>) -> std::result::Result<T, Stop> {
    Err(Stop::Why(WhyNot::new(text)))
}

fn unreadable() -> WhyNot {
    WhyNot::new(
        "the arcs cannot be read from the guards: a number is past a machine word or an index outside its list",
    )
}

fn leaves(n: usize, at: i64) -> WhyNot {
    WhyNot::new(format!("an arc names x[{at}], and there are {n} boxes"))
}

impl<'g> View<'g> {
    pub(super) fn new(
        graph: &'g Graph,
        n: usize,
        with_windows: bool,
    ) -> std::result::Result<Self, WhyNot> {
        let mut windows = Vec::new();
        for rule in graph.arcs.iter().filter(|_| with_windows) {
            if let Form::Windows(list) = &rule.form {
                let mut env = graph.env(rule, n);
                rule.sources_inside(list, &mut env)?;
                let rows = list
                    .iter()
                    .map(|w| w.rows(graph.modulus, &mut env))
                    .collect::<Option<Rows>>()
                    .ok_or_else(unreadable)?;
                windows.push((env, list.as_slice(), rule, rows));
            }
        }
        Ok(View { graph, n, windows })
    }

    /// Whether there are no windows to look through.
    pub(super) fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    /// The boxes that windows let box `a` reach, as runs with no box in common.
    pub(super) fn runs(&mut self, a: usize, out: &mut Vec<Run>) -> std::result::Result<(), WhyNot> {
        out.clear();
        let m = self.graph.modulus;
        let mut sources = 0;
        for (env, list, rule, rows) in &mut self.windows {
            for (w, rows) in list.iter().zip(rows.iter()) {
                let before = out.len();
                w.runs(rule, a, m, rows, env, out).ok_or_else(unreadable)?;
                sources += usize::from(out.len() > before);
            }
        }
        for run in out.iter() {
            for end in [run.first, run.last] {
                if !(0..self.n as i64).contains(&end) {
                    return Err(leaves(self.n, end));
                }
            }
        }
        if sources > 1 {
            out.sort_by_key(|r| (r.first % m, r.first));
            let mut kept = 0;
            for i in 1..out.len() {
                let (run, last) = (out[i], out[kept]);
                if run.first % m == last.first % m && run.first <= last.last + m {
                    out[kept].last = last.last.max(run.last);
                } else {
                    kept += 1;
                    out[kept] = run;
                }
            }
            out.truncate(kept + 1);
        }
        Ok(())
    }
}

impl Arcs {
    /// Whether every box that the quantifiers name as a source is there.
    fn sources_inside(
        &self,
        windows: &[Window],
        env: &mut Env<'_>,
    ) -> std::result::Result<(), WhyNot> {
        let n = env.len;
        let ranges: Vec<(Slot, &Expr, &Expr)> = self
            .clauses
            .iter()
            .filter_map(|c| match c {
                Clause::For {
                    slots,
                    domain: Domain::Range(lo, hi),
                } => Some((slots[0], lo, hi)),
                _ => None,
            })
            .collect();
        let [(outer, lo, hi), (_, inner_lo, inner_hi)] = ranges[..] else {
            return Err(unreadable());
        };
        let Some(u) = windows.first().map(|w| w.u) else {
            return Ok(()); // no alternative can hold
        };
        let (lo, hi) = env.int(lo).zip(env.int(hi)).ok_or_else(unreadable)?;
        if lo > hi {
            return Ok(());
        }
        let place = |env: &mut Env<'_>, value: i64| {
            env.vars[u] = value;
            env.int(&self.from).ok_or_else(unreadable)
        };
        if outer == u {
            let ends = [place(env, lo)?, place(env, hi)?];
            let outside = |a: i64| !(0..n).contains(&a);
            if ends.iter().any(|&a| outside(a)) {
                // A guard on the source alone may shut those out.
                let count = hi.checked_sub(lo).filter(|c| *c < n.saturating_add(64));
                let Some(count) = count else {
                    return Err(leaves(
                        n as usize,
                        if outside(ends[0]) { ends[0] } else { ends[1] },
                    ));
                };
                for value in lo..=lo + count {
                    let a = place(env, value)?;
                    for w in windows {
                        if outside(a) && w.plain_hold(env).ok_or_else(unreadable)? {
                            return Err(leaves(n as usize, a));
                        }
                    }
                }
            }
            return Ok(());
        }
        if hi.saturating_sub(lo) as u64 > MOST_STEPS {
            return Err(WhyNot::new(
                "a range of the rules has too many values to look at each",
            ));
        }
        for value in lo..=hi {
            env.vars[outer] = value;
            let (lo, hi) = env
                .int(inner_lo)
                .zip(env.int(inner_hi))
                .ok_or_else(unreadable)?;
            if lo > hi {
                continue;
            }
            for end in [lo, hi] {
                let a = place(env, end)?;
                if !(0..n).contains(&a) {
                    return Err(leaves(n as usize, a));
                }
            }
        }
        Ok(())
    }

    /// Calls `visit` with every arc (source, target) that the quantifiers give, some perhaps more than once; `from_u`
    /// cuts
    /// the first quantifier's range.
    fn enumerate(
        &self,
        env: &mut Env<'_>,
        from_u: Option<i64>,
        budget: &Budget,
        visit: &mut dyn FnMut(u32, u32),
    ) -> std::result::Result<(), Stop> {
        let mut walk = Walk {
            rule: self,
            from_u,
            steps: 0,
            budget,
            visit,
        };
        walk.clause(0, true, env)
    }
}

struct Walk<'a> {
    rule: &'a Arcs,
    from_u: Option<i64>,
    steps: u64,
    budget: &'a Budget,
    visit: &'a mut dyn FnMut(u32, u32),
}

impl Walk<'_> {
    fn clause(
        &mut self,
        at: usize,
        first: bool,
        env: &mut Env<'_>,
    ) -> std::result::Result<(), Stop> {
        let Some(clause) = self.rule.clauses.get(at) else {
            return self.arc(env);
        };
        match clause {
            Clause::If(e) => {
                self.step()?;
                if env.bool(e).ok_or_else(unreadable)? {
                    self.clause(at + 1, first, env)?;
                }
            }
            Clause::For {
                slots,
                domain: Domain::Range(lo, hi),
            } => {
                let mut lo = env.int(lo).ok_or_else(unreadable)?;
                let hi = env.int(hi).ok_or_else(unreadable)?;
                if first && let Some(from) = self.from_u {
                    lo = lo.max(from);
                }
                for value in lo..=hi {
                    self.step()?;
                    env.vars[slots[0]] = value;
                    self.clause(at + 1, false, env)?;
                }
            }
            Clause::For {
                slots,
                domain: Domain::Members(list),
            } => {
                let list = env.list(list).ok_or_else(unreadable)?;
                for member in list.iter() {
                    self.step()?;
                    if slots.len() == 1 {
                        env.vars[slots[0]] = word(member)?;
                    } else {
                        let members = member.as_seq().ok_or_else(unreadable)?;
                        for (&slot, member) in slots.iter().zip(members) {
                            env.vars[slot] = word(member)?;
                        }
                    }
                    self.clause(at + 1, false, env)?;
                }
            }
        }
        Ok(())
    }

    fn step(&mut self) -> std::result::Result<(), Stop> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return stop(format!(
                "the arcs have no form that can be read as a whole, and trying every combination takes more than \
                {MOST_STEPS} steps"
            ));
        }
        Ok(())
    }

    fn arc(&mut self, env: &mut Env<'_>) -> std::result::Result<(), Stop> {
        let n = env.len;
        let place = |e: &Expr, env: &Env<'_>| -> std::result::Result<u32, WhyNot> {
            let at = env.int(e).ok_or_else(unreadable)?;
            if (0..n).contains(&at) {
                Ok(at as u32)
            } else {
                Err(leaves(n as usize, at))
            }
        };
        let from = place(&self.rule.from, env)?;
        let to = match &self.rule.to {
            Some(e) => place(e, env)?,
            None => NOWHERE,
        };
        (self.visit)(from, to);
        if self.steps.is_multiple_of(4096) && self.budget.stopped() {
            return stop("stopped while the boxes were coloured");
        }
        Ok(())
    }
}

fn word(value: &Value) -> std::result::Result<i64, WhyNot> {
    value.as_int().and_then(Int::to_i64).ok_or_else(unreadable)
}

#[derive(Default)]
pub(super) struct Cache {
    /// For rules whose arcs are the same for every number of boxes: the longest coloured so far.
    growing: Option<Arc<Prepared>>,
    /// Such rules turned out to have an arc that does not lead to a smaller index.
    not_growing: bool,
    by_length: FxHashMap<usize, std::result::Result<Arc<Prepared>, WhyNot>>,
    kept: usize,
}

/// In which order boxes are coloured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Arcs lead to smaller indices.
    Down,
    /// Arcs lead to larger indices.
    Up,
}

enum Colour {
    Done,
    /// An arc goes the other way.
    Against,
    Broken(usize, WhyNot),
}

impl StaircaseSolver {
    pub(super) fn prepared(
        &self,
        n: usize,
        budget: &Budget,
    ) -> Result<std::result::Result<Arc<Prepared>, WhyNot>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cache.by_length.get(&n) {
            return Ok(known.clone());
        }
        if self.graph.stable && !cache.not_growing {
            let mut growing = cache.growing.take().unwrap_or_else(|| {
                Arc::new(Prepared {
                    start: vec![0],
                    ..Prepared::default()
                })
            });
            let grown = if n > growing.odd.len() && growing.broken.is_none() {
                self.grow(Arc::make_mut(&mut growing), n, budget)
            } else {
                Ok(true)
            };
            match grown {
                Ok(true) => {
                    let answer = match &growing.broken {
                        Some((at, why)) if *at < n => Err(why.clone()),
                        _ => Ok(growing.clone()),
                    };
                    cache.growing = Some(growing);
                    return Ok(answer);
                }
                Ok(false) => cache.not_growing = true,
                // What was coloured may be half done; the next question starts anew.
                Err(Stop::Diagnostic(d)) => return Err(d),
                Err(Stop::Why(why)) => {
                    cache.by_length.insert(n, Err(why.clone()));
                    return Ok(Err(why));
                }
            }
        }
        let answer = match self.colour(n, budget) {
            Ok(prepared) => Ok(Arc::new(prepared)),
            Err(Stop::Diagnostic(d)) => return Err(d),
            Err(Stop::Why(why)) => Err(why),
        };
        cache.kept += n + answer.as_ref().map_or(0, |p| p.to.len());
        if cache.kept > KEPT_BOXES {
            cache.by_length.clear();
            cache.kept = n;
        }
        cache.by_length.insert(n, answer.clone());
        Ok(answer)
    }

    fn memory(&self, bytes: u64, budget: &Budget) -> std::result::Result<(), Stop> {
        if bytes <= budget.memory() {
            return Ok(());
        }
        let source = &self.graph.rules.game().source;
        Err(Stop::Diagnostic(Box::new(
            Diagnostic::error(
                Code::Memory,
                source,
                format!(
                    "the arcs between the boxes take {bytes} bytes, more than the bound of {}",
                    budget.memory()
                ),
            )
            .help("raise the bound on memory"),
        )))
    }

    pub(super) fn interrupted(&self) -> Box<Diagnostic> {
        let source = &self.graph.rules.game().source;
        Box::new(Diagnostic::error(
            Code::Interrupted,
            source,
            "stopped while the boxes were coloured",
        ))
    }

    /// Enumerated arcs of boxes past those already there, appended in order of source, then target.
    fn append_enumerated(
        &self,
        p: &mut Prepared,
        n: usize,
        growing: bool,
        with_windows: bool,
        budget: &Budget,
    ) -> std::result::Result<(), Stop> {
        let have = p.start.len() - 1;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for rule in &self.graph.arcs {
            if matches!(rule.form, Form::Windows(_)) && !with_windows {
                continue;
            }
            let mut env = self.graph.env(rule, n);
            let from_u = match growing {
                // Source = u + c with c the source at u = 0.
                true => Some(have as i64 - rule.source_at_zero(&mut env).ok_or_else(unreadable)?),
                false => None,
            };
            let limit = budget.memory() / 16;
            let mut over = false;
            rule.enumerate(&mut env, from_u, budget, &mut |a, b| {
                over |= pairs.len() as u64 >= limit;
                if !over {
                    pairs.push((a, b));
                }
            })
            .map_err(|s| match s {
                Stop::Why(_) if budget.stopped() => Stop::Diagnostic(self.interrupted()),
                other => other,
            })?;
            if over {
                self.memory(u64::MAX, budget)?;
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut next = pairs.iter().peekable();
        for a in have..n {
            while let Some(&&(_, b)) = next.peek().filter(|(from, _)| *from as usize == a) {
                p.to.push(b);
                next.next();
            }
            p.start.push(p.to.len());
        }
        Ok(())
    }

    /// Colours boxes up to n, when arcs do not depend on n. `false`: an arc leads to an index that is not smaller.
    fn grow(&self, p: &mut Prepared, n: usize, budget: &Budget) -> std::result::Result<bool, Stop> {
        self.check_size(n, budget)?;
        let mut view = View::new(&self.graph, n, true)?;
        self.append_enumerated(p, n, true, false, budget)?;
        let from = p.odd.len();
        match self.in_order(p, from, n, Way::Down, &mut view, budget)? {
            Colour::Done => Ok(true),
            Colour::Against => Ok(false),
            Colour::Broken(a, why) => {
                p.broken = Some((a, why));
                Ok(true)
            }
        }
    }

    fn check_size(&self, n: usize, budget: &Budget) -> std::result::Result<(), Stop> {
        if n >= NOWHERE as usize {
            return stop("there are more than 2^32 boxes");
        }
        self.memory(n as u64 * 32, budget)
    }

    fn colour(&self, n: usize, budget: &Budget) -> std::result::Result<Prepared, Stop> {
        self.check_size(n, budget)?;
        let mut view = View::new(&self.graph, n, true)?;
        let mut p = Prepared {
            start: vec![0],
            ..Prepared::default()
        };
        self.append_enumerated(&mut p, n, false, false, budget)?;
        for way in [Way::Down, Way::Up] {
            p.odd = vec![false; n];
            p.running = vec![0; n];
            match self.in_order(&mut p, 0, n, way, &mut view, budget)? {
                Colour::Done => return Ok(p),
                Colour::Broken(_, why) => return Err(Stop::Why(why)),
                Colour::Against => {}
            }
        }
        // Arcs up and down: every arc must be looked at.
        if !view.windows.is_empty() {
            p = Prepared {
                start: vec![0],
                written_out: true,
                ..Prepared::default()
            };
            self.append_enumerated(&mut p, n, false, true, budget)?;
        }
        self.in_topological_order(&mut p, n)?;
        Ok(p)
    }

    /// Colours boxes `from..n` (all of them if arcs go up). Every box past `p.odd` gets its place there.
    fn in_order(
        &self,
        p: &mut Prepared,
        from: usize,
        n: usize,
        way: Way,
        view: &mut View<'_>,
        budget: &Budget,
    ) -> std::result::Result<Colour, Stop> {
        let m = self.graph.modulus as usize;
        p.odd.resize(n, false);
        p.running.resize(n, 0);
        let mut runs = Vec::new();
        let mut work = 0usize;
        for step in from..n {
            let a = if way == Way::Down {
                step
            } else {
                n - 1 - (step - from)
            };
            work += 1;
            if work.is_multiple_of(4096) && budget.stopped() {
                return Err(Stop::Diagnostic(self.interrupted()));
            }
            view.runs(a, &mut runs)?;
            let against = |b: i64| match way {
                Way::Down => b >= a as i64,
                Way::Up => b <= a as i64,
            };
            let (mut all, mut odd) = (0u64, 0u64);
            for run in &runs {
                if against(run.first) || against(run.last) {
                    return Ok(Colour::Against);
                }
                all += run.count(m as i64);
                let (first, last) = (run.first as usize, run.last as usize);
                let inside = match way {
                    Way::Down => {
                        p.running[last] - if first >= m { p.running[first - m] } else { 0 }
                    }
                    Way::Up => p.running[first] - p.running.get(last + m).copied().unwrap_or(0),
                };
                odd += u64::from(inside);
            }
            for &b in p.targets(a) {
                if b != NOWHERE {
                    if against(i64::from(b)) {
                        return Ok(Colour::Against);
                    }
                    odd += u64::from(p.odd[b as usize]);
                }
                all += 1;
            }
            if odd != 0 && odd != all {
                return Ok(Colour::Broken(a, conflict(p, a, &runs, m as i64)));
            }
            p.odd[a] = all > odd;
            let before = match way {
                Way::Down => a.checked_sub(m).map_or(0, |b| p.running[b]),
                Way::Up => p.running.get(a + m).copied().unwrap_or(0),
            };
            p.running[a] = before + u32::from(p.odd[a]);
        }
        Ok(Colour::Done)
    }

    fn in_topological_order(&self, p: &mut Prepared, n: usize) -> std::result::Result<(), Stop> {
        // Arcs still to be looked at from each box; a box is coloured when all its targets are.
        let mut open: Vec<usize> = (0..n)
            .map(|a| p.targets(a).iter().filter(|&&b| b != NOWHERE).count())
            .collect();
        let mut back_start = vec![0usize; n + 1];
        for &b in p.to.iter().filter(|&&b| b != NOWHERE) {
            back_start[b as usize + 1] += 1;
        }
        for b in 0..n {
            back_start[b + 1] += back_start[b];
        }
        let mut back = vec![0u32; back_start[n]];
        let mut fill = back_start.clone();
        for a in 0..n {
            for &b in p.targets(a).iter().filter(|&&b| b != NOWHERE) {
                back[fill[b as usize]] = a as u32;
                fill[b as usize] += 1;
            }
        }
        p.odd = vec![false; n];
        let mut ready: Vec<usize> = (0..n).filter(|&a| open[a] == 0).collect();
        let mut coloured = 0;
        while let Some(a) = ready.pop() {
            coloured += 1;
            let targets = p.targets(a);
            let odd = targets
                .iter()
                .filter(|&&b| b != NOWHERE && p.odd[b as usize])
                .count();
            if odd != 0 && odd != targets.len() {
                return Err(conflict(p, a, &[], 1).into());
            }
            p.odd[a] = targets.len() > odd;
            for &from in &back[back_start[a]..back_start[a + 1]] {
                open[from as usize] -= 1;
                if open[from as usize] == 0 {
                    ready.push(from as usize);
                }
            }
        }
        if coloured == n {
            return Ok(());
        }
        // From a box that is still open one comes to another one, and so in the end round.
        let mut at = (0..n).find(|&a| open[a] > 0).unwrap_or(0);
        let mut seen = vec![false; n];
        while !seen[at] {
            seen[at] = true;
            let next = p
                .targets(at)
                .iter()
                .find(|&&b| b != NOWHERE && open[b as usize] > 0);
            at = next.map_or(at, |&b| b as usize);
        }
        stop(format!("tokens of x[{at}] can come back to x[{at}]"))
    }
}

impl Arcs {
    /// The source at u = 0, where u is the only thing that it depends on.
    fn source_at_zero(&self, env: &mut Env<'_>) -> Option<i64> {
        for clause in &self.clauses {
            if let Clause::For { slots, .. } = clause {
                env.vars[slots[0]] = 0;
                break;
            }
        }
        env.int(&self.from)
    }
}

/// Two arcs of box `a` that no colouring fits.
fn conflict(p: &Prepared, a: usize, runs: &[Run], m: i64) -> WhyNot {
    let mut seen: [Option<String>; 2] = [None, None];
    let explicit = p
        .targets(a)
        .iter()
        .map(|&b| (b != NOWHERE).then_some(b as usize));
    for b in runs
        .iter()
        .flat_map(|r| r.boxes(m))
        .map(Some)
        .chain(explicit)
    {
        let (odd, name) = match b {
            Some(b) => (
                p.odd[b],
                format!("x[{b}] ({})", if p.odd[b] { "odd" } else { "even" }),
            ),
            None => (false, "nowhere (even)".to_owned()),
        };
        seen[usize::from(odd)].get_or_insert(name);
        if seen.iter().all(Option::is_some) {
            break;
        }
    }
    let [even, odd] = seen.map(|s| s.unwrap_or_default());
    WhyNot::new(format!(
        "tokens of x[{a}] can go both to {even} and to {odd}, so no two colours fit the arcs"
    ))
}
