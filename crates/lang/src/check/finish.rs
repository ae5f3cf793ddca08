//! The last pass: unknown types are settled, slots get their final numbers, and forms that depended on a type are chosen.

use crate::ast::Span;
use crate::diag::Code;
use crate::ir::{
    BraceItem, Clause, Domain, Expr, ExprKind, Game, InputItem, Output, Parts, Pattern, Shape,
    Slot, SlotInfo, Type,
};

use super::narrow::narrow;
use super::{Checker, LOCAL};

impl Checker<'_> {
    pub(super) fn finish(&mut self, game: &mut Game, first: Span) {
        if !self.types.all_small() {
            let message = "a name of a type too large to write out";
            self.error(
                Code::TooDeep,
                first,
                message,
                "the names of this game stand for tuples of tuples",
            );
            self.help("tuples of tuples over names double with each name; take them apart: `for (v, w) in arcs`");
            return;
        }
        let params = game.vars.len();
        let position = self.types.settle(&self.position.clone());
        match shape(&position) {
            Some(shape) => game.shape = shape,
            None => {
                let got = super::describe(&position);
                self.error(
                    Code::Shape,
                    first,
                    format!("{got} cannot be a position"),
                    "this move says so",
                );
                self.help(
                    "a position is a counter, a tuple, an array, a string, a multiset or set of these; write \
                     `n`, `(a, b)`, `{a, b}`, `x[]`, `{a, ...}` or `s{}`",
                );
            }
        }
        for var in &mut game.vars {
            var.ty = self.types.settle(&var.ty);
            var.dims
                .iter_mut()
                .flatten()
                .for_each(|e| self.settle(e, params));
        }
        game.slots = game
            .vars
            .iter()
            .map(|v| SlotInfo {
                name: v.name.clone(),
                ty: v.ty.clone(),
            })
            .chain(self.locals.iter().map(|l| SlotInfo {
                name: l.name.clone(),
                ty: self.types.settle(&l.ty),
            }))
            .collect();
        self.settle(&mut game.start.expr, params);
        for m in &mut game.moves {
            settle_pattern(&mut m.pattern, params);
            self.settle_clauses(&mut m.clauses, params);
            match &mut m.parts {
                Parts::Each(parts) => parts.iter_mut().for_each(|e| self.settle(e, params)),
                Parts::Over(part, clauses) => {
                    self.settle_clauses(clauses, params);
                    self.settle(part, params);
                }
            }
            m.narrowed = narrow(&m.clauses, &m.parts, &game.shape);
        }
        for end in &mut game.ends {
            settle_pattern(&mut end.pattern, params);
            self.settle(&mut end.condition, params);
        }
        for check in game.requires.iter_mut().chain(&mut game.limits) {
            self.settle(&mut check.condition, params);
        }
        if let Some(input) = &mut game.input {
            self.settle_input(&mut input.items, params);
            input.until.iter_mut().for_each(|e| self.settle(e, params));
        }
        for Output { expr, slots, .. } in &mut game.output {
            self.settle(expr, params);
            for slot in [
                &mut slots.win,
                &mut slots.value,
                &mut slots.moves,
                &mut slots.case,
            ] {
                *slot = renumber(*slot, params);
            }
        }
        for i in 0..game.vars.len() {
            let var = &game.vars[i];
            if !can_be_given(&var.ty) {
                let (span, got) = (var.span, super::describe(&var.ty));
                self.error(
                    Code::Untyped,
                    span,
                    format!("`{}` cannot be given by a user", var.name),
                    format!("it would be {got}"),
                );
            }
        }
    }

    fn settle_input(&mut self, items: &mut [InputItem], params: usize) {
        for item in items {
            match item {
                InputItem::Scalar(_) | InputItem::Array(_, None) => {}
                InputItem::Array(_, Some(e)) | InputItem::Lists(_, e) | InputItem::Rows(_, e) => {
                    self.settle(e, params)
                }
                InputItem::Repeat(_, items) => self.settle_input(items, params),
            }
        }
    }

    fn settle_clauses(&mut self, clauses: &mut [Clause], params: usize) {
        for clause in clauses {
            match clause {
                Clause::If(e) => self.settle(e, params),
                Clause::For { slots, domain } => {
                    slots.iter_mut().for_each(|s| *s = renumber(*s, params));
                    self.settle_domain(domain, params);
                }
            }
        }
    }

    fn settle_domain(&mut self, domain: &mut Domain, params: usize) {
        match domain {
            Domain::Members(e) => self.settle(e, params),
            Domain::Range(lo, hi) => {
                self.settle(lo, params);
                self.settle(hi, params);
            }
        }
    }

    fn settle(&mut self, e: &mut Expr, params: usize) {
        e.ty = self.types.settle(&e.ty);
        match &mut e.kind {
            ExprKind::Slot(slot) => *slot = renumber(*slot, params),
            ExprKind::Str(text) => {
                if e.ty == Type::Char
                    && let Some(c) = text.chars().next()
                {
                    e.kind = ExprKind::Char(c);
                }
            }
            ExprKind::Brace(items) => {
                for item in items.iter_mut() {
                    let (BraceItem::Member(inner) | BraceItem::Spread(inner)) = item;
                    self.settle(inner, params);
                }
                if matches!(e.ty, Type::Unordered(..)) {
                    let members = std::mem::take(items).into_iter().map(|i| match i {
                        BraceItem::Member(inner) | BraceItem::Spread(inner) => inner,
                    });
                    e.kind = ExprKind::Tuple(members.collect());
                }
            }
            ExprKind::In(member, domain) => {
                self.settle(member, params);
                self.settle_domain(domain, params);
            }
            ExprKind::Fold(_, body, clauses) => {
                self.settle(body, params);
                self.settle_clauses(clauses, params);
            }
            ExprKind::With(base, updates) => {
                self.settle(base, params);
                for update in updates {
                    self.settle(&mut update.index, params);
                    self.settle(&mut update.value, params);
                }
            }
            other => {
                for child in children(other) {
                    self.settle(child, params);
                }
            }
        }
    }
}

