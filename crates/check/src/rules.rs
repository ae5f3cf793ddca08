//! From the text of the rules to the code that they are, for comparison with the code that the certificate states.
//!
//! Codes are read here, from their definition. Rules that are written out are read by `grundy_lang`: the interpreter's
//! options of all small heaps are compared with the code's, and for all larger heaps linear systems decide.

use std::sync::Arc;

use grundy_cert::{Certificate, Code};
use grundy_lang::bind::{self, Arguments};
use grundy_lang::diag::{Diagnostic, Source};
use grundy_lang::interp::Rules;
use grundy_lang::linear::heap;

use crate::{Fault, Refusal, Result};

/// The rules of a game of one heap.
#[derive(Default)]
pub struct Read {
    /// The moves of all heaps but the few with options of their own.
    pub code: Code,
    /// The options of those.
    pub small: Vec<Option<Vec<Vec<u64>>>>,
}

/// Numbers taken are at most this, since there is a digit for each.
const MOST_TAKEN: usize = 1 << 16;

/// Reads the rules and compares them with the code stated.
pub fn read(certificate: &Certificate, lines: &mut Vec<String>) -> Result<Read> {
    let game = &certificate.game;
    let read = match of_code(&game.text) {
        Some(code) => {
            let code = code.map_err(|why| {
                Refusal::new(Fault::Rules, format!("the code cannot be read: {why}"))
            })?;
            if !game.arguments.is_empty() {
                let message = "a code takes no arguments";
                return Err(Refusal::new(Fault::Rules, message));
            }
            lines.push(format!(
                "rules: {} is the code {}",
                game.text.trim(),
                show(&code)
            ));
            Read {
                code,
                small: Vec::new(),
            }
        }
        None => written(&game.text, &game.arguments, lines)?,
    };
    let read = Read {
        code: plain(read.code),
        ..read
    };
    let stated = plain(certificate.code.clone());
    if stated != read.code {
        let message = "the rules are another code than the one stated";
        return Err(Refusal::new(Fault::Code, message).values(show(&read.code), show(&stated)));
    }
    Ok(read)
}

/// Rules that are written out, with their parameters.
pub fn load(text: &str, arguments: &[String]) -> Result<Rules> {
    let refuse = |message: String| Refusal::new(Fault::Rules, message);
    let failed = |d: &Diagnostic| refuse(format!("the rules cannot be read: {}", d.message));
    let source = Source::new("<certificate>", text);
    let (game, _) = grundy_lang::check::load(&source).map_err(|errors| match errors.first() {
        Some(first) => failed(first),
        None => refuse("the rules cannot be read".to_owned()),
    })?;
    Arguments::parse(arguments)
        .and_then(|arguments| bind::rules(&Arc::new(game), &arguments))
        .map_err(|d| failed(&d))
}

fn written(text: &str, arguments: &[String], lines: &mut Vec<String>) -> Result<Read> {
    let rules = load(text, arguments)?;
    let heap = heap::read(&rules).map_err(|why| {
        let message = format!("the rules are not read as a code: {why}");
        Refusal::new(Fault::Rules, message)
    })?;
    let own = heap.small.iter().filter(|s| s.is_some()).count();
    lines.push(format!(
        "rules: the options of the heaps below {} were compared with the code {}, those of all larger heaps decided at once",
        heap.below,
        show(&heap.code)
    ));
    if own > 0 {
        lines.push(format!(
            "rules: heaps with options of their own: {own}, the last {}",
            heap.small.len() - 1
        ));
    }
    Ok(Read {
        code: heap.code,
        small: heap.small,
    })
}

/// The one way to write a code.
fn plain(mut code: Code) -> Code {
    while code.digits.last() == Some(&code.tail) {
        code.digits.pop();
    }
    code.unequal &= code.parts() > 1;
    code
}

/// A code in words.
pub fn show(code: &Code) -> String {
    code.text().unwrap_or_else(|| {
        let mut out = format!("with digits {:?}", code.digits);
        if code.tail != 0 {
            out += &format!(", {} for all past them", code.tail);
        }
        if code.unequal {
            out += ", no two heaps equal";
        }
        out
    })
}

