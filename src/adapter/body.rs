//! What a child answered, as it came: text that is read once it is known what it is to be.
//!
//! A line is walked through once to find its parts, and each part is read straight into what it should be. Whatever does
//! not fit exactly is read again member by member ([`results`](super::results)), which says what is wrong and where.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, de::IgnoredAny};
use serde_json::Value;
use serde_json::value::RawValue;

use super::known::Item;
use super::protocol::{Fault, RpcError, has_too_many_values, parse};
use super::results::{StepResult, SummarizeParams, ViewResult, wire_action};
use super::surrogate;
use crate::message::{Message, Role};
use crate::trace::Action;

/// A result, the parameters of a request, or a state.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// Read already.
    Value(Value),
    /// A part of a line.
    Text(Text),
}

/// A part of a line that is kept as a whole.
#[derive(Clone, Debug)]
pub(super) struct Text {
    line: Arc<String>,
    part: Range<usize>,
}

impl Body {
    /// As a value.
    pub(super) fn value(self) -> Result<Value, Fault> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Text(text) => parse(text.get().as_bytes()),
        }
    }

    /// Straight from the text; none where it does not fit, or is no text any more.
    pub(super) fn quick<'a, T: Deserialize<'a>>(&'a self) -> Option<T> {
        match self {
            Self::Value(_) => None,
            Self::Text(text) => serde_json::from_str(text.get()).ok(),
        }
    }

    /// The part of this text that `raw` is.
    fn part(&self, raw: &RawValue) -> Option<Self> {
        match self {
            Self::Value(_) => None,
            Self::Text(text) => Text::of(&text.line, raw).map(Self::Text),
        }
    }
}

impl Text {
    /// Where `raw`, which was read out of `line`, stands in it.
    fn of(line: &Arc<String>, raw: &RawValue) -> Option<Self> {
        let from = (raw.get().as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
        let part = from..from + raw.get().len();
        line.get(part.clone()).is_some().then(|| Self { line: Arc::clone(line), part })
    }

    fn get(&self) -> &str {
        self.line.get(self.part.clone()).unwrap_or_default()
    }
}

#[derive(Deserialize)]
struct WireReply<'a> {
    jsonrpc: &'a str,
    id: u64,
    #[serde(borrow)]
    result: &'a RawValue,
    error: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "present")]
    method: Option<IgnoredAny>,
}

/// The id and the result of a line that is plainly a reply with one. The line itself where it is anything else, or may hold
/// what only a close look finds.
pub(super) fn plain_reply(line: Vec<u8>) -> Result<(u64, Body), Vec<u8>> {
    if has_too_many_values(&line) {
        return Err(line);
    }
    let line = Arc::new(String::from_utf8(line).map_err(std::string::FromUtf8Error::into_bytes)?);
    let plain = || {
        let reply: WireReply<'_> = serde_json::from_str(&line).ok()?;
        let plain = reply.jsonrpc == "2.0" && reply.error.is_none() && reply.method.is_none();
        (plain && !surrogate::has_lone(&line)).then_some((reply.id, Text::of(&line, reply.result)?))
    };
    match plain() {
        Some((id, text)) => Ok((id, Body::Text(text))),
        None => Err(Arc::unwrap_or_clone(line).into_bytes()),
    }
}

/// A member that is there, null or not; used with a default of none.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct WireItem {
    #[serde(default, deserialize_with = "present")]
    id: Option<String>,
    #[serde(default, deserialize_with = "present")]
    role: Option<Role>,
    #[serde(default, deserialize_with = "present")]
    content: Option<String>,
    #[serde(default, deserialize_with = "present")]
    ui_only: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    hidden: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    pinned: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    call_id: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    calls: Option<Vec<String>>,
    #[serde(default, deserialize_with = "present")]
    reasoning: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    interim: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    trimmed: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    summary: Option<bool>,
}

impl WireItem {
    /// A message in full; its id may be absent.
    fn message(self) -> Option<Message> {
        Some(Message {
            id: self.id.unwrap_or_default(),
            role: self.role?,
            content: self.content?,
            ui_only: self.ui_only.unwrap_or_default(),
            hidden: self.hidden.unwrap_or_default(),
            pinned: self.pinned.unwrap_or_default(),
            call_id: self.call_id.unwrap_or_default(),
            calls: self.calls.unwrap_or_default(),
            reasoning: self.reasoning.unwrap_or_default(),
            interim: self.interim.unwrap_or_default(),
            trimmed: self.trimmed.unwrap_or_default(),
            summary: self.summary.unwrap_or_default(),
        })
    }

