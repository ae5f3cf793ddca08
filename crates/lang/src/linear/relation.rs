//! The moves of a game as linear relations between the counters of a position and those of each part that a move leaves.
//!
//! A rule is run once with names in place of numbers. Quantifiers become local variables with their ranges; conditions,
//! `min`, `max`, `abs` and conditional expressions split into cases; `//` and `%` by a constant bring a quotient and a
//! remainder; lists given as parameters are read where they are short. A term over the position that is not linear
//! (`c*c`, `isqrt(c)`) becomes an opaque variable, one for each different term. What remains, such as a product with a
//! quantifier, is forgotten: the case then holds more than the rule and says so (`exact` is false).
//!
//! So two rule texts with one meaning give equal relations, and a theorem asks for equality instead of reading syntax.
//! Cost: the product of the numbers of cases, at most [`MAX_CASES`], each a few microseconds.

use grundy_core::Int;

use super::system::{Constraint, Lin, System, Truth, Union, Var};
use crate::interp::{Machine, Rules};
use crate::ir::{
    BinaryOp, Clause, CompareOp, Domain, Expr, ExprKind, Fold, Function, Move, Parts, Pattern,
    Shape, Slot, Type,
};
use crate::value::Value;

/// Most cases of a relation.
pub const MAX_CASES: usize = 1024;
/// Most values of a quantifier that are told apart one by one.
const MAX_VALUES: usize = 64;
/// Most runs of consecutive numbers that a list is read as.
const MAX_RUNS: usize = 40;

/// A term over the counters of a position that is not linear. Variables are `0..counters`, then the opaque terms before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Opaque {
    /// The product of these variables, in order; a square has its variable twice.
    Product(Vec<Var>),
    /// The first to the power of the second.
    Power(Lin, Lin),
    /// The integer square root.
    Root(Lin),
    /// The greatest common divisor.
    Gcd(Lin, Lin),
    /// The nim-sum.
    Xor(Lin, Lin),
    /// The first divided by the second, rounded down.
    Quotient(Lin, Lin),
    /// The remainder of that.
    Remainder(Lin, Lin),
}

/// One way to move.
#[derive(Clone, Debug)]
pub struct Case {
    /// How many parts are left.
    pub parts: usize,
    /// Which counters can become which. Its free variables are those of [`Relation`] for this number of parts.
    pub system: System,
    /// The system holds exactly the moves of this case, not more.
    pub exact: bool,
    /// The move rule it comes from, an index into [`crate::ir::Game::moves`].
    pub rule: usize,
}

/// All moves. The free variables of a case are the counters of the position (`x`), the opaque terms (`f`), and the counters
/// of each part left (`y`); counters are the words of the canonical form ([`crate::value::Pos`]).
#[derive(Clone, Debug)]
pub struct Relation {
    /// How many counters a position has.
    pub counters: usize,
    /// The terms that are not linear.
    pub opaque: Vec<Opaque>,
    /// The ways to move; their union is the relation.
    pub cases: Vec<Case>,
}

impl Relation {
    /// The relation of the moves alone, whether or not the position has ended by `win if` or `lose if`. `Err` says why
    /// there is none.
    pub fn of_rules(rules: &Rules) -> Result<Relation, String> {
        Reader::new(rules)?.relation(false)
    }

    /// The same from positions in which play has not ended.
    pub fn of_play(rules: &Rules) -> Result<Relation, String> {
        Reader::new(rules)?.relation(true)
    }

    /// Counter `i` of the position.
    pub fn x(&self, i: usize) -> Lin {
        Lin::var(i)
    }

    /// Opaque term `j`.
    pub fn f(&self, j: usize) -> Lin {
        Lin::var(self.counters + j)
    }

    /// Counter `i` of part `part` of those left.
    pub fn y(&self, part: usize, i: usize) -> Lin {
        Lin::var(self.counters + self.opaque.len() + part * self.counters + i)
    }

    /// How many free variables a case with that many parts has.
    pub fn variables(&self, parts: usize) -> usize {
        self.counters + self.opaque.len() + parts * self.counters
    }

    /// Every case is exact.
    pub fn exact(&self) -> bool {
        self.cases.iter().all(|c| c.exact)
    }

