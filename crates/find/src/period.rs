//! Periods and their proofs from the values that are known.
//!
//! Theorems: the book's page "Certificates". *Long* (Guy and Smith 1956, for any number of parts): the values repeat up to
//! N ≥ k(n0 + p − 1) + T. *Window*: one period whose heaps are settled by few heaps, behind a stretch of values that stands
//! a period earlier as well. *Cofinite*: the last K values less b stand as they did p heaps before.
//!
//! All three ask whether a stretch at the end of the values occurred before, and the latest place where it did is looked
//! for. So the period is the least: let p0 be the least and p the one proved, both from n0 on, so p ≥ p0. The stretch of
//! the proof stands p earlier, past n0; then it stands p0 earlier as well, and p0 is a distance that was tried before.
//! (With the heap's parity in the split only even distances are tried. p0 is even then, or n and n + p0, which have one
//! value, would be of two classes, and there would be rare heaps for ever, which the theorem excludes.) With a saltus the
//! same is said of the differences.
//!
//! Cost: one backward search over a byte a value, sublinear as a rule, and a look at each value of the period.

use std::ops::Range;

use grundy_cert::{Proof, Window};
use grundy_core::Code;
use grundy_kernels::{Sequence, Settled};

use crate::arithmetic::Arithmetic;
use crate::occur::earlier;

/// G(n + period) = G(n) + saltus for every n ≥ preperiod, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Period {
    /// The least there is.
    pub period: usize,
    /// The number of values before it begins; the least there is.
    pub preperiod: usize,
    /// What the values grow by in a period.
    pub saltus: u64,
    /// The greatest value of all heaps, if there is one.
    pub max: Option<u64>,
    /// The theorem with its numbers.
    pub proof: Proof,
    /// The largest heap whose value the proof rests on.
    pub checked_to: usize,
}

/// The longest stretch looked for; where more must be the same, it is compared at the places found.
const STRETCH: usize = 4096;
/// Places compared at one time, at most.
const TRIES: usize = 8;

/// What is proved before the least n0 and the greatest value are known.
pub(crate) struct Found {
    period: usize,
    /// The period is shown from here on.
    from: usize,
    saltus: u64,
    proof: Proof,
}

impl Found {
    /// What the theorem for splits with a saltus has shown.
    pub(crate) fn arithmetic(proved: &Arithmetic) -> Self {
        Found {
            period: proved.pattern.period,
            from: proved.pattern.preperiod,
            saltus: proved.pattern.saltus,
            proof: Proof::Arithmetic {
                multiple: proved.multiple as u64,
                settled_from: proved.settled_from as u64,
            },
        }
    }

    /// With the least preperiod and the greatest value.
    pub(crate) fn finish(self, sequence: &Sequence) -> Period {
        let Found {
            period: p,
            from,
            saltus,
            proof,
        } = self;
        let from = begin(sequence, from, p, saltus);
        let (proof, checked_to) = match proof {
            Proof::Long { .. } => {
                let checked_to = long_bound(sequence.code(), from.max(1), p);
                let proof = Proof::Long {
                    checked_to: checked_to as u64,
                };
                (proof, checked_to)
            }
            Proof::Window(window) => (proof, window.settled_from as usize + p - 1),
            Proof::Cofinite { state_at } => (proof, state_at as usize + p - 1),
            Proof::Arithmetic {
                multiple,
                settled_from,
            } => {
                let end = settled_from as usize + 2 * multiple as usize * p;
                (proof, end - 1)
            }
            other => (other, sequence.len() - 1),
        };
        Period {
            period: p,
            preperiod: from,
            saltus,
            max: (saltus == 0).then(|| largest(sequence, 0..from + p)),
            proof,
            checked_to,
        }
    }
}

/// The least n0 from which on G(n + p) = G(n) + saltus up to `from`.
pub(crate) fn begin(sequence: &Sequence, mut from: usize, p: usize, saltus: u64) -> usize {
    while from > 0 {
        let block = from.saturating_sub(STRETCH)..from;
        let (low, high) = (
            sequence.values(block.clone()),
            sequence.values(block.start + p..block.end + p),
        );
        let same = low.iter().zip(&high).rev();
        let same = same.take_while(|&(&a, &b)| u64::from(a) + saltus == u64::from(b));
        let same = same.count();
        from -= same;
        if same < low.len() {
            break;
        }
    }
    from
}

/// The greatest value of some heaps.
pub(crate) fn largest(sequence: &Sequence, heaps: Range<usize>) -> u64 {
    let blocks = heaps.clone().step_by(1 << 16);
    let most = blocks.filter_map(|from| {
        let to = heaps.end.min(from + (1 << 16));
        sequence.values(from..to).into_iter().max()
    });
    most.max().map_or(0, u64::from)
}

/// Whether a code's moves bound the number taken, so that a period can be proved by what repeats.
fn bounded(code: &Code) -> bool {
    code.tail == 0 && !(code.unequal && code.parts() > 2)
}

/// Whether the heaps left must differ where there are any two.
fn apart(code: &Code) -> bool {
    code.unequal && code.parts() > 1
}

/// The least N of the long criterion, for n0 ≥ 1.
fn long_bound(code: &Code, n0: usize, p: usize) -> usize {
    let bound = if apart(code) {
        2 * n0 + 3 * p - 1 + code.reach()
    } else {
        code.parts().max(1) * (n0 + p - 1) + code.reach()
    };
    bound.max(n0 + p)
}

/// The greatest n0 ≥ 1 whose bound is at most `last`.
fn latest_start(code: &Code, last: usize, p: usize) -> Option<usize> {
    let start = if apart(code) {
        (last + 1).checked_sub(code.reach() + 3 * p)? / 2
    } else {
        (last.checked_sub(code.reach())? / code.parts().max(1) + 1).checked_sub(p)?
    };
    Some(start.min(last.checked_sub(p)?)).filter(|&s| s > 0)
}

