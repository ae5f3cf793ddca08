//! Codes of one or two bytes: flags for the first pairs, then comparisons with the codes that they leave.
//!
//! For each of 64 heaps the far pairs, in any order, exclude codes. The first of them set flags, a bit for each code;
//! the first codes without a flag, the *holes* of each heap, then stand in rows, and every further pair is compared with a
//! row at a time for all heaps. Rows get fewer as holes are hit. What is left over is searched for heap by heap, so that
//! the number of rows and flags decides the speed and never the result; nor does the order of the pairs, which is learned
//! from a sample of the heaps so far: those that give most of what is wanted come first, which halves the work.
//!
//! Where the last rare heap is far below, codes of a byte have their rare values proved for 512 heaps together, by `spans`.
//! Cost: the number of rares for each heap at about 0.1 ns each, and as many steps for each of its codes; one or two bytes a
//! heap.

use std::collections::HashMap;
use std::ops::Not;
use std::sync::mpsc;
use std::thread;

use crate::Stop;
use crate::lanes::{self, Delta, HOLES, Layer, SPAN};
use crate::spans::{self, Spans};
use crate::table::{Blocks, Cell, PAD, Table};

/// Heaps from which on it is learned which pairs are best: at least 2 · `GROUPS` · `GROUP`, for the sample's sake.
const LEARNED: usize = if cfg!(test) { 1 << 12 } else { 1 << 15 };

/// Rows of holes at most.
const ROWS: usize = 24;

/// Holes of 64 heaps that are sooner searched for one by one.
const FEW: usize = 48;

/// Rows of holes: row j has the j-th hole of each heap, the greatest number for none.
type Holes<T> = [[T; 64]; ROWS];

/// Cells that the inner loops can be run on.
pub(crate) trait Lane: Cell + Ord + Send + Sync + Default + Not<Output = Self> {
    /// No hole; greater than every code.
    const FULL: Self;
    /// Commons below this heap are partners by which rare values are excluded.
    const EARLY: usize;
    /// Rows of holes at first where only the least of a heap is wanted.
    const MOST: usize;
    /// One heap of so many may have its code in a row that is given up, if it is learned how many are needed; else there
    /// are fewer and fewer rows, down to four, which takes less where a heap has few holes.
    const MISSED: Option<u32>;
    /// Heaps of a block that may be left without a hole before more pairs are scattered.
    const SPARE: usize;
    /// How many times as many early pairs are kept as have been found to be good ones.
    const KEPT: usize;

    /// The codes that pairs exclude for 64 heaps: bit c of the `words` words of each; codes from `width` on may be left out.
    fn flags(
        cells: &[Self],
        base: usize,
        deltas: &[Delta<Self>],
        mixed: bool,
        width: usize,
        words: usize,
        flags: &mut [u64],
    );

    /// Proofs by spans, those that are known if they still serve; None if others are faster, or the cells are not bytes.
    fn spans(table: &mut Table<Self>, known: Option<Spans>) -> Option<Spans>;

    /// `lanes::first_holes`, for bytes; for others no lane.
    fn first_holes(
        window: &mut [Self; 128],
        holes: &[[Self; 64]],
        mid: &[Delta<Self>],
        close: &[Layer<Self>],
        first: usize,
    ) -> usize;

    /// Codes from here on are few, or none.
    fn usual(table: &Table<Self>) -> u32;

    /// The cells, if they are bytes.
    fn bytes(cells: &[Self]) -> &[u8];

    /// Whether a near pair gives the code; `below` has the 64 heaps below.
    fn gives(below: &[Self; 64], layers: &[Layer<Self>], code: Self) -> bool;

    /// Holes of 64 heaps that a pair gives become `FULL`. `mixed` says that a partner may be rare, and gives nothing.
    fn strike(
        cells: &[Self],
        base: usize,
        deltas: &[Delta<Self>],
        mixed: bool,
        holes: &mut [[Self; 64]],
    );
}

impl Lane for u8 {
    const FULL: u8 = 255;
    const MOST: usize = 12;
    const MISSED: Option<u32> = None;
    const SPARE: usize = 0;
    const KEPT: usize = 2;
    const EARLY: usize = 1 << 14;

    fn flags(
        cells: &[u8],
        base: usize,
        deltas: &[Delta<u8>],
        mixed: bool,
        width: usize,
        words: usize,
        flags: &mut [u64],
    ) {
        lanes::flags(cells, base, deltas, mixed, width.div_ceil(8), words, flags);
    }

    fn strike(
        cells: &[u8],
        base: usize,
        deltas: &[Delta<u8>],
        mixed: bool,
        holes: &mut [[u8; 64]],
    ) {
        lanes::strike(cells, base, deltas, mixed, holes);
    }

    fn spans(table: &mut Table<u8>, known: Option<Spans>) -> Option<Spans> {
        // Where two equal heaps may be left, early pairs in a learned order are faster.
        if !table.unequal {
            return None;
        }
        let known = known.filter(|s| s.codes() > table.top as usize);
        Some(known.unwrap_or_else(|| Spans::new(table)))
    }

    fn first_holes(
        window: &mut [u8; 128],
        holes: &[[u8; 64]],
        mid: &[Delta<u8>],
        close: &[Layer<u8>],
        first: usize,
    ) -> usize {
        let holes = &holes[..holes.len().min(HOLES)];
        lanes::first_holes(window, holes, mid, close, first)
    }

    fn usual(table: &Table<u8>) -> u32 {
        let mut counts = [0usize; 256];
        let cells = &table.cells[table.cells.len().saturating_sub(1 << 16)..];
        cells.iter().for_each(|&c| counts[usize::from(c)] += 1);
        let mut above = 0;
        let few = |&code: &u32| {
            above += counts[code as usize];
            above * 512 < cells.len()
        };
        let end = table.top + 1;
        (0..end).rev().take_while(few).last().unwrap_or(end)
    }

