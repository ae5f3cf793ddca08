//! Files that keep the state of a long run.
//!
//! | bytes | what |
//! |---|---|
//! | a line | `grundy checkpoint 1`, ended by a line feed |
//! | 8 | how many values there are at the next look for a period, little-endian; 0 if one is proved |
//! | many | the sequence, as `crates/kernels/src/checkpoint.rs` says |
//! | 32 | the SHA-256 of all before |
//!
//! A file is written under another name beside its own, flushed to the disk and renamed, so that there is a whole one at any
//! time. Cost: a byte or two a value, hashed and written.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use grundy_core::Code;
use grundy_find::Heaps;
use grundy_kernels::Sequence;
use grundy_lang::diag::{Code as DiagnosticCode, Diagnostic, Source};
use sha2::{Digest, Sha256};

use crate::Result;

const HEAD: &str = "grundy checkpoint ";
const VERSION: &str = "1";
const HASH: usize = 32;

/// How many files are being written.
static WRITING: AtomicUsize = AtomicUsize::new(0);

/// Whether a file is being written: a program should not end now if it can wait.
pub fn writing() -> bool {
    WRITING.load(Ordering::Relaxed) > 0
}

fn wrong(message: String) -> Diagnostic {
    Diagnostic::error(DiagnosticCode::File, &Source::new("", ""), message)
}

fn unwritable(file: &Path, error: &io::Error) -> Box<Diagnostic> {
    let message = format!(
        "the checkpoint `{}` cannot be written: {error}",
        file.display()
    );
    Box::new(wrong(message).help("give `--resume` a file in a folder that you may write to"))
}

/// Where a file stands until it is whole.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    file.with_file_name(name)
}

/// Whether the file could be written.
///
/// # Errors
/// If not.
pub fn writable(file: &Path) -> Result<()> {
    let part = beside(file);
    let tried = match file.is_dir() {
        true => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        false => File::create(&part).and_then(|_| fs::remove_file(&part)),
    };
    tried.map_err(|e| unwritable(file, &e))
}

/// Keeps a state.
///
/// # Errors
/// If it cannot be written; the file is as it was then.
pub fn write(file: &Path, heaps: &Heaps) -> Result<()> {
    WRITING.fetch_add(1, Ordering::Relaxed);
    let done = put(file, heaps);
    WRITING.fetch_sub(1, Ordering::Relaxed);
    done.map_err(|e| unwritable(file, &e))
}

fn put(file: &Path, heaps: &Heaps) -> io::Result<()> {
    let part = beside(file);
    let mut out = BufWriter::with_capacity(1 << 18, File::create(&part)?);
    let mut sha = Sha256::new();
    let mut done = Ok(());
    let mut put = |bytes: &[u8]| {
        if done.is_ok() {
            sha.update(bytes);
            done = out.write_all(bytes);
        }
    };
    put(format!("{HEAD}{VERSION}\n").as_bytes());
    put(&heaps.next_look().to_le_bytes());
    heaps.sequence().save(&mut put);
    done?;
    out.write_all(&sha.finalize())?;
    out.into_inner()?.sync_all()?;
    fs::rename(&part, file)
}

/// The state that a file keeps, of the sequence of that code; `None` if there is no such file.
///
/// # Errors
/// If it cannot be read, is damaged or of another version, or is another game's.
pub fn read(file: &Path, code: &Code) -> Result<Option<Heaps>> {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => {
            let message = format!("the checkpoint `{}` cannot be read: {e}", file.display());
            return Err(Box::new(
                wrong(message).help("give `--resume` a file that a run has kept"),
            ));
        }
    };
    match open(&bytes, code) {
        Ok(heaps) => Ok(Some(heaps)),
        Err(why) => {
            let message = format!("the checkpoint `{}` is refused: {why}", file.display());
            let help = "remove it to begin anew, or give `--resume` another file";
            Err(Box::new(wrong(message).help(help)))
        }
    }
}

fn open(bytes: &[u8], wanted: &Code) -> std::result::Result<Heaps, String> {
    let rest = bytes
        .strip_prefix(HEAD.as_bytes())
        .ok_or("it is no checkpoint")?;
    let line = rest
        .iter()
        .position(|&b| b == b'\n')
        .ok_or("it is cut short")?;
    let version = String::from_utf8_lossy(&rest[..line]);
    if version != VERSION {
        return Err(format!(
            "it is of version {version}, and this program reads version {VERSION}"
        ));
    }
    let (kept, hash) = bytes.split_last_chunk::<HASH>().ok_or("it is cut short")?;
    if Sha256::digest(kept)[..] != hash[..] {
        return Err("it is damaged, its hash is another".to_owned());
    }
    let kept = kept.get(HEAD.len() + line + 1..).ok_or("it is cut short")?;
    let (look, state) = kept.split_first_chunk().ok_or("it is cut short")?;
    let sequence = Sequence::load(state).map_err(|why| why.to_string())?;
    if sequence.code() != wanted {
        let name = |code: &Code| match code.text() {
            Some(text) => format!("the game {text}"),
            None => "another game".to_owned(),
        };
        return Err(match (name(sequence.code()), wanted.text()) {
            (theirs, Some(ours)) => format!("it is of {theirs}, and {ours} is asked for"),
            (theirs, None) => format!("it is of {theirs}"),
        });
    }
    Ok(Heaps::resume(sequence, u64::from_le_bytes(*look)))
}
