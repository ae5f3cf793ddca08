//! One run of a stranger's program: input in, output back, and an end to it whatever the program does.
//!
//! No shell is used. The program gets a process group of its own, so that what it starts ends with it; that also keeps the
//! terminal's signals from it, so who ends this process in the middle of a run calls [`end_all`] first. Cost: one process
//! and three short-lived threads a run.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use grundy_core::Budget;

/// Bytes kept of what a program writes to its standard error.
const COMPLAINT: usize = 2000;
/// The longest time between two looks whether the program is to be stopped.
const LOOK: Duration = Duration::from_millis(20);

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With this status.
    Status(i32),
    /// By a signal.
    Signal(i32),
    /// Stopped at the time limit.
    Timeout,
    /// Stopped because its output did not end.
    Flood,
    /// Stopped because we were asked to stop.
    Stopped,
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its standard output, as far as it was taken.
    pub output: Vec<u8>,
    /// The start of its standard error.
    pub complaint: String,
    /// How it ended.
    pub end: End,
    /// Whether it read its input to the end.
    pub read_all: bool,
}

#[derive(Default)]
struct Shared {
    output: Vec<u8>,
    complaint: Vec<u8>,
    unread: bool,
}

enum Event {
    /// The output is closed.
    Closed,
    /// The output is longer than it may be.
    Flood,
}

/// The programs that run at the moment.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Ends every program that runs, with all that it has started. From then on none can be started: this process is to end.
pub fn end_all() {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.iter().for_each(|&id| stop_group(id));
    std::mem::forget(running);
}

/// Keeps a program among those that run until it is waited for.
struct Entry(u32);

impl Drop for Entry {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|&id| id != self.0);
    }
}

/// Starts a program; [`end_all`] comes before that or finds it.
fn start(command: &mut Command) -> io::Result<(Child, Entry)> {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn()?;
    running.push(child.id());
    let entry = Entry(child.id());
    Ok((child, entry))
}

