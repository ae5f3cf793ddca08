//! The signature of the kernels: what they do for eight games, in steps that do not hang on the machine. It changes only with
//! a reason that the commit states.

use grundy_core::Code;
use grundy_kernels::Sequence;

#[test]
fn steps_for_eight_games() {
    let games = [
        ("0.104", [0, 1, 0, 4], false),
        ("0.106", [0, 1, 0, 6], false),
        ("0.16", [0, 1, 6, 0], false),
        ("0.354", [0, 3, 5, 4], false),
        ("0.454", [0, 4, 5, 4], false),
        ("0.56", [0, 5, 6, 0], false),
        ("0.6", [0, 6, 0, 0], false),
        ("Grundy's game", [4, 0, 0, 0], true),
    ];
    let mut signature = String::new();
    for (name, digits, unequal) in games {
        let code = Code {
            unequal,
            ..Code::finite(digits)
        };
        let mut sequence = Sequence::new(&code);
        sequence
            .advance(150_000, &mut |_| false)
            .expect("nothing stops it");
        let work = sequence.work().expect("pairs are counted");
        signature += &format!(
            "{name}: {} rare tests, {} exclusion steps, {} searches, {} splits\n",
            work.rare_tests, work.exclusion_steps, work.searches, work.splits
        );
    }
    insta::assert_snapshot!(signature);
}
