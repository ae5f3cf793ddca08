//! A picture as shapes: what the writers of SVG and PNG have in common.

use crate::colour::Rgb;

/// A picture laid out. Lengths are in points; a PNG has [`DENSITY`] pixels for each.
#[derive(Clone, Debug)]
pub struct Scene {
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    /// The colour behind all.
    pub paper: Rgb,
    /// The title, and what is in the picture, for those who cannot see it.
    pub about: [String; 2],
    /// The shapes, later ones over earlier ones.
    pub shapes: Vec<Shape>,
}

/// Pixels of a PNG for each point.
pub const DENSITY: usize = 2;

/// A shape.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A rectangle from its upper left corner.
    Rect {
        /// Left edge, upper edge, width, height.
        at: [f64; 4],
        /// Its colour.
        fill: Rgb,
    },
    /// Disks, diamonds or rings of one kind.
    Marks {
        /// What they look like.
        mark: Mark,
        /// From the middle to the edge.
        radius: f64,
        /// Their colour.
        fill: Rgb,
        /// Their middles.
        at: Vec<[f64; 2]>,
    },
    /// A line of text.
    Text {
        /// Where it starts, ends or has its middle, on the line that the letters stand on.
        at: [f64; 2],
        /// The size of the letters.
        size: f64,
        /// Whether it is bold.
        bold: bool,
        /// Which part of it is at the place given.
        anchor: Anchor,
        /// Its colour.
        fill: Rgb,
        /// What it says.
        text: String,
    },
    /// A matrix of cells.
    Cells {
        /// Left edge, upper edge, width, height.
        at: [f64; 4],
        /// How many columns it has.
        columns: usize,
        /// The colours, row by row from the top, as places in `palette`.
        pixels: Vec<u8>,
        /// The colours; where there is none one sees what is behind.
        palette: Vec<Option<Rgb>>,
    },
}

/// The look of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A disk.
    Disk,
    /// A diamond.
    Diamond,
    /// A ring.
    Ring,
}

/// Which part of a text is at the place that is given for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}
