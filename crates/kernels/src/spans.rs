//! Rare values of 512 heaps excluded together, for codes of a byte.
//!
//! Any pair may show a rare value to be an option. Neighbouring partners give much the same values, so they are taken from
//! *windows* whose distance from the first heaps grows geometrically. Of a window only every eighth heap is a partner: then
//! the bits of 512 heaps begin at a byte for each of them, and two registers hold the heaps that are left. The few that
//! are left in the end are searched for one by one.
//! Cost: some hundred steps for each rare code and 512 heaps; 2 KiB a code and a plan of some bytes for each code and partner.

use crate::lanes::{self, SPAN};
use crate::table::{Cell, PAD, Table};

/// Words of a row: the places of 512 heaps, and as many below for the partners of a window.
const ROW: usize = 2 * SPAN;
/// Heaps of a window whose partners are found by whole bytes.
const PARTNERS: usize = 64;
/// Windows of all splitting digits together.
const WINDOWS: usize = 16;
/// The first window begins at about this heap.
const NEAREST: usize = 600;
/// The last heaps, whose codes say which are frequent.
const LATE: usize = 1 << 16;
/// So many heaps that are left are sooner searched for one by one.
const FEW: u32 = 6;

/// The cells of all places for 512 heaps from `base` on.
pub(crate) fn gather<T: Copy>(cells: &[T], backs: &[usize], base: usize) -> Vec<T> {
    let windows = backs
        .iter()
        .map(|&back| &cells[PAD + base - back..][..64 * ROW]);
    windows.collect::<Vec<_>>().concat()
}

/// The rows of all windows, and which of them to look at.
pub(crate) struct Spans {
    /// How far below the first of the 512 heaps the first place of a row is.
    backs: Vec<usize>,
    /// Rows of a window, one for each common code.
    codes: usize,
    /// A bit for each place with that code, window after window.
    rows: Vec<u64>,
    /// For each rare code the bytes where partners' bits begin, those with frequent codes first.
    plan: Vec<Vec<u32>>,
}

impl Spans {
    /// Windows among the heaps up to the last rare one, which needs no more memory of a certificate.
    pub fn new(table: &mut Table<u8>) -> Self {
        let last = table.rares.last().map_or(0, |r| r.0);
        let witness = table.witness.max(last);
        table.turn(witness);
        let most = witness
            .min(table.len().saturating_sub(table.reach()) / 2)
            .saturating_sub(8 * PARTNERS);
        let codes = table.top as usize + 1;
        let mut spans = Spans {
            backs: Vec::new(),
            codes,
            rows: Vec::new(),
            plan: Vec::new(),
        };
        // Commons that a step may find, by window: the byte where their places begin, and their code.
        let mut partners: Vec<Vec<(u32, u8)>> = Vec::new();
        for (i, from) in Self::places(most).into_iter().enumerate() {
            let from = from / 8 * 8 + 3 * i % 8;
            let take = table.twos[i % table.twos.len()];
            let back = from + 8 * (PARTNERS - 1) + take;
            let window = spans.backs.len() * codes * ROW * 8;
            let heaps = (0..PARTNERS).map(|j| (window + j, back - 8 * j - take));
            let commons = heaps
                .filter_map(|(byte, a)| Some((byte as u32, table.cells[PAD + a].common()? as u8)));
            partners.push(commons.collect());
            spans.backs.push(back);
        }
        spans.rows = vec![0; spans.backs.len() * codes * ROW];
        let mut counts = [0u64; 256];
        let late = &table.cells[table.cells.len().saturating_sub(LATE)..];
        late.iter().for_each(|&cell| counts[usize::from(cell)] += 1);
        let frequency = |code: u8| counts[usize::from(code)];
        let most = (table.top | table.split.low()) + 2;
        spans.plan = (0..most.min(256))
            .map(|k| Self::steps(&partners, k as u8, codes, &frequency))
            .collect();
        spans
    }

    /// How far below the first of the 512 heaps the places of each window begin.
    pub fn backs(&self) -> &[usize] {
        &self.backs
    }

    /// Codes that it knows of are less.
    pub fn codes(&self) -> usize {
        self.codes
    }

    /// Heaps from `NEAREST` to `most`, each a multiple of the one before by the same rational number.
    fn places(most: usize) -> Vec<usize> {
        let growing = |q: usize| {
            let next = move |&from: &usize| Some(from * q / 64);
            let places = std::iter::successors(Some(NEAREST), next);
            places.take(WINDOWS).collect::<Vec<_>>()
        };
        let fits = |places: &Vec<usize>| places.iter().all(|&from| from + 8 <= most);
        (64..512)
            .map(growing)
            .take_while(fits)
            .last()
            .unwrap_or_default()
    }

    /// For a rare code the bytes of the partners that may give it.
    fn steps(
        partners: &[Vec<(u32, u8)>],
        k: u8,
        codes: usize,
        frequency: &dyn Fn(u8) -> u64,
    ) -> Vec<u32> {
        let lists = partners.iter().map(|window| {
            let rows = window.iter().map(|&(byte, code)| (byte, code ^ k));
            let rows = rows.filter(|r| usize::from(r.1) < codes && frequency(r.1) > 0);
            let mut rows: Vec<(u32, u8)> = rows.collect();
            rows.sort_by_key(|r| std::cmp::Reverse(frequency(r.1)));
            rows
        });
        // The best of each window, then the second ones, and so on.
        let lists: Vec<_> = lists.collect();
        let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
        let ranks = (0..longest).flat_map(|i| lists.iter().filter_map(move |l| l.get(i)));
        ranks
            .map(|&(byte, row)| byte + (usize::from(row) * ROW * 8) as u32)
            .collect()
    }

