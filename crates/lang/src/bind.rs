//! Arguments to a game: from the words of a command line or an `expect` fact to parameters and a first position.
//!
//! Bare values go to names in the order of the game's `input` (one case, without a `repeat` count); a game without an
//! `input` takes its parameters and then the names of its start, the last of them everything that remains. `name=value`
//! may stand anywhere. A count that says no more than how long a list is need not be given: where the first bare values
//! can be read with such a count they are, else without. Cost: linear in the input.

use std::fmt::Display;
use std::sync::Arc;

use grundy_core::Int;

use crate::ast::Text;
use crate::diag::{Code, Diagnostic, Source, Span};
use crate::interp::{Machine, Rules};
use crate::ir::{Check, ExpectAnswer, Expr, ExprKind, Game, InputItem, Literal, Slot, Type, Var};
use crate::value::{Position, Value};

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Arguments and the text that their places are of.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The text: the words of the command line, or the game itself for an `expect`.
    pub source: Arc<Source>,
    /// `name=value`, or a bare value.
    pub list: Vec<(Option<String>, Literal)>,
}

/// A game with everything given: rules to play by and the position to start from.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The rules with their parameters.
    pub rules: Rules,
    /// The first position.
    pub position: Position,
    /// The value of each of [`Game::vars`]; of a part variable, the list of its values.
    pub values: Vec<Value>,
    /// Said if the bare values could be read in another way as well: which way was taken, and how to say the other.
    pub note: Option<Diagnostic>,
}

impl Arguments {
    /// Reads the words of a command line: numbers of any length, `[1, 2]`, `4,4`, `"text"`, a bare word, each perhaps
    /// behind `name=`. A list may go on over several words.
    pub fn parse<S: AsRef<str>>(words: &[S]) -> Result<Self> {
        let text = words
            .iter()
            .map(|w| w.as_ref())
            .collect::<Vec<_>>()
            .join(" ");
        let source = Source::new("<arguments>", text);
        let mut list = Vec::new();
        let mut at = 0;
        let mut words = words.iter().map(|w| w.as_ref().len()).peekable();
        while let Some(len) = words.next() {
            let mut end = at + len;
            // Brackets that are still open go on in the next word.
            while open_brackets(&source.text[at..end]) > 0
                && let Some(more) = words.next()
            {
                end += 1 + more;
            }
            list.push(argument(&source, at, end)?);
            at = end + 1;
        }
        Ok(Arguments { source, list })
    }
}

fn open_brackets(text: &str) -> i64 {
    let mut depth = 0;
    let mut quoted = false;
    let mut escaped = false;
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' | '(' | '{' if !quoted => depth += 1,
            ']' | ')' | '}' if !quoted => depth -= 1,
            _ => {}
        }
    }
    depth
}

fn argument(source: &Arc<Source>, start: usize, end: usize) -> Result<(Option<String>, Literal)> {
    let word = &source.text[start..end];
    if let Some((name, value)) = word.split_once('=')
        && name
            .chars()
            .enumerate()
            .all(|(i, c)| c == '_' || c.is_alphabetic() || i > 0 && c.is_alphanumeric())
        && !name.is_empty()
    {
        let from = end - value.len();
        return Ok((Some(name.to_owned()), whole(source, from, end)?));
    }
    // `14, 9` as people write it.
    let trimmed = word
        .strip_suffix(',')
        .filter(|w| !w.is_empty())
        .unwrap_or(word);
    Ok((None, whole(source, start, start + trimmed.len())?))
}

/// The one value in `start..end`.
fn whole(source: &Arc<Source>, start: usize, end: usize) -> Result<Literal> {
    let text = &source.text[start..end];
    let bracketed = text.starts_with(['[', '(', '{', '"']);
    if bracketed {
        let mut reader = Reader {
            source,
            at: start,
            end,
        };
        let value = reader.value(0)?;
        reader.blanks();
        if reader.at < end {
            let rest = Span::new(reader.at, end);
            return Err(reader.error("one value ends here, and more follows", rest));
        }
        return Ok(value);
    }
    let span = Span::new(start, end);
    if let Ok(number) = text.parse::<Int>() {
        return Ok(Literal::Int(number, span));
    }
    if text.contains(',') {
        let mut list = Vec::new();
        let mut at = start;
        for piece in text.split(',') {
            let span = Span::new(at, at + piece.len());
            at += piece.len() + 1;
            match piece.parse::<Int>() {
                Ok(number) => list.push(Literal::Int(number, span)),
                Err(_) => return Ok(bare(text, start, end)),
            }
        }
        return Ok(Literal::List(list, span));
    }
    Ok(bare(text, start, end))
}

fn bare(text: &str, start: usize, end: usize) -> Literal {
    Literal::Str(Text {
        text: text.to_owned(),
        span: Span::new(start, end),
    })
}

/// Reads a bracketed value.
struct Reader<'a> {
    source: &'a Arc<Source>,
    at: usize,
    end: usize,
}

