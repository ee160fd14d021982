//! The first read of a sync: everything about the user on one snapshot, but no text.

use std::sync::Arc;

use crate::embedding::{EligibleSubject, EmbeddingLedger, EmbeddingLimits};
use crate::error::Result;
use crate::ids::UserId;
use crate::settings::EffectiveSettings;
use crate::usecases::App;
use crate::usecases::embedding::VectorUpdater;

/// One sync.
pub(super) struct Sync<'a> {
    pub(super) app: &'a App,
    pub(super) updater: &'a VectorUpdater,
    pub(super) user: &'a UserId,
    /// Number of earlier attempts. After the first, texts go one by one, so that one that ends the process takes no
    /// others with it, and from either end in turn, so that it does not block the others.
    pub(super) tries: u32,
}

/// The vault on one snapshot.
pub(super) struct Seen {
    pub(super) limits: EmbeddingLimits,
    pub(super) ledger: EmbeddingLedger,
    pub(super) subjects: Vec<EligibleSubject>,
}

impl Sync<'_> {
    /// Reads the vault; `None` if the user has none. From then on, every write requests a new sync.
    pub(super) async fn look(&self) -> Result<Option<Seen>> {
        let day = self.app.clock.now().day();
        let waits = self.app.vaults.read(self.user, move |reader| {
            Box::pin(async move { Ok((reader.data_version().await?, reader.embedding_ledger(day).await?.waiting)) })
        });
        match waits.await? {
            (0, _) => return Ok(None),
            (_, true) => {
                let begin = self
                    .app
                    .vaults
                    .transact(self.user, "embedding.begin", |tx| Box::pin(async move { tx.begin_embedding().await }));
                begin.await?;
            }
            (_, false) => {}
        }
        let defaults = Arc::clone(&self.app.defaults);
        let seen = self.app.vaults.read(self.user, move |reader| {
            let defaults = Arc::clone(&defaults);
            Box::pin(async move {
                let settings = EffectiveSettings::resolve(&reader.settings().await?.settings, &defaults);
                Ok(Seen {
                    limits: settings.embedding.limits(),
                    ledger: reader.embedding_ledger(day).await?,
                    subjects: reader.embedding_subjects().await?,
                })
            })
        });
        seen.await.map(Some)
    }
}
