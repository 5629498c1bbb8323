//! What kind of move HEAD made, which commands made it, and how a person would say it.

use super::reflog::{LogEntry, Via, Word};
use crate::model::Oid;
use crate::model::outcome::{ActionKind, GitAction, MoveKind};

/// What is known of a move.
#[derive(Clone, Debug, Default)]
pub struct MoveFacts {
    /// Head at the start; `None` is unborn.
    pub from_head: Option<Oid>,
    /// Head at the end; `None` is unborn.
    pub to_head: Option<Oid>,
    /// Branch at the start; `None` is detached.
    pub from_branch: Option<String>,
    /// Branch at the end; `None` is detached.
    pub to_branch: Option<String>,
    /// Whether the log says that the branch was renamed.
    pub renamed: bool,
    /// Whether a merge commit was made.
    pub merged: bool,
    /// Whether the end is a descendant of the start.
    pub forward: bool,
    /// Whether the end is an ancestor of the start.
    pub backward: bool,
}

/// The kind of a move. A change of branch says more than what the heads did.
pub fn move_kind(facts: &MoveFacts) -> MoveKind {
    if facts.from_branch != facts.to_branch {
        return match (&facts.from_branch, &facts.to_branch) {
            (Some(_), Some(_)) if facts.renamed => MoveKind::Rename,
            (Some(_), Some(_)) if facts.from_head.is_none() && facts.to_head.is_some() => MoveKind::Birth,
            (Some(_), Some(_)) => MoveKind::Switch,
            (Some(_), None) => MoveKind::Detach,
            (None, _) => MoveKind::Attach,
        };
    }
    match (facts.from_head, facts.to_head) {
        (from, to) if from == to => MoveKind::None,
        (None, Some(_)) => MoveKind::Birth,
        _ if facts.forward && facts.merged => MoveKind::Merge,
        _ if facts.forward => MoveKind::FastForward,
        _ if facts.backward => MoveKind::Rewind,
        _ => MoveKind::Rewrite,
    }
}

/// The commands that the log tells of, in order, each named once in a row. `name_of` names the remote branch
/// that a commit was fetched as; `fetched` is the one that was fetched in the turn, where it was just one.
pub fn actions<'a>(
    told: impl Iterator<Item = (&'a LogEntry, &'a Word)>,
    name_of: impl Fn(Oid) -> Option<String>,
    fetched: Option<&str>,
) -> Vec<GitAction> {
    let mut actions: Vec<GitAction> = Vec::new();
    // The steps of a rebase are one action, told by its first.
    let mut in_rebase = false;
    for (entry, word) in told {
        let within = in_rebase;
        match word {
            Word::RebaseStart { .. } => in_rebase = true,
            Word::RebaseFinish(_) | Word::RebaseReturn | Word::Checkout { .. } | Word::Reset(_) => in_rebase = false,
            _ => {}
        }
        if within && in_rebase && matches!(word, Word::Pick(Via::Rebase) | Word::FastForward(Via::Rebase)) {
            continue;
        }
        let Some(action) = action(entry, word, &name_of, fetched) else {
            continue;
        };
        if actions.last() != Some(&action) {
            actions.push(action);
        }
    }
    actions
}

fn action(
    entry: &LogEntry,
    word: &Word,
    name_of: impl Fn(Oid) -> Option<String>,
    fetched: Option<&str>,
) -> Option<GitAction> {
    let pulled = |arguments: &str| {
        let named = remote_branch(arguments).or_else(|| name_of(entry.new));
        named.or_else(|| fetched.map(str::to_string))
    };
    let (kind, target) = match word {
        Word::Checkout { to, .. } => (ActionKind::Checkout, Some(to.clone())),
        Word::Reset(to) => (ActionKind::Reset, Some(to.clone())),
        Word::FastForward(Via::Pull(arguments)) | Word::Merge(Via::Pull(arguments)) => {
            (ActionKind::Pull, pulled(arguments))
        }
        Word::FastForward(Via::Merge(name)) | Word::Merge(Via::Merge(name)) => (ActionKind::Merge, Some(name.clone())),
        Word::Merge(_) => (ActionKind::Merge, None),
        Word::RebaseStart { onto, by_pull } => {
            let kind = if *by_pull { ActionKind::Pull } else { ActionKind::Rebase };
            let id = Oid::from_hex(onto.as_bytes());
            (
                kind,
                id.map_or_else(|| Some(onto.clone()), &name_of)
                    .or_else(|| id.map(short)),
            )
        }
        Word::RebaseFinish(_) | Word::RebaseReturn => return None,
        Word::FastForward(Via::CherryPick) | Word::Pick(Via::CherryPick) => (ActionKind::CherryPick, None),
        Word::FastForward(_) | Word::Pick(Via::Rebase) => (ActionKind::Rebase, None),
        Word::Pick(Via::Am) => (ActionKind::Am, None),
        Word::Pick(_) => (ActionKind::CherryPick, None),
        Word::BranchRenamed | Word::BranchPlaced => (ActionKind::Branch, None),
        Word::Clone => (ActionKind::Clone, None),
        Word::Commit => (ActionKind::Commit, None),
        Word::Amend => (ActionKind::Amend, None),
        Word::Revert => (ActionKind::Revert, None),
        Word::Fetched | Word::Pushed | Word::Unknown => (ActionKind::Other, None),
    };
    Some(GitAction { kind, target })
}