    /// An item of a view: a message in full, or the id of one that is known.
    fn item(mut self) -> Option<Item> {
        let flags = [self.ui_only, self.hidden, self.pinned, self.interim, self.trimmed];
        let texts = self.content.is_some() || self.call_id.is_some() || self.reasoning.is_some();
        let full = self.role.is_some() || texts || self.calls.is_some() || flags.iter().any(Option::is_some);
        match self.id.take_if(|_| !full) {
            Some(id) => Some(Item::Known { id, summary: self.summary.unwrap_or_default() }),
            None => self.message().map(Item::Full),
        }
    }
}

fn items(items: Vec<WireItem>) -> Option<Vec<Item>> {
    items.into_iter().map(WireItem::item).collect()
}

fn messages(items: Option<Vec<WireItem>>) -> Option<Vec<Message>> {
    items.into_iter().flatten().map(WireItem::message).collect()
}

/// The `extra` of `append`'s result.
pub(super) fn extra(result: &Body) -> Option<Vec<Message>> {
    #[derive(Deserialize)]
    struct Wire {
        #[serde(default, deserialize_with = "present")]
        extra: Option<Vec<WireItem>>,
    }
    messages(result.quick::<Wire>()?.extra)
}

/// The result of `step`.
pub(super) fn step(result: &Body) -> Option<StepResult> {
    #[derive(Deserialize)]
    struct Wire<'a> {
        #[serde(borrow, default, deserialize_with = "present")]
        action: Option<Option<&'a str>>,
        appended: Vec<WireItem>,
        #[serde(default, deserialize_with = "present")]
        extra: Option<Vec<WireItem>>,
        #[serde(default, deserialize_with = "present")]
        view: Option<Option<Vec<WireItem>>>,
    }
    let wire: Wire<'_> = result.quick()?;
    let action = match wire.action? {
        None => Action::Unreported,
        Some(word) => wire_action(word)?,
    };
    let view = match wire.view? {
        None => None,
        Some(view) => Some(items(view)?),
    };
    Some(StepResult { action, appended: messages(Some(wire.appended))?, extra: messages(wire.extra)?, view })
}

/// The view of `rewind`'s result; null is none.
pub(super) fn rewound(result: &Body) -> Option<Option<Vec<Item>>> {
    #[derive(Deserialize)]
    struct Wire {
        #[serde(default, deserialize_with = "present")]
        view: Option<Option<Vec<WireItem>>>,
    }
    match result.quick::<Wire>()?.view? {
        None => Some(None),
        Some(view) => items(view).map(Some),
    }
}

/// The result of `view`; the log is left unread where it is not claimed.
pub(super) fn view(result: &Body, logged: bool) -> Option<ViewResult> {
    #[derive(Deserialize)]
    struct Logged {
        view: Vec<WireItem>,
        log: Vec<WireItem>,
    }
    #[derive(Deserialize)]
    struct Alone {
        view: Vec<WireItem>,
    }
    if logged {
        let Logged { view, log } = result.quick()?;
        return Some(ViewResult { view: items(view)?, log: Some(items(log)?) });
    }
    let Alone { view } = result.quick()?;
    Some(ViewResult { view: items(view)?, log: None })
}

/// The parameters of `summarize`.
pub(super) fn asked(params: &Body) -> Option<SummarizeParams> {
    #[derive(Deserialize)]
    struct Wire {
        #[serde(default, deserialize_with = "present")]
        items: Option<Vec<WireItem>>,
        #[serde(default, deserialize_with = "present")]
        text: Option<String>,
    }
    match params.quick()? {
        Wire { items: Some(sent), text: None } => items(sent).map(SummarizeParams::Items),
        Wire { items: None, text: Some(text) } => Some(SummarizeParams::Text(text)),
        _ => None,
    }
}

/// What was answered to one request of a case, and the state beside it.
pub(super) type Entry = (Result<Body, RpcError>, Option<Body>);

/// The result of `case`: what was answered to each request, and the calls of the summariser with their requests' indices.
pub(super) type Case = (Vec<Entry>, Vec<(usize, Body)>);

