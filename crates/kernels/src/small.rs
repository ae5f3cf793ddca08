//! The inner loops for codes below 64, many heaps at a time: portable, and for AVX2. Both give the same values.
//!
//! What is excluded for a heap is a bit for each code. Neighbouring heaps have their bits in *planes*: byte i of plane q has
//! those of the codes 8q to 8q + 7 of heap i, so that a pair of heaps for each of 32 is one load and, for each sixteen codes, two
//! look-ups of sixteen bytes. A code at or past 64 has no bit: so the mark of a rare partner, 255, nim-added to any code below 64,
//! counts for nothing. Cost: two to four steps of the processor for each pair, 32 heaps and sixteen codes.

use crate::lanes::{Delta, with_avx2};
use crate::split::Split;

/// Heaps whose common values are found together.
pub(crate) const LANES: usize = 32;

/// The pairs of 32 heaps with those among them and the 32 before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Near {
    /// All of them.
    deltas: Vec<Delta<u8>>,
    /// 8 ≤ back < 32.
    mid: Vec<Mid>,
    /// back < 8: the bits to shift the last word by, and the code in all eight bytes.
    close: Vec<(u8, u64)>,
    /// So many heaps do not hang on each other: 1, 2 or 4.
    group: usize,
}

/// Where eight partners are.
#[derive(Clone, Copy, Debug)]
struct Mid {
    /// How many words of eight codes below.
    words: u8,
    /// How far that word is shifted to the right, and the next one to the left after one bit.
    shifts: [u8; 2],
    /// The code in all eight bytes.
    code: u64,
}

impl Near {
    pub fn new(deltas: &[Delta<u8>]) -> Self {
        let all_bytes = |code: u8| u64::from(code) * 0x0101_0101_0101_0101;
        let mut near = Near {
            deltas: deltas.to_vec(),
            ..Near::default()
        };
        for d in deltas {
            let words = d.back.div_ceil(8) as u8;
            let shift = (words * 8 - d.back as u8) * 8;
            if d.back >= 8 {
                near.mid.push(Mid {
                    words,
                    shifts: [shift, 63 - shift],
                    code: all_bytes(d.code),
                });
            } else {
                near.close.push((shift, all_bytes(d.code)));
            }
        }
        let nearest = deltas.iter().map(|d| d.back).min().unwrap_or(8);
        near.group = match nearest {
            0..=1 => 1,
            2..=3 => 2,
            _ => 4,
        };
        near
    }

    /// Deltas in all.
    pub fn len(&self) -> usize {
        self.deltas.len()
    }
}

/// By what 32 heaps are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct By<'a> {
    /// The pairs with heaps that are 32 and more below.
    pub far: &'a [Delta<u8>],
    pub near: &'a Near,
    /// What else is excluded: a lane, and a code.
    pub late: &'a [(usize, u8)],
    /// Codes from 16 · `halves` on are not kept account of. If it is 1, no code of a cell or delta is larger.
    pub halves: usize,
    /// Whether one of the eight heaps before one of them may be rare.
    pub mixed: bool,
}

/// Each of the 32 cells from `at` on, but for the `first` ones, which are known already, becomes the least code that is not
/// excluded; if that is 16 · `halves` or more, it and those that follow may be wrong.
pub(crate) fn commons(cells: &mut [u8], at: usize, first: usize, by: &By) {
    with_avx2!(commons(cells, at, first, by))
}

/// How rare values are shown to be options.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// Pairs of a heap with a common partner, in the order in which they are tried.
    pub witnesses: Vec<Delta<u8>>,
    /// For even and odd heaps and each common code: its rare codes are those less than this.
    ends: [[[u8; 16]; 4]; 2],
    /// Whether all codes are below 16.
    pub tight: bool,
}

impl Plan {
    pub fn new(split: &Split, witnesses: Vec<Delta<u8>>, tight: bool) -> Self {
        let mut plan = Plan {
            witnesses,
            tight,
            ..Plan::default()
        };
        for (n, ends) in plan.ends.iter_mut().enumerate() {
            for (code, end) in (0..).zip(ends.as_flattened_mut()) {
                *end = split.rares_below(code, n).min(64) as u8;
            }
        }
        plan
    }

