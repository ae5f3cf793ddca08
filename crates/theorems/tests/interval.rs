//! Taking from p to q, in random writings against plain mex.

mod common;

use common::{agree, claimed, pos, refused, rules};
use grundy_core::{Budget, Int, Outcome};
use grundy_lang::value::Pos;
use grundy_testkit::{Random, RandomGame, Truth, interval};
use grundy_theorems::Target;
use grundy_theorems::interval::Interval;

#[test]
fn random_writings() {
    let mut random = Random::new(31);
    for _ in 0..2200 {
        let game = interval::game(&mut random);
        let rules = rules(&game);
        let solver = claimed(&Interval, &game, &rules);
        let mut truth = Truth::new(&rules);
        for n in 0..=40 {
            agree(&game, &*solver, &mut truth, &pos(&[n]));
        }
    }
}

#[test]
fn near_misses_are_refused() {
    for text in interval::NEAR_MISSES {
        let game = RandomGame::plain(*text);
        refused(&Interval, &game, &rules(&game));
    }
}

#[test]
fn numbers_of_any_size() {
    let p = Int::from(10).pow(&Int::from(300)).unwrap();
    let q = &p + &Int::from(7);
    let game = RandomGame::plain(format!(
        "n -> n - k for k in {p}..{q} | n -> 0 if 0 < n and n < {p}; play misere"
    ));
    let rules = rules(&game);
    let solver = claimed(&Interval, &game, &rules);
    let budget = Budget::default();
    let heap = |r: &Int| {
        let cycles = (&p + &q) * Int::from(5);
        Pos([&cycles + r].into_iter().collect())
    };
    assert_eq!(solver.outcome(&heap(&p), &budget).unwrap(), Outcome::P);
    let next = heap(&(&p + &Int::from(1)));
    assert_eq!(solver.outcome(&next, &budget).unwrap(), Outcome::N);
    // From p + 1 all of p to q lead to the remainders 1 and below it, of which only that is a P-position.
    let found = solver.options(&next, &Target::P, 3, &budget).unwrap();
    assert_eq!((found.list.len(), found.total), (1, Int::from(1)));
}
