use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use git2::{ErrorCode as GitCode, ObjectType, Repository};

use super::abbreviation::Abbreviation;
use super::ahead::Ahead;
use super::ancestry::{self, History, ReadHistory};
use super::function_lines::FunctionLines;
use super::handles::Handle;
use super::loose::{self, Loose};
use super::objects::TreesBeside;
use super::packs::{LARGEST_READ, Scratch};
use super::recent::{Compared, MadeBlobs, TurnLooks};
use super::ref_storage::RefStorage;
use super::stop::Stop;
use super::{line_counts, merge_text, raw_commit};
use crate::model::{
    AskedTurn, Commit, CommitWalk, Contents, Error, Favour, Findings, GitSource, Glance, LineChange, ObjectKind, Oid,
    Phase, Ref, Reflog, SourceError, Text, Tree, TreeReaders,
};

/// Blobs larger than this (bytes) are not read.
const MAX_BLOB_BYTES: usize = 512 << 20;

/// Texts of so many bytes together are compared and merged where the call can leave the work alone: git's library
/// cannot be stopped.
pub const MUCH_TEXT: usize = 512 << 10;
/// Contents of more bytes are read in the same way.
const LARGE_BLOB_BYTES: usize = LARGEST_READ;
/// How often a call is tried in a repository that is repacked all the time.
const MOST_TRIES: usize = 4;

/// A repository, read for one call, on one thread. Nothing is written. Objects are read by ourselves, and by libgit2 where
/// [`super::Objects`] does not find them.
pub struct LibgitSource {
    repository: Handle,
    storage: RefStorage,
    stop: Stop,
    commits: RefCell<HashMap<Oid, Rc<Commit>>>,
    /// Whether commits may have other parents than are written in them: a shallow clone, grafts.
    has_cut_history: bool,
    /// Results of merges.
    made_blobs: RefCell<MadeBlobs>,
    ahead: RefCell<Ahead>,
    abbreviation: Abbreviation,
    function_lines: FunctionLines,
}

impl LibgitSource {
    /// Opens the repository that holds `cwd`. `stop` is looked at before every read.
    pub fn open(cwd: &Path, stop: Stop) -> Result<LibgitSource, Error> {
        Ok(LibgitSource::over(Handle::of(cwd)?, stop))
    }

    /// Has `work` done on the repository that holds `cwd`. Where something could not be read and the repository was
    /// repacked or replaced meanwhile, it is done once more on the repository as it is then.
    pub fn with<T>(cwd: &Path, stop: &Stop, work: impl Fn(&LibgitSource) -> Result<T, Error>) -> Result<T, Error> {
        let mut source = LibgitSource::open(cwd, stop.clone())?;
        for _ in 1..MOST_TRIES {
            let result = work(&source);
            if !source.repository.is_troubled() || stop.check().is_err() || !source.repository.is_stale() {
                return result;
            }
            source = LibgitSource::over(Handle::fresh(cwd)?, stop.clone());
        }
        work(&source)
    }

    fn header(&self, oid: Oid) -> Result<(usize, ObjectType), SourceError> {
        self.check_stopped()?;
        let found = self
            .repository
            .objects()
            .header(oid, &mut self.repository.scratch().borrow_mut());
        if let Some((kind, size)) = found {
            return Ok((usize::try_from(size).unwrap_or(usize::MAX), git_type(kind)));
        }
        let odb = self.repository.odb().map_err(|error| self.repository_error(&error))?;
        odb.read_header(to_git(oid)?)
            .map_err(|error| self.object_error(oid, &error))
    }

    /// `None` where texts conflict, also where the call has to end: its next step will say so.
    fn merged(&self, base: &[u8], ours: &[u8], theirs: &[u8], favour: Option<Favour>) -> Option<Vec<u8>> {
        if base.len() + ours.len() + theirs.len() < MUCH_TEXT {
            return merge_text::merge_text(base, ours, theirs, favour);
        }
        let [base, ours, theirs] = [base, ours, theirs].map(<[u8]>::to_vec);
        let merged = self
            .stop
            .wait_for(move || merge_text::merge_text(&base, &ours, &theirs, favour));
        merged.ok().flatten()
    }

    /// The content of a blob that was announced.
    fn read_ahead(&self, oid: Oid, scratch: &mut Scratch) -> Option<Arc<[u8]>> {
        let recent = self.repository.recent().borrow();
        let reader = (self.repository.objects(), scratch);
        self.ahead.borrow_mut().content(oid, reader, &recent, &self.stop)
    }

