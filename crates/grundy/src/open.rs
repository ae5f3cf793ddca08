//! From what a person calls a game to its checked rules: a name of the catalogue, a file, a code, or a rule in quotes.
//!
//! Cost: reading and checking that one text.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use grundy_lang::codes;
use grundy_lang::diag::{Code, Diagnostic, Source};
use grundy_lang::ir::Game;

use crate::catalogue;

/// A game and the warnings about its text.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The game.
    pub game: Arc<Game>,
    /// What is probably not meant, and how digits of a code past 7 are read.
    pub warnings: Vec<Diagnostic>,
}

/// Opens a game. A text with an arrow is a rule, one that ends in `.game` or has a `/` is a file; else it is a name of the
/// catalogue, or a code.
pub fn open(spec: &str) -> Result<Opened, Vec<Diagnostic>> {
    if ["->", "→", "=>"].iter().any(|arrow| spec.contains(arrow)) {
        return read(Source::new("<rule>", spec));
    }
    if spec.ends_with(".game") || spec.contains('/') {
        return file(Path::new(spec));
    }
    if let Some(entry) = catalogue::find(spec) {
        return read(Source::new(entry.file, entry.text));
    }
    match codes::translate(spec) {
        Some(Ok(rule)) => {
            let mut opened = read(Source::new(spec, rule))?;
            opened.warnings.extend(codes::past_octal(spec));
            let game = Arc::make_mut(&mut opened.game);
            (game.name, game.title) = (spec.to_owned(), spec.to_owned());
            Ok(opened)
        }
        Some(Err(error)) => Err(vec![error]),
        None if Path::new(spec).is_file() => file(Path::new(spec)),
        None => Err(vec![unknown(spec)]),
    }
}

/// Reads a game from a file.
pub fn file(path: &Path) -> Result<Opened, Vec<Diagnostic>> {
    let label = path.display().to_string();
    let fail = |message: String| {
        let source = Source::new(label.clone(), "");
        Diagnostic::error(Code::File, &source, message)
    };
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => {
                let mut opened = read(Source::new(label.clone(), text))?;
                // Without a name of its own a game is called by its text.
                if opened.game.name == opened.game.source.text.trim() {
                    let game = Arc::make_mut(&mut opened.game);
                    (game.name, game.title) = (label.clone(), label);
                }
                Ok(opened)
            }
            Err(_) => Err(vec![
                fail(format!("`{label}` is not a text in UTF-8"))
                    .help("save it in UTF-8; a game is a plain text"),
            ]),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let error = fail(format!("there is no file `{label}`"));
            let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
            let entry = stem.and_then(|s| catalogue::find(&s));
            Err(vec![match entry {
                Some(entry) => error.help(format!(
                    "`{}` is in the catalogue: leave out folder and `.game`",
                    entry.name
                )),
                None => error.help("`grundy games` lists the games that need no file"),
            }])
        }
        Err(error) => Err(vec![
            fail(format!("`{label}` cannot be read: {error}"))
                .help("see whether it is a file that you may read"),
        ]),
    }
}

/// Parses and checks a text.
pub fn read(source: Arc<Source>) -> Result<Opened, Vec<Diagnostic>> {
    let (game, warnings) = grundy_lang::check::load(&source)?;
    Ok(Opened {
        game: Arc::new(game),
        warnings,
    })
}

fn unknown(spec: &str) -> Diagnostic {
    let source = Source::new("<arguments>", spec);
    let error = Diagnostic::error(
        Code::UnknownGame,
        &source,
        format!("there is no game `{spec}`"),
    );
    let braces = ["subtract", "allbut"].into_iter().find(|code| {
        spec.strip_prefix(code)
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    });
    if let Some(code) = braces {
        let help = format!("quote the code, since a shell takes braces apart: '{code}{{1,2,3}}'");
        return error.help(help);
    }
    let file = format!("{spec}.game");
    if Path::new(&file).is_file() {
        return error.help(format!("there is a file `{file}`: give its whole name"));
    }
    match catalogue::nearest(spec) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("`grundy games` lists the catalogue; a rule in quotes needs `->`, as in 'n -> n - k for k in 1..3'"),
    }
}
