//! Rules run with names in place of numbers: what a position's counters become, case by case.
//!
//! [`super::relation`] says what is read exactly and what is not. Positions that are not a fixed number of counters are read
//! too, for [`super::steps`]: their own arrays, sets and multisets stand for themselves, with what is known of their length,
//! elements and members.

use std::cell::Cell;
use std::rc::Rc;

use grundy_core::Int;

use super::relation::{
    Case, MAX_CASES, Opaque, Relation, facts, lexicographic, orders, permutations,
};
use super::system::{Constraint, Lin, MAX_CONSTRAINTS, System, Var};
use crate::interp::{Machine, Rules};
use crate::ir::{
    BinaryOp, BraceItem, Clause, CompareOp, Domain, Expr, ExprKind, Fold, Function, Move, Parts,
    Pattern, Shape, Slot, Type, UpdateOp,
};
use crate::value::Value;

/// Most values of a quantifier that are told apart one by one.
const MAX_VALUES: usize = 64;
/// Constraints that are looked at, each as often as it is, before nothing more is decided: whatever is asked then may be.
/// Rules of thousands of guards take the square of their number otherwise.
const WORK: usize = 300_000;
/// Most runs of consecutive numbers that a list is read as.
const MAX_RUNS: usize = 40;

/// Locals and results are numbered apart until the number of opaque terms is known.
pub(super) const LOCAL: Var = 1 << 24;
pub(super) const RESULT: Var = 1 << 26;

/// What a name or an expression stands for.
#[derive(Clone, Debug)]
pub(super) enum Sym {
    Int(Lin),
    Const(Value),
    /// The members of a tuple or list.
    Seq(Vec<Sym>),
    /// A component of the position itself: an array, string, set or multiset.
    Own(usize),
    /// A list of which only the length is known.
    Piece(Lin),
    /// A component changed in places, and perhaps put in another order after that.
    Update {
        of: usize,
        updates: Vec<(Lin, UpdateOp, Sym)>,
        shuffled: bool,
    },
    /// A character, by its number.
    Char(Lin),
    /// A list made of a component element by element, at the same places.
    Mapped(usize, Change),
    /// A set of numbers.
    Set(Vec<Lin>),
    /// A component that is a set, with members added, taken away or toggled.
    Changed(usize, Vec<(BinaryOp, Lin)>),
    /// A multiset of these heaps, and perhaps those of a component that the pattern did not name.
    Heaps {
        new: Vec<Lin>,
        rest: Option<usize>,
    },
    /// Anything.
    Unknown,
}

/// How a step changes something that is ordered without infinite descent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Strictly down.
    Down,
    /// Down or not at all.
    NotUp,
    /// Perhaps up.
    Any,
}

/// What of a component is counted.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) shape: Shape,
    /// The number of elements.
    pub(super) len: Option<Var>,
    /// The sum of elements that are numbers.
    pub(super) sum: Option<Var>,
    /// How often characters occur.
    pub(super) counts: Vec<(char, Var)>,
}

impl Sym {
    fn of(value: Value) -> Sym {
        match value {
            Value::Int(v) => Sym::Int(Lin::constant(v)),
            other => Sym::Const(other),
        }
    }

    pub(super) fn constant(&self) -> Option<Value> {
        match self {
            Sym::Int(l) => l.as_constant().cloned().map(Value::Int),
            Sym::Const(v) => Some(v.clone()),
            _ => None,
        }
    }

    fn number(&self) -> Option<Int> {
        match self {
            Sym::Int(l) => l.as_constant().cloned(),
            _ => None,
        }
    }

    /// The number of a character.
    pub(super) fn character(&self) -> Option<Lin> {
        match self {
            Sym::Char(l) => Some(l.clone()),
            Sym::Const(Value::Char(c)) => Some(Lin::from(i64::from(u32::from(*c)))),
            _ => None,
        }
    }

    pub(super) fn members(&self) -> Option<Vec<Sym>> {
        match self {
            Sym::Seq(all) => Some(all.clone()),
            Sym::Const(v) => Some(v.as_seq()?.iter().cloned().map(Sym::of).collect()),
            _ => None,
        }
    }
}

/// One case on its way.
#[derive(Clone)]
pub(super) struct State {
    pub(super) constraints: Vec<Constraint>,
    pub(super) locals: usize,
    exact: bool,
    pub(super) env: Vec<Option<Sym>>,
    /// Elements of components: which component, where, and the variable of the number there.
    pub(super) cells: Vec<(usize, Lin, Lin)>,
    /// Members of components that are sets.
    pub(super) members: Vec<(usize, Lin)>,
    /// Heaps of components that the pattern has named.
    pub(super) picked: Vec<(usize, Lin)>,
    /// What is left of [`WORK`], shared by all states of a reader.
    work: Rc<Cell<usize>>,
}

pub(super) type Alts<T> = Vec<(State, T)>;
pub(super) type Res<T> = Result<T, String>;

impl State {
    pub(super) fn local(&mut self) -> Lin {
        self.locals += 1;
        Lin::var(LOCAL + self.locals - 1)
    }

    pub(super) fn with(mut self, c: Constraint) -> Self {
        self.add(c);
        self
    }

    pub(super) fn add(&mut self, c: Constraint) {
        self.constraints.push(c);
    }

    fn inexact(mut self) -> Self {
        self.exact = false;
        self
    }

    /// A new variable of which nothing is known.
    pub(super) fn anything(&mut self) -> Lin {
        self.exact = false;
        self.local()
    }

    /// The constraints alone, variables renumbered, and the renumbering.
    fn system(&self) -> (System, Vec<Var>) {
        let mut used: Vec<Var> = self
            .constraints
            .iter()
            .flat_map(|c| c.lin().terms().iter().map(|t| t.0))
            .collect();
        used.sort_unstable();
        used.dedup();
        let renamed = |c: &Constraint| c.renamed(|v| used.binary_search(&v).unwrap_or(0));
        let system = System::of(used.len(), self.constraints.iter().map(renamed));
        (system, used)
    }

    /// Whether the bound on work leaves room for another look at the constraints.
    fn spend(&self) -> bool {
        let left = self.work.get().checked_sub(self.constraints.len() + 1);
        self.work.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Whether it may be that a point meets the constraints.
    pub(super) fn possible(&self) -> bool {
        !self.spend() || !self.system().0.is_empty().yes()
    }

    /// Whether a constraint is known to hold.
    pub(super) fn entails(&self, c: Constraint) -> bool {
        if !self.spend() {
            return false;
        }
        let (_, mut used) = self.system();
        used.extend(c.lin().terms().iter().map(|t| t.0));
        used.sort_unstable();
        used.dedup();
        let place = |v: Var| used.binary_search(&v).unwrap_or(0);
        let system = System::of(
            used.len(),
            self.constraints.iter().map(|own| own.renamed(place)),
        );
        system.implies(&c.renamed(place)).yes()
    }

    /// A constant that the expression is never below.
    pub(super) fn least(&self, l: &Lin) -> Option<Int> {
        if let Some(c) = l.as_constant() {
            return Some(c.clone());
        }
        if !self.spend() {
            return None;
        }
        let (system, used) = self.system();
        if l.terms()
            .iter()
            .any(|(v, _)| used.binary_search(v).is_err())
        {
            return None;
        }
        system.lower_bound(&l.renamed(|v| used.binary_search(&v).unwrap_or(0)))
    }
}

pub(super) struct Reader<'r> {
    pub(super) rules: &'r Rules,
    machine: Machine<'r>,
    /// How many variables the position has.
    pub(super) counters: usize,
    pub(super) opaque: Vec<Opaque>,
    pub(super) components: Vec<Component>,
    work: Rc<Cell<usize>>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(rules: &'r Rules) -> Res<Self> {
        let counters = rules.game().shape.width().ok_or_else(|| {
            let what = match rules.game().shape {
                Shape::Array(_) => "an array",
                Shape::Str => "a string",
                Shape::Multiset(_) => "a multiset",
                Shape::Set(_) => "a set",
                _ => "not a fixed number of counters",
            };
            format!("a position is {what}, not a fixed number of counters")
        })?;
        if counters == 0 || counters > 64 {
            return Err(format!("a position has {counters} counters"));
        }
        Ok(Reader {
            rules,
            machine: rules.machine(),
            counters,
            opaque: Vec::new(),
            components: Vec::new(),
            work: Rc::new(Cell::new(WORK)),
        })
    }

