//! Bounded look-back: one counter that falls by bounded amounts, and a finite control beside it (whose seat it is, the last
//! amount taken, the residue of the counter).
//!
//! Theorem. Let the options of (C, q), for C ≥ B, be (C − k, q′) for (k, q′) in a finite list that depends on q and on
//! C mod m only, with every k ≥ 1 and those with k > C left out, and let q range over a finite set closed under the moves.
//! Then outcomes (and, in normal play, Grundy values) are ultimately periodic in C.
//! Proof. Let W be the largest k. The outcomes at C are a function of those at C − W, …, C − 1 and of C mod m, the same
//! function for every C ≥ max(B, W). There are finitely many such windows (an outcome is one of two, a value at most the
//! number of options), so two are equal, and from there on all are: by induction the rows after equal windows are equal. ∎
//! The equal windows are found by running forward, so period and start are proved for these rules, and the answer for a
//! counter of any size is that of its residue. Rows below B come from the interpreter.
//!
//! Finite subtraction sets (Golomb 1966; Winning Ways ch. 4), team Nim, and games that forbid or limit the opponent's last
//! amount are instances. See `read` for how the lists are proved, `window` for the cost: recognition reads each control
//! once; an answer for counter C takes the rows up to C or up to the repeat, then one division.

mod read;
mod window;

use std::sync::{Mutex, MutexGuard, PoisonError};

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{ExprKind, Pattern, Play, Shape};
use grundy_lang::value::Pos;
use rustc_hash::FxHashMap;

use crate::{Options, Result, Solver, Target, Theorem, WhyNot};
use read::{Large, Reader};
use window::{Cycle, Node, Outcomes, Stop, Table, Values};

/// The theorem for the registry.
pub struct LookBack;

/// At most this many controls, counted once for each residue of the counter.
const MOST_STATES: usize = 4096;
/// At most this many positions are asked of the interpreter while the rules are looked at.
const MOST_SMALL: i64 = 1 << 16;
/// And at most this many values of quantifiers are tried at them, most of which a guard may leave out.
const MOST_TRIED: u64 = 1 << 22;

impl Theorem for LookBack {
    fn name(&self) -> &'static str {
        "look-back"
    }

    fn title(&self) -> &'static str {
        "Periodicity of games with bounded look-back"
    }

    fn source(&self) -> &'static str {
        "Golomb, A mathematical investigation of games of take-away (1966); with a control, the proof is in the source of `look-back`"
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        let game = rules.game();
        let width = match &game.shape {
            Shape::Int => 1,
            Shape::Tuple(members) if members.iter().all(|m| *m == Shape::Int) => members.len(),
            _ => {
                return Err(WhyNot::new(
                    "a position is not one counter or an ordered tuple of counters",
                ));
            }
        };
        if game.moves.is_empty() {
            return Err(WhyNot::new("there are no moves"));
        }
        // The counter is more likely the member for which the start names a quantity than one that it sets.
        let named = |i: &usize| match &game.start.expr.kind {
            ExprKind::Tuple(members) => {
                !matches!(members.get(*i).map(|e| &e.kind), Some(ExprKind::Slot(_)))
            }
            _ => false,
        };
        let mut order: Vec<usize> = (0..width).collect();
        order.sort_by_key(named);
        let mut first = None;
        for counter in order {
            let start = Reader::new(game, rules.params(), counter).start_control();
            // Without a start that says more, controls of zeros and of ones show whether the rules are of this kind.
            let roots = match start {
                Some(start) => vec![start],
                None if width == 1 => vec![Vec::new()],
                None => vec![vec![0; width - 1], vec![1; width - 1]],
            };
            match Model::new(rules, counter, roots) {
                Ok(model) if width > 1 && model.table.reach() == 0 => {
                    first = first.or(Some(WhyNot::new(
                        "no member of the position falls by bounded amounts",
                    )));
                }
                Ok(model) => {
                    let work = Mutex::new(Work {
                        model,
                        outcomes: Outcomes::default(),
                        values: Values::default(),
                    });
                    return Ok(Box::new(LookBackSolver {
                        rules: rules.clone(),
                        counter,
                        work,
                    }));
                }
                Err(why) => first = first.or(Some(why)),
            }
        }
        Err(first.unwrap_or_else(|| WhyNot::new("there is no counter")))
    }
}

