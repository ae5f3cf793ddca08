//! Tokens to syntax tree: recursive descent with one function a construct, operators by binding strength.
//!
//! An error ends its statement and the next one is read, so each fault is reported once. Faults whose meaning is
//! clear (`=` for `==`, `&&` for `and`) are reported and read as meant. The words of the language other than the
//! operators are words only where they can be: `start -> start - 1` is a move of a counter named `start`.
//!
//! Cost: linear in the text. Recursion and the height of the tree are bounded (G0105), so that neither this nor a
//! later walk over the tree can run out of stack.

use std::sync::Arc;

use grundy_core::Int;

use crate::ast::*;
use crate::diag::{Code, Diagnostic, Source};
use crate::lexer::{MAX_ERRORS, NONE, STATEMENTS, T, Token, lex};
use crate::suggest::distance;

/// How deep brackets, prefixes and `else` branches may nest.
const MAX_NESTING: u32 = 150;
/// How high a tree may grow; `a + b + c` is two high.
const MAX_HEIGHT: u32 = 250;

/// Reads a text. The tree holds what could be read; with errors it is not the whole game.
pub fn parse(source: &Arc<Source>) -> (GameAst, Vec<Diagnostic>) {
    if u32::try_from(source.text.len()).is_err() {
        let error = Diagnostic::error(Code::TooLarge, source, "the text is longer than 4 GB");
        return (GameAst::default(), vec![error]);
    }
    let (tokens, errors) = lex(source);
    let mut parser = Parser {
        source,
        tokens,
        errors,
        pos: 0,
        start: 0,
        end: 0,
        nesting: 0,
        muted: false,
        pending: None,
        last_div: None,
        behind_pipe: false,
    };
    let game = parser.game();
    let mut errors = parser.errors;
    errors.sort_by_key(|e| e.labels.first().map(|l| l.0.start));
    (game, errors)
}

/// Marks that an error was reported and the statement is given up.
struct Bail;
type R<T> = Result<T, Bail>;

/// An expression and the height of its tree.
struct Node {
    expr: Expr,
    height: u32,
}

/// A domain and the height of its tree.
struct DomainNode {
    domain: Domain,
    height: u32,
    span: Span,
}

struct Parser<'s> {
    source: &'s Arc<Source>,
    tokens: Vec<Token>,
    errors: Vec<Diagnostic>,
    pos: usize,
    /// The tokens of the statement at hand are `start..end`.
    start: usize,
    end: usize,
    nesting: u32,
    /// The statement has a fault that the lexer reported, or one whose repair is a guess: report no more.
    muted: bool,
    /// An `if` without `else` behind an expression: a guard, if the place takes one.
    pending: Option<(Span, Node)>,
    /// The last `//`, which may have been meant as a comment.
    last_div: Option<Span>,
    behind_pipe: bool,
}

// Binding strengths, loosest first.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARE: u8 = 4;
const XOR: u8 = 5;
const ADD: u8 = 6;
const MUL: u8 = 7;
const NEG: u8 = 8;
const POW: u8 = 9;

/// A two-sided operator.
#[derive(Clone, Copy)]
enum Op {
    Or,
    And,
    Compare(CompareOp),
    In,
    NotIn,
    Arithmetic(BinaryOp),
}

/// The end of a list of statements' words for messages.
const STATEMENT_LIST: &str = "statements start with `param`, `start`, `move`, `play`, `win`, `lose`, `input`, `output`, \
                              `require`, `limit`, `expect`, `sample`, `alias`, `about` or `source`";

/// Words of layers that are not built yet, and what can be done today.
fn not_yet(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "tree" => (
            "positions that are trees",
            "a token that walks down a tree moves on a DAG: `param child[n][]`, then `v -> w for w in child[v]`",
        ),
        "graph" => (
            "positions that are graphs",
            "a token on an acyclic graph works: `param adj[n][]`, then `v -> w for w in adj[v]`",
        ),
        "grid" => (
            "positions that are grids",
            "one token's cell is a tuple `(row, column)`; a board of marks is an array with cell `row*width + column`",
        ),
        "every" => (
            "sums in which a move is made in every part",
            "write the parts as one tuple and move in all of them at once: `(a, b) -> (a - i, b - j) for i in 1..a, j in 1..b`",
        ),
        "selective" => (
            "sums in which a move is made in any number of parts",
            "write the parts as one tuple with one move for each choice of parts",
        ),
        "phase" => (
            "games in phases",
            "keep the phase in the position: `(n, phase) -> (n - k, 1) for k in 1..n if phase == 0`",
        ),
        "loopy" => (
            "play that can go on for ever",
            "count the turns left in the position, so that play ends: `(n, turns) -> (n + 1, turns - 1)`",
        ),
        _ => return None,
    })
}

