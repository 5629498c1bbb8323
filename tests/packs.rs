//! The reader of packs and loose objects against git: every object of a repository reads as `git cat-file` prints it, however
//! it is packed; and what is damaged is not there, or is what it was.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use libdeflater::{CompressionLvl, Compressor};
use tempfile::TempDir;
use turn_attribution::git::packs::{Data, Index, LARGEST_READ, Packs, Scratch};
use turn_attribution::git::{LibgitSource, Objects, Stop, close_repositories};
use turn_attribution::model::{Contents, GitSource, ObjectKind, Oid, SourceError};

const HASHES: [&str; 2] = ["sha1", "sha256"];

/// A bare repository with a history of texts, folders, binary files and tags, all of it loose.
struct Repo {
    temp: TempDir,
    oid_length: usize,
}

struct Object {
    oid: Oid,
    kind: ObjectKind,
    content: Vec<u8>,
}

impl Repo {
    fn empty(hash: &str) -> Repo {
        let repo = Repo {
            temp: tempfile::tempdir().unwrap(),
            oid_length: if hash == "sha1" { 20 } else { 32 },
        };
        repo.git(&["init", "-q", "--bare", "-b", "main", &format!("--object-format={hash}")]);
        repo
    }

    fn with_history(hash: &str, commits: usize) -> Repo {
        let repo = Repo::empty(hash);
        repo.grow(0..commits);
        repo
    }

    /// More commits, loose.
    fn grow(&self, commits: std::ops::Range<usize>) {
        let mut stream = Vec::new();
        let file = |commit: &mut Vec<u8>, path: &str, content: &[u8]| {
            commit.extend(format!("M 100644 inline {path}\ndata {}\n", content.len()).bytes());
            commit.extend(content);
            commit.push(b'\n');
        };
        for number in commits.clone() {
            let mut commit = format!(
                "commit refs/heads/main\ncommitter A <a@b> {} +0000\ndata 1\n{}",
                1_700_000_000 + number,
                number % 10
            )
            .into_bytes();
            commit.push(b'\n');
            if number == commits.start && number > 0 {
                commit.extend(b"from refs/heads/main^0\n");
            }
            let lines =
                (0..400).map(|line| format!("line {line} of {}\n", if line == number % 400 { number } else { 0 }));
            file(&mut commit, "long.txt", lines.collect::<String>().as_bytes());
            file(
                &mut commit,
                &format!("folder/{}/{number}.txt", number % 7),
                number.to_string().as_bytes(),
            );
            let noise: Vec<u8> = (0..3000u32).map(|at| (at * at + number as u32 / 3) as u8).collect();
            file(&mut commit, "noise.bin", &noise);
            file(&mut commit, "empty", b"");
            stream.extend(commit);
            if number % 5 == 0 {
                stream.extend(
                    format!("tag v{number}\nfrom refs/heads/main\ntagger A <a@b> 1700000000 +0000\ndata 1\nt\n")
                        .bytes(),
                );
            }
        }
        self.git_with(
            &["-c", "fastimport.unpackLimit=100000", "fast-import", "--quiet"],
            &stream,
        );
    }

    fn path(&self) -> &Path {
        self.temp.path()
    }

    fn git(&self, arguments: &[&str]) -> Vec<u8> {
        self.git_with(arguments, b"")
    }

    fn git_with(&self, arguments: &[&str], input: &[u8]) -> Vec<u8> {
        let mut child = Command::new("git")
            .args(arguments)
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        // Git may end before it has read all.
        let _ = writer.join().unwrap();
        assert!(output.status.success(), "git {arguments:?}");
        output.stdout
    }

    fn oid(&self, revision: &str) -> Oid {
        Oid::from_hex(self.git(&["rev-parse", revision]).trim_ascii()).unwrap()
    }

