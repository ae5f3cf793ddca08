//! Forward computation of a game on one counter and a finite control, and the repeat of its window.
//!
//! For a counter C ≥ B the options of (C, q) are (C − k, q′) for a finite list of (k, q′) that depends on q and on C mod m
//! only; those with k > C are none. So the outcomes (or values) at C are a function of the last W rows, W the largest k, and
//! of C mod m. That state has finitely many values, hence it repeats, and from a repeat on everything does: the repeat is
//! the proof. It is found by Brent's method: the state now is compared with a checkpoint that moves up at powers of two.
//!
//! Outcomes are bits, 1 for a P-position, one word of 64 counters for each control. A step costs one AND for each pair of
//! controls and each 64 amounts. If every control leads to one control and these form a ring of c (seats), then c counters
//! are made at a time: what control i is at a counter depends on control i + 1 at smaller counters only, so going round the
//! ring once against its sense each control can be known one counter further than the one before it, and the last is known
//! c counters further than at the start. These c bits of a control are one dilation of a word by its amounts.
//! Memory: one bit a counter and control. Values: 2 bytes a counter and control, one pass over the options a step.

use grundy_core::{Budget, Int, MexSet};

/// What can be done at a counter with one control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// Play has ended here; whether the player who moved here has won.
    Ended(bool),
    /// Options: what is left of the counter (below B) or what is taken from it (from B on), and the next control.
    Options(Vec<(u32, u32)>),
}

/// Rules as a finite table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// The number of controls.
    pub controls: usize,
    /// Options depend on the counter modulo this.
    pub modulus: usize,
    /// B: counters below this have their own options.
    pub below: usize,
    /// For counters below B: one node a counter and control.
    pub base: Vec<Node>,
    /// From B on: one node a residue and control.
    pub large: Vec<Node>,
    /// Who cannot move wins.
    pub misere: bool,
}

/// From `start` on the state repeats with this period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cycle {
    pub start: usize,
    pub period: usize,
}

/// Why a computation stopped short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// No repeat within this many counters, and the counter asked is past them; whether memory is what set the bound.
    Limit(usize, bool),
    /// The user asked for it.
    Interrupted,
}

/// A window of more rows than this is compared with the checkpoint's by a hash first.
const LONG: usize = 128;

/// A polynomial hash of the last W rows, modulo 2^61 − 1. Where it is not that of the checkpoint the windows differ; where
/// it is they are compared. Without it rows with a short period inside a long window would be compared over and over.
#[derive(Debug)]
struct Rolling {
    now: u64,
    checkpoint: u64,
    /// The base to the power W.
    out: u64,
}

impl Rolling {
    const P: u64 = (1 << 61) - 1;
    const BASE: u64 = 0x0F3C_5A96_7B21_D4E3;

    /// With no rows yet.
    fn new(width: usize) -> Self {
        let (mut out, mut power, mut left) = (1, Self::BASE, width);
        while left > 0 {
            if left % 2 == 1 {
                out = Self::times(out, power);
            }
            power = Self::times(power, power);
            left /= 2;
        }
        Rolling {
            now: 0,
            checkpoint: 0,
            out,
        }
    }

    fn times(a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let sum = (product as u64 & Self::P) + (product >> 61) as u64;
        if sum >= Self::P { sum - Self::P } else { sum }
    }

    /// What a row is worth: its entries, each by its place.
    fn row(entries: impl Iterator<Item = u64>) -> u64 {
        entries.fold(0, |sum, entry| Self::times(sum, Self::BASE ^ 0x55) + entry) % Self::P
    }

    /// A row comes in and another, or nothing, goes out.
    fn push(&mut self, row: u64, gone: u64) {
        let kept = Self::times(self.now, Self::BASE) + Self::P - Self::times(gone, self.out);
        self.now = (kept + row) % Self::P;
    }

    fn matches(&self) -> bool {
        self.now == self.checkpoint
    }
}

/// At most this many steps of a control are made in search of a repeat.
const WORK: usize = 1 << 30;

