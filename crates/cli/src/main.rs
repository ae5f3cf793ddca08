//! The `grundy` command: a thin front end over the facade. Answers go to standard output, everything else to standard error.

mod args;
mod json;
mod judge;
mod nimber;
mod output;
mod period;
mod play;
mod plot;
mod show;
mod style;
mod sweep;
mod table;

use std::fmt::Write as _;
use std::io::{self, BufReader, IsTerminal, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use clap::CommandFactory;
use grundy::decide::Decider;
use grundy::ir::Game;
use grundy::open::Opened;
use grundy::plan::Hook;
use grundy::value::Position;
use grundy::{
    Arguments, Bound, Budget, Code, Diagnostic, Engine, Plan, Rules, Severity, Source, catalogue,
    check, facts,
};

use args::{Bounds, Cli, Command, Format, Query, When};
use style::{Style, put};

/// What went wrong.
type Failure = Vec<Diagnostic>;
/// Whether all went well (`false`: a check failed), or what went wrong.
type Done = Result<bool, Failure>;

/// A person is asked for input, so that Ctrl-C ends the program at once.
static INTERACTIVE: AtomicBool = AtomicBool::new(false);
/// A line of progress stands on the terminal.
static PROGRESS: AtomicBool = AtomicBool::new(false);

/// Signals that come this close to each other are one: `timeout` sends one to the process and one to its group.
const ONE_SIGNAL: Duration = Duration::from_millis(200);
/// How long a computation may take to stop after Ctrl-C.
const PATIENCE: Duration = Duration::from_secs(1);
/// A table says that it takes so many bytes, or more.
const MUCH: u64 = 256 << 20;
/// The exit status after Ctrl-C.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => {
            // Nobody reads any more: nothing to say.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let memory = cli.command.as_ref().map_or(Budget::DEFAULT_MEMORY, memory);
    let color = cli.color;
    // Until a computation takes long, Ctrl-C ends the program as it does any other.
    let budget = Budget::watched(memory, move |budget| listen(color, budget));
    let budget = match cli.command.as_ref().map_or(1, threads) {
        0 => budget.on_threads(grundy::room::cores()),
        threads => budget.on_threads(threads),
    };
    let done = run(&cli, &budget);
    clear_progress();
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(errors) => {
            let style = Style::stderr(cli.color);
            report(&errors, style);
            let stopped = errors.iter().any(|e| e.code == Code::Interrupted);
            ExitCode::from(if stopped { INTERRUPTED } else { 2 })
        }
    }
}

fn memory(command: &Command) -> u64 {
    match command {
        Command::Solve { query, .. }
        | Command::Table { query, .. }
        | Command::Explain { query, .. }
        | Command::Play { query, .. } => query.memory,
        Command::Plot(wanted) => wanted.query.memory,
        Command::Judge { memory, .. }
        | Command::Period { memory, .. }
        | Command::Sweep { memory, .. }
        | Command::Verify { memory, .. } => *memory,
        _ => Budget::DEFAULT_MEMORY,
    }
}

/// How many threads a command may use; 0 for as many as there are cores.
fn threads(command: &Command) -> usize {
    match command {
        Command::Table { threads, .. }
        | Command::Period { threads, .. }
        | Command::Sweep { threads, .. } => threads.threads,
        Command::Plot(wanted) => wanted.threads.threads,
        _ => 1,
    }
}

/// Has Ctrl-C stop computations, and end the program if they do not.
fn listen(color: When, budget: &Budget) {
    let budget = budget.clone();
    let mut first: Option<Instant> = None;
    // Without a handler Ctrl-C still ends the program.
    let _ = ctrlc::set_handler(move || {
        if INTERACTIVE.load(Ordering::Relaxed) {
            let _ = writeln!(io::stdout());
            std::process::exit(i32::from(INTERRUPTED));
        }
        match first {
            Some(first) if first.elapsed() < ONE_SIGNAL => return,
            Some(_) => leave(color),
            None => first = Some(Instant::now()),
        }
        budget.stop();
        thread::spawn(move || {
            thread::sleep(PATIENCE);
            // A state that is being kept is worth the wait.
            while grundy::checkpoint::writing() {
                thread::sleep(Duration::from_millis(20));
            }
            leave(color);
        });
    });
}

/// Ends the program in the middle of what it does, and with it what it has started and not finished.
fn leave(color: When) -> ! {
    grundy::child::end_all();
    output::abandon();
    clear_progress();
    let message = "stopped in the middle of a computation that had not come to an end by itself";
    let error = Diagnostic::error(Code::Interrupted, &Source::new("", ""), message);
    report(&[error], Style::stderr(color));
    std::process::exit(i32::from(INTERRUPTED));
}

