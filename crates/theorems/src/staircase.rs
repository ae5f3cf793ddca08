//! Tokens that move along arcs: any number of them from one box to another. Card boxes (HDU 3389), stairs, stones that go
//! to the parent in a tree, tokens thrown away.
//!
//! # Theorem
//! Let the arcs between the boxes have no cycle, and let a move take any positive number of tokens of a box along one arc.
//! An arc may also lead nowhere (the tokens are gone); nowhere counts as one more box, without arcs. Let every box be even or
//! odd, so that **each arc leads to the other colour and boxes without arcs are even**. Then the Grundy value of a
//! position is the nim-sum of the counts of the odd boxes.
//!
//! *The colours are forced.* Boxes without arcs are even, and going against the arcs every other box has the colour that its
//! successors have not. So either this finds the one colouring, or some box has successors of both colours.
//! *Each odd box has an arc, and all its arcs lead to even boxes*, since boxes without arcs are even.
//!
//! *Proof.* By induction over the moves (play ends: each move goes down along an acyclic graph). Let g be the nim-sum of
//! the odd counts. (1) No option has value g: an arc joins the two colours, so a move changes exactly one odd count, hence
//! the nim-sum. (2) For every h < g some option has value h: let d = g ^ h. The highest bit of d is set in g, so in some odd
//! count a, and a ^ d < a. That box has an arc to an even box; moving a − (a ^ d) tokens there leaves the nim-sum g ^ d = h.
//! By induction the options have their nim-sums as values, so g is the mex. ∎
//!
//! The same argument gives all options of value h = g ^ d: from an odd box with a ^ d < a exactly a − (a ^ d) tokens along any
//! of its arcs, and from an even box into an odd box with count b, where b ^ d > b, exactly (b ^ d) − b tokens if it has them.
//!
//! # How the rules are read
//! A move must be `x with x[A] -= k, x[B] += k` (in any writing with the same meaning) where k takes all values from 1 to
//! x[A], and which A and B are allowed depends on quantifiers, parameters and the number of boxes only. Two ways to find
//! the arcs:
//! * *Windows*: A = ±u + c and B = ±v + f(u) for two quantifiers over ranges; the guards say lo(u) ≤ v ≤ hi(u), or depend on
//!   u alone, or on u and v through their residues mod m. The targets of a box are then one run for each residue class,
//!   and a running count of odd boxes in each class tells the colours in a run at once. O(N·m) time, O(N) memory.
//! * *Enumeration* of the quantifiers, at most [`MOST_STEPS`] steps.
//!
//! If the arcs of a box do not depend on the number of boxes and lead to smaller indices, colours are found once and
//! extended when a longer array comes. A position then costs one pass over its counts. Counting the options takes
//! O(N·m·log N): for all even boxes together, how many odd boxes of their windows lack at most x[A] tokens, with a Fenwick
//! tree over the boxes in order of residue class, filled in order of that lack.
//!
//! Sources: the staircase is in R. Sprague, Tôhoku Math. J. 41 (1935/36) as a sum of positions that can be reversed; the
//! form for graphs is proved above.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{
    BinaryOp, Clause, CompareOp, Domain, Expr, ExprKind, Function, Move, Parts, Pattern, Play,
    Shape, Slot, Type, UpdateOp,
};
use grundy_lang::value::{Pos, Value, Words};
use rustc_hash::FxHashMap;

use crate::scan::{self, Atom, Env};
use crate::{Options, Result, Solver, Target, Theorem, WhyNot};

/// How many combinations of quantifiers are tried for one number of boxes.
pub const MOST_STEPS: u64 = 50_000_000;
/// The largest common modulus of the guards that are read as windows.
const MOST_CLASSES: i64 = 1024;
/// How many alternatives the guards of one move may have.
const MOST_ALTERNATIVES: usize = 16;
/// How many boxes in all are kept for numbers of boxes seen before.
const KEPT_BOXES: usize = 4_000_000;
/// The target of an arc that leads nowhere.
const NOWHERE: u32 = u32::MAX;

/// The staircase theorem on an acyclic graph.
pub struct Staircase;

impl Theorem for Staircase {
    fn name(&self) -> &'static str {
        "staircase"
    }

    fn title(&self) -> &'static str {
        "staircase on an acyclic graph"
    }

    fn source(&self) -> &'static str {
        "proved in crates/theorems/src/staircase.rs; the stairs themselves after R. Sprague (1935)"
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        let graph = Graph::read(rules)?;
        let solver = StaircaseSolver {
            graph,
            cache: Mutex::default(),
        };
        if let Some(n) = start_length(rules).filter(|n| *n <= SMALL_ENOUGH_TO_CHECK)
            && let Ok(Err(why)) = solver.prepared(n, &Budget::default())
        {
            return Err(why);
        }
        Ok(Box::new(solver))
    }
}

/// Up to here the colouring is tried while recognising, if the parameters tell the number of boxes.
const SMALL_ENOUGH_TO_CHECK: usize = 2_000;

fn start_length(rules: &Rules) -> Option<usize> {
    let start = &rules.game().start;
    let mut expr = &start.expr;
    while let ExprKind::Call(Function::Sorted | Function::Reversed, args) = &expr.kind {
        expr = args.first()?;
    }
    match expr.kind {
        ExprKind::Slot(s) if !start.sum => Some(rules.params().get(s)?.as_seq()?.len()),
        _ => None,
    }
}

/// The arcs as the rules state them.
struct Graph {
    rules: Rules,
    arcs: Vec<Arcs>,
    /// The array's slot in each rule is the same number in no rule but its own, so each keeps its own.
    slots: usize,
    /// The common modulus of all windows.
    modulus: i64,
    /// Whether the arcs of a box are the same for every number of boxes.
    stable: bool,
}

/// The arcs of one move rule.
struct Arcs {
    array: Slot,
    /// Quantifiers and guards that choose the arc.
    clauses: Vec<Clause>,
    from: Expr,
    to: Option<Expr>,
    form: Form,
    /// The rule chooses the source first, as `u` in `lo..len(x)+h` with the source at u − h − 1, and reads the length nowhere
    /// else.
    stable: bool,
}

enum Form {
    Windows(Vec<Window>),
    Enumerated,
}

/// One alternative of the guards of a rule with two quantifiers.
struct Window {
    u: Slot,
    v: Slot,
    /// A = from_sign·u + (A at u = 0).
    from_sign: i64,
    /// B = to_sign·v + (B at v = 0).
    to_sign: i64,
    /// Conditions without v, and whether they must fail instead.
    plain: Vec<(Expr, bool)>,
    /// `multiple·v + (left − right at v = 0) op 0`
    bounds: Vec<Bound>,
    /// Conditions on residues.
    residues: Vec<(Expr, bool)>,
}

struct Bound {
    op: CompareOp,
    left: Expr,
    right: Expr,
    multiple: i64,
}

/// Boxes `first, first + modulus, …, last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: i64,
    last: i64,
}

impl Run {
    fn count(self, modulus: i64) -> u64 {
        ((self.last - self.first) / modulus + 1) as u64
    }

    fn contains(self, at: i64, modulus: i64) -> bool {
        self.first <= at && at <= self.last && (at - self.first) % modulus == 0
    }

    fn boxes(self, modulus: i64) -> impl Iterator<Item = usize> {
        (self.first..=self.last)
            .step_by(modulus as usize)
            .map(|b| b as usize)
    }
}

fn why<T>(text: impl Into<String>) -> std::result::Result<T, WhyNot> {
    Err(WhyNot::new(text))
}

// ---------------------------------------------------------------------------------------------------------- reading rules

impl Graph {
    fn read(rules: &Rules) -> std::result::Result<Self, WhyNot> {
        let game = rules.game();
        match &game.shape {
            Shape::Array(member) if **member == Shape::Int => {}
            _ => return why("a position is not an array of counts"),
        }
        if game.play != Play::Normal {
            return why("play is misère, where the colours do not give the outcome");
        }
        if !game.ends.is_empty() {
            return why("`win if` or `lose if` can end the game before the tokens are stuck");
        }
        let mut arcs = game
            .moves
            .iter()
            .map(|rule| Arcs::read(rule, rules))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let mut modulus = 1i64;
        for rule in &arcs {
            if let Form::Windows(windows) = &rule.form {
                let mut env = Env::new(rules.params(), game.slots.len(), rule.array);
                for w in windows {
                    for (e, _) in &w.residues {
                        let m =
                            period(e, w.u, w.v, &mut env).expect("sorted as a residue condition");
                        modulus = modulus / gcd(modulus, m) * m;
                        if modulus > MOST_CLASSES {
                            break;
                        }
                    }
                }
            }
            if modulus > MOST_CLASSES {
                break;
            }
        }
        if modulus > MOST_CLASSES {
            for rule in &mut arcs {
                rule.form = Form::Enumerated;
            }
            modulus = 1;
        }
        let stable = arcs.iter().all(|r| r.stable);
        Ok(Graph {
            rules: rules.clone(),
            arcs,
            slots: game.slots.len(),
            modulus,
            stable,
        })
    }

