//! Dense tables: the values or outcomes of all positions whose counters lie within bounds, one cell each.
//!
//! Cells are computed in an order in which options mostly come first (see [`Order`]); where one has not been computed yet it
//! is computed before, without recursion, so that the order decides the cost and never the answer. What an evaluator cannot
//! decide from the cells alone (an option outside the table, a number past a machine word, an error) is asked of the search.
//! Cells are bytes until a value needs two, and so on. Cost: one evaluation a cell and one more for each option that came
//! late; 1, 2 or 4 bytes a cell, of outcomes a bit, and two while the table is filled.

mod bands;
mod cells;
mod interpret;
mod layout;
mod order;
pub mod rays;

use std::ops::ControlFlow;
use std::sync::{PoisonError, RwLock};

use grundy_lang::diag::{Code, Diagnostic, Source};
use rustc_hash::FxHashSet;

use bands::{Grid, Kind, Ticker};
pub use cells::Cells;
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

impl<E: Evaluate + ?Sized> Evaluate for &mut E {
    #[inline]
    fn evaluate(&mut self, at: &[u64], cells: &Cells) -> Verdict {
        (**self).evaluate(at, cells)
    }

    #[inline]
    fn seen(&self, value: u64) -> bool {
        (**self).seen(value)
    }
}

/// Who is asked for a cell that cannot be computed from others: the position and the cells.
pub type Ask<'a> = dyn FnMut(&[u64], &Cells) -> Result<u64> + 'a;

/// Told now and then how many cells are done; may break off.
pub type Told<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// Who computes cells on one thread.
pub struct Worker<'a> {
    /// From other cells.
    pub evaluate: Box<dyn Evaluate + 'a>,
    /// Where that is not enough.
    pub ask: Box<Ask<'a>>,
}

/// What other threads than the first are given.
pub struct Threads<'f, 'a> {
    /// How many there are with the first.
    pub count: usize,
    /// A worker for each of them.
    pub worker: &'f (dyn Fn() -> Worker<'a> + Sync),
}

/// Asked before cells of so many bytes are made wider: to so many, with both there for a time.
pub type Widen<'a> = dyn Fn(u64, u64) -> Result<()> + Sync + 'a;

/// Cells between two looks at whether to go on.
const TELL: u64 = 1 << 8;
/// The sides of a tile where there are several threads: across the first side of the order and along the second.
const TILE: [u64; 2] = [4, 32];

/// A table to be filled cell by cell.
pub struct Plain<'t> {
    /// Where its cells are.
    pub layout: &'t Layout,
    /// In which order they are computed.
    pub order: &'t Order,
    /// What is computed.
    pub mode: Mode,
    /// Which cells are wanted, by place, if not all are.
    pub wanted: Option<&'t [bool]>,
    /// Who is asked before cells are made wider.
    pub widen: &'t Widen<'t>,
}

impl Plain<'_> {
    /// Computes all cells that are wanted, and what they need; `None` if it was broken off. On more than one thread it is done
    /// in tiles over the first two sides of the order; the cells are the same for any number.
    pub fn fill<'a>(
        &self,
        first: Worker<'a>,
        threads: &Threads<'_, 'a>,
        told: &mut Told<'_>,
    ) -> Result<Option<Cells>> {
        let Plain {
            layout,
            order,
            mode,
            wanted,
            ..
        } = *self;
        let cells = RwLock::new(Cells::unknown(layout.cells(), mode));
        let side = |i: usize| {
            order
                .axes()
                .get(i)
                .map_or(0, |axis| layout.words()[axis.counter].to)
        };
        let to = [side(0), side(1)];
        let step = if threads.count > 1 {
            TILE
        } else {
            [u64::MAX; 2]
        };
        let grid = Grid {
            to,
            step,
            kind: Kind::Whole,
        };
        let work = |line: &mut Line<'_, 'a>, ticker: &mut Ticker<'_, '_>, band: u64, tile: u64| {
            let part = [grid.band(band), grid.tile(tile)];
            let mut before = 0;
            loop {
                let held = cells.read().unwrap_or_else(PoisonError::into_inner);
                let (mut skip, mut stopped) = (before, Ok(()));
                let flow = order.visit_part(layout, &part, &mut |at| {
                    if skip > 0 {
                        skip -= 1;
                        return ControlFlow::Continue(());
                    }
                    let place = line.place(at);
                    if wanted.is_none_or(|wanted| wanted[place as usize]) {
                        stopped = line.cell(place, at, &held, &mut |_| ticker.glance());
                        if stopped.is_err() {
                            return ControlFlow::Break(());
                        }
                    }
                    before += 1;
                    ticker.tick(1)
                });
                let width = held.width();
                drop(held);
                match stopped {
                    Ok(()) => return Ok(flow),
                    Err(Stopped::Error(error)) => return Err(error),
                    Err(Stopped::Broken) => return Ok(ControlFlow::Break(())),
                    Err(Stopped::Narrow(value)) => {
                        let mut cells = cells.write().unwrap_or_else(PoisonError::into_inner);
                        if cells.width() == width {
                            *cells = self.wider(&cells, value)?;
                        }
                    }
                }
            }
        };
        let make = || Line::new(layout, (threads.worker)());
        let first = Line::new(layout, first);
        let whole = bands::run(&grid, threads.count, TELL, told, first, &make, &work)?;
        let cells = cells.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(whole.then(|| cells.packed()))
    }

    /// The same cells, wide enough for more than this value.
    fn wider(&self, cells: &Cells, value: u64) -> Result<Cells> {
        (self.widen)(cells.bytes(), 2 * cells.bytes())?;
        cells.wider().ok_or_else(|| too_large(value))
    }

    /// Computes the cells of these positions, in canonical form, and what they need, and no others, on one thread; `None` if
    /// it was broken off. Some cells may be known: those of an earlier call for this table.
    pub fn reach<'a>(
        &self,
        from: &[[u64; COUNTERS]],
        worker: Worker<'a>,
        mut cells: Cells,
        told: &mut Told<'_>,
    ) -> Result<Option<Cells>> {
        let mut line = Line::new(self.layout, worker);
        let (mut steps, mut done) = (0u64, 0);
        let mut tick = |cells| {
            steps += 1;
            done += cells;
            if steps.is_multiple_of(TELL) {
                told(done)
            } else {
                ControlFlow::Continue(())
            }
        };
        for at in from {
            let place = line.place(at);
            while cells.get(place).is_none() {
                match line.late(place, at, &cells, &mut tick) {
                    Ok(()) => {}
                    Err(Stopped::Error(error)) => return Err(error),
                    Err(Stopped::Broken) => return Ok(None),
                    Err(Stopped::Narrow(value)) => cells = self.wider(&cells, value)?,
                }
            }
        }
        // Packed, they would not tell which cells were not reached.
        Ok(Some(cells))
    }
}

