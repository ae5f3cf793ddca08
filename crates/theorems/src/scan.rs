//! Reading checked expressions: what they mention, whether they are the same, their linear form, and their value on
//! machine words. Shared by the recognisers that must understand bounds and guards instead of running them.
//!
//! Nothing here guesses: whatever does not fit (a number past a word, an index outside its list, a construct that is
//! not about numbers) is `None`, and the recogniser then refuses. Cost: linear in the size of the expression.

use std::borrow::Cow;

use grundy_core::Int;
use grundy_lang::ir::{
    BinaryOp, BraceItem, Clause, CompareOp, Domain, Expr, ExprKind, Fold, Function, Slot, Type,
};
use grundy_lang::value::Value;

/// Whether `test` says yes to the expression or to something inside it; `Some` decides without looking further down.
pub(crate) fn any(expr: &Expr, test: &mut dyn FnMut(&Expr) -> Option<bool>) -> bool {
    if let Some(answer) = test(expr) {
        return answer;
    }
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Char(_)
        | ExprKind::Str(_)
        | ExprKind::Slot(_) => false,
        ExprKind::Neg(a) | ExprKind::Not(a) | ExprKind::Convert(a) => any(a, test),
        ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::Index(a, b) => {
            any(a, test) || any(b, test)
        }
        ExprKind::If(a, b, c) | ExprKind::Slice(a, b, c) => {
            any(a, test) || any(b, test) || any(c, test)
        }
        ExprKind::And(list)
        | ExprKind::Or(list)
        | ExprKind::Call(_, list)
        | ExprKind::List(list)
        | ExprKind::Tuple(list)
        | ExprKind::Format(list) => list.iter().any(|e| any(e, test)),
        ExprKind::In(e, domain) => any(e, test) || any_domain(domain, test),
        ExprKind::Fold(_, e, clauses) => {
            any(e, test) || clauses.iter().any(|c| any_clause(c, test))
        }
        ExprKind::Brace(items) => items.iter().any(|item| match item {
            BraceItem::Member(e) | BraceItem::Spread(e) => any(e, test),
        }),
        ExprKind::With(base, updates) => {
            any(base, test)
                || updates
                    .iter()
                    .any(|u| any(&u.index, test) || any(&u.value, test))
        }
    }
}

/// [`any`] over a domain.
pub(crate) fn any_domain(domain: &Domain, test: &mut dyn FnMut(&Expr) -> Option<bool>) -> bool {
    match domain {
        Domain::Range(lo, hi) => any(lo, test) || any(hi, test),
        Domain::Members(e) => any(e, test),
    }
}

/// [`any`] over a clause.
pub(crate) fn any_clause(clause: &Clause, test: &mut dyn FnMut(&Expr) -> Option<bool>) -> bool {
    match clause {
        Clause::For { domain, .. } => any_domain(domain, test),
        Clause::If(e) => any(e, test),
    }
}

/// Whether the expression reads this slot.
pub(crate) fn mentions(expr: &Expr, slot: Slot) -> bool {
    any(expr, &mut |e| match e.kind {
        ExprKind::Slot(s) => Some(s == slot),
        _ => None,
    })
}

/// Whether this is `len(slot)`.
pub(crate) fn is_len_of(expr: &Expr, slot: Slot) -> bool {
    matches!(&expr.kind, ExprKind::Call(Function::Len, args)
        if matches!(args.as_slice(), [Expr { kind: ExprKind::Slot(s), .. }] if *s == slot))
}

/// Whether the expression reads the contents of the array in this slot, that is more than its length.
pub(crate) fn reads_contents(expr: &Expr, array: Slot) -> bool {
    any(expr, &mut contents_test(array))
}

/// [`reads_contents`] for a clause.
pub(crate) fn clause_reads_contents(clause: &Clause, array: Slot) -> bool {
    any_clause(clause, &mut contents_test(array))
}

fn contents_test(array: Slot) -> impl FnMut(&Expr) -> Option<bool> {
    move |e| match &e.kind {
        _ if is_len_of(e, array) => Some(false),
        ExprKind::Slot(s) => Some(*s == array),
        _ => None,
    }
}

/// Whether the expression reads the length of the array in this slot.
pub(crate) fn reads_len(expr: &Expr, array: Slot) -> bool {
    any(expr, &mut |e| is_len_of(e, array).then_some(true))
}