    fn env(&self, rule: &Arcs, n: usize) -> Env<'_> {
        let mut env = Env::new(self.rules.params(), self.slots, rule.array);
        env.len = n as i64;
        env
    }
}

impl Arcs {
    fn read(rule: &Move, rules: &Rules) -> std::result::Result<Self, WhyNot> {
        let game = rules.game();
        let said = || game.source.slice(rule.span).trim().to_owned();
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
            return why(format!("`{}` does not change the array in places", said()));
        };
        if !matches!(base.kind, ExprKind::Slot(s) if s == array) {
            return why(format!(
                "`{}` changes another array than the position",
                said()
            ));
        }
        if updates.is_empty() || updates.len() > 2 {
            return why(format!(
                "`{}` changes {} boxes at once",
                said(),
                updates.len()
            ));
        }
        let env = Env::new(rules.params(), game.slots.len(), array);

        // The amount is the quantifier that the new counts depend on; an index such as the i of x[i] does not count.
        let in_values = |s: Slot| {
            updates.iter().any(|u| {
                env.affine(&u.value).is_some_and(|form| {
                    form.terms
                        .iter()
                        .any(|(atom, _)| matches!(atom, Atom::Slot(t) if *t == s))
                })
            })
        };
        let quantified = rule.clauses.iter().flat_map(|c| match c {
            Clause::For { slots, .. } => slots.as_slice(),
            Clause::If(_) => &[],
        });
        let amounts: Vec<Slot> = quantified.copied().filter(|&s| in_values(s)).collect();
        let [amount] = amounts[..] else {
            return why(format!(
                "the number of tokens that `{}` moves is not a quantifier of its own",
                said()
            ));
        };
        let places: Vec<&Expr> = updates.iter().map(|u| &u.index).collect();
        for place in &places {
            if scan::mentions(place, amount) || scan::reads_contents(place, array) {
                return why(format!(
                    "which box `{}` changes depends on the counts",
                    said()
                ));
            }
        }
        let reader = Reader {
            env: &env,
            array,
            amount,
            places: &places,
        };
        let mut gains = Vec::new();
        for (j, u) in updates.iter().enumerate() {
            let gain = reader.form(&u.value).and_then(|value| match u.op {
                UpdateOp::Add => Some(value),
                UpdateOp::Sub => value.times(-1),
                UpdateOp::Set => value.plus(&Linear::own(j), -1),
            });
            match gain {
                Some(gain) => gains.push(gain),
                None => return why(format!("the new counts of `{}` are not linear", said())),
            }
        }

        // Which clauses choose the arc, and which bound the amount.
        let mut clauses = Vec::new();
        let mut limits: Vec<Linear> = Vec::new(); // each must be at least 0
        for clause in &rule.clauses {
            match clause {
                Clause::For { slots, domain } if slots.contains(&amount) => {
                    let (Domain::Range(lo, hi), [_]) = (domain, slots.as_slice()) else {
                        return why(format!(
                            "the number of tokens that `{}` moves is not a range",
                            said()
                        ));
                    };
                    let k = Linear {
                        k: 1,
                        ..Linear::default()
                    };
                    let pair = reader
                        .form(lo)
                        .and_then(|lo| k.plus(&lo, -1))
                        .zip(reader.form(hi).and_then(|hi| hi.plus(&k, -1)));
                    let Some((low, high)) = pair else {
                        return why(format!(
                            "`{}` cannot move any number of tokens of its box",
                            said()
                        ));
                    };
                    limits.extend([low, high]);
                }
                Clause::For { .. } => {
                    if scan::clause_reads_contents(clause, array) || clause_mentions(clause, amount)
                    {
                        return why(format!("a range of `{}` depends on the counts", said()));
                    }
                    clauses.push(clause.clone());
                }
                Clause::If(e) => {
                    for e in conjuncts(e) {
                        if !scan::reads_contents(e, array) && !scan::mentions(e, amount) {
                            clauses.push(Clause::If(e.clone()));
                            continue;
                        }
                        match reader.guard(e) {
                            Some(guard) => limits.push(guard),
                            None => {
                                return why(format!(
                                    "the guard `{}` depends on the counts",
                                    game.source.slice(e.span).trim()
                                ));
                            }
                        }
                    }
                }
            }
        }
        let mut verdict = why(format!("`{}` takes from no box", said()));
        for (j, gain) in gains.iter().enumerate() {
            let checked = takes_any_number(j, gain, &limits, said().as_str());
            // The box that loses tokens is the one to report on.
            if checked.is_ok() || gain.k < 0 {
                verdict = checked.map(|()| j);
            }
            if verdict.is_ok() {
                break;
            }
        }
        let source = verdict?;
        let from = places[source];
        let target = (places.len() == 2).then(|| 1 - source);
        if let Some(target) = target
            && gains[target].plus(&gains[source], 1) != Some(Linear::default())
        {
            return why(format!(
                "`{}` does not put down as many tokens as it takes",
                said()
            ));
        }

        let from = from.clone();
        let to = target.map(|t| places[t].clone());
        let mut arcs = Arcs {
            array,
            clauses,
            from,
            to,
            form: Form::Enumerated,
            stable: false,
        };
        arcs.stable = arcs.is_stable(&env);
        if let Some(windows) = arcs.windows(rules) {
            arcs.form = Form::Windows(windows);
        }
        Ok(arcs)
    }

    // The first quantifier gives the source, up to the last box, and nothing else depends on the number of boxes.
    fn is_stable(&self, env: &Env<'_>) -> bool {
        let Some(first) = self
            .clauses
            .iter()
            .position(|c| matches!(c, Clause::For { .. }))
        else {
            return false;
        };
        let Clause::For {
            slots,
            domain: Domain::Range(lo, hi),
        } = &self.clauses[first]
        else {
            return false;
        };
        let Some(from) = env.affine(&self.from) else {
            return false;
        };
        let Some(hi) = env.affine(hi) else {
            return false;
        };
        let [u] = slots[..] else { return false };
        from.of_slot(u) == 1
            && from.terms.len() == 1
            && matches!(hi.terms[..], [(Atom::Len, 1)])
            && hi.constant.checked_add(from.constant) == Some(-1)
            && !scan::reads_len(lo, self.array)
            && !self
                .to
                .as_ref()
                .is_some_and(|e| scan::reads_len(e, self.array))
            && self
                .clauses
                .iter()
                .enumerate()
                .all(|(i, c)| i == first || !scan::clause_reads_len(c, self.array))
    }

    fn windows(&self, rules: &Rules) -> Option<Vec<Window>> {
        let mut env = Env::new(rules.params(), rules.game().slots.len(), self.array);
        let to = self.to.as_ref()?;
        let quantifiers: Vec<Slot> = self
            .clauses
            .iter()
            .filter_map(|c| match c {
                Clause::For {
                    slots,
                    domain: Domain::Range(..),
                } if slots.len() == 1 => Some(Some(slots[0])),
                Clause::For { .. } => Some(None),
                Clause::If(_) => None,
            })
            .collect::<Option<_>>()?;
        let [p, q] = quantifiers[..] else { return None };
        for (u, v) in [(p, q), (q, p)] {
            if let Some(windows) = self.windows_over(u, v, to, &mut env) {
                return Some(windows);
            }
        }
        None
    }

    fn windows_over(&self, u: Slot, v: Slot, to: &Expr, env: &mut Env<'_>) -> Option<Vec<Window>> {
        let (from_sign, to_sign) = (multiple(&self.from, u, env)?, multiple(to, v, env)?);
        if scan::mentions(&self.from, v) || from_sign.abs() != 1 || to_sign.abs() != 1 {
            return None;
        }
        // Everything that must hold, as one list of alternatives.
        let mut all: Vec<Vec<(Expr, bool)>> = vec![Vec::new()];
        for clause in &self.clauses {
            let conditions = match clause {
                Clause::If(e) => vec![e.clone()],
                Clause::For {
                    slots,
                    domain: Domain::Range(lo, hi),
                } => {
                    let name = Expr {
                        kind: ExprKind::Slot(slots[0]),
                        ty: Type::Int,
                        span: lo.span,
                    };
                    vec![
                        comparison(CompareOp::Ge, name.clone(), lo.clone()),
                        comparison(CompareOp::Le, name, hi.clone()),
                    ]
                }
                Clause::For { .. } => return None,
            };
            for condition in conditions {
                let alternatives = alternatives(&condition, false, u, v, env)?;
                let mut product = Vec::new();
                for have in &all {
                    for more in &alternatives {
                        product.push(have.iter().chain(more).cloned().collect());
                    }
                }
                if product.len() > MOST_ALTERNATIVES {
                    return None;
                }
                all = product;
            }
        }
        all.into_iter()
            .map(|conditions| {
                let mut w = Window {
                    u,
                    v,
                    from_sign,
                    to_sign,
                    plain: Vec::new(),
                    bounds: Vec::new(),
                    residues: Vec::new(),
                };
                for (e, negate) in conditions {
                    if !scan::mentions(&e, v) {
                        w.plain.push((e, negate));
                        continue;
                    }
                    if let ExprKind::Compare(op, l, r) = &e.kind
                        && l.ty == Type::Int
                        && let (Some(a), Some(b)) = (multiple(l, v, env), multiple(r, v, env))
                    {
                        let multiple = a.checked_sub(b)?;
                        let op = if negate { scan::negated(*op) } else { *op };
                        let (left, right) = ((**l).clone(), (**r).clone());
                        w.bounds.push(Bound {
                            op,
                            left,
                            right,
                            multiple,
                        });
                        continue;
                    }
                    period(&e, u, v, env)?;
                    w.residues.push((e, negate));
                }
                Some(w)
            })
            .collect()
    }
}

