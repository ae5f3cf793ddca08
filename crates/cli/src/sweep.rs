//! `sweep`: the periods of all codes of a pattern, as csv or Parquet. Rows of a sweep into a file go to FILE.part one by one,
//! as csv, from which the same command goes on if it was stopped, and to FILE when all are there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use grundy::sweep::{COLUMNS, Row, expand};
use grundy::{Budget, Code};
use grundy_export::{Column, Kind, Parquet};

use crate::output::unwritable;
use crate::period::Ticker;
use crate::style::put;
use crate::{Done, Failure, broken, clear_progress, grouped, one, print};

/// Resolves all codes of a pattern.
pub fn sweep(pattern: &str, to: u64, output: Option<&str>, budget: &Budget) -> Done {
    let whole = match output.and_then(|file| Path::new(file).extension()) {
        Some(ending) if ending == "parquet" => parquet,
        Some(ending) if ending != "csv" => {
            return Err(vec![broken(
                &format!(
                    "`{}` does not say which format to write",
                    output.unwrap_or_default()
                ),
                "give a name that ends in .csv or .parquet",
            )]);
        }
        _ => csv,
    };
    let (codes, none) = expand(pattern).map_err(one)?;
    let mut part = match output {
        Some(file) => Some(Part::open(
            file,
            &format!("# grundy sweep {pattern} --to {to}\n"),
            &codes,
        )?),
        None => None,
    };
    let mut rows = part
        .as_mut()
        .map_or_else(Vec::new, |p| std::mem::take(&mut p.rows));
    let resumed = rows.len();
    let mut ticker = Ticker::new();
    let mut failed = None;
    let done = grundy::sweep::sweep(&codes, to, &rows.clone(), budget, &mut |row| {
        let written = match &mut part {
            Some(part) => part.file.write_all(row.line().as_bytes()).map(|()| true),
            None if rows.is_empty() => put(&(header() + &row.line())),
            None => put(&row.line()),
        };
        rows.push(row.clone());
        let count = rows.len() as u64;
        let all = codes.len() as u64;
        ticker.tell(count, all, || {
            format!("{} of {} codes", grouped(count), grouped(all))
        });
        match written {
            // Nobody reads any more.
            Ok(false) => false,
            Ok(true) => failed.is_none(),
            Err(error) => {
                failed = Some(error);
                false
            }
        }
    });
    clear_progress();
    if let Some(error) = failed {
        return Err(unwritable(output.map(Path::new), &error));
    }
    let Some(part) = part else {
        return match done {
            Err(error) if error.code == Code::Interrupted && !budget.stopped() => Ok(true),
            done => done.map(|()| true).map_err(one),
        };
    };
    done.map_err(|error| {
        let stopped = error.code == Code::Interrupted;
        let note = format!(
            "{} of {} codes are in `{}`, from which the same command goes on",
            rows.len(),
            codes.len(),
            part.name
        );
        one(if stopped {
            Box::new(error.note(note))
        } else {
            error
        })
    })?;
    let whole = whole(&rows, pattern, to).map_err(|e| unwritable(output.map(Path::new), &e))?;
    part.finish(&whole)?;
    print(&summary(
        &rows,
        none,
        resumed,
        to,
        output.unwrap_or_default(),
    ))
}

/// The names of the columns, a line.
fn header() -> String {
    COLUMNS.join(",") + "\n"
}

/// The rows as comma-separated values.
fn csv(rows: &[Row], _: &str, _: u64) -> io::Result<Vec<u8>> {
    let lines: String = rows.iter().map(Row::line).collect();
    Ok((header() + &lines).into_bytes())
}

