//! Periods of rows against plain tables, and their certificates, true and forged, against the checker.

use std::collections::BTreeSet;

use grundy_cert::{Certificate, GameText, Proof, Ray, Rows, Values, parse};
use grundy_check::{Fault, Refusal, Report};
use grundy_core::Budget;
use grundy_find::rows::{Game, Proved, Stop, prove};
use grundy_testkit::Random;

fn ray(from: [u64; 2], step: [u64; 2], count: Option<u64>) -> Ray {
    Ray { from, step, count }
}

fn single(from: [u64; 2]) -> Ray {
    ray(from, [0, 0], Some(1))
}

const WYTHOFF: &str = "start {a, b}
move {a, b} -> {a - k, b}      for k in 1..a
move {a, b} -> {a, b - k}      for k in 1..b
move {a, b} -> {a - k, b - k}  for k in 1..min(a, b)
";

fn wythoff(at: u64) -> Game {
    Game {
        rays: vec![
            ray([1, 0], [1, 0], None),
            ray([0, 1], [0, 1], None),
            ray([1, 1], [1, 1], None),
        ],
        fixed: 0,
        at,
        unordered: true,
    }
}

fn find(game: &Game, to: u64) -> Result<Proved, Stop> {
    prove(game, to, &Budget::default(), &mut |_| ())
}

fn check(certificate: &Certificate) -> Result<Report, Refusal> {
    grundy_check::check(certificate, &Budget::default(), &mut |_, _| ())
}

fn text(rules: &str) -> GameText {
    GameText {
        text: rules.to_owned(),
        arguments: Vec::new(),
    }
}

/// The rules of a game as a person writes them.
fn written(game: &Game) -> String {
    let (open, close) = if game.unordered {
        ('{', '}')
    } else {
        ('(', ')')
    };
    let mut out = format!("start {open}a, b{close}\n");
    for r in &game.rays {
        let j = match r.count {
            Some(count) => format!("0..{}", count - 1),
            None => "0..a+b".to_owned(),
        };
        out += &format!(
            "move {open}a, b{close} -> {open}a - {} - {}*j, b - {} - {}*j{close} for j in {j}\n",
            r.from[0], r.step[0], r.from[1], r.step[1]
        );
    }
    out
}

/// The values with both counters below these bounds, by the definition.
fn table(game: &Game, rows: usize, columns: usize) -> Vec<Vec<u64>> {
    let [height, width] = match (game.unordered, game.fixed) {
        (true, _) => [rows.max(columns); 2],
        (false, 0) => [rows, columns],
        _ => [columns, rows],
    };
    let mut table = vec![vec![0; width]; height];
    let mut seen: Vec<usize> = Vec::new();
    let mut stamp = 0;
    // The last column of an unordered game is as far as its rows go.
    let needed = |a: usize, b: usize| !game.unordered || a.min(b) < rows;
    for a in 0..height {
        for b in 0..width {
            if !needed(a, b) {
                continue;
            }
            if game.unordered && b < a {
                table[a][b] = table[b][a];
                continue;
            }
            stamp += 1;
            for r in &game.rays {
                let [mut c, mut d] = r.from.map(|n| n as usize);
                let mut left = r.count.unwrap_or(u64::MAX);
                while left > 0 && c <= a && d <= b {
                    // In no order the smaller counter may have become the larger one.
                    let v: u64 = table[a - c][b - d];
                    if seen.len() <= v as usize {
                        seen.resize(v as usize + 1, 0);
                    }
                    seen[v as usize] = stamp;
                    (c, d, left) = (c + r.step[0] as usize, d + r.step[1] as usize, left - 1);
                }
            }
            let mex = seen.iter().position(|&s| s != stamp);
            table[a][b] = mex.unwrap_or(seen.len()) as u64;
        }
    }
    table
}

fn cell(game: &Game, table: &[Vec<u64>], row: usize, column: usize) -> u64 {
    match game.fixed {
        0 => table[row][column],
        _ => table[column][row],
    }
}

