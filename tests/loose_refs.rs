//! Refs in files of every shape, as git reads them.

use std::fs;
use std::path::Path;
use std::process::Command;

use turn_attribution::git::{LibgitSource, Stop, close_repositories, read_head};
use turn_attribution::model::{GitSource, Oid};

fn git(folder: &Path, line: &str) -> Option<String> {
    let output = Command::new("git")
        .args(line.split(' '))
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs([("HOME", folder), ("GIT_CONFIG_GLOBAL", Path::new("/dev/null"))])
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C")])
        .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.com")])
        .envs([("GIT_COMMITTER_NAME", "C"), ("GIT_COMMITTER_EMAIL", "c@example.com")])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    output.status.success().then(|| text.trim_end().to_owned())
}

fn as_git_reads_them(format: &str) {
    let temp = tempfile::tempdir().unwrap();
    let main = temp.path().join("main");
    let linked = temp.path().join("linked");
    fs::create_dir(&main).unwrap();
    git(&main, &format!("init -q -b main --object-format={format} .")).unwrap();
    let commits = ["one", "two", "three"].map(|message| {
        git(&main, &format!("commit -q --allow-empty -m {message}")).unwrap();
        git(&main, "rev-parse HEAD").unwrap()
    });
    let [one, two, three] = &commits;
    git(&main, "worktree add -q -b linked ../linked").unwrap();
    git(&main, &format!("branch packed {one}")).unwrap();
    git(&main, &format!("branch both {one}")).unwrap();
    git(&main, &format!("update-ref refs/worktree/packed {one}")).unwrap();
    git(&main, "pack-refs --all").unwrap();
    git(&main, &format!("update-ref refs/heads/both {two}")).unwrap();
    let own = main.join(".git");
    let of_linked = own.join("worktrees/linked");
    let upper = two.to_uppercase();
    let short = &two[..two.len() - 1];
    let files = [
        ("refs/heads/plain", format!("{two}\n")),
        ("refs/heads/upper", format!("{upper}\n")),
        ("refs/heads/bare", two.clone()),
        ("refs/heads/returned", format!("{two}\r\n")),
        ("refs/heads/blanks", format!("{two}  \t\n")),
        ("refs/heads/lines", format!("{two}\n\n")),
        ("refs/heads/more", format!("{two}\t\tbranch 'x' of there\n")),
        ("refs/heads/glued", format!("{two}x\n")),
        ("refs/heads/before", format!(" {two}\n")),
        ("refs/heads/short", format!("{short}\n")),
        ("refs/heads/empty", String::new()),
        ("refs/heads/symbolic", "ref: refs/heads/plain\n".into()),
        ("refs/heads/tight", "ref:refs/heads/plain".into()),
        ("refs/heads/wide", "ref:\t  refs/heads/plain \r\n".into()),
        ("refs/heads/to-packed", "ref: refs/heads/packed\n".into()),
        ("refs/heads/to-both", "ref: refs/heads/both\n".into()),
        ("refs/heads/to-nothing", "ref: refs/heads/nothing\n".into()),
        ("refs/heads/to-folder", "ref: refs/heads\n".into()),
        ("refs/heads/circle", "ref: refs/heads/circle-back\n".into()),
        ("refs/heads/circle-back", "ref: refs/heads/circle\n".into()),
        ("refs/heads/folder/below", format!("{three}\n")),
        ("refs/heads/dotted.", format!("{three}\n")),
        ("refs/heads/to-own", "ref: refs/worktree/own\n".into()),
        ("refs/bisect/bad", format!("{one}\n")),
        ("refs/worktree/own", format!("{one}\n")),
        ("refs/rewritten/own", format!("{one}\n")),
        ("ORIG_HEAD", format!("{one}\n")),
    ];
    for (name, content) in &files {
        fs::create_dir_all(own.join(name).parent().unwrap()).unwrap();
        fs::write(own.join(name), content).unwrap();
    }
    let of_worktree = [
        "refs/bisect/bad",
        "refs/worktree/own",
        "refs/rewritten/own",
        "ORIG_HEAD",
    ];
    for name in of_worktree {
        fs::create_dir_all(of_linked.join(name).parent().unwrap()).unwrap();
        fs::write(of_linked.join(name), format!("{three}\n")).unwrap();
    }
    let others = [
        "HEAD",
        "refs/heads/packed",
        "refs/heads/both",
        "refs/heads/folder",
        "refs/heads",
        "refs/worktree/packed",
    ];
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).chain(others).collect();
    for folder in [&main, &linked] {
        let source = LibgitSource::open(folder, Stop::never()).unwrap();
        for name in &names {
            let theirs = git(folder, &format!("rev-parse -q --verify {name}"));
            let ours = source.resolve_ref(name).ok().flatten().map(|oid| oid.to_string());
            assert_eq!(ours, theirs, "{name} in {}", folder.display());
        }
        // No names of refs, whatever lies there.
        fs::write(temp.path().join("outside"), format!("{one}\n")).unwrap();
        fs::write(own.join("refs/heads/plain.lock"), format!("{one}\n")).unwrap();
        let outside = temp.path().join("outside");
        let up = "../".repeat(outside.components().count() + 8);
        for name in [
            "",
            ".",
            "../outside",
            "../../outside",
            "../../../../outside",
            "refs/../../../outside",
            "refs/heads/../heads/plain",
            "refs/heads/plain/",
            "refs/heads/plain.lock",
            outside.to_str().unwrap(),
            &format!("{up}{}", outside.display()),
        ] {
            assert_eq!(source.resolve_ref(name).ok().flatten(), None, "{name}");
        }
    }
    // HEAD itself.
    for (content, head) in [
        (format!("{two}\n"), Some(two)),
        (format!("{upper}\r\n"), Some(two)),
        (two.clone(), Some(two)),
        ("ref: refs/heads/symbolic\n".into(), Some(two)),
        ("ref: refs/heads/packed".into(), Some(one)),
        ("ref: refs/heads/nothing\n".into(), None),
    ] {
        fs::write(own.join("HEAD"), &content).unwrap();
        close_repositories();
        let facts = read_head(&main).unwrap();
        let expected = head.map(|head| Oid::from_hex(head.as_bytes()).unwrap());
        assert_eq!(facts.head, expected, "{content:?}");
        let branch = git(&main, "symbolic-ref -q --short HEAD");
        let branch = branch.map(|name| if name == "symbolic" { "plain".into() } else { name });
        assert_eq!(facts.branch, branch, "{content:?}");
    }
}

#[test]
fn of_the_old_hash() {
    as_git_reads_them("sha1");
}

#[test]
fn of_the_new_hash() {
    as_git_reads_them("sha256");
}
