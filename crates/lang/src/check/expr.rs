//! Expressions and clauses: names to slots, operators to types.

use std::collections::HashSet;

use crate::ast::{self, BinaryOp, CompareOp, Span, UpdateOp};
use crate::diag::Code;
use crate::ir::{BraceItem, Clause, Domain, Expr, ExprKind, Fold, Function, Slot, Type, Update};
use crate::suggest::nearest;

use super::types::form;
use super::{Checker, Place};

const FUNCTIONS: &[(&str, Function, std::ops::RangeInclusive<usize>)] = &[
    ("min", Function::Min, 1..=usize::MAX),
    ("max", Function::Max, 1..=usize::MAX),
    ("len", Function::Len, 1..=1),
    ("sorted", Function::Sorted, 1..=1),
    ("reversed", Function::Reversed, 1..=1),
    ("gcd", Function::Gcd, 2..=2),
    ("abs", Function::Abs, 1..=1),
    ("isqrt", Function::Isqrt, 1..=1),
    ("sum", Function::Sum, 1..=1),
    ("distinct", Function::Distinct, 1..=1),
    ("digits", Function::Digits, 1..=1),
    ("number", Function::Number, 1..=1),
];

const FOLDS: &[(&str, Fold)] = &[
    ("sum", Fold::Sum),
    ("min", Fold::Min),
    ("max", Fold::Max),
    ("all", Fold::All),
    ("any", Fold::Any),
    ("count", Fold::Count),
    ("set", Fold::Set),
];

