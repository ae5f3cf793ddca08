//! Periods of the literature, each with a certificate that the independent checker accepts, and random codes against the
//! plainest search for a period.

use grundy_core::Budget;
use grundy_find::{Code, GameText, Heaps};
use grundy_testkit::Random;

fn code(text: &str) -> Code {
    let (first, rest) = text.split_once('.').unwrap();
    let digits = first.chars().chain(rest.chars());
    Code::finite(
        digits
            .map(|c| c.to_digit(36).unwrap().into())
            .collect::<Vec<u64>>(),
    )
}

/// Finds the period up to a heap, has it checked, and gives (period, preperiod, saltus, kind of the proof).
fn proved(code: &Code, text: &str, to: usize) -> Option<(usize, usize, u64, &'static str)> {
    let mut heaps = Heaps::new(code);
    heaps.advance(to, &mut |_| false).unwrap();
    let period = heaps.period()?.clone();
    let game = GameText {
        text: text.to_owned(),
        arguments: vec![],
    };
    let certificate = heaps.certificate(game).unwrap();
    let checked = grundy_check::check(&certificate, &Budget::default(), &mut |_, _| ());
    if let Err(refusal) = checked {
        panic!("{text}: {period:?}: {refusal}");
    }
    // What is copied is what is computed.
    let mut plain = grundy_kernels::Sequence::new(code);
    let to = heaps.computed() + 2 * period.period.min(20_000) + 100;
    if plain.advance(to, &mut |_| false).is_ok() {
        let want: Vec<u64> = plain.values(0..to).into_iter().map(u64::from).collect();
        assert_eq!(heaps.values(0..to), want, "{text}");
        assert_eq!(heaps.value(to - 1), want[to - 1], "{text}");
    }
    Some((
        period.period,
        period.preperiod,
        period.saltus,
        period.proof.kind(),
    ))
}

#[test]
fn periods_of_the_literature() {
    for (text, p, n0, kind) in [
        ("0.77", 12, 71, "long"),
        ("0.07", 34, 53, "long"),
        ("0.156", 349, 3479, "long"),
        ("0.356", 142, 7315, "window"),
        ("0.644", 442, 3256, "long"),
        ("0.165", 1550, 5181, "long"),
        ("0.45", 20, 498, "long"),
        ("0.127", 4, 46578, "window"),
        ("0.16", 149_459, 105_351, "window"),
        ("0.56", 144, 326_640, "window"),
    ] {
        let found = proved(&code(text), text, 1_000_000);
        assert_eq!(found, Some((p, n0, 0, kind)), "{text}");
    }
}

/// The least period, then the least preperiod, that values show from their middle on, and the saltus.
fn shown(values: &[u64], most: usize) -> Option<(usize, usize, u64)> {
    let n = values.len();
    (1..=most).find_map(|p| {
        let saltus = values[n - 1].checked_sub(values[n - 1 - p])?;
        let same = (0..n - p).rev();
        let same = same
            .take_while(|&m| values[m] + saltus == values[m + p])
            .count();
        (same >= n / 2).then_some((p, n - p - same, saltus))
    })
}

/// A period that the values show far out is found, is the least, and none is found otherwise; the checker agrees.
fn agree(codes: impl Iterator<Item = Code>, to: usize, least: usize) {
    let mut found = 0;
    for code in codes {
        let mut plain = grundy_kernels::Sequence::with_rung(&code, grundy_kernels::Rung::Plain);
        plain.advance(to, &mut |_| false).unwrap();
        let values: Vec<u64> = plain.values(0..to).into_iter().map(u64::from).collect();
        let mut heaps = Heaps::new(&code);
        heaps.advance(to, &mut |_| false).unwrap();
        assert_eq!(heaps.values(0..to), values, "{code:?}");
        let far = shown(&values, to / 16);
        let Some(period) = heaps.period() else {
            // What begins in the first quarter is proved by a half, with room for what is taken.
            let early = far.is_some_and(|(p, n0, s)| {
                s == 0
                    && code.tail == 0
                    && 3 * (n0 + p) + 200 < to
                    && !(code.unequal && code.parts() > 2)
            });
            assert!(!early, "{code:?}: {far:?}");
            continue;
        };
        if let Some(far) = far {
            assert_eq!(
                (period.period, period.preperiod, period.saltus),
                far,
                "{code:?}"
            );
        }
        found += 1;
        let Some(text) = name(&code) else { continue };
        let game = GameText {
            text,
            arguments: vec![],
        };
        let certificate = heaps.certificate(game).unwrap();
        let checked = grundy_check::check(&certificate, &Budget::default(), &mut |_, _| ());
        if let Err(refusal) = checked {
            panic!("{code:?}: {:?}: {refusal}", heaps.period());
        }
    }
    assert!(found >= least, "only {found} have a period");
}

/// A text that the checker reads.
fn name(code: &Code) -> Option<String> {
    let set = |tail: u64| -> Vec<String> {
        let other = (1..code.digits.len()).filter(|&t| code.digits[t] != tail);
        other.map(|t| t.to_string()).collect()
    };
    match code.tail {
        3 => Some(format!("allbut{{{}}}", set(3).join(","))),
        0 if !code.unequal => code.text(),
        _ => None,
    }
}

#[test]
fn random_octal_codes_agree_with_the_plainest_search() {
    let mut random = Random::new(11);
    let codes = (0..80).map(|_| {
        let digits = 2 + random.below(3);
        let first = 4 * random.below(2);
        let rest = (0..digits).map(|_| random.below(8));
        let digits: Vec<u64> = [first].into_iter().chain(rest).collect();
        Code::finite(digits)
    });
    agree(codes.collect::<Vec<_>>().into_iter(), 3000, 30);
}

#[test]
fn random_codes_of_three_parts_and_of_heaps_that_differ_agree() {
    let mut random = Random::new(12);
    let codes = (0..80).map(|i| {
        let most = if i % 2 == 0 { 16 } else { 8 };
        let digits: Vec<u64> = (0..4)
            .map(|t| random.below(most) & if t == 0 { 4 } else { 15 })
            .collect();
        Code {
            unequal: i % 2 == 1,
            ..Code::finite(digits)
        }
    });
    agree(codes.collect::<Vec<_>>().into_iter(), 1000, 15);
}

#[test]
fn random_subtraction_and_all_but_sets_agree() {
    let mut random = Random::new(13);
    let codes = (0..300).map(|i| {
        let most = 1 + random.below(12) as usize;
        let mut digits: Vec<u64> = (0..=most)
            .map(|t| if t == 0 { 0 } else { 3 * random.below(2) })
            .collect();
        digits[most] = if i % 2 == 0 { 3 } else { 0 };
        Code {
            tail: if i % 2 == 0 { 0 } else { 3 },
            ..Code::finite(digits)
        }
    });
    agree(codes.collect::<Vec<_>>().into_iter(), 6000, 280);
}

/// One value changed at the end of what repeats, or a window too short, proves nothing.
#[test]
fn no_period_without_proof() {
    for (text, to) in [
        ("0.77", 140),
        ("0.07", 150),
        ("0.156", 5000),
        ("0.6", 20_000),
        ("0.007", 4000),
    ] {
        let code = code(text);
        // Sequences may compute further than asked, so the plain rung is asked.
        let mut sequence = grundy_kernels::Sequence::with_rung(&code, grundy_kernels::Rung::Plain);
        sequence.advance(to, &mut |_| false).unwrap();
        let mut heaps = Heaps::of(sequence);
        heaps.advance(to, &mut |_| false).unwrap();
        assert_eq!(heaps.period(), None, "{text}");
    }
}
