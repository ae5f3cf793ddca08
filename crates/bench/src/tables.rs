//! Tables of rules as a user types them against C++ written by hand for each, whole processes: the two must write the same
//! values, of which the checksum is stated. Then what has no rival: Wythoff's game at 10,000 by 10,000 and its P-positions.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process::{folder, grundy, rival_with, timed};

const RUNS: usize = 5;
/// Bytes of an npy file before its numbers.
const HEAD: usize = 128;

struct Work {
    name: &'static str,
    game: &'static str,
    to: &'static str,
    /// FNV-1a of the values as little-endian numbers of 16 bits.
    checksum: u64,
    /// A smaller table for the interpreter.
    less: &'static str,
}

const WORKS: &[Work] = &[
    Work {
        name: "wythoff",
        game: "wythoff",
        to: "1000,1000",
        checksum: 0xcd98_f107_64b1_be93,
        less: "200,200",
    },
    Work {
        name: "squares",
        game: "n -> n - k*k for k in 1..n if k*k <= n",
        to: "1000000",
        checksum: 0xcbc4_2af7_6530_21fa,
        less: "50000",
    },
    Work {
        name: "divisors",
        game: "n -> n - d for d in 1..n-1 if n % d == 0",
        to: "1000000",
        checksum: 0x2e13_1384_7625_52f8,
        less: "3000",
    },
    Work {
        name: "s_nim",
        game: "n -> n - k for k in S if k <= n",
        to: "1000000",
        checksum: 0x0f09_46c7_d720_6ed1,
        less: "20000",
    },
    Work {
        name: "three_heaps",
        game: "(a, b, c) -> (a - k, b, c) for k in 1..a if (a + b) % 2 == 0 \
               | (a, b, c) -> (a, b - k, c) for k in 1..b if (a + b) % 2 == 0 \
               | (a, b, c) -> (a, b, c - k) for k in 1..c",
        to: "120,120,120",
        checksum: 0x6d66_f647_0607_b3ee,
        less: "30,30,30",
    },
    Work {
        name: "lasker",
        game: "n -> n - k for k in 1..n | n -> [k, n - k] for k in 1..n//2",
        to: "10000",
        checksum: 0xc95b_8683_d27a_f0dc,
        less: "1000",
    },
    Work {
        name: "lights",
        game: "(a, b) -> [(c, b), (a, d), (c, d)] for c in 0..a-1, d in 0..b-1",
        to: "120,120",
        checksum: 0x43da_1b1f_d2da_aa5b,
        less: "30,30",
    },
    Work {
        name: "fibonacci_nim",
        game: "(n, m) -> (n - k, 2*k) for k in 1..min(n, m)",
        to: "500,1000",
        checksum: 0x4b91_7a24_9bb4_9248,
        less: "100,200",
    },
];

/// A table that no textbook program ends: arguments, cells, and the checksum printed.
const LARGE: &[(&str, u64, &str)] = &[
    (
        "table wythoff --to 1000,1000 --checksum",
        1_002_001,
        "07152a8b95e2fe079685f49f1dea3053b5e0e7f9d3d9f530ba28e767bfecc6de",
    ),
    (
        "table wythoff --to 10000,10000 --checksum",
        100_020_001,
        "3a484a3ca24e8bad93ed2fb1d9c50cacf992c5a0bd0d0ac829b0913c8219fb49",
    ),
    (
        "table wythoff --to 20000,20000 --p-positions --checksum",
        400_040_001,
        "10f2809c765620e247b1c999696a058fdf6b1a2d802a1fbd38bf01543f085e48",
    ),
];

