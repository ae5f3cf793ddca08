//! Types while they are being found: unification with a set of possible forms for each unknown.

use crate::ir::Type;

/// The forms that an unknown type may take, one bit each.
pub(super) mod form {
    pub const INT: u8 = 1;
    pub const BOOL: u8 = 2;
    pub const CHAR: u8 = 4;
    pub const LIST: u8 = 8;
    pub const TUPLE: u8 = 16;
    pub const UNORDERED: u8 = 32;
    pub const MULTISET: u8 = 64;
    pub const SET: u8 = 128;
    pub const ANY: u8 = 255;
    /// One value, not several.
    pub const ONE: u8 = INT | BOOL | CHAR;
}

/// Two types that cannot be one.
#[derive(Debug)]
pub(super) struct Clash;

#[derive(Clone, Debug)]
enum Unknown {
    Bound(Type),
    Free {
        forms: u8,
        element: Option<Type>,
        arity: Option<usize>,
    },
}

/// How many nodes a type may have. Tuples of tuples over names (`b == (a, a)`, `c == (b, b)`, …) double with each name; no
/// rule that a person writes comes near the bound.
const LARGEST: usize = 2000;

#[derive(Debug, Default)]
pub(super) struct Types {
    unknowns: Vec<Unknown>,
    /// How many unknowns lead to each, itself counted. The lighter of two is bound to the heavier, so that no chain is longer
    /// than the logarithm of their number, however many moves speak of one position.
    weights: Vec<u32>,
    /// Steps left for the unification at hand.
    fuel: usize,
}

impl Types {
    pub fn fresh(&mut self, forms: u8) -> Type {
        self.push(Unknown::Free {
            forms,
            element: None,
            arity: None,
        })
    }

    /// A list, set or the like of `element`.
    pub fn container(&mut self, forms: u8, element: Type) -> Type {
        self.push(Unknown::Free {
            forms,
            element: Some(element),
            arity: None,
        })
    }

    /// What `{…}` with this many members may be.
    pub fn brace(&mut self, element: Type, arity: usize) -> Type {
        let forms = form::UNORDERED | form::MULTISET | form::SET;
        self.push(Unknown::Free {
            forms,
            element: Some(element),
            arity: Some(arity),
        })
    }

    fn push(&mut self, unknown: Unknown) -> Type {
        self.unknowns.push(unknown);
        self.weights.push(1);
        Type::Unknown(self.unknowns.len() as u32 - 1)
    }

    /// The type as far as it is known, without looking inside.
    pub fn head(&self, ty: &Type) -> Type {
        let mut ty = ty;
        while let Type::Unknown(i) = ty {
            match &self.unknowns[*i as usize] {
                Unknown::Bound(t) => ty = t,
                Unknown::Free { .. } => break,
            }
        }
        ty.clone()
    }

    /// Whether it may be one value still.
    pub fn may_be_one(&self, ty: &Type) -> bool {
        self.forms(ty) & form::ONE != 0
    }

    /// Whether it is known to be one value, or to be several.
    pub fn is_told(&self, ty: &Type) -> bool {
        let forms = self.forms(ty);
        forms & form::ONE == 0 || forms & !form::ONE == 0
    }

    fn forms(&self, ty: &Type) -> u8 {
        match self.head(ty) {
            Type::Unknown(i) => match self.unknowns[i as usize] {
                Unknown::Free { forms, .. } => forms,
                Unknown::Bound(_) => unreachable!("a head is free"),
            },
            Type::Int | Type::Bool | Type::Char => form::ONE,
            _ => !form::ONE,
        }
    }

    pub fn unify(&mut self, a: &Type, b: &Type) -> Result<(), Clash> {
        self.fuel = 2 * LARGEST;
        self.join(a, b)
    }