impl Reader<'_> {
    /// Deeper than any value of any game.
    const DEPTH: usize = 32;

    fn rest(&self) -> &str {
        &self.source.text[self.at..self.end]
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn error(&self, message: &str, span: Span) -> Box<Diagnostic> {
        let whole = "this value cannot be read";
        let error = Diagnostic::error(Code::BadValue, self.source, whole).at(span, message);
        Box::new(
            error.help("a value is a whole number, a word, or a list of these such as [1,2,3]"),
        )
    }

    fn value(&mut self, depth: usize) -> Result<Literal> {
        self.blanks();
        let start = self.at;
        let Some(first) = self.rest().chars().next() else {
            return Err(self.error("a value is missing here", Span::new(start, start)));
        };
        match first {
            '[' | '(' | '{' => {
                let close = match first {
                    '[' => ']',
                    '(' => ')',
                    _ => '}',
                };
                if depth == Self::DEPTH {
                    return Err(self.error("nested too deeply", Span::new(start, start + 1)));
                }
                self.at += 1;
                let mut list = Vec::new();
                loop {
                    self.blanks();
                    if self.rest().starts_with(close) {
                        self.at += 1;
                        return Ok(Literal::List(list, Span::new(start, self.at)));
                    }
                    if self.rest().is_empty() {
                        let place = Span::new(start, start + 1);
                        return Err(self.error(&format!("its `{close}` is missing"), place));
                    }
                    list.push(self.value(depth + 1)?);
                    self.blanks();
                    if self.rest().starts_with(',') {
                        self.at += 1;
                    }
                }
            }
            '"' => {
                let mut text = String::new();
                let mut escaped = false;
                for (i, c) in self.rest().char_indices().skip(1) {
                    if escaped {
                        text.push(match c {
                            'n' => '\n',
                            't' => '\t',
                            c => c,
                        });
                        escaped = false;
                    } else if c == '\\' {
                        escaped = true;
                    } else if c == '"' {
                        self.at += i + 1;
                        return Ok(Literal::Str(Text {
                            text,
                            span: Span::new(start, self.at),
                        }));
                    } else {
                        text.push(c);
                    }
                }
                Err(self.error("its closing quote is missing", Span::new(start, self.end)))
            }
            _ => {
                let stop = |c: char| c.is_whitespace() || ",[](){}\"".contains(c);
                let len = self.rest().find(stop).unwrap_or(self.rest().len());
                if len == 0 {
                    let place = Span::new(start, start + first.len_utf8());
                    return Err(self.error("a value was expected here", place));
                }
                self.at += len;
                let text = &self.source.text[start..self.at];
                Ok(match text.parse::<Int>() {
                    Ok(number) => Literal::Int(number, Span::new(start, self.at)),
                    Err(_) => bare(text, start, self.at),
                })
            }
        }
    }
}

fn span_of(literal: &Literal) -> Span {
    match literal {
        Literal::Int(_, span) | Literal::List(_, span) => *span,
        Literal::Str(text) => text.span,
    }
}

/// What a run of bare values is for.
#[derive(Clone, Debug)]
enum Take<'g> {
    /// One value.
    One(Slot),
    /// A list, an element a value, or the whole list as one.
    List(Slot, Option<&'g Expr>),
    /// Lists, each a value.
    Lists(Slot, Option<&'g Expr>),
    /// Rows with a value for each slot.
    Rows(Vec<Slot>, Option<&'g Expr>),
}

impl<'g> Take<'g> {
    fn count(&self) -> Option<&'g Expr> {
        match self {
            Take::One(_) => None,
            Take::List(_, count) | Take::Lists(_, count) | Take::Rows(_, count) => *count,
        }
    }

    /// Values for each element or row.
    fn width(&self) -> usize {
        match self {
            Take::Rows(slots, _) => slots.len(),
            _ => 1,
        }
    }
}

/// Whether a value of this type is written as several.
fn is_list(ty: &Type) -> bool {
    match ty {
        Type::List(member) => **member != Type::Char,
        Type::Tuple(_) | Type::Unordered(..) | Type::Multiset(_) | Type::Set(_) => true,
        Type::Int | Type::Bool | Type::Char | Type::Unknown(_) => false,
    }
}

/// The slot, if the expression is no more than that.
fn bare_slot(expr: &Expr) -> Option<Slot> {
    match expr.kind {
        ExprKind::Slot(slot) => Some(slot),
        _ => None,
    }
}

/// What bare values are for, in order, and for each variable whether it is only the length of something given.
struct Layout<'g> {
    game: &'g Game,
    takes: Vec<Take<'g>>,
    derived: Vec<bool>,
    /// Counts of `repeat`, which stands for one case here.
    repeats: Vec<Slot>,
}

impl<'g> Layout<'g> {
    /// The values in the order of the contest's input, with the counts of lists; `None` if there are no such counts.
    fn with_counts(game: &'g Game) -> Option<Self> {
        let input = game.input.as_ref()?;
        let mut layout = Self::new(game);
        let short = layout.takes.len();
        layout.takes.clear();
        layout.repeats.clear();
        layout.read(&input.items);
        layout.derived.fill(false);
        (layout.takes.len() > short).then_some(layout)
    }

