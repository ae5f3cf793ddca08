//! What a move does to the quantities of a position that can show that play ends: counters, lengths, sums, how often a
//! character occurs, and orders that are not one number (an array read from one end, a set read from its largest member,
//! heaps of which one is replaced by smaller ones).
//!
//! A step goes from a position to one of the parts that a move leaves. Its system holds at least the steps of the rules; the
//! orders are claimed only where they follow from it.

use grundy_core::Int;

use super::reader::{Change, Component, LOCAL, Reader, Res, State, Sym, curved, few};
use super::relation::{Relation, facts};
use super::system::{Constraint, Lin, System, Var};
use crate::interp::Rules;
use crate::ir::{BinaryOp, Expr, ExprKind, Parts, Pattern, Shape, UpdateOp};

/// A position to one part left.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Free variables are [`Steps::names`], then opaque terms.
    pub(super) system: System,
    /// Each quantity afterwards.
    pub(super) after: Vec<Lin>,
    /// Each of [`Steps::orders`].
    pub(super) orders: Vec<Change>,
    /// Places of an array, if they are known numbers: something is taken from the first and may be put on the second.
    pub(super) flow: Option<Vec<(Int, Int)>>,
}

/// All steps of a game.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    /// What each quantity is, in words.
    pub(super) names: Vec<String>,
    /// What each order is, in words.
    pub(super) orders: Vec<String>,
    pub(super) list: Vec<Step>,
}

impl Steps {
    pub(super) fn of_rules(rules: &Rules) -> Res<Steps> {
        if let Ok(relation) = Relation::of_play(rules) {
            return Ok(of_relation(rules, &relation));
        }
        read(rules)
    }
}

fn of_relation(rules: &Rules, relation: &Relation) -> Steps {
    let n = relation.counters;
    let mut list = Vec::new();
    for case in &relation.cases {
        for part in 0..case.parts {
            // The parts' counters are locals here.
            let s = &case.system;
            let free = n + relation.opaque.len();
            list.push(Step {
                system: s.renamed(free, s.variables(), |v| v),
                after: (0..n).map(|i| relation.y(part, i)).collect(),
                orders: Vec::new(),
                flow: None,
            });
        }
    }
    Steps {
        names: counter_names(rules, n),
        orders: Vec::new(),
        list,
    }
}

/// The names in the first move's pattern; unordered members get their place in the order of size.
fn counter_names(rules: &Rules, n: usize) -> Vec<String> {
    fn collect(rules: &Rules, pattern: &Pattern, ordered: bool, out: &mut Vec<Option<String>>) {
        match pattern {
            Pattern::Bind(slot) => {
                let name = rules.game().slots[*slot].name.clone();
                out.push(ordered.then_some(name));
            }
            Pattern::Tuple(members) => {
                members.iter().for_each(|m| collect(rules, m, ordered, out));
            }
            Pattern::Unordered { members, .. } | Pattern::Pick { members, .. } => {
                members.iter().for_each(|m| collect(rules, m, false, out));
            }
        }
    }
    let mut names = Vec::new();
    if let Some(m) = rules.game().moves.first() {
        collect(rules, &m.pattern, true, &mut names);
    }
    if names.len() != n {
        names = vec![None; n];
    }
    names
        .into_iter()
        .enumerate()
        .map(|(i, name)| name.unwrap_or_else(|| format!("counter {} in order of size", i + 1)))
        .collect()
}

