//! Theorems that recognise the rules of a part and then solve it. One file a theorem; [`ALL`] is the registry, in the order
//! in which they are asked. No game is known by its name, and nothing here searches.

mod cases;
pub mod dynamic;
pub mod independent;
pub mod interval;
pub mod look_back;
pub mod nim;
mod scan;
pub mod staircase;
pub mod strip;
pub mod sum;
pub mod take_and_break;
pub mod take_any;
mod terms;
pub mod window;
pub mod wythoff;

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::diag::Diagnostic;
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Game, Pattern};
use grundy_lang::value::Pos;

/// An answer or the reason why there is none.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// A theorem about a class of rules.
pub trait Theorem: Sync {
    /// A short name for `--engine` and for the tests, `take-and-break`.
    fn name(&self) -> &'static str;
    /// What a reader calls it, `Guy–Smith periodicity of take-and-break games`.
    fn title(&self) -> &'static str;
    /// Where it is from: paper or book, or that the proof is in the file.
    fn source(&self) -> &'static str;
    /// Whether its hypotheses hold for one part played under these rules, parameters bound. Cheap: milliseconds at most.
    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot>;
}

/// What the rules call the heap of a game of one heap.
pub(crate) fn heap_name(game: &Game) -> &str {
    match game.moves.first().map(|m| &m.pattern) {
        Some(Pattern::Bind(slot)) => &game.slots[*slot].name,
        _ => "n",
    }
}

/// Why a theorem does not apply: one sentence for `explain`, naming what in the rules is in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyNot(pub String);

impl WhyNot {
    /// From a sentence.
    pub fn new(text: impl Into<String>) -> Self {
        WhyNot(text.into())
    }
}

/// What an option must be to be wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Its Grundy value (of all the parts it leaves together).
    Value(Int),
    /// Its outcome.
    P,
}

/// Options of one part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The first of them, each the parts that the move leaves, no two equal.
    pub list: Vec<Vec<Pos>>,
    /// How many there are in all.
    pub total: Int,
}

/// Rules that a theorem has taken on. It keeps what it has computed; every call may be made from any thread.
pub trait Solver: Send + Sync {
    /// What was recognised in these rules, in words: the theorem's parameters (`k = 1..3`, the colour classes, f(c) = c²).
    fn finding(&self) -> String;

    /// Why the theorem does not hold for this part, where that depends on the part (its length, pieces out of order): then
    /// search must answer, and so must it for every part of the same sum. Ask before the other questions about a part;
    /// they fail where this is not `None`. Cheap once it has been asked for a part of this length.
    fn refuses(&self, part: &Pos, budget: &Budget) -> Result<Option<WhyNot>> {
        let _ = (part, budget);
        Ok(None)
    }

    /// Whether a search of a moment may find the value of a part whose value the theorem does not give.
    fn may_search(&self, part: &Pos) -> bool {
        let _ = part;
        true
    }

    /// Who wins the part played alone, under the rules' own play convention and end conditions.
    fn outcome(&self, part: &Pos, budget: &Budget) -> Result<Outcome>;

    /// The Grundy value of the part, or `None` if the theorem gives outcomes only or values are not defined for these
    /// rules (misère play, `lose if`, a `win if` that a sum would feel).
    fn value(&self, part: &Pos, budget: &Budget) -> Result<Option<Int>>;

    /// All options of the part that meet the target: the first `limit` and the exact number. Options that leave the same
    /// parts are one option. Never slower than it must: a part may have 10^18 options.
    fn options(
        &self,
        part: &Pos,
        target: &Target,
        limit: usize,
        budget: &Budget,
    ) -> Result<Options>;

    /// The size of the Nim heap that the part is, if its options are exactly the smaller heaps, each as one part. Only such
    /// parts add in misère play; their solvers answer [`Target::Value`] by size then.
    fn nim_heap(&self, part: &Pos) -> Option<Int> {
        let _ = part;
        None
    }

    /// The argument for this part, a few sentences that a student can follow, with the numbers put in.
    fn explain(&self, part: &Pos, budget: &Budget) -> Result<Vec<String>>;
}

/// Every theorem, in the order in which they are asked.
pub static ALL: &[&dyn Theorem] = &[
    &nim::NimHeap,
    &wythoff::Wythoff,
    &staircase::Staircase,
    &strip::Strip,
    &dynamic::DynamicLimit,
    &independent::Independent,
    &interval::Interval,
    &look_back::LookBack,
    &window::WindowMoves,
    &take_and_break::TakeAndBreak,
    &take_any::TakeAny,
];