    /// The same without counts that only say how long a list is; for a game without an input, its parameters and then
    /// the names of its start.
    fn new(game: &'g Game) -> Self {
        let mut layout = Layout {
            game,
            takes: Vec::new(),
            derived: vec![false; game.vars.len()],
            repeats: Vec::new(),
        };
        if let Some(input) = &game.input {
            layout.read(&input.items);
        }
        let placed = |layout: &Self, slot: Slot| {
            layout.repeats.contains(&slot)
                || layout.takes.iter().any(|t| match t {
                    Take::One(s) | Take::List(s, _) | Take::Lists(s, _) => *s == slot,
                    Take::Rows(slots, _) => slots.contains(&slot),
                })
        };
        let mut parts = Vec::new();
        for (slot, var) in game.vars.iter().enumerate() {
            if placed(&layout, slot) {
                continue;
            }
            if var.part {
                parts.push(slot);
                continue;
            }
            let count = var.dims.first().and_then(Option::as_ref);
            let take = match (&var.ty, var.dims.len()) {
                (_, 2..) => Take::Lists(slot, count),
                (Type::List(member), _) if is_list(member) => Take::Lists(slot, count),
                (ty, _) if is_list(ty) => Take::List(slot, count),
                _ => Take::One(slot),
            };
            layout.takes.push(take);
        }
        if !parts.is_empty() {
            layout.takes.push(Take::Rows(parts, None));
        }
        let counts: Vec<Slot> = layout
            .takes
            .iter()
            .filter_map(|t| t.count().and_then(bare_slot))
            .chain(
                game.vars
                    .iter()
                    .flat_map(|v| v.dims.first()?.as_ref().and_then(bare_slot)),
            )
            .collect();
        for slot in counts {
            if let Some(var) = game.vars.get(slot)
                && !(var.in_rules || var.in_start || var.part)
            {
                layout.derived[slot] = true;
            }
        }
        let derived = &layout.derived;
        layout
            .takes
            .retain(|t| !matches!(t, Take::One(slot) if derived[*slot]));
        layout
    }

    fn read(&mut self, items: &'g [InputItem]) {
        for item in items {
            let take = match item {
                InputItem::Scalar(slot) if !self.game.vars[*slot].part => Take::One(*slot),
                // One case gives one part: counters beside one another are those of a row.
                InputItem::Scalar(slot) => match self.takes.last_mut() {
                    Some(Take::Rows(slots, None)) => {
                        slots.push(*slot);
                        continue;
                    }
                    _ => Take::Rows(vec![*slot], None),
                },
                InputItem::Array(slot, count) if self.game.vars[*slot].part => {
                    Take::Rows(vec![*slot], count.as_ref())
                }
                InputItem::Array(slot, count) => Take::List(*slot, count.as_ref()),
                InputItem::Lists(slot, count) => Take::Lists(*slot, Some(count)),
                InputItem::Rows(slots, count) => Take::Rows(slots.clone(), Some(count)),
                InputItem::Repeat(slot, items) => {
                    self.repeats.push(*slot);
                    self.read(items);
                    continue;
                }
            };
            self.takes.push(take);
        }
    }

    fn name(&self, slot: Slot) -> &'g str {
        &self.game.vars[slot].name
    }

    fn show(&self, take: &Take<'_>) -> String {
        let fixed = |count: &Expr| !bare_slot(count).is_some_and(|s| self.derived[s]);
        let text = |count: &Expr| self.game.source.slice(count.span).to_owned();
        match take {
            Take::One(slot) => self.name(*slot).to_owned(),
            Take::List(slot, Some(count)) if fixed(count) => {
                format!("{}[{}]", self.name(*slot), text(count))
            }
            Take::List(slot, _) => format!("{}…", self.name(*slot)),
            Take::Lists(slot, _) => format!("{}=[[…], …]", self.name(*slot)),
            Take::Rows(slots, count) => {
                let names: Vec<_> = slots.iter().map(|s| self.name(*s)).collect();
                let row = match &names[..] {
                    [one] => (*one).to_owned(),
                    many => format!("({})", many.join(" ")),
                };
                match count {
                    Some(count) if fixed(count) => format!("{row}[{}]", text(count)),
                    _ => format!("{row}…"),
                }
            }
        }
    }
}

/// How a game is asked for, `team_nim n S M[2*n]`: the name and then what it takes, in order.
pub fn usage(game: &Game) -> String {
    let layout = Layout::new(game);
    let mut out = if game.name.contains(char::is_whitespace) {
        format!("'{}'", game.name)
    } else {
        game.name.clone()
    };
    for take in &layout.takes {
        out.push(' ');
        out.push_str(&layout.show(take));
    }
    out
}

/// What to do about wrong arguments: how the game is asked for, and a fact of it as an example.
fn help(game: &Game) -> String {
    let mut out = format!("usage: {}", usage(game));
    let telling = game.expects.iter().find(|e| e.answer == ExpectAnswer::Win);
    if let Some(fact) = telling.or(game.expects.first()) {
        let text = game.source.slice(fact.span);
        let text = text.strip_prefix("expect").unwrap_or(text);
        let args = text.split("->").next().unwrap_or(text).trim();
        out.push_str(&format!("   for example: {} {args}", game.name));
    }
    let open = |item: &InputItem| matches!(item, InputItem::Array(_, None));
    if game.input.iter().any(|input| input.items.iter().any(open)) {
        out.push_str("   an empty list is []");
    }
    out
}

/// Binds arguments, checks them, and builds the first position.
pub fn bind(game: &Arc<Game>, args: &Arguments) -> Result<Bound> {
    let short = values(game, args);
    let bare = args.list.iter().any(|(name, _)| name.is_none());
    let counted = Layout::with_counts(game)
        .filter(|_| bare)
        .and_then(|layout| {
            let values = Binder {
                game,
                source: &args.source,
                layout,
                values: vec![None; game.vars.len()],
            }
            .run(args);
            values.ok()
        });
    let Some(counted) = counted else {
        return finish(game, short?, &args.source);
    };
    match (finish(game, counted, &args.source), short) {
        (Ok(mut bound), Ok(other))
            if other != bound.values && finish(game, other.clone(), &args.source).is_ok() =>
        {
            bound.note = Some(two_readings(game, &bound.values, &other, args));
            Ok(bound)
        }
        (Ok(bound), _) => Ok(bound),
        (Err(_), Ok(other)) => finish(game, other, &args.source),
        (Err(error), Err(_)) => Err(error),
    }
}

