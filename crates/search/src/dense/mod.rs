//! Dense tables: the values or outcomes of all positions whose counters lie within bounds, one cell each.
//!
//! Cells are computed in an order in which options mostly come first (see [`Order`]); where one has not been computed yet it
//! is computed before, without recursion, so that the order decides the cost and never the answer. What an evaluator cannot
//! decide from the cells alone (an option outside the table, a number past a machine word, an error) is asked of the search.
//! Cells are bytes until a value needs two, and so on. Cost: one evaluation a cell and one more for each option that came
//! late; 1, 2 or 4 bytes a cell.

mod interpret;
mod layout;
mod order;
pub mod rays;

use std::ops::ControlFlow;

use grundy_lang::diag::{Code, Diagnostic, Source};
use rustc_hash::FxHashSet;

pub use interpret::Interpret;
pub use layout::{COUNTERS, Layout, Offset, Word};
pub use order::Order;

use crate::Result;

/// What is computed of each position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Grundy values.
    Values,
    /// 1 for N, 0 for P.
    Outcomes,
}

/// Cells of a table; the greatest number of their kind stands for what is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Of one byte.
    U8(Vec<u8>),
    /// Of two.
    U16(Vec<u16>),
    /// Of four.
    U32(Vec<u32>),
}

impl Cells {
    /// So many cells, none of them known.
    pub fn unknown(cells: u64) -> Cells {
        Cells::U8(vec![u8::MAX; cells as usize])
    }

    /// The value of a cell, if it is known.
    #[inline]
    pub fn get(&self, place: u64) -> Option<u64> {
        let place = place as usize;
        match self {
            Cells::U8(cells) => Some(cells[place]).filter(|v| *v != u8::MAX).map(u64::from),
            Cells::U16(cells) => Some(cells[place]).filter(|v| *v != u16::MAX).map(u64::from),
            Cells::U32(cells) => Some(cells[place]).filter(|v| *v != u32::MAX).map(u64::from),
        }
    }

