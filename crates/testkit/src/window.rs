//! Random window games: a counter that may go to the next f numbers, f of every kind, in every way of writing; and near
//! misses.

use crate::text::rename;
use crate::{Random, RandomGame};

/// A width that never falls as the counter `c` rises. `p` is a parameter.
pub fn rising_width(r: &mut Random) -> String {
    let (a, b) = (r.range(1, 3), r.range(0, 4));
    match r.range(0, 12) {
        0 => format!("{}", r.range(1, 6)),
        1 => format!("{a}*c + {b}"),
        2 => "c*c".to_owned(),
        3 => format!("c**2 + {b}"),
        4 => format!("c // {} + {b}", a + 1),
        5 => format!("isqrt(c) + {b}"),
        6 => format!("isqrt({a}*c + {b})"),
        7 => "c*(c + 1) // 2".to_owned(),
        8 => "p*c".to_owned(),
        9 => "c + p".to_owned(),
        10 => format!("min({}, {})", rising_width(r), rising_width(r)),
        11 => format!("max({}, {})", rising_width(r), rising_width(r)),
        _ => format!("c*c - c + {b}"),
    }
}

/// A width that rises by at most 1 a step, or never rises.
pub fn gentle_width(r: &mut Random) -> String {
    let (a, b) = (r.range(2, 5), r.range(0, 3));
    match r.range(0, 8) {
        0 => format!("c // {a}"),
        1 => format!("(c + {b}) // {a}"),
        2 => "isqrt(c)".to_owned(),
        3 => format!("isqrt(c) + {b}"),
        4 => format!("c - c // {a}"),
        5 => format!("{} - c // {a}", 8 + b),
        6 => format!("min({}, {})", gentle_width(r), r.range(1, 9)),
        7 => format!("2*c // {}", a + 1),
        _ => format!("c - {b}"),
    }
}

/// Any width at all.
pub fn any_width(r: &mut Random) -> String {
    let (a, b) = (r.range(2, 5), r.range(0, 6));
    match r.range(0, 10) {
        0 => rising_width(r),
        1 => gentle_width(r),
        2 => format!("c % {a} + {}", b / 2),
        3 => format!("abs(c - {b})"),
        4 => format!("({a} if c > {b} else {})", b + 1),
        5 => format!("{b} - c"),
        8 => format!("{a}*c - {}", a * b),
        9 => format!("c + c // {a} - {b}"),
        6 => format!("gcd(c, {})", a + b),
        7 => format!("c ^ {a}"),
        _ => format!("{} + (c % 2)", gentle_width(r)),
    }
}

fn game(r: &mut Random, text: String, p: i64) -> RandomGame {
    let mut text = text;
    if r.one_in(2) {
        text = rename(&text, "c", "held");
    }
    let reads_p = text.split(|c: char| !c.is_alphanumeric()).any(|w| w == "p");
    if reads_p {
        text = format!("param p\n{text}");
    }
    RandomGame {
        text,
        params: vec![("p", p)],
    }
}

fn rise(r: &mut Random, f: &str) -> String {
    let cap = r.range(0, 45);
    match r.range(0, 8) {
        0 => format!("(s, c) -> (s, c + k) for k in 1..min({f}, s - c)"),
        1 => format!("(s, c) -> (s, c + k) for k in 1..{f} if c + k <= s"),
        2 => format!("(s, c) -> (s, x) for x in c+1..min(s, c + ({f}))"),
        3 => format!("(c, s) -> (c + k, s) for k in 1..s-c if k <= {f}"),
        4 => format!("(s, c) -> (s, c + 1 + k) for k in 0..s if k < {f} and c + k < s"),
        5 => format!("(s, c) -> (s, x) for x in c..s if x > c and x - c <= {f}"),
        6 => format!("(c, s) -> (c - k, s) for k in -min({f}, s - c)..-1 if c < s"),
        7 => format!("(s, u, c) -> (s, u, c + k) for k in 1..{f} if not c + k > s"),
        _ => format!("c -> c + k for k in 1..{f} if c + k <= {cap}"),
    }
}

fn fall(r: &mut Random, f: &str) -> String {
    let floor = r.range(1, 5);
    match r.range(0, 6) {
        0 => format!("c -> c - k for k in 1..{f}"),
        1 => format!("c -> x for x in max(0, c - ({f}))..c-1"),
        2 => format!("c -> c - k for k in 1..c if k <= {f}"),
        3 => format!("c -> c - k for k in 1..{f} if c - k >= {floor}"),
        4 => format!("(s, c) -> (s, c - k) for k in 1..{f} if c - k >= s"),
        5 => format!("(c, side) -> (c - 1 - k, side) for k in 0..c if k < {f}"),
        _ => format!("c -> x for x in 0..c if x < c and c - x <= {f}"),
    }
}

/// A rising game whose width never falls: the block form holds.
pub fn blocks(r: &mut Random) -> RandomGame {
    let f = rising_width(r);
    let (text, p) = (rise(r, &f), r.range(0, 3));
    game(r, text, p)
}

/// A falling game of a gentle width.
pub fn plateaus(r: &mut Random) -> RandomGame {
    let f = gentle_width(r);
    let (text, p) = (fall(r, &f), r.range(0, 3));
    game(r, text, p)
}

/// Any window game, of one rule or two.
pub fn any(r: &mut Random) -> RandomGame {
    let up = r.one_in(2);
    let form = if up { rise(r, "@") } else { fall(r, "@") };
    let mut text = form.replace('@', &any_width(r));
    if r.one_in(3) {
        // A second width in the same writing.
        text = format!("{text}\n{}", form.replace('@', &any_width(r)));
    } else if r.one_in(4) {
        let joint = if form.contains(" if ") { "and" } else { "if" };
        text = format!("{text} {joint} c % {} != 1", r.range(2, 4));
    }
    let p = r.range(0, 3);
    game(r, text, p)
}

/// Nearly window moves: the options are not an interval next to the counter, or another counter moves with it.
pub fn near_miss(r: &mut Random) -> RandomGame {
    let f = rising_width(r);
    let text = match r.range(0, 9) {
        0 => format!("(s, c) -> (s, c + k) for k in 2..min({f}, s - c)"),
        1 => format!("(s, c) -> (s, c + k) for k in 1..{f} if c + k <= s and k != 2"),
        2 => format!("(s, c) -> (s - 1, c + k) for k in 1..min({f}, s - c)"),
        3 => format!("(s, c) -> (s, c + 2*k) for k in 1..min({f}, (s - c) // 2)"),
        4 => "c -> c - k for k in 1..c if k*k <= c".to_owned(),
        5 => format!("c -> c - k for k in 1..{f} if k % 2 == 1"),
        6 => format!(
            "(s, c) -> (s, c + k) for k in 1..min({f}, s - c)\n(s, c) -> (s, c + 9) if c + 9 <= s"
        ),
        7 => format!("c -> c - k for k in 1..c if k <= {f} or k == 7"),
        8 => format!("c -> c - k for k in 1..min(c, {f})\nplay misere"),
        _ => format!("(s, c) -> (c + k, s) for k in 1..min({f}, s - c)"),
    };
    let p = r.range(0, 3);
    game(r, text, p)
}
