//! Where a long answer goes: standard output, or a file that has its name only once it is whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::{Failure, broken};

/// The unfinished file, to be removed if the program ends early.
static PART: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Removes the unfinished file, if there is one.
pub fn abandon() {
    if let Some(part) = PART.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // It may be gone already.
        let _ = fs::remove_file(part);
    }
}

/// What is said where an answer cannot be written.
pub fn unwritable(file: Option<&Path>, error: &io::Error) -> Failure {
    let name = file.map_or_else(|| "the answer".to_owned(), |f| format!("`{}`", f.display()));
    let help = match file {
        Some(_) => "give a file in a folder that you may write to, on a disk with room",
        None => "see whether the disk that standard output goes to is full",
    };
    vec![broken(&format!("{name} cannot be written: {error}"), help)]
}

/// The goal of an answer. What is not finished is removed.
pub struct Output {
    out: BufWriter<Box<dyn Write + Send>>,
    /// The unfinished file and its name to be.
    names: Option<(PathBuf, PathBuf)>,
}

impl Output {
    /// Standard output, or a file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn open(file: Option<&Path>) -> io::Result<Self> {
        let (out, names): (Box<dyn Write + Send>, _) = match file {
            None => (Box::new(io::stdout()), None),
            Some(file) if file.exists() && !file.is_file() => {
                // A device or a pipe has no other name to write under.
                (Box::new(File::options().write(true).open(file)?), None)
            }
            Some(file) => {
                // Behind a link it is the file that is replaced, not the link.
                let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
                if file.exists() {
                    // A file that must not be written is not replaced either.
                    File::options().append(true).open(&file)?;
                }
                let mut part = file.file_name().unwrap_or_default().to_owned();
                part.push(format!(".{}.part", std::process::id()));
                let part = file.with_file_name(part);
                let out = File::create(&part)?;
                *PART.lock().unwrap_or_else(PoisonError::into_inner) = Some(part.clone());
                (Box::new(out), Some((part, file)))
            }
        };
        let out = BufWriter::with_capacity(1 << 18, out);
        Ok(Output { out, names })
    }

    /// Whether a person would see the bytes.
    pub fn terminal(file: Option<&Path>) -> bool {
        file.is_none() && io::stdout().is_terminal()
    }

    /// The folder of the file that is being written.
    pub fn folder(&self) -> Option<&Path> {
        let folder = self.names.as_ref()?.0.parent()?;
        Some(if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If the last bytes cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        if let Some((part, file)) = &self.names {
            fs::rename(part, file)?;
            PART.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.names.is_some() {
            abandon();
        }
    }
}
