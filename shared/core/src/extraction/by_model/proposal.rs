//! Reads a model's answer. Models wrap JSON in prose, fences and tags, and break schemas: what can be read counts.

use serde::Deserialize;
use serde_json::Value;

use crate::bounds::MAX_EXTRACTED;
use crate::extraction::Class;

/// An item as a model proposes it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Proposal {
    /// The part of the message that says it.
    pub quote: String,
    /// What it says.
    pub statement: String,
    /// Whom or what it is about.
    #[serde(default)]
    pub subject: String,
    /// What it is.
    kind: String,
    /// From 1 to 10.
    #[serde(default)]
    importance: Value,
}

/// What counts where a model says nothing of use.
const USUAL_IMPORTANCE: u8 = 5;

impl Proposal {
    /// The class, if there is one of this name.
    pub(super) fn class(&self) -> Option<Class> {
        Class::from_name(&self.kind)
    }

    /// From 1 to 10.
    pub(super) fn importance(&self) -> u8 {
        let importance = self.importance.as_u64().and_then(|given| u8::try_from(given).ok());
        importance.map_or(USUAL_IMPORTANCE, |given| given.clamp(1, 10))
    }
}

/// The items of an answer that can be read, at most twice as many as are kept of a message; `None` where it is no answer.
pub(super) fn proposals(answer: &str) -> Option<Vec<Proposal>> {
    let Value::Array(items) = object(answer)?.get_mut("items")?.take() else { return None };
    let readable = items.into_iter().filter_map(|item| serde_json::from_value(item).ok());
    Some(readable.take(2 * MAX_EXTRACTED).collect())
}

/// The last object of an answer: behind what a model thinks aloud, inside of fences.
pub(crate) fn object(answer: &str) -> Option<Value> {
    let answer = answer.rsplit_once("</think>").map_or(answer, |(_, said)| said);
    let (start, end) = (answer.find('{')?, answer.rfind('}')?);
    serde_json::from_str(answer.get(start..=end)?).ok()
}
