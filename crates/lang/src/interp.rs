//! The interpreter: the meaning of a game. Everything faster is tested against it.
//!
//! A move is tried for every match of its pattern and every value of its quantifiers that its guards allow. A result with a
//! count below zero is no position, so it is no move. Cost: a walk over the expression trees, no allocation while the
//! numbers fit in a word and the position is a few counters.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;

use grundy_core::{Budget, Int};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::diag::{Code, Diagnostic, Span};
use crate::ir::{
    BinaryOp, BraceItem, Clause, CompareOp, Domain, Expr, ExprKind, Fold, Function, Game, Parts,
    Pattern, Shape, Slot, Type, UpdateOp,
};
use crate::value::{Pos, Value, Words};

/// A value or the error of evaluating it.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// A game with its parameters bound.
#[derive(Clone, Debug)]
pub struct Rules {
    game: Arc<Game>,
    params: Vec<Value>,
}

/// An option as it is visited.
#[derive(Clone, Copy, Debug)]
pub struct Opt<'a> {
    /// The parts left.
    pub parts: &'a [Pos],
    /// The move rule, an index into [`Game::moves`].
    pub rule: usize,
    /// All slots: parameters, the pattern's names, the quantifiers.
    pub env: &'a [Value],
}

/// Where an enumeration was broken off: the option at which `visit` broke comes first when it goes on from here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resume {
    /// The move rule.
    pub rule: usize,
    /// The choice made at each choice point of the rule, outermost first.
    pub at: SmallVec<[Int; 2]>,
}

/// An evaluator of one set of rules, with its own scratch memory.
pub struct Machine<'r> {
    rules: &'r Rules,
    env: Vec<Value>,
    parts: Vec<Pos>,
    /// The choices to enter by, outermost first; used up from `entered` on while the first option is on its way.
    enter: SmallVec<[Int; 2]>,
    entered: usize,
    /// The choices at a break, innermost first.
    broken: SmallVec<[Int; 2]>,
    budget: Budget,
    /// Values of quantifiers tried.
    ticks: u64,
    /// The ticks at the last option, [`u64::MAX`] while no options are asked for.
    fruitful: u64,
    /// Values of quantifiers that may be tried in a row without an option.
    drought: u64,
    /// Values of quantifiers that may still be tried.
    patience: u64,
    /// The divisors of some numbers: an enumeration is often gone on with.
    divisors: FxHashMap<u64, Arc<[i64]>>,
}

/// A range with no more values is gone through as it is.
const FEW: i64 = 1000;
/// Numbers whose divisors are kept.
const KEPT: usize = 1 << 12;

/// Values of quantifiers that may be tried in a row without an option: some seconds' work. Without a bound a guard that
/// refuses nearly all of a vast range would keep the interpreter busy for ever.
const DROUGHT: u64 = 100_000_000;

type Flow = Result<ControlFlow<()>>;
const ON: Flow = Ok(ControlFlow::Continue(()));
const BROKEN: Flow = Ok(ControlFlow::Break(()));

impl Rules {
    /// Binds parameters: one value for each of [`Game::vars`]; part variables are not read.
    pub fn new(game: Arc<Game>, params: Vec<Value>) -> Self {
        assert_eq!(game.vars.len(), params.len(), "one value a parameter");
        Rules { game, params }
    }

    /// The game.
    pub fn game(&self) -> &Arc<Game> {
        &self.game
    }

    /// The values of the parameters, in the order of [`Game::vars`].
    pub fn params(&self) -> &[Value] {
        &self.params
    }

    /// A new evaluator.
    pub fn machine(&self) -> Machine<'_> {
        self.machine_with(Budget::default())
    }

    /// A new evaluator that stops when the budget says so.
    pub fn machine_with(&self, budget: Budget) -> Machine<'_> {
        let mut env = self.params.clone();
        env.resize(self.game.slots.len(), Value::Bool(false));
        Machine {
            rules: self,
            env,
            parts: Vec::new(),
            enter: SmallVec::new(),
            entered: 0,
            broken: SmallVec::new(),
            budget,
            ticks: 0,
            fruitful: u64::MAX,
            drought: DROUGHT,
            patience: u64::MAX,
            divisors: FxHashMap::default(),
        }
    }
}

/// The number that has to be a multiple of a quantifier by the first guard behind its range.
fn divided(rest: &[Clause], slot: Slot) -> Option<&Expr> {
    let Some(Clause::If(guard)) = rest.first() else {
        return None;
    };
    let first = match &guard.kind {
        ExprKind::And(all) => all.first()?,
        _ => guard,
    };
    first.divided_by(slot)
}

