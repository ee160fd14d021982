//! Resumes a vault that was restored from a backup.

use std::sync::Arc;

use super::App;
use super::support::entry;
use crate::boxed;
use crate::error::Result;
use crate::ids::UserId;
use crate::meditation::MeditationStatus;
use crate::ports::Job;

/// Newest runs that are looked at: far more than are ever under way.
const RUNS: usize = 100;

impl App {
    /// Enqueues the jobs of what was under way in the vault again, since those in the queue are lost or outdated. With
    /// `vectors`, has all vectors computed again, as no backup holds them. May be repeated: a job that finds nothing to
    /// do does nothing. Makes no vault for a user without one.
    #[boxed]
    pub async fn revive(&self, user: &UserId, vectors: bool) -> Result<()> {
        let untouched = self.vaults.read(user, |reader| Box::pin(reader.data_version())).await? == 0;
        if untouched {
            return Ok(());
        }
        let (now, ids, embeds) = (self.clock.now(), Arc::clone(&self.ids), self.defaults.embedding.on);
        let reviving = self.vaults.transact(user, "revive", move |tx| {
            let ids = Arc::clone(&ids);
            Box::pin(async move {
                let mut jobs = vec![Job::Erase, Job::Extract { after_s: 0 }, Job::Attachments { after_s: 0 }];
                for run in tx.as_reader().meditations(None, RUNS).await? {
                    if matches!(run.status, MeditationStatus::Scheduled | MeditationStatus::Running) {
                        jobs.push(Job::Meditate { meditation_id: run.id });
                    }
                }
                if embeds {
                    if vectors {
                        tx.renew_embedding(true).await?;
                    }
                    tx.await_embedding(Some(now)).await?;
                    jobs.push(Job::Embed);
                }
                for job in &jobs {
                    tx.enqueue(ids.new_id(now), job, now, None).await?;
                }
                tx.audit(&entry(now, "vault.revive", None, 1)).await
            })
        });
        reviving.await
    }
}
