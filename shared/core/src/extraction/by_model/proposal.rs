//! Parses a model's answer. Models wrap JSON in prose, fences and tags, and break schemas: every readable item counts.

use serde::Deserialize;
use serde_json::Value;

use crate::bounds::MAX_EXTRACTED;
use crate::extraction::Class;

/// An item proposed by a model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Proposal {
    /// The quoted part of the message.
    pub quote: String,
    /// The proposed statement.
    pub statement: String,
    /// The proposed subject.
    #[serde(default)]
    pub subject: String,
    /// The proposed class.
    kind: String,
    /// From 1 to 10.
    #[serde(default)]
    importance: Value,
}

/// Importance if the model gives no usable one.
const USUAL_IMPORTANCE: u8 = 5;

impl Proposal {
    /// The class, if one has this name.
    pub(super) fn class(&self) -> Option<Class> {
        Class::from_name(&self.kind)
    }

    /// The importance, from 1 to 10.
    pub(super) fn importance(&self) -> u8 {
        let importance = self.importance.as_u64().and_then(|given| u8::try_from(given).ok());
        importance.map_or(USUAL_IMPORTANCE, |given| given.clamp(1, 10))
    }
}

/// The readable items of an answer, at most twice as many as are kept of a message; `None` if it is not an answer.
pub(super) fn proposals(answer: &str) -> Option<Vec<Proposal>> {
    let Value::Array(items) = object(answer)?.get_mut("items")?.take() else { return None };
    let readable = items.into_iter().filter_map(|item| serde_json::from_value(item).ok());
    Some(readable.take(2 * MAX_EXTRACTED).collect())
}

/// The JSON object in an answer, without a model's thinking before it and fences around it.
pub(crate) fn object(answer: &str) -> Option<Value> {
    let answer = answer.rsplit_once("</think>").map_or(answer, |(_, said)| said);
    let (start, end) = (answer.find('{')?, answer.rfind('}')?);
    serde_json::from_str(answer.get(start..=end)?).ok()
}
