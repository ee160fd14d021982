//! Finds, in a write's transaction, the consent records that its memories are stored under.

use crate::consent::{ConsentRecord, Retraction, Uncovered, cover};
use crate::error::{Error, Result};
use crate::ids::ConsentId;
use crate::memory::{Memory, MemoryDraft};
use crate::ports::{ConsentQuery, VaultReader};
use crate::time::Timestamp;

/// Consent records, inactive ones included, that are read to say why a memory is refused.
const EXPLAINING: usize = 100;

/// Consent records that may cover the memories of a write.
pub(super) struct Covering {
    records: Vec<ConsentRecord>,
    now: Timestamp,
}

impl Covering {
    /// Reads the records that these drafts need: none, unless a draft is sensitive or names a record.
    pub(super) async fn read(reader: &mut dyn VaultReader, drafts: &[&MemoryDraft], now: Timestamp) -> Result<Self> {
        let needing = || drafts.iter().filter(|draft| draft.metadata.sensitive || draft.consent_id.is_some());
        if needing().next().is_none() {
            return Ok(Self { records: Vec::new(), now });
        }
        let mut records = reader.consents(&ConsentQuery::Active(now)).await?;
        let mut named: Vec<ConsentId> = needing().filter_map(|draft| draft.consent_id).collect();
        named.sort_unstable();
        named.dedup();
        named.retain(|id| !records.iter().any(|record| record.id == *id));
        if !named.is_empty() {
            records.extend(reader.consents(&ConsentQuery::Ids(named)).await?);
        }
        if needing().any(|draft| cover(draft, &records, now).is_err()) {
            let page = ConsentQuery::Page { retracted: true, after: None, limit: EXPLAINING };
            for past in reader.consents(&page).await? {
                if !records.iter().any(|record| record.id == past.id) {
                    records.push(past);
                }
            }
        }
        Ok(Self { records, now })
    }

    /// Returns the draft under the record that covers it. `path` is its path in the request.
    pub(super) fn covered(&self, draft: MemoryDraft, path: &str) -> Result<MemoryDraft> {
        let consent_id = cover(&draft, &self.records, self.now).map_err(|why| refused(&draft, path, why))?;
        Ok(MemoryDraft { consent: draft.consent || consent_id.is_some(), consent_id, ..draft })
    }

    /// Returns an exported memory under its original record, which must exist. The record may have expired since the
    /// memory was created. If its retraction sealed its memories, the memory is withheld.
    pub(super) fn covered_again(&self, memory: Memory, path: &str) -> Result<Memory> {
        let Some(id) = memory.draft.consent_id else {
            return Ok(Memory { draft: self.covered(memory.draft, path)?, withheld: false, ..memory });
        };
        let refuse = |why| Err(refused(&memory.draft, path, why));
        let Some(record) = self.records.iter().find(|record| record.id == id) else {
            return refuse(Uncovered::Unknown);
        };
        if record.retraction == Some(Retraction::Purge) {
            return refuse(Uncovered::Retracted);
        }
        if record.draft.expires_at.is_some_and(|end| end <= memory.created_at) {
            return refuse(Uncovered::Expired);
        }
        // A memory that is not sensitive may have left the scope since, as that needs no consent.
        if memory.draft.metadata.sensitive && !record.draft.scope.holds(&memory.draft) {
            return refuse(Uncovered::Scope);
        }
        let draft = MemoryDraft { consent: true, ..memory.draft };
        Ok(Memory { draft, withheld: record.is_sealed(), ..memory })
    }
}

fn refused(draft: &MemoryDraft, path: &str, why: Uncovered) -> Error {
    Error::ConsentRequired { field: path.to_owned(), why, tier: draft.tier }
}
