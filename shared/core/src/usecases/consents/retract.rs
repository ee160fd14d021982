//! Retracts a consent. Its memories are hidden at once, then erased or sealed, as the request, the user or the operator says.
//!
//! From the commit on no read shows a withheld memory: filters carry the condition, its words leave the full-text
//! index in the same transaction, and the next sync removes its vectors.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::erase::{Erased, erase_batch};
use super::load;
use crate::audit::Actor;
use crate::bounds::MAX_ERASED_AT_ONCE;
use crate::boxed;
use crate::consent::{ConsentRecord, Retraction};
use crate::error::{Error, Result};
use crate::ids::{ConsentId, UserId};
use crate::ports::{Ids, Job, VaultTransaction};
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;
use crate::usecases::idempotency::{self, Key};
use crate::usecases::support::entry;
use crate::usecases::{App, embed_later};

/// A consent to retract.
#[derive(Clone, Debug)]
pub struct RetractConsentInput {
    /// Id of the record.
    pub id: ConsentId,
    /// The treatment of the memories under it; `None` for the user's setting, or the operator's.
    pub retraction: Option<Retraction>,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

/// A retracted consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retracted {
    /// The record as it is now.
    pub consent: ConsentRecord,
    /// Memories that became hidden.
    pub withheld: u64,
    /// Memories that were erased.
    pub erased: u64,
    /// Hidden memories that are still to be erased; the worker does that at once.
    pub left: u64,
}

/// The answer stored for replays.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Answer {
    withheld: u64,
    erased: u64,
    left: u64,
}

impl App {
    /// Retracts a consent. To erase memories that are hidden so far, retract again with [`Retraction::Purge`]. A repeated
    /// call changes nothing, but [`Retraction::Seal`] after a purge fails.
    #[boxed]
    pub async fn retract_consent(&self, user: &UserId, input: RetractConsentInput) -> Result<Retracted> {
        let key = self.key(&input.request_id, "consent.retract", &(input.id, input.retraction))?;
        let work = Arc::new(Retract {
            input,
            key,
            principal: self.principal(),
            now: self.clock.now(),
            ids: Arc::clone(&self.ids),
            defaults: Arc::clone(&self.defaults),
        });
        let running = self.vaults.transact(user, "retract_consent", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        running.await
    }
}

struct Retract {
    input: RetractConsentInput,
    key: Option<Key>,
    principal: String,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
}

impl Retract {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Retracted> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        let before = load(tx.as_reader(), self.input.id).await?;
        if let Some(answer) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            let Answer { withheld, erased, left } = answer;
            return Ok(Retracted { consent: before, withheld, erased, left });
        }
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        let retraction = self.retraction(&before, settings.consent_retraction.value)?;
        let consent = self.retracted(before.clone(), retraction);
        let changes = consent != before;
        if changes {
            tx.put_consent(&consent).await?;
        }
        let purge = retraction == Retraction::Purge;
        let withheld = tx.withhold(consent.id, purge, self.now).await?;
        if changes || withheld > 0 {
            tx.audit(&entry(self.now, "consent.retract", Some(consent.id.to_string()), withheld)).await?;
        }
        let Erased { gone: erased, along, left } = if purge { self.erase(tx).await? } else { Erased::default() };
        if withheld + along > 0 {
            let tools = (&*self.ids, &*self.defaults);
            let trace = self.input.traceparent.as_deref();
            embed_later(tx, tools, Some(&context.settings.settings), self.now, trace).await?;
        }
        idempotency::remember(self.key.as_ref(), tx, &Answer { withheld, erased, left }, self.now).await?;
        Ok(Retracted { consent, withheld, erased, left })
    }

    /// Decides the treatment of the memories. After a purge they cannot be sealed.
    fn retraction(&self, before: &ConsentRecord, settled: Retraction) -> Result<Retraction> {
        match (before.retraction, self.input.retraction) {
            (Some(Retraction::Purge), Some(Retraction::Seal)) => {
                let problem =
                    "cannot be changed to seal: this consent was retracted with purge, so its memories are erased";
                Err(Error::conflict("retraction", problem))
            }
            (_, Some(asked)) => Ok(asked),
            (Some(done), None) => Ok(done),
            (None, None) => Ok(settled),
        }
    }

    fn retracted(&self, before: ConsentRecord, retraction: Retraction) -> ConsentRecord {
        if before.retraction == Some(retraction) {
            return before;
        }
        ConsentRecord {
            retracted_at: before.retracted_at.or(Some(self.now)),
            retracted_by: before.retracted_by.or_else(|| Some(self.principal.clone())),
            retraction: Some(retraction),
            revision: before.revision + 1,
            ..before
        }
    }

    /// Erases as much as one transaction may; a job does the rest.
    async fn erase(&self, tx: &mut dyn VaultTransaction) -> Result<Erased> {
        let batch = erase_batch(tx, Actor::Caller, self.now, MAX_ERASED_AT_ONCE).await?;
        if batch.gone > 0 {
            tx.audit(&entry(self.now, "consent.erase", Some(self.input.id.to_string()), batch.gone)).await?;
        }
        if batch.left > 0 {
            let trace = self.input.traceparent.as_deref();
            tx.enqueue(self.ids.new_id(self.now), &Job::Erase, self.now, trace).await?;
        }
        Ok(batch)
    }
}