impl Table {
    /// The largest amount taken from a large counter.
    pub fn reach(&self) -> usize {
        self.amounts().max().unwrap_or(0)
    }

    fn amounts(&self) -> impl Iterator<Item = usize> {
        self.large
            .iter()
            .flat_map(|node| match node {
                Node::Options(options) => options.as_slice(),
                Node::Ended(_) => &[],
            })
            .map(|&(k, _)| k as usize)
    }

    /// Where the uniform part begins: past B, and past counters so small that no amount can be taken from them.
    fn uniform_from(&self) -> usize {
        let least = |node: &Node| match node {
            Node::Options(options) => options.iter().map(|&(k, _)| k as usize).min().unwrap_or(0),
            Node::Ended(_) => 0,
        };
        self.below
            .max(self.large.iter().map(least).max().unwrap_or(0))
    }

    /// The end of play here, or every option as (counter, control).
    pub fn node(
        &self,
        counter: usize,
        control: usize,
    ) -> (Option<bool>, impl Iterator<Item = (usize, usize)>) {
        let small = counter < self.below;
        let node = if small {
            &self.base[counter * self.controls + control]
        } else {
            &self.large[counter % self.modulus * self.controls + control]
        };
        let (end, options) = match node {
            Node::Ended(win) => (Some(*win), &[][..]),
            Node::Options(options) => (None, options.as_slice()),
        };
        let left = options.iter().filter_map(move |&(k, q)| {
            let c = if small {
                k as usize
            } else {
                counter.checked_sub(k as usize)?
            };
            Some((c, q as usize))
        });
        (end, left)
    }

    /// Work for a step, in units of a nanosecond or so.
    /// After how many rows it is asked whether to stop.
    fn rows_between_looks(&self) -> usize {
        ((1 << 20) / self.step_cost()).clamp(1, 4096)
    }

    fn step_cost(&self) -> usize {
        self.amounts()
            .count()
            .div_ceil(self.modulus)
            .max(self.controls)
    }
}

/// Who wins where: bit `t % 64` of `words[t / 64 * controls + q]` is 1 if (t, q) is a P-position.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    words: Vec<u64>,
    len: usize,
    controls: usize,
    /// Brent's checkpoint and the next length at which it moves.
    checkpoint: usize,
    next_checkpoint: usize,
    cycle: Option<Cycle>,
    kernel: Option<Kernel>,
    rolling: Option<Rolling>,
}

/// The uniform part of a table in the form in which it is run.
#[derive(Debug)]
enum Kernel {
    /// Controls in the order of the ring, what each does, and the largest amount.
    Ring {
        order: Vec<usize>,
        seats: Vec<Seat>,
        reach: usize,
    },
    /// For each residue and control what to do.
    Any {
        steps: Vec<Step>,
        edges: Vec<Edge>,
        words: usize,
    },
}

/// The amounts of one control of a ring as intervals.
type Seat = Vec<Interval>;

/// Amounts first + 1 … first + 1 + Σ steps; the steps are such that shifting and joining by each in turn covers them all.
#[derive(Clone, Copy, Debug)]
struct Interval {
    first: u32,
    steps: [u32; 6],
}

impl Interval {
    fn new(least: u32, most: u32) -> Self {
        let (mut covered, mut steps) = (1, [0; 6]);
        for step in &mut steps {
            *step = covered.min(most - least + 1 - covered);
            covered += *step;
        }
        Interval {
            first: least - 1,
            steps,
        }
    }

    /// Bit j of the result is set if an amount leads from there to a set bit, bit j − k + 1 for the amount k.
    #[inline]
    fn dilate<const R: usize>(&self, word: u64) -> u64 {
        let start = word << self.first;
        self.steps[..R].iter().fold(start, |w, &step| w | w << step)
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// The outcome does not depend on anything.
    Fixed(bool),
    /// P if none of the edges in this range finds a P-position.
    Edges(usize, usize),
}

/// Amounts k = 64·word + 1 … 64·word + 64 from which the control goes to `to`, as bits: bit 63 is the least.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: usize,
    word: usize,
    mask: u64,
}

