//! Does play end? A proof by measures that go down, a cycle found by playing, or neither.
//!
//! A measure is a quantity that no step raises and that cannot fall for ever where it falls: a counter, a sum, a length, a
//! difference bounded by a guard, or an order without infinite descent. Measures are taken one after the other: steps that
//! lower one for sure are done with, the rest must leave it as it is (a lexicographic ranking; C. Alias et al., SAS 2010).
//! A move that leaves several parts is a step to each: a position is then replaced by finitely many smaller ones, which
//! ends too (Dershowitz and Manna, 1979). Every "no step raises it" is a system of [`super::system`] shown to be empty, so
//! a proof is one even where the rules were read with something forgotten.
//!
//! Without a proof small positions are played by the interpreter, at most [`MAX_PLAYED`], in search of a cycle. Cost: some
//! hundred emptiness questions of microseconds each for a proof; tens of milliseconds for the search.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use grundy_core::Int;

use super::longer;
use super::reader::Change;
use super::relation::Relation;
use super::steps::{Step, Steps};
use super::system::{Constraint, Lin, Truth, Union};
use crate::diag::{Code, Diagnostic};
use crate::interp::{Machine, Rules};
use crate::ir::{Clause, Domain, Expr, ExprKind, Move, Parts, Pattern, Shape};
use crate::value::{Pos, Position, Value};

/// Most positions played in search of a cycle.
pub const MAX_PLAYED: usize = 6000;
/// Most words of options looked at in that search.
const MAX_OPTIONS: usize = 200_000;
/// The largest number of a part from which that search starts.
const MAX_NUMBER: i64 = 2000;
/// Most positions from which a rule is tried that may be used for ever.
const MAX_BEGINNINGS: usize = 300;
/// Most vertices and arcs of a graph given as input that are searched through.
const MAX_GRAPH: usize = 4_000_000;

/// Whether play ends from every position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Termination {
    /// It does.
    Proved {
        /// What goes down, in words.
        measure: String,
    },
    /// It need not: these parts follow each other, the last is the first again.
    CanCycle {
        /// The parts in the order of play.
        positions: Vec<Pos>,
        /// The move rule of each step.
        rules: Vec<usize>,
    },
    /// It need not: one rule can be used for ever, each time at a new position.
    CanGrow {
        /// How it starts.
        positions: Vec<Pos>,
        /// The move rule.
        rule: usize,
    },
    /// Neither a proof nor a cycle was found.
    Unknown,
}

/// Whether play ends from every position of the space, parameters as bound.
pub fn check(rules: &Rules) -> Termination {
    decide(rules, None)
}

/// Whether play ends from one position: what holds of it and of every option from there on (counters that never become 0)
/// helps the proof, and only what can be reached from it counts as a cycle.
pub fn check_from(rules: &Rules, start: &Position) -> Termination {
    decide(rules, Some(start))
}

fn decide(rules: &Rules, start: Option<&Position>) -> Termination {
    if rules.game().moves.is_empty() {
        return Termination::Proved {
            measure: "there is no move".to_owned(),
        };
    }
    if let Some(found) = graph(rules, start) {
        return found;
    }
    let mut steps = Steps::of_rules(rules).ok();
    if let Some(steps) = &mut steps {
        if let Some(start) = start {
            keep_invariants(rules, steps, start);
        }
        if let Some(measure) = rank(steps) {
            return Termination::Proved { measure };
        }
    }
    let found = match start {
        Some(start) => search(rules, start.parts.clone()),
        None => search(rules, small_positions(rules)),
    };
    if let Some(found) = found {
        return found;
    }
    grows(rules, start)
        .or_else(|| lengthens(rules, start))
        .unwrap_or(Termination::Unknown)
}

/// What to tell a person: an error if play need not end from some position, a warning if an array of the position is read
/// where it has no element. Rules with parameters are only tried for the latter from a start, since small positions need
/// not be of the size that the parameters say.
pub fn diagnostics(rules: &Rules) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = report(rules, &check(rules)).into_iter().collect();
    if !rules.game().vars.iter().any(|v| v.in_rules) {
        out.extend(super::space::diagnostics(rules, small_positions(rules)));
    }
    out
}

