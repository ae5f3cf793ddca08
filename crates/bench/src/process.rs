//! Whole processes: their output and the processor time they took, start-up included.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

#[cfg(target_os = "linux")]
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::resource::{UsageWho, getrusage};
#[cfg(target_os = "linux")]
use nix::unistd::Pid;

/// Where rivals and inputs are put.
pub fn folder() -> Result<PathBuf, String> {
    let folder = target().join("bench");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
        PathBuf::from,
    )
}

/// The `grundy` command of this tree, built for release and copied as an installation does: what a linker has just written
/// page by page is mapped page by page too, which is a third of a millisecond at each start.
pub fn grundy() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--package", "grundy-cli"])
        .status()
        .map_err(|e| format!("cargo: {e}"))?;
    if !built.success() {
        return Err("the command does not build".to_owned());
    }
    let program = folder()?.join("grundy");
    let _ = std::fs::remove_file(&program);
    std::fs::copy(target().join("release/grundy"), &program)
        .map_err(|e| format!("{}: {e}", program.display()))?;
    Ok(program)
}

/// A textbook program of `rivals/`, compiled as a judge would.
pub fn rival(name: &str) -> Result<PathBuf, String> {
    rival_with(name, "-O2")
}

/// The same at another level of optimisation.
pub fn rival_with(name: &str, level: &str) -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("rivals/{name}.cpp"));
    let program = folder()?.join(name.replace('/', "-"));
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let status = Command::new(&compiler)
        .args([level, "-o"])
        .args([&program, &source])
        .status()
        .map_err(|e| format!("{}: {e} (set CXX to a C++ compiler)", compiler.display()))?;
    if status.success() {
        Ok(program)
    } else {
        Err(format!("{} does not compile", source.display()))
    }
}

/// A rival that its own registry has: its command, installed into the target folder and built for this processor.
pub fn installed(name: &str, version: &str) -> Result<PathBuf, String> {
    let root = folder()?.join(format!("{name}-{version}"));
    let command = root.join("bin").join(name);
    if !command.exists() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["install", name, "--version", version, "--locked"])
            .arg("--root")
            .arg(&root)
            .env("RUSTFLAGS", "-C target-cpu=native")
            .env_remove("CARGO_TARGET_DIR")
            .status()
            .map_err(|e| format!("cargo install {name}: {e}"))?;
        if !status.success() {
            return Err(format!("cargo install {name} {version}: {status}"));
        }
    }
    Ok(command)
}

/// While it lives, this program and those it starts have one core.
pub struct OneCore {
    #[cfg(target_os = "linux")]
    all: CpuSet,
}

impl OneCore {
    /// From now on; elsewhere than on Linux nothing is changed.
    #[cfg(target_os = "linux")]
    pub fn take() -> Result<Self, String> {
        let failed = |e: nix::Error| format!("one core: {e}");
        let all = sched_getaffinity(Pid::from_raw(0)).map_err(failed)?;
        // The last is less busy with the system's own work than the first.
        let some = (0..CpuSet::count()).rev();
        let last = some.into_iter().find(|&i| all.is_set(i) == Ok(true));
        let mut one = CpuSet::new();
        one.set(last.unwrap_or(0)).map_err(failed)?;
        sched_setaffinity(Pid::from_raw(0), &one).map_err(failed)?;
        Ok(OneCore { all })
    }

    /// From now on; elsewhere than on Linux nothing is changed.
    #[cfg(not(target_os = "linux"))]
    pub fn take() -> Result<Self, String> {
        Ok(OneCore {})
    }
}

#[cfg(target_os = "linux")]
impl Drop for OneCore {
    fn drop(&mut self) {
        // It was allowed before.
        let _ = sched_setaffinity(Pid::from_raw(0), &self.all);
    }
}

/// Runs a command on an input file; its output and its processor time.
pub fn timed(command: &mut Command, input: &Path) -> Result<(Vec<u8>, Duration), String> {
    let before = children()?;
    let stdin = File::open(input).map_err(|e| format!("{}: {e}", input.display()))?;
    let output = command
        .stdin(stdin)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("{command:?}: {e}"))?;
    if !output.status.success() && output.stdout.is_empty() {
        return Err(format!("{command:?}: {}", output.status));
    }
    Ok((output.stdout, children()?.saturating_sub(before)))
}

/// Processor time of all children waited for so far.
pub fn children() -> Result<Duration, String> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| e.to_string())?;
    let micros = |t: nix::sys::time::TimeVal| (t.tv_sec() as u64) * 1_000_000 + t.tv_usec() as u64;
    Ok(Duration::from_micros(
        micros(usage.user_time()) + micros(usage.system_time()),
    ))
}
