//! Arithmetic periods of codes that split: what is proved is accepted by the independent checker and holds much farther;
//! forged certificates are refused with the first thing that is wrong.

use grundy_cert::{Certificate, Proof, Values, parse};
use grundy_check::{Fault, Refusal, Report};
use grundy_core::Budget;
use grundy_find::arithmetic::{Pattern, pattern, prove};
use grundy_find::{Code, GameText, Heaps};
use grundy_kernels::{Rung, Sequence};

const LASKER: &str = "n -> k for k in 0..n-1 | n -> [k, n-k] for k in 1..n//2";

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    /// A code that splits, and its rules, written out if it cannot be told by digits.
    fn code(&mut self) -> (Code, String) {
        loop {
            let base = [8, 16, 16, 32, 64][self.below(5) as usize];
            let mut digits = vec![[0, 0, 0, 4, 8][self.below(5) as usize]];
            digits.extend((0..1 + self.below(3)).map(|_| self.below(base)));
            let tail = [0, 0, 3, 7, 2, 15][self.below(6) as usize];
            let mut code = Code {
                digits,
                tail,
                unequal: false,
            };
            code.unequal = code.parts() == 2 && self.below(2) == 0;
            if code.parts() > 2 || (code.parts() == 2 && tail != 0) {
                let text = code.text().unwrap_or_else(|| rules(&code));
                return (code, text);
            }
        }
    }
}

/// The rules of a code, written out.
fn rules(code: &Code) -> String {
    let mut moves = Vec::new();
    let mut way = |r: usize, total: String, guard: String, over: String| {
        let names: Vec<String> = (0..r).map(|i| format!("x{i}")).collect();
        let mut out = match r {
            0 => "n -> 0".to_owned(),
            1 => format!("n -> {total}"),
            _ => {
                let last = names[..r - 1].join(" - ");
                format!("n -> [{}, {total} - {last}]", names[..r - 1].join(", "))
            }
        };
        let mut held = String::new();
        let apart = usize::from(code.unequal);
        let mut ranges = over;
        for (i, name) in names[..r.saturating_sub(1)].iter().enumerate() {
            let least = match i {
                0 => "1".to_owned(),
                _ => format!("x{}", i - 1),
            };
            let left = r - i;
            let minus = if apart == 1 { " - 1" } else { "" };
            ranges += &format!(" for {name} in {least}..({total}{held}{minus})//{left}");
            held += &format!(" - {name}");
        }
        out += &ranges;
        if !guard.is_empty() {
            out += &format!(" if {guard}");
        }
        moves.push(out);
    };
    for (t, _) in code.digits.iter().enumerate() {
        for r in (0..=code.parts()).filter(|&r| code.allows(t, r)) {
            let guard = match r {
                0 => format!("n == {t}"),
                _ => format!("n >= {}", t + r),
            };
            way(r, format!("(n - {t})"), guard, String::new());
        }
    }
    let taking = code.digits.len();
    for r in (0..=code.parts()).filter(|&r| code.allows(taking, r)) {
        match r {
            0 => way(0, String::new(), format!("n >= {taking}"), String::new()),
            _ => way(
                r,
                "m".to_owned(),
                String::new(),
                format!(" for m in {r}..n - {taking}"),
            ),
        }
    }
    moves.join("\n")
}

fn check(certificate: &Certificate) -> Result<Report, Refusal> {
    grundy_check::check(certificate, &Budget::default(), &mut |_, _| ())
}

fn code(text: &str) -> Code {
    let digits = text.chars().filter_map(|c| c.to_digit(36)).map(u64::from);
    Code::finite(digits.collect::<Vec<_>>())
}

fn values(code: &Code, count: usize) -> Vec<u16> {
    let mut sequence = Sequence::with_rung(code, Rung::Plain);
    sequence.advance(count, &mut |_| false).unwrap();
    sequence.values(0..count)
}