    /// Bytes of a cell.
    pub fn width(&self) -> u64 {
        match self {
            Cells::U8(_) => 1,
            Cells::U16(_) => 2,
            Cells::U32(_) => 4,
        }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        match self {
            Cells::U8(cells) => cells.len(),
            Cells::U16(cells) => cells.len(),
            Cells::U32(cells) => cells.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts a value into a cell; `false`, and nothing is done, if cells are too narrow for it.
    #[inline]
    pub fn put(&mut self, place: u64, value: u64) -> bool {
        let place = place as usize;
        match self {
            Cells::U8(cells) if value < u8::MAX.into() => cells[place] = value as u8,
            Cells::U16(cells) if value < u16::MAX.into() => cells[place] = value as u16,
            Cells::U32(cells) if value < u32::MAX.into() => cells[place] = value as u32,
            _ => return false,
        }
        true
    }

    /// The same cells, twice as wide; `None` if there are no wider ones.
    pub fn wider(&self) -> Option<Cells> {
        match self {
            Cells::U8(cells) => Some(Cells::U16(
                cells
                    .iter()
                    .map(|&v| if v == u8::MAX { u16::MAX } else { v.into() })
                    .collect(),
            )),
            Cells::U16(cells) => Some(Cells::U32(
                cells
                    .iter()
                    .map(|&v| if v == u16::MAX { u32::MAX } else { v.into() })
                    .collect(),
            )),
            Cells::U32(_) => None,
        }
    }
}

/// What an evaluator makes of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its value; where outcomes are wanted, 1 for N and 0 for P.
    Value(u64),
    /// This option, in canonical form, has not been computed yet. The counters behind those of the table are 0.
    Missing([u64; COUNTERS]),
    /// It is for the search to say.
    Unable,
}

/// Computes one cell from others.
pub trait Evaluate {
    /// The value of the position with these counters, in canonical form, from the cells that are known.
    fn evaluate(&mut self, at: &[u64], cells: &Cells) -> Verdict;
    /// Whether the position evaluated last, if that gave its Grundy value, has an option of this value.
    fn seen(&self, value: u64) -> bool;
}

/// Who is asked for a cell that cannot be computed from others: the position and the cells.
pub type Ask<'a> = dyn FnMut(&[u64], &Cells) -> Result<u64> + 'a;

/// Told after each run of cells of the fastest counter how many cells are done; may break off.
pub type Told<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// Computes all cells, or those that are wanted, by place, and what they need; `None` if it was broken off.
pub fn fill(
    layout: &Layout,
    order: &Order,
    wanted: Option<&[bool]>,
    evaluate: &mut dyn Evaluate,
    ask: &mut Ask<'_>,
    told: &mut Told<'_>,
) -> Result<Option<Cells>> {
    let n = layout.words().len();
    let mut table = Filler {
        layout,
        cells: Cells::unknown(layout.cells()),
        evaluate,
        ask,
        line: Vec::new(),
        places: FxHashSet::default(),
    };
    let mut failed = None;
    let mut done = 0;
    let flow = order.visit(layout, &mut |at, ended| {
        done += 1;
        let place = table.place(&at[..n]);
        if wanted.is_none_or(|wanted| wanted[place as usize])
            && let Err(error) = table.cell(place, at)
        {
            failed = Some(error);
            return ControlFlow::Break(());
        }
        if ended {
            told(done)
        } else {
            ControlFlow::Continue(())
        }
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(flow.is_continue().then_some(table.cells)),
    }
}

/// A table on its way.
struct Filler<'a, 'f> {
    layout: &'a Layout,
    cells: Cells,
    evaluate: &'a mut dyn Evaluate,
    ask: &'a mut Ask<'f>,
    /// Positions that wait for an option to be computed, the last one for none.
    line: Vec<[u64; COUNTERS]>,
    /// Their places.
    places: FxHashSet<u64>,
}

impl Filler<'_, '_> {
    fn place(&self, at: &[u64]) -> u64 {
        self.layout
            .index(at)
            .expect("it is a position of the table")
    }

    /// Computes a cell, and before it those that it needs.
    #[inline]
    fn cell(&mut self, place: u64, at: &[u64; COUNTERS]) -> Result<()> {
        if self.cells.get(place).is_some() {
            return Ok(());
        }
        let n = self.layout.words().len();
        match self.evaluate.evaluate(&at[..n], &self.cells) {
            Verdict::Value(value) => self.put(place, value),
            _ => self.late(place, at),
        }
    }

    #[cold]
    fn late(&mut self, place: u64, at: &[u64; COUNTERS]) -> Result<()> {
        let n = self.layout.words().len();
        self.line.clear();
        self.places.clear();
        self.line.push(*at);
        self.places.insert(place);
        while let Some(&top) = self.line.last() {
            let at = &top[..n];
            let value = match self.evaluate.evaluate(at, &self.cells) {
                Verdict::Value(value) => value,
                Verdict::Missing(option) if self.waits(self.layout.index(&option[..n])) => {
                    self.line.push(option);
                    continue;
                }
                // Also what waits for itself: such play can go on for ever, and the search tells how.
                _ => (self.ask)(at, &self.cells)?,
            };
            let place = self.place(at);
            self.put(place, value)?;
            self.places.remove(&place);
            self.line.pop();
        }
        Ok(())
    }

    /// Whether the cell at a place can wait for what it needs: not if it waits already.
    fn waits(&mut self, place: Option<u64>) -> bool {
        place.is_some_and(|place| self.places.insert(place))
    }

    /// Puts a value into a cell, and makes cells wider for it if need be.
    fn put(&mut self, place: u64, value: u64) -> Result<()> {
        while !self.cells.put(place, value) {
            self.cells = self.cells.wider().ok_or_else(|| too_large(value))?;
        }
        Ok(())
    }
}

fn too_large(value: u64) -> Box<Diagnostic> {
    let message = format!("the value {value} does not fit into 32 bits");
    Box::new(Diagnostic::error(
        Code::TooLarge,
        &Source::new("", ""),
        message,
    ))
}
