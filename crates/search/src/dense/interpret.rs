//! The interpreter as an evaluator of cells: the meaning of a table, and what machine code is tested against.

use std::ops::ControlFlow;

use grundy_core::MexSet;
use grundy_lang::interp::{Machine, Resume};
use grundy_lang::value::Pos;

use super::layout::{COUNTERS, Layout};
use super::{Cells, Evaluate, Mode, Verdict};
use crate::engine::{Facts, Moves};

/// An interpreter that looks options up in a table.
pub struct Interpret<M> {
    moves: M,
    facts: Facts,
    layout: Layout,
    mode: Mode,
    seen: MexSet,
}

impl<'r> Interpret<Machine<'r>> {
    /// Over a machine.
    pub fn new(machine: Machine<'r>, layout: &Layout, mode: Mode) -> Self {
        Interpret::over(Facts::of(machine.game()), machine, layout, mode)
    }
}

impl<M: Moves> Interpret<M> {
    /// Over a source of options.
    pub(crate) fn over(facts: Facts, moves: M, layout: &Layout, mode: Mode) -> Self {
        Interpret {
            moves,
            facts,
            layout: layout.clone(),
            mode,
            seen: MexSet::default(),
        }
    }

    /// What the value of a position is where play has ended, if it has.
    fn end(&mut self, part: &Pos) -> Result<Option<u64>, ()> {
        if !self.facts.has_ends() {
            return Ok(None);
        }
        match (self.moves.end(part).map_err(|_| ())?, self.mode) {
            (None, _) => Ok(None),
            (Some(true), _) => Ok(Some(0)),
            (Some(false), Mode::Outcomes) => Ok(Some(1)),
            (Some(false), Mode::Values) => Err(()),
        }
    }
}

impl<M: Moves> Evaluate for Interpret<M> {
    fn evaluate(&mut self, at: &[u64], cells: &Cells) -> Verdict {
        let part = Pos::of_counters(at);
        match self.end(&part) {
            Ok(None) => {}
            Ok(Some(value)) => return Verdict::Value(value),
            Err(()) => return Verdict::Unable,
        }
        let Interpret {
            moves,
            facts,
            layout,
            mode,
            seen,
        } = self;
        seen.clear();
        let mut any = false;
        let mut end = None;
        let flow = moves.options_from(&part, &Resume::default(), &mut |option| {
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
                Mode::Outcomes => u64::from(!any && facts.misere),
            }),
        }
    }
    fn seen(&self, value: u64) -> bool {
        self.seen.contains(value)
    }
}
