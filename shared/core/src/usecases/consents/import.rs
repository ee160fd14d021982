//! Imports exported consent records, so that the memories under them can follow.

use std::sync::Arc;

use crate::bounds::{MAX_ACTIVE_CONSENTS, MAX_CONSENT_BATCH, MAX_CONSENTS};
use crate::boxed;
use crate::consent::{ConsentRecord, ConsentStatus, Retraction};
use crate::error::{Error, FieldViolation, Result};
use crate::ids::{ConsentId, UserId};
use crate::ports::{ConsentQuery, VaultTransaction};
use crate::time::Timestamp;
use crate::usecases::support::entry;
use crate::usecases::{App, embed_later};

/// Counts of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsentsImported {
    /// New records.
    pub imported: u64,
    /// Records whose id exists already. They stay as they are, unless they were retracted elsewhere since.
    pub known: u64,
}

impl App {
    /// Stores at most 100 exported records as they are. A record whose id exists is left as it is, so importing twice
    /// changes nothing and an old export never undoes a retraction. But an imported retraction applies here, too: it
    /// hides what is under the record at once. To erase that, retract the consent here with purge.
    #[boxed]
    pub async fn import_consents(&self, user: &UserId, records: Vec<ConsentRecord>) -> Result<ConsentsImported> {
        let now = self.clock.now();
        let records = Arc::new(checked(records, now)?);
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let running = self.vaults.transact(user, "import_consents", move |tx| {
            let (records, ids, defaults) = (Arc::clone(&records), Arc::clone(&ids), Arc::clone(&defaults));
            Box::pin(async move {
                let (imported, withheld) = import(tx, &records, now).await?;
                if withheld > 0 {
                    embed_later(tx, (&*ids, &*defaults), None, now, None).await?;
                }
                Ok(imported)
            })
        });
        running.await
    }
}

fn checked(records: Vec<ConsentRecord>, now: Timestamp) -> Result<Vec<ConsentRecord>> {
    if records.is_empty() || records.len() > MAX_CONSENT_BATCH {
        let problem = format!("has {} entries; 1-{MAX_CONSENT_BATCH} are allowed", records.len());
        return Err(Error::invalid("consents", problem));
    }
    let (mut good, mut violations): (Vec<ConsentRecord>, Vec<FieldViolation>) = (Vec::new(), Vec::new());
    for (index, record) in records.into_iter().enumerate() {
        match record.checked(&format!("consents[{index}]"), now) {
            Ok(record) if good.iter().any(|other| other.id == record.id) => {
                violations.push(FieldViolation::new(
                    format!("consents[{index}].id"),
                    "is in the list twice; send each one once",
                ));
            }
            Ok(record) => good.push(record),
            Err(Error::Invalid(found)) => violations.extend(found),
            Err(other) => return Err(other),
        }
    }
    if violations.is_empty() { Ok(good) } else { Err(Error::Invalid(violations)) }
}

/// Returns the counts, and the number of memories that became hidden.
async fn import(
    tx: &mut dyn VaultTransaction,
    records: &[ConsentRecord],
    now: Timestamp,
) -> Result<(ConsentsImported, u64)> {
    let ids: Vec<ConsentId> = records.iter().map(|record| record.id).collect();
    let known = tx.consents(&ConsentQuery::Ids(ids)).await?;
    let new: Vec<&ConsentRecord> =
        records.iter().filter(|record| !known.iter().any(|there| there.id == record.id)).collect();
    let count = tx.count_consents(now).await?;
    let active = new.iter().filter(|record| record.status(now) == ConsentStatus::Active).count();
    if count.active + active > MAX_ACTIVE_CONSENTS {
        return Err(Error::LimitReached { what: "active consent records", limit: MAX_ACTIVE_CONSENTS });
    }
    if count.all + new.len() > MAX_CONSENTS {
        return Err(Error::LimitReached { what: "consent records", limit: MAX_CONSENTS });
    }
    for record in &new {
        tx.put_consent(record).await?;
    }
    if !new.is_empty() {
        tx.audit(&entry(now, "consent.import", None, new.len() as u64)).await?;
    }
    let mut withheld = 0;
    for there in &known {
        if let Some(came) = records.iter().find(|record| record.id == there.id) {
            withheld += retracted_elsewhere(tx, there, came, now).await?;
        }
    }
    Ok((ConsentsImported { imported: new.len() as u64, known: known.len() as u64 }, withheld))
}

/// Retracts a record that is active here and retracted in the import. An import must not erase, so the memories
/// under the record stay hidden, whatever happened to them elsewhere.
async fn retracted_elsewhere(
    tx: &mut dyn VaultTransaction,
    there: &ConsentRecord,
    came: &ConsentRecord,
    now: Timestamp,
) -> Result<u64> {
    if there.retraction.is_some() || came.retraction.is_none() {
        return Ok(0);
    }
    let retracted = ConsentRecord {
        retracted_at: came.retracted_at,
        retracted_by: came.retracted_by.clone(),
        retraction: Some(Retraction::Seal),
        revision: there.revision + 1,
        ..there.clone()
    };
    tx.put_consent(&retracted).await?;
    let withheld = tx.withhold(there.id, false, now).await?;
    tx.audit(&entry(now, "consent.retract", Some(there.id.to_string()), withheld)).await?;
    Ok(withheld)
}