impl Checker<'_> {
    pub(super) fn number(&mut self, e: &ast::Expr) -> Expr {
        self.of_type(e, &Type::Int)
    }

    pub(super) fn condition(&mut self, e: &ast::Expr) -> Expr {
        self.of_type(e, &Type::Bool)
    }

    fn of_type(&mut self, e: &ast::Expr, want: &Type) -> Expr {
        let expr = self.expr(e);
        self.unify(&expr, want);
        expr
    }

    fn unify(&mut self, expr: &Expr, want: &Type) -> bool {
        let slot = match expr.kind {
            ExprKind::Slot(slot) => Some(slot),
            _ => None,
        };
        let open = slot.is_some_and(|s| !self.told.contains_key(&s));
        if self.types.unify(&expr.ty, want).is_ok() {
            if open && self.types.is_told(&expr.ty) {
                self.told
                    .insert(slot.expect("a name"), (expr.span, Code::Type));
            }
            return true;
        }
        let (want_text, got) = (self.types.describe(want), self.types.describe(&expr.ty));
        // What is needed here may be the type of a name beside it, as in `n - k` where `n` is a list elsewhere.
        let beside = self.told_by(want);
        let itself = slot.and_then(|slot| self.told.get(&slot).map(|at| (slot, *at)));
        let Some((name, (at, code))) = beside.or(itself) else {
            self.error(
                Code::Type,
                expr.span,
                format!("{want_text} is needed here"),
                format!("this is {got}"),
            );
            self.help(remedy(&want_text));
            return false;
        };
        if !self.torn.insert(name) {
            return false;
        }
        let text = self.slot_name(name).to_owned();
        let (message, label, other) = if beside.is_some() {
            (
                format!("`{text}` is used as {got} and as a list or a set"),
                format!("this is {got}, so `{text}` would be one too"),
                format!("this makes `{text}` a list or a set"),
            )
        } else {
            (
                format!("`{text}` is used as {want_text} and as {got}"),
                format!("{want_text} is needed here"),
                format!("this makes `{text}` {got}"),
            )
        };
        self.error(code, expr.span, message, label)
            .labels
            .push((at, other));
        self.help(if code == Code::Shape {
            "all moves start from positions of one shape: write the pattern as the first move does"
        } else {
            "a name means one thing in all of a game: give the list and the number a name each (of a list `x` the elements \
             are `x[i]`, their number is `len(x)`)"
        });
        false
    }

    /// A name whose open type this is, and what told it.
    fn told_by(&self, want: &Type) -> Option<(Slot, (Span, Code))> {
        let want = self.types.head(want);
        if !matches!(want, Type::Unknown(_)) || self.types.may_be_one(&want) {
            return None;
        }
        let same = |slot: Slot| self.types.head(self.slot_type(slot)) == want;
        self.told
            .iter()
            .filter(|(slot, _)| same(**slot))
            .map(|(slot, at)| (*slot, *at))
            .min_by_key(|(slot, _)| *slot)
    }

    fn slot_type(&self, slot: Slot) -> &Type {
        match slot.checked_sub(super::LOCAL) {
            Some(local) => &self.locals[local].ty,
            None => &self.vars[slot].ty,
        }
    }

    fn slot_name(&self, slot: Slot) -> &str {
        match slot.checked_sub(super::LOCAL) {
            Some(local) => &self.locals[local].name,
            None => &self.vars[slot].name,
        }
    }

    fn unknown_type(&mut self) -> Type {
        self.types.fresh(form::ANY)
    }

    pub(super) fn expr(&mut self, e: &ast::Expr) -> Expr {
        let span = e.span;
        let (kind, ty) = match &e.kind {
            ast::ExprKind::Int(v) => (ExprKind::Int(v.clone()), Type::Int),
            ast::ExprKind::Bool(v) => (ExprKind::Bool(*v), Type::Bool),
            ast::ExprKind::Str(text) if self.place == Place::Output => self.format(text, span),
            ast::ExprKind::Str(text) => {
                let string = Type::List(Box::new(Type::Char));
                let ty = if text.chars().count() == 1 {
                    self.types.container(form::CHAR | form::LIST, Type::Char)
                } else {
                    string
                };
                (ExprKind::Str(text.clone()), ty)
            }
            ast::ExprKind::Name(name) => {
                let (slot, ty) = self.name(name, span);
                (ExprKind::Slot(slot), ty)
            }
            ast::ExprKind::Neg(a) => (ExprKind::Neg(Box::new(self.number(a))), Type::Int),
            ast::ExprKind::Not(a) => (ExprKind::Not(Box::new(self.condition(a))), Type::Bool),
            ast::ExprKind::And(a, b) => (self.flatten(a, b, true), Type::Bool),
            ast::ExprKind::Or(a, b) => (self.flatten(a, b, false), Type::Bool),
            ast::ExprKind::IfElse(value, condition, otherwise) => {
                let condition = self.condition(condition);
                let value = self.expr(value);
                let otherwise = self.of_type(otherwise, &value.ty.clone());
                let ty = value.ty.clone();
                (
                    ExprKind::If(Box::new(condition), Box::new(value), Box::new(otherwise)),
                    ty,
                )
            }
            ast::ExprKind::Compare(first, rest) => self.compare(first, rest),
            ast::ExprKind::In {
                member,
                domain,
                negated,
            } => {
                let member = self.expr(member);
                let domain = self.domain(domain, &member.ty.clone());
                let test = ExprKind::In(Box::new(member), Box::new(domain));
                if *negated {
                    let test = Expr {
                        kind: test,
                        ty: Type::Bool,
                        span,
                    };
                    (ExprKind::Not(Box::new(test)), Type::Bool)
                } else {
                    (test, Type::Bool)
                }
            }
            ast::ExprKind::Binary(op, a, b) => {
                let forms = match op {
                    BinaryOp::Add => form::INT | form::LIST | form::SET,
                    BinaryOp::Sub | BinaryOp::Xor => form::INT | form::SET,
                    BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod | BinaryOp::Pow => form::INT,
                };
                let ty = self.types.fresh(forms);
                let (a, b) = (self.expr(a), self.expr(b));
                // What went wrong says nothing of the type of the whole.
                let fits = self.unify(&a, &ty) && self.unify(&b, &ty);
                let ty = if fits { ty } else { self.unknown_type() };
                (ExprKind::Binary(*op, Box::new(a), Box::new(b)), ty)
            }
            ast::ExprKind::Index(list, index) => {
                let element = self.unknown_type();
                let list = self.of_type(list, &Type::List(Box::new(element.clone())));
                (
                    ExprKind::Index(Box::new(list), Box::new(self.number(index))),
                    element,
                )
            }
            ast::ExprKind::Slice(list, lo, hi) => {
                let ty = Type::List(Box::new(self.unknown_type()));
                let list = self.of_type(list, &ty);
                (
                    ExprKind::Slice(
                        Box::new(list),
                        Box::new(self.number(lo)),
                        Box::new(self.number(hi)),
                    ),
                    ty,
                )
            }
            ast::ExprKind::List(items) => match &items[..] {
                [
                    ast::Expr {
                        kind: ast::ExprKind::Comprehension(body, clauses),
                        ..
                    },
                ] => {
                    let (body, clauses) = self.comprehension(body, clauses);
                    let ty = Type::List(Box::new(body.ty.clone()));
                    (ExprKind::Fold(Fold::List, Box::new(body), clauses), ty)
                }
                _ => {
                    let element = self.unknown_type();
                    let items = items.iter().map(|i| self.of_type(i, &element)).collect();
                    (ExprKind::List(items), Type::List(Box::new(element)))
                }
            },
            ast::ExprKind::Tuple(members) => {
                let members: Vec<Expr> = members.iter().map(|m| self.expr(m)).collect();
                if !self.types.are_small(members.iter().map(|m| &m.ty)) {
                    self.error(
                        Code::TooDeep,
                        span,
                        "a tuple of too many parts",
                        "its type is too large, tuples in it counted",
                    );
                    return Expr {
                        kind: ExprKind::Tuple(Vec::new()),
                        ty: self.unknown_type(),
                        span,
                    };
                }
                let ty = Type::Tuple(members.iter().map(|m| m.ty.clone()).collect());
                (ExprKind::Tuple(members), ty)
            }
            ast::ExprKind::Brace(items) => self.brace(items),
            ast::ExprKind::With(base, updates) => self.with(base, updates),
            ast::ExprKind::Call(name, args) => self.call(name, args, span),
            ast::ExprKind::Comprehension(body, clauses) => {
                // The parser lets one stand only in a list or a call; elsewhere it has reported the error.
                let (body, clauses) = self.comprehension(body, clauses);
                let ty = Type::List(Box::new(body.ty.clone()));
                (ExprKind::Fold(Fold::List, Box::new(body), clauses), ty)
            }
            ast::ExprKind::Error => (ExprKind::Int(grundy_core::Int::ZERO), self.unknown_type()),
        };
        Expr { kind, ty, span }
    }

    fn flatten(&mut self, a: &ast::Expr, b: &ast::Expr, and: bool) -> ExprKind {
        let mut out = Vec::new();
        for side in [self.condition(a), self.condition(b)] {
            match side.kind {
                ExprKind::And(all) if and => out.extend(all),
                ExprKind::Or(any) if !and => out.extend(any),
                _ => out.push(side),
            }
        }
        if and {
            ExprKind::And(out)
        } else {
            ExprKind::Or(out)
        }
    }

    fn compare(&mut self, first: &ast::Expr, rest: &[(CompareOp, ast::Expr)]) -> (ExprKind, Type) {
        let mut left = self.expr(first);
        let mut tests = Vec::new();
        for (op, right) in rest {
            let ordered = !matches!(op, CompareOp::Eq | CompareOp::Ne);
            if ordered {
                let ty = self.types.fresh(form::INT | form::CHAR);
                if !self.unify(&left, &ty) {
                    left.ty = self.unknown_type();
                }
            }
            let right = self.of_type(right, &left.ty.clone());
            let span = left.span.to(right.span);
            let kind = ExprKind::Compare(*op, Box::new(left), Box::new(right.clone()));
            tests.push(Expr {
                kind,
                ty: Type::Bool,
                span,
            });
            left = right;
        }
        match tests.len() {
            1 => (tests.remove(0).kind, Type::Bool),
            _ => (ExprKind::And(tests), Type::Bool),
        }
    }

    fn brace(&mut self, items: &[ast::BraceItem]) -> (ExprKind, Type) {
        let element = self.unknown_type();
        let mut out = Vec::new();
        let mut fixed = true;
        let mut rest = false;
        for item in items {
            out.push(match item {
                ast::BraceItem::Member(e) => BraceItem::Member(self.of_type(e, &element)),
                ast::BraceItem::Spread(e) => {
                    fixed = false;
                    let list = self
                        .types
                        .container(form::LIST | form::SET | form::MULTISET, element.clone());
                    BraceItem::Spread(self.of_type(e, &list))
                }
                ast::BraceItem::Rest(span) => {
                    (fixed, rest) = (false, true);
                    let list = Type::List(Box::new(element.clone()));
                    match self.rest {
                        Some(slot) => {
                            let expr = Expr {
                                kind: ExprKind::Slot(slot),
                                ty: list.clone(),
                                span: *span,
                            };
                            let ty = self.locals[slot - super::LOCAL].ty.clone();
                            self.unify(&expr, &ty);
                            BraceItem::Spread(expr)
                        }
                        None => {
                            self.error(
                                Code::UnknownName,
                                *span,
                                "`...` stands for nothing here",
                                "the pattern of this move has no `...`",
                            );
                            self.help("write the pattern as `{a, ...}`");
                            BraceItem::Spread(Expr {
                                kind: ExprKind::List(Vec::new()),
                                ty: list,
                                span: *span,
                            })
                        }
                    }
                }
            });
        }
        let ty = match (fixed, rest) {
            (true, _) => self.types.brace(element, items.len()),
            (false, true) => Type::Multiset(Box::new(element)),
            (false, false) => self.types.container(form::MULTISET | form::SET, element),
        };
        (ExprKind::Brace(out), ty)
    }

    fn with(&mut self, base: &ast::Expr, updates: &[ast::Update]) -> (ExprKind, Type) {
        let element = self.unknown_type();
        let ty = Type::List(Box::new(element.clone()));
        let base_ir = self.of_type(base, &ty);
        let updates = updates
            .iter()
            .map(|u| {
                if !matches!(&base.kind, ast::ExprKind::Name(n) if *n == u.target.name) {
                    let name = u.target.name.clone();
                    self.error(
                        Code::UnknownName,
                        u.target.span,
                        format!("`with` changes its own array, not `{name}`"),
                        "another array is changed here",
                    );
                    let base = self.source.slice(base.span).to_owned();
                    self.help(format!("write `{base} with {base}[…] = …`"));
                }
                let value = self.of_type(&u.value, &element);
                if u.op != UpdateOp::Set {
                    self.unify(&value, &Type::Int);
                }
                Update {
                    index: self.number(&u.index),
                    op: u.op,
                    value,
                }
            })
            .collect();
        (ExprKind::With(Box::new(base_ir), updates), ty)
    }

    fn call(&mut self, name: &ast::Ident, args: &[ast::Expr], span: Span) -> (ExprKind, Type) {
        if let [
            ast::Expr {
                kind: ast::ExprKind::Comprehension(body, clauses),
                ..
            },
        ] = args
            && let Some((_, fold)) = FOLDS.iter().find(|(n, _)| *n == name.name)
        {
            let (body, clauses) = self.comprehension(body, clauses);
            let (want, ty) = match fold {
                Fold::Sum | Fold::Min | Fold::Max => (Type::Int, Type::Int),
                Fold::All | Fold::Any => (Type::Bool, Type::Bool),
                Fold::Count => (Type::Bool, Type::Int),
                Fold::Set => (body.ty.clone(), Type::Set(Box::new(body.ty.clone()))),
                Fold::List => (body.ty.clone(), Type::List(Box::new(body.ty.clone()))),
            };
            self.unify(&body, &want);
            return (ExprKind::Fold(*fold, Box::new(body), clauses), ty);
        }
        let args_ir: Vec<Expr> = args.iter().map(|a| self.expr(a)).collect();
        let error = (ExprKind::Int(grundy_core::Int::ZERO), self.unknown_type());
        if name.name == "set" && args_ir.len() == 1 {
            let element = self.unknown_type();
            let list = self
                .types
                .container(form::LIST | form::SET | form::MULTISET, element.clone());
            self.unify(&args_ir[0], &list);
            let list = args_ir.into_iter().next().expect("one argument");
            return (
                ExprKind::Convert(Box::new(list)),
                Type::Set(Box::new(element)),
            );
        }
        let Some((_, function, arity)) = FUNCTIONS.iter().find(|(n, ..)| *n == name.name) else {
            if FOLDS.iter().any(|(n, _)| *n == name.name) {
                self.error(
                    Code::ArgumentCount,
                    span,
                    format!("`{}` takes a comprehension", name.name),
                    "no `for` in here",
                );
                self.help(format!(
                    "write `{}(x[i] > 0 for i in 0..len(x)-1)`",
                    name.name
                ));
                return error;
            }
            let names = FUNCTIONS
                .iter()
                .map(|(n, ..)| *n)
                .chain(FOLDS.iter().map(|(n, _)| *n));
            let near = nearest(&name.name, names.clone());
            self.error(
                Code::UnknownName,
                name.span,
                format!("unknown function `{}`", name.name),
                "not a function",
            );
            self.help(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the functions are {}", names.collect::<Vec<_>>().join(", ")),
            });
            return error;
        };
        if !arity.contains(&args_ir.len()) {
            let want = match arity.clone().into_inner() {
                (1, 1) => "one argument".to_owned(),
                (1, _) => "at least one argument".to_owned(),
                (n, _) => format!("{n} arguments"),
            };
            let label = format!("{} given", args_ir.len());
            self.error(
                Code::ArgumentCount,
                span,
                format!("`{}` takes {want}", name.name),
                label,
            );
            return error;
        }
        let element = self.unknown_type();
        let list = Type::List(Box::new(element.clone()));
        let ints = Type::List(Box::new(Type::Int));
        let ty = match function {
            Function::Min | Function::Max if args_ir.len() > 1 => {
                args_ir.iter().for_each(|a| _ = self.unify(a, &Type::Int));
                Type::Int
            }
            Function::Min | Function::Max => {
                let forms = form::LIST | form::SET | form::MULTISET;
                let container = self.types.container(forms, Type::Int);
                self.unify(&args_ir[0], &container);
                Type::Int
            }
            Function::Len | Function::Sum => {
                let forms = form::LIST | form::SET | form::MULTISET;
                let member = if *function == Function::Sum {
                    Type::Int
                } else {
                    element
                };
                let container = self.types.container(forms, member);
                self.unify(&args_ir[0], &container);
                Type::Int
            }
            Function::Sorted => {
                let forms = form::LIST | form::SET | form::MULTISET;
                let container = self.types.container(forms, element);
                self.unify(&args_ir[0], &container);
                list
            }
            Function::Reversed => {
                self.unify(&args_ir[0], &list);
                list
            }
            Function::Distinct => {
                self.unify(&args_ir[0], &list);
                Type::Bool
            }
            Function::Gcd | Function::Abs | Function::Isqrt => {
                args_ir.iter().for_each(|a| _ = self.unify(a, &Type::Int));
                Type::Int
            }
            Function::Digits => {
                self.unify(&args_ir[0], &Type::Int);
                ints
            }
            Function::Number => {
                self.unify(&args_ir[0], &ints);
                Type::Int
            }
        };
        (ExprKind::Call(*function, args_ir), ty)
    }

    /// A text of `output`: `{name}` puts a value in.
    fn format(&mut self, text: &str, span: Span) -> (ExprKind, Type) {
        let string = Type::List(Box::new(Type::Char));
        let piece = |kind, ty| Expr { kind, ty, span };
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '{' if chars.peek() == Some(&'{') => {
                    chars.next();
                    plain.push('{');
                }
                '}' => {
                    if chars.peek() == Some(&'}') {
                        chars.next();
                    }
                    plain.push('}');
                }
                '{' => {
                    let name: String = chars.by_ref().take_while(|&c| c != '}').collect();
                    if !plain.is_empty() {
                        pieces.push(piece(
                            ExprKind::Str(std::mem::take(&mut plain)),
                            string.clone(),
                        ));
                    }
                    let (slot, ty) = self.name(name.trim(), span);
                    pieces.push(piece(ExprKind::Slot(slot), ty));
                }
                c => plain.push(c),
            }
        }
        if pieces.is_empty() {
            return (ExprKind::Str(plain), string);
        }
        if !plain.is_empty() {
            pieces.push(piece(ExprKind::Str(plain), string.clone()));
        }
        (ExprKind::Format(pieces), string)
    }

    fn comprehension(&mut self, body: &ast::Expr, clauses: &[ast::Clause]) -> (Expr, Vec<Clause>) {
        let mark = self.scope.len();
        let clauses = self.clauses(clauses);
        let body = self.expr(body);
        self.scope.truncate(mark);
        (body, clauses)
    }

    pub(super) fn clauses(&mut self, clauses: &[ast::Clause]) -> Vec<Clause> {
        let mut out = Vec::new();
        for clause in clauses {
            out.push(match clause {
                ast::Clause::If(condition) => Clause::If(self.condition(condition)),
                ast::Clause::For { names, domain } => {
                    let types: Vec<Type> = names
                        .iter()
                        .map(|_| self.types.fresh(form::ANY & !form::BOOL))
                        .collect();
                    let element = if let [one] = &types[..] {
                        one.clone()
                    } else {
                        Type::Tuple(types.clone())
                    };
                    let domain = self.domain(domain, &element);
                    let slots = names
                        .iter()
                        .zip(types)
                        .map(|(n, ty)| self.bind(n, ty))
                        .collect();
                    Clause::For { slots, domain }
                }
            });
        }
        out
    }

    fn domain(&mut self, domain: &ast::Domain, element: &Type) -> Domain {
        match domain {
            ast::Domain::Members(list) => {
                let forms = form::LIST | form::SET | form::MULTISET;
                let container = self.types.container(forms, element.clone());
                Domain::Members(self.of_type(list, &container))
            }
            ast::Domain::Range(lo, hi) => {
                let lo = self.number(lo);
                if self.types.unify(element, &Type::Int).is_err() {
                    let got = self.types.describe(element);
                    self.error(
                        Code::Type,
                        lo.span,
                        "a range holds numbers",
                        format!("{got} is looked for in it"),
                    );
                }
                let Some(hi) = hi else {
                    let text = self.source.slice(lo.span).to_owned();
                    self.error(
                        Code::Unbounded,
                        lo.span,
                        "a range without an upper end",
                        "a position would have an unbounded number of options",
                    );
                    self.help(format!("give the last value too: `{text}..n`"));
                    return Domain::Range(lo.clone(), lo);
                };
                Domain::Range(lo, self.number(hi))
            }
        }
    }
}

