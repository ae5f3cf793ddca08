//! Bounded look-back against plain mex over the interpreter.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use grundy_core::{Budget, Int, Outcome, mex};
use grundy_lang::check;
use grundy_lang::diag::Source;
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Play, Type};
use grundy_lang::value::{Pos, Value};
use grundy_testkit::{Random, look_back};
use grundy_theorems::look_back::LookBack;
use grundy_theorems::{Solver, Target, Theorem};

fn rules(text: &str) -> Rules {
    rules_with(text, &[])
}

fn rules_with(text: &str, given: &[(&str, Value)]) -> Rules {
    let loaded = check::load(&Source::new("<rule>", text));
    let (game, _) = loaded.unwrap_or_else(|errors| panic!("{text}\n{}", errors[0].render(false)));
    let params = game
        .vars
        .iter()
        .map(|var| match given.iter().find(|g| g.0 == var.name) {
            Some((_, value)) => value.clone(),
            None if var.ty == Type::Int => Value::from(7),
            None => Value::seq([]),
        });
    let params = params.collect();
    Rules::new(Arc::new(game), params)
}

/// Outcome and value by the definition, over what the interpreter says.
struct Truth<'r> {
    rules: &'r Rules,
    known: HashMap<Pos, (bool, u64)>,
}

impl Truth<'_> {
    fn options(&self, pos: &Pos) -> (Option<bool>, Vec<Pos>) {
        let mut machine = self.rules.machine();
        if let Some(end) = machine.end(pos).unwrap() {
            return (Some(end), Vec::new());
        }
        let mut out = Vec::new();
        let flow = machine.options(pos, &mut |option| {
            assert_eq!(option.parts.len(), 1);
            out.push(option.parts[0].clone());
            ControlFlow::Continue(())
        });
        assert!(flow.unwrap().is_continue());
        out.sort();
        out.dedup();
        (None, out)
    }

    /// Whether the player to move wins, and the value if values are defined.
    fn of(&mut self, pos: &Pos) -> (bool, u64) {
        if let Some(&known) = self.known.get(pos) {
            return known;
        }
        let (end, options) = self.options(pos);
        let below: Vec<(bool, u64)> = options.iter().map(|p| self.of(p)).collect();
        let wins = match end {
            Some(win) => !win,
            None if options.is_empty() => self.rules.game().play == Play::Misere,
            None => below.iter().any(|b| !b.0),
        };
        let answer = (wins, mex(below.iter().map(|b| b.1)));
        self.known.insert(pos.clone(), answer);
        answer
    }
}

fn pos(words: &[i64]) -> Pos {
    Pos(words.iter().map(|&w| Int::from(w)).collect())
}

/// The first part with the counter put in place of the start's name.
fn start(rules: &Rules, counter: i64) -> Pos {
    let with = Rules::new(
        rules.game().clone(),
        vec![Value::from(counter); rules.params().len()],
    );
    let value = with.machine().value(&rules.game().start.expr).unwrap();
    rules.game().shape.pos(&value).unwrap()
}

fn compare(text: &str, rules: &Rules, solver: &dyn Solver, upto: i64) {
    let budget = Budget::default();
    let mut truth = Truth {
        rules,
        known: HashMap::new(),
    };
    let valued = rules.game().play == Play::Normal && rules.game().ends.is_empty();
    for n in 0..=upto {
        truth.of(&start(rules, n));
    }
    let all: Vec<Pos> = truth.known.keys().cloned().collect();
    for part in all {
        let (wins, value) = truth.of(&part);
        let name = rules.game().shape.display(&part);
        assert_eq!(
            solver.refuses(&part, &budget).unwrap(),
            None,
            "{text}: {name}"
        );
        assert_eq!(
            solver.outcome(&part, &budget).unwrap(),
            Outcome::from_next_wins(wins),
            "{text}: {name}"
        );
        assert_eq!(
            solver.value(&part, &budget).unwrap(),
            valued.then(|| Int::from(value)),
            "{text}: {name}"
        );
        let (_, options) = truth.options(&part);
        let check = |target: Target, want: Vec<Vec<Pos>>| {
            let got = solver.options(&part, &target, 1000, &budget).unwrap();
            let mut list = got.list.clone();
            list.sort();
            assert_eq!(list, want, "{text}: {name} {target:?}");
            assert_eq!(got.total, Int::from(want.len()));
            let first = solver.options(&part, &target, 1, &budget).unwrap();
            assert_eq!(
                (first.list.len(), first.total),
                (want.len().min(1), got.total)
            );
        };
        let lost = options
            .iter()
            .filter(|p| !truth.known[*p].0)
            .map(|p| vec![p.clone()]);
        check(Target::P, lost.collect());
        if valued {
            let of_value = |v| {
                let with = options
                    .iter()
                    .filter(|p| truth.known[*p].1 == v)
                    .map(|p| vec![p.clone()]);
                with.collect()
            };
            check(Target::Value(Int::from(1)), of_value(1));
            check(Target::Value(Int::from(value)), of_value(value));
        }
    }
    assert!(!solver.finding().is_empty());
    for n in [0, 1, 5, upto, 10 * upto] {
        let words = solver.explain(&start(rules, n), &budget).unwrap();
        assert!(!words.is_empty());
    }
}

