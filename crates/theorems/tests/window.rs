//! Window moves with random widths in random writings against plain mex.

mod common;

use std::time::Instant;

use common::{agree, claimed, pos, refused, rules};
use grundy_core::{Budget, Int, Outcome};
use grundy_lang::value::{Pos, Value};
use grundy_testkit::{Random, RandomGame, Truth, window};
use grundy_theorems::window::WindowMoves;
use grundy_theorems::{Solver, Target};

/// Parts to test: each counter in turn runs while the others stand at a few values.
fn parts(width: usize, r: &mut Random) -> Vec<Pos> {
    match width {
        1 => (0..40).map(|n| pos(&[n])).collect(),
        2 => (0..30)
            .map(|_| pos(&[r.range(0, 40), r.range(0, 40)]))
            .collect(),
        _ => (0..30)
            .map(|_| pos(&[r.range(0, 40), r.range(0, 5), r.range(0, 40)]))
            .collect(),
    }
}

fn test(seed: u64, count: usize, make: fn(&mut Random) -> RandomGame, form: &[&str]) {
    let mut r = Random::new(seed);
    let mut closed = 0;
    for _ in 0..count {
        let game = make(&mut r);
        let rules = rules(&game);
        let solver = claimed(&WindowMoves, &game, &rules);
        closed += usize::from(form.iter().any(|f| solver.finding().contains(f)));
        let mut truth = Truth::new(&rules);
        for part in parts(rules.game().shape.width().expect("counters"), &mut r) {
            agree(&game, &*solver, &mut truth, &part);
        }
    }
    assert!(
        closed * 10 >= count * 7,
        "{closed} of {count} in the form {form:?}"
    );
}

#[test]
fn widths_that_never_fall_go_by_blocks() {
    test(1, 2500, window::blocks, &["by blocks", "fixed end"]);
}

#[test]
fn gentle_widths_go_by_plateaus() {
    test(
        2,
        2500,
        window::plateaus,
        &["by plateaus", "by blocks", "fixed end"],
    );
}

#[test]
fn any_width_has_a_table() {
    test(3, 2500, window::any, &[""]);
}

#[test]
fn near_misses_are_refused() {
    let mut r = Random::new(4);
    for _ in 0..2000 {
        let game = window::near_miss(&mut r);
        if let Ok(rules) = game.rules() {
            refused(&WindowMoves, &game, &rules);
        } else {
            assert!(game.text.contains("(c + k, s)"), "{}", game.text);
        }
    }
}

fn big(words: &[&str]) -> Pos {
    Pos(words.iter().map(|w| w.parse().expect("digits")).collect())
}

fn stone_game() -> (RandomGame, Box<dyn Solver>) {
    let game = RandomGame::plain("(s, c) -> (s, c + k) for k in 1..min(c*c, s - c)");
    let rules = rules(&game);
    let solver = claimed(&WindowMoves, &game, &rules);
    (game, solver)
}

#[test]
fn the_stone_game_past_every_word() {
    let (_, solver) = stone_game();
    let budget = Budget::default();
    let value = |s: &str, c: &str| {
        let v = solver.value(&big(&[s, c]), &budget).expect("value");
        v.expect("normal play")
    };
    // The square of the stones before the move is the limit: with 3 + 9 < 13 the cap 13 is out of reach from 3.
    assert_eq!(value("13", "3"), Int::ZERO);
    assert_eq!(value("12", "3"), Int::from(9));
    assert_eq!(value("0", "0"), Int::ZERO);
    assert_eq!(value("5", "0"), Int::ZERO);
    // 46341² is past 2^31: q + q² < s.
    assert_eq!(value("2147488280", "46341"), Int::from(2_147_441_939));
    assert_eq!(value("2147534623", "46341"), Int::ZERO);
    // A contest's largest boxes, for the time only.
    let mut r = Random::new(3);
    let boxes: Vec<Pos> = (0..50_000)
        .map(|_| pos(&[1_000_000, r.range(0, 1100)]))
        .collect();
    let start = Instant::now();
    for part in &boxes {
        solver.value(part, &budget).expect("value");
    }
    println!("50,000 boxes of 10^6: {:?}", start.elapsed());
    let s = "1".to_owned() + &"0".repeat(1000);
    for c in [
        "7".to_owned(),
        "3".repeat(250),
        "3".repeat(500),
        "9".repeat(501),
    ] {
        let part = big(&[&s, &c]);
        let start = Instant::now();
        let g = solver
            .value(&part, &budget)
            .expect("value")
            .expect("normal play");
        let took = start.elapsed();
        println!("c of {} digits: {took:?}", c.len());
        let found = solver
            .options(&part, &Target::Value(Int::ZERO), 9, &budget)
            .expect("options");
        assert_eq!(found.total, Int::from(i64::from(!g.is_zero())));
        for left in &found.list {
            let outcome = solver.outcome(&left[0], &budget).expect("outcome");
            assert_eq!(outcome, Outcome::P);
            let (c, x) = (&part.0[1], &left[0].0[1]);
            assert!(x > c && x - c <= c * c && *x <= part.0[0], "a move");
        }
    }
}