/// `k·amount + own[0]·(count of the first place) + own[1]·(count of the second) + c`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Linear {
    k: i64,
    own: [i64; 2],
    c: i64,
}

impl Linear {
    fn own(place: usize) -> Self {
        let mut form = Linear::default();
        form.own[place] = 1;
        form
    }

    fn times(self, by: i64) -> Option<Self> {
        Linear::default().plus(&self, by)
    }

    fn plus(&self, other: &Linear, times: i64) -> Option<Self> {
        let add = |a: i64, b: i64| a.checked_add(b.checked_mul(times)?);
        Some(Linear {
            k: add(self.k, other.k)?,
            own: [
                add(self.own[0], other.own[0])?,
                add(self.own[1], other.own[1])?,
            ],
            c: add(self.c, other.c)?,
        })
    }
}

struct Reader<'a> {
    env: &'a Env<'a>,
    array: Slot,
    amount: Slot,
    places: &'a [&'a Expr],
}

impl Reader<'_> {
    /// The form of an expression that is one.
    fn form(&self, e: &Expr) -> Option<Linear> {
        let affine = self.env.affine(e)?;
        let mut form = Linear {
            c: affine.constant,
            ..Linear::default()
        };
        for (atom, c) in affine.terms {
            match atom {
                Atom::Slot(s) if s == self.amount => form.k += c,
                Atom::Opaque(Expr {
                    kind: ExprKind::Index(list, at),
                    ..
                }) if matches!(list.kind, ExprKind::Slot(s) if s == self.array) => {
                    let place = self.places.iter().position(|p| self.env.same(p, at))?;
                    form.own[place] = form.own[place].checked_add(c)?;
                }
                _ => return None,
            }
        }
        Some(form)
    }

    /// A guard as a form that must be at least 0.
    fn guard(&self, e: &Expr) -> Option<Linear> {
        let ExprKind::Compare(op, l, r) = &e.kind else {
            return None;
        };
        if l.ty != Type::Int || r.ty != Type::Int {
            return None;
        }
        let difference = self.form(l)?.plus(&self.form(r)?, -1)?;
        let less_one = Linear {
            c: -1,
            ..Linear::default()
        };
        match op {
            CompareOp::Ge => Some(difference),
            CompareOp::Gt => difference.plus(&less_one, 1),
            CompareOp::Le => difference.times(-1),
            CompareOp::Lt => less_one.plus(&difference, -1),
            // A count that is not 0 is at least 1.
            CompareOp::Ne if difference.k == 0 && difference.c == 0 => match difference.own {
                [1, 0] | [0, 1] => difference.plus(&less_one, 1),
                [-1, 0] | [0, -1] => less_one.plus(&difference, -1),
                _ => None,
            },
            CompareOp::Eq | CompareOp::Ne => None,
        }
    }
}

/// Whether the place loses t tokens, t from 1 to its count and each once, under limits that must all be at least 0.
fn takes_any_number(
    place: usize,
    gain: &Linear,
    limits: &[Linear],
    said: &str,
) -> std::result::Result<(), WhyNot> {
    let too_large = || WhyNot::new(format!("`{said}` has numbers past a machine word"));
    if gain.k.abs() != 1 {
        return why(format!("`{said}` does not take tokens one by one"));
    }
    // t = −gain, so amount = sign·(t − rest) with sign = −gain.k and rest = −gain without the amount.
    let sign = -gain.k;
    let rest = Linear { k: 0, ..*gain }.times(-1).ok_or_else(too_large)?;
    let mut least = i64::MIN;
    let mut bounded = false;
    for limit in limits {
        // limit = k·amount + f = k·sign·t + (f − k·sign·rest)
        let slope = limit.k.checked_mul(sign).ok_or_else(too_large)?;
        let free = Linear { k: 0, ..*limit }
            .plus(&rest, slope.checked_neg().ok_or_else(too_large)?)
            .ok_or_else(too_large)?;
        let own = free.own[place];
        if free.own[1 - place] != 0 {
            return why(format!(
                "how many tokens `{said}` moves depends on the box that gets them"
            ));
        }
        match (slope, own) {
            // t ≥ −c
            (1, 0) => least = least.max(-free.c),
            // t ≤ count + c; more than there are would leave a count below 0, and that is no move
            (-1, 1) if free.c >= 0 => bounded = true,
            (-1, 1) => {
                return why(format!("`{said}` must leave {} tokens in the box", -free.c));
            }
            (-1, 0) => {
                return why(format!("`{said}` moves at most {} tokens at once", free.c));
            }
            // count ≥ −c is no condition where there is a token to move
            (0, 1) if free.c >= -1 => {}
            _ => {
                return why(format!(
                    "`{said}` cannot move any number of tokens of its box"
                ));
            }
        }
    }
    if !bounded {
        return why(format!(
            "how many tokens `{said}` moves does not depend on the box"
        ));
    }
    match least.cmp(&1) {
        Ordering::Equal => Ok(()),
        Ordering::Less => why(format!("`{said}` can move no token, or tokens back")),
        Ordering::Greater => why(format!("`{said}` moves at least {least} tokens at once")),
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn comparison(op: CompareOp, left: Expr, right: Expr) -> Expr {
    Expr {
        span: left.span,
        kind: ExprKind::Compare(op, Box::new(left), Box::new(right)),
        ty: Type::Bool,
    }
}

fn clause_mentions(clause: &Clause, slot: Slot) -> bool {
    scan::any_clause(clause, &mut |e| match e.kind {
        ExprKind::Slot(s) => Some(s == slot),
        _ => None,
    })
}

fn conjuncts(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::And(list) => list.iter().flat_map(conjuncts).collect(),
        _ => vec![e],
    }
}

/// The constant multiple of `v` in an expression that is linear in it, whatever else it holds.
fn multiple(e: &Expr, v: Slot, env: &Env<'_>) -> Option<i64> {
    if !scan::mentions(e, v) {
        return Some(0);
    }
    match &e.kind {
        ExprKind::Slot(_) => Some(1),
        ExprKind::Neg(a) => multiple(a, v, env)?.checked_neg(),
        ExprKind::Binary(BinaryOp::Add, a, b) => {
            multiple(a, v, env)?.checked_add(multiple(b, v, env)?)
        }
        ExprKind::Binary(BinaryOp::Sub, a, b) => {
            multiple(a, v, env)?.checked_sub(multiple(b, v, env)?)
        }
        ExprKind::Binary(BinaryOp::Mul, a, b) if env.constant(a) => {
            env.int(a)?.checked_mul(multiple(b, v, env)?)
        }
        ExprKind::Binary(BinaryOp::Mul, a, b) if env.constant(b) => {
            env.int(b)?.checked_mul(multiple(a, v, env)?)
        }
        ExprKind::If(c, a, b) if !scan::mentions(c, v) => {
            let m = multiple(a, v, env)?;
            (multiple(b, v, env)? == m).then_some(m)
        }
        _ => None,
    }
}

/// A modulus m such that the expression depends on u and v only through their residues mod m.
fn period(e: &Expr, u: Slot, v: Slot, env: &mut Env<'_>) -> Option<i64> {
    if !scan::mentions(e, u) && !scan::mentions(e, v) {
        return Some(1);
    }
    let join = |a: i64, b: i64| {
        let m = (a / gcd(a, b)).checked_mul(b)?;
        (m <= MOST_CLASSES).then_some(m)
    };
    match &e.kind {
        ExprKind::Binary(BinaryOp::Mod, a, m) if env.constant(m) => {
            let m = env
                .int(m)?
                .checked_abs()
                .filter(|m| (1..=MOST_CLASSES).contains(m))?;
            join(m, period_of_residue(a, m, u, v, env)?)
        }
        ExprKind::Neg(a) | ExprKind::Not(a) => period(a, u, v, env),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b)
        | ExprKind::Compare(_, a, b) => join(period(a, u, v, env)?, period(b, u, v, env)?),
        ExprKind::If(a, b, c) => {
            let bc = join(period(b, u, v, env)?, period(c, u, v, env)?)?;
            join(period(a, u, v, env)?, bc)
        }
        ExprKind::And(list)
        | ExprKind::Or(list)
        | ExprKind::Call(Function::Min | Function::Max | Function::Abs, list) => list
            .iter()
            .try_fold(1, |m, e| join(m, period(e, u, v, env)?)),
        ExprKind::In(e, domain) => {
            let m = period(e, u, v, env)?;
            match &**domain {
                Domain::Range(lo, hi) => {
                    let ends = join(period(lo, u, v, env)?, period(hi, u, v, env)?)?;
                    join(m, ends)
                }
                Domain::Members(list) => env.constant(list).then_some(m),
            }
        }
        ExprKind::Index(list, at) if env.constant(list) => period(at, u, v, env),
        _ => None,
    }
}

