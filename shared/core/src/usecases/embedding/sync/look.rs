//! The first read of a sync: everything about the user on one snapshot, but no text.

use std::sync::Arc;

use super::{Seen, Sync};
use crate::error::Result;
use crate::settings::EffectiveSettings;

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
