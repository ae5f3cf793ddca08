//! Who wins a whole position, by the definition: the player to move wins if some option is lost for the player to move
//! there. For rules whose values do not add: misère play, `lose if`, and `win if` on a sum.
//!
//! A position is a multiset of parts. **Ends.** The whole game ends as soon as one part meets a `win if` or `lose if`: a
//! player who moves a part to a `win if` position wins at once, one who moves a part to a `lose if` position loses at once.
//! If a move leaves several parts that end play, the first of them decides. A part that has not ended and has no options
//! will never have any, so it is dropped from the sum. A position with no part left is lost for the player to move under
//! normal play and won under misère play.
//!
//! Depth-first without recursion, as `values`, and a position is left as soon as one winning move is known. A part alone is
//! kept as a part; a sum as the records of its parts in order.
//!
//! Cost: time linear in the options looked at; memory a record for each position and for each different part, 16 bytes and
//! 4 for each quantifier for each position of the current line of play.

use std::ops::ControlFlow;

use grundy_core::Outcome;
use grundy_lang::diag::Diagnostic;
use grundy_lang::interp::Resume;
use grundy_lang::value::{Pos, Position};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::Result;
use crate::engine::{Facts, Moves};
use crate::meter::Meter;
use crate::store::{Id, Key, Store, decode, decode_sum, encode, encode_sum};
use crate::values::{Fault, put_place, take_place};

// The low two bits of a slot.
const NEW: u32 = 0;
const PATH: u32 = 1;
const N: u32 = 2;
const P: u32 = 3;
const STATE: u32 = 3;

// Further bits of the slot of a part: what is known of it in a sum.
const LIVE: u32 = 1 << 2;
const DEAD: u32 = 2 << 2;
const WON: u32 = 3 << 2;
const LOST: u32 = 4 << 2;
const KIND: u32 = 7 << 2;

/// The record is one of `sums`, not of `parts`.
const SUM: u32 = 1 << 31;

/// At these depths, each time they have doubled, a line of play that leaves parts is searched for a cycle of parts.
const DEEP: std::ops::RangeInclusive<usize> = 1 << 10..=1 << 16;

type Ids = SmallVec<[Id; 8]>;

/// A position whose options are being looked at.
struct Frame {
    node: Id,
    /// The part of it to go on with.
    part: u32,
    /// The rule to go on with.
    rule: u32,
    /// How many words of `places` tell the choices to go on with, once it is no longer on top.
    place: u32,
}

/// What a move leads to.
enum Next {
    /// The player who moved has won or lost.
    Over { won: bool },
    /// A position to be played on.
    Node(Id),
}

/// The memo of outcomes and the state of the search.
pub(crate) struct Outcomes {
    book: Book,
    stack: Vec<Frame>,
    places: Vec<u32>,
    ids: Ids,
    rest: Ids,
    pos: Pos,
}

/// The memo and what it takes to add to it.
struct Book {
    parts: Store,
    sums: Store,
    width: usize,
    key: Key,
    live: Ids,
}

impl Book {
    fn slot(&self, node: Id) -> u32 {
        if node & SUM == 0 {
            self.parts.slot(node)
        } else {
            self.sums.slot(node & !SUM)
        }
    }

    fn set(&mut self, node: Id, state: u32) {
        if node & SUM == 0 {
            let kind = self.parts.slot(node) & KIND;
            self.parts.set(node, kind | state);
        } else {
            self.sums.set(node & !SUM, state);
        }
    }

    /// The records of the parts of a position.
    fn ids(&self, node: Id, out: &mut Ids) {
        out.clear();
        if node & SUM == 0 {
            out.push(node);
        } else {
            out.extend_from_slice(decode_sum(self.sums.key(node & !SUM)));
        }
    }