/// A certificate by what is found in the first values; the values it needs are right.
fn certificate(code: &Code, text: &str, p: Pattern, multiple: usize, from: usize) -> Certificate {
    let count = from + 2 * multiple * p.period;
    let list = values(code, count).into_iter().map(u64::from).collect();
    Certificate {
        game: GameText {
            text: text.to_owned(),
            arguments: vec![],
        },
        code: code.clone(),
        period: p.period as u64,
        preperiod: p.preperiod as u64,
        saltus: p.saltus,
        max: None,
        values: Values::listed(list),
        proof: Proof::Arithmetic {
            multiple: multiple as u64,
            settled_from: from as u64,
        },
    }
}

fn proved(code: &Code, text: &str, count: usize) -> Option<Certificate> {
    let found = prove(code, &values(code, count))?;
    Some(certificate(
        code,
        text,
        found.pattern,
        found.multiple,
        found.settled_from,
    ))
}

fn holds(p: Pattern, values: &[u16]) -> bool {
    (p.preperiod..values.len() - p.period)
        .all(|n| u64::from(values[n + p.period]) == u64::from(values[n]) + p.saltus)
}

#[test]
fn facts() {
    let lasker = Code {
        tail: 3,
        ..Code::finite([4])
    };
    let cancels = Code {
        tail: 14,
        ..Code::finite([0, 1, 27])
    };
    let cancels_rules = rules(&cancels);
    for (text, code, n0, p, s) in [
        ("0.8", code("0.8"), 1, 3, 1),
        ("0.13FF", code("0.13FF"), 6, 7, 4),
        ("0.28", code("0.28"), 1, 53, 16),
        ("0.1A", code("0.1A"), 4, 2, 1),
        (LASKER, lasker.clone(), 1, 4, 4),
        // Five heaps.
        ("0.W", code("0.W"), 1, 5, 1),
        // Heaps that do not grow have values past the saltus.
        ("0.7BC", code("0.7BC"), 5, 1, 1),
        // Two heaps of the period beside small ones whose values cancel.
        (&cancels_rules, cancels, 5, 2, 1),
    ] {
        let mut heaps = Heaps::new(&code);
        heaps.advance(2_000, &mut |_| false).unwrap();
        let game = GameText {
            text: text.to_owned(),
            arguments: vec![],
        };
        let certificate = heaps.certificate(game).unwrap_or_else(|| panic!("{text}"));
        let report = check(&certificate).unwrap_or_else(|e| panic!("{text}: {e}"));
        let claim = format!("G(n + {p}) = G(n) + {s} for every n ≥ {n0}");
        assert!(report.claim.starts_with(&claim), "{text}: {}", report.claim);
        assert_eq!(check(&parse(&certificate.text()).unwrap()).unwrap(), report);
        assert!(heaps.computed() < 1_000, "{text}: {}", heaps.computed());
        let far: Vec<u64> = values(&code, 1_500).into_iter().map(u64::from).collect();
        assert_eq!(heaps.values(0..1_500), far, "{text}");
    }
    for (n, v) in values(&lasker, 100).into_iter().enumerate().skip(1) {
        let want = match n % 4 {
            0 => n - 1,
            3 => n + 1,
            _ => n,
        };
        assert_eq!(usize::from(v), want);
    }
}

#[test]
fn another_saltus_is_a_conjecture() {
    let mut heaps = Heaps::new(&code("0.3F"));
    heaps.advance(600, &mut |_| false).unwrap();
    assert!(heaps.period().is_none());
    let found = heaps.conjecture().unwrap();
    assert_eq!((found.period, found.saltus), (6, 3));
    for (multiple, from) in [(1, 20), (2, 40), (4, 100), (1, 500)] {
        let forged = certificate(heaps.code(), "0.3F", found, multiple, from);
        let refusal = check(&forged).unwrap_err();
        assert_eq!(refusal.fault, Fault::Hypothesis);
        assert!(refusal.message.contains("power of two"), "{refusal}");
    }
    assert!(Heaps::new(&code("0.77")).conjecture().is_none());
}

