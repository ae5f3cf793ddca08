//! A theorem's solver against plain mex over the interpreter.
#![allow(dead_code, reason = "each test uses its part")]

pub mod heaps;

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::interp::Rules;
use grundy_lang::value::Pos;
use grundy_testkit::{RandomGame, Truth};
use grundy_theorems::{Solver, Target, Theorem};

pub fn rules(game: &RandomGame) -> Rules {
    game.rules()
        .unwrap_or_else(|e| panic!("{}\n\n{e}", game.text))
}

pub fn claimed(theorem: &dyn Theorem, game: &RandomGame, rules: &Rules) -> Box<dyn Solver> {
    match theorem.recognise(rules) {
        Ok(solver) => solver,
        Err(why) => panic!(
            "{} refuses\n{}\nwith {:?}\nbecause {}",
            theorem.name(),
            game.text,
            game.params,
            why.0
        ),
    }
}

pub fn refused(theorem: &dyn Theorem, game: &RandomGame, rules: &Rules) {
    if let Ok(solver) = theorem.recognise(rules) {
        panic!(
            "{} takes\n{}\nwith {:?}\nas {}",
            theorem.name(),
            game.text,
            game.params,
            solver.finding()
        );
    }
}

pub fn pos(words: &[i64]) -> Pos {
    Pos(words.iter().map(|&w| Int::from(w)).collect())
}

/// Outcome, value and options of one part.
pub fn agree(game: &RandomGame, solver: &dyn Solver, truth: &mut Truth<'_>, part: &Pos) {
    let budget = Budget::default();
    let at = || format!("at {part:?} of\n{}\nwith {:?}", game.text, game.params);
    let fail = |e: Box<grundy_lang::diag::Diagnostic>| -> ! { panic!("{e} {}", at()) };
    let outcome = solver.outcome(part, &budget).unwrap_or_else(|e| fail(e));
    assert_eq!(outcome, truth.outcome(part), "{}", at());
    let value = solver.value(part, &budget).unwrap_or_else(|e| fail(e));
    let options = truth.options(part);
    let mut targets = vec![Target::P];
    if let Some(value) = &value {
        assert_eq!(*value, truth.value(part), "{}", at());
        let most = options.iter().map(|o| truth.value(o)).max();
        let most = most.unwrap_or_default().to_i64().unwrap_or(0) + 1;
        // Every target at some parts, those about the value at each.
        let sum: i64 = part.0.iter().filter_map(Int::to_i64).sum();
        let near = |v: i64| (value.to_i64().unwrap_or(0) - v).abs() <= 1;
        let tried = (0..=most).filter(|&v| sum % 4 == 0 || v == most || near(v));
        targets.extend(tried.map(|v| Target::Value(Int::from(v))));
    }
    for target in targets {
        let good: Vec<Pos> = options
            .iter()
            .filter(|o| match &target {
                Target::P => truth.outcome(o) == Outcome::P,
                Target::Value(v) => truth.value(o) == *v,
            })
            .cloned()
            .collect();
        let found = solver
            .options(part, &target, usize::MAX, &budget)
            .unwrap_or_else(|e| fail(e));
        let mut list: Vec<Pos> = found
            .list
            .into_iter()
            .map(|mut parts| {
                assert_eq!(parts.len(), 1);
                parts.remove(0)
            })
            .collect();
        list.sort();
        assert_eq!(found.total, Int::from(good.len()), "{target:?} {}", at());
        assert_eq!(list, good, "{target:?} {}", at());
    }
    let none = solver.options(part, &Target::P, 0, &budget);
    assert!(none.unwrap_or_else(|e| fail(e)).list.is_empty());
    let lines = solver.explain(part, &budget).unwrap_or_else(|e| fail(e));
    assert!(!lines.is_empty());
}

/// The options of every value, their number, and the first of them alone, for values that are known.
pub fn compare_options(
    solver: &dyn Solver,
    truth: &mut Truth<'_>,
    part: &Pos,
    what: &dyn Fn() -> String,
) {
    let budget = Budget::default();
    let options = truth.options(part);
    let value = truth.value(part).to_u64().unwrap();
    for wanted in 0..=value + 2 {
        let wanted_value = Int::from(wanted);
        let mut right: Vec<Vec<Pos>> = options
            .iter()
            .filter(|o| truth.value(o) == wanted_value)
            .map(|o| vec![o.clone()])
            .collect();
        let targets = if wanted == 0 {
            vec![Target::P, Target::Value(Int::ZERO)]
        } else {
            vec![Target::Value(Int::from(wanted))]
        };
        for target in targets {
            let found = solver.options(part, &target, usize::MAX, &budget).unwrap();
            let mut list = found.list.clone();
            list.sort();
            right.sort();
            assert_eq!(list, right, "options of value {wanted}\n{}", what());
            assert_eq!(
                found.total,
                Int::from(right.len()),
                "their number\n{}",
                what()
            );
            let few = solver.options(part, &target, 1, &budget).unwrap();
            assert_eq!(
                few.list,
                found.list[..found.list.len().min(1)],
                "{}",
                what()
            );
            assert_eq!(few.total, found.total, "{}", what());
        }
    }
}
