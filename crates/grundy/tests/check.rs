//! The check of strangers' programs, against programs that are wrong in known ways. This file is those programs as well:
//! called as `stranger NAME` it reads a contest's input and is wrong about it.

mod common;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use common::*;
use grundy::check::{Equal, Options, Progress, Report, check_with, compare};
use grundy::decide::Decider;
use grundy::format::Want;
use grundy::judge::{CaseAnswer, Decide};
use grundy::plan::Engine;
use grundy_core::{Budget, Int};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::value::Position;
use libtest_mimic::{Arguments, Failed, Trial};

// The programs.

/// Whether the player to move wins Wythoff's game, by the first P-positions one after the other.
fn wythoff(a: u64, b: u64) -> bool {
    let (a, b) = (a.min(b), a.max(b));
    let mut used = vec![false; 4000];
    let mut next = 0;
    for d in 0..1000 {
        while used[next] {
            next += 1;
        }
        if next as u64 > a {
            break;
        }
        if (next as u64, (next + d) as u64) == (a, b) {
            return false;
        }
        used[next] = true;
        used[next + d] = true;
    }
    true
}

fn stranger(name: &str) {
    let mut text = String::new();
    if name == "deaf" {
        return;
    }
    if name == "silent" {
        std::thread::sleep(Duration::from_secs(60));
    }
    std::io::stdin()
        .read_to_string(&mut text)
        .expect("the input is text");
    let numbers: Vec<u64> = text
        .split_whitespace()
        .map(|t| t.parse().expect("a number"))
        .collect();
    let pairs = || numbers.chunks(2).map(|c| (c[0], c[1]));
    let mut out = String::new();
    let mut say = |win: bool| out.push_str(if win { "1\n" } else { "0\n" });
    match name {
        "right" => pairs().for_each(|(a, b)| say(wythoff(a, b))),
        // Nim is another game.
        "nim" => pairs().for_each(|(a, b)| say(a != b)),
        "multiples of four" => numbers.iter().for_each(|n| say(n % 4 != 0)),
        "wrong from ten on" => pairs().for_each(|(a, b)| say(wythoff(a, b) != (a >= 10))),
        "wrong where the sum is 9 times something" => {
            pairs().for_each(|(a, b)| say(wythoff(a, b) != (a > 3 && b > 3 && (a + b) % 9 == 0)));
        }
        // The answer is kept from the case before.
        "forgetful" => {
            let mut last = None;
            for (a, b) in pairs() {
                let now = wythoff(a, b);
                say(last.unwrap_or(now));
                last = Some(now);
            }
        }
        "one line" => {
            pairs().for_each(|(a, b)| say(wythoff(a, b)));
            out = out.replace('\n', " ");
        }
        "trailing blanks" => {
            pairs().for_each(|(a, b)| say(wythoff(a, b)));
            out = out.replace('\n', "  \n") + "\n\n";
        }
        "crash" => pairs().for_each(|(a, b)| {
            assert!(a < 5, "five stones are too many");
            say(wythoff(a, b));
        }),
        "abort" => pairs().for_each(|(a, b)| {
            if b > 2 {
                std::process::abort();
            }
            say(wythoff(a, b));
        }),
        "endless" => pairs().for_each(|(a, b)| {
            while std::hint::black_box(a) > 3 {
                std::hint::spin_loop();
            }
            say(wythoff(a, b));
        }),
        "flood" => {
            let line = "1\n".repeat(1 << 15);
            while std::io::stdout().write_all(line.as_bytes()).is_ok() {}
        }
        // The golden ratio in single precision, or with a depth that a recursion would not bear.
        "float" | "deep" => pairs().for_each(|(a, b)| {
            let (a, b) = (a.min(b), a.max(b));
            assert!(name != "deep" || b < 100_000, "the stack overflows");
            let d = b - a;
            // Exact for differences below 2^32, else by a rounded ratio.
            let exact = (d + (5 * u128::from(d) * u128::from(d)).isqrt() as u64) / 2;
            let float = (d as f64 * 1.618_034) as u64;
            say(a != if name == "float" { float } else { exact });
        }),
        // Rows by the recurrence of the contest, the square in a signed word of 32 bits.
        "square" => boxes(&numbers, &mut out, |s, c| {
            let (mut s, c) = (s as i64, c as i64);
            let reach = |c: i64| c + i64::from((c as i32).wrapping_mul(c as i32));
            loop {
                if c == 0 || c == s {
                    return 0;
                }
                let root = s.isqrt();
                let last = (root - 2..=root)
                    .rev()
                    .find(|q| *q >= 0 && q * q + q < s)
                    .unwrap_or(0);
                if c > last {
                    return if reach(c) >= s { (s - c) as u64 } else { 1 };
                }
                s = last;
            }
        }),
        // The squares of the stones before the move, and a box without stones is a division by zero.
        "stone box" => boxes(&numbers, &mut out, |s, c| {
            assert!(c > 0, "division by zero");
            stone_box(s, c)
        }),
        other => panic!("there is no program {other}"),
    }
    print!("{out}");
}

