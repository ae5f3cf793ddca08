//! Text to tokens, with brackets matched in advance.
//!
//! Matching first means that the parser can look past a bracket in one step, and that a missing bracket costs one
//! error in its own statement instead of swallowing the rest of the text. Signs from other notations (`≤`, `→`,
//! full-width commas) are reported and read as what they stand for.
//!
//! Cost: linear in the text; 16 bytes a token.

use std::sync::Arc;

use crate::diag::{Code, Diagnostic, Source, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum T {
    /// A name, or a word with a meaning only at some places (`move`, `sum`, `row`, …).
    Ident,
    /// A number.
    Int,
    /// A number with letters behind it, as in `2n`.
    NumName,
    /// A quoted text.
    Str,
    For,
    If,
    Else,
    In,
    And,
    Or,
    Not,
    With,
    True,
    False,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Comma,
    Semi,
    Colon,
    /// `|`
    Pipe,
    /// `->`
    Arrow,
    /// `..`
    DotDot,
    /// `...`
    Dots,
    /// `=`
    Assign,
    /// `+=`
    PlusAssign,
    /// `-=`
    MinusAssign,
    /// `==`
    EqEq,
    /// `!=`
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Plus,
    Minus,
    Star,
    /// `**`
    Power,
    /// `//`
    Div,
    Percent,
    Caret,
    /// `/`, which the language does not have.
    Slash,
    /// `=>`, which it does not have.
    FatArrow,
    /// `&` or `&&`, which it does not have.
    Amp,
    /// `||`, which it does not have.
    OrOr,
    /// `!`, which it does not have.
    Bang,
    /// `.`, which it does not have.
    Dot,
    /// Already reported.
    Bad,
    /// Behind the last token of the statement or of the text.
    End,
}

impl T {
    /// Whether the token opens a bracket.
    pub fn opens(self) -> bool {
        matches!(self, T::OpenParen | T::OpenBracket | T::OpenBrace)
    }

    /// Whether the token closes a bracket.
    pub fn closes(self) -> bool {
        matches!(self, T::CloseParen | T::CloseBracket | T::CloseBrace)
    }

    /// Whether a line that starts with this token continues the statement before it.
    pub(crate) fn continues(self) -> bool {
        use T::*;
        matches!(
            self,
            For | If
                | Else
                | And
                | Or
                | In
                | With
                | Arrow
                | FatArrow
                | Plus
                | Minus
                | Star
                | Power
                | Div
                | Slash
        ) || matches!(
            self,
            Percent | Caret | EqEq | Ne | Lt | Le | Gt | Ge | Amp | OrOr | DotDot
        )
    }
}

/// No partner.
pub const NONE: u32 = u32::MAX;

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: T,
    /// Whether it is the first of its line and does not continue the statement before it.
    pub fresh: bool,
    /// Where it stands.
    pub span: Span,
    /// The index of the bracket that belongs to it, or [`NONE`].
    pub mate: u32,
}

/// The words that start statements.
pub const STATEMENTS: [&str; 16] = [
    "game", "param", "start", "move", "play", "win", "lose", "input", "output", "require", "limit",
    "expect", "sample", "alias", "about", "source",
];

/// Tokens of a text, brackets matched, and what is wrong so far.
pub fn lex(source: &Arc<Source>) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer {
        source,
        text: &source.text,
        pos: 0,
        tokens: Vec::new(),
        errors: Vec::new(),
        line_start: true,
        line_end: 0,
    };
    lexer.run();
    let Lexer {
        mut tokens,
        mut errors,
        ..
    } = lexer;
    if !match_brackets(&mut tokens, source, None) {
        match_brackets(&mut tokens, source, Some(&mut errors));
    }
    (tokens, errors)
}

/// At most this many errors are kept: a text with more is not a rule at all, and their number must not make the output
/// grow faster than the text.
pub const MAX_ERRORS: usize = 50;

struct Lexer<'s> {
    source: &'s Arc<Source>,
    text: &'s str,
    pos: usize,
    tokens: Vec<Token>,
    errors: Vec<Diagnostic>,
    line_start: bool,
    line_end: usize,
}

