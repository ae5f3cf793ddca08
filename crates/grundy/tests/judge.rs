//! The judge: exact bytes for the founding problems, every tolerance, every error.

mod common;

use std::io::{self, Read, Write};

use common::*;
use grundy::Engine;
use grundy::decide::Decider;
use grundy::format::Want;
use grundy::judge::{CaseAnswer, Decide, Summary, run_records, run_with};
use grundy_core::Budget;
use grundy_lang::diag::Diagnostic;
use grundy_lang::interp::Rules;
use grundy_lang::value::Position;

fn judge(game: &str, input: &str, strict: bool) -> (String, Result<Summary, String>) {
    let mut out = Vec::new();
    let result = run_with(
        &load(game),
        &mut Slow::default(),
        input.as_bytes(),
        &mut out,
        strict,
        &Budget::default(),
    );
    let out = String::from_utf8(out).expect("output is text");
    (out, result.map_err(|e| plain(&e)))
}

/// The output for an input without fault.
fn answers(game: &str, input: &str) -> String {
    match judge(game, input, false) {
        (out, Ok(_)) => out,
        (out, Err(error)) => panic!("{input:?} after {out:?}\n{error}"),
    }
}

/// The output before an error, and the error.
fn fault(game: &str, input: &str) -> String {
    match judge(game, input, false) {
        (out, Err(error)) => format!("{out}--\n{error}"),
        (out, Ok(_)) => panic!("{input:?} was answered: {out}"),
    }
}

const FOUNDING: [(&str, &str, &str); 5] = [
    (
        TEAM_NIM,
        "1 101 4 4\n1 100 4 4\n3 97 8 7 6 5 4 3\n0\n",
        "0\n1\n1\n",
    ),
    (WYTHOFF, "2 1\n8 4\n4 7\n", "0\n1\n0\n"),
    (
        GEORGIA_BOB,
        "2\n3\n1 2 3\n8\n1 5 6 7 9 12 14 17\n",
        "Bob will win\nGeorgia will win\n",
    ),
    (
        STONE_BOX,
        "3\n2 0\n3 3\n6 2\n2\n6 3\n6 3\n0\n",
        "Case 1:\nYes\nCase 2:\nNo\n",
    ),
    (
        CARD_BOXES,
        "2\n2\n1 2\n7\n1 3 3 2 2 1 2\n",
        "Case 1: Alice\nCase 2: Bob\n",
    ),
];

/// Wythoff and games with a limit have theorems that know who wins and no value.
#[test]
fn values_are_printed_where_a_theorem_knows_none() {
    let games = [
        "start {a, b}\nmove {a, b} -> {a - k, b} for k in 1..a\nmove {a, b} -> {a - k, b - k} for k in 1..min(a, b)\n\
         input a b\noutput value\n",
        "start (n, m)\nmove (n, m) -> (n - k, 2*k) for k in 1..min(n, m)\ninput n m\noutput value\n",
    ];
    for game in games {
        let input: String = (0..64).map(|i| format!("{} {}\n", i / 8, i % 8)).collect();
        let mut out = Vec::new();
        let mut decider = Decider::new(Engine::Auto, Budget::default());
        let budget = Budget::default();
        let result = run_with(
            &load(game),
            &mut decider,
            input.as_bytes(),
            &mut out,
            false,
            &budget,
        );
        result.unwrap_or_else(|e| panic!("{}", plain(&e)));
        assert_eq!(String::from_utf8(out).unwrap(), answers(game, &input));

        // A searched value is not said to be proved; that of a P-position is.
        let mut out = Vec::new();
        let mut decider = Decider::new(Engine::Auto, Budget::default());
        run_records(
            &load(game),
            &mut decider,
            "5 3\n2 1\n3 1\n".as_bytes(),
            &mut out,
            false,
            &budget,
        )
        .unwrap_or_else(|e| panic!("{}", plain(&e)));
        for line in String::from_utf8(out).unwrap().lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(record["claim"], "proved");
            let searched = record["grundy_claim"] == "computed";
            assert_eq!(searched, record["outcome"] == "N", "{line}");
        }
    }
}

