//! Tables whose counters are those of the position: all cells in one array, filled along rays, by machine code or by the
//! interpreter.
//!
//! See [`grundy_search::dense`] for the arrays, its `rays` for moves along rays and [`grundy_jit`] for the code. What none of
//! them can decide is searched. Cost: one evaluation a cell, 1 to 4 bytes each; some milliseconds for the rays and the code.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use grundy_core::{Budget, Int, Outcome};
use grundy_jit::Compiled;
use grundy_lang::bind;
use grundy_lang::diag::{Code, Diagnostic, Source};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Game, Play};
use grundy_lang::value::{Pos, Position};
use grundy_search::dense::rays::{self, Failed, Rays, Unfit};
use grundy_search::dense::{
    COUNTERS, Cells, Evaluate, Interpret, Layout, Mode, Offset, Order, Told, fill,
};
use grundy_search::{Engine, Progress};

use crate::Result;
use crate::inputs::Random;
use crate::plan::Hook;
use crate::room;
use crate::table::{Axes, Cell, next};

/// Positions that are tried to find the order of the cells, and options of each.
const SAMPLES: u64 = 64;
/// How often is told how far it has come.
const TELL: Duration = Duration::from_millis(100);

/// Who computes the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// Along rays if there are any, else machine code if the rules can be compiled, else the interpreter.
    Auto,
    /// Along rays, and other moves by machine code or the interpreter.
    Rays,
    /// Machine code.
    Jit,
    /// The interpreter.
    Interpret,
}

/// Where a counter of the position is from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    /// This side of the table.
    Axis(usize),
    /// It is the same in all cells.
    Fixed(u64),
}

/// A filled table.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    words: Vec<Word>,
    layout: Layout,
    cells: Cells,
    mode: Mode,
    /// Who computed it.
    pub by: &'static str,
}

impl Dense {
    /// The number in the cell of these counters, in the order of the table's sides.
    #[inline]
    pub fn number(&self, at: &[u64]) -> u64 {
        self.cells
            .get(place(&self.words, &self.layout, at))
            .expect("every position of the game has been computed")
    }

    /// The numbers in so many cells from these counters on, the last side of the table running; all of them are known.
    pub fn run(&self, at: &[u64], count: u64, out: &mut Vec<u64>) {
        let last = at.len() - 1;
        let from = at[last];
        let layout = &self.layout;
        let word = self
            .words
            .iter()
            .position(|word| matches!(word, Word::Axis(axis) if *axis == last));
        let word = word.expect("every side is a counter");
        let run = layout.unordered().iter().find(|run| run.contains(&word));
        match (run, &layout.words()[word].offset) {
            (None, Offset::Times(stride)) => {
                let first = place(&self.words, layout, at);
                self.numbers((0..count).map(|i| first + i * stride), out);
            }
            (Some(run), _) if run.len() == 2 => {
                let other = if word == run.start {
                    word + 1
                } else {
                    word - 1
                };
                let fixed = match self.words[other] {
                    Word::Axis(axis) => at[axis],
                    Word::Fixed(value) => value,
                };
                // The other counters, by the cell in which both of these are 0.
                let mut at = at.to_vec();
                at[last] = 0;
                if let Word::Axis(axis) = self.words[other] {
                    at[axis] = 0;
                }
                let none = place(&self.words, layout, &at);
                let offset = |word: usize, x: u64| match &layout.words()[word].offset {
                    Offset::Times(stride) => stride * x,
                    Offset::Listed(list) => list[x as usize],
                };
                let less = offset(run.start + 1, fixed);
                let more = offset(run.start, fixed);
                let none = match self.words[other] {
                    Word::Axis(_) => none,
                    Word::Fixed(_) => none - less,
                };
                let end = from + count;
                let middle = fixed.clamp(from, end);
                let below = (from..middle).map(|x| none + less + offset(run.start, x));
                self.numbers(below, out);
                let above = (middle..end).map(|x| none + more + offset(run.start + 1, x));
                self.numbers(above, out);
            }
            _ => {
                let mut at = at.to_vec();
                out.extend((from..from + count).map(|x| {
                    at[last] = x;
                    self.number(&at)
                }));
            }
        }
    }

