//! The line merge of the diff library inside libgit2, called directly: libgit2's own function for it cannot ask for
//! the histogram algorithm, which is the one that git merges with.
//!
//! The function and its structs are libgit2's private matter. They hold for the version pinned in `Cargo.toml`; a
//! known merge in the tests tells when they no longer do.

use std::ffi::{c_char, c_int, c_long, c_ulong, c_void};
use std::ptr;

use libgit2_sys as raw;

use crate::model::Favour;

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

#[repr(C)]
struct DiffParameters {
    flags: c_ulong,
    ignore_regex: *mut c_void,
    ignore_regex_count: usize,
    anchors: *mut c_void,
    anchor_count: usize,
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

unsafe extern "C" {
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
    let [base, ours, theirs] = [base, ours, theirs].map(|content| Buffer {
        // Read only, in spite of the type.
        pointer: content.as_ptr().cast_mut().cast(),
        size: content.len() as c_long,
    });
    let parameters = MergeParameters {
        diff: DiffParameters {
            flags: HISTOGRAM,
            ignore_regex: ptr::null_mut(),
            ignore_regex_count: 0,
            anchors: ptr::null_mut(),
            anchor_count: 0,
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