/// The rows as a Parquet file; numbers that are not there are null, texts empty.
fn parquet(rows: &[Row], pattern: &str, to: u64) -> io::Result<Vec<u8>> {
    let kind = |name: &&'static str| match *name {
        "period" | "preperiod" | "saltus" | "max" | "checked_to" => Kind::MaybeU64,
        _ => Kind::Text,
    };
    let columns = COLUMNS.each_ref().map(|name| (*name, kind(name)));
    let (to, version) = (to.to_string(), env!("CARGO_PKG_VERSION"));
    let about = [
        ("pattern", pattern),
        ("to", &to),
        ("version", &format!("grundy {version}")),
    ];
    let cells: Vec<_> = rows.iter().map(Row::cells).collect();
    let column = |i: usize| {
        let cells = cells.iter().map(|row| row[i].clone());
        match columns[i].1 {
            Kind::MaybeU64 => Column::MaybeU64(cells.map(|cell| cell.parse().ok()).collect()),
            _ => Column::Text(cells.collect()),
        }
    };
    let mut bytes = Vec::new();
    let mut out = Parquet::new(&mut bytes, &columns, &about)?;
    out.block(&(0..columns.len()).map(column).collect::<Vec<_>>())?;
    out.finish()?;
    Ok(bytes)
}

fn summary(rows: &[Row], none: usize, resumed: usize, to: u64, file: &str) -> String {
    let count = |wanted: fn(&Row) -> bool| rows.iter().filter(|r| wanted(r)).count();
    let proved = count(|r| r.period.is_some());
    let same = count(|r| r.same.is_some());
    let mut out = format!("{} codes in {file}\n", rows.len());
    if resumed > 0 {
        out += &format!("  {resumed} of them from an earlier run\n");
    }
    if none > 0 {
        out += &format!(
            "  {none} more match and are no games: nothing may be taken, or without end\n"
        );
    }
    out += &format!(
        "  {proved} have a period that is proved, {} none by the heaps up to {to}\n",
        rows.len() - proved
    );
    out += &format!("  {same} have the values of an earlier one, see `same_as`\n");
    out
}

/// A file of rows that is not complete.
struct Part {
    target: String,
    name: String,
    file: File,
    /// The rows of an earlier run.
    rows: Vec<Row>,
}

impl Part {
    fn open(target: &str, title: &str, codes: &[String]) -> Result<Part, Failure> {
        let name = format!("{target}.part");
        let failed = |error: io::Error| unwritable(Some(Path::new(&name)), &error);
        if Path::new(target).is_dir() {
            let error = io::Error::from(io::ErrorKind::IsADirectory);
            return Err(unwritable(Some(Path::new(target)), &error));
        }
        let mut text = match fs::read_to_string(&name) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        if !text.is_empty() && !text.starts_with(title) && !title.starts_with(&text) {
            let message = format!("`{name}` is of another sweep");
            let first = text.lines().next().unwrap_or_default();
            return Err(vec![
                broken(&message, "remove it, or write to another file")
                    .note(format!("it begins with `{first}`")),
            ]);
        }
        let (mut rows, mut good) = (Vec::new(), title.len().min(text.len()));
        // A line may have been cut off when the run was.
        for line in text[good..].split_inclusive('\n') {
            let row = line.strip_suffix('\n').and_then(Row::read);
            match row.filter(|row| codes.get(rows.len()) == Some(&row.code)) {
                Some(row) => rows.push(row),
                None => break,
            }
            good += line.len();
        }
        text.truncate(good);
        if good < title.len() {
            text = title.to_owned();
        }
        fs::write(&name, &text).map_err(failed)?;
        let file = OpenOptions::new()
            .append(true)
            .open(&name)
            .map_err(failed)?;
        Ok(Part {
            target: target.to_owned(),
            name,
            file,
            rows,
        })
    }

    /// Puts the whole in its place.
    fn finish(self, bytes: &[u8]) -> Result<(), Failure> {
        let new = format!("{}.{}.new", self.target, std::process::id());
        let done = fs::write(&new, bytes)
            .and_then(|()| fs::rename(&new, &self.target))
            .and_then(|()| fs::remove_file(&self.name));
        done.map_err(|error| {
            let _ = fs::remove_file(&new);
            unwritable(Some(Path::new(&self.target)), &error)
        })
    }
}