    /// Reads a large content over a handle of its own.
    fn read_large_blob(&self, oid: Oid) -> Result<Arc<[u8]>, SourceError> {
        let (folder, id) = (self.repository.path().to_path_buf(), to_git(oid)?);
        let read = move || -> Result<Vec<u8>, git2::Error> {
            let repository = Repository::open(&folder)?;
            let folders = loose::object_folders(repository.commondir());
            loose::read_by_ourselves(&repository, Loose::new(folders.into()))?;
            let odb = repository.odb()?;
            let object = odb.read(id)?;
            Ok(object.data().to_vec())
        };
        let content = self.stop.wait_for(read)?;
        Ok(content.map_err(|error| self.object_error(oid, &error))?.into())
    }

    fn object_error(&self, oid: Oid, error: &git2::Error) -> SourceError {
        self.repository.note_trouble();
        match error.code() {
            GitCode::NotFound => SourceError::Missing(oid),
            _ => SourceError::Unreadable {
                oid,
                detail: error.message().to_string(),
            },
        }
    }

    fn repository_error(&self, error: &git2::Error) -> SourceError {
        self.repository.note_trouble();
        SourceError::Repository(error.message().to_string())
    }

    fn over(repository: Handle, stop: Stop) -> LibgitSource {
        repository.history().borrow_mut().trim();
        LibgitSource {
            storage: repository.storage(),
            has_cut_history: repository.has_cut_history(),
            repository,
            stop,
            commits: RefCell::default(),
            made_blobs: RefCell::default(),
            ahead: RefCell::default(),
            abbreviation: Abbreviation::default(),
            function_lines: FunctionLines::default(),
        }
    }

    /// Reads an object of the wanted kind and hands its raw content on.
    fn with_object<T>(
        &self,
        oid: Oid,
        kind: ObjectType,
        read: impl FnOnce(&[u8]) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        self.check_stopped()?;
        let mut scratch = self.repository.scratch().borrow_mut();
        if let Some((found, content)) = self.repository.objects().read(oid, &mut scratch) {
            verify_kind(oid, git_type(found), kind)?;
            return read(content);
        }
        let odb = self.repository.odb().map_err(|error| self.repository_error(&error))?;
        let object = odb.read(to_git(oid)?).map_err(|error| self.object_error(oid, &error))?;
        verify_kind(oid, object.kind(), kind)?;
        read(object.data())
    }
}

impl ReadHistory for LibgitSource {
    fn read_glance(&self, oid: Oid) -> Result<Glance, SourceError> {
        if self.has_cut_history {
            // Where history is cut, libgit2 knows the parents.
            return Ok(Glance::of(self.read_commit(oid)?.as_ref()));
        }
        self.with_object(oid, ObjectType::Commit, |raw| {
            ancestry::parse_glance(raw).ok_or_else(|| SourceError::Unreadable {
                oid,
                detail: "malformed commit".into(),
            })
        })
    }

    fn history(&self) -> &RefCell<History> {
        self.repository.history()
    }

    fn go_on(&self) -> Result<(), SourceError> {
        self.stop.check()
    }
}

impl Contents for LibgitSource {
    fn read_blob(&self, oid: Oid) -> Result<Arc<[u8]>, SourceError> {
        if let Some(made) = self.made_blobs.borrow().get(&oid) {
            return Ok(made.clone());
        }
        self.check_stopped()?;
        if let Some(content) = self.repository.recent().borrow().content(oid) {
            return Ok(content);
        }
        let mut scratch = self.repository.scratch().borrow_mut();
        if let Some(content) = self.read_ahead(oid, &mut scratch) {
            self.repository.recent().borrow_mut().keep_content(oid, &content);
            return Ok(content);
        }
        if let Some((found, content)) = self.repository.objects().read(oid, &mut scratch) {
            verify_kind(oid, git_type(found), ObjectType::Blob)?;
            let content = content.into();
            self.repository.recent().borrow_mut().keep_content(oid, &content);
            return Ok(content);
        }
        drop(scratch);
        let (size, kind) = self.header(oid)?;
        if size > MAX_BLOB_BYTES {
            return Err(SourceError::Limit("blob size"));
        }
        if size > LARGE_BLOB_BYTES && kind == ObjectType::Blob {
            return self.read_large_blob(oid);
        }
        self.with_object(oid, ObjectType::Blob, |content| Ok(content.into()))
    }

    fn store_blob(&self, content: Vec<u8>) -> Oid {
        let oid = git2::Oid::hash_object_ext(ObjectType::Blob, &content, self.repository.object_format())
            .expect("hashing in memory cannot fail");
        let oid = from_git(oid);
        self.made_blobs.borrow_mut().insert(oid, content.into());
        oid
    }