    /// For positions of any shape; what their variables are is said later.
    pub(super) fn of_any_shape(rules: &'r Rules) -> Self {
        Reader {
            rules,
            machine: rules.machine(),
            counters: 0,
            opaque: Vec::new(),
            components: Vec::new(),
            work: Rc::new(Cell::new(WORK)),
        }
    }

    /// With nothing known but the parameters.
    pub(super) fn blank(&self) -> State {
        let mut env: Vec<Option<Sym>> = self
            .rules
            .params()
            .iter()
            .cloned()
            .map(Sym::of)
            .map(Some)
            .collect();
        env.resize(self.rules.game().slots.len(), None);
        State {
            constraints: Vec::new(),
            locals: 0,
            exact: true,
            env,
            cells: Vec::new(),
            members: Vec::new(),
            picked: Vec::new(),
            work: self.work.clone(),
        }
    }

    pub(super) fn relation(mut self, alive: bool) -> Res<Relation> {
        let rules = self.rules;
        let game = rules.game();
        let shape = &game.shape;
        let mut start = self.blank();
        start.constraints = (0..self.counters)
            .map(|i| Constraint::Ge(Lin::var(i)))
            .collect();
        let whole = self.position(shape, &mut 0);
        let mut starts = Vec::new();
        for sorted in sorted(shape)? {
            let mut s = start.clone();
            s.constraints.extend(sorted);
            starts.push(s);
        }
        if alive {
            for end in &game.ends {
                // Every way to match the pattern must fail the condition.
                let ways = matches(&end.pattern, &whole)?;
                for way in ways {
                    let mut next = Vec::new();
                    for mut s in starts {
                        for (slot, sym) in &way {
                            s.env[*slot] = Some(sym.clone());
                        }
                        next.extend(self.condition(&end.condition, s, false)?);
                        few(next.len())?;
                    }
                    // Members in no order match in many ways, most of which say the same again.
                    next.retain(State::possible);
                    starts = next;
                }
            }
        }
        let mut found: Vec<(usize, usize, State)> = Vec::new();
        for (rule, m) in game.moves.iter().enumerate() {
            let curved = curved(m, game.vars.len());
            for way in matches(&m.pattern, &whole)? {
                for mut s in starts.clone() {
                    for (slot, sym) in &way {
                        s.env[*slot] = Some(sym.clone());
                    }
                    for s in self.clauses(&m.clauses, vec![s], &curved)? {
                        for (parts, s) in self.result(&m.parts, s, shape)? {
                            found.push((rule, parts, s));
                        }
                        few(found.len())?;
                    }
                }
            }
        }
        let (n, q) = (self.counters, self.opaque.len());
        let facts = facts(n, &self.opaque);
        let cases = found
            .into_iter()
            .map(|(rule, parts, state)| {
                let free = n + q + parts * n;
                let mut system = System::new(free);
                for _ in 0..state.locals {
                    system.local();
                }
                for c in &state.constraints {
                    system.add(c.renamed(|v| match v {
                        v if v >= RESULT => n + q + v - RESULT,
                        v if v >= LOCAL => free + v - LOCAL,
                        v => v,
                    }));
                }
                for fact in &facts {
                    system.add(fact.clone());
                }
                Case {
                    parts,
                    system: system.simplified(),
                    exact: state.exact,
                    rule,
                }
            })
            .filter(|c| !c.system.is_empty().yes())
            .collect();
        Ok(Relation {
            counters: n,
            opaque: self.opaque,
            cases,
        })
    }

    /// The position with a variable for each counter.
    fn position(&self, shape: &Shape, next: &mut Var) -> Sym {
        match shape {
            Shape::Tuple(shapes) => {
                Sym::Seq(shapes.iter().map(|s| self.position(s, next)).collect())
            }
            Shape::Unordered(n, s) => Sym::Seq((0..*n).map(|_| self.position(s, next)).collect()),
            _ => {
                *next += 1;
                Sym::Int(Lin::var(*next - 1))
            }
        }
    }

    pub(super) fn clauses(
        &mut self,
        clauses: &'r [Clause],
        mut states: Vec<State>,
        curved: &[Slot],
    ) -> Res<Vec<State>> {
        for clause in clauses {
            let mut next = Vec::new();
            for s in states {
                next.extend(match clause {
                    Clause::If(c) => self.condition(c, s, true)?,
                    Clause::For { slots, domain } => self.quantifier(slots, domain, s, curved)?,
                });
                few(next.len())?;
            }
            if next.iter().any(|s| s.constraints.len() > MAX_CONSTRAINTS) {
                return Err(format!("a rule has more than {MAX_CONSTRAINTS} conditions"));
            }
            next.retain(State::possible);
            states = next;
        }
        Ok(states)
    }

    fn quantifier(
        &mut self,
        slots: &[Slot],
        domain: &'r Domain,
        s: State,
        curved: &[Slot],
    ) -> Res<Vec<State>> {
        let one_by_one = slots.iter().any(|s| curved.contains(s));
        match domain {
            Domain::Range(lo, hi) => {
                if one_by_one
                    && let (Some(a), Some(b)) =
                        (self.constant_int(lo, &s), self.constant_int(hi, &s))
                    && let Some(size) = (&b - &a).to_usize()
                    && size < MAX_VALUES
                {
                    return Ok((0..=size)
                        .map(|i| {
                            let mut s = s.clone();
                            s.env[slots[0]] = Some(Sym::Int(Lin::constant(&a + &Int::from(i))));
                            s
                        })
                        .collect());
                }
                let mut s = s;
                let v = s.local();
                s.env[slots[0]] = Some(Sym::Int(v.clone()));
                let mut out = Vec::new();
                for s in self.bound(lo, s, &v, true)? {
                    out.extend(self.bound(hi, s, &v, false)?);
                }
                Ok(out)
            }
            Domain::Members(list) => {
                let mut out = Vec::new();
                for (s, list) in self.value(list, s)? {
                    out.extend(self.members(slots, list, s, one_by_one)?);
                    few(out.len())?;
                }
                Ok(out)
            }
        }
    }

