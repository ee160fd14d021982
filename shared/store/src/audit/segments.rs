//! Old entries in less room: 512 at a time as one compressed row. The newest stay as they are, so that what is written is
//! linked to a row.
//!
//! Nothing of the chain changes. Entries that do not fit it are left where they are, with all behind them: what somebody
//! has changed must stay to be seen. A segment that cannot be read holds no entries, as if they had been taken out; and
//! none whose number lies outside of those that it is found by, so that nothing hides in it.

use kimberly_core::audit::{AuditHead, AuditRecord, pack, unpack};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::AuditQuery;

use super::{Next, Stored};
use crate::codes::unsigned;

/// Entries of a segment.
const SEGMENT: usize = 512;
/// Newest entries that stay rows.
const ROWS: usize = 512;
/// As zstd counts them; higher ones gain little on names, ids and hashes.
const LEVEL: i32 = 3;
/// Largest segment before it is compressed, in bytes: a bound for what a changed one may grow to.
const MAX_BYTES: usize = 8 << 20;

/// A segment as it is found.
pub(crate) struct Segment {
    first: i64,
    last: i64,
    entries: Vec<AuditRecord>,
}

impl Segment {
    /// From the columns of its row: first and last number, packed entries.
    pub(crate) fn read(first: i64, last: i64, packed: Option<&[u8]>) -> Self {
        let packed = packed.and_then(|bytes| zstd::bulk::decompress(bytes, MAX_BYTES).ok());
        let mut entries = packed.and_then(|bytes| unpack(&bytes)).unwrap_or_default();
        entries.retain(|entry| i64::try_from(entry.no).is_ok_and(|no| (first..=last).contains(&no)));
        Self { first, last, entries }
    }
}

/// Packs the oldest rows, if there are enough of them and they fit the chain of the log with this name; returns how many
/// went.
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

/// What the oldest row must follow.
async fn begins(stored: &mut dyn Stored, name: &str) -> Result<AuditHead> {
    let query = AuditQuery { limit: 1, newest_first: true, ..AuditQuery::default() };
    if let Some(last) = segments(stored, &query).await?.last() {
        return Ok(last.head());
    }
    Ok(stored.range().await?.pruned.unwrap_or_else(|| AuditHead::genesis(name)))
}

async fn put(stored: &mut dyn Stored, entries: &[AuditRecord]) -> Result<()> {
    let failed = || Error::storage(StorageFailure::Defect, "entries of the audit cannot be packed");
    let (first, last) = entries.first().zip(entries.last()).ok_or_else(failed)?;
    let packed = zstd::bulk::compress(&pack(entries), LEVEL).map_err(|_| failed())?;
    stored.put_segment(unsigned(first.no), unsigned(last.no), packed).await
}

/// Entries of segments that the query asks for, in order of their numbers: all those that come first from the end that is
/// asked for, until there are as many as the limit.
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

/// Whether a segment may hold some of the entries that come first.
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

/// Takes entries up to a number out of segments.
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
