//! Takes records of consent in that were exported, so that the memories under them can follow.

use std::sync::Arc;

use crate::bounds::{MAX_ACTIVE_CONSENTS, MAX_CONSENT_BATCH, MAX_CONSENTS};
use crate::consent::{ConsentRecord, ConsentStatus};
use crate::error::{Error, FieldViolation, Result};
use crate::ids::{ConsentId, UserId};
use crate::ports::{ConsentQuery, VaultTransaction};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::support::entry;

/// What became of imported records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsentsImported {
    /// Records that are new.
    pub imported: u64,
    /// Records whose id was there already: what the vault says stays.
    pub known: u64,
}

impl App {
    /// Stores exported records as they are, at most 100. One whose id is there is left as it is, so that importing twice
    /// changes nothing and an old export never takes a retraction back.
    pub async fn import_consents(&self, user: &UserId, records: Vec<ConsentRecord>) -> Result<ConsentsImported> {
        let now = self.clock.now();
        let records = Arc::new(checked(records, now)?);
        let running = self.vaults.transact(user, "import_consents", move |tx| {
            let records = Arc::clone(&records);
            Box::pin(async move { import(tx, &records, now).await })
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
                violations.push(FieldViolation::new(format!("consents[{index}].id"), "stands there twice"));
            }
            Ok(record) => good.push(record),
            Err(Error::Invalid(found)) => violations.extend(found),
            Err(other) => return Err(other),
        }
    }
    if violations.is_empty() { Ok(good) } else { Err(Error::Invalid(violations)) }
}

async fn import(tx: &mut dyn VaultTransaction, records: &[ConsentRecord], now: Timestamp) -> Result<ConsentsImported> {
    let ids: Vec<ConsentId> = records.iter().map(|record| record.id).collect();
    let known: Vec<ConsentId> =
        tx.consents(&ConsentQuery::Ids(ids)).await?.into_iter().map(|record| record.id).collect();
    let new: Vec<&ConsentRecord> = records.iter().filter(|record| !known.contains(&record.id)).collect();
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
    Ok(ConsentsImported { imported: new.len() as u64, known: known.len() as u64 })
}