    fn bytes(cells: &[u8]) -> &[u8] {
        cells
    }

    fn gives(below: &[u8; 64], layers: &[Layer<u8>], code: u8) -> bool {
        lanes::gives(below, layers, code)
    }
}

impl Lane for u16 {
    const FULL: u16 = u16::MAX;
    const MOST: usize = ROWS;
    const MISSED: Option<u32> = Some(512);
    const SPARE: usize = 3;
    const KEPT: usize = 4;
    const EARLY: usize = 1 << 16;

    fn flags(
        cells: &[u16],
        base: usize,
        deltas: &[Delta<u16>],
        _: bool,
        _: usize,
        words: usize,
        flags: &mut [u64],
    ) {
        lanes::wide_flags(cells, base, deltas, words, flags);
    }

    fn strike(cells: &[u16], base: usize, deltas: &[Delta<u16>], _: bool, holes: &mut [[u16; 64]]) {
        lanes::wide_strike(cells, base, deltas, holes);
    }

    fn spans(_: &mut Table<u16>, _: Option<Spans>) -> Option<Spans> {
        None
    }

    fn first_holes(
        _: &mut [u16; 128],
        _: &[[u16; 64]],
        _: &[Delta<u16>],
        _: &[Layer<u16>],
        first: usize,
    ) -> usize {
        first
    }

    fn usual(table: &Table<u16>) -> u32 {
        table.top + 1
    }

    fn bytes(_: &[u16]) -> &[u8] {
        &[]
    }

    fn gives(below: &[u16; 64], layers: &[Layer<u16>], code: u16) -> bool {
        lanes::wide_gives(below, layers, code)
    }
}

/// Pairs that go through the blocks, and what is learned of them.
struct List<T> {
    deltas: Vec<Delta<T>>,
    /// How many of them are in a learned order.
    best: usize,
    /// How far below the farthest partner is.
    reach: usize,
    /// How many are scattered: as few as leave room for the holes.
    scattered: usize,
    ranks: Ranks,
}

/// How many rows of holes are needed after each part of the pairs of a list, learned from blocks that keep all of them.
struct Ranks {
    /// Blocks so far.
    blocks: usize,
    /// The holes of a block that keeps them, each with the part of the pairs that was done.
    seen: Vec<(usize, Vec<[u32; 64]>)>,
    /// How many heaps had their code in each row, which is how many of the holes were less.
    counts: Vec<[u32; ROWS]>,
    kept: Vec<usize>,
}

/// So many parts of the pairs, and one of so many blocks keeps all rows.
const STEPS: usize = 32;
const KEEPS: usize = 16;

impl Ranks {
    fn new() -> Self {
        Ranks {
            blocks: 0,
            seen: Vec::new(),
            counts: vec![[0; ROWS]; STEPS],
            kept: vec![ROWS; STEPS],
        }
    }

    /// Whether the next block is one that keeps all rows.
    fn begin(&mut self) -> bool {
        self.seen.clear();
        self.blocks += 1;
        self.blocks % KEEPS == 1
    }

    /// Learns from the codes of the block, if it kept all rows. One heap of `missed` may have its code in a row that is not
    /// kept.
    fn learn<T: Cell>(&mut self, first: usize, codes: &[T], missed: u32) {
        for (step, holes) in self.seen.drain(..) {
            let counts = &mut self.counts[step];
            for (lane, code) in codes.iter().enumerate().skip(first) {
                let code = code.bits();
                let rank = holes.iter().position(|row| row[lane] >= code);
                if let Some(rank) = rank.filter(|&r| holes[r][lane] == code) {
                    counts[rank] += 1;
                }
            }
            let all: u32 = counts.iter().sum();
            if all < missed {
                continue;
            }
            let mut above = 0;
            let few = |count: &&u32| {
                above += **count;
                above * missed <= all
            };
            self.kept[step] = ROWS - counts.iter().rev().take_while(few).count();
            if all > 1 << 14 {
                counts.iter_mut().for_each(|c| *c /= 2);
            }
        }
    }
}

/// The flags of 64 heaps.
#[derive(Default)]
struct Flags {
    /// Words of each heap, a power of two.
    words: usize,
    bits: Vec<u64>,
}

impl Flags {
    /// Codes are less.
    fn codes(&self) -> u32 {
        64 * self.words as u32
    }

    fn set(&self, lane: usize, code: u32) -> bool {
        self.bits[lane * self.words + code as usize / 64] >> (code % 64) & 1 == 1
    }
}

/// The cells of 64 heaps and those of their partners.
#[derive(Clone, Copy)]
struct Place<'a, T> {
    cells: &'a [T],
    /// Where the first of the heaps is.
    at: usize,
    /// Whether a partner may be rare, and the largest code of them all.
    mixed: bool,
    most: u32,
}

/// What is wanted of a sieve.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    /// The least hole of each heap: fewer and fewer rows are kept, and a heap that has none left is searched anew.
    Least,
    /// All holes, until few are left to be searched for one by one.
    All,
}

impl<T: Lane> List<T> {
    fn new() -> Self {
        List {
            deltas: Vec::new(),
            best: 0,
            reach: 0,
            scattered: 224,
            ranks: Ranks::new(),
        }
    }

