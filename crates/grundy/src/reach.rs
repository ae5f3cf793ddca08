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
use grundy_search::dense::{COUNTERS, Cells, Layout, Mode, Order, Plain};

use crate::Result;
use crate::dense::{self, By, Room, Way};
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
    layout.sort(&mut at[..part.0.len()]);
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
    // Half of all questions are about a position that waits for an option.
    let mut way = |by| dense::way(rules, mode, by, Compiled::careful, &room, &mut told);
    let mut found = way(by)?;
    if let (Way::NoRoom { .. }, By::Auto) = (&found, by) {
        found = way(By::Jit)?;
    }
    let compiled = match found {
        Way::Filled(cells) => {
            let by = "rays";
            return Ok(Some(Reached { layout, cells, by }));
        }
        Way::Each(compiled) => compiled,
        Way::NoRoom { cells, sets } => return Err(room.for_rays(cells, sets)),
        Way::None(why) => return refuse(&why),
    };
    room.take(need)?;
    let by = dense::one_by_one(&compiled);
    let roots = position.parts.iter().map(|part| counters(&layout, part));
    let roots: Option<Vec<_>> = roots.collect();
    let roots = roots.expect("the layout was made for these counters");
    let worker = dense::worker(rules, mode, &room, compiled);
    let plain = Plain {
        layout: &layout,
        order: &Order::natural(width),
        mode,
        wanted: None,
        widen: &|now, then| room.widen(now, then),
    };
    match plain.reach(&roots, worker, &mut told)? {
        Some(cells) => Ok(Some(Reached { layout, cells, by })),
        None => Err(dense::stopped(&game.source)),
    }
}
