//! Small codes: 64 heaps at a time, a bit for each code, and the rare values of 512 heaps excluded together.
//!
//! For moves that leave at most two heaps. Codes are below 62, those of rares below 64, so that a word holds what is excluded
//! for a heap. Cost: the number of rares for each 64 heaps, some tens of steps for each word of heaps and rare code.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::lanes::{self, Delta, EVEN, Eight, Near, ROW, SPAN, Witness};
use crate::split::Split;
use crate::table::{Blocks, Cell, PAD, START, Table};

/// Words of history that rows keep at least: those of a sample of heaps, and of the partners of its first one.
const KEEP: usize = 36;
/// How far below a heap the partners of its exclusion proofs are at most.
const BACK: usize = 64 * 27;
/// Spans of the last heaps on which witnesses are tried to find the best first ones.
const SAMPLE: usize = 1;
/// The mark of a rare heap.
const RARE: u8 = u8::NONE;
/// Codes from this on leave no room for those that a block may add.
const TOP: u32 = 62;

/// A nim-sequence on its way.
pub(crate) struct Pairs {
    pub table: Table<u8>,
    far: Vec<Delta<u8>>,
    near: Near,
    /// A bit for each heap with common code r, from word `row_start` on.
    rows: Vec<u64>,
    row_start: usize,
    /// Whether codes from 32 on are kept account of.
    wide: bool,
    plan: Vec<Vec<Witness>>,
    /// The split, the number of rares and the largest code when it was made.
    planned: (Split, usize, u32),
    /// For even and odd heaps and each rare code, the least common code above it.
    threshold: [Vec<u8>; 2],
}

impl Blocks for Pairs {
    type Cell = u8;

    fn table(&mut self) -> &mut Table<u8> {
        &mut self.table
    }

    fn prepare(&mut self) {
        let table = &self.table;
        let known = (table.split, table.rares.len(), table.top);
        // A plan made of many heaps stays good.
        if table.len() > 1 << 16 && self.planned == known {
            return;
        }
        if self.fits() {
            self.planned = known;
            self.wide = self.table.top >= 32;
            self.make_deltas();
            self.make_rows();
            self.make_plan();
        }
    }

    fn blocks(&mut self) -> bool {
        self.fits() && self.next()
    }
}

impl Pairs {
    /// A run that goes on from what is known.
    pub fn new(table: Table<u8>) -> Self {
        let mut pairs = Pairs {
            table,
            far: vec![],
            near: Near::default(),
            rows: vec![0; 64 * ROW],
            row_start: 0,
            wide: false,
            plan: vec![],
            planned: Default::default(),
            threshold: [vec![], vec![]],
        };
        if !pairs.table.is_empty() {
            pairs.prepare();
        }
        pairs
    }

    /// Whether all codes are small, also those of rares that a heap may turn out to have: they are less than its common
    /// value, and their codes need not be.
    fn fits(&self) -> bool {
        self.table.top < TOP && self.table.split.low() < 64 && self.table.rare_top < 64
    }

    /// The pairs with a rare heap, and the heaps that a move may leave alone.
    fn make_deltas(&mut self) {
        self.far = self.table.deltas();
        let cut = self.far.partition_point(|d| d.back < 64);
        self.near = Near::new(&self.far[..cut]);
        self.far.drain(..cut);
    }

    fn make_rows(&mut self) {
        let word = self.table.len() / 64;
        self.row_start = word.saturating_sub(KEEP);
        self.rows.fill(0);
        for w in self.row_start..word {
            let codes = self.table.cells[PAD + 64 * w..][..64]
                .try_into()
                .expect("64 codes");
            lanes::fill_rows(&mut self.rows, w - self.row_start, codes, 63);
        }
    }

