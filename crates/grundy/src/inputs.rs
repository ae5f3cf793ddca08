//! Random inputs for a game, in the layout of its contest.
//!
//! A file is a tree of the values that the game's `input` names. In half of them the values are small, with 0, 1 and the
//! ends of their ranges often; in the others their sizes are log-uniform up to the limits, with numbers next to the limits
//! and to where machine words and squares overflow. How large they may be grows while answers stay quick. What `require`
//! and `limit` say of a single name becomes its range, the rest is tried again or put in order. Line breaks and the
//! sentinel are learned from the game's own sample. The same seed and the same words on what was quick give the same
//! files. Cost: a few walks over the requirements a value.

use std::collections::BTreeSet;

use grundy_core::Int;
use grundy_lang::interp::{Machine, Rules};
use grundy_lang::ir::{
    Clause, CompareOp, Domain, Expr, ExprKind, Fold, Function, Game, InputItem, Literal, Slot, Type,
};
use grundy_lang::value::Value;

use crate::format::{Asked, Format, Step, Token, element, fills, flip, reads};
use crate::judge::Result;

/// The values of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its records, the sentinel not counted.
    pub records: Vec<Record>,
}

/// A field for each step.
pub type Record = Vec<Field>;

/// What one item of the format reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// One value.
    One(Value),
    /// The values of an array.
    List(Vec<Value>),
    /// Rows, or lists each after its own length.
    Table(Vec<Vec<Value>>),
    /// The times of a `repeat`; their number is not kept apart.
    Group(Vec<Record>),
}

/// A generator of pseudo-random numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below n, which must not be 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next_u64() % n
    }
}

/// A comparison that bounds a name: `name op other`.
#[derive(Clone, Copy)]
struct Bound<'g> {
    op: CompareOp,
    other: &'g Expr,
}

/// Line breaks and the sentinel.
#[derive(Clone, Debug)]
struct Layout {
    /// For each step: a line break before it, and between its rows; `None` while not learned.
    before: Vec<Option<bool>>,
    within: Vec<Option<bool>>,
    sentinel: Vec<String>,
}

/// A source of random inputs.
pub struct Inputs<'g> {
    game: &'g Game,
    /// The format.
    pub format: Format<'g>,
    machine: Machine<'g>,
    params: Vec<Value>,
    known: Vec<bool>,
    random: Random,
    layout: Layout,
    alphabet: Vec<char>,
    /// For each variable, what bounds it or its elements, and its length.
    bounds: Vec<Vec<Bound<'g>>>,
    lengths: Vec<Vec<Bound<'g>>>,
    distinct: Vec<bool>,
    counts: Vec<bool>,
    /// Lists of lists whose elements name other lists.
    adjacency: Vec<bool>,
    values_to: u64,
    counts_to: u64,
    /// The level of size of the last record, and the largest one allowed.
    level: usize,
    cap: usize,
    /// Whether the last record has large numbers, and the bits that they may have.
    wide: bool,
    bits: u32,
    growing: bool,
    ordered_rows: bool,
}

/// No list is made longer than this, whatever the format says.
const LONGEST: usize = 10_000;
/// Numbers near which machine arithmetic goes wrong: ends of words, and the first whose square is past one.
const EDGES: [u64; 6] = [1 << 15, 46_341, 1 << 16, 1 << 31, 3_037_000_500, 1 << 32];
/// What is added at most to the least number where no limit says how large one may be.
const UNLIMITED: u64 = (1 << 31) - 1000;
/// Tries for one item, and for one record.
const TRIES: u32 = 40;

/// Rules without parameters, for an [`Inputs`] to borrow.
pub fn unbound(game: &std::sync::Arc<Game>) -> Rules {
    Rules::new(game.clone(), vec![Value::Bool(false); game.vars.len()])
}

impl<'g> Inputs<'g> {
    /// A source for the game of these rules; see [`unbound`].
    pub fn new(rules: &'g Rules, seed: u64) -> Result<Self> {
        let game: &'g Game = rules.game();
        let format = Format::new(game)?;
        let vars = game.vars.len();
        let mut inputs = Inputs {
            game,
            machine: rules.machine(),
            params: vec![Value::Bool(false); vars],
            known: vec![false; vars],
            random: Random(seed),
            layout: Layout {
                before: vec![None; format.len],
                within: vec![None; format.len],
                sentinel: Vec::new(),
            },
            alphabet: alphabet(game),
            bounds: vec![Vec::new(); vars],
            lengths: vec![Vec::new(); vars],
            distinct: vec![false; vars],
            counts: vec![false; vars],
            adjacency: vec![false; vars],
            values_to: 0,
            counts_to: 0,
            level: 0,
            cap: 6,
            wide: false,
            bits: 10,
            growing: true,
            ordered_rows: false,
            format,
        };
        for check in game.requires.iter().chain(&game.limits) {
            inputs.learn_bounds(&check.condition, &mut Vec::new());
        }
        let steps = inputs.format.steps.clone();
        inputs.learn_counts(&steps);
        for m in &game.moves {
            for clause in &m.clauses {
                if let Clause::For {
                    domain: Domain::Members(list),
                    ..
                } = clause
                    && let ExprKind::Index(base, _) = &list.kind
                    && let ExprKind::Slot(slot) = base.kind
                    && slot < vars
                {
                    inputs.adjacency[slot] = true;
                }
            }
        }
        for (text, _) in &game.samples {
            // A sample that does not fit the format teaches as far as it does.
            let _ = inputs.parse(text);
        }
        if inputs.layout.sentinel.is_empty() {
            inputs.layout.sentinel = inputs.make_sentinel().unwrap_or_default();
        }
        Ok(inputs)
    }

