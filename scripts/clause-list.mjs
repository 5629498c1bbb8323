// The clauses of the procedure, each with the change to the source that switches it off. `find` stands in the file
// exactly once. `told` names the test file that is most likely to notice: it is asked first.

const ANALYSIS = 'src/turn/analysis.rs'
const CHRONICLE = 'src/turn/chronicle.rs'
const COMMITS = 'src/turn/turn_commits.rs'
const FILES = 'src/turn/files.rs'
const HEAD = 'src/git/head.rs'
const LOG_POSITION = 'src/rules/log_position.rs'
const MERGE = 'src/rules/merge3.rs'
const ORIGINALS = 'src/turn/originals.rs'
const RANGE = 'src/turn/range.rs'
const REBASES = 'src/turn/rebases.rs'
const REFLOG = 'src/rules/reflog.rs'
const REPLAY = 'src/turn/replay.rs'
const SNAPSHOT = 'src/turn/snapshot.rs'
const STATE = 'src/turn/state.rs'
const TRACES = 'src/rules/traces.rs'
const VERDICT = 'src/rules/verdict.rs'

const off = (clause, file, find, replace, told) => ({ clause, file, find, replace, told })

export const clauses = [
  // ---- 1: where HEAD did not move, or is not known
  off(
    '1 no head recorded: all shown, and said so',
    ANALYSIS,
    '= (self.from.head, self.to.head) else',
    '= (self.from.head.or(Some(None)), self.to.head.or(Some(None))) else',
    'errors > a head that was not recorded',
  ),
  off(
    '1 the same heads at both ends: nothing moved, no history is read',
    ANALYSIS,
    'if (from_head, open_heads(self.from)) == (to_head, open_heads(self.to)) {',
    'if false {',
    'unmoved',
  ),
  off(
    '1 the merge head counts as moved',
    ANALYSIS,
    'if (from_head, open_heads(self.from)) == (to_head, open_heads(self.to)) {',
    'if from_head == to_head {',
    'in-progress',
  ),
  off(
    '1 a null head is a fact: unborn',
    ANALYSIS,
    '= (self.from.head, self.to.head) else',
    '= (self.from.head.filter(Option::is_some), self.to.head) else',
    'unborn',
  ),
  off(
    '1 an unborn head is the empty tree',
    ANALYSIS,
    'None => State::default(),',
    'None => State::of_tree(Some(analysis.from.tree)),',
    'clauses > an unborn head with a file of the user',
  ),
  off(
    '1 unborn at the end: all shown, and said so',
    ANALYSIS,
    'let Some(to_head) = to_head else {',
    'let Some(to_head) = to_head.or(from_head) else {',
    'unborn',
  ),

  // ---- 2: the entries of the turn
  off(
    '2 the pin at the start goes before times',
    LOG_POSITION,
    'Some(pin) => pinned(entries, pin),',
    'Some(_) => started_by_time(entries, from, to.seconds),',
    'clauses > begins at the pin',
  ),
  off(
    '2 the pin at the end goes before times',
    LOG_POSITION,
    'Some(pin) => pinned(entries, pin).filter(|&end| end >= start),',
    'Some(_) => ended_by_time(entries, start, to),',
    'clauses > ends at the pin',
  ),
  off(
    '2 a pinned entry is found again after older ones expired',
    LOG_POSITION,
    'found.or_else(|| entries.iter().rposition(is_it)).map',
    'found.map',
    'cargo --lib',
  ),
  off(
    '2 no pin at the start: an entry before the start',
    LOG_POSITION,
    'stood(entry) && entry.seconds < from.seconds',
    'stood(entry)',
    'clauses > begins, without a pin, before',
  ),
  off(
    '2 no pin at the start, no entry before it: the first with that head, more entries not fewer',
    LOG_POSITION,
    'entries.iter().position(|entry| stood(entry) && entry.seconds <= end)',
    'entries.iter().rposition(|entry| stood(entry) && entry.seconds <= end)',
    'clauses > begins, without a pin and a time',
  ),
  off(
    '2 no pin at the start: an entry of after the turn does not serve',
    LOG_POSITION,
    'stood(entry) && entry.seconds <= end',
    'stood(entry) && entry.seconds <= end.max(i64::MAX)',
    'clauses > is lost, without a pin',
  ),
  off(
    '2 no pin at the end: an entry not after the snapshot',
    LOG_POSITION,
    `until(to.seconds)
        .or_else(|| until(i64::MAX))`,
    'until(to.seconds.max(i64::MAX))',
    'clauses > ends, without a pin, before',
  ),
  off(
    '2 no pin at the end: the last such entry, more entries not fewer',
    LOG_POSITION,
    '.rposition(|entry| entry.new == head && entry.seconds <= end)',
    '.position(|entry| entry.new == head && entry.seconds <= end)',
    'clauses > ends, without a pin, where',
  ),
  off(
    '2 no pin at the end: else one that a clock set by hand dates later',
    LOG_POSITION,
    '.or_else(|| until(i64::MAX))',
    '',
    'clocks > into the future, and no pin',
  ),
  off(
    '2 doubt about the start takes every entry',
    LOG_POSITION,
    'turn: 0..entries.len(),',
    'turn: entries.len()..entries.len(),',
    'clauses > and work later on',
  ),
  off(
    '2 doubt about the end takes every later entry',
    LOG_POSITION,
    'turn: start..entries.len(),',
    'turn: start..start,',
    'cargo --lib',
  ),
  off(
    '2 the logs of other refs and worktrees',
    CHRONICLE,
    'for log in source.other_logs()? {',
    'for log in source.other_logs()?.into_iter().take(0) {',
    'late-commits',
  ),
  off(
    '2 other logs by time, from the start',
    CHRONICLE,
    'entry.seconds >= self.start || stands_in',
    'stands_in',
    'worktree',
  ),
  off(
    '2 other logs by time, not before the start',
    CHRONICLE,
    'entry.seconds >= self.start || stands_in',
    'true || stands_in',
    'clauses > never seen here',
  ),
  off(
    '2 other logs by time, not after the end',
    CHRONICLE,
    'entry.seconds <= self.end || stands_in',
    'true || stands_in',
    'clauses > what is fetched after the turn',
  ),
  off(
    '2 anchors: an entry that the log of HEAD has in the turn starts the part of another log',
    CHRONICLE,
    'entry.seconds >= self.start || stands_in(&self.turn, entry)',
    'entry.seconds >= self.start',
    'clauses > a branch stood where its log says',
  ),
  off(
    '2 anchors: such an entry is in the turn, however late it is dated',
    CHRONICLE,
    'entry.seconds <= self.end || stands_in(&self.turn, entry)',
    'entry.seconds <= self.end',
    'clauses > an amend in a worktree that is gone',
  ),
  off(
    '2 anchors: what another log holds up to an entry of before the pin is of before the turn',
    CHRONICLE,
    'first.max(after_before.map_or(0, |at| at + 1))',
    'first.max(after_before.map_or(0, |_| 0))',
    'clauses > what a branch held before',
  ),
  off(
    '2 anchors: what another log holds from an entry of a later turn on is of a later turn',
    CHRONICLE,
    'last.min(later.unwrap_or(entries.len()))',
    'last.min(later.map_or(entries.len(), |_| entries.len()))',
    'clauses > a commit of a later turn is',
  ),
  off(
    '2 a log that was cut at the start is a loss',
    LOG_POSITION,
    `turn: 0..entries.len(),
            idle: 0,
            pinned: false,
            told: false,
            lost: true,`,
    `turn: 0..entries.len(),
            idle: 0,
            pinned: false,
            told: false,
            lost: false,`,
    'cargo --lib',
  ),
  off(
    '2 a log that was cut at the end is a loss',
    LOG_POSITION,
    `turn: start..entries.len(),
            idle: 0,
            pinned: false,
            told: false,
            lost: true,`,
    `turn: start..entries.len(),
            idle: 0,
            pinned: false,
            told: false,
            lost: false,`,
    'cargo --lib',
  ),
  off('2 a log that is gone is a loss', LOG_POSITION, 'lost: recorded,', 'lost: false,', 'cargo --lib'),
  off(
    '2 lost entries could contradict every other sign: nothing but h0 is known',
    COMMITS,
    'if chronicle.position.lost {',
    'if false {',
    'clauses > a commit dated back by hand',
  ),
  off(
    '2 lost entries: where commits may have been made, all is shown',
    ANALYSIS,
    'if chronicle.position.lost && !commits.made_here.is_empty() {',
    'if false {',
    'clauses > a pick from a branch',
  ),

  // ---- 3: made
  off(
    '3 what an entry of the turn creates is made',
    CHRONICLE,
    'if word.creates()',
    'if false',
    'clocks > into the past',
  ),
  off(
    '3 checkout is a known movement',
    REFLOG,
    'if let ("checkout", Some((from, to))) = (head, moving(tail))',
    'if let ("checkout", Some((from, to))) = (head, moving(tail)) && false',
    'cargo --lib',
  ),
  off(
    '3 reset is a known movement',
    REFLOG,
    'if let ("reset", Some(to)) = (head, tail.strip_prefix("moving to "))',
    'if let ("reset", Some(to)) = (head, tail.strip_prefix("moving to ")) && false',
    'cargo --lib',
  ),
  off(
    '3 a fast-forward is a known movement',
    REFLOG,
    '&& (lower == "fast-forward"',
    '&& false && (lower == "fast-forward"',
    'pull',
  ),
  off('3 (start) is a known movement', REFLOG, 'Some("start") =>', 'Some("started") =>', 'rebase'),
  off('3 (finish) is a known movement', REFLOG, 'Some("finish") =>', 'Some("finished") =>', 'cargo --lib'),
  off('3 (abort) is a known movement', REFLOG, 'Some("abort" | "reset")', 'Some("reset")', 'cargo --lib'),
  off('3 (reset) is a known movement', REFLOG, 'Some("abort" | "reset")', 'Some("abort")', 'cargo --lib'),
  off('3 Branch: renamed is a known movement', REFLOG, '"Branch" if', '"Branch" if false &&', 'cargo --lib'),
  off('3 branch: Reset is a known movement', REFLOG, 'tail.starts_with("Reset to ") ||', '', 'cargo --lib'),
  off('3 branch: Created is a known movement', REFLOG, '|| tail.starts_with("Created from ")', '', 'cargo --lib'),
  off('3 tag: tagging is a known movement', REFLOG, '"tag" if', '"tag" if false &&', 'cargo --lib'),
  off('3 clone is a known movement', REFLOG, '"clone" if', '"clone" if false &&', 'cargo --lib'),
  off('3 initial pull is a known movement', REFLOG, '"initial pull" =>', '"initial pulled" =>', 'cargo --lib'),
  off('3 update by push is a known movement', REFLOG, '"update by push" =>', '"updated by push" =>', 'cargo --lib'),
  off(
    '3 rewritten during rebase is a known movement',
    REFLOG,
    'message == "rewritten during rebase"',
    'message == "rewritten"',
    'cargo --lib',
  ),
  off(
    '3 unknown and empty words create',
    REFLOG,
    '| Word::Revert | Word::Unknown',
    '| Word::Revert',
    'orphan-and-plumbing',
  ),
  off(
    '3 an oid named before the pin is never made',
    CHRONICLE,
    'let was_here = self.before.contains(&entry.new) || named_before',
    'let was_here = named_before',
    'orphan-and-plumbing',
  ),
  off(
    '3 an oid that another log named before the turn is not made there',
    CHRONICLE,
    '|| named_before.contains(&entry.new);',
    ';',
    'clauses > a branch put back by plumbing',
  ),
  off(
    '3 an unknown word moves to what is known to come from elsewhere',
    CHRONICLE,
    '*word == Word::Unknown && elsewhere.contains',
    'false && elsewhere.contains',
    'clauses > gone to by plumbing',
  ),
  off(
    '3 the time of another log is no proof against the log of HEAD',
    CHRONICLE,
    'if index == 0 { HashSet::new() } else { chain.before() }',
    'self.chains.iter().flat_map(Chain::before).collect::<HashSet<_>>()',
    'clauses > a rebase by a clock set back',
  ),
  off(
    '3 a stash is no line of history',
    CHRONICLE,
    'self.kind != LogKind::Remote && self.name != "refs/stash"',
    'self.kind != LogKind::Remote',
    'clauses > what the agent stashed',
  ),
  off(
    '3 where a new worktree starts is not made',
    CHRONICLE,
    '&& !placed',
    '',
    'clauses > a worktree put on an old branch',
  ),
  off(
    '3 the entry that tells first of a commit counts',
    CHRONICLE,
    'self.made.entry(entry.new).or_insert(Making {',
    'self.made.insert(entry.new, Making {',
    'reset',
  ),
  off(
    '3 what was pushed from here was made here',
    COMMITS,
    'chronicle.made.keys().chain(&chronicle.pushed).copied()',
    'chronicle.made.keys().copied()',
    'merged-and-picked > by a sub-agent under another name and an old date',
  ),

  // ---- 4: known
  off(
    '4 known: h0',
    COMMITS,
    'let mut known: Vec<Oid> = bounds.from_head.into_iter().collect();',
    'let mut known: Vec<Oid> = Vec::new();',
    'clauses > a reset to an older commit is still',
  ),
  off(
    '4 known: values before the pin',
    COMMITS,
    'chronicle.before.iter().chain(&chronicle.fetched).copied(),',
    'chronicle.fetched.iter().copied(),',
    'clauses > a commit that HEAD stood on before',
  ),
  off(
    '4 known: values fetched in the turn',
    COMMITS,
    'chronicle.before.iter().chain(&chronicle.fetched).copied(),',
    'chronicle.before.iter().copied(),',
    'clauses > what was fetched in the turn',
  ),
  off(
    '4 known: refs with an old date',
    COMMITS,
    `.is_ok_and(|commit| commit.committer.seconds < bounds.start)
}`,
    `.is_ok_and(|commit| commit.committer.seconds < bounds.start && false)
}`,
    'clauses > a branch with an old date',
  ),
  off(
    '4 known: not refs with a date in the turn',
    COMMITS,
    `.is_ok_and(|commit| commit.committer.seconds < bounds.start)
}`,
    `.is_ok_and(|commit| commit.committer.seconds < bounds.start || true)
}`,
    'clauses > not a branch without a log',
  ),
  off(
    '4 known: not the branch that moved, whatever its date',
    COMMITS,
    'standing.remove(&format!("refs/heads/{branch}"));',
    'let _ = branch;',
    'clocks',
  ),
  off(
    '4 known: a ref that moved, where its log says that it stood',
    COMMITS,
    '.filter(|(name, _)| is_branch(name))',
    '.filter(|(name, _)| is_branch(name) && false)',
    'clauses > where a branch stood that was moved',
  ),
  off(
    '4 known: not what a log says was made in the turn',
    CHRONICLE,
    '.filter(|oid| !self.made.contains_key(oid))',
    '',
    'clauses > not a branch whose log was written',
  ),
  off(
    '4 known: branches, remotes and tags alone',
    COMMITS,
    'if !is_tag && !is_branch(&found.name) {',
    'if false {',
    'clauses > not what is kept under another name',
  ),
  off(
    '4 known: tags only where there is a log',
    COMMITS,
    'let is_tag = chronicle.has_head_log && ',
    'let is_tag = ',
    'clauses > without logs, a tag',
  ),
  off(
    '4 known: not a ref that holds what the turn made',
    COMMITS,
    'if !holds_made {',
    'if true {',
    'clauses > that holds what the turn made',
  ),
  off(
    '4 fetched: what the log of a remote says',
    CHRONICLE,
    '(true, true) => self.fetched.insert(entry.new),',
    '(true, true) => false,',
    'late-commits',
  ),
  off(
    '4 fetched: not what was pushed from here',
    CHRONICLE,
    'let fetched = is_fetch(&entry.message);',
    'let fetched = is_fetch(&entry.message) || true;',
    'clauses > not what was pushed from here',
  ),
  off(
    '4 what was pruned proves nothing',
    COMMITS,
    'oids.filter(|&oid| source.read_commit(oid).is_ok()).collect()',
    'oids.collect()',
    'clauses > what was pruned proves nothing',
  ),

  // ---- 5: told
  off('5 told: an unbroken chain', LOG_POSITION, 'at(entry.old) != stands || ', '', 'cargo --lib'),
  off('5 told: of known words', LOG_POSITION, ' || entry.word() == Word::Unknown', '', 'cargo --lib'),
  off(
    '5 told: to h1',
    LOG_POSITION,
    `stands = at(entry.new);
    }
    stands == to`,
    `stands = at(entry.new);
    }
    let _ = to;
    true`,
    'clauses > a branch whose file was written past git',
  ),
  off(
    '2 what was done between the snapshot and the start is not of the turn',
    LOG_POSITION,
    'turn: start + idle..end,',
    'turn: start..end,',
    'authorship > with the end of the turn before',
  ),
  off(
    '2 what is dated before the snapshot is of the turn all the same',
    LOG_POSITION,
    'from.snapshot <= entry.seconds && ',
    '',
    'cargo --lib',
  ),
  off('5 told: every line could be read', LOG_POSITION, 'log.whole && ', '', 'clocks'),
  off(
    '5 the result names its evidence',
    ANALYSIS,
    '(false, _) => Evidence::Weak',
    '(false, _) => Evidence::Reflog',
    'orphan-and-plumbing',
  ),
  off(
    '5 evidence without pins is dates',
    ANALYSIS,
    '(true, false) => Evidence::Dates',
    '(true, false) => Evidence::Reflog',
    'clocks',
  ),

  // ---- 6: the turn commits
  off(
    '3 what was at a remote before the turn was not made in it',
    COMMITS,
    'if !stood_at_remote(source, chronicle, oid, bounds)? {',
    'if true {',
    'orphan-and-plumbing > update-ref onto a commit',
  ),
  off(
    '4 a branch of the remote that nothing moved stood where it stands',
    COMMITS,
    'if !is_unmoved_remote(chronicle, &found.name) {',
    'if true {',
    'orphan-and-plumbing > update-ref onto a commit',
  ),
  off(
    '6 what counts as a turn commit for want of proof alone is trusted neither way',
    REPLAY,
    '!self.chronicle.position.told && !made_known',
    'false && !made_known',
    'orphan-and-plumbing > an older branch, merged and deleted',
  ),
  off(
    '6 late commits under an identity of the turn are its own',
    COMMITS,
    'unexplained || is_own(source.read_commit(oid)?.as_ref())',
    'unexplained || (false && is_own(source.read_commit(oid)?.as_ref()))',
    'push-and-pull',
  ),
  off(
    '6 own identities: those in the entries of the turn',
    CHRONICLE,
    'self.identities.insert(email(&entry.identity));',
    '',
    'clauses > those under the identity that moves',
  ),
  off(
    "6 own identities: not a rewriter's, which writes under another's name",
    CHRONICLE,
    'if index == 0 && *word != Word::Unknown {',
    'if index == 0 {',
    'clauses > not those of somebody under whose name',
  ),
  off(
    "6 own identities: the repository's user.email",
    COMMITS,
    'own.extend(source.user_email()',
    'own.extend(None.into_iter().chain(source.user_email()).take(0)',
    'clauses > those under the identity of the settings',
  ),
  off('6 an empty address is nobody', COMMITS, 'own.remove(&b""[..]);', '', 'clauses > not those without an address'),
  off(
    '6 addresses in any case',
    CHRONICLE,
    `.email()
    .to_ascii_lowercase()`,
    `.email()
    .to_vec()`,
    'late-commits',
  ),
  off(
    "6 what came neither from a log nor by fetch is the turn's own",
    COMMITS,
    'chronicle.position.told && !fetched.contains_key(&oid)',
    'false',
    'late-commits',
  ),
  off(
    '6 every head that HEAD visits is looked at',
    COMMITS,
    `.map(|(entry, _)| entry.new)
            .filter(|oid| !oid.is_zero()),`,
    `.map(|(entry, _)| entry.new)
            .filter(|_| false),`,
    'clauses > and that is committed again here',
  ),
  off(
    '6 heads of an open operation are looked at',
    COMMITS,
    'heads.extend(bounds.open_heads);',
    '',
    'clauses > work of a sub-agent, its worktree and branch gone',
  ),
  off(
    '6 told: only commits dated at or after the start',
    COMMITS,
    'if dated < bounds.start {',
    'if dated < since {',
    'clauses > the same, where no log tells',
  ),
  off(
    '6 what a branch without a log names may be older than that clock says',
    COMMITS,
    'lately.into_iter().filter(|oid| !unlogged.contains_key(oid))',
    'lately.into_iter().filter(|_| unlogged.len() < usize::MAX)',
    'clauses > the same, where no log tells',
  ),
  off(
    '6 a commit by a slow clock that nothing explains is of the turn',
    COMMITS,
    'if !lately.is_empty() {',
    'if false {',
    'clauses > by a clock that is slow',
  ),
  off(
    '6 the start is floored to the second',
    ANALYSIS,
    '(given / 1000.0).floor() as i64',
    '(given / 1000.0).ceil() as i64',
    'clauses > a commit in the second in which',
  ),
  off('6 a start after the end is not believed', ANALYSIS, '|| given >= latest', '', 'errors'),
  off(
    '6 not told: every commit that is not known',
    COMMITS,
    'if !chronicle.position.told {',
    'if false {',
    'orphan-and-plumbing',
  ),
  off(
    '6 what a head of before the turn reaches is not of the turn, whatever its date',
    COMMITS,
    '.filter(|(oid, _)| !old.contains_key(oid))',
    '.filter(|_| old.len() < usize::MAX)',
    'late-commits',
  ),
  off(
    '6 heads of before the turn: HEAD was there before h0',
    COMMITS,
    '.chain(chronicle.lately_before(MAX_VALUES_BEFORE))',
    '.chain(chronicle.lately_before(0))',
    'clauses > left by a detached HEAD',
  ),
  off(
    '6 heads of before the turn: where refs stood',
    COMMITS,
    '.chain(chronicle.refs_before().filter_map(|(_, oid)| oid))',
    '',
    'clauses > a branch of minutes before the turn',
  ),
  off(
    '6 a turn commit is not late',
    COMMITS,
    'found.late.retain(|oid| !found.made_here.contains(oid));',
    '',
    'clauses > own commit, set back by minutes',
  ),
  off(
    "6 a server's copies of what was written here",
    COMMITS,
    'found.made_here.extend(copies);',
    'let _ = copies;',
    'clauses > copy of a commit that the agent made',
  ),
  off(
    '6 what was amended here after it came is no copy',
    COMMITS,
    'makings.iter().any(|&making| !chronicle.names_before(oid, making))',
    '!makings.is_empty()',
    'clauses > a late commit that the agent amends',
  ),
  off(
    '6 of a pick it cannot be told which is the copy',
    COMMITS,
    '!matches!(chronicle.word(making), Word::Pick(_)) && ',
    '',
    'clauses > commit that was picked here',
  ),
  off(
    '6 what was pushed may come back under commits of any date',
    COMMITS,
    'if may_be_built_on || found.made_here.iter().any(came_back) {',
    'if (may_be_built_on || found.made_here.iter().any(came_back)) && false {',
    'clauses > by a clock that is far behind',
  ),

  // ---- 7: merges of trees
  off(
    '7 renames on one side',
    MERGE,
    'let our_renames = self.renames(self.ours, self.theirs, &our_gone)?;',
    'let our_renames = Renames::default();',
    'clauses > the user has renamed a file',
  ),
  off(
    '7 renames on the other side',
    MERGE,
    'let their_renames = self.renames(self.theirs, self.ours, &their_gone)?;',
    'let their_renames = Renames::default();',
    'clauses > the same, where upstream changes more',
  ),
  off(
    '7 modes are merged beside the content',
    MERGE,
    `if ours == theirs || base == Some(theirs) {
        Some(ours)`,
    `if true || base == Some(theirs) {
        Some(ours)`,
    'cargo --test merge3',
  ),
  off(
    '7 two modes that differ conflict',
    MERGE,
    `Some(theirs)
    } else {
        None`,
    `Some(theirs)
    } else {
        Some(ours)`,
    'cargo --test merge3',
  ),
  off(
    '7 links and submodules are not merged',
    MERGE,
    'if !mode.is_file() {',
    'if false {',
    'clauses > a link is not merged',
  ),
  off(
    '7 modified here, deleted there conflicts',
    MERGE,
    `let (Some(ours), Some(theirs)) = (ours, theirs) else {
            return Ok(Resolved::Conflict);`,
    `let (Some(ours), Some(theirs)) = (ours, theirs) else {
            return Ok(Resolved::Clean(theirs));`,
    'cargo --test merge3',
  ),
  off(
    '7 additions to a directory that the other side moved conflict',
    MERGE,
    `if gone.is_empty() {
            return;`,
    `if gone.is_empty() || true {
            return;`,
    'cargo --test merge3',
  ),
  off(
    '7 a file where the other side has a directory conflicts',
    MERGE,
    'self.separate_files_from_directories(&settled, &mut merged);',
    '',
    'cargo --test merge3',
  ),
  off(
    '7 rivals for one rename conflict',
    MERGE,
    `renames.unsure.extend(rivals);
                renames.open.extend(targets);`,
    '',
    'cargo --test merge3',
  ),
  off(
    '7 conflicts are untrusted',
    STATE,
    'inherited.chain(merged.conflicts.iter().cloned())',
    'inherited',
    'clauses > clean only on what the agent wrote',
  ),
  off(
    '7 untrusted paths of the smaller side are passed on',
    STATE,
    'base.untrusted.iter().chain(other.untrusted.iter()).cloned()',
    'base.untrusted.iter().cloned()',
    'clauses > a file that was resolved by hand on a branch',
  ),
  off(
    '7 what rests on an inexact pairing is untrusted where git stopped',
    REPLAY,
    'if !merge.inexact.is_empty() {',
    'if false {',
    'clauses > a merge that stopped elsewhere, with a hand',
  ),
  off(
    '7 such a pairing holds where it gives what was committed',
    REPLAY,
    '.filter(|path| differing.contains_key(*path))',
    '.filter(|_| differing.len() < usize::MAX)',
    'clauses > a merge that stopped elsewhere, the renamed',
  ),
  off(
    '7 such a pairing holds where git did not stop',
    REPLAY,
    'if !self.making(oid).is_some_and(is_stop) {',
    'if false && !self.making(oid).is_some_and(is_stop) {',
    'clauses > a rebase that does not say',
  ),

  // ---- 8: what is not of the turn
  off(
    '8 what was not made in the turn is what its tree says',
    REPLAY,
    'if !self.commits.made_here.contains(&at) && ',
    'if false && ',
    'cherry-pick',
  ),
  off(
    '8 what was made in the turn is replayed',
    REPLAY,
    'if !self.commits.made_here.contains(&at) && ',
    'if true || ',
    'amend',
  ),
  off(
    '8 a late commit on top of a turn commit is what it changed, not what it builds on',
    REPLAY,
    ' && !self.commits.late_on_top.contains(&at) {',
    ' {',
    'push-and-pull',
  ),

  // ---- 9: rebases
  off(
    '9 a finished rebase is one replay of the whole line',
    REPLAY,
    '&& self.recurring_line(commit.oid, &rebase)?.is_some()',
    '&& self.recurring_line(commit.oid, &rebase)?.filter(|_| false).is_some()',
    'rebase',
  ),
  off('9 O: the first commit that recurs', REPLAY, 'first = first.or(Some(oid));', 'first = Some(oid);', 'rebase'),
  off(
    '9 commits left out before the first that recurs do not bear on the replay',
    REPLAY,
    'None if first.is_none() => {}',
    'None if false => {}',
    'rebased-lines > the first commit left out',
  ),
  off(
    '9 merges are left out of a rebase',
    REPLAY,
    '_ if commit.parents.len() > 1 => {',
    '_ if false => {',
    'rebased-lines > with a merge in the line',
  ),
  off(
    '9 a commit that was squashed into another does not',
    REBASES,
    'open.rebase.squashed += usize::from(is_squash(&entry.message));',
    'open.rebase.squashed += usize::from(is_squash(&entry.message)) * 0;',
    'rebased-lines > with a squash that git made alone',
  ),
  off(
    '9 what a squash step squashed was not left out',
    REPLAY,
    'missing.into_iter().filter(|oid| !squashed.contains(oid))',
    'missing.into_iter().filter(|oid| squashed.is_empty() || !squashed.is_empty() || !squashed.contains(oid))',
    'rebased-lines > with a squash that git made alone',
  ),
  off(
    '9 the hand in a merge that was left out',
    REPLAY,
    'unsure.extend(by_hand.into_keys().chain(stopped));',
    'let _ = (by_hand, stopped);',
    'under-other-names',
  ),
  off(
    '9 squashed or left out, it cannot be told: untrusted',
    REPLAY,
    'let state = state.distrusting(line.unsure);',
    'let state = state.distrusting(line.unsure.into_iter().take(0));',
    'clauses > one commit squashed, another dropped',
  ),
  off(
    '9 where the line as a whole stops, the steps may not',
    REPLAY,
    'Ok(if fewer { by_steps } else { state })',
    'Ok(if fewer && false { by_steps } else { state })',
    'clauses > each step clean',
  ),
  off(
    '9 the branch knows where the line stood',
    REBASES,
    'ended.rebase.from = old;',
    'let _ = old;',
    'rebased-lines > of another branch than the one HEAD is on',
  ),
  off(
    '9 a rebase of a detached HEAD ends with its last step',
    REBASES,
    'if !still_open {',
    'if false {',
    'rebased-lines > of a detached HEAD, which ends',
  ),
  off(
    '9 a rebase of a detached HEAD ends where the next one starts',
    REBASES,
    'end_at_last_step(open.take(), found);',
    '',
    'rebased-lines > of a detached HEAD, and then',
  ),
  off(
    '9 a rebase that an earlier turn left open',
    REBASES,
    'for at in 0..chain.turn.end {',
    'for at in chain.turn.clone() {',
    'rebased-lines > that an earlier turn left open',
  ),

  // ---- 10: amends and rewrites
  off(
    '10 an amend is what it amends',
    REPLAY,
    'Word::Amend => Ok(Some(old)),',
    'Word::Amend => Ok(None),',
    'clauses > an amend under another name',
  ),
  off(
    '10 a rewriter with the same author and date is what it rewrites',
    REPLAY,
    '_ => Ok((self.source.read_commit(old)?.author == commit.author).then_some(old)),',
    '_ => Ok(None),',
    'clauses > that reword a merge',
  ),
  off(
    '10 of another author or date it is no rewrite',
    REPLAY,
    '_ => Ok((self.source.read_commit(old)?.author == commit.author).then_some(old)),',
    '_ => Ok(Some(old)),',
    'clauses > plumbing that leaves the last',
  ),
  off(
    '10 what stands on the old value is no rewrite of it',
    REPLAY,
    '_ if commit.parents.contains(&old) => Ok(None),',
    '_ if false => Ok(None),',
    'merge',
  ),
  off(
    '10 a soft reset and an amend: what stood there before may be closer',
    REPLAY,
    'Some((differing, stood)) if differing < kept =>',
    'Some((differing, stood)) if differing < kept && false =>',
    'clauses > a soft reset and an amend',
  ),

  // ---- 11: merges
  off('11 a merge is a merge of its parents', REPLAY, 'if commit.parents.len() > 1 {', 'if false {', 'merge'),
  off(
    '11 all parents are folded in',
    REPLAY,
    'for (index, &parent) in commit.parents.iter().enumerate().skip(1) {',
    'for (index, &parent) in commit.parents.iter().enumerate().skip(1).take(1) {',
    'merge',
  ),
  off(
    '11 the parents without the hand in them',
    REPLAY,
    `let base = self.base_of(&commit.parents[..index], parent)?;
            let theirs = self.state_at(parent)?;`,
    `let base = self.base_of(&commit.parents[..index], parent)?;
            let theirs = self.real_tree(Some(&parent))?;`,
    'worktree',
  ),
  off(
    '11 the base of all the parents folded so far',
    REPLAY,
    'let base = self.base_of(&commit.parents[..index], parent)?;',
    'let base = self.base_of(&commit.parents[..index.min(1)], parent)?;',
    'merged-and-picked > an octopus whose last branch grew',
  ),
  off(
    '11 several bases are merged first',
    REPLAY,
    'for (index, &base) in rest.iter().enumerate() {',
    'for (index, &base) in rest.iter().enumerate().take(0) {',
    'merged-and-picked > criss-cross, with a change',
  ),
  off(
    '11 several bases are merged first, when it is redone',
    REPLAY,
    'for (index, &base) in bases.iter().enumerate().skip(1) {',
    'for (index, &base) in bases.iter().enumerate().skip(usize::MAX) {',
    'merged-and-picked > criss-cross, with a change',
  ),
  off(
    '11 a merge that git finished stands as git made it',
    REPLAY,
    'if !self.finished_by_git(commit.oid) || self.guessed',
    'if true || self.guessed',
    'clauses > trees with -X theirs',
  ),
  off(
    '11 a merge that git finished stopped nowhere',
    REPLAY,
    'if self.finished_by_git(oid) {',
    'if false {',
    'clauses > trees with -X theirs',
  ),
  off(
    '11 the hand in what was merged stays out of it',
    REPLAY,
    'if by_hand.is_empty() {\n            return Ok(made);',
    'if true {\n            return Ok(made);',
    'merged-and-picked > X theirs decides a conflict, after',
  ),
  off(
    '11 a merge committed by its own command may have stopped',
    REPLAY,
    'Word::Merge(via) => *via != Via::Commit && commit',
    'Word::Merge(_) => commit',
    'merge',
  ),

  // ---- 12: reverts
  off(
    '12 a revert is a decision of the agent',
    REPLAY,
    '*self.chronicle.word(making) == Word::Revert',
    '*self.chronicle.word(making) == Word::Revert && false',
    'clauses > a revert right after a reset',
  ),

  // ---- 13: picks
  off('13 a pick is a replay of its original', REPLAY, 'if self.may_replay(commit)', 'if false', 'cherry-pick'),
  off(
    '13 picks: an author date before the start',
    REPLAY,
    'commit.author.seconds < self.start || ',
    '',
    'clauses > applied without a commit, then',
  ),
  off(
    '13 picks: the word says so',
    REPLAY,
    'matches!(word, None | Some(Word::Pick(_)))',
    'word.is_none()',
    'clauses > commit that was written in the turn',
  ),
  off(
    '13 picks: made elsewhere, as a server does',
    REPLAY,
    'matches!(word, None | Some(Word::Pick(_)))',
    'matches!(word, Some(Word::Pick(_)))',
    'merged-and-picked > older work committed again',
  ),
  off(
    '13 a pick may have stopped, whatever the word',
    REPLAY,
    'Word::Pick(Via::CherryPick) => !stopped(',
    'Word::Pick(_) => !stopped(',
    'merged-and-picked > rebase --apply writes no other word',
  ),
  off(
    '13 a cherry-pick that git finished stands as git made it',
    REPLAY,
    'Word::Pick(Via::CherryPick) => !stopped(&entry.message),',
    '',
    'clauses > picks with -X theirs',
  ),
  off(
    '13 a cherry-pick that went on after a stop may hold a hand',
    REPLAY,
    'Word::Pick(Via::CherryPick) => !stopped(&entry.message),',
    'Word::Pick(Via::CherryPick) => true,',
    'cherry-pick',
  ),
  off(
    '13 where the original is guessed, git is not taken at its word',
    REPLAY,
    ' || self.guessed.contains(&commit.oid) {',
    ' {',
    'merged-and-picked > an amended copy that nothing names',
  ),
  off(
    '13 a hook may amend under the same word',
    REPLAY,
    'let on_top = commit.parents.first() == Some(&entry.old);',
    'let on_top = true;',
    'merged-and-picked > a pick that a hook amended',
  ),
  off(
    '13 the original without the hand in it',
    REPLAY,
    `let ours = self.state_before(commit.oid)?;
        let theirs = self.state_at(original)?;`,
    `let ours = self.state_before(commit.oid)?;
        let theirs = self.real_tree(Some(&original))?;`,
    'cherry-pick',
  ),
  off(
    '13 candidates: what h0 reaches',
    ORIGINALS,
    'search.down_from(self.heads.clone(), Place::Ref)?;',
    '',
    'clauses > without logs, a line that no branch',
  ),
  off(
    '13 candidates: what a ref reaches',
    ORIGINALS,
    'search.down_from(standing, Place::Ref)?;',
    'let _ = standing;',
    'clauses > of what only a tag names',
  ),
  off(
    '13 candidates: what only a log names',
    ORIGINALS,
    'search.down_from(self.chronicle.named_until_end().collect(), Place::Log)?;',
    '',
    'clauses > of what only the log names',
  ),
  off(
    '13 candidates: refs before logs',
    ORIGINALS,
    'Place::Log => Kind::InLog,',
    'Place::Log => Kind::OnRef,',
    'procedure',
  ),
  off(
    '13 candidates: of one message, where some are',
    ORIGINALS,
    'if same.is_empty() { candidates } else { same }',
    'candidates',
    'clauses > of one message',
  ),
  off(
    '13 candidates: those of the turn come last',
    ORIGINALS,
    '=> Kind::MadeHere,',
    '=> Kind::OnRef,',
    'cherry-pick > of a deleted branch, to two others',
  ),
  off(
    '13 candidates: no descendant',
    ORIGINALS,
    'if !made_later(oid) && !self.source.is_ancestor(commit.oid, oid)? {',
    'if !made_later(oid) {',
    'clauses > squashed on the server and gone to by hand',
  ),
  off(
    '13 what is untold is no copy of a copy',
    REPLAY,
    '|| (untold && is_copy(candidate))',
    '|| (false && untold && is_copy(candidate))',
    'cherry-pick > amended of a late commit',
  ),
  off(
    '13 an option that takes one side of a conflict',
    REPLAY,
    'for favour in [None, Some(Favour::Ours), Some(Favour::Theirs)] {',
    'for favour in [None, Some(Favour::Ours), Some(Favour::Theirs)].into_iter().take(1) {',
    'clauses > with -X theirs, which decides by itself',
  ),
  off(
    '13 what git did of its own where the hand came from another name',
    REPLAY,
    'if explained && !by_hand.contains(&path) {',
    'if !by_hand.contains(&path) {',
    'under-other-names',
  ),
  off(
    '6 whoever commits under an identity of the turn, whatever author is named',
    COMMITS,
    '[&commit.author, &commit.committer]',
    '[&commit.author, &commit.author]',
    'under-other-names',
  ),
  off(
    '6 what a branch was rebased to was made, where the log of the steps is gone',
    COMMITS,
    'readable(source, [rebased.new].into_iter())',
    'readable(source, [rebased.new].into_iter().take(0))',
    'parked-work',
  ),
  off(
    '19 lines of the hand under another name or indentation',
    ANALYSIS,
    'if traces::mostly_from(&added_by_hand, start, expected) {',
    'if false && traces::mostly_from(&added_by_hand, start, expected) {',
    'under-other-names',
  ),
  off(
    '4 fetched: into a branch of this repository',
    CHRONICLE,
    'if chain.kind == LogKind::Ref && *word == Word::Fetched {',
    'if false && *word == Word::Fetched {',
    'under-other-names',
  ),
  off(
    '13 what git picked by itself is what gives it exactly',
    REPLAY,
    'if self.finished_by_git(commit.oid) {\n            // Then',
    'if false {\n            // Then',
    'cherry-pick > amended or filtered here first',
  ),
  off(
    '13 candidates: none that was made from the commit',
    REPLAY,
    'self.made_before(commit.oid, candidate) || (untold',
    '(untold',
    'clauses > a patch by mail, picked elsewhere in the turn',
  ),
  off(
    '13 candidates: a message that was kept counts before their kind',
    ORIGINALS,
    'if kept {',
    'if false {',
    'push-and-pull > squashed in the second',
  ),
  off(
    '9 a squash step is redone from what it squashed',
    REPLAY,
    '|| !is_squash(&entry.message) {',
    '|| true {',
    'rebase > a squash step is redone',
  ),
  off(
    '13 of several, the one that the commit is closest to',
    REPLAY,
    'closest.map_or(far, |(least, _)| least)',
    'closest.map_or(far, |_| 0)',
    'clauses > of one of two commits of the same second',
  ),
  off(
    '13 author and date alone may be a coincidence',
    REPLAY,
    'self.changes_of(commit.oid)?.len()',
    'usize::MAX',
    'cherry-pick > of a merge of the same second',
  ),
  off(
    '13 an author date of before the turn is no coincidence',
    REPLAY,
    'let far = if told || commit.author.seconds < self.start {',
    'let far = if told {',
    'clauses > with a hand in all of it',
  ),
  off(
    '13 candidates: what was here before what arrived',
    ORIGINALS,
    '=> Kind::Arrived,',
    '=> Kind::OnRef,',
    'cherry-pick > of a deleted branch, first in a worktree',
  ),
  off(
    '13 candidates: only what was there in the turn',
    ORIGINALS,
    'candidates.retain(|(_, oid)| self.was_there(*oid));',
    '',
    'clauses > a patch by mail, picked elsewhere in a later turn: ',
  ),
  off(
    '13 candidates: nothing that a later turn made',
    ORIGINALS,
    '&& !self.chronicle.made_later(oid)',
    '',
    'clauses > by a clock set back: the copy',
  ),

  // ---- 14: commits after a reset
  off(
    '14 what was reset and committed again is what stood there',
    REPLAY,
    '&& let Some((_, stood)) = self.recommitted(commit, making)?',
    '&& let Some((_, stood)) = self.recommitted(commit, making)?.filter(|_| false)',
    'reset',
  ),
  off(
    '14 a reset lies between',
    REPLAY,
    '!matches!(word, Word::Reset(_)) || stood',
    'stood',
    'clauses > a look at a newer state',
  ),
  off(
    '14 the parent is an ancestor of what stood there',
    REPLAY,
    ' || !self.source.is_ancestor(parent, stood)?',
    '',
    'under-other-names',
  ),
  off(
    '14 the commit has most of what stood there',
    REPLAY,
    '(held > 0 && 2 * held >= undone.len()).then_some(left_out.len())',
    'Some(left_out.len()).filter(|_| held < usize::MAX)',
    'clauses > a reset to an older commit, and another file',
  ),
  off(
    '14 a look around by reset, there and back, is no place to come from',
    REPLAY,
    '|| back {',
    '|| (false && back) {',
    'under-other-names',
  ),
  off(
    '14 of several places, the one that the commit is closest to',
    REPLAY,
    '&& closest.is_none_or(|(least, _)| left_out < least)',
    '&& closest.is_none_or(|(least, _)| left_out < least || true)',
    'clauses > two resets: what was committed',
  ),
  off(
    '14 nothing was committed since',
    REPLAY,
    `if word.creates() {
                break;`,
    `if word.creates() && false {
                break;`,
    'clauses > a part committed again and given up',
  ),

  // ---- 15: the rest
  off(
    '15 a root commit is what HEAD stood on before',
    REPLAY,
    'return Ok(Role::Root(stood));',
    'return Ok(Role::Root(stood.filter(|_| false)));',
    'orphan-and-plumbing',
  ),
  off(
    '15 a root put in the place of another',
    REPLAY,
    `if !old.is_zero() {
            return Some(old);`,
    `if !old.is_zero() && false {
            return Some(old);`,
    'clauses > a root by plumbing',
  ),
  off(
    '15 a plain commit is what it was made on',
    REPLAY,
    `plain.push(at);
                at = parent;
                continue;`,
    `let _ = (parent, &mut plain);
                break State::of_tree(Some(commit.tree));`,
    'amend',
  ),

  // ---- 16 to 20: the verdict
  off(
    '16 E is the start snapshot with F applied',
    ANALYSIS,
    'State::merge(source, &start_head, &start, &foreign)?',
    'State::merge(source, &start_head, &start_head, &foreign)?',
    'pull',
  ),
  off('17 an untrusted path is shown', VERDICT, 'if facts.untrusted {', 'if false {', 'cargo --lib'),
  off(
    '18 what conflicts when it is redone is shown',
    ANALYSIS,
    'let redo_conflicts = replay.redo_conflicts(to_head)?;',
    'let redo_conflicts = replay.redo_conflicts(to_head)?.into_iter().take(0).collect::<BTreeSet<_>>();',
    'clauses > is a resolution all the same',
  ),
  off(
    '18 redone is all that the replays rest on',
    REPLAY,
    'self.roles.keys().copied().chain([head]).collect()',
    'vec![head]',
    'clauses > and amended in words: shown',
  ),
  off(
    '18 redone is all that the head rests on',
    REPLAY,
    'pending.extend(&self.source.read_commit(oid)?.parents);',
    '',
    'procedure > to what the whole line gives as well',
  ),
  off(
    '19 what is as expected is demoted',
    VERDICT,
    'if facts.expected != facts.change.new {',
    'if true {',
    'cargo --lib',
  ),
  off(
    '19 a late commit over the own hand: shown whole',
    VERDICT,
    'if facts.by_hand_and_late && moved_too {',
    'if false {',
    'late-commits',
  ),
  off(
    '19 only where the late commit changes what is expected',
    VERDICT,
    'if facts.by_hand_and_late && moved_too {',
    'if facts.by_hand_and_late {',
    'cargo --lib',
  ),
  off(
    '19 only what a late commit touches',
    ANALYSIS,
    '.filter(|(path, _)| late.contains(path))',
    '.filter(|_| !late.is_empty())',
    'clauses > an old commit that brings the very lines',
  ),
  off(
    '19 what a late commit took over under another name',
    ANALYSIS,
    'if traces::reappear(before, after, version(entry, &self.text_of(entry))) {',
    'if traces::reappear(before, after, version(entry, &self.text_of(entry))) && false {',
    'unseen-work',
  ),
  off(
    '19 only where what came holds what the hand did',
    ANALYSIS,
    'if traces::shows(before, after, start, expected) {',
    'if traces::shows(before, after, start, expected) || true {',
    'clauses > a late commit on other lines',
  ),
  off(
    '19 the hand of a commit that no head reaches any more',
    ANALYSIS,
    'for &oid in &commits.made_here {\n                if',
    'for oid in replay.roles().keys().copied().collect::<Vec<_>>() {\n                if',
    'late-commits',
  ),
  off(
    '19 the hand of a commit that was pushed and of which no log is left',
    ANALYSIS,
    'contains_key(&oid) || self.was_pushed(chronicle, oid)?',
    'contains_key(&oid)',
    'clauses',
  ),
  off('19 lines that the hand wrote', TRACES, 'other.signum() == count.signum()', 'false', 'cargo --lib'),
  off(
    '19 files that the hand created or deleted',
    TRACES,
    'existence(before) != existence(after)',
    'false',
    'cargo --lib',
  ),
  off('19 modes that the hand changed', TRACES, '&& was != made', '&& false', 'cargo --lib'),
  off(
    '19 without lines every difference counts',
    TRACES,
    `else {
        return true;
    };
    by_hand`,
    `else {
        return false;
    };
    by_hand`,
    'cargo --lib',
  ),
  off('20 shown from what is expected', VERDICT, 'base: facts.expected,', 'base: facts.change.old,', 'pull'),
  off(
    '20 mixed where it could not be told apart',
    VERDICT,
    `mixed: true,
        base: facts.change.old,`,
    `mixed: false,
        base: facts.change.old,`,
    'cargo --lib',
  ),
  off(
    '20 a replay that leads back to itself ends as a plain commit',
    REPLAY,
    `Some(&parent) => at = parent,
                    None => break State::default(),`,
    `Some(_) => break State::of_tree(Some(commit.tree)),
                    None => break State::default(),`,
    'reset > back to the very commit',
  ),

  // ---- 21: where history cannot be read
  off(
    '21 trouble shows everything and says why',
    ANALYSIS,
    'Err(Trouble::NotAttributed(reason, detail)) => analysis.status = Status::NotAttributed(reason, detail),',
    'Err(Trouble::NotAttributed(..)) => {}',
    'clauses > more commits in one turn',
  ),
  off('21 a grafted boundary', REPLAY, 'if commit.cut {', 'if commit.cut && false {', 'degraded'),
  off(
    '21 a shallow boundary',
    REPLAY,
    'if found.is_empty() && source.is_shallow() {',
    'if false {',
    'clauses > two lines of a shallow clone',
  ),
  off(
    '21 a head that is gone',
    ANALYSIS,
    'for head in from_head.iter().chain([&to_head]) {',
    'for head in from_head.iter().chain([&to_head]).take(0) {',
    'errors',
  ),
  off(
    '21 an object that is missing',
    ANALYSIS,
    'SourceError::Missing(_) => NotAttributed::HistoryMissing,',
    'SourceError::Missing(_) => NotAttributed::Unreadable,',
    'degraded',
  ),
  off(
    '21 more turn commits than anyone makes',
    COMMITS,
    'pub const MAX_TURN_COMMITS: usize = 20_000;',
    'pub const MAX_TURN_COMMITS: usize = 20_000_000;',
    'clauses > more commits in one turn',
  ),

  // ---- notes
  off(
    'note: a checkpoint is named by its oid',
    SNAPSHOT,
    'checkpoint.oid.or(named)',
    'named.or(checkpoint.oid)',
    'errors',
  ),
  off(
    'note: a ref that names another oid is reported',
    SNAPSHOT,
    'checkpoint.ref_name.is_some() && named != Some(oid)',
    'false',
    'errors',
  ),
  off(
    'note: a merge left open is carried on',
    ANALYSIS,
    'for &other in &pin.merge_heads {',
    'for &other in pin.merge_heads.iter().take(0) {',
    'in-progress',
  ),
  off(
    'note: a pick left open is carried on',
    ANALYSIS,
    'if let Some(original) = pin.pick_head {',
    'if let Some(original) = pin.pick_head.filter(|_| false) {',
    'in-progress',
  ),
  off(
    'note: an operation open at the start is carried on there too',
    ANALYSIS,
    'carried_on(&mut replay, head, self.from)?',
    'replay.state_at(head)?',
    'in-progress',
  ),
  off(
    'note: MERGE_HEAD is recorded',
    HEAD,
    'merge_heads: self.oids("MERGE_HEAD")?,',
    'merge_heads: self.oids("MERGE_HEAD_")?,',
    'in-progress',
  ),
  off(
    'note: CHERRY_PICK_HEAD is recorded',
    HEAD,
    'pick_head: self.oid("CHERRY_PICK_HEAD")?,',
    'pick_head: self.oid("CHERRY_PICK_HEAD_")?,',
    'in-progress',
  ),
  off(
    'note: REBASE_HEAD is recorded',
    HEAD,
    'pin.pick_head.or(self.oid("REBASE_HEAD")?)',
    'pin.pick_head',
    'cargo --test head',
  ),
  off(
    'note: on the way of a rebase, the branch is the one being rebased',
    HEAD,
    'pin.rebase_ref.as_deref().map(short_name).or(head.branch)',
    'head.branch',
    'in-progress',
  ),
  off(
    'note: the net effect alone, in a turn',
    ANALYSIS,
    `.map_err(|error| unreadable(&error))?;
    let mut notes`,
    `.map_err(|error| unreadable(&error))?;
    let mut delta = delta;
    if let (Some(Some(one)), Some(Some(two))) = (from.head, to.head)
        && let (Ok(one), Ok(two)) = (source.read_commit(one), source.read_commit(two))
    {
        let history = tree_delta(source, Some(one.tree), Some(two.tree)).map_err(|error| unreadable(&error))?;
        for (path, change) in history {
            delta.entry(path).or_insert(change);
        }
    }
    let mut notes`,
    'pull',
  ),
  off(
    'note: the net effect alone, in a range',
    RANGE,
    'let decisions = compose(source, &turns, &delta)',
    `let mut delta = delta;
        for turn in &turns {
            for (path, change) in &turn.delta {
                delta.entry(path.clone()).or_insert(*change);
            }
        }
        let decisions = compose(source, &turns, &delta)`,
    'ranges',
  ),

  // ---- ranges, and what is made of the verdicts
  off(
    'range: what was authored in any turn is shown',
    RANGE,
    'authored.entry(path.clone()).or_insert(ShownReason::AuthoredInRange);',
    'let _ = path;',
    'ranges',
  ),
  off(
    'range: the foreign change of every turn is applied in order',
    RANGE,
    'expected = State::merge(source, &start, &expected, &reasoning.expected.state)?.state;',
    '',
    'ranges',
  ),
  off(
    'range: what history made by renaming an authored path is authored',
    RANGE,
    'for path in renamed_by(source, &foreign, &authored)? {',
    'for path in renamed_by(source, &foreign, &authored)?.into_iter().take(0) {',
    'ranges',
  ),
  off(
    'range: what does not compose is shown whole, untrusted',
    RANGE,
    'state.untrusted().contains(path) || expected == new => whole',
    'expected == new => whole',
    'ranges > came back rewritten',
  ),
  off(
    'range: what was authored and is as expected is shown whole',
    RANGE,
    'state.untrusted().contains(path) || expected == new => whole',
    'state.untrusted().contains(path) => whole',
    'ranges > an edit that is given up',
  ),
  off(
    'range: what no turn explains is shown whole',
    RANGE,
    'None => whole(ShownReason::DoesNotCompose),',
    'None => Decision { verdict: Verdict::Demoted(DemotedReason::MovedByHistory), mixed: false, base: old },',
    'ranges > what the agent undid of a pull',
  ),
  off(
    'range: a turn that cannot be attributed counts all its paths as authored',
    RANGE,
    'Some(ShownReason::TurnNotAttributed) => whole(ShownReason::TurnNotAttributed),',
    'Some(ShownReason::TurnNotAttributed) if expected == new => Decision { verdict: Verdict::Demoted(DemotedReason::MovedByHistory), mixed: false, base: old },',
    'ranges',
  ),
  off(
    'range: what a turn parked on a branch may come back',
    ANALYSIS,
    'if switched || inheritance.in_range {',
    'if switched {',
    'unseen-work',
  ),
  off(
    'range: what was made of them is kept',
    ANALYSIS,
    'replay.inherit(&inheritance.states);',
    '',
    'ranges > squashed by a soft reset',
  ),
  off(
    "range: commits of earlier turns stay the agent's",
    ANALYSIS,
    'turn_commits(source, chronicle, &bounds, &inheritance.commits)?',
    'turn_commits(source, chronicle, &bounds, &TurnCommits::default())?',
    'ranges',
  ),
  off(
    'range: the weakest evidence of its turns',
    RANGE,
    'evidence.max().map_or',
    'evidence.min().map_or',
    'clauses > two turns that compose',
  ),
  off(
    'range: what was stashed may come back',
    ANALYSIS,
    'made_here.extend(&chronicle.stashed)',
    'made_here.extend(&chronicle.stashed.iter().copied().take(0).collect::<HashSet<Oid>>())',
    'parked-work',
  ),
  off(
    'renames are paired among shown files',
    FILES,
    '|entry| entry.oid != empty',
    '|entry| false && entry.oid != empty',
    'unmoved',
  ),
]
