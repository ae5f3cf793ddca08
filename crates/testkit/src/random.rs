//! A small reproducible generator of random numbers (SplitMix64): the same seed gives the same games on every machine.

/// The generator.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// What comes first, back to front.
    script: Vec<u8>,
}

/// A byte of a script from which on the next eight are the number.
const LONG: u8 = 0xf0;

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Random {
            state: seed,
            script: Vec::new(),
        }
    }

    /// Makes the choices of a script first, a byte each: what a fuzzer changes is then one choice.
    pub fn scripted(script: &[u8]) -> Self {
        Random {
            state: script.len() as u64,
            script: script.iter().rev().copied().collect(),
        }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        match self.script.pop() {
            Some(byte) if byte < LONG => return byte.into(),
            Some(_) => {
                let bytes = (0..8).map(|_| self.script.pop().unwrap_or(0));
                return bytes.fold(0, |number, byte| number << 8 | u64::from(byte));
            }
            None => {}
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number less than n.
    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// A number from `lo` to `hi`, both included.
    pub fn range(&mut self, lo: i64, hi: i64) -> i64 {
        assert!(lo <= hi, "an empty range");
        let width = hi.abs_diff(lo) + 1;
        lo.wrapping_add_unsigned(self.bits() % width)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.bits().is_multiple_of(n)
    }

    /// One of these.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[(self.bits() % from.len() as u64) as usize]
    }

    /// The same things in a random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, (self.bits() % (i as u64 + 1)) as usize);
        }
    }
}
