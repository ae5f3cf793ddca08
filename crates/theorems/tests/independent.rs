//! Tuples that no move couples against plain mex of the whole.

mod common;

use common::{agree, claimed, pos, refused, rules};
use grundy_core::{Budget, Int};
use grundy_lang::ir::Shape;
use grundy_testkit::{Random, RandomGame, Truth, independent};
use grundy_theorems::Target;
use grundy_theorems::independent::Independent;

#[test]
fn random_tuples_agree_with_mex() {
    let mut r = Random::new(1);
    let (mut claims, mut unordered) = (0, 0);
    while claims < 2200 {
        let game = independent::game(&mut r);
        let rules = rules(&game);
        let solver = claimed(&Independent, &game, &rules);
        claims += 1;
        let shape = &rules.game().shape;
        unordered += usize::from(matches!(shape, Shape::Unordered(..)));
        let mut truth = Truth::new(&rules);
        let width = shape.width().expect("counters");
        for most in [1, 3, 5, 7] {
            let mut words: Vec<i64> = (0..width).map(|_| r.range(0, most)).collect();
            if matches!(shape, Shape::Unordered(..)) {
                words.sort_unstable();
            }
            let part = pos(&words);
            let refused = solver.refuses(&part, &Budget::default());
            if refused.expect("no failure").is_none() {
                agree(&game, &*solver, &mut truth, &part);
            }
        }
    }
    assert!(unordered > 300, "{unordered}");
}

#[test]
fn near_misses_are_refused() {
    let mut r = Random::new(2);
    for _ in 0..2000 {
        let game = independent::near_miss(&mut r);
        refused(&Independent, &game, &rules(&game));
    }
    for text in [
        "n -> n - k for k in 1..3",
        "(a, b) -> (b, a - 1) if a > 0",
        "(a, b) -> (b - 1, a)",
        "(a, b) -> [(a - 1, b), (0, b)] if a > 0",
        "(a, b) -> (a - k, b) for k in 1..b | (a, b) -> (a, b - 1)",
        "(a, b) -> (a - k, b) for k in 1..3 if a >= b | (a, b) -> (a, b - 1)",
        "(a, b) -> (a - 1, b) | (a, b) -> (a, b - 1) | play misere",
        "(a, b) -> (a - 1, b) | (a, b) -> (a, b - 1); win if a == 3",
        "{a, b} -> {a - k, b} for k in 1..min(a, b)",
        "{a, b} -> {a - k, b} for k in 1..a if a > b",
        "{a, b} -> {a - 1, b - 1}",
        "{a, b} -> {b - k, b} for k in 1..b",
        "{a, b} -> {a, a} if a > 0",
    ] {
        let game = RandomGame::plain(text.replace(" | play", "; play"));
        refused(&Independent, &game, &rules(&game));
    }
}

#[test]
fn heaps_of_a_thousand_digits_in_a_pair() {
    let game = RandomGame::plain(
        "(a, b, c) -> (x, b, c) for x in 0..a-1\n(a, b, c) -> (a, b - k, c) for k in 1..3\n\
         (a, b, c) -> (a, b, c - k) for k in 1..c//2",
    );
    let rules = rules(&game);
    let solver = claimed(&Independent, &game, &rules);
    let budget = Budget::default();
    let big: Int = "9".repeat(1000).parse().expect("digits");
    let part = |a: &Int, b: &Int, c: &Int| {
        let words = [a.clone(), b.clone(), c.clone()];
        grundy_lang::value::Pos(words.into_iter().collect())
    };
    let value = |part| solver.value(part, &budget).expect("a value");
    let whole = part(&big, &big, &big);
    let (second, third) = (
        part(&Int::ZERO, &big, &Int::ZERO),
        part(&Int::ZERO, &Int::ZERO, &big),
    );
    let rest = value(&second).unwrap().bitxor(&value(&third).unwrap());
    assert_eq!(value(&whole), Some(big.bitxor(&rest)));
    let found = solver
        .options(&whole, &Target::P, 5, &budget)
        .expect("moves");
    assert_eq!(found.list[0], vec![part(&rest, &big, &big)]);
}
