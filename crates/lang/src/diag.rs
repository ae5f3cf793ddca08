//! Diagnostics: a code, where, what is wrong, and what to do about it.

use std::fmt;
use std::sync::Arc;

/// A range of bytes of a source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span {
            start: start as u32,
            end: end as u32,
        }
    }

    /// From the start of this to the end of the other.
    pub fn to(self, other: Span) -> Self {
        Span {
            start: self.start,
            end: other.end.max(self.start),
        }
    }

    /// As a range for slicing the text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A text and what to call it.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// A file name, or `<rule>` for an inline rule.
    pub label: String,
    /// The text itself.
    pub text: String,
    /// The number of its first line, 1 unless the text is an excerpt.
    pub first_line: u64,
}

impl Source {
    /// A named text.
    pub fn new(label: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Self::excerpt(label, text, 1)
    }

    /// A piece of a named text that starts at a line other than the first.
    pub fn excerpt(
        label: impl Into<String>,
        text: impl Into<String>,
        first_line: u64,
    ) -> Arc<Self> {
        Arc::new(Source {
            label: label.into(),
            text: text.into(),
            first_line,
        })
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The game cannot be used.
    Error,
    /// It can, but probably does not say what was meant.
    Warning,
}

/// One thing wrong with a text.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Which page of the reference explains it.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub message: String,
    /// Where: the first is the main place; each with what to say there.
    pub labels: Vec<(Span, String)>,
    /// Further facts (a cycle, the position at hand), one line each.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// The text that the spans are of.
    pub source: Arc<Source>,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal),* $(,)?) => {
        /// What kind of thing is wrong. Each has a page in the reference under its text form.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name),* }
        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];
            /// The code as printed, `G0101`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $code),* }
            }
        }
    };
}

codes! {
    /// A character that no rule uses.
    UnexpectedCharacter = "G0101",
    /// A quoted text without its closing quote, or a bad escape in it.
    BadText = "G0102",
    /// Something else was expected here.
    Syntax = "G0103",
    /// Brackets that do not match.
    Bracket = "G0104",
    /// Nested too deeply to read.
    TooDeep = "G0105",
    /// A part of the language that is not built yet.
    NotYet = "G0106",
    /// A code such as `0.77` or `subtract{1,2}` that is not well formed.
    BadCode = "G0107",
    /// A name that nothing defines.
    UnknownName = "G0201",
    /// A name that is already in use.
    Shadowed = "G0202",
    /// A statement that may stand only once.
    Repeated = "G0203",
    /// A statement that must be there.
    Missing = "G0204",
    /// Moves that depend on which player moves.
    Partizan = "G0205",
    /// A game that is not in the catalogue.
    UnknownGame = "G0206",
    /// A value of one type where another is needed.
    Type = "G0301",
    /// A pattern or a result that does not fit the position.
    Shape = "G0302",
    /// A name whose type nothing tells.
    Untyped = "G0303",
    /// A function called with the wrong number of arguments.
    ArgumentCount = "G0304",
    /// A position with an unbounded number of options.
    Unbounded = "G0401",
    /// Play that can go on for ever.
    Cycle = "G0402",
    /// A move that can leave the position space.
    LeavesSpace = "G0403",
    /// An index outside its list.
    IndexRange = "G0501",
    /// Division by zero.
    DivisionByZero = "G0502",
    /// A number too large for what it is used for.
    TooLarge = "G0503",
    /// The least or greatest of nothing.
    Empty = "G0504",
    /// A value outside what a function is defined on.
    OutsideDomain = "G0505",
    /// Too many or too few values given.
    ValueCount = "G0601",
    /// A value that is not of the kind needed.
    BadValue = "G0602",
    /// A name given a value that the game does not have, or twice, or not at all.
    BadArgument = "G0603",
    /// Input that makes no sense for the game.
    Requirement = "G0604",
    /// Input past the contest's limits.
    Limit = "G0605",
    /// A case of the judge's input that ends too early.
    Truncated = "G0701",
    /// A command that this game has not what it takes for.
    Unsupported = "G0702",
    /// The memory bound is met.
    Memory = "G0801",
    /// Stopped by the user.
    Interrupted = "G0802",
    /// A file that cannot be read or written.
    File = "G0803",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Diagnostic {
    /// An error without a place; add places with [`Diagnostic::at`].
    pub fn error(code: Code, source: &Arc<Source>, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            source: source.clone(),
        }
    }

    /// The same as a warning.
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// Adds a place and what to say there.
    pub fn at(mut self, span: Span, label: impl Into<String>) -> Self {
        self.labels.push((span, label.into()));
        self
    }

    /// Adds a fact.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// On one line and without the text that it is about: code, place if there is one, message, labels, notes and help.
    pub fn one_line(&self) -> String {
        let mut out = format!("{}: ", self.code.as_str());
        if let Some((main, _)) = self.labels.first() {
            let (line, column) = line_column(&self.source, *main);
            out.push_str(&format!("line {line}, column {column}: "));
        }
        let labels = self.labels.iter().map(|(_, text)| text);
        let said = std::iter::once(&self.message)
            .chain(labels)
            .chain(&self.notes)
            .chain(&self.help);
        let said: Vec<&str> = said.map(String::as_str).filter(|s| !s.is_empty()).collect();
        out.push_str(&visible(&said.join("; ")).replace('\n', " "));
        out
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

/// Line and column of the first character of a span, both from 1, the column in characters; the line is that of the
/// whole text if the source is an excerpt.
pub fn line_column(source: &Source, span: Span) -> (usize, usize) {
    let at = boundary(&source.text, span.start as usize);
    let line_start = source.text[..at].rfind('\n').map_or(0, |i| i + 1);
    let line = source.text[..line_start].matches('\n').count() + first_line(source);
    (line, source.text[line_start..at].chars().count() + 1)
}

/// The number of the first line, as the renderer counts.
fn first_line(source: &Source) -> usize {
    usize::try_from(source.first_line).unwrap_or(usize::MAX / 2)
}

/// The nearest character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Lines longer than this are shown in part.
const LINE_WIDTH: usize = 150;
/// So many characters before the main place are kept of a long line.
const BEFORE: usize = 50;

/// What is shown for a character: nothing that a terminal could obey.
fn push_visible(out: &mut String, c: char) {
    match c {
        '\t' => out.push_str("    "),
        '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or(' ')),
        '\u{7f}' => out.push('␡'),
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => out.push('\u{fffd}'),
        _ => out.push(c),
    }
}

fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' {
            out.push(c)
        } else {
            push_visible(&mut out, c)
        }
    }
    out
}

