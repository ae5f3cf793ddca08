//! Checks a stranger's program: random inputs in the contest's layout, its output against ours, and the smallest input that
//! shows what is wrong.
//!
//! The game's own samples and facts come first. Of the random cases half are made P-positions where a winning move is known
//! and its result can be written as an input: who is wrong about large numbers mostly takes a P-position for an N-position.
//!
//! Inputs are run many cases at a time; what fails is first sought in one case alone, then shrunk. A fault that shows only
//! here and there among large numbers, as those of rounding do, is followed down through smaller inputs drawn at random,
//! P-positions where they can be made. Outputs are equal when
//! they are the same but for blanks at the ends of lines and lines at the end; when only the words are the same it is said.
//! An input that we cannot answer ourselves in a second is left out, and told of. Cost: a process a run, some thousand runs
//! a fault at most.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use grundy_core::{Budget, Int};
use grundy_lang::diag::{Code, Diagnostic, Source};
use grundy_lang::interp::Rules;
use grundy_lang::ir::Game;
use grundy_lang::value::Position;
use serde_json::{Value as Json, json};

use crate::answer::int_json;
use crate::child::{self, End, Run};
use crate::format::{Want, called};
use crate::inputs::{Field, File, Inputs, Random, unbound};
use crate::judge::{self, CaseAnswer, Decide, Result};
use crate::shrink::{numbers, scaled, shrink, size};

/// Cases run together once the first have passed alone.
const BATCH: usize = 25;
/// Tries for an input that is new and can be answered, and inputs that may be left out before the rest is not tried.
const BARREN: u32 = 200;
const LEFT_OUT: u64 = 100;
/// Tries of the shrinking.
const TRIES: usize = 4000;
/// To which share of its size, as a power of 2, an input is lowered at random, and after how many tries without a fault the
/// next share is tried.
const DESCENT: [(u32, usize); 6] = [(32, 4), (16, 6), (8, 8), (4, 12), (2, 16), (1, 60)];
/// No input is shrunk for longer, whatever the options say.
const MOST_PATIENCE: Duration = Duration::from_secs(1 << 20);
/// Characters of an input or output that a report shows.
const SHOWN: usize = 2000;
/// Lines that a report shows.
const LINES: usize = 10;
/// An answer of ours that takes longer is of an input too large.
const QUICK: Duration = Duration::from_millis(250);

/// How to check.
#[derive(Clone, Debug)]
pub struct Options {
    /// Cases to run.
    pub count: u64,
    /// Where the random numbers start.
    pub seed: u64,
    /// Time for one run.
    pub timeout: Duration,
    /// Time for shrinking.
    pub patience: Duration,
    /// Time for one answer of our own, if the budget has a clock.
    pub answer: Duration,
    /// Memory for our own answers, and the flag to stop; with a clock ([`Budget::timed`]) if they are to be given up.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            count: 1000,
            seed: 1,
            timeout: Duration::from_secs(2),
            patience: Duration::from_secs(20),
            answer: Duration::from_secs(1),
            budget: Budget::with_memory(32 << 20),
        }
    }
}

/// Who says why an answer is right: sentences about a position under some rules.
pub type Why<'w> = dyn FnMut(&Rules, &Position) -> Vec<String> + 'w;

/// How far a check has come.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'p> {
    /// This many inputs were answered as ours are.
    Passed(u64),
    /// The program failed, and a smaller input that shows it is looked for.
    Shrinking {
        /// What is wrong, to follow "the program".
        fault: &'p str,
        /// Runs of the program since then.
        runs: u64,
        /// The words of the smallest input so far.
        words: usize,
    },
}

/// Who is told how far a check has come.
pub type Told<'t> = dyn FnMut(Progress<'_>) + 't;

/// What came out.
#[derive(Clone, Debug)]
pub struct Report {
    /// Cases run.
    pub inputs: u64,
    /// Runs whose output had the same words as ours and other blanks or line ends.
    pub loose: u64,
    /// The largest number in an input.
    pub largest: Int,
    /// Inputs that were left out, since our own answer would have taken too long or too much memory.
    pub left_out: u64,
    /// The least of the largest numbers of those.
    pub left_out_from: Option<Int>,
    /// What is wrong.
    pub failure: Option<Failure>,
}

