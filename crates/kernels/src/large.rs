//! Blocks whose codes need a byte: bit planes for the first pairs, then comparisons with what they leave.
//!
//! For each of 64 heaps the far pairs, in any order, exclude codes. The first of them set flags, a bit for each code;
//! the first codes without a flag, the *holes* of each heap, then stand in rows, and every further pair is compared with a
//! row at a time for all heaps. Rows get fewer as holes are hit. What is left over is searched for heap by heap, so that
//! the number of rows and flags decides the speed and never the result.

use crate::lanes::{self, Delta};
use crate::pairs::{PAD, Pairs, RARE};

/// Codes of a byte.
const WIDTH: usize = 256;
/// Rows of holes at most.
const ROWS: usize = 24;
/// Codes from this on are too large.
pub(crate) const LIMIT: usize = 250;

/// Holes of 64 heaps that are sooner searched for one by one.
const FEW: usize = 64;

/// Rows of holes: row j has the j-th hole of each heap, 255 for none.
type Holes = [[u8; 64]; ROWS];

/// Pairs that go through the blocks, and what is learned of them.
#[derive(Default)]
struct List {
    deltas: Vec<Delta>,
    /// How far below the farthest partner is.
    reach: usize,
    /// How many are scattered: as few as leave room for the holes.
    scattered: usize,
    /// Of 256 rows, how many the next step keeps: as few as leave most heaps a hole in the end.
    kept: usize,
}

/// The state of the blocks.
pub(crate) struct Large {
    flags: Box<[[u64; 4]; 64]>,
    far: List,
    early: List,
}

impl Large {
    pub fn new() -> Self {
        let list = || List {
            scattered: 224,
            kept: 200,
            ..List::default()
        };
        Large {
            flags: Box::new([[0; 4]; 64]),
            far: list(),
            early: list(),
        }
    }
}

impl Large {
    /// The far pairs are to be taken anew.
    pub fn forget(&mut self) {
        self.far.deltas.clear();
    }
}

impl List {
    /// In an order that has nothing to do with the heaps, so that the first ones are a fair sample.
    fn set(&mut self, deltas: Vec<Delta>) {
        self.reach = deltas.iter().map(|d| d.back as usize).max().unwrap_or(0);
        self.deltas = deltas;
        self.deltas
            .sort_by_key(|d| (d.back.wrapping_mul(2_654_435_769), d.code));
    }

    /// The holes that all pairs leave below the end of each heap, an end that comes down where a column is full: how many rows,
    /// and the work. If only the `lowest` holes are wanted fewer and fewer rows are kept, and a heap that has none left is
    /// searched anew; else few holes are left to be searched for one by one.
    #[allow(clippy::too_many_arguments, reason = "one pass with its buffers")]
    fn sieve(
        &mut self,
        codes: &[u8],
        base: usize,
        last: usize,
        ends: &mut [u8; 64],
        width: usize,
        flags: &mut [[u64; 4]; 64],
        holes: &mut Holes,
        lowest: bool,
    ) -> (usize, u64) {
        let mixed = base < PAD + self.reach + last + 1;
        let scattered = self.scattered.min(self.deltas.len());
        lanes::flags(
            codes,
            base,
            &self.deltas[..scattered],
            mixed,
            width.div_ceil(8),
            flags,
        );
        let (mut rows, mut crowded) = (0, 0);
        for (lane, flags) in flags.iter().enumerate() {
            let mut j = 0;
            'words: for (w, flags) in flags
                .iter()
                .enumerate()
                .take(usize::from(ends[lane]).div_ceil(64))
            {
                let mut open = !flags;
                if 64 * (w + 1) > usize::from(ends[lane]) {
                    open &= (1 << (ends[lane] & 63)) - 1;
                }
                while open != 0 {
                    let code = 64 * w as u8 + open.trailing_zeros() as u8;
                    open &= open - 1;
                    if j == ROWS {
                        crowded += 1;
                        ends[lane] = code;
                        break 'words;
                    }
                    holes[j][lane] = code;
                    j += 1;
                }
            }
            for row in &mut holes[j..rows.max(j)] {
                row[lane] = 255;
            }
            if j > rows {
                for row in &mut holes[rows..j] {
                    row[..lane].fill(255);
                }
                rows = j;
            }
        }
        // A heap of many that has more holes than there are rows costs less than more pairs for all.
        if crowded > 1 {
            self.scattered += 8;
        } else {
            self.scattered = self.scattered.saturating_sub(2).max(64);
        }
        let mut work = (64 * scattered) as u64;
        let (mut at, mut step) = (scattered, 96);
        let mut most = rows;
        while at < self.deltas.len() && rows > 0 {
            let chunk = &self.deltas[at..self.deltas.len().min(at + step)];
            lanes::strike(codes, base, chunk, mixed, &mut holes[..rows]);
            work += (chunk.len() * rows) as u64;
            lanes::sort_columns(&mut holes[..rows]);
            at += chunk.len();
            step = (step * 2).min(512);
            while rows > 0 && holes[rows - 1] == [255; 64] {
                rows -= 1;
            }
            if lowest {
                most = (most * self.kept / 256).max(4);
                rows = rows.min(most);
                continue;
            }
            if holes[..rows]
                .iter()
                .flatten()
                .filter(|&&h| h != 255)
                .count()
                <= FEW
            {
                break;
            }
        }
        (rows, work)
    }
}

