//! Sweeps: the periods of all codes of a pattern, `0.???`.
//!
//! Codes are resolved by as many threads as the budget has and come out in order, so that a sweep that was stopped goes on
//! where its rows end. Two codes whose periods are both proved, with the same numbers, and whose values agree up to the end
//! of the first period have the same values for all heaps; where that is not so, values that agree so far are called that.
//!
//! Cost: that of `grundy_find` for each code, and a hash of its values.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use grundy_cert::Hasher;
use grundy_core::{Budget, Claim};
use grundy_find::{Heaps, Stop};
use grundy_lang::codes;
use grundy_lang::diag::{Code, Diagnostic, Source, Span};

use crate::{Result, room};

/// The most codes of one sweep.
const MOST: usize = 1_000_000;

/// The codes that match a pattern, in order: a digit stands for itself, `?` for 0 to 7, `[0-3a]` for any of those. Also how
/// many matches are no games: a first digit that takes nothing and leaves at most one heap, or no move at all.
///
/// ```
/// let (codes, none) = grundy::sweep::expand("0.?[1-3]").unwrap();
/// assert_eq!((codes.len(), codes[0].as_str(), none), (24, "0.01", 0));
/// assert!(grundy::sweep::expand("0.[").is_err());
/// ```
///
/// # Errors
/// If it is no pattern, or too many codes match.
pub fn expand(pattern: &str) -> Result<(Vec<String>, usize)> {
    let source = Source::new("<pattern>", pattern);
    let wrong = |from: usize, to: usize, message: &str, label: &str| {
        let error = Diagnostic::error(Code::BadCode, &source, message);
        let help = "a pattern is a code with `?` for any digit from 0 to 7, or `[0-3]`, `[037]` for some: `0.??[0-3]`";
        Box::new(error.at(Span::new(from, to), label).help(help))
    };
    let digit = |c: char| c.to_digit(36);
    let mut places: Vec<Vec<char>> = Vec::new();
    let mut chars = pattern.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let place = match c {
            '?' => ('0'..='7').collect(),
            '.' => vec!['.'],
            '[' => {
                let mut some: Vec<char> = Vec::new();
                loop {
                    match chars.next() {
                        Some((_, ']')) => break,
                        Some((i, '-')) => {
                            let (from, to) = (some.last().copied(), chars.next().map(|c| c.1));
                            let range = from.and_then(digit).zip(to.and_then(digit));
                            let Some((from, to)) = range.filter(|(from, to)| from <= to) else {
                                let label = "a smaller and a larger digit stand around it";
                                return Err(wrong(i, i + 1, "a range without its ends", label));
                            };
                            some.extend((from + 1..=to).filter_map(|d| char::from_digit(d, 36)));
                        }
                        Some((_, c)) if digit(c).is_some() => some.push(c.to_ascii_lowercase()),
                        Some((i, c)) => {
                            let message = format!("`{c}` in a pattern");
                            return Err(wrong(i, i + c.len_utf8(), &message, "not a digit"));
                        }
                        None => {
                            return Err(wrong(
                                at,
                                at + 1,
                                "a range without its end",
                                "opened here",
                            ));
                        }
                    }
                }
                some.sort_unstable();
                some.dedup();
                if some.is_empty() {
                    return Err(wrong(
                        at,
                        at + 2,
                        "a range without digits",
                        "nothing matches it",
                    ));
                }
                some
            }
            c if digit(c).is_some() => vec![c],
            c => {
                let message = format!("`{c}` in a pattern");
                return Err(wrong(at, at + c.len_utf8(), &message, "not a digit"));
            }
        };
        places.push(place);
    }
    let shape: Vec<usize> = (0..places.len()).filter(|&i| places[i] == ['.']).collect();
    if shape != [1] || places.len() < 3 {
        let message = "this is not the form of a code";
        let label = "one digit, a point and digits are wanted";
        return Err(wrong(0, pattern.len(), message, label));
    }
    let all = places
        .iter()
        .try_fold(1usize, |n, p| n.checked_mul(p.len()));
    let Some(all) = all.filter(|&n| n <= MOST) else {
        let message = format!("more than {MOST} codes match");
        return Err(wrong(0, pattern.len(), &message, "too much for one sweep"));
    };
    let mut out = Vec::with_capacity(all);
    for mut i in 0..all {
        let mut text = Vec::new();
        for place in places.iter().rev() {
            text.push(place[i % place.len()]);
            i /= place.len();
        }
        out.push(text.iter().rev().collect::<String>());
    }
    out.retain(|text| codes::code(text).is_some());
    let none = all - out.len();
    Ok((out, none))
}

