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

use super::reader::Reader;
use super::system::{Constraint, Lin, System, Truth, Union, Var};
use crate::interp::Rules;
use crate::ir::Shape;

/// Most cases of a relation.
pub const MAX_CASES: usize = 1024;

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
pub(super) fn facts(counters: usize, opaque: &[Opaque]) -> Vec<Constraint> {
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

pub(super) fn shifted(c: &Constraint, by: usize) -> Constraint {
    c.renamed(|v| v + by)
}

/// All orders of `0..n`.
pub(super) fn permutations(n: usize) -> Vec<Vec<usize>> {
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
pub(super) fn lexicographic(a: &[Lin], b: &[Lin]) -> Vec<Vec<Constraint>> {
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
pub(super) fn orders(shape: &Shape) -> Option<Vec<(Vec<usize>, Vec<Constraint>)>> {
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
                        let cs = cs.iter().map(|c| c.renamed(|k| p[k / w] * w + k % w));
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ops::ControlFlow;

    use super::super::build::{self, *};
    use super::*;
    use crate::ir::Pattern;
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
