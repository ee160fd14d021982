//! A message as providers of language models and their libraries write it, in JSON: `OpenAI`'s chat and responses,
//! Anthropic's blocks, `LangChain`'s types, `Gemini`'s parts, and the contract's own form. Every way in reads messages
//! here, so that the command, the API and the tools of assistants take the same ones.
//!
//! It takes the words and leaves out calls of tools, images and thoughts. It knows nothing of sessions and of what is
//! stored.

use serde_json::{Map, Value, json};

use crate::bounds::MAX_UNREADABLE_BYTES;
use crate::memory::Role;

/// Members that hold the words, the likeliest first.
const CONTENT: [&str; 4] = ["content", "text", "parts", "output"];
/// Members that hold the time; only the first is the contract's, and must be valid.
const TIME: [&str; 5] = ["time", "timestamp", "created_at", "createdAt", "create_time"];
/// Seconds since 1970 are below this; above are milliseconds.
const SECONDS: f64 = 100_000_000_000.0;

/// A message that was received.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Received {
    /// Its id; empty for none.
    pub id: String,
    /// Who spoke; `None` if it cannot be read.
    pub role: Option<Role>,
    /// The words; empty if it has none.
    pub content: String,
    /// The name of who spoke; empty for none.
    pub name: String,
    /// When it was said, in RFC 3339; empty for now.
    pub time: String,
    /// The tool that answered; empty for none.
    pub tool: String,
    /// The id of the call that it answers; empty for none.
    pub tool_call_id: String,
    /// Free data.
    pub attributes: Option<Value>,
    /// Why it cannot be read; empty if it can.
    pub unreadable: String,
}

impl Received {
    /// Reads an element of a transcript, whatever it is.
    pub fn read(value: &Value) -> Self {
        Self::taken(value).unwrap_or_else(Self::unreadable)
    }

    /// Creates the message that stands for one that cannot be read.
    pub fn unreadable(mut why: String) -> Self {
        why.truncate(why.floor_char_boundary(MAX_UNREADABLE_BYTES));
        Self { unreadable: why, ..Self::default() }
    }

    fn taken(value: &Value) -> Result<Self, String> {
        let outer = value.as_object().ok_or("it is not an object with a role and a content")?;
        // LangChain puts the members of a message into another object.
        let inner = ["kwargs", "data"].iter().find_map(|name| outer.get(*name)?.as_object());
        let fields = inner.filter(|_| !CONTENT.iter().any(|name| outer.contains_key(*name))).unwrap_or(outer);
        let role = role(outer).or_else(|| role(fields)).ok_or_else(|| {
            "it has no known role; write user, assistant, tool or system (human, ai, model, function and developer are \
             known, too)"
                .to_owned()
        })?;
        let text = |names: &[&str]| names.iter().find_map(|name| plain(fields.get(*name)?)).unwrap_or_default();
        let (name, tool) = (text(&["name"]), text(&["tool"]));
        let content = CONTENT.iter().filter_map(|name| fields.get(*name)).find(|content| !content.is_null());
        let attributes = fields.get("attributes").filter(|data| !data.is_null());
        if attributes.is_some_and(|data| !data.is_object()) {
            return Err("its attributes are not an object".to_owned());
        }
        Ok(Self {
            id: text(&["id"]),
            role: Some(role),
            content: content.map(words).unwrap_or_default(),
            tool: if tool.is_empty() && role == Role::Tool { name.clone() } else { tool },
            name,
            time: time(fields)?,
            tool_call_id: text(&["tool_call_id", "toolCallId", "call_id"]),
            attributes: attributes.cloned(),
            unreadable: String::new(),
        })
    }

    /// Writes the message in the contract's JSON.
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        for (name, value) in [
            ("id", self.id.as_str()),
            ("role", self.role.map_or("", Role::name)),
            ("content", &self.content),
            ("name", &self.name),
            ("time", &self.time),
            ("tool", &self.tool),
            ("tool_call_id", &self.tool_call_id),
            ("unreadable", &self.unreadable),
        ] {
            if !value.is_empty() {
                fields.insert(name.to_owned(), json!(value));
            }
        }
        fields.extend(self.attributes.clone().map(|data| ("attributes".to_owned(), data)));
        Value::Object(fields)
    }
}

