//! W: which commits were made here in the turn.

use std::collections::{BinaryHeap, HashMap, HashSet};

use super::chronicle::{Chronicle, Making, email};
use super::evidence::{all_there, commit_if_there, those_there};
use crate::model::{Commit, CommitWalk, GitSource, Oid, Signature, SourceError};
use crate::rules::reflog::Word;

/// The most commits that one turn may have made before attribution gives up.
pub const MAX_TURN_COMMITS: usize = 20_000;
/// How far clocks of two machines may differ (seconds) when commits are looked for by date.
const CLOCK_SKEW: i64 = 600;
/// The most commits that are looked through for what was pushed and came back.
const MAX_ARRIVED: usize = 50_000;
/// How many of HEAD's values before the turn are asked whether they reach a commit dated in the turn.
const MAX_VALUES_BEFORE: usize = 64;

const REMOTES: &str = "refs/remotes/";

/// The turn commits, and the late ones.
#[derive(Clone, Default)]
pub struct TurnCommits {
    /// Commits made here in the turn.
    pub made_here: HashSet<Oid>,
    /// Commits of others that are dated in the turn.
    pub late: HashSet<Oid>,
    /// Commits dated in the turn that were fetched in it.
    pub fetched: HashSet<Oid>,
    /// Late commits that descend from a turn commit: their trees hold the agent's work beside that of others.
    pub late_on_top: HashSet<Oid>,
}

/// What bounds the search.
pub struct Bounds<'a> {
    /// Head at the start.
    pub from_head: Option<Oid>,
    /// Head at the end.
    pub to_head: Oid,
    /// Heads of an operation in progress at the end.
    pub open_heads: &'a [Oid],
    /// The turn's start in seconds since the epoch, floored.
    pub start: i64,
    /// The branch that the turn was on from start to end; it moved, whatever its date says.
    pub own_branch: Option<&'a str>,
}

/// Step 4 to 6 of the procedure. `inherited` are turn commits of earlier turns of a range.
pub fn turn_commits(
    source: &dyn GitSource,
    chronicle: &Chronicle,
    bounds: &Bounds<'_>,
    inherited: &TurnCommits,
) -> Result<TurnCommits, SourceError> {
    let mut heads = vec![bounds.to_head];
    heads.extend(bounds.open_heads);
    heads.extend(
        chronicle
            .told()
            .map(|(entry, _)| entry.new)
            .filter(|oid| !oid.is_zero()),
    );
    let since = bounds.start - CLOCK_SKEW;
    let before: Vec<Oid> = bounds
        .from_head
        .into_iter()
        .chain(chronicle.lately_before(MAX_VALUES_BEFORE))
        .chain(chronicle.refs_before().filter_map(|(_, oid)| oid))
        .collect();
    let old = dated_since(source, &those_there(source, before.iter().copied())?, since)?;
    let fetched = dated_since(source, &those_there(source, chronicle.fetched.iter().copied())?, since)?;
    // A replay may rest on commits that HEAD never came to: what was rebased, amended or picked elsewhere.
    let elsewhere = chronicle.values_made_from().chain(chronicle.pushed.iter().copied());
    let elsewhere = those_there(source, elsewhere)?;
    let arrived = dated_since(source, &[&heads[..], &elsewhere[..]].concat(), since)?;
    let on_the_way = dated_since(source, &heads, since)?;

    let mut own: HashSet<Vec<u8>> = chronicle.identities.clone();
    own.extend(source.user_email()?.map(|address| address.to_ascii_lowercase()));
    own.remove(&b""[..]);
    // Whoever wrote it: what was committed under an identity of the turn was made by it.
    let is_own = |commit: &Commit| {
        [&commit.author, &commit.committer]
            .iter()
            .any(|signature| own.contains(&email(&signature.identity)))
    };

    let mut found = TurnCommits::default();
    let said = chronicle.made.keys().chain(&chronicle.pushed).copied();
    for oid in all_there(source, said.filter(|oid| !old.contains_key(oid)))? {
        if !stood_at_remote(source, chronicle, oid, bounds)? {
            found.made_here.insert(oid);
        }
    }
    for rebased in &chronicle.rebased {
        let hide = before.iter().copied().chain([rebased.old]).chain(rebased.onto);
        let walk = CommitWalk {
            from: all_there(source, [rebased.new].into_iter())?,
            hide: those_there(source, hide.filter(|oid| !oid.is_zero()))?,
            limit: MAX_TURN_COMMITS,
        };
        found.made_here.extend(source.walk(&walk)?);
    }
    let mut lately = Vec::new();
    for (&oid, &dated) in arrived.iter().filter(|(oid, _)| !old.contains_key(oid)) {
        let unexplained = chronicle.position.told && !fetched.contains_key(&oid);
        if dated < bounds.start {
            // Close enough to be of the turn on a clock that was set back, or of another machine.
            if unexplained {
                lately.push(oid);
            }
            found.late.insert(oid);
        } else if unexplained || is_own(source.read_commit(oid)?.as_ref()) {
            found.made_here.insert(oid);
        } else {
            found.late.insert(oid);
        }
    }
    if !lately.is_empty() {
        let unlogged = dated_since(source, &unlogged_refs(source, chronicle)?, since)?;
        found
            .made_here
            .extend(lately.into_iter().filter(|oid| !unlogged.contains_key(oid)));
    }
    if !chronicle.position.told {
        let known = known(source, chronicle, bounds)?;
        let walk = CommitWalk {
            from: [&heads[..], &those_there(source, chronicle.pushed.iter().copied())?[..]].concat(),
            hide: known,
            limit: MAX_TURN_COMMITS,
        };
        found.made_here.extend(source.walk(&walk)?);
    }
    if let Some(head) = bounds.from_head {
        found.made_here.remove(&head);
    }
    let copies = copies(source, chronicle, &found)?;
    found.made_here.extend(copies);
    let came_back = |oid: &Oid| on_the_way.contains_key(oid) && !chronicle.made.contains_key(oid);
    let may_be_built_on = !chronicle.pushed.is_empty() || !inherited.made_here.is_empty();
    if may_be_built_on || found.made_here.iter().any(came_back) {
        // What was pushed may come back under commits of any date.
        let hide = those_there(source, before.into_iter())?;
        let walk = CommitWalk {
            from: heads,
            hide,
            limit: MAX_ARRIVED,
        };
        found.late.extend(source.walk(&walk)?);
    }
    found
        .made_here
        .extend(all_there(source, inherited.made_here.iter().copied())?);
    found.late.retain(|oid| !found.made_here.contains(oid));
    found.fetched = fetched.into_keys().collect();
    found.late_on_top = on_top(source, &found)?;
    found.late_on_top.extend(&inherited.late_on_top);
    if found.made_here.len() > MAX_TURN_COMMITS {
        return Err(SourceError::Limit("turn commits"));
    }
    Ok(found)
}