/// Reads the rules of positions that are not a fixed number of counters.
fn read(rules: &Rules) -> Res<Steps> {
    let game = rules.game();
    let mut reader = Reader::of_any_shape(rules);
    let mut start = reader.blank();
    let mut steps = Steps {
        names: Vec::new(),
        orders: Vec::new(),
        list: Vec::new(),
    };
    let mut alphabet = Vec::new();
    for m in &game.moves {
        let mut look = |e: &Expr| match &e.kind {
            ExprKind::Char(c) => alphabet.push(*c),
            ExprKind::Str(text) => alphabet.extend(text.chars()),
            _ => {}
        };
        m.clauses.iter().for_each(|c| c.walk(&mut look));
        match &m.parts {
            Parts::Each(all) => all.iter().for_each(|e| e.walk(&mut look)),
            Parts::Over(e, clauses) => {
                e.walk(&mut look);
                clauses.iter().for_each(|c| c.walk(&mut look));
            }
        }
    }
    alphabet.sort_unstable();
    alphabet.dedup();
    alphabet.truncate(8);
    let mut names = names_of(rules);
    names.reverse();
    let whole = whole(
        &mut reader,
        &game.shape,
        &alphabet,
        &mut names,
        &mut steps,
        &mut start,
    );
    let features = steps.names.len();
    reader.counters = features;
    for i in 0..features {
        start.add(Constraint::Ge(Lin::var(i)));
    }
    for c in &reader.components {
        for (_, count) in &c.counts {
            if let Some(len) = c.len {
                start.add(Constraint::le(Lin::var(*count), Lin::var(len)));
            }
        }
    }
    let mut found = Vec::new();
    for m in &game.moves {
        let state = matched(&m.pattern, &whole, start.clone(), &reader);
        let one_by_one = curved(m, game.vars.len());
        let states = reader.clauses(&m.clauses, vec![state], &one_by_one)?;
        for s in states {
            let mut parts = Vec::new();
            match &m.parts {
                Parts::Each(all) => {
                    for e in all {
                        parts.extend(reader.value(e, s.clone())?);
                    }
                }
                Parts::Over(e, clauses) => {
                    for s in reader.clauses(clauses, vec![s], &[])? {
                        parts.extend(reader.value(e, s)?);
                    }
                }
            }
            for (mut s, v) in parts {
                let mut after = After {
                    reader: &reader,
                    next: 0,
                    component: 0,
                    quantities: Vec::new(),
                    orders: Vec::new(),
                    flow: None,
                };
                after.read(&v, &game.shape, &mut s);
                if s.possible() {
                    found.push((s, after.quantities, after.orders, after.flow));
                }
            }
            few(found.len())?;
        }
    }
    let free = features + reader.opaque.len();
    let facts = facts(features, &reader.opaque);
    for (s, after, orders, flow) in found {
        let place = |v: Var| if v >= LOCAL { free + v - LOCAL } else { v };
        let mut system = System::new(free);
        for _ in 0..s.locals {
            system.local();
        }
        for c in &s.constraints {
            system.add(c.renamed(place));
        }
        for fact in &facts {
            system.add(fact.clone());
        }
        steps.list.push(Step {
            system,
            after: after.iter().map(|l| l.renamed(place)).collect(),
            orders,
            flow,
        });
    }
    Ok(steps)
}

/// The names that the first pattern gives to counters and components, in order.
fn names_of(rules: &Rules) -> Vec<String> {
    fn collect(rules: &Rules, pattern: &Pattern, out: &mut Vec<String>) {
        match pattern {
            Pattern::Bind(slot) => out.push(rules.game().slots[*slot].name.clone()),
            Pattern::Tuple(members) => members.iter().for_each(|m| collect(rules, m, out)),
            Pattern::Unordered { .. } | Pattern::Pick { .. } => out.push("the heaps".to_owned()),
        }
    }
    let mut out = Vec::new();
    if let Some(m) = rules.game().moves.first() {
        collect(rules, &m.pattern, &mut out);
    }
    out
}

