//! The data sets: in the folder of `KIMBERLY_EVAL`, or in `../shared/data` beside the checkout.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde::Deserialize;

use crate::Result;
use crate::benches::locomo::dataset::{self, Conversation, Question, Turn};
use crate::report::{checkout, say};

/// Whether the conversation with this index is held out.
type IsHeld = fn(usize) -> bool;

/// Conversations of one style.
pub(in crate::benches) struct Set {
    /// Its name in metrics.
    pub(in crate::benches) name: &'static str,
    pub(in crate::benches) conversations: Vec<Conversation>,
    is_held: IsHeld,
}

/// Part of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::benches) enum Part {
    /// For development and tuning.
    Developed,
    /// Only scored.
    Held,
}

impl Part {
    pub(in crate::benches) const ALL: [Self; 2] = [Self::Developed, Self::Held];

    /// The name in metrics.
    pub(in crate::benches) fn name(self) -> &'static str {
        match self {
            Self::Developed => "developed",
            Self::Held => "held",
        }
    }
}

#[derive(Deserialize)]
struct RawChat {
    name: String,
    messages: Vec<RawMessage>,
    questions: Vec<RawQuestion>,
}

#[derive(Deserialize)]
struct RawMessage {
    #[serde(rename = "ref")]
    reference: String,
    role: String,
    session: serde_json::Value,
    text: String,
    /// Unix seconds, if known.
    at: Option<f64>,
}

#[derive(Deserialize)]
struct RawQuestion {
    text: String,
    evidence: Vec<String>,
}

impl Set {
    /// The conversations of a part with their indices.
    pub(in crate::benches) fn of_part(&self, part: Part) -> impl Iterator<Item = (usize, &Conversation)> {
        let is_held = self.is_held;
        self.conversations.iter().enumerate().filter(move |(index, _)| is_held(*index) == (part == Part::Held))
    }
}

/// Reads all available sets; reports missing ones.
pub(in crate::benches) fn read() -> Result<Vec<Set>> {
    let folder = std::env::var_os("KIMBERLY_EVAL").map_or_else(|| checkout().join("../shared/data"), PathBuf::from);
    let (late, odd): (IsHeld, IsHeld) = (|index| index >= 5, |index| index % 2 == 1);
    let files = [
        ("locomo", "locomo10.json", late),
        ("chats", "assistant-chats.json.gz", late),
        ("meetings", "meetings.json.gz", odd),
    ];
    let mut sets = Vec::new();
    for (name, file, is_held) in files {
        let path = folder.join(file);
        if !path.exists() {
            say(&format!("{name} is left out: {} is not there; KIMBERLY_EVAL names another folder", path.display()));
            continue;
        }
        let conversations = if name == "locomo" { dataset::read_from(&path)? } else { chats(&path)? };
        let whole = (name == "locomo").then(|| conversations.iter().map(by_session).collect());
        sets.push(Set { name, conversations, is_held });
        sets.extend(whole.map(|conversations| Set { name: "sessions", conversations, is_held }));
    }
    if sets.is_empty() { Err("there is no data set to measure with".into()) } else { Ok(sets) }
}

/// The same conversation with each session as one text.
fn by_session(conversation: &Conversation) -> Conversation {
    let mut of_turn = Vec::with_capacity(conversation.turns.len());
    let mut turns = Vec::new();
    for session in conversation.turns.chunk_by(|a, b| a.session == b.session) {
        of_turn.extend(session.iter().map(|_| turns.len()));
        let lines: Vec<String> = session.iter().map(|turn| format!("{}: {}", turn.speaker, turn.text)).collect();
        let session_at = session.first().map_or(0, |turn| turn.session_at);
        turns.push(Turn { session: 0, session_at, position: 0, speaker: String::new(), text: lines.join("\n") });
    }
    let question = |question: &Question| {
        let mut evidence: Vec<Option<usize>> = Vec::new();
        for turn in &question.evidence {
            let whole = turn.and_then(|turn| of_turn.get(turn).copied());
            if whole.is_none() || !evidence.contains(&whole) {
                evidence.push(whole);
            }
        }
        Question { evidence, ..question.clone() }
    };
    let (name, questions) = (conversation.name.clone(), conversation.questions.iter().map(question).collect());
    Conversation { name, turns, questions }
}

fn chats(path: &Path) -> Result<Vec<Conversation>> {
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path)?).read_to_string(&mut text)?;
    let raw: Vec<RawChat> =
        serde_json::from_str(&text).map_err(|error| format!("{} is not as expected: {error}", path.display()))?;
    Ok(raw.into_iter().map(conversation).collect())
}

fn conversation(raw: RawChat) -> Conversation {
    let index: HashMap<String, usize> =
        raw.messages.iter().enumerate().map(|(index, message)| (message.reference.clone(), index)).collect();
    let mut sessions: HashMap<String, (usize, usize)> = HashMap::new();
    let mut turns = Vec::with_capacity(raw.messages.len());
    for message in raw.messages {
        let number = sessions.len() + 1;
        let (session, next) = sessions.entry(message.session.to_string()).or_insert((number, 0));
        let (session, position) = (*session, std::mem::replace(next, *next + 1));
        // A turn's time is its session's start plus its position in seconds.
        let session_at = message.at.map_or(0, seconds) - i64::try_from(position).unwrap_or(0);
        turns.push(Turn { session, session_at, position, speaker: message.role, text: message.text });
    }
    let question = |raw: RawQuestion| Question {
        text: raw.text,
        category: 0,
        evidence: raw.evidence.iter().map(|reference| index.get(reference).copied()).collect(),
    };
    Conversation { name: raw.name, turns, questions: raw.questions.into_iter().map(question).collect() }
}

#[expect(clippy::cast_possible_truncation, reason = "seconds of this century")]
fn seconds(at: f64) -> i64 {
    at as i64
}