/// Runs all of them and prints two tables.
pub fn run() -> Result<(), String> {
    let ours = grundy()?;
    let nothing = folder()?.join("nothing");
    std::fs::write(&nothing, "").map_err(|e| e.to_string())?;
    let mut wrong = String::new();
    println!(
        "| rules | by | grundy | C++ -O3 | rival / ours | interpreter / ours, a smaller table |"
    );
    println!("|---|---|---|---|---|---|");
    for work in WORKS {
        let theirs = rival_with(&format!("tables/{}", work.name), "-O3")?;
        let command = |to: &str, more: &[&str]| {
            let mut command = Command::new(&ours);
            let alone = ["table", work.game, "--threads", "1", "--to", to];
            command.args(alone).args(more);
            if work.name == "s_nim" {
                command.arg(set());
            }
            command
        };
        let own = || command(work.to, &["--format", "npy"]);
        let ((values, mut best), (expected, mut best_rival)) = (
            least(own, &nothing)?,
            least(|| Command::new(&theirs), &nothing)?,
        );
        // What else the machine does changes from second to second, so that the two go on in turn.
        for _ in 0..2 {
            best = best.min(least(own, &nothing)?.1);
            best_rival = best_rival.min(least(|| Command::new(&theirs), &nothing)?.1);
        }
        if values.get(HEAD..) != Some(&expected[..]) {
            let _ = writeln!(wrong, "{}: the values differ", work.name);
        }
        if fnv(&expected) != work.checksum {
            let _ = writeln!(
                wrong,
                "{}: the checksum is {:#018x}, not {:#018x}",
                work.name,
                fnv(&expected),
                work.checksum
            );
        }
        let (json, _) = timed(&mut command(work.to, &["--checksum", "--json"]), &nothing)?;
        let by = String::from_utf8_lossy(&json);
        let by = by
            .split("\"method\": \"")
            .nth(1)
            .and_then(|m| m.split('"').next());
        let start = least(
            || {
                command(
                    &work.less.replace(|c: char| c.is_ascii_digit(), "1"),
                    &["--checksum"],
                )
            },
            &nothing,
        )?
        .1;
        let less = least(|| command(work.less, &["--checksum"]), &nothing)?.1;
        let slow = |to: &str| {
            let mut command = Command::new(&ours);
            command.args([
                "table",
                work.game,
                "--to",
                to,
                "--checksum",
                "--engine",
                "interpret",
            ]);
            if work.name == "s_nim" {
                command.arg(set());
            }
            command
        };
        let slow = least(|| slow(work.less), &nothing)?.1;
        println!(
            "| {} to {} | {} | {:.1} ms | {:.1} ms | {:.2} | {:.0} |",
            work.name,
            work.to,
            by.unwrap_or("?"),
            best.as_secs_f64() * 1e3,
            best_rival.as_secs_f64() * 1e3,
            best_rival.as_secs_f64() / best.as_secs_f64(),
            slow.saturating_sub(start).as_secs_f64()
                / less.saturating_sub(start).as_secs_f64().max(1e-4),
        );
    }
    println!();
    println!("| command | time | a cell |");
    println!("|---|---|---|");
    for (arguments, cells, checksum) in LARGE {
        let (output, best) = least(
            || {
                let mut command = Command::new(&ours);
                command.args(arguments.split(' ')).args(["--threads", "1"]);
                command
            },
            &nothing,
        )?;
        if String::from_utf8_lossy(&output).trim() != *checksum {
            let _ = writeln!(wrong, "{arguments}: another checksum");
        }
        let nanoseconds = best.as_secs_f64() * 1e9 / *cells as f64;
        println!(
            "| `{arguments}` | {:.3} s | {nanoseconds:.2} ns |",
            best.as_secs_f64()
        );
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// The numbers of S-Nim.
fn set() -> String {
    let numbers: Vec<String> = (0..100)
        .map(|i| (1 + i * i % 997 + i).to_string())
        .collect();
    format!("S=[{}]", numbers.join(","))
}

/// The output and the least time of some runs.
fn least(command: impl Fn() -> Command, input: &Path) -> Result<(Vec<u8>, Duration), String> {
    let (output, mut best) = timed(&mut command(), input)?;
    for _ in 1..RUNS {
        if best > Duration::from_secs(4) {
            break;
        }
        best = best.min(timed(&mut command(), input)?.1);
    }
    Ok((output, best))
}

fn fnv(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325;
    bytes.iter().fold(start, |hash, b| {
        (hash ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3)
    })
}