    /// The place of a block in the table.
    fn place<'a>(&self, table: &'a Table<T>, base: usize) -> Place<'a, T> {
        let last = table.rares.last().map_or(0, |r| r.0);
        Place {
            cells: &table.cells,
            at: PAD + base,
            mixed: base < self.reach + last + 1,
            most: table.largest_code(),
        }
    }

    /// Those first that are in a learned order, the others in one that has nothing to do with the heaps: so the first ones
    /// are a fair sample.
    fn set(&mut self, mut deltas: Vec<Delta<T>>) {
        let learned = self.deltas[..self.best].iter().map(|d| d.back);
        let rank: HashMap<u32, usize> = learned.zip(0..).collect();
        let place = |d: &Delta<T>| rank.get(&d.back).copied().unwrap_or(usize::MAX);
        deltas.sort_by_cached_key(|d| (place(d), d.back.wrapping_mul(2_654_435_769)));
        self.best = deltas.partition_point(|d| place(d) < usize::MAX);
        self.deltas = deltas;
        self.reach = self
            .deltas
            .iter()
            .map(|d| d.back as usize)
            .max()
            .unwrap_or(0);
    }

    /// Puts pairs first that give much of what is wanted of a sample, until hardly any more is given.
    fn learn(&mut self, table: &Table<T>, sample: &mut Sample) {
        let (mut done, mut idle) = (0, 0);
        while done < self.deltas.len() && idle < IDLE {
            // The best of a few, on a part of the sample, which is nearly as good as the best of all.
            let rest = self.deltas.len() - done;
            let some = (0..CHOICE).map(|i| done + (done * CHOICE + i).wrapping_mul(7_919) % rest);
            let gains = some.map(|i| (sample.gain(table, self.deltas[i], done), i));
            let (gain, best) = gains.max().expect("there are some");
            idle = if gain == 0 { idle + 1 } else { 0 };
            sample.take(table, self.deltas[best]);
            self.deltas.swap(done, best);
            done += 1;
        }
        self.best = done;
    }

    fn push(&mut self, delta: Delta<T>) {
        self.reach = self.reach.max(delta.back as usize);
        self.deltas.push(delta);
    }

    /// The holes that all pairs leave below the end of each heap, an end that comes down where a column is full: how many
    /// rows, and the work. There are no holes before.
    fn sieve(
        &mut self,
        place: Place<T>,
        ends: &mut [u32; 64],
        flags: &mut Flags,
        holes: &mut Holes<T>,
        want: Want,
    ) -> (usize, u64) {
        let Place { cells, at, .. } = place;
        let most = ends.iter().copied().max().unwrap_or(0);
        // A rare partner nim-added to a code below 128 is none that is looked for, if those are below 128 too.
        let mixed = place.mixed && most.max(place.most + 1) > 128;
        let scattered = self.scattered.min(self.deltas.len());
        let first = &self.deltas[..scattered];
        T::flags(
            cells,
            at,
            first,
            mixed,
            most as usize,
            flags.words,
            &mut flags.bits,
        );
        let (mut rows, mut crowded) = (0, 0);
        let room = match want {
            Want::Least => T::MOST,
            Want::All => ROWS,
        };
        let mut open = [0; ROWS + 72];
        for (lane, flags) in flags.bits.chunks_exact(flags.words).enumerate() {
            let mut found = 0;
            for (w, flags) in (0..ends[lane].div_ceil(64)).zip(flags) {
                let past = (64 * (w + 1)).saturating_sub(ends[lane]);
                found += list_bits(!flags & u64::MAX >> past, 64 * w as u16, &mut open[found..]);
                if found > room {
                    crowded += 1;
                    ends[lane] = u32::from(open[room]);
                    found = room;
                    break;
                }
            }
            for (row, &code) in holes.iter_mut().zip(&open[..found]) {
                row[lane] = T::code(u32::from(code));
            }
            rows = rows.max(found);
        }
        // Where all holes are wanted, a column that is too short costs a search for each code past it.
        if want == Want::All {
            self.adapt(crowded, 1);
        }
        let mut work = (64 * scattered) as u64;
        let (mut done, mut step) = (scattered, 96);
        let learns = want == Want::Least && T::MISSED.is_some();
        let watched = learns && self.ranks.begin();
        let mut most = rows;
        while done < self.deltas.len() && rows > 0 {
            let chunk = &self.deltas[done..self.deltas.len().min(done + step)];
            T::strike(cells, at, chunk, mixed, &mut holes[..rows]);
            work += (chunk.len() * rows) as u64;
            lanes::sort_columns(&mut holes[..rows]);
            done += chunk.len();
            step = (step * 2).min(512);
            while rows > 0 && holes[rows - 1] == [T::FULL; 64] {
                rows -= 1;
            }
            if want == Want::Least {
                let part = (done * STEPS).div_ceil(self.deltas.len()) - 1;
                if watched {
                    let seen = holes[..rows].iter().map(|row| row.map(T::bits));
                    self.ranks.seen.push((part, seen.collect()));
                    continue;
                }
                most = if learns {
                    self.ranks.kept[part]
                } else {
                    (most * 3 / 4).max(4)
                };
                if let Some(row) = holes.get(most).filter(|_| most < rows) {
                    for (end, hole) in ends.iter_mut().zip(row) {
                        *end = hole.bits().min(*end);
                    }
                    rows = most;
                }
                continue;
            }
            let left = holes[..rows].iter().flatten();
            if left.filter(|&&h| h != T::FULL).count() <= FEW {
                break;
            }
        }
        (rows, work)
    }

    /// More pairs are scattered next time if this sieve left more than one heap to be searched, else fewer.
    fn adapt(&mut self, failed: usize, spare: usize) {
        if failed > spare {
            self.scattered = self.scattered.min(self.deltas.len()) + 8 + self.scattered / 32;
        } else {
            self.scattered = (self.scattered - 2 - self.scattered / 128).max(64);
        }
    }
}

/// Heaps whose values are known, in groups of neighbours, and codes that are wanted of each.
struct Sample {
    firsts: Vec<usize>,
    /// A bit for each code, so many words for each heap.
    open: Vec<u64>,
    words: usize,
}

