//! Grundy values by the definition: the value of a part is the mex of the values of its options, and that of an option
//! which is a sum the nim-sum of its parts' values (R. P. Sprague 1935, P. M. Grundy 1939).
//!
//! Depth-first without recursion. The enumeration of a part's options breaks off at the first option without a value and
//! goes on from there when it has one, so an option is looked at once, and once more for each of its parts that had no
//! value yet. The values seen so far lie in one shared array of bits, those of the top frame last, and are never copied;
//! so do the places where enumerations broke off.
//!
//! Cost: time linear in the options of all positions reached; memory a record of the memo for each position (see `store`),
//! 16 bytes and 4 for each quantifier for each position of the current line of play, and there one bit for each value up
//! to the largest seen.

use std::ops::ControlFlow;

use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Resume;
use grundy_lang::value::Pos;

use crate::Result;
use crate::engine::{Facts, Moves};
use crate::meter::Meter;
use crate::store::{Id, Key, Store, decode, encode, read, write};

/// Slots: no value yet.
const NEW: u32 = u32::MAX;
/// Slots: on the current line of play. Everything below is a value.
const PATH: u32 = u32::MAX - 1;

/// A part whose options are being looked at.
struct Frame {
    node: Id,
    /// The rule to go on with.
    rule: u32,
    /// How many words of `places` tell the choices to go on with, once it is no longer on top.
    place: u32,
    /// How many words of `seen` are its own, once it is no longer on top.
    seen: u32,
}

/// The memo of values and the state of the search.
pub(crate) struct Values {
    store: Store,
    width: usize,
    stack: Vec<Frame>,
    places: Vec<u32>,
    seen: Vec<u64>,
    key: Key,
    pos: Pos,
}

/// How an enumeration ended early.
pub(crate) enum Fault {
    /// The search may not go on.
    Stop(Box<Diagnostic>),
    /// The option of this rule leads back to this node.
    Cycle(Id, usize),
}

/// Keeps the choices of a place as the last words of `places` and returns their number.
pub(crate) fn put_place(places: &mut Vec<u32>, place: &Resume) -> u32 {
    let before = places.len();
    for choice in &place.at {
        write(choice, |w| places.push(w));
    }
    (places.len() - before) as u32
}

/// Takes a place back from the last `len` words of `places`.
pub(crate) fn take_place(places: &mut Vec<u32>, len: u32, rule: u32) -> Resume {
    let mut place = Resume {
        rule: rule as usize,
        ..Resume::default()
    };
    let start = places.len() - len as usize;
    read(&places[start..], |choice| place.at.push(choice));
    places.truncate(start);
    place
}

impl Values {
    pub(crate) fn new(width: usize) -> Self {
        Values {
            store: Store::new(width),
            width,
            stack: Vec::new(),
            places: Vec::new(),
            seen: Vec::new(),
            key: Key::new(),
            pos: Pos::default(),
        }
    }

    /// The number of parts in the memo.
    pub(crate) fn len(&self) -> usize {
        self.store.len()
    }

    /// The bytes of the memo and the search.
    pub(crate) fn bytes(&self) -> u64 {
        let line = self.stack.len() * size_of::<Frame>();
        self.store.bytes() + (line + 4 * self.places.len() + 8 * self.seen.len()) as u64
    }

    /// The record and value of a part, if it has been solved.
    pub(crate) fn known(&mut self, part: &Pos) -> Option<(Id, u64)> {
        encode(part, self.width, &mut self.key);
        let id = self.store.intern(&self.key, NEW);
        let slot = self.store.slot(id);
        (slot < PATH).then_some((id, u64::from(slot)))
    }

    /// The value of a part.
    pub(crate) fn solve<M: Moves>(
        &mut self,
        part: &Pos,
        moves: &mut M,
        facts: &Facts,
        meter: &mut Meter,
    ) -> Result<u64> {
        if let Some((_, value)) = self.known(part) {
            return Ok(value);
        }
        let root = self.store.intern(&self.key, NEW);
        let result = self.run(root, moves, facts, meter);
        if result.is_err() {
            for frame in self.stack.drain(..) {
                self.store.set(frame.node, NEW);
            }
            self.places.clear();
            self.seen.clear();
        }
        result.map(|()| u64::from(self.store.slot(root)))
    }

