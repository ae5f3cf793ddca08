//! Subtraction sets: moves that leave at most one heap.
//!
//! Where the least number that may be taken is at least 64, the values of 64 heaps hang on earlier ones only, and are found
//! together: a set bit for each value of the heaps that a move leaves, then the least bit that is not set. Else heap by heap.
//! A shared last digit (all-but sets) leaves every heap far enough below, whose values are kept as a set that only grows.
//! Cost: the number of digits for each heap; two bytes a heap.

use grundy_core::Code;

use crate::{Stop, lanes};

/// A nim-sequence on its way.
pub(crate) struct Taking {
    code: Code,
    /// What may be taken to leave one heap.
    ones: Vec<usize>,
    values: Vec<u16>,
    /// Whether the shared digit leaves a heap of that value, and the first value for which it does not.
    far: Vec<bool>,
    below: usize,
    seen: Vec<usize>,
}

impl Taking {
    pub fn new(code: &Code) -> Self {
        let ones = (1..code.digits.len())
            .filter(|&t| code.digits[t] & 2 != 0)
            .collect();
        Taking {
            ones,
            code: code.clone(),
            values: Vec::new(),
            far: Vec::new(),
            below: 0,
            seen: Vec::new(),
        }
    }

    /// Goes on from the values of the first heaps.
    pub fn with_values(code: &Code, values: Vec<u16>) -> Self {
        let mut taking = Taking::new(code);
        if code.tail & 2 != 0 {
            let left = values.len().saturating_sub(code.digits.len());
            values
                .iter()
                .take(left)
                .skip(1)
                .for_each(|&v| taking.leave(v));
        }
        taking.values = values;
        taking
    }

    pub fn values(&self) -> &[u16] {
        &self.values
    }

    pub fn advance(
        &mut self,
        to: usize,
        stopped: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(), Stop> {
        while self.values.len() < to {
            if stopped(self.values.len()) {
                return Err(Stop::Interrupted);
            }
            let n = self.values.len();
            let together = self.ones.first().is_some_and(|&t| t >= 64)
                && self.code.tail == 0
                && n >= self.code.digits.len()
                && self.ones.len() < 64;
            if together { self.block() } else { self.next()? }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<(), Stop> {
        let n = self.values.len();
        // The shared digit leaves no value past `far`, so that of this heap is no farther than all the others reach.
        let most = self.far.len() + self.ones.len() + 2;
        if self.seen.len() < most {
            self.seen.resize(2 * most, 0);
        }
        let mark = |seen: &mut Vec<usize>, v: u16| {
            if let Some(s) = seen.get_mut(usize::from(v)) {
                *s = n + 1;
            }
        };
        if self.code.allows(n, 0) {
            mark(&mut self.seen, 0);
        }
        for &t in self.ones.iter().take_while(|&&t| t < n) {
            mark(&mut self.seen, self.values[n - t]);
        }
        if self.code.tail & 2 != 0
            && let Some(m) = n.checked_sub(self.code.digits.len()).filter(|&m| m > 0)
        {
            self.leave(self.values[m]);
        }
        let value = (self.below..)
            .find(|&v| !self.far.get(v).is_some_and(|&f| f) && self.seen.get(v) != Some(&(n + 1)));
        let value = value.and_then(|v| u16::try_from(v).ok());
        self.values.push(value.ok_or(Stop::ValueTooLarge(n))?);
        Ok(())
    }

    /// The shared digit leaves heaps of this value from now on.
    fn leave(&mut self, v: u16) {
        let v = usize::from(v);
        if v >= self.far.len() {
            self.far.resize(v + 1, false);
        }
        self.far[v] = true;
        while self.far.get(self.below) == Some(&true) {
            self.below += 1;
        }
    }

    /// 64 heaps, none of which is an option of another, and all past the digits.
    fn block(&mut self) {
        if self.ones.len() <= 8 {
            let block = lanes::take(&self.values, &self.ones);
            self.values.extend(block);
            return;
        }
        let n = self.values.len();
        let mut sets = [0u64; 64];
        for &t in &self.ones {
            for (set, &v) in sets.iter_mut().zip(&self.values[n - t..n - t + 64]) {
                *set |= 1 << (v & 63);
            }
        }
        self.values.extend(sets.map(|s| s.trailing_ones() as u16));
    }
}

/// Who wins each heap of a subtraction set, a bit each, 1 for a P-position: of all heaps below `to`, and perhaps of some more.
/// A heap is an N-position if one of the heaps that a move leaves is a P-position; the bits of 64 heaps are found together
/// where the least number that may be taken is at least 64. Cost: a few steps for each number and 64 heaps; a bit a heap.
///
/// ```
/// use grundy_kernels::p_positions;
/// let bits = p_positions(&[1, 3, 4], 64); // the P-positions are 0 and 2 modulo 7
/// assert!((0..64).all(|n| bits[0] >> n & 1 == u64::from(n % 7 == 0 || n % 7 == 2)));
/// ```
pub fn p_positions(take: &[usize], to: usize) -> Vec<u64> {
    let mut take: Vec<usize> = take.iter().copied().filter(|&t| t > 0).collect();
    take.sort_unstable();
    take.dedup();
    let words = to.div_ceil(64);
    let mut bits: Vec<u64> = Vec::with_capacity(words);
    let together = take.first().is_none_or(|&t| t >= 64);
    let early = if together {
        take.last().map_or(0, |t| t / 64 + 1)
    } else {
        words
    };
    while bits.len() < words.min(early) {
        let base = 64 * bits.len();
        bits.push(0);
        for n in base..base + 64 {
            let mut options = take.iter().take_while(|&&t| t <= n).map(|t| n - t);
            if !options.any(|m| bits[m / 64] >> (m % 64) & 1 == 1) {
                bits[n / 64] |= 1 << (n % 64);
            }
        }
    }
    // The partners of a word lie in two words, or in one if nothing is to be shifted.
    let places: Vec<(usize, usize, u32)> = take
        .iter()
        .map(|&t| (t.div_ceil(64), t / 64, (t.next_multiple_of(64) - t) as u32))
        .collect();
    while bits.len() < words {
        let n = bits.len();
        let next_wins = places.iter().fold(0, |set, &(low, high, shift)| {
            set | bits[n - low] >> shift | bits[n - high] << 1 << (63 - shift)
        });
        bits.push(!next_wins);
    }
    bits
}
