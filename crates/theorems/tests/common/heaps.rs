//! A solver of one heap against plain mex over the interpreter.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use grundy_core::{Budget, Int, Outcome, mex};
use grundy_lang::interp::Rules;
use grundy_lang::value::Pos;
use grundy_testkit::RandomGame;
use grundy_theorems::{Solver, Target};

/// The options of a heap as sorted non-empty heaps.
fn options(rules: &Rules, n: usize) -> BTreeSet<Vec<usize>> {
    let mut out = BTreeSet::new();
    let mut machine = rules.machine();
    let flow = machine.options(&super::pos(&[n as i64]), &mut |option| {
        out.insert(heaps(option.parts));
        ControlFlow::Continue(())
    });
    assert!(flow.unwrap().is_continue());
    out
}

fn heaps(parts: &[Pos]) -> Vec<usize> {
    let mut heaps: Vec<usize> = parts
        .iter()
        .map(|p| p.0[0].to_usize().unwrap())
        .filter(|&h| h > 0)
        .collect();
    heaps.sort_unstable();
    heaps
}

/// Outcome, value and options of all heaps up to one.
pub fn agree(game: &RandomGame, rules: &Rules, solver: &dyn Solver, upto: usize) {
    let budget = Budget::default();
    let mut values: Vec<u64> = Vec::new();
    for n in 0..=upto {
        let at = || format!("at {n} of\n{}", game.text);
        let options = options(rules, n);
        let of = |o: &Vec<usize>| o.iter().fold(0, |s, &h| s ^ values[h]);
        let value = mex(options.iter().map(of));
        let part = super::pos(&[n as i64]);
        assert_eq!(solver.refuses(&part, &budget).unwrap(), None);
        assert_eq!(
            solver.value(&part, &budget).unwrap(),
            Some(Int::from(value)),
            "{}",
            at()
        );
        assert_eq!(
            solver.outcome(&part, &budget).unwrap(),
            Outcome::from_next_wins(value != 0),
            "{}",
            at()
        );
        for (target, v) in [
            (Target::P, 0),
            (Target::Value(Int::from(1)), 1),
            (Target::Value(Int::from(value)), value),
        ] {
            let want: Vec<Vec<usize>> = options.iter().filter(|o| of(o) == v).cloned().collect();
            let got = solver.options(&part, &target, usize::MAX, &budget).unwrap();
            assert_eq!(got.total, Int::from(want.len()), "{target:?} {}", at());
            let mut list: Vec<Vec<usize>> = got.list.iter().map(|o| heaps(o)).collect();
            list.sort();
            assert_eq!(list, want, "{target:?} {}", at());
            let one = solver.options(&part, &target, 1, &budget).unwrap();
            assert_eq!((one.list.len(), one.total), (want.len().min(1), got.total));
        }
        if n % 7 == 3 {
            assert!(!solver.explain(&part, &budget).unwrap().is_empty());
        }
        values.push(value);
    }
}
