use thiserror::Error;

/// The stable code of an error, as `error.code` in JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// A request is of the wrong type or shape, or holds a value that can never be right.
    InvalidArgument,
    /// There is no git repository at `cwd` or above it.
    NotARepository,
    /// The repository belongs to another user and git's `safe.directory` does not list it.
    NotOwned,
    /// The repository uses a format that cannot be read.
    UnsupportedRepository,
    /// The repository is there but cannot be read (permissions, damage).
    RepositoryUnreadable,
    /// A snapshot does not exist (any more), or is not a commit or tree.
    SnapshotMissing,
    /// The path asked about did not change in the turn.
    PathNotInTurn,
    /// What changed is more than is looked at.
    TooLarge,
    /// The call was aborted.
    Aborted,
    /// The time that the caller gave was over before it was known what changed.
    TimedOut,
    /// A fault of this library; the process and later calls are unharmed.
    Internal,
}

impl ErrorCode {
    /// The code in UPPER_SNAKE case.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorCode::InvalidArgument => "INVALID_ARGUMENT",
            ErrorCode::NotARepository => "NOT_A_REPOSITORY",
            ErrorCode::NotOwned => "NOT_OWNED",
            ErrorCode::UnsupportedRepository => "UNSUPPORTED_REPOSITORY",
            ErrorCode::RepositoryUnreadable => "REPOSITORY_UNREADABLE",
            ErrorCode::SnapshotMissing => "SNAPSHOT_MISSING",
            ErrorCode::PathNotInTurn => "PATH_NOT_IN_TURN",
            ErrorCode::TooLarge => "TOO_LARGE",
            ErrorCode::Aborted => "ABORTED",
            ErrorCode::TimedOut => "TIMED_OUT",
            ErrorCode::Internal => "INTERNAL",
        }
    }
}

/// Why a call gives no result. Trouble with attribution is never one of these: it shows
/// everything and says why in the result.
#[derive(Clone, Debug, Error)]
#[error("{message}")]
pub struct Error {
    /// What kind of trouble it is.
    pub code: ErrorCode,
    /// What happened, in words for a developer.
    pub message: String,
}

impl Error {
    /// An error of the given kind.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Error {
        Error {
            code,
            message: message.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_typings_name_every_code() {
        let typings = include_str!("../node/facade.d.ts");
        let codes = [
            ErrorCode::InvalidArgument,
            ErrorCode::NotARepository,
            ErrorCode::NotOwned,
            ErrorCode::UnsupportedRepository,
            ErrorCode::RepositoryUnreadable,
            ErrorCode::SnapshotMissing,
            ErrorCode::PathNotInTurn,
            ErrorCode::TooLarge,
            ErrorCode::Aborted,
            ErrorCode::TimedOut,
            ErrorCode::Internal,
        ];
        for code in codes {
            assert!(typings.contains(&format!("  | '{}'\n", code.as_str())), "{code:?}");
        }
    }
}
