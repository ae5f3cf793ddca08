//! The games that the README and the book show: each checks without a word, and every fact of it holds by search.

use std::fs;
use std::path::{Path, PathBuf};

use grundy::ir::ExpectAnswer;
use grundy::{Arguments, Budget, Engine, Outcome, Plan, Source, bind, open};

fn pages(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, out);
        } else if path.extension().is_some_and(|e| e == "md") {
            out.push(path);
        }
    }
}

#[test]
fn the_games_of_the_book_are_as_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = vec![root.join("README.md")];
    pages(&root.join("docs/src"), &mut all);
    let (mut games, mut facts) = (0, 0);
    for page in all {
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split("```game\n").skip(1) {
            let block = block.split("```").next().unwrap();
            let source = Source::new(page.display().to_string(), block);
            let opened = open::read(source.clone()).unwrap_or_else(|e| panic!("{}", e[0]));
            assert!(
                opened.warnings.is_empty(),
                "{}: {}",
                page.display(),
                opened.warnings[0]
            );
            games += 1;
            for expect in &opened.game.expects {
                facts += 1;
                let said = source.slice(expect.span);
                let args = Arguments {
                    source: source.clone(),
                    list: expect.args.clone(),
                };
                let bound = bind::bind(&opened.game, &args).unwrap_or_else(|e| panic!("{e}"));
                let plan = Plan::new(&bound.rules, Engine::Search, Budget::default()).unwrap();
                let holds = match &expect.answer {
                    ExpectAnswer::Win => plan.outcome(&bound.position).unwrap() == Outcome::N,
                    ExpectAnswer::Lose => plan.outcome(&bound.position).unwrap() == Outcome::P,
                    ExpectAnswer::Value(v) => {
                        plan.value(&bound.position).unwrap().as_ref() == Some(v)
                    }
                };
                assert!(holds, "{}: {said}", page.display());
            }
        }
    }
    assert!(games >= 20 && facts >= 15, "{games} games, {facts} facts");
}