/// The same for the residue of a polynomial mod m.
fn period_of_residue(e: &Expr, m: i64, u: Slot, v: Slot, env: &mut Env<'_>) -> Option<i64> {
    if !scan::mentions(e, u) && !scan::mentions(e, v) {
        return Some(1);
    }
    match &e.kind {
        ExprKind::Slot(_) => Some(m),
        ExprKind::Neg(a) => period_of_residue(a, m, u, v, env),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
            let (a, b) = (
                period_of_residue(a, m, u, v, env)?,
                period_of_residue(b, m, u, v, env)?,
            );
            (a / gcd(a, b)).checked_mul(b)
        }
        ExprKind::Binary(BinaryOp::Pow, a, b) if env.constant(b) => {
            period_of_residue(a, m, u, v, env)
        }
        _ => period(e, u, v, env),
    }
}

/// The condition as alternatives of conditions that all hold; `true` beside a condition: it must fail.
fn alternatives(
    e: &Expr,
    negate: bool,
    u: Slot,
    v: Slot,
    env: &mut Env<'_>,
) -> Option<Vec<Vec<(Expr, bool)>>> {
    let whole = || Some(vec![vec![(e.clone(), negate)]]);
    if !scan::mentions(e, v) {
        return whole();
    }
    let each = |list: &[Expr], all: bool, env: &mut Env<'_>| -> Option<Vec<Vec<(Expr, bool)>>> {
        let mut out: Vec<Vec<(Expr, bool)>> = if all { vec![Vec::new()] } else { Vec::new() };
        for e in list {
            let more = alternatives(e, negate, u, v, env)?;
            if all {
                out = out
                    .iter()
                    .flat_map(|have| {
                        more.iter()
                            .map(move |m| have.iter().chain(m).cloned().collect())
                    })
                    .collect();
            } else {
                out.extend(more);
            }
            if out.len() > MOST_ALTERNATIVES {
                return None;
            }
        }
        Some(out)
    };
    match &e.kind {
        ExprKind::Compare(op, l, r)
            if l.ty == Type::Int
                && multiple(l, v, env).is_some()
                && multiple(r, v, env).is_some() =>
        {
            let _ = op;
            whole()
        }
        _ if period(e, u, v, env).is_some() => whole(),
        ExprKind::Not(a) => alternatives(a, !negate, u, v, env),
        ExprKind::And(list) => each(list, !negate, env),
        ExprKind::Or(list) => each(list, negate, env),
        ExprKind::In(member, domain) => {
            let Domain::Range(lo, hi) = &**domain else {
                return None;
            };
            let ends = [
                comparison(CompareOp::Ge, (**member).clone(), lo.clone()),
                comparison(CompareOp::Le, (**member).clone(), hi.clone()),
            ];
            each(&ends, !negate, env)
        }
        // |a| against b is a against b and −b.
        ExprKind::Compare(op, l, r) if l.ty == Type::Int => {
            let (op, inner, other) = match (&l.kind, &r.kind) {
                (ExprKind::Call(Function::Abs, a), _) => (*op, a.first()?, r),
                (_, ExprKind::Call(Function::Abs, a)) => (mirrored(*op), a.first()?, l),
                _ => return None,
            };
            let minus = Expr {
                kind: ExprKind::Neg(other.clone()),
                ty: Type::Int,
                span: other.span,
            };
            let ends = [
                comparison(op, inner.clone(), (**other).clone()),
                comparison(mirrored(op), inner.clone(), minus),
            ];
            let all = matches!(op, CompareOp::Le | CompareOp::Lt | CompareOp::Ne);
            // |a| == b and |a| != b are the pair only where b is not below 0.
            if matches!(op, CompareOp::Eq | CompareOp::Ne) && !env.constant(other) {
                return None;
            }
            if matches!(op, CompareOp::Eq | CompareOp::Ne) && env.int(other)? < 0 {
                return None;
            }
            each(&ends, all != negate, env)
        }
        _ => None,
    }
}

fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        same => same,
    }
}

// ------------------------------------------------------------------------------------------------------------- the colours

/// The colours of the boxes of an array, and what the arcs are beside the windows.
#[derive(Clone, Default)]
struct Prepared {
    /// Whether each box is odd.
    odd: Vec<bool>,
    /// Targets of enumerated arcs: those of box a are `to[start[a]..start[a + 1]]`, in order, [`NOWHERE`] last.
    start: Vec<usize>,
    to: Vec<u32>,
    /// Whether the windows have been written out among the enumerated arcs.
    written_out: bool,
    /// Odd boxes among this and those before it (or after it, if arcs go up) in its residue class.
    running: Vec<u32>,
    /// The first box with which the colouring fails, when it is kept for all numbers of boxes.
    broken: Option<(usize, WhyNot)>,
}

impl Prepared {
    fn targets(&self, a: usize) -> &[u32] {
        &self.to[self.start[a]..self.start[a + 1]]
    }
}

/// Residue classes of v that go with each residue class of u, for each window.
type Rows = Vec<Vec<Vec<i64>>>;

/// What can be asked about the arcs of one number of boxes.
struct View<'g> {
    graph: &'g Graph,
    n: usize,
    /// For each rule with windows: how it is read.
    windows: Vec<(Env<'g>, &'g [Window], &'g Arcs, Rows)>,
}

enum Stop {
    Why(WhyNot),
    Diagnostic(Box<Diagnostic>),
}

impl From<WhyNot> for Stop {
    fn from(why: WhyNot) -> Self {
        Stop::Why(why)
    }
}

fn stop<T>(text: impl Into<String>) -> std::result::Result<T, Stop> {
    Err(Stop::Why(WhyNot::new(text)))
}

fn unreadable() -> WhyNot {
    WhyNot::new(
        "the arcs cannot be read from the guards: a number is past a machine word or an index outside its list",
    )
}

fn leaves(n: usize, at: i64) -> WhyNot {
    WhyNot::new(format!("an arc names x[{at}], and there are {n} boxes"))
}

impl<'g> View<'g> {
    fn new(graph: &'g Graph, n: usize, with_windows: bool) -> std::result::Result<Self, WhyNot> {
        let mut windows = Vec::new();
        for rule in graph.arcs.iter().filter(|_| with_windows) {
            if let Form::Windows(list) = &rule.form {
                let mut env = graph.env(rule, n);
                rule.sources_inside(list, &mut env)?;
                let rows = list
                    .iter()
                    .map(|w| w.rows(graph.modulus, &mut env))
                    .collect::<Option<Rows>>()
                    .ok_or_else(unreadable)?;
                windows.push((env, list.as_slice(), rule, rows));
            }
        }
        Ok(View { graph, n, windows })
    }