    /// The position of some parts that are live and not ended, in order, beside some just left by a move.
    fn settle<M: Moves>(
        &mut self,
        rest: &[Id],
        left: &[Pos],
        moves: &mut M,
        facts: &Facts,
    ) -> Result<Next> {
        if let ([], [part]) = (rest, left) {
            encode(part, self.width, &mut self.key);
            let id = self.parts.intern(&self.key, NEW);
            if facts.has_ends() && self.parts.slot(id) & STATE == NEW {
                match moves.end(part)? {
                    Some(true) => self.set(id, P),
                    Some(false) => self.set(id, N),
                    None => {}
                }
            }
            return Ok(Next::Node(id));
        }
        self.live.clear();
        for part in left {
            encode(part, self.width, &mut self.key);
            let id = self.parts.intern(&self.key, NEW);
            let mut kind = self.parts.slot(id) & KIND;
            if kind == 0 {
                kind = kind_of(part, moves, facts)?;
                self.parts.set(id, self.parts.slot(id) | kind);
            }
            match kind {
                WON => return Ok(Next::Over { won: true }),
                LOST => return Ok(Next::Over { won: false }),
                LIVE => self.live.push(id),
                _ => {}
            }
        }
        self.live.extend_from_slice(rest);
        self.live.sort_unstable();
        Ok(match self.live[..] {
            [] => Next::Over { won: !facts.misere },
            [part] => Next::Node(part),
            _ => {
                encode_sum(&self.live, &mut self.key);
                Next::Node(self.sums.intern(&self.key, NEW) | SUM)
            }
        })
    }

    fn len(&self) -> usize {
        self.parts.len() + self.sums.len()
    }
}

fn kind_of<M: Moves>(part: &Pos, moves: &mut M, facts: &Facts) -> Result<u32> {
    if facts.has_ends() {
        match moves.end(part)? {
            Some(true) => return Ok(WON),
            Some(false) => return Ok(LOST),
            None => {}
        }
    }
    let first = moves.options_from(part, &Resume::default(), &mut |_| ControlFlow::Break(()))?;
    Ok(if first.is_break() { LIVE } else { DEAD })
}

impl Outcomes {
    pub(crate) fn new(width: usize) -> Self {
        Outcomes {
            book: Book {
                parts: Store::new(width),
                sums: Store::new(0),
                width,
                key: Key::new(),
                live: Ids::new(),
            },
            stack: Vec::new(),
            places: Vec::new(),
            ids: Ids::new(),
            rest: Ids::new(),
            pos: Pos::default(),
        }
    }

    /// The number of positions and parts in the memo.
    pub(crate) fn len(&self) -> usize {
        self.book.len()
    }

    /// The bytes of the memo and the search.
    pub(crate) fn bytes(&self) -> u64 {
        let line = self.stack.len() * size_of::<Frame>();
        self.book.parts.bytes() + self.book.sums.bytes() + (line + 4 * self.places.len()) as u64
    }

    /// The outcome of a position. `side` looks at parts while `moves` is in the middle of another.
    pub(crate) fn solve<M: Moves>(
        &mut self,
        position: &Position,
        moves: &mut M,
        side: &mut M,
        facts: &Facts,
        meter: &mut Meter,
    ) -> Result<Outcome> {
        let root = match self.book.settle(&[], &position.parts, side, facts)? {
            Next::Over { won } => return Ok(Outcome::from_next_wins(!won)),
            Next::Node(node) => node,
        };
        if self.book.slot(root) & STATE == NEW
            && let Err(error) = self.run(root, moves, side, facts, meter)
        {
            for frame in self.stack.drain(..) {
                self.book.set(frame.node, NEW);
            }
            self.places.clear();
            return Err(error);
        }
        Ok(Outcome::from_next_wins(self.book.slot(root) & STATE == N))
    }

    fn run<M: Moves>(
        &mut self,
        root: Id,
        moves: &mut M,
        side: &mut M,
        facts: &Facts,
        meter: &mut Meter,
    ) -> Result<()> {
        self.enter(root);
        while !self.stack.is_empty() {
            if let Some(child) = self.look(moves, side, facts, meter)? {
                self.enter(child);
                let depth = self.stack.len();
                if facts.splits && DEEP.contains(&depth) && depth.is_power_of_two() {
                    self.parts_cycle(facts)?;
                }
            }
            let full = self.book.parts.full() || self.book.sums.full();
            meter.memory(self.len(), self.bytes(), full)?;
        }
        Ok(())
    }

    fn enter(&mut self, node: Id) {
        self.book.set(node, PATH);
        self.stack.push(Frame {
            node,
            part: 0,
            rule: 0,
            place: 0,
        });
    }