/// Makes variables and names for a shape, and what stands for it.
fn whole(
    reader: &mut Reader<'_>,
    shape: &Shape,
    alphabet: &[char],
    names: &mut Vec<String>,
    steps: &mut Steps,
    start: &mut State,
) -> Sym {
    fn quantity(steps: &mut Steps, name: String) -> Var {
        steps.names.push(name);
        steps.names.len() - 1
    }
    match shape {
        Shape::Tuple(shapes) => Sym::Seq(
            shapes
                .iter()
                .map(|s| whole(reader, s, alphabet, names, steps, start))
                .collect(),
        ),
        Shape::Int => {
            let name = names.pop().unwrap_or_else(|| "a counter".to_owned());
            Sym::Int(Lin::var(quantity(steps, name)))
        }
        Shape::Unordered(n, inner) if **inner == Shape::Int => {
            names.pop();
            let sum = quantity(steps, "the sum of the members".to_owned());
            let all: Vec<Lin> = (0..*n).map(|_| start.local()).collect();
            let total = all.iter().fold(Lin::default(), |t, l| t + l.clone());
            for l in &all {
                start.add(Constraint::Ge(l.clone()));
            }
            start.add(Constraint::same(Lin::var(sum), total));
            Sym::Seq(all.into_iter().map(Sym::Int).collect())
        }
        Shape::Unordered(..) => {
            names.pop();
            Sym::Unknown
        }
        Shape::Array(_) | Shape::Str | Shape::Multiset(_) | Shape::Set(_) => {
            let name = names.pop().unwrap_or_else(|| "the position".to_owned());
            let mut component = Component {
                shape: shape.clone(),
                len: None,
                sum: None,
                counts: Vec::new(),
            };
            match shape {
                Shape::Array(inner) => {
                    component.len = Some(quantity(steps, format!("the length of {name}")));
                    if **inner == Shape::Int {
                        component.sum = Some(quantity(steps, format!("the sum of {name}")));
                    }
                    steps
                        .orders
                        .push(format!("{name} read from its last element"));
                    steps
                        .orders
                        .push(format!("{name} read from its first element"));
                }
                Shape::Str => {
                    for end in ["last", "first"] {
                        let order = format!("{name} read from its {end} character");
                        steps.orders.push(order);
                    }
                    component.len = Some(quantity(steps, format!("the length of {name}")));
                    for c in alphabet {
                        let text = format!("the number of {c:?} in {name}");
                        component.counts.push((*c, quantity(steps, text)));
                    }
                }
                Shape::Multiset(inner) => {
                    component.len = Some(quantity(steps, format!("the number of {name}")));
                    if **inner == Shape::Int {
                        component.sum = Some(quantity(steps, format!("the total of {name}")));
                    }
                    steps
                        .orders
                        .push(format!("{name}, one replaced by smaller ones"));
                }
                _ => steps
                    .orders
                    .push(format!("{name} read from its largest member")),
            }
            reader.components.push(component);
            Sym::Own(reader.components.len() - 1)
        }
    }
}

/// The state with a pattern's names.
fn matched(pattern: &Pattern, sym: &Sym, mut s: State, reader: &Reader<'_>) -> State {
    match pattern {
        Pattern::Bind(slot) => s.env[*slot] = Some(sym.clone()),
        Pattern::Tuple(members) | Pattern::Unordered { members, .. } => {
            let all = sym.members().unwrap_or_default();
            for (i, m) in members.iter().enumerate() {
                s = matched(m, all.get(i).unwrap_or(&Sym::Unknown), s, reader);
            }
        }
        Pattern::Pick { members, rest } => {
            let of = match sym {
                Sym::Own(of) => Some(*of),
                _ => None,
            };
            s.env[*rest] = Some(sym.clone());
            for m in members {
                match (m, of) {
                    (Pattern::Bind(slot), Some(of)) if reader.components[of].sum.is_some() => {
                        let l = s.local();
                        s.add(Constraint::Ge(l.clone() - 1));
                        s.picked.push((of, l.clone()));
                        s.env[*slot] = Some(Sym::Int(l));
                    }
                    _ => {
                        // Counted as named, of no known size.
                        if let Some(of) = of {
                            let l = s.anything();
                            s.picked.push((of, l));
                        }
                        s = matched(m, &Sym::Unknown, s, reader);
                    }
                }
            }
            if let Some(of) = of {
                let named = s.picked.iter().filter(|p| p.0 == of);
                let total = named.clone().fold(Lin::default(), |t, p| t + p.1.clone());
                let count = Int::from(members.len());
                let component = &reader.components[of];
                if let Some(sum) = component.sum {
                    s.add(Constraint::le(total, Lin::var(sum)));
                }
                if let Some(len) = component.len {
                    s.add(Constraint::le(Lin::constant(count), Lin::var(len)));
                }
            }
        }
    }
    s
}