impl Kernel {
    fn new(table: &Table) -> Kernel {
        if let Some(ring) = Kernel::ring(table) {
            return ring;
        }
        let mut edges: Vec<Edge> = Vec::new();
        let steps = table.large.iter().map(|node| match node {
            Node::Ended(win) => Step::Fixed(*win),
            Node::Options(options) if options.is_empty() => Step::Fixed(!table.misere),
            Node::Options(options) => {
                let first = edges.len();
                for &(k, q) in options {
                    let (word, bit) = ((k as usize - 1) / 64, 63 - (k as usize - 1) % 64);
                    match edges[first..]
                        .iter_mut()
                        .find(|e| e.to == q as usize && e.word == word)
                    {
                        Some(edge) => edge.mask |= 1 << bit,
                        None => edges.push(Edge {
                            to: q as usize,
                            word,
                            mask: 1 << bit,
                        }),
                    }
                }
                Step::Edges(first, edges.len())
            }
        });
        let steps = steps.collect();
        Kernel::Any {
            steps,
            edges,
            words: table.reach().div_ceil(64).max(1),
        }
    }

    /// Every control leads to one other, and following them from the first visits all.
    fn ring(table: &Table) -> Option<Kernel> {
        let reach = table.reach();
        // A short ring gains little, and the new bits of a control and those looked at must fit in a word.
        if table.modulus != 1 || table.controls < 4 || table.controls + reach > 64 {
            return None;
        }
        let (mut order, mut seats) = (
            Vec::with_capacity(table.controls),
            Vec::with_capacity(table.controls),
        );
        let mut at = 0;
        for _ in 0..table.controls {
            let Node::Options(options) = &table.large[at] else {
                return None;
            };
            let (_, next) = *options.first()?;
            if options.iter().any(|&(_, q)| q != next) {
                return None;
            }
            let mut amounts = options.iter().fold(0u64, |m, &(k, _)| m | 1 << k);
            let mut seat = Seat::new();
            while amounts != 0 {
                let least = amounts.trailing_zeros();
                let length = (amounts >> least).trailing_ones();
                seat.push(Interval::new(least, least + length - 1));
                amounts &= u64::MAX.checked_shl(least + length).unwrap_or(0);
            }
            order.push(at);
            seats.push(seat);
            at = next as usize;
            if at == 0 && order.len() < table.controls {
                return None;
            }
        }
        (at == 0).then_some(Kernel::Ring {
            order,
            seats,
            reach,
        })
    }
}

impl Outcomes {
    /// Whether (counter, control) is a P-position.
    pub fn is_p(
        &mut self,
        table: &Table,
        counter: &Int,
        control: usize,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        self.reach(table, counter, budget)?;
        let at = reduce(counter, self.len, self.cycle)
            .expect("computed up to the counter or past the repeat");
        Ok(self.get(at, control))
    }

    /// The repeat, if it has been found.
    pub fn cycle(&self) -> Option<Cycle> {
        self.cycle
    }

    /// The outcomes from this counter on repeat with the period of the state; the least such counter.
    pub fn preperiod(&self, cycle: Cycle) -> usize {
        let same =
            |t: usize| (0..self.controls).all(|q| self.get(t, q) == self.get(t + cycle.period, q));
        (0..cycle.start)
            .rev()
            .find(|&t| !same(t))
            .map_or(0, |t| t + 1)
    }

    fn get(&self, t: usize, q: usize) -> bool {
        self.words[t / 64 * self.controls + q] >> (t % 64) & 1 == 1
    }

    fn hashed(&self, t: usize) -> u64 {
        Rolling::row((0..self.controls).map(|q| u64::from(self.get(t, q))))
    }

    fn set(&mut self, t: usize, q: usize) {
        self.words[t / 64 * self.controls + q] |= 1 << (t % 64);
    }