    /// Every object, as git reads it.
    fn objects(&self) -> Vec<Object> {
        let printed = self.git(&["cat-file", "--batch-all-objects", "--batch"]);
        let mut rest = &printed[..];
        let mut objects = Vec::new();
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let header = String::from_utf8(rest[..end].to_vec()).unwrap();
            let words: Vec<&str> = header.split(' ').collect();
            let size: usize = words[2].parse().unwrap();
            objects.push(Object {
                oid: Oid::from_hex(words[0].as_bytes()).unwrap(),
                kind: match words[1] {
                    "commit" => ObjectKind::Commit,
                    "tree" => ObjectKind::Tree,
                    "blob" => ObjectKind::Blob,
                    _ => ObjectKind::Tag,
                },
                content: rest[end + 1..end + 1 + size].to_vec(),
            });
            rest = &rest[end + size + 2..];
        }
        assert!(!objects.is_empty());
        objects
    }

    fn folders(&self) -> Arc<[PathBuf]> {
        [self.path().join("objects")].into()
    }

    fn packs(&self) -> Packs {
        Packs::new(self.folders(), self.oid_length)
    }

    fn source(&self) -> LibgitSource {
        LibgitSource::open(self.path(), Stop::never()).unwrap()
    }

    /// The pack files; their indexes lie beside them.
    fn pack_files(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.path().join("objects/pack")).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        paths
            .filter(|path| path.extension().is_some_and(|end| end == "pack"))
            .collect()
    }

    /// The longest chain of deltas.
    fn longest_chain(&self) -> usize {
        let listed = self.pack_files().into_iter().map(|pack| {
            let listed = self.git(&["verify-pack", "-v", pack.to_str().unwrap()]);
            String::from_utf8(listed).unwrap()
        });
        let lines = listed.collect::<String>();
        let lengths = lines
            .lines()
            .filter_map(|line| line.strip_prefix("chain length = ")?.split(':').next()?.parse().ok());
        lengths.max().unwrap_or(0)
    }
}

fn assert_packed(packs: &Packs, objects: &[Object]) {
    let mut scratch = Scratch::default();
    // Twice: the second time with all that is kept. And backwards, with other bases at hand.
    for object in objects.iter().chain(objects).chain(objects.iter().rev()) {
        let oid = object.oid.as_bytes();
        let size = object.content.len() as u64;
        assert_eq!(
            packs.header(oid, &mut scratch),
            Some((object.kind, size)),
            "{}",
            object.oid
        );
        let read = packs.read(oid, &mut scratch);
        assert_eq!(read, Some((object.kind, &object.content[..])), "{}", object.oid);
    }
    let absent = vec![0xab; objects[0].oid.as_bytes().len()];
    assert_eq!(packs.read(&absent, &mut scratch), None);
    assert_eq!(packs.read(&absent[1..], &mut scratch), None);
    assert_eq!(packs.read(&[], &mut scratch), None);
}

/// As a call reads it, by whatever reader.
fn assert_readable(source: &LibgitSource, objects: &[Object]) {
    for object in objects {
        assert_eq!(source.kind(object.oid).unwrap(), object.kind);
        let readers = source.tree_readers().expect("there are some");
        match object.kind {
            ObjectKind::Blob => assert_eq!(&source.read_blob(object.oid).unwrap()[..], object.content),
            ObjectKind::Tree => {
                let names = |tree: &turn_attribution::model::Tree| {
                    tree.entries()
                        .map(|entry| (entry.name.to_vec(), entry.oid))
                        .collect::<Vec<_>>()
                };
                let tree = source.read_tree(object.oid).unwrap();
                assert_eq!(tree.raw().len(), object.content.len());
                if let Ok(read) = readers.reader().read_tree(object.oid) {
                    assert_eq!(names(&read), names(&tree));
                }
            }
            ObjectKind::Commit => assert_eq!(source.read_commit(object.oid).unwrap().oid, object.oid),
            ObjectKind::Tag => assert_ne!(source.peel_tag(object.oid).unwrap(), object.oid),
        }
        if object.kind != ObjectKind::Blob {
            assert!(matches!(
                source.read_blob(object.oid),
                Err(SourceError::Unreadable { .. })
            ));
        }
        if object.kind != ObjectKind::Tree {
            assert!(readers.reader().read_tree(object.oid).is_err());
        }
    }
}

#[test]
fn every_object_of_a_pack() {
    for hash in HASHES {
        for (base_offset, depth) in [("true", "50"), ("false", "50"), ("true", "4095"), ("false", "0")] {
            let repo = Repo::with_history(hash, 150);
            let base_offset = format!("repack.useDeltaBaseOffset={base_offset}");
            repo.git(&["-c", &base_offset, "repack", "-adfq", "--window=20", "--depth", depth]);
            match depth {
                "0" => assert_eq!(repo.longest_chain(), 0),
                "50" => assert!((10..=50).contains(&repo.longest_chain())),
                _ => assert!(repo.longest_chain() > 50),
            }
            let objects = repo.objects();
            assert_packed(&repo.packs(), &objects);
            assert_readable(&repo.source(), &objects);
        }
    }
}

