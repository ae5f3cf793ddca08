//! Fills a table along rays.
//!
//! Cells are visited so that whatever a move takes from a position has been visited before; in squares of [`TILE`] over the
//! last two counters, so that the sets in use stay in the cache. A table of one unordered pair is filled by halves where the
//! rays allow: those along one heap are then the cells with a heap of that size, first as the larger and then as the
//! smaller. On several threads by bands ([`crate::dense::bands`]) of such squares: each line is then in one tile at a time.
//!
//! A set has beside its words a bit for each that says whether it is full. The mex of a union lies in a word that is full in
//! none of the sets, and these are few: in Wythoff's game about 2 a cell, whether a side is long 1,000 or 8,000, where from
//! the first gap of the fullest set to the mex there are 4 words or 27.
//!
//! Cost: a few word operations a cell for each ray and each word that is full in none. Memory: a bit for each ray of the
//! table and each value, and one in 64 more.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{PoisonError, RwLock};

use smallvec::SmallVec;

use super::Ray;
use crate::dense::bands::{self, Grid, Kind, Ticker};
use crate::dense::cells::Unit;
use crate::dense::{COUNTERS, Cells, Evaluate, Layout, Mode, Offset, Told, Verdict, Word};

/// Side of the squares in which cells are visited.
const TILE: u64 = 64;
/// Cells between two looks at whether to go on.
const TELL: u64 = 1 << 14;
/// Cells of a tile where there is one counter.
const RUN: u64 = 1 << 12;

/// Why a table was not filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The caller broke off.
    Stopped,
    /// Its cells and its sets would take so many bytes each, more than they may.
    Memory {
        /// Those of the cells.
        cells: u64,
        /// Those of the sets.
        sets: u64,
    },
    /// A cell is not for this engine: a value past 32 bits, or a move that is no ray and leads to where nothing is known.
    Unable,
}

/// Why there is no way to fill a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It is not for this engine.
    Because(String),
    /// Its cells and its sets would take so many bytes each, more than they may.
    Memory {
        /// Those of the cells.
        cells: u64,
        /// Those of the sets.
        sets: u64,
    },
}

/// A way to fill a table.
pub struct Rays<'a> {
    layout: &'a Layout,
    mode: Mode,
    misere: bool,
    /// Whether only cells with their members in order are visited.
    halves: bool,
    lines: Lines,
    /// The most moves from a position.
    moves: u64,
    looks: Vec<Look>,
    feeds: Vec<Feed>,
    points: Vec<Point>,
    guards: usize,
    memory: u64,
}

/// The sets of all rays through the table.
#[derive(Debug, Default)]
struct Lines {
    count: usize,
    /// For each line a row: which word of bits over the words is the first that is not full, then these words, then the
    /// words of the set.
    sets: Vec<AtomicU64>,
    /// Words of a set, of which the last is never full.
    words: usize,
    /// Where in a row they begin.
    head: usize,
}

/// What one thread has beside the rays.
struct Beside<'a> {
    guards: Vec<Box<dyn Evaluate + 'a>>,
    rest: Option<Box<dyn Evaluate + 'a>>,
    /// Which guards hold.
    holds: SmallVec<[bool; 8]>,
}

/// What there is too little of for a value.
enum Narrow {
    /// Lines have to be so many words long.
    Lines(usize),
    /// Cells, of so many bytes, have to be wider.
    Cells(u64),
    /// It cannot go on.
    Failed(Failed),
}

