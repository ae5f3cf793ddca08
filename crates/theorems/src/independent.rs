//! Counters that never meet: a position `(a, b, …)` or `{a, b}` whose moves each look at and change one member, or one
//! group of members, is a sum.
//!
//! Theorem. Let the members of a position be split into groups such that the guards, ranges and new values of each rule
//! read members of one group only, and that the rule leaves all others as they are. Then the game is the disjunctive sum
//! of its groups, each played by its own rules; in normal play its Grundy value is the nim-sum of theirs.
//! Proof. Whether a rule applies, and what it makes of its group, is a function of that group alone, so the options of the
//! position are those of one group with the rest as it was: that is the definition of the sum. The value of a sum is the
//! nim-sum of the values (Sprague 1935, Grundy 1939). ∎ For an unordered tuple whose rules each touch one member, every
//! rule is tried on every member (or the rules are symmetric, which comes to the same), so all members follow all rules.
//!
//! Reading is decided on the text of the rules, so what is claimed is so; a rule that reads another member without need is
//! refused. The finest split is used, and each group is solved by the first other theorem that gives it values. In misère
//! play values do not add, so then every group must be a Nim heap (Bouton, see [`crate::nim::misere_nim`]). An end of play
//! by `win if` or `lose if` ends all groups at once, which a sum does not: such rules are refused.
//!
//! Cost: to recognise, one walk over the rules and the recognition of each group; to answer, the answers of the groups.

use std::ops::Range;
use std::sync::Arc;

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{
    Clause, Expr, ExprKind, Game, Move, Parts, Pattern, Play, Shape, Slot, Type,
};
use grundy_lang::value::{Pos, Position, Words};

use crate::sum::{NoSum, Sum};
use crate::{ALL, Options, Result, Solver, Target, Theorem, WhyNot};

/// The theorem.
pub struct Independent;

impl Theorem for Independent {
    fn name(&self) -> &'static str {
        "independent"
    }

    fn title(&self) -> &'static str {
        "Sum of members that no move couples"
    }

    fn source(&self) -> &'static str {
        "R. P. Sprague (1935) and P. M. Grundy (1939) on sums; that the rules are one is shown in the source of `independent`"
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        let game = rules.game();
        let (members, unordered) = match &game.shape {
            Shape::Tuple(members) if members.len() > 1 => (members.clone(), false),
            Shape::Unordered(n, member) if *n > 1 => (vec![(**member).clone(); *n], true),
            _ => return Err(WhyNot::new("a position is not a tuple")),
        };
        if game.shape.width().is_none() {
            return Err(WhyNot::new("a position is not a fixed number of counters"));
        }
        if !game.ends.is_empty() {
            return Err(WhyNot::new("play can end by `win if` or `lose if`"));
        }
        let touches = game
            .moves
            .iter()
            .map(|m| Touch::of(game, m, members.len(), unordered))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let groups = if unordered {
            vec![Group::new(rules, vec![0], &touches, &members, true)?]
        } else {
            let split = split(game, &touches, members.len())?;
            let all = split.into_iter().map(|group| {
                let moved = touches.iter().any(|t| group.contains(&t.members[0]));
                moved.then(|| Group::new(rules, group, &touches, &members, false))
            });
            all.flatten().collect::<std::result::Result<Vec<_>, _>>()?
        };
        Ok(Box::new(Members {
            rules: rules.clone(),
            members,
            unordered,
            groups,
        }))
    }
}

/// What a rule has to do with the members.
struct Touch {
    /// The members that it reads or changes; of an unordered tuple the one, in the order of its pattern.
    members: Vec<usize>,
    /// The new values of those that it changes, with their members.
    becomes: Vec<(usize, Expr)>,
}