#[test]
fn several_packs_and_what_is_written_beside_them() {
    for hash in HASHES {
        let repo = Repo::empty(hash);
        for part in 0..6 {
            repo.grow(part * 10..part * 10 + 10);
            repo.git(&["repack", "-dq"]);
        }
        assert_eq!(repo.pack_files().len(), 6);
        let objects = repo.objects();
        assert_packed(&repo.packs(), &objects);
        repo.git(&["multi-pack-index", "write"]);
        assert_packed(&repo.packs(), &objects);
        // Other files with names as they occur, and some that lead nowhere.
        let pack = repo.path().join("objects/pack");
        fs::write(pack.join("pack-1.idx"), b"").unwrap();
        fs::write(pack.join("pack-2.idx"), b"\xfftOc\0\0\0\x02").unwrap();
        fs::write(pack.join("pack-3.pack"), b"PACK").unwrap();
        fs::write(pack.join("pack-4.keep"), b"").unwrap();
        fs::create_dir(pack.join("pack-5.idx")).unwrap();
        let index = repo
            .pack_files()
            .iter()
            .map(|path| path.with_extension("idx"))
            .find(|path| path.exists());
        fs::copy(index.unwrap(), pack.join("pack-0.idx")).unwrap();
        assert_packed(&repo.packs(), &objects);
    }
}

#[test]
fn several_threads_at_once() {
    let repo = Repo::with_history("sha1", 100);
    repo.git(&["repack", "-adfq"]);
    let (packs, objects) = (repo.packs(), repo.objects());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_packed(&packs, &objects));
        }
    });
}

#[test]
fn a_scratch_serves_several_repositories() {
    let mut scratch = Scratch::default();
    let repos = HASHES.map(|hash| Repo::with_history(hash, 40));
    let read: Vec<_> = repos
        .iter()
        .map(|repo| {
            repo.git(&["repack", "-adfq"]);
            (repo.packs(), repo.objects())
        })
        .collect();
    for (packs, objects) in read.iter().chain(&read) {
        for object in objects {
            let found = packs.read(object.oid.as_bytes(), &mut scratch);
            assert_eq!(found, Some((object.kind, &object.content[..])));
        }
    }
}

#[test]
fn places_of_64_bits() {
    for hash in HASHES {
        let repo = Repo::with_history(hash, 40);
        repo.git(&["repack", "-adfq"]);
        let pack = repo.pack_files().remove(0);
        let index = pack.with_extension("idx");
        let before = fs::metadata(&index).unwrap().len();
        fs::remove_file(&index).unwrap();
        repo.git(&["index-pack", "--index-version=2,0x40", pack.to_str().unwrap()]);
        assert!(fs::metadata(&index).unwrap().len() > before + 8 * 20);
        assert_packed(&repo.packs(), &repo.objects());
    }
}

#[test]
fn an_index_of_version_1_is_for_libgit2() {
    let repo = Repo::with_history("sha1", 30);
    repo.git(&["-c", "pack.indexVersion=1", "repack", "-adfq"]);
    let objects = repo.objects();
    let packs = repo.packs();
    let mut scratch = Scratch::default();
    assert!(
        objects
            .iter()
            .all(|object| packs.read(object.oid.as_bytes(), &mut scratch).is_none())
    );
    assert_readable(&repo.source(), &objects);
}

#[test]
fn loose_objects() {
    for hash in HASHES {
        let repo = Repo::with_history(hash, 30);
        for content in [
            vec![0; 1 << 20],
            vec![7; LARGEST_READ],
            vec![8; LARGEST_READ + 1],
            noise(300_000),
        ] {
            repo.git_with(&["hash-object", "-w", "--stdin"], &content);
        }
        assert_eq!(repo.pack_files().len(), 0);
        let all = Objects::new(repo.folders(), repo.oid_length);
        let objects = repo.objects();
        let mut scratch = Scratch::default();
        for object in &objects {
            let size = object.content.len();
            assert_eq!(all.header(object.oid, &mut scratch), Some((object.kind, size as u64)));
            let expected = (size <= LARGEST_READ).then_some((object.kind, &object.content[..]));
            assert!(all.read(object.oid, &mut scratch) == expected, "{}", object.oid);
        }
        assert_readable(&repo.source(), &objects);
    }
}