/// What the threads that fill a table share.
struct Table {
    lines: Lines,
    cells: Cells,
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
    /// For a table of a game with these rays and nothing else but what [`Rays::fill`] is told; cells and sets may take so many
    /// bytes. The error says why there is no way.
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
                words: 0,
                head: 0,
            },
            moves: 0,
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
            let whole = to.iter().zip(&ray.step).filter(|(_, s)| **s > 0);
            let whole = whole.map(|(to, s)| to / s + 1).min().unwrap_or(1);
            out.moves = out
                .moves
                .saturating_add(ray.count.map_or(whole, |count| count.min(whole)));
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
        // Half as much again as one long side is what values of Wythoff's game take.
        let guess = to
            .iter()
            .max()
            .map_or(0, |&to| to.saturating_mul(3) / 2 / 64);
        let guess = if mode == Mode::Values { guess } else { 0 };
        let guess = guess.min(1 << 24) as usize;
        let words = roomy(guess);
        let sets = out.lines.bytes(words);
        let cells = out.cells();
        if cells.saturating_add(sets) > memory {
            return Err(Unfit::Memory { cells, sets });
        }
        out.lines.widen(words);
        Ok(out)
    }

    /// Bytes that [`Rays::fill`] begins with.
    pub fn memory(&self) -> u64 {
        self.cells() + self.lines.bytes(self.lines.words)
    }

    /// Bytes of the cells that it begins with, or more.
    fn cells(&self) -> u64 {
        let size = self.layout.cells();
        let unwritten = Cells::unwritten_bytes(size, self.mode, self.moves);
        unwritten.max(Cells::unknown_bytes(size, self.mode))
    }

    /// Computes all cells, on up to so many threads. `guards` give for each thread who says for each guard whether it holds,
    /// by a value of 0; `rest` evaluates the moves that are no rays, by the rules of normal play, and then all is done on one
    /// thread, since such moves may lead anywhere.
    pub fn fill(
        mut self,
        guards: &(dyn Fn() -> Vec<Box<dyn Evaluate + 'a>> + Sync),
        rest: Option<&(dyn Fn() -> Box<dyn Evaluate + 'a> + Sync)>,
        threads: usize,
        told: &mut Told<'_>,
    ) -> Result<Cells, Failed> {
        if self.misere && rest.is_some() {
            return Err(Failed::Unable);
        }
        let size = self.layout.cells();
        let cells = match rest {
            Some(_) => Cells::unknown(size, self.mode),
            None => Cells::unwritten(size, self.mode, self.moves),
        };
        let table = RwLock::new(Table {
            lines: std::mem::take(&mut self.lines),
            cells,
        });
        let looked: Vec<usize> = self.looks.iter().map(|look| look.feed).collect();
        let simple = self.mode == Mode::Values
            && self.guards == 0
            && rest.is_none()
            && self.points.is_empty()
            && (self.halves || self.layout.unordered().is_empty())
            && self
                .feeds
                .iter()
                .all(|feed| matches!(feed.what, Source::Own))
            && (0..self.feeds.len()).all(|feed| looked.contains(&feed));
        let whole = match (simple, self.feeds.len()) {
            (true, 1) => self.fill_simple::<1>(&table, threads, told),
            (true, 2) => self.fill_simple::<2>(&table, threads, told),
            (true, 3) => self.fill_simple::<3>(&table, threads, told),
            (true, 4) => self.fill_simple::<4>(&table, threads, told),
            _ => self.fill_any(&table, guards, rest, threads, told),
        }?;
        let table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
        if whole {
            Ok(table.cells.packed())
        } else {
            Err(Failed::Stopped)
        }
    }

    /// Fills a table in which nothing counts but N rays without end, each from the next cell on.
    fn fill_simple<const N: usize>(
        &self,
        table: &RwLock<Table>,
        threads: usize,
        told: &mut Told<'_>,
    ) -> Result<bool, Failed> {
        let of_cell = Places::of_cells(self.layout);
        let feeds: [&Places; N] = std::array::from_fn(|i| &self.feeds[i].places);
        let run = |_: &mut (), table: &Table, run: Run, at: &[u64; COUNTERS]| {
            let lines = feeds.map(|places| places.run(at, run));
            let places = of_cell.run(at, run);
            match &table.cells {
                Cells::U8(cells) => table.lines.run(cells, places, lines),
                Cells::U16(cells) => table.lines.run(cells, places, lines),
                Cells::U32(cells) => table.lines.run(cells, places, lines),
                Cells::Bits(..) | Cells::Pairs(..) => (0, Some(Narrow::Cells(1))),
            }
        };
        self.visit(table, TILE, threads, told, &|| (), &run)
    }

    fn fill_any(
        &self,
        table: &RwLock<Table>,
        guards: &(dyn Fn() -> Vec<Box<dyn Evaluate + 'a>> + Sync),
        rest: Option<&(dyn Fn() -> Box<dyn Evaluate + 'a> + Sync)>,
        threads: usize,
        told: &mut Told<'_>,
    ) -> Result<bool, Failed> {
        let n = self.layout.words().len();
        // Moves that are no rays may lead anywhere before a cell in this order, but not in that of squares.
        let tile = if rest.is_some() { u64::MAX } else { TILE };
        let make = || {
            let beside = Beside {
                guards: guards(),
                rest: rest.map(|rest| rest()),
                holds: SmallVec::new(),
            };
            assert!(beside.guards.len() >= self.guards, "all guards are given");
            beside
        };
        let run = |beside: &mut Beside<'a>, table: &Table, run: Run, at: &[u64; COUNTERS]| {
            let Beside {
                guards,
                rest,
                holds,
            } = beside;
            let mut at = *at;
            for done in 0..run.count {
                holds.clear();
                for guard in &mut *guards {
                    match guard.evaluate(&at[..n], &table.cells) {
                        Verdict::Value(value) => holds.push(value == 0),
                        _ => return (done, Some(Narrow::Failed(Failed::Unable))),
                    }
                }
                let rest = rest
                    .as_mut()
                    .map(|rest| &mut **rest as &mut (dyn Evaluate + 'a));
                if let Err(narrow) = self.cell(&at[..n], holds, rest, table) {
                    return (done, Some(narrow));
                }
                at[run.axis] += 1;
            }
            (run.count, None)
        };
        self.visit(table, tile, threads, told, &make, &run)
    }

    /// Visits all runs of cells along a counter, so that whatever can be taken from a position has been: those of an unordered
    /// pair once, if by halves. What is called says how many cells of a run it has done, and why not more. `false` if it was
    /// broken off.
    fn visit<W>(
        &self,
        table: &RwLock<Table>,
        tile: u64,
        threads: usize,
        told: &mut Told<'_>,
        make: &(dyn Fn() -> W + Sync),
        f: &(impl Fn(&mut W, &Table, Run, &[u64; COUNTERS]) -> (u64, Option<Narrow>) + Sync),
    ) -> Result<bool, Failed> {
        let to: Vec<u64> = self.layout.words().iter().map(|word| word.to).collect();
        let (sides, step) = match to[..] {
            [to] => ([0, to], [1, RUN]),
            [a, b] => ([a, b], [tile, tile]),
            [a, b, ..] if tile == u64::MAX => ([a, b], [tile, tile]),
            [a, b, ..] => ([a, b], [1, tile]),
            [] => return Ok(true),
        };
        let kind = match (self.halves, self.layout.unordered().is_empty()) {
            (true, _) => Kind::Half,
            (_, false) => Kind::Mirrored,
            _ => Kind::Whole,
        };
        let grid = Grid {
            to: sides,
            step,
            kind,
        };
        let work = |worker: &mut W, ticker: &mut Ticker<'_, '_>, band: u64, number: u64| {
            let (band, columns) = (grid.band(band), grid.tile(number));
            let mut before = 0;
            loop {
                let held = table.read().unwrap_or_else(PoisonError::into_inner);
                let (mut skip, mut narrow, mut stop) = (before, None, false);
                let _ = runs(
                    &to,
                    self.halves,
                    band.clone(),
                    columns.clone(),
                    tile,
                    &mut |at, run| {
                        if skip >= run.count {
                            skip -= run.count;
                            return ControlFlow::Continue(());
                        }
                        let mut at = *at;
                        at[run.axis] += skip;
                        let left = Run {
                            count: run.count - skip,
                            ..run
                        };
                        skip = 0;
                        let done;
                        (done, narrow) = f(worker, &held, left, &at);
                        before += done;
                        stop = ticker.tick(done).is_break();
                        if stop || narrow.is_some() {
                            ControlFlow::Break(())
                        } else {
                            ControlFlow::Continue(())
                        }
                    },
                );
                drop(held);
                let Some(narrow) = narrow.filter(|_| !stop) else {
                    let go = if stop {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    };
                    return Ok(go);
                };
                let mut table = table.write().unwrap_or_else(PoisonError::into_inner);
                table.widen(narrow, self.memory)?;
            }
        };
        bands::run(&grid, threads, TELL, told, make(), make, &work)
    }

    #[inline]
    fn cell(
        &self,
        at: &[u64],
        holds: &[bool],
        rest: Option<&mut (dyn Evaluate + 'a)>,
        table: &Table,
    ) -> Result<(), Narrow> {
        let Table { lines, cells } = table;
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
                lines.remove(key, value);
            }
            if let Some(value) = value.filter(|v| kept(self.mode, *v)) {
                // A cell that is begun once more puts in and takes out the same.
                lines.fits(value)?;
                lines.insert(&[key], value);
            }
        }
        let runs = self.layout.unordered();
        let canonical = self.halves || runs.iter().all(|run| at[run.clone()].is_sorted());
        let value = if canonical {
            let value = self.value(at, &keys, holds, rest, table)?;
            lines.fits(value)?;
            let place = self.layout.index(at).expect("it is a cell of the table");
            if !cells.put(place, value) {
                return Err(Narrow::Cells(cells.width()));
            }
            value
        } else {
            let none = [0; COUNTERS];
            behind(self.layout, at, &none[..at.len()], cells).expect("it is a cell of the table")
        };
        if kept(self.mode, value) {
            for (feed, &key) in self.feeds.iter().zip(&keys) {
                if matches!(feed.what, Source::Own) {
                    lines.insert(&[key], value);
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
        table: &Table,
    ) -> Result<u64, Narrow> {
        let Table { lines, cells } = table;
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
                _ => return Err(Narrow::Failed(Failed::Unable)),
            },
        };
        let mut any = !few.is_empty();
        let mut rows: SmallVec<[&[AtomicU64]; 8]> = SmallVec::new();
        for look in self.looks.iter().filter(|look| active(look.guard)) {
            any |= at.iter().zip(&look.from).all(|(x, f)| x >= f);
            rows.push(lines.row(keys[look.feed]));
        }
        if self.mode == Mode::Outcomes {
            let lost = |row: &&[AtomicU64]| row[lines.head].load(Relaxed) & 1 == 1;
            let next_wins = few.contains(&0) || rows.iter().any(lost);
            return Ok(u64::from(next_wins || (self.misere && !any)));
        }
        let mut word = 0;
        loop {
            let union;
            (word, union) = lines.hole(&rows, word);
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

/// Words of a set that is to hold so many, with some more so that it need not grow soon.
fn roomy(words: usize) -> usize {
    (words + words / 4 + 4) & !3
}

impl Table {
    /// Makes room, if another thread has not.
    #[cold]
    fn widen(&mut self, narrow: Narrow, memory: u64) -> Result<(), Failed> {
        // What is made wider is there twice until it is done.
        let (mut cells, mut sets) = (self.cells.bytes(), self.lines.bytes(self.lines.words));
        let within = |cells: u64, sets: u64| {
            if cells.saturating_add(sets) <= memory {
                return Ok(());
            }
            Err(Failed::Memory { cells, sets })
        };
        match narrow {
            Narrow::Lines(words) if words > self.lines.words => {
                let words = roomy(words);
                sets += self.lines.bytes(words);
                within(cells, sets)?;
                self.lines.widen(words);
            }
            Narrow::Cells(width) if width == self.cells.width() => {
                cells *= 3;
                within(cells, sets)?;
                self.cells = self.cells.wider().ok_or(Failed::Unable)?;
            }
            Narrow::Failed(failed) => return Err(failed),
            Narrow::Lines(_) | Narrow::Cells(_) => {}
        }
        Ok(())
    }
}

/// Whether a value is put into sets: of outcomes only those of P-positions are.
#[inline]
fn kept(mode: Mode, value: u64) -> bool {
    mode == Mode::Values || value == 0
}

impl Lines {
    #[inline]
    fn row(&self, line: usize) -> &[AtomicU64] {
        let length = self.head + self.words;
        &self.sets[line * length..][..length]
    }

    /// The first word, from one on, that is not full in the union of these rows, and it; behind all rows words are empty.
    #[inline(always)]
    fn hole(&self, rows: &[&[AtomicU64]], from: usize) -> (usize, u64) {
        let union = |i: usize| rows.iter().fold(0, |all, row| all | row[i].load(Relaxed));
        if rows.is_empty() {
            return (from, 0);
        }
        // Short sets have but one word of bits over their words.
        let low = if self.head > 2 {
            let low = rows.iter().map(|row| row[0].load(Relaxed)).max();
            low.unwrap_or(0) as usize
        } else {
            0
        };
        let mut block = from / 64;
        let mut skipped = (1 << (from % 64)) - 1;
        if low > block {
            (block, skipped) = (low, 0);
        }
        while block + 1 < self.head {
            let mut open = !(union(1 + block) | skipped);
            while open != 0 {
                let word = block * 64 + open.trailing_zeros() as usize;
                // The last word is open, so that from the first on there is always one.
                if from > 0 && word >= self.words {
                    return (word, 0);
                }
                let all = union(self.head + word);
                if all != u64::MAX {
                    return (word, all);
                }
                open &= open - 1;
            }
            (block, skipped) = (block + 1, 0);
        }
        (from.max(self.words), 0)
    }

    /// Whether a value can be put in and leave the last word unfilled.
    #[inline]
    fn fits(&self, value: u64) -> Result<(), Narrow> {
        let words = value as usize / 64 + 2;
        if words <= self.words {
            Ok(())
        } else {
            Err(Narrow::Lines(words))
        }
    }

    /// Puts a value that fits into sets.
    #[inline(always)]
    fn insert(&self, lines: &[usize], value: u64) {
        for &line in lines {
            self.insert_into(self.row(line), value);
        }
    }

    #[inline(always)]
    fn insert_into(&self, row: &[AtomicU64], value: u64) {
        let word = (value / 64) as usize;
        let set = &row[self.head + word];
        let more = set.load(Relaxed) | 1 << (value % 64);
        set.store(more, Relaxed);
        if more == u64::MAX {
            self.filled(row, word);
        }
    }

    /// Notes that a word is full.
    #[cold]
    fn filled(&self, row: &[AtomicU64], word: usize) {
        let full = &row[1 + word / 64];
        full.store(full.load(Relaxed) | 1 << (word % 64), Relaxed);
        if full.load(Relaxed) == u64::MAX && row[0].load(Relaxed) as usize == word / 64 {
            let full = row[1 + word / 64..self.head].iter();
            let run = full.take_while(|word| word.load(Relaxed) == u64::MAX);
            row[0].store(word as u64 / 64 + run.count() as u64, Relaxed);
        }
    }

    #[inline]
    fn remove(&self, line: usize, value: u64) {
        let (row, word) = (self.row(line), (value / 64) as usize);
        let set = &row[self.head + word];
        set.store(set.load(Relaxed) & !(1 << (value % 64)), Relaxed);
        let full = &row[1 + word / 64];
        full.store(full.load(Relaxed) & !(1 << (word % 64)), Relaxed);
        row[0].store(row[0].load(Relaxed).min(word as u64 / 64), Relaxed);
    }

    /// Bytes of all rows if sets have so many words.
    fn bytes(&self, words: usize) -> u64 {
        let length = 1 + words.div_ceil(64) + words;
        (self.count as u64).saturating_mul(8 * length as u64)
    }

    /// Makes sets so many words long.
    #[cold]
    fn widen(&mut self, words: usize) {
        let head = 1 + words.div_ceil(64);
        let length = head + words;
        let sets = vec![0u64; self.count * length];
        let sets: Vec<AtomicU64> = sets.into_iter().map(AtomicU64::new).collect();
        if !self.sets.is_empty() {
            let rows = self.sets.chunks_exact(self.head + self.words);
            for (old, new) in rows.zip(sets.chunks_exact(length)) {
                let copy = |old: &[AtomicU64], new: &[AtomicU64]| {
                    for (old, new) in old.iter().zip(new) {
                        new.store(old.load(Relaxed), Relaxed);
                    }
                };
                copy(&old[..self.head], &new[..self.head]);
                copy(&old[self.head..], &new[head..]);
            }
        }
        (self.sets, self.words, self.head) = (sets, words, head);
    }

    /// Computes a run of cells on N lines each. Says how many it has done, and why not all.
    #[inline]
    fn run<const N: usize, U: Unit>(
        &self,
        cells: &[U],
        (first, places): (usize, &[usize]),
        lines: [(usize, &[usize]); N],
    ) -> (u64, Option<Narrow>) {
        let lines = lines.map(|(first, more)| (first, &more[..places.len()]));
        for (i, place) in places.iter().enumerate() {
            let rows = lines.map(|(first, more)| self.row(first.wrapping_add(more[i])));
            let (word, union) = self.hole(&rows, 0);
            let value = word as u64 * 64 + u64::from(union.trailing_ones());
            if let Err(narrow) = self.fits(value) {
                return (i as u64, Some(narrow));
            }
            if !cells[first.wrapping_add(*place)].put(value) {
                return (i as u64, Some(Narrow::Cells(size_of::<U>() as u64)));
            }
            for row in rows {
                self.insert_into(row, value);
            }
        }
        (places.len() as u64, None)
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
    fn run(&self, at: &[u64; COUNTERS], run: Run) -> (usize, &[usize]) {
        let others = (0..self.0.len()).filter(|&i| i != run.axis);
        let sum = others.fold(0usize, |sum, i| sum.wrapping_add(self.0[i][at[i] as usize]));
        (
            sum,
            &self.0[run.axis][at[run.axis] as usize..][..run.count as usize],
        )
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
    layout.sort(left);
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

/// So many cells along a counter.
#[derive(Clone, Copy, Debug)]
struct Run {
    axis: usize,
    count: u64,
}

/// What visits runs, each from its first cell on.
type Visit<'v> = dyn FnMut(&[u64; COUNTERS], Run) -> ControlFlow<()> + 'v;

/// Visits the runs of a tile of a table with sides `0..=to`.
fn runs(
    to: &[u64],
    halves: bool,
    band: Range<u64>,
    tile: Range<u64>,
    side: u64,
    f: &mut Visit<'_>,
) -> ControlFlow<()> {
    let mut at = [0; COUNTERS];
    if halves {
        for b in band.start.max(tile.start)..band.end {
            (at[0], at[1]) = (tile.start, b);
            let count = tile.end.min(b + 1) - tile.start;
            f(&at, Run { axis: 0, count })?;
        }
        return ControlFlow::Continue(());
    }
    let mut sides: SmallVec<[Range<u64>; COUNTERS]> = to.iter().map(|&to| 0..to + 1).collect();
    match &mut sides[..] {
        [all] => *all = tile,
        [first, second, ..] => (*first, *second) = (band, tile),
        [] => {}
    }
    runs_of(&sides, side, &mut at, 0, f)
}

/// Visits the runs of a box: in order, but for squares over the last two counters.
fn runs_of(
    sides: &[Range<u64>],
    side: u64,
    at: &mut [u64; COUNTERS],
    depth: usize,
    f: &mut Visit<'_>,
) -> ControlFlow<()> {
    let cut = |range: &Range<u64>| {
        let range = range.clone();
        let step = usize::try_from(side).unwrap_or(usize::MAX);
        range
            .clone()
            .step_by(step)
            .map(move |x| x..x.saturating_add(side).min(range.end))
    };
    match &sides[depth..] {
        [columns] => {
            at[depth] = columns.start;
            let count = columns.end - columns.start;
            f(at, Run { axis: depth, count })
        }
        [rows, columns] => {
            for rows in cut(rows) {
                for columns in cut(columns) {
                    for row in rows.clone() {
                        (at[depth], at[depth + 1]) = (row, columns.start);
                        let count = columns.end - columns.start;
                        f(
                            at,
                            Run {
                                axis: depth + 1,
                                count,
                            },
                        )?;
                    }
                }
            }
            ControlFlow::Continue(())
        }
        [rows, ..] => {
            for row in rows.clone() {
                at[depth] = row;
                runs_of(sides, side, at, depth + 1, f)?;
            }
            ControlFlow::Continue(())
        }
        [] => ControlFlow::Continue(()),
    }
}

#[cfg(test)]
mod tests {
    use grundy_lang::ir::Shape;

    use super::*;

    #[test]
    fn what_is_too_narrow_is_made_wider_on_any_number_of_threads() {
        let pair = Shape::Unordered(2, Box::new(Shape::Int));
        let layout = Layout::new(&pair, &[400, 400]).unwrap();
        let ray = |step: [u64; 2], count| Ray {
            from: step.to_vec(),
            step: step.to_vec(),
            count,
            guard: None,
        };
        let wythoff = [ray([0, 1], None), ray([1, 0], None), ray([1, 1], None)];
        // The second is not filled by halves.
        let limited = [
            ray([0, 1], None),
            ray([1, 0], None),
            ray([1, 2], Some(300)),
            ray([2, 1], Some(300)),
        ];
        for game in [&wythoff[..], &limited] {
            let filled = |threads, narrow| {
                let mut rays = Rays::new(&layout, game, Mode::Values, false, 1 << 30).unwrap();
                if narrow {
                    rays.lines.sets.clear();
                    rays.lines.widen(2);
                    rays.moves = 1;
                }
                let told = &mut |_| ControlFlow::Continue(());
                let cells = rays.fill(&Vec::new, None, threads, told).unwrap();
                assert_eq!(cells.width(), 2);
                (0..layout.cells())
                    .map(|place| cells.get(place))
                    .collect::<Vec<_>>()
            };
            let wide = filled(1, false);
            assert!(wide.iter().max() > Some(&Some(400)));
            for threads in [1, 2, 3, 5] {
                assert!(filled(threads, true) == wide, "{threads} threads");
            }
        }
    }
}
