//! Periods of the literature, each with a certificate that the independent checker accepts, and random codes against the
//! plainest search for a period.

use grundy_core::Budget;
use grundy_find::{Code, GameText, Heaps};

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
    ] {
        let found = proved(&code(text), text, 1_000_000);
        assert_eq!(found, Some((p, n0, 0, kind)), "{text}");
    }
}
