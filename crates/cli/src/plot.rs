//! The command `plot`: pictures of tables, in files and on the terminal.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use grundy::open::Opened;
use grundy::picture::{self as facade, Picture};
use grundy::{Arguments, Budget, Code, Diagnostic, Engine, Source};
use grundy_plot::{Depth, Kind, Labels, Map, Repeat, Scale, Screen, Series, Theme};

use crate::args::{Bounds, Query, Threads, When, bounds};
use crate::output::{Output, unwritable};
use crate::period::Ticker;
use crate::style::Style;
use crate::{Done, Failure, broken, clear_progress, grouped, one, print, report, with_memory};

/// What is asked for.
#[derive(Args, Debug)]
pub struct Wanted {
    #[command(flatten)]
    pub query: Query,
    #[command(flatten)]
    pub threads: Threads,
    /// The largest counter, or one for each [default: 200 of one, 60 of two].
    #[arg(long, value_name = "N[,M]", value_parser = bounds, allow_negative_numbers = true)]
    pub to: Option<Bounds>,
    /// Write the picture to this file, whose name ends in .svg or .png.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw with letters, as wide as the terminal.
    #[arg(long)]
    pub term: bool,
    /// What is drawn.
    #[arg(long, value_name = "KIND", default_value = "values")]
    pub kind: KindArg,
    /// How values become heights or colours.
    #[arg(long, value_name = "SCALE")]
    pub scale: Option<ScaleArg>,
    /// The number that values are taken modulo [default: 8 with --scale mod].
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(2..=256))]
    pub modulus: Option<u32>,
    /// The colours of a file.
    #[arg(long, value_name = "THEME", default_value = "light")]
    pub theme: ThemeArg,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    /// Grundy values, or outcomes where there are none.
    Values,
    /// Who wins.
    Outcomes,
}

/// How values become heights or colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScaleArg {
    /// As they are.
    Linear,
    /// By their logarithm.
    Log,
    /// By their remainder.
    Mod,
}

/// Colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThemeArg {
    /// Dark on white.
    Light,
    /// Light on near black.
    Dark,
}

/// The modulus unless one is given.
const MODULUS: u32 = 8;
/// Letters of a line where no terminal says how many.
const COLUMNS: usize = 80;

/// A kind of file.
#[derive(Clone, Copy)]
enum File {
    Svg,
    Png,
}

fn usage(message: &str, help: &str) -> Failure {
    let error = Diagnostic::error(Code::BadArgument, &Source::new("", ""), message);
    vec![error.help(help)]
}

fn nowhere(message: &str, help: &str) -> Failure {
    vec![broken(message, help)]
}

/// What the name of a file says that it is.
fn kind_of(file: &Path) -> Result<File, Failure> {
    match file.extension().and_then(|e| e.to_str()) {
        Some("svg") => Ok(File::Svg),
        Some("png") => Ok(File::Png),
        _ => Err(nowhere(
            &format!(
                "`{}` does not say which kind of picture to write",
                file.display()
            ),
            "give a name that ends in .svg or .png",
        )),
    }
}

