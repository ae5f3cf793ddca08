//! Take-and-break codes written out as rules, each digit in one of the ways in which a person might write it.

use crate::{Random, RandomGame};

/// A random game of the class.
pub fn game(random: &mut Random) -> RandomGame {
    loop {
        let mut lines = Vec::new();
        let unequal = random.one_in(6);
        let three = !unequal && random.one_in(4);
        for t in 0..=random.range(1, 4) {
            let most = if three { 15 } else { 7 };
            let digit = random.range(0, most);
            let digit = if t > 0 {
                digit
            } else if random.one_in(3) {
                digit & !3
            } else {
                0
            };
            digits(random, t, digit, unequal, &mut lines);
        }
        if random.one_in(5) {
            // Some heaps of their own.
            let t = random.range(1, 3);
            let guard = random.range(2, 14);
            let compare = *random.pick(&[&">=", &"<=", &"=="]);
            lines.push(format!("n -> n - {t} if n {compare} {guard}"));
        }
        if lines.is_empty() {
            continue;
        }
        random.shuffle(&mut lines);
        return RandomGame::plain(lines.join(" | "));
    }
}

/// `n - t`
fn rest(t: i64) -> String {
    if t == 0 {
        "n".to_owned()
    } else {
        format!("n - {t}")
    }
}

fn digits(random: &mut Random, t: i64, digit: i64, unequal: bool, lines: &mut Vec<String>) {
    let rest = rest(t);
    let mut left = digit;
    // Several bits at once, where a range that starts at 0 says so.
    if left & 7 == 7 && !unequal && t > 0 && random.one_in(2) {
        let form = random.range(0, 3);
        lines.push(match form {
            0 => format!("n -> [a, {rest} - a] for a in 0..{rest}"),
            1 => format!("n -> [a, {rest} - a] for a in 0..({rest})//2"),
            2 => format!("n -> [i - {t}, n - i] for i in {t}..n"),
            _ => format!("n -> [a, b] for a in 0..n, b in 0..a if a + b == {rest}"),
        });
        left &= !7;
    }
    if left & 15 == 14 && random.one_in(2) && t > 0 {
        lines.push(format!(
            "n -> [a, b, {rest} - a - b] for a in 1..{rest}, b in 0..{rest} - a"
        ));
        left &= !14;
    }
    if left & 3 == 3 {
        lines.push(match random.range(0, 3) {
            0 => format!("n -> {rest}"),
            1 => format!("n -> [0, {rest}]"),
            2 => format!("n -> max(n, {t}) - {t} if n >= {t}"),
            _ => format!("n -> k for k in max(0, {rest})..{rest}"),
        });
        left &= !3;
    }
    if left & 1 == 1 {
        lines.push(match random.range(0, 2) {
            0 => format!("n -> [] if n == {t}"),
            1 => format!("n -> 0 if n == {t}"),
            _ => format!("n -> {rest} if n <= {t}"),
        });
    }
    if left & 2 == 2 {
        lines.push(match random.range(0, 2) {
            0 => format!("n -> {rest} if n > {t}"),
            1 => format!("n -> [{rest}] if not n == {t}"),
            _ => format!("n -> k for k in 1..n if k + {t} == n"),
        });
    }
    if left & 4 == 4 {
        lines.push(match random.range(0, 4) {
            0 | 1 if unequal => format!("n -> [a, {rest} - a] for a in 1..n if 2 * a < {rest}"),
            2 | 3 if unequal => {
                format!("n -> [a, b] for a in 1..n, b in a + 1..n if a + b == {rest}")
            }
            _ if unequal => {
                format!("n -> [a, {rest} - a] for a in 1..n if a < {rest} and {rest} != 2 * a")
            }
            0 => format!("n -> [a, {rest} - a] for a in 1..({rest})//2"),
            1 => format!("n -> [a, {rest} - a] for a in 1..{rest} - 1"),
            2 => format!("n -> [{rest} - a, a] for a in 1..n - 1 if a < {rest}"),
            3 => format!("n -> [a, b] for a in 1..n, b in a..n if a + b == {rest}"),
            _ => {
                format!("n -> [a, {rest} - a] for a in 1..n if 2 * a >= {rest} and a <= {rest} - 1")
            }
        });
    }
    if left & 8 == 8 {
        lines.push(match random.range(0, 2) {
            0 => format!(
                "n -> [a, b, {rest} - a - b] for a in 1..({rest})//3, b in a..({rest} - a)//2"
            ),
            1 => format!("n -> [a, b, {rest} - a - b] for a in 1..n, b in 1..{rest} - a - 1"),
            _ => format!(
                "n -> [a, {rest} - a - b, b] for a in 1..n, b in 1..a if a + b + b <= {rest}"
            ),
        });
    }
}

/// Games that look alike and are not of the class.
pub const NEAR_MISSES: &[&str] = &[
    "n -> k for k in 0..n-1",
    "n -> [a, n - a] for a in 1..n-1 if a != n - a | n -> [a, n - 1 - a] for a in 1..n-2",
    "n -> [a, b, n - a - b] for a in 1..n, b in a+1..n if b < n - a - b",
    "n -> [n // 2, n - n // 2] if n >= 2",
    "n -> [a, n - 1 - a] for a in 2..(n-1)//2",
    "n -> [a, n - 2 - a] for a in 1..n if a % 2 == 1",
    "n -> [1, n - 3] if n >= 4",
    "n -> n - k for k in 1..3 if n % 2 == 0",
    "n -> n - k for k in 1..3; play misere",
    "n -> [a, n - 1 - a] for a in 1..(n-1)//2; win if n == 3",
    "n -> n - k for k in 1..n//2",
    "n -> [a, a, n - 2 - 2*a] for a in 1..n//2",
    "n -> [a, b, n - 1 - a - b] for a in 1..n, b in a+1..n if b < n - 1 - a - b",
    "n -> [a, n - k - a] for k in 1..n, a in 1..n - k - 1",
    "n -> [a, n - a*a] for a in 1..n if a * a < n",
    "{a, b} -> {a - 1, b}",
];