/// Where more than a bounded number is taken and two heaps are left, no theorem here proves a period without a saltus.
#[test]
fn a_period_without_a_saltus_is_a_conjecture_too() {
    let mut seen = 0;
    for (first, second, tail) in (0..512).map(|i| (i / 64, i / 8 % 8, i % 8)) {
        let code = Code {
            digits: vec![0, first, second],
            tail,
            unequal: false,
        };
        let mut heaps = Heaps::new(&code);
        heaps.advance(300, &mut |_| false).unwrap();
        let Some(found) = heaps.conjecture() else {
            continue;
        };
        assert!(heaps.period().is_none());
        assert_eq!(Some(found), pattern(&values(&code, heaps.computed())));
        seen += usize::from(found.saltus == 0);
    }
    assert!(seen > 20, "{seen}");
}

/// The heaps below 600 of 8.9BC have a period of 96 with a saltus of 64 from heap 90 on; heap 600 has not.
#[test]
fn a_pattern_that_only_looks_like_one() {
    let near = code("8.9BC");
    let far = values(&near, 601);
    let p = pattern(&far[..600]).unwrap();
    assert_eq!((p.preperiod, p.period, p.saltus), (90, 96, 64));
    assert_eq!(pattern(&far), None);
    assert_eq!((far[504], far[600]), (333, 131));
    assert_eq!(prove(&near, &far[..600]), None);
    for from in [90, 200, 300, 600 - 2 * 96] {
        let refusal = check(&certificate(&near, "8.9BC", p, 1, from)).unwrap_err();
        let early = if from == 90 {
            Fault::Hypothesis
        } else {
            Fault::Settled
        };
        assert_eq!(
            (refusal.fault, refusal.at),
            (early, Some(from as u64)),
            "{refusal}"
        );
    }
}

/// What is proved from some values holds for many more; what is only seen in them does not always.
#[test]
fn what_is_proved_holds_farther() {
    let mut random = Random(5);
    let (mut seen, mut many, mut broken) = (0, 0, 0);
    for round in 0..1_200 {
        let (code, text) = random.code();
        let few = 8 + 5 * (round % 20);
        let far = values(&code, 4 * few);
        let found = prove(&code, &far[..few]);
        if let Some(p) = pattern(&far[..few]) {
            seen += 1;
            let true_to_the_end = holds(p, &far);
            broken += u32::from(!true_to_the_end);
            assert!(found.is_none() || true_to_the_end, "{code:?}: {found:?}");
        }
        let Some(found) = found else {
            continue;
        };
        many += 1;
        // Most of the time goes to reading the rules.
        if many % 20 != 0 {
            continue;
        }
        let certificate = certificate(
            &code,
            &text,
            found.pattern,
            found.multiple,
            found.settled_from,
        );
        check(&certificate).unwrap_or_else(|e| panic!("{code:?} {text}: {e}"));
    }
    let all = format!("{many} proved, {seen} seen, {broken} broken");
    assert!(many > 400 && seen > many && broken > 3, "{all}");
}

