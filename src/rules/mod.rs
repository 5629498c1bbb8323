//! The rules: pure functions over plain values. Nothing here opens anything.

pub mod attributes;
pub mod branch_transition;
pub mod checkpoint_facts;
pub mod checkpoint_refs;
pub mod escape;
pub mod function_drivers;
pub mod function_line;
pub mod hunks;
pub mod log_position;
pub mod merge3;
pub mod patch_header;
pub mod pin;
pub mod quoting;
pub mod reflog;
pub mod rename_pairing;
pub mod section_cut;
pub mod similarity;
pub mod traces;
pub mod unified_diff;
pub mod verdict;
