//! A contest's format, made ready: the items of `input` in reading order, each with what can be asked once it is read.
//!
//! The sentinel is asked as soon as its last name is known, requirements and limits as soon after that as theirs are, so
//! that an error is found where it stands and a sentinel is never taken for a bad case. Cost: linear in the game's text,
//! once a game.

use std::cmp::Ordering;

use grundy_core::Int;
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::ir::{
    Check, Clause, CompareOp, Domain, Expr, ExprKind, Fold, Game, InputItem, Shape, Slot, Type,
};
use grundy_lang::value::Value;

/// An error, boxed.
type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// The format of a game's contest.
#[derive(Clone, Debug)]
pub struct Format<'g> {
    /// What one record of the input is; cases are records, or the innermost repeated steps.
    pub steps: Vec<Step<'g>>,
    /// What the output needs to know.
    pub want: Want,
    /// Whether an output reads the number of the case.
    pub counted: bool,
    /// The number of steps, those of every `repeat` too.
    pub len: usize,
}

/// What the answer to a case must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Want {
    /// Who wins.
    pub win: bool,
    /// The Grundy value.
    pub value: bool,
    /// The number of winning moves.
    pub moves: bool,
}

/// One item, and what can be asked once it is read.
#[derive(Clone, Debug)]
pub struct Step<'g> {
    /// Its number, counted through the whole format in reading order.
    pub id: usize,
    /// What is read.
    pub item: &'g InputItem,
    /// The sentinel.
    pub until: Option<&'g Expr>,
    /// Requirements.
    pub requires: Vec<Asked<'g>>,
    /// Limits.
    pub limits: Vec<Asked<'g>>,
    /// The steps of each time, for a `repeat`.
    pub body: Vec<Step<'g>>,
}

/// A requirement or limit.
#[derive(Clone, Debug)]
pub struct Asked<'g> {
    /// Which.
    pub check: &'g Check,
    /// The parameters that it reads.
    pub reads: Vec<Slot>,
    /// Those of them that have a value for each part, if it must hold for each part.
    pub parts: Vec<Slot>,
    /// The condition in a form that is asked of a long list at once.
    pub quick: Option<Quick>,
}

/// Conditions that long inputs are asked for every number: comparisons of numbers that all must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quick {
    /// The list asked, each of its members in turn; `None` for each part in turn.
    pub list: Option<Slot>,
    /// The list or part variable that says how many values each of them has that is asked in turn.
    counting: Option<Slot>,
    /// What must hold.
    pub comparisons: Vec<(Side, CompareOp, Side)>,
}

/// A side of a comparison of a [`Quick`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// The member at hand.
    Member,
    /// The value of a part variable for the part at hand.
    Part(Slot),
    /// The value of another parameter.
    Param(Slot),
    /// A number.
    Number(Int),
}

impl Side {
    /// What it is, if it is one number.
    #[inline]
    fn one<'a>(&'a self, params: &'a [Value]) -> Option<&'a Int> {
        match self {
            Side::Number(v) => Some(v),
            Side::Param(slot) => params.get(*slot)?.as_int(),
            Side::Member | Side::Part(_) => None,
        }
    }

    /// What it is in turn.
    fn members<'a>(&self, list: Option<Slot>, params: &'a [Value]) -> &'a [Value] {
        let slot = match self {
            Side::Part(slot) => Some(*slot),
            _ => list,
        };
        slot.and_then(|slot| params.get(slot)?.as_seq())
            .unwrap_or_default()
    }
}

impl Quick {
    /// `n >= 0 and n <= m`, `all(c >= 0 for c in x)`, or for each part `0 <= c <= s`.
    pub(crate) fn of(game: &Game, condition: &Expr, each_part: bool) -> Option<Quick> {
        let mut comparisons = Vec::new();
        let (body, over) = match &condition.kind {
            ExprKind::Fold(Fold::All, body, clauses) if !each_part => {
                let [
                    Clause::For {
                        slots,
                        domain: Domain::Members(members),
                    },
                ] = &clauses[..]
                else {
                    return None;
                };
                let (&[member], &ExprKind::Slot(list)) = (&slots[..], &members.kind) else {
                    return None;
                };
                if game.vars.get(list)?.part {
                    return None;
                }
                (&**body, Some((list, member)))
            }
            _ => (condition, None),
        };
        let side = |e: &Expr| match &e.kind {
            ExprKind::Int(v) => Some(Side::Number(v.clone())),
            ExprKind::Slot(slot) if e.ty == Type::Int => match game.vars.get(*slot) {
                Some(var) if !var.part => Some(Side::Param(*slot)),
                Some(_) => each_part.then_some(Side::Part(*slot)),
                None => over
                    .is_some_and(|(_, member)| *slot == member)
                    .then_some(Side::Member),
            },
            _ => None,
        };
        conjunction(body, &side, &mut comparisons)?;
        let list = over.map(|(list, _)| list);
        let part = comparisons.iter().find_map(|sides| match sides {
            (Side::Part(slot), ..) | (.., Side::Part(slot)) => Some(*slot),
            _ => None,
        });
        Some(Quick {
            list,
            counting: list.or(part),
            comparisons,
        })
    }

