//! Random games whose moves run along rays, written in different ways: limited or not, from the next cell or a later one,
//! single moves, guards on the position, and now and then a move that is no ray.

use crate::{Random, RandomGame};

/// A random game of one to four counters with at least one ray.
pub fn game(r: &mut Random) -> RandomGame {
    let layout = *r.pick(&[
        &"a",
        &"(a, b)",
        &"(a, b)",
        &"{a, b}",
        &"{a, b}",
        &"{a, b}",
        &"(a, {b, c})",
        &"{a, b, c}",
        &"(a, b, c)",
        &"(a, b, c, d)",
    ]);
    let names: Vec<&str> = layout
        .split(['(', ')', '{', '}', ',', ' '])
        .filter(|word| !word.is_empty())
        .collect();
    let mut text = format!("game random\nstart {layout}\n");
    if r.one_in(6) {
        text += "play misere\n";
    }
    let guarded = r.one_in(4);
    for i in 0..1 + r.below(4) {
        let mut guard = String::new();
        if guarded && r.one_in(2) {
            let (x, y) = (r.pick(&names), r.pick(&names));
            guard = match r.below(4) {
                0 => format!(" if ({x} + {y}) % 2 == {}", r.below(2)),
                1 => format!(" if {x} > {}", r.below(4)),
                2 => format!(" if {x} <= {y} + {}", r.below(3)),
                _ => format!(" if {x}*{y} % 3 != {}", r.below(3)),
            };
        }
        if i > 0 && r.one_in(6) {
            let x = r.pick(&names);
            let left = place(layout, &names, |name| {
                if name == x {
                    "j".to_owned()
                } else {
                    name.to_owned()
                }
            });
            let clause = match r.below(3) {
                0 => format!("for j in 0..{x}//2 if j < {x}"),
                1 => format!("for j in 0..{x}-1 if ({x} - j) * ({x} - j) <= {x}"),
                _ => format!("for j in 0..{x}-1 if ({x} - j) % 3 == 1 and {x} % 2 == 0"),
            };
            text += &format!("move {layout} -> {left} {clause}{guard}\n");
            continue;
        }
        // What a move takes: a number for sure, and k times a number.
        let mut step: Vec<u64> = names
            .iter()
            .map(|_| *r.pick(&[&0, &0, &1, &1, &2]))
            .collect();
        let at = r.below(names.len() as u64) as usize;
        if step.iter().all(|s| *s == 0) || r.one_in(3) {
            step.fill(0);
            step[at] = *r.pick(&[&1, &1, &1, &2]);
        }
        let mut extra: Vec<u64> = names.iter().map(|_| 0).collect();
        if r.one_in(4) {
            extra[r.below(names.len() as u64) as usize] = r.below(3);
        }
        let least = if extra.iter().any(|e| *e > 0) {
            r.below(2)
        } else {
            1 + r.below(6) / 5
        };
        let limit = r.one_in(4).then(|| least + *r.pick(&[&0, &1, &3, &9, &20]));
        let left = |k: &str| {
            place(layout, &names, |name| {
                let i = names.iter().position(|n| *n == name).expect("a counter");
                match (step[i], extra[i]) {
                    (0, 0) => name.to_owned(),
                    (0, e) => format!("{name} - {e}"),
                    (1, 0) => format!("{name} - {k}"),
                    (s, e) => format!("{name} - {s}*{k} - {e}"),
                }
            })
        };
        let mut fits: Vec<String> = Vec::new();
        let mut bounds: Vec<String> = Vec::new();
        for (i, name) in names.iter().enumerate() {
            match (step[i], extra[i]) {
                (0, 0) => {}
                (0, e) => fits.push(format!("{name} >= {e}")),
                (s, e) => {
                    fits.push(format!("{s}*k + {e} <= {name}"));
                    bounds.push(match (s, e) {
                        (1, 0) => (*name).to_owned(),
                        _ => format!("({name} - {e}) // {s}"),
                    });
                }
            }
        }
        let bound = match &bounds[..] {
            [one] => one.clone(),
            _ => format!("min({})", bounds.join(", ")),
        };
        let clause = match (limit, r.below(3)) {
            (None, 0) => format!("for k in {least}..{bound}{guard}"),
            (None, _) => {
                let all = format!("max({}, 0)", names.join(", "));
                format!("for k in {least}..{all}{guard}")
            }
            (Some(limit), 0) => format!("for k in {least}..min({limit}, {bound}){guard}"),
            (Some(limit), 1) => format!("for k in {least}..{limit}{guard}"),
            (Some(limit), _) => format!("for k in 0..{limit}{guard} if k >= {least}"),
        };
        let also: String = fits.iter().map(|fit| format!(" if {fit}")).collect();
        text += &format!("move {layout} -> {} {clause}{also}\n", left("k"));
    }
    RandomGame::plain(text)
}

/// The layout with each counter replaced.
fn place(layout: &str, names: &[&str], with: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for c in layout.chars() {
        match names.iter().find(|n| n.chars().eq([c])) {
            Some(name) => out += &with(name),
            None => out.push(c),
        }
    }
    out
}
