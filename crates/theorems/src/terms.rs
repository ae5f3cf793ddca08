//! Integer expressions of the rules in one normal form: polynomials over the counters, the quantifiers and opaque
//! terms.
//!
//! Two expressions with the same normal form are equal for all values; nothing is said of others. Parameters are
//! numbers here. Only expressions that cannot fail are taken (no division by what may be zero, no root of what may be
//! negative), so that an evaluation needs no error and may skip what the interpreter would compute.
//!
//! Cost: a few microseconds an expression; [`Poly::eval`] walks the terms once.

use std::cmp::Ordering;

use grundy_core::Int;
use grundy_lang::interp::Rules;
use grundy_lang::ir::{BinaryOp, CompareOp, Domain, Expr, ExprKind, Function, Slot};
use grundy_lang::value::Value;
use num_integer::Integer;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::WhyNot;

/// More alternatives than this and a condition is not taken apart.
const MAX_ALTERNATIVES: usize = 64;
/// More terms than this and a polynomial is not multiplied out.
const MAX_TERMS: usize = 256;

/// Variables from here on are quantifiers, which may be negative; those below are counters.
pub(crate) const SIGNED: usize = 1 << 16;

/// What a polynomial is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Atom {
    /// A counter of the position or a quantifier.
    Var(usize),
    /// Divided by a positive number, rounded down.
    Div(Box<Poly>, Int),
    /// The remainder by a positive number.
    Mod(Box<Poly>, Int),
    /// The integer square root of something that is never negative.
    Isqrt(Box<Poly>),
    /// The absolute value.
    Abs(Box<Poly>),
    /// The greatest common divisor.
    Gcd(Box<Poly>, Box<Poly>),
    /// The nim-sum.
    Xor(Box<Poly>, Box<Poly>),
    /// The least.
    Min(Vec<Poly>),
    /// The greatest.
    Max(Vec<Poly>),
    /// Condition, then, else.
    If(Any, Box<Poly>, Box<Poly>),
}

/// A product of atoms, sorted; a number is the product of none.
type Product = SmallVec<[Atom; 1]>;

/// A polynomial with integer coefficients: products of atoms and their coefficients, none of them 0, in the order of the
/// products. A few terms at most as a rule, so that a row is cheaper than a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Poly(Vec<(Product, Int)>);

/// Every polynomial is at least 0.
pub(crate) type All = Vec<Poly>;
/// One of these holds.
pub(crate) type Any = Vec<All>;

/// The values of the slots as polynomials.
pub(crate) type Env = FxHashMap<Slot, Poly>;

/// Bounds of a quantity: `None` where nothing is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub lo: Option<Int>,
    pub hi: Option<Int>,
}

impl Bounds {
    fn exactly(v: Int) -> Self {
        Bounds {
            lo: Some(v.clone()),
            hi: Some(v),
        }
    }

    const UNKNOWN: Bounds = Bounds { lo: None, hi: None };

    fn plus(self, other: Bounds) -> Self {
        let add = |a: Option<Int>, b: Option<Int>| Some(a? + b?);
        Bounds {
            lo: add(self.lo, other.lo),
            hi: add(self.hi, other.hi),
        }
    }

    fn times(self, by: &Int) -> Self {
        let scaled = |v: Option<Int>| v.map(|v| &v * by);
        let (lo, hi) = if by.is_negative() {
            (self.hi, self.lo)
        } else {
            (self.lo, self.hi)
        };
        Bounds {
            lo: scaled(lo),
            hi: scaled(hi),
        }
    }

    fn hull(self, other: Bounds) -> Self {
        let pick = |a: Option<Int>, b: Option<Int>, least: bool| {
            let (a, b) = (a?, b?);
            Some(if least { a.min(b) } else { a.max(b) })
        };
        Bounds {
            lo: pick(self.lo, other.lo, true),
            hi: pick(self.hi, other.hi, false),
        }
    }

    /// Whether it is never below 0.
    pub fn never_negative(&self) -> bool {
        self.lo.as_ref().is_some_and(|v| !v.is_negative())
    }

    /// Whether it is never above 0.
    pub fn never_positive(&self) -> bool {
        self.hi.as_ref().is_some_and(|v| *v <= Int::ZERO)
    }
}

impl Poly {
    pub fn constant(v: Int) -> Self {
        if v.is_zero() {
            return Poly::default();
        }
        Poly(vec![(Product::new(), v)])
    }

    pub fn one() -> Self {
        Poly::constant(Int::ONE)
    }

    pub fn var(v: usize) -> Self {
        Poly::atom(Atom::Var(v))
    }

    pub fn atom(a: Atom) -> Self {
        Poly(vec![(smallvec![a], Int::ONE)])
    }

