//! Checked rules made by hand and at random, for the tests of this module.

use std::sync::Arc;

use grundy_core::Int;

use crate::diag::{Source, Span};
use crate::interp::Rules;
use crate::ir::{
    BinaryOp, Clause, CompareOp, Domain, End, Expr, ExprKind, Function, Game, Move, Parts, Pattern,
    Play, Shape, Slot, SlotInfo, Start, Type, Var,
};
use crate::value::Value;

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

pub fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}
pub fn int(v: i64) -> Expr {
    expr(ExprKind::Int(Int::from(v)), Type::Int)
}
pub fn slot(s: Slot) -> Expr {
    expr(ExprKind::Slot(s), Type::Int)
}
pub fn list(s: Slot) -> Expr {
    expr(ExprKind::Slot(s), Type::List(Box::new(Type::Int)))
}
fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), Type::Int)
}
pub fn add(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Add, a, b)
}
pub fn sub(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Sub, a, b)
}
pub fn mul(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Mul, a, b)
}
pub fn div(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Div, a, b)
}
pub fn modulo(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Mod, a, b)
}
fn call(f: Function, args: Vec<Expr>) -> Expr {
    expr(ExprKind::Call(f, args), Type::Int)
}
pub fn min(args: Vec<Expr>) -> Expr {
    call(Function::Min, args)
}
pub fn max(args: Vec<Expr>) -> Expr {
    call(Function::Max, args)
}
pub fn abs(a: Expr) -> Expr {
    call(Function::Abs, vec![a])
}
pub fn compare(op: CompareOp, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Compare(op, Box::new(a), Box::new(b)), Type::Bool)
}
pub fn lt(a: Expr, b: Expr) -> Expr {
    compare(CompareOp::Lt, a, b)
}
pub fn le(a: Expr, b: Expr) -> Expr {
    compare(CompareOp::Le, a, b)
}
pub fn tuple(members: Vec<Expr>) -> Expr {
    let ty = Type::Tuple(members.iter().map(|m| m.ty.clone()).collect());
    expr(ExprKind::Tuple(members), ty)
}
pub fn brace(members: Vec<Expr>) -> Expr {
    let ty = Type::Unordered(members.len(), Box::new(members[0].ty.clone()));
    expr(ExprKind::Tuple(members), ty)
}
pub fn range(slot: Slot, lo: Expr, hi: Expr) -> Clause {
    Clause::For {
        slots: vec![slot],
        domain: Domain::Range(lo, hi),
    }
}
pub fn guard(e: Expr) -> Clause {
    Clause::If(e)
}

/// A game with parameters in the first slots (one name and value each) and `slots` slots in all.
pub fn game(shape: Shape, slots: usize, params: Vec<Value>) -> Builder {
    let ty = |v: &Value| match v {
        Value::Seq(_) => Type::List(Box::new(Type::Int)),
        _ => Type::Int,
    };
    let vars = params
        .iter()
        .enumerate()
        .map(|(i, v)| Var {
            name: format!("p{i}"),
            ty: ty(v),
            dims: Vec::new(),
            part: false,
            in_rules: true,
            in_start: false,
            span: Span::default(),
        })
        .collect();
    Builder(
        Game {
            name: "test".to_owned(),
            title: "test".to_owned(),
            source: Source::new("<test>", ""),
            vars,
            slots: (0..slots)
                .map(|i| SlotInfo {
                    name: format!("s{i}"),
                    ty: Type::Int,
                })
                .collect(),
            shape,
            start: Start {
                sum: true,
                expr: int(0),
            },
            moves: Vec::new(),
            ends: Vec::new(),
            play: Play::Normal,
            requires: Vec::new(),
            limits: Vec::new(),
            input: None,
            output: Vec::new(),
            expects: Vec::new(),
            samples: Vec::new(),
            aliases: Vec::new(),
            about: None,
            references: Vec::new(),
        },
        params,
    )
}

pub struct Builder(Game, Vec<Value>);

impl Builder {
    pub fn rule(mut self, pattern: Pattern, clauses: Vec<Clause>, parts: Vec<Expr>) -> Self {
        self.0.moves.push(Move {
            pattern,
            narrowed: clauses.clone(),
            clauses,
            parts: Parts::Each(parts),
            span: Span::default(),
        });
        self
    }

    pub fn win_if(mut self, pattern: Pattern, condition: Expr) -> Self {
        self.0.ends.push(End {
            win: true,
            pattern,
            condition,
            span: Span::default(),
        });
        self
    }

    pub fn rules(self) -> Rules {
        Rules::new(Arc::new(self.0), self.1)
    }
}

