//! What a person sees: command lines and all that they print, as snapshots. `cargo insta review` accepts changes.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::grundy;

/// Runs with some words and some standard input.
fn run(words: &[&str], input: &str) -> Output {
    let mut child = grundy().args(words).stdin(Stdio::piped()).spawn().unwrap();
    // A program that stops early leaves its input unread.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// The words of a command line; those with blanks stand in single quotes.
fn words(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for (i, piece) in line.split('\'').enumerate() {
        if i % 2 == 1 {
            out.push(piece);
        } else {
            out.extend(piece.split_whitespace());
        }
    }
    out
}

/// A command line and what it prints, as in a terminal.
fn session(line: &str, input: &str) -> String {
    let output = run(&words(line), input);
    let mut out = format!("$ grundy {line}\n");
    out.push_str(&String::from_utf8(output.stdout).unwrap());
    let complaint = String::from_utf8(output.stderr).unwrap();
    for line in complaint.lines() {
        out.push_str(format!("! {line}").trim_end());
        out.push('\n');
    }
    match output.status.code() {
        Some(0) => {}
        code => out.push_str(&format!("[exit {code:?}]\n")),
    }
    out
}

fn sessions(lines: &[&str]) -> String {
    lines
        .iter()
        .map(|l| session(l, ""))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn no_arguments() {
    insta::assert_snapshot!(session("", ""));
}

#[test]
fn answers() {
    insta::assert_snapshot!(sessions(&[
        "solve wythoff 14 9",
        "solve Wythoff 1 2",
        "solve wythoff 0 0",
        "solve POJ-2068 3 97 8 7 6 5 4 3",
        "solve team_nim n=1 S=101 M=[4,4]",
        "solve poj1704 5 1 17",
        "solve georgia_bob '[1, 5, 6, 7, 9, 12, 14, 17]'",
        "solve hdu1729 2 0 6 2",
        "solve hdu3389 1 3 3 2 2 1 2",
        "solve 'n -> n - k for k in 1..3' 10",
        "solve 'n -> n - k for k in 1..3; play misere' 1",
        "solve 'n -> n - k for k in 1..3; play misere' 0",
        "solve nim 3 4 5 6 --limit 1",
        "solve wythoff 14 9 --engine search",
        "solve wythoff 165580141 267914296",
        "solve nim 18446744073709551616 1",
    ]));
}

#[test]
fn answers_as_json() {
    insta::assert_snapshot!(sessions(&[
        "solve wythoff 14 9 --json",
        "solve nim 18446744073709551616 1 --json",
        "solve nim 1 2 --json",
        "solve team_nim n=1 S=101 M=[4,4] --json",
        "table 'n -> n - k for k in 1..3' --to 4 --json",
    ]));
}

#[test]
fn nimbers() {
    let long = format!("nimber {}*3", "9".repeat(200));
    insta::assert_snapshot!(sessions(&[
        "nimber '8*16 + 7/3'",
        "nimber 2*2 'sqrt(6)' 5^-2 '5^(2^64 - 2)'",
        "nimber 'sqrt(6)' 18446744073709551616*3 --json",
        &long,
        "nimber",
        "nimber 2^-1 '(3'",
        "nimber ''",
        "nimber '1 +'",
        "nimber -3",
        "nimber '5 - 3'",
        "nimber '*5 + *3'",
        "nimber 2**3",
        "nimber 7//3",
        "nimber 8×16",
        "nimber 0x10",
        "nimber 1.5",
        "nimber '2 3'",
        "nimber '(1 + 2'",
        "nimber '1 + 2)'",
        "nimber '4 xor 5'",
        "nimber 'sqrt 5'",
        "nimber '2^(1/2)'",
        "nimber 1+2 '7/(3 + 3)' 5",
        "nimber 0^-1",
        "nimber '5^(2^(10^9))'",
    ]));
    insta::assert_snapshot!(
        "nimbers_from_standard_input",
        [
            session("nimber -", "1+2\n\n 3*3 \n"),
            session("nimber 7 - --json", "1+2\n4/0\n5\n"),
        ]
        .join("\n")
    );
}

#[test]
fn p_positions() {
    insta::assert_snapshot!(sessions(&[
        "table wythoff --to 12 --p-positions",
        "table wythoff --to 5 --p-positions --format csv",
        "table wythoff --to 5,5 --p-positions --json",
        "table wythoff --to 5 --p-positions --checksum",
        "table wythoff --to 5 --p-positions --checksum --json",
        "table '(a, b) -> (a - k, b) for k in 1..min(a, 2) | (a, b) -> (a, b - k) for k in 1..min(b, 3)' --to 3,9 --p-positions",
        "table team_nim n=1 M=[4,4] --to 21 --p-positions",
        "table wythoff --to 100000000000 --p-positions --checksum --resume state",
        "table wythoff --to 5 --p-positions --format npy",
        "table wythoff --to 5,6,7 --p-positions",
        "table wythoff --to 5 --engine rays",
        "table 'n -> n - k*k for k in 1..n if k*k <= n' --to 5 --engine rays",
        "table wythoff --to 4000 --memory 18M --checksum",
        "table wythoff --to 4294967295 --p-positions",
        "table wythoff --to 10^4 --p-positions --memory 16K",
        "table wythoff --to 99999999999999999999 --p-positions --checksum",
        "table '(a, b) -> (a - k, b) for k in 1..a | (a, b) -> (a, b - k) for k in 1..b' --to 10^17 --p-positions",
        "table wythoff --to 10,999999999999 --p-positions",
        "table '{a, b, c} -> {a - k, b, c} for k in 1..2' --to 2 --p-positions",
        "table '(a, {b, c}) -> (a - 1, {b, c}) | (a, {b, c}) -> (a, {b - 1, c})' --to 1,2,1 --p-positions",
    ]));
}

#[test]
fn long_tables() {
    insta::assert_snapshot!(sessions(&[
        "table 0.77 --to 2 --checksum",
        "table 0.77 --to 2 --checksum --json",
        "table 0.77 --to 9223372036854775807 --checksum",
        "table 0.77 --to 10^2 --checksum",
        "table 'n -> [a, b] for a in 1..n, b in 1..n if a + b == n and a != b' --to 3000 --checksum --json",
        "table nim --to 70000 --checksum",
        "table nim --to 9007199254740993 --checksum",
        "table wythoff --to 3 --checksum",
        "table team_nim n=1 M=[4,4] --to 5 --format npy",
        "table wythoff --to 3 --resume state",
        "table 0.77 --to 30 --engine search --resume state",
        "table 0.106 --to 100000000 --memory 50M --checksum",
        "table 0.77 --to 30 --output /nowhere/values.csv",
        "table 0.77 --to 30 --resume /nowhere/state",
        "table 0.77 --to 30 --output /",
    ]));
}

#[test]
fn pictures_on_the_terminal() {
    insta::assert_snapshot!(sessions(&[
        "plot 0.77 --to 100 --term",
        "plot 'n -> n - k for k in 1..3' --to 20 --term --scale log",
        "plot 'allbut{2,5}' --to 60 --term",
        "plot 0.6 --to 60 --term --scale mod --modulus 4",
        "plot wythoff --to 24 --kind outcomes --term",
        "plot wythoff --to 8,12 --term",
        "plot wythoff --to 6 --modulus 2 --term --color always",
        "plot 'n -> n - k for k in 1..3; play misere' --to 30 --term",
        "plot '(a, b) -> (a - k, b) for k in 1..a | (a, b) -> (a, b - 1) if b > 0; play misere' --to 20 --term",
    ]));
}

#[test]
fn pictures_that_are_refused() {
    insta::assert_snapshot!(sessions(&[
        "plot wythoff",
        "plot wythoff -o wythoff.jpg",
        "plot wythoff -o wythoff",
        "plot wythoff -o /nowhere/wythoff.svg",
        "plot wythoff --to 100000 -o /nowhere.svg --memory 1G",
        "plot wythoff --to 100000 --term",
        "plot wythoff --to 18446744073709551615 --term",
        "plot 0.6 --to 99999999999 --term",
        "plot poj1704 --term",
        "plot team_nim --term",
        "plot wythoff 3 4 --term",
        "plot '(a, b, c) -> (a - 1, b, c) if a > 0' --term",
        "plot wythoff --to 3,4,5 --term",
        "plot wythoff --scale log --modulus 4 --term",
        "plot wythoff --scale mod --modulus 1 --term",
        "plot nothing --term",
    ]));
}

#[test]
fn pictures_are_written_whole() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("plot");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, start) in [("p.svg", &b"<svg "[..]), ("p.png", b"\x89PNG")] {
        let file = folder.join(name);
        let words = [
            "plot",
            "wythoff",
            "--to",
            "70",
            "--theme",
            "dark",
            "-o",
            file.to_str().unwrap(),
        ];
        let output = run(&words, "");
        assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
        assert!(std::fs::read(&file).unwrap().starts_with(start));
    }
    // Nothing is left of pictures that fail.
    let file = folder.join("none.svg");
    assert!(
        !run(&["plot", "team_nim", "-o", file.to_str().unwrap()], "")
            .status
            .success()
    );
    let names = std::fs::read_dir(&folder).unwrap();
    let names: Vec<_> = names.map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn long_numbers_are_cut_and_said_to_be() {
    let heap = format!("1{}", "0".repeat(120));
    let line = format!("solve nim {heap} 7 --limit 1");
    insta::assert_snapshot!(sessions(&[&line, "solve nim 3 4 5 --limit 0"]));
}

/// A command in a folder, what it prints, and its exit status.
fn transcript_in(folder: &Path, words: &[&str]) -> String {
    let done = grundy().args(words).current_dir(folder).output().unwrap();
    let [out, err] = [done.stdout, done.stderr].map(|text| String::from_utf8(text).unwrap());
    let command = words.join(" ");
    format!(
        "$ grundy {command}\n{out}{err}[exit {:?}]\n\n",
        done.status.code()
    )
}

#[test]
fn facts_of_a_game_are_checked() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("facts");
    std::fs::create_dir_all(&folder).unwrap();
    let text = "game take\nmove n -> n - k for k in 1..3\ninput n\noutput \"yes\" if win else \"no\"\n\
                expect 4 -> lose\nexpect 7 -> 2\nexpect 8 -> win\nexpect 1 2 3 -> win\n\
                sample \"4\\n5\\n\" -> \"no\\nyes\\n\"\nsample \"8\\n\" -> \"yes\\n\"\n";
    std::fs::write(folder.join("take.game"), text).unwrap();
    let mut out = String::new();
    for words in [
        &["check", "take.game"][..],
        &["check", "take.game", "--json"],
        &["check", "wythoff"],
        &["check", "n -> n - k for k in 1..3"],
    ] {
        out += &transcript_in(&folder, words);
    }
    insta::assert_snapshot!(out);
}

