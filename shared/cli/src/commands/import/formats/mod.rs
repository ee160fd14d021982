//! Foreign formats, read as memories of one user: each format has its own file and is detected by its content.
//!
//! Every format except the graph's is read as a stream, one value at a time, so that a file may have any size.

mod chatgpt;
mod graph;
mod markdown;
mod messages;
mod texts;
mod values;

use clap::ValueEnum;
use kimberly_proto::v1;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use values::Values;

use super::fields::Fields;
use super::items::Items;
use super::load::Load;
use super::source::Source;
use crate::error::{CliError, CliResult};
use crate::text;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// What `kimberly export` wrote
    Kimberly,
    /// Conversations in the shape of LoCoMo, each of which becomes a user
    Locomo,
    /// ChatGPT's export: conversations.json
    Chatgpt,
    /// Messages with a role and a content, as a list or as lines
    Messages,
    /// JSON texts, or objects with a text, as a list or as lines
    Texts,
    /// The file of MCP's reference memory server: entities and relations, on lines
    Graph,
    /// Markdown or plain text: a memory for each paragraph and item of a list
    Markdown,
    /// Markdown, plain text or HTML: a document that is found by its passages
    Document,
}

impl Format {
    const fn name(self) -> &'static str {
        match self {
            Self::Kimberly => "kimberly",
            Self::Locomo => "locomo",
            Self::Chatgpt => "chatgpt",
            Self::Messages => "messages",
            Self::Texts => "texts",
            Self::Graph => "graph",
            Self::Markdown => "markdown",
            Self::Document => "document",
        }
    }
}

/// The accepted formats, for errors.
const TAKEN: &str = "an import takes Kimberly's export, ChatGPT's conversations.json, lists or lines of {role, content} or of \
                     texts, LoCoMo, MCP's memory.jsonl, and documents (.md, .txt, .html); --format says which";

/// The result of reading a piece of a file.
#[derive(Debug, PartialEq)]
pub(super) enum Drafted {
    /// A memory.
    Draft(Box<v1::MemoryDraft>),
    /// Something without content to remember, such as an instruction to the assistant.
    LeftOut,
}

impl Drafted {
    fn draft(draft: v1::MemoryDraft) -> Self {
        Self::Draft(Box::new(draft))
    }
}

/// Reads one value; returns its pieces in order. `number` counts values from 1.
type OfValue = fn(value: &Value, session: &str, number: u64) -> Result<Vec<Drafted>, String>;

/// A file in a foreign format.
#[derive(Clone, Debug)]
pub(super) struct Foreign {
    file: Source,
    format: Format,
    /// Prefix for names of sessions, where the file has none.
    session: String,
}

impl Foreign {
    /// All pieces of the file, in order.
    pub(super) fn drafts(&self) -> Box<dyn Iterator<Item = CliResult<Drafted>> + Send> {
        let read: OfValue = match self.format {
            Format::Chatgpt => chatgpt::conversation,
            Format::Messages => messages::value,
            Format::Texts | Format::Kimberly | Format::Locomo | Format::Graph | Format::Document => texts::value,
            Format::Markdown => return Box::new(markdown::blocks(self.file.reader())),
        };
        let (session, mut number) = (self.session.clone(), 0);
        let drafts = Values::new(self.file.reader()).flat_map(move |value| {
            number += 1;
            let drafts = value.and_then(|value| read(&value, &session, number));
            match drafts {
                Ok(drafts) => drafts.into_iter().map(Ok).collect(),
                Err(problem) => vec![Err(CliError::usage(format!("value {number} of the file: {problem}")))],
            }
        });
        Box::new(drafts)
    }
}

/// Detects the format of a file from its first value.
pub(super) fn detect(file: &Source) -> CliResult<Format> {
    let first = Values::new(file.reader()).next();
    let first = first.ok_or_else(|| CliError::usage("the file is empty"))?;
    let first =
        first.map_err(|problem| CliError::usage(format!("the file does not begin with JSON ({problem}); {TAKEN}")))?;
    of_value(&first).ok_or_else(|| {
        let keys = first.as_object().map(|members| members.keys().take(5).cloned().collect::<Vec<_>>().join(", "));
        let what = keys.map_or_else(|| "a value of another kind".to_owned(), |keys| format!("an object with {keys:?}"));
        CliError::usage(format!("the file begins with {what}; {TAKEN}"))
    })
}

/// The format that starts with this value.
fn of_value(first: &Value) -> Option<Format> {
    if first.is_string() {
        return Some(Format::Texts);
    }
    let has = |key: &str| first.get(key).is_some();
    Some(match () {
        () if graph::is_first(first) => Format::Graph,
        () if has("mapping") => Format::Chatgpt,
        () if has("conversation") => Format::Locomo,
        () if has("messages") || has("role") => Format::Messages,
        () if has("content") || has("export") => Format::Kimberly,
        () if has("text") => Format::Texts,
        () => return None,
    })
}

/// Reads a file to its end: validates it and counts its content.
pub(super) fn survey(file: &Source, format: Format, user: &str) -> CliResult<Load> {
    if format == Format::Graph {
        return graph::survey(file, user);
    }
    let foreign = Foreign { file: file.clone(), format, session: session(file, format)? };
    let read_as = Some(format.name());
    let mut load = Load { read_as, ..Load::new(user, Items::Foreign(foreign.clone())) };
    for drafted in foreign.drafts() {
        match drafted? {
            Drafted::Draft(_) => load.memories += 1,
            Drafted::LeftOut => load.left_out += 1,
        }
    }
    if load.memories == 0 {
        return Err(CliError::usage(format!("the file contains no text to remember; {TAKEN}")));
    }
    Ok(load)
}

/// The prefix for names of sessions: the same for a later export of the same messages, which begins as the first one.
fn session(file: &Source, format: Format) -> CliResult<String> {
    let first = Values::new(file.reader()).next().and_then(Result::ok).filter(|_| format == Format::Messages);
    let Some(first) = first else { return Ok(file.fingerprint()?[..12].to_owned()) };
    let message = first.get("messages").and_then(|messages| messages.get(0)).unwrap_or(&first);
    Ok(text::hex(Sha256::new_with_prefix(message.to_string()))[..12].to_owned())
}

/// A memory from a conversation.
fn said(content: String, session: &str, speaker: &str) -> v1::MemoryDraft {
    v1::MemoryDraft {
        tier: v1::Tier::LongTerm.into(),
        content,
        metadata: Some(v1::Metadata { source: v1::Source::Import.into(), ..v1::Metadata::default() }),
        session_id: session.to_owned(),
        speaker: speaker.to_owned(),
        ..v1::MemoryDraft::default()
    }
}

/// A time in foreign formats: Unix seconds, or RFC 3339.
fn time(fields: &Fields<'_>, key: &str) -> Result<Option<prost_types::Timestamp>, String> {
    let Some(Value::Number(seconds)) = fields.get(key) else { return fields.time(key) };
    let seconds = seconds.as_f64().filter(|seconds| (0.0..1e11).contains(seconds));
    let seconds = seconds.ok_or_else(|| format!("{key} is not a time in seconds since 1970"))?;
    // Rounded to microseconds, the precision of a vault.
    #[expect(clippy::cast_possible_truncation, reason = "below 1e17")]
    let micros = (seconds * 1e6).round() as i64;
    let nanos = i32::try_from(micros % 1_000_000 * 1_000).unwrap_or_default();
    Ok(Some(prost_types::Timestamp { seconds: micros / 1_000_000, nanos }))
}

#[cfg(test)]
mod tests;
