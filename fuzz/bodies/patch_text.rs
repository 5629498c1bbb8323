//! A patch that arrives as text: what is found lies in it, and what is kept of it is found in that again.

use turn_attribution::model::RepoPath;
use turn_attribution::rules::unified_diff::{filter, parse, utf16_places};

pub fn check(text: &[u8]) {
    let parsed = parse(text);
    let mut sections: Vec<_> = parsed.files.iter().flat_map(|file| &file.sections).collect();
    sections.sort_by_key(|section| section.start);
    let mut end = 0;
    for section in &sections {
        assert!(end <= section.start && section.start < section.end && section.end <= text.len());
        end = section.end;
    }
    for (index, file) in parsed.files.iter().enumerate() {
        assert!(!file.path.is_empty() && !file.sections.is_empty());
        assert_eq!(file.additions.is_none(), file.is_binary);
        assert!(parsed.files[..index].iter().all(|other| other.path != file.path));
    }
    for place in utf16_places(text, sections.iter().flat_map(|section| [section.start, section.end])) {
        let decoded = String::from_utf8_lossy(&text[..place.0]);
        assert_eq!(decoded.encode_utf16().count(), place.1);
    }
    let is_odd = |path: &RepoPath| path.iter().fold(0u8, |sum, byte| sum ^ byte) & 1 == 1;
    for is_wanted in [|_: &RepoPath| true, |_: &RepoPath| false, is_odd] {
        let kept = filter(text, is_wanted);
        let part: Vec<u8> = kept
            .pieces
            .iter()
            .flat_map(|piece| text[piece.clone()].to_vec())
            .collect();
        // Once what was malformed between is left out, a section that begins with `---` belongs to a header before it;
        // and a header that disagrees with itself counts as cut where the text ends.
        let again = parse(&part);
        if !again.truncated
            && kept
                .pieces
                .iter()
                .all(|piece| text[piece.clone()].starts_with(b"diff "))
        {
            assert_eq!(again.files, kept.diff.files);
        }
    }
}
