#![no_main]

#[path = "../bodies/tree.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::check(data));