/// What refs that have no log name now.
fn unlogged_refs(source: &dyn GitSource, chronicle: &Chronicle) -> Result<Vec<Oid>, SourceError> {
    let logged: HashSet<&str> = chronicle.refs_before().map(|(name, _)| name).collect();
    let unlogged = source
        .refs()?
        .into_iter()
        .filter(|found| !logged.contains(found.name.as_str()));
    Ok(unlogged
        .filter(|found| is_branch(&found.name))
        .map(|found| found.oid)
        .collect())
}

/// Whether a ref is a branch, here or of a remote. Tags can be put on anything later.
fn is_branch(name: &str) -> bool {
    name.starts_with("refs/heads/") || name.starts_with("refs/remotes/")
}

/// Late commits of the author and author date of one that was written or amended here: a server's copies of it.
/// Of a pick it cannot be told which is the copy, and what was amended here after it came is none.
fn copies(source: &dyn GitSource, chronicle: &Chronicle, commits: &TurnCommits) -> Result<Vec<Oid>, SourceError> {
    let mut written: HashMap<Signature, Vec<Making>> = HashMap::new();
    for (&oid, &making) in &chronicle.made {
        if !matches!(chronicle.word(making), Word::Pick(_)) && commits.made_here.contains(&oid) {
            written
                .entry(source.read_commit(oid)?.author.clone())
                .or_default()
                .push(making);
        }
    }
    let mut copies = Vec::new();
    for &oid in &commits.late {
        let makings = written.get(&source.read_commit(oid)?.author);
        if makings.is_some_and(|makings| makings.iter().any(|&making| !chronicle.names_before(oid, making))) {
            copies.push(oid);
        }
    }
    Ok(copies)
}

/// The late commits that a turn commit is an ancestor of, through late commits only.
fn on_top(source: &dyn GitSource, commits: &TurnCommits) -> Result<HashSet<Oid>, SourceError> {
    let mut children: HashMap<Oid, Vec<Oid>> = HashMap::new();
    for &oid in &commits.late {
        for parent in source.glance(oid)?.parents {
            children.entry(parent).or_default().push(oid);
        }
    }
    let mut found = HashSet::new();
    let mut pending: Vec<Oid> = children
        .keys()
        .copied()
        .filter(|oid| commits.made_here.contains(oid))
        .collect();
    while let Some(oid) = pending.pop() {
        for &child in children.get(&oid).map_or(&[][..], Vec::as_slice) {
            if found.insert(child) {
                pending.push(child);
            }
        }
    }
    Ok(found)
}