#[test]
fn tables() {
    insta::assert_snapshot!(sessions(&[
        "table kayles --to 25",
        "table wythoff --to 4,7",
        "table wythoff --to 2 --format csv",
        "table team_nim n=1 M=[4,4] --to 21",
        "table stone_box --to 4,4",
        "table team_nim --to 5",
        "table wythoff a=1 b=2 --to 5",
        "table kayles --to 5,5",
        "table kayles 3 --to 5",
        "table kayles --to x",
        "table wythoff --to 1000000000000000000000",
        "table kayles --to 1000000000000000000000",
    ]));
}

#[test]
fn unknown_games() {
    insta::assert_snapshot!(sessions(&[
        "solve wythof 14 9",
        "solve poj2086 1",
        "solve xyzzy 1",
        "solve subtract1 10",
        "solve missing.game 3",
        "solve games/wythoff.game 3",
        "games wythof",
        "solve wythoff 1 2 --engine wythof",
        "solve kayles 5 --engine wythoff",
    ]));
}

#[test]
fn bad_arguments() {
    insta::assert_snapshot!(sessions(&[
        "solve wythoff",
        "solve wythoff 14",
        "solve wythoff 14 9 3",
        "solve wythoff 14 -9",
        "solve wythoff 14 nine",
        "solve wythoff 14 9.5",
        "solve wythoff 14 c=9",
        "solve wythoff 14 a=9 a=9",
        "solve wythoff a=9",
        "solve team_nim 1 101 4",
        "solve team_nim 1 101 4 4 4",
        "solve team_nim 1 S=101 M=[4,4,4]",
        "solve team_nim -1 5 3",
        "solve team_nim 1 5 0 3",
        "solve georgia_bob 3 3",
        "solve georgia_bob 0 3",
        "solve hdu1729 6 2 3",
        "solve hdu1729 3 6",
        "solve hdu1729 '[6, 2' 3",
        "solve chess_dag adj=[[1,2],[2],[]] v=[7]",
        "solve chess_dag adj=[[1,3],[2],[]] v=[0]",
        "solve 'v -> w for w in adj[v]' adj=[[1,2],[2],[]] v=[7]",
        "judge chess_dag",
        "table chess_dag --to 3",
        "table chess_dag adj=[[1,2],[2],[]] --to 3",
        "table flip_game --to 3",
        "table s_nim --to 3",
    ]));
}

