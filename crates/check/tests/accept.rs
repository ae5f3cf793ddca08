//! Good certificates are accepted, and what is proved is what the literature says.

mod common;

use common::{check, code, cofinite, long, period, values, window};
use grundy_cert::{Certificate, Code, GameText, Proof, Values, Window};
use grundy_testkit::Random;

#[test]
fn published_periods() {
    for (text, n0, p) in [
        ("0.77", 71, 12),
        ("0.07", 53, 34),
        ("0.137", 52, 34),
        ("0.333", 0, 4),
        ("0.3", 0, 2),
        ("0.156", 3479, 349),
        // Its rare heaps go on for ever, whatever the mask, so that no window settles it.
        ("0.165", 5181, 1550),
    ] {
        let report =
            check(&long(text, &code(text), n0, p)).unwrap_or_else(|e| panic!("{text}: {e}"));
        let claim = format!("G(n + {p}) = G(n) for every n ≥ {n0}");
        assert!(report.claim.starts_with(&claim), "{}", report.claim);
    }
}

#[test]
fn window_certificates() {
    for (text, n0, p, most) in [
        ("0.77", 71, 12, 2_000),
        ("0.156", 3479, 349, 12_000),
        ("0.644", 3256, 442, 12_000),
        ("0.356", 7315, 142, 30_000),
    ] {
        let certificate = window(text, &code(text), n0, p, most);
        let certificate = certificate.unwrap_or_else(|| panic!("{text}: no window"));
        check(&certificate).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
}

#[test]
fn three_parts() {
    for text in ["0.8", "0.9", "0.b", "0.f", "0.0f", "0.8b", "8.1"] {
        let code = code(text);
        let g = values(&code, 160);
        let Some((n0, p, 0)) = period(&g, false) else {
            continue;
        };
        check(&long(text, &code, n0, p)).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
}

#[test]
fn subtraction_sets() {
    let mut random = Random::new(4);
    let mut proved = 0;
    for _ in 0..60 {
        let set: Vec<u64> = (0..1 + random.below(4))
            .map(|_| 1 + random.below(9))
            .collect();
        let list: Vec<String> = set.iter().map(u64::to_string).collect();
        let text = format!("subtract{{{}}}", list.join(","));
        let digits = (0..=9).map(|t| 3 * u64::from(set.contains(&t)));
        let code = Code::finite(digits.collect::<Vec<_>>());
        let Some((n0, p, _)) = period(&values(&code, 400), false) else {
            continue;
        };
        check(&long(&text, &code, n0, p)).unwrap_or_else(|e| panic!("{text}: {e}"));
        proved += 1;
    }
    assert!(proved > 40, "{proved}");
}

#[test]
fn arithmetic_periods_of_all_but_sets() {
    let mut random = Random::new(8);
    let mut proved = 0;
    let published = check(&cofinite(
        "allbut{1,4,7,8}",
        &all_but(&[1, 4, 7, 8]),
        11,
        12,
        4,
    ));
    assert!(published.is_ok(), "{published:?}");
    for _ in 0..80 {
        let set: Vec<u64> = (0..random.below(5)).map(|_| 1 + random.below(9)).collect();
        let list: Vec<String> = set.iter().map(u64::to_string).collect();
        let text = format!("allbut{{{}}}", list.join(","));
        let code = all_but(&set);
        let Some((n0, p, s)) = period(&values(&code, 500), true) else {
            continue;
        };
        let certificate = cofinite(&text, &code, n0, p, s);
        check(&certificate).unwrap_or_else(|e| panic!("{text}: {e}"));
        proved += 1;
    }
    assert!(proved > 60, "{proved}");
}

fn all_but(set: &[u64]) -> Code {
    let most = set.iter().max().copied().unwrap_or(0);
    let digits = (0..=most).map(|t| 3 * u64::from(t > 0 && !set.contains(&t)));
    Code {
        digits: digits.collect(),
        tail: 3,
        unequal: false,
    }
}

#[test]
fn a_move_to_nothing_that_only_some_heaps_have() {
    let mut random = Random::new(14);
    let mut proved = 0;
    for _ in 0..200 {
        let tail = 2 + random.below(2);
        let mut digits = vec![0];
        digits.extend((0..random.below(6)).map(|_| random.below(4)));
        let code = Code {
            digits,
            tail,
            unequal: false,
        };
        let mut text = String::new();
        for (t, &digit) in code.digits.iter().enumerate() {
            text += match digit {
                1 => format!("n -> 0 if n == {t}\n"),
                2 => format!("n -> n - {t} if n > {t}\n"),
                3 => format!("n -> n - {t}\n"),
                _ => String::new(),
            }
            .as_str();
        }
        let to = if tail == 3 { "n" } else { "n - 1" };
        text += &format!("n -> n - k for k in {}..{to}\n", code.digits.len());
        let Some((n0, p, s)) = period(&values(&code, 300), true) else {
            continue;
        };
        let certificate = cofinite(&text, &code, n0, p, s);
        check(&certificate).unwrap_or_else(|e| panic!("{text}: {e}"));
        proved += 1;
    }
    assert!(proved > 150, "{proved}");
}

#[test]
fn written_rules() {
    let rules = |text: &str, arguments: &[&str]| GameText {
        text: text.to_owned(),
        arguments: arguments.iter().map(|a| (*a).to_owned()).collect(),
    };
    let kayles = "n -> [a, n - k - a] for k in 1..2, a in 0..(n-k)//2";
    let with = |game: GameText, certificate: Certificate| Certificate {
        game,
        ..certificate
    };
    let certificate = long("", &code("0.77"), 71, 12);
    let report = check(&with(rules(kayles, &[]), certificate.clone())).unwrap();
    assert!(report.lines[0].contains("were compared with the code 0.77"));
    let file = format!("game kayles \"Kayles\"\nmove {kayles}\nexpect 5 -> 4\n");
    check(&with(rules(&file, &[]), certificate)).unwrap();
    let set = "n -> n - k for k in S if k <= n";
    let certificate = long("", &Code::finite([0, 0, 3, 0, 3, 0, 0, 3]), 8, 3);
    check(&with(rules(set, &["S=[2,4,7]"]), certificate.clone())).unwrap();
    let other = check(&with(rules(set, &["S=[2,4,6]"]), certificate.clone())).unwrap_err();
    assert_eq!(other.fault, grundy_check::Fault::Code, "{other}");
    let none = check(&with(rules(set, &[]), certificate)).unwrap_err();
    assert_eq!(none.fault, grundy_check::Fault::Rules, "{none}");
}

/// Small heaps with options of their own: the values are those of the rules, and the proof starts past them.
#[test]
fn small_heaps_of_their_own() {
    let text = "n -> n - 1 | n -> n - 2 if n != 4";
    let mut g: Vec<u64> = Vec::new();
    for n in 0..40usize {
        let mut options = vec![];
        options.extend((n >= 1).then(|| g[n - 1]));
        options.extend((n >= 2 && n != 4).then(|| g[n - 2]));
        g.push((0..).find(|v| !options.contains(v)).unwrap());
    }
    let (n0, p, s) = period(&g, false).unwrap();
    assert_eq!(s, 0);
    let mut certificate = long(text, &Code::finite([0, 3, 3]), n0, p);
    certificate.max = g.iter().max().copied();
    let mut to = |checked_to: usize| {
        certificate.values = grundy_cert::Values::listed(g[..=checked_to].to_vec());
        certificate.proof = grundy_cert::Proof::Long {
            checked_to: checked_to as u64,
        };
        check(&certificate)
    };
    // Heap 4 is the last with options of its own, so both heaps of a step past N are plain from N = 4 + p on.
    let early = to(3 + p).unwrap_err();
    assert_eq!(early.fault, grundy_check::Fault::Hypothesis, "{early}");
    let report = to(4 + p).unwrap();
    assert!(
        report.lines[1].contains("their own: 1, the last 4"),
        "{report:?}"
    );
}

/// The theorem of the window against the long criterion, on every random code where both can be run.
#[test]
fn window_and_long_agree() {
    let mut random = Random::new(21);
    let (mut both, mut odd, mut unequal, mut bit) = (0, 0, 0, 0);
    let mut tried = 0;
    while both < 400 && tried < 4_000 {
        tried += 1;
        let mut digits = vec![if random.below(5) == 0 { 4 } else { 0 }];
        digits.extend((0..1 + random.below(3)).map(|_| random.below(8)));
        let mut code = Code::finite(digits);
        code.unequal = random.below(5) == 0;
        if code.parts() != 2 {
            continue;
        }
        let Some((n0, p, 0)) = period(&values(&code, 700), false) else {
            continue;
        };
        let text = if code.unequal {
            unequal_rules(&code)
        } else {
            code.text().unwrap()
        };
        if n0 + p > 220 {
            continue;
        }
        let by_long = check(&long(&text, &code, n0, p));
        assert!(by_long.is_ok(), "{text}: {by_long:?}");
        let Some(certificate) = window(&text, &code, n0, p, 700) else {
            continue;
        };
        let by_window = check(&certificate);
        assert!(by_window.is_ok(), "{text}: {by_window:?}");
        both += 1;
        odd += usize::from(p % 2 == 1);
        unequal += usize::from(code.unequal);
        if let grundy_cert::Proof::Window(w) = &certificate.proof {
            bit += usize::from(w.position_bit);
        }
    }
    assert!(
        both >= 300 && odd > 10 && unequal > 10 && bit > 10,
        "{both} {odd} {unequal} {bit}"
    );
}

/// A code whose heaps must differ, written out.
fn unequal_rules(code: &Code) -> String {
    let mut text = String::new();
    for (t, digit) in code.digits.iter().enumerate() {
        if digit & 1 == 1 {
            text += &format!("n -> [] if n == {t}\n");
        }
        if digit & 2 == 2 {
            text += &format!("n -> n - {t} if n > {t}\n");
        }
        if digit & 4 == 4 {
            text += &format!("n -> [a, n - {t} - a] for a in 1..(n - {t} - 1)//2\n");
        }
    }
    text
}

/// Windows wherever a few values happen to repeat: whatever is accepted goes on to repeat.
#[test]
fn what_a_window_accepts_is_true() {
    let mut random = Random::new(5);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..150 {
        let mut digits = vec![if random.below(4) == 0 { 4 } else { 0 }];
        digits.extend((0..1 + random.below(3)).map(|_| random.below(8)));
        let code = Code::finite(digits);
        if code.parts() != 2 {
            continue;
        }
        let g = values(&code, 600);
        for p in 1..=40 {
            for _ in 0..6 {
                let mut w = Window {
                    mask: random.below(32),
                    position_bit: random.below(2) == 1,
                    rares_to: random.below(30),
                    witnesses_to: random.below(30),
                    settled_from: 0,
                };
                let far = w.rares_to.max(w.witnesses_to) + code.reach() as u64;
                w.settled_from = 2 * far + 1 + random.below(40);
                let n1 = w.settled_from as usize;
                let same = (0..n1).rev().take_while(|&n| g[n] == g[n + p]).count();
                if (same as u64) < far {
                    continue;
                }
                let list = g[..n1 + p].to_vec();
                let certificate = Certificate {
                    game: GameText {
                        text: code.text().unwrap(),
                        arguments: Vec::new(),
                    },
                    code: code.clone(),
                    period: p as u64,
                    preperiod: (n1 - same) as u64,
                    saltus: 0,
                    max: list.iter().max().copied(),
                    values: Values::listed(list),
                    proof: Proof::Window(w),
                };
                match check(&certificate) {
                    Ok(_) => {
                        let repeats = (n1 - same..600 - p).all(|n| g[n] == g[n + p]);
                        assert!(repeats, "{certificate:?}");
                        accepted += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(accepted > 20 && refused > 100, "{accepted} {refused}");
}

/// The long criterion wherever values repeat just as far as it asks: they go on to repeat.
#[test]
fn what_long_accepts_is_true() {
    let mut random = Random::new(31);
    let (mut accepted, mut unequal, mut three) = (0, 0, 0);
    for _ in 0..700 {
        let parts = 1 + random.below(3);
        let mut digits = vec![if parts > 1 && random.below(4) == 0 {
            4
        } else {
            0
        }];
        digits.extend((0..1 + random.below(3)).map(|_| random.below(2 << parts)));
        let mut code = Code::finite(digits);
        code.unequal = code.parts() == 2 && random.below(2) == 0;
        let to = if code.parts() == 3 { 150 } else { 500 };
        let g = values(&code, to);
        let text = match code.unequal {
            true => unequal_rules(&code),
            false => code.text().unwrap(),
        };
        if code.digits.iter().all(|&d| d == 0) {
            continue;
        }
        for p in 1..=24usize {
            // Each n0 from which on the values repeat, if only for a while.
            for n0 in (0..80).filter(|&n0| n0 == 0 || g[n0 - 1] != g[n0 - 1 + p]) {
                let n = n0.max(1);
                let checked_to = match code.unequal {
                    true => 2 * n + 3 * p - 1 + code.reach(),
                    false => (code.parts().max(1) * (n + p - 1) + code.reach()).max(n + p),
                };
                if checked_to >= to || !(n0..=checked_to - p).all(|n| g[n] == g[n + p]) {
                    continue;
                }
                assert!((n0..to - p).all(|n| g[n] == g[n + p]), "{text}: {n0} {p}");
                let report = check(&long(&text, &code, n0, p));
                let least = (1..p).all(|q| (n0..n0 + p).any(|n| g[n] != g[n + q]));
                assert_eq!(report.is_ok(), least, "{text} {n0} {p}: {report:?}");
                accepted += usize::from(least);
                unequal += usize::from(least && code.unequal);
                three += usize::from(least && code.parts() == 3);
            }
        }
    }
    assert!(
        accepted > 100 && unequal > 12 && three > 20,
        "{accepted} {unequal} {three}"
    );
}

#[test]
fn the_example_of_the_book() {
    let page = include_str!("../../../docs/src/reference/certificates.md");
    let (_, rest) = page.split_once("```json\n").unwrap();
    let (text, _) = rest.split_once("```").unwrap();
    check(&grundy_cert::parse(text).unwrap()).unwrap();
}