/// Cases of boxes: whose nim-sum of values is not 0 is won.
fn boxes(numbers: &[u64], out: &mut String, value: impl Fn(u64, u64) -> u64) {
    let mut rest = numbers.iter().copied();
    let mut case = 0;
    while let Some(n) = rest.next().filter(|n| *n > 0) {
        case += 1;
        let mut sum = 0;
        for _ in 0..n {
            let (s, c) = (rest.next().expect("s"), rest.next().expect("c"));
            sum ^= value(s, c);
        }
        let word = if sum > 0 { "Yes" } else { "No" };
        out.push_str(&format!("Case {case}:\n{word}\n"));
    }
}

fn stone_box(s: u64, c: u64) -> u64 {
    let mut values: HashMap<u64, u64> = HashMap::new();
    for c in (c..=s).rev() {
        let seen: Vec<u64> = (1..=(c * c).min(s - c)).map(|k| values[&(c + k)]).collect();
        values.insert(
            c,
            (0..)
                .find(|v| !seen.contains(v))
                .expect("some value is free"),
        );
    }
    values[&c]
}

// The tests.

/// Decides small positions by plain search, and says of others that memory is out.
#[derive(Default)]
struct Small(Slow);

impl Decide for Small {
    fn rules(&mut self, rules: Rules) -> Result<(), Box<Diagnostic>> {
        self.0.rules(rules)
    }
    fn answer(&mut self, position: &Position, want: Want) -> Result<CaseAnswer, Box<Diagnostic>> {
        let size: i64 = position
            .parts
            .iter()
            .flat_map(|p| &p.0)
            .filter_map(|w| w.to_i64())
            .sum();
        if size > 150 {
            let source = grundy_lang::diag::Source::new("", "");
            return Err(Box::new(Diagnostic::error(
                Code::Memory,
                &source,
                "too large",
            )));
        }
        self.0.answer(position, want)
    }
}

/// Never answers for large positions, but lets itself be stopped.
struct Endless(Slow, Budget);

impl Decide for Endless {
    fn rules(&mut self, rules: Rules) -> Result<(), Box<Diagnostic>> {
        self.0.rules(rules)
    }
    fn answer(&mut self, position: &Position, want: Want) -> Result<CaseAnswer, Box<Diagnostic>> {
        let large = |w: &Int| *w > Int::from(60);
        if !position.parts.iter().flat_map(|p| &p.0).any(large) {
            return self.0.answer(position, want);
        }
        while !self.1.stopped() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let source = grundy_lang::diag::Source::new("", "");
        let error = Diagnostic::error(Code::Interrupted, &source, "stopped");
        Err(Box::new(error))
    }
}

fn what_we_cannot_answer_in_time_is_left_out() {
    for name in ["right", "nim"] {
        let options = Options {
            budget: Budget::default().timed(),
            answer: Duration::from_millis(100),
            ..options(200)
        };
        let report = check_with(
            &load(WYTHOFF),
            &mut Endless(Slow::default(), options.budget.clone()),
            &program(name),
            &options,
            &mut |_, _| Vec::new(),
            &mut |_| {},
        )
        .unwrap_or_else(|e| panic!("{}", plain(&e)));
        assert!(!options.budget.stopped());
        assert!(report.largest <= Int::from(60));
        assert_eq!(report.passed(), name == "right");
        if name == "right" {
            assert_eq!(report.inputs, 200);
            assert!(report.left_out > 0);
            assert!(report.left_out_from.clone() > Some(Int::from(60)));
            let text = report.render();
            assert!(text.contains(" left out, since our own answer"), "{text}");
        }
    }
}