    /// A relation of the same counters and opaque terms with other moves: for each the number of parts and constraints on
    /// [`Relation::x`], [`Relation::f`] and [`Relation::y`]. That counts are natural numbers is added.
    pub fn like(&self, cases: impl IntoIterator<Item = (usize, Vec<Constraint>)>) -> Relation {
        self.like_systems(cases.into_iter().map(|(parts, constraints)| {
            let mut system = System::new(self.variables(parts));
            for c in constraints {
                system.add(c);
            }
            (parts, system)
        }))
    }

    /// The same with systems, which may have locals.
    pub fn like_systems(&self, cases: impl IntoIterator<Item = (usize, System)>) -> Relation {
        let cases = cases
            .into_iter()
            .map(|(parts, mut system)| {
                for i in 0..self.counters {
                    system.add(Constraint::Ge(self.x(i)));
                    for part in 0..parts {
                        system.add(Constraint::Ge(self.y(part, i)));
                    }
                }
                for fact in facts(self.counters, &self.opaque) {
                    system.add(fact);
                }
                Case {
                    parts,
                    system,
                    exact: true,
                    rule: 0,
                }
            })
            .collect();
        Relation {
            counters: self.counters,
            opaque: self.opaque.clone(),
            cases,
        }
    }

    /// A relation without opaque terms over that many counters.
    pub fn from_constraints(
        counters: usize,
        cases: impl IntoIterator<Item = (usize, Vec<Constraint>)>,
    ) -> Relation {
        let empty = Relation {
            counters,
            opaque: Vec::new(),
            cases: Vec::new(),
        };
        empty.like(cases)
    }

    /// From a relation between members in any order, that between canonical positions of a shape: members of unordered
    /// tuples sorted, before and after. `None` with opaque terms or too many orders.
    pub fn symmetrised(&self, shape: &Shape) -> Option<Relation> {
        if !self.opaque.is_empty() || shape.width() != Some(self.counters) {
            return None;
        }
        let n = self.counters;
        let orders = orders(shape)?;
        let mut cases = Vec::new();
        for case in &self.cases {
            // One order for the position and one for each part: a canonical word for each word of the given relation.
            let blocks = case.parts + 1;
            let mut choices: Vec<Vec<&(Vec<usize>, Vec<Constraint>)>> = vec![Vec::new()];
            for _ in 0..blocks {
                choices = choices
                    .into_iter()
                    .flat_map(|c| orders.iter().map(move |o| [c.clone(), vec![o]].concat()))
                    .collect();
                if choices.len() * self.cases.len() > MAX_CASES {
                    return None;
                }
            }
            let free = case.system.free();
            for choice in choices {
                let name = |v: Var| {
                    if v < free {
                        v / n * n + choice[v / n].0[v % n]
                    } else {
                        v
                    }
                };
                let mut system = case.system.renamed(free, case.system.variables(), name);
                for (block, (_, sorted)) in choice.iter().enumerate() {
                    for c in sorted {
                        system.add(shifted(c, block * n));
                    }
                }
                cases.push(Case {
                    system,
                    ..case.clone()
                });
            }
        }
        Some(Relation {
            cases,
            ..self.clone()
        })
    }

    /// With the parts of a sum in every order.
    pub fn parts_in_any_order(&self) -> Relation {
        let n = self.counters;
        let head = n + self.opaque.len();
        let mut cases = Vec::new();
        for case in &self.cases {
            for order in permutations(case.parts.min(5)) {
                let free = case.system.free();
                let name = |v: Var| {
                    if v < head || v >= free {
                        return v;
                    }
                    let (part, i) = ((v - head) / n, (v - head) % n);
                    head + order.get(part).copied().unwrap_or(part) * n + i
                };
                cases.push(Case {
                    system: case.system.renamed(free, case.system.variables(), name),
                    ..case.clone()
                });
            }
        }
        Relation {
            cases,
            ..self.clone()
        }
    }