    /// Goes on with the options of the top frame until its outcome is known or an option without one is met, which is
    /// returned.
    fn look<M: Moves>(
        &mut self,
        moves: &mut M,
        side: &mut M,
        facts: &Facts,
        meter: &mut Meter,
    ) -> Result<Option<Id>> {
        let Outcomes {
            book,
            stack,
            places,
            ids,
            rest,
            pos,
        } = self;
        let Some(top) = stack.last_mut() else {
            return Ok(None);
        };
        book.ids(top.node, ids);
        let mut from = take_place(places, top.place, top.rule);
        // A frame that broke off did so at an option.
        let mut any = top.place > 0 || top.rule > 0 || top.part > 0;
        let mut wins = false;
        for i in top.part as usize..ids.len() {
            if i > 0 && ids[i] == ids[i - 1] {
                continue;
            }
            rest.clear();
            rest.extend(ids[..i].iter().chain(&ids[i + 1..]).copied());
            decode(book.parts.key(ids[i]), pos);
            let mut open = None;
            let mut fault = None;
            let flow = moves.options_from(pos, &from, &mut |opt| {
                any = true;
                let next = match meter.option() {
                    Ok(()) => book.settle(rest, opt.parts, side, facts),
                    Err(stop) => Err(stop),
                };
                match next {
                    Ok(Next::Over { won }) => wins = won,
                    Ok(Next::Node(node)) => match book.slot(node) & STATE {
                        NEW => open = Some(node),
                        PATH => fault = Some(Fault::Cycle(node, opt.rule)),
                        state => wins = state == P,
                    },
                    Err(error) => fault = Some(Fault::Stop(error)),
                }
                if wins || open.is_some() || fault.is_some() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })?;
            match fault {
                Some(Fault::Stop(error)) => return Err(error),
                Some(Fault::Cycle(node, rule)) => return Err(self.cycle(node, rule, facts)),
                None => {}
            }
            if wins {
                break;
            }
            if let (ControlFlow::Break(place), Some(child)) = (flow, open) {
                top.part = i as u32;
                top.rule = place.rule as u32;
                top.place = put_place(places, &place);
                return Ok(Some(child));
            }
            from = Resume::default();
        }
        let wins = wins || !any && facts.misere;
        book.set(top.node, if wins { N } else { P });
        stack.pop();
        Ok(None)
    }

    /// Play can go on for ever without a position coming back, if a part comes back each time beside more others: `n ->
    /// [n, 1]`. So look for a cycle in what the moves of the current line of play made of the parts.
    fn parts_cycle(&self, facts: &Facts) -> Result<()> {
        let mut arcs: FxHashMap<Id, Vec<Id>> = FxHashMap::default();
        let (mut before, mut after) = (Ids::new(), Ids::new());
        for (frame, next) in self.stack.iter().zip(&self.stack[1..]) {
            self.book.ids(frame.node, &mut before);
            self.book.ids(next.node, &mut after);
            let moved = before.remove(frame.part as usize);
            for &id in &before {
                if let Some(i) = after.iter().position(|&a| a == id) {
                    after.swap_remove(i);
                }
            }
            arcs.entry(moved).or_default().extend_from_slice(&after);
        }
        let starts: Vec<Id> = arcs.keys().copied().collect();
        // Where on the path a part is; past its end once it is done.
        let mut place: FxHashMap<Id, usize> = FxHashMap::default();
        for start in starts {
            let mut path = vec![start];
            place.entry(start).or_insert(0);
            while let Some(&top) = path.last() {
                let Some(next) = arcs.get_mut(&top).and_then(Vec::pop) else {
                    place.insert(top, usize::MAX);
                    path.pop();
                    continue;
                };
                match place.get(&next) {
                    None => {
                        place.insert(next, path.len());
                        path.push(next);
                    }
                    Some(&usize::MAX) => {}
                    Some(&from) => {
                        let show = |id| facts.shape.display(&self.part(id));
                        let cycle = path[from..].iter().copied();
                        return Err(facts.cycle(cycle, next, usize::MAX, show));
                    }
                }
            }
        }
        Ok(())
    }

    fn part(&self, id: Id) -> Pos {
        let mut pos = Pos::default();
        decode(self.book.parts.key(id), &mut pos);
        pos
    }

    fn cycle(&self, node: Id, rule: usize, facts: &Facts) -> Box<Diagnostic> {
        let from = self.stack.iter().position(|f| f.node == node).unwrap_or(0);
        let show = |node: Id| {
            let mut ids = Ids::new();
            self.book.ids(node, &mut ids);
            let parts = ids.iter().map(|&id| self.part(id)).collect();
            facts.shape.display_position(&Position { parts })
        };
        facts.cycle(self.stack[from..].iter().map(|f| f.node), node, rule, show)
    }
}