    /// For each rare code the pairs that may show it to be an option, those that did so for the last heaps first.
    fn make_plan(&mut self) {
        let base = self.table.len() & !63;
        let most = ((self.table.top | self.table.split.low()) + 2).min(64);
        for p in 0..2 {
            self.threshold[p] = (0..most)
                .map(|k| {
                    let rare = self.table.split.decode(k, p, false);
                    (0..64)
                        .find(|&c| self.table.split.decode(u32::from(c), p, true) > rare)
                        .unwrap_or(64)
                })
                .collect();
        }
        let mut partners: Vec<(u16, u8)> = Vec::new();
        for &t in &self.table.ones {
            if self.table.split.position && t % 2 == 1 && t < BACK {
                partners.push((t as u16, 0));
            }
        }
        for &t in &self.table.twos {
            for a in 1..BACK.min(base - START / 2).saturating_sub(t) {
                let code = self.table.cells[PAD + a];
                if code != RARE {
                    partners.push(((t + a) as u16, code));
                }
            }
        }
        partners.sort_unstable();
        let frequency: Vec<u64> = (0..64)
            .map(|c| self.table.code_counts[0][c] + self.table.code_counts[1][c])
            .collect();
        let frequency: Vec<u64> = if frequency.iter().sum::<u64>() < 256 {
            let mut f = vec![0u64; 64];
            for &c in &self.table.cells[PAD + base.saturating_sub(2048).max(1)..] {
                if c < 64 {
                    f[usize::from(c)] += 1;
                }
            }
            f
        } else {
            frequency
        };
        // The last heaps are the sample, and the more heaps there are to come the longer it is looked at.
        let (tried, spans) = if base >= 1 << 15 {
            (1024, SAMPLE)
        } else {
            (192, 1)
        };
        let from = (base / 64 - self.row_start).saturating_sub(spans * SPAN);
        let place = |span: usize| from + SPAN * span;
        let least = |p: usize, k: usize| usize::from(self.threshold[p][k]);
        self.plan = (0..most as usize)
            .map(|k| {
                let all: Vec<Witness> = partners
                    .iter()
                    .map(|&(back, c)| (back, c ^ k as u8))
                    .filter(|w| w.1 < 64 && frequency[usize::from(w.1)] > 0)
                    .map(|(back, row)| Witness::new(back, row))
                    .collect();
                let tried = all.len().min(tried);
                // The heaps of the sample whose values are above the rare one.
                let mut rest = vec![[0u64; SPAN]; spans];
                for (span, rest) in rest.iter_mut().enumerate() {
                    for (b, rest) in rest.iter_mut().enumerate() {
                        for c in 0..64 {
                            let lanes = if c >= least(0, k) { EVEN } else { 0 }
                                | if c >= least(1, k) { !EVEN } else { 0 };
                            *rest |= lanes & self.rows[c * ROW + place(span) + b];
                        }
                    }
                }
                let gain = |i: usize, rest: &[[u64; SPAN]]| -> u32 {
                    let shown = rest.iter().enumerate().map(|(span, before)| {
                        let mut after = *before;
                        lanes::exclude(&self.rows, place(span), &all[i..=i], &mut after);
                        before
                            .iter()
                            .zip(after)
                            .map(|(b, a)| (b ^ a).count_ones())
                            .sum::<u32>()
                    });
                    shown.sum()
                };
                // Gains only fall, so one that is still the largest when looked at again is the largest.
                let mut heap: BinaryHeap<(u32, Reverse<usize>)> =
                    (0..tried).map(|i| (gain(i, &rest), Reverse(i))).collect();
                let mut list = Vec::with_capacity(all.len());
                while let Some((old, Reverse(i))) = heap.pop() {
                    let open = rest.iter().flatten().any(|&w| w != 0);
                    let new = if open { gain(i, &rest) } else { old };
                    if new < old && heap.peek().is_some_and(|&(next, _)| next > new) {
                        heap.push((new, Reverse(i)));
                        continue;
                    }
                    if open {
                        for (span, rest) in rest.iter_mut().enumerate() {
                            lanes::exclude(&self.rows, place(span), &all[i..=i], rest);
                        }
                    }
                    list.push(all[i]);
                }
                list.extend(&all[tried..]);
                list
            })
            .collect();
    }