/// A random game of the class.
fn random_game(r: &mut Random) -> Game {
    let unordered = r.one_in(3);
    let mut rays: BTreeSet<Ray> = BTreeSet::new();
    // Most rows grow only if a move along them takes any number.
    if !r.one_in(4) {
        rays.insert(ray([0, 1], [0, 1], None));
    }
    if !r.one_in(4) {
        rays.insert(ray([1, 0], [1, 0], None));
    }
    for _ in 0..1 + r.below(4) {
        let step = match r.below(6) {
            0 => [0, 1 + r.below(3)],
            1 => [1 + r.below(3), 0],
            2 | 3 => [1, 1],
            _ => [1 + r.below(2), 1 + r.below(3)],
        };
        let from = match r.below(3) {
            0 => [r.below(4), r.below(5)],
            _ => step,
        };
        if from == [0, 0] {
            continue;
        }
        rays.insert(match r.below(5) {
            0 | 1 => single(from),
            2 => ray(from, step, Some(2 + r.below(4))),
            _ => ray(from, step, None),
        });
    }
    if unordered {
        let mirror = |r: &Ray| {
            let swap = |[a, b]: [u64; 2]| [b, a];
            ray(swap(r.from), swap(r.step), r.count)
        };
        let mirrored: Vec<Ray> = rays.iter().map(mirror).collect();
        rays.extend(mirrored);
    }
    Game {
        rays: rays.into_iter().collect(),
        fixed: if unordered { 0 } else { r.below(2) as usize },
        at: r.below(6),
        unordered,
    }
}

#[test]
fn rows_of_wythoffs_game() {
    let proved = find(&wythoff(16), 100_000).unwrap();
    let periods: Vec<(u64, u64)> = proved
        .rows()
        .iter()
        .map(|f| (f.row.period, f.row.preperiod))
        .collect();
    let first = [(1, 0), (3, 0), (3, 0), (6, 8), (12, 9), (24, 27), (12, 37)];
    assert_eq!(periods[..7], first);
    let row: Vec<u64> = (0..=20).map(|n| proved.rows()[10].value(n)).collect();
    assert_eq!(
        row,
        [
            10, 11, 9, 8, 13, 12, 0, 15, 16, 17, 14, 18, 7, 6, 2, 3, 1, 4, 5, 23, 28
        ]
    );
    let columns = 1800;
    let game = wythoff(16);
    let table = table(&game, 17, columns);
    for (r, found) in proved.rows().iter().enumerate() {
        assert!(columns as u64 > found.row.preperiod + 4 * found.row.period);
        let values: Vec<u64> = (0..columns as u64).map(|n| found.value(n)).collect();
        assert_eq!(values, table[r][..columns], "row {r}");
        let (p, n0) = (found.row.period as usize, found.row.preperiod as usize);
        // Neither can be less.
        let repeats = |p: usize, s: u64, n: usize| table[r][n + p] == table[r][n] + s;
        for q in 1..p {
            let s = table[r][n0 + q].checked_sub(table[r][n0]);
            assert!(s.is_none_or(|s| !(n0..n0 + 2 * p).all(|n| repeats(q, s, n))));
        }
        assert!(n0 == 0 || !repeats(p, found.row.saltus, n0 - 1));
    }
    let report = check(&proved.certificate(text(WYTHOFF))).unwrap();
    assert!(
        report
            .claim
            .starts_with("the first counter being 16, G(n + 192) = G(n) + 192")
    );
}

#[test]
fn random_games_against_plain_tables() {
    let mut random = Random::new(5);
    let (mut compared, mut flat, mut none) = (0, 0, 0);
    for i in 0..700 {
        let game = random_game(&mut random);
        let proved = match find(&game, 30_000) {
            Ok(proved) => proved,
            Err(Stop::NoPeriod { .. }) => {
                none += 1;
                continue;
            }
            Err(stop) => panic!("{stop:?}: {game:?}"),
        };
        let last = proved.last();
        let columns = (last.row.preperiod + 3 * last.row.period + 60) as usize;
        if columns > 700 {
            continue;
        }
        let rows = game.at as usize + 1;
        let table = table(&game, rows, columns);
        for (r, found) in proved.rows().iter().enumerate() {
            for n in 0..columns {
                let wanted = cell(&game, &table, r, n);
                assert_eq!(
                    found.value(n as u64),
                    wanted,
                    "{game:?}: row {r}, column {n}"
                );
            }
        }
        flat += usize::from(last.row.saltus == 0);
        compared += 1;
        if i % 3 == 0 {
            let certificate = proved.certificate(text(&written(&game)));
            let checked = check(&certificate);
            assert!(checked.is_ok(), "{checked:?}: {game:?}");
            assert_eq!(check(&parse(&certificate.text()).unwrap()), checked);
        }
    }
    assert!(compared >= 300 && flat > 20, "{compared}, {flat}, {none}");
}

