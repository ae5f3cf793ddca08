//! From move rules to the ranges of a slide: linear forms over a piece and its neighbours, for each kind of place.

use grundy_core::Int;
use grundy_lang::interp::Rules;
use grundy_lang::ir::{
    BinaryOp, Clause, CompareOp, Domain, Expr, ExprKind, Function, Move, Parts, Pattern, Slot,
    Type, UpdateOp,
};

use super::why;
use crate::WhyNot;
use crate::scan::{self, Atom, Env};

/// Where a piece stands among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The first of two or more.
    First,
    /// Neither the first nor the last.
    Middle,
    /// The last of two or more.
    Last,
    /// There is no other.
    Only,
}

impl Place {
    pub(super) const ALL: [Place; 4] = [Place::First, Place::Middle, Place::Last, Place::Only];

    /// The place's index, over s, t ≥ 0.
    fn index(self) -> Linear {
        match self {
            Place::First | Place::Only => Linear::default(),
            Place::Middle | Place::Last => Linear {
                c: 1,
                s: 1,
                ..Linear::default()
            },
        }
    }

    /// The number of pieces, over the same s and t.
    fn pieces(self) -> Linear {
        let (c, s, t) = match self {
            Place::First => (2, 0, 1),
            Place::Middle => (3, 1, 1),
            Place::Last => (2, 1, 0),
            Place::Only => (1, 0, 0),
        };
        Linear {
            c,
            s,
            t,
            ..Linear::default()
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Place::First => "the first piece",
            Place::Middle => "a piece between others",
            Place::Last => "the last piece",
            Place::Only => "a piece that is alone",
        })
    }
}

/// A linear form over the free numbers s, t ≥ 0 of a place, the move's own quantifier, and the cells (≥ 0) of the
/// piece before, the
/// piece itself and the piece after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    c: i64,
    s: i64,
    t: i64,
    slide: i64,
    before: i64,
    own: i64,
    after: i64,
}

impl Linear {
    fn plus(self, other: Linear, times: i64) -> Option<Linear> {
        let add = |a: i64, b: i64| a.checked_add(b.checked_mul(times)?);
        Some(Linear {
            c: add(self.c, other.c)?,
            s: add(self.s, other.s)?,
            t: add(self.t, other.t)?,
            slide: add(self.slide, other.slide)?,
            before: add(self.before, other.before)?,
            own: add(self.own, other.own)?,
            after: add(self.after, other.after)?,
        })
    }

    fn times(self, by: i64) -> Option<Linear> {
        Linear::default().plus(self, by)
    }

    fn constant(c: i64) -> Linear {
        Linear {
            c,
            ..Linear::default()
        }
    }

    fn as_constant(self) -> Option<i64> {
        (self == Linear::constant(self.c)).then_some(self.c)
    }

    /// Whether the form is at least 0 always (`true`) or never (`false`).
    fn at_least_0(self) -> Option<bool> {
        let free = [self.s, self.t, self.before, self.own, self.after];
        if self.slide != 0 {
            None
        } else if self.c >= 0 && free.iter().all(|&f| f >= 0) {
            Some(true)
        } else if self.c < 0 && free.iter().all(|&f| f <= 0) {
            Some(false)
        } else {
            None
        }
    }

    /// c and s, t only: a function of the number of pieces.
    fn fixed(self) -> bool {
        self.slide == 0 && self.before == 0 && self.own == 0 && self.after == 0
    }
}

/// How far a piece can slide: down to `limit` or up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) down: bool,
    limit: Linear,
    /// A second limit, the same for all pieces, beside the neighbour's: no matter while the neighbour stands inside it.
    cap: Option<Linear>,
}

/// One move rule.
pub(super) struct Slide<'g> {
    rule: &'g Move,
    rules: &'g Rules,
    env: Env<'g>,
    array: Slot,
    index: &'g Expr,
    op: UpdateOp,
    value: &'g Expr,
    /// The quantifier that names the piece, with its multiple in the index.
    piece: Option<(Slot, i64)>,
    slide: Slot,
}

/// The numbers that a place gives to the names.
#[derive(Clone, Copy)]
struct Frame {
    place: Place,
    /// The quantifier that names the piece.
    piece: Linear,
}

pub(super) type Read<T> = std::result::Result<T, WhyNot>;

