//! The command `table`: tables of any length, printed, written to a file, or as a checksum.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use grundy::ir::Game;
use grundy::open::Opened;
use grundy::positions::Positions;
use grundy::sequence::Sequence;
use grundy::{Arguments, Budget, Code, Diagnostic, Engine, Keep, Source, room};
use grundy_export::{Column, Kind, Parquet};

use crate::args::{Format, Query, When};
use crate::output::{Output, unwritable};
use crate::period::Ticker;
use crate::style::Style;
use crate::{
    Done, Failure, broken, clear_progress, grouped, json, note, one, report, show, texts,
    with_memory, with_warnings,
};

/// What is asked for.
pub struct Wanted<'a> {
    pub to: &'a [u64],
    pub format: Format,
    pub checksum: bool,
    pub p_positions: bool,
    pub output: Option<&'a Path>,
    pub resume: Option<&'a Path>,
}

/// Tables of a one-heap game with more cells than this are computed by a kernel; smaller ones by the theorem that explains them.
const FEW: u64 = 2000;
/// Rows of a row group of a Parquet file, in blocks of the sequence.
const GROUP: usize = 16;
/// Rows of a row group of a list of P-positions.
const ROWS: usize = 1 << 20;
/// How often the state of a run is kept.
const KEEP: Duration = Duration::from_secs(60);

pub fn run(color: When, query: &Query, wanted: &Wanted, budget: &Budget) -> Done {
    let bytes = !wanted.checksum && matches!(wanted.format, Format::Npy | Format::Parquet);
    if bytes && Output::terminal(wanted.output) {
        return Err(vec![broken(
            "these bytes are not for a terminal",
            "write them to a file: `--output FILE`",
        )]);
    }
    let Opened { game, warnings } = grundy::open(&query.game)?;
    report(&warnings, Style::stderr(color));
    let args = Arguments::parse(&query.args).map_err(one)?;
    let engine = Engine::parse(&query.engine).map_err(one)?;
    if wanted.p_positions {
        return p_positions(color, &game, &args, engine, wanted, &warnings, budget);
    }
    let exact = bytes || wanted.checksum || wanted.resume.is_some();
    let long = exact || wanted.to.iter().any(|&n| n > FEW);
    let mut sequence = match engine {
        Engine::Auto if long => Sequence::read(&game, &args, wanted.to).map_err(one)?,
        _ => None,
    };
    if let (Some(_), None) = (wanted.resume, &sequence) {
        let message = "`--resume` keeps the state of kernels, which know games of one heap that are take-and-break codes";
        let error = Diagnostic::error(Code::Unsupported, &game.source, message);
        return Err(vec![
            error.help("leave out `--resume`, and `--engine` if it is given"),
        ]);
    }
    // What cannot be kept or written is better known before than after.
    let mut output = Output::open(wanted.output).map_err(|e| unwritable(wanted.output, &e))?;
    if wanted.output.is_some() {
        // From now on Ctrl-C has a file to remove.
        budget.stopped();
    }
    let keep = wanted.resume.map(keep);
    if let (Some(keep), Some(sequence)) = (&keep, &mut sequence) {
        sequence.resume(keep).map_err(one)?;
    }
    if let Some(s) = &mut sequence {
        enough_disk(s, wanted, &output)?;
        let (mut ticker, to) = (Ticker::new(), s.to());
        let fits = s.compute(budget, keep.as_ref(), &mut |p| ticker.values(p, to));
        clear_progress();
        let fits = fits.map_err(one)?;
        if !fits {
            sequence = None;
        }
    }
    let listed = match sequence {
        Some(_) => None,
        None => {
            let hook = with_memory(color);
            let table = grundy::table::table(&game, &args, wanted.to, engine, budget, Some(&hook));
            clear_progress();
            Some(table.map_err(one)?)
        }
    };
    if let (Some(table), true) = (&listed, exact) {
        sequence = Some(Sequence::listed(&game, &args, table).map_err(one)?);
    }
    let style = match wanted.output {
        None => Style::stdout(color),
        Some(_) => Style::new(color, false),
    };
    let wide = (bytes || wanted.checksum) && sequence.as_ref().is_some_and(Sequence::wide);
    if wide
        && sequence
            .as_ref()
            .is_some_and(|s| s.largest() > u64::from(u32::MAX))
    {
        return Err(vec![too_large()]);
    }
    if wide {
        note(color, "a value is past 65,535: all are written as 32 bits");
    }
    let written = match (&sequence, &listed) {
        (Some(s), _) if wanted.checksum => match s.checksum() {
            Some(sum) if wanted.format == Format::Json => {
                let answer = with_warnings(s.checksum_json(&sum), &warnings);
                output.write_all(json::layout(&answer).as_bytes())
            }
            Some(sum) => writeln!(output, "{sum}"),
            None => return Err(vec![too_large()]),
        },
        (Some(s), _) if wanted.format == Format::Npy => npy(&mut output, s, wide),
        (Some(s), _) if wanted.format == Format::Parquet => parquet(&mut output, s, wide),
        (Some(s), None) => match wanted.format {
            Format::Csv => s.write_csv(&mut output),
            Format::Json => s.write_json(texts(&warnings), &mut output),
            _ => show::sequence(&mut output, s, style),
        },
        (_, Some(table)) => match wanted.format {
            Format::Csv => table.write_csv(&mut output),
            Format::Json => table.write_json(texts(&warnings), &mut output),
            _ => show::table(&mut output, table, style),
        },
        (None, None) => Ok(()),
    };
    done(written.and_then(|()| output.finish()), wanted)
}

