//! Periods of rows: one counter of a game of two is fixed, and the values are a sequence in the other.
//!
//! The rules are read as a set of pairs that moves take, as tables read them; `grundy_find::rows` computes and proves. Cost:
//! theirs.

use grundy_cert::{Certificate, GameText, Ray};
use grundy_core::{Budget, Claim};
use grundy_find::rows::{self, Found, Game, Proved, Stop};
use grundy_lang::bind::{self, Arguments};
use grundy_lang::diag::{Code, Diagnostic, Source, Span};
use grundy_lang::ir::{self, Play, Shape};
use grundy_search::dense::{self, rays::everywhere};
use serde_json::{Value as Json, json};

use crate::format::{called, plain_start};
use crate::open::{self, Opened};
use crate::{Result, room};

pub use grundy_find::rows::Progress;

/// A row of a game.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What the game is called.
    pub title: String,
    /// What is fixed, as `a = 3`.
    pub fixed: String,
    /// The name of the other counter.
    pub other: String,
    /// The moves and the row.
    pub row: Game,
    /// The rules, as a certificate has them.
    pub text: GameText,
    /// What is probably not meant.
    pub notes: Vec<Diagnostic>,
}

/// Reads a game of two counters, with the parameters that its moves read, and which counter is fixed at what: `a=3`.
///
/// # Errors
/// If there is no such game or counter, or if the moves are not of the kind whose rows are known to be periodic: then it
/// says what is in the way.
pub fn subject(
    spec: &str,
    words: &[String],
    fix: &[String],
) -> std::result::Result<Subject, Vec<Diagnostic>> {
    let Opened { game, warnings } = open::open(spec)?;
    let args = Arguments::parse(words).map_err(|e| vec![*e])?;
    let (names, unordered) = counters(&game).map_err(|e| vec![e])?;
    let (fixed, at) = fixed(fix, &names).map_err(|e| vec![e])?;
    let given = |(name, _): &&(Option<String>, _)| {
        let name = name.as_ref();
        name.is_none_or(|name| names.contains(name))
    };
    if args.list.iter().any(|argument| given(&argument)) {
        let message = "what the moves read is given by name, and a counter by `--fix` alone";
        let error = Diagnostic::error(Code::BadArgument, &args.source, message);
        let help = format!("leave {} and {} out of the arguments", names[0], names[1]);
        return Err(vec![error.help(help)]);
    }
    let rules = bind::rules(&game, &args).map_err(|e| vec![*e])?;
    let rays = everywhere(&rules).and_then(|rays| {
        let pairs = rays.into_iter().map(pair);
        let pairs: Option<Vec<Ray>> = pairs.collect();
        pairs.ok_or_else(|| "a move is not one of two counters".to_owned())
    });
    let rays = rays.map_err(|why| vec![refuse(&game, &why)])?;
    let title = game.title.clone();
    Ok(Subject {
        title,
        fixed: format!("{} = {at}", names[fixed]),
        other: names[1 - fixed].clone(),
        row: Game {
            rays,
            fixed: if unordered { 0 } else { fixed },
            at,
            unordered,
        },
        text: GameText {
            text: game.source.text.clone(),
            arguments: words.to_vec(),
        },
        notes: warnings,
    })
}

/// A ray of two counters, in the form that certificates have.
fn pair(ray: dense::rays::Ray) -> Option<Ray> {
    let step = ray.step.try_into().ok()?;
    Some(Ray {
        from: ray.from.try_into().ok()?,
        step,
        // A single pair has no step.
        count: ray.count.map(|n| if step == [0, 0] { 1 } else { n }),
    })
}

fn refuse(game: &ir::Game, why: &str) -> Diagnostic {
    let message = format!(
        "{} has no rows whose period can be looked for: {why}",
        called(game)
    );
    let help = "rows are looked at of two counters in normal play, where each move takes one of a fixed set of pairs of numbers, \
                wherever the position is: rays such as (k, 0) or (k, k) for all k, and single pairs";
    Diagnostic::error(Code::Unsupported, &game.source, message).help(help)
}

