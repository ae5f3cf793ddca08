//! What may be said on the command line. Help, man page and completions are made from this one definition.

use std::borrow::Cow;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use grundy::Budget;
use grundy::table::MOST;

/// Who wins an impartial game, how to win it, and why.
///
/// GAME is a game of the catalogue (`grundy games` lists them), a file NAME.game, a code such as 0.77 or
/// 'subtract{1,3,4}', or a rule in quotes such as 'n -> n - k for k in 1..3'.
#[derive(Debug, Parser)]
#[command(name = "grundy", version, max_term_width = 100)]
#[command(
    after_help = "Answers go to standard output, everything else to standard error.\n\
                        Exit status: 0 answered, 1 a check failed, 2 bad use, 130 stopped by Ctrl-C."
)]
pub struct Cli {
    /// When to use colour.
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    pub color: When,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// What the arguments say, or the help or complaint that they call for.
    pub fn read() -> Result<Self, clap::Error> {
        match Cli::plain_judge(std::env::args_os()) {
            Some(cli) => Ok(cli),
            None => Cli::try_parse(),
        }
    }

    /// `judge GAME` and no more, as scripts say it a thousand times: to build the definitions of all commands for that takes
    /// longer than to answer.
    fn plain_judge(args: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut args = args.into_iter().skip(1);
        let (word, game) = (args.next()?, args.next()?.into_string().ok()?);
        if word != "judge" || game.starts_with('-') || args.next().is_some() {
            return None;
        }
        Some(Cli {
            color: When::Auto,
            command: Some(Command::Judge {
                game,
                json: false,
                strict: false,
                engine: "auto".to_owned(),
                memory: Budget::DEFAULT_MEMORY,
            }),
        })
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A game, its arguments, and what a computation may use.
#[derive(Args, Debug)]
pub struct Query {
    /// A name from the catalogue, a file, a code, or a rule in quotes.
    #[arg(value_name = "GAME")]
    pub game: String,
    /// Numbers in the order of the game's input, or NAME=VALUE; lists as [1,2,3].
    #[arg(value_name = "ARGS", allow_negative_numbers = true)]
    pub args: Vec<String>,
    /// How to find the answer: auto, search, the name of a theorem, or in an array by rays, jit or interpret.
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub engine: String,
    /// The most memory that a search may take, such as 512M or 8G.
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size)]
    pub memory: u64,
}