/// What is known of one code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The code.
    pub code: String,
    /// Period, preperiod and saltus, if they are proved.
    pub period: Option<(u64, u64, u64)>,
    /// The greatest value of all heaps, or of those looked at if no period is proved; `None` if there is none.
    pub max: Option<u64>,
    /// The largest heap whose value the proof rests on, or the largest looked at if there is none.
    pub checked_to: u64,
    /// The kind of proof.
    pub method: Option<String>,
    /// The SHA-256 of the values of the heaps up to the one asked for, as little-endian 16-bit numbers, or
    /// 32-bit ones if any is past 65,535.
    pub sha256: String,
    /// The first code of the sweep with the same values, and whether that is proved for all heaps or only seen.
    pub same: Option<(String, Claim)>,
}

/// The columns, in order.
pub const COLUMNS: [&str; 11] = [
    "code",
    "period",
    "preperiod",
    "saltus",
    "max",
    "checked_to",
    "method",
    "claim",
    "same_as",
    "same",
    "sha256",
];

impl Row {
    /// How the period is known.
    pub fn claim(&self) -> Claim {
        match self.period {
            Some(_) => Claim::Proved,
            None => Claim::Computed,
        }
    }

    /// The cells; those without a value are empty.
    pub fn cells(&self) -> [String; 11] {
        let number = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
        let (same_as, same) = match &self.same {
            Some((code, claim)) => (code.clone(), claim.to_string()),
            None => Default::default(),
        };
        [
            self.code.clone(),
            number(self.period.map(|p| p.0)),
            number(self.period.map(|p| p.1)),
            number(self.period.map(|p| p.2)),
            number(self.max),
            self.checked_to.to_string(),
            self.method.clone().unwrap_or_default(),
            self.claim().to_string(),
            same_as,
            same,
            self.sha256.clone(),
        ]
    }

    /// A line of csv.
    pub fn line(&self) -> String {
        self.cells().join(",") + "\n"
    }

    /// Reads a line of csv, as `line` writes it.
    pub fn read(line: &str) -> Option<Row> {
        let cells: Vec<&str> = line.split(',').collect();
        let cells: [&str; 11] = cells.try_into().ok()?;
        let number = |cell: &str| match cell {
            "" => Some(None),
            text => text.parse().ok().map(Some),
        };
        let text = |cell: &str| Some(cell.to_owned()).filter(|c| !c.is_empty());
        let period = match (number(cells[1])?, number(cells[2])?, number(cells[3])?) {
            (Some(p), Some(n0), Some(s)) => Some((p, n0, s)),
            (None, None, None) => None,
            _ => return None,
        };
        let same = match (text(cells[8]), cells[9]) {
            (Some(code), "proved") => Some((code, Claim::Proved)),
            (Some(code), "computed") => Some((code, Claim::Computed)),
            (None, "") => None,
            _ => return None,
        };
        let row = Row {
            code: text(cells[0])?,
            period,
            max: number(cells[4])?,
            checked_to: number(cells[5])??,
            method: text(cells[6]),
            sha256: text(cells[10])?,
            same,
        };
        (row.claim().to_string() == cells[7]).then_some(row)
    }
}