/// Lists the P-positions of a table.
fn p_positions(
    color: When,
    game: &Arc<Game>,
    args: &Arguments,
    engine: Engine,
    wanted: &Wanted,
    warnings: &[Diagnostic],
    budget: &Budget,
) -> Done {
    let refuse = |message: &str, help: &str| {
        let error = Diagnostic::error(Code::Unsupported, &game.source, message);
        Err(vec![error.help(help)])
    };
    if wanted.resume.is_some() {
        return refuse(
            "a list of P-positions keeps no state",
            "leave out `--resume`",
        );
    }
    if wanted.format == Format::Npy && !wanted.checksum {
        return refuse(
            "the head of an npy file says how many rows follow, and P-positions are listed as they are found",
            "ask for text, csv, json or parquet",
        );
    }
    let mut output = Output::open(wanted.output).map_err(|e| unwritable(wanted.output, &e))?;
    if wanted.output.is_some() {
        budget.stopped();
    }
    let hook = with_memory(color);
    let found = Positions::new(game, args, wanted.to, engine, budget, Some(&hook));
    clear_progress();
    let found = found.map_err(one)?;
    if let Some(text) = found.note() {
        note(color, text);
    }
    if wanted.checksum {
        let sum = found.checksum(budget, Some(&hook));
        clear_progress();
        let sum = sum.map_err(one)?;
        let written = if wanted.format == Format::Json {
            let mut answer = found.heading();
            answer["sha256"] = sum.into();
            output.write_all(json::layout(&with_warnings(answer, warnings)).as_bytes())
        } else {
            writeln!(output, "{sum}")
        };
        return done(written.and_then(|()| output.finish()), wanted);
    }
    found.ready(budget, Some(&hook)).map_err(one)?;
    let each = |put: &mut Put<'_>| {
        let mut written = Ok(());
        let done = found.each(budget, Some(&hook), &mut |at| match put(at) {
            Ok(()) => ControlFlow::Continue(()),
            error => {
                written = error;
                ControlFlow::Break(())
            }
        });
        clear_progress();
        done.map(|()| written)
    };
    let written = match wanted.format {
        Format::Parquet => columns(&mut output, &found, each),
        format => show::positions(&mut output, &found, format, warnings, each),
    };
    match written {
        Ok(written) => done(written.and_then(|()| output.finish()), wanted),
        Err(error) => Err(one(error)),
    }
}

/// Writes one of the P-positions.
pub type Put<'a> = dyn FnMut(&[u64]) -> io::Result<()> + 'a;