/// Where no limit says how large numbers may be, they are as large as we can answer at once, and a word of 32 bits holds.
fn without_a_limit_numbers_are_large_too() {
    let game = "game free\nn -> n - k for k in 1..3\ninput n\noutput \"1\" if win else \"0\"";
    let options = options(300);
    let report = check_with(
        &load(game),
        &mut Decider::new(Engine::Auto, options.budget.clone()),
        &program("multiples of four"),
        &options,
        &mut |_, _| Vec::new(),
        &mut |_| {},
    )
    .unwrap_or_else(|e| panic!("{}", plain(&e)));
    assert!(report.passed(), "{}", report.render());
    let most = Int::from(i64::from(i32::MAX));
    assert!(report.largest > Int::from(1_000_000) && report.largest <= most);
}

fn program(name: &str) -> Vec<String> {
    let this = std::env::current_exe().expect("this program has a path");
    vec![
        this.display().to_string(),
        "stranger".to_owned(),
        name.to_owned(),
    ]
}

fn try_command(
    game: &str,
    command: &[String],
    options: &Options,
) -> Result<Report, Box<Diagnostic>> {
    check_with(
        &load(game),
        &mut Small::default(),
        command,
        options,
        &mut |rules, position| {
            vec![format!(
                "at {}",
                rules.game().shape.display_position(position)
            )]
        },
        &mut |_| {},
    )
}

fn options(count: u64) -> Options {
    Options {
        count,
        timeout: Duration::from_secs(20),
        ..Options::default()
    }
}

fn checked(game: &str, name: &str, count: u64) -> Report {
    try_command(game, &program(name), &options(count)).unwrap_or_else(|e| panic!("{}", plain(&e)))
}

/// The smallest failing input that is found.
fn failing(game: &str, name: &str) -> (String, String) {
    let report = checked(game, name, 2000);
    let failure = report.failure.unwrap_or_else(|| panic!("{name} passed"));
    (failure.input, failure.fault)
}

fn a_right_program_passes() {
    let report = checked(WYTHOFF, "right", 300);
    assert!(report.passed());
    let text = report.render();
    assert!(
        text.starts_with("300 inputs, all equal; the largest number in them is "),
        "{text}"
    );
    let blanks = checked(WYTHOFF, "trailing blanks", 100);
    assert!(blanks.render().starts_with("100 inputs, all equal; "));
}

fn another_layout_passes_and_is_told() {
    let report = checked(WYTHOFF, "one line", 60);
    assert!(report.passed());
    assert!(report.loose > 0);
    assert!(
        report.render().contains("only the words are equal"),
        "{}",
        report.render()
    );
}

fn a_wrong_answer_is_shrunk_to_the_smallest_one() {
    let (input, fault) = failing(WYTHOFF, "nim");
    assert!(input == "1 1\n", "{input}");
    assert_eq!(fault, "gave another answer");
    assert_eq!(failing(WYTHOFF, "wrong from ten on").0, "10 0\n");
    assert_eq!(
        failing(WYTHOFF, "wrong where the sum is 9 times something")
            .0
            .len(),
        4
    );
}

fn a_fault_that_needs_two_cases_keeps_two() {
    let report = checked(WYTHOFF, "forgetful", 2000);
    let failure = report.failure.expect("it is forgetful");
    assert_eq!(failure.input.lines().count(), 2, "{}", failure.input);
    assert_eq!(failure.why[0], "case 2 of 2:");
    assert!(failure.why[1].starts_with("at {"), "{:?}", failure.why);
}

fn a_time_past_what_a_clock_shows_is_no_bound() {
    let forever = Options {
        timeout: Duration::MAX,
        ..options(30)
    };
    let report = try_command(WYTHOFF, &program("right"), &forever).unwrap();
    assert!(report.passed());
}

fn crashes_are_shrunk_too() {
    let (input, fault) = failing(WYTHOFF, "crash");
    assert_eq!(
        (input.as_str(), fault.as_str()),
        ("5 0\n", "ended with status 101")
    );
    let report = checked(WYTHOFF, "crash", 2000);
    assert!(
        report
            .failure
            .expect("it crashes")
            .complaint
            .contains("five stones are too many")
    );
    let (input, fault) = failing(WYTHOFF, "abort");
    assert_eq!(
        (input.as_str(), fault.as_str()),
        ("0 3\n", "was ended by signal 6 (abort)")
    );
}

fn counted_rows_shrink_with_their_count() {
    let (input, fault) = failing(STONE_BOX, "stone box");
    assert_eq!(
        (input.as_str(), fault.as_str()),
        ("1\n0 0\n0\n", "ended with status 101")
    );
}