impl Sample {
    /// From the later half of all heaps, the codes below an end for each code.
    fn new<T: Lane>(table: &Table<T>, end: impl Fn(usize, u32) -> u32) -> Self {
        let len = table.len();
        let step = (len / 2 / GROUPS) | 1;
        let firsts: Vec<usize> = (1..=GROUPS).map(|i| len - i * step).collect();
        let words = table.largest_code() as usize / 64 + 1;
        let mut open = vec![0; GROUPS * GROUP * words];
        let heaps = firsts.iter().flat_map(|&first| first..first + GROUP);
        for (n, open) in heaps.zip(open.chunks_exact_mut(words)) {
            let code = table.cells[PAD + n].common();
            let end = code.map_or(0, |code| end(n, code)) as usize;
            for (w, open) in open.iter_mut().enumerate() {
                let bits = end.saturating_sub(64 * w).min(64) as u32;
                *open = 1u64.checked_shl(bits).unwrap_or(0).wrapping_sub(1);
            }
        }
        Sample {
            firsts,
            open,
            words,
        }
    }

    /// The bits that a pair gives: the places of their words, and they.
    fn given<T: Lane>(
        &self,
        table: &Table<T>,
        delta: Delta<T>,
        groups: impl Iterator<Item = usize>,
        mut tell: impl FnMut(usize, u64),
    ) {
        for group in groups {
            let Some(from) = (PAD + self.firsts[group]).checked_sub(delta.back as usize) else {
                continue;
            };
            for (i, cell) in table.cells[from..from + GROUP].iter().enumerate() {
                let Some(p) = cell.common() else { continue };
                let x = (p ^ delta.code.bits()) as usize;
                if x < 64 * self.words {
                    tell((group * GROUP + i) * self.words + x / 64, 1 << (x % 64));
                }
            }
        }
    }

    /// How many wanted codes a pair gives in one of the parts of the sample.
    fn gain<T: Lane>(&self, table: &Table<T>, delta: Delta<T>, part: usize) -> u32 {
        let mut gain = 0;
        let groups = (part % PARTS..GROUPS).step_by(PARTS);
        self.given(table, delta, groups, |word, bit| {
            gain += u32::from(self.open[word] & bit != 0)
        });
        gain
    }

    /// What a pair gives is no longer wanted.
    fn take<T: Lane>(&mut self, table: &Table<T>, delta: Delta<T>) {
        let mut open = std::mem::take(&mut self.open);
        self.given(table, delta, 0..GROUPS, |word, bit| open[word] &= !bit);
        self.open = open;
    }
}

/// The places of the bits of a byte, in order.
const PLACES: [[u16; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut found) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                places[byte][found] = bit;
                found += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    places
};

/// How many bits a byte has: not every processor that this is compiled for can count them.
const ONES: [u8; 256] = {
    let mut ones = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        ones[byte] = (byte as u8).count_ones() as u8;
        byte += 1;
    }
    ones
};

/// Lists the places of the bits of a word, `first` being the lowest: how many. The list has room for eight more.
#[inline]
fn list_bits(word: u64, first: u16, list: &mut [u16]) -> usize {
    let list = &mut list[..72];
    let mut found = 0;
    for (byte, first) in word.to_le_bytes().into_iter().zip((first..).step_by(8)) {
        let places = PLACES[usize::from(byte)].map(|place| place + first);
        list[found..found + 8].copy_from_slice(&places);
        found += usize::from(ONES[usize::from(byte)]);
    }
    found
}

/// Heaps of a sample: so many groups of so many.
const GROUPS: usize = 64;
const GROUP: usize = 32;
/// Parts of a sample, each of which stands for it.
const PARTS: usize = 8;
/// A list is in order where so many pairs, one after the other, give nothing to their part of the sample.
const IDLE: usize = 3;
/// Pairs of which the best is taken.
const CHOICE: usize = 16;
/// How many times as many heaps there must be before a list is put in order again.
const LASTS: usize = 16;

/// A pair with any heap costs so much less than one with a rare heap, when codes are looked for.
const ALL: usize = 16;

/// 64 heaps before their rare values are proved to be options.
struct Block<T> {
    base: usize,
    /// The first heap that was not known before.
    first: usize,
    /// Of each heap the least common code that is not excluded, and the end of the rare codes below it.
    codes: [u32; 64],
    ends: [u32; 64],
    /// What the far pairs leave, how many rows of it, and below which code that is all.
    holes: Holes<T>,
    rows: usize,
    listed: [u32; 64],
    /// The cells of the block before and of this one.
    window: [T; 128],
}

/// The rare codes that the early pairs leave.
struct Open<T> {
    holes: Holes<T>,
    rows: usize,
    /// Up to where the rows have them all.
    ends: [u32; 64],
    work: u64,
}

impl<T: Lane> Open<T> {
    /// The codes below `end` that are to be searched for, in order.
    fn tried(&self, lane: usize, end: u32, flags: &Flags, tried: &mut Vec<u32>) {
        tried.clear();
        let listed = self.holes[..self.rows].iter().map(|row| row[lane]);
        tried.extend(listed.filter(|&k| k != T::FULL).map(T::bits));
        tried.retain(|&k| k < end);
        // What was not listed: past a full column, or below a code that has become larger.
        let rest = self.ends[lane]..end;
        tried.extend(rest.filter(|&k| k >= flags.codes() || !flags.set(lane, k)));
        tried.sort_unstable();
    }
}

impl<T: Lane> List<T> {
    /// The rare codes of a block that no pair of the list gives.
    fn open(&mut self, place: Place<T>, block: &Block<T>, flags: &mut Flags) -> Open<T> {
        let mut open = Open {
            holes: [[T::FULL; 64]; ROWS],
            rows: 0,
            ends: block.ends.map(|end| end.min(flags.codes())),
            work: 0,
        };
        (open.rows, open.work) =
            self.sieve(place, &mut open.ends, flags, &mut open.holes, Want::All);
        open
    }
}

