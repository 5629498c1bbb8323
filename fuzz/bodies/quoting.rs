//! A name as a patch writes it, quoted or not, is read again from the patch.

use turn_attribution::model::FileMode;
use turn_attribution::rules::patch_header::{Header, Side};
use turn_attribution::rules::quoting::Quoting;
use turn_attribution::rules::unified_diff::parse;

pub fn check(name: &[u8]) {
    // What is no path of a tree.
    let mut parts = name.split(|&byte| byte == b'/');
    if name.contains(&0) || name.len() > 1024 || parts.any(|part| part.is_empty()) {
        return;
    }
    let side = Side {
        mode: FileMode::REGULAR,
        id: "1234567".into(),
    };
    for quoting in [Quoting::Git, Quoting::Bare] {
        let header = Header {
            old_path: name,
            new_path: name,
            old: Some(&side),
            new: Some(&side),
            no_id: "0000000",
            same_content: false,
            similarity: None,
            quoting,
        };
        let patch = [header.extended(), header.names(), b"@@ -1 +1 @@\n-a\n+b\n".to_vec()].concat();
        let files = parse(&patch).files;
        assert_eq!(files.len(), 1, "{}", String::from_utf8_lossy(&patch));
        assert_eq!(files[0].path[..], *name, "{}", String::from_utf8_lossy(&patch));
        assert_eq!(files[0].sections.len(), 1);
        assert_eq!(files[0].sections[0], 0..patch.len());
    }
}
