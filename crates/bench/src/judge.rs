//! `grundy judge` on 1,000 maximal cases of each founding problem against the textbook C++ program, processor time of the
//! whole process, start-up included. The two must print the same bytes, and the first player must win the stated number.

use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

use crate::process::{folder, grundy, rival, timed};
use crate::random::Random;

const CASES: u64 = 1000;
/// Runs of each program in turn: so many, and more where a run is short, as a process takes a tenth more or less each time.
const RUNS: usize = 7;
const MOST_RUNS: usize = 300;
const LONG: Duration = Duration::from_secs(1);

struct Problem {
    name: &'static str,
    input: fn(&mut Random) -> String,
    win: &'static str,
    wins: usize,
}

const PROBLEMS: &[Problem] = &[
    Problem {
        name: "poj2068",
        input: team_nim,
        win: "1",
        wins: 529,
    },
    Problem {
        name: "poj1067",
        input: wythoff,
        win: "1",
        wins: 898,
    },
    Problem {
        name: "poj1704",
        input: georgia,
        win: "Georgia",
        wins: 459,
    },
    Problem {
        name: "hdu1729",
        input: stones,
        win: "Yes",
        wins: 500,
    },
    Problem {
        name: "hdu3389",
        input: cards,
        win: "Alice",
        wins: 495,
    },
];

/// Runs all five and prints the table.
pub fn run() -> Result<(), String> {
    let ours = grundy()?;
    println!("| problem | first player wins | grundy | textbook C++ | rival / ours |");
    println!("|---|---|---|---|---|");
    let mut wrong = String::new();
    for problem in PROBLEMS {
        let theirs = rival(problem.name)?;
        let file = folder()?.join(format!("{}.in", problem.name));
        std::fs::write(&file, (problem.input)(&mut Random(1))).map_err(|e| e.to_string())?;
        let (mut best, mut best_rival) = (Duration::MAX, Duration::MAX);
        let mut all = Duration::ZERO;
        for run in 0..MOST_RUNS {
            if run >= RUNS && all > LONG {
                break;
            }
            let (output, time) = timed(Command::new(&ours).args(["judge", problem.name]), &file)?;
            let (expected, rival_time) = timed(&mut Command::new(&theirs), &file)?;
            if output != expected {
                let _ = writeln!(wrong, "{}: the outputs differ", problem.name);
                break;
            }
            let wins = String::from_utf8_lossy(&output)
                .lines()
                .filter(|l| l.contains(problem.win))
                .count();
            if wins != problem.wins {
                let _ = writeln!(
                    wrong,
                    "{}: the first player wins {wins}, not {}",
                    problem.name, problem.wins
                );
                break;
            }
            all += time + rival_time;
            best = best.min(time);
            best_rival = best_rival.min(rival_time);
        }
        let ratio = best_rival.as_secs_f64() / best.as_secs_f64();
        println!(
            "| {} | {} of {CASES} | {:.2} ms | {:.2} ms | {ratio:.2} |",
            problem.name,
            problem.wins,
            best.as_secs_f64() * 1e3,
            best_rival.as_secs_f64() * 1e3,
        );
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

fn team_nim(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..CASES {
        text.push_str("10 8191");
        for _ in 0..20 {
            let _ = write!(text, " {}", random.range(1, 16));
        }
        text.push('\n');
    }
    text + "0\n"
}

fn wythoff(random: &mut Random) -> String {
    let mut text = String::new();
    for i in 0..CASES {
        let a = random.range(300_000_000, 600_000_000);
        // Every third pair is next to the golden ratio, where half of them lose.
        let b = if i % 3 == 0 {
            (a * 1_618_033_988) / 1_000_000_000 + random.range(0, 1)
        } else {
            random.range(1, 1_000_000_000)
        };
        let _ = writeln!(text, "{a} {b}");
    }
    text
}

fn georgia(random: &mut Random) -> String {
    let mut text = format!("{CASES}\n");
    for i in 0..CASES {
        // Pieces in pairs without a gap lose; every other case is one of these.
        let mut squares: Vec<u64> = Vec::new();
        let mut at = 0;
        for j in 0..1000 {
            at += if i % 2 == 0 && j % 2 == 1 {
                1
            } else {
                random.range(1, if i % 2 == 0 { 18 } else { 9 })
            };
            squares.push(at);
        }
        for j in (1..squares.len()).rev() {
            squares.swap(j, random.range(0, j as u64) as usize);
        }
        text.push_str("1000\n");
        text.push_str(
            &squares
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(" "),
        );
        text.push('\n');
    }
    text
}

fn stones(random: &mut Random) -> String {
    let mut text = String::new();
    for i in 0..CASES {
        text.push_str("50\n");
        let mut boxes: Vec<(u64, u64)> = (0..25)
            .map(|_| {
                let s = random.range(900_000, 1_000_000);
                (s, random.range(0, s))
            })
            .collect();
        // Every other case is balanced: each box stands there twice.
        let again: Vec<_> = if i % 2 == 0 {
            boxes.clone()
        } else {
            boxes.iter().map(|&(s, c)| (s, c / 2)).collect()
        };
        boxes.extend(again);
        for (s, c) in boxes {
            let _ = writeln!(text, "{s} {c}");
        }
    }
    text + "0\n"
}

fn cards(random: &mut Random) -> String {
    let mut text = format!("{CASES}\n");
    for i in 0..CASES {
        let mut boxes: Vec<u64> = (0..10_000).map(|_| random.range(0, 100)).collect();
        if i % 2 == 0 {
            // Box 2 makes the sum of the others zero where it can.
            let others = boxes
                .iter()
                .enumerate()
                .filter(|(j, _)| [0, 2, 5].contains(&((j + 1) % 6)) && *j != 1);
            boxes[1] = others.fold(0, |x, (_, c)| x ^ c);
        }
        text.push_str("10000\n");
        text.push_str(
            &boxes
                .iter()
                .map(u64::to_string)
                .collect::<Vec<_>>()
                .join(" "),
        );
        text.push('\n');
    }
    text
}