/// Controls and what can be done at each.
struct Model {
    controls: Vec<Vec<i64>>,
    index: FxHashMap<Vec<i64>, u32>,
    table: Table,
}

impl Model {
    /// Closes the controls given under the moves.
    fn new(
        rules: &Rules,
        counter: usize,
        roots: Vec<Vec<i64>>,
    ) -> std::result::Result<Self, WhyNot> {
        let mut modulus = 1i64;
        loop {
            match Model::with_modulus(rules, counter, &roots, modulus) {
                Ok(model) => return Ok(model),
                Err(read::Stop::Why(why)) => return Err(WhyNot(why)),
                Err(read::Stop::Modulus(by)) => {
                    modulus = modulus.saturating_mul(by);
                    if modulus > MOST_STATES as i64 {
                        return Err(WhyNot::new(
                            "the moves depend on the counter modulo a large number",
                        ));
                    }
                }
            }
        }
    }

    fn with_modulus(
        rules: &Rules,
        counter: usize,
        roots: &[Vec<i64>],
        modulus: i64,
    ) -> std::result::Result<Self, read::Stop> {
        let game = rules.game();
        let mut reader = Reader::new(game, rules.params(), counter);
        let (mut controls, mut index): (Vec<Vec<i64>>, FxHashMap<Vec<i64>, u32>) =
            Default::default();
        let mut number = |control: Vec<i64>, controls: &mut Vec<Vec<i64>>| {
            *index.entry(control).or_insert_with_key(|control| {
                controls.push(control.clone());
                controls.len() as u32 - 1
            })
        };
        for root in roots {
            number(root.clone(), &mut controls);
        }
        // Nodes control by control, and what the interpreter says of small counters.
        let mut nodes: Vec<Node> = Vec::new();
        let mut small: FxHashMap<(usize, usize), Node> = FxHashMap::default();
        let mut machine = None;
        loop {
            while nodes.len() < controls.len() * modulus as usize {
                if controls.len() * modulus as usize > MOST_STATES {
                    return Err(read::Stop::Why(format!(
                        "the control has more than {MOST_STATES} states"
                    )));
                }
                let control = controls[nodes.len() / modulus as usize].clone();
                for residue in 0..modulus {
                    reader.set_residue(modulus, residue);
                    nodes.push(match reader.large(&control)? {
                        Large::Ended(win) => Node::Ended(win),
                        Large::Options(found) => {
                            let mut options = Vec::with_capacity(found.len());
                            for (least, most, control) in found {
                                let q = number(control, &mut controls);
                                options.extend((least..=most).map(|k| (k, q)));
                            }
                            options.sort_unstable();
                            options.dedup();
                            Node::Options(options)
                        }
                    });
                }
            }
            if reader.below.saturating_mul(controls.len() as i64) > MOST_SMALL {
                return Err(read::Stop::Why(format!(
                    "the moves are the same for all counters only from {} on",
                    reader.below
                )));
            }
            let known = controls.len();
            for t in 0..reader.below as usize {
                for q in 0..known {
                    if small.contains_key(&(t, q)) {
                        continue;
                    }
                    let machine =
                        machine.get_or_insert_with(|| rules.machine().with_patience(MOST_TRIED));
                    let pos = position(counter, &Int::from(t), &controls[q]);
                    let wrong = |d: Box<Diagnostic>| {
                        read::Stop::Why(match d.code {
                            Code::TooLarge => "small positions have too many candidates".to_owned(),
                            _ => format!("a small position fails: {}", d.message),
                        })
                    };
                    let node = match machine.end(&pos).map_err(wrong)? {
                        Some(win) => Node::Ended(win),
                        None => {
                            let mut options = Vec::new();
                            let mut bad = None;
                            let flow = machine.options(&pos, &mut |option| {
                                let next = match option.parts {
                                    [part] => split(counter, part),
                                    _ => None,
                                };
                                match next {
                                    Some((c, control)) if *c < Int::from(t) => {
                                        let c = c.to_usize().unwrap_or(0) as u32;
                                        options.push((c, number(control, &mut controls)));
                                        std::ops::ControlFlow::Continue(())
                                    }
                                    _ => {
                                        bad = Some(option.parts.to_vec());
                                        std::ops::ControlFlow::Break(())
                                    }
                                }
                            });
                            let _ = flow.map_err(wrong)?;
                            if let Some(parts) = bad {
                                let to = parts
                                    .iter()
                                    .map(|p| game.shape.display(p))
                                    .collect::<Vec<_>>();
                                return Err(read::Stop::Why(format!(
                                    "the counter does not fall in the move from {} to [{}]",
                                    game.shape.display(&pos),
                                    to.join(", ")
                                )));
                            }
                            options.sort_unstable();
                            options.dedup();
                            Node::Options(options)
                        }
                    };
                    small.insert((t, q), node);
                }
            }
            if controls.len() == known {
                break;
            }
        }
        let (m, n, below) = (modulus as usize, controls.len(), reader.below as usize);
        let large = if m == 1 {
            nodes
        } else {
            (0..m)
                .flat_map(|r| (0..n).map(move |q| (r, q)))
                .map(|(r, q)| nodes[q * m + r].clone())
                .collect()
        };
        let none = || Node::Options(Vec::new());
        let base = (0..below).flat_map(|t| (0..n).map(move |q| (t, q)));
        let base = base
            .map(|at| small.remove(&at).unwrap_or_else(none))
            .collect();
        let misere = game.play == Play::Misere;
        Ok(Model {
            controls,
            index,
            table: Table {
                controls: n,
                modulus: m,
                below,
                base,
                large,
                misere,
            },
        })
    }
}

