//! The project's chores, run as `cargo xtask CHORE`. It has no dependencies, so that it is built in a second.

use std::env;
use std::process::{Command, ExitCode, Stdio};

const HELP: &str = "\
cargo xtask test     everything that must hold: format, lints, documentation, all tests
cargo xtask bench    the benchmarks against their rivals (needs a C++ compiler): cargo xtask bench [NAME…]
";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let done = match args.first().map(String::as_str) {
        Some("test") if args.len() == 1 => test(),
        Some("bench") => bench(&args[1..]),
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