    fn members(
        &mut self,
        slots: &[Slot],
        list: Sym,
        mut s: State,
        one_by_one: bool,
    ) -> Res<Vec<State>> {
        if let (Sym::Const(v), [slot]) = (&list, slots)
            && let Some(runs) = runs(v)
            && !(one_by_one && v.as_seq().is_some_and(|m| m.len() <= MAX_VALUES))
        {
            if runs.len() <= MAX_RUNS {
                return Ok(runs
                    .into_iter()
                    .map(|(a, b)| {
                        let mut s = s.clone();
                        let v = if a == b {
                            Lin::constant(a)
                        } else {
                            let v = s.local();
                            s.add(Constraint::le(Lin::constant(a), v.clone()));
                            s.add(Constraint::le(v.clone(), Lin::constant(b)));
                            v
                        };
                        s.env[*slot] = Some(Sym::Int(v));
                        s
                    })
                    .collect());
            }
            let v = s.anything();
            if let (Some(first), Some(last)) = (runs.first(), runs.last()) {
                s.add(Constraint::le(Lin::constant(first.0.clone()), v.clone()));
                s.add(Constraint::le(v.clone(), Lin::constant(last.1.clone())));
            }
            s.env[*slot] = Some(Sym::Int(v));
            return Ok(vec![s]);
        }
        if let (Sym::Own(c), [slot]) = (&list, slots) {
            let v = match &self.components[*c].shape {
                Shape::Set(inner) | Shape::Array(inner) | Shape::Multiset(inner)
                    if **inner == Shape::Int =>
                {
                    let v = s.anything();
                    s.add(Constraint::Ge(v.clone()));
                    if matches!(self.components[*c].shape, Shape::Set(_)) {
                        s.members.push((*c, v.clone()));
                    }
                    Sym::Int(v)
                }
                _ => Sym::Unknown,
            };
            s.env[*slot] = Some(v);
            return Ok(vec![s.inexact()]);
        }
        match list.members() {
            Some(all) if all.len() <= MAX_VALUES => Ok(all
                .into_iter()
                .filter_map(|m| {
                    let mut s = s.clone();
                    if let [slot] = slots {
                        s.env[*slot] = Some(m);
                    } else {
                        for (slot, m) in slots.iter().zip(m.members()?) {
                            s.env[*slot] = Some(m);
                        }
                    }
                    Some(s)
                })
                .collect()),
            all => {
                let rows: Option<Vec<Vec<Int>>> = all.and_then(|all| {
                    let row = |m: &Sym| match m.members() {
                        Some(m) => m.iter().map(Sym::number).collect::<Option<Vec<Int>>>(),
                        None => None,
                    };
                    all.iter().map(row).collect()
                });
                let Some(rows) = rows.filter(|_| slots.len() > 1) else {
                    for slot in slots {
                        s.env[*slot] = Some(Sym::Unknown);
                    }
                    return Ok(vec![s.inexact()]);
                };
                // Rows of numbers: the range of each column, and of the difference of two.
                let column = |i: usize| rows.iter().filter_map(move |r| r.get(i));
                let vars: Vec<Lin> = slots.iter().map(|_| s.anything()).collect();
                for (i, v) in vars.iter().enumerate() {
                    hull(&mut s, v, column(i).cloned());
                    for (j, w) in vars.iter().enumerate().take(i) {
                        let gaps = column(i).zip(column(j)).map(|(a, b)| a - b);
                        hull(&mut s, &(v.clone() - w.clone()), gaps);
                    }
                    s.env[slots[i]] = Some(Sym::Int(v.clone()));
                }
                Ok(vec![s])
            }
        }
    }

    /// `e <= v` (`below`) or `v <= e`. A bound by several is each of them, without cases.
    fn bound(&mut self, e: &'r Expr, s: State, v: &Lin, below: bool) -> Res<Vec<State>> {
        let all = if below { Function::Max } else { Function::Min };
        if let ExprKind::Call(f, args) = &e.kind
            && *f == all
            && args.len() > 1
        {
            let mut states = vec![s];
            for arg in args {
                let mut next = Vec::new();
                for s in states {
                    next.extend(self.bound(arg, s, v, below)?);
                    few(next.len())?;
                }
                states = next;
            }
            return Ok(states);
        }
        Ok(self
            .int(e, s)?
            .into_iter()
            .map(|(s, b)| {
                s.with(if below {
                    Constraint::le(b, v.clone())
                } else {
                    Constraint::le(v.clone(), b)
                })
            })
            .collect())
    }

    /// The value if it depends on nothing but parameters and numbers already chosen; an inner `Err` is an error of
    /// evaluation.
    fn constant(&mut self, e: &'r Expr, s: &State) -> Option<Result<Value, ()>> {
        let mut inner: Vec<Slot> = Vec::new();
        let mut read: Vec<Slot> = Vec::new();
        e.walk(&mut |e| match &e.kind {
            ExprKind::Slot(slot) => read.push(*slot),
            ExprKind::Fold(_, _, clauses) => {
                for c in clauses {
                    if let Clause::For { slots, .. } = c {
                        inner.extend(slots);
                    }
                }
            }
            _ => {}
        });
        read.sort_unstable();
        read.dedup();
        for slot in read {
            if !inner.contains(&slot) {
                let v = s.env.get(slot)?.as_ref()?.constant()?;
                self.machine.set(slot, v);
            }
        }
        Some(self.machine.value(e).map_err(|_| ()))
    }

    fn constant_int(&mut self, e: &'r Expr, s: &State) -> Option<Int> {
        self.constant(e, s)?.ok()?.as_int().cloned()
    }

    fn int(&mut self, e: &'r Expr, s: State) -> Res<Alts<Lin>> {
        Ok(self
            .value(e, s)?
            .into_iter()
            .map(|(mut s, v)| match v {
                Sym::Int(l) => (s, l),
                _ => {
                    let l = s.anything();
                    (s, l)
                }
            })
            .collect())
    }

    fn ints(&mut self, all: &'r [Expr], s: State) -> Res<Alts<Vec<Lin>>> {
        let mut out = vec![(s, Vec::new())];
        for e in all {
            let mut next = Vec::new();
            for (s, done) in out {
                for (s, l) in self.int(e, s)? {
                    next.push((s, [done.clone(), vec![l]].concat()));
                }
                few(next.len())?;
            }
            out = next;
        }
        Ok(out)
    }

    fn values(&mut self, all: &'r [Expr], s: State) -> Res<Alts<Vec<Sym>>> {
        let mut out = vec![(s, Vec::new())];
        for e in all {
            let mut next = Vec::new();
            for (s, done) in out {
                for (s, v) in self.value(e, s)? {
                    next.push((s, [done.clone(), vec![v]].concat()));
                }
                few(next.len())?;
            }
            out = next;
        }
        Ok(out)
    }