/// [`reads_len`] for a clause.
pub(crate) fn clause_reads_len(clause: &Clause, array: Slot) -> bool {
    any_clause(clause, &mut |e| is_len_of(e, array).then_some(true))
}

/// The values that expressions are read under: parameters, quantifiers on machine words, and the length of one array.
#[derive(Clone, Debug)]
pub(crate) struct Env<'a> {
    params: &'a [Value],
    /// Quantifiers, by slot.
    pub vars: Vec<i64>,
    /// The array whose length may be asked for.
    pub array: Slot,
    /// Its length.
    pub len: i64,
}

impl<'a> Env<'a> {
    /// All quantifiers zero.
    pub fn new(params: &'a [Value], slots: usize, array: Slot) -> Self {
        Env {
            params,
            vars: vec![0; slots],
            array,
            len: 0,
        }
    }

    /// Whether the expression has one value under these parameters, whatever the position and the quantifiers.
    pub fn constant(&self, expr: &Expr) -> bool {
        !any(expr, &mut |e| match &e.kind {
            ExprKind::Slot(s) => Some(*s >= self.params.len()),
            ExprKind::Fold(..) => Some(true),
            _ => None,
        })
    }

    /// The value of an expression of type number.
    pub fn int(&self, expr: &Expr) -> Option<i64> {
        Some(match &expr.kind {
            ExprKind::Int(v) => v.to_i64()?,
            ExprKind::Slot(s) => match self.params.get(*s) {
                Some(v) => v.as_int()?.to_i64()?,
                None => *self.vars.get(*s)?,
            },
            ExprKind::Neg(a) => self.int(a)?.checked_neg()?,
            ExprKind::Binary(op, a, b) => {
                if expr.ty != Type::Int {
                    return None;
                }
                let (a, b) = (self.int(a)?, self.int(b)?);
                match op {
                    BinaryOp::Add => a.checked_add(b)?,
                    BinaryOp::Sub => a.checked_sub(b)?,
                    BinaryOp::Mul => a.checked_mul(b)?,
                    BinaryOp::Div => Int::from(a).div_floor(&Int::from(b))?.to_i64()?,
                    BinaryOp::Mod => Int::from(a).mod_floor(&Int::from(b))?.to_i64()?,
                    BinaryOp::Pow => a.checked_pow(u32::try_from(b).ok()?)?,
                    BinaryOp::Xor => a ^ b,
                }
            }
            ExprKind::If(c, a, b) => self.int(if self.bool(c)? { a } else { b })?,
            ExprKind::Call(Function::Len, _) if is_len_of(expr, self.array) => self.len,
            ExprKind::Call(f, args) => self.call(*f, args)?,
            ExprKind::Index(list, i) => {
                let list = self.list(list)?;
                let i = usize::try_from(self.int(i)?).ok()?;
                list.get(i)?.as_int()?.to_i64()?
            }
            _ => return None,
        })
    }

    fn call(&self, function: Function, args: &[Expr]) -> Option<i64> {
        let numbers = || -> Option<Vec<i64>> {
            match args {
                [one] if one.ty != Type::Int => self.ints(one),
                _ => args.iter().map(|a| self.int(a)).collect(),
            }
        };
        match function {
            Function::Min => numbers()?.into_iter().min(),
            Function::Max => numbers()?.into_iter().max(),
            Function::Sum => numbers()?.into_iter().try_fold(0i64, i64::checked_add),
            Function::Len => i64::try_from(self.list(args.first()?)?.len()).ok(),
            Function::Abs => self.int(args.first()?)?.checked_abs(),
            Function::Gcd => {
                let [a, b] = args else { return None };
                Int::from(self.int(a)?)
                    .gcd(&Int::from(self.int(b)?))
                    .to_i64()
            }
            Function::Isqrt => self.int(args.first()?)?.checked_isqrt(),
            _ => None,
        }
    }

