//! Protocol version 1: one line of JSON-RPC 2.0, from either side, and the parameters of each method.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::members::{At, Members};
use super::surrogate;
use crate::contract::FitUnit;
use crate::field::Block;
use crate::history::{Pressure, StepKind};
use crate::message::Message;
use crate::unit::Limit;

/// The version of the protocol that is spoken.
pub const VERSION: u64 = 1;

/// The greatest length of a line, in bytes, its end not counted: 64 MiB.
pub const LINE_MAX: usize = 64 << 20;

/// The most values that a line may have, members and items of every depth together: 500,000. A value that is two bytes on the
/// wire can be 700 in memory.
pub const VALUES_MAX: usize = 500_000;

/// JSON-RPC's code for a method that does not exist.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
/// JSON-RPC's code for parameters that cannot be read.
pub(super) const INVALID_PARAMS: i64 = -32602;
/// The code of an error that the candidate or the summariser raised.
pub(super) const RAISED: i64 = -32000;

/// One line of the protocol.
///
/// ```
/// use plimsoll::adapter::Envelope;
///
/// let line = br#"{"jsonrpc":"2.0","id":3,"result":{"view":[]}}"#;
/// assert!(matches!(Envelope::decode(line), Ok(Envelope::Reply { outcome: Ok(_), .. })));
/// let fault = Envelope::decode(br#"{"jsonrpc":"2.0","id":3}"#).unwrap_err();
/// assert_eq!(fault.to_string(), "the message has no `method`, no `result` and no `error`");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Envelope {
    /// Something is asked.
    Request {
        /// A number or a string; the reply repeats it.
        id: Value,
        /// What is asked.
        method: String,
        /// By name; absent ones are an empty object.
        params: Map<String, Value>,
    },
    /// Something is answered.
    Reply {
        /// The id of the request; null where the other side could not read it.
        id: Value,
        /// The result, or an error.
        outcome: Result<Value, RpcError>,
    },
}

impl Envelope {
    /// Reads one line, with or without its end. Unknown members are ignored. A lone surrogate escape becomes U+FFFD in
    /// texts that are judged (`content`, `reasoning`, `text`, `instructions`) and is a fault elsewhere.
    ///
    /// It takes at most 4 bytes for each byte of the line and 800 for each of its values, of which there may be
    /// [`VALUES_MAX`]: less than 700 MB for any line of up to [`LINE_MAX`].
    ///
    /// # Errors
    ///
    /// In one sentence, what makes the line no message of the protocol, with the member's name.
    pub fn decode(line: &[u8]) -> Result<Self, Fault> {
        if line.len() > LINE_MAX {
            return Err(Fault::new("the line is longer than 64 MiB"));
        }
        let Value::Object(object) = parse(line)? else {
            return Err(Fault::new("the line is JSON, but not an object"));
        };
        let at = At::root("");
        let mut members = Members::new(object, &at);
        match members.take::<String>("jsonrpc")? {
            Some(version) if version == "2.0" => {}
            Some(_) => return Err(Fault::new("`jsonrpc` is not \"2.0\"")),
            None => return Err(Fault::new("`jsonrpc` is missing: each message says \"2.0\"")),
        }
        let id = members.value("id");
        if let Some(method) = members.take::<String>("method")? {
            let id = id.ok_or_else(|| Fault::new("`id` is missing: notifications are not part of the protocol"))?;
            if !id.is_number() && !id.is_string() {
                return Err(Fault::new("`id` is neither a number nor a string"));
            }
            let params = members.take("params")?.unwrap_or_default();
            return Ok(Self::Request { id, method, params });
        }
        let id = id.ok_or_else(|| Fault::new(id_is_missing(&members)))?;
        // Who writes both members always says null in one of them.
        let error = members.value("error").filter(|error| !error.is_null());
        let outcome = match (members.value("result"), error) {
            (Some(_), Some(_)) => return Err(Fault::new("the message has both `result` and `error`")),
            (None, None) => return Err(Fault::new("the message has no `method`, no `result` and no `error`")),
            (Some(result), None) => Ok(result),
            (None, Some(error)) => Err(RpcError::read(error)?),
        };
        Ok(Self::Reply { id, outcome })
    }