    /// Computes up to the end of a few words of 64 heaps, or to a new rare. False if the codes have become too large.
    fn next(&mut self) -> bool {
        let from = self.table.len();
        let (base, first) = (from & !63, from & 63);
        if base / 64 + SPAN + 1 > self.row_start + ROW {
            let drop = base / 64 - KEEP - self.row_start;
            for row in self.rows.chunks_exact_mut(ROW) {
                row.copy_within(drop.., 0);
            }
            self.row_start += drop;
        }
        let word = base / 64 - self.row_start;
        let mut window = [0u64; 17];
        let mut masks: [Eight; 8] = [[[0; 32]; 2]; 8];
        let wide = self.wide;
        let mut largest = 0u8;
        for block in 0..SPAN {
            let base = base + 64 * block;
            let first = if block == 0 { first } else { 0 };
            let known = self.far.partition_point(|d| (d.back as usize) < base + 64);
            lanes::far(
                &self.table.cells,
                PAD + base,
                &self.far[..known],
                wide,
                &mut masks,
            );
            // A rare heap left alone may have a common value here.
            if self.table.split.position {
                for &(r, code) in self
                    .table
                    .rares
                    .iter()
                    .rev()
                    .take_while(|r| r.0 + self.table.reach() + 64 > base)
                {
                    let odd = self.table.ones.iter().filter(|&&t| t % 2 == 1);
                    for lane in odd
                        .filter_map(|&t| (r + t).checked_sub(base))
                        .filter(|&l| l < 64)
                    {
                        let code = code as usize;
                        masks[lane / 8][code / 32][code / 8 % 4 * 8 + lane % 8] |= 1 << (code % 8);
                    }
                }
            }
            if block > 0 {
                window.copy_within(8..16, 0);
            } else {
                for (w, bytes) in window
                    .iter_mut()
                    .zip(self.table.cells[base..].chunks(8).take(16))
                {
                    let mut eight = [0; 8];
                    eight[..bytes.len()].copy_from_slice(bytes);
                    *w = u64::from_le_bytes(eight);
                }
            }
            let mixed = self.table.rares.last().is_some_and(|r| r.0 + 8 >= base);
            lanes::near(&mut window, &masks, &self.near, wide, mixed, first);
            let mut codes = [0u8; 64];
            for (eight, w) in codes.chunks_exact_mut(8).zip(&window[8..16]) {
                eight.copy_from_slice(&w.to_le_bytes());
            }
            let most = codes[first..].iter().copied().max().unwrap_or(0);
            if !wide && most >= 32 {
                self.wide = true;
                self.table.cells.truncate(PAD + from);
                return true;
            }
            if u32::from(most) >= TOP {
                self.table.cells.truncate(PAD + from);
                return false;
            }
            self.table.work.rare_tests += ((known + self.near.len()) * (64 - first)) as u64;
            self.table.cells.extend_from_slice(&codes[first..]);
            largest = largest.max(most);
            let last = largest.max(self.table.top as u8);
            lanes::fill_rows(&mut self.rows, word + block, &codes, last);
        }
        if u32::from(largest) > self.table.top {
            self.table.top = u32::from(largest);
            let new = self.table.cells.split_off(PAD + from);
            self.make_plan();
            self.table.cells.extend(new);
        }
        // For each code the heaps whose code is no less.
        let mut above = [[0u64; SPAN]; 65];
        for c in (0..=usize::from(largest)).rev() {
            above[c] = std::array::from_fn(|b| above[c + 1][b] | self.rows[c * ROW + word + b]);
        }
        let mut failed: Vec<(u32, u8)> = Vec::new();
        for k in 0..self.plan.len() {
            let (even, odd) = (
                above[usize::from(self.threshold[0][k])],
                above[usize::from(self.threshold[1][k])],
            );
            let mut rest: [u64; SPAN] = std::array::from_fn(|b| even[b] & EVEN | odd[b] & !EVEN);
            rest[0] &= u64::MAX << first;
            self.table.work.exclusion_steps +=
                lanes::exclude(&self.rows, word, &self.plan[k], &mut rest);
            for (b, mut left) in rest.into_iter().enumerate() {
                while left != 0 {
                    failed.push((64 * b as u32 + left.trailing_zeros(), k as u8));
                    left &= left - 1;
                }
            }
        }
        failed.sort_unstable();
        for (lane, k) in failed {
            let n = base + lane as usize;
            if !self.table.search(n, u32::from(k)) {
                for m in from..n {
                    let code = self.table.cells[PAD + m];
                    self.table.count_code(m, u32::from(code));
                }
                // The word of n may be complete, and is not filled again then.
                let row = usize::from(self.table.cells[PAD + n]) * ROW;
                self.rows[row + word + lane as usize / 64] &= !(1 << (lane % 64));
                self.table.cells.truncate(PAD + n + 1);
                self.table.push_rare(n, u32::from(k));
                if self.table.has_many_rares() {
                    if !self.table.choose() {
                        return false;
                    }
                    self.prepare();
                } else {
                    self.make_deltas();
                }
                return true;
            }
        }
        for c in 0..=usize::from(largest) {
            let [even, odd] = lanes::count(&self.rows[c * ROW..][..ROW], word, first);
            self.table.code_counts[0][c] += even;
            self.table.code_counts[1][c] += odd;
        }
        true
    }
}
