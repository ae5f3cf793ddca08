//! An answer: who wins, how to win, and how that is known; as data and as JSON.

use std::ops::ControlFlow;

use grundy_core::{Budget, Claim, Int, Outcome};
use grundy_lang::diag::Code;
use grundy_lang::interp::{Machine, Opt, Resume, Rules};
use grundy_lang::ir::{Clause, Domain, Game, Move, Pattern, Play, Shape, Slot};
use grundy_lang::value::{Pos, Position, Value};
use grundy_theorems::Theorem;
use serde_json::{Map, Value as Json, json};

use crate::Result;

/// An answer about a position.
#[derive(Clone)]
pub struct Answer {
    /// The rules it is about.
    pub rules: Rules,
    /// The position it is about.
    pub position: Position,
    /// Who wins.
    pub outcome: Outcome,
    /// The Grundy value, where values are defined and known.
    pub grundy: Option<Int>,
    /// Whether the Grundy value is from a search beside the theorem that gave the rest.
    pub grundy_searched: bool,
    /// The first winning moves.
    pub moves: Vec<WinningMove>,
    /// How many winning moves there are, moves that leave the same counted once.
    pub moves_total: Int,
    /// Whether there is any move at all; `None` if play has ended by `win if` or `lose if`.
    pub end: End,
    /// The theorem that gives it; `None` for search.
    pub theorem: Option<&'static dyn Theorem>,
    /// Who has computed it, where no theorem answers: `search`, `jit`, `interpret` or `rays`.
    pub engine: &'static str,
}

/// Whether play is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// There is a move.
    No,
    /// There is no move.
    Stuck,
    /// `win if` or `lose if` holds.
    Decided,
}

/// A winning move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WinningMove {
    /// The part moved in, from 0.
    pub part: usize,
    /// That part before the move.
    pub from: Pos,
    /// The parts that it leaves there.
    pub to: Vec<Pos>,
    /// The rule that allows it, where it was looked up.
    pub by: Option<Rule>,
}

/// A rule as it allows a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// An index into [`Game::moves`].
    pub index: usize,
    /// The quantifiers and their values.
    pub with: Vec<(String, Value)>,
}

/// How many options are looked at, at most, to find the rules behind winning moves, and how many numbers they may have in
/// all: an array of thousands is copied for each of its options.
const LOOK: u64 = 200_000;
const LOOK_NUMBERS: u64 = 2_000_000;

/// How many of them before it is tried to do without.
const NEAR: u64 = 2_000;

/// Values of quantifiers tried for each of them, guards that let nothing through included.
const TRIED: u64 = 40;

/// Values of quantifiers tried to see whether there is a move.
const PATIENCE: u64 = 1 << 23;

impl Answer {
    /// The game.
    pub fn game(&self) -> &Game {
        self.rules.game()
    }