    /// Whether these types together have at most [`LARGEST`] nodes, names followed.
    pub fn are_small<'t>(&self, types: impl IntoIterator<Item = &'t Type>) -> bool {
        let mut fuel = LARGEST;
        !types
            .into_iter()
            .any(|t| self.search(u32::MAX, t, &mut fuel))
    }

    /// Whether each type is small enough to be written out.
    pub fn all_small(&self) -> bool {
        (0..self.unknowns.len()).all(|i| self.are_small([&Type::Unknown(i as u32)]))
    }

    fn join(&mut self, a: &Type, b: &Type) -> Result<(), Clash> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Clash)?;
        let (a, b) = (self.head(a), self.head(b));
        match (&a, &b) {
            (Type::Unknown(i), Type::Unknown(j)) if i == j => Ok(()),
            (Type::Unknown(i), Type::Unknown(j)) => {
                let (
                    Unknown::Free {
                        forms: f,
                        element: e,
                        arity: n,
                    },
                    Unknown::Free {
                        forms: g,
                        element: d,
                        arity: m,
                    },
                ) = (
                    self.unknowns[*i as usize].clone(),
                    self.unknowns[*j as usize].clone(),
                )
                else {
                    unreachable!("a head is free");
                };
                if f & g == 0 || (n.is_some() && m.is_some() && n != m && f & g == form::UNORDERED)
                {
                    return Err(Clash);
                }
                // A container among its own elements would be an endless type.
                if e.as_ref().is_some_and(|e| self.occurs(*j, e))
                    || d.as_ref().is_some_and(|d| self.occurs(*i, d))
                {
                    return Err(Clash);
                }
                if let (Some(e), Some(d)) = (&e, &d) {
                    self.join(e, d)?;
                }
                let (i, j) = (*i as usize, *j as usize);
                let weight = self.weights[i].saturating_add(self.weights[j]);
                let (root, leaf) = if self.weights[i] > self.weights[j] {
                    (i, j)
                } else {
                    (j, i)
                };
                self.unknowns[root] = Unknown::Free {
                    forms: f & g,
                    element: e.or(d),
                    arity: n.or(m),
                };
                self.weights[root] = weight;
                self.unknowns[leaf] = Unknown::Bound(Type::Unknown(root as u32));
                Ok(())
            }
            (Type::Unknown(i), known) | (known, Type::Unknown(i)) => {
                let Unknown::Free {
                    forms,
                    element,
                    arity,
                } = self.unknowns[*i as usize].clone()
                else {
                    unreachable!("a head is free");
                };
                let (bit, inner) = match known {
                    Type::Int => (form::INT, None),
                    Type::Bool => (form::BOOL, None),
                    Type::Char => (form::CHAR, None),
                    Type::Tuple(_) => (form::TUPLE, None),
                    Type::List(t) => (form::LIST, Some(&**t)),
                    Type::Unordered(_, t) => (form::UNORDERED, Some(&**t)),
                    Type::Multiset(t) => (form::MULTISET, Some(&**t)),
                    Type::Set(t) => (form::SET, Some(&**t)),
                    Type::Unknown(_) => unreachable!("matched above"),
                };
                if forms & bit == 0 || self.occurs(*i, known) {
                    return Err(Clash);
                }
                if let (Type::Unordered(n, _), Some(m)) = (known, arity)
                    && *n != m
                {
                    return Err(Clash);
                }
                if let (Some(e), Some(t)) = (&element, inner) {
                    self.join(e, t)?;
                }
                self.unknowns[*i as usize] = Unknown::Bound(known.clone());
                Ok(())
            }
            (Type::List(x), Type::List(y))
            | (Type::Set(x), Type::Set(y))
            | (Type::Multiset(x), Type::Multiset(y)) => self.join(x, y),
            (Type::Unordered(n, x), Type::Unordered(m, y)) if n == m => self.join(x, y),
            (Type::Tuple(xs), Type::Tuple(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys).try_for_each(|(x, y)| self.join(x, y))
            }
            (x, y) if x == y => Ok(()),
            _ => Err(Clash),
        }
    }

    /// Whether the unknown is in the type, or the type is too large to say.
    fn occurs(&self, i: u32, ty: &Type) -> bool {
        self.search(i, ty, &mut { LARGEST })
    }

    fn search(&self, i: u32, ty: &Type, fuel: &mut usize) -> bool {
        let Some(left) = fuel.checked_sub(1) else {
            return true;
        };
        *fuel = left;
        match self.head(ty) {
            Type::Unknown(j) => {
                let Unknown::Free { element, .. } = &self.unknowns[j as usize] else {
                    return false;
                };
                i == j || element.as_ref().is_some_and(|e| self.search(i, e, fuel))
            }
            Type::List(t) | Type::Set(t) | Type::Multiset(t) | Type::Unordered(_, t) => {
                self.search(i, &t, fuel)
            }
            Type::Tuple(ts) => ts.iter().any(|t| self.search(i, t, fuel)),
            Type::Int | Type::Bool | Type::Char => false,
        }
    }

    /// The type with every unknown settled: what nothing tells is a number, a list before a set.
    pub fn settle(&self, ty: &Type) -> Type {
        match self.head(ty) {
            Type::Unknown(i) => {
                let Unknown::Free {
                    forms,
                    element,
                    arity,
                } = &self.unknowns[i as usize]
                else {
                    unreachable!("a head is free")
                };
                let inner = || Box::new(element.as_ref().map_or(Type::Int, |e| self.settle(e)));
                match forms {
                    f if f & form::INT != 0 => Type::Int,
                    f if f & form::CHAR != 0 => Type::Char,
                    f if f & form::LIST != 0 => Type::List(inner()),
                    f if f & form::SET != 0 => Type::Set(inner()),
                    f if f & form::MULTISET != 0 => Type::Multiset(inner()),
                    f if f & form::UNORDERED != 0 => Type::Unordered(arity.unwrap_or(2), inner()),
                    _ => Type::Bool,
                }
            }
            Type::List(t) => Type::List(Box::new(self.settle(&t))),
            Type::Set(t) => Type::Set(Box::new(self.settle(&t))),
            Type::Multiset(t) => Type::Multiset(Box::new(self.settle(&t))),
            Type::Unordered(n, t) => Type::Unordered(n, Box::new(self.settle(&t))),
            Type::Tuple(ts) => Type::Tuple(ts.iter().map(|t| self.settle(t)).collect()),
            known => known,
        }
    }

    /// The type in words, for messages.
    pub fn describe(&self, ty: &Type) -> String {
        if !self.are_small([ty]) {
            return "something of a very large type".to_owned();
        }
        describe(&self.settle_for_words(ty))
    }

    fn settle_for_words(&self, ty: &Type) -> Type {
        if let Type::Unknown(i) = self.head(ty)
            && let Unknown::Free { forms, .. } = &self.unknowns[i as usize]
            && forms & form::INT == 0
            && forms & form::CHAR != 0
            && forms & form::LIST != 0
        {
            return Type::List(Box::new(Type::Char));
        }
        self.settle(ty)
    }
}

