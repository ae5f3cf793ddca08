//! Machine code says what the interpreter says, on random rules over tables whose cells hold random values.

use grundy_jit::Compiled;
use grundy_lang::interp::Rules;
use grundy_lang::ir::Shape;
use grundy_search::dense::{Cells, Evaluate, Interpret, Layout, Mode, Verdict};
use grundy_testkit::{Random, counters};

mod compare;

use compare::{Seen, compare};

/// Half of the games; the other half runs beside it.
fn random_rules_come_out_alike(seed: u64) {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let mut r = Random::new(seed + number("SEED").unwrap_or(0));
    let mut seen = Seen::default();
    let cases = number("CASES").unwrap_or(5000) as usize;
    for _ in 0..cases {
        let (text, rules) = counters::rules(&mut r);
        compare(&mut r, &text, &rules, &mut seen);
    }
    println!(
        "refused {}, values {}, missing {}, unable {}, ours alone {}",
        seen.refused, seen.values, seen.missing, seen.unable, seen.ours_alone
    );
    // Nearly all is compiled, and nearly all of that is computed.
    assert!(seen.refused * 100 < cases, "{} refused", seen.refused);
    assert!(seen.values > 5 * cases && 4 * seen.missing > cases);
    assert!(seen.ours_alone * 10 < seen.values, "{}", seen.ours_alone);
}

#[test]
fn random_rules_of_one_half_come_out_alike() {
    random_rules_come_out_alike(1 << 32);
}

#[test]
fn random_rules_of_the_other_half_come_out_alike() {
    random_rules_come_out_alike(2 << 32);
}

#[test]
fn a_guard_that_fails_for_good_hides_no_error_of_one_before_it() {
    let game = grundy_testkit::game("n -> n - k for k in 1..n if 10 // (5 - k) > -20 if k <= 3");
    let rules = Rules::new(game, vec![0i64.into()]);
    let layout = Layout::new(&Shape::Int, &[9]).unwrap();
    let cells = Cells::unknown(10, Mode::Values);
    for place in 0..10 {
        assert!(cells.put(place, place));
    }
    let mut ours = Compiled::new(&rules, &layout, Mode::Values).unwrap();
    let mut theirs = Interpret::new(rules.machine(), &layout, Mode::Values);
    for n in 0..10 {
        let verdict = ours.evaluate(&[n], &cells);
        assert_eq!(verdict, theirs.evaluate(&[n], &cells), "{n}");
        assert_eq!(verdict == Verdict::Unable, n >= 5, "{n}");
    }
}
