//! What is to be drawn.

/// The number that stands where there is none.
pub const MISSING: u32 = u32::MAX;

/// A picture.
#[derive(Clone, Debug)]
pub enum Picture {
    /// A number for each n: points.
    Series(Series),
    /// A number for each pair, or an outcome for each n: cells.
    Map(Map),
}

/// What is written around a picture.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// Over it.
    pub title: String,
    /// Below the title: what is drawn.
    pub subtitle: String,
    /// Below the picture: how it is known.
    pub notes: Vec<String>,
}

/// Grundy values of n = 0, 1, …
#[derive(Clone, Debug)]
pub struct Series {
    /// What n is called.
    pub axis: String,
    /// The values, [`MISSING`] where there is none.
    pub values: Vec<u32>,
    /// How the values are scaled.
    pub scale: Scale,
    /// How they repeat, if that is known.
    pub repeat: Option<Repeat>,
}

/// How values repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// From which n on.
    pub from: u64,
    /// After how many.
    pub length: u64,
    /// What it is called.
    pub label: String,
    /// Those before it that differ from what the repeat would have there, in order.
    pub exceptions: Vec<u64>,
}

/// Numbers of pairs, or of single n.
#[derive(Clone, Debug)]
pub struct Map {
    /// What the counters are called: the one that goes to the right, and if there is one that which goes up.
    pub axes: Vec<String>,
    /// How many cells to the right, and upwards (1 if there is only one counter).
    pub size: [usize; 2],
    /// The cells column by column, [`MISSING`] where there is none: values, or of outcomes 0 for P and 1 for N. A value 0 is
    /// a P-position too.
    pub cells: Vec<u32>,
    /// What the numbers are.
    pub kind: Kind,
}

/// What the numbers of a map are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Grundy values.
    Values(Scale),
    /// Outcomes.
    Outcomes,
}

/// How values become heights or colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// As they are.
    Linear,
    /// The logarithm of the value and one.
    Log,
    /// The remainder by this, at least 1.
    Mod(u32),
}