/// The role of an object, by its role or its type. The contract's numbers count, too.
fn role(fields: &Map<String, Value>) -> Option<Role> {
    let class = |fields: &Map<String, Value>| fields.get("id")?.as_array()?.last().cloned();
    let named = fields.get("role").filter(|role| !role.is_null()).cloned();
    let named = named.or_else(|| class(fields)).or_else(|| fields.get("type").cloned())?;
    if let Some(number) = named.as_i64() {
        let known = [Role::User, Role::Assistant, Role::System, Role::Tool];
        return known.get(usize::try_from(number).ok()?.checked_sub(1)?).copied();
    }
    let name = named.as_str()?.trim().to_lowercase();
    let name = name.strip_prefix("role_").unwrap_or(&name);
    let name = name.strip_suffix("chunk").unwrap_or(name);
    match name.strip_suffix("message").filter(|short| !short.is_empty()).unwrap_or(name) {
        "user" | "human" => Some(Role::User),
        "assistant" | "ai" | "model" | "function_call" | "custom_tool_call" | "reasoning" => Some(Role::Assistant),
        "system" | "developer" => Some(Role::System),
        "tool" | "function" | "function_call_output" | "custom_tool_call_output" => Some(Role::Tool),
        _ => None,
    }
}

/// The words of a content: a text, or the texts of its blocks.
pub fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().map(words).filter(|text| !text.trim().is_empty());
            texts.collect::<Vec<_>>().join("\n\n")
        }
        Value::Object(block) => {
            let text = ["text", "refusal", "parts", "value"].iter().find_map(|name| block.get(*name));
            text.map(words).unwrap_or_default()
        }
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) => String::new(),
    }
}

/// A name or an id: a text or a number.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn time(fields: &Map<String, Value>) -> Result<String, String> {
    for name in TIME {
        match fields.get(name).filter(|at| !at.is_null() && at.as_str() != Some("")) {
            None => {}
            Some(at) => match rfc3339(at).filter(|_| name != TIME[0] || at.is_string()) {
                Some(at) => return Ok(at),
                None if name == TIME[0] => {
                    return Err(format!("its {name} is no time; write one such as 2026-05-04T18:30:00Z"));
                }
                None => {}
            },
        }
    }
    Ok(String::new())
}

