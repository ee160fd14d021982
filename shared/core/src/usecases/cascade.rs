//! Has what rests on erased records go with them, and marks what rests on them in part.

use std::collections::BTreeSet;

use super::support::entry;
use crate::audit::Actor;
use crate::bounds::MAX_CASCADE;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, Seq};
use crate::links::Cascade;
use crate::memory::{Memory, Tier};
use crate::ports::{AuditEntry, VaultTransaction};
use crate::time::Timestamp;

/// Records that are read at a time.
const AT_ONCE: usize = 64;

/// What goes along.
#[derive(Clone, Debug, Default)]
pub(super) struct Along {
    /// The numbers of what is to be erased with the rest.
    pub(super) seqs: Vec<Seq>,
    /// Its tiers.
    pub(super) tiers: Vec<Tier>,
    /// Its bytes.
    pub(super) size_bytes: u64,
    /// How many records were marked as stale.
    pub(super) stale: u64,
}

/// Refuses to erase records on which too many rest.
pub(super) async fn cascade_of(tx: &mut dyn VaultTransaction, erased: &BTreeSet<MemoryId>) -> Result<Cascade> {
    let cascade = Cascade::of(tx.as_reader(), erased).await?;
    if cascade.truncated {
        let problem = format!(
            "name memories that more than {MAX_CASCADE} others are derived from; name fewer, or forget those that rest on \
             them first (`kimberly lineage`)"
        );
        return Err(Error::conflict("ids", problem));
    }
    Ok(cascade)
}

/// Marks what rests on erased records in part, tells of all, and answers what is still to be erased with them.
pub(super) async fn take_along(
    tx: &mut dyn VaultTransaction,
    cascade: &Cascade,
    (now, actor): (Timestamp, Actor),
) -> Result<Along> {
    let mut along = Along::default();
    for (seq, tier, size_bytes, id) in memories(tx, &cascade.gone).await? {
        along.seqs.push(seq);
        along.tiers.push(tier);
        along.size_bytes += size_bytes;
        let told = entry(now, "memory.cascade", Some(id.to_string()), 1);
        tx.audit(&AuditEntry { actor: actor.clone(), ..told }).await?;
    }
    let ids: Vec<MemoryId> = cascade.stale.iter().copied().collect();
    for ids in ids.chunks(AT_ONCE) {
        for record in tx.records(ids).await? {
            mark(tx, record.memory, now).await?;
            along.stale += 1;
        }
    }
    if along.stale > 0 {
        let told = entry(now, "memory.stale", None, along.stale);
        tx.audit(&AuditEntry { actor, ..told }).await?;
    }
    Ok(along)
}

/// Marks a record, unless it is.
async fn mark(tx: &mut dyn VaultTransaction, mut memory: Memory, now: Timestamp) -> Result<()> {
    if memory.belief.stale_since.is_some() {
        return Ok(());
    }
    memory.belief.stale_since = Some(now);
    memory.updated_at = now;
    memory.revision += 1;
    tx.update_memory(&memory, None).await
}

/// Number, tier, bytes and id of records, withheld ones too.
async fn memories(tx: &mut dyn VaultTransaction, ids: &BTreeSet<MemoryId>) -> Result<Vec<(Seq, Tier, u64, MemoryId)>> {
    let (ids, mut found): (Vec<MemoryId>, Vec<_>) = (ids.iter().copied().collect(), Vec::new());
    for ids in ids.chunks(AT_ONCE) {
        let records = tx.records(ids).await?.into_iter().map(|record| record.memory);
        found.extend(records.map(|memory| (memory.seq, memory.draft.tier, memory.size_bytes, memory.id)));
    }
    found.sort_unstable_by_key(|(seq, ..)| *seq);
    Ok(found)
}