/// A code by its text, `None` if it is not meant as one.
fn of_code(text: &str) -> Option<std::result::Result<Code, String>> {
    let text = text.trim();
    if text.contains("->") || text.contains('\n') {
        return None;
    }
    if let Some((name, rest)) = text.split_once('{') {
        return match name.trim().to_ascii_lowercase().as_str() {
            "subtract" => Some(numbers(rest).and_then(|set| family(&set, true))),
            "allbut" => Some(numbers(rest).and_then(|set| family(&set, false))),
            _ => None,
        };
    }
    let (before, after) = text.split_once(['.', '·'])?;
    let letter = before.contains(|c: char| c.is_alphabetic());
    if letter && !after.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = |text: &str| -> Option<Vec<u64>> {
        let digits = text.chars().filter(|c| !c.is_whitespace());
        digits.map(|c| c.to_digit(36).map(u64::from)).collect()
    };
    let (before, after) = (digits(before)?, digits(after)?);
    Some(match (&before[..], &after[..]) {
        ([], [_, ..]) | ([_], [_, ..]) => {
            let first = before.first().copied().unwrap_or(0);
            if first & 3 != 0 {
                Err("taking nothing must split the heap".to_owned())
            } else if after.len() > MOST_TAKEN {
                Err(format!("it has more than {MOST_TAKEN} digits"))
            } else {
                Ok(Code::finite([&[first], &after[..]].concat()))
            }
        }
        _ => Err("one digit, a point and digits are a code".to_owned()),
    })
}

/// `1, 3, 4}`
fn numbers(text: &str) -> std::result::Result<Vec<usize>, String> {
    let inside = text.strip_suffix('}').ok_or("the brace is not closed")?;
    if inside.trim().is_empty() {
        return Ok(Vec::new());
    }
    let number = |word: &str| {
        let word = word.trim();
        let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let number = word
            .parse()
            .ok()
            .filter(|&n: &usize| digits && n <= MOST_TAKEN);
        number.ok_or_else(|| format!("`{word}` is not a number up to {MOST_TAKEN}"))
    };
    inside.split(',').map(number).collect()
}

fn family(set: &[usize], subtract: bool) -> std::result::Result<Code, String> {
    if subtract && (set.is_empty() || set.contains(&0)) {
        return Err("at least 1 must be taken".to_owned());
    }
    let most = set.iter().max().copied().unwrap_or(0);
    let digit = |t: usize| 3 * u64::from(t > 0 && set.contains(&t) == subtract);
    Ok(Code {
        digits: (0..=most).map(digit).collect(),
        tail: if subtract { 0 } else { 3 },
        unequal: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two readings of a code, here and by the language, are one.
    #[test]
    fn codes_are_read_as_the_language_reads_them() {
        let mut state = 9u64;
        let mut below = |n: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        let mut texts: Vec<String> = [
            "0.77",
            ".7",
            "0·156",
            " 4 . 7 ",
            "0.8",
            "0.z1",
            "C.0",
            "0.",
            "3.7",
            "0.7.7",
            "00.7",
            "x.7",
            "0.!",
            "subtract{}",
            "subtract{0}",
            "Subtract {1,2}",
            "subtract{1,}",
            "subtract{1",
            "allbut{}",
            "allbut{0,2}",
            "subtract{a}",
            "0.0",
        ]
        .map(str::to_owned)
        .into();
        for _ in 0..300 {
            let digit = |d: u64| char::from_digit(d as u32, 36).unwrap();
            let mut text = match below(4) {
                0 => format!("{}.", digit(below(8) * 4)),
                1 => "subtract{".to_owned(),
                2 => "allbut{".to_owned(),
                _ => "0.".to_owned(),
            };
            let braces = text.contains('{');
            for i in 0..1 + below(4) {
                match braces {
                    true if i > 0 => text += &format!(", {}", below(20)),
                    true => text += &below(20).to_string(),
                    false => text.push(digit(below(16))),
                }
            }
            text.extend(braces.then_some('}'));
            texts.push(text);
        }
        let mut read = 0;
        for text in texts {
            let own = of_code(&text);
            let Some(Ok(rules)) = grundy_lang::codes::translate(&text) else {
                let moves = own
                    .and_then(|o| o.ok())
                    .is_some_and(|c| c.reach() > 0 || c.parts() > 0);
                assert!(!moves, "{text}");
                continue;
            };
            let own = plain(own.unwrap().unwrap());
            let other = written(&rules, &[], &mut Vec::new()).unwrap();
            assert!(other.small.is_empty(), "{text}");
            assert_eq!(own, plain(other.code), "{text}");
            read += 1;
        }
        assert!(read > 250);
    }
}