/// Resolves one code; `None` if it was stopped.
fn resolve(text: &str, to: u64, budget: &Budget) -> Option<Row> {
    let code = codes::code(text)?;
    let mut heaps = Heaps::new(&code);
    let count = usize::try_from(to).ok()?.checked_add(1)?;
    let end = match heaps.advance(count, &mut |_| budget.stopped()) {
        Ok(()) => count,
        Err(Stop::ValueTooLarge(_)) => heaps.computed(),
        Err(Stop::Interrupted) => return None,
    };
    // With a saltus the last values are the greatest.
    let last = heaps.period().map_or(0, |p| p.period).min(end);
    let late = heaps.values(end - last..end).into_iter().max();
    let mut hasher = Hasher::new(late.unwrap_or(0));
    for from in (0..end).step_by(1 << 16) {
        let block = heaps.values(from..end.min(from + (1 << 16)));
        block.into_iter().for_each(|v| hasher.push(v));
    }
    let period = heaps.period();
    Some(Row {
        code: text.to_owned(),
        period: period.map(|p| (p.period as u64, p.preperiod as u64, p.saltus)),
        max: match period {
            Some(period) => period.max,
            None => Some(heaps.largest(to)),
        },
        checked_to: period.map_or(end as u64 - 1, |p| p.checked_to as u64),
        method: period.map(|p| p.proof.kind().to_owned()),
        sha256: hasher.finish(),
        same: None,
    })
}

