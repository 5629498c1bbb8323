//! The patch of a turn as callers get it.

use napi::bindgen_prelude::{ToNapiValue, TypeName, check_status};
use napi::{Result, ValueType, sys};
use napi_derive::napi;
use serde::Serialize;

use super::listed::Listed;
use super::result::{Attribution, BranchTransition, ChangeKind, Demoted, OperationKind, UncountedReason};
use crate::model::{self, RepoPath, outcome};

/// Bytes that arrive as a `Buffer` of JavaScript's own: one over native memory is refused where pointers are
/// compressed (Electron).
#[derive(Serialize)]
pub struct CopiedBuffer(Vec<u8>);

impl TypeName for CopiedBuffer {
    fn type_name() -> &'static str {
        "Buffer"
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl ToNapiValue for CopiedBuffer {
    unsafe fn to_napi_value(env: sys::napi_env, bytes: CopiedBuffer) -> Result<sys::napi_value> {
        let mut buffer = std::ptr::null_mut();
        let data = bytes.0.as_ptr().cast();
        // SAFETY: the environment is the caller's word; the bytes are copied before they are dropped.
        let status =
            unsafe { sys::napi_create_buffer_copy(env, bytes.0.len(), data, std::ptr::null_mut(), &mut buffer) };
        check_status!(status, "a Buffer cannot be made")?;
        Ok(buffer)
    }
}

/// Where the text about a file stands.
#[napi(object, object_from_js = false)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Section {
    /// In `patch`: its first UTF-16 unit.
    pub start: u32,
    /// In `patch`: the first UTF-16 unit behind it.
    pub end: u32,
    /// In `patchBytes`: its first byte.
    pub byte_start: u32,
    /// In `patchBytes`: the first byte behind it.
    pub byte_end: u32,
}

/// A file of a patch.
#[napi(object, object_from_js = false, use_nullable = true)]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffFile {
    /// Relative to the repository's root, with `/`. Bytes that are not UTF-8 are U+FFFD.
    pub path: String,
    /// Where a renamed file was before.
    pub previous_path: Option<String>,
    pub kind: ChangeKind,
    /// Lines added, as `git diff --numstat` counts them under the same options, whatever was cut; `null` for binary
    /// files and unreadable contents.
    pub additions: Option<u32>,
    /// Lines removed; likewise.
    pub deletions: Option<u32>,
    /// Whether it is binary, by its content or by the snapshot's own `.gitattributes`.
    pub binary: bool,
    /// Why the lines are not counted; `null` where they are, and for binary files.
    pub uncounted: Option<UncountedReason>,
    /// Mode in the state it is compared with: what git alone would have left there, or, where `mixed` and with
    /// `includeGitChanges`, the state in the `from` snapshot. `null` where there was no file.
    pub old_mode: Option<String>,
    /// Mode in the `to` snapshot; `null` where it was deleted.
    pub new_mode: Option<String>,
    /// Object id for `oldMode`. It may be the result of a merge, which is no object of the repository.
    pub old_oid: Option<String>,
    /// Object id for `newMode`.
    pub new_oid: Option<String>,
    /// Whether the text may hold what only moved: it could not be told apart, or `includeGitChanges` asked for it.
    pub mixed: bool,
    /// Whether it only moved through git; such a file is listed with `includeGitChanges` alone.
    pub demoted: bool,
    #[napi(ts_type = "ShownReason | DemotedReason")]
    pub reason: String,
    /// Where its text stands in the patch, for a change of type both parts of it. `null` where it has none: only white
    /// space differs and that is ignored, or a content cannot be read.
    pub section: Option<Section>,
    /// Whether its text was cut for a budget.
    pub truncated: bool,
    /// The exact path where it is not UTF-8.
    #[napi(ts_type = "Buffer | null")]
    pub path_bytes: Option<CopiedBuffer>,
    /// The exact previous path where it is not UTF-8.
    #[napi(ts_type = "Buffer | null")]
    pub previous_path_bytes: Option<CopiedBuffer>,
}

