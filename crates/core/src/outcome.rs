//! Who wins a position, and how that is known.

use std::fmt;

/// The outcome class of a position of an impartial game under perfect play.
///
/// ```
/// use grundy_core::Outcome;
/// assert_eq!(Outcome::from_next_wins(true), Outcome::N);
/// assert_eq!(Outcome::N.to_string(), "N");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The next player (the one to move) wins.
    N,
    /// The previous player (the one who has just moved) wins.
    P,
}

impl Outcome {
    /// `N` if the player to move wins, else `P`.
    pub fn from_next_wins(wins: bool) -> Self {
        if wins { Outcome::N } else { Outcome::P }
    }

    /// Whether the player to move wins.
    pub fn next_wins(self) -> bool {
        self == Outcome::N
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.next_wins() { "N" } else { "P" })
    }
}

/// How an answer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Claim {
    /// It fits the values seen so far, and is no more than that.
    Conjectured,
    /// By exhaustive search or a table, on this input.
    Computed,
    /// By a theorem whose hypotheses were checked on these rules.
    Proved,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Claim::Conjectured => "conjectured",
            Claim::Computed => "computed",
            Claim::Proved => "proved",
        })
    }
}
