//! Codes: short names of take-and-break games, translated to rules of the language and read like any other text.
//!
//! `d0.d1d2d3…` (Guy and Smith, "The G-values of various games", 1956, for digits to 7): bit r of digit d_t allows
//! taking t from a heap if what is left is split into exactly r heaps, none of them empty. Digits past 9 are letters,
//! so that up to five heaps can be left (z = 35 = 100011 in binary). `subtract{…}` takes any of the numbers listed,
//! `allbut{…}` any number but those.
//!
//! Each way to split is written once: the parts rise, so part i is at least part i-1 and leaves enough for those
//! behind it.
//!
//! Cost: linear in the code; at most six moves a digit.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use grundy_core::Int;

use crate::diag::{Code, Diagnostic, Source, Span};

/// The rules that a code stands for, or what is wrong with it; `None` if the text does not look like a code.
///
/// ```
/// use grundy_lang::codes::translate;
/// assert_eq!(translate("subtract{1, 3}").unwrap().unwrap(), "n -> n - k for k in {1, 3}\n");
/// assert_eq!(translate("0.3").unwrap().unwrap(), "n -> n - 1\n");
/// assert!(translate("wythoff").is_none());
/// assert!(translate("2.7").unwrap().is_err()); // taking nothing and leaving one heap is no move
/// ```
pub fn translate(text: &str) -> Option<Result<String, Diagnostic>> {
    let source = Source::new("<code>", text);
    let body = text.trim();
    let offset = text.len() - text.trim_start().len();
    let word_end = body
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(body.len());
    let after = body[word_end..].trim_start();
    if word_end > 0 && after.starts_with('{') {
        let kind = match body[..word_end].to_ascii_lowercase().as_str() {
            "subtract" => Family::Subtract,
            "allbut" => Family::AllBut,
            "subtraction" | "sub" | "take" => {
                let error = Diagnostic::error(
                    Code::BadCode,
                    &source,
                    format!("no code `{}`", &body[..word_end]),
                )
                .at(
                    Span::new(offset, offset + word_end),
                    "not a family of games",
                )
                .help("write `subtract{1, 2}` for the numbers that may be taken");
                // A rule may start with such a name and a set: `take{} -> …`.
                return (!body.contains("->")).then_some(Err(error));
            }
            _ => return None,
        };
        let from = text.len() - (text.len() - offset - body.len()) - after.len() + 1;
        return Some(family(kind, &source, from).map_err(|e| *e));
    }
    looks_like_digits(body).then(|| digits(&source, offset, offset + body.len()).map_err(|e| *e))
}

/// The code that a text is, without the way through rules; `None` also where `translate` has an error, and where a number
/// is past 65,536.
///
/// ```
/// use grundy_lang::codes::code;
/// assert_eq!(code("0.77").unwrap().digits, [0, 7, 7]);
/// assert_eq!(code("allbut{2}").unwrap().tail, 3);
/// assert!(code("2.7").is_none());
/// ```
pub fn code(text: &str) -> Option<grundy_core::Code> {
    translate(text)?.ok()?;
    let body = text.trim();
    let Some((name, list)) = body.split_once('{') else {
        let digits = body.chars().filter_map(|c| c.to_digit(36)).map(u64::from);
        let none = body.starts_with(['.', '·']);
        let digits: Vec<u64> = none.then_some(0).into_iter().chain(digits).collect();
        return (digits.len() <= MOST_TAKEN).then(|| grundy_core::Code::finite(digits));
    };
    let numbers = list.trim_end_matches('}').split(',').map(str::trim);
    let numbers: Option<BTreeSet<usize>> = numbers
        .filter(|n| !n.is_empty())
        .map(|n| n.parse().ok().filter(|&n| n <= MOST_TAKEN))
        .collect();
    let numbers = numbers?;
    let subtract = name.trim().eq_ignore_ascii_case("subtract");
    let most = numbers.last().copied().unwrap_or(0);
    let digit = |t: usize| 3 * u64::from(t > 0 && numbers.contains(&t) == subtract);
    Some(grundy_core::Code {
        digits: (0..=most).map(digit).collect(),
        tail: if subtract { 0 } else { 3 },
        unequal: false,
    })
}

