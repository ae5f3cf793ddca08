//! Tables whose counters are those of the position: all cells in one array, filled along rays, by machine code or by the
//! interpreter.
//!
//! See [`grundy_search::dense`] for the arrays, its `rays` for moves along rays and [`grundy_jit`] for the code. What none of
//! them can decide is searched. Cost: one evaluation a cell, 1 to 4 bytes each; some milliseconds for the rays and the code.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use grundy_core::{Budget, Int, Outcome};
use grundy_jit::Compiled;
use grundy_lang::bind;
use grundy_lang::diag::{Code, Diagnostic, Source};
use grundy_lang::interp::{Machine, Rules};
use grundy_lang::ir::{Game, Play};
use grundy_lang::value::{Pos, Position};
use grundy_search::dense::rays::{self, Failed, Rays, Unfit};
use grundy_search::dense::{
    COUNTERS, Cells, Evaluate, Interpret, Layout, Mode, Offset, Order, Plain, Threads, Told, Worker,
};
use grundy_search::{Engine, Progress};

use crate::Result;
use crate::inputs::Random;
use crate::plan::Hook;
use crate::room;
use crate::table::{Axes, Cell, next};

/// Positions that are tried to find the order of the cells, and options of each.
const SAMPLES: u64 = 64;
/// Rows of a pair in no order that are read at once.
const BAND: usize = 32;
/// Numbers that are told at once of other tables.
const BLOCK: u64 = 1 << 16;
/// Values of quantifiers for which machine code takes no longer than a theorem that is asked for a position: a nanosecond or
/// two each, and one or two microseconds.
const CHEAP: u64 = 1000;
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
#[derive(Debug)]
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
            Cells::U8(cells) => {
                out.extend(places.map(|at| u64::from(cells[at as usize].load(Relaxed))))
            }
            Cells::U16(cells) => {
                out.extend(places.map(|at| u64::from(cells[at as usize].load(Relaxed))))
            }
            _ => out.extend(places.map(|at| self.at(at))),
        }
    }

    /// The numbers of all cells of a table with these sides in order, the last one fastest, many at a time. The error is that
    /// of the sink, or nothing if a number is too large for the type.
    pub fn each<T, E>(
        &self,
        to: &[u64],
        sink: &mut dyn FnMut(&[T]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), Option<E>>
    where
        T: Copy + Default + TryFrom<u64>,
    {
        match &self.cells {
            Cells::U8(cells) => {
                self.each_of(to, sink, |at| cells[at as usize].load(Relaxed).into())
            }
            Cells::U16(cells) => {
                self.each_of(to, sink, |at| cells[at as usize].load(Relaxed).into())
            }
            _ => self.each_of(to, sink, |at| self.at(at)),
        }
    }

    fn each_of<T, E>(
        &self,
        to: &[u64],
        sink: &mut dyn FnMut(&[T]) -> std::result::Result<(), E>,
        cell: impl Fn(u64) -> u64,
    ) -> std::result::Result<(), Option<E>>
    where
        T: Copy + Default + TryFrom<u64>,
    {
        let fitting = |number: u64| T::try_from(number).map_err(|_| None);
        if let ([Word::Axis(_), Word::Axis(_)], [run], [rows, columns]) =
            (&self.words[..], self.layout.unordered(), to)
            && let Offset::Listed(starts) = &self.layout.words()[run.start + 1].offset
        {
            // The cells of a column lie together: some rows at once, so that they are read together.
            let (rows, width) = (rows + 1, *columns as usize + 1);
            let mut out = vec![T::default(); BAND * width];
            for from in (0..rows).step_by(BAND) {
                let band = from..rows.min(from + BAND as u64);
                for (a, row) in band.clone().zip(out.chunks_exact_mut(width)) {
                    let start = starts[a as usize];
                    for (b, number) in (0..from).zip(row) {
                        *number = fitting(cell(start + b))?;
                    }
                }
                for b in from..width as u64 {
                    for a in band.clone() {
                        let number = cell(starts[a.max(b) as usize] + a.min(b));
                        out[(a - from) as usize * width + b as usize] = fitting(number)?;
                    }
                }
                sink(&out[..width * (band.end - band.start) as usize])?;
            }
            return Ok(());
        }
        let (mut numbers, mut out) = (Vec::new(), Vec::new());
        let (mut at, last) = (vec![0; to.len()], to.len() - 1);
        loop {
            let count = (to[last] + 1 - at[last]).min(BLOCK);
            numbers.clear();
            self.run(&at, count, &mut numbers);
            for &number in &numbers {
                out.push(fitting(number)?);
            }
            at[last] += count - 1;
            let more = next(&mut at, to);
            if !more || out.len() as u64 >= BLOCK {
                sink(&out)?;
                out.clear();
            }
            if !more {
                return Ok(());
            }
        }
    }

    /// The number in a cell, if it is known.
    #[inline]
    fn at(&self, place: u64) -> u64 {
        self.cells.get(place).unwrap_or(u64::MAX)
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
    layout.sort(counters);
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
    let mode = match mode(&Engine::new(&rules, budget.clone())) {
        Ok(mode) => mode,
        Err(why) => return refuse(why),
    };
    let room = Room {
        layout: &layout,
        source,
        budget,
        hook,
    };
    let mut told = teller(budget, hook);
    let done = |cells, by| Dense {
        words: words.clone(),
        layout: layout.clone(),
        cells,
        mode,
        by,
    };
    let compiled = match way(&rules, mode, by, Compiled::new, &room, &mut told)? {
        Way::Filled(cells) => return Ok(Some(done(cells, "rays"))),
        Way::Each(compiled) => compiled,
        Way::NoRoom { cells, sets } => return Err(room.for_rays(cells, sets)),
        Way::None(why) => return refuse(&why),
    };
    room.take(Cells::unknown_bytes(layout.cells(), mode))?;
    let by = one_by_one(&compiled);
    let worker = |compiled: Option<Box<Compiled>>| {
        let compiled = compiled.map(|compiled| compiled as Box<dyn Evaluate>);
        worker(&rules, mode, &room, compiled)
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
    let samples = samples(&rules, &layout);
    let order = Order::suiting(to.len(), &samples);
    let more = || {
        worker(
            (by == "jit")
                .then(|| Compiled::new(&rules, &layout, mode).ok().map(Box::new))
                .flatten(),
        )
    };
    // Where moves lead back along a side, no part of the table can be filled before all that comes before it.
    let tiled = order.tiles(&samples);
    let threads = Threads {
        count: if tiled { budget.threads() } else { 1 },
        worker: &more,
    };
    let first = worker(compiled);
    let plain = Plain {
        layout: &layout,
        order: &order,
        mode,
        wanted: wanted.as_deref(),
        widen: &|now, then| room.widen(now, then),
    };
    let filled = plain.fill(first, &threads, &mut told);
    match filled? {
        Some(cells) => Ok(Some(done(cells, by))),
        None => Err(stopped(source)),
    }
}

/// How the cells of an array are come by.
pub(crate) enum Way {
    /// They have been filled along rays.
    Filled(Cells),
    /// One by one, by machine code or by the interpreter.
    Each(Option<Box<Compiled>>),
    /// Rays need so many bytes for cells, and so many for the values along them.
    NoRoom { cells: u64, sets: u64 },
    /// Not as it was asked for, and why.
    None(String),
}

/// Compiles rules, if they can be.
pub(crate) type Compile = fn(&Rules, &Layout, Mode) -> std::result::Result<Compiled, String>;

/// Finds the way that `by` asks for, and takes it if it is along rays.
pub(crate) fn way(
    rules: &Rules,
    mode: Mode,
    by: By,
    compile: Compile,
    room: &Room<'_>,
    told: &mut Told<'_>,
) -> Result<Way> {
    if matches!(by, By::Auto | By::Rays) {
        match along_rays(rules, mode, room, told) {
            Ok(Some(cells)) => return Ok(Way::Filled(cells)),
            Ok(None) => return Err(stopped(room.source)),
            Err(Unfit::Memory { cells, sets }) => return Ok(Way::NoRoom { cells, sets }),
            Err(Unfit::Because(why)) if by == By::Rays => return Ok(Way::None(why)),
            Err(Unfit::Because(_)) => {}
        }
    }
    if by == By::Interpret {
        return Ok(Way::Each(None));
    }
    Ok(match compile(rules, room.layout, mode) {
        Ok(compiled) => Way::Each(Some(Box::new(compiled))),
        Err(_) if by == By::Auto => Way::Each(None),
        Err(why) => Way::None(format!("the rules are not compiled: {why}")),
    })
}

/// The engine that computes cells one by one.
pub(crate) fn one_by_one<T>(compiled: &Option<T>) -> &'static str {
    match compiled {
        Some(_) => "jit",
        None => "interpret",
    }
}

/// Whether a cell of a table costs no more than to ask a theorem for one position: along rays, or by machine code that tries few
/// options, as seen from the position with the greatest counters.
pub(crate) fn is_cheap(game: &Arc<Game>, axes: &Axes) -> bool {
    let Ok((_, to)) = sides(game, axes) else {
        return false;
    };
    let rules = Rules::new(game.clone(), axes.base.clone());
    let Ok(layout) = Layout::new(&game.shape, &to) else {
        return false;
    };
    let mut at = to;
    layout.sort(&mut at);
    let mut machine = rules.machine().with_patience(CHEAP);
    let few = machine
        .options(&Pos::of_counters(&at), &mut |_| ControlFlow::Continue(()))
        .is_ok();
    if few && Compiled::possible(&rules, &layout, Mode::Values) {
        return true;
    }
    let split = rays::split(&rules, &layout);
    split.is_ok_and(|split| split.rest.is_none() && !split.rays.iter().all(rays::Ray::is_short))
}

/// What can be computed of each position alone.
pub(crate) fn mode(engine: &Engine<Machine<'_>>) -> std::result::Result<Mode, &'static str> {
    match engine.values_valid(1) {
        Ok(()) => Ok(Mode::Values),
        Err(why) if engine.splits() => Err(why),
        Err(_) => Ok(Mode::Outcomes),
    }
}

/// Tells now and then how far it has come, and hears when to stop.
pub(crate) fn teller<'a>(
    budget: &'a Budget,
    hook: Option<&'a Hook>,
) -> impl FnMut(u64) -> ControlFlow<()> + 'a {
    let mut due = Instant::now() + TELL;
    move |done| {
        if budget.stopped() {
            return ControlFlow::Break(());
        }
        if let Some(hook) = hook
            && Instant::now() >= due
        {
            due = Instant::now() + TELL;
            hook(Progress {
                positions: done,
                ..Progress::default()
            });
        }
        ControlFlow::Continue(())
    }
}

