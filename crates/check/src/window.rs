//! The window proof, for codes with two parts: if every heap of one period is settled by the rare heaps up to R and
//! witnesses up to K, and the values before it repeat, they repeat for ever.
//!
//! The values are computed again with the certificate's split into rare and common values, which is exact for every mask:
//! an option of common value is one heap, or a rare heap and a common one, so the least common value that no rare heap
//! excludes is found first; then every rare value below it is looked for among all pairs until it is found. If one is
//! not, it is the value, and the heap is rare.
//!
//! Cost: a step for each rare heap and as many pairs as the search takes (some hundred) for each heap; a byte a value, two
//! where values pass 255.

use grundy_cert::Window;

use crate::{Fault, Refusal, Result, Run, claim};

pub fn check(run: &mut Run<'_>, window: &Window) -> Result<()> {
    let c = run.certificate;
    let code = &run.game.code;
    let refuse = |message: &str| Err(Refusal::new(Fault::Hypothesis, message));
    if code.tail != 0 {
        return refuse("the number taken must have a bound");
    }
    if code.parts() != 2 {
        return refuse("a window proof is for codes that split in two");
    }
    let reach = code.reach();
    let splits: Vec<usize> = (0..=reach).filter(|&t| code.allows(t, 2)).collect();
    if window.position_bit {
        if splits.iter().any(|t| t % 2 != splits[0] % 2) {
            return refuse(
                "the heap's parity takes part, but splits take numbers of both parities",
            );
        }
        if c.period % 2 == 1 {
            return refuse("the heap's parity takes part, but the period is odd");
        }
    }
    let far = u128::from(window.rares_to.max(window.witnesses_to)) + reach as u128;
    let (n1, p) = (u128::from(window.settled_from), u128::from(c.period));
    let early = |message: &str, least: u128| {
        let refusal = Refusal::new(Fault::Hypothesis, message);
        Err(refusal.values(format!("at least {least}"), n1))
    };
    if n1 <= 2 * far {
        return early(
            "the window begins too early for R, K and the numbers taken",
            2 * far + 1,
        );
    }
    if n1 < run.game.small.len() as u128 {
        let least = run.game.small.len() as u128;
        return early(
            "the window begins among heaps with options of their own",
            least,
        );
    }
    if u128::from(c.preperiod) + far > n1 {
        let least = u128::from(c.preperiod) + far;
        return early("the window begins too early for the preperiod", least);
    }
    let count = n1 + p;
    match c.max.unwrap_or(u64::MAX) {
        0..64 => solve::<u8, 1>(run, window, splits, count)?,
        64..128 => solve::<u8, 2>(run, window, splits, count)?,
        128..256 => solve::<u8, 4>(run, window, splits, count)?,
        256..4096 => solve::<u16, 64>(run, window, splits, count)?,
        4096..65536 => solve::<u16, 1024>(run, window, splits, count)?,
        max => {
            let message = "window proofs are checked for values below 65536";
            return Err(Refusal::new(Fault::Max, message).values("at most 65535", max));
        }
    }
    Ok(())
}

/// A value in memory.
trait Cell: Copy + Into<u64> + Into<usize> + TryFrom<u64> {}
impl<T: Copy + Into<u64> + Into<usize> + TryFrom<u64>> Cell for T {}

/// A set of values below 64 W.
type Set<const W: usize> = [u64; W];

fn insert<const W: usize>(set: &mut Set<W>, v: usize) {
    set[v / 64 % W] |= 1 << (v % 64);
}

fn least<const W: usize>(set: &Set<W>) -> Option<usize> {
    let word = set.iter().position(|&w| w != 0)?;
    Some(64 * word + set[word].trailing_zeros() as usize)
}

fn solve<T: Cell, const W: usize>(
    run: &mut Run<'_>,
    window: &Window,
    splits: Vec<usize>,
    count: u128,
) -> Result<()> {
    let count = run.count(count, size_of::<T>() as u64)?;
    let values: Vec<T> = Solver::<T, W>::new(run, window, splits).run(run, count)?;
    let p = run.certificate.period;
    let (r, k, n1) = (window.rares_to, window.witnesses_to, window.settled_from);
    run.say(format!(
        "values: G(0) to G({}) computed again, each the mex of its options",
        count - 1
    ));
    run.say(format!("rare: no heap past {r} is rare"));
    run.say(format!(
        "settled: for every heap of {n1} to {} the common values below its own are options with a rare heap or of one heap, \
         the rare ones options with a heap of at most {k} or of one heap",
        count - 1
    ));
    claim::verify(run, &values)?;
    run.say(format!(
        "theorem: a heap past {} is settled as the one {p} before it, so the values repeat for ever",
        count - 1
    ));
    Ok(())
}