fn an_endless_loop_is_stopped() {
    let limits = Options {
        timeout: Duration::from_millis(300),
        patience: Duration::from_secs(20),
        ..options(500)
    };
    let report = try_command(WYTHOFF, &program("endless"), &limits).unwrap();
    let failure = report.failure.expect("it never ends");
    assert_eq!(
        (failure.input.as_str(), failure.fault.as_str()),
        ("4 0\n", "had not ended after 0.3 s")
    );
    // Even if it never reads.
    let start = Instant::now();
    let limits = Options {
        patience: Duration::ZERO,
        ..limits
    };
    let report = try_command(WYTHOFF, &program("silent"), &limits).unwrap();
    assert!(
        report
            .failure
            .expect("it sleeps")
            .fault
            .starts_with("had not ended")
    );
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// Has everything stop at an answer of ours.
struct Stopping(Small, usize, Budget);

impl Decide for Stopping {
    fn rules(&mut self, rules: Rules) -> Result<(), Box<Diagnostic>> {
        self.0.rules(rules)
    }
    fn answer(&mut self, position: &Position, want: Want) -> Result<CaseAnswer, Box<Diagnostic>> {
        self.1 = self.1.wrapping_sub(1);
        if self.1 == 0 {
            self.2.stop();
        }
        self.0.answer(position, want)
    }
}

fn a_stop_during_the_last_run_is_noted() {
    let mut noted = 0;
    // One of the first answers is that for the last run.
    for at in 1..16 {
        let limits = Options {
            patience: Duration::ZERO,
            budget: Budget::default(),
            ..options(500)
        };
        let mut decide = Stopping(Small::default(), at, limits.budget.clone());
        let game = load(WYTHOFF);
        let why = &mut |_: &Rules, _: &Position| vec!["so it is".to_owned()];
        let command = program("deaf");
        match check_with(&game, &mut decide, &command, &limits, why, &mut |_| {}) {
            Err(error) => assert_eq!(error.code, Code::Interrupted),
            Ok(report) => {
                let notes = report.failure.expect("it says nothing").notes;
                noted += notes
                    .iter()
                    .filter(|n| n.contains("before this input was run once more"))
                    .count();
            }
        }
    }
    assert!(noted > 0);
}

fn shrinking_is_told_of_run_by_run() {
    for (patience, cut) in [(Duration::from_secs(600), false), (Duration::ZERO, true)] {
        let limits = Options {
            patience,
            ..options(500)
        };
        let (mut passed, mut steps) = (0, Vec::new());
        let mut told = |progress: Progress<'_>| match progress {
            Progress::Passed(inputs) => passed = inputs,
            Progress::Shrinking { fault, runs, words } => {
                assert_eq!(fault, "gave another answer");
                steps.push((runs, words));
            }
        };
        let mut decide = Small::default();
        let (game, command) = (load(WYTHOFF), program("nim"));
        let why = &mut |_: &Rules, _: &Position| Vec::new();
        let report = check_with(&game, &mut decide, &command, &limits, why, &mut told).unwrap();
        let failure = report.failure.expect("it plays Nim");
        assert!(passed < report.inputs);
        assert!(
            steps.is_sorted_by(|a, b| a.0 < b.0 && a.1 >= b.1),
            "{steps:?}"
        );
        assert_eq!(steps.len() == 1, cut, "{steps:?}");
        let broken_off = failure.notes.iter().any(|n| n.contains("broken off"));
        assert_eq!(broken_off, cut, "{:?}", failure.notes);
    }
}

fn a_flood_of_output_is_stopped() {
    let report = checked(WYTHOFF, "flood", 10);
    let failure = report.failure.expect("it floods");
    assert_eq!(
        failure.fault,
        "wrote far more output than there is to write"
    );
    assert!(failure.theirs.len() < 2 << 20);
    let report = Report {
        left_out: 0,
        left_out_from: None,
        failure: Some(failure),
        inputs: 1,
        loose: 0,
        largest: Int::ZERO,
    };
    assert!(report.render().len() < 10_000, "a report can be read");
}

/// A game of the catalogue, decided by the theorems, with the default number of inputs.
fn catalogued(game: &str, name: &str, options: &Options) -> Report {
    let game = grundy::open(game).expect("it is in the catalogue").game;
    let mut decider = Decider::new(Engine::Auto, Budget::with_memory(32 << 20));
    let why = &mut |_: &Rules, _: &Position| Vec::new();
    check_with(
        &game,
        &mut decider,
        &program(name),
        options,
        why,
        &mut |_| {},
    )
    .unwrap_or_else(|e| panic!("{}", plain(&e)))
}