    /// The sum of these terms, in any order.
    fn sum(mut terms: Vec<(Product, Int)>) -> Self {
        terms.sort_by(|(a, _), (b, _)| a.cmp(b));
        terms.dedup_by(|(atoms, c), (before, sum)| {
            let same = atoms == before;
            if same {
                *sum = &*sum + &*c;
            }
            same
        });
        terms.retain(|(_, c)| !c.is_zero());
        Poly(terms)
    }

    pub fn plus(&self, other: &Poly) -> Poly {
        self.plus_times(other, &Int::ONE)
    }

    pub fn minus(&self, other: &Poly) -> Poly {
        self.plus_times(other, &Int::from(-1))
    }

    pub fn scaled(&self, by: &Int) -> Poly {
        Poly::default().plus_times(self, by)
    }

    /// `self + by·other`
    fn plus_times(&self, other: &Poly, by: &Int) -> Poly {
        if by.is_zero() {
            return self.clone();
        }
        let mut out = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let order = match (ours.peek(), theirs.peek()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Poly(out),
            };
            let mine = ours.next_if(|_| order.is_le());
            let added = theirs.next_if(|_| order.is_ge());
            match (mine, added) {
                (Some((atoms, c)), Some((_, d))) => {
                    let sum = c + &(d * by);
                    if !sum.is_zero() {
                        out.push((atoms.clone(), sum));
                    }
                }
                (Some(term), None) => out.push(term.clone()),
                (None, Some((atoms, d))) => out.push((atoms.clone(), d * by)),
                (None, None) => unreachable!("one of the two is there"),
            }
        }
    }

    fn product(&self, other: &Poly) -> Option<Poly> {
        if self.0.len() * other.0.len() > MAX_TERMS {
            return None;
        }
        for (number, poly) in [(self, other), (other, self)] {
            if let Some(c) = number.as_constant() {
                return Some(poly.scaled(&c));
            }
        }
        let mut out = Vec::with_capacity(self.0.len() * other.0.len());
        for (a, c) in &self.0 {
            for (b, d) in &other.0 {
                let mut atoms: Product = a.iter().chain(b).cloned().collect();
                atoms.sort();
                if atoms.len() > MAX_TERMS {
                    return None;
                }
                out.push((atoms, c * d));
            }
        }
        Some(Poly::sum(out))
    }

    /// The number, if it is one.
    pub fn as_constant(&self) -> Option<Int> {
        match self.0.as_slice() {
            [] => Some(Int::ZERO),
            [(atoms, c)] if atoms.is_empty() => Some(c.clone()),
            _ => None,
        }
    }

    fn constant_term(&self) -> Int {
        // The product of none is before all others.
        match self.0.first() {
            Some((atoms, c)) if atoms.is_empty() => c.clone(),
            _ => Int::ZERO,
        }
    }

    /// Whether the variable stands anywhere in it.
    pub fn mentions(&self, var: usize) -> bool {
        self.0.iter().any(|(atoms, _)| mention(atoms, var))
    }

    /// `Some((c, r))` if it is c·var + r with a number c and r free of the variable.
    pub fn linear_in(&self, var: usize) -> Option<(Int, Poly)> {
        let alone = |atoms: &Product| matches!(atoms[..], [Atom::Var(v)] if v == var);
        let mut factor = Int::ZERO;
        for (atoms, c) in &self.0 {
            if alone(atoms) {
                factor = c.clone();
            } else if mention(atoms, var) {
                return None;
            }
        }
        let rest = self.0.iter().filter(|(atoms, _)| !alone(atoms));
        Some((factor, Poly(rest.cloned().collect())))
    }

    /// `Some((c, r, k))` if it is (c·var + r) // k with numbers c and k > 0 and r free of the variable.
    pub fn floor_linear_in(&self, var: usize) -> Option<(Int, Poly, Int)> {
        if let Some((c, rest)) = self.linear_in(var) {
            return Some((c, rest, Int::ONE));
        }
        let mut with = self.0.iter().filter(|(atoms, _)| mention(atoms, var));
        let (Some((atoms, c)), None) = (with.next(), with.next()) else {
            return None;
        };
        let [Atom::Div(inner, k)] = &atoms[..] else {
            return None;
        };
        let (factor, rest) = inner.linear_in(var).filter(|_| *c == Int::ONE)?;
        let others = self.0.iter().filter(|(atoms, _)| !mention(atoms, var));
        let others = Poly(others.cloned().collect());
        Some((factor, rest.plus(&others.scaled(k)), k.clone()))
    }

    /// With the variable replaced; `None` if it grows out of hand.
    pub fn substitute(&self, var: usize, by: &Poly) -> Option<Poly> {
        let kept = self.0.iter().filter(|(atoms, _)| !mention(atoms, var));
        let mut out = Poly(kept.cloned().collect());
        for (atoms, c) in &self.0 {
            match &atoms[..] {
                atoms if !mention(atoms, var) => {}
                [atom] => out = out.plus_times(&atom.substitute(var, by)?, c),
                atoms => {
                    let mut term = Poly::one();
                    for atom in atoms {
                        term = term.product(&atom.substitute(var, by)?)?;
                    }
                    out = out.plus_times(&term, c);
                }
            }
        }
        Some(out)
    }

    /// Divided by a positive number, rounded down.
    pub fn divided(self, by: &Int) -> Poly {
        div(self, by)
    }

    /// Its value; every variable in it must have one.
    pub fn eval(&self, vars: &[Int]) -> Int {
        let mut sum = Int::ZERO;
        for (atoms, c) in &self.0 {
            let mut term = c.clone();
            for atom in atoms {
                term = &term * &atom.eval(vars);
            }
            sum = sum + term;
        }
        sum
    }

    /// Whether it is certainly never negative, its variables being natural numbers.
    pub fn nonnegative(&self) -> bool {
        self.doubtful().is_none()
    }

    /// The first term that may be negative.
    fn doubtful(&self) -> Option<&(Product, Int)> {
        self.0.iter().find(|(atoms, c)| {
            let square = atoms.len() == 2 && atoms[0] == atoms[1];
            c.is_negative() || !square && !atoms.iter().all(Atom::nonnegative)
        })
    }

    /// Bounds of `self(var + 1) - self(var)` over all natural values of all variables.
    pub fn growth(&self, var: usize) -> Bounds {
        let mut plain = Poly::default();
        let mut out = Bounds::exactly(Int::ZERO);
        for (atoms, c) in &self.0 {
            if atoms.iter().all(|a| matches!(a, Atom::Var(_))) {
                plain.0.push((atoms.clone(), c.clone()));
                continue;
            }
            let term = match &atoms[..] {
                [atom] => atom.growth(var),
                // Factors that are never negative and never fall have a product that never falls.
                atoms if atoms.iter().all(|a| !a.mentions(var)) => Bounds::exactly(Int::ZERO),
                atoms
                    if atoms
                        .iter()
                        .all(|a| a.nonnegative() && a.growth(var).never_negative()) =>
                {
                    Bounds {
                        lo: Some(Int::ZERO),
                        hi: None,
                    }
                }
                _ => Bounds::UNKNOWN,
            };
            out = out.plus(term.times(c));
        }
        let step = Poly::var(var).plus(&Poly::one());
        let Some(next) = plain.substitute(var, &step) else {
            return Bounds::UNKNOWN;
        };
        let difference = next.minus(&plain);
        let end = difference.constant_term();
        let rest = difference.minus(&Poly::constant(end.clone()));
        let falls = rest.scaled(&Int::from(-1)).nonnegative();
        out.plus(Bounds {
            lo: rest.nonnegative().then(|| end.clone()),
            hi: falls.then_some(end),
        })
    }

    /// The minima, maxima and absolute values in it, each taken apart: what the whole is with each member in its place,
    /// and whether `self >= 0` says that all of these are, or one.
    fn extremes(&self) -> impl Iterator<Item = (Vec<Poly>, bool)> + '_ {
        self.0.iter().filter_map(|(atoms, c)| {
            let positive = !c.is_negative();
            let (members, every) = match &atoms[..] {
                [Atom::Min(list)] => (list.clone(), positive),
                [Atom::Max(list)] => (list.clone(), !positive),
                [Atom::Abs(p)] => (vec![(**p).clone(), p.scaled(&Int::from(-1))], !positive),
                _ => return None,
            };
            let rest = self.0.iter().filter(|(other, _)| other != atoms);
            let rest = Poly(rest.cloned().collect());
            let cases = members.iter().map(|m| rest.plus(&m.scaled(c))).collect();
            Some((cases, every))
        })
    }

    /// The conditions whose conjunction says `self >= 0`, with extremes taken apart where that is a conjunction.
    fn split(self, out: &mut All) {
        let all = self.extremes().find(|(_, every)| *every);
        match all {
            Some((cases, _)) => cases.into_iter().for_each(|case| case.split(out)),
            None => out.push(self),
        }
    }

    /// As a person writes it; `name` gives the names of the variables.
    pub fn show(&self, name: &dyn Fn(usize) -> String) -> String {
        let mut out = String::new();
        // Highest degree first, as on paper.
        let mut terms: Vec<_> = self.0.iter().collect();
        terms.sort_by_key(|(atoms, _)| std::cmp::Reverse(atoms.len()));
        for (atoms, c) in terms {
            let sign = if c.is_negative() { "-" } else { "+" };
            if out.is_empty() {
                out.push_str(if c.is_negative() { "-" } else { "" });
            } else {
                out.push_str(&format!(" {sign} "));
            }
            let mut factors: Vec<String> = Vec::new();
            if c.abs() != Int::ONE || atoms.is_empty() {
                factors.push(c.abs().to_string());
            }
            let mut i = 0;
            while i < atoms.len() {
                let same = atoms[i..].iter().take_while(|a| **a == atoms[i]).count();
                let text = atoms[i].show(name);
                factors.push(if same == 1 {
                    text
                } else {
                    format!("{text}**{same}")
                });
                i += same;
            }
            out.push_str(&factors.join("*"));
        }
        if out.is_empty() {
            out.push('0');
        }
        out
    }
}

