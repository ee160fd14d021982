//! A change to some fields of a memory.

use super::kinds::names;
use super::{DraftLimits, MemoryDraft};
use crate::error::{Error, Result};

/// A field that an update may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryField {
    /// `tier`
    Tier,
    /// `content`
    Content,
    /// `metadata`, all of it
    Metadata,
    /// `metadata.tags`
    Tags,
    /// `metadata.source`
    Source,
    /// `metadata.channels`
    Channels,
    /// `metadata.sensitive`
    Sensitive,
    /// `metadata.scope`
    Scope,
    /// `metadata.user_feedback`
    UserFeedback,
    /// `metadata.version`
    Version,
    /// `attributes`
    Attributes,
    /// `session_id`
    SessionId,
    /// `protected`
    Protected,
    /// `speaker`
    Speaker,
    /// `occurred_at`
    OccurredAt,
    /// `consent`
    Consent,
    /// `namespace`
    Namespace,
    /// `consent_id`
    ConsentId,
    /// `embed`
    Embed,
}
names!(MemoryField {
    Tier => "tier",
    Content => "content",
    Metadata => "metadata",
    Tags => "metadata.tags",
    Source => "metadata.source",
    Channels => "metadata.channels",
    Sensitive => "metadata.sensitive",
    Scope => "metadata.scope",
    UserFeedback => "metadata.user_feedback",
    Version => "metadata.version",
    Attributes => "attributes",
    SessionId => "session_id",
    Protected => "protected",
    Speaker => "speaker",
    OccurredAt => "occurred_at",
    Consent => "consent",
    Namespace => "namespace",
    ConsentId => "consent_id",
    Embed => "embed",
});

/// New values and which of them to take.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryPatch {
    /// The new values.
    pub values: MemoryDraft,
    /// Which to take; never empty.
    pub fields: Vec<MemoryField>,
}

impl MemoryPatch {
    /// Reads an update mask; the error names every path that is not a field and lists those that are.
    pub fn new(values: MemoryDraft, mask: &[String]) -> Result<Self> {
        let allowed = || MemoryField::ALL.iter().map(|f| f.name()).collect::<Vec<_>>().join(", ");
        if mask.is_empty() {
            return Err(Error::invalid("update_mask", format!("is empty; name at least one of {}", allowed())));
        }
        let fields = mask
            .iter()
            .map(|path| {
                MemoryField::from_name(path).ok_or_else(|| {
                    Error::invalid("update_mask", format!("names \"{path}\"; allowed are {}", allowed()))
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self { values, fields })
    }

    /// The draft that results from applying this patch to `current`, normalized and checked.
    pub fn apply(&self, current: &MemoryDraft, limits: DraftLimits) -> Result<MemoryDraft> {
        let mut draft = current.clone();
        let from = self.values.clone();
        for field in &self.fields {
            match field {
                MemoryField::Tier => draft.tier = from.tier,
                MemoryField::Content => draft.content.clone_from(&from.content),
                MemoryField::Metadata => draft.metadata.clone_from(&from.metadata),
                MemoryField::Tags => draft.metadata.tags.clone_from(&from.metadata.tags),
                MemoryField::Source => draft.metadata.source = from.metadata.source,
                MemoryField::Channels => draft.metadata.channels.clone_from(&from.metadata.channels),
                MemoryField::Sensitive => draft.metadata.sensitive = from.metadata.sensitive,
                MemoryField::Scope => draft.metadata.scope = from.metadata.scope,
                MemoryField::UserFeedback => draft.metadata.user_feedback = from.metadata.user_feedback,
                MemoryField::Version => draft.metadata.version.clone_from(&from.metadata.version),
                MemoryField::Attributes => draft.attributes.clone_from(&from.attributes),
                MemoryField::SessionId => draft.session_id.clone_from(&from.session_id),
                MemoryField::Protected => draft.protected = from.protected,
                MemoryField::Speaker => draft.speaker.clone_from(&from.speaker),
                MemoryField::OccurredAt => draft.occurred_at = from.occurred_at,
                MemoryField::Consent => draft.consent = from.consent,
                MemoryField::Namespace => draft.namespace.clone_from(&from.namespace),
                MemoryField::ConsentId => draft.consent_id = from.consent_id,
                MemoryField::Embed => draft.embed = from.embed,
            }
        }
        draft.normalized("memory", limits)
    }
}