    // What the requirements say.

    fn learn_bounds(&mut self, condition: &'g Expr, aliases: &mut Vec<(Slot, Slot)>) {
        match &condition.kind {
            ExprKind::And(all) => all.iter().for_each(|e| self.learn_bounds(e, aliases)),
            ExprKind::Compare(op, a, b) => {
                self.learn_bound(*op, a, b, aliases);
                self.learn_bound(flip(*op), b, a, aliases);
            }
            ExprKind::In(a, domain) => {
                if let Domain::Range(lo, hi) = &**domain {
                    self.learn_bound(CompareOp::Ge, a, lo, aliases);
                    self.learn_bound(CompareOp::Le, a, hi, aliases);
                }
            }
            ExprKind::Fold(Fold::All, body, clauses) => {
                let before = aliases.len();
                for clause in clauses {
                    if let Clause::For {
                        slots,
                        domain: Domain::Members(list),
                    } = clause
                        && let ([q], ExprKind::Slot(x)) = (&slots[..], &list.kind)
                    {
                        aliases.push((*q, *x));
                    }
                }
                self.learn_bounds(body, aliases);
                aliases.truncate(before);
            }
            ExprKind::Call(Function::Distinct, args) => {
                if let Some(ExprKind::Slot(slot)) = args.first().map(|a| &a.kind)
                    && let Some(flag) = self.distinct.get_mut(*slot)
                {
                    *flag = true;
                }
            }
            _ => {}
        }
    }

    fn learn_bound(
        &mut self,
        op: CompareOp,
        name: &'g Expr,
        other: &'g Expr,
        aliases: &[(Slot, Slot)],
    ) {
        let vars = self.game.vars.len();
        // Quantifiers on the other side have no value when a range is wanted.
        let mut bound = true;
        other.walk(&mut |e| bound &= !matches!(e.kind, ExprKind::Slot(s) if s >= vars));
        if !bound || other.ty != Type::Int {
            return;
        }
        let base = |e: &Expr| match e.kind {
            ExprKind::Slot(slot) if slot < vars => Some(slot),
            ExprKind::Slot(slot) => aliases
                .iter()
                .find(|(q, _)| *q == slot)
                .map(|(_, x)| *x)
                .filter(|x| *x < vars),
            _ => None,
        };
        let bound = Bound { op, other };
        match &name.kind {
            ExprKind::Call(Function::Len, args) => {
                if let Some(slot) = args.first().and_then(base) {
                    self.lengths[slot].push(bound);
                }
            }
            ExprKind::Index(list, _) => {
                if let Some(slot) = base(list) {
                    self.bounds[slot].push(bound);
                }
            }
            _ => {
                if let Some(slot) = base(name) {
                    self.bounds[slot].push(bound);
                }
            }
        }
    }