/// The names of the two counters, and whether they are in no order.
fn counters(game: &ir::Game) -> std::result::Result<([String; 2], bool), Diagnostic> {
    let unordered = match &game.shape {
        Shape::Tuple(members) if members[..] == [Shape::Int, Shape::Int] => false,
        Shape::Unordered(2, member) if **member == Shape::Int => true,
        _ => return Err(refuse(game, "a position is not two counters")),
    };
    if game.play != Play::Normal || !game.ends.is_empty() {
        let why = "there are no values in misere play, or with `win if` and `lose if`";
        return Err(refuse(game, why));
    }
    let slots = plain_start(game).unwrap_or_default();
    let names: Vec<String> = slots.iter().map(|&s| game.vars[s].name.clone()).collect();
    let names = <[String; 2]>::try_from(names);
    let names = names.map_err(|_| refuse(game, "its start is more than two counters"))?;
    Ok((names, unordered))
}

/// Which counter is fixed, and at what.
fn fixed(fix: &[String], names: &[String; 2]) -> std::result::Result<(usize, u64), Diagnostic> {
    let source = Source::new("--fix", fix.join(" "));
    let wrong = |code, message: String, at: Span, label: &str| {
        let error = Diagnostic::error(code, &source, message).at(at, label);
        error.help(format!(
            "fix one of the counters, as in `--fix {}=3`; the row is the values in the other",
            names[0]
        ))
    };
    let first = fix.first().map_or(0, |word| word.len());
    let whole = Span::new(0, first);
    if fix.len() > 1 {
        let message = "one counter is fixed, and a row is the values in the other".to_owned();
        let rest = Span::new(first + 1, source.text.len());
        return Err(wrong(Code::BadArgument, message, rest, "a second one"));
    }
    let Some((name, value)) = fix.first().and_then(|word| word.split_once('=')) else {
        let message = format!("`{}` does not say which counter is what", source.text);
        return Err(wrong(Code::BadArgument, message, whole, "no NAME=VALUE"));
    };
    let Some(which) = names.iter().position(|n| n == name.trim()) else {
        let message = format!("the game has no counter `{}`", name.trim());
        let label = format!("the counters are {} and {}", names[0], names[1]);
        return Err(wrong(
            Code::BadArgument,
            message,
            Span::new(0, name.len()),
            &label,
        ));
    };
    let at = Span::new(name.len() + 1, first);
    let digits = value.trim();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        let message = format!("`{digits}` is not a natural number");
        return Err(wrong(Code::BadValue, message, at, "the number of the row"));
    }
    let number = digits.parse().ok().filter(|&n| n <= rows::MOST);
    let number = number.ok_or_else(|| {
        let message = format!("rows are looked at up to {}", rows::MOST);
        wrong(Code::TooLarge, message, at, "the number of the row")
    })?;
    Ok((which, number))
}

/// How far a row is computed unless a person says otherwise.
pub const DEFAULT_TO: u64 = 1_000_000;

/// What is known of a row.
#[derive(Clone, Debug)]
pub struct Report {
    /// The row.
    pub subject: Subject,
    to: u64,
    found: std::result::Result<Proved, NoPeriod>,
}

/// No period is proved.
#[derive(Clone, Debug)]
struct NoPeriod {
    row: u64,
    max: Option<u64>,
}

