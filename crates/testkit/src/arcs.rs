//! Games in which tokens move along arcs between boxes: congruences and ranges in many writings, stairs, trees, lists
//! of arcs.

use crate::Random;

/// A game and the arguments that are not counts.
#[derive(Clone, Debug)]
pub struct ArcGame {
    /// The rules; the boxes are x.
    pub text: String,
    /// `name=value` for the parameters of the rules.
    pub params: Vec<String>,
    /// The number of boxes, where the parameters fix it.
    pub boxes: Option<usize>,
}

/// A random game whose arcs have no cycle.
pub fn arc_game(r: &mut Random) -> ArcGame {
    let (rules, params, boxes) = match r.range(0, 9) {
        0..=4 => (congruence(r), Vec::new(), None),
        5 => (two_congruences(r), Vec::new(), None),
        6 | 7 => (stairs(r), Vec::new(), None),
        8 => tree(r),
        _ => arcs(r),
    };
    ArcGame {
        text: format!("start x\n{rules}\n"),
        params,
        boxes,
    }
}

/// How k tokens go from box `a` to box `b`, and the range of k.
fn transfer(r: &mut Random, a: &str, b: &str) -> (String, String) {
    let result = match r.range(0, 5) {
        0..=2 => format!("x with x[{a}] -= k, x[{b}] += k"),
        3 => format!("x with x[{b}] += k, x[{a}] -= k"),
        4 => format!("x with x[{a}] = x[{a}] - k, x[{b}] = k + x[{b}]"),
        _ => {
            return (
                format!("x with x[{a}] = k, x[{b}] += x[{a}] - k"),
                format!("k in 0..x[{a}]-1"),
            );
        }
    };
    let amount = match r.range(0, 4) {
        0..=2 => format!("k in 1..x[{a}]"),
        3 => format!("k in 1..x[{a}] if x[{a}] > 0"),
        _ => format!("k in 1..x[{a}]+2"),
    };
    (result, amount)
}

fn residue(r: &mut Random) -> String {
    let m = r.range(1, 7);
    let (a, b) = (r.range(-3, 3), r.range(-3, 3));
    let sum = match r.range(0, 3) {
        0 => "(A + B)".to_owned(),
        1 => "(A - B)".to_owned(),
        2 => format!("({a}*A + {b}*B)"),
        _ => format!("({a}*A + {b}*B + A*B)"),
    };
    let at = r.range(0, m - 1);
    match r.range(0, 5) {
        0..=2 => format!("{sum} % {m} == {at}"),
        3 => format!("{sum} % {m} != {at}"),
        4 => format!("{sum} % {m} in {{{at}, {}}}", r.range(0, m)),
        _ => format!("{sum} % {m} in {}..{}", at, r.range(at, m)),
    }
}

fn guard(r: &mut Random) -> String {
    let one = residue(r);
    match r.range(0, 9) {
        0 => format!("{one} and {}", residue(r)),
        1 => format!("{one} or {}", residue(r)),
        2 => format!("not {one}"),
        3 => format!("{one} and A != B + {}", r.range(1, 3)),
        4 => format!("{one} or A - B == {}", r.range(1, 3)),
        5 => format!("{one} and 2*B >= A - {}", r.range(0, 3)),
        6 => format!("{one} and abs(A - B) <= {}", r.range(1, 4)),
        7 => format!("{one} and A % 2 == {}", r.range(0, 1)),
        8 => format!("abs(A - B) in {{1, {}}}", r.range(1, 5)),
        _ => one,
    }
}

