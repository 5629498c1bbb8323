//! A raw tree object, of either length of ids: all of it is entries, or it is none.

use turn_attribution::model::Tree;

pub fn check(raw: &[u8]) {
    for length in [20, 32] {
        let Some(tree) = Tree::parse(raw, length) else { continue };
        assert_eq!(tree.raw().len(), raw.len());
        let mut written = Vec::new();
        for entry in tree.entries() {
            assert!(!entry.name.is_empty() && !entry.name.contains(&0));
            assert_eq!(entry.oid.as_bytes().len(), length);
            assert_eq!(tree.get(entry.name).map(|found| found.name), Some(entry.name));
            written.extend(entry.mode.to_string().bytes().chain([b' ']));
            written.extend(entry.name.iter().chain(&[0]).chain(entry.oid.as_bytes()));
        }
        assert_eq!(tree.entries().next().is_none(), raw.is_empty());
        let again = Tree::parse(&written[..], length).expect("what was read can be written");
        assert!(again.entries().eq(tree.entries()));
    }
}
