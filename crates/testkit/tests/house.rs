//! Dependencies point downwards: what each crate of the house may stand on.

use std::collections::BTreeSet;
use std::process::Command;

const ALLOWED: &[(&str, &[&str])] = &[
    ("grundy-core", &[]),
    ("grundy-cert", &["grundy-core"]),
    (
        "grundy-check",
        &["grundy-core", "grundy-lang", "grundy-cert"],
    ),
    ("grundy-lang", &["grundy-core"]),
    ("grundy-kernels", &["grundy-core"]),
    (
        "grundy-find",
        &["grundy-core", "grundy-cert", "grundy-kernels"],
    ),
    (
        "grundy-search",
        &["grundy-core", "grundy-kernels", "grundy-lang"],
    ),
    (
        "grundy-jit",
        &["grundy-core", "grundy-lang", "grundy-search"],
    ),
    (
        "grundy-theorems",
        &["grundy-core", "grundy-lang", "grundy-find"],
    ),
    ("grundy-testkit", &["grundy-core", "grundy-lang"]),
    (
        "grundy",
        &[
            "grundy-core",
            "grundy-lang",
            "grundy-cert",
            "grundy-check",
            "grundy-kernels",
            "grundy-find",
            "grundy-jit",
            "grundy-search",
            "grundy-theorems",
        ],
    ),
    ("grundy-export", &[]),
    ("grundy-plot", &[]),
    ("grundy-cli", &["grundy", "grundy-export", "grundy-plot"]),
    (
        "grundy-bench",
        &[
            "grundy",
            "grundy-core",
            "grundy-kernels",
            "grundy-lang",
            "grundy-search",
            "grundy-theorems",
        ],
    ),
    ("xtask", &[]),
];

#[test]
fn dependencies_point_downwards() {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut seen = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(n, _)| *n == name)
            .unwrap_or_else(|| panic!("{name} has no place yet"));
        seen.insert(name.to_owned());
        for dependency in package["dependencies"].as_array().unwrap() {
            let on = dependency["name"].as_str().unwrap();
            let ours = ALLOWED.iter().any(|(n, _)| *n == on);
            if ours && dependency["kind"].is_null() {
                assert!(allowed.contains(&on), "{name} may not depend on {on}");
            }
        }
    }
    assert_eq!(seen.len(), ALLOWED.len(), "a crate of the list is gone");
}