impl<'g> Slide<'g> {
    pub(super) fn read(rule: &'g Move, rules: &'g Rules) -> Read<Self> {
        let game = rules.game();
        let said = || game.source.slice(rule.span).trim();
        let Pattern::Bind(array) = rule.pattern else {
            return why("a move takes the position apart");
        };
        let Parts::Each(parts) = &rule.parts else {
            return why("a move can split the position");
        };
        let [
            Expr {
                kind: ExprKind::With(base, updates),
                ..
            },
        ] = parts.as_slice()
        else {
            return why(format!("`{}` does not move one piece", said()));
        };
        let [update] = updates.as_slice() else {
            return why(format!(
                "`{}` changes {} places at once",
                said(),
                updates.len()
            ));
        };
        if !matches!(base.kind, ExprKind::Slot(s) if s == array) {
            return why(format!(
                "`{}` changes another array than the position",
                said()
            ));
        }
        let env = Env::new(rules.params(), game.slots.len(), array);
        let mut piece = None;
        let mut slide = None;
        for clause in &rule.clauses {
            let Clause::For { slots, domain } = clause else {
                continue;
            };
            let ([slot], Domain::Range(..)) = (slots.as_slice(), domain) else {
                return why(format!("a quantifier of `{}` is not over a range", said()));
            };
            let name = if scan::mentions(&update.index, *slot) {
                let multiple = env.affine(&update.index).map_or(0, |a| a.of_slot(*slot));
                if multiple.abs() != 1 {
                    return why(format!("which piece `{}` moves cannot be read", said()));
                }
                piece.replace((*slot, multiple)).is_some()
            } else {
                slide.replace(*slot).is_some()
            };
            if name {
                return why(format!(
                    "`{}` has more quantifiers than a piece and its new cell",
                    said()
                ));
            }
        }
        let Some(slide) = slide else {
            return why(format!("`{}` slides by fixed steps", said()));
        };
        Ok(Slide {
            rule,
            rules,
            env,
            array,
            index: &update.index,
            op: update.op,
            value: &update.value,
            piece,
            slide,
        })
    }

    /// Whether the rule names a piece even if there is none.
    pub(super) fn needs_a_piece(&self) -> bool {
        let empty = &self.env; // its length is 0
        self.piece.is_none()
            && !self.rule.clauses.iter().any(|c| match c {
                Clause::If(e) => {
                    !scan::reads_contents(e, self.array)
                        && !scan::mentions(e, self.slide)
                        && empty.bool(e) == Some(false)
                }
                Clause::For { .. } => false,
            })
    }

    fn text(&self, e: &Expr) -> &str {
        self.rules.game().source.slice(e.span).trim()
    }

