//! Random rules, made by the choices in the input: machine code says of every cell what the interpreter says.
#![no_main]

use grundy_testkit::{Random, counters};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/jit/tests/compare/mod.rs"]
mod compare;

fuzz_target!(|bytes: &[u8]| {
    let mut r = Random::scripted(bytes);
    let (text, rules) = counters::rules(&mut r);
    compare::compare(&mut r, &text, &rules, &mut compare::Seen::default());
});