/// A label on one line: the line from 0, its bytes there, what it says.
struct Mark<'d> {
    line: usize,
    range: std::ops::Range<usize>,
    label: &'d str,
}

impl Diagnostic {
    /// As printed, like a compiler would: code, message, place, the line with carets, notes, help.
    ///
    /// Characters that a terminal could obey are shown as pictures of themselves, and of long lines only the part
    /// around the place is shown.
    pub fn render(&self, colour: bool) -> String {
        use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = level
            .primary_title(visible(&self.message).replace('\n', " "))
            .id(self.code.as_str());
        let mut group = annotate_snippets::Group::with_title(title);
        let mut place = None;
        if let Some((main, _)) = self.labels.first() {
            let path = visible(&self.source.label).replace('\n', " ");
            let (text, above, marks) = self.excerpt();
            // The renderer counts columns in the lines as shown; the place printed is that in the source.
            let (line, column) = line_column(&self.source, *main);
            let main_start = marks.first().map_or(0, |(range, _)| range.start);
            let shown_start = text[..main_start].rfind('\n').map_or(0, |i| i + 1);
            let shown_column = text[shown_start..main_start].chars().count() + 1;
            place = Some((
                format!("{path}:{line}:{shown_column}"),
                format!("{path}:{line}:{column}"),
            ));
            let mut snippet = Snippet::source(text)
                .line_start(above + first_line(&self.source))
                .path(path);
            for (i, (range, label)) in marks.into_iter().enumerate() {
                let kind = if i == 0 {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                let label = visible(label).replace('\n', " ");
                snippet = snippet
                    .annotation(kind.span(range).label((!label.is_empty()).then_some(label)));
            }
            group = group.element(snippet);
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(visible(note)));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(visible(help)));
        }
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let text = renderer.term_width(2 * LINE_WIDTH).render(&[group]);
        match place {
            Some((shown, real)) if shown != real => text.replacen(&shown, &real, 1),
            _ => text,
        }
    }

    /// The lines to show, the number of the first of them, and the labels' places in the lines shown.
    fn excerpt(&self) -> (String, usize, Vec<(std::ops::Range<usize>, &str)>) {
        let text = &self.source.text;
        let marks: Vec<Mark> = self
            .labels
            .iter()
            .map(|(span, label)| {
                let start = boundary(text, span.start as usize);
                let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
                let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
                let line_end = line_start + text[line_start..line_end].trim_end_matches('\r').len();
                let start = start.min(line_end);
                // A place of several lines is shown by its first.
                let end = boundary(text, span.end as usize).clamp(start, line_end);
                Mark {
                    line: text[..line_start].matches('\n').count(),
                    range: start - line_start..end - line_start,
                    label,
                }
            })
            .collect();
        let first = marks.iter().map(|m| m.line).min().unwrap_or(0);
        let last = marks.iter().map(|m| m.line).max().unwrap_or(0);
        let mut shown = String::new();
        let mut places = vec![0..0; marks.len()];
        for (number, line) in text.split('\n').enumerate().take(last + 1).skip(first) {
            let here: Vec<usize> = (0..marks.len())
                .filter(|&m| marks[m].line == number)
                .collect();
            let line = line.trim_end_matches('\r');
            let from = here.first().map_or(0, |&m| marks[m].range.start);
            let (cut_left, cut_right) = window(line, from);
            if cut_left > 0 {
                shown.push('…');
            }
            for &m in &here {
                places[m] = shown.len()..shown.len();
            }
            for (at, c) in line[cut_left..cut_right]
                .char_indices()
                .map(|(i, c)| (cut_left + i, c))
            {
                for &m in &here {
                    if at == marks[m].range.start {
                        places[m] = shown.len()..shown.len();
                    }
                }
                push_visible(&mut shown, c);
                for &m in &here {
                    let Mark { range, .. } = &marks[m];
                    if range.start <= at && at < range.end {
                        places[m].end = shown.len();
                    }
                }
            }
            for &m in &here {
                if marks[m].range.start >= cut_right {
                    places[m] = shown.len()..shown.len();
                }
            }
            if cut_right < line.len() {
                shown.push('…');
            }
            shown.push('\n');
        }
        let places = places
            .into_iter()
            .zip(marks.iter().map(|m| m.label))
            .collect();
        (shown, first, places)
    }
}

/// The bytes of a line that are shown: all of it, or a part around `from`.
fn window(line: &str, from: usize) -> (usize, usize) {
    if line.chars().nth(LINE_WIDTH).is_none() {
        return (0, line.len());
    }
    let left = line[..from]
        .char_indices()
        .rev()
        .nth(BEFORE - 1)
        .map_or(0, |(i, _)| i);
    let right = line[left..]
        .char_indices()
        .nth(LINE_WIDTH)
        .map_or(line.len(), |(i, _)| left + i);
    (left, right)
}

impl std::error::Error for Diagnostic {}