#[test]
fn packed_contents_that_are_large() {
    let repo = Repo::empty("sha1");
    let mut large = noise(LARGEST_READ - 100);
    repo.git_with(&["hash-object", "-w", "--stdin"], &large);
    large.extend(vec![1; 200]);
    repo.git_with(&["hash-object", "-w", "--stdin"], &large);
    // Reachable from nothing, so packed by name.
    let names: Vec<String> = repo.objects().iter().map(|object| object.oid.to_string()).collect();
    repo.git_with(
        &[
            "-c",
            "core.bigFileThreshold=1g",
            "pack-objects",
            "-q",
            "--window=0",
            "objects/pack/pack",
        ],
        names.join("\n").as_bytes(),
    );
    repo.git(&["prune-packed"]);
    let packs = repo.packs();
    let mut scratch = Scratch::default();
    for object in repo.objects() {
        let size = object.content.len();
        let read = packs.read(object.oid.as_bytes(), &mut scratch);
        let expected = (size <= LARGEST_READ).then_some((ObjectKind::Blob, &object.content[..]));
        assert!(read == expected, "{size}");
        assert!(repo.source().read_blob(object.oid).unwrap()[..] == object.content);
    }
}

fn noise(size: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..size).map(|_| next()).collect()
}

#[test]
fn borrowed_objects_also_after_a_repack_there() {
    let lender = Repo::with_history("sha1", 40);
    lender.git(&["repack", "-adfq"]);
    let borrower = Repo::empty("sha1");
    let objects_of = |repo: &Repo| repo.path().join("objects").to_str().unwrap().to_owned();
    fs::write(
        borrower.path().join("objects/info/alternates"),
        objects_of(&lender) + "\n",
    )
    .unwrap();
    let objects = lender.objects();
    assert_readable(&borrower.source(), &objects);
    // The handle is kept meanwhile.
    let mid_call = borrower.source();
    assert_readable(&mid_call, &objects[..3]);
    lender.grow(40..60);
    lender.git(&["repack", "-adfq"]);
    let more = lender.objects();
    assert!(more.len() > objects.len());
    assert_readable(&mid_call, &more);
    drop(mid_call);
    assert_readable(&borrower.source(), &more);
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_stays_mapped() {
    let mapped = |repo: &Repo| {
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let place = repo.path().canonicalize().unwrap();
        maps.lines()
            .filter(|line| line.contains(place.to_str().unwrap()))
            .count()
    };
    let repo = Repo::with_history("sha1", 20);
    repo.git(&["repack", "-adfq"]);
    // What changed just now is not kept at all.
    std::thread::sleep(std::time::Duration::from_millis(100));
    let source = repo.source();
    assert_eq!(mapped(&repo), 0, "nothing was read");
    let commit = repo.oid("main");
    source.read_commit(commit).unwrap();
    assert_eq!(mapped(&repo), 2, "the index and the pack");
    drop(source);
    close_repositories();
    assert_eq!(mapped(&repo), 0, "closed");
}

/// The index and the data of a small pack that has deltas, and what is in it.
fn small_pack(hash: &str, base_offset: bool) -> (Vec<u8>, Vec<u8>, Vec<Object>) {
    let repo = Repo::with_history(hash, 4);
    let base_offset = format!("repack.useDeltaBaseOffset={base_offset}");
    repo.git(&["-c", &base_offset, "repack", "-adfq"]);
    assert!(repo.longest_chain() > 0);
    let pack = repo.pack_files().remove(0);
    let index = fs::read(pack.with_extension("idx")).unwrap();
    (index, fs::read(pack).unwrap(), repo.objects())
}

/// What each object reads as; `None` where the pack is not used or the object not found.
fn read_all(index: &[u8], pack: &[u8], objects: &[Object]) -> Vec<Option<Vec<u8>>> {
    let oid_length = objects[0].oid.as_bytes().len();
    let mut scratch = Scratch::default();
    let index = Index::new(index, oid_length);
    let data = index.as_ref().and_then(|index| Data::new(pack, 0, index));
    let mut read = |object: &Object| {
        let (index, data) = (index.as_ref()?, data.as_ref()?);
        let offset = index.find(object.oid.as_bytes())?;
        let header = data.header(index, offset, &mut scratch);
        let (kind, content) = data.read(index, offset, &mut scratch)?;
        assert_eq!(header, Some((kind, content.len() as u64)));
        Some(content.to_vec())
    };
    objects.iter().map(&mut read).collect()
}

#[test]
fn a_flipped_bit_of_a_pack_is_not_content() {
    for (hash, base_offset) in [("sha1", true), ("sha1", false), ("sha256", true)] {
        let (index, pack, objects) = small_pack(hash, base_offset);
        assert!(read_all(&index, &pack, &objects).iter().all(Option::is_some));
        let mut lost = 0;
        for at in 0..pack.len() {
            let mut pack = pack.clone();
            pack[at] ^= 1 << (at % 8);
            for (read, object) in read_all(&index, &pack, &objects).iter().zip(&objects) {
                lost += usize::from(read.is_none());
                assert!(
                    read.as_ref().is_none_or(|read| *read == object.content),
                    "{at}: {}",
                    object.oid
                );
            }
        }
        // Each bit is of something.
        assert!(lost >= pack.len());
    }
}

#[test]
fn a_pack_or_an_index_that_is_cut_is_not_used() {
    for hash in HASHES {
        let (index, pack, objects) = small_pack(hash, true);
        for end in 0..pack.len() {
            assert!(read_all(&index, &pack[..end], &objects).iter().all(Option::is_none));
        }
        for end in 0..index.len() {
            assert!(read_all(&index[..end], &pack, &objects).iter().all(Option::is_none));
        }
    }
}

#[test]
fn a_flipped_bit_of_an_index_leads_nowhere_or_to_an_object() {
    // No reader can tell that a place is that of another object, short of hashing it.
    for hash in HASHES {
        let (index, pack, objects) = small_pack(hash, true);
        for bit in 0..index.len() * 8 {
            let mut index = index.clone();
            index[bit / 8] ^= 1 << (bit % 8);
            for read in read_all(&index, &pack, &objects).iter().flatten() {
                assert!(objects.iter().any(|object| object.content == *read));
            }
        }
    }
}

/// A pack of entries as they are, and its index; the ids are `1…`, `2…` and so on.
fn pack_of(entries: &[Vec<u8>]) -> (Vec<u8>, Vec<u8>) {
    let mut pack = [&b"PACK\0\0\0\x02"[..], &(entries.len() as u32).to_be_bytes()].concat();
    let mut index = b"\xfftOc\0\0\0\x02".to_vec();
    for first in 0..256 {
        index.extend((first.min(entries.len()) as u32).to_be_bytes());
    }
    let mut places = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        index.extend([number as u8 + 1; 20]);
        places.extend((pack.len() as u32).to_be_bytes());
        pack.extend(entry);
    }
    pack.extend([9; 20]);
    index.extend(vec![0; entries.len() * 4]);
    index.extend(places);
    index.extend([9; 20]);
    index.extend([0; 20]);
    (index, pack)
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut compressor = Compressor::new(CompressionLvl::default());
    let mut out = vec![0; compressor.zlib_compress_bound(content.len())];
    let length = compressor.zlib_compress(content, &mut out).unwrap();
    out.truncate(length);
    out
}