/// The same for play from one position.
pub fn diagnostics_from(rules: &Rules, start: &Position) -> Vec<Diagnostic> {
    let mut out: Vec<Diagnostic> = report(rules, &check_from(rules, start))
        .into_iter()
        .collect();
    out.extend(super::space::diagnostics(rules, start.parts.clone()));
    out
}

fn report(rules: &Rules, found: &Termination) -> Option<Diagnostic> {
    let game = rules.game();
    let show = |p: &Pos| game.shape.display(p);
    let error = |message: &str| Diagnostic::error(Code::Cycle, &game.source, message);
    match found {
        Termination::Proved { .. } | Termination::Unknown => None,
        Termination::CanCycle {
            positions,
            rules: by,
        } => {
            let mut d = error("play can go on for ever");
            let mut seen = Vec::new();
            for rule in by {
                if !seen.contains(rule) {
                    seen.push(*rule);
                    let label = if seen.len() == 1 {
                        "this move can lead back to a position that was there before"
                    } else {
                        "together with this one"
                    };
                    d = d.at(game.moves[*rule].span, label);
                }
            }
            if let Some(first) = positions.first() {
                d = d.note(format!("from {}", show(first)));
            }
            for p in positions.iter().skip(1).take(12) {
                d = d.note(format!("  to {}", show(p)));
            }
            if positions.len() > 13 {
                d = d.note(format!(
                    "  and so on, back after {} moves",
                    positions.len() - 1
                ));
            }
            Some(d.help(
                "make every move bring some quantity down, or put a guard `if` on the move that brings it back up",
            ))
        }
        Termination::CanGrow { positions, rule } => {
            let mut d = error("play need not end").at(
                game.moves[*rule].span,
                "this move can be made again after itself, without end",
            );
            for (i, p) in positions.iter().enumerate() {
                let word = if i == 0 { "from" } else { "  to" };
                d = d.note(format!("{word} {}", show(p)));
            }
            Some(d.help(if game.shape.width().is_some() {
                "put a bound on what the move makes larger: a guard such as `if n < limit`, or a `min(…)` in its range"
            } else {
                "put a bound on what the move makes longer: a guard such as `if len(x) < limit`, or a count of turns left"
            }))
        }
    }
}

// Proofs.

/// Measures under which every step is done with, in words.
fn rank(steps: &Steps) -> Option<String> {
    let mut open: Vec<Step> = steps
        .list
        .iter()
        .filter(|s| !s.system.is_empty().yes())
        .cloned()
        .collect();
    if open.is_empty() {
        return Some("no move leaves anything to play on".to_owned());
    }
    let mut used: Vec<String> = Vec::new();
    let candidates = weights(steps.names.len());
    'next: while !open.is_empty() {
        for w in &candidates {
            if let Some(left) = lowered(&open, w) {
                used.push(words(w, &steps.names));
                open = left;
                continue 'next;
            }
        }
        for (i, name) in steps.orders.iter().enumerate() {
            let change = |s: &Step| s.orders.get(i).copied().unwrap_or(Change::Any);
            if open.iter().all(|s| change(s) != Change::Any)
                && open.iter().any(|s| change(s) == Change::Down)
            {
                used.push(name.clone());
                open.retain(|s| change(s) != Change::Down);
                continue 'next;
            }
        }
        if let Some(order) = downhill(&open) {
            used.push(order);
            break;
        }
        return None;
    }
    Some(used.join(", then "))
}

