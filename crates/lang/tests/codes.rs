//! Codes mean what their definition says: the options of the rules they are translated to, against an enumeration of the
//! code's own definition that shares nothing with the translation.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use grundy_core::Int;
use grundy_lang::check;
use grundy_lang::codes::translate;
use grundy_lang::diag::Source;
use grundy_lang::interp::Rules;
use grundy_lang::value::{Pos, Value};

/// The heaps left, sorted, empty ones left out, and how often each result is visited.
type Options = BTreeMap<Vec<i64>, usize>;

/// The options of a heap by the rules of the code.
fn by_rules(code: &str, heap: i64) -> Options {
    let text = translate(code).expect("looks like a code").expect(code);
    let source = Source::new(code, text);
    let (game, warnings) =
        check::load(&source).unwrap_or_else(|e| panic!("{code}: {}\n{}", e[0], source.text));
    assert!(warnings.is_empty(), "{code}: {}", warnings[0]);
    let params = game.vars.iter().map(|_| Value::from(heap)).collect();
    let rules = Rules::new(Arc::new(game), params);
    let mut options = Options::new();
    let pos = Pos([Int::from(heap)].into_iter().collect());
    let flow = rules.machine().options(&pos, &mut |option| {
        let heap = |p: &Pos| p.0[0].to_i64().unwrap();
        let mut heaps: Vec<i64> = option.parts.iter().map(heap).filter(|&h| h > 0).collect();
        heaps.sort_unstable();
        *options.entry(heaps).or_default() += 1;
        ControlFlow::Continue(())
    });
    assert!(flow.is_ok(), "{code} at {heap}");
    options
}

/// Rows of `parts` positive numbers, rising, that add up to `total`.
fn partitions(total: i64, parts: u32, least: i64) -> Vec<Vec<i64>> {
    if parts == 0 {
        return if total == 0 { vec![vec![]] } else { vec![] };
    }
    (least..=total)
        .flat_map(|first| {
            partitions(total - first, parts - 1, first)
                .into_iter()
                .map(move |mut rest| {
                    rest.insert(0, first);
                    rest
                })
        })
        .collect()
}

/// The options by the definition: bit r of digit t allows taking t and leaving exactly r heaps that are not empty.
fn by_definition(code: &str, heap: i64) -> Options {
    let mut options = Options::new();
    for (t, digit) in code.chars().filter_map(|c| c.to_digit(36)).enumerate() {
        for r in (0..6).filter(|r| digit >> r & 1 == 1) {
            for heaps in partitions(heap - t as i64, r, 1) {
                *options.entry(heaps).or_default() += 1;
            }
        }
    }
    options
}

#[test]
fn digits() {
    let codes = [
        "0.1",
        "0.2",
        "0.3",
        "0.77",
        "0.137",
        "0.07",
        "4.0001",
        "4.7",
        "0.F",
        "8.F",
        "c.8z",
        "0.0G",
        "0.zzz",
        "4.g3",
        "0.4444",
        "g.0w",
        "0.123456789abcdefghijklmnopqrstuvwxyz",
    ];
    for code in codes {
        for heap in 0..=12 {
            assert_eq!(
                by_rules(code, heap),
                by_definition(code, heap),
                "{code} at {heap}"
            );
        }
    }
}

#[test]
fn spellings() {
    for (one, other) in [
        ("0.77", ".77"),
        ("0.77", " 0 . 7 7 "),
        ("0.F", "0.f"),
        ("0.77", "0·77"),
        ("C.7", "c.7"),
    ] {
        assert_eq!(
            translate(one).unwrap().unwrap(),
            translate(other).unwrap().unwrap(),
            "{one}, {other}"
        );
    }
    for (one, other) in [
        ("subtract{1,3,4}", "Subtract { 4, 1 ,3,3}"),
        ("allbut{2,5}", "ALLBUT{5,2,0}"),
    ] {
        assert_eq!(
            translate(one).unwrap().unwrap(),
            translate(other).unwrap().unwrap(),
            "{one}, {other}"
        );
    }
    let none = [
        "",
        "nim",
        "wythoff",
        "7",
        "n -> n - 1",
        "subtract",
        "n -> 0.5",
        "my.game",
        "a.game",
        "1..3",
        ".",
        "..",
        "x.y",
        "{a} -> {a}",
        "s{} -> s",
        ".profile",
        "game",
        "subtraction{} -> 3",
        "é.7é",
    ];
    for text in none {
        assert!(translate(text).is_none(), "{text}");
    }
}

#[test]
fn sets() {
    for heap in 0..=12 {
        let options = |takes: &dyn Fn(i64) -> bool| -> Options {
            let left = |k| if k == heap { vec![] } else { vec![heap - k] };
            (1..=heap)
                .filter(|&k| takes(k))
                .map(|k| (left(k), 1))
                .collect()
        };
        assert_eq!(
            by_rules("subtract{1,3,4}", heap),
            options(&|k| [1, 3, 4].contains(&k))
        );
        assert_eq!(by_rules("subtract{7}", heap), options(&|k| k == 7));
        assert_eq!(
            by_rules("allbut{2,5}", heap),
            options(&|k| ![2, 5].contains(&k))
        );
        assert_eq!(by_rules("allbut{}", heap), options(&|_| true));
        assert_eq!(
            by_rules("subtract{2, 100000000000000000000000}", heap),
            options(&|k| k == 2)
        );
    }
}
