//! Reads the numbers of all users, a few at a time.

use std::sync::Arc;

use futures::StreamExt as _;
use kimberly_core::alerts::{FAILED, Readings};
use kimberly_core::memory::Tier;
use kimberly_core::ports::AuditQuery;
use kimberly_core::settings::EffectiveSettings;
use kimberly_core::time::Span;
use kimberly_core::{Result, Timestamp, UserId};

use super::Alerts;

/// Users per page.
const PAGE: usize = 500;
/// Vaults read concurrently.
const AT_ONCE: usize = 2;
/// The period in which failed calls are counted.
const RECENT: Span = Span::seconds(15 * 60);
/// Maximum number of audit entries read for that period. An api writes one entry per minute.
const ENTRIES: usize = 200;

/// One user's contribution to the readings.
#[derive(Clone, Copy, Debug, Default)]
struct OfUser {
    over_quota: bool,
    gone: u64,
    unread: bool,
    spent: bool,
}

impl Alerts {
    /// Reads the present numbers of all users.
    pub(super) async fn survey(&self) -> Result<Readings> {
        let now = self.app.clock.now();
        let mut readings = Readings { at: now, ..Readings::default() };
        let mut after: Option<UserId> = None;
        loop {
            let users = self.registry.users(after.as_ref(), PAGE).await?;
            let Some(last) = users.last() else { break };
            after = Some(last.clone());
            let mut read = futures::stream::iter(users)
                .map(|user| async move { self.of_user(&user, now).await })
                .buffer_unordered(AT_ONCE);
            while let Some(found) = read.next().await {
                readings.vaults_failed += u64::from(found.is_err());
                let found = found.unwrap_or_default();
                readings.users_over_quota += u64::from(found.over_quota);
                readings.gone += found.gone;
                readings.users_unread += u64::from(found.unread);
                readings.users_spent += u64::from(found.spent);
            }
        }
        readings.calls_failed = self.calls_failed(now).await?;
        readings.jobs_dead = self.queue.stats().await.map_or(0, |stats| stats.dead);
        let budget = self.app.defaults.embedding.system_daily_budget;
        readings.server_spent = budget > 0 && self.registry.embedded_on(now.day()).await? >= budget;
        Ok(readings)
    }

    #[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
    async fn of_user(&self, user: &UserId, now: Timestamp) -> Result<OfUser> {
        let (defaults, share) = (Arc::clone(&self.app.defaults), self.quota_share);
        let read = self.app.vaults.read(user, move |reader| {
            let defaults = Arc::clone(&defaults);
            Box::pin(async move {
                let (usage, stored) = (reader.usage().await?, reader.settings().await?);
                let settings = EffectiveSettings::resolve(&stored.settings, &defaults);
                let over = |tier: &Tier| usage.active_bytes(*tier) as f64 > settings.quota(*tier) as f64 * share;
                let (limits, ledger) = (settings.embedding.limits(), reader.embedding_ledger(now.day()).await?);
                let report = ledger.report.unwrap_or_default();
                Ok(OfUser {
                    over_quota: Tier::ALL.iter().any(over),
                    gone: usage.deleted,
                    unread: limits.user_on && report.failed > 0,
                    spent: limits.user_on && limits.daily > 0 && ledger.today >= limits.daily && report.missing > 0,
                })
            })
        });
        read.await
    }

    async fn calls_failed(&self, now: Timestamp) -> Result<u64> {
        let read = self.audit.read(move |reader| {
            let query = AuditQuery {
                newest_first: true,
                action: Some(FAILED.to_owned()),
                limit: ENTRIES,
                ..AuditQuery::default()
            };
            Box::pin(async move { reader.audit_entries(&query).await })
        });
        let entries = read.await?;
        Ok(entries.iter().filter(|entry| entry.at >= now.minus(RECENT)).map(|entry| entry.count).sum())
    }
}