/// The fast way for cases of a few short numbers against the usual one, to which a blank that is not ASCII leads.
#[test]
fn cases_read_at_once_are_as_those_read_one_by_one() {
    let rules = "start {a, b}\nmove {a, b} -> {a - k, b} for k in 1..a\nmove {a, b} -> {a, b - k} for k in 1..b\n";
    let games = [
        format!("game plain\n{rules}input a b\noutput \"1\" if win else \"0\""),
        format!(
            "game asked\n{rules}input a b until a == 0 and b == 0\noutput \"{{a}} {{b}}: {{win}}\"\n\
             require b <= 30 and a <= 2*b + 30\nrequire a <= 32\nlimit a <= 12\nlimit b <= a + 20"
        ),
        format!(
            "game early\n{rules}input a b until a == 7\noutput \"Case {{case}}:\"\noutput value\n\
             require a >= 1\nlimit a + 3 >= b, b <= 12"
        ),
        format!("game group\n{rules}input repeat t: a b\noutput row \" {{win}}\"\nrequire a <= 30\nlimit b <= t"),
        "game heap\nparam k\nmove n -> n - d for d in 1..k\ninput k repeat t: n\noutput \"{k} {n} {win}\"\n\
         require k >= 1 and n <= 33 and n != 13"
            .to_owned(),
    ];
    let mut state = 7u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let (mut fine, mut faults) = (0, 0);
    for round in 0..600 {
        let game = &games[round % games.len()];
        let mut text = String::new();
        for _ in 0..random(24) {
            let number = if random(60) == 0 { 34 } else { random(12) };
            text.push_str(&number.to_string());
            text.push(if random(3) == 0 { '\n' } else { ' ' });
        }
        let slow = text.replace(' ', "\u{a0}").replace('\n', "\u{a0}\n");
        for strict in [false, true] {
            let (out, result) = judge(game, &text, strict);
            let (slow_out, slow_result) = judge(game, &slow, strict);
            let same = |told: String| told.replace("\u{a0}\n", "\n").replace('\u{a0}', " ");
            // Behind the last token the two texts differ.
            let lines = |told: String| -> Vec<String> {
                let told = same(told);
                let end = told.contains("the input ends");
                told.lines()
                    .filter(|l| !end || !l.contains('^'))
                    .map(|l| {
                        l[l.find("the input ends").unwrap_or(0)..]
                            .trim_end()
                            .to_owned()
                    })
                    .collect()
            };
            assert_eq!(out, slow_out, "{game}\n{text:?}");
            match (result, slow_result) {
                (Ok(a), Ok(b)) => assert_eq!((a.cases, a.closed), (b.cases, b.closed)),
                (Err(a), Err(b)) => {
                    faults += 1;
                    assert_eq!(lines(a), lines(b), "{game}\n{text:?}");
                }
                (a, b) => panic!("{game}\n{text:?}\n{a:?}\n{b:?}"),
            }
            fine += out.lines().count();
        }
    }
    assert!(fine > 1000 && faults > 100, "{fine} {faults}");
}

#[test]
fn the_founding_samples_come_out_byte_for_byte() {
    for (game, input, output) in FOUNDING {
        assert_eq!(answers(game, input), output);
    }
}