    /// Whether every move of this is one of the other. Opaque terms count as equal only if they are the same term.
    pub fn subset(&self, other: &Relation) -> Truth {
        if self.counters != other.counters {
            return Truth::Unknown;
        }
        let mut opaque = self.opaque.clone();
        opaque.extend(
            other
                .opaque
                .iter()
                .filter(|o| !self.opaque.contains(o))
                .cloned(),
        );
        let (Some(a), Some(b)) = (self.over(&opaque), other.over(&opaque)) else {
            return Truth::Unknown;
        };
        let mut sizes: Vec<usize> = a.cases.iter().map(|c| c.parts).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let union = |r: &Relation, parts: usize, exact: bool| {
            Union(
                r.cases
                    .iter()
                    .filter(|c| c.parts == parts && (c.exact || !exact))
                    .map(|c| c.system.clone())
                    .collect(),
            )
        };
        let mut answer = Truth::Yes;
        for parts in sizes {
            let t = union(&a, parts, false).subset(&union(&b, parts, true));
            answer = answer.and(
                if t.no() && !(opaque.is_empty() && self.exact() && other.exact()) {
                    Truth::Unknown
                } else {
                    t
                },
            );
            if answer.no() {
                break;
            }
        }
        answer
    }

    /// Whether both are the same moves.
    pub fn equal(&self, other: &Relation) -> Truth {
        let one = self.subset(other);
        if one.no() {
            return one;
        }
        one.and(other.subset(self))
    }

    /// Whether the moves from `x` include one that leaves these parts; an over-approximated case gives no `Yes`.
    pub fn contains(&self, x: &[Int], parts: &[Vec<Int>]) -> Truth {
        let mut point = x.to_vec();
        point.extend(self.opaque_values(x));
        point.extend(parts.iter().flatten().cloned());
        let mut answer = Truth::No;
        for case in self.cases.iter().filter(|c| c.parts == parts.len()) {
            match case.system.contains(&point) {
                Truth::Yes if case.exact => return Truth::Yes,
                Truth::No => {}
                _ => answer = Truth::Unknown,
            }
        }
        answer
    }

    /// The opaque terms at a position; 0 where one is not defined.
    pub fn opaque_values(&self, x: &[Int]) -> Vec<Int> {
        let mut all = x.to_vec();
        for o in &self.opaque {
            let v = o.value(&all).unwrap_or_default();
            all.push(v);
        }
        all.split_off(x.len())
    }

    /// The name of a free variable: `x0`, `f0`, `y0_1`.
    pub fn name(&self, v: Var) -> String {
        let head = self.counters + self.opaque.len();
        if v < self.counters {
            format!("x{v}")
        } else if v < head {
            format!("f{}", v - self.counters)
        } else {
            let k = v - head;
            format!("y{}_{}", k / self.counters, k % self.counters)
        }
    }

    /// The cases, one a line, for tests and for a curious reader.
    pub fn show(&self) -> String {
        let mut out = String::new();
        for case in &self.cases {
            let exact = if case.exact { "" } else { "at most " };
            let text = case.system.show(|v| self.name(v));
            out.push_str(&format!(
                "rule {}, {} parts: {exact}{text}\n",
                case.rule, case.parts
            ));
        }
        out
    }

    /// The same relation with another list of opaque terms, which holds all of its own.
    fn over(&self, opaque: &[Opaque]) -> Option<Relation> {
        if opaque == self.opaque {
            return Some(self.clone());
        }
        let n = self.counters;
        let mut place: Vec<Var> = Vec::new();
        for o in &self.opaque {
            let o = o.renamed(|v| if v < n { v } else { place[v - n] });
            place.push(n + opaque.iter().position(|p| *p == o)?);
        }
        let grown = opaque.len() - self.opaque.len();
        let cases = self
            .cases
            .iter()
            .map(|case| {
                let s = &case.system;
                let mut system = s.renamed(s.free() + grown, s.variables() + grown, |v| {
                    if v < n {
                        v
                    } else if v < n + self.opaque.len() {
                        place[v - n]
                    } else {
                        v + grown
                    }
                });
                for fact in facts(n, opaque) {
                    system.add(fact);
                }
                Case {
                    system,
                    ..case.clone()
                }
            })
            .collect();
        Some(Relation {
            counters: n,
            opaque: opaque.to_vec(),
            cases,
        })
    }
}