/// A game of ordered counters with rays of each kind, its second counter fixed.
fn queer() -> Game {
    Game {
        rays: vec![
            ray([2, 0], [2, 0], None),
            ray([0, 1], [0, 1], None),
            ray([1, 2], [1, 1], Some(4)),
            single([2, 1]),
        ],
        fixed: 1,
        at: 3,
        unordered: false,
    }
}

/// A game whose values are bounded.
fn flat() -> Game {
    Game {
        rays: vec![
            ray([0, 1], [0, 1], Some(3)),
            ray([1, 0], [1, 0], None),
            single([1, 2]),
        ],
        fixed: 0,
        at: 2,
        unordered: false,
    }
}

fn proof(c: &mut Certificate) -> &mut Rows {
    match &mut c.proof {
        Proof::Rows(rows) => rows,
        other => panic!("{other:?}"),
    }
}

/// The true values of the last row, as many as the numbers of the certificate ask for.
fn with_values(game: &Game, mut c: Certificate) -> Certificate {
    let last = *proof(&mut c).rows.last().unwrap();
    let count = (last.state_at + last.state_period) as usize;
    let table = table(game, game.at as usize + 1, count);
    let values = (0..count).map(|n| cell(game, &table, game.at as usize, n));
    c.values = Values::listed(values.collect());
    c
}

