//! Random writings of "take k up to the limit, and the next limit is f(k)", and near misses.

use crate::{Random, RandomGame};

/// A function that never falls and is not below k, as it is written for what is taken.
fn next(r: &mut Random, k: &str) -> String {
    let (c, d) = (r.range(1, 4), r.range(0, 5));
    match r.range(0, 8) {
        0 => format!("2*{k}"),
        1 => format!("{c}*{k} + {d}"),
        2 => format!("2*{k} - 1"),
        3 => format!("{k}*{k}"),
        4 => format!("{k}*{k} + {d}"),
        5 => format!("{k} + {k}//2"),
        6 => format!("max({k}, {d})"),
        7 => format!("{d} + {k}"),
        _ => format!("{c}*{k} + {k}//{} + {d}", c + 1),
    }
}

/// The rule for a heap n under a limit m, and its name for what is left.
fn rule(r: &mut Random, next: impl Fn(&mut Random, &str) -> String) -> String {
    let flat = r.one_in(2);
    let both = |a: &str, b: &str| {
        if flat {
            format!("({a}, {b})")
        } else {
            format!("({b}, {a})")
        }
    };
    let k = next(r, "k");
    let (left, limit, clauses) = match r.range(0, 6) {
        0 => ("n - k", k, "for k in 1..min(n, m)"),
        1 => ("n - k", k, "for k in 1..n if k <= m"),
        2 => ("n - k", k, "for k in 1..m"),
        3 => ("n - k", k, "for k in 0..m if 0 < k and k <= n"),
        4 => ("n - k", k, "if m > 0 for k in 1..min(m, n)"),
        5 => ("x", next(r, "(n - x)"), "for x in max(0, n - m)..n-1"),
        _ => ("n - 1 - k", next(r, "(k + 1)"), "for k in 0..min(n, m)-1"),
    };
    format!("{} -> {} {clauses}", both("n", "m"), both(left, &limit))
}

/// A game of the class.
pub fn limits(r: &mut Random) -> RandomGame {
    RandomGame::plain(rule(r, next))
}

/// A game that is nearly one.
pub fn near_miss(r: &mut Random) -> RandomGame {
    let c = r.range(2, 4);
    RandomGame::plain(match r.range(0, 13) {
        0 => format!("(n, m) -> (n - k, k//{c}) for k in 1..min(n, m)"),
        1 => "(n, m) -> (n - k, k - 1) for k in 1..min(n, m)".to_owned(),
        2 => format!("(n, m) -> (n - k, k + k%{}) for k in 1..min(n, m)", c + 1),
        3 => format!("(n, m) -> (n - k, {c}*k) for k in 2..min(n, m)"),
        4 => format!("(n, m) -> (n - k, {c}*k) for k in 1..min(n, m, {c})"),
        5 => format!("(n, m) -> (n - k, {c}*k) for k in 1..min(n, m+1)"),
        6 => format!("(n, m) -> (n - k, {c}*k) for k in 1..min(n, m) if k != {c}"),
        7 => format!("(n, m) -> (n - k, {c}*k) for k in 1..min(n, m)\nplay misere"),
        8 => "(n, m) -> (n - k, m + k) for k in 1..min(n, m)".to_owned(),
        9 => "(n, m) -> (n - k, max(n, k)) for k in 1..min(n, m)".to_owned(),
        10 => format!("(n, m) -> (n - 2*k, {c}*k) for k in 1..min(n//2, m)"),
        11 => format!(
            "(n, m) -> (n - k, {c}*k) for k in 1..min(n, m) | (n, m) -> (n - k, {}*k) for k in 1..min(n, m)",
            c + 1
        ),
        12 => format!(
            "(n, m) -> (n - k, {c}*k) for k in 1..min(n, m) | (n, m) -> (n - {c}, n) if n > m"
        ),
        _ => format!("(n, m) -> (n - k, {c}*k) for k in 1..min(n, m); win if n == {c}"),
    })
}