impl Atom {
    fn mentions(&self, var: usize) -> bool {
        match self {
            Atom::Var(v) => *v == var,
            Atom::Div(p, _) | Atom::Mod(p, _) | Atom::Isqrt(p) | Atom::Abs(p) => p.mentions(var),
            Atom::Gcd(a, b) | Atom::Xor(a, b) => a.mentions(var) || b.mentions(var),
            Atom::Min(list) | Atom::Max(list) => list.iter().any(|p| p.mentions(var)),
            Atom::If(when, a, b) => {
                let mut all = when.iter().flatten().chain([&**a, &**b]);
                all.any(|p| p.mentions(var))
            }
        }
    }

    fn substitute(&self, var: usize, by: &Poly) -> Option<Poly> {
        let with = |p: &Poly| p.substitute(var, by);
        let boxed = |p: &Poly| with(p).map(Box::new);
        let list = |ps: &[Poly]| ps.iter().map(with).collect::<Option<Vec<_>>>();
        Some(match self {
            Atom::Var(v) if *v == var => by.clone(),
            Atom::Var(v) => Poly::var(*v),
            Atom::Div(p, by) => div(with(p)?, by),
            Atom::Mod(p, by) => modulo(with(p)?, by),
            // A root stays a root of the same thing, which was never negative.
            Atom::Isqrt(p) => isqrt(with(p)?),
            Atom::Abs(p) => abs(with(p)?),
            Atom::Gcd(a, b) => Poly::atom(Atom::Gcd(boxed(a)?, boxed(b)?)),
            Atom::Xor(a, b) => Poly::atom(Atom::Xor(boxed(a)?, boxed(b)?)),
            Atom::Min(ps) => extreme(list(ps)?, true),
            Atom::Max(ps) => extreme(list(ps)?, false),
            Atom::If(when, a, b) => {
                let when = when.iter().map(|all| list(all)).collect::<Option<_>>()?;
                Poly::atom(Atom::If(when, boxed(a)?, boxed(b)?))
            }
        })
    }