    /// The boxes that windows let box `a` reach, as runs with no box in common.
    fn runs(&mut self, a: usize, out: &mut Vec<Run>) -> std::result::Result<(), WhyNot> {
        out.clear();
        let m = self.graph.modulus;
        let mut sources = 0;
        for (env, list, rule, rows) in &mut self.windows {
            for (w, rows) in list.iter().zip(rows.iter()) {
                let before = out.len();
                w.runs(rule, a, m, rows, env, out).ok_or_else(unreadable)?;
                sources += usize::from(out.len() > before);
            }
        }
        for run in out.iter() {
            for end in [run.first, run.last] {
                if !(0..self.n as i64).contains(&end) {
                    return Err(leaves(self.n, end));
                }
            }
        }
        if sources > 1 {
            out.sort_by_key(|r| (r.first % m, r.first));
            let mut kept = 0;
            for i in 1..out.len() {
                let (run, last) = (out[i], out[kept]);
                if run.first % m == last.first % m && run.first <= last.last + m {
                    out[kept].last = last.last.max(run.last);
                } else {
                    kept += 1;
                    out[kept] = run;
                }
            }
            out.truncate(kept + 1);
        }
        Ok(())
    }
}

impl Arcs {
    /// Whether every box that the quantifiers name as a source is there.
    fn sources_inside(
        &self,
        windows: &[Window],
        env: &mut Env<'_>,
    ) -> std::result::Result<(), WhyNot> {
        let n = env.len;
        let ranges: Vec<(Slot, &Expr, &Expr)> = self
            .clauses
            .iter()
            .filter_map(|c| match c {
                Clause::For {
                    slots,
                    domain: Domain::Range(lo, hi),
                } => Some((slots[0], lo, hi)),
                _ => None,
            })
            .collect();
        let [(outer, lo, hi), (_, inner_lo, inner_hi)] = ranges[..] else {
            return Err(unreadable());
        };
        let Some(u) = windows.first().map(|w| w.u) else {
            return Ok(()); // no alternative can hold
        };
        let (lo, hi) = env.int(lo).zip(env.int(hi)).ok_or_else(unreadable)?;
        if lo > hi {
            return Ok(());
        }
        let place = |env: &mut Env<'_>, value: i64| {
            env.vars[u] = value;
            env.int(&self.from).ok_or_else(unreadable)
        };
        if outer == u {
            let ends = [place(env, lo)?, place(env, hi)?];
            let outside = |a: i64| !(0..n).contains(&a);
            if ends.iter().any(|&a| outside(a)) {
                // A guard on the source alone may shut those out.
                let count = hi.checked_sub(lo).filter(|c| *c < n.saturating_add(64));
                let Some(count) = count else {
                    return Err(leaves(
                        n as usize,
                        if outside(ends[0]) { ends[0] } else { ends[1] },
                    ));
                };
                for value in lo..=lo + count {
                    let a = place(env, value)?;
                    for w in windows {
                        if outside(a) && w.plain_hold(env).ok_or_else(unreadable)? {
                            return Err(leaves(n as usize, a));
                        }
                    }
                }
            }
            return Ok(());
        }
        if hi.saturating_sub(lo) as u64 > MOST_STEPS {
            return Err(WhyNot::new(
                "a range of the rules has too many values to look at each",
            ));
        }
        for value in lo..=hi {
            env.vars[outer] = value;
            let (lo, hi) = env
                .int(inner_lo)
                .zip(env.int(inner_hi))
                .ok_or_else(unreadable)?;
            if lo > hi {
                continue;
            }
            for end in [lo, hi] {
                let a = place(env, end)?;
                if !(0..n).contains(&a) {
                    return Err(leaves(n as usize, a));
                }
            }
        }
        Ok(())
    }

    /// Calls `visit` with every arc (source, target) that the quantifiers give, some perhaps more than once; `from_u` cuts
    /// the first quantifier's range.
    fn enumerate(
        &self,
        env: &mut Env<'_>,
        from_u: Option<i64>,
        budget: &Budget,
        visit: &mut dyn FnMut(u32, u32),
    ) -> std::result::Result<(), Stop> {
        let mut walk = Walk {
            rule: self,
            from_u,
            steps: 0,
            budget,
            visit,
        };
        walk.clause(0, true, env)
    }
}

struct Walk<'a> {
    rule: &'a Arcs,
    from_u: Option<i64>,
    steps: u64,
    budget: &'a Budget,
    visit: &'a mut dyn FnMut(u32, u32),
}

impl Walk<'_> {
    fn clause(
        &mut self,
        at: usize,
        first: bool,
        env: &mut Env<'_>,
    ) -> std::result::Result<(), Stop> {
        let Some(clause) = self.rule.clauses.get(at) else {
            return self.arc(env);
        };
        match clause {
            Clause::If(e) => {
                self.step()?;
                if env.bool(e).ok_or_else(unreadable)? {
                    self.clause(at + 1, first, env)?;
                }
            }
            Clause::For {
                slots,
                domain: Domain::Range(lo, hi),
            } => {
                let mut lo = env.int(lo).ok_or_else(unreadable)?;
                let hi = env.int(hi).ok_or_else(unreadable)?;
                if first && let Some(from) = self.from_u {
                    lo = lo.max(from);
                }
                for value in lo..=hi {
                    self.step()?;
                    env.vars[slots[0]] = value;
                    self.clause(at + 1, false, env)?;
                }
            }
            Clause::For {
                slots,
                domain: Domain::Members(list),
            } => {
                let list = env.list(list).ok_or_else(unreadable)?;
                for member in list.iter() {
                    self.step()?;
                    if slots.len() == 1 {
                        env.vars[slots[0]] = word(member)?;
                    } else {
                        let members = member.as_seq().ok_or_else(unreadable)?;
                        for (&slot, member) in slots.iter().zip(members) {
                            env.vars[slot] = word(member)?;
                        }
                    }
                    self.clause(at + 1, false, env)?;
                }
            }
        }
        Ok(())
    }

    fn step(&mut self) -> std::result::Result<(), Stop> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return stop(format!(
                "the arcs have no form that can be read as a whole, and trying every combination takes more than {MOST_STEPS} steps"
            ));
        }
        Ok(())
    }

    fn arc(&mut self, env: &mut Env<'_>) -> std::result::Result<(), Stop> {
        let n = env.len;
        let place = |e: &Expr, env: &Env<'_>| -> std::result::Result<u32, WhyNot> {
            let at = env.int(e).ok_or_else(unreadable)?;
            if (0..n).contains(&at) {
                Ok(at as u32)
            } else {
                Err(leaves(n as usize, at))
            }
        };
        let from = place(&self.rule.from, env)?;
        let to = match &self.rule.to {
            Some(e) => place(e, env)?,
            None => NOWHERE,
        };
        (self.visit)(from, to);
        if self.steps % 4096 == 0 && self.budget.stopped() {
            return stop("stopped");
        }
        Ok(())
    }
}

fn word(value: &Value) -> std::result::Result<i64, WhyNot> {
    value.as_int().and_then(Int::to_i64).ok_or_else(unreadable)
}

impl Window {
    fn rows(&self, m: i64, env: &mut Env<'_>) -> Option<Vec<Vec<i64>>> {
        let mut rows = Vec::with_capacity(m as usize);
        for u in 0..m {
            env.vars[self.u] = u;
            let mut row = Vec::new();
            for v in 0..m {
                env.vars[self.v] = v;
                let mut all = true;
                for (e, negate) in &self.residues {
                    all = all && env.bool(e)? != *negate;
                }
                if all {
                    row.push(v);
                }
            }
            rows.push(row);
        }
        Some(rows)
    }

