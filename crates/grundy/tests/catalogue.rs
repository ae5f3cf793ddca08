//! The catalogue: every sample of every game comes out as its contest prints it, and names are unambiguous.

use grundy::decide::Decider;
use grundy::judge::{run_records, run_with};
use grundy::{Budget, Engine, catalogue, open};
use serde_json::Value;

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
            let input = input.as_bytes();
            let run = run_with(&game, &mut decider, input, &mut out, true, &budget);
            let mut records = Vec::new();
            if run.is_ok() {
                run_records(&game, &mut decider, input, &mut records, true, &budget).unwrap();
            }
            let input = String::from_utf8_lossy(input);
            // The records have the same output, but for the ends of lines that cases share.
            let records: Vec<Value> = serde_json::Deserializer::from_slice(&records)
                .into_iter()
                .map(Result::unwrap)
                .collect();
            let told: String = records
                .iter()
                .map(|r| r["output"].as_str().unwrap())
                .collect();
            let shared = game.output.iter().any(|o| o.row);
            let expected = if shared {
                output.replace('\n', "")
            } else {
                output.clone()
            };
            if run.is_ok() && told != expected {
                wrong.push_str(&format!("{}: {input:?}\n  {told:?}\n", entry.file));
            }
            let cases = records.iter().map(|r| r["case"].as_u64());
            assert!(cases.eq((1..=records.len() as u64).map(Some)));
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