impl Touch {
    fn of(
        game: &Game,
        m: &Move,
        count: usize,
        unordered: bool,
    ) -> std::result::Result<Self, WhyNot> {
        let no = |what: &str| {
            let text = game.source.slice(m.span);
            Err(WhyNot::new(format!("`{}` {what}", text.trim())))
        };
        let patterns = match &m.pattern {
            Pattern::Tuple(members) => members,
            Pattern::Unordered { members, .. } => members,
            _ => return no("looks at the position as a whole"),
        };
        let Parts::Each(parts) = &m.parts else {
            return no("leaves a varying number of parts");
        };
        let [part] = &parts[..] else {
            return no("does not leave one part");
        };
        let ExprKind::Tuple(values) = &part.kind else {
            return no("does not say member by member what is left");
        };
        if patterns.len() != count || values.len() != count {
            return no("does not say member by member what is left");
        }
        let becomes = if unordered {
            // What is left as it was may stand anywhere.
            let mut old: Vec<usize> = (0..count).collect();
            let mut new = Vec::new();
            for value in values {
                match old.iter().position(|&i| same(&patterns[i], value)) {
                    Some(at) => drop(old.remove(at)),
                    None => new.push(value),
                }
            }
            old.into_iter().zip(new.into_iter().cloned()).collect()
        } else {
            let pairs = patterns.iter().zip(values).enumerate();
            let changed = pairs.filter(|(_, (pattern, value))| !same(pattern, value));
            changed.map(|(i, (_, value))| (i, value.clone())).collect()
        };
        let mut touch = Touch {
            members: Vec::new(),
            becomes,
        };
        if touch.becomes.is_empty() {
            return no("can leave the position as it is");
        }
        let mut read = Vec::new();
        for clause in &m.clauses {
            reads(|visit| clause.walk(visit), &mut read);
        }
        for (_, value) in &touch.becomes {
            reads(|visit| value.walk(visit), &mut read);
        }
        touch.members = (0..count)
            .filter(|i| {
                let changed = touch.becomes.iter().any(|(j, _)| i == j);
                changed || read.iter().any(|slot| patterns[*i].binds(*slot))
            })
            .collect();
        if unordered && touch.members.len() > 1 {
            return no("looks at or changes more than one member");
        }
        Ok(touch)
    }
}

/// Whether an expression is the member that a pattern takes apart, as it was.
fn same(pattern: &Pattern, value: &Expr) -> bool {
    match (pattern, &value.kind) {
        (Pattern::Bind(slot), ExprKind::Slot(read)) => slot == read,
        (Pattern::Tuple(members), ExprKind::Tuple(values)) => {
            members.len() == values.len() && members.iter().zip(values).all(|(m, v)| same(m, v))
        }
        _ => false,
    }
}

fn reads(walk: impl FnOnce(&mut dyn FnMut(&Expr)), out: &mut Vec<Slot>) {
    walk(&mut |e| {
        if let ExprKind::Slot(slot) = e.kind {
            out.push(slot);
        }
    });
}

/// The finest split of the members into groups that no rule couples, in order.
fn split(
    game: &Game,
    touches: &[Touch],
    count: usize,
) -> std::result::Result<Vec<Vec<usize>>, WhyNot> {
    let mut group: Vec<usize> = (0..count).collect();
    let mut couples = None;
    for (m, touch) in game.moves.iter().zip(touches) {
        let to = group[touch.members[0]];
        for &i in &touch.members[1..] {
            let from = group[i];
            if from != to {
                couples = Some(m);
                group
                    .iter_mut()
                    .filter(|g| **g == from)
                    .for_each(|g| *g = to);
            }
        }
    }
    let mut out: Vec<Vec<usize>> = Vec::new();
    for i in 0..count {
        match out.iter_mut().find(|members| group[members[0]] == group[i]) {
            Some(members) => members.push(i),
            None => out.push(vec![i]),
        }
    }
    match couples {
        Some(m) if out.len() == 1 => {
            let text = game.source.slice(m.span);
            let why = format!("`{}` couples members of the position", text.trim());
            Err(WhyNot::new(why))
        }
        _ => Ok(out),
    }
}

/// Members that moves couple, and who solves them.
struct Group {
    members: Vec<usize>,
    shape: Shape,
    /// Their names in the rules.
    name: String,
    theorem: &'static dyn Theorem,
    solver: Box<dyn Solver>,
}