impl Pairs {
    /// The common heaps near the start, which most often give a rare value with a common partner.
    pub(crate) fn make_witnesses(&mut self) {
        let base = self.len() & !63;
        let mut early = Vec::new();
        for a in 64..base.min(4096) {
            let code = self.commons[PAD + a];
            if code != RARE {
                for &t in &self.twos {
                    if t + a <= base {
                        early.push(Delta {
                            back: (t + a) as u32,
                            code,
                        });
                    }
                }
            }
        }
        if let Some(large) = &mut self.large {
            large.early.set(early);
        }
    }

    /// What near pairs and heaps of this block exclude for a heap of the block.
    fn near_codes(&self, n: usize, base: usize, window: &[u8; 128]) -> [u64; 4] {
        let lane = n - base;
        let mut near = [0u64; 4];
        let mut exclude = |code: u8| near[usize::from(code >> 6)] |= 1 << (code & 63);
        for d in &self.near_list {
            let p = window[64 + lane - d.back as usize];
            if p != RARE {
                exclude(p ^ d.code);
            }
        }
        for &(r, code) in self
            .rares
            .iter()
            .rev()
            .take_while(|r| r.0 + self.reach() + 64 > base)
        {
            // Rares of this block are not among the deltas yet.
            for &t in &self.twos {
                if r >= base && r + t < n {
                    let p = self.commons[PAD + n - t - r];
                    if p != RARE {
                        exclude(p ^ code);
                    }
                }
            }
            // A rare heap left alone may have a common value.
            if self.split.position {
                for &t in &self.ones {
                    if t % 2 == 1 && r + t == n {
                        exclude(code);
                    }
                }
            }
        }
        near
    }

    /// The least common code that is not excluded, from the holes of the far pairs or else from all pairs.
    fn common_code(
        &mut self,
        n: usize,
        holes: &Holes,
        rows: usize,
        lane: usize,
        mut near: [u64; 4],
    ) -> u8 {
        let free = |near: &[u64; 4], h: u8| near[usize::from(h >> 6)] >> (h & 63) & 1 == 0;
        let hole = (0..rows)
            .map(|j| holes[j][lane])
            .take_while(|&h| h != 255)
            .find(|&h| free(&near, h));
        hole.unwrap_or_else(|| {
            self.work.searches += 1;
            self.exhausted += 1;
            for d in &self.far[..self.far.partition_point(|d| (d.back as usize) < n)] {
                let p = self.commons[PAD + n - d.back as usize];
                if p != RARE {
                    let code = p ^ d.code;
                    near[usize::from(code >> 6)] |= 1 << (code & 63);
                }
            }
            (0..=255).find(|&h| free(&near, h)).unwrap_or(255)
        })
    }