/// A type in words: `a number`, `a list of numbers`.
pub fn describe(ty: &Type) -> String {
    fn plural(ty: &Type) -> String {
        match ty {
            Type::Int => "numbers".to_owned(),
            Type::Bool => "conditions".to_owned(),
            Type::Char => "characters".to_owned(),
            other => {
                let one = describe(other);
                let one = one
                    .strip_prefix("a ")
                    .or_else(|| one.strip_prefix("an "))
                    .unwrap_or(&one);
                let (head, tail) = one.split_once(' ').unwrap_or((one, ""));
                if tail.is_empty() {
                    format!("{head}s")
                } else {
                    format!("{head}s {tail}")
                }
            }
        }
    }
    match ty {
        Type::Int => "a number".to_owned(),
        Type::Bool => "a condition".to_owned(),
        Type::Char => "a character".to_owned(),
        Type::List(t) if **t == Type::Char => "a string".to_owned(),
        Type::List(t) => format!("a list of {}", plural(t)),
        Type::Set(t) => format!("a set of {}", plural(t)),
        Type::Multiset(t) => format!("a multiset of {}", plural(t)),
        Type::Unordered(n, t) => format!("a tuple {{…}} of {n} {}", plural(t)),
        Type::Tuple(ts) if ts.len() > 4 => format!("a tuple of {} members", ts.len()),
        Type::Tuple(ts) => {
            let members: Vec<String> = ts.iter().map(describe).collect();
            format!("a tuple ({})", members.join(", "))
        }
        Type::Unknown(_) => "something".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_many_moves_say_of_one_position_is_found_in_few_steps() {
        let mut types = Types::default();
        let position = types.fresh(form::ANY);
        for _ in 0..20_000 {
            let other = types.fresh(form::ANY);
            types.unify(&position, &other).expect("nothing is known");
        }
        let depth = |i: u32| {
            let (mut ty, mut steps) = (&Type::Unknown(i), 0);
            while let Type::Unknown(i) = ty
                && let Unknown::Bound(next) = &types.unknowns[*i as usize]
            {
                (ty, steps) = (next, steps + 1);
            }
            steps
        };
        let deepest = (0..types.unknowns.len() as u32).map(depth).max();
        assert!(deepest.is_some_and(|d| d <= 15), "{deepest:?}");
    }
}
