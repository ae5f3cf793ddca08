//! Subtraction sets: moves that leave at most one heap.
//!
//! Where the least number that may be taken is at least 32, the values of 32 heaps hang on earlier ones only, and are found
//! together: a set bit for each value of the heaps that a move leaves, then the least bit that is not set. Else heap by heap.
//! A shared last digit (all-but sets) leaves every heap far enough below, whose values are kept as a set that only grows.
//! Cost: the number of digits for each heap; a byte a heap where values are small, else two.

use std::ops::Range;

use grundy_core::Code;

use crate::{Stop, lanes};

/// The values of all heaps so far.
enum Values {
    /// Where no set of options has more than 255 values.
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Bytes(v) => v.len(),
            Values::Words(v) => v.len(),
        }
    }

    fn get(&self, n: usize) -> u16 {
        match self {
            Values::Bytes(v) => v[n].into(),
            Values::Words(v) => v[n],
        }
    }

    fn push(&mut self, value: u16) {
        match self {
            Values::Bytes(v) => v.push(value as u8),
            Values::Words(v) => v.push(value),
        }
    }
}

/// Heaps of a subtraction set that are found between two looks at the clock.
const RUN: usize = 4096;

/// A nim-sequence on its way.
pub(crate) struct Taking {
    code: Code,
    /// What may be taken to leave one heap.
    ones: Vec<usize>,
    values: Values,
    /// Whether the shared digit leaves a heap of that value, and the first value for which it does not.
    far: Vec<bool>,
    below: usize,
    seen: Vec<usize>,
}

impl Taking {
    pub fn new(code: &Code) -> Self {
        let ones: Vec<usize> = (1..code.digits.len())
            .filter(|&t| code.digits[t] & 2 != 0)
            .collect();
        // A move may leave nothing, too.
        let small = code.tail == 0 && ones.len() < 255;
        Taking {
            ones,
            code: code.clone(),
            values: if small {
                Values::Bytes(Vec::new())
            } else {
                Values::Words(Vec::new())
            },
            far: Vec::new(),
            below: 0,
            seen: Vec::new(),
        }
    }

    /// Goes on from the values of the first heaps. None if one is too large.
    pub fn with_values(code: &Code, values: Vec<u16>) -> Option<Self> {
        let mut taking = Taking::new(code);
        if code.tail & 2 != 0 {
            let left = values.len().saturating_sub(code.digits.len());
            values
                .iter()
                .take(left)
                .skip(1)
                .for_each(|&v| taking.leave(v));
        }
        taking.values = match taking.values {
            Values::Bytes(_) => {
                let most = taking.ones.len() + 1;
                let bytes = values.iter().map(|&v| {
                    let byte = u8::try_from(v).ok();
                    byte.filter(|&b| usize::from(b) <= most)
                });
                Values::Bytes(bytes.collect::<Option<_>>()?)
            }
            Values::Words(_) => Values::Words(values),
        };
        Some(taking)
    }

    /// How many values are known.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The value of a heap that is known.
    pub fn value(&self, n: usize) -> u16 {
        self.values.get(n)
    }

    /// The values of heaps that are known.
    pub fn values(&self, heaps: Range<usize>) -> Vec<u16> {
        match &self.values {
            Values::Bytes(v) => v[heaps].iter().map(|&v| v.into()).collect(),
            Values::Words(v) => v[heaps].to_vec(),
        }
    }

    pub fn advance(
        &mut self,
        to: usize,
        stopped: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(), Stop> {
        if let Values::Bytes(values) = &mut self.values {
            // It is only faster if there is room for all.
            let room = to.saturating_sub(values.len()).min(1 << 30);
            let _ = values.try_reserve(room);
        }
        while self.values.len() < to {
            if stopped(self.values.len()) {
                return Err(Stop::Interrupted);
            }
            let n = self.values.len();
            let together =
                self.ones.first().is_some_and(|&t| t >= 32) && n >= self.code.digits.len();
            match &mut self.values {
                Values::Bytes(values) if together && self.ones.len() < 63 => {
                    let heaps = (to - n).min(RUN).next_multiple_of(32);
                    together_from(n, heaps, &self.ones, values);
                }
                _ => self.next()?,
            }
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
            mark(&mut self.seen, self.values.get(n - t));
        }
        if self.code.tail & 2 != 0
            && let Some(m) = n.checked_sub(self.code.digits.len()).filter(|&m| m > 0)
        {
            self.leave(self.values.get(m));
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
}

/// The values of some more heaps, 32 at a time, none of which is an option of another.
fn together_from(n: usize, heaps: usize, ones: &[usize], values: &mut Vec<u8>) {
    values.resize(n + heaps, 0);
    if ones.len() <= 8 {
        lanes::take(values, n, ones);
        return;
    }
    for n in (n..n + heaps).step_by(32) {
        let mut sets = [0u64; 32];
        for &t in ones {
            for (set, &v) in sets.iter_mut().zip(&values[n - t..n - t + 32]) {
                *set |= 1 << (v & 63);
            }
        }
        values[n..n + 32].copy_from_slice(&sets.map(|s| s.trailing_ones() as u8));
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
