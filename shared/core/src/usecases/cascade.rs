//! Erases, with erased records, those derived from them, and the summaries and merged records that hold their words. Marks
//! those derived from them in part.

use std::collections::BTreeSet;

use super::merge::release;
use super::named::discard;
use super::support::entry;
use super::unsummarize::{edited, summaries_alone, summaries_of};
use crate::audit::{Actor, AuditEntry};
use crate::bounds::MAX_CASCADE;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, Seq};
use crate::links::Cascade;
use crate::memory::{Memory, RecordKind, Tier};
use crate::ports::{VaultReader, VaultTransaction};
use crate::time::Timestamp;

/// Records per query.
const AT_ONCE: usize = 64;

/// The records that an erasure also erases.
#[derive(Clone, Debug, Default)]
pub(super) struct Along {
    /// Sequence numbers of the records that are to be erased with the rest.
    pub(super) seqs: Vec<Seq>,
    /// Their tiers.
    pub(super) tiers: Vec<Tier>,
    /// Their bytes.
    pub(super) size_bytes: u64,
    /// The number of them derived from erased records and not summaries.
    pub(super) derived: u64,
    /// Number of records marked as stale.
    pub(super) stale: u64,
}

/// The consequences of erasing records: records derived from them alone, summaries and merged records that hold their words, and
/// those derived from any of these in part.
#[derive(Clone, Debug, Default)]
pub(super) struct Following {
    erased: BTreeSet<MemoryId>,
    summaries: BTreeSet<MemoryId>,
    /// Summaries that stay because a person edited them. Their versions hold the erased words, and go.
    written_over: BTreeSet<MemoryId>,
    pub(super) cascade: Cascade,
}

impl Following {
    /// Computes what follows, withheld records included. A summary that also has sources which stay is erased for the
    /// words that it holds; what rests on such a summary only becomes stale.
    pub(super) async fn of(reader: &mut dyn VaultReader, erased: &BTreeSet<MemoryId>) -> Result<Self> {
        let (mut summaries, mut alone) = (BTreeSet::new(), BTreeSet::new());
        loop {
            let cascade = Cascade::of(reader, &(erased | &alone)).await?;
            let gone = erased | &cascade.gone;
            let more = summaries_of(reader, &(&gone | &summaries)).await?;
            let made_alone = summaries_alone(reader, &summaries, &(&gone | &alone)).await?;
            if cascade.too_many || (more.is_empty() && made_alone.is_subset(&alone)) {
                summaries.retain(|id| !gone.contains(id));
                let seeds = erased | &summaries;
                let following = Self { erased: erased.clone(), summaries, cascade, ..Self::default() };
                return following.with_stale(reader, &seeds).await;
            }
            summaries.extend(more);
            alone.extend(made_alone);
        }
    }

    /// Computes what erasing these summaries entails, themselves included, while their sources stay. Records derived from
    /// them is marked, not erased. With `keeps`, so are those that a person edited.
    pub(super) async fn of_summaries(
        reader: &mut dyn VaultReader,
        summaries: BTreeSet<MemoryId>,
        keeps: bool,
    ) -> Result<Self> {
        let (mut following, mut more) = (Self::default(), summaries);
        while !more.is_empty() {
            let edited = if keeps { edited(reader, &more).await? } else { BTreeSet::new() };
            following.summaries.extend(more.difference(&edited));
            following.written_over.extend(&edited);
            following.cascade.stale.extend(edited);
            more = &summaries_of(reader, &following.summaries).await? - &following.cascade.stale;
        }
        let seeds = following.summaries.clone();
        following.with_stale(reader, &seeds).await?.within_bounds()
    }

    /// Computes which records are erased with some of the records that a meditation erases. Summaries of those went when the records
    /// were deleted, unless a person edited them.
    pub(super) async fn of_pruned(
        reader: &mut dyn VaultReader,
        deleted: &BTreeSet<MemoryId>,
        erased: BTreeSet<MemoryId>,
    ) -> Result<Self> {
        let summaries = &summaries_of(reader, deleted).await? - &erased;
        let seeds = summaries.clone();
        Self { erased, summaries, ..Self::default() }.with_stale(reader, &seeds).await
    }