/// Weights to try, plain ones first.
fn weights(n: usize) -> Vec<Vec<i64>> {
    let mut out: Vec<Vec<i64>> = Vec::new();
    let mut push = |w: Vec<i64>| {
        if w.iter().any(|x| *x != 0) && !out.contains(&w) {
            out.push(w);
        }
    };
    let unit = |entries: &[(usize, i64)]| {
        let mut w = vec![0; n];
        for (i, x) in entries {
            w[*i] = *x;
        }
        w
    };
    for i in 0..n {
        push(unit(&[(i, 1)]));
    }
    push(vec![1; n]);
    for i in 0..n {
        push(unit(&[(i, -1)]));
    }
    let pairs: &[(i64, i64)] = &[
        (1, 1),
        (1, -1),
        (-1, 1),
        (2, 1),
        (1, 2),
        (3, 1),
        (1, 3),
        (2, -1),
        (-1, 2),
        (3, 2),
        (2, 3),
    ];
    for (a, b) in pairs.iter().take(if n > 6 { 3 } else { 11 }) {
        for i in 0..n {
            for j in i + 1..n {
                push(unit(&[(i, *a), (j, *b)]));
            }
        }
    }
    if n == 3 {
        for code in 0..125 {
            push(vec![code % 5 - 2, code / 5 % 5 - 2, code / 25 - 2]);
        }
    }
    out
}

fn words(w: &[i64], names: &[String]) -> String {
    let mut out = String::new();
    for (x, name) in w.iter().zip(names) {
        let sign = match (x.signum(), out.is_empty()) {
            (0, _) => continue,
            (1, true) => "",
            (1, false) => " + ",
            (_, true) => "-",
            (_, false) => " - ",
        };
        out.push_str(sign);
        if x.abs() != 1 {
            out.push_str(&format!("{}*", x.abs()));
        }
        if name.contains(' ') && w.iter().filter(|x| **x != 0).count() > 1 {
            out.push_str(&format!("({name})"));
        } else {
            out.push_str(name);
        }
    }
    out
}

/// The steps that a measure leaves to be dealt with; `None` if some step may raise it, if it may fall for ever, or if it is
/// of no use.
fn lowered(open: &[Step], w: &[i64]) -> Option<Vec<Step>> {
    let mut left = Vec::new();
    let mut use_of_it = false;
    for step in open {
        let (mut before, mut after) = (Lin::default(), Lin::default());
        for (i, x) in w.iter().enumerate() {
            before = before + Lin::var(i) * *x;
            after = after + step.after[i].clone() * *x;
        }
        let system = &step.system;
        // Larger afterwards?
        if !system
            .implies(&Constraint::le(after.clone(), before.clone()))
            .yes()
        {
            return None;
        }
        let same = system.clone().with(Constraint::same(after, before.clone()));
        match same.is_empty() {
            // Not lowered by any move of this step; then it need not have a least value here.
            _ if system == &same => left.push(step.clone()),
            Truth::Yes => {
                use_of_it = true;
                bounded(step, w, &before)?;
            }
            _ => {
                let fixed = match &same.constraints().last() {
                    Some(c) => system.implies(c).yes(),
                    None => true,
                };
                if !fixed {
                    use_of_it = true;
                    bounded(step, w, &before)?;
                }
                left.push(Step {
                    system: same,
                    ..step.clone()
                });
            }
        }
    }
    use_of_it.then_some(left)
}

/// A measure that goes down must not do so for ever: where it does it has a least value.
fn bounded(step: &Step, w: &[i64], before: &Lin) -> Option<()> {
    if w.iter().all(|x| *x >= 0) {
        return Some(());
    }
    step.system.lower_bound(before).map(|_| ())
}

/// Places of an array in an order such that every step takes from one place and adds only to later ones.
fn downhill(open: &[Step]) -> Option<String> {
    let mut next: HashMap<&Int, Vec<&Int>> = HashMap::new();
    for step in open {
        for (from, to) in step.flow.as_ref()? {
            next.entry(from).or_default().push(to);
            next.entry(to).or_default();
        }
    }
    let mut degree: HashMap<&Int, usize> = next.keys().map(|v| (*v, 0)).collect();
    for to in next.values().flatten() {
        *degree.entry(to).or_default() += 1;
    }
    let mut ready: Vec<&Int> = degree.iter().filter(|d| *d.1 == 0).map(|d| *d.0).collect();
    let mut done = 0;
    while let Some(v) = ready.pop() {
        done += 1;
        for to in &next[v] {
            if let Some(d) = degree.get_mut(to) {
                *d -= 1;
                if *d == 0 {
                    ready.push(to);
                }
            }
        }
    }
    (done == next.len())
        .then(|| "the places in an order in which every move goes forward".to_owned())
}

