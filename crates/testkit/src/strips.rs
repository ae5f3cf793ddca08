//! Games in which pieces slide one way on a strip and pass nobody, in many writings.

use crate::Random;

/// A game, and what a position of it must keep to.
#[derive(Clone, Debug)]
pub struct StripGame {
    /// The rules; the pieces are p.
    pub text: String,
    /// `name=value` for the parameters of the rules.
    pub params: Vec<String>,
    /// Towards the low end.
    pub down: bool,
    /// The least distance between neighbours.
    pub distance: i64,
    /// The cell that nobody leaves towards the end.
    pub wall: i64,
}

/// A random game.
pub fn strip_game(r: &mut Random) -> StripGame {
    let down = !r.one_in(3);
    let distance = if r.one_in(2) { 1 } else { r.range(0, 3) };
    let wall = if down { r.range(0, 3) } else { r.range(8, 11) };
    let mut params = Vec::new();
    // The limit for a new cell, and how it is written.
    let end = if r.one_in(3) {
        params.push(format!("L={wall}"));
        "L".to_owned()
    } else {
        wall.to_string()
    };
    let rules = if down {
        down_rules(r, distance, wall, &end)
    } else {
        up_rules(r, distance, &end)
    };
    StripGame {
        text: format!("start p\n{rules}\n"),
        params,
        down,
        distance,
        wall,
    }
}

fn set(r: &mut Random, i: &str) -> String {
    match r.range(0, 2) {
        0 | 1 => format!("p with p[{i}] = x"),
        _ => format!("p with p[{i}] += x - p[{i}]"),
    }
}

fn down_rules(r: &mut Random, d: i64, wall: i64, end: &str) -> String {
    let set = set(r, "i");
    match r.range(0, 8) {
        0 | 1 => format!(
            "p[] -> {set} for i in 0..len(p)-1, x in (p[i-1]+{d} if i > 0 else {end})..p[i]-1"
        ),
        2 => format!(
            "p[] -> {set} for i in 0..len(p)-1, x in ({end} if i == 0 else p[i-1]+{d})..p[i]-1"
        ),
        3 => format!(
            "p[] -> {set} for i in 1..len(p)-1, x in p[i-1]+{d}..p[i]-1\n\
             p[] -> p with p[0] = x for x in {end}..p[0]-1 if len(p) > 0"
        ),
        4 => format!(
            "p[] -> p with p[i] -= k for i in 0..len(p)-1, k in 1..p[i]-p[i-1]-{d} if i > 0\n\
             p[] -> p with p[0] -= k for k in 1..p[0]-{end} if len(p) >= 1"
        ),
        5 => format!(
            "p[] -> {set} for i in 0..len(p)-1, x in 0..p[i]-1 if x >= (p[i-1] + {d} if i >= 1 else {end})"
        ),
        6 => format!(
            "p[] -> p with p[len(p)-1-j] = x for j in 0..len(p)-1, \
             x in (p[len(p)-2-j]+{d} if j < len(p)-1 else {end})..p[len(p)-1-j]-1"
        ),
        7 => format!(
            "p[] -> {set} for i in 0..len(p)-1 if i > 0 for x in p[i-1]..p[i] if x >= p[i-1]+{d} and x < p[i]\n\
             p[] -> p with p[i] -= k for i in 0..len(p)-1 if i == 0 for k in 1..p[i] if k <= p[i] - {end}"
        ),
        _ => {
            // Conditions that change nothing.
            let more = r.pick(&["p[i] > 0", "x != p[i]", "x < p[i]", "i >= 0", "len(p) > i"]);
            let _ = wall;
            format!(
                "p[] -> {set} for i in 0..len(p)-1, x in (p[i-1]+{d} if i > 0 else {end})..p[i]-1 if {more}"
            )
        }
    }
}

fn up_rules(r: &mut Random, d: i64, end: &str) -> String {
    let set = set(r, "i");
    match r.range(0, 4) {
        0 => format!(
            "p[] -> {set} for i in 0..len(p)-1, x in p[i]+1..(p[i+1]-{d} if i < len(p)-1 else {end})"
        ),
        1 => format!(
            "p[] -> {set} for i in 0..len(p)-2, x in p[i]+1..p[i+1]-{d}\n\
             p[] -> p with p[len(p)-1] = x for x in p[len(p)-1]+1..{end} if len(p) > 0"
        ),
        2 => format!(
            "p[] -> p with p[i] += k for i in 0..len(p)-1, k in 1..(p[i+1]-p[i]-{d} if i+1 < len(p) else {end}-p[i])"
        ),
        3 => format!(
            "p[] -> {set} for i in 0..len(p)-1, x in p[i]+1..{end} if i == len(p)-1 or x + {d} <= p[i+1]"
        ),
        _ => format!(
            "p[] -> p with p[len(p)-1-j] += k for j in 0..len(p)-1, \
             k in 1..({end} if j == 0 else p[len(p)-j]-{d})-p[len(p)-1-j]"
        ),
    }
}

/// Rules that look like such slides and are not, each with a word of the reason that a recogniser must give.
pub const NEAR_MISSES: &[(&str, &str)] = &[
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in 1..p[i]-1",
        "past the next one",
    ),
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in 1..p[i]-1 if x not in p",
        "guard",
    ),
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1]-1 if i > 0 else 1)..p[i]-1",
        "pass",
    ),
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1] if i > 0 else 0)+1..p[i]-2",
        "at least 2",
    ),
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1] if i > 0 else 0)+1..p[i]+3",
        "both ways",
    ),
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1] if i > 0 else 0)+1..p[i]-1
         p[] -> p with p[i] = x for i in 0..len(p)-2, x in p[i]+1..p[i+1]-1",
        "both ways",
    ),
    (
        "p[] -> p with p[i] -= k for i in 0..len(p)-1, k in 1..min(3, p[i]-(p[i-1] if i > 0 else 0)-1)",
        "linear",
    ),
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1] if i > 0 else 0)+1..p[i]-1 if x >= p[i] - 3",
        "greatest length",
    ),
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1] if i > 0 else 0)+1..p[i]-1 if (p[i] - x) % 2 == 0",
        "linear",
    ),
    (
        "p[] -> p with p[i] -= 2*k for i in 1..len(p)-1, k in 1..p[i]-p[i-1]-1",
        "multiples",
    ),
    (
        "p[] -> p with p[i] -= 1 for i in 1..len(p)-1 if p[i] > p[i-1] + 1",
        "fixed steps",
    ),
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-2, x in (p[i-1] if i > 0 else 0)+1..p[i]-1",
        "never moves",
    ),
    (
        "p[] -> p with p[i] = x for i in 2..len(p)-1, x in p[i-1]+1..p[i]-1",
        "how many there are",
    ),
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1]+1 if i > 1 else 1)..p[i]-1",
        "depends on",
    ),
    (
        "p[] -> p with p[i] = x for i in 1..len(p)-1, x in p[i-1]+1..p[i]-1 if i != 3",
        "number",
    ),
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1] if i > 0 else 0)+1..p[i]-1 if x != 4",
        "may not stop",
    ),
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1] if i > 0 else 0)+1..p[i]-1; play misere",
        "misère",
    ),
    (
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1] if i > 0 else 0)+1..p[i]-1; win if p[0] == 1",
        "win if",
    ),
    (
        "p[] -> p with p[i] = x, p[0] = 1 for i in 1..len(p)-1, x in p[i-1]+1..p[i]-1",
        "2 places",
    ),
];