/// Options of `git pull` that take their value as a word of its own.
const OPTIONS_WITH_VALUE: [&str; 12] = [
    "-X",
    "--strategy-option",
    "-s",
    "--strategy",
    "--depth",
    "--deepen",
    "--shallow-since",
    "--shallow-exclude",
    "-j",
    "--jobs",
    "--upload-pack",
    "-o",
];

/// `origin main` of `git pull --ff-only origin main`, as `origin/main`. Of a remote that is no name but an address,
/// the branch alone.
fn remote_branch(arguments: &str) -> Option<String> {
    let mut words = arguments.split_whitespace();
    let mut places = Vec::new();
    while let Some(word) = words.next() {
        if OPTIONS_WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            places.push(word);
        }
    }
    let (remote, refspec) = (places.first()?, places.get(1)?);
    let source = refspec.trim_start_matches('+').split(':').next()?;
    let branch = source.strip_prefix("refs/heads/").unwrap_or(source);
    if branch.is_empty() {
        return None;
    }
    let is_address = remote.contains(['/', ':', '\\']);
    Some(if is_address {
        branch.to_string()
    } else {
        format!("{remote}/{branch}")
    })
}

fn short(oid: Oid) -> String {
    let mut hex = oid.to_string();
    hex.truncate(7);
    hex
}

