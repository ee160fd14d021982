//! A record as it is compared with others: the conditions for merging, and its text.

use super::pair::{can_both_be_meant, say_the_same};
use super::tokens::Text;
use crate::ids::ConsentId;
use crate::memory::{Detail, Memory, MemoryFilter, MemoryState, RecordKind, Scope, Tier};
use crate::text::words::fold;
use crate::time::Timestamp;

/// Kinds of records that are merged.
const KINDS: [RecordKind; 7] = [
    RecordKind::Unset,
    RecordKind::Fact,
    RecordKind::Preference,
    RecordKind::Decision,
    RecordKind::Knowledge,
    RecordKind::Belief,
    RecordKind::Note,
];
/// Longest record that is merged, in bytes; longer ones are documents by themselves.
const LONGEST: usize = 2_048;

/// Returns the filter for records that may be merged.
pub fn mergeable(now: Timestamp) -> MemoryFilter {
    MemoryFilter { kinds: KINDS.to_vec(), ..MemoryFilter::default().holding(now) }
}

/// A record, prepared for comparison.
#[derive(Clone, Debug)]
pub struct Note {
    merge_key: MergeKey,
    day: i64,
    pub(super) text: Text,
}

/// The properties that merged records must share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct MergeKey {
    namespace: String,
    consent_id: Option<ConsentId>,
    consent: bool,
    sensitive: bool,
    kind: &'static str,
    tier: Tier,
    scope: Scope,
    speaker: Option<String>,
    subject: Option<String>,
    valid_from: Option<Timestamp>,
    /// The part of the detail that the content does not state.
    detail: Option<String>,
}

impl Note {
    /// Prepares a record, if it may be merged: it is active and short, has no end and no name, and does not last.
    pub fn of(memory: &Memory) -> Option<Self> {
        let draft = &memory.draft;
        let alone = draft.name.is_some() || draft.valid_to.is_some() || draft.lasts() || !KINDS.contains(&draft.kind);
        if alone || draft.content.len() > LONGEST || memory.state != MemoryState::Active {
            return None;
        }
        let text = Text::of(&draft.content);
        let merge_key = MergeKey {
            namespace: draft.namespace.clone(),
            consent_id: draft.consent_id,
            consent: draft.consent,
            sensitive: draft.metadata.sensitive,
            kind: draft.kind.name(),
            tier: draft.tier,
            scope: draft.metadata.scope,
            speaker: draft.speaker.as_deref().map(fold),
            subject: draft.subject.as_deref().map(fold),
            valid_from: draft.valid_from,
            detail: draft.detail.as_ref().map(about),
        };
        (!text.content.is_empty()).then_some(Self { merge_key, day: memory.occurred_at().day(), text })
    }

    /// Returns the properties that must be equal.
    pub(super) const fn merge_key(&self) -> &MergeKey {
        &self.merge_key
    }

    /// Reports whether both say the same; `near` tells whether their vectors are near.
    pub fn says_the_same(&self, other: &Self, near: bool) -> bool {
        self.is_beside(other) && say_the_same(&self.text, &other.text, near)
    }

    /// Reports whether nothing makes them differ in meaning.
    pub(super) fn can_join(&self, other: &Self) -> bool {
        self.is_beside(other) && can_both_be_meant(&self.text, &other.text)
    }

    /// Reports whether the properties are equal, and, for texts with relative times such as "tomorrow", also the day.
    fn is_beside(&self, other: &Self) -> bool {
        let momentary = self.text.is_momentary || other.text.is_momentary;
        self.merge_key == other.merge_key && (!momentary || self.day == other.day)
    }
}

/// Returns what two details must have in common. The object of a fact is stated by its content.
fn about(detail: &Detail) -> String {
    match detail {
        Detail::Fact(fact) => format!("{}\n{}", fold(&fact.subject), fold(&fact.predicate)),
        other => other.to_json(),
    }
}