#[test]
fn bad_rules() {
    insta::assert_snapshot!(sessions(&[
        "solve 'n -> n - k for k in 1..' 10",
        "solve 'n -> (n - 1' 10",
        "solve 'n -> n - k' 10",
        "solve 'n -> n + 1' 10 --memory 1M",
        "solve 'n -> n' 10",
        "solve '(a, b) -> (b, a)' 1 2",
        "solve 'n -> n - k for k in 1..; n -> 0' 10",
        "solve 'n -> n // k for k in 0..2' 10",
        "solve 'c -> c - k for k in 1..c if c < 7 else 2' 10",
    ]));
}

#[test]
fn bad_use() {
    insta::assert_snapshot!(sessions(&[
        "solv wythoff 14 9",
        "solve",
        "solve wythoff 14 9 --limit many",
        "solve wythoff 14 9 --memory 4X",
        "play wythoff 3 5 --strength 101",
        "play wythoff 3 5 --strength -1",
        "solve wythoff 14 9 --limit -1",
        "solve wythoff 14 9 --limit 100000000000000000000",
        "solve wythoff 14 9 --memory 100000000000G",
        "period 0.77 --to -4",
        "sweep 0.?? --to 1e6",
        "check wythoff --runs -1 -- cat",
        "check wythoff --seed x -- cat",
        "check wythoff --timeout 1e300 -- cat",
        "check wythoff --timeout inf -- cat",
        "check wythoff --timeout -2 -- cat",
    ]));
}