#[test]
fn random_games() {
    let mut random = Random::new(1);
    let (mut claimed, mut tried) = (0, 0);
    while claimed < 2000 {
        let text = look_back::game(&mut random);
        let rules = rules(&text);
        tried += 1;
        match LookBack.recognise(&rules) {
            Ok(solver) => compare(&text, &rules, &*solver, 45),
            Err(why) => {
                // What is refused must be past the bounds, not of the class.
                assert!(tried - claimed < 200, "{text}: {}", why.0);
                continue;
            }
        }
        claimed += 1;
    }
    println!("{claimed} of {tried}");
}

#[test]
fn near_misses_are_refused() {
    for text in look_back::NEAR_MISSES {
        let rules = rules(text);
        if let Err(why) = LookBack.recognise(&rules) {
            assert!(why.0.len() > 10, "{text}: {}", why.0);
        } else {
            panic!("{text} was taken on");
        }
    }
}

const TEAM: &str = "param n, S, M[2*n]; start (S, 0); \
    move (s, p) -> (s - k, (p + 1) % (2*n)) for k in 1..min(M[p], s); play misere";

fn team(limits: &[i64], stones: Value) -> Rules {
    let list = Value::seq(limits.iter().map(|&v| Value::from(v)));
    rules_with(
        TEAM,
        &[
            ("n", Value::from(limits.len() as i64 / 2)),
            ("S", stones),
            ("M", list),
        ],
    )
}

#[test]
fn team_nim_for_stones_without_bound() {
    let solver = LookBack
        .recognise(&team(&[2, 3, 3, 2], Value::from(9)))
        .unwrap_or_else(|w| panic!("{}", w.0));
    let budget = Budget::default();
    let at = |n: &Int| {
        solver
            .outcome(&Pos([n.clone(), Int::ZERO].into_iter().collect()), &budget)
            .unwrap()
    };
    let huge: Int = format!("1{}", "0".repeat(1000)).parse().unwrap();
    let seven = Int::from(7);
    let rest = huge.mod_floor(&seven).unwrap();
    assert_eq!(at(&huge), at(&(&rest + &Int::from(70))));
    assert!(
        solver.finding().contains("period 7 from"),
        "{}",
        solver.finding()
    );
    // A seat past the table is no seat: the rules themselves fail there.
    assert!(solver.refuses(&pos(&[5, 9]), &budget).unwrap().is_some());
    // The stones given may be of any size.
    assert!(LookBack.recognise(&team(&[4, 4], Value::Int(huge))).is_ok());
}

#[test]
fn random_teams() {
    let mut random = Random::new(2);
    for _ in 0..200 {
        let seats = 2 * random.range(1, 4);
        let limits: Vec<i64> = (0..seats).map(|_| random.range(1, 9)).collect();
        let rules = team(&limits, Value::from(50));
        let solver = LookBack
            .recognise(&rules)
            .unwrap_or_else(|w| panic!("{}", w.0));
        let mut truth = Truth {
            rules: &rules,
            known: HashMap::new(),
        };
        for s in 0..80 {
            for p in 0..seats {
                let part = pos(&[s, p]);
                let want = Outcome::from_next_wins(truth.of(&part).0);
                assert_eq!(
                    solver.outcome(&part, &Budget::default()).unwrap(),
                    want,
                    "{limits:?} {s} {p}"
                );
            }
        }
    }
}

#[test]
fn candidates_are_bounded() {
    for text in [
        "n -> n - 1 for k in 1..10**12",
        "n -> k for k in 0..10**12 if k < n",
        "n -> n - 1 for k in 1..10**12 if k == n",
    ] {
        // Refused or proved, but at once.
        let rules = rules(text);
        if let Ok(solver) = LookBack.recognise(&rules) {
            println!("{text}: {}", solver.finding());
        }
    }
}

#[test]
fn a_period_of_one_is_said_plainly() {
    let last = |text: &str, part: &[i64]| {
        let rules = rules(text);
        let solver = LookBack.recognise(&rules).map_err(|why| why.0).unwrap();
        let part = Pos(part.iter().map(|&w| Int::from(w)).collect());
        let text = solver
            .explain(&part, &Budget::default())
            .unwrap()
            .join("\n");
        println!("{text}\n");
        assert!(
            !text.contains("divided by 1,") && !text.contains("period 1 "),
            "{text}"
        );
        text
    };
    let seats = "(s, p) -> (s - k, 1 - p) for k in 1..2 + p";
    assert!(last(seats, &[90, 1]).contains("on with p = 1 the player to move always wins."));
    assert!(last(seats, &[90, 0]).contains("on with p = 0 the player to move always loses."));
    assert!(last(seats, &[1, 0]).contains("on with p = 0 the outcome is always the same."));
    assert!(
        last("n -> n - 1 if n < 3", &[9])
            .contains("From n = 2 on the player to move always loses.")
    );
}
