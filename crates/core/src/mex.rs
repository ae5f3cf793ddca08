//! The minimum excluded value of a set of Grundy values, in time linear in the number of options.

/// The least natural number that is not among `values`.
///
/// ```
/// assert_eq!(grundy_core::mex([0, 1, 3]), 2);
/// assert_eq!(grundy_core::mex([]), 0);
/// ```
pub fn mex(values: impl IntoIterator<Item = u64>) -> u64 {
    let mut set = MexSet::default();
    for v in values {
        set.insert(v);
    }
    set.mex()
}

/// A set of values that is cleared, filled and asked for its mex over and over without allocating anew.
///
/// A position with d options has a value of at most d, so values past the number of insertions so far plus the options
/// still to come cannot matter; `insert` drops those past [`MexSet::MAX`], which no enumerable position can reach.
#[derive(Clone, Debug, Default)]
pub struct MexSet {
    words: Vec<u64>,
    touched: usize,
}

impl MexSet {
    /// Values from here on are beyond the number of options that memory can hold.
    pub const MAX: u64 = 1 << 36;

    /// Empties the set and keeps its memory.
    pub fn clear(&mut self) {
        self.words[..self.touched].fill(0);
        self.touched = 0;
    }

    /// Adds one value.
    #[inline]
    pub fn insert(&mut self, value: u64) {
        if value >= Self::MAX {
            return;
        }
        let word = (value / 64) as usize;
        if word >= self.words.len() {
            self.words.resize((word + 1).next_power_of_two(), 0);
        }
        self.touched = self.touched.max(word + 1);
        self.words[word] |= 1 << (value % 64);
    }

    /// Whether `value` has been added since the last `clear`.
    pub fn contains(&self, value: u64) -> bool {
        self.words
            .get((value / 64) as usize)
            .is_some_and(|w| w >> (value % 64) & 1 == 1)
    }

    /// The least value not added since the last `clear`.
    pub fn mex(&self) -> u64 {
        for (i, &w) in self.words[..self.touched].iter().enumerate() {
            if w != u64::MAX {
                return i as u64 * 64 + u64::from(w.trailing_ones());
            }
        }
        self.touched as u64 * 64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mex_agrees_with_the_definition() {
        let mut state = 1u64;
        let mut set = MexSet::default();
        for _ in 0..2000 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let size = (state >> 33) % 150;
            set.clear();
            let values: Vec<u64> = (0..size).map(|i| (state >> (i % 40)) % 140).collect();
            values.iter().for_each(|&v| set.insert(v));
            let slow = (0..).find(|v| !values.contains(v)).unwrap();
            assert_eq!(set.mex(), slow);
            assert_eq!(mex(values.iter().copied()), slow);
        }
    }

    #[test]
    fn a_full_word_continues_in_the_next() {
        assert_eq!(mex(0..64), 64);
        assert_eq!(mex(0..129), 129);
    }
}