    fn eval(&self, vars: &[Int]) -> Int {
        let least = |list: &[Poly], max: bool| {
            let values = list.iter().map(|p| p.eval(vars));
            let best = if max { values.max() } else { values.min() };
            best.unwrap_or_default()
        };
        match self {
            Atom::Var(v) => vars[*v].clone(),
            // The divisor is positive and the root's argument never negative, by construction.
            Atom::Div(p, by) => p.eval(vars).div_floor(by).unwrap_or_default(),
            Atom::Mod(p, by) => p.eval(vars).mod_floor(by).unwrap_or_default(),
            Atom::Isqrt(p) => p.eval(vars).isqrt().unwrap_or_default(),
            Atom::Abs(p) => p.eval(vars).abs(),
            Atom::Gcd(a, b) => a.eval(vars).gcd(&b.eval(vars)),
            Atom::Xor(a, b) => a.eval(vars).bitxor(&b.eval(vars)),
            Atom::Min(list) => least(list, false),
            Atom::Max(list) => least(list, true),
            Atom::If(when, a, b) => {
                if holds(when, vars) {
                    a.eval(vars)
                } else {
                    b.eval(vars)
                }
            }
        }
    }

    fn nonnegative(&self) -> bool {
        match self {
            Atom::Var(v) => *v < SIGNED,
            Atom::Mod(..) | Atom::Isqrt(_) | Atom::Abs(_) | Atom::Gcd(..) => true,
            Atom::Div(p, _) => p.nonnegative(),
            Atom::Xor(a, b) => a.nonnegative() && b.nonnegative(),
            Atom::Min(list) => list.iter().all(Poly::nonnegative),
            Atom::Max(list) => list.iter().any(Poly::nonnegative),
            Atom::If(_, a, b) => a.nonnegative() && b.nonnegative(),
        }
    }

