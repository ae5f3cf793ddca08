//! Forged certificates are refused, each with the first thing that is wrong, and no text makes the checker panic.

mod common;

use common::{check, code, cofinite, long, window};
use grundy_cert::{Certificate, Code, Proof, Values, Window, parse};
use grundy_check::{Fault, Refusal};
use grundy_core::Budget;
use grundy_testkit::Random;

fn good() -> Vec<Certificate> {
    let allbut = Code {
        digits: vec![0, 0, 3, 3, 0, 3, 3, 0, 0],
        tail: 3,
        unequal: false,
    };
    vec![
        long("0.77", &code("0.77"), 71, 12),
        long("0.07", &code("0.07"), 53, 34),
        long(
            "subtract{2,4,7}",
            &Code::finite([0, 0, 3, 0, 3, 0, 0, 3]),
            8,
            3,
        ),
        window("0.77", &code("0.77"), 71, 12, 2_000).unwrap(),
        window("0.156", &code("0.156"), 3479, 349, 12_000).unwrap(),
        cofinite("allbut{1,4,7,8}", &allbut, 11, 12, 4),
    ]
}

/// Values with another at one heap, under a hash that fits them.
fn with_value(c: &Certificate, n: usize, v: u64) -> Certificate {
    let mut list = c.values.list.clone().unwrap();
    list[n] = v;
    Certificate {
        values: Values::listed(list),
        ..c.clone()
    }
}

/// The same as if nothing but the hash of the values were given.
fn unlisted(c: &Certificate) -> Certificate {
    Certificate {
        values: Values::hashed(c.values.count, c.values.sha256.clone()),
        ..c.clone()
    }
}

/// A certificate with other numbers and the values that they ask for, so that only the claim is wrong.
fn with_numbers(c: &Certificate, n0: usize, p: usize) -> Certificate {
    match &c.proof {
        Proof::Long { .. } => Certificate {
            game: c.game.clone(),
            ..long("", &c.code, n0, p)
        },
        Proof::Window(w) => {
            let count = w.settled_from as usize + p;
            let values = common::values(&c.code, count);
            Certificate {
                preperiod: n0 as u64,
                period: p as u64,
                values: Values::listed(values),
                ..c.clone()
            }
        }
        Proof::Cofinite { state_at } => {
            let values = common::values(&c.code, *state_at as usize + p);
            Certificate {
                preperiod: n0 as u64,
                period: p as u64,
                values: Values::listed(values),
                ..c.clone()
            }
        }
        _ => c.clone(),
    }
}

struct Forge {
    count: usize,
}

impl Forge {
    fn refused(&mut self, what: &str, c: &Certificate, faults: &[Fault]) -> Refusal {
        self.count += 1;
        let refusal = check(c).expect_err(what);
        assert!(faults.contains(&refusal.fault), "{what}: {refusal:?}");
        refusal
    }
}

