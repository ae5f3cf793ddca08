//! Periods of rows, from the text of the rules to the certificate: against a plain search, and near misses are refused.

use grundy::{Budget, open, rows, verify};
use grundy_lang::interp::Rules;
use grundy_lang::value::Pos;
use grundy_search::Engine;
use grundy_testkit::{Random, rays};

fn subject(text: &str, words: &[&str], fix: &str) -> Result<rows::Subject, String> {
    let words: Vec<String> = words.iter().map(|&w| w.to_owned()).collect();
    rows::subject(text, &words, &[fix.to_owned()]).map_err(|errors| errors[0].message.clone())
}

fn period(subject: &rows::Subject, to: u64) -> rows::Report {
    rows::period(subject, Some(to), &Budget::default(), &mut |_, _| ()).unwrap()
}

/// A file with a certificate is accepted.
fn accepted(report: &rows::Report, name: &str) {
    let file = std::env::temp_dir().join(format!("grundy-rows-{}-{name}", std::process::id()));
    std::fs::write(&file, report.certificate().unwrap().text()).unwrap();
    let path = file.to_str().unwrap();
    let verdict = verify::verify(path, &Budget::default(), &mut |_, _| ()).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(verdict.checked.is_ok(), "{verdict:?}");
}

/// The values of a row by search.
fn searched(text: &str, first: bool, at: u64, columns: u64) -> Vec<u64> {
    let game = open(text).unwrap().game;
    let params = game.vars.iter().map(|_| 0.into()).collect();
    let rules = Rules::new(game.clone(), params);
    let mut engine = Engine::new(&rules, Budget::default());
    let unordered = text.contains("start {");
    let value = |n| {
        let mut at = if first { [at, n] } else { [n, at] };
        if unordered {
            at.sort_unstable();
        }
        engine
            .value(&Pos::of_counters(&at))
            .unwrap()
            .to_u64()
            .unwrap()
    };
    (0..columns).map(value).collect()
}

#[test]
fn random_games_against_a_search() {
    let mut random = Random::new(41);
    let (mut proved, mut refused, mut guarded) = (0, 0, 0);
    while proved < 320 {
        let game = rays::game(&mut random);
        if !game.text.contains("(a, b)\n") && !game.text.contains("{a, b}\n") {
            continue;
        }
        let (first, at) = (random.one_in(2), random.below(5));
        let fix = format!("{}={at}", if first { "a" } else { "b" });
        let row = match subject(&game.text, &[], &fix) {
            Ok(row) => row,
            Err(why) => {
                guarded += usize::from(why.contains("ray") || why.contains("linear"));
                refused += 1;
                continue;
            }
        };
        let report = period(&row, 50_000);
        let found = report.row().unwrap_or_else(|| panic!("{}", game.text));
        let columns = found.row.preperiod + 3 * found.row.period + 10;
        if columns > 160 {
            continue;
        }
        let wanted = searched(&game.text, first, at, columns);
        let values: Vec<u64> = (0..columns).map(|n| found.value(n)).collect();
        assert_eq!(values, wanted, "{} with {fix}", game.text);
        if proved % 8 == 0 {
            accepted(&report, &proved.to_string());
        }
        proved += 1;
    }
    assert!(refused > 50 && guarded > 20, "{refused}, {guarded}");
}

#[test]
fn games_of_the_catalogue() {
    for (game, words, fix, period_is) in [
        ("wythoff", &[][..], "a=8", (24, 102, 24)),
        ("wythoff", &[], "b=8", (24, 102, 24)),
        ("t_wythoff", &["k=0"], "a=8", (24, 102, 24)),
    ] {
        let report = period(&subject(game, words, fix).unwrap(), 10_000);
        let row = report.row().unwrap().row;
        assert_eq!(
            (row.period, row.preperiod, row.saltus),
            period_is,
            "{game} {fix}"
        );
        accepted(&report, &format!("{game}-{fix}"));
    }
    let report = period(&subject("t_wythoff", &["k=2"], "a=6").unwrap(), 100_000);
    accepted(&report, "t_wythoff");
}

#[test]
fn near_misses_are_refused() {
    let nim = "(a, b) -> (a - k, b) for k in 1..a | (a, b) -> (a, b - k) for k in 1..b";
    assert!(subject(nim, &[], "a=3").is_ok());
    for (text, why) in [
        (format!("{nim} if a != 100"), "no ray"),
        (format!("{nim} if (a + b) % 2 == 0"), "no ray"),
        (format!("{nim} if k <= a"), "no ray"),
        (format!("{nim} if k*k <= b"), "not linear"),
        (format!("{nim} | (a, b) -> (b, a) if a < b"), "no ray"),
        (
            format!("{nim} | (a, b) -> (a - 1, b + 1) if a > 0"),
            "no ray",
        ),
        (
            format!("{nim} | (a, b) -> [(a - 1, b), (1, 1)] if a > 1"),
            "one part",
        ),
        (
            format!("{nim} | (a, b) -> (a - 200, b) if b > 300"),
            "no ray",
        ),
        (
            format!(
                "start (a, b); play misere; move {}",
                nim.replace('|', "; move")
            ),
            "misere",
        ),
        (
            format!(
                "start (a, b); lose if a == 7; move {}",
                nim.replace('|', "; move")
            ),
            "lose if",
        ),
        (
            "(a, b, c) -> (a - k, b, c) for k in 1..a".to_owned(),
            "two counters",
        ),
        ("n -> n - k for k in 1..n".to_owned(), "two counters"),
        (
            "{a, b} -> {a - k, b} for k in 1..a if a >= b".to_owned(),
            "",
        ),
    ] {
        let refused = subject(&text, &[], "a=3");
        match refused {
            Err(message) => assert!(message.contains(why), "{text}: {message}"),
            // From the larger one only is a move of a fixed set as well.
            Ok(row) => assert!(why.is_empty() && row.row.rays.len() == 1, "{text}"),
        }
    }
    assert!(
        subject("wythoff", &["a=4"], "b=3")
            .unwrap_err()
            .contains("`--fix` alone")
    );
}
