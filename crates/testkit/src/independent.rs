//! Random tuples whose moves each keep to one member, or to one group of members, and tuples that are nearly so.

use crate::text::rename;
use crate::{Random, RandomGame, look_back, nim};

/// The rules of some members by themselves: names, and for each rule the new values and the quantifiers and guards.
struct Group {
    names: &'static [&'static str],
    rules: Vec<(Vec<String>, String)>,
}

fn one(rules: impl IntoIterator<Item = String>) -> Group {
    let rule = |text: String| {
        let text = text.replace("@n", "n");
        let (_, result) = text.split_once("-> ").unwrap_or(("", &text));
        // Where results are marked they are between `@[` and `]`, else they end where the quantifiers or guards begin.
        let (value, tail) = match result.strip_prefix("@[") {
            Some(rest) => rest.split_once(']').unwrap_or((rest, "")),
            None => result.split_at(result.find(" for ").unwrap_or(result.len())),
        };
        (vec![value.to_owned()], tail.to_owned())
    };
    Group {
        names: &["n"],
        rules: rules.into_iter().map(rule).collect(),
    }
}

fn group(r: &mut Random, heaps: bool, alone: bool) -> Group {
    let (m, d) = (r.range(1, 5), r.range(2, 4));
    match r.range(0, if alone { 4 } else { 6 }) {
        _ if heaps => one(nim::writing(r)),
        0 => one(nim::writing(r)),
        1 | 2 => {
            let count = r.range(1, 2);
            one((0..count)
                .map(|_| look_back::counter_move(r))
                .collect::<Vec<_>>())
        }
        3 => one([format!("n -> n - k for k in 1..n//{d}")]),
        4 => one([format!("n -> n - k for k in 1..isqrt(n) + {m}")]),
        // A counter and its control.
        5 => Group {
            names: &["n", "p"],
            rules: vec![(
                vec!["n - k".to_owned(), format!("(p + 1) % {d}")],
                format!(" for k in 1..(1 if p == 0 else {m})"),
            )],
        },
        // A counter that may rise to its cap.
        _ => Group {
            names: &["s", "c"],
            rules: vec![(
                vec!["s".to_owned(), "c + k".to_owned()],
                format!(" for k in 1..min({m}*c + {d}, s - c)"),
            )],
        },
    }
}

/// Names of members, none of them one that rules use for something else.
const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// A game whose rules and its number of members are put together.
struct Tuple {
    groups: Vec<Group>,
    /// The group and the place in it of each member; `None` for one that no rule knows.
    members: Vec<Option<(usize, usize)>>,
}

impl Tuple {
    fn new(r: &mut Random, heaps: bool) -> Self {
        let count = r.range(2, 3);
        let groups: Vec<Group> = (0..count).map(|_| group(r, heaps, false)).collect();
        let mut members = Vec::new();
        for (g, group) in groups.iter().enumerate() {
            members.extend((0..group.names.len()).map(|i| Some((g, i))));
        }
        if r.one_in(5) {
            members.push(None);
        }
        r.shuffle(&mut members);
        Tuple { groups, members }
    }

    /// The name of a member of a group.
    fn name(&self, group: usize, place: usize) -> &'static str {
        let at = self.members.iter().position(|m| *m == Some((group, place)));
        NAMES[at.unwrap_or(0)]
    }

    /// The text with the group's own names made those of the tuple.
    fn renamed(&self, group: usize, text: &str) -> String {
        let mut out = text.to_owned();
        let names = self.groups[group].names.iter().enumerate();
        // First to names that nothing has.
        for (i, name) in names.clone() {
            out = rename(&out, name, &format!("own{i}"));
        }
        for (i, _) in names {
            out = rename(&out, &format!("own{i}"), self.name(group, i));
        }
        out
    }

    fn pattern(&self) -> String {
        format!("({})", NAMES[..self.members.len()].join(", "))
    }

    /// All rules; `spoil` may change the new values and the tail of one of them.
    fn rules(
        &self,
        r: &mut Random,
        spoil: &mut dyn FnMut(usize, &mut Vec<String>, &mut String),
    ) -> String {
        let mut lines = Vec::new();
        for (g, group) in self.groups.iter().enumerate() {
            for (values, tail) in &group.rules {
                let mut all: Vec<String> = NAMES[..self.members.len()]
                    .iter()
                    .map(|n| (*n).to_owned())
                    .collect();
                for (all, member) in all.iter_mut().zip(&self.members) {
                    if let Some((of, place)) = member
                        && *of == g
                    {
                        *all = self.renamed(g, &values[*place]);
                    }
                }
                let mut tail = self.renamed(g, tail);
                spoil(g, &mut all, &mut tail);
                lines.push(format!("{} -> ({}){tail}", self.pattern(), all.join(", ")));
            }
        }
        r.shuffle(&mut lines);
        lines.join("\n")
    }
}

