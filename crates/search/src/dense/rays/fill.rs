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
use crate::dense::{COUNTERS, Cells, Evaluate, Layout, Mode, Told, Verdict};

/// Side of the squares in which cells are visited.
const TILE: u64 = 32;
/// Cells between two looks at whether to go on.
const TELL: u64 = 1 << 14;

/// Why a table was not filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The caller broke off.
    Stopped,
    /// Its sets would take more memory than they may.
    Memory,
    /// A cell is not for this engine: a value past 32 bits, or a move that is no ray and leads to where nothing is known.
    Unable,
}

/// A way to fill a table.
pub struct Rays<'a> {
    layout: &'a Layout,
    mode: Mode,
    misere: bool,
    /// Whether only cells with their members in order are visited.
    halves: bool,
    lines: Vec<Lines>,
    looks: Vec<Look>,
    feeds: Vec<Feed>,
    points: Vec<Point>,
    guards: usize,
    /// Words of a set.
    words: usize,
    memory: u64,
}

/// The sets of all parallel rays.
#[derive(Clone, Debug)]
struct Lines {
    count: usize,
    sets: Vec<u64>,
    /// For each, the first word that is not full.
    low: Vec<u32>,
}

/// Which of some lines a cell is on: the sum of an entry for each counter.
#[derive(Clone, Debug)]
struct Places(Vec<Box<[usize]>>);

/// A ray whose values are options.
#[derive(Clone, Debug)]
struct Look {
    lines: usize,
    places: Places,
    guard: Option<usize>,
    from: Vec<u64>,
}