#[test]
fn a_sample_is_read_as_a_person_would_whatever_became_of_its_blanks() {
    let full_width = |text: &str| -> String {
        text.chars()
            .map(|c| match c {
                '0'..='9' => {
                    char::from_u32(u32::from(c) - 0x30 + 0xff10).expect("a full-width digit")
                }
                c => c,
            })
            .collect()
    };
    for (game, input, output) in FOUNDING {
        let forms = [
            ("CRLF", input.replace('\n', "\r\n")),
            ("CR", input.replace('\n', "\r")),
            ("no line breaks", input.replace('\n', " ")),
            ("a number a line", input.replace(' ', "\n")),
            ("tabs", input.replace(' ', "\t")),
            (
                "stray blanks",
                format!("  \n{}\n \t\n", input.replace('\n', "  \n  ")),
            ),
            ("blank lines", input.replace('\n', "\n\n")),
            ("byte order mark", format!("\u{feff}{input}")),
            ("no-break spaces", input.replace(' ', "\u{a0}")),
            ("wide spaces", input.replace(' ', "\u{3000}")),
            ("figure spaces", input.replace(' ', "\u{2007}\u{202f}")),
            ("full-width digits", full_width(input)),
            ("no final line end", input.trim_end().to_owned()),
            (
                "no final 0",
                input
                    .trim_end()
                    .strip_suffix("\n0")
                    .unwrap_or(input)
                    .to_owned(),
            ),
            ("DOS end of file", format!("{input}\u{1a}")),
        ];
        for (what, form) in forms {
            assert_eq!(answers(game, &form), output, "{what}: {form:?}");
        }
    }
}

#[test]
fn nothing_is_an_answer_to_nothing() {
    for (game, _, _) in FOUNDING {
        assert_eq!(answers(game, ""), "");
        assert_eq!(answers(game, "\u{feff}\r\n \r\n"), "");
    }
    assert_eq!(answers(TEAM_NIM, "0"), "");
    assert_eq!(answers(GEORGIA_BOB, "0"), "");
}

#[test]
fn what_follows_the_sentinel_is_not_read() {
    assert_eq!(answers(TEAM_NIM, "1 101 4 4\n0\nthe end 1 2"), "0\n");
}

#[test]
fn a_sentinel_of_several_names_may_be_cut_short() {
    let game = "start {a, b}\nmove {a, b} -> {a - k, b} for k in 1..a\nmove {a, b} -> {a, b - k} for k in 1..b\n\
                input a b until a == 0 and b == 0\noutput \"{win}\"";
    assert_eq!(answers(game, "1 2 0 0"), "true\n");
    assert_eq!(answers(game, "1 2 0"), "true\n");
    assert_eq!(answers(game, "1 2 0 2 0 0 5"), "true\ntrue\n");
    assert!(fault(game, "1 2 3").contains("G0701"));
}

/// The records of an input, and the error that ended it.
fn records(game: &str, input: &str) -> String {
    let mut out = Vec::new();
    let result = run_records(
        &load(game),
        &mut Decider::new(Engine::Auto, Budget::default()),
        input.as_bytes(),
        &mut out,
        false,
        &Budget::default(),
    );
    let error = result.map_or_else(|e| plain(&e), |_| String::new());
    String::from_utf8(out).unwrap() + &error
}

#[test]
fn a_record_says_what_case_it_is_and_what_is_printed_of_it() {
    insta::assert_snapshot!(
        [
            records(WYTHOFF, "2 1\n\n8 4 4\n7 3 x"),
            // Two lines of output, a case over several lines of input, a sum.
            records(STONE_BOX, "3\n2 0\n3 3\n6 2\n2\n6 3\n6 3\n0\n"),
            records(TEAM_NIM, "1 101 4 4\r\n1 100 4 4\n0"),
            // Numbers past 2^53 are texts, as in every answer.
            records(WYTHOFF, "0 9007199254740992\n9007199254740993 0\n"),
            // Cases that share a line share its end.
            records(
                "game row\nmove n -> n - k for k in 1..3\ninput repeat t: n\noutput row \"{win} \"\noutput \"{case}\"",
                "3 0 1 4\n1 2"
            ),
            records(
                "game value\nmove n -> n - k for k in 1..3\ninput n\noutput \"{value} {moves}\"",
                "6"
            ),
        ]
        .join("\n")
    );
}

#[test]
fn groups_print_their_answers_in_a_row() {
    let input =
        "2 2 5\n3\n2 5 12\n3 2 4 7\n4 2 3 7 12\n5 1 2 3 4 5\n3\n2 5 12\n3 2 4 7\n4 2 3 7 12\n0\n";
    assert_eq!(answers(S_NIM, input), "LWW\nWWL\n");
    assert_eq!(
        answers(S_NIM, "1 2 0 0"),
        "\n",
        "a group without cases is a line without answers"
    );
    // What was answered in a group before an error is not lost.
    assert!(fault(S_NIM, "2 2 5 3\n2 5 12\n3 2 x 7").starts_with("L\n--\n"));
}

