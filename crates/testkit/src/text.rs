//! Games from texts and arguments that must be right.

use std::sync::Arc;

use grundy_lang::bind::{Arguments, Bound, bind};
use grundy_lang::diag::Source;
use grundy_lang::{check, ir};

/// The game of a text.
pub fn game(text: &str) -> Arc<ir::Game> {
    match check::load(&Source::new("<test>", text)) {
        Ok((game, _)) => Arc::new(game),
        Err(errors) => {
            let all: Vec<String> = errors.iter().map(|e| e.render(false)).collect();
            panic!("{text}\n{}", all.join("\n"))
        }
    }
}

/// The game of a text with its arguments, as on the command line.
pub fn bound(text: &str, arguments: &[&str]) -> Bound {
    let game = game(text);
    Arguments::parse(arguments)
        .and_then(|arguments| bind(&game, &arguments))
        .unwrap_or_else(|e| panic!("{text}\n{arguments:?}\n{}", e.render(false)))
}

/// Replaces a whole word.
pub(crate) fn rename(text: &str, from: &str, to: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            out.push_str(if word == from { to } else { &word });
            word.clear();
            out.push(c);
        }
    }
    out.pop();
    out
}