/// Commits that existed before the turn or came from elsewhere, as far as there is proof.
fn known(source: &dyn GitSource, chronicle: &Chronicle, bounds: &Bounds<'_>) -> Result<Vec<Oid>, SourceError> {
    let mut known: Vec<Oid> = bounds.from_head.into_iter().collect();
    if chronicle.position.lost {
        // What the lost entries said could contradict every other sign.
        return Ok(known);
    }
    let proven = chronicle.before.iter().chain(&chronicle.fetched).copied();
    known.extend(those_there(source, proven)?);
    // A ref's own log says where it stood; without one it is taken to have stood where it is now, unless it names
    // what the turn made. Tags may be put on anything later, so they count only where a log tells what was made.
    let mut backdated = Vec::new();
    for &oid in chronicle.made.keys() {
        if is_older(source, oid, bounds)? {
            backdated.push(oid);
        }
    }
    let mut standing: HashMap<String, Option<Oid>> = HashMap::new();
    for found in source.refs()? {
        let is_tag = chronicle.has_head_log && found.name.starts_with("refs/tags/");
        if !is_tag && !is_branch(&found.name) {
            continue;
        }
        let mut holds_made = false;
        if !is_unmoved_remote(chronicle, &found.name) {
            for &oid in &backdated {
                holds_made |= source.is_ancestor(oid, found.oid)?;
            }
        }
        if !holds_made {
            standing.insert(found.name, Some(found.oid));
        }
    }
    if let Some(branch) = bounds.own_branch {
        standing.remove(&format!("refs/heads/{branch}"));
    }
    standing.extend(
        chronicle
            .refs_before()
            .filter(|(name, _)| is_branch(name))
            .map(|(name, oid)| (name.to_string(), oid)),
    );
    for oid in standing.into_values().flatten() {
        if is_older(source, oid, bounds)? {
            known.push(oid);
        }
    }
    known.sort();
    known.dedup();
    Ok(known)
}

/// Whether a commit that no known word tells the making of was at a remote before the turn: HEAD was put on it.
fn stood_at_remote(
    source: &dyn GitSource,
    chronicle: &Chronicle,
    oid: Oid,
    bounds: &Bounds<'_>,
) -> Result<bool, SourceError> {
    let told = |making: &Making| *chronicle.word(*making) != Word::Unknown;
    if chronicle.position.lost || chronicle.made.get(&oid).is_none_or(told) || !is_older(source, oid, bounds)? {
        return Ok(false);
    }
    for found in source.refs()? {
        // A log that begins after the turn tells by its first entry where the branch had stood.
        let stood = match is_unmoved_remote(chronicle, &found.name) {
            true => Some(found.oid),
            false => chronicle.first_moved_later(&found.name),
        };
        if let Some(stood) = stood.filter(|_| found.name.starts_with(REMOTES))
            && commit_if_there(source, stood)?.is_some()
            && source.is_ancestor(oid, stood)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a ref is a remote's branch that nothing moved since it was cloned: every fetch and push is logged.
fn is_unmoved_remote(chronicle: &Chronicle, name: &str) -> bool {
    let logged = chronicle.refs_before().any(|(logged, _)| logged == name);
    chronicle.has_head_log && name.starts_with(REMOTES) && !logged
}

/// Whether a commit is there and dated before the turn.
fn is_older(source: &dyn GitSource, oid: Oid, bounds: &Bounds<'_>) -> Result<bool, SourceError> {
    let commit = commit_if_there(source, oid)?;
    Ok(commit.is_some_and(|commit| commit.committer.seconds < bounds.start))
}

/// Commits dated at or after a time (seconds), met on the way down from the heads through such commits only.
fn dated_since(source: &dyn GitSource, heads: &[Oid], since: i64) -> Result<HashMap<Oid, i64>, SourceError> {
    let mut dated = HashMap::new();
    let mut pending: BinaryHeap<(i64, Oid)> = BinaryHeap::new();
    let mut enter = |oid: Oid, pending: &mut BinaryHeap<(i64, Oid)>| -> Result<(), SourceError> {
        if dated.contains_key(&oid) {
            return Ok(());
        }
        let commit = source.glance(oid)?;
        let seconds = commit.seconds.max(commit.author_seconds);
        if seconds >= since {
            dated.insert(oid, seconds);
            pending.push((seconds, oid));
        }
        Ok(())
    };
    for &oid in heads {
        enter(oid, &mut pending)?;
    }
    while let Some((_, oid)) = pending.pop() {
        for parent in source.glance(oid)?.parents {
            enter(parent, &mut pending)?;
        }
    }
    Ok(dated)
}
