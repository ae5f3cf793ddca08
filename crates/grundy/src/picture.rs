//! What a picture of a game shows: the numbers of one or two counters, the period, and how all of it is known.
//!
//! The values of one heap come from the kernels where the rules are a code, and so does the period; all others from
//! [`table`](crate::table). Cost: theirs, and four bytes a number.

use std::sync::Arc;

use grundy_core::{Budget, Claim, Int};
use grundy_find::Progress;
use grundy_lang::bind::{Arguments, usage};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::ir::{Game, Play};

use crate::answer::one_line;
use crate::period::{criterion, formula};
use crate::plan::{Engine, Hook};
use crate::sequence::Sequence;
use crate::table::{Store, Table, axes, next, table};
use crate::{Result, room};

/// The most counters of a picture.
const MOST: usize = 2;
/// The greatest value of a counter unless a person says otherwise, of one counter and of two.
pub const DEFAULT_TO: [u64; MOST] = [200, 60];
/// A period is looked for among so many heaps at least.
const LOOK: u64 = 10_000;

/// The number that stands where a game has no such position.
pub const MISSING: u32 = u32::MAX;

/// The numbers of a picture and what is known of them.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What the game is called.
    pub title: String,
    /// The arguments that are fixed, as they were given; empty if there are none.
    pub fixed: String,
    /// The names of the counters, one or two.
    pub axes: Vec<String>,
    /// The largest value of each.
    pub to: Vec<u64>,
    /// The numbers, the last counter fastest, [`MISSING`] where there is no position: Grundy values, or 0 where the player to
    /// move loses and 1 where that player wins.
    pub numbers: Vec<u32>,
    /// Why they are outcomes and not values, though values were asked for.
    pub no_values: Option<&'static str>,
    /// Whether they are values.
    pub by_value: bool,
    /// How the values repeat, if that is proved.
    pub period: Option<Repeat>,
    /// How all of it is known, in sentences.
    pub known: Vec<String>,
}

/// How values repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The least heap from which on they do.
    pub from: u64,
    /// After how many.
    pub length: u64,
    /// What they grow by.
    pub saltus: u64,
    /// The heaps of the picture whose values are not those that the repeat would have there.
    pub exceptions: Vec<u64>,
}

/// What is asked for.
pub struct Wanted<'a> {
    /// The largest counter, or one for each; [`DEFAULT_TO`] if there is none.
    pub to: Option<&'a [u64]>,
    /// Whether only outcomes are wanted.
    pub outcomes: bool,
    /// Who finds them.
    pub engine: Engine,
}

/// Gathers what a picture of the counters that `args` leaves open shows.
///
/// # Errors
/// If there is no counter, or more than two are open; what [`table`](fn@table) cannot tabulate.
pub fn picture(
    game: &Arc<Game>,
    args: &Arguments,
    wanted: &Wanted,
    budget: &Budget,
    hook: Option<&Hook>,
    told: &mut dyn FnMut(&Progress, u64),
) -> Result<Picture> {
    let open = axes(game, args, &[0])?.slots;
    let wrong = |code, message: String| Diagnostic::error(code, &args.source, message);
    if open.len() > MOST {
        let names: Vec<&str> = open.iter().map(|&s| game.vars[s].name.as_str()).collect();
        let message = format!(
            "a picture has one or two counters, and {} are open: {}",
            names.len(),
            names.join(", ")
        );
        let error =
            wrong(Code::BadArgument, message).note(format!("usage of the game: {}", usage(game)));
        let help = format!("fix some of them by name, as in `{}=3`", names[0]);
        return Err(Box::new(error.help(help)));
    }
    let default = [DEFAULT_TO[open.len() - 1]];
    let axes = axes(game, args, wanted.to.unwrap_or(&default))?;
    let size = axes
        .to
        .iter()
        .try_fold(4u64, |size, n| size.checked_mul(n.checked_add(1)?));
    if size.is_none_or(|bytes| bytes > budget.memory()) {
        let message = match size {
            Some(bytes) => format!(
                "a picture of {} positions needs at least {}, and the bound is {}",
                bytes / 4,
                room::text(bytes),
                room::text(budget.memory())
            ),
            None => "a picture of more than 2^62 positions fits no memory".to_owned(),
        };
        let help = "ask for fewer with `--to`, or give more memory with `--memory`";
        return Err(Box::new(wrong(Code::Memory, message).help(help)));
    }
    let mut picture = Picture {
        title: one_line(&game.title),
        fixed: one_line(&args.source.text),
        axes: axes
            .slots
            .iter()
            .map(|&s| game.vars[s].name.clone())
            .collect(),
        to: axes.to.clone(),
        numbers: Vec::new(),
        no_values: None,
        by_value: true,
        period: None,
        known: Vec::new(),
    };
    if matches!(wanted.engine, Engine::Auto)
        && let [to] = axes.to[..]
        && let Some(mut sequence) = Sequence::read(game, args, &[to.max(LOOK)])?
        && sequence.compute(budget, None, &mut |p| told(p, to.max(LOOK)))?
    {
        picture.of_sequence(&sequence, to)?;
    } else {
        let table = table(game, args, &axes.to, wanted.engine, budget, hook)?;
        picture.of_table(game, &table, wanted.outcomes)?;
    }
    if wanted.outcomes {
        picture.by_value = false;
        for number in picture.numbers.iter_mut().filter(|n| **n != MISSING) {
            *number = (*number).min(1);
        }
    }
    Ok(picture)
}