/// The bare values fit with and without the counts of lists.
fn two_readings(
    game: &Arc<Game>,
    taken: &[Value],
    other: &[Value],
    args: &Arguments,
) -> Diagnostic {
    let named = |values: &[Value]| {
        let differ = (0..values.len()).filter(|&i| taken[i] != other[i]);
        let texts = differ.map(|i| {
            let var = &game.vars[i];
            let ty = if var.part {
                Type::List(Box::new(var.ty.clone()))
            } else {
                var.ty.clone()
            };
            format!("{}={}", var.name, brief(&values[i], &ty).replace(' ', ""))
        });
        texts.collect::<Vec<_>>().join(" ")
    };
    Diagnostic::error(
        Code::ValueCount,
        &args.source,
        "these values can be read in two ways",
    )
    .warning()
    .note(format!(
        "taken in the order of the contest's input: {}",
        named(taken)
    ))
    .help(format!("for the other reading write {}", named(other)))
}

/// The value of each of [`Game::vars`], of a part variable the list of its values. Lengths and sense are not yet checked.
pub fn values(game: &Arc<Game>, args: &Arguments) -> Result<Vec<Value>> {
    Binder {
        game,
        source: &args.source,
        layout: Layout::new(game),
        values: vec![None; game.vars.len()],
    }
    .run(args)
}

/// The rules alone, for a question about all positions: what the moves read must be given, a position need not be.
pub fn rules(game: &Arc<Game>, args: &Arguments) -> Result<Rules> {
    let given = |name: &String| args.list.iter().any(|(n, _)| n.as_ref() == Some(name));
    let open = game
        .vars
        .iter()
        .filter(|v| v.ty == Type::Int && !given(&v.name) && !v.in_rules && (v.part || v.in_start));
    let zeros = open.map(|v| {
        let zero = Literal::Int(Int::ZERO, Span::default());
        (Some(v.name.clone()), zero)
    });
    let mut all = args.clone();
    all.list.extend(zeros);
    Ok(Rules::new(game.clone(), values(game, &all)?))
}

struct Binder<'a> {
    game: &'a Arc<Game>,
    source: &'a Arc<Source>,
    layout: Layout<'a>,
    values: Vec<Option<Value>>,
}

