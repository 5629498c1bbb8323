//! What callers pass, checked.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use napi::bindgen_prelude::{Either, Uint8Array, Utf16String};
use napi_derive::napi;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use crate::model::{self, Error, ErrorCode, Oid, RepoPath};
use crate::rules::pin::decode_pin;

/// Reads the arguments of a call.
pub fn parsed<T: DeserializeOwned>(json: &str) -> Result<T, Error> {
    serde_json::from_str(json).map_err(|error| invalid(format!("wrong arguments: {error}")))
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::InvalidArgument, message)
}

/// Keeps "the key is there and null" apart from "the key is absent".
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(value: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(value).map(Some)
}

/// A checkpoint: the host's snapshot, and what it recorded beside it.
///
/// A key that is absent was not recorded; without a head everything is shown, as if there were no attribution. `null`
/// is a fact: an unborn head, a detached one. Of a checkpoint that names a snapshot and nothing else, the facts are read
/// from the snapshot's message, where `writeCheckpointFacts` puts them.
#[napi(object, object_to_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// The snapshot: a full object id, or the full name of a ref that holds it.
    #[serde(rename = "ref")]
    #[napi(js_name = "ref")]
    pub name: String,
    /// The snapshot's id where `ref` is a ref name: refs can be moved, ids cannot. It counts more than the ref.
    pub oid: Option<String>,
    /// The commit that `HEAD` named when the snapshot was taken; `null` while the branch was unborn.
    #[serde(default, deserialize_with = "present")]
    #[napi(ts_type = "string | null")]
    pub head_oid: Option<Option<String>>,
    /// The branch; `null` when `HEAD` was detached.
    #[serde(default, deserialize_with = "present")]
    #[napi(ts_type = "string | null")]
    pub branch: Option<Option<String>>,
    /// The pin that `readHead` gave.
    #[napi(ts_type = "string | null")]
    pub pin: Option<String>,
    /// The start of the turn that begins at this checkpoint, in milliseconds since the epoch. A value that is no
    /// time, or lies after the `to` snapshot, is not believed; the snapshot's own time serves. What the log of HEAD
    /// tells of the time between the snapshot and the start was not done in the turn: pass the time at which the
    /// turn was asked for, never a later one.
    #[serde(default, deserialize_with = "present")]
    #[napi(ts_type = "number")]
    pub turn_started_at: Option<Option<f64>>,
}

/// A turn to attribute.
#[napi(object, js_name = "AttributeTurnRequest", object_to_js = false)]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnRequestArguments {
    /// Any folder in the repository.
    pub cwd: String,
    /// Where the turn began.
    pub from: Checkpoint,
    /// Where it ended.
    pub to: Checkpoint,
    /// For a range of turns: the checkpoints between, in order.
    #[serde(default)]
    pub between: Option<Vec<Checkpoint>>,
    /// What to say of demoted files; `'count'` where absent.
    #[serde(default)]
    #[napi(ts_type = "DemotedDetail")]
    pub demoted: Option<DemotedDetail>,
    /// The most files that are named one by one, of the shown ones and of the demoted ones each: the first in byte order
    /// of the path. The numbers beside them count all, and the note `files-cut` tells of it. 100,000 where absent.
    #[serde(default)]
    #[napi(ts_type = "number")]
    pub max_files: Option<f64>,
}

/// How much to say of demoted files: their number; paths and reasons too; lines too (their contents are read).
#[napi(string_enum = "kebab-case")]
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DemotedDetail {
    Count,
    Paths,
    Lines,
}

/// Arguments of `readHead` and `listCheckpoints`.
#[derive(Deserialize)]
pub struct CwdArguments {
    pub cwd: String,
}

/// Arguments of `explainPath`.
#[derive(Deserialize)]
pub struct ExplainPathArguments {
    pub request: TurnRequestArguments,
    pub path: String,
}

/// What a patch is to hold, and how it is to be written.
#[napi(object, object_to_js = false)]
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiffOptions {
    /// The whole change on disk, from snapshot to snapshot, instead of the shown files alone; `false` where absent.
    pub include_git_changes: Option<bool>,
    /// Lines that differ in white space alone are the same, as with `--ignore-all-space`; `false` where absent. A file
    /// with only such changes stays in `files`, with 0 additions and deletions.
    pub ignore_whitespace: Option<bool>,
    /// Lines of context around a change; 3 where absent.
    #[napi(ts_type = "number")]
    pub context_lines: Option<f64>,
    /// Only these files, named as in `path` of the result; others are absent from it.
    pub paths: Option<Vec<String>>,
    /// The most bytes of patch text for one file; 1 MiB where absent. Text is cut between lines, and what is left is a
    /// well-formed patch. Counts are never touched.
    #[napi(ts_type = "number")]
    pub max_file_bytes: Option<f64>,
    /// The most bytes of patch text in all; 10 MiB where absent. The largest files are cut first. Headers always stay,
    /// so many files may come to more. Never more than 256 MiB: text in JavaScript has an end.
    #[napi(ts_type = "number")]
    pub max_bytes: Option<f64>,
    /// Object ids in full on `index` lines; `false` where absent: as short as git makes them.
    pub full_index: Option<bool>,
    /// Names in headers without quotes and escapes, for readers that do not know them; `false` where absent. Only a
    /// name with a line feed or another control character is still quoted.
    pub unquoted_paths: Option<bool>,
}

