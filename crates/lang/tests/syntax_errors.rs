//! What a person sees for faulty texts. Each case is one fault (or a few that must be told apart), printed as on a terminal.

use grundy_lang::codes::translate;
use grundy_lang::diag::Source;
use grundy_lang::parser::parse;

/// Compares with the stored text, which stands without the source of the call.
macro_rules! snapshot {
    ($text:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($text) })
    };
}

/// Every text with its errors; a text without one is a fault of the test.
fn rendered(texts: &[&str]) -> String {
    let mut out = String::new();
    for text in texts {
        let (_, errors) = parse(&Source::new("test.game", *text));
        assert!(!errors.is_empty(), "no error in {text}");
        for error in errors {
            out.push_str(&error.to_string());
            out.push_str("\n\n");
        }
        out.push_str("----\n");
    }
    out
}

#[test]
fn characters_and_texts() {
    snapshot!(rendered(&[
        "n -> n - k for k in 1..n if k ≤ 3 and k ≠ 2",
        "n → n − 1",
        "n -> n × 2",
        "（a， b） -> (a - 1, b)",
        "n -> n - k for k ∈ S",
        "n -> n @ 1",
        "n -> n - 1 if n? 1",
        "n -> n\u{200b} - 1",
        "n -> n \u{1b}[31m- 1",
        "n -> n - 1\noutput 'yes' if win else \"no\"",
        "output “yes”\nn -> n - 1",
        "n -> n - 1\noutput \"yes\nplay misere",
        "output \"a\\qb\"",
        "n' -> n",
        "n -> n * 1.5",
        "n -> 2n",
        "n -> n - k for k in 1..1e9",
        "n -> n - k for k in 1..1_000",
    ]));
}

#[test]
fn brackets() {
    snapshot!(rendered(&[
        "move (a, b) -> (a - k, b for k in 1..a\nmove (a, b) -> (a, b - k) for k in 1..b",
        "(a, b) -> (a - k, b for k in 1..a\n(a, b) -> (a, b - k) for k in 1..b",
        "n -> n - k) for k in 1..3",
        "{a, b) -> {a - 1, b}",
        "n -> [max(0, n - 1, [n]",
        "start (a, (b, {c\nmove x -> x - 1",
        "n -> (n - 1; play misere",
    ]));
}

#[test]
fn statements() {
    snapshot!(rendered(&[
        "mvoe n -> n - 1\npalyer misere\nMove n -> n - 2",
        "misere\nn -> n - 1",
        "frobnicate the heap",
        "play misére",
        "play backwards",
        "n -> n - 1\ngame other",
        "game \"Title\"\nn -> n - 1",
        "game three-heaps\nn -> n - 1",
        "game nim n -> n - 1",
        "game nim -> nim - 1; game x",
        "win p >= n",
        "param n S",
        "param n: int",
        "param n = 5",
        "start a, b",
        "start n -> n - 1",
        "input n, S",
        "input g[n][m]",
        "input (a b)",
        "input until n == 0",
        "expect n=1 M=4,4 -> lose",
        "expect (14, 9) -> win",
        "expect 14 9 -> P",
        "expect 14 9",
        "expect xx..x -> win",
        "sample \"1\"",
        "alias 3d",
        "require n > 0, \"positive\"",
        "limit n <= 10,\n  m <= 10",
        "about nim",
        "output",
    ]));
}

#[test]
fn moves() {
    snapshot!(rendered(&[
        "n => n - 1",
        "n <- n - 1",
        "n - > n - 1",
        "n --> n - 1",
        "n",
        "n = n - 1",
        "n + 1 -> n",
        "(n, 0) -> (n - 1, 0)",
        "[a, b] -> [a - 1, b]",
        "x[i] -> x",
        "(a, ...) -> (a, ...)",
        "a, b -> a - 1, b",
        "(a, b) -> a - 1, b",
        "n -> n - 1 | n - 2",
        "n -> n - 1 |",
        "n -> n - 1 if n > 2 | n == 1",
        "n -> n - 1 -> n - 2",
        "n -> n - k for k = 1 to n",
        "n -> n - k for k from 1 to n",
        "n -> n - k for k in 1 to n",
        "n -> n - k for k in 1..<n",
        "n -> n - k for k in 1...n",
        "n -> n - k for k in ..n",
        "n -> n - k for k in 1..n..2",
        "n -> n - i - j for i, j in 1..n",
        "n -> n - k, for k in 1..n",
        "n -> n - k for k in 1..n where k != 2",
        "n -> n - k for k in 1..n // take some",
        "if -> if - 1",
        "n -> ",
        "(n, m) -> (n - 1, m",
    ]));
}

#[test]
fn expressions() {
    snapshot!(rendered(&[
        "n -> n - 1 if n = 3",
        "n -> n - 1 if n == 3 && !(n == 5) || n =< 2",
        "n -> n/2",
        "n -> n - 1 if n <> 3 and n => 2",
        "n -> n mod 2",
        "n -> a xor b",
        "output 1 if win",
        "n -> n - 1 if n == not m",
        "n -> n - 1 if 0 < n in S",
        "x[] -> x[1..]",
        "x[] -> x[..2]",
        "x[] -> x[] + 1",
        "x[] -> x[1, 2]",
        "x[] -> x with 3",
        "x[] -> x with x = 3",
        "x[] -> x with x[0] == 3",
        "x[] -> x with x[0..1] = 3",
        "x[] -> x with x[0] -= 1, y",
        "n -> {k for k in 1..n}",
        "n -> (k for k in 1..n)",
        "n -> max(h...)",
        "n -> [k for k in 1..n, 3]",
        "n -> ()",
        "n -> n -",
        "n -> min(n,)",
        "n -> +n",
        "n -> n else 3",
        "limit n if m",
    ]));
}

#[test]
fn too_deep() {
    let nested = format!("n -> {}n{}", "(".repeat(200), ")".repeat(200));
    let long = format!("n -> n{}", " + 1".repeat(300));
    snapshot!(rendered(&[&nested, &long]));
}

#[test]
fn not_built_yet() {
    snapshot!(rendered(&[
        "start every n\nn -> n - 1",
        "start selective (a, b)",
        "start tree t",
        "start grid g[n]",
        "play loopy",
        "param g: graph undirected",
        "phase first: n -> n - 1",
        "move every n -> n - 1",
    ]));
}

#[test]
fn codes() {
    let mut out = String::new();
    for text in [
        "12.7",
        "1.7",
        "2.7",
        "0.",
        "0.0",
        "0.7!",
        "0.7.7",
        "0.7é",
        "0.77 + 0.3",
        "subtract{}",
        "subtract{0, 1}",
        "subtract{1, x}",
        "subtract{1,,2}",
        "subtract{1, 2",
        "subtract{1} 2",
        "subtract {-1}",
        "subtraction{1}",
        "allbut{1..3}",
        "  Subtract { 1 ; 2 } ",
    ] {
        match translate(text) {
            Some(Err(error)) => out.push_str(&format!("{error}\n\n")),
            other => panic!("{text}: {other:?}"),
        }
    }
    snapshot!(out);
}
