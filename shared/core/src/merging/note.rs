//! A record as it is compared with others: which may become one with it at all, and what it says.

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
/// Longer records are texts of their own, in bytes.
const LONGEST: usize = 2_048;

/// The records that may be merged.
pub fn mergeable(now: Timestamp) -> MemoryFilter {
    MemoryFilter { kinds: KINDS.to_vec(), ..MemoryFilter::default().holding(now) }
}

/// A record as it is compared.
#[derive(Clone, Debug)]
pub struct Note {
    place: Place,
    day: i64,
    pub(super) text: Text,
}

/// What must be equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
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
    /// A detail that does not say what the content says, or what it is about.
    detail: Option<String>,
}

impl Note {
    /// Of a record, if it may be merged: it is short, holds for good and has no name; what lasts stays as it is.
    pub fn of(memory: &Memory) -> Option<Self> {
        let draft = &memory.draft;
        let alone = draft.name.is_some() || draft.valid_to.is_some() || draft.lasts() || !KINDS.contains(&draft.kind);
        if alone || draft.content.len() > LONGEST || memory.state != MemoryState::Active {
            return None;
        }
        let text = Text::of(&draft.content);
        let place = Place {
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
        (!text.content.is_empty()).then_some(Self { place, day: memory.occurred_at().day(), text })
    }

    /// Where it belongs.
    pub(super) const fn place(&self) -> &Place {
        &self.place
    }

    /// Whether both say the same; `near` says that their vectors do.
    pub fn says_the_same(&self, other: &Self, near: bool) -> bool {
        self.is_beside(other) && say_the_same(&self.text, &other.text, near)
    }

    /// Whether nothing makes them say different things.
    pub(super) fn can_join(&self, other: &Self) -> bool {
        self.is_beside(other) && can_both_be_meant(&self.text, &other.text)
    }

    /// What counts from when it was said says the same on the same day alone.
    fn is_beside(&self, other: &Self) -> bool {
        let momentary = self.text.is_momentary || other.text.is_momentary;
        self.place == other.place && (!momentary || self.day == other.day)
    }
}

/// What two details must have in common. What a fact says of a predicate is said by its content.
fn about(detail: &Detail) -> String {
    match detail {
        Detail::Fact(fact) => format!("{}\n{}", fold(&fact.subject), fold(&fact.predicate)),
        other => other.to_json(),
    }
}