impl Group {
    /// Of an unordered tuple member 0 stands for all.
    fn new(
        rules: &Rules,
        members: Vec<usize>,
        touches: &[Touch],
        shapes: &[Shape],
        unordered: bool,
    ) -> std::result::Result<Self, WhyNot> {
        let game = rules.game();
        let mut own: Game = (**game).clone();
        own.shape = match &members[..] {
            [one] => shapes[*one].clone(),
            many => Shape::Tuple(many.iter().map(|i| shapes[*i].clone()).collect()),
        };
        // What the start says of a member helps to tell counters from controls.
        if let ExprKind::Tuple(values) = &game.start.expr.kind
            && values.len() == shapes.len()
        {
            let values = members.iter().map(|i| values[*i].clone()).collect();
            own.start.expr = tuple(values, &game.start.expr);
        }
        own.moves.clear();
        let mut name = String::new();
        for (m, touch) in game.moves.iter().zip(touches) {
            let (Pattern::Tuple(patterns)
            | Pattern::Unordered {
                members: patterns, ..
            }) = &m.pattern
            else {
                continue;
            };
            let Parts::Each(parts) = &m.parts else {
                continue;
            };
            let here = if unordered { &touch.members } else { &members };
            if !here.contains(&touch.members[0]) {
                continue;
            }
            let patterns: Vec<Pattern> = here.iter().map(|i| patterns[*i].clone()).collect();
            let values = here.iter().map(|i| {
                let new = touch.becomes.iter().find(|(j, _)| i == j);
                match (new, &parts[0].kind) {
                    (Some((_, value)), _) => value.clone(),
                    (None, ExprKind::Tuple(values)) => values[*i].clone(),
                    (None, _) => parts[0].clone(),
                }
            });
            let value = tuple(values.collect(), &parts[0]);
            if name.is_empty() {
                name = names(game, &patterns);
            }
            let ours = |slot: &Slot| patterns.iter().any(|p| p.binds(*slot));
            // Ranges are narrowed by what is left of each counter; never by that of others, but it costs nothing to see.
            let narrow = bound_by(&m.pattern, &m.narrowed).iter().all(ours);
            own.moves.push(Move {
                pattern: match &patterns[..] {
                    [one] => one.clone(),
                    _ => Pattern::Tuple(patterns.clone()),
                },
                clauses: m.clauses.clone(),
                narrowed: if narrow { &m.narrowed } else { &m.clauses }.clone(),
                parts: Parts::Each(vec![value]),
                span: m.span,
            });
        }
        let shape = own.shape.clone();
        let own = Rules::new(Arc::new(own), rules.params().to_vec());
        let found = ALL.iter().find_map(|&theorem| {
            let solver = theorem.recognise(&own).ok()?;
            Some((theorem, solver))
        });
        let Some((theorem, solver)) = found else {
            return Err(WhyNot::new(format!(
                "no move couples `{name}` with the rest, but by itself it is known to no theorem"
            )));
        };
        let group = Group {
            members,
            shape,
            name,
            theorem,
            solver,
        };
        group.adds(rules)?;
        Ok(group)
    }

    /// Whether the solver gives what a sum needs. It does so for all positions or for none.
    fn adds(&self, rules: &Rules) -> std::result::Result<(), WhyNot> {
        let zero = Pos(std::iter::repeat_n(Int::ZERO, width(&self.shape)).collect());
        if rules.game().play == Play::Misere {
            return match self.solver.nim_heap(&zero) {
                Some(_) => Ok(()),
                None => Err(WhyNot::new(format!(
                    "in misère play values do not add, and `{}` is no Nim heap",
                    self.name
                ))),
            };
        }
        match self.solver.value(&zero, &Budget::default()) {
            Ok(Some(_)) => Ok(()),
            Ok(None) | Err(_) => Err(WhyNot::new(format!(
                "no value is known of `{}`, and outcomes do not add",
                self.name
            ))),
        }
    }
}

/// The number of words of a member, which has been looked at before.
fn width(shape: &Shape) -> usize {
    shape.width().unwrap_or(0)
}

/// The slots of a pattern that clauses read.
fn bound_by(pattern: &Pattern, clauses: &[Clause]) -> Vec<Slot> {
    let mut out = Vec::new();
    for clause in clauses {
        reads(|visit| clause.walk(visit), &mut out);
    }
    out.retain(|slot| pattern.binds(*slot));
    out
}