fn report(errors: &[Diagnostic], style: Style) {
    let mut text = String::new();
    for (i, error) in errors.iter().enumerate() {
        if i > 0 {
            text.push('\n');
        }
        text.push_str(error.render(style.on()).trim_end());
        text.push('\n');
    }
    // Nobody reads any more: nothing to say.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Tells how far searches have come, on a terminal, once they take a second.
fn progress() -> Option<Hook> {
    progress_of(|| (0, String::new()))
}

/// The same for one question after another: which it is, and how to begin the line. The second is counted from the first
/// that is heard of a question.
fn progress_of(question: impl Fn() -> (u64, String) + Send + Sync + 'static) -> Option<Hook> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let at = Mutex::new((question().0, Instant::now(), 800));
    Some(Arc::new(move |p: grundy::plan::Progress| {
        let (number, which) = question();
        let mut at = at.lock().unwrap_or_else(PoisonError::into_inner);
        let (heard, start, last) = &mut *at;
        if *heard != number {
            (*heard, *start, *last) = (number, Instant::now(), 800);
        }
        let now = start.elapsed().as_millis() as u64;
        if now < *last + 200 {
            return;
        }
        *last = now;
        PROGRESS.store(true, Ordering::Relaxed);
        let _ = write!(
            io::stderr(),
            "\r\x1b[K{which}searching: {} positions, {}.{} s (Ctrl-C stops)",
            grouped(p.positions),
            now / 1000,
            now % 1000 / 100,
        );
    }))
}

/// The same with a note before a table takes much memory.
fn with_memory(color: When) -> Hook {
    let (progress, told) = (progress(), AtomicU64::new(0));
    Arc::new(move |p: grundy::plan::Progress| {
        if p.memory == 0 {
            if let Some(progress) = &progress {
                progress(p);
            }
        } else if p.memory >= MUCH && told.swap(p.memory, Ordering::Relaxed) != p.memory {
            clear_progress();
            let text = grundy::room::text(p.memory);
            note(color, &format!("the table takes {text} of memory"));
        }
    })
}

fn note(color: When, text: &str) {
    let style = Style::stderr(color);
    // Nobody reads any more: nothing to say.
    let _ = writeln!(io::stderr(), "{} {text}", style.bold("note:"));
}

fn clear_progress() {
    if PROGRESS.load(Ordering::Relaxed) && PROGRESS.swap(false, Ordering::Relaxed) {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// So many of something, in the singular or the plural.
fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" })
}

fn run(cli: &Cli, budget: &Budget) -> Done {
    let style = Style::stdout(cli.color);
    let Some(command) = &cli.command else {
        return print(&overview(style));
    };
    match command {
        Command::Solve { query, json, limit } => {
            let (plan, bound, warnings) = query_plan(cli.color, query, budget)?;
            let answer = plan.answer(&bound.position, *limit).map_err(one)?;
            clear_progress();
            if *json {
                print_json(&with_warnings(answer.to_json(), &warnings))
            } else {
                print(&show::answer(&answer, style))
            }
        }
        Command::Explain { query, json } => {
            let (plan, bound, warnings) = query_plan(cli.color, query, budget)?;
            let explanation = grundy::explain::explain(&plan, &bound.position, 20).map_err(one)?;
            clear_progress();
            if *json {
                print_json(&with_warnings(explanation.to_json(), &warnings))
            } else {
                print(&show::explanation(&explanation, style))
            }
        }
        Command::Table {
            query,
            to: Bounds(to),
            format,
            json,
            output,
            checksum,
            p_positions,
            resume,
            threads: _,
        } => {
            let format = match (*json, *format, output) {
                (true, ..) => Format::Json,
                (_, Some(format), _) => format,
                (_, None, Some(file)) => table::format_of(file)?,
                (_, None, None) => Format::Text,
            };
            let wanted = table::Wanted {
                to,
                format,
                checksum: *checksum,
                p_positions: *p_positions,
                output: output.as_deref(),
                resume: resume.as_deref(),
            };
            table::run(cli.color, query, &wanted, budget)
        }
        Command::Plot(wanted) => plot::run(cli.color, wanted, budget),
        Command::Period {
            game,
            args,
            fix,
            to,
            certificate,
            resume,
            json,
            ..
        } => {
            let wanted = period::Wanted {
                fix,
                to: *to,
                certificate: certificate.as_deref(),
                resume: resume.as_deref(),
                json: *json,
            };
            period::period(cli.color, game, args, &wanted, budget)
        }
        Command::Sweep {
            pattern,
            to,
            output,
            ..
        } => sweep::sweep(pattern, *to, output.as_deref(), budget),
        Command::Verify { file, json, .. } => period::verify(file, *json, budget),
        Command::Play {
            query,
            strength,
            second,
            seed,
            json,
        } => {
            let (plan, bound, warnings) = query_plan(cli.color, query, budget)?;
            let options = play::Options {
                strength: *strength,
                second: *second,
                seed: *seed,
                json: *json,
                warnings: warnings.iter().map(Diagnostic::one_line).collect(),
            };
            INTERACTIVE.store(true, Ordering::Relaxed);
            listen(cli.color, budget);
            let mut input = BufReader::new(io::stdin());
            match play::play(
                &plan,
                &bound.position,
                &options,
                &mut input,
                io::stdout(),
                style,
            ) {
                Ok(()) => Ok(true),
                Err(play::Trouble::Io(error)) => Err(vec![broken(
                    &format!("the terminal cannot be used: {error}"),
                    "moves are read from standard input, a line a move",
                )]),
                Err(play::Trouble::Rules(error)) => Err(one(error)),
            }
        }
        Command::Games { name: None, json } => {
            if !*json {
                return print(&show::games(catalogue::ALL, style));
            }
            let list = catalogue::ALL
                .iter()
                .map(catalogue::Entry::to_json)
                .collect();
            print_json(&serde_json::Value::Array(list))
        }
        Command::Games {
            name: Some(name),
            json,
        } => {
            let Some(entry) = catalogue::find(name) else {
                // The error with a suggestion; a file or a rule is no game of the catalogue, but can be shown all the same.
                let game = open(cli.color, name)?;
                return print(&format!("{}\n", game.source.text.trim_end()));
            };
            if *json {
                return print_json(&entry.to_json());
            }
            let game = open(cli.color, entry.name)?;
            print(&show::game(&game, entry, style))
        }
        Command::Nimber { expressions, json } => nimber::nimber(expressions, *json, budget),
        Command::Completions { shell } => {
            let mut out = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "grundy", &mut out);
            print(&String::from_utf8_lossy(&out))
        }
        Command::Man { dir } => man(dir.as_deref()),
        Command::Check {
            game,
            json,
            command,
            ..
        } if command.is_empty() => {
            let report = facts::check(&open(cli.color, game)?, budget).map_err(one)?;
            if *json {
                print_json(&report.to_json())?;
            } else {
                print(&report.render())?;
            }
            Ok(report.passed())
        }
        Command::Check {
            game,
            runs,
            seed,
            timeout,
            json,
            command,
        } => {
            let options = check::Options {
                count: *runs,
                seed: *seed,
                timeout: *timeout,
                budget: budget.timed(),
                ..check::Options::default()
            };
            let command: Vec<String> = command
                .iter()
                .map(|w| w.to_string_lossy().into_owned())
                .collect();
            let report = check_program(cli.color, game, &command, &options)?;
            let passed = report.passed();
            if *json {
                print_json(&report.to_json())?;
            } else {
                print(&report.render())?;
            }
            Ok(passed)
        }
        Command::Judge {
            game,
            json,
            strict,
            engine,
            ..
        } => judge::run(cli.color, game, *json, *strict, engine, budget),
    }
}

fn check_program(
    color: When,
    spec: &str,
    command: &[String],
    options: &check::Options,
) -> Result<check::Report, Failure> {
    let game = open(color, spec)?;
    let mut decider = Decider::new(Engine::Auto, options.budget.clone());
    let mut why = |rules: &Rules, position: &Position| {
        Plan::new(rules, Engine::Auto, options.budget.clone())
            .and_then(|plan| grundy::explain::explain(&plan, position, 1))
            .map_or_else(|_| Vec::new(), |explanation| explanation.argument)
    };
    let terminal = io::stderr().is_terminal();
    let mut told = |progress: check::Progress<'_>| {
        if !terminal {
            return;
        }
        PROGRESS.store(true, Ordering::Relaxed);
        let line = match progress {
            check::Progress::Passed(inputs) => {
                format!("{} inputs, all equal (Ctrl-C stops)", grouped(inputs))
            }
            check::Progress::Shrinking { fault, runs, words } => format!(
                "the program {fault}; shrinking the input: {} after {} (Ctrl-C shows it)",
                counted(words as u64, "number"),
                counted(runs, "run")
            ),
        };
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
    };
    let report = check::check_with(&game, &mut decider, command, options, &mut why, &mut told);
    clear_progress();
    report.map_err(one)
}

