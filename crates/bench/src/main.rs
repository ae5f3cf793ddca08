//! Benchmarks against rivals: `cargo xtask bench [NAME…]`. Each states the answer it expects, runs the rival in the same run
//! and fails on a wrong answer; times are processor times, the least of several runs, and what counts is the ratio.

mod judge;
mod process;
mod random;
mod search;
mod team_nim;

use std::process::ExitCode;

type Bench = (&'static str, fn() -> Result<(), String>);

const BENCHES: &[Bench] = &[
    ("judge", judge::run),
    ("team-nim", team_nim::run),
    ("search", search::run),
];

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = wanted
        .iter()
        .find(|w| BENCHES.iter().all(|(name, _)| name != w))
    {
        eprintln!(
            "no benchmark `{unknown}`; there are {:?}",
            BENCHES.iter().map(|b| b.0).collect::<Vec<_>>()
        );
        return ExitCode::from(2);
    }
    for (name, run) in BENCHES {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
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
