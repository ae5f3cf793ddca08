//! Rows of games of two counters whose moves take one of a fixed set of pairs of numbers, wherever the position is: Nim,
//! Wythoff's game and its kin, rook, queen and knight. Each row is additively periodic if its computation is: A. Dress,
//! A. Flammenkamp, N. Pink, Additive periodicity of the Sprague–Grundy function of certain Nim games, Adv. Appl. Math. 22
//! (1999); H. Landman, A simple FSM-based proof of the additive periodicity of the Sprague–Grundy function of Wythoff's
//! game, in More Games of No Chance (2002).
//!
//! A row is computed from left to right, and all that its later values depend on is its *state*: for each class of columns
//! the set of values that far options have, the last values of the row, and the phases of the rows above. Where the state
//! comes again P columns later with everything greater by S, the row has the period P with saltus S; the book's page
//! "Certificates" has the theorem. The state is compared with one that is kept (R. P. Brent, BIT 20, 1980).
//!
//! Cost: a step for each near option of a value and, once in the period of the rows above, for each value of the state; some
//! ten bytes a column.

use grundy_cert::{Certificate, GameText, Hasher, Proof, Ray, Row, Rows, Values};
use grundy_core::{Budget, Code};

use crate::heaps::LISTED;

/// At most so many rows, pairs that are told apart one by one, columns looked back at, and classes of columns.
pub const MOST: u64 = 1 << 16;
/// Columns between two looks at the clock.
const TELL: u64 = 1 << 14;

/// A game of two counters, and which row of it is looked at.
#[derive(Clone, Debug)]
pub struct Game {
    /// What the moves take.
    pub rays: Vec<Ray>,
    /// The counter that is fixed, 0 or 1; 0 where they are in no order.
    pub fixed: usize,
    /// At what.
    pub at: u64,
    /// Whether the counters are in no order; the rays are then for the smaller and the larger one.
    pub unordered: bool,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The row.
    pub row: u64,
    /// Columns of it that are done.
    pub columns: u64,
}

/// Why no period is proved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Stopped by the user.
    Stopped(Progress),
    /// It takes more memory than is allowed.
    Memory(Progress),
    /// The state of this row does not come again up to the last column asked for.
    NoPeriod {
        /// The row.
        row: u64,
        /// The greatest value computed, if it is the row asked for.
        max: Option<u64>,
    },
    /// There are more rows, pairs, columns to look back at or classes of columns than this is made for.
    TooMany,
    /// A value is past 32 bits.
    TooLarge(Progress),
}

/// A row whose period is proved.
#[derive(Clone, Debug)]
pub struct Found {
    /// The period, and where the state comes again.
    pub row: Row,
    /// The values up to the end of the first period.
    values: Vec<u32>,
}

impl Found {
    /// A value of the row.
    pub fn value(&self, n: u64) -> u64 {
        if let Some(&v) = usize::try_from(n).ok().and_then(|n| self.values.get(n)) {
            return v.into();
        }
        let past = n - self.row.preperiod;
        let first = self.values[(self.row.preperiod + past % self.row.period) as usize];
        u64::from(first) + self.row.saltus * (past / self.row.period)
    }

    /// The greatest value, if there is one.
    pub fn max(&self) -> Option<u64> {
        let max = self.values.iter().max().copied().unwrap_or(0);
        (self.row.saltus == 0).then_some(max.into())
    }
}

/// The rows 0, 1, … up to the one asked for, each with its period.
#[derive(Clone, Debug)]
pub struct Proved {
    game: Game,
    rows: Vec<Found>,
    values: Values,
}

