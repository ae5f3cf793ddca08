//! Colour, where it is wanted, and writing that ends quietly when nobody reads any more.

use std::io::{self, IsTerminal, Write};

use crate::args::When;

/// Whether to colour.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    on: bool,
}

impl Style {
    /// For a stream that is a terminal or not.
    pub fn new(when: When, terminal: bool) -> Self {
        let on = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => {
                terminal
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                    && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
            }
        };
        Style { on }
    }

    /// For standard output.
    pub fn stdout(when: When) -> Self {
        Self::new(when, io::stdout().is_terminal())
    }

    /// For standard error.
    pub fn stderr(when: When) -> Self {
        Self::new(when, io::stderr().is_terminal())
    }

    /// Whether to colour.
    pub fn on(self) -> bool {
        self.on
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.on {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// What matters most.
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// What matters least.
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Won.
    pub fn win(self, text: &str) -> String {
        self.paint("1;32", text)
    }

    /// Lost.
    pub fn lose(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// What to watch.
    pub fn warn(self, text: &str) -> String {
        self.paint("1;33", text)
    }
}

/// Writes to standard output. A closed pipe is no error: `Ok(false)` says that nobody reads any more.
pub fn put(text: &str) -> io::Result<bool> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error),
    }
}
