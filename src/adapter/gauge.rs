//! The gauge over the wire, both ends.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::connection::Outcome;
use super::members::{At, Members};
use super::process::Process;
use super::protocol::{METHOD_NOT_FOUND, RAISED, RpcError};
use crate::candidate::{Compactor, Error, Gauge};
use crate::gauge::{GaugeSettings, Measured, Reported};
use crate::message::Message;

/// The parameters of `gauge`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct GaugeParams {
    messages: Vec<Message>,
    #[serde(default)]
    reported: Option<Reported>,
}

/// Over the wire: `gauge` and `configure_gauge`. An error that the candidate answers is [`Error::raised`].
impl Gauge for Process {
    fn measure(&mut self, messages: &[Message], reported: Option<&Reported>) -> Result<Measured, Error> {
        let params = GaugeParams { messages: messages.to_vec(), reported: reported.cloned() };
        let result = asked(self, "gauge", &params)?;
        let at = At::root("result");
        let read = Members::of(result, &at).and_then(|mut members| {
            if !members.has("tokens") {
                return Err(members.missing("tokens"));
            }
            let tokens = members.take::<Option<u64>>("tokens")?.flatten();
            Ok(Measured::new(members.need("pressure")?, tokens))
        });
        read.map_err(|fault| self.faulty("gauge", &fault))
    }

    fn configure(&mut self, settings: GaugeSettings) -> Result<GaugeSettings, Error> {
        let result = asked(self, "configure_gauge", &settings)?;
        let at = At::root("result");
        let read = Members::of(result, &at).and_then(|mut members| {
            Ok(GaugeSettings::new(members.need("trigger")?, members.need("target")?, members.need("limit")?))
        });
        read.map_err(|fault| self.faulty("configure_gauge", &fault))
    }
}

fn asked(child: &mut Process, method: &str, params: &impl Serialize) -> Result<Value, Error> {
    child.request(method, params)?.map_err(|error| Error::raised(error.message))
}

/// Answers `gauge` for a candidate of this process.
pub(super) fn serve_gauge(candidate: &mut dyn Compactor, params: &GaugeParams) -> Outcome {
    let gauge = candidate.gauge().ok_or_else(|| no_gauge("gauge"))?;
    gauge.measure(&params.messages, params.reported.as_ref()).map(|measured| json!(measured)).map_err(raised)
}

/// Answers `configure_gauge` for a candidate of this process.
pub(super) fn serve_configure(candidate: &mut dyn Compactor, settings: GaugeSettings) -> Outcome {
    let gauge = candidate.gauge().ok_or_else(|| no_gauge("configure_gauge"))?;
    gauge.configure(settings).map(|settings| json!(settings)).map_err(raised)
}

fn no_gauge(method: &str) -> RpcError {
    RpcError::new(METHOD_NOT_FOUND, format!("there is no method {method:?}: the candidate has no gauge"))
}

fn raised(error: Error) -> RpcError {
    RpcError::new(RAISED, error.to_string())
}
