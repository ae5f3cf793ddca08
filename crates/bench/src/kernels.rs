//! Nim-sequences of one-heap games: `grundy table CODE --to N --checksum` against `ogsolve`, the fastest open program that
//! is known for them, built for this processor and run by the method that is its best for the game. Whole processes, start-up
//! included, on one core; processor time, the least of a few runs. Every checksum is stated, and the rival must print the value
//! of the last heap. Then what the rival does not have: proofs of long periods (whether the checker accepts them is tested
//! elsewhere), and a subtraction set against the loop that one would write, in this process.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use grundy_core::Code;
use grundy_kernels::{Sequence, p_positions};

use crate::process::{OneCore, children, folder, grundy, installed, timed};

const RIVAL: (&str, &str) = ("ogsolve", "0.0.7");

/// What is wanted.
enum Goal {
    /// So many times as fast as the rival.
    Ratio(f64),
    /// In so many seconds at most.
    Seconds(f64),
    /// In so many nanoseconds a value at most.
    Nanos(f64),
}

/// A table up to a heap: the SHA-256 of its values as little-endian numbers of 16 bits, and the last of them.
struct Table {
    game: &'static str,
    to: u64,
    /// The rival's best method, if it has the game and comes to an end.
    method: Option<&'static str>,
    goal: Option<Goal>,
    last: u32,
    checksum: &'static str,
}

const fn table(
    game: &'static str,
    to: u64,
    method: Option<&'static str>,
    goal: Option<Goal>,
    last: u32,
    checksum: &'static str,
) -> Table {
    Table {
        game,
        to,
        method,
        goal,
        last,
        checksum,
    }
}

const SHORT: u64 = 10_000_000;

#[rustfmt::skip]
const TABLES: &[Table] = &[
    table("0.6", SHORT, Some("rcs"), Some(Goal::Ratio(10.0)), 129, "01ffadc8d78ea073d1562573f64aaa303968aaf2518cab8f52ebd5c778528edb"),
    table("0.106", SHORT, Some("rc2"), Some(Goal::Ratio(20.0)), 0, "f110ad8767a70423162c473d03bf3b05f20bf2af45a7347b0857b643295d432d"),
    table("0.104", SHORT, Some("rc2"), Some(Goal::Ratio(10.0)), 5, "906131e6d4a1faee859582bdc10cde556d9c48132696dc5c9287c9ef9b7a331d"),
    table("0.454", SHORT, Some("rcs"), Some(Goal::Ratio(10.0)), 3, "da93eda562797e3a7b6ae5a198b125178c0a6d5e83246809d73b8a960f561d94"),
    table("0.054", SHORT, Some("rc2"), Some(Goal::Ratio(10.0)), 13, "63004206c6108114b075a41ed29435806a4a37b0f352a2bbb5546d52342f8890"),
    table("0.16", SHORT, Some("rc"), Some(Goal::Ratio(10.0)), 5, "191e2157e47e0945242328afd87c9c8503b928e1679ee867bca5617dc2569dfe"),
    table("0.56", SHORT, Some("rc2s"), Some(Goal::Ratio(6.0)), 2, "f293135c8d7deec937b1afb75421b7541efe683b52493ac59d2657296f383be9"),
    table("0.354", SHORT, Some("rc"), Some(Goal::Ratio(6.0)), 26, "ca70f2dc1355f92c95fbdac3153ab59d73b8a11668df0831f5eddf4a16154051"),
    table("0.007", 100_000, Some("rcs"), None, 565, "ca1e48c207e5b814e87c0c335ea1cbf53ad9c92dbb1160e6a538630d51826e09"),
    table("0.45", SHORT, Some("rcs"), Some(Goal::Ratio(50.0)), 4, "e179a7635d6757e72a6c3ac42014b97d03ef9db9e7e87b02d150863a46eb0ce7"),
    table("4.127", SHORT, Some("rcs"), Some(Goal::Ratio(50.0)), 4, "5170fea124c7ff5b224b2196875df42ded38433f3ee98e9feb3b071cff267be5"),
    table("0.77", SHORT, None, Some(Goal::Seconds(0.05)), 1, "4f7a5d4c2aa615b349275cb4ba6417ef778e36172cbfe7dda3f79a7085191fab"),
    table("0.07", SHORT, None, Some(Goal::Seconds(0.05)), 7, "5153f62cb8182590317490fd153cb7dfe593b961208bce2c22e338dd75a317cd"),
    table("grundys_game", 4_000_000, None, Some(Goal::Nanos(450.0)), 98, "607585d209e7a3f0a6a9d53ce1b14ec4e90e2f9f457f624d6984ab3bb48a91f7"),
];

