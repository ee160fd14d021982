//! Ends a run, and removes data that is no longer needed.

use std::sync::Arc;

use super::{Runner, still_ours};
use crate::audit::{Actor, AuditEntry, PRUNED};
use crate::bounds::{CHANGE_RETENTION, IMPORT_RETENTION};
use crate::error::Result;
use crate::meditation::schedule::entry;
use crate::meditation::{Fingerprint, Meditation};
use crate::ports::VaultTransaction;
use crate::tables::put;
use crate::time::{Span, Timestamp};
use crate::usecases::consents::erase_some;

/// Runs that are kept regardless of age.
const RETAINED_RUNS: usize = 100;
/// The age up to which any run is kept.
const RUN_RETENTION: Span = Span::days(90);
/// How long answers are stored for replay.
const ANSWER_RETENTION: Span = Span::hours(24);
/// Answers, and changes, removed per transaction.
const ROWS: usize = 500;
/// Memories whose traits are derived again per transaction.
const TRAITS: usize = 100;

impl Runner<'_> {
    /// Marks the run complete, stores the fingerprints, and tidies up.
    pub(super) async fn finish(&self, run: &Meditation, read: Vec<Fingerprint>) -> Result<()> {
        let Some(ended) = self.end(run, Ok(read)).await? else { return Ok(()) };
        self.observer.meditated(ended.processed, ended.pruned);
        self.tidy_up().await
    }

    /// Marks the run failed.
    pub(super) async fn fail(&self, run: &Meditation, why: String) -> Result<()> {
        self.end(run, Err(why)).await.map(|_| ())
    }

    async fn end(&self, run: &Meditation, done: Result<Vec<Fingerprint>, String>) -> Result<Option<Meditation>> {
        let (run, now, done) = (run.clone(), self.clock.now(), Arc::new(done));
        let end = self.vaults.transact(self.user, "meditation.end", move |tx| {
            let (run, done) = (run.clone(), Arc::clone(&done));
            Box::pin(async move {
                let Some(mut run) = still_ours(tx, &run).await? else { return Ok(None) };
                run.account(&[], &tx.usage().await?);
                match &*done {
                    Ok(read) => {
                        put(tx, read).await?;
                        run.complete(now);
                    }
                    Err(why) => run.fail(now, why),
                }
                tx.put_meditation(&run).await?;
                tx.audit(&entry(
                    &run,
                    if run.error.is_none() { "meditation.complete" } else { "meditation.fail" },
                    now,
                    1,
                ))
                .await?;
                Ok(Some(run))
            })
        });
        end.await
    }

    /// Removes old runs, answers, imports, changes and, if the audit has a retention time, audit entries; packs the
    /// remaining audit entries. Also erases what a retracted consent left to erase, in case that job was lost, and
    /// derives traits again that older rules made. If interrupted, the next run does the rest.
    async fn tidy_up(&self) -> Result<()> {
        let (now, audit) = (self.clock.now(), self.defaults.audit_kept_for);
        loop {
            let (ids, defaults) = (Arc::clone(self.ids), Arc::clone(self.defaults));
            let erase = self.vaults.transact(self.user, "consent.erase", move |tx| {
                let (ids, defaults) = (Arc::clone(&ids), Arc::clone(&defaults));
                Box::pin(async move { erase_some(tx, (&*ids, &*defaults), now).await })
            });
            if erase.await?.left == 0 {
                break;
            }
        }
        loop {
            let tidy = self.vaults.transact(self.user, "meditation.tidy", move |tx| Box::pin(tidy(tx, now, audit)));
            if tidy.await? < ROWS as u64 {
                return Ok(());
            }
        }
    }
}

/// Returns the largest number of answers, changes or entries removed, and at least [`ROWS`] if there may be more
/// entries to pack or traits to derive.
async fn tidy(tx: &mut dyn VaultTransaction, now: Timestamp, audit: Option<Span>) -> Result<u64> {
    tx.prune_meditations(now.minus(RUN_RETENTION), RETAINED_RUNS).await?;
    tx.prune_imports(now.minus(IMPORT_RETENTION)).await?;
    let changes = tx.prune_changes(now.minus(CHANGE_RETENTION), ROWS).await?;
    let answers = tx.prune_requests(now.minus(ANSWER_RETENTION), ROWS).await?;
    let entries = match audit {
        Some(kept_for) => prune_audit(tx, now, kept_for).await?,
        None => 0,
    };
    let (packed, renewed) = (tx.compact_audit().await?, tx.renew_traits(TRAITS).await?);
    let more = if packed > 0 || renewed > 0 { ROWS as u64 } else { 0 };
    Ok(changes.max(answers).max(entries).max(more))
}

/// Removes old entries from the audit, and records there where the chain continues.
async fn prune_audit(tx: &mut dyn VaultTransaction, now: Timestamp, kept_for: Span) -> Result<u64> {
    let Some((last, count)) = tx.prune_audit(now.minus(kept_for), ROWS).await? else { return Ok(0) };
    let subject = Some(last.to_string());
    tx.audit(&AuditEntry { at: now, actor: Actor::System, action: PRUNED, refused: None, subject, count }).await?;
    Ok(count)
}