/// Adds what stays true of every part from the start on: a counter of at least 1, one counter not above another. Guesses
/// that some step may break are given up until the rest hold together (the Houdini method; Flanagan and Leino, 2001).
fn keep_invariants(rules: &Rules, steps: &mut Steps, start: &Position) {
    let n = steps.names.len();
    let flat = rules.game().shape.width() == Some(n);
    if !flat || start.parts.is_empty() {
        return;
    }
    let mut kept: Vec<Lin> = Vec::new();
    for i in 0..n {
        kept.push(Lin::var(i) - 1);
        for j in 0..n {
            if i != j && n <= 6 {
                kept.push(Lin::var(i) - Lin::var(j));
                kept.push(Lin::var(i) - Lin::var(j) - 1);
            }
        }
    }
    kept.retain(|l| {
        start.parts.iter().all(|p| {
            l.value(|v| p.0.get(v).cloned())
                .is_some_and(|v| !v.is_negative())
        })
    });
    loop {
        let broken = kept.iter().position(|l| {
            steps.list.iter().any(|step| {
                let mut s = step.system.clone();
                for k in &kept {
                    s.add(Constraint::Ge(k.clone()));
                }
                let after = l
                    .terms()
                    .iter()
                    .fold(Lin::constant(l.offset().clone()), |t, (v, c)| {
                        t.plus(c, &step.after[*v])
                    });
                !s.implies(&Constraint::Ge(after)).yes()
            })
        });
        match broken {
            Some(i) => kept.remove(i),
            None => break,
        };
    }
    for step in &mut steps.list {
        for k in &kept {
            step.system.add(Constraint::Ge(k.clone()));
        }
    }
}

/// Rules that go from vertex to vertex of a graph given as input, `v -> w for w in adj[v]`: the graph itself is searched.
fn graph(rules: &Rules, start: Option<&Position>) -> Option<Termination> {
    let game = rules.game();
    if game.shape != Shape::Int {
        return None;
    }
    // Every rule reads a list at v before anything else, so past its end there is no move.
    let list = |m: &Move| -> Option<usize> {
        let Pattern::Bind(v) = &m.pattern else {
            return None;
        };
        let Some(Clause::For {
            domain: Domain::Members(Expr { kind, .. }),
            ..
        }) = m.clauses.first()
        else {
            return None;
        };
        let ExprKind::Index(list, index) = kind else {
            return None;
        };
        match (&list.kind, &index.kind) {
            (ExprKind::Slot(l), ExprKind::Slot(i)) if *l < game.vars.len() && i == v => {
                rules.params().get(*l)?.as_seq().map(<[Value]>::len)
            }
            _ => None,
        }
    };
    let mut size = 0;
    for m in &game.moves {
        size = size.max(list(m)?);
    }
    let from: Vec<Pos> = match start {
        Some(start) => start.parts.clone(),
        None if size > MAX_GRAPH => return None,
        None => (0..size)
            .map(|v| Pos([Int::from(v)].into_iter().collect()))
            .collect(),
    };
    let mut play = Play::new(rules, MAX_GRAPH, MAX_GRAPH);
    for p in from {
        if let Some(cycle) = play.cycle(p) {
            return Some(cycle);
        }
    }
    play.complete.then(|| Termination::Proved {
        measure: "the graph has no cycle".to_owned(),
    })
}

// The search for a cycle.

/// A depth-first search over parts, without recursion.
struct Play<'r> {
    machine: Machine<'r>,
    /// The parts met, and whether their options are being gone through.
    seen: HashMap<Pos, bool>,
    options: usize,
    max_positions: usize,
    max_options: usize,
    /// Longer parts are not played on from.
    max_words: usize,
    /// Parts with a larger number are not played on from: what grows without end would take all the room.
    largest: Option<Int>,
    /// Nothing was left out.
    complete: bool,
}

