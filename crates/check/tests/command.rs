//! The command: what it prints, and its exit code.

mod common;

use std::path::PathBuf;
use std::process::{Command, Output};

use common::{code, long};
use grundy_cert::write;

fn run(args: &[&str]) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_grundy-check"))
        .args(args)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("grundy-check-{}-{name}", std::process::id()))
}

#[test]
fn exit_codes() {
    let good = long("0.77", &code("0.77"), 71, 12);
    let path = file("good.json");
    let name = path.to_str().unwrap();
    write(&good, &path).unwrap();
    let (exit, out, err) = run(&[name]);
    assert_eq!((exit, err.as_str()), (0, ""));
    let claim = "accepted: G(n + 12) = G(n) for every n ≥ 71, not for n = 70; no smaller period than 12; no value past 8\n";
    assert!(out.starts_with(claim), "{out}");
    assert!(out.contains("rules: 0.77 is the code 0.77"), "{out}");
    let (exit, out, _) = run(&["--json", name]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &json["accepted"]), (0, &serde_json::json!(true)));
    assert!(json["checked"].as_array().unwrap().len() > 3);

    let (exit, out, _) = run(&["--memory", "400", name]);
    assert!(exit == 2 && out.starts_with("not decided: "), "{out}");
    let (exit, out, _) = run(&["--memory", "400", "--json", name]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(exit == 2 && json["accepted"].is_null() && json["fault"] == "memory");

    let mut forged = good.clone();
    forged.preperiod = 70;
    write(&forged, &path).unwrap();
    let (exit, out, _) = run(&[name]);
    assert_eq!(exit, 1);
    assert!(
        out.starts_with("refused: the value 12 further on is another; heap 70; expected "),
        "{out}"
    );
    let (exit, out, _) = run(&[name, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (exit, &json["accepted"], &json["at"]),
        (1, &serde_json::json!(false), &serde_json::json!(70))
    );

    // A certificate that is wrong in itself.
    let text = good.text();
    std::fs::write(&path, text.replace("\"period\"", "\"perio\"")).unwrap();
    let (exit, out, _) = run(&[name]);
    assert!(exit == 1 && out.starts_with("refused: `"), "{out}");
    std::fs::write(&path, &text[..300]).unwrap();
    let (exit, out, _) = run(&[name]);
    assert!(
        exit == 1 && out.starts_with("refused: the certificate is cut off at line "),
        "{out}"
    );
    // What is none, or none that is known.
    for (text, says) in [
        ("", "not a certificate: "),
        ("hello", "not a certificate: "),
        ("{}", "not a certificate: "),
        (
            &text.replace("\"version\": 1", "\"version\": 7"),
            "the certificate has format version 7",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        let (exit, out, err) = run(&[name]);
        assert!(exit == 2 && out.is_empty(), "{out}");
        let says = format!("{name} cannot be read: {says}");
        assert!(err.starts_with(&says), "{err}");
    }
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    assert_eq!(run(&[name]).0, 2);
    std::fs::remove_file(&path).unwrap();
    let (exit, out, err) = run(&[name]);
    assert!(
        exit == 2 && out.is_empty() && err.contains("cannot be read"),
        "{err}"
    );
}

#[test]
fn bad_use() {
    for args in [
        &[][..],
        &["a", "b"],
        &["--no"],
        &["--memory"],
        &["--memory", "x", "a"],
    ] {
        let (exit, out, err) = run(args);
        assert!(
            exit == 2 && out.is_empty() && err.contains("usage: grundy-check"),
            "{args:?}: {err}"
        );
    }
    let (exit, out, _) = run(&["--help"]);
    assert!(exit == 0 && out.starts_with("usage: grundy-check"));
    assert_eq!(run(&["--version"]).0, 0);
}
