//! How alike two contents are, as git's rename detection sees it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::model::is_binary;

/// A similarity on git's inner scale, where [`Score::MAX`] means that nothing differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(u32);

impl Score {
    /// Identical contents.
    pub const MAX: Score = Score(60_000);
    /// Nothing in common.
    pub const ZERO: Score = Score(0);

    /// The score that a whole percentage stands for.
    pub const fn from_percent(percent: u32) -> Score {
        Score(Score::MAX.0 / 100 * percent)
    }

    /// The whole percentage that git prints: rounded down.
    pub fn percent(self) -> u8 {
        (self.0 / (Score::MAX.0 / 100)) as u8
    }
}

/// A chunk ends at a line feed or after this many bytes.
const CHUNK_BYTES: usize = 64;

/// What is kept of a content to compare it with others: which chunks it holds, and how many bytes of each.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    size: u64,
    /// Chunk hash and bytes in such chunks, in order of the hash.
    chunks: Vec<(u64, u64)>,
}

impl Fingerprint {
    /// Takes the fingerprint of a content.
    pub fn of(content: &[u8]) -> Fingerprint {
        let text = !is_binary(content);
        let mut bytes_of: HashMap<u64, u64, BuildHasherDefault<Passthrough>> = HashMap::default();
        let mut chunk = [0_u8; CHUNK_BYTES];
        let mut length = 0;
        for (index, &byte) in content.iter().enumerate() {
            // A line that merely changed its ending still counts as surviving.
            if text && byte == b'\r' && content.get(index + 1) == Some(&b'\n') {
                continue;
            }
            chunk[length] = byte;
            length += 1;
            if byte == b'\n' || length == CHUNK_BYTES {
                *bytes_of.entry(hash(&chunk[..length])).or_default() += length as u64;
                length = 0;
            }
        }
        if length > 0 {
            *bytes_of.entry(hash(&chunk[..length])).or_default() += length as u64;
        }
        let mut chunks: Vec<_> = bytes_of.into_iter().collect();
        chunks.sort_unstable();
        Fingerprint {
            size: content.len() as u64,
            chunks,
        }
    }

    /// The size of the content in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Sizes alone rule out most pairs. An empty content is similar to nothing.
    fn may_resemble(&self, other: &Fingerprint, at_least: Score) -> bool {
        let (smaller, larger) = (self.size.min(other.size), self.size.max(other.size));
        smaller > 0 && smaller * u64::from(Score::MAX.0) >= larger * u64::from(at_least.0)
    }

    /// The similarity to another content, or `None` where it is below `at_least` or one of the two is empty:
    /// bytes of shared chunks over the larger size.
    pub fn similarity(&self, other: &Fingerprint, at_least: Score) -> Option<Score> {
        let possible = self.may_resemble(other, at_least);
        possible
            .then(|| self.shared_bytes(other))
            .and_then(|shared| self.score(other, shared, at_least))
    }

    /// The same, where the bytes of shared chunks are known.
    pub fn score(&self, other: &Fingerprint, shared: u64, at_least: Score) -> Option<Score> {
        if !self.may_resemble(other, at_least) {
            return None;
        }
        let larger = self.size.max(other.size);
        let score = Score((shared * u64::from(Score::MAX.0) / larger) as u32);
        (score >= at_least).then_some(score)
    }

    fn shared_bytes(&self, other: &Fingerprint) -> u64 {
        let (mut left, mut right) = (self.chunks.iter().peekable(), other.chunks.iter().peekable());
        let mut shared = 0;
        while let (Some(&&(one, one_bytes)), Some(&&(two, two_bytes))) = (left.peek(), right.peek()) {
            if one <= two {
                left.next();
            }
            if two <= one {
                right.next();
            }
            if one == two {
                shared += one_bytes.min(two_bytes);
            }
        }
        shared
    }
}

/// Which of many contents hold a chunk: comparing another one with all of them costs what they share, not what they hold.
#[derive(Default)]
pub struct ChunkIndex {
    holders: HashMap<u64, Vec<(usize, u64)>, BuildHasherDefault<Passthrough>>,
}

impl ChunkIndex {
    /// Adds a content under a number.
    pub fn add(&mut self, number: usize, print: &Fingerprint) {
        for &(chunk, bytes) in &print.chunks {
            self.holders.entry(chunk).or_default().push((number, bytes));
        }
    }

