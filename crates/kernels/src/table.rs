//! What the block rungs share: the values of all heaps so far as cells, the rares among them, and the split that made them.
//!
//! A cell of one byte is the code of a common value, or 255 where the value is rare; the codes of rares are in a list. A cell
//! of two bytes is a code, its top bit set where the value is rare: so the nim-sum of a rare and a common cell has the bit,
//! and that of two of a kind has not. Cost: a cell a heap; the first heaps are computed from all pairs.

use std::ops::Range;

use grundy_core::Code;

use crate::checkpoint::{Reader, Unreadable, Writer};
use crate::lanes::{self, Delta};
use crate::split::{Split, shared_parity, takes};
use crate::{Settled, Stop};

/// What was done, in steps that do not depend on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Pairs with a rare heap looked at.
    pub rare_tests: u64,
    /// Steps of proofs that a rare value is an option.
    pub exclusion_steps: u64,
    /// Rare values that had to be searched for among all pairs.
    pub searches: u64,
    /// Splits chosen.
    pub splits: u64,
}

/// Cells before that of heap 0, so that 64 lanes may begin below it.
pub(crate) const PAD: usize = 64;
/// Heaps below this are computed from all pairs.
pub(crate) const START: usize = 1024;
/// Heaps up to this may be the lesser one of a pair that shows a rare value to be an option without a search, if the rung
/// says nothing else.
pub(crate) const WITNESS: usize = 4096;

/// A value of a heap, by its code.
pub(crate) trait Cell: Copy + Eq + std::fmt::Debug {
    /// Heap 0, and what lies before it: no option is made with it.
    const NONE: Self;
    /// Codes of common values are less.
    const COMMONS: u32;
    /// Codes of rare values are less.
    const RARES: u32;
    /// Whether the cells of rare heaps have their codes.
    const TELLS: bool;
    /// What the nim-sum of a rare cell and a common one has beside its code, where cells tell.
    const MIXED: u32;

    fn new(code: u32, common: bool) -> Self;

    /// A code that can be nim-added to cells.
    fn code(code: u32) -> Self;

    /// The code, or the cell as a number.
    fn bits(self) -> u32;

    /// The code of a common value.
    fn common(self) -> Option<u32>;

    /// The code of a rare value, if the cell has it.
    fn rare(self) -> Option<u32>;

    /// The least a ≥ `from`, 2a ≤ total, whose cell and that of total − a have the nim-sum `code`; `turned` has the first
    /// cells the other way round.
    fn find_pair(
        cells: &[Self],
        turned: &[Self],
        total: usize,
        code: u32,
        from: usize,
    ) -> Option<usize>;

    /// As `find_pair`, any pair and only among some where it is of use to look first.
    fn probe(_cells: &[Self], _turned: &[Self], _total: usize, _code: u32) -> Option<usize> {
        None
    }

    fn save(cells: &[Self], out: &mut Writer);

    fn load(read: &mut Reader) -> Result<Vec<Self>, Unreadable>;
}

impl Cell for u8 {
    const NONE: u8 = 255;
    const COMMONS: u32 = 250;
    const RARES: u32 = 256;
    const TELLS: bool = false;
    const MIXED: u32 = 0;

    fn new(code: u32, common: bool) -> u8 {
        if common { code as u8 } else { Self::NONE }
    }

    fn code(code: u32) -> u8 {
        code as u8
    }

    fn bits(self) -> u32 {
        u32::from(self)
    }

    fn common(self) -> Option<u32> {
        (self != Self::NONE).then_some(u32::from(self))
    }

    fn rare(self) -> Option<u32> {
        None
    }

    fn find_pair(
        cells: &[u8],
        turned: &[u8],
        total: usize,
        code: u32,
        from: usize,
    ) -> Option<usize> {
        lanes::find_pair(cells, turned, total, code as u8, from)
    }

    fn probe(cells: &[u8], turned: &[u8], total: usize, code: u32) -> Option<usize> {
        lanes::probe(cells, turned, total, code as u8)
    }

    fn save(cells: &[u8], out: &mut Writer) {
        out.bytes(cells);
    }

    fn load(read: &mut Reader) -> Result<Vec<u8>, Unreadable> {
        Ok(read.bytes()?.to_vec())
    }
}

/// The top bit of a cell of two bytes.
const MARK: u16 = 1 << 15;

impl Cell for u16 {
    // Nim-added to a rare cell it is a code too large for a value.
    const NONE: u16 = u16::MAX;
    const COMMONS: u32 = 1 << 14;
    const RARES: u32 = 1 << 14;
    const TELLS: bool = true;
    const MIXED: u32 = MARK as u32;

