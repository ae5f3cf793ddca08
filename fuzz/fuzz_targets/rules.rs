//! Any text for rules: an answer or diagnostics with places in the text, never a panic.
#![no_main]

use grundy_lang::check;
use grundy_lang::diag::Source;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match check::load(&Source::new("<fuzz>", text)) {
        Ok((_, warnings)) => {
            for warning in warnings {
                assert!(!warning.render(false).is_empty());
            }
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            for error in errors {
                assert!(!error.render(false).is_empty());
            }
        }
    }
});