/// The result of `case`.
pub(super) fn case(result: &Body) -> Option<Case> {
    #[derive(Deserialize)]
    struct Wire<'a> {
        #[serde(borrow)]
        results: Vec<WireEntry<'a>>,
        #[serde(borrow)]
        summarize_calls: Vec<WireCall<'a>>,
    }
    #[derive(Deserialize)]
    struct WireEntry<'a> {
        #[serde(borrow, default, deserialize_with = "present")]
        result: Option<&'a RawValue>,
        #[serde(borrow)]
        error: Option<&'a RawValue>,
        #[serde(borrow, default, deserialize_with = "present")]
        state: Option<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct WireCall<'a> {
        request: usize,
        #[serde(borrow)]
        params: &'a RawValue,
    }
    let entry = |wire: WireEntry<'_>| match (wire.result, wire.error) {
        (Some(answered), None) => Some((Ok(result.part(answered)?), None)),
        (None, Some(error)) => {
            let error = RpcError::read(serde_json::from_str(error.get()).ok()?).ok()?;
            let state = match wire.state {
                Some(state) => Some(result.part(state)?),
                None => None,
            };
            Some((Err(error), state))
        }
        _ => None,
    };
    let call = |WireCall { request, params }: WireCall<'_>| {
        Some((request, result.part(params).filter(|_| params.get().starts_with('{'))?))
    };
    let wire: Wire<'_> = result.quick()?;
    let results = wire.results.into_iter().map(entry).collect::<Option<_>>()?;
    Some((results, wire.summarize_calls.into_iter().map(call).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::results::{read_append, read_rewind};

    fn text(result: &str) -> Body {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}");
        plain_reply(line.into_bytes()).unwrap().1
    }

    /// Values that each member of a result can be replaced by.
    const ODD: [&str; 12] = [
        "null",
        "true",
        "7",
        "\"\"",
        "\"tool\"",
        "[]",
        "{}",
        "[null]",
        "[{\"id\":\"m1\"}]",
        "[{\"id\":\"m1\",\"role\":null}]",
        "[{\"role\":\"user\",\"content\":\"x\",\"calls\":[\"c\"],\"call_id\":null,\"summary\":true}]",
        "[{\"id\":null,\"role\":\"user\",\"content\":\"x\"}]",
    ];

    /// What is read in one go is what is read member by member, and what is refused there is refused here.
    #[test]
    fn the_short_way_and_the_long_one_agree() {
        let mut members = vec![String::new()];
        for name in ["action", "appended", "extra", "view", "log", "items", "text"] {
            let odd = ODD.iter().map(|value| format!("\"{name}\":{value}"));
            members = members.iter().cloned().chain(odd).collect();
        }
        let all = members.iter().flat_map(|one| members.iter().map(move |other| [one.as_str(), other.as_str()]));
        let base = ["", "\"action\":\"none\",\"appended\":[]", "\"view\":[],\"log\":[]"];
        let mut agreed = 0;
        for (parts, base) in all.flat_map(|parts| base.map(|base| (parts, base))) {
            let said: Vec<&str> = parts.into_iter().chain([base]).filter(|part| !part.is_empty()).collect();
            let body = text(&format!("{{{}}}", said.join(",")));
            let value = || body.clone().value().unwrap();
            let same = |short: Option<String>, long: Option<String>| {
                // Whatever is not read the short way is read the long one.
                assert!(short.is_none() || short == long, "{said:?}: {short:?}, {long:?}");
                usize::from(short.is_some())
            };
            let shown = |read: Result<String, Fault>| read.ok();
            let debug = |read: &dyn std::fmt::Debug| format!("{read:?}");
            agreed += same(step(&body).map(|r| debug(&r)), shown(StepResult::read(value()).map(|r| debug(&r))));
            agreed += same(extra(&body).map(|r| debug(&r)), shown(read_append(value()).map(|r| debug(&r))));
            agreed += same(rewound(&body).map(|r| debug(&r)), shown(read_rewind(value()).map(|r| debug(&r))));
            for logged in [false, true] {
                let long = shown(ViewResult::read(value(), logged).map(|r| debug(&r)));
                agreed += same(view(&body, logged).map(|r| debug(&r)), long);
            }
            let Value::Object(object) = value() else { unreachable!() };
            agreed += same(asked(&body).map(|r| debug(&r)), shown(SummarizeParams::read(object).map(|r| debug(&r))));
        }
        assert!(agreed > 1_000, "{agreed}");
    }

    #[test]
    fn what_only_a_close_look_finds_is_left_to_it() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":"\ud800"}}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
            r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"method":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
        ] {
            assert_eq!(plain_reply(line.as_bytes().to_vec()).unwrap_err(), line.as_bytes());
        }
        assert!(plain_reply(br#"{"jsonrpc":"2.0","id":1,"error":null,"result":"\ud83d\ude00"}"#.to_vec()).is_ok());
    }

    #[test]
    fn a_case_is_taken_apart() {
        let body = text(
            r#"{"results":[{"result":{"a":1}},{"error":{"code":1,"message":"no"},"state":{"view":[]}}],
                "summarize_calls":[{"request":1,"params":{"text":"x"}}]}"#,
        );
        let (results, calls) = case(&body).unwrap();
        assert_eq!(results[0].0.clone().unwrap().value().unwrap()["a"], 1);
        assert!(results[1].0.is_err() && results[1].1.is_some());
        assert_eq!(calls[0].0, 1);
        for wrong in [
            r#"{"results":[{}],"summarize_calls":[]}"#,
            r#"{"results":[{"result":1,"error":{"code":1,"message":""}}],"summarize_calls":[]}"#,
            r#"{"results":[],"summarize_calls":[{"request":0,"params":[]}]}"#,
            r#"{"results":[]}"#,
        ] {
            assert!(case(&text(wrong)).is_none(), "{wrong}");
        }
    }
}
