//! The diff library inside libgit2, called directly. Its line merge, since libgit2's own function for it cannot ask for
//! the histogram algorithm, which is the one that git merges with. Its line diff, since libgit2's takes form feed and
//! vertical tab for white space, which git does not, and hashes both contents first.
//!
//! The functions and their structs are libgit2's private matter. They hold for the version pinned in `Cargo.toml`; a
//! known merge and a known diff in the tests tell when they no longer do.

use std::borrow::Cow;
use std::ffi::{c_char, c_int, c_long, c_ulong, c_void};
use std::ptr;

use libgit2_sys as raw;
use memchr::{memchr_iter, memchr2};

use crate::model::{Favour, LineChange};

const IGNORE_ALL_SPACE: c_ulong = 1 << 1;
const INDENT_HEURISTIC: c_ulong = 1 << 23;

const HISTOGRAM: c_ulong = 1 << 15;
/// Conflicts in which both sides have lines in common are split at those: git's default.
const ZEALOUS: c_int = 2;
/// What git takes for too large.
const LARGEST: usize = 1024 * 1024 * 1023;

#[repr(C)]
struct Buffer {
    pointer: *mut c_char,
    size: c_long,
}

impl Buffer {
    fn reading(content: &[u8]) -> Buffer {
        Buffer {
            // Read only, in spite of the type.
            pointer: content.as_ptr().cast_mut().cast(),
            size: content.len() as c_long,
        }
    }
}

#[repr(C)]
struct DiffParameters {
    flags: c_ulong,
    ignore_regex: *mut c_void,
    ignore_regex_count: usize,
    anchors: *mut c_void,
    anchor_count: usize,
}

impl Default for DiffParameters {
    fn default() -> DiffParameters {
        DiffParameters {
            flags: 0,
            ignore_regex: ptr::null_mut(),
            ignore_regex_count: 0,
            anchors: ptr::null_mut(),
            anchor_count: 0,
        }
    }
}

#[repr(C)]
struct MergeParameters {
    diff: DiffParameters,
    marker_size: c_int,
    level: c_int,
    favor: c_int,
    style: c_int,
    ancestor: *const c_char,
    file1: *const c_char,
    file2: *const c_char,
}

type TakeChange = unsafe extern "C" fn(c_long, c_long, c_long, c_long, *mut c_void) -> c_int;

#[repr(C)]
struct EmitParameters {
    context: c_long,
    context_between_hunks: c_long,
    flags: c_ulong,
    find_function: *mut c_void,
    find_function_data: *mut c_void,
    take_change: Option<TakeChange>,
}

#[repr(C)]
struct EmitCallbacks {
    data: *mut c_void,
    hunk: *mut c_void,
    line: *mut c_void,
}

unsafe extern "C" {
    fn xdl_diff(
        old: *const Buffer,
        new: *const Buffer,
        parameters: *const DiffParameters,
        emit: *const EmitParameters,
        callbacks: *const EmitCallbacks,
    ) -> c_int;
    fn xdl_merge(
        base: *const Buffer,
        ours: *const Buffer,
        theirs: *const Buffer,
        parameters: *const MergeParameters,
        result: *mut Buffer,
    ) -> c_int;
}

/// Merges three texts; `None` where they conflict and no side is favoured, or are too large.
pub(super) fn merge(base: &[u8], ours: &[u8], theirs: &[u8], favour: Option<Favour>) -> Option<Vec<u8>> {
    if [base, ours, theirs].iter().any(|content| content.len() > LARGEST) {
        return None;
    }
    // It allocates through libgit2, which has to be set up for that.
    raw::init();
    let [base, ours, theirs] = [base, ours, theirs].map(Buffer::reading);
    let parameters = MergeParameters {
        diff: DiffParameters {
            flags: HISTOGRAM,
            ..DiffParameters::default()
        },
        marker_size: 0,
        level: ZEALOUS,
        favor: match favour {
            None => 0,
            Some(Favour::Ours) => 1,
            Some(Favour::Theirs) => 2,
        },
        style: 0,
        ancestor: ptr::null(),
        file1: ptr::null(),
        file2: ptr::null(),
    };
    let mut merged = Buffer {
        pointer: ptr::null_mut(),
        size: 0,
    };
    // SAFETY: the structs are laid out as in libgit2's `xdiff.h`; the contents outlive the call.
    let conflicts = unsafe { xdl_merge(&base, &ours, &theirs, &parameters, &mut merged) };
    let clean = (conflicts == 0).then(|| {
        if merged.pointer.is_null() {
            return Vec::new();
        }
        // SAFETY: on success the pointer holds that many bytes.
        unsafe { std::slice::from_raw_parts(merged.pointer.cast::<u8>(), merged.size as usize) }.to_vec()
    });
    let mut result = raw::git_merge_file_result {
        automergeable: 0,
        path: ptr::null(),
        mode: 0,
        ptr: merged.pointer,
        len: 0,
    };
    // SAFETY: the buffer comes from libgit2's allocator (or is null), and this is the public way back into it.
    unsafe { raw::git_merge_file_result_free(&mut result) };
    clean
}