    /// The rare codes of up to 512 heaps that no partner gives: for each word the lanes and their codes in
    /// order. `places` is what `gather` gave; of each word there are the first lane that counts and the ends of the codes.
    pub fn open(
        &mut self,
        places: &[u8],
        words: &[(usize, &[u32; 64])],
    ) -> (Vec<Vec<(usize, u32)>>, u64) {
        self.fill(places);
        let most = words
            .iter()
            .flat_map(|w| &w.1[w.0..])
            .copied()
            .max()
            .unwrap_or(0);
        // The lanes that a code is too large for: all that do not count are from the first on.
        let mut by_end = vec![[0u64; SPAN]; most as usize + 1];
        by_end[0] = [u64::MAX; SPAN];
        for (word, (first, ends)) in words.iter().enumerate() {
            for lane in *first..64 {
                by_end[0][word] &= !(1 << lane);
                by_end[ends[lane] as usize][word] |= 1 << lane;
            }
        }
        let mut left: Vec<Vec<(usize, u32)>> = vec![Vec::new(); words.len()];
        let mut work = 0;
        let mut open = [u64::MAX; SPAN];
        for k in 0..most {
            open = std::array::from_fn(|i| open[i] & !by_end[k as usize][i]);
            let mut rest = open;
            if let Some(steps) = self.plan.get(k as usize) {
                work += lanes::cover(&self.rows, steps, FEW, &mut rest);
            }
            for (left, mut rest) in left.iter_mut().zip(rest) {
                while rest != 0 {
                    left.push((rest.trailing_zeros() as usize, k));
                    rest &= rest - 1;
                }
            }
        }
        (left.iter().map(|l| by_lane(l)).collect(), work)
    }

    /// Makes the rows of all places.
    fn fill(&mut self, places: &[u8]) {
        let windows = self.rows.chunks_exact_mut(self.codes * ROW);
        for (rows, places) in windows.zip(places.chunks_exact(64 * ROW)) {
            let (spans, _) = places.as_chunks::<{ 64 * SPAN }>();
            for (i, codes) in spans.iter().enumerate() {
                lanes::fill_span(rows, ROW, i * SPAN, codes);
            }
        }
    }
}

/// Codes with their lanes in the order of lanes, those of a lane in the order they had.
fn by_lane(left: &[(usize, u32)]) -> Vec<(usize, u32)> {
    let mut ends = [0usize; 65];
    left.iter().for_each(|l| ends[l.0 + 1] += 1);
    for lane in 0..64 {
        ends[lane + 1] += ends[lane];
    }
    let mut sorted = vec![(0, 0); left.len()];
    for &l in left {
        sorted[ends[l.0]] = l;
        ends[l.0] += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use grundy_core::Code;

    use super::*;
    use crate::{Rung, Sequence};

    fn codes() -> [Code; 2] {
        let grundy = Code {
            unequal: true,
            ..Code::finite([4])
        };
        [grundy, Code::finite([4, 4, 6])]
    }

    /// A table of bytes that has all values of the first heaps.
    fn table(code: &Code, heaps: usize) -> Table<u8> {
        let mut table = Table::new(code);
        let mut sequence = Sequence::with_rung(code, Rung::Best);
        let done = sequence.advance(heaps, &mut |_| false);
        done.expect("nothing stops it");
        let values = sequence.values(0..heaps);
        assert!(table.choose_for(&values.iter().map(|&v| v.into()).collect::<Vec<_>>()));
        table
    }

    #[test]
    fn what_is_proved_is_an_option() {
        for code in codes() {
            let mut known = table(&code, 24_000);
            let base = known.len() / 64 * 64 - 64 * SPAN;
            let mut spans = Spans::new(&mut known);
            let places = gather(&known.cells, spans.backs(), base);
            let ends: Vec<[u32; 64]> = (0..SPAN)
                .map(|w| std::array::from_fn(|i| (7 * w + i) as u32 % known.top))
                .collect();
            let words: Vec<_> = ends.iter().map(|ends| (0, ends)).collect();
            let (left, _) = spans.open(&places, &words);
            let (mut all, mut open) = (0, 0);
            for (w, ends) in ends.iter().enumerate() {
                for (lane, &end) in ends.iter().enumerate() {
                    let n = base + 64 * w + lane;
                    all += end;
                    for k in 0..end {
                        if left[w].contains(&(lane, k)) {
                            open += 1;
                        } else {
                            assert!(known.search(n, k), "{code:?}: rare code {k} of heap {n}");
                        }
                    }
                }
                assert!(left[w].is_sorted());
                assert!(left[w].iter().all(|&(lane, k)| k < ends[lane]));
            }
            assert!(2 * open < all, "{code:?}: {open} of {all} are left");
        }
    }

    #[test]
    fn values_are_those_of_single_blocks() {
        for code in codes() {
            let mut spans = Sequence::new(&code);
            let mut blocks = Sequence::new(&code);
            let mut threads = Sequence::new(&code);
            threads.set_threads(2);
            for sequence in [&mut spans, &mut threads] {
                let done = sequence.advance(150_000, &mut |_| false);
                done.expect("nothing stops it");
            }
            // So few heaps at a time are never proved together.
            for to in (0..=150_000).step_by(5_000) {
                let done = blocks.advance(to, &mut |_| false);
                done.expect("nothing stops it");
            }
            let truth = blocks.values(0..150_000);
            assert!(spans.values(0..150_000) == truth, "{code:?}");
            assert!(
                threads.values(0..150_000) == truth,
                "{code:?} by two threads"
            );
        }
    }
}