    fn plain_hold(&self, env: &Env<'_>) -> Option<bool> {
        for (e, negate) in &self.plain {
            if env.bool(e)? == *negate {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Appends the runs of targets of box `a`, with no box in common. Ends may lie outside the array.
    fn runs(
        &self,
        rule: &Arcs,
        a: usize,
        m: i64,
        rows: &[Vec<i64>],
        env: &mut Env<'_>,
        out: &mut Vec<Run>,
    ) -> Option<()> {
        env.vars[self.u] = 0;
        let u = self.from_sign * (a as i64).checked_sub(env.int(&rule.from)?)?;
        env.vars[self.u] = u;
        if !self.plain_hold(env)? {
            return Some(());
        }
        env.vars[self.v] = 0;
        let (mut lo, mut hi) = (i64::MIN, i64::MAX);
        let mut without: Vec<i64> = Vec::new();
        for bound in &self.bounds {
            let rest = env.int(&bound.left)?.checked_sub(env.int(&bound.right)?)?;
            // multiple·v + rest op 0
            let at_least = |multiple: i64, rest: i64, lo: &mut i64, hi: &mut i64| -> Option<()> {
                if multiple > 0 {
                    *lo = (*lo).max(-rest.div_euclid(multiple)); // ⌈−rest / multiple⌉
                } else if multiple < 0 {
                    *hi = (*hi).min(rest.div_euclid(multiple.checked_neg()?));
                } else if rest < 0 {
                    (*lo, *hi) = (0, -1);
                }
                Some(())
            };
            let m = bound.multiple;
            match bound.op {
                CompareOp::Ge => at_least(m, rest, &mut lo, &mut hi)?,
                CompareOp::Gt => at_least(m, rest.checked_sub(1)?, &mut lo, &mut hi)?,
                CompareOp::Le => at_least(m.checked_neg()?, rest.checked_neg()?, &mut lo, &mut hi)?,
                CompareOp::Lt => {
                    at_least(
                        m.checked_neg()?,
                        rest.checked_neg()?.checked_sub(1)?,
                        &mut lo,
                        &mut hi,
                    )?;
                }
                CompareOp::Eq => {
                    at_least(m, rest, &mut lo, &mut hi)?;
                    at_least(m.checked_neg()?, rest.checked_neg()?, &mut lo, &mut hi)?;
                }
                CompareOp::Ne => {
                    if m == 0 {
                        if rest == 0 {
                            return Some(());
                        }
                    } else if rest.checked_rem(m)? == 0 {
                        without.push(rest.checked_div(m)?.checked_neg()?);
                    }
                }
            }
        }
        if lo > hi {
            return Some(());
        }
        if lo == i64::MIN || hi == i64::MAX {
            return None;
        }
        without.sort_unstable();
        without.dedup();
        let offset = env.int(rule.to.as_ref()?)?;
        for &class in &rows[u.rem_euclid(m) as usize] {
            let first = lo.checked_add((class.checked_sub(lo)?).rem_euclid(m))?;
            let last = hi.checked_sub((hi.checked_sub(class)?).rem_euclid(m))?;
            let mut push = |first: i64, last: i64| -> Option<()> {
                if first <= last {
                    let ends = [first, last].map(|v| (self.to_sign * v).checked_add(offset));
                    let (a, b) = (ends[0]?, ends[1]?);
                    out.push(Run {
                        first: a.min(b),
                        last: a.max(b),
                    });
                }
                Some(())
            };
            let mut from = first;
            for &gap in &without {
                if (gap - class) % m == 0 && from <= gap && gap <= last {
                    push(from, gap - m)?;
                    from = gap + m;
                }
            }
            push(from, last)?;
        }
        Some(())
    }
}

struct StaircaseSolver {
    graph: Graph,
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    /// For rules whose arcs are the same for every number of boxes: the longest coloured so far.
    growing: Option<Arc<Prepared>>,
    /// Such rules turned out to have an arc that does not lead to a smaller index.
    not_growing: bool,
    by_length: FxHashMap<usize, std::result::Result<Arc<Prepared>, WhyNot>>,
    kept: usize,
}

/// In which order boxes are coloured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Arcs lead to smaller indices.
    Down,
    /// Arcs lead to larger indices.
    Up,
}

enum Colour {
    Done,
    /// An arc goes the other way.
    Against,
    Broken(usize, WhyNot),
}

impl StaircaseSolver {
    fn prepared(
        &self,
        n: usize,
        budget: &Budget,
    ) -> Result<std::result::Result<Arc<Prepared>, WhyNot>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cache.by_length.get(&n) {
            return Ok(known.clone());
        }
        if self.graph.stable && !cache.not_growing {
            let mut growing = cache.growing.take().unwrap_or_else(|| {
                Arc::new(Prepared {
                    start: vec![0],
                    ..Prepared::default()
                })
            });
            let grown = if n > growing.odd.len() && growing.broken.is_none() {
                self.grow(Arc::make_mut(&mut growing), n, budget)
            } else {
                Ok(true)
            };
            match grown {
                Ok(true) => {
                    let answer = match &growing.broken {
                        Some((at, why)) if *at < n => Err(why.clone()),
                        _ => Ok(growing.clone()),
                    };
                    cache.growing = Some(growing);
                    return Ok(answer);
                }
                Ok(false) => cache.not_growing = true,
                // What was coloured may be half done; the next question starts anew.
                Err(Stop::Diagnostic(d)) => return Err(d),
                Err(Stop::Why(why)) => {
                    cache.by_length.insert(n, Err(why.clone()));
                    return Ok(Err(why));
                }
            }
        }
        let answer = match self.colour(n, budget) {
            Ok(prepared) => Ok(Arc::new(prepared)),
            Err(Stop::Diagnostic(d)) => return Err(d),
            Err(Stop::Why(why)) => Err(why),
        };
        cache.kept += n + answer.as_ref().map_or(0, |p| p.to.len());
        if cache.kept > KEPT_BOXES {
            cache.by_length.clear();
            cache.kept = n;
        }
        cache.by_length.insert(n, answer.clone());
        Ok(answer)
    }

    fn memory(&self, bytes: u64, budget: &Budget) -> std::result::Result<(), Stop> {
        if bytes <= budget.memory() {
            return Ok(());
        }
        let source = &self.graph.rules.game().source;
        Err(Stop::Diagnostic(Box::new(
            Diagnostic::error(
                Code::Memory,
                source,
                format!(
                    "the arcs between the boxes take {bytes} bytes, more than the bound of {}",
                    budget.memory()
                ),
            )
            .help("raise the bound on memory"),
        )))
    }

    fn interrupted(&self) -> Box<Diagnostic> {
        let source = &self.graph.rules.game().source;
        Box::new(Diagnostic::error(
            Code::Interrupted,
            source,
            "stopped while the boxes were coloured",
        ))
    }

    /// Enumerated arcs of boxes past those already there, appended in order of source, then target.
    fn append_enumerated(
        &self,
        p: &mut Prepared,
        n: usize,
        growing: bool,
        with_windows: bool,
        budget: &Budget,
    ) -> std::result::Result<(), Stop> {
        let have = p.start.len() - 1;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for rule in &self.graph.arcs {
            if matches!(rule.form, Form::Windows(_)) && !with_windows {
                continue;
            }
            let mut env = self.graph.env(rule, n);
            let from_u = match growing {
                // Source = u + c with c the source at u = 0.
                true => Some(have as i64 - rule.from_at_zero(&mut env).ok_or_else(unreadable)?),
                false => None,
            };
            let limit = budget.memory() / 16;
            let mut over = false;
            rule.enumerate(&mut env, from_u, budget, &mut |a, b| {
                over |= pairs.len() as u64 >= limit;
                if !over {
                    pairs.push((a, b));
                }
            })
            .map_err(|s| match s {
                Stop::Why(_) if budget.stopped() => Stop::Diagnostic(self.interrupted()),
                other => other,
            })?;
            if over {
                self.memory(u64::MAX, budget)?;
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut next = pairs.iter().peekable();
        for a in have..n {
            while let Some(&&(_, b)) = next.peek().filter(|(from, _)| *from as usize == a) {
                p.to.push(b);
                next.next();
            }
            p.start.push(p.to.len());
        }
        Ok(())
    }

    /// Colours boxes up to n, when arcs do not depend on n. `false`: an arc leads to an index that is not smaller.
    fn grow(&self, p: &mut Prepared, n: usize, budget: &Budget) -> std::result::Result<bool, Stop> {
        self.check_size(n, budget)?;
        let mut view = View::new(&self.graph, n, true)?;
        self.append_enumerated(p, n, true, false, budget)?;
        let from = p.odd.len();
        match self.in_order(p, from, n, Way::Down, &mut view, budget)? {
            Colour::Done => Ok(true),
            Colour::Against => Ok(false),
            Colour::Broken(a, why) => {
                p.broken = Some((a, why));
                Ok(true)
            }
        }
    }

    fn check_size(&self, n: usize, budget: &Budget) -> std::result::Result<(), Stop> {
        if n >= NOWHERE as usize {
            return stop("there are more than 2^32 boxes");
        }
        self.memory(n as u64 * 32, budget)
    }

    fn colour(&self, n: usize, budget: &Budget) -> std::result::Result<Prepared, Stop> {
        self.check_size(n, budget)?;
        let mut view = View::new(&self.graph, n, true)?;
        let mut p = Prepared {
            start: vec![0],
            ..Prepared::default()
        };
        self.append_enumerated(&mut p, n, false, false, budget)?;
        for way in [Way::Down, Way::Up] {
            p.odd = vec![false; n];
            p.running = vec![0; n];
            match self.in_order(&mut p, 0, n, way, &mut view, budget)? {
                Colour::Done => return Ok(p),
                Colour::Broken(_, why) => return Err(Stop::Why(why)),
                Colour::Against => {}
            }
        }
        // Arcs up and down: every arc must be looked at.
        if !view.windows.is_empty() {
            p = Prepared {
                start: vec![0],
                written_out: true,
                ..Prepared::default()
            };
            self.append_enumerated(&mut p, n, false, true, budget)?;
        }
        self.in_topological_order(&mut p, n)?;
        Ok(p)
    }

    /// Colours boxes `from..n` (all of them if arcs go up). Every box past `p.odd` gets its place there.
    fn in_order(
        &self,
        p: &mut Prepared,
        from: usize,
        n: usize,
        way: Way,
        view: &mut View<'_>,
        budget: &Budget,
    ) -> std::result::Result<Colour, Stop> {
        let m = self.graph.modulus as usize;
        p.odd.resize(n, false);
        p.running.resize(n, 0);
        let mut runs = Vec::new();
        let mut work = 0usize;
        for step in from..n {
            let a = if way == Way::Down {
                step
            } else {
                n - 1 - (step - from)
            };
            work += 1;
            if work % 4096 == 0 && budget.stopped() {
                return Err(Stop::Diagnostic(self.interrupted()));
            }
            view.runs(a, &mut runs)?;
            let against = |b: i64| match way {
                Way::Down => b >= a as i64,
                Way::Up => b <= a as i64,
            };
            let (mut all, mut odd) = (0u64, 0u64);
            for run in &runs {
                if against(run.first) || against(run.last) {
                    return Ok(Colour::Against);
                }
                all += run.count(m as i64);
                let (first, last) = (run.first as usize, run.last as usize);
                let inside = match way {
                    Way::Down => {
                        p.running[last] - if first >= m { p.running[first - m] } else { 0 }
                    }
                    Way::Up => p.running[first] - p.running.get(last + m).copied().unwrap_or(0),
                };
                odd += u64::from(inside);
            }
            for &b in p.targets(a) {
                if b != NOWHERE {
                    if against(i64::from(b)) {
                        return Ok(Colour::Against);
                    }
                    odd += u64::from(p.odd[b as usize]);
                }
                all += 1;
            }
            if odd != 0 && odd != all {
                return Ok(Colour::Broken(a, conflict(p, a, &runs, m as i64)));
            }
            p.odd[a] = all > odd;
            let before = match way {
                Way::Down => a.checked_sub(m).map_or(0, |b| p.running[b]),
                Way::Up => p.running.get(a + m).copied().unwrap_or(0),
            };
            p.running[a] = before + u32::from(p.odd[a]);
        }
        Ok(Colour::Done)
    }

    fn in_topological_order(&self, p: &mut Prepared, n: usize) -> std::result::Result<(), Stop> {
        // Arcs still to be looked at from each box; a box is coloured when all its targets are.
        let mut open: Vec<usize> = (0..n)
            .map(|a| p.targets(a).iter().filter(|&&b| b != NOWHERE).count())
            .collect();
        let mut back_start = vec![0usize; n + 1];
        for &b in p.to.iter().filter(|&&b| b != NOWHERE) {
            back_start[b as usize + 1] += 1;
        }
        for b in 0..n {
            back_start[b + 1] += back_start[b];
        }
        let mut back = vec![0u32; back_start[n]];
        let mut fill = back_start.clone();
        for a in 0..n {
            for &b in p.targets(a).iter().filter(|&&b| b != NOWHERE) {
                back[fill[b as usize]] = a as u32;
                fill[b as usize] += 1;
            }
        }
        p.odd = vec![false; n];
        let mut ready: Vec<usize> = (0..n).filter(|&a| open[a] == 0).collect();
        let mut coloured = 0;
        while let Some(a) = ready.pop() {
            coloured += 1;
            let targets = p.targets(a);
            let odd = targets
                .iter()
                .filter(|&&b| b != NOWHERE && p.odd[b as usize])
                .count();
            if odd != 0 && odd != targets.len() {
                return Err(conflict(p, a, &[], 1).into());
            }
            p.odd[a] = targets.len() > odd;
            for &from in &back[back_start[a]..back_start[a + 1]] {
                open[from as usize] -= 1;
                if open[from as usize] == 0 {
                    ready.push(from as usize);
                }
            }
        }
        if coloured == n {
            return Ok(());
        }
        // From a box that is still open one comes to another one, and so in the end round.
        let mut at = (0..n).find(|&a| open[a] > 0).unwrap_or(0);
        let mut seen = vec![false; n];
        while !seen[at] {
            seen[at] = true;
            let next = p
                .targets(at)
                .iter()
                .find(|&&b| b != NOWHERE && open[b as usize] > 0);
            at = next.map_or(at, |&b| b as usize);
        }
        stop(format!("tokens of x[{at}] can come back to x[{at}]"))
    }
}

impl Arcs {
    /// The source at u = 0, where u is the only thing that it depends on.
    fn from_at_zero(&self, env: &mut Env<'_>) -> Option<i64> {
        for clause in &self.clauses {
            if let Clause::For { slots, .. } = clause {
                env.vars[slots[0]] = 0;
                break;
            }
        }
        env.int(&self.from)
    }
}

/// Two arcs of box `a` that no colouring fits.
fn conflict(p: &Prepared, a: usize, runs: &[Run], m: i64) -> WhyNot {
    let mut seen: [Option<String>; 2] = [None, None];
    let explicit = p
        .targets(a)
        .iter()
        .map(|&b| (b != NOWHERE).then_some(b as usize));
    for b in runs
        .iter()
        .flat_map(|r| r.boxes(m))
        .map(Some)
        .chain(explicit)
    {
        let (odd, name) = match b {
            Some(b) => (
                p.odd[b],
                format!("x[{b}] ({})", if p.odd[b] { "odd" } else { "even" }),
            ),
            None => (false, "nowhere (even)".to_owned()),
        };
        seen[usize::from(odd)].get_or_insert(name);
        if seen.iter().all(Option::is_some) {
            break;
        }
    }
    let [even, odd] = seen.map(|s| s.unwrap_or_default());
    WhyNot::new(format!(
        "tokens of x[{a}] can go both to {even} and to {odd}, so no two colours fit the arcs"
    ))
}

// ------------------------------------------------------------------------------------------------------------- the answers

/// A Fenwick tree: counts at places, sums over ranges, each in logarithmic time.
struct Fenwick(Vec<u32>);

impl Fenwick {
    fn add(&mut self, mut at: usize) {
        at += 1;
        while at < self.0.len() {
            self.0[at] += 1;
            at += at & at.wrapping_neg();
        }
    }

    fn before(&self, mut at: usize) -> u64 {
        let mut sum = 0;
        while at > 0 {
            sum += u64::from(self.0[at]);
            at &= at - 1;
        }
        sum
    }
}

/// What box `a` reaches: runs of windows, and enumerated targets that are in none of them.
struct Reach<'p> {
    runs: Vec<Run>,
    more: Vec<&'p u32>,
}

impl StaircaseSolver {
    fn counts<'p>(&self, part: &'p Pos) -> &'p [Int] {
        part.0.get(1..).unwrap_or_default()
    }