    /// Where this rule lets the piece go, if it moves a piece in this place at all.
    pub(super) fn reach(&self, place: Place) -> Read<Option<Reach>> {
        // index = multiple·piece + rest, so piece = multiple·(index − rest)
        let large = || WhyNot::new("a number is past a machine word");
        let affine = self.env.affine(self.index).ok_or_else(large)?;
        let mut rest = Linear::constant(affine.constant);
        for (atom, times) in &affine.terms {
            match atom {
                Atom::Slot(s) if self.piece.is_some_and(|(p, _)| p == *s) => {}
                Atom::Len => rest = rest.plus(place.pieces(), *times).ok_or_else(large)?,
                _ => {
                    return why(format!(
                        "which piece `{}` names cannot be read",
                        self.text(self.index)
                    ));
                }
            }
        }
        let here = place.index().plus(rest, -1).ok_or_else(large)?;
        // A rule that names one piece: is it there, and is it this one?
        let one = Linear::constant(1);
        let room = place.pieces().plus(rest, -1).and_then(|f| f.plus(one, -1));
        let inside = [Some(rest), room]
            .iter()
            .all(|f| f.and_then(Linear::at_least_0) == Some(true));
        if self.piece.is_none() && inside && here != Linear::default() {
            let other = here.at_least_0() == Some(false)
                || here.plus(one, -1).and_then(Linear::at_least_0) == Some(true);
            return if other {
                Ok(None)
            } else {
                why(format!(
                    "which piece `{}` names depends on how many there are",
                    self.text(self.index)
                ))
            };
        }
        let frame = match self.piece {
            Some((_, multiple)) => Frame {
                place,
                piece: here.times(multiple).ok_or_else(large)?,
            },
            None => Frame {
                place,
                piece: Linear::default(),
            },
        };

        let mut limits: Vec<Linear> = Vec::new();
        let mut without: Vec<Linear> = Vec::new();
        for clause in &self.rule.clauses {
            let applies = match clause {
                Clause::For {
                    slots,
                    domain: Domain::Range(lo, hi),
                } => {
                    let slot = slots[0];
                    let name = self.name(slot, &frame)?;
                    if self.piece.is_some_and(|(p, _)| p == slot) {
                        self.pieces_exist(lo, hi)?;
                    }
                    let lo = self.form(lo, &frame)?;
                    let hi = self.form(hi, &frame)?;
                    let ends = name.plus(lo, -1).zip(hi.plus(name, -1));
                    let (from, to) = ends.ok_or_else(large)?;
                    require(from, &mut limits)? && require(to, &mut limits)?
                }
                Clause::For { .. } => return why("a quantifier is not over a range"),
                Clause::If(e) => self.guard(e, false, &frame, &mut limits, &mut without)?,
            };
            if !applies {
                return Ok(None);
            }
        }
        if self.piece.is_none() && !inside {
            return why(format!(
                "`{}` may name a piece that is not there",
                self.text(self.index)
            ));
        }

        let own = Linear {
            own: 1,
            ..Linear::default()
        };
        let value = self.form(self.value, &frame)?;
        let cell = match self.op {
            UpdateOp::Set => Some(value),
            UpdateOp::Add => own.plus(value, 1),
            UpdateOp::Sub => own.plus(value, -1),
        }
        .ok_or_else(large)?;
        let sign = cell.slide;
        if sign.abs() != 1 {
            return why(format!("{place} slides by multiples of {}", sign.abs()));
        }
        let rest = Linear { slide: 0, ..cell };
        // slide = sign·(cell − rest)
        let mut low = vec![Linear::default()]; // a cell is a natural number
        let mut high = Vec::new();
        let mut conditions = Vec::new();
        for limit in limits {
            let slope = limit.slide * sign;
            let free = Linear { slide: 0, ..limit }
                .plus(rest, -slope)
                .ok_or_else(large)?;
            match slope {
                0 => conditions.push(free),
                1 => low.push(free.times(-1).ok_or_else(large)?),
                -1 => high.push(free),
                _ => return why(format!("the cells of {place} come in steps")),
            }
        }
        strongest(&mut low, 1);
        strongest(&mut high, -1);
        for hole in without {
            let slope = hole.slide * sign;
            let free = Linear { slide: 0, ..hole }
                .plus(rest, -slope)
                .ok_or_else(large)?;
            let at = match slope {
                1 => free.times(-1).ok_or_else(large)?,
                -1 => free,
                _ => return why(format!("a cell shut out for {place} cannot be read")),
            };
            let one = Linear::constant(1);
            let past = |a: Linear, b: Linear| {
                a.plus(b, -1)
                    .and_then(|d| d.plus(one, -1))
                    .and_then(Linear::at_least_0)
                    == Some(true)
            };
            if low.iter().any(|&l| past(l, at)) || high.iter().any(|&h| past(at, h)) {
                continue; // out of reach anyway
            }
            if let Some(end) = low.iter_mut().find(|l| **l == at) {
                *end = end.plus(one, 1).ok_or_else(large)?;
            } else if let Some(end) = high.iter_mut().find(|h| **h == at) {
                *end = end.plus(one, -1).ok_or_else(large)?;
            } else {
                return why(format!("{place} may pass a cell where it may not stop"));
            }
        }
        let reach = Self::one_way(place, &low, &high)?;
        // Other conditions must follow from there being a cell to go to.
        for condition in conditions {
            let room = if reach.down {
                own.plus(reach.limit, -1)
            } else {
                reach.limit.plus(own, -1)
            };
            let spare = room
                .and_then(|r| r.plus(Linear::constant(1), -1))
                .and_then(|r| condition.plus(r, -1))
                .ok_or_else(large)?;
            if spare.at_least_0() != Some(true) {
                return why(format!("a guard shuts {place} out in some positions"));
            }
        }
        Ok(Some(reach))
    }

