//! What the tests of the command share.

use std::process::{Command, Stdio};

/// The command without an environment, with nothing to read and its output kept.
pub fn grundy() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grundy"));
    command
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}