#[test]
fn names_of_files_say_what_is_written() {
    insta::assert_snapshot!(sessions(&[
        "table nim --to 3 -o values.foo",
        "table nim --to 3 -o /nowhere/values.foo --format csv",
        "sweep 0.? --to 100 -o sweep.json",
        "verify /dev/null",
        "verify Cargo.toml",
    ]));
}

#[test]
fn play_that_is_over_at_once() {
    insta::assert_snapshot!(sessions(&[
        "play nim 0",
        "play 'n -> n - 2 if n >= 2' 1 --second",
        "play 'n -> n - 2 if n >= 2' 1 --json",
    ]));
}

#[test]
fn another_engine_than_the_theorem() {
    insta::assert_snapshot!(sessions(&[
        "explain nim 2 1 --engine search",
        "explain s_nim S=[1,2] n=[3,3] --engine jit",
    ]));
}

#[test]
fn a_file_beside_is_named_where_a_game_is_unknown() {
    let folder = std::env::temp_dir().join(format!("grundy-beside-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("pairs.game"), "n -> n - 1\n").unwrap();
    let output = grundy()
        .args(["solve", "pairs", "3"])
        .current_dir(&folder)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap());
}

#[test]
fn the_memory_bound_is_reported() {
    let heap = "1".repeat(40);
    insta::assert_snapshot!(sessions(&[
        "solve wythoff 3000 2999 --engine search --memory 64k",
        // A search through so large a counter is helped by no memory.
        &format!("solve team_nim n=1 S={heap} M=[{heap},{heap}] --memory 64k"),
        &format!("solve euclid {heap} 2 --engine search --memory 64k"),
    ]));
}

#[test]
fn the_catalogue_shows_a_game() {
    insta::assert_snapshot!(sessions(&["games poj2068", "games nim --json"]));
}

#[test]
fn explanations() {
    let text = sessions(&[
        "explain 'n -> n - k for k in 1..3; play misere' 5 --engine search",
        "explain 'n -> n - k for k in 1..3' 5 --engine search",
        "explain wythoff 0 0 --engine search",
    ]);
    // What each theorem says is its own affair.
    let mut asked = false;
    let text: String = text
        .split_inclusive('\n')
        .filter(|line| {
            asked = match line.trim() {
                "Theorems asked" => true,
                "The argument" => false,
                _ => return !asked,
            };
            true
        })
        .collect();
    insta::assert_snapshot!(text);
}

/// An end of four members in no order matches in 24 ways, each of which may hold or not: not 2^24 cases.
#[test]
fn ends_of_many_members_in_no_order_are_looked_through() {
    for (end, wins) in [("win if a == 9", true), ("lose if (a + a) % 2 == 1", true)] {
        let rules = format!("{{a, b, c, d}} -> {{a - 1, b, c, d}}; {end}");
        for engine in ["auto", "search"] {
            let output = run(
                &["solve", &rules, "0", "0", "0", "1", "--engine", engine],
                "",
            );
            let text = String::from_utf8(output.stdout).unwrap();
            assert_eq!(text.contains("the player to move wins"), wins, "{text}");
        }
    }
}

/// An argument about numbers of thousands of digits stays one that can be read; the JSON has them whole.
#[test]
fn an_argument_about_long_numbers_is_short() {
    let (a, b) = ("7".repeat(5000), "3".repeat(4990));
    for game in ["wythoff", "nim"] {
        let text = run(&["explain", game, &a, &b], "");
        let text = String::from_utf8(text.stdout).unwrap();
        assert!(text.len() < 6000, "{game}: {} bytes", text.len());
        assert!(text.contains("--json"), "{text}");
        let json = run(&["explain", game, &a, &b, "--json"], "");
        let json = String::from_utf8(json.stdout).unwrap();
        assert!(json.contains(&a) && json.contains(&b), "{game}");
    }
}

#[test]
fn an_explanation_names_the_theorem_and_argues_for_each_part() {
    let output = run(&["explain", "nim", "3", "4", "6"], "");
    let text = String::from_utf8(output.stdout).unwrap();
    for piece in [
        "  yes   nim-heap",
        "  no    strip",
        "3 ^ 4 ^ 6 = 1.",
        "The part 6 has value 6.",
        "by the move 3",
    ] {
        assert!(
            text.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(&piece.split_whitespace().collect::<Vec<_>>().join(" ")),
            "{piece}: {text}"
        );
    }
    let output = run(&["explain", "wythoff", "1", "2", "--json"], "");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let used: Vec<_> = json["theorems"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|t| t["applies"] == true)
        .collect();
    assert_eq!(used[0]["name"], json["method"]);
    assert!(!json["argument"].as_array().unwrap().is_empty());
}

#[test]
fn a_contest_is_judged() {
    let sample = "2 1\n8 4\n4 7\n";
    insta::assert_snapshot!(
        [
            session("judge poj1067", sample),
            session("judge poj2068", "1 101 4 4\r\n1 100 4 4 3 97 8 7 6 5 4 3"),
            session("judge poj1067", "2 1\n8 x\n4 7\n"),
            session("judge poj1067 --strict", "2 1\n8 99999999999\n"),
            session("judge chomp", "1"),
            session("judge poj1067 --json", "2 1\n8 x\n4 7\n"),
            session("judge hdu1729 --json", "2\n2 0\n6 2\n0\n"),
            session("judge poj2068 --json --engine search", "1 101 4 4"),
        ]
        .join("\n")
    );
}

#[test]
fn a_game_is_played() {
    let misere = "n -> n - k for k in 1..3; play misere";
    insta::assert_snapshot!(
        [
            session(
                "play wythoff 5 9 --seed 1",
                "h\n3 5\n?\n7 7\nm\n99\nu\nu\nq\n"
            ),
            session(&format!("play '{misere}' 5 --seed 1"), "1\n> 0\n"),
            session(&format!("play '{misere}' 3 --seed 1"), "> 1\n"),
            session("play nim 1 2 --seed 1 --second", ""),
        ]
        .join("\n")
    );
}

#[test]
fn a_line_that_is_no_text_is_no_move() {
    let mut child = grundy()
        .args(["play", "wythoff", "3", "5", "--seed", "1"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"\xff\xfe\n4\nq\n").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}

#[test]
fn a_game_is_played_by_a_program() {
    insta::assert_snapshot!(
        [
            session(
                "play wythoff 3 5 --seed 1 --json",
                "h\n4\nu\nu\n?\nm\n99\n> 0 5\nh\n> 0 0\n"
            ),
            session(
                "play 'n -> n - k for k in 1..3; play misere' 2 --json --second",
                "",
            ),
            session("play hdu1729 2 0 6 2 --seed 1 --json", "q\n"),
            session("play 'n -> n - k for k in 1..40' 50 --json", ""),
        ]
        .join("\n")
    );
}

/// A program that follows the hints wins, by numbers and by positions typed.
#[test]
fn a_program_that_follows_the_hints_wins() {
    for (game, by_number) in [
        ("nim 3 4 5", true),
        ("nim 3 4 5", false),
        ("kayles 11", false),
        ("georgia_bob 1 5 17", false),
        ("'{a, b} -> {a - k, b} for k in 1..2' 4 5", true),
    ] {
        let line = format!("play {game} --json --seed 7");
        let mut child = grundy()
            .args(words(&line))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut answers = child.stdin.take().unwrap();
        let mut winner = serde_json::Value::Null;
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let event: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
            match event["event"].as_str().unwrap() {
                "position" => writeln!(answers, "h").unwrap(),
                "hint" => {
                    assert_eq!(event["outcome"], "N", "{event}");
                    let best = &event["moves"][0];
                    let leaves = best["leaves"].as_str().unwrap();
                    if by_number {
                        writeln!(answers, "{}", best["number"]).unwrap();
                    } else {
                        writeln!(answers, "> {leaves}").unwrap();
                    }
                }
                "end" => winner = event["winner"].clone(),
                "start" | "move" => {}
                _ => panic!("{event}"),
            }
        }
        assert_eq!(winner, "you", "{game}");
        assert!(child.wait().unwrap().success());
    }
}

#[cfg(unix)]
#[test]
fn a_stop_while_a_failing_input_is_shrunk_keeps_the_failure() {
    let ran = std::env::temp_dir().join(format!("grundy-ran-{}", std::process::id()));
    // Wrong whatever it reads, and in its second run it presses Ctrl-C.
    let script = format!(
        "cat > /dev/null; echo 7; echo >> {0}; if test $(wc -l < {0}) = 2; then kill -INT $PPID; fi",
        ran.display()
    );
    let stopped = run(&["check", "hdu1729", "--", "/bin/sh", "-c", &script], "");
    std::fs::remove_file(ran).unwrap();
    assert_eq!(stopped.status.code(), Some(1));
    let report = String::from_utf8(stopped.stdout).unwrap();
    assert!(
        report.starts_with("the program gave another answer\n"),
        "{report}"
    );
    let told = report + &String::from_utf8(stopped.stderr).unwrap();
    assert!(
        told.contains("a smaller input was looked for when it was stopped"),
        "{told}"
    );
}

/// Whether a process is there.
#[cfg(unix)]
fn runs(id: &str) -> bool {
    let look = std::process::Command::new("kill")
        .args(["-0", id])
        .stderr(Stdio::null())
        .status();
    look.unwrap().success()
}

#[cfg(unix)]
#[test]
fn a_stopped_check_leaves_no_program_running() {
    // One signal, two as `timeout` sends them, and two as a person in a hurry does.
    for pauses in [&[][..], &[0], &[0, 0], &[300]] {
        let name = format!("grundy-tested-{}-{}", std::process::id(), pauses.len());
        let note = std::env::temp_dir().join(name);
        let script = format!(
            "echo $$ > {0}.new; mv {0}.new {0}; exec sleep 79",
            note.display()
        );
        let words = ["check", "poj1067", "--timeout", "30", "--", "/bin/sh", "-c"];
        let mut child = grundy().args(words).arg(&script).spawn().unwrap();
        while !note.exists() {
            assert!(child.try_wait().unwrap().is_none(), "ended by itself");
            thread::sleep(Duration::from_millis(5));
        }
        let tested = std::fs::read_to_string(&note).unwrap();
        std::fs::remove_file(&note).unwrap();
        let tested = tested.trim();
        assert!(runs(tested));
        let id = child.id().to_string();
        for pause in pauses {
            let sent = std::process::Command::new("kill")
                .args(["-INT", &id])
                .status();
            assert!(sent.unwrap().success());
            thread::sleep(Duration::from_millis(*pause));
        }
        // The last one may find it gone.
        let _ = std::process::Command::new("kill")
            .args(["-INT", &id])
            .stderr(Stdio::null())
            .status();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{pauses:?}");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(complaint.contains("G0802"), "{pauses:?}: {complaint}");
        for _ in 0..400 {
            if !runs(tested) {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        assert!(!runs(tested), "{pauses:?}: {tested} is left");
    }
}

#[test]
fn a_program_is_checked() {
    let good = run(
        &[
            "check",
            "poj1067",
            "--runs",
            "40",
            "--",
            env!("CARGO_BIN_EXE_grundy"),
            "judge",
            "wythoff",
        ],
        "",
    );
    assert_eq!(
        good.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&good.stderr)
    );
    let bad = run(
        &[
            "check",
            "poj1067",
            "--",
            "sh",
            "-c",
            "while read a b; do echo 1; done",
        ],
        "",
    );
    assert_eq!(bad.status.code(), Some(1));
    let report = String::from_utf8(bad.stdout).unwrap();
    assert!(
        report.contains("\n    0 0\n"),
        "the smallest input is shown: {report}"
    );
}

#[test]
fn a_closed_pipe_is_quiet() {
    for words in [
        &["games"][..],
        &["table", "kayles", "--to", "3000"],
        &["man"],
        &["--help"],
    ] {
        let mut child = grundy().args(words).spawn().unwrap();
        drop(child.stdout.take());
        let mut complaint = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut complaint)
            .unwrap();
        assert_eq!(complaint, "", "{words:?}");
        assert_eq!(child.wait().unwrap().code(), Some(0), "{words:?}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_a_search_with_a_message() {
    let words = ["solve", "wythoff", "20000", "19999", "--engine", "search"];
    let child = grundy().args(words).spawn().unwrap();
    thread::sleep(Duration::from_millis(500));
    let start = Instant::now();
    let output = common::interrupt(child);
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(complaint.contains("G0802"), "{complaint}");
}

#[test]
fn colour_only_where_it_is_wanted() {
    let escape = |words: &[&str], no_color: bool| {
        let mut command = grundy();
        command.args(words);
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let output = command.output().unwrap();
        [output.stdout, output.stderr].concat().contains(&0x1b)
    };
    assert!(!escape(&["solve", "wythoff", "1", "2"], false), "a pipe");
    assert!(
        escape(&["solve", "wythoff", "1", "2", "--color", "always"], true),
        "asked for"
    );
    assert!(!escape(&["solve", "wythof", "--color", "never"], false));
}

#[test]
fn man_pages_and_completions_are_made() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(&["completions", shell], "");
        assert!(output.status.success());
        assert!(
            String::from_utf8_lossy(&output.stdout).contains("solve"),
            "{shell}"
        );
    }
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("man");
    let output = run(&["man", "--dir", dir.to_str().unwrap()], "");
    assert!(output.status.success());
    for page in ["grundy.1", "grundy-solve.1", "grundy-judge.1"] {
        assert!(dir.join(page).is_file(), "{page}");
    }
}

#[test]
fn a_file_is_a_game() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = dir.join("mine.game");
    std::fs::write(&path, "game mine\nn -> n - k for k in 1..2\n").unwrap();
    let output = run(&["solve", path.to_str().unwrap(), "3", "--json"], "");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["outcome"], "P");
    assert_eq!(json["game"], "mine");
}

