//! A message of a conversation, its limits, and the record that it becomes.

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::bounds::{MAX_ATTRIBUTES_BYTES, MAX_MESSAGE_ID_BYTES, MAX_SPEAKER_BYTES, MAX_TOOL_BYTES};
use crate::error::FieldViolation;
use crate::ids::MemoryId;
use crate::memory::{Creator, Detail, MemoryDraft, Metadata, Role, Source, Tier, TurnDetail, trimmed_label};
use crate::time::Timestamp;

/// A message.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Message {
    /// The caller's id of the message; empty for none.
    pub id: String,
    /// The role of the speaker.
    pub role: Role,
    /// The content.
    pub content: String,
    /// The name of the speaker; empty if the role suffices.
    pub name: String,
    /// When it was said; `None` for now.
    pub at: Option<Timestamp>,
    /// The tool that was called, or that answered; empty if none.
    pub tool: String,
    /// The id of the tool call; empty if none.
    pub tool_call_id: String,
    /// A free JSON object of the caller, as compact JSON text.
    pub attributes: Option<String>,
    /// Why it cannot be stored; empty if it can.
    #[serde(skip)]
    pub problems: Vec<FieldViolation>,
}

/// The part of a message that is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken<'t> {
    /// The rest of its content.
    pub content: &'t str,
    /// Digest of the message as sent, if the rest is less; empty otherwise.
    pub sent: &'t str,
    /// Its position in the conversation.
    pub position: i64,
}

impl Message {
    /// Trims its names and notes its problems; `path` is its path in the request.
    pub fn check(&mut self, path: &str) {
        let mut violations = std::mem::take(&mut self.problems);
        let names = [
            ("id", &mut self.id, MAX_MESSAGE_ID_BYTES),
            ("name", &mut self.name, MAX_SPEAKER_BYTES),
            ("tool", &mut self.tool, MAX_TOOL_BYTES),
            ("tool_call_id", &mut self.tool_call_id, MAX_TOOL_BYTES),
        ];
        let mut bad = |field: &str, problem| violations.push(FieldViolation::new(format!("{path}.{field}"), problem));
        for (field, name, most) in names {
            if name.trim().is_empty() && name.len() <= most {
                name.clear();
                continue;
            }
            match trimmed_label(name, most) {
                Ok(trimmed) => *name = trimmed.to_owned(),
                Err(problem) => bad(field, problem),
            }
        }
        if self.content.contains('\0') {
            bad("content", "contains a NUL character; remove it".to_owned());
        }
        if self.at.is_some_and(|at| at < Timestamp::MIN || at > Timestamp::MAX) {
            bad("time", "is outside the years 1 to 9999".to_owned());
        }
        if let Some(has) = self.attributes.as_ref().map(String::len).filter(|has| *has > MAX_ATTRIBUTES_BYTES) {
            bad("attributes", format!("has {has} bytes as JSON; at most {MAX_ATTRIBUTES_BYTES} are allowed"));
        }
        self.problems = violations;
    }

    /// Returns why it cannot be stored, in a sentence.
    pub fn problem(&self) -> Option<String> {
        let said = self.problems.iter().map(|one| format!("{} {}", one.field, one.problem)).collect::<Vec<_>>();
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// Returns the tier that stores it: answers of tools are short-term.
    pub const fn tier(&self) -> Tier {
        match self.role {
            Role::Tool => Tier::ShortTerm,
            Role::User | Role::Assistant | Role::System => Tier::LongTerm,
        }
    }

    /// Returns the record that it becomes.
    pub fn draft(&self, session_id: &str, namespace: &str, sensitive: bool, taken: Taken<'_>) -> MemoryDraft {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let detail = TurnDetail {
            role: self.role,
            position: taken.position,
            tool: self.tool.clone(),
            tool_call_id: self.tool_call_id.clone(),
            sent_digest: taken.sent.to_owned(),
        };
        MemoryDraft {
            tier: self.tier(),
            content: taken.content.to_owned(),
            metadata: Metadata { source: Source::Chat, sensitive, ..Metadata::default() },
            attributes: self.attributes.clone(),
            session_id: text(session_id),
            speaker: text(&self.name).or_else(|| text(self.role.name())),
            occurred_at: self.at,
            created_by: if self.role == Role::User { Creator::User } else { Creator::Agent },
            namespace: namespace.to_owned(),
            kind: crate::memory::RecordKind::Turn,
            detail: Some(Detail::Turn(detail)),
            source_ref: text(&self.id),
            ..MemoryDraft::default()
        }
    }
}

