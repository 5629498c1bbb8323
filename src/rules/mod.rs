//! The rules: pure functions over plain values. Nothing here opens anything.

pub mod attributes;
pub mod branch_transition;
pub mod checkpoint_facts;
mod escape;
pub mod log_position;
pub mod merge3;
pub mod pin;
pub mod reflog;
pub mod rename_pairing;
pub mod similarity;
pub mod traces;
pub mod unified_diff;
pub mod verdict;
