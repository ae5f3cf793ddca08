//! Two numbers with a given sum whose multiples have a given nim-sum: how many, and the first of them.
//!
//! For u + v = w the nim-sum of α + s·u and β + s·v is asked to be t. Bit by bit from the lowest, the carry of u + v and what
//! α + s·u and β + s·v have left over are a state of which few are met: the carries start as α and β and soon are below s.
//! Counting goes up through the bits; listing goes down from the last one, through the states that have been met, so that the
//! u come in order. Cost: bits · states, of which there are at most about 2·s² once α and β have been shifted out.

use std::collections::BTreeMap;

use num_bigint::BigUint;

/// A nim-sum of two multiples: α + s·u and β + s·v.
pub struct Sums<'a> {
    pub step: u64,
    pub first: [u64; 2],
    /// u + v, and the nim-sum that is wanted.
    pub sum: &'a BigUint,
    pub wanted: &'a BigUint,
}

/// What α + s·u and β + s·v have left over, and the carry of u + v.
type State = (u64, u64, u8);

/// The states after each number of bits, and in how many ways each is come to.
pub struct Ways<'a> {
    sums: Sums<'a>,
    states: Vec<BTreeMap<State, BigUint>>,
}

/// So many states are too many.
const MOST_STATES: usize = 1 << 22;

impl<'a> Sums<'a> {
    /// All ways, or `None` if there are too many states to look at.
    pub fn ways(self) -> Option<Ways<'a>> {
        let most = self.first[0].max(self.first[1]).max(1);
        let past = |n: u64| u64::from(64 - n.leading_zeros());
        let bits = self
            .wanted
            .bits()
            .max(self.sum.bits() + past(self.step))
            .max(past(most))
            + 2;
        let mut states = vec![BTreeMap::from([(
            (self.first[0], self.first[1], 0),
            BigUint::from(1u8),
        )])];
        let mut met = 0;
        for bit in 0..bits {
            let mut next: BTreeMap<State, BigUint> = BTreeMap::new();
            for (&state, ways) in &states[bit as usize] {
                for (u, v) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    if let Some(state) = self.next(bit, state, u, v) {
                        *next.entry(state).or_default() += ways;
                    }
                }
            }
            met += next.len();
            if met > MOST_STATES {
                return None;
            }
            states.push(next);
        }
        Some(Ways { sums: self, states })
    }

    /// The state after one more bit of u and of v, if it is allowed.
    fn next(&self, bit: u64, (a, b, carry): State, u: u64, v: u64) -> Option<State> {
        let sum = u as u8 + v as u8 + carry;
        let (a, b) = (a + self.step * u, b + self.step * v);
        let fits =
            (sum & 1 == 1) == self.sum.bit(bit) && ((a ^ b) & 1 == 1) == self.wanted.bit(bit);
        fits.then_some((a >> 1, b >> 1, sum >> 1))
    }
}

impl Ways<'_> {
    /// How many u there are.
    pub fn count(&self) -> BigUint {
        let last = self.states.last().and_then(|s| s.get(&(0, 0, 0)));
        last.cloned().unwrap_or_default()
    }

    /// The u in order, as long as they are wanted.
    pub fn each(&self, mut wanted: impl FnMut(BigUint) -> bool) {
        let last = self.states.len() - 1;
        if !self.states[last].contains_key(&(0, 0, 0)) {
            return;
        }
        // The states of some bits of which the higher bits are known, and those.
        let mut open = vec![(last, vec![(0, 0, 0)], BigUint::default())];
        while let Some((bits, ends, high)) = open.pop() {
            if bits == 0 {
                if !wanted(high) {
                    return;
                }
                continue;
            }
            let bit = bits as u64 - 1;
            // The lower ones are looked at first.
            for u in [1, 0] {
                let leads = |state: &&State| {
                    [0, 1].iter().any(|&v| {
                        let next = self.sums.next(bit, **state, u, v);
                        next.is_some_and(|n| ends.contains(&n))
                    })
                };
                let from: Vec<State> = self.states[bits - 1]
                    .keys()
                    .filter(leads)
                    .copied()
                    .collect();
                if !from.is_empty() {
                    let mut high = high.clone();
                    high.set_bit(bit, u == 1);
                    open.push((bits - 1, from, high));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grundy_testkit::Random;

    #[test]
    fn as_by_trying_all() {
        let mut random = Random::new(5);
        let mut below = |n: u64| random.below(n);
        for _ in 0..3_000 {
            let step = 1 + below(9);
            let first = [below(40), below(40)];
            let sum = below(200);
            let nim = |u: u64| (first[0] + step * u) ^ (first[1] + step * (sum - u));
            let wanted = match below(4) {
                0 => below(300),
                _ => nim(below(sum + 1)),
            };
            let all: Vec<u64> = (0..=sum).filter(|&u| nim(u) == wanted).collect();
            let (big, t) = (BigUint::from(sum), BigUint::from(wanted));
            let sums = Sums {
                step,
                first,
                sum: &big,
                wanted: &t,
            };
            let ways = sums.ways().unwrap();
            assert_eq!(ways.count(), BigUint::from(all.len()));
            let mut found = Vec::new();
            ways.each(|u| {
                found.push(u);
                found.len() < 7
            });
            let first: Vec<BigUint> = all.iter().take(7).map(|&u| u.into()).collect();
            assert_eq!(found, first, "{step} {first:?} {sum} {wanted}");
        }
    }
}