    /// The outcomes of the 64 counters before `t`, the last in the highest bit; below 0 there is no P-position.
    fn before(&self, t: usize, q: usize) -> u64 {
        let (block, bit) = (t / 64, t % 64);
        let word = |b: usize| self.words.get(b * self.controls + q).copied().unwrap_or(0);
        let low = if block == 0 { 0 } else { word(block - 1) };
        if bit == 0 {
            low
        } else {
            low >> bit | word(block) << (64 - bit)
        }
    }

    /// Makes room for the rows up to `len`, not included.
    fn room(&mut self, len: usize) {
        let words = len.div_ceil(64) * self.controls;
        if words > self.words.len() {
            self.words.resize(words.next_multiple_of(self.controls), 0);
        }
    }

    /// Computes up to the counter, or to a repeat.
    pub fn reach(&mut self, table: &Table, counter: &Int, budget: &Budget) -> Result<(), Stop> {
        let target = counter
            .to_usize()
            .and_then(|c| c.checked_add(1))
            .unwrap_or(usize::MAX);
        if self.len >= target || self.cycle.is_some() {
            return Ok(());
        }
        self.controls = table.controls;
        let memory = usize::try_from(budget.memory()).unwrap_or(usize::MAX);
        let room = memory.saturating_mul(4) / table.controls;
        let limit = (WORK / table.step_cost()).min(room);
        let from = table.uniform_from();
        let every = table.rows_between_looks();
        while self.len < from.min(target) {
            let t = self.len;
            if t.is_multiple_of(every) && budget.stopped() {
                return Err(Stop::Interrupted);
            }
            self.room(t + 1);
            for q in 0..table.controls {
                let (end, options) = table.node(t, q);
                let mut any = false;
                let p = end.unwrap_or_else(|| {
                    let won = { options }.any(|(c, q)| {
                        any = true;
                        self.get(c, q)
                    });
                    if any { !won } else { !table.misere }
                });
                if p {
                    self.set(t, q);
                }
            }
            self.len += 1;
        }
        if self.len < from {
            return Ok(());
        }
        if self.next_checkpoint == 0 {
            (self.checkpoint, self.next_checkpoint) = (self.len, self.len + 1);
        }
        let kernel = self.kernel.take().unwrap_or_else(|| Kernel::new(table));
        if let Kernel::Any { words, .. } = &kernel
            && 64 * words > LONG
            && self.rolling.is_none()
        {
            let mut rolling = Rolling::new(64 * words);
            for t in self.len.saturating_sub(64 * words)..self.len {
                rolling.push(self.hashed(t), 0);
            }
            rolling.checkpoint = rolling.now;
            self.rolling = Some(rolling);
        }
        let end = target.min(limit);
        // Rows are made in stretches, so that a stop is heeded and memory grows as it is needed.
        while self.len < end && self.cycle.is_none() && !budget.stopped() {
            let upto = end.min(self.len + every).min(self.next_checkpoint);
            self.room(upto);
            match &kernel {
                Kernel::Ring {
                    order,
                    seats,
                    reach,
                } if *reach <= 16 => self.run_ring::<4>(order, seats, *reach, upto),
                Kernel::Ring {
                    order,
                    seats,
                    reach,
                } => self.run_ring::<6>(order, seats, *reach, upto),
                Kernel::Any {
                    steps,
                    edges,
                    words,
                } => self.run_any(table.modulus, steps, edges, *words, upto),
            }
            if self.len >= self.next_checkpoint && self.cycle.is_none() {
                self.checkpoint = self.len;
                self.next_checkpoint = from + 2 * (self.len - from).max(1);
                if let Some(rolling) = &mut self.rolling {
                    rolling.checkpoint = rolling.now;
                }
            }
        }
        self.kernel = Some(kernel);
        if self.len >= target || self.cycle.is_some() {
            Ok(())
        } else if budget.stopped() {
            Err(Stop::Interrupted)
        } else {
            Err(Stop::Limit(self.len, limit == room))
        }
    }

