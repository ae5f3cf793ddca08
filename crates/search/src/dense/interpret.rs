//! The interpreter as an evaluator of cells: the meaning of a table, and what machine code is tested against.

use std::ops::ControlFlow;

use grundy_core::{Int, MexSet};
use grundy_lang::interp::Machine;
use grundy_lang::ir::{Game, Play};
use grundy_lang::value::{Pos, Words};

use super::layout::{COUNTERS, Layout};
use super::{Cells, Evaluate, Mode, Verdict};

/// An interpreter that looks options up in a table.
pub struct Interpret<'r> {
    machine: Machine<'r>,
    layout: Layout,
    mode: Mode,
    pos: Pos,
    seen: MexSet,
}

impl<'r> Interpret<'r> {
    /// Over a machine.
    pub fn new(machine: Machine<'r>, layout: &Layout, mode: Mode) -> Self {
        Interpret {
            machine,
            layout: layout.clone(),
            mode,
            pos: Pos::default(),
            seen: MexSet::default(),
        }
    }

    /// The counters as the words of a part.
    fn part(&mut self, at: &[u64]) {
        self.pos.0 = at.iter().map(|&w| Int::from(w)).collect::<Words>();
    }

    /// What the value of a position is where play has ended, if it has.
    fn end(&mut self, game: &Game) -> Result<Option<u64>, ()> {
        if game.ends.is_empty() {
            return Ok(None);
        }
        let won = self.machine.end(&self.pos).map_err(|_| ())?;
        match (won, self.mode) {
            (None, _) => Ok(None),
            (Some(true), _) => Ok(Some(0)),
            (Some(false), Mode::Outcomes) => Ok(Some(1)),
            (Some(false), Mode::Values) => Err(()),
        }
    }
}

impl Evaluate for Interpret<'_> {
    fn evaluate(&mut self, at: &[u64], cells: &Cells) -> Verdict {
        let game = self.machine.game();
        self.part(at);
        match self.end(game) {
            Ok(None) => {}
            Ok(Some(value)) => return Verdict::Value(value),
            Err(()) => return Verdict::Unable,
        }
        let Interpret {
            machine,
            layout,
            mode,
            pos,
            seen,
        } = self;
        seen.clear();
        let mut any = false;
        let mut end = None;
        let flow = machine.options(pos, &mut |option| {
            any = true;
            let mut sum = 0;
            for part in option.parts {
                let mut words = [0; COUNTERS];
                for (to, word) in words.iter_mut().zip(&part.0) {
                    match word.to_u64() {
                        Some(word) => *to = word,
                        None => {
                            end = Some(Verdict::Unable);
                            return ControlFlow::Break(());
                        }
                    }
                }
                let place = layout.index(&words[..part.0.len()]);
                match place.map(|place| cells.get(place)) {
                    Some(Some(value)) => sum ^= value,
                    Some(None) => end = Some(Verdict::Missing(words)),
                    None => end = Some(Verdict::Unable),
                }
                if end.is_some() {
                    return ControlFlow::Break(());
                }
            }
            match mode {
                Mode::Values => seen.insert(sum),
                Mode::Outcomes if option.parts.len() != 1 => end = Some(Verdict::Unable),
                Mode::Outcomes if sum == 0 => end = Some(Verdict::Value(1)),
                Mode::Outcomes => {}
            }
            match end {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        });
        match (flow, end) {
            (Err(_), _) => Verdict::Unable,
            (Ok(_), Some(end)) => end,
            (Ok(_), None) => Verdict::Value(match mode {
                Mode::Values => seen.mex(),
                Mode::Outcomes => u64::from(!any && game.play == Play::Misere),
            }),
        }
    }
}