/// Reads a result component by component, in the order of [`whole`].
struct After<'a, 'r> {
    reader: &'a Reader<'r>,
    /// The next quantity.
    next: Var,
    component: usize,
    quantities: Vec<Lin>,
    orders: Vec<Change>,
    flow: Option<Vec<(Int, Int)>>,
}

impl After<'_, '_> {
    fn quantity(&mut self, l: Lin) {
        self.next += 1;
        self.quantities.push(l);
    }

    fn natural(&mut self, s: &mut State) -> Lin {
        let l = s.anything();
        s.add(Constraint::Ge(l.clone()));
        l
    }

    fn read(&mut self, v: &Sym, shape: &Shape, s: &mut State) {
        match shape {
            Shape::Tuple(shapes) => {
                let all = v.members().unwrap_or_default();
                for (i, shape) in shapes.iter().enumerate() {
                    self.read(all.get(i).unwrap_or(&Sym::Unknown), shape, s);
                }
            }
            Shape::Int => {
                let l = match v {
                    Sym::Int(l) => l.clone(),
                    _ => s.anything(),
                };
                s.add(Constraint::Ge(l.clone()));
                self.quantity(l);
            }
            Shape::Unordered(n, inner) if **inner == Shape::Int => {
                let mut all = v.members().unwrap_or_default();
                all.resize(*n, Sym::Unknown);
                let mut total = Lin::default();
                for m in all {
                    let l = match m {
                        Sym::Int(l) => l,
                        _ => s.anything(),
                    };
                    s.add(Constraint::Ge(l.clone()));
                    total = total + l;
                }
                self.quantity(total);
            }
            Shape::Unordered(..) => {}
            Shape::Array(_) => self.array(v, s),
            Shape::Str => self.string(v, s),
            Shape::Multiset(_) => self.multiset(v, s),
            Shape::Set(_) => self.set(v, s),
        }
    }

    /// The components are met in the order in which they were made.
    fn own(&mut self) -> (usize, Component) {
        self.component += 1;
        let of = self.component - 1;
        (of, self.reader.components[of].clone())
    }

    fn array(&mut self, v: &Sym, s: &mut State) {
        let (of, component) = self.own();
        let len = self.reader.length(v);
        let (mut top, mut first) = (Change::Any, Change::Any);
        let mut sum = None;
        match v {
            Sym::Own(c) if *c == of => {
                (top, first) = (Change::NotUp, Change::NotUp);
                sum = component.sum.map(Lin::var);
            }
            Sym::Update {
                of: c,
                updates,
                shuffled,
            } if *c == of && component.sum.is_some() => {
                if let Some(deltas) = deltas(of, updates, s) {
                    sum = component
                        .sum
                        .map(|sum| deltas.iter().fold(Lin::var(sum), |t, (_, d)| t + d.clone()));
                    if !shuffled {
                        top = towards(&deltas, s, true);
                        first = towards(&deltas, s, false);
                        self.flow = flow(&deltas, s);
                    }
                }
            }
            Sym::Mapped(c, change) if *c == of => {
                (top, first) = (*change, *change);
                sum = component.sum.map(|sum| {
                    let l = self.natural(s);
                    s.add(match change {
                        Change::Down => Constraint::lt(l.clone(), Lin::var(sum)),
                        Change::NotUp => Constraint::le(l.clone(), Lin::var(sum)),
                        Change::Any => Constraint::Ge(l.clone()),
                    });
                    l
                });
            }
            Sym::Seq(all) => {
                sum = all.iter().try_fold(Lin::default(), |t, m| match m {
                    Sym::Int(l) => Some(t + l.clone()),
                    _ => None,
                });
            }
            _ => {}
        }
        let len = len.unwrap_or_else(|| self.natural(s));
        self.quantity(len);
        if component.sum.is_some() {
            let sum = sum.unwrap_or_else(|| self.natural(s));
            s.add(Constraint::Ge(sum.clone()));
            self.quantity(sum);
        }
        self.orders.extend([top, first]);
    }