    fn one_way(place: Place, low: &[Linear], high: &[Linear]) -> Read<Reach> {
        let own = Linear {
            own: 1,
            ..Linear::default()
        };
        let next = |by: i64| Linear { c: by, ..own };
        if let [h] = high
            && *h == next(-1)
        {
            return match low {
                [limit] => Ok(Reach {
                    down: true,
                    limit: *limit,
                    cap: None,
                }),
                _ if low.iter().any(|l| l.own != 0) => {
                    why(format!("a slide of {place} has a greatest length"))
                }
                _ => why(format!(
                    "how far down {place} can slide is not one limit (it may pass the piece before it)"
                )),
            };
        }
        if let [l] = low
            && *l == next(1)
        {
            return match high {
                [limit] => Ok(Reach {
                    down: false,
                    limit: *limit,
                    cap: None,
                }),
                [a, b] if a.fixed() != b.fixed() => {
                    let (limit, cap) = if a.fixed() { (*b, *a) } else { (*a, *b) };
                    Ok(Reach {
                        down: false,
                        limit,
                        cap: Some(cap),
                    })
                }
                _ if high.iter().any(|h| h.own != 0) => {
                    why(format!("a slide of {place} has a greatest length"))
                }
                _ => why(format!("how far up {place} can slide is not one limit")),
            };
        }
        for end in high.iter().chain(low) {
            if let Some(by) = end.plus(own, -1).and_then(Linear::as_constant) {
                let up = low.contains(end);
                return match by {
                    0 => why(format!("{place} may stay where it is")),
                    _ if (by > 0) == up => {
                        why(format!("{place} must slide at least {} cells", by.abs()))
                    }
                    _ => why(format!("{place} slides both ways")),
                };
            }
        }
        why(format!(
            "{place} slides both ways, or not from where it stands"
        ))
    }

    fn name(&self, slot: Slot, frame: &Frame) -> Read<Linear> {
        match self.piece {
            Some((p, _)) if p == slot => Ok(frame.piece),
            _ if slot == self.slide => Ok(Linear {
                slide: 1,
                ..Linear::default()
            }),
            _ => why("a name cannot be read"),
        }
    }

    /// Whether the quantifier of the piece stays among the pieces, for every number of them.
    fn pieces_exist(&self, lo: &Expr, hi: &Expr) -> Read<()> {
        let Some((slot, _)) = self.piece else {
            return Ok(());
        };
        // The ends as index = a·len + b.
        let end = |e: &Expr| -> Option<(i64, i64)> {
            let value = self.env.affine(e)?;
            let index = self.env.affine(self.index)?;
            let multiple = index.of_slot(slot);
            let index = index.without_slot(slot).plus(&value, multiple, &self.env)?;
            match index.terms[..] {
                [] => Some((0, index.constant)),
                [(Atom::Len, a)] => Some((a, index.constant)),
                _ => None,
            }
        };
        let bad = || {
            WhyNot::new(format!(
                "`{}` may name a piece that is not there",
                self.text(self.index)
            ))
        };
        for e in [lo, hi] {
            let (a, b) = end(e).ok_or_else(bad)?;
            // Ends of the range: from the first piece on, b ≥ 0 cells in; to the last, b ≥ 1 before its end. If a
            // range is empty for
            // few pieces, its other end lies beyond, which names nobody.
            let inside = match a {
                0 => b >= 0,
                1 => b <= -1,
                _ => false,
            };
            if !inside {
                return Err(bad());
            }
        }
        let (from, to) = (end(lo).ok_or_else(bad)?, end(hi).ok_or_else(bad)?);
        // Both fixed, or both counted from the end, would name pieces that few have not.
        if from.0 == to.0 { Err(bad()) } else { Ok(()) }
    }