/// Writes P-positions in a column for each counter.
fn columns(
    out: &mut Output,
    found: &Positions,
    each: impl FnOnce(&mut Put<'_>) -> grundy::Result<io::Result<()>>,
) -> grundy::Result<io::Result<()>> {
    let kind = |to| match u32::try_from(to) {
        Ok(_) => Kind::U32,
        Err(_) => Kind::MaybeU64,
    };
    let columns: Vec<_> = found.axes().map(|(name, to)| (name, kind(to))).collect();
    let about = found.about();
    let about: Vec<_> = about.iter().map(|(key, text)| (*key, &**text)).collect();
    let mut file = match Parquet::new(out, &columns, &about) {
        Ok(file) => file,
        Err(error) => return Ok(Err(error)),
    };
    let mut lists = vec![Vec::new(); columns.len()];
    let mut write = |lists: &mut [Vec<u64>]| {
        let block = lists.iter().zip(&columns).map(|(list, (_, kind))| {
            let list = list.iter();
            match kind {
                Kind::U32 => Column::Small(list.map(|&x| x as u32).collect()),
                _ => Column::MaybeU64(list.map(|&x| Some(x)).collect()),
            }
        });
        let written = file.block(&block.collect::<Vec<_>>());
        lists.iter_mut().for_each(Vec::clear);
        written
    };
    let written = each(&mut |at| {
        for (list, &x) in lists.iter_mut().zip(at) {
            list.push(x);
        }
        if lists[0].len() < ROWS {
            return Ok(());
        }
        write(&mut lists)
    })?;
    let rest = written.and_then(|()| match lists[0].is_empty() {
        true => Ok(()),
        false => write(&mut lists),
    });
    Ok(rest.and_then(|()| file.finish()))
}

fn done(written: io::Result<()>, wanted: &Wanted) -> Done {
    match written {
        // Nobody reads any more.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe && wanted.output.is_none() => Ok(true),
        Err(e) => Err(unwritable(wanted.output, &e)),
        Ok(()) => Ok(true),
    }
}

fn npy(out: &mut dyn Write, s: &Sequence, wide: bool) -> io::Result<()> {
    grundy_export::npy(out, &lengths(s), if wide { 4 } else { 2 })?;
    s.write_binary(wide, out)
}

/// How long each side of the table is.
fn lengths(s: &Sequence) -> Vec<u64> {
    s.sides().iter().map(|(_, to)| to + 1).collect()
}

fn parquet(out: &mut Output, s: &Sequence, wide: bool) -> io::Result<()> {
    let lengths = lengths(s);
    let counters: Vec<(&str, Kind)> = match s.sides() {
        [_] => vec![("n", Kind::Rising)],
        sides => sides.iter().map(|(name, _)| (&**name, Kind::U32)).collect(),
    };
    let values = ("grundy", if wide { Kind::U32 } else { Kind::U16 });
    let columns: Vec<_> = counters.into_iter().chain([values]).collect();
    let about = s.about();
    let about: Vec<(&str, &str)> = about
        .iter()
        .map(|(key, text)| (*key, text.as_str()))
        .collect();
    let mut file = Parquet::new(out, &columns, &about)?;
    let mut blocks = s.blocks().peekable();
    while let Some(&(from, _)) = blocks.peek() {
        let values: Vec<u32> = blocks
            .by_ref()
            .take(GROUP)
            .flat_map(|(_, values)| values.into_iter().map(|v| v as u32))
            .collect();
        let cells = from..from + values.len() as u64;
        let mut block = Vec::new();
        // What one step along a side goes past.
        let mut stride: u64 = lengths.iter().product();
        for length in &lengths {
            stride /= length;
            block.push(match lengths[..] {
                [_] => Column::Rising(cells.clone().collect()),
                _ => Column::Small(
                    cells
                        .clone()
                        .map(|c| (c / stride % length) as u32)
                        .collect(),
                ),
            });
        }
        block.push(Column::Small(values));
        file.block(&block)?;
    }
    file.finish()
}

/// Whether what is certain to be written has room where it goes.
fn enough_disk(s: &Sequence, wanted: &Wanted, output: &Output) -> Result<(), Failure> {
    let Some(free) = output.folder().and_then(room::disk) else {
        return Ok(());
    };
    let values = s.to() + 1;
    let need = match wanted.format {
        _ if wanted.checksum => 0,
        Format::Npy => grundy_export::npy_size(&lengths(s), 2),
        Format::Csv => s.least_text(false),
        Format::Json => s.least_text(true),
        Format::Text => values.saturating_mul(2),
        // Where values repeat it may be small.
        Format::Parquet => 0,
    };
    if need <= free {
        return Ok(());
    }
    let message = format!(
        "{} values take at least {} on the disk, and it has {} left",
        grouped(values),
        room::text(need),
        room::text(free)
    );
    Err(vec![broken(
        &message,
        "write fewer values, or to another disk",
    )])
}

fn too_large() -> Diagnostic {
    let message = "a value is past 4,294,967,295, and is not cut to 32 bits";
    let error = Diagnostic::error(Code::TooLarge, &Source::new("", ""), message);
    error.help("ask for fewer values, or for csv or json")
}

/// Where the state of a run is kept, and how often: tests that break runs off cannot wait for a minute.
pub fn keep(file: &Path) -> Keep {
    let millis = std::env::var("GRUNDY_CHECKPOINT_MS")
        .ok()
        .and_then(|text| text.parse().ok());
    Keep {
        file: file.to_owned(),
        every: millis.map_or(KEEP, Duration::from_millis),
    }
}

/// The format that a file's name asks for: text without an extension.
///
/// # Errors
/// If the extension is that of no format.
pub fn format_of(output: &Path) -> Result<Format, Failure> {
    let Some(extension) = output.extension() else {
        return Ok(Format::Text);
    };
    match extension.to_str() {
        Some("txt") => Ok(Format::Text),
        Some("csv") => Ok(Format::Csv),
        Some("json") => Ok(Format::Json),
        Some("npy") => Ok(Format::Npy),
        Some("parquet") => Ok(Format::Parquet),
        _ => Err(vec![broken(
            &format!("`{}` does not say which format to write", output.display()),
            "give a name that ends in .txt, .csv, .json, .npy or .parquet, or say it: `--format csv`",
        )]),
    }
}
