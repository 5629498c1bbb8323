#![no_main]

#[path = "../bodies/quoting.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::check(data));
