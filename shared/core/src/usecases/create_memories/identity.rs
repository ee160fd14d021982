//! When two drafts are one statement: they say the same, of the same, in the same domain. Pure.

use crate::context::{Digest, Fingerprints};
use crate::memory::{Detail, MemoryDraft, RecordKind, Tier};
use crate::text::said;
use crate::text::words::count;

/// A text of fewer words, such as "Yes.", is a statement only together with its session.
const FEWEST_WORDS: u32 = 3;

/// What makes a draft the statement that it is, apart from the consent that it is stored under.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::usecases) struct Identity(String);

impl Identity {
    /// Returns the identity of a draft; `None` if it always becomes a record: entries of journals, which are one more even
    /// if they say the same, and records that are found by their names.
    pub(in crate::usecases) fn of(draft: &MemoryDraft) -> Option<Self> {
        let said = said(&draft.content);
        if said.is_empty() || draft.name.is_some() || is_always_new(draft.kind) || draft.was_concluded() {
            return None;
        }
        let is_of_session = draft.tier == Tier::ShortTerm || count(&draft.content) < FEWEST_WORDS;
        let about = (&draft.namespace, draft.kind.name(), &draft.speaker, &draft.subject, draft.metadata.scope.name());
        let when = [draft.occurred_at, draft.valid_from, draft.valid_to].map(|time| time.map(|time| time.0));
        let kept = (draft.tier == Tier::ShortTerm, draft.metadata.sensitive, draft.consent);
        let session = draft.session_id.as_ref().filter(|_| is_of_session);
        let rest = (session, &draft.attributes, draft.detail.as_ref().map(Detail::to_json));
        serde_json::to_string(&(said, about, when, kept, rest)).ok().map(Self)
    }

    /// Returns its keyed digest.
    pub(in crate::usecases) fn digest(&self, prints: &Fingerprints) -> Digest {
        prints.of_parts(&["known", &self.0])
    }
}

const fn is_always_new(kind: RecordKind) -> bool {
    matches!(kind, RecordKind::Raw | RecordKind::Turn | RecordKind::Episode | RecordKind::Document | RecordKind::Block)
}

/// Kinds of records that may be known.
pub(super) fn kinds() -> Vec<RecordKind> {
    RecordKind::ALL.iter().copied().filter(|kind| !is_always_new(*kind)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Metadata, Scope};
    use crate::time::Timestamp;

    fn draft(content: &str) -> MemoryDraft {
        MemoryDraft { content: content.to_owned(), ..MemoryDraft::default() }
    }

    #[test]
    fn wording_aside_equal_statements_are_one_whatever_their_tags_and_strength() {
        let said = Identity::of(&draft("The spare key is with Nadia."));
        assert!(said.is_some());
        let tagged = Metadata { tags: vec!["keys".to_owned()], ..Metadata::default() };
        let again = MemoryDraft {
            tier: Tier::Permanent,
            protected: true,
            importance: 7,
            metadata: tagged,
            session_id: Some("s".to_owned()),
            ..draft("the spare key is with Nadia")
        };
        assert_eq!(Identity::of(&again), said);
    }

    #[test]
    fn each_property_that_tells_statements_apart_does() {
        let plain = draft("The spare key is with Nadia.");
        let sensitive = Metadata { sensitive: true, ..Metadata::default() };
        let shared = Metadata { scope: Scope::Shared, ..Metadata::default() };
        let others = [
            MemoryDraft { kind: RecordKind::Fact, ..plain.clone() },
            MemoryDraft { speaker: Some("Ben".to_owned()), ..plain.clone() },
            MemoryDraft { subject: Some("key".to_owned()), ..plain.clone() },
            MemoryDraft { namespace: "work".to_owned(), ..plain.clone() },
            MemoryDraft { metadata: sensitive, ..plain.clone() },
            MemoryDraft { metadata: shared, ..plain.clone() },
            MemoryDraft { consent: true, ..plain.clone() },
            MemoryDraft { tier: Tier::ShortTerm, ..plain.clone() },
            MemoryDraft { occurred_at: Some(Timestamp(1)), ..plain.clone() },
            MemoryDraft { valid_to: Some(Timestamp(1)), ..plain.clone() },
            MemoryDraft { attributes: Some("{\"a\":1}".to_owned()), ..plain.clone() },
        ];
        for other in others {
            assert_ne!(Identity::of(&other), Identity::of(&plain), "{other:?}");
        }
    }

    #[test]
    fn journals_and_named_records_have_no_identity() {
        let plain = draft("Slept eight hours.");
        for kind in [RecordKind::Raw, RecordKind::Turn, RecordKind::Episode] {
            assert_eq!(Identity::of(&MemoryDraft { kind, ..plain.clone() }), None, "{kind}");
        }
        assert_eq!(Identity::of(&MemoryDraft { name: Some("sleep".to_owned()), ..plain }), None);
        assert_eq!(Identity::of(&draft("...")), None);
    }

    #[test]
    fn a_short_reply_belongs_to_its_session() {
        let of = |text: &str, session: &str| {
            Identity::of(&MemoryDraft { session_id: Some(session.to_owned()), ..draft(text) })
        };
        assert_ne!(of("Yes.", "a"), of("Yes.", "b"));
        assert_eq!(of("Yes.", "a"), of("yes", "a"));
        assert_eq!(of("I like rye bread", "a"), of("I like rye bread", "b"));
    }
}