/// The counter and the control of a part; `None` if a number of the control is past the machine word.
fn split(counter: usize, part: &Pos) -> Option<(&Int, Vec<i64>)> {
    let mut control = Vec::with_capacity(part.0.len() - 1);
    for (i, word) in part.0.iter().enumerate() {
        if i != counter {
            control.push(word.to_i64()?);
        }
    }
    Some((&part.0[counter], control))
}

fn position(counter: usize, count: &Int, control: &[i64]) -> Pos {
    let mut rest = control.iter();
    let member = |i| {
        if i == counter {
            count.clone()
        } else {
            rest.next().map_or(Int::ZERO, |&v| Int::from(v))
        }
    };
    Pos((0..=control.len()).map(member).collect())
}

struct LookBackSolver {
    rules: Rules,
    /// The place of the counter in the tuple.
    counter: usize,
    work: Mutex<Work>,
}

/// What has been computed.
struct Work {
    model: Model,
    outcomes: Outcomes,
    values: Values,
}

impl Work {
    /// All options, as counter and control; none if play has ended.
    fn options(&self, counter: &Int, control: usize) -> Vec<(Int, usize)> {
        let table = &self.model.table;
        if let Some(c) = counter.to_usize() {
            return table
                .node(c, control)
                .1
                .map(|(c, q)| (Int::from(c), q))
                .collect();
        }
        let residue = counter
            .mod_floor(&Int::from(table.modulus))
            .and_then(|r| r.to_usize())
            .unwrap_or(0);
        match &table.large[residue * table.controls + control] {
            Node::Ended(_) => Vec::new(),
            Node::Options(options) => options
                .iter()
                .map(|&(k, q)| (counter - &Int::from(u64::from(k)), q as usize))
                .collect(),
        }
    }

    fn is_p(
        &mut self,
        counter: &Int,
        control: usize,
        budget: &Budget,
    ) -> std::result::Result<bool, Stop> {
        self.outcomes
            .is_p(&self.model.table, counter, control, budget)
    }
}