impl Opaque {
    /// Its value, given those of the variables in it; `None` where it is not defined.
    pub fn value(&self, at: &[Int]) -> Option<Int> {
        let of = |l: &Lin| l.value(|v| at.get(v).cloned());
        match self {
            Opaque::Product(vars) => vars
                .iter()
                .try_fold(Int::ONE, |p, v| Some(&p * at.get(*v)?)),
            Opaque::Power(a, b) => of(a)?.pow(&of(b)?),
            Opaque::Root(a) => of(a)?.isqrt(),
            Opaque::Gcd(a, b) => Some(of(a)?.gcd(&of(b)?)),
            Opaque::Xor(a, b) => Some(of(a)?.bitxor(&of(b)?)),
            Opaque::Quotient(a, b) => of(a)?.div_floor(&of(b)?),
            Opaque::Remainder(a, b) => of(a)?.mod_floor(&of(b)?),
        }
    }

    fn renamed(&self, name: impl Fn(Var) -> Var) -> Opaque {
        let lin = |l: &Lin| l.renamed(&name);
        match self {
            Opaque::Product(vars) => {
                let mut vars: Vec<Var> = vars.iter().map(|v| name(*v)).collect();
                vars.sort_unstable();
                Opaque::Product(vars)
            }
            Opaque::Power(a, b) => Opaque::Power(lin(a), lin(b)),
            Opaque::Root(a) => Opaque::Root(lin(a)),
            Opaque::Gcd(a, b) => Opaque::Gcd(lin(a), lin(b)),
            Opaque::Xor(a, b) => Opaque::Xor(lin(a), lin(b)),
            Opaque::Quotient(a, b) => Opaque::Quotient(lin(a), lin(b)),
            Opaque::Remainder(a, b) => Opaque::Remainder(lin(a), lin(b)),
        }
    }
}

/// What is true of opaque terms whatever the position: products of natural numbers are natural, a square is not below its
/// root.
fn facts(counters: usize, opaque: &[Opaque]) -> Vec<Constraint> {
    let mut natural = vec![true; counters];
    let mut out = Vec::new();
    for (j, o) in opaque.iter().enumerate() {
        let f = Lin::var(counters + j);
        let is_natural = match o {
            Opaque::Product(vars) => {
                let all = vars.iter().all(|v| natural.get(*v) == Some(&true));
                if let (true, [a, b]) = (all, &vars[..])
                    && a == b
                {
                    out.push(Constraint::le(Lin::var(*a), f.clone()));
                }
                all
            }
            Opaque::Root(_) | Opaque::Gcd(..) => true,
            _ => false,
        };
        if is_natural {
            out.push(Constraint::Ge(f));
        }
        natural.push(is_natural);
    }
    out
}

fn shifted(c: &Constraint, by: usize) -> Constraint {
    let lin = c.lin().renamed(|v| v + by);
    match c {
        Constraint::Ge(_) => Constraint::Ge(lin),
        Constraint::Eq(_) => Constraint::Eq(lin),
        Constraint::Mod(_, m) => Constraint::Mod(lin, m.clone()),
    }
}

/// All orders of `0..n`.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new()];
    for i in 0..n {
        out = out
            .into_iter()
            .flat_map(|p: Vec<usize>| {
                (0..=p.len()).map(move |at| {
                    let mut p = p.clone();
                    p.insert(at, i);
                    p
                })
            })
            .collect();
    }
    out
}

/// `a <= b` word by word, as alternatives.
fn lexicographic(a: &[Lin], b: &[Lin]) -> Vec<Vec<Constraint>> {
    let mut out = Vec::new();
    let mut equal = Vec::new();
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        let mut case = equal.clone();
        case.push(if i + 1 == a.len() {
            Constraint::le(x.clone(), y.clone())
        } else {
            Constraint::lt(x.clone(), y.clone())
        });
        out.push(case);
        equal.push(Constraint::same(x.clone(), y.clone()));
    }
    out
}

