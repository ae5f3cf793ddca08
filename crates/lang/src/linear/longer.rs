//! A move that makes a list longer and can be made again wherever it leads: play with it need not end.
//!
//! *Lemma.* Let a move leave a part in which each name of its pattern has either the value it had (`Same`), or one that is
//! not less (`Up`), or the list it had and never fewer members behind it (`Prefix`) or on any side (`Members`). Let each guard be one that such a change keeps true, each range one that it does not narrow from either side,
//! and each condition of an end one that it keeps false. Then the move can be made again from that part with the same
//! values of its quantifiers, and so without end. *Proof.* An expression that reads lists only at places of a prefix has
//! the same value again; sums, lengths and counters that are `Up` are not less; the rest is induction over expressions. ∎
//!
//! What is added is made of such expressions too, so it was in the position space before and is again, and as much of it: a
//! list that is longer for it once is so each time, which is for the caller to see. Rules are read as they stand: a move
//! that is not named only has not been seen. Cost: linear in the text.

use grundy_core::Int;

use crate::ast::BinaryOp;
use crate::interp::Rules;
use crate::ir::{
    BraceItem, Clause, CompareOp, Domain, Expr, ExprKind, Fold, Function, Move, Parts, Pattern,
    Shape, Slot, Type,
};

/// What the move makes of a name of its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Same,
    Up,
    Prefix,
    Members,
}

/// The moves of the lemma, which play without end if they lengthen a position once: the index of the rule, and of the part that it leaves.
pub(super) fn lengthening(rules: &Rules) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (index, m) in rules.game().moves.iter().enumerate() {
        if let Parts::Each(parts) = &m.parts {
            let part = (0..parts.len()).find(|&p| lengthens(rules, m, &parts[p]).is_some());
            found.extend(part.map(|part| (index, part)));
        }
    }
    found
}

fn lengthens(rules: &Rules, m: &Move, part: &Expr) -> Option<()> {
    let game = rules.game();
    let mut view = View(Vec::new());
    if let Pattern::Pick { members, rest } = &m.pattern {
        (game.shape == Shape::Multiset(Box::new(Shape::Int))).then_some(())?;
        more_heaps(members, *rest, part)?;
        view.0.push((*rest, Kind::Members));
    } else {
        view.components(&m.pattern, part)?;
        // That they are `Up` was supposed so far.
        view.rising(&m.pattern, part)?;
    }
    let longer = |k: &(Slot, Kind)| matches!(k.1, Kind::Prefix | Kind::Members);
    view.0.iter().any(longer).then_some(())?;
    for end in &game.ends {
        let mut there = View(Vec::new());
        there.same_places(&view, &m.pattern, &end.pattern)?;
        there.keeps(&end.condition, false).then_some(())?;
    }
    m.clauses.iter().all(|c| view.clause(c)).then_some(())
}

/// Whether braces hold the members picked, the rest, and heaps that are there for sure.
fn more_heaps(members: &[Pattern], rest: Slot, part: &Expr) -> Option<()> {
    let mut picked = Vec::new();
    for m in members {
        let Pattern::Bind(slot) = m else { return None };
        picked.push(*slot);
    }
    let ExprKind::Brace(items) = &part.kind else {
        return None;
    };
    let (mut left, mut spread, mut more) = (picked.clone(), false, false);
    for item in items {
        match item {
            BraceItem::Spread(e) if !spread && matches!(e.kind, ExprKind::Slot(s) if s == rest) => {
                spread = true
            }
            BraceItem::Spread(_) => return None,
            BraceItem::Member(e) => match &e.kind {
                // No heap that is picked is 0.
                ExprKind::Slot(s) if picked.contains(s) => match left.iter().position(|l| l == s) {
                    Some(at) => drop(left.swap_remove(at)),
                    None => more = true,
                },
                ExprKind::Int(n) if *n > Int::ZERO => more = true,
                _ => return None,
            },
        }
    }
    (spread && more && left.is_empty()).then_some(())
}

/// What becomes of the names of a pattern; others stay as they are.
struct View(Vec<(Slot, Kind)>);

