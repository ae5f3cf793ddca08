//! Checked rules: every name is a slot, every expression has a type, every pattern fits the shape of the position.
//!
//! This is the one description of a game that engines and theorems read. It says nothing of how a position is searched.

use std::sync::Arc;

use grundy_core::Int;

pub use crate::ast::{BinaryOp, CompareOp, ExpectAnswer, Literal, UpdateOp};
use crate::diag::{Source, Span};

/// An index into the environment. Parameters come first, in the order of [`Game::vars`].
pub type Slot = usize;

/// A game whose rules have been checked.
#[derive(Clone, Debug)]
pub struct Game {
    /// The name after `game`, or the rule's own text for an inline rule.
    pub name: String,
    /// The title, or the name.
    pub title: String,
    /// The text it was read from.
    pub source: Arc<Source>,
    /// Everything that a user gives: declared parameters, names free in the moves, names of `start`, input-only counts.
    pub vars: Vec<Var>,
    /// Name and type of each slot; the first `vars.len()` are the parameters.
    pub slots: Vec<SlotInfo>,
    /// The shape of one part.
    pub shape: Shape,
    /// How the parameters give the first position.
    pub start: Start,
    /// The moves.
    pub moves: Vec<Move>,
    /// `win if` and `lose if`, asked in order before any move.
    pub ends: Vec<End>,
    /// Who wins when there is no move.
    pub play: Play,
    /// What every input must satisfy.
    pub requires: Vec<Check>,
    /// The contest's limits.
    pub limits: Vec<Check>,
    /// The contest's input.
    pub input: Option<Input>,
    /// The contest's output, one entry a line printed.
    pub output: Vec<Output>,
    /// Facts to be tested.
    pub expects: Vec<Expect>,
    /// Judge samples: input, output.
    pub samples: Vec<(String, String)>,
    /// Other names it answers to.
    pub aliases: Vec<String>,
    /// One line on what it is.
    pub about: Option<String>,
    /// Where it is from.
    pub references: Vec<String>,
}

/// A parameter or an input name.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// Its type in the environment of the moves. A [`Var::part`] variable is a list of this, one value a part.
    pub ty: Type,
    /// Declared lengths, outermost first (`M[2*n]`); `None` where not said.
    pub dims: Vec<Option<Expr>>,
    /// One value for each part of a `start sum`.
    pub part: bool,
    /// Read by a move or an end condition, so that the rules change with it.
    pub in_rules: bool,
    /// Read by `start`.
    pub in_start: bool,
    /// Where it was first named.
    pub span: Span,
}

/// Name and type of a slot.
#[derive(Clone, Debug)]
pub struct SlotInfo {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// The first position.
#[derive(Clone, Debug)]
pub struct Start {
    /// A sum with one part for each row of the part variables.
    pub sum: bool,
    /// One part, or the whole position.
    pub expr: Expr,
}

/// Who wins when there is no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Play {
    /// The player who cannot move loses.
    Normal,
    /// The player who cannot move wins.
    Misere,
}

/// The shape of a part of a position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A counter: a natural number.
    Int,
    /// `(a, b)`
    Tuple(Vec<Shape>),
    /// `{a, b}`: this many members of one shape, in no order.
    Unordered(usize, Box<Shape>),
    /// `x[]`
    Array(Box<Shape>),
    /// `x[]` of characters.
    Str,
    /// `{a, ...}`: heaps in no order; a heap of 0 is no heap.
    Multiset(Box<Shape>),
    /// `s{}`: members without repetition, in order of size.
    Set(Box<Shape>),
}

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// An integer of any size and sign.
    Int,
    /// A truth value.
    Bool,
    /// One character.
    Char,
    /// A list; a list of characters is a string.
    List(Box<Type>),
    /// An ordered tuple.
    Tuple(Vec<Type>),
    /// An unordered tuple of that many members.
    Unordered(usize, Box<Type>),
    /// A multiset.
    Multiset(Box<Type>),
    /// A set.
    Set(Box<Type>),
    /// Not known yet: only while the checker works, never in a checked game.
    #[doc(hidden)]
    Unknown(u32),
}

/// A move rule.
#[derive(Clone, Debug)]
pub struct Move {
    /// What the position must look like.
    pub pattern: Pattern,
    /// Quantifiers and guards. A guard stands as early as its names allow.
    pub clauses: Vec<Clause>,
    /// The same with each range cut down by the linear guards right behind it and by the counters left: as many options,
    /// in the same order, and fewer values tried. This is what the interpreter walks.
    pub narrowed: Vec<Clause>,
    /// What is left: one part, several, or none.
    pub parts: Parts,
    /// Its text.
    pub span: Span,
}

/// The parts that a move leaves.
#[derive(Clone, Debug)]
pub enum Parts {
    /// Each expression is a part.
    Each(Vec<Expr>),
    /// One part for each value of the clauses.
    Over(Expr, Vec<Clause>),
}