/// A nim-sequence on its way.
pub(crate) struct Large<T> {
    pub table: Table<T>,
    /// Pairs whose partner is less than 64 below.
    near: Vec<Delta<T>>,
    layers: Vec<Layer<T>>,
    /// Those with partners from 16 below on, and the others.
    mid: Vec<Delta<T>>,
    close: Vec<Layer<T>>,
    /// For heaps of each parity and each common code the end of the rare codes below it, if there are few.
    ends: [Vec<u32>; 2],
    /// Codes from here on are few, or none.
    usual: u32,
    /// Pairs whose partner is before the block, and those that come later, the nearest last.
    far: List<T>,
    later: Vec<Delta<T>>,
    early: List<T>,
    spans: Option<Spans>,
    flags: Flags,
    /// What is excluded for one heap: by rares of late, and by all that is near.
    late: Vec<u32>,
    excluded: Vec<u8>,
    /// Heaps of a block that had no hole left.
    exhausted: usize,
    /// How many heaps and far pairs there were when the lists were put in order.
    learned: (usize, usize),
    /// How many threads may work on it: two at most do.
    pub threads: usize,
}

impl<T: Lane> Blocks for Large<T> {
    type Cell = T;

    fn table(&mut self) -> &mut Table<T> {
        &mut self.table
    }

    fn prepare(&mut self) {
        let len = self.table.len();
        let mut all = self.table.deltas();
        let cut = all.partition_point(|d| d.back < 64);
        self.near = all.drain(..cut).collect();
        self.layers = Layer::of(&self.near);
        let close = self.near.partition_point(|d| d.back < 16);
        self.close = Layer::of(&self.near[..close]);
        self.mid = self.near[close..].to_vec();
        self.usual = T::usual(&self.table);
        let codes = if T::COMMONS > 256 { 0 } else { T::COMMONS };
        let split = self.table.split;
        self.ends = [0, 1].map(|p| (0..codes).map(|c| split.rares_below(c, p)).collect());
        self.spans = None;
        let known = all.partition_point(|d| (d.back as usize) < len);
        self.later = all.drain(known..).rev().collect();
        self.far.set(all);
        self.make_early();
        // What is learned of one split is good for another one, and for long.
        let (old, pairs) = self.learned;
        let grown = self.far.deltas.len() > pairs + pairs / 2;
        if len >= LEARNED && (len >= LASTS * old || grown) {
            self.learned = (len, self.far.deltas.len());
            let split = self.table.split;
            let mut wanted = Sample::new(&self.table, |_, code| code);
            self.far.learn(&self.table, &mut wanted);
            wanted = Sample::new(&self.table, |n, code| split.rares_below(code, n));
            self.early.learn(&self.table, &mut wanted);
        }
        if self.early.best > 0 {
            self.early.deltas.truncate(T::KEPT * self.early.best);
        }
    }

    fn blocks(&mut self) -> bool {
        self.next()
    }

    fn many(
        &mut self,
        to: usize,
        stopped: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Option<bool>, Stop> {
        self.together(to, stopped)
    }
}

impl<T: Lane> Large<T> {
    /// A run that goes on from what is known.
    pub fn new(table: Table<T>) -> Self {
        let mut large = Large {
            table,
            near: Vec::new(),
            layers: Vec::new(),
            mid: Vec::new(),
            close: Vec::new(),
            ends: [vec![], vec![]],
            usual: 0,
            far: List::new(),
            later: Vec::new(),
            early: List::new(),
            spans: None,
            flags: Flags::default(),
            late: Vec::new(),
            excluded: Vec::new(),
            exhausted: 0,
            learned: (0, 0),
            threads: 1,
        };
        large.table.witness = large.table.witness.max(T::EARLY);
        if !large.table.is_empty() {
            large.prepare();
        }
        large
    }

    /// The common heaps near the start, which most often give a rare value with a common partner.
    fn make_early(&mut self) {
        let table = &self.table;
        let base = table.len() & !63;
        let mut early = Vec::new();
        for a in 64..base.min(T::EARLY) {
            if let Some(code) = table.cells[PAD + a].common() {
                for &t in &table.twos {
                    if t + a <= base && !(table.unequal && 2 * a + t >= base) {
                        early.push(Delta {
                            back: (t + a) as u32,
                            code: T::code(code),
                        });
                    }
                }
            }
        }
        self.early.set(early);
    }

    /// Flags for all codes up to this one, and so for their nim-sums.
    fn make_flags(&mut self, most: u32) {
        let words = (most + 1).next_power_of_two() as usize / 64;
        if words > self.flags.words {
            self.flags.words = words.max(4);
            self.flags.bits = vec![0; 64 * self.flags.words];
        }
    }

    /// Codes from here on are too large for a block.
    fn limit(&self) -> u32 {
        T::COMMONS.min(self.flags.codes())
    }

    /// Makes room for a code that was too large for a block. False if it is too large for a cell.
    fn grow(&mut self, code: u32) -> bool {
        self.make_flags(code);
        code < T::COMMONS
    }

    /// Lists what rares of late exclude for a heap and no delta does yet.
    fn exclude_late(&mut self, n: usize, base: usize) {
        self.late.clear();
        let reach = self.table.reach();
        let rares = self.table.rares.iter().rev();
        for &(r, code) in rares.take_while(|r| r.0 + reach + 64 > base) {
            // Rares of this block are not among the deltas yet.
            for &t in &self.table.twos {
                let new = r >= base && r + t < n;
                let partner = new.then(|| self.table.cells[PAD + n - t - r].common());
                if let Some(p) = partner.flatten() {
                    self.late.push(p ^ code);
                }
            }
            // A rare heap left alone may have a common value.
            if self.table.split.position {
                for &t in &self.table.ones {
                    if t % 2 == 1 && r + t == n {
                        self.late.push(code);
                    }
                }
            }
        }
    }