impl View {
    fn kind(&self, slot: Slot) -> Kind {
        let found = self.0.iter().find(|(s, _)| *s == slot);
        found.map_or(Kind::Same, |(_, kind)| *kind)
    }

    fn is(&self, e: &Expr, kinds: &[Kind]) -> bool {
        matches!(e.kind, ExprKind::Slot(s) if kinds.contains(&self.kind(s)))
    }

    /// The kind of each name, as the component that takes its place shows; of numbers it is supposed that they are `Up`.
    fn components(&mut self, pattern: &Pattern, part: &Expr) -> Option<()> {
        match (pattern, &part.kind) {
            (Pattern::Tuple(members), ExprKind::Tuple(parts)) if members.len() == parts.len() => {
                members
                    .iter()
                    .zip(parts)
                    .try_for_each(|(m, p)| self.components(m, p))
            }
            (Pattern::Bind(v), ExprKind::Slot(s)) if v == s => Some(()),
            (Pattern::Bind(v), _) if part.ty == Type::Int => {
                self.0.push((*v, Kind::Up));
                Some(())
            }
            (Pattern::Bind(v), ExprKind::Binary(BinaryOp::Add, ..))
                if matches!(part.ty, Type::List(_)) =>
            {
                let mut pieces = Vec::new();
                joined(part, &mut pieces);
                let at = pieces
                    .iter()
                    .position(|p| matches!(p.kind, ExprKind::Slot(s) if s == *v))?;
                self.0
                    .push((*v, if at == 0 { Kind::Prefix } else { Kind::Members }));
                Some(())
            }
            _ => None,
        }
    }

    /// Whether what is supposed holds, and what is added to lists can be added again.
    fn rising(&self, pattern: &Pattern, part: &Expr) -> Option<()> {
        match (pattern, &part.kind) {
            (Pattern::Tuple(members), ExprKind::Tuple(parts)) => members
                .iter()
                .zip(parts)
                .try_for_each(|(m, p)| self.rising(m, p)),
            (Pattern::Bind(v), _) => match self.kind(*v) {
                Kind::Same => Some(()),
                Kind::Up => {
                    // Not less than it was, not only not less than what it would have been.
                    let added = beside(*v, part)?;
                    let rises = added.iter().all(|p| natural(p) && self.up(p));
                    rises.then_some(())
                }
                Kind::Prefix | Kind::Members => {
                    let added = beside(*v, part)?;
                    added.iter().all(|p| self.added(p)).then_some(())
                }
            },
            _ => None,
        }
    }