/// It is called by its path, and its certificate has its rules.
#[test]
fn a_file_without_a_name() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("nameless");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("take.game"),
        "# up to two\nn -> n - k for k in 1..2\n",
    )
    .unwrap();
    let mut shown = String::new();
    let two = "(n, m) -> (n - k, m + 1) for k in 1..min(n, m)\ninput n m\noutput \"W\" if win else \"L\"\n";
    std::fs::write(folder.join("two.game"), two).unwrap();
    for args in [
        &["solve", "two.game", "5", "3"][..],
        &["solve", "two.game", "5", "3", "2", "2"],
        &["solve", "two.game", "5", "3", "2"],
        &["solve", "take.game", "5"],
        &["solve", "take.game", "5", "x=6"],
        &["period", "take.game", "--certificate", "take.cert"],
        &["verify", "take.cert"],
    ] {
        shown += &transcript_in(&folder, args);
    }
    insta::assert_snapshot!(shown);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Every fact of the catalogue, through the command: the outcome stated, and each winning move found to be a rule's.
#[test]
fn facts_of_the_catalogue_hold_through_the_command() {
    for name in [
        "wythoff",
        "team_nim",
        "georgia_bob",
        "stone_box",
        "card_boxes",
    ] {
        let game = grundy::open(name).unwrap().game;
        for fact in &game.expects {
            let text = game.source.text[fact.span.range()].to_owned();
            let (args, answer) = text
                .strip_prefix("expect")
                .unwrap()
                .split_once("->")
                .unwrap();
            let mut command = vec!["solve", name];
            command.extend(args.split_whitespace());
            command.push("--json");
            let output = run(&command, "");
            let json: serde_json::Value =
                serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
                    panic!(
                        "{name} {text}: {e}: {}",
                        String::from_utf8_lossy(&output.stderr)
                    )
                });
            match answer.trim() {
                "win" => assert_eq!(json["outcome"], "N", "{name} {text}"),
                "lose" => assert_eq!(json["outcome"], "P", "{name} {text}"),
                value => assert_eq!(json["grundy"].to_string(), value, "{name} {text}"),
            }
            for m in json["moves"].as_array().unwrap() {
                assert!(m["rule"].is_string(), "{name} {text}: {m}");
            }
        }
    }
}

