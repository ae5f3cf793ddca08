//! What a person sees where a name is used as two things: one message with both uses, and nothing that follows from it.

use grundy_lang::check;
use grundy_lang::diag::Source;

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