/// An input for which the program is wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What is wrong, to follow "the program".
    pub fault: String,
    /// A smallest input that shows it.
    pub input: String,
    /// Our output.
    pub ours: String,
    /// Its output.
    pub theirs: String,
    /// What it wrote to its standard error.
    pub complaint: String,
    /// Why ours is right.
    pub why: Vec<String>,
    /// What else is to be known: that it does not always fail, that it did not read everything.
    pub notes: Vec<String>,
}

/// How two outputs compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equal {
    /// The same, but perhaps for blanks at line ends and lines at the end.
    Lines,
    /// The same words.
    Words,
    /// Not the same.
    No,
}

/// Compares outputs.
pub fn compare(ours: &str, theirs: &str) -> Equal {
    let lines = |text: &str| -> Vec<String> {
        let mut lines: Vec<String> = text.lines().map(|l| l.trim_end().to_owned()).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    };
    if lines(ours) == lines(theirs) {
        Equal::Lines
    } else if ours.split_whitespace().eq(theirs.split_whitespace()) {
        Equal::Words
    } else {
        Equal::No
    }
}

/// Remembers what was decided.
struct Recorder<'d> {
    decide: &'d mut dyn Decide,
    rules: Option<Rules>,
    cases: Vec<(Rules, Position)>,
}

impl Decide for Recorder<'_> {
    fn rules(&mut self, rules: Rules) -> Result<()> {
        self.rules = Some(rules.clone());
        self.decide.rules(rules)
    }

    fn answer(&mut self, position: &Position, want: Want) -> Result<CaseAnswer> {
        if let Some(rules) = &self.rules {
            self.cases.push((rules.clone(), position.clone()));
        }
        self.decide.answer(position, want)
    }
}

struct Checker<'c> {
    game: &'c Arc<Game>,
    decide: &'c mut dyn Decide,
    command: &'c [String],
    options: &'c Options,
    told: &'c mut Told<'c>,
    /// Inputs that were answered as ours are.
    passed: u64,
    /// Runs while shrinking.
    runs: u64,
    /// What is wrong on the smallest input so far, and the words of that.
    fault: String,
    words: usize,
    /// Whether a run was left out for want of time since this was last cleared.
    cut: bool,
}

/// What is wrong with a run.
struct Wrong {
    fault: String,
    ours: String,
    run: Run,
}

