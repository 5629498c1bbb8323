#![no_main]

#[path = "../bodies/pack.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::check(data));