/// Opens a game; warnings are told at once.
fn open(color: When, spec: &str) -> Result<Arc<Game>, Failure> {
    let Opened { game, warnings } = grundy::open(spec)?;
    report(&warnings, Style::stderr(color));
    Ok(game)
}

/// The plan for a question, what it is about, and the warnings that have been told.
fn query_plan(
    color: When,
    query: &Query,
    budget: &Budget,
) -> Result<(Plan, Bound, Vec<Diagnostic>), Failure> {
    let style = Style::stderr(color);
    let Opened { game, mut warnings } = grundy::open(&query.game)?;
    let args = Arguments::parse(&query.args).map_err(one)?;
    // The text is warned of before what its arguments or a search may end with.
    report(&warnings, style);
    let bound = grundy::bind::bind(&game, &args).map_err(one)?;
    report(bound.note.as_slice(), style);
    warnings.extend(bound.note.clone());
    let engine = Engine::parse(&query.engine).map_err(one)?;
    let plan = Plan::new(&bound.rules, engine, budget.clone()).map_err(one)?;
    let doubts = plan.doubts(&bound.position);
    if doubts.iter().any(|d| d.severity == Severity::Error) {
        return Err(doubts);
    }
    report(&doubts, style);
    warnings.extend(doubts);
    let plan = match progress() {
        Some(hook) => plan.report(hook),
        None => plan,
    };
    Ok((plan, bound, warnings))
}

