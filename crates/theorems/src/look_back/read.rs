//! The rules read with a large counter: what are the options of (C, q) for every C ≥ B?
//!
//! Numbers are a·Q + b, where the counter is C = m·Q + r for a fixed m and r and a Q that grows without bound; control and
//! quantifiers are plain numbers (a = 0). Such a number compares with another in one way for all large Q, and where it
//! matters how large, B is raised, so nothing is assumed that the caller does not know. `C % d` and `C // d` are exact if d
//! divides m; otherwise a larger m is asked for. Anything else that would make the options depend on C is a reason to
//! refuse. A guard such as `k <= C` only says that (C − k) is no position otherwise, and does not raise B.

use std::rc::Rc;

use grundy_core::Int;
use grundy_lang::ir::{
    BinaryOp, BraceItem, Clause, CompareOp, Domain, Expr, ExprKind, Fold, Function, Game, Move,
    Parts, Pattern, Slot,
};
use grundy_lang::value::Value;

/// Options tried for all controls together, at most: recognition must be quick.
const MOST_OPTIONS: usize = 1 << 13;

/// Why reading stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The rule is not of this kind.
    Why(String),
    /// The rule depends on the counter modulo this.
    Modulus(i64),
}

type Read<T> = Result<T, Stop>;

fn why<T>(text: impl Into<String>) -> Read<T> {
    Err(Stop::Why(text.into()))
}

/// a·Q + b
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    a: i64,
    b: i64,
}

#[derive(Clone, Debug)]
enum V<'g> {
    Num(Line),
    Bool(bool),
    Char(char),
    /// A parameter, or part of one.
    Given(&'g Value),
    Seq(Rc<[V<'g>]>),
    /// Not bound yet.
    None,
}

fn num<'g>(b: i64) -> V<'g> {
    V::Num(Line { a: 0, b })
}

fn too_large<T>() -> Read<T> {
    why("a number in the rules is past the machine word")
}

impl Line {
    fn add(self, other: Line) -> Read<Line> {
        match (self.a.checked_add(other.a), self.b.checked_add(other.b)) {
            (Some(a), Some(b)) => Ok(Line { a, b }),
            _ => too_large(),
        }
    }
    fn times(self, by: i64) -> Read<Line> {
        match (self.a.checked_mul(by), self.b.checked_mul(by)) {
            (Some(a), Some(b)) => Ok(Line { a, b }),
            _ => too_large(),
        }
    }
    fn sub(self, other: Line) -> Read<Line> {
        self.add(other.times(-1)?)
    }
    fn constant(self) -> Option<i64> {
        (self.a == 0).then_some(self.b)
    }
}

/// The least and the largest of consecutive amounts, and the control that all of them lead to.
pub(super) type Amounts = (u32, u32, Vec<i64>);

/// What a position (C, q) with a large C can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Large {
    /// Play has ended; whether the player who moved here has won.
    Ended(bool),
    /// The least and the largest of consecutive amounts, and the next control.
    Options(Vec<Amounts>),
}

/// A reader of one set of rules.
pub(super) struct Reader<'g> {
    game: &'g Game,
    /// The place of the counter among the members of the position.
    counter: usize,
    env: Vec<V<'g>>,
    modulus: i64,
    residue: i64,
    /// B so far.
    pub below: i64,
    tried: usize,
}

/// A condition that holds for counters from some point on, and is told apart by that point alone.
type From = i64;

impl<'g> Reader<'g> {
    pub fn new(game: &'g Game, params: &'g [Value], counter: usize) -> Self {
        let mut env = vec![V::None; game.slots.len()];
        for (slot, (value, var)) in env.iter_mut().zip(params.iter().zip(&game.vars)) {
            if !var.part {
                *slot = V::Given(value);
            }
        }
        Reader {
            game,
            counter,
            env,
            modulus: 1,
            residue: 0,
            below: 0,
            tried: 0,
        }
    }

    /// Reads from now on with counters of this residue.
    pub fn set_residue(&mut self, modulus: i64, residue: i64) {
        (self.modulus, self.residue) = (modulus, residue);
    }

    /// The members of the first position beside the counter, if the rules tell them.
    pub fn start_control(&mut self) -> Option<Vec<i64>> {
        let ExprKind::Tuple(members) = &self.game.start.expr.kind else {
            return None;
        };
        let mut control = Vec::with_capacity(members.len());
        for (i, member) in members.iter().enumerate() {
            if i != self.counter {
                control.push(self.number(member).ok()?.constant()?);
            }
        }
        Some(control)
    }