/// How many threads may work.
#[derive(Args, Debug)]
pub struct Threads {
    /// How many threads may work at the same time; 0 for as many as there are cores.
    #[arg(long, short = 'j', value_name = "N", default_value = "0", value_parser = natural::<usize>,
          allow_negative_numbers = true)]
    pub threads: usize,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say who wins a position, and give its winning moves.
    ///
    /// Examples:
    ///   grundy solve wythoff 14 9
    ///   grundy solve 'n -> n - k for k in 1..3' 10
    ///   grundy solve team_nim n=1 S=101 M=[4,4]
    #[command(verbatim_doc_comment)]
    Solve {
        #[command(flatten)]
        query: Query,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// The most winning moves to list; their number is told in any case.
        #[arg(long, value_name = "N", default_value = "20", value_parser = natural::<usize>,
              allow_negative_numbers = true)]
        limit: usize,
    },
    /// Tabulate the positions of one to four counters.
    ///
    /// Examples:
    ///   grundy table 0.77 --to 60
    ///   grundy table wythoff --to 12,20 --format csv
    ///   grundy table 'n -> n - k*k for k in 1..isqrt(n)' --to 1000000 --checksum
    ///   grundy table 0.106 --to 10000000 --output values.parquet
    ///   grundy table 0.454 --to 10000000 --checksum
    ///   grundy table wythoff --to 10000000 --p-positions --format csv
    #[command(verbatim_doc_comment)]
    Table {
        #[command(flatten)]
        query: Query,
        /// The largest counter, or one for each.
        #[arg(long, value_name = "N[,M...]", value_parser = bounds, allow_negative_numbers = true)]
        to: Bounds,
        /// How to print it; else as the name of the output ends, or as text.
        #[arg(long, value_name = "FORMAT")]
        format: Option<Format>,
        /// The same as --format json.
        #[arg(long)]
        json: bool,
        /// Write to this file instead, which is there only once it is whole.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Print only the SHA-256 of the values as little-endian numbers of 16 bits, or of 32 if one is past 65,535;
        /// with --p-positions of the outcomes, a bit each.
        #[arg(long)]
        checksum: bool,
        #[command(flatten)]
        threads: Threads,
        /// List the P-positions only, one a line, of a table that need not fit into memory.
        #[arg(long)]
        p_positions: bool,
        /// Keep the state of the run in this file, every minute and at Ctrl-C, and go on from it if it is there.
        #[arg(long, value_name = "FILE")]
        resume: Option<PathBuf>,
    },
    /// Draw the values or outcomes of one or two counters, as SVG, PNG, or on the terminal.
    ///
    /// One counter gives points, with the period and the exceptions before it where one is proved;
    /// two give a map of colours, with the P-positions marked.
    ///
    /// Examples:
    ///   grundy plot 0.77 -o kayles.svg
    ///   grundy plot wythoff --to 500 --scale mod --modulus 4 --theme dark -o wythoff.png
    ///   grundy plot wythoff --to 30 --kind outcomes --term
    #[command(verbatim_doc_comment)]
    Plot(Box<crate::plot::Wanted>),
    /// Say why: which theorems were asked, which applies, and the argument for this position.
    ///
    /// Example:
    ///   grundy explain stone_box 9 3 17 4
    #[command(verbatim_doc_comment)]
    Explain {
        #[command(flatten)]
        query: Query,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Answer a contest's input, in the contest's format.
    ///
    /// Examples:
    ///   grundy judge poj2068 < in.txt > out.txt
    ///   grundy judge wythoff --json < in.txt > cases.ndjson
    #[command(verbatim_doc_comment)]
    Judge {
        /// A game with an input and an output format.
        #[arg(value_name = "GAME")]
        game: String,
        /// Print a line of JSON for each case instead, as soon as it is answered.
        #[arg(long)]
        json: bool,
        /// Refuse numbers past the contest's own limits.
        #[arg(long)]
        strict: bool,
        /// How to find the answers: auto, search, or the name of a theorem.
        #[arg(long, value_name = "ENGINE", default_value = "auto")]
        engine: String,
        /// The most memory that a search may take, such as 512M or 8G.
        #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size)]
        memory: u64,
    },
    /// Test a program: random inputs, its output against ours, the smallest input that it gets wrong.
    ///
    /// Without a program: the game's own facts, each `expect` and `sample` of its text.
    ///
    /// Examples:
    ///   grundy check poj1704 -- ./my_solution
    ///   grundy check my.game
    #[command(verbatim_doc_comment)]
    Check {
        /// A game; to test a program, one with an input and an output format.
        #[arg(value_name = "GAME")]
        game: String,
        /// How many random inputs to try.
        #[arg(long, value_name = "N", default_value = "1000", value_parser = natural::<u64>,
              allow_negative_numbers = true)]
        runs: u64,
        /// The first number of the random sequence; the same seed gives the same inputs.
        #[arg(long, value_name = "N", default_value = "1", value_parser = natural::<u64>,
              allow_negative_numbers = true)]
        seed: u64,
        /// How many seconds the program may take for one input.
        #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds,
              allow_negative_numbers = true)]
        timeout: Duration,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// The program and its arguments.
        #[arg(value_name = "COMMAND", last = true)]
        command: Vec<OsString>,
    },
    /// Find the period of the values of a one-heap game, or of a row of a game of two counters, with a proof.
    ///
    /// The rules are read as a take-and-break code, however they are written; with --fix as a set of
    /// pairs that moves take from the two counters. A period is told only if it is proved for all
    /// heaps; else the answer says how far values were computed.
    ///
    /// Examples:
    ///   grundy period 0.77
    ///   grundy period 0.16 --to 1000000 --certificate 0.16.cert
    ///   grundy period 'allbut{2,5}' --json
    ///   grundy period wythoff --fix a=3
    #[command(verbatim_doc_comment)]
    Period {
        /// A name from the catalogue, a file, a code, or a rule in quotes.
        #[arg(value_name = "GAME")]
        game: String,
        /// The parameters that the moves read, as NAME=VALUE; lists as [1,2,3].
        #[arg(value_name = "ARGS", allow_negative_numbers = true)]
        args: Vec<String>,
        /// Fix this counter of two, as in a=3, and look at the values in the other.
        #[arg(long, value_name = "NAME=VALUE", conflicts_with = "resume")]
        fix: Vec<String>,
        /// The largest heap to look at [default: 10000000, or 10000 where moves leave three heaps or more, or 1000000
        /// with --fix].
        #[arg(long, value_name = "N", value_parser = natural::<u64>, allow_negative_numbers = true)]
        to: Option<u64>,
        /// Write a certificate that `grundy verify` and `grundy-check` check.
        #[arg(long, value_name = "FILE")]
        certificate: Option<PathBuf>,
        /// Keep the state of the run in this file, every minute and at Ctrl-C, and go on from it if it is there.
        #[arg(long, value_name = "FILE")]
        resume: Option<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// The most memory that the values may take, such as 512M or 8G.
        #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size)]
        memory: u64,
        #[command(flatten)]
        threads: Threads,
    },
    /// Check a certificate of a period: rules, values and every hypothesis of its theorem.
    ///
    /// Exits with 0 if it is accepted, 1 if it is refused (the first thing that fails is told), 2 if
    /// it cannot be checked, or is no certificate.
    ///
    /// Example:
    ///   grundy verify 0.16.cert
    #[command(verbatim_doc_comment)]
    Verify {
        /// The certificate.
        #[arg(value_name = "FILE")]
        file: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
        /// The most memory that the check may take, such as 512M or 8G.
        #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size)]
        memory: u64,
    },
    /// Find the periods of all codes of a pattern, such as '0.??' or '0.[0-3]7'.
    ///
    /// `?` is any digit from 0 to 7, `[0-3]` any of those. Prints csv. With --output rows go to
    /// FILE.part first; the same command goes on from there if it was stopped. A FILE that ends in
    /// .parquet is a Parquet file, one in .csv or without an ending csv.
    ///
    /// Examples:
    ///   grundy sweep '0.??'
    ///   grundy sweep '0.[0-3]??' --to 1000000 --output sweep.csv
    ///   grundy sweep '0.???' --output sweep.parquet
    #[command(verbatim_doc_comment)]
    Sweep {
        /// A code with wildcards.
        #[arg(value_name = "PATTERN")]
        pattern: String,
        /// The largest heap to look at for each code.
        #[arg(long, value_name = "N", default_value = "10000", value_parser = natural::<u64>,
              allow_negative_numbers = true)]
        to: u64,
        /// Write to a file.
        #[arg(long, short, value_name = "FILE")]
        output: Option<String>,
        /// The most memory that the values of all threads may take, such as 512M or 8G.
        #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size)]
        memory: u64,
        #[command(flatten)]
        threads: Threads,
    },
    /// Play against the program.
    ///
    /// Examples:
    ///   grundy play wythoff 14 9
    ///   grundy play nim 3 4 5 --strength 50
    ///   printf 'h\n4\n' | grundy play wythoff 3 5 --json
    #[command(verbatim_doc_comment)]
    Play {
        #[command(flatten)]
        query: Query,
        /// How often the program plays a best move, in percent.
        #[arg(long, value_name = "0..100", default_value = "100", value_parser = percent,
              allow_negative_numbers = true)]
        strength: u8,
        /// Let the program move first.
        #[arg(long)]
        second: bool,
        /// Makes the program's choices repeatable.
        #[arg(long, value_name = "N", value_parser = natural::<u64>, allow_negative_numbers = true)]
        seed: Option<u64>,
        /// Print a line of JSON for each event, for a program that plays through standard input.
        #[arg(long)]
        json: bool,
    },
    /// Calculate with nimbers: the natural numbers as a field, where + is the nim-sum.
    ///
    /// An expression has, tightest first,
    ///   sqrt(x)    the square root, of which there is one; round brackets
    ///   a ^ e      a power: e is an ordinary integer, such as -1 or (2^8 - 2); 2^3^2 is 2^9
    ///   a * b      the nim-product; a / b the quotient
    ///   a + b      the nim-sum, exclusive or; a - b would be the same
    /// Numbers are decimal, below 2^1048576. Each expression is answered on a line of its own; `-` reads
    /// expressions from standard input, one a line.
    ///
    /// Examples:
    ///   grundy nimber '8*16 + 7/3'
    ///   grundy nimber 'sqrt(6)' '5^-2' '18446744073709551616 * 3'
    ///   seq 1 16 | sed 's/^/8*/' | grundy nimber -
    #[command(verbatim_doc_comment)]
    Nimber {
        /// An expression in quotes, or - for those of standard input.
        #[arg(value_name = "EXPR", required = true, allow_negative_numbers = true)]
        expressions: Vec<String>,
        /// Print JSON, a line for each expression.
        #[arg(long)]
        json: bool,
    },
    /// List the games of the catalogue, or show one: rules, facts, source.
    Games {
        /// A game of the catalogue.
        #[arg(value_name = "NAME")]
        name: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print a completion script for a shell.
    ///
    /// Example:
    ///   grundy completions bash > /etc/bash_completion.d/grundy
    #[command(verbatim_doc_comment)]
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands into a folder.
    Man {
        /// The folder to write into.
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
}

/// How a table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading.
    Text,
    /// Comma-separated values, a line a position.
    Csv,
    /// JSON.
    Json,
    /// An array of NumPy: the values alone, a side for each counter.
    Npy,
    /// A Parquet file: a column for each counter (`n` for one alone) and the column grundy.
    Parquet,
}

