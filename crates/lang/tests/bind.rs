//! Arguments as people write them, and what they come to.

use std::sync::Arc;

use grundy_lang::bind::{self, Arguments, bind, usage};
use grundy_lang::check;
use grundy_lang::diag::Source;
use grundy_lang::ir::Game;

fn game(text: &str) -> Arc<Game> {
    let source = Source::new("test", text);
    Arc::new(
        check::load(&source)
            .unwrap_or_else(|e| panic!("{text}: {e:?}"))
            .0,
    )
}

/// The position that the words of a command line give, or the code of the error.
fn position(game: &Arc<Game>, line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let bound = Arguments::parse(&words).and_then(|args| bind(game, &args));
    match bound {
        Ok(bound) => game.shape.display_position(&bound.position),
        Err(error) => error.code.to_string(),
    }
}

const STONES: &str =
    "game g\nstart sum (s, c)\nmove (s, c) -> (s, c + k) for k in 1..s - c\nrequire c <= s";

#[test]
fn rows_are_taken_in_turn() {
    let g = game(STONES);
    assert_eq!(usage(&g), "g (s c)…");
    for line in [
        "9 3 17 4",
        "[9,3] [17,4]",
        "[9, 3] 17 4",
        "s=[9,17] c=[3,4]",
        "9, 3, 17, 4",
        "c=3,4 9 17",
    ] {
        assert_eq!(position(&g, line), "(9, 3) + (17, 4)", "{line}");
    }
    assert_eq!(position(&g, "9 3 17"), "G0601");
    assert_eq!(position(&g, ""), "G0601");
    assert_eq!(position(&g, "s=[9,17] c=3"), "G0601");
    assert_eq!(position(&g, "3 9"), "G0604");
    assert_eq!(position(&g, "3 -1"), "G0604");
    assert_eq!(position(&g, "s=[] c=[]"), "[]");
}

#[test]
fn a_length_follows_from_its_list() {
    let g = game(
        "game g\nparam N, P[N]\nstart sorted(P)\nmove p[] -> p with p[i] = x for i in 0..len(p)-1, x in 0..p[i]-1",
    );
    for line in [
        "5 1 3",
        "[5,1,3]",
        "P=[5,1,3]",
        "N=3 P=[5,1,3]",
        "N=3 5 1 3",
    ] {
        assert_eq!(position(&g, line), "[1, 3, 5]", "{line}");
    }
    assert_eq!(position(&g, "N=2 P=[5,1,3]"), "G0601");
    assert_eq!(position(&g, "N=2 5 1 3"), "G0601");
    assert_eq!(position(&g, "N=x 5 1 3"), "G0602");
}

#[test]
fn names_may_stand_anywhere_and_only_once() {
    let g = game("game g\nstart (a, b)\nmove (a, b) -> (a - 1, b)");
    for line in ["4 7", "a=4 7", "7 a=4", "b=7 4", "b=7 a=4", "+4 007"] {
        assert_eq!(position(&g, line), "(4, 7)", "{line}");
    }
    for (line, code) in [
        ("a=4 a=5 7", "G0603"),
        ("c=4 7 8", "G0603"),
        ("a=4", "G0601"),
        ("4 7 8", "G0601"),
        ("4 7.0", "G0602"),
        ("4 [7", "G0602"),
        ("4 \"7", "G0602"),
        ("4 [7]x", "G0602"),
        ("4 ]", "G0602"),
    ] {
        assert_eq!(position(&g, line), code, "{line}");
    }
}

#[test]
fn strings_are_words() {
    let g = game(
        "game g\nstart s\nmove s[] -> s with s[i] = \".\" for i in 0..len(s)-1 if s[i] == \"X\"",
    );
    for line in ["X..X", "\"X..X\"", "s=X..X"] {
        assert_eq!(position(&g, line), "\"X..X\"", "{line}");
    }
    assert_eq!(position(&g, "007"), "\"007\"");
}

#[test]
fn nothing_written_on_a_command_line_panics() {
    let games = [
        game(STONES),
        game("n -> n - k for k in S if k <= n"),
        game("v -> w for w in adj[v]"),
    ];
    let pieces = [
        "[", "]", "(", "1", "-1", "\"", "a=", "S=", "adj=", "[[1],[]]", ",", "=", "é", "\\", "{}",
        "1,2",
    ];
    let mut state = 7u64;
    for _ in 0..5_000 {
        let mut line = String::new();
        for _ in 0..state >> 61 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            line.push_str(pieces[(state >> 40) as usize % pieces.len()]);
            if state >> 39 & 1 == 1 {
                line.push(' ');
            }
        }
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        for g in &games {
            position(g, &line);
        }
    }
}

#[test]
fn rules_need_no_position() {
    let rules = |text: &str, line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        Arguments::parse(&words).and_then(|args| bind::rules(&game(text), &args))
    };
    assert!(rules("n -> n - 1", "").is_ok());
    assert!(
        rules(
            "start sum n\nmove n -> n - k for k in 1..n\ninput M n[M]",
            ""
        )
        .is_ok()
    );
    let set = "n -> n - k for k in S if k <= n";
    assert!(rules(set, "S=[1,3]").is_ok());
    let missing = rules(set, "").unwrap_err();
    assert!(missing.message.contains("takes S…"), "{missing}");
    let bounded = "param most\nn -> n - k for k in 1..min(n, most)";
    assert!(rules(bounded, "most=3").is_ok());
    assert!(rules(bounded, "").is_err());
}
