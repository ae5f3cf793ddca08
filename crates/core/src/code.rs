//! Take-and-break codes: which moves from one heap there are, as digits.
//!
//! Bit r of digit t allows taking t and leaving exactly r non-empty heaps (Guy and Smith, "The G-values of various games",
//! 1956, for r ≤ 2). Two things that no written code holds are held as well: a digit for every number past the last one
//! (nim, Lasker's game, all-but sets), and heaps that must differ (Grundy's game).
//!
//! Cost: `options` is linear in the options that it lists, all else in the digits.

use std::collections::BTreeSet;

/// A take-and-break code.
///
/// ```
/// use grundy_core::Code;
/// let kayles = Code::finite([0, 7, 7]);
/// assert_eq!(kayles.text().as_deref(), Some("0.77"));
/// assert_eq!((kayles.parts(), kayles.reach()), (2, 2));
/// let grundys_game = Code { unequal: true, ..Code::finite([4]) };
/// assert_eq!(grundys_game.options(92_679, 100_000).len(), 46_339);
/// let nim = Code { tail: 3, ..Code::finite([0]) };
/// assert_eq!(nim.options(5, 100).len(), 5);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Code {
    /// Digit t says what may be left when t is taken: bit r, exactly r non-empty heaps.
    pub digits: Vec<u64>,
    /// The digit of every t past the last of `digits`: 0 for finite codes, 3 where any number past it may be taken.
    pub tail: u64,
    /// Whether the heaps left are all different.
    pub unequal: bool,
}

impl Code {
    /// The code of these digits, with nothing past them, that may leave equal heaps.
    pub fn finite(digits: impl Into<Vec<u64>>) -> Self {
        Code {
            digits: digits.into(),
            tail: 0,
            unequal: false,
        }
    }

    /// Whether every game by this code ends: taking nothing leaves no heap or one of another size.
    pub fn ends(&self) -> bool {
        self.digit(0) & 3 == 0
    }

    /// The digit of t.
    pub fn digit(&self, t: usize) -> u64 {
        self.digits.get(t).copied().unwrap_or(self.tail)
    }

    /// Whether t may be taken and exactly r non-empty heaps be left.
    pub fn allows(&self, t: usize, r: usize) -> bool {
        r < 64 && self.digit(t) >> r & 1 == 1
    }

    /// The most heaps that a move leaves.
    pub fn parts(&self) -> usize {
        let all = self.digits.iter().fold(self.tail, |all, d| all | d);
        (64 - all.leading_zeros() as usize).saturating_sub(1)
    }

    /// The most that a move takes by one of the digits; with a tail there are moves that take more.
    pub fn reach(&self) -> usize {
        self.digits.iter().rposition(|&d| d != 0).unwrap_or(0)
    }

    /// The options of a heap as sorted non-empty heaps, or the first of them if there are more than `most`.
    pub fn options(&self, n: u64, most: usize) -> BTreeSet<Vec<u64>> {
        let mut ways = Ways {
            unequal: self.unequal,
            most,
            heaps: Vec::new(),
            out: BTreeSet::new(),
        };
        for (t, &digit) in self.digits.iter().enumerate() {
            let Some(rest) = n.checked_sub(t as u64) else {
                break;
            };
            ways.all(digit, rest);
        }
        if self.tail >> 1 != 0 {
            for rest in (0..=n.saturating_sub(self.digits.len() as u64)).rev() {
                if self.digits.len() as u64 > n || ways.full() {
                    break;
                }
                ways.all(self.tail, rest);
            }
        } else if n >= self.digits.len() as u64 {
            ways.all(self.tail, 0);
        }
        ways.out
    }

    /// As it is written in the literature, if digits suffice: `0.77`.
    pub fn text(&self) -> Option<String> {
        let digit =
            |d: &u64| char::from_digit(u32::try_from(*d).ok()?, 36).map(|c| c.to_ascii_uppercase());
        let reach = self.reach();
        let first = self.digits.first().copied().unwrap_or(0);
        if !self.ends() || reach > 40 || self.tail != 0 || (self.unequal && self.parts() > 1) {
            return None;
        }
        if reach == 0 {
            return Some(format!("{}.0", digit(&first)?));
        }
        let rest: Option<String> = self.digits[1..=reach].iter().map(digit).collect();
        Some(format!("{}.{}", digit(&first)?, rest?))
    }
}

struct Ways {
    unequal: bool,
    most: usize,
    heaps: Vec<u64>,
    out: BTreeSet<Vec<u64>>,
}

