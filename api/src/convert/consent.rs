//! Converts consent records in both directions.

use kimberly_core::consent::{ConsentDraft, ConsentRecord, ConsentScope};
use kimberly_core::{ConsentId, Result, Timestamp};
use kimberly_proto::v1;

use super::enums::{self, WireEnum as _};
use super::filter::several;
use super::problems::Problems;
use super::{text, time};

/// Converts the fields of a consent that callers write. Ignores the fields that Kimberly sets.
pub fn draft(path: &str, raw: v1::Consent) -> Result<ConsentDraft> {
    let mut problems = Problems::default();
    let scope = raw.scope.unwrap_or_default();
    let draft = ConsentDraft {
        purpose: raw.purpose,
        scope: ConsentScope {
            tiers: several(&format!("{path}.scope.tiers"), &scope.tiers, &mut problems),
            namespaces: scope.namespaces,
            tags: scope.tags,
            session_ids: scope.session_ids,
        },
        given_by: problems.take(&format!("{path}.given_by"), enums::optional(raw.given_by)).unwrap_or_default(),
        note: raw.note,
        expires_at: problems.take(&format!("{path}.expires_at"), time::optional_timestamp(raw.expires_at)),
        wording_sha256: text(raw.wording_sha256),
    };
    problems.finish(draft)
}

/// Converts an exported record. The domain checks the bounds.
pub fn record(path: &str, raw: v1::Consent) -> Result<ConsentRecord> {
    let mut problems = Problems::default();
    let at = |field: &str| format!("{path}.{field}");
    let granted_at = problems.take(&at("granted_at"), time::optional_timestamp(raw.granted_at));
    if granted_at.is_none() && raw.granted_at.is_none() {
        problems.add(at("granted_at"), "is required");
    }
    let retracted_at = problems.take(&at("retracted_at"), time::optional_timestamp(raw.retracted_at));
    let id = problems.absorb(ConsentId::parse(&at("id"), &raw.id)).unwrap_or(ConsentId(uuid::Uuid::nil()));
    let retraction = problems.take(&at("retraction"), enums::optional(raw.retraction));
    let revision = problems.take(&at("etag"), super::record::revision(&raw.etag));
    let (recorded_by, retracted_by) = (raw.recorded_by.clone(), text(raw.retracted_by.clone()));
    let record = ConsentRecord {
        id,
        draft: problems.absorb(draft(path, raw)).unwrap_or_default(),
        recorded_by,
        granted_at: granted_at.unwrap_or(Timestamp(0)),
        retracted_at,
        retracted_by,
        retraction,
        revision,
    };
    problems.finish(record)
}

/// Converts a record to the contract, with its status at `now`.
pub fn consent(record: ConsentRecord, now: Timestamp) -> v1::Consent {
    let status = record.status(now).number();
    let scope = record.draft.scope;
    v1::Consent {
        id: record.id.to_string(),
        purpose: record.draft.purpose,
        scope: Some(v1::ConsentScope {
            tiers: scope.tiers.into_iter().map(enums::WireEnum::number).collect(),
            namespaces: scope.namespaces,
            tags: scope.tags,
            session_ids: scope.session_ids,
        }),
        given_by: record.draft.given_by.number(),
        note: record.draft.note,
        expires_at: record.draft.expires_at.map(time::wire_timestamp),
        wording_sha256: record.draft.wording_sha256.unwrap_or_default(),
        recorded_by: record.recorded_by,
        granted_at: Some(time::wire_timestamp(record.granted_at)),
        retracted_at: record.retracted_at.map(time::wire_timestamp),
        retracted_by: record.retracted_by.unwrap_or_default(),
        retraction: record.retraction.map_or(0, enums::WireEnum::number),
        status,
        etag: record.revision.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use kimberly_core::Error;
    use kimberly_core::consent::{GivenBy, Retraction};
    use kimberly_core::memory::Tier;

    use super::*;

    #[test]
    fn a_record_goes_out_and_comes_back_as_it_was() {
        let scope = ConsentScope {
            tiers: vec![Tier::Permanent],
            namespaces: vec![String::new(), "clinic".to_owned()],
            tags: vec!["health".to_owned()],
            session_ids: vec!["s".to_owned()],
        };
        let every = ConsentRecord {
            id: ConsentId(uuid::Uuid::from_u128(7)),
            draft: ConsentDraft {
                purpose: "care".to_owned(),
                scope,
                given_by: GivenBy::Guardian,
                note: "on paper".to_owned(),
                expires_at: Some(Timestamp(5)),
                wording_sha256: Some("a".repeat(64)),
            },
            recorded_by: "app".to_owned(),
            granted_at: Timestamp(1),
            retracted_at: Some(Timestamp(3)),
            retracted_by: Some("user".to_owned()),
            retraction: Some(Retraction::Seal),
            revision: 2,
        };
        let wire = consent(every.clone(), Timestamp(9));
        assert_eq!(wire.status, v1::ConsentStatus::Retracted as i32);
        assert_eq!(record("consents[0]", wire).unwrap(), every);
    }

    #[test]
    fn every_wrong_field_is_named() {
        let scope = v1::ConsentScope { tiers: vec![9], ..Default::default() };
        let raw = v1::Consent { scope: Some(scope), given_by: 9, retraction: 9, ..Default::default() };
        let Err(Error::Invalid(found)) = record("consents[0]", raw) else { panic!("accepted") };
        let fields: Vec<&str> = found.iter().map(|violation| violation.field.as_str()).collect();
        let expected = ["granted_at", "id", "retraction", "etag", "scope.tiers[0]", "given_by"];
        assert_eq!(fields, expected.map(|field| format!("consents[0].{field}")));
    }
}
