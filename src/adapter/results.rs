//! What a candidate answers, method by method, and what it asks while a step is open.

use serde_json::Value;

use super::body::{self, Body};
use super::known::Item;
use super::members::{At, Members};
use super::protocol::{Fault, VERSION};
use crate::contract::Contract;
use crate::message::{Message, Role};
use crate::trace::Action;

/// The result of `hello`.
#[derive(Debug)]
pub(super) struct Hello {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) contract: Contract,
    pub(super) unknown: Vec<String>,
    pub(super) methods: Option<Vec<String>>,
    pub(super) batch: bool,
}

impl Hello {
    pub(super) fn read(result: Value) -> Result<Self, Fault> {
        let at = At::root("result");
        let mut members = Members::of(result, &at)?;
        let protocol: u64 = members.need("protocol")?;
        if protocol != VERSION {
            return Err(at
                .name("protocol")
                .fault(format_args!(" is {protocol}; the harness speaks version {VERSION}")));
        }
        let (name, version) = (members.need("name")?, members.need("version")?);
        let contract = members.value("contract").ok_or_else(|| members.missing("contract"))?;
        let unknown = Contract::unknown_members(&contract);
        let contract = Contract::from_value(contract).map_err(|e| at.name("contract").fault(format_args!(": {e}")))?;
        let (methods, batch) = (members.take("methods")?, members.take("batch")?.unwrap_or(false));
        Ok(Self { name, version, contract, unknown, methods, batch })
    }
}

// Each has a short way, straight from the text, and a long one, which says what is wrong.

/// The `extra` of `append`'s result.
pub(super) fn append_result(result: Body) -> Result<Vec<Message>, Fault> {
    body::extra(&result).map_or_else(|| read_append(result.value()?), Ok)
}

/// The result of `step`.
pub(super) fn step_result(result: Body) -> Result<StepResult, Fault> {
    body::step(&result).map_or_else(|| StepResult::read(result.value()?), Ok)
}

/// The view of `rewind`'s result; null is none.
pub(super) fn rewind_result(result: Body) -> Result<Option<Vec<Item>>, Fault> {
    body::rewound(&result).map_or_else(|| read_rewind(result.value()?), Ok)
}

/// The result of `view`. `logged`: whether the log is claimed.
pub(super) fn view_result(result: Body, logged: bool) -> Result<ViewResult, Fault> {
    body::view(&result, logged).map_or_else(|| ViewResult::read(result.value()?, logged), Ok)
}

/// The parameters of `summarize`.
pub(super) fn summarize_params(params: Body) -> Result<SummarizeParams, Fault> {
    body::asked(&params).map_or_else(
        || match params.value()? {
            Value::Object(members) => SummarizeParams::read(members),
            _ => Err(At::root("params").fault(" is no object")),
        },
        Ok,
    )
}

/// The `extra` of `append`'s result.
pub(super) fn read_append(result: Value) -> Result<Vec<Message>, Fault> {
    let at = At::root("result");
    Ok(Members::of(result, &at)?.list("extra", read_message)?.unwrap_or_default())
}

/// The result of `step`.
#[derive(Debug)]
pub(super) struct StepResult {
    pub(super) action: Action,
    pub(super) appended: Vec<Message>,
    pub(super) extra: Vec<Message>,
    pub(super) view: Option<Vec<Item>>,
}

impl StepResult {
    pub(super) fn read(result: Value) -> Result<Self, Fault> {
        let at = At::root("result");
        let mut members = Members::of(result, &at)?;
        let action = match members.value("action").ok_or_else(|| members.missing("action"))? {
            Value::Null => Action::Unreported,
            Value::String(word) => wire_action(&word).ok_or_else(|| {
                at.name("action").fault(format_args!(" is {word:?}: expected none, trim, summarize or null"))
            })?,
            _ => return Err(at.name("action").fault(": expected none, trim, summarize or null")),
        };
        let appended = members.list("appended", read_message)?.ok_or_else(|| members.missing("appended"))?;
        let extra = members.list("extra", read_message)?.unwrap_or_default();
        Ok(Self { action, appended, extra, view: read_view_or_null(&mut members)? })
    }
}

/// The view of `rewind`'s result; null is none.
pub(super) fn read_rewind(result: Value) -> Result<Option<Vec<Item>>, Fault> {
    let at = At::root("result");
    read_view_or_null(&mut Members::of(result, &at)?)
}

/// The result of `view`.
#[derive(Debug)]
pub(super) struct ViewResult {
    pub(super) view: Vec<Item>,
    pub(super) log: Option<Vec<Item>>,
}

impl ViewResult {
    /// `logged`: whether the log is claimed. Otherwise it is left unread.
    pub(super) fn read(result: Value, logged: bool) -> Result<Self, Fault> {
        let at = At::root("result");
        let mut members = Members::of(result, &at)?;
        let view = members.list("view", read_item)?.ok_or_else(|| members.missing("view"))?;
        let log = match members.list("log", read_item) {
            _ if !logged => None,
            Ok(None) => return Err(members.missing("log")),
            read => read?,
        };
        Ok(Self { view, log })
    }
}

