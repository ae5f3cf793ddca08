//! One set of rules and what is known of its positions: the way in to both searches.

use std::ops::ControlFlow;
use std::sync::Arc;

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::diag::{Code, Diagnostic, Source, Span};
use grundy_lang::interp::{Machine, Opt, Resume, Rules};
use grundy_lang::ir::{Game, Parts, Play, Shape};
use grundy_lang::value::{Pos, Position};
use rustc_hash::FxHashSet;

use crate::Result;
use crate::meter::{Meter, Progress};
use crate::outcomes::Outcomes;
use crate::store::{Key, encode};
use crate::values::Values;

/// Where options come from: the interpreter, or in tests a game written by hand.
pub trait Moves {
    /// Whether play ends here, `Some(true)` if the player who moved here has won.
    fn end(&mut self, part: &Pos) -> Result<Option<bool>>;
    /// Visits the options from a place on, until `visit` breaks; then tells the place of the option at which it broke.
    fn options_from(
        &mut self,
        part: &Pos,
        from: &Resume,
        visit: &mut dyn FnMut(Opt<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<Resume>>;
}

impl Moves for Machine<'_> {
    fn end(&mut self, part: &Pos) -> Result<Option<bool>> {
        Machine::end(self, part)
    }

    #[inline]
    fn options_from(
        &mut self,
        part: &Pos,
        from: &Resume,
        visit: &mut dyn FnMut(Opt<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<Resume>> {
        Machine::options_from(self, part, from, visit)
    }
}

/// What the searches need to know of a game.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) shape: Shape,
    pub(crate) misere: bool,
    pub(crate) win_if: bool,
    pub(crate) lose_if: bool,
    /// Whether a move can leave more than one part.
    pub(crate) splits: bool,
    pub(crate) source: Arc<Source>,
    /// The texts of the moves.
    pub(crate) spans: Vec<Span>,
}

impl Facts {
    pub(crate) fn of(game: &Game) -> Self {
        Facts {
            shape: game.shape.clone(),
            misere: game.play == Play::Misere,
            win_if: game.ends.iter().any(|e| e.win),
            lose_if: game.ends.iter().any(|e| !e.win),
            splits: game
                .moves
                .iter()
                .any(|m| !matches!(&m.parts, Parts::Each(parts) if parts.len() < 2)),
            source: game.source.clone(),
            spans: game.moves.iter().map(|m| m.span).collect(),
        }
    }

    pub(crate) fn has_ends(&self) -> bool {
        self.win_if || self.lose_if
    }

    /// The error for play that leads along `path` and then by a rule back to `node`, where the path starts.
    pub(crate) fn cycle<T: Copy>(
        &self,
        path: impl ExactSizeIterator<Item = T>,
        node: T,
        rule: usize,
        show: impl Fn(T) -> String,
    ) -> Box<Diagnostic> {
        const SHOWN: usize = 12;
        let len = path.len();
        let mut line: Vec<String> = path.take(SHOWN).map(&show).collect();
        if len > SHOWN {
            line.push(format!("… ({} more)", len - SHOWN));
        }
        line.push(show(node));
        let mut error = Diagnostic::error(Code::Cycle, &self.source, "play can go on for ever");
        if let Some(&span) = self.spans.get(rule) {
            error = error.at(span, "this move leads back to a position met before");
        }
        let moves = if len == 1 { "1 move" } else { "moves" };
        let count = if len == 1 {
            moves.to_owned()
        } else {
            format!("{len} {moves}")
        };
        let help =
            "let every move bring the position nearer to the end, for example by a guard `if`";
        error
            .note(format!("a cycle of {count}: {}", line.join(" -> ")))
            .help(help)
            .into()
    }
}

/// Winning moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Winning {
    /// The first of them: the index of the part moved in, and the parts that the move leaves of it.
    pub list: Vec<(usize, Vec<Pos>)>,
    /// How many there are. Moves in one part that leave the same parts are one, where a heap of 0 without a move is no
    /// part; equal parts are different parts.
    pub total: Int,
}

/// What is known of parts from elsewhere, such as a table: Grundy values where they are defined for one part alone, else 1
/// for N and 0 for P.
pub type Known = Arc<dyn Fn(&Pos) -> Option<u64> + Send + Sync>;

/// The reference engine for one set of rules. What it has found it keeps.
pub struct Engine<M> {
    pub(crate) facts: Facts,
    pub(crate) moves: M,
    side: M,
    width: usize,
    values: Values,
    outcomes: Outcomes,
    meter: Meter,
    known: Option<Known>,
}

impl<'r> Engine<Machine<'r>> {
    /// An engine over the interpreter.
    pub fn new(rules: &'r Rules, budget: Budget) -> Self {
        Self::patient(rules, budget, u64::MAX)
    }