    /// What can be done at the control with a large counter.
    pub fn large(&mut self, control: &[i64]) -> Read<Large> {
        let game = self.game;
        for end in &game.ends {
            self.bind(&end.pattern, control)?;
            if self.truth(&end.condition)? {
                return Ok(Large::Ended(end.win));
            }
        }
        let mut options = Vec::new();
        for rule in &game.moves {
            let slot = self.bind(&rule.pattern, control)?;
            self.options(rule, slot, &rule.clauses, 0, &mut options)?;
        }
        Ok(Large::Options(options))
    }

    /// Binds the position to the pattern; the slot of the counter, if it has one of its own.
    fn bind(&mut self, pattern: &Pattern, control: &[i64]) -> Read<Option<Slot>> {
        let counter = V::Num(Line {
            a: self.modulus,
            b: self.residue,
        });
        let mut rest = control.iter();
        let mut member = |i: usize| {
            if i == self.counter {
                counter.clone()
            } else {
                num(rest.next().copied().unwrap_or(0))
            }
        };
        match pattern {
            Pattern::Bind(slot) if control.is_empty() => {
                self.env[*slot] = counter;
                Ok(Some(*slot))
            }
            Pattern::Bind(slot) => {
                self.env[*slot] = V::Seq((0..=control.len()).map(member).collect());
                Ok(None)
            }
            Pattern::Tuple(members) => {
                let mut found = None;
                for (i, pattern) in members.iter().enumerate() {
                    let Pattern::Bind(slot) = pattern else {
                        return why("a member of the position is no counter");
                    };
                    self.env[*slot] = member(i);
                    if i == self.counter {
                        found = Some(*slot);
                    }
                }
                Ok(found)
            }
            Pattern::Unordered { .. } | Pattern::Pick { .. } => {
                why("the position is not an ordered tuple of counters")
            }
        }
    }

    /// Goes through the clauses; `from` is the least counter for which the guards so far hold.
    fn options(
        &mut self,
        rule: &'g Move,
        counter: Option<Slot>,
        clauses: &'g [Clause],
        from: From,
        out: &mut Vec<Amounts>,
    ) -> Read<()> {
        let Some((clause, rest)) = clauses.split_first() else {
            return self.emit(rule, from, out);
        };
        match clause {
            Clause::If(condition) => match self.guard(condition)? {
                Some(at) => self.options(rule, counter, rest, from.max(at), out),
                None => Ok(()),
            },
            Clause::For {
                slots,
                domain: Domain::Range(lo, hi),
            } => {
                let &[slot] = slots.as_slice() else {
                    return why("a number is taken apart");
                };
                let lo = self.number(lo)?;
                let mut uppers = Vec::new();
                self.uppers(hi, &mut uppers)?;
                let mut constants: Vec<i64> = uppers.iter().filter_map(|u| u.constant()).collect();
                if let Some(first) = lo.constant() {
                    if constants.is_empty() {
                        constants.extend(self.bounds(slot, rest)?);
                    }
                    let growing: Vec<Line> = uppers.into_iter().filter(|u| u.a != 0).collect();
                    if let Some(&falling) = growing.iter().find(|u| u.a < 0) {
                        // The range is empty as soon as this end is below the first value.
                        return self
                            .decide(lo.sub(falling)?.add(Line { a: 0, b: -1 })?)
                            .map(|_| ());
                    }
                    let Some(&last) = constants.iter().min() else {
                        return why(format!(
                            "`{}` grows with the counter, so the amounts have no bound",
                            self.game.source.slice(clause_span(clause))
                        ));
                    };
                    if rest.is_empty() && self.takes(rule, counter, slot) {
                        return self.interval(rule, slot, (first, last), &growing, from, out);
                    }
                    for k in first..=last {
                        self.try_one()?;
                        let mut from = from;
                        for upper in &growing {
                            from = from.max(self.holds_from(upper.add(Line { a: 0, b: -k })?)?);
                        }
                        self.env[slot] = num(k);
                        self.options(rule, counter, rest, from, out)?;
                    }
                    return Ok(());
                }
                // Both ends move with the counter: the values keep their distance from it.
                let hi = self.least(&uppers)?;
                let length = hi.sub(lo)?;
                match length.constant() {
                    Some(length) => {
                        for step in 0..=length {
                            self.try_one()?;
                            self.env[slot] = V::Num(lo.add(Line { a: 0, b: step })?);
                            self.options(rule, counter, rest, from, out)?;
                        }
                        Ok(())
                    }
                    None if length.a < 0 => self.decide(length).map(|_| ()),
                    None => why(format!(
                        "the range `{}` gets longer with the counter, so the amounts have no bound",
                        self.game.source.slice(clause_span(clause))
                    )),
                }
            }
            Clause::For {
                slots,
                domain: Domain::Members(list),
            } => {
                let list = self.value(list)?;
                for i in 0..self.length(&list)? {
                    self.try_one()?;
                    let member = element(&list, i);
                    self.bind_slots(slots, member)?;
                    self.options(rule, counter, rest, from, out)?;
                }
                Ok(())
            }
        }
    }