#[test]
fn values_far_away_are_consistent_with_their_windows() {
    // The value is the least that no option has: every smaller value has one option, this one has none.
    let mut r = Random::new(9);
    let budget = Budget::default();
    for _ in 0..200 {
        let game = if r.one_in(2) {
            window::blocks(&mut r)
        } else {
            window::plateaus(&mut r)
        };
        let rules = rules(&game);
        let solver = claimed(&WindowMoves, &game, &rules);
        if solver.finding().contains("a table") || game.text.contains("isqrt") {
            continue;
        }
        let width = rules.game().shape.width().expect("counters");
        let words: Vec<Int> = (0..width)
            .map(|_| {
                let digits = r.range(1, 19) as u32;
                Int::from(r.range(0, 10i64.saturating_pow(digits).saturating_sub(1)))
            })
            .collect();
        let part = rules.game().shape.pos(&if width == 1 {
            Value::Int(words[0].clone())
        } else {
            Value::seq(words.iter().cloned().map(Value::Int))
        });
        let part = part.expect("natural");
        let at = || format!("{part:?} of\n{}\nwith {:?}", game.text, game.params);
        let g = match solver.value(&part, &budget) {
            Ok(g) => g.expect("normal play"),
            Err(e) => panic!("{e} at {}", at()),
        };
        let count = |v: &Int| {
            let target = Target::Value(v.clone());
            let found = solver.options(&part, &target, 2, &budget).expect("options");
            for left in &found.list {
                assert_eq!(
                    solver.value(&left[0], &budget).expect("value").as_ref(),
                    Some(v),
                    "{}",
                    at()
                );
            }
            found.total
        };
        assert_eq!(count(&g), Int::ZERO, "{}", at());
        if !g.is_zero() {
            for v in [
                Int::ZERO,
                g.div_floor(&Int::from(2)).expect("two"),
                &g - &Int::ONE,
            ] {
                assert_eq!(count(&v), Int::ONE, "value {v} at {}", at());
            }
        }
    }
}

#[test]
fn a_table_past_the_memory_bound_says_so() {
    let game = RandomGame::plain("n -> n - k for k in 1..n % 3 + 1");
    let rules = rules(&game);
    let solver = claimed(&WindowMoves, &game, &rules);
    let error = solver
        .value(&pos(&[1_000_000]), &Budget::with_memory(1 << 20))
        .expect_err("too large");
    assert_eq!(error.code.as_str(), "G0801");
    assert!(error.help.is_some());
    let start = Instant::now();
    solver
        .value(&pos(&[1_000_000]), &Budget::default())
        .expect("fits");
    println!("a table of 10^6: {:?}", start.elapsed());
}

#[test]
fn the_words_for_blocks() {
    let budget = Budget::default();
    let last = |solver: &dyn Solver, part: &[i64]| {
        let lines = solver.explain(&pos(part), &budget).expect("words");
        println!("{}\n", lines.join("\n"));
        (
            lines
                .iter()
                .any(|l| l.contains("such position of value 0, c = 9")),
            lines.last().expect("a line").clone(),
        )
    };
    let (_, solver) = stone_game();
    assert_eq!(
        last(&*solver, &[100, 3]),
        (
            true,
            "From c = 3 the nearest such position on the way to the end is c = 9, 6 away, so the value is 6.".to_owned()
        )
    );
    assert_eq!(
        last(&*solver, &[100, 9]),
        (
            true,
            "c = 9 is such a position, so the value is 0.".to_owned()
        )
    );
    assert_eq!(
        last(&*solver, &[100, 20]),
        (
            false,
            "From c = 20 the end is in reach, 80 away, so the value is 80.".to_owned()
        )
    );
    assert!(last(&*solver, &[100, 100]).1.contains("the end itself"));
    assert!(last(&*solver, &[100, 101]).1.contains("is past it"));
    let game = RandomGame::plain("n -> n - k for k in 1..3");
    let solver = claimed(&WindowMoves, &game, &rules(&game));
    assert_eq!(
        last(&*solver, &[22]).1,
        "From n = 22 the nearest such position on the way to the end is n = 20, 2 away, so the value is 2."
    );
}

#[test]
fn the_winning_move_of_a_thousand_digits_under_a_sloping_width() {
    // 2p + 1 has the value of p if half may be taken, so the P-positions are the numbers 2^j − 1.
    let game = RandomGame {
        text: "c -> c - k for k in 1..c//2".to_owned(),
        params: Vec::new(),
    };
    let rules = rules(&game);
    let solver = claimed(&WindowMoves, &game, &rules);
    let budget = Budget::default();
    let power = |e: i64| Int::from(2).pow(&Int::from(e)).expect("small enough");
    let here = &power(3321) + &Int::from(12345);
    let part = rules.game().shape.pos(&Value::Int(here)).expect("natural");
    let target = Target::Value(Int::ZERO);
    let found = solver.options(&part, &target, 2, &budget).expect("found");
    assert_eq!(found.total, Int::ONE);
    assert_eq!(found.list[0][0].0[0], &power(3321) - &Int::ONE);
}
