//! Reads messages from a file.

use kimberly_core::conversation::Received;
use kimberly_proto::v1;
use serde_json::Value;

use crate::json;

/// Parses a list of messages, `{"messages": [...]}`, or lines. A message that cannot be read says why, so that the
/// server leaves it out and names it; fails only if none can be read.
pub(super) fn read(raw: &[u8]) -> Result<Vec<v1::Message>, String> {
    let raw = String::from_utf8_lossy(raw);
    let read: Vec<Received> = match json::parse(&raw) {
        Ok(Value::Array(list)) => list.iter().map(Received::read).collect(),
        Ok(Value::Object(one)) => match one.get("messages") {
            Some(Value::Array(list)) => list.iter().map(Received::read).collect(),
            _ => vec![Received::read(&Value::Object(one))],
        },
        _ => lines(&raw),
    };
    let first = match read.first() {
        None => "there is no message; write {\"role\": \"user\", \"content\": \"...\"}, one per line".to_owned(),
        Some(one) => format!("message 1: {}", one.unreadable),
    };
    if read.iter().all(|one| !one.unreadable.is_empty()) {
        return Err(first);
    }
    read.iter().map(|one| json::read_known(&one.to_json())).collect()
}

fn lines(raw: &str) -> Vec<Received> {
    let lines = raw.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(at, line): (usize, &str)| match json::parse(line) {
        Ok(value) => Received::read(&value),
        Err(problem) => Received::unreadable(format!("line {} of the file is {problem}", at + 1)),
    };
    lines.map(read).collect()
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
            let found = read(raw.as_bytes()).unwrap();
            let said: Vec<_> = found.iter().map(|one| (one.role(), one.content.as_str())).collect();
            assert_eq!(said, [(v1::Role::User, "tea"), (v1::Role::System, "be brief")], "{raw}");
        }
        assert_eq!(read(one.as_bytes()).unwrap().len(), 1);
    }

    #[test]
    fn what_cannot_be_read_is_passed_on_with_its_reason_beside_the_rest() {
        let good = br#"{"role": "user", "content": "tea \ud83d"}"#;
        let raw = [&b"{\"role\": \"poet\"}\n"[..], good, b"\nnonsense\n\0\0", good, b"\n{\"role\": \"us"].concat();
        let found = read(&raw).unwrap();
        let said: Vec<_> = found.iter().map(|one| (one.content.as_str(), one.unreadable.is_empty())).collect();
        let tea = ("tea \u{FFFD}", true);
        assert_eq!(said, [("", false), tea, ("", false), tea, ("", false)]);
        assert!(found[2].unreadable.contains("line 3 of the file is not JSON"), "{found:?}");
    }

    #[test]
    fn where_no_message_can_be_read_the_first_is_named() {
        for (raw, said) in [
            ("", "no message"),
            ("[]", "no message"),
            ("{\"role\"", "line 1"),
            ("[{}, 7]", "message 1"),
            (r#"[{"role": "poet"}]"#, "message 1"),
        ] {
            let why = read(raw.as_bytes()).unwrap_err();
            assert!(why.contains(said), "{raw}: {why}");
        }
    }
}
