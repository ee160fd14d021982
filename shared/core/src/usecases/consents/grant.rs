//! Records a consent, and releases what an earlier retraction only hid.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::load;
use crate::bounds::{MAX_ACTIVE_CONSENTS, MAX_CONSENT_BATCH, MAX_CONSENTS};
use crate::boxed;
use crate::consent::{ConsentDraft, ConsentRecord};
use crate::error::{Error, Result};
use crate::ids::{ConsentId, UserId};
use crate::ports::{Ids, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;
use crate::usecases::idempotency::{self, Key};
use crate::usecases::support::entry;
use crate::usecases::{App, embed_later};

/// A consent to record.
#[derive(Clone, Debug, Default)]
pub struct GrantConsentInput {
    /// The caller's description of the consent.
    pub draft: ConsentDraft,
    /// Retracted records whose memories were sealed. Memories in the new scope become visible again, under the new record.
    pub release_withheld: Vec<ConsentId>,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
}

/// A recorded consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    /// The record.
    pub consent: ConsentRecord,
    /// Memories that became visible again.
    pub released: u64,
}

impl App {
    /// Records a consent. At most 100 may be active, and at most 10,000 are kept.
    #[boxed]
    pub async fn grant_consent(&self, user: &UserId, input: GrantConsentInput) -> Result<Granted> {
        let key = self.key(&input.request_id, "consent.grant", &(&input.draft, &input.release_withheld))?;
        let now = self.clock.now();
        let draft = input.draft.normalized("consent")?;
        if input.release_withheld.len() > MAX_CONSENT_BATCH {
            let has = input.release_withheld.len();
            let problem = format!("has {has} entries; at most {MAX_CONSENT_BATCH} are allowed");
            return Err(Error::invalid("release_withheld", problem));
        }
        let work = Arc::new(Grant {
            id: ConsentId(self.ids.new_id(now)),
            draft,
            release: input.release_withheld,
            principal: self.principal(),
            key,
            now,
            ids: Arc::clone(&self.ids),
            defaults: Arc::clone(&self.defaults),
        });
        let running = self.vaults.transact(user, "grant_consent", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        running.await
    }
}

struct Grant {
    id: ConsentId,
    draft: ConsentDraft,
    release: Vec<ConsentId>,
    principal: String,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
}

/// The answer stored for replays: never the person's words.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Answer {
    id: ConsentId,
    released: u64,
}

impl Grant {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Granted> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(Answer { id, released }) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok(Granted { consent: load(tx.as_reader(), id).await?, released });
        }
        // After the replay, because the first answer to a repeated call stays right after the consent has ended.
        if self.draft.expires_at.is_some_and(|end| end <= self.now) {
            return Err(Error::invalid("consent.expires_at", "is in the past; set a future time, or omit it"));
        }
        check_room(tx, self.now).await?;
        let consent = self.record();
        tx.put_consent(&consent).await?;
        tx.audit(&entry(self.now, "consent.grant", Some(consent.id.to_string()), 1)).await?;
        let released = self.release(tx, &consent).await?;
        if released > 0 {
            tx.audit(&entry(self.now, "consent.release", Some(consent.id.to_string()), released)).await?;
            let tools = (&*self.ids, &*self.defaults);
            embed_later(tx, tools, Some(&context.settings.settings), self.now, None).await?;
        }
        idempotency::remember(self.key.as_ref(), tx, &Answer { id: consent.id, released }, self.now).await?;
        Ok(Granted { consent, released })
    }

    fn record(&self) -> ConsentRecord {
        ConsentRecord {
            id: self.id,
            draft: self.draft.clone(),
            recorded_by: self.principal.clone(),
            granted_at: self.now,
            retracted_at: None,
            retracted_by: None,
            retraction: None,
            revision: 1,
        }
    }

    async fn release(&self, tx: &mut dyn VaultTransaction, into: &ConsentRecord) -> Result<u64> {
        let mut released = 0;
        for (index, id) in self.release.iter().enumerate() {
            if !load(tx.as_reader(), *id).await?.is_sealed() {
                let problem = "has no withheld memories; name consents that were retracted with seal";
                return Err(Error::conflict(format!("release_withheld[{index}]"), problem));
            }
            released += tx.release_withheld(*id, into, self.now).await?;
        }
        Ok(released)
    }
}

/// Fails if one more record would exceed a limit.
async fn check_room(tx: &mut dyn VaultTransaction, now: Timestamp) -> Result<()> {
    let count = tx.count_consents(now).await?;
    if count.active >= MAX_ACTIVE_CONSENTS {
        return Err(Error::LimitReached { what: "active consent records", limit: MAX_ACTIVE_CONSENTS });
    }
    if count.all >= MAX_CONSENTS {
        return Err(Error::LimitReached { what: "consent records", limit: MAX_CONSENTS });
    }
    Ok(())
}
