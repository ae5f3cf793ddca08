//! Codes whose moves leave at most two heaps.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::checkpoint::{Reader, Unreadable, Writer};
use crate::lanes::{self, Delta, Eight, Near, ROW, SPAN, Witness};
use crate::large::{LIMIT, Large};
use crate::split::{Split, shared_parity, takes};
use crate::{Settled, Stop};
use grundy_core::Code;

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

/// The code at rare positions in the table of common codes: no common value has it.
pub(crate) const RARE: u8 = 255;
/// Heaps below this are computed from all pairs.
const START: usize = 1024;
/// Entries before that of heap 0, so that 64 lanes may begin below it.
pub(crate) const PAD: usize = 64;
/// Words of history that rows keep at least: those of a sample of heaps, and of the partners of its first one.
const KEEP: usize = 36;
/// Heaps up to this may be the lesser one of a pair that shows a rare value to be an option without a search.
pub(crate) const WITNESS: usize = 4096;
/// How far below a heap the partners of its exclusion proofs are at most.
const BACK: usize = 64 * 27;
/// Spans of the last heaps on which witnesses are tried to find the best first ones.
const SAMPLE: usize = 1;

/// A nim-sequence on its way.
pub struct Pairs {
    /// t with "leave nothing", "leave one heap", "leave two".
    pub(crate) zeros: Vec<usize>,
    pub(crate) ones: Vec<usize>,
    pub(crate) twos: Vec<usize>,
    unequal: bool,
    shift: Option<u8>,

    pub(crate) split: Split,
    /// The first heap whose value was found by this split.
    since: usize,
    pub(crate) commons: Vec<u8>,
    pub(crate) rares: Vec<(usize, u8)>,
    /// Numbers of values at even and odd heaps, but for the commons in `code_counts`.
    counts: [Vec<u64>; 2],
    pub(crate) code_counts: [[u64; 256]; 2],
    next_choice: usize,
    pub(crate) rares_at_choice: usize,

    pub(crate) far: Vec<Delta>,
    near: Near,
    pub(crate) near_list: Vec<Delta>,
    /// A bit for each heap with common code r, from word `row_start` on.
    rows: Vec<u64>,
    row_start: usize,
    /// The largest common code.
    pub(crate) top: u8,
    /// Heaps of a block that had no hole left.
    pub(crate) exhausted: usize,
    /// What codes from 62 on need.
    pub(crate) large: Option<Large>,
    /// Whether codes from 32 on are kept account of.
    wide: bool,
    plan: Vec<Vec<Witness>>,
    /// For even and odd heaps and each rare code, the least common code above it.
    threshold: [Vec<u8>; 2],
    /// Searches that a heap past `WITNESS` ended.
    searched: Vec<(usize, usize)>,
    /// What was done.
    pub work: Work,
}

const EVEN: u64 = 0x5555_5555_5555_5555;

impl Pairs {
    /// A run that has computed nothing.
    pub fn new(digits: &[u64], unequal: bool) -> Self {
        let twos = takes(digits, 2);
        Pairs {
            zeros: takes(digits, 0),
            ones: takes(digits, 1),
            unequal,
            shift: shared_parity(&twos),
            twos,
            split: Split {
                mask: 0,
                position: false,
                shift: 0,
            },
            since: 0,
            commons: vec![RARE; PAD],
            rares: Vec::new(),
            counts: [vec![], vec![]],
            code_counts: [[0; 256]; 2],
            next_choice: START,
            rares_at_choice: 0,
            far: vec![],
            near: Near::default(),
            near_list: vec![],
            rows: vec![0; 64 * ROW],
            row_start: 0,
            top: 0,
            exhausted: 0,
            large: None,
            wide: false,
            plan: vec![],
            threshold: [vec![], vec![]],
            searched: vec![],
            work: Work::default(),
        }
    }

    /// How many values are known.
    pub fn len(&self) -> usize {
        self.commons.len() - PAD
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a heap that is known.
    pub fn value(&self, n: usize) -> u32 {
        match self.commons[PAD + n] {
            RARE if n == 0 => 0,
            RARE => {
                let i = self
                    .rares
                    .binary_search_by_key(&n, |r| r.0)
                    .expect("a rare position is listed");
                self.split.decode(u32::from(self.rares[i].1), n, false)
            }
            code => self.split.decode(u32::from(code), n, true),
        }
    }

    /// The values of heaps that are known.
    pub fn values(&self, heaps: Range<usize>) -> Vec<u16> {
        let tables = [0, 1].map(|p| -> Vec<u16> {
            (0..256)
                .map(|c| self.split.decode(c, p, true) as u16)
                .collect()
        });
        let codes = self.commons[PAD..][heaps.clone()].iter().zip(heaps);
        codes
            .map(|(&c, n)| {
                if c == RARE {
                    self.value(n) as u16
                } else {
                    tables[n & 1][usize::from(c)]
                }
            })
            .collect()
    }

    /// The facts of the window theorem.
    pub fn settled(&self) -> Settled<'_> {
        Settled {
            split: self.split,
            since: self.since,
            last_rare: self.rares.last().map_or(0, |r| r.0),
            rares: self.rares.len(),
            codes: &self.commons[PAD..],
            witness: WITNESS,
            searched: &self.searched,
        }
    }

