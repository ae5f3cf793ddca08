//! Games with a limit that the last take sets, in random writings against plain mex, and what is known of them.

mod common;

use common::{agree, claimed, pos, refused, rules};
use grundy_core::{Budget, Int, Outcome};
use grundy_lang::value::Pos;
use grundy_testkit::{Random, RandomGame, Truth, dynamic};
use grundy_theorems::dynamic::DynamicLimit;
use grundy_theorems::{Solver, Target};

#[test]
fn random_writings_and_limits() {
    let mut r = Random::new(1);
    for _ in 0..2200 {
        let game = dynamic::limits(&mut r);
        let rules = rules(&game);
        let solver = claimed(&DynamicLimit, &game, &rules);
        let mut truth = Truth::new(&rules);
        let heap_first = game.text.starts_with("(n, m)");
        for n in 0..=18 {
            for m in [0, 1, 2, 3, r.range(4, 9), n, n + 3] {
                let words = if heap_first { [n, m] } else { [m, n] };
                agree(&game, &*solver, &mut truth, &pos(&words));
            }
        }
    }
}

#[test]
fn near_misses_are_refused() {
    let mut r = Random::new(2);
    for _ in 0..2000 {
        let game = dynamic::near_miss(&mut r);
        refused(&DynamicLimit, &game, &rules(&game));
    }
}

fn solver(next: &str) -> Box<dyn Solver> {
    let game = RandomGame::plain(format!("(n, m) -> (n - k, {next}) for k in 1..min(n, m)"));
    let rules = rules(&game);
    claimed(&DynamicLimit, &game, &rules)
}

/// The heaps that are lost for the one who begins and may not take all.
fn lost(next: &str, to: i64) -> Vec<i64> {
    let solver = solver(next);
    let budget = Budget::default();
    let outcome = |n: i64| solver.outcome(&pos(&[n, n - 1]), &budget).expect("outcome");
    (1..=to).filter(|&n| outcome(n) == Outcome::P).collect()
}

#[test]
fn losing_heaps_of_the_literature() {
    assert_eq!(lost("2*k", 100), [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]);
    assert_eq!(lost("k", 100), [1, 2, 4, 8, 16, 32, 64]);
    // Schwenk's table for three times the last take.
    assert_eq!(
        lost("3*k", 100),
        [1, 2, 3, 4, 6, 8, 11, 15, 21, 29, 40, 55, 76]
    );
}

#[test]
fn heaps_of_a_thousand_digits() {
    let budget = Budget::default();
    let solver = solver("2*k");
    let (mut a, mut b) = (Int::ONE, Int::from(2));
    while b.to_string().len() < 1000 {
        (a, b) = (b.clone(), a + b);
    }
    let at = |n: &Int, m: &Int| Pos([n.clone(), m.clone()].into_iter().collect());
    let lost = at(&b, &(&b - &Int::ONE));
    assert_eq!(solver.outcome(&lost, &budget).expect("outcome"), Outcome::P);
    let next = &b + &Int::from(12);
    let won = at(&next, &next);
    let found = solver
        .options(&won, &Target::P, 99, &budget)
        .expect("options");
    assert_eq!(found.total, Int::from(found.list.len()));
    for left in found.list.concat() {
        assert_eq!(solver.outcome(&left, &budget).expect("outcome"), Outcome::P);
    }
    assert!(!solver.explain(&won, &budget).expect("words").is_empty());
}

/// Squares outgrow any ratio, so that there are too many losing heaps to list for a heap of a thousand digits.
#[test]
fn a_limit_that_grows_too_fast_is_declined_for_large_heaps() {
    let budget = Budget::default();
    let solver = solver("k*k");
    let heap: Int = format!("1{}", "0".repeat(1000)).parse().expect("a number");
    let large = Pos([heap.clone(), heap].into_iter().collect());
    assert!(
        solver
            .refuses(&large, &budget)
            .expect("an answer")
            .is_some()
    );
    let small = pos(&[1_000_000, 5]);
    assert!(
        solver
            .refuses(&small, &budget)
            .expect("an answer")
            .is_none()
    );
}
