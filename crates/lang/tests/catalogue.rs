//! Every game of the catalogue parses and checks without a word.

use std::fs;
use std::path::Path;

use grundy_lang::check;
use grundy_lang::diag::Source;

#[test]
fn every_game_checks() {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let mut count = 0;
    let mut wrong = String::new();
    for entry in fs::read_dir(games).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let source = Source::new(name.as_str(), fs::read_to_string(&path).unwrap());
        match check::load(&source) {
            Ok((game, warnings)) => {
                assert_eq!(
                    format!("{}.game", game.name),
                    name,
                    "a file is named like its game"
                );
                warnings
                    .iter()
                    .for_each(|d| wrong.push_str(&d.render(false)));
            }
            Err(errors) => errors.iter().for_each(|d| wrong.push_str(&d.render(false))),
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= 35, "{count} games");
}