impl Parser<'_> {
    // ---- tokens ----

    fn kind_at(&self, i: usize) -> T {
        if i < self.end {
            self.tokens[i].kind
        } else {
            T::End
        }
    }

    fn peek(&self) -> T {
        self.kind_at(self.pos)
    }

    fn peek2(&self) -> T {
        self.kind_at(self.pos + 1)
    }

    /// The place of the next token; behind the last one at the end of the statement.
    fn span(&self) -> Span {
        self.span_at(self.pos)
    }

    fn span_at(&self, i: usize) -> Span {
        if i < self.end {
            return self.tokens[i].span;
        }
        let end = self
            .end
            .checked_sub(1)
            .map_or(0, |last| self.tokens[last].span.end);
        Span { start: end, end }
    }

    fn text(&self, span: Span) -> &str {
        self.source.slice(span)
    }

    fn word(&self) -> &str {
        self.word_at(self.pos)
    }

    fn word_at(&self, i: usize) -> &str {
        if self.kind_at(i) == T::Ident {
            self.source.slice(self.tokens[i].span)
        } else {
            ""
        }
    }

    fn bump(&mut self) -> Span {
        let span = self.span();
        if self.peek() == T::Div {
            self.last_div = Some(span);
        }
        if self.pos < self.end {
            self.pos += 1;
        }
        span
    }

    fn eat(&mut self, kind: T) -> bool {
        let found = self.peek() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// Whether the token stands right behind the one before it.
    fn adjacent(&self, i: usize) -> bool {
        i > 0 && i < self.end && self.tokens[i - 1].span.end == self.tokens[i].span.start
    }

    /// The bracket that belongs to the one at `i`.
    fn mate(&self, i: usize) -> Option<usize> {
        let mate = self.tokens.get(i)?.mate;
        (mate != NONE && (mate as usize) < self.end).then_some(mate as usize)
    }

    fn since(&self, start: Span) -> Span {
        let last = self.pos.saturating_sub(1);
        start.to(self.tokens.get(last).map_or(start, |t| t.span))
    }

    fn expect(&mut self, kind: T, what: &str) -> R<Span> {
        if self.peek() == kind {
            Ok(self.bump())
        } else {
            Err(self.unexpected(what))
        }
    }

    fn ident(&mut self, what: &str) -> R<Ident> {
        if self.peek() != T::Ident {
            return Err(self.unexpected(what));
        }
        let span = self.bump();
        Ok(Ident {
            name: self.text(span).to_string(),
            span,
        })
    }

    fn quoted(&mut self, what: &str) -> R<Text> {
        if self.peek() != T::Str {
            if !matches!(self.peek(), T::Ident | T::Int | T::NumName) {
                return Err(self.unexpected(what));
            }
            let found = self.found(self.pos);
            let error = self.error(
                self.span(),
                format!("expected {what}, found {found}"),
                "not in quotes",
            );
            return self.fail(error.help("texts stand in double quotes"));
        }
        let span = self.bump();
        Ok(Text {
            text: unquote(self.text(span)),
            span,
        })
    }

    // ---- errors ----

    fn report(&mut self, error: Diagnostic) {
        if self.muted || self.errors.len() > MAX_ERRORS {
            return;
        }
        if self.errors.len() == MAX_ERRORS {
            self.errors.push(error.note("further errors are not shown"));
        } else {
            self.errors.push(error);
        }
    }

    fn error(
        &self,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(Code::Syntax, self.source, message).at(span, label)
    }

    fn fail<X>(&mut self, error: Diagnostic) -> R<X> {
        self.report(error);
        Err(Bail)
    }

    /// Reports a fault whose meaning is clear; reading goes on.
    fn mend(&mut self, span: Span, message: &str, label: &str, help: impl Into<String>) {
        let error = self.error(span, message, label).help(help);
        self.report(error);
    }

    /// What stands at `i`, for messages.
    fn found(&self, i: usize) -> String {
        if i < self.end {
            return format!("`{}`", clip(self.text(self.tokens[i].span)));
        }
        match self.tokens.get(i) {
            None => "the end of the text".into(),
            Some(t) if t.kind == T::Semi || t.kind == T::Pipe => format!("`{}`", self.text(t.span)),
            Some(_) => "the end of the line".into(),
        }
    }

    /// Reports that `what` was expected where the next token stands.
    fn unexpected(&mut self, what: &str) -> Bail {
        let found = self.found(self.pos);
        let span = self.span();
        let mut error = self.error(
            span,
            format!("expected {what}, found {found}"),
            format!("expected {what}"),
        );
        let help = self.help_for_found();
        error = error.help(match (help, self.peek()) {
            (Some(help), _) => help,
            (None, T::End) => format!("the text ends too early: go on with {what}"),
            (None, _) => format!(
                "put {what} here, or see whether a bracket or an operator is missing before it"
            ),
        });
        self.report(error);
        Bail
    }

    /// What to do about the token found, as far as it tells.
    fn help_for_found(&self) -> Option<String> {
        if self.last_div.is_some()
            && matches!(
                self.peek(),
                T::Ident | T::Int | T::Str | T::End | T::Dot | T::Bad
            )
        {
            return Some("`//` divides; a comment starts with `#`".into());
        }
        Some(match self.peek() {
            T::Ident => match self.word() {
                "xor" => "the nim-sum is written `a ^ b`".into(),
                "mod" => "the remainder is written `a % b`".into(),
                "div" => "the quotient, rounded down, is written `a // b`".into(),
                "where" | "when" | "while" | "unless" | "such" => "a guard is written `if CONDITION`".into(),
                "to" | "upto" | "until" => "a range is written `1..n`, both ends included".into(),
                "is" | "equals" => "equality is written `a == b`".into(),
                "from" | "over" => "a quantifier is written `for k in 1..n`".into(),
                "then" => "a choice is written `a if c else b`".into(),
                _ => return None,
            },
            T::Colon if self.kind_at(self.pos + 1) == T::Ident => "a quantifier is written `for k in 1..n if CONDITION`".into(),
            T::NumName => "names do not start with a digit".into(),
            T::Dots => "a range is written with two points: `1..n`".into(),
            T::For | T::If if self.pos == self.start => {
                "`for` and `if` follow a move's result; as a name choose another word".into()
            }
            kind if kind.closes() && self.kind_at(self.pos.wrapping_sub(1)) == T::Comma => "delete the comma".into(),
            T::Dot => "a range is written with two points: `1..n`; numbers are whole".into(),
            T::Else => "`else` belongs to `a if c else b`; where `if` would be a guard put brackets around it: `1..(a if c else b)`".into(),
            T::Arrow => "one move has one `->`; the next one starts on a new line, or behind `;` or `|`".into(),
            T::Semi => "a statement ends here, inside a bracket".into(),
            T::Pipe => "between conditions write `or`".into(),
            T::With => "`with` changes the position on its left: `x with x[i] -= k`".into(),
            T::End => match self.kind_at(self.pos.wrapping_sub(1)) {
                T::Comma if self.pos > self.start && self.pos < self.tokens.len() => {
                    "a statement ends with its line; it goes on inside brackets, or where the next line starts with an \
                     operator, `for` or `if`"
                        .into()
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    fn enter(&mut self) -> R<()> {
        self.nesting += 1;
        if self.nesting <= MAX_NESTING {
            return Ok(());
        }
        let span = self.span();
        self.fail(
            Diagnostic::error(Code::TooDeep, self.source, "nested too deeply")
                .at(span, format!("{MAX_NESTING} levels are open here"))
                .help("split the rule into several moves"),
        )
    }

    fn leave(&mut self) {
        self.nesting -= 1;
    }

    fn node(&mut self, kind: ExprKind, span: Span, height: u32) -> R<Node> {
        if height > MAX_HEIGHT {
            return self.fail(
                Diagnostic::error(
                    Code::TooDeep,
                    self.source,
                    "an expression of too many operators in one row",
                )
                .at(
                    span,
                    format!(
                        "more than {MAX_HEIGHT} operators, each on the result of the one before"
                    ),
                )
                .help("use `sum(…)`, `any(…)` or `k in {…}`, or split it with brackets"),
            );
        }
        Ok(Node {
            expr: Expr { kind, span },
            height,
        })
    }

    // ---- the game ----

    fn game(&mut self) -> GameAst {
        let mut game = GameAst::default();
        self.open_statement(0);
        if self.word() == "game" && !self.is_move_pattern() {
            self.header(&mut game);
        }
        let mut cut_off = false;
        while self.pos < self.tokens.len() {
            match self.tokens[self.pos].kind {
                T::Semi => {
                    self.open_statement(self.pos + 1);
                    continue;
                }
                T::Pipe => {
                    self.open_statement(self.pos + 1);
                    self.behind_pipe = true;
                    if self.pos == self.end {
                        let span = self.tokens[self.pos - 1].span;
                        let error = self
                            .error(span, "no move behind `|`", "a move must follow")
                            .help("`|` stands between moves; delete it");
                        self.report(error);
                        continue;
                    }
                }
                _ => self.open_statement(self.pos),
            }
            let span = self.tokens[self.start]
                .span
                .to(self.tokens[self.end - 1].span);
            if std::mem::take(&mut cut_off) && self.is_remainder() {
                self.pos = self.end;
                continue;
            }
            let kind = self.statement().unwrap_or(StatementKind::Error);
            self.pos = self.end;
            let last = self.tokens[self.end - 1].kind;
            cut_off =
                matches!(kind, StatementKind::Error) && (last == T::Comma || last.continues());
            game.statements.push(Statement { kind, span });
        }
        game
    }

    /// Whether this looks like the rest of a statement that was cut off at a line's end, which has been reported.
    fn is_remainder(&self) -> bool {
        let statement = STATEMENTS.contains(&self.word_at(self.start));
        !statement && !(self.start..self.end).any(|i| self.tokens[i].kind == T::Arrow)
    }

    /// Sets `start..end` to the statement that starts at `from`.
    fn open_statement(&mut self, from: usize) {
        self.start = from;
        self.pos = from;
        self.nesting = 0;
        self.pending = None;
        self.last_div = None;
        self.behind_pipe = false;
        self.muted = false;
        let mut i = from;
        while let Some(token) = self.tokens.get(i) {
            match token.kind {
                T::Semi | T::Pipe => break,
                _ if token.fresh && i > from => break,
                T::Bad => self.muted = true,
                kind if kind.opens() || kind.closes() => {
                    if token.mate == NONE || (token.mate as usize) < i {
                        self.muted = true;
                    } else {
                        for inner in &self.tokens[i..token.mate as usize] {
                            let lost =
                                (inner.kind.opens() || inner.kind.closes()) && inner.mate == NONE;
                            self.muted |= lost || inner.kind == T::Bad;
                        }
                        i = token.mate as usize;
                    }
                }
                _ => {}
            }
            i += 1;
        }
        self.end = i;
    }

    /// `game NAME "TITLE"`, perhaps with `:` and the first statement on the same line.
    fn header(&mut self, game: &mut GameAst) {
        let start = self.bump();
        match self.peek() {
            T::Ident => {
                let span = self.bump();
                game.name = Some(Ident {
                    name: self.text(span).to_string(),
                    span,
                });
            }
            T::NumName | T::Int => {
                let span = self.bump();
                self.mend(
                    span,
                    "a name that starts with a digit",
                    "not a name",
                    "start it with a letter or `_`",
                );
            }
            _ => {
                let help = "write `game NAME`, or leave the line out";
                self.mend(start, "a game without a name", "a name must follow", help);
                if self.peek() != T::Str && self.peek() != T::Colon {
                    self.pos = self.end;
                    return;
                }
            }
        }
        if self.peek() == T::Str
            && let Ok(title) = self.quoted("")
        {
            game.title = Some(title);
        }
        if self.eat(T::Colon) {
            let from = self.pos;
            // The statement may also stand on the line below the colon.
            self.open_statement(from);
            return;
        }
        if self.peek() != T::End {
            let found = self.found(self.pos);
            let help = match self.peek() {
                T::Minus | T::Dot => "names are letters, digits and `_`: write `_` for it",
                T::Arrow => {
                    "a move on the same line stands behind a colon: `game NAME: n -> n - 1`"
                }
                T::Ident => "a title stands in quotes: `game NAME \"TITLE\"`",
                _ => "after the name comes a title in quotes, `:` or the end of the line",
            };
            let span = self.span();
            self.mend(
                span,
                &format!("expected the end of the header, found {found}"),
                "does not belong here",
                help,
            );
            while !matches!(self.peek(), T::Colon | T::End) {
                self.pos = self
                    .mate(self.pos)
                    .filter(|&m| m > self.pos)
                    .unwrap_or(self.pos)
                    + 1;
            }
            if self.eat(T::Colon) {
                self.open_statement(self.pos);
                return;
            }
        }
        self.pos = self.end;
    }

    /// Whether the statement starts with a name as a move's pattern: `n ->`, `x[] ->`, `s{} ->`.
    fn is_move_pattern(&self) -> bool {
        let arrow = |i| matches!(self.kind_at(i), T::Arrow | T::FatArrow);
        if self.kind_at(self.start) != T::Ident {
            return false;
        }
        let next = self.start + 1;
        match self.kind_at(next) {
            T::OpenBracket | T::OpenBrace => self.mate(next) == Some(next + 1) && arrow(next + 2),
            _ => arrow(next),
        }
    }

    fn statement(&mut self) -> R<StatementKind> {
        let first = self.span();
        if self.peek() != T::Ident {
            let pattern = matches!(self.peek(), T::OpenParen | T::OpenBrace);
            if pattern || self.behind_pipe {
                return self.move_statement();
            }
            return match self.peek() {
                T::End => Err(self.unexpected("a statement")),
                T::Int | T::NumName | T::OpenBracket | T::Str | T::Minus => self.move_statement(),
                _ => Err(self.unexpected("a statement")),
            };
        }
        if self.is_move_pattern() {
            return self.move_statement();
        }
        let word = self.word().to_string();
        if self.behind_pipe && word != "move" {
            return self.move_statement();
        }
        if STATEMENTS.contains(&word.as_str()) {
            self.bump();
            return self.keyword(&word, first);
        }
        if let Some((what, help)) = not_yet(&word)
            && self.peek2() != T::End
        {
            return self.reserved(what, help);
        }
        // A name that is no keyword starts a move, unless what follows cannot be one.
        if matches!(self.peek2(), T::Arrow | T::FatArrow) {
            return self.move_statement();
        }
        let bracket = matches!(self.peek2(), T::OpenBracket | T::OpenBrace);
        let meant = meant_statement(&word);
        let alone = self.peek2() == T::End && word.len() > 3 && meant.is_some();
        let looks_like_keyword = alone
            || matches!(
                self.peek2(),
                T::Ident | T::Str | T::Int | T::OpenParen | T::If
            )
            || bracket && meant.is_some()
            || self.peek2() == T::OpenBrace && self.mate(self.pos + 1) != Some(self.pos + 2);
        if !looks_like_keyword {
            return self.move_statement();
        }
        let message = format!("no statement starts with `{}`", clip(&word));
        match meant {
            Some(meant) => {
                self.mend(
                    first,
                    &message,
                    "not a word of the language",
                    format!("write `{meant}`"),
                );
                self.muted = true;
                let keyword = meant.split(' ').next().unwrap_or(meant).to_string();
                if keyword == meant {
                    self.bump();
                }
                if keyword == "play" && keyword != meant {
                    return Ok(StatementKind::Error);
                }
                self.keyword(&keyword, first)
            }
            None => {
                let error = self
                    .error(first, message, "not a word of the language")
                    .help(format!("a move is written `PATTERN -> RESULT for k in 1..n`; other {STATEMENT_LIST}"));
                self.fail(error)
            }
        }
    }

    fn reserved(&mut self, what: &str, help: &str) -> R<StatementKind> {
        let word = self.ident("a word")?;
        let error = Diagnostic::error(
            Code::NotYet,
            self.source,
            format!("{what} are not built yet"),
        )
        .at(word.span, format!("`{}` is reserved for them", word.name))
        .help(help);
        let error = if what == "play that can go on for ever" {
            Diagnostic {
                message: "play that can go on for ever is not built yet".into(),
                labels: vec![(word.span, "`loopy` is reserved for it".into())],
                ..error
            }
        } else {
            error
        };
        self.report(error);
        self.muted = true;
        Ok(StatementKind::Reserved(word))
    }

    /// The statement that `word`, already read, starts.
    fn keyword(&mut self, word: &str, first: Span) -> R<StatementKind> {
        let kind = match word {
            "param" => self.param()?,
            "start" => return self.start(),
            "move" => return self.move_statement(),
            "play" => self.play()?,
            "win" | "lose" => self.win_or_lose(word == "win")?,
            "input" => {
                let items = self.input_items()?;
                let until = if self.word() == "until" {
                    self.bump();
                    Some(self.whole_expr()?)
                } else {
                    None
                };
                if items.is_empty() {
                    return Err(self.unexpected("a name to read"));
                }
                StatementKind::Input { items, until }
            }
            "output" => {
                let row = self.word() == "row" && self.starts_operand(self.pos + 1);
                if row {
                    self.bump();
                }
                StatementKind::Output {
                    row,
                    expr: self.whole_expr()?,
                }
            }
            "require" => {
                let condition = self.whole_expr()?;
                if self.peek() == T::Comma && self.peek2() == T::Str {
                    let span = self.bump();
                    self.mend(
                        span,
                        "no comma before the message",
                        "not needed",
                        "delete it",
                    );
                }
                let message = if self.peek() == T::Str {
                    Some(self.quoted("")?)
                } else {
                    None
                };
                StatementKind::Require { condition, message }
            }
            "limit" => {
                let mut limits = vec![self.whole_expr()?];
                while self.eat(T::Comma) {
                    limits.push(self.whole_expr()?);
                }
                StatementKind::Limit(limits)
            }
            "expect" => self.expect_statement()?,
            "sample" => {
                let input = self.quoted("the judge's input in quotes")?;
                self.arrow("`->` and the judge's output")?;
                let output = self.quoted("the judge's output in quotes")?;
                StatementKind::Sample { input, output }
            }
            "alias" => {
                let mut names = vec![self.ident("a name")?];
                while self.eat(T::Comma) {
                    names.push(self.ident("a name")?);
                }
                StatementKind::Alias(names)
            }
            "about" => StatementKind::About(self.quoted("a line in quotes")?),
            "source" => StatementKind::Source(self.quoted("where the game is from, in quotes")?),
            _ => {
                let error =
                    Diagnostic::error(Code::Repeated, self.source, "a second game in one text")
                        .at(first, "`game` stands only at the beginning")
                        .help("put it into a file of its own");
                return self.fail(error);
            }
        };
        self.finish(kind)
    }

    /// The statement must end here.
    fn finish(&mut self, kind: StatementKind) -> R<StatementKind> {
        if self.peek() == T::End {
            return Ok(kind);
        }
        Err(self.unexpected("the end of the statement"))
    }

    fn param(&mut self) -> R<StatementKind> {
        let mut params = Vec::new();
        loop {
            let name = self.ident("a parameter's name")?;
            let mut dims = Vec::new();
            while self.eat(T::OpenBracket) {
                dims.push(if self.peek() == T::CloseBracket {
                    None
                } else {
                    Some(self.whole_expr()?)
                });
                self.expect(T::CloseBracket, "`]`")?;
            }
            params.push(ParamDecl { name, dims });
            match self.peek() {
                T::Comma => {
                    self.bump();
                }
                T::Ident => {
                    let span = self.span();
                    let help = "write `param n, S, M[2*n]`";
                    self.mend(
                        span,
                        "parameters without a comma between them",
                        "a comma must stand before this",
                        help,
                    );
                }
                T::Colon => {
                    let span = self.bump();
                    for i in self.pos..self.end {
                        if let Some((what, help)) = not_yet(self.word_at(i)) {
                            self.pos = i;
                            return self.reserved(what, help);
                        }
                    }
                    let help =
                        "leave it out: a parameter's type follows from its use; a list is `M[]`";
                    let error = self
                        .error(span, "parameters have no type after them", "not needed")
                        .help(help);
                    return self.fail(error);
                }
                T::Assign => {
                    let span = self.span();
                    let help = "leave it out: values come from the command line or from `input`";
                    let error = self
                        .error(span, "parameters have no value here", "not possible")
                        .help(help);
                    return self.fail(error);
                }
                _ => return Ok(StatementKind::Param(params)),
            }
        }
    }

    fn start(&mut self) -> R<StatementKind> {
        if let Some((what, help)) = not_yet(self.word())
            && self.starts_operand(self.pos + 1)
        {
            return self.reserved(what, help);
        }
        let sum = self.word() == "sum" && self.starts_operand(self.pos + 1);
        if sum {
            self.bump();
        }
        let expr = self.whole_expr()?;
        if self.peek() == T::Arrow {
            let span = self.span();
            let error = self
                .error(span, "a start with an arrow", "a start has no result")
                .help("write `start POSITION` and `move PATTERN -> RESULT` on lines of their own");
            return self.fail(error);
        }
        if self.peek() == T::Comma {
            let span = self.span();
            let error = self
                .error(
                    span,
                    "a start of several counts without brackets",
                    "expected the end of the statement",
                )
                .help("write `(a, b)` for an ordered tuple, `{a, b}` for an unordered one");
            return self.fail(error);
        }
        self.finish(StatementKind::Start { sum, expr })
    }

    fn play(&mut self) -> R<StatementKind> {
        let word = self.word().to_string();
        let misere = match word.as_str() {
            "normal" => false,
            "misere" | "misère" => true,
            "" => return Err(self.unexpected("`normal` or `misere`")),
            _ => {
                if let Some((what, help)) = not_yet(&word) {
                    return self.reserved(what, help);
                }
                let span = self.span();
                let help = match closest(&word, &["normal", "misere"]) {
                    Some(word) => format!("write `{word}`"),
                    None => {
                        "`normal`: who cannot move loses; `misere`: who cannot move wins".into()
                    }
                };
                let message = format!("expected `normal` or `misere`, found `{}`", clip(&word));
                let error = self.error(span, message, "not a way to play").help(help);
                return self.fail(error);
            }
        };
        self.bump();
        Ok(StatementKind::Play { misere })
    }

    fn win_or_lose(&mut self, win: bool) -> R<StatementKind> {
        let word = if win { "win" } else { "lose" };
        let pattern = if self.peek() == T::If {
            None
        } else {
            Some(self.pattern()?)
        };
        if self.peek() != T::If {
            let found = self.found(self.pos);
            let span = self.span();
            let error = self
                .error(
                    span,
                    format!("expected `if`, found {found}"),
                    "expected `if`",
                )
                .help(format!(
                    "write `{word} if CONDITION` or `{word} PATTERN if CONDITION`"
                ));
            return self.fail(error);
        }
        self.bump();
        let condition = self.whole_expr()?;
        Ok(StatementKind::End {
            win,
            pattern,
            condition,
        })
    }

    fn input_items(&mut self) -> R<Vec<InputItem>> {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                T::Ident if self.word() == "until" => return Ok(items),
                T::Ident if self.word() == "repeat" && self.peek2() == T::Ident => {
                    self.bump();
                    let name = self.ident("a name")?;
                    self.expect(T::Colon, "`:`")?;
                    self.enter()?;
                    let rest = self.input_items()?;
                    self.leave();
                    if rest.is_empty() {
                        return Err(self.unexpected("what is repeated"));
                    }
                    items.push(InputItem::Repeat(name, rest));
                    return Ok(items);
                }
                T::Ident => {
                    let name = self.ident("a name")?;
                    items.push(self.input_item(name)?);
                }
                T::OpenParen => {
                    self.bump();
                    let mut names = vec![self.ident("a name")?];
                    while self.peek() != T::CloseParen {
                        if self.peek() == T::Comma {
                            self.no_commas();
                        }
                        names.push(self.ident("a name or `)`")?);
                    }
                    self.bump();
                    self.expect(T::OpenBracket, "`[` and the number of rows")?;
                    let rows = self.whole_expr()?;
                    self.expect(T::CloseBracket, "`]`")?;
                    items.push(InputItem::Rows(names, rows));
                }
                T::Comma if !items.is_empty() => self.no_commas(),
                _ => return Ok(items),
            }
        }
    }

    fn no_commas(&mut self) {
        let span = self.bump();
        self.mend(
            span,
            "no commas in an input",
            "not needed",
            "write the names as they are read: `input n S M[2*n]`",
        );
    }

    fn input_item(&mut self, name: Ident) -> R<InputItem> {
        if !self.eat(T::OpenBracket) {
            return Ok(InputItem::Scalar(name));
        }
        if self.eat(T::CloseBracket) {
            return Ok(InputItem::Array(name, None));
        }
        let length = self.whole_expr()?;
        self.expect(T::CloseBracket, "`]`")?;
        if self.peek() != T::OpenBracket {
            return Ok(InputItem::Array(name, Some(length)));
        }
        let open = self.bump();
        if self.peek() != T::CloseBracket {
            let error = self
                .error(open, "an input of rows and columns", "expected `[]`")
                .help(
                    "`x[n][]` reads n lists, each after its own length; `x[n*m]` reads n*m numbers",
                );
            return self.fail(error);
        }
        self.bump();
        Ok(InputItem::Lists(name, length))
    }

    fn expect_statement(&mut self) -> R<StatementKind> {
        let mut args = Vec::new();
        while !matches!(self.peek(), T::Arrow | T::FatArrow | T::End) {
            if self.peek() == T::Ident && self.peek2() == T::Assign {
                let name = self.ident("a name")?;
                self.bump();
                args.push(ExpectArg::Named(name, self.literal()?));
            } else {
                args.push(ExpectArg::Positional(self.literal()?));
            }
            if self.peek() == T::Comma {
                let span = self.bump();
                let help = "write them as on the command line: `expect n=1 M=[4,4] -> lose`";
                self.mend(span, "no commas between arguments", "not needed", help);
            }
        }
        self.arrow("`->` and what must come out")?;
        let answer = match self.word() {
            "win" => ExpectAnswer::Win,
            "lose" => ExpectAnswer::Lose,
            _ if self.peek() == T::Int => {
                let span = self.bump();
                return self.finish(StatementKind::Expect {
                    args,
                    answer: ExpectAnswer::Value(self.int(span)),
                });
            }
            word => {
                let help = match word {
                    "N" | "n" | "first" | "wins" | "winning" | "true" => {
                        "write `win`: the player to move wins"
                    }
                    "P" | "p" | "second" | "loses" | "losing" | "loss" => {
                        "write `lose`: the player to move loses"
                    }
                    _ => "`win`: the player to move wins; `lose`; or a Grundy value, `-> 3`",
                };
                let found = self.found(self.pos);
                let message = format!("expected `win`, `lose` or a Grundy value, found {found}");
                let error = self.error(self.span(), message, "not an answer").help(help);
                return self.fail(error);
            }
        };
        self.bump();
        Ok(StatementKind::Expect { args, answer })
    }

    fn literal(&mut self) -> R<Literal> {
        match self.peek() {
            T::Int => {
                let span = self.bump();
                Ok(Literal::Int(self.int(span), span))
            }
            T::Minus if self.peek2() == T::Int => {
                let minus = self.bump();
                let span = self.bump();
                Ok(Literal::Int(-&self.int(span), minus.to(span)))
            }
            T::Str => Ok(Literal::Str(self.quoted("")?)),
            T::OpenBracket => {
                self.enter()?;
                let start = self.bump();
                let mut items = Vec::new();
                if self.peek() != T::CloseBracket {
                    items.push(self.literal()?);
                    while self.eat(T::Comma) {
                        items.push(self.literal()?);
                    }
                }
                self.expect(T::CloseBracket, "`,` or `]`")?;
                self.leave();
                Ok(Literal::List(items, self.since(start)))
            }
            T::Ident => {
                let span = self.span();
                let word = self.word().to_string();
                let error = self
                    .error(
                        span,
                        format!("expected a value, found `{}`", clip(&word)),
                        "expected a value",
                    )
                    .help(format!(
                        "a named argument is `{0}=1`, a text is `\"{0}\"`",
                        clip(&word)
                    ));
                self.fail(error)
            }
            T::OpenParen | T::OpenBrace => {
                let span = self.span();
                let error = self
                    .error(span, "a position in an `expect`", "expected a value")
                    .help("arguments stand as on the command line: numbers, texts and lists, `expect 14 9 -> win`");
                self.fail(error)
            }
            _ => Err(self.unexpected("a value: a number, a text or a list")),
        }
    }

    fn int(&self, span: Span) -> Int {
        decimal(self.text(span))
    }

    // ---- moves ----

    /// `->`, or what some write for it.
    fn arrow(&mut self, what: &str) -> R<()> {
        match self.peek() {
            T::Arrow => {
                self.bump();
                Ok(())
            }
            T::FatArrow => {
                let span = self.bump();
                self.mend(
                    span,
                    "`=>` is not used",
                    "not part of the language",
                    "write `->`",
                );
                Ok(())
            }
            T::Lt if self.peek2() == T::Minus && self.adjacent(self.pos + 1) => {
                let span = self.bump().to(self.bump());
                let help = "the position moved from stands on the left, the one moved to on the right: `n -> n - 1`";
                let error = self
                    .error(span, "an arrow to the left", "write `->`")
                    .help(help);
                self.fail(error)
            }
            T::Minus if self.peek2() == T::Gt => {
                let span = self.bump().to(self.bump());
                self.mend(
                    span,
                    "an arrow with a blank in it",
                    "write `->`",
                    "write it without the blank",
                );
                Ok(())
            }
            T::Minus if self.kind_at(self.pos + 1) == T::Arrow && self.adjacent(self.pos + 1) => {
                let span = self.bump().to(self.bump());
                self.mend(
                    span,
                    "`-->` is not used",
                    "not part of the language",
                    "write `->`",
                );
                Ok(())
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn move_statement(&mut self) -> R<StatementKind> {
        if self.behind_pipe && self.word() == "move" && !self.is_move_pattern() {
            self.bump();
        }
        if let Some((what, help)) = not_yet(self.word())
            && self.starts_operand(self.pos + 1)
            && !matches!(self.peek2(), T::OpenBracket | T::OpenBrace)
        {
            return self.reserved(what, help);
        }
        let pattern = self.pattern()?;
        if self.peek() == T::Comma {
            let span = self.span();
            let error = self
                .error(
                    span,
                    "a position of several counts without brackets",
                    "expected `->`",
                )
                .help("write `(a, b)` for an ordered tuple, `{a, b}` for an unordered one");
            return self.fail(error);
        }
        if !matches!(self.peek(), T::Arrow | T::FatArrow | T::Lt | T::Minus) || self.not_an_arrow()
        {
            let found = self.found(self.pos);
            let span = self.span();
            let mut error = self.error(
                span,
                format!("expected `->`, found {found}"),
                "expected `->`",
            );
            error = match self.peek() {
                _ if self.behind_pipe => error.help(
                    "behind `|` stands a whole move with its own pattern, `| n -> n - 2`; between conditions write `or`",
                ),
                T::Assign => error.help("a move is written `n -> n - 1`"),
                T::If | T::For => error.help("a move is written `PATTERN -> RESULT for … if …`, guards behind the result"),
                T::Plus | T::Minus | T::Star | T::Div | T::Slash | T::Percent | T::Caret | T::OpenBracket => error.help(
                    "the left side is a pattern of names, such as `n`, `(a, b)`, `{a, ...}` or `x[]`; conditions go \
                     behind the result: `if n % 2 == 0`",
                ),
                _ => error.help("a move is written `PATTERN -> RESULT`, for example `n -> n - k for k in 1..3`"),
            };
            return self.fail(error);
        }
        self.arrow("`->`")?;
        let result_start = self.pos;
        let result = self.expr()?;
        let result = match result.expr.kind {
            ExprKind::List(items) if self.tokens[result_start].kind == T::OpenBracket => {
                let mut items = items;
                match items.pop() {
                    Some(Expr {
                        kind: ExprKind::Comprehension(part, clauses),
                        ..
                    }) => MoveResult::SumOver(*part, clauses),
                    Some(last) => {
                        items.push(last);
                        MoveResult::Sum(items)
                    }
                    None => MoveResult::Sum(items),
                }
            }
            kind => MoveResult::One(Expr {
                kind,
                span: result.expr.span,
            }),
        };
        if self.peek() == T::Comma && self.pending.is_none() {
            let span = self.span();
            if matches!(self.peek2(), T::For | T::If) {
                self.bump();
                self.mend(
                    span,
                    "no comma before `for` and `if`",
                    "not needed",
                    "delete it",
                );
            } else {
                let error = self
                    .error(span, "a position of several counts without brackets", "expected `for`, `if` or the end")
                    .help("write `(a, b)` for an ordered tuple, `{a, b}` for an unordered one, `[a, b]` for a sum");
                return self.fail(error);
            }
        }
        let (clauses, _) = self.clauses()?;
        if self.peek() != T::End {
            return Err(self.unexpected("`for`, `if` or the end of the move"));
        }
        Ok(StatementKind::Move(MoveAst {
            pattern,
            result,
            clauses,
        }))
    }

    /// Whether `<` or `-` stands where an arrow should and is not the beginning of a misspelt one.
    fn not_an_arrow(&self) -> bool {
        let second = self.peek2();
        match self.peek() {
            T::Lt => second != T::Minus || !self.adjacent(self.pos + 1),
            T::Minus => !(second == T::Gt || second == T::Arrow && self.adjacent(self.pos + 1)),
            _ => false,
        }
    }

    fn pattern(&mut self) -> R<Pattern> {
        self.enter()?;
        let pattern = match self.peek() {
            T::Ident => {
                let name = self.ident("a pattern")?;
                let empty = self.mate(self.pos) == Some(self.pos + 1);
                match self.peek() {
                    T::OpenBracket if empty => {
                        self.pos += 2;
                        Pattern::Array(name)
                    }
                    T::OpenBrace if empty => {
                        self.pos += 2;
                        Pattern::Set(name)
                    }
                    T::OpenBracket => {
                        let span = self.span();
                        let error = self
                            .error(span, "an index in a pattern", "expected `[]`")
                            .help(format!(
                                "`{}[]` is the whole array; its length is `len({0})`",
                                clip(&name.name)
                            ));
                        return self.fail(error);
                    }
                    _ => Pattern::Name(name),
                }
            }
            T::OpenParen => {
                let start = self.bump();
                let mut members = vec![self.pattern()?];
                while self.eat(T::Comma) {
                    members.push(self.pattern()?);
                }
                if self.peek() == T::Dots {
                    return Err(self.dots_in_parens());
                }
                self.expect(T::CloseParen, "`,` or `)`")?;
                match members.pop() {
                    Some(only) if members.is_empty() => only,
                    last => {
                        members.extend(last);
                        Pattern::Tuple(members, self.since(start))
                    }
                }
            }
            T::OpenBrace => {
                let start = self.bump();
                let (mut members, mut rest) = (Vec::new(), false);
                loop {
                    if self.eat(T::Dots) {
                        rest = true;
                        break;
                    }
                    members.push(self.pattern()?);
                    if !self.eat(T::Comma) {
                        break;
                    }
                }
                if self.peek() == T::Dots {
                    let span = self.span();
                    let help = "write `{a, ...}`: `...` stands for the members that are not named";
                    let error = self
                        .error(span, "`...` behind a name in a pattern", "expected `,`")
                        .help(help);
                    return self.fail(error);
                }
                self.expect(T::CloseBrace, "`,` or `}`")?;
                Pattern::Brace {
                    members,
                    rest,
                    span: self.since(start),
                }
            }
            T::Dots => return Err(self.dots_in_parens()),
            T::Int | T::NumName | T::Str | T::True | T::False | T::Minus => {
                let span = self.span();
                let error = self
                    .error(span, "a value in a pattern", "expected a name")
                    .help("a pattern names the counts; what they must be is a guard behind the result: `if n == 0`");
                return self.fail(error);
            }
            T::OpenBracket => {
                let span = self.span();
                let error = self
                    .error(span, "a bracket `[` in a pattern", "expected a pattern")
                    .help(
                        "an array is `x[]`, an ordered tuple `(a, b)`, an unordered one `{a, b}`",
                    );
                return self.fail(error);
            }
            T::For | T::If | T::Else | T::In | T::And | T::Or | T::Not | T::With => {
                let found = self.found(self.pos);
                let span = self.span();
                let error = self
                    .error(
                        span,
                        format!("expected a pattern, found {found}"),
                        "a word of the language",
                    )
                    .help("choose another name");
                return self.fail(error);
            }
            _ => return Err(self.unexpected("a pattern")),
        };
        self.leave();
        Ok(pattern)
    }

    fn dots_in_parens(&mut self) -> Bail {
        let span = self.span();
        let error = self
            .error(span, "`...` outside `{ }`", "not possible here")
            .help("heaps in no order are `{a, ...}`; an array of any length is `x[]`");
        self.report(error);
        Bail
    }

    /// `for` and `if`, with the guard that an expression before them has left.
    fn clauses(&mut self) -> R<(Vec<Clause>, u32)> {
        let (mut clauses, mut height) = (Vec::new(), 0);
        if let Some((_, guard)) = self.pending.take() {
            height = guard.height;
            clauses.push(Clause::If(guard.expr));
        }
        loop {
            match self.peek() {
                T::If => {
                    self.bump();
                    let guard = self.binary(OR)?;
                    height = height.max(guard.height);
                    clauses.push(Clause::If(guard.expr));
                }
                T::For => {
                    self.bump();
                    loop {
                        height = height.max(self.quantifier(&mut clauses)?);
                        if !self.next_quantifier() {
                            break;
                        }
                        self.bump();
                    }
                }
                T::Comma if matches!(self.peek2(), T::For | T::If) && !clauses.is_empty() => {
                    let span = self.bump();
                    self.mend(
                        span,
                        "no comma before `for` and `if`",
                        "not needed",
                        "delete it",
                    );
                }
                _ => return Ok((clauses, height)),
            }
        }
    }

    /// Whether a comma and another `NAME in` follow.
    fn next_quantifier(&self) -> bool {
        self.peek() == T::Comma
            && match self.peek2() {
                T::Ident => matches!(self.kind_at(self.pos + 2), T::In | T::Assign | T::Ident),
                T::OpenParen => self
                    .mate(self.pos + 1)
                    .is_some_and(|m| self.kind_at(m + 1) == T::In),
                _ => false,
            }
    }

    fn quantifier(&mut self, clauses: &mut Vec<Clause>) -> R<u32> {
        let names = if self.eat(T::OpenParen) {
            let mut names = vec![self.ident("a name")?];
            while self.eat(T::Comma) {
                names.push(self.ident("a name")?);
            }
            self.expect(T::CloseParen, "`,` or `)`")?;
            names
        } else {
            vec![self.ident("a name to range over values")?]
        };
        if self.peek() == T::Comma
            && self.peek2() == T::Ident
            && self.kind_at(self.pos + 2) != T::Assign
        {
            let span = self.span();
            let error = self
                .error(span, "a quantifier without its range", "expected `in`")
                .help("each name has its range: `for i in 1..n, j in 1..n`; the members of tuples are `for (v, w) in arcs`");
            return self.fail(error);
        }
        if self.peek() != T::In {
            let found = self.found(self.pos);
            let span = self.span();
            let error = self
                .error(
                    span,
                    format!("expected `in`, found {found}"),
                    "expected `in`",
                )
                .help("a quantifier is written `for k in 1..n`, both ends included");
            return self.fail(error);
        }
        self.bump();
        let domain = self.domain()?;
        if matches!(domain.domain, Domain::Range(_, None)) && matches!(self.peek(), T::DotDot) {
            return Err(self.unexpected("the upper end of the range"));
        }
        clauses.push(Clause::For {
            names,
            domain: domain.domain,
        });
        Ok(domain.height)
    }

    /// `lo..hi`, or a list or set. Binds tighter than comparisons, so that `if` behind it is a guard.
    fn domain(&mut self) -> R<DomainNode> {
        if self.peek() == T::DotDot {
            let span = self.span();
            let error = self
                .error(
                    span,
                    "a range without its lower end",
                    "a number must stand before `..`",
                )
                .help("write `0..n` or `1..n`");
            return self.fail(error);
        }
        let lo = self.binary(XOR)?;
        let mut span = lo.expr.span;
        if self.peek() == T::Dots {
            let dots = self.span();
            self.mend(
                dots,
                "a range with three points",
                "write `..`",
                "a range is `1..n`, both ends included",
            );
        } else if self.peek() != T::DotDot {
            let height = lo.height;
            let domain = Domain::Members(lo.expr);
            return Ok(DomainNode {
                domain,
                height,
                span,
            });
        }
        span = span.to(self.bump());
        if matches!(self.peek(), T::Assign | T::Lt | T::Le) {
            let wrong = self.span();
            let help = "both ends are included: `1..n` goes to n, `1..n-1` stops before it";
            self.mend(wrong, "a range with a sign at its end", "not needed", help);
            self.bump();
        }
        if !self.starts_operand(self.pos) {
            let (domain, height) = (Domain::Range(lo.expr, None), lo.height);
            return Ok(DomainNode {
                domain,
                height,
                span,
            });
        }
        let hi = self.binary(XOR)?;
        if self.peek() == T::DotDot {
            let wrong = self.span();
            let error = self
                .error(wrong, "a range with a step", "a range has two ends")
                .help("choose among its members with a guard: `for k in 1..n if k % 2 == 1`");
            return self.fail(error);
        }
        let height = lo.height.max(hi.height);
        let span = span.to(hi.expr.span);
        let domain = Domain::Range(lo.expr, Some(hi.expr));
        Ok(DomainNode {
            domain,
            height,
            span,
        })
    }

    // ---- expressions ----

    /// Whether an operand can start with the token at `i`.
    fn starts_operand(&self, i: usize) -> bool {
        match self.kind_at(i) {
            T::Ident | T::Int | T::NumName | T::Str | T::True | T::False | T::Not | T::Bang => true,
            T::OpenParen | T::OpenBrace => true,
            // `row[0]` and `sum - 1` go on with a name.
            T::OpenBracket | T::Minus => {
                i == self.pos || !self.adjacent(i) && self.kind_at(i) == T::OpenBracket
            }
            _ => false,
        }
    }

    /// An expression where no guard can follow.
    fn whole_expr(&mut self) -> R<Expr> {
        Ok(self.whole_node()?.expr)
    }

    fn whole_node(&mut self) -> R<Node> {
        let node = self.expr()?;
        self.no_guard();
        Ok(node)
    }

    fn no_guard(&mut self) {
        if let Some((span, _)) = self.pending.take() {
            let help = "a choice is written `a if c else b`";
            self.mend(span, "`if` without `else`", "no `else` follows", help);
        }
    }

    /// An expression; an `if` without `else` behind it is left in `pending`.
    fn expr(&mut self) -> R<Node> {
        let mut base = self.ternary()?;
        while self.pending.is_none() && self.eat(T::With) {
            let (mut updates, mut height) = (Vec::new(), base.height);
            loop {
                height = height.max(self.update(&mut updates)?);
                let more = self.pending.is_none()
                    && self.peek() == T::Comma
                    && self.is_update(self.pos + 1);
                if !more {
                    break;
                }
                self.bump();
            }
            let span = self.since(base.expr.span);
            base = self.node(
                ExprKind::With(Box::new(base.expr), updates),
                span,
                height + 1,
            )?;
        }
        Ok(base)
    }

    /// Whether `x[…] =` (or `+=`, `-=`) stands at `i`.
    fn is_update(&self, i: usize) -> bool {
        self.kind_at(i) == T::Ident
            && self.kind_at(i + 1) == T::OpenBracket
            && self.mate(i + 1).is_some_and(|m| {
                matches!(
                    self.kind_at(m + 1),
                    T::Assign | T::PlusAssign | T::MinusAssign
                )
            })
    }

    fn update(&mut self, updates: &mut Vec<Update>) -> R<u32> {
        if self.peek() != T::Ident {
            let found = self.found(self.pos);
            let error = self
                .error(
                    self.span(),
                    format!("expected a change, found {found}"),
                    "expected a change",
                )
                .help("`with` changes places of an array: `x with x[i] -= k, x[j] = 0`");
            return self.fail(error);
        }
        let target = self.ident("a change")?;
        if self.peek() != T::OpenBracket {
            let span = self.span();
            let name = clip(&target.name).to_string();
            let found = self.found(self.pos);
            let error = self
                .error(
                    span,
                    format!("expected `[` and a place, found {found}"),
                    "expected `[`",
                )
                .help(format!(
                    "`with` changes places of an array: `{name} with {name}[i] -= k`"
                ));
            return self.fail(error);
        }
        self.bump();
        let index = self.whole_node()?;
        if self.peek() == T::DotDot {
            let span = self.span();
            let help = "join slices instead: `x[0..i-1] + [e] + x[i+1..len(x)-1]`";
            let error = self
                .error(span, "a change of several places at once", "one place only")
                .help(help);
            return self.fail(error);
        }
        self.expect(T::CloseBracket, "`]`")?;
        let op = match self.peek() {
            T::Assign => UpdateOp::Set,
            T::PlusAssign => UpdateOp::Add,
            T::MinusAssign => UpdateOp::Sub,
            T::EqEq => {
                let span = self.span();
                self.mend(span, "`==` compares", "a change is meant", "write `=`");
                UpdateOp::Set
            }
            _ => return Err(self.unexpected("`=`, `+=` or `-=`")),
        };
        self.bump();
        let value = self.ternary()?;
        let height = index.height.max(value.height);
        updates.push(Update {
            target,
            index: index.expr,
            op,
            value: value.expr,
        });
        Ok(height)
    }

    fn ternary(&mut self) -> R<Node> {
        let then = self.binary(OR)?;
        if self.peek() != T::If {
            return Ok(then);
        }
        let if_span = self.bump();
        let condition = self.binary(OR)?;
        if !self.eat(T::Else) {
            self.pending = Some((if_span, condition));
            return Ok(then);
        }
        self.enter()?;
        let other = self.ternary()?;
        self.leave();
        let height = then.height.max(condition.height).max(other.height) + 1;
        let span = then.expr.span.to(other.expr.span);
        let kind = ExprKind::IfElse(
            Box::new(then.expr),
            Box::new(condition.expr),
            Box::new(other.expr),
        );
        self.node(kind, span, height)
    }

    /// The operator at hand, its strength and its number of tokens. Foreign ones are reported as they are taken.
    fn operator(&self) -> Option<(u8, Op, usize, Option<&'static str>)> {
        use BinaryOp::*;
        let compare = |op| (COMPARE, Op::Compare(op), 1, None);
        let arithmetic = |level, op| (level, Op::Arithmetic(op), 1, None);
        let next_is = |kind| self.peek2() == kind && self.adjacent(self.pos + 1);
        Some(match self.peek() {
            T::Or => (OR, Op::Or, 1, None),
            T::OrOr => (OR, Op::Or, 1, Some("write `or`")),
            T::Pipe => (OR, Op::Or, 1, Some("write `or`; `|` stands between moves")),
            T::And => (AND, Op::And, 1, None),
            T::Amp => (AND, Op::And, 1, Some("write `and`")),
            T::EqEq => compare(CompareOp::Eq),
            T::Assign if next_is(T::Lt) => {
                (COMPARE, Op::Compare(CompareOp::Le), 2, Some("write `<=`"))
            }
            T::Assign => (
                COMPARE,
                Op::Compare(CompareOp::Eq),
                1,
                Some("equality is written `==`"),
            ),
            T::Ne => compare(CompareOp::Ne),
            T::Lt if next_is(T::Gt) => (COMPARE, Op::Compare(CompareOp::Ne), 2, Some("write `!=`")),
            T::Lt => compare(CompareOp::Lt),
            T::Le => compare(CompareOp::Le),
            T::Gt => compare(CompareOp::Gt),
            T::Ge => compare(CompareOp::Ge),
            T::FatArrow => (
                COMPARE,
                Op::Compare(CompareOp::Ge),
                1,
                Some("write `>=`; a move's arrow is `->`"),
            ),
            T::In => (COMPARE, Op::In, 1, None),
            T::Not if self.peek2() == T::In => (COMPARE, Op::NotIn, 2, None),
            T::Caret => arithmetic(XOR, Xor),
            T::Plus => arithmetic(ADD, Add),
            T::Minus => arithmetic(ADD, Sub),
            T::Star => arithmetic(MUL, Mul),
            T::Div => arithmetic(MUL, Div),
            T::Slash => (
                MUL,
                Op::Arithmetic(Div),
                1,
                Some("division is `//`, rounded down"),
            ),
            T::Percent => arithmetic(MUL, Mod),
            T::Power => arithmetic(POW, Pow),
            _ => return None,
        })
    }

    fn take_operator(&mut self, tokens: usize, foreign: Option<&str>) {
        let first = self.bump();
        for _ in 1..tokens {
            self.bump();
        }
        if let Some(help) = foreign {
            let span = self.since(first);
            let message = format!("the operator `{}` is not used here", self.text(span));
            self.mend(span, &message, "not an operator of the language", help);
        }
    }

    /// Operators at least as tight as `min`.
    fn binary(&mut self, min: u8) -> R<Node> {
        self.enter()?;
        let mut left = self.prefix(min)?;
        while let Some((level, op, tokens, foreign)) = self.operator() {
            if level < min {
                break;
            }
            left = match op {
                Op::Or | Op::And => self.junction(left, level)?,
                Op::Compare(_) | Op::In | Op::NotIn => self.comparison(left)?,
                Op::Arithmetic(op) => {
                    self.take_operator(tokens, foreign);
                    // `**` groups to the right and takes a sign: `2 ** -x`; the others group to the left.
                    let right = self.binary(if level == POW { NEG } else { level + 1 })?;
                    let height = left.height.max(right.height) + 1;
                    let span = left.expr.span.to(right.expr.span);
                    self.node(
                        ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr)),
                        span,
                        height,
                    )?
                }
            };
        }
        self.leave();
        Ok(left)
    }

    /// A row of `and` or of `or`, as a balanced tree: both are associative, and a row may be long.
    fn junction(&mut self, first: Node, level: u8) -> R<Node> {
        let mut operands = vec![first];
        while let Some((_, _, tokens, foreign)) = self.operator().filter(|op| op.0 == level) {
            self.take_operator(tokens, foreign);
            operands.push(self.binary(level + 1)?);
        }
        while operands.len() > 1 {
            let mut paired = Vec::with_capacity(operands.len().div_ceil(2));
            let mut rest = operands.into_iter();
            while let Some(a) = rest.next() {
                let Some(b) = rest.next() else {
                    paired.push(a);
                    break;
                };
                let height = a.height.max(b.height) + 1;
                let span = a.expr.span.to(b.expr.span);
                let (a, b) = (Box::new(a.expr), Box::new(b.expr));
                let kind = if level == OR {
                    ExprKind::Or(a, b)
                } else {
                    ExprKind::And(a, b)
                };
                paired.push(self.node(kind, span, height)?);
            }
            operands = paired;
        }
        operands.pop().ok_or(Bail)
    }

    fn comparison(&mut self, first: Node) -> R<Node> {
        let (start, mut height) = (first.expr.span, first.height);
        let mut first = Some(first.expr);
        let mut rest = Vec::new();
        let mut membership: Option<Expr> = None;
        while let Some((COMPARE, op, tokens, foreign)) = self.operator() {
            let mixed = membership.is_some() || (!rest.is_empty() && !matches!(op, Op::Compare(_)));
            if mixed {
                let span = self.span();
                let error = self
                    .error(span, "`in` in a chain of comparisons", "needs brackets")
                    .help("write `(k in S) == c`, or `0 < k and k in S`");
                return self.fail(error);
            }
            self.take_operator(tokens, foreign);
            match op {
                Op::Compare(op) => {
                    let right = self.binary(XOR)?;
                    height = height.max(right.height);
                    rest.push((op, right.expr));
                }
                _ => {
                    let domain = self.domain()?;
                    height = height.max(domain.height);
                    let span = start.to(domain.span);
                    let kind = ExprKind::In {
                        member: Box::new(first.take().ok_or(Bail)?),
                        domain: Box::new(domain.domain),
                        negated: matches!(op, Op::NotIn),
                    };
                    membership = Some(Expr { kind, span });
                }
            }
        }
        match (membership, first) {
            (Some(expr), _) => self.node(expr.kind, expr.span, height + 1),
            (None, Some(first)) => {
                let span = self.since(start);
                self.node(ExprKind::Compare(Box::new(first), rest), span, height + 1)
            }
            (None, None) => Err(Bail),
        }
    }

    fn prefix(&mut self, min: u8) -> R<Node> {
        match self.peek() {
            T::Minus => {
                let start = self.bump();
                let inner = self.binary(NEG)?;
                let span = start.to(inner.expr.span);
                self.node(ExprKind::Neg(Box::new(inner.expr)), span, inner.height + 1)
            }
            T::Not if min > NOT => {
                let span = self.span();
                let help = "write `(not a)`";
                let error = self.error(
                    span,
                    "`not` behind an operator that binds tighter",
                    "needs brackets",
                );
                self.fail(error.help(help))
            }
            T::Not | T::Bang => {
                let bang = self.peek() == T::Bang;
                let start = self.bump();
                if bang {
                    self.mend(
                        start,
                        "`!` is not used",
                        "not part of the language",
                        "write `not`",
                    );
                }
                let inner = self.binary(if bang { NEG } else { NOT })?;
                let span = start.to(inner.expr.span);
                self.node(ExprKind::Not(Box::new(inner.expr)), span, inner.height + 1)
            }
            _ => self.postfix(),
        }
    }

    fn postfix(&mut self) -> R<Node> {
        let mut base = self.primary()?;
        while self.peek() == T::OpenBracket {
            self.bump();
            if self.peek() == T::DotDot {
                let span = self.span();
                let help = "a slice has both ends: `x[0..b]`";
                let error = self.error(
                    span,
                    "a slice without its lower end",
                    "a number must stand before `..`",
                );
                return self.fail(error.help(help));
            }
            if self.peek() == T::CloseBracket {
                let span = self.span();
                let help = "`x[]` is a pattern or a declaration; the array itself is `x`, an element `x[i]`";
                let error = self.error(
                    span,
                    "an index without a number",
                    "a number must stand here",
                );
                return self.fail(error.help(help));
            }
            let from = self.whole_node()?;
            let (kind, height);
            if self.eat(T::DotDot) {
                if self.peek() == T::CloseBracket {
                    let span = self.span();
                    let help = "a slice has both ends: `x[a..len(x)-1]`";
                    let error = self.error(
                        span,
                        "a slice without its upper end",
                        "a number must stand before `]`",
                    );
                    return self.fail(error.help(help));
                }
                let to = self.whole_node()?;
                height = base.height.max(from.height).max(to.height) + 1;
                kind = ExprKind::Slice(Box::new(base.expr), Box::new(from.expr), Box::new(to.expr));
            } else {
                height = base.height.max(from.height) + 1;
                kind = ExprKind::Index(Box::new(base.expr), Box::new(from.expr));
            }
            let start = match &kind {
                ExprKind::Index(b, _) | ExprKind::Slice(b, _, _) => b.span,
                _ => self.span(),
            };
            if self.peek() == T::Comma {
                let span = self.span();
                let error = self.error(span, "two indices in one bracket", "expected `]`");
                return self.fail(error.help("write `x[i][j]`"));
            }
            let close = self.expect(T::CloseBracket, "`]`")?;
            base = self.node(kind, start.to(close), height)?;
        }
        Ok(base)
    }

    fn primary(&mut self) -> R<Node> {
        let span = self.span();
        match self.peek() {
            T::Ident if self.peek2() == T::OpenParen => {
                let name = self.ident("a function")?;
                self.bump();
                let (args, height) = self.members(T::CloseParen, "`,` or `)`", Members::Call)?;
                self.node(ExprKind::Call(name, args), self.since(span), height + 1)
            }
            T::Ident => {
                self.bump();
                let name = self.text(span).to_string();
                self.node(ExprKind::Name(name), span, 1)
            }
            T::Int => {
                self.bump();
                let value = self.int(span);
                self.node(ExprKind::Int(value), span, 1)
            }
            T::NumName => {
                self.bump();
                let text = self.text(span);
                let digits = text.bytes().take_while(u8::is_ascii_digit).count();
                let (number, name) = text.split_at(digits);
                let (number, name) = (clip(number), clip(name));
                let help = if name.starts_with('_') {
                    "write the number without `_`".to_string()
                } else if matches!(name.as_bytes(), [b'e' | b'E', b'0'..=b'9', ..]) {
                    format!("write `{number} * 10**{}`", &name[1..])
                } else {
                    format!(
                        "a product is written `{number}*{name}`; names do not start with a digit"
                    )
                };
                self.mend(
                    span,
                    "a number with letters behind it",
                    "neither a number nor a name",
                    help,
                );
                self.node(ExprKind::Error, span, 1)
            }
            T::Str => {
                let text = self.quoted("a text")?;
                self.node(ExprKind::Str(text.text), span, 1)
            }
            T::True | T::False => {
                let value = self.peek() == T::True;
                self.bump();
                self.node(ExprKind::Bool(value), span, 1)
            }
            T::OpenParen => {
                self.bump();
                if self.peek() == T::CloseParen {
                    let error = self
                        .error(
                            self.since(span).to(self.span()),
                            "an empty bracket",
                            "expected an expression",
                        )
                        .help("nothing left is `[]`");
                    return self.fail(error);
                }
                let (mut items, height) =
                    self.members(T::CloseParen, "`,` or `)`", Members::Tuple)?;
                let span = self.since(span);
                match items.pop() {
                    Some(only) if items.is_empty() => self.node(only.kind, span, height),
                    last => {
                        items.extend(last);
                        self.node(ExprKind::Tuple(items), span, height + 1)
                    }
                }
            }
            T::OpenBracket => {
                self.bump();
                let (items, height) = self.members(T::CloseBracket, "`,` or `]`", Members::List)?;
                self.node(ExprKind::List(items), self.since(span), height + 1)
            }
            T::OpenBrace => {
                self.bump();
                let (items, height) = self.brace()?;
                self.node(ExprKind::Brace(items), self.since(span), height + 1)
            }
            T::Plus => {
                let error = self
                    .error(span, "a sign `+` before a number", "not needed")
                    .help("delete it");
                self.fail(error)
            }
            T::DotDot => {
                let error = self
                    .error(
                        span,
                        "a range without its lower end",
                        "a number must stand before `..`",
                    )
                    .help("write `0..n` or `1..n`");
                self.fail(error)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// Expressions up to the closing bracket, which is taken; a comprehension where it may stand.
    fn members(&mut self, close: T, what: &str, place: Members) -> R<(Vec<Expr>, u32)> {
        let (mut items, mut height) = (Vec::new(), 0);
        if self.eat(close) {
            return Ok((items, height));
        }
        loop {
            let item = self.expr()?;
            height = height.max(item.height);
            if self.peek() == T::For {
                if place == Members::Tuple {
                    let span = self.span();
                    let error = self
                        .error(span, "`for` in round brackets", "not possible here")
                        .help("a list is `[e for i in D]`, a set `set(e for i in D)`; a move's `for` follows its result");
                    return self.fail(error);
                }
                let (clauses, inner) = self.clauses()?;
                height = height.max(inner) + 1;
                let span = self.since(item.expr.span);
                items.push(
                    self.node(
                        ExprKind::Comprehension(Box::new(item.expr), clauses),
                        span,
                        height,
                    )?
                    .expr,
                );
                if self.peek() == T::Comma && place == Members::List {
                    let span = self.span();
                    let error = self
                        .error(
                            span,
                            "a comprehension with something behind it",
                            "expected `]`",
                        )
                        .help("join two lists: `[e for i in D] + [p]`");
                    return self.fail(error);
                }
            } else {
                self.no_guard();
                items.push(item.expr);
            }
            if self.eat(close) {
                return Ok((items, height));
            }
            match self.peek() {
                T::Comma => {
                    self.bump();
                }
                T::Dots => {
                    let span = self.span();
                    let error = self
                        .error(span, "`...` outside `{ }`", "not possible here")
                        .help("`h...` puts the elements of a list into a multiset: `{h...}`");
                    return self.fail(error);
                }
                _ => return Err(self.unexpected(what)),
            }
        }
    }

    fn brace(&mut self) -> R<(Vec<BraceItem>, u32)> {
        let (mut items, mut height) = (Vec::new(), 0);
        if self.eat(T::CloseBrace) {
            return Ok((items, height));
        }
        loop {
            if self.peek() == T::Dots {
                items.push(BraceItem::Rest(self.bump()));
            } else {
                let item = self.expr()?;
                height = height.max(item.height);
                if self.peek() == T::For {
                    let span = self.span();
                    let error = self
                        .error(span, "`for` in braces", "not possible here")
                        .help("a set of values is `set(e for i in D)`; a move's `for` follows its result");
                    return self.fail(error);
                }
                self.no_guard();
                items.push(if self.eat(T::Dots) {
                    BraceItem::Spread(item.expr)
                } else {
                    BraceItem::Member(item.expr)
                });
            }
            if self.eat(T::CloseBrace) {
                return Ok((items, height));
            }
            self.expect(T::Comma, "`,` or `}`")?;
        }
    }
}

/// Where a list of expressions stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Members {
    Call,
    Tuple,
    List,
}

/// The number that these digits write. Long rows are halved, since reading digit by digit takes the square of their
/// number.
fn decimal(digits: &str) -> Int {
    if digits.len() < 2000 {
        return digits.parse().unwrap_or(Int::ZERO);
    }
    let (high, low) = digits.split_at(digits.len() / 2);
    // A power of ten with a natural exponent exists.
    let shift = Int::from(10)
        .pow(&Int::from(low.len() as i64))
        .unwrap_or(Int::ZERO);
    decimal(high) * shift + decimal(low)
}

/// The text between the quotes, escapes replaced.
fn unquote(quoted: &str) -> String {
    let mut chars = quoted.chars();
    chars.next();
    chars.next_back();
    let mut text = String::with_capacity(quoted.len());
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => {}
            },
            _ => text.push(c),
        }
    }
    text
}

/// A text short enough for a message.
fn clip(text: &str) -> &str {
    match text.char_indices().nth(40) {
        Some((i, _)) => &text[..i],
        None => text,
    }
}

/// The statement that a word was probably meant to start.
fn meant_statement(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    if let Some(exact) = STATEMENTS.iter().find(|s| **s == lower) {
        return Some(exact);
    }
    match lower.as_str() {
        "misere" | "misère" => return Some("play misere"),
        "normal" => return Some("play normal"),
        "parameter" | "parameters" | "params" | "var" => return Some("param"),
        "initial" | "init" | "position" | "begin" => return Some("start"),
        "option" | "options" | "rule" | "take" => return Some("move"),
        "print" => return Some("output"),
        "read" => return Some("input"),
        "assert" => return Some("require"),
        "description" | "title" => return Some("about"),
        "reference" => return Some("source"),
        _ => {}
    }
    closest(&lower, &STATEMENTS)
}

/// The word nearest to `word`, if it is near enough to be a misspelling. Keywords are few and short, so that half of
/// the letters may be wrong.
fn closest<'w>(word: &str, words: &[&'w str]) -> Option<&'w str> {
    let letters: Vec<char> = word.chars().take(21).collect();
    if !(2..=20).contains(&letters.len()) {
        return None;
    }
    let allowed = letters.len().div_ceil(2).min(3);
    let edits = |w: &str| distance(&letters, &w.chars().collect::<Vec<_>>());
    let (edits, near) = words
        .iter()
        .map(|w| (edits(w), *w))
        .min_by_key(|(d, _)| *d)?;
    // Little is left of a short word after three changes: then at least its first letter must be right.
    let alike = edits < 3 || letters.first().copied() == near.chars().next();
    (edits <= allowed && edits < near.len() && alike).then_some(near)
}
