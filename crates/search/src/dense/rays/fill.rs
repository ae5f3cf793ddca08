//! Fills a table along rays.
//!
//! Cells are visited so that whatever a move takes from a position has been visited before; in squares of [`TILE`] over the
//! last two counters, so that the sets in use stay in the cache. A table of one unordered pair is filled by halves where the
//! rays allow: those along one heap are then the cells with a heap of that size, first as the larger and then as the
//! smaller.
//!
//! Cost: a few word operations a cell for each ray, and one pass over the words between the first gap of the fullest set and
//! the mex: for Wythoff's game about 1 word for every 300 that a side is long. Memory: a bit for each ray of the table and
//! each value.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use super::Ray;
use crate::dense::{COUNTERS, Cells, Evaluate, Layout, Mode, Offset, Told, Verdict, Word};

/// Side of the squares in which cells are visited.
const TILE: u64 = 32;
/// Cells between two looks at whether to go on.
const TELL: u64 = 1 << 14;

/// Why a table was not filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The caller broke off.
    Stopped,
    /// Its sets would take so many bytes, more than they may.
    Memory(u64),
    /// A cell is not for this engine: a value past 32 bits, or a move that is no ray and leads to where nothing is known.
    Unable,
}

/// Why there is no way to fill a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It is not for this engine.
    Because(String),
    /// Its sets would take so many bytes, more than they may.
    Memory(u64),
}

/// A way to fill a table.
pub struct Rays<'a> {
    layout: &'a Layout,
    mode: Mode,
    misere: bool,
    /// Whether only cells with their members in order are visited.
    halves: bool,
    lines: Lines,
    looks: Vec<Look>,
    feeds: Vec<Feed>,
    points: Vec<Point>,
    guards: usize,
    memory: u64,
}

/// The sets of all rays through the table.
#[derive(Clone, Debug)]
struct Lines {
    count: usize,
    sets: Vec<u64>,
    /// Words of a set.
    words: usize,
    /// For each, the first word that is not full.
    low: Vec<u32>,
}

/// Which line of a direction a cell is on: the sum of an entry for each counter.
#[derive(Clone, Debug)]
struct Places(Vec<Box<[usize]>>);

/// A ray whose values are options.
#[derive(Clone, Debug)]
struct Look {
    /// Whose line it is.
    feed: usize,
    guard: Option<usize>,
    from: Vec<u64>,
}

/// What is put into lines at a cell.
#[derive(Clone, Debug)]
struct Feed {
    places: Places,
    what: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// The value of the cell, once it is known.
    Own,
    /// Before the cell is computed, the value so far behind; and that still farther behind is taken out.
    Behind(Vec<u64>, Option<Vec<u64>>),
}

/// A single option.
#[derive(Clone, Debug)]
struct Point {
    taken: Vec<u64>,
    guard: Option<usize>,
}

