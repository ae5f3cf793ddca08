//! Tables: the values and outcomes of all positions of one counter or two, row by row.
//!
//! Positions are taken in order, the first counter slowest, so that where moves make counters smaller every option has been
//! met before and is read from a plain array. An option that has not been met, or lies outside the table, is left to the
//! search. Cost: the options of all positions in the table, 8 bytes a position.

use std::ops::ControlFlow;

use grundy_core::{Int, Outcome};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Resume;
use grundy_lang::ir::Shape;
use grundy_lang::value::{Pos, Position};

use crate::Result;
use crate::engine::{Engine, Moves};

/// One position of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The counters, as the table runs through them.
    pub at: Vec<u64>,
    /// The Grundy value, where values decide who wins.
    pub value: Option<u64>,
    /// Who wins.
    pub outcome: Outcome,
}

/// A whole table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The greatest value of each counter.
    pub to: Vec<u64>,
    /// The cells, the last counter fastest.
    pub cells: Vec<Cell>,
}

impl Table {
    /// Makes a whole table.
    pub fn new<M: Moves>(engine: &mut Engine<M>, to: &[u64]) -> Result<Self> {
        let mut cells = Vec::new();
        let _ = table(engine, to, &mut |cell| {
            cells.push(cell);
            ControlFlow::Continue(())
        })?;
        Ok(Table {
            to: to.to_vec(),
            cells,
        })
    }

    /// The cell of some counters.
    pub fn get(&self, at: &[u64]) -> Option<&Cell> {
        self.cells.get(index(at, &self.to)?)
    }
}

fn index(at: &[u64], to: &[u64]) -> Option<usize> {
    let mut i = 0;
    for (&a, &n) in at.iter().zip(to) {
        if a > n {
            return None;
        }
        i = i * (n + 1) as usize + a as usize;
    }
    (at.len() == to.len()).then_some(i)
}

/// What the array holds: nothing yet, or a value and 1 (where values are not defined: the value 0 for P, 1 for N).
const NOTHING: u64 = 0;

/// Visits the cells of the table of all positions whose counters are at most `to`, in order, each as soon as it is known.
///
/// The shape must be one counter, or two of a tuple, ordered or not; with an unordered pair both orders are cells.
pub fn table<M: Moves>(
    engine: &mut Engine<M>,
    to: &[u64],
    visit: &mut dyn FnMut(Cell) -> ControlFlow<()>,
) -> Result<ControlFlow<()>> {
    let counters = match engine.shape() {
        Shape::Int => 1,
        Shape::Tuple(members) if members[..] == [Shape::Int, Shape::Int] => 2,
        Shape::Unordered(2, member) if **member == Shape::Int => 2,
        shape => {
            let message = "a table needs positions of one counter or two";
            let note = format!("a position of this game is {}", describe(shape));
            return Err(engine.error(Code::Unsupported, message).note(note).into());
        }
    };
    let unordered = matches!(engine.shape(), Shape::Unordered(..));
    if to.len() != counters {
        let message = format!(
            "a table of this game has {counters} sides, not {}",
            to.len()
        );
        return Err(engine.error(Code::ValueCount, message).into());
    }
    let size = to
        .iter()
        .try_fold(8u64, |size, &n| size.checked_mul(n.checked_add(1)?));
    let Some(size) = size.filter(|&s| s <= engine.memory()) else {
        let error = engine.error(
            Code::Memory,
            "a table of this size is past the memory bound",
        );
        return Err(error
            .help("ask for a smaller table, or give more memory with `--memory`")
            .into());
    };
    let mut known = vec![NOTHING; (size / 8) as usize];
    let by_value = engine.values_valid(1).is_ok();
    let mut at = vec![0; counters];
    let mut pos = Pos::default();
    for i in 0..known.len() {
        if unordered && at[0] > at[1] {
            known[i] = known[index(&[at[1], at[0]], to).unwrap_or(i)];
        }
        if known[i] == NOTHING {
            pos.0.clear();
            pos.0.extend(at.iter().map(|&a| Int::from(a)));
            if unordered {
                pos.0.sort_unstable();
            }
            known[i] = 1 + engine.cell(&pos, by_value, to, &known)?;
        }
        let value = known[i] - 1;
        let flow = visit(Cell {
            at: at.clone(),
            value: by_value.then_some(value),
            outcome: Outcome::from_next_wins(value != 0),
        });
        if flow.is_break() {
            return Ok(flow);
        }
        for (a, &n) in at.iter_mut().zip(to).rev() {
            *a += 1;
            if *a <= n {
                break;
            }
            *a = 0;
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn describe(shape: &Shape) -> &'static str {
    match shape {
        Shape::Int => "a counter",
        Shape::Tuple(_) | Shape::Unordered(..) => "a tuple of another size or of other things",
        Shape::Array(_) => "an array",
        Shape::Str => "a string",
        Shape::Multiset(_) => "a multiset",
        Shape::Set(_) => "a set",
    }
}

impl<M: Moves> Engine<M> {
    fn error(&self, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, &self.facts.source, message)
    }

    fn memory(&self) -> u64 {
        self.meter.budget.memory()
    }

    /// The value of a part, or where values are not defined 1 for N and 0 for P, from the cells known if they suffice.
    fn cell(&mut self, pos: &Pos, by_value: bool, to: &[u64], known: &[u64]) -> Result<u64> {
        if self.facts.has_ends()
            && let Some(won) = self.moves.end(pos)?
        {
            return Ok(u64::from(!won && !by_value));
        }
        if let Some(value) = self.cell_from(pos, by_value, to, known)? {
            return Ok(value);
        }
        if by_value {
            return self.part_value(pos);
        }
        let outcome = self.outcome_by_search(&Position::one(pos.clone()))?;
        Ok(u64::from(outcome.next_wins()))
    }

    fn cell_from(
        &mut self,
        pos: &Pos,
        by_value: bool,
        to: &[u64],
        known: &[u64],
    ) -> Result<Option<u64>> {
        let look = |part: &Pos| {
            let mut i = 0;
            for (word, &n) in part.0.iter().zip(to) {
                let a = word.to_u64().filter(|&a| a <= n)?;
                i = i * (n + 1) as usize + a as usize;
            }
            (known[i] != NOTHING).then(|| known[i] - 1)
        };
        let mut any = false;
        let mut wins = false;
        let mut missing = false;
        let mut stop = None;
        let (seen, meter) = (&mut self.seen, &mut self.meter);
        seen.clear();
        let _ = self
            .moves
            .options_from(pos, &Resume::default(), &mut |opt| {
                any = true;
                if let Err(error) = meter.option() {
                    stop = Some(error);
                    return ControlFlow::Break(());
                }
                let value = match opt.parts {
                    [part] => look(part),
                    parts if by_value => parts.iter().try_fold(0, |sum, p| Some(sum ^ look(p)?)),
                    _ => None,
                };
                match value {
                    None => missing = true,
                    Some(value) if by_value => seen.insert(value),
                    Some(value) => wins = value == 0,
                }
                if wins || missing {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })?;
        if let Some(error) = stop {
            return Err(error);
        }
        Ok(if missing {
            None
        } else if by_value {
            Some(seen.mex())
        } else {
            Some(u64::from(wins || !any && self.facts.misere))
        })
    }
}