    /// The least common code that is not excluded, from the holes of the far pairs or else from all pairs.
    fn common_code(&mut self, n: usize, block: &Block<T>) -> u32 {
        self.exclude_late(n, block.base);
        let lane = n - block.base;
        let below = block.window[lane..lane + 64].try_into().expect("64 cells");
        let column = block.holes[..block.rows].iter().map(|row| row[lane]);
        for hole in column.take_while(|&h| h != T::FULL) {
            let code = hole.bits();
            if !self.late.contains(&code) && !T::gives(below, &self.layers, hole) {
                return code;
            }
        }
        let most = self.flags.codes();
        // Where a great part of all heaps is rare it takes less to look for one code among all pairs than for all codes.
        let (known, rares) = (self.table.len() >= n, self.far.deltas.len());
        if T::TELLS && known && rares > n / ALL {
            let late = &self.late;
            let mut left = (block.listed[lane]..most).filter(|code| !late.contains(code));
            let code = left.find(|&code| !self.table.search_common(n, code));
            let code = code.unwrap_or(most);
            self.exhausted += usize::from(code < self.usual);
            return code;
        }
        self.table.work.searches += 1;
        // A byte for each code, the last one for all that is past the flags, which matters only once they have grown.
        let most = most as usize;
        let excluded = &mut self.excluded;
        excluded.clear();
        excluded.resize(most + 1, 0u8);
        let excluded = &mut excluded[..most + 1];
        let mut exclude = |code: u32| excluded[most.min(code as usize)] = 1;
        self.late.iter().copied().for_each(&mut exclude);
        for d in &self.near {
            if let Some(p) = below[64 - d.back as usize].common() {
                exclude(p ^ d.code.bits());
            }
        }
        for d in &self.far.deltas {
            if let Some(p) = self.table.cells[PAD + n - d.back as usize].common() {
                exclude(p ^ d.code.bits());
            }
        }
        let code = excluded[..most].iter().position(|&e| e == 0);
        let code = code.unwrap_or(most) as u32;
        // A code that no hole stands for says nothing of the number of pairs that are scattered.
        self.exhausted += usize::from(code < self.usual);
        code
    }

    /// Finds the values of the heaps up to the end of the 64 that the next one belongs to, as if none were rare. The error
    /// says whether codes that have become larger still fit; nothing is found then.
    fn commons(&mut self) -> Result<Block<T>, bool> {
        let from = self.table.len();
        let (base, first) = (from & !63, from & 63);
        self.make_flags(self.table.largest_code().max(64));
        while let Some(delta) = self.later.pop_if(|d| (d.back as usize) < base + 64) {
            self.far.push(delta);
        }
        let mut block = Block {
            base,
            first,
            codes: [0; 64],
            ends: [0; 64],
            holes: [[T::FULL; 64]; ROWS],
            rows: 0,
            listed: [self.usual.min(self.table.top + 1); 64],
            window: [T::NONE; 128],
        };
        let mut flags = std::mem::take(&mut self.flags);
        let (rows, work) = self.far.sieve(
            self.far.place(&self.table, base),
            &mut block.listed,
            &mut flags,
            &mut block.holes,
            Want::Least,
        );
        block.rows = rows;
        self.table.work.rare_tests += work;
        self.flags = flags;

        block.window[..64].copy_from_slice(&self.table.cells[base..base + 64]);
        block.window[64..64 + first].copy_from_slice(&self.table.cells[PAD + base..]);
        // Where no rare is near, most heaps need no more than their first holes.
        let last = self.table.rares.last().map_or(0, |r| r.0);
        let calm = base > last + self.table.reach() + 64;
        let mut lane = first;
        while lane < 64 {
            if calm {
                let holes = &block.holes[..rows];
                let window = &mut block.window;
                lane = T::first_holes(window, holes, &self.mid, &self.close, lane);
                if lane == 64 {
                    break;
                }
            }
            let code = self.common_code(base + lane, &block);
            if code >= self.limit() {
                self.table.cells.truncate(PAD + from);
                return Err(self.grow(code));
            }
            block.window[64 + lane] = T::new(code, true);
            if !calm {
                self.table.cells.push(block.window[64 + lane]);
            }
            lane += 1;
        }
        let done = self.table.len() - base;
        self.table
            .cells
            .extend_from_slice(&block.window[64 + done..]);
        for lane in first..64 {
            let code = block.window[64 + lane].bits();
            let ends = &self.ends[lane & 1];
            let computed = || self.table.split.rares_below(code, base + lane);
            block.codes[lane] = code;
            block.ends[lane] = ends.get(code as usize).copied().unwrap_or_else(computed);
        }
        if let Some(missed) = T::MISSED {
            self.far.ranks.learn(first, &block.window[64..], missed);
        }
        self.far
            .adapt(std::mem::take(&mut self.exhausted), T::SPARE);
        Ok(block)
    }