    /// The numbers at these places.
    fn numbers(&self, places: impl Iterator<Item = u64>, out: &mut Vec<u64>) {
        match &self.cells {
            Cells::U8(cells) => out.extend(places.map(|place| u64::from(cells[place as usize]))),
            Cells::U16(cells) => out.extend(places.map(|place| u64::from(cells[place as usize]))),
            Cells::U32(cells) => out.extend(places.map(|place| u64::from(cells[place as usize]))),
        }
    }

    /// Bytes of a number.
    pub fn width(&self) -> u64 {
        self.cells.width()
    }

    /// The cell of these counters.
    pub fn cell(&self, at: &[u64]) -> Cell {
        let number = self.number(at);
        Cell {
            outcome: Outcome::from_next_wins(number != 0),
            grundy: self.by_value().then(|| Int::from(number)),
        }
    }

    /// Whether the numbers are Grundy values.
    pub fn by_value(&self) -> bool {
        self.mode == Mode::Values
    }
}

/// The place of the cell of these counters, in the order of the table's sides.
#[inline]
fn place(words: &[Word], layout: &Layout, at: &[u64]) -> u64 {
    let mut counters = [0; COUNTERS];
    for (counter, from) in counters.iter_mut().zip(words) {
        *counter = match from {
            Word::Axis(axis) => at[*axis],
            Word::Fixed(value) => *value,
        };
    }
    let counters = &mut counters[..words.len()];
    for run in layout.unordered() {
        match &mut counters[run.clone()] {
            [a, b] => (*a, *b) = ((*a).min(*b), (*a).max(*b)),
            more => more.sort_unstable(),
        }
    }
    layout.index(counters).expect("it is a cell of the table")
}