    fn string(&mut self, v: &Sym, s: &mut State) {
        let (of, component) = self.own();
        let len = self.reader.length(v).unwrap_or_else(|| self.natural(s));
        self.quantity(len.clone());
        let updates = match v {
            Sym::Own(c) if *c == of => Some(&[][..]),
            Sym::Update { of: c, updates, .. } if *c == of && apart(updates, s) => {
                Some(&updates[..])
            }
            _ => None,
        };
        for (c, count) in &component.counts {
            let mut after = Lin::var(*count);
            let code = Lin::from(i64::from(u32::from(*c)));
            let Some(updates) = updates else {
                let after = self.natural(s);
                s.add(Constraint::le(after.clone(), len.clone()));
                self.quantity(after);
                continue;
            };
            for (i, _, new) in updates {
                let old = s.cells.iter().find(|(o, at, _)| *o == of && at == i);
                let old = old.and_then(|(_, _, v)| is(v, &code, s));
                let new = new.character().and_then(|l| is(&l, &code, s));
                // One less if it was c, one more if it is; 0 or 1 where that is not known.
                let mut bit = |b: Option<bool>| match b {
                    Some(b) => Lin::from(i64::from(b)),
                    None => {
                        let l = s.anything();
                        s.add(Constraint::Ge(l.clone()));
                        s.add(Constraint::le(l.clone(), Lin::from(1)));
                        l
                    }
                };
                after = after - bit(old) + bit(new);
            }
            s.add(Constraint::Ge(after.clone()));
            self.quantity(after);
        }
        let (mut top, mut first) = (Change::Any, Change::Any);
        match v {
            Sym::Own(c) if *c == of => (top, first) = (Change::NotUp, Change::NotUp),
            Sym::Update {
                of: c,
                updates,
                shuffled: false,
            } if *c == of => {
                if let Some(deltas) = deltas(of, updates, s) {
                    top = towards(&deltas, s, true);
                    first = towards(&deltas, s, false);
                }
            }
            _ => {}
        }
        self.orders.extend([top, first]);
    }

    fn multiset(&mut self, v: &Sym, s: &mut State) {
        let (of, component) = self.own();
        let picked: Vec<Lin> = s
            .picked
            .iter()
            .filter(|p| p.0 == of)
            .map(|p| p.1.clone())
            .collect();
        let (mut len, mut sum, mut order) = (None, None, Change::Any);
        let of_members: Option<(Vec<Lin>, Option<usize>)> = match v {
            Sym::Own(c) if *c == of && picked.is_empty() => {
                len = component.len.map(Lin::var);
                sum = component.sum.map(Lin::var);
                order = Change::NotUp;
                None
            }
            Sym::Heaps { new, rest } => Some((new.clone(), *rest)),
            Sym::Own(c) => Some((Vec::new(), Some(*c))),
            other => other.members().and_then(|all| {
                let new: Option<Vec<Lin>> = all
                    .into_iter()
                    .map(|m| match m {
                        Sym::Int(l) => Some(l),
                        _ => None,
                    })
                    .collect();
                Some((new?, None))
            }),
        };
        if let (Some((new, rest)), Some(of_len), Some(of_sum)) =
            (of_members, component.len, component.sum)
        {
            let total = |all: &[Lin]| all.iter().fold(Lin::default(), |t, l| t + l.clone());
            for l in &new {
                s.add(Constraint::Ge(l.clone()));
            }
            // Heaps of 0 disappear.
            let kept = self.natural(s);
            s.add(Constraint::le(
                kept.clone(),
                Lin::constant(Int::from(new.len())),
            ));
            s.add(Constraint::le(kept.clone(), total(&new)));
            match rest {
                Some(c) if c == of => {
                    len = Some(Lin::var(of_len) - Lin::constant(Int::from(picked.len())) + kept);
                    sum = Some(Lin::var(of_sum) - total(&picked) + total(&new));
                    order = replaced(&picked, &new, s);
                }
                None => {
                    len = Some(kept);
                    sum = Some(total(&new));
                    order = replaced(&picked, &new, s);
                }
                _ => {}
            }
        }
        let len = len.unwrap_or_else(|| self.natural(s));
        s.add(Constraint::Ge(len.clone()));
        self.quantity(len);
        if component.sum.is_some() {
            let sum = sum.unwrap_or_else(|| self.natural(s));
            self.quantity(sum);
        }
        self.orders.push(order);
    }

