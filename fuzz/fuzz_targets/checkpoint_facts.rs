#![no_main]

#[path = "../bodies/checkpoint_facts.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::check(data));