    fn new(code: u32, common: bool) -> u16 {
        code as u16 | if common { 0 } else { MARK }
    }

    fn code(code: u32) -> u16 {
        code as u16
    }

    fn bits(self) -> u32 {
        u32::from(self)
    }

    fn common(self) -> Option<u32> {
        (self & MARK == 0).then_some(u32::from(self))
    }

    fn rare(self) -> Option<u32> {
        (self & MARK != 0).then_some(u32::from(self & !MARK))
    }

    fn find_pair(
        cells: &[u16],
        turned: &[u16],
        total: usize,
        code: u32,
        from: usize,
    ) -> Option<usize> {
        lanes::find_wide_pair(cells, turned, total, code as u16, from)
    }

    fn save(cells: &[u16], out: &mut Writer) {
        out.values(cells);
    }

    fn load(read: &mut Reader) -> Result<Vec<u16>, Unreadable> {
        read.values()
    }
}

/// The values of all heaps so far, and how they are kept.
pub(crate) struct Table<T> {
    /// t with "leave nothing", "leave one heap", "leave two".
    pub zeros: Vec<usize>,
    pub ones: Vec<usize>,
    pub twos: Vec<usize>,
    pub unequal: bool,
    shift: Option<u8>,

    pub split: Split,
    /// The first heap whose value was found by this split.
    since: usize,
    pub cells: Vec<T>,
    /// The cells of the first heaps, the last of them first; empty until they are known.
    turned: Vec<T>,
    /// Rare heaps, and the codes of their values.
    pub rares: Vec<(usize, u32)>,
    /// Numbers of values at even and odd heaps, but for the commons in `code_counts`.
    counts: [Vec<u64>; 2],
    pub code_counts: [Vec<u64>; 2],
    next_choice: usize,
    rares_at_choice: usize,
    /// The largest code of a common value, and that of a rare one.
    pub top: u32,
    pub rare_top: u32,
    /// Heaps up to this may have been the lesser one of a pair that showed a rare value to be an option without a search.
    pub witness: usize,
    /// Searches that a heap past `witness` ended.
    searched: Vec<(usize, usize)>,
    /// What was done.
    pub work: Work,
}

impl<T: Cell> Table<T> {
    /// A table without values.
    pub fn new(code: &Code) -> Self {
        let twos = takes(&code.digits, 2);
        Table {
            zeros: takes(&code.digits, 0),
            ones: takes(&code.digits, 1),
            unequal: code.unequal,
            shift: shared_parity(&twos),
            twos,
            split: Split::default(),
            since: 0,
            cells: vec![T::NONE; PAD],
            turned: vec![],
            rares: Vec::new(),
            counts: [vec![], vec![]],
            code_counts: [0, 1].map(|_| vec![0; T::COMMONS as usize]),
            next_choice: START,
            rares_at_choice: 0,
            top: 0,
            rare_top: 0,
            witness: WITNESS,
            searched: vec![],
            work: Work::default(),
        }
    }

    /// Takes over what is known in cells of another kind. None if the codes do not fit.
    pub fn of<U: Cell>(code: &Code, other: Table<U>) -> Option<Self> {
        let mut table = Table::new(code);
        table.work = other.work;
        if !other.is_empty() {
            let values: Vec<u32> = (0..other.len()).map(|n| other.value(n)).collect();
            if !table.choose_for(&values) {
                return None;
            }
        }
        Some(table)
    }

