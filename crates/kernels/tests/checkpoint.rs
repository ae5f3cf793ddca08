//! A run that is saved and goes on from the bytes, against an unbroken one; and bytes that are no state.

use grundy_core::Code;
use grundy_kernels::{Rung, Sequence, Unreadable};
use grundy_testkit::Random;

fn saved(sequence: &Sequence) -> Vec<u8> {
    let mut bytes = Vec::new();
    sequence.save(&mut |piece| bytes.extend_from_slice(piece));
    bytes
}

fn advance(sequence: &mut Sequence, to: usize) {
    sequence
        .advance(to, &mut |_| false)
        .expect("nothing stops it");
}

/// The split and its rares. Which rare values had to be searched for may differ: plans are made at other heaps.
fn facts(sequence: &Sequence) -> String {
    sequence.split().map_or_else(String::new, |s| {
        format!("{:?} {} {} {}", s.split, s.since, s.last_rare, s.rares)
    })
}

/// Breaks a run at random heaps.
fn broken(code: &Code, rung: Rung, to: usize, random: &mut Random) {
    let mut whole = Sequence::with_rung(code, rung);
    advance(&mut whole, to);
    let mut sequence = Sequence::with_rung(code, rung);
    for _ in 0..4 {
        let step = 1 + random.below(to as u64 / 3) as usize;
        let next = to.min(sequence.len() + step);
        advance(&mut sequence, next);
        let again = Sequence::load(&saved(&sequence)).expect("it was saved");
        assert_eq!(saved(&again), saved(&sequence), "{code:?}");
        sequence = again;
    }
    advance(&mut sequence, to);
    assert_eq!(
        sequence.values(0..to),
        whole.values(0..to),
        "{code:?} by {rung:?}"
    );
    if sequence.len() == whole.len() {
        assert_eq!(facts(&sequence), facts(&whole), "{code:?} by {rung:?}");
    }
}

fn octal(text: &str) -> Code {
    let digits = text.chars().filter_map(|c| c.to_digit(36)).map(u64::from);
    Code::finite(digits.collect::<Vec<_>>())
}

#[test]
fn broken_runs_of_the_literature_equal_unbroken_ones() {
    let mut random = Random::new(3);
    for text in [
        "0.6", "0.007", "0.104", "0.106", "0.45", "0.56", "0.77", "4.127", "0.3", "0.0", "0.F",
        "4.0",
    ] {
        for rung in [Rung::Best, Rung::Scalar, Rung::Plain] {
            let code = octal(text);
            let to = if code.parts() > 2 || rung != Rung::Best {
                3_000
            } else {
                60_000
            };
            broken(&code, rung, to, &mut random);
        }
    }
    let grundy = Code {
        unequal: true,
        ..octal("4.0")
    };
    broken(&grundy, Rung::Best, 30_000, &mut random);
    let nim = Code {
        tail: 3,
        ..octal("0.0")
    };
    broken(&nim, Rung::Best, 3_000, &mut random);
}

#[test]
fn broken_runs_of_random_codes_equal_unbroken_ones() {
    let mut random = Random::new(5);
    for case in 0..40 {
        let most = [8, 8, 4, 16][case % 4];
        let mut digits: Vec<u64> = (0..=1 + random.below(5))
            .map(|_| random.below(most))
            .collect();
        digits[0] &= most - 4;
        let tail = if case % 4 == 2 && case % 8 == 2 {
            random.below(4)
        } else {
            0
        };
        let code = Code {
            digits,
            tail,
            unequal: case % 12 == 0,
        };
        let to = if most > 8 { 400 } else { 12_000 };
        broken(&code, Rung::Best, to, &mut random);
    }
}

#[test]
fn bytes_that_are_no_state_are_refused_and_never_panic() {
    let mut random = Random::new(9);
    for text in ["0.106", "0.07", "0.3", "0.67226", "0.F"] {
        let mut sequence = Sequence::new(&octal(text));
        advance(&mut sequence, if text == "0.F" { 200 } else { 3_000 });
        let bytes = saved(&sequence);
        for cut in [0, 1, 7, 8, 20, 40, bytes.len() / 2, bytes.len() - 1] {
            assert!(
                Sequence::load(&bytes[..cut]).is_err(),
                "{text} cut at {cut}"
            );
        }
        assert_eq!(
            Sequence::load(&[&bytes[..], &[0]].concat()).err(),
            Some(Unreadable("something follows its end"))
        );
        for _ in 0..300 {
            let mut forged = bytes.clone();
            // Most of the bytes are values; the others are of more interest.
            let place = match random.below(3) {
                0 => random.below(forged.len() as u64),
                1 => random.below(80),
                _ => forged.len() as u64 - 1 - random.below(60),
            };
            forged[place as usize] ^= 1 << random.below(8);
            if let Ok(mut forged) = Sequence::load(&forged) {
                let _ = forged.advance(forged.len().min(4_000) + 50, &mut |_| false);
            }
        }
    }
}
