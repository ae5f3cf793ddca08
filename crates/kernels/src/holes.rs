//! The first number that is in none of some sets: mex of a union, for sets kept as bits.
//!
//! Sets are rows of words of one length. Cost: one pass over the words from where the caller knows that there can be one;
//! four words at a time by AVX2. The portable loop gives the same answer.

/// The index of the first word, from `from` on, in which the union of the sets is not full; their length if there is none.
/// Sets have one length, a multiple of four.
///
/// ```
/// let (a, b) = ([!0, !0 >> 1, 0, 0], [7, !0 >> 1, 1 << 63, 0]);
/// assert_eq!(grundy_kernels::first_hole(&[&a, &b], 0), 1);
/// ```
///
/// # Panics
/// If a set is shorter than the first.
#[inline]
pub fn first_hole(sets: &[&[u64]], from: usize) -> usize {
    let len = sets.first().map_or(0, |set| set.len());
    assert!(
        sets.iter().all(|set| set.len() >= len),
        "sets of one length"
    );
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, and every set has so many words.
        #[allow(unsafe_code)]
        return unsafe {
            match sets {
                [a] => avx2_of(&[*a], len, from),
                [a, b] => avx2_of(&[*a, b], len, from),
                [a, b, c] => avx2_of(&[*a, b, c], len, from),
                [a, b, c, d] => avx2_of(&[*a, b, c, d], len, from),
                sets => avx2(sets, len, from),
            }
        };
    }
    portable(sets, len, from)
}

fn portable(sets: &[&[u64]], len: usize, from: usize) -> usize {
    let full = |w: &usize| sets.iter().fold(0, |all, set| all | set[*w]) == u64::MAX;
    (from..len).find(|w| !full(w)).unwrap_or(len)
}

/// As `avx2`, for so many sets.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code)]
unsafe fn avx2_of<const N: usize>(sets: &[&[u64]; N], len: usize, from: usize) -> usize {
    // SAFETY: what is asked here is asked there.
    unsafe { avx2(sets, len, from) }
}

/// Every set must have `len` words.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code)]
unsafe fn avx2(sets: &[&[u64]], len: usize, from: usize) -> usize {
    use std::arch::x86_64::*;
    let ones = _mm256_set1_epi64x(-1);
    // Words before `from` are looked at again, in the first four at most.
    let mut w = from & !3;
    let mut skipped = (1 << (from - w)) - 1;
    while w + 4 <= len {
        let mut all = _mm256_setzero_si256();
        for set in sets {
            // SAFETY: the set has at least `len` words, and these four are among them.
            let words = unsafe { _mm256_loadu_si256(set.as_ptr().add(w).cast()) };
            all = _mm256_or_si256(all, words);
        }
        let full = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(all, ones)));
        let holes = !(full | skipped) & 15;
        if holes != 0 {
            return w + holes.trailing_zeros() as usize;
        }
        skipped = 0;
        w += 4;
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_loops_find_the_same_hole() {
        let mut seed = 1u64;
        let mut random = move || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            seed >> 33
        };
        let mut found = 0;
        for _ in 0..20_000 {
            let len = 4 * (random() % 5) as usize;
            let n = 1 + (random() % 5) as usize;
            let sets: Vec<Vec<u64>> = (0..n)
                .map(|_| {
                    (0..len)
                        .map(|_| {
                            if random() % 2 > 0 {
                                u64::MAX
                            } else {
                                random() << 31 | random()
                            }
                        })
                        .collect()
                })
                .collect();
            let sets: Vec<&[u64]> = sets.iter().map(Vec::as_slice).collect();
            let from = (random() % (len as u64 + 1)) as usize;
            let hole = first_hole(&sets, from);
            assert_eq!(hole, portable(&sets, len, from), "{sets:?} from {from}");
            found += usize::from(hole < len);
        }
        assert!(found > 5_000, "{found}");
    }
}