    fn growth(&self, var: usize) -> Bounds {
        if !self.mentions(var) {
            return Bounds::exactly(Int::ZERO);
        }
        match self {
            Atom::Var(_) => Bounds::exactly(Int::ONE),
            // ⌊(a+δ)/k⌋ − ⌊a/k⌋ lies between ⌊δ/k⌋ and ⌈δ/k⌉.
            Atom::Div(p, by) => {
                let g = p.growth(var);
                Bounds {
                    lo: g.lo.and_then(|v| v.div_floor(by)),
                    hi: g.hi.and_then(|v| (-&v).div_floor(by)).map(|v| -&v),
                }
            }
            // √(a+δ) ≤ √a + √δ, so the rounded root grows by at most ⌈√δ⌉.
            Atom::Isqrt(p) => {
                let g = p.growth(var);
                Bounds {
                    lo: g.never_negative().then_some(Int::ZERO),
                    hi: match &g.hi {
                        Some(d) if *d <= Int::ZERO => Some(Int::ZERO),
                        Some(d) => (d - &Int::ONE).isqrt().map(|r| r + Int::ONE),
                        None => None,
                    },
                }
            }
            Atom::Min(list) | Atom::Max(list) => list
                .iter()
                .map(|p| p.growth(var))
                .reduce(Bounds::hull)
                .unwrap_or(Bounds::UNKNOWN),
            Atom::Abs(p) => {
                let g = p.growth(var);
                match (g.lo, g.hi) {
                    (Some(lo), Some(hi)) => {
                        let most = lo.abs().max(hi.abs());
                        Bounds {
                            lo: Some(-&most),
                            hi: Some(most),
                        }
                    }
                    _ => Bounds::UNKNOWN,
                }
            }
            _ => Bounds::UNKNOWN,
        }
    }

    fn show(&self, name: &dyn Fn(usize) -> String) -> String {
        let list = |ps: &[Poly]| {
            ps.iter()
                .map(|p| p.show(name))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self {
            Atom::Var(v) => name(*v),
            Atom::Div(p, by) => format!("({} // {by})", p.show(name)),
            Atom::Mod(p, by) => format!("({} % {by})", p.show(name)),
            Atom::Isqrt(p) => format!("isqrt({})", p.show(name)),
            Atom::Abs(p) => format!("abs({})", p.show(name)),
            Atom::Gcd(a, b) => format!("gcd({}, {})", a.show(name), b.show(name)),
            Atom::Xor(a, b) => format!("({} ^ {})", a.show(name), b.show(name)),
            Atom::Min(ps) => format!("min({})", list(ps)),
            Atom::Max(ps) => format!("max({})", list(ps)),
            Atom::If(when, a, b) => {
                let cases: Vec<String> = when
                    .iter()
                    .map(|all| {
                        let parts: Vec<String> = all
                            .iter()
                            .map(|p| format!("{} >= 0", p.show(name)))
                            .collect();
                        parts.join(" and ")
                    })
                    .collect();
                format!(
                    "({} if {} else {})",
                    a.show(name),
                    cases.join(" or "),
                    b.show(name)
                )
            }
        }
    }
}

fn mention(atoms: &[Atom], var: usize) -> bool {
    atoms.iter().any(|a| a.mentions(var))
}

fn div(p: Poly, by: &Int) -> Poly {
    if let Some(v) = p.as_constant().and_then(|v| v.div_floor(by)) {
        return Poly::constant(v);
    }
    if *by == Int::ONE {
        return p;
    }
    Poly::atom(Atom::Div(Box::new(p), by.clone()))
}

fn modulo(p: Poly, by: &Int) -> Poly {
    match p.as_constant().and_then(|v| v.mod_floor(by)) {
        Some(v) => Poly::constant(v),
        None => Poly::atom(Atom::Mod(Box::new(p), by.clone())),
    }
}

fn isqrt(p: Poly) -> Poly {
    match p.as_constant().and_then(|v| v.isqrt()) {
        Some(v) => Poly::constant(v),
        None => Poly::atom(Atom::Isqrt(Box::new(p))),
    }
}

fn abs(p: Poly) -> Poly {
    if p.nonnegative() {
        return p;
    }
    let minus = p.scaled(&Int::from(-1));
    if minus.nonnegative() {
        return minus;
    }
    // |p| = |−p|: one form for both.
    Poly::atom(Atom::Abs(Box::new(p.min(minus))))
}

fn extreme(list: Vec<Poly>, least: bool) -> Poly {
    let mut flat: Vec<Poly> = Vec::new();
    for p in list {
        match p.0.as_slice() {
            [(atoms, c)] if *c == Int::ONE => match &atoms[..] {
                [Atom::Min(inner)] if least => flat.extend(inner.iter().cloned()),
                [Atom::Max(inner)] if !least => flat.extend(inner.iter().cloned()),
                _ => flat.push(p),
            },
            _ => flat.push(p),
        }
    }
    flat.sort();
    flat.dedup();
    // One that another is certainly beyond is not needed.
    let mut kept: Vec<Poly> = Vec::new();
    for p in flat {
        let beyond = |a: &Poly, b: &Poly| {
            if least {
                a.minus(b).nonnegative()
            } else {
                b.minus(a).nonnegative()
            }
        };
        if kept.iter().any(|q| beyond(&p, q)) {
            continue;
        }
        kept.retain(|q| !beyond(q, &p));
        kept.push(p);
    }
    kept.sort();
    match (kept.len(), least) {
        (1, _) => kept.remove(0),
        (_, true) => Poly::atom(Atom::Min(kept)),
        (_, false) => Poly::atom(Atom::Max(kept)),
    }
}

/// Whether a condition holds for these values.
pub(crate) fn holds(any: &Any, vars: &[Int]) -> bool {
    any.iter()
        .any(|all| all.iter().all(|p| !p.eval(vars).is_negative()))
}

/// Reads expressions of one game into normal form.
pub(crate) struct Reader<'a> {
    pub rules: &'a Rules,
    pub env: Env,
}