/// How a part is taken apart.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// The whole of it into a slot.
    Bind(Slot),
    /// Member by member.
    Tuple(Vec<Pattern>),
    /// An unordered tuple. With `every_order` each different order of the members is tried; without, the sorted one is
    /// enough, since the moves of the game are symmetric under exchanging members.
    Unordered {
        /// A pattern for each member.
        members: Vec<Pattern>,
        /// Whether all orders must be tried.
        every_order: bool,
    },
    /// Some members of a multiset, each different choice (in order) once, and the rest as a list in a slot.
    Pick {
        /// A pattern for each member picked.
        members: Vec<Pattern>,
        /// The members not picked.
        rest: Slot,
    },
}

impl Pattern {
    /// Whether it puts something in the slot.
    pub fn binds(&self, slot: Slot) -> bool {
        match self {
            Pattern::Bind(s) => *s == slot,
            Pattern::Tuple(members) | Pattern::Unordered { members, .. } => {
                members.iter().any(|m| m.binds(slot))
            }
            Pattern::Pick { members, rest } => {
                *rest == slot || members.iter().any(|m| m.binds(slot))
            }
        }
    }
}

/// A quantifier or a guard.
#[derive(Clone, Debug)]
pub enum Clause {
    /// Binds slots: one, or the members of a tuple.
    For {
        /// The slots bound.
        slots: Vec<Slot>,
        /// What they range over.
        domain: Domain,
    },
    /// Must hold.
    If(Expr),
}

/// What a quantifier or a membership test ranges over.
#[derive(Clone, Debug)]
pub enum Domain {
    /// From the first to the second, both included; empty if the first is larger.
    Range(Expr, Expr),
    /// The members of a list, set or multiset.
    Members(Expr),
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Int(Int),
    /// A truth value.
    Bool(bool),
    /// A character.
    Char(char),
    /// A string: a list of characters.
    Str(String),
    /// A parameter, a pattern's name or a quantifier.
    Slot(Slot),
    /// Minus.
    Neg(Box<Expr>),
    /// Two-sided arithmetic; the type says whether on numbers, lists or sets.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// One comparison. Order is on numbers and characters; equality on anything.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// Not.
    Not(Box<Expr>),
    /// All hold, asked in order.
    And(Vec<Expr>),
    /// One holds, asked in order.
    Or(Vec<Expr>),
    /// Condition, then, else.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A member of.
    In(Box<Expr>, Box<Domain>),
    /// A built-in function of its arguments.
    Call(Function, Vec<Expr>),
    /// A function over a comprehension: `sum(e for …)`, `all(…)`, or the list itself ([`Fold::List`]).
    Fold(Fold, Box<Expr>, Vec<Clause>),
    /// An element; outside the list is an error.
    Index(Box<Expr>, Box<Expr>),
    /// From the second to the third, both included; empty if they cross.
    Slice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A list of these.
    List(Vec<Expr>),
    /// A tuple of these, ordered or not as the type says.
    Tuple(Vec<Expr>),
    /// A set or multiset of members and of spread lists.
    Brace(Vec<BraceItem>),
    /// A list or set where a set, multiset or unordered tuple is wanted: the same members in canonical order.
    Convert(Box<Expr>),
    /// The base changed in places, in order; indices and values read the names as they were.
    With(Box<Expr>, Vec<Update>),
    /// Pieces of a text put together (output only).
    Format(Vec<Expr>),
}

/// One thing between braces.
#[derive(Clone, Debug)]
pub enum BraceItem {
    /// A member.
    Member(Expr),
    /// Every element of a list.
    Spread(Expr),
}

/// A change of one place of an array.
#[derive(Clone, Debug)]
pub struct Update {
    /// The place, from 0.
    pub index: Expr,
    /// How.
    pub op: UpdateOp,
    /// With what.
    pub value: Expr,
}

/// A built-in function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// The least of its arguments, or of one list.
    Min,
    /// The greatest of its arguments, or of one list.
    Max,
    /// The number of elements.
    Len,
    /// The list in order.
    Sorted,
    /// The list backwards.
    Reversed,
    /// The greatest common divisor of two numbers.
    Gcd,
    /// The absolute value.
    Abs,
    /// The integer square root, rounded down.
    Isqrt,
    /// The sum of a list.
    Sum,
    /// Whether no element of a list occurs twice.
    Distinct,
    /// The decimal digits of a natural number, most significant first.
    Digits,
    /// The number with these decimal digits.
    Number,
}

/// What is made of a comprehension's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
    /// The list of them.
    List,
    /// The set of them.
    Set,
    /// Their sum.
    Sum,
    /// The least; none is an error.
    Min,
    /// The greatest; none is an error.
    Max,
    /// Whether all hold.
    All,
    /// Whether one holds.
    Any,
    /// How many hold.
    Count,
}

/// `win if` or `lose if`.
#[derive(Clone, Debug)]
pub struct End {
    /// Whether the player who moved here has won (else lost).
    pub win: bool,
    /// How the part is taken apart.
    pub pattern: Pattern,
    /// The condition.
    pub condition: Expr,
    /// Its text.
    pub span: Span,
}

/// A `require` or `limit`.
#[derive(Clone, Debug)]
pub struct Check {
    /// What must hold. If it names part variables it must hold for each part.
    pub condition: Expr,
    /// What to say if it does not.
    pub message: Option<String>,
    /// Whether it names part variables.
    pub each_part: bool,
    /// Its text.
    pub span: Span,
}

