//! Answers as text for a person.

use std::io::{self, Write};
use std::iter;
use std::path::Path;

use grundy::answer::{End, rule_text, value_text};
use grundy::catalogue::Entry;
use grundy::explain::Explanation;
use grundy::ir::{Game, Play};
use grundy::period::{Report, formula};
use grundy::positions::Positions;
use grundy::sequence::{Sequence, decimal};
use grundy::table::{Cell, Table, next, open_list};
use grundy::{Answer, Claim, Diagnostic, Int, rows};

use crate::args::Format;
use crate::style::Style;
use crate::table::Put;

/// The width of a label and the blanks after it.
const LABEL: usize = 10;
/// The width of text.
const WIDTH: usize = 96;

fn line(style: Style, label: &str, text: &str) -> String {
    let pad = LABEL.saturating_sub(label.len());
    format!("{}{}{text}\n", style.dim(label), " ".repeat(pad))
}

/// An answer.
pub fn answer(answer: &Answer, style: Style) -> String {
    let game = answer.game();
    let mut out = String::new();
    let position = shorten(&game.shape.display_position(&answer.position), WIDTH);
    out.push_str(&line(style, "game", &game.title));
    out.push_str(&line(style, "position", &style.bold(&position)));
    let letter = answer.outcome.to_string();
    let letter = if answer.outcome.next_wins() {
        style.win(&letter)
    } else {
        style.lose(&letter)
    };
    out.push_str(&line(
        style,
        "outcome",
        &format!("{letter}: {}", answer.verdict()),
    ));
    if let Some(value) = &answer.grundy {
        out.push_str(&line(style, "value", &value.to_string()));
    }
    let (moves, cut) = moves(answer, style);
    out.push_str(&moves);
    out.push_str(&line(style, "method", answer.method_title()));
    if answer.grundy_searched {
        let outcome = format!("outcome and moves {}", claim(answer.claim()));
        out.push_str(&line(style, "claim", &outcome));
        let value = format!("value {}", claim(Claim::Computed));
        out.push_str(&line(style, "", &value));
    } else {
        out.push_str(&line(style, "claim", &claim(answer.claim())));
    }
    if cut || position.contains(CUT) {
        out.push_str(&line(style, "note", &style.dim(IN_FULL)));
    }
    out
}

fn claim(claim: Claim) -> String {
    let why = match claim {
        Claim::Proved => "the theorem's conditions were checked on these rules",
        Claim::Computed => "by exhaustive search of this position",
        Claim::Conjectured => "it fits what has been computed, and is no more than that",
    };
    format!("{claim}: {why}")
}

/// What is known of a period.
pub fn period(report: &Report, certificate: Option<&Path>, style: Style) -> String {
    let seen = report.conjecture().map(|seen| {
        format!(
            "{} from n = {} on, as far as computed: conjectured, not proved",
            formula(seen.period, seen.saltus),
            seen.preperiod
        )
    });
    let text = PeriodText {
        head: line(style, "game", &report.title),
        place: ("heap", "n"),
        period: report
            .period()
            .map(|p| (p.period as u64, p.preperiod as u64)),
        sentence: report.sentence(),
        seen,
        max: report.max(),
        method: report.method_title(),
        claim: report.claim(),
    };
    text.show(certificate, style)
}

/// What is known of a row.
pub fn row(report: &rows::Report, certificate: Option<&Path>, style: Style) -> String {
    let subject = &report.subject;
    let row = format!("{}, and {} = 0, 1, 2, …", subject.fixed, subject.other);
    let text = PeriodText {
        head: line(style, "game", &subject.title) + &line(style, "row", &row),
        place: ("column", &subject.other),
        period: report.row().map(|f| (f.row.period, f.row.preperiod)),
        sentence: report.sentence(),
        seen: None,
        max: report.max(),
        method: report.method_title(),
        claim: report.claim(),
    };
    text.show(certificate, style)
}

/// A period in words.
struct PeriodText<'a> {
    head: String,
    /// What has a value, and the name of its number.
    place: (&'a str, &'a str),
    /// Period and preperiod.
    period: Option<(u64, u64)>,
    sentence: String,
    seen: Option<String>,
    max: Option<u64>,
    method: String,
    claim: Claim,
}