    /// Whether it holds for every member or every part.
    pub fn holds(&self, params: &[Value]) -> bool {
        self.comparisons.iter().all(|(a, op, b)| {
            let (one, other) = (a.one(params), b.one(params));
            if let (Some(a), Some(b)) = (one, other) {
                return ordered(a, *op, b);
            }
            let members = |side: &Side| {
                let members = side.members(self.list, params);
                // One of another length has values that this would pass over.
                let counting = params.get(self.counting?)?.as_seq()?;
                (members.len() == counting.len()).then_some(members)
            };
            match (one, other) {
                (_, Some(b)) => members(a).is_some_and(|a| a.iter().all(|a| compared(a, *op, b))),
                (Some(a), _) => {
                    members(b).is_some_and(|b| b.iter().all(|b| compared(b, flip(*op), a)))
                }
                _ => members(a).zip(members(b)).is_some_and(|(a, b)| {
                    let mut pairs = a.iter().zip(b);
                    pairs.all(|(a, b)| b.as_int().is_some_and(|b| compared(a, *op, b)))
                }),
            }
        })
    }
}

/// Whether numbers in this order compare so.
#[inline]
pub(crate) fn compares(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Eq => order.is_eq(),
        CompareOp::Ne => order.is_ne(),
        CompareOp::Lt => order.is_lt(),
        CompareOp::Le => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        CompareOp::Ge => order.is_ge(),
    }
}

#[inline]
fn compared(value: &Value, op: CompareOp, to: &Int) -> bool {
    value.as_int().is_some_and(|v| ordered(v, op, to))
}

#[inline]
fn ordered(a: &Int, op: CompareOp, b: &Int) -> bool {
    match (a.to_i64(), b.to_i64()) {
        (Some(a), Some(b)) => compares(op, a.cmp(&b)),
        _ => compares(op, a.cmp(b)),
    }
}

/// The comparison with its sides exchanged.
pub fn flip(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        same => same,
    }
}

/// Takes a conjunction of comparisons apart; `None` if it is anything else.
fn conjunction(
    condition: &Expr,
    side: &dyn Fn(&Expr) -> Option<Side>,
    out: &mut Vec<(Side, CompareOp, Side)>,
) -> Option<()> {
    match &condition.kind {
        ExprKind::And(all) => all.iter().try_for_each(|e| conjunction(e, side, out)),
        ExprKind::Compare(op, a, b) => {
            out.push((side(a)?, *op, side(b)?));
            Some(())
        }
        _ => None,
    }
}

/// How one value of a type is read and written: as tokens of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A number.
    Int,
    /// One character.
    Char,
    /// A word.
    Word,
    /// One after the other.
    Row(Vec<Token>),
}

impl Token {
    /// The tokens of a type, if its values have a fixed number of them.
    pub fn of(ty: &Type) -> Option<Token> {
        match ty {
            Type::Int => Some(Token::Int),
            Type::Char => Some(Token::Char),
            Type::List(member) if **member == Type::Char => Some(Token::Word),
            Type::Tuple(types) => types
                .iter()
                .map(Token::of)
                .collect::<Option<_>>()
                .map(Token::Row),
            Type::Unordered(n, member) => Token::of(member).map(|t| Token::Row(vec![t; *n])),
            _ => None,
        }
    }
}

/// The type of an element of what an array or a row puts in a slot.
pub fn element(game: &Game, slot: Slot) -> Option<&Type> {
    let var = game.vars.get(slot)?;
    if var.part {
        return Some(&var.ty);
    }
    match &var.ty {
        Type::List(member)
        | Type::Set(member)
        | Type::Multiset(member)
        | Type::Unordered(_, member) => Some(member),
        _ => None,
    }
}

