//! Benchmarks against rivals: `cargo xtask bench [NAME…]`. Each states the answer it expects, runs the rival in the same run
//! and fails on a wrong answer; times are processor times, the least of several runs, and what counts is the ratio.

mod judge;
mod kernels;
mod process;
mod random;
mod search;
mod tables;
mod team_nim;

use std::process::ExitCode;

/// Name, what it does, and whether it runs only where it is named.
type Bench = (&'static str, fn() -> Result<(), String>, bool);

const BENCHES: &[Bench] = &[
    ("judge", judge::run, false),
    ("team-nim", team_nim::run, false),
    ("search", search::run, false),
    ("tables", tables::run, false),
    ("kernels", kernels::run, false),
    ("kernels-long", kernels::long, true),
];

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = wanted
        .iter()
        .find(|w| BENCHES.iter().all(|(name, ..)| name != w))
    {
        eprintln!(
            "no benchmark `{unknown}`; there are {:?}",
            BENCHES.iter().map(|b| b.0).collect::<Vec<_>>()
        );
        return ExitCode::from(2);
    }
    for (name, run, named) in BENCHES {
        if wanted.is_empty() && !named || wanted.iter().any(|w| w == name) {
            println!("## {name}");
            if let Err(why) = run() {
                eprintln!("{name}: {why}");
                return ExitCode::FAILURE;
            }
            println!();
        }
    }
    ExitCode::SUCCESS
}
