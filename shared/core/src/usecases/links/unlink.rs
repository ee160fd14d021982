//! Removes a link.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::links::{Link, LinkKey};
use crate::meditation::forget_read;
use crate::tables::delete;
use crate::usecases::App;
use crate::usecases::idempotency::{self, Key};
use crate::usecases::support::entry;

/// The link to remove.
#[derive(Clone, Debug)]
pub struct UnlinkInput {
    /// Key of the link.
    pub key: LinkKey,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
}

/// Result of removing a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlinked {
    /// Whether the link existed.
    pub removed: bool,
}

impl App {
    /// Removes a link, if it exists.
    #[boxed]
    pub async fn unlink(&self, user: &UserId, input: UnlinkInput) -> Result<Unlinked> {
        let (now, link) = (self.clock.now(), input.key);
        let key = Arc::new(self.key(&input.request_id, "link.delete", &link)?);
        let running = self.vaults.transact_existing(user, "unlink", move |tx| {
            let key = Arc::clone(&key);
            Box::pin(async move {
                let key = (*key).as_ref();
                let context = tx.write_context(key.map(Key::request_id)).await?;
                if let Some(answer) = idempotency::replay(key, context.prior.as_ref())? {
                    return Ok(answer);
                }
                for id in [link.0, link.2] {
                    if tx.seqs(&[id]).await?.is_empty() {
                        return Err(Error::memory_not_found(id));
                    }
                }
                let removed = delete(tx, &Link::named(link)).await? > 0;
                if removed {
                    forget_read(tx).await?;
                    tx.audit(&entry(now, "link.delete", Some(link.0.to_string()), 1)).await?;
                }
                let answer = Unlinked { removed };
                idempotency::remember(key, tx, &answer, now).await?;
                Ok(answer)
            })
        });
        running.await?.ok_or_else(|| Error::memory_not_found(link.0))
    }
}