/// What is said of a code of digits that is no octal code: how its digits past 7 are read.
///
/// ```
/// use grundy_lang::codes::past_octal;
/// assert!(past_octal("0.8").unwrap().message.contains("leave up to 3 heaps"));
/// assert!(past_octal("0.77").is_none() && past_octal("subtract{8}").is_none());
/// ```
pub fn past_octal(text: &str) -> Option<Diagnostic> {
    let read = code(text).filter(|_| !text.contains('{'))?;
    let digits = text.char_indices();
    let past = |c: char| c.to_digit(36).filter(|&d| d > 7);
    let (at, digit) = digits.filter_map(|(at, c)| Some((at, past(c)?))).next()?;
    let message = format!(
        "`{}` is no octal code: digits past 7 are read as moves that leave up to {} heaps",
        text.trim(),
        read.parts()
    );
    let bit = digit.ilog2();
    let label = format!(
        "has the bit {}, which stands for leaving {bit} heaps",
        1 << bit
    );
    let note = Diagnostic::error(Code::BadCode, &Source::new("<code>", text), message);
    Some(note.warning().at(Span::new(at, at + 1), label))
}

/// The largest number taken in a code that is read as digits.
const MOST_TAKEN: usize = 1 << 16;

/// Whether the text is meant as a code of digits: a digit, a point and no more points; or letters that fit.
fn looks_like_digits(body: &str) -> bool {
    let Some(point) = body.find(['.', '·']) else {
        return false;
    };
    let width = body[point..].chars().next().map_or(1, char::len_utf8);
    let (before, after) = (body[..point].trim_end(), body[point + width..].trim_start());
    if after.starts_with('.')
        || body.contains("->")
        || body.contains('\n')
        || body.ends_with(".game")
    {
        return false;
    }
    let first = after.chars().next();
    if before.is_empty() {
        return !after.is_empty() && after.chars().all(|c| c.is_ascii_hexdigit() || c == ' ')
            || first.is_some_and(|c| c.is_ascii_digit());
    }
    let letter = before.len() == 1 && before.bytes().all(|b| b.is_ascii_alphabetic());
    before.bytes().all(|b| b.is_ascii_digit())
        || (letter && first.is_some_and(|c| c.is_ascii_digit()))
}

fn bad(
    source: &Arc<Source>,
    span: Span,
    message: &str,
    label: &str,
    help: &str,
) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(Code::BadCode, source, message)
            .at(span, label)
            .help(help),
    )
}

fn digits(source: &Arc<Source>, from: usize, to: usize) -> Result<String, Box<Diagnostic>> {
    let mut rules = String::new();
    // The number of digits read behind the point; `None` before it.
    let mut taken: Option<usize> = None;
    for (i, c) in source.text[from..to].char_indices() {
        let span = Span::new(from + i, from + i + c.len_utf8());
        if c == '.' || c == '·' {
            if taken.is_some() {
                let help = "a code is one digit, a point and digits, such as `0.77`";
                return Err(bad(
                    source,
                    span,
                    "a code with two points",
                    "the second point",
                    help,
                ));
            }
            taken = Some(0);
            continue;
        }
        if c.is_whitespace() {
            continue;
        }
        let Some(digit) = c.to_digit(36) else {
            let help = "the digits are 0 to 9 and a to z for 10 to 35";
            return Err(bad(
                source,
                span,
                &format!("`{c}` in a code"),
                "not a digit",
                help,
            ));
        };
        match &mut taken {
            None => {
                let next = source.text[span.end as usize..to].trim_start();
                if !next.starts_with(['.', '·']) {
                    let help = "the digit before the point is for taking nothing; all others stand behind it";
                    return Err(bad(
                        source,
                        span,
                        "two digits before the point",
                        "more than one",
                        help,
                    ));
                }
                if digit & 3 != 0 {
                    let message = format!("the digit `{c}` before the point");
                    let label = if digit & 2 != 0 {
                        "allows taking nothing and leaving one heap, so that play does not end"
                    } else {
                        "allows taking nothing and leaving nothing"
                    };
                    let help = "before the point stands 0, or a digit that only splits: 4, 8, c (4 + 8), g, …";
                    return Err(bad(source, span, &message, label, help));
                }
                moves(&mut rules, 0, digit);
            }
            Some(t) => {
                *t += 1;
                moves(&mut rules, *t, digit);
            }
        }
    }
    let all = Span::new(from, to);
    if taken == Some(0) {
        let help = "write a digit for each number that may be taken: `0.77` for taking 1 or 2";
        return Err(bad(
            source,
            all,
            "a code without digits behind the point",
            "ends here",
            help,
        ));
    }
    if rules.is_empty() {
        let help = "a digit other than 0 allows a move: `0.3` takes 1";
        return Err(bad(
            source,
            all,
            "a code without a move",
            "all digits are 0",
            help,
        ));
    }
    Ok(rules)
}