#[test]
fn forgeries_are_refused() {
    let mut count = 0;
    let mut refused = |what: &str, c: &Certificate, faults: &[Fault]| -> Refusal {
        count += 1;
        let refusal = check(c).expect_err(what);
        assert!(faults.contains(&refusal.fault), "{what}: {refusal:?}");
        refusal
    };
    let mut random = Random::new(3);
    let games = [
        (wythoff(3), WYTHOFF.to_owned()),
        (queer(), written(&queer())),
        (flat(), written(&flat())),
    ];
    for (game, rules) in &games {
        let proved = find(game, 10_000).unwrap();
        let c = proved.certificate(text(rules));
        let accepted = check(&c);
        assert!(accepted.is_ok(), "{accepted:?}");
        let change = |f: &dyn Fn(&mut Certificate)| {
            let mut forged = c.clone();
            f(&mut forged);
            forged
        };
        let at = game.at as usize;
        let rows = proved.rows().len();

        // The claim alone, and the claim with the numbers of the row.
        for (f, what) in [
            ((|c| c.period += 1) as fn(&mut Certificate), "period"),
            (|c| c.period -= 1, "period"),
            (|c| c.preperiod += 1, "preperiod"),
            (|c| c.saltus += 1, "saltus"),
        ] {
            refused(what, &change(&f), &[Fault::Hypothesis]);
        }
        for r in 0..rows {
            let row = proved.rows()[r].row;
            let numbers = |period: u64, preperiod: u64, saltus: u64, state_at: u64, state: u64| {
                let forged = change(&|c| {
                    let rows = &mut proof(c).rows;
                    rows[r].period = period;
                    rows[r].preperiod = preperiod;
                    rows[r].saltus = saltus;
                    rows[r].state_at = state_at;
                    rows[r].state_period = state;
                    if r == at {
                        (c.period, c.preperiod, c.saltus) = (period, preperiod, saltus);
                        c.max = c.max.filter(|_| saltus == 0);
                    }
                });
                match state_at.saturating_add(state) < 10_000 && r == at {
                    true => with_values(game, forged),
                    false => forged,
                }
            };
            let (p, n0, s) = (row.period, row.preperiod, row.saltus);
            let (x, again) = (row.state_at, row.state_period);
            let some = [Fault::Hypothesis, Fault::Period];
            for q in [p + 1, p.saturating_sub(1)] {
                // Also as if the state came again after so many columns.
                let refusal = refused("period", &numbers(q, n0, s, x, again), &some);
                assert_eq!(refusal.row.unwrap_or(r as u64), r as u64);
                refused("period and state", &numbers(q, n0, s, x, q), &some);
            }
            let twice = numbers(2 * p, n0, 2 * s, x, 2 * again);
            let refusal = refused("twice the period", &twice, &[Fault::Least]);
            assert_eq!(
                (refusal.row, refusal.expected),
                (Some(r as u64), Some(p.to_string()))
            );
            if n0 > 0 {
                let refusal = refused(
                    "preperiod",
                    &numbers(p, n0 - 1, s, x, again),
                    &[Fault::Period],
                );
                assert_eq!((refusal.row, refusal.at), (Some(r as u64), Some(n0 - 1)));
            }
            let later = numbers(p, n0 + 1, s, x + 1, again);
            refused("preperiod", &later, &[Fault::Preperiod]);
            refused("saltus", &numbers(p, n0, s + 1, x, again), &some);
            refused("saltus", &numbers(p, n0, u64::MAX, x, again), &some);
            if s > 0 {
                refused("no saltus", &numbers(p, n0, 0, x, again), &some);
            }
            let early = numbers(p, n0.min(1), s, 0, again);
            refused("state", &early, &some);
            if p > 1 {
                refused("state", &numbers(p, n0, s, x, again + 1), &some);
            }
            for huge in [u64::MAX, 1 << 50] {
                let faults = [Fault::Hypothesis, Fault::Memory];
                refused("huge", &numbers(huge, n0, s, x, again), &faults);
                refused("huge", &numbers(p, huge, s, x, again), &faults);
                refused("huge", &numbers(p, n0, s, huge, again), &faults);
                refused("huge", &numbers(p, n0, s, x, huge), &faults);
            }
        }

        // The values.
        for _ in 0..12 {
            let n = random.below(c.values.count) as usize;
            let mut list = c.values.list.clone().unwrap();
            let old = list[n];
            list[n] ^= 1 + random.below(7);
            let forged = change(&|c| c.values = Values::listed(list.clone()));
            let refusal = refused("a value", &forged, &[Fault::Value]);
            let place = (refusal.row, refusal.at, refusal.expected);
            assert_eq!(
                place,
                (Some(at as u64), Some(n as u64), Some(old.to_string()))
            );
            let sha256 = forged.values.sha256.clone();
            let hashed = change(&|c| c.values = Values::hashed(c.values.count, sha256.clone()));
            refused("a value, hashed", &hashed, &[Fault::Hash]);
        }
        let short = change(&|c| _ = c.values.list.as_mut().unwrap().pop());
        refused("list", &short, &[Fault::Value]);
        let other = change(&|c| c.values.count -= 1);
        refused("count", &other, &[Fault::Value]);
        refused(
            "max",
            &change(&|c| c.max = c.max.map_or(Some(9), |_| None)),
            &[Fault::Hypothesis],
        );
        if c.max.is_some() {
            refused(
                "max",
                &change(&|c| c.max = c.max.map(|m| m + 1)),
                &[Fault::Max],
            );
        }

        // The rows.
        let none = change(&|c| proof(c).rows.clear());
        refused("no rows", &none, &[Fault::Hypothesis]);
        let fewer = change(&|c| _ = proof(c).rows.remove(0));
        refused(
            "a row less",
            &fewer,
            &[
                Fault::Hypothesis,
                Fault::Period,
                Fault::Value,
                Fault::Least,
                Fault::Preperiod,
            ],
        );
        let swapped = change(&|c| proof(c).rows.swap(0, at));
        refused(
            "rows swapped",
            &swapped,
            &[Fault::Hypothesis, Fault::Period],
        );
        let fixed = change(&|c| proof(c).fixed ^= 1);
        refused(
            "the other counter",
            &fixed,
            &[
                Fault::Hypothesis,
                Fault::Period,
                Fault::Value,
                Fault::Least,
                Fault::Preperiod,
            ],
        );
        refused(
            "a third counter",
            &change(&|c| proof(c).fixed = 2),
            &[Fault::Hypothesis],
        );

        // The moves.
        for i in 0..game.rays.len() {
            let fewer = change(&|c| _ = proof(c).rays.remove(i));
            refused("a ray less", &fewer, &[Fault::Code]);
            let shifted = change(&|c| proof(c).rays[i].from[1] += 1);
            refused("a ray elsewhere", &shifted, &[Fault::Code]);
            let cut = change(&|c| {
                let ray = &mut proof(c).rays[i];
                ray.count = Some(ray.count.map_or(5, |n| n + 1));
            });
            refused(
                "a ray of another length",
                &cut,
                &[Fault::Code, Fault::Hypothesis],
            );
            let still = change(&|c| proof(c).rays[i].from = [0, 0]);
            refused("a ray from nothing", &still, &[Fault::Hypothesis]);
            let far = change(&|c| proof(c).rays[i].from = [u64::MAX; 2]);
            refused("a ray from far", &far, &[Fault::Hypothesis]);
        }
        let more = change(&|c| proof(c).rays.push(single([3, 5])));
        refused("a pair more", &more, &[Fault::Code]);

        // The rules.
        for (_, other) in games.iter().filter(|(_, other)| other != rules) {
            let forged = change(&|c| c.game.text.clone_from(other));
            refused("another game", &forged, &[Fault::Code, Fault::Hypothesis]);
        }
        let (before, after) = rules.rsplit_once(" for ").unwrap();
        let guarded = format!("{before} if a + b != 40 for {after}");
        for other in [
            "n -> n - 1".to_owned(),
            "0.77".to_owned(),
            format!("{rules}play misere\n"),
            format!("{rules}lose if a == 30\n"),
            "(a, b, c) -> (a - 1, b, c)".to_owned(),
            "nonsense".to_owned(),
            guarded,
        ] {
            let forged = change(&|c| c.game.text.clone_from(&other));
            refused("other rules", &forged, &[Fault::Rules, Fault::Code]);
        }
        let argument = change(&|c| c.game.arguments.push("q=1".to_owned()));
        refused("an argument", &argument, &[Fault::Rules]);

        // The other theorems are of one heap.
        for proof in [
            Proof::Long {
                checked_to: c.values.count - 1,
            },
            Proof::Cofinite {
                state_at: c.values.count - c.period,
            },
        ] {
            refused(
                "another proof",
                &change(&|c| c.proof = proof.clone()),
                &[Fault::Rules],
            );
        }
        // Cut off anywhere.
        let whole = c.text();
        for _ in 0..10 {
            let end = random.below(whole.len() as u64 - 2) as usize;
            if whole.is_char_boundary(end) {
                assert!(parse(&whole[..end]).is_err());
            }
        }
    }
    assert!(count >= 400, "{count}");
}