    /// The value of a condition.
    pub fn bool(&self, expr: &Expr) -> Option<bool> {
        Some(match &expr.kind {
            ExprKind::Bool(b) => *b,
            ExprKind::Not(a) => !self.bool(a)?,
            ExprKind::And(list) => {
                for e in list {
                    if !self.bool(e)? {
                        return Some(false);
                    }
                }
                true
            }
            ExprKind::Or(list) => {
                for e in list {
                    if self.bool(e)? {
                        return Some(true);
                    }
                }
                false
            }
            ExprKind::Compare(op, a, b) if a.ty == Type::Int && b.ty == Type::Int => {
                compare(*op, self.int(a)?, self.int(b)?)
            }
            ExprKind::Compare(CompareOp::Eq, a, b) if a.ty == Type::Bool => {
                self.bool(a)? == self.bool(b)?
            }
            ExprKind::Compare(CompareOp::Ne, a, b) if a.ty == Type::Bool => {
                self.bool(a)? != self.bool(b)?
            }
            ExprKind::If(c, a, b) => self.bool(if self.bool(c)? { a } else { b })?,
            ExprKind::In(e, domain) => {
                let v = self.int(e)?;
                match &**domain {
                    Domain::Range(lo, hi) => self.int(lo)? <= v && v <= self.int(hi)?,
                    Domain::Members(list) => self.ints(list)?.contains(&v),
                }
            }
            _ => return None,
        })
    }

    /// The members of a list that parameters give, or that is written out.
    pub fn list(&self, expr: &Expr) -> Option<Cow<'a, [Value]>> {
        Some(match &expr.kind {
            ExprKind::Slot(s) => Cow::Borrowed(self.params.get(*s)?.as_seq()?),
            ExprKind::Index(list, i) => {
                let i = usize::try_from(self.int(i)?).ok()?;
                match self.list(list)? {
                    Cow::Borrowed(list) => Cow::Borrowed(list.get(i)?.as_seq()?),
                    Cow::Owned(list) => Cow::Owned(list.get(i)?.as_seq()?.to_vec()),
                }
            }
            ExprKind::List(members) => Cow::Owned(
                members
                    .iter()
                    .map(|e| self.value(e))
                    .collect::<Option<_>>()?,
            ),
            ExprKind::Brace(items) => {
                let mut out = Vec::new();
                for item in items {
                    match item {
                        BraceItem::Member(e) => out.push(self.value(e)?),
                        BraceItem::Spread(e) => out.extend(self.list(e)?.iter().cloned()),
                    }
                }
                Cow::Owned(out)
            }
            ExprKind::Convert(e) => self.list(e)?,
            ExprKind::Fold(Fold::List, ..) => return None,
            _ => return None,
        })
    }

    fn value(&self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Tuple(members) if matches!(expr.ty, Type::Tuple(_)) => Some(Value::seq(
                members
                    .iter()
                    .map(|e| self.value(e))
                    .collect::<Option<Vec<_>>>()?,
            )),
            _ if expr.ty == Type::Int => self.int(expr).map(Value::from),
            _ => self
                .list(expr)
                .map(|list| Value::Seq(list.into_owned().into())),
        }
    }

    fn ints(&self, expr: &Expr) -> Option<Vec<i64>> {
        self.list(expr)?
            .iter()
            .map(|v| v.as_int()?.to_i64())
            .collect()
    }

    /// The expression as a constant and multiples of things that are not constant.
    pub fn affine<'e>(&self, expr: &'e Expr) -> Option<Affine<'e>> {
        if self.constant(expr) {
            return self.int(expr).map(Affine::constant);
        }
        let atom = match &expr.kind {
            ExprKind::Slot(s) => Atom::Slot(*s),
            ExprKind::Neg(a) => return self.affine(a)?.scaled(-1),
            ExprKind::Binary(BinaryOp::Add, a, b) => {
                return self.affine(a)?.plus(&self.affine(b)?, 1, self);
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) => {
                return self.affine(a)?.plus(&self.affine(b)?, -1, self);
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) if self.constant(a) => {
                return self.affine(b)?.scaled(self.int(a)?);
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) if self.constant(b) => {
                return self.affine(a)?.scaled(self.int(b)?);
            }
            _ if is_len_of(expr, self.array) => Atom::Len,
            _ => Atom::Opaque(expr),
        };
        Some(Affine {
            constant: 0,
            terms: vec![(atom, 1)],
        })
    }

    /// Whether two numbers are equal because their linear forms are.
    pub fn same(&self, a: &Expr, b: &Expr) -> bool {
        if a.ty != b.ty {
            return false;
        }
        if a.ty == Type::Int {
            return self
                .affine(a)
                .zip(self.affine(b))
                .and_then(|(a, b)| a.plus(&b, -1, self))
                .is_some_and(|d| d.as_constant() == Some(0));
        }
        self.alike(a, b)
    }

    // The same construct of the same parts.
    fn alike(&self, a: &Expr, b: &Expr) -> bool {
        let all = |x: &[Expr], y: &[Expr]| {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| self.same(x, y))
        };
        match (&a.kind, &b.kind) {
            (ExprKind::Slot(x), ExprKind::Slot(y)) => x == y,
            (ExprKind::Bool(x), ExprKind::Bool(y)) => x == y,
            (ExprKind::Int(x), ExprKind::Int(y)) => x == y,
            (ExprKind::Not(x), ExprKind::Not(y)) => self.same(x, y),
            (ExprKind::Binary(f, x, y), ExprKind::Binary(g, z, w)) => {
                f == g && self.same(x, z) && self.same(y, w)
            }
            (ExprKind::Compare(f, x, y), ExprKind::Compare(g, z, w)) => {
                f == g && self.same(x, z) && self.same(y, w)
            }
            (ExprKind::Index(x, y), ExprKind::Index(z, w)) => self.same(x, z) && self.same(y, w),
            (ExprKind::If(x, y, z), ExprKind::If(u, v, w)) => {
                self.same(x, u) && self.same(y, v) && self.same(z, w)
            }
            (ExprKind::Call(f, x), ExprKind::Call(g, y)) => f == g && all(x, y),
            (ExprKind::And(x), ExprKind::And(y)) | (ExprKind::Or(x), ExprKind::Or(y)) => all(x, y),
            _ => false,
        }
    }
}

