//! Reads earlier states of records, for lists as of an earlier time and for exports, and restores them on import.

use std::collections::HashMap;

use super::page::fit;
use crate::bounds::MAX_ENDINGS;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::Ending;
use crate::memory::{Detail, Memory, MemoryRecord, Past};
use crate::ports::{VaultReader, VaultTransaction};
use crate::tables::{RowQuery, TableRow, find, put};
use crate::time::Timestamp;
use crate::versions::Version;

/// Gives memories the content and detail that they had at a time, as far as versions from then are kept; a redacted version
/// has none. Returns how many of them have about `most` bytes together, at least one, and leaves the rest as they are.
pub(super) async fn as_known(
    reader: &mut dyn VaultReader,
    at: Option<Timestamp>,
    memories: Vec<&mut Memory>,
    most: usize,
) -> Result<usize> {
    let all = memories.len();
    let Some(at) = at else { return Ok(all) };
    let ids = memories.iter().filter(|memory| memory.updated_at > at).map(|memory| memory.id);
    let ids: Vec<MemoryId> = ids.collect();
    if ids.is_empty() {
        return Ok(all);
    }
    let versions = Version::query().among(&["memory_id"], ids).without(Version::TEXTS).with_withheld();
    let mut then: HashMap<MemoryId, u64> = HashMap::new();
    for version in find::<Version>(reader, &versions).await?.into_iter().filter(|version| version.changed_at > at) {
        let first = then.entry(version.memory).or_insert(version.number);
        *first = version.number.min(*first);
    }
    let mut bytes = 0;
    for (index, memory) in memories.into_iter().enumerate() {
        if let Some(number) = then.get(&memory.id) {
            let one = Version::query().is("memory_id", memory.id).is("number", *number).with_withheld();
            if let Some(version) = find::<Version>(reader, &one).await?.pop() {
                memory.draft.content = version.content.unwrap_or_default();
                memory.draft.detail = version.detail.as_deref().map(Detail::from_json).transpose()?;
            }
        }
        bytes += memory.draft.content.len();
        if bytes > most && index > 0 {
            return Ok(index);
        }
    }
    Ok(all)
}

/// Gives the first records their versions and endings: as many records as have about `most` bytes with their versions,
/// but at least one. Returns how many these are.
pub(super) async fn give(reader: &mut dyn VaultReader, records: &mut [MemoryRecord], most: usize) -> Result<usize> {
    let fit = fitting(reader, records, most).await?;
    let records = records.get_mut(..fit).unwrap_or_default();
    let mut pasts: HashMap<MemoryId, Past> = HashMap::new();
    for version in find::<Version>(reader, &of::<Version>(records)).await? {
        pasts.entry(version.memory).or_default().versions.push(version);
    }
    for ending in find::<Ending>(reader, &of::<Ending>(records)).await? {
        pasts.entry(ending.memory).or_default().endings.push(ending);
    }
    for record in records {
        record.past = pasts.remove(&record.memory.id).unwrap_or_default();
        // Rows come oldest first.
        record.past.versions.reverse();
        record.past.endings.reverse();
        record.past.endings.truncate(MAX_ENDINGS);
    }
    Ok(fit)
}

/// Stores the versions and endings of records that were just inserted.
pub(super) async fn store(tx: &mut dyn VaultTransaction, records: &[MemoryRecord]) -> Result<()> {
    let versions: Vec<Version> = records.iter().flat_map(|record| record.past.versions.clone()).collect();
    let endings: Vec<Ending> = records.iter().flat_map(|record| record.past.endings.clone()).collect();
    put(tx, &versions).await?;
    put(tx, &endings).await
}

fn of<T: TableRow>(records: &[MemoryRecord]) -> RowQuery {
    T::query().among(&["memory_id"], records.iter().map(|record| record.memory.id)).with_withheld()
}

/// Returns how many of the first records have about `most` bytes with their versions.
async fn fitting(reader: &mut dyn VaultReader, records: &[MemoryRecord], most: usize) -> Result<usize> {
    let mut bytes: HashMap<MemoryId, u64> = HashMap::new();
    for version in find::<Version>(reader, &of::<Version>(records).without(Version::TEXTS)).await? {
        *bytes.entry(version.memory).or_default() += version.bytes;
    }
    let sizes = records
        .iter()
        .map(|record| record.memory.size_bytes + bytes.get(&record.memory.id).copied().unwrap_or_default());
    Ok(fit(sizes, most))
}
