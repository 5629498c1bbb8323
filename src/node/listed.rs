//! Long lists on their way to JavaScript. Objects made one property at a time keep the event loop waiting; the engine's
//! own reader of JSON makes the same ones in a fraction of that, of a text that was written off the loop.

use std::ffi::CStr;
use std::ptr;

use napi::bindgen_prelude::{ToNapiValue, TypeName, check_status};
use napi::{Error, Result, ValueType, sys};
use serde::Serialize;

/// A list of plain objects.
pub enum Listed<T> {
    /// As JSON.
    Text(String),
    /// With values that JSON does not have.
    Objects(Vec<T>),
}

impl<T: Serialize> Listed<T> {
    /// Objects that are as plain as JSON.
    pub fn plain(items: Vec<T>) -> Listed<T> {
        match serde_json::to_string(&items) {
            Ok(text) => Listed::Text(text),
            Err(_) => Listed::Objects(items),
        }
    }
}

impl<T> TypeName for Listed<T> {
    fn type_name() -> &'static str {
        "Array"
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl<T: ToNapiValue> ToNapiValue for Listed<T> {
    unsafe fn to_napi_value(env: sys::napi_env, list: Listed<T>) -> Result<sys::napi_value> {
        match list {
            // SAFETY: the environment is the caller's word.
            Listed::Text(text) => unsafe { parsed(env, &text) },
            // SAFETY: as above.
            Listed::Objects(items) => unsafe { Vec::to_napi_value(env, items) },
        }
    }
}

/// What `JSON.parse` makes of a text.
///
/// # Safety
/// In an environment of the calling thread.
unsafe fn parsed(env: sys::napi_env, text: &str) -> Result<sys::napi_value> {
    let mut global = ptr::null_mut();
    // SAFETY: the environment is the caller's word, and the place is ours; so in all that follows.
    check_status!(unsafe { sys::napi_get_global(env, &mut global) })?;
    let named = |object, name: &CStr| -> Result<sys::napi_value> {
        let mut value = ptr::null_mut();
        // SAFETY: as above.
        check_status!(unsafe { sys::napi_get_named_property(env, object, name.as_ptr(), &mut value) })?;
        Ok(value)
    };
    let json = named(global, c"JSON")?;
    let parse = named(json, c"parse")?;
    let length = isize::try_from(text.len()).map_err(|_| Error::from_reason("the list is too long"))?;
    let mut argument = ptr::null_mut();
    // SAFETY: as above; the text is copied.
    check_status!(unsafe { sys::napi_create_string_utf8(env, text.as_ptr().cast(), length, &mut argument) })?;
    let mut list = ptr::null_mut();
    // SAFETY: as above.
    check_status!(unsafe { sys::napi_call_function(env, json, parse, 1, &argument, &mut list) })?;
    Ok(list)
}