#[test]
fn a_solver_is_made_anew_only_when_the_rules_have_changed() {
    let plans = |game: &str, input: &str| {
        let mut slow = Slow::default();
        run_with(
            &load(game),
            &mut slow,
            input.as_bytes(),
            io::sink(),
            false,
            &Budget::default(),
        )
        .unwrap();
        (slow.plans, slow.want.win, slow.want.value, slow.want.moves)
    };
    assert_eq!(plans(WYTHOFF, "1 2 3 4 5 6"), (1, true, false, false));
    assert_eq!(
        plans(TEAM_NIM, "1 9 2 2 1 8 2 2 1 8 2 3 1 8 2 3 2 8 2 3 2 3"),
        (3, true, false, false)
    );
    let counted = "n -> n - k for k in 1..3\ninput n\noutput \"{moves} {value}\"";
    assert_eq!(plans(counted, "1 2 3"), (1, false, true, true));
    assert_eq!(
        answers(counted, "0 1 2 3 4 7"),
        "0 0\n1 1\n1 2\n1 3\n0 0\n1 3\n"
    );
}

#[test]
fn answers_do_not_wait_for_input_that_may_never_come() {
    /// Hands out a line only when everything before it has been answered.
    struct Dialogue<'a> {
        lines: Vec<&'a str>,
        heard: std::rc::Rc<std::cell::RefCell<Vec<u8>>>,
        wanted: usize,
    }
    impl Read for Dialogue<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            assert_eq!(
                self.heard.borrow().len(),
                self.wanted,
                "an answer was kept back"
            );
            if self.lines.is_empty() {
                return Ok(0);
            }
            self.wanted += 2;
            let line = self.lines.remove(0);
            buf[..line.len()].copy_from_slice(line.as_bytes());
            Ok(line.len())
        }
    }
    struct Ear(std::rc::Rc<std::cell::RefCell<Vec<u8>>>);
    impl Write for Ear {
        fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(buf)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let heard = std::rc::Rc::default();
    let dialogue = Dialogue {
        lines: vec!["2 1\n", "8 4\r\n", "4 7\n"],
        heard: std::rc::Rc::clone(&heard),
        wanted: 0,
    };
    run_with(
        &load(WYTHOFF),
        &mut Slow::default(),
        dialogue,
        Ear(heard.clone()),
        false,
        &Budget::default(),
    )
    .unwrap();
    assert_eq!(*heard.borrow(), b"0\n1\n0\n");
}

#[test]
fn a_closed_pipe_is_no_error() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let input = "2 1\n".repeat(100_000);
    let summary = run_with(
        &load(WYTHOFF),
        &mut Slow::default(),
        input.as_bytes(),
        Closed,
        false,
        &Budget::default(),
    )
    .unwrap();
    assert!(summary.closed);
    assert!(
        summary.cases < 100_000,
        "answers for nobody are not worked out"
    );
}

#[test]
fn streams_that_fail_are_told() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is on fire"))
        }
    }
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is full"))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let game = load(WYTHOFF);
    let budget = Budget::default();
    let error = run_with(
        &game,
        &mut Slow::default(),
        Broken,
        io::sink(),
        false,
        &budget,
    )
    .unwrap_err();
    assert_eq!(error.code.as_str(), "G0803");
    assert!(error.message.contains("the disk is on fire"));
    let error = run_with(
        &game,
        &mut Slow::default(),
        &b"1 2"[..],
        Broken,
        false,
        &budget,
    )
    .unwrap_err();
    assert_eq!(error.code.as_str(), "G0803");
    assert!(error.message.contains("the disk is full"));
}

