//! Old entries in less room: 512 at a time as one compressed row. The newest stay as they are, so that what is written is
//! linked to a row.
//!
//! Nothing of the chain changes. Entries that do not fit it are left where they are, with all behind them: what somebody
//! has changed must stay to be seen. A segment that cannot be read holds no entries, as if they had been taken out; and
//! none whose number lies outside of those that it is found by, so that nothing hides in it.

use kimberly_core::UserId;
use kimberly_core::audit::{AuditHead, AuditRecord, pack, unpack, vault_log};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::AuditQuery;
use sqlx::sqlite::SqliteRow;

use super::log::Log;
use super::read::{range, rows};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, unsigned};

/// Entries of a segment.
const SEGMENT: usize = 512;
/// Newest entries that stay rows.
const ROWS: usize = 512;
/// As zstd counts them; higher ones gain little on names, ids and hashes.
const LEVEL: i32 = 3;
/// Largest segment before it is compressed, in bytes: a bound for what a changed one may grow to.
const MAX_BYTES: usize = 8 << 20;

const OWNER: &str = "SELECT user_id FROM vault";
const PUT: &str = "INSERT INTO audit_segments (first, last, entries) VALUES (?, ?, ?);";
const DROP_ROWS: &str = "DELETE FROM audit WHERE no <= ?";
const DROP_SEGMENT: &str = "DELETE FROM audit_segments WHERE first = ?;";
const DROP_WHOLE: &str = "DELETE FROM audit_segments WHERE last <= ?";
const FROM_FIRST: &str = "SELECT first, last, CAST(entries AS BLOB) FROM audit_segments \
     WHERE last > ? AND first < ? AND first > ? ORDER BY first LIMIT 1";
const FROM_LAST: &str = "SELECT first, last, CAST(entries AS BLOB) FROM audit_segments \
     WHERE last > ? AND first < ? AND first < ? ORDER BY first DESC LIMIT 1";
const ACROSS: &str = "SELECT first, last, CAST(entries AS BLOB) FROM audit_segments WHERE first <= ? AND last > ?";

/// A segment as it is found.
struct Segment {
    first: i64,
    last: i64,
    entries: Vec<AuditRecord>,
}

impl Segment {
    fn read(row: &SqliteRow) -> Result<Self> {
        let c = &mut Cells::new(row);
        let (first, last) = (c.opt_int()?.unwrap_or(i64::MIN), c.opt_int()?.unwrap_or(i64::MIN));
        let packed = c.opt_bytes()?.and_then(|bytes| zstd::bulk::decompress(bytes, MAX_BYTES).ok());
        let mut entries = packed.and_then(|bytes| unpack(&bytes)).unwrap_or_default();
        entries.retain(|entry| i64::try_from(entry.no).is_ok_and(|no| (first..=last).contains(&no)));
        Ok(Self { first, last, entries })
    }
}

/// Packs the oldest rows, if there are enough of them and they fit the chain; returns how many went.
pub(crate) async fn compact(conn: &mut Conn, log: &'static Log, name: &str) -> Result<usize> {
    let query = AuditQuery { limit: SEGMENT + ROWS, ..AuditQuery::default() };
    let mut oldest = rows(conn, &query).await?;
    if oldest.len() < SEGMENT + ROWS {
        return Ok(0);
    }
    oldest.truncate(SEGMENT);
    let mut before = begins(conn, log, name).await?;
    for entry in &oldest {
        if entry.no != before.no.saturating_add(1) || entry.hash != entry.hash_after(&before.hash) {
            return Ok(0);
        }
        before = entry.head();
    }
    if pack(&oldest).len() > MAX_BYTES {
        return Ok(0);
    }
    let args = put(&oldest)?.with(unsigned(before.no));
    conn.run("packing the audit", format!("{PUT}{DROP_ROWS}"), args).await?;
    Ok(oldest.len())
}

/// The same, for the audit of the vault that this is.
pub(crate) async fn compact_vault(conn: &mut Conn) -> Result<usize> {
    let owner = conn.row("reading a vault's owner", OWNER, Args::new(), |row| Cells::new(row).opt_text()).await?;
    // A new vault does not say yet whose it is, and holds little.
    let Some(user) = owner.flatten().and_then(|owner| UserId::parse(&owner).ok()) else { return Ok(0) };
    compact(conn, &Log::VAULT, &vault_log(&user)).await
}

/// What the oldest row must follow.
async fn begins(conn: &mut Conn, log: &Log, name: &str) -> Result<AuditHead> {
    let query = AuditQuery { limit: 1, newest_first: true, ..AuditQuery::default() };
    if let Some(last) = segments(conn, &query).await?.last() {
        return Ok(last.head());
    }
    Ok(range(conn, log).await?.pruned.unwrap_or_else(|| AuditHead::genesis(name)))
}

/// The values of a segment.
fn put(entries: &[AuditRecord]) -> Result<Args> {
    let failed = || Error::storage(StorageFailure::Defect, "entries of the audit cannot be packed");
    let (first, last) = entries.first().zip(entries.last()).ok_or_else(failed)?;
    let packed = zstd::bulk::compress(&pack(entries), LEVEL).map_err(|_| failed())?;
    Ok(Args::new().with(unsigned(first.no)).with(unsigned(last.no)).with(packed))
}

/// Entries of segments that the query asks for, in order of their numbers: all those that come first from the end that is
/// asked for, until there are as many as the limit.
pub(super) async fn segments(conn: &mut Conn, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
    let (after, before) = (query.after, query.before.unwrap_or(u64::MAX));
    let (sql, mut passed) = if query.newest_first { (FROM_LAST, i64::MAX) } else { (FROM_FIRST, i64::MIN) };
    let mut found: Vec<AuditRecord> = Vec::new();
    loop {
        let args = Args::new().with(unsigned(after)).with(unsigned(before)).with(passed);
        let Some(segment) = conn.row("reading the audit", sql, args, Segment::read).await? else { return Ok(found) };
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
pub(super) async fn drop_until(conn: &mut Conn, no: u64) -> Result<()> {
    let args = Args::new().with(unsigned(no)).with(unsigned(no));
    for mut segment in conn.rows("pruning the audit", ACROSS, args, Segment::read).await? {
        segment.entries.retain(|entry| entry.no > no);
        if !segment.entries.is_empty() {
            conn.run("pruning the audit", DROP_SEGMENT, Args::new().with(segment.first)).await?;
            conn.run("pruning the audit", PUT, put(&segment.entries)?).await?;
        }
    }
    conn.run("pruning the audit", DROP_WHOLE, Args::new().with(unsigned(no))).await.map(drop)
}