/// The kind and the size of an entry.
fn start(kind: u8, mut size: u64) -> Vec<u8> {
    let mut header = vec![kind << 4 | (size & 15) as u8];
    size >>= 4;
    while size > 0 {
        *header.last_mut().unwrap() |= 128;
        header.push((size & 127) as u8);
        size >>= 7;
    }
    header
}

fn on_id(base: u8, delta: &[u8]) -> Vec<u8> {
    [start(7, delta.len() as u64), vec![base; 20], deflated(delta)].concat()
}

#[test]
fn entries_that_no_git_writes() {
    let blob = [start(3, 4), deflated(b"abcd")].concat();
    let copy_all = [4, 4, 0b1001_0000, 4];
    let on_offset = |distance: u8| [start(6, 4), vec![distance], deflated(&copy_all)].concat();
    let huge_result = [4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0b1001_0000, 4];
    type Case<'a> = (&'a str, Vec<Vec<u8>>, Option<&'a [u8]>);
    let cases: Vec<Case> = vec![
        ("as it should be", vec![blob.clone()], Some(b"abcd")),
        ("a delta", vec![on_id(2, &copy_all), blob.clone()], Some(b"abcd")),
        ("a delta to itself", vec![on_id(1, &copy_all)], None),
        ("a circle", vec![on_id(2, &copy_all), on_id(1, &copy_all)], None),
        ("a base that is not there", vec![on_id(7, &copy_all)], None),
        ("an offset of nothing", vec![on_offset(0)], None),
        ("an offset before the pack", vec![on_offset(100)], None),
        ("an offset into the header", vec![on_offset(4)], None),
        (
            "a size that is too large",
            vec![[start(3, 1 << 60), deflated(b"abcd")].concat()],
            None,
        ),
        (
            "a size that its data cannot have",
            vec![[start(3, 1 << 24), deflated(b"abcd")].concat()],
            None,
        ),
        (
            "more than the size",
            vec![[start(3, 3), deflated(b"abcd")].concat()],
            None,
        ),
        (
            "less than the size",
            vec![[start(3, 5), deflated(b"abcd")].concat()],
            None,
        ),
        (
            "a result that is too large",
            vec![on_id(2, &huge_result), blob.clone()],
            None,
        ),
        ("an unknown kind", vec![[start(5, 4), deflated(b"abcd")].concat()], None),
        ("nothing behind the header", vec![start(3, 4)], None),
        ("a header without end", vec![vec![0xff; 64]], None),
    ];
    for (what, entries, expected) in cases {
        let (index, pack) = pack_of(&entries);
        let index = Index::new(&index[..], 20).unwrap();
        let data = Data::new(&pack[..], 0, &index).unwrap();
        let mut scratch = Scratch::default();
        let offset = index.find(&[1; 20]).unwrap();
        let read = data.read(&index, offset, &mut scratch);
        assert_eq!(read.map(|(_, content)| content), expected, "{what}");
        // It ends, whatever it says.
        data.header(&index, offset, &mut scratch);
        // What was read before is not in the way.
        let (index, pack) = pack_of(std::slice::from_ref(&blob));
        let index = Index::new(&index[..], 20).unwrap();
        let data = Data::new(&pack[..], 1, &index).unwrap();
        let read = data.read(&index, 12, &mut scratch);
        assert_eq!(read, Some((ObjectKind::Blob, &b"abcd"[..])), "{what}");
    }
}