fn congruence(r: &mut Random) -> String {
    let guard = guard(r);
    // Places of the boxes A and B, numbered from 1, and the ranges of the numbers.
    let (a, b, ranges) = match r.range(0, 9) {
        0..=2 => ("A-1", "B-1", "A in 2..len(x), B in 1..A-1".to_owned()),
        3 => (
            "A-1",
            "B-1",
            "B in 1..len(x)-1, A in B+1..len(x)".to_owned(),
        ),
        4 => (
            "A-1",
            "B-1",
            "A in 1..len(x)-1, B in A+1..len(x)".to_owned(),
        ),
        5 => (
            "len(x)-A",
            "len(x)-B",
            "A in 2..len(x), B in 1..A-1".to_owned(),
        ),
        6 => (
            "A-1",
            "B-1",
            format!("A in 2..len(x), B in max(1, A-{})..A-1", r.range(1, 4)),
        ),
        7 => ("A-1", "A-1-B", "A in 2..len(x), B in 1..A-1".to_owned()),
        8 => (
            "A-1",
            "B-1",
            "A in 1..len(x), B in (A+1)//2..A-1".to_owned(),
        ),
        _ => ("A", "B", "A in 0..len(x)-1, B in 0..A-1".to_owned()),
    };
    let (result, amount) = transfer(r, a, b);
    if r.one_in(2) {
        format!("x[] -> {result} for {ranges}, {amount} if {guard}")
    } else {
        format!("x[] -> {result} for {ranges} if {guard} for {amount}")
    }
}

fn two_congruences(r: &mut Random) -> String {
    let mut rules = Vec::new();
    for _ in 0..2 {
        let (result, amount) = transfer(r, "A-1", "B-1");
        let guard = guard(r);
        rules.push(format!(
            "x[] -> {result} for A in 2..len(x), B in 1..A-1, {amount} if {guard}"
        ));
    }
    if r.one_in(3) {
        rules.push(format!(
            "x[] -> x with x[{}] -= k for k in 1..x[0] if len(x) > 0",
            0
        ));
    }
    rules.join("\n")
}

fn stairs(r: &mut Random) -> String {
    let step = r.range(1, 3);
    let up = r.one_in(3);
    let mut rules = Vec::new();
    let (from, to, ranges) = if up {
        (
            "i".to_owned(),
            format!("i+{step}"),
            format!("i in 0..len(x)-1-{step}"),
        )
    } else {
        (
            "i".to_owned(),
            format!("i-{step}"),
            format!("i in {step}..len(x)-1"),
        )
    };
    let (result, amount) = transfer(r, &from, &to);
    rules.push(format!("x[] -> {result} for {ranges}, {amount}"));
    // Tokens that leave the board.
    match r.range(0, 4) {
        0 if up => rules.push(
            "x[] -> x with x[len(x)-1] -= k for k in 1..x[len(x)-1] if len(x) > 0".to_owned(),
        ),
        0 => rules.push("x[] -> x with x[0] -= k for k in 1..x[0] if len(x) > 0".to_owned()),
        1 => rules.push(format!(
            "x[] -> x with x[j] -= k for j in 0..len(x)-1, k in 1..x[j] if j % {} == {}",
            2 * step,
            r.range(0, 1)
        )),
        2 => rules.push("x[] -> x with x[j] = k for j in 0..len(x)-1, k in 0..x[j]-1".to_owned()),
        _ => {}
    }
    // Another step beside.
    if r.one_in(3) {
        let more = r.range(1, 5);
        let (result, amount) = if up {
            transfer(r, "i", &format!("i+{more}"))
        } else {
            transfer(r, "i", &format!("i-{more}"))
        };
        let ranges = if up {
            format!("i in 0..len(x)-1-{more}")
        } else {
            format!("i in {more}..len(x)-1")
        };
        rules.push(format!("x[] -> {result} for {ranges}, {amount}"));
    }
    rules.join("\n")
}

fn tree(r: &mut Random) -> (String, Vec<String>, Option<usize>) {
    let n = r.range(1, 6);
    let parents: Vec<String> = (0..n)
        .map(|i| if i == 0 { 0 } else { r.range(0, i - 1) }.to_string())
        .collect();
    let (result, amount) = transfer(r, "A", "par[A]");
    let rules = match r.range(0, 2) {
        0 => format!("x[] -> {result} for A in 1..len(x)-1, {amount}"),
        1 => format!("x[] -> {result} for A in 0..len(x)-1 if A > 0 for {amount}"),
        _ => {
            let (result, amount) = transfer(r, "A", "B");
            format!("x[] -> {result} for A in 1..len(x)-1, B in 0..A-1, {amount} if par[A] == B")
        }
    };
    (
        format!("param par[]\n{rules}"),
        vec![format!("par=[{}]", parents.join(","))],
        Some(n as usize),
    )
}

