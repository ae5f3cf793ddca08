//! Random inputs: they make sense, keep to the contest's limits, look like the contest's own, and come again by the seed.

mod common;

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use common::*;
use grundy::format::Want;
use grundy::inputs::{File, Inputs, Random, unbound};
use grundy::judge::{CaseAnswer, Decide, run_with};
use grundy_core::{Budget, Int};
use grundy_lang::diag::Diagnostic;
use grundy_lang::interp::Rules;
use grundy_lang::ir::Game;
use grundy_lang::value::Position;

/// Answers anything, so that only reading is under test.
struct Anything;
impl Decide for Anything {
    fn rules(&mut self, _: Rules) -> Result<(), Box<Diagnostic>> {
        Ok(())
    }
    fn answer(&mut self, _: &Position, _: Want) -> Result<CaseAnswer, Box<Diagnostic>> {
        Ok(CaseAnswer {
            win: true,
            value: Some(Int::ZERO),
            moves: Some(Int::ZERO),
        })
    }
}

/// Every game of the catalogue and of these tests that has a format.
fn games() -> Vec<Arc<Game>> {
    let mut games: Vec<Arc<Game>> = [TEAM_NIM, WYTHOFF, GEORGIA_BOB, STONE_BOX, CARD_BOXES, S_NIM]
        .map(load)
        .into();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let game = load(&fs::read_to_string(file).unwrap());
        if game.input.is_some() && !game.output.is_empty() {
            games.push(game);
        }
    }
    assert!(games.len() > 20);
    games
}

#[test]
fn every_input_makes_sense_within_the_limits_and_is_read_back() {
    for game in games() {
        let rules = unbound(&game);
        let mut inputs = Inputs::new(&rules, 7).unwrap();
        for _ in 0..60 {
            let file = inputs
                .record()
                .unwrap_or_else(|| panic!("no input for {}", game.name));
            let text = inputs.print(&file);
            let budget = Budget::default();
            let read = run_with(
                &game,
                &mut Anything,
                text.as_bytes(),
                io::sink(),
                true,
                &budget,
            );
            if let Err(error) = read {
                panic!("{}: {text:?}\n{}", game.name, plain(&error));
            }
            assert_eq!(
                inputs.parse(&text).as_ref(),
                Some(&file),
                "{}: {text:?}",
                game.name
            );
        }
    }
}

#[test]
fn the_layout_is_that_of_the_contest() {
    let mut samples = 0;
    for game in games() {
        let rules = unbound(&game);
        let mut inputs = Inputs::new(&rules, 1).unwrap();
        for (text, _) in &game.samples {
            let file = inputs
                .parse(text)
                .unwrap_or_else(|| panic!("{}: {text:?} is not read", game.name));
            assert_eq!(inputs.print(&file), *text, "{}", game.name);
            samples += 1;
        }
    }
    assert!(samples > 15);
}

#[test]
fn inputs_differ_in_size_and_the_edges_come_up() {
    let game = load(STONE_BOX);
    let rules = unbound(&game);
    let mut inputs = Inputs::new(&rules, 3).unwrap();
    let all: Vec<String> = (0..300)
        .filter_map(|_| {
            let file = inputs.record()?;
            Some(inputs.print(&file))
        })
        .collect();
    let some = |what: &str| assert!(all.iter().any(|t| t.contains(what)), "no {what:?}");
    some("\n0 0\n");
    some("\n1 0\n");
    some("\n1 1\n");
    assert!(all.iter().any(|t| t.lines().count() > 7), "many rows");
    assert!(
        all.iter().any(|t| t.lines().any(|l| l.len() > 4)),
        "numbers of two digits and more"
    );
    let mut different = all.clone();
    different.sort();
    different.dedup();
    assert!(
        different.len() > 150,
        "{} different inputs",
        different.len()
    );
}