/// An ordered or unordered tuple that is a sum; in misère play one of Nim heaps.
pub fn game(r: &mut Random) -> RandomGame {
    let misere = r.one_in(5);
    let rules = if r.one_in(4) {
        unordered(r, misere)
    } else {
        Tuple::new(r, misere).rules(r, &mut |_, _, _| {})
    };
    let play = if misere { "\nplay misere" } else { "" };
    RandomGame::plain(rules + play)
}

fn unordered(r: &mut Random, heaps: bool) -> String {
    let count = r.range(2, 3) as usize;
    let group = group(r, heaps, true);
    let names = &NAMES[..count];
    let lines = group.rules.iter().map(|(values, tail)| {
        let own = names[r.range(0, count as i64 - 1) as usize];
        let mut left: Vec<String> = names
            .iter()
            .filter(|n| **n != own)
            .map(|n| (*n).to_owned())
            .collect();
        left.push(rename(&values[0], "n", own));
        r.shuffle(&mut left);
        format!(
            "{{{}}} -> {{{}}}{}",
            names.join(", "),
            left.join(", "),
            rename(tail, "n", own)
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A tuple of two groups that a rule or an end couples, or whose values do not add.
pub fn near_miss(r: &mut Random) -> RandomGame {
    loop {
        let mut tuple = Tuple::new(r, false);
        if tuple.groups.len() != 2 || tuple.members.contains(&None) {
            continue;
        }
        let how = r.range(0, 8);
        if how == 8 {
            // Wythoff's pair has outcomes and no values that are known.
            tuple.groups[0] = Group {
                names: &["n", "m"],
                rules: vec![
                    (
                        vec!["n - k".to_owned(), "m".to_owned()],
                        " for k in 1..n".to_owned(),
                    ),
                    (
                        vec!["n".to_owned(), "m - k".to_owned()],
                        " for k in 1..m".to_owned(),
                    ),
                    (
                        vec!["n - k".to_owned(), "m - k".to_owned()],
                        " for k in 1..min(n, m)".to_owned(),
                    ),
                ],
            };
            tuple.members = vec![Some((0, 0)), Some((0, 1))];
            let places = 0..tuple.groups[1].names.len();
            tuple.members.extend(places.map(|i| Some((1, i))));
        }
        let other = [tuple.name(1, 0), tuple.name(0, 0)];
        let (m, d) = (r.range(1, 4), r.range(2, 3));
        let mut left = 1;
        let rules = tuple.rules(r, &mut |g, values, tail| {
            let other = other[g];
            let at = NAMES.iter().position(|n| *n == other).unwrap_or(0);
            if left == 0 {
                return;
            }
            left -= 1;
            match how {
                0 => *tail += &format!(" if {other} > {m}"),
                1 => *tail += &format!(" if {other} % {d} == 0"),
                2 => *tail += &format!(" for z in 0..min({other}, 1)"),
                3 => values[at] = format!("{other} - 1"),
                4 => values[at] = format!("{other} // {d}"),
                5 => {
                    let own = values
                        .iter()
                        .position(|v| v.contains(" - "))
                        .unwrap_or((at + 1) % values.len());
                    values[own] = format!("{} - ({other} % {d})", values[own]);
                }
                _ => left = 0,
            }
        });
        let end = match how {
            6 => format!("\nwin if {} == 0 and {} == 0", other[0], other[1]),
            7 => format!("\nlose if {} == {m}", other[0]),
            _ => String::new(),
        };
        return RandomGame::plain(rules + &end);
    }
}