    /// Writes the bytes that a content shares with each; returns how much work that was.
    pub fn shared_bytes(&self, print: &Fingerprint, shared: &mut [u64]) -> u64 {
        shared.fill(0);
        let mut work = (shared.len() + print.chunks.len()) as u64;
        for &(chunk, bytes) in &print.chunks {
            let Some(holders) = self.holders.get(&chunk) else {
                continue;
            };
            work += holders.len() as u64;
            for &(number, held) in holders {
                shared[number] += bytes.min(held);
            }
        }
        work
    }
}

/// The similarity of two contents in percent, rounded down as git prints it; 0 where one is empty and the other not.
pub fn similarity_percent(old: &[u8], new: &[u8]) -> u8 {
    if old == new {
        return Score::MAX.percent();
    }
    let score = Fingerprint::of(old).similarity(&Fingerprint::of(new), Score::ZERO);
    score.unwrap_or(Score::ZERO).percent()
}

/// A 64-bit hash, eight bytes at a step: wide enough for collisions not to matter, and not meant to resist anyone.
/// To git, chunks that differ only in leading NULs are one and the same.
fn hash(chunk: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let chunk = &chunk[chunk.iter().take_while(|&&byte| byte == 0).count()..];
    let mut state = chunk.len() as u64;
    for word in chunk.chunks(8) {
        let mut padded = [0; 8];
        padded[..word.len()].copy_from_slice(word);
        state = (state ^ u64::from_le_bytes(padded)).wrapping_mul(MULTIPLIER);
        state ^= state >> 32;
    }
    state
}

/// Chunk hashes are hashes already.
#[derive(Default)]
struct Passthrough(u64);

impl Hasher for Passthrough {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(range: std::ops::Range<u32>) -> Vec<u8> {
        range.flat_map(|n| format!("line {n:04}\n").into_bytes()).collect()
    }

    #[test]
    fn identical_contents_are_fully_similar() {
        assert_eq!(similarity_percent(b"a\nb\n", b"a\nb\n"), 100);
        assert_eq!(similarity_percent(b"", b""), 100);
    }

    #[test]
    fn an_empty_content_is_similar_to_nothing() {
        assert_eq!(similarity_percent(b"", b"a\n"), 0);
        assert_eq!(similarity_percent(b"a\n", b""), 0);
    }

    #[test]
    fn shared_bytes_count_over_the_larger_size() {
        assert_eq!(similarity_percent(&lines(0..100), &lines(50..150)), 50);
        assert_eq!(similarity_percent(&lines(0..100), &lines(0..50)), 50);
        assert_eq!(similarity_percent(&lines(0..3), &lines(1..3)), 66);
    }

    #[test]
    fn an_index_shares_as_pairs_do() {
        let contents = [lines(0..100), lines(50..150), b"aa\naa\n".to_vec(), Vec::new()];
        let prints = contents.each_ref().map(|content| Fingerprint::of(content));
        let mut index = ChunkIndex::default();
        for (number, print) in prints.iter().enumerate() {
            index.add(number, print);
        }
        let mut shared = [7; 4];
        for one in &prints {
            index.shared_bytes(one, &mut shared);
            assert_eq!(shared, prints.each_ref().map(|other| one.shared_bytes(other)));
        }
    }

    #[test]
    fn order_does_not_matter_and_repetition_does() {
        assert_eq!(similarity_percent(b"aa\nbb\n", b"bb\naa\n"), 100);
        assert_eq!(similarity_percent(b"aa\naa\n", b"aa\nbb\n"), 50);
    }

    #[test]
    fn long_lines_are_compared_in_pieces() {
        let line = |tail: u8| [vec![b'x'; CHUNK_BYTES], vec![tail; CHUNK_BYTES]].concat();
        assert_eq!(similarity_percent(&line(b'y'), &line(b'z')), 50);
    }

    #[test]
    fn line_endings_and_leading_nuls_do_not_count_as_changes() {
        assert_eq!(similarity_percent(b"aaaa\n", b"aaaa\r\n"), 83);
        assert_eq!(similarity_percent(b"aaa\n", b"\0aaa\n"), 80);
    }

    #[test]
    fn the_threshold_is_exact() {
        let (old, new) = (Fingerprint::of(&lines(0..100)), Fingerprint::of(&lines(50..150)));
        assert_eq!(
            old.similarity(&new, Score::from_percent(50)),
            Some(Score::from_percent(50))
        );
        assert_eq!(old.similarity(&new, Score::from_percent(51)), None);
    }
}