/// Draws.
pub fn run(color: When, wanted: &Wanted, budget: &Budget) -> Done {
    let scale = match (wanted.scale, wanted.modulus) {
        (None | Some(ScaleArg::Mod), Some(m)) => Scale::Mod(m),
        (Some(ScaleArg::Mod), None) => Scale::Mod(MODULUS),
        (None | Some(ScaleArg::Linear), None) => Scale::Linear,
        (Some(ScaleArg::Log), None) => Scale::Log,
        (Some(_), Some(_)) => {
            return Err(usage(
                "`--modulus` is of no use with this `--scale`",
                "give `--scale mod`, or leave one out",
            ));
        }
    };
    let file = match &wanted.output {
        Some(file) => Some((file.as_path(), kind_of(file)?)),
        None if wanted.term => None,
        None => {
            return Err(nowhere(
                "nothing says where the picture should go",
                "write it to a file: `-o picture.svg` or `-o picture.png`, or draw it here: `--term`",
            ));
        }
    };
    let query = &wanted.query;
    let Opened { game, warnings } = grundy::open(&query.game)?;
    report(&warnings, Style::stderr(color));
    let args = Arguments::parse(&query.args).map_err(one)?;
    let engine = Engine::parse(&query.engine).map_err(one)?;
    // What cannot be written is better known before than after.
    let output = match file {
        Some((file, _)) => Some(Output::open(Some(file)).map_err(|e| unwritable(Some(file), &e))?),
        None => None,
    };
    if output.is_some() {
        // From now on Ctrl-C has a file to remove.
        budget.stopped();
    }
    let asked = facade::Wanted {
        to: wanted.to.as_ref().map(|Bounds(to)| &to[..]),
        outcomes: wanted.kind == KindArg::Outcomes,
        engine,
    };
    let (hook, mut ticker) = (with_memory(color), Ticker::new());
    let mut told = |p: &grundy::period::Progress, to| ticker.values(p, to);
    let picture = facade::picture(&game, &args, &asked, budget, Some(&hook), &mut told);
    clear_progress();
    let (picture, labels) = drawn(picture.map_err(one)?, scale);
    if let (Some((file, kind)), Some(mut output)) = (file, output) {
        let theme = match wanted.theme {
            ThemeArg::Light => Theme::Light,
            ThemeArg::Dark => Theme::Dark,
        };
        let bytes = match kind {
            File::Svg => grundy_plot::svg(&picture, &labels, theme).into_bytes(),
            File::Png => grundy_plot::png(&picture, &labels, theme),
        };
        let done = output.write_all(&bytes).and_then(|()| output.finish());
        done.map_err(|e| unwritable(Some(file), &e))?;
    }
    match wanted.term {
        true => print(&grundy_plot::term(&picture, &labels, &screen(color))),
        false => Ok(true),
    }
}

/// The picture with its texts.
fn drawn(picture: Picture, scale: Scale) -> (grundy_plot::Picture, Labels) {
    let what = if picture.by_value {
        "Grundy values"
    } else {
        "Outcomes"
    };
    let sides = picture.axes.iter().zip(&picture.to);
    let sides: Vec<String> = sides
        .map(|(name, &to)| format!("0 ≤ {name} ≤ {}", grouped(to)))
        .collect();
    let mut subtitle = format!("{what}, {}", sides.join(", "));
    if !picture.fixed.is_empty() {
        subtitle.push_str(&format!(", with {}", picture.fixed));
    }
    let mut notes = picture.known;
    notes.extend(picture.no_values.map(str::to_owned));
    if let Some(period) = &picture.period
        && period.from > picture.to[0]
        && picture.by_value
    {
        notes.push(format!(
            "The period begins to the right of this picture, at {}.",
            grouped(period.from)
        ));
    }
    let labels = Labels {
        title: picture.title,
        subtitle,
        notes,
    };
    let numbers = |n: u32| {
        if n == facade::MISSING {
            grundy_plot::MISSING
        } else {
            n
        }
    };
    let cells: Vec<u32> = picture.numbers.into_iter().map(numbers).collect();
    let drawn = match (&picture.to[..], picture.by_value) {
        ([to], true) => grundy_plot::Picture::Series(Series {
            axis: picture.axes[0].clone(),
            values: cells,
            scale,
            repeat: picture.period.map(|period| Repeat {
                from: period.from,
                length: period.length,
                label: match period.saltus {
                    0 => format!("period {}", grouped(period.length)),
                    s => format!("period {}, saltus {}", grouped(period.length), grouped(s)),
                },
                // Where no period is in sight there is nothing that they are exceptions to.
                exceptions: if period.from <= *to {
                    period.exceptions
                } else {
                    Vec::new()
                },
            }),
        }),
        (to, by_value) => grundy_plot::Picture::Map(Map {
            axes: picture.axes,
            size: [to[0] as usize + 1, to.get(1).map_or(1, |n| *n as usize + 1)],
            cells,
            kind: if by_value {
                Kind::Values(scale)
            } else {
                Kind::Outcomes
            },
        }),
    };
    (drawn, labels)
}

/// What the terminal can show.
fn screen(color: When) -> Screen {
    let width =
        terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    // The first that is set tells the letters; where none is, most terminals know them all.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| {
        let value = std::env::var(name).ok()?;
        (!value.is_empty()).then(|| value.to_ascii_lowercase())
    });
    Screen {
        columns: width.unwrap_or(COLUMNS),
        unicode: locale.is_none_or(|l| l.contains("utf-8") || l.contains("utf8")),
        colour: match std::env::var("COLORTERM").as_deref() {
            _ if !Style::stdout(color).on() => Depth::None,
            Ok("truecolor" | "24bit") => Depth::Full,
            _ => Depth::Cube,
        },
    }
}
