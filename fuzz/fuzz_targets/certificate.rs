//! Any text for a certificate: it is read or refused, and what is read is accepted or refused, never a panic.
#![no_main]

use grundy_core::Budget;
use libfuzzer_sys::fuzz_target;

/// Bytes that the checker may take, and its reports of progress before it is stopped.
const MEMORY: u64 = 64 << 20;
const REPORTS: u32 = 50;

fuzz_target!(|text: &str| {
    let Ok(certificate) = grundy_cert::parse(text) else {
        return;
    };
    let budget = Budget::with_memory(MEMORY);
    let mut reports = 0;
    let _ = grundy_check::check(&certificate, &budget, &mut |_, _| {
        reports += 1;
        if reports > REPORTS {
            budget.stop();
        }
    });
});
