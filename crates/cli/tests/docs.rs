//! Every `console` block of the README and the book is run, and what it shows must come out. With `GRUNDY_DOCS=update` the
//! blocks are rewritten instead.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn the_documentation_shows_what_the_command_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md")];
    collect(&root.join("docs/src"), &mut pages);
    let update = std::env::var_os("GRUNDY_DOCS").is_some_and(|v| v == "update");
    let mut commands = 0;
    let mut wrong = String::new();
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let fresh = replay(&text, &root, &mut commands);
        if fresh != text {
            if update {
                fs::write(&page, fresh).unwrap();
            } else {
                let (old, new) = text
                    .lines()
                    .zip(fresh.lines())
                    .find(|(old, new)| old != new)
                    .unwrap_or(("the end of the page", "another end"));
                wrong.push_str(&format!(
                    "{}:\n  says  {old}\n  gives {new}\n",
                    page.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(
        commands >= 10,
        "only {commands} commands found in the documentation"
    );
}

/// The commands of a page that draw a picture, and the names of the files.
fn pictures(page: &str) -> Vec<(&str, &str)> {
    let lines = page.lines().filter(|l| l.starts_with("grundy plot "));
    lines
        .filter_map(|l| Some((l, l.split_once("-o ")?.1.split(' ').next()?)))
        .collect()
}

#[test]
fn the_pictures_are_those_that_the_command_draws() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    fs::create_dir_all(&folder).unwrap();
    let page = fs::read_to_string(root.join("docs/src/guide/pictures.md")).unwrap();
    let images = root.join("docs/src/guide/images");
    let update = std::env::var_os("GRUNDY_DOCS").is_some_and(|v| v == "update");
    let mut names = Vec::new();
    for (command, name) in pictures(&page) {
        assert_eq!(run(command, &folder), "", "{command}");
        let fresh = fs::read(folder.join(name)).unwrap();
        assert!(
            page.contains(&format!("](images/{name})")),
            "{name} is not shown"
        );
        if update {
            fs::write(images.join(name), fresh).unwrap();
        } else {
            let old = fs::read(images.join(name)).unwrap();
            assert!(
                fresh == old,
                "`{command}` draws another picture than {name}"
            );
        }
        names.push(name);
    }
    assert!(names.len() >= 3, "{names:?}");
    for entry in fs::read_dir(images).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(names.contains(&&*name), "no command draws {name}");
    }
}

fn collect(folder: &Path, pages: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, pages);
        } else if path.extension().is_some_and(|e| e == "md") {
            pages.push(path);
        }
    }
}

/// The page with the output of each command put in anew.
fn replay(text: &str, root: &Path, commands: &mut usize) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if line.trim() != "```console" {
            continue;
        }
        while let Some(command) = lines.next_if(|l| l.starts_with("$ ")) {
            out.push_str(command);
            out.push('\n');
            *commands += 1;
            while lines
                .next_if(|l| !l.starts_with("$ ") && l.trim() != "```")
                .is_some()
            {}
            out.push_str(&run(&command[2..], root));
        }
    }
    out
}

fn run(command: &str, root: &Path) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_grundy")).parent().unwrap();
    let path = std::env::join_paths(std::iter::once(bin.to_path_buf()).chain(
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()),
    ))
    .unwrap();
    let command = command.replace("cargo run --release --", "grundy");
    let output = Command::new("sh")
        .args(["-c", &format!("{command} 2>&1")])
        .current_dir(root)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