    /// Writes the line, its end included.
    #[must_use]
    pub fn encode(&self) -> String {
        let value = match self {
            Self::Request { id, method, params } => {
                json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            }
            Self::Reply { id, outcome: Ok(result) } => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Self::Reply { id, outcome: Err(error) } => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        };
        format!("{value}\n")
    }
}

/// An error as JSON-RPC carries it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RpcError {
    /// JSON-RPC's or the sender's number for it.
    pub code: i64,
    /// What happened.
    pub message: String,
    /// More about it; for a summariser's error an object with its `kind`.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl RpcError {
    /// An error without data.
    #[must_use]
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: Value::Null }
    }

    pub(super) fn read(value: Value) -> Result<Self, Fault> {
        let root = At::root("error");
        let mut members = Members::of(value, &root)?;
        let (code, message) = (members.need("code")?, members.need("message")?);
        Ok(Self { code, message, data: members.value("data").unwrap_or_default() })
    }
}

/// Why a line is no message of the protocol: one sentence fragment that names the member.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault(String);

impl Fault {
    pub(super) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

/// The parameters of a request that the harness makes.
pub(super) trait Params: Serialize {
    /// The conversation that it is about, if it is about one.
    fn conversation(&self) -> Option<String> {
        None
    }
}

impl Params for Value {
    fn conversation(&self) -> Option<String> {
        self.get("conversation").and_then(Self::as_str).map(str::to_owned)
    }
}

impl Params for AppendParams {
    fn conversation(&self) -> Option<String> {
        Some(self.conversation.clone())
    }
}

impl Params for StepParams {
    fn conversation(&self) -> Option<String> {
        Some(self.conversation.clone())
    }
}

impl Params for ViewParams {
    fn conversation(&self) -> Option<String> {
        Some(self.conversation.clone())
    }
}

impl Params for RewindParams {
    fn conversation(&self) -> Option<String> {
        Some(self.conversation.clone())
    }
}

impl Params for UsageParams {
    fn conversation(&self) -> Option<String> {
        Some(self.conversation.clone())
    }
}

impl Params for RestartParams {}

impl Params for AutoParams {}

/// The parameters of `append`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AppendParams {
    pub(super) conversation: String,
    pub(super) messages: Vec<Message>,
}

/// The parameters of `step`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StepParams {
    pub(super) conversation: String,
    pub(super) kind: StepKind,
    /// None: the candidate measures for itself.
    pub(super) pressure: Option<Pressure>,
    pub(super) wall_s: f64,
    pub(super) monotonic_s: f64,
}

/// The parameters of `view`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ViewParams {
    pub(super) conversation: String,
}

/// The parameters of `rewind`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RewindParams {
    pub(super) conversation: String,
    pub(super) to: String,
}

/// The parameters of `restart`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RestartParams {
    pub(super) wall_s: f64,
    pub(super) monotonic_s: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) without: Vec<String>,
}

/// The parameters of `usage`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct UsageParams {
    pub(super) conversation: String,
    pub(super) tokens: u64,
    pub(super) upto: String,
}

/// The parameters of `auto`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AutoParams {
    pub(super) on: bool,
}

/// The parameters of `reduce`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ReduceParams {
    pub(super) blocks: Vec<Block>,
    pub(super) limit: Limit,
}

/// The parameters of `fit`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FitParams {
    pub(super) messages: Vec<Message>,
    pub(super) limit: FitLimit,
}

/// A limit on messages.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FitLimit {
    pub(super) max: usize,
    pub(super) unit: FitUnit,
}

/// The parameters of `assemble`: of a conversation, or of messages.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AssembleParams {
    #[serde(default)]
    pub(super) conversation: Option<String>,
    #[serde(default)]
    pub(super) messages: Option<Vec<Message>>,
    pub(super) limit: Limit,
    #[serde(default)]
    pub(super) path: String,
}

/// The first `chars` characters of a raw line, control characters and invisible marks escaped.
pub(crate) fn excerpt(raw: &[u8], chars: usize) -> String {
    let text = String::from_utf8_lossy(&raw[..raw.len().min(chars * 4)]);
    let mut out: String = String::with_capacity(chars);
    for character in text.chars().take(chars) {
        escape_into(&mut out, character);
    }
    if raw.len() > chars * 4 || text.chars().nth(chars).is_some() {
        out.push_str(" [cut]");
    }
    out
}