#[test]
fn forgeries_are_refused() {
    let mut forge = Forge { count: 0 };
    let mut random = Random::new(17);
    for c in good() {
        let accepted = check(&c);
        assert!(accepted.is_ok(), "{accepted:?}");
        assert!(check(&unlisted(&c)).is_ok());
        assert_eq!(check(&parse(&c.text()).unwrap()), accepted);
        let (n0, p) = (c.preperiod as usize, c.period as usize);
        let cofinite = matches!(c.proof, Proof::Cofinite { .. });

        // A key that stands twice, of which one reader may take the first and another the last.
        let text = c.text();
        for line in text.lines().filter(|line| line.contains("\": ")) {
            let twice = format!("{}, {}", line.trim_end_matches(','), line.trim_start());
            let forged = text.replacen(line, &twice, 1);
            let refused = parse(&forged).map(|_| ()).expect_err(&forged).to_string();
            assert!(
                refused.contains("stands twice") || line.ends_with(['{', '[']),
                "{refused}"
            );
        }

        // The numbers of the claim.
        for off in [p - 1, p + 1] {
            let forged = with_numbers(&c, n0, off);
            let faults = [Fault::Period, Fault::Hypothesis];
            let refusal = forge.refused("period off by one", &forged, &faults);
            assert!(refusal.at.is_some() || refusal.fault == Fault::Hypothesis);
        }
        let mut multiple = with_numbers(&c, n0, 2 * p);
        multiple.saltus *= 2;
        let refusal = forge.refused("twice the period", &multiple, &[Fault::Least]);
        assert_eq!(refusal.expected, Some(p.to_string()));
        if n0 > 0 {
            let forged = with_numbers(&c, n0 - 1, p);
            let refusal = forge.refused("preperiod one less", &forged, &[Fault::Period]);
            assert_eq!(refusal.at, Some(n0 as u64 - 1));
        }
        let later = match &c.proof {
            Proof::Long { .. } => with_numbers(&c, n0 + 1, p),
            // There the window or the state must not begin before it.
            _ => Certificate {
                preperiod: c.preperiod + 1,
                ..c.clone()
            },
        };
        let refusal = forge.refused(
            "preperiod one more",
            &later,
            &[Fault::Preperiod, Fault::Hypothesis],
        );
        assert!(refusal.at == Some(n0 as u64) || refusal.fault == Fault::Hypothesis);
        let number = |f: &dyn Fn(&mut Certificate)| {
            let mut forged = c.clone();
            f(&mut forged);
            forged
        };
        forge.refused("period 0", &number(&|c| c.period = 0), &[Fault::Hypothesis]);
        for huge in [u64::MAX, u64::MAX / 2, 1 << 40] {
            for f in [
                number(&|c| c.period = huge),
                number(&|c| c.preperiod = huge),
                number(&|c| c.values.count = huge),
            ] {
                forge.refused("a huge number", &f, &[Fault::Hypothesis, Fault::Value]);
                forge.refused("a huge number", &unlisted(&f), &[Fault::Hypothesis]);
            }
        }
        let wrong_saltus = number(&|c| c.saltus += 1);
        forge.refused("saltus", &wrong_saltus, &[Fault::Hypothesis, Fault::Period]);
        forge.refused(
            "saltus",
            &number(&|c| c.saltus = u64::MAX),
            &[Fault::Hypothesis, Fault::Period],
        );
        if cofinite {
            forge.refused("max", &number(&|c| c.max = Some(99)), &[Fault::Hypothesis]);
            let flat = number(&|c| (c.saltus, c.max) = (0, Some(99)));
            forge.refused("no saltus", &flat, &[Fault::Period]);
        } else {
            let max = c.max.unwrap();
            forge.refused("max", &number(&|c| c.max = Some(max + 1)), &[Fault::Max]);
            forge.refused("max", &number(&|c| c.max = Some(max - 1)), &[Fault::Max]);
            forge.refused("max", &number(&|c| c.max = None), &[Fault::Hypothesis]);
        }

        // The values.
        for _ in 0..12 {
            let n = random.below(c.values.count) as usize;
            let old = c.values.list.as_ref().unwrap()[n];
            let forged = with_value(&c, n, old ^ (1 + random.below(7)));
            let refusal = forge.refused("a value", &forged, &[Fault::Value]);
            assert_eq!(refusal.at, Some(n as u64));
            assert_eq!(refusal.expected, Some(old.to_string()));
            forge.refused("a value, hashed", &unlisted(&forged), &[Fault::Hash]);
        }
        let hash = number(&|c| c.values.sha256 = "0".repeat(64));
        forge.refused("hash", &hash, &[Fault::Hash]);
        let upper = number(&|c| c.values.sha256 = c.values.sha256.to_uppercase() + " ");
        forge.refused("hash", &upper, &[Fault::Hash]);
        let fewer = number(&|c| _ = c.values.list.as_mut().unwrap().pop());
        forge.refused("list too short", &fewer, &[Fault::Value]);
        let fewer = number(&|c| c.values.count -= 1);
        forge.refused("count", &unlisted(&fewer), &[Fault::Hypothesis]);

        // The rules.
        for text in [
            "0.37",
            "4.77",
            "0.770001",
            "subtract{1,2}",
            "allbut{1}",
            "n -> n - 1",
        ] {
            let other = number(&|c| c.game.text = text.to_owned());
            let refusal = forge.refused("other rules", &other, &[Fault::Code]);
            assert!(refusal.expected.is_some() && refusal.found.is_some());
        }
        for text in [
            "",
            "kayles",
            "0.",
            "0.!",
            "n ->",
            "n -> n * n",
            "subtract{",
            "n -> n",
            "é.7",
        ] {
            let other = number(&|c| c.game.text = text.to_owned());
            forge.refused("rules", &other, &[Fault::Rules]);
        }
        let given = number(&|c| c.game.arguments.push("S=[1]".to_owned()));
        forge.refused("arguments", &given, &[Fault::Rules]);
        let tail = number(&|c| c.code.tail ^= 1);
        forge.refused("tail", &tail, &[Fault::Code]);
        let digit = number(&|c| c.code.digits[2] ^= 4);
        forge.refused("digit", &digit, &[Fault::Code]);
        let more = number(&|c| c.code.digits.push(1 << 63));
        forge.refused("digit", &more, &[Fault::Code]);

        // The other theorems.
        let zero = Window::default();
        for proof in [
            Proof::Long { checked_to: 3 },
            Proof::Long {
                checked_to: u64::MAX,
            },
            Proof::Window(zero),
            Proof::Cofinite { state_at: 3 },
            Proof::Cofinite { state_at: u64::MAX },
        ] {
            let forged = number(&|c| c.proof = proof.clone());
            forge.refused("another proof", &forged, &[Fault::Hypothesis]);
        }

        // The hypotheses.
        match c.proof.clone() {
            Proof::Long { checked_to } => {
                let mut early = number(&|c| {
                    c.proof = Proof::Long {
                        checked_to: checked_to - 1,
                    }
                });
                early.values = Values::listed(common::values(&c.code, checked_to as usize));
                forge.refused("N one less", &early, &[Fault::Hypothesis]);
            }
            Proof::Cofinite { .. } => {
                let least = (n0 + c.code.digits.len() - 1).max(2 * c.code.digits.len()) as u64;
                let mut early = number(&|c| {
                    c.proof = Proof::Cofinite {
                        state_at: least - 1,
                    }
                });
                early.values.count = least - 1 + c.period;
                forge.refused("state too early", &unlisted(&early), &[Fault::Hypothesis]);
            }
            Proof::Window(w) => windows(&mut forge, &c, w),
            _ => unreachable!(),
        }
    }
    assert!(forge.count >= 200, "{}", forge.count);
}