pub(crate) fn stopped(source: &Arc<Source>) -> Box<Diagnostic> {
    let message = "stopped while the table was filled";
    Box::new(Diagnostic::error(Code::Interrupted, source, message))
}

/// Computes cells by this code, or by the interpreter, and asks the search where that is not enough.
pub(crate) fn worker<'a>(
    rules: &'a Rules,
    mode: Mode,
    room: &Room<'a>,
    compiled: Option<Box<dyn Evaluate + 'a>>,
) -> Worker<'a> {
    let Room {
        layout,
        source,
        budget,
        ..
    } = *room;
    let evaluate = compiled.unwrap_or_else(|| {
        let machine = rules.machine_with(budget.clone());
        Box::new(Interpret::new(machine, layout, mode))
    });
    let mut engine = None;
    let ask = move |at: &[u64], _: &Cells| -> Result<u64> {
        if budget.stopped() {
            return Err(stopped(source));
        }
        let engine = engine.get_or_insert_with(|| Engine::new(rules, budget.clone()));
        let part = Pos::of_counters(at);
        if mode == Mode::Values {
            let value = engine.value(&part)?;
            return value.to_u64().ok_or_else(|| too_large(source));
        }
        let outcome = engine.outcome(&Position::one(part))?;
        Ok(u64::from(outcome.next_wins()))
    };
    Worker {
        evaluate,
        ask: Box::new(ask),
    }
}

