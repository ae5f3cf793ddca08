//! Nim heaps in random writings against plain mex.

mod common;

use common::{agree, claimed, pos, refused, rules};
use grundy_core::{Budget, Int, Outcome};
use grundy_lang::ir::{Play, Shape};
use grundy_lang::value::Position;
use grundy_testkit::{Random, RandomGame, Truth, nim};
use grundy_theorems::nim::NimHeap;
use grundy_theorems::sum::Sum;
use grundy_theorems::{Target, Theorem};

#[test]
fn random_writings_of_a_heap() {
    let mut r = Random::new(1);
    for i in 0..2500 {
        let mut game = nim::heap(&mut r);
        if i % 5 == 0 {
            game.text.push_str("\nplay misere");
        }
        let rules = rules(&game);
        let solver = claimed(&NimHeap, &game, &rules);
        let mut truth = Truth::new(&rules);
        let shape = &rules.game().shape;
        for n in 0..14 {
            // Whatever stands beside the heap.
            let width = shape.width().expect("counters");
            for heap in 0..width {
                let mut words = vec![2; width];
                words[heap] = n;
                agree(&game, &*solver, &mut truth, &pos(&words));
            }
        }
    }
}

#[test]
fn near_misses_are_refused() {
    let mut r = Random::new(2);
    for _ in 0..2000 {
        let game = nim::near_miss(&mut r);
        refused(&NimHeap, &game, &rules(&game));
    }
}

#[test]
fn a_heap_of_a_thousand_digits() {
    let game = RandomGame::plain("n -> n - k for k in 1..n");
    let rules = rules(&game);
    let solver = claimed(&NimHeap, &game, &rules);
    let budget = Budget::default();
    let n: Int = "9".repeat(1000).parse().expect("digits");
    let part = Shape::Int.pos(&n.clone().into()).expect("natural");
    assert_eq!(
        solver.value(&part, &budget).expect("value"),
        Some(n.clone())
    );
    let wanted = &n - &Int::ONE;
    let found = solver
        .options(&part, &Target::Value(wanted.clone()), 5, &budget)
        .expect("options");
    assert_eq!(found.list[0][0].0[0], wanted);
}

#[test]
fn sums_in_both_conventions_agree_with_search() {
    for misere in [false, true] {
        let play = if misere { "play misere" } else { "" };
        let game = RandomGame::plain(format!("n -> n - k for k in 1..n\n{play}"));
        let one = rules(&game);
        let solver = NimHeap.recognise(&one).expect("a heap");
        // The same sum as one part of three counters.
        let whole = rules(&RandomGame::plain(format!(
            "start (a, b, c)\n(a, b, c) -> (a - k, b, c) for k in 1..a\n(a, b, c) -> (a, b - k, c) for k in 1..b\n\
             (a, b, c) -> (a, b, c - k) for k in 1..c\n{play}"
        )));
        let mut truth = Truth::new(&whole);
        let budget = Budget::default();
        let convention = if misere { Play::Misere } else { Play::Normal };
        for code in 0..6i64.pow(3) {
            let heaps = [code % 6, code / 6 % 6, code / 36];
            let position = Position {
                parts: heaps.iter().map(|&n| pos(&[n])).collect(),
            };
            let sum = Sum::new(&position, vec![&*solver; 3], convention, &budget).expect("adds");
            let part = pos(&heaps);
            assert_eq!(sum.outcome(), truth.outcome(&part), "{heaps:?}");
            assert_eq!(sum.value(), (!misere).then(|| truth.value(&part)));
            let mut found: Vec<_> = sum
                .winning_moves(usize::MAX, &budget)
                .expect("moves")
                .list
                .into_iter()
                .map(|m| {
                    pos(&[0, 1, 2].map(|i| {
                        let heap = if i == m.part {
                            &m.left[0].0[0]
                        } else {
                            &position.parts[i].0[0]
                        };
                        heap.to_i64().expect("small")
                    }))
                })
                .collect();
            found.sort();
            let good: Vec<_> = truth
                .options(&part)
                .iter()
                .filter(|o| truth.outcome(o) == Outcome::P)
                .cloned()
                .collect();
            assert_eq!(found, good, "{heaps:?} misere={misere}");
            let few = sum.winning_moves(1, &budget).expect("moves");
            assert_eq!(few.total, Int::from(good.len()));
            assert_eq!(few.list.len(), good.len().min(1));
        }
    }
}