/// The rival takes some ten minutes for the longest.
#[rustfmt::skip]
const LONG: &[Table] = &[
    table("0.007", 1_000_000, Some("rcs"), Some(Goal::Ratio(8.0)), 1025, "9c03be6f0da685bb332acea7829b543a7eb01d8a9a3092570d6e67609d8a7bcb"),
];

/// Games, periods and preperiods, to be proved in ten seconds each.
const PROOFS: [(&str, u64, u64); 3] = [
    ("0.104", 11_770_282, 197_769_598),
    ("0.054", 10_015_179, 193_235_616),
    ("0.454", 60_620_715, 160_949_019),
];

/// All but the longest.
pub fn run() -> Result<(), String> {
    let grundy = grundy()?;
    tables(&grundy, TABLES)?;
    two_cores(&grundy, &TABLES[0])?;
    println!();
    proofs(&grundy)?;
    println!();
    subtraction()
}

/// The longest.
pub fn long() -> Result<(), String> {
    tables(&grundy()?, LONG)
}

fn tables(ours: &Path, tables: &[Table]) -> Result<(), String> {
    let theirs = installed(RIVAL.0, RIVAL.1)?;
    let _one = OneCore::take()?;
    println!(
        "| game | values | grundy | ns a value | {} {} | ratio | goal | answer |",
        RIVAL.0, RIVAL.1
    );
    println!("|---|---|---|---|---|---|---|---|");
    for table in tables {
        let time = fewest(|| ours_checked(ours, table))?;
        let rival = match table.method {
            Some(method) => Some((method, fewest(|| rival_checked(&theirs, table, method))?)),
            None => None,
        };
        let ratio = rival.map(|(_, theirs)| theirs.as_secs_f64() / time.as_secs_f64());
        let nanos = each(time, table.to + 1);
        let (goal, met) = match table.goal {
            None => ("–".to_owned(), true),
            Some(Goal::Ratio(wanted)) => (format!("{wanted}×"), ratio.is_some_and(|r| r >= wanted)),
            Some(Goal::Seconds(most)) => (format!("{most} s"), time.as_secs_f64() <= most),
            Some(Goal::Nanos(most)) => (format!("{most} ns"), nanos <= most),
        };
        println!(
            "| {} | {} | {:.3} s | {nanos:.1} | {} | {} | {goal}{} | right |",
            table.game,
            table.to + 1,
            time.as_secs_f64(),
            rival.map_or("–".to_owned(), |(method, time)| format!(
                "{:.2} s ({method})",
                time.as_secs_f64()
            )),
            ratio.map_or("–".to_owned(), |r| format!("{r:.1}")),
            missed(met),
        );
    }
    Ok(())
}

fn ours_checked(program: &Path, table: &Table) -> Result<Duration, String> {
    let mut command = Command::new(program);
    command.args([
        "table",
        table.game,
        "--to",
        &table.to.to_string(),
        "--checksum",
    ]);
    let (output, time) = timed(&mut command, &nothing()?)?;
    let found = String::from_utf8_lossy(&output);
    match found.trim() == table.checksum {
        true => Ok(time),
        false => Err(format!(
            "{} to {}: the checksum is {}",
            table.game,
            table.to,
            found.trim()
        )),
    }
}

fn rival_checked(program: &Path, table: &Table, method: &str) -> Result<Duration, String> {
    let mut command = Command::new(program);
    command.args([table.game, "-n", &table.to.to_string(), "-m", method]);
    let (output, time) = timed(&mut command, &nothing()?)?;
    let wanted = format!("nimber of {}: {} ", table.to, table.last);
    match String::from_utf8_lossy(&output).contains(&wanted) {
        true => Ok(time),
        false => Err(format!(
            "{}: the rival does not print `{wanted}`",
            table.game
        )),
    }
}