    /// Goes round the ring until the rows up to `upto` are known, or perhaps a few more.
    fn run_ring<const R: usize>(
        &mut self,
        order: &[usize],
        seats: &[Seat],
        reach: usize,
        upto: usize,
    ) {
        let c = order.len();
        self.room(upto + 2 * c);
        let mut last: Vec<u64> = order.iter().map(|&q| self.before(self.len, q)).collect();
        let spare = 64 - reach;
        let goal = self.before(self.checkpoint, order[c - 1]) >> spare;
        // Every control is known up to `self.len`; in the first round control i becomes known c − 1 − i counters further.
        let mut first = true;
        while self.len < upto {
            let mut next = last[0];
            for i in (0..c).rev() {
                let count = if first { c - 1 - i } else { c };
                if count > 0 {
                    let from = if first {
                        self.len
                    } else {
                        self.len + c - 1 - i
                    };
                    let won = seats[i]
                        .iter()
                        .fold(0, |w, interval| w | interval.dilate::<R>(next));
                    let new = !won >> (64 - count);
                    last[i] = last[i] >> count | new << (64 - count);
                    let at = from / 64 * c + order[i];
                    self.words[at] |= new << (from % 64);
                    if from % 64 + count > 64 {
                        self.words[at + c] |= new >> (64 - from % 64);
                    }
                }
                next = last[i];
            }
            if first {
                first = false;
                continue;
            }
            let from = self.len;
            // The last control shows where the state may be that of the checkpoint.
            for t in from + 1..=from + c {
                if last[c - 1] << (from + c - t) >> spare == goal {
                    let same = |&q: &usize| {
                        (self.before(t, q) ^ self.before(self.checkpoint, q)) >> spare == 0
                    };
                    if order.iter().all(same) {
                        self.len = t;
                        let start = self.checkpoint;
                        self.cycle = Some(Cycle {
                            start,
                            period: t - start,
                        });
                        return;
                    }
                }
            }
            self.len = from + c;
        }
    }

    fn run_any(
        &mut self,
        modulus: usize,
        steps: &[Step],
        edges: &[Edge],
        words: usize,
        upto: usize,
    ) {
        let controls = self.controls;
        let mut last: Vec<u64> = (0..controls).map(|q| self.before(self.len, q)).collect();
        let goal: Vec<u64> = (0..controls)
            .map(|q| self.before(self.checkpoint, q))
            .collect();
        let mut p = vec![false; controls];
        while self.len < upto {
            let t = self.len;
            for (q, p) in p.iter_mut().enumerate() {
                *p = match steps[t % modulus * controls + q] {
                    Step::Fixed(p) => p,
                    Step::Edges(first, end) => edges[first..end].iter().all(|e| {
                        let seen = match e.word {
                            0 => last[e.to],
                            w if 64 * w <= t => self.before(t - 64 * w, e.to),
                            _ => 0,
                        };
                        seen & e.mask == 0
                    }),
                };
            }
            for (q, &p) in p.iter().enumerate() {
                last[q] = last[q] >> 1 | u64::from(p) << 63;
                if p {
                    self.set(t, q);
                }
            }
            self.len = t + 1;
            let mut may_repeat = last == goal;
            if let Some(mut rolling) = self.rolling.take() {
                let gone = t.checked_sub(64 * words).map_or(0, |s| self.hashed(s));
                rolling.push(self.hashed(t), gone);
                may_repeat &= rolling.matches();
                self.rolling = Some(rolling);
            }
            let (now, then) = (self.len, self.checkpoint);
            if may_repeat
                && (now - then).is_multiple_of(modulus)
                && (1..words).all(|w| {
                    let deep = |t: usize, q| {
                        if 64 * w <= t {
                            self.before(t - 64 * w, q)
                        } else {
                            0
                        }
                    };
                    (0..controls).all(|q| deep(now, q) == deep(then, q))
                })
            {
                self.cycle = Some(Cycle {
                    start: then,
                    period: now - then,
                });
                return;
            }
        }
    }
}