    /// Computes up to the end of the 64 heaps that the next one belongs to. False if a code has become too large.
    fn next(&mut self) -> bool {
        let mut block = match self.commons() {
            Ok(block) => block,
            Err(fits) => return fits,
        };
        let mut flags = std::mem::take(&mut self.flags);
        let place = self.early.place(&self.table, block.base);
        let open = self.early.open(place, &block, &mut flags);
        self.table.work.exclusion_steps += open.work;
        self.flags = flags;

        let known = self.table.rares.len();
        let mut fits = true;
        let mut tried: Vec<u32> = Vec::new();
        for lane in block.first..64 {
            let n = block.base + lane;
            if self.table.rares.len() > known {
                let code = self.common_code(n, &block);
                if code >= self.limit() {
                    self.table.cells.truncate(PAD + n);
                    fits = self.grow(code);
                    break;
                }
                block.codes[lane] = code;
                block.window[64 + lane] = T::new(code, true);
                self.table.cells[PAD + n] = block.window[64 + lane];
            }
            let end = self.table.split.rares_below(block.codes[lane], n);
            open.tried(lane, end, &self.flags, &mut tried);
            match tried.iter().find(|&&k| !self.table.search(n, k)) {
                None => self.table.count_code(n, block.codes[lane]),
                Some(&k) if k >= T::RARES => {
                    self.table.cells.truncate(PAD + n);
                    fits = false;
                    break;
                }
                Some(&k) => {
                    self.table.push_rare(n, k);
                    block.window[64 + lane] = self.table.cells[PAD + n];
                }
            }
        }
        fits && self.take_in(known)
    }

    /// What new rares change, those from number `known` on. False if a code has become too large.
    fn take_in(&mut self, known: usize) -> bool {
        if self.table.rares.len() == known {
            return true;
        }
        if self.table.has_many_rares() {
            let fits = self.table.choose();
            if fits {
                self.prepare();
            }
            return fits;
        }
        for &(r, code) in &self.table.rares[known..] {
            let delta = |&t: &usize| Delta {
                back: (t + r) as u32,
                code: T::code(code),
            };
            self.later.extend(self.table.twos.iter().map(delta));
        }
        self.later
            .sort_unstable_by_key(|d| std::cmp::Reverse(d.back));
        true
    }

    /// As `next` again and again, some blocks together, up to heap `to` or to a new rare; on two threads if there may be
    /// two. None if that is not the time for it: rares still come, or there is little to do.
    fn together(
        &mut self,
        to: usize,
        stopped: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Option<bool>, Stop> {
        let from = self.table.len();
        let last = self.table.rares.last().map_or(0, |r| r.0);
        let to = self.table.due().min(to);
        let reach = self.early.reach;
        let calm = self.later.is_empty() && from >= last.max(reach) + CALM && to >= from + CALM;
        if !calm {
            return Ok(None);
        }
        let spans = T::spans(&mut self.table, self.spans.take());
        if self.threads < 2 && spans.is_none() {
            return Ok(None);
        }
        let prover = match spans {
            Some(spans) => Prover::Spans(spans),
            None => Prover::Early(std::mem::replace(&mut self.early, List::new())),
        };
        let known = self.table.rares.len();
        let (backs, codes) = match &prover {
            Prover::Spans(spans) => (spans.backs().to_vec(), spans.codes()),
            Prover::Early(_) => (Vec::new(), usize::MAX),
        };
        let mut stretch = Stretch {
            to,
            stopped,
            end: None,
            backs,
            codes,
            reach,
            last,
        };
        let (prover, fits) = if self.threads < 2 {
            self.in_turn(prover, &mut stretch)
        } else {
            self.ahead(prover, &mut stretch)
        };
        match prover {
            Prover::Spans(spans) => self.spans = Some(spans),
            Prover::Early(early) => self.early = early,
        }
        let result = fits.map_or_else(|| stretch.end.unwrap_or(Ok(true)), Ok);
        Ok(Some(result? && self.take_in(known)))
    }

    /// Proves each lot of blocks before the next one is begun. It says whether the code of a new rare fits, if there is one.
    fn in_turn(
        &mut self,
        mut prover: Prover<T>,
        stretch: &mut Stretch,
    ) -> (Prover<T>, Option<bool>) {
        while stretch.end.is_none() {
            let Some(job) = self.job(stretch) else {
                break;
            };
            for proof in job.run(&mut prover) {
                if let Some(fits) = self.settle(&proof) {
                    return (prover, Some(fits));
                }
            }
        }
        (prover, None)
    }

    /// As `in_turn`, with the proofs on a second thread, some lots behind.
    fn ahead(&mut self, mut prover: Prover<T>, stretch: &mut Stretch) -> (Prover<T>, Option<bool>) {
        let (jobs, waiting) = mpsc::channel::<Job<T>>();
        let (done, proved) = mpsc::channel::<Vec<Proof<T>>>();
        let fits = thread::scope(|scope| {
            let prover = &mut prover;
            scope.spawn(move || {
                for job in waiting {
                    if done.send(job.run(prover)).is_err() {
                        return;
                    }
                }
            });
            let mut flying = 0;
            while stretch.end.is_none() || flying > 0 {
                if let Some(job) = self.job(stretch) {
                    let sent = jobs.send(job);
                    sent.expect("the other thread waits for the channel to end");
                    flying += 1;
                }
                if flying > if stretch.end.is_none() { AHEAD } else { 0 } {
                    let proofs = proved.recv().expect("there is a proof for each job");
                    flying -= 1;
                    for proof in proofs {
                        if let Some(fits) = self.settle(&proof) {
                            // What comes after it was found without it.
                            return Some(fits);
                        }
                    }
                }
            }
            drop(jobs);
            None
        });
        (prover, fits)
    }

    /// Blocks to be proved together, if any are still to come.
    fn job(&mut self, stretch: &mut Stretch) -> Option<Job<T>> {
        let mut blocks = Vec::new();
        while stretch.end.is_none() && blocks.len() < SPAN {
            if self.table.len() >= stretch.to || self.table.top as usize >= stretch.codes {
                stretch.end = Some(Ok(true));
            } else if (stretch.stopped)(self.table.len()) {
                stretch.end = Some(Err(Stop::Interrupted));
            } else {
                match self.commons() {
                    Ok(block) => blocks.push(block),
                    Err(fits) => stretch.end = Some(Ok(fits)),
                }
            }
        }
        let base = blocks.first()?.base;
        let codes = blocks.iter().flat_map(|b| b.codes);
        Some(Job {
            cells: if stretch.backs.is_empty() {
                self.table.cells[base - stretch.reach..].to_vec()
            } else {
                spans::gather(&self.table.cells, &stretch.backs, base)
            },
            mixed: base < stretch.reach + stretch.last + 1,
            most: codes.fold(self.table.largest_code(), u32::max),
            flags: Flags {
                words: self.flags.words,
                bits: vec![0; self.flags.bits.len()],
            },
            blocks,
        })
    }

    /// Ends the proofs of a block. If one fails, that heap is the last, and it is said whether its code fits.
    fn settle(&mut self, proof: &Proof<T>) -> Option<bool> {
        self.table.work.exclusion_steps += proof.work;
        let mut left = proof.left.iter().peekable();
        for lane in proof.block.first..64 {
            let n = proof.block.base + lane;
            while let Some(&(_, k)) = left.next_if(|l| l.0 == lane) {
                if self.table.search(n, k) {
                    continue;
                }
                self.table.cells.truncate(PAD + n);
                if k < T::RARES {
                    self.table.cells.push(T::NONE);
                    self.table.push_rare(n, k);
                }
                return Some(k < T::RARES);
            }
            self.table.count_code(n, proof.block.codes[lane]);
        }
        None
    }
}

/// Blocks whose rare values are to be proved options.
struct Job<T> {
    /// From the farthest partner of the first block on, or what `spans` wants.
    cells: Vec<T>,
    mixed: bool,
    most: u32,
    flags: Flags,
    blocks: Vec<Block<T>>,
}

/// What proves.
enum Prover<T> {
    Early(List<T>),
    Spans(Spans),
}

/// Heaps to come.
struct Stretch<'a> {
    to: usize,
    stopped: &'a mut dyn FnMut(usize) -> bool,
    /// Why no more blocks are begun.
    end: Option<Result<bool, Stop>>,
    /// The windows of `spans`, and the codes that they know; none and all for early pairs.
    backs: Vec<usize>,
    codes: usize,
    /// How far below the farthest early partner is, and the last rare.
    reach: usize,
    last: usize,
}

/// A block, and the rare codes that are still to be searched for, each with its lane.
struct Proof<T> {
    block: Block<T>,
    left: Vec<(usize, u32)>,
    work: u64,
}

impl<T: Lane> Job<T> {
    fn run(self, prover: &mut Prover<T>) -> Vec<Proof<T>> {
        match prover {
            Prover::Early(early) => self.by_early_pairs(early),
            Prover::Spans(spans) => self.by_spans(spans),
        }
    }

