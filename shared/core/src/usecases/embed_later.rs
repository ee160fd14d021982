//! Has the embedder told, in the transaction of a write, that the user's vectors are behind.

use crate::error::Result;
use crate::ports::{Ids, Job, VaultTransaction};
use crate::settings::{ServerDefaults, UserSettings};
use crate::time::Timestamp;

/// Puts a job in the outbox unless one is on its way, or there is nothing to embed for this user. What is not known of
/// the user's settings counts as set to nothing.
pub(crate) async fn embed_later(
    tx: &mut dyn VaultTransaction,
    (ids, defaults): (&dyn Ids, &ServerDefaults),
    settings: Option<&UserSettings>,
    now: Timestamp,
    traceparent: Option<&str>,
) -> Result<()> {
    let off = settings.is_some_and(|settings| settings.embedding_enabled == Some(false));
    if !defaults.embedding.on || off || !tx.await_embedding(None).await? {
        return Ok(());
    }
    tx.enqueue(ids.new_id(now), &Job::Embed, now, traceparent).await
}
