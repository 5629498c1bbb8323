//! The fuzz targets in every run, without a fuzzer: each file of the corpora, and mutations of them that are the same
//! every time. For minutes and with coverage there is `npm run fuzz`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

#[path = "../fuzz/bodies/mod.rs"]
mod bodies;

/// Mutations of each corpus.
const MUTATIONS: usize = 2_000;

/// A small generator: the same sequence on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..(start + self.below(24)).min(length)
    }

    /// One to four changes, each to a byte, to a few of them, or by a piece of another input.
    fn mutated(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut data = corpus[self.below(corpus.len())].clone();
        for _ in 0..=self.below(4) {
            let range = self.range(data.len());
            match self.below(6) {
                0 => drop(data.drain(range)),
                1 => drop(data.splice(range.start..range.start, data[range].to_vec())),
                2 if !data.is_empty() => {
                    let at = self.below(data.len());
                    data[at] ^= 1 << self.below(8);
                }
                3 => data.truncate(range.end),
                4 => {
                    const BYTES: &[u8] = b"\0\n\r\t \"\\+-@/=%0189\x7f\x80\xc3\xff";
                    data.insert(range.start, BYTES[self.below(BYTES.len())]);
                }
                _ => {
                    let other = &corpus[self.below(corpus.len())];
                    let piece = self.range(other.len());
                    drop(data.splice(range, other[piece].to_vec()));
                }
            }
        }
        data
    }
}

#[test]
fn no_input_breaks_a_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for (name, check) in bodies::TARGETS {
        let mut files: Vec<_> = fs::read_dir(folder.join(name))
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        let corpus: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
        assert!(corpus.len() > 10, "{name} has a corpus");
        let mut random = Random(7);
        let mutations = (0..MUTATIONS).map(|_| random.mutated(&corpus));
        for data in corpus.iter().cloned().chain(mutations) {
            let checked = catch_unwind(AssertUnwindSafe(|| check(&data)));
            assert!(checked.is_ok(), "{name}: {}", data.escape_ascii());
        }
    }
}
