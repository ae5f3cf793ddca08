//! Random writings of a Nim heap, and rules that miss being one by a move.

use crate::{Random, RandomGame};

/// A heap from which any number may be taken, perhaps beside idle counters and with redundant rules.
pub fn heap(r: &mut Random) -> RandomGame {
    let rules = writing(r);
    dress(r, &rules, true)
}

/// The rules of a heap, shuffled: `@n` is the pattern, `@[e]` the result.
pub(crate) fn writing(r: &mut Random) -> Vec<String> {
    let (k, m) = (r.range(1, 6), r.range(1, 3));
    let full = [
        "@n -> @[n - k] for k in 1..n".to_owned(),
        "@n -> @[k] for k in 0..n-1".to_owned(),
        format!("@n -> @[n - k] for k in 1..n+{k}"),
        format!("@n -> @[n - k] for k in 1..n*{m}"),
        format!("@n -> @[n - k - {k}] for k in 1-{k}..n-{k}"),
        "@n -> @[n - 1 - k] for k in 0..n-1".to_owned(),
        "@n -> @[k] for k in 0..n if k < n".to_owned(),
        "@n -> @[n - k] for k in 0..n if not k == 0 and k > 0".to_owned(),
        "@n -> @[k] for k in 0..max(n, 5) if n > k".to_owned(),
        "@n -> @[n - k] if 0 < k <= n for k in 0..n".replace(
            " if 0 < k <= n for k in 0..n",
            " for k in 0..n if 0 < k <= n",
        ),
        format!("@n -> @[n - k] for k in 1..min(n, n + {k}) if n > 0"),
        format!("@n -> @[k - {k}] for k in {k}..n-1+{k}"),
        "@n -> @[-k] for k in -n+1..0".to_owned(),
    ];
    let extra = [
        format!("@n -> @[n - k] for k in 1..{k}"),
        format!("@n -> @[n - {k}]"),
        "@n -> @[n // 2] if n > 0".to_owned(),
        "@n -> @[0] if n >= 1".to_owned(),
        format!("@n -> @[n - k] for k in 1..{k} if n % {} == 0", m + 1),
        format!("@n -> @[k] for k in {m}..n-1"),
        "@n -> @[n - k] for k in 1..isqrt(n)".to_owned(),
    ];
    let mut rules = vec![full[r.range(0, full.len() as i64 - 1) as usize].clone()];
    for _ in 0..r.range(0, 2) {
        rules.push(extra[r.range(0, extra.len() as i64 - 1) as usize].clone());
    }
    r.shuffle(&mut rules);
    rules
}

/// Nearly a Nim heap: every move lowers the counter, but not every smaller heap can be left.
pub fn near_miss(r: &mut Random) -> RandomGame {
    let k = r.range(2, 6);
    let rule = [
        "@n -> @[n - k] for k in 1..n-1".to_owned(),
        "@n -> @[n - k] for k in 2..n".to_owned(),
        format!("@n -> @[n - k] for k in 1..n if k != {k}"),
        "@n -> @[k] for k in 0..n-2".to_owned(),
        "@n -> @[k] for k in 1..n-1".to_owned(),
        format!("@n -> @[n - k] for k in 1..{k}"),
        format!("@n -> @[n - k] for k in 1..n if n > {k}"),
        format!("@n -> @[n - k] for k in 1..n if n % {k} != 0"),
        "@n -> @[n - 2*k] for k in 1..n".to_owned(),
        format!("@n -> @[n - k] for k in 1..n if k <= {k} or k >= {k} + 2"),
        "@n -> @[n - k] for k in 1..n-n//2".to_owned(),
        "@n -> [k, n - k] for k in 1..n-1".to_owned(),
    ];
    let rule = rule[r.range(0, rule.len() as i64 - 1) as usize].clone();
    let split = rule.contains("-> [");
    dress(r, &[rule], !split)
}

/// Puts idle counters beside the heap, or none: `@n` is the pattern, `@[e]` the result.
fn dress(r: &mut Random, rules: &[String], idle: bool) -> RandomGame {
    let (open, close) = match r.range(0, 3) {
        1 if idle => ("(", ", colour)"),
        2 if idle => ("(side, ", ")"),
        3 if idle => ("(u, ", ", v)"),
        _ => ("", ""),
    };
    let lines: Vec<String> = rules
        .iter()
        .map(|rule| {
            let rule = rule.replace("@n", &format!("{open}n{close}"));
            match rule.split_once("@[") {
                Some((head, tail)) => {
                    let (e, tail) = tail.split_once(']').unwrap_or((tail, ""));
                    format!("{head}{open}{e}{close}{tail}")
                }
                None => rule,
            }
        })
        .collect();
    RandomGame::plain(lines.join("\n"))
}
