#![no_main]

#[path = "../bodies/reflog.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::check(data));