/// Fills a table along rays; `None` if it was broken off. The error says why it cannot be filled so.
fn along_rays(
    rules: &Rules,
    mode: Mode,
    room: &Room<'_>,
    told: &mut Told<'_>,
) -> std::result::Result<Option<Cells>, Unfit> {
    let Room { layout, budget, .. } = room;
    let because = |why: &str| Err(Unfit::Because(why.to_owned()));
    let split = rays::split(rules, layout).map_err(Unfit::Because)?;
    if split.rays.iter().all(rays::Ray::is_short) {
        return because(&format!(
            "no more than {} of its moves lie along a ray, and so few are tried one by one",
            rays::SHORT
        ));
    }
    let misere = rules.game().play == Play::Misere;
    let rays = Rays::new(layout, &split.rays, mode, misere, budget.memory())?;
    room.say(rays.memory());
    let evaluator = |rules, mode| -> Box<dyn Evaluate + '_> {
        match Compiled::new(rules, layout, mode) {
            Ok(compiled) => Box::new(compiled),
            Err(_) => {
                let machine = Rules::machine_with(rules, (*budget).clone());
                Box::new(Interpret::new(machine, layout, mode))
            }
        }
    };
    let guards = || {
        let guards = split.guards.iter();
        guards.map(|g| evaluator(g, Mode::Outcomes)).collect()
    };
    let rest = split.rest.as_ref();
    let rest = rest.map(|rest| move || evaluator(rest, mode));
    let rest = rest.as_ref().map(|rest| rest as _);
    match rays.fill(&guards, rest, budget.threads(), told) {
        Ok(cells) => Ok(Some(cells)),
        Err(Failed::Stopped) => Ok(None),
        Err(Failed::Memory { cells, sets }) => Err(Unfit::Memory { cells, sets }),
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

/// The memory that a table may take, and who is told of it.
pub(crate) struct Room<'a> {
    pub layout: &'a Layout,
    pub source: &'a Arc<Source>,
    pub budget: &'a Budget,
    pub hook: Option<&'a Hook>,
}