/// Returns the record id of a message with an id. It is the same whenever the message is sent, but differs between the
/// parts of a vault that a caller may be limited to.
pub fn id_of(session_id: &str, namespace: &str, sensitive: bool, message: &Message) -> MemoryId {
    let mut hasher = Sha256::new();
    hasher.update("kimberly/v1/message\0");
    for part in [session_id, namespace, message.tier().name(), &message.id] {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hasher.update([u8::from(sensitive)]);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize()[..16]);
    bytes[6] = (bytes[6] & 0x0f) | 0x70;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    MemoryId(Uuid::from_bytes(bytes))
}

/// Returns a digest to compare contents that are stored in part: half of the SHA-256, in hexadecimal.
pub fn sent_digest(content: &str) -> String {
    half(&Sha256::digest(content.trim()))
}

/// Returns the first 16 bytes of a digest, in hexadecimal.
pub(super) fn half(digest: &[u8]) -> String {
    use std::fmt::Write as _;
    digest.iter().take(16).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
impl Message {
    /// Creates a message without an id.
    pub(super) fn of(role: Role, content: &str) -> Self {
        Self {
            id: String::new(),
            role,
            content: content.to_owned(),
            name: String::new(),
            at: None,
            tool: String::new(),
            tool_call_id: String::new(),
            attributes: None,
            problems: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: &str, role: Role) -> Message {
        Message { id: id.to_owned(), ..Message::of(role, "tea") }
    }

    #[test]
    fn an_id_makes_the_same_record_only_within_what_a_caller_may_be_limited_to() {
        let of =
            |session, namespace, sensitive, id: &str, role| id_of(session, namespace, sensitive, &message(id, role));
        let first = of("s", "", false, "1", Role::User);
        assert_eq!(first, of("s", "", false, "1", Role::Assistant), "a role is no limit");
        assert_eq!(first.0.get_version_num(), 7);
        for other in [
            of("t", "", false, "1", Role::User),
            of("s", "n", false, "1", Role::User),
            of("s", "", true, "1", Role::User),
            of("s", "", false, "2", Role::User),
            of("s", "", false, "1", Role::Tool),
        ] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn a_message_becomes_a_turn_by_who_spoke() {
        let taken = Taken { content: "te", sent: "d1", position: 3 };
        let draft = message("", Role::Tool).draft("s", "", false, taken);
        assert_eq!((draft.tier, draft.speaker.as_deref(), draft.source_ref), (Tier::ShortTerm, Some("tool"), None));
        let Some(Detail::Turn(turn)) = draft.detail else { panic!("no turn") };
        assert_eq!((turn.position, turn.sent_digest.as_str()), (3, "d1"));
    }

    #[test]
    fn what_is_wrong_with_a_message_is_named() {
        let long = "x".repeat(129);
        let mut wrong = Message {
            id: long.clone(),
            content: "\0".to_owned(),
            name: long.clone(),
            tool: long.clone(),
            tool_call_id: long,
            at: Some(Timestamp(i64::MAX)),
            attributes: Some("x".repeat(MAX_ATTRIBUTES_BYTES + 1)),
            ..message("", Role::User)
        };
        wrong.check("m");
        let fields: Vec<&str> = wrong.problems.iter().map(|violation| violation.field.as_str()).collect();
        assert_eq!(fields, ["m.id", "m.name", "m.tool", "m.tool_call_id", "m.content", "m.time", "m.attributes"]);
    }
}