    fn try_one(&mut self) -> Read<()> {
        self.tried += 1;
        if self.tried > MOST_OPTIONS {
            return why(format!(
                "the states of the control have more than {MOST_OPTIONS} options together"
            ));
        }
        Ok(())
    }

    /// Whether the move takes exactly the value of `slot` from the counter, and nothing else depends on it.
    fn takes(&self, rule: &Move, counter: Option<Slot>, slot: Slot) -> bool {
        let (Parts::Each(parts), Some(counter)) = (&rule.parts, counter) else {
            return false;
        };
        let is = |e: &Expr, s: Slot| matches!(e.kind, ExprKind::Slot(x) if x == s);
        let takes = |e: &Expr| matches!(&e.kind, ExprKind::Binary(BinaryOp::Sub, a, b) if is(a, counter) && is(b, slot));
        match parts.as_slice() {
            [
                Expr {
                    kind: ExprKind::Tuple(members),
                    ..
                },
            ] => members.iter().enumerate().all(|(i, e)| {
                if i == self.counter {
                    return takes(e);
                }
                let mut free = true;
                e.walk(&mut |e| free &= !is(e, slot));
                free
            }),
            [part] => takes(part),
            _ => false,
        }
    }

    /// The options of a whole interval of amounts.
    fn interval(
        &mut self,
        rule: &'g Move,
        slot: Slot,
        (first, last): (i64, i64),
        growing: &[Line],
        from: From,
        out: &mut Vec<Amounts>,
    ) -> Read<()> {
        if first > last {
            return Ok(());
        }
        if last.saturating_sub(first) >= MOST_OPTIONS as i64 {
            return why(format!("more than {MOST_OPTIONS} amounts can be taken"));
        }
        self.env[slot] = num(first);
        let before = out.len();
        self.emit(rule, from, out)?;
        if out.len() == before {
            return Ok(());
        }
        for k in first..=last {
            self.try_one()?;
            let mut from = from;
            for upper in growing {
                from = from.max(self.holds_from(upper.add(Line { a: 0, b: -k })?)?);
            }
            self.found(k, from);
        }
        if let Some(added) = out.last_mut() {
            added.1 = amount(last)?;
        }
        Ok(())
    }

    /// Adds the option that the move makes with the values bound.
    fn emit(&mut self, rule: &'g Move, from: From, out: &mut Vec<Amounts>) -> Read<()> {
        let Parts::Each(parts) = &rule.parts else {
            return why("a move leaves a sum of parts");
        };
        let [part] = parts.as_slice() else {
            return why("a move leaves a sum of parts");
        };
        let whole;
        let mut control = Vec::new();
        let mut left = None;
        let mut member = |i: usize, line: Line, counter: usize| -> Read<bool> {
            if i == counter {
                left = Some(line);
            } else {
                let Some(v) = line.constant() else {
                    return why("another member of the position grows with the counter");
                };
                if v < 0 {
                    return Ok(false);
                }
                control.push(v);
            }
            Ok(true)
        };
        match &part.kind {
            ExprKind::Tuple(members) => {
                for (i, e) in members.iter().enumerate() {
                    let line = self.number(e)?;
                    if !member(i, line, self.counter)? {
                        return Ok(());
                    }
                }
            }
            _ => match self.value(part)? {
                V::Seq(members) => {
                    whole = members;
                    for (i, v) in whole.iter().enumerate() {
                        let line = line(v)?;
                        if !member(i, line, self.counter)? {
                            return Ok(());
                        }
                    }
                }
                v => {
                    let line = line(&v)?;
                    member(self.counter, line, self.counter)?;
                }
            },
        }
        let Some(left) = left else {
            return why("the position is not an ordered tuple of counters");
        };
        let taken = Line {
            a: self.modulus,
            b: self.residue,
        }
        .sub(left)?;
        let Some(k) = taken.constant() else {
            return why(if taken.a > 0 {
                "the amount taken grows with the counter"
            } else {
                "a move makes the counter larger without bound"
            });
        };
        self.found(k, from);
        let k = amount(k)?;
        out.push((k, k, control));
        Ok(())
    }

    /// An option that takes k, for counters from `from` on: those below must be too small for it anyway, or be below B.
    fn found(&mut self, k: i64, from: From) {
        if from.saturating_sub(self.modulus) >= k {
            self.raise(from);
        }
    }

    fn raise(&mut self, counter: i64) {
        self.below = self
            .below
            .max(counter.saturating_sub(self.modulus).saturating_add(1));
    }