impl Reader<'_> {
    fn text(&self, e: &Expr) -> String {
        format!("`{}`", self.rules.game().source.slice(e.span))
    }

    fn refuse<T>(&self, e: &Expr, why: &str) -> Result<T, WhyNot> {
        Err(WhyNot::new(format!("{} {why}", self.text(e))))
    }

    /// A number as a polynomial.
    pub fn int(&self, e: &Expr) -> Result<Poly, WhyNot> {
        Ok(match &e.kind {
            ExprKind::Int(v) => Poly::constant(v.clone()),
            ExprKind::Slot(s) => {
                if let Some(p) = self.env.get(s) {
                    return Ok(p.clone());
                }
                let vars = &self.rules.game().vars;
                match self.rules.params().get(*s) {
                    Some(Value::Int(v)) if !vars[*s].part => Poly::constant(v.clone()),
                    _ => return self.refuse(e, "is not a counter or a number"),
                }
            }
            ExprKind::Neg(a) => self.int(a)?.scaled(&Int::from(-1)),
            ExprKind::Binary(op, a, b) => return self.binary(e, *op, a, b),
            ExprKind::If(c, a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                let when = self.condition(c, false)?;
                if a == b || when.iter().any(|all| all.is_empty()) {
                    a
                } else if when.is_empty() {
                    b
                } else {
                    Poly::atom(Atom::If(when, Box::new(a), Box::new(b)))
                }
            }
            ExprKind::Call(f, args) => {
                let args = match args.as_slice() {
                    [one] => match &one.kind {
                        ExprKind::List(list) => list.as_slice(),
                        _ => args.as_slice(),
                    },
                    _ => args.as_slice(),
                };
                let ps = args
                    .iter()
                    .map(|a| self.int(a))
                    .collect::<Result<Vec<_>, _>>()?;
                match (f, ps.as_slice()) {
                    (Function::Min, [_, ..]) => extreme(ps, true),
                    (Function::Max, [_, ..]) => extreme(ps, false),
                    (Function::Abs, [p]) => abs(p.clone()),
                    (Function::Isqrt, [p]) if p.nonnegative() => isqrt(p.clone()),
                    (Function::Gcd, [a, b]) => {
                        Poly::atom(Atom::Gcd(Box::new(a.clone()), Box::new(b.clone())))
                    }
                    _ => return self.refuse(e, "is not a function that is understood here"),
                }
            }
            _ => return self.refuse(e, "is not arithmetic that is understood here"),
        })
    }

    fn binary(&self, e: &Expr, op: BinaryOp, a: &Expr, b: &Expr) -> Result<Poly, WhyNot> {
        let (a, b) = (self.int(a)?, self.int(b)?);
        let positive = |p: &Poly| p.as_constant().filter(|v| *v > Int::ZERO);
        Ok(match op {
            BinaryOp::Add => a.plus(&b),
            BinaryOp::Sub => a.minus(&b),
            BinaryOp::Mul => match a.product(&b) {
                Some(p) => p,
                None => return self.refuse(e, "is too large a product"),
            },
            BinaryOp::Div => match positive(&b) {
                Some(by) => div(a, &by),
                None => return self.refuse(e, "does not divide by a positive number"),
            },
            BinaryOp::Mod => match positive(&b) {
                Some(by) => modulo(a, &by),
                None => return self.refuse(e, "does not divide by a positive number"),
            },
            BinaryOp::Pow => {
                let Some(n) = b
                    .as_constant()
                    .and_then(|v| v.to_u64())
                    .filter(|n| *n <= 64)
                else {
                    return self.refuse(e, "is not a power with a small number as its exponent");
                };
                let mut out = Poly::one();
                for _ in 0..n {
                    out = match out.product(&a) {
                        Some(p) => p,
                        None => return self.refuse(e, "is too large a power"),
                    };
                }
                out
            }
            BinaryOp::Xor => Poly::atom(Atom::Xor(
                Box::new(a.clone().min(b.clone())),
                Box::new(a.max(b)),
            )),
        })
    }

    /// The conditions for `lo <= p <= hi`.
    pub fn between(&self, p: &Poly, lo: &Expr, hi: &Expr) -> Result<All, WhyNot> {
        let (lo, hi) = (self.int(lo)?, self.int(hi)?);
        let mut all = All::new();
        p.minus(&lo).split(&mut all);
        hi.minus(p).split(&mut all);
        Ok(all)
    }

    /// A condition (or its contrary) as alternatives of conjunctions.
    pub fn condition(&self, e: &Expr, negate: bool) -> Result<Any, WhyNot> {
        let ge = |a: Poly, b: &Poly| {
            let mut all = All::new();
            a.minus(b).split(&mut all);
            all
        };
        Ok(match &e.kind {
            ExprKind::Bool(b) => {
                if *b != negate {
                    vec![All::new()]
                } else {
                    Any::new()
                }
            }
            ExprKind::Not(a) => self.condition(a, !negate)?,
            ExprKind::And(list) | ExprKind::Or(list) => {
                let both = matches!(e.kind, ExprKind::And(_)) != negate;
                let mut out: Any = if both { vec![All::new()] } else { Any::new() };
                for part in list {
                    let part = self.condition(part, negate)?;
                    out = if both {
                        conjunction(&out, &part)
                    } else {
                        [out, part].concat()
                    };
                    if out.len() > MAX_ALTERNATIVES {
                        return self.refuse(e, "has too many alternatives");
                    }
                }
                out
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                let (a1, b1) = (a.plus(&Poly::one()), b.plus(&Poly::one()));
                match (op, negate) {
                    (CompareOp::Le, false) | (CompareOp::Gt, true) => vec![ge(b, &a)],
                    (CompareOp::Lt, false) | (CompareOp::Ge, true) => vec![ge(b, &a1)],
                    (CompareOp::Ge, false) | (CompareOp::Lt, true) => vec![ge(a, &b)],
                    (CompareOp::Gt, false) | (CompareOp::Le, true) => vec![ge(a, &b1)],
                    (CompareOp::Eq, false) | (CompareOp::Ne, true) => self.equal(a, b),
                    (CompareOp::Ne, false) | (CompareOp::Eq, true) => {
                        vec![ge(a.clone(), &b1), ge(b, &a1)]
                    }
                }
            }
            ExprKind::In(a, domain) => {
                let Domain::Range(lo, hi) = &**domain else {
                    return self.refuse(e, "asks for a member of a list");
                };
                let a = self.int(a)?;
                if negate {
                    let (lo, hi) = (self.int(lo)?, self.int(hi)?);
                    let one = Poly::one();
                    vec![ge(lo, &a.plus(&one)), ge(a, &hi.plus(&one))]
                } else {
                    vec![self.between(&a, lo, hi)?]
                }
            }
            _ => return self.refuse(e, "is not a condition that is understood here"),
        })
    }

    /// a = b; a product that is to be 0 has a factor that is 0.
    fn equal(&self, a: Poly, b: Poly) -> Any {
        let d = a.minus(&b);
        if let [(atoms, _)] = d.0.as_slice()
            && atoms.len() > 1
        {
            let mut atoms = atoms.clone();
            atoms.dedup();
            return atoms
                .into_iter()
                .map(|f| vec![Poly::atom(f.clone()), Poly::atom(f).scaled(&Int::from(-1))])
                .collect();
        }
        let mut all = All::new();
        d.clone().split(&mut all);
        d.scaled(&Int::from(-1)).split(&mut all);
        vec![all]
    }
}