    /// The same, but it gives up after trying that many values of quantifiers ([`Machine::with_patience`]).
    pub fn patient(rules: &'r Rules, budget: Budget, patience: u64) -> Self {
        let machine = || rules.machine_with(budget.clone()).with_patience(patience);
        Engine::over(
            Facts::of(rules.game()),
            machine(),
            machine(),
            budget.clone(),
        )
    }
}

impl<M: Moves> Engine<M> {
    /// An engine over two equal sources of options.
    pub(crate) fn over(facts: Facts, moves: M, side: M, budget: Budget) -> Self {
        let width = facts.shape.width().unwrap_or(0);
        Engine {
            moves,
            side,
            width,
            values: Values::new(width),
            outcomes: Outcomes::new(width),
            meter: Meter::new(budget, facts.source.clone()),
            facts,
            known: None,
        }
    }

    /// Looks a part up here, if anywhere, before it is searched.
    pub fn look_up(&mut self, known: Option<Known>) {
        self.known = known;
    }

    fn elsewhere(&self, part: &Pos) -> Option<u64> {
        self.known.as_ref().and_then(|known| known(part))
    }

    /// Calls `hook` every few hundred thousand options.
    pub fn on_progress(&mut self, hook: impl Fn(Progress) + Send + 'static) {
        self.meter.progress = Some(Box::new(hook));
    }

    /// How many options have been looked at in all calls so far: the work done, in a unit that no machine changes.
    pub fn options_examined(&self) -> u64 {
        self.meter.done.options
    }

    /// How many positions the memo holds.
    pub fn positions_stored(&self) -> u64 {
        (self.values.len() + self.outcomes.len()) as u64
    }

    /// The shape of a part.
    pub fn shape(&self) -> &Shape {
        &self.facts.shape
    }

    /// Whether a move can leave more than one part.
    pub fn splits(&self) -> bool {
        self.facts.splits
    }

    /// Whether Grundy values decide a position of that many parts, and if not, why not.
    pub fn values_valid(&self, parts: usize) -> std::result::Result<(), &'static str> {
        if self.facts.misere {
            Err("under misère play the outcome of a sum is not given by values of its parts")
        } else if self.facts.lose_if {
            Err("`lose if` makes a position won without a move, which no Grundy value says")
        } else if self.facts.win_if && parts > 1 {
            Err("`win if` in one part ends the play in all, so the parts are not independent")
        } else if self.facts.win_if && self.facts.splits {
            Err(
                "a move leaves several parts and `win if` in one ends the play in all, so the parts are not independent",
            )
        } else {
            Ok(())
        }
    }

    fn need_values(&self, parts: usize) -> Result<()> {
        self.values_valid(parts).map_err(|why| {
            let message = "Grundy values are not defined here";
            Diagnostic::error(Code::Unsupported, &self.facts.source, message)
                .note(why)
                .help("ask for the outcome instead")
                .into()
        })
    }

    /// The Grundy value of a part. A part in which play has ended has value 0.
    pub fn value(&mut self, part: &Pos) -> Result<Int> {
        self.need_values(1)?;
        self.meter.asked([part]);
        self.part_value(part).map(Int::from)
    }

    /// The Grundy value of a position: the nim-sum of the values of its parts.
    pub fn position_value(&mut self, position: &Position) -> Result<Int> {
        self.need_values(position.parts.len())?;
        self.meter.asked(&position.parts);
        self.nim_sum(position).map(Int::from)
    }

    pub(crate) fn part_value(&mut self, part: &Pos) -> Result<u64> {
        if let Some(value) = self.elsewhere(part) {
            return Ok(value);
        }
        self.meter.share(self.outcomes.len(), self.outcomes.bytes());
        self.values
            .solve(part, &mut self.moves, &self.facts, &mut self.meter)
    }

    fn nim_sum(&mut self, position: &Position) -> Result<u64> {
        position
            .parts
            .iter()
            .try_fold(0, |sum, part| Ok(sum ^ self.part_value(part)?))
    }

    /// Who wins a position: by values where they decide it, else by the search for outcomes.
    pub fn outcome(&mut self, position: &Position) -> Result<Outcome> {
        self.meter.asked(&position.parts);
        if self.values_valid(position.parts.len()).is_ok() {
            return Ok(Outcome::from_next_wins(self.nim_sum(position)? != 0));
        }
        if let [part] = &position.parts[..]
            && self.values_valid(1).is_err()
            && let Some(wins) = self.elsewhere(part)
        {
            return Ok(Outcome::from_next_wins(wins != 0));
        }
        self.outcome_by_search(position)
    }