    /// Reads a guard; `false` if it never holds in this place.
    fn guard(
        &self,
        e: &Expr,
        negate: bool,
        frame: &Frame,
        limits: &mut Vec<Linear>,
        without: &mut Vec<Linear>,
    ) -> Read<bool> {
        if let Some(answer) = self.decide(e, frame)? {
            return Ok(answer != negate);
        }
        let unread = || {
            WhyNot::new(format!(
                "the guard `{}` is not a limit on a slide",
                self.text(e)
            ))
        };
        let large = || WhyNot::new("a number is past a machine word");
        match &e.kind {
            ExprKind::Not(a) => self.guard(a, !negate, frame, limits, without),
            ExprKind::And(list) if !negate => self.guards(list, negate, frame, limits, without),
            ExprKind::Or(list) if negate => self.guards(list, negate, frame, limits, without),
            // Alternatives that this place rules out do not count.
            ExprKind::Or(list) | ExprKind::And(list) => {
                let mut open = Vec::new();
                for e in list {
                    if self.decide(e, frame)?.is_none() {
                        open.push(e);
                    }
                }
                match open[..] {
                    [one] => self.guard(one, negate, frame, limits, without),
                    _ => Err(unread()),
                }
            }
            ExprKind::In(member, domain) if !negate => {
                let Domain::Range(lo, hi) = &**domain else {
                    return Err(unread());
                };
                let member = self.form(member, frame)?;
                let from = member.plus(self.form(lo, frame)?, -1).ok_or_else(large)?;
                let to = self.form(hi, frame)?.plus(member, -1).ok_or_else(large)?;
                for form in [from, to] {
                    match form.at_least_0() {
                        Some(false) => return Ok(false),
                        Some(true) => {}
                        None => limits.push(form),
                    }
                }
                Ok(true)
            }
            ExprKind::Compare(op, l, r) if l.ty == Type::Int && r.ty == Type::Int => {
                let op = if negate { scan::negated(*op) } else { *op };
                let form = self
                    .form(l, frame)?
                    .plus(self.form(r, frame)?, -1)
                    .ok_or_else(large)?;
                if form.fixed() {
                    return why(format!(
                        "the guard `{}` tells pieces apart by their number",
                        self.text(e)
                    ));
                }
                let one = Linear::constant(1);
                let limit = match op {
                    CompareOp::Ge => Some(form),
                    CompareOp::Gt => form.plus(one, -1),
                    CompareOp::Le => form.times(-1),
                    CompareOp::Lt => form.times(-1).and_then(|f| f.plus(one, -1)),
                    CompareOp::Ne => {
                        without.push(form);
                        return Ok(true);
                    }
                    CompareOp::Eq => return Err(unread()),
                };
                limits.push(limit.ok_or_else(large)?);
                Ok(true)
            }
            _ => Err(unread()),
        }
    }