/// Finds the period of a row, with those of the rows before it, from the columns 0 to `to`.
///
/// # Errors
/// See [`Stop`].
pub fn prove(
    game: &Game,
    to: u64,
    budget: &Budget,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Proved, Stop> {
    let sets = Sets::of(game)?;
    let mut rows: Vec<Found> = Vec::new();
    let mut kept = 0;
    let mut values = Values::listed(Vec::new());
    for row in 0..=game.at {
        let run = Run {
            game,
            sets: &sets,
            above: &rows,
            row,
            to,
            memory: budget.memory().saturating_sub(kept),
        };
        let (found, all) = run.prove(&mut |p| {
            progress(p);
            budget.stopped()
        })?;
        if row == game.at {
            values = certified(&all);
        }
        kept += 4 * found.values.len() as u64;
        rows.push(found);
    }
    Ok(Proved {
        game: game.clone(),
        rows,
        values,
    })
}

impl Proved {
    /// The row asked for.
    pub fn last(&self) -> &Found {
        self.rows.last().expect("there is a row 0")
    }

    /// All rows.
    pub fn rows(&self) -> &[Found] {
        &self.rows
    }

    /// What another program can check it by.
    pub fn certificate(&self, game: GameText) -> Certificate {
        let last = self.last();
        Certificate {
            game,
            code: Code::default(),
            period: last.row.period,
            preperiod: last.row.preperiod,
            saltus: last.row.saltus,
            max: last.max(),
            values: self.values.clone(),
            proof: Proof::Rows(Rows {
                fixed: self.game.fixed as u64,
                rays: self.game.rays.clone(),
                rows: self.rows.iter().map(|found| found.row).collect(),
            }),
        }
    }
}

fn certified(values: &[u32]) -> Values {
    if values.len() <= LISTED {
        return Values::listed(values.iter().map(|&v| v.into()).collect());
    }
    let max = values.iter().max().copied().unwrap_or(0);
    let mut hasher = Hasher::new(max.into());
    values.iter().for_each(|&v| hasher.push(v.into()));
    Values::hashed(values.len() as u64, hasher.finish())
}

/// The moves by what they take from the counter that is fixed, c, and from the other one, d.
struct Sets {
    /// The d below `far`, with their c.
    near: Vec<(usize, usize)>,
    /// For each c the classes of those from `far` on, all of which are taken.
    tails: Vec<(usize, Vec<usize>)>,
    /// Which c there are.
    reached: Vec<bool>,
    /// A class is a remainder by this.
    classes: usize,
    far: usize,
}

impl Sets {
    fn of(game: &Game) -> Result<Sets, Stop> {
        let (fixed, other) = (game.fixed, 1 - game.fixed);
        if game.at > MOST {
            return Err(Stop::TooMany);
        }
        let mut pairs = Vec::new();
        let mut lines = Vec::new();
        for ray in &game.rays {
            let from = (ray.from[fixed], ray.from[other]);
            let step = (ray.step[fixed], ray.step[other]);
            if ray.count.is_none() && step.0 == 0 {
                lines.extend((from.0 <= game.at).then_some((from, step.1)));
                continue;
            }
            let pair = |j: u64| -> Option<(u64, u64)> {
                let c = step.0.checked_mul(j)?.checked_add(from.0)?;
                let d = step.1.checked_mul(j)?.checked_add(from.1)?;
                (c <= game.at).then_some((c, d))
            };
            let count = ray.count.unwrap_or(u64::MAX);
            pairs.extend((0..count).map_while(pair).take(MOST as usize + 1));
            if pairs.len() > MOST as usize {
                return Err(Stop::TooMany);
            }
        }
        let far = pairs.iter().map(|&(_, d)| d.saturating_add(1));
        let far = far.chain(lines.iter().map(|&((_, d), _)| d)).max();
        let far = far.unwrap_or(1).max(1);
        let classes = lines.iter().try_fold(1, |all, &(_, step)| lcm(all, step));
        let classes = classes.filter(|&n| (1..=MOST).contains(&n) && far <= MOST);
        let classes = classes.ok_or(Stop::TooMany)?;
        let mut reached = vec![false; game.at as usize + 1];
        let mut tails =
            vec![vec![false; classes as usize]; if lines.is_empty() { 0 } else { reached.len() }];
        for &((c, d), step) in &lines {
            let near = (d..far).step_by(step as usize);
            pairs.extend(near.map(|d| (c, d)));
            let mut d = d + (far - d).div_ceil(step) * step;
            for _ in 0..classes / step {
                tails[c as usize][(d % classes) as usize] = true;
                d += step;
            }
            reached[c as usize] = true;
        }
        pairs.sort_unstable();
        pairs.dedup();
        for (c, _) in &pairs {
            reached[*c as usize] = true;
        }
        let tails = tails.into_iter().map(|all| {
            let all = all.into_iter().enumerate();
            all.filter_map(|(class, is)| is.then_some(class)).collect()
        });
        let tails = tails
            .enumerate()
            .filter(|(_, all): &(usize, Vec<usize>)| !all.is_empty());
        Ok(Sets {
            near: pairs
                .into_iter()
                .map(|(c, d)| (c as usize, d as usize))
                .collect(),
            tails: tails.collect(),
            reached,
            classes: classes as usize,
            far: far as usize,
        })
    }
}

fn lcm(a: u64, b: u64) -> Option<u64> {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}

/// A set of values that only grows.
#[derive(Clone, Debug, Default)]
struct Seen {
    bits: Vec<u64>,
    /// The least value that is not in it.
    floor: usize,
    /// One more than the greatest that is.
    end: usize,
}

impl Seen {
    fn insert(&mut self, v: usize) {
        if self.bits.len() <= v / 64 {
            self.bits.resize(v / 64 + 1, 0);
        }
        self.bits[v / 64] |= 1 << (v % 64);
        self.end = self.end.max(v + 1);
        while self.has(self.floor) {
            self.floor += 1;
        }
    }

    fn has(&self, v: usize) -> bool {
        self.bits
            .get(v / 64)
            .is_some_and(|word| word >> (v % 64) & 1 == 1)
    }
}

/// A row being looked at.
struct Run<'a> {
    game: &'a Game,
    sets: &'a Sets,
    above: &'a [Found],
    row: u64,
    to: u64,
    memory: u64,
}