/// The cells that one thread is at.
struct Line<'l, 'a> {
    layout: &'l Layout,
    worker: Worker<'a>,
    /// Positions that wait for an option to be computed, the last one for none.
    waiting: Vec<[u64; COUNTERS]>,
    /// Their places.
    places: FxHashSet<u64>,
}

/// Why a cell has not been computed.
enum Stopped {
    /// Cells are too narrow for this value.
    Narrow(u64),
    Error(Box<Diagnostic>),
    /// Somebody has had enough.
    Broken,
}

impl<'l, 'a> Line<'l, 'a> {
    fn new(layout: &'l Layout, worker: Worker<'a>) -> Self {
        Line {
            layout,
            worker,
            waiting: Vec::new(),
            places: FxHashSet::default(),
        }
    }

    fn place(&self, at: &[u64]) -> u64 {
        self.layout
            .index(&at[..self.layout.words().len()])
            .expect("it is a position of the table")
    }

    /// Computes a cell, and before it those that it needs.
    #[inline]
    fn cell(
        &mut self,
        place: u64,
        at: &[u64; COUNTERS],
        cells: &Cells,
        tick: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> std::result::Result<(), Stopped> {
        if cells.get(place).is_some() {
            return Ok(());
        }
        let n = self.layout.words().len();
        match self.worker.evaluate.evaluate(&at[..n], cells) {
            Verdict::Value(value) => put(cells, place, value),
            _ => self.late(place, at, cells, tick),
        }
    }

    #[cold]
    fn late(
        &mut self,
        place: u64,
        at: &[u64; COUNTERS],
        cells: &Cells,
        tick: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> std::result::Result<(), Stopped> {
        let n = self.layout.words().len();
        self.waiting.clear();
        self.places.clear();
        self.waiting.push(*at);
        self.places.insert(place);
        while let Some(&top) = self.waiting.last() {
            let at = &top[..n];
            let value = match self.worker.evaluate.evaluate(at, cells) {
                Verdict::Value(value) => value,
                Verdict::Missing(option) if self.waits(self.layout.index(&option[..n])) => {
                    self.waiting.push(option);
                    if tick(0).is_break() {
                        return Err(Stopped::Broken);
                    }
                    continue;
                }
                // Also what waits for itself: such play can go on for ever, and the search tells how.
                _ => (self.worker.ask)(at, cells).map_err(Stopped::Error)?,
            };
            let place = self.place(at);
            put(cells, place, value)?;
            self.places.remove(&place);
            self.waiting.pop();
            if tick(1).is_break() {
                return Err(Stopped::Broken);
            }
        }
        Ok(())
    }

    /// Whether the cell at a place can wait for what it needs: not if it waits already.
    fn waits(&mut self, place: Option<u64>) -> bool {
        place.is_some_and(|place| self.places.insert(place))
    }
}

fn put(cells: &Cells, place: u64, value: u64) -> std::result::Result<(), Stopped> {
    if cells.put(place, value) {
        Ok(())
    } else {
        Err(Stopped::Narrow(value))
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
