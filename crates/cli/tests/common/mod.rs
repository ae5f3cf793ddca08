//! What the tests of the command share.

use std::process::{Child, Command, Output, Stdio};

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

/// Presses Ctrl-C, and waits for the end.
#[cfg(unix)]
pub fn interrupt(child: Child) -> Output {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap()
}
