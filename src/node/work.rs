//! Work off the event loop: cancellable, and a panic in it is a rejection.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use napi::bindgen_prelude::{AsyncTask, External, JsObjectValue, JsValue, ToNapiValue, TypeName};
use napi::{Env, Task};
use napi_derive::napi;

use crate::git::Stop;
use crate::model::{Error, ErrorCode};
use crate::turn::unreadable;

/// Stops native work. The façade makes one for each call; callers have an `AbortSignal` and `timeoutMs`.
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
    stop: Stop,
    /// Held from when it is taken until the work begins: a thread of JavaScript that ends takes its tokens with it.
    place: Mutex<Option<Place>>,
}

impl CancelToken {
    fn place(&self) -> MutexGuard<'_, Option<Place>> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A token of its own, with the milliseconds that the call may take from now on.
#[napi(skip_typescript)]
pub fn new_cancel_token(timeout_ms: Option<f64>) -> External<CancelToken> {
    let cancelled = Arc::<AtomicBool>::default();
    let timeout = timeout_ms.and_then(|given| Duration::try_from_secs_f64(given / 1000.0).ok());
    let stop = Stop::new(cancelled.clone(), timeout);
    External::new(CancelToken {
        cancelled,
        stop,
        place: Mutex::default(),
    })
}

/// Makes the work stop at its next read.
#[napi(skip_typescript)]
pub fn cancel(token: &External<CancelToken>) {
    token.cancelled.store(true, Ordering::Relaxed);
}

/// Calls that are at work in the whole process, whichever thread of JavaScript asked: libuv's pool serves them all, and
/// `fs` and `dns` too.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// Takes one of so many places for a call, unless all are taken. Its work fills the place, and leaves it at its end.
#[napi(skip_typescript)]
pub fn take_place(token: &External<CancelToken>, places: u32) -> bool {
    let taken = AT_WORK.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |taken| {
        (taken < places as usize).then_some(taken + 1)
    });
    if taken.is_ok() {
        *token.place() = Some(Place);
    }
    taken.is_ok()
}

/// Gives back a place that no work came to fill.
#[napi(skip_typescript)]
pub fn leave_place(token: &External<CancelToken>) {
    token.place().take();
}

/// A place that was taken; left when it is dropped, wherever that is.
struct Place;

impl Drop for Place {
    fn drop(&mut self) {
        AT_WORK.fetch_sub(1, Ordering::SeqCst);
    }
}

type Job<T> = Box<dyn FnOnce(Stop) -> Result<T, Error> + Send>;

/// One call.
pub struct Work<T> {
    stop: Stop,
    job: Option<(Job<T>, Option<Place>)>,
    failure: Option<Error>,
}

impl<T: Send + ToNapiValue + TypeName + 'static> Work<T> {
    /// Puts a call on libuv's pool.
    pub fn start(
        token: &CancelToken,
        job: impl FnOnce(Stop) -> Result<T, Error> + Send + 'static,
    ) -> AsyncTask<Work<T>> {
        AsyncTask::new(Work {
            stop: token.stop.clone(),
            job: Some((Box::new(job), token.place().take())),
            failure: None,
        })
    }
}

impl<T: Send + ToNapiValue + TypeName + 'static> Task for Work<T> {
    type Output = T;
    type JsValue = T;

    fn compute(&mut self) -> napi::Result<T> {
        let (job, _place) = self
            .job
            .take()
            .ok_or_else(|| napi::Error::from_reason("computed twice"))?;
        let stop = self.stop.clone();
        let unless_late = move || {
            stop.check().map_err(|error| unreadable(&error))?;
            job(stop)
        };
        caught(unless_late).map_err(|error| {
            let reason = napi::Error::from_reason(error.message.clone());
            self.failure = Some(error);
            reason
        })
    }

    fn resolve(&mut self, _env: Env, output: T) -> napi::Result<T> {
        Ok(output)
    }

    fn reject(&mut self, env: Env, error: napi::Error) -> napi::Result<T> {
        let Some(failure) = self.failure.take() else {
            return Err(error);
        };
        let mut object = env.create_error(error)?;
        object.set_named_property("code", failure.code.as_str())?;
        Err(napi::Error::from(object.to_unknown()))
    }
}

/// Unwinding must not leave the task: libuv would call back into code that is half done, or abort the process.
fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let said = said
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(Error::new(
            ErrorCode::Internal,
            format!("a fault in turn-attribution: {said}"),
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let failed = caught::<()>(|| panic!("at {}", 7)).unwrap_err();
        assert_eq!(failed.code, ErrorCode::Internal);
        assert!(failed.message.ends_with("at 7"), "{}", failed.message);
        assert_eq!(caught(|| Ok(1)).unwrap(), 1);
    }
}