/// The bounds of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds(pub Vec<u64>);

/// Reads them.
pub fn bounds(text: &str) -> Result<Bounds, String> {
    let list: Vec<u64> = text
        .split(',')
        .map(|piece| match count(piece) {
            // How long a table may be is said by those who make them.
            Err(error) if *error.kind() == IntErrorKind::PosOverflow => Ok(u64::MAX),
            number => number,
        })
        .collect::<Result<_, _>>()
        .map_err(|_| "a natural number, or some with commas between, such as 30 or 12,20")?;
    if list.len() > MOST {
        return Err(format!("a table has at most {MOST} counters"));
    }
    Ok(Bounds(list))
}

/// The seconds that a run may be given: what a clock can tell apart, and some thirty years.
const LEAST_SECONDS: f64 = 0.001;
const MOST_SECONDS: f64 = 1e9;

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .ok()
        .filter(|s: &f64| *s > 0.0)
        .ok_or("a number of seconds above 0, such as 2 or 0.5")?;
    if !(LEAST_SECONDS..=MOST_SECONDS).contains(&seconds) {
        return Err(format!("from {LEAST_SECONDS} to {MOST_SECONDS} seconds"));
    }
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn count(text: &str) -> Result<u64, ParseIntError> {
    power(text.trim()).parse()
}