impl<'a> Binder<'a> {
    fn error(&self, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.source, message).help(help(self.game))
    }

    fn run(mut self, args: &'a Arguments) -> Result<Vec<Value>> {
        let mut bare = Vec::new();
        for (name, literal) in &args.list {
            match name {
                None => bare.push(literal),
                Some(name) => self.named(name, literal)?,
            }
        }
        let counts: Vec<(usize, Slot)> = self
            .layout
            .takes
            .iter()
            .filter_map(|t| {
                let slot = t
                    .count()
                    .and_then(bare_slot)
                    .filter(|s| self.layout.derived[*s])?;
                let given = match t {
                    Take::One(s) | Take::List(s, _) | Take::Lists(s, _) => *s,
                    Take::Rows(slots, _) => slots[0],
                };
                Some((self.length(given)?, slot))
            })
            .collect();
        for (count, slot) in counts {
            self.values[slot].get_or_insert(Value::Int(Int::from(count)));
        }
        self.positional(&bare)?;
        for slot in self.layout.repeats.clone() {
            self.values[slot].get_or_insert(Value::Int(Int::ONE));
        }
        // What is only a length, by its list.
        for (slot, var) in self.game.vars.iter().enumerate() {
            if let Some(count) = var
                .dims
                .first()
                .and_then(Option::as_ref)
                .and_then(bare_slot)
                && self.layout.derived[count]
                && self.values[count].is_none()
                && let Some(n) = self.length(slot)
            {
                self.values[count] = Some(Value::Int(Int::from(n)));
            }
        }
        let missing: Vec<&str> = self
            .values
            .iter()
            .zip(&self.game.vars)
            .filter_map(|(value, var)| value.is_none().then_some(var.name.as_str()))
            .collect();
        if !missing.is_empty() {
            let message = format!(
                "{} {} not given",
                quoted(&missing),
                if missing.len() == 1 { "is" } else { "are" }
            );
            return Err(Box::new(self.error(Code::BadArgument, message)));
        }
        Ok(self.values.into_iter().flatten().collect())
    }

    fn length(&self, slot: Slot) -> Option<usize> {
        Some(self.values[slot].as_ref()?.as_seq()?.len())
    }

    fn named(&mut self, name: &str, literal: &Literal) -> Result<()> {
        let span = span_of(literal);
        let Some(slot) = self.game.vars.iter().position(|v| v.name == name) else {
            let names: Vec<&str> = self.game.vars.iter().map(|v| v.name.as_str()).collect();
            let message = format!("`{}` has nothing called `{name}`", self.game.name);
            let error = self
                .error(Code::BadArgument, message)
                .at(span, "no such name");
            return Err(Box::new(match &names[..] {
                [] => error.note("it takes no arguments"),
                names => error.note(format!("its names are {}", quoted(names))),
            }));
        };
        if self.values[slot].is_some() {
            let message = format!("`{name}` is given twice");
            let error = self.error(Code::BadArgument, message);
            return Err(Box::new(error.at(span, "the second value")));
        }
        let var = &self.game.vars[slot];
        let value = if var.part {
            self.parts(var, literal)?
        } else {
            self.convert(literal, &var.ty, &var.name)?
        };
        self.values[slot] = Some(value);
        Ok(())
    }

    /// The values of a part variable: a list of them, or just one.
    fn parts(&self, var: &Var, literal: &Literal) -> Result<Value> {
        let list = match literal {
            Literal::List(list, _)
                if !is_list(&var.ty) || list.iter().all(|l| matches!(l, Literal::List(..))) =>
            {
                list.iter().collect::<Vec<_>>()
            }
            other => vec![other],
        };
        Ok(Value::Seq(
            list.into_iter()
                .map(|l| self.convert(l, &var.ty, &var.name))
                .collect::<Result<_>>()?,
        ))
    }

    fn positional(&mut self, bare: &[&'a Literal]) -> Result<()> {
        let takes: Vec<Take<'a>> = self
            .layout
            .takes
            .iter()
            .filter_map(|t| match t {
                Take::One(s) | Take::List(s, _) | Take::Lists(s, _) => {
                    self.values[*s].is_none().then(|| t.clone())
                }
                Take::Rows(slots, count) => {
                    let open: Vec<Slot> = slots
                        .iter()
                        .copied()
                        .filter(|s| self.values[*s].is_none())
                        .collect();
                    (!open.is_empty()).then_some(Take::Rows(open, *count))
                }
            })
            .collect();
        let given = bare.len();
        let mut rest = bare;
        for (i, take) in takes.iter().enumerate() {
            match take {
                Take::One(slot) => {
                    let Some((first, after)) = rest.split_first() else {
                        return Err(self.too_few(&takes, given));
                    };
                    let var = &self.game.vars[*slot];
                    self.values[*slot] = Some(self.convert(first, &var.ty, &var.name)?);
                    rest = after;
                }
                Take::List(slot, _) | Take::Lists(slot, _) => {
                    let var = &self.game.vars[*slot];
                    let lists = |list: &[Literal]| {
                        !list.is_empty() && list.iter().all(|m| matches!(m, Literal::List(..)))
                    };
                    let whole = match (take, rest.first()) {
                        (Take::Lists(..), Some(Literal::List(list, _))) => lists(list),
                        (_, Some(Literal::List(..))) => {
                            !matches!(&var.ty, Type::List(m) if is_list(m))
                        }
                        _ => false,
                    };
                    if whole {
                        self.values[*slot] = Some(self.convert(rest[0], &var.ty, &var.name)?);
                        rest = &rest[1..];
                    } else {
                        let n = self.take_count(&takes, i, rest, given)?;
                        let list = rest[..n].iter().map(|l| (*l).clone()).collect();
                        let list = Literal::List(list, Span::default());
                        self.values[*slot] = Some(self.convert(&list, &var.ty, &var.name)?);
                        rest = &rest[n..];
                    }
                    self.derive(take, self.length(*slot).unwrap_or(0));
                }
                Take::Rows(slots, _) => {
                    let n = self.take_count(&takes, i, rest, given)?;
                    let count = self.rows(slots, &rest[..n])?;
                    rest = &rest[n..];
                    self.derive(take, count);
                }
            }
        }
        if let Some(extra) = rest.first() {
            let error = self.error(Code::ValueCount, self.counted(&takes, given));
            return Err(Box::new(error.at(
                span_of(extra).to(span_of(rest[rest.len() - 1])),
                "nothing takes this",
            )));
        }
        Ok(())
    }

    fn derive(&mut self, take: &Take<'_>, count: usize) {
        if let Some(slot) = take.count().and_then(bare_slot)
            && self.layout.derived[slot]
        {
            self.values[slot].get_or_insert(Value::Int(Int::from(count)));
        }
    }

    /// Fills the slots of rows from values that follow one another, or from a list a row.
    fn rows(&mut self, slots: &[Slot], literals: &[&'a Literal]) -> Result<usize> {
        let mut columns: Vec<Vec<Value>> = vec![Vec::new(); slots.len()];
        let mut next = 0;
        let mut queue: Vec<&'a Literal> = literals.iter().rev().copied().collect();
        while let Some(literal) = queue.pop() {
            let var = &self.game.vars[slots[next]];
            match literal {
                // `[9, 3]` stands for a row, `[4, 5, 6]` for several counters.
                Literal::List(list, _) if next == 0 && !is_list(&var.ty) => {
                    queue.extend(list.iter().rev());
                }
                _ => {
                    columns[next].push(self.convert(literal, &var.ty, &var.name)?);
                    next = (next + 1) % slots.len();
                }
            }
        }
        if next != 0 {
            let names: Vec<&str> = slots.iter().map(|s| self.layout.name(*s)).collect();
            let total = columns.iter().map(Vec::len).sum::<usize>();
            let message = format!(
                "`{}` takes rows of {} ({}), and {} cannot be split into such rows",
                self.game.name,
                plural(slots.len(), "value"),
                names.join(" "),
                plural(total, "value"),
            );
            let span = literals.last().map_or(Span::default(), |l| span_of(l));
            let error = self.error(Code::ValueCount, message);
            return Err(Box::new(error.at(span, "the last row ends too early")));
        }
        let count = columns[0].len();
        for (slot, column) in slots.iter().zip(columns) {
            let var = &self.game.vars[*slot];
            // A name that `input` reads row by row need not be a part variable; then it is a list.
            debug_assert!(var.part || is_list(&var.ty));
            self.values[*slot] = Some(Value::Seq(column.into()));
        }
        Ok(count)
    }

    /// How many of the values that are left take `i` gets.
    fn take_count(
        &self,
        takes: &[Take<'a>],
        i: usize,
        rest: &[&Literal],
        given: usize,
    ) -> Result<usize> {
        if let Some(n) = self.fixed(&takes[i])? {
            if n > rest.len() {
                // Fewer rows as lists may be meant.
                if let Take::Rows(..) = takes[i]
                    && rest.iter().any(|l| matches!(l, Literal::List(..)))
                {
                    return Ok(rest.len());
                }
                return Err(self.too_few(takes, given));
            }
            return Ok(n);
        }
        let mut after = 0;
        let mut shares = takes[i].width();
        let mut clash = None;
        for take in &takes[i + 1..] {
            match self.fixed(take)? {
                Some(n) => after += n,
                None if take.count().is_some()
                    && take.count().and_then(bare_slot) == takes[i].count().and_then(bare_slot) =>
                {
                    shares += take.width();
                }
                None => {
                    clash = Some(take);
                    break;
                }
            }
        }
        if let Some(other) = clash {
            let (a, b) = (self.layout.show(&takes[i]), self.layout.show(other));
            let name = |t: &Take<'_>| match t {
                Take::One(s) | Take::List(s, _) | Take::Lists(s, _) => self.layout.name(*s),
                Take::Rows(slots, _) => self.layout.name(slots[0]),
            };
            let message = format!("where `{a}` ends and `{b}` begins cannot be told");
            let error = self.error(Code::ValueCount, message);
            return Err(Box::new(error.note(format!(
                "write a list as one value: `[1,2]`, or `{}=[1,2]`",
                name(&takes[i])
            ))));
        }
        let Some(free) = rest.len().checked_sub(after) else {
            return Err(self.too_few(takes, given));
        };
        if shares == takes[i].width() && free > 0 {
            return Ok(free);
        }
        // No part and no piece at all must be said: `P=[]`.
        if free == 0 || shares > takes[i].width() && free % shares != 0 {
            return Err(self.too_few(takes, given));
        }
        Ok(free / shares * takes[i].width())
    }

    /// How many values a take needs, if that is settled by what is known.
    fn fixed(&self, take: &Take<'a>) -> Result<Option<usize>> {
        let Take::One(_) = take else {
            let Some(count) = take.count() else {
                return Ok(None);
            };
            if let Some(slot) = bare_slot(count)
                && self.layout.derived[slot]
                && self.values[slot].is_none()
            {
                return Ok(None);
            }
            let n = self.count(count)?;
            return Ok(Some(n.saturating_mul(take.width())));
        };
        Ok(Some(1))
    }

    /// The value of a count in terms of what has been given.
    fn count(&self, expr: &Expr) -> Result<usize> {
        let reads = expr.slots();
        let text = self.game.source.slice(expr.span);
        if let Some(unknown) = reads
            .iter()
            // A name that the length binds itself is no parameter.
            .filter(|s| **s < self.game.vars.len())
            .find(|s| self.values.get(**s).is_none_or(Option::is_none))
        {
            let name = self
                .game
                .vars
                .get(*unknown)
                .map_or("?", |v| v.name.as_str());
            let message = format!("`{name}` is not given, and without it `{text}` is not known");
            return Err(Box::new(self.error(Code::BadArgument, message)));
        }
        let env = self
            .values
            .iter()
            .map(|v| v.clone().unwrap_or(Value::Int(Int::ZERO)))
            .collect();
        let rules = Rules::new(self.game.clone(), env);
        length(&mut rules.machine(), self.game, expr, self.source)
    }

    fn too_few(&self, takes: &[Take<'a>], given: usize) -> Box<Diagnostic> {
        Box::new(self.error(Code::ValueCount, self.counted(takes, given)))
    }

    /// `wythoff takes 2 values (a b), and 3 were given`.
    fn counted(&self, takes: &[Take<'a>], given: usize) -> String {
        let shown: Vec<String> = takes.iter().map(|t| self.layout.show(t)).collect();
        let total: Option<usize> = takes
            .iter()
            .map(|t| {
                let count = t.count().and_then(bare_slot);
                if count.is_some_and(|s| self.layout.derived[s]) {
                    return None;
                }
                self.fixed(t).ok().flatten()
            })
            .sum();
        let takes = match total {
            _ if takes.is_empty() => "no values".to_owned(),
            Some(n) => format!("{} ({})", plural(n, "value"), shown.join(" ")),
            None => shown.join(" "),
        };
        let given = match given {
            0 => "none was given".to_owned(),
            1 => "1 was given".to_owned(),
            n => format!("{n} were given"),
        };
        format!("`{}` takes {takes}, and {given}", self.game.name)
    }

    fn convert(&self, literal: &Literal, ty: &Type, name: &str) -> Result<Value> {
        let wrong = || {
            let shown = self.source.slice(span_of(literal));
            let shown = if shown.is_empty() { "\"\"" } else { shown };
            let message = format!("`{name}` must be {}, not `{shown}`", article(ty));
            let label = format!("not {}", article(ty));
            Box::new(
                self.error(Code::BadValue, message)
                    .at(span_of(literal), label),
            )
        };
        let members = |list: &[Literal], ty: &Type| -> Result<Vec<Value>> {
            list.iter().map(|l| self.convert(l, ty, name)).collect()
        };
        Ok(match (ty, literal) {
            (Type::Int, Literal::Int(v, _)) => Value::Int(v.clone()),
            (Type::Bool, Literal::Str(text)) if text.text == "true" => Value::Bool(true),
            (Type::Bool, Literal::Str(text)) if text.text == "false" => Value::Bool(false),
            (Type::Char, Literal::Str(text)) if text.text.chars().count() == 1 => {
                Value::Char(text.text.chars().next().unwrap_or_default())
            }
            (Type::Char, Literal::Int(_, span)) if span.range().len() == 1 => {
                let text = self.source.slice(*span);
                Value::Char(text.chars().next().unwrap_or_default())
            }
            (Type::List(member), Literal::Str(text)) if **member == Type::Char => {
                Value::seq(text.text.chars().map(Value::Char))
            }
            // A word of digits keeps its leading zeros.
            (Type::List(member), Literal::Int(_, span)) if **member == Type::Char => {
                Value::seq(self.source.slice(*span).chars().map(Value::Char))
            }
            (Type::List(member), Literal::List(list, _)) => {
                Value::Seq(members(list, member)?.into())
            }
            (Type::Multiset(member), Literal::List(list, _)) => {
                let mut list = members(list, member)?;
                list.sort();
                Value::Seq(list.into())
            }
            (Type::Set(member), Literal::List(list, _)) => {
                let mut list = members(list, member)?;
                list.sort();
                list.dedup();
                Value::Seq(list.into())
            }
            (Type::Unordered(n, member), Literal::List(list, _)) if list.len() == *n => {
                let mut list = members(list, member)?;
                list.sort();
                Value::Seq(list.into())
            }
            (Type::Tuple(types), Literal::List(list, _)) if list.len() == types.len() => {
                Value::Seq(
                    list.iter()
                        .zip(types)
                        .map(|(l, ty)| self.convert(l, ty, name))
                        .collect::<Result<_>>()?,
                )
            }
            // One element stands for a list of one.
            (Type::List(_) | Type::Set(_) | Type::Multiset(_), Literal::Int(..)) => {
                let span = span_of(literal);
                let one = Literal::List(vec![literal.clone()], span);
                return self.convert(&one, ty, name).map_err(|_| wrong());
            }
            _ => return Err(wrong()),
        })
    }
}

/// The value of an expression that says how long a list is.
fn length<'r>(
    machine: &mut Machine<'r>,
    game: &'r Game,
    expr: &'r Expr,
    source: &Arc<Source>,
) -> Result<usize> {
    let value = machine.int(expr)?;
    value.to_usize().ok_or_else(|| {
        let text = game.source.slice(expr.span);
        let message = format!("a list cannot have `{text}` = {value} values");
        Box::new(Diagnostic::error(Code::BadValue, source, message).help(help(game)))
    })
}

/// Checks lengths and sense, and builds rules and first position. `values` has one value for each of [`Game::vars`], for a
/// part variable the list of its values; `source` is the text to name in errors.
pub fn finish(game: &Arc<Game>, values: Vec<Value>, source: &Arc<Source>) -> Result<Bound> {
    let rules = Rules::new(game.clone(), values);
    let position = {
        let mut machine = rules.machine();
        lengths(&mut machine, &rules, source)?;
        checks(
            &mut machine,
            &rules,
            &rules.game().requires,
            source,
            Code::Requirement,
        )?;
        start(&mut machine, &rules, source)?
    };
    let values = rules.params().to_vec();
    Ok(Bound {
        rules,
        position,
        values,
        note: None,
    })
}

/// Whether lists have the lengths that the game says.
pub fn fits(rules: &Rules, source: &Arc<Source>) -> Result<()> {
    lengths(&mut rules.machine(), rules, source)
}

/// Whether the contest's own limits hold.
pub fn limits(rules: &Rules, source: &Arc<Source>) -> Result<()> {
    let mut machine = rules.machine();
    checks(
        &mut machine,
        rules,
        &rules.game().limits,
        source,
        Code::Limit,
    )
}

fn lengths<'r>(machine: &mut Machine<'r>, rules: &'r Rules, source: &Arc<Source>) -> Result<()> {
    let game: &'r Game = rules.game();
    let members = |slot: Slot| rules.params()[slot].as_seq().unwrap_or_default();
    let wrong = |name: &str, count: &Expr, wanted: usize, given: usize| {
        let text = game.source.slice(count.span);
        let wanted = match count.kind {
            ExprKind::Int(_) => plural(wanted, "value"),
            _ => format!("{text} = {}", plural(wanted, "value")),
        };
        let given = if given == 1 {
            "1 was given".to_owned()
        } else {
            format!("{given} were given")
        };
        let message = format!("`{name}` takes {wanted}, and {given}");
        Err(Box::new(
            Diagnostic::error(Code::ValueCount, source, message).help(help(game)),
        ))
    };
    for (slot, var) in game.vars.iter().enumerate() {
        if var.part {
            continue;
        }
        for (depth, dim) in var.dims.iter().enumerate() {
            let Some(count) = dim else { continue };
            let wanted = length(machine, game, count, source)?;
            let lists: Vec<&[Value]> = match depth {
                0 => vec![members(slot)],
                _ => members(slot)
                    .iter()
                    .map(|m| m.as_seq().unwrap_or_default())
                    .collect(),
            };
            if let Some(list) = lists.iter().find(|l| l.len() != wanted) {
                return wrong(&var.name, count, wanted, list.len());
            }
        }
    }
    for take in &Layout::new(game).takes {
        let Some(count) = take.count() else { continue };
        let slots = match take {
            Take::One(slot) | Take::List(slot, _) | Take::Lists(slot, _) => {
                std::slice::from_ref(slot)
            }
            Take::Rows(slots, _) => slots,
        };
        let wanted = length(machine, game, count, source)?;
        for slot in slots {
            if members(*slot).len() != wanted {
                return wrong(&game.vars[*slot].name, count, wanted, members(*slot).len());
            }
        }
    }
    let mut parts = (0..game.vars.len()).filter(|s| game.vars[*s].part);
    if let Some(first) = parts.next() {
        for other in parts {
            let (a, b) = (members(first).len(), members(other).len());
            if a != b {
                let (x, y) = (&game.vars[first].name, &game.vars[other].name);
                let message = format!(
                    "a row has a value for each name, but `{x}` has {} and `{y}` has {}",
                    plural(a, "value"),
                    plural(b, "value")
                );
                let error = Diagnostic::error(Code::ValueCount, source, message);
                return Err(Box::new(error.help(help(game))));
            }
        }
    }
    Ok(())
}

/// The number of parts that the part variables give, or `None` without any.
fn part_count(rules: &Rules) -> Option<usize> {
    let slot = rules.game().vars.iter().position(|v| v.part)?;
    rules.params()[slot].as_seq().map(<[Value]>::len)
}

/// Puts the values of part `index` in the slots of the part variables.
fn enter_part<'r>(machine: &mut Machine<'r>, rules: &'r Rules, index: usize) {
    for (slot, var) in rules.game().vars.iter().enumerate() {
        if var.part
            && let Some(value) = rules.params()[slot]
                .as_seq()
                .and_then(|list| list.get(index))
        {
            machine.set(slot, value.clone());
        }
    }
}

