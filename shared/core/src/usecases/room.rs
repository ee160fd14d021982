//! Makes room for new turns where a tier is full. Stored turns move to the archive, those that a summary covers before
//! the others, the least worthy first, and then the first of the new ones. Nothing else of the vault moves.

use std::sync::Arc;

use super::archive_now::Archiving;
use super::compact_session::covered_ids;
use crate::bounds::MAX_PAGE_SIZE;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, Seq};
use crate::meditation::steps::until_fits;
use crate::meditation::{Change, RetentionItem, Trigger};
use crate::memory::{Creator, ListOrder, MemoryFilter, MemoryState, RecordKind, Tier};
use crate::ports::{Ids, ListKey, NewMemory, VaultTransaction, WriteContext};
use crate::settings::EffectiveSettings;
use crate::time::Timestamp;
use crate::usage::Usage;
use crate::versions::kept_bytes;

/// Bytes of stored turns per page; and how many times the bytes that must go are read, so that there is a choice.
const PAGE_BYTES: usize = 4 * 1024 * 1024;
const CHOICE: u64 = 4;

/// Room below the hard limits of tiers.
pub(super) struct Room<'a> {
    before: Usage,
    archive: u64,
    settings: &'a EffectiveSettings,
    new: Vec<RetentionItem>,
    /// Bytes of stored turns that were archived.
    freed: [u64; 3],
    /// Bytes of new turns that were archived.
    passed_on: [u64; 3],
}

impl<'a> Room<'a> {
    pub(super) fn new(
        context: &WriteContext,
        settings: &'a EffectiveSettings,
        (memories, seqs): (&[NewMemory], &[Seq]),
    ) -> Self {
        let new = memories.iter().zip(seqs).map(|(memory, seq)| of_new(memory, *seq)).collect();
        let (before, archive) = (context.usage.clone(), context.usage.archive().bytes);
        Self { before, archive, settings, new, freed: [0; 3], passed_on: [0; 3] }
    }

    /// Makes room; returns what moved to the archive.
    pub(super) async fn make(
        &mut self,
        tx: &mut dyn VaultTransaction,
        ids: Arc<dyn Ids>,
        now: Timestamp,
    ) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        for &tier in Tier::ALL {
            let (held, limit) = (self.before.active_bytes(tier) + self.bytes(tier), self.settings.hard_limit(tier));
            if self.bytes(tier) > 0 && held > limit {
                let stored = stored(tx, tier, (held - limit).saturating_mul(CHOICE), &self.new).await?;
                let (compacted, others) = parted(tx, stored).await?;
                let first = until_fits(&compacted, &[], held, limit);
                let left = held.saturating_sub(first.iter().map(Change::size_bytes).sum());
                let new: Vec<RetentionItem> = self.new.iter().filter(|item| item.tier == tier).cloned().collect();
                changes.extend(first);
                changes.extend(until_fits(&others, &new, left, limit));
            }
        }
        if !changes.is_empty() {
            self.archive = self.archive.saturating_add(kept_bytes(tx.as_reader()).await?);
        }
        self.admit(&changes)?;
        let archiving = Archiving {
            trigger: Trigger::Quota,
            step: "observe",
            settings: self.settings,
            usage: self.before.clone(),
            now,
            ids,
        };
        let carried_out = archiving.carry_out(tx, changes).await?;
        for change in &carried_out {
            let Some(tier) = change.tier() else { continue };
            let is_new = self.new.iter().any(|item| item.seq == change.seq());
            let sum = if is_new { &mut self.passed_on } else { &mut self.freed };
            sum[tier as usize] += change.size_bytes();
        }
        Ok(carried_out)
    }

    /// Fails if the archive would exceed its allowance by more than the share by which tiers may exceed their quotas.
    fn admit(&self, changes: &[Change]) -> Result<()> {
        let limit = self.settings.archive_allowance.value.saturating_mul(self.settings.hard_limit_percent) / 100;
        let requested: u64 = changes.iter().map(Change::size_bytes).sum();
        if requested > 0 && self.archive.saturating_add(requested) > limit {
            return Err(Error::ArchiveFull { used: self.archive, limit, requested });
        }
        Ok(())
    }

    fn bytes(&self, tier: Tier) -> u64 {
        self.new.iter().filter(|item| item.tier == tier).map(|item| item.size_bytes).sum()
    }

    /// Returns the usage without the turns that made room, and without the new ones.
    pub(super) fn usage(&self) -> Usage {
        let mut usage = self.before.clone();
        for &tier in Tier::ALL {
            let active = usage.count_mut(tier, MemoryState::Active);
            active.bytes = active.bytes.saturating_sub(self.freed[tier as usize]);
        }
        usage
    }

    /// Returns the bytes of new turns that stay active, for tiers that grow.
    pub(super) fn added(&self) -> Vec<(Tier, u64)> {
        let of = |tier| self.bytes(tier).saturating_sub(self.passed_on[tier as usize]);
        Tier::ALL.iter().map(|&tier| (tier, of(tier))).filter(|(_, bytes)| *bytes > 0).collect()
    }
}

/// Returns turns of a tier, oldest first, until they have `enough` bytes; without new and lasting ones.
async fn stored(
    tx: &mut dyn VaultTransaction,
    tier: Tier,
    enough: u64,
    new: &[RetentionItem],
) -> Result<Vec<RetentionItem>> {
    let filter = MemoryFilter {
        tiers: vec![tier],
        kinds: vec![RecordKind::Turn],
        states: vec![MemoryState::Active],
        ..MemoryFilter::default()
    };
    let (mut items, mut bytes, mut after): (Vec<RetentionItem>, u64, Option<ListKey>) = (Vec::new(), 0, None);
    while bytes < enough {
        let page = tx.list(&filter, ListOrder::OldestFirst, after, MAX_PAGE_SIZE, PAGE_BYTES).await?;
        let Some(last) = page.last() else { break };
        after = Some(ListKey { created_at: last.created_at, seq: last.seq });
        let stored = page.iter().filter(|turn| !turn.draft.lasts() && new.iter().all(|item| item.seq != turn.seq));
        for item in stored.map(RetentionItem::of) {
            bytes += item.size_bytes;
            items.push(item);
        }
    }
    Ok(items)
}

/// Separates the turns that a summary covers from the others.
async fn parted(
    tx: &mut dyn VaultTransaction,
    items: Vec<RetentionItem>,
) -> Result<(Vec<RetentionItem>, Vec<RetentionItem>)> {
    let ids: Vec<MemoryId> = items.iter().map(|item| item.id).collect();
    let covered = covered_ids(tx.as_reader(), &ids).await?;
    Ok(items.into_iter().partition(|item| covered.contains(&item.id)))
}

fn of_new(memory: &NewMemory, seq: Seq) -> RetentionItem {
    RetentionItem {
        seq,
        id: memory.id,
        tier: memory.draft.tier,
        state: MemoryState::Active,
        protected: memory.draft.lasts(),
        size_bytes: memory.size_bytes,
        score: memory.score.score,
        created_at: memory.created_at,
        delete_after: None,
        session: None,
        importance: memory.draft.importance,
        by_hand: memory.draft.created_by == Creator::User,
        access_count: 0,
        updated_at: memory.created_at,
        last_seen_at: memory.created_at,
        source_type: memory.draft.source_type(),
        tagged: !memory.draft.metadata.tags.is_empty(),
        kind: memory.draft.kind,
        valid_from: memory.draft.valid_from,
        valid_to: memory.draft.valid_to,
    }
}
