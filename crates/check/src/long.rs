//! The long criterion of Guy and Smith, for any number of parts: if the values repeat as far as
//! N ≥ k(n0 + p − 1) + T, they repeat for ever. Where the two heaps left must differ, N ≥ 2n0 + 3p − 1 + T.
//!
//! Every value is the mex over all options, plainly: for each total the set of nim-sums of r heaps that hold it is made
//! from all ways to hold it. Cost: N²/4 steps for two parts, for three N² times the number of values; the sets take a bit a
//! value for each total and each r ≥ 2.

use crate::{Fault, Refusal, Result, Run, claim};

pub fn check(run: &mut Run<'_>, checked_to: u64) -> Result<()> {
    let c = run.certificate;
    let (code, small) = (run.game.code.clone(), run.game.small.clone());
    let refuse = |message: &str| Err(Refusal::new(Fault::Hypothesis, message));
    if code.tail != 0 {
        return refuse("the number taken must have a bound");
    }
    let (k, reach) = (code.parts().max(1), code.reach());
    if code.unequal && k > 2 {
        return refuse("no theorem is known here for three heaps that differ");
    }
    // Heap 0 may be part of the period, but it is no part of an option.
    let (n0, p) = (u128::from(c.preperiod.max(1)), u128::from(c.period));
    let bound = if code.unequal {
        2 * n0 + 3 * p - 1 + reach as u128
    } else {
        k as u128 * (n0 + p - 1) + reach as u128
    };
    let bound = bound.max(small.len() as u128 + p - 1).max(n0 + p);
    if u128::from(checked_to) < bound {
        let message = "the values do not reach as far as the theorem asks";
        return Err(Refusal::new(Fault::Hypothesis, message)
            .values(format!("at least {bound}"), checked_to));
    }
    let count = run.count(u128::from(checked_to) + 1, 4)?;
    let values = compute(run, count)?;
    run.say(format!(
        "values: G(0) to G({checked_to}) computed again, each the mex of all its options"
    ));
    claim::verify(run, &values)?;
    run.say(format!(
        "theorem: a move leaves at most {k} heaps and takes at most {reach}; values that repeat up to {bound} repeat for ever"
    ));
    Ok(())
}

/// The values of the heaps below `count`. Of heaps that must differ there may be two.
pub fn compute(run: &mut Run<'_>, count: usize) -> Result<Vec<u32>> {
    let (code, small) = (run.game.code.clone(), run.game.small.clone());
    let mut values: Vec<u32> = Vec::with_capacity(count);
    // `sums[r - 2][total]`: the nim-sums of r non-empty heaps that hold `total`.
    let mut sums: Vec<Vec<Set>> = vec![Vec::new(); code.parts().saturating_sub(1)];
    let mut bytes = 4 * count as u128;
    // What can be reached by taking any number past the digits; heap by heap there is more of it.
    let mut tail = Set::default();
    for n in 0..count {
        run.step(n, count)?;
        for r in 2..=code.parts() {
            // Nothing may be taken only by a split, so the heaps are smaller than n and have their values.
            let set = match r {
                2 => pairs(&values, n, code.unequal),
                _ => one_more(&values, &sums[r - 3], n),
            };
            bytes += 32 + 8 * set.0.len() as u128;
            sums[r - 2].push(set);
        }
        run.room(bytes)?;
        if let Some(rest) = n.checked_sub(code.digits.len()) {
            let t = code.digits.len();
            if code.allows(t, 0) && rest == 0 {
                tail.insert(0);
            }
            if code.allows(t, 1) && rest > 0 {
                tail.insert(values[rest]);
            }
            for r in (2..=code.parts()).filter(|&r| code.allows(t, r)) {
                tail.insert_all(&sums[r - 2][rest]);
            }
        }
        let mut seen = tail.clone();
        if let Some(Some(options)) = small.get(n) {
            for option in options {
                let heaps = option.iter().map(|&heap| values[heap as usize]);
                seen.insert(heaps.fold(0, |sum, v| sum ^ v));
            }
        } else {
            for t in 0..code.digits.len().min(n + 1) {
                if code.allows(t, 0) && t == n {
                    seen.insert(0);
                }
                if code.allows(t, 1) && t < n {
                    seen.insert(values[n - t]);
                }
                for r in 2..=code.parts() {
                    if code.allows(t, r) {
                        seen.insert_all(&sums[r - 2][n - t]);
                    }
                }
            }
        }
        let value = seen.mex();
        run.listed(n, u64::from(value))?;
        values.push(value);
    }
    Ok(values)
}

fn pairs(values: &[u32], total: usize, unequal: bool) -> Set {
    let half = match unequal {
        true => total.saturating_sub(1) / 2,
        false => total / 2,
    };
    let mut set = Set::default();
    for a in 1..=half {
        set.insert(values[a] ^ values[total - a]);
    }
    set
}

/// One heap more than the sets are of.
fn one_more(values: &[u32], fewer: &[Set], total: usize) -> Set {
    let mut set = Set::default();
    for heap in 1..total {
        for v in fewer[total - heap].values() {
            set.insert(v ^ values[heap]);
        }
    }
    set
}

/// A set of values.
#[derive(Clone, Default)]
struct Set(Vec<u64>);

impl Set {
    #[inline]
    fn insert(&mut self, v: u32) {
        let word = v as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (v % 64);
    }

    fn insert_all(&mut self, other: &Set) {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn values(&self) -> impl Iterator<Item = u32> {
        let bits = |word: u64| (0..64).filter(move |b| word >> b & 1 == 1);
        self.0
            .iter()
            .enumerate()
            .flat_map(move |(i, &word)| bits(word).map(move |b| 64 * i as u32 + b))
    }

    fn mex(&self) -> u32 {
        let full = self.0.iter().take_while(|&&w| w == u64::MAX).count();
        64 * full as u32 + self.0.get(full).map_or(0, |w| w.trailing_ones())
    }
}
