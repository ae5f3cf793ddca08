//! What a proof about a row of a game of two counters consists of: its moves, and for each row up to it when the state from
//! which it is computed comes again.

/// The numbers of a proof about a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Which counter is fixed, 0 or 1. The rows are those of its values 0, 1, …, and the last one is what is claimed of.
    pub fixed: u64,
    /// What the moves take from the two counters.
    pub rays: Vec<Ray>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// Pairs of numbers that a move takes: `from`, `from + step`, `from + 2·step`, ….
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ray {
    /// The first.
    pub from: [u64; 2],
    /// From one to the next.
    pub step: [u64; 2],
    /// How many there are, if they end.
    pub count: Option<u64>,
}

/// What is claimed of a row, and where it is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The least p for which G(n + p) = G(n) + saltus from some n on.
    pub period: u64,
    /// The least n from which on that holds.
    pub preperiod: u64,
    /// How much the values grow in a period.
    pub saltus: u64,
    /// The state at this column …
    pub state_at: u64,
    /// … comes again so many columns later.
    pub state_period: u64,
}