/// Runs a program on an input.
pub fn run(
    command: &[String],
    input: String,
    timeout: Duration,
    most: usize,
    budget: &Budget,
) -> io::Result<Run> {
    let Some((program, args)) = command.split_first() else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "no program is named",
        ));
    };
    let nothing = |end| Run {
        output: Vec::new(),
        complaint: String::new(),
        end,
        read_all: true,
    };
    if budget.stopped() {
        return Ok(nothing(End::Stopped));
    }
    let mut program = Command::new(program);
    program
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut program, 0);
    let (mut child, _entry) = start(&mut program)?;
    // A time past what a clock shows is none.
    let deadline = Instant::now().checked_add(timeout);
    let shared = Arc::new(Mutex::new(Shared::default()));
    let lock = |shared: &Mutex<Shared>, f: &mut dyn FnMut(&mut Shared)| {
        f(&mut shared.lock().unwrap_or_else(PoisonError::into_inner));
    };
    let writer = child.stdin.take().map(|mut stdin| {
        let shared = shared.clone();
        thread::spawn(move || {
            // A program may end before it has read everything; that is its affair, and worth a word.
            if stdin.write_all(input.as_bytes()).is_err() {
                lock(&shared, &mut |s| s.unread = true);
            }
        })
    });
    let (tell, events) = channel();
    if let Some(mut stdout) = child.stdout.take() {
        let shared = shared.clone();
        thread::spawn(move || {
            let mut chunk = vec![0; 1 << 16];
            let event = loop {
                let n = match stdout.read(&mut chunk) {
                    Ok(0) => break Event::Closed,
                    Ok(n) => n,
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                    Err(_) => break Event::Closed,
                };
                let mut flood = false;
                lock(&shared, &mut |s| {
                    let room = most.saturating_sub(s.output.len());
                    s.output.extend_from_slice(&chunk[..n.min(room)]);
                    flood = n > room;
                });
                if flood {
                    break Event::Flood;
                }
            };
            // Nobody listens any more when the run was stopped.
            let _ = tell.send(event);
        });
    }
    let complaints = child.stderr.take().map(|mut stderr| {
        let shared = shared.clone();
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(n) = stderr.read(&mut chunk) {
                if n == 0 {
                    break;
                }
                lock(&shared, &mut |s| {
                    let room = COMPLAINT.saturating_sub(s.complaint.len());
                    s.complaint.extend_from_slice(&chunk[..n.min(room)]);
                });
            }
        })
    });
    let mut pause = Duration::from_micros(50);
    let mut open = true;
    let mut gone_since = None;
    let end = loop {
        let now = Instant::now();
        if budget.stopped() {
            break stop(&mut child, End::Stopped);
        }
        let status = child.try_wait()?;
        match status {
            Some(status) if !open => break ended(status),
            // What it has started may hold its output open; that is not waited for.
            Some(status)
                if gone_since.get_or_insert(now).elapsed() > Duration::from_millis(200) =>
            {
                stop_group(child.id());
                break ended(status);
            }
            None if deadline.is_some_and(|end| now >= end) => break stop(&mut child, End::Timeout),
            _ => {}
        }
        let left = deadline
            .map_or(LOOK, |end| end.saturating_duration_since(now))
            .clamp(Duration::from_millis(1), LOOK);
        if open {
            match events.recv_timeout(left) {
                Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => open = false,
                Ok(Event::Flood) => break stop(&mut child, End::Flood),
                Err(RecvTimeoutError::Timeout) => {}
            }
        } else {
            thread::sleep(pause.min(left));
            pause = (pause * 2).min(LOOK);
        }
    };
    if !matches!(end, End::Timeout | End::Stopped | End::Flood) {
        // Both end with the program, unless something it started holds on to its pipes.
        let patience = Instant::now() + Duration::from_millis(200);
        for handle in [writer, complaints].into_iter().flatten() {
            while !handle.is_finished() && Instant::now() < patience {
                thread::sleep(Duration::from_micros(100));
            }
        }
    }
    let mut run = nothing(end);
    lock(&shared, &mut |s| {
        run.output = std::mem::take(&mut s.output);
        run.complaint = String::from_utf8_lossy(&s.complaint).into_owned();
        run.read_all = !s.unread;
    });
    Ok(run)
}

fn stop(child: &mut Child, end: End) -> End {
    stop_group(child.id());
    // It may have ended on its own by now; then there is nothing to stop.
    let _ = child.kill();
    let _ = child.wait();
    end
}

/// Ends whatever the program has started.
#[cfg(unix)]
fn stop_group(id: u32) {
    use nix::sys::signal::{Signal, killpg};
    if let Ok(id) = i32::try_from(id) {
        // No such group: all of it has ended.
        let _ = killpg(nix::unistd::Pid::from_raw(id), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn stop_group(_id: u32) {}

fn ended(status: std::process::ExitStatus) -> End {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return End::Signal(signal);
    }
    End::Status(status.code().unwrap_or(-1))
}

impl End {
    /// What happened, to follow "the program"; `None` if it ended well.
    pub fn fault(&self, timeout: Duration) -> Option<String> {
        match self {
            End::Status(0) => None,
            End::Status(code) => Some(format!("ended with status {code}")),
            End::Signal(signal) => Some(format!(
                "was ended by signal {signal}{}",
                signal_name(*signal)
            )),
            End::Timeout => Some(format!("had not ended after {} s", timeout.as_secs_f64())),
            End::Flood => Some("wrote far more output than there is to write".to_owned()),
            End::Stopped => Some("was stopped".to_owned()),
        }
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (illegal instruction)",
        6 => " (abort)",
        7 | 10 => " (bus error)",
        8 => " (arithmetic error, such as a division by zero)",
        9 => " (killed)",
        11 => " (segmentation fault)",
        _ => "",
    }
}
