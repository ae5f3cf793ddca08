//! Which moves run along rays: `x -> x - f - j*v` for `j = 0, 1, …` as far as there are counters, or up to a fixed number.
//!
//! A rule is tried at one position, which gives the numbers that it takes; what they seem to be is then written as a linear
//! relation and compared with the rule's own ([`Relation::equal`]), exactly and for all positions of the table. So the text
//! of a rule does not matter: ranges, guards between quantifiers, one quantifier or two. Guards on the position alone are
//! set aside first. Cost: the samples' options, and one decision of linear constraints a rule, some milliseconds.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use grundy_core::Int;
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Clause, End, Expr, ExprKind, Game, Move, Parts, Pattern, Play, Slot};
use grundy_lang::linear::{Constraint, Lin, Relation, System};
use grundy_lang::value::Pos;
use rustc_hash::FxHashSet;

use super::Ray;
use crate::dense::Layout;

/// Numbers taken at the samples, one larger sample after the other.
const SAMPLES: [u64; 3] = [12, 40, 160];
/// Options of a sample.
const MOST_OPTIONS: usize = 1 << 14;
/// Different numbers taken at a sample.
const MOST_TAKEN: usize = 1 << 11;
/// Rays of a rule.
const MOST_RAYS: usize = 64;
/// Numbers taken that may be next on a ray.
const NEAR: usize = 64;
/// A run of at least so many that ends only where the sample does goes on for ever, if the relation agrees.
const LONG: usize = 4;

/// The counters of a table.
#[derive(Clone, Copy)]
struct Sides<'a> {
    unordered: &'a [Range<usize>],
    to: &'a [u64],
}

/// The rules of a game, by what they are.
pub struct Split {
    /// The moves along rays.
    pub rays: Vec<Ray>,
    /// What must hold for those that are guarded: a position in which it holds is lost there, any other won.
    pub guards: Vec<Rules>,
    /// All other moves.
    pub rest: Option<Rules>,
}

/// Takes the rules of a table apart; the error says why nothing of them runs along rays.
pub fn split(rules: &Rules, layout: &Layout) -> Result<Split, String> {
    let to: Vec<u64> = layout.words().iter().map(|word| word.to).collect();
    split_within(rules, layout.unordered(), &to)
}

/// The same for counters of at most `to`, of which some runs are members in no order, however many cells that would be.
pub fn split_within(
    rules: &Rules,
    unordered: &[Range<usize>],
    to: &[u64],
) -> Result<Split, String> {
    let sides = Sides { unordered, to };
    let game = rules.game();
    if !game.ends.is_empty() {
        return Err("play ends by more than the lack of a move".to_owned());
    }
    let mut split = Split {
        rays: Vec::new(),
        guards: Vec::new(),
        rest: None,
    };
    let mut rest = Vec::new();
    let mut why = "there are no moves".to_owned();
    for rule in &game.moves {
        let found = along(rules, rule, sides, true).or_else(|whole| {
            let (inner, guards) = unguarded(game, rule).ok_or(whole)?;
            let rays = along(rules, &inner, sides, true)?;
            let guard = split.guards.len();
            split.guards.push(predicate(rules, rule, guards));
            Ok(rays
                .into_iter()
                .map(|ray| Ray {
                    guard: Some(guard),
                    ..ray
                })
                .collect())
        });
        match found {
            Ok(rays) => split.rays.extend(rays),
            Err(because) => {
                why = because;
                rest.push(rule.clone());
            }
        }
    }
    if split.rays.is_empty() {
        return Err(why);
    }
    if !rest.is_empty() {
        split.rest = Some(with(rules, |game| game.moves = rest));
    }
    Ok(split)
}

/// The rays of rules of which every move runs along rays wherever the position is, in no table; the error says why not.
pub fn everywhere(rules: &Rules) -> Result<Vec<Ray>, String> {
    let game = rules.game();
    let to = vec![SAMPLES[SAMPLES.len() - 1]; game.shape.width().unwrap_or(0)];
    let layout = Layout::new(&game.shape, &to)?;
    let sides = Sides {
        unordered: layout.unordered(),
        to: &to,
    };
    if game.moves.is_empty() {
        return Err("there are no moves".to_owned());
    }
    let mut rays = Vec::new();
    for rule in &game.moves {
        rays.extend(along(rules, rule, sides, false)?);
    }
    Ok(rays)
}

