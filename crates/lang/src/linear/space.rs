//! Moves that can leave the position space: an array of the position read or changed at a place that it does not have.
//!
//! By the language a result with a count below zero is no move, so that is never reported. What is reported has happened:
//! the interpreter met it at a position named in the warning. Cost: at most [`MAX_TRIED`] positions and [`MAX_OPTIONS`]
//! options.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use grundy_core::Int;

use crate::diag::{Code, Diagnostic, Span};
use crate::interp::Rules;
use crate::ir::{Clause, Expr, ExprKind, Parts, Slot};
use crate::value::Pos;

/// Most positions tried.
const MAX_TRIED: usize = 2000;
/// Most options looked at.
const MAX_OPTIONS: usize = 100_000;
/// The largest number of a position tried.
const MAX_NUMBER: i64 = 200;

/// A warning for each place that reads or changes an array of the position where it has no element, at one of these
/// positions or one that can be reached from them.
pub(super) fn diagnostics(rules: &Rules, from: Vec<Pos>) -> Vec<Diagnostic> {
    let places = places(rules);
    if places.is_empty() {
        return Vec::new();
    }
    let game = rules.game();
    let mut machine = rules.machine();
    let mut seen: HashSet<Pos> = HashSet::new();
    // Long enumerations are of no use here: what is missed is only a warning.
    let limit = Int::from(MAX_NUMBER);
    let playable = |p: &Pos| p.0.iter().all(|w| *w <= limit);
    let mut queue: VecDeque<Pos> = from.into_iter().filter(playable).collect();
    let (mut told, mut out): (HashSet<Span>, Vec<Diagnostic>) = Default::default();
    let mut room = MAX_OPTIONS;
    while let Some(pos) = queue.pop_front() {
        if seen.len() >= MAX_TRIED || room == 0 {
            break;
        }
        if !seen.insert(pos.clone()) || machine.end(&pos).ok().flatten().is_some() {
            continue;
        }
        let met = machine.options(&pos, &mut |opt| {
            let new = opt
                .parts
                .iter()
                .filter(|p| playable(p) && !seen.contains(*p));
            queue.extend(new.cloned());
            room = room.saturating_sub(1);
            if room == 0 {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        let Err(error) = met else { continue };
        let Some((span, label)) = error.labels.first().cloned() else {
            continue;
        };
        if error.code != Code::IndexRange || !places.contains(&span) || !told.insert(span) {
            continue;
        }
        let message = format!("a move can leave the position space: {}", error.message);
        let mut d = Diagnostic::error(Code::LeavesSpace, &game.source, message)
            .warning()
            .at(span, label);
        d.notes = error.notes.clone();
        out.push(d.help("bound the quantifier, or put a guard `if` before it"));
    }
    out
}

/// Where an array that is not a parameter is read or changed: the spans of the indices.
fn places(rules: &Rules) -> HashSet<Span> {
    let game = rules.game();
    let params: Slot = game.vars.len();
    let own = |e: &Expr| matches!(&e.kind, ExprKind::Slot(s) if *s >= params);
    let mut out = HashSet::new();
    let mut look = |e: &Expr| match &e.kind {
        ExprKind::Index(list, index) if own(list) => {
            out.insert(index.span);
        }
        ExprKind::Slice(list, lo, hi) if own(list) => {
            out.insert(lo.span);
            out.insert(hi.span);
        }
        ExprKind::With(base, updates) if own(base) => {
            out.extend(updates.iter().map(|u| u.index.span));
        }
        _ => {}
    };
    let clauses = |all: &[Clause], look: &mut dyn FnMut(&Expr)| {
        all.iter().for_each(|c| c.walk(look));
    };
    for m in &game.moves {
        clauses(&m.clauses, &mut look);
        match &m.parts {
            Parts::Each(all) => all.iter().for_each(|e| e.walk(&mut look)),
            Parts::Over(e, inner) => {
                e.walk(&mut look);
                clauses(inner, &mut look);
            }
        }
    }
    out
}