struct Solver<T, const W: usize> {
    values: Vec<T>,
    /// The rare heaps found so far.
    rares: Vec<usize>,
    /// Common values, by the parity of the heap if it takes part.
    common: [Set<W>; 2],
    window: Window,
    splits: Vec<usize>,
    /// Numbers that may be taken leaving one heap, and none.
    ones: Vec<usize>,
    nothing: Vec<usize>,
    unequal: bool,
    max: usize,
}

/// Pairs between two looks whether all is found.
const BLOCK: usize = 32;

impl<T: Cell, const W: usize> Solver<T, W> {
    fn new(run: &Run<'_>, window: &Window, splits: Vec<usize>) -> Self {
        let code = &run.game.code;
        let allowed = |r: usize| (0..=code.reach()).filter(move |&t| code.allows(t, r));
        let mut common = [[0; W]; 2];
        let t0 = splits[0] % 2;
        for (parity, set) in common.iter_mut().enumerate() {
            let position = u32::from(window.position_bit && (parity + t0) % 2 == 1);
            for v in 0..64 * W {
                if ((v as u64 & window.mask).count_ones() + position) % 2 == 1 {
                    insert(set, v);
                }
            }
        }
        Solver {
            values: Vec::new(),
            rares: Vec::new(),
            common,
            window: *window,
            ones: allowed(1).collect(),
            nothing: allowed(0).collect(),
            splits,
            unequal: code.unequal,
            max: run.certificate.max.unwrap_or(0) as usize,
        }
    }

    fn run(mut self, run: &mut Run<'_>, count: usize) -> Result<Vec<T>> {
        let small = run.game.small.clone();
        let (settled_from, witnesses) = (
            self.window.settled_from as usize,
            self.window.witnesses_to as usize,
        );
        self.values.reserve_exact(count);
        for n in 0..count {
            run.step(n, count)?;
            let value = match small.get(n) {
                Some(Some(options)) => self.by_options(options),
                _ if n < settled_from => self.value(n, usize::MAX).0,
                _ => match self.value(n, witnesses) {
                    (value, None) => value,
                    (_, Some(missing)) => {
                        let message = format!(
                            "the heap is not settled: no option of one heap or with a heap up to K has the value {missing}"
                        );
                        return Err(Refusal::new(Fault::Settled, message).at(n as u64));
                    }
                },
            };
            run.listed(n, value as u64)?;
            let cell = T::try_from(value as u64).ok().filter(|_| value <= self.max);
            let Some(cell) = cell else {
                let message = "a value is past the greatest value";
                return Err(Refusal::new(Fault::Max, message)
                    .at(n as u64)
                    .values(value, self.max));
            };
            if n > 0 && !self.is_common(n, value) {
                if n as u64 > self.window.rares_to {
                    let message = "a heap past R is rare";
                    return Err(Refusal::new(Fault::Rare, message)
                        .at(n as u64)
                        .values(format!("R at least {n}"), self.window.rares_to));
                }
                self.rares.push(n);
            }
            self.values.push(cell);
        }
        Ok(self.values)
    }

    fn at(&self, n: usize) -> usize {
        self.values[n].into()
    }

    fn commons(&self, n: usize) -> &Set<W> {
        &self.common[if self.window.position_bit { n % 2 } else { 0 }]
    }

    fn is_common(&self, n: usize, value: usize) -> bool {
        self.commons(n)[value / 64 % W] >> (value % 64) & 1 == 1
    }

    /// The mex of options that are written out.
    fn by_options(&self, options: &[Vec<u64>]) -> usize {
        let sums = options
            .iter()
            .map(|o| o.iter().fold(0, |sum, &heap| sum ^ self.at(heap as usize)));
        let mut sums: Vec<usize> = sums.collect();
        sums.sort_unstable();
        sums.dedup();
        (0..).zip(&sums).take_while(|(v, s)| v == *s).count()
    }