#[test]
fn errors_name_what_where_and_what_to_do() {
    let mut shown = String::new();
    let cases = [
        ("a letter", WYTHOFF, "2 1\n8 x\n"),
        ("an exponent", WYTHOFF, "2 1\n1e5 3\n"),
        ("a decimal point", WYTHOFF, "2 1\n3.0 3\n"),
        ("commas", WYTHOFF, "2,1\n"),
        (
            "a letter in an array",
            TEAM_NIM,
            "1 101 4 4\r\n2 101 4 4 b 4\r\n",
        ),
        ("a letter in a row", STONE_BOX, "2\n2 0\n3 three\n0\n"),
        ("half a case", WYTHOFF, "2 1\n8\n"),
        ("half an array", TEAM_NIM, "1 101 4 4\n3 97 8 7 6\n"),
        ("half a row", STONE_BOX, "3\n2 0\n3"),
        (
            "fewer cases than promised",
            GEORGIA_BOB,
            "3\n3\n1 2 3\n1\n1\n",
        ),
        (
            "an array longer than any input",
            GEORGIA_BOB,
            "1\n99999999999999999999\n1 2 3\n",
        ),
        ("a count below zero", GEORGIA_BOB, "2\n1\n5\n-3\n"),
        ("a number of cases below zero", GEORGIA_BOB, "-2\n1\n5\n"),
        ("stones below zero", WYTHOFF, "2 1\n  8 -4\n"),
        ("cards below zero", CARD_BOXES, "1\n5\n1 2 3 -4 5\n"),
        ("a requirement", STONE_BOX, "1\n2 0\n3\n6 2\n3 4\n5 1\n0\n"),
        (
            "a requirement on the whole",
            GEORGIA_BOB,
            "2\n1\n4\n3\n5 2 5\n",
        ),
        (
            "a requirement without words",
            TEAM_NIM,
            "1 101 4 4\n1 -1 4 4\n0\n",
        ),
        ("a value where no number may be", GEORGIA_BOB, "1\n2\n0 3\n"),
        (
            "the last value where none may be",
            GEORGIA_BOB,
            "1\n3\n1\n2 0\n",
        ),
        ("a value again", GEORGIA_BOB, "1\n3\n1 2 2\n"),
        (
            "text behind the last case",
            GEORGIA_BOB,
            "1\n3\n1 2 3\n5 6\n",
        ),
        (
            "words behind the last case",
            GEORGIA_BOB,
            "1\n3\n1 2 3\nthe end\n",
        ),
    ];
    for (what, game, input) in cases {
        shown.push_str(&format!("## {what}\n{}\n", fault(game, input)));
    }
    insta::assert_snapshot!("errors", shown);
}

#[test]
fn more_cases_than_promised_are_answered_and_told() {
    let (out, result) = judge(GEORGIA_BOB, "1\n3\n1 2 3\n1\n2\n1 4\n1\n1\n7\n", false);
    assert_eq!(out.lines().count(), 3);
    let warning = result.unwrap().warning.expect("a warning");
    assert_eq!(
        warning.message,
        "line 4, column 1: the text behind the one case that `T` promised was read as a new `T`"
    );
}

#[test]
fn strict_holds_the_contest_to_its_limits() {
    let mut shown = String::new();
    let cases = [
        ("a number", WYTHOFF, "2 1\n1000000001 4\n"),
        ("a row", STONE_BOX, "1\n2 0\n2\n3 3\n1000001 4\n0\n"),
        ("the number of cases", GEORGIA_BOB, "21\n1\n1\n"),
        (
            "a number among others",
            &CARD_BOXES.replace("N <= 10000", "all(c <= 100 for c in x)"),
            "1\n5\n1 2 3\n101 5\n",
        ),
    ];
    for (what, game, input) in cases {
        let (out, result) = judge(game, input, true);
        shown.push_str(&format!("## {what}\n{out}--\n{}\n", result.unwrap_err()));
    }
    insta::assert_snapshot!("strict", shown);
    // The sentinel is past the limit n >= 1 and no error.
    let strict = TEAM_NIM.replace("limit n <= 10", "limit 1 <= n <= 10");
    assert_eq!(judge(&strict, "1 101 4 4\n0\n", true).0, "0\n");
    assert!(judge(&strict, "1 101 4 4\n0\n", true).1.is_ok());
}

