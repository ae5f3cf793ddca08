//! The interpreter: the meaning of a game. Everything faster is tested against it.
//!
//! A move is tried for every match of its pattern and every value of its quantifiers that its guards allow. A result with a
//! count below zero is no position, so it is no move. Cost: a walk over the expression trees, no allocation while the
//! numbers fit in a word and the position is a few counters.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::diag::Diagnostic;
use crate::ir::Game;
use crate::value::{Pos, Value};

/// A game with its parameters bound.
#[derive(Clone, Debug)]
pub struct Rules {
    game: Arc<Game>,
    params: Vec<Value>,
}

/// An option as it is visited.
#[derive(Clone, Copy, Debug)]
pub struct Opt<'a> {
    /// The parts left.
    pub parts: &'a [Pos],
    /// The move rule, an index into [`Game::moves`].
    pub rule: usize,
    /// All slots: parameters, the pattern's names, the quantifiers.
    pub env: &'a [Value],
}

/// Where an enumeration was broken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The move rule.
    pub rule: usize,
    /// How many options came before in this rule's enumeration, for rules that cannot be entered in the middle.
    pub skip: u64,
}

/// An evaluator of one set of rules, with its own scratch memory.
pub struct Machine<'r> {
    rules: &'r Rules,
}

impl Rules {
    /// Binds parameters: one value for each of [`Game::vars`]; part variables are not read.
    pub fn new(game: Arc<Game>, params: Vec<Value>) -> Self {
        assert_eq!(game.vars.len(), params.len(), "one value a parameter");
        Rules { game, params }
    }

    /// The game.
    pub fn game(&self) -> &Arc<Game> {
        &self.game
    }

    /// The values of the parameters, in the order of [`Game::vars`].
    pub fn params(&self) -> &[Value] {
        &self.params
    }

    /// A new evaluator.
    pub fn machine(&self) -> Machine<'_> {
        unimplemented!("written by the interpreter's author")
    }
}

impl Machine<'_> {
    /// Whether play ends here by `win if` or `lose if`: `Some(true)` if the player who moved here has won.
    /// Ask this first: a part that has ended has no options.
    pub fn end(&mut self, _pos: &Pos) -> Result<Option<bool>, Box<Diagnostic>> {
        unimplemented!()
    }

    /// Visits every option, the same one perhaps more than once, until `visit` breaks.
    pub fn options(
        &mut self,
        _pos: &Pos,
        _visit: &mut dyn FnMut(Opt<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Box<Diagnostic>> {
        unimplemented!()
    }
}