    pub(crate) fn reach(&self) -> usize {
        [&self.zeros, &self.ones, &self.twos]
            .iter()
            .filter_map(|l| l.last())
            .max()
            .copied()
            .unwrap_or(0)
    }

    /// Takes values from the first heap on, in place of all that was known.
    fn set(&mut self, values: &[u32]) {
        self.commons.truncate(PAD);
        self.rares.clear();
        self.counts = [vec![], vec![]];
        self.code_counts = [[0; 256]; 2];
        self.top = 0;
        for (n, &v) in values.iter().enumerate() {
            let code = self.split.encode(v) as u8;
            let common = n > 0 && self.split.is_common(v, n);
            self.commons.push(if common { code } else { RARE });
            if common {
                self.code_counts[n & 1][usize::from(code)] += 1;
                self.top = self.top.max(code);
            } else if n > 0 {
                self.rares.push((n, code));
                self.count(n, v, 1);
            }
        }
    }

    pub(crate) fn count(&mut self, n: usize, value: u32, more: u64) {
        let counts = &mut self.counts[n & 1];
        if counts.len() <= value as usize {
            counts.resize(value as usize + 1, 0);
        }
        counts[value as usize] += more;
    }

    /// The first values, from all options.
    pub(crate) fn start(&self, to: usize) -> Vec<u32> {
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

    /// Computes the values of all heaps below `to`, and perhaps some more. False if the codes have become too large.
    pub fn advance(
        &mut self,
        to: usize,
        stopped: &mut dyn FnMut(usize) -> bool,
    ) -> Result<bool, Stop> {
        if self.is_empty() {
            let values = self.start(self.started());
            if values.iter().any(|&v| v as usize >= LIMIT) {
                return Ok(false);
            }
            self.set(&values);
            if !self.choose() {
                return Ok(false);
            }
        }
        while self.len() < to {
            if stopped(self.len()) {
                return Err(Stop::Interrupted);
            }
            if self.len() >= self.next_choice {
                if !self.choose() {
                    return Ok(false);
                }
                self.next_choice = (self.len() + 1).next_power_of_two();
            }
            if self.large.is_none() {
                if !self.blocks() {
                    return Ok(false);
                }
            } else if !self.large_block() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Chooses the split by what is known, and makes all that hangs on it.
    pub(crate) fn choose(&mut self) -> bool {
        self.work.splits += 1;
        for p in 0..2 {
            for c in 0..256 {
                let more = std::mem::take(&mut self.code_counts[p][c]);
                if more > 0 {
                    self.count(p, self.split.decode(c as u32, p, true), more);
                }
            }
        }
        let (split, _) = Split::choose(&self.counts, self.shift);
        self.rares_at_choice = self.rares.len();
        if split != self.split {
            let values: Vec<u32> = (0..self.len()).map(|n| self.value(n)).collect();
            // With a high lowest bit of the mask lesser rare values have larger codes.
            let fits = |(n, &v): (usize, &u32)| {
                let most = if split.is_common(v, n) { LIMIT } else { 256 };
                split.encode(v) < most as u32
            };
            if !values.iter().enumerate().all(fits) {
                return false;
            }
            self.split = split;
            self.since = values.len();
            self.set(&values);
        }
        self.prepare();
        true
    }

    /// Makes all that hangs on the split and the rares.
    fn prepare(&mut self) {
        self.wide = self.top >= 32;
        // Rares that a heap may turn out to have are less than its common value, and their codes need not be.
        let small = self.top < 62 && self.split.low() < 64 && self.rares.iter().all(|r| r.1 < 64);
        if self.large.is_none() && !small {
            self.large = Some(Large::new());
        }
        self.make_deltas();
        if self.large.is_none() {
            self.make_rows();
            self.make_plan();
        }
    }

    pub fn save(&self, out: &mut Writer) {
        out.number(u64::from(self.split.mask));
        out.byte(u8::from(self.split.position));
        out.byte(self.split.shift);
        out.byte(u8::from(self.large.is_some()));
        out.bytes(&self.commons[PAD..]);
        self.rares.iter().for_each(|r| out.byte(r.1));
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
        let mut pairs = Pairs::new(&code.digits, code.unequal);
        let mask = u32::try_from(read.number()?).unwrap_or(0);
        pairs.split = Split {
            mask,
            position: read.flag()?,
            shift: read.byte()?,
        };
        let large = read.flag()?;
        pairs.commons.extend_from_slice(read.bytes()?);
        let fits = match pairs.split.position {
            true => pairs.shift == Some(pairs.split.shift),
            false => pairs.split.shift == 0,
        };
        let started = pairs.len() >= pairs.started()
            && (1..=0xFFFF).contains(&mask)
            && pairs.commons[PAD] == RARE;
        let untouched = pairs.is_empty() && mask == 0 && !large;
        if !fits || !(started || untouched) {
            return Err(Unreadable("the split does not fit the code"));
        }
        let most = if large { 256 } else { 64 };
        for n in 1..pairs.len() {
            match pairs.commons[PAD + n] {
                RARE => {
                    let rare = read.byte()?;
                    pairs.rares.push((n, rare));
                    pairs.count(n, pairs.split.decode(u32::from(rare), n, false), 1);
                }
                code => {
                    pairs.code_counts[n & 1][usize::from(code)] += 1;
                    pairs.top = pairs.top.max(code);
                }
            }
        }
        let rare = pairs.rares.iter().map(|r| r.1).max();
        if usize::from(pairs.top) >= most.min(LIMIT) || rare.is_some_and(|c| usize::from(c) >= most)
        {
            return Err(Unreadable("a code is too large"));
        }
        for _ in 0..read.size()? {
            pairs.searched.push((read.size()?, read.size()?));
        }
        let work = &mut pairs.work;
        for count in [
            &mut work.rare_tests,
            &mut work.exclusion_steps,
            &mut work.searches,
            &mut work.splits,
        ] {
            *count = read.number()?;
        }
        pairs.next_choice = read.size()?;
        pairs.rares_at_choice = read.size()?;
        pairs.since = read.size()?;
        if pairs.since > pairs.len() {
            return Err(Unreadable("the split is of a heap to come"));
        }
        if pairs.rares_at_choice > pairs.len() {
            return Err(Unreadable("there were more rares than heaps"));
        }
        if started {
            pairs.large = large.then(Large::new);
            pairs.prepare();
        }
        Ok(pairs)
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

    /// The pairs with a rare heap, and the heaps that a move may leave alone.
    fn make_deltas(&mut self) {
        if let Some(large) = &mut self.large {
            large.forget();
        }
        let mut all: Vec<Delta> = Vec::new();
        for &t in &self.ones {
            if !self.split.position || t % 2 == 0 {
                all.push(Delta {
                    back: t as u32,
                    code: 0,
                });
            }
        }
        for &t in &self.twos {
            for &(r, code) in &self.rares {
                all.push(Delta {
                    back: (t + r) as u32,
                    code,
                });
            }
        }
        all.sort_by_key(|d| (d.back, d.code));
        all.dedup();
        let cut = all.partition_point(|d| d.back < 64);
        self.far = all.split_off(cut);
        self.near = Near::new(&all);
        self.near_list = all;
        self.make_witnesses();
    }

    fn make_rows(&mut self) {
        let word = self.len() / 64;
        self.row_start = word.saturating_sub(KEEP);
        self.rows.fill(0);
        for w in self.row_start..word {
            let codes = self.commons[PAD + 64 * w..][..64]
                .try_into()
                .expect("64 codes");
            lanes::fill_rows(&mut self.rows, w - self.row_start, codes, 63);
        }
    }

    /// For each rare code the pairs that may show it to be an option, those that did so for the last heaps first.
    fn make_plan(&mut self) {
        let base = self.len() & !63;
        let most = ((u32::from(self.top) | self.split.low()) + 2).min(64);
        for p in 0..2 {
            self.threshold[p] = (0..most)
                .map(|k| {
                    let rare = self.split.decode(k, p, false);
                    (0..64)
                        .find(|&c| self.split.decode(u32::from(c), p, true) > rare)
                        .unwrap_or(64)
                })
                .collect();
        }
        let mut partners: Vec<(u16, u8)> = Vec::new();
        for &t in &self.ones {
            if self.split.position && t % 2 == 1 && t < BACK {
                partners.push((t as u16, 0));
            }
        }
        for &t in &self.twos {
            for a in 1..BACK.min(base - START / 2).saturating_sub(t) {
                let code = self.commons[PAD + a];
                if code != RARE {
                    partners.push(((t + a) as u16, code));
                }
            }
        }
        partners.sort_unstable();
        let frequency: Vec<u64> = (0..64)
            .map(|c| self.code_counts[0][c] + self.code_counts[1][c])
            .collect();
        let frequency: Vec<u64> = if frequency.iter().sum::<u64>() < 256 {
            let mut f = vec![0u64; 64];
            for &c in &self.commons[PAD + base.saturating_sub(2048).max(1)..] {
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

    /// Computes up to the end of a few words of 64 heaps, or to a new rare.
    /// False if a split gives codes that are too large.
    fn blocks(&mut self) -> bool {
        let from = self.len();
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
        let mut largest = 0;
        for block in 0..SPAN {
            let base = base + 64 * block;
            let first = if block == 0 { first } else { 0 };
            let known = self.far.partition_point(|d| (d.back as usize) < base + 64);
            lanes::far(
                &self.commons,
                PAD + base,
                &self.far[..known],
                wide,
                &mut masks,
            );
            // A rare heap left alone may have a common value here.
            if self.split.position {
                for &(r, code) in self
                    .rares
                    .iter()
                    .rev()
                    .take_while(|r| r.0 + self.reach() + 64 > base)
                {
                    for &t in self
                        .ones
                        .iter()
                        .filter(|&&t| t % 2 == 1 && (base..base + 64).contains(&(r + t)))
                    {
                        let lane = r + t - base;
                        masks[lane / 8][usize::from(code) / 32]
                            [usize::from(code) / 8 % 4 * 8 + lane % 8] |= 1 << (code % 8);
                    }
                }
            }
            if block > 0 {
                window.copy_within(8..16, 0);
            } else {
                for (w, bytes) in window
                    .iter_mut()
                    .zip(self.commons[base..].chunks(8).take(16))
                {
                    let mut eight = [0; 8];
                    eight[..bytes.len()].copy_from_slice(bytes);
                    *w = u64::from_le_bytes(eight);
                }
            }
            let most = lanes::near(&mut window, &masks, &self.near, wide, first);
            if !wide && most >= 32 {
                self.wide = true;
                self.commons.truncate(PAD + from);
                return true;
            }
            if most >= 62 {
                self.commons.truncate(PAD + from);
                self.large = Some(Large::new());
                self.make_deltas();
                return true;
            }
            let mut codes = [0u8; 64];
            for (eight, w) in codes.chunks_exact_mut(8).zip(&window[8..16]) {
                eight.copy_from_slice(&w.to_le_bytes());
            }
            self.work.rare_tests += ((known + self.near.len()) * (64 - first)) as u64;
            self.commons.extend_from_slice(&codes[first..]);
            largest = largest.max(most as u8);
            lanes::fill_rows(&mut self.rows, word + block, &codes, self.top.max(largest));
        }
        if largest > self.top {
            self.top = largest;
            let new = self.commons.split_off(PAD + from);
            self.make_plan();
            self.commons.extend(new);
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
            self.work.exclusion_steps += lanes::exclude(&self.rows, word, &self.plan[k], &mut rest);
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
            if !self.search(n, k) {
                for m in from..n {
                    self.code_counts[m & 1][usize::from(self.commons[PAD + m])] += 1;
                }
                // The word of n may be complete, and is not filled again then.
                let row = usize::from(self.commons[PAD + n]) * ROW;
                self.rows[row + word + lane as usize / 64] &= !(1 << (lane % 64));
                self.commons.truncate(PAD + n);
                self.commons.push(RARE);
                self.rares.push((n, k));
                self.count(n, self.split.decode(u32::from(k), n, false), 1);
                if self.rares.len() > self.rares_at_choice + self.rares_at_choice / 8 {
                    return self.choose();
                }
                self.make_deltas();
                return true;
            }
        }
        for c in 0..=usize::from(largest) {
            for b in 0..SPAN {
                let bits = self.rows[c * ROW + word + b]
                    & if b == 0 { u64::MAX << first } else { u64::MAX };
                self.code_counts[0][c] += u64::from((bits & EVEN).count_ones());
                self.code_counts[1][c] += u64::from((bits & !EVEN).count_ones());
            }
        }
        true
    }

    /// Whether a rare value of that code is an option of n.
    pub(crate) fn search(&mut self, n: usize, k: u8) -> bool {
        self.work.searches += 1;
        let value = self.split.decode(u32::from(k), n, false);
        if self.ones.iter().any(|&t| self.value(n - t) == value) {
            return true;
        }
        for &t in &self.twos {
            let total = n - t;
            let mut from = 1;
            while let Some(a) = lanes::find_pair(&self.commons[PAD..], total, k, from) {
                // Two rare heaps, and a heap split into equal ones, are not meant.
                let common = |n: usize| self.commons[PAD + n] != RARE;
                if common(a) && common(total - a) && !(self.unequal && 2 * a == total) {
                    if a > WITNESS {
                        self.searched.push((n, a));
                    }
                    return true;
                }
                from = a + 1;
            }
            for &(r, code) in self.rares.iter().take_while(|r| 2 * r.0 <= total) {
                if r < total
                    && self.commons[PAD + total - r] == RARE
                    && !(self.unequal && 2 * r == total)
                    && u32::from(code) ^ self.split.encode(self.value(total - r)) == u32::from(k)
                {
                    return true;
                }
            }
        }
        false
    }
}