struct Frame {
    pos: Pos,
    options: Vec<(Pos, usize)>,
    next: usize,
}

impl<'r> Play<'r> {
    fn new(rules: &'r Rules, max_positions: usize, max_options: usize) -> Self {
        Play {
            machine: rules.machine(),
            seen: HashMap::new(),
            options: 0,
            max_positions,
            max_options,
            max_words: usize::MAX,
            largest: None,
            complete: true,
        }
    }

    fn frame(&mut self, pos: Pos) -> Frame {
        let mut options = Vec::new();
        let mut left_out = false;
        let largest = self.largest.clone();
        let fits = |p: &Pos| {
            p.0.len() <= self.max_words
                && largest.as_ref().is_none_or(|m| p.0.iter().all(|w| w <= m))
        };
        let ended = self.machine.end(&pos).map(|e| e.is_some());
        if matches!(ended, Ok(false)) {
            let room = self.max_options.saturating_sub(self.options);
            let mut used = 0;
            let flow = self.machine.options(&pos, &mut |opt| {
                if used >= room {
                    return ControlFlow::Break(());
                }
                used += 1;
                for p in opt.parts {
                    used += p.0.len();
                    if fits(p) {
                        options.push((p.clone(), opt.rule));
                    } else {
                        left_out = true;
                    }
                }
                ControlFlow::Continue(())
            });
            self.complete &= !left_out;
            // An error stops play; the options before it count.
            if let Ok(flow) = flow {
                self.complete &= flow.is_continue();
            }
            self.options += used;
        }
        Frame {
            pos,
            options,
            next: 0,
        }
    }

    /// A cycle that can be reached from here.
    fn cycle(&mut self, pos: Pos) -> Option<Termination> {
        if self.seen.contains_key(&pos) {
            return None;
        }
        self.seen.insert(pos.clone(), true);
        let mut path = vec![self.frame(pos)];
        while let Some(top) = path.last_mut() {
            let Some((next, _)) = top.options.get(top.next).cloned() else {
                self.seen.insert(top.pos.clone(), false);
                path.pop();
                continue;
            };
            top.next += 1;
            match self.seen.get(&next) {
                Some(false) => {}
                Some(true) => {
                    let at = path.iter().position(|f| f.pos == next)?;
                    let mut positions: Vec<Pos> =
                        path[at..].iter().map(|f| f.pos.clone()).collect();
                    positions.push(next);
                    let rules = path[at..].iter().map(|f| f.options[f.next - 1].1).collect();
                    return Some(Termination::CanCycle { positions, rules });
                }
                None => {
                    if self.seen.len() >= self.max_positions || self.options >= self.max_options {
                        self.complete = false;
                        continue;
                    }
                    self.seen.insert(next.clone(), true);
                    let frame = self.frame(next);
                    path.push(frame);
                }
            }
        }
        None
    }
}

/// Whether a part's options can be gone through: a quantifier that runs over a large number and is refused by a guard each
/// time cannot be broken off.
fn playable(pos: &Pos) -> bool {
    let limit = Int::from(MAX_NUMBER);
    pos.0.iter().all(|w| *w <= limit)
}

fn search(rules: &Rules, from: Vec<Pos>) -> Option<Termination> {
    let from: Vec<Pos> = from.into_iter().filter(playable).collect();
    let mut play = Play::new(rules, MAX_PLAYED, MAX_OPTIONS);
    let largest = from.iter().flat_map(|p| p.0.iter()).max().cloned();
    let longest = from.iter().map(|p| p.0.len()).max().unwrap_or_default();
    play.max_words = 2 * longest + 4;
    play.largest = Some(&(&largest.unwrap_or_default() * &Int::from(3)) + &Int::from(30));
    let found = from.into_iter().find_map(|p| play.cycle(p))?;
    Some(shortest(rules, found))
}