/// Arguments of `diffTurn`.
#[derive(Deserialize)]
pub struct DiffTurnArguments {
    pub request: TurnRequestArguments,
    #[serde(default, deserialize_with = "present")]
    pub options: Option<Option<DiffOptions>>,
}

/// Arguments of `readCheckpoint`.
#[derive(Deserialize)]
pub struct ReadCheckpointArguments {
    pub cwd: String,
    #[serde(rename = "ref")]
    pub name: String,
}

/// Arguments of `writeCheckpointFacts`.
#[derive(Deserialize)]
pub struct WriteFactsArguments {
    pub message: String,
    pub facts: FactsToRecord,
}

/// Arguments of `readCheckpointFacts`.
#[derive(Deserialize)]
pub struct ReadFactsArguments {
    pub message: String,
}

/// Arguments of `filterUnifiedDiff`.
#[derive(Deserialize)]
pub struct FilterArguments {
    paths: Vec<String>,
}

/// A patch as it was given.
pub enum PatchText {
    /// UTF-16 units, perhaps with half a character among them.
    Units(Utf16String),
    /// Bytes, perhaps not all UTF-8.
    Bytes(Vec<u8>),
}

/// Facts to write into a message: those of `readHead`, and the turn's start.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FactsToRecord {
    #[serde(default, deserialize_with = "present")]
    head_oid: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    branch: Option<Option<String>>,
    pin: Option<String>,
    turn_started_at: Option<f64>,
}

impl TurnRequestArguments {
    /// The request, each part checked for what can never be right.
    pub fn to_model(&self) -> Result<model::TurnRequest, Error> {
        check_cwd(&self.cwd)?;
        let between = self.between.iter().flatten().enumerate();
        let between = between.map(|(at, checkpoint)| checkpoint.to_model(&format!("between[{at}]")));
        Ok(model::TurnRequest {
            from: self.from.to_model("from")?,
            between: between.collect::<Result<_, _>>()?,
            to: self.to.to_model("to")?,
            demoted: match self.demoted {
                None | Some(DemotedDetail::Count) => model::DemotedDetail::Count,
                Some(DemotedDetail::Paths) => model::DemotedDetail::Paths,
                Some(DemotedDetail::Lines) => model::DemotedDetail::Lines,
            },
            max_files: whole_number(self.max_files, "maxFiles", model::TurnRequest::default().max_files)?,
        })
    }
}

impl DiffTurnArguments {
    /// The options, checked.
    pub fn options(&self) -> Result<model::patch::DiffOptions, Error> {
        let defaults = model::patch::DiffOptions::default();
        let options = match &self.options {
            None => return Ok(defaults),
            Some(None) => return Err(invalid("options must be an object")),
            Some(Some(options)) => options,
        };
        Ok(model::patch::DiffOptions {
            include_git_changes: options.include_git_changes.unwrap_or(defaults.include_git_changes),
            ignore_whitespace: options.ignore_whitespace.unwrap_or(defaults.ignore_whitespace),
            context_lines: whole_number(options.context_lines, "contextLines", defaults.context_lines)?,
            paths: options.paths.clone(),
            max_file_bytes: whole_number(options.max_file_bytes, "maxFileBytes", defaults.max_file_bytes)?,
            max_bytes: whole_number(options.max_bytes, "maxBytes", defaults.max_bytes)?.min(LARGEST_PATCH),
            full_index: options.full_index.unwrap_or(defaults.full_index),
            unquoted_paths: options.unquoted_paths.unwrap_or(defaults.unquoted_paths),
        })
    }
}

/// A string of JavaScript holds no more than about twice as much.
const LARGEST_PATCH: usize = 256 << 20;

fn whole_number(given: Option<f64>, name: &str, default: usize) -> Result<usize, Error> {
    match given {
        None => Ok(default),
        // A larger number is more than there can be of anything, which is what it will mean.
        Some(number) if number >= 0.0 && number.fract() == 0.0 => Ok(number.min(u32::MAX.into()) as usize),
        Some(number) => Err(invalid(format!(
            "options.{name} must be a whole number from 0 on, not {number}"
        ))),
    }
}

