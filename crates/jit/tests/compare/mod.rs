//! Machine code beside the interpreter on one set of rules; the fuzz target `jit` runs it too.

use std::ops::ControlFlow;

use grundy_core::Int;
use grundy_jit::Compiled;
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Move, Parts, Shape};
use grundy_search::dense::{Cells, Evaluate, Interpret, Layout, Mode, Order, Verdict};
use grundy_testkit::Random;

/// Cells of random values, some of them not known, of a random width.
fn cells(r: &mut Random, layout: &Layout, mode: Mode) -> Cells {
    let bits = mode == Mode::Outcomes && !r.one_in(3);
    let mut cells = Cells::unknown(layout.cells(), if bits { mode } else { Mode::Values });
    if !bits {
        for _ in 0..r.below(3) {
            cells = cells.wider().expect("there are three widths");
        }
    }
    let known = if r.one_in(2) { 1000 } else { 10 };
    let most = if bits {
        1
    } else {
        r.pick(&[&[1u64][..], &[7], &[200]])[0]
    };
    for place in 0..layout.cells() {
        if r.below(known) != 0 {
            assert!(cells.put(place, r.below(most + 1)));
        }
    }
    cells
}

/// How often the two said what.
#[derive(Debug, Default)]
pub struct Seen {
    pub refused: usize,
    pub values: usize,
    pub missing: usize,
    pub unable: usize,
    pub ours_alone: usize,
}

/// Compares the two on every position of a random table.
pub fn compare(r: &mut Random, text: &str, rules: &Rules, seen: &mut Seen) {
    let shape = &rules.game().shape;
    let n = shape.width().expect("counters");
    let most = [12, 6, 3, 2][n - 1];
    let mut to: Vec<u64> = (0..n).map(|_| r.below(most + 1)).collect();
    if let Shape::Unordered(..) = shape {
        to.fill(most);
    }
    let layout = Layout::new(shape, &to).expect("a table");
    let game = rules.game();
    let splits = |m: &Move| !matches!(&m.parts, Parts::Each(parts) if parts.len() == 1);
    // Values say nothing where a position is won without a move, and outcomes of parts do not add.
    let mode = match (
        game.ends.iter().any(|e| !e.win),
        game.moves.iter().any(splits),
    ) {
        (true, true) => return,
        (true, false) => Mode::Outcomes,
        (false, true) => Mode::Values,
        (false, false) => *r.pick(&[&Mode::Values, &Mode::Outcomes]),
    };
    let mut ours = match Compiled::new(rules, &layout, mode) {
        Ok(ours) => ours,
        Err(_) => {
            seen.refused += 1;
            return;
        }
    };
    let cells = cells(r, &layout, mode);
    // Ranges up to the largest words are given up sooner than a user would have them.
    let vast = rules.params().iter().any(|p| {
        p.as_int()
            .and_then(Int::to_i64)
            .is_some_and(|v| v > 1 << 40)
    });
    let patience = if vast { 1 << 16 } else { u64::MAX };
    let _ = Order::natural(n).visit(&layout, &mut |at| {
        let at = &at[..n];
        let machine = rules.machine().with_patience(patience);
        let mut theirs = Interpret::new(machine, &layout, mode);
        let (a, b) = (ours.evaluate(at, &cells), theirs.evaluate(at, &cells));
        let told = format!("{text}{:?}\n{mode:?} at {at:?} of {to:?}", rules.params());
        match (a, b) {
            (Verdict::Value(a), Verdict::Value(b)) => {
                assert_eq!(a, b, "{told}");
                if mode == Mode::Values {
                    let option = (0..300).find(|v| ours.seen(*v) != theirs.seen(*v));
                    assert_eq!(option, None, "{told}");
                }
                seen.values += 1;
            }
            (Verdict::Missing(option), Verdict::Missing(_)) => {
                let place = layout.index(&option[..n]).expect("an option of the table");
                assert_eq!(cells.get(place), None, "{told}");
                seen.missing += 1;
            }
            (Verdict::Unable, Verdict::Value(_)) => seen.ours_alone += 1,
            (Verdict::Unable, _) => seen.unable += 1,
            // Divisors are tried in another order.
            (Verdict::Missing(_), Verdict::Unable) => seen.unable += 1,
            (Verdict::Value(1) | Verdict::Missing(_), _)
                if mode == Mode::Outcomes && text.contains("% ") => {}
            (Verdict::Value(_), Verdict::Unable) if vast => {}
            _ => panic!("{a:?}, not {b:?}\n{told}"),
        }
        ControlFlow::Continue(())
    });
}