/// Texts with a character changed, taken out or put in are read and checked without panic, and accepted only if the claim is
/// the true one.
#[test]
fn mutated_texts() {
    let mut random = Random::new(77);
    let c = find(&wythoff(2), 1_000).unwrap().certificate(text(WYTHOFF));
    let truth = check(&c).unwrap().claim;
    let hashed = Values::hashed(c.values.count, c.values.sha256.clone());
    let text = Certificate {
        values: hashed,
        ..c
    }
    .text();
    for _ in 0..1_000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=random.below(2) {
            let at = random.below(bytes.len() as u64) as usize;
            let with = b"0123456789{}[]\",:-n"[random.below(19) as usize];
            match random.below(3) {
                0 => _ = bytes.remove(at),
                1 => bytes.insert(at, with),
                _ => bytes[at] = with,
            }
        }
        let Ok(forged) = parse(&String::from_utf8_lossy(&bytes)) else {
            continue;
        };
        let budget = Budget::with_memory(1 << 22);
        if let Ok(report) = grundy_check::check(&forged, &budget, &mut |_, _| ()) {
            assert_eq!(report.claim, truth, "{forged:?}");
        }
    }
}

#[test]
fn bounds() {
    let stop = |game: &Game, to, budget: &Budget| prove(game, to, budget, &mut |_| ()).unwrap_err();
    let budget = Budget::default();
    assert_eq!(
        stop(&wythoff(5), 40, &budget),
        Stop::NoPeriod {
            row: 5,
            max: Some(42)
        }
    );
    let first = Stop::NoPeriod { row: 4, max: None };
    assert_eq!(stop(&wythoff(5), 25, &budget), first);
    assert_eq!(stop(&wythoff(1 << 40), 25, &budget), Stop::TooMany);
    let mut far = wythoff(1);
    far.rays.push(single([0, 1 << 40]));
    assert_eq!(stop(&far, 25, &budget), Stop::TooMany);
    // Its rows grow at different rates, which the theorem does not cover.
    let uneven = Game {
        rays: vec![ray([0, 3], [0, 2], None), ray([1, 1], [1, 1], None)],
        unordered: false,
        ..wythoff(1)
    };
    let none = stop(&uneven, 10_000, &budget);
    assert!(
        matches!(
            none,
            Stop::NoPeriod {
                row: 1,
                max: Some(_)
            }
        ),
        "{none:?}"
    );
    let small = Budget::with_memory(100);
    assert!(matches!(
        stop(&wythoff(50), 1 << 40, &small),
        Stop::Memory(_)
    ));
    budget.stop();
    assert!(matches!(stop(&wythoff(5), 40, &budget), Stop::Stopped(_)));
}