/// Each way in which the words of a shape can be put in canonical order: where each word goes, and that the words there are
/// sorted. `None` if there are too many.
fn orders(shape: &Shape) -> Option<Vec<(Vec<usize>, Vec<Constraint>)>> {
    match shape {
        Shape::Int => Some(vec![(vec![0], Vec::new())]),
        Shape::Tuple(shapes) => {
            let mut out = vec![(Vec::new(), Vec::new())];
            for s in shapes {
                let inner = orders(s)?;
                let mut next = Vec::new();
                for (places, cs) in &out {
                    let places: &Vec<usize> = places;
                    let at = places.len();
                    for (p, c) in &inner {
                        let mut places = places.clone();
                        places.extend(p.iter().map(|w| w + at));
                        let mut cs: Vec<Constraint> = cs.clone();
                        cs.extend(c.iter().map(|c| shifted(c, at)));
                        next.push((places, cs));
                    }
                }
                out = next;
                if out.len() > MAX_CASES {
                    return None;
                }
            }
            Some(out)
        }
        Shape::Unordered(n, member) => {
            if *n > 5 {
                return None;
            }
            let w = member.width()?;
            let whole = orders(&Shape::Tuple(vec![(**member).clone(); *n]))?;
            let block = |i: usize| (0..w).map(|j| Lin::var(i * w + j)).collect::<Vec<_>>();
            let mut sorted: Vec<Vec<Constraint>> = vec![Vec::new()];
            for i in 1..*n {
                let steps = lexicographic(&block(i - 1), &block(i));
                sorted = sorted
                    .into_iter()
                    .flat_map(|s| steps.iter().map(move |t| [s.clone(), t.clone()].concat()))
                    .collect();
            }
            let mut out = Vec::new();
            for p in permutations(*n) {
                for (places, cs) in &whole {
                    for s in &sorted {
                        // Word k of block k / w goes with its block.
                        let places = places.iter().map(|k| p[k / w] * w + k % w).collect();
                        // The members' own order, named where the members have gone.
                        let cs = cs.iter().map(|c| {
                            let lin = c.lin().renamed(|k| p[k / w] * w + k % w);
                            match c {
                                Constraint::Ge(_) => Constraint::Ge(lin),
                                Constraint::Eq(_) => Constraint::Eq(lin),
                                Constraint::Mod(_, m) => Constraint::Mod(lin, m.clone()),
                            }
                        });
                        out.push((places, cs.chain(s.iter().cloned()).collect()));
                    }
                }
                if out.len() > MAX_CASES {
                    return None;
                }
            }
            Some(out)
        }
        _ => None,
    }
}

/// Locals and results are numbered apart until the number of opaque terms is known.
const LOCAL: Var = 1 << 24;
const RESULT: Var = 1 << 26;

/// What a name or an expression stands for.
#[derive(Clone, Debug)]
enum Sym {
    Int(Lin),
    Const(Value),
    /// The members of a tuple or list.
    Seq(Vec<Sym>),
    /// Anything.
    Unknown,
}

impl Sym {
    fn of(value: Value) -> Sym {
        match value {
            Value::Int(v) => Sym::Int(Lin::constant(v)),
            other => Sym::Const(other),
        }
    }

    fn constant(&self) -> Option<Value> {
        match self {
            Sym::Int(l) => l.as_constant().cloned().map(Value::Int),
            Sym::Const(v) => Some(v.clone()),
            _ => None,
        }
    }

    fn members(&self) -> Option<Vec<Sym>> {
        match self {
            Sym::Seq(all) => Some(all.clone()),
            Sym::Const(v) => Some(v.as_seq()?.iter().cloned().map(Sym::of).collect()),
            _ => None,
        }
    }
}

/// One case on its way.
#[derive(Clone)]
struct State {
    constraints: Vec<Constraint>,
    locals: usize,
    exact: bool,
    env: Vec<Option<Sym>>,
}

type Alts<T> = Vec<(State, T)>;
type Res<T> = Result<T, String>;

impl State {
    fn local(&mut self) -> Lin {
        self.locals += 1;
        Lin::var(LOCAL + self.locals - 1)
    }

    fn with(mut self, c: Constraint) -> Self {
        self.add(c);
        self
    }

    fn add(&mut self, c: Constraint) {
        self.constraints.push(c);
    }

    fn inexact(mut self) -> Self {
        self.exact = false;
        self
    }

    /// A new variable of which nothing is known.
    fn anything(&mut self) -> Lin {
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
        let mut system = System::new(used.len());
        for c in &self.constraints {
            let lin = c.lin().renamed(|v| used.binary_search(&v).unwrap_or(0));
            system.add(match c {
                Constraint::Ge(_) => Constraint::Ge(lin),
                Constraint::Eq(_) => Constraint::Eq(lin),
                Constraint::Mod(_, m) => Constraint::Mod(lin, m.clone()),
            });
        }
        (system, used)
    }

    fn possible(&self) -> bool {
        !self.system().0.is_empty().yes()
    }

