//! `grundy-check FILE`: reads a certificate, checks it, and says what was checked. It exits with 0 if the certificate was
//! accepted, 1 if it was refused, and 2 if it could not be checked: bad use, a file that is
//! unreadable or no certificate, too little memory.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use grundy_check::{Refusal, Report, check, text, to_json};
use grundy_core::Budget;

const USAGE: &str = "\
usage: grundy-check [--json] [--memory BYTES] FILE

Checks a certificate of a period: reads the rules, computes the values again and tests every hypothesis of the theorem.
Exits with 0 if it is accepted, 1 if it is refused, 2 if it cannot be checked.

  --json           print one JSON object
  --memory BYTES   use at most so much memory (4294967296)
  -h, --help       print this
  -V, --version    print the version";

struct Arguments {
    file: String,
    json: bool,
    memory: u64,
}

/// The arguments, or what to print and whether that was asked for.
fn arguments() -> Result<Arguments, (String, bool)> {
    let mut args = std::env::args_os().skip(1);
    let (mut file, mut json, mut memory) = (None, false, Budget::DEFAULT_MEMORY);
    let bad = |message: String| (format!("{message}\n\n{USAGE}"), false);
    let mut options = true;
    while let Some(arg) = args.next() {
        let arg = arg.into_string();
        let arg = arg.map_err(|a| bad(format!("{} is not UTF-8", a.display())))?;
        match arg.as_str() {
            "--" if options => options = false,
            "-h" | "--help" if options => return Err((USAGE.to_owned(), true)),
            "-V" | "--version" if options => {
                return Err((format!("grundy-check {}", env!("CARGO_PKG_VERSION")), true));
            }
            "--json" if options => json = true,
            "--memory" if options => {
                let bytes = args.next().and_then(|b| b.into_string().ok());
                let bytes = bytes.and_then(|b| b.parse().ok());
                memory = bytes.ok_or_else(|| bad("--memory needs a number of bytes".to_owned()))?;
            }
            other if options && other.starts_with('-') && other != "-" => {
                return Err(bad(format!("there is no option {other}")));
            }
            _ if file.is_some() => return Err(bad("one file at a time".to_owned())),
            _ => file = Some(arg),
        }
    }
    let file = file.ok_or_else(|| bad("which file?".to_owned()))?;
    Ok(Arguments { file, json, memory })
}

fn main() -> ExitCode {
    let args = match arguments() {
        Ok(args) => args,
        Err((text, true)) => return print(&text, 0),
        Err((text, false)) => {
            eprintln!("{text}");
            return ExitCode::from(2);
        }
    };
    let certificate = match grundy_cert::read(Path::new(&args.file)) {
        Ok(certificate) => certificate,
        Err(problem) if problem.unreadable() => {
            eprintln!("{} cannot be read: {problem}", args.file);
            return ExitCode::from(2);
        }
        Err(problem) => return answer(&args, Err(problem.into())),
    };
    let mut shown = 0;
    let terminal = std::io::stderr().is_terminal();
    let mut progress = |done: u64, total: u64| {
        let percent = (u128::from(done) * 100 / u128::from(total.max(1))) as u64;
        if terminal && percent > shown && total > 1 << 20 {
            shown = percent;
            eprint!("\r{percent} % of {total} values");
        }
    };
    let budget = Budget::with_memory(args.memory);
    let checked = check(&certificate, &budget, &mut progress);
    if shown > 0 {
        eprintln!();
    }
    answer(&args, checked)
}

fn answer(args: &Arguments, checked: Result<Report, Refusal>) -> ExitCode {
    if args.json {
        let (_, exit) = text(&checked);
        return print(&to_json(&args.file, &checked).to_string(), exit);
    }
    let (text, exit) = text(&checked);
    print(text.trim_end(), exit)
}

/// Prints and gives the exit code; a reader that has gone away changes nothing.
fn print(text: &str, exit: u8) -> ExitCode {
    let _ = writeln!(std::io::stdout(), "{text}");
    ExitCode::from(exit)
}