fn tuple(mut values: Vec<Expr>, whole: &Expr) -> Expr {
    if values.len() == 1 {
        return values.remove(0);
    }
    Expr {
        ty: Type::Tuple(values.iter().map(|v| v.ty.clone()).collect()),
        kind: ExprKind::Tuple(values),
        span: whole.span,
    }
}

/// The names that patterns bind, as they stand.
fn names(game: &Game, patterns: &[Pattern]) -> String {
    let name = |pattern: &Pattern| match pattern {
        Pattern::Bind(slot) => game.slots[*slot].name.clone(),
        Pattern::Tuple(members) => format!("({})", names(game, members)),
        Pattern::Unordered { members, .. } => format!("{{{}}}", names(game, members)),
        Pattern::Pick { members, .. } => format!("{{{}, …}}", names(game, members)),
    };
    patterns.iter().map(name).collect::<Vec<_>>().join(", ")
}

struct Members {
    rules: Rules,
    /// The shape of each member.
    members: Vec<Shape>,
    unordered: bool,
    /// Those that can move; of an unordered tuple one, whose rules hold for every member.
    groups: Vec<Group>,
}

impl Members {
    /// Where each of some members stands in the words of all of them.
    fn ranges<'m>(members: impl IntoIterator<Item = &'m Shape>) -> Vec<Range<usize>> {
        let mut at = 0;
        let range = |shape: &Shape| {
            let from = at;
            at += width(shape);
            from..at
        };
        members.into_iter().map(range).collect()
    }

    /// The parts of the sum and their groups.
    fn parts(&self, part: &Pos) -> (Position, Vec<&Group>) {
        let ranges = Self::ranges(&self.members);
        if self.unordered {
            let parts = ranges.into_iter().map(|r| Pos(part.0[r].into()));
            let position = Position {
                parts: parts.collect(),
            };
            return (position, vec![&self.groups[0]; self.members.len()]);
        }
        let words = |group: &Group| {
            let mut words = Words::new();
            for i in &group.members {
                words.extend(part.0[ranges[*i].clone()].iter().cloned());
            }
            Pos(words)
        };
        let parts = self.groups.iter().map(words).collect();
        (Position { parts }, self.groups.iter().collect())
    }

    /// The whole position once one of its parts has become `left`.
    fn after(&self, part: &Pos, index: usize, left: &[Pos]) -> Pos {
        // A theorem of heaps leaves a heap of nothing out.
        let nothing = Pos([Int::ZERO].into_iter().collect());
        let left = left.first().unwrap_or(&nothing);
        let ranges = Self::ranges(&self.members);
        let mut members: Vec<&[Int]> = ranges.into_iter().map(|r| &part.0[r]).collect();
        if self.unordered {
            members[index] = &left.0;
            members.sort();
        } else {
            let moved = &self.groups[index].members;
            let ranges = Self::ranges(moved.iter().map(|i| &self.members[*i]));
            for (i, range) in moved.iter().zip(ranges) {
                members[*i] = &left.0[range];
            }
        }
        Pos(members.concat().into())
    }

    fn sum<'a>(
        &self,
        position: &'a Position,
        groups: &[&'a Group],
        budget: &Budget,
    ) -> Result<Sum<'a>> {
        let game = self.rules.game();
        let solvers = groups.iter().map(|g| &*g.solver).collect();
        Sum::new(position, solvers, game.play, budget).map_err(|no| match no {
            NoSum::Failed(error) => error,
            // What a group refuses has been asked before.
            NoSum::NotApplicable(why) => {
                Box::new(Diagnostic::error(Code::Unsupported, &game.source, why.0))
            }
        })
    }
}

impl Solver for Members {
    fn finding(&self) -> String {
        let groups: Vec<String> = self
            .groups
            .iter()
            .map(|g| {
                format!(
                    "`{}` by {} ({})",
                    g.name,
                    g.theorem.name(),
                    g.solver.finding()
                )
            })
            .collect();
        match &groups[..] {
            [one] if self.unordered => format!("every move is in one member; {one}"),
            groups => format!("no move couples them: {}", groups.join("; ")),
        }
    }

