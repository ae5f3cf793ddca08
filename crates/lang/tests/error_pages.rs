//! Every code has a page, every page a code, and the examples on the pages do what they say.
//!
//! Blocks are marked by what must come of them: `game,error=CODE` reading and checking reports CODE; `game,play=CODE` the
//! text checks, and giving it the arguments of its `expect` or playing from there reports CODE; `game,search=CODE` the text
//! checks (a search over all play reports CODE); `game` the text checks without a word, and its `expect` can be played.
//! `console` blocks are not run.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use grundy_lang::bind::{Arguments, bind};
use grundy_lang::check;
use grundy_lang::diag::{Code, Diagnostic, Source};
use grundy_lang::ir::Game;
use grundy_lang::value::Pos;

fn pages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/errors")
}

/// Gives the game the arguments of its `expect`s and visits every position that can be reached.
fn play(game: Arc<Game>) -> Result<(), Box<Diagnostic>> {
    for expect in &game.expects {
        let list = expect.args.to_vec();
        let bound = bind(
            &game,
            &Arguments {
                source: game.source.clone(),
                list,
            },
        )?;
        let mut machine = bound.rules.machine();
        let mut seen: HashSet<Pos> = bound.position.parts.iter().cloned().collect();
        let mut queue: VecDeque<Pos> = bound.position.parts.into();
        while let Some(pos) = queue.pop_front() {
            if machine.end(&pos)?.is_some() {
                continue;
            }
            let flow = machine.options(&pos, &mut |option| {
                let new = option.parts.iter().filter(|p| seen.insert((*p).clone()));
                queue.extend(new.cloned());
                ControlFlow::Continue(())
            })?;
            assert!(
                flow.is_continue() && seen.len() < 10_000,
                "an example is small"
            );
        }
    }
    Ok(())
}

/// What is wrong with one block, if something is.
fn run(mark: &str, text: &str) -> Result<(), String> {
    let source = Source::new("example", text);
    let found = check::load(&source);
    let shown = |errors: &[Diagnostic]| {
        errors
            .iter()
            .map(|e| e.render(false))
            .collect::<Vec<_>>()
            .join("\n")
    };
    if let Some(code) = mark.strip_prefix("game,error=") {
        return match found {
            Err(errors) if errors.iter().any(|e| e.code.as_str() == code) => Ok(()),
            Err(errors) => Err(shown(&errors)),
            Ok((_, warnings)) if warnings.iter().any(|e| e.code.as_str() == code) => Ok(()),
            Ok(_) => Err("it is accepted".into()),
        };
    }
    if let Some(code) = mark.strip_prefix("game,search=") {
        return match found {
            Err(errors) if errors.iter().any(|e| e.code.as_str() != code) => Err(shown(&errors)),
            _ => Ok(()),
        };
    }
    let (game, warnings) = found.map_err(|e| shown(&e))?;
    if !warnings.is_empty() {
        return Err(shown(&warnings));
    }
    match (mark.strip_prefix("game,play="), play(Arc::new(game))) {
        (None, Ok(())) => Ok(()),
        (Some(code), Err(error)) if error.code.as_str() == code => Ok(()),
        (_, Err(error)) => Err(error.render(false)),
        (Some(_), Ok(())) => Err("it can be played".into()),
    }
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let pages: BTreeSet<String> = fs::read_dir(pages())
        .unwrap()
        .map(|f| f.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    let codes: BTreeSet<String> = Code::ALL.iter().map(|c| format!("{c}.md")).collect();
    assert_eq!(pages, codes);
    let index = fs::read_to_string(super_page()).unwrap();
    for code in Code::ALL {
        assert!(
            index.contains(&format!("(errors/{code}.md)")),
            "{code} is not in the list of errors"
        );
    }
}

fn super_page() -> PathBuf {
    pages().with_extension("md")
}

#[test]
fn examples_do_what_they_say() {
    let mut wrong = String::new();
    let mut blocks = 0;
    for code in Code::ALL {
        let page = fs::read_to_string(pages().join(format!("{code}.md"))).unwrap();
        assert!(
            page.starts_with(&format!("# {code}: ")),
            "{code} starts with its name"
        );
        let mut rest = page.as_str();
        while let Some(start) = rest.find("```") {
            let (mark, body) = rest[start + 3..].split_once('\n').unwrap();
            let (text, after) = body
                .split_once("```")
                .unwrap_or_else(|| panic!("{code}: a block that does not end"));
            rest = after;
            if mark == "console" {
                continue;
            }
            assert!(
                mark == "game" || mark.ends_with(&format!("={code}")),
                "{code}: {mark}"
            );
            blocks += 1;
            if let Err(what) = run(mark, text) {
                wrong.push_str(&format!("{code}, {mark}:\n{text}{what}\n\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(blocks >= 50, "{blocks} blocks");
}
