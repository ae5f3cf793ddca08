//! Long tables and searches for periods: formats against each other, checksums against bytes, and runs that are broken off at any moment.

mod common;

use std::path::{Path, PathBuf};
use std::process::Output;
use std::thread;
use std::time::Duration;

use common::grundy;
use parquet::file::reader::{FileReader, SerializedFileReader};
use sha2::{Digest, Sha256};

fn run(words: &[&str]) -> Output {
    grundy().args(words).output().unwrap()
}

/// What is printed if all goes well.
fn answer(words: &[&str]) -> String {
    let output = run(words);
    assert!(
        output.status.success(),
        "{words:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// What is said if not.
fn complaint(words: &[&str]) -> String {
    let output = run(words);
    assert_eq!(output.status.code(), Some(2), "{words:?}");
    assert_eq!(output.stdout, b"", "{words:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// A folder with nothing in it.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

/// Tables of up to 2001 cells come from the theorem, longer ones from a kernel and block by block.
#[test]
fn a_long_table_begins_as_a_short_one() {
    for game in ["0.77", "0.106", "grundys_game", "subtract{1,3,4}", "0.07"] {
        for format in ["csv", "json", "text"] {
            let table = |to: &str| answer(&["table", game, "--to", to, "--format", format]);
            let (short, long) = (table("1999"), table("2009"));
            let body = |text: &str| -> Vec<String> {
                let lines = text.lines().map(|l| l.trim_end_matches(',').to_owned());
                match format {
                    "csv" => lines.collect(),
                    "json" => lines.filter(|l| l.contains("\"at\"")).collect(),
                    _ => lines.take_while(|l| !l.is_empty()).collect(),
                }
            };
            let (short, long) = (body(&short), body(&long));
            assert!(
                short.len() >= 200 && long.len() > short.len(),
                "{game} {format}"
            );
            assert_eq!(short[..], long[..short.len()], "{game} as {format}");
        }
    }
    let long = answer(&["table", "0.106", "--to", "70000", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&long).unwrap();
    assert_eq!(json["cells"].as_array().unwrap().len(), 70_001);
    assert_eq!(json["cells"][70_000]["at"][0], 70_000);
    assert_eq!(json["claim"], "computed");
}

/// 16-bit values of a table's csv.
fn bytes_of_csv(game: &str, to: &str) -> Vec<u8> {
    let csv = answer(&["table", game, "--to", to, "--format", "csv"]);
    let values = csv
        .lines()
        .skip(1)
        .map(|l| l.split(',').nth(1).unwrap().parse::<u16>().unwrap());
    values.flat_map(u16::to_le_bytes).collect()
}

#[test]
fn the_checksum_is_that_of_the_values() {
    // sha256sum of the bytes 00 00 01 00 02 00
    let known = answer(&["table", "0.77", "--to", "2", "--checksum"]);
    assert_eq!(known.trim(), sha256(&[0, 0, 1, 0, 2, 0]));
    for (game, to) in [
        ("0.106", "100000"),
        ("0.77", "200000"),
        ("0.156", "150000"),
        ("0.3", "65535"),
        ("0.F", "300"),
    ] {
        let bytes = bytes_of_csv(game, to);
        let sum = answer(&["table", game, "--to", to, "--checksum"]);
        assert_eq!(sum.trim(), sha256(&bytes), "{game}");
        let json = answer(&["table", game, "--to", to, "--checksum", "--json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            (json["sha256"].as_str(), json["bits"].as_u64()),
            (Some(sum.trim()), Some(16))
        );
        let npy = run(&["table", game, "--to", to, "--format", "npy"]).stdout;
        assert_eq!(npy[npy.len() - bytes.len()..], bytes, "{game}");
        assert!(npy.starts_with(b"\x93NUMPY\x01\0"));
    }
}

#[test]
fn values_past_16_bits_take_32_and_that_is_said() {
    for (to, bits) in [(65_535u32, 16), (65_536, 32), (200_000, 32)] {
        let output = run(&["table", "nim", "--to", &to.to_string(), "--checksum"]);
        let bytes: Vec<u8> = match bits {
            16 => (0..=to).flat_map(|n| (n as u16).to_le_bytes()).collect(),
            _ => (0..=to).flat_map(u32::to_le_bytes).collect(),
        };
        assert_eq!(
            String::from_utf8(output.stdout).unwrap().trim(),
            sha256(&bytes),
            "{to}"
        );
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.contains("32 bits"), bits == 32, "{said}");
    }
    let said = complaint(&["table", "nim", "--to", "4294967296", "--checksum"]);
    assert!(said.contains("4,294,967,295"), "{said}");
}

#[test]
fn games_that_no_kernel_knows_have_files_too() {
    let values = answer(&["table", "wythoff", "a=3", "--to", "40", "--format", "csv"]);
    let values = values
        .lines()
        .skip(1)
        .map(|l| l.split(',').nth(1).unwrap().parse::<u16>().unwrap());
    let bytes: Vec<u8> = values.flat_map(u16::to_le_bytes).collect();
    let sum = answer(&["table", "wythoff", "a=3", "--to", "40", "--checksum"]);
    assert_eq!(sum.trim(), sha256(&bytes));
}

#[test]
fn p_positions_fill_a_column_for_each_counter() {
    let folder = folder("columns");
    let file = folder.join("p.parquet");
    let list = ["table", "wythoff", "--p-positions", "--to", "3000"];
    let csv = answer(&[&list[..], &["--format", "csv"]].concat());
    answer(&[&list[..], &["-o", file.to_str().unwrap()]].concat());
    let reader = SerializedFileReader::new(std::fs::File::open(file).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let columns = row.get_column_iter();
        let columns = columns.map(|(name, x)| (name.clone(), x.to_string()));
        columns.unzip::<_, _, Vec<_>, Vec<_>>()
    });
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let rows: Vec<_> = rows.collect();
    assert!(rows.len() > 1000 && rows.iter().all(|(found, _)| *found == names));
    assert!(
        rows.iter()
            .all(|(_, row)| lines.next().is_some_and(|line| *row == line))
    );
    assert_eq!(lines.next(), None);
    let about = reader.metadata().file_metadata().key_value_metadata();
    let about = about.unwrap().iter();
    let about: Vec<_> = about
        .map(|pair| (&*pair.key, pair.value.as_deref().unwrap()))
        .collect();
    assert!(about.contains(&("method", "pairs")) && about.contains(&("claim", "computed")));
}

#[test]
fn a_file_has_its_name_only_once_it_is_whole() {
    let folder = folder("whole");
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    for name in ["a.csv", "a.json", "a.npy", "a.parquet", "a.txt"] {
        answer(&["table", "0.106", "--to", "5000", "--output", &file(name)]);
    }
    assert_eq!(
        names(&folder),
        ["a.csv", "a.json", "a.npy", "a.parquet", "a.txt"]
    );
    let csv = std::fs::read_to_string(file("a.csv")).unwrap();
    assert_eq!(
        csv,
        answer(&["table", "0.106", "--to", "5000", "--format", "csv"])
    );
    let parquet = std::fs::read(file("a.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    answer(&[
        "table",
        "0.106",
        "--to",
        "5000",
        "--format",
        "csv",
        "--output",
        "/dev/null",
    ]);
    // Errors leave nothing, and what was there stays.
    complaint(&[
        "table",
        "misere_nim",
        "--to",
        "5",
        "--output",
        &file("b.npy"),
    ]);
    complaint(&[
        "table",
        "0.106",
        "--to",
        "1000000000000",
        "--output",
        &file("a.npy"),
    ]);
    complaint(&[
        "table",
        "0.106",
        "--to",
        "1000000000000000",
        "--output",
        &file("a.csv"),
    ]);
    assert_eq!(
        names(&folder),
        ["a.csv", "a.json", "a.npy", "a.parquet", "a.txt"]
    );
    assert_eq!(std::fs::read_to_string(file("a.csv")).unwrap(), csv);
}

#[test]
fn what_does_not_fit_is_known_before() {
    let said = complaint(&[
        "table",
        "0.106",
        "--to",
        "100000000",
        "--memory",
        "50M",
        "--checksum",
    ]);
    assert!(
        said.contains("need 190.8 MiB of memory") && said.contains("--memory 1G"),
        "{said}"
    );
    let folder = folder("disk");
    let file = folder.join("a.csv");
    let said = complaint(&[
        "table",
        "0.77",
        "--to",
        "1000000000000000",
        "--output",
        file.to_str().unwrap(),
    ]);
    assert!(said.contains("on the disk"), "{said}");
    let said = complaint(&["table", "0.77", "--to", "50", "--output", "/nowhere/a.csv"]);
    assert!(
        said.contains("`/nowhere/a.csv` cannot be written"),
        "{said}"
    );
    let said = complaint(&["table", "0.77", "--to", "50", "--resume", "/nowhere/a"]);
    assert!(said.contains("`/nowhere/a` cannot be written"), "{said}");
    for file in ["--resume", "--certificate"] {
        let said = complaint(&["period", "0.77", file, "/nowhere/a"]);
        assert!(said.contains("`/nowhere/a` cannot be written"), "{said}");
    }
    let said = complaint(&["table", "wythoff", "--to", "5", "--resume", "a"]);
    assert!(said.contains("take-and-break"), "{said}");
}

#[test]
fn a_checkpoint_that_is_damaged_or_anothers_is_refused() {
    let folder = folder("damaged");
    let file = folder.join("state");
    let name = file.to_str().unwrap();
    let words = [
        "table",
        "0.106",
        "--to",
        "3000",
        "--checksum",
        "--resume",
        name,
    ];
    let sum = answer(&words);
    let whole = std::fs::read(&file).unwrap();
    assert_eq!(answer(&words), sum, "the state of a run that was done");
    let longer = answer(&[
        "table",
        "0.106",
        "--to",
        "9000",
        "--checksum",
        "--resume",
        name,
    ]);
    assert_eq!(
        longer,
        answer(&["table", "0.106", "--to", "9000", "--checksum"])
    );
    let period = ["period", "0.106", "--to", "3000", "--resume", name];
    assert_eq!(answer(&period), answer(&period[..4]));
    for another in [
        &["table", "0.104", "--to", "3000", "--resume", name][..],
        &["period", "0.104", "--resume", name],
    ] {
        let said = complaint(another);
        assert!(
            said.contains("of the game 0.106, and 0.104 is asked for"),
            "{said}"
        );
    }
    for place in (0..whole.len()).step_by(whole.len() / 25) {
        let mut damaged = whole.clone();
        damaged[place] ^= 4;
        std::fs::write(&file, &damaged).unwrap();
        for words in [&words[..], &period] {
            let said = complaint(words);
            assert!(said.contains("is refused"), "{place}: {said}");
        }
        assert_eq!(
            std::fs::read(&file).unwrap(),
            damaged,
            "it is left as it is"
        );
    }
    for cut in [0, 10, 20, 25, 60, whole.len() - 1] {
        std::fs::write(&file, &whole[..cut]).unwrap();
        assert!(complaint(&words).contains("is refused"), "{cut}");
    }
    std::fs::write(&file, [&b"grundy checkpoint 2"[..], &whole[19..]].concat()).unwrap();
    assert!(complaint(&words).contains("version 2"));
}

/// Kills a command at random moments; the states that it kept must grow.
#[cfg(unix)]
fn kill_often(words: &[&str], times: usize, state: &Path, out: &Path) {
    let mut random = 7u64;
    let (mut kills, mut sizes) = (0, Vec::new());
    for _ in 0..times {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mut child = grundy()
            .env("GRUNDY_CHECKPOINT_MS", "10")
            .args(words)
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(15 + (random >> 33) % 60));
        let early = child.try_wait().unwrap().is_none() && !out.exists();
        child.kill().unwrap();
        child.wait().unwrap();
        kills += usize::from(early);
        sizes.push(std::fs::metadata(state).map_or(0, |m| m.len()));
    }
    assert!(3 * kills >= times, "only {kills} runs were broken off");
    assert!(
        sizes.windows(2).all(|w| w[0] <= w[1]),
        "a state was lost: {sizes:?}"
    );
    // A state of its own size was gone on from; a run that is done keeps the last one.
    let mut steps = sizes.clone();
    steps.dedup();
    steps.retain(|size| *size > 0);
    assert!(steps.len() > 2, "no run went on from a state: {sizes:?}");
}

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_fifty_times_has_the_same_values() {
    let folder = folder("killed");
    let (state, out) = (folder.join("state"), folder.join("values.npy"));
    let name = |path: &Path| path.to_str().unwrap().to_owned();
    // A game that takes some seconds, so that no run before the last gets through.
    let table = ["table", "0.007", "--to", "60000"];
    let files = ["--output", &name(&out), "--resume", &name(&state)];
    let words = [&table[..], &files].concat();
    kill_often(&words, 50, &state, &out);
    answer(&words);
    let whole = run(&[&table[..], &["--format", "npy"]].concat()).stdout;
    assert!(std::fs::read(&out).unwrap() == whole, "the values differ");
}

#[cfg(unix)]
#[test]
fn a_search_for_a_period_that_is_killed_finds_the_same() {
    let folder = folder("killed_period");
    let files = ["state", "certificate", "unbroken"].map(|f| folder.join(f));
    let [state, out, unbroken] = files.each_ref().map(|f| f.to_str().unwrap());
    // The period is proved by 3.5 million values.
    let period = ["period", "0.376", "--json", "--certificate"];
    let words = [&period[..], &[out, "--resume", state]].concat();
    kill_often(&words, 20, &files[0], &files[1]);
    let found = answer(&words);
    assert_eq!(found, answer(&[&period[..], &[unbroken]].concat()));
    let json: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(
        (&json["period"], &json["preperiod"], &json["claim"]),
        (&4.into(), &2_268_248.into(), &"proved".into())
    );
    let [one, other] = [out, unbroken].map(|f| std::fs::read_to_string(f).unwrap());
    assert_eq!(one, other);
    // A run that is done leaves its state, which knows the period; a table goes on from it as well.
    assert_eq!(answer(&words), found);
    let table = ["table", "0.376", "--to", "5000000", "--checksum"];
    let resumed = answer(&[&table[..], &["--resume", state]].concat());
    assert_eq!(resumed, answer(&table));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_state_and_leaves_no_file() {
    for (command, file) in [("table", "--output"), ("period", "--certificate")] {
        let folder = folder(&format!("stopped_{command}"));
        let (state, out) = (folder.join("state"), folder.join("values.npy"));
        let (state, out) = (state.to_str().unwrap(), out.to_str().unwrap());
        let words = [command, "0.007", "--to", "100000000", file, out];
        let child = grundy()
            .args(words)
            .args(["--resume", state])
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(700));
        let output = common::interrupt(child);
        assert_eq!(output.status.code(), Some(130));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains("G0802") && said.contains("goes on from there"),
            "{said}"
        );
        assert_eq!(names(&folder), ["state"]);
        let words = [command, "0.007", "--to", "3000", "--json"];
        let resumed = answer(&[&words[..], &["--resume", state]].concat());
        assert_eq!(resumed, answer(&words));
    }
}

/// Rows of a sweep that were found before Ctrl-C are not found again, and the files are those of an unbroken one.
#[cfg(unix)]
#[test]
fn a_sweep_that_is_stopped_goes_on() {
    let folder = folder("swept");
    for name in ["sweep.csv", "sweep.parquet"] {
        let (broken, whole) = (
            folder.join(format!("broken_{name}")),
            folder.join(format!("whole_{name}")),
        );
        let sweep = |out: &Path| {
            let mut command = grundy();
            let words = ["sweep", "0.0[0-3][1-7]", "--to", "3000", "--output"];
            command.args(words).arg(out);
            command
        };
        let part = folder.join(format!("broken_{name}.part"));
        // Each line is a row, but for the first.
        let kept = || std::fs::read_to_string(&part).map_or(0, |text| text.lines().count());
        for more in [2, 5, 3] {
            let before = kept();
            let mut child = sweep(&broken).spawn().unwrap();
            while kept() < before + more && child.try_wait().unwrap().is_none() {
                thread::sleep(Duration::from_millis(2));
            }
            let output = common::interrupt(child);
            assert_eq!(output.status.code(), Some(130), "{output:?}");
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(said.contains("the same command goes on"), "{said}");
            assert!(!broken.exists());
        }
        let rows = kept();
        let told = sweep(&broken).output().unwrap().stdout;
        let told = String::from_utf8(told).unwrap();
        let from = format!("{} of them from an earlier run", rows - 1);
        assert!(rows > 10 && told.contains(&from), "{rows} {told}");
        assert!(sweep(&whole).output().unwrap().status.success());
        assert!(std::fs::read(&broken).unwrap() == std::fs::read(&whole).unwrap());
    }
    let bytes = std::fs::read(folder.join("whole_sweep.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let wanted = ["checked_to", "same_as", "0.0[0-3][1-7]", "0.037"];
    for text in wanted {
        assert!(
            bytes.windows(text.len()).any(|w| w == text.as_bytes()),
            "{text}"
        );
    }
}
