//! Random rules over one to four counters, with everything that expressions on numbers have: whether such a game makes
//! sense, or ends, is nobody's concern here. For comparing ways to run the same rules.

use grundy_lang::interp::Rules;
use grundy_lang::value::Value;

use crate::{Random, text};

/// Random rules and the text that they are from.
pub fn rules(r: &mut Random) -> (String, Rules) {
    let layout = r.pick(&[
        "n", "a b", "{a b}", "a {b c}", "a b c", "{a b c}", "a b c d",
    ]);
    let names: Vec<&str> = layout
        .split(['{', '}', ' '])
        .filter(|word| !word.is_empty())
        .collect();
    let mut source = "game random\nparam p, L[], q\n".to_owned();
    let place = |words: &[String]| {
        let mut words = words.iter();
        let mut out = String::new();
        let mut open = true;
        for piece in layout.split(' ') {
            if !open {
                out += ", ";
            }
            open = false;
            let (head, tail) = (piece.starts_with('{'), piece.ends_with('}'));
            out += if head { "{" } else { "" };
            out += words.next().expect("a word for each counter");
            out += if tail { "}" } else { "" };
        }
        if layout.contains(' ')
            && !(layout.starts_with('{')
                && layout.matches('}').count() == 1
                && layout.ends_with('}'))
        {
            format!("({out})")
        } else {
            out
        }
    };
    let own: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
    source += &format!("start {}\n", place(&own));
    if r.one_in(5) {
        let condition = condition(r, &names, 1);
        // The names of an end are those of the first move.
        source += &format!(
            "{} if {condition}\n",
            if r.one_in(4) { "lose" } else { "win" }
        );
    }
    if r.one_in(4) {
        source += "play misere\n";
    }
    for _ in 0..1 + r.below(3) {
        let mut known = names.clone();
        known.extend(["p", "q"]);
        let mut clauses = String::new();
        for quantifier in ["i", "j"].into_iter().take(r.below(3) as usize) {
            clauses += &match r.below(7) {
                0 | 1 => format!(" for {quantifier} in L"),
                2 => format!(
                    " for {quantifier} in 1..{} if {} % {quantifier} == 0",
                    r.pick(&known),
                    number(r, &names, 0)
                ),
                3 => format!(
                    " for {quantifier} in {}..{} if {quantifier}*{quantifier} <= {}",
                    r.below(3),
                    r.pick(&known),
                    number(r, &names, 0)
                ),
                _ => format!(
                    " for {quantifier} in {}..{}",
                    r.below(3),
                    number(r, &known, 1)
                ),
            };
            known.push(quantifier);
        }
        // A guard that says that a counter has what is taken from it, or the contrary.
        let mut taken = None;
        if let Some(&quantifier) = known.get(names.len() + 2..).and_then(<[_]>::last)
            && r.one_in(2)
        {
            let amount = match r.below(5) {
                0 => format!("{quantifier}*{quantifier}"),
                1 => format!("({quantifier} + {})", r.below(3)),
                2 => format!("2*{quantifier}"),
                _ => quantifier.to_owned(),
            };
            let name: &str = r.pick(&names);
            clauses += &match r.below(8) {
                0 | 1 => format!(" if {amount} < {name}"),
                2 | 3 => format!(" if {name} >= {amount}"),
                4 => format!(" if {name} > {amount} and {name} != p"),
                5 => format!(" if {name} <= {amount}"),
                _ => format!(" if {amount} <= {name}"),
            };
            taken = Some((name, amount));
        }
        if r.one_in(2) {
            clauses += &format!(" if {}", condition(r, &known, 2));
        }
        let part = |r: &mut Random| {
            let words: Vec<String> = names
                .iter()
                .map(|name| match (&taken, r.below(3)) {
                    (Some((from, amount)), 0 | 1) if from == name => {
                        if r.one_in(5) {
                            format!("{amount} - {name}")
                        } else {
                            format!("{name} - {amount}")
                        }
                    }
                    (_, 0) => (*name).to_owned(),
                    (_, 1) => format!("{name} - {}", number(r, &known, 0)),
                    _ => number(r, &known, 2),
                })
                .collect();
            let left = place(&words);
            if r.one_in(8) && names.len() > 1 {
                let other: Vec<String> = names.iter().map(|_| number(r, &known, 1)).collect();
                let choice = condition(r, &known, 1);
                return format!("({left} if {choice} else {})", place(&other));
            }
            left
        };
        let parts = match r.below(8) {
            0 => "[]".to_owned(),
            1 | 2 => format!("[{}, {}]", part(r), part(r)),
            _ => part(r),
        };
        source += &format!("move {} -> {parts}{clauses}\n", place(&own));
    }
    let game = text::game(&source);
    let list: Vec<Value> = (0..r.below(12))
        .map(|_| Value::from(r.range(-1, 9)))
        .collect();
    let params = game
        .vars
        .iter()
        .map(|var| match var.name.as_str() {
            "p" => Value::from(r.range(0, 6)),
            "q" if r.one_in(20) => Value::from(r.range(i64::MAX - 3, i64::MAX)),
            "q" => Value::from(r.range(-2, 12)),
            "L" => Value::seq(list.iter().cloned()),
            _ => Value::from(0),
        })
        .collect();
    (source, Rules::new(game, params))
}