/// The shortest cycle through one of the positions of a cycle, as far as a small search finds one.
fn shortest(rules: &Rules, found: Termination) -> Termination {
    let Termination::CanCycle { positions, .. } = &found else {
        return found;
    };
    let mut best = found.clone();
    let mut length = positions.len();
    for start in positions.iter().take(6) {
        let mut play = Play::new(rules, 500, 5000);
        play.max_words = positions
            .iter()
            .map(|p| p.0.len())
            .max()
            .unwrap_or_default();
        play.largest = positions.iter().flat_map(|p| p.0.iter()).max().cloned();
        let mut seen: HashMap<Pos, Option<(usize, usize)>> = HashMap::from([(start.clone(), None)]);
        let mut queue: Vec<Pos> = vec![start.clone()];
        let mut at = 0;
        'queue: while at < queue.len() && queue.len() < 500 && play.options < 5000 {
            let frame = play.frame(queue[at].clone());
            for (next, rule) in frame.options {
                if next == *start {
                    let (mut back, mut by) = (vec![next], vec![rule]);
                    let mut i = at;
                    loop {
                        back.push(queue[i].clone());
                        let Some(Some((parent, rule))) = seen.get(&queue[i]) else {
                            break;
                        };
                        by.push(*rule);
                        i = *parent;
                    }
                    back.reverse();
                    by.reverse();
                    if back.len() < length {
                        length = back.len();
                        best = Termination::CanCycle {
                            positions: back,
                            rules: by,
                        };
                    }
                    break 'queue;
                }
                if !seen.contains_key(&next) {
                    seen.insert(next.clone(), Some((at, rule)));
                    queue.push(next);
                }
            }
            at += 1;
        }
    }
    best
}

/// Positions to start from: every one with few and small numbers.
fn small_positions(rules: &Rules) -> Vec<Pos> {
    let game = rules.game();
    let mut alphabet = vec!['.', 'X'];
    for m in &game.moves {
        let mut look = |e: &Expr| {
            if let ExprKind::Char(c) = &e.kind
                && !alphabet.contains(c)
            {
                alphabet.push(*c);
            }
        };
        m.clauses.iter().for_each(|c| c.walk(&mut look));
        if let Parts::Each(all) = &m.parts {
            all.iter().for_each(|e| e.walk(&mut look));
        }
    }
    let values = small_values(&game.shape, &alphabet, 1500);
    let mut out: Vec<Pos> = values
        .iter()
        .filter_map(|v| game.shape.pos(v).ok())
        .collect();
    out.sort_by(crate::value::by_size);
    out.dedup();
    out
}

/// Values of a shape, at most about `room`.
fn small_values(shape: &Shape, alphabet: &[char], room: usize) -> Vec<Value> {
    let root = |n: usize| {
        let mut r = 1;
        while (r + 1usize)
            .checked_pow(n.max(1) as u32)
            .is_some_and(|p| p <= room)
        {
            r += 1;
        }
        r
    };
    let product = |members: Vec<Vec<Value>>| {
        let mut out: Vec<Vec<Value>> = vec![Vec::new()];
        for all in members {
            out = out
                .iter()
                .flat_map(|p| {
                    all.iter()
                        .map(move |v| [p.clone(), vec![v.clone()]].concat())
                })
                .take(room)
                .collect();
        }
        out.into_iter().map(Value::seq).collect::<Vec<_>>()
    };
    match shape {
        Shape::Int => (0..room.min(9) as i64).map(Value::from).collect(),
        Shape::Tuple(shapes) => {
            let each = root(shapes.len());
            product(
                shapes
                    .iter()
                    .map(|s| small_values(s, alphabet, each))
                    .collect(),
            )
        }
        Shape::Unordered(n, inner) => product(vec![small_values(inner, alphabet, root(*n)); *n]),
        Shape::Array(inner) | Shape::Multiset(inner) | Shape::Set(inner) => (0..5)
            .flat_map(|n| {
                let each = if n == 0 { 1 } else { root(n).min(7 - n) };
                product(vec![small_values(inner, alphabet, each); n])
            })
            .take(room)
            .collect(),
        Shape::Str => (0..6)
            .flat_map(|n| {
                let chars: Vec<Value> = alphabet.iter().map(|c| Value::Char(*c)).collect();
                product(vec![chars; n])
            })
            .take(room)
            .collect(),
    }
}

