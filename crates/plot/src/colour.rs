//! Colours that people with any kind of colour vision can tell apart.
//!
//! Values: `viridis` by Stéfan van der Walt and Nathaniel Smith (CC0), every eighth colour. It rises evenly in lightness, so
//! that it can be read in grey as well. Marks: colours of Okabe and Ito, *Color Universal Design* (2008), each with a shape of
//! its own.

/// A colour, 0xrrggbb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u32);

impl Rgb {
    /// Red, green, blue.
    pub fn parts(self) -> [u8; 3] {
        [(self.0 >> 16) as u8, (self.0 >> 8) as u8, self.0 as u8]
    }

    /// How light it looks, from 0 to 255.
    pub fn lightness(self) -> u32 {
        let [r, g, b] = self.parts().map(u32::from);
        (299 * r + 587 * g + 114 * b) / 1000
    }
}

const VIRIDIS: [u32; 33] = [
    0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453681, 0x424086, 0x3f4989, 0x3b528b,
    0x375a8d, 0x33638d, 0x2f6a8e, 0x2c728e, 0x297a8e, 0x26818e, 0x23898e, 0x21908c, 0x1f988b,
    0x1f9f88, 0x21a685, 0x28ae80, 0x31b57b, 0x3ebc74, 0x4cc26c, 0x5dc963, 0x6ece58, 0x82d34c,
    0x96d83f, 0xabdc32, 0xc0df24, 0xd5e21a, 0xeae51a, 0xfde725,
];
/// The part of it that is used: its lightest yellow is left out, so that white marks stand out everywhere.
const USED: (u64, u64) = (92, 100);

/// The colour of a place on a scale from 0 to `one`.
pub fn ramp(at: u64, one: u64) -> Rgb {
    let steps = VIRIDIS.len() as u64 - 1;
    // In 256ths of a step.
    let place = (at.min(one) * steps * USED.0 * 256 / USED.1) / one.max(1);
    let (low, part) = ((place / 256) as usize, place % 256);
    let high = (low + 1).min(steps as usize);
    let mix = |shift: u32| {
        let part_of = |c: u32| u64::from(c >> shift & 255);
        (part_of(VIRIDIS[low]) * (256 - part) + part_of(VIRIDIS[high]) * part) / 256
    };
    Rgb((mix(16) << 16 | mix(8) << 8 | mix(0)) as u32)
}

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white.
    Light,
    /// Light on near black.
    Dark,
}

/// The colours of a theme.
#[derive(Clone, Copy, Debug)]
pub struct Colours {
    /// Behind all.
    pub paper: Rgb,
    /// Texts.
    pub ink: Rgb,
    /// Texts that matter less.
    pub faint: Rgb,
    /// The lines of axes.
    pub axis: Rgb,
    /// Lines behind the data.
    pub grid: Rgb,
    /// Points.
    pub point: Rgb,
    /// P-positions among points and outcomes.
    pub lost: Rgb,
    /// Exceptions.
    pub exception: Rgb,
    /// What is before the period.
    pub before: Rgb,
    /// The first period.
    pub period: Rgb,
    /// N-positions among outcomes.
    pub won: Rgb,
    /// P-positions among values that have colours.
    pub zero: Rgb,
    /// Cells that are no positions.
    pub missing: Rgb,
}

impl Theme {
    /// Its colours.
    pub fn colours(self) -> Colours {
        match self {
            Theme::Light => Colours {
                paper: Rgb(0xffffff),
                ink: Rgb(0x1b1f24),
                faint: Rgb(0x57606a),
                axis: Rgb(0x8c959f),
                grid: Rgb(0xe4e8ec),
                point: Rgb(0x0072b2),
                lost: Rgb(0xd55e00),
                exception: Rgb(0x1b1f24),
                before: Rgb(0xf3f4f6),
                period: Rgb(0xdcebf7),
                won: Rgb(0xdbe4ec),
                zero: Rgb(0xffffff),
                missing: Rgb(0xb8bec6),
            },
            Theme::Dark => Colours {
                paper: Rgb(0x14171c),
                ink: Rgb(0xe8eaed),
                faint: Rgb(0xa3abb5),
                axis: Rgb(0x6b7480),
                grid: Rgb(0x2a3038),
                point: Rgb(0x56b4e9),
                lost: Rgb(0xe69f00),
                exception: Rgb(0xffffff),
                before: Rgb(0x1e232a),
                period: Rgb(0x1d3447),
                won: Rgb(0x2c3846),
                zero: Rgb(0xffffff),
                missing: Rgb(0x5c646e),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_gets_lighter_and_marks_stand_out() {
        let mut last = 0;
        for at in 0..=250 {
            let light = ramp(at, 250).lightness();
            assert!(light + 1 >= last, "{at}");
            last = light;
        }
        assert!(last < 200 && ramp(0, 1).lightness() < 40);
        assert_eq!(ramp(0, 0), Rgb(VIRIDIS[0]));
        for theme in [Theme::Light, Theme::Dark] {
            let c = theme.colours();
            let apart = |a: Rgb, b: Rgb| a.lightness().abs_diff(b.lightness());
            assert!(apart(c.ink, c.paper) > 180);
            assert!(apart(c.faint, c.paper) > 120);
            assert!(apart(c.lost, c.won) > 70);
        }
    }
}