    fn merge_text(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
        self.merged(base, ours, theirs, None)
    }

    fn merge_text_favouring(&self, base: &[u8], ours: &[u8], theirs: &[u8], favour: Favour) -> Option<Vec<u8>> {
        self.merged(base, ours, theirs, Some(favour))
    }
}

impl GitSource for LibgitSource {
    fn kind(&self, oid: Oid) -> Result<ObjectKind, SourceError> {
        match self.header(oid)?.1 {
            ObjectType::Commit => Ok(ObjectKind::Commit),
            ObjectType::Tree => Ok(ObjectKind::Tree),
            ObjectType::Blob => Ok(ObjectKind::Blob),
            ObjectType::Tag => Ok(ObjectKind::Tag),
            other => Err(SourceError::Unreadable {
                oid,
                detail: format!("unknown kind {other}"),
            }),
        }
    }

    fn read_tree(&self, oid: Oid) -> Result<Arc<Tree>, SourceError> {
        self.check_stopped()?;
        let known = self
            .repository
            .objects()
            .read_tree(oid, &mut self.repository.scratch().borrow_mut());
        if let Some(tree) = known {
            return Ok(tree);
        }
        self.with_object(oid, ObjectType::Tree, |raw| {
            Tree::parse(raw, oid.as_bytes().len())
                .map(Arc::new)
                .ok_or_else(|| SourceError::Unreadable {
                    oid,
                    detail: "malformed tree".into(),
                })
        })
    }