    /// The least counter of this residue from which on a number that grows is not negative.
    fn holds_from(&self, line: Line) -> Read<From> {
        // a·Q + b ≥ 0 from Q = ⌈−b/a⌉ on.
        let q = line
            .b
            .checked_neg()
            .and_then(|b| b.checked_add(line.a - 1))
            .map(|n| n.div_euclid(line.a));
        match q
            .and_then(|q| q.max(0).checked_mul(self.modulus))
            .and_then(|c| c.checked_add(self.residue))
        {
            Some(c) => Ok(c),
            None => too_large(),
        }
    }

    /// Whether the number is ≥ 0 for all counters from B on; B is raised as needed.
    fn decide(&mut self, line: Line) -> Read<bool> {
        Ok(match line.a {
            0 => line.b >= 0,
            a if a > 0 => {
                let from = self.holds_from(line)?;
                self.raise(from);
                true
            }
            _ => {
                // −1 − line ≥ 0
                let from = self.holds_from(line.times(-1)?.add(Line { a: 0, b: -1 })?)?;
                self.raise(from);
                false
            }
        })
    }

    fn less_or_equal(&mut self, a: Line, b: Line) -> Read<bool> {
        self.decide(b.sub(a)?)
    }

    fn same(&mut self, a: Line, b: Line) -> Read<bool> {
        Ok(self.less_or_equal(a, b)? && self.less_or_equal(b, a)?)
    }

    fn least(&mut self, lines: &[Line]) -> Read<Line> {
        let Some((&first, rest)) = lines.split_first() else {
            return why("the least of nothing is asked");
        };
        let mut best = first;
        for &line in rest {
            if self.less_or_equal(line, best)? {
                best = line;
            }
        }
        Ok(best)
    }

    /// The members of a `min(…)`, nested ones too; else the number itself.
    fn uppers(&mut self, hi: &'g Expr, out: &mut Vec<Line>) -> Read<()> {
        match &hi.kind {
            ExprKind::Call(Function::Min, args) if args.len() > 1 => {
                args.iter().try_for_each(|e| self.uppers(e, out))
            }
            _ => {
                out.push(self.number(hi)?);
                Ok(())
            }
        }
    }

    /// Constant upper bounds of a quantifier that the guards right behind it set: `if k <= 3`, `if k in S`.
    fn bounds(&mut self, slot: Slot, clauses: &'g [Clause]) -> Read<Vec<i64>> {
        let mut out = Vec::new();
        for clause in clauses {
            let Clause::If(condition) = clause else { break };
            let all = match &condition.kind {
                ExprKind::And(all) => all.as_slice(),
                _ => std::slice::from_ref(condition),
            };
            for e in all {
                let is = |e: &Expr| matches!(e.kind, ExprKind::Slot(s) if s == slot);
                let mut inside = false;
                let bound = match &e.kind {
                    ExprKind::Compare(
                        op @ (CompareOp::Le | CompareOp::Lt | CompareOp::Eq),
                        a,
                        b,
                    ) if is(a) => {
                        b.walk(&mut |e| inside |= is(e));
                        Some((b, *op == CompareOp::Lt))
                    }
                    ExprKind::Compare(
                        op @ (CompareOp::Ge | CompareOp::Gt | CompareOp::Eq),
                        b,
                        a,
                    ) if is(a) => {
                        b.walk(&mut |e| inside |= is(e));
                        Some((b, *op == CompareOp::Gt))
                    }
                    ExprKind::In(a, domain) if is(a) => {
                        domain.walk(&mut |e| inside |= is(e));
                        if let (Domain::Members(list), false) = (&**domain, inside) {
                            let list = self.value(list)?;
                            let mut most = i64::MIN;
                            let mut constant = true;
                            for i in 0..self.length(&list)? {
                                match line(&element(&list, i))?.constant() {
                                    Some(v) => most = most.max(v),
                                    None => constant = false,
                                }
                            }
                            if constant {
                                out.push(most);
                            }
                        }
                        None
                    }
                    _ => None,
                };
                if let Some((bound, strict)) = bound
                    && !inside
                    && let Some(v) = self.number(bound)?.constant()
                {
                    out.push(v.saturating_sub(i64::from(strict)));
                }
            }
        }
        Ok(out)
    }