/// What to write where another type is needed.
fn remedy(want: &str) -> &'static str {
    match want {
        "a number" => "write a number: a counter, an element `x[i]`, a length `len(x)`",
        "a condition" => {
            "write a condition: a comparison such as `k <= n`, or several with `and`, `or`, `not`"
        }
        "a character" | "a string" => "write it in double quotes, as in \"X\"",
        _ => "write a list such as `x` or `[1, 2, 3]`, or a set in braces, as the use calls for",
    }
}

/// The names in an expression that it does not bind itself.
pub(super) fn free_names(e: &ast::Expr, out: &mut HashSet<String>) {
    fn clause_names(body: &ast::Expr, clauses: &[ast::Clause], out: &mut HashSet<String>) {
        let mut inner = HashSet::new();
        let mut bound = HashSet::new();
        free_names(body, &mut inner);
        for clause in clauses {
            match clause {
                ast::Clause::If(c) => free_names(c, &mut inner),
                ast::Clause::For { names, domain } => {
                    match domain {
                        ast::Domain::Members(e) => free_names(e, &mut inner),
                        ast::Domain::Range(lo, hi) => {
                            free_names(lo, &mut inner);
                            hi.iter().for_each(|e| free_names(e, &mut inner));
                        }
                    }
                    bound.extend(names.iter().map(|n| n.name.clone()));
                }
            }
        }
        out.extend(inner.into_iter().filter(|n| !bound.contains(n)));
    }
    match &e.kind {
        ast::ExprKind::Name(name) => {
            out.insert(name.clone());
        }
        ast::ExprKind::Int(_)
        | ast::ExprKind::Str(_)
        | ast::ExprKind::Bool(_)
        | ast::ExprKind::Error => {}
        ast::ExprKind::Neg(a) | ast::ExprKind::Not(a) => free_names(a, out),
        ast::ExprKind::And(a, b)
        | ast::ExprKind::Or(a, b)
        | ast::ExprKind::Binary(_, a, b)
        | ast::ExprKind::Index(a, b) => {
            free_names(a, out);
            free_names(b, out);
        }
        ast::ExprKind::IfElse(a, b, c) | ast::ExprKind::Slice(a, b, c) => {
            [a, b, c].into_iter().for_each(|e| free_names(e, out));
        }
        ast::ExprKind::Compare(a, rest) => {
            free_names(a, out);
            rest.iter().for_each(|(_, e)| free_names(e, out));
        }
        ast::ExprKind::In { member, domain, .. } => {
            free_names(member, out);
            match &**domain {
                ast::Domain::Members(e) => free_names(e, out),
                ast::Domain::Range(lo, hi) => {
                    free_names(lo, out);
                    hi.iter().for_each(|e| free_names(e, out));
                }
            }
        }
        ast::ExprKind::Call(_, es) | ast::ExprKind::List(es) | ast::ExprKind::Tuple(es) => {
            es.iter().for_each(|e| free_names(e, out));
        }
        ast::ExprKind::Brace(items) => {
            for item in items {
                if let ast::BraceItem::Member(e) | ast::BraceItem::Spread(e) = item {
                    free_names(e, out);
                }
            }
        }
        ast::ExprKind::With(base, updates) => {
            free_names(base, out);
            for u in updates {
                free_names(&u.index, out);
                free_names(&u.value, out);
            }
        }
        ast::ExprKind::Comprehension(body, clauses) => clause_names(body, clauses, out),
    }
}
