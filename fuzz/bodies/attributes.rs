//! A `.gitattributes` file: the first line is the path that is asked about, the rest the rules.

use turn_attribution::model::RepoPath;
use turn_attribution::rules::attributes::Attributes;

pub fn check(data: &[u8]) {
    let (path, rules) = match data.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&data[..end], &data[end + 1..]),
        None => (data, &b""[..]),
    };
    // What is no path of a tree.
    if path.split(|&byte| byte == b'/').any(<[u8]>::is_empty) {
        return;
    }
    let at = |directory: &str, rules: &[u8]| {
        let directory = RepoPath::from(directory);
        Attributes::new([(&directory, rules)]).diff(path)
    };
    let said = at("", rules);
    at("src", rules);
    // A comment behind the last line says nothing. Behind a NUL nothing is read.
    assert_eq!(at("", &[rules, b"\n# no rule\n"].concat()), said);
}
