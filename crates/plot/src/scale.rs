//! From numbers to steps of a scale, and readable ticks. All of it in whole numbers, so that a picture is the same everywhere.

use crate::picture::Scale;

/// Fractional bits of a height.
const BITS: u32 = 16;
/// The height of the greatest value.
pub const ONE: u64 = 1 << BITS;

/// The logarithm to base 2 of n ≥ 1, with 16 bits behind the point.
fn log2(n: u64) -> u64 {
    let whole = n.ilog2();
    let mut m = u128::from(n) << (63 - whole);
    let mut log = u64::from(whole);
    for _ in 0..BITS {
        m = (m * m) >> 63;
        let bit = (m >> 64) as u64;
        m >>= bit;
        log = log << 1 | bit;
    }
    log
}

/// Places values of at most `max` between 0 and [`ONE`].
#[derive(Clone, Copy, Debug)]
pub struct Heights {
    scale: Scale,
    top: u64,
}

impl Heights {
    /// Of values up to `max`.
    pub fn new(scale: Scale, max: u32) -> Self {
        let top = match scale {
            Scale::Linear => u64::from(max),
            Scale::Log => log2(u64::from(max) + 1),
            Scale::Mod(m) => u64::from(m.max(1) - 1),
        };
        Heights {
            scale,
            top: top.max(1),
        }
    }

    /// Where a value stands.
    pub fn of(&self, value: u32) -> u64 {
        let height = match self.scale {
            Scale::Linear => u64::from(value),
            Scale::Log => log2(u64::from(value) + 1),
            Scale::Mod(m) => u64::from(value % m.max(1)),
        };
        ((u128::from(height) << BITS) / u128::from(self.top)) as u64
    }

    /// Values to write beside the scale, at most about `most` of them.
    pub fn ticks(&self, max: u32, most: usize) -> Vec<u32> {
        match self.scale {
            Scale::Linear => steps(u64::from(max), most).map(|t| t as u32).collect(),
            Scale::Mod(m) => steps(u64::from(m.max(1) - 1), most)
                .map(|t| t as u32)
                .collect(),
            Scale::Log => {
                let mut ticks = vec![0];
                let mut unit = 1u64;
                while unit <= u64::from(max) {
                    ticks.extend(
                        [1, 2, 5]
                            .map(|d| d * unit)
                            .iter()
                            .filter_map(|&t| (t <= u64::from(max)).then_some(t as u32)),
                    );
                    unit *= 10;
                }
                let gap = ONE / most.max(1) as u64;
                let mut last = None;
                ticks.retain(|&t| {
                    let here = self.of(t);
                    let room = last.is_none_or(|last| here >= last + gap);
                    if room {
                        last = Some(here);
                    }
                    room
                });
                ticks
            }
        }
    }
}

/// 0, and the multiples of 1, 2 or 5 times a power of ten up to `max`: at most about `most` of them.
pub fn steps(max: u64, most: usize) -> impl Iterator<Item = u64> {
    let least = max / most.max(1) as u64;
    let mut unit = 1u64;
    let step = loop {
        match [1, 2, 5]
            .map(|d| unit.saturating_mul(d))
            .into_iter()
            .find(|&s| s > least)
        {
            Some(step) => break step,
            None if unit > u64::MAX / 10 => break u64::MAX,
            None => unit *= 10,
        }
    };
    (0..=max / step).map(move |i| i * step)
}

/// A number in groups of three digits.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_floating_point() {
        for n in (1..5000).chain([1 << 20, (1 << 32) - 1, u64::MAX >> 1]) {
            let exact = (n as f64).log2() * ONE as f64;
            assert!((log2(n) as f64 - exact).abs() <= 2.0, "{n}");
        }
    }

    #[test]
    fn heights_rise_from_nothing_to_one() {
        for scale in [Scale::Linear, Scale::Log] {
            for max in [1, 2, 7, 1000, u32::MAX - 1] {
                let heights = Heights::new(scale, max);
                assert_eq!(heights.of(0), 0);
                assert_eq!(heights.of(max), ONE);
                let mut last = 0;
                for v in (0..=max).step_by((max as usize / 50).max(1)) {
                    assert!(heights.of(v) >= last);
                    last = heights.of(v);
                }
            }
            assert_eq!(Heights::new(scale, 0).of(0), 0);
        }
        let heights = Heights::new(Scale::Mod(4), 99);
        assert_eq!(
            [4, 5, 6, 7].map(|v| (heights.of(v) * 3 + ONE / 2) / ONE),
            [0, 1, 2, 3]
        );
        assert_eq!(Heights::new(Scale::Mod(1), 99).of(7), 0);
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(steps(100, 5).collect::<Vec<_>>(), [0, 50, 100]);
        assert_eq!(steps(100, 6).collect::<Vec<_>>(), [0, 20, 40, 60, 80, 100]);
        assert_eq!(steps(3, 8).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(steps(0, 8).collect::<Vec<_>>(), [0]);
        for max in [1, 9, 10, 77, 1234, 999_999_999, u64::MAX] {
            let n = steps(max, 8).count();
            assert!((2..=9).contains(&n), "{max}: {n}");
        }
        let heights = Heights::new(Scale::Log, 3000);
        let ticks = heights.ticks(3000, 8);
        assert_eq!(ticks[0], 0);
        assert!((4..=9).contains(&ticks.len()), "{ticks:?}");
    }

    #[test]
    fn digits_stand_in_threes() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "1,234,567"]
        );
    }
}
