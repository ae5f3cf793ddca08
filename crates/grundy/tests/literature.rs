//! Periods of octal games as the literature has them: each comes out as it is told there, or the difference is told here and
//! in docs/records.

use grundy::Budget;
use grundy::period::{Report, period, subject};
use grundy::sequence::Progress;

/// Codes, how many values there are before the period, heap 0 among them, and the period. Sources: Guy and Smith 1956, Winning
/// Ways, the OEIS (A002186, A002187, A071430 to A071465, A125920 to A125942), Gangolli and Plambeck 1989, Flammenkamp's and
/// Czajka's tables. The longer ones are in docs/records/2026-11-certificates.md.
#[rustfmt::skip]
const PERIODS: &[(&str, usize, usize)] = &[
    ("0.017", 15, 60), ("0.044", 214, 36), ("0.051", 48, 48), ("0.055", 259, 148), ("0.07", 53, 34), ("0.115", 1, 14),
    ("0.116", 139, 96), ("0.117", 47, 48), ("0.127", 46578, 4), ("0.134", 60, 62), ("0.137", 52, 34),
    ("0.141", 14, 11), ("0.144", 4, 10), ("0.145", 3, 9), ("0.147", 3, 8), ("0.15", 1, 10), ("0.152", 2, 48),
    ("0.153", 16, 14), ("0.154", 4, 11), ("0.156", 3479, 349), ("0.16", 105351, 149459), ("0.165", 5181, 1550),
    ("0.17", 33, 34), ("0.171", 12, 11), ("0.173", 21, 40), ("0.176", 24, 8), ("0.177", 497, 20), ("0.226", 21, 5),
    ("0.26", 1, 4), ("0.316", 4, 12), ("0.34", 7, 8), ("0.351", 1, 8), ("0.353", 4, 2), ("0.356", 7315, 142),
    ("0.373", 2, 28), ("0.375", 37, 18), ("0.44", 143, 24), ("0.45", 498, 20), ("0.51", 1, 1), ("0.512", 3, 6),
    ("0.52", 4, 4), ("0.53", 11, 9), ("0.532", 7, 5), ("0.536", 1, 5), ("0.54", 3, 7), ("0.56", 326640, 144),
    ("0.57", 1, 4), ("0.644", 3256, 442), ("0.71", 3, 2), ("0.72", 1, 4), ("0.75", 1, 2), ("0.77", 71, 12),
    ("0.772", 8, 4), ("4.0", 1, 2), ("4.005", 31, 79), ("4.024", 2, 60), ("4.102", 8, 10), ("4.122", 6, 7),
    ("4.304", 25, 21), ("4.323", 4, 4), ("4.344", 998, 51), ("4.444", 143, 24), ("4.72", 1, 3), ("4.722", 4, 4),
    ("4.766", 19, 20), ("0.11377", 187, 32), ("0.1177", 258, 148), ("0.1377", 141, 24), ("0.7107", 30, 79),
    ("0.7737", 294096, 44), ("0.002", 1, 6), ("0.02", 1, 4), ("0.1", 2, 1), ("0.101", 4, 1), ("0.102", 1, 6),
    ("0.11", 3, 1), ("0.111", 4, 1), ("0.112", 1, 6), ("0.12", 1, 4), ("0.121", 4, 4), ("0.122", 1, 5),
    ("0.123", 5, 5), ("0.131", 4, 4), ("0.22", 1, 3), ("0.31", 3, 2), ("0.312", 5, 2), ("0.32", 1, 3),
    ("0.331", 4, 3), ("0.332", 1, 4),
];

fn found(code: &str, to: u64) -> Report {
    let subject = subject(code, &[]).unwrap();
    let budget = Budget::default();
    period(&subject, Some(to), None, &budget, &mut |_: &Progress, _| {}).unwrap()
}

#[test]
fn periods_are_those_of_the_literature() {
    for &(code, preperiod, length) in PERIODS {
        let report = found(code, 700_000);
        let p = report.period().unwrap_or_else(|| panic!("{code}: none"));
        assert_eq!(
            (p.preperiod, p.period, p.saltus),
            (preperiod, length, 0),
            "{code}"
        );
    }
}

/// A period that is not in the literature known here, and a last exception that is 2 larger than A071436 has it.
#[test]
fn where_the_literature_says_otherwise() {
    let p = found("4.064", 300_000).period().cloned().unwrap();
    assert_eq!((p.preperiod, p.period), (94_272, 16_132));
    let report = found("0.56", 700_000);
    assert_eq!(report.period().unwrap().preperiod - 1, 326_639);
    let value = |n: usize| report.heaps.value(n);
    assert_ne!(value(326_639), value(326_639 + 144));
}

/// Games that have been called the same.
#[test]
fn games_that_are_not_the_same() {
    let values = |code: &str| found(code, 3000).heaps.values(0..3001);
    let differ = |a: &str, b: &str| {
        let (a, b) = (values(a), values(b));
        a.iter().zip(&b).position(|(a, b)| a != b)
    };
    assert_eq!(differ("0.161", "0.36"), Some(519));
    assert_eq!(differ("0.27", "0.26"), None);
    assert_ne!(differ("0.27", "0.06"), None);
    assert_ne!(differ("0.314", "0.31"), None);
    // 0.17 is not Dawson's Kayles with the last bit turned for odd heaps: that fails first at 49.
    let (here, dawson) = (values("0.17"), values("0.07"));
    let rule = |n: &usize| here[*n] == dawson[*n] ^ (*n as u64 & 1);
    assert_eq!((1..200).find(|n| !rule(n)), Some(49));
}