    fn learn_counts(&mut self, steps: &[Step<'g>]) {
        for step in steps {
            if let Some(count) = count_of(step.item) {
                for slot in reads(count, self.game.vars.len()) {
                    self.counts[slot] = true;
                }
            }
            self.learn_counts(&step.body);
        }
    }

    /// The range that comparisons with known values leave.
    fn range(&mut self, bounds: &[Bound<'g>]) -> (Option<Int>, Option<Int>) {
        let (mut low, mut high): (Option<Int>, Option<Int>) = (None, None);
        for bound in bounds {
            if !reads(bound.other, self.game.vars.len())
                .iter()
                .all(|s| self.known[*s])
            {
                continue;
            }
            let Ok(v) = self.machine.int(bound.other) else {
                continue;
            };
            let (lo, hi) = match bound.op {
                CompareOp::Eq => (Some(v.clone()), Some(v)),
                CompareOp::Ge => (Some(v), None),
                CompareOp::Gt => (Some(&v + &Int::ONE), None),
                CompareOp::Le => (None, Some(v)),
                CompareOp::Lt => (None, Some(&v - &Int::ONE)),
                CompareOp::Ne => (None, None),
            };
            low = [low, lo].into_iter().flatten().max();
            high = [high, hi].into_iter().flatten().min();
        }
        (low, high)
    }

    // Values.

    /// A number of a slot or of one of its elements.
    fn number(&mut self, slot: Slot) -> Option<Int> {
        let bounds = self.bounds[slot].clone();
        let (low, high) = self.range(&bounds);
        let count = self.counts[slot];
        let to = if count {
            self.counts_to
        } else {
            self.values_to
        };
        if self.wide && !count {
            let low = low.unwrap_or_else(|| high.clone().map_or(Int::ZERO, |h| h.min(Int::ZERO)));
            // Without a limit nobody says that a program must bear numbers past a word of 32 bits.
            let room = high.map_or(Int::from(UNLIMITED), |high| &high - &low);
            if room.is_negative() {
                return None;
            }
            let room = room.to_u64().unwrap_or(u64::MAX).min((1 << self.bits) - 1);
            return Some(&low + &Int::from(self.large(room)));
        }
        // A list without elements comes up only where the game speaks of it.
        self.within(low, high, if count { 1 } else { 0 }, to)
    }

    /// A number up to `room`, of a random size.
    fn large(&mut self, room: u64) -> u64 {
        let random = &mut self.random;
        match random.below(8) {
            0 => room - random.below(4).min(room),
            1 => {
                let edge = EDGES[random.below(EDGES.len() as u64) as usize];
                (edge + random.below(5) - 2).min(room)
            }
            2 => random.below(4).min(room),
            3 => random.below(room / 2 + 1) + room / 2,
            _ => {
                let bits = 1 + random.below(u64::from(room.checked_ilog2().unwrap_or(0)) + 1);
                random.below(1 << bits).min(room)
            }
        }
    }

    fn within(&mut self, low: Option<Int>, high: Option<Int>, least: i64, to: u64) -> Option<Int> {
        let least = Int::from(least);
        let low = low.unwrap_or_else(|| high.clone().filter(|h| *h < least).unwrap_or(least));
        let room = high.map_or(Some(to), |high| {
            let room = &high - &low;
            if room.is_negative() {
                None
            } else {
                Some(room.to_u64().unwrap_or(u64::MAX).min(to))
            }
        })?;
        let random = &mut self.random;
        let step = match random.below(10) {
            0 => 0,
            1 => room.min(1),
            2 => room,
            3..=5 => random.below(room + 1).min(random.below(room + 1)),
            _ => random.below(room + 1),
        };
        Some(&low + &Int::from(step))
    }

    fn word(&mut self) -> Value {
        let len = 1 + self.random.below(self.counts_to + 1);
        Value::seq((0..len).map(|_| self.character()).collect::<Vec<_>>())
    }

    fn character(&mut self) -> Value {
        let i = self.random.below(self.alphabet.len() as u64) as usize;
        Value::Char(self.alphabet[i])
    }

    fn value(&mut self, slot: Slot, token: &Token) -> Option<Value> {
        Some(match token {
            Token::Int => Value::Int(self.number(slot)?),
            Token::Char => self.character(),
            Token::Word => self.word(),
            Token::Row(tokens) => Value::seq(
                tokens
                    .iter()
                    .map(|t| self.value(slot, t))
                    .collect::<Option<Vec<_>>>()?,
            ),
        })
    }

    fn token(&self, slot: Slot) -> Token {
        element(self.game, slot)
            .and_then(Token::of)
            .unwrap_or(Token::Int)
    }

    /// A random field for an item; whether it makes sense is asked later.
    fn field(&mut self, step: &Step<'g>) -> Option<Field> {
        Some(match step.item {
            InputItem::Scalar(slot) => {
                let token = Token::of(&self.game.vars[*slot].ty)?;
                Field::One(self.value(*slot, &token)?)
            }
            InputItem::Array(slot, _) => {
                let n = self.length(step.item, *slot)?;
                let token = self.token(*slot);
                let mut list = (0..n)
                    .map(|_| self.value(*slot, &token))
                    .collect::<Option<Vec<_>>>()?;
                if self.distinct[*slot] {
                    self.make_distinct(*slot, &mut list)?;
                }
                Field::List(list)
            }
            InputItem::Lists(slot, _) => {
                let n = self.length(step.item, *slot)?;
                let token = match element(self.game, *slot) {
                    Some(Type::List(m) | Type::Set(m) | Type::Multiset(m)) => Token::of(m)?,
                    _ => return None,
                };
                let mut lists = Vec::with_capacity(n);
                for i in 0..n {
                    lists.push(if self.adjacency[*slot] {
                        self.arcs(*slot, i, n)
                    } else {
                        let len = self.random.below(self.counts_to + 1);
                        (0..len)
                            .map(|_| self.value(*slot, &token))
                            .collect::<Option<Vec<_>>>()?
                    });
                }
                Field::Table(lists)
            }
            InputItem::Rows(slots, _) => {
                let n = self.length(step.item, slots[0])?;
                Field::Table(
                    (0..n)
                        .map(|_| self.row(step, slots))
                        .collect::<Option<Vec<_>>>()?,
                )
            }
            InputItem::Repeat(slot, _) => {
                let bounds = self.bounds[*slot].clone();
                let (low, high) = self.range(&bounds);
                let to = self.counts_to.min(3) - 1;
                // A group without cases asks nothing.
                let low = low.max(Some(Int::ONE));
                let n = self.within(low, high, 1, to)?.to_usize()?;
                Field::Group(vec![Record::new(); n])
            }
        })
    }

    /// A length that the format gives, or for a list up to the end of its line a random one.
    fn length(&mut self, item: &'g InputItem, slot: Slot) -> Option<usize> {
        match count_of(item) {
            Some(count) => self
                .machine
                .int(count)
                .ok()?
                .to_usize()
                .filter(|n| *n <= LONGEST),
            None => {
                let bounds = self.lengths[slot].clone();
                let (low, high) = self.range(&bounds);
                let to = self.counts_to;
                self.within(low, high, 1, to)?.to_usize()
            }
        }
    }

    /// One row for which what must hold for each part does.
    fn row(&mut self, step: &Step<'g>, slots: &[Slot]) -> Option<Vec<Value>> {
        'tries: for _ in 0..TRIES {
            for slot in slots {
                self.known[*slot] = false;
            }
            let mut row = Vec::with_capacity(slots.len());
            for slot in slots {
                let token = self.token(*slot);
                let Some(value) = self.value(*slot, &token) else {
                    continue 'tries;
                };
                if self.game.vars[*slot].part {
                    self.machine.set(*slot, value.clone());
                    self.known[*slot] = true;
                }
                row.push(value);
            }
            let each = step
                .requires
                .iter()
                .chain(&step.limits)
                .filter(|a| !a.parts.is_empty() && a.reads.iter().all(|s| self.known[*s]));
            let mut holds = true;
            for asked in each {
                holds &= self.machine.truth(&asked.check.condition).unwrap_or(false);
            }
            if holds {
                if self.ordered_rows && slots.iter().all(|s| !self.game.vars[*s].part) {
                    row.sort();
                }
                return Some(row);
            }
        }
        None
    }

    /// Moves values up, or else down, to places that are free.
    fn make_distinct(&mut self, slot: Slot, list: &mut [Value]) -> Option<()> {
        let bounds = self.bounds[slot].clone();
        let (low, high) = self.range(&bounds);
        let low = low.unwrap_or(Int::ZERO);
        let mut taken = BTreeSet::new();
        for value in list {
            let Value::Int(v) = value else { continue };
            let mut v = v.clone();
            while taken.contains(&v) {
                v = &v + &Int::ONE;
                if high.as_ref().is_some_and(|high| v > *high) {
                    v = low.clone();
                    while taken.contains(&v) {
                        v = &v + &Int::ONE;
                    }
                    if high.as_ref().is_some_and(|high| v > *high) {
                        return None;
                    }
                }
            }
            taken.insert(v.clone());
            *value = Value::Int(v);
        }
        Some(())
    }

    /// Where list i of n leads: only to lists after it, so that nothing comes back.
    fn arcs(&mut self, slot: Slot, i: usize, n: usize) -> Vec<Value> {
        let bounds = self.bounds[slot].clone();
        let base = self
            .range(&bounds)
            .0
            .filter(|b| *b == Int::ONE)
            .unwrap_or(Int::ZERO);
        let dense = 1 + self.random.below(4);
        (i + 1..n)
            .filter(|j| self.random.below(dense + (j - i) as u64) < dense)
            .take(8)
            .map(|j| Value::Int(&base + &Int::from(j)))
            .collect()
    }

    // Records.

    /// A random file of one record, or `None` if none that makes sense was found.
    pub fn record(&mut self) -> Option<File> {
        let steps = self.format.steps.clone();
        for _ in 0..TRIES {
            let level = match self.random.below(40) {
                0..=7 => 0,
                8..=15 => 1,
                16..=24 => 2,
                25..=31 => 3,
                32..=36 => 4,
                37..=38 => 5,
                _ => 6,
            };
            self.level = level.min(self.cap);
            let level = self.level;
            self.values_to = [2, 4, 8, 16, 40, 100, 1000][level];
            self.counts_to = [1, 2, 3, 4, 6, 8, 12][self.random.below(level as u64 + 1) as usize];
            self.wide = self.random.below(2) == 0;
            self.ordered_rows = self.random.below(2) == 0;
            self.known.fill(false);
            if let Some(record) = self.steps(&steps) {
                let file = File {
                    records: vec![record],
                };
                if self.has_cases(&file) && self.legal(&file) {
                    return Some(file);
                }
            }
        }
        None
    }

    /// Says that the last record was too large to be answered: none that large is made from now on.
    pub fn too_large(&mut self) {
        if self.wide {
            self.growing = false;
            self.bits = self.bits.saturating_sub(2).max(4);
        } else {
            self.cap = self.level.saturating_sub(1);
        }
    }

    /// Says that the last record took long to answer: numbers get smaller, should theirs be the reason.
    pub fn slow(&mut self) {
        if self.wide {
            self.too_large();
        }
    }

    /// Says that the last record was answered at once: larger numbers may come.
    pub fn quick(&mut self) {
        if self.wide && self.growing {
            self.bits = (self.bits + 3).min(62);
        }
    }

    /// What the game itself states: its samples, a case each, and the positions of its facts.
    pub fn stated(&mut self) -> Vec<File> {
        let game = self.game;
        let layout = self.layout.clone();
        let mut out = Vec::new();
        for (text, _) in &game.samples {
            for record in self.parse(text).unwrap_or_default().records {
                match &record[..] {
                    [Field::Group(times)] => out.extend(
                        times
                            .iter()
                            .map(|t| vec![Field::Group(vec![t.clone()])])
                            .map(|record| vec![record]),
                    ),
                    _ => out.push(vec![record]),
                }
            }
        }
        let mut out: Vec<File> = out.into_iter().map(|records| File { records }).collect();
        for expect in &game.expects {
            let text = game.source.slice(expect.span);
            let text = text.split("->").next().unwrap_or_default();
            let text = text.trim_start().trim_start_matches("expect");
            let tokens: Vec<&str> = text
                .split(|c: char| c.is_whitespace() || "[](){},\"".contains(c))
                .map(|t| t.rsplit('=').next().unwrap_or_default())
                .filter(|t| !t.is_empty())
                .collect();
            // A fact leaves out what can be counted: how many rows there are, and that there is one case.
            let counts = (1..=tokens.len()).map(|n| n.to_string());
            let heads: Vec<String> = std::iter::once(String::new())
                .chain(counts.clone())
                .chain(counts.map(|n| format!("1 {n}")))
                .collect();
            let found = heads.iter().find_map(|head| {
                let text = format!("{head} {}", tokens.join(" "));
                let file = self.parse(&text).filter(|f| f.records.len() == 1)?;
                (self.has_cases(&file) && self.legal(&file)).then_some(file)
            });
            out.extend(found);
        }
        self.layout = layout;
        out.retain(|file| self.has_cases(file) && self.legal(file));
        out
    }

    fn steps(&mut self, steps: &[Step<'g>]) -> Option<Record> {
        let mut record = Record::new();
        for step in steps {
            let mut field = self.sensible(step)?;
            if let Field::Group(times) = &mut field {
                for time in times {
                    *time = self.steps(&step.body)?;
                }
            }
            record.push(field);
        }
        Some(record)
    }

    /// A field for which everything holds that can be asked after it.
    fn sensible(&mut self, step: &Step<'g>) -> Option<Field> {
        for _ in 0..TRIES {
            for slot in fills(step.item) {
                self.known[*slot] = false;
            }
            let Some(mut field) = self.field(step) else {
                continue;
            };
            if self.enter(step, &field) {
                return Some(field);
            }
            if let Field::List(list) = &mut field {
                list.sort();
                if self.enter(step, &field) {
                    return Some(field);
                }
            }
            if let Field::List(list) = &mut field {
                list.reverse();
                if self.enter(step, &field) {
                    return Some(field);
                }
            }
        }
        None
    }

    /// Puts a field's values in their slots; whether what can be asked then holds, and it is no sentinel.
    fn enter(&mut self, step: &Step<'g>, field: &Field) -> bool {
        let sorted = |mut list: Vec<Value>, ty: Option<&Type>| {
            match ty {
                Some(Type::Set(_)) => {
                    list.sort();
                    list.dedup();
                }
                Some(Type::Multiset(_) | Type::Unordered(..)) => list.sort(),
                _ => {}
            }
            Value::seq(list)
        };
        for (k, &slot) in fills(step.item).iter().enumerate() {
            let var = &self.game.vars[slot];
            let whole = (!var.part).then_some(&var.ty);
            let value = match (step.item, field) {
                (_, Field::One(value)) if var.part => Value::seq([value.clone()]),
                (_, Field::One(value)) => value.clone(),
                (_, Field::List(list)) => sorted(list.clone(), whole),
                (InputItem::Rows(..), Field::Table(rows)) => {
                    sorted(rows.iter().map(|row| row[k].clone()).collect(), whole)
                }
                (_, Field::Table(lists)) => Value::seq(
                    lists
                        .iter()
                        .map(|l| sorted(l.clone(), element(self.game, slot)))
                        .collect::<Vec<_>>(),
                ),
                (_, Field::Group(times)) => Value::Int(Int::from(times.len())),
            };
            if !var.part {
                self.machine.set(slot, value.clone());
            }
            self.known[slot] = true;
            self.params[slot] = value;
        }
        if let Some(until) = step.until
            && self.machine.truth(until).unwrap_or(true)
        {
            return false;
        }
        step.requires
            .iter()
            .chain(&step.limits)
            .all(|asked| self.holds(asked))
    }

    fn holds(&mut self, asked: &Asked<'g>) -> bool {
        let parts = match asked.parts.first() {
            Some(slot) => self.params[*slot].as_seq().map_or(0, <[Value]>::len),
            None => 1,
        };
        (0..parts).all(|part| {
            for &slot in &asked.parts {
                if let Some(v) = self.params[slot].as_seq().and_then(|list| list.get(part)) {
                    self.machine.set(slot, v.clone());
                }
            }
            self.machine.truth(&asked.check.condition).unwrap_or(false)
        })
    }

    /// Whether there is a case, in each group one, and none without numbers of which the game does not speak.
    pub fn has_cases(&mut self, file: &File) -> bool {
        let steps = self.format.steps.clone();
        !file.records.is_empty() && file.records.iter().all(|r| self.asks(&steps, r))
    }

    fn asks(&mut self, steps: &[Step<'g>], record: &Record) -> bool {
        steps
            .iter()
            .zip(record)
            .all(|(step, field)| match (step.item, field) {
                (_, Field::Group(times)) => {
                    !times.is_empty() && times.iter().all(|t| self.asks(&step.body, t))
                }
                // It would be an empty line, which nobody reads.
                (InputItem::Array(_, None), Field::List(list)) => !list.is_empty(),
                (InputItem::Scalar(slot), Field::One(Value::Int(n))) => {
                    !n.is_zero() || !self.counts[*slot] || self.may_be_zero(*slot)
                }
                _ => true,
            })
    }

    /// Whether the game itself says that a count goes down to 0.
    fn may_be_zero(&mut self, slot: Slot) -> bool {
        let bounds = self.bounds[slot].clone();
        let (low, high) = self.range(&bounds);
        low.is_some_and(|low| low <= Int::ZERO) || high.is_some_and(|high| high <= Int::ZERO)
    }

    /// Whether every list has its length and every requirement and limit holds.
    pub fn legal(&mut self, file: &File) -> bool {
        let steps = self.format.steps.clone();
        file.records
            .iter()
            .all(|record| self.legal_record(&steps, record))
    }

    fn legal_record(&mut self, steps: &[Step<'g>], record: &Record) -> bool {
        steps.len() == record.len()
            && steps.iter().zip(record).all(|(step, field)| {
                let counted = match (count_of(step.item), field) {
                    (Some(count), Field::List(list)) => self.is_length(count, list.len()),
                    (Some(count), Field::Table(rows)) => self.is_length(count, rows.len()),
                    _ => true,
                };
                counted
                    && self.enter(step, field)
                    && match field {
                        Field::Group(times) => {
                            times.iter().all(|t| self.legal_record(&step.body, t))
                        }
                        _ => true,
                    }
            })
    }

    fn is_length(&mut self, count: &'g Expr, len: usize) -> bool {
        self.machine
            .int(count)
            .is_ok_and(|n| n.to_usize() == Some(len))
    }

    /// Cuts lists that are longer than their counts now say, at the fraction `at` of `of` of their length; `None` if a
    /// list is too short.
    pub fn fit(&mut self, mut file: File, at: usize, of: usize) -> Option<File> {
        let steps = self.format.steps.clone();
        for record in &mut file.records {
            self.fit_record(&steps, record, at, of)?;
        }
        Some(file)
    }

    fn fit_record(
        &mut self,
        steps: &[Step<'g>],
        record: &mut Record,
        at: usize,
        of: usize,
    ) -> Option<()> {
        fn cut<T>(list: &mut Vec<T>, n: usize, at: usize, of: usize) -> Option<(usize, usize)> {
            let gone = list.len().checked_sub(n)?;
            let from = (list.len() * at / of.max(1)).min(n);
            list.drain(from..from + gone);
            Some((from, gone))
        }
        for (step, field) in steps.iter().zip(record) {
            if let Some(count) = count_of(step.item) {
                let n = self.machine.int(count).ok()?.to_usize()?;
                match field {
                    Field::List(list) => {
                        cut(list, n, at, of)?;
                    }
                    Field::Table(rows) => {
                        let (from, gone) = cut(rows, n, at, of)?;
                        if let InputItem::Lists(slot, _) = step.item
                            && self.adjacency[*slot]
                        {
                            let bounds = self.bounds[*slot].clone();
                            let base = self
                                .range(&bounds)
                                .0
                                .filter(|b| *b == Int::ONE)
                                .unwrap_or(Int::ZERO);
                            rename(rows, &base, from, gone);
                        }
                    }
                    _ => {}
                }
            }
            self.enter(step, field);
            if let Field::Group(times) = field {
                for time in times {
                    self.fit_record(&step.body, time, at, of)?;
                }
            }
        }
        Some(())
    }

    /// One file of all these.
    pub fn join(&self, files: &[File]) -> File {
        let mut out = File::default();
        for record in files.iter().flat_map(|f| &f.records) {
            match (&mut out.records[..], &record[..]) {
                // One group is the whole input.
                ([first], [Field::Group(more)]) if first.len() == 1 => {
                    if let Field::Group(times) = &mut first[0] {
                        times.extend(more.iter().cloned());
                    }
                }
                _ => out.records.push(record.clone()),
            }
        }
        out
    }

    // Text.

    /// The file as the contest would give it.
    pub fn print(&self, file: &File) -> String {
        let mut text = Text::default();
        for record in &file.records {
            text.start_line();
            self.print_record(&self.format.steps, record, &mut text);
        }
        text.start_line();
        for token in &self.layout.sentinel {
            text.token(token);
        }
        text.start_line();
        text.out
    }

    fn print_record(&self, steps: &[Step<'g>], record: &Record, text: &mut Text) {
        for (i, (step, field)) in steps.iter().zip(record).enumerate() {
            let scalar = matches!(step.item, InputItem::Scalar(_));
            if self.layout.before[step.id].unwrap_or(i == 0 || !scalar) {
                text.start_line();
            }
            let within = self.layout.within[step.id];
            match field {
                Field::One(value) => text.value(value),
                Field::List(list) => {
                    for (i, value) in list.iter().enumerate() {
                        if i > 0 && within == Some(true) {
                            text.start_line();
                        }
                        text.value(value);
                    }
                    if matches!(step.item, InputItem::Array(_, None)) {
                        text.start_line();
                    }
                }
                Field::Table(rows) => {
                    for (i, row) in rows.iter().enumerate() {
                        if i > 0 && within.unwrap_or(true) {
                            text.start_line();
                        }
                        if matches!(step.item, InputItem::Lists(..)) {
                            text.token(&row.len().to_string());
                        }
                        row.iter().for_each(|v| text.value(v));
                    }
                }
                Field::Group(times) => {
                    text.token(&times.len().to_string());
                    for time in times {
                        self.print_record(&step.body, time, text);
                    }
                }
            }
        }
    }

    /// Reads a text in the format and learns its layout. `None` where the text stops to fit.
    pub fn parse(&mut self, text: &str) -> Option<File> {
        let tokens: Vec<(usize, &str)> = text
            .lines()
            .enumerate()
            .flat_map(|(i, line)| line.split_whitespace().map(move |t| (i, t)))
            .collect();
        let steps = self.format.steps.clone();
        let mut cursor = Cursor {
            tokens: &tokens,
            at: 0,
        };
        let mut file = File::default();
        while cursor.at < tokens.len() {
            let start = cursor.at;
            let mut over = false;
            let record = self.parse_record(&steps, &mut cursor, &mut over, true)?;
            if over {
                self.layout.sentinel = tokens[start..cursor.at]
                    .iter()
                    .map(|(_, t)| (*t).to_owned())
                    .collect();
                break;
            }
            file.records.push(record);
        }
        Some(file)
    }

    fn parse_record(
        &mut self,
        steps: &[Step<'g>],
        cursor: &mut Cursor<'_>,
        over: &mut bool,
        outer: bool,
    ) -> Option<Record> {
        let mut record = Record::new();
        for (i, step) in steps.iter().enumerate() {
            if !(outer && i == 0)
                && let Some(broken) = cursor.broken()
            {
                self.layout.before[step.id].get_or_insert(broken);
            }
            let mut within = None;
            let mut rows = |cursor: &Cursor<'_>, i: usize| {
                if i > 0
                    && let Some(broken) = cursor.broken()
                {
                    within = Some(within.unwrap_or(false) || broken);
                }
            };
            let field = match step.item {
                InputItem::Scalar(slot) => {
                    Field::One(cursor.value(&Token::of(&self.game.vars[*slot].ty)?)?)
                }
                InputItem::Array(slot, count) => {
                    let token = self.token(*slot);
                    let mut list = Vec::new();
                    match count {
                        Some(count) => {
                            let n = self.machine.int(count).ok()?.to_usize()?;
                            while list.len() < n {
                                rows(cursor, list.len());
                                list.push(cursor.value(&token)?);
                            }
                        }
                        None => {
                            list.push(cursor.value(&token)?);
                            while cursor.broken() == Some(false) {
                                list.push(cursor.value(&token)?);
                            }
                        }
                    }
                    Field::List(list)
                }
                InputItem::Lists(slot, count) => {
                    let token = match element(self.game, *slot) {
                        Some(Type::List(m) | Type::Set(m) | Type::Multiset(m)) => Token::of(m)?,
                        _ => return None,
                    };
                    let n = self.machine.int(count).ok()?.to_usize()?;
                    let mut lists = Vec::new();
                    for i in 0..n {
                        rows(cursor, i);
                        let len: usize = cursor.next()?.parse().ok()?;
                        lists.push(
                            (0..len)
                                .map(|_| cursor.value(&token))
                                .collect::<Option<Vec<_>>>()?,
                        );
                    }
                    Field::Table(lists)
                }
                InputItem::Rows(slots, count) => {
                    let n = self.machine.int(count).ok()?.to_usize()?;
                    let tokens: Vec<Token> = slots.iter().map(|s| self.token(*s)).collect();
                    let mut table = Vec::new();
                    for i in 0..n {
                        rows(cursor, i);
                        table.push(
                            tokens
                                .iter()
                                .map(|t| cursor.value(t))
                                .collect::<Option<Vec<_>>>()?,
                        );
                    }
                    Field::Table(table)
                }
                InputItem::Repeat(..) => {
                    let n: usize = cursor.next()?.parse().ok()?;
                    Field::Group(vec![Record::new(); n])
                }
            };
            if let Some(within) = within {
                self.layout.within[step.id].get_or_insert(within);
            }
            self.enter(step, &field);
            if let Some(until) = step.until
                && self.machine.truth(until).ok()?
            {
                *over = true;
                return Some(record);
            }
            let mut field = field;
            if let Field::Group(times) = &mut field {
                for time in times {
                    *time = self.parse_record(&step.body, cursor, over, false)?;
                }
            }
            record.push(field);
        }
        Some(record)
    }

    /// Tokens that the sentinel takes for the end: zeros, or what people write instead.
    fn make_sentinel(&mut self) -> Option<Vec<String>> {
        let steps = self.format.steps.clone();
        let last = steps.iter().position(|s| s.until.is_some())?;
        let until = steps[last].until?;
        for (number, word) in [
            ("0", "0"),
            ("-1", "#"),
            ("0", "#"),
            ("0", "END"),
            ("0", "*"),
        ] {
            let mut tokens = Vec::new();
            for step in &steps[..=last] {
                let InputItem::Scalar(slot) = step.item else {
                    return None;
                };
                let (token, value) = match Token::of(&self.game.vars[*slot].ty)? {
                    Token::Int => (number, Value::Int(number.parse().ok()?)),
                    Token::Word => (word, Value::seq(word.chars().map(Value::Char))),
                    _ => return None,
                };
                self.machine.set(*slot, value);
                tokens.push(token.to_owned());
            }
            if self.machine.truth(until).unwrap_or(false) {
                return Some(tokens);
            }
        }
        None
    }

    /// Whether a parameter says how long a list is.
    pub fn counts(&self, slot: Slot) -> bool {
        self.counts[slot]
    }

    /// The characters that words are made of; the first stands for the plainest.
    pub fn alphabet(&self) -> &[char] {
        &self.alphabet
    }
}

/// Tokens of a sample.
struct Cursor<'t> {
    tokens: &'t [(usize, &'t str)],
    at: usize,
}

impl<'t> Cursor<'t> {
    fn next(&mut self) -> Option<&'t str> {
        self.at += 1;
        self.tokens.get(self.at - 1).map(|t| t.1)
    }

    /// Whether the next token is on another line than the last one.
    fn broken(&self) -> Option<bool> {
        let last = self.tokens.get(self.at.checked_sub(1)?)?;
        Some(self.tokens.get(self.at)?.0 != last.0)
    }

    fn value(&mut self, token: &Token) -> Option<Value> {
        Some(match token {
            Token::Int => Value::Int(self.next()?.parse().ok()?),
            Token::Word => Value::seq(self.next()?.chars().map(Value::Char)),
            Token::Char => Value::Char(self.next()?.chars().next()?),
            Token::Row(tokens) => Value::seq(
                tokens
                    .iter()
                    .map(|t| self.value(t))
                    .collect::<Option<Vec<_>>>()?,
            ),
        })
    }
}

/// Text under construction: tokens with blanks between them.
#[derive(Default)]
struct Text {
    out: String,
}

impl Text {
    fn start_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn token(&mut self, token: &str) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push(' ');
        }
        self.out.push_str(token);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Int(v) => self.token(&v.to_string()),
            Value::Bool(v) => self.token(if *v { "1" } else { "0" }),
            Value::Char(c) => self.token(c.encode_utf8(&mut [0; 4])),
            Value::Seq(members) if members.iter().all(|m| matches!(m, Value::Char(_))) => {
                let word: String = members
                    .iter()
                    .filter_map(|m| {
                        if let Value::Char(c) = m {
                            Some(*c)
                        } else {
                            None
                        }
                    })
                    .collect();
                self.token(&word);
            }
            Value::Seq(members) => members.iter().for_each(|m| self.value(m)),
        }
    }
}

