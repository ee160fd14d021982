//! Conversations in the shape of LoCoMo: each becomes a user, each turn a memory.

use kimberly_proto::v1;
use prost_types::Timestamp;
use serde_json::{Map, Value, json};

use super::fields::Fields;
use super::items::Items;
use super::load::Load;
use crate::error::{CliError, CliResult};
use crate::json::free;
use crate::time;

/// The samples of the file if it has this shape: an array of objects (or one object) with a `conversation`.
pub(super) fn detect(text: &str) -> Option<Vec<Value>> {
    let samples = match serde_json::from_str(text).ok()? {
        Value::Array(samples) => samples,
        one @ Value::Object(_) => vec![one],
        _ => return None,
    };
    let fits = |sample: &Value| sample.get("conversation").is_some_and(Value::is_object);
    (!samples.is_empty() && samples.iter().all(fits)).then_some(samples)
}

/// The loads per user, named `<prefix>-1`, `<prefix>-2`, and so on.
pub(super) fn loads(samples: &[Value], prefix: &str) -> CliResult<Vec<Load>> {
    let numbered = samples.iter().zip(1..);
    let load = |(sample, number): (&Value, usize)| {
        let drafts = sample.get("conversation").and_then(Value::as_object).map_or(Ok(Vec::new()), conversation);
        let drafts = drafts.map_err(|problem| CliError::usage(format!("conversation {number}: {problem}")))?;
        let memories = drafts.len() as u64;
        Ok(Load { memories, ..Load::new(&format!("{prefix}-{number}"), Items::Drafts(drafts.into())) })
    };
    numbered.map(load).collect()
}

fn conversation(members: &Map<String, Value>) -> Result<Vec<v1::MemoryDraft>, String> {
    let fields = Fields::new(members);
    let number = |key: &String| key.strip_prefix("session_")?.parse::<u32>().ok();
    let mut sessions: Vec<u32> = members.keys().filter_map(number).collect();
    sessions.sort_unstable();
    let mut drafts = Vec::new();
    for session in sessions {
        let name = format!("session_{session}");
        let Some(turns) = fields.get(&name).and_then(Value::as_array) else { continue };
        let date = fields.text(&format!("{name}_date_time"))?;
        let start = time::parse_spoken(&date)
            .ok_or_else(|| format!("{name}_date_time is {date:?}; expected such as 1:56 pm on 8 May, 2023"))?;
        for (turn, position) in turns.iter().zip(0..) {
            let members = turn.as_object().ok_or_else(|| format!("{name} contains an item that is not a turn"))?;
            drafts.push(draft(&Fields::new(members), &name, start, position)?);
        }
    }
    Ok(drafts)
}

/// A turn. Its time is the session's plus its position in seconds, which preserves the order of turns.
fn draft(turn: &Fields<'_>, session: &str, start: Timestamp, position: i64) -> Result<v1::MemoryDraft, String> {
    let mut content = turn.text("text")?;
    let caption = turn.text("blip_caption")?;
    if !caption.is_empty() {
        content = format!("{content} [image: {caption}]");
    }
    if content.trim().is_empty() {
        return Err(format!("turn {} of {session} has neither text nor an image", position + 1));
    }
    let dia_id = turn.text("dia_id")?;
    Ok(v1::MemoryDraft {
        tier: v1::Tier::LongTerm.into(),
        content,
        metadata: Some(v1::Metadata { source: v1::Source::Import.into(), ..v1::Metadata::default() }),
        attributes: free(&json!({"dia_id": dia_id})).ok().filter(|_| !dia_id.is_empty()),
        session_id: session.to_owned(),
        speaker: turn.text("speaker")?,
        occurred_at: Some(Timestamp { seconds: start.seconds + position, nanos: 0 }),
        ..v1::MemoryDraft::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Value {
        json!([{"sample_id": "c1", "qa": [], "conversation": {
            "speaker_a": "Ann", "speaker_b": "Ben",
            "session_10_date_time": "9:05 am on 1 June, 2023",
            "session_10": [{"speaker": "Ben", "dia_id": "D10:1", "text": "Later."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                {"speaker": "Ann", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a red boat"},
                {"speaker": "Ben", "dia_id": "D2:2", "text": "Nice."}
            ],
            "session_3_date_time": "1:56 pm on 9 May, 2023"
        }}])
    }

    #[test]
    fn turns_become_memories_in_the_order_of_the_conversation() {
        let samples = detect(&sample().to_string()).unwrap();
        let loads = loads(&samples, "talk").unwrap();
        assert_eq!((loads.len(), loads[0].user.as_str(), loads[0].memories), (1, "talk-1", 3));
        let Items::Drafts(drafts) = &loads[0].items else { panic!("{:?}", loads[0].items) };
        let first = &drafts[0];
        assert_eq!((first.content.as_str(), first.speaker.as_str()), ("Look! [image: a red boat]", "Ann"));
        assert_eq!((first.session_id.as_str(), first.tier), ("session_2", 2));
        assert_eq!(crate::json::of_free(first.attributes.as_ref().unwrap()), json!({"dia_id": "D2:1"}));
        let times: Vec<String> = drafts.iter().map(|draft| time::exact(draft.occurred_at.as_ref())).collect();
        assert_eq!(times, ["2023-05-08T13:56:00Z", "2023-05-08T13:56:01Z", "2023-06-01T09:05:00Z"]);
    }

    #[test]
    fn other_files_are_not_taken_for_conversations() {
        for text in ["{\"kind\":\"memory\",\"content\":\"x\"}", "[]", "[1]", "{}\n{}", "no json"] {
            assert_eq!(detect(text), None, "{text}");
        }
        assert!(detect("{\"conversation\":{}}").is_some());
    }

    #[test]
    fn a_session_without_a_readable_date_is_named() {
        let text = sample().to_string().replace("1:56 pm on 8 May, 2023", "long ago");
        let message = loads(&detect(&text).unwrap(), "talk").unwrap_err().message().to_owned();
        assert!(
            message.contains("conversation 1")
                && message.contains("session_2_date_time")
                && message.contains("long ago"),
            "{message}"
        );
    }
}
