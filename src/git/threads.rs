use std::sync::OnceLock;
use std::thread;

const MOST_THREADS: usize = 4;

/// On how many threads a call works at most, its own among them: more than a few leave the host, and the agent, none.
pub fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS))
}
