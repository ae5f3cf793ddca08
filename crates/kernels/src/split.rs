//! The rare/common split: which values are rare, and how the others fit one byte.
//!
//! A split is a mask m and a bit q. A value v at position n has the class parity(v & m) ⊕ q·(n + t mod 2), 0 for *rare* and
//! 1 for *common*, where t is the parity that all splitting digits share (q = 1 only if they share one). A position is
//! rare or common as its value is. If a + b = n − t for a splitting digit t, the class of g(a) ⊕ g(b) at n is the sum of the
//! classes of a at a and b at b: with q = 1 the three position terms are (a + t) + (b + t) + (n + t) = 2n + 2t, even.
//! So rare with rare and common with common give rare values, rare with common gives common ones, and the common values
//! among the options of n come from the pairs with exactly one rare heap. Few rares, few pairs.
//!
//! The mask with the fewest rares is read off two Walsh–Hadamard transforms of the numbers of values, one of all
//! positions and one of even less odd positions: O(V log V) for values below V.
//!
//! Codes: with the lowest bit of m left out a value is known from the rest and its class, and among the values of one
//! class at one position the order of codes is that of values. The code of a nim-sum is the nim-sum of the codes.

/// A mask, and whether the parity of the position counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// m.
    pub mask: u32,
    /// q: whether the parity of the position counts.
    pub position: bool,
    /// t: the parity of the splitting digits, 0 or 1; counts only with `position`.
    pub shift: u8,
}

impl Split {
    fn position_bit(&self, n: usize) -> u32 {
        (u32::from(self.position)) & (n as u32 ^ u32::from(self.shift)) & 1
    }

    /// Whether the value is common at position n.
    pub fn is_common(&self, value: u32, n: usize) -> bool {
        ((value & self.mask).count_ones() ^ self.position_bit(n)) & 1 == 1
    }

    /// The bits below the lowest of the mask: in them alone the code of a rare value may be above that of a larger common one.
    pub fn low(&self) -> u32 {
        1u32.checked_shl(self.mask.trailing_zeros())
            .map_or(0, |bit| bit - 1)
    }

    /// The code of a value: its bits without the lowest of the mask.
    pub fn encode(&self, value: u32) -> u32 {
        if self.mask == 0 {
            return value;
        }
        let low = self.low();
        (value & low) | (value >> 1 & !low)
    }

    /// The value of that code and class at position n.
    pub fn decode(&self, code: u32, n: usize, common: bool) -> u32 {
        if self.mask == 0 {
            return code;
        }
        let drop = self.mask.trailing_zeros();
        let low = (1 << drop) - 1;
        let value = (code & low) | (code & !low) << 1;
        let wanted = u32::from(common) ^ self.position_bit(n);
        let bit = ((value & self.mask).count_ones() ^ wanted) & 1;
        value | bit << drop
    }

    /// How many rare values are less than the common one of that code at position n: those of the codes below the answer.
    pub fn rares_below(&self, code: u32, n: usize) -> u32 {
        let value = self.decode(code, n, true);
        let mut k = code & !self.low();
        while self.decode(k, n, false) < value {
            k += 1;
        }
        k
    }

    /// The split with the fewest rares, and their number, for numbers of values at even and at odd positions; `shift` is
    /// the parity of the splitting digits if they share one.
    pub fn choose(counts: &[Vec<u64>; 2], shift: Option<u8>) -> (Split, u64) {
        let size = counts[0]
            .len()
            .max(counts[1].len())
            .max(2)
            .next_power_of_two();
        let at = |p: usize, v: usize| counts[p].get(v).copied().unwrap_or(0) as i64;
        let mut plain: Vec<i64> = (0..size).map(|v| at(0, v) + at(1, v)).collect();
        transform(&mut plain);
        let total = plain[0];
        // Without a mask a position would have values of one class only.
        let mut best = (
            i64::MAX,
            Split {
                mask: 1,
                position: false,
                shift: 0,
            },
        );
        let mut offer = |sum: i64, mask: usize, position: bool, shift: u8| {
            let rares = (total + sum) / 2;
            if rares < best.0 {
                best = (
                    rares,
                    Split {
                        mask: mask as u32,
                        position,
                        shift,
                    },
                );
            }
        };
        for (mask, &sum) in plain.iter().enumerate().skip(1) {
            offer(sum, mask, false, 0);
        }
        if let Some(shift) = shift {
            let mut by_parity: Vec<i64> = (0..size).map(|v| at(0, v) - at(1, v)).collect();
            transform(&mut by_parity);
            for (mask, &sum) in by_parity.iter().enumerate().skip(1) {
                offer(if shift == 0 { sum } else { -sum }, mask, true, shift);
            }
        }
        (best.1, best.0.max(0) as u64)
    }
}

/// The numbers that may be taken to leave exactly so many heaps.
pub(crate) fn takes(digits: &[u64], heaps: u32) -> Vec<usize> {
    (0..digits.len())
        .filter(|&t| digits[t] >> heaps & 1 == 1)
        .collect()
}

/// The parity of all these numbers, if they share one.
pub(crate) fn shared_parity(numbers: &[usize]) -> Option<u8> {
    let parity = numbers.first()? & 1;
    numbers
        .iter()
        .all(|t| t & 1 == parity)
        .then_some(parity as u8)
}

/// The Walsh–Hadamard transform: entry m becomes the sum over v of (−1)^parity(v & m) times entry v.
fn transform(row: &mut [i64]) {
    let mut half = 1;
    while half < row.len() {
        for block in row.chunks_mut(2 * half) {
            let (a, b) = block.split_at_mut(half);
            for (x, y) in a.iter_mut().zip(b) {
                (*x, *y) = (*x + *y, *x - *y);
            }
        }
        half *= 2;
    }
}