/// Numbers of a window that do not meet a hypothesis.
fn windows(forge: &mut Forge, c: &Certificate, w: Window) {
    // The values that the numbers ask for are right, so nothing but the hypothesis is wrong.
    let with = |w: Window| {
        let values = common::values(&c.code, (w.settled_from + c.period) as usize);
        Certificate {
            proof: Proof::Window(w),
            values: Values::listed(values),
            ..c.clone()
        }
    };
    let far = w.rares_to.max(w.witnesses_to) + c.code.reach() as u64;
    let early = Window {
        settled_from: 2 * far,
        ..w
    };
    forge.refused("n1 too small", &with(early), &[Fault::Hypothesis]);
    let late = Window {
        settled_from: w.settled_from + 5,
        ..w
    };
    assert!(check(&with(late)).is_ok());
    let early = Window {
        settled_from: c.preperiod + far - 1,
        ..w
    };
    forge.refused("n1 too small", &with(early), &[Fault::Hypothesis]);
    let rare = Window {
        rares_to: w.rares_to - 1,
        ..w
    };
    let refusal = forge.refused("R too small", &with(rare), &[Fault::Rare]);
    assert_eq!(refusal.at, Some(w.rares_to));
    for k in 0..w.witnesses_to {
        let witness = Window {
            witnesses_to: k,
            ..w
        };
        let refusal = forge.refused("K too small", &with(witness), &[Fault::Settled]);
        assert!(refusal.at >= Some(w.settled_from), "{refusal}");
        if k > 40 {
            break;
        }
    }
    let least = Window {
        witnesses_to: w.witnesses_to - 1,
        ..w
    };
    forge.refused("K one less", &with(least), &[Fault::Settled]);
    for bit in 0..6 {
        let mask = Window {
            mask: w.mask ^ (1 << bit),
            ..w
        };
        if 1 << bit <= c.max.unwrap() {
            forge.refused("mask", &with(mask), &[Fault::Rare, Fault::Settled]);
        } else {
            assert!(
                check(&with(mask)).is_ok(),
                "bits past the values change nothing"
            );
        }
    }
    let none = Window { mask: 0, ..w };
    forge.refused("no mask", &with(none), &[Fault::Rare]);
    let bit = Window {
        position_bit: !w.position_bit,
        ..w
    };
    forge.refused(
        "position bit",
        &with(bit),
        &[Fault::Hypothesis, Fault::Rare],
    );
    for huge in [u64::MAX, u64::MAX - c.period, u64::MAX / 2] {
        for forged in [
            Window {
                rares_to: huge,
                ..w
            },
            Window {
                witnesses_to: huge,
                ..w
            },
            Window {
                settled_from: huge,
                ..w
            },
        ] {
            let mut forged = Certificate {
                proof: Proof::Window(forged),
                ..unlisted(c)
            };
            forge.refused("huge", &forged, &[Fault::Hypothesis]);
            if let Proof::Window(w) = &forged.proof
                && w.settled_from == huge
            {
                // With a count that fits, memory is what is missing.
                forged.values.count = huge.saturating_add(c.period);
                forge.refused("huge", &forged, &[Fault::Hypothesis, Fault::Memory]);
            }
        }
    }
}