    /// The end of the rare codes below the value of a heap, 0 if it is rare itself.
    pub fn end(&self, n: usize, cell: u8) -> u8 {
        let ends = self.ends[n & 1].as_flattened();
        ends.get(usize::from(cell)).copied().unwrap_or(0)
    }
}

/// Lists the rare codes that no witness of the plan gives, of 64 heaps from an even one on, each with its lane, in order.
/// Gives the number of witnesses tried.
pub(crate) fn prove(cells: &[u8], at: usize, plan: &Plan, left: &mut Vec<(usize, u8)>) -> u64 {
    with_avx2!(prove(cells, at, plan, left))
}

/// For how many heaps the code of the pair with the cell is one of the open ones.
pub(crate) fn gain(cells: &[u8], code: u8, open: &[u64]) -> u64 {
    with_avx2!(gain(cells, code, open))
}

/// How often the code stands at even and at odd places.
pub(crate) fn count(cells: &[u8], code: u8) -> [u64; 2] {
    with_avx2!(count(cells, code))
}

mod portable {
    use super::{By, LANES, Plan};

    /// The bit of a code, if it has one.
    fn bit(code: u8) -> u64 {
        1u64.checked_shl(code.into()).unwrap_or(0)
    }

    pub fn commons(cells: &mut [u8], at: usize, first: usize, by: &By) {
        for lane in first..LANES {
            let mut excluded = 0;
            for d in by.far.iter().chain(&by.near.deltas) {
                excluded |= bit(cells[at + lane - d.back as usize] ^ d.code);
            }
            for &(l, code) in by.late {
                if l == lane {
                    excluded |= bit(code);
                }
            }
            cells[at + lane] = excluded.trailing_ones() as u8;
        }
    }

    pub fn prove(cells: &[u8], at: usize, plan: &Plan, left: &mut Vec<(usize, u8)>) -> u64 {
        let mut open: [u64; 64] = std::array::from_fn(|lane| {
            let end = plan.end(lane, cells[at + lane]);
            1u64.checked_shl(end.into()).unwrap_or(0).wrapping_sub(1)
        });
        let mut steps = 0;
        for some in plan.witnesses.chunks(super::TOGETHER) {
            if open == [0; 64] {
                break;
            }
            steps += some.len() as u64;
            for w in some {
                let partners = &cells[at - w.back as usize..][..64];
                for (open, &p) in open.iter_mut().zip(partners) {
                    *open &= !bit(p ^ w.code);
                }
            }
        }
        for (lane, mut open) in open.into_iter().enumerate() {
            while open != 0 {
                left.push((lane, open.trailing_zeros() as u8));
                open &= open - 1;
            }
        }
        steps
    }

    #[inline(always)]
    pub fn gain(cells: &[u8], code: u8, open: &[u64]) -> u64 {
        let pairs = cells.iter().zip(open);
        pairs
            .map(|(&c, open)| {
                let x = c ^ code;
                if x < 64 { open >> x & 1 } else { 0 }
            })
            .sum()
    }

    pub fn count(cells: &[u8], code: u8) -> [u64; 2] {
        let mut counts = [0, 0];
        for (i, &c) in cells.iter().enumerate() {
            counts[i & 1] += u64::from(c == code);
        }
        counts
    }
}