    /// How many values are known.
    pub fn len(&self) -> usize {
        self.cells.len() - PAD
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a heap that is known.
    pub fn value(&self, n: usize) -> u32 {
        if n == 0 {
            return 0;
        }
        let cell = self.cells[PAD + n];
        if let Some(code) = cell.common() {
            return self.split.decode(code, n, true);
        }
        let code = cell.rare().unwrap_or_else(|| {
            let i = self.rares.binary_search_by_key(&n, |r| r.0);
            self.rares[i.expect("a rare heap is listed")].1
        });
        self.split.decode(code, n, false)
    }

    /// The values of heaps that are known.
    pub fn values(&self, heaps: Range<usize>) -> Vec<u16> {
        // For each code at even and at odd heaps. Rares have the last entry, 0, and are put in afterwards; heap 0 keeps it.
        let end = self.top + 1;
        let decode = |c, n| self.split.decode(c, n, true) as u16;
        let commons = (0..end).map(|c| [decode(c, 0), decode(c, 1)]);
        let of_code: Vec<[u16; 2]> = commons.chain([[0; 2]]).collect();
        let cells = self.cells[PAD..][heaps.clone()].iter().zip(heaps.clone());
        let mut values: Vec<u16> = cells
            .map(|(cell, n)| of_code[cell.bits().min(end) as usize][n & 1])
            .collect();
        let rares = self.rares.partition_point(|r| r.0 < heaps.start);
        let rares = self.rares[rares..].iter();
        for &(n, code) in rares.take_while(|r| r.0 < heaps.end) {
            values[n - heaps.start] = self.split.decode(code, n, false) as u16;
        }
        values
    }

    /// The largest code of any value.
    pub fn largest_code(&self) -> u32 {
        self.top.max(self.rare_top)
    }

    /// The most that a move takes.
    pub fn reach(&self) -> usize {
        let lists = [&self.zeros, &self.ones, &self.twos];
        let most = lists.iter().filter_map(|l| l.last());
        most.max().copied().unwrap_or(0)
    }

    /// How many heaps are computed from all pairs.
    fn started(&self) -> usize {
        // Among unequal heaps no pair of a witness with itself may come up.
        self.reach()
            + if self.unequal {
                2 * WITNESS + 64
            } else {
                START
            }
    }

    /// The first values, from all options.
    fn start(&self) -> Vec<u32> {
        let to = self.started();
        let mut values: Vec<u32> = Vec::with_capacity(to);
        let mut seen = vec![usize::MAX; 64];
        for n in 0..to {
            let mut mark = |v: u32| {
                if seen.len() <= v as usize {
                    seen.resize(2 * v as usize + 2, usize::MAX);
                }
                seen[v as usize] = n;
            };
            if self.zeros.contains(&n) {
                mark(0);
            }
            for &t in self.ones.iter().filter(|&&t| t < n) {
                mark(values[n - t]);
            }
            for &t in self.twos.iter().filter(|&&t| t < n) {
                let total = n - t;
                for a in 1..=total / 2 {
                    if a < total && !(self.unequal && 2 * a == total) {
                        mark(values[a] ^ values[total - a]);
                    }
                }
            }
            let v = seen.iter().position(|&s| s != n).unwrap_or(seen.len());
            values.push(v as u32);
        }
        values
    }

    /// Computes the first values and chooses the first split. False if the codes are too large.
    pub fn begin(&mut self) -> bool {
        let values = self.start();
        self.choose_for(&values)
    }

    pub fn count(&mut self, n: usize, value: u32, more: u64) {
        let counts = &mut self.counts[n & 1];
        if counts.len() <= value as usize {
            counts.resize(value as usize + 1, 0);
        }
        counts[value as usize] += more;
    }

    /// Counts a heap whose value is common.
    pub fn count_code(&mut self, n: usize, code: u32) {
        self.code_counts[n & 1][code as usize] += 1;
        self.top = self.top.max(code);
    }

    /// Appends a heap whose value is rare.
    pub fn push_rare(&mut self, n: usize, code: u32) {
        self.cells[PAD + n] = T::new(code, false);
        self.rares.push((n, code));
        self.count(n, self.split.decode(code, n, false), 1);
        self.rare_top = self.rare_top.max(code);
    }

    /// Whether it is time to choose the split anew.
    pub fn is_due(&self) -> bool {
        self.len() >= self.next_choice
    }

    /// The heap before which the split is chosen anew.
    pub fn due(&self) -> usize {
        self.next_choice
    }

    /// Whether so many rares have come that another split may be better.
    pub fn has_many_rares(&self) -> bool {
        self.rares.len() > self.rares_at_choice + self.rares_at_choice / 8
    }

    /// Chooses the split by what is known. False if the codes by it are too large; nothing is changed then.
    pub fn choose(&mut self) -> bool {
        self.work.splits += 1;
        for p in 0..2 {
            for c in 0..=self.top {
                let more = std::mem::take(&mut self.code_counts[p][c as usize]);
                if more > 0 {
                    self.count(p, self.split.decode(c, p, true), more);
                }
            }
        }
        if self.is_due() {
            self.next_choice = (self.len() + 1).next_power_of_two();
        }
        let (split, _) = Split::choose(&self.counts, self.shift);
        self.rares_at_choice = self.rares.len();
        if split == self.split {
            self.turn(self.witness);
            return true;
        }
        let values: Vec<u32> = (0..self.len()).map(|n| self.value(n)).collect();
        self.take_over(split, &values)
    }

    /// Takes in all values and chooses the first split by them. False if the codes by it are too large.
    pub fn choose_for(&mut self, values: &[u32]) -> bool {
        self.work.splits += 1;
        for (n, &v) in values.iter().enumerate().skip(1) {
            self.count(n, v, 1);
        }
        let (split, _) = Split::choose(&self.counts, self.shift);
        self.next_choice = (values.len() + 1).next_power_of_two();
        let fits = self.take_over(split, values);
        self.rares_at_choice = self.rares.len();
        fits
    }

    /// All that is known by another split. False if the codes by it are too large.
    fn take_over(&mut self, split: Split, values: &[u32]) -> bool {
        // With a high lowest bit of the mask lesser rare values have larger codes.
        let fits = |(n, &v): (usize, &u32)| {
            let common = split.is_common(v, n);
            split.encode(v) < if common { T::COMMONS } else { T::RARES }
        };
        if !values.iter().enumerate().all(fits) {
            return false;
        }
        self.split = split;
        self.since = values.len();
        self.cells.truncate(PAD);
        self.rares.clear();
        self.counts = [vec![], vec![]];
        self.code_counts.iter_mut().for_each(|c| c.fill(0));
        (self.top, self.rare_top) = (0, 0);
        for (n, &v) in values.iter().enumerate() {
            self.cells.push(T::NONE);
            let code = split.encode(v);
            if n > 0 && split.is_common(v, n) {
                self.cells[PAD + n] = T::new(code, true);
                self.count_code(n, code);
            } else if n > 0 {
                self.push_rare(n, code);
            }
        }
        self.turn(self.witness);
        true
    }

    /// Keeps the cells of the heaps below one turned round, if they are known.
    pub fn turn(&mut self, to: usize) {
        self.turned.clear();
        if self.len() > to {
            self.turned.extend(self.cells[PAD..PAD + to].iter().rev());
        }
    }

    /// The pairs with a rare heap, and the heaps that a move may leave alone, the nearest first.
    pub fn deltas(&self) -> Vec<Delta<T>> {
        let mut all: Vec<(u32, u32)> = Vec::new();
        for &t in &self.ones {
            if !self.split.position || t % 2 == 0 {
                all.push((t as u32, 0));
            }
        }
        for &t in &self.twos {
            all.extend(self.rares.iter().map(|&(r, code)| ((t + r) as u32, code)));
        }
        all.sort_unstable();
        all.dedup();
        all.into_iter()
            .map(|(back, code)| Delta {
                back,
                code: T::code(code),
            })
            .collect()
    }

    /// Whether a rare value of that code is an option of n.
    pub fn search(&mut self, n: usize, k: u32) -> bool {
        self.work.searches += 1;
        // Of cells without the codes of rares two rare ones are not meant, nor a heap split into equal ones.
        let cells = &self.cells[PAD..];
        let told = |n: usize| T::TELLS || cells[n].common().is_some();
        let is_pair = |a: usize, total: usize| {
            told(a) && told(total - a) && !(self.unequal && 2 * a == total)
        };
        // Pairs near one another have much the same values: so first some that are not.
        let turned = &self.turned;
        let far = |total: usize| !turned.is_empty() && total > 2 * turned.len();
        let probe = |t: usize| T::probe(cells, turned, n - t, k).is_some_and(|a| is_pair(a, n - t));
        if self.twos.iter().any(|&t| far(n - t) && probe(t)) {
            return true;
        }
        for &t in &self.twos {
            let total = n - t;
            let mut from = 1;
            while let Some(a) = T::find_pair(cells, &self.turned, total, k, from) {
                if is_pair(a, total) {
                    if a > self.witness {
                        self.searched.push((n, a));
                    }
                    return true;
                }
                from = a + 1;
            }
            if T::TELLS {
                continue;
            }
            let mut high = &self.rares[..self.rares.partition_point(|r| r.0 < total)];
            for &(r, code) in self.rares.iter().take_while(|r| 2 * r.0 <= total) {
                while let [rest @ .., last] = high
                    && last.0 > total - r
                {
                    high = rest;
                }
                let pair = high.last().filter(|h| h.0 == total - r);
                if pair.is_some_and(|h| h.1 ^ code == k) && !(self.unequal && 2 * r == total) {
                    return true;
                }
            }
        }
        let value = self.split.decode(k, n, false);
        self.ones.iter().any(|&t| self.value(n - t) == value)
    }

    /// Whether a common value of that code is an option of n. Cells have to tell the codes of rares.
    pub fn search_common(&mut self, n: usize, code: u32) -> bool {
        self.work.searches += 1;
        let cells = &self.cells[PAD..];
        let code_of_pair = code | T::MIXED;
        let pair = |&t: &usize| T::find_pair(cells, &self.turned, n - t, code_of_pair, 1).is_some();
        let value = self.split.decode(code, n, true);
        self.twos.iter().any(pair) || self.ones.iter().any(|&t| self.value(n - t) == value)
    }

    pub fn save(&self, out: &mut Writer) {
        out.number(u64::from(self.split.mask));
        out.byte(u8::from(self.split.position));
        out.byte(self.split.shift);
        T::save(&self.cells[PAD..], out);
        for &(_, code) in &self.rares {
            if !T::TELLS {
                out.byte(code as u8);
            }
        }
        out.number(self.searched.len() as u64);
        for &(n, a) in &self.searched {
            out.number(n as u64);
            out.number(a as u64);
        }
        let work = &self.work;
        for count in [
            work.rare_tests,
            work.exclusion_steps,
            work.searches,
            work.splits,
            self.next_choice as u64,
            self.rares_at_choice as u64,
            self.since as u64,
        ] {
            out.number(count);
        }
    }

    pub fn load(code: &Code, read: &mut Reader) -> Result<Self, Unreadable> {
        let mut table = Table::<T>::new(code);
        let mask = u32::try_from(read.number()?).unwrap_or(0);
        table.split = Split {
            mask,
            position: read.flag()?,
            shift: read.byte()?,
        };
        table.cells.extend(T::load(read)?);
        let fits = match table.split.position {
            true => table.shift == Some(table.split.shift),
            false => table.split.shift == 0,
        };
        let started = table.len() >= table.started()
            && (1..=0xFFFF).contains(&mask)
            && table.cells[PAD] == T::NONE;
        let untouched = table.is_empty() && mask == 0;
        if !fits || !(started || untouched) {
            return Err(Unreadable("the split does not fit the code"));
        }
        for n in 1..table.len() {
            let cell = table.cells[PAD + n];
            if let Some(code) = cell.common() {
                if code >= T::COMMONS {
                    return Err(Unreadable("a code is too large"));
                }
                table.count_code(n, code);
            } else {
                let code = match cell.rare() {
                    Some(code) => code,
                    None => u32::from(read.byte()?),
                };
                if code >= T::RARES {
                    return Err(Unreadable("a code is too large"));
                }
                table.push_rare(n, code);
            }
        }
        for _ in 0..read.size()? {
            table.searched.push((read.size()?, read.size()?));
        }
        let work = &mut table.work;
        for count in [
            &mut work.rare_tests,
            &mut work.exclusion_steps,
            &mut work.searches,
            &mut work.splits,
        ] {
            *count = read.number()?;
        }
        table.next_choice = read.size()?;
        table.rares_at_choice = read.size()?;
        table.since = read.size()?;
        if table.since > table.len() {
            return Err(Unreadable("the split is of a heap to come"));
        }
        table.turn(table.witness);
        if table.rares_at_choice > table.len() {
            return Err(Unreadable("there were more rares than heaps"));
        }
        Ok(table)
    }
}

impl Table<u8> {
    /// The facts of the window theorem.
    pub fn settled(&self) -> Settled<'_> {
        Settled {
            split: self.split,
            since: self.since,
            last_rare: self.rares.last().map_or(0, |r| r.0),
            rares: self.rares.len(),
            codes: &self.cells[PAD..],
            witness: self.witness,
            searched: &self.searched,
        }
    }
}