fn narrow(value: u64) -> Result<u32> {
    u32::try_from(value)
        .ok()
        .filter(|&v| v != MISSING)
        .ok_or_else(too_large)
}

fn too_large() -> Box<Diagnostic> {
    let source = grundy_lang::diag::Source::new("", "");
    let message = format!(
        "a value is past {}, the most that a picture has",
        MISSING - 1
    );
    let error = Diagnostic::error(Code::TooLarge, &source, message);
    Box::new(
        error.help("smaller values may come of a smaller `--to`, and `--kind outcomes` has none"),
    )
}

impl Picture {
    fn of_sequence(&mut self, sequence: &Sequence, to: u64) -> Result<()> {
        let end = to as usize + 1;
        let values = sequence.values(0..end).into_iter().map(narrow);
        self.numbers = values.collect::<Result<_>>()?;
        let axis = &self.axes[0];
        match sequence.period() {
            None => self.known.push(format!(
                "Computed: every value, the mex of its options. No period is proved by the values up to {axis} = {}.",
                sequence.to()
            )),
            Some(period) => {
                let (from, length) = (period.preperiod, period.period);
                // What comes first of each class, carried back to before the period.
                let first = sequence.values(from..from + length);
                let exceptional = |n: &usize| {
                    let later = (from - n).div_ceil(length) as u64;
                    let there = first[n + later as usize * length - from];
                    u64::from(self.numbers[*n]).checked_add(later * period.saltus) != Some(there)
                };
                let before = 0..from.min(end);
                self.period = Some(Repeat {
                    from: from as u64,
                    length: length as u64,
                    saltus: period.saltus,
                    exceptions: before.filter(exceptional).map(|n| n as u64).collect(),
                });
                self.known.push(format!(
                    "Proved: {} for every n ≥ {from}, the least period ({}).",
                    formula(length, period.saltus),
                    criterion(period)
                ));
            }
        }
        Ok(())
    }

    fn of_table(&mut self, game: &Game, table: &Table, outcomes: bool) -> Result<()> {
        self.by_value = match &table.store {
            Store::Dense(dense, _) => dense.by_value(),
            Store::Listed(cells) => cells.iter().flatten().all(|c| c.grundy.is_some()),
        };
        if !self.by_value && !outcomes {
            self.no_values = Some(if game.play == Play::Misere {
                "Misère play has no Grundy values: outcomes are shown."
            } else if !game.ends.is_empty() {
                "Positions decided by `win if` or `lose if` have no Grundy values: outcomes are shown."
            } else {
                "The Grundy values are too many to search for: outcomes are shown."
            });
        }
        self.by_value &= !outcomes;
        match &table.store {
            Store::Dense(dense, exist) => {
                let mut at = vec![0; table.to.len()];
                self.numbers.reserve(table.size() as usize);
                loop {
                    let i = self.numbers.len();
                    let exists = exist.as_ref().is_none_or(|exist| exist[i]);
                    self.numbers.push(match exists {
                        true if self.by_value => narrow(dense.number(&at))?,
                        true => u32::from(dense.number(&at) != 0),
                        false => MISSING,
                    });
                    if !next(&mut at, &table.to) {
                        break;
                    }
                }
            }
            Store::Listed(cells) => {
                for cell in cells {
                    self.numbers.push(match cell {
                        None => MISSING,
                        Some(cell) => match &cell.grundy {
                            Some(value) if self.by_value => {
                                narrow(Int::to_u64(value).ok_or_else(too_large)?)?
                            }
                            _ => u32::from(cell.outcome.next_wins()),
                        },
                    });
                }
            }
        }
        let what = match (self.by_value, table.values_by) {
            (true, None) => "Values",
            (true, Some(_)) => "P-positions",
            (false, _) => "Outcomes",
        };
        let how = format!("{what}: {} ({}).", table.claim, table.method);
        self.known.push(match table.values_by {
            Some(by) if self.by_value => format!("{how} Values: {} ({by}).", Claim::Computed),
            _ => how,
        });
        Ok(())
    }
}