impl LookBackSolver {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tables and where the part is in them; they are made anew if the part has a control that they do not know.
    fn place<'s, 'p>(
        &'s self,
        part: &'p Pos,
    ) -> std::result::Result<(MutexGuard<'s, Work>, &'p Int, usize), WhyNot> {
        let Some((count, control)) = split(self.counter, part) else {
            return Err(WhyNot::new(
                "a number beside the counter is past the machine word",
            ));
        };
        let mut work = self.work();
        if let Some(&q) = work.model.index.get(&control) {
            return Ok((work, count, q as usize));
        }
        let mut roots = work.model.controls.clone();
        roots.push(control);
        let q = roots.len() - 1;
        let model = Model::new(&self.rules, self.counter, roots)?;
        *work = Work {
            model,
            outcomes: Outcomes::default(),
            values: Values::default(),
        };
        Ok((work, count, q))
    }

    fn ask<'s, 'p>(&'s self, part: &'p Pos) -> Result<(MutexGuard<'s, Work>, &'p Int, usize)> {
        self.place(part).map_err(|why| {
            Box::new(
                Diagnostic::error(Code::Unsupported, &self.rules.game().source, why.0)
                    .note(format!(
                        "asked for {}",
                        self.rules.game().shape.display(part)
                    ))
                    .help("let search answer for this position"),
            )
        })
    }

    fn stopped(&self, stop: Stop, part: &Pos) -> Box<Diagnostic> {
        let source = &self.rules.game().source;
        Box::new(match stop {
            Stop::Interrupted => Diagnostic::error(
                Code::Interrupted,
                source,
                "stopped before the values of the counters showed a repeat",
            ),
            Stop::Limit(rows, memory) => Diagnostic::error(
                if memory { Code::Memory } else { Code::TooLarge },
                source,
                format!("the first {rows} counters show no repeat, and this position is past them"),
            )
            .note(format!(
                "asked for {}",
                self.rules.game().shape.display(part)
            ))
            .help(if memory {
                "allow more memory, or ask for a smaller counter"
            } else {
                "ask for a smaller counter"
            }),
        })
    }

    fn has_values(&self) -> bool {
        self.rules.game().play == Play::Normal && self.rules.game().ends.is_empty()
    }

    /// The names of the members beside the counter, and the counter's.
    fn names(&self) -> (String, Vec<String>) {
        let game = self.rules.game();
        let of = |p: &Pattern| match p {
            Pattern::Bind(slot) => game.slots[*slot].name.clone(),
            _ => "?".to_owned(),
        };
        let mut names: Vec<String> = match &game.moves[0].pattern {
            Pattern::Tuple(members) => members.iter().map(of).collect(),
            p => vec![of(p)],
        };
        if self.counter >= names.len() {
            return ("the counter".to_owned(), Vec::new());
        }
        let counter = names.remove(self.counter);
        (counter, names)
    }

    /// `p = 3, last = 0`
    fn control(&self, control: &[i64]) -> String {
        let (_, names) = self.names();
        let pairs = control.iter().enumerate().map(|(i, v)| match names.get(i) {
            Some(name) => format!("{name} = {v}"),
            None => v.to_string(),
        });
        pairs.collect::<Vec<_>>().join(", ")
    }
}

/// `1..3, 7`
fn ranges(amounts: &[u32]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut rest = amounts;
    while let Some(&first) = rest.first() {
        let run = rest
            .iter()
            .enumerate()
            .take_while(|&(i, &k)| k as usize == first as usize + i)
            .count();
        match run {
            1 => out.push(first.to_string()),
            2 => out.extend([first.to_string(), (first + 1).to_string()]),
            _ => out.push(format!("{first}..{}", rest[run - 1])),
        }
        rest = &rest[run..];
    }
    if out.is_empty() {
        "nothing".to_owned()
    } else {
        out.join(", ")
    }
}

fn amounts(node: &Node) -> Vec<u32> {
    let Node::Options(options) = node else {
        return Vec::new();
    };
    let mut all: Vec<u32> = options.iter().map(|&(k, _)| k).collect();
    all.dedup();
    all
}

