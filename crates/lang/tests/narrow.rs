//! Ranges cut down by guards: the same options in the same order as without, whatever the guards; and vast ranges end.

use std::ops::ControlFlow;
use std::sync::Arc;

use grundy_core::Int;
use grundy_lang::check;
use grundy_lang::diag::{Code, Source};
use grundy_lang::interp::Rules;
use grundy_lang::ir::Game;
use grundy_lang::value::Pos;

fn game(text: &str) -> Game {
    match check::load(&Source::new("test.game", text)) {
        Ok((game, _)) => game,
        Err(errors) => panic!("{}", errors[0]),
    }
}

/// A rule of one counter: no parameters but the one of the first position.
fn rules(game: Game) -> Rules {
    let params = vec![grundy_lang::value::Value::Int(Int::ZERO); game.vars.len()];
    Rules::new(Arc::new(game), params)
}

fn options(rules: &Rules, n: i64) -> Vec<(usize, Vec<Pos>)> {
    let mut out = Vec::new();
    let flow = rules
        .machine()
        .options(&Pos([Int::from(n)].into_iter().collect()), &mut |opt| {
            out.push((opt.rule, opt.parts.to_vec()));
            ControlFlow::Continue(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
    assert!(flow.is_continue());
    out
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }

    /// An expression, linear in `k` or not.
    fn side(&mut self, depth: u32) -> String {
        match self.below(if depth == 0 { 3 } else { 9 }) {
            0 => "k".to_owned(),
            1 => "n".to_owned(),
            2 => self.below(7).to_string(),
            3 | 4 => format!("{} + {}", self.side(depth - 1), self.side(depth - 1)),
            5 => format!("{} - ({})", self.side(depth - 1), self.side(depth - 1)),
            6 => format!("{} * ({})", self.below(4), self.side(depth - 1)),
            7 => format!("(-({}))", self.side(depth - 1)),
            _ => format!(
                "({}) {} {}",
                self.side(depth - 1),
                self.pick(&["%", "//"]),
                1 + self.below(3)
            ),
        }
    }

    fn guard(&mut self) -> String {
        match self.below(8) {
            0 => format!("k in {}..{}", self.side(1), self.side(1)),
            1 => format!("{} in {}..{}", self.side(1), self.below(5), self.side(1)),
            2 => format!("not {} < {}", self.side(1), self.side(1)),
            3 => format!(
                "({} < {} or {} > {})",
                self.side(1),
                self.side(1),
                self.side(1),
                self.side(1)
            ),
            _ => format!(
                "{} {} {}",
                self.side(2),
                self.pick(&["<", "<=", ">", ">=", "==", "!="]),
                self.side(2)
            ),
        }
    }
}

#[test]
fn random_guards_let_the_same_options_through() {
    let mut r = Random(2025);
    let (mut found, mut narrowed) = (0, 0);
    for _ in 0..3000 {
        let clause = |r: &mut Random| format!("{} {}", r.pick(&["if", "if"]), r.guard());
        let mut text = format!(
            "n -> n - k for k in {}..{}",
            r.below(4),
            r.pick(&["n", "n + 2", "9"])
        );
        for _ in 0..=r.below(3) {
            text.push(' ');
            text.push_str(&clause(&mut r));
            if r.below(3) == 0 {
                text.push_str(&format!(" and {}", r.guard()));
            }
        }
        let quick = rules(game(&text));
        let mut plain = game(&text);
        narrowed += usize::from(
            format!("{:?}", plain.moves[0].narrowed) != format!("{:?}", plain.moves[0].clauses),
        );
        plain
            .moves
            .iter_mut()
            .for_each(|m| m.narrowed = m.clauses.clone());
        let plain = rules(plain);
        for n in 0..12 {
            let options = options(&quick, n);
            found += options.len();
            assert_eq!(options, self::options(&plain, n), "{text} at {n}");
        }
    }
    assert!(
        found > 10_000 && narrowed > 1500,
        "{found} options, {narrowed} narrowed"
    );
}

#[test]
fn a_vast_range_behind_a_linear_guard_is_short() {
    for (text, n, count) in [
        ("n -> n - k for k in 1..10**12 if k <= 3", 10, 3),
        ("n -> n - k for k in 1..10**30 if 2*k + 1 < n", 10, 4),
        ("n -> n - k for k in -10**30..10**30 if k in 2..4", 10, 3),
        ("n -> n - k for k in 1..10**30 if 3*k == n", 12, 1),
        ("n -> n - k for k in 1..10**30 if 3*k == n", 13, 0),
        (
            "n -> n - k for k in 1..10**30 if n - k >= 4 and k % 2 == 0",
            10,
            3,
        ),
        (
            "n -> n - k for k in 1..10**30 if k <= 10**6 and k <= 2",
            10,
            2,
        ),
    ] {
        assert_eq!(options(&rules(game(text)), n).len(), count, "{text}");
    }
}

/// What the machine says of a position: the options, or the code of the error after them.
fn said(rules: &Rules, at: &Pos) -> (Vec<Vec<Pos>>, Option<Code>) {
    let mut out = Vec::new();
    let end = rules.machine().options(at, &mut |opt| {
        out.push(opt.parts.to_vec());
        ControlFlow::Continue(())
    });
    (out, end.err().map(|e| e.code))
}

/// Counters below 0 are no options, however large the range, and errors stay where they were.
#[test]
fn random_results_let_the_same_options_through() {
    let mut r = Random(31);
    let (mut found, mut narrowed, mut failed) = (0, 0, 0);
    for _ in 0..1200 {
        let end = |r: &mut Random| {
            r.pick(&["2 ** n", "n * n", "n + m", "m + 70", "n", "k * k"])
                .to_owned()
        };
        let counter = |r: &mut Random| match r.below(12) {
            0 => format!("6 // ({})", r.side(1)),
            1 => "m - j".to_owned(),
            2 => "n + k".to_owned(),
            3 => "m - 2 * k".to_owned(),
            4 => format!("abs({})", r.side(1)),
            _ => r.side(2),
        };
        let (left, right) = (counter(&mut r), counter(&mut r));
        let (low, high) = (
            r.pick(&["0", "1", "-3", "n - m"]),
            end(&mut r).replace("k * k", "9 * n"),
        );
        let inner = end(&mut r);
        let mut text =
            format!("(n, m) -> ({left}, {right}) for k in {low}..{high}, j in 0..{inner}");
        match r.below(4) {
            0 => text.push_str(&format!(" if {}", r.guard())),
            1 => text.push_str(&format!(" if {} // ({}) >= 0", r.side(1), r.side(1))),
            _ => {}
        }
        if r.below(4) == 0 {
            text = text.replace("(n, m)", "{n, m}").replace(
                &format!("({left}, {right})"),
                &format!("{{{left}, {right}}}"),
            );
        }
        let Ok((quick, _)) = check::load(&Source::new("test.game", &text)) else {
            panic!("{text}");
        };
        let mut plain = quick.clone();
        let of = |c: &[grundy_lang::ir::Clause]| format!("{c:?}");
        narrowed += usize::from(of(&quick.moves[0].narrowed) != of(&quick.moves[0].clauses));
        plain
            .moves
            .iter_mut()
            .for_each(|m| m.narrowed = m.clauses.clone());
        let (quick, plain) = (rules(quick), rules(plain));
        for _ in 0..3 {
            let at = Pos([r.below(5), r.below(5)]
                .map(|v| Int::from(v as i64))
                .into_iter()
                .collect());
            let (options, error) = said(&quick, &at);
            found += options.len();
            failed += usize::from(error.is_some());
            assert_eq!((options, error), said(&plain, &at), "{text} at {at:?}");
        }
    }
    assert!(
        found > 3000 && narrowed > 300 && failed > 150,
        "{found} options, {narrowed} narrowed, {failed} errors"
    );
}

#[test]
fn a_vast_range_of_counts_below_zero_is_short() {
    for (text, n, count) in [
        ("n -> n - k for k in 1..2**n", 100, 100),
        ("n -> n - 3*k for k in 1..10**30", 10, 3),
        ("n -> k for k in -(10**30)..n if k < 4", 10, 4),
        ("n -> [n - k, k] for k in 1..10**30", 10, 10),
        (
            "n -> [k - j, n - k] for k in 1..10**30, j in 1..10**30",
            4,
            10,
        ),
    ] {
        assert_eq!(options(&rules(game(text)), n).len(), count, "{text}");
    }
}

/// `k` at 0 would be an error at any value that is tried; a guard before it that may fail keeps the range whole.
#[test]
fn what_may_fail_is_still_tried() {
    let text = "n -> n - k for k in 0..5 if 6 // k > 0 if k >= 1";
    let rules = rules(game(text));
    let at = Pos([Int::from(9)].into_iter().collect());
    let error = rules
        .machine()
        .options(&at, &mut |_| ControlFlow::Continue(()))
        .unwrap_err();
    assert_eq!(error.code, Code::DivisionByZero);
}

#[test]
fn a_range_without_an_option_ends_with_an_error() {
    let rules = rules(game("n -> n // 2 for k in 1..10**30 if k % 1000003 == 5"));
    let mut machine = rules.machine().with_drought(300_000);
    let at = Pos([Int::from(9)].into_iter().collect());
    let mut seen = 0;
    let error = machine
        .options(&at, &mut |_| {
            seen += 1;
            ControlFlow::Continue(())
        })
        .unwrap_err();
    assert_eq!(seen, 1, "5 is taken; then nothing");
    insta::assert_snapshot!(error.to_string());
}

/// Options in between start the count anew.
#[test]
fn a_long_range_with_options_now_and_then_goes_on() {
    let rules = rules(game("n -> n - k for k in 1..2000000 if k % 100000 == 5"));
    let mut machine = rules.machine().with_drought(200_000);
    let at = Pos([Int::from(3_000_000)].into_iter().collect());
    let mut seen = 0;
    machine
        .options(&at, &mut |_| {
            seen += 1;
            ControlFlow::Continue(())
        })
        .unwrap()
        .is_continue();
    assert_eq!(seen, 20);
}

#[test]
fn divisors_come_in_order_as_if_each_value_were_tried() {
    let mut random = Random(5);
    for (number, large) in [
        ("n", true),
        ("n*n", false),
        ("n - 5000", true),
        ("0 - n", true),
        ("2*n + 1", true),
        ("n - n", true),
        ("n // 0", true),
    ] {
        for more in ["", " and d % 2 == 0", " and n % (d + 1) < 5", " if d != 6"] {
            let (from, to) = (random.pick(&["1", "2", "n // 7", "1 - n"]), "2*n");
            let rule = |guard: &str| {
                let text = format!("n -> n - d for d in {from}..{to} if {guard}");
                rules(game(&text))
            };
            let fast = rule(&format!("({number}) % d == 0{more}"));
            // The same, not to be recognised.
            let slow = rule(&format!("({number}) % d + 0 == 0{more}"));
            for _ in 0..8 {
                let n = (1000 + random.below(if large { 9000 } else { 500 })) as i64;
                let all = |rules: &Rules| {
                    let mut out = Vec::new();
                    let mut machine = rules.machine();
                    let pos = Pos([Int::from(n)].into_iter().collect());
                    // Each option by an entry of its own.
                    let mut at = Default::default();
                    loop {
                        let mut count = 0;
                        let flow = machine.options_from(&pos, &at, &mut |opt| {
                            count += 1;
                            if count == 1 {
                                out.push(opt.parts.to_vec());
                                return ControlFlow::Continue(());
                            }
                            ControlFlow::Break(())
                        });
                        match flow {
                            Ok(ControlFlow::Continue(())) => return Ok(out),
                            Ok(ControlFlow::Break(next)) => at = next,
                            Err(error) => return Err((error.code, out)),
                        }
                    }
                };
                assert_eq!(all(&fast), all(&slow), "({number}) % d == 0{more} {n}");
            }
        }
    }
}

#[test]
fn divisors_of_a_large_number_are_found_up_to_its_root() {
    let rules = rules(game("n -> n - d for d in 1..n-1 if n % d == 0"));
    assert_eq!(options(&rules, 1_000_000_000_000).len(), 168);
    let mut patient = rules.machine().with_patience(20_000);
    let pos = Pos([Int::from(100_000_000)].into_iter().collect());
    let flow = patient.options(&pos, &mut |_| ControlFlow::Continue(()));
    assert!(flow.is_ok_and(|flow| flow.is_continue()));
}
