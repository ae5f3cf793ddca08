//! A contest's judge: reads cases in the contest's own format from a stream, decides each, and prints the exact bytes.
//!
//! One pass, one case in memory. The solver is made once and again only when a parameter that the rules read has changed;
//! it is asked for no more than the output prints. Answers are written out before the input is waited for and before an
//! error is told. Cost: reading (see [`crate::reader`]), about 10 ns more for each number of a list, and the solver.
//! For programs a case can be printed as a record instead (see [`run_records`]), about 2 µs a case more.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::sync::Arc;

use grundy_core::{Budget, Int};
use grundy_lang::diag::{Code, Diagnostic, Source, Span};
use grundy_lang::interp::{Machine, Rules, show};
use grundy_lang::ir::{
    Clause, Domain, Expr, ExprKind, Fold, Function, Game, InputItem, Output, Shape, Slot, Type,
};
use grundy_lang::value::{Pos, Position, Value, Words};

use crate::format::{Asked, Format, Step, Token, Want, element};
use crate::lane::Lane;
use crate::reader::{Fault, Place, Reader};
use crate::record::{Known, Record};

/// A result with the error boxed.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Bytes of answers that are gathered before they are written.
const GATHER: usize = 1 << 16;

/// Who decides the cases: a solver, made anew for every set of parameters that the rules read.
pub trait Decide {
    /// From now on these rules hold.
    fn rules(&mut self, rules: Rules) -> Result<()>;

    /// The answer for a position: what is wanted of it.
    fn answer(&mut self, position: &Position, want: Want) -> Result<CaseAnswer>;

    /// What else is known of a position with that answer, for its record.
    fn known(&mut self, _position: &Position, answer: &CaseAnswer) -> Result<Known> {
        Ok(Known {
            grundy: answer.value.clone(),
            ..Known::default()
        })
    }

    /// Lets go of what was computed for the rules, after an answer that was given up.
    fn forget(&mut self) {}

    /// Where a winning move leads; `None` for a P-position, and from those that cannot say.
    fn winning(&mut self, _position: &Position) -> Result<Option<Position>> {
        Ok(None)
    }
}

/// The answer to a case. What was not wanted may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseAnswer {
    /// Whether the player to move wins.
    pub win: bool,
    /// The Grundy value, where there is one.
    pub value: Option<Int>,
    /// The number of winning moves.
    pub moves: Option<Int>,
}

/// What was read and answered.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Cases answered.
    pub cases: u64,
    /// The output was closed by whoever read it, and the rest was left.
    pub closed: bool,
    /// What was answered and may not have been meant: text behind the last of the promised cases, read as a further number.
    pub warning: Option<Box<Diagnostic>>,
}

/// Reads cases and prints answers until the sentinel, the end of the input or an error.
pub fn run_with(
    game: &Arc<Game>,
    decide: &mut dyn Decide,
    input: impl Read,
    output: impl Write,
    strict: bool,
    budget: &Budget,
) -> Result<Summary> {
    run(game, decide, input, output, strict, budget, None)
}

/// The same with a line of JSON for each case instead of the contest's output, written as soon. The keys are `case` (from
/// 1), `line` (of the input, where the case starts), `position`, `outcome`, `grundy` (null where it is not known without a
/// search of its own), `method`, `claim`, and `output`: what the contest's output has for the case, line ends and all. A
/// line that cases share has its end in none of them.
pub fn run_records(
    game: &Arc<Game>,
    decide: &mut dyn Decide,
    input: impl Read,
    output: impl Write,
    strict: bool,
    budget: &Budget,
) -> Result<Summary> {
    let records = Some(String::new());
    run(game, decide, input, output, strict, budget, records)
}

fn run(
    game: &Arc<Game>,
    decide: &mut dyn Decide,
    input: impl Read,
    output: impl Write,
    strict: bool,
    budget: &Budget,
    records: Option<String>,
) -> Result<Summary> {
    let nothing = Rules::new(game.clone(), vec![Value::Bool(false); game.vars.len()]);
    let game: &Game = nothing.game();
    let format = Format::new(game)?;
    let mut judge = Judge {
        game,
        rules: nothing.game(),
        decide,
        machine: nothing.machine_with(budget.clone()),
        want: Want {
            win: format.want.win || records.is_some(),
            ..format.want
        },
        strict,
        plain_start: crate::format::plain_start(game),
        start_parts: crate::format::reads(&game.start.expr, game.vars.len())
            .into_iter()
            .filter(|s| game.vars[*s].part)
            .collect(),
        output_parts: game
            .output
            .iter()
            .flat_map(|o| crate::format::reads(&o.expr, game.vars.len()))
            .filter(|s| game.vars[*s].part)
            .collect(),
        counted: format.counted,
        words: game.output.iter().map(words).collect(),
        rows: vec![String::new(); game.output.len()],
        params: vec![Value::Bool(false); game.vars.len()],
        places: vec![None; game.vars.len()],
        lanes: Vec::new(),
        in_rules: (0..game.vars.len())
            .filter(|&slot| game.vars[slot].in_rules && !game.vars[slot].part)
            .collect(),
        counting: game
            .vars
            .iter()
            .position(|v| v.part)
            .filter(|_| game.start.sum),
        ruling: None,
        rows_at: Vec::new(),
        scratch: Vec::new(),
        numbers: Vec::new(),
        position: Position::default(),
        cases: 0,
        warning: None,
        records,
        line: 0,
        reader: Reader::new(input),
        out: Out {
            to: output,
            gathered: String::new(),
            closed: false,
        },
    };
    judge.lanes.resize(1 + format.len, None);
    judge.open_lanes(&format.steps, 0);
    let done = judge.records(&format.steps);
    judge.end_rows();
    let flushed = judge.out.flush();
    let summary = Summary {
        cases: judge.cases,
        closed: judge.out.closed,
        warning: judge.warning.take(),
    };
    match done {
        _ if summary.closed => Ok(summary),
        Err(error) => Err(error),
        Ok(_) => flushed
            .map(|()| summary)
            .map_err(|e| write_failed(game, &e)),
    }
}

