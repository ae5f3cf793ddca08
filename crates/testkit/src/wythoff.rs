//! Random writings of the two-heap games "any from one heap, or k and l from the two with |k - l| < t", and near misses.

use crate::{Random, RandomGame};

/// How a pair is written.
#[derive(Clone, Copy)]
struct Pair {
    unordered: bool,
}

impl Pair {
    fn of(self, first: &str, second: &str) -> String {
        if self.unordered {
            format!("{{{first}, {second}}}")
        } else {
            format!("({first}, {second})")
        }
    }

    fn rule(self, first: &str, second: &str, clauses: &str) -> String {
        format!(
            "{} -> {} {clauses}",
            self.of("a", "b"),
            self.of(first, second)
        )
    }
}

fn row(r: &mut Random, pair: Pair, first: bool) -> String {
    let (heap, other) = if first { ("a", "b") } else { ("b", "a") };
    let (left, clauses) = match r.range(0, 5) {
        0 => (format!("{heap} - k"), format!("for k in 1..{heap}")),
        1 => ("x".to_owned(), format!("for x in 0..{heap}-1")),
        2 => ("x".to_owned(), format!("for x in 0..{heap} if x < {heap}")),
        3 => (
            format!("{heap} - k"),
            format!("for k in 0..{heap} if k > 0"),
        ),
        4 => (format!("{heap} - 1 - k"), format!("for k in 0..{heap}")),
        _ => (format!("{heap} - k"), format!("for k in 1..{heap}+{other}")),
    };
    if first {
        pair.rule(&left, "b", &clauses)
    } else {
        pair.rule("a", &left, &clauses)
    }
}

/// Rules for taking from both; `t` is the number and `name` how it is written.
fn band(r: &mut Random, pair: Pair, t: i64, name: &str, out: &mut Vec<String>) {
    let two = "for k in 1..a, l in 1..b";
    let both = |clauses: String| pair.rule("a - k", "b - l", &clauses);
    match r.range(0, 9) {
        0 => out.push(both(format!("{two} if abs(k - l) < {name}"))),
        1 => out.push(both(format!(
            "for k in 1..a, l in max(1, k - {name} + 1)..min(b, k + {name} - 1)"
        ))),
        2 => out.push(both(format!("{two} if k - l < {name} and l - k < {name}"))),
        3 => {
            for d in 0..t {
                out.push(pair.rule("a - k", &format!("b - k - {d}"), "for k in 1..a"));
                if d > 0 && (!pair.unordered || r.one_in(2)) {
                    out.push(pair.rule(&format!("a - k - {d}"), "b - k", "for k in 1..b"));
                }
            }
        }
        4 => out.push(pair.rule(
            "a - k",
            "b - k - d",
            &format!("for k in 1..a, d in -{name}+1..{name}-1 if k + d >= 1"),
        )),
        5 => out.push(both(format!("{two} if abs(k - l) <= {name} - 1"))),
        6 => out.push(pair.rule(
            "x",
            "y",
            &format!("for x in 0..a-1, y in 0..b-1 if abs((a - x) - (b - y)) < {name}"),
        )),
        7 => out.push(both(format!(
            "for l in 1..b, k in 1..a if k - l in 1-{name}..{name}-1"
        ))),
        8 => out.push(both(format!(
            "{two} if not (k >= l + {name} or l >= k + {name})"
        ))),
        _ if t == 1 => out.push(pair.rule("a - k", "b - k", "for k in 1..min(a, b)")),
        _ => out.push(both(
            format!("{two} if max(k, l) - min(k, l) < {name}").replace(
                &format!("max(k, l) - min(k, l) < {name}"),
                &format!("max(k - l, l - k) < {name}"),
            ),
        )),
    }
}

/// A random writing of the t-game and its t.
pub fn pairs(r: &mut Random) -> (RandomGame, i64) {
    let pair = Pair {
        unordered: r.one_in(2),
    };
    let t = if r.one_in(2) { 1 } else { r.range(2, 5) };
    let param = r.one_in(3);
    let name = if param { "t".to_owned() } else { t.to_string() };
    let mut rules = Vec::new();
    if r.one_in(6) {
        rules.push(pair.rule(
            "a - k",
            "b - l",
            &format!("for k in 0..a, l in 0..b if (k == 0 or l == 0 or abs(k - l) < {name}) and k + l > 0"),
        ));
    } else {
        let first = r.one_in(2);
        rules.push(row(r, pair, first));
        if !pair.unordered || r.one_in(2) {
            rules.push(row(r, pair, !first));
        }
        band(r, pair, t, &name, &mut rules);
        if r.one_in(4) {
            // A move that is allowed already.
            rules.push(pair.rule("a - 1", "b - 1", ""));
        }
    }
    r.shuffle(&mut rules);
    if t == 1 && r.one_in(4) {
        rules.push("play misere".to_owned());
    }
    let mut text = rules.join("\n");
    if text.split(|c: char| !c.is_alphanumeric()).any(|w| w == "t") {
        text = format!("param t\n{text}");
    }
    let start = pair.of("a", "b");
    text = format!("start {start}\n{text}");
    (
        RandomGame {
            text,
            params: vec![("t", t)],
        },
        t,
    )
}

/// Nearly such a game: a family of moves is missing or cut, or a move is too many.
pub fn near_miss(r: &mut Random) -> RandomGame {
    let pair = Pair {
        unordered: r.one_in(2),
    };
    let t = r.range(1, 4);
    let two = "for k in 1..a, l in 1..b";
    let rows = [row(r, pair, true), row(r, pair, false)];
    let both = |clauses: String| pair.rule("a - k", "b - l", &clauses);
    let good = both(format!("{two} if abs(k - l) < {t}"));
    let (mut rules, with_rows) = match r.range(0, 11) {
        0 => (vec![good], false),
        1 => (vec![], true),
        2 => (
            vec![good, pair.rule("a - 1", &format!("b - {}", t + 1), "")],
            true,
        ),
        3 => (
            vec![both(format!("{two} if abs(k - l) < {t} and k != 2"))],
            true,
        ),
        4 => (
            vec![both(format!(
                "for k in 2..a, l in 1..b if abs(k - l) < {t}"
            ))],
            true,
        ),
        5 => (vec![both(format!("{two} if 0 < l - k < {}", t + 1))], true),
        6 => (
            vec![both(format!("{two} if abs(k - l) < {t} and k + l < 9"))],
            true,
        ),
        7 => (vec![both(format!("{two} if abs(k - 2*l) < {t}"))], true),
        8 => (
            vec![both(format!("{two} if abs(k - l) < {t} and a != 4"))],
            true,
        ),
        9 => (vec![both(two.to_owned())], true),
        10 => (
            vec![both(format!("{two} if abs(k - l) < {} and k != l", t + 1))],
            true,
        ),
        _ => (vec![good, "play misere".to_owned()], t > 1),
    };
    if with_rows {
        rules.splice(0..0, rows);
    }
    RandomGame::plain(format!("start {}\n{}", pair.of("a", "b"), rules.join("\n")))
}
