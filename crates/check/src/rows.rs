//! Rows of games of two counters whose moves take one of a fixed set of pairs of numbers, wherever the position is.
//!
//! Row a is computed from left to right. All that its values from column x on depend on is its state there: which values the
//! far options of each class of columns have, the last values of the row, and where the rows above are in their periods. When
//! that comes again P columns later with everything greater by S, then G(a, n + P) = G(a, n) + S from there on. The book has
//! the theorem.
//!
//! Cost: a step for each near option of a value; 8 bytes a value, and two for each class.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use grundy_cert::{Ray, Row, Rows};
use grundy_core::Int;
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Play, Shape};
use grundy_lang::linear::relation::Relation;
use grundy_lang::linear::system::{Constraint, Lin, System};
use grundy_lang::value::Pos;

use crate::{Fault, Refusal, Result, Run, claim, rules};

/// Positions with counters up to this are compared with the interpreter as well.
const COMPARED: u64 = 12;
/// At most so many pairs are told apart one by one, columns looked back at, and classes of columns.
const MOST: u64 = 1 << 16;
/// Numbers in rays are at most this.
const LARGEST: u64 = 1 << 20;

fn wrong(message: impl Into<String>) -> Refusal {
    Refusal::new(Fault::Hypothesis, message)
}

pub fn check(run: &mut Run<'_>, proof: &Rows) -> Result<()> {
    let certificate = run.certificate;
    let unordered = moves(run, proof)?;
    let last = proof.rows.last().ok_or_else(|| wrong("there is no row"))?;
    let claimed = (
        certificate.period,
        certificate.preperiod,
        certificate.saltus,
    );
    if claimed != (last.period, last.preperiod, last.saltus) {
        return Err(wrong("the claim is not what is said of the last row"));
    }
    let sets = Sets::of(&proof.rays, proof.fixed, proof.rows.len())?;
    let columns = |row: &Row| u128::from(row.state_at) + u128::from(row.state_period);
    run.count(columns(last), 8)?;
    let widest = proof.rows.iter().map(columns).max().unwrap_or(0);
    let all: u128 = proof.rows.iter().map(columns).sum();
    run.room(all * 4 + widest * (4 + 2 * sets.classes as u128))?;
    let mut done: Vec<Known> = Vec::new();
    for (r, row) in proof.rows.iter().enumerate() {
        let at_row = |refusal: Refusal| refusal.row(r as u64);
        hypotheses(&sets, row, &done, unordered).map_err(at_row)?;
        let values = compute(run, &sets, row, &done, unordered, r + 1 == proof.rows.len());
        let values = values.map_err(at_row)?;
        claim::repeats(
            &values,
            row.period as usize,
            row.preperiod as usize,
            row.saltus,
        )
        .map_err(at_row)?;
        done.push(Known { row: *row, values });
    }
    run.say(format!(
        "rows: each of the rows 0 to {} was computed again, every value the mex of its options; its state, all that later values \
         depend on, comes again as stated",
        done.len() - 1
    ));
    let values = done.pop().map(|known| known.values).unwrap_or_default();
    claim::verify(run, &values)
}