    /// The name of the theorem or engine.
    pub fn method(&self) -> &'static str {
        self.theorem.map_or(self.engine, |t| t.name())
    }

    /// What a reader calls the theorem or engine.
    pub fn method_title(&self) -> &'static str {
        match (self.theorem, self.engine) {
            (Some(theorem), _) => theorem.title(),
            (None, "jit") => "machine code for every position that matters",
            (None, "interpret") => "the interpreter on every position that matters",
            (None, "rays") => "values along rays, of every position up to this one",
            (None, _) => "search of every position that matters",
        }
    }

    /// How the outcome and the moves are known.
    pub fn claim(&self) -> Claim {
        match self.theorem {
            Some(_) => Claim::Proved,
            None => Claim::Computed,
        }
    }

    /// The answer as JSON: `game`, `position`, `outcome`, `grundy`, `moves`, `moves_total`, `method`, `claim`; and
    /// `grundy_claim` where the value is known in another way than the outcome.
    pub fn to_json(&self) -> Json {
        let game = self.game();
        let mut answer = json!({
            "game": game.name,
            "position": position_json(&game.shape, &self.position),
            "outcome": self.outcome.to_string(),
            "grundy": self.grundy.as_ref().map(int_json),
            "moves": self.moves.iter().map(|m| m.to_json(game)).collect::<Vec<_>>(),
            "moves_total": int_json(&self.moves_total),
            "method": self.method(),
            "claim": self.claim().to_string(),
        });
        if self.grundy_searched {
            answer["grundy_claim"] = json!(Claim::Computed.to_string());
        }
        answer
    }

    /// The answer in one sentence: who wins, or that play is over and how it ended.
    pub fn verdict(&self) -> String {
        let wins = match self.outcome {
            Outcome::N => "the player to move wins",
            Outcome::P => "the player to move loses",
        };
        let misere = self.game().play == Play::Misere;
        match self.end {
            End::No => wins.to_owned(),
            End::Stuck if misere => format!("{wins}: there is no move, and who cannot move wins"),
            End::Stuck => format!("{wins}: there is no move, and who cannot move loses"),
            End::Decided => format!("{wins}: play has ended here"),
        }
    }
}

impl WinningMove {
    /// `{9, 14} -> {4, 9}`; the parts left joined by ` + `, nothing left as `[]`.
    pub fn text(&self, shape: &Shape) -> String {
        format!(
            "{} -> {}",
            shape.display(&self.from),
            parts_text(shape, &self.to)
        )
    }

    fn to_json(&self, game: &Game) -> Json {
        let mut out = Map::new();
        out.insert("part".into(), self.part.into());
        out.insert("from".into(), pos_json(&game.shape, &self.from));
        let to = self.to.iter().map(|p| pos_json(&game.shape, p)).collect();
        out.insert("to".into(), Json::Array(to));
        out.insert("text".into(), self.text(&game.shape).into());
        if let Some(rule) = &self.by {
            out.insert("rule".into(), rule_text(game, rule.index).into());
            let with = rule.with.iter().map(|(n, v)| (n.clone(), value_json(v)));
            out.insert("with".into(), Json::Object(with.collect()));
        }
        Json::Object(out)
    }
}

/// Parts as a move leaves them: joined by ` + `, none as `[]`.
pub fn parts_text(shape: &Shape, parts: &[Pos]) -> String {
    if parts.is_empty() {
        return "[]".to_owned();
    }
    let parts: Vec<String> = parts.iter().map(|p| shape.display(p)).collect();
    parts.join(" + ")
}

/// The text of a move rule on one line, without the word `move`.
pub fn rule_text(game: &Game, rule: usize) -> String {
    let text = game.source.slice(game.moves[rule].span);
    let text = one_line(text);
    text.strip_prefix("move ").unwrap_or(&text).to_owned()
}

/// A text with its line ends, runs of blanks and comments made single blanks.
pub fn one_line(text: &str) -> String {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or(""))
        .flat_map(str::split_whitespace)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A number as JSON: a decimal text where a reader with 53-bit numbers would lose digits.
pub fn int_json(v: &Int) -> Json {
    match v.to_i64() {
        Some(small) if small.unsigned_abs() <= 1 << 53 => small.into(),
        _ => v.to_string().into(),
    }
}

fn value_json(value: &Value) -> Json {
    match value {
        Value::Int(v) => int_json(v),
        Value::Bool(v) => (*v).into(),
        Value::Char(c) => c.to_string().into(),
        Value::Seq(members) if !members.is_empty() && members.iter().all(is_char) => {
            let text: String = members.iter().filter_map(char_of).collect();
            text.into()
        }
        Value::Seq(members) => members.iter().map(value_json).collect(),
    }
}

fn is_char(value: &Value) -> bool {
    matches!(value, Value::Char(_))
}

fn char_of(value: &Value) -> Option<char> {
    if let Value::Char(c) = value {
        Some(*c)
    } else {
        None
    }
}