    /// Whether what is added to a list can be added again, and as much of it.
    fn added(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::List(members) => members.iter().all(|m| self.stays(m) || self.up(m)),
            _ => self.stays(e) || self.is(e, &[Kind::Prefix, Kind::Members]),
        }
    }

    /// The kinds of another pattern's names, from those of the one that stand at the same places.
    fn same_places(&mut self, of: &View, ours: &Pattern, theirs: &Pattern) -> Option<()> {
        match (ours, theirs) {
            (Pattern::Tuple(ours), Pattern::Tuple(theirs)) if ours.len() == theirs.len() => ours
                .iter()
                .zip(theirs)
                .try_for_each(|(a, b)| self.same_places(of, a, b)),
            (Pattern::Bind(a), Pattern::Bind(b)) => {
                self.0.push((*b, of.kind(*a)));
                Some(())
            }
            _ => None,
        }
    }

    /// Whether the quantifier can take the same value again, or the guard holds again.
    fn clause(&self, clause: &Clause) -> bool {
        match clause {
            Clause::For { domain, .. } => self.wider(domain),
            Clause::If(condition) => self.keeps(condition, true),
        }
    }

    /// Whether what is in it stays in it.
    fn wider(&self, domain: &Domain) -> bool {
        match domain {
            Domain::Range(low, high) => self.down(low) && self.up(high),
            Domain::Members(list) => {
                self.stays(list) || self.is(list, &[Kind::Prefix, Kind::Members])
            }
        }
    }

    /// Whether it has the same value again.
    fn stays(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Slot(s) => self.kind(*s) == Kind::Same,
            ExprKind::Index(list, i) => {
                (self.stays(list) || self.is(list, &[Kind::Prefix])) && self.stays(i)
            }
            ExprKind::Neg(a) | ExprKind::Not(a) => self.stays(a),
            ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) => {
                self.stays(a) && self.stays(b)
            }
            ExprKind::And(all) | ExprKind::Or(all) | ExprKind::List(all) | ExprKind::Tuple(all) => {
                all.iter().all(|e| self.stays(e))
            }
            ExprKind::Call(_, args) => args.iter().all(|e| self.stays(e)),
            ExprKind::If(a, b, c) => [a, b, c].into_iter().all(|e| self.stays(e)),
            _ => e.slots().into_iter().all(|s| self.kind(s) == Kind::Same),
        }
    }

    /// Whether a number is not less again.
    fn up(&self, e: &Expr) -> bool {
        self.stays(e)
            || match &e.kind {
                ExprKind::Slot(s) => self.kind(*s) == Kind::Up,
                ExprKind::Neg(a) => self.down(a),
                ExprKind::Binary(BinaryOp::Add, a, b) => self.up(a) && self.up(b),
                ExprKind::Binary(BinaryOp::Sub, a, b) => self.up(a) && self.down(b),
                ExprKind::Call(Function::Len, args) => args
                    .iter()
                    .all(|a| self.is(a, &[Kind::Prefix, Kind::Members])),
                ExprKind::Call(Function::Min | Function::Max, args) if args.len() > 1 => {
                    args.iter().all(|a| self.up(a))
                }
                _ => false,
            }
    }

    /// Whether a number is not more again.
    fn down(&self, e: &Expr) -> bool {
        self.stays(e)
            || match &e.kind {
                ExprKind::Neg(a) => self.up(a),
                ExprKind::Binary(BinaryOp::Add, a, b) => self.down(a) && self.down(b),
                ExprKind::Binary(BinaryOp::Sub, a, b) => self.down(a) && self.up(b),
                ExprKind::Call(Function::Min | Function::Max, args) if args.len() > 1 => {
                    args.iter().all(|a| self.down(a))
                }
                _ => false,
            }
    }

    /// Whether a condition that is as told is so again.
    fn keeps(&self, e: &Expr, truth: bool) -> bool {
        self.stays(e)
            || match &e.kind {
                ExprKind::Not(a) => self.keeps(a, !truth),
                ExprKind::And(all) | ExprKind::Or(all) => all.iter().all(|e| self.keeps(e, truth)),
                ExprKind::Compare(op, a, b) => match (op, truth) {
                    (CompareOp::Ge | CompareOp::Gt, true)
                    | (CompareOp::Le | CompareOp::Lt, false) => self.up(a) && self.down(b),
                    (CompareOp::Le | CompareOp::Lt, true)
                    | (CompareOp::Ge | CompareOp::Gt, false) => self.down(a) && self.up(b),
                    _ => false,
                },
                ExprKind::In(a, domain) => truth && self.stays(a) && self.wider(domain),
                ExprKind::Fold(Fold::Any, body, clauses) => {
                    truth && clauses.iter().all(|c| self.clause(c)) && self.keeps(body, true)
                }
                _ => false,
            }
    }
}

/// What an expression adds up, or the lists that it puts one behind the other.
fn joined<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Add, a, b) => {
            joined(a, out);
            joined(b, out);
        }
        _ => out.push(e),
    }
}

/// What an expression adds to a name; `None` if the name is none of its terms.
fn beside(name: Slot, e: &Expr) -> Option<Vec<&Expr>> {
    let mut pieces = Vec::new();
    joined(e, &mut pieces);
    let is_name = |p: &&Expr| matches!(p.kind, ExprKind::Slot(s) if s == name);
    let at = pieces.iter().position(is_name)?;
    pieces.swap_remove(at);
    Some(pieces)
}

/// Whether a number is never negative, as its form shows.
fn natural(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(n) => !n.is_negative(),
        ExprKind::Call(Function::Len, _) => true,
        _ => false,
    }
}
