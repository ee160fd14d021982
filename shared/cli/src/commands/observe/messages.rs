//! Reads messages from a file.

use kimberly_proto::v1;
use serde_json::Value;

use crate::commands::import::formats::text_of;
use crate::json;

/// Parses a list of messages, `{"messages": [...]}`, or lines.
pub(super) fn read(raw: &str) -> Result<Vec<v1::Message>, String> {
    let values = match serde_json::from_str::<Value>(raw) {
        Ok(Value::Array(list)) => list,
        Ok(Value::Object(mut one)) => match one.remove("messages") {
            Some(Value::Array(list)) => list,
            _ => vec![Value::Object(one)],
        },
        _ => raw
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(at, line)| serde_json::from_str(line).map_err(|error| format!("line {}: {error}", at + 1)))
            .collect::<Result<_, _>>()?,
    };
    if values.is_empty() {
        return Err("there is no message; write {\"role\": \"user\", \"content\": \"...\"}, one per line".to_owned());
    }
    values
        .into_iter()
        .enumerate()
        .map(|(index, value)| message(value).map_err(|why| format!("message {}: {why}", index + 1)))
        .collect()
}

fn message(mut value: Value) -> Result<v1::Message, String> {
    let fields = value.as_object_mut().ok_or("it is not an object with a role and a content")?;
    if let Some(content) = fields.get_mut("content") {
        *content = Value::String(text_of(content));
    }
    if fields.get("role").is_some_and(|role| role == "developer") {
        fields.insert("role".to_owned(), Value::String("system".to_owned()));
    }
    json::read_known(&value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_from_lists_objects_and_lines() {
        let one = r#"{"role": "user", "content": "tea", "tool_calls": []}"#;
        let parts = r#"{"role": "developer", "content": [{"type": "text", "text": "be brief"}]}"#;
        for raw in
            [format!("[{one}, {parts}]"), format!("{{\"messages\": [{one}, {parts}]}}"), format!("{one}\n\n{parts}\n")]
        {
            let found = read(&raw).unwrap();
            let said: Vec<_> = found.iter().map(|one| (one.role(), one.content.as_str())).collect();
            assert_eq!(said, [(v1::Role::User, "tea"), (v1::Role::System, "be brief")], "{raw}");
        }
        assert_eq!(read(one).unwrap().len(), 1);
    }

    #[test]
    fn invalid_messages_are_named_by_position() {
        for (raw, said) in [
            ("", "no message"),
            ("[]", "no message"),
            ("{\"role\"", "line 1"),
            ("[{}, 7]", "message 2"),
            (r#"[{"role": "poet"}]"#, "message 1"),
        ] {
            let why = read(raw).unwrap_err();
            assert!(why.contains(said), "{raw}: {why}");
        }
    }
}