impl Room<'_> {
    /// Says that so many bytes are about to be taken.
    fn say(&self, bytes: u64) {
        if let Some(hook) = self.hook {
            hook(Progress {
                memory: bytes,
                ..Progress::default()
            });
        }
    }

    /// Takes so many bytes for cells.
    pub fn take(&self, bytes: u64) -> Result<()> {
        if bytes > self.budget.memory() {
            return Err(self.short(&format!("needs at least {}", room::text(bytes)), ""));
        }
        self.say(bytes);
        Ok(())
    }

    /// Takes so many bytes for wider cells, beside those of the narrower ones, which are there until these are filled.
    pub fn widen(&self, now: u64, then: u64) -> Result<()> {
        if now.saturating_add(then) > self.budget.memory() {
            let text = format!(
                "needs {} for values past {} bits, beside the {} that it takes so far",
                room::text(then),
                8 * now / self.layout.cells().max(1),
                room::text(now)
            );
            return Err(self.short(&text, ""));
        }
        self.say(then);
        Ok(())
    }

    pub fn for_rays(&self, cells: u64, sets: u64) -> Box<Diagnostic> {
        let text = format!(
            "needs {}, and {} for the values along its rays",
            room::text(cells),
            room::text(sets)
        );
        // Of a byte each, or less.
        let more = if self.layout.cells() <= self.budget.memory() {
            "; `--engine jit` needs only the cells"
        } else {
            ""
        };
        self.short(&text, more)
    }

    fn short(&self, needs: &str, more: &str) -> Box<Diagnostic> {
        let message = format!(
            "a table of {} cells {needs}, and the bound is {}",
            self.layout.cells(),
            room::text(self.budget.memory())
        );
        let help = format!("ask for a smaller table, or give more memory with `--memory`{more}");
        Box::new(Diagnostic::error(Code::Memory, self.source, message).help(help))
    }
}

/// Some positions of a table, each with some of its options.
fn samples(rules: &Rules, layout: &Layout) -> Vec<(Vec<u64>, Vec<u64>)> {
    let mut machine = rules.machine().with_patience(1 << 20);
    let mut out = Vec::new();
    let mut random = Random(1);
    for _ in 0..SAMPLES {
        let words = layout.words().iter();
        let mut at: Vec<u64> = words.map(|word| random.below(word.to + 1)).collect();
        layout.sort(&mut at);
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
