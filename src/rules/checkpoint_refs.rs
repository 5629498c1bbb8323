//! Which refs hold checkpoints, by their names.

use crate::model::{CheckpointKind, CheckpointPlace, CheckpointSource};

/// The folders below which checkpoints are looked for.
pub const FOLDERS: [&str; 3] = [
    "refs/t3/checkpoints/",
    "refs/t3/orchestration-v2/checkpoints/",
    "refs/turn-attribution/",
];

/// What a full ref name says of the checkpoint it holds; `None` for other refs.
pub fn place_of(name: &str) -> Option<CheckpointPlace> {
    let (source, rest) = [
        CheckpointSource::T3code,
        CheckpointSource::T3codeV2,
        CheckpointSource::Mark,
    ]
    .into_iter()
    .zip(FOLDERS)
    .find_map(|(source, folder)| Some((source, name.strip_prefix(folder)?)))?;
    let mut parts = rest.split('/');
    let (thread, word, number) = (parts.next()?, parts.next()?, parts.next()?);
    let kind = match (source, word) {
        (CheckpointSource::T3code, "turn") | (CheckpointSource::T3codeV2, "ordinal") => CheckpointKind::Turn,
        (CheckpointSource::Mark, "mark") => CheckpointKind::Mark,
        (CheckpointSource::Mark, "end") => CheckpointKind::End,
        _ => return None,
    };
    if thread.is_empty() || parts.next().is_some() {
        return None;
    }
    Some(CheckpointPlace {
        source,
        kind,
        thread: thread.to_owned(),
        number: canonical(number)?,
    })
}

/// A number as it is printed: two names never stand for one.
fn canonical(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number: &u32| number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str) -> Option<(CheckpointSource, CheckpointKind, String, u32)> {
        place_of(name).map(|place| (place.source, place.kind, place.thread, place.number))
    }

    #[test]
    fn names_of_checkpoints() {
        use {CheckpointKind as Kind, CheckpointSource as Source};
        let cases = [
            ("refs/t3/checkpoints/dGg/turn/0", Source::T3code, Kind::Turn, "dGg", 0),
            (
                "refs/t3/orchestration-v2/checkpoints/9f/ordinal/12",
                Source::T3codeV2,
                Kind::Turn,
                "9f",
                12,
            ),
            ("refs/turn-attribution/day/mark/1", Source::Mark, Kind::Mark, "day", 1),
            (
                "refs/turn-attribution/day/end/4294967295",
                Source::Mark,
                Kind::End,
                "day",
                u32::MAX,
            ),
        ];
        for (name, source, kind, thread, number) in cases {
            assert_eq!(told(name), Some((source, kind, thread.to_owned(), number)), "{name}");
        }
    }

    #[test]
    fn other_names() {
        let others = [
            "refs/heads/main",
            "refs/t3/checkpoints/dGg/turn",
            "refs/t3/checkpoints/dGg/turn/1/more",
            "refs/t3/checkpoints/dGg/turn/1-start",
            "refs/t3/checkpoints/dGg/ordinal/1",
            "refs/t3/checkpoints/a/b/turn/1",
            "refs/t3/checkpoints//turn/1",
            "refs/t3/orchestration-v2/checkpoints/9f/turn/1",
            "refs/turn-attribution/day/turn/1",
            "refs/turn-attribution/day/mark/",
            "refs/turn-attribution/day/mark/01",
            "refs/turn-attribution/day/mark/+1",
            "refs/turn-attribution/day/mark/-1",
            "refs/turn-attribution/day/mark/1e3",
            "refs/turn-attribution/day/mark/٣",
            "refs/turn-attribution/day/mark/4294967296",
            "xrefs/turn-attribution/day/mark/1",
        ];
        for name in others {
            assert_eq!(told(name), None, "{name}");
        }
    }
}