/// The contest's input.
#[derive(Clone, Debug)]
pub struct Input {
    /// What is read, in order.
    pub items: Vec<InputItem>,
    /// A case for which this holds ends the input; it is asked as soon as its names are read.
    pub until: Option<Expr>,
}

/// One thing that is read.
#[derive(Clone, Debug)]
pub enum InputItem {
    /// One value.
    Scalar(Slot),
    /// That many values, or with `None` those up to the end of the line.
    Array(Slot, Option<Expr>),
    /// That many lists, each after its own length.
    Lists(Slot, Expr),
    /// That many rows.
    Rows(Vec<Slot>, Expr),
    /// The count, then the items that many times.
    Repeat(Slot, Vec<InputItem>),
}

/// One line of output.
#[derive(Clone, Debug)]
pub struct Output {
    /// The answers of a `repeat` group on one line.
    pub row: bool,
    /// The text; it may read the slots of [`OutputSlots`].
    pub expr: Expr,
    /// Where the answer is put before the text is made.
    pub slots: OutputSlots,
}

/// The slots that an output expression reads beside the parameters.
#[derive(Clone, Copy, Debug)]
pub struct OutputSlots {
    /// `win`: whether the player to move wins.
    pub win: Slot,
    /// `value`: the Grundy value.
    pub value: Slot,
    /// `moves`: the number of winning moves.
    pub moves: Slot,
    /// `case`: the number of the case, from 1.
    pub case: Slot,
}

/// A fact to be tested.
#[derive(Clone, Debug)]
pub struct Expect {
    /// `name=value` or a bare value.
    pub args: Vec<(Option<String>, Literal)>,
    /// What must come out.
    pub answer: ExpectAnswer,
    /// Its text.
    pub span: Span,
}

impl Expr {
    /// Whether two sums, differences, products and the like are written alike, so that they are equal wherever both stand.
    pub fn same(&self, other: &Expr) -> bool {
        match (&self.kind, &other.kind) {
            (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
            (ExprKind::Slot(a), ExprKind::Slot(b)) => a == b,
            (ExprKind::Binary(f, a, b), ExprKind::Binary(g, c, d)) => {
                f == g && a.same(c) && b.same(d)
            }
            _ => false,
        }
    }

    /// The number that has to be a multiple of `slot` for this guard to hold: `number % slot == 0`, and `slot` is not in it.
    pub fn divided_by(&self, slot: Slot) -> Option<&Expr> {
        let ExprKind::Compare(CompareOp::Eq, left, right) = &self.kind else {
            return None;
        };
        let (ExprKind::Binary(BinaryOp::Mod, number, by), ExprKind::Int(zero)) =
            (&left.kind, &right.kind)
        else {
            return None;
        };
        let by_slot = matches!(by.kind, ExprKind::Slot(s) if s == slot);
        (zero.is_zero() && by_slot && !number.slots().contains(&slot)).then_some(number)
    }

    /// Every slot read inside it, as often as it is read.
    pub fn slots(&self) -> Vec<Slot> {
        let mut out = Vec::new();
        self.walk(&mut |e| {
            if let ExprKind::Slot(slot) = e.kind {
                out.push(slot);
            }
        });
        out
    }

    /// Visits this expression and every expression inside it, those of clauses, domains and updates too.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Str(_)
            | ExprKind::Slot(_) => {}
            ExprKind::Neg(a) | ExprKind::Not(a) | ExprKind::Convert(a) => a.walk(visit),
            ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::Index(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            ExprKind::If(a, b, c) | ExprKind::Slice(a, b, c) => {
                a.walk(visit);
                b.walk(visit);
                c.walk(visit);
            }
            ExprKind::And(all)
            | ExprKind::Or(all)
            | ExprKind::Call(_, all)
            | ExprKind::List(all)
            | ExprKind::Tuple(all)
            | ExprKind::Format(all) => all.iter().for_each(|e| e.walk(visit)),
            ExprKind::In(a, domain) => {
                a.walk(visit);
                domain.walk(visit);
            }
            ExprKind::Fold(_, a, clauses) => {
                a.walk(visit);
                clauses.iter().for_each(|c| c.walk(visit));
            }
            ExprKind::Brace(items) => items.iter().for_each(|item| match item {
                BraceItem::Member(e) | BraceItem::Spread(e) => e.walk(visit),
            }),
            ExprKind::With(a, updates) => {
                a.walk(visit);
                for update in updates {
                    update.index.walk(visit);
                    update.value.walk(visit);
                }
            }
        }
    }
}

impl Domain {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Domain::Range(lo, hi) => lo.span.to(hi.span),
            Domain::Members(list) => list.span,
        }
    }

    /// Visits every expression inside it.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Domain::Range(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Domain::Members(a) => a.walk(visit),
        }
    }
}

impl Clause {
    /// Visits every expression inside it.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Clause::For { domain, .. } => domain.walk(visit),
            Clause::If(a) => a.walk(visit),
        }
    }
}