/// The next value of a row whose period is known.
struct Cursor<'a> {
    found: &'a Found,
    at: usize,
    more: u64,
}

impl Cursor<'_> {
    fn next(&mut self) -> u64 {
        let value = u64::from(self.found.values[self.at]) + self.more;
        self.at += 1;
        if self.at == self.found.values.len() {
            self.at = self.found.row.preperiod as usize;
            self.more += self.found.row.saltus;
        }
        value
    }
}

/// The last values of each row up to this one.
struct Window {
    values: Vec<u64>,
    /// A power of two for each row, and that less 1.
    width: usize,
    mask: usize,
}

impl Window {
    fn put(&mut self, row: usize, n: usize, value: u64) {
        self.values[row * self.width + (n & self.mask)] = value;
    }

    fn at(&self, row: usize, n: usize) -> u64 {
        self.values[row * self.width + (n & self.mask)]
    }
}

impl Run<'_> {
    /// The period, and the values up to where the state comes again.
    fn prove(&self, stopped: &mut dyn FnMut(&Progress) -> bool) -> Result<(Found, Vec<u32>), Stop> {
        let sets = self.sets;
        let row = self.row as usize;
        let no_period = |values: &[u32]| {
            let max = values.iter().max().map(|&v| v.into());
            Stop::NoPeriod {
                row: self.row,
                max: max.filter(|_| self.row == self.game.at),
            }
        };
        // The state is looked at only where it may come again: after periods of all rows above.
        let reached = (1..=row)
            .filter(|&c| sets.reached[c])
            .map(|c| &self.above[row - c].row);
        let step = reached
            .clone()
            .try_fold(sets.classes as u64, |all, other| lcm(all, other.period));
        let begins = reached
            .clone()
            .map(|other| other.preperiod)
            .max()
            .unwrap_or(0);
        let mut from = begins + sets.far as u64 - 1;
        if self.game.unordered {
            from = from.max(self.row);
        }
        let width = sets.far.next_power_of_two();
        let wide = || {
            Stop::TooLarge(Progress {
                row: self.row,
                columns: self.to,
            })
        };
        if 8 * (width as u64) * (self.row + 1) > self.memory {
            return Err(Stop::Memory(Progress {
                row: self.row,
                columns: 0,
            }));
        }
        let mut window = Window {
            values: vec![0; width * (row + 1)],
            width,
            mask: width - 1,
        };
        let above = self.above.iter();
        let mut cursors: Vec<Cursor<'_>> = above
            .map(|found| Cursor {
                found,
                at: 0,
                more: 0,
            })
            .collect();
        let near: Vec<(usize, usize)> = sets
            .near
            .iter()
            .copied()
            .filter(|&(c, _)| c <= row)
            .collect();
        let tails: Vec<(usize, &[usize])> = sets
            .tails
            .iter()
            .filter(|(c, _)| *c <= row)
            .map(|(c, tail)| (*c, &tail[..]))
            .collect();
        let mut seen = vec![Seen::default(); sets.classes];
        // The last column with a near option of this value, plus 1.
        let mut marks: Vec<u32> = Vec::new();
        let mut values: Vec<u32> = Vec::new();
        let mut kept: Option<State> = None;
        let (mut looks, mut renew) = (0u64, 1u64);
        let mut state = State::default();
        for n in 0..=self.to {
            let column = usize::try_from(n).map_err(|_| wide())?;
            let stamp = u32::try_from(n + 1).map_err(|_| wide())?;
            if n.is_multiple_of(TELL) {
                let progress = Progress {
                    row: self.row,
                    columns: n,
                };
                if stopped(&progress) {
                    return Err(Stop::Stopped(progress));
                }
                let sets = seen.iter().map(|s| s.bits.len() as u64 * 8).sum::<u64>();
                let used = 4 * (values.len() + marks.len()) as u64 + sets;
                if used > self.memory {
                    return Err(Stop::Memory(progress));
                }
            }
            if let Some(past) = column.checked_sub(sets.far) {
                for &(c, tail) in &tails {
                    let v = window.at(row - c, past) as usize;
                    for class in tail {
                        seen[(past + class) % sets.classes].insert(v);
                    }
                }
            }
            if n >= from
                && let Some(step) = step
                && (n - from).is_multiple_of(step)
            {
                state.take(
                    n,
                    &seen,
                    if sets.reached[0] {
                        &values[column + 1 - sets.far..]
                    } else {
                        &[]
                    },
                );
                if let Some(old) = &kept
                    && old.words == state.words
                    && let Some(saltus) = self.agrees(old, &state, reached.clone())
                {
                    let found = finish(&values, old.column, n - old.column, saltus);
                    return Ok((found, values));
                }
                looks += 1;
                if looks == renew {
                    renew *= 2;
                    kept = Some(state.clone());
                }
            }
            for (r, cursor) in cursors.iter_mut().enumerate() {
                let v = cursor.next();
                window.put(r, column, v);
            }
            let value = if self.game.unordered && column < row {
                // The pair (row, column) is (column, row).
                self.above[column].value(self.row)
            } else {
                for &(c, d) in &near {
                    if d <= column {
                        let v = window.at(row - c, column - d) as usize;
                        if marks.len() <= v {
                            marks.resize(v + 1, 0);
                        }
                        marks[v] = stamp;
                    }
                }
                let far = &seen[column % sets.classes];
                let mut v = far.floor;
                while marks.get(v) == Some(&stamp) || far.has(v) {
                    v += 1;
                }
                v as u64
            };
            window.put(row, column, value);
            values.push(u32::try_from(value).map_err(|_| wide())?);
        }
        Err(no_period(&values))
    }

    /// By how much all is greater between two columns of like states, if the rows above have grown by as much.
    fn agrees<'b>(
        &self,
        old: &State,
        new: &State,
        mut reached: impl Iterator<Item = &'b Row>,
    ) -> Option<u64> {
        let saltus = new.base - old.base;
        let columns = new.column - old.column;
        let same = reached.all(|row| {
            let grown = u128::from(row.saltus) * u128::from(columns / row.period);
            grown == u128::from(saltus)
        });
        same.then_some(saltus)
    }
}

