//! Single positions answered from an array of cells: all positions whose counters are at most those of the ones asked about,
//! filled along rays, or as far as these reach by machine code or the interpreter.
//!
//! Where the search keeps a record of each position in a hash table, this has its place in an array, and machine code for the
//! rules: 30 times as fast on two counters. What does not fit into the array is searched. Cost: 1 to 4 bytes for each position of the
//! array, or two bits where only outcomes are asked, reached or not; an evaluation or two for each that is reached.

use grundy_core::Budget;
use grundy_jit::Compiled;
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::value::{Pos, Position};
use grundy_search::Engine;
use grundy_search::dense::rays::Unfit;
use grundy_search::dense::{COUNTERS, Cells, Layout, Mode, Order, Plain};

use crate::Result;
use crate::dense::{self, By, Room};
use crate::plan::Hook;

/// Positions with counters up to these, and what is known of them.
#[derive(Debug)]
pub(crate) struct Reached {
    layout: Layout,
    cells: Cells,
    /// Who computed it.
    pub by: &'static str,
}

impl Reached {
    /// The value of a part, or 1 for N and 0 for P, if it is known.
    pub fn number(&self, part: &Pos) -> Option<u64> {
        let at = counters(&self.layout, part)?;
        let place = self.layout.index(&at[..self.layout.words().len()])?;
        self.cells.get(place)
    }

    /// Whether all parts are known.
    pub fn has(&self, position: &Position) -> bool {
        let known = |part| self.number(part).is_some();
        position.parts.iter().all(known)
    }
}

/// The counters of a part in canonical form; `None` if they are not the table's.
fn counters(layout: &Layout, part: &Pos) -> Option<[u64; COUNTERS]> {
    if part.0.len() != layout.words().len() {
        return None;
    }
    let mut at = [0; COUNTERS];
    for (to, from) in at.iter_mut().zip(&part.0) {
        *to = from.to_u64()?;
    }
    for run in layout.unordered() {
        at[run.clone()].sort_unstable();
    }
    Some(at)
}

/// What the parts of a position come to; `None` if `by` is [`By::Auto`] and it cannot be found so.
pub(crate) fn reach(
    rules: &Rules,
    position: &Position,
    by: By,
    budget: &Budget,
    hook: Option<&Hook>,
) -> Result<Option<Reached>> {
    let game = rules.game();
    let refuse = |why: &str| {
        if by == By::Auto {
            return Ok(None);
        }
        let message = match by {
            By::Rays => "this position is not answered along rays",
            _ => "this position has no place in an array of cells",
        };
        let error = Diagnostic::error(Code::Unsupported, &game.source, message);
        let error = error.note(why.to_owned());
        Err(Box::new(
            error.help("leave out `--engine`, or search: `--engine search`"),
        ))
    };
    let Some(width) = game.shape.width().filter(|&n| n <= COUNTERS) else {
        return refuse("a part is not a few counters");
    };
    let mut to = vec![0; width];
    for part in &position.parts {
        for (to, number) in to.iter_mut().zip(&part.0) {
            match number.to_u64() {
                Some(number) => *to = number.max(*to),
                None => return refuse("a counter is below zero or past 64 bits"),
            }
        }
    }
    let layout = match Layout::new(&game.shape, &to) {
        Ok(layout) => layout,
        Err(why) => return refuse(&why),
    };
    let mode = match dense::mode(&Engine::new(rules, budget.clone())) {
        Ok(mode) => mode,
        Err(why) => return refuse(why),
    };
    if mode == Mode::Outcomes && position.parts.len() > 1 {
        return refuse("values do not decide this sum, and outcomes of its parts do not add");
    }
    let room = Room {
        layout: &layout,
        source: &game.source,
        budget,
        hook,
    };
    let need = Cells::unknown_bytes(layout.cells(), mode);
    // What may be needed twice over when cells are made wider should not fail where a search would not.
    if by == By::Auto && need > budget.memory() / 8 {
        return Ok(None);
    }
    let mut told = dense::teller(budget, hook);
    let stopped = || dense::stopped(&game.source);
    if matches!(by, By::Auto | By::Rays) {
        match dense::along_rays(rules, mode, &room, &mut told) {
            Ok(Some(cells)) => {
                let by = "rays";
                return Ok(Some(Reached { layout, cells, by }));
            }
            Ok(None) => return Err(stopped()),
            Err(Unfit::Memory { .. }) if by == By::Auto => {}
            Err(Unfit::Memory { cells, sets }) => return Err(room.for_rays(cells, sets)),
            Err(Unfit::Because(why)) if by == By::Rays => return refuse(&why),
            Err(Unfit::Because(_)) => {}
        }
    }
    let compiled = match by {
        By::Interpret => Err(String::new()),
        _ => Compiled::new(rules, &layout, mode),
    };
    if let (By::Jit, Err(why)) = (by, &compiled) {
        return refuse(&format!("the rules are not compiled: {why}"));
    }
    room.take(need)?;
    let by = if compiled.is_ok() { "jit" } else { "interpret" };
    let roots = position.parts.iter().map(|part| counters(&layout, part));
    let roots: Option<Vec<_>> = roots.collect();
    let roots = roots.expect("the layout was made for these counters");
    let worker = dense::worker(rules, mode, &room, compiled.ok());
    let plain = Plain {
        layout: &layout,
        order: &Order::natural(width),
        mode,
        wanted: None,
        widen: &|now, then| room.widen(now, then),
    };
    match plain.reach(&roots, worker, &mut told)? {
        Some(cells) => Ok(Some(Reached { layout, cells, by })),
        None => Err(stopped()),
    }
}