    /// A constant that the expression is never below.
    fn lower_bound(&self, l: &Lin) -> Option<Int> {
        if let Some(c) = l.as_constant() {
            return Some(c.clone());
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

struct Reader<'r> {
    rules: &'r Rules,
    machine: Machine<'r>,
    counters: usize,
    opaque: Vec<Opaque>,
}

impl<'r> Reader<'r> {
    fn new(rules: &'r Rules) -> Res<Self> {
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
        })
    }

    fn relation(mut self, alive: bool) -> Res<Relation> {
        let rules = self.rules;
        let game = rules.game();
        let shape = &game.shape;
        let mut env: Vec<Option<Sym>> = rules
            .params()
            .iter()
            .cloned()
            .map(Sym::of)
            .map(Some)
            .collect();
        env.resize(game.slots.len(), None);
        let start = State {
            constraints: (0..self.counters)
                .map(|i| Constraint::Ge(Lin::var(i)))
                .collect(),
            locals: 0,
            exact: true,
            env,
        };
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
                    }
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
                    let lin = c.lin().renamed(|v| match v {
                        v if v >= RESULT => n + q + v - RESULT,
                        v if v >= LOCAL => free + v - LOCAL,
                        v => v,
                    });
                    system.add(match c {
                        Constraint::Ge(_) => Constraint::Ge(lin),
                        Constraint::Eq(_) => Constraint::Eq(lin),
                        Constraint::Mod(_, m) => Constraint::Mod(lin, m.clone()),
                    });
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

