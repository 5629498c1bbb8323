//! When a call has to end, cancelled or out of time; also where it waits for a library that cannot be stopped.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::model::{Phase, SourceError};

/// How soon a stop takes effect on work that is waited for.
const LOOKED_AT_EVERY: Duration = Duration::from_millis(5);
/// Threads that may still be at work for calls that ended.
const MOST_LEFT_ALONE: usize = 4;

static LEFT_ALONE: AtomicUsize = AtomicUsize::new(0);

/// Told of a call from outside, and shared with whatever works for it.
#[derive(Clone, Debug)]
pub struct Stop {
    cancelled: Arc<AtomicBool>,
    began: Instant,
    timeout: Option<Duration>,
    phase: Cell<Phase>,
}

impl Stop {
    /// A call that begins now. A tenth of the time is kept for counting lines and printing.
    pub fn new(cancelled: Arc<AtomicBool>, timeout: Option<Duration>) -> Stop {
        Stop {
            cancelled,
            began: Instant::now(),
            timeout,
            phase: Cell::new(Phase::TreeDelta),
        }
    }

    /// A call that ends by itself.
    pub fn never() -> Stop {
        Stop::new(Arc::default(), None)
    }

    /// From now on the call does something else.
    pub fn enter(&self, phase: Phase) {
        self.phase.set(phase);
    }

    /// An error once the call was cancelled, or the time for what it is doing is over.
    pub fn check(&self) -> Result<(), SourceError> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(SourceError::Aborted);
        }
        if self.allowed().is_some_and(|allowed| self.began.elapsed() >= allowed) {
            Err(SourceError::TimedOut)
        } else {
            Ok(())
        }
    }

    /// One for work that may take one part in so many of the time that is left.
    pub fn with_part_of_the_time(&self, parts: u32) -> Stop {
        let elapsed = self.began.elapsed();
        let part = |allowed: Duration| elapsed + allowed.saturating_sub(elapsed) / parts;
        Stop {
            timeout: self.allowed().map(part),
            phase: Cell::new(Phase::Presentation),
            ..self.clone()
        }
    }

    fn allowed(&self) -> Option<Duration> {
        let timeout = self.timeout?;
        Some(match self.phase.get() {
            Phase::Attribution => timeout - timeout / 10,
            Phase::TreeDelta | Phase::Presentation => timeout,
        })
    }

    /// Has work done that cannot be stopped, on a thread of its own; once the call has to end the thread is left alone
    /// to come to its end. While too many are left alone, others wait until one has ended.
    pub fn wait_for<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, SourceError> {
        while LEFT_ALONE.load(Ordering::SeqCst) >= MOST_LEFT_ALONE {
            self.check()?;
            thread::sleep(LOOKED_AT_EVERY);
        }
        let (sender, receiver) = sync_channel(1);
        let progress = Arc::new(AtomicU8::new(AT_WORK));
        let worker = Worker(progress.clone());
        let worker = move || {
            let done = work();
            drop(worker);
            // Nobody may be there to take it.
            let _ = sender.send(done);
        };
        let thread = thread::Builder::new().name("turn-attribution".into()).spawn(worker);
        thread.map_err(|error| SourceError::Repository(error.to_string()))?;
        loop {
            match receiver.recv_timeout(LOOKED_AT_EVERY) {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(SourceError::Repository("a fault in a thread".into()));
                }
                Err(RecvTimeoutError::Timeout) => self.check().inspect_err(|_| leave_alone(&progress))?,
            }
        }
    }
}

const AT_WORK: u8 = 0;
const LEFT: u8 = 1;
const DONE: u8 = 2;

fn leave_alone(progress: &AtomicU8) {
    LEFT_ALONE.fetch_add(1, Ordering::SeqCst);
    if progress
        .compare_exchange(AT_WORK, LEFT, Ordering::SeqCst, Ordering::SeqCst)
        .is_err()
    {
        LEFT_ALONE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Tells that the work has ended, also by a panic.
struct Worker(Arc<AtomicU8>);

impl Drop for Worker {
    fn drop(&mut self) {
        if self.0.swap(DONE, Ordering::SeqCst) == LEFT {
            LEFT_ALONE.fetch_sub(1, Ordering::SeqCst);
        }
    }
}