#[test]
fn the_same_seed_gives_the_same_inputs() {
    let game = load(GEORGIA_BOB);
    let rules = unbound(&game);
    let texts = |seed: u64| -> Vec<String> {
        let mut inputs = Inputs::new(&rules, seed).unwrap();
        (0..50)
            .map(|_| {
                inputs
                    .record()
                    .map_or_else(String::new, |f| inputs.print(&f))
            })
            .collect()
    };
    assert_eq!(texts(1), texts(1));
    assert_ne!(texts(1), texts(2));
}

#[test]
fn acyclic_graphs_words_and_rows_are_made() {
    let dag = "v -> w for w in adj[v]\nstart sum v\ninput n adj[n][] m v[m]\noutput \"{value}\"\n\
               require all(v < n for v in v)";
    let dag = load(&dag.replace("\nrequire all(v < n for v in v)", "\nrequire v < n"));
    let rules = unbound(&dag);
    let mut inputs = Inputs::new(&rules, 5).unwrap();
    let mut arcs = 0;
    for _ in 0..100 {
        let file = inputs.record().unwrap();
        let text = inputs.print(&file);
        let mut slow = Slow::default();
        run_with(
            &dag,
            &mut slow,
            text.as_bytes(),
            io::sink(),
            true,
            &Budget::default(),
        )
        .unwrap_or_else(|e| panic!("{text}\n{}", plain(&e)));
        arcs += text.lines().filter(|l| l.split(' ').count() > 1).count();
    }
    assert!(arcs > 50, "graphs have arcs");
}

#[test]
fn many_files_are_joined_as_the_format_has_them() {
    let join = |text: &str, n: usize| {
        let game = load(text);
        let rules = unbound(&game);
        let mut inputs = Inputs::new(&rules, 11).unwrap();
        let files: Vec<File> = (0..n).map(|_| inputs.record().unwrap()).collect();
        let text = inputs.print(&inputs.join(&files));
        run_with(
            &game,
            &mut Anything,
            text.as_bytes(),
            io::sink(),
            false,
            &Budget::default(),
        )
        .unwrap();
        text
    };
    let georgia = join(GEORGIA_BOB, 5);
    let first: usize = georgia.lines().next().unwrap().parse().unwrap();
    assert!(first >= 5, "one group of all: {georgia}");
    assert_eq!(georgia.lines().count(), 1 + 2 * first);
    let team = join(TEAM_NIM, 5);
    assert_eq!(
        team.lines().count(),
        6,
        "five cases and the sentinel: {team}"
    );
    assert!(team.ends_with("\n0\n"));
}

#[test]
fn conditions_asked_of_whole_lists_are_the_conditions_of_the_rules() {
    let cards = CARD_BOXES.replace(
        "limit",
        "require all(0 <= c for c in x)\nlimit all(c <= 9 for c in x), all(12 > c for c in x),",
    );
    let stones = STONE_BOX.replace(
        "require",
        "require 0 <= c\nrequire s != 5 and 7 != c\nrequire",
    );
    let (mut held, mut broken) = (0, 0);
    for text in [&cards, &stones, GEORGIA_BOB] {
        let game = load(text);
        let rules = unbound(&game);
        let mut inputs = Inputs::new(&rules, 9).unwrap();
        let mut random = Random(5);
        for _ in 0..400 {
            let file = inputs.record().unwrap();
            let text = inputs.print(&file);
            // Some number becomes another.
            let mut tokens: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            let at = random.below(tokens.len() as u64) as usize;
            tokens[at] = (random.below(16) as i64 - 3).to_string();
            let text = tokens.join(" ");
            let Some(file) = inputs.parse(&text) else {
                continue;
            };
            let read = run_with(
                &game,
                &mut Anything,
                text.as_bytes(),
                io::sink(),
                true,
                &Budget::default(),
            );
            let legal = inputs.legal(&file);
            assert_eq!(read.is_ok(), legal, "{text}");
            held += usize::from(legal);
            broken += usize::from(!legal);
        }
    }
    assert!(held > 100 && broken > 100, "{held} {broken}");
}