#[test]
fn periods() {
    insta::assert_snapshot!(sessions(&[
        "period 0.77",
        "period kayles --json",
        "period 'subtract{1,2}'",
        "period 'subtract{300}'",
        "period 'allbut{2,5}'",
        "period 'n -> n - k for k in S if k <= n' S=[2,5]",
        "period 0.8",
        "period 0.77 --to 165",
        "period 0.77 --to 166",
        "period 0.3F --to 400",
        "period 0.3F --to 400 --json",
        "period 'n -> n - 1 | n -> n - k for k in 3..n | n -> 0 if n == 2'",
        "period 0.6 --to 5000",
        "period 0.6 --to 5000 --json",
        "period 4.0 --to 1000000000000",
        "period 0.6 --to 1000000000000",
        "period 0.6 --to 99999999999999999999",
        "period wythoff",
        "period subtract_a_square",
        "period treblecross --to 3000",
        "period 0.",
        "period 0.!7",
        "period 2.7",
        "period 0.0",
        "period 0.77 --certificate /no/such/folder/file",
        "period 0.6 --to 2000 --certificate /no/such/folder/file",
        "period nothing_like_it",
        "period 'n -> n - k for k in S if k <= n'",
        "verify /no/such/file",
    ]));
}

#[test]
fn rows() {
    insta::assert_snapshot!(sessions(&[
        "period wythoff --fix a=3",
        "period wythoff --fix b=10 --json",
        "period t_wythoff k=2 --fix a=4",
        "period '(a, b) -> (a - 1, b - k) for k in 0..2 | (a, b) -> (a, b - 1)' --fix b=2",
        "period '(a, b) -> (a, b - k) for k in 2..b | (a, b) -> (a - 1, b)' --fix a=1",
        "period wythoff --fix a=5 --to 45",
        "period wythoff --fix a=5 --to 30 --json",
        "period wythoff --fix a=5 --to 30 --certificate /tmp/grundy-no-such-certificate",
        "period wythoff",
        "period wythoff --fix a=3 --fix b=4",
        "period wythoff --fix c=3",
        "period wythoff --fix 3",
        "period wythoff --fix a=",
        "period wythoff --fix a=-1",
        "period wythoff --fix a=70000",
        "period wythoff b=4 --fix a=3",
        "period wythoff --fix a=3 --resume state",
        "period wythoff --fix a=60000 --memory 100M",
        "period t_wythoff --fix a=4",
        "period kayles --fix n=3",
        "period nim --fix a=3",
        "period euclid --fix a=3",
        "period '(a, b) -> (a - k, b) for k in 1..a if (a + b) % 2 == 0' --fix a=3",
        "period '(a, b) -> (a, b + 1) if b < 3' --fix a=3",
        "period '(a, b) -> (a, b - 100000)' --fix a=3",
        "period nothing_like_it --fix a=3",
    ]));
}