    fn by_spans(self, spans: &mut Spans) -> Vec<Proof<T>> {
        let words: Vec<_> = self.blocks.iter().map(|b| (b.first, &b.ends)).collect();
        let (left, mut work) = spans.open(T::bytes(&self.cells), &words);
        let proofs = self.blocks.into_iter().zip(left);
        let proofs = proofs.map(|(block, left)| Proof {
            block,
            left,
            work: std::mem::take(&mut work),
        });
        proofs.collect()
    }

    fn by_early_pairs(mut self, early: &mut List<T>) -> Vec<Proof<T>> {
        let first = self.blocks.first().map_or(0, |b| b.base);
        let mut tried = Vec::new();
        let proofs = self.blocks.into_iter().map(|block| {
            let place = Place {
                cells: &self.cells,
                at: PAD + early.reach + block.base - first,
                mixed: self.mixed,
                most: self.most,
            };
            let open = early.open(place, &block, &mut self.flags);
            let mut left = Vec::new();
            for lane in block.first..64 {
                open.tried(lane, block.ends[lane], &self.flags, &mut tried);
                left.extend(tried.iter().map(|&k| (lane, k)));
            }
            Proof {
                block,
                left,
                work: open.work,
            }
        });
        proofs.collect()
    }
}

/// Heaps without a rare after which some blocks are proved together, and that there must be to come.
const CALM: usize = 1 << 14;
/// Lots of blocks that may be ahead of their proofs.
const AHEAD: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain::Plain;
    use grundy_core::Code;
    use grundy_testkit::Random;

    fn agree<T: Lane>(code: &Code, truth: &[u16]) {
        let mut large = Large::<T>::new(Table::new(code));
        if large.advance(truth.len(), &mut |_| false) == Ok(true) {
            let found = large.table.values(0..truth.len());
            let first = (0..truth.len()).find(|&n| found[n] != truth[n]);
            let shown = first.map(|n| (n, found[n], truth[n]));
            assert_eq!(shown, None, "{code:?}: heap, value, value by all options");
            for heaps in [0..1, 1..70, 701..702, 333..2000, 1000..truth.len()] {
                let found = large.table.values(heaps.clone());
                assert!(found == truth[heaps.clone()], "{code:?}: {heaps:?}");
                let single = heaps.clone().map(|n| large.table.value(n) as u16);
                assert!(single.eq(found), "{code:?}: {heaps:?}");
            }
        }
    }

    #[test]
    fn codes_of_one_and_of_two_bytes() {
        let mut random = Random::new(19);
        for case in 0..60 {
            let mut digits: Vec<u64> = (0..2 + random.below(5)).map(|_| random.below(8)).collect();
            digits[0] &= 4;
            for _ in 0..random.below(4) {
                digits.insert(1, 0);
            }
            let unequal = case % 8 == 7;
            let code = Code {
                unequal,
                ..Code::finite(digits)
            };
            if code.parts() < 2 {
                continue;
            }
            let mut plain = Plain::new(&code);
            let to = if unequal { 9_000 } else { 6_000 };
            plain.advance(to, &mut |_| false).expect("nothing stops it");
            agree::<u8>(&code, plain.values());
            agree::<u16>(&code, plain.values());
        }
    }
}