/// Checks a program.
pub fn check_with<'c>(
    game: &'c Arc<Game>,
    decide: &'c mut dyn Decide,
    command: &'c [String],
    options: &'c Options,
    why: &mut Why<'_>,
    told: &'c mut Told<'c>,
) -> Result<Report> {
    let rules = unbound(game);
    let mut inputs = Inputs::new(&rules, options.seed)?;
    if options.count == 0 {
        // No input at all would pass any program.
        let source = Source::new("<arguments>", "0");
        let error = Diagnostic::error(Code::BadValue, &source, "0 inputs check nothing");
        return Err(Box::new(error.help("give a number of inputs from 1 on")));
    }
    let mut checker = Checker {
        game,
        decide,
        command,
        options,
        told,
        passed: 0,
        runs: 0,
        fault: String::new(),
        words: 0,
        cut: false,
    };
    let mut report = Report {
        inputs: 0,
        loose: 0,
        largest: Int::ZERO,
        left_out: 0,
        left_out_from: None,
        failure: None,
    };
    let mut barren = 0;
    let mut seen = HashSet::new();
    let mut stated = inputs.stated().into_iter();
    let mut random = Random(!options.seed);
    while report.inputs < options.count && barren < BARREN && report.left_out < LEFT_OUT {
        let batch = if report.inputs < 5 || stated.len() > 0 {
            1
        } else {
            BATCH.min((options.count - report.inputs) as usize)
        };
        let mut files = Vec::new();
        while files.len() < batch && barren < BARREN && report.left_out < LEFT_OUT {
            barren += 1;
            let next = stated.next();
            let is_random = next.is_none();
            let Some(mut file) = next.or_else(|| inputs.record()) else {
                continue;
            };
            let start = Instant::now();
            let seek = is_random && random.below(2) == 0;
            // What we cannot answer ourselves is no input to check with.
            let text = inputs.print(&file);
            match checker.ours(&text, 1) {
                Ok(_) => {
                    if seek
                        && start.elapsed() <= QUICK
                        && let Some(lost) = checker.lost(&mut inputs, &file)
                    {
                        file = lost;
                    }
                    if is_random && start.elapsed() > QUICK {
                        inputs.slow();
                    } else if is_random {
                        inputs.quick();
                    }
                    // The same again says nothing new.
                    if seen.insert(inputs.print(&file)) {
                        files.push(file);
                        barren = 0;
                    }
                }
                Err(error) if error.code == Code::Unsupported => return Err(error),
                Err(_) if options.budget.stopped() => return Err(stopped(game, report.inputs)),
                Err(error) if given_up(&error) => {
                    checker.decide.forget();
                    report.leave_out(1, &text);
                    if is_random {
                        inputs.too_large();
                    }
                }
                Err(_) => {}
            }
        }
        let mut file = inputs.join(&files);
        while !inputs.legal(&file) && files.len() > 1 {
            // The contest allows no more cases at a time.
            files.truncate(files.len() / 2);
            file = inputs.join(&files);
        }
        if files.is_empty() {
            break;
        }
        let (equal, wrong) = match checker.run(&inputs, &file) {
            Err(error) if given_up(&error) && !options.budget.stopped() => {
                checker.decide.forget();
                report.leave_out(cases_in(&files), &inputs.print(&file));
                inputs.too_large();
                continue;
            }
            ran => ran?,
        };
        report.largest = report.largest.max(largest(&inputs.print(&file)));
        if let Some(wrong) = wrong {
            let alone = files.iter().find_map(|f| match checker.run(&inputs, f) {
                Ok((_, Some(wrong))) => Some((f.clone(), wrong)),
                _ => None,
            });
            let (failing, wrong) = alone.unwrap_or((file, wrong));
            report.failure = Some(checker.smallest(&mut inputs, failing, wrong, why)?);
            report.inputs += cases_in(&files);
            return Ok(report);
        }
        report.loose += u64::from(equal == Equal::Words);
        report.inputs += cases_in(&files);
        checker.passed = report.inputs;
        (checker.told)(Progress::Passed(report.inputs));
    }
    if report.inputs == 0 {
        let message = format!(
            "no input for {} was found that satisfies its requirements and limits",
            called(game)
        );
        return Err(Box::new(
            Diagnostic::error(Code::Unsupported, &game.source, message).help(
                "ranges such as `require 1 <= n` or `limit n <= 100` say what to choose from",
            ),
        ));
    }
    Ok(report)
}

/// Whether it is for want of time or memory that there is no answer of ours.
fn given_up(error: &Diagnostic) -> bool {
    matches!(error.code, Code::Memory | Code::Interrupted)
}

/// The largest number in an input.
fn largest(text: &str) -> Int {
    let numbers = text
        .split_whitespace()
        .filter_map(|t| t.parse::<Int>().ok());
    numbers.fold(Int::ZERO, Int::max)
}

/// What came of something, `None` if it failed since we are to stop or take too long: what is known before then is reported
/// still.
fn unless_stopped<T>(result: Result<T>, budget: &Budget) -> Result<Option<T>> {
    match result {
        Err(error) if budget.stopped() || given_up(&error) => Ok(None),
        result => result.map(Some),
    }
}

fn stopped(game: &Game, passed: u64) -> Box<Diagnostic> {
    let message = match passed {
        1 => "stopped while the program was checked; 1 input was answered rightly".to_owned(),
        n => format!("stopped while the program was checked; {n} inputs were answered rightly"),
    };
    Box::new(Diagnostic::error(Code::Interrupted, &game.source, message))
}

/// The number of cases in files.
fn cases_in(files: &[File]) -> u64 {
    fn count(record: &[Field]) -> u64 {
        match record.last() {
            Some(Field::Group(times)) => times.iter().map(|t| count(t)).sum(),
            _ => 1,
        }
    }
    files
        .iter()
        .flat_map(|f| &f.records)
        .map(|r| count(r))
        .sum()
}

