//! Single positions answered from an array of cells: all positions whose counters are at most those of the ones asked about,
//! filled along rays, or as far as these reach by machine code or the interpreter.
//!
//! Where the search keeps a record of each position in a hash table, this has its place in an array, and machine code for the
//! rules: 30 times as fast on two counters. What does not fit into the array is searched. Cost: 1 to 4 bytes for each position of the
//! array, or two bits where only outcomes are asked, reached or not; an evaluation or two for each that is reached. Questions
//! about the same rules share one array: a position inside it costs what it reaches and no earlier one has, and one outside
//! has the array made anew, larger by half at least, so that no sequence of questions makes it often.

use grundy_core::Budget;
use grundy_jit::Compiled;
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::value::{Pos, Position};
use grundy_search::Engine;
use grundy_search::dense::{COUNTERS, Cells, Evaluate, Layout, Mode, Order, Plain};

use crate::Result;
use crate::dense::{self, By, Room, Way};
use crate::plan::Hook;

/// Positions with counters up to these, and what is known of them.
pub(crate) struct Reached {
    layout: Layout,
    cells: Cells,
    mode: Mode,
    /// Who computes what is not known yet: machine code, or nothing for the interpreter.
    compiled: Option<Box<Compiled>>,
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

    /// Whether there is a place for each part, be it known or not.
    pub fn holds(&self, position: &Position) -> bool {
        let held = |part| {
            counters(&self.layout, part).is_some_and(|at| {
                self.layout
                    .index(&at[..self.layout.words().len()])
                    .is_some()
            })
        };
        position.parts.iter().all(held)
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

/// What the parts of a position come to; `None` if `by` is [`By::Auto`] and it cannot be found so. What is known of other
/// positions of the same rules is taken from `before`, unless `None` is the answer.
pub(crate) fn reach(
    rules: &Rules,
    position: &Position,
    by: By,
    budget: &Budget,
    hook: Option<&Hook>,
    before: &mut Option<Reached>,
) -> Result<Option<Reached>> {
    let game = rules.game();
    let question = Question {
        rules,
        position,
        by,
        budget,
        hook,
    };
    let Some(width) = game.shape.width().filter(|&n| n <= COUNTERS) else {
        return question.refuse("a part is not a few counters");
    };
    let mode = match before {
        Some(before) => before.mode,
        None => match dense::mode(&Engine::new(rules, budget.clone())) {
            Ok(mode) => mode,
            Err(why) => return question.refuse(why),
        },
    };
    if mode == Mode::Outcomes && position.parts.len() > 1 {
        return question
            .refuse("values do not decide this sum, and outcomes of its parts do not add");
    }
    if before.as_ref().is_some_and(|before| before.holds(position))
        && let Some(before) = before.take()
    {
        return question.further(before).map(Some);
    }
    let mut to = vec![0; width];
    for part in &position.parts {
        for (to, number) in to.iter_mut().zip(&part.0) {
            match number.to_u64() {
                Some(number) => *to = number.max(*to),
                None => return question.refuse("a counter is below zero or past 64 bits"),
            }
        }
    }
    let layout = match Layout::new(&game.shape, &to) {
        Ok(layout) => layout,
        Err(why) => return question.refuse(&why),
    };
    // What may be needed twice over when cells are made wider should not fail where a search would not.
    let roomy = |layout: &Layout| Cells::unknown_bytes(layout.cells(), mode) <= budget.memory() / 8;
    if by == By::Auto && !roomy(&layout) {
        return Ok(None);
    }
    let larger = before.take().filter(|_| by != By::Rays).and_then(|before| {
        let words = before.layout.words().iter().zip(&to);
        let larger = words.map(|(word, &to)| match to > word.to {
            true => to.max(word.to.saturating_add(word.to / 2)),
            false => word.to,
        });
        let larger: Vec<u64> = larger.collect();
        let larger = Layout::new(&game.shape, &larger).ok();
        larger.filter(roomy)
    });
    question.anew(larger.unwrap_or(layout), mode)
}

/// A position to be answered, by whom and with what.
struct Question<'a> {
    rules: &'a Rules,
    position: &'a Position,
    by: By,
    budget: &'a Budget,
    hook: Option<&'a Hook>,
}

impl Question<'_> {
    fn refuse(&self, why: &str) -> Result<Option<Reached>> {
        let message = match self.by {
            By::Auto => return Ok(None),
            By::Rays => "this position is not answered along rays",
            _ => "this position has no place in an array of cells",
        };
        let error = Diagnostic::error(Code::Unsupported, &self.rules.game().source, message);
        let error = error.note(why.to_owned());
        Err(Box::new(
            error.help("leave out `--engine`, or search: `--engine search`"),
        ))
    }

    fn room<'b>(&'b self, layout: &'b Layout) -> Room<'b> {
        Room {
            layout,
            source: &self.rules.game().source,
            budget: self.budget,
            hook: self.hook,
        }
    }

    /// In a new array.
    fn anew(&self, layout: Layout, mode: Mode) -> Result<Option<Reached>> {
        let room = self.room(&layout);
        let mut told = dense::teller(self.budget, self.hook);
        // Half of all questions are about a position that waits for an option.
        let mut way = |by| dense::way(self.rules, mode, by, Compiled::careful, &room, &mut told);
        let mut found = way(self.by)?;
        if let (Way::NoRoom { .. }, By::Auto) = (&found, self.by) {
            found = way(By::Jit)?;
        }
        let compiled = match found {
            Way::Filled(cells) => {
                return Ok(Some(Reached {
                    layout,
                    cells,
                    mode,
                    compiled: None,
                    by: "rays",
                }));
            }
            Way::Each(compiled) => compiled,
            Way::NoRoom { cells, sets } => return Err(room.for_rays(cells, sets)),
            Way::None(why) => return self.refuse(&why),
        };
        room.take(Cells::unknown_bytes(layout.cells(), mode))?;
        self.further(Reached {
            by: dense::one_by_one(&compiled),
            cells: Cells::unknown(layout.cells(), mode),
            layout,
            mode,
            compiled,
        })
        .map(Some)
    }

    /// In an array that has places for it.
    fn further(&self, reached: Reached) -> Result<Reached> {
        let Reached {
            layout,
            cells,
            mode,
            mut compiled,
            by,
        } = reached;
        let roots = self.position.parts.iter();
        let roots: Option<Vec<_>> = roots.map(|part| counters(&layout, part)).collect();
        let roots = roots.expect("the layout was made for these counters");
        let room = self.room(&layout);
        let code = compiled.as_deref_mut();
        let code = code.map(|code| Box::new(code) as Box<dyn Evaluate>);
        let worker = dense::worker(self.rules, mode, &room, code);
        let plain = Plain {
            layout: &layout,
            order: &Order::natural(layout.words().len()),
            mode,
            wanted: None,
            widen: &|now, then| room.widen(now, then),
        };
        let mut told = dense::teller(self.budget, self.hook);
        match plain.reach(&roots, worker, cells, &mut told)? {
            Some(cells) => Ok(Reached {
                layout,
                cells,
                mode,
                compiled,
                by,
            }),
            None => Err(dense::stopped(&self.rules.game().source)),
        }
    }
}