/// The slots among the first `below` that an expression reads, in order, each once.
pub fn reads(expr: &Expr, below: usize) -> Vec<Slot> {
    let mut out = Vec::new();
    expr.walk(&mut |e| {
        if let ExprKind::Slot(slot) = e.kind
            && slot < below
        {
            out.push(slot);
        }
    });
    out.sort_unstable();
    out.dedup();
    out
}

/// The slots that an item fills, without those of a `repeat`'s body.
pub fn fills(item: &InputItem) -> &[Slot] {
    match item {
        InputItem::Scalar(slot)
        | InputItem::Array(slot, _)
        | InputItem::Lists(slot, _)
        | InputItem::Repeat(slot, _) => std::slice::from_ref(slot),
        InputItem::Rows(slots, _) => slots,
    }
}

impl<'g> Format<'g> {
    /// The format of a game, or why it has none that can be read.
    pub fn new(game: &'g Game) -> Result<Self> {
        let unsupported =
            |message: String| Diagnostic::error(Code::Unsupported, &game.source, message);
        let Some(input) = &game.input else {
            let lines = if game.output.is_empty() {
                "`input` and `output` lines"
            } else {
                "`input` line"
            };
            let message = format!(
                "{} has no {lines}, so a judge's input cannot be read",
                called(game)
            );
            return Err(Box::new(unsupported(message).help(add_lines(game))));
        };
        if game.output.is_empty() {
            let message = format!(
                "{} has an `input` line but no `output`, so nothing can be printed",
                called(game)
            );
            return Err(Box::new(
                unsupported(message).help("add a line such as: output \"Yes\" if win else \"No\""),
            ));
        }
        let vars = game.vars.len();
        let mut builder = Builder {
            game,
            known: vec![false; vars],
            until: input.until.as_ref().map(|e| (e, reads(e, vars))),
            requires: game.requires.iter().map(|c| asked(game, c)).collect(),
            limits: game.limits.iter().map(|c| asked(game, c)).collect(),
            len: 0,
        };
        let steps = builder.steps(&input.items)?;
        if let Some(missing) = builder.known.iter().position(|k| !k) {
            let name = &game.vars[missing].name;
            let message = format!("`input` does not read `{name}`, which the game needs");
            return Err(Box::new(
                unsupported(message)
                    .at(game.vars[missing].span, "this")
                    .help(format!(
                        "put `{name}` where it stands in the contest's input"
                    )),
            ));
        }
        let (mut want, mut counted) = (Want::default(), false);
        for output in &game.output {
            output.expr.walk(&mut |e| {
                if let ExprKind::Slot(slot) = e.kind {
                    want.win |= slot == output.slots.win;
                    want.value |= slot == output.slots.value;
                    want.moves |= slot == output.slots.moves;
                    counted |= slot == output.slots.case;
                }
            });
        }
        Ok(Format {
            steps,
            want,
            counted,
            len: builder.len,
        })
    }
}

/// The slots whose values are the words of a part, if the start is no more than a counter or a tuple of counters given; of
/// an unordered tuple, in any order.
pub fn plain_start(game: &Game) -> Option<Vec<Slot>> {
    let plain = |e: &Expr| match e.kind {
        ExprKind::Slot(slot) if slot < game.vars.len() && e.ty == Type::Int => Some(slot),
        _ => None,
    };
    match (&game.shape, &game.start.expr.kind) {
        (Shape::Int, _) => plain(&game.start.expr).map(|slot| vec![slot]),
        (Shape::Tuple(shapes), ExprKind::Tuple(members))
            if shapes.iter().all(|s| *s == Shape::Int) =>
        {
            members.iter().map(plain).collect()
        }
        (Shape::Unordered(_, member), ExprKind::Tuple(members)) if **member == Shape::Int => {
            members.iter().map(plain).collect()
        }
        _ => None,
    }
}

/// What to call a game in a sentence: an inline rule's name is its whole text.
pub fn called(game: &Game) -> String {
    if game.name.contains(char::is_whitespace) {
        "this rule".to_owned()
    } else {
        format!("`{}`", game.name)
    }
}

/// What to add to a game without an `input` line: one that reads all that the game needs, each list after its length.
fn add_lines(game: &Game) -> String {
    let Some(items) = items(game) else {
        return "give the game parameters that can be read as numbers, words or lists, and an `input` line that reads them"
            .to_owned();
    };
    let mut out = format!("add lines such as:\n  input {items}");
    if game.output.is_empty() {
        out.push_str("\n  output \"Yes\" if win else \"No\"");
    }
    out
}

