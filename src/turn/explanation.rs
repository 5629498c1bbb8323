//! What decided one file.

use super::range::Range;
use super::replay::Role;
use super::snapshot::unreadable;
use super::state::State;
use super::tree_delta::tree_delta;
use crate::model::outcome::{ExplainedCommit, PathExplanation, Verdict};
use crate::model::{Entry, Error, ErrorCode, FileMode, GitSource, Oid, RepoPath, SourceError};

/// The states and commits behind the verdict for `path`.
pub fn explain(source: &dyn GitSource, range: &Range, path: &RepoPath) -> Result<PathExplanation, Error> {
    let (Some(decision), Some(change)) = (range.findings.decisions.get(path), range.findings.delta.get(path)) else {
        let message = format!("{} did not change in the turn", path.display());
        return Err(Error::new(ErrorCode::PathNotInTurn, message));
    };
    let states = states(source, range, path).map_err(|error| unreadable(&error))?;
    let commits = commits(source, range, path).map_err(|error| unreadable(&error))?;
    let compared_with = match decision.verdict {
        Verdict::Shown(_) => decision.base,
        Verdict::Demoted(_) => change.new,
    };
    let content = compared_with.filter(|entry| entry.mode != FileMode::GITLINK);
    Ok(PathExplanation {
        path: path.clone(),
        verdict: decision.verdict,
        mixed: decision.mixed,
        start_head: states.start_head,
        start: change.old,
        end_head: states.end_head,
        end: change.new,
        mechanical: states.mechanical,
        expected: states.expected,
        commits,
        expected_content: content
            .and_then(|entry| source.read_blob(entry.oid).ok())
            .map(|content| content.to_vec()),
    })
}

#[derive(Default)]
struct States {
    start_head: Option<Entry>,
    end_head: Option<Entry>,
    mechanical: Option<Entry>,
    expected: Option<Entry>,
}

fn states(source: &dyn GitSource, range: &Range, path: &RepoPath) -> Result<States, SourceError> {
    let (first, last) = (&range.turns[0], &range.turns[range.turns.len() - 1]);
    let at_head = |head: Option<Oid>| -> Result<Option<Entry>, SourceError> {
        let Some(head) = head else { return Ok(None) };
        State::of_tree(Some(source.read_commit(head)?.tree)).get(source, path)
    };
    let mut states = States::default();
    // A head that is gone is no reason to say nothing of the rest.
    states.start_head = at_head(first.findings.transition.from_head).unwrap_or_default();
    states.end_head = at_head(last.findings.transition.to_head).unwrap_or_default();
    states.expected = State::of_tree(Some(first.from.tree)).get(source, path)?;
    states.mechanical = states.end_head;
    if let (1, Some(reasoning)) = (range.turns.len(), &last.reasoning) {
        states.mechanical = reasoning.foreign.get(source, path)?;
        states.expected = reasoning.expected.state.get(source, path)?;
    }
    Ok(states)
}

fn commits(source: &dyn GitSource, range: &Range, path: &RepoPath) -> Result<Vec<ExplainedCommit>, SourceError> {
    let mut found = Vec::new();
    for reasoning in range.turns.iter().filter_map(|turn| turn.reasoning.as_ref()) {
        let made = reasoning.commits.made_here.iter().map(|&oid| {
            (
                oid,
                reasoning
                    .roles
                    .get(&oid)
                    .map_or("turn commit, not on the way to the new head".to_string(), describe),
            )
        });
        let late = reasoning
            .commits
            .late
            .iter()
            .map(|&oid| (oid, "late commit, made elsewhere".to_string()));
        for (oid, role) in made.chain(late) {
            let commit = source.read_commit(oid)?;
            let parent = commit
                .parents
                .first()
                .map(|&parent| source.read_commit(parent))
                .transpose()?;
            let touched = tree_delta(source, parent.map(|parent| parent.tree), Some(commit.tree))?;
            if touched.contains_key(path) {
                found.push((commit.committer.seconds, ExplainedCommit { oid, role }));
            }
        }
    }
    found.sort_by_key(|(seconds, commit)| (*seconds, commit.oid));
    Ok(found.into_iter().map(|(_, commit)| commit).collect())
}

fn describe(role: &Role) -> String {
    match role {
        Role::RebaseTip { from } => format!("turn commit: tip of a rebase of {from}"),
        Role::Amend(old) => format!("turn commit: amends or rewrites {old}"),
        Role::Merge => "turn commit: merge, replayed".into(),
        Role::Revert => "turn commit: revert".into(),
        Role::Pick(original) => format!("turn commit: replays {original}"),
        Role::Recommit(stood) => format!("turn commit: commits again what stood at {stood}"),
        Role::Root(_) => "turn commit: without parents".into(),
        Role::Squash(pushed) => format!("turn commit: a squash merge, made elsewhere, of {pushed}"),
        Role::SquashStep { into, squashed } => format!("turn commit: a rebase squashed {squashed} into {into}"),
        Role::LateOnTop => "late commit, made elsewhere".into(),
        Role::Unproven => "turn commit, as far as nothing tells that it is older".into(),
        Role::Plain => "turn commit: written in the turn".into(),
    }
}
