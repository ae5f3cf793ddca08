//! The staircase theorem against mex over the interpreter, on random arcs that it claims and on near misses.

mod common;

use grundy_core::{Budget, Int};
use grundy_lang::value::{Pos, Value};
use grundy_testkit::arcs::{ArcGame, NEAR_MISSES, arc_game};
use grundy_testkit::{Random, Truth, bound, game};
use grundy_theorems::staircase::Staircase;
use grundy_theorems::{Target, Theorem};

fn boxes(counts: &[i64]) -> Pos {
    let words = std::iter::once(counts.len() as i64).chain(counts.iter().copied());
    Pos(words.map(Int::from).collect())
}

fn numbers(counts: &[i64]) -> String {
    let texts: Vec<String> = counts.iter().map(i64::to_string).collect();
    format!("x=[{}]", texts.join(","))
}

/// The arcs as the interpreter has them: what one token in box a can become. `None` is nowhere.
fn arcs(truth: &mut Truth<'_>, n: usize) -> Vec<Vec<Option<usize>>> {
    (0..n)
        .map(|a| {
            let mut counts = vec![0; n];
            counts[a] = 1;
            truth
                .options(&boxes(&counts))
                .iter()
                .map(|part| (0..n).find(|&b| part.0[b + 1] == 1))
                .collect()
        })
        .collect()
}

/// Whether the colours that the arcs force fit; the arcs have no cycle.
fn two_colours(arcs: &[Vec<Option<usize>>]) -> bool {
    let n = arcs.len();
    let mut odd: Vec<Option<bool>> = vec![None; n];
    for _ in 0..n {
        for a in 0..n {
            let seen: Option<Vec<bool>> = arcs[a]
                .iter()
                .map(|b| b.map_or(Some(false), |b| odd[b]))
                .collect();
            if let Some(seen) = seen {
                odd[a] = Some(seen.contains(&false));
            }
        }
    }
    (0..n).all(|a| {
        arcs[a]
            .iter()
            .all(|b| b.is_some_and(|b| odd[b] == Some(true)) != odd[a].unwrap())
    })
}

#[test]
fn random_arcs_agree_with_mex() {
    let mut r = Random::new(3389);
    let budget = Budget::default();
    let (mut claimed, mut refused, mut as_windows) = (0, 0, 0);
    let mut games = 0;
    while claimed < 2_500 {
        games += 1;
        assert!(
            games < 30_000,
            "only {claimed} of {games} random games are claimed"
        );
        let ArcGame {
            text,
            params,
            boxes: fixed,
        } = arc_game(&mut r);
        let most = r.range(1, 6) as usize;
        let n = fixed.unwrap_or(most);
        let zeros = numbers(&vec![0; n]);
        let mut arguments: Vec<&str> = params.iter().map(String::as_str).collect();
        arguments.push(&zeros);
        let game = bound(&text, &arguments);
        let mut truth = Truth::new(&game.rules);
        let solver = Staircase.recognise(&game.rules);
        // Several numbers of boxes with one solver, in no order.
        let mut lengths = vec![n];
        if fixed.is_none() {
            lengths.extend([r.range(0, 6) as usize, r.range(0, 6) as usize]);
        }
        for n in lengths {
            let what = || format!("{text}{params:?} n={n}");
            let fits = two_colours(&arcs(&mut truth, n));
            let solver = match &solver {
                Ok(solver) => solver,
                Err(why) => {
                    assert!(
                        why.0.contains("can go both"),
                        "{} is refused: {}",
                        what(),
                        why.0
                    );
                    refused += 1;
                    continue;
                }
            };
            let counts: Vec<i64> = (0..n)
                .map(|_| if n > 4 { r.range(0, 2) } else { r.range(0, 3) })
                .collect();
            let part = boxes(&counts);
            let why = solver.refuses(&part, &budget).unwrap();
            assert_eq!(why.is_none(), fits, "{}: {why:?}", what());
            if !fits {
                assert!(why.unwrap().0.contains("can go both"), "{}", what());
                assert!(solver.value(&part, &budget).is_err());
                refused += 1;
                continue;
            }
            claimed += 1;
            as_windows += usize::from(solver.finding().contains("range"));
            let what = || format!("{text}{params:?} {counts:?}");
            let value = solver.value(&part, &budget).unwrap();
            assert_eq!(value, Some(truth.value(&part)), "{}", what());
            assert_eq!(
                solver.outcome(&part, &budget).unwrap().next_wins(),
                value != Some(Int::ZERO)
            );
            common::compare_options(&**solver, &mut truth, &part, &what);
            assert!(!solver.explain(&part, &budget).unwrap().is_empty());
        }
    }
    assert!(refused > 200, "near misses: only {refused}");
    assert!(
        (800..2_200).contains(&as_windows),
        "{as_windows} read as windows, the others enumerated"
    );
}

#[test]
fn near_misses_are_refused() {
    for (rule, word) in NEAR_MISSES {
        let game = bound(&format!("start x; {rule}"), &["x=[1,2,3]"]);
        match Staircase.recognise(&game.rules) {
            Ok(_) => panic!("{rule} is claimed"),
            Err(why) => assert!(why.0.contains(word), "{rule}: {}", why.0),
        }
    }
}

const CARD_BOXES: &str = "start x
x[] -> x with x[A-1] -= k, x[B-1] += k for A in 2..len(x), B in 1..A-1, k in 1..x[A-1] if (A + B) % 6 == 3";