fn checks<'r>(
    machine: &mut Machine<'r>,
    rules: &'r Rules,
    checks: &'r [Check],
    source: &Arc<Source>,
    code: Code,
) -> Result<()> {
    let game: &'r Game = rules.game();
    for check in checks {
        let parts = if check.each_part {
            part_count(rules).unwrap_or(0)
        } else {
            1
        };
        for part in 0..parts {
            if check.each_part {
                enter_part(machine, rules, part);
            }
            if machine.truth(&check.condition)? {
                continue;
            }
            let condition = game.source.slice(check.condition.span);
            let mut reads = check.condition.slots();
            reads.sort_unstable();
            reads.dedup();
            let given: Vec<String> = reads
                .into_iter()
                .filter(|s| *s < game.vars.len())
                .filter_map(|slot| {
                    let var = &game.vars[slot];
                    let value = &rules.params()[slot];
                    let value = match value {
                        Value::Seq(list) if var.part => list.get(part)?,
                        value => value,
                    };
                    Some(format!("{} = {}", var.name, brief(value, &var.ty)))
                })
                .collect();
            let message = match (&check.message, code) {
                (Some(message), _) => message.clone(),
                (None, Code::Limit) => format!("past the contest's limit {condition}"),
                (None, _) => format!("this makes no sense here: {condition} does not hold"),
            };
            let mut error = Diagnostic::error(code, source, message);
            if !given.is_empty() {
                error = error.note(format!("given {}", given.join(", ")));
            }
            if check.message.is_some() {
                error = error.note(format!("the game requires {condition}"));
            }
            return Err(Box::new(error));
        }
    }
    Ok(())
}