    /// Computes up to the end of the 64 heaps that the next one belongs to.
    /// False if a code has become too large.
    pub(crate) fn large_block(&mut self) -> bool {
        let from = self.len();
        let (base, first) = (from & !63, from & 63);
        let mut large = self.large.take().expect("large codes");
        let width = (usize::from(self.top) + 2).next_multiple_of(8).min(WIDTH);
        let known = self.far.partition_point(|d| (d.back as usize) < base + 64);
        if large.far.deltas.len() != known {
            large.far.set(self.far[..known].to_vec());
        }
        let last = self.rares.last().map_or(0, |r| r.0);

        // Holes that the far pairs leave.
        let mut holes: Holes = [[255; 64]; ROWS];
        let mut ends = [(usize::from(self.top) + 1).min(LIMIT) as u8; 64];
        let (rows, work) = large.far.sieve(
            &self.commons,
            PAD + base,
            last,
            &mut ends,
            width,
            &mut large.flags,
            &mut holes,
            true,
        );
        self.work.rare_tests += work;

        // The codes of the heaps in order, if none is rare.
        let mut window = [RARE; 128];
        window[..64].copy_from_slice(&self.commons[base..base + 64]);
        window[64..64 + first].copy_from_slice(&self.commons[PAD + base..]);
        let mut ends = [0u8; 64];
        for lane in first..64 {
            let n = base + lane;
            let near = self.near_codes(n, base, &window);
            let code = self.common_code(n, &holes, rows, lane, near);
            if usize::from(code) >= LIMIT {
                self.commons.truncate(PAD + from);
                return false;
            }
            let below = self.split.rares_below(u32::from(code), n);
            ends[lane] = below.min(width.min(LIMIT) as u32) as u8;
            self.commons.push(code);
            window[64 + lane] = code;
        }

        let exhausted = std::mem::take(&mut self.exhausted);
        if exhausted > 1 {
            large.far.kept = (large.far.kept + 2).min(252);
        } else {
            large.far.kept = large.far.kept.saturating_sub(1).max(64);
        }

        // The rare codes below them that no early pair gives.
        let mut open: Holes = [[255; 64]; ROWS];
        let (open_rows, work) = large.early.sieve(
            &self.commons,
            PAD + base,
            last,
            &mut ends,
            width,
            &mut large.flags,
            &mut open,
            false,
        );
        self.work.exclusion_steps += work;

        let mut found = false;
        for lane in first..64 {
            let n = base + lane;
            let mut code = window[64 + lane];
            if found {
                let near = self.near_codes(n, base, &window);
                code = self.common_code(n, &holes, rows, lane, near);
                if usize::from(code) >= LIMIT {
                    self.commons.truncate(PAD + n);
                    return false;
                }
                window[64 + lane] = code;
                self.commons[PAD + n] = code;
            }
            // Past the codes of commons there may be rare ones, up to 255.
            let end = self.split.rares_below(u32::from(code), n);
            let flags = &large.flags[lane];
            let mut tried: Vec<u8> = (0..open_rows).map(|j| open[j][lane]).collect();
            tried.retain(|&k| k < 255 && u32::from(k) < end);
            // What was not listed: past a full column, or below a code that has become larger.
            let rest = u32::from(ends[lane])..end;
            tried.extend(rest.map(|k| k as u8).filter(|&k| {
                usize::from(k) >= width || flags[usize::from(k >> 6)] >> (k & 63) & 1 == 0
            }));
            tried.sort_unstable();
            let rare = tried.into_iter().find(|&k| !self.search(n, k));
            match rare {
                None => {
                    self.code_counts[n & 1][usize::from(code)] += 1;
                    self.top = self.top.max(code);
                }
                Some(k) => {
                    found = true;
                    self.commons[PAD + n] = RARE;
                    window[64 + lane] = RARE;
                    self.rares.push((n, k));
                    self.count(n, self.split.decode(u32::from(k), n, false), 1);
                    self.top = self.top.max(k);
                }
            }
        }
        self.large = Some(large);
        if found {
            let new = self.rares.partition_point(|r| r.0 < from);
            if self.rares.len() > self.rares_at_choice + self.rares_at_choice / 8 {
                return self.choose();
            } else {
                for i in new..self.rares.len() {
                    let (r, code) = self.rares[i];
                    for t in self.twos.clone() {
                        let delta = Delta {
                            back: (t + r) as u32,
                            code,
                        };
                        let at = self
                            .far
                            .partition_point(|d| (d.back, d.code) < (delta.back, code));
                        if self.far.get(at) != Some(&delta) {
                            self.far.insert(at, delta);
                        }
                    }
                }
            }
        }
        true
    }
}