/// A number, perhaps one that cannot be computed.
pub fn number(r: &mut Random, names: &[&str], depth: u64) -> String {
    if depth == 0 {
        return match r.below(4) {
            0 => r.below(6).to_string(),
            _ => r.pick(names).to_owned(),
        };
    }
    let one = |r: &mut Random| number(r, names, depth - 1);
    match r.below(22) {
        0..=2 => one(r),
        3 | 4 => format!("({} + {})", one(r), one(r)),
        5..=7 => format!("({} - {})", one(r), one(r)),
        8 => format!("{} * {}", r.below(4), one(r)),
        9 => format!("{} * {}", one(r), one(r)),
        10 => format!("({}) // ({})", one(r), one(r)),
        11 => format!("({}) % ({})", one(r), one(r)),
        12 => format!("min({}, {})", one(r), one(r)),
        13 => format!("max({}, {}, {})", one(r), one(r), one(r)),
        14 => format!("abs({})", one(r)),
        15 => format!("gcd({}, {})", one(r), one(r)),
        16 => format!("isqrt({})", one(r)),
        17 => format!("({})**{}", one(r), 1 + r.below(3)),
        18 => format!("2**({})", one(r)),
        19 => format!("({} ^ {})", one(r), one(r)),
        20 => format!("L[{}]", one(r)),
        _ => {
            let condition = condition(r, names, depth - 1);
            format!("({} if {condition} else {})", one(r), one(r))
        }
    }
}

/// A condition, perhaps one that cannot be decided.
pub fn condition(r: &mut Random, names: &[&str], depth: u64) -> String {
    if depth > 0 && r.one_in(3) {
        let one = |r: &mut Random| condition(r, names, depth - 1);
        return match r.below(4) {
            0 => format!("({} and {})", one(r), one(r)),
            1 => format!("({} or {})", one(r), one(r)),
            2 => format!("not ({})", one(r)),
            _ => {
                let (lo, hi) = (r.below(3), number(r, names, 0));
                let quantifier = "z";
                let mut inner = names.to_vec();
                inner.push(quantifier);
                let inside = condition(r, &inner, 0);
                match r.below(4) {
                    0 => format!("all({inside} for z in {lo}..{hi})"),
                    1 => format!("any({inside} for z in {lo}..{hi})"),
                    2 => format!("sum(z for z in {lo}..{hi} if {inside}) > {}", r.below(5)),
                    _ => format!("any(z == {} for z in L)", r.pick(names)),
                }
            }
        };
    }
    let left = number(r, names, depth.min(1));
    let right = number(r, names, depth.min(1));
    match r.below(9) {
        0 => format!("{left} in L"),
        1 => format!("{left} in 1..({right})"),
        2 => format!("{left} == {right}"),
        3 => format!("{left} != {right}"),
        4 => format!("{left} < {right}"),
        5 | 6 => format!("{left} <= {right}"),
        7 => format!("{left} > {right}"),
        _ => format!("{left} >= {right}"),
    }
}