impl PeriodText<'_> {
    fn show(self, certificate: Option<&Path>, style: Style) -> String {
        let mut out = self.head;
        let (place, name) = self.place;
        match self.period {
            Some((period, preperiod)) => {
                let period = style.bold(&period.to_string());
                let sentence = &self.sentence;
                out.push_str(&line(style, "period", &format!("{period}: {sentence}")));
                let last = match preperiod {
                    0 => format!("none: the values repeat from {place} 0 on"),
                    1 => format!("1 value, that of {place} 0"),
                    n => format!("{n} values; the last exception is {name} = {}", n - 1),
                };
                out.push_str(&line(style, "before", &last));
            }
            None => out.push_str(&line(style, "period", &self.sentence)),
        }
        if let Some(seen) = self.seen {
            out.push_str(&line(style, "seen", &seen));
        }
        let max = match (self.max, self.period) {
            (Some(max), _) => format!("the greatest is {max}"),
            (None, Some(_)) => "there is no greatest".to_owned(),
            (None, None) => "none of this row are computed".to_owned(),
        };
        out.push_str(&line(style, "values", &max));
        out.push_str(&line(style, "method", &self.method));
        let why = match self.claim {
            Claim::Proved => "the theorem's conditions were checked on these values".to_owned(),
            _ => format!(
                "the values of these {place}s and no more; there may be a period all the same"
            ),
        };
        out.push_str(&line(style, "claim", &format!("{}: {why}", self.claim)));
        if let Some(file) = certificate {
            out.push_str(&line(
                style,
                "written",
                &format!("{}, for `grundy verify`", file.display()),
            ));
        }
        out
    }
}

/// The winning moves, and whether numbers in them are cut short.
fn moves(answer: &Answer, style: Style) -> (String, bool) {
    let game = answer.game();
    let shape = &game.shape;
    if answer.moves.is_empty() && answer.moves_total.is_zero() {
        let none = match (answer.end, answer.outcome.next_wins()) {
            (End::No, _) => "no winning move: every move leaves a position that the opponent wins",
            (End::Stuck, _) => "none: there is no move",
            (End::Decided, _) => "none: play has ended",
        };
        return (line(style, "moves", none), false);
    }
    let count = match &answer.moves_total {
        n if *n == 1 => "1 winning move".to_owned(),
        n => format!("{n} winning moves"),
    };
    let listed = Int::from(answer.moves.len());
    let count = if listed.is_zero() {
        format!("{count}, none listed (--limit 0)")
    } else if listed < answer.moves_total {
        let listed = if listed == 1 {
            String::new()
        } else {
            format!(" {listed}")
        };
        format!("{count}; the first{listed}:")
    } else {
        count
    };
    let mut out = line(style, "moves", &count);
    let many = answer.position.parts.len() > 1;
    let rows: Vec<[String; 3]> = answer
        .moves
        .iter()
        .map(|m| {
            let text = m.text(shape);
            let part = if many {
                format!("part {}: ", m.part + 1)
            } else {
                String::new()
            };
            let with = m.by.iter().flat_map(|r| &r.with);
            let with: Vec<String> = with
                .map(|(name, value)| format!("{name} = {}", shorten(&value_text(value), 24)))
                .collect();
            let rule = m.by.as_ref().filter(|_| game.moves.len() > 1);
            let rule = rule.map_or_else(String::new, |r| rule_text(game, r.index));
            [
                shorten(&format!("{part}{text}"), WIDTH),
                with.join(", "),
                shorten(&rule, 60),
            ]
        })
        .collect();
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    let cut = rows
        .iter()
        .any(|[text, with, _]| text.contains(CUT) || with.contains(CUT));
    for [text, with, rule] in &rows {
        let tail = format!("{with:second$}   {}", style.dim(rule));
        let row = format!("{:LABEL$}{text:first$}   {tail}", "");
        out.push_str(if rule.is_empty() {
            row[..].trim_end()
        } else {
            &row
        });
        if rule.is_empty() {
            out.truncate(out.trim_end().len());
        }
        out.push('\n');
    }
    (out, cut)
}

/// Stands where a text is cut.
const CUT: char = '…';
const IN_FULL: &str = "what is cut short here (…) stands in full in the answer with --json";

/// A text cut in its middle if it is longer than that.
pub fn shorten(text: &str, width: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= width {
        return text.to_owned();
    }
    let tail = width / 3;
    let head = width - tail - 1;
    let mut out: String = chars[..head].iter().collect();
    out.push(CUT);
    out.extend(&chars[chars.len() - tail..]);
    out
}

/// A text whose numbers are cut in their middles where they have more digits than half a line.
fn shorten_numbers(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let parts = chars.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    let short = parts.map(|part| {
        let part: String = part.iter().collect();
        if part.starts_with(|c: char| c.is_ascii_digit()) {
            shorten(&part, WIDTH / 2)
        } else {
            part
        }
    });
    short.collect()
}

