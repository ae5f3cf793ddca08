//! Take and break against plain mex over the interpreter.

mod common;

use grundy_core::{Budget, Int};
use grundy_lang::codes;
use grundy_lang::value::Pos;
use grundy_testkit::{Random, RandomGame, take_and_break};
use grundy_theorems::take_and_break::TakeAndBreak;
use grundy_theorems::{Target, Theorem};

#[test]
fn random_games() {
    let mut random = Random::new(21);
    for _ in 0..2000 {
        let game = take_and_break::game(&mut random);
        let rules = common::rules(&game);
        let solver = common::claimed(&TakeAndBreak, &game, &rules);
        common::heaps::agree(&game, &rules, &*solver, 24);
    }
}

#[test]
fn near_misses_are_refused() {
    for text in take_and_break::NEAR_MISSES {
        let game = RandomGame::plain(*text);
        common::refused(&TakeAndBreak, &game, &common::rules(&game));
    }
}

#[test]
fn a_heap_of_zero_with_a_move_is_refused() {
    let why = |text: &str| {
        let game = RandomGame::plain(text);
        match TakeAndBreak.recognise(&common::rules(&game)) {
            Ok(solver) => panic!("takes {text} as {}", solver.finding()),
            Err(why) => why.0,
        }
    };
    // A move from 0 to nothing makes G(0) = 1; one to heaps of 0 makes play never end.
    for text in [
        "n -> [] if n == 0; n -> n - 1",
        "n -> [] if n <= 1; n -> [a, n - 2 - a] for a in 0..n - 2",
        "n -> [] if n == 0; n -> [a, n - 1 - a] for a in 0..n - 1",
        "n -> [0, 0] if n == 0; n -> n - 1",
        "n -> max(0, n - k) for k in 1..3",
        "n -> max(0, n - 1)",
        "n -> [max(0, i - 1), max(0, n - i - 2)] for i in 0..n",
    ] {
        assert_eq!(why(text), "a heap of 0 has a move", "{text}");
    }
    let mut random = Random::new(22);
    for _ in 0..600 {
        let game = take_and_break::game(&mut random);
        let extra = ["[]", "[0]", "0", "[0, 0]"][random.range(0, 3) as usize];
        let upto = ["n == 0", "n < 1", "n <= 1", "n <= 2"][random.range(0, 3) as usize];
        let text = format!("{}; n -> {extra} if {upto}", game.text);
        let game = RandomGame { text, ..game };
        common::refused(&TakeAndBreak, &game, &common::rules(&game));
    }
}

#[test]
fn candidates_are_bounded() {
    for text in [
        "n -> n - 1 for k in 1..10**12",
        "n -> k for k in 0..10**12 if k < n",
        "n -> n - 1 for k in 1..10**12 if k == n",
    ] {
        let game = RandomGame::plain(text);
        common::refused(&TakeAndBreak, &game, &common::rules(&game));
    }
}

#[test]
fn codes_are_recognised_as_themselves() {
    for (code, more) in [
        ("0.77", "period 12 from 71"),
        ("0.07", "period 34 from 53"),
        ("0.137", "period 34 from 52"),
        ("4.7", ""),
        ("0.156", ""),
        ("0.FF", ""),
        ("8.3", ""),
        ("0.Z", ""),
    ] {
        let game = RandomGame::plain(codes::translate(code).unwrap().unwrap());
        let rules = common::rules(&game);
        let solver = common::claimed(&TakeAndBreak, &game, &rules);
        let finding = solver.finding();
        assert!(
            finding.starts_with(&format!("the code {code}")) && finding.contains(more),
            "{code}: {finding}"
        );
        common::heaps::agree(&game, &rules, &*solver, 20);
    }
}

#[test]
fn rules_of_the_catalogue() {
    for (text, code) in [
        (
            "n -> [max(0, i-2), max(0, n-i-3)] for i in 0..n-1",
            "0.11337",
        ),
        (
            "n -> [a, n - k - a] for k in 1..2, a in 0..(n-k)//2",
            "0.77",
        ),
        (
            "n -> n - k for k in S if k <= n | n -> [a, n-1-a] for a in 1..(n-1)//2",
            "",
        ),
        ("n -> [i - 1, n - i - 1] for i in 1..n - 1", "0.07"),
    ] {
        let game = RandomGame::plain(text.replace('S', "[1, 3, 4]"));
        let rules = common::rules(&game);
        let solver = common::claimed(&TakeAndBreak, &game, &rules);
        let finding = solver.finding();
        assert!(
            finding.contains(code) && !finding.contains("but for"),
            "{text}: {finding}"
        );
        common::heaps::agree(&game, &rules, &*solver, 30);
    }
}

#[test]
fn a_heap_of_a_thousand_digits() {
    let game = RandomGame::plain(codes::translate("0.07").unwrap().unwrap());
    let rules = common::rules(&game);
    let solver = common::claimed(&TakeAndBreak, &game, &rules);
    let n: Int = format!("7{}", "3".repeat(999)).parse().unwrap();
    let part = Pos([n.clone()].into_iter().collect());
    let budget = Budget::default();
    let value = solver.value(&part, &budget).unwrap().unwrap();
    let small = n.mod_floor(&Int::from(34)).unwrap().to_i64().unwrap() + 340;
    assert_eq!(
        solver.value(&common::pos(&[small]), &budget).unwrap(),
        Some(value.clone())
    );
    let found = solver.options(&part, &Target::P, 7, &budget).unwrap();
    assert_eq!(found.list.len(), if value.is_zero() { 0 } else { 7 });
    assert_eq!(found.total.is_zero(), value.is_zero());
    for option in &found.list {
        let total = option.iter().fold(Int::ZERO, |s, p| &s + &p.0[0]);
        assert_eq!(&n - &total, Int::from(2));
    }
}