/// The parameters of `summarize`.
#[derive(Debug)]
pub(super) enum SummarizeParams {
    Items(Vec<Item>),
    Text(String),
}

impl SummarizeParams {
    pub(super) fn read(params: serde_json::Map<String, Value>) -> Result<Self, Fault> {
        let at = At::root("params");
        let mut members = Members::new(params, &at);
        match (members.list("items", read_item)?, members.take("text")?) {
            (Some(items), None) => Ok(Self::Items(items)),
            (None, Some(text)) => Ok(Self::Text(text)),
            (Some(_), Some(_)) => Err(at.fault(" has both `items` and `text`")),
            (None, None) => Err(at.fault(" has neither `items` nor `text`")),
        }
    }
}

/// The word for an action on the wire; null for one that is not reported.
pub(super) fn action_word(action: Action) -> Value {
    if action == Action::Unreported { Value::Null } else { Value::from(action.name()) }
}

pub(super) fn wire_action(word: &str) -> Option<Action> {
    [Action::None, Action::Trim, Action::Summarize].into_iter().find(|action| action.name() == word)
}

fn read_view_or_null(members: &mut Members<'_>) -> Result<Option<Vec<Item>>, Fault> {
    match members.is_null("view") {
        true => Ok(None),
        false => members.list("view", read_item)?.map(Some).ok_or_else(|| members.missing("view")),
    }
}

/// A message in full; its id may be absent.
fn read_message(value: Value, at: &At<'_>) -> Result<Message, Fault> {
    let mut members = Members::of(value, at)?;
    let id = members.take("id")?.unwrap_or_default();
    read_full(members, id)
}

/// An item of a view: a message in full, or the id of one that is known.
pub(super) fn read_item(value: Value, at: &At<'_>) -> Result<Item, Fault> {
    let mut members = Members::of(value, at)?;
    let id: Option<String> = members.take("id")?;
    let short = !MEMBERS.iter().any(|name| members.has(name));
    match id {
        Some(id) if short => Ok(Item::Known { id, summary: members.take("summary")?.unwrap_or(false) }),
        id => read_full(members, id.unwrap_or_default()).map(Item::Full),
    }
}

/// Members that make an item more than a reference.
const MEMBERS: [&str; 10] =
    ["role", "content", "ui_only", "hidden", "pinned", "call_id", "calls", "reasoning", "interim", "trimmed"];

fn read_full(mut members: Members<'_>, id: String) -> Result<Message, Fault> {
    Ok(Message {
        id,
        role: members.need::<Role>("role")?,
        content: members.need("content")?,
        ui_only: members.take("ui_only")?.unwrap_or_default(),
        hidden: members.take("hidden")?.unwrap_or_default(),
        pinned: members.take("pinned")?.unwrap_or_default(),
        call_id: members.take("call_id")?.unwrap_or_default(),
        calls: members.take("calls")?.unwrap_or_default(),
        reasoning: members.take("reasoning")?.unwrap_or_default(),
        interim: members.take("interim")?.unwrap_or_default(),
        trimmed: members.take("trimmed")?.unwrap_or_default(),
        summary: members.take("summary")?.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn null_is_unreported_and_unchanged() {
        let read = StepResult::read(json!({"action": null, "appended": [], "view": null, "more": 1})).unwrap();
        assert_eq!(read.action, Action::Unreported);
        assert!(read.view.is_none() && read.extra.is_empty());
    }

    #[test]
    fn faults_name_the_member() {
        for (result, says) in [
            (json!([]), "`result`: expected an object, got an array"),
            (json!({"appended": [], "view": null}), "`result.action` is missing"),
            (json!({"action": "unreported", "appended": [], "view": null}), "`result.action` is \"unreported\""),
            (json!({"action": "none", "view": null}), "`result.appended` is missing"),
            (json!({"action": "none", "appended": []}), "`result.view` is missing"),
            (json!({"action": "none", "appended": [], "view": 3}), "`result.view`: expected an array, got a number"),
            (json!({"action": "none", "appended": [1], "view": null}), "`result.appended[0]`: expected an object"),
            (
                json!({"action": "none", "appended": [], "view": [{"id": "m1"}, {"role": "bot", "content": ""}]}),
                "`result.view[1].role`: unknown variant `bot`",
            ),
            (
                json!({"action": "none", "appended": [], "view": [{"id": "m1", "trimmed": true}]}),
                "`result.view[0].role` is missing",
            ),
            (
                json!({"action": "none", "appended": [{"role": "system", "content": null}], "view": null}),
                "`result.appended[0].content`: invalid type: null",
            ),
        ] {
            let fault = StepResult::read(result).unwrap_err().to_string();
            assert!(fault.contains(says), "{fault}");
        }
    }

    #[test]
    fn a_claimed_log_is_demanded_and_another_left_unread() {
        let result = json!({"view": []});
        assert!(ViewResult::read(result.clone(), true).unwrap_err().to_string().contains("`result.log` is missing"));
        assert!(ViewResult::read(result, false).unwrap().log.is_none());
        assert!(ViewResult::read(json!({"view": [], "log": 1}), false).unwrap().log.is_none());
    }
}
