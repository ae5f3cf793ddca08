//! Lists `games/*.game` for the catalogue: the text of each file is embedded, and its names are read off its lines, so that
//! finding a game parses none of the others. Adding a game is adding a file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets the folder"));
    let games = root.join("../../games");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", games.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&games)
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    files.retain(|f| f.extension().is_some_and(|e| e == "game"));
    files.sort();
    let mut out = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let text = fs::read_to_string(file)
            .unwrap_or_else(|e| panic!("{} cannot be read: {e}", file.display()));
        entry(&mut out, file, &text);
    }
    out.push_str("]\n");
    let dir = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets the folder"));
    fs::write(dir.join("catalogue.rs"), out).expect("the build folder can be written");
}

fn entry(out: &mut String, file: &Path, text: &str) {
    let stem = file
        .file_stem()
        .map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let (mut name, mut title, mut about) = (None, None, None);
    let mut aliases = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(rest) = word(line, "game") {
            let end = rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len());
            name.get_or_insert(rest[..end].to_owned());
            title = title.or_else(|| quoted(rest));
        } else if let Some(rest) = word(line, "alias") {
            let rest = rest.split('#').next().unwrap_or("");
            aliases.extend(
                rest.split(',')
                    .map(|a| a.trim().to_owned())
                    .filter(|a| !a.is_empty()),
            );
        } else if let Some(rest) = word(line, "about") {
            about = about.or_else(|| quoted(rest));
        }
    }
    let name = name.unwrap_or_else(|| stem.clone());
    let title = title.unwrap_or_else(|| name.clone());
    let about = about.unwrap_or_default();
    let path = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    writeln!(
        out,
        "Entry {{ name: {name:?}, title: {title:?}, aliases: &{aliases:?}, about: {about:?}, \
         file: {:?}, text: include_str!({:?}) }},",
        format!("games/{stem}.game"),
        path.display().to_string(),
    )
    .expect("a string takes what is written");
}

/// What follows a word at the start of a line.
fn word<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(word)?;
    rest.starts_with(char::is_whitespace)
        .then(|| rest.trim_start())
}

/// The first quoted text of a line, escapes replaced.
fn quoted(line: &str) -> Option<String> {
    let rest = &line[line.find('"')? + 1..];
    let mut out = String::new();
    let mut escaped = false;
    for c in rest.chars() {
        match c {
            _ if escaped => {
                out.push(match c {
                    'n' => '\n',
                    't' => '\t',
                    c => c,
                });
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return Some(out),
            c => out.push(c),
        }
    }
    None
}
