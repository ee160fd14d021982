//! A stored consent record, and the bounds for an imported one.

use serde::{Deserialize, Serialize};

use super::ConsentDraft;
use crate::bounds::{CLOCK_SKEW, MAX_RECORD_COUNT};
use crate::error::{Error, FieldViolation, Result};
use crate::ids::ConsentId;
use crate::memory::{label_problem, names};
use crate::time::Timestamp;

/// Longest name of a principal who recorded or retracted, in bytes: `jwt:` and the longest subject of a token.
pub(crate) const MAX_PRINCIPAL_BYTES: usize = 4 + 128;

/// The treatment of memories whose consent is retracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retraction {
    /// They are erased.
    #[default]
    Purge,
    /// They stay hidden until a new record releases them.
    Seal,
}
names!(Retraction { Purge => "purge", Seal => "seal" });

/// The status of a consent record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConsentStatus {
    /// The consent is in force.
    Active,
    /// The consent has expired. Memories stored under it stay.
    Expired,
    /// The consent was retracted.
    Retracted,
}
names!(ConsentStatus { Active => "active", Expired => "expired", Retracted => "retracted" });

/// A record of consent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsentRecord {
    /// Id of the record.
    pub id: ConsentId,
    /// The consent as the caller stated it, normalized.
    pub draft: ConsentDraft,
    /// The principal who recorded it.
    pub recorded_by: String,
    /// When it was given.
    pub granted_at: Timestamp,
    /// When it was retracted.
    pub retracted_at: Option<Timestamp>,
    /// The principal who retracted it.
    pub retracted_by: Option<String>,
    /// The treatment of the memories under it.
    pub retraction: Option<Retraction>,
    /// Number of writes, from 1.
    pub revision: u64,
}

impl ConsentRecord {
    /// Returns the status at `now`.
    pub fn status(&self, now: Timestamp) -> ConsentStatus {
        if self.retracted_at.is_some() {
            ConsentStatus::Retracted
        } else if self.draft.expires_at.is_some_and(|end| end <= now) {
            ConsentStatus::Expired
        } else {
            ConsentStatus::Active
        }
    }

    /// Reports whether the memories under it are hidden.
    pub fn is_sealed(&self) -> bool {
        self.retraction == Some(Retraction::Seal)
    }

    /// Normalizes and checks an imported record: nothing that a caller sends is trusted, even if Kimberly once wrote it.
    pub fn checked(mut self, path: &str, now: Timestamp) -> Result<Self> {
        let mut violations = Vec::new();
        match std::mem::take(&mut self.draft).normalized(path) {
            Ok(draft) => self.draft = draft,
            Err(Error::Invalid(found)) => violations = found,
            Err(other) => return Err(other),
        }
        self.check(now, &mut |field, problem| {
            violations.push(FieldViolation::new(format!("{path}.{field}"), problem));
        });
        if violations.is_empty() { Ok(self) } else { Err(Error::Invalid(violations)) }
    }

    fn check(&self, now: Timestamp, bad: &mut impl FnMut(&str, String)) {
        if self.id.0.get_version_num() != 7 {
            bad("id", "is not a UUID version 7, as Kimberly creates them".to_owned());
        }
        let names = [("recorded_by", Some(&self.recorded_by)), ("retracted_by", self.retracted_by.as_ref())];
        for (field, name) in names {
            if let Some(problem) = name.and_then(|name| label_problem(name, MAX_PRINCIPAL_BYTES)) {
                bad(field, problem);
            }
        }
        let latest = now.plus(CLOCK_SKEW);
        for (field, at) in [("granted_at", Some(self.granted_at)), ("retracted_at", self.retracted_at)] {
            if at.is_some_and(|at| at > latest) {
                bad(field, "is in the future; check the clocks of both machines".to_owned());
            }
        }
        let retracted = self.retracted_at.is_some();
        if retracted != self.retraction.is_some() || retracted != self.retracted_by.is_some() {
            let problem = "must be set together with retracted_at and retracted_by, or all omitted";
            bad("retraction", problem.to_owned());
        }
        if !(1..=MAX_RECORD_COUNT).contains(&self.revision) {
            let allowed = format!("a whole number from 1 to {MAX_RECORD_COUNT}");
            bad("etag", format!("must be {allowed}; leave it as it was exported"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consent::{ConsentScope, GivenBy};
    use crate::error::refused_fields;

    const NOW: Timestamp = Timestamp(1_790_000_000_000_000);

    fn record() -> ConsentRecord {
        ConsentRecord {
            id: ConsentId(uuid::Uuid::parse_str("01920000-0000-7000-8000-000000000001").unwrap()),
            draft: ConsentDraft {
                purpose: "care".to_owned(),
                scope: ConsentScope::default(),
                given_by: GivenBy::User,
                note: String::new(),
                expires_at: Some(NOW),
                wording_sha256: None,
            },
            recorded_by: "user".to_owned(),
            granted_at: Timestamp(NOW.0 - 10),
            retracted_at: None,
            retracted_by: None,
            retraction: None,
            revision: 1,
        }
    }

    fn fields(record: ConsentRecord) -> Vec<String> {
        refused_fields(record.checked("consents[0]", NOW))
    }

    #[test]
    fn a_record_expires_at_its_end_and_retraction_outweighs_that() {
        assert_eq!(record().status(Timestamp(NOW.0 - 1)), ConsentStatus::Active);
        assert_eq!(record().status(NOW), ConsentStatus::Expired);
        let retracted = ConsentRecord { retracted_at: Some(NOW), ..record() };
        assert_eq!(retracted.status(NOW), ConsentStatus::Retracted);
        let endless = ConsentRecord { draft: ConsentDraft { expires_at: None, ..record().draft }, ..record() };
        assert_eq!(endless.status(Timestamp::MAX), ConsentStatus::Active);
    }

    #[test]
    fn what_comes_back_is_held_to_its_bounds() {
        assert_eq!(record().checked("consents[0]", NOW).unwrap(), record());
        let retracted = ConsentRecord {
            retracted_at: Some(NOW),
            retracted_by: Some("user".to_owned()),
            retraction: Some(Retraction::Seal),
            ..record()
        };
        assert!(retracted.clone().checked("c", NOW).is_ok());
        assert_eq!(fields(ConsentRecord { retraction: None, ..retracted }), ["consents[0].retraction"]);
        assert_eq!(
            fields(ConsentRecord { retraction: Some(Retraction::Purge), ..record() }),
            ["consents[0].retraction"]
        );
        let v4 = ConsentId(uuid::Uuid::from_u128(4));
        let ahead = NOW.plus(CLOCK_SKEW).plus(crate::time::Span(1));
        let draft = ConsentDraft { purpose: String::new(), ..record().draft };
        let wrong =
            ConsentRecord { id: v4, draft, recorded_by: String::new(), granted_at: ahead, revision: 0, ..record() };
        let all = ["purpose", "id", "recorded_by", "granted_at", "etag"].map(|field| format!("consents[0].{field}"));
        assert_eq!(fields(wrong), all);
    }
}