    fn set(&mut self, v: &Sym, s: &mut State) {
        let (of, _) = self.own();
        let order = match v {
            Sym::Own(c) if *c == of => Change::NotUp,
            Sym::Changed(c, changes) if *c == of => {
                let gone = |(op, l): &(BinaryOp, Lin)| {
                    matches!(op, BinaryOp::Sub | BinaryOp::Xor)
                        && s.members.iter().any(|(o, m)| {
                            *o == of && s.entails(Constraint::same(m.clone(), l.clone()))
                        })
                };
                let down = changes.iter().enumerate().any(|(i, top)| {
                    gone(top)
                        && changes.iter().enumerate().all(|(j, other)| {
                            i == j
                                || s.entails(Constraint::lt(other.1.clone(), top.1.clone()))
                                || (other.0 == BinaryOp::Sub && top.0 == BinaryOp::Sub)
                        })
                });
                if down {
                    Change::Down
                } else if changes.iter().all(|c| c.0 == BinaryOp::Sub) {
                    Change::NotUp
                } else {
                    Change::Any
                }
            }
            _ => Change::Any,
        };
        self.orders.push(order);
    }
}

/// Whether two numbers are equal, if that is known.
fn is(a: &Lin, b: &Lin, s: &State) -> Option<bool> {
    let (a, b) = (a.clone(), b.clone());
    if s.entails(Constraint::same(a.clone(), b.clone())) {
        return Some(true);
    }
    let apart = s.entails(Constraint::lt(a.clone(), b.clone())) || s.entails(Constraint::lt(b, a));
    apart.then_some(false)
}

/// The places changed differ for sure.
fn apart(updates: &[(Lin, UpdateOp, Sym)], s: &State) -> bool {
    updates.iter().enumerate().all(|(i, (a, _, _))| {
        updates[..i].iter().all(|(b, _, _)| {
            s.entails(Constraint::lt(a.clone(), b.clone()))
                || s.entails(Constraint::lt(b.clone(), a.clone()))
        })
    })
}

/// By how much each place changes; `None` if that is not known.
fn deltas(of: usize, updates: &[(Lin, UpdateOp, Sym)], s: &mut State) -> Option<Vec<(Lin, Lin)>> {
    let set = updates.iter().any(|u| u.1 == UpdateOp::Set);
    if set && !apart(updates, s) {
        return None;
    }
    updates
        .iter()
        .map(|(i, op, v)| {
            let v = match v {
                Sym::Int(v) => v.clone(),
                other => other.character()?,
            };
            let old = s.cells.iter().find(|(o, at, _)| *o == of && at == i);
            let delta = match (op, old) {
                (UpdateOp::Add, _) => v.clone(),
                (UpdateOp::Sub, _) => -v.clone(),
                (UpdateOp::Set, Some((_, _, old))) => {
                    let old = old.clone();
                    s.add(Constraint::Ge(v.clone()));
                    v.clone() - old
                }
                (UpdateOp::Set, None) => {
                    let old = s.anything();
                    s.add(Constraint::Ge(old.clone()));
                    s.add(Constraint::Ge(v.clone()));
                    v.clone() - old
                }
            };
            Some((i.clone(), delta))
        })
        .collect()
}