    fn run<M: Moves>(
        &mut self,
        root: Id,
        moves: &mut M,
        facts: &Facts,
        meter: &mut Meter,
    ) -> Result<()> {
        self.enter(root, moves, facts)?;
        while !self.stack.is_empty() {
            if let Some(child) = self.look(moves, facts, meter)? {
                self.enter(child, moves, facts)?;
            }
            meter.memory(self.store.len(), self.bytes(), self.store.full())?;
        }
        Ok(())
    }

    fn enter<M: Moves>(&mut self, node: Id, moves: &mut M, facts: &Facts) -> Result<()> {
        if facts.has_ends() {
            decode(self.store.key(node), &mut self.pos);
            if moves.end(&self.pos)?.is_some() {
                self.store.set(node, 0);
                return Ok(());
            }
        }
        self.store.set(node, PATH);
        self.stack.push(Frame {
            node,
            rule: 0,
            place: 0,
            seen: 0,
        });
        Ok(())
    }

    /// Goes on with the options of the top frame until they are done or one has a part without a value, which is returned.
    fn look<M: Moves>(
        &mut self,
        moves: &mut M,
        facts: &Facts,
        meter: &mut Meter,
    ) -> Result<Option<Id>> {
        let Values {
            store,
            width,
            stack,
            places,
            seen,
            key,
            pos,
        } = self;
        let Some(top) = stack.last_mut() else {
            return Ok(None);
        };
        decode(store.key(top.node), pos);
        let from = take_place(places, top.place, top.rule);
        let base = seen.len() - top.seen as usize;
        let mut open = None;
        let mut fault = None;
        let flow = moves.options_from(pos, &from, &mut |opt| {
            if let Err(stop) = meter.option() {
                fault = Some(Fault::Stop(stop));
                return ControlFlow::Break(());
            }
            let mut value = 0;
            for part in opt.parts {
                encode(part, *width, key);
                let id = store.intern(key, NEW);
                match store.slot(id) {
                    NEW => {
                        open = Some(id);
                        return ControlFlow::Break(());
                    }
                    PATH => {
                        fault = Some(Fault::Cycle(id, opt.rule));
                        return ControlFlow::Break(());
                    }
                    known => value ^= known,
                }
            }
            let word = base + (value / 64) as usize;
            if word >= seen.len() {
                seen.resize(word + 1, 0);
            }
            seen[word] |= 1 << (value % 64);
            ControlFlow::Continue(())
        })?;
        match fault {
            Some(Fault::Stop(stop)) => return Err(stop),
            Some(Fault::Cycle(node, rule)) => return Err(self.cycle(node, rule, facts)),
            None => {}
        }
        if let ControlFlow::Break(place) = flow {
            top.rule = place.rule as u32;
            top.place = put_place(places, &place);
            top.seen = (seen.len() - base) as u32;
            return Ok(open);
        }
        let mut value = 0;
        for word in seen.drain(base..) {
            let ones = word.trailing_ones();
            value += u64::from(ones);
            if ones < 64 {
                break;
            }
        }
        if value >= u64::from(PATH) {
            let message = "a Grundy value past 2^32 is too large for the search";
            return Err(Diagnostic::error(Code::TooLarge, &facts.source, message).into());
        }
        store.set(top.node, value as u32);
        stack.pop();
        Ok(None)
    }

    fn cycle(&self, node: Id, rule: usize, facts: &Facts) -> Box<Diagnostic> {
        let from = self.stack.iter().position(|f| f.node == node).unwrap_or(0);
        let show = |id: Id| {
            let mut pos = Pos::default();
            decode(self.store.key(id), &mut pos);
            facts.shape.display(&pos)
        };
        facts.cycle(self.stack[from..].iter().map(|f| f.node), node, rule, show)
    }
}
