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
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl Diagnostic {
    /// As printed, like a compiler would: code, line, caret, help.
    pub fn render(&self, _colour: bool) -> String {
        format!("{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Diagnostic {}