/// A period of 3100 that the first 8000 values of 0.165 have, and no more of them do.
#[test]
fn a_period_that_only_looks_like_one() {
    let refusal = check(&long("0.165", &code("0.165"), 3496, 3100)).unwrap_err();
    assert_eq!(refusal.fault, Fault::Period);
    assert!(refusal.at > Some(4900), "{refusal}");
}

#[test]
fn more_memory_than_allowed_is_not_decided() {
    let c = long("0.07", &code("0.07"), 53, 34);
    let refusal = grundy_check::check(&c, &Budget::with_memory(400), &mut |_, _| ()).unwrap_err();
    assert!(refusal.fault == Fault::Memory && refusal.fault.undecided());
    let stopped = Budget::default();
    stopped.stop();
    let refusal = grundy_check::check(&c, &stopped, &mut |_, _| ()).unwrap_err();
    assert_eq!(refusal.fault, Fault::Stopped);
}

/// Texts with a character changed, taken out or put in: read and checked without panic, and accepted only if the claim is
/// the true one.
#[test]
fn mutated_texts() {
    let mut random = Random::new(99);
    let all = [
        long(
            "n -> n - k for k in S if k <= n",
            &Code::finite([0, 3, 3]),
            0,
            3,
        ),
        window("0.77", &code("0.77"), 71, 12, 2_000).unwrap(),
        cofinite(
            "allbut{2}",
            &Code {
                digits: vec![0, 3, 0],
                tail: 3,
                unequal: false,
            },
            0,
            4,
            2,
        ),
    ];
    let mut accepted = 0;
    for mut c in all {
        if c.game.text.contains('S') {
            c.game.arguments = vec!["S=[1,2]".to_owned()];
        }
        let truth = check(&c).unwrap_or_else(|e| panic!("{c:?}: {e}")).claim;
        // Without the list, which would take most of the mutations.
        let text = unlisted(&c).text();
        for _ in 0..4_000 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=random.below(2) {
                let at = random.below(bytes.len() as u64) as usize;
                let with = b"0123456789{}[]\",:->n kS."[random.below(24) as usize];
                match random.below(4) {
                    0 => _ = bytes.remove(at),
                    1 => bytes.insert(at, with),
                    2 if random.below(9) == 0 => bytes.truncate(at + 1),
                    _ => bytes[at] = with,
                }
            }
            let Ok(mutated) = String::from_utf8(bytes) else {
                continue;
            };
            let Ok(forged) = parse(&mutated) else {
                continue;
            };
            // A small budget: nothing here needs more.
            let budget = Budget::with_memory(1 << 22);
            if let Ok(report) = grundy_check::check(&forged, &budget, &mut |_, _| ()) {
                assert_eq!(report.claim, truth, "{mutated}");
                accepted += 1;
            }
        }
    }
    assert!(accepted > 0, "white space may change");
}
