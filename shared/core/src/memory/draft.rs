//! The part of a memory that a caller writes, and its bounds.

use serde::{Deserialize, Serialize};

use super::label::{label_problem, normalized_labels, normalized_name};
use super::name::name_problem;
use super::{Creator, Detail, EmbedMark, Feedback, RecordKind, Scope, Source, SourceType, Tier};
use crate::bounds;
use crate::error::{Error, FieldViolation, Result};
use crate::ids::ConsentId;
use crate::time::Timestamp;

/// Structured metadata of a memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// Tags, trimmed, without duplicates, in the order given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How the memory reached Kimberly.
    #[serde(default)]
    pub source: Source,
    /// Channels the memory came through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<String>,
    /// Whether the content is sensitive.
    #[serde(default)]
    pub sensitive: bool,
    /// The intended audience.
    #[serde(default)]
    pub scope: Scope,
    /// The user's feedback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_feedback: Option<Feedback>,
    /// Version of the metadata format, as the caller uses it; "v1" by default.
    #[serde(default)]
    pub version: String,
}

/// A memory as a caller submits it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryDraft {
    /// The tier to store it in.
    pub tier: Tier,
    /// The text to remember.
    pub content: String,
    /// Metadata of the memory.
    pub metadata: Metadata,
    /// A free JSON object from the caller, as compact JSON text.
    pub attributes: Option<String>,
    /// Its session.
    pub session_id: Option<String>,
    /// Whether the system must not archive or delete it.
    pub protected: bool,
    /// The person who said or wrote the content.
    pub speaker: Option<String>,
    /// When the remembered event happened, if not at creation.
    pub occurred_at: Option<Timestamp>,
    /// The creator.
    pub created_by: Creator,
    /// Whether the user agreed to storing it, according to the caller; true for every memory under a consent record.
    pub consent: bool,
    /// The namespace, such as an application's name; empty for the default one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The consent record it is stored under. A sensitive draft without one gets the newest that covers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent_id: Option<ConsentId>,
    /// Whether it gets vectors; a sensitive memory never does.
    #[serde(default, skip_serializing_if = "EmbedMark::is_auto")]
    pub embed: EmbedMark,
    /// The record's kind; that of its detail, if it has one.
    #[serde(default, skip_serializing_if = "RecordKind::is_unset")]
    pub kind: RecordKind,
    /// The structured part for its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
    /// The person or thing it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Importance from 1 to 10; 0 if not stated.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub importance: i32,
    /// Confidence as given by the caller, for input only: the stored one is in [`Belief`](super::Belief).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// How it became known, if different from the default for its creator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_type: Option<SourceType>,
    /// Start of validity, if limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// End of validity, if limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Timestamp>,
    /// The source, as the caller names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_ref: Option<String>,
    /// The path by which it is read and edited in place, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(number: &i32) -> bool {
    *number == 0
}

/// The bound of a field, for the API description; [`MemoryDraft::normalized`] enforces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Any value of its type, or one checked as a whole.
    Free,
    /// A text up to the operator's limit; required unless the record has a name.
    Content,
    /// A path of at most this many bytes; may be empty.
    Path(usize),
    /// A trimmed name of at most this many bytes; may be empty.
    Name(usize),
    /// Printable text of at most this many bytes.
    Printable(usize),
    /// At most this many labels of at most this many bytes.
    Labels(usize, usize),
    /// The id of a consent record; may be empty.
    ConsentId,
}

/// Copies one field from another draft.
type Take = fn(&mut MemoryDraft, &MemoryDraft);

/// The fields that an update may name, by their paths in the API contract.
pub(super) const FIELDS: &[(&str, Bound, Take)] = &[
    ("tier", Bound::Free, |to, from| to.tier = from.tier),
    ("content", Bound::Content, |to, from| to.content.clone_from(&from.content)),
    ("metadata", Bound::Free, |to, from| to.metadata.clone_from(&from.metadata)),
    ("metadata.tags", Bound::Labels(bounds::MAX_TAGS, bounds::MAX_TAG_BYTES), |to, from| {
        to.metadata.tags.clone_from(&from.metadata.tags);
    }),
    ("metadata.source", Bound::Free, |to, from| to.metadata.source = from.metadata.source),
    ("metadata.channels", Bound::Labels(bounds::MAX_CHANNELS, bounds::MAX_CHANNEL_BYTES), |to, from| {
        to.metadata.channels.clone_from(&from.metadata.channels);
    }),
    ("metadata.sensitive", Bound::Free, |to, from| to.metadata.sensitive = from.metadata.sensitive),
    ("metadata.scope", Bound::Free, |to, from| to.metadata.scope = from.metadata.scope),
    ("metadata.user_feedback", Bound::Free, |to, from| to.metadata.user_feedback = from.metadata.user_feedback),
    ("metadata.version", Bound::Printable(bounds::MAX_VERSION_BYTES), |to, from| {
        to.metadata.version.clone_from(&from.metadata.version);
    }),
    ("attributes", Bound::Free, |to, from| to.attributes.clone_from(&from.attributes)),
    ("session_id", Bound::Name(bounds::MAX_SESSION_ID_BYTES), |to, from| to.session_id.clone_from(&from.session_id)),
    ("protected", Bound::Free, |to, from| to.protected = from.protected),
    ("speaker", Bound::Name(bounds::MAX_SPEAKER_BYTES), |to, from| to.speaker.clone_from(&from.speaker)),
    ("occurred_at", Bound::Free, |to, from| to.occurred_at = from.occurred_at),
    ("consent", Bound::Free, |to, from| to.consent = from.consent),
    ("namespace", Bound::Name(bounds::MAX_NAMESPACE_BYTES), |to, from| to.namespace.clone_from(&from.namespace)),
    ("consent_id", Bound::ConsentId, |to, from| to.consent_id = from.consent_id),
    ("embed", Bound::Free, |to, from| to.embed = from.embed),
    ("kind", Bound::Free, |to, from| to.kind = from.kind),
    ("detail", Bound::Free, |to, from| super::believed::take_detail(to, from)),
    ("subject", Bound::Name(bounds::MAX_SUBJECT_BYTES), |to, from| to.subject.clone_from(&from.subject)),
    ("importance", Bound::Free, |to, from| to.importance = from.importance),
    ("confidence", Bound::Free, |to, from| to.confidence = from.confidence),
    ("source_type", Bound::Free, |to, from| to.source_type = from.source_type),
    ("valid_from", Bound::Free, |to, from| to.valid_from = from.valid_from),
    ("valid_to", Bound::Free, |to, from| to.valid_to = from.valid_to),
    ("source_ref", Bound::Name(bounds::MAX_SOURCE_REF_BYTES), |to, from| to.source_ref.clone_from(&from.source_ref)),
    ("name", Bound::Path(bounds::MAX_NAME_BYTES), |to, from| to.name.clone_from(&from.name)),
];

