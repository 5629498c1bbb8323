//! Work off the event loop: cancellable, and a panic in it is a rejection.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use napi::bindgen_prelude::{AsyncTask, External, JsObjectValue, JsValue, ToNapiValue, TypeName};
use napi::{Env, Task};
use napi_derive::napi;

use crate::model::{Error, ErrorCode};

/// Stops native work. The façade makes one for each call; callers have an `AbortSignal`.
#[derive(Default)]
pub struct CancelToken {
    cancelled: Arc<AtomicBool>,
}

/// A token of its own.
#[napi(skip_typescript)]
pub fn new_cancel_token() -> External<CancelToken> {
    External::new(CancelToken::default())
}

/// Makes the work stop at its next read.
#[napi(skip_typescript)]
pub fn cancel(token: &External<CancelToken>) {
    token.cancelled.store(true, Ordering::Relaxed);
}

type Job<T> = Box<dyn FnOnce(Arc<AtomicBool>) -> Result<T, Error> + Send>;

/// One call.
pub struct Work<T> {
    cancelled: Arc<AtomicBool>,
    job: Option<Job<T>>,
    failure: Option<Error>,
}

impl<T: Send + ToNapiValue + TypeName + 'static> Work<T> {
    /// Puts a call on libuv's pool.
    pub fn start(
        token: &CancelToken,
        job: impl FnOnce(Arc<AtomicBool>) -> Result<T, Error> + Send + 'static,
    ) -> AsyncTask<Work<T>> {
        AsyncTask::new(Work {
            cancelled: token.cancelled.clone(),
            job: Some(Box::new(job)),
            failure: None,
        })
    }
}

impl<T: Send + ToNapiValue + TypeName + 'static> Task for Work<T> {
    type Output = T;
    type JsValue = T;

    fn compute(&mut self) -> napi::Result<T> {
        let job = self
            .job
            .take()
            .ok_or_else(|| napi::Error::from_reason("computed twice"))?;
        let cancelled = self.cancelled.clone();
        let unless_cancelled = move || {
            if cancelled.load(Ordering::Relaxed) {
                return Err(Error::new(ErrorCode::Aborted, "aborted"));
            }
            job(cancelled)
        };
        caught(unless_cancelled).map_err(|error| {
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