    fn clauses(
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
            _ => {
                for slot in slots {
                    s.env[*slot] = Some(Sym::Unknown);
                }
                Ok(vec![s.inexact()])
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

    fn value(&mut self, e: &'r Expr, s: State) -> Res<Alts<Sym>> {
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
            ExprKind::Call(f, args) => self.call(*f, args, s),
            ExprKind::Tuple(all) | ExprKind::List(all) => Ok(self
                .values(all, s)?
                .into_iter()
                .map(|(s, v)| (s, Sym::Seq(v)))
                .collect()),
            ExprKind::Convert(a) => self.value(a, s),
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

    fn element(&mut self, list: &Sym, i: Lin, s: State) -> Res<Alts<Sym>> {
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
        if let (Some(a), Some(b)) = (numbers.iter().min(), numbers.iter().max()) {
            s.add(Constraint::le(Lin::constant(a.clone()), v.clone()));
            s.add(Constraint::le(v.clone(), Lin::constant(b.clone())));
        }
        Ok(vec![(s, Sym::Int(v))])
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
                .map(|(mut s, v)| match v.members() {
                    Some(all) => (s, Sym::Int(Lin::constant(Int::from(all.len())))),
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
                _ => s.anything(),
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
    fn condition(&mut self, e: &'r Expr, s: State, want: bool) -> Res<Vec<State>> {
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
                out.extend(self.condition(e, s.clone(), want)?);
                next.extend(self.condition(e, s, !want)?);
            }
            next.retain(State::possible);
            out.retain(State::possible);
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
    fn bindings(&mut self, clauses: &'r [Clause], s: &State) -> Option<Vec<Vec<(Slot, Value)>>> {
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

fn bind(s: &mut State, binding: &[(Slot, Value)]) {
    for (slot, v) in binding {
        s.env[*slot] = Some(Sym::of(v.clone()));
    }
}

fn few(n: usize) -> Res<()> {
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
    let low = |l: &Lin| s.lower_bound(l);
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

/// Whether two things are equal (`want`) or not.
fn equal(a: &Sym, b: &Sym, s: State, want: bool, ordered: bool) -> Vec<State> {
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
fn among(v: &Sym, list: &Sym, s: State, want: bool) -> Vec<State> {
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
fn curved(m: &Move, params: usize) -> Vec<Slot> {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ops::ControlFlow;

    use super::super::build::{self, *};
    use super::*;
    use crate::value::Pos;

    /// The options of a position by the interpreter, none if play has ended; `None` if it meets an error.
    fn options(rules: &Rules, x: &[Int]) -> Option<BTreeSet<Vec<Vec<Int>>>> {
        let mut out = BTreeSet::new();
        let mut machine = rules.machine();
        let pos = Pos(x.iter().cloned().collect());
        if machine.end(&pos).ok()?.is_some() {
            return Some(out);
        }
        let _ = machine
            .options(&pos, &mut |opt| {
                out.insert(opt.parts.iter().map(|p| p.0.to_vec()).collect());
                ControlFlow::Continue(())
            })
            .ok()?;
        Some(out)
    }

    /// Positions with small counters, in canonical form.
    fn positions(shape: &Shape, side: i64) -> BTreeSet<Vec<Int>> {
        let n = shape.width().unwrap();
        let mut all: Vec<Vec<Int>> = vec![Vec::new()];
        for _ in 0..n {
            all = all
                .iter()
                .flat_map(|p| (0..=side).map(move |x| [p.clone(), vec![Int::from(x)]].concat()))
                .collect();
        }
        all.into_iter()
            .map(|p| {
                let value = shape.value(&Pos(p.iter().cloned().collect()));
                shape.pos(&value).unwrap().0.to_vec()
            })
            .collect()
    }

    /// Compares with the interpreter: every option must be in the relation, and other results must not.
    fn agree(rules: &Rules, relation: &Relation, r: &mut Random, side: i64) -> usize {
        let mut decided = 0;
        let box_ = positions(&rules.game().shape, side + 2);
        let box_: Vec<_> = box_.iter().collect();
        for x in positions(&rules.game().shape, side) {
            let Some(options) = options(rules, &x) else {
                continue;
            };
            for o in &options {
                let t = relation.contains(&x, o);
                assert!(!t.no(), "{x:?} -> {o:?} is a move\n{}", relation.show());
            }
            let mut sizes: Vec<usize> = relation.cases.iter().map(|c| c.parts).collect();
            sizes.dedup();
            for _ in 0..12 {
                let Some(&parts) = sizes.get(r.below(sizes.len().max(1) as u64) as usize) else {
                    break;
                };
                let o: Vec<Vec<Int>> = (0..parts)
                    .map(|_| box_[r.below(box_.len() as u64) as usize].clone())
                    .collect();
                let t = relation.contains(&x, &o);
                decided += usize::from(t != Truth::Unknown);
                assert!(
                    !t.yes() || options.contains(&o),
                    "{x:?} -> {o:?} is no move\n{}",
                    relation.show()
                );
                assert!(!t.no() || !options.contains(&o));
                if relation.exact() {
                    assert_ne!(t, Truth::Unknown);
                }
            }
        }
        decided
    }

    #[test]
    fn the_relation_of_random_rules_agrees_with_the_interpreter() {
        let mut r = Random(42);
        let (mut exact, mut read, mut decided) = (0, 0, 0);
        for _ in 0..500 {
            let rules = build::random_rules(&mut r);
            let Ok(relation) = Relation::of_play(&rules) else {
                continue;
            };
            read += 1;
            exact += usize::from(relation.exact());
            decided += agree(&rules, &relation, &mut r, 4);
        }
        assert!(read > 450, "{read} read");
        assert!(exact > 300, "{exact} exact");
        assert!(decided > 50_000, "{decided} decided");
    }

    fn wythoff(t: i64) -> Rules {
        let pair = Shape::Unordered(2, Box::new(Shape::Int));
        let (a, b, k, l) = (slot(0), slot(1), slot(2), slot(3));
        let pattern = Pattern::Unordered {
            members: vec![Pattern::Bind(0), Pattern::Bind(1)],
            every_order: true,
        };
        let one = || range(2, int(1), a.clone());
        game(pair.clone(), 4, vec![])
            .rule(
                pattern.clone(),
                vec![one()],
                vec![brace(vec![sub(a.clone(), k.clone()), b.clone()])],
            )
            .rule(
                pattern,
                vec![
                    one(),
                    range(3, int(1), b.clone()),
                    guard(lt(abs(sub(k.clone(), l.clone())), int(t))),
                ],
                vec![brace(vec![sub(a, k), sub(b, l)])],
            )
            .rules()
    }

    fn wythoff_target(r: &Relation, t: i64) -> Relation {
        let (a, b, c, d) = (r.x(0), r.x(1), r.y(0, 0), r.y(0, 1));
        let less = |x: &Lin, y: &Lin| Constraint::lt(x.clone(), y.clone());
        let same = |x: &Lin, y: &Lin| Constraint::same(x.clone(), y.clone());
        let gap = (a.clone() - c.clone()) - (b.clone() - d.clone());
        r.like([
            (1, vec![less(&c, &a), same(&d, &b)]),
            (1, vec![less(&d, &b), same(&c, &a)]),
            (
                1,
                vec![
                    less(&c, &a),
                    less(&d, &b),
                    Constraint::lt(gap.clone(), Lin::from(t)),
                    Constraint::lt(-gap, Lin::from(t)),
                ],
            ),
        ])
    }

    #[test]
    fn rules_are_recognised_by_their_relation() {
        for t in 1..=4 {
            let rules = wythoff(t);
            let relation = Relation::of_rules(&rules).unwrap();
            assert!(relation.exact());
            for u in 1..=5 {
                let target = wythoff_target(&relation, u)
                    .symmetrised(&rules.game().shape)
                    .unwrap();
                let want = if t == u { Truth::Yes } else { Truth::No };
                assert_eq!(relation.equal(&target), want, "{t} {u}");
            }
        }
    }

    #[test]
    fn a_term_that_is_not_linear_is_kept_as_it_is() {
        // (s, c) -> (s, c + k) for k in 1..min(c*c, s - c), and a second text for the same.
        let (s, c, k) = (slot(0), slot(1), slot(2));
        let pattern = || Pattern::Tuple(vec![Pattern::Bind(0), Pattern::Bind(1)]);
        let shape = || Shape::Tuple(vec![Shape::Int, Shape::Int]);
        let one = game(shape(), 3, vec![])
            .rule(
                pattern(),
                vec![range(
                    2,
                    int(1),
                    min(vec![mul(c.clone(), c.clone()), sub(s.clone(), c.clone())]),
                )],
                vec![tuple(vec![s.clone(), add(c.clone(), k.clone())])],
            )
            .rules();
        let two = game(shape(), 3, vec![])
            .rule(
                pattern(),
                vec![
                    range(2, add(c.clone(), int(1)), s.clone()),
                    guard(le(k.clone(), mul(c.clone(), add(c.clone(), int(1))))),
                ],
                vec![tuple(vec![s.clone(), k.clone()])],
            )
            .rules();
        let a = Relation::of_rules(&one).unwrap();
        let b = Relation::of_rules(&two).unwrap();
        assert_eq!(a.opaque, vec![Opaque::Product(vec![1, 1])]);
        assert_eq!(a.equal(&b), Truth::Yes);
        let (x0, x1, y0, y1) = (a.x(0), a.x(1), a.y(0, 0), a.y(0, 1));
        let target = |slack: i64| {
            a.like([(
                1,
                vec![
                    Constraint::same(x0.clone(), y0.clone()),
                    Constraint::lt(x1.clone(), y1.clone()),
                    Constraint::le(y1.clone(), x0.clone()),
                    Constraint::le(y1.clone(), x1.clone() + a.f(0) + slack),
                ],
            )])
        };
        assert_eq!(a.equal(&target(0)), Truth::Yes);
        assert_ne!(a.equal(&target(1)), Truth::Yes);
        let mut r = Random(1);
        assert!(agree(&one, &a, &mut r, 5) > 100);
        assert!(agree(&two, &b, &mut r, 5) > 100);
    }

    #[test]
    fn parts_of_a_sum_may_stand_in_any_order() {
        // n -> [k, n - k] for k in 1..n//2, against 1 <= y0, 1 <= y1, y0 + y1 = n.
        let (n, k) = (slot(0), slot(1));
        let rules = game(Shape::Int, 2, vec![])
            .rule(
                Pattern::Bind(0),
                vec![range(1, int(1), div(n.clone(), int(2)))],
                vec![k.clone(), sub(n, k)],
            )
            .rules();
        let r = Relation::of_rules(&rules).unwrap();
        let (x, y, z) = (r.x(0), r.y(0, 0), r.y(1, 0));
        let target = r.like([(
            2,
            vec![
                Constraint::same(x, y.clone() + z.clone()),
                Constraint::Ge(y - 1),
                Constraint::Ge(z - 1),
            ],
        )]);
        assert_eq!(r.subset(&target), Truth::Yes);
        assert_eq!(target.subset(&r), Truth::No);
        assert_eq!(r.parts_in_any_order().equal(&target), Truth::Yes);
    }
}