    fn guards(
        &self,
        list: &[Expr],
        negate: bool,
        frame: &Frame,
        limits: &mut Vec<Linear>,
        without: &mut Vec<Linear>,
    ) -> Read<bool> {
        for e in list {
            if !self.guard(e, negate, frame, limits, without)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a condition holds always or never in this place.
    fn decide(&self, e: &Expr, frame: &Frame) -> Read<Option<bool>> {
        let not = |a: Option<bool>| a.map(|a| !a);
        Ok(match &e.kind {
            ExprKind::Bool(b) => Some(*b),
            _ if self.env.constant(e) => self.env.bool(e),
            ExprKind::Not(a) => not(self.decide(a, frame)?),
            ExprKind::And(list) | ExprKind::Or(list) => {
                let all = matches!(e.kind, ExprKind::And(_));
                let mut open = false;
                for e in list {
                    match self.decide(e, frame)? {
                        Some(answer) if answer != all => return Ok(Some(!all)),
                        Some(_) => {}
                        None => open = true,
                    }
                }
                (!open).then_some(all)
            }
            ExprKind::Compare(op, l, r) if l.ty == Type::Int && r.ty == Type::Int => {
                let (l, r) = (self.form(l, frame)?, self.form(r, frame)?);
                let one = Linear::constant(1);
                let at_least = |a: Linear, b: Linear, more: i64| {
                    a.plus(b, -1)
                        .and_then(|f| f.plus(one, -more))
                        .and_then(Linear::at_least_0)
                };
                match op {
                    CompareOp::Ge => at_least(l, r, 0),
                    CompareOp::Gt => at_least(l, r, 1),
                    CompareOp::Le => at_least(r, l, 0),
                    CompareOp::Lt => at_least(r, l, 1),
                    CompareOp::Eq | CompareOp::Ne => {
                        let equal = if l == r {
                            Some(true)
                        } else if at_least(l, r, 1) == Some(true) || at_least(r, l, 1) == Some(true)
                        {
                            Some(false)
                        } else {
                            None
                        };
                        if *op == CompareOp::Eq {
                            equal
                        } else {
                            not(equal)
                        }
                    }
                }
            }
            ExprKind::In(member, domain) => match &**domain {
                Domain::Range(lo, hi) => {
                    let member = self.form(member, frame)?;
                    let (lo, hi) = (self.form(lo, frame)?, self.form(hi, frame)?);
                    let from = member.plus(lo, -1).and_then(Linear::at_least_0);
                    let to = hi.plus(member, -1).and_then(Linear::at_least_0);
                    match (from, to) {
                        (Some(false), _) | (_, Some(false)) => Some(false),
                        (Some(true), Some(true)) => Some(true),
                        _ => None,
                    }
                }
                Domain::Members(_) => None,
            },
            _ => None,
        })
    }

    /// The linear form of a number in this place.
    fn form(&self, e: &Expr, frame: &Frame) -> Read<Linear> {
        let large = || WhyNot::new("a number is past a machine word");
        let unread = || {
            WhyNot::new(format!(
                "`{}` is not linear in a piece and its neighbours",
                self.text(e)
            ))
        };
        if self.env.constant(e) {
            return self.env.int(e).map(Linear::constant).ok_or_else(unread);
        }
        match &e.kind {
            ExprKind::Slot(s) if *s != self.array => self.name(*s, frame),
            ExprKind::Neg(a) => self.form(a, frame)?.times(-1).ok_or_else(large),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let times = if *op == BinaryOp::Add { 1 } else { -1 };
                self.form(a, frame)?
                    .plus(self.form(b, frame)?, times)
                    .ok_or_else(large)
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) => {
                let (a, b) = (self.form(a, frame)?, self.form(b, frame)?);
                match (a.as_constant(), b.as_constant()) {
                    (Some(a), _) => b.times(a).ok_or_else(large),
                    (_, Some(b)) => a.times(b).ok_or_else(large),
                    _ => Err(unread()),
                }
            }
            ExprKind::If(c, a, b) => match self.decide(c, frame)? {
                Some(true) => self.form(a, frame),
                Some(false) => self.form(b, frame),
                None => why(format!(
                    "`{}` depends on more than which piece it is",
                    self.text(e)
                )),
            },
            _ if scan::is_len_of(e, self.array) => Ok(frame.place.pieces()),
            ExprKind::Call(f @ (Function::Min | Function::Max), list) if list.len() > 1 => {
                let mut best = self.form(&list[0], frame)?;
                for e in &list[1..] {
                    let other = self.form(e, frame)?;
                    let more = other.plus(best, -1).ok_or_else(large)?.at_least_0();
                    let less = best.plus(other, -1).ok_or_else(large)?.at_least_0();
                    let larger = match (more, less) {
                        (Some(true), _) | (_, Some(false)) => true,
                        (_, Some(true)) | (Some(false), _) => false,
                        _ => return Err(unread()),
                    };
                    if larger == (*f == Function::Max) {
                        best = other;
                    }
                }
                Ok(best)
            }
            ExprKind::Index(list, at) if matches!(list.kind, ExprKind::Slot(s) if s == self.array) =>
            {
                let at = self.form(at, frame)?;
                let last = frame
                    .place
                    .pieces()
                    .plus(Linear::constant(1), -1)
                    .ok_or_else(large)?;
                let inside = last.plus(at, -1).ok_or_else(large)?;
                if at.at_least_0() != Some(true) || inside.at_least_0() != Some(true) {
                    return why(format!(
                        "`{}` may name a piece that is not there",
                        self.text(e)
                    ));
                }
                let offset = at.plus(frame.place.index(), -1).ok_or_else(large)?;
                let one = Linear::default();
                match offset.as_constant() {
                    Some(-1) => Ok(Linear { before: 1, ..one }),
                    Some(0) => Ok(Linear { own: 1, ..one }),
                    Some(1) => Ok(Linear { after: 1, ..one }),
                    _ => why(format!("`{}` is not a neighbour", self.text(e))),
                }
            }
            _ => Err(unread()),
        }
    }
}

/// A form that must be at least 0: decided, or a limit.
fn require(form: Linear, limits: &mut Vec<Linear>) -> Read<bool> {
    match form.at_least_0() {
        Some(answer) => Ok(answer),
        None if form.fixed() => why("which pieces a rule moves depends on how many there are"),
        None => {
            limits.push(form);
            Ok(true)
        }
    }
}

/// Keeps the bounds that no other implies; `side` is 1 for lower bounds, -1 for upper ones.
fn strongest(bounds: &mut Vec<Linear>, side: i64) {
    let mut kept: Vec<Linear> = Vec::new();
    for (i, &b) in bounds.iter().enumerate() {
        let implied = |other: Linear| {
            other
                .plus(b, -1)
                .and_then(|d| d.times(side))
                .and_then(Linear::at_least_0)
                == Some(true)
        };
        let beaten = bounds
            .iter()
            .enumerate()
            .any(|(j, &o)| j != i && implied(o) && (o != b || j < i));
        if !beaten {
            kept.push(b);
        }
    }
    *bounds = kept;
}

/// What the rules come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Track {
    /// Towards the low end.
    pub(super) down: bool,
    /// How far a piece keeps from the one before it (in its direction).
    pub(super) distance: i64,
    /// The last cell of the piece nearest the end, `c + per_piece·n`; `None` if it never moves.
    pub(super) wall: Option<(i64, i64)>,
    /// A limit beside that of the neighbour, as a cell: it changes nothing for pieces that stand inside it.
    pub(super) cap: Option<(i64, i64)>,
}

