//! Of everything that changed on disk during an AI agent's turn: what did the agent write, and what merely
//! moved through git?
//!
//! # The rule
//!
//! Content that moved through git history is not agent work; content the agent wrote is. A turn has two
//! snapshots, `s0` and `s1`, and two heads, `h0` and `h1`. What the agent wrote is what differs between `s1` and
//! the *expected tree* E: `s0` with the history from `h0` to `h1` applied, every hand-made part of it left out.
//! A path of the change on disk that is in `s1` as it is in E is *demoted*; any other is *shown*.
//!
//! # Where to look
//!
//! | question | module |
//! |---|---|
//! | the verdict for one path | [`rules::verdict`] |
//! | which commits were made in the turn | `turn::turn_commits`, [`rules::reflog`] |
//! | what a commit would be without the agent's hand | `turn::replay` |
//! | the three-way merge | [`rules::merge3`] |
//! | several turns at once | `turn::range` |
//! | patches that arrive as text | [`rules::unified_diff`] |
//! | which files there are to be seen, for card and patch | `turn::files` |
//! | the patch | `turn::patch`, [`rules::hunks`], [`rules::patch_header`], [`rules::section_cut`] |
//! | reading the repository | [`git`], behind [`model::GitSource`] |
//! | the JavaScript boundary | `node` |
//!
//! Dependencies point one way: `node` → `turn` → {`git`, `rules`} → `model`.

#![deny(missing_docs)]

pub mod git;
pub mod model;
mod node;
pub mod rules;
pub mod turn;
