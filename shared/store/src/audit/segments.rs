//! Compresses old entries, 512 per segment, into one row each. The newest entries stay rows, because the next entry
//! links to them.
//!
//! The chain does not change. If an entry does not fit the chain, it and all entries after it stay rows: tampering must
//! remain visible. An unreadable segment counts as empty, as if its entries had been deleted. Entries with numbers
//! outside the segment's declared range are ignored, so nothing can hide in it.

use kimberly_core::audit::{AuditHead, AuditRecord, pack, unpack};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::AuditQuery;

use super::{Next, Stored};
use crate::codes::unsigned;

/// Entries per segment.
const SEGMENT: usize = 512;
/// Number of newest entries that stay rows.
const ROWS: usize = 512;
/// zstd level; higher levels gain little on names, ids and hashes.
const LEVEL: i32 = 3;
/// Largest decompressed size of a segment in bytes; limits the damage that a manipulated segment can do.
const MAX_BYTES: usize = 8 << 20;

/// A stored segment with its decoded entries.
pub(crate) struct Segment {
    first: i64,
    last: i64,
    entries: Vec<AuditRecord>,
}

impl Segment {
    /// Reads a segment from its row: first number, last number, packed entries.
    pub(crate) fn read(first: i64, last: i64, packed: Option<&[u8]>) -> Self {
        let packed = packed.and_then(|bytes| zstd::bulk::decompress(bytes, MAX_BYTES).ok());
        let mut entries = packed.and_then(|bytes| unpack(&bytes)).unwrap_or_default();
        entries.retain(|entry| i64::try_from(entry.no).is_ok_and(|no| (first..=last).contains(&no)));
        Self { first, last, entries }
    }
}

/// Packs the oldest rows into a segment if there are enough of them and they continue the chain of the log called
/// `name`. Returns the number of packed rows.
pub(crate) async fn compact(stored: &mut dyn Stored, name: &str) -> Result<usize> {
    let query = AuditQuery { limit: SEGMENT + ROWS, ..AuditQuery::default() };
    let mut oldest = stored.rows(&query).await?;
    if oldest.len() < SEGMENT + ROWS {
        return Ok(0);
    }
    oldest.truncate(SEGMENT);
    let mut before = begins(stored, name).await?;
    for entry in &oldest {
        if entry.no != before.no.saturating_add(1) || entry.hash != entry.hash_after(&before.hash) {
            return Ok(0);
        }
        before = entry.head();
    }
    if pack(&oldest).len() > MAX_BYTES {
        return Ok(0);
    }
    put(stored, &oldest).await?;
    stored.drop_rows(before.no).await?;
    Ok(oldest.len())
}

/// Returns the head that the oldest row must link to.
async fn begins(stored: &mut dyn Stored, name: &str) -> Result<AuditHead> {
    let query = AuditQuery { limit: 1, newest_first: true, ..AuditQuery::default() };
    if let Some(last) = segments(stored, &query).await?.last() {
        return Ok(last.head());
    }
    Ok(stored.range().await?.pruned.unwrap_or_else(|| AuditHead::genesis(name)))
}

async fn put(stored: &mut dyn Stored, entries: &[AuditRecord]) -> Result<()> {
    let failed = || Error::storage(StorageFailure::Defect, "entries of the audit cannot be compressed");
    let (first, last) = entries.first().zip(entries.last()).ok_or_else(failed)?;
    let packed = zstd::bulk::compress(&pack(entries), LEVEL).map_err(|_| failed())?;
    stored.put_segment(unsigned(first.no), unsigned(last.no), packed).await
}

/// Entries of segments that match the query, in order of number. Reads segments in the requested direction until the
/// limit is reached.
pub(super) async fn segments(stored: &mut dyn Stored, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
    let (after, before) = (query.after, query.before.unwrap_or(u64::MAX));
    let newest_first = query.newest_first;
    let mut passed = if newest_first { i64::MAX } else { i64::MIN };
    let mut found: Vec<AuditRecord> = Vec::new();
    loop {
        let next = Next { after: unsigned(after), before: unsigned(before), passed, newest_first };
        let Some(segment) = stored.segment(next).await? else { return Ok(found) };
        if found.len() >= query.limit && !reaches(&segment, &found, query) {
            return Ok(found);
        }
        passed = segment.first;
        let wanted = |entry: &AuditRecord| entry.no > after && entry.no < before && fits(entry, query);
        found.extend(segment.entries.into_iter().filter(wanted));
        found.sort_by_key(|entry| entry.no);
    }
}

/// Reports whether a segment may contain entries that belong within the limit.
fn reaches(segment: &Segment, found: &[AuditRecord], query: &AuditQuery) -> bool {
    let at = query.limit.saturating_sub(1);
    if query.newest_first {
        found.iter().rev().nth(at).is_none_or(|bound| segment.last >= unsigned(bound.no))
    } else {
        found.get(at).is_none_or(|bound| segment.first <= unsigned(bound.no))
    }
}

fn fits(entry: &AuditRecord, query: &AuditQuery) -> bool {
    query.actor.as_ref().is_none_or(|actor| *actor == entry.actor)
        && query.action.as_ref().is_none_or(|action| *action == entry.action)
        && query.subject.as_ref().is_none_or(|subject| entry.subject.as_ref() == Some(subject))
}

/// Removes entries with numbers up to `no` from segments.
pub(super) async fn drop_until(stored: &mut dyn Stored, no: u64) -> Result<()> {
    for mut segment in stored.across(no).await? {
        segment.entries.retain(|entry| entry.no > no);
        if !segment.entries.is_empty() {
            stored.drop_segment(segment.first).await?;
            put(stored, &segment.entries).await?;
        }
    }
    stored.drop_segments(no).await
}
