//! Invariants at the end of every day, checked against the vault itself rather than its counters.

use std::collections::BTreeMap;

use kimberly_core::MemoryId;
use kimberly_core::meditation::RetentionItem;
use kimberly_core::memory::{MemoryState, Tier};

use crate::simulation::world::{Seen, World};

impl World {
    /// All memories of the vault, without content.
    pub(crate) async fn items(&self) -> Vec<RetentionItem> {
        let read = self.vaults.read(&self.user, |reader| Box::pin(async move { reader.retention_items().await }));
        read.await.expect("items are read")
    }

    /// Compares the vault with the previous evening and with the records.
    pub(crate) async fn check_the_day(&mut self) {
        let now = self.app.clock.now();
        let items = self.items().await;
        let today: BTreeMap<MemoryId, Seen> =
            items.iter().map(|i| (i.id, Seen { state: i.state, delete_after: i.delete_after })).collect();
        for (id, seen) in &self.yesterday {
            let inside_grace = seen.state == MemoryState::Active || seen.delete_after.is_none_or(|end| end > now);
            assert!(today.contains_key(id) || !inside_grace, "day {}: {id} was erased inside its grace", self.day);
        }
        self.yesterday = today;
        self.check_bytes(&items).await;
        if self.day % 10 == 9 {
            self.check_treasures(&items);
            self.check_counters().await;
        }
    }

    /// After the last round of the worker, tiers are within their quotas except for protected memories, and the daily
    /// cap held. A tier that protected memories keep over its quota is meditated on only after it grows by a
    /// fortieth.
    async fn check_bytes(&self, items: &[RetentionItem]) {
        for &tier in Tier::ALL {
            let active = items.iter().filter(|i| i.tier == tier && i.state == MemoryState::Active);
            let unprotected: u64 = active.filter(|item| !item.protected).map(|item| item.size_bytes).sum();
            let quota = self.settings.quota(tier);
            let allowed = quota + quota / 40;
            assert!(unprotected <= allowed, "day {}: {tier} holds {unprotected} of {quota} bytes", self.day);
        }
        let day = self.app.clock.now().day();
        let pruned = self
            .vaults
            .read(&self.user, move |reader| Box::pin(async move { reader.pruned_on(day).await }))
            .await
            .expect("the day's bytes are read");
        assert!(pruned <= self.settings.daily_prune_cap.value, "day {}: {pruned} bytes erased in a day", self.day);
    }

    /// All protected or permanent memories that their owner did not delete exist.
    fn check_treasures(&self, items: &[RetentionItem]) {
        let there: std::collections::HashSet<MemoryId> = items.iter().map(|item| item.id).collect();
        for (id, known) in &self.known {
            let treasure = known.protected || known.tier == Tier::Permanent;
            assert!(!treasure || known.deleted_by_owner || there.contains(id), "day {}: {id} is gone", self.day);
        }
    }

    async fn check_counters(&self) {
        let read = self
            .vaults
            .read(&self.user, |reader| Box::pin(async move { Ok((reader.usage().await?, reader.recount().await?)) }));
        let (counted, recounted) = read.await.expect("usage is read");
        assert_eq!(counted, recounted, "day {}: counters and a full count differ", self.day);
    }

    /// Invariants of the whole life.
    pub(crate) fn assert_lived_well(&self) {
        #[expect(clippy::cast_precision_loss, reason = "tens of thousands of writes")]
        let share = self.refused as f64 / self.writes.max(1) as f64;
        let days = self.day.unsigned_abs();
        assert!(self.writes > 50 * (days - 30), "only {} writes", self.writes);
        assert!(share < 0.01, "{} of {} writes after the first month were refused", self.refused, self.writes);
        // Default quotas take about a year to fill.
        let filled = self.waits > 0 || !self.loads_in_bulk || days < 365;
        assert!(filled, "no bulk load filled a tier; the simulation proves little");
        assert!(self.restores > days / 30, "only {} restores were tried", self.restores);
        assert!(self.runs > days / 3, "only {} runs", self.runs);
    }
}
