//! The inner loops for cells of two bytes with registers of 64 bytes; those of `lanes` give the same bits and are what tests it.

use std::arch::x86_64::*;

use crate::lanes::{self, Delta};

/// Whether the processor has AVX-512 for cells of two bytes.
#[inline]
pub(crate) fn has() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx512f") && has!("avx512bw")
}

/// Rows of holes in registers, 32 lanes of each at a time. Those that no pair has hit are the bits of a mask for the first
/// rows; for the others the least nim-sum of a hole and a code is kept, which is 0 where it was hit. One way alone would wait
/// for the only unit of the processor that compares into masks.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn wide_rows<const MASKS: usize, const LEAST: usize>(
    cells: &[u16],
    base: usize,
    deltas: &[Delta<u16>],
    holes: &mut [[u16; 64]],
) {
    let full = _mm512_set1_epi16(-1);
    let (masked, others) = holes.split_at_mut(MASKS);
    for first in [0, 32] {
        let load = |row: &[u16; 64]| {
            // SAFETY: a row has 128 bytes.
            unsafe { _mm512_loadu_si512(row[first..].as_ptr().cast()) }
        };
        let rows: [__m512i; MASKS] = std::array::from_fn(|j| load(&masked[j]));
        let more: [__m512i; LEAST] = std::array::from_fn(|j| load(&others[j]));
        let mut alive = [!0; MASKS];
        let mut least = [full; LEAST];
        for delta in deltas {
            let from = base - delta.back as usize + first;
            let c = &cells[from..from + 32];
            // SAFETY: the slice has 64 bytes.
            let p = unsafe { _mm512_loadu_si512(c.as_ptr().cast()) };
            let code = _mm512_set1_epi16(delta.code as i16);
            let x = _mm512_xor_si512(p, code);
            for (alive, &row) in alive.iter_mut().zip(&rows) {
                *alive = _mm512_mask_cmpneq_epi16_mask(*alive, x, row);
            }
            for (least, &row) in least.iter_mut().zip(&more) {
                *least = _mm512_min_epu16(*least, _mm512_xor_si512(x, row));
            }
        }
        let lived = least.map(|l| _mm512_test_epi16_mask(l, l));
        let all = alive.into_iter().chain(lived);
        for ((holes, row), alive) in masked
            .iter_mut()
            .chain(&mut *others)
            .zip(rows.into_iter().chain(more))
            .zip(all)
        {
            let row = _mm512_mask_blend_epi16(alive, full, row);
            // SAFETY: a row has 128 bytes.
            unsafe { _mm512_storeu_si512(holes[first..].as_mut_ptr().cast(), row) };
        }
    }
}

/// Strikes some rows, as many together as there are registers for.
macro_rules! by_rows {
    ($some:ident, $cells:ident, $base:ident, $deltas:ident, $($rows:literal = $masks:literal + $least:literal,)*) => {
        match $some.len() {
            $($rows => wide_rows::<$masks, $least>($cells, $base, $deltas, $some),)*
            _ => unreachable!("no more than 18 rows"),
        }
    };
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn wide_strike(
    cells: &[u16],
    base: usize,
    deltas: &[Delta<u16>],
    holes: &mut [[u16; 64]],
) {
    let passes = holes.len().div_ceil(18).max(1);
    for some in holes.chunks_mut(holes.len().div_ceil(passes).max(1)) {
        by_rows!(
            some,
            cells,
            base,
            deltas,
            1 = 1 + 0,
            2 = 1 + 1,
            3 = 2 + 1,
            4 = 2 + 2,
            5 = 3 + 2,
            6 = 4 + 2,
            7 = 4 + 3,
            8 = 5 + 3,
            9 = 6 + 3,
            10 = 6 + 4,
            11 = 6 + 5,
            12 = 6 + 6,
            13 = 6 + 7,
            14 = 6 + 8,
            15 = 6 + 9,
            16 = 6 + 10,
            17 = 6 + 11,
            18 = 6 + 12,
        );
    }
}

/// As many cells at a time as a register holds, from where the first cells are the other way round.
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn find_wide_pair(
    cells: &[u16],
    turned: &[u16],
    total: usize,
    code: u16,
    from: usize,
) -> Option<usize> {
    const CELLS: usize = 32;
    let wanted = _mm512_set1_epi16(code.cast_signed());
    let mut a = from;
    // Four registers between two branches, the nearest cells in the last one.
    while a + 4 * CELLS - 1 <= total / 2 && a + 4 * CELLS <= turned.len() {
        let end = turned.len() - a;
        let low = &turned[end - 4 * CELLS..end];
        let high = &cells[total - a + 1 - 4 * CELLS..total - a + 1];
        let same = [0, 1, 2, 3].map(|i| {
            let (low, high) = (&low[i * CELLS..], &high[i * CELLS..]);
            // SAFETY: both slices have 64 bytes and more.
            let (low, high) = unsafe {
                (
                    _mm512_loadu_si512(low.as_ptr().cast()),
                    _mm512_loadu_si512(high.as_ptr().cast()),
                )
            };
            _mm512_cmpeq_epi16_mask(_mm512_xor_si512(low, high), wanted)
        });
        if let Some(i) = same.iter().rposition(|&s| s != 0) {
            return Some(a + (3 - i) * CELLS + same[i].leading_zeros() as usize);
        }
        a += 4 * CELLS;
    }
    lanes::x86::find_wide_pair(cells, turned, total, code, a)
}