impl<'a> Rays<'a> {
    /// For a table of a game with these rays and nothing else but what [`Rays::fill`] is told; sets may take so many bytes. The
    /// error says why there is no way.
    pub fn new(
        layout: &'a Layout,
        rays: &[Ray],
        mode: Mode,
        misere: bool,
        memory: u64,
    ) -> Result<Rays<'a>, Unfit> {
        let n = layout.words().len();
        let axis = |ray: &Ray, i: usize| ray.step[i] == 1 && ray.step.iter().sum::<u64>() == 1;
        // On these a value stays for good, and the first is the cell before.
        let plain = |ray: &Ray| ray.from == ray.step && ray.count.is_none();
        let pair = n == 2 && layout.unordered().len() == 1;
        let long = || rays.iter().filter(|ray| !ray.is_short());
        let halves = pair
            && long().all(|ray| {
                ray.step[0] == ray.step[1] || (plain(ray) && (axis(ray, 0) || axis(ray, 1)))
            });
        let mut out = Rays {
            layout,
            mode,
            misere,
            halves,
            lines: Lines {
                count: 0,
                sets: Vec::new(),
                words: 4,
                low: Vec::new(),
            },
            looks: Vec::new(),
            feeds: Vec::new(),
            points: Vec::new(),
            guards: rays
                .iter()
                .filter_map(|ray| ray.guard)
                .max()
                .map_or(0, |g| g + 1),
            memory,
        };
        let to: Vec<u64> = layout.words().iter().map(|word| word.to).collect();
        let mut heaps = None;
        for ray in rays {
            let guard = ray.guard;
            let times = |j: u64| -> Vec<u64> {
                let taken = ray.from.iter().zip(&ray.step);
                taken
                    .map(|(f, s)| f.saturating_add(j.saturating_mul(*s)))
                    .collect()
            };
            if let Some(count) = ray.count.filter(|_| ray.is_short()) {
                out.points.extend((0..count).map(|j| Point {
                    taken: times(j),
                    guard,
                }));
                continue;
            }
            if let Some(count) = ray.count
                && !(ray.from == ray.step && guard.is_none() && mirrored(ray, rays, layout))
            {
                return Err(Unfit::Because(format!(
                    "{count} moves along a ray whose values can come twice"
                )));
            }
            let feed = if halves && ray.step[0] != ray.step[1] {
                let heaps = *heaps.get_or_insert_with(|| {
                    let first = out.lines.count;
                    out.lines.count += to[0] as usize + 1;
                    let feeds = [0, 1].map(|i| Feed {
                        places: Places::of_one(&to, i, first),
                        what: Source::Own,
                    });
                    out.feeds.extend(feeds);
                    out.feeds.len() - 2
                });
                // What is taken from one heap leaves the other.
                heaps + usize::from(ray.step[0] > 0)
            } else {
                let (places, count) = Places::along(&to, &ray.step, halves, out.lines.count)
                    .map_err(Unfit::Because)?;
                out.lines.count += count;
                let what = match (plain(ray), ray.count) {
                    (true, _) => Source::Own,
                    (false, count) => Source::Behind(ray.from.clone(), count.map(&times)),
                };
                out.feeds.push(Feed { places, what });
                out.feeds.len() - 1
            };
            out.looks.push(Look {
                feed,
                guard,
                from: ray.from.clone(),
            });
        }
        out.lines.low = vec![0; out.lines.count];
        // Half as much again as one long side is what values of Wythoff's game take.
        let guess = to
            .iter()
            .max()
            .map_or(0, |&to| to.saturating_mul(3) / 2 / 64);
        let guess = if mode == Mode::Values { guess } else { 0 };
        let guess = guess.min(1 << 24) as usize;
        out.lines.widen(guess, memory).map_err(Unfit::Memory)?;
        Ok(out)
    }

    /// Computes all cells. `guards` say for each guard whether it holds, by a value of 0; `rest` evaluates the moves that are
    /// no rays, by the rules of normal play.
    pub fn fill(
        &mut self,
        guards: &mut [Box<dyn Evaluate + 'a>],
        rest: Option<&mut (dyn Evaluate + 'a)>,
        told: &mut Told<'_>,
    ) -> Result<Cells, Failed> {
        assert!(guards.len() >= self.guards, "all guards are given");
        if self.misere && rest.is_some() {
            return Err(Failed::Unable);
        }
        let looked: Vec<usize> = self.looks.iter().map(|look| look.feed).collect();
        let simple = self.mode == Mode::Values
            && guards.is_empty()
            && rest.is_none()
            && self.points.is_empty()
            && (self.halves || self.layout.unordered().is_empty())
            && self
                .feeds
                .iter()
                .all(|feed| matches!(feed.what, Source::Own))
            && (0..self.feeds.len()).all(|feed| looked.contains(&feed));
        match (simple, self.feeds.len()) {
            (true, 1) => self.fill_simple::<1>(told),
            (true, 2) => self.fill_simple::<2>(told),
            (true, 3) => self.fill_simple::<3>(told),
            (true, 4) => self.fill_simple::<4>(told),
            _ => self.fill_any(guards, rest, told),
        }
    }

    /// Fills a table in which nothing counts but N rays without end, each from the next cell on.
    fn fill_simple<const N: usize>(&mut self, told: &mut Told<'_>) -> Result<Cells, Failed> {
        let mut cells = Cells::unknown(self.layout.cells());
        let Rays {
            layout,
            lines,
            feeds,
            memory,
            ..
        } = self;
        let of_cell = Places::of_cells(layout);
        let visit = &mut |at: &[u64; COUNTERS], axis: usize, count: u64| {
            let run: [_; N] = std::array::from_fn(|i| feeds[i].places.run(at, axis, count));
            let (first, places) = of_cell.run(at, axis, count);
            for (i, place) in places.iter().enumerate() {
                let keys = std::array::from_fn(|f| run[f].0.wrapping_add(run[f].1[i]));
                let value = lines.mex::<N>(keys);
                put(&mut cells, first.wrapping_add(*place) as u64, value)?;
                lines.insert(&keys, value, *memory)?;
            }
            Ok(())
        };
        visit_runs(layout, self.halves, TILE, told, visit)?;
        Ok(cells)
    }

    fn fill_any(
        &mut self,
        guards: &mut [Box<dyn Evaluate + 'a>],
        mut rest: Option<&mut (dyn Evaluate + 'a)>,
        told: &mut Told<'_>,
    ) -> Result<Cells, Failed> {
        let mut cells = Cells::unknown(self.layout.cells());
        let layout = self.layout;
        let n = layout.words().len();
        // Moves that are no rays may lead anywhere before a cell in this order, but not in that of squares.
        let tile = if rest.is_some() { u64::MAX } else { TILE };
        let halves = self.halves;
        let mut holds: SmallVec<[bool; 8]> = SmallVec::new();
        let visit = &mut |at: &[u64; COUNTERS], axis: usize, count: u64| {
            let mut at = *at;
            for _ in 0..count {
                holds.clear();
                for guard in &mut *guards {
                    match guard.evaluate(&at[..n], &cells) {
                        Verdict::Value(value) => holds.push(value == 0),
                        _ => return Err(Failed::Unable),
                    }
                }
                self.cell(&at[..n], &holds, rest.as_deref_mut(), &mut cells)?;
                at[axis] += 1;
            }
            Ok(())
        };
        visit_runs(layout, halves, tile, told, visit)?;
        Ok(cells)
    }

    #[inline]
    fn cell(
        &mut self,
        at: &[u64],
        holds: &[bool],
        rest: Option<&mut (dyn Evaluate + 'a)>,
        cells: &mut Cells,
    ) -> Result<(), Failed> {
        let keys: SmallVec<[usize; 8]> = self.feeds.iter().map(|feed| feed.places.at(at)).collect();
        for (feed, &key) in self.feeds.iter().zip(&keys) {
            let Source::Behind(from, end) = &feed.what else {
                continue;
            };
            let value = behind(self.layout, at, from, cells);
            let ended = end
                .as_ref()
                .and_then(|end| behind(self.layout, at, end, cells));
            if let Some(value) = ended.filter(|v| kept(self.mode, *v)) {
                self.lines.remove(key, value);
            }
            if let Some(value) = value.filter(|v| kept(self.mode, *v)) {
                self.lines.insert(&[key], value, self.memory)?;
            }
        }
        let runs = self.layout.unordered();
        let canonical = self.halves || runs.iter().all(|run| at[run.clone()].is_sorted());
        let value = if canonical {
            let value = self.value(at, &keys, holds, rest, cells)?;
            let place = self.layout.index(at).expect("it is a cell of the table");
            put(cells, place, value)?;
            value
        } else {
            let none = [0; COUNTERS];
            behind(self.layout, at, &none[..at.len()], cells).expect("it is a cell of the table")
        };
        if kept(self.mode, value) {
            for (feed, &key) in self.feeds.iter().zip(&keys) {
                if matches!(feed.what, Source::Own) {
                    self.lines.insert(&[key], value, self.memory)?;
                }
            }
        }
        Ok(())
    }

    /// The value of a cell on these lines.
    #[inline]
    fn value(
        &self,
        at: &[u64],
        keys: &[usize],
        holds: &[bool],
        rest: Option<&mut (dyn Evaluate + 'a)>,
        cells: &Cells,
    ) -> Result<u64, Failed> {
        let active = |guard: Option<usize>| guard.is_none_or(|guard| holds[guard]);
        let mut few: SmallVec<[u64; 16]> = SmallVec::new();
        for point in &self.points {
            if active(point.guard) {
                few.extend(behind(self.layout, at, &point.taken, cells));
            }
        }
        let others = match rest {
            None => None,
            Some(rest) => match rest.evaluate(at, cells) {
                Verdict::Value(1) if self.mode == Mode::Outcomes => return Ok(1),
                Verdict::Value(_) => Some(rest),
                _ => return Err(Failed::Unable),
            },
        };
        let mut any = !few.is_empty();
        let mut sets: SmallVec<[&[u64]; 8]> = SmallVec::new();
        let mut low = 0;
        for look in self.looks.iter().filter(|look| active(look.guard)) {
            any |= at.iter().zip(&look.from).all(|(x, f)| x >= f);
            sets.push(self.lines.set(keys[look.feed]));
            low = low.max(self.lines.low[keys[look.feed]]);
        }
        if self.mode == Mode::Outcomes {
            let next_wins = few.contains(&0) || sets.iter().any(|set| set[0] & 1 == 1);
            return Ok(u64::from(next_wins || (self.misere && !any)));
        }
        let mut word = low as usize;
        loop {
            if !sets.is_empty() {
                word = grundy_kernels::first_hole(&sets, word);
            }
            let union = sets
                .iter()
                .filter_map(|set| set.get(word))
                .fold(0, |all, w| all | w);
            let mut free = !union;
            while free != 0 {
                let value = word as u64 * 64 + u64::from(free.trailing_zeros());
                if !few.contains(&value) && !others.as_ref().is_some_and(|o| o.seen(value)) {
                    return Ok(value);
                }
                free &= free - 1;
            }
            word += 1;
        }
    }
}

/// Whether a value is put into sets: of outcomes only those of P-positions are.
#[inline]
fn kept(mode: Mode, value: u64) -> bool {
    mode == Mode::Values || value == 0
}

/// Puts a value into a cell, and makes cells wider for it if need be.
#[inline(always)]
fn put(cells: &mut Cells, place: u64, value: u64) -> Result<(), Failed> {
    if cells.put(place, value) {
        return Ok(());
    }
    put_wider(cells, place, value)
}

#[cold]
fn put_wider(cells: &mut Cells, place: u64, value: u64) -> Result<(), Failed> {
    while !cells.put(place, value) {
        *cells = cells.wider().ok_or(Failed::Unable)?;
    }
    Ok(())
}

impl Lines {
    #[inline]
    fn set(&self, line: usize) -> &[u64] {
        &self.sets[line * self.words..][..self.words]
    }

    /// The least value that is in none of these sets.
    #[inline]
    fn mex<const N: usize>(&self, lines: [usize; N]) -> u64 {
        let sets = lines.map(|line| self.set(line));
        let low = lines.iter().map(|line| self.low[*line]).max().unwrap_or(0) as usize;
        let union = |word: usize| sets.iter().fold(0, |all, set| all | set[word]);
        let mut word = low;
        // Often it is there.
        let mut all = union(word);
        if all == u64::MAX {
            word = grundy_kernels::first_hole(&sets, low + 1);
            all = union(word);
        }
        word as u64 * 64 + u64::from(all.trailing_ones())
    }

    /// Puts a value into sets.
    #[inline(always)]
    fn insert(&mut self, lines: &[usize], value: u64, memory: u64) -> Result<(), Failed> {
        let word = (value / 64) as usize;
        // The last word is never full, so that there is a mex.
        if word + 1 >= self.words {
            self.widen(word + 2, memory).map_err(Failed::Memory)?;
        }
        for &line in lines {
            let set = &mut self.sets[line * self.words..][..self.words];
            set[word] |= 1 << (value % 64);
            // Other words are not looked at, which may be far from here in memory.
            if set[word] == u64::MAX && self.low[line] as usize == word {
                let full = set[word..].iter().take_while(|&&word| word == u64::MAX);
                self.low[line] += full.count() as u32;
            }
        }
        Ok(())
    }

    #[inline]
    fn remove(&mut self, line: usize, value: u64) {
        let word = value / 64;
        self.sets[line * self.words + word as usize] &= !(1 << (value % 64));
        self.low[line] = self.low[line].min(word as u32);
    }

    /// Makes sets at least so many words long; the error is the bytes that they would take, if that is too much.
    #[cold]
    fn widen(&mut self, words: usize, memory: u64) -> Result<(), u64> {
        let words = (words + words / 4 + 4) & !3;
        let bytes = (self.count as u64).saturating_mul(8 * words as u64 + 4);
        if bytes > memory {
            return Err(bytes);
        }
        let mut sets = vec![0; self.count * words];
        if !self.sets.is_empty() {
            let rows = self.sets.chunks_exact(self.words);
            for (old, new) in rows.zip(sets.chunks_exact_mut(words)) {
                new[..old.len()].copy_from_slice(old);
            }
        }
        (self.sets, self.words) = (sets, words);
        Ok(())
    }
}

impl Places {
    /// A line for each value of one counter, numbered from `base` on.
    fn of_one(to: &[u64], counter: usize, base: usize) -> Places {
        let entry = |i: usize, x: u64| if i == counter { base + x as usize } else { 0 };
        let entries = |(i, &to): (usize, &u64)| (0..=to).map(|x| entry(i, x)).collect();
        Places(to.iter().enumerate().map(entries).collect())
    }

    /// The lines in a direction, numbered from `base` on, and how many they are. Counted from where a line enters the table by
    /// its first counter that changes; with `halves`, from where its first counter is least.
    fn along(
        to: &[u64],
        step: &[u64],
        halves: bool,
        base: usize,
    ) -> Result<(Places, usize), String> {
        let first = step
            .iter()
            .position(|&s| s > 0)
            .ok_or("a move takes nothing")?;
        let stride = step[first];
        let passes = to[first] / stride;
        // What a counter can lie behind where a line enters.
        let back = |i: usize| {
            if halves {
                0
            } else {
                step[i].saturating_mul(passes)
            }
        };
        let mut count = 1u64;
        let mut factors = vec![0u64; to.len()];
        for i in (0..to.len()).rev() {
            factors[i] = count;
            let extent = if i == first {
                stride
            } else {
                to[i].saturating_add(back(i)).saturating_add(1)
            };
            count = count
                .checked_mul(extent)
                .filter(|&count| count <= 1 << 32)
                .ok_or("there are more rays than any memory holds")?;
        }
        let entry = |i: usize, x: u64| -> usize {
            if i != first {
                return (x as usize).wrapping_mul(factors[i] as usize);
            }
            let mut sum = base + ((x % stride) * factors[i]) as usize;
            for j in (0..to.len()).filter(|&j| j != first) {
                let behind = back(j).wrapping_sub(step[j].wrapping_mul(x / stride));
                sum = sum.wrapping_add(behind.wrapping_mul(factors[j]) as usize);
            }
            sum
        };
        let entries = |(i, &to): (usize, &u64)| (0..=to).map(|x| entry(i, x)).collect();
        let places = to.iter().enumerate().map(entries).collect();
        Ok((Places(places), count as usize))
    }

    /// The places of the cells themselves.
    fn of_cells(layout: &Layout) -> Places {
        let entries = |word: &Word| match &word.offset {
            Offset::Times(stride) => (0..=word.to).map(|x| (stride * x) as usize).collect(),
            Offset::Listed(list) => list.iter().map(|&entry| entry as usize).collect(),
        };
        Places(layout.words().iter().map(entries).collect())
    }

    /// A number, and numbers to be added to it, for so many cells in a row along a counter.
    #[inline]
    fn run(&self, at: &[u64; COUNTERS], axis: usize, count: u64) -> (usize, &[usize]) {
        let others = (0..self.0.len()).filter(|&i| i != axis);
        let sum = others.fold(0usize, |sum, i| sum.wrapping_add(self.0[i][at[i] as usize]));
        (sum, &self.0[axis][at[axis] as usize..][..count as usize])
    }

    #[inline]
    fn at(&self, at: &[u64]) -> usize {
        let entries = self.0.iter().zip(at);
        entries.fold(0usize, |sum, (entries, &x)| {
            sum.wrapping_add(entries[x as usize])
        })
    }
}

/// The value of the cell with so much less, if there is one.
#[inline]
fn behind(layout: &Layout, at: &[u64], taken: &[u64], cells: &Cells) -> Option<u64> {
    let mut left = [0; COUNTERS];
    for ((left, x), k) in left.iter_mut().zip(at).zip(taken) {
        *left = x.checked_sub(*k)?;
    }
    let left = &mut left[..at.len()];
    for run in layout.unordered() {
        left[run.clone()].sort_unstable();
    }
    cells.get(layout.index(left)?)
}

/// Whether along the line of a limited ray no two cells within its reach have the same value: whoever is on it, in whatever
/// order of members, can make these moves.
fn mirrored(ray: &Ray, rays: &[Ray], layout: &Layout) -> bool {
    layout.unordered().iter().all(|run| {
        run.clone()
            .skip(1)
            .all(|i| rays.contains(&ray.exchanged(i - 1, i)))
    })
}

/// Visits runs of cells along a counter, so that whatever can be taken from a position has been: those of an unordered pair
/// once, if by halves.
fn visit_runs<F: FnMut(&[u64; COUNTERS], usize, u64) -> Result<(), Failed>>(
    layout: &Layout,
    halves: bool,
    tile: u64,
    told: &mut Told<'_>,
    f: &mut F,
) -> Result<(), Failed> {
    let to: Vec<u64> = layout.words().iter().map(|word| word.to).collect();
    let (mut done, mut due) = (0, TELL);
    let mut failed = None;
    let run = &mut |at: &[u64; COUNTERS], axis: usize, count: u64| {
        failed = f(at, axis, count).err();
        done += count;
        if failed.is_none() && done >= due {
            due = done + TELL;
            failed = told(done).is_break().then_some(Failed::Stopped);
        }
        match failed {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    };
    let _ = if halves {
        visit_halves(to[0], tile, run)
    } else {
        visit_all(&to, tile, &mut [0; COUNTERS], 0, run)
    };
    failed.map_or(Ok(()), Err)
}

/// Visits the cells of an unordered pair.
fn visit_halves<F: FnMut(&[u64; COUNTERS], usize, u64) -> ControlFlow<()>>(
    to: u64,
    tile: u64,
    f: &mut F,
) -> ControlFlow<()> {
    let mut at = [0; COUNTERS];
    for larger in (0..=to).step_by(step(tile)) {
        let last = larger.saturating_add(tile - 1).min(to);
        for smaller in (0..=last).step_by(step(tile)) {
            let end = smaller.saturating_add(tile - 1);
            for b in larger.max(smaller)..=last {
                (at[0], at[1]) = (smaller, b);
                f(&at, 0, end.min(b) + 1 - smaller)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// Visits all cells: in order, but for squares over the last two counters.
fn visit_all<F: FnMut(&[u64; COUNTERS], usize, u64) -> ControlFlow<()>>(
    to: &[u64],
    tile: u64,
    at: &mut [u64; COUNTERS],
    depth: usize,
    f: &mut F,
) -> ControlFlow<()> {
    if depth + 1 == to.len() {
        at[depth] = 0;
        return f(at, depth, to[depth] + 1);
    }
    if depth + 2 < to.len() {
        for x in 0..=to[depth] {
            at[depth] = x;
            visit_all(to, tile, at, depth + 1, f)?;
        }
        return ControlFlow::Continue(());
    }
    let (rows, columns) = (to[depth], to[depth + 1]);
    for row in (0..=rows).step_by(step(tile)) {
        let last = row.saturating_add(tile - 1).min(rows);
        for column in (0..=columns).step_by(step(tile)) {
            let end = column.saturating_add(tile - 1).min(columns);
            for a in row..=last {
                (at[depth], at[depth + 1]) = (a, column);
                f(at, depth + 1, end + 1 - column)?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn step(tile: u64) -> usize {
    usize::try_from(tile).unwrap_or(usize::MAX)
}