const NO_RAY: &str = "a move runs along no ray, on which every step takes the same from each counter and adds to none";

/// The rules with a change.
fn with(rules: &Rules, change: impl FnOnce(&mut Game)) -> Rules {
    let mut game = Game::clone(rules.game());
    change(&mut game);
    Rules::new(Arc::new(game), rules.params().to_vec())
}

/// The rays of one rule, if it runs along rays; `bounded` if it need not past the sides of the table.
fn along(rules: &Rules, rule: &Move, sides: Sides<'_>, bounded: bool) -> Result<Vec<Ray>, String> {
    if !matches!(&rule.parts, Parts::Each(parts) if parts.len() == 1) {
        return Err("a move does not leave one part".to_owned());
    }
    let alone = with(rules, |game| game.moves = vec![rule.clone()]);
    let relation = Relation::of_rules(&alone)?;
    if !relation.exact() || !relation.opaque.is_empty() || relation.counters != sides.to.len() {
        return Err("a move is not linear".to_owned());
    }
    let within = match bounded {
        true => within(&relation, sides),
        false => Vec::new(),
    };
    let largest = sides.to.iter().copied().max().unwrap_or(0);
    for (i, side) in SAMPLES.into_iter().enumerate() {
        // A sample past the table shows nothing that the one before did not.
        if i > 0 && SAMPLES[i - 1] > largest {
            break;
        }
        let Some(taken) = taken(&alone, sides, side)? else {
            break;
        };
        let Some(rays) = runs(&taken, side) else {
            continue;
        };
        let guess =
            relation.like_systems(rays.iter().map(|ray| (1, system(&relation, ray, sides))));
        let Some(guess) = guess.symmetrised(&rules.game().shape) else {
            break;
        };
        let bound = |relation: &Relation| {
            let mut relation = relation.clone();
            for case in &mut relation.cases {
                within.iter().for_each(|c| case.system.add(c.clone()));
            }
            relation
        };
        if bound(&relation).equal(&bound(&guess)).yes() {
            return Ok(rays);
        }
    }
    Err(NO_RAY.to_owned())
}

/// That the position is one of the table.
fn within(relation: &Relation, sides: Sides<'_>) -> Vec<Constraint> {
    let sides = sides.to.iter().enumerate();
    sides
        .map(|(i, &to)| Constraint::le(relation.x(i), Lin::constant(Int::from(to))))
        .collect()
}

/// The moves along a ray from positions whose members in no order are in order of size.
fn system(relation: &Relation, ray: &Ray, sides: Sides<'_>) -> System {
    let mut system = System::new(relation.variables(1));
    let j = Lin::var(system.local());
    system.add(Constraint::Ge(j.clone()));
    if let Some(count) = ray.count {
        system.add(Constraint::lt(j.clone(), Lin::constant(Int::from(count))));
    }
    for i in 0..relation.counters {
        let left = relation.x(i) - Lin::constant(Int::from(ray.from[i]));
        let left = left.plus(&-&Int::from(ray.step[i]), &j);
        system.add(Constraint::same(relation.y(0, i), left));
    }
    for run in sides.unordered {
        for i in run.clone().skip(1) {
            system.add(Constraint::le(relation.x(i - 1), relation.x(i)));
        }
    }
    system
}