    /// Adds to the stale ones all records derived from `seeds` that are not erased.
    async fn with_stale(mut self, reader: &mut dyn VaultReader, seeds: &BTreeSet<MemoryId>) -> Result<Self> {
        if !self.summaries.is_empty() {
            let touched = Cascade::of(reader, seeds).await?;
            self.cascade.too_many |= touched.too_many;
            self.cascade.stale.extend(touched.gone);
            self.cascade.stale.extend(touched.stale);
        }
        let gone = &(&self.cascade.gone | &self.summaries) | &self.erased;
        self.cascade.stale.retain(|id| !gone.contains(id));
        Ok(self)
    }

    /// Like `of`, but fails beyond [`MAX_CASCADE`].
    pub(super) async fn bounded(reader: &mut dyn VaultReader, erased: &BTreeSet<MemoryId>) -> Result<Self> {
        Self::of(reader, erased).await?.within_bounds()
    }

    fn within_bounds(self) -> Result<Self> {
        if self.cascade.too_many {
            let problem = format!(
                "have more than {MAX_CASCADE} derived memories; send fewer ids, or forget the derived ones first \
                 (`kimberly lineage` lists them)"
            );
            return Err(Error::conflict("ids", problem));
        }
        Ok(self)
    }

    /// Marks records derived from erased ones in part, audits everything, and returns those still to be erased with them.
    pub(super) async fn take_along(
        &self,
        tx: &mut dyn VaultTransaction,
        (now, actor): (Timestamp, Actor),
    ) -> Result<Along> {
        let mut along = Along { derived: self.cascade.gone.len() as u64, ..Along::default() };
        let gone = &(&self.cascade.gone | &self.summaries) | &self.erased;
        release(tx, &self.summaries, &gone, now).await?;
        for (action, ids) in [("memory.cascade", &self.cascade.gone), ("conversation.uncompact", &self.summaries)] {
            for memory in memories(tx, ids).await? {
                along.seqs.push(memory.seq);
                along.tiers.push(memory.tier);
                along.size_bytes += memory.size_bytes;
                // Concluded and merged records are among the summaries, because they go with any one of their sources.
                let action = match memory.made {
                    Made::Concluded => "memory.cascade",
                    Made::Merged if self.summaries.contains(&memory.id) => "memory.unmerge",
                    _ => action,
                };
                let audited = entry(now, action, Some(memory.id.to_string()), 1);
                tx.audit(&AuditEntry { actor: actor.clone(), ..audited }).await?;
            }
        }
        for id in &self.written_over {
            discard(tx, *id).await?;
        }
        let ids: Vec<MemoryId> = self.cascade.stale.iter().copied().collect();
        for ids in ids.chunks(AT_ONCE) {
            for record in tx.records(ids).await? {
                mark_stale(tx, record.memory, now).await?;
                along.stale += 1;
            }
        }
        if along.stale > 0 {
            let audited = entry(now, "memory.stale", None, along.stale);
            tx.audit(&AuditEntry { actor, ..audited }).await?;
        }
        Ok(along)
    }
}

/// Marks a record as stale, unless it is already.
async fn mark_stale(tx: &mut dyn VaultTransaction, mut memory: Memory, now: Timestamp) -> Result<()> {
    if memory.belief.stale_since.is_some() {
        return Ok(());
    }
    memory.belief.stale_since = Some(now);
    memory.updated_at = now;
    memory.revision += 1;
    tx.update_memory(&memory, None).await
}

/// The facts of a record that its erasure needs.
struct Goes {
    seq: Seq,
    tier: Tier,
    size_bytes: u64,
    id: MemoryId,
    made: Made,
}

/// How a record was made from others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    Concluded,
    Summed,
    Merged,
}

impl Goes {
    fn of(memory: &Memory) -> Self {
        let (seq, tier, size_bytes) = (memory.seq, memory.draft.tier, memory.size_bytes);
        let made = match memory.draft.kind {
            _ if memory.draft.is_concluded() => Made::Concluded,
            RecordKind::Summary => Made::Summed,
            _ => Made::Merged,
        };
        Self { seq, tier, size_bytes, id: memory.id, made }
    }
}

/// Loads records in the order of their sequence numbers, withheld ones too.
async fn memories(tx: &mut dyn VaultTransaction, ids: &BTreeSet<MemoryId>) -> Result<Vec<Goes>> {
    let (ids, mut found): (Vec<MemoryId>, Vec<Goes>) = (ids.iter().copied().collect(), Vec::new());
    for ids in ids.chunks(AT_ONCE) {
        found.extend(tx.records(ids).await?.iter().map(|record| Goes::of(&record.memory)));
    }
    found.sort_unstable_by_key(|goes| goes.seq);
    Ok(found)
}