/// The items of an `input` line for the game; `None` if there is nothing to read, or something that cannot be.
fn items(game: &Game) -> Option<String> {
    let taken = |name: &str| game.slots.iter().any(|s| s.name == name);
    let mut fresh = ["N", "M", "K", "T"]
        .map(str::to_owned)
        .into_iter()
        .chain((1..).map(|i| format!("N{i}")))
        .filter(|name| !taken(name));
    let mut out: Vec<String> = Vec::new();
    let parts: Vec<&str> = game
        .vars
        .iter()
        .filter(|v| v.part)
        .map(|v| v.name.as_str())
        .collect();
    for (slot, var) in game.vars.iter().enumerate() {
        let name = &var.name;
        if var.part {
            Token::of(&var.ty)?;
            // All parts of the sum at the first of them, a row each.
            if parts.first() == Some(&name.as_str()) {
                let count = fresh.next()?;
                out.push(match &parts[..] {
                    [one] => format!("{count} {one}[{count}]"),
                    many => format!("{count} ({})[{count}]", many.join(" ")),
                });
            }
        } else if Token::of(&var.ty).is_some() {
            out.push(name.clone());
        } else {
            let member = element(game, slot)?;
            let count = fresh.next()?;
            let brackets = match member {
                // What repeats makes no set.
                _ if matches!(var.ty, Type::Set(_)) => return None,
                member if Token::of(member).is_some() => "",
                Type::List(inner) if Token::of(inner).is_some() => "[]",
                _ => return None,
            };
            out.push(format!("{count} {name}[{count}]{brackets}"));
        }
    }
    (!out.is_empty()).then(|| out.join(" "))
}

fn asked<'g>(game: &Game, check: &'g Check) -> Asked<'g> {
    let reads = reads(&check.condition, game.vars.len());
    let parts = if check.each_part {
        reads
            .iter()
            .copied()
            .filter(|s| game.vars[*s].part)
            .collect()
    } else {
        Vec::new()
    };
    let quick = Quick::of(game, &check.condition, check.each_part);
    Asked {
        check,
        reads,
        parts,
        quick,
    }
}

struct Builder<'g> {
    game: &'g Game,
    known: Vec<bool>,
    until: Option<(&'g Expr, Vec<Slot>)>,
    requires: Vec<Asked<'g>>,
    limits: Vec<Asked<'g>>,
    len: usize,
}

impl<'g> Builder<'g> {
    fn steps(&mut self, items: &'g [InputItem]) -> Result<Vec<Step<'g>>> {
        let mut steps = Vec::with_capacity(items.len());
        for item in items {
            for &slot in fills(item) {
                self.readable(item, slot)?;
                self.known[slot] = true;
            }
            let known = &self.known;
            let ready = |slots: &[Slot]| slots.iter().all(|s| known[*s]);
            let until = self
                .until
                .take_if(|(_, slots)| ready(slots))
                .map(|(e, _)| e);
            let due = |list: &mut Vec<Asked<'g>>| {
                if self.until.is_some() {
                    return Vec::new();
                }
                list.extract_if(.., |a| ready(&a.reads)).collect()
            };
            let (requires, limits) = (due(&mut self.requires), due(&mut self.limits));
            let id = self.len;
            self.len += 1;
            let body = match item {
                InputItem::Repeat(_, items) => self.steps(items)?,
                _ => Vec::new(),
            };
            steps.push(Step {
                id,
                item,
                until,
                requires,
                limits,
                body,
            });
        }
        Ok(steps)
    }

    /// Whether the values of a slot can be told apart in the input.
    fn readable(&self, item: &InputItem, slot: Slot) -> Result<()> {
        let var = &self.game.vars[slot];
        let ok = match item {
            InputItem::Repeat(..) => var.ty == Type::Int,
            InputItem::Scalar(_) => Token::of(&var.ty).is_some(),
            InputItem::Array(..) | InputItem::Rows(..) => {
                element(self.game, slot).is_some_and(|ty| Token::of(ty).is_some())
            }
            InputItem::Lists(..) => {
                element(self.game, slot).is_some_and(|ty| {
                    matches!(ty, Type::List(m) | Type::Set(m) | Type::Multiset(m) if Token::of(m).is_some())
                })
            }
        };
        if ok {
            return Ok(());
        }
        let message = format!(
            "`input` reads `{}` in a way in which its values cannot be told apart",
            var.name
        );
        Err(Box::new(
            Diagnostic::error(Code::Unsupported, &self.game.source, message)
                .at(var.span, "this")
                .help("`x` reads one value, `x[n]` a list of n, `x[n][]` n lists each after its own length"),
        ))
    }
}