/// What a rule takes, none of it more than `side`, from a position with as much; `None` if it has too many options.
fn taken(
    rules: &Rules,
    sides: Sides<'_>,
    side: u64,
) -> Result<Option<FxHashSet<Vec<u64>>>, String> {
    let mut at = vec![side; sides.to.len()];
    for run in sides.unordered {
        // So far apart that they stay in order.
        for (i, word) in run.clone().enumerate() {
            at[word] = side * (2 * i as u64 + 1);
        }
    }
    let mut all = FxHashSet::default();
    let mut count = 0;
    let mut machine = rules.machine().with_patience(1 << 20);
    let flow = machine.options(&Pos::of_counters(&at), &mut |option| {
        count += 1;
        let left = option.parts[0].0.iter().map(Int::to_u64);
        let taken: Option<Vec<u64>> = left
            .zip(&at)
            .map(|(left, &had)| had.checked_sub(left?).filter(|&k| k <= side))
            .collect();
        all.extend(taken);
        if count == MOST_OPTIONS {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    let flow = flow.map_err(|error| error.message.clone())?;
    Ok((flow.is_continue() && all.len() <= MOST_TAKEN).then_some(all))
}

/// Numbers taken, none more than `side`, as runs, the longest first; `None` if there are too many.
fn runs(taken: &FxHashSet<Vec<u64>>, side: u64) -> Option<Vec<Ray>> {
    let mut open: Vec<&Vec<u64>> = taken.iter().collect();
    open.sort_by_key(|k| (k.iter().sum::<u64>(), (*k).clone()));
    let all = open.clone();
    let mut out = Vec::new();
    while !open.is_empty() {
        if out.len() == MOST_RAYS {
            return None;
        }
        let left: FxHashSet<&Vec<u64>> = open.iter().copied().collect();
        let mut best = (1, open[0], vec![0; open[0].len()]);
        for (i, from) in open.iter().enumerate() {
            // The next one on a ray is not far behind in this order.
            let after = all.iter().filter(|to| to != &from && covers(to, from));
            for to in after.take(NEAR) {
                let step: Vec<u64> = to.iter().zip(*from).map(|(a, b)| a - b).collect();
                let run = steps(from, &step).take_while(|k| taken.contains(k));
                let new = run.filter(|k| left.contains(k)).count();
                if new > best.0 {
                    best = (new, open[i], step);
                }
            }
        }
        let (_, from, step) = best;
        // Of a single number the step is nothing.
        let run = steps(from, &step).take_while(|k| taken.contains(k));
        let run = if step.iter().all(|&s| s == 0) {
            1
        } else {
            run.count()
        };
        let end = steps(from, &step).nth(run).expect("steps go on");
        let cut = run >= LONG && end.iter().any(|&k| k > side);
        out.push(Ray {
            from: from.clone(),
            step: step.clone(),
            count: (!cut).then_some(run as u64),
            guard: None,
        });
        let covered: FxHashSet<Vec<u64>> = steps(from, &step).take(run).collect();
        open.retain(|k| !covered.contains(*k));
    }
    (!out.is_empty()).then_some(out)
}

/// Whether no number of one is less than that of the other.
fn covers(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).all(|(a, b)| a >= b)
}

/// `from`, `from + step`, and so on.
fn steps<'a>(from: &'a [u64], step: &'a [u64]) -> impl Iterator<Item = Vec<u64>> + 'a {
    (0u64..).map(move |j| from.iter().zip(step).map(|(f, s)| f + j * s).collect())
}

/// A rule without its guards on the position alone, and these; `None` if it has none.
fn unguarded(game: &Game, rule: &Move) -> Option<(Move, Vec<Expr>)> {
    // There a guard is asked of each order by itself.
    if tries_orders(&rule.pattern) {
        return None;
    }
    let quantified: Vec<Slot> = rule
        .clauses
        .iter()
        .filter_map(|clause| match clause {
            Clause::For { slots, .. } => Some(slots.clone()),
            Clause::If(_) => None,
        })
        .flatten()
        .collect();
    let alone = |e: &Expr| {
        let mut alone = true;
        e.walk(&mut |e| {
            if let ExprKind::Slot(slot) = &e.kind {
                let known = *slot < game.vars.len() || rule.pattern.binds(*slot);
                alone &= known && !quantified.contains(slot);
            }
        });
        alone
    };
    let mut guards = Vec::new();
    let mut clauses = Vec::new();
    for clause in &rule.clauses {
        match clause {
            Clause::If(e) if alone(e) => guards.push(e.clone()),
            other => clauses.push(other.clone()),
        }
    }
    let inner = Move {
        narrowed: clauses.clone(),
        clauses,
        ..rule.clone()
    };
    (!guards.is_empty()).then_some((inner, guards))
}

/// Whether a pattern is matched in more than one way.
fn tries_orders(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Bind(_) => false,
        Pattern::Tuple(members) => members.iter().any(tries_orders),
        Pattern::Unordered {
            members,
            every_order,
        } => *every_order || members.iter().any(tries_orders),
        Pattern::Pick { .. } => true,
    }
}

/// Rules under which a position is lost if all of this holds in it, and won otherwise.
fn predicate(rules: &Rules, rule: &Move, guards: Vec<Expr>) -> Rules {
    let first = guards[0].clone();
    let condition = Expr {
        kind: ExprKind::And(guards),
        ..first
    };
    with(rules, |game| {
        game.moves = Vec::new();
        game.play = Play::Misere;
        game.ends = vec![End {
            win: true,
            pattern: rule.pattern.clone(),
            condition,
            span: rule.span,
        }];
    })
}