/// Rules over one to three counters: slot 0 a number, slot 1 a list, then the pattern's names, then quantifiers.
pub fn random_rules(r: &mut Random) -> Rules {
    let pair = || Shape::Unordered(2, Box::new(Shape::Int));
    let (shape, counters) = match r.below(4) {
        0 => (Shape::Int, 1),
        1 => (Shape::Tuple(vec![Shape::Int, Shape::Int]), 2),
        2 => (pair(), 2),
        _ => (Shape::Tuple(vec![Shape::Int, pair()]), 3),
    };
    let n = Value::from(1 + r.below(5) as i64);
    let members: Vec<Value> = (0..1 + r.below(4))
        .map(|_| Value::from(r.below(7) as i64))
        .collect();
    let mut b = game(
        shape.clone(),
        2 + counters + 2,
        vec![n, Value::seq(members)],
    );
    if r.below(4) == 0 {
        let names: Vec<Slot> = (2..2 + counters).collect();
        let every_order = r.below(2) == 0;
        let condition = truth(r, &names, 1);
        b = b.win_if(pattern(&shape, &mut 2, every_order), condition);
    }
    for _ in 0..1 + r.below(2) {
        let every_order = r.below(2) == 0;
        let mut next = 2;
        let pattern = pattern(&shape, &mut next, every_order);
        let mut names: Vec<Slot> = std::iter::once(0).chain(2..2 + counters).collect();
        let mut clauses = Vec::new();
        for q in 0..r.below(3) as usize {
            let k = 2 + counters + q;
            clauses.push(if r.below(4) == 0 {
                Clause::For {
                    slots: vec![k],
                    domain: Domain::Members(list(1)),
                }
            } else {
                range(k, int(r.below(3) as i64), number(r, &names, 1))
            });
            names.push(k);
        }
        if r.below(2) == 0 {
            clauses.push(guard(truth(r, &names, 2)));
        }
        let parts = match r.below(6) {
            0 => 2,
            1 => 0,
            _ => 1,
        };
        let parts = (0..parts).map(|_| result(r, &shape, &names)).collect();
        b = b.rule(pattern, clauses, parts);
    }
    b.rules()
}

fn pattern(shape: &Shape, next: &mut Slot, every_order: bool) -> Pattern {
    match shape {
        Shape::Tuple(all) => {
            Pattern::Tuple(all.iter().map(|s| pattern(s, next, every_order)).collect())
        }
        Shape::Unordered(n, s) => Pattern::Unordered {
            members: (0..*n).map(|_| pattern(s, next, every_order)).collect(),
            every_order,
        },
        _ => {
            *next += 1;
            Pattern::Bind(*next - 1)
        }
    }
}

fn result(r: &mut Random, shape: &Shape, names: &[Slot]) -> Expr {
    match shape {
        Shape::Tuple(all) => tuple(all.iter().map(|s| result(r, s, names)).collect()),
        Shape::Unordered(n, s) => brace((0..*n).map(|_| result(r, s, names)).collect()),
        _ => number(r, names, 2),
    }
}

fn number(r: &mut Random, names: &[Slot], depth: u64) -> Expr {
    let name = |r: &mut Random| slot(names[r.below(names.len() as u64) as usize]);
    if depth == 0 {
        return if r.below(4) == 0 {
            int(r.below(6) as i64)
        } else {
            name(r)
        };
    }
    let constant = |r: &mut Random| int(r.below(7) as i64 - 3);
    let one = |r: &mut Random| number(r, names, depth - 1);
    match r.below(16) {
        0..=2 => name(r),
        3 | 4 => add(one(r), one(r)),
        5..=8 => sub(one(r), one(r)),
        9 => mul(constant(r), one(r)),
        10 => div(one(r), constant(r)),
        11 => modulo(one(r), constant(r)),
        12 => min(vec![one(r), one(r)]),
        13 => max(vec![one(r), one(r)]),
        14 if r.below(3) == 0 => mul(one(r), one(r)),
        14 => abs(one(r)),
        _ => {
            let c = truth(r, names, depth - 1);
            expr(
                ExprKind::If(Box::new(c), Box::new(one(r)), Box::new(one(r))),
                Type::Int,
            )
        }
    }
}

fn truth(r: &mut Random, names: &[Slot], depth: u64) -> Expr {
    if depth > 0 && r.below(3) == 0 {
        let one = |r: &mut Random| truth(r, names, depth - 1);
        let kind = match r.below(3) {
            0 => ExprKind::And(vec![one(r), one(r)]),
            1 => ExprKind::Or(vec![one(r), one(r)]),
            _ => ExprKind::Not(Box::new(one(r))),
        };
        return expr(kind, Type::Bool);
    }
    let a = number(r, names, depth.min(1));
    if r.below(5) == 0 {
        let domain = if r.below(2) == 0 {
            Domain::Members(list(1))
        } else {
            Domain::Range(number(r, names, 0), number(r, names, 0))
        };
        return expr(ExprKind::In(Box::new(a), Box::new(domain)), Type::Bool);
    }
    use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let op = [Eq, Ne, Lt, Le, Gt, Ge][r.below(6) as usize];
    compare(op, a, number(r, names, depth.min(1)))
}
