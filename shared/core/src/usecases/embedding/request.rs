//! Requests that a user's missing vectors be computed without waiting for the window.

use std::sync::Arc;

use super::EmbeddingStatus;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::ports::{Ids, Job, Registry, VaultTransaction};
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::idempotency::{self, Key};
use crate::usecases::support::entry;

/// A request to compute missing vectors.
#[derive(Clone, Debug, Default)]
pub struct RequestEmbeddingInput {
    /// Makes the call idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the embedder.
    pub traceparent: Option<String>,
}

impl App {
    /// Has missing vectors computed as soon as the embedder gets to it, within the limits. Does nothing for a user
    /// without a vault. Fails with [`Error::EmbeddingsOff`].
    #[boxed]
    pub async fn request_embedding(
        &self,
        registry: &dyn Registry,
        user: &UserId,
        input: RequestEmbeddingInput,
    ) -> Result<EmbeddingStatus> {
        if !self.defaults.embedding.on {
            return Err(Error::EmbeddingsOff { by: "server" });
        }
        let key = self.key(&input.request_id, "embedding.request", &())?;
        let known = self.vaults.read(user, |reader| Box::pin(reader.data_version())).await? > 0;
        if known {
            let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
            let work = Arc::new(Ask { input, key, now: self.clock.now(), ids, defaults });
            let ask = self.vaults.transact(user, "request_embedding", move |tx| {
                let work = Arc::clone(&work);
                Box::pin(async move { work.run(tx).await })
            });
            ask.await?;
        }
        self.embedding_status(registry, user).await
    }
}

struct Ask {
    input: RequestEmbeddingInput,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
}

impl Ask {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<()> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if idempotency::replay::<()>(self.key.as_ref(), context.prior.as_ref())?.is_some() {
            return Ok(());
        }
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        if !settings.embedding.enabled.value {
            return Err(Error::EmbeddingsOff { by: "user" });
        }
        if tx.await_embedding(Some(self.now)).await? {
            let trace = self.input.traceparent.as_deref();
            tx.enqueue(self.ids.new_id(self.now), &Job::Embed, self.now, trace).await?;
        }
        tx.audit(&entry(self.now, "embedding.request", None, 1)).await?;
        idempotency::remember(self.key.as_ref(), tx, &(), self.now).await
    }
}