/// The direct subexpressions of the plain kinds.
fn children(kind: &mut ExprKind) -> Vec<&mut Expr> {
    match kind {
        ExprKind::Neg(a) | ExprKind::Not(a) | ExprKind::Convert(a) => vec![a],
        ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::Index(a, b) => {
            vec![a, b]
        }
        ExprKind::If(a, b, c) | ExprKind::Slice(a, b, c) => vec![a, b, c],
        ExprKind::And(es)
        | ExprKind::Or(es)
        | ExprKind::Call(_, es)
        | ExprKind::List(es)
        | ExprKind::Tuple(es)
        | ExprKind::Format(es) => es.iter_mut().collect(),
        _ => Vec::new(),
    }
}

fn renumber(slot: Slot, params: usize) -> Slot {
    if slot >= LOCAL {
        slot - LOCAL + params
    } else {
        slot
    }
}

fn settle_pattern(pattern: &mut Pattern, params: usize) {
    match pattern {
        Pattern::Bind(slot) => *slot = renumber(*slot, params),
        Pattern::Tuple(members) | Pattern::Unordered { members, .. } => {
            members.iter_mut().for_each(|m| settle_pattern(m, params));
        }
        Pattern::Pick { members, rest } => {
            *rest = renumber(*rest, params);
            members.iter_mut().for_each(|m| settle_pattern(m, params));
        }
    }
}

fn shape(ty: &Type) -> Option<Shape> {
    Some(match ty {
        Type::Int => Shape::Int,
        Type::Tuple(ts) => Shape::Tuple(ts.iter().map(shape).collect::<Option<_>>()?),
        Type::Unordered(n, t) => Shape::Unordered(*n, Box::new(shape(t)?)),
        Type::List(t) if **t == Type::Char => Shape::Str,
        Type::List(t) => Shape::Array(Box::new(shape(t)?)),
        Type::Multiset(t) => Shape::Multiset(Box::new(shape(t)?)),
        Type::Set(t) => Shape::Set(Box::new(shape(t)?)),
        Type::Bool | Type::Char | Type::Unknown(_) => return None,
    })
}

fn can_be_given(ty: &Type) -> bool {
    match ty {
        Type::Int => true,
        Type::List(t) if **t == Type::Char => true,
        Type::List(t) | Type::Set(t) | Type::Multiset(t) | Type::Unordered(_, t) => can_be_given(t),
        Type::Tuple(ts) => ts.iter().all(can_be_given),
        Type::Bool | Type::Char | Type::Unknown(_) => false,
    }
}

/// Moves each guard that cannot fail to the earliest place where its names are bound, behind the guards before it.
pub(super) fn hoist(clauses: Vec<Clause>) -> Vec<Clause> {
    let mut out: Vec<Clause> = Vec::new();
    for clause in clauses {
        let Clause::If(guard) = &clause else {
            out.push(clause);
            continue;
        };
        let mut at = out.len();
        if total(guard) {
            let read = guard.slots();
            while at > 0
                && let Clause::For { slots, .. } = &out[at - 1]
                && !slots.iter().any(|s| read.contains(s))
            {
                at -= 1;
            }
        }
        out.insert(at, clause);
    }
    out
}

/// Whether evaluating the expression can never be an error.
pub(super) fn total(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Char(_)
        | ExprKind::Str(_)
        | ExprKind::Slot(_) => true,
        ExprKind::Binary(op, a, b) => {
            use crate::ir::BinaryOp as B;
            let safe = match op {
                B::Add | B::Sub | B::Mul | B::Xor => true,
                B::Div | B::Mod => matches!(&b.kind, ExprKind::Int(v) if !v.is_zero()),
                // 10**12, which cannot be too large.
                B::Pow => {
                    let small =
                        |e: &Expr| matches!(&e.kind, ExprKind::Int(v) if v.to_i64().is_some());
                    small(a)
                        && matches!(&b.kind, ExprKind::Int(v) if v.to_u64().is_some_and(|v| v <= 64))
                }
            };
            safe && total(a) && total(b)
        }
        ExprKind::Compare(_, a, b) => total(a) && total(b),
        ExprKind::Neg(a) | ExprKind::Not(a) | ExprKind::Convert(a) => total(a),
        ExprKind::And(es) | ExprKind::Or(es) | ExprKind::List(es) | ExprKind::Tuple(es) => {
            es.iter().all(total)
        }
        ExprKind::If(a, b, c) => total(a) && total(b) && total(c),
        ExprKind::In(member, domain) => {
            total(member)
                && match &**domain {
                    Domain::Members(e) => total(e),
                    Domain::Range(lo, hi) => total(lo) && total(hi),
                }
        }
        ExprKind::Call(f, es) => {
            use crate::ir::Function as F;
            let safe = match f {
                F::Min | F::Max => es.len() > 1,
                F::Isqrt | F::Digits | F::Number => false,
                _ => true,
            };
            safe && es.iter().all(total)
        }
        _ => false,
    }
}
