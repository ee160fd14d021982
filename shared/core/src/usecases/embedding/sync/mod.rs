//! Brings one user's index in step with the vault.
//!
//! It compares what the index holds with what it should hold, so it may be interrupted anywhere and repeated. It first
//! removes what must leave the index, whatever the policy says. Then the policy says how many vectors may be computed
//! now, and these are computed and written piece by piece. The index of a new model is built beside the active one,
//! which only takes removals, and replaces it when it is whole.

mod compute;
mod look;
mod measure;

use std::sync::Arc;

use super::VectorUpdater;
use crate::boxed;
use crate::embedding::{EmbeddingReport, Verdict, judge};
use crate::embedding::{EmbeddingStanding, ModelKey};
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::{IndexChange, VectorWriter};
use crate::time::Timestamp;
use crate::usecases::App;
use look::{Seen, Sync};
use measure::Measured;

/// Result of a sync.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// When the missing vectors may be computed; `None` if none are missing, or the time is unknown.
    pub next: Option<Timestamp>,
    /// Number of vectors computed.
    pub computed: u64,
    /// Number of memories and goals that the model could not read.
    pub failed: u64,
}

impl App {
    /// Brings the user's vectors in step with the vault, as far as the policy allows. `attempt` counts from 1.
    #[boxed]
    pub async fn sync_vectors(&self, updater: &VectorUpdater, user: &UserId, attempt: u32) -> Result<Synced> {
        let sync = Sync { app: self, updater, user, tries: attempt.saturating_sub(1) };
        sync.run().await
    }
}

impl Sync<'_> {
    async fn run(&self) -> Result<Synced> {
        let Some(seen) = self.look().await? else {
            self.vectors().drop_all(self.user)?;
            return Ok(Synced::default());
        };
        if !seen.limits.user_on {
            self.vectors().drop_all(self.user)?;
            self.report(&seen, EmbeddingReport::default()).await?;
            return Ok(Synced::default());
        }
        if seen.ledger.rebuild {
            self.renew().await?;
        }
        let measured = self.measure(&seen).await?;
        self.remove(&measured)?;
        let now = self.app.clock.now();
        let standing = EmbeddingStanding {
            needed: measured.needed,
            missing: measured.missing(),
            today: seen.ledger.today,
            this_week: seen.ledger.this_week,
            system_today: self.updater.registry.embedded_on(now.day()).await?,
            urgent: seen.ledger.asked_at.is_some(),
        };
        let verdict = judge(now, &seen.limits, &standing);
        if !verdict.may_answer {
            self.vectors().deactivate(self.user)?;
            let report =
                EmbeddingReport { needed: standing.needed, missing: standing.missing, ..EmbeddingReport::default() };
            self.report(&seen, report).await?;
            return Ok(Synced::default());
        }
        self.finish(&seen, &measured, &verdict, now).await
    }

    /// Computes what the verdict allows, activates the index if possible, and writes a report.
    async fn finish(&self, seen: &Seen, measured: &Measured, verdict: &Verdict, now: Timestamp) -> Result<Synced> {
        self.announce(measured, verdict).await?;
        let computed = self.compute(&measured.todo, verdict, seen).await?;
        let missing = measured.missing().saturating_sub(computed.vectors + computed.failed_vectors);
        let whole = missing == 0;
        self.settle(seen, whole, whole && computed.failed == 0)?;
        let report = EmbeddingReport {
            needed: measured.needed,
            missing: missing + computed.failed_vectors,
            failed: computed.failed,
            ..EmbeddingReport::default()
        };
        self.report(seen, report).await?;
        let today = seen.ledger.today.saturating_add(computed.vectors);
        if seen.limits.daily > 0 {
            self.app.observer.embedding_budget(seen.limits.daily.saturating_sub(today));
        }
        let next = if whole { None } else { verdict.next.or(Some(now)) };
        Ok(Synced { next, computed: computed.vectors, failed: computed.failed })
    }

    /// Drops all vectors, and records that at once: what is computed from now on is new, even after an interruption.
    async fn renew(&self) -> Result<()> {
        self.vectors().drop_all(self.user)?;
        let done = self
            .app
            .vaults
            .transact(self.user, "embedding.renew", |tx| Box::pin(async move { tx.renew_embedding(false).await }));
        done.await
    }

    /// Reports how much there is to do, before a sync that takes a while.
    async fn announce(&self, measured: &Measured, verdict: &Verdict) -> Result<()> {
        let (needed, missing) = (measured.needed, measured.missing());
        if missing.min(verdict.compute) <= compute::PIECE {
            return Ok(());
        }
        let at = self.app.clock.now();
        let report = EmbeddingReport { at, needed, missing, version: EmbeddingReport::UNDER_WAY, failed: 0 };
        let put = self.app.vaults.transact(self.user, "embedding.announce", move |tx| {
            Box::pin(async move { tx.put_embedding_report(&report, None).await })
        });
        put.await
    }

    /// Removes from every index what must not be in it, and notes the new revisions of what stays.
    fn remove(&self, measured: &Measured) -> Result<()> {
        for (model, change) in &measured.changes {
            if *change != IndexChange::default() {
                self.vectors().write(self.user, model, change)?;
            }
        }
        let kept: Vec<ModelKey> = measured.changes.iter().map(|(model, _)| model.clone()).collect();
        self.vectors().drop_others(self.user, &kept)
    }

    /// Stamps the index if it is in sync; activates it if it is whole or no other is active.
    fn settle(&self, seen: &Seen, whole: bool, in_sync: bool) -> Result<()> {
        let (vectors, model) = (self.vectors(), self.model());
        let Some(state) = vectors.state(self.user, model)? else { return Ok(()) };
        if in_sync && state.in_sync_at != Some(seen.ledger.version) {
            let stamp = IndexChange { in_sync_at: Some(seen.ledger.version), ..IndexChange::default() };
            vectors.write(self.user, model, &stamp)?;
        }
        let answers = vectors.active(self.user)?.map(|active| active.model);
        let may = whole || answers.is_none();
        if may && answers.as_ref() != Some(model) { vectors.activate(self.user, model) } else { Ok(()) }
    }

    /// Stores a report about the user. Requests from before the sync began are then answered.
    async fn report(&self, seen: &Seen, report: EmbeddingReport) -> Result<()> {
        let report = EmbeddingReport { at: self.app.clock.now(), version: seen.ledger.version, ..report };
        let answered = seen.ledger.asked_at;
        let kept = seen.ledger.report.map(|kept| EmbeddingReport { at: report.at, ..kept });
        if kept == Some(report) && answered.is_none() {
            return Ok(());
        }
        let put = self.app.vaults.transact(self.user, "embedding.report", move |tx| {
            Box::pin(async move { tx.put_embedding_report(&report, answered).await })
        });
        put.await
    }

    fn vectors(&self) -> &Arc<dyn VectorWriter> {
        &self.updater.vectors
    }

    fn model(&self) -> &ModelKey {
        self.updater.model.model()
    }
}