/// Both hold.
pub(crate) fn conjunction(a: &Any, b: &Any) -> Any {
    a.iter()
        .flat_map(|x| b.iter().map(move |y| [x.as_slice(), y.as_slice()].concat()))
        .collect()
}

/// Whether `p >= 0` follows from the facts (each at least 0) and from the counters being natural numbers: with its
/// extremes taken apart it is the sum of something never negative and at most two of the facts.
pub(crate) fn follows(p: &Poly, facts: &[Poly]) -> bool {
    let Some((atoms, c)) = p.doubtful() else {
        return true;
    };
    // What is left has that term with no coefficient of this sign, so one of the facts has it with one.
    let helps = |f: &&Poly| {
        let mut terms = f.0.iter();
        terms.any(|(other, d)| other == atoms && d.is_negative() == c.is_negative())
    };
    let plain = facts.iter().filter(helps).any(|f| {
        let rest = p.minus(f);
        rest.nonnegative() || facts.iter().any(|g| rest.minus(g).nonnegative())
    });
    plain
        || p.extremes().next().is_some_and(|(cases, every)| {
            if every {
                cases.iter().all(|case| follows(case, facts))
            } else {
                cases.iter().any(|case| follows(case, facts))
            }
        })
}

/// A polynomial compiled for machine words.
pub(crate) enum WordCode {
    Var(usize),
    /// Constants and products.
    Sum(i64, Vec<(i64, Vec<WordCode>)>),
    Div(Box<WordCode>, i64),
    Mod(Box<WordCode>, i64),
    Isqrt(Box<WordCode>),
    Abs(Box<WordCode>),
    Gcd(Box<WordCode>, Box<WordCode>),
    Xor(Box<WordCode>, Box<WordCode>),
    Min(Vec<WordCode>),
    Max(Vec<WordCode>),
    If(Vec<Vec<WordCode>>, Box<WordCode>, Box<WordCode>),
}

