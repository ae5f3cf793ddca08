//! Every rung against the one below it, on the codes of the literature and on random ones.

use grundy_core::Code;
use grundy_kernels::{Rung, Sequence};
use grundy_testkit::Random;

fn values(code: &Code, rung: Rung, to: usize) -> Vec<u16> {
    let mut sequence = Sequence::with_rung(code, rung);
    sequence
        .advance(to, &mut |_| false)
        .expect("nothing stops it");
    sequence.values(0..to)
}

fn agree(code: &Code, to: usize) {
    let truth = values(code, Rung::Plain, to);
    for rung in [Rung::Scalar, Rung::Best] {
        let found = values(code, rung, to);
        let first = (0..to).find(|&n| found[n] != truth[n]);
        let shown = first.map(|n| (n, found[n], truth[n]));
        assert_eq!(
            shown, None,
            "{rung:?} of {code:?}: heap, value, value by all options"
        );
    }
}

fn code(text: &str) -> Code {
    Code::finite(
        text.chars()
            .filter_map(|c| c.to_digit(36))
            .map(u64::from)
            .collect::<Vec<_>>(),
    )
}

#[test]
fn codes_of_the_literature() {
    for text in [
        "0.6", "0.007", "0.104", "0.106", "0.127", "0.14", "0.354", "0.454", "0.56", "0.77",
        "4.127", "0.3", "0.0",
    ] {
        agree(&code(text), 6000);
    }
    agree(
        &Code {
            unequal: true,
            ..code("4.0")
        },
        12_000,
    );
}

#[test]
fn rares_with_larger_codes_than_commons() {
    // Of 0.67226 the value 447 has the rare code 255 below the common code 199 of 455.
    for text in ["0.67226", "0.667", "4.0660006"] {
        agree(&code(text), 4500);
    }
}

#[test]
fn the_first_code_past_half_a_byte() {
    // The mark of a rare heap nim-added to 127 is 128, and no option.
    for text in ["4.044762060", "0.0004644"] {
        agree(&code(text), 4200);
    }
}

#[test]
fn random_octal_codes() {
    let mut random = Random::new(7);
    for case in 0..150 {
        let length = 1 + random.below(8);
        let mut digits: Vec<u64> = (0..=length).map(|_| random.below(8)).collect();
        digits[0] &= 4;
        for _ in 0..random.below(4) {
            digits.insert(1, 0);
        }
        let unequal = case % 10 == 9;
        agree(
            &Code {
                unequal,
                ..Code::finite(digits)
            },
            if unequal { 9_000 } else { 4_500 },
        );
    }
}

#[test]
fn random_codes_of_more_parts_and_with_tails() {
    let mut random = Random::new(11);
    for _ in 0..60 {
        let mut digits: Vec<u64> = (0..=1 + random.below(3))
            .map(|_| random.below(36))
            .collect();
        digits[0] &= 60;
        let code = Code {
            digits,
            tail: random.below(8),
            unequal: random.below(4) == 0,
        };
        let truth = plain_mex(&code, 60);
        assert_eq!(values(&code, Rung::Plain, 60), truth, "{code:?}");
        assert_eq!(values(&code, Rung::Best, 60), truth, "{code:?}");
    }
}

#[test]
fn random_sets_to_take() {
    let mut random = Random::new(13);
    for case in 0..200 {
        // 32 heaps are found together from 32 on, others one by one; with many numbers values are past 8, 63 and 255.
        let low = [1, 31, 32, 64][case as usize % 4];
        let (numbers, most) = [(8, 120), (16, 120), (150, 120), (1200, 700)][case as usize / 4 % 4];
        let mut digits = vec![0; 800];
        for _ in 0..1 + random.below(numbers) {
            digits[(low + random.below(most)) as usize] = 1 + random.below(3);
        }
        let tail = if case % 5 == 0 { random.below(4) } else { 0 };
        let code = Code {
            digits,
            tail,
            unequal: false,
        };
        assert_eq!(
            values(&code, Rung::Best, 3000),
            values(&code, Rung::Plain, 3000),
            "{code:?}"
        );
    }
}

/// With a tail values rise without end; what it leaves need not be all the values below a bound.
#[test]
fn all_short_codes_that_leave_one_heap() {
    for i in 0..1024 {
        let code = Code {
            digits: vec![0, i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6 & 3],
            tail: i >> 8,
            unequal: false,
        };
        assert_eq!(
            values(&code, Rung::Best, 300),
            values(&code, Rung::Plain, 300),
            "{code:?}"
        );
    }
}

#[test]
fn p_positions_have_value_0() {
    let mut random = Random::new(17);
    for case in 0..200 {
        let low = [1, 64, 70][case % 3];
        let take: Vec<usize> = (0..1 + random.below(6))
            .map(|_| (low + random.below(200)) as usize)
            .collect();
        let mut digits = vec![0; 300];
        take.iter().for_each(|&t| digits[t] = 3);
        let values = values(&Code::finite(digits), Rung::Plain, 2000);
        let bits = grundy_kernels::p_positions(&take, 2000);
        for (n, v) in values.iter().enumerate() {
            assert_eq!(
                bits[n / 64] >> (n % 64) & 1 == 1,
                *v == 0,
                "{take:?} at {n}"
            );
        }
    }
}

/// The mex of the options as the code lists them.
fn plain_mex(code: &Code, to: usize) -> Vec<u16> {
    let mut values: Vec<u16> = Vec::new();
    for n in 0..to {
        let options = code.options(n as u64, usize::MAX);
        let sums: Vec<u16> = options
            .iter()
            .map(|o| o.iter().fold(0, |sum, &h| sum ^ values[h as usize]))
            .collect();
        values.push(
            (0..)
                .find(|v| !sums.contains(v))
                .expect("some number is no option"),
        );
    }
    values
}

#[test]
fn a_stop_leaves_a_sequence_that_goes_on() {
    let code = code("0.106");
    let mut sequence = Sequence::new(&code);
    let stopped = sequence.advance(50_000, &mut |n| n > 20_000);
    assert_eq!(stopped, Err(grundy_kernels::Stop::Interrupted));
    sequence.advance(50_000, &mut |_| false).unwrap();
    assert_eq!(
        sequence.values(0..50_000),
        values(&code, Rung::Scalar, 50_000)
    );
}

#[test]
fn two_threads_give_the_same_values() {
    let grundys_game = Code {
        unequal: true,
        ..code("4.0")
    };
    for (code, to) in [
        (code("0.6"), 200_000),
        (grundys_game, 200_000),
        (code("0.007"), 40_000),
    ] {
        let truth = values(&code, Rung::Best, to);
        let mut sequence = Sequence::new(&code);
        sequence.set_threads(2);
        let mut asked = 0;
        // A stop among blocks that are not yet proved leaves none of them.
        let mut stop = |_| {
            asked += 1;
            asked % 700 == 0
        };
        while sequence.len() < to {
            let _ = sequence.advance(to, &mut stop);
            let known = sequence.len().min(to);
            assert_eq!(sequence.values(0..known), truth[..known], "{code:?}");
        }
    }
}