/// One part as JSON: a counter is a number, a string is a text, all else a list.
pub fn pos_json(shape: &Shape, pos: &Pos) -> Json {
    match shape {
        Shape::Str => {
            let value = shape.value(pos);
            let chars = value.as_seq().unwrap_or_default().iter();
            chars.filter_map(char_of).collect::<String>().into()
        }
        _ => value_json(&shape.value(pos)),
    }
}

/// A position as JSON: the list of its parts.
pub fn position_json(shape: &Shape, position: &Position) -> Json {
    position.parts.iter().map(|p| pos_json(shape, p)).collect()
}

/// A value as a person writes it.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Int(v) => v.to_string(),
        Value::Bool(v) => v.to_string(),
        Value::Char(c) => format!("{c:?}"),
        Value::Seq(members) if !members.is_empty() && members.iter().all(is_char) => {
            format!(
                "{:?}",
                members.iter().filter_map(char_of).collect::<String>()
            )
        }
        Value::Seq(members) => {
            let members: Vec<String> = members.iter().map(value_text).collect();
            format!("[{}]", members.join(", "))
        }
    }
}

/// The quantifiers of a rule, in the order written.
fn quantifiers(m: &Move) -> Vec<Slot> {
    let mut out = Vec::new();
    for clause in &m.clauses {
        if let Clause::For { slots, .. } = clause {
            out.extend(slots);
        }
    }
    out
}

/// The rule that gave an option, with its quantifiers.
fn rule_of(game: &Game, opt: &Opt<'_>) -> Rule {
    let name = |slot: Slot| (game.slots[slot].name.clone(), opt.env[slot].clone());
    Rule {
        index: opt.rule,
        with: quantifiers(&game.moves[opt.rule])
            .into_iter()
            .map(name)
            .collect(),
    }
}

/// Finds the rules behind moves: by walking over the first options of their parts, then by `leap`, then by walking over
/// 200,000 options in all.
pub fn look_up(rules: &Rules, moves: &mut [WinningMove], budget: &Budget) -> Result<()> {
    let mut looked = 0;
    let mut start = 0;
    while start < moves.len() {
        let part = moves[start].part;
        let end = start + moves[start..].iter().take_while(|m| m.part == part).count();
        let group = &mut moves[start..end];
        let numbers = group[0].from.0.len().max(1) as u64;
        let most = |options: u64| options.min(LOOK_NUMBERS / numbers);
        if !walk(rules, group, most(NEAR), &mut looked, budget)? {
            leap(rules, group, budget)?;
            walk(rules, group, most(LOOK), &mut looked, budget)?;
        }
        start = end;
    }
    Ok(())
}

