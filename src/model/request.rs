use super::{Oid, Pin};

/// A checkpoint as the host recorded it. `None` in the outer option is "not recorded".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// The full name of the ref that holds the snapshot.
    pub ref_name: Option<String>,
    /// The snapshot itself; it counts more than the ref.
    pub oid: Option<Oid>,
    /// The head; `Some(None)` is unborn, a fact.
    pub head: Option<Option<Oid>>,
    /// The branch; `Some(None)` is detached, a fact.
    pub branch: Option<Option<String>>,
    /// The position in the log of HEAD, and the state of an operation in progress.
    pub pin: Option<Pin>,
    /// Whether a pin was given that cannot be read.
    pub pin_garbled: bool,
    /// The start of the turn that begins here, in milliseconds since the epoch.
    pub turn_started_at: Option<f64>,
}

/// How much is to be said of the demoted files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DemotedDetail {
    /// Their number.
    #[default]
    Count,
    /// Their number, paths and reasons.
    Paths,
    /// All that, and their lines.
    Lines,
}

/// A turn, or a range of turns.
#[derive(Clone, Debug)]
pub struct TurnRequest {
    /// Where it begins.
    pub from: Checkpoint,
    /// The checkpoints between, in order, where it is a range of turns.
    pub between: Vec<Checkpoint>,
    /// Where it ends.
    pub to: Checkpoint,
    /// What to say of demoted files.
    pub demoted: DemotedDetail,
    /// The most files to name one by one.
    pub max_files: usize,
}

impl Default for TurnRequest {
    fn default() -> TurnRequest {
        TurnRequest {
            from: Checkpoint::default(),
            between: Vec::new(),
            to: Checkpoint::default(),
            demoted: DemotedDetail::default(),
            max_files: 100_000,
        }
    }
}
