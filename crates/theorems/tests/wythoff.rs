//! Two-heap games in random writings against plain mex, and the faults of old programs.

mod common;

use common::{agree, claimed, pos, refused, rules};
use grundy_core::{Budget, Int, Outcome};
use grundy_testkit::{Random, RandomGame, Truth, wythoff};
use grundy_theorems::wythoff::Wythoff;
use grundy_theorems::{Solver, Target};

#[test]
fn random_writings_of_the_t_game() {
    let mut r = Random::new(1);
    for _ in 0..2200 {
        let (game, t) = wythoff::pairs(&mut r);
        let rules = rules(&game);
        if game.text.contains("misere") && t != 1 {
            refused(&Wythoff, &game, &rules);
            continue;
        }
        let solver = claimed(&Wythoff, &game, &rules);
        if t > 1 {
            assert!(
                solver.finding().contains(&format!("t = {t}")),
                "{}",
                game.text
            );
        }
        let mut truth = Truth::new(&rules);
        let unordered = game.text.contains("start {");
        for a in 0..8 {
            for b in if unordered { a..10 } else { 0..10 } {
                agree(&game, &*solver, &mut truth, &pos(&[a, b]));
            }
        }
    }
}

#[test]
fn near_misses_are_refused() {
    let mut r = Random::new(2);
    for _ in 0..2000 {
        let game = wythoff::near_miss(&mut r);
        refused(&Wythoff, &game, &rules(&game));
    }
}

fn classic() -> Box<dyn Solver> {
    let game = RandomGame::plain(
        "start {a, b}\n{a, b} -> {a - k, b} for k in 1..a\n{a, b} -> {a, b - k} for k in 1..b\n\
         {a, b} -> {a - k, b - k} for k in 1..min(a, b)",
    );
    let rules = rules(&game);
    claimed(&Wythoff, &game, &rules)
}

#[test]
fn faults_of_old_programs() {
    let solver = classic();
    let budget = Budget::default();
    let outcome = |a: i64, b: i64| solver.outcome(&pos(&[a, b]), &budget).expect("outcome");
    let moves = |a: i64, b: i64| {
        let found = solver
            .options(&pos(&[a, b]), &Target::P, 99, &budget)
            .expect("options");
        assert_eq!(found.total, Int::from(found.list.len()));
        found.list.concat()
    };
    assert_eq!(
        outcome(0, 0),
        Outcome::P,
        "nothing left is lost for the player to move"
    );
    assert!(moves(0, 0).is_empty());
    assert!(moves(1, 2).is_empty(), "no passing");
    assert_eq!(
        moves(3, 4),
        vec![pos(&[1, 2])],
        "only the diagonal, no negative heap"
    );
    assert_eq!(outcome(9, 14), Outcome::N);
    assert!(moves(9, 14).contains(&pos(&[8, 13])), "the diagonal");
    for left in moves(9, 14) {
        assert_eq!(solver.outcome(&left, &budget).expect("outcome"), Outcome::P);
    }
    assert_eq!(outcome(6180, 9999), Outcome::N);
    assert_eq!(outcome(6180, 10000), Outcome::P);
    assert_eq!(outcome(6181, 10001), Outcome::N);
    assert_eq!(
        outcome(165_580_140, 267_914_295),
        Outcome::P,
        "a rounded golden ratio is wrong here"
    );
    assert_eq!(outcome(165_580_141, 267_914_296), Outcome::N);
    assert_eq!(solver.value(&pos(&[3, 4]), &budget).expect("value"), None);
}

#[test]
fn a_band_one_wider_is_the_next_game() {
    let game = RandomGame {
        text: "param t\nstart (a, b)\n(a, b) -> (a - k, b) for k in 1..a\n(a, b) -> (a, b - k) for k in 1..b\n\
               (a, b) -> (a - k, b - l) for k in 1..a, l in 1..b if abs(k - l) <= t"
            .to_owned(),
        params: vec![("t", 3)],
    };
    let rules = rules(&game);
    let solver = claimed(&Wythoff, &game, &rules);
    assert!(solver.finding().contains("t = 4"));
}

#[test]
fn the_words_for_plain_wythoff_have_no_ones() {
    let game = RandomGame::plain(
        "(a, b) -> (a - k, b) for k in 1..a | (a, b) -> (a, b - k) for k in 1..b \
         | (a, b) -> (a - k, b - k) for k in 1..min(a, b)",
    );
    let solver = claimed(&Wythoff, &game, &rules(&game));
    let lines = solver
        .explain(&pos(&[3, 7]), &Budget::default())
        .expect("words");
    assert!(
        lines[0].contains("B = A + n and A = floor((n + isqrt(5*n*n)) / 2)"),
        "{lines:?}"
    );
    assert!(!lines.join(" ").contains("multiple"), "{lines:?}");
}