/// What an output prints where the player to move wins and where not, if it is a text or a number for each.
fn words(output: &Output) -> Option<[String; 2]> {
    let ExprKind::If(condition, win, lose) = &output.expr.kind else {
        return None;
    };
    let word = |e: &Expr| match &e.kind {
        ExprKind::Str(text) => Some(text.to_string()),
        ExprKind::Int(v) => Some(v.to_string()),
        _ => None,
    };
    let of_win = matches!(condition.kind, ExprKind::Slot(slot) if slot == output.slots.win);
    of_win.then_some([word(win)?, word(lose)?])
}

fn write_failed(game: &Game, error: &io::Error) -> Box<Diagnostic> {
    let message = format!("the answers cannot be written: {error}");
    let help = "see whether the disk that standard output goes to is full";
    Box::new(Diagnostic::error(Code::File, &game.source, message).help(help))
}

/// Gathers output.
struct Out<W> {
    to: W,
    gathered: String,
    closed: bool,
}

impl<W: Write> Out<W> {
    /// Ends a line of which the rest has been gathered.
    fn line(&mut self, rest: &str) -> io::Result<()> {
        self.gathered.push_str(rest);
        self.gathered.push('\n');
        if self.gathered.len() >= GATHER {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let result = self.to.write_all(self.gathered.as_bytes());
        self.gathered.clear();
        self.closed |= result
            .as_ref()
            .is_err_and(|e| e.kind() == io::ErrorKind::BrokenPipe);
        result
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write()?;
        let result = self.to.flush();
        self.closed |= result
            .as_ref()
            .is_err_and(|e| e.kind() == io::ErrorKind::BrokenPipe);
        result
    }
}

/// Whether reading goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Over,
}

struct Judge<'g, 'd, R, W> {
    game: &'g Game,
    rules: &'g Arc<Game>,
    decide: &'d mut dyn Decide,
    machine: Machine<'g>,
    want: Want,
    strict: bool,
    /// See [`crate::format::plain_start`].
    plain_start: Option<Vec<Slot>>,
    /// Part variables that the start reads.
    start_parts: Vec<Slot>,
    /// Part variables that an output reads.
    output_parts: Vec<Slot>,
    /// Whether an output reads the number of the case.
    counted: bool,
    /// For each output, what it prints where the player to move wins and where not, if it is no more than that.
    words: Vec<Option<[String; 2]>>,
    /// For each output, the line of a group so far.
    rows: Vec<String>,
    params: Vec<Value>,
    /// Where each parameter of the case at hand stands.
    places: Vec<Option<Place>>,
    /// How the cases of the whole format, and of each step's body, are read at once.
    lanes: Vec<Option<Lane>>,
    /// Parameters that the rules read.
    in_rules: Vec<Slot>,
    /// The part variable that says how many parts there are.
    counting: Option<Slot>,
    /// The parameters for which the solver was made.
    ruling: Option<Vec<Value>>,
    /// Where each row of the last table stands.
    rows_at: Vec<Place>,
    scratch: Vec<Value>,
    /// Those of a case that is read at once.
    numbers: Vec<i64>,
    /// That of the last case, for its memory.
    position: Position,
    cases: u64,
    /// See [`Summary::warning`].
    warning: Option<Box<Diagnostic>>,
    /// The output of the case at hand, if cases are printed as records.
    records: Option<String>,
    /// The line of the input in which the case at hand starts.
    line: u64,
    reader: Reader<R>,
    out: Out<W>,
}