fn arcs(r: &mut Random) -> (String, Vec<String>, Option<usize>) {
    let n = r.range(1, 6);
    let mut order: Vec<i64> = (0..n).collect();
    r.shuffle(&mut order);
    let sparse = r.range(2, 4) as u64;
    let mut lists: Vec<Vec<i64>> = vec![Vec::new(); n as usize];
    for i in 0..n as usize {
        for j in 0..i {
            if r.one_in(sparse) {
                lists[order[i] as usize].push(order[j]);
            }
        }
    }
    let (result, amount) = transfer(r, "v", "w");
    let lists: Vec<String> = lists
        .iter()
        .map(|l| {
            let members: Vec<String> = l.iter().map(i64::to_string).collect();
            format!("[{}]", members.join(","))
        })
        .collect();
    (
        format!("param adj[][]\nx[] -> {result} for v in 0..len(x)-1, w in adj[v], {amount}"),
        vec![format!("adj=[{}]", lists.join(","))],
        Some(n as usize),
    )
}

/// Rules that look like tokens on arcs and are not, each with a word of the reason that a recogniser must give.
pub const NEAR_MISSES: &[(&str, &str)] = &[
    (
        "x[] -> x with x[i] -= k, x[i-1] += k for i in 1..len(x)-1, k in 1..2",
        "tokens at once",
    ),
    (
        "x[] -> x with x[i] -= k, x[i-1] += k for i in 1..len(x)-1, k in 1..min(2, x[i])",
        "any number",
    ),
    (
        "x[] -> x with x[i] -= k, x[i-1] += k for i in 1..len(x)-1, k in 1..x[i]-1",
        "must leave 1",
    ),
    (
        "x[] -> x with x[i] -= k, x[i-1] += k for i in 1..len(x)-1, k in 2..x[i]",
        "at least 2",
    ),
    (
        "x[] -> x with x[i] -= 2*k, x[i-1] += 2*k for i in 1..len(x)-1, k in 1..x[i]",
        "one by one",
    ),
    (
        "x[] -> x with x[i] -= k, x[i-1] += 1 for i in 1..len(x)-1, k in 1..x[i]",
        "put down",
    ),
    (
        "x[] -> x with x[i] -= k, x[i-1] += k-1 for i in 1..len(x)-1, k in 1..x[i]",
        "put down",
    ),
    (
        "x[] -> x with x[i] -= k, x[i-1] += k for i in 1..len(x)-1, k in 1..x[i] if x[i-1] == 0",
        "guard",
    ),
    (
        "x[] -> x with x[i] -= k, x[i-1] += k for i in 1..len(x)-1, k in 1..x[i] if x[i-1] < x[i]",
        "depends on the box",
    ),
    (
        "x[] -> x with x[i] -= k, x[i-1] += k for i in 1..len(x)-1, k in 1..x[i] if k % 2 == 1",
        "guard",
    ),
    (
        "x[] -> x with x[i] -= k, x[j] += k for i in 1..len(x)-1, j in 0..i-1, k in 1..x[i] if x[0] == 0",
        "guard",
    ),
    (
        "x[] -> x with x[i] -= k, x[i-1] += k for i in 1..len(x)-1, k in 1..x[i]; play misere",
        "misère",
    ),
    (
        "x[] -> x with x[i] -= k, x[i-1] += k for i in 1..len(x)-1, k in 1..x[i]; win if x[0] > 3",
        "win if",
    ),
    (
        "x[] -> x with x[i] -= k, x[i-1] += k, x[0] -= 0 for i in 2..len(x)-1, k in 1..x[i]",
        "3 boxes",
    ),
];
