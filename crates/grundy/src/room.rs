//! How many cores and how much memory and disk there are at hand, where the system tells. Cost: a system call.

use std::num::NonZero;
use std::path::Path;
use std::thread;

/// Threads that can run at the same time: those of the cores that this program may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Memory that programs may still take, in bytes.
pub fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1 << 10)
}

/// What may still be written into a folder, in bytes.
#[cfg(unix)]
pub fn disk(folder: &Path) -> Option<u64> {
    let found = nix::sys::statvfs::statvfs(folder).ok()?;
    // The types differ from system to system.
    #[allow(clippy::useless_conversion, reason = "u32 on some systems")]
    let (blocks, each) = (
        u64::from(found.blocks_available()),
        u64::from(found.fragment_size()),
    );
    blocks.checked_mul(each)
}

/// What may still be written into a folder, in bytes.
#[cfg(not(unix))]
pub fn disk(_: &Path) -> Option<u64> {
    None
}

/// Bytes as a person reads them: `3.5 GiB`. Exact to a tenth, rounded up.
pub fn text(bytes: u64) -> String {
    for (unit, shift) in [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        if bytes >> shift > 0 {
            let tenths = (u128::from(bytes) * 10).div_ceil(1 << shift);
            return match tenths % 10 {
                0 => format!("{} {unit}", tenths / 10),
                tenth => format!("{}.{tenth} {unit}", tenths / 10),
            };
        }
    }
    match bytes {
        1 => "1 byte".to_owned(),
        _ => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up() {
        let texts = [0, 1, 1023, 1024, 1025, 3 << 30, (3 << 30) + 1, u64::MAX].map(text);
        let wanted = [
            "0 bytes",
            "1 byte",
            "1023 bytes",
            "1 KiB",
            "1.1 KiB",
            "3 GiB",
            "3.1 GiB",
            "16777216 TiB",
        ];
        assert_eq!(texts, wanted);
    }
}