/// That the rules are those of two counters in normal play, and that their moves are the rays; whether the counters are in
/// no order.
fn moves(run: &mut Run<'_>, proof: &Rows) -> Result<bool> {
    let game = &run.certificate.game;
    let rules = rules::load(&game.text, &game.arguments)?;
    let refuse = |message: &str| Err(Refusal::new(Fault::Rules, message));
    let unordered = match &rules.game().shape {
        Shape::Tuple(members) if members[..] == [Shape::Int, Shape::Int] => false,
        Shape::Unordered(2, member) if **member == Shape::Int => true,
        _ => return refuse("a position is not two counters"),
    };
    if rules.game().play != Play::Normal || !rules.game().ends.is_empty() {
        return refuse("rows are of normal play, without `win if` and `lose if`");
    }
    if proof.fixed > u64::from(!unordered) {
        return Err(wrong("there is no such counter to be fixed").values(0, proof.fixed));
    }
    for ray in &proof.rays {
        let numbers = ray.from.iter().chain(&ray.step);
        if ray.from == [0, 0] || ray.count == Some(0) {
            return Err(wrong("a ray takes something, and has at least one pair"));
        }
        if ray.step == [0, 0] && ray.count != Some(1) {
            return Err(wrong("a ray of more than one pair has a step"));
        }
        if numbers.max().is_some_and(|&n| n > LARGEST) {
            return Err(wrong(format!("a ray has a number past {LARGEST}")));
        }
    }
    let relation = Relation::of_rules(&rules);
    let relation = relation.map_err(|why| Refusal::new(Fault::Rules, why))?;
    let stated = relation.like_systems(proof.rays.iter().flat_map(|ray| systems(ray, unordered)));
    let same = relation.equal(&stated);
    if same.no() {
        let message = "the moves of the rules are not those of the rays";
        return Err(Refusal::new(Fault::Code, message));
    }
    if !same.yes() {
        return refuse("it is not decided whether the moves are those of the rays");
    }
    compare(&rules, proof, unordered)?;
    run.say(format!(
        "rules: each move takes a pair of {} rays, whatever the position; this was decided for all positions at once, and \
         compared with the interpreter for counters up to {COMPARED}",
        proof.rays.len()
    ));
    Ok(unordered)
}

/// The moves of a ray as linear systems over x0, x1, y0, y1.
fn systems(ray: &Ray, unordered: bool) -> Vec<(usize, System)> {
    let orders: &[[usize; 2]] = if unordered {
        &[[0, 1], [1, 0]]
    } else {
        &[[0, 1]]
    };
    let one = |order: &[usize; 2]| {
        let mut system = System::new(4);
        let j = Lin::var(system.local());
        system.add(Constraint::Ge(j.clone()));
        if let Some(count) = ray.count {
            system.add(Constraint::le(j.clone(), Lin::constant(count - 1)));
        }
        for (i, place) in order.iter().enumerate() {
            let taken = Lin::constant(ray.from[i]).plus(&Int::from(ray.step[i]), &j);
            let left = Lin::var(i) - taken;
            system.add(Constraint::same(Lin::var(2 + place), left));
        }
        if unordered {
            system.add(Constraint::le(Lin::var(0), Lin::var(1)));
            system.add(Constraint::le(Lin::var(2), Lin::var(3)));
        }
        (1, system)
    };
    orders.iter().map(one).collect()
}

/// The interpreter's options of small positions.
fn compare(rules: &Rules, proof: &Rows, unordered: bool) -> Result<()> {
    let mut machine = rules.machine();
    for a in 0..=COMPARED {
        for b in if unordered { a } else { 0 }..=COMPARED {
            let mut stated = BTreeSet::new();
            for ray in &proof.rays {
                let [mut x, mut y] = ray.from;
                let mut left = ray.count.unwrap_or(u64::MAX);
                while left > 0 && x <= a && y <= b {
                    let mut to = [a - x, b - y];
                    if unordered {
                        to.sort_unstable();
                    }
                    stated.insert(Pos::of_counters(&to));
                    (x, y, left) = (x + ray.step[0], y + ray.step[1], left - 1);
                }
            }
            let mut own = BTreeSet::new();
            let mut single = true;
            let flow = machine.options(&Pos::of_counters(&[a, b]), &mut |option| {
                single &= option.parts.len() == 1;
                own.extend(option.parts.iter().cloned());
                ControlFlow::Continue(())
            });
            if flow.is_err() || !single || own != stated {
                let message = format!("the options of ({a}, {b}) are not those of the rays");
                return Err(Refusal::new(Fault::Code, message).values(own.len(), stated.len()));
            }
        }
    }
    Ok(())
}

/// For each c the set of the d for which a move takes c from the fixed counter and d from the other, as those below `far`
/// and, from there on, classes of d.
struct Sets {
    near: Vec<Vec<usize>>,
    tails: Vec<Vec<usize>>,
    /// q: a class is a remainder by it.
    classes: usize,
    /// m
    far: usize,
}