fn faults_of_large_numbers_are_found() {
    for (game, name) in [
        ("poj1067", "float"),
        ("hdu1729", "square"),
        ("poj1067", "deep"),
    ] {
        for seed in 1..4 {
            let options = Options {
                seed,
                ..options(1000)
            };
            let report = catalogued(game, name, &options);
            let failure = report.failure.unwrap_or_else(|| panic!("{name} passed"));
            if name == "deep" {
                assert!(
                    ["100000 0\n", "0 100000\n"].contains(&failure.input.as_str()),
                    "{}",
                    failure.input
                );
                assert!(failure.notes.is_empty(), "{:?}", failure.notes);
            }
            if name == "float" {
                // Faults of rounding lie scattered, and the first of them are at some ten thousand.
                let large = |t: &str| t.parse::<u64>().is_ok_and(|n| n > 5_000_000);
                let numbers = failure.input.split_whitespace();
                assert!(!numbers.clone().any(large), "{}", failure.input);
            }
            if name == "square" {
                let large = |t: &str| t.parse::<u64>().is_ok_and(|n| n >= 46_341);
                assert!(
                    failure.input.split_whitespace().any(large),
                    "{}",
                    failure.input
                );
            }
        }
    }
}

fn what_the_game_states_and_its_limits_are_tried() {
    for (game, least) in [
        ("poj1067", 900_000_000),
        ("hdu1729", 900_000),
        ("poj2068", 8000),
    ] {
        let game = grundy::open(game).expect("it is in the catalogue").game;
        let rules = grundy::inputs::unbound(&game);
        let mut inputs = grundy::inputs::Inputs::new(&rules, 1).unwrap();
        let stated = inputs.stated();
        assert!(stated.len() >= game.expects.len() + game.samples.len());
        let mut largest = 0;
        for _ in 0..300 {
            let file = inputs.record().expect("there are inputs");
            inputs.quick();
            let text = inputs.print(&file);
            largest = largest.max(
                text.split_whitespace()
                    .filter_map(|t| t.parse().ok())
                    .max()
                    .unwrap_or(0),
            );
        }
        assert!(largest >= least, "{}: {largest}", game.name);
    }
}

fn a_program_that_does_not_listen_is_no_hang() {
    let report = checked(WYTHOFF, "deaf", 200);
    let failure = report.failure.expect("it says nothing");
    assert!(
        failure.notes.iter().any(|n| n.contains("wrote nothing")),
        "{:?}",
        failure.notes
    );
}

#[cfg(unix)]
fn what_a_script_starts_ends_with_it() {
    let mark = format!("{}.75", 3600 + std::process::id());
    let script = ["sh", "-c", &format!("cat > /dev/null; sleep {mark}")].map(str::to_owned);
    let limits = Options {
        timeout: Duration::from_millis(300),
        patience: Duration::ZERO,
        ..options(5)
    };
    let report = try_command(WYTHOFF, &script, &limits).unwrap();
    assert!(
        report
            .failure
            .expect("it sleeps")
            .fault
            .starts_with("had not ended")
    );
    let sleeping = || {
        std::fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .flatten()
            .any(|process| {
                std::fs::read(process.path().join("cmdline")).is_ok_and(|line| {
                    line.starts_with(b"sleep\0") && line.ends_with(format!("{mark}\0").as_bytes())
                })
            })
    };
    // The system takes a moment to end it.
    let patience = Instant::now() + Duration::from_secs(5);
    while sleeping() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(!sleeping(), "the script's own program was left running");
    // One that leaves a program behind and ends well is judged by its output.
    let script = ["sh", "-c", &format!("sleep {mark} & echo 7")].map(str::to_owned);
    let report = try_command(WYTHOFF, &script, &options(5)).unwrap();
    assert_eq!(report.failure.expect("7 is no answer").theirs, "7\n");
}

