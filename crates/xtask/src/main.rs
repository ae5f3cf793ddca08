//! The project's chores, run as `cargo xtask CHORE`. It has no dependencies, so that it is built in a second.

use std::env;
use std::process::{Command, ExitCode, Stdio};

const HELP: &str = "\
cargo xtask test     everything that must hold: format, lints, documentation, all tests
cargo xtask bench    the benchmarks against their rivals (needs a C++ compiler): cargo xtask bench [NAME…]
cargo xtask fuzz     looks for inputs that break something (needs a C++ compiler): cargo xtask fuzz rules|jit|certificate [SECONDS]
";

/// libFuzzer sees which branches an input takes, and what is compared.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let done = match args.first().map(String::as_str) {
        Some("test") if args.len() == 1 => test(),
        Some("bench") => bench(&args[1..]),
        Some("fuzz") if (2..=3).contains(&args.len()) => {
            fuzz(&args[1], args.get(2).map_or("60", String::as_str))
        }
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("xtask: {what}");
            ExitCode::FAILURE
        }
    }
}

fn test() -> Result<(), String> {
    component("rustfmt", &["fmt", "--version"])?;
    component("clippy", &["clippy", "--version"])?;
    cargo("format", &["fmt", "--all", "--check"], &[])?;
    cargo(
        "lints",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ],
        &[],
    )?;
    cargo(
        "documentation",
        &[
            "doc",
            "--workspace",
            "--no-deps",
            "--locked",
            "--document-private-items",
        ],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    cargo(
        "tests",
        &["test", "--workspace", "--locked", "--no-fail-fast"],
        &[("INSTA_UPDATE", "no")],
    )
}

fn bench(names: &[String]) -> Result<(), String> {
    let mut args = vec![
        "run",
        "--release",
        "--locked",
        "--package",
        "grundy-bench",
        "--",
    ];
    args.extend(names.iter().map(String::as_str));
    cargo("benchmarks", &args, &[])
}

/// Runs a fuzz target for so many seconds. What it finds worth keeping stays in the target folder; so do inputs that break.
fn fuzz(target: &str, seconds: &str) -> Result<(), String> {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let version = Command::new(env!("CARGO")).arg("-vV").output();
    let version = text(version.map_err(|why| format!("cargo -vV: {why}"))?.stdout);
    let host = version.lines().find_map(|l| l.strip_prefix("host: "));
    let host = host.ok_or("cargo -vV tells no host")?;
    let folder = env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_owned());
    let folder = format!("{folder}/fuzz");
    // With a target named, flags are for it and not for build scripts.
    cargo(
        "fuzz target",
        &[
            "build",
            "--release",
            "--manifest-path=fuzz/Cargo.toml",
            "--target",
            host,
            "--target-dir",
            &folder,
            "--bin",
            target,
        ],
        &[("RUSTFLAGS", COVERAGE)],
    )?;
    let corpus = format!("{folder}/corpus/{target}/");
    std::fs::create_dir_all(&corpus).map_err(|why| format!("{corpus}: {why}"))?;
    let mut command = Command::new(format!("{folder}/{host}/release/{target}"));
    command.arg(&corpus);
    let seeds = format!("fuzz/seeds/{target}");
    command.args([seeds.as_str(), "games"].iter().filter(|seeds| {
        (**seeds != "games" || target == "rules") && std::path::Path::new(seeds).is_dir()
    }));
    command.args([
        format!("-max_total_time={seconds}"),
        format!("-artifact_prefix={folder}/"),
        "-max_len=8000".to_owned(),
        "-timeout=30".to_owned(),
        "-print_final_stats=1".to_owned(),
    ]);
    run(&mut command)
}

/// Installs a part of the toolchain if it is not there, and says so.
fn component(name: &str, probe: &[&str]) -> Result<(), String> {
    let there = Command::new(env!("CARGO"))
        .args(probe)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if there.is_ok_and(|s| s.success()) {
        return Ok(());
    }
    eprintln!("xtask: installing {name} with rustup");
    run(Command::new("rustup").args(["component", "add", name]))
}

fn cargo(what: &str, args: &[&str], vars: &[(&str, &str)]) -> Result<(), String> {
    eprintln!("xtask: {what}");
    run(Command::new(env!("CARGO"))
        .args(args)
        .envs(vars.iter().copied()))
    .map_err(|why| format!("{what}: {why}"))
}

fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?}: {status}")),
        Err(why) => Err(format!("{command:?}: {why}")),
    }
}