/// Where the first error of an input with the requirement stands, as line and column.
fn place(lines: &str, input: &str) -> String {
    let game = format!("start a\nmove n -> n - 1 if n > 0\noutput \"{{win}}\"\n{lines}");
    let (_, result) = judge(&game, input, true);
    let error = result.expect_err(input);
    let (_, rest) = error.split_once("line ").expect("a line is named");
    rest.split(':').next().unwrap().replace(", column ", ":")
}

#[test]
fn an_error_stands_under_the_number_that_breaks_the_condition() {
    let pair = "input a b\nrequire a >= 1 and b >= 1";
    assert_eq!(place(pair, "0 3"), "1:1");
    assert_eq!(place(pair, "3 0"), "1:3");
    assert_eq!(place("input a b\nrequire a <= b", "3 2"), "1:3");
    let list = "param x[a]\ninput a x[a]\n";
    let with = |condition: &str, input: &str| place(&format!("{list}require {condition}"), input);
    assert_eq!(with("all(v <= a for v in x)", "3 1\n 2 4"), "2:4");
    assert_eq!(
        with("all(v >= 0 and v <= 9 for v in x)", "3 1 10 -1"),
        "1:5"
    );
    assert_eq!(
        with("all(x[i] <= x[i+1] for i in 0..a-2)", "4 1 2\n7 5"),
        "2:3"
    );
    assert_eq!(with("all(v < 3 for v in x if v != 7)", "4 1 7 2 3"), "1:9");
    assert_eq!(with("distinct(x)", "5 1 2 3 2 1"), "1:9");
    assert_eq!(with("sum(v for v in x) <= 4", "3 1 2 3"), "1:7");
    assert_eq!(with("a >= 2 or len(x) > 1", "1 9"), "1:3");
    // A list that has left the buffer is named by its start.
    let long = format!("200000 {} 0 1", "5 ".repeat(199_998));
    let error = judge(
        &format!(
            "start a\nmove n -> n - 1 if n > 0\noutput \"1\"\n{list}require all(v >= 1 for v in x)"
        ),
        &long,
        false,
    )
    .1
    .unwrap_err();
    assert!(error.contains("value 199999 of `x` is 0"), "{error}");
    // What has no order is sought where it was read.
    let set = "start {h...}\nmove {a, ...} -> {a - 1, ...} if a > 0\ninput n h[n]\noutput \"{win}\"\n\
               require all(v >= 1 for v in h)";
    let error = judge(set, "4 5 3 0 1", false).1.unwrap_err();
    assert!(error.contains("line 1, column 7"), "{error}");
    let rows = "game r\nstart sum (s, c)\nmove (s, c) -> (s, c + 1) if c < s\ninput N (s c)[N]\n\
                output \"{win}\"\nrequire s >= 0\nrequire c <= s";
    let row = |input: &str| judge(rows, input, false).1.unwrap_err();
    assert!(row("2\n3 2\n  -1 -2").contains("line 3, column 3"));
    assert!(row("2\n3 2\n  3 4").contains("line 3, column 5"));
}

#[test]
fn both_places_of_an_error_are_that_of_the_input() {
    let error = run_with(
        &load(TEAM_NIM),
        &mut Slow::default(),
        &b"1 101 4 4\n1 100 x 4\n0"[..],
        io::sink(),
        false,
        &Budget::default(),
    )
    .unwrap_err();
    let shown = error.render(false);
    assert!(shown.contains("line 2, column 7"), "{shown}");
    assert!(shown.contains("--> input:2:7\n"), "{shown}");
    assert!(shown.contains("\n2 | 1 100 x 4\n"), "{shown}");
}

