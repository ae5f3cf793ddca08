//! The catalogue: every sample of every game comes out as its contest prints it, and names are unambiguous.

use grundy::decide::Decider;
use grundy::{Budget, Engine, catalogue, open};

#[test]
fn every_sample_comes_out_byte_for_byte() {
    let mut samples = 0;
    let mut wrong = String::new();
    for entry in catalogue::ALL {
        let game = open(entry.name).unwrap().game;
        assert!(
            !game.expects.is_empty() || !game.samples.is_empty(),
            "{} states no fact",
            entry.file
        );
        assert!(
            !game.references.is_empty(),
            "{} does not say where it is from",
            entry.file
        );
        for (input, output) in &game.samples {
            samples += 1;
            let mut decider = Decider::new(Engine::Auto, Budget::default());
            let mut out = Vec::new();
            let budget = Budget::default();
            let run = grundy::judge::run_with(
                &game,
                &mut decider,
                input.as_bytes(),
                &mut out,
                true,
                &budget,
            );
            let out = String::from_utf8(out).unwrap();
            if let Err(error) = run {
                wrong.push_str(&format!("{}: {input:?}\n{error}\n", entry.file));
            } else if out != *output {
                wrong.push_str(&format!(
                    "{}: {input:?}\n  {out:?}\n  {output:?}\n",
                    entry.file
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(samples >= 25, "only {samples} samples");
}

#[test]
fn names_and_aliases_lead_to_one_game_each() {
    let mut names: Vec<&str> = catalogue::ALL
        .iter()
        .flat_map(|e| e.aliases.iter().copied().chain([e.name]))
        .collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all, "a name leads to two games");
    for name in names {
        assert!(open(&name.to_uppercase()).is_ok(), "{name}");
    }
}