impl Track {
    pub(super) fn fit(ranges: [Option<Reach>; 4]) -> Read<Self> {
        let large = || WhyNot::new("a number is past a machine word");
        let Some(any) = ranges.iter().flatten().next() else {
            return why("no piece can move");
        };
        let down = any.down;
        if ranges.iter().flatten().any(|r| r.down != down) {
            return why("pieces slide both ways");
        }
        let (end, inner) = if down {
            (Place::First, [Place::Middle, Place::Last])
        } else {
            (Place::Last, [Place::First, Place::Middle])
        };
        // c + f·(the free number), where there are 2 + the free number pieces.
        let by_count = |place: Place, limit: Linear| -> Read<(i64, i64)> {
            if !limit.fixed() {
                return why(format!(
                    "the limit of {place} depends on a piece on its other side"
                ));
            }
            let pieces = place.pieces();
            let per_piece = limit.s + limit.t;
            // Middle places have both free numbers, and a wall must see only their sum.
            if pieces.s == 1 && pieces.t == 1 && limit.s != limit.t {
                return why(format!("the limit of {place} depends on which it is"));
            }
            let base = per_piece
                .checked_mul(pieces.c)
                .and_then(|p| limit.c.checked_sub(p));
            Ok((base.ok_or_else(large)?, per_piece))
        };
        let mut distance = None;
        let mut cap = None;
        for place in inner {
            let Some(reach) = ranges[place as usize] else {
                return why(format!("{place} never moves"));
            };
            let neighbour = if down {
                Linear {
                    before: 1,
                    ..Linear::default()
                }
            } else {
                Linear {
                    after: 1,
                    ..Linear::default()
                }
            };
            let Some(between) = reach
                .limit
                .plus(neighbour, -1)
                .and_then(Linear::as_constant)
            else {
                return why(format!(
                    "{place} can slide past the next one (its limit is not its neighbour)"
                ));
            };
            let between = if down {
                between
            } else {
                between.checked_neg().ok_or_else(large)?
            };
            if between < 0 {
                return why(format!("{place} can pass the next one"));
            }
            if *distance.get_or_insert(between) != between {
                return why("pieces keep different distances");
            }
            if let Some(limit) = reach.cap {
                let limit = by_count(place, limit)?;
                if *cap.get_or_insert(limit) != limit {
                    return why("pieces have different limits beside their neighbours");
                }
            }
        }
        let wall = match (ranges[end as usize], ranges[Place::Only as usize]) {
            (None, None) => None,
            (Some(several), Some(alone)) if several.cap.is_none() && alone.cap.is_none() => {
                let (c, per_piece) = by_count(end, several.limit)?;
                let one = c.checked_add(per_piece).ok_or_else(large)?;
                if alone.limit.as_constant() != Some(one) {
                    return why(format!(
                        "{end} and a piece that is alone have different limits"
                    ));
                }
                Some((c, per_piece))
            }
            _ => {
                return why(format!(
                    "{end} and a piece that is alone move in different ways"
                ));
            }
        };
        Ok(Track {
            down,
            distance: distance.unwrap_or(1),
            wall,
            cap,
        })
    }

    pub(super) fn at(line: (i64, i64), n: usize) -> Int {
        &Int::from(line.0) + &(&Int::from(line.1) * &Int::from(n))
    }
}