/// Patterns that more values contradict, in certificates whose values are all right.
#[test]
fn patterns_that_break_later_are_refused() {
    let mut random = Random(11);
    let mut forged = 0;
    for round in 0..2_000 {
        let (code, text) = random.code();
        let few = 9 + round % 20;
        let far = values(&code, 6 * few);
        let Some(p) = pattern(&far[..few]) else {
            continue;
        };
        if holds(p, &far) || forged > 150 {
            continue;
        }
        // Reading rules that are written out takes most of the time.
        let step = if text.contains("->") { few } else { 1 };
        for from in (p.preperiod.max(1)..few).step_by(step) {
            for multiple in [1, 2] {
                if from + 2 * multiple * p.period > few {
                    continue;
                }
                let refusal = check(&certificate(&code, &text, p, multiple, from)).unwrap_err();
                let faults = [Fault::Hypothesis, Fault::Settled];
                assert!(faults.contains(&refusal.fault), "{code:?} {refusal}");
                forged += 1;
            }
        }
    }
    assert!(forged > 60, "{forged}");
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

#[test]
fn forgeries_are_refused() {
    let lasker = Code {
        tail: 3,
        ..Code::finite([4])
    };
    let mut random = Random(23);
    let mut count = 0;
    for (text, code) in [
        ("0.8", code("0.8")),
        ("0.13FF", code("0.13FF")),
        ("0.28", code("0.28")),
        ("0.1A", code("0.1A")),
        ("0.7BC", code("0.7BC")),
        (LASKER, lasker),
    ] {
        let c = proved(&code, text, 400).unwrap();
        let report = check(&c).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!(report.lines.len() > 5, "{report:?}");
        let Proof::Arithmetic {
            multiple,
            settled_from,
        } = c.proof
        else {
            unreachable!()
        };
        let (multiple, from) = (multiple as usize, settled_from as usize);
        let pattern = Pattern {
            period: c.period as usize,
            preperiod: c.preperiod as usize,
            saltus: c.saltus,
        };
        let mut refused = |what: &str, forged: &Certificate, faults: &[Fault]| {
            count += 1;
            let refusal = check(forged).expect_err(what);
            assert!(
                faults.contains(&refusal.fault),
                "{text}, {what}: {refusal:?}"
            );
            refusal
        };
        // The values that the numbers ask for are right, so that nothing but the claim is wrong.
        let with =
            |p: Pattern, multiple: usize, from: usize| certificate(&code, text, p, multiple, from);
        let number = |f: &dyn Fn(&mut Certificate)| {
            let mut forged = c.clone();
            f(&mut forged);
            forged
        };

        let longer = Pattern {
            period: pattern.period + 1,
            ..pattern
        };
        refused(
            "period one more",
            &with(longer, multiple, from),
            &[Fault::Period],
        );
        if pattern.period > 1 {
            let shorter = Pattern {
                period: pattern.period - 1,
                ..pattern
            };
            refused(
                "period one less",
                &with(shorter, multiple, from),
                &[Fault::Period],
            );
        }
        let twice = Pattern {
            period: 2 * pattern.period,
            saltus: 2 * pattern.saltus,
            ..pattern
        };
        let refusal = refused(
            "twice the period",
            &with(twice, multiple, from),
            &[Fault::Least],
        );
        assert_eq!(refusal.expected, Some(pattern.period.to_string()));
        for saltus in [pattern.saltus * 2, pattern.saltus + 3, 0, u64::MAX, 1 << 63] {
            let forged = with(Pattern { saltus, ..pattern }, multiple, from);
            refused("saltus", &forged, &[Fault::Period, Fault::Hypothesis]);
        }
        let early = Pattern {
            preperiod: pattern.preperiod - 1,
            ..pattern
        };
        let refusal = refused(
            "preperiod one less",
            &with(early, multiple, from),
            &[Fault::Period],
        );
        assert_eq!(refusal.at, Some(pattern.preperiod as u64 - 1));
        let late = Pattern {
            preperiod: pattern.preperiod + 1,
            ..pattern
        };
        let refusal = refused(
            "preperiod one more",
            &with(late, multiple, from),
            &[Fault::Preperiod],
        );
        assert_eq!(refusal.at, Some(pattern.preperiod as u64));

        // The numbers of the proof.
        let refusal = refused(
            "n1 one less",
            &with(pattern, multiple, from - 1),
            &[Fault::Settled, Fault::Hypothesis],
        );
        assert!(refusal.at.is_some(), "{refusal}");
        for n1 in 0..pattern.preperiod.max(1) {
            refused(
                "n1 before n0",
                &with(pattern, multiple, n1),
                &[Fault::Hypothesis],
            );
        }
        assert!(check(&with(pattern, multiple, from + 3)).is_ok());
        if multiple > 1 {
            refused(
                "half the multiple",
                &with(pattern, multiple / 2, from),
                &[Fault::Settled],
            );
            refused(
                "half the multiple",
                &with(pattern, multiple / 2, 10 * from),
                &[Fault::Settled],
            );
        }
        for other in [0, 3, 6] {
            refused(
                "multiple",
                &with(pattern, other, from),
                &[Fault::Hypothesis],
            );
        }
        for huge in [u64::MAX, 1 << 63, 1 << 40] {
            for proof in [
                Proof::Arithmetic {
                    multiple: huge,
                    settled_from,
                },
                Proof::Arithmetic {
                    multiple: c.period,
                    settled_from: huge,
                },
            ] {
                let forged = number(&|c| c.proof = proof.clone());
                refused("a huge number", &forged, &[Fault::Hypothesis]);
                let hashed = Values::hashed(huge, c.values.sha256.clone());
                let forged = Certificate {
                    values: hashed,
                    ..forged
                };
                refused(
                    "a huge number",
                    &forged,
                    &[Fault::Hypothesis, Fault::Memory],
                );
            }
            let forged = number(&|c| c.period = huge);
            refused("a huge number", &forged, &[Fault::Hypothesis]);
            let forged = number(&|c| c.preperiod = huge);
            refused("a huge number", &forged, &[Fault::Hypothesis]);
        }

        // The values.
        for _ in 0..8 {
            let n = random.below(c.values.count) as usize;
            let old = c.values.list.as_ref().unwrap()[n];
            let forged = with_value(&c, n, old ^ (1 + random.below(7)));
            let refusal = refused("a value", &forged, &[Fault::Value]);
            assert_eq!(refusal.at, Some(n as u64));
            assert_eq!(refusal.expected, Some(old.to_string()));
            let hashed = Values::hashed(c.values.count, forged.values.sha256.clone());
            let forged = Certificate {
                values: hashed,
                ..c.clone()
            };
            refused("a value, hashed", &forged, &[Fault::Hash]);
        }
        refused("max", &number(&|c| c.max = Some(99)), &[Fault::Hypothesis]);
        let count = number(&|c| c.values = Values::hashed(c.values.count + 1, String::new()));
        refused("count", &count, &[Fault::Hypothesis]);
        let short = number(&|c| _ = c.values.list.as_mut().unwrap().pop());
        refused("list", &short, &[Fault::Value]);

        // The rules.
        for other in ["0.88", "0.13FE", "0.77", "subtract{1,2}", "allbut{1}"] {
            let forged = number(&|c| c.game.text = other.to_owned());
            refused("rules", &forged, &[Fault::Code]);
        }
        for bit in 0..4 {
            let forged = number(&|c| c.code.digits[0] ^= 1 << bit);
            refused("digit", &forged, &[Fault::Code]);
        }
        let forged = number(&|c| c.code.unequal = true);
        refused("unequal", &forged, &[Fault::Code]);
        let forged = number(&|c| c.code.tail ^= 2);
        refused("tail", &forged, &[Fault::Code]);

        // The other theorems.
        for proof in [
            Proof::Long {
                checked_to: c.values.count - 1,
            },
            Proof::Cofinite {
                state_at: c.values.count - c.period,
            },
            Proof::Window(Default::default()),
        ] {
            let forged = number(&|c| c.proof = proof.clone());
            refused("another proof", &forged, &[Fault::Hypothesis]);
        }
        // Games that differ in one digit, with their own values.
        for t in 1..code.digits.len() {
            for bit in 0..4 {
                let mut near = code.clone();
                near.digits[t] ^= 1 << bit;
                let Some(text) = near.text() else { continue };
                let forged = certificate(&near, &text, pattern, multiple, from);
                let Err(refusal) = check(&forged) else {
                    // The move makes no difference; the claim is right.
                    assert!(holds(pattern, &values(&near, 1_000)), "{text}");
                    continue;
                };
                let at = refusal.at.is_some() || refusal.fault == Fault::Least;
                assert!(at, "{text}: {refusal:?}");
            }
        }
    }
    assert!(count >= 60, "{count}");
}

/// Texts with a character changed, taken out or put in are read and checked without panic, and accepted only if the claim is
/// the true one.
#[test]
fn mutated_texts() {
    let mut random = Random(31);
    let c = proved(&code("0.13FF"), "0.13FF", 200).unwrap();
    let truth = check(&c).unwrap().claim;
    let hashed = Values::hashed(c.values.count, c.values.sha256.clone());
    let text = Certificate {
        values: hashed,
        ..c
    }
    .text();
    for _ in 0..3_000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=random.below(2) {
            let at = random.below(bytes.len() as u64) as usize;
            let with = b"0123456789{}[]\",:-F."[random.below(20) as usize];
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
        let budget = Budget::with_memory(1 << 22);
        if let Ok(report) = grundy_check::check(&forged, &budget, &mut |_, _| ()) {
            assert_eq!(report.claim, truth, "{mutated}");
        }
    }
}