/// How a rung goes on.
pub(crate) trait Blocks {
    type Cell: Cell;

    fn table(&mut self) -> &mut Table<Self::Cell>;

    /// Makes all that hangs on the split and the rares.
    fn prepare(&mut self);

    /// Computes some more values. False if the codes become too large for the rung.
    fn blocks(&mut self) -> bool;

    /// Computes many values at a time, where the rung has a way to. None if it is not the time for it.
    fn many(
        &mut self,
        _to: usize,
        _stopped: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Option<bool>, Stop> {
        Ok(None)
    }

    /// Computes the values of all heaps below `to`, and perhaps some more. False if the codes become too large.
    fn advance(&mut self, to: usize, stopped: &mut dyn FnMut(usize) -> bool) -> Result<bool, Stop> {
        if to
            .checked_add(1 << 20)
            .is_none_or(|n| u32::try_from(n).is_err())
        {
            // How far below a partner is would not fit its 32 bits.
            return Ok(false);
        }
        if self.table().is_empty() {
            if !self.table().begin() {
                return Ok(false);
            }
            self.prepare();
        }
        while self.table().len() < to {
            if stopped(self.table().len()) {
                return Err(Stop::Interrupted);
            }
            if self.table().is_due() {
                if !self.table().choose() {
                    return Ok(false);
                }
                self.prepare();
            }
            let fits = match self.many(to, stopped)? {
                Some(fits) => fits,
                None => self.blocks(),
            };
            if !fits {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