impl Checker<'_> {
    /// Does what our own answers are needed for, in the time for so many of them.
    fn in_time<T>(&mut self, answers: usize, what: impl FnOnce(&mut Self) -> T) -> T {
        let (budget, time) = (&self.options.budget, self.options.answer);
        let answers = u32::try_from(answers).unwrap_or(u32::MAX);
        budget.give(time.saturating_mul(answers));
        let done = what(self);
        budget.give(Duration::MAX);
        done
    }

    /// Our output, in the time for so many answers.
    fn ours(&mut self, input: &str, answers: usize) -> Result<String> {
        let mut out = Vec::new();
        self.in_time(answers, |this| {
            judge::run_with(
                this.game,
                this.decide,
                input.as_bytes(),
                &mut out,
                false,
                &this.options.budget,
            )
        })?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    /// The rules and positions of an input.
    fn cases(&mut self, inputs: &Inputs<'_>, file: &File) -> Result<Vec<(Rules, Position)>> {
        self.in_time(cases_in(std::slice::from_ref(file)) as usize, |this| {
            let mut recorder = Recorder {
                decide: this.decide,
                rules: None,
                cases: Vec::new(),
            };
            judge::run_with(
                this.game,
                &mut recorder,
                inputs.print(file).as_bytes(),
                io::sink(),
                false,
                &this.options.budget,
            )?;
            Ok(recorder.cases)
        })
    }

    /// The input changed by a winning move of its last case, if what that leads to can be written as an input.
    fn lost(&mut self, inputs: &mut Inputs<'_>, file: &File) -> Option<File> {
        let (rules, position) = self.cases(inputs, file).ok()?.pop()?;
        self.decide.rules(rules).ok()?;
        let after = self.in_time(1, |this| this.decide.winning(&position));
        let after = after.ok()??;
        // The words that the move takes away, and those that it puts there.
        let words = |p: &Position| p.parts.iter().flat_map(|p| p.0.iter().cloned()).collect();
        let (mut gone, mut come): (Vec<Int>, Vec<Int>) = (words(&position), words(&after));
        gone.retain(|w| {
            let same = come.iter().position(|c| c == w);
            same.inspect(|at| drop(come.swap_remove(*at))).is_none()
        });
        if gone.is_empty() || gone.len() != come.len() || gone.len() > 2 {
            return None;
        }
        let mut orders = vec![come.clone()];
        if come.len() == 2 {
            orders.push(come.into_iter().rev().collect());
        }
        for come in orders {
            let mut lost = file.clone();
            let mut all = numbers(inputs, &mut lost);
            let mut set = HashSet::new();
            for (from, to) in gone.iter().zip(&come) {
                // The last one, since counts and the cases before come first.
                let at = (0..all.len())
                    .rev()
                    .find(|i| !all[*i].count && *all[*i].value == *from && set.insert(*i))?;
                all[at].value.clone_from(to);
            }
            if inputs.legal(&lost)
                && let Some((_, position)) = self.cases(inputs, &lost).ok()?.pop()
                && let Ok(false) = self.wins(&position)
            {
                return Some(lost);
            }
        }
        None
    }

    /// Whether the player to move wins by the rules at hand.
    fn wins(&mut self, position: &Position) -> Result<bool> {
        let want = Want {
            win: true,
            ..Want::default()
        };
        let answer = self.in_time(1, |this| this.decide.answer(position, want));
        Ok(answer?.win)
    }

    /// Runs the program on a file; what is wrong, if anything.
    fn run(&mut self, inputs: &Inputs<'_>, file: &File) -> Result<(Equal, Option<Wrong>)> {
        let input = inputs.print(file);
        // Each case has been answered before, or is smaller than one that has.
        let cases = cases_in(std::slice::from_ref(file)) as usize;
        let ours = self.ours(&input, cases.saturating_mul(4))?;
        let most = 16 * ours.len() + (1 << 20);
        let run = child::run(
            self.command,
            input,
            self.options.timeout,
            most,
            &self.options.budget,
        )
        .map_err(|e| self.not_started(&e))?;
        if run.end == End::Stopped {
            return Err(stopped(self.game, self.passed));
        }
        let equal = compare(&ours, &String::from_utf8_lossy(&run.output));
        let fault = match run.end.fault(self.options.timeout) {
            Some(fault) => fault,
            None if equal == Equal::No => "gave another answer".to_owned(),
            None => return Ok((equal, None)),
        };
        Ok((equal, Some(Wrong { fault, ours, run })))
    }

    fn not_started(&self, error: &io::Error) -> Box<Diagnostic> {
        let program = self.command.first().map_or("", String::as_str);
        let source = Source::new("<arguments>", program);
        let diagnostic = Diagnostic::error(
            Code::File,
            &source,
            format!("`{program}` cannot be started: {error}"),
        );
        let bare = !program.contains('/') && std::path::Path::new(program).is_file();
        Box::new(if bare {
            diagnostic.help(format!(
                "a program in this folder is named with its path: ./{program}"
            ))
        } else if error.kind() == io::ErrorKind::PermissionDenied {
            diagnostic.help("it must be a program, or a script that says by `#!` what runs it")
        } else {
            diagnostic.help("the program and its arguments stand behind `--`, each a word of its own; no shell reads them")
        })
    }

    /// Whether the program is wrong on an input, while there is time; what is wrong is put into `last`.
    fn still(
        &mut self,
        inputs: &Inputs<'_>,
        file: &File,
        until: Instant,
        last: &mut Option<Wrong>,
    ) -> bool {
        if Instant::now() >= until || self.options.budget.stopped() {
            self.cut = true;
            return false;
        }
        let run = self.run(inputs, file);
        self.runs += 1;
        let Ok((_, Some(wrong))) = run else {
            self.shrinking();
            return false;
        };
        self.smallest_yet(&wrong, inputs, file);
        *last = Some(wrong);
        true
    }

    fn smallest_yet(&mut self, wrong: &Wrong, inputs: &Inputs<'_>, file: &File) {
        self.fault.clone_from(&wrong.fault);
        self.words = inputs.print(file).split_whitespace().count();
        self.shrinking();
    }

    fn shrinking(&mut self) {
        (self.told)(Progress::Shrinking {
            fault: &self.fault,
            runs: self.runs,
            words: self.words,
        });
    }

    fn shrunk(
        &mut self,
        inputs: &mut Inputs<'_>,
        file: File,
        until: Instant,
        last: &mut Option<Wrong>,
    ) -> File {
        shrink(inputs, file, TRIES, &mut |inputs, file| {
            self.still(inputs, file, until, last)
        })
    }

    /// A smaller input that fails, by lowering all numbers to random shares of themselves, boldly as long as that finds one;
    /// `None` if none is found.
    fn descend(
        &mut self,
        inputs: &mut Inputs<'_>,
        file: &File,
        until: Instant,
        last: &mut Option<Wrong>,
    ) -> Option<File> {
        let mut random = Random(self.options.seed);
        let mut best: Option<File> = None;
        for (power, tries) in DESCENT {
            let mut failed = 0;
            while failed < tries && Instant::now() < until && !self.options.budget.stopped() {
                failed += 1;
                let from = best.as_ref().unwrap_or(file);
                // From a half of that share up to the whole of it; the same for all numbers every other time, which keeps
                // them in order.
                let mut draw = || (random.below(1 << 31) + (1 << 31)) >> (power - 1);
                let one = draw();
                let mut share = || if failed % 2 == 0 { draw() } else { one };
                let smaller = scaled(inputs, from, &mut share)?;
                if !inputs.legal(&smaller) {
                    continue;
                }
                let lost = self.lost(inputs, &smaller);
                for candidate in lost.into_iter().chain([smaller]) {
                    if size(inputs, &candidate) < size(inputs, from)
                        && self.still(inputs, &candidate, until, last)
                    {
                        best = Some(candidate);
                        failed = 0;
                        break;
                    }
                }
            }
        }
        best
    }

    /// Shrinks an input that fails, and reports on it.
    fn smallest(
        &mut self,
        inputs: &mut Inputs<'_>,
        failing: File,
        first: Wrong,
        why: &mut Why<'_>,
    ) -> Result<Failure> {
        let patience = self.options.patience.min(MOST_PATIENCE);
        let until = Instant::now() + patience;
        self.smallest_yet(&first, inputs, &failing);
        let mut last = None;
        let mut small = self.shrunk(inputs, failing.clone(), until, &mut last);
        let mut cut = self.cut;
        // Most faults lie not scattered, and then nothing comes of this.
        let soon = until.min(Instant::now() + patience / 4);
        if let Some(smaller) = self.descend(inputs, &small, soon, &mut last) {
            self.cut = false;
            small = self.shrunk(inputs, smaller, until, &mut last);
            cut = self.cut;
        }
        let mut notes = Vec::new();
        let stopped = self.options.budget.stopped();
        if stopped {
            notes.push("a smaller input was looked for when it was stopped".to_owned());
        } else if cut {
            notes.push(format!(
                "shrinking was broken off after {} seconds; a smaller input may fail too",
                patience.as_secs()
            ));
        }
        // Whether a fault comes again is seen by one more run; what is to stop has no time for that.
        let mut again = None;
        for candidate in [&small, &failing] {
            if self.options.budget.stopped() {
                break;
            }
            let found = unless_stopped(self.run(inputs, candidate), &self.options.budget)?;
            if let Some((_, Some(found))) = found {
                again = Some((candidate.clone(), found));
                break;
            }
        }
        let (file, wrong) = match again {
            Some(again) => again,
            None if self.options.budget.stopped() => {
                if !stopped {
                    notes.push("it was stopped before this input was run once more".to_owned());
                }
                match last {
                    Some(wrong) => (small, wrong),
                    None => (failing, first),
                }
            }
            None => {
                notes.push("the same input did not fail when it was run again: the program is not always wrong on it".to_owned());
                (failing, first)
            }
        };
        let input = inputs.print(&file);
        let theirs = String::from_utf8_lossy(&wrong.run.output).into_owned();
        if !wrong.run.read_all {
            notes.push("the program ended without reading all of its input".to_owned());
        }
        if theirs.is_empty() && wrong.run.end == End::Status(0) {
            notes.push("the program wrote nothing to its standard output".to_owned());
        }
        let blamed = self.blamed(inputs, &file, &theirs);
        let why = match unless_stopped(blamed, &self.options.budget)?.flatten() {
            Some((rules, position, case, cases)) => {
                let mut lines = self.in_time(4, |_| why(&rules, &position));
                if lines.is_empty() {
                    let line = self.plainly(rules, &position);
                    lines.extend(unless_stopped(line, &self.options.budget)?);
                }
                if cases > 1 {
                    lines.insert(0, format!("case {case} of {cases}:"));
                }
                lines
            }
            None => Vec::new(),
        };
        Ok(Failure {
            fault: wrong.fault,
            input,
            ours: wrong.ours,
            theirs,
            complaint: wrong.run.complaint,
            why,
            notes,
        })
    }

    /// What is known of a position for which there is no argument.
    fn plainly(&mut self, rules: Rules, position: &Position) -> Result<String> {
        let shown = rules.game().shape.display_position(position).to_string();
        self.decide.rules(rules)?;
        let win = self.wins(position)?;
        Ok(format!(
            "{shown} is {}",
            if win {
                "an N-position: the player to move wins"
            } else {
                "a P-position: the player to move loses"
            }
        ))
    }

    /// The first case for which our output is not at the head of theirs: its rules, position, number, and the number of
    /// cases.
    fn blamed(
        &mut self,
        inputs: &Inputs<'_>,
        file: &File,
        theirs: &str,
    ) -> Result<Option<(Rules, Position, usize, usize)>> {
        let input = inputs.print(file);
        let cases = self.cases(inputs, file)?;
        let squeeze = |text: &str| text.split_whitespace().collect::<String>();
        let theirs = squeeze(theirs);
        let mut blamed = cases.len().saturating_sub(1);
        for case in 1..cases.len() {
            // What the first cases alone print: they decide whether the fault comes later.
            let mut head = Vec::new();
            let mut limited = Limited {
                decide: self.decide,
                left: case,
            };
            // It ends with the error of the case that was one too many.
            let _ = judge::run_with(
                self.game,
                &mut limited,
                input.as_bytes(),
                &mut head,
                false,
                &self.options.budget,
            );
            if !theirs.starts_with(&squeeze(&String::from_utf8_lossy(&head))) {
                blamed = case - 1;
                break;
            }
        }
        let total = cases.len();
        Ok(cases
            .into_iter()
            .nth(blamed)
            .map(|(rules, position)| (rules, position, blamed + 1, total)))
    }
}

