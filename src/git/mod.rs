//! Reading a repository: objects by ourselves where nothing is odd about them, everything else through libgit2. The only
//! layer that names `git2`.

mod abbreviation;
mod ahead;
pub mod ancestry;
#[cfg(feature = "fault-injection")]
pub mod faults;
mod function_lines;
mod handles;
mod head;
mod libgit;
mod line_counts;
mod logs;
mod loose;
mod loose_ref;
mod merge_text;
mod objects;
mod open;
#[cfg(unix)]
mod ownership;
pub mod packs;
mod pipes;
mod raw_commit;
mod recent;
mod ref_storage;
mod refs_below;
pub mod reftable;
mod stop;
mod threads;
mod xdiff;

pub use handles::close_repositories;
pub use head::read_head;
pub use libgit::LibgitSource;
pub use line_counts::line_changes;
pub use merge_text::merge_text;
pub use objects::Objects;
pub use stop::Stop;