    fn tree_readers(&self) -> Option<Box<dyn TreeReaders + '_>> {
        Some(Box::new(TreesBeside::new(self.repository.objects(), self.stop.clone())))
    }

    fn read_commit(&self, oid: Oid) -> Result<Rc<Commit>, SourceError> {
        if let Some(commit) = self.commits.borrow().get(&oid) {
            return Ok(commit.clone());
        }
        self.check_stopped()?;
        let mut commit = self.with_object(oid, ObjectType::Commit, |raw| {
            raw_commit::parse(oid, raw).ok_or_else(|| SourceError::Unreadable {
                oid,
                detail: "malformed commit".into(),
            })
        })?;
        if self.has_cut_history {
            // Where history is cut, libgit2 knows the parents.
            let seen = self.repository.find_commit(to_git(oid)?);
            let seen = seen.map_err(|error| self.object_error(oid, &error))?;
            let parents: Vec<Oid> = seen.parent_ids().map(from_git).collect();
            commit.cut = parents.len() != commit.parents.len();
            commit.parents = parents;
        }
        let commit = Rc::new(commit);
        self.commits.borrow_mut().insert(oid, commit.clone());
        Ok(commit)
    }

    fn glance(&self, oid: Oid) -> Result<Glance, SourceError> {
        ancestry::glance(self, oid)
    }

    fn read_message(&self, oid: Oid) -> Result<String, SourceError> {
        self.with_object(oid, ObjectType::Commit, |raw| {
            Ok(String::from_utf8_lossy(raw_commit::message(raw)).into_owned())
        })
    }

    fn peel_tag(&self, oid: Oid) -> Result<Oid, SourceError> {
        if self.header(oid)?.1 != ObjectType::Tag {
            return Ok(oid);
        }
        let object = self
            .repository
            .find_object(to_git(oid)?, None)
            .map_err(|error| self.object_error(oid, &error))?;
        let Some(tag) = object.as_tag() else { return Ok(oid) };
        let target = tag
            .as_object()
            .peel(ObjectType::Any)
            .map_err(|error| self.object_error(oid, &error))?;
        Ok(from_git(target.id()))
    }

    fn merge_bases(&self, one: Oid, two: Oid) -> Result<Vec<Oid>, SourceError> {
        ancestry::merge_bases(self, one, two)
    }

    fn is_ancestor(&self, ancestor: Oid, descendant: Oid) -> Result<bool, SourceError> {
        ancestry::is_ancestor(self, ancestor, descendant)
    }

    fn walk(&self, walk: &CommitWalk) -> Result<Vec<Oid>, SourceError> {
        ancestry::walk(self, walk)
    }

    fn refs(&self) -> Result<Vec<Ref>, SourceError> {
        self.storage.all(&self.repository, || self.check_stopped())
    }

    fn refs_below(&self, folder: &str) -> Result<Vec<Ref>, SourceError> {
        self.storage
            .all_below(&self.repository, folder, || self.check_stopped())
    }

    fn resolve_ref(&self, name: &str) -> Result<Option<Oid>, SourceError> {
        self.storage.resolve(&self.repository, name)
    }

    fn head_log(&self) -> Result<Option<Vec<u8>>, SourceError> {
        self.storage.head_log(&self.repository)
    }

    fn other_logs(&self) -> Result<Vec<Reflog>, SourceError> {
        self.storage.other_logs(&self.repository, || self.check_stopped())
    }

    fn user_email(&self) -> Result<Option<Vec<u8>>, SourceError> {
        let config = self.repository.config().and_then(|mut config| config.snapshot());
        match config
            .map_err(|error| self.repository_error(&error))?
            .get_bytes("user.email")
        {
            Ok(address) => Ok(Some(address.to_vec())),
            Err(error) if error.code() == GitCode::NotFound => Ok(None),
            Err(error) => Err(self.repository_error(&error)),
        }
    }

    fn is_shallow(&self) -> bool {
        self.repository.is_shallow()
    }

    fn line_changes(&self, old: &Text, new: &Text, ignore_all_space: bool) -> Result<Arc<[LineChange]>, SourceError> {
        self.check_stopped()?;
        let compared = Compared::of(old, new, ignore_all_space);
        if let Some(known) = self.repository.recent().borrow().changes(&compared) {
            return Ok(known);
        }
        if let Some(changes) = self.ahead.borrow().changes(&compared) {
            self.repository.recent().borrow_mut().keep_changes(compared, &changes);
            return Ok(changes);
        }
        let (old, new) = (old.content.clone(), new.content.clone());
        let changes: Arc<[LineChange]> = if old.len() + new.len() < MUCH_TEXT {
            line_counts::line_changes(&old, &new, ignore_all_space)?.into()
        } else {
            let compare = move || line_counts::line_changes(&old, &new, ignore_all_space);
            self.stop.wait_for(compare)??.into()
        };
        self.repository.recent().borrow_mut().keep_changes(compared, &changes);
        Ok(changes)
    }

    fn announce(&self, comparisons: &[(Option<Oid>, Option<Oid>)], ignore_all_space: bool) {
        self.ahead.borrow_mut().announce(comparisons, ignore_all_space);
    }

    fn function_lines(&self, driver: &str, text: &[u8], before: &[usize]) -> Option<Vec<Option<Vec<u8>>>> {
        self.function_lines.before(driver, text, before)
    }

    fn abbreviated_length(&self, oid: Oid) -> usize {
        let objects = self.repository.objects();
        self.abbreviation
            .length(&self.repository, self.repository.shortest_id(), objects, oid)
    }

    fn check_stopped(&self) -> Result<(), SourceError> {
        self.stop.check()
    }

    fn enter(&self, phase: Phase) {
        self.stop.enter(phase);
    }

    fn kept_findings(&self, turn: &AskedTurn) -> Option<Arc<Findings>> {
        let recent = self.repository.recent().borrow();
        let (findings, made) = recent.findings(turn)?;
        self.made_blobs.borrow_mut().extend(made.clone());
        Some(findings)
    }

    fn look_anew(&self, turn: &AskedTurn) -> u64 {
        TurnLooks::of(self.repository.path(), turn).begin()
    }

    fn keep_findings(&self, turn: AskedTurn, look: u64, findings: Arc<Findings>) {
        let looks = TurnLooks::of(self.repository.path(), &turn);
        let mut recent = self.repository.recent().borrow_mut();
        recent.keep_findings(turn, (looks, look), findings, &self.made_blobs.borrow());
    }
}

fn verify_kind(oid: Oid, found: ObjectType, wanted: ObjectType) -> Result<(), SourceError> {
    if found == wanted {
        return Ok(());
    }
    Err(SourceError::Unreadable {
        oid,
        detail: format!("it is a {found}, not a {wanted}"),
    })
}

fn git_type(kind: ObjectKind) -> ObjectType {
    match kind {
        ObjectKind::Commit => ObjectType::Commit,
        ObjectKind::Tree => ObjectType::Tree,
        ObjectKind::Blob => ObjectType::Blob,
        ObjectKind::Tag => ObjectType::Tag,
    }
}

fn to_git(oid: Oid) -> Result<git2::Oid, SourceError> {
    git2::Oid::from_bytes(oid.as_bytes()).map_err(|_| SourceError::Missing(oid))
}

fn from_git(oid: git2::Oid) -> Oid {
    Oid::from_bytes(oid.as_bytes()).expect("libgit2 ids are 20 or 32 bytes")
}