/// Fills a table, of whose cells `exist` are positions of the game; `None` if `by` is [`By::Auto`] and it is none of these.
pub(crate) fn table(
    game: &Arc<Game>,
    axes: &Axes,
    exist: Option<&[bool]>,
    by: By,
    source: &Arc<Source>,
    budget: &Budget,
    hook: Option<&Hook>,
) -> Result<Option<Dense>> {
    let refuse = |why: &str| {
        if by == By::Auto {
            return Ok(None);
        }
        let message = match by {
            By::Rays => "this table cannot be filled along rays",
            _ => "such a table cannot be filled cell by cell",
        };
        let error = Diagnostic::error(Code::Unsupported, source, message).note(why.to_owned());
        Err(Box::new(
            error.help("leave out `--engine`, or search: `--engine search`"),
        ))
    };
    let (words, to) = match sides(game, axes) {
        Ok(sides) => sides,
        Err(why) => return refuse(why),
    };
    let rules = Rules::new(game.clone(), axes.base.clone());
    bind::fits(&rules, source)?;
    let layout = match Layout::new(&game.shape, &to) {
        Ok(layout) => layout,
        Err(why) => return refuse(&why),
    };
    let mut engine = Engine::new(&rules, budget.clone());
    let mode = match engine.values_valid(1) {
        Ok(()) => Mode::Values,
        Err(why) if engine.splits() => return refuse(why),
        Err(_) => Mode::Outcomes,
    };
    enough_memory(&layout, source, budget)?;
    let mut ask = |at: &[u64], _: &Cells| -> Result<u64> {
        let part = Pos::of_counters(at);
        if mode == Mode::Values {
            let value = engine.value(&part)?;
            return value.to_u64().ok_or_else(|| too_large(source));
        }
        let outcome = engine.outcome(&Position::one(part))?;
        Ok(u64::from(outcome.next_wins()))
    };
    let mut due = Instant::now() + TELL;
    let mut told = |done: u64| {
        if budget.stopped() {
            return ControlFlow::Break(());
        }
        if let Some(hook) = hook
            && Instant::now() >= due
        {
            due = Instant::now() + TELL;
            hook(Progress {
                positions: done,
                options: 0,
            });
        }
        ControlFlow::Continue(())
    };
    let done = |cells, by| Dense {
        words: words.clone(),
        layout: layout.clone(),
        cells,
        mode,
        by,
    };
    let stopped = || {
        let message = "stopped while the table was filled";
        Box::new(Diagnostic::error(Code::Interrupted, source, message))
    };
    if matches!(by, By::Auto | By::Rays) {
        match along_rays(&rules, &layout, mode, budget, &mut told) {
            Ok(Some(cells)) => return Ok(Some(done(cells, "rays"))),
            Ok(None) => return Err(stopped()),
            Err(Unfit::Memory(bytes)) => {
                return Err(memory_for_rays(&layout, bytes, source, budget));
            }
            Err(Unfit::Because(why)) if by == By::Rays => return refuse(&why),
            Err(Unfit::Because(_)) => {}
        }
    }
    let compiled = match by {
        By::Interpret => Err(String::new()),
        _ => Compiled::new(&rules, &layout, mode),
    };
    if let (By::Jit, Err(why)) = (by, &compiled) {
        return refuse(&format!("the rules are not compiled: {why}"));
    }
    let order = Order::suiting(to.len(), &samples(&rules, &layout));
    let (mut jit, mut interpret);
    let (evaluate, by): (&mut dyn Evaluate, _) = match compiled {
        Ok(compiled) => {
            jit = compiled;
            (&mut jit, "jit")
        }
        Err(_) => {
            let machine = rules.machine_with(budget.clone());
            interpret = Interpret::new(machine, &layout, mode);
            (&mut interpret, "interpret")
        }
    };
    let wanted = exist.map(|exist| {
        let mut wanted = vec![false; layout.cells() as usize];
        let mut at = vec![0; axes.to.len()];
        for exists in exist {
            wanted[place(&words, &layout, &at) as usize] |= exists;
            next(&mut at, &axes.to);
        }
        wanted
    });
    let wanted = wanted.as_deref();
    match fill(&layout, &order, wanted, evaluate, &mut ask, &mut told)? {
        Some(cells) => Ok(Some(done(cells, by))),
        None => Err(stopped()),
    }
}

/// Fills a table along rays; `None` if it was broken off. The error says why it cannot be filled so.
fn along_rays(
    rules: &Rules,
    layout: &Layout,
    mode: Mode,
    budget: &Budget,
    told: &mut Told<'_>,
) -> std::result::Result<Option<Cells>, Unfit> {
    let because = |why: &str| Err(Unfit::Because(why.to_owned()));
    let split = rays::split(rules, layout).map_err(Unfit::Because)?;
    if split.rays.iter().all(rays::Ray::is_short) {
        return because("no move runs farther along a ray than it is long to look");
    }
    let misere = rules.game().play == Play::Misere;
    // A cell of two bytes is what most of these tables end with.
    let memory = budget.memory().saturating_sub(2 * layout.cells());
    let mut rays = Rays::new(layout, &split.rays, mode, misere, memory)?;
    let evaluator = |rules, mode| -> Box<dyn Evaluate + '_> {
        match Compiled::new(rules, layout, mode) {
            Ok(compiled) => Box::new(compiled),
            Err(_) => {
                let machine = Rules::machine_with(rules, budget.clone());
                Box::new(Interpret::new(machine, layout, mode))
            }
        }
    };
    let mut guards: Vec<_> = split
        .guards
        .iter()
        .map(|g| evaluator(g, Mode::Outcomes))
        .collect();
    let mut rest = split.rest.as_ref().map(|rest| evaluator(rest, mode));
    let rest = rest.as_deref_mut();
    match rays.fill(&mut guards, rest, told) {
        Ok(cells) => Ok(Some(cells)),
        Err(Failed::Stopped) => Ok(None),
        Err(Failed::Memory(bytes)) => Err(Unfit::Memory(bytes)),
        Err(Failed::Unable) => because("a cell needs more than its rays"),
    }
}