/// Walks over the options of a part until the rules behind all its moves are found or `most` have been looked at, and
/// past [`LOOK`] in all; whether there is none that might still be found.
fn walk(
    rules: &Rules,
    group: &mut [WinningMove],
    most: u64,
    looked: &mut u64,
    budget: &Budget,
) -> Result<bool> {
    let game: &Game = rules.game();
    let from = group[0].from.clone();
    // A theorem of heaps leaves empty heaps out, so what is not found as it stands is looked for without them.
    for heaps in [false, true] {
        let key = |parts: &[Pos]| sorted(parts, heaps);
        let mut wanted: Vec<(Vec<Pos>, usize)> = Vec::new();
        wanted.extend(
            group
                .iter()
                .enumerate()
                .filter(|(_, m)| m.by.is_none())
                .map(|(i, m)| (key(&m.to), i)),
        );
        if wanted.is_empty() || (heaps && game.shape != Shape::Int) {
            break;
        }
        wanted.sort();
        let mut left = wanted.len();
        let mut here = 0;
        let machine = rules.machine_with(budget.clone());
        let mut machine = machine.with_patience(most * TRIED);
        let flow = machine.options(&from, &mut |opt| {
            *looked += 1;
            here += 1;
            if let Ok(at) = wanted.binary_search_by(|(to, _)| to.cmp(&key(opt.parts))) {
                let found = &mut group[wanted[at].1];
                if found.by.is_none() {
                    // The parts in the order in which the rule writes them.
                    found.to = opt.parts.to_vec();
                    found.by = Some(rule_of(game, &opt));
                    left -= 1;
                }
            }
            if left == 0 || *looked >= LOOK || here >= most {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        match flow {
            Ok(_) if left == 0 => break,
            Ok(flow) if flow.is_continue() => {}
            Ok(_) => return Ok(false),
            Err(error) if error.code == Code::TooLarge => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// Whether a pattern matches in one way only.
fn plain(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Bind(_) => true,
        Pattern::Tuple(members)
        | Pattern::Unordered {
            members,
            every_order: false,
        } => members.iter().all(plain),
        Pattern::Unordered { .. } | Pattern::Pick { .. } => false,
    }
}

/// Two numbers that a line of options is measured by: the sum of all counters, and the sum of each times its place.
fn size(parts: &[Pos]) -> [Int; 2] {
    let mut out = [Int::ZERO, Int::ZERO];
    for (i, word) in parts.iter().flat_map(|p| &p.0).enumerate() {
        out[0] = &out[0] + word;
        out[1] = &out[1] + &(word * &Int::from(i + 1));
    }
    out
}

/// Where an array differs from another; none if they are no arrays of one length, or have members in no order.
fn changes(shape: &Shape, from: &Pos, to: &[Pos]) -> Option<Vec<usize>> {
    let (Shape::Array(_), [to]) = (shape, to) else {
        return None;
    };
    let same_length = from.0.len() == to.0.len();
    let pairs = from.0.iter().zip(&to.0).enumerate();
    same_length.then(|| pairs.filter(|(_, (a, b))| a != b).map(|p| p.0).collect())
}

/// Finds the rules behind moves of a part among too many options to walk over, where the quantifiers are over ranges and
/// the counters left are measured by a linear function of the last of them. For all values of the others the first two
/// options give the line, and the option at the value that it calls for is compared with the move, so a wrong guess
/// does no harm.
fn leap(rules: &Rules, group: &mut [WinningMove], budget: &Budget) -> Result<()> {
    let machine = rules.machine_with(budget.clone());
    let mut machine = machine.with_patience(NEAR * TRIED);
    let mut looked = 0;
    for index in 0..rules.game().moves.len() {
        match leap_by(rules.game(), index, &mut machine, group, &mut looked) {
            Err(error) if error.code == Code::TooLarge => {}
            done => done?,
        }
        if group.iter().all(|m| m.by.is_some()) || looked >= LOOK_NUMBERS {
            break;
        }
    }
    Ok(())
}

/// The same by one rule.
fn leap_by(
    game: &Game,
    index: usize,
    machine: &mut Machine<'_>,
    group: &mut [WinningMove],
    looked: &mut u64,
) -> Result<()> {
    let m = &game.moves[index];
    let heaps = game.shape == Shape::Int;
    let from = group[0].from.clone();
    let numbers = from.0.len().max(1) as u64;
    let ranges = m.narrowed.iter().filter_map(|c| match c {
        Clause::For { slots, domain } => Some(match (&slots[..], domain) {
            (&[slot], Domain::Range(..)) => Some(slot),
            _ => None,
        }),
        Clause::If(_) => None,
    });
    let Some(slots) = ranges.collect::<Option<Vec<Slot>>>() else {
        return Ok(());
    };
    let Some((&last, others)) = slots.split_last().filter(|_| plain(&m.pattern)) else {
        return Ok(());
    };
    let mut there = Resume {
        rule: index,
        ..Resume::default()
    };
    loop {
        let mut line: Vec<(Int, Vec<Pos>)> = Vec::new();
        let mut before: Vec<Int> = Vec::new();
        let _ = machine.options_from(&from, &there, &mut |opt| {
            let of = |slot: &Slot| match &opt.env[*slot] {
                Value::Int(v) => v.clone(),
                _ => Int::ZERO,
            };
            let here: Vec<Int> = others.iter().map(of).collect();
            if opt.rule != index || (!line.is_empty() && here != before) {
                return ControlFlow::Break(());
            }
            before = here;
            line.push((of(&last), opt.parts.to_vec()));
            if line.len() < 2 {
                return ControlFlow::Continue(());
            }
            ControlFlow::Break(())
        })?;
        if line.is_empty() {
            return Ok(());
        }
        let changed = line.iter().map(|(_, to)| changes(&game.shape, &from, to));
        let changed: Vec<_> = changed.collect();
        for wanted in group.iter_mut().filter(|m| m.by.is_none()) {
            let change = changes(&game.shape, &from, &wanted.to);
            if change.is_some() && !changed.contains(&change) {
                continue;
            }
            let Some(k) = on_line(&line, &wanted.to) else {
                continue;
            };
            let guess = Resume {
                rule: index,
                at: before.iter().cloned().chain([k]).collect(),
            };
            let target = sorted(&wanted.to, heaps);
            let mut found = None;
            let _ = machine.options_from(&from, &guess, &mut |opt| {
                let env = slots.iter().map(|s| opt.env[*s].as_int());
                if opt.rule == index
                    && env.eq(guess.at.iter().map(Some))
                    && sorted(opt.parts, heaps) == target
                {
                    found = Some((opt.parts.to_vec(), rule_of(game, &opt)));
                }
                ControlFlow::Break(())
            })?;
            if let Some((parts, rule)) = found {
                wanted.to = parts;
                wanted.by = Some(rule);
            }
        }
        *looked += 2 * numbers;
        let missing = group.iter().any(|m| m.by.is_none());
        if !missing || *looked >= LOOK_NUMBERS {
            return Ok(());
        }
        // On to the next value of the last but one.
        let Some(next) = before.last_mut() else {
            return Ok(());
        };
        *next = &*next + &Int::ONE;
        there.at = before.into_iter().collect();
    }
}

/// The value of the last quantifier at which a line of options comes to a move's sizes.
fn on_line(line: &[(Int, Vec<Pos>)], to: &[Pos]) -> Option<Int> {
    let [(first, from), second @ ..] = line else {
        return None;
    };
    let Some((second, there)) = second.first() else {
        return Some(first.clone());
    };
    let (from, there, to) = (size(from), size(there), size(to));
    let by = (0..2).find(|&i| from[i] != there[i])?;
    let rise = &there[by] - &from[by];
    let distance = &(&to[by] - &from[by]) * &(second - first);
    let steps = distance.div_floor(&rise)?;
    (!steps.is_negative() && &steps * &rise == distance).then(|| first + &steps)
}

fn sorted(parts: &[Pos], heaps: bool) -> Vec<Pos> {
    let empty = |p: &&Pos| heaps && p.0.len() == 1 && p.0[0].is_zero();
    let mut parts: Vec<Pos> = parts.iter().filter(|p| !empty(p)).cloned().collect();
    parts.sort();
    parts
}

/// Whether play is over at a position.
pub fn end(rules: &Rules, position: &Position) -> Result<End> {
    let mut machine = rules.machine().with_patience(PATIENCE);
    for part in &position.parts {
        if machine.end(part)?.is_some() {
            return Ok(End::Decided);
        }
    }
    for part in &position.parts {
        match machine.options(part, &mut |_| ControlFlow::Break(())) {
            Ok(flow) if flow.is_continue() => {}
            Ok(_) => return Ok(End::No),
            // So many values without a move: nothing is said of the end.
            Err(error) if error.code == Code::TooLarge => return Ok(End::No),
            Err(error) => return Err(error),
        }
    }
    Ok(End::Stuck)
}
