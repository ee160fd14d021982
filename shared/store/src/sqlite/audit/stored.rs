//! The tables of an audit.

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::audit::{AuditHead, AuditRecord, vault_log};
use kimberly_core::error::Result;
use kimberly_core::ports::{AuditQuery, AuditRange};
use rusqlite::Row;

use super::log::Log;
use super::read::{range, rows};
use crate::audit::{Next, Segment, Stored, compact};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, ReadRow as _, unsigned};

const OWNER: &str = "SELECT user_id FROM vault";
const PUT: &str = "INSERT INTO audit_segments (first, last, entries) VALUES (?, ?, ?)";
const DROP_ROWS: &str = "DELETE FROM audit WHERE no <= ?";
const DROP_SEGMENT: &str = "DELETE FROM audit_segments WHERE first = ?";
const DROP_SEGMENTS: &str = "DELETE FROM audit_segments WHERE last <= ?";
const FROM_FIRST: &str = "SELECT first, last, CAST(entries AS BLOB) FROM audit_segments \
     WHERE last > ? AND first < ? AND first > ? ORDER BY first LIMIT 1";
const FROM_LAST: &str = "SELECT first, last, CAST(entries AS BLOB) FROM audit_segments \
     WHERE last > ? AND first < ? AND first < ? ORDER BY first DESC LIMIT 1";
const ACROSS: &str = "SELECT first, last, CAST(entries AS BLOB) FROM audit_segments WHERE first <= ? AND last > ?";
const PRUNED: &str = "UPDATE vault SET audit_pruned = ?, audit_pruned_hash = ?";

/// The audit in the file of a connection.
pub(crate) struct In<'c> {
    conn: &'c mut Conn,
    log: &'static Log,
}

impl<'c> In<'c> {
    pub(crate) fn new(conn: &'c mut Conn, log: &'static Log) -> Self {
        Self { conn, log }
    }
}

/// Packs the oldest audit rows of the vault behind this connection; returns how many.
pub(crate) async fn compact_vault(conn: &mut Conn) -> Result<usize> {
    let owner = conn.row("reading a vault's owner", OWNER, Args::new(), |row| Cells::new(row).opt_text()).await?;
    // A vault without an owner yet is new, and its audit is short.
    let Some(user) = owner.flatten().and_then(|owner| UserId::parse(&owner).ok()) else { return Ok(0) };
    compact(&mut In::new(conn, &Log::VAULT), &vault_log(&user)).await
}

#[async_trait]
impl Stored for In<'_> {
    async fn range(&mut self) -> Result<AuditRange> {
        range(self.conn, self.log).await
    }
    async fn rows(&mut self, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
        rows(self.conn, query).await
    }
    async fn segment(&mut self, next: Next) -> Result<Option<Segment>> {
        let sql = if next.newest_first { FROM_LAST } else { FROM_FIRST };
        let args = Args::new().with(next.after).with(next.before).with(next.passed);
        self.conn.row("reading the audit", sql, args, segment).await
    }
    async fn across(&mut self, no: u64) -> Result<Vec<Segment>> {
        let args = Args::new().with(unsigned(no)).with(unsigned(no));
        self.conn.rows("pruning the audit", ACROSS, args, segment).await
    }
    async fn put_segment(&mut self, first: i64, last: i64, packed: Vec<u8>) -> Result<()> {
        let args = Args::new().with(first).with(last).with(packed);
        self.conn.run("compressing the audit", PUT, args).await.map(drop)
    }
    async fn drop_segment(&mut self, first: i64) -> Result<()> {
        self.conn.run("pruning the audit", DROP_SEGMENT, Args::new().with(first)).await.map(drop)
    }
    async fn drop_segments(&mut self, until: u64) -> Result<()> {
        self.conn.run("pruning the audit", DROP_SEGMENTS, Args::new().with(unsigned(until))).await.map(drop)
    }
    async fn drop_rows(&mut self, until: u64) -> Result<()> {
        self.conn.run("pruning the audit", DROP_ROWS, Args::new().with(unsigned(until))).await.map(drop)
    }
    async fn store_pruned(&mut self, last: &AuditHead) -> Result<()> {
        let args = Args::new().with(unsigned(last.no)).with(last.hash.to_vec());
        self.conn.run("pruning the audit", PRUNED, args).await.map(drop)
    }
}

fn segment(row: &Row<'_>) -> Result<Segment> {
    let c = &mut Cells::new(row);
    let (first, last) = (c.opt_int()?.unwrap_or(i64::MIN), c.opt_int()?.unwrap_or(i64::MIN));
    Ok(Segment::read(first, last, c.opt_bytes()?))
}
