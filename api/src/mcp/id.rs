//! The id of a message, even of one that cannot be read, so that its sender learns which one it was.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

/// Returns the id of a message; null if it has none.
pub(super) fn in_message(message: &Value) -> Value {
    message.get("id").filter(|id| id.is_string() || id.is_number()).cloned().unwrap_or_default()
}

/// Returns the id in a text that is not JSON as a whole; null if its readable beginning holds none.
pub(super) fn of(text: &[u8]) -> Value {
    let mut id = Value::Null;
    // Fails where the text is wrong; what was found until then counts.
    let _ = serde_json::Deserializer::from_slice(text).deserialize_map(Finder(&mut id));
    if id.is_string() || id.is_number() { id } else { Value::Null }
}

struct Finder<'i>(&'i mut Value);

impl<'de> Visitor<'de> for Finder<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            if name == "id" {
                *self.0 = members.next_value()?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn id_is_found_in_front_of_what_cannot_be_read() {
        for (text, id) in [
            (r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"#, json!(7)),
            (r#"{"id": "a", nonsense"#, json!("a")),
            (r#"{"params": {"id": 5}, "id": 8, x"#, json!(8)),
            (r#"{"params": {"id": 5}, x"#, Value::Null),
            (r#"{"id": {"a": 1}, x"#, Value::Null),
            ("[1", Value::Null),
            ("", Value::Null),
        ] {
            assert_eq!(of(text.as_bytes()), id, "{text}");
        }
    }
}
