//! The syntax of a `.game` text as it was written: names are not resolved, shapes are not known, errors are kept as nodes.
//!
//! The parser builds it, the checker turns it into [`crate::ir`], and nothing else reads it.

use grundy_core::Int;

pub use crate::diag::Span;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name as written.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// A quoted text and where it stands, escapes (`\n`, `\t`, `\"`, `\\`) already replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text between the quotes.
    pub text: String,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// One game: a header, if it has one, and its statements in order.
#[derive(Clone, Debug, Default)]
pub struct GameAst {
    /// `game NAME`; none in an inline rule.
    pub name: Option<Ident>,
    /// The quoted title after the name.
    pub title: Option<Text>,
    /// The statements.
    pub statements: Vec<Statement>,
}

/// One statement. A line that starts with no keyword is a move.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it says.
    pub kind: StatementKind,
    /// From its first to its last token.
    pub span: Span,
}

/// What a statement says.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `param n, M[2*n], adj[n][]`
    Param(Vec<ParamDecl>),
    /// `start EXPR` or `start sum EXPR`
    Start {
        /// Written with `sum`: the position is a sum with one part for each row given.
        sum: bool,
        /// One part (with `sum`) or the whole position.
        expr: Expr,
    },
    /// `move PATTERN -> RESULT CLAUSES`; alternatives behind `|` are moves of their own.
    Move(MoveAst),
    /// `play normal` or `play misere`
    Play {
        /// Whether the player who cannot move wins.
        misere: bool,
    },
    /// `win if COND` / `lose if COND`: whoever moves to a position where COND holds wins (loses) at once.
    End {
        /// `win` rather than `lose`.
        win: bool,
        /// `win PATTERN if COND`; without it the names are those of the first move's pattern.
        pattern: Option<Pattern>,
        /// The condition.
        condition: Expr,
    },
    /// `input ITEMS [until COND]`
    Input {
        /// What is read, in order.
        items: Vec<InputItem>,
        /// The sentinel: a case for which this holds ends the input and is not answered.
        until: Option<Expr>,
    },
    /// `output [row] EXPR`
    Output {
        /// `row`: the answers of one `repeat` group stand on one line.
        row: bool,
        /// The text printed for a case.
        expr: Expr,
    },
    /// `require COND ["what is wrong"]`: what every input must satisfy to make sense.
    Require {
        /// The condition.
        condition: Expr,
        /// What to tell a person whose input breaks it.
        message: Option<Text>,
    },
    /// `limit COND, COND`: the contest's own limits, held only under `--strict`.
    Limit(Vec<Expr>),
    /// `expect ARGS -> win|lose|VALUE`
    Expect {
        /// The arguments as on the command line.
        args: Vec<ExpectArg>,
        /// What must come out.
        answer: ExpectAnswer,
    },
    /// `sample "INPUT" -> "OUTPUT"`: the contest's sample, byte for byte.
    Sample {
        /// Judge input.
        input: Text,
        /// Judge output.
        output: Text,
    },
    /// `alias poj2068, other`
    Alias(Vec<Ident>),
    /// `about "one line"`
    About(Text),
    /// `source "POJ 2068"`: where the game is from.
    Source(Text),
    /// A statement of a layer that is not built yet (`phase`, `every`, `loopy`, …), kept so that its error can be exact.
    Reserved(Ident),
    /// Text that did not parse; the error has been reported.
    Error,
}

/// A declared parameter.
#[derive(Clone, Debug)]
pub struct ParamDecl {
    /// Its name.
    pub name: Ident,
    /// One entry a pair of brackets: the length inside, or `None` for `[]`.
    pub dims: Vec<Option<Expr>>,
}

/// `PATTERN -> RESULT CLAUSES`
#[derive(Clone, Debug)]
pub struct MoveAst {
    /// The position moved from.
    pub pattern: Pattern,
    /// The parts moved to: one, or those of `[p, q]`, or `[e for i in …]`.
    pub result: MoveResult,
    /// `for` and `if`, in the order written.
    pub clauses: Vec<Clause>,
}

/// What a move leaves.
#[derive(Clone, Debug)]
pub enum MoveResult {
    /// One position.
    One(Expr),
    /// `[p, q, …]`: a sum of independent positions (`[]` ends the part).
    Sum(Vec<Expr>),
    /// `[p for i in …]`: a sum with one part for each value of the quantifiers.
    SumOver(Expr, Vec<Clause>),
}

/// What a move's left side looks like.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `n`
    Name(Ident),
    /// `x[]`: an array, or a string if its elements are characters.
    Array(Ident),
    /// `s{}`: a finite set.
    Set(Ident),
    /// `(a, b)`
    Tuple(Vec<Pattern>, Span),
    /// `{a, b}` or, with `rest`, `{a, b, ...}`: some members of a multiset of any size.
    Brace {
        /// The members named.
        members: Vec<Pattern>,
        /// Whether `...` follows.
        rest: bool,
        /// Where it stands.
        span: Span,
    },
}

