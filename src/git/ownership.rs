//! Whether git would work in a repository that may belong to somebody else: the rule of
//! [`safe.directory`](https://git-scm.com/docs/git-config#Documentation/git-config.txt-safedirectory), as git 2.47
//! applies it. libgit2's own check knows less of it: no `/*`, no `~`, no `%(prefix)`, no settings from the environment.

use std::env;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::ptr;

use git2::Config;

/// Settings in the environment are counted; more than this many are not looked at.
const MOST_SETTINGS: usize = 10_000;
/// Bytes of what a machine knows of a user.
const LONGEST_USER: usize = 64 * 1024;

/// What git looks at before it opens a repository.
#[derive(Debug)]
pub struct Found {
    /// The folder that holds `.git`; `None` where the repository was found from inside, or is bare.
    worktree: Option<PathBuf>,
    /// `.git`, where it is a file.
    gitfile: Option<PathBuf>,
    /// The git directory of the worktree.
    git_folder: PathBuf,
}

impl Found {
    /// How the git directory `git_folder` is found from `cwd`.
    pub fn from(cwd: &Path, git_folder: &Path) -> Found {
        let same = |path: &Path| path.canonicalize().ok() == git_folder.canonicalize().ok();
        let start = cwd.canonicalize().unwrap_or_else(|_| cwd.to_path_buf());
        for folder in start.ancestors() {
            let dot_git = folder.join(".git");
            if dot_git.is_file() || same(&dot_git) {
                let is_file = dot_git.is_file();
                // Git looks at the path as it found it: a link counts as whose it is.
                let git_folder = if is_file { git_folder } else { &dot_git }.to_path_buf();
                return Found {
                    worktree: Some(folder.to_path_buf()),
                    gitfile: Some(dot_git).filter(|_| is_file),
                    git_folder,
                };
            }
            if same(folder) {
                break;
            }
        }
        Found {
            worktree: None,
            gitfile: None,
            git_folder: git_folder.to_path_buf(),
        }
    }

    /// The path that a `safe.directory` has to name.
    pub fn place(&self) -> PathBuf {
        let place = self.worktree.as_ref().unwrap_or(&self.git_folder);
        place.canonicalize().unwrap_or_else(|_| place.clone())
    }

    /// Whether git would go on: everything is ours, or the person has said that it is safe.
    pub fn is_safe(&self, cwd: &Path) -> bool {
        let mut looked_at = self.gitfile.iter().chain(&self.worktree).chain([&self.git_folder]);
        looked_at.all(|path| is_ours(path)) || is_listed(&self.place(), cwd)
    }
}

/// Root also owns what the user does who called `sudo`.
fn is_ours(path: &Path) -> bool {
    let Ok(owner) = fs::symlink_metadata(path).map(|found| found.uid()) else {
        return false;
    };
    // SAFETY: it only asks.
    let user = unsafe { libc::geteuid() };
    let by_sudo = || env::var("SUDO_UID").ok().and_then(|uid| uid.parse::<u32>().ok());
    owner == user || user == 0 && by_sudo() == Some(owner)
}

fn is_listed(place: &Path, cwd: &Path) -> bool {
    let mut safe = false;
    for value in protected_values() {
        safe = match value.as_bytes() {
            b"" => false,
            b"*" => true,
            _ => safe || names(&value, place, cwd),
        };
    }
    safe
}

/// Whether one value of the setting names the place, or with `/*` a folder above it.
fn names(value: &OsStr, place: &Path, cwd: &Path) -> bool {
    let bytes = value.as_bytes();
    if bytes == b"." {
        return cwd.canonicalize().is_ok_and(|cwd| cwd == place);
    }
    let Some(path) = expanded(value) else { return false };
    if !path.is_absolute() {
        return false;
    }
    match path.as_os_str().as_bytes().strip_suffix(b"/*") {
        Some(folder) => {
            let folder = if folder.is_empty() { b"/" } else { folder };
            let folder = Path::new(OsStr::from_bytes(folder)).canonicalize();
            folder.is_ok_and(|folder| place != folder && place.starts_with(folder))
        }
        None => path.canonicalize().is_ok_and(|path| path == place),
    }
}

/// The path that a setting means, by git's rule for
/// [paths in settings](https://git-scm.com/docs/git-config#Documentation/git-config.txt-pathname): `~/`, `~name/` and
/// `%(prefix)/` stand for folders.
fn expanded(value: &OsStr) -> Option<PathBuf> {
    let bytes = value.as_bytes();
    if let Some(rest) = bytes.strip_prefix(b"%(prefix)/") {
        return Some(prefix_of_git()?.join(OsStr::from_bytes(rest)));
    }
    let Some(rest) = bytes.strip_prefix(b"~") else {
        return Some(PathBuf::from(value));
    };
    let end = rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len());
    let (name, rest) = (&rest[..end], rest.get(end + 1..));
    let home = match name {
        b"" => PathBuf::from(env::var_os("HOME")?),
        name => home_of(&CString::new(name).ok()?)?,
    };
    Some(rest.map_or(home.clone(), |rest| home.join(OsStr::from_bytes(rest))))
}