/// An answer with the warnings about its question, for a program that does not read standard error.
fn with_warnings(mut json: serde_json::Value, warnings: &[Diagnostic]) -> serde_json::Value {
    json["warnings"] = texts(warnings);
    json
}

/// Warnings as they stand in JSON.
fn texts(warnings: &[Diagnostic]) -> serde_json::Value {
    warnings.iter().map(Diagnostic::one_line).collect()
}

#[expect(clippy::boxed_local, reason = "errors come boxed")]
fn one(error: Box<Diagnostic>) -> Failure {
    vec![*error]
}

/// A failure of the world around.
fn broken(message: &str, help: &str) -> Diagnostic {
    Diagnostic::error(Code::File, &Source::new("", ""), message).help(help)
}

fn print(text: &str) -> Done {
    match put(text) {
        Ok(_) => Ok(true),
        Err(error) => Err(vec![broken(
            &format!("the answer cannot be written: {error}"),
            "see whether the disk that standard output goes to is full",
        )]),
    }
}

fn print_json(json: &serde_json::Value) -> Done {
    print(&json::layout(json))
}

/// What `grundy` alone prints.
fn overview(style: Style) -> String {
    let rows = [
        (
            "grundy solve wythoff 14 9",
            "who wins, and every winning move",
        ),
        (
            "grundy explain hdu1729 9 3 17 4",
            "why, in words a student can follow",
        ),
        (
            "grundy table 0.77 --to 60",
            "Grundy values, P-positions marked",
        ),
        (
            "grundy judge poj2068 < in.txt > out.txt",
            "a contest's input, answered in its format",
        ),
        (
            "grundy check poj1704 -- ./my_solution",
            "a program put to the test",
        ),
    ];
    let mut out = format!(
        "{}\n\n",
        style.bold("grundy: who wins an impartial game, how to win it, and why")
    );
    for (command, what) in rows {
        let _ = writeln!(out, "  {}  {what}", style.bold(&format!("{command:40}")));
    }
    out.push_str(
        "\nA game can be stated on the spot: grundy solve 'n -> n - k for k in 1..3' 10\n\
         `grundy games` lists the catalogue, `grundy --help` all commands.\n",
    );
    out
}

fn man(dir: Option<&Path>) -> Done {
    let Some(dir) = dir else {
        let mut out = Vec::new();
        clap_mangen::Man::new(Cli::command())
            .render(&mut out)
            .map_err(|e| vec![broken(&e.to_string(), "ask again")])?;
        return print(&String::from_utf8_lossy(&out));
    };
    fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), dir))
        .map_err(|e| {
            vec![broken(
                &format!("the pages cannot be written to `{}`: {e}", dir.display()),
                "give `--dir` a folder that you may write to",
            )]
        })?;
    Ok(true)
}