/// How an array changes when it is read from its last (`top`) or first element.
fn towards(deltas: &[(Lin, Lin)], s: &State, top: bool) -> Change {
    let down = |d: &Lin| s.entails(Constraint::lt(d.clone(), Lin::default()));
    let not_up = |d: &Lin| s.entails(Constraint::le(d.clone(), Lin::default()));
    if deltas.iter().all(|(_, d)| not_up(d)) {
        return if deltas.iter().any(|(_, d)| down(d)) {
            Change::Down
        } else {
            Change::NotUp
        };
    }
    let leads = |i: usize| {
        down(&deltas[i].1)
            && deltas.iter().enumerate().all(|(j, (at, _))| {
                let (lead, at) = (deltas[i].0.clone(), at.clone());
                i == j
                    || s.entails(if top {
                        Constraint::lt(at, lead)
                    } else {
                        Constraint::lt(lead, at)
                    })
            })
    };
    if (0..deltas.len()).any(leads) {
        Change::Down
    } else {
        Change::Any
    }
}

/// Where one place, a known number, goes down for sure and others change: from it to each of them.
fn flow(deltas: &[(Lin, Lin)], s: &State) -> Option<Vec<(Int, Int)>> {
    let places: Vec<Int> = deltas
        .iter()
        .map(|(i, _)| {
            i.as_constant().cloned().or_else(|| {
                // A quantifier that a guard has fixed.
                let low = s.least(i)?;
                s.entails(Constraint::same(i.clone(), Lin::constant(low.clone())))
                    .then_some(low)
            })
        })
        .collect::<Option<_>>()?;
    let from = deltas
        .iter()
        .position(|(_, d)| s.entails(Constraint::lt(d.clone(), Lin::default())))?;
    Some(
        places
            .iter()
            .enumerate()
            .filter(|(j, _)| *j != from)
            .map(|(_, to)| (places[from].clone(), to.clone()))
            .collect(),
    )
}

/// Heaps replaced by others: down in the order of multisets if each new one that is not an old one is smaller than some
/// old one that is gone.
fn replaced(picked: &[Lin], new: &[Lin], s: &State) -> Change {
    let mut gone = picked.to_vec();
    let mut fresh = Vec::new();
    for l in new {
        match gone.iter().position(|g| g == l) {
            Some(i) => {
                gone.remove(i);
            }
            None => fresh.push(l),
        }
    }
    let smaller = fresh.iter().all(|l| {
        gone.iter()
            .any(|g| s.entails(Constraint::lt((*l).clone(), g.clone())))
    });
    match (gone.is_empty(), fresh.is_empty(), smaller) {
        (true, true, _) => Change::NotUp,
        (false, _, true) => Change::Down,
        _ => Change::Any,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::diag::Source;

    fn steps(text: &str) -> Res<Steps> {
        let (game, _) = crate::check::load(&Source::new("<rule>", text)).unwrap();
        let rules = Rules::new(Arc::new(game), vec![crate::value::Value::from(0)]);
        Steps::of_rules(&rules)
    }

    #[test]
    fn a_smaller_digit_lowers_a_string_read_from_either_end() {
        let text = "s[] -> s with s[i] = d for i in 0..len(s)-1, d in \"0123456789\" if d < s[i]";
        let steps = steps(text).unwrap();
        assert!(!steps.list.is_empty());
        assert_eq!(steps.orders.len(), 2);
        for step in &steps.list {
            assert_eq!(step.orders, [Change::Down, Change::Down]);
        }
    }
}