impl Lexer<'_> {
    fn run(&mut self) {
        if self.text.starts_with('\u{feff}') {
            self.pos = 3;
        }
        while let Some(c) = self.text[self.pos..].chars().next() {
            match c {
                '\n' => {
                    self.line_start = true;
                    self.pos += 1;
                }
                '#' => self.pos = self.line_end(),
                _ if c.is_whitespace() => self.pos += c.len_utf8(),
                '0'..='9' => self.number(),
                _ if c == '_' || (c.is_alphabetic() && !is_full_width(c)) => self.word(),
                '"' => self.text_token(),
                '\'' | '“' | '”' | '„' | '‘' | '’' | '`' => self.foreign_quote(c),
                _ => self.sign(c),
            }
        }
    }

    /// The end of the line at hand. Kept, so that a long line of many texts is not searched from each of them.
    fn line_end(&mut self) -> usize {
        if self.line_end <= self.pos {
            let tail = &self.text[self.pos..];
            self.line_end = tail.find('\n').map_or(self.text.len(), |i| self.pos + i);
        }
        self.line_end
    }

    fn push(&mut self, kind: T, end: usize) {
        let fresh = self.line_start && !kind.continues();
        self.line_start = false;
        self.tokens.push(Token {
            kind,
            fresh,
            span: Span::new(self.pos, end),
            mate: NONE,
        });
    }

    fn error(&mut self, code: Code, span: Span, message: String, label: &str, help: &str) {
        if self.errors.len() < MAX_ERRORS {
            let mut error = Diagnostic::error(code, self.source, message).at(span, label);
            if !help.is_empty() {
                error = error.help(help);
            }
            self.errors.push(error);
        }
    }

    fn word_end(&self, from: usize) -> usize {
        let tail = &self.text[from..];
        let part = |c: char| c == '_' || (c.is_alphanumeric() && !is_full_width(c));
        tail.find(|c| !part(c))
            .map_or(self.text.len(), |i| from + i)
    }

    fn number(&mut self) {
        let digits_end = {
            let tail = &self.text[self.pos..];
            tail.find(|c: char| !c.is_ascii_digit())
                .map_or(self.text.len(), |i| self.pos + i)
        };
        let rest = &self.text.as_bytes()[digits_end..];
        if rest.first() == Some(&b'.') && rest.get(1).is_some_and(u8::is_ascii_digit) {
            let end = self.word_end(digits_end + 1);
            self.error(
                Code::Syntax,
                Span::new(self.pos, end),
                "a number with a point".into(),
                "numbers are whole",
                "compare products instead: `2*a < 3*b` for `a < 1.5*b`; a range is written `1..n`, with two points",
            );
            self.push(T::Bad, end);
            self.pos = end;
            return;
        }
        let end = self.word_end(digits_end);
        self.push(if end > digits_end { T::NumName } else { T::Int }, end);
        self.pos = end;
    }

    fn word(&mut self) {
        let end = self.word_end(self.pos);
        let kind = match &self.text[self.pos..end] {
            "for" => T::For,
            "if" => T::If,
            "else" => T::Else,
            "in" => T::In,
            "and" => T::And,
            "or" => T::Or,
            "not" => T::Not,
            "with" => T::With,
            "true" => T::True,
            "false" => T::False,
            _ => T::Ident,
        };
        let first = self.line_start;
        self.push(kind, end);
        let word = &self.text[self.pos..end];
        // `not in` is an operator, `until` belongs to the `input` before it.
        if first
            && (word == "until"
                || (kind == T::Not && self.text[end..].trim_start().starts_with("in ")))
        {
            let last = self.tokens.len() - 1;
            self.tokens[last].fresh = false;
        }
        self.pos = end;
    }

    fn text_token(&mut self) {
        let (start, line_end) = (self.pos, self.line_end());
        let mut bad_escape = None;
        let mut chars = self.text[start + 1..line_end].char_indices();
        let end = loop {
            match chars.next() {
                None => break None,
                Some((i, '"')) => break Some(start + 1 + i + 1),
                Some((i, '\\')) => match chars.next() {
                    Some((_, 'n' | 't' | '"' | '\\')) => {}
                    Some((j, c)) => {
                        bad_escape
                            .get_or_insert(Span::new(start + 1 + i, start + 1 + j + c.len_utf8()));
                    }
                    None => break None,
                },
                Some(_) => {}
            }
        };
        if let Some(span) = bad_escape {
            self.error(
                Code::BadText,
                span,
                "an escape that no text has".into(),
                "not an escape",
                "the escapes are `\\n`, `\\t`, `\\\"` and `\\\\`",
            );
        }
        let Some(end) = end else {
            let end = start + self.text[start..line_end].trim_end().len();
            self.error(
                Code::BadText,
                Span::new(start, end),
                "a text without its closing quote".into(),
                "starts here and does not end on this line",
                "close it with `\"`; a line break inside a text is written `\\n`",
            );
            self.push(T::Bad, end);
            self.pos = end;
            return;
        };
        self.push(T::Str, end);
        self.pos = end;
    }

    fn foreign_quote(&mut self, open: char) {
        let start = self.pos;
        let width = open.len_utf8();
        let line_end = self.line_end();
        let line = &self.text[start + width..line_end];
        let is_close = |c: char| match open {
            '\'' | '`' => c == open,
            '‘' | '’' => matches!(c, '‘' | '’'),
            _ => matches!(c, '“' | '”' | '„' | '"'),
        };
        let close = line.char_indices().find(|&(_, c)| is_close(c));
        let end = close.map_or(start + width, |(i, c)| start + width + i + c.len_utf8());
        if close.is_some() {
            self.error(
                Code::BadText,
                Span::new(start, end),
                format!("a text in `{open}` quotes"),
                "texts stand in double quotes",
                "write it between two `\"`",
            );
        } else {
            self.error(
                Code::UnexpectedCharacter,
                Span::new(start, end),
                format!("the character `{open}` has no meaning here"),
                "not part of the language",
                "texts stand in double quotes; names are letters, digits and `_`",
            );
        }
        self.push(if close.is_some() { T::Str } else { T::Bad }, end);
        self.pos = end;
    }

    fn sign(&mut self, c: char) {
        let bytes = &self.text.as_bytes()[self.pos..];
        let second = bytes.get(1).copied().unwrap_or(0);
        let third = bytes.get(2).copied().unwrap_or(0);
        if let Some((kind, length)) = ascii_sign(c, second, third) {
            self.push(kind, self.pos + length);
            self.pos += length;
            return;
        }
        let mut end = self.pos + c.len_utf8();
        if c == '\u{1b}' && second == b'[' {
            // A colour that came along when the text was copied from a terminal: all of it is one fault.
            let body = &self.text[self.pos + 2..];
            end = self.pos
                + 2
                + body
                    .bytes()
                    .take_while(|b| (0x20..0x40).contains(b))
                    .count();
            end += usize::from(
                self.text
                    .as_bytes()
                    .get(end)
                    .is_some_and(|b| (0x40..0x7f).contains(b)),
            );
        }
        let span = Span::new(self.pos, end);
        let (kinds, ascii): (&[T], &str) = match c {
            '≤' | '⩽' | '≦' => (&[T::Le], "<="),
            '≥' | '⩾' | '≧' => (&[T::Ge], ">="),
            '≠' => (&[T::Ne], "!="),
            '→' | '⇒' | '⟶' | '↦' | '➔' => (&[T::Arrow], "->"),
            '×' | '·' | '⋅' | '∗' => (&[T::Star], "*"),
            '÷' | '∕' => (&[T::Div], "//"),
            '−' | '–' | '—' | '‐' | '‑' => (&[T::Minus], "-"),
            '⊕' | '⊻' => (&[T::Caret], "^"),
            '∧' => (&[T::And], "and"),
            '∨' => (&[T::Or], "or"),
            '¬' => (&[T::Not], "not"),
            '∈' => (&[T::In], "in"),
            '∉' => (&[T::Not, T::In], "not in"),
            '…' => (&[T::Dots], "..."),
            '‥' => (&[T::DotDot], ".."),
            '、' => (&[T::Comma], ","),
            _ if is_full_width(c) => {
                let plain = char::from_u32(c as u32 - 0xfee0).unwrap_or('?');
                let kind = ascii_sign(plain, 0, 0).map_or(T::Bad, |(kind, _)| kind);
                self.error(
                    Code::UnexpectedCharacter,
                    span,
                    format!("the full-width character `{c}`"),
                    "full-width",
                    &format!("write `{plain}`"),
                );
                self.push(kind, end);
                self.pos = end;
                return;
            }
            _ => (&[], ""),
        };
        if kinds.is_empty() {
            let (message, help) = if c.is_control() || c.is_whitespace() || is_invisible(c) {
                let message = format!("an invisible character, U+{:04X}", c as u32);
                (message, "delete it")
            } else {
                let help = match c {
                    '@' | '$' => "names are letters, digits and `_`",
                    '~' => "`not` turns a condition round; numbers have no bits to flip",
                    '?' => "a choice is written `a if c else b`",
                    '\\' => "an integer division is `//`; a long line goes on inside brackets",
                    '⌊' | '⌋' => {
                        "`a // b` is rounded down; `isqrt(n)` is the root rounded down"
                    }
                    '√' => "`isqrt(n)` is the root rounded down",
                    '∞' => "write the bound that the position gives, for example `1..n`",
                    _ => "",
                };
                (format!("the character `{c}` has no meaning"), help)
            };
            self.error(
                Code::UnexpectedCharacter,
                span,
                message,
                "not part of the language",
                help,
            );
            self.push(T::Bad, end);
        } else {
            self.error(
                Code::UnexpectedCharacter,
                span,
                format!("the character `{c}` is not used"),
                "not part of the language",
                &format!("write `{ascii}`"),
            );
            for &kind in kinds {
                self.push(kind, end);
            }
        }
        self.pos = end;
    }
}