/// The digits of a power such as 10^7; what is none stays as it is.
fn power(text: &str) -> Cow<'_, str> {
    let value = text.split_once('^').and_then(|(base, exponent)| {
        let (base, exponent): (u64, u32) = (base.parse().ok()?, exponent.parse().ok()?);
        // Too large for a number is too large for all that asks for one.
        Some(base.checked_pow(exponent).map_or(u128::MAX, u128::from))
    });
    value.map_or(Cow::Borrowed(text), |value| Cow::Owned(value.to_string()))
}

/// A natural number for a T.
fn natural<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    power(text.trim())
        .parse()
        .map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => format!("too large: the most is {}", u64::MAX),
            _ => "a natural number, such as 20".to_owned(),
        })
}

fn percent(text: &str) -> Result<u8, String> {
    let wrong = || "a number from 0 to 100".to_owned();
    text.trim()
        .parse()
        .ok()
        .filter(|n| *n <= 100)
        .ok_or_else(wrong)
}

/// Bytes, with an optional unit.
fn size(text: &str) -> Result<u64, String> {
    let wrong = || "a size such as 512M, 8G or 1000000".to_owned();
    let lower = text.trim().to_ascii_lowercase();
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match lower[digits.len()..]
        .trim_end_matches('b')
        .trim_end_matches('i')
    {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.trim().parse().map_err(|_| wrong())?;
    if number == 0 {
        return Err(wrong());
    }
    number
        .checked_mul(1 << shift)
        .ok_or_else(|| format!("too large: the most is {} bytes", u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn a_plain_judge_is_what_the_definition_makes_of_it() {
        let plain = |words: &[&str]| Cli::plain_judge(words.iter().map(OsString::from));
        for game in ["wythoff", "n -> n - 1", "help", "", "a b", "my.game"] {
            let words = ["grundy", "judge", game];
            let defined = Cli::try_parse_from(words).unwrap();
            let plain = plain(&words).unwrap();
            assert_eq!(format!("{plain:?}"), format!("{defined:?}"));
        }
        for words in [
            &["grundy"][..],
            &["grundy", "judge"],
            &["grundy", "judge", "--help"],
            &["grundy", "judge", "-h"],
            &["grundy", "judge", "wythoff", "--strict"],
            &["grundy", "--color", "never", "judge", "wythoff"],
            &["grundy", "solve", "wythoff"],
        ] {
            assert!(plain(words).is_none(), "{words:?}");
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("8GiB"), Ok(8 << 30));
        assert_eq!(size("1000"), Ok(1000));
        for bad in ["", "G", "-1", "0", "1.5G", "8X", "99999999999G"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_table_has_one_to_four_bounds() {
        assert_eq!(bounds("12,20"), Ok(Bounds(vec![12, 20])));
        assert_eq!(bounds("7"), Ok(Bounds(vec![7])));
        assert_eq!(bounds("1,2,3,4"), Ok(Bounds(vec![1, 2, 3, 4])));
        assert_eq!(bounds("99999999999999999999"), Ok(Bounds(vec![u64::MAX])));
        for bad in ["", "a", "-1", "1,2,3,4,5", "1,"] {
            assert!(bounds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_time_fits_a_clock() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("1e9"), Ok(Duration::from_secs(1_000_000_000)));
        for bad in [
            "",
            "x",
            "-1",
            "0",
            "1e-300",
            "1e300",
            "inf",
            "NaN",
            "1000000001",
        ] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn negative_numbers_are_values() {
        let cli = Cli::try_parse_from(["grundy", "solve", "wythoff", "-5", "9"]).unwrap();
        let Some(Command::Solve { query, .. }) = cli.command else {
            panic!()
        };
        assert_eq!(query.args, ["-5", "9"]);
    }
}