/// A time in RFC 3339, from RFC 3339, from a day or a time without a zone, which is UTC, or from a number since 1970.
fn rfc3339(at: &Value) -> Option<String> {
    let at = match at {
        Value::String(text) => {
            let zoned = text.trim().parse::<jiff::Timestamp>().ok();
            let civil = || text.trim().parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
            zoned.or_else(|| Some(civil()?.timestamp()))?
        }
        number => {
            let number = number.as_f64()?;
            let seconds = if number.abs() < SECONDS { number } else { number / 1_000.0 };
            jiff::Timestamp::from_duration(jiff::SignedDuration::try_from_secs_f64(seconds).ok()?).ok()?
        }
    };
    let years = 1..=9_999;
    years.contains(&jiff::tz::Offset::UTC.to_datetime(at).year()).then(|| at.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &Value) -> (Option<Role>, String) {
        let read = Received::read(value);
        assert_eq!(Received::read(&read.to_json()).to_json(), read.to_json(), "its own form is read the same");
        (read.role, read.content)
    }

    #[test]
    fn messages_of_every_provider_give_their_words() {
        use Role::{Assistant, System, Tool, User};
        for (value, role, said) in [
            (json!({"role": "user", "content": "tea"}), User, "tea"),
            (json!({"role": "ROLE_USER", "content": "tea", "cache_control": {"type": "ephemeral"}}), User, "tea"),
            (json!({"role": 2, "content": "tea"}), Assistant, "tea"),
            (json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c", "function": {}}]}), Assistant, ""),
            (json!({"role": "developer", "content": [{"type": "text", "text": "be brief"}]}), System, "be brief"),
            (
                json!({"role": "user", "content": [
                {"type": "input_text", "text": "a"}, {"type": "image_url", "image_url": {"url": "x"}}, "b"]}),
                User,
                "a\n\nb",
            ),
            (
                json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "c"}, {"type": "tool_use", "id": "t", "name": "n", "input": {"text": "d"}}]}),
                Assistant,
                "c",
            ),
            (
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "4711"}]}),
                User,
                "",
            ),
            (
                json!({"role": "assistant", "content": [{"type": "text", "text": {"value": "e", "annotations": []}}]}),
                Assistant,
                "e",
            ),
            (json!({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}), Assistant, "no"),
            (
                json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "f"}]}),
                Assistant,
                "f",
            ),
            (json!({"type": "function_call", "name": "n", "call_id": "c", "arguments": "{}"}), Assistant, ""),
            (json!({"type": "function_call_output", "call_id": "c", "output": "g"}), Tool, "g"),
            (json!({"type": "human", "content": "h"}), User, "h"),
            (json!({"type": "ai", "data": {"content": "i", "additional_kwargs": {}}}), Assistant, "i"),
            (
                json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"],
                "kwargs": {"content": "j", "type": "human"}}),
                User,
                "j",
            ),
            (json!({"type": "AIMessageChunk", "content": "k"}), Assistant, "k"),
            (json!({"role": "model", "parts": [{"text": "l"}, {"text": "m"}]}), Assistant, "l\n\nm"),
            (json!({"role": "User", "content": 7}), User, "7"),
            (json!({"role": "system"}), System, ""),
        ] {
            assert_eq!(read(&value), (Some(role), said.to_owned()), "{value}");
        }
    }

    #[test]
    fn answer_of_a_tool_says_which_call_it_answers() {
        let read = Received::read(&json!({"role": "tool", "tool_call_id": "c", "name": "maps", "content": "{}"}));
        assert_eq!((read.tool.as_str(), read.tool_call_id.as_str()), ("maps", "c"));
        let read = Received::read(&json!({"role": "function", "name": "maps", "content": "{}"}));
        assert_eq!((read.role, read.tool.as_str()), (Some(Role::Tool), "maps"));
    }

    #[test]
    fn times_are_read_as_texts_and_as_numbers() {
        let at = |value| Received::read(&value).time;
        for (value, said) in [
            (json!({"role": "user", "time": "2026-05-04T18:30:00+02:00"}), "2026-05-04T16:30:00Z"),
            (json!({"role": "user", "timestamp": "2026-05-04T18:30:00"}), "2026-05-04T18:30:00Z"),
            (json!({"role": "user", "created_at": 1_777_919_400}), "2026-05-04T18:30:00Z"),
            (json!({"role": "user", "createdAt": 1_777_919_400_000_i64}), "2026-05-04T18:30:00Z"),
            (json!({"role": "user", "created_at": "yesterday"}), ""),
            (json!({"role": "user", "time": null}), ""),
        ] {
            assert_eq!(at(value.clone()), said, "{value}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (value, why) in [
            (json!("tea"), "not an object"),
            (json!(null), "not an object"),
            (json!({}), "no known role"),
            (json!({"role": "poet", "content": "tea"}), "no known role"),
            (json!({"role": 0}), "no known role"),
            (json!({"role": "user", "time": "soon"}), "its time is no time"),
            (json!({"role": "user", "time": "-000001-01-01T00:00:00Z"}), "its time is no time"),
            (json!({"role": "user", "attributes": 5}), "not an object"),
        ] {
            let read = Received::read(&value);
            assert!(read.unreadable.contains(why) && read.role.is_none(), "{value}: {read:?}");
        }
        assert_eq!(Received::unreadable("ä".repeat(200)).unreadable.len(), MAX_UNREADABLE_BYTES);
    }
}
