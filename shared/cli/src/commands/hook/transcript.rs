//! The messages of a session, from the assistant's transcript: a JSON object per line. Ignores tool calls and results,
//! thoughts, program notes and messages among subagents.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::persons_words::persons_words;
use crate::error::{CliError, CliResult};
use crate::json;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Said {
    /// The message's id in the transcript.
    pub(super) id: String,
    /// Whether the person wrote it; else the assistant did.
    pub(super) by_person: bool,
    /// The message text.
    pub(super) text: String,
    /// The time, as in the transcript.
    pub(super) at: String,
}

/// Reads the messages in the last `most` bytes of a transcript.
pub(super) fn read(path: &Path, most: u64) -> CliResult<Vec<Said>> {
    let told = |error: io::Error| CliError::failed(format!("the transcript cannot be read: {error}"));
    let mut file = File::open(path).map_err(told)?;
    let facts = file.metadata().map_err(told)?;
    if !facts.is_file() {
        return Err(CliError::usage("the transcript is not a file"));
    }
    let from = facts.len().saturating_sub(most);
    file.seek(SeekFrom::Start(from)).map_err(told)?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    if from > 0 {
        reader.read_until(b'\n', &mut line).map_err(told)?;
    }
    let mut all = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(told)? == 0 {
            return Ok(all);
        }
        // A line that is still being written is read at the next event.
        all.extend(json::parse(&String::from_utf8_lossy(&line)).ok().and_then(|line| said(&line)));
    }
}

fn said(line: &Value) -> Option<Said> {
    let text = |field: &str| line.get(field).and_then(Value::as_str).unwrap_or_default();
    let is = |field: &str| line.get(field).and_then(Value::as_bool).unwrap_or_default();
    let by_person = match text("type") {
        "user" => true,
        "assistant" => false,
        _ => return None,
    };
    if ["isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage"].into_iter().any(is) {
        return None;
    }
    let words = words(line.get("message")?.get("content")?, by_person);
    let id = text("uuid").to_owned();
    (!words.is_empty() && !id.is_empty()).then(|| Said { id, by_person, text: words, at: text("timestamp").to_owned() })
}

/// The text blocks of a content; ignores other blocks, and of a person's what the program wrote.
fn words(content: &Value, by_person: bool) -> String {
    let texts: Vec<&str> = match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => {
            let is_text = |block: &&Value| block.get("type").is_some_and(|of| of == "text");
            blocks.iter().filter(is_text).filter_map(|block| block.get("text")?.as_str()).collect()
        }
        _ => Vec::new(),
    };
    let texts = texts.into_iter().map(|text| if by_person { persons_words(text) } else { text.trim() });
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = r#"{"type":"summary","summary":"tea","leafUuid":"0"}
{"type":"user","uuid":"1","timestamp":"2026-05-04T10:00:00.000Z","isSidechain":false,"message":{"role":"user","content":"I moved to Ghent"}}
{"type":"assistant","uuid":"2","timestamp":"2026-05-04T10:00:01Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Noted."},{"type":"tool_use","id":"t","name":"Read","input":{}}]}}
{"type":"user","uuid":"3","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"4711"}]}}
{"type":"user","uuid":"4","message":{"role":"user","content":"<command-name>/clear</command-name>"}}
{"type":"user","uuid":"5","isMeta":true,"message":{"role":"user","content":"Caveat"}}
{"type":"assistant","uuid":"6","isSidechain":true,"message":{"content":[{"type":"text","text":"among helpers"}]}}
{"type":"user","uuid":"8","message":{"role":"user","content":"<system-reminder>\nToday is Monday.\n</system-reminder>\n\nI keep \ud83d bees"}}
{"type":"user","uuid":"9","message":{"role":"user","content":[{"type":"text","text":"<ide_opened_file>The user opened a.rs</ide_opened_file>"},{"type":"text","text":"Why is it slow?"}]}}
{"type":"user","uuid":"10","message":{"role":"user","content":[{"type":"text","text":"<ide_selection>x</ide_selection>"}]}}
{"type":"assistant","uuid":"7","message":{"content":[{"type":"text","text":"unfin"#;

    fn ids(most: u64) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        std::fs::write(&path, LINES).unwrap();
        read(&path, most).unwrap().into_iter().map(|said| said.id).collect()
    }

    #[test]
    fn only_what_person_and_assistant_said_to_each_other_is_read() {
        assert_eq!(ids(1 << 20), ["1", "2", "8", "9"]);
        assert_eq!(ids(LINES.len() as u64 - 60), ["2", "8", "9"], "a line that is cut is left out");
        let one = said(&serde_json::from_str(LINES.lines().nth(2).unwrap()).unwrap()).unwrap();
        assert_eq!((one.by_person, one.text.as_str(), one.at.as_str()), (false, "Noted.", "2026-05-04T10:00:01Z"));
    }

    #[test]
    fn what_the_program_adds_to_a_persons_words_is_left_out() {
        let said = |id: &str| {
            let line = LINES.lines().find(|line| line.contains(&format!("\"{id}\""))).unwrap();
            said(&json::parse(line).unwrap()).unwrap().text
        };
        assert_eq!(said("8"), "I keep \u{FFFD} bees");
        assert_eq!(said("9"), "Why is it slow?");
    }

    #[test]
    fn what_is_no_transcript_is_said() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(&folder.path().join("none"), 10).is_err());
        assert!(read(folder.path(), 10).is_err());
    }
}
