//! Reading a repository through libgit2. The only layer that names `git2`.

mod abbreviation;
mod function_lines;
mod head;
mod libgit;
mod line_counts;
mod logs;
mod loose;
mod merge_text;
mod open;
mod ref_storage;
pub mod reftable;
mod xdiff;

pub use head::read_head;
pub use libgit::LibgitSource;
pub use line_counts::{count_lines, line_changes};
pub use merge_text::merge_text;