fn too_large(source: &Arc<Source>) -> Box<Diagnostic> {
    let message = "a value of this table is past 64 bits";
    Box::new(Diagnostic::error(Code::TooLarge, source, message))
}

/// Which counter of the position is which side of the table, and the greatest value of each.
pub(crate) fn sides(
    game: &Game,
    axes: &Axes,
) -> std::result::Result<(Vec<Word>, Vec<u64>), &'static str> {
    let slots = crate::format::plain_start(game)
        .ok_or("the start of the game is more than its counters")?;
    if axes.slots.iter().any(|&slot| game.vars[slot].in_rules) {
        return Err("the rules change with a counter of the table");
    }
    if axes.slots.iter().any(|slot| !slots.contains(slot)) {
        return Err("a counter of the table is no counter of the position");
    }
    let mut words = Vec::new();
    let mut to = Vec::new();
    for slot in slots {
        if let Some(axis) = axes.slots.iter().position(|s| *s == slot) {
            words.push(Word::Axis(axis));
            to.push(axes.to[axis]);
            continue;
        }
        let value = &axes.base[slot];
        let one = value.as_seq().map_or(Some(value), |parts| match parts {
            [one] => Some(one),
            _ => None,
        });
        let number = one.and_then(|v| v.as_int()?.to_u64());
        let number = number.ok_or("a counter that is fixed is no single number")?;
        words.push(Word::Fixed(number));
        to.push(number);
    }
    Ok((words, to))
}

fn enough_memory(layout: &Layout, source: &Arc<Source>, budget: &Budget) -> Result<()> {
    if layout.cells() <= budget.memory() {
        return Ok(());
    }
    let message = format!(
        "a table of {} cells needs at least {}, and the bound is {}",
        layout.cells(),
        room::text(layout.cells()),
        room::text(budget.memory())
    );
    let help = "ask for a smaller table, or give more memory with `--memory`";
    Err(Box::new(
        Diagnostic::error(Code::Memory, source, message).help(help),
    ))
}

fn memory_for_rays(
    layout: &Layout,
    bytes: u64,
    source: &Arc<Source>,
    budget: &Budget,
) -> Box<Diagnostic> {
    let message = format!(
        "a table of {} cells needs {}, and {} for the values along its rays, and the bound is {}",
        layout.cells(),
        room::text(2 * layout.cells()),
        room::text(bytes),
        room::text(budget.memory())
    );
    let help = "ask for a smaller table, or give more memory with `--memory`; `--engine jit` needs only the cells";
    Box::new(Diagnostic::error(Code::Memory, source, message).help(help))
}

/// Some positions of a table, each with some of its options.
fn samples(rules: &Rules, layout: &Layout) -> Vec<(Vec<u64>, Vec<u64>)> {
    let mut machine = rules.machine().with_patience(1 << 20);
    let mut out = Vec::new();
    let mut random = Random(1);
    for _ in 0..SAMPLES {
        let words = layout.words().iter();
        let mut at: Vec<u64> = words.map(|word| random.below(word.to + 1)).collect();
        for run in layout.unordered() {
            at[run.clone()].sort_unstable();
        }
        let part = Pos::of_counters(&at);
        let mut left = SAMPLES;
        let flow = machine.options(&part, &mut |option| {
            for part in option.parts {
                let words: Option<Vec<u64>> = part.0.iter().map(Int::to_u64).collect();
                out.extend(words.map(|words| (at.clone(), words)));
            }
            left -= 1;
            if left == 0 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if flow.is_err() {
            break;
        }
    }
    out
}
