//! Finds the consent record under which a memory is stored.

use super::{ConsentRecord, ConsentStatus, Uncovered};
use crate::ids::ConsentId;
use crate::memory::MemoryDraft;
use crate::time::Timestamp;

/// Returns the record under which a memory may be stored at `now`: the one it names, or for a sensitive memory the
/// newest that covers it; `None` if it needs none. `records` must hold all active and all named records; further ones
/// make the reason of a refusal more precise.
pub fn cover(draft: &MemoryDraft, records: &[ConsentRecord], now: Timestamp) -> Result<Option<ConsentId>, Uncovered> {
    if let Some(id) = draft.consent_id {
        let record = records.iter().find(|record| record.id == id).ok_or(Uncovered::Unknown)?;
        return match refusal(record, now) {
            Some(why) => Err(why),
            None if record.draft.scope.holds(draft) => Ok(Some(id)),
            None => Err(Uncovered::Scope),
        };
    }
    if !draft.metadata.sensitive {
        return Ok(None);
    }
    let holding = || records.iter().filter(|record| record.draft.scope.holds(draft));
    let newest = |record: &&ConsentRecord| (record.granted_at, record.id);
    if let Some(record) = holding().filter(|record| refusal(record, now).is_none()).max_by_key(newest) {
        return Ok(Some(record.id));
    }
    let ended = holding().max_by_key(newest).and_then(|record| refusal(record, now));
    let other = records.iter().any(|record| refusal(record, now).is_none());
    Err(ended.unwrap_or(if other { Uncovered::Scope } else { Uncovered::None }))
}

/// Returns why a record allows nothing, if it does not.
fn refusal(record: &ConsentRecord, now: Timestamp) -> Option<Uncovered> {
    match record.status(now) {
        ConsentStatus::Active => None,
        ConsentStatus::Expired => Some(Uncovered::Expired),
        ConsentStatus::Retracted => Some(Uncovered::Retracted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consent::{ConsentDraft, ConsentScope};
    use crate::memory::{Metadata, Tier};

    const NOW: Timestamp = Timestamp(1_000);

    fn id(n: u128) -> ConsentId {
        ConsentId(uuid::Uuid::from_u128(n))
    }

    /// A record granted at time `n` for these tiers.
    fn record(n: u8, tiers: &[Tier]) -> ConsentRecord {
        let scope = ConsentScope { tiers: tiers.to_vec(), ..ConsentScope::default() };
        ConsentRecord {
            id: id(n.into()),
            draft: ConsentDraft { scope, ..ConsentDraft::default() },
            recorded_by: "user".to_owned(),
            granted_at: Timestamp(n.into()),
            retracted_at: None,
            retracted_by: None,
            retraction: None,
            revision: 1,
        }
    }

    fn expired(record: ConsentRecord) -> ConsentRecord {
        ConsentRecord { draft: ConsentDraft { expires_at: Some(NOW), ..record.draft }, ..record }
    }

    fn retracted(record: ConsentRecord) -> ConsentRecord {
        ConsentRecord { retracted_at: Some(Timestamp(2)), ..record }
    }

    fn draft(sensitive: bool, named: Option<u128>) -> MemoryDraft {
        let metadata = Metadata { sensitive, ..Metadata::default() };
        MemoryDraft { tier: Tier::LongTerm, metadata, consent_id: named.map(id), ..MemoryDraft::default() }
    }

    #[test]
    fn the_newest_active_record_that_holds_a_sensitive_memory_covers_it() {
        let records = [record(3, &[]), record(5, &[Tier::LongTerm]), record(9, &[Tier::Permanent])];
        assert_eq!(cover(&draft(true, None), &records, NOW), Ok(Some(id(5))));
        assert_eq!(cover(&draft(true, Some(3)), &records, NOW), Ok(Some(id(3))), "the one that it names goes first");
        assert_eq!(cover(&draft(false, None), &records, NOW), Ok(None), "needs none");
        assert_eq!(cover(&draft(false, Some(3)), &records, NOW), Ok(Some(id(3))), "may be under one all the same");
        let ended = [expired(record(8, &[])), retracted(record(7, &[])), record(3, &[])];
        assert_eq!(cover(&draft(true, None), &ended, NOW), Ok(Some(id(3))));
    }

    #[test]
    fn a_refusal_says_precisely_why() {
        let why = |named, records: &[ConsentRecord]| cover(&draft(true, named), records, NOW).unwrap_err();
        assert_eq!(why(None, &[]), Uncovered::None);
        assert_eq!(why(None, &[retracted(record(1, &[Tier::Permanent]))]), Uncovered::None);
        assert_eq!(why(None, &[record(1, &[Tier::Permanent])]), Uncovered::Scope);
        assert_eq!(why(None, &[expired(record(1, &[]))]), Uncovered::Expired);
        assert_eq!(why(None, &[retracted(record(1, &[]))]), Uncovered::Retracted);
        assert_eq!(why(None, &[retracted(record(2, &[])), expired(record(1, &[]))]), Uncovered::Retracted);
        assert_eq!(why(Some(9), &[record(1, &[])]), Uncovered::Unknown);
        assert_eq!(why(Some(1), &[record(1, &[Tier::Permanent]), record(2, &[])]), Uncovered::Scope);
        assert_eq!(why(Some(1), &[expired(record(1, &[])), record(2, &[])]), Uncovered::Expired);
        assert_eq!(why(Some(1), &[retracted(record(1, &[])), record(2, &[])]), Uncovered::Retracted);
        assert!(cover(&draft(false, Some(9)), &[], NOW).is_err(), "also for one that needs none");
    }
}