    fn holding(&self, part: &Pos, budget: &Budget) -> Result<Arc<Prepared>> {
        self.prepared(self.counts(part).len(), budget)?
            .map_err(|why| {
                let source = &self.graph.rules.game().source;
                Box::new(
                    Diagnostic::error(
                        Code::Unsupported,
                        source,
                        format!("the staircase theorem does not hold here: {}", why.0),
                    )
                    .help("let search answer"),
                )
            })
    }

    fn nim_sum(&self, part: &Pos, prepared: &Prepared) -> Int {
        let mut words = 0i64;
        let mut big = Int::ZERO;
        for (count, &odd) in self.counts(part).iter().zip(&prepared.odd) {
            match count.to_i64() {
                Some(v) => words ^= v & -i64::from(odd),
                None if odd => big = big.bitxor(count),
                None => {}
            }
        }
        big.bitxor(&Int::from(words))
    }

    fn reach<'p>(
        &self,
        a: usize,
        p: &'p Prepared,
        view: &mut View<'_>,
        out: &mut Reach<'p>,
    ) -> Result<()> {
        if p.written_out {
            out.runs.clear();
        } else {
            view.runs(a, &mut out.runs).map_err(|why| {
                Box::new(Diagnostic::error(
                    Code::Unsupported,
                    &self.graph.rules.game().source,
                    why.0,
                ))
            })?;
        }
        out.more.clear();
        let m = self.graph.modulus;
        for b in p.targets(a) {
            if *b == NOWHERE || !out.runs.iter().any(|r| r.contains(i64::from(*b), m)) {
                out.more.push(b);
            }
        }
        Ok(())
    }

    fn after(part: &Pos, from: usize, to: Option<usize>, tokens: &Int) -> Pos {
        let mut words: Words = part.0.clone();
        words[from + 1] = &words[from + 1] - tokens;
        if let Some(to) = to {
            words[to + 1] = &words[to + 1] + tokens;
        }
        Pos(words)
    }

    fn odd_places(&self, p: &Prepared, n: usize) -> String {
        let total = p.odd[..n].iter().filter(|o| **o).count();
        let named: Vec<String> = (0..n)
            .filter(|&a| p.odd[a])
            .take(6)
            .map(|a| format!("x[{a}]"))
            .collect();
        match total {
            0 => "there is no odd box".to_owned(),
            _ if total > named.len() => {
                format!("the odd boxes are {}, … ({total} of {n})", named.join(", "))
            }
            _ => format!("the odd boxes are {}", named.join(", ")),
        }
    }
}