/// The sign that starts with these characters, and its length.
fn ascii_sign(c: char, second: u8, third: u8) -> Option<(T, usize)> {
    let two = |next: u8, long: T, short: T| {
        if second == next {
            (long, 2)
        } else {
            (short, 1)
        }
    };
    Some(match c {
        '(' => (T::OpenParen, 1),
        ')' => (T::CloseParen, 1),
        '[' => (T::OpenBracket, 1),
        ']' => (T::CloseBracket, 1),
        '{' => (T::OpenBrace, 1),
        '}' => (T::CloseBrace, 1),
        ',' => (T::Comma, 1),
        ';' => (T::Semi, 1),
        ':' => (T::Colon, 1),
        '%' => (T::Percent, 1),
        '^' => (T::Caret, 1),
        '.' if second == b'.' && third == b'.' => (T::Dots, 3),
        '.' => two(b'.', T::DotDot, T::Dot),
        '-' if second == b'=' => (T::MinusAssign, 2),
        '-' => two(b'>', T::Arrow, T::Minus),
        '+' => two(b'=', T::PlusAssign, T::Plus),
        '*' => two(b'*', T::Power, T::Star),
        '/' => two(b'/', T::Div, T::Slash),
        '=' if second == b'>' => (T::FatArrow, 2),
        '=' => two(b'=', T::EqEq, T::Assign),
        '!' => two(b'=', T::Ne, T::Bang),
        '<' => two(b'=', T::Le, T::Lt),
        '>' => two(b'=', T::Ge, T::Gt),
        '&' => two(b'&', T::Amp, T::Amp),
        '|' => two(b'|', T::OrOr, T::Pipe),
        _ => return None,
    })
}