impl WordCode {
    /// `None` if a number in it does not fit in a word.
    pub fn of(p: &Poly) -> Option<WordCode> {
        let mut constant = 0;
        let mut terms = Vec::new();
        for (atoms, c) in &p.0 {
            let c = c.to_i64()?;
            if atoms.is_empty() {
                constant = c;
            } else {
                terms.push((
                    c,
                    atoms.iter().map(WordCode::of_atom).collect::<Option<_>>()?,
                ));
            }
        }
        Some(WordCode::Sum(constant, terms))
    }

    fn of_atom(a: &Atom) -> Option<WordCode> {
        let one = |p: &Poly| WordCode::of(p).map(Box::new);
        let list = |ps: &[Poly]| ps.iter().map(WordCode::of).collect::<Option<Vec<_>>>();
        Some(match a {
            Atom::Var(v) => WordCode::Var(*v),
            Atom::Div(p, by) => WordCode::Div(one(p)?, by.to_i64()?),
            Atom::Mod(p, by) => WordCode::Mod(one(p)?, by.to_i64()?),
            Atom::Isqrt(p) => WordCode::Isqrt(one(p)?),
            Atom::Abs(p) => WordCode::Abs(one(p)?),
            Atom::Min(ps) => WordCode::Min(list(ps)?),
            Atom::Max(ps) => WordCode::Max(list(ps)?),
            Atom::Gcd(a, b) => WordCode::Gcd(one(a)?, one(b)?),
            Atom::Xor(a, b) => WordCode::Xor(one(a)?, one(b)?),
            Atom::If(when, a, b) => {
                let when = when.iter().map(|all| list(all)).collect::<Option<_>>()?;
                WordCode::If(when, one(a)?, one(b)?)
            }
        })
    }

    /// Whether all are at least 0.
    pub fn hold(all: &[WordCode], vars: &[i64]) -> Option<bool> {
        let mut met = true;
        for code in all {
            met &= code.run(vars)? >= 0;
        }
        Some(met)
    }

    /// Its value, if it and all on the way to it fit in a word.
    pub fn run(&self, vars: &[i64]) -> Option<i64> {
        Some(match self {
            WordCode::Var(v) => vars[*v],
            WordCode::Sum(constant, terms) => {
                let mut sum = *constant;
                for (c, factors) in terms {
                    let mut term = *c;
                    for factor in factors {
                        term = term.checked_mul(factor.run(vars)?)?;
                    }
                    sum = sum.checked_add(term)?;
                }
                sum
            }
            // The divisor is positive.
            WordCode::Div(p, by) => p.run(vars)?.checked_div_euclid(*by)?,
            WordCode::Mod(p, by) => p.run(vars)?.checked_rem_euclid(*by)?,
            WordCode::Isqrt(p) => p.run(vars)?.checked_isqrt()?,
            WordCode::Abs(p) => p.run(vars)?.checked_abs()?,
            WordCode::Gcd(a, b) => {
                let gcd = a
                    .run(vars)?
                    .unsigned_abs()
                    .gcd(&b.run(vars)?.unsigned_abs());
                i64::try_from(gcd).ok()?
            }
            WordCode::Xor(a, b) => a.run(vars)? ^ b.run(vars)?,
            WordCode::If(when, a, b) => {
                let mut met = false;
                for all in when {
                    met |= WordCode::hold(all, vars)?;
                }
                (if met { a } else { b }).run(vars)?
            }
            WordCode::Min(list) => list
                .iter()
                .try_fold(i64::MAX, |least, p| Some(least.min(p.run(vars)?)))?,
            WordCode::Max(list) => list
                .iter()
                .try_fold(i64::MIN, |most, p| Some(most.max(p.run(vars)?)))?,
        })
    }
}
