//! Take any number against plain mex over the interpreter.

mod common;

use std::ops::ControlFlow;

use grundy_core::{Budget, Int};
use grundy_lang::value::Pos;
use grundy_testkit::{Random, RandomGame, take_any};
use grundy_theorems::take_any::TakeAny;
use grundy_theorems::{Target, Theorem};

#[test]
fn random_games() {
    let mut random = Random::new(23);
    let (mut claimed, mut all, mut split) = (0, 0, 0);
    while claimed < 2000 {
        let game = take_any::game(&mut random);
        let rules = common::rules(&game);
        all += 1;
        match TakeAny.recognise(&rules) {
            Ok(solver) => {
                claimed += 1;
                split += usize::from(game.text.contains('['));
                common::heaps::agree(&game, &rules, &*solver, 40);
                options_as_the_rules_write_them(&game);
            }
            // Which games have a period is not known beforehand.
            Err(why) => assert!(
                why.0.contains("prove no period"),
                "{}: {}",
                game.text,
                why.0
            ),
        }
    }
    assert!(
        all < 2 * claimed && split > 500,
        "{all} games, {split} that split"
    );
}

/// Also what a heap taken whole leaves.
fn options_as_the_rules_write_them(game: &RandomGame) {
    let rules = common::rules(game);
    let solver = common::claimed(&TakeAny, game, &rules);
    let mut machine = rules.machine();
    for n in [3, 17, 29] {
        let part = common::pos(&[n]);
        let mut options: Vec<Vec<Pos>> = Vec::new();
        let flow = machine.options(&part, &mut |option| {
            options.push(option.parts.to_vec());
            ControlFlow::Continue(())
        });
        assert!(flow.unwrap().is_continue());
        let whole = |parts: &[Pos]| parts.iter().all(|p| p.0[0] == 0);
        let found = solver.options(&part, &Target::P, usize::MAX, &Budget::default());
        for parts in found.unwrap().list.into_iter().filter(|p| whole(p)) {
            assert!(
                options.contains(&parts),
                "{parts:?} at {n} of {}",
                game.text
            );
        }
    }
}

#[test]
fn near_misses_are_refused() {
    for text in take_any::NEAR_MISSES {
        let game = RandomGame::plain(*text);
        common::refused(&TakeAny, &game, &common::rules(&game));
    }
}

#[test]
fn heaps_of_any_size() {
    let game = RandomGame::plain("n -> k for k in 0..n-1 | n -> [k, n-k] for k in 1..n//2");
    let rules = common::rules(&game);
    let solver = common::claimed(&TakeAny, &game, &rules);
    let budget = Budget::default();
    let part = |n: Int| Pos([n].into_iter().collect());
    // Lasker: n - 1, n + 1 where n mod 4 is 0, 3.
    let big = Int::from(10).pow(&Int::from(1000)).unwrap();
    let value = |n: &Int| solver.value(&part(n.clone()), &budget).unwrap().unwrap();
    for (more, less) in [(0, -1), (1, 0), (2, 0), (3, 1)] {
        let n = &big + &Int::from(more);
        assert_eq!(value(&n), &n + &Int::from(less));
    }
    // All options with a value, against all pairs of one smaller heap.
    let n = 1_001;
    let values: Vec<u64> = (0..=n)
        .map(|n| value(&Int::from(n)).to_u64().unwrap())
        .collect();
    for wanted in [0, 1, 4, 512, 1_000] {
        let of = |a: usize| values[a] ^ values[n as usize - a];
        let pairs = (1..=n as usize / 2).filter(|&a| of(a) == wanted).count();
        let singles = (0..n as usize).filter(|&m| values[m] == wanted).count();
        let target = Target::Value(Int::from(wanted));
        let found = solver
            .options(&part(Int::from(n)), &target, 5, &budget)
            .unwrap();
        assert_eq!(found.total, Int::from(pairs + singles));
        assert_eq!(found.list.len(), (pairs + singles).min(5));
    }
}