fn is_full_width(c: char) -> bool {
    ('\u{ff01}'..='\u{ff5e}').contains(&c)
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Gives each bracket its partner; says whether all have one.
///
/// With `errors` the text is known to have a fault. Then a bracket also ends where no bracket can go on: before a
/// line that starts a statement, at `;` and at `->`. So the fault stays in its statement.
fn match_brackets(
    tokens: &mut [Token],
    source: &Arc<Source>,
    mut errors: Option<&mut Vec<Diagnostic>>,
) -> bool {
    let partner = |kind| match kind {
        T::CloseParen => T::OpenParen,
        T::CloseBracket => T::OpenBracket,
        _ => T::OpenBrace,
    };
    let slot = |kind| match kind {
        T::OpenParen => 0,
        T::OpenBracket => 1,
        _ => 2,
    };
    let strict = errors.is_none();
    let mut fault = false;
    let mut report = |what: Fault, at: &[Span]| {
        let Some(errors) = errors.as_deref_mut().filter(|e| e.len() < MAX_ERRORS) else {
            return;
        };
        let Some(&main) = at.first() else { return };
        let sign = source.slice(main);
        let error = |message: String| Diagnostic::error(Code::Bracket, source, message);
        let mut error = match what {
            Fault::Unclosed if at.len() == 1 => {
                error(format!("the bracket `{sign}` is not closed"))
                    .at(main, "opened here")
                    .help(format!("close it with `{}`", closing(sign)))
            }
            Fault::Unclosed => error(format!("{} brackets are not closed", at.len()))
                .at(main, "opened here")
                .help("close them, the last one opened first"),
            Fault::Stray => error(format!("`{sign}` closes nothing"))
                .at(main, "no bracket is open here")
                .help("delete it, or open the bracket before it"),
            Fault::Mixed => error(format!("a bracket closed with another kind, `{sign}`"))
                .at(main, "closed here")
                .help(format!(
                    "close it with `{}`",
                    at.get(1).map_or("", |&open| closing(source.slice(open)))
                )),
        };
        for &other in at.iter().skip(1).take(2) {
            error = error.at(
                other,
                if what == Fault::Mixed {
                    "opened here"
                } else {
                    "and here"
                },
            );
        }
        errors.push(error);
    };
    for token in tokens.iter_mut() {
        token.mate = NONE;
    }
    let mut open: Vec<usize> = Vec::new();
    let mut count = [0usize; 3];
    for i in 0..tokens.len() {
        let Token { kind, span, .. } = tokens[i];
        if !strict && !open.is_empty() && ends_all(tokens, source, i) {
            let lost: Vec<Span> = open.drain(..).map(|o| tokens[o].span).collect();
            report(Fault::Unclosed, &lost);
            count = [0; 3];
        }
        if kind.opens() {
            open.push(i);
            count[slot(kind)] += 1;
        } else if kind.closes() {
            let wanted = partner(kind);
            if count[slot(wanted)] == 0 {
                fault = true;
                match open.pop() {
                    Some(o) => {
                        count[slot(tokens[o].kind)] -= 1;
                        report(Fault::Mixed, &[span, tokens[o].span]);
                    }
                    None => report(Fault::Stray, &[span]),
                }
            } else {
                let mut lost = Vec::new();
                while let Some(o) = open.pop() {
                    count[slot(tokens[o].kind)] -= 1;
                    if tokens[o].kind == wanted {
                        tokens[o].mate = i as u32;
                        tokens[i].mate = o as u32;
                        break;
                    }
                    lost.push(tokens[o].span);
                }
                lost.reverse();
                fault |= !lost.is_empty();
                report(Fault::Unclosed, &lost);
            }
        }
        if strict && fault {
            return false;
        }
    }
    fault |= !open.is_empty();
    let lost: Vec<Span> = open.into_iter().map(|o| tokens[o].span).collect();
    report(Fault::Unclosed, &lost);
    !fault
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Unclosed,
    Stray,
    Mixed,
}

fn closing(open: &str) -> &'static str {
    match open {
        "(" => ")",
        "[" => "]",
        "{" => "}",
        "（" => ")",
        "［" => "]",
        _ => "}",
    }
}

/// Whether no bracket can reach past this token.
fn ends_all(tokens: &[Token], source: &Source, i: usize) -> bool {
    let token = tokens[i];
    match token.kind {
        T::Semi | T::Arrow => true,
        T::Ident if token.fresh && STATEMENTS.contains(&source.slice(token.span)) => {
            matches!(
                tokens.get(i + 1).map(|next| next.kind),
                Some(
                    T::Ident
                        | T::Int
                        | T::Str
                        | T::OpenParen
                        | T::OpenBrace
                        | T::OpenBracket
                        | T::If
                )
            )
        }
        _ => false,
    }
}