/// The changed lines between two texts, in order, as git's default algorithm and its indent heuristic place them;
/// `None` where they are too large.
pub(super) fn diff(old: &[u8], new: &[u8], ignore_all_space: bool) -> Option<Vec<LineChange>> {
    if old.len().max(new.len()) > LARGEST {
        return None;
    }
    if old.is_empty() || new.is_empty() {
        let (old_count, new_count) = (line_count(old), line_count(new));
        let all = LineChange {
            old_start: 0,
            old_count,
            new_start: 0,
            new_count,
        };
        return Some(if old_count + new_count > 0 {
            vec![all]
        } else {
            Vec::new()
        });
    }
    raw::init();
    let [old, new] = without_foreign_space(old, new);
    let [old, new] = [&old, &new].map(|content| Buffer::reading(content));
    let parameters = DiffParameters {
        flags: INDENT_HEURISTIC | if ignore_all_space { IGNORE_ALL_SPACE } else { 0 },
        ..DiffParameters::default()
    };
    // Without context, so that each change arrives for itself.
    let emit = EmitParameters {
        context: 0,
        context_between_hunks: 0,
        flags: 0,
        find_function: ptr::null_mut(),
        find_function_data: ptr::null_mut(),
        take_change: Some(take_change),
    };
    let mut changes: Vec<LineChange> = Vec::new();
    let callbacks = EmitCallbacks {
        data: (&raw mut changes).cast(),
        hunk: ptr::null_mut(),
        line: ptr::null_mut(),
    };
    // SAFETY: the structs are laid out as in libgit2's `xdiff.h`; contents and list outlive the call.
    let failed = unsafe { xdl_diff(&old, &new, &parameters, &emit, &callbacks) };
    (failed == 0).then_some(changes)
}

unsafe extern "C" fn take_change(
    old_start: c_long,
    old_count: c_long,
    new_start: c_long,
    new_count: c_long,
    data: *mut c_void,
) -> c_int {
    // SAFETY: `diff` passes its list, and nothing else touches it during the call.
    let changes = unsafe { &mut *data.cast::<Vec<LineChange>>() };
    changes.push(LineChange {
        old_start: old_start as usize,
        old_count: old_count as usize,
        new_start: new_start as usize,
        new_count: new_count as usize,
    });
    0
}

fn line_count(content: &[u8]) -> usize {
    let ended = memchr_iter(b'\n', content).count();
    ended + usize::from(!content.is_empty() && !content.ends_with(b"\n"))
}

/// To git, white space is space, tab, line feed and carriage return; to libgit2 also form feed and vertical tab. These
/// two are replaced by bytes that occur nowhere.
fn without_foreign_space<'a>(old: &'a [u8], new: &'a [u8]) -> [Cow<'a, [u8]>; 2] {
    let contents = [old, new];
    if contents.iter().all(|content| memchr2(0x0b, 0x0c, content).is_none()) {
        return contents.map(Cow::Borrowed);
    }
    let mut seen = [false; 256];
    for &byte in contents.into_iter().flatten() {
        seen[usize::from(byte)] = true;
    }
    // Bytes that only binary contents use: none of them is white space to anyone.
    let mut unused = (0..=255u8)
        .rev()
        .filter(|&byte| !seen[usize::from(byte)] && (byte >= 0x80 || byte.is_ascii_graphic()));
    let (Some(form_feed), Some(vertical_tab)) = (unused.next(), unused.next()) else {
        return contents.map(Cow::Borrowed);
    };
    contents.map(|content| {
        let replaced = content.iter().map(|&byte| match byte {
            0x0c => form_feed,
            0x0b => vertical_tab,
            byte => byte,
        });
        Cow::Owned(replaced.collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(old: &str, new: &str, ignore_all_space: bool) -> Vec<(usize, usize, usize, usize)> {
        let changes = diff(old.as_bytes(), new.as_bytes(), ignore_all_space).unwrap();
        let numbers = changes
            .iter()
            .map(|change| (change.old_start, change.old_count, change.new_start, change.new_count));
        numbers.collect()
    }

    #[test]
    fn a_known_diff() {
        let (old, new) = ("a\nb\nc\nd\ne\nf\n", "a\nB\nC\nd\nx\ne\n");
        assert_eq!(changes(old, new, false), [(1, 2, 1, 2), (4, 0, 4, 1), (5, 1, 6, 0)]);
        assert_eq!(changes("", "a\nb", false), [(0, 0, 0, 2)]);
        assert_eq!(changes("a\n", "", false), [(0, 1, 0, 0)]);
        assert_eq!(changes("a", "a", false), []);
    }

    #[test]
    fn the_indent_heuristic_places_a_function_as_a_whole() {
        let (one, two) = ("int f()\n{\n\tx;\n}\n\n", "int g()\n{\n\ty;\n}\n\n");
        let three = "int h()\n{\n\tz;\n}\n";
        let old = format!("{one}{three}");
        let new = format!("{one}{two}{three}");
        assert_eq!(changes(&old, &new, false), [(5, 0, 5, 5)]);
    }

    #[test]
    fn white_space_is_what_git_takes_for_it() {
        assert_eq!(changes("a b\n", "\ta  b \r\n", true), []);
        assert_eq!(changes("a b\n", "\ta  b \r\n", false), [(0, 1, 0, 1)]);
        assert_eq!(changes("a\u{c}b\n", "ab\n", true), [(0, 1, 0, 1)]);
        assert_eq!(changes("a\u{b}b\n", "a\u{c}b\n", true), [(0, 1, 0, 1)]);
    }
}
