//! The part of a consent record that a caller writes, and its bounds.

use serde::{Deserialize, Serialize};

use super::ConsentScope;
use crate::bounds::{MAX_CONSENT_NOTE_BYTES, MAX_PURPOSE_BYTES};
use crate::error::{Error, FieldViolation, Result};
use crate::memory::{names, trimmed_label};
use crate::time::Timestamp;

/// Characters of a SHA-256 in hexadecimal.
const SHA256_HEX: usize = 64;

/// The person who agreed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenBy {
    /// The person whose memories these are.
    #[default]
    User,
    /// A representative who may decide for that person.
    Guardian,
    /// The operator of the application, who stores the agreement elsewhere; the note says where.
    Operator,
}
names!(GivenBy { User => "user", Guardian => "guardian", Operator => "operator" });

/// A caller's description of a consent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsentDraft {
    /// The purpose of the consent.
    pub purpose: String,
    /// The memories that may be stored.
    pub scope: ConsentScope,
    /// The person who consented.
    pub given_by: GivenBy,
    /// Any further information, such as the location of the signed form.
    pub note: String,
    /// When the consent ends: from then on it allows nothing new.
    pub expires_at: Option<Timestamp>,
    /// SHA-256 of the text that was agreed to, in hexadecimal.
    pub wording_sha256: Option<String>,
}

impl ConsentDraft {
    /// Normalizes (trims, removes duplicates) and checks every bound; every violation is reported, not just the first.
    pub fn normalized(mut self, path: &str) -> Result<Self> {
        let mut violations = Vec::new();
        self.scope = self.scope.normalized(&format!("{path}.scope"), &mut violations);
        let mut bad =
            |field: &str, problem: String| violations.push(FieldViolation::new(format!("{path}.{field}"), problem));
        match trimmed_label(&self.purpose, MAX_PURPOSE_BYTES).map(str::to_owned) {
            Ok(purpose) => self.purpose = purpose,
            Err(problem) => bad("purpose", problem),
        }
        if self.note.len() > MAX_CONSENT_NOTE_BYTES {
            bad("note", format!("has {} bytes; at most {MAX_CONSENT_NOTE_BYTES} are allowed", self.note.len()));
        } else if self.note.contains('\0') {
            bad("note", "contains a NUL character; remove it".to_owned());
        }
        let note = self.note.trim().to_owned();
        self.note = note;
        if self.expires_at.is_some_and(|at| at < Timestamp::MIN || at > Timestamp::MAX) {
            bad("expires_at", "is outside the years 1 to 9999".to_owned());
        }
        let is_hex = |text: &String| {
            text.len() == SHA256_HEX && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        if self.wording_sha256.as_ref().is_some_and(|text| !is_hex(text)) {
            bad("wording_sha256", "is not a SHA-256 as 64 hexadecimal digits in lower case".to_owned());
        }
        if violations.is_empty() { Ok(self) } else { Err(Error::Invalid(violations)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{MAX_CONSENT_SCOPE, MAX_SESSION_ID_BYTES};
    use crate::error::refused_fields;

    fn draft(purpose: &str) -> ConsentDraft {
        ConsentDraft { purpose: purpose.to_owned(), ..ConsentDraft::default() }
    }

    fn fields(draft: ConsentDraft) -> Vec<String> {
        refused_fields(draft.normalized("consent"))
    }

    #[test]
    fn a_consent_is_trimmed_and_each_name_of_its_scope_stands_once() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let scope = ConsentScope {
            namespaces: names(&["clinic", "", "clinic"]),
            tags: names(&[" health ", "health"]),
            session_ids: names(&["s1 "]),
            ..ConsentScope::default()
        };
        let given = ConsentDraft { scope, note: " signed on paper ".to_owned(), ..draft(" care ") };
        let normal = given.normalized("consent").unwrap();
        assert_eq!((normal.purpose.as_str(), normal.note.as_str()), ("care", "signed on paper"));
        assert_eq!(normal.scope.namespaces, ["clinic", ""]);
        assert_eq!(
            (normal.scope.tags.as_slice(), normal.scope.session_ids.as_slice()),
            (&names(&["health"])[..], &names(&["s1"])[..])
        );
        assert_eq!(normal.clone().normalized("consent").unwrap(), normal);
    }

    #[test]
    fn every_bound_is_held() {
        assert_eq!(fields(draft(" ")), ["consent.purpose"]);
        assert!(draft(&"x".repeat(MAX_PURPOSE_BYTES)).normalized("consent").is_ok());
        assert_eq!(fields(draft(&"x".repeat(MAX_PURPOSE_BYTES + 1))), ["consent.purpose"]);
        let note = |bytes| ConsentDraft { note: "n".repeat(bytes), ..draft("care") };
        assert!(note(MAX_CONSENT_NOTE_BYTES).normalized("consent").is_ok());
        assert_eq!(fields(note(MAX_CONSENT_NOTE_BYTES + 1)), ["consent.note"]);
        for wrong in ["", "ab", &"A".repeat(64), &"a".repeat(65)] {
            let wording_sha256 = Some(wrong.to_owned());
            assert_eq!(fields(ConsentDraft { wording_sha256, ..draft("care") }), ["consent.wording_sha256"]);
        }
        let session_ids = vec!["s".repeat(MAX_SESSION_ID_BYTES + 1)];
        let tags = (0..=MAX_CONSENT_SCOPE).map(|n| n.to_string()).collect();
        let scope = ConsentScope { namespaces: vec!["n".repeat(65)], tags, session_ids, ..ConsentScope::default() };
        let found = fields(ConsentDraft { scope, ..draft("care") });
        assert_eq!(found, ["consent.scope.namespaces[0]", "consent.scope.tags", "consent.scope.session_ids[0]"]);
    }
}