    /// The value of heap n, and the least rare value below it that no pair with a heap up to `witnesses` has.
    fn value(&self, n: usize, witnesses: usize) -> (usize, Option<usize>) {
        let mut seen = [0; W];
        for &t in &self.ones {
            if t < n {
                insert(&mut seen, self.at(n - t));
            }
        }
        if self.nothing.contains(&n) {
            insert(&mut seen, 0);
        }
        for &t in &self.splits {
            let Some(total) = n.checked_sub(t) else {
                continue;
            };
            for &rare in &self.rares {
                if rare >= total {
                    break;
                }
                if !(self.unequal && 2 * rare == total) {
                    insert(&mut seen, self.at(rare) ^ self.at(total - rare));
                }
            }
        }
        // The least common value that is no option, or all values if there is none so small.
        let mut free = *self.commons(n);
        free.iter_mut().zip(&seen).for_each(|(f, s)| *f &= !s);
        let candidate = least(&free).unwrap_or(64 * W);
        let mut sought = [0; W];
        for (i, word) in sought.iter_mut().enumerate() {
            let below = candidate.saturating_sub(64 * i).min(64) as u32;
            let below = u64::MAX.checked_shr(64 - below).unwrap_or(0);
            *word = below & !self.commons(n)[i] & !seen[i];
        }
        self.search(n, witnesses, &mut sought);
        match least(&sought) {
            Some(missing) => (missing, Some(missing)),
            None => (candidate, None),
        }
    }

    /// Takes out of a set what pairs with a heap up to `witnesses` have.
    fn search(&self, n: usize, witnesses: usize, sought: &mut Set<W>) {
        let half = |t: usize| {
            let total = n.saturating_sub(t);
            let apart = usize::from(self.unequal);
            (total.saturating_sub(apart) / 2).min(witnesses)
        };
        let all = self.splits.iter().map(|&t| half(t)).max().unwrap_or(0);
        let mut from = 1;
        while from <= all && sought.iter().any(|&w| w != 0) {
            for &t in &self.splits {
                let to = (from + BLOCK - 1).min(half(t));
                if from > to {
                    continue;
                }
                let low = &self.values[from..=to];
                let high = &self.values[n - t - to..=n - t - from];
                let mut found = [0u64; W];
                for (&a, &b) in low.iter().zip(high.iter().rev()) {
                    let (a, b): (usize, usize) = (a.into(), b.into());
                    insert(&mut found, a ^ b);
                }
                sought.iter_mut().zip(&found).for_each(|(s, f)| *s &= !f);
            }
            from += BLOCK;
        }
    }
}

#[cfg(test)]
mod tests {
    use grundy_cert::{Certificate, Code, GameText, Proof, Values};
    use grundy_core::Budget;

    use super::*;

    /// However wide sets and values are kept, all is the same. The hash is wrong, so that the one computed is told.
    #[test]
    fn widths_agree() {
        for (text, digits, n0, p) in [
            ("0.77", vec![0, 7, 7], 71, 12),
            ("0.156", vec![0, 1, 5, 6], 3479, 349),
        ] {
            let window = Window {
                mask: if p == 12 { 15 } else { 27 },
                rares_to: 400,
                witnesses_to: 400,
                settled_from: n0 + 820,
                ..Window::default()
            };
            let count = window.settled_from + p;
            let certificate = Certificate {
                game: GameText {
                    text: text.to_owned(),
                    arguments: Vec::new(),
                },
                code: Code::finite(digits),
                period: p,
                preperiod: n0,
                saltus: 0,
                max: Some(if p == 12 { 8 } else { 23 }),
                values: Values::hashed(count, String::new()),
                proof: Proof::Window(window),
            };
            let solved = |solve: fn(&mut Run<'_>, &Window, Vec<usize>, u128) -> Result<()>| {
                let mut run = Run {
                    game: crate::rules::read(&certificate, &mut Vec::new()).unwrap(),
                    certificate: &certificate,
                    budget: &Budget::default(),
                    progress: &mut |_, _| (),
                    lines: Vec::new(),
                };
                let code = &run.game.code;
                let splits = (0..=code.reach()).filter(|&t| code.allows(t, 2));
                let splits = splits.collect();
                solve(&mut run, &window, splits, u128::from(count)).unwrap_err()
            };
            let narrow = solved(solve::<u8, 1>);
            assert_eq!(narrow.fault, Fault::Hash, "{narrow}");
            assert_eq!(solved(solve::<u8, 2>), narrow);
            assert_eq!(solved(solve::<u8, 4>), narrow);
            assert_eq!(solved(solve::<u16, 64>), narrow);
            assert_eq!(solved(solve::<u16, 1024>), narrow);
        }
    }
}
