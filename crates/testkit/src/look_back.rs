//! Games on one counter that falls by bounded amounts, with a finite control: subtraction sets, teams, last-move rules.

use crate::Random;

/// A rule text of the class, numbers put in, with or without misère play and ends. The counter may stand anywhere.
pub fn game(random: &mut Random) -> String {
    let (statements, names) = moves(random);
    let mut text = statements;
    if random.one_in(3) {
        text += "; play misere";
    }
    if random.one_in(4) {
        let word = if random.one_in(2) { "win" } else { "lose" };
        let counter = names.counter;
        let condition = match random.range(0, 3) {
            0 => format!("{counter} == {}", random.range(0, 6)),
            1 => format!(
                "{counter} % {} == {}",
                random.range(2, 5),
                random.range(0, 1)
            ),
            2 => format!(
                "{counter} in [{}, {}]",
                random.range(0, 4),
                random.range(3, 9)
            ),
            _ => format!("{counter} < {}", random.range(1, 4)),
        };
        text += &match names.control {
            Some(control) if random.one_in(2) => format!(
                "; {word} if {condition} and {control} == {}",
                random.range(0, 2)
            ),
            _ => format!("; {word} if {condition}"),
        };
    }
    text
}

struct Names {
    counter: &'static str,
    control: Option<&'static str>,
}

fn list(random: &mut Random, length: i64, lo: i64, hi: i64) -> String {
    let all: Vec<String> = (0..length)
        .map(|_| random.range(lo, hi).to_string())
        .collect();
    all.join(", ")
}

fn moves(random: &mut Random) -> (String, Names) {
    let one = Names {
        counter: "n",
        control: None,
    };
    let two = Names {
        counter: "n",
        control: Some("p"),
    };
    let m = random.range(1, 6);
    match random.range(0, 5) {
        0 | 1 => {
            let mut text = counter_move(random);
            if random.one_in(3) {
                text += " | ";
                text += &counter_move(random);
            }
            (text, one)
        }
        2 => {
            // Seats in a ring, or limits that alternate.
            let seats = random.range(2, 6);
            let limits = list(random, seats, 1, 7);
            let range = if random.one_in(2) {
                "1..min(L[p], n)"
            } else {
                "1..L[p]"
            };
            let range = range.replace('L', &format!("[{limits}]"));
            let step = random.range(1, 2);
            (
                format!("start (s, 0); (n, p) -> (n - k, (p + {step}) % {seats}) for k in {range}"),
                two,
            )
        }
        3 => {
            // What may be taken depends on what was taken last.
            let guard = match random.range(0, 4) {
                0 => "k != p".to_owned(),
                1 => format!("k <= p + {}", random.range(1, 2)),
                2 => format!("(k + p) % {} != {}", random.range(2, 4), random.range(0, 1)),
                3 => "gcd(k, p) <= 2".to_owned(),
                _ => "k not in {p, p + 2}".to_owned(),
            };
            let start = random.range(0, 1);
            (
                format!("start (s, {start}); (n, p) -> (n - k, k) for k in 1..{m} if {guard}"),
                two,
            )
        }
        4 => {
            // The counter stands second, and the control counts down or follows the counter's residue.
            let next = match random.range(0, 3) {
                0 => format!("n % {}", random.range(2, 3)),
                1 => "p - 1".to_owned(),
                2 => format!("(p * 2 + k) % {}", random.range(3, 5)),
                _ => format!("({m} - k if p == 0 else 0)"),
            };
            (
                format!(
                    "start ({}, s); (p, n) -> ({next}, n - k) for k in 1..{m}",
                    random.range(0, 5)
                ),
                two,
            )
        }
        _ => {
            // Two controls at once.
            let text = format!(
                "start (0, s, 1); (p, n, q) -> (1 - p, n - k, (q + k) % 3) for k in 1..{} if k != q \
                 | (p, n, q) -> (p, n - {m}, 0) if p == 1",
                m + 1
            );
            (text, two)
        }
    }
}

/// A rule of one counter `n`, written `n -> RESULT for …`.
pub(crate) fn counter_move(random: &mut Random) -> String {
    let (m, r) = (random.range(1, 6), random.range(2, 4));
    let c = random.range(0, r - 1);
    match random.range(0, 11) {
        0 => format!("n -> n - k for k in {{{}}}", list(random, 3, 1, 9)),
        1 => format!("n -> n - k for k in [{}] if k <= n", list(random, 4, 1, 12)),
        2 => format!("n -> n - k for k in 1..{m} if (n - k) % {r} != {c}"),
        3 => format!("n -> k for k in max(0, n - {m})..n - 1"),
        4 => format!(
            "n -> n - k for k in 1..({m} if n % {r} == {c} else {})",
            random.range(1, 6)
        ),
        5 => format!("n -> n - k for k in 1..5 if gcd(n, 6) >= k or k == {m}"),
        6 => format!(
            "n -> n - k for k in 1..5 if n >= {} or k == 1",
            random.range(1, 12)
        ),
        7 => format!(
            "n -> n - k for k in 1..{m} if n - k >= {}",
            random.range(0, 4)
        ),
        8 => format!("n -> n - k for k in 1..min({m}, n // {r})"),
        9 => format!("n -> n - k for k in 1..n if k <= {m} and k != {r}"),
        10 => format!("n -> n - abs(k) - {m} for k in -{r}..{r} if k != n"),
        _ => format!("n -> n - k - j for k in 1..{m}, j in {c}..{r} if (k * j + n) % {r} != 0"),
    }
}

/// Games that look alike and are not of the class.
pub const NEAR_MISSES: &[&str] = &[
    "n -> k for k in 0..n-1",
    "n -> n - k for k in 1..n",
    "n -> n - k for k in 1..n//2",
    "n -> n - k for k in 1..3 | n -> n // 2 if n >= 2",
    "n -> [n - 1, 1] if n >= 3",
    "n -> n - k for k in 1..isqrt(n)",
    "start (n, n - 1); (n, m) -> (n - k, 2*k) for k in 1..min(n, m)",
    "start (n, 1); (n, m) -> (n - k, m + 1) for k in 1..3",
    "{a, b} -> {a - k, b} for k in 1..min(a, 3)",
    "x[] -> x with x[i] -= k for i in 0..len(x)-1, k in 1..2",
    "start (a, b); (a, b) -> (a - k, b) for k in 1..min(3, a) | (a, b) -> (a, b - k) for k in 1..min(3, b)",
    "n -> n - k for k in 1..n if n % k == 0 and k < n",
];