/// Bounds that the operator sets.
#[derive(Clone, Copy, Debug)]
pub struct DraftLimits {
    /// Longest content in bytes.
    pub max_content_bytes: usize,
}

impl Default for DraftLimits {
    fn default() -> Self {
        Self { max_content_bytes: bounds::DEFAULT_MAX_CONTENT_BYTES }
    }
}

impl MemoryDraft {
    /// Returns the bound of a field, by its path in the API contract.
    pub fn bound(path: &str) -> Bound {
        FIELDS.iter().find(|(known, ..)| *known == path).map_or(Bound::Free, |(_, bound, _)| *bound)
    }

    /// Normalizes (trims, removes duplicate tags, fills defaults) and checks every bound. `path` is the draft's path
    /// in the request, such as `memory` or `memories[3]`; every violation is reported, not just the first. Whether a
    /// consent record covers the draft is checked in the vault: see [`cover`](crate::consent::cover).
    pub fn normalized(mut self, path: &str, limits: DraftLimits) -> Result<Self> {
        let mut violations = Vec::new();
        self.metadata.tags = normalized_labels(
            std::mem::take(&mut self.metadata.tags),
            &format!("{path}.metadata.tags"),
            (bounds::MAX_TAGS, bounds::MAX_TAG_BYTES),
            &mut violations,
        );
        self.metadata.channels = normalized_labels(
            std::mem::take(&mut self.metadata.channels),
            &format!("{path}.metadata.channels"),
            (bounds::MAX_CHANNELS, bounds::MAX_CHANNEL_BYTES),
            &mut violations,
        );
        if self.metadata.version.is_empty() {
            "v1".clone_into(&mut self.metadata.version);
        }
        self.check(path, limits, &mut violations);
        self.check_belief(path, &mut violations);
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        Ok(self)
    }

    fn check(&mut self, path: &str, limits: DraftLimits, violations: &mut Vec<FieldViolation>) {
        let mut bad =
            |field: &str, problem: String| violations.push(FieldViolation::new(format!("{path}.{field}"), problem));
        if self.content.len() > limits.max_content_bytes {
            let (has, max) = (self.content.len(), limits.max_content_bytes);
            bad("content", format!("has {has} bytes; at most {max} are allowed: split it into several memories"));
        } else if self.content.trim().is_empty() && self.name.as_deref().unwrap_or_default().is_empty() {
            bad("content", "is empty or only white space; write what to remember".to_owned());
        } else if self.content.contains('\0') {
            bad("content", "contains a NUL character; remove it".to_owned());
        }
        if let Some(Feedback::Rating(stars)) = self.metadata.user_feedback
            && !(1..=5).contains(&stars)
        {
            bad("metadata.user_feedback.rating", format!("is {stars}; 1 to 5 are allowed"));
        }
        if let Some(problem) = label_problem(&self.metadata.version, bounds::MAX_VERSION_BYTES) {
            bad("metadata.version", problem);
        }
        match normalized_name(self.session_id.as_deref(), bounds::MAX_SESSION_ID_BYTES) {
            Ok(name) => self.session_id = name,
            Err(problem) => bad("session_id", problem),
        }
        match normalized_name(Some(self.namespace.as_str()), bounds::MAX_NAMESPACE_BYTES) {
            Ok(name) => self.namespace = name.unwrap_or_default(),
            Err(problem) => bad("namespace", problem),
        }
        match normalized_name(self.speaker.as_deref(), bounds::MAX_SPEAKER_BYTES) {
            Ok(name) => self.speaker = name,
            Err(problem) => bad("speaker", problem),
        }
        self.name = self.name.take().filter(|name| !name.is_empty());
        if let Some(problem) = self.name.as_deref().and_then(name_problem) {
            bad("name", problem);
        }
        if let Some(json) = &self.attributes
            && json.len() > bounds::MAX_ATTRIBUTES_BYTES
        {
            let (has, max) = (json.len(), bounds::MAX_ATTRIBUTES_BYTES);
            bad("attributes", format!("has {has} bytes as JSON; at most {max} are allowed: use an attachment"));
        }
        if self.occurred_at.is_some_and(|at| at < Timestamp::MIN || at > Timestamp::MAX) {
            bad("occurred_at", "is outside the years 1 to 9999".to_owned());
        }
    }
}
