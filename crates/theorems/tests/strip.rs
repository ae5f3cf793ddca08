//! Slides on a strip against mex over the interpreter, in random writings, and near misses that must be refused.

mod common;

use grundy_core::{Budget, Int};
use grundy_lang::value::Pos;
use grundy_testkit::strips::{NEAR_MISSES, StripGame, strip_game};
use grundy_testkit::{Random, Truth, bound};
use grundy_theorems::strip::Strip;
use grundy_theorems::{Target, Theorem};

fn pieces(cells: &[i64]) -> Pos {
    let words = std::iter::once(cells.len() as i64).chain(cells.iter().copied());
    Pos(words.map(Int::from).collect())
}

const GEORGIA: &str = "start sorted(P)
p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1] if i > 0 else 0)+1..p[i]-1";

#[test]
fn random_slides_agree_with_mex() {
    let mut r = Random::new(1704);
    let budget = Budget::default();
    let mut claimed = 0;
    while claimed < 2_500 {
        let StripGame {
            text,
            params,
            down,
            distance,
            wall,
        } = strip_game(&mut r);
        let mut arguments: Vec<&str> = params.iter().map(String::as_str).collect();
        arguments.push("p=[1]");
        let game = bound(&text, &arguments);
        let what = || format!("{text}{params:?}");
        let solver = match Strip.recognise(&game.rules) {
            Ok(solver) => solver,
            Err(why) => panic!("{} is refused: {}", what(), why.0),
        };
        let mut truth = Truth::new(&game.rules);
        for _ in 0..3 {
            let n = r.range(0, 5);
            // Now and then a piece past the wall, and now and then out of order.
            let mut cells = Vec::new();
            let mut at = r.range((wall - 1).max(0), wall + 3);
            for _ in 0..n {
                cells.push(at);
                at += distance + r.range(0, 3);
            }
            if !down {
                let shift = wall + i64::from(r.one_in(4)) - r.range(0, 3);
                let last = cells.last().copied().unwrap_or(0);
                for c in &mut cells {
                    *c += shift - last;
                }
                if cells.iter().any(|&c| c < 0) {
                    continue;
                }
            }
            if n > 1 && r.one_in(6) {
                let i = r.range(0, n - 2) as usize;
                cells[i] = cells[i + 1] - distance + 1;
                let why = solver.refuses(&pieces(&cells), &budget).unwrap();
                assert!(why.is_some(), "{} {cells:?}", what());
                assert!(solver.value(&pieces(&cells), &budget).is_err());
                continue;
            }
            let part = pieces(&cells);
            let what = || format!("{text}{params:?} {cells:?}");
            if let Some(why) = solver.refuses(&part, &budget).unwrap() {
                assert!(why.0.contains("past the limit"), "{}: {}", what(), why.0);
                continue;
            }
            claimed += 1;
            let value = solver.value(&part, &budget).unwrap();
            assert_eq!(value, Some(truth.value(&part)), "{}", what());
            assert_eq!(
                solver.outcome(&part, &budget).unwrap().next_wins(),
                value != Some(Int::ZERO)
            );
            common::compare_options(&*solver, &mut truth, &part, &what);
            assert!(!solver.explain(&part, &budget).unwrap().is_empty());
        }
    }
}

#[test]
fn near_misses_are_refused() {
    for (rule, word) in NEAR_MISSES {
        let game = bound(&format!("start p\n{rule}"), &["p=[2,4,7]"]);
        match Strip.recognise(&game.rules) {
            Ok(solver) => panic!("{rule} is claimed: {}", solver.finding()),
            Err(why) => assert!(why.0.contains(word), "{rule}: {}", why.0),
        }
    }
}

#[test]
fn a_first_piece_that_never_moves_is_a_wall() {
    let rule = "start p; p[] -> p with p[i] = x for i in 1..len(p)-1, x in p[i-1]+1..p[i]-1";
    let game = bound(rule, &["p=[2,4,7]"]);
    let solver = Strip.recognise(&game.rules).unwrap();
    let mut truth = Truth::new(&game.rules);
    let mut r = Random::new(5);
    for _ in 0..200 {
        let mut cells = Vec::new();
        let mut at = 0;
        for _ in 0..r.range(0, 5) {
            at += r.range(1, 4);
            cells.push(at);
        }
        let part = pieces(&cells);
        let value = solver.value(&part, &Budget::default()).unwrap();
        assert_eq!(value, Some(truth.value(&part)), "{cells:?}");
        common::compare_options(&*solver, &mut truth, &part, &|| format!("{cells:?}"));
    }
}

#[test]
fn faults_of_old_programs() {
    let budget = Budget::default();
    let value = |list: &str| {
        let game = bound(GEORGIA, &[list]);
        let solver = Strip.recognise(&game.rules).unwrap();
        solver
            .value(&game.position.parts[0], &budget)
            .unwrap()
            .unwrap()
    };
    // Unsorted pieces are put in order.
    assert_eq!(value("P=[8,1,14,5]"), value("P=[1,5,8,14]"));
    assert_eq!(value("P=[8,1,14,5]"), Int::from(3 ^ 5));
    // No piece, and one piece.
    assert_eq!(value("P=[]"), Int::ZERO);
    assert_eq!(value("P=[7]"), Int::from(6));
    // The first gap counts for an odd number of pieces only, and gaps pair from the right.
    assert_eq!(value("P=[5,6]"), Int::ZERO);
    assert_eq!(value("P=[5,6,7]"), Int::from(4));
    assert_eq!(value("P=[2,9,12]"), Int::from(1 ^ 2));
    // The contest's samples.
    assert_ne!(value("P=[1,2,3]"), Int::from(1));
    assert_eq!(value("P=[1,2,3]"), Int::ZERO);
    assert_ne!(value("P=[1,5,6,7,9,12,14,17]"), Int::ZERO);
}

#[test]
fn positions_that_gaps_do_not_decide() {
    let game = bound(GEORGIA, &["P=[1]"]);
    let solver = Strip.recognise(&game.rules).unwrap();
    let budget = Budget::default();
    let why = |cells: &[i64]| solver.refuses(&pieces(cells), &budget).unwrap().unwrap().0;
    assert_eq!(why(&[3, 3]), "p[0] and p[1] stand on the same cell 3");
    assert_eq!(
        why(&[1, 5, 4]),
        "pieces are out of order: p[1] = 5 stands past p[2] = 4"
    );
}

#[test]
fn cells_past_a_machine_word() {
    let game = bound(
        GEORGIA,
        &["P=[1000000000000000000000000000000, 5, 1000000000000000000000000000004]"],
    );
    let solver = Strip.recognise(&game.rules).unwrap();
    let budget = Budget::default();
    let part = &game.position.parts[0];
    assert_eq!(solver.value(part, &budget).unwrap(), Some(Int::from(4 ^ 3)));
    let winning = solver.options(part, &Target::P, 10, &budget).unwrap();
    for option in &winning.list {
        assert_eq!(solver.value(&option[0], &budget).unwrap(), Some(Int::ZERO));
    }
    assert_eq!(winning.total, Int::from(winning.list.len()));
}