/// The expression that says how many elements an item has.
pub fn count_of(item: &InputItem) -> Option<&Expr> {
    match item {
        InputItem::Array(_, count) => count.as_ref(),
        InputItem::Lists(_, count) | InputItem::Rows(_, count) => Some(count),
        InputItem::Scalar(_) | InputItem::Repeat(..) => None,
    }
}

/// Takes the lists `from..from + gone`, which are no longer there, out of the others.
fn rename(lists: &mut [Vec<Value>], base: &Int, from: usize, gone: usize) {
    let (from, to) = (base + &Int::from(from), base + &Int::from(from + gone));
    let gone = Int::from(gone);
    for list in lists {
        list.retain_mut(|value| {
            let Value::Int(v) = value else { return true };
            if *v >= to {
                *v = &*v - &gone;
                return true;
            }
            *v < from
        });
    }
}

/// The characters that the rules, the requirements and the facts speak of.
fn alphabet(game: &Game) -> Vec<char> {
    let mut found = BTreeSet::new();
    {
        let mut visit = |e: &Expr| match &e.kind {
            ExprKind::Char(c) => {
                found.insert(*c);
            }
            ExprKind::Str(text) => found.extend(text.chars()),
            ExprKind::Call(Function::Number | Function::Digits, _) => found.extend('0'..='9'),
            _ => {}
        };
        for m in &game.moves {
            m.clauses.iter().for_each(|c| c.walk(&mut visit));
            match &m.parts {
                grundy_lang::ir::Parts::Each(parts) => {
                    parts.iter().for_each(|e| e.walk(&mut visit))
                }
                grundy_lang::ir::Parts::Over(e, clauses) => {
                    e.walk(&mut visit);
                    clauses.iter().for_each(|c| c.walk(&mut visit));
                }
            }
        }
        game.ends.iter().for_each(|e| e.condition.walk(&mut visit));
        game.requires
            .iter()
            .chain(&game.limits)
            .for_each(|c| c.condition.walk(&mut visit));
    }
    for (_, literal) in game.expects.iter().flat_map(|e| &e.args) {
        if let Literal::Str(text) = literal {
            found.extend(text.text.chars());
        }
    }
    found.retain(|c| !c.is_whitespace() && !c.is_control());
    if found.is_empty() {
        found.extend(['a', 'b']);
    }
    found.into_iter().collect()
}