/// Appends `character`, escaped where it would disturb a report.
pub(super) fn escape_into(out: &mut String, character: char) {
    let turns =
        matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    if character.is_control() || turns {
        out.extend(character.escape_default());
    } else {
        out.push(character);
    }
}

pub(super) fn parse(line: &[u8]) -> Result<Value, Fault> {
    let text = std::str::from_utf8(line)
        .map_err(|e| Fault::new(format!("the line is not UTF-8 after {} bytes", e.valid_up_to())))?;
    if has_too_many_values(line) {
        return Err(Fault::new(format!("the line has more than {VALUES_MAX} values")));
    }
    serde_json::from_str(text).or_else(|error| match surrogate::mark(text) {
        Some((marked, mark)) => match serde_json::from_str(&marked) {
            Ok(mut value) => surrogate::settle(&mut value, mark).map(|()| value),
            Err(_) => Err(not_json(&error)),
        },
        None => Err(not_json(&error)),
    })
}

/// Whether the line may have more than [`VALUES_MAX`] values.
pub(super) fn has_too_many_values(line: &[u8]) -> bool {
    line.len() > VALUES_MAX && values(line) > VALUES_MAX
}

/// How many values the line has, if it is JSON: where one can begin, an upper bound.
fn values(line: &[u8]) -> usize {
    let (mut found, mut inside, mut escaped) = (1, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            b',' | b'[' | b'{' if !inside => found += 1,
            _ => {}
        }
    }
    found
}

fn not_json(error: &serde_json::Error) -> Fault {
    Fault::new(format!(
        "the line is not JSON ({error}); standard output carries the protocol alone, standard error is free"
    ))
}

fn id_is_missing(members: &Members<'_>) -> &'static str {
    if members.has("result") || members.has("error") {
        "`id` is missing: a reply repeats the id of its request"
    } else {
        "the message has no `method`, no `result` and no `error`"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_survive_a_round_trip() {
        for line in [
            "{\"id\":1,\"jsonrpc\":\"2.0\",\"method\":\"step\",\"params\":{\"a\":1}}\n",
            "{\"id\":\"x\",\"jsonrpc\":\"2.0\",\"result\":null}\n",
            "{\"error\":{\"code\":-32000,\"message\":\"no\"},\"id\":7,\"jsonrpc\":\"2.0\"}\n",
        ] {
            assert_eq!(Envelope::decode(line.as_bytes()).unwrap().encode(), line);
        }
    }

    #[test]
    fn faults_name_the_member() {
        for (line, says) in [
            ("hello", "not JSON"),
            ("[1]", "not an object"),
            (r#"{"id":1,"result":{}}"#, "`jsonrpc` is missing"),
            (r#"{"jsonrpc":2,"id":1,"result":{}}"#, "`jsonrpc`: invalid type"),
            (r#"{"jsonrpc":"2.0","result":{}}"#, "`id` is missing"),
            (r#"{"jsonrpc":"2.0","method":"log"}"#, "notifications"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#, "both"),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":""}}"#, "`error.code`: invalid type"),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#, "`error.message` is missing"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[]}"#, "`params`: invalid type"),
            (r#"{"jsonrpc":"2.0","id":"\ud800","result":{}}"#, "`id` has a lone surrogate escape"),
        ] {
            let fault = Envelope::decode(line.as_bytes()).unwrap_err().to_string();
            assert!(fault.contains(says), "{line}: {fault}");
        }
        assert!(Envelope::decode(b"\xff").unwrap_err().to_string().contains("UTF-8"));
    }

    #[test]
    fn depth_is_a_fault_and_not_a_crash() {
        for (depth, says) in [(100_000, "recursion limit"), (1_000_000, "values")] {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}", "[".repeat(depth));
            let fault = Envelope::decode(line.as_bytes()).unwrap_err().to_string();
            assert!(fault.contains(says), "{fault}");
        }
    }

    #[test]
    fn excerpts_are_cut_and_escaped() {
        assert_eq!(excerpt(b"a\x1b[31m\tb", 300), "a\\u{1b}[31m\\tb");
        assert_eq!(excerpt("é".repeat(400).as_bytes(), 3), "ééé [cut]");
    }
}
