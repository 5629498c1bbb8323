//! What is asked of each target: by libFuzzer for minutes (`fuzz_targets`), by `tests/fuzz_corpus.rs` in every run.

mod attributes;
mod checkpoint_facts;
mod patch_text;
mod quoting;
mod reflog;
mod tree;

/// Every target: its name, which is that of its corpus, and what it does with an input.
#[allow(dead_code)]
pub const TARGETS: [(&str, fn(&[u8])); 6] = [
    ("attributes", attributes::check),
    ("checkpoint_facts", checkpoint_facts::check),
    ("patch_text", patch_text::check),
    ("quoting", quoting::check),
    ("reflog", reflog::check),
    ("tree", tree::check),
];