impl Sets {
    fn of(rays: &[Ray], fixed: u64, rows: usize) -> Result<Sets> {
        let many = || wrong(format!("more than {MOST} pairs, columns or classes"));
        let (along, across) = if fixed == 0 { (1, 0) } else { (0, 1) };
        let mut single: Vec<(u64, u64)> = Vec::new();
        let mut endless: Vec<(u64, u64, u64)> = Vec::new();
        for ray in rays {
            let (mut c, mut d) = (ray.from[across], ray.from[along]);
            if ray.step[across] == 0 && ray.count.is_none() {
                if c < rows as u64 {
                    endless.push((c, d, ray.step[along]));
                }
                continue;
            }
            let mut left = ray.count.unwrap_or(u64::MAX);
            while left > 0 && c < rows as u64 {
                single.push((c, d));
                if single.len() as u64 > MOST {
                    return Err(many());
                }
                (c, d, left) = (c + ray.step[across], d + ray.step[along], left - 1);
            }
        }
        let ends = single.iter().map(|&(_, d)| d + 1);
        let far = ends.chain(endless.iter().map(|&(_, d, _)| d)).max();
        let far = far.unwrap_or(0).max(1);
        let mut classes = 1u64;
        for &(_, _, step) in &endless {
            let (mut a, mut b) = (classes, step);
            while b > 0 {
                (a, b) = (b, a % b);
            }
            classes *= step / a;
            if classes > MOST || far > MOST {
                return Err(many());
            }
        }
        if far > MOST {
            return Err(many());
        }
        let mut near = vec![BTreeSet::new(); rows];
        let mut tails = vec![BTreeSet::new(); rows];
        for (c, d) in single {
            near[c as usize].insert(d as usize);
        }
        for (c, first, step) in endless {
            let mut d = first;
            while d < far {
                near[c as usize].insert(d as usize);
                d += step;
            }
            for _ in 0..classes / step {
                tails[c as usize].insert((d % classes) as usize);
                d += step;
            }
        }
        let list = |sets: Vec<BTreeSet<usize>>| {
            let lists = sets.into_iter().map(|set| set.into_iter().collect());
            lists.collect()
        };
        Ok(Sets {
            near: list(near),
            tails: list(tails),
            classes: classes as usize,
            far: far as usize,
        })
    }

    /// Whether a move takes c from the fixed counter.
    fn reaches(&self, c: usize) -> bool {
        !self.near[c].is_empty() || !self.tails[c].is_empty()
    }
}

/// A row whose claim has been checked.
struct Known {
    row: Row,
    values: Vec<u32>,
}

impl Known {
    fn at(&self, n: usize) -> u64 {
        let (p, n0) = (self.row.period as usize, self.row.preperiod as usize);
        match self.values.get(n) {
            Some(&v) => v.into(),
            None => {
                let turns = (n - n0) / p;
                u64::from(self.values[n0 + (n - n0) % p]) + self.row.saltus * turns as u64
            }
        }
    }
}

/// What the theorem asks of the numbers of a row.
fn hypotheses(sets: &Sets, row: &Row, above: &[Known], unordered: bool) -> Result<()> {
    let r = above.len();
    if row.period == 0 || row.state_period == 0 {
        return Err(wrong("a period is at least 1"));
    }
    if !row.state_period.is_multiple_of(row.period) {
        let message = "the state does not come again after a multiple of the period";
        return Err(wrong(message).values(row.period, row.state_period));
    }
    if !row.state_period.is_multiple_of(sets.classes as u64) {
        let message = "columns a period apart are of different classes";
        return Err(wrong(message).values(sets.classes, row.state_period));
    }
    let mut least = row.preperiod.max(sets.far as u64 - 1);
    if unordered {
        least = least.max(r as u64);
    }
    for c in (1..=r).filter(|&c| sets.reaches(c)) {
        let other = &above[r - c].row;
        if !row.state_period.is_multiple_of(other.period) {
            let message = format!(
                "the period of row {} does not divide that of the state",
                r - c
            );
            return Err(wrong(message).values(other.period, row.state_period));
        }
        if grown(other, row.state_period) != grown(row, row.state_period) {
            let message = format!("row {} grows at another rate", r - c);
            return Err(wrong(message));
        }
        least = least.max(other.preperiod + sets.far as u64 - 1);
    }
    if row.state_at < least {
        let message = "the state is taken too early for the theorem";
        return Err(wrong(message).values(format!("at least {least}"), row.state_at));
    }
    Ok(())
}