impl Solver for LookBackSolver {
    fn finding(&self) -> String {
        let mut work = self.work();
        let (counter, names) = self.names();
        let table = &work.model.table;
        let mut sets: Vec<String> = table
            .large
            .iter()
            .map(|node| ranges(&amounts(node)))
            .collect();
        let states = table.controls * table.modulus;
        sets.dedup();
        let mut text = match sets.as_slice() {
            [one] => format!("takes {one} from {counter}"),
            [first, rest @ ..] => {
                let many = if rest.len() > 24 { ", …" } else { "" };
                let rest = rest.iter().take(24).cloned().collect::<Vec<_>>().join("; ");
                format!("takes a bounded amount from {counter}, by state: {first}; {rest}{many}")
            }
            [] => String::new(),
        };
        if table.modulus > 1 {
            text += &format!(", by {counter} mod {}", table.modulus);
        }
        if !names.is_empty() {
            text += &format!(
                "; {} of {} in {states} states",
                if names.len() == 1 {
                    "control"
                } else {
                    "controls"
                },
                names.join(", ")
            );
        }
        if table.below > 0 {
            text += &format!("; the same for every {counter} from {} on", table.below);
        }
        // A short run finds most repeats; a long one is left to the question that needs it.
        let (budget, far) = (Budget::default(), Int::from(1i64 << 14));
        let Work {
            model,
            outcomes,
            values,
        } = &mut *work;
        let (what, found) = if self.has_values() {
            let _ = values.reach(&model.table, &far, &budget);
            ("values", values.cycle().map(|c| (c, values.preperiod(c))))
        } else {
            let _ = outcomes.reach(&model.table, &far, &budget);
            (
                "outcomes",
                outcomes.cycle().map(|c| (c, outcomes.preperiod(c))),
            )
        };
        if let Some((cycle, from)) = found {
            text += &format!("; {what} repeat with period {} from {from}", cycle.period);
        }
        text
    }

    fn refuses(&self, part: &Pos, _: &Budget) -> Result<Option<WhyNot>> {
        Ok(self.place(part).err())
    }

    fn outcome(&self, part: &Pos, budget: &Budget) -> Result<Outcome> {
        let (mut work, count, q) = self.ask(part)?;
        let p = work
            .is_p(count, q, budget)
            .map_err(|stop| self.stopped(stop, part))?;
        Ok(Outcome::from_next_wins(!p))
    }

    fn value(&self, part: &Pos, budget: &Budget) -> Result<Option<Int>> {
        if !self.has_values() {
            return Ok(None);
        }
        let (mut work, count, q) = self.ask(part)?;
        let Work { model, values, .. } = &mut *work;
        let value = values
            .value(&model.table, count, q, budget)
            .map_err(|stop| self.stopped(stop, part))?;
        Ok(Some(Int::from(i64::from(value))))
    }

    fn options(
        &self,
        part: &Pos,
        target: &Target,
        limit: usize,
        budget: &Budget,
    ) -> Result<Options> {
        let (mut work, count, q) = self.ask(part)?;
        if matches!(target, Target::Value(_)) && !self.has_values() {
            let message = "Grundy values are not defined under these rules";
            return Err(Box::new(
                Diagnostic::error(Code::Unsupported, &self.rules.game().source, message)
                    .help("ask for options by outcome"),
            ));
        }
        let mut out = Options::default();
        let mut total = 0usize;
        for (c, q) in work.options(count, q) {
            let Work {
                model,
                values,
                outcomes,
            } = &mut *work;
            let wanted = match target {
                Target::P => outcomes.is_p(&model.table, &c, q, budget),
                Target::Value(v) => values
                    .value(&model.table, &c, q, budget)
                    .map(|value| *v == i64::from(value)),
            };
            if wanted.map_err(|stop| self.stopped(stop, part))? {
                total += 1;
                if out.list.len() < limit {
                    out.list
                        .push(vec![position(self.counter, &c, &model.controls[q])]);
                }
            }
        }
        out.total = Int::from(total);
        Ok(out)
    }