/// What is put into lines at a cell.
#[derive(Clone, Debug)]
struct Feed {
    lines: usize,
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
    ) -> Result<Rays<'a>, String> {
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
            lines: Vec::new(),
            looks: Vec::new(),
            feeds: Vec::new(),
            points: Vec::new(),
            guards: rays
                .iter()
                .filter_map(|ray| ray.guard)
                .max()
                .map_or(0, |g| g + 1),
            words: 4,
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
                return Err(format!(
                    "{count} moves along a ray whose values can come twice"
                ));
            }
            let (lines, places) = if halves && ray.step[0] != ray.step[1] {
                let lines = *heaps.get_or_insert_with(|| {
                    let feeds = [0, 1].map(|i| Feed {
                        lines: out.lines.len(),
                        places: Places::of_one(&to, i),
                        what: Source::Own,
                    });
                    out.feeds.extend(feeds);
                    out.lines.push(Lines::new(to[0] as usize + 1));
                    out.lines.len() - 1
                });
                // What is taken from one heap leaves the other.
                (lines, Places::of_one(&to, usize::from(ray.step[0] > 0)))
            } else {
                let (places, count) = Places::along(&to, &ray.step, halves)?;
                let what = match (plain(ray), ray.count) {
                    (true, _) => Source::Own,
                    (false, count) => Source::Behind(ray.from.clone(), count.map(&times)),
                };
                out.feeds.push(Feed {
                    lines: out.lines.len(),
                    places: places.clone(),
                    what,
                });
                out.lines.push(Lines::new(count));
                (out.lines.len() - 1, places)
            };
            out.looks.push(Look {
                lines,
                places,
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
        if !out.widen(guess.min(1 << 24) as usize) {
            return Err("its rays would take more memory than there may be".to_owned());
        }
        Ok(out)
    }

    /// Bytes that its sets take as they are.
    pub fn bytes(&self) -> u64 {
        self.lines
            .iter()
            .map(|lines| 8 * lines.sets.len() as u64)
            .sum()
    }

    /// Computes all cells. `guards` say for each guard whether it holds, by a value of 0; `rest` evaluates the moves that are
    /// no rays, by the rules of normal play.
    pub fn fill(
        &mut self,
        guards: &mut [Box<dyn Evaluate + 'a>],
        mut rest: Option<&mut (dyn Evaluate + 'a)>,
        told: &mut Told<'_>,
    ) -> Result<Cells, Failed> {
        assert!(guards.len() >= self.guards, "all guards are given");
        if self.misere && rest.is_some() {
            return Err(Failed::Unable);
        }
        let mut cells = Cells::unknown(self.layout.cells());
        let layout = self.layout;
        let n = layout.words().len();
        // Moves that are no rays may lead anywhere before a cell in this order, but not in that of squares.
        let tile = if rest.is_some() { u64::MAX } else { TILE };
        let halves = self.halves;
        let mut failed = None;
        let mut done = 0;
        let mut holds: SmallVec<[bool; 8]> = SmallVec::new();
        let mut visit = |at: &[u64; COUNTERS]| {
            let at = &at[..n];
            holds.clear();
            for guard in &mut *guards {
                match guard.evaluate(at, &cells) {
                    Verdict::Value(value) => holds.push(value == 0),
                    _ => {
                        failed = Some(Failed::Unable);
                        return ControlFlow::Break(());
                    }
                }
            }
            if let Err(why) = self.cell(at, &holds, rest.as_deref_mut(), &mut cells) {
                failed = Some(why);
                return ControlFlow::Break(());
            }
            done += 1;
            if done % TELL == 0 && told(done).is_break() {
                failed = Some(Failed::Stopped);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let to: Vec<u64> = layout.words().iter().map(|word| word.to).collect();
        let _ = if halves {
            visit_halves(to[0], tile, &mut visit)
        } else {
            visit_all(&to, tile, &mut [0; COUNTERS], 0, &mut visit)
        };
        match failed {
            Some(why) => Err(why),
            None => Ok(cells),
        }
    }

    #[inline]
    fn cell(
        &mut self,
        at: &[u64],
        holds: &[bool],
        rest: Option<&mut (dyn Evaluate + 'a)>,
        cells: &mut Cells,
    ) -> Result<(), Failed> {
        for i in 0..self.feeds.len() {
            let Source::Behind(from, end) = &self.feeds[i].what else {
                continue;
            };
            let value = behind(self.layout, at, from, cells);
            let ended = end
                .as_ref()
                .and_then(|end| behind(self.layout, at, end, cells));
            let (lines, line) = (self.feeds[i].lines, self.feeds[i].places.at(at));
            if let Some(value) = ended.filter(|v| self.kept(*v)) {
                self.lines[lines].remove(line, self.words, value);
            }
            if let Some(value) = value.filter(|v| self.kept(*v)) {
                self.insert(lines, line, value)?;
            }
        }
        let runs = self.layout.unordered();
        let canonical = self.halves || runs.iter().all(|run| at[run.clone()].is_sorted());
        let value = if canonical {
            let value = self.value(at, holds, rest, cells)?;
            let place = self.layout.index(at).expect("it is a cell of the table");
            while !cells.put(place, value) {
                *cells = cells.wider().ok_or(Failed::Unable)?;
            }
            value
        } else {
            let none = [0; COUNTERS];
            behind(self.layout, at, &none[..at.len()], cells).expect("it is a cell of the table")
        };
        if self.kept(value) {
            for i in 0..self.feeds.len() {
                if matches!(self.feeds[i].what, Source::Own) {
                    let line = self.feeds[i].places.at(at);
                    self.insert(self.feeds[i].lines, line, value)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a value is put into sets: of outcomes only those of P-positions are.
    #[inline]
    fn kept(&self, value: u64) -> bool {
        self.mode == Mode::Values || value == 0
    }

    /// The value of a cell.
    #[inline]
    fn value(
        &mut self,
        at: &[u64],
        holds: &[bool],
        rest: Option<&mut (dyn Evaluate + 'a)>,
        cells: &Cells,
    ) -> Result<u64, Failed> {
        let active = |guard: Option<usize>| guard.is_none_or(|guard| holds[guard]);
        let reaches = |from: &[u64]| at.iter().zip(from).all(|(x, f)| x >= f);
        let mut any = false;
        let mut few: SmallVec<[u64; 16]> = SmallVec::new();
        for point in &self.points {
            if active(point.guard)
                && let Some(value) = behind(self.layout, at, &point.taken, cells)
            {
                any = true;
                few.push(value);
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
        let words = self.words;
        let mut sets: SmallVec<[&[u64]; 8]> = SmallVec::new();
        let mut low = 0;
        for look in &self.looks {
            if active(look.guard) {
                any |= self.misere && reaches(&look.from);
                let line = look.places.at(at);
                let lines = &self.lines[look.lines];
                sets.push(&lines.sets[line * words..][..words]);
                low = low.max(lines.low[line]);
            }
        }
        if self.mode == Mode::Outcomes {
            let next_wins = few.contains(&0) || sets.iter().any(|set| set[0] & 1 == 1);
            return Ok(u64::from(next_wins || (self.misere && !any)));
        }
        let mut word = low as usize;
        loop {
            word = if sets.is_empty() {
                word
            } else {
                grundy_kernels::first_hole(&sets, word)
            };
            let mut free = !sets
                .iter()
                .filter_map(|set| set.get(word))
                .fold(0, |all, w| all | w);
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

    /// Puts a value into a set.
    #[inline]
    fn insert(&mut self, lines: usize, line: usize, value: u64) -> Result<(), Failed> {
        // The last word is never full, so that there is a mex.
        if value / 64 + 1 >= self.words as u64 && !self.widen(value as usize / 64 + 2) {
            return Err(Failed::Memory);
        }
        self.lines[lines].insert(line, self.words, value);
        Ok(())
    }

    /// Makes sets at least so many words long; `false` if they would take too much memory.
    #[cold]
    fn widen(&mut self, words: usize) -> bool {
        let words = (words + words / 4 + 4) & !3;
        let count: usize = self.lines.iter().map(|lines| lines.count).sum();
        let bytes = (count as u64).saturating_mul(8 * words as u64 + 4);
        if bytes > self.memory {
            return false;
        }
        for lines in &mut self.lines {
            let mut sets = vec![0; lines.count * words];
            if !lines.sets.is_empty() {
                let rows = lines.sets.chunks_exact(self.words);
                for (old, new) in rows.zip(sets.chunks_exact_mut(words)) {
                    new[..old.len()].copy_from_slice(old);
                }
            }
            lines.sets = sets;
        }
        self.words = words;
        true
    }
}

impl Lines {
    fn new(count: usize) -> Lines {
        Lines {
            count,
            sets: Vec::new(),
            low: vec![0; count],
        }
    }

    #[inline]
    fn insert(&mut self, line: usize, words: usize, value: u64) {
        let set = &mut self.sets[line * words..][..words];
        set[(value / 64) as usize] |= 1 << (value % 64);
        let low = &mut self.low[line];
        while set[*low as usize] == u64::MAX {
            *low += 1;
        }
    }

    #[inline]
    fn remove(&mut self, line: usize, words: usize, value: u64) {
        let word = value / 64;
        self.sets[line * words..][..words][word as usize] &= !(1 << (value % 64));
        self.low[line] = self.low[line].min(word as u32);
    }
}

impl Places {
    /// A line for each value of one counter.
    fn of_one(to: &[u64], counter: usize) -> Places {
        let entry = |i: usize, x: u64| if i == counter { x as usize } else { 0 };
        Places(
            to.iter()
                .enumerate()
                .map(|(i, &to)| (0..=to).map(|x| entry(i, x)).collect())
                .collect(),
        )
    }

    /// The lines in a direction, and how many they are. Counted from where a line enters the table by its first counter that
    /// changes; with `halves`, from where its first counter is least.
    fn along(to: &[u64], step: &[u64], halves: bool) -> Result<(Places, usize), String> {
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
            let mut sum = ((x % stride) * factors[i]) as usize;
            for j in (0..to.len()).filter(|&j| j != first) {
                let behind = back(j).wrapping_sub(step[j].wrapping_mul(x / stride));
                sum = sum.wrapping_add(behind.wrapping_mul(factors[j]) as usize);
            }
            sum
        };
        let places = to
            .iter()
            .enumerate()
            .map(|(i, &to)| (0..=to).map(|x| entry(i, x)).collect());
        Ok((Places(places.collect()), count as usize))
    }

    #[inline]
    fn at(&self, at: &[u64]) -> usize {
        self.0.iter().zip(at).fold(0usize, |sum, (entries, &x)| {
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
        run.clone().skip(1).all(|i| {
            let mut other = ray.clone();
            other.from.swap(i - 1, i);
            other.step.swap(i - 1, i);
            rays.contains(&other)
        })
    })
}

/// Visits the cells of an unordered pair.
fn visit_halves(
    to: u64,
    tile: u64,
    f: &mut dyn FnMut(&[u64; COUNTERS]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut at = [0; COUNTERS];
    let mut larger = 0;
    while larger <= to {
        let last = larger.saturating_add(tile - 1).min(to);
        let mut smaller = 0;
        while smaller <= last {
            let end = smaller.saturating_add(tile - 1);
            for b in larger.max(smaller)..=last {
                at[1] = b;
                for a in smaller..=end.min(b) {
                    at[0] = a;
                    f(&at)?;
                }
            }
            smaller = end.saturating_add(1);
        }
        larger = last + 1;
    }
    ControlFlow::Continue(())
}

/// Visits all cells: in order, but for squares over the last two counters.
fn visit_all(
    to: &[u64],
    tile: u64,
    at: &mut [u64; COUNTERS],
    depth: usize,
    f: &mut dyn FnMut(&[u64; COUNTERS]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if depth + 2 == to.len() {
        let (rows, columns) = (to[depth], to[depth + 1]);
        let mut row = 0;
        while row <= rows {
            let last = row.saturating_add(tile - 1).min(rows);
            let mut column = 0;
            while column <= columns {
                let end = column.saturating_add(tile - 1).min(columns);
                for a in row..=last {
                    at[depth] = a;
                    for b in column..=end {
                        at[depth + 1] = b;
                        f(at)?;
                    }
                }
                column = end + 1;
            }
            row = last + 1;
        }
        return ControlFlow::Continue(());
    }
    for x in 0..=to[depth] {
        at[depth] = x;
        if depth + 1 == to.len() {
            f(at)?;
        } else {
            visit_all(to, tile, at, depth + 1, f)?;
        }
    }
    ControlFlow::Continue(())
}