/// Looks for the period of a row among the columns up to `to`; for that it needs the periods of the rows before it.
///
/// # Errors
/// If it takes more memory than the budget allows, numbers are too large, or it was stopped.
pub fn period(
    subject: &Subject,
    to: Option<u64>,
    budget: &Budget,
    progress: &mut dyn FnMut(&Progress, u64),
) -> Result<Report> {
    let to = to.unwrap_or(DEFAULT_TO);
    let source = Source::new(subject.title.clone(), "");
    let place = |p: &Progress| format!("row {}, column {}", p.row, p.columns);
    let error = |code, message: String, help: &str| {
        Err(Box::new(
            Diagnostic::error(code, &source, message).help(help),
        ))
    };
    let found = match rows::prove(&subject.row, to, budget, &mut |p| progress(p, to)) {
        Ok(proved) => Ok(proved),
        Err(Stop::NoPeriod { row, max }) => Err(NoPeriod { row, max }),
        Err(Stop::Stopped(p)) => {
            let message = format!(
                "stopped at {}; no period of the row is proved yet",
                place(&p)
            );
            return error(
                Code::Interrupted,
                message,
                "the same command begins anew; a smaller `--to` ends by itself",
            );
        }
        Err(Stop::Memory(p)) => {
            let message = format!(
                "at {} the values take more than the {} that are allowed",
                place(&p),
                room::text(budget.memory())
            );
            let help = "give more memory with `--memory`, or end earlier with `--to`";
            return error(Code::Memory, message, help);
        }
        Err(Stop::TooLarge(p)) => {
            let message = format!("at {} numbers are past 32 bits", place(&p));
            return error(Code::TooLarge, message, "end earlier with `--to`");
        }
        Err(_) => {
            let message = format!(
                "the moves take more than {} different pairs, or look back further",
                rows::MOST
            );
            return error(
                Code::TooLarge,
                message,
                "fix the counter at a smaller number",
            );
        }
    };
    Ok(Report {
        subject: subject.clone(),
        to,
        found,
    })
}

impl Report {
    /// The row, if its period is proved.
    pub fn row(&self) -> Option<&Found> {
        self.found.as_ref().ok().map(Proved::last)
    }

    /// The last column that the proof rests on; of those asked for if there is none.
    pub fn checked_to(&self) -> u64 {
        self.row()
            .map_or(self.to, |f| f.row.state_at + f.row.state_period - 1)
    }

    /// How what is said is known.
    pub fn claim(&self) -> Claim {
        match self.row() {
            Some(_) => Claim::Proved,
            None => Claim::Computed,
        }
    }

    /// What proves it, in words.
    pub fn method_title(&self) -> String {
        match self.row() {
            Some(f) => format!(
                "the state from which the row is computed at {} = {} comes again {} later, as it does in the rows before",
                self.subject.other,
                f.row.state_at,
                bind::plural(f.row.state_period, "column")
            ),
            None => "every value of the rows up to it, the mex of its options".to_owned(),
        }
    }

    /// The greatest value of the row if there is one; where no period is proved, of those computed, if any are.
    pub fn max(&self) -> Option<u64> {
        match &self.found {
            Ok(proved) => proved.last().max(),
            Err(none) => none.max,
        }
    }

    /// The claim as a formula.
    pub fn sentence(&self) -> String {
        let other = &self.subject.other;
        match &self.found {
            Err(none) if none.row == self.subject.row.at => {
                format!("none is proved by the columns up to {other} = {}", self.to)
            }
            Err(none) => format!(
                "none is proved: that of row {} is needed, and it is not proved by the columns up to {}",
                none.row, self.to
            ),
            Ok(proved) => {
                let row = &proved.last().row;
                let plus = match row.saltus {
                    0 => String::new(),
                    s => format!(" + {s}"),
                };
                format!(
                    "G({other} + {}) = G({other}){plus} for every {other} ≥ {}",
                    row.period, row.preperiod
                )
            }
        }
    }

    /// The certificate, if a period is proved.
    pub fn certificate(&self) -> Option<Certificate> {
        let proved = self.found.as_ref().ok()?;
        Some(proved.certificate(self.subject.text.clone()))
    }

    /// As that of a game of one heap, and `fixed`.
    pub fn to_json(&self) -> Json {
        let row = self.row().map(|f| &f.row);
        json!({
            "game": self.subject.title,
            "fixed": self.subject.fixed,
            "period": row.map(|r| r.period),
            "preperiod": row.map(|r| r.preperiod),
            "saltus": row.map(|r| r.saltus),
            "max": self.max(),
            "checked_to": self.checked_to(),
            "method": row.map(|_| "rows"),
            "claim": self.claim().to_string(),
            "conjecture": Json::Null,
        })
    }
}
