//! Small codes: 32 heaps at a time, a bit for each code, and the rare values of 64 heaps excluded together.
//!
//! For moves that leave at most two heaps. Codes are below 62, those of rares below 64, so that a word holds what is excluded
//! for a heap. Common values come from the pairs with a rare heap. That the rare values below are options is shown by
//! *witnesses*, pairs of a heap with a common one near the start, the same for all heaps, in an order that did best for the
//! last heaps; what they leave is searched for. Cost: the number of rares and of witnesses tried for each 32 heaps.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::lanes::Delta;
use crate::small::{self, By, LANES, Near, Plan};
use crate::split::Split;
use crate::table::{Blocks, Cell, PAD, START, Table};

/// How far below a heap the partners of its exclusion proofs are at most.
const BACK: usize = 64 * 27;
/// The last heaps, on which witnesses are tried to find the best first ones.
const SAMPLE: usize = 512;
/// Witnesses at most.
const MOST: usize = 128;
/// Heaps that are computed together, and then proved.
const SPAN: usize = 512;
/// Codes from this on leave no room for those that a block may add.
const TOP: u32 = 62;

/// A nim-sequence on its way.
pub(crate) struct Pairs {
    pub table: Table<u8>,
    far: Vec<Delta<u8>>,
    near: Near,
    /// Codes from 16 times this on are not kept account of.
    halves: usize,
    plan: Plan,
    /// The split, the number of rares and the largest code when it was made.
    planned: (Split, usize, u32),
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
            self.halves = 0;
            self.make_deltas();
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
            halves: 0,
            plan: Plan::default(),
            planned: Default::default(),
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
        let cut = self.far.partition_point(|d| (d.back as usize) < LANES);
        self.near = Near::new(&self.far[..cut]);
        self.far.drain(..cut);
        self.make_room();
    }

    /// Keeps account of all codes so far, and of those of rare values below them.
    fn make_room(&mut self) {
        let most = (self.table.top | self.table.split.low()).max(self.table.rare_top);
        self.halves = self.halves.max(most as usize / 16 + 1).min(4);
        self.plan.tight = self.halves == 1;
    }

    /// The pairs that may show a rare value to be an option, those first that did so for most of the last heaps.
    fn make_plan(&mut self) {
        let table = &self.table;
        let base = table.len() & !63;
        let mut all: Vec<Delta<u8>> = Vec::new();
        let mut partner = |back: usize, code: u8| {
            let back = back as u32;
            all.push(Delta { back, code });
        };
        for &t in &table.ones {
            if table.split.position && t % 2 == 1 && t < BACK {
                partner(t, 0);
            }
        }
        for &t in &table.twos {
            for a in 1..BACK.min(base - START / 2).saturating_sub(t) {
                if let Some(code) = table.cells[PAD + a].common() {
                    partner(t + a, code as u8);
                }
            }
        }
        all.sort_unstable_by_key(|w| (w.back, w.code));
        let tried = all.len().min(if base >= 1 << 15 { 1024 } else { 192 });
        let plan = Plan::new(&table.split, vec![], false);
        // The rare codes that are still to be shown.
        let from = base - SAMPLE;
        let mut rest: Vec<u64> = (from..base)
            .map(|n| plan.end(n, table.cells[PAD + n]))
            .map(|end| 1u64.checked_shl(end.into()).unwrap_or(0).wrapping_sub(1))
            .collect();
        let partners = |i: usize| {
            let back = all[i].back as usize;
            &table.cells[PAD + from - back..PAD + base - back]
        };
        let gain = |i: usize, rest: &[u64]| small::gain(partners(i), all[i].code, rest);
        let mut heap: BinaryHeap<(u64, Reverse<usize>)> =
            (0..tried).map(|i| (gain(i, &rest), Reverse(i))).collect();
        let mut witnesses = Vec::new();
        // Gains only fall, so one that is still nearly the largest when looked at again is nearly the largest.
        while let Some((_, Reverse(i))) = heap.pop() {
            let new = gain(i, &rest);
            if heap.peek().is_some_and(|&(next, _)| next > new + new / 8) {
                heap.push((new, Reverse(i)));
                continue;
            }
            for (rest, &p) in rest.iter_mut().zip(partners(i)) {
                *rest &= !1u64.checked_shl((p ^ all[i].code).into()).unwrap_or(0);
            }
            witnesses.push(all[i]);
            if witnesses.len() >= MOST {
                break;
            }
        }
        self.plan = Plan::new(&self.table.split, witnesses, self.halves == 1);
    }

    /// Computes up to the end of a few blocks of heaps, or to a new rare. False if the codes have become too large.
    fn next(&mut self) -> bool {
        let from = self.table.len();
        let base = from & !63;
        let reach = self.table.reach();
        self.table.cells.resize(PAD + base + SPAN, 0);
        let last = self.table.rares.last().map_or(0, |r| r.0);
        let mut late = Vec::new();
        let mut lanes = 0;
        for base in (base..base + SPAN).step_by(LANES) {
            let first = from.saturating_sub(base);
            if first >= LANES {
                continue;
            }
            let far = match self.far.last() {
                Some(d) if d.back as usize >= base + 64 => {
                    self.far.partition_point(|d| (d.back as usize) < base + 64)
                }
                _ => self.far.len(),
            };
            // A rare heap left alone may have a common value here.
            late.clear();
            if self.table.split.position && last + reach >= base {
                let rares = self.table.rares.iter().rev();
                for &(r, code) in rares.take_while(|r| r.0 + reach >= base) {
                    let odd = self.table.ones.iter().filter(|&&t| t % 2 == 1);
                    let lanes = odd.filter_map(|&t| (r + t).checked_sub(base));
                    late.extend(lanes.filter(|&l| l < LANES).map(|l| (l, code as u8)));
                }
            }
            let by = By {
                far: &self.far[..far],
                near: &self.near,
                late: &late,
                halves: self.halves,
                mixed: last + 8 >= base,
            };
            small::commons(&mut self.table.cells, PAD + base, first, &by);
            lanes += (far + self.near.len()) * (LANES - first);
        }
        let codes = self.table.cells[PAD + from..].iter();
        let most = u32::from(codes.fold(0, |most, &c| c.max(most)));
        if most >= TOP || most >= 16 * self.halves as u32 {
            self.table.cells.truncate(PAD + from);
            // With all bits kept account of the code is right, and too large.
            let grows = self.halves < 4;
            self.halves += usize::from(grows);
            self.plan.tight = false;
            return grows;
        }
        self.table.work.rare_tests += lanes as u64;
        let mut left = Vec::new();
        for base in (base..base + SPAN).step_by(64) {
            let steps = small::prove(&self.table.cells, PAD + base, &self.plan, &mut left);
            self.table.work.exclusion_steps += steps;
            for (lane, k) in left.drain(..) {
                let n = base + lane;
                if n < from || self.table.search(n, u32::from(k)) {
                    continue;
                }
                self.table.cells.truncate(PAD + n + 1);
                self.count(from, n);
                self.table.push_rare(n, u32::from(k));
                if !self.table.has_many_rares() {
                    self.make_deltas();
                    return true;
                }
                let fits = self.table.choose();
                if fits {
                    self.prepare();
                }
                return fits;
            }
        }
        self.count(from, base + SPAN);
        true
    }

    /// Counts heaps whose values are common.
    fn count(&mut self, from: usize, to: usize) {
        let cells = &self.table.cells[PAD + from..PAD + to];
        let most = cells.iter().fold(0, |most, &c| c.max(most));
        for code in 0..=most {
            let counts = small::count(cells, code);
            for (i, count) in counts.into_iter().enumerate() {
                self.table.code_counts[(from + i) & 1][usize::from(code)] += count;
            }
        }
        self.table.top = self.table.top.max(u32::from(most));
        self.make_room();
    }
}