impl<'g, R: Read, W: Write> Judge<'g, '_, R, W> {
    fn open_lanes(&mut self, steps: &[Step<'g>], lane: usize) {
        self.lanes[lane] = Lane::new(self.game, steps, self.plain_start.as_deref(), self.strict);
        for step in steps.iter().filter(|s| !s.body.is_empty()) {
            self.open_lanes(&step.body, 1 + step.id);
        }
    }

    fn records(&mut self, steps: &[Step<'g>]) -> Result<()> {
        // The number of cases and its name, once all those of an input that is one `repeat` have been read.
        let mut again: Option<(Slot, String)> = None;
        loop {
            while self.at_once(0)? {}
            self.wait()?;
            if !self.reader.more().map_err(|f| self.fault(f, ""))? {
                return Ok(());
            }
            let place = self.reader.place();
            let start = match again {
                Some((slot, ref count)) => {
                    let start = self.reader.excerpt(&place);
                    self.behind(slot, count, place, start.as_ref());
                    start
                }
                None => None,
            };
            match self.record(steps, true) {
                Ok(Flow::Over) => return Ok(()),
                Ok(Flow::On) => {}
                Err(error) => {
                    return Err(match again {
                        Some((slot, ref count)) => {
                            self.read_again(error, slot, count, place, start)
                        }
                        None => error,
                    });
                }
            }
            if let [step] = steps
                && let InputItem::Repeat(slot, _) = step.item
            {
                again = Some((*slot, show(&self.params[*slot], &Type::Int)));
            }
            // Each record may start rules of its own; nothing of the last one is left but the solver.
        }
    }

    /// Tells of text behind the last of the promised cases, once.
    fn behind(&mut self, slot: Slot, count: &str, place: Place, start: Option<&(String, usize)>) {
        if self.warning.is_none() {
            let name = &self.game.vars[slot].name;
            let behind = behind_cases(name, count);
            let message = format!("the text behind {behind} was read as a new `{name}`");
            let told = self.error_in(Code::Requirement, place, start.cloned(), None, &message, "");
            self.warning = Some(Box::new(told.warning()));
        }
    }

    /// The error of text behind the last of the promised cases, which was taken for a further number of cases.
    fn read_again(
        &self,
        mut error: Box<Diagnostic>,
        slot: Slot,
        count: &str,
        place: Place,
        start: Option<(String, usize)>,
    ) -> Box<Diagnostic> {
        let name = &self.game.vars[slot].name;
        let behind = behind_cases(name, count);
        if error.code != Code::Truncated {
            error.notes.push(format!(
                "the text from line {}, column {} on, behind {behind}, was read as a new `{name}`",
                place.line, place.column
            ));
            return error;
        }
        let first = error.message;
        let message = format!("there is text behind {behind}; it was read as a new `{name}`");
        let mut new = self.error_in(error.code, place, start, None, &message, "");
        new.notes.push(format!(
            "read so, {}",
            first.split_once(": ").map_or(&*first, |(_, m)| m)
        ));
        new.notes.append(&mut error.notes);
        Box::new(new.help(format!(
            "take the text away, or give the true number of cases for `{name}`"
        )))
    }

    /// Writes what there is before the stream is waited for.
    fn wait(&mut self) -> Result<()> {
        if self.reader.idle() && !self.out.gathered.is_empty() {
            self.out.flush().map_err(|e| write_failed(self.game, &e))?;
        }
        Ok(())
    }

    /// Reads the steps of one record, or of one time of a `repeat`, and answers the case that they end with.
    fn record(&mut self, steps: &[Step<'g>], first: bool) -> Result<Flow> {
        self.line = self.reader.place().line;
        self.reader.take_negative();
        let mut sentinel = 0..0;
        if first {
            self.places.fill(None);
            sentinel = 1..steps
                .iter()
                .position(|s| s.until.is_some())
                .map_or(0, |i| i + 1);
        }
        for (i, step) in steps.iter().enumerate() {
            if sentinel.contains(&i) && self.sentinel_cut_short(steps)? {
                return Ok(Flow::Over);
            }
            if let InputItem::Repeat(slot, _) = step.item {
                return self.group(step, *slot, steps.len() == 1);
            }
            self.item(step.item)?;
            if self.asks(step)? == Flow::Over {
                return Ok(Flow::Over);
            }
        }
        self.case()?;
        Ok(Flow::On)
    }

    /// Reads and answers a case by its lane; `false`, and no more than blanks have been read, if that is not possible.
    fn at_once(&mut self, lane: usize) -> Result<bool> {
        let stale = self.stale();
        let Some(lane) = self.lanes[lane].as_ref().filter(|_| !stale) else {
            return Ok(false);
        };
        if !self.reader.ready() {
            return Ok(false);
        }
        let place = self.reader.place();
        let numbers = &mut self.numbers;
        if !lane.read(&mut self.reader, numbers) {
            return Ok(false);
        }
        self.line = place.line;
        for (&slot, &number) in lane.slots.iter().zip(&*numbers) {
            self.places[slot] = Some(place);
            if lane.told.contains(&slot) {
                self.machine.set(slot, Value::from(number));
            }
        }
        let mut position = std::mem::take(&mut self.position);
        position.parts.resize_with(1, Pos::default);
        lane.fill(numbers, &mut position.parts[0].0);
        self.answer(position)?;
        Ok(true)
    }

    /// Whether the solver was made for other parameters, or for none yet.
    fn stale(&self) -> bool {
        self.ruling.as_ref().is_none_or(|old| {
            let mut in_rules = self.in_rules.iter();
            in_rules.any(|&slot| old[slot] != self.params[slot])
        })
    }

    /// A final `0` where the contest's is `0 0`: the missing numbers are taken for zeros.
    fn sentinel_cut_short(&mut self, steps: &[Step<'g>]) -> Result<bool> {
        if self.reader.more().map_err(|f| self.fault(f, ""))? {
            return Ok(false);
        }
        for step in steps {
            if let InputItem::Scalar(slot) = step.item
                && self.places[*slot].is_none()
                && self.game.vars[*slot].ty == Type::Int
            {
                self.machine.set(*slot, Value::Int(Int::ZERO));
            }
            if let Some(until) = step.until {
                return self.machine.truth(until);
            }
        }
        Ok(false)
    }

    fn group(&mut self, step: &Step<'g>, slot: Slot, outermost: bool) -> Result<Flow> {
        self.item(step.item)?;
        if self.asks(step)? == Flow::Over {
            return Ok(Flow::Over);
        }
        let Value::Int(count) = self.params[slot].clone() else {
            return Ok(Flow::On);
        };
        if count.is_negative() {
            let name = &self.game.vars[slot].name;
            let message = format!("`{name}` is {count}, and it is how many cases follow");
            return Err(self.senseless(Code::Requirement, slot, message));
        }
        let mut done = Int::ZERO;
        while done < count {
            if self.at_once(1 + step.id)? {
                done = &done + &Int::ONE;
                continue;
            }
            self.wait()?;
            if !self.reader.more().map_err(|f| self.fault(f, ""))? {
                let name = &self.game.vars[slot].name;
                let message = format!(
                    "the input ends after {done} of the {count} case{} that `{name}` promised",
                    if count == Int::ONE { "" } else { "s" }
                );
                let help = if outermost {
                    "add the missing cases, or give their true number"
                } else {
                    "add the missing cases"
                };
                let place = self.reader.last();
                return Err(Box::new(
                    self.input_error(Code::Truncated, place, None, &message, "the end")
                        .help(help),
                ));
            }
            if self.record(&step.body, false)? == Flow::Over {
                return Ok(Flow::Over);
            }
            done = &done + &Int::ONE;
        }
        if !step
            .body
            .iter()
            .any(|s| matches!(s.item, InputItem::Repeat(..)))
        {
            self.end_group()?;
        }
        Ok(Flow::On)
    }

    /// Reads one item into the parameters.
    fn item(&mut self, item: &'g InputItem) -> Result<()> {
        let more = match item {
            InputItem::Array(slot, _)
            | InputItem::Scalar(slot)
            | InputItem::Lists(slot, _)
            | InputItem::Repeat(slot, _) => {
                let more = self.reader.more().map_err(|f| self.fault(f, ""))?;
                self.places[*slot] = Some(self.reader.place());
                more
            }
            InputItem::Rows(slots, _) => {
                let more = self.reader.more().map_err(|f| self.fault(f, ""))?;
                for slot in slots {
                    self.places[*slot] = Some(self.reader.place());
                }
                more
            }
        };
        let game = self.game;
        let name = |slot: Slot| game.vars[slot].name.as_str();
        match item {
            InputItem::Scalar(slot) | InputItem::Repeat(slot, _) => {
                let var = &game.vars[*slot];
                let value = match &var.ty {
                    Type::Int => self.reader.int().map(Value::Int),
                    ty => self.token(&Token::of(ty).unwrap_or(Token::Int)),
                };
                let value = value.map_err(|f| self.fault(f, &format!("`{}`", var.name)))?;
                self.put(*slot, if var.part { Value::seq([value]) } else { value });
            }
            InputItem::Array(slot, count) => {
                let ty = element(game, *slot);
                let token = ty.and_then(Token::of).unwrap_or(Token::Int);
                self.scratch.clear();
                match count {
                    Some(count) => {
                        let n = self.count(count, *slot)?;
                        self.list(n, &token).map_err(|(f, i)| {
                            let n = self.machine.int(count).unwrap_or_default();
                            let what = format!("value {} of the {n} of `{}`", i + 1, name(*slot));
                            self.fault(f, &what)
                        })?;
                    }
                    None if more => {
                        while self.reader.more_on_line().map_err(|f| self.fault(f, ""))? {
                            let value = self.token(&token).map_err(|f| {
                                let i = self.scratch.len() + 1;
                                self.fault(f, &format!("value {i} of `{}`", name(*slot)))
                            })?;
                            self.scratch.push(value);
                        }
                    }
                    None => {}
                }
                let value = self.gathered(*slot);
                self.put(*slot, value);
            }
            InputItem::Lists(slot, count) => {
                let n = self.count(count, *slot)?;
                let inner = element(game, *slot);
                let token = match inner {
                    Some(Type::List(m) | Type::Set(m) | Type::Multiset(m)) => Token::of(m),
                    _ => None,
                }
                .unwrap_or(Token::Int);
                let mut lists = Vec::new();
                for i in 0..n {
                    let what = |rest: &str| {
                        format!("{rest} list {} of the {n} of `{}`", i + 1, name(*slot))
                    };
                    let length = self
                        .reader
                        .int()
                        .map_err(|f| self.fault(f, &what("the length of")))?;
                    let Some(length) = length.to_usize() else {
                        let message = format!("{} cannot be {length}", what("the length of"));
                        return Err(self.senseless(Code::Requirement, *slot, message));
                    };
                    self.scratch.clear();
                    self.list(length, &token).map_err(|(f, k)| {
                        self.fault(f, &what(&format!("value {} of the {length} in", k + 1)))
                    })?;
                    lists.push(ordered(&mut self.scratch, inner));
                }
                let value = Value::seq(lists);
                self.put(*slot, value);
            }
            InputItem::Rows(slots, count) => {
                let n = self.count(count, slots[0])?;
                let tokens: Vec<Token> = slots
                    .iter()
                    .map(|s| element(game, *s).and_then(Token::of).unwrap_or(Token::Int))
                    .collect();
                let mut columns: Vec<Vec<Value>> =
                    vec![Vec::with_capacity(n.min(1 << 16)); slots.len()];
                self.rows_at.clear();
                for i in 0..n {
                    if self.reader.more().is_ok_and(|more| more) {
                        self.rows_at.push(self.reader.place());
                    }
                    for (k, token) in tokens.iter().enumerate() {
                        let value = match token {
                            Token::Int => self.reader.int().map(Value::Int),
                            token => self.token(token),
                        };
                        let value = value.map_err(|f| {
                            // A number past every memory is known to be no more than that.
                            let of = Some(n).filter(|&n| n < usize::MAX);
                            let of = of.map_or(String::new(), |n| format!(" of {n}"));
                            self.fault(f, &format!("`{}` in row {}{of}", name(slots[k]), i + 1))
                        })?;
                        columns[k].push(value);
                    }
                }
                for (slot, mut column) in slots.iter().zip(columns) {
                    let ty = if game.vars[*slot].part {
                        None
                    } else {
                        Some(&game.vars[*slot].ty)
                    };
                    self.put(*slot, ordered(&mut column, ty));
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, slot: Slot, value: Value) {
        if !self.game.vars[slot].part {
            self.machine.set(slot, value.clone());
        }
        self.params[slot] = value;
    }

    /// The list that has been read, as a value of the slot.
    fn gathered(&mut self, slot: Slot) -> Value {
        let var = &self.game.vars[slot];
        ordered(&mut self.scratch, (!var.part).then_some(&var.ty))
    }

    fn token(&mut self, token: &Token) -> std::result::Result<Value, Fault> {
        match token {
            Token::Int => self.reader.int().map(Value::Int),
            Token::Word => Ok(Value::seq(self.reader.word()?.chars().map(Value::Char))),
            Token::Char => {
                self.reader.more()?;
                let place = self.reader.place();
                let word = self.reader.word()?;
                let mut chars = word.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => Ok(Value::Char(c)),
                    _ => Err(Fault::NotANumber {
                        place,
                        token: word.chars().take(40).collect(),
                        why: "is more than the one character wanted",
                        help: None,
                    }),
                }
            }
            Token::Row(tokens) => {
                let values = tokens
                    .iter()
                    .map(|t| self.token(t))
                    .collect::<std::result::Result<Vec<_>, _>>()?;
                Ok(Value::seq(values))
            }
        }
    }

    /// Appends n values to the scratch list; a fault comes with the number of those before it.
    fn list(&mut self, n: usize, token: &Token) -> std::result::Result<(), (Fault, usize)> {
        if *token == Token::Int {
            return self
                .reader
                .ints(n, &mut self.scratch)
                .map_err(|f| (f, self.scratch.len()));
        }
        for i in 0..n {
            let value = self.token(token).map_err(|f| (f, i))?;
            self.scratch.push(value);
        }
        Ok(())
    }

    /// How many values a list has.
    fn count(&mut self, count: &'g Expr, slot: Slot) -> Result<usize> {
        let n = self.machine.int(count).map_err(|e| self.in_case(e))?;
        if n.is_negative() {
            let text = self.game.source.slice(count.span);
            let name = &self.game.vars[slot].name;
            let message = format!("`{text}` is {n}, and it is how many values `{name}` has");
            let blamed = crate::format::reads(count, self.game.vars.len());
            return Err(self.senseless(
                Code::Requirement,
                blamed.first().copied().unwrap_or(slot),
                message,
            ));
        }
        // What no memory holds is found missing where the input ends.
        Ok(n.to_usize().unwrap_or(usize::MAX))
    }

    /// Asks what can be asked after a step.
    fn asks(&mut self, step: &Step<'g>) -> Result<Flow> {
        if let Some(until) = step.until
            && self.machine.truth(until).map_err(|e| self.in_case(e))?
        {
            return Ok(Flow::Over);
        }
        for asked in &step.requires {
            self.ask(asked, Code::Requirement)?;
        }
        if self.strict {
            for asked in &step.limits {
                self.ask(asked, Code::Limit)?;
            }
        }
        Ok(Flow::On)
    }

    fn ask(&mut self, asked: &Asked<'g>, code: Code) -> Result<()> {
        if asked
            .quick
            .as_ref()
            .is_some_and(|quick| quick.holds(&self.params))
        {
            return Ok(());
        }
        let parts = match asked.parts.first() {
            Some(slot) => self.params[*slot].as_seq().map_or(0, <[Value]>::len),
            None => 1,
        };
        for part in 0..parts {
            for &slot in &asked.parts {
                if let Some(v) = self.params[slot].as_seq().and_then(|list| list.get(part)) {
                    self.machine.set(slot, v.clone());
                }
            }
            if !self
                .machine
                .truth(&asked.check.condition)
                .map_err(|e| self.in_case(e))?
            {
                return Err(self.broken(asked, code, part));
            }
        }
        Ok(())
    }

    /// The error of a requirement or limit that does not hold.
    fn broken(&mut self, asked: &Asked<'g>, code: Code, part: usize) -> Box<Diagnostic> {
        let game = self.game;
        let condition = game.source.slice(asked.check.condition.span);
        let message = match (&asked.check.message, code) {
            (Some(message), _) => message.clone(),
            (None, Code::Limit) => format!("past the contest's limit {condition}"),
            (None, _) => format!("this makes no sense here: {condition} does not hold"),
        };
        let spots = self.guilty(&asked.check.condition, &mut Vec::new());
        let guilty = spots
            .into_iter()
            .filter_map(|spot| Some((self.spot(spot, part)?, spot)))
            .max_by_key(|(place, _)| (place.line, place.column))
            .map(|(place, spot)| (place, spot.0, spot.1));
        let blamed = guilty.map(|(place, slot, _)| {
            self.places[slot] = Some(place);
            slot
        });
        // A number below zero is blamed before others only where a list was asked as a whole.
        let element = guilty.and_then(|(_, slot, at)| Some((slot, at?)));
        let whole = guilty.is_some_and(|(_, slot, at)| {
            at.is_none()
                && !asked.parts.contains(&slot)
                && self.params[slot].as_seq().is_some()
                && below_zero(&self.params[slot])
        });
        if !whole {
            self.reader.take_negative();
        }
        let mut error = match blamed {
            Some(slot) => self.senseless(code, slot, message),
            None => {
                let place = self.reader.place();
                Box::new(self.input_error(code, place, None, &message, ""))
            }
        };
        for &slot in &asked.reads {
            let var = &game.vars[slot];
            let (value, row) = match &self.params[slot] {
                Value::Seq(list) if asked.parts.contains(&slot) => {
                    (list[part].clone(), format!(" in row {}", part + 1))
                }
                value => (value.clone(), String::new()),
            };
            let ty = &var.ty;
            let mut text = show(&value, ty);
            if text.chars().count() > 60 {
                text = text.chars().take(57).collect::<String>() + "…";
            }
            error.notes.push(format!("{} = {text}{row}", var.name));
        }
        if let Some((slot, at)) = element
            && let Some(list) = self.params[slot].as_seq()
            && let (Some(value), Some(ty)) = (list.get(at), crate::format::element(game, slot))
            && list.len() > 1
            && !game.vars[slot].part
        {
            let name = &game.vars[slot].name;
            let which = match &game.vars[slot].ty {
                Type::List(_) => format!("value {} of `{name}`", at + 1),
                _ => format!("a value of `{name}`"),
            };
            error.notes.push(format!("{which} is {}", show(value, ty)));
        }
        if asked.check.message.is_some() {
            let verb = if code == Code::Limit {
                "the contest's limit is"
            } else {
                "the game requires"
            };
            error.notes.push(format!("{verb} {condition}"));
        }
        if code == Code::Limit {
            error.help =
                Some("without `--strict` numbers past the limits are answered too".to_owned());
        }
        error
    }

    /// What breaks a condition that does not hold: parameters, with the number of an element where one is to blame.
    ///
    /// Of a conjunction it is the first part that does not hold, of an `all` the first members for which it does not.
    fn guilty(
        &mut self,
        condition: &'g Expr,
        bound: &mut Vec<(Slot, Slot, usize)>,
    ) -> Vec<(Slot, Option<usize>)> {
        let vars = self.game.vars.len();
        match &condition.kind {
            ExprKind::And(all) => {
                if let Some(e) = all
                    .iter()
                    .find(|e| matches!(self.machine.truth(e), Ok(false)))
                {
                    return self.guilty(e, bound);
                }
            }
            ExprKind::Fold(Fold::All, body, clauses)
                if self.counterexample(body, clauses, bound).unwrap_or(false) =>
            {
                return self.guilty(body, bound);
            }
            ExprKind::Call(Function::Distinct, args) => {
                if let [arg] = &args[..]
                    && let ExprKind::Slot(slot) = arg.kind
                    && slot < vars
                    && let Some(list) = self.params[slot].as_seq()
                {
                    let mut seen = BTreeSet::new();
                    if let Some(again) = list.iter().position(|v| !seen.insert(v)) {
                        return vec![(slot, Some(again))];
                    }
                }
            }
            _ => {}
        }
        let mut found = Vec::new();
        let mut indices = Vec::new();
        indexed(condition, &mut indices);
        condition.walk(&mut |e| match &e.kind {
            ExprKind::Slot(slot) if *slot < vars => found.push((*slot, None)),
            ExprKind::Slot(slot) => found.extend(
                bound
                    .iter()
                    .filter(|(q, ..)| q == slot)
                    .map(|(_, list, i)| (*list, Some(*i))),
            ),
            _ => {}
        });
        for (list, index) in indices.into_iter().filter(|(list, _)| *list < vars) {
            if let Some(i) = self.machine.int(index).ok().and_then(|i| i.to_usize()) {
                found.push((list, Some(i)));
            }
        }
        // A list is not asked as a whole where an element of it is named.
        let named: Vec<Slot> = found
            .iter()
            .filter(|(_, i)| i.is_some())
            .map(|(s, _)| *s)
            .collect();
        found.retain(|(slot, i)| i.is_some() || !named.contains(slot));
        found
    }

    /// Goes to the first values of the quantifiers for which the body does not hold; whether there are any.
    fn counterexample(
        &mut self,
        body: &'g Expr,
        clauses: &'g [Clause],
        bound: &mut Vec<(Slot, Slot, usize)>,
    ) -> Result<bool> {
        let Some((first, rest)) = clauses.split_first() else {
            return Ok(!self.machine.truth(body)?);
        };
        match first {
            Clause::If(e) => Ok(self.machine.truth(e)? && self.counterexample(body, rest, bound)?),
            Clause::For {
                slots,
                domain: Domain::Range(low, high),
            } => {
                let (mut i, high) = (self.machine.int(low)?, self.machine.int(high)?);
                while i <= high {
                    for slot in slots {
                        self.machine.set(*slot, Value::Int(i.clone()));
                    }
                    if self.counterexample(body, rest, bound)? {
                        return Ok(true);
                    }
                    i = &i + &Int::ONE;
                }
                Ok(false)
            }
            Clause::For {
                slots,
                domain: Domain::Members(members),
            } => {
                let list = self.machine.value(members)?;
                for (i, member) in list.as_seq().unwrap_or_default().iter().enumerate() {
                    let before = bound.len();
                    for (k, slot) in slots.iter().enumerate() {
                        let value = match (&slots[..], member) {
                            ([_], _) => Some(member),
                            (_, Value::Seq(pieces)) => pieces.get(k),
                            _ => None,
                        };
                        if let Some(value) = value {
                            self.machine.set(*slot, value.clone());
                        }
                        if let ExprKind::Slot(list) = members.kind
                            && list < self.game.vars.len()
                        {
                            bound.push((*slot, list, i));
                        }
                    }
                    if self.counterexample(body, rest, bound)? {
                        return Ok(true);
                    }
                    bound.truncate(before);
                }
                Ok(false)
            }
        }
    }

    /// Where a parameter stands, or an element of it; of a list as a whole, where its last value does. The start of the
    /// item if that is no longer known.
    fn spot(&self, (slot, at): (Slot, Option<usize>), part: usize) -> Option<Place> {
        fn find(items: &[InputItem], slot: Slot) -> Option<&InputItem> {
            items.iter().find_map(|item| match item {
                item if crate::format::fills(item).contains(&slot) => Some(item),
                InputItem::Repeat(_, items) => find(items, slot),
                _ => None,
            })
        }
        fn words(token: &Token) -> usize {
            match token {
                Token::Row(tokens) => tokens.iter().map(words).sum(),
                _ => 1,
            }
        }
        let game = self.game;
        let start = self.places[slot]?;
        let item = find(&game.input.as_ref()?.items, slot)?;
        let var = &game.vars[slot];
        let list = self.params[slot].as_seq().unwrap_or_default();
        let at = match at {
            Some(at) => at,
            None if var.part => part,
            None => list.len().saturating_sub(1),
        };
        let width = |slot: Slot| {
            crate::format::element(game, slot)
                .and_then(Token::of)
                .map_or(1, |t| words(&t))
        };
        let kept = var.part || matches!(var.ty, Type::List(_));
        let found = match item {
            InputItem::Array(..) if kept => {
                self.reader.tokens(start).nth(at * width(slot)).map(|t| t.0)
            }
            // What has no order is no longer in that of the input: the same number, as often as it has come before.
            InputItem::Array(..) => {
                let value = list.get(at)?;
                let before = list[..at].iter().filter(|v| *v == value).count();
                let same = |token: &str| {
                    token
                        .parse::<Int>()
                        .is_ok_and(|v| Some(&v) == value.as_int())
                };
                self.reader
                    .tokens(start)
                    .filter(|(_, token)| same(token))
                    .nth(before)
                    .map(|t| t.0)
            }
            InputItem::Rows(slots, _) if kept => {
                let before: usize = slots
                    .iter()
                    .take_while(|s| **s != slot)
                    .map(|s| width(*s))
                    .sum();
                match self.rows_at.get(at) {
                    Some(row) if self.rows_at.first() == Some(&start) => self
                        .reader
                        .tokens(*row)
                        .nth(before)
                        .map_or(Some(*row), |t| Some(t.0)),
                    _ => {
                        let row: usize = slots.iter().map(|s| width(*s)).sum();
                        let nth = at.checked_mul(row)?.checked_add(before)?;
                        self.reader.tokens(start).nth(nth).map(|t| t.0)
                    }
                }
            }
            _ => None,
        };
        Some(found.unwrap_or(start))
    }

    /// Answers the case that has been read.
    fn case(&mut self) -> Result<()> {
        let position = self.position()?;
        if self.stale() {
            let rules = Rules::new(self.rules.clone(), self.params.clone());
            self.decide.rules(rules).map_err(|e| self.in_case(e))?;
            self.ruling = Some(self.params.clone());
        }
        self.answer(position)
    }

    /// Answers a case with this position.
    fn answer(&mut self, position: Position) -> Result<()> {
        let game = self.game;
        let answer = self
            .decide
            .answer(&position, self.want)
            .map_err(|e| self.in_case(e))?;
        let need = |found: Option<Int>, what: &str| {
            found.ok_or_else(|| {
                let message = format!("the output prints {what}, and this game has none");
                Box::new(Diagnostic::error(Code::Unsupported, &game.source, message))
            })
        };
        // Outputs read part variables only where the format gives them one value.
        for &slot in &self.output_parts {
            if let Some(v) = self.params[slot].as_seq().and_then(<[Value]>::last) {
                self.machine.set(slot, v.clone());
            }
        }
        for (i, output) in game.output.iter().enumerate() {
            let words = self.words[i].as_ref();
            if words.is_none() {
                let slots = output.slots;
                if self.want.win {
                    self.machine.set(slots.win, Value::Bool(answer.win));
                }
                if self.want.value {
                    let value = need(answer.value.clone(), "the Grundy value")?;
                    self.machine.set(slots.value, Value::Int(value));
                }
                if self.want.moves {
                    let moves = need(answer.moves.clone(), "the number of winning moves")?;
                    self.machine.set(slots.moves, Value::Int(moves));
                }
                if self.counted {
                    let case = Int::from(self.cases + 1);
                    self.machine.set(slots.case, Value::Int(case));
                }
            }
            let text = match &mut self.records {
                Some(text) => text,
                None if output.row => &mut self.rows[i],
                None => &mut self.out.gathered,
            };
            if let Some([win, lose]) = words {
                text.push_str(if answer.win { win } else { lose });
            } else {
                let before = text.len();
                if let Err(error) = self.machine.text_into(&output.expr, text) {
                    text.truncate(before);
                    return Err(self.in_case(error));
                }
            }
            match &mut self.records {
                _ if output.row => {}
                Some(text) => text.push('\n'),
                None => self.print("")?,
            }
        }
        if self.records.is_some() {
            self.print_record(&position, &answer)?;
        }
        self.position = position;
        self.cases += 1;
        Ok(())
    }

    /// Prints the record of the case, whose output has been gathered.
    fn print_record(&mut self, position: &Position, answer: &CaseAnswer) -> Result<()> {
        let known = self.decide.known(position, answer);
        let known = known.map_err(|e| self.in_case(e))?;
        let record = Record {
            case: self.cases + 1,
            line: self.line,
            position,
            win: answer.win,
            known,
            output: self.records.as_deref().unwrap_or_default(),
        };
        let line = record.to_json(&self.game.shape).to_string();
        if let Some(text) = &mut self.records {
            text.clear();
        }
        self.print(&line)
    }

    fn print(&mut self, line: &str) -> Result<()> {
        self.out.line(line).map_err(|e| write_failed(self.game, &e))
    }

    /// Ends the lines of a group.
    fn end_group(&mut self) -> Result<()> {
        if self.records.is_some() {
            return Ok(());
        }
        for i in 0..self.rows.len() {
            if self.game.output[i].row {
                let row = std::mem::take(&mut self.rows[i]);
                self.print(&row)?;
            }
        }
        Ok(())
    }

    /// Ends lines that an error or the end of the input cut short.
    fn end_rows(&mut self) {
        for row in &self.rows {
            if !row.is_empty() {
                // A failure shows when the rest is flushed.
                let _ = self.out.line(row);
            }
        }
    }

    /// The position of the case.
    fn position(&mut self) -> Result<Position> {
        let game = self.game;
        let parts = self.counting.map_or(1, |slot| {
            self.params[slot].as_seq().map_or(0, <[Value]>::len)
        });
        let mut position = std::mem::take(&mut self.position);
        position.parts.resize_with(parts, Pos::default);
        for part in 0..parts {
            if self.plain(part, &mut position.parts[part].0).is_some() {
                continue;
            }
            for &slot in &self.start_parts {
                if let Some(v) = self.params[slot].as_seq().and_then(|list| list.get(part)) {
                    self.machine.set(slot, v.clone());
                }
            }
            let value = self
                .machine
                .value(&game.start.expr)
                .map_err(|e| self.in_case(e))?;
            match game.shape.pos(&value) {
                Ok(pos) => position.parts[part] = pos,
                Err(count) => {
                    let message =
                        format!("a position has no count below zero, and here is {count}");
                    let slot = crate::format::reads(&game.start.expr, game.vars.len())
                        .first()
                        .copied();
                    return Err(self.senseless(Code::Requirement, slot.unwrap_or(0), message));
                }
            }
        }
        Ok(position)
    }

    /// Fills in the words of the part, if it is given number by number and none is below zero.
    fn plain(&self, part: usize, words: &mut Words) -> Option<()> {
        words.clear();
        for slot in self.plain_start.as_ref()? {
            let value = &self.params[*slot];
            let value = if self.game.vars[*slot].part {
                value.as_seq()?.get(part)?
            } else {
                value
            };
            words.push(value.as_int().filter(|v| !v.is_negative())?.clone());
        }
        if matches!(self.game.shape, Shape::Unordered(..)) {
            words.sort_unstable();
        }
        Some(())
    }

    /// An error of what a number means, at the first number below zero of the case or else where the parameter stands.
    fn senseless(&mut self, code: Code, slot: Slot, message: String) -> Box<Diagnostic> {
        let place = match self.reader.take_negative() {
            Some(place) => place,
            None => self
                .places
                .get(slot)
                .copied()
                .flatten()
                .unwrap_or_else(|| self.reader.place()),
        };
        let error = self.input_error(code, place, None, &message, "");
        Box::new(error.note(format!("in case {}", self.cases + 1)))
    }

    /// Says of an error of the rules or the solver in which case it came up.
    fn in_case(&self, mut error: Box<Diagnostic>) -> Box<Diagnostic> {
        if error.code != Code::Interrupted {
            let start = self
                .places
                .iter()
                .flatten()
                .min_by_key(|p| (p.line, p.column));
            let place = start.map_or(String::new(), |p| {
                format!(", read from line {}, column {}", p.line, p.column)
            });
            error
                .notes
                .push(format!("in case {}{place}", self.cases + 1));
        }
        error
    }

    /// The error of reading; `what` was to be read.
    fn fault(&self, fault: Fault, what: &str) -> Box<Diagnostic> {
        let case = self.cases + 1;
        Box::new(match fault {
            Fault::End(place) => {
                let message = format!("the input ends inside case {case}");
                let mut error = self.input_error(Code::Truncated, place, None, &message, "the end");
                if !what.is_empty() {
                    error = error.note(format!("{what} was to be read next"));
                }
                error.help("add what is missing, or take the unfinished case away")
            }
            Fault::NotANumber {
                place,
                token,
                why,
                help,
            } => {
                let message = format!("`{token}` {why}");
                let label = if what.is_empty() {
                    String::new()
                } else {
                    format!("{what} is wanted here")
                };
                let mut error =
                    self.input_error(Code::BadValue, place, Some(token.len()), &message, &label);
                error = error.note(format!("in case {case}"));
                error.help(help.unwrap_or_else(|| {
                    "numbers are written in digits alone, such as 12 or -3".to_owned()
                }))
            }
            Fault::Stream(error) => Diagnostic::error(
                Code::File,
                &Source::new("input", ""),
                format!("the input cannot be read: {error}"),
            )
            .help("see whether standard input is a file that you may read: `grundy judge GAME < in.txt`"),
        })
    }

    /// An error at a place of the input, with its line if that is still at hand.
    fn input_error(
        &self,
        code: Code,
        place: Place,
        width: Option<usize>,
        message: &str,
        label: &str,
    ) -> Diagnostic {
        let line = self.reader.excerpt(&place);
        self.error_in(code, place, line, width, message, label)
    }

    /// An error at a place of a line, and the byte of the line where that is, unless that is not known.
    fn error_in(
        &self,
        code: Code,
        place: Place,
        line: Option<(String, usize)>,
        width: Option<usize>,
        message: &str,
        label: &str,
    ) -> Diagnostic {
        let message = format!("line {}, column {}: {message}", place.line, place.column);
        let Some((line, at)) = line else {
            return Diagnostic::error(code, &Source::excerpt("input", "", place.line), message);
        };
        let token = line[at..].split_whitespace().next().unwrap_or("").len();
        let end = line.len().min(at + width.unwrap_or(token));
        let end = (end..line.len())
            .find(|i| line.is_char_boundary(*i))
            .unwrap_or(line.len());
        let source = Source::excerpt("input", line, place.line);
        Diagnostic::error(code, &source, message).at(Span::new(at, end), label)
    }
}

fn behind_cases(name: &str, count: &str) -> String {
    match count {
        "1" => format!("the one case that `{name}` promised"),
        n => format!("the last of the {n} cases that `{name}` promised"),
    }
}

/// The elements of lists that an expression compares.
fn indexed<'e>(expr: &'e Expr, out: &mut Vec<(Slot, &'e Expr)>) {
    match &expr.kind {
        ExprKind::Index(list, index) => {
            if let ExprKind::Slot(list) = list.kind {
                out.push((list, &**index));
            }
        }
        ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) => {
            indexed(a, out);
            indexed(b, out);
        }
        ExprKind::Neg(a) | ExprKind::Not(a) => indexed(a, out),
        ExprKind::Or(all) | ExprKind::And(all) => all.iter().for_each(|e| indexed(e, out)),
        _ => {}
    }
}

/// Whether a number below zero is in a value.
fn below_zero(value: &Value) -> bool {
    match value {
        Value::Int(v) => v.is_negative(),
        Value::Seq(members) => members.iter().any(below_zero),
        Value::Bool(_) | Value::Char(_) => false,
    }
}

/// A list as a value of its type, and the list emptied: what has no order is sorted, a set has each member once.
fn ordered(values: &mut Vec<Value>, ty: Option<&Type>) -> Value {
    match ty {
        Some(Type::Set(_)) => {
            values.sort();
            values.dedup();
        }
        Some(Type::Multiset(_) | Type::Unordered(..)) => values.sort(),
        _ => {}
    }
    Value::Seq(values.drain(..).collect())
}