/// What later values of a row depend on, but for the phases of the rows above.
#[derive(Clone, Debug, Default)]
struct State {
    column: u64,
    /// All is relative to this.
    base: u64,
    words: Vec<u64>,
}

impl State {
    fn take(&mut self, column: u64, seen: &[Seen], last: &[u32]) {
        self.column = column;
        self.base = seen.iter().map(|s| s.floor as u64).min().unwrap_or(0);
        self.words.clear();
        for set in seen {
            let above = (set.floor..set.end).filter(|&v| set.has(v));
            self.words.push(set.floor as u64 - self.base);
            let at = self.words.len();
            self.words.push(0);
            self.words.extend(above.map(|v| (v - set.floor) as u64));
            self.words[at] = (self.words.len() - at) as u64;
        }
        // Values below the base wrap around, all alike.
        self.words
            .extend(last.iter().map(|&v| u64::from(v).wrapping_sub(self.base)));
    }
}

/// From the columns x, at which the state comes again P columns later, the least period and preperiod.
fn finish(values: &[u32], x: u64, again: u64, saltus: u64) -> Found {
    let at = |n: u64| match values.get(n as usize) {
        Some(&v) => u64::from(v),
        None => u64::from(values[(n - again) as usize]) + saltus,
    };
    let (mut p, mut s) = (again, saltus);
    let mut rest = again;
    let mut q = 2;
    while rest > 1 {
        if q * q > rest {
            q = rest;
        }
        if !rest.is_multiple_of(q) {
            q += 1;
            continue;
        }
        rest /= q;
        // As often as it divides, until it fails.
        if s.is_multiple_of(q) && (x..x + again).all(|n| at(n + p / q) == at(n) + s / q) {
            (p, s) = (p / q, s / q);
        }
    }
    let mut n0 = x;
    while n0 > 0 && at(n0 - 1 + p) == at(n0 - 1) + s {
        n0 -= 1;
    }
    Found {
        row: Row {
            period: p,
            preperiod: n0,
            saltus: s,
            state_at: x,
            state_period: again,
        },
        values: values[..(n0 + p) as usize].to_vec(),
    }
}