/// Where in the table the answer for this counter stands.
pub(super) fn reduce(counter: &Int, len: usize, cycle: Option<Cycle>) -> Option<usize> {
    if let Some(c) = counter.to_usize()
        && c < len
    {
        return Some(c);
    }
    let cycle = cycle?;
    let past = counter - &Int::from(cycle.start);
    let phase = past.mod_floor(&Int::from(cycle.period))?.to_usize()?;
    Some(cycle.start + phase)
}

/// Grundy values, row by row: that of (t, q) at `t * controls + q`.
#[derive(Debug, Default)]
pub(super) struct Values {
    rows: Vec<u16>,
    controls: usize,
    checkpoint: usize,
    next_checkpoint: usize,
    cycle: Option<Cycle>,
    rolling: Option<Rolling>,
}

impl Values {
    fn hashed(&self, t: usize) -> u64 {
        let row = &self.rows[t * self.controls..(t + 1) * self.controls];
        Rolling::row(row.iter().map(|&v| u64::from(v)))
    }

    fn len(&self) -> usize {
        self.rows.len().checked_div(self.controls).unwrap_or(0)
    }

    /// The Grundy value of (counter, control), in normal play without ends.
    pub fn value(
        &mut self,
        table: &Table,
        counter: &Int,
        control: usize,
        budget: &Budget,
    ) -> Result<u16, Stop> {
        self.reach(table, counter, budget)?;
        let at = reduce(counter, self.len(), self.cycle)
            .expect("computed up to the counter or past the repeat");
        Ok(self.rows[at * self.controls + control])
    }

    /// The repeat, if it has been found.
    pub fn cycle(&self) -> Option<Cycle> {
        self.cycle
    }

    /// The values from this counter on repeat with the period of the state; the least such counter.
    pub fn preperiod(&self, cycle: Cycle) -> usize {
        let row = |t: usize| &self.rows[t * self.controls..(t + 1) * self.controls];
        (0..cycle.start)
            .rev()
            .find(|&t| row(t) != row(t + cycle.period))
            .map_or(0, |t| t + 1)
    }