    /// A guard: the counter from which on it holds, or `None` if it fails for all large counters.
    fn guard(&mut self, condition: &'g Expr) -> Read<Option<From>> {
        match &condition.kind {
            ExprKind::And(all) => {
                let mut from = 0;
                for e in all {
                    match self.guard(e)? {
                        Some(at) => from = from.max(at),
                        None => return Ok(None),
                    }
                }
                Ok(Some(from))
            }
            ExprKind::Compare(
                op @ (CompareOp::Le | CompareOp::Lt | CompareOp::Ge | CompareOp::Gt),
                a,
                b,
            ) if a.ty == grundy_lang::ir::Type::Int => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                let one = Line { a: 0, b: -1 };
                let line = match op {
                    CompareOp::Le => b.sub(a)?,
                    CompareOp::Lt => b.sub(a)?.add(one)?,
                    CompareOp::Ge => a.sub(b)?,
                    _ => a.sub(b)?.add(one)?,
                };
                if line.a > 0 {
                    self.holds_from(line).map(Some)
                } else {
                    Ok(self.decide(line)?.then_some(0))
                }
            }
            _ => Ok(self.truth(condition)?.then_some(0)),
        }
    }

    fn truth(&mut self, e: &'g Expr) -> Read<bool> {
        match self.value(e)? {
            V::Bool(b) => Ok(b),
            V::Given(Value::Bool(b)) => Ok(*b),
            _ => why("a condition is no truth value"),
        }
    }

    fn number(&mut self, e: &'g Expr) -> Read<Line> {
        let v = self.value(e)?;
        line(&v)
    }

    fn constant(&mut self, e: &'g Expr) -> Read<i64> {
        match self.number(e)?.constant() {
            Some(v) => Ok(v),
            None => why(format!(
                "`{}` grows with the counter",
                self.game.source.slice(e.span)
            )),
        }
    }

    fn length(&self, v: &V) -> Read<usize> {
        match v {
            V::Seq(all) => Ok(all.len()),
            V::Given(Value::Seq(all)) => Ok(all.len()),
            _ => why("a list is wanted"),
        }
    }

    fn value(&mut self, e: &'g Expr) -> Read<V<'g>> {
        Ok(match &e.kind {
            ExprKind::Slot(slot) => match &self.env[*slot] {
                V::None => {
                    return why(format!(
                        "`{}` is not the same for every part",
                        self.game.slots[*slot].name
                    ));
                }
                v => v.clone(),
            },
            ExprKind::Int(v) => num(small(v)?),
            ExprKind::Bool(b) => V::Bool(*b),
            ExprKind::Char(c) => V::Char(*c),
            ExprKind::Str(text) => V::Seq(text.chars().map(V::Char).collect()),
            ExprKind::Neg(a) => V::Num(self.number(a)?.times(-1)?),
            ExprKind::Binary(op, a, b) => self.binary(e, *op, a, b)?,
            ExprKind::Compare(op, a, b) => V::Bool(self.compare(*op, a, b)?),
            ExprKind::Not(a) => V::Bool(!self.truth(a)?),
            ExprKind::And(all) => {
                for e in all {
                    if !self.truth(e)? {
                        return Ok(V::Bool(false));
                    }
                }
                V::Bool(true)
            }
            ExprKind::Or(all) => {
                for e in all {
                    if self.truth(e)? {
                        return Ok(V::Bool(true));
                    }
                }
                V::Bool(false)
            }
            ExprKind::If(c, a, b) => {
                if self.truth(c)? {
                    self.value(a)?
                } else {
                    self.value(b)?
                }
            }
            ExprKind::In(a, domain) => {
                let a = self.value(a)?;
                V::Bool(match &**domain {
                    Domain::Range(lo, hi) => {
                        let a = line(&a)?;
                        let (lo, hi) = (self.number(lo)?, self.number(hi)?);
                        self.less_or_equal(lo, a)? && self.less_or_equal(a, hi)?
                    }
                    Domain::Members(list) => {
                        let list = self.value(list)?;
                        let mut found = false;
                        for i in 0..self.length(&list)? {
                            found |= self.equal(&a, &element(&list, i))?;
                        }
                        found
                    }
                })
            }
            ExprKind::Call(function, args) => self.call(*function, args)?,
            ExprKind::Fold(fold, body, clauses) => self.fold(*fold, body, clauses)?,
            ExprKind::Index(list, index) => {
                let list = self.value(list)?;
                let i = self.constant(index)?;
                match usize::try_from(i) {
                    Ok(i) if i < self.length(&list)? => element(&list, i),
                    _ => {
                        return why(format!(
                            "`{}` reaches outside its list",
                            self.game.source.slice(e.span)
                        ));
                    }
                }
            }
            ExprKind::Slice(list, lo, hi) => {
                let list = self.value(list)?;
                let (lo, hi) = (self.constant(lo)?, self.constant(hi)?);
                let n = self.length(&list)? as i64;
                if lo > hi {
                    V::Seq([].into())
                } else if lo < 0 || hi >= n {
                    return why(format!(
                        "`{}` reaches outside its list",
                        self.game.source.slice(e.span)
                    ));
                } else {
                    V::Seq((lo..=hi).map(|i| element(&list, i as usize)).collect())
                }
            }
            ExprKind::List(all) | ExprKind::Tuple(all) => V::Seq(
                all.iter()
                    .map(|e| self.value(e))
                    .collect::<Read<Vec<_>>>()?
                    .into(),
            ),
            ExprKind::Brace(items) => {
                let mut all = Vec::new();
                for item in items {
                    match item {
                        BraceItem::Member(e) => all.push(self.value(e)?),
                        BraceItem::Spread(e) => {
                            let list = self.value(e)?;
                            for i in 0..self.length(&list)? {
                                all.push(element(&list, i));
                            }
                        }
                    }
                }
                set(all)?
            }
            ExprKind::Convert(a) => {
                let list = self.value(a)?;
                let n = self.length(&list)?;
                set((0..n).map(|i| element(&list, i)).collect())?
            }
            ExprKind::With(..) | ExprKind::Format(_) => {
                return why("a list is changed by a move");
            }
        })
    }

    fn binary(&mut self, e: &'g Expr, op: BinaryOp, a: &'g Expr, b: &'g Expr) -> Read<V<'g>> {
        if e.ty != grundy_lang::ir::Type::Int {
            let (a, b) = (self.value(a)?, self.value(b)?);
            let (n, m) = (self.length(&a)?, self.length(&b)?);
            let list = matches!(e.ty, grundy_lang::ir::Type::List(_)) && op == BinaryOp::Add;
            if !list {
                return why("sets are put together in the rules");
            }
            return Ok(V::Seq(
                (0..n)
                    .map(|i| element(&a, i))
                    .chain((0..m).map(|i| element(&b, i)))
                    .collect(),
            ));
        }
        let (x, y) = (self.number(a)?, self.number(b)?);
        let grows = || {
            format!(
                "`{}` is not linear in the counter",
                self.game.source.slice(e.span)
            )
        };
        Ok(V::Num(match op {
            BinaryOp::Add => x.add(y)?,
            BinaryOp::Sub => x.sub(y)?,
            BinaryOp::Mul => match (x.constant(), y.constant()) {
                (Some(c), _) => y.times(c)?,
                (_, Some(c)) => x.times(c)?,
                _ => return why(grows()),
            },
            BinaryOp::Div | BinaryOp::Mod => {
                let Some(d) = y.constant() else {
                    return why(grows());
                };
                if d == 0 {
                    return why(format!(
                        "`{}` divides by zero",
                        self.game.source.slice(e.span)
                    ));
                }
                self.divides(x, d)?;
                let (Some(a), Some(q)) = (x.a.checked_div(d), floor_div(x.b, d)) else {
                    return too_large();
                };
                if op == BinaryOp::Div {
                    Line { a, b: q }
                } else {
                    Line {
                        a: 0,
                        b: x.b - q * d,
                    }
                }
            }
            BinaryOp::Pow | BinaryOp::Xor => {
                let (Some(x), Some(y)) = (x.constant(), y.constant()) else {
                    return why(grows());
                };
                let (x, y) = (Int::from(x), Int::from(y));
                let v = if op == BinaryOp::Xor {
                    Some(x.bitxor(&y))
                } else {
                    x.pow(&y)
                };
                match v {
                    Some(v) => Line {
                        a: 0,
                        b: small(&v)?,
                    },
                    None => return too_large(),
                }
            }
        }))
    }

    /// Asks for a larger modulus unless d divides the coefficient.
    fn divides(&self, x: Line, d: i64) -> Read<()> {
        if x.a.checked_rem(d) == Some(0) {
            return Ok(());
        }
        let common = Int::from(x.a).gcd(&Int::from(d)).to_i64().unwrap_or(1);
        Err(Stop::Modulus((d / common).saturating_abs()))
    }

    fn compare(&mut self, op: CompareOp, a: &'g Expr, b: &'g Expr) -> Read<bool> {
        let (a, b) = (self.value(a)?, self.value(b)?);
        if let (Some(a), Some(b)) = (character(&a), character(&b)) {
            return Ok(match op {
                CompareOp::Eq => a == b,
                CompareOp::Ne => a != b,
                CompareOp::Lt => a < b,
                CompareOp::Le => a <= b,
                CompareOp::Gt => a > b,
                CompareOp::Ge => a >= b,
            });
        }
        match op {
            CompareOp::Eq => self.equal(&a, &b),
            CompareOp::Ne => Ok(!self.equal(&a, &b)?),
            _ => {
                let (a, b) = (line(&a)?, line(&b)?);
                match op {
                    CompareOp::Le => self.less_or_equal(a, b),
                    CompareOp::Ge => self.less_or_equal(b, a),
                    CompareOp::Lt => Ok(!self.less_or_equal(b, a)?),
                    _ => Ok(!self.less_or_equal(a, b)?),
                }
            }
        }
    }

    fn equal(&mut self, a: &V<'g>, b: &V<'g>) -> Read<bool> {
        match (a, b) {
            (V::Bool(a) | V::Given(Value::Bool(a)), V::Bool(b) | V::Given(Value::Bool(b))) => {
                Ok(a == b)
            }
            (V::Given(a), V::Given(b)) => Ok(a == b),
            _ => {
                if let (Some(a), Some(b)) = (character(a), character(b)) {
                    return Ok(a == b);
                }
                if let (Ok(n), Ok(m)) = (self.length(a), self.length(b)) {
                    for i in 0..n.min(m) {
                        if !self.equal(&element(a, i), &element(b, i))? {
                            return Ok(false);
                        }
                    }
                    return Ok(n == m);
                }
                self.same(line(a)?, line(b)?)
            }
        }
    }

    fn call(&mut self, function: Function, args: &'g [Expr]) -> Read<V<'g>> {
        let values = args
            .iter()
            .map(|e| self.value(e))
            .collect::<Read<Vec<_>>>()?;
        let list = |reader: &Self| -> Read<Vec<V<'g>>> {
            match values.as_slice() {
                [one] if reader.length(one).is_ok() => {
                    Ok((0..reader.length(one)?).map(|i| element(one, i)).collect())
                }
                _ => Ok(values.clone()),
            }
        };
        Ok(match function {
            Function::Min | Function::Max => {
                let lines = list(self)?.iter().map(line).collect::<Read<Vec<_>>>()?;
                if function == Function::Min {
                    V::Num(self.least(&lines)?)
                } else {
                    let negated = lines
                        .iter()
                        .map(|l| l.times(-1))
                        .collect::<Read<Vec<_>>>()?;
                    V::Num(self.least(&negated)?.times(-1)?)
                }
            }
            Function::Len => num(self.length(&values[0])? as i64),
            Function::Sum => {
                let mut sum = Line { a: 0, b: 0 };
                for v in list(self)? {
                    sum = sum.add(line(&v)?)?;
                }
                V::Num(sum)
            }
            Function::Reversed => V::Seq(list(self)?.into_iter().rev().collect()),
            Function::Abs => {
                let x = line(&values[0])?;
                V::Num(if self.decide(x)? { x } else { x.times(-1)? })
            }
            Function::Gcd => {
                let (x, y) = (line(&values[0])?, line(&values[1])?);
                let (x, d) = match (x.constant(), y.constant()) {
                    (_, Some(d)) => (x, d),
                    (Some(d), None) => (y, d),
                    (None, None) => return why("a greatest common divisor grows with the counter"),
                };
                if x.constant().is_none() {
                    if d == 0 {
                        return why("a greatest common divisor grows with the counter");
                    }
                    self.divides(x, d)?;
                }
                match Int::from(x.b).gcd(&Int::from(d)).to_i64() {
                    Some(v) => num(v),
                    None => return too_large(),
                }
            }
            Function::Sorted
            | Function::Isqrt
            | Function::Distinct
            | Function::Digits
            | Function::Number => {
                return self.plain(function, &list(self)?);
            }
        })
    }

    /// Functions of numbers that do not grow.
    fn plain(&self, function: Function, values: &[V<'g>]) -> Read<V<'g>> {
        let mut all = Vec::with_capacity(values.len());
        for v in values {
            match line(v)?.constant() {
                Some(v) => all.push(v),
                None => {
                    return why(
                        "a function other than min, max, gcd and abs is applied to the counter",
                    );
                }
            }
        }
        Ok(match (function, all.as_slice()) {
            (Function::Sorted, _) => {
                all.sort_unstable();
                V::Seq(all.into_iter().map(num).collect())
            }
            (Function::Distinct, _) => {
                all.sort_unstable();
                V::Bool(all.windows(2).all(|w| w[0] != w[1]))
            }
            (Function::Isqrt, &[v]) if v >= 0 => num(v.isqrt()),
            (Function::Digits, &[v]) if v >= 0 => V::Seq(
                v.to_string()
                    .bytes()
                    .map(|d| num(i64::from(d - b'0')))
                    .collect(),
            ),
            _ => return why("a function is used that is not followed here"),
        })
    }

    fn fold(&mut self, fold: Fold, body: &'g Expr, clauses: &'g [Clause]) -> Read<V<'g>> {
        let mut all = Vec::new();
        self.comprehend(body, clauses, &mut all)?;
        let lines = |all: &[V]| all.iter().map(line).collect::<Read<Vec<_>>>();
        let truths = |all: &[V]| all.iter().filter(|v| matches!(v, V::Bool(true))).count();
        Ok(match fold {
            Fold::List => V::Seq(all.into()),
            Fold::Set => set(all)?,
            Fold::Sum => {
                let start = Line { a: 0, b: 0 };
                V::Num(lines(&all)?.into_iter().try_fold(start, Line::add)?)
            }
            Fold::Min => V::Num(self.least(&lines(&all)?)?),
            Fold::Max => {
                let negated = lines(&all)?
                    .iter()
                    .map(|l| l.times(-1))
                    .collect::<Read<Vec<_>>>()?;
                V::Num(self.least(&negated)?.times(-1)?)
            }
            Fold::All => V::Bool(truths(&all) == all.len()),
            Fold::Any => V::Bool(truths(&all) > 0),
            Fold::Count => num(truths(&all) as i64),
        })
    }

    fn comprehend(
        &mut self,
        body: &'g Expr,
        clauses: &'g [Clause],
        out: &mut Vec<V<'g>>,
    ) -> Read<()> {
        let Some((clause, rest)) = clauses.split_first() else {
            self.try_one()?;
            out.push(self.value(body)?);
            return Ok(());
        };
        match clause {
            Clause::If(condition) => {
                if self.truth(condition)? {
                    self.comprehend(body, rest, out)?;
                }
                Ok(())
            }
            Clause::For {
                slots,
                domain: Domain::Range(lo, hi),
            } => {
                let (lo, hi) = (self.number(lo)?, self.number(hi)?);
                let &[slot] = slots.as_slice() else {
                    return why("a number is taken apart");
                };
                let length = hi.sub(lo)?;
                let Some(length) = length.constant() else {
                    if self.decide(length)? {
                        return why("a list in the rules grows with the counter");
                    }
                    return Ok(());
                };
                for step in 0..=length {
                    self.try_one()?;
                    self.env[slot] = V::Num(lo.add(Line { a: 0, b: step })?);
                    self.comprehend(body, rest, out)?;
                }
                Ok(())
            }
            Clause::For {
                slots,
                domain: Domain::Members(list),
            } => {
                let list = self.value(list)?;
                for i in 0..self.length(&list)? {
                    self.try_one()?;
                    self.bind_slots(slots, element(&list, i))?;
                    self.comprehend(body, rest, out)?;
                }
                Ok(())
            }
        }
    }

    fn bind_slots(&mut self, slots: &[Slot], member: V<'g>) -> Read<()> {
        if let &[slot] = slots {
            self.env[slot] = member;
            return Ok(());
        }
        if self.length(&member)? != slots.len() {
            return why("a tuple has another length than its names");
        }
        for (i, &slot) in slots.iter().enumerate() {
            self.env[slot] = element(&member, i);
        }
        Ok(())
    }
}

fn clause_span(clause: &Clause) -> grundy_lang::diag::Span {
    match clause {
        Clause::For {
            domain: Domain::Range(lo, hi),
            ..
        } => lo.span.to(hi.span),
        Clause::For {
            domain: Domain::Members(e),
            ..
        }
        | Clause::If(e) => e.span,
    }
}

fn amount(k: i64) -> Read<u32> {
    match u32::try_from(k) {
        Ok(0) => why("a move can leave the counter as it is"),
        Ok(k) if k <= 1 << 24 => Ok(k),
        Ok(_) => why("more than 2^24 can be taken at a time"),
        Err(_) => why("a move can make the counter larger"),
    }
}

fn small(v: &Int) -> Read<i64> {
    v.to_i64().map_or_else(too_large, Ok)
}

fn floor_div(a: i64, d: i64) -> Option<i64> {
    let q = a.checked_div(d)?;
    Some(if a % d != 0 && (a < 0) != (d < 0) {
        q - 1
    } else {
        q
    })
}

fn line(v: &V) -> Read<Line> {
    match v {
        V::Num(line) => Ok(*line),
        V::Given(Value::Int(v)) => Ok(Line { a: 0, b: small(v)? }),
        _ => why("a number is wanted"),
    }
}

fn character(v: &V) -> Option<char> {
    match v {
        V::Char(c) | V::Given(Value::Char(c)) => Some(*c),
        _ => None,
    }
}

fn element<'g>(list: &V<'g>, i: usize) -> V<'g> {
    match list {
        V::Seq(all) => all[i].clone(),
        V::Given(Value::Seq(all)) => V::Given(&all[i]),
        _ => V::None,
    }
}

/// Numbers that do not grow, each once.
fn set<'g>(all: Vec<V<'g>>) -> Read<V<'g>> {
    let mut numbers = Vec::with_capacity(all.len());
    for v in &all {
        match line(v)?.constant() {
            Some(v) => numbers.push(v),
            None => return why("a set in the rules grows with the counter"),
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(V::Seq(numbers.into_iter().map(num).collect()))
}