/// The patch of a turn.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct TurnDiff {
    /// The patch as text; bytes that are not UTF-8 are U+FFFD.
    pub patch: String,
    /// The patch, exactly.
    #[napi(ts_type = "Buffer")]
    pub patch_bytes: CopiedBuffer,
    /// Whether the text of any file was cut for a budget.
    pub truncated: bool,
    /// Whether pairing renames was given up for size: then some stand as a deletion and an addition.
    pub renames_limited: bool,
    /// Every file, whatever text was cut, in byte order of the path, which is the order of the patch.
    #[napi(ts_type = "Array<DiffFile>")]
    pub files: Listed<DiffFile>,
    /// How many there are: more than `files` names where `maxFiles` was met. The patch is of those named.
    #[napi(ts_type = "number")]
    pub file_count: u32,
    /// What only moved through git.
    pub demoted: Demoted,
    pub branch_transition: BranchTransition,
    pub attribution: Attribution,
    /// What git was in the middle of at the end, where a pin recorded it.
    pub operation_in_progress: Option<OperationKind>,
}

impl From<model::patch::TurnDiff> for TurnDiff {
    fn from(diff: model::patch::TurnDiff) -> TurnDiff {
        let truncated = diff.files.iter().any(|file| file.truncated);
        let mut patch = String::with_capacity(diff.patch.len());
        let mut units = 0;
        let mut files = Vec::with_capacity(diff.files.len());
        for file in diff.files {
            // A section ends with a line, so no character reaches over into the next.
            let section = file.section.as_ref().map(|bytes| {
                let text = String::from_utf8_lossy(&diff.patch[bytes.clone()]);
                let start = units;
                units += if text.is_ascii() {
                    text.len()
                } else {
                    text.encode_utf16().count()
                };
                patch.push_str(&text);
                Section {
                    start: start as u32,
                    end: units as u32,
                    byte_start: bytes.start as u32,
                    byte_end: bytes.end as u32,
                }
            });
            files.push(DiffFile::new(file, section));
        }
        TurnDiff {
            patch,
            patch_bytes: CopiedBuffer(diff.patch),
            truncated,
            file_count: u32::try_from(diff.file_count).unwrap_or(u32::MAX),
            renames_limited: diff.renames_limited,
            files: match files.iter().any(DiffFile::has_bytes) {
                true => Listed::Objects(files),
                false => Listed::plain(files),
            },
            demoted: diff.demoted.into(),
            branch_transition: diff.branch_transition.into(),
            attribution: diff.attribution.into(),
            operation_in_progress: diff.operation_in_progress.map(Into::into),
        }
    }
}

impl DiffFile {
    fn has_bytes(&self) -> bool {
        self.path_bytes.is_some() || self.previous_path_bytes.is_some()
    }

    fn new(file: model::patch::DiffFile, section: Option<Section>) -> DiffFile {
        let (demoted, reason) = match file.verdict {
            outcome::Verdict::Shown(reason) => (false, reason.as_str()),
            outcome::Verdict::Demoted(reason) => (true, reason.as_str()),
        };
        DiffFile {
            path_bytes: exact(&file.path),
            previous_path_bytes: file.previous_path.as_ref().and_then(exact),
            path: file.path.display(),
            previous_path: file.previous_path.map(|path| path.display()),
            kind: file.kind.into(),
            additions: file.additions,
            deletions: file.deletions,
            binary: file.binary,
            uncounted: file.uncounted.map(Into::into),
            old_mode: file.old.map(|entry| entry.mode.to_string()),
            new_mode: file.new.map(|entry| entry.mode.to_string()),
            old_oid: file.old.map(|entry| entry.oid.to_string()),
            new_oid: file.new.map(|entry| entry.oid.to_string()),
            mixed: file.mixed,
            demoted,
            reason: reason.into(),
            section,
            truncated: file.truncated,
        }
    }
}

fn exact(path: &RepoPath) -> Option<CopiedBuffer> {
    std::str::from_utf8(path).is_err().then(|| CopiedBuffer(path.to_vec()))
}