    /// Computes up to the counter, or to a repeat.
    pub fn reach(&mut self, table: &Table, counter: &Int, budget: &Budget) -> Result<(), Stop> {
        let target = counter
            .to_usize()
            .and_then(|c| c.checked_add(1))
            .unwrap_or(usize::MAX);
        let controls = table.controls;
        self.controls = controls;
        let memory = usize::try_from(budget.memory()).unwrap_or(usize::MAX);
        let room = memory / 4 / controls;
        let limit = (WORK / table.step_cost() / 2).min(room);
        let every = table.rows_between_looks();
        let (from, reach) = (table.uniform_from(), table.reach());
        let mut seen = MexSet::default();
        let mut t = self.len();
        while t < target && self.cycle.is_none() {
            if t >= limit {
                return Err(Stop::Limit(t, limit == room));
            }
            if t.is_multiple_of(every) && budget.stopped() {
                return Err(Stop::Interrupted);
            }
            for q in 0..controls {
                seen.clear();
                for (c, q) in table.node(t, q).1 {
                    seen.insert(u64::from(self.rows[c * controls + q]));
                }
                // At most the number of options, of which there are some thousand.
                self.rows.push(seen.mex() as u16);
            }
            t += 1;
            if t < from {
                continue;
            }
            if reach > LONG {
                let rolling = match self.rolling.take() {
                    Some(mut rolling) => {
                        let gone = (t - 1).checked_sub(reach).map_or(0, |s| self.hashed(s));
                        rolling.push(self.hashed(t - 1), gone);
                        rolling
                    }
                    None => {
                        let mut rolling = Rolling::new(reach);
                        for s in t.saturating_sub(reach)..t {
                            rolling.push(self.hashed(s), 0);
                        }
                        rolling
                    }
                };
                self.rolling = Some(rolling);
            }
            // The window of the checkpoint starts at the same row as that of `t`, or both below 0, where there is nothing.
            if self.next_checkpoint == 0 || t == self.next_checkpoint {
                self.checkpoint = t;
                self.next_checkpoint = from + 2 * (t - from).max(1);
                if let Some(rolling) = &mut self.rolling {
                    rolling.checkpoint = rolling.now;
                }
                continue;
            }
            let then = self.checkpoint;
            let width = reach.min(then);
            let window = |t: usize| &self.rows[(t - width) * controls..t * controls];
            // A window cut off at 0 is smaller than the reach, so only a whole one proves a repeat.
            if width == reach
                && self.rolling.as_ref().is_none_or(Rolling::matches)
                && (t - then).is_multiple_of(table.modulus)
                && window(t) == window(then)
            {
                self.cycle = Some(Cycle {
                    start: then,
                    period: t - then,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(list: &[(u32, u32)]) -> Node {
        Node::Options(list.to_vec())
    }

    fn team(limits: &[u32]) -> Table {
        let seats = limits.len();
        let seat = |i: usize| {
            Node::Options(
                (1..=limits[i])
                    .map(|k| (k, ((i + 1) % seats) as u32))
                    .collect(),
            )
        };
        Table {
            controls: seats,
            modulus: 1,
            below: 0,
            base: Vec::new(),
            large: (0..seats).map(seat).collect(),
            misere: true,
        }
    }

    /// By the definition, row by row, nothing packed.
    fn plain(table: &Table, rows: usize) -> Vec<Vec<bool>> {
        let mut all: Vec<Vec<bool>> = Vec::new();
        for t in 0..rows {
            let row = (0..table.controls).map(|q| {
                let (end, left) = table.node(t, q);
                let left: Vec<_> = left.collect();
                end.unwrap_or(match left.is_empty() {
                    true => !table.misere,
                    false => left.iter().all(|&(c, q)| !all[c][q]),
                })
            });
            let row = row.collect();
            all.push(row);
        }
        all
    }

    struct Random(u64);
    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 33) % n
        }
    }

    fn random_table(random: &mut Random) -> Table {
        let controls = 1 + random.below(4) as usize;
        let modulus = if random.below(3) == 0 {
            1 + random.below(3) as usize
        } else {
            1
        };
        let below = random.below(6) as usize;
        let reach = [4, 10, 70, 140][random.below(4) as usize];
        let large: Vec<Node> = (0..modulus * controls)
            .map(|_| match random.below(12) {
                0 => Node::Ended(random.below(2) == 0),
                _ => {
                    let mut list: Vec<_> = (0..random.below(5))
                        .map(|_| {
                            (
                                1 + random.below(reach) as u32,
                                random.below(controls as u64) as u32,
                            )
                        })
                        .collect();
                    list.sort_unstable();
                    list.dedup();
                    Node::Options(list)
                }
            })
            .collect();
        let base = (0..below * controls)
            .map(|i| {
                let t = (i / controls) as u64;
                let list = (0..random.below(3).min(t))
                    .map(|_| (random.below(t) as u32, random.below(controls as u64) as u32));
                Node::Options(list.collect())
            })
            .collect();
        Table {
            controls,
            modulus,
            below,
            base,
            large,
            misere: random.below(2) == 0,
        }
    }

    fn check(table: &Table, upto: usize) {
        let slow = plain(table, upto);
        let budget = Budget::default();
        // Asked in one go, and asked in an order that stops the kernel everywhere.
        let mut fast = Outcomes::default();
        fast.reach(table, &Int::from(upto), &budget).unwrap();
        let mut stepwise = Outcomes::default();
        for (t, row) in slow.iter().enumerate() {
            for (q, &p) in row.iter().enumerate() {
                assert_eq!(
                    fast.is_p(table, &Int::from(t), q, &budget),
                    Ok(p),
                    "{table:?} at {t}, {q}"
                );
                assert_eq!(
                    stepwise.is_p(table, &Int::from(t), q, &budget),
                    Ok(p),
                    "{table:?} at {t}, {q}"
                );
            }
        }
    }

    #[test]
    fn random_tables_agree_with_the_definition() {
        let mut random = Random(5);
        for _ in 0..2000 {
            check(&random_table(&mut random), 700);
        }
    }

    #[test]
    fn random_teams_agree_with_the_definition() {
        let mut random = Random(6);
        for round in 0..400 {
            let seats = 2 * (1 + random.below(10)) as usize;
            let most = if round % 4 == 0 { 40 } else { 16 };
            let limits: Vec<u32> = (0..seats).map(|_| 1 + random.below(most) as u32).collect();
            check(&team(&limits), 1500);
        }
        let long: Vec<u32> = (0..70).map(|i| 1 + i % 5).collect();
        check(&team(&long), 1500);
    }

    #[test]
    fn a_team_of_two_and_three_repeats_with_period_seven() {
        let table = team(&[2, 3, 3, 2]);
        let mut all = Outcomes::default();
        all.reach(
            &table,
            &"1000000000000000000000".parse().unwrap(),
            &Budget::default(),
        )
        .unwrap();
        let cycle = all.cycle().unwrap();
        assert_eq!(cycle.period, 7);
        assert_eq!(all.preperiod(cycle), 4);
    }

    /// Windows that differ only far down, over and over: comparing them all would take the square of their length.
    #[test]
    fn a_long_window_with_a_short_period_in_it() {
        let far = 1 << 20;
        let table = Table {
            controls: 1,
            modulus: 1,
            below: 0,
            base: Vec::new(),
            large: vec![options(&[(1, 0), (far, 0)])],
            misere: false,
        };
        let huge: Int = "1".repeat(100).parse().unwrap();
        let (mut outcomes, mut values) = (Outcomes::default(), Values::default());
        outcomes.reach(&table, &huge, &Budget::default()).unwrap();
        values.reach(&table, &huge, &Budget::default()).unwrap();
        for cycle in [outcomes.cycle().unwrap(), values.cycle().unwrap()] {
            assert_eq!(cycle.period, far as usize + 1);
        }
    }

    #[test]
    fn values_of_subtraction_sets() {
        for (set, period) in [
            (&[1u32, 2, 3][..], 4),
            (&[2, 5, 7], 22),
            (&[1, 3, 4], 7),
            (&[2, 4, 7], 3),
        ] {
            let table = Table {
                controls: 1,
                modulus: 1,
                below: 0,
                base: Vec::new(),
                large: vec![options(&set.iter().map(|&k| (k, 0)).collect::<Vec<_>>())],
                misere: false,
            };
            let mut values = Values::default();
            let huge: Int = "1".repeat(1000).parse().unwrap();
            values.reach(&table, &huge, &Budget::default()).unwrap();
            let cycle = values.cycle().unwrap();
            assert_eq!(cycle.period, period, "{set:?}");
            assert_eq!(
                values.preperiod(cycle),
                if set == [2, 4, 7] { 8 } else { 0 }
            );
        }
    }

    #[test]
    fn without_a_repeat_in_the_budget_what_is_in_the_table_is_answered_and_no_more() {
        let set: Vec<(u32, u32)> = [3, 611, 1000].map(|k| (k, 0)).to_vec();
        let table = Table {
            controls: 1,
            modulus: 1,
            below: 0,
            base: Vec::new(),
            large: vec![Node::Options(set)],
            misere: false,
        };
        let tight = Budget::with_memory(100);
        let mut all = Outcomes::default();
        assert!(all.is_p(&table, &Int::from(300), 0, &tight).is_ok());
        assert_eq!(
            all.is_p(&table, &Int::from(1_000_000), 0, &tight),
            Err(Stop::Limit(400, true))
        );
        assert!(all.is_p(&table, &Int::from(399), 0, &tight).is_ok());
        tight.stop();
        assert_eq!(
            Outcomes::default().is_p(&table, &Int::from(9999), 0, &tight),
            Err(Stop::Interrupted)
        );
    }
}
