#![no_main]

#[path = "../bodies/attributes.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::check(data));
