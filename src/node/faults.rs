//! Plans the faults of the calls to come. Only in a build with the feature `fault-injection`.

use napi_derive::napi;
use serde::Deserialize;

use std::panic;
use std::sync::Once;

use crate::git::faults::{Fault, FaultPlan, PANIC, Read, ReadKind, plan_faults};

#[derive(Deserialize)]
struct PlanArguments {
    fault: String,
    kind: Option<String>,
    at: usize,
    lasting: bool,
}

/// Takes a plan as JSON, `null` for none, and gives the reads of the last call, one a line: kind, object or `-`, and
/// whether it failed.
#[napi(skip_typescript)]
pub fn plan_reads_to_fail(plan: String) -> napi::Result<String> {
    keep_quiet();
    let invalid = |what: String| napi::Error::from_reason(format!("{what}: no plan of faults"));
    let arguments: Option<PlanArguments> = serde_json::from_str(&plan).map_err(|error| invalid(error.to_string()))?;
    let to_plan = |arguments: PlanArguments| {
        let fault = Fault::ALL.into_iter().find(|fault| fault.as_str() == arguments.fault)?;
        let kind = match arguments.kind {
            Some(name) => Some(ReadKind::ALL.into_iter().find(|kind| kind.as_str() == name)?),
            None => None,
        };
        Some(FaultPlan {
            fault,
            kind,
            at: arguments.at,
            lasting: arguments.lasting,
        })
    };
    let plan = match arguments {
        Some(arguments) => Some(to_plan(arguments).ok_or_else(|| invalid(plan))?),
        None => None,
    };
    Ok(plan_faults(plan).iter().map(line).collect())
}

/// Panics that were planned are not worth a word on standard error.
fn keep_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |told| {
            if told.payload().downcast_ref::<&str>() != Some(&PANIC) {
                tell(told);
            }
        }));
    });
}

fn line(read: &Read) -> String {
    let object = read.oid.map_or("-".into(), |oid| oid.to_string());
    format!(
        "{} {object} {}\n",
        read.kind.as_str(),
        if read.failed { "failed" } else { "read" }
    )
}