    /// Searches a position, but gives up after about so many options; says whether it is done. What has been found is kept.
    pub fn attempt(&mut self, position: &Position, options: u64) -> Result<bool> {
        self.meter.give_up_after(Some(options));
        let outcome = self.outcome(position);
        let gave_up = self.meter.gave_up();
        self.meter.give_up_after(None);
        match outcome {
            Err(error) if !gave_up => Err(error),
            outcome => Ok(outcome.is_ok()),
        }
    }

    /// Who wins a position, by the definition alone: no values, no sums taken apart. It leaves a position as soon as a
    /// winning move is found.
    pub fn outcome_by_search(&mut self, position: &Position) -> Result<Outcome> {
        self.meter.asked(&position.parts);
        self.meter.share(self.values.len(), self.values.bytes());
        self.outcomes.solve(
            position,
            &mut self.moves,
            &mut self.side,
            &self.facts,
            &mut self.meter,
        )
    }

    /// Whether a part is a heap of which none is left at 0: a counter without a move there.
    fn zero_is_empty(&mut self) -> bool {
        if self.facts.shape != Shape::Int || self.facts.has_ends() {
            return false;
        }
        let zero = Pos([Int::ZERO].into_iter().collect());
        let moves = self
            .moves
            .options_from(&zero, &Resume::default(), &mut |_| ControlFlow::Break(()));
        matches!(moves, Ok(ControlFlow::Continue(())))
    }

    /// All winning moves: the first `limit` and the exact number. None in a position that is lost or in which play has
    /// ended.
    pub fn winning_options(&mut self, position: &Position, limit: usize) -> Result<Winning> {
        let mut winning = Winning::default();
        if !self.outcome(position)?.next_wins() {
            return Ok(winning);
        }
        for part in &position.parts {
            if self.facts.has_ends() && self.moves.end(part)?.is_some() {
                return Ok(winning);
            }
        }
        let sum = if self.values_valid(position.parts.len()).is_ok() {
            Some(self.nim_sum(position)?)
        } else {
            None
        };
        let empties = self.zero_is_empty();
        let mut total = 0u64;
        for (i, part) in position.parts.iter().enumerate() {
            // Options are told apart by the parts they leave, in order, without empty heaps.
            let mut met: FxHashSet<Box<[u32]>> = FxHashSet::default();
            let mut words = 0;
            let target = match sum {
                Some(sum) => Some(sum ^ self.part_value(part)?),
                None => None,
            };
            let mut from = Resume::default();
            let mut again = false;
            loop {
                let Engine {
                    moves,
                    values,
                    meter,
                    width,
                    known,
                    ..
                } = self;
                let mut left = None;
                let mut stop = None;
                let mut key = Key::new();
                let flow = moves.options_from(part, &from, &mut |opt| {
                    if std::mem::take(&mut again) {
                        return ControlFlow::Continue(());
                    }
                    if let Err(error) = meter.option() {
                        stop = Some(error);
                        return ControlFlow::Break(());
                    }
                    if let Some(target) = target {
                        // Options of a part that was looked up elsewhere may have no value yet.
                        let value = opt.parts.iter().try_fold(0, |sum, p| {
                            let there = known.as_ref().and_then(|known| known(p));
                            Some(sum ^ there.or_else(|| values.known(p).map(|(_, v)| v))?)
                        });
                        if value.is_some_and(|value| value != target) {
                            return ControlFlow::Continue(());
                        }
                    }
                    let empty = |p: &Pos| empties && p.0[0].is_zero();
                    let mut sorted: Vec<&Pos> = opt.parts.iter().filter(|p| !empty(p)).collect();
                    sorted.sort_unstable();
                    let mut all = Vec::new();
                    for p in sorted {
                        encode(p, *width, &mut key);
                        all.extend_from_slice(&key);
                    }
                    words += all.len();
                    if !met.insert(all.into_boxed_slice()) {
                        return ControlFlow::Continue(());
                    }
                    left = Some(opt.parts.to_vec());
                    ControlFlow::Break(())
                })?;
                if let Some(error) = stop {
                    return Err(error);
                }
                let (ControlFlow::Break(place), Some(left)) = (flow, left) else {
                    break;
                };
                from = place;
                again = true;
                let bytes = self.values.bytes() + self.outcomes.bytes();
                let held = (48 * met.len() + 4 * words) as u64;
                self.meter.share(0, 0);
                let stored = self.values.len() + self.outcomes.len();
                self.meter.memory(stored, bytes + held, false)?;
                let wins = match target {
                    Some(target) => {
                        let left = Position {
                            parts: left.clone(),
                        };
                        self.nim_sum(&left)? == target
                    }
                    None => !self.outcome(&position.after(i, &left))?.next_wins(),
                };
                if wins {
                    total += 1;
                    if winning.list.len() < limit {
                        winning.list.push((i, left));
                    }
                }
            }
        }
        winning.total = Int::from(total);
        Ok(winning)
    }
}
