//! Notifies the embedder, in a write's transaction, that the user's vectors are behind.

use crate::error::Result;
use crate::ports::{Ids, Job, VaultTransaction};
use crate::settings::{ServerDefaults, UserSettings};
use crate::time::Timestamp;

/// Enqueues a job, unless one is on its way or embeddings are off for this server or user. Unknown settings count as not set.
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
