//! The memories that a consent is about.

use serde::{Deserialize, Serialize};

use crate::bounds::{MAX_CONSENT_SCOPE, MAX_SESSION_ID_BYTES, MAX_TAG_BYTES};
use crate::error::FieldViolation;
use crate::memory::{MemoryDraft, Tier, check_namespaces, normalized_labels};

/// Conditions that must all hold; an empty list accepts every memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConsentScope {
    /// The memory is in one of these tiers.
    pub tiers: Vec<Tier>,
    /// The memory is in one of these namespaces; an empty name is the default one.
    pub namespaces: Vec<String>,
    /// The memory has at least one of these tags.
    pub tags: Vec<String>,
    /// The memory belongs to one of these sessions.
    pub session_ids: Vec<String>,
}

impl ConsentScope {
    /// Reports whether the scope covers a memory.
    pub fn holds(&self, draft: &MemoryDraft) -> bool {
        let tags = &draft.metadata.tags;
        (self.tiers.is_empty() || self.tiers.contains(&draft.tier))
            && (self.namespaces.is_empty() || self.namespaces.contains(&draft.namespace))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| tags.contains(tag)))
            && (self.session_ids.is_empty()
                || draft.session_id.as_ref().is_some_and(|session| self.session_ids.contains(session)))
    }

    /// Removes duplicates and reports violations of bounds.
    pub(super) fn normalized(mut self, path: &str, violations: &mut Vec<FieldViolation>) -> Self {
        let mut tiers: Vec<Tier> = Vec::new();
        self.tiers.retain(|tier| {
            let first = !tiers.contains(tier);
            tiers.push(*tier);
            first
        });
        check_namespaces(&format!("{path}.namespaces"), &self.namespaces, MAX_CONSENT_SCOPE, violations);
        let mut seen: Vec<String> = Vec::new();
        for name in std::mem::take(&mut self.namespaces) {
            let name = name.trim().to_owned();
            if !seen.contains(&name) {
                seen.push(name);
            }
        }
        self.namespaces = seen;
        self.tags =
            normalized_labels(self.tags, &format!("{path}.tags"), (MAX_CONSENT_SCOPE, MAX_TAG_BYTES), violations);
        self.session_ids = normalized_labels(
            self.session_ids,
            &format!("{path}.session_ids"),
            (MAX_CONSENT_SCOPE, MAX_SESSION_ID_BYTES),
            violations,
        );
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Metadata;

    #[test]
    fn every_condition_must_hold_and_an_empty_one_always_does() {
        let names = |name: &str| vec![name.to_owned()];
        let draft = MemoryDraft {
            tier: Tier::Permanent,
            namespace: "clinic".to_owned(),
            session_id: Some("s".to_owned()),
            metadata: Metadata { tags: vec!["a".to_owned(), "b".to_owned()], ..Metadata::default() },
            ..MemoryDraft::default()
        };
        let all = ConsentScope {
            tiers: vec![Tier::LongTerm, Tier::Permanent],
            namespaces: vec![String::new(), "clinic".to_owned()],
            tags: vec!["z".to_owned(), "b".to_owned()],
            session_ids: names("s"),
        };
        assert!(all.holds(&draft) && ConsentScope::default().holds(&draft));
        assert!(!ConsentScope { tiers: vec![Tier::LongTerm], ..all.clone() }.holds(&draft));
        assert!(!ConsentScope { namespaces: vec![String::new()], ..all.clone() }.holds(&draft));
        assert!(!ConsentScope { tags: names("c"), ..all.clone() }.holds(&draft));
        assert!(!ConsentScope { session_ids: names("t"), ..all.clone() }.holds(&draft));
        assert!(!all.holds(&MemoryDraft { session_id: None, ..draft }), "a memory without a session is in none");
    }
}
