//! Contracts in JSON: absent is the default, `null` or `"none"` is none, and what no version knows is ignored.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{
    Attempt, ChangeRules, Contract, ConversationRules, FieldRules, FitRules, GaugeRules, Join, Latch, Overflow,
    RequestRules, SizeRules, Sizes, Status, StatusKind, Throttle, Trim, ViewRules,
};

/// Reads `null` and `"none"` as none.
pub(super) fn none_word<'de, D: Deserializer<'de>, T: serde::de::DeserializeOwned>(
    from: D,
) -> Result<Option<T>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        Value::String(word) if word == "none" => Ok(None),
        value => serde_json::from_value(value).map(Some).map_err(serde::de::Error::custom),
    }
}

/// The same for a list, in which none is nothing.
pub(super) fn list_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<StatusKind>, D::Error> {
    none_word(from).map(Option::unwrap_or_default)
}

/// The members of a contract, and those of each.
const SECTIONS: &[(&str, &[&str])] = &[
    ("throttle", Throttle::MEMBERS),
    ("latch", Latch::MEMBERS),
    ("attempt", Attempt::MEMBERS),
    ("overflow", Overflow::MEMBERS),
    ("trim", Trim::MEMBERS),
    ("status", Status::MEMBERS),
    ("view", ViewRules::MEMBERS),
    ("restart", &["throttle", "latch"]),
    ("conversations", ConversationRules::MEMBERS),
    ("sizes", Sizes::MEMBERS),
    ("size", SizeRules::MEMBERS),
    ("field", FieldRules::MEMBERS),
    ("request", RequestRules::MEMBERS),
    ("fit", FitRules::MEMBERS),
    ("gauge", GaugeRules::MEMBERS),
    ("change", ChangeRules::MEMBERS),
    ("capabilities", &[]),
    ("messages", &[]),
    ("pressure", &[]),
    ("weight", &[]),
    ("drive", &[]),
];

impl Contract {
    /// Reads a contract from JSON and checks it. A JSON contract must name its `capabilities`.
    ///
    /// # Errors
    ///
    /// Which member is missing, ill-typed or out of range, and what it may be.
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| format!("the contract is not JSON: {e}")).and_then(Self::from_value)
    }

    /// Reads a contract from a JSON value and checks it, like [`Contract::from_json`].
    ///
    /// # Errors
    ///
    /// Which member is missing, ill-typed or out of range, and what it may be.
    pub fn from_value(value: Value) -> Result<Self, String> {
        if value.get("capabilities").is_none() {
            return Err("the contract names no `capabilities`: list what the candidate claims".to_owned());
        }
        let read = read_sections(&whole_numbers(value))?;
        read.check()?;
        Ok(read)
    }

    /// The members of a JSON contract that no version of the specification knows, with dotted names. They are ignored,
    /// as the protocol demands, and worth a word to their author.
    #[must_use]
    pub fn unknown_members(value: &Value) -> Vec<String> {
        let mut unknown = Vec::new();
        let Some(object) = value.as_object() else { return unknown };
        for (name, member) in object {
            let Some((_, members)) = SECTIONS.iter().find(|(section, _)| section == name) else {
                unknown.push(name.clone());
                continue;
            };
            let inner = member.as_object().into_iter().flat_map(|inner| inner.keys());
            unknown.extend(inner.filter(|key| !members.contains(&key.as_str())).map(|key| format!("{name}.{key}")));
            if name == "field"
                && let Some(join) = member.get("join").and_then(Value::as_object)
            {
                let keys = join.keys().filter(|key| !Join::MEMBERS.contains(&key.as_str()));
                unknown.extend(keys.map(|key| format!("field.join.{key}")));
            }
        }
        unknown
    }
}

/// Numbers without a fraction as whole ones: many languages write 2 as 2.0.
fn whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e15 => Value::from(float as i64),
            _ => Value::Number(number),
        },
        Value::Array(list) => list.into_iter().map(whole_numbers).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, whole_numbers(value))).collect(),
        other => other,
    }
}

/// Reads each section on its own, so that an error can name it.
fn read_sections(value: &Value) -> Result<Contract, String> {
    let object = value.as_object().ok_or("the contract is not a JSON object")?;
    for (name, member) in object {
        let mut alone = serde_json::Map::new();
        alone.insert(name.clone(), member.clone());
        if let Err(error) = serde_json::from_value::<Contract>(Value::Object(alone)) {
            return Err(format!("contract.{name}: {error}"));
        }
    }
    serde_json::from_value(value.clone()).map_err(|e| format!("contract: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_is_the_default_and_null_is_none() {
        let absent = Contract::from_json(r#"{"capabilities": []}"#).unwrap();
        assert_eq!(absent.latch, Some(Latch::default()));
        for none in [r#"{"capabilities": [], "latch": null}"#, r#"{"capabilities": [], "latch": "none"}"#] {
            assert_eq!(Contract::from_json(none).unwrap().latch, None);
        }
        let latch = r#"{"capabilities": [], "latch": {"reopen_growth": null}, "throttle": {"cooldown_s": null}}"#;
        let read = Contract::from_json(latch).unwrap();
        assert_eq!(read.latch.unwrap().reopen_growth, None);
        assert_eq!(read.throttle.cooldown_s, None);
    }

    #[test]
    fn a_contract_survives_its_own_json() {
        for text in [
            r#"{"capabilities": ["summarize"], "latch": null, "throttle": {"cooldown_s": [60, 300]}}"#,
            r#"{"capabilities": ["field"], "field": {"max": 1048576, "structure": "text", "marker": "[{n} cut]"}}"#,
            r#"{"capabilities": ["summarize"], "restart": "volatile", "attempt": {"calls": "chunks", "input_max": 9}}"#,
        ] {
            let once = Contract::from_json(text).unwrap();
            let twice = Contract::from_json(&serde_json::to_string(&once).unwrap()).unwrap();
            assert_eq!(once, twice);
        }
    }

    #[test]
    fn unknown_members_are_found() {
        let value = serde_json::json!({"throtle": {}, "latch": {"strike": 1}, "field": {"join": {"sep": ""}}});
        assert_eq!(Contract::unknown_members(&value), ["field.join.sep", "latch.strike", "throtle"]);
    }
}
