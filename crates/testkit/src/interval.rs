//! A heap from which from p to q may be taken, in random writings.

use crate::{Random, RandomGame};

/// A random game of the class.
pub fn game(random: &mut Random) -> RandomGame {
    let (p, more) = (random.range(1, 6), random.range(0, 7));
    let q = p + more;
    let mut lines = vec![match random.range(0, 4) {
        0 => format!("n -> n - k for k in {p}..{q}"),
        1 => format!("n -> k for k in max(0, n - {q})..n - {p}"),
        2 => format!("n -> k for k in 0..n if n - k >= {p} and n - k <= {q}"),
        3 => format!("n -> n - k for k in {p}..min(n, {q})"),
        _ => format!("n -> n - {p} - k for k in 0..{more}"),
    }];
    if random.one_in(3) {
        // The same moves once more.
        lines.push(format!("n -> n - {}", random.range(p, q)));
    }
    if random.one_in(2) {
        lines.push(match random.range(0, 2) {
            0 => format!("n -> 0 if 0 < n and n < {p}"),
            1 => format!("n -> 0 if n >= 1 and n <= {q}"),
            _ => format!("n -> n - k for k in 1..{} if k == n", p - 1),
        });
    }
    random.shuffle(&mut lines);
    let play = if random.one_in(2) {
        "; play misere"
    } else {
        ""
    };
    RandomGame::plain(format!("{}{play}", lines.join(" | ")))
}

/// Games that look alike and are not of the class.
pub const NEAR_MISSES: &[&str] = &[
    "n -> n - k for k in 2..5 if k != 3",
    "n -> n - k for k in 1..3 | n -> n - 5",
    "n -> n - k for k in 2..4 | n -> 0 if n == 1 | n -> 0 if n == 7",
    "n -> n - k for k in 3..4 | n -> 0 if n == 1",
    "n -> n - k for k in 1..n",
    "n -> n - k for k in 2..4 if n % 2 == 0",
    "n -> n - k for k in 2..4 if n > 9",
    "n -> n - k for k in 2..4; win if n == 3",
    "n -> [n - k, k] for k in 2..4 if n > k",
    "n -> 0 if n > 0 and n < 9",
    "n -> n - k for k in 2..7 if k <= n // 2",
    "n -> [] if n == 3 | n -> n - k for k in 1..2",
];
