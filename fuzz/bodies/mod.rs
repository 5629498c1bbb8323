//! What is asked of each target: by libFuzzer for minutes (`fuzz_targets`), by `tests/fuzz_corpus.rs` in every run.

mod attributes;
mod checkpoint_facts;
mod pack;
mod patch_text;
mod quoting;
mod reflog;
mod tree;

/// A name, which is that of the corpus, and what is done with an input.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 7] = [
    ("attributes", attributes::check),
    ("checkpoint_facts", checkpoint_facts::check),
    ("pack", pack::check),
    ("patch_text", patch_text::check),
    ("quoting", quoting::check),
    ("reflog", reflog::check),
    ("tree", tree::check),
];