/// A rule that can be used for ever: wherever it leads it can be used again, and there is a position to begin at.
fn grows(rules: &Rules, start: Option<&Position>) -> Option<Termination> {
    let relation = Relation::of_play(rules).ok()?;
    if !relation.opaque.is_empty() {
        return None;
    }
    let n = relation.counters;
    let mut machine = rules.machine();
    for case in relation.cases.iter().filter(|c| c.exact && c.parts > 0) {
        // Where the case can be used, and where its first part ends up, as sets of positions.
        let s = &case.system;
        let here = s.renamed(n, s.variables(), |v| v);
        let (from, to) = (n, 2 * n);
        let there = s.renamed(n, s.variables(), |v| {
            if v < from {
                v + n
            } else if v < to {
                v - n
            } else {
                v
            }
        });
        if !Union(vec![there]).subset(&Union(vec![here.clone()])).yes() {
            continue;
        }
        let begin = beginnings(rules, start)
            .into_iter()
            .find(|p| here.contains(&p.0).yes());
        let Some(begin) = begin else { continue };
        let mut positions = vec![begin];
        while let Some(last) = positions.last()
            && positions.len() < 5
        {
            let mut next = None;
            let _ = machine.options(last, &mut |opt| {
                let first = opt.parts.first();
                match first.filter(|p| opt.rule == case.rule && here.contains(&p.0).yes()) {
                    Some(p) => {
                        next = Some(p.clone());
                        ControlFlow::Break(())
                    }
                    None => ControlFlow::Continue(()),
                }
            });
            positions.push(next?);
        }
        return Some(Termination::CanGrow {
            positions,
            rule: case.rule,
        });
    }
    None
}

/// Positions from which a rule may be used for ever: those given, and some that play leads to.
fn beginnings(rules: &Rules, start: Option<&Position>) -> Vec<Pos> {
    let Some(start) = start else {
        return small_positions(rules);
    };
    let mut out = start.parts.clone();
    let mut play = Play::new(rules, MAX_BEGINNINGS, 10 * MAX_BEGINNINGS);
    let mut seen: HashSet<Pos> = out.iter().cloned().collect();
    let mut at = 0;
    while at < out.len() && out.len() < MAX_BEGINNINGS && play.options < play.max_options {
        if playable(&out[at]) {
            let frame = play.frame(out[at].clone());
            let new = frame.options.into_iter().map(|(p, _)| p);
            out.extend(new.filter(|p| seen.insert(p.clone())));
        }
        at += 1;
    }
    out
}

/// A rule that can be used for ever since it makes the position longer each time.
fn lengthens(rules: &Rules, start: Option<&Position>) -> Option<Termination> {
    let moves = longer::lengthening(rules);
    if moves.is_empty() {
        return None;
    }
    let mut machine = rules.machine();
    let begin = beginnings(rules, start);
    for (rule, part) in moves {
        for first in &begin {
            let mut positions = vec![first.clone()];
            while let Some(last) = positions.last()
                && positions.len() < 5
            {
                if !matches!(machine.end(last), Ok(None)) {
                    break;
                }
                let mut next = None;
                let _ = machine.options(last, &mut |opt| {
                    let left = opt.parts.get(part).filter(|_| opt.rule == rule);
                    match left.filter(|p| p.0.len() > last.0.len()) {
                        Some(p) => {
                            next = Some(p.clone());
                            ControlFlow::Break(())
                        }
                        None => ControlFlow::Continue(()),
                    }
                });
                match next {
                    Some(next) => positions.push(next),
                    None => break,
                }
            }
            if positions.len() == 5 {
                return Some(Termination::CanGrow { positions, rule });
            }
        }
    }
    None
}
