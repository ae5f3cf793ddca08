//! Moves on an unordered tuple that stay the same set of moves when its members are exchanged need only one order tried.
//!
//! Decided on the text of the moves with members, quantifiers and commuting operands renamed and sorted: what is found
//! symmetric is so; what is not found costs the trial of every order and nothing else.

use crate::ir::{
    BinaryOp, BraceItem, Clause, Domain, Expr, ExprKind, Function, Game, Move, Parts, Pattern,
    Slot, Type,
};

/// More members have too many orders to be worth it.
const MEMBERS: usize = 4;

pub(super) fn drop_orders(game: &mut Game) {
    let Some(members) = game
        .moves
        .iter()
        .map(|m| slots_of(&m.pattern))
        .collect::<Option<Vec<_>>>()
    else {
        return;
    };
    let n = members[0].len();
    if n > MEMBERS {
        return;
    }
    let orders = permutations(n);
    let texts: Vec<Vec<String>> = game
        .moves
        .iter()
        .zip(&members)
        .map(|(m, slots)| {
            orders
                .iter()
                .map(|order| text_of(m, slots, order))
                .collect()
        })
        .collect();
    let plain = |text: &String| texts.iter().any(|t| t[0] == *text);
    if texts.iter().flatten().all(plain) {
        for m in &mut game.moves {
            if let Pattern::Unordered { every_order, .. } = &mut m.pattern {
                *every_order = false;
            }
        }
    }
}

fn slots_of(pattern: &Pattern) -> Option<Vec<Slot>> {
    let Pattern::Unordered { members, .. } = pattern else {
        return None;
    };
    members
        .iter()
        .map(|m| {
            if let Pattern::Bind(slot) = m {
                Some(*slot)
            } else {
                None
            }
        })
        .collect()
}

/// All orders of `0..n`, the plain one first.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for last in (0..n).rev() {
        for mut order in permutations(n - 1) {
            order.iter_mut().for_each(|i| *i += usize::from(*i >= last));
            order.push(last);
            out.push(order);
        }
    }
    out
}

/// What slots are called: a few, so that a row is searched fastest.
type Names = Vec<(Slot, String)>;

fn text_of(m: &Move, slots: &[Slot], order: &[usize]) -> String {
    let mut names: Names = slots
        .iter()
        .zip(order)
        .map(|(s, i)| (*s, format!("m{i}")))
        .collect();
    let mut out = clauses(&m.clauses, &mut names);
    match &m.parts {
        Parts::Each(parts) => {
            let mut parts: Vec<String> = parts.iter().map(|e| expr(e, &mut names)).collect();
            parts.sort();
            out.push_str(&parts.join(";"));
        }
        Parts::Over(part, inner) => {
            out.push_str(&clauses(inner, &mut names));
            out.push_str(&expr(part, &mut names));
        }
    }
    out
}

fn clauses(list: &[Clause], names: &mut Names) -> String {
    let mut out = String::new();
    for clause in list {
        match clause {
            Clause::If(e) => out.push_str(&format!("if {},", expr(e, names))),
            Clause::For { slots, domain } => {
                let text = domain_text(domain, names);
                for slot in slots {
                    let name = format!("q{}", names.len());
                    out.push_str(&name);
                    names.push((*slot, name));
                }
                out.push_str(&format!(" in {text},"));
            }
        }
    }
    out
}

fn domain_text(domain: &Domain, names: &mut Names) -> String {
    match domain {
        Domain::Members(e) => expr(e, names),
        Domain::Range(lo, hi) => format!("{}..{}", expr(lo, names), expr(hi, names)),
    }
}

fn expr(e: &Expr, names: &mut Names) -> String {
    let mut all = |es: &[Expr], sort: bool| {
        let mut texts: Vec<String> = es.iter().map(|e| expr(e, names)).collect();
        if sort {
            texts.sort();
        }
        texts.join(",")
    };
    match &e.kind {
        ExprKind::Int(v) => v.to_string(),
        ExprKind::Bool(v) => v.to_string(),
        ExprKind::Char(c) => format!("{c:?}"),
        ExprKind::Str(s) => format!("{s:?}"),
        ExprKind::Slot(slot) => match names.iter().rfind(|(named, _)| named == slot) {
            Some((_, name)) => name.clone(),
            None => format!("p{slot}"),
        },
        ExprKind::Neg(a) => format!("neg({})", expr(a, names)),
        ExprKind::Not(a) => format!("not({})", expr(a, names)),
        ExprKind::Convert(a) => format!("convert({})", expr(a, names)),
        ExprKind::Binary(op, a, b) => {
            let mut sides = [expr(a, names), expr(b, names)];
            let sorted = matches!(op, BinaryOp::Mul | BinaryOp::Xor)
                || (*op == BinaryOp::Add && e.ty == Type::Int);
            if sorted {
                sides.sort();
            }
            format!("{op:?}({},{})", sides[0], sides[1])
        }
        ExprKind::Compare(op, a, b) => format!("{op:?}({},{})", expr(a, names), expr(b, names)),
        ExprKind::And(es) => format!("and({})", all(es, true)),
        ExprKind::Or(es) => format!("or({})", all(es, true)),
        ExprKind::If(a, b, c) => format!(
            "if({},{},{})",
            expr(a, names),
            expr(b, names),
            expr(c, names)
        ),
        ExprKind::In(a, d) => format!("in({},{})", expr(a, names), domain_text(d, names)),
        ExprKind::Call(f, es) => {
            format!(
                "{f:?}({})",
                all(
                    es,
                    matches!(f, Function::Min | Function::Max | Function::Gcd)
                )
            )
        }
        ExprKind::Fold(f, body, inner) => {
            let mut names = names.clone();
            let inner = clauses(inner, &mut names);
            format!("{f:?}({inner}{})", expr(body, &mut names))
        }
        ExprKind::Index(a, b) => format!("{}[{}]", expr(a, names), expr(b, names)),
        ExprKind::Slice(a, b, c) => {
            format!("{}[{}..{}]", expr(a, names), expr(b, names), expr(c, names))
        }
        ExprKind::List(es) => format!("[{}]", all(es, false)),
        ExprKind::Tuple(es) => format!("({})", all(es, matches!(e.ty, Type::Unordered(..)))),
        ExprKind::Brace(items) => {
            let mut texts: Vec<String> = items
                .iter()
                .map(|i| match i {
                    BraceItem::Member(e) => expr(e, names),
                    BraceItem::Spread(e) => format!("{}...", expr(e, names)),
                })
                .collect();
            texts.sort();
            format!("{{{}}}", texts.join(","))
        }
        ExprKind::With(base, updates) => {
            let updates: Vec<String> = updates
                .iter()
                .map(|u| {
                    format!(
                        "[{}]{:?}{}",
                        expr(&u.index, names),
                        u.op,
                        expr(&u.value, names)
                    )
                })
                .collect();
            format!("{} with {}", expr(base, names), updates.join(","))
        }
        ExprKind::Format(es) => format!("format({})", all(es, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_all_of_them_with_the_plain_one_first() {
        let three = permutations(3);
        assert_eq!(three[0], [0, 1, 2]);
        assert_eq!(
            three.iter().collect::<std::collections::HashSet<_>>().len(),
            6
        );
    }
}