#[test]
fn certificates_are_written_and_checked() {
    let folder = std::env::temp_dir().join(format!("grundy-certificates-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("kayles.cert");
    let path = file.to_str().unwrap();
    let show = |text: String| text.replace(path, "FILE");
    let mut out = show(session(&format!("period 0.77 --certificate {path}"), ""));
    out += &show(session(&format!("verify {path}"), ""));
    let text = std::fs::read_to_string(&file).unwrap();
    for (from, to) in [
        ("\"period\": 12", "\"period\": 24"),
        ("\"preperiod\": 71", "\"preperiod\": 70"),
        ("\"version\": 1", "\"version\": 2"),
        ("\"text\": \"0.77\"", "\"text\": \"0.07\""),
        ("{", "["),
    ] {
        std::fs::write(&file, text.replacen(from, to, 1)).unwrap();
        out += &show(session(&format!("verify {path}"), ""));
    }
    std::fs::write(&file, text).unwrap();
    out += &show(session(&format!("verify {path} --json"), ""));
    out += &show(session(&format!("verify {path} --memory 10"), ""));
    std::fs::remove_file(&file).unwrap();
    out += &show(session(
        &format!("period 0.6 --to 2000 --certificate {path}"),
        "",
    ));
    assert!(!file.exists());
    std::fs::remove_dir_all(&folder).unwrap();
    insta::assert_snapshot!(out);
}

/// 0.8 is no octal code, and every command that opens it says how it is read; what no code can hold is an error.
#[test]
fn digits_past_7() {
    insta::assert_snapshot!(sessions(&[
        "solve 0.8 7",
        "solve 8.9BC 5 --json",
        "explain 0.8 4",
        "table 0.8 --to 9",
        "table 0.8 --to 9 --json",
        "table 0.8 --to 3000 --checksum --json",
        "period 0.0G --to 500",
        "period 0.8 --json",
        "solve 0.z 9 --limit 1",
        "solve 0.{ 4",
        "period 0.7-1",
        "solve 0.⑧ 4",
        "table 0.7$ --to 9",
    ]));
}

/// What is no code, what no machine holds, and what cannot be written.
#[test]
fn codes_and_sizes_that_are_none() {
    insta::assert_snapshot!(sessions(&[
        "solve '' 4",
        "solve 0. 4",
        "solve .  4",
        "period 'subtract{}'",
        "table 'subtract{0,1}' --to 9",
        "table 1.7 --to 9",
        "table 0.00 --to 9",
        "table 'subtract{1,x}' --to 9",
        "table 'allbut{1' --to 9",
        "sweep ''",
        "table 0.6 --to 100000000000 --checksum",
        "table 0.6 --to 100000000000 --format csv",
        "table 0.77 --to 4611686018427387904 --checksum",
        "period 0.6 --to 18446744073709551615",
        "period 0.6 --to 18446744073709551616",
        "sweep 0.6 --to 18446744073709551615",
        "period 0.77 --to 18446744073709551615 --json",
        "sweep 0.7 --output /",
        "period 0.7 --certificate /",
        "period 0.7 --resume /",
        "table 0.7 --to 9 --output /dev/full",
        "verify /",
    ]));
}

#[test]
fn sweeps() {
    insta::assert_snapshot!(sessions(&[
        "sweep 0.[37]? --to 1000",
        "sweep 0.??! --to 1000",
        "sweep 0.[",
        "sweep 0.???????",
        "sweep kayles",
        "sweep 0.? --to 999999999999",
        "sweep 0.?? --to 100 --output /no/such/folder/file",
    ]));
}

/// A sweep into a file is the same whether or not it was stopped on its way, wherever that was.
#[test]
fn a_sweep_goes_on_where_it_was_stopped() {
    let folder = std::env::temp_dir().join(format!("grundy-sweep-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("sweep.csv");
    let part = folder.join("sweep.csv.part");
    let line = format!("sweep 0.?? --to 1000 --output {}", file.display());
    let go = || {
        let output = run(&words(&line), "");
        assert!(output.status.success(), "{output:?}");
        assert!(!part.exists());
        (
            std::fs::read_to_string(&file).unwrap(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (whole, told) = go();
    assert!(!told.contains("earlier run"));
    let (_, rows) = whole.split_once('\n').unwrap();
    let title = "# grundy sweep 0.?? --to 1000\n";
    for cut in [
        0,
        1,
        10,
        title.len(),
        title.len() + 1,
        200,
        1000,
        rows.len(),
    ] {
        let text = format!("{title}{rows}");
        std::fs::write(&part, &text[..cut.min(text.len())]).unwrap();
        std::fs::remove_file(&file).unwrap();
        let (again, told) = go();
        assert_eq!(again, whole, "{cut}");
        assert_eq!(told.contains("earlier run"), cut >= 200, "{cut}: {told}");
    }
    // A row that is not of this sweep ends what is known; another sweep's file is left alone.
    std::fs::write(
        &part,
        format!("{title}{}", rows.replacen("0.01", "0.02", 1)),
    )
    .unwrap();
    assert_eq!(go().0, whole);
    std::fs::write(&part, title.replace("1000", "2000")).unwrap();
    let output = run(&words(&line), "");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("another sweep"));
    // Nothing else is left behind.
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
}