impl Solver for StaircaseSolver {
    fn finding(&self) -> String {
        let windows = self
            .graph
            .arcs
            .iter()
            .any(|r| matches!(r.form, Form::Windows(_)));
        let m = self.graph.modulus;
        let how = match (windows, m) {
            (true, 1) => "the boxes that a box reaches are ranges".to_owned(),
            (true, m) => {
                format!("the boxes that a box reaches are ranges within residue classes mod {m}")
            }
            (false, _) => "the arcs are looked at one by one".to_owned(),
        };
        format!("any number of tokens moves along arcs from box to box; {how}")
    }

    fn refuses(&self, part: &Pos, budget: &Budget) -> Result<Option<WhyNot>> {
        Ok(self.prepared(self.counts(part).len(), budget)?.err())
    }

    fn outcome(&self, part: &Pos, budget: &Budget) -> Result<Outcome> {
        let prepared = self.holding(part, budget)?;
        Ok(Outcome::from_next_wins(
            !self.nim_sum(part, &prepared).is_zero(),
        ))
    }

    fn value(&self, part: &Pos, budget: &Budget) -> Result<Option<Int>> {
        let prepared = self.holding(part, budget)?;
        Ok(Some(self.nim_sum(part, &prepared)))
    }

    fn options(
        &self,
        part: &Pos,
        target: &Target,
        limit: usize,
        budget: &Budget,
    ) -> Result<Options> {
        let p = &*self.holding(part, budget)?;
        let counts = self.counts(part);
        let n = counts.len();
        let m = self.graph.modulus;
        let mut d = self.nim_sum(part, p);
        match target {
            Target::Value(v) if v.is_negative() => return Ok(Options::default()),
            Target::Value(v) => d = d.bitxor(v),
            Target::P => {}
        }
        if d.is_zero() {
            return Ok(Options::default()); // no option has the position's own value
        }
        let unread = |why: WhyNot| {
            Box::new(Diagnostic::error(
                Code::Unsupported,
                &self.graph.rules.game().source,
                why.0,
            ))
        };
        let mut view = View::new(&self.graph, n, !p.written_out).map_err(unread)?;
        // By how much each count must change to become count ^ d: down (negative) or up.
        let change: Vec<Int> = counts.iter().map(|c| &c.bitxor(&d) - c).collect();
        let wants = |b: usize| p.odd[b] && !change[b].is_negative();
        let mut reach = Reach {
            runs: Vec::new(),
            more: Vec::new(),
        };

        // How many wanted options start from each box. Those from even boxes into windows are left for one sweep.
        let mut from_box = vec![0u64; n];
        let mut sweep: Vec<u32> = Vec::new();
        for a in 0..n {
            if a % 4096 == 0 && budget.stopped() {
                return Err(self.interrupted());
            }
            if counts[a].is_zero() || (p.odd[a] && !change[a].is_negative()) {
                continue;
            }
            self.reach(a, p, &mut view, &mut reach)?;
            if p.odd[a] {
                from_box[a] =
                    reach.runs.iter().map(|r| r.count(m)).sum::<u64>() + reach.more.len() as u64;
            } else {
                let takes = |b: &u32| {
                    *b != NOWHERE && wants(*b as usize) && change[*b as usize] <= counts[a]
                };
                from_box[a] = reach.more.iter().filter(|b| takes(b)).count() as u64;
                if !reach.runs.is_empty() {
                    sweep.push(a as u32);
                }
            }
        }
        if !sweep.is_empty() {
            let mut wanted: Vec<u32> = (0..n as u32).filter(|&b| wants(b as usize)).collect();
            wanted.sort_by(|&a, &b| change[a as usize].cmp(&change[b as usize]));
            sweep.sort_by(|&a, &b| counts[a as usize].cmp(&counts[b as usize]));
            // Places in order of residue class, so that a run is a range.
            let classes = m as usize;
            let mut offset = vec![0usize; classes + 1];
            for class in 0..classes {
                offset[class + 1] = offset[class] + (n + classes - 1 - class) / classes;
            }
            let place = |b: usize| offset[b % classes] + b / classes;
            let mut tree = Fenwick(vec![0; n + 1]);
            let mut next = 0;
            for &a in &sweep {
                while let Some(&b) = wanted.get(next)
                    && change[b as usize] <= counts[a as usize]
                {
                    tree.add(place(b as usize));
                    next += 1;
                }
                if next == 0 {
                    continue;
                }
                self.reach(a as usize, p, &mut view, &mut reach)?;
                for run in &reach.runs {
                    let (first, last) = (place(run.first as usize), place(run.last as usize));
                    from_box[a as usize] += tree.before(last + 1) - tree.before(first);
                }
            }
        }
        let total = from_box.iter().sum::<u64>();

        let mut list = Vec::new();
        for a in (0..n).filter(|&a| from_box[a] > 0) {
            if list.len() >= limit {
                break;
            }
            self.reach(a, p, &mut view, &mut reach)?;
            let more = reach
                .more
                .iter()
                .map(|&&b| (b != NOWHERE).then_some(b as usize));
            let targets = reach
                .runs
                .iter()
                .flat_map(|r| r.boxes(m))
                .map(Some)
                .chain(more);
            let mut left = from_box[a].min((limit - list.len()) as u64);
            for b in targets {
                if left == 0 {
                    break;
                }
                let tokens = match b {
                    _ if p.odd[a] => change[a].abs(),
                    Some(b) if wants(b) && change[b] <= counts[a] => change[b].clone(),
                    _ => continue,
                };
                list.push(vec![Self::after(part, a, b, &tokens)]);
                left -= 1;
            }
        }
        Ok(Options {
            list,
            total: Int::from(total),
        })
    }

    fn explain(&self, part: &Pos, budget: &Budget) -> Result<Vec<String>> {
        let p = &*self.holding(part, budget)?;
        let counts = self.counts(part);
        let n = counts.len();
        let value = self.nim_sum(part, p);
        let mut out = vec![
            format!(
                "Call a box that no token can leave even, and every other box by the colour that the boxes it reaches have \
                 not. Here every arc joins an even box and an odd one; {}.",
                self.odd_places(p, n)
            ),
            "Only the odd boxes count. Tokens moved from an even box into an odd one can be moved on at once, since an odd box \
             always reaches an even one; so taking tokens out of odd boxes is a game of Nim."
                .to_owned(),
        ];
        let filled: Vec<String> = counts
            .iter()
            .zip(&p.odd)
            .filter(|(c, odd)| **odd && !c.is_zero())
            .map(|(c, _)| c.to_string())
            .collect();
        let sum = match filled.len() {
            0 => "no odd box holds a token".to_owned(),
            1..=12 => format!(
                "the nim-sum of the odd boxes is {} = {value}",
                filled.join(" ^ ")
            ),
            len => format!("the nim-sum of the {len} odd boxes that hold tokens is {value}"),
        };
        if value.is_zero() {
            out.push(format!(
                "Here {sum}, so the player to move loses: every move changes the nim-sum, and it can always be brought back \
                 to 0."
            ));
            return Ok(out);
        }
        let taken = (0..n).find(|&a| p.odd[a] && counts[a].bitxor(&value) < counts[a]);
        let step = taken.map(|a| {
            let left = counts[a].bitxor(&value);
            format!(
                " For example x[{a}] holds {}, and moving {} of them to an even box leaves {left}, which makes the nim-sum 0.",
                counts[a],
                &counts[a] - &left
            )
        });
        out.push(format!(
            "Here {sum}, so the player to move wins.{}",
            step.unwrap_or_default()
        ));
        Ok(out)
    }
}
