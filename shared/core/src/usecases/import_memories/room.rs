//! The room that an import has left in the tiers and in the archive.

use super::super::protection::Protection;
use super::items::Ready;
use crate::error::{Error, Result};
use crate::memory::{MemoryRecord, MemoryState, Tier};
use crate::ports::{VaultTransaction, WriteContext};
use crate::retention::Full;
use crate::settings::EffectiveSettings;

/// Why a piece stops before its last item.
pub(super) enum Stop {
    /// A tier is full.
    Full(Full),
    /// Any other reason.
    Because(Error),
}

/// Room left below the hard limits of the tiers, and of the archive, which may exceed its allowance by the same share.
pub(super) struct Room {
    /// Bytes used and the limit, by tier.
    tiers: [(u64, u64); 3],
    pub(super) archive: (u64, u64),
    added: [u64; 3],
    /// The part of `added` that is not protected.
    pub(super) added_movable: [u64; 3],
    /// Bytes that meditations could archive before the piece, once read.
    pub(super) movable: Option<[u64; 3]>,
    /// Bytes of lasting memories so far, once read.
    lasting: Option<[u64; 3]>,
}

impl Room {
    pub(super) fn new(context: &WriteContext, settings: &EffectiveSettings) -> Self {
        let of = |tier| (context.usage.active_bytes(tier), settings.hard_limit(tier));
        let allowance = settings.archive_allowance.value.saturating_mul(settings.hard_limit_percent) / 100;
        Self {
            tiers: [of(Tier::ShortTerm), of(Tier::LongTerm), of(Tier::Permanent)],
            archive: (context.usage.archive().bytes, allowance),
            added: [0; 3],
            added_movable: [0; 3],
            movable: None,
            lasting: None,
        }
    }

    /// Takes room for an item, or returns the limit that it would exceed.
    pub(super) fn take(&mut self, item: &Ready) -> Result<(), Stop> {
        let (tier, requested) = (item.tier(), item.size_bytes());
        if item.version_bytes() > 0 {
            self.take_in_archive(item.version_bytes())?;
        }
        if item.state() != MemoryState::Active {
            return self.take_in_archive(requested);
        }
        let (used, limit) = &mut self.tiers[tier as usize];
        let after = used.saturating_add(requested);
        if after > *limit {
            return Err(Stop::Full(Full { tier, used: *used, limit: *limit, requested }));
        }
        *used = after;
        self.added[tier as usize] += requested;
        self.added_movable[tier as usize] += if item.draft().lasts() { 0 } else { requested };
        Ok(())
    }

    /// Limits what is protected to half of its tier.
    pub(super) async fn protect(
        &mut self,
        tx: &mut dyn VaultTransaction,
        settings: &EffectiveSettings,
        record: &MemoryRecord,
    ) -> Result<Result<()>> {
        let (mut protection, memory) = (Protection::default(), &record.memory);
        if memory.state == MemoryState::Active {
            protection.add(&memory.draft, memory.size_bytes);
        }
        if protection == Protection::default() {
            return Ok(Ok(()));
        }
        let held = match &mut self.lasting {
            Some(held) => held,
            none => none.insert(tx.lasting_bytes().await?),
        };
        let admitted = protection.beside(*held, settings);
        if admitted.is_ok() {
            protection.join(held);
        }
        Ok(admitted)
    }

    pub(super) fn take_in_archive(&mut self, requested: u64) -> Result<(), Stop> {
        let (used, limit) = &mut self.archive;
        let after = used.saturating_add(requested);
        if after > *limit {
            return Err(Stop::Because(Error::ArchiveFull { used: *used, limit: *limit, requested }));
        }
        *used = after;
        Ok(())
    }

    /// Returns the bytes that become active, by tier.
    pub(super) fn added(&self) -> Vec<(Tier, u64)> {
        let added = Tier::ALL.iter().map(|&tier| (tier, self.added[tier as usize]));
        added.filter(|(_, bytes)| *bytes > 0).collect()
    }
}
