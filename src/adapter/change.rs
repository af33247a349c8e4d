//! Guards by change over the wire, both ends.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::connection::Outcome;
use super::members::{At, Members};
use super::process::Process;
use super::protocol::{METHOD_NOT_FOUND, RAISED, RpcError};
use crate::candidate::{ChangeGuard, Compactor, Error};
use crate::change::{ChangeEvent, GuardName, GuardedAttempt, GuardedOutcome};

/// The parameters of `change`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ChangeParams {
    guard: GuardName,
    event: ChangeEvent,
}

/// The parameters of `attempt`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AttemptParams {
    guard: GuardName,
    outcome: GuardedOutcome,
    #[serde(default)]
    during: Vec<ChangeEvent>,
    #[serde(default)]
    monotonic_s: f64,
}

/// Over the wire: `change` and `attempt`. An error that the candidate answers is [`Error::raised`].
impl ChangeGuard for Process {
    fn change(&mut self, guard: GuardName, event: ChangeEvent) -> Result<(), Error> {
        asked(self, "change", &ChangeParams { guard, event }).map(drop)
    }

    fn attempt(&mut self, guard: GuardName, attempt: &GuardedAttempt, monotonic_s: f64) -> Result<bool, Error> {
        let GuardedAttempt { outcome, during } = attempt.clone();
        let result = asked(self, "attempt", &AttemptParams { guard, outcome, during, monotonic_s })?;
        let at = At::root("result");
        let ran = Members::of(result, &at).and_then(|mut members| members.need::<bool>("ran"));
        ran.map_err(|fault| self.faulty("attempt", &fault))
    }
}

fn asked(child: &mut Process, method: &str, params: &impl Serialize) -> Result<Value, Error> {
    child.request(method, params)?.map_err(|error| Error::raised(error.message))
}

/// Answers `change` for a candidate of this process.
pub(super) fn serve_change(candidate: &mut dyn Compactor, params: &ChangeParams) -> Outcome {
    let guard = candidate.guard().ok_or_else(|| no_guard("change"))?;
    guard.change(params.guard, params.event).map(|()| json!({})).map_err(raised)
}

/// Answers `attempt` for a candidate of this process.
pub(super) fn serve_attempt(candidate: &mut dyn Compactor, params: AttemptParams) -> Outcome {
    let guard = candidate.guard().ok_or_else(|| no_guard("attempt"))?;
    let attempt = GuardedAttempt::new(params.outcome, params.during);
    let ran = guard.attempt(params.guard, &attempt, params.monotonic_s).map_err(raised)?;
    Ok(json!({"ran": ran}))
}

fn no_guard(method: &str) -> RpcError {
    RpcError::new(METHOD_NOT_FOUND, format!("there is no method {method:?}: the candidate guards nothing"))
}

fn raised(error: Error) -> RpcError {
    RpcError::new(RAISED, error.to_string())
}