/// Witnesses between two looks at what they have left.
const TOGETHER: usize = 8;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use super::{By, Delta, LANES, Mid, Near, Plan, TOGETHER};
    use crate::lanes::x86::{index, tables};
    use std::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(cells: &[u8]) -> __m256i {
        let cells = &cells[..32];
        // SAFETY: the slice has 32 bytes.
        unsafe { _mm256_loadu_si256(cells.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_half(cells: &[u8; 16]) -> __m128i {
        // SAFETY: the array has 16 bytes.
        unsafe { _mm_loadu_si128(cells.as_ptr().cast()) }
    }

    /// What pairs exclude, two planes for each sixteen codes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn exclude<const H: usize, const TIGHT: bool>(
        planes: &mut [[__m256i; 2]; H],
        partners: __m256i,
        code: u8,
    ) {
        let [low, high] = tables();
        let x = _mm256_xor_si256(partners, _mm256_set1_epi8(code as i8));
        for (h, plane) in planes.iter_mut().enumerate() {
            // With all codes below 16 they are indices themselves.
            let i = if TIGHT { x } else { index(x, h) };
            plane[0] = _mm256_or_si256(plane[0], _mm256_shuffle_epi8(low, i));
            plane[1] = _mm256_or_si256(plane[1], _mm256_shuffle_epi8(high, i));
        }
    }

    /// The planes of eight heaps, sixteen codes after the other, both planes of them side by side.
    type Eight = [[u8; 16]; 4];

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    pub fn commons(cells: &mut [u8], at: usize, first: usize, by: &By) {
        match by.halves {
            1 => run::<1>(cells, at, first, by),
            2 => run::<2>(cells, at, first, by),
            3 => run::<3>(cells, at, first, by),
            _ => run::<4>(cells, at, first, by),
        }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn run<const H: usize>(cells: &mut [u8], at: usize, first: usize, by: &By) {
        let mut planes = [[_mm256_setzero_si256(); 2]; H];
        // The farthest first: those have long been stored.
        for d in by.far.iter().rev() {
            let partners = load(&cells[at - d.back as usize..]);
            if H == 1 {
                exclude::<H, true>(&mut planes, partners, d.code);
            } else {
                exclude::<H, false>(&mut planes, partners, d.code);
            }
        }
        let mut masks: [Eight; 4] = [[[0; 16]; 4]; 4];
        for (h, [a, b]) in planes.into_iter().enumerate() {
            let (even, odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
            let groups = [
                _mm256_castsi256_si128(even),
                _mm256_castsi256_si128(odd),
                _mm256_extracti128_si256::<1>(even),
                _mm256_extracti128_si256::<1>(odd),
            ];
            for (mask, group) in masks.iter_mut().zip(groups) {
                // SAFETY: the array has 16 bytes.
                unsafe { _mm_storeu_si128(mask[h].as_mut_ptr().cast(), group) };
            }
        }
        for &(lane, code) in by.late {
            let (h, plane) = (usize::from(code / 16), usize::from(code / 8 % 2));
            if h < H {
                masks[lane / 8][h][8 * plane + lane % 8] |= 1 << (code % 8);
            }
        }
        near::<H>(cells, at, first, by, &masks);
    }

    /// What the near pairs exclude is added, and the codes are found, for eight heaps after the other.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn near<const H: usize>(
        cells: &mut [u8],
        at: usize,
        first: usize,
        by: &By,
        masks: &[Eight; 4],
    ) {
        // Eight codes to a word; the last word is for what is shifted out of the one before.
        let mut window = [0u64; 9];
        for (w, eight) in window
            .iter_mut()
            .zip(cells[at - LANES..at + LANES].as_chunks().0)
        {
            *w = u64::from_le_bytes(*eight);
        }
        for j in first / 8..4 {
            let partners = |mid: &Mid| {
                let w = 4 + j - usize::from(mid.words & 7);
                let [right, left] = mid.shifts;
                (window[w] >> (right & 63) | window[w + 1] << 1 << (left & 63)) ^ mid.code
            };
            let mut masks = masks[j];
            let excluded = match H {
                1 => eight_of_16(&mut masks, by.near, partners),
                2 => eight_of_32(&mut masks, by.near, partners),
                _ => eight_of_64(&mut masks, by.near, partners),
            };
            let from = first.saturating_sub(8 * j);
            let (before, known) = (window[3 + j], window[4 + j]);
            window[4 + j] = if by.mixed || from > 0 {
                one_by_one(before, known, &excluded, by.near, from)
            } else {
                close(before, &excluded, by.near)
            };
            cells[at + 8 * j..][..8].copy_from_slice(&window[4 + j].to_le_bytes());
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn eight_of_16(masks: &mut Eight, near: &Near, partners: impl Fn(&Mid) -> u64) -> [u64; 8] {
        let table = _mm256_castsi256_si128(tables()[0]);
        let planes = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8);
        let mut m = load_half(&masks[0]);
        for mid in &near.mid {
            let codes = _mm_set1_epi64x(partners(mid) as i64);
            m = _mm_or_si128(m, _mm_shuffle_epi8(table, _mm_xor_si128(codes, planes)));
        }
        let pair = _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
        let m = _mm_shuffle_epi8(m, pair);
        spread([
            _mm256_cvtepu16_epi64(m),
            _mm256_cvtepu16_epi64(_mm_srli_si128::<8>(m)),
        ])
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn spread(words: [__m256i; 2]) -> [u64; 8] {
        let mut out = [0u64; 8];
        for (out, words) in out.chunks_exact_mut(4).zip(words) {
            // SAFETY: the slice has 32 bytes.
            unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), words) };
        }
        out
    }

    /// 32 bits for each heap, from the bytes of four planes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn words(planes: __m256i) -> [__m128i; 2] {
        let pair = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15,
        ));
        let m = _mm256_shuffle_epi8(planes, pair);
        let (low, high) = (_mm256_castsi256_si128(m), _mm256_extracti128_si256::<1>(m));
        [_mm_unpacklo_epi16(low, high), _mm_unpackhi_epi16(low, high)]
    }

    const Q: i64 = 0x0808_0808_0808_0808;

    /// The bits of eight heaps' codes, in four planes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn four_planes(codes: __m256i, planes: __m256i) -> __m256i {
        let index = _mm256_adds_epu8(_mm256_xor_si256(codes, planes), _mm256_set1_epi8(0x70));
        _mm256_shuffle_epi8(tables()[0], index)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn eight_of_32(masks: &mut Eight, near: &Near, partners: impl Fn(&Mid) -> u64) -> [u64; 8] {
        let planes = _mm256_setr_epi64x(0, Q, 2 * Q, 3 * Q);
        let mut m = load(masks[..2].as_flattened());
        for mid in &near.mid {
            let codes = _mm256_set1_epi64x(partners(mid) as i64);
            m = _mm256_or_si256(m, four_planes(codes, planes));
        }
        spread(words(m).map(|w| _mm256_cvtepu32_epi64(w)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn eight_of_64(masks: &mut Eight, near: &Near, partners: impl Fn(&Mid) -> u64) -> [u64; 8] {
        let planes = [
            _mm256_setr_epi64x(0, Q, 2 * Q, 3 * Q),
            _mm256_setr_epi64x(4 * Q, 5 * Q, 6 * Q, 7 * Q),
        ];
        let (low, high) = masks.split_at(2);
        let mut m = [load(low.as_flattened()), load(high.as_flattened())];
        for mid in &near.mid {
            let codes = _mm256_set1_epi64x(partners(mid) as i64);
            for (m, planes) in m.iter_mut().zip(planes) {
                *m = _mm256_or_si256(*m, four_planes(codes, planes));
            }
        }
        let ([a, b], [c, d]) = (words(m[0]), words(m[1]));
        let four = |low, high| {
            let (first, second) = (_mm_unpacklo_epi32(low, high), _mm_unpackhi_epi32(low, high));
            _mm256_set_m128i(second, first)
        };
        spread([four(a, c), four(b, d)])
    }

    /// Eight heaps in order, the first of which may be known, and partners may be rare.
    #[target_feature(enable = "bmi1,bmi2")]
    fn one_by_one(before: u64, known: u64, excluded: &[u64; 8], near: &Near, from: usize) -> u64 {
        // The last eight codes, the latest in the top byte.
        let mut last = match from {
            0 => before,
            _ => before >> (8 * from) | known << (64 - 8 * from),
        };
        for &excluded in &excluded[from..] {
            let mut free = !excluded;
            for &(shift, code) in &near.close {
                let x = (last >> shift ^ code) as u8;
                if x < 64 {
                    free &= !(1 << x);
                }
            }
            // With no code left it is 64.
            last = last >> 8 | u64::from(free.trailing_zeros()) << 56;
        }
        last
    }

    /// Eight heaps. With the number of close deltas known the loops over them unroll.
    #[inline]
    #[target_feature(enable = "bmi1,bmi2")]
    fn close(before: u64, excluded: &[u64; 8], near: &Near) -> u64 {
        macro_rules! unrolled {
            ($($n:literal)*) => {
                match (near.close.len(), near.group) {
                    $(
                        ($n, 1) => some_at_a_time::<$n, 1>(before, excluded, near),
                        ($n, 2) => some_at_a_time::<$n, 2>(before, excluded, near),
                        ($n, 4) => some_at_a_time::<$n, 4>(before, excluded, near),
                    )*
                    _ => one_by_one(before, 0, excluded, near, 0),
                }
            };
        }
        unrolled!(0 1 2 3 4 5 6 7 8)
    }

    /// As many heaps at a time as do not hang on each other: each step waits for the one before.
    #[target_feature(enable = "bmi1,bmi2")]
    fn some_at_a_time<const N: usize, const G: usize>(
        before: u64,
        excluded: &[u64; 8],
        near: &Near,
    ) -> u64 {
        let close: &[(u8, u64); N] = near.close[..].try_into().expect("so many");
        let mut last = before;
        for some in excluded.chunks_exact(G) {
            let partners = close.map(|(shift, code)| last >> (shift & 63) ^ code);
            let mut new = 0;
            for (i, excluded) in some.iter().enumerate() {
                let mut free = !excluded;
                for p in partners {
                    free &= !(1 << (p >> (8 * i) & 63));
                }
                new |= u64::from(free.trailing_zeros()) << (8 * i);
            }
            last = last >> (8 * G) | new << (64 - 8 * G);
        }
        last
    }

    /// For each of 32 heaps, from an even one on, the end of its rare codes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn ends(cells: __m256i, plan: &Plan) -> __m256i {
        let even = _mm256_set1_epi16(0xff);
        let look = |h: usize, i: __m256i| {
            let [a, b] = [0, 1].map(|p| {
                let ends = _mm256_broadcastsi128_si256(load_half(&plan.ends[p][h]));
                _mm256_shuffle_epi8(ends, i)
            });
            _mm256_blendv_epi8(b, a, even)
        };
        if plan.tight {
            return look(0, cells);
        }
        (0..4).fold(_mm256_setzero_si256(), |ends, h| {
            _mm256_or_si256(ends, look(h, index(cells, h)))
        })
    }

    /// The bits below the end in a plane.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn below(ends: __m256i, plane: usize) -> __m256i {
        let ones = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            0, 1, 3, 7, 15, 31, 63, 127, -1, -1, -1, -1, -1, -1, -1, -1,
        ));
        let ends = _mm256_subs_epu8(ends, _mm256_set1_epi8(8 * plane as i8));
        _mm256_shuffle_epi8(ones, _mm256_min_epu8(ends, _mm256_set1_epi8(8)))
    }

    #[target_feature(enable = "avx2")]
    pub fn prove(cells: &[u8], at: usize, plan: &Plan, left: &mut Vec<(usize, u8)>) -> u64 {
        let ends = [0, 32].map(|lane| ends(load(&cells[at + lane..]), plan));
        let above = |end: i8| {
            let most = _mm256_max_epu8(ends[0], ends[1]);
            let more = _mm256_subs_epu8(most, _mm256_set1_epi8(end));
            _mm256_testz_si256(more, more) == 0
        };
        if plan.tight {
            show::<1, true>(cells, at, plan, &ends, left)
        } else if above(48) {
            show::<4, false>(cells, at, plan, &ends, left)
        } else if above(32) {
            show::<3, false>(cells, at, plan, &ends, left)
        } else if above(16) {
            show::<2, false>(cells, at, plan, &ends, left)
        } else {
            show::<1, false>(cells, at, plan, &ends, left)
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn show<const H: usize, const TIGHT: bool>(
        cells: &[u8],
        at: usize,
        plan: &Plan,
        ends: &[__m256i; 2],
        left: &mut Vec<(usize, u8)>,
    ) -> u64 {
        let wanted: [[[__m256i; 2]; H]; 2] =
            ends.map(|ends| std::array::from_fn(|h| [below(ends, 2 * h), below(ends, 2 * h + 1)]));
        let mut shown = [[[_mm256_setzero_si256(); 2]; H]; 2];
        let open = |shown: &[[[__m256i; 2]; H]; 2]| {
            let mut any = _mm256_setzero_si256();
            for (shown, wanted) in shown.as_flattened().iter().zip(wanted.as_flattened()) {
                for (&shown, &wanted) in shown.iter().zip(wanted) {
                    any = _mm256_or_si256(any, _mm256_andnot_si256(shown, wanted));
                }
            }
            _mm256_testz_si256(any, any) == 0
        };
        let (mut steps, mut is_open) = (0, true);
        for some in plan.witnesses.chunks(TOGETHER) {
            is_open = open(&shown);
            if !is_open {
                break;
            }
            steps += some.len() as u64;
            let partners =
                |w: &Delta<u8>, half: usize| load(&cells[at - w.back as usize + 32 * half..]);
            if H <= 2 {
                for w in some {
                    for (half, shown) in shown.iter_mut().enumerate() {
                        exclude::<H, TIGHT>(shown, partners(w, half), w.code);
                    }
                }
            } else {
                // As many planes as registers hold.
                for (half, shown) in shown.iter_mut().enumerate() {
                    for w in some {
                        exclude::<H, TIGHT>(shown, partners(w, half), w.code);
                    }
                }
            }
        }
        if is_open && open(&shown) {
            list(&wanted, &shown, left);
        }
        steps
    }

    /// The codes that are wanted and not shown.
    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn list<const H: usize>(
        wanted: &[[[__m256i; 2]; H]; 2],
        shown: &[[[__m256i; 2]; H]; 2],
        left: &mut Vec<(usize, u8)>,
    ) {
        for (half, (wanted, shown)) in wanted.iter().zip(shown).enumerate() {
            let mut bytes = [[0u8; 32]; 8];
            let mut any = _mm256_setzero_si256();
            let pairs = wanted.as_flattened().iter().zip(shown.as_flattened());
            for (bytes, (&wanted, &shown)) in bytes.iter_mut().zip(pairs) {
                let open = _mm256_andnot_si256(shown, wanted);
                any = _mm256_or_si256(any, open);
                // SAFETY: the array has 32 bytes.
                unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), open) };
            }
            let none = _mm256_cmpeq_epi8(any, _mm256_setzero_si256());
            let mut lanes = !_mm256_movemask_epi8(none) as u32;
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let mut open = u64::from_le_bytes(bytes.map(|plane| plane[lane]));
                while open != 0 {
                    left.push((32 * half + lane, open.trailing_zeros() as u8));
                    open &= open - 1;
                }
            }
        }
    }

    #[target_feature(enable = "avx2")]
    pub fn gain(cells: &[u8], code: u8, open: &[u64]) -> u64 {
        super::portable::gain(cells, code, open)
    }

    #[target_feature(enable = "avx2")]
    pub fn count(cells: &[u8], code: u8) -> [u64; 2] {
        let wanted = _mm256_set1_epi8(code as i8);
        let zero = _mm256_setzero_si256();
        let mut counts = [0, 0];
        // As many as a byte can count.
        for cells in cells.chunks(255 * 32) {
            let (many, rest) = cells.as_chunks::<32>();
            let bytes = many.iter().fold(zero, |bytes, cells| {
                _mm256_sub_epi8(bytes, _mm256_cmpeq_epi8(load(cells), wanted))
            });
            let even = _mm256_and_si256(bytes, _mm256_set1_epi16(0xff));
            for (count, bytes) in counts.iter_mut().zip([even, _mm256_srli_epi16::<8>(bytes)]) {
                let mut sums = [0u64; 4];
                // SAFETY: the array has 32 bytes.
                unsafe {
                    _mm256_storeu_si256(sums.as_mut_ptr().cast(), _mm256_sad_epu8(bytes, zero))
                };
                *count += sums.iter().sum::<u64>();
            }
            let [even, odd] = super::portable::count(rest, code);
            counts = [counts[0] + even, counts[1] + odd];
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grundy_testkit::Random;

    /// Cells with codes below `most`, some of them rare, and pairs that lie within them.
    fn table(random: &mut Random, most: u64, rare: bool) -> (Vec<u8>, Vec<Delta<u8>>, Near) {
        let cells = (0..1200).map(|_| match random.below(9) {
            0 if rare => 255,
            _ => random.below(most) as u8,
        });
        let cells = cells.collect();
        let mut deltas = |count: u64, least: u64, end: u64| -> Vec<Delta<u8>> {
            let delta = |_| Delta {
                back: (least + random.below(end - least)) as u32,
                code: random.below(most) as u8,
            };
            (0..count).map(delta).collect()
        };
        let (close, mid) = (1 + most % 7, most % 5);
        let near = [deltas(close, 1 + most % 4, 8), deltas(mid, 8, 32)].concat();
        (cells, deltas(most / 4, 32, 500), Near::new(&near))
    }

    #[test]
    fn both_forms_give_the_same_values() {
        let mut random = Random::new(5);
        for case in 0..400 {
            let most = [14, 16, 23, 30, 40, 62][case % 6];
            let rare = case % 2 == 0;
            let (mut one, far, near) = table(&mut random, most, rare);
            let late: Vec<(usize, u8)> = (0..case % 3)
                .map(|_| (random.below(32) as usize, random.below(64) as u8))
                .collect();
            let halves = most.div_ceil(16) as usize;
            let by = By {
                far: &far,
                near: &near,
                late: &late,
                halves,
                mixed: rare,
            };
            let mut two = one.clone();
            let at = 600 + random.below(100) as usize;
            let first = if case % 3 == 0 {
                0
            } else {
                random.below(32) as usize
            };
            commons(&mut one, at, first, &by);
            portable::commons(&mut two, at, first, &by);
            let end = (at..at + LANES).find(|&i| usize::from(two[i]) >= 16 * halves);
            let same = end.unwrap_or(at + LANES);
            assert_eq!(one[..same], two[..same], "case {case}");
            // Past the codes that are kept account of there is only one answer: too large.
            assert!(end.is_none_or(|i| usize::from(one[i]) >= 16 * halves));
            assert_eq!(one[at + LANES..], two[at + LANES..]);
        }
    }

    #[test]
    fn both_forms_prove_and_count_the_same() {
        let mut random = Random::new(6);
        for case in 0..400 {
            let most = [14, 16, 23, 40, 62][case % 5];
            let (cells, witnesses, _) = table(&mut random, most, true);
            let split = Split {
                mask: 1 + random.below(most) as u32,
                position: case % 2 == 0,
                shift: (case / 2 % 2) as u8,
            };
            let tight = most <= 16 && split.low() < 16;
            let far = witnesses.iter().filter(|w| w.back >= 32).copied();
            let plan = Plan::new(&split, far.cycle().take(case).collect(), tight);
            let at = 500 + 2 * random.below(100) as usize;
            let (mut one, mut two) = (vec![], vec![]);
            assert_eq!(
                prove(&cells, at, &plan, &mut one),
                portable::prove(&cells, at, &plan, &mut two)
            );
            assert_eq!(one, two, "case {case}");
            for &(lane, k) in &one {
                let partner = |w: &Delta<u8>| cells[at + lane - w.back as usize] ^ w.code;
                assert!(plan.witnesses.iter().all(|w| partner(w) != k));
                let code = u32::from(cells[at + lane]);
                assert!(split.decode(u32::from(k), lane, false) < split.decode(code, lane, true));
            }
            let from = random.below(100) as usize;
            let code = random.below(most) as u8;
            let counts = count(&cells[from..], code);
            assert_eq!(counts, portable::count(&cells[from..], code));
            let open: Vec<u64> = (0..300).map(|_| random.below(u64::MAX)).collect();
            assert_eq!(
                gain(&cells[from..from + 300], code, &open),
                portable::gain(&cells[from..from + 300], code, &open)
            );
        }
    }
}