#[test]
fn a_game_without_a_format_says_what_to_add() {
    let mut shown = String::new();
    for text in [
        "start {a, b}\nmove {a, b} -> {a - k, b} for k in 1..a\nmove {a, b} -> {a, b - k} for k in 1..b",
        "n -> n - k for k in 1..3\ninput n",
        "v -> w for w in adj[v]",
        "start sum (s, c)\nmove (s, c) -> (s, c + k) for k in 1..min(c*c, s - c)",
        "param w[4][2][2]\nn -> n - k for k in w[n % 4][0] if k > 0",
    ] {
        shown.push_str(&fault(text, "1 2"));
        shown.push('\n');
    }
    insta::assert_snapshot!("no format", shown);
}

#[test]
fn the_lines_to_add_can_be_added() {
    let mut added = 0;
    for entry in grundy::catalogue::ALL {
        let game = grundy::open(entry.name)
            .expect("it is in the catalogue")
            .game;
        if game.input.is_some() {
            continue;
        }
        let error = grundy::format::Format::new(&game)
            .map(|_| ())
            .expect_err("no format");
        let help = error.help.expect("there is help");
        let Some(lines) = help.strip_prefix("add lines such as:\n") else {
            // A set of cells cannot be read.
            assert!(help.starts_with("give the game parameters"), "{help}");
            continue;
        };
        let lines: String = lines.lines().map(|l| format!("{}\n", l.trim())).collect();
        let game = load(&format!("{}\n{lines}", game.source.text));
        assert!(
            grundy::format::Format::new(&game).is_ok(),
            "{}: {lines}",
            entry.name
        );
        added += 1;
    }
    assert!(added >= 5, "{added}");
}

#[test]
fn strings_and_lists_of_lists_are_read() {
    let strip = "s[] -> s with s[i] = \"X\" for i in 0..len(s)-1 if s[i] == \".\"\n\
                 start s\ninput repeat T: s\noutput \"{win}\"";
    assert_eq!(answers(strip, "3\n..X\nX\n...\n"), "false\nfalse\ntrue\n");
    let dag = "v -> w for w in adj[v]\nstart sum v\ninput n adj[n][] repeat q: m v[m]\noutput row \"{value} \"";
    assert_eq!(
        answers(dag, "4\n2 1 2\n1 3\n1 3\n0\n2\n1 0\n2 0 1\n"),
        "0 1 \n"
    );
    let lines = "n -> n - k for k in 1..3\nstart sum n\ninput n[]\noutput \"{value}\"";
    assert_eq!(answers(lines, "1 2 3\n\n5\r\n4 4 4\n"), "0\n1\n0\n");
}

#[test]
fn numbers_past_every_limit_are_answered() {
    let wide = "n -> 0 if n > 0\ninput n\noutput \"{n} {win}\"";
    let big = "9".repeat(1000);
    assert_eq!(
        answers(wide, &format!("{big} 0")),
        format!("{big} true\n0 false\n")
    );
}

#[test]
fn the_input_is_read_once_and_not_kept() {
    /// A stream that says how much of it was read before the last answers were out.
    struct Endless {
        left: usize,
    }
    impl Read for Endless {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let n = buf.len().min(self.left);
            self.left -= n;
            assert!(
                buf.len() <= 1 << 20,
                "the buffer does not grow with the input"
            );
            for (i, b) in buf[..n].iter_mut().enumerate() {
                *b = if (self.left + n - i).is_multiple_of(2) {
                    b'1'
                } else {
                    b'\n'
                };
            }
            Ok(n)
        }
    }
    struct Yes;
    impl Decide for Yes {
        fn rules(&mut self, _: Rules) -> Result<(), Box<Diagnostic>> {
            Ok(())
        }
        fn answer(&mut self, _: &Position, _: Want) -> Result<CaseAnswer, Box<Diagnostic>> {
            Ok(CaseAnswer::default())
        }
    }
    let summary = run_with(
        &load(WYTHOFF),
        &mut Yes,
        Endless { left: 16 << 20 },
        io::sink(),
        false,
        &Budget::default(),
    )
    .unwrap();
    assert_eq!(summary.cases, 4 << 20);
}
