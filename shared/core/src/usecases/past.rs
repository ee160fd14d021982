//! Reads what records were, to leave a vault with them, and stores it with those that come back.

use std::collections::HashMap;

use super::page::fit;
use crate::bounds::MAX_ENDINGS;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::Ending;
use crate::memory::{MemoryRecord, Past};
use crate::ports::{VaultReader, VaultTransaction};
use crate::tables::{RowQuery, TableRow, find, put};
use crate::versions::Version;

/// Gives the first of some records what they were, as many as have about `most` bytes of versions together but one at least; answers
/// how many these are.
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
        // Rows come with the oldest first.
        record.past.versions.reverse();
        record.past.endings.reverse();
        record.past.endings.truncate(MAX_ENDINGS);
    }
    Ok(fit)
}

/// Stores what records were that were just inserted.
pub(super) async fn keep(tx: &mut dyn VaultTransaction, records: &[MemoryRecord]) -> Result<()> {
    let versions: Vec<Version> = records.iter().flat_map(|record| record.past.versions.clone()).collect();
    let endings: Vec<Ending> = records.iter().flat_map(|record| record.past.endings.clone()).collect();
    put(tx, &versions).await?;
    put(tx, &endings).await
}

fn of<T: TableRow>(records: &[MemoryRecord]) -> RowQuery {
    T::query().among(&["memory_id"], records.iter().map(|record| record.memory.id)).with_withheld()
}

/// How many of the first have about so many bytes with their versions.
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