#[test]
fn card_boxes_1_3_and_4_are_dead_ends() {
    let game = bound(CARD_BOXES, &["x=[9,0,9,9]"]);
    let solver = Staircase.recognise(&game.rules).unwrap();
    let budget = Budget::default();
    for (counts, value) in [
        (&[9, 0, 9, 9][..], 0),
        (&[0, 5], 5),
        (&[9, 0, 9, 9, 3, 6], 5),
        (&[], 0),
        (&[1], 0),
    ] {
        assert_eq!(
            solver.value(&boxes(counts), &budget).unwrap(),
            Some(Int::from(value)),
            "{counts:?}"
        );
    }
    // Boxes whose number leaves 0, 2 or 5 modulo 6 count.
    let all: Vec<i64> = (0..20_000).map(|i| 1 << (i % 40)).collect();
    let right = all
        .iter()
        .enumerate()
        .filter(|(i, _)| matches!((i + 1) % 6, 0 | 2 | 5))
        .fold(0, |s, (_, c)| s ^ c);
    assert_eq!(
        solver.value(&boxes(&all), &budget).unwrap(),
        Some(Int::from(right))
    );
}

#[test]
fn the_reason_names_the_arcs() {
    let game = bound(
        "start x; x[] -> x with x[A] -= k, x[B] += k for A in 1..len(x)-1, B in 0..A-1, k in 1..x[A]",
        &["x=[1,1,1]"],
    );
    let why = Staircase.recognise(&game.rules).err().unwrap();
    assert_eq!(
        why.0,
        "tokens of x[2] can go both to x[0] (even) and to x[1] (odd), so no two colours fit the arcs"
    );
    let game = bound(
        "param adj[][]; start x; x[] -> x with x[v] -= k, x[w] += k for v in 0..len(x)-1, w in adj[v], k in 1..x[v]",
        &["adj=[[1],[2],[0]]", "x=[1,1,1]"],
    );
    let why = Staircase.recognise(&game.rules).err().unwrap();
    assert!(why.0.contains("can come back"), "{}", why.0);
}

#[test]
fn counts_past_a_machine_word() {
    let text = "start x; x[] -> x with x[i] -= k, x[i-1] += k for i in 1..len(x)-1, k in 1..x[i]";
    let game = bound(text, &["x=[0,0]"]);
    let solver = Staircase.recognise(&game.rules).unwrap();
    let big: Int = "1000000000000000000000000000000".parse().unwrap();
    let part = Pos([
        Int::from(4),
        Int::from(7),
        big.clone(),
        Int::from(3),
        Int::from(5),
    ]
    .into_iter()
    .collect());
    let budget = Budget::default();
    let value = big.bitxor(&Int::from(5));
    assert_eq!(solver.value(&part, &budget).unwrap(), Some(value.clone()));
    let winning = solver.options(&part, &Target::P, 10, &budget).unwrap();
    assert_eq!(winning.total, Int::from(1));
    let after = &winning.list[0][0];
    assert_eq!(solver.value(after, &budget).unwrap(), Some(Int::ZERO));
    assert_eq!(after.0[2], Int::from(5));
}

#[test]
fn a_million_boxes() {
    let game = game(CARD_BOXES);
    let params = vec![Value::seq([])];
    let rules = grundy_lang::interp::Rules::new(game, params);
    let solver = Staircase.recognise(&rules).unwrap();
    let mut r = Random::new(1);
    let n = 1_000_000;
    let counts: Vec<i64> = (0..n).map(|_| r.range(0, 1_000_000_000)).collect();
    let part = boxes(&counts);
    let budget = Budget::default();
    let value = solver.value(&part, &budget).unwrap().unwrap();
    let odd = |i: usize| matches!((i + 1) % 6, 0 | 2 | 5);
    let right = (0..n).filter(|&i| odd(i)).fold(0, |s, i| s ^ counts[i]);
    assert_eq!(value, right);
    // All winning moves, counted again by classes and sorted needs: from an odd box, its successors; into an odd box,
    // the
    // even boxes above it in the class that hold enough.
    let winning = solver.options(&part, &Target::P, 3, &budget).unwrap();
    assert_eq!(winning.list.len(), 3);
    for option in &winning.list {
        assert_eq!(solver.value(&option[0], &budget).unwrap(), Some(Int::ZERO));
    }
    assert!(winning.total > Int::from(1_000_000));
}

/// Larger boxes than mex can reach: the options of value 0 are those of the interpreter's options that the solver,
/// tested above, gives
/// the value 0.
#[test]
fn winning_moves_of_larger_positions() {
    let mut r = Random::new(6);
    let budget = Budget::default();
    let (mut claimed, mut listed) = (0, 0);
    while claimed < 60 {
        let ArcGame {
            text, boxes: fixed, ..
        } = arc_game(&mut r);
        if fixed.is_some() {
            continue;
        }
        let n = r.range(10, 30) as usize;
        let counts: Vec<i64> = (0..n).map(|_| r.range(0, 60)).collect();
        let part = boxes(&counts);
        let game = bound(&text, &["x=[]"]);
        let Ok(solver) = Staircase.recognise(&game.rules) else {
            continue;
        };
        if solver.refuses(&part, &budget).unwrap().is_some() {
            continue;
        }
        claimed += 1;
        let options = Truth::new(&game.rules).options(&part);
        let value = |part: &Pos| solver.value(part, &budget).unwrap().unwrap();
        let right: Vec<Vec<Pos>> = options
            .iter()
            .filter(|o| value(o).is_zero())
            .map(|o| vec![o.clone()])
            .collect();
        let found = solver
            .options(&part, &Target::P, usize::MAX, &budget)
            .unwrap();
        assert_eq!(found.total, Int::from(right.len()), "{text} {counts:?}");
        let mut list = found.list;
        list.sort();
        assert_eq!(list, right, "{text} {counts:?}");
        listed += right.len();
    }
    assert!(listed > 300, "{listed}");
}