#[cfg(unix)]
fn no_input_shows_a_fault_without_a_case() {
    let says = |word: &str| ["sh", "-c", &format!("cat > /dev/null; {word}")].map(str::to_owned);
    for (game, smallest) in [
        (WYTHOFF, "0 0\n"),
        (GEORGIA_BOB, "1\n1\n1\n"),
        (STONE_BOX, "1\n0 0\n0\n"),
        (CARD_BOXES, "1\n1\n0\n"),
    ] {
        for program in ["echo hello", "exit 3", "true"] {
            let report = try_command(game, &says(program), &options(20)).unwrap();
            let shown = report.render();
            let failure = report.failure.expect("it is wrong");
            assert_eq!(failure.input, smallest, "{program}");
            assert!(failure.ours.len() > 1, "{shown}");
            assert!(failure.why[0].starts_with("at "), "{shown}");
            assert!(shown.ends_with("found with the first input\n"), "{shown}");
        }
    }
    // Without an argument the outcome is told.
    let report = check_with(
        &load(GEORGIA_BOB),
        &mut Small::default(),
        &says("echo Georgia will win"),
        &options(50),
        &mut |_, _| Vec::new(),
        &mut |_| {},
    )
    .unwrap();
    let why = report.failure.expect("it is wrong").why;
    assert_eq!(why, ["[1] is a P-position: the player to move loses"]);
}

fn checking_with_no_inputs_is_refused() {
    let error = try_command(WYTHOFF, &program("nim"), &options(0)).unwrap_err();
    assert_eq!(error.code, Code::BadValue);
}

fn a_program_that_is_not_there_is_an_error() {
    let command = ["./no such program".to_owned()];
    let error = try_command(WYTHOFF, &command, &options(5)).unwrap_err();
    assert_eq!(error.code, Code::File);
    assert!(
        error.message.contains("no such program"),
        "{}",
        error.message
    );
    let error =
        try_command("n -> n - k for k in 1..3", &program("right"), &options(5)).unwrap_err();
    assert_eq!(error.code, Code::Unsupported);
}

fn the_words_of_outputs_are_compared_when_the_lines_differ() {
    assert_eq!(compare("1\n0\n", "1\n0"), Equal::Lines);
    assert_eq!(compare("1\n0\n", "1 \r\n0\t\n\n\n"), Equal::Lines);
    assert_eq!(compare("1\n0\n", "1 0"), Equal::Words);
    assert_eq!(compare("1\n0\n", "\n1\n0\n"), Equal::Words);
    assert_eq!(compare("1\n0\n", "10"), Equal::No);
    assert_eq!(compare("Yes\n", "yes\n"), Equal::No);
    assert_eq!(compare("", "\n \n"), Equal::Lines);
}

fn the_same_seed_finds_the_same() {
    let all = |seed: u64| {
        let options = Options {
            seed,
            // On a busy machine less of it is enough to end the shrinking early, and elsewhere.
            patience: Duration::from_secs(120),
            ..options(500)
        };
        try_command(
            WYTHOFF,
            &program("wrong where the sum is 9 times something"),
            &options,
        )
        .unwrap()
        .render()
    };
    assert_eq!(all(4), all(4));
}

fn main() {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() == Some("stranger") {
        stranger(&args.next().unwrap_or_default());
        return;
    }
    let trial = |name: &str, test: fn()| {
        Trial::test(name, move || {
            std::panic::catch_unwind(test).map_err(|_| Failed::without_message())
        })
    };
    macro_rules! trials {
        ($($name:ident),* $(,)?) => { vec![$(trial(stringify!($name), $name)),*] };
    }
    #[allow(unused_mut)]
    let mut tests = trials![
        a_right_program_passes,
        another_layout_passes_and_is_told,
        a_wrong_answer_is_shrunk_to_the_smallest_one,
        a_fault_that_needs_two_cases_keeps_two,
        a_time_past_what_a_clock_shows_is_no_bound,
        crashes_are_shrunk_too,
        counted_rows_shrink_with_their_count,
        an_endless_loop_is_stopped,
        shrinking_is_told_of_run_by_run,
        a_flood_of_output_is_stopped,
        a_stop_during_the_last_run_is_noted,
        faults_of_large_numbers_are_found,
        what_the_game_states_and_its_limits_are_tried,
        a_program_that_does_not_listen_is_no_hang,
        checking_with_no_inputs_is_refused,
        a_program_that_is_not_there_is_an_error,
        the_words_of_outputs_are_compared_when_the_lines_differ,
        the_same_seed_finds_the_same,
        what_we_cannot_answer_in_time_is_left_out,
        without_a_limit_numbers_are_large_too,
    ];
    #[cfg(unix)]
    tests.extend(trials![
        no_input_shows_a_fault_without_a_case,
        what_a_script_starts_ends_with_it
    ]);
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}