/// The rows of some codes, in order. `known` are the first of them, from an earlier run; `row` takes each of the others, and
/// says whether to go on.
///
/// # Errors
/// If memory may not suffice, or it was stopped; the rows so far have been given.
pub fn sweep(
    codes: &[String],
    to: u64,
    known: &[Row],
    budget: &Budget,
    row: &mut dyn FnMut(&Row) -> bool,
) -> Result<()> {
    let source = Source::new("<sweep>", "");
    let each = codes
        .iter()
        .filter_map(|text| codes::code(text))
        .map(|code| Heaps::bytes(&code, to.saturating_add(1)))
        .max()
        .unwrap_or(0)
        .max(1);
    let free = room::memory().unwrap_or(u64::MAX).min(budget.memory());
    // As many codes at a time as there is memory for.
    let threads = usize::try_from(u128::from(free) / each).unwrap_or(usize::MAX);
    let threads = threads.min(budget.threads());
    if threads == 0 {
        let message = format!(
            "the values of a code up to heap {to} may take {} of memory, more than the {} there are",
            room::text(u64::try_from(each).unwrap_or(u64::MAX)),
            room::text(free)
        );
        let error = Diagnostic::error(Code::Memory, &source, message);
        return Err(Box::new(
            error.help("take a smaller `--to`, or allow more with `--memory`"),
        ));
    }
    let mut first: HashMap<String, Row> = HashMap::new();
    for row in known {
        first
            .entry(row.sha256.clone())
            .or_insert_with(|| row.clone());
    }
    let next = AtomicUsize::new(known.len());
    let enough = AtomicUsize::new(0);
    let stopped = thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for _ in 0..threads.min(codes.len()) {
            let (send, next, enough) = (send.clone(), &next, &enough);
            scope.spawn(move || {
                while enough.load(Ordering::Relaxed) == 0 {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(text) = codes.get(i) else { return };
                    // Nobody waits any more, or there is nothing to tell.
                    let Some(row) = resolve(text, to, budget) else {
                        return;
                    };
                    if send.send((i, row)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut waiting: HashMap<usize, Row> = HashMap::new();
        let mut due = known.len();
        for (i, found) in receive {
            waiting.insert(i, found);
            while let Some(mut found) = waiting.remove(&due) {
                due += 1;
                match first.get(&found.sha256) {
                    Some(other) => {
                        // Of one period each, with all of it among the values compared.
                        let whole = |(p, n0, _): (u64, u64, u64)| p + n0 <= to.saturating_add(1);
                        let proved =
                            found.period == other.period && found.period.is_some_and(whole);
                        let claim = if proved {
                            Claim::Proved
                        } else {
                            Claim::Computed
                        };
                        found.same = Some((other.code.clone(), claim));
                    }
                    None => _ = first.insert(found.sha256.clone(), found.clone()),
                }
                if !row(&found) {
                    enough.store(1, Ordering::Relaxed);
                }
            }
        }
        due < codes.len()
    });
    if stopped {
        let message = "stopped before all codes were resolved";
        return Err(Box::new(Diagnostic::error(
            Code::Interrupted,
            &source,
            message,
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(pattern: &str, to: u64, known: usize) -> Vec<Row> {
        let (codes, _) = expand(pattern).unwrap();
        let budget = Budget::default();
        let mut all = Vec::new();
        sweep(&codes, to, &[], &budget, &mut |row| {
            all.push(row.clone());
            true
        })
        .unwrap();
        let mut more = all[..known.min(all.len())].to_vec();
        sweep(&codes, to, &more.clone(), &budget, &mut |row| {
            more.push(row.clone());
            true
        })
        .unwrap();
        assert_eq!(more, all);
        all
    }

    #[test]
    fn rows_are_in_order_and_read_back() {
        let all = rows("0.??", 2000, 17);
        assert_eq!(all.len(), 63);
        for row in &all {
            assert_eq!(Row::read(row.line().trim_end()).as_ref(), Some(row));
        }
        let of = |code: &str| all.iter().find(|r| r.code == code).unwrap();
        assert_eq!(of("0.77").period, Some((12, 71, 0)));
        assert_eq!(of("0.07").period, Some((34, 53, 0)));
        assert_eq!(of("0.06").period, None);
        // 0.20 and 0.22 are not the same; taking one from a heap of one or more, or nothing past it, is.
        assert_eq!(of("0.10").same, None);
        for row in all.iter().filter(|r| r.same.is_some()) {
            let (other, claim) = row.same.clone().unwrap();
            let mut pair = [
                Heaps::new(&codes::code(&row.code).unwrap()),
                Heaps::new(&codes::code(&other).unwrap()),
            ];
            for heaps in &mut pair {
                heaps.advance(4000, &mut |_| false).unwrap();
            }
            let upto = if claim == Claim::Proved { 4000 } else { 2001 };
            assert_eq!(pair[0].values(0..upto), pair[1].values(0..upto), "{row:?}");
        }
        assert!(all.iter().any(|r| r.same.is_some()));
    }

    #[test]
    fn a_sweep_can_be_stopped() {
        let (codes, _) = expand("0.??").unwrap();
        let mut count = 0;
        let stopped = sweep(&codes, 500, &[], &Budget::default(), &mut |_| {
            count += 1;
            count < 5
        });
        assert_eq!(stopped.unwrap_err().code, Code::Interrupted);
        let budget = Budget::default();
        budget.stop();
        assert!(sweep(&codes, 500, &[], &budget, &mut |_| true).is_err());
        let small = Budget::with_memory(1000);
        let error = sweep(&codes, 500, &[], &small, &mut |_| true);
        assert_eq!(error.unwrap_err().code, Code::Memory);
    }

    #[test]
    fn patterns_that_are_none_are_refused() {
        for bad in [
            "",
            "0",
            "0.",
            "?",
            "0.[",
            "0.[]",
            "0.[3-1]",
            "0.[-3]",
            "0.[1-]",
            "0.!",
            "0.?.?",
            "00.?",
            "0.é",
            "0.????????",
        ] {
            assert!(expand(bad).is_err(), "{bad}");
        }
        let (codes, none) = expand("?.[013a-c]").unwrap();
        assert_eq!((codes.len(), none), (11, 37));
    }
}