/// A comparison of two numbers.
pub(crate) fn compare(op: CompareOp, a: i64, b: i64) -> bool {
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::Lt => a < b,
        CompareOp::Le => a <= b,
        CompareOp::Gt => a > b,
        CompareOp::Ge => a >= b,
    }
}

/// The comparison that holds exactly where this one does not.
pub(crate) fn negated(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::Ne,
        CompareOp::Ne => CompareOp::Eq,
        CompareOp::Lt => CompareOp::Ge,
        CompareOp::Le => CompareOp::Gt,
        CompareOp::Gt => CompareOp::Le,
        CompareOp::Ge => CompareOp::Lt,
    }
}

/// Something that is not constant in a linear form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Atom<'e> {
    /// A quantifier.
    Slot(Slot),
    /// The length of the array.
    Len,
    /// Anything else, as a whole.
    Opaque(&'e Expr),
}

/// A constant and multiples of atoms, no two the same, no multiple zero.
#[derive(Clone, Debug)]
pub(crate) struct Affine<'e> {
    /// The constant.
    pub constant: i64,
    /// The multiples.
    pub terms: Vec<(Atom<'e>, i64)>,
}

impl<'e> Affine<'e> {
    /// Only a constant.
    pub fn constant(constant: i64) -> Self {
        Affine {
            constant,
            terms: Vec::new(),
        }
    }

    /// The constant if there is nothing else.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The multiple of a quantifier.
    pub fn of_slot(&self, slot: Slot) -> i64 {
        self.terms
            .iter()
            .find_map(|(a, c)| matches!(a, Atom::Slot(s) if *s == slot).then_some(*c))
            .unwrap_or(0)
    }

    /// Without the multiple of a quantifier.
    pub fn without_slot(mut self, slot: Slot) -> Self {
        self.terms
            .retain(|(a, _)| !matches!(a, Atom::Slot(s) if *s == slot));
        self
    }

    /// Times a number.
    pub fn scaled(mut self, by: i64) -> Option<Self> {
        self.constant = self.constant.checked_mul(by)?;
        for (_, c) in &mut self.terms {
            *c = c.checked_mul(by)?;
        }
        self.terms.retain(|(_, c)| *c != 0);
        Some(self)
    }

    /// Plus `times` the other.
    pub fn plus(mut self, other: &Affine<'e>, times: i64, env: &Env<'_>) -> Option<Self> {
        self.constant = self
            .constant
            .checked_add(other.constant.checked_mul(times)?)?;
        for (atom, c) in &other.terms {
            let c = c.checked_mul(times)?;
            let same = |mine: &Atom<'e>| match (mine, atom) {
                (Atom::Slot(a), Atom::Slot(b)) => a == b,
                (Atom::Len, Atom::Len) => true,
                (Atom::Opaque(a), Atom::Opaque(b)) => env.alike(a, b),
                _ => false,
            };
            match self.terms.iter_mut().find(|(mine, _)| same(mine)) {
                Some((_, mine)) => *mine = mine.checked_add(c)?,
                None => self.terms.push((*atom, c)),
            }
        }
        self.terms.retain(|(_, c)| *c != 0);
        Some(self)
    }
}