/// Decides some cases and no more.
struct Limited<'d> {
    decide: &'d mut dyn Decide,
    left: usize,
}

impl Decide for Limited<'_> {
    fn rules(&mut self, rules: Rules) -> Result<()> {
        self.decide.rules(rules)
    }

    fn answer(&mut self, position: &Position, want: Want) -> Result<CaseAnswer> {
        if self.left == 0 {
            let source = Source::new("", "");
            return Err(Box::new(Diagnostic::error(
                Code::Interrupted,
                &source,
                "enough",
            )));
        }
        self.left -= 1;
        self.decide.answer(position, want)
    }
}

/// A text for a report, cut if it is long, each line set in.
fn inset(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    let mut out: String = shown
        .lines()
        .take(LINES)
        .map(|l| format!("    {l}\n"))
        .collect();
    let lines = text.lines().count();
    if lines > LINES {
        out.push_str(&format!("    … ({lines} lines in all)\n"));
    }
    if out.is_empty() {
        out.push_str("    (nothing)\n");
    }
    out
}

impl Report {
    /// Whether the program passed.
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }

    fn leave_out(&mut self, inputs: u64, text: &str) {
        let largest = largest(text);
        self.left_out += inputs;
        self.left_out_from = Some(match self.left_out_from.take() {
            Some(least) => least.min(largest),
            None => largest,
        });
    }

    /// The report as text, lines ended.
    pub fn render(&self) -> String {
        let Some(failure) = &self.failure else {
            let mut out = match self.inputs {
                1 => "1 input, equal".to_owned(),
                n => format!("{n} inputs, all equal"),
            };
            out.push_str(&format!(
                "; the largest number in them is {}\n",
                self.largest
            ));
            if let Some(from) = &self.left_out_from {
                out.push_str(&format!(
                    "{} left out, since our own answer would take too long or too much memory; the largest number in {} {from}\n",
                    match self.left_out {
                        1 => "1 more input was".to_owned(),
                        n => format!("{n} more inputs were"),
                    },
                    if self.left_out == 1 { "it is" } else { "them is at least" },
                ));
            }
            if self.loose > 0 {
                out.push_str(&format!(
                    "in {} only the words are equal: blanks or line ends differ, which a strict judge may not accept\n",
                    if self.loose == 1 { "1 run".to_owned() } else { format!("{} runs", self.loose) }
                ));
            }
            return out;
        };
        let mut out = format!(
            "the program {}\n\ninput\n{}",
            failure.fault,
            inset(&failure.input)
        );
        out.push_str(&format!("theirs\n{}", inset(&failure.theirs)));
        out.push_str(&format!("ours\n{}", inset(&failure.ours)));
        if !failure.complaint.trim().is_empty() {
            out.push_str(&format!(
                "on its standard error\n{}",
                inset(failure.complaint.trim_end())
            ));
        }
        if !failure.why.is_empty() {
            out.push_str("why ours is right\n");
            failure
                .why
                .iter()
                .for_each(|l| out.push_str(&format!("    {l}\n")));
        }
        for note in &failure.notes {
            out.push_str(&format!("note: {note}\n"));
        }
        out.push_str(&match self.inputs {
            1 => "\nfound with the first input\n".to_owned(),
            n => format!("\nfound within {n} inputs\n"),
        });
        out
    }

    /// The report as JSON.
    pub fn to_json(&self) -> Json {
        json!({
            "passed": self.passed(),
            "inputs": self.inputs,
            "only_words_equal": self.loose,
            "largest": int_json(&self.largest),
            "left_out": self.left_out,
            "left_out_from": self.left_out_from.as_ref().map(int_json),
            "failure": self.failure.as_ref().map(|f| json!({
                "fault": f.fault,
                "input": f.input,
                "ours": f.ours,
                "theirs": f.theirs,
                "stderr": f.complaint,
                "why": f.why,
                "notes": f.notes,
            })),
        })
    }
}