impl CwdArguments {
    /// The folder, checked.
    pub fn folder(&self) -> Result<&Path, Error> {
        check_cwd(&self.cwd)?;
        Ok(Path::new(&self.cwd))
    }
}

impl ExplainPathArguments {
    /// The path, checked.
    pub fn path(&self) -> Result<RepoPath, Error> {
        if self.path.is_empty() || self.path.contains('\0') {
            return Err(invalid("path must be the path of a file in the repository"));
        }
        Ok(RepoPath::from(&self.path))
    }
}

impl ReadCheckpointArguments {
    /// The checkpoint to look for.
    pub fn to_model(&self) -> Result<model::Checkpoint, Error> {
        check_cwd(&self.cwd)?;
        let (ref_name, oid) = name_or_oid(&self.name, "ref")?;
        Ok(model::Checkpoint {
            ref_name,
            oid,
            ..model::Checkpoint::default()
        })
    }
}

impl FilterArguments {
    /// The paths to keep.
    pub fn paths(&self) -> HashSet<&str> {
        self.paths.iter().map(String::as_str).collect()
    }
}

impl PatchText {
    /// Takes what may change as soon as JavaScript runs again.
    pub fn copied(text: Either<Utf16String, Uint8Array>) -> PatchText {
        match text {
            Either::A(units) => PatchText::Units(units),
            Either::B(bytes) => PatchText::Bytes(bytes.to_vec()),
        }
    }

    /// The bytes; half a character is U+FFFD, as everywhere outside of JavaScript.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            PatchText::Units(units) => Cow::Owned(String::from_utf16_lossy(units).into_bytes()),
            PatchText::Bytes(bytes) => Cow::Borrowed(bytes),
        }
    }
}

impl FactsToRecord {
    /// The facts, checked.
    pub fn to_model(&self) -> Result<crate::rules::checkpoint_facts::RecordedFacts, Error> {
        Ok(crate::rules::checkpoint_facts::RecordedFacts {
            head: head(&self.head_oid, "facts")?,
            branch: self.branch.clone(),
            pin: self.pin.clone(),
            turn_started_at: self.turn_started_at,
        })
    }
}

impl Checkpoint {
    fn to_model(&self, place: &str) -> Result<model::Checkpoint, Error> {
        let (ref_name, named) = name_or_oid(&self.name, &format!("{place}.ref"))?;
        let given = self
            .oid
            .as_ref()
            .map(|text| oid(text, &format!("{place}.oid")))
            .transpose()?;
        if let (Some(named), Some(given)) = (named, given)
            && named != given
        {
            return Err(invalid(format!(
                "{place}.ref and {place}.oid are two different objects"
            )));
        }
        if let Some(Some(branch)) = &self.branch
            && (branch.is_empty() || branch.contains('\0'))
        {
            return Err(invalid(format!("{place}.branch must be the name of a branch")));
        }
        let pin = self.pin.as_deref().map(decode_pin);
        Ok(model::Checkpoint {
            ref_name,
            oid: given.or(named),
            head: head(&self.head_oid, place)?,
            branch: self.branch.clone(),
            pin_garbled: pin == Some(None),
            pin: pin.flatten(),
            // JSON has no NaN: a time that is none arrives as null.
            turn_started_at: self.turn_started_at.map(|time| time.unwrap_or(f64::NAN)),
        })
    }
}

fn head(given: &Option<Option<String>>, place: &str) -> Result<Option<Option<Oid>>, Error> {
    let Some(given) = given else { return Ok(None) };
    let given = given.as_ref().map(|text| oid(text, &format!("{place}.headOid")));
    given.transpose().map(Some)
}

fn name_or_oid(text: &str, place: &str) -> Result<(Option<String>, Option<Oid>), Error> {
    if text.starts_with("refs/") && !text.contains('\0') {
        return Ok((Some(text.to_string()), None));
    }
    oid(text, place).map(|oid| (None, Some(oid)))
}

fn oid(text: &str, place: &str) -> Result<Oid, Error> {
    let oid = Oid::from_hex(text.as_bytes());
    oid.filter(|oid| !oid.is_zero()).ok_or_else(|| {
        let also = if place.ends_with("ref") {
            " or a full ref name (refs/…)"
        } else {
            ""
        };
        invalid(format!("{place} must be a full object id{also}, not {text:?}"))
    })
}

fn check_cwd(cwd: &str) -> Result<(), Error> {
    if cwd.is_empty() || cwd.contains('\0') {
        return Err(invalid("cwd must be the path of a folder"));
    }
    Ok(())
}