/// A paragraph broken into lines.
fn wrap(text: &str, indent: &str, width: usize) -> String {
    let mut out = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            out.push_str(&format!("{indent}{line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    out.push_str(&format!("{indent}{line}\n"));
    out
}

/// The rules as a person reads them.
pub fn rules(game: &Game, style: Style) -> String {
    let mut out = String::new();
    for rule in 0..game.moves.len() {
        out.push_str(&format!("  {}\n", rule_text(game, rule)));
    }
    for end in &game.ends {
        let text = grundy::answer::one_line(game.source.slice(end.span));
        out.push_str(&format!("  {text}\n"));
    }
    out.push_str(&match game.play {
        Play::Normal => "  who cannot move loses: the last move wins\n".to_owned(),
        Play::Misere => format!(
            "  {}\n",
            style.warn("misère play: who cannot move wins, so the last move loses")
        ),
    });
    out
}

/// An answer and its reasons.
pub fn explanation(explanation: &Explanation, style: Style) -> String {
    let a = &explanation.answer;
    let game = a.game();
    let position = shorten(&game.shape.display_position(&a.position), WIDTH);
    let mut out = format!("{}: {}\n\n", style.bold(&game.title), style.bold(&position));
    out.push_str(&format!(
        "{}\n{}\n",
        style.bold("The rules"),
        rules(game, style)
    ));
    out.push_str(&format!("{}\n", style.bold("Theorems asked")));
    let width = explanation
        .asked
        .iter()
        .map(|x| x.theorem.name().len())
        .max()
        .unwrap_or(0);
    let mut used = false;
    for asked in &explanation.asked {
        let name = asked.theorem.name();
        let (mark, why) = match &asked.verdict {
            Ok(finding) if a.theorem.is_some_and(|t| t.name() == name) => {
                used = true;
                (
                    style.win("yes "),
                    format!("{finding}  [{}]", asked.theorem.source()),
                )
            }
            Ok(finding) if used => ("also".to_owned(), finding.clone()),
            Ok(finding) => match &explanation.refused {
                Some(why) => (
                    style.warn("but "),
                    format!("{finding}, but not for this position: {why}"),
                ),
                None => ("also".to_owned(), finding.clone()),
            },
            Err(why) => (style.dim("no  "), why.clone()),
        };
        let head = format!("  {mark}  {name:width$}  ");
        let indent = " ".repeat(2 + 4 + 2 + width + 2);
        let body = wrap(&why, &indent, WIDTH.saturating_sub(indent.len()).max(40));
        out.push_str(&head);
        out.push_str(&body[indent.len()..]);
    }
    if a.theorem.is_none() {
        let recognised = explanation.asked.iter().any(|x| x.verdict.is_ok());
        let why = match explanation.unasked {
            true if recognised => "but another engine was asked for:",
            false if recognised && explanation.refused.is_none() => {
                "but a sum is not decided by values here:"
            }
            _ => "so it was found by",
        };
        out.push_str(&wrap(
            &format!("{why} {}", a.method_title()),
            "  ",
            WIDTH - 2,
        ));
    }
    out.push_str(&format!("\n{}\n", style.bold("The argument")));
    let argument: Vec<String> = explanation
        .argument
        .iter()
        .map(|paragraph| shorten_numbers(paragraph))
        .collect();
    for paragraph in &argument {
        out.push_str(&wrap(paragraph, "  ", WIDTH - 2));
    }
    if explanation.argument != argument || position.contains(CUT) {
        out.push_str(&format!("\n{}\n", style.dim(IN_FULL)));
    }
    let letter = a.outcome.to_string();
    let letter = if a.outcome.next_wins() {
        style.win(&letter)
    } else {
        style.lose(&letter)
    };
    out.push_str(&format!(
        "\n{letter}: {} ({}, {})\n",
        a.verdict(),
        a.method_title(),
        a.claim()
    ));
    out
}

/// A table as text: rows of ten for one counter, a grid for two.
pub fn table(out: &mut dyn Write, table: &Table, style: Style) -> io::Result<()> {
    let widest = table
        .cells()
        .map(|(_, c)| cell(c.as_ref()).0.chars().count());
    let widest = widest.max().unwrap_or(1);
    let text = |one: Option<Cell>, word: &mut String| {
        let (text, lost) = cell(one.as_ref());
        word.push_str(&text);
        lost
    };
    let cells = table.cells().map(|(_, cell)| cell);
    grid(out, table, table.by_value(), widest, cells, text, style)
}

/// The same of a nim-sequence, whose cells are made as they are written.
pub fn sequence(out: &mut dyn Write, s: &Sequence, style: Style) -> io::Result<()> {
    let widest = s.largest().to_string().len() + 1;
    let cells = s.blocks().flat_map(|(_, values)| values);
    let text = |value: u64, word: &mut String| {
        decimal(value, word);
        word.push(if value == 0 { '*' } else { ' ' });
        value == 0
    };
    grid(out, &s.heading(), true, widest, cells, text, style)
}

/// A list of P-positions, one a line, as `each` finds them; the error within is that of writing.
pub fn positions(
    out: &mut dyn Write,
    found: &Positions,
    format: Format,
    warnings: &[Diagnostic],
    each: impl FnOnce(&mut Put<'_>) -> grundy::Result<io::Result<()>>,
) -> grundy::Result<io::Result<()>> {
    // What each number stands behind, between which, and what follows the last.
    let width = |(name, to): (&str, u64)| to.to_string().len().max(name.len());
    let widths: Vec<usize> = match format {
        Format::Text => found.axes().map(width).collect(),
        _ => found.axes().map(|_| 0).collect(),
    };
    let (head, between, tail) = match format {
        Format::Text => ("", "  ", "\n"),
        Format::Json => (",\n    [", ", ", "]"),
        _ => ("", ",", "\n"),
    };
    let names: Vec<&str> = found.axes().map(|(name, _)| name).collect();
    let begun = match format {
        Format::Text => {
            let names = names.iter().zip(&widths);
            let names: Vec<String> = names.map(|(name, w)| format!("{name:>w$}")).collect();
            writeln!(out, "{}", names.join(between))
        }
        Format::Json => open_list(found.heading(), crate::texts(warnings), "p_positions", out),
        _ => writeln!(out, "{}", names.join(",")),
    };
    if begun.is_err() {
        return Ok(begun);
    }
    let mut count = 0u64;
    let mut text = String::with_capacity(PIECE + 256);
    let written = each(&mut |at| {
        let head = if count == 0 {
            head.trim_start_matches(',')
        } else {
            head
        };
        text.push_str(head);
        for (i, (x, width)) in at.iter().zip(&widths).enumerate() {
            if i > 0 {
                text.push_str(between);
            }
            let digits = x.checked_ilog10().unwrap_or(0) as usize + 1;
            text.extend(iter::repeat_n(' ', width.saturating_sub(digits)));
            decimal(*x, &mut text);
        }
        text.push_str(tail);
        count += 1;
        if text.len() >= PIECE {
            out.write_all(text.as_bytes())?;
            text.clear();
        }
        Ok(())
    })?;
    if written.is_err() {
        return Ok(written);
    }
    match format {
        Format::Text => {
            let (method, claim) = found.method();
            let positions = if count == 1 {
                "P-position"
            } else {
                "P-positions"
            };
            text.push_str(&format!("\n{count} {positions} ({method}, {claim})\n"));
        }
        Format::Json => text.push_str(&format!("\n  ],\n  \"count\": {count}\n}}\n")),
        _ => {}
    }
    Ok(out.write_all(text.as_bytes()))
}

/// Bytes of a list that are written at a time.
const PIECE: usize = 1 << 16;

/// The text of a cell, and whether the player to move loses.
fn cell(cell: Option<&Cell>) -> (String, bool) {
    let Some(cell) = cell else {
        return ("·".to_owned(), false);
    };
    let lost = !cell.outcome.next_wins();
    match &cell.grundy {
        Some(value) => (format!("{value}{}", if lost { "*" } else { " " }), lost),
        None => (cell.outcome.to_string(), lost),
    }
}

/// Rows of cells; `text` writes one of them behind nothing, and says whether the player to move loses.
fn grid<T>(
    out: &mut dyn Write,
    table: &Table,
    by_value: bool,
    widest: usize,
    cells: impl Iterator<Item = T>,
    text: impl Fn(T, &mut String) -> bool,
    style: Style,
) -> io::Result<()> {
    let columns = match table.to[..] {
        [_] => 10,
        [.., last] => last as usize + 1,
        [] => 1,
    };
    let head_width = (columns - 1).to_string().len() + usize::from(by_value);
    let width = widest.max(head_width);
    let last_row = match table.to[..] {
        [n] => n / 10 * 10,
        [.., rows, _] => rows,
        [] => 0,
    };
    let corner = match &table.axes[..] {
        [.., row, column] => format!("{row} \\ {column}"),
        axes => axes.concat(),
    };
    let label = corner.chars().count().max(last_row.to_string().len());
    let pad = if by_value { " " } else { "" };
    let heads = (0..columns).map(|c| format!(" {:>width$}", format!("{c}{pad}")));
    let heads = format!("{corner:>label$}  {}", heads.collect::<String>());
    let heads = style.dim(heads.trim_end());
    // Of more than two counters, a grid for all values of those before the last two.
    let outer = table.axes.len().saturating_sub(2);
    let mut at = vec![0; outer];
    let headline = |out: &mut dyn Write, at: &[u64]| {
        let fixed = table.axes.iter().zip(at);
        let fixed: Vec<String> = fixed
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        if !fixed.is_empty() {
            writeln!(out, "{}", style.bold(&fixed.join(", ")))?;
        }
        writeln!(out, "{heads}")
    };
    headline(out, &at)?;
    let mut cells = cells.peekable();
    let mut row = 0;
    let (mut line, mut word) = (String::new(), String::new());
    while cells.peek().is_some() {
        line.clear();
        line.push_str(&style.dim(&format!("{row:>label$}")));
        line.push_str("  ");
        for cell in cells.by_ref().take(columns) {
            word.clear();
            let lost = text(cell, &mut word);
            let blanks = width.saturating_sub(word.chars().count());
            line.push(' ');
            if lost {
                line.push_str(&style.lose(&format!("{}{word}", " ".repeat(blanks))));
            } else {
                line.extend(iter::repeat_n(' ', blanks));
                line.push_str(&word);
            }
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        out.write_all(line.as_bytes())?;
        row += if table.to.len() == 1 { 10 } else { 1 };
        if outer > 0 && row > last_row && cells.peek().is_some() {
            row = 0;
            next(&mut at, &table.to);
            writeln!(out)?;
            headline(out, &at)?;
        }
    }
    let legend = if by_value {
        "Grundy values; * marks a P-position, where the player to move loses"
    } else {
        "N: the player to move wins; P: the player to move loses"
    };
    let values = if let Some(by) = table.values_by {
        &format!("; values: {by}, computed")
    } else if table.values_left_out {
        "; values left out: a table as large as this has outcomes only, ask for at most 100,000 cells"
    } else {
        ""
    };
    let note = format!("\n{legend} ({}, {}{values})\n", table.method, table.claim);
    out.write_all(style.dim(&note).as_bytes())
}

/// The catalogue, a line a game.
pub fn games(entries: &[Entry], style: Style) -> String {
    let width = entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for e in entries {
        let name = format!("{:width$}", e.name);
        let also = if e.aliases.is_empty() {
            String::new()
        } else {
            format!("  [{}]", e.aliases.join(", "))
        };
        out.push_str(&format!(
            "{}  {}{}\n",
            style.bold(&name),
            e.about,
            style.dim(&also)
        ));
    }
    out
}

/// One game: title, rules, facts, source.
pub fn game(game: &Game, entry: &Entry, style: Style) -> String {
    let mut out = format!(
        "{}\n{}\n",
        style.bold(&game.title),
        wrap(entry.about, "  ", WIDTH - 2)
    );
    let mut section = |title: &str, body: String| {
        if !body.is_empty() {
            out.push_str(&format!("{}\n{body}\n", style.bold(title)));
        }
    };
    section("Asked as", {
        let mut body = format!("  grundy solve {}\n", grundy::bind::usage(game));
        if !entry.aliases.is_empty() {
            body.push_str(&format!(
                "  it answers to {} too\n",
                entry.aliases.join(", ")
            ));
        }
        body
    });
    section("Rules", rules(game, style));
    let facts: String = game
        .expects
        .iter()
        .map(|e| {
            let text = grundy::answer::one_line(game.source.slice(e.span));
            format!("  {}\n", text.strip_prefix("expect ").unwrap_or(&text))
        })
        .collect();
    section("Facts", facts);
    let samples: String = game
        .samples
        .iter()
        .map(|(input, output)| format!("{}{}", block("in ", input), block("out", output)))
        .collect();
    section("Contest sample", samples);
    section(
        "Source",
        game.references
            .iter()
            .map(|r| wrap(r, "  ", WIDTH - 2))
            .collect(),
    );
    out.push_str(&style.dim(&format!("{}\n", entry.file)));
    out
}

fn block(label: &str, text: &str) -> String {
    text.lines()
        .enumerate()
        .map(|(i, line)| format!("  {}  {line}\n", if i == 0 { label } else { "   " }))
        .collect()
}