#[test]
fn a_pack_that_is_not_the_one_of_the_index() {
    let (index, pack) = pack_of(&[[start(3, 4), deflated(b"abcd")].concat()]);
    let index = Index::new(&index[..], 20).unwrap();
    assert!(Data::new(&pack[..], 0, &index).is_some());
    // The name, the version, the number of objects, the checksum.
    for at in [0, 7, 11, pack.len() - 1] {
        let mut pack = pack.clone();
        pack[at] ^= 8;
        assert!(Data::new(&pack[..], 0, &index).is_none(), "{at}");
    }
}

#[test]
fn loose_objects_that_are_damaged() {
    let repo = Repo::empty("sha1");
    let oid = repo.git_with(&["hash-object", "-w", "--stdin"], &noise(200));
    let oid = String::from_utf8(oid).unwrap().trim().to_owned();
    let file = repo.path().join("objects").join(&oid[..2]).join(&oid[2..]);
    let whole = fs::read(&file).unwrap();
    let oid = Oid::from_hex(oid.as_bytes()).unwrap();
    let read = |content: &[u8]| {
        fs::remove_file(&file).unwrap();
        fs::write(&file, content).unwrap();
        repo.source().read_blob(oid)
    };
    assert_eq!(read(&whole).unwrap()[..], noise(200));
    for end in 0..whole.len() {
        assert!(
            matches!(read(&whole[..end]), Err(SourceError::Unreadable { .. })),
            "cut at {end}"
        );
    }
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        match read(&flipped) {
            Ok(content) => assert_eq!(content[..], noise(200), "flipped at {at}"),
            Err(error) => assert!(matches!(error, SourceError::Unreadable { .. })),
        }
    }
    let bomb = [b"blob 5\0".to_vec(), vec![0; 100 << 20]].concat();
    let oddities: [(&str, &[u8]); 7] = [
        ("a bomb", &bomb),
        ("less", b"blob 5\0abcd"),
        ("more", b"blob 5\0abcdef"),
        ("no such kind", b"blub 5\0abcde"),
        ("no size", b"blob \0abcde"),
        ("no header", &[b'x'; 100]),
        ("a size of a lie", b"blob 99999999999\0abcde"),
    ];
    for (what, content) in oddities {
        assert!(read(&deflated(content)).is_err(), "{what}");
    }
    // Behind the stream anything may stand, as before.
    assert_eq!(read(&[&whole[..], b"more"].concat()).unwrap()[..], noise(200));
}