/// Where git is installed: the folder above the `bin` in which it is found. It is not started.
fn prefix_of_git() -> Option<PathBuf> {
    let git = env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join("git"))
        .find(|git| git.is_file())?;
    let folder = git.canonicalize().ok()?.parent()?.to_path_buf();
    let above = |end: &str| {
        folder
            .ends_with(end)
            .then(|| folder.ancestors().nth(Path::new(end).iter().count()))
    };
    above("libexec/git-core")
        .or_else(|| above("bin"))?
        .map(Path::to_path_buf)
}

/// The home of a user of this machine.
fn home_of(name: &CStr) -> Option<PathBuf> {
    // SAFETY: numbers and pointers, for which zero is none.
    let mut user: libc::passwd = unsafe { std::mem::zeroed() };
    let mut texts = vec![0; LONGEST_USER];
    let mut found = ptr::null_mut();
    // SAFETY: all places are ours and outlive the call, and `texts` is as long as is said.
    let status = unsafe { libc::getpwnam_r(name.as_ptr(), &mut user, texts.as_mut_ptr(), texts.len(), &mut found) };
    if status != 0 || found.is_null() || user.pw_dir.is_null() {
        return None;
    }
    // SAFETY: it was found: its home is a text in `texts`.
    let home = unsafe { CStr::from_ptr(user.pw_dir) };
    Some(PathBuf::from(OsStr::from_bytes(home.to_bytes())))
}

/// The values of `safe.directory` in the order in which git reads them: of the system, of the person, of the
/// environment. A repository cannot vouch for itself.
fn protected_values() -> Vec<OsString> {
    let mut files = Vec::new();
    if !env::var("GIT_CONFIG_NOSYSTEM").is_ok_and(|value| is_true(&value)) {
        files.extend(match env::var_os("GIT_CONFIG_SYSTEM") {
            Some(path) => Some(PathBuf::from(path)),
            None => Config::find_system().ok(),
        });
    }
    match env::var_os("GIT_CONFIG_GLOBAL") {
        Some(path) => files.push(path.into()),
        None => {
            let home = env::var_os("HOME").map(PathBuf::from);
            let xdg = env::var_os("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty());
            let xdg = xdg
                .map(PathBuf::from)
                .or(home.as_ref().map(|home| home.join(".config")));
            files.extend(xdg.map(|folder| folder.join("git/config")));
            files.extend(home.map(|home| home.join(".gitconfig")));
        }
    }
    let mut values: Vec<OsString> = files.iter().flat_map(|file| values_of(file)).collect();
    values.extend(counted_settings());
    values.extend(settings_of_command(
        &env::var_os("GIT_CONFIG_PARAMETERS").unwrap_or_default(),
    ));
    values
}

/// Git's words for yes; a number counts where it is not zero.
fn is_true(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    matches!(value.as_str(), "true" | "yes" | "on") || value.parse::<i64>().is_ok_and(|number| number != 0)
}

fn values_of(file: &Path) -> Vec<OsString> {
    let read = || -> Result<Vec<OsString>, git2::Error> {
        let config = Config::open(file)?;
        let mut values = Vec::new();
        config.multivar("safe.directory", None)?.for_each(|entry| {
            let value = if entry.has_value() { entry.value_bytes() } else { b"" };
            values.push(OsString::from_vec(value.to_vec()));
        })?;
        Ok(values)
    };
    read().unwrap_or_default()
}

fn is_the_setting(key: &[u8]) -> bool {
    key.eq_ignore_ascii_case(b"safe.directory")
}

fn counted_settings() -> Vec<OsString> {
    let count = env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok());
    let count: usize = count.unwrap_or(0).min(MOST_SETTINGS);
    (0..count)
        .filter(|at| env::var_os(format!("GIT_CONFIG_KEY_{at}")).is_some_and(|key| is_the_setting(key.as_bytes())))
        .filter_map(|at| env::var_os(format!("GIT_CONFIG_VALUE_{at}")))
        .collect()
}

/// What `git -c` hands to what it starts: words in single quotes, as `'key=value'` or as `'key'='value'`.
fn settings_of_command(parameters: &OsStr) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word = Vec::new();
    let (mut quoted, mut escaped) = (false, false);
    for &byte in parameters.as_bytes() {
        match byte {
            _ if escaped => {
                word.push(byte);
                escaped = false;
            }
            b'\'' => quoted = !quoted,
            b'\\' if !quoted => escaped = true,
            b' ' if !quoted => words.push(std::mem::take(&mut word)),
            _ => word.push(byte),
        }
    }
    words.push(word);
    let setting = |word: Vec<u8>| {
        let at = word.iter().position(|&byte| byte == b'=').unwrap_or(word.len());
        let value = word.get(at + 1..).unwrap_or_default();
        is_the_setting(&word[..at]).then(|| OsString::from_vec(value.to_vec()))
    };
    words.into_iter().filter_map(setting).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_command_in_both_spellings() {
        let parameters = r"'user.name=x' 'safe.directory'='/a b' 'Safe.Directory=/it'\''s' 'safe.directory'";
        let found = settings_of_command(OsStr::new(parameters));
        assert_eq!(found, ["/a b", "/it's", ""]);
    }
}