/// The moves that take `t` and leave as many heaps as the bits of `digit` say.
fn moves(rules: &mut String, t: usize, digit: u32) {
    let rest = if t == 0 {
        "n".to_string()
    } else {
        format!("n - {t}")
    };
    // Writing to a String cannot fail.
    match digit & 3 {
        1 => _ = writeln!(rules, "n -> [] if n == {t}"),
        2 => _ = writeln!(rules, "n -> {rest} if n > {t}"),
        3 => _ = writeln!(rules, "n -> {rest}"),
        _ => {}
    }
    const NAMES: [&str; 4] = ["a", "b", "c", "d"];
    for parts in 2..=5 {
        if digit >> parts & 1 == 0 {
            continue;
        }
        let names = &NAMES[..parts - 1];
        let mut line = format!(
            "n -> [{}, {rest} - {}] for",
            names.join(", "),
            names.join(" - ")
        );
        for (i, name) in names.iter().enumerate() {
            let left = std::iter::once(rest.as_str()).chain(names[..i].iter().copied());
            let left = left.collect::<Vec<_>>().join(" - ");
            let left = if left == "n" {
                left
            } else {
                format!("({left})")
            };
            let low = if i == 0 { "1" } else { names[i - 1] };
            let comma = if i == 0 { "" } else { "," };
            _ = write!(line, "{comma} {name} in {low}..{left}//{}", parts - i);
        }
        rules.push_str(&line);
        rules.push('\n');
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Subtract,
    AllBut,
}

/// Reads the numbers behind `{`, which ends at `from`.
fn family(kind: Family, source: &Arc<Source>, from: usize) -> Result<String, Box<Diagnostic>> {
    let text = &source.text;
    let end = text.trim_end().len();
    let example = if kind == Family::Subtract {
        "`subtract{1, 3, 4}`"
    } else {
        "`allbut{2, 5}`"
    };
    let help = format!("the numbers stand in braces, with commas: {example}");
    let Some(close) = text[from..end].find('}').map(|i| from + i) else {
        return Err(bad(
            source,
            Span::new(from - 1, from),
            "a code without its closing brace",
            "opened here",
            &help,
        ));
    };
    if close + 1 < end {
        let message = "something behind a code";
        let statement = text[close + 1..end].trim_start().starts_with(';');
        return Err(bad(
            source,
            Span::new(close + 1, end),
            message,
            "does not belong to it",
            if statement {
                "a code stands alone; to say more, write its rule: `n -> n - k for k in [1, 3, 4]; play misere`"
            } else {
                &help
            },
        ));
    }
    let mut numbers: BTreeSet<Int> = BTreeSet::new();
    let mut at = from;
    let inside = &text[from..close];
    let members = if inside.trim().is_empty() { "" } else { inside };
    for member in members
        .split_terminator(',')
        .chain(members.ends_with(',').then_some(""))
    {
        let number = member.trim();
        let start = at + (member.len() - member.trim_start().len());
        let span = Span::new(start, start + number.len());
        at += member.len() + 1;
        if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
            let message = if number.is_empty() {
                "a number is missing"
            } else {
                "not a natural number"
            };
            return Err(bad(
                source,
                span,
                message,
                "a number must stand here",
                &help,
            ));
        }
        let number: Int = number
            .parse()
            .map_err(|_| bad(source, span, "not a number", "here", &help))?;
        if number.is_zero() {
            if kind == Family::Subtract {
                let label =
                    "taking nothing leaves the position as it is, so that play does not end";
                return Err(bad(
                    source,
                    span,
                    "0 among the numbers to take",
                    label,
                    "leave it out",
                ));
            }
            // Nobody may take nothing anyway.
            continue;
        }
        numbers.insert(number);
    }
    let list = numbers
        .iter()
        .map(Int::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    match kind {
        Family::Subtract if numbers.is_empty() => {
            let help = "name at least one number: `subtract{1}`";
            Err(bad(
                source,
                Span::new(from - 1, close + 1),
                "a code without a move",
                "nothing may be taken",
                help,
            ))
        }
        Family::Subtract => Ok(format!("n -> n - k for k in {{{list}}}\n")),
        Family::AllBut if numbers.is_empty() => Ok("n -> n - k for k in 1..n\n".into()),
        Family::AllBut => Ok(format!("n -> n - k for k in 1..n if k not in {{{list}}}\n")),
    }
}
