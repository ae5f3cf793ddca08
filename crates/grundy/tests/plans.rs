//! Every fact of the catalogue, by theorem and by search: the same outcome, the same value, the same winning moves, each
//! of them traced to a rule.

use std::collections::BTreeSet;
use std::sync::Arc;

use grundy::ir::ExpectAnswer;
use grundy::value::{Pos, Position};
use grundy::{Answer, Arguments, Budget, Code, Engine, Int, Outcome, Plan, catalogue};

/// A plan that searches and gives up at its first report of progress.
fn short_search(rules: &grundy::Rules) -> Plan {
    let budget = Budget::with_memory(64 << 20);
    let stop = budget.clone();
    let plan = Plan::new(rules, Engine::Search, budget).unwrap();
    plan.report(Arc::new(move |_| stop.stop()))
}

fn moves(answer: &Answer) -> BTreeSet<(usize, Vec<Pos>)> {
    let sorted = |to: &[Pos]| {
        let mut to = to.to_vec();
        to.sort();
        to
    };
    answer
        .moves
        .iter()
        .map(|m| (m.part, sorted(&m.to)))
        .collect()
}

#[test]
fn theorems_and_search_agree_on_every_fact_of_the_catalogue() {
    let mut wrong = String::new();
    let (mut facts, mut proved, mut compared) = (0, 0, 0);
    for entry in catalogue::ALL {
        let game = grundy::open(entry.name)
            .unwrap_or_else(|e| panic!("{}: {e:?}", entry.name))
            .game;
        for fact in &game.expects {
            let what = format!("{}: {}", entry.name, game.source.slice(fact.span));
            let args = Arguments {
                source: game.source.clone(),
                list: fact.args.clone(),
            };
            let bound = match grundy::bind::bind(&game, &args) {
                Ok(bound) => bound,
                Err(error) => {
                    wrong.push_str(&format!("{what}: {error}\n"));
                    continue;
                }
            };
            let plan = Plan::new(&bound.rules, Engine::Auto, Budget::default()).unwrap();
            let answer = plan
                .answer(&bound.position, 1000)
                .unwrap_or_else(|e| panic!("{what}: {e}"));
            match &fact.answer {
                ExpectAnswer::Win => assert_eq!(answer.outcome, Outcome::N, "{what}"),
                ExpectAnswer::Lose => assert_eq!(answer.outcome, Outcome::P, "{what}"),
                ExpectAnswer::Value(v) => assert_eq!(answer.grundy.as_ref(), Some(v), "{what}"),
            }
            facts += 1;
            if answer.theorem.is_none() {
                continue;
            }
            proved += 1;
            let search = short_search(&bound.rules);
            let slow = match search.answer(&bound.position, 1000) {
                Ok(slow) => slow,
                Err(error) if matches!(error.code, Code::Interrupted | Code::Memory) => continue,
                Err(error) => panic!("{what}: {error}"),
            };
            compared += 1;
            assert_eq!(answer.outcome, slow.outcome, "{what}");
            assert_eq!(answer.moves_total, slow.moves_total, "{what}");
            if let (Some(a), Some(b)) = (&answer.grundy, &slow.grundy) {
                assert_eq!(a, b, "{what}");
            }
            assert!(
                slow.grundy.is_some() || answer.grundy.is_none(),
                "{what}: a value where none is defined"
            );
            if answer.moves_total <= Int::from(1000) {
                assert_eq!(moves(&answer), moves(&slow), "{what}");
            }
            assert!(
                answer.moves.iter().all(|m| m.by.is_some()),
                "{what}: a move that no rule allows"
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(
        facts >= 60 && proved >= 20 && compared >= 15,
        "{facts} facts, {proved} proved, {compared} compared"
    );
}

/// Empty heaps are no parts, so that a move is counted once however the rules write what it leaves.
#[test]
fn theorem_and_search_count_the_same_winning_moves() {
    let mut random = grundy_testkit::Random::new(606);
    let (mut compared, mut won) = (0, 0);
    let games = (0..120).map(|_| grundy_testkit::take_and_break::game(&mut random).text);
    let written = [
        "n -> [a, n - 1 - a] for a in 0..n - 1 | n -> n - 1",
        "n -> [0, n - 1, 0] if n > 0 | n -> n - 1",
        "n -> [] if n == 1 | n -> n - k for k in 1..2",
    ];
    for text in games
        .collect::<Vec<_>>()
        .into_iter()
        .chain(written.map(str::to_owned))
    {
        let rules = grundy_testkit::RandomGame::plain(&*text).rules().unwrap();
        let plan = |engine| Plan::new(&rules, engine, Budget::default()).unwrap();
        let (quick, slow) = (plan(Engine::Auto), plan(Engine::Search));
        for heaps in [&[7][..], &[12], &[3, 8], &[5, 5, 9]] {
            let part = |&h: &i64| Pos([Int::from(h)].into_iter().collect());
            let position = Position {
                parts: heaps.iter().map(part).collect(),
            };
            let (quick, slow) = (
                quick.answer(&position, 1000).unwrap(),
                slow.answer(&position, 1000).unwrap(),
            );
            let what = format!("{text} at {heaps:?}");
            assert_eq!(quick.outcome, slow.outcome, "{what}");
            assert_eq!(quick.moves_total, slow.moves_total, "{what}");
            let total = Int::from(quick.moves.len());
            assert_eq!(total, quick.moves_total, "{what}");
            compared += usize::from(quick.theorem.is_some());
            won += usize::from(quick.outcome == Outcome::N);
        }
    }
    assert!(
        compared > 350 && won > 250,
        "{compared} compared, {won} won"
    );
}

/// A move that thousands of options stand before is traced to its rule: by a leap, and where that is not possible by a walk.
#[test]
fn moves_far_behind_are_traced_to_their_rules() {
    let long = "7".repeat(1000);
    for (text, n) in [
        ("n -> n - k for k in 1..n//2", "12000"),
        ("n -> n - k for k in 1..n//2", &long),
        ("n -> n - 50*j - k for j in 0..50, k in 1..50", "2500"),
        (
            "n -> n - 2*k for k in 1..1500 | n -> n + 1 - 2*k for k in 1..1500",
            "2999",
        ),
        (
            "(n, m) -> (n - k, m) for k in 1..n | (n, m) -> (n, m - k) for k in 1..m",
            "5000 9000",
        ),
    ] {
        let game = grundy::open(text).unwrap().game;
        let words: Vec<String> = n.split(' ').map(str::to_owned).collect();
        let bound = grundy::bind::bind(&game, &Arguments::parse(&words).unwrap()).unwrap();
        let plan = Plan::new(&bound.rules, Engine::Auto, Budget::default()).unwrap();
        let answer = plan.answer(&bound.position, 20).unwrap();
        assert!(!answer.moves.is_empty(), "{text}");
        for m in &answer.moves {
            let rule = m.by.as_ref().unwrap_or_else(|| panic!("{text}: {m:?}"));
            let value = |name: &str| {
                let found = rule.with.iter().find(|(n, _)| n == name);
                found.map_or(Int::ZERO, |(_, v)| v.as_int().unwrap().clone())
            };
            let taken = match text {
                _ if text.contains("2*k") => {
                    let twice = &value("k") + &value("k");
                    &twice - &Int::from(rule.index)
                }
                _ => &(&value("j") * &Int::from(50)) + &value("k"),
            };
            let total = |pos: &Pos| pos.0.iter().fold(Int::ZERO, |sum, v| &sum + v);
            assert_eq!(&total(&m.from) - &taken, total(&m.to[0]), "{text}");
        }
    }
}

/// With several quantifiers too, where each of them has more values than anybody could walk over.
#[test]
fn moves_of_great_counts_are_traced_to_their_rules() {
    let game = grundy::open("card_boxes").unwrap().game;
    let mut random = grundy_testkit::Random::new(5);
    for boxes in [8, 60] {
        let counts =
            (0..boxes).map(|_| format!("{}{:018}", 1 + random.below(9), random.below(1 << 40)));
        let words = [format!("x=[{}]", counts.collect::<Vec<_>>().join(","))];
        let bound = grundy::bind::bind(&game, &Arguments::parse(&words).unwrap()).unwrap();
        let plan = Plan::new(&bound.rules, Engine::Auto, Budget::default()).unwrap();
        let answer = plan.answer(&bound.position, 20).unwrap();
        assert!(!answer.moves.is_empty());
        for m in &answer.moves {
            let rule = m.by.as_ref().expect("the rule behind the move");
            let value = |name: &str| {
                let found = rule.with.iter().find(|(n, _)| n == name);
                found
                    .and_then(|(_, v)| v.as_int())
                    .cloned()
                    .expect("a number")
            };
            let (mut left, k) = (m.from.0.clone(), value("k"));
            // An array is its length and its members.
            let at = |name: &str| value(name).to_usize().unwrap();
            let (from, to) = (at("A"), at("B"));
            left[from] = &left[from] - &k;
            left[to] = &left[to] + &k;
            assert_eq!(left, m.to[0].0);
        }
    }
}

/// Questions about the same rules share one array, which grows; each is answered as it would be alone.
#[test]
fn an_array_that_questions_share_answers_as_search_does() {
    let mut state = 1u64;
    let mut below = |n: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    for text in [
        "(a, b) -> (a - 1, b) | (a, b) -> (a, b - 1) | (a, b) -> (a - 1, b - 1)",
        "(a, b) -> (a - 2, b + 1) | (a, b) -> (a, b - 3) if b < 40",
        "{a, b} -> {a - k, b} for k in 1..a | {a, b} -> {a - 1, b - 1}",
        "(a, b) -> (a - k, b - 1) for k in 1..2 | (a, b) -> (a, b - 2); play misere",
    ] {
        let game = grundy::open(text).unwrap().game;
        let rules = grundy::Rules::new(
            game.clone(),
            vec![grundy::value::Value::Bool(false); game.vars.len()],
        );
        for engine in [Engine::Auto, Engine::Jit, Engine::Interpret, Engine::Rays] {
            // The others have no long rays, which is an error where they are asked for.
            if matches!(engine, Engine::Rays) && !text.contains("1..a") {
                continue;
            }
            let shared = Plan::new(&rules, engine, Budget::default()).unwrap();
            for case in 0..40 {
                // Inside the array, past one side of it, past both, and, at times, two parts.
                let most = 4 + case / 2;
                let parts = if case % 5 == 4 { 2 } else { 1 };
                let misere = game.play == grundy::ir::Play::Misere;
                let parts = if misere { 1 } else { parts };
                let part = |_| {
                    let mut at = [below(most), below(most)];
                    // An unordered pair is written from the smaller on.
                    at.sort_unstable();
                    Pos::of_counters(&at)
                };
                let position = Position {
                    parts: (0..parts).map(part).collect(),
                };
                let alone = Plan::new(&rules, Engine::Search, Budget::default()).unwrap();
                let what = format!("{text}: {}", game.shape.display_position(&position));
                assert_eq!(
                    shared.outcome(&position).unwrap(),
                    alone.outcome(&position).unwrap(),
                    "{what}"
                );
                assert_eq!(
                    shared.value(&position).unwrap(),
                    alone.value(&position).unwrap(),
                    "{what}"
                );
            }
        }
    }
}
