//! One heap from which any number past some may be taken, written out as rules, with moves that leave two heaps.

use crate::{Random, RandomGame};

/// A random game of the class.
pub fn game(random: &mut Random) -> RandomGame {
    let last = random.range(0, 4);
    let mut lines = vec![match random.range(0, 3) {
        0 => format!("n -> n - k for k in {}..n", last + 1),
        1 => format!("n -> k for k in 0..n - {}", last + 1),
        2 => format!("n -> k for k in 1..n - {}", last + 1),
        _ => format!("n -> n - k for k in {}..n - 1", last + 1),
    }];
    let unequal = random.one_in(4);
    for t in 0..=last {
        let rest = if t == 0 {
            "n".to_owned()
        } else {
            format!("n - {t}")
        };
        if t > 0 && random.one_in(2) {
            lines.push(match random.range(0, 2) {
                0 => format!("n -> {rest} if n >= {t}"),
                1 => format!("n -> {rest} if n > {t}"),
                _ => format!("n -> [] if n == {t}"),
            });
        }
        if random.one_in(3) {
            lines.push(match random.range(0, 2) {
                _ if unequal => format!("n -> [a, {rest} - a] for a in 1..n if 2 * a < {rest}"),
                0 => format!("n -> [a, {rest} - a] for a in 1..({rest})//2"),
                1 => format!("n -> [{rest} - a, a] for a in 1..n - 1 if a < {rest}"),
                _ => format!("n -> [a, b] for a in 1..n, b in a..n if a + b == {rest}"),
            });
        }
    }
    random.shuffle(&mut lines);
    RandomGame::plain(lines.join(" | "))
}

/// Games that look alike and are not of the class.
pub const NEAR_MISSES: &[&str] = &[
    "n -> n - k for k in 1..3",
    "n -> k for k in n//2..n-1",
    "n -> n - k for k in 1..n if k % 2 == 1",
    "n -> n - k for k in 1..n if n % 2 == 0",
    "n -> [a, b] for a in 1..n, b in 1..n if a + b < n",
    "n -> k for k in 0..n-1 | n -> [a, a] for a in 1..n//2",
    "n -> k for k in 0..n-1 | n -> [a, b, n - a - b] for a in 1..n, b in 1..n if a + b < n",
    "n -> k for k in 0..n-1; play misere",
    "n -> k for k in 0..n-1; win if n == 3",
    "n -> k for k in 0..n-1 | n -> [1, n - 1] if n >= 2",
    "n -> 0 if n >= 1",
];