impl<'r> Machine<'r> {
    /// The game.
    pub fn game(&self) -> &'r Game {
        &self.rules.game
    }

    /// Gives up with [`Code::TooLarge`] after that many values of quantifiers, whether a guard let them through or not.
    pub fn with_patience(mut self, values: u64) -> Self {
        self.patience = values;
        self
    }

    /// Gives up with [`Code::TooLarge`] when about that many values of quantifiers in a row gave no option; 10^8 unless
    /// said otherwise.
    pub fn with_drought(mut self, values: u64) -> Self {
        self.drought = values;
        self
    }

    /// Puts a value in a slot, for evaluating an expression that reads it.
    #[inline]
    pub fn set(&mut self, slot: Slot, value: Value) {
        self.env[slot] = value;
    }

    /// Whether play ends here by `win if` or `lose if`: `Some(true)` if the player who moved here has won.
    /// Ask this first: a part that has ended has no options.
    pub fn end(&mut self, pos: &Pos) -> Result<Option<bool>> {
        let game = self.game();
        for end in &game.ends {
            let mut met = false;
            let _ = self
                .matches(&end.pattern, &game.shape, pos, &mut |machine| {
                    met = machine.truth(&end.condition)?;
                    if met { BROKEN } else { ON }
                })
                .map_err(|e| self.at(pos, e))?;
            self.broken.clear();
            if met {
                return Ok(Some(end.win));
            }
        }
        Ok(None)
    }

    /// Visits every option, the same one perhaps more than once, until `visit` breaks.
    pub fn options(
        &mut self,
        pos: &Pos,
        visit: &mut dyn FnMut(Opt<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<Resume>> {
        self.options_from(pos, &Resume::default(), visit)
    }

    /// The same from where an earlier enumeration of the same part broke off, that option included.
    pub fn options_from(
        &mut self,
        pos: &Pos,
        from: &Resume,
        visit: &mut dyn FnMut(Opt<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<Resume>> {
        self.fruitful = self.ticks;
        let flow = self.walk(pos, from, visit);
        self.fruitful = u64::MAX;
        flow
    }

    fn walk(
        &mut self,
        pos: &Pos,
        from: &Resume,
        visit: &mut dyn FnMut(Opt<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<Resume>> {
        self.enter.clone_from(&from.at);
        self.entered = 0;
        for rule in from.rule..self.game().moves.len() {
            let flow = self.rule(rule, pos, visit).map_err(|e| self.at(pos, e))?;
            self.enter.clear();
            if flow.is_break() {
                let mut at = std::mem::take(&mut self.broken);
                at.reverse();
                return Ok(ControlFlow::Break(Resume { rule, at }));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn at(&self, pos: &Pos, mut error: Box<Diagnostic>) -> Box<Diagnostic> {
        let mut text = self.game().shape.display(pos);
        if text.len() > 200 {
            text = text.chars().take(200).collect::<String>() + "…";
        }
        if error.code != Code::Interrupted {
            error.notes.push(format!("at the position {text}"));
        }
        error
    }

    fn rule(
        &mut self,
        rule: usize,
        pos: &Pos,
        visit: &mut dyn FnMut(Opt<'_>) -> ControlFlow<()>,
    ) -> Flow {
        let game = self.game();
        let m = &game.moves[rule];
        self.matches(&m.pattern, &game.shape, pos, &mut |machine| {
            machine.loops::<true>(&m.narrowed, &mut |machine| {
                if !machine.result(&m.parts)? {
                    return ON;
                }
                machine.fruitful = machine.ticks;
                Ok(visit(Opt {
                    parts: &machine.parts,
                    rule,
                    env: &machine.env,
                }))
            })
        })
    }

    /// Fills `parts`; false if the result is no position.
    fn result(&mut self, parts: &'r Parts) -> Result<bool> {
        let game = self.game();
        match parts {
            Parts::Each(exprs) => {
                if self.parts.len() != exprs.len() {
                    self.parts.resize_with(exprs.len(), Pos::default);
                }
                for (i, expr) in exprs.iter().enumerate() {
                    match emit_small(&self.env, expr, &game.shape, &mut self.parts[i].0) {
                        Some(true) => continue,
                        Some(false) => return Ok(false),
                        None => {}
                    }
                    let mut words = std::mem::take(&mut self.parts[i].0);
                    words.clear();
                    let fits = self.emit(expr, &game.shape, &mut words);
                    self.parts[i].0 = words;
                    if !fits? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Parts::Over(expr, clauses) => {
                self.parts.clear();
                let mut fits = true;
                let _ = self.loops::<false>(clauses, &mut |machine| {
                    let mut words = Words::new();
                    fits = machine.emit(expr, &game.shape, &mut words)?;
                    machine.parts.push(Pos(words));
                    if fits { ON } else { BROKEN }
                })?;
                Ok(fits)
            }
        }
    }

    /// Appends the canonical words of an expression's value; false if it has a count below zero.
    fn emit(&mut self, expr: &'r Expr, shape: &Shape, out: &mut Words) -> Result<bool> {
        match (shape, &expr.kind) {
            (Shape::Int, _) => {
                let v = self.int(expr)?;
                let fits = !v.is_negative();
                out.push(v);
                Ok(fits)
            }
            (Shape::Tuple(shapes), ExprKind::Tuple(members)) => {
                for (shape, member) in shapes.iter().zip(members) {
                    if !self.emit(member, shape, out)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Shape::Unordered(_, inner), ExprKind::Tuple(members)) if **inner == Shape::Int => {
                let start = out.len();
                for member in members {
                    if !self.emit(member, inner, out)? {
                        return Ok(false);
                    }
                }
                out[start..].sort_unstable();
                Ok(true)
            }
            _ => {
                let value = self.value(expr)?;
                Ok(shape.encode(&value, out).is_ok())
            }
        }
    }

    /// Runs `leaf` for each match of a pattern with a part.
    fn matches(
        &mut self,
        pattern: &'r Pattern,
        shape: &'r Shape,
        pos: &Pos,
        leaf: Leaf<'_, 'r>,
    ) -> Flow {
        match (pattern, shape) {
            (Pattern::Bind(slot), Shape::Int) => {
                self.env[*slot] = Value::Int(pos.0[0].clone());
                return leaf(self);
            }
            (Pattern::Tuple(members), Shape::Tuple(shapes))
                if all_counters(members, shapes.iter()) =>
            {
                self.bind_counters(members, &pos.0);
                return leaf(self);
            }
            (
                Pattern::Unordered {
                    members,
                    every_order: false,
                },
                Shape::Unordered(_, inner),
            ) if all_counters(members, std::iter::once(&**inner)) => {
                self.bind_counters(members, &pos.0);
                return leaf(self);
            }
            _ => {}
        }
        self.match_value(vec![(pattern, shape.value(pos))], leaf)
    }

    fn bind_counters(&mut self, members: &[Pattern], words: &[Int]) {
        for (member, word) in members.iter().zip(words) {
            if let Pattern::Bind(slot) = member {
                self.env[*slot] = Value::Int(word.clone());
            }
        }
    }

    fn match_value(&mut self, mut todo: Vec<(&'r Pattern, Value)>, leaf: Leaf<'_, 'r>) -> Flow {
        let Some((pattern, value)) = todo.pop() else {
            return leaf(self);
        };
        match pattern {
            Pattern::Bind(slot) => {
                self.env[*slot] = value;
                self.match_value(todo, leaf)
            }
            Pattern::Tuple(members)
            | Pattern::Unordered {
                members,
                every_order: false,
            } => {
                todo.extend(members.iter().zip(elements(&value).iter().cloned()));
                self.match_value(todo, leaf)
            }
            Pattern::Unordered {
                members,
                every_order: true,
            } => self.choose(&todo, members, None, &mut elements(&value).to_vec(), leaf),
            Pattern::Pick { members, rest } => self.choose(
                &todo,
                members,
                Some(*rest),
                &mut elements(&value).to_vec(),
                leaf,
            ),
        }
    }

    /// Tries each different member of `pool` for the first of `members`, and so on.
    fn choose(
        &mut self,
        todo: &[(&'r Pattern, Value)],
        members: &'r [Pattern],
        rest: Option<Slot>,
        pool: &mut Vec<Value>,
        leaf: Leaf<'_, 'r>,
    ) -> Flow {
        let Some((first, others)) = members.split_first() else {
            if let Some(rest) = rest {
                self.env[rest] = Value::seq(pool.iter().cloned());
            }
            return self.match_value(todo.to_vec(), leaf);
        };
        let start = self.entry().and_then(|v| v.to_usize()).unwrap_or(0);
        for i in start..pool.len() {
            if i > 0 && pool[i] == pool[i - 1] {
                continue;
            }
            let picked = pool.remove(i);
            let mut todo = todo.to_vec();
            todo.push((first, picked.clone()));
            let flow = self.choose(&todo, others, rest, pool, leaf);
            pool.insert(i, picked);
            if flow?.is_break() {
                self.broken.push(Int::from(i));
                return BROKEN;
            }
        }
        ON
    }

    /// The choice to enter by at this choice point, once.
    #[inline]
    fn entry(&mut self) -> Option<Int> {
        if self.entered < self.enter.len() {
            self.entered += 1;
            return Some(self.enter[self.entered - 1].clone());
        }
        None
    }

    /// Runs `leaf` for each way to satisfy the clauses. With `TOP` these are the choice points of a move, which can be
    /// left and entered again.
    fn loops<const TOP: bool>(&mut self, clauses: &'r [Clause], leaf: Leaf<'_, 'r>) -> Flow {
        let Some((clause, rest)) = clauses.split_first() else {
            return leaf(self);
        };
        match clause {
            Clause::If(condition) => {
                if self.truth(condition)? {
                    self.loops::<TOP>(rest, leaf)
                } else {
                    ON
                }
            }
            Clause::For {
                slots,
                domain: domain @ Domain::Range(lo, hi),
            } => {
                let (mut v, hi) = (self.int(lo)?, self.int(hi)?);
                if TOP && let Some(start) = self.entry() {
                    v = start;
                }
                if let (Some(first), Some(last)) = (v.to_i64(), hi.to_i64()) {
                    if last.saturating_sub(first) > FEW
                        && let Some(divided) = divided(rest, slots[0])
                        && let Some(divisors) = self.divisors(divided, first, last, domain)?
                    {
                        for &v in divisors.iter().filter(|v| (first..=last).contains(v)) {
                            self.env[slots[0]] = Value::Int(Int::from(v));
                            if self.loops::<TOP>(rest, leaf)?.is_break() {
                                if TOP {
                                    self.broken.push(Int::from(v));
                                }
                                return BROKEN;
                            }
                        }
                        return ON;
                    }
                    for v in first..=last {
                        self.tick(domain)?;
                        self.env[slots[0]] = Value::Int(Int::from(v));
                        let flow = if rest.is_empty() {
                            leaf(self)
                        } else {
                            self.loops::<TOP>(rest, leaf)
                        };
                        if flow?.is_break() {
                            if TOP {
                                self.broken.push(Int::from(v));
                            }
                            return BROKEN;
                        }
                    }
                    return ON;
                }
                while v <= hi {
                    self.tick(domain)?;
                    self.env[slots[0]] = Value::Int(v.clone());
                    if self.loops::<TOP>(rest, leaf)?.is_break() {
                        if TOP {
                            self.broken.push(v);
                        }
                        return BROKEN;
                    }
                    v = &v + &Int::ONE;
                }
                ON
            }
            Clause::For {
                slots,
                domain: domain @ Domain::Members(list),
            } => {
                let list = self.value(list)?;
                let start = if TOP {
                    self.entry().and_then(|v| v.to_usize()).unwrap_or(0)
                } else {
                    0
                };
                for (i, member) in elements(&list).iter().enumerate().skip(start) {
                    self.tick(domain)?;
                    if let [slot] = slots[..] {
                        self.env[slot] = member.clone();
                    } else {
                        for (slot, v) in slots.iter().zip(elements(member)) {
                            self.env[*slot] = v.clone();
                        }
                    }
                    if self.loops::<TOP>(rest, leaf)?.is_break() {
                        if TOP {
                            self.broken.push(Int::from(i));
                        }
                        return BROKEN;
                    }
                }
                ON
            }
        }
    }

    /// The divisors of a number in order, if to look for them takes less than to try this range from 1 on.
    fn divisors(
        &mut self,
        number: &'r Expr,
        first: i64,
        last: i64,
        domain: &Domain,
    ) -> Result<Option<Arc<[i64]>>> {
        let number = self.int(number)?.to_i64().map(i64::unsigned_abs);
        let Some(number) = number.filter(|&n| n > 0 && i64::try_from(n).is_ok() && first > 0)
        else {
            return Ok(None);
        };
        if number.isqrt() > last.abs_diff(first) / 2 {
            return Ok(None);
        }
        if let Some(known) = self.divisors.get(&number) {
            return Ok(Some(known.clone()));
        }
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for d in 1..=number.isqrt() {
            self.tick(domain)?;
            if number.is_multiple_of(d) {
                low.push(d as i64);
                if d != number / d {
                    high.push((number / d) as i64);
                }
            }
        }
        let all: Arc<[i64]> = low.into_iter().chain(high.into_iter().rev()).collect();
        if self.divisors.len() == KEPT {
            self.divisors.clear();
        }
        self.divisors.insert(number, all.clone());
        Ok(Some(all))
    }

    #[inline]
    fn tick(&mut self, domain: &Domain) -> Result<()> {
        self.ticks += 1;
        self.patience -= 1;
        if self.patience == 0 || self.ticks & 0xffff == 0 {
            return self.pause(domain);
        }
        Ok(())
    }

    /// Whether to go on.
    #[cold]
    fn pause(&mut self, domain: &Domain) -> Result<()> {
        let error =
            |code, message: String| Diagnostic::error(code, &self.rules.game.source, message);
        if self.patience == 0 {
            self.patience = 1;
            let message = "more values of quantifiers than can be tried here";
            return Err(Box::new(error(Code::TooLarge, message.to_owned())));
        }
        if self.budget.stopped() {
            return Err(Box::new(error(
                Code::Interrupted,
                "stopped while options were listed".to_owned(),
            )));
        }
        if self.ticks.saturating_sub(self.fruitful) >= self.drought {
            let message = format!("{} values in a row gave no move", self.drought);
            let error = error(Code::TooLarge, message).at(domain.span(), "values of this range");
            let help = "let the range hold fewer values: bounds such as `if k <= m` or `if 2*k < n` right behind it \
                        cut it down by themselves, other guards refuse each value one by one";
            return Err(Box::new(error.help(help)));
        }
        Ok(())
    }

    fn fail(
        &self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, &self.game().source, message).at(span, label))
    }

    /// The value of an integer expression.
    pub fn int(&mut self, expr: &'r Expr) -> Result<Int> {
        match &expr.kind {
            ExprKind::Int(v) => Ok(v.clone()),
            ExprKind::Slot(slot) => match &self.env[*slot] {
                Value::Int(v) => Ok(v.clone()),
                other => unreachable!("the checker gave a number the value {other:?}"),
            },
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.int(a)?, self.int(b)?);
                match op {
                    BinaryOp::Add => Ok(&x + &y),
                    BinaryOp::Sub => Ok(&x - &y),
                    BinaryOp::Mul => Ok(&x * &y),
                    BinaryOp::Xor => Ok(x.bitxor(&y)),
                    BinaryOp::Div => x.div_floor(&y).ok_or_else(|| self.zero_divisor(b)),
                    BinaryOp::Mod => x.mod_floor(&y).ok_or_else(|| self.zero_divisor(b)),
                    BinaryOp::Pow if y.is_negative() => Err(self.fail(
                        Code::OutsideDomain,
                        b.span,
                        "a negative exponent",
                        format!("this is {y}"),
                    )),
                    BinaryOp::Pow => x.pow(&y).ok_or_else(|| {
                        self.fail(
                            Code::TooLarge,
                            expr.span,
                            "a power of more than 2^26 bits",
                            format!("the exponent is {y}"),
                        )
                    }),
                }
            }
            ExprKind::Neg(a) => Ok(-&self.int(a)?),
            ExprKind::If(c, a, b) => {
                if self.truth(c)? {
                    self.int(a)
                } else {
                    self.int(b)
                }
            }
            ExprKind::Call(function @ (Function::Min | Function::Max), args) if args.len() > 1 => {
                let mut best = self.int(&args[0])?;
                for arg in &args[1..] {
                    let v = self.int(arg)?;
                    if (v < best) == (*function == Function::Min) {
                        best = v;
                    }
                }
                Ok(best)
            }
            ExprKind::Index(list, index) => {
                let i = self.int(index)?;
                let spot = |v: &Value| i.to_usize().and_then(|i| elements(v).get(i).cloned());
                let (found, len) = if let ExprKind::Slot(slot) = list.kind {
                    (spot(&self.env[slot]), elements(&self.env[slot]).len())
                } else {
                    let list = self.value(list)?;
                    (spot(&list), elements(&list).len())
                };
                match found {
                    Some(Value::Int(v)) => Ok(v),
                    Some(other) => unreachable!("the checker gave a number the value {other:?}"),
                    None => Err(self.outside(list, index, &i, len)),
                }
            }
            _ => match self.value(expr)? {
                Value::Int(v) => Ok(v),
                other => unreachable!("the checker gave a number the value {other:?}"),
            },
        }
    }

    fn zero_divisor(&self, divisor: &Expr) -> Box<Diagnostic> {
        let mut error = self.fail(
            Code::DivisionByZero,
            divisor.span,
            "division by zero",
            "this is 0",
        );
        let help = "let its range start above 0, or put a guard such as `if k != 0` before it";
        error.help = Some(help.to_owned());
        error
    }

    fn outside(&self, list: &Expr, index: &Expr, i: &Int, len: usize) -> Box<Diagnostic> {
        let name = self.game().source.slice(list.span).to_owned();
        let mut error = self.fail(
            Code::IndexRange,
            index.span,
            format!("there is no element {i} in `{name}`"),
            format!("this is {i}"),
        );
        error.notes.push(match len {
            0 => format!("`{name}` is empty"),
            1 => format!("`{name}` has one element, number 0"),
            _ => format!("`{name}` has {len} elements, numbered 0 to {}", len - 1),
        });
        let of_position = |slot: Slot| {
            let patterns = self.game().moves.iter().map(|m| &m.pattern);
            patterns
                .chain(self.game().ends.iter().map(|e| &e.pattern))
                .any(|p| p.binds(slot))
        };
        error.help = Some(match index.kind {
            // It may be what was asked for.
            ExprKind::Slot(slot) if of_position(slot) => {
                let at = self.game().source.slice(index.span);
                format!(
                    "ask for a position whose {at} is one of these numbers; if the rules lead here, bound what they lead to"
                )
            }
            _ => "bound the quantifier, or put a guard `if` before it".to_owned(),
        });
        error
    }

    /// The value of a condition.
    pub fn truth(&mut self, expr: &'r Expr) -> Result<bool> {
        match &expr.kind {
            ExprKind::Bool(v) => Ok(*v),
            ExprKind::Slot(slot) => match &self.env[*slot] {
                Value::Bool(v) => Ok(*v),
                other => unreachable!("the checker gave a condition the value {other:?}"),
            },
            ExprKind::Compare(op, a, b) => {
                let order = if a.ty == Type::Int {
                    self.int(a)?.cmp(&self.int(b)?)
                } else {
                    self.value(a)?.cmp(&self.value(b)?)
                };
                Ok(match op {
                    CompareOp::Eq => order.is_eq(),
                    CompareOp::Ne => order.is_ne(),
                    CompareOp::Lt => order.is_lt(),
                    CompareOp::Le => order.is_le(),
                    CompareOp::Gt => order.is_gt(),
                    CompareOp::Ge => order.is_ge(),
                })
            }
            ExprKind::Not(a) => Ok(!self.truth(a)?),
            ExprKind::And(all) => {
                for a in all {
                    if !self.truth(a)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            ExprKind::Or(any) => {
                for a in any {
                    if self.truth(a)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            ExprKind::If(c, a, b) => {
                if self.truth(c)? {
                    self.truth(a)
                } else {
                    self.truth(b)
                }
            }
            ExprKind::In(member, domain) => match &**domain {
                Domain::Range(lo, hi) => {
                    let v = self.int(member)?;
                    Ok(self.int(lo)? <= v && v <= self.int(hi)?)
                }
                Domain::Members(list) => {
                    let v = self.value(member)?;
                    let members = self.value(list)?;
                    Ok(match list.ty {
                        Type::Set(_) => elements(&members).binary_search(&v).is_ok(),
                        _ => elements(&members).contains(&v),
                    })
                }
            },
            _ => match self.value(expr)? {
                Value::Bool(v) => Ok(v),
                other => unreachable!("the checker gave a condition the value {other:?}"),
            },
        }
    }

    /// The value of any expression.
    pub fn value(&mut self, expr: &'r Expr) -> Result<Value> {
        match &expr.kind {
            ExprKind::Slot(slot) => Ok(self.env[*slot].clone()),
            ExprKind::Char(c) => Ok(Value::Char(*c)),
            ExprKind::Str(text) => Ok(Value::seq(text.chars().map(Value::Char))),
            ExprKind::Bool(_)
            | ExprKind::Compare(..)
            | ExprKind::Not(_)
            | ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::In(..) => self.truth(expr).map(Value::Bool),
            ExprKind::Int(_) | ExprKind::Neg(_) => self.int(expr).map(Value::Int),
            ExprKind::Binary(op, a, b) => {
                if expr.ty == Type::Int {
                    return self.int(expr).map(Value::Int);
                }
                let (x, y) = (self.value(a)?, self.value(b)?);
                let (x, y) = (elements(&x), elements(&y));
                Ok(match (&expr.ty, op) {
                    (Type::Set(_), BinaryOp::Add) => merge(x, y, true, true, true),
                    (Type::Set(_), BinaryOp::Sub) => merge(x, y, true, false, false),
                    (Type::Set(_), _) => merge(x, y, true, true, false),
                    _ => Value::seq(x.iter().chain(y).cloned()),
                })
            }
            ExprKind::If(c, a, b) => {
                if self.truth(c)? {
                    self.value(a)
                } else {
                    self.value(b)
                }
            }
            ExprKind::Index(list, index) => {
                let (values, i) = (self.value(list)?, self.int(index)?);
                let len = elements(&values).len();
                match i.to_usize().and_then(|i| elements(&values).get(i)) {
                    Some(v) => Ok(v.clone()),
                    None => Err(self.outside(list, index, &i, len)),
                }
            }
            ExprKind::Slice(list, lo, hi) => {
                let (values, from, to) = (self.value(list)?, self.int(lo)?, self.int(hi)?);
                if from > to {
                    return Ok(Value::seq([]));
                }
                let len = elements(&values).len();
                let (Some(first), Some(last)) =
                    (from.to_usize(), to.to_usize().filter(|&t| t < len))
                else {
                    let (index, i) = if from.is_negative() {
                        (lo, from)
                    } else {
                        (hi, to)
                    };
                    return Err(self.outside(list, index, &i, len));
                };
                Ok(Value::seq(elements(&values)[first..=last].iter().cloned()))
            }
            ExprKind::List(members) => self.values(members).map(Value::seq),
            ExprKind::Tuple(members) => {
                let mut values = self.values(members)?;
                if matches!(expr.ty, Type::Unordered(..)) {
                    values.sort();
                }
                Ok(Value::seq(values))
            }
            ExprKind::Brace(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    match item {
                        BraceItem::Member(e) => values.push(self.value(e)?),
                        BraceItem::Spread(e) => values.extend_from_slice(elements(&self.value(e)?)),
                    }
                }
                Ok(canonical(values, &expr.ty))
            }
            ExprKind::Convert(a) => Ok(canonical(elements(&self.value(a)?).to_vec(), &expr.ty)),
            ExprKind::With(base, updates) => {
                let base_value = self.value(base)?;
                let mut values = elements(&base_value).to_vec();
                for update in updates {
                    let i = self.int(&update.index)?;
                    let v = self.value(&update.value)?;
                    let Some(spot) = i.to_usize().and_then(|i| values.get_mut(i)) else {
                        return Err(self.outside(base, &update.index, &i, values.len()));
                    };
                    *spot = match (update.op, &*spot, v) {
                        (UpdateOp::Add, Value::Int(old), Value::Int(v)) => Value::Int(old + &v),
                        (UpdateOp::Sub, Value::Int(old), Value::Int(v)) => Value::Int(old - &v),
                        (_, _, v) => v,
                    };
                }
                Ok(Value::seq(values))
            }
            ExprKind::Fold(fold, body, clauses) => self.fold(expr, *fold, body, clauses),
            ExprKind::Call(function, args) => self.call(expr, *function, args),
            ExprKind::Format(_) => Ok(Value::seq(self.text(expr)?.chars().map(Value::Char))),
        }
    }

    /// The text of an expression, as `output` prints it.
    pub fn text(&mut self, expr: &'r Expr) -> Result<String> {
        let mut out = String::new();
        self.text_into(expr, &mut out)?;
        Ok(out)
    }

    /// Appends the text of an expression; before an error, perhaps a part of it.
    pub fn text_into(&mut self, mut expr: &'r Expr, out: &mut String) -> Result<()> {
        while let ExprKind::If(c, a, b) = &expr.kind {
            expr = if self.truth(c)? { a } else { b };
        }
        match &expr.kind {
            ExprKind::Str(text) => out.push_str(text),
            ExprKind::Format(pieces) => {
                for piece in pieces {
                    self.text_into(piece, out)?;
                }
            }
            ExprKind::Binary(BinaryOp::Add, a, b) if expr.ty != Type::Int => {
                self.text_into(a, out)?;
                self.text_into(b, out)?;
            }
            _ if expr.ty == Type::Int => {
                let v = self.int(expr)?;
                // A string takes what is written.
                let _ = write!(out, "{v}");
            }
            _ => out.push_str(&show(&self.value(expr)?, &expr.ty)),
        }
        Ok(())
    }

    fn values(&mut self, exprs: &'r [Expr]) -> Result<Vec<Value>> {
        exprs.iter().map(|e| self.value(e)).collect()
    }

    fn fold(
        &mut self,
        expr: &'r Expr,
        fold: Fold,
        body: &'r Expr,
        clauses: &'r [Clause],
    ) -> Result<Value> {
        let mut values = Vec::new();
        let mut number = Int::ZERO;
        let mut any = false;
        let _ = self.loops::<false>(clauses, &mut |machine| {
            match fold {
                Fold::List | Fold::Set => values.push(machine.value(body)?),
                Fold::Sum => number = &number + &machine.int(body)?,
                Fold::Min | Fold::Max => {
                    let v = machine.int(body)?;
                    if !any || (v < number) == (fold == Fold::Min) {
                        number = v;
                    }
                    any = true;
                }
                Fold::Count => {
                    if machine.truth(body)? {
                        number = &number + &Int::ONE;
                    }
                }
                Fold::All | Fold::Any => {
                    if machine.truth(body)? == (fold == Fold::Any) {
                        any = true;
                        return BROKEN;
                    }
                }
            }
            ON
        })?;
        match fold {
            Fold::List => Ok(Value::seq(values)),
            Fold::Set => Ok(canonical(values, &expr.ty)),
            Fold::Min | Fold::Max if !any => Err(self.fail(
                Code::Empty,
                expr.span,
                "the least or greatest of nothing",
                "no value to choose from",
            )),
            Fold::Sum | Fold::Min | Fold::Max | Fold::Count => Ok(Value::Int(number)),
            Fold::Any => Ok(Value::Bool(any)),
            Fold::All => Ok(Value::Bool(!any)),
        }
    }

    fn call(&mut self, expr: &'r Expr, function: Function, args: &'r [Expr]) -> Result<Value> {
        match function {
            Function::Min | Function::Max if args.len() > 1 => self.int(expr).map(Value::Int),
            Function::Min | Function::Max => {
                let list = self.value(&args[0])?;
                let members = elements(&list);
                let best = if function == Function::Min {
                    members.iter().min()
                } else {
                    members.iter().max()
                };
                best.cloned().ok_or_else(|| {
                    self.fail(
                        Code::Empty,
                        args[0].span,
                        "the least or greatest of nothing",
                        "this is empty",
                    )
                })
            }
            Function::Len => Ok(Value::Int(Int::from(
                elements(&self.value(&args[0])?).len(),
            ))),
            Function::Sorted | Function::Reversed => {
                let mut values = elements(&self.value(&args[0])?).to_vec();
                if function == Function::Sorted {
                    sort(&mut values);
                } else {
                    values.reverse()
                }
                Ok(Value::seq(values))
            }
            Function::Gcd => Ok(Value::Int(self.int(&args[0])?.gcd(&self.int(&args[1])?))),
            Function::Abs => Ok(Value::Int(self.int(&args[0])?.abs())),
            Function::Isqrt => {
                let v = self.int(&args[0])?;
                v.isqrt().map(Value::Int).ok_or_else(|| {
                    let label = format!("this is {v}");
                    self.fail(
                        Code::OutsideDomain,
                        args[0].span,
                        "the square root of a negative number",
                        label,
                    )
                })
            }
            Function::Sum => {
                let list = self.value(&args[0])?;
                let ints = elements(&list).iter().filter_map(Value::as_int);
                Ok(Value::Int(ints.fold(Int::ZERO, |sum, v| &sum + v)))
            }
            Function::Distinct => {
                let values = self.value(&args[0])?;
                let different = match words(elements(&values)) {
                    Some(mut words) => {
                        words.sort_unstable();
                        words.windows(2).all(|w| w[0] != w[1])
                    }
                    None => {
                        let mut values = elements(&values).to_vec();
                        values.sort();
                        values.windows(2).all(|w| w[0] != w[1])
                    }
                };
                Ok(Value::Bool(different))
            }
            Function::Digits => {
                let v = self.int(&args[0])?;
                if v.is_negative() {
                    let label = format!("this is {v}");
                    return Err(self.fail(
                        Code::OutsideDomain,
                        args[0].span,
                        "the digits of a negative number",
                        label,
                    ));
                }
                Ok(Value::seq(
                    v.to_string()
                        .bytes()
                        .map(|b| Value::from(i64::from(b - b'0'))),
                ))
            }
            Function::Number => {
                let list = self.value(&args[0])?;
                let mut text = String::from("0");
                for digit in elements(&list) {
                    match digit.as_int().and_then(Int::to_i64) {
                        Some(d @ 0..=9) => text.push_str(&d.to_string()),
                        _ => {
                            return Err(self.fail(
                                Code::OutsideDomain,
                                args[0].span,
                                "a digit that is not from 0 to 9",
                                format!("holds {}", show(digit, &Type::Int)),
                            ));
                        }
                    }
                }
                Ok(Value::Int(text.parse().unwrap_or_default()))
            }
        }
    }
}

/// A number or a name that stands for a word.
#[inline]
fn small_leaf(env: &[Value], expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(v) => v.to_i64(),
        ExprKind::Slot(slot) => env[*slot].as_int().and_then(Int::to_i64),
        _ => None,
    }
}

/// The value of the commonest expressions, a name and a sum or difference of two, while it fits a word.
#[inline]
fn small(env: &[Value], expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Add, a, b) => {
            small_leaf(env, a)?.checked_add(small_leaf(env, b)?)
        }
        ExprKind::Binary(BinaryOp::Sub, a, b) => {
            small_leaf(env, a)?.checked_sub(small_leaf(env, b)?)
        }
        _ => small_leaf(env, expr),
    }
}

/// [`Machine::emit`] for counters and pairs of counters with [`small`] values, in place of the words; `None` for others.
#[inline]
fn emit_small(env: &[Value], expr: &Expr, shape: &Shape, out: &mut Words) -> Option<bool> {
    out.clear();
    match (shape, &expr.kind) {
        (Shape::Int, _) => {
            let v = small(env, expr)?;
            out.push(Int::from(v));
            Some(v >= 0)
        }
        (Shape::Unordered(2, inner), ExprKind::Tuple(members)) if matches!(**inner, Shape::Int) => {
            let [a, b] = &members[..] else { return None };
            let (a, b) = (small(env, a)?, small(env, b)?);
            out.extend([Int::from(a.min(b)), Int::from(a.max(b))]);
            Some(a >= 0 && b >= 0)
        }
        (Shape::Tuple(shapes), ExprKind::Tuple(members)) => {
            let mut fits = true;
            for (shape, member) in shapes.iter().zip(members) {
                let Shape::Int = shape else { return None };
                let v = small(env, member)?;
                fits &= v >= 0;
                out.push(Int::from(v));
            }
            Some(fits)
        }
        _ => None,
    }
}

type Leaf<'a, 'r> = &'a mut dyn FnMut(&mut Machine<'r>) -> Flow;

fn all_counters<'a>(members: &[Pattern], mut shapes: impl Iterator<Item = &'a Shape>) -> bool {
    shapes.all(|s| *s == Shape::Int) && members.iter().all(|m| matches!(m, Pattern::Bind(_)))
}

fn elements(value: &Value) -> &[Value] {
    match value {
        Value::Seq(members) => members,
        other => unreachable!("the checker gave a list the value {other:?}"),
    }
}

/// The members of a set, multiset or unordered tuple in canonical order.
pub(crate) fn canonical(mut values: Vec<Value>, ty: &Type) -> Value {
    values.sort();
    match ty {
        Type::Set(_) => values.dedup(),
        Type::Multiset(_) => values.retain(|v| v.as_int().is_none_or(|v| !v.is_zero())),
        _ => {}
    }
    Value::seq(values)
}

/// Merges sorted rows: which of the members only in the first, only in the second, and in both to keep.
fn merge(x: &[Value], y: &[Value], first: bool, second: bool, both: bool) -> Value {
    let mut out = Vec::with_capacity(x.len() + y.len());
    let (mut i, mut j) = (0, 0);
    while i < x.len() || j < y.len() {
        let order = match (x.get(i), y.get(j)) {
            (Some(a), Some(b)) => a.cmp(b),
            (Some(_), None) => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Greater,
        };
        let (keep, member) = match order {
            std::cmp::Ordering::Less => (first, &x[i]),
            std::cmp::Ordering::Greater => (second, &y[j]),
            std::cmp::Ordering::Equal => (both, &x[i]),
        };
        if keep {
            out.push(member.clone());
        }
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
    }
    Value::seq(out)
}

/// The numbers of a list, if each is one and fits in a word: long lists are sorted four times faster as words.
fn words(values: &[Value]) -> Option<Vec<i64>> {
    values.iter().map(|v| v.as_int()?.to_i64()).collect()
}

/// Sorts a list.
fn sort(values: &mut [Value]) {
    match words(values) {
        Some(mut words) => {
            words.sort_unstable();
            for (value, word) in values.iter_mut().zip(words) {
                *value = Value::from(word);
            }
        }
        None => values.sort(),
    }
}

/// A value as `output` prints it: a string without quotes, members of anything else with commas between.
pub fn show(value: &Value, ty: &Type) -> String {
    match value {
        Value::Int(v) => v.to_string(),
        Value::Bool(v) => v.to_string(),
        Value::Char(c) => c.to_string(),
        Value::Seq(members) => {
            let inner = |i: usize| match ty {
                Type::List(t) | Type::Set(t) | Type::Multiset(t) | Type::Unordered(_, t) => {
                    (**t).clone()
                }
                Type::Tuple(types) => types[i].clone(),
                _ => Type::Int,
            };
            let (open, close, between) = match ty {
                Type::List(t) if **t == Type::Char => ("", "", ""),
                Type::List(_) => ("[", "]", ", "),
                Type::Tuple(_) => ("(", ")", ", "),
                _ => ("{", "}", ", "),
            };
            let shown: Vec<_> = members
                .iter()
                .enumerate()
                .map(|(i, m)| show(m, &inner(i)))
                .collect();
            format!("{open}{}{close}", shown.join(between))
        }
    }
}