/// By two threads, if there are two cores: time on the clock.
fn two_cores(program: &Path, table: &Table) -> Result<(), String> {
    let start = Instant::now();
    ours_checked(program, table)?;
    println!(
        "\n{} on all cores: {:.2} s on the clock",
        table.game,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn proofs(program: &Path) -> Result<(), String> {
    let _one = OneCore::take()?;
    println!("| game | period | preperiod | proved in | most memory | goal | answer |");
    println!("|---|---|---|---|---|---|---|");
    for (game, period, preperiod) in PROOFS {
        let mut command = Command::new(program);
        command.args(["period", game, "--to", "400000000", "--json"]);
        let (output, time, memory) = watched(&mut command)?;
        let output = String::from_utf8_lossy(&output);
        let wanted = [
            format!("\"period\": {period},"),
            format!("\"preperiod\": {preperiod},"),
            "\"claim\": \"proved\"".to_owned(),
        ];
        if let Some(missing) = wanted.iter().find(|w| !output.contains(w.as_str())) {
            return Err(format!("{game}: no {missing} in {output}"));
        }
        println!(
            "| {game} | {period} | {preperiod} | {:.1} s | {} | 10 s{} | right |",
            time.as_secs_f64(),
            memory.map_or("–".to_owned(), |kib| format!(
                "{} MiB",
                kib.div_ceil(1024)
            )),
            missed(time.as_secs_f64() <= 10.0),
        );
    }
    Ok(())
}

/// Output and processor time of a command, and the most memory that it had, in KiB, where the system tells.
fn watched(command: &mut Command) -> Result<(Vec<u8>, Duration, Option<u64>), String> {
    let before = children()?;
    let failed = |e: std::io::Error| format!("{e}");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let status = format!("/proc/{}/status", child.id());
    let mut memory = None;
    // What is printed fits in a pipe.
    while child.try_wait().map_err(failed)?.is_none() {
        // The mark only rises, so the last look has nearly all of it.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let mark = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let mark = mark.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse().ok());
        memory = mark.or(memory);
        thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().map_err(failed)?;
    Ok((output.stdout, children()?.saturating_sub(before), memory))
}

/// The least of up to three times, or of fewer where they are long.
fn fewest(mut once: impl FnMut() -> Result<Duration, String>) -> Result<Duration, String> {
    let (mut least, mut all) = (Duration::MAX, Duration::ZERO);
    for _ in 0..3 {
        let time = once()?;
        least = least.min(time);
        all += time;
        if all > Duration::from_secs(5) {
            break;
        }
    }
    Ok(least)
}

fn nothing() -> Result<PathBuf, String> {
    let file = folder()?.join("nothing.in");
    std::fs::write(&file, "").map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file)
}

/// What stands behind a goal.
fn missed(met: bool) -> &'static str {
    if met { "" } else { ", missed" }
}

fn each(time: Duration, values: u64) -> f64 {
    time.as_secs_f64() * 1e9 / values as f64
}

/// Five numbers, none below 64.
const SET: [usize; 5] = [67, 71, 98, 121, 150];
const HEAPS: usize = 100_000_000;
/// P-positions below `HEAPS`, and the sum of the values.
const EXPECTED: (u64, u64) = (30_875_610, 114_746_461);

fn subtraction() -> Result<(), String> {
    let _one = OneCore::take()?;
    let mut digits = vec![0; SET[4] + 1];
    SET.iter().for_each(|&t| digits[t] = 3);
    let mut sequence = Sequence::new(&Code::finite(digits));
    let start = Instant::now();
    let bits = p_positions(&SET, HEAPS);
    let outcomes = start.elapsed();
    let start = Instant::now();
    sequence
        .advance(HEAPS, &mut |_| false)
        .map_err(|e| format!("{e:?}"))?;
    let values = start.elapsed();
    let start = Instant::now();
    let plain = plain_loop(HEAPS);
    let rival = start.elapsed();
    let found = (
        bits.iter().map(|w| u64::from(w.count_ones())).sum(),
        plain.iter().map(|&v| u64::from(v)).sum(),
    );
    if found != EXPECTED || sequence.values(0..HEAPS) != plain {
        return Err(format!(
            "subtract{SET:?}: {found:?} P-positions and sum, not {EXPECTED:?}, or values differ"
        ));
    }
    let [outcomes, values, rival] = [outcomes, values, rival].map(|t| each(t, HEAPS as u64));
    let ratio = rival / values;
    println!(
        "| take one of {SET:?}, {HEAPS} heaps | ns a heap | plain loop | ratio | goal | answer |"
    );
    println!("|---|---|---|---|---|---|");
    println!(
        "| who wins | {outcomes:.3} | – | – | 0.2 ns{} | right |",
        missed(outcomes < 0.2)
    );
    println!(
        "| values | {values:.2} | {rival:.2} | {ratio:.1} | 5×{} | right |",
        missed(ratio >= 5.0)
    );
    Ok(())
}

/// As one writes it: the values of the options as bits, and the least that is missing.
fn plain_loop(heaps: usize) -> Vec<u16> {
    let mut values: Vec<u16> = Vec::with_capacity(heaps);
    for n in 0..heaps {
        let mut seen = 0u64;
        for &t in SET.iter().filter(|&&t| t <= n) {
            seen |= 1 << values[n - t];
        }
        values.push(seen.trailing_ones() as u16);
    }
    values
}
