//! The middle rung: a rare/common split, one heap after the other, for values of any size up to 65,535.
//!
//! The value of n is the least common value that no pair with a rare heap gives, unless some rare value below it is not
//! an option; each is looked for among the pairs of two early commons, and if need be among all pairs. Cost: the number of
//! rares for each heap, and half its size for each value that has to be searched for; two bytes a heap.

use crate::Stop;
use crate::split::{Split, shared_parity, takes};

/// A nim-sequence on its way.
pub(crate) struct Scalar {
    zeros: Vec<usize>,
    ones: Vec<usize>,
    twos: Vec<usize>,
    unequal: bool,
    shift: Option<u8>,
    split: Split,
    values: Vec<u16>,
    rares: Vec<usize>,
    early: Vec<usize>,
    counts: [Vec<u64>; 2],
    /// The heap for which a value was last found to be an option.
    seen: Vec<usize>,
    top: u16,
    next_choice: usize,
    rares_at_choice: usize,
}

/// Early commons whose pairs are tried before a search.
const EARLY: usize = 1500;

impl Scalar {
    pub fn new(digits: &[u64], unequal: bool) -> Self {
        let twos = takes(digits, 2);
        Scalar {
            zeros: takes(digits, 0),
            ones: takes(digits, 1),
            unequal,
            shift: shared_parity(&twos),
            twos,
            // Until there are values to choose by, odd values are common.
            split: Split {
                mask: 1,
                ..Split::default()
            },
            values: Vec::new(),
            rares: Vec::new(),
            early: Vec::new(),
            counts: [vec![], vec![]],
            seen: Vec::new(),
            top: 0,
            next_choice: 64,
            rares_at_choice: 0,
        }
    }

    /// Goes on from the values of the first heaps.
    pub fn with_values(
        digits: &[u64],
        unequal: bool,
        values: impl Iterator<Item = u32>,
    ) -> Result<Self, Stop> {
        let mut scalar = Scalar::new(digits, unequal);
        for v in values {
            scalar.push(v)?;
        }
        scalar.choose();
        Ok(scalar)
    }

    pub fn values(&self) -> &[u16] {
        &self.values
    }

    fn push(&mut self, value: u32) -> Result<(), Stop> {
        let n = self.values.len();
        let value = u16::try_from(value).map_err(|_| Stop::ValueTooLarge(n))?;
        let counts = &mut self.counts[n & 1];
        if counts.len() <= usize::from(value) {
            counts.resize(usize::from(value) + 1, 0);
        }
        counts[usize::from(value)] += 1;
        self.values.push(value);
        self.top = self.top.max(value);
        if n > 0 && !self.split.is_common(u32::from(value), n) {
            self.rares.push(n);
        } else if n > 0 && self.early.len() < EARLY {
            self.early.push(n);
        }
        Ok(())
    }

    fn choose(&mut self) {
        let n = self.values.len();
        self.split = Split::choose(&self.counts, self.shift).0;
        self.rares.clear();
        self.early.clear();
        for (n, &v) in self.values.iter().enumerate().skip(1) {
            if !self.split.is_common(u32::from(v), n) {
                self.rares.push(n);
            } else if self.early.len() < EARLY {
                self.early.push(n);
            }
        }
        self.rares_at_choice = self.rares.len();
        self.next_choice = (n + 1).next_power_of_two();
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
            let rares = self.rares.len();
            if self.values.len() >= self.next_choice
                || rares > 64 + self.rares_at_choice + self.rares_at_choice / 4
            {
                self.choose();
            }
            self.next()?;
        }
        Ok(())
    }

    fn next(&mut self) -> Result<(), Stop> {
        let n = self.values.len();
        self.seen
            .resize(4 * (usize::from(self.top) + 1).next_power_of_two(), 0);
        let mut seen = std::mem::take(&mut self.seen);
        let values = &self.values;
        if self.zeros.contains(&n) {
            seen[0] = n + 1;
        }
        for &t in self.ones.iter().filter(|&&t| t < n) {
            seen[usize::from(values[n - t])] = n + 1;
        }
        for &t in self.twos.iter().filter(|&&t| t < n) {
            let total = n - t;
            for &r in &self.rares {
                if r >= total {
                    break;
                }
                if !(self.unequal && 2 * r == total) {
                    seen[usize::from(values[r] ^ values[total - r])] = n + 1;
                }
            }
        }
        let common = (0..).find(|&v| self.split.is_common(v, n) && seen[v as usize] != n + 1);
        let common: u32 = common.ok_or(Stop::ValueTooLarge(n))?;
        let open = |seen: &[usize]| (0..common).any(|v| seen[v as usize] != n + 1);
        'early: for &t in self.twos.iter().filter(|&&t| t < n) {
            let total = n - t;
            for (i, &a) in self.early.iter().enumerate() {
                if a >= total || (i % 128 == 127 && !open(&seen)) {
                    break 'early;
                }
                let v = usize::from(values[a] ^ values[total - a]);
                // A common value is no less an option, and decided already.
                if !(self.unequal && 2 * a == total) && v < common as usize {
                    seen[v] = n + 1;
                }
            }
        }
        let rare = (0..common).find(|&v| seen[v as usize] != n + 1 && !self.search(n, v as u16));
        self.seen = seen;
        self.push(rare.unwrap_or(common))
    }

    fn search(&self, n: usize, value: u16) -> bool {
        let values = &self.values;
        self.twos.iter().filter(|&&t| t < n).any(|&t| {
            let total = n - t;
            let low = values[1..=total / 2].iter();
            let high = values[total - total / 2..total].iter().rev();
            let found = low
                .zip(high)
                .enumerate()
                .find(|(a, (x, y))| *x ^ *y == value && !(self.unequal && 2 * (a + 1) == total));
            found.is_some()
        })
    }
}
