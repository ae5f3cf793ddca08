//! Sums of independent parts: *nim-sum*, theorem 1 of the registry's idea, which every sum in normal play is answered
//! by.
//!
//! The Grundy value of a sum is the nim-sum (bitwise exclusive or) of the values of its parts (Sprague 1935, Grundy
//! 1939). It holds where play is normal, moves in one part never touch another, and play ends only when no part has a
//! move. So it is used in normal play, without `lose if`, and without a `win if` that a sum would feel; the solver of a
//! part says so by giving no value (`None`), and then [`Sum`] refuses. In misère play values do not add; the one class
//! that is answered is a sum of Nim heaps (Bouton, see [`crate::nim::misere_nim`]).
//!
//! A part of value g wins the sum of value X by each option of value g ^ X, options of larger value included. Cost: one
//! value and one question for options a part.

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::diag::Diagnostic;
use grundy_lang::ir::Play;
use grundy_lang::value::{Pos, Position};

use crate::nim::{misere_nim, misere_nim_moves};
use crate::{Options, Solver, Target, WhyNot};

/// Why there is no answer for a sum.
#[derive(Debug)]
pub enum NoSum {
    /// The theorem does not hold for these parts; search must answer.
    NotApplicable(WhyNot),
    /// The rules, the budget or the user are in the way.
    Failed(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for NoSum {
    fn from(d: Box<Diagnostic>) -> Self {
        NoSum::Failed(d)
    }
}

/// A sum whose parts have each been solved for what the sum needs of them.
pub struct Sum<'a> {
    position: &'a Position,
    solvers: Vec<&'a dyn Solver>,
    /// Grundy values, or sizes of Nim heaps in misère play.
    values: Vec<Int>,
    play: Play,
}

/// A move in a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumMove {
    /// The part moved in.
    pub part: usize,
    /// What is left of it.
    pub left: Vec<Pos>,
}

/// Winning moves of a sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SumMoves {
    /// The first of them, by part.
    pub list: Vec<SumMove>,
    /// How many there are in all. Equal parts count each.
    pub total: Int,
}

impl<'a> Sum<'a> {
    /// Solves the parts; `solvers` has one for each, the same one for all if they share their rules.
    pub fn new(
        position: &'a Position,
        solvers: Vec<&'a dyn Solver>,
        play: Play,
        budget: &Budget,
    ) -> Result<Self, NoSum> {
        assert_eq!(position.parts.len(), solvers.len(), "one solver a part");
        let no = |why: &str| NoSum::NotApplicable(WhyNot::new(why));
        let mut values = Vec::with_capacity(solvers.len());
        for (part, solver) in position.parts.iter().zip(&solvers) {
            let value = match play {
                Play::Misere => solver.nim_heap(part).ok_or_else(|| {
                    no("in misère play values do not add, unless every part is a Nim heap")
                })?,
                Play::Normal => {
                    if let Some(why) = solver.refuses(part, budget)? {
                        return Err(NoSum::NotApplicable(why));
                    }
                    solver
                        .value(part, budget)?
                        .ok_or_else(|| no("a part has an outcome only, and outcomes do not add"))?
                }
            };
            values.push(value);
        }
        Ok(Sum {
            position,
            solvers,
            values,
            play,
        })
    }

    /// The values of the parts, in their order; in misère play the sizes of the heaps.
    pub fn values(&self) -> &[Int] {
        &self.values
    }

    fn nim_sum(&self) -> Int {
        self.values.iter().fold(Int::ZERO, |x, v| x.bitxor(v))
    }

    /// The Grundy value; none in misère play.
    pub fn value(&self) -> Option<Int> {
        (self.play == Play::Normal).then(|| self.nim_sum())
    }

    /// Who wins.
    pub fn outcome(&self) -> Outcome {
        match self.play {
            Play::Normal => Outcome::from_next_wins(!self.nim_sum().is_zero()),
            Play::Misere => misere_nim(&self.values),
        }
    }

    /// What each part must be left at to win, if a move in it can win at all.
    pub(crate) fn wanted(&self) -> Vec<Option<Int>> {
        match self.play {
            Play::Misere => misere_nim_moves(&self.values),
            Play::Normal if self.nim_sum().is_zero() => vec![None; self.values.len()],
            Play::Normal => self.wanted_for(&Int::ZERO),
        }
    }

    /// What each part must be left at for the sum to have that value, in normal play.
    pub(crate) fn wanted_for(&self, value: &Int) -> Vec<Option<Int>> {
        let change = self.nim_sum().bitxor(value);
        let values = self.values.iter();
        values.map(|v| Some(v.bitxor(&change))).collect()
    }

    /// The first `limit` winning moves and how many there are.
    pub fn winning_moves(&self, limit: usize, budget: &Budget) -> crate::Result<SumMoves> {
        self.moves(self.wanted(), limit, budget)
    }

    /// The first `limit` moves that leave one part at what is wanted of it, and how many there are.
    pub(crate) fn moves(
        &self,
        wanted: Vec<Option<Int>>,
        limit: usize,
        budget: &Budget,
    ) -> crate::Result<SumMoves> {
        let mut out = SumMoves::default();
        for (i, wanted) in wanted.into_iter().enumerate() {
            let Some(wanted) = wanted else { continue };
            let room = limit - out.list.len();
            let Options { list, total } = self.solvers[i].options(
                &self.position.parts[i],
                &Target::Value(wanted),
                room,
                budget,
            )?;
            out.total = &out.total + &total;
            out.list.extend(
                list.into_iter()
                    .take(room)
                    .map(|left| SumMove { part: i, left }),
            );
        }
        Ok(out)
    }
}