    pub(super) fn value(&mut self, e: &'r Expr, s: State) -> Res<Alts<Sym>> {
        if let ExprKind::Slot(slot) = &e.kind {
            let v = s.env[*slot].clone().unwrap_or(Sym::Unknown);
            return Ok(vec![(s, v)]);
        }
        match self.constant(e, &s) {
            Some(Ok(v)) => return Ok(vec![(s, Sym::of(v))]),
            // An error of evaluation is no move.
            Some(Err(())) => return Ok(Vec::new()),
            None => {}
        }
        let unknown = |s: State| Ok(vec![(s, Sym::Unknown)]);
        match &e.kind {
            ExprKind::Neg(a) => Ok(self
                .int(a, s)?
                .into_iter()
                .map(|(s, l)| (s, Sym::Int(-l)))
                .collect()),
            ExprKind::Binary(op, a, b) if e.ty == Type::Int => {
                let mut out = Vec::new();
                for (s, x) in self.int(a, s)? {
                    for (s, y) in self.int(b, s)? {
                        if let Some((s, l)) = self.arithmetic(*op, x.clone(), y, s) {
                            out.push((s, Sym::Int(l)));
                        }
                    }
                    few(out.len())?;
                }
                Ok(out)
            }
            ExprKind::If(c, a, b) => {
                let mut out = Vec::new();
                for s1 in self.condition(c, s.clone(), true)? {
                    if s1.possible() {
                        out.extend(self.value(a, s1)?);
                    }
                }
                for s1 in self.condition(c, s, false)? {
                    if s1.possible() {
                        out.extend(self.value(b, s1)?);
                    }
                }
                few(out.len())?;
                Ok(out)
            }
            ExprKind::Tuple(all) | ExprKind::List(all) => Ok(self
                .values(all, s)?
                .into_iter()
                .map(|(s, v)| (s, Sym::Seq(v)))
                .collect()),
            ExprKind::Convert(a) => self.value(a, s),
            ExprKind::Call(Function::Sorted | Function::Reversed, args) => Ok(self
                .value(&args[0], s)?
                .into_iter()
                .map(|(s, v)| match v {
                    Sym::Own(of) => (
                        s,
                        Sym::Update {
                            of,
                            updates: Vec::new(),
                            shuffled: true,
                        },
                    ),
                    Sym::Update { of, updates, .. } => (
                        s,
                        Sym::Update {
                            of,
                            updates,
                            shuffled: true,
                        },
                    ),
                    Sym::Piece(l) => (s, Sym::Piece(l)),
                    _ => (s, Sym::Unknown),
                })
                .collect()),
            ExprKind::Call(f, args) => self.call(*f, args, s),
            ExprKind::Slice(list, lo, hi) => {
                let mut out = Vec::new();
                for (s, list) in self.value(list, s)? {
                    let Some(len) = self.length(&list) else {
                        out.push((s, Sym::Unknown));
                        continue;
                    };
                    for (s, a) in self.int(lo, s)? {
                        for (s, b) in self.int(hi, s)? {
                            let (a, b, len) = (a.clone(), b.clone(), len.clone());
                            let none = s.clone().with(Constraint::lt(b.clone(), a.clone()));
                            out.push((none, Sym::Piece(Lin::default())));
                            let some = s
                                .with(Constraint::le(a.clone(), b.clone()))
                                .with(Constraint::Ge(a.clone()))
                                .with(Constraint::lt(b.clone(), len));
                            out.push((some, Sym::Piece(b - a + 1)));
                        }
                    }
                    out.retain(|(s, _)| s.possible());
                    few(out.len())?;
                }
                Ok(out)
            }
            ExprKind::Binary(op, a, b) => {
                let mut out = Vec::new();
                for (s, x) in self.value(a, s)? {
                    for (s, y) in self.value(b, s)? {
                        let v = match &e.ty {
                            Type::Set(_) => changed_set(*op, &x, &y),
                            Type::List(_) => match (self.length(&x), self.length(&y)) {
                                (Some(x), Some(y)) => Sym::Piece(x + y),
                                _ => Sym::Unknown,
                            },
                            _ => Sym::Unknown,
                        };
                        out.push((s, v));
                    }
                    few(out.len())?;
                }
                Ok(out)
            }
            ExprKind::With(base, updates) => {
                let mut out = Vec::new();
                for (s, base) in self.value(base, s)? {
                    let Sym::Own(of) = base else {
                        out.push((s, Sym::Unknown));
                        continue;
                    };
                    let mut ways = vec![(s, Vec::new())];
                    for update in updates {
                        let mut next = Vec::new();
                        for (s, done) in ways {
                            for (s, i) in self.int(&update.index, s)? {
                                for (mut s, v) in self.value(&update.value, s)? {
                                    s.add(Constraint::Ge(i.clone()));
                                    if let Some(len) = self.components[of].len {
                                        s.add(Constraint::lt(i.clone(), Lin::var(len)));
                                    }
                                    let mut done: Vec<(Lin, UpdateOp, Sym)> = done.clone();
                                    done.push((i.clone(), update.op, v));
                                    next.push((s, done));
                                }
                            }
                        }
                        next.retain(|(s, _)| s.possible());
                        few(next.len())?;
                        ways = next;
                    }
                    out.extend(ways.into_iter().map(|(s, updates)| {
                        (
                            s,
                            Sym::Update {
                                of,
                                updates,
                                shuffled: false,
                            },
                        )
                    }));
                    few(out.len())?;
                }
                Ok(out)
            }
            ExprKind::Brace(items) => self.brace(items, &e.ty, s),
            ExprKind::Index(list, index) => {
                let mut out = Vec::new();
                for (s, list) in self.value(list, s)? {
                    for (s, i) in self.int(index, s)? {
                        out.extend(self.element(&list, i, s)?);
                    }
                    few(out.len())?;
                }
                Ok(out)
            }
            ExprKind::Fold(Fold::List, body, clauses) => self.mapped(body, clauses, s),
            ExprKind::Fold(Fold::Sum, body, clauses) => {
                let Some(all) = self.bindings(clauses, &s) else {
                    return unknown(s);
                };
                let mut out = vec![(s, Lin::default())];
                for binding in all {
                    let mut next = Vec::new();
                    for (mut s, sum) in out {
                        bind(&mut s, &binding);
                        for (s, l) in self.int(body, s)? {
                            next.push((s, sum.clone() + l));
                        }
                        few(next.len())?;
                    }
                    out = next;
                }
                Ok(out.into_iter().map(|(s, l)| (s, Sym::Int(l))).collect())
            }
            _ => unknown(s),
        }
    }

    fn element(&mut self, list: &Sym, i: Lin, mut s: State) -> Res<Alts<Sym>> {
        if let Sym::Own(c) = list {
            let component = &self.components[*c];
            s.add(Constraint::Ge(i.clone()));
            if let Some(len) = component.len {
                s.add(Constraint::lt(i.clone(), Lin::var(len)));
            }
            let is_char = component.shape == Shape::Str;
            if component.sum.is_none() && !is_char {
                return Ok(vec![(s, Sym::Unknown)]);
            }
            let seen = s.cells.iter().find(|(of, at, _)| of == c && *at == i);
            let v = match seen {
                Some((_, _, v)) => v.clone(),
                None => {
                    let v = s.local();
                    s.add(Constraint::Ge(v.clone()));
                    s.cells.push((*c, i, v.clone()));
                    v
                }
            };
            let v = if is_char { Sym::Char(v) } else { Sym::Int(v) };
            return Ok(vec![(s, v)]);
        }
        let Some(members) = list.members() else {
            return Ok(vec![(s, Sym::Unknown)]);
        };
        if let Some(i) = i.as_constant() {
            let found = i.to_usize().and_then(|i| members.get(i).cloned());
            return Ok(found.map(|m| (s, m)).into_iter().collect());
        }
        let inside = |s: State| {
            s.with(Constraint::Ge(i.clone())).with(Constraint::lt(
                i.clone(),
                Lin::constant(Int::from(members.len())),
            ))
        };
        if members.len() <= MAX_VALUES {
            return Ok(members
                .iter()
                .enumerate()
                .map(|(j, m)| {
                    let at = Constraint::same(i.clone(), Lin::constant(Int::from(j)));
                    (s.clone().with(at), m.clone())
                })
                .filter(|(s, _)| s.possible())
                .collect());
        }
        let mut s = inside(s);
        let numbers: Option<Vec<Int>> = members
            .iter()
            .map(|m| m.constant().and_then(|v| v.as_int().cloned()))
            .collect();
        let Some(numbers) = numbers else {
            return Ok(vec![(s, Sym::Unknown)]);
        };
        let v = s.anything();
        hull(&mut s, &v, numbers.iter().cloned());
        // How far an element is from its place: that parents come before their children, say.
        let far = numbers.iter().enumerate().map(|(j, n)| n - &Int::from(j));
        hull(&mut s, &(v.clone() - i), far);
        Ok(vec![(s, Sym::Int(v))])
    }

    /// The number of elements, if it is known.
    pub(super) fn length(&self, list: &Sym) -> Option<Lin> {
        match list {
            Sym::Own(of) | Sym::Update { of, .. } | Sym::Mapped(of, _) => {
                self.components[*of].len.map(Lin::var)
            }
            Sym::Piece(l) => Some(l.clone()),
            other => other
                .members()
                .map(|all| Lin::constant(Int::from(all.len()))),
        }
    }

    /// `[… for i in 0..len(x)-1]`: at each place of a component something made of what is there.
    fn mapped(&mut self, body: &'r Expr, clauses: &'r [Clause], s: State) -> Res<Alts<Sym>> {
        let [
            Clause::For {
                slots,
                domain: Domain::Range(lo, hi),
            },
        ] = clauses
        else {
            return Ok(vec![(s, Sym::Unknown)]);
        };
        let mut out = Vec::new();
        for (s, lo) in self.int(lo, s)? {
            for (s, hi) in self.int(hi, s)? {
                let of = self.components.iter().position(|c| {
                    c.sum.is_some()
                        && lo == Lin::default()
                        && c.len.is_some_and(|len| hi == Lin::var(len) - 1)
                });
                let Some(of) = of else {
                    out.push((s, Sym::Unknown));
                    continue;
                };
                let mut any = s.clone();
                let i = any.local();
                let change = if self.lowers(body, of, slots[0], i, any, false)? {
                    // Where does it go down for sure? At a place that the move names.
                    let named: Vec<Lin> = s
                        .env
                        .iter()
                        .filter_map(|e| match e {
                            Some(Sym::Int(l)) if !l.terms().is_empty() => Some(l.clone()),
                            _ => None,
                        })
                        .collect();
                    let mut change = Change::NotUp;
                    for place in named {
                        if s.entails(Constraint::Ge(place.clone()))
                            && s.entails(Constraint::le(place.clone(), hi.clone()))
                            && self.lowers(body, of, slots[0], place, s.clone(), true)?
                        {
                            change = Change::Down;
                            break;
                        }
                    }
                    change
                } else {
                    Change::Any
                };
                out.push((s, Sym::Mapped(of, change)));
            }
        }
        Ok(out)
    }

