#![no_main]

#[path = "../bodies/patch_text.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::check(data));