/// `for NAMES in DOMAIN` or `if COND`
#[derive(Clone, Debug)]
pub enum Clause {
    /// A quantifier; more than one name takes the members of a tuple apart: `for (v, w) in arcs`.
    For {
        /// The names bound.
        names: Vec<Ident>,
        /// What they range over.
        domain: Domain,
    },
    /// A guard.
    If(Expr),
}

/// What a quantifier or an `in` test ranges over.
#[derive(Clone, Debug)]
pub enum Domain {
    /// `lo..hi`, both ends included; `None` where the upper end is missing (`1..`).
    Range(Expr, Option<Expr>),
    /// A list or a set.
    Members(Expr),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expression, loosest binding first where it matters.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `a if c else b`
    IfElse(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a or b`
    Or(Box<Expr>, Box<Expr>),
    /// `a and b`
    And(Box<Expr>, Box<Expr>),
    /// `not a`
    Not(Box<Expr>),
    /// `a < b <= c`: the first operand and each comparison after it.
    Compare(Box<Expr>, Vec<(CompareOp, Expr)>),
    /// `a in DOMAIN`, `a not in DOMAIN`
    In {
        /// What is looked for.
        member: Box<Expr>,
        /// Where.
        domain: Box<Domain>,
        /// `not in`
        negated: bool,
    },
    /// `a + b` and the other two-sided operators.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `-a`
    Neg(Box<Expr>),
    /// `f(a, b)`; a comprehension argument is a [`ExprKind::Comprehension`].
    Call(Ident, Vec<Expr>),
    /// `x[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `x[a..b]`, both ends included.
    Slice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `x with x[i] = e, x[j] -= k`
    With(Box<Expr>, Vec<Update>),
    /// `e for i in … if …`, inside `[ ]` or a call.
    Comprehension(Box<Expr>, Vec<Clause>),
    /// `[a, b]`; `[e for …]` has one element, a comprehension.
    List(Vec<Expr>),
    /// `(a, b)`, at least two members; `(a)` is just `a`.
    Tuple(Vec<Expr>),
    /// `{a, b...}`: unordered tuple, multiset or set, as the context says.
    Brace(Vec<BraceItem>),
    /// A name.
    Name(String),
    /// A number.
    Int(Int),
    /// A quoted text; one character long it may be a character.
    Str(String),
    /// `true`, `false`
    Bool(bool),
    /// Text that did not parse; the error has been reported.
    Error,
}

/// One thing between braces.
#[derive(Clone, Debug)]
pub enum BraceItem {
    /// A member.
    Member(Expr),
    /// `h...`: every element of the list h.
    Spread(Expr),
    /// `...`: the members that the pattern did not name.
    Rest(Span),
}

/// `x[i] OP value`
#[derive(Clone, Debug)]
pub struct Update {
    /// The array changed; it must be the base of the `with`.
    pub target: Ident,
    /// The place.
    pub index: Expr,
    /// How.
    pub op: UpdateOp,
    /// With what.
    pub value: Expr,
}

/// How an update changes a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpdateOp {
    /// `=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Sub,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// A two-sided operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`: sum; of lists and strings, one after the other; of sets, the union.
    Add,
    /// `-`: difference of numbers or sets.
    Sub,
    /// `*`
    Mul,
    /// `//`, rounded down.
    Div,
    /// `%`, with the sign of the divisor.
    Mod,
    /// `**`
    Pow,
    /// `^`: nim-sum; of sets, the symmetric difference (toggling).
    Xor,
}

/// One thing that `input` reads.
#[derive(Clone, Debug)]
pub enum InputItem {
    /// `n`: one number, or one word for a string.
    Scalar(Ident),
    /// `M[2*n]`: that many numbers; `h[]`: the numbers up to the end of the line.
    Array(Ident, Option<Expr>),
    /// `adj[n][]`: that many lists, each after its own length.
    Lists(Ident, Expr),
    /// `(s c)[N]`: that many rows, each a value for every name.
    Rows(Vec<Ident>, Expr),
    /// `repeat T: …`: reads T, then the rest that many times; each time is a case of its own.
    Repeat(Ident, Vec<InputItem>),
}

/// One argument of an `expect`.
#[derive(Clone, Debug)]
pub enum ExpectArg {
    /// `name=value`
    Named(Ident, Literal),
    /// A bare value, in the order of the input.
    Positional(Literal),
}

/// A value written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A number.
    Int(Int, Span),
    /// A quoted text.
    Str(Text),
    /// `[a, b]`
    List(Vec<Literal>, Span),
}

/// What an `expect` says must come out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectAnswer {
    /// `win`: the player to move wins.
    Win,
    /// `lose`
    Lose,
    /// The Grundy value.
    Value(Int),
}