impl Ways {
    fn full(&self) -> bool {
        self.out.len() >= self.most
    }

    /// Every way to leave `rest` that the digit allows.
    fn all(&mut self, digit: u64, rest: u64) {
        for r in (0..64).filter(|r| digit >> r & 1 == 1) {
            self.split(r, rest, r.min(1));
        }
    }

    /// Every way to hold `total` in r heaps that rise from `least`.
    fn split(&mut self, r: u64, total: u64, least: u64) {
        if self.full() {
            return;
        }
        if r <= 1 {
            if total >= least && (r == 1 || total == 0) {
                let mut heaps = self.heaps.clone();
                heaps.extend((r == 1).then_some(total));
                self.out.insert(heaps);
            }
            return;
        }
        // What the heaps after the first must hold more than it does.
        let more = u64::from(self.unequal) * (r * (r - 1) / 2);
        let Some(room) = total.checked_sub(more) else {
            return;
        };
        for a in least..=room / r {
            self.heaps.push(a);
            self.split(r - 1, total - a, a + u64::from(self.unequal));
            self.heaps.pop();
            if self.full() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_what_the_literature_writes() {
        let text = |digits: &[u64]| Code::finite(digits).text();
        assert_eq!(text(&[0, 7, 7]).as_deref(), Some("0.77"));
        assert_eq!(text(&[4, 7]).as_deref(), Some("4.7"));
        assert_eq!(text(&[0, 15, 35, 0]).as_deref(), Some("0.FZ"));
        assert_eq!(text(&[0, 0, 0]).as_deref(), Some("0.0"));
        assert_eq!(text(&[]).as_deref(), Some("0.0"));
        assert_eq!(text(&[4]).as_deref(), Some("4.0"));
        assert_eq!(text(&[2, 7]), None);
        assert_eq!(text(&[0, 36]), None);
        let unequal = |digits: &[u64]| Code {
            unequal: true,
            ..Code::finite(digits)
        };
        assert_eq!(unequal(&[4]).text(), None);
        assert_eq!(unequal(&[0, 3]).text().as_deref(), Some("0.3"));
        let nim = Code {
            tail: 3,
            ..Code::finite([0])
        };
        assert_eq!(nim.text(), None);
    }

    /// By the definition: every t, every r, every multiset of heaps.
    fn slow(code: &Code, n: u64) -> BTreeSet<Vec<u64>> {
        fn multisets(total: u64, least: u64) -> Vec<Vec<u64>> {
            if total == 0 {
                return vec![vec![]];
            }
            (least..=total)
                .flat_map(|a| {
                    multisets(total - a, a).into_iter().map(move |mut rest| {
                        rest.insert(0, a);
                        rest
                    })
                })
                .collect()
        }
        let mut out = BTreeSet::new();
        for t in 0..=n {
            for heaps in multisets(n - t, 1) {
                let differ = heaps.windows(2).all(|w| w[0] != w[1]);
                if code.allows(t as usize, heaps.len()) && (differ || !code.unequal) {
                    out.insert(heaps);
                }
            }
        }
        out
    }

    #[test]
    fn options_agree_with_the_definition() {
        let mut state = 7u64;
        let mut below = |n: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        for _ in 0..400 {
            let most = 1 << (1 + below(5));
            let digits: Vec<u64> = (0..below(5)).map(|_| below(most)).collect();
            let code = Code {
                digits,
                tail: if below(2) == 0 { 0 } else { below(most) },
                unequal: below(2) == 0,
            };
            for n in 0..=9 {
                let want = slow(&code, n);
                assert_eq!(code.options(n, usize::MAX), want, "{code:?} at {n}");
                let some = code.options(n, 3);
                assert_eq!(some.len(), want.len().min(3), "{code:?} at {n}");
                assert!(some.is_subset(&want));
            }
        }
    }

    #[test]
    fn large_heaps_are_not_walked_through() {
        for tail in [1, 2, 3, 4, 9] {
            let code = Code {
                tail,
                ..Code::finite([0, 3])
            };
            assert!(code.options(u64::MAX, 5).len() >= 2, "{tail}");
        }
    }

    #[test]
    fn bits_past_the_digits_are_no_moves() {
        let code = Code::finite([0, u64::MAX]);
        assert_eq!(code.parts(), 63);
        assert!(code.allows(1, 63) && !code.allows(1, 64) && !code.allows(2, 0));
        assert_eq!(Code::default().parts(), 0);
    }
}
