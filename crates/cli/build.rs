//! Links the command so that nothing is left to load or to relocate when it starts: at a fixed place, and with the C library
//! inside. For a contest's input that is half of the time a run takes.
//!
//! A plain `cargo build` cannot be told so by a flag, which would hold for the procedural macros as well. So the libraries
//! that rustc asks for as shared ones are, for this one binary, answered by their archives: a linker takes a text `libc.so`
//! for a script. Whether that works here (C compilers of some systems come without archives) is found out by linking a small
//! program in the same way and running it; where it does not, the command is linked as usual. So it is with
//! `GRUNDY_DYNAMIC=1`, for those who package the command for a system and want the system's C library.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What rustc links a program for Linux with, and the archive of each.
const LIBRARIES: &[(&str, &str)] = &[
    ("gcc_s", "gcc_eh"),
    ("util", "util"),
    ("rt", "rt"),
    ("pthread", "pthread"),
    ("m", "m"),
    ("dl", "dl"),
    ("c", "c"),
];

/// Needs what is most easily missing: threads, unwinding, memory, output.
const PROBE: &str = r#"
fn main() {
    let caught = std::thread::spawn(|| std::panic::catch_unwind(|| panic!("{:?}", std::env::args())).is_err()).join();
    assert!(caught.unwrap());
    println!("{}", f64::sqrt(std::process::id().into()).sin());
}
"#;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=GRUNDY_DYNAMIC");
    let var = |name: &str| env::var(name).unwrap_or_default();
    let gnu = var("CARGO_CFG_TARGET_OS") == "linux" && var("CARGO_CFG_TARGET_ENV") == "gnu";
    let ours = var("CARGO_CFG_TARGET_FEATURE").contains("crt-static");
    // Who has asked for static linking gets it from rustc.
    if !gnu || ours {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    // Another system's programs cannot be tried.
    if var("HOST") != var("TARGET") || env::var_os("GRUNDY_DYNAMIC").is_some() {
        return;
    }
    let folder = PathBuf::from(var("OUT_DIR")).join("archives");
    if let Ok(args) = archives(&folder) {
        for arg in args {
            println!("cargo::rustc-link-arg-bins={arg}");
        }
    }
}

/// What to tell the linker so that it takes archives, if a program linked so runs.
fn archives(folder: &Path) -> Result<[String; 3], Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    for (shared, archive) in LIBRARIES {
        let script = match *archive {
            // They need each other.
            "c" => "GROUP(-l:libc.a -l:libgcc_eh.a -l:libgcc.a)\n".to_owned(),
            archive => format!("INPUT(-l:lib{archive}.a)\n"),
        };
        fs::write(folder.join(format!("lib{shared}.so")), script)?;
    }
    // Nothing is relocated, so that there is nothing to protect when that is done.
    let norelro = "-Wl,-z,norelro".to_owned();
    let args = [
        format!("-L{}", folder.display()),
        "-static".to_owned(),
        norelro,
    ];
    let (source, program) = (folder.join("probe.rs"), folder.join("probe"));
    fs::write(&source, PROBE)?;
    let mut rustc = Command::new(env::var_os("RUSTC").ok_or("no rustc")?);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut flag = std::ffi::OsString::from("-Clinker=");
        flag.push(linker);
        rustc.arg(flag);
    }
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    rustc.args(["--edition", "2024", "-Clink-arg=-no-pie"]);
    rustc.args(args.iter().map(|arg| format!("-Clink-arg={arg}")));
    rustc.arg("-o").args([&program, &source]);
    for command in [&mut rustc, &mut Command::new(&program)] {
        let quiet = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if !quiet.status()?.success() {
            return Err("it does not work here".into());
        }
    }
    Ok(args)
}