/// A value for a message, cut if it is long.
fn brief(value: &Value, ty: &Type) -> String {
    let text = crate::interp::show(value, ty);
    if text.chars().count() <= 60 {
        return text;
    }
    text.chars().take(57).collect::<String>() + "…"
}

fn start<'r>(
    machine: &mut Machine<'r>,
    rules: &'r Rules,
    source: &Arc<Source>,
) -> Result<Position> {
    let game: &'r Game = rules.game();
    let parts = if game.start.sum {
        part_count(rules).unwrap_or(1)
    } else {
        1
    };
    let mut position = Position::default();
    for part in 0..parts {
        if game.start.sum {
            enter_part(machine, rules, part);
        }
        let value = machine.value(&game.start.expr)?;
        position.parts.push(game.shape.pos(&value).map_err(|count| {
            let message = format!("a position has no count below zero, and this one has {count}");
            Box::new(Diagnostic::error(Code::Requirement, source, message).help(help(game)))
        })?);
    }
    Ok(position)
}

fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|n| format!("`{n}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// So many of what the word says, `1 heap` or `2 heaps`.
///
/// ```
/// use grundy_lang::bind::plural;
/// assert_eq!([0, 1, 2].map(|n| plural(n, "heap")), ["0 heaps", "1 heap", "2 heaps"]);
/// ```
pub fn plural<N: Display + PartialEq + From<u8>>(n: N, word: &str) -> String {
    if n == N::from(1) {
        format!("1 {word}")
    } else {
        format!("{n} {word}s")
    }
}

/// What a value of a type is called.
fn article(ty: &Type) -> String {
    match ty {
        Type::Int | Type::Unknown(_) => "a whole number".to_owned(),
        Type::Bool => "`true` or `false`".to_owned(),
        Type::Char => "one character".to_owned(),
        Type::List(member) if **member == Type::Char => "a word".to_owned(),
        Type::List(member) if **member == Type::Int => "a list of whole numbers".to_owned(),
        Type::List(_) => "a list of lists".to_owned(),
        Type::Tuple(types) => format!("a row of {}", plural(types.len(), "value")),
        Type::Unordered(n, _) => format!("a list of {}", plural(*n, "value")),
        Type::Multiset(_) => "a list of heaps".to_owned(),
        Type::Set(_) => "a list of members".to_owned(),
    }
}