    fn refuses(&self, part: &Pos, budget: &Budget) -> Result<Option<WhyNot>> {
        let (position, groups) = self.parts(part);
        for (part, group) in position.parts.iter().zip(groups) {
            if let Some(why) = group.solver.refuses(part, budget)? {
                return Ok(Some(why));
            }
        }
        Ok(None)
    }

    fn outcome(&self, part: &Pos, budget: &Budget) -> Result<Outcome> {
        let (position, groups) = self.parts(part);
        Ok(self.sum(&position, &groups, budget)?.outcome())
    }

    fn value(&self, part: &Pos, budget: &Budget) -> Result<Option<Int>> {
        let (position, groups) = self.parts(part);
        Ok(self.sum(&position, &groups, budget)?.value())
    }

    fn options(
        &self,
        part: &Pos,
        target: &Target,
        limit: usize,
        budget: &Budget,
    ) -> Result<Options> {
        let (mut position, mut groups) = self.parts(part);
        let whole = self.sum(&position, &groups, budget)?;
        let mut wanted = match target {
            Target::P => whole.wanted(),
            Target::Value(value) => whole.wanted_for(value),
        };
        let mut indices: Vec<usize> = (0..wanted.len()).collect();
        if self.unordered {
            // A move in either of two equal members leaves the same; they stand side by side.
            let new = |i: &usize| *i == 0 || position.parts[*i] != position.parts[i - 1];
            indices.retain(new);
            wanted = indices.iter().map(|i| wanted[*i].clone()).collect();
            groups.truncate(indices.len());
            position.parts.dedup();
        }
        let found = self
            .sum(&position, &groups, budget)?
            .moves(wanted, limit, budget)?;
        let list = found.list.iter();
        let list = list.map(|m| vec![self.after(part, indices[m.part], &m.left)]);
        Ok(Options {
            list: list.collect(),
            total: found.total,
        })
    }

    fn explain(&self, part: &Pos, budget: &Budget) -> Result<Vec<String>> {
        let (position, groups) = self.parts(part);
        let sum = self.sum(&position, &groups, budget)?;
        let misere = self.rules.game().play == Play::Misere;
        let label = |part: &Pos, group: &Group| {
            let value = group.shape.display(part);
            match self.unordered {
                true => value,
                false => format!("{} = {value}", group.name),
            }
        };
        let parts = position.parts.iter().zip(&groups);
        let shown: Vec<String> = parts.map(|(part, group)| label(part, group)).collect();
        let mut out = vec![format!(
            "No move looks at or changes two of these at once, so the position is the sum of {}: a move is made in one of \
             them, and the others stay as they are.",
            shown.join(" and ")
        )];
        let mut argued: Vec<(&Pos, *const Group)> = Vec::new();
        for ((part, group), value) in position.parts.iter().zip(&groups).zip(sum.values()) {
            let this = (part, std::ptr::from_ref(*group));
            if misere || argued.contains(&this) {
                continue;
            }
            argued.push(this);
            let why = group.solver.explain(part, budget)?.join(" ");
            let part = label(part, group);
            out.push(format!("{part} has value {value}. {why}"));
        }
        let values: Vec<String> = sum.values().iter().map(Int::to_string).collect();
        let total = sum.values().iter().fold(Int::ZERO, |x, v| x.bitxor(v));
        let values = values.join(" ^ ");
        out.push(if misere {
            format!(
                "All are Nim heaps, and whoever takes the last one loses: lost is a nim-sum of 0 while some heap has two or \
                 more, and an odd number of ones when none has. The nim-sum is {values} = {total}."
            )
        } else {
            format!(
                "The value is the nim-sum {values} = {total}, and the player to move loses exactly when it is 0."
            )
        });
        let shape = &self.rules.game().shape;
        let found = self.options(part, &Target::P, 1, budget)?;
        out.push(match found.list.first() {
            Some(left) => format!("To win, leave for example {}.", shape.display(&left[0])),
            None => "So no move wins.".to_owned(),
        });
        Ok(out)
    }
}