    fn explain(&self, part: &Pos, budget: &Budget) -> Result<Vec<String>> {
        let (mut work, count, q) = self.ask(part)?;
        let (name, names) = self.names();
        let shape = &self.rules.game().shape;
        let mut out = Vec::new();
        let p = work
            .is_p(count, q, budget)
            .map_err(|stop| self.stopped(stop, part))?;
        let table = &work.model.table;
        let reach = table.reach();
        let here = self.control(&work.model.controls[q]);
        let whose = if names.is_empty() {
            String::new()
        } else {
            format!(" with {here}")
        };
        let residue = count
            .mod_floor(&Int::from(table.modulus))
            .and_then(|r| r.to_usize())
            .unwrap_or(0);
        if *count >= Int::from(table.below) {
            match &table.large[residue * table.controls + q] {
                Node::Ended(win) => {
                    let who = if *win { "won" } else { "lost" };
                    out.push(format!(
                        "Play has ended here{whose}: the player who moved here has {who}."
                    ));
                    return Ok(out);
                }
                node => {
                    let taken = ranges(&amounts(node));
                    out.push(format!(
                        "A move{whose} takes {taken} from {name}, as far as there is enough."
                    ));
                }
            }
        }
        out.push(format!(
            "No move takes more than {reach}, so who wins at {name} depends only on the {} just below it{}: these windows are finitely many, and once one comes back everything repeats.",
            if reach == 1 { "count".to_owned() } else { format!("{reach} smaller counts") },
            if table.controls > 1 { format!(" in the {} states of the rest", table.controls) } else { String::new() }
        ));
        let mut cycle = work.outcomes.cycle();
        if cycle.is_none() {
            let Work {
                model, outcomes, ..
            } = &mut *work;
            let _ = outcomes.reach(&model.table, &Int::from(1i64 << 14), budget);
            cycle = outcomes.cycle();
        }
        if let Some(cycle) = cycle {
            let from = work.outcomes.preperiod(cycle);
            let in_state = if names.is_empty() {
                String::new()
            } else {
                format!(" with {here}")
            };
            if cycle.period == 1 {
                if *count >= Int::from(from) {
                    let side = if p { "loses" } else { "wins" };
                    out.push(format!(
                        "From {name} = {from} on{in_state} the player to move always {side}."
                    ));
                } else {
                    out.push(format!(
                        "From {name} = {from} on{in_state} the outcome is always the same."
                    ));
                }
            } else {
                out.push(format!(
                    "Outcomes repeat with period {} from {name} = {from} on.",
                    cycle.period
                ));
            }
            if cycle.period > 1
                && let Some(same) = lowest(count, from, cycle)
                && *count != Int::from(same)
            {
                let phase = same % cycle.period;
                out.push(format!(
                    "{name} = {count} leaves {phase} when divided by {}, so it is as {name} = {same}.",
                    cycle.period
                ));
            }
        }
        let text = shape.display(part);
        let options = work.options(count, q);
        if p {
            out.push(match options.len() {
                0 => {
                    format!("{text} is a P-position: there is no move, and who cannot move loses.")
                }
                n => format!("{text} is a P-position: each of its {n} options is an N-position."),
            });
        } else {
            let mut good = Vec::new();
            for (c, q) in &options {
                if work
                    .is_p(c, *q, budget)
                    .map_err(|stop| self.stopped(stop, part))?
                {
                    good.push((
                        count - c,
                        shape.display(&position(self.counter, c, &work.model.controls[*q])),
                    ));
                }
            }
            match good.first() {
                Some((k, to)) => {
                    let more = if good.len() > 1 {
                        format!(" ({} winning moves in all)", good.len())
                    } else {
                        String::new()
                    };
                    out.push(format!(
                        "{text} is an N-position: taking {k} leaves {to}, a P-position{more}."
                    ));
                }
                None => out.push(format!(
                    "{text} is an N-position: there is no move, and who cannot move wins."
                )),
            }
        }
        Ok(out)
    }
}

/// The least counter in the repeating part that agrees with this one.
fn lowest(count: &Int, from: usize, cycle: Cycle) -> Option<usize> {
    let past = count - &Int::from(from);
    if past.is_negative() {
        return None;
    }
    Some(from + past.mod_floor(&Int::from(cycle.period))?.to_usize()?)
}
