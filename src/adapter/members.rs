//! Reads the members of a JSON object, so that each error names the member with its path.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::protocol::Fault;

/// A place in a JSON value, written `result.view[3].role`.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    parent: Option<&'a At<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

impl<'a> At<'a> {
    /// Where the path begins; an empty name is left out.
    pub(super) fn root(name: &'a str) -> Self {
        Self { parent: None, step: Step::Name(name) }
    }

    /// The member `name` of this object.
    pub(super) fn name(&'a self, name: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Name(name) }
    }

    /// The item `index` of this array.
    pub(super) fn index(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }

    /// A fault at this place.
    pub(super) fn fault(&self, says: impl fmt::Display) -> Fault {
        Fault::new(format!("`{self}`{says}"))
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parent = self.parent.map(ToString::to_string).unwrap_or_default();
        match self.step {
            Step::Name(name) if parent.is_empty() => f.write_str(name),
            Step::Name(name) => write!(f, "{parent}.{name}"),
            Step::Index(index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// The members of one object, taken one by one.
#[derive(Debug)]
pub(super) struct Members<'a> {
    object: Map<String, Value>,
    at: &'a At<'a>,
}

impl<'a> Members<'a> {
    pub(super) fn new(object: Map<String, Value>, at: &'a At<'a>) -> Self {
        Self { object, at }
    }

    /// The members of `value`, which must be an object.
    pub(super) fn of(value: Value, at: &'a At<'a>) -> Result<Self, Fault> {
        match value {
            Value::Object(object) => Ok(Self::new(object, at)),
            other => Err(at.fault(format_args!(": expected an object, got {}", kind(&other)))),
        }
    }

    /// Whether the member is there, null or not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    /// Whether the member is there, and null.
    pub(super) fn is_null(&self, name: &str) -> bool {
        self.object.get(name).is_some_and(Value::is_null)
    }

    /// The member as it is, or none where it is absent.
    pub(super) fn value(&mut self, name: &str) -> Option<Value> {
        self.object.remove(name)
    }

    /// The member, or none where it is absent.
    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, Fault> {
        let Some(value) = self.object.remove(name) else { return Ok(None) };
        serde_json::from_value(value).map(Some).map_err(|e| self.at.name(name).fault(format_args!(": {e}")))
    }

    /// The member, which must be there.
    pub(super) fn need<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Fault> {
        self.take(name)?.ok_or_else(|| self.missing(name))
    }

    /// The items of an array member, each read by `item`; none where it is absent.
    pub(super) fn list<T>(
        &mut self,
        name: &str,
        item: impl Fn(Value, &At<'_>) -> Result<T, Fault>,
    ) -> Result<Option<Vec<T>>, Fault> {
        let at = self.at.name(name);
        match self.object.remove(name) {
            None => Ok(None),
            Some(Value::Array(items)) => items
                .into_iter()
                .enumerate()
                .map(|(index, value)| item(value, &at.index(index)))
                .collect::<Result<_, _>>()
                .map(Some),
            Some(other) => Err(at.fault(format_args!(": expected an array, got {}", kind(&other)))),
        }
    }

    /// The fault of a member that is not there.
    pub(super) fn missing(&self, name: &str) -> Fault {
        self.at.name(name).fault(" is missing")
    }
}

/// What kind of JSON value it is.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
