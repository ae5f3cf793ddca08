//! The inner loops for codes of one and of two bytes, over many heaps at a time: portable, and for AVX2; `avx512` has wider forms
//! of two of them. All give the same bits.

use std::ops::Not;

#[cfg(target_arch = "x86_64")]
use crate::avx512;

/// A pair of heaps for every lane: the partner is the heap `back` below, and the nim-sum has the partner's code ⊕ `code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delta<T> {
    pub back: u32,
    pub code: T,
}

/// Whether the processor has AVX2, and BMI and POPCNT, which every processor with AVX2 so far has.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn has_avx2() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt")
}

macro_rules! with_avx2 {
    ($name:ident($($arg:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if $crate::lanes::has_avx2() {
            // SAFETY: the processor has AVX2 and what came with it.
            #[allow(unsafe_code)]
            return unsafe { x86::$name($($arg),*) };
        }
        portable::$name($($arg),*)
    }};
}
pub(crate) use with_avx2;

/// As `with_avx2`, by registers of 64 bytes where the processor has them.
macro_rules! with_avx512 {
    ($name:ident($($arg:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        if avx512::has() {
            // SAFETY: the processor has AVX-512 for bytes and words.
            #[allow(unsafe_code)]
            return unsafe { avx512::$name($($arg),*) };
        }
        with_avx2!($name($($arg),*))
    }};
}

/// Words of 64 heaps whose rare values are proved to be options together.
pub(crate) const SPAN: usize = 8;

/// Sets the words from `word` on of each row, which is `row` words long, to the places of its code.
pub(crate) fn fill_span(rows: &mut [u64], row: usize, word: usize, codes: &[u8; 64 * SPAN]) {
    with_avx2!(fill_span(rows, row, word, codes))
}

/// As `exclude`, with the bits of a partner from a byte of the rows on, up to where no more than `few` lanes are left.
pub(crate) fn cover(rows: &[u64], bytes: &[u32], few: u32, rest: &mut [u64; SPAN]) -> u64 {
    with_avx2!(cover(rows, bytes, few, rest))
}

/// How many partners `cover` looks at before it counts what is left.
const ROUND: usize = 16;

/// As `find_pair`, any pair and only among some whose lesser heap is one of those turned round; there are more than 200.
pub(crate) fn probe(codes: &[u8], turned: &[u8], total: usize, code: u8) -> Option<usize> {
    with_avx2!(probe(codes, turned, total, code))
}

/// How many times `probe` looks at four runs of `RUN` pairs.
const PROBES: u32 = 32;
const RUN: usize = 32;

/// Where a run begins: multiples of the golden section lie far from one another.
#[inline(always)]
fn run(i: u32, turned: &[u8]) -> usize {
    let place = u64::from(i.wrapping_mul(0x9E37_79B9));
    64 + ((place * (turned.len() - 128) as u64) >> 32) as usize
}

/// Holes of 64 heaps that a pair gives become 255. `mixed` says that a partner may be rare, and gives nothing.
pub(crate) fn strike(
    codes: &[u8],
    base: usize,
    deltas: &[Delta<u8>],
    mixed: bool,
    holes: &mut [[u8; 64]],
) {
    if mixed {
        with_avx2!(strike_mixed(codes, base, deltas, holes))
    } else {
        with_avx2!(strike_common(codes, base, deltas, holes))
    }
}

/// Sorts each column.
pub(crate) fn sort_columns<T: Copy + Ord>(rows: &mut [[T; 64]]) {
    with_avx2!(sort_columns(rows))
}

/// The codes that pairs exclude for 64 heaps: bit c of the `words` words of each. Codes from 8 · `planes` on are left out.
pub(crate) fn flags(
    codes: &[u8],
    base: usize,
    deltas: &[Delta<u8>],
    mixed: bool,
    planes: usize,
    words: usize,
    flags: &mut [u64],
) {
    flags.fill(0);
    // Byte q of a heap is first kept beside those of the other heaps: two for each sixteen codes, as many as registers hold.
    let mut bytes = [[0u8; 64]; 40];
    let groups = planes.div_ceil(2);
    let each = groups.div_ceil(groups.div_ceil(5)).max(2);
    for q in (0..planes).step_by(2 * each) {
        let out = &mut bytes[q..q + 2 * each];
        match (mixed, each) {
            (true, _) => planes_mixed(codes, base, deltas, q as u8, out),
            (false, 2) => planes_four(codes, base, deltas, q as u8, out),
            (false, 3) => planes_six(codes, base, deltas, q as u8, out),
            (false, 4) => planes_eight(codes, base, deltas, q as u8, out),
            (false, _) => planes_ten(codes, base, deltas, q as u8, out),
        }
    }
    for word in 0..planes.div_ceil(8) {
        for group in 0..8 {
            let mut eight: [u64; 8] = std::array::from_fn(|q| {
                u64::from_le_bytes(
                    bytes[8 * word + q][8 * group..][..8]
                        .try_into()
                        .expect("eight of 64"),
                )
            });
            transpose(&mut eight);
            for (i, w) in eight.into_iter().enumerate() {
                flags[(8 * group + i) * words + word] = w;
            }
        }
    }
}

macro_rules! planes {
    ($($name:ident)*) => {
        $(fn $name(codes: &[u8], base: usize, deltas: &[Delta<u8>], first: u8, out: &mut [[u8; 64]]) {
            with_avx2!($name(codes, base, deltas, first, out))
        })*
    };
}
planes!(planes_mixed planes_four planes_six planes_eight planes_ten);

/// The codes that pairs of cells of two bytes exclude for 64 heaps: bit c of the `words` words of each, a power of two that
/// is enough for them all. A nim-sum with the top bit is of a rare heap, and gives nothing.
pub(crate) fn wide_flags(
    cells: &[u16],
    base: usize,
    deltas: &[Delta<u16>],
    words: usize,
    flags: &mut [u64],
) {
    with_avx2!(wide_flags(cells, base, deltas, words, flags))
}

/// Bytes of eight that are 0 or 1 to bits.
fn bits(bytes: &[u8], flags: &mut [u64]) {
    for (bytes, flags) in bytes.chunks_exact(64).zip(flags) {
        let (eights, _) = bytes.as_chunks::<8>();
        let bits =
            |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        *flags = eights
            .iter()
            .rev()
            .fold(0, |word, eight| word << 8 | bits(eight));
    }
}

/// As `strike`, for cells of two bytes.
pub(crate) fn wide_strike(
    cells: &[u16],
    base: usize,
    deltas: &[Delta<u16>],
    holes: &mut [[u16; 64]],
) {
    with_avx512!(wide_strike(cells, base, deltas, holes))
}

/// As `find_pair`, for cells of two bytes.
pub(crate) fn find_wide_pair(
    cells: &[u16],
    turned: &[u16],
    total: usize,
    code: u16,
    from: usize,
) -> Option<usize> {
    with_avx512!(find_wide_pair(cells, turned, total, code, from))
}

/// What pairs whose partners are less than 64 below give, at most one for each: of the cells of the 64 heaps below one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layer<T> {
    /// The codes of the pairs, the farthest first.
    codes: [T; 64],
    /// All bits where there is no pair.
    none: [T; 64],
}

impl<T: Copy + Eq + Default + Not<Output = T>> Layer<T> {
    /// As many as are needed.
    pub fn of(deltas: &[Delta<T>]) -> Vec<Self> {
        let (zero, full) = (T::default(), !T::default());
        let mut layers: Vec<Layer<T>> = Vec::new();
        for d in deltas {
            let place = 64 - d.back as usize;
            let free = layers.iter().position(|l| l.none[place] == full);
            let free = free.unwrap_or_else(|| {
                layers.push(Layer {
                    codes: [zero; 64],
                    none: [full; 64],
                });
                layers.len() - 1
            });
            layers[free].codes[place] = d.code;
            layers[free].none[place] = zero;
        }
        layers
    }
}

/// Whether a pair of the layers gives this code, which is less than 250; `below` has the 64 heaps below.
pub(crate) fn gives(below: &[u8; 64], layers: &[Layer<u8>], code: u8) -> bool {
    with_avx2!(gives(below, layers, code))
}

/// The holes of a heap that `first_holes` looks at.
pub(crate) const HOLES: usize = 6;

/// The codes of a block in order from lane `first` on: of up to `HOLES` holes of each the first that no near pair gives.
/// `window` has the cells of the 64 heaps below and of the block, `mid` the pairs with partners from 16 below on, and the
/// layers the others.
/// No heap of the window is rare. It ends before the first heap that has no such hole; the lane is said, 64 if there is none.
pub(crate) fn first_holes(
    window: &mut [u8; 128],
    holes: &[[u8; 64]],
    mid: &[Delta<u8>],
    close: &[Layer<u8>],
    first: usize,
) -> usize {
    with_avx2!(first_holes(window, holes, mid, close, first))
}

/// As `gives`, for cells of two bytes and a code without the top bit.
pub(crate) fn wide_gives(below: &[u16; 64], layers: &[Layer<u16>], code: u16) -> bool {
    with_avx2!(wide_gives(below, layers, code))
}

/// Eight words of eight bytes, the bytes of each place together.
fn transpose(w: &mut [u64; 8]) {
    for (step, mask) in [
        (4, 0x0000_0000_ffff_ffff),
        (2, 0x0000_ffff_0000_ffff),
        (1, 0x00ff_00ff_00ff_00ff),
    ] {
        for i in (0..8).filter(|i| i & step == 0) {
            let t = (w[i] >> (8 * step) ^ w[i + step]) & mask;
            w[i + step] ^= t;
            w[i] ^= t << (8 * step);
        }
    }
}

/// The values from one on, a multiple of 32 of them, become the mex of up to eight values below 16: those of the heaps each
/// of `backs` below, at least 32.
pub(crate) fn take(values: &mut [u8], from: usize, backs: &[usize]) {
    with_avx2!(take(values, from, backs))
}

/// The least a ≥ `from`, 2a ≤ total, with `codes[a] ⊕ codes[total − a]` = code, looked for 32 at a time. `turned` has the
/// first codes, as many as one likes, the last of them first: those need not be turned round then.
pub(crate) fn find_pair(
    codes: &[u8],
    turned: &[u8],
    total: usize,
    code: u8,
    from: usize,
) -> Option<usize> {
    with_avx2!(find_pair(codes, turned, total, code, from))
}

mod portable {
    use std::ops::{BitOr, BitXor, Not};

    use super::{Delta, Layer, PROBES, ROUND, RUN, SPAN};

    pub fn take(values: &mut [u8], from: usize, backs: &[usize]) {
        for n in from..values.len() {
            let options = backs.iter().map(|&back| values[n - back]);
            let set = options.fold(0u16, |set, v| set | 1 << v);
            values[n] = (set as u8).trailing_ones() as u8;
        }
    }

    /// A cell without a common value has all bits, or the top bit, which no code has.
    #[inline(always)]
    pub fn gives<T>(below: &[T; 64], layers: &[Layer<T>], code: T) -> bool
    where
        T: Copy + Eq + Default + BitXor<Output = T> + BitOr<Output = T> + Not<Output = T>,
    {
        layers.iter().any(|layer| {
            (0..64).fold(false, |hit, i| {
                let p = below[i];
                hit | ((((p ^ layer.codes[i]) | layer.none[i]) == code) & (p != !T::default()))
            })
        })
    }

    pub use gives as wide_gives;

    pub fn first_holes(
        window: &mut [u8; 128],
        holes: &[[u8; 64]],
        mid: &[Delta<u8>],
        close: &[Layer<u8>],
        first: usize,
    ) -> usize {
        for lane in first..64 {
            let below: [u8; 64] = std::array::from_fn(|i| window[lane + i]);
            let given = |hole: u8| {
                let sum = |d: &Delta<u8>| below[64 - d.back as usize] ^ d.code;
                mid.iter().any(|d| sum(d) == hole) || gives(&below, close, hole)
            };
            let column = holes.iter().map(|row| row[lane]);
            let mut left = column.take_while(|&hole| hole != 255);
            let Some(code) = left.find(|&hole| !given(hole)) else {
                return lane;
            };
            window[64 + lane] = code;
        }
        64
    }

    pub fn find_pair<T>(cells: &[T], _: &[T], total: usize, code: T, from: usize) -> Option<usize>
    where
        T: Copy + Eq + BitXor<Output = T>,
    {
        (from..=total / 2).find(|&a| cells[a] ^ cells[total - a] == code)
    }

    pub use find_pair as find_wide_pair;

    pub fn wide_flags(
        cells: &[u16],
        base: usize,
        deltas: &[Delta<u16>],
        words: usize,
        flags: &mut [u64],
    ) {
        flags.fill(0);
        for delta in deltas {
            let partners = &cells[base - delta.back as usize..][..64];
            for (flags, &p) in flags.chunks_exact_mut(words).zip(partners) {
                let x = p ^ delta.code;
                if x >> 15 == 0 {
                    flags[usize::from(x >> 6)] |= 1 << (x & 63);
                }
            }
        }
    }

    pub fn wide_strike(cells: &[u16], base: usize, deltas: &[Delta<u16>], holes: &mut [[u16; 64]]) {
        strike(cells, base, deltas, holes, u16::MAX, |_| true);
    }

    /// Holes that a pair with a partner that counts gives become `full`.
    fn strike<T>(
        cells: &[T],
        base: usize,
        deltas: &[Delta<T>],
        holes: &mut [[T; 64]],
        full: T,
        counts: impl Fn(T) -> bool,
    ) where
        T: Copy + Eq + BitXor<Output = T>,
    {
        for hole in holes {
            let before = *hole;
            for delta in deltas {
                let partners = &cells[base - delta.back as usize..][..64];
                for (i, &p) in partners.iter().enumerate() {
                    if counts(p) && p ^ delta.code == before[i] {
                        hole[i] = full;
                    }
                }
            }
        }
    }

    pub fn planes_mixed(
        codes: &[u8],
        base: usize,
        deltas: &[Delta<u8>],
        first: u8,
        out: &mut [[u8; 64]],
    ) {
        for d in deltas {
            let from = base - d.back as usize;
            for (i, &p) in codes[from..from + 64].iter().enumerate() {
                let code = p ^ d.code;
                let plane = (code / 8).checked_sub(first);
                if let Some(out) = plane.and_then(|q| out.get_mut(usize::from(q)))
                    && p != 255
                {
                    out[i] |= 1 << (code % 8);
                }
            }
        }
    }

    pub use planes_mixed as planes_four;
    pub use planes_mixed as planes_six;
    pub use planes_mixed as planes_eight;
    pub use planes_mixed as planes_ten;

    pub fn strike_mixed(codes: &[u8], base: usize, deltas: &[Delta<u8>], holes: &mut [[u8; 64]]) {
        strike(codes, base, deltas, holes, 255, |p| p != 255);
    }

    pub fn strike_common(codes: &[u8], base: usize, deltas: &[Delta<u8>], holes: &mut [[u8; 64]]) {
        strike_mixed(codes, base, deltas, holes);
    }

    /// Batcher's odd-even merge sort, each step on whole rows.
    #[inline(always)]
    pub fn sort_columns<T: Copy + Ord>(rows: &mut [[T; 64]]) {
        let n = rows.len();
        let mut p = 1;
        while p < n {
            let mut k = p;
            while k >= 1 {
                let mut j = k % p;
                while j + k < n {
                    for i in 0..k.min(n - j - k) {
                        let (low, high) = (i + j, i + j + k);
                        if low / (2 * p) == high / (2 * p) {
                            let (a, b) = rows.split_at_mut(high);
                            for (x, y) in a[low].iter_mut().zip(&mut b[0]) {
                                (*x, *y) = ((*x).min(*y), (*x).max(*y));
                            }
                        }
                    }
                    j += 2 * k;
                }
                k /= 2;
            }
            p *= 2;
        }
    }

    pub fn fill_span(rows: &mut [u64], row: usize, word: usize, codes: &[u8; 64 * SPAN]) {
        for row in rows.chunks_exact_mut(row) {
            row[word..word + SPAN].fill(0);
        }
        for (i, &code) in codes.iter().enumerate() {
            if let Some(row) = rows.chunks_exact_mut(row).nth(usize::from(code)) {
                row[word + i / 64] |= 1 << (i % 64);
            }
        }
    }

    pub fn cover(rows: &[u64], bytes: &[u32], few: u32, rest: &mut [u64; SPAN]) -> u64 {
        let mut steps = 0;
        for round in bytes.chunks(ROUND) {
            if rest.iter().map(|w| w.count_ones()).sum::<u32>() <= few {
                break;
            }
            for &byte in round {
                let words = &rows[byte as usize / 8..][..SPAN + 1];
                let shift = 8 * (byte % 8);
                for i in 0..SPAN {
                    rest[i] &= !(words[i] >> shift | words[i + 1] << 1 << (63 - shift));
                }
            }
            steps += round.len();
        }
        steps as u64
    }

    pub fn probe(codes: &[u8], turned: &[u8], total: usize, code: u8) -> Option<usize> {
        let runs = (0..4 * PROBES).map(|i| super::run(i, turned));
        let mut pairs = runs.flat_map(|from| from..from + RUN);
        pairs.find(|&a| turned[turned.len() - 1 - a] ^ codes[total - a] == code)
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub(crate) mod x86 {
    use super::{Delta, HOLES, Layer, PROBES, ROUND, RUN, SPAN};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2")]
    pub fn gives(below: &[u8; 64], layers: &[Layer<u8>], code: u8) -> bool {
        super::portable::gives(below, layers, code)
    }

    #[target_feature(enable = "avx2")]
    pub fn wide_gives(below: &[u16; 64], layers: &[Layer<u16>], code: u16) -> bool {
        super::portable::gives(below, layers, code)
    }

    /// Sixteen heaps at a time, and then each by itself with the sixteen before it in a register.
    #[target_feature(enable = "avx2")]
    pub fn first_holes(
        window: &mut [u8; 128],
        holes: &[[u8; 64]],
        mid: &[Delta<u8>],
        close: &[Layer<u8>],
        first: usize,
    ) -> usize {
        let load = |cells: &[u8]| {
            let cells: &[u8; 16] = cells.try_into().expect("sixteen cells");
            // SAFETY: the array has sixteen bytes.
            unsafe { _mm_loadu_si128(cells.as_ptr().cast()) }
        };
        let rows = holes.len();
        for group in first / 16..4 {
            let at = 64 + 16 * group;
            let mut columns = [[255u8; 16]; HOLES];
            for (holes, out) in holes.iter().zip(&mut columns[..rows]) {
                let before = load(&holes[16 * group..16 * group + 16]);
                let mut after = before;
                for delta in mid {
                    let from = at - delta.back as usize;
                    let p = load(&window[from..from + 16]);
                    let x = _mm_xor_si128(p, _mm_set1_epi8(delta.code as i8));
                    after = _mm_or_si128(after, _mm_cmpeq_epi8(x, before));
                }
                // SAFETY: the array has sixteen bytes.
                unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), after) };
            }
            let start = first.max(16 * group);
            let mut last = load(&window[start + 48..start + 64]);
            for lane in start..16 * group + 16 {
                // Holes that have been hit are 255, and others may follow; a column without any ends in 255.
                let code = columns[..rows]
                    .iter()
                    .map(|column| column[lane % 16])
                    .find(|&hole| {
                        let code = _mm_set1_epi8(hole as i8);
                        let hit = close.iter().fold(_mm_setzero_si128(), |hit, layer| {
                            let x = _mm_xor_si128(last, load(&layer.codes[48..]));
                            let x = _mm_or_si128(x, load(&layer.none[48..]));
                            _mm_or_si128(hit, _mm_cmpeq_epi8(x, code))
                        });
                        hole != 255 && _mm_movemask_epi8(hit) == 0
                    });
                let Some(code) = code else {
                    return lane;
                };
                window[64 + lane] = code;
                last = _mm_alignr_epi8::<1>(_mm_cvtsi32_si128(i32::from(code)), last);
            }
        }
        64
    }

    /// The bits of the codes 0 to 7, and of those from 8 to 15, by the low four bits of an index; what has the top bit set
    /// gives none.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn tables() -> [__m256i; 2] {
        [
            _mm256_setr_epi64x(-0x7fbf_dfef_f7fb_fdff, 0, -0x7fbf_dfef_f7fb_fdff, 0),
            _mm256_setr_epi64x(0, -0x7fbf_dfef_f7fb_fdff, 0, -0x7fbf_dfef_f7fb_fdff),
        ]
    }

    /// An index into the tables for the codes from 16h on: another code goes past 127.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn index(codes: __m256i, h: usize) -> __m256i {
        let codes = _mm256_sub_epi8(codes, _mm256_set1_epi8((16 * h) as i8));
        _mm256_adds_epu8(codes, _mm256_set1_epi8(0x70))
    }

    /// 32 heaps at a time: a byte for each, with a bit for each value below 8, which is all that eight options can fill.
    #[target_feature(enable = "avx2")]
    pub fn take(values: &mut [u8], from: usize, backs: &[usize]) {
        let ones = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, 4,
        ));
        let (low, four) = (_mm256_set1_epi8(15), _mm256_set1_epi8(4));
        let bits = tables()[0];
        for n in (from..values.len()).step_by(32) {
            let mut set = _mm256_setzero_si256();
            for &back in backs {
                let options = &values[n - back..][..32];
                // SAFETY: the slice has 32 values.
                let v = unsafe { _mm256_loadu_si256(options.as_ptr().cast()) };
                set = _mm256_or_si256(set, _mm256_shuffle_epi8(bits, v));
            }
            // The ones that a byte ends with: those of its low half, and of the high half if the low one is full.
            let a = _mm256_shuffle_epi8(ones, _mm256_and_si256(set, low));
            let b = _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi16::<4>(set), low));
            let mex = _mm256_add_epi8(a, _mm256_and_si256(b, _mm256_cmpeq_epi8(a, four)));
            let out = &mut values[n..n + 32];
            // SAFETY: the slice has 32 values.
            unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), mex) };
        }
    }

    /// As many cells at a time as a register holds, those of the higher heaps turned round.
    macro_rules! find_pair {
        ($($name:ident $cell:ident $cells:literal $same:ident $set:ident [$($turn:literal)*])*) => {
            $(#[target_feature(enable = "avx2")]
            pub fn $name(
                cells: &[$cell],
                turned: &[$cell],
                total: usize,
                code: $cell,
                from: usize,
            ) -> Option<usize> {
                const CELLS: usize = $cells;
                let turn = _mm256_broadcastsi128_si256(_mm_setr_epi8($($turn),*));
                let wanted = $set(code.cast_signed());
                let mut a = from;
                // Four registers between two branches, the nearest cells in the last one.
                while a + 4 * CELLS - 1 <= total / 2 && a + 4 * CELLS <= turned.len() {
                    let end = turned.len() - a;
                    let low = &turned[end - 4 * CELLS..end];
                    let high = &cells[total - a + 1 - 4 * CELLS..total - a + 1];
                    let same = [0, 1, 2, 3].map(|i| {
                        let (low, high) = (&low[i * CELLS..], &high[i * CELLS..]);
                        // SAFETY: both slices have 32 bytes and more.
                        let (low, high) = unsafe {
                            (
                                _mm256_loadu_si256(low.as_ptr().cast()),
                                _mm256_loadu_si256(high.as_ptr().cast()),
                            )
                        };
                        $same(_mm256_xor_si256(low, high), wanted)
                    });
                    let any = same.into_iter().fold(_mm256_setzero_si256(), |a, b| _mm256_or_si256(a, b));
                    if _mm256_testz_si256(any, any) == 0 {
                        for (i, same) in same.into_iter().rev().enumerate() {
                            let hits = _mm256_movemask_epi8(same) as u32;
                            if hits != 0 {
                                return Some(a + i * CELLS + hits.leading_zeros() as usize / (32 / CELLS));
                            }
                        }
                    }
                    a += 4 * CELLS;
                }
                while a + CELLS - 1 <= total / 2 {
                    let (low, high) = (&cells[a..a + CELLS], &cells[total - a + 1 - CELLS..total - a + 1]);
                    // SAFETY: the slices have 32 bytes.
                    let (low, high) = unsafe {
                        (
                            _mm256_loadu_si256(low.as_ptr().cast()),
                            _mm256_loadu_si256(high.as_ptr().cast()),
                        )
                    };
                    let high = _mm256_shuffle_epi8(_mm256_permute2x128_si256::<1>(high, high), turn);
                    let same = $same(_mm256_xor_si256(low, high), wanted);
                    let hits = _mm256_movemask_epi8(same) as u32;
                    if hits != 0 {
                        return Some(a + hits.trailing_zeros() as usize / (32 / CELLS));
                    }
                    a += CELLS;
                }
                super::portable::find_pair(cells, turned, total, code, a)
            })*
        };
    }
    find_pair! {
        find_pair u8 32 _mm256_cmpeq_epi8 _mm256_set1_epi8
            [15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0]
        find_wide_pair u16 16 _mm256_cmpeq_epi16 _mm256_set1_epi16
            [14 15 12 13 10 11 8 9 6 7 4 5 2 3 0 1]
    }

    #[target_feature(enable = "avx2")]
    pub fn sort_columns<T: Copy + Ord>(rows: &mut [[T; 64]]) {
        super::portable::sort_columns(rows);
    }

    #[target_feature(enable = "avx2")]
    pub fn wide_flags(
        cells: &[u16],
        base: usize,
        deltas: &[Delta<u16>],
        words: usize,
        flags: &mut [u64],
    ) {
        match words {
            4 => scatter::<256, 320>(cells, base, deltas, flags),
            8 => scatter::<512, 576>(cells, base, deltas, flags),
            16 => scatter::<1024, 1088>(cells, base, deltas, flags),
            32 => scatter::<2048, 2112>(cells, base, deltas, flags),
            _ => super::portable::wide_flags(cells, base, deltas, words, flags),
        }
    }

    /// Sixteen heaps at a time: a byte for each code and one more for all that is no code, stored without a look at what is
    /// there.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn scatter<const CODES: usize, const BYTES: usize>(
        cells: &[u16],
        base: usize,
        deltas: &[Delta<u16>],
        flags: &mut [u64],
    ) {
        let none = _mm256_set1_epi16(CODES as i16);
        let mut given = [[0u8; BYTES]; 16];
        for (group, flags) in flags.chunks_exact_mut(CODES / 4).enumerate() {
            given.as_flattened_mut().fill(0);
            let from = base + 16 * group;
            for some in deltas.chunks(32) {
                let mut places = [0u16; 16 * 32];
                for (delta, places) in some.iter().zip(places.chunks_exact_mut(16)) {
                    let start = from - delta.back as usize;
                    let partners = &cells[start..start + 16];
                    // SAFETY: the slices have 32 bytes.
                    unsafe {
                        let p = _mm256_loadu_si256(partners.as_ptr().cast());
                        let x = _mm256_xor_si256(p, _mm256_set1_epi16(delta.code as i16));
                        let x = _mm256_min_epu16(x, none);
                        _mm256_storeu_si256(places.as_mut_ptr().cast(), x);
                    }
                }
                for places in places[..16 * some.len()].chunks_exact(16) {
                    for (given, &place) in given.iter_mut().zip(places) {
                        // SAFETY: a place is at most CODES, and there are more bytes.
                        unsafe { *given.get_unchecked_mut(usize::from(place)) = 1 };
                    }
                }
            }
            for (given, flags) in given.iter().zip(flags.chunks_exact_mut(CODES / 64)) {
                super::bits(given, flags);
            }
        }
    }

    /// Rows of holes in registers, sixteen lanes of each at a time or 32. A hole that is hit gets all bits, and keeps them.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn wide_rows<const ROWS: usize, const PARTS: usize>(
        cells: &[u16],
        base: usize,
        deltas: &[Delta<u16>],
        holes: &mut [[u16; 64]],
    ) {
        for first in (0..64).step_by(16 * PARTS) {
            // SAFETY: a row has 128 bytes.
            let mut rows: [[__m256i; PARTS]; ROWS] = std::array::from_fn(|j| {
                std::array::from_fn(|i| unsafe {
                    _mm256_loadu_si256(holes[j][first + 16 * i..].as_ptr().cast())
                })
            });
            for delta in deltas {
                let from = base - delta.back as usize + first;
                let c = &cells[from..from + 16 * PARTS];
                let code = _mm256_set1_epi16(delta.code as i16);
                for i in 0..PARTS {
                    // SAFETY: the slice has 32 bytes for each part.
                    let p = unsafe { _mm256_loadu_si256(c[16 * i..].as_ptr().cast()) };
                    let x = _mm256_xor_si256(p, code);
                    for row in &mut rows {
                        row[i] = _mm256_or_si256(row[i], _mm256_cmpeq_epi16(x, row[i]));
                    }
                }
            }
            for (holes, row) in holes.iter_mut().zip(rows) {
                for (i, row) in row.into_iter().enumerate() {
                    // SAFETY: a row has 128 bytes.
                    unsafe {
                        _mm256_storeu_si256(holes[first + 16 * i..].as_mut_ptr().cast(), row)
                    };
                }
            }
        }
    }

    /// Strikes some rows, at most twelve: two parts of each where the registers allow it.
    macro_rules! by_rows {
        ($some:ident, $cells:ident, $base:ident, $deltas:ident, $strike:ident $(, $more:ident)?) => {
            by_rows!(@ $some, $cells, $base, $deltas, $strike, [$($more)?],
                1 2 2 2 3 2 4 2 5 2 6 2 7 1 8 1 9 1 10 1 11 1 12 1)
        };
        (@ $some:ident, $cells:ident, $base:ident, $deltas:ident, $strike:ident, $more:tt,
            $($rows:literal $parts:literal)*) => {
            match $some.len() {
                $($rows => by_rows!(# $strike, $rows, $parts, $more)($cells, $base, $deltas, $some),)*
                _ => unreachable!("no more than twelve rows"),
            }
        };
        (# $strike:ident, $rows:literal, $parts:literal, []) => { $strike::<$rows, $parts> };
        (# $strike:ident, $rows:literal, $parts:literal, [$more:ident]) => { $strike::<$rows, $parts, $more> };
    }

    #[target_feature(enable = "avx2")]
    pub fn wide_strike(cells: &[u16], base: usize, deltas: &[Delta<u16>], holes: &mut [[u16; 64]]) {
        let passes = holes.len().div_ceil(12).max(1);
        for some in holes.chunks_mut(holes.len().div_ceil(passes).max(1)) {
            by_rows!(some, cells, base, deltas, wide_rows);
        }
    }

    /// Two planes for each of some groups of sixteen codes, 32 lanes at a time.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn planes<const MIXED: bool, const GROUPS: usize>(
        codes: &[u8],
        base: usize,
        deltas: &[Delta<u8>],
        first: u8,
        out: &mut [[u8; 64]],
    ) {
        let [low, high] = tables();
        for half in [0, 32] {
            let mut planes = [[_mm256_setzero_si256(); 2]; GROUPS];
            for delta in deltas {
                let from = base - delta.back as usize + half;
                let c = &codes[from..from + 32];
                // SAFETY: the slice has 32 bytes.
                let p = unsafe { _mm256_loadu_si256(c.as_ptr().cast()) };
                let x = _mm256_xor_si256(p, _mm256_set1_epi8(delta.code as i8));
                for (g, plane) in planes.iter_mut().enumerate() {
                    let mut i = index(x, usize::from(first / 2) + g);
                    if MIXED {
                        i = _mm256_or_si256(i, _mm256_cmpeq_epi8(p, _mm256_set1_epi8(-1)));
                    }
                    plane[0] = _mm256_or_si256(plane[0], _mm256_shuffle_epi8(low, i));
                    plane[1] = _mm256_or_si256(plane[1], _mm256_shuffle_epi8(high, i));
                }
            }
            for (out, &plane) in out.iter_mut().zip(planes.as_flattened()) {
                // SAFETY: a plane has 64 bytes.
                unsafe { _mm256_storeu_si256(out[half..].as_mut_ptr().cast(), plane) };
            }
        }
    }

    macro_rules! planes {
        ($($name:ident $mixed:literal $groups:literal)*) => {
            $(#[target_feature(enable = "avx2")]
            pub fn $name(codes: &[u8], base: usize, deltas: &[Delta<u8>], first: u8, out: &mut [[u8; 64]]) {
                planes::<$mixed, $groups>(codes, base, deltas, first, out);
            })*
        };
    }
    planes! {
        planes_mixed true 5
        planes_four false 2
        planes_six false 3
        planes_eight false 4
        planes_ten false 5
    }

    /// Rows of holes in registers, 32 lanes of each at a time or all 64. A hole that is hit becomes 255, and stays it.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn strike<const ROWS: usize, const PARTS: usize, const MIXED: bool>(
        codes: &[u8],
        base: usize,
        deltas: &[Delta<u8>],
        holes: &mut [[u8; 64]],
    ) {
        for first in (0..64).step_by(32 * PARTS) {
            // SAFETY: a row has 64 bytes.
            let mut rows: [[__m256i; PARTS]; ROWS] = std::array::from_fn(|j| {
                std::array::from_fn(|i| unsafe {
                    _mm256_loadu_si256(holes[j][first + 32 * i..].as_ptr().cast())
                })
            });
            for delta in deltas {
                let from = base - delta.back as usize + first;
                let c = &codes[from..from + 32 * PARTS];
                let code = _mm256_set1_epi8(delta.code as i8);
                for i in 0..PARTS {
                    // SAFETY: the slice has 32 bytes for each part.
                    let p = unsafe { _mm256_loadu_si256(c[32 * i..].as_ptr().cast()) };
                    let mut x = _mm256_xor_si256(p, code);
                    if MIXED {
                        x = _mm256_or_si256(x, _mm256_cmpeq_epi8(p, _mm256_set1_epi8(-1)));
                    }
                    for row in &mut rows {
                        row[i] = _mm256_or_si256(row[i], _mm256_cmpeq_epi8(x, row[i]));
                    }
                }
            }
            for (holes, row) in holes.iter_mut().zip(rows) {
                for (i, row) in row.into_iter().enumerate() {
                    // SAFETY: a row has 64 bytes.
                    unsafe {
                        _mm256_storeu_si256(holes[first + 32 * i..].as_mut_ptr().cast(), row)
                    };
                }
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn strike_rows<const MIXED: bool>(
        codes: &[u8],
        base: usize,
        deltas: &[Delta<u8>],
        holes: &mut [[u8; 64]],
    ) {
        // As few passes as the registers allow, of about as many rows each.
        let passes = holes.len().div_ceil(12).max(1);
        for some in holes.chunks_mut(holes.len().div_ceil(passes).max(1)) {
            by_rows!(some, codes, base, deltas, strike, MIXED);
        }
    }

    #[target_feature(enable = "avx2")]
    pub fn strike_mixed(codes: &[u8], base: usize, deltas: &[Delta<u8>], holes: &mut [[u8; 64]]) {
        strike_rows::<true>(codes, base, deltas, holes);
    }

    #[target_feature(enable = "avx2")]
    pub fn strike_common(codes: &[u8], base: usize, deltas: &[Delta<u8>], holes: &mut [[u8; 64]]) {
        strike_rows::<false>(codes, base, deltas, holes);
    }

    /// First the places of each bit of the codes, then those of its low and its high bits, then those of all.
    #[target_feature(enable = "avx2")]
    pub fn fill_span(rows: &mut [u64], row: usize, word: usize, codes: &[u8; 64 * SPAN]) {
        const { assert!(SPAN == 8) };
        type Places = [__m256i; 2];
        let mut bits = [[0u32; 16]; 8];
        for (i, codes) in codes.chunks_exact(32).enumerate() {
            // SAFETY: the slice has 32 bytes.
            let mut codes = unsafe { _mm256_loadu_si256(codes.as_ptr().cast()) };
            for bits in bits.iter_mut().rev() {
                bits[i] = _mm256_movemask_epi8(codes) as u32;
                codes = _mm256_add_epi8(codes, codes);
            }
        }
        // SAFETY: the arrays have 64 bytes.
        let bits = bits.map(|b| unsafe {
            [
                _mm256_loadu_si256(b.as_ptr().cast()),
                _mm256_loadu_si256(b[8..].as_ptr().cast()),
            ]
        });
        // The places where `number` has the same bits.
        let places = |number: usize, bits: &[Places]| {
            let mut places = [_mm256_set1_epi8(-1); 2];
            for (b, bits) in bits.iter().enumerate() {
                for i in 0..2 {
                    places[i] = if number >> b & 1 == 1 {
                        _mm256_and_si256(bits[i], places[i])
                    } else {
                        _mm256_andnot_si256(bits[i], places[i])
                    };
                }
            }
            places
        };
        let low: [Places; 8] = std::array::from_fn(|number| places(number, &bits[..3]));
        for (number, eight) in rows.chunks_mut(8 * row).enumerate() {
            let high = places(number, &bits[3..]);
            for (row, low) in eight.chunks_exact_mut(row).zip(&low) {
                let row = &mut row[word..word + SPAN];
                // SAFETY: the slice has eight words.
                unsafe {
                    let at: *mut __m256i = row.as_mut_ptr().cast();
                    _mm256_storeu_si256(at, _mm256_and_si256(low[0], high[0]));
                    _mm256_storeu_si256(at.add(1), _mm256_and_si256(low[1], high[1]));
                }
            }
        }
    }

    #[target_feature(enable = "avx2,popcnt")]
    pub fn cover(rows: &[u64], bytes: &[u32], few: u32, rest: &mut [u64; SPAN]) -> u64 {
        const { assert!(SPAN == 8) };
        let mut steps = 0;
        for round in bytes.chunks(ROUND) {
            if rest.iter().map(|w| w.count_ones()).sum::<u32>() <= few {
                break;
            }
            let mut hits = [_mm256_setzero_si256(); 2];
            for &byte in round {
                let byte = byte as usize;
                assert!(byte + 64 <= 8 * rows.len());
                // SAFETY: the rows have 64 bytes from there on.
                let [a, b] = unsafe {
                    let at = rows.as_ptr().cast::<u8>().add(byte);
                    [
                        _mm256_loadu_si256(at.cast()),
                        _mm256_loadu_si256(at.add(32).cast()),
                    ]
                };
                hits = [_mm256_or_si256(hits[0], a), _mm256_or_si256(hits[1], b)];
            }
            for (rest, hits) in rest.chunks_exact_mut(4).zip(hits) {
                // SAFETY: four words.
                unsafe {
                    let left = _mm256_loadu_si256(rest.as_ptr().cast());
                    _mm256_storeu_si256(rest.as_mut_ptr().cast(), _mm256_andnot_si256(hits, left));
                }
            }
            steps += round.len();
        }
        steps as u64
    }

    #[target_feature(enable = "avx2")]
    pub fn probe(codes: &[u8], turned: &[u8], total: usize, code: u8) -> Option<usize> {
        const { assert!(RUN == 32) };
        let wanted = _mm256_set1_epi8(code as i8);
        for i in 0..PROBES {
            let from = [0, 1, 2, 3].map(|j| super::run(4 * i + j, turned));
            let same = from.map(|from| {
                let low = &turned[turned.len() - from - 32..][..32];
                let high = &codes[total - from - 31..][..32];
                // SAFETY: the slices have 32 bytes.
                let (low, high) = unsafe {
                    (
                        _mm256_loadu_si256(low.as_ptr().cast()),
                        _mm256_loadu_si256(high.as_ptr().cast()),
                    )
                };
                _mm256_cmpeq_epi8(_mm256_xor_si256(low, high), wanted)
            });
            let zero = _mm256_setzero_si256();
            let any = same.into_iter().fold(zero, |a, b| _mm256_or_si256(a, b));
            if _mm256_testz_si256(any, any) == 0 {
                let hits = same.map(|s| _mm256_movemask_epi8(s) as u32);
                let j = hits.iter().position(|&h| h != 0)?;
                return Some(from[j] + hits[j].leading_zeros() as usize);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All forms of a function that this processor has.
    macro_rules! forms {
        ($name:ident($($arg:ident: $kind:ty),*) -> $out:ty) => {{
            let mut forms: Vec<fn($($kind),*) -> $out> = vec![portable::$name, $name];
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            if has_avx2() {
                // SAFETY: the processor has AVX2.
                forms.push(|$($arg),*| unsafe { x86::$name($($arg),*) });
            }
            forms
        }};
        (wide_strike) => {
            forms!(wide_strike(cells: &[u16], base: usize, deltas: &[Delta<u16>], holes: &mut [[u16; 64]]) -> ())
        };
        (find_wide_pair) => {
            forms!(find_wide_pair(cells: &[u16], turned: &[u16], total: usize, code: u16, from: usize) -> Option<usize>)
        };
    }

    /// Numbers that are the same everywhere.
    fn random(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed;
        move |n| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.wrapping_mul(0x2545_F491_4F6C_DD1D) % n
        }
    }

    /// Codes below `most`, a few of them rare, and deltas that lie within them.
    fn table(seed: u64, most: u64) -> (Vec<u8>, Vec<Delta<u8>>) {
        let mut random = random(seed);
        let mut codes = Vec::new();
        for _ in 0..600 {
            codes.push(if random(9) == 0 {
                255
            } else {
                random(most) as u8
            });
        }
        let mut deltas = Vec::new();
        for _ in 0..1 + random(40) {
            deltas.push(Delta {
                back: 64 + random(400) as u32,
                code: random(most) as u8,
            });
        }
        (codes, deltas)
    }

    /// The same for cells of two bytes, rare ones with the top bit.
    fn wide_table(seed: u64, most: u64) -> (Vec<u16>, Vec<Delta<u16>>) {
        let mut random = random(seed);
        let codes = (0..600)
            .map(|_| random(most) as u16 | if random(9) == 0 { 1 << 15 } else { 0 })
            .collect();
        let deltas = (0..1 + random(80)).map(|_| Delta {
            back: 64 + random(400) as u32,
            code: random(most) as u16,
        });
        (codes, deltas.collect())
    }

    #[test]
    fn both_forms_give_the_same_bits() {
        for seed in 1..200 {
            let mut random = random(1000 + seed);
            let most = [20, 32, 64, 200][seed as usize % 4];
            let (codes, deltas) = table(seed, most);
            let mixed = seed % 3 == 0;

            let mut one: Vec<u8> = codes.iter().map(|&c| c / 20).collect();
            let backs: Vec<usize> = (0..random(9)).map(|_| 32 + random(400) as usize).collect();
            let mut two = one.clone();
            take(&mut one, 440, &backs);
            portable::take(&mut two, 440, &backs);
            assert_eq!(one, two);

            let (total, code) = (100 + random(450) as usize, random(most) as u8);
            let turned: Vec<u8> = codes[..random(300) as usize]
                .iter()
                .rev()
                .copied()
                .collect();
            assert_eq!(
                find_pair(&codes, &turned, total, code, 1),
                portable::find_pair(&codes, &[], total, code, 1)
            );
            let near: Vec<Delta<u8>> = deltas
                .iter()
                .map(|d| Delta {
                    back: 1 + d.back % 63,
                    ..*d
                })
                .collect();
            let below = codes[300..364].try_into().unwrap();
            for code in 0..250 {
                let given = near.iter().any(|d| {
                    let p = codes[364 - d.back as usize];
                    p != 255 && p ^ d.code == code
                });
                assert_eq!(gives(below, &Layer::of(&near), code), given);
                assert_eq!(portable::gives(below, &Layer::of(&near), code), given);
            }

            let mut one: Vec<[u8; 64]> = (0..1 + random(20))
                .map(|_| std::array::from_fn(|_| random(most) as u8))
                .collect();
            let mut two = one.clone();
            strike(&codes, 500, &deltas, mixed, &mut one);
            if mixed {
                portable::strike_mixed(&codes, 500, &deltas, &mut two);
            } else {
                portable::strike_common(&codes, 500, &deltas, &mut two);
            }
            if mixed || !codes.contains(&255) {
                assert_eq!(one, two);
            }
            sort_columns(&mut two);
            for lane in 0..64 {
                assert!(two.windows(2).all(|w| w[0][lane] <= w[1][lane]));
            }

            let (wide_codes, wide_deltas) = wide_table(seed, [30, 200, 1_500][seed as usize % 3]);
            let holes: Vec<[u16; 64]> = (0..1 + seed % 24)
                .map(|_| std::array::from_fn(|_| random(1_500) as u16))
                .collect();
            let mut two = holes.clone();
            portable::wide_strike(&wide_codes, 500, &wide_deltas, &mut two);
            for strike in forms!(wide_strike) {
                let mut one = holes.clone();
                strike(&wide_codes, 500, &wide_deltas, &mut one);
                assert_eq!(one, two);
            }
            let words = [4, 8, 16, 32, 64][seed as usize % 5];
            let deltas_that_fit: Vec<Delta<u16>> = match words {
                32 | 64 => wide_deltas.clone(),
                _ => wide_table(seed, 200).1,
            };
            let fit = if words < 32 {
                wide_table(seed, 200).0
            } else {
                wide_codes.clone()
            };
            let (mut one, mut two) = (vec![7; 64 * words], vec![9; 64 * words]);
            wide_flags(&fit, 500, &deltas_that_fit, words, &mut one);
            portable::wide_flags(&fit, 500, &deltas_that_fit, words, &mut two);
            assert_eq!(one, two);
            let sum = wide_codes[total / 3] ^ wide_codes[total - total / 3];
            let near: Vec<Delta<u16>> = wide_deltas
                .iter()
                .map(|d| Delta {
                    back: 1 + d.back % 63,
                    ..*d
                })
                .collect();
            let below = wide_codes[300..364].try_into().unwrap();
            let turned: Vec<u16> = wide_codes[..random(300) as usize]
                .iter()
                .rev()
                .copied()
                .collect();
            let one = wide_codes[364 - near[0].back as usize] ^ near[0].code;
            for code in [sum, one, random(1_500) as u16] {
                let found = portable::find_wide_pair(&wide_codes, &[], total, code, 1);
                for find in forms!(find_wide_pair) {
                    assert_eq!(find(&wide_codes, &turned, total, code, 1), found);
                }
                let code = code & 0x7fff;
                let given = near.iter().any(|d| {
                    let p = wide_codes[364 - d.back as usize];
                    p >> 15 == 0 && p ^ d.code == code
                });
                assert_eq!(wide_gives(below, &Layer::of(&near), code), given);
                assert_eq!(portable::wide_gives(below, &Layer::of(&near), code), given);
            }

            let mut bits = [0; 256];
            flags(&codes, 500, &deltas, true, 32, 4, &mut bits);
            for (lane, bits) in bits.chunks_exact(4).enumerate() {
                for code in 0..=255u8 {
                    let given = deltas.iter().any(|d| {
                        let p = codes[500 + lane - d.back as usize];
                        p != 255 && p ^ d.code == code
                    });
                    assert_eq!(bits[usize::from(code / 64)] >> (code % 64) & 1 == 1, given);
                }
            }
        }
    }

    #[test]
    fn both_forms_find_the_same_proofs_and_first_holes() {
        for seed in 1..100 {
            let mut random = random(2000 + seed);
            let most = [20, 64, 128, 250][seed as usize % 4];
            let (codes, deltas) = table(seed, most);

            let span = codes[17..529].try_into().unwrap();
            let count = 1 + random(250) as usize;
            let (mut one, mut two) = (vec![7; 16 * count], vec![7; 16 * count]);
            for word in [0, 8] {
                fill_span(&mut one, 16, word, span);
                portable::fill_span(&mut two, 16, word, span);
            }
            assert_eq!(one, two);
            for (i, &code) in span.iter().enumerate() {
                if usize::from(code) < count {
                    let word = 16 * usize::from(code) + i / 64;
                    assert_eq!(one[word] >> (i % 64) & 1, 1);
                }
            }
            let bytes: Vec<u32> = (0..random(60))
                .map(|_| (128 * random(count as u64) + random(64)) as u32)
                .collect();
            let few = random(8) as u32;
            let mut rest: [u64; SPAN] = std::array::from_fn(|i| random(1 << 63) << (i & 1));
            let mut same = rest;
            assert_eq!(
                cover(&one, &bytes, few, &mut rest),
                portable::cover(&one, &bytes, few, &mut same)
            );
            assert_eq!(rest, same);

            let turned: Vec<u8> = codes[..200 + random(80) as usize]
                .iter()
                .rev()
                .copied()
                .collect();
            let (total, code) = (570 + random(29) as usize, random(most) as u8);
            let found = probe(&codes, &turned, total, code);
            assert_eq!(found, portable::probe(&codes, &turned, total, code));
            assert!(found.is_none_or(|a| codes[a] ^ codes[total - a] == code));

            // Without rares: bits of all codes that fit a number of planes, and the holes in order.
            let common = random(most) as u8;
            let codes: Vec<u8> = codes
                .iter()
                .map(|&c| if c == 255 { common } else { c })
                .collect();
            let planes = most.div_ceil(8) as usize;
            let mut bits = [0; 256];
            flags(&codes, 500, &deltas, most > 128, planes, 4, &mut bits);
            for (lane, bits) in bits.chunks_exact(4).enumerate() {
                for code in (0..=255u8).filter(|&c| usize::from(c) < 8 * planes) {
                    let given = deltas
                        .iter()
                        .any(|d| codes[500 + lane - d.back as usize] ^ d.code == code);
                    assert_eq!(bits[usize::from(code / 64)] >> (code % 64) & 1 == 1, given);
                }
            }
            let near: Vec<Delta<u8>> = deltas
                .iter()
                .map(|d| Delta {
                    back: 1 + d.back % 63,
                    ..*d
                })
                .collect();
            let (close, mid): (Vec<_>, Vec<_>) = near.iter().partition(|d| d.back < 16);
            let close = Layer::of(&close);
            let mut holes: Vec<[u8; 64]> = (0..random(1 + HOLES as u64))
                .map(|_| {
                    std::array::from_fn(|_| match random(9) {
                        0 => 255,
                        _ => random(most) as u8,
                    })
                })
                .collect();
            sort_columns(&mut holes);
            let mut window: [u8; 128] = codes[300..428].try_into().unwrap();
            let mut same = window;
            let first = random(64) as usize;
            let end = first_holes(&mut window, &holes, &mid, &close, first);
            let too = portable::first_holes(&mut same, &holes, &mid, &close, first);
            assert_eq!(
                (end, window[..64 + end].to_vec()),
                (too, same[..64 + too].to_vec())
            );
        }
    }
}