/// A move in words: what was done where one command did it, else from where to where.
pub fn label(facts: &MoveFacts, actions: &[GitAction]) -> String {
    let of_hand = |action: &&GitAction| {
        !matches!(
            action.kind,
            ActionKind::Commit | ActionKind::Amend | ActionKind::Branch | ActionKind::Revert
        )
    };
    let mut moves = actions.iter().filter(of_hand);
    let only = match (moves.next(), moves.next()) {
        (Some(action), None) => Some(action),
        _ => None,
    };
    let end = |branch: &Option<String>, head: Option<Oid>| {
        branch.clone().or_else(|| head.map(short)).unwrap_or_else(|| "?".into())
    };
    let from = end(&facts.from_branch, facts.from_head);
    let to = end(&facts.to_branch, facts.to_head);
    let with = |verb: &str, target: &Option<String>| match target {
        Some(target) => format!("{verb} {target}"),
        None => String::new(),
    };
    let said = match only {
        Some(GitAction {
            kind: ActionKind::Pull,
            target: None,
        }) => "Pulled".into(),
        Some(GitAction {
            kind: ActionKind::Pull,
            target,
        }) => with("Pulled", target),
        Some(GitAction {
            kind: ActionKind::Rebase,
            target,
        }) => with("Rebased onto", target),
        Some(GitAction {
            kind: ActionKind::Merge,
            target,
        }) => with("Merged", target),
        Some(GitAction {
            kind: ActionKind::Reset,
            target,
        }) => with("Reset to", target),
        Some(GitAction {
            kind: ActionKind::CherryPick,
            ..
        }) => "Cherry-picked".into(),
        Some(GitAction {
            kind: ActionKind::Checkout,
            ..
        }) => format!("Switched {from} → {to}"),
        // The log may be gone; that the branch is another one was recorded.
        None if actions.is_empty() && facts.from_branch != facts.to_branch => format!("Switched {from} → {to}"),
        _ => String::new(),
    };
    if said.is_empty() {
        format!("Updated via git ({from} → {to})")
    } else {
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::reflog::parse;

    fn facts(from: &str, to: &str) -> MoveFacts {
        let branch = |name: &str| (!name.is_empty()).then(|| name.to_string());
        MoveFacts {
            from_head: Oid::from_bytes(&[1; 20]),
            to_head: Oid::from_bytes(&[2; 20]),
            from_branch: branch(from),
            to_branch: branch(to),
            ..MoveFacts::default()
        }
    }

    #[test]
    fn every_kind_of_move() {
        let with = |change: fn(&mut MoveFacts)| {
            let mut facts = facts("main", "main");
            change(&mut facts);
            move_kind(&facts)
        };
        assert_eq!(with(|_| {}), MoveKind::Rewrite);
        assert_eq!(with(|facts| facts.to_head = facts.from_head), MoveKind::None);
        assert_eq!(with(|facts| facts.forward = true), MoveKind::FastForward);
        assert_eq!(
            with(|facts| (facts.forward, facts.merged) = (true, true)),
            MoveKind::Merge
        );
        assert_eq!(with(|facts| facts.backward = true), MoveKind::Rewind);
        assert_eq!(with(|facts| facts.from_head = None), MoveKind::Birth);
        assert_eq!(with(|facts| facts.to_branch = None), MoveKind::Detach);
        assert_eq!(with(|facts| facts.from_branch = None), MoveKind::Attach);
        assert_eq!(with(|facts| facts.to_branch = Some("other".into())), MoveKind::Switch);
        assert_eq!(
            with(|facts| (facts.to_branch, facts.renamed) = (Some("other".into()), true)),
            MoveKind::Rename
        );
    }

    fn actions_of(messages: &[&str]) -> Vec<GitAction> {
        let id = |digit: usize| digit.to_string().repeat(40);
        let lines = messages.iter().enumerate();
        let text: String = lines
            .map(|(at, message)| format!("{} {} A <a@b> 1 +0000\t{message}\n", id(at), id(at + 1)))
            .collect();
        let log = parse(text.as_bytes());
        let words: Vec<_> = log.entries.iter().map(LogEntry::word).collect();
        let name_of = |oid: Oid| (oid.to_string() == id(1)).then(|| "origin/main".to_string());
        actions(log.entries.iter().zip(&words), name_of, Some("origin/dev"))
    }

    #[test]
    fn labels_say_what_was_done() {
        let say = |from, to, messages: &[&str]| label(&facts(from, to), &actions_of(messages));
        assert_eq!(say("main", "main", &["pull: Fast-forward"]), "Pulled origin/main");
        assert_eq!(
            say("main", "main", &["pull --ff-only up dev: Fast-forward", "commit: x"]),
            "Pulled up/dev"
        );
        for arguments in [
            "-X theirs origin main",
            "--depth 5 origin +main",
            "origin refs/heads/main:tmp",
        ] {
            let pulled = format!("pull {arguments}: Fast-forward");
            assert_eq!(say("main", "main", &[&pulled]), "Pulled origin/main");
        }
        assert_eq!(
            say("main", "main", &["pull https://host/x.git main: Fast-forward"]),
            "Pulled main"
        );
        assert_eq!(say("a", "b", &["checkout: moving from a to b"]), "Switched a → b");
        assert_eq!(
            say("a", "a", &["rebase (start): checkout origin/main", "rebase (pick): x"]),
            "Rebased onto origin/main"
        );
        assert_eq!(
            say("a", "a", &["merge b: Merge made by the 'ort' strategy."]),
            "Merged b"
        );
        assert_eq!(
            say(
                "a",
                "",
                &["commit: x", "reset: moving to HEAD~1", "merge b: Fast-forward"]
            ),
            "Updated via git (a → 0202020)"
        );
        assert_eq!(
            say(
                "main",
                "main",
                &["commit: x", "pull: Merge made by the 'ort' strategy."]
            ),
            "Pulled origin/dev"
        );
        assert_eq!(say("main", "main", &["commit: x"]), "Updated via git (main → main)");
        let start = format!("pull --rebase (start): checkout {}", "1".repeat(40));
        assert_eq!(
            say("main", "main", &[&start, "pull --rebase (pick): x"]),
            "Pulled origin/main"
        );
    }
}