    /// Whether an expression is at most (or below) what a component has at a place.
    fn lowers(
        &mut self,
        body: &'r Expr,
        of: usize,
        slot: Slot,
        place: Lin,
        mut s: State,
        below: bool,
    ) -> Res<bool> {
        s.env[slot] = Some(Sym::Int(place.clone()));
        for (s, old) in self.element(&Sym::Own(of), place, s)? {
            let Sym::Int(old) = old else { return Ok(false) };
            for (s, new) in self.int(body, s)? {
                let old = old.clone();
                let c = if below {
                    Constraint::lt(new, old)
                } else {
                    Constraint::le(new, old)
                };
                if !s.entails(c) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn brace(&mut self, items: &'r [BraceItem], ty: &Type, s: State) -> Res<Alts<Sym>> {
        let mut out = vec![(s, Vec::new(), None, true)];
        for item in items {
            let mut next = Vec::new();
            let (e, spread) = match item {
                BraceItem::Member(e) => (e, false),
                BraceItem::Spread(e) => (e, true),
            };
            for (s, new, rest, good) in out {
                for (s, v) in self.value(e, s)? {
                    let (mut new, mut rest, mut good): (Vec<Lin>, Option<usize>, bool) =
                        (new.clone(), rest, good);
                    match v {
                        Sym::Int(l) if !spread => new.push(l),
                        Sym::Own(of) if spread && rest.is_none() => rest = Some(of),
                        _ => good = false,
                    }
                    next.push((s, new, rest, good));
                }
                few(next.len())?;
            }
            out = next;
        }
        let is_set = matches!(ty, Type::Set(_));
        Ok(out
            .into_iter()
            .map(|(s, new, rest, good)| match (good, is_set, rest) {
                (true, true, None) => (s, Sym::Set(new)),
                (true, false, rest) => (s, Sym::Heaps { new, rest }),
                _ => (s, Sym::Unknown),
            })
            .collect())
    }

    fn call(&mut self, f: Function, args: &'r [Expr], s: State) -> Res<Alts<Sym>> {
        let unknown = |s: State| Ok(vec![(s, Sym::Unknown)]);
        match f {
            Function::Min | Function::Max => {
                let all = if args.len() > 1 {
                    self.ints(args, s)?
                } else {
                    let mut out = Vec::new();
                    for (s, v) in self.value(&args[0], s)? {
                        let members: Option<Vec<Lin>> = v.members().and_then(|all| {
                            all.into_iter()
                                .map(|m| match m {
                                    Sym::Int(l) => Some(l),
                                    _ => None,
                                })
                                .collect()
                        });
                        let Some(members) = members else {
                            return unknown(s);
                        };
                        out.push((s, members));
                    }
                    out
                };
                let mut out = Vec::new();
                for (s, all) in all {
                    for (i, best) in all.iter().enumerate() {
                        let mut s = s.clone();
                        for (j, other) in all.iter().enumerate() {
                            let (low, high) = if f == Function::Min {
                                (best, other)
                            } else {
                                (other, best)
                            };
                            // The first of equal ones, so that cases do not overlap.
                            let (low, high) = (low.clone(), high.clone());
                            match j.cmp(&i) {
                                std::cmp::Ordering::Less => s.add(Constraint::lt(low, high)),
                                std::cmp::Ordering::Equal => {}
                                std::cmp::Ordering::Greater => s.add(Constraint::le(low, high)),
                            }
                        }
                        if s.possible() {
                            out.push((s, Sym::Int(best.clone())));
                        }
                    }
                }
                few(out.len())?;
                Ok(out)
            }
            Function::Abs => {
                let mut out = Vec::new();
                for (s, l) in self.int(&args[0], s)? {
                    out.push((
                        s.clone().with(Constraint::Ge(l.clone())),
                        Sym::Int(l.clone()),
                    ));
                    out.push((s.with(Constraint::Ge(-l.clone() - 1)), Sym::Int(-l)));
                }
                out.retain(|(s, _)| s.possible());
                Ok(out)
            }
            Function::Gcd | Function::Isqrt => Ok(self
                .ints(args, s)?
                .into_iter()
                .map(|(mut s, a)| {
                    if f == Function::Isqrt {
                        s.add(Constraint::Ge(a[0].clone()));
                    }
                    let term = match &a[..] {
                        [a, b] => Opaque::Gcd(a.clone().min(b.clone()), a.clone().max(b.clone())),
                        _ => Opaque::Root(a[0].clone()),
                    };
                    let l = if a.iter().all(of_position) {
                        self.term(term)
                    } else {
                        let l = s.anything();
                        s.add(Constraint::Ge(l.clone()));
                        l
                    };
                    (s, Sym::Int(l))
                })
                .collect()),
            Function::Len => Ok(self
                .value(&args[0], s)?
                .into_iter()
                .map(|(mut s, v)| match self.length(&v) {
                    Some(l) => (s, Sym::Int(l)),
                    None => {
                        let l = s.anything();
                        s.add(Constraint::Ge(l.clone()));
                        (s, Sym::Int(l))
                    }
                })
                .collect()),
            Function::Sum => Ok(self
                .value(&args[0], s)?
                .into_iter()
                .map(|(s, v)| {
                    let sum = v.members().and_then(|all| {
                        all.into_iter().try_fold(Lin::default(), |sum, m| match m {
                            Sym::Int(l) => Some(sum + l),
                            _ => None,
                        })
                    });
                    (s, sum.map_or(Sym::Unknown, Sym::Int))
                })
                .collect()),
            _ => unknown(s),
        }
    }

    /// The variable of an opaque term.
    fn term(&mut self, term: Opaque) -> Lin {
        let j = self
            .opaque
            .iter()
            .position(|o| *o == term)
            .unwrap_or_else(|| {
                self.opaque.push(term);
                self.opaque.len() - 1
            });
        Lin::var(self.counters + j)
    }

    /// `None` where the operation is an error.
    fn arithmetic(&mut self, op: BinaryOp, a: Lin, b: Lin, mut s: State) -> Option<(State, Lin)> {
        let position = of_position(&a) && of_position(&b);
        let l = match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => match (a.as_constant(), b.as_constant()) {
                (Some(c), _) => b.scaled(c),
                (_, Some(c)) => a.scaled(c),
                _ if position => self.product(&a, &b),
                _ => mixed_product(&a, &b, &mut s),
            },
            BinaryOp::Div | BinaryOp::Mod => match b.as_constant() {
                Some(d) if d.is_zero() => return None,
                Some(d) => {
                    let (q, r) = (s.local(), s.local());
                    s.add(Constraint::same(a, q.scaled(d) + r.clone()));
                    let (low, high) = if d.is_negative() {
                        (d + &Int::ONE, Int::ZERO)
                    } else {
                        (Int::ZERO, d - &Int::ONE)
                    };
                    s.add(Constraint::le(Lin::constant(low), r.clone()));
                    s.add(Constraint::le(r.clone(), Lin::constant(high)));
                    if op == BinaryOp::Div { q } else { r }
                }
                None if position && op == BinaryOp::Div => self.term(Opaque::Quotient(a, b)),
                None if position => self.term(Opaque::Remainder(a, b)),
                None => s.anything(),
            },
            BinaryOp::Pow => match b.as_constant().and_then(Int::to_usize) {
                Some(k @ 0..=8) if of_position(&a) => {
                    (0..k).fold(Lin::from(1), |p, _| self.product(&p, &a))
                }
                _ if position => self.term(Opaque::Power(a, b)),
                _ => {
                    // A negative exponent is an error; a power of 2 or more is above its exponent.
                    let z = s.anything();
                    s.add(Constraint::Ge(b.clone()));
                    if let Some(base) = a.as_constant().filter(|c| **c >= Int::ONE) {
                        s.add(Constraint::Ge(z.clone() - 1));
                        if *base != 1 {
                            s.add(Constraint::lt(b, z.clone()));
                        }
                    }
                    z
                }
            },
            BinaryOp::Xor if position => {
                let (a, b) = (a.clone().min(b.clone()), a.max(b));
                self.term(Opaque::Xor(a, b))
            }
            BinaryOp::Xor => s.anything(),
        };
        Some((s, l))
    }

    /// Multiplied out, so that `(c + 1)*c` and `c*c + c` are the same.
    fn product(&mut self, a: &Lin, b: &Lin) -> Lin {
        let mut out =
            a.scaled(b.offset()) + b.scaled(a.offset()) - Lin::constant(a.offset() * b.offset());
        for (u, c) in a.terms() {
            for (v, d) in b.terms() {
                let mut vars = [self.factors(*u), self.factors(*v)].concat();
                vars.sort_unstable();
                let term = self.term(Opaque::Product(vars));
                out = out.plus(&(c * d), &term);
            }
        }
        out
    }

    fn factors(&self, v: Var) -> Vec<Var> {
        match v
            .checked_sub(self.counters)
            .and_then(|j| self.opaque.get(j))
        {
            Some(Opaque::Product(vars)) => vars.clone(),
            _ => vec![v],
        }
    }

    /// The states in which a condition holds (`want`) or fails.
    pub(super) fn condition(&mut self, e: &'r Expr, s: State, want: bool) -> Res<Vec<State>> {
        match self.constant(e, &s) {
            Some(Ok(Value::Bool(b))) => {
                return Ok(if b == want { vec![s] } else { Vec::new() });
            }
            Some(Err(())) => return Ok(Vec::new()),
            _ => {}
        }
        match &e.kind {
            ExprKind::Not(a) => self.condition(a, s, !want),
            ExprKind::And(all) => self.connective(all, s, want, true),
            ExprKind::Or(all) => self.connective(all, s, want, false),
            ExprKind::Compare(op, a, b) if a.ty == Type::Int => {
                let mut out = Vec::new();
                for (s, x) in self.int(a, s)? {
                    for (s, y) in self.int(b, s)? {
                        out.extend(compare(*op, x.clone(), y, s, want));
                    }
                    few(out.len())?;
                }
                Ok(out)
            }
            ExprKind::Compare(op, a, b) if a.ty == Type::Char => {
                let mut out = Vec::new();
                for (s, x) in self.value(a, s)? {
                    for (s, y) in self.value(b, s)? {
                        match (x.character(), y.character()) {
                            (Some(x), Some(y)) => out.extend(compare(*op, x, y, s, want)),
                            _ => out.push(s.inexact()),
                        }
                    }
                    few(out.len())?;
                }
                Ok(out)
            }
            ExprKind::Compare(op @ (CompareOp::Eq | CompareOp::Ne), a, b) => {
                let want = want == (*op == CompareOp::Eq);
                let ordered = matches!(a.ty, Type::Tuple(_) | Type::List(_));
                let mut out = Vec::new();
                for (s, x) in self.value(a, s)? {
                    for (s, y) in self.value(b, s)? {
                        out.extend(equal(&x, &y, s, want, ordered));
                    }
                    few(out.len())?;
                }
                Ok(out)
            }
            ExprKind::In(member, domain) => self.member(member, domain, s, want),
            ExprKind::If(c, a, b) => {
                let mut out = Vec::new();
                for s in self.condition(c, s.clone(), true)? {
                    out.extend(self.condition(a, s, want)?);
                }
                for s in self.condition(c, s, false)? {
                    out.extend(self.condition(b, s, want)?);
                }
                few(out.len())?;
                Ok(out)
            }
            ExprKind::Fold(fold @ (Fold::Any | Fold::All), body, clauses) => {
                let some = (*fold == Fold::Any) == want;
                if some {
                    // One choice for which the body is as wanted: quantifiers like those of the move.
                    let mut out = Vec::new();
                    for s in self.clauses(clauses, vec![s], &[])? {
                        out.extend(self.condition(body, s, want)?);
                        few(out.len())?;
                    }
                    return Ok(out);
                }
                let Some(all) = self.bindings(clauses, &s) else {
                    return Ok(vec![s.inexact()]);
                };
                let mut states = vec![s];
                for binding in all {
                    let mut next = Vec::new();
                    for mut s in states {
                        bind(&mut s, &binding);
                        next.extend(self.condition(body, s, want)?);
                    }
                    next.retain(State::possible);
                    few(next.len())?;
                    states = next;
                }
                Ok(states)
            }
            _ => Ok(vec![s.inexact()]),
        }
    }

    /// `and` (`all`) or `or` of conditions.
    fn connective(
        &mut self,
        parts: &'r [Expr],
        s: State,
        want: bool,
        all: bool,
    ) -> Res<Vec<State>> {
        if want == all {
            let mut states = vec![s];
            for e in parts {
                let mut next = Vec::new();
                for s in states {
                    next.extend(self.condition(e, s, want)?);
                }
                few(next.len())?;
                states = next;
            }
            return Ok(states);
        }
        // The first that decides, after those that do not.
        let (mut open, mut out) = (vec![s], Vec::new());
        for e in parts {
            let mut next = Vec::new();
            for s in open {
                let decided = self.condition(e, s.clone(), want)?;
                out.extend(decided.into_iter().filter(State::possible));
                next.extend(self.condition(e, s, !want)?);
            }
            next.retain(State::possible);
            few(out.len() + next.len())?;
            open = next;
        }
        Ok(out)
    }

    fn member(
        &mut self,
        member: &'r Expr,
        domain: &'r Domain,
        s: State,
        want: bool,
    ) -> Res<Vec<State>> {
        let mut out = Vec::new();
        match domain {
            Domain::Range(lo, hi) => {
                for (s, v) in self.int(member, s)? {
                    for (s, a) in self.int(lo, s)? {
                        for (s, b) in self.int(hi, s)? {
                            let (v, a) = (v.clone(), a.clone());
                            if want {
                                out.push(
                                    s.with(Constraint::le(a, v.clone()))
                                        .with(Constraint::le(v, b)),
                                );
                            } else {
                                out.push(s.clone().with(Constraint::lt(v.clone(), a)));
                                out.push(s.with(Constraint::lt(b, v)));
                            }
                        }
                    }
                }
            }
            Domain::Members(list) => {
                for (s, v) in self.value(member, s)? {
                    for (s, list) in self.value(list, s)? {
                        out.extend(among(&v, &list, s, want));
                    }
                    few(out.len())?;
                }
            }
        }
        few(out.len())?;
        Ok(out)
    }

    /// Every choice of quantifiers that depend on nothing but constants, if they are few.
    pub(super) fn bindings(
        &mut self,
        clauses: &'r [Clause],
        s: &State,
    ) -> Option<Vec<Vec<(Slot, Value)>>> {
        let mut all: Vec<Vec<(Slot, Value)>> = vec![Vec::new()];
        for clause in clauses {
            let mut next = Vec::new();
            for chosen in all {
                let mut s = s.clone();
                bind(&mut s, &chosen);
                match clause {
                    Clause::If(c) => match self.constant(c, &s)? {
                        Ok(Value::Bool(true)) => next.push(chosen),
                        Ok(_) => {}
                        Err(()) => return None,
                    },
                    Clause::For {
                        slots,
                        domain: Domain::Range(lo, hi),
                    } => {
                        let (mut v, hi) = (self.constant_int(lo, &s)?, self.constant_int(hi, &s)?);
                        if (&hi - &v).to_i64().is_none_or(|n| n >= MAX_VALUES as i64) {
                            return None;
                        }
                        while v <= hi {
                            let mut chosen = chosen.clone();
                            chosen.push((slots[0], Value::Int(v.clone())));
                            next.push(chosen);
                            v = &v + &Int::ONE;
                        }
                    }
                    Clause::For {
                        slots,
                        domain: Domain::Members(list),
                    } => {
                        let list = self.constant(list, &s)?.ok()?;
                        for m in list.as_seq()? {
                            let mut chosen = chosen.clone();
                            if let [slot] = slots[..] {
                                chosen.push((slot, m.clone()));
                            } else {
                                chosen
                                    .extend(slots.iter().copied().zip(m.as_seq()?.iter().cloned()));
                            }
                            next.push(chosen);
                            if next.len() > MAX_VALUES {
                                return None;
                            }
                        }
                    }
                }
            }
            if next.len() > MAX_VALUES {
                return None;
            }
            all = next;
        }
        Some(all)
    }

    /// The parts that a move leaves, with their counters equal to the result variables.
    fn result(&mut self, parts: &'r Parts, s: State, shape: &Shape) -> Res<Vec<(usize, State)>> {
        let mut out = vec![(0, s)];
        let (exprs, bindings): (Vec<&'r Expr>, _) = match parts {
            Parts::Each(exprs) => (exprs.iter().collect(), vec![Vec::new()]),
            Parts::Over(e, clauses) => {
                let all = self
                    .bindings(clauses, &out[0].1)
                    .ok_or("the number of parts that a move leaves depends on the position")?;
                (vec![e], all)
            }
        };
        for binding in bindings {
            for e in &exprs {
                let mut next = Vec::new();
                for (done, mut s) in out {
                    bind(&mut s, &binding);
                    for (s, v) in self.value(e, s)? {
                        for (mut s, words) in flat(&v, shape, s)? {
                            for (i, l) in words.into_iter().enumerate() {
                                let y = Lin::var(RESULT + done * self.counters + i);
                                s.add(Constraint::Ge(y.clone()));
                                s.add(Constraint::same(y, l));
                            }
                            if s.possible() {
                                next.push((done + 1, s));
                            }
                        }
                        few(next.len())?;
                    }
                }
                out = next;
            }
        }
        Ok(out)
    }
}

pub(super) fn bind(s: &mut State, binding: &[(Slot, Value)]) {
    for (slot, v) in binding {
        s.env[*slot] = Some(Sym::of(v.clone()));
    }
}

/// The expression is between the least and the greatest of some numbers; with none there is no such case.
fn hull(s: &mut State, l: &Lin, numbers: impl Iterator<Item = Int> + Clone) {
    match (numbers.clone().min(), numbers.max()) {
        (Some(a), Some(b)) => {
            s.add(Constraint::le(Lin::constant(a), l.clone()));
            s.add(Constraint::le(l.clone(), Lin::constant(b)));
        }
        _ => s.add(Constraint::Ge(Lin::from(-1))),
    }
}

pub(super) fn few(n: usize) -> Res<()> {
    if n > MAX_CASES {
        return Err(format!("the rules fall into more than {MAX_CASES} cases"));
    }
    Ok(())
}

/// Nothing but counters and opaque terms occurs.
fn of_position(l: &Lin) -> bool {
    l.terms().iter().all(|t| t.0 < LOCAL)
}

/// A product that is not a term of the position: a new variable between the planes that the factors' bounds give
/// (G. P. McCormick, 1976).
fn mixed_product(a: &Lin, b: &Lin, s: &mut State) -> Lin {
    let low = |l: &Lin| s.least(l);
    let (la, lb) = (low(a), low(b));
    let (ua, ub) = (low(&-a.clone()), low(&-b.clone()));
    let z = s.anything();
    // (a - p)(b - q) as a linear expression, its sign known.
    let plane = |p: &Int, q: &Int| z.clone() - b.scaled(p) - a.scaled(q) + Lin::constant(p * q);
    if let (Some(p), Some(q)) = (&la, &lb) {
        s.add(Constraint::Ge(plane(p, q)));
    }
    if let (Some(p), Some(q)) = (&ua, &ub) {
        s.add(Constraint::Ge(plane(&-p, &-q)));
    }
    if let (Some(p), Some(q)) = (&ua, &lb) {
        s.add(Constraint::Ge(-plane(&-p, q)));
    }
    if let (Some(p), Some(q)) = (&la, &ub) {
        s.add(Constraint::Ge(-plane(p, &-q)));
    }
    z
}

fn compare(op: CompareOp, a: Lin, b: Lin, s: State, want: bool) -> Vec<State> {
    use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let op = match (op, want) {
        (op, true) => op,
        (Eq, false) => Ne,
        (Ne, false) => Eq,
        (Lt, false) => Ge,
        (Le, false) => Gt,
        (Gt, false) => Le,
        (Ge, false) => Lt,
    };
    match op {
        Eq => vec![s.with(Constraint::same(a, b))],
        Le => vec![s.with(Constraint::le(a, b))],
        Lt => vec![s.with(Constraint::lt(a, b))],
        Ge => vec![s.with(Constraint::le(b, a))],
        Gt => vec![s.with(Constraint::lt(b, a))],
        Ne => vec![
            s.clone().with(Constraint::lt(a.clone(), b.clone())),
            s.with(Constraint::lt(b, a)),
        ],
    }
}

/// A set after `+`, `-` or `^` with another.
fn changed_set(op: BinaryOp, a: &Sym, b: &Sym) -> Sym {
    let (of, mut changes) = match a {
        Sym::Own(of) => (*of, Vec::new()),
        Sym::Changed(of, changes) => (*of, changes.clone()),
        _ => return Sym::Unknown,
    };
    let members: Option<Vec<Lin>> = match b {
        Sym::Set(all) => Some(all.clone()),
        other => other.members().and_then(|all| {
            all.into_iter()
                .map(|m| match m {
                    Sym::Int(l) => Some(l),
                    _ => None,
                })
                .collect()
        }),
    };
    match members {
        Some(all) => {
            changes.extend(all.into_iter().map(|l| (op, l)));
            Sym::Changed(of, changes)
        }
        None => Sym::Unknown,
    }
}

/// Whether two things are equal (`want`) or not.
fn equal(a: &Sym, b: &Sym, s: State, want: bool, ordered: bool) -> Vec<State> {
    if let (Some(a), Some(b)) = (a.character(), b.character()) {
        return compare(CompareOp::Eq, a, b, s, want);
    }
    if let (Sym::Int(a), Sym::Int(b)) = (a, b) {
        return compare(CompareOp::Eq, a.clone(), b.clone(), s, want);
    }
    if let (Some(a), Some(b)) = (a.constant(), b.constant()) {
        return if (a == b) == want {
            vec![s]
        } else {
            Vec::new()
        };
    }
    match (a.members(), b.members()) {
        (Some(a), Some(b)) if ordered => {
            if a.len() != b.len() {
                return if want { Vec::new() } else { vec![s] };
            }
            let (mut open, mut out) = (vec![s], Vec::new());
            for (x, y) in a.iter().zip(&b) {
                if !want {
                    out.extend(
                        open.iter()
                            .flat_map(|s| equal(x, y, s.clone(), false, true)),
                    );
                }
                open = open
                    .into_iter()
                    .flat_map(|s| equal(x, y, s, true, true))
                    .collect();
            }
            if want { open } else { out }
        }
        _ => vec![s.inexact()],
    }
}

/// Whether a value is in a list.
fn among(v: &Sym, list: &Sym, mut s: State, want: bool) -> Vec<State> {
    if let (Sym::Int(l), Sym::Own(of)) = (v, list) {
        if want {
            s.members.push((*of, l.clone()));
        }
        return vec![s.inexact()];
    }
    if let (Sym::Int(l), Sym::Const(list)) = (v, list)
        && let Some(runs) = runs(list)
    {
        if runs.len() > MAX_RUNS {
            return vec![s.inexact()];
        }
        let between = |a: Option<Int>, b: Option<Int>| {
            let mut s = s.clone();
            if let Some(a) = a {
                s.add(Constraint::le(Lin::constant(a), l.clone()));
            }
            if let Some(b) = b {
                s.add(Constraint::le(l.clone(), Lin::constant(b)));
            }
            s
        };
        if want {
            return runs
                .into_iter()
                .map(|(a, b)| between(Some(a), Some(b)))
                .collect();
        }
        let mut out = Vec::new();
        let mut from = None;
        for (a, b) in runs {
            out.push(between(from, Some(&a - &Int::ONE)));
            from = Some(&b + &Int::ONE);
        }
        out.push(between(from, None));
        return out;
    }
    let Some(all) = list.members().filter(|m| m.len() <= MAX_VALUES) else {
        return vec![s.inexact()];
    };
    let (mut open, mut out) = (vec![s], Vec::new());
    for m in &all {
        if want {
            out.extend(open.iter().flat_map(|s| equal(v, m, s.clone(), true, true)));
        }
        open = open
            .into_iter()
            .flat_map(|s| equal(v, m, s, false, true))
            .collect();
        open.retain(State::possible);
        if out.len() + open.len() > MAX_CASES {
            return out.into_iter().chain(open).map(State::inexact).collect();
        }
    }
    if want { out } else { open }
}

/// A list of numbers as runs of consecutive ones, in order.
fn runs(list: &Value) -> Option<Vec<(Int, Int)>> {
    let mut numbers = list
        .as_seq()?
        .iter()
        .map(|v| v.as_int().cloned())
        .collect::<Option<Vec<Int>>>()?;
    numbers.sort();
    numbers.dedup();
    let mut out: Vec<(Int, Int)> = Vec::new();
    for n in numbers {
        match out.last_mut() {
            Some((_, b)) if &*b + &Int::ONE == n => *b = n,
            _ => out.push((n.clone(), n)),
        }
    }
    Some(out)
}

/// That the counters of a canonical position are in order, as alternatives.
fn sorted(shape: &Shape) -> Res<Vec<Vec<Constraint>>> {
    let n = shape.width().unwrap_or(0);
    let all = orders(shape).ok_or("unordered tuples of that size have too many orders")?;
    let mut out: Vec<Vec<Constraint>> = Vec::new();
    for (places, cs) in all {
        if places.iter().copied().eq(0..n) && !out.contains(&cs) {
            out.push(cs);
        }
    }
    Ok(out)
}

/// What each slot of a pattern stands for, for each way to match it.
fn matches(pattern: &Pattern, sym: &Sym) -> Res<Vec<Vec<(Slot, Sym)>>> {
    let (members, every_order) = match pattern {
        Pattern::Bind(slot) => return Ok(vec![vec![(*slot, sym.clone())]]),
        Pattern::Tuple(members) => (members, false),
        Pattern::Unordered {
            members,
            every_order,
        } => (members, *every_order),
        Pattern::Pick { .. } => return Err("a position is a multiset".to_owned()),
    };
    let all = sym.members().unwrap_or_default();
    let orders = if every_order {
        if members.len() > 5 {
            return Err("unordered tuples of that size have too many orders".to_owned());
        }
        permutations(members.len())
    } else {
        vec![(0..members.len()).collect()]
    };
    let mut out = Vec::new();
    for order in orders {
        let mut ways: Vec<Vec<(Slot, Sym)>> = vec![Vec::new()];
        for (member, at) in members.iter().zip(order) {
            let inner = matches(member, all.get(at).unwrap_or(&Sym::Unknown))?;
            ways = ways
                .into_iter()
                .flat_map(|w| inner.iter().map(move |i| [w.clone(), i.clone()].concat()))
                .collect();
        }
        out.extend(ways);
        few(out.len())?;
    }
    Ok(out)
}

/// The counters of a result in canonical order.
fn flat(v: &Sym, shape: &Shape, s: State) -> Res<Alts<Vec<Lin>>> {
    let (shapes, unordered): (Vec<&Shape>, bool) = match shape {
        Shape::Tuple(shapes) => (shapes.iter().collect(), false),
        Shape::Unordered(n, inner) => (vec![&**inner; *n], true),
        _ => {
            let mut s = s;
            let l = match v {
                Sym::Int(l) => l.clone(),
                _ => s.anything(),
            };
            return Ok(vec![(s, vec![l])]);
        }
    };
    let members = v.members().unwrap_or_default();
    let mut out: Alts<Vec<Vec<Lin>>> = vec![(s, Vec::new())];
    for (i, shape) in shapes.iter().enumerate() {
        let mut next = Vec::new();
        for (s, done) in out {
            for (s, words) in flat(members.get(i).unwrap_or(&Sym::Unknown), shape, s)? {
                next.push((s, [done.clone(), vec![words]].concat()));
            }
        }
        few(next.len())?;
        out = next;
    }
    let mut all = Vec::new();
    for (s, blocks) in out {
        if !unordered {
            all.push((s, blocks.concat()));
            continue;
        }
        if blocks.len() > 5 {
            return Err("unordered tuples of that size have too many orders".to_owned());
        }
        for order in permutations(blocks.len()) {
            let row: Vec<Vec<Lin>> = order.iter().map(|&i| blocks[i].clone()).collect();
            let mut states = vec![s.clone()];
            for pair in row.windows(2) {
                let steps = lexicographic(&pair[0], &pair[1]);
                states = states
                    .into_iter()
                    .flat_map(|s| {
                        steps.iter().map(move |step| {
                            let mut s = s.clone();
                            s.constraints.extend(step.iter().cloned());
                            s
                        })
                    })
                    .filter(State::possible)
                    .collect();
            }
            all.extend(states.into_iter().map(|s| (s, row.concat())));
        }
        few(all.len())?;
    }
    Ok(all)
}

/// Quantifiers that occur where an expression is not linear in them, so that they had better be taken value by value.
pub(super) fn curved(m: &Move, params: usize) -> Vec<Slot> {
    let mut bound: Vec<Slot> = Vec::new();
    for c in &m.clauses {
        if let Clause::For { slots, .. } = c {
            bound.extend(slots);
        }
    }
    let mut out = Vec::new();
    let mut look = |e: &Expr| {
        let slots = |e: &Expr| {
            let mut all = Vec::new();
            e.walk(&mut |e| {
                if let ExprKind::Slot(s) = &e.kind
                    && *s >= params
                {
                    all.push(*s);
                }
            });
            all
        };
        match &e.kind {
            ExprKind::Binary(BinaryOp::Mul, a, b) => {
                let (a, b) = (slots(a), slots(b));
                if !a.is_empty() && !b.is_empty() {
                    out.extend(a);
                    out.extend(b);
                }
            }
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Mod, _, b) => out.extend(slots(b)),
            ExprKind::Binary(BinaryOp::Pow | BinaryOp::Xor, ..)
            | ExprKind::Call(Function::Gcd | Function::Isqrt, _)
            | ExprKind::Index(..) => out.extend(slots(e)),
            ExprKind::Fold(..) => out.extend(slots(e)),
            ExprKind::With(_, updates) => {
                updates.iter().for_each(|u| out.extend(slots(&u.index)));
            }
            _ => {}
        }
    };
    for c in &m.clauses {
        c.walk(&mut |e| look(e));
    }
    match &m.parts {
        Parts::Each(all) => all.iter().for_each(|e| e.walk(&mut |e| look(e))),
        Parts::Over(e, clauses) => {
            e.walk(&mut |e| look(e));
            clauses.iter().for_each(|c| c.walk(&mut |e| look(e)));
            // The number of parts must not depend on a local.
            for c in clauses {
                c.walk(&mut |e| {
                    if let ExprKind::Slot(s) = &e.kind {
                        out.push(*s);
                    }
                });
            }
        }
    }
    out.retain(|s| bound.contains(s));
    out
}
