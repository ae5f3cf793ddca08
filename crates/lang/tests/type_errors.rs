//! What a person sees where a name is used as two things: one message with both uses, and nothing that follows from it.

use grundy_lang::check;
use grundy_lang::diag::{Code, Source};

/// A name of `start sum` has a value for each part, of which an output could print only one.
#[test]
fn an_output_reads_no_name_with_many_values() {
    let load = |lines: &str| {
        let text = format!("n -> n - k for k in 1..3\n{lines}");
        check::load(&Source::new("test.game", text))
    };
    for lines in [
        "start sum n\ninput m n[m]\noutput \"{n}\"",
        "start sum n\ninput n[]\noutput \"{n}\"",
        "output \"{n}\"\nstart sum n\ninput repeat T: m n[m]",
        "start sum n\ninput m (n)[m]\noutput \"a\" if n == m else \"b\"",
        "input m n[m]\noutput \"{n} {win}\"",
        "start sum n\ninput n[]\noutput \"{value}\" if n > 3 else \"small\"",
    ] {
        let errors = load(lines).expect_err(lines);
        assert_eq!(errors[0].code, Code::Type, "{}", errors[0]);
        assert_eq!(errors.len(), 1, "{lines}");
    }
    for lines in [
        "start sum n\ninput n\noutput \"{n}\" if n > 3 else \"small\"",
        "start sum n\ninput repeat T: n\noutput \"{n}\"",
        "input n\noutput \"{n} {win}\"",
        "start sum n\ninput m n[m]\noutput \"{m} {value}\"",
    ] {
        load(lines).expect(lines);
    }
}

#[test]
fn names_used_as_two_things() {
    let mut out = String::new();
    for text in [
        "x[] -> x with x[k] = 0 for k in 0..x",
        "n -> n[0] for k in 1..n",
        "n -> n - k for k in 1..len(n)",
        "n -> n - 1 if n[0] > 2",
        "n -> n - s for s in S if S > 2",
        "x[] -> x - 1 if x > 0",
        "n -> n - k for k in S if k <= S and k + S < 9",
        "(a, b) -> (a - 1, b) if sum(b) > a | (a, b) -> (a, b - 1)",
        "(a, b) -> (a - 1, b, b)",
        "(a, b) -> (a - 1, b)\nn -> n - 1",
        "n -> n - 1 if n + 1",
        "n -> n - k for k in 1..(n < 3)",
        "x[] -> x with x[0] = \"ab\" if x[0] > 0",
    ] {
        let errors = check::load(&Source::new("test.game", text)).expect_err(text);
        for error in &errors {
            out.push_str(&error.to_string());
            out.push_str("\n\n");
        }
        out.push_str("----\n");
    }
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(out) })
}