/// By the long criterion. `bytes` has one for each value, the same for the same values a distance apart, which is even if
/// `even` says so, but for chance.
pub(crate) fn long(sequence: &Sequence, bytes: &[u8], even: bool) -> Option<Found> {
    let code = sequence.code();
    let last = sequence.len().checked_sub(1)?;
    if !bounded(code) {
        return None;
    }
    let stretch = last - last.checked_sub(code.reach())? / code.parts().max(1);
    // Where the parity counts and an odd period makes other bytes, its double is looked at: values decide.
    let distances = earlier(bytes, stretch.min(STRETCH)).take(TRIES);
    for distance in distances {
        let halved = (even && distance % 2 == 0).then_some(distance / 2);
        for p in halved.into_iter().chain([distance]) {
            let Some(start) = latest_start(code, last, p) else {
                continue;
            };
            let values = sequence.values(start..last + 1);
            if values[..values.len() - p] == values[p..] {
                let proof = Proof::Long {
                    checked_to: last as u64,
                };
                return Some(Found {
                    period: p,
                    from: start,
                    saltus: 0,
                    proof,
                });
            }
        }
    }
    None
}

/// By the window criterion, on what the kernels tell of how the values were found.
pub(crate) fn window(sequence: &Sequence, settled: &Settled<'_>) -> Option<Found> {
    let (codes, n) = (settled.codes, settled.codes.len());
    let reach = sequence.code().reach();
    let length = |witness: usize| settled.last_rare.max(witness) + reach;
    let first = length(settled.witness);
    // n1 > 2L, and the stretch before n1 is L long.
    if 2 * first >= n {
        return None;
    }
    let end = &codes[n - first..];
    let distances = earlier(codes, first.min(STRETCH)).take(TRIES);
    for p in distances.filter(|p| !settled.split.position || p % 2 == 0) {
        let n1 = n - p;
        if n1 <= 2 * first || n1 < settled.since || codes[n1 - first..n1] != *end {
            continue;
        }
        let searched = settled.searched.iter().filter(|s| s.0 >= n1).map(|s| s.1);
        let witness = searched.max().unwrap_or(0).max(settled.witness);
        let length = length(witness);
        // No heap of the stretch is rare, so the same bytes are the same values.
        if n1 <= 2 * length || codes[n1 - length..n1] != codes[n - length..] {
            continue;
        }
        let window = Window {
            mask: settled.split.mask.into(),
            position_bit: settled.split.position,
            rares_to: settled.last_rare as u64,
            witnesses_to: witness.max(settled.last_rare) as u64,
            settled_from: n1 as u64,
        };
        return Some(Found {
            period: p,
            from: n1 - length,
            saltus: 0,
            proof: Proof::Window(window),
        });
    }
    None
}

/// The values of a game in which any number past K may be taken and one heap is left, as differences.
///
/// V(n) is the set of values that n reaches by taking more than K, and [0, b) from n = 2K + 2 on. The symbol of n is
/// 2(G(n) − b(n)) + b(n + 1) − b(n), and K symbols are the state of the theorem, up to b.
pub(crate) struct Climb {
    most: usize,
    reached: Vec<bool>,
    below: usize,
    /// The symbols' lowest bytes; 0 where V need not be a segment.
    pub bytes: Vec<u8>,
}

impl Climb {
    /// For the codes that the theorem is about.
    pub fn new(code: &Code) -> Option<Climb> {
        let mut digits = &code.digits[..];
        while digits.len() > 1 && digits.last() == Some(&code.tail) {
            digits = &digits[..digits.len() - 1];
        }
        (code.tail & !1 == 2 && code.parts() == 1 && !digits.is_empty()).then(|| Climb {
            most: digits.len() - 1,
            reached: vec![code.tail & 1 == 1],
            below: usize::from(code.tail & 1 == 1),
            bytes: Vec::new(),
        })
    }

    /// Takes in the values that are new.
    pub fn take(&mut self, sequence: &Sequence) {
        for n in self.bytes.len()..sequence.len() {
            let before = self.below;
            // V(n + 1) has the value of n − K as well.
            if let Some(m) = n.checked_sub(self.most).filter(|&m| m > 0) {
                let v = sequence.value(m) as usize;
                if v >= self.reached.len() {
                    self.reached.resize(v + 1, false);
                }
                self.reached[v] = true;
                while self.reached.get(self.below) == Some(&true) {
                    self.below += 1;
                }
            }
            let symbol = match n >= 2 * self.most + 2 {
                true => 2 * (sequence.value(n) as usize - before) + (self.below - before),
                false => 0,
            };
            self.bytes.push(symbol as u8);
        }
    }

    /// By the cofinite theorem.
    pub fn prove(&self, sequence: &Sequence) -> Option<Found> {
        let (k, n) = (self.most, self.bytes.len());
        for p in earlier(&self.bytes, k.min(STRETCH)).take(TRIES) {
            let Some(x) = n.checked_sub(p).filter(|&x| x >= 3 * k + 2) else {
                break;
            };
            let saltus: u64 = self.bytes[x..].iter().map(|b| u64::from(b & 1)).sum();
            let (low, high) = (sequence.values(x - k..x), sequence.values(n - k..n));
            let mut both = low.iter().zip(&high);
            if both.all(|(&a, &b)| u64::from(a) + saltus == u64::from(b)) {
                let proof = Proof::Cofinite { state_at: x as u64 };
                return Some(Found {
                    period: p,
                    from: x - k,
                    saltus,
                    proof,
                });
            }
        }
        None
    }
}