/// How much the values of a row grow in so many columns, a multiple of its period.
fn grown(row: &Row, columns: u64) -> u128 {
    u128::from(row.saltus) * u128::from(columns / row.period)
}

/// The values of a row up to where its state comes again, which it is checked to do.
fn compute(
    run: &mut Run<'_>,
    sets: &Sets,
    row: &Row,
    above: &[Known],
    unordered: bool,
    listed: bool,
) -> Result<Vec<u32>> {
    let r = above.len();
    let (x, again) = (row.state_at as usize, row.state_period as usize);
    let count = x + again;
    let mut values: Vec<u32> = Vec::with_capacity(count);
    // For each class of columns the values of its far options, and up to where there are all.
    let mut far: Vec<Vec<bool>> = vec![Vec::new(); sets.classes];
    let mut full = vec![0; sets.classes];
    let mut then = far.clone();
    // The last column that had an option of a value, plus 1.
    let mut near: Vec<usize> = Vec::new();
    let value = |values: &[u32], r: usize, n: usize| match above.get(r) {
        Some(known) => known.at(n),
        None => u64::from(values[n]),
    };
    for n in 0..=count {
        run.step(n, count)?;
        if let Some(column) = n.checked_sub(sets.far) {
            for c in (0..=r).filter(|&c| !sets.tails[c].is_empty()) {
                let v = value(&values, r - c, column) as usize;
                for d in &sets.tails[c] {
                    let class = &mut far[(column + d) % sets.classes];
                    if class.len() <= v {
                        class.resize(v + 1, false);
                    }
                    class[v] = true;
                }
            }
        }
        if n == x {
            then.clone_from(&far);
        }
        if n == count {
            break;
        }
        if unordered && n < r {
            // The pair (r, n) is (n, r).
            let v = narrow(above[n].at(r))?;
            values.push(v);
        } else {
            for c in 0..=r {
                for &d in sets.near[c].iter().take_while(|&&d| d <= n) {
                    let v = value(&values, r - c, n - d) as usize;
                    if near.len() <= v {
                        near.resize(v + 1, 0);
                    }
                    near[v] = n + 1;
                }
            }
            let class = n % sets.classes;
            let among = |v: usize| far[class].get(v) == Some(&true);
            while among(full[class]) {
                full[class] += 1;
            }
            let mut v = full[class];
            while among(v) || near.get(v) == Some(&(n + 1)) {
                v += 1;
            }
            // All that is below is an option of far or near, as `full` has it.
            values.push(narrow(v as u64)?);
        }
        if listed {
            run.listed(n, values[n].into())?;
        }
    }
    let by = usize::try_from(grown(row, row.state_period))
        .map_err(|_| wrong("the saltus is past all values"))?;
    for (class, (then, now)) in then.iter().zip(&far).enumerate() {
        let has = |set: &[bool], v: usize| set.get(v) == Some(&true);
        // A saltus past all values ends it at the first that is not there.
        for v in 0..now.len().max(then.len().saturating_add(by)) {
            let before = v < by || has(then, v - by);
            if has(now, v) != before {
                let message = format!(
                    "the values of far options of the columns of class {class} mod {} are others {again} columns later: \
                     {v} is {}one of them",
                    sets.classes,
                    if before { "not " } else { "" },
                );
                return Err(Refusal::new(Fault::Period, message).at(x as u64));
            }
        }
    }
    if sets.reaches(0) {
        for n in x + 1 - sets.far..x {
            let (one, other) = (u64::from(values[n]), u64::from(values[n + again]));
            if one + by as u64 != other {
                let message = format!("the value {again} columns later is another");
                let refusal = Refusal::new(Fault::Period, message).at(n as u64);
                return Err(refusal.values(other, one + by as u64));
            }
        }
    }
    Ok(values)
}

fn narrow(v: u64) -> Result<u32> {
    u32::try_from(v).map_err(|_| Refusal::new(Fault::Memory, "a value is past 32 bits"))
}
