//! The tables of an audit.

use async_trait::async_trait;
use kimberly_core::audit::{AuditHead, AuditRecord};
use kimberly_core::error::Result;
use kimberly_core::ports::{AuditQuery, AuditRange};
use sqlx::postgres::PgRow;

use super::log::Log;
use super::read;
use crate::audit::{Next, Segment, Stored};
use crate::codes::unsigned;
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};

const PUT: &str = "INSERT INTO audit_segments (user_id, first, last, entries) VALUES ($1, $2, $3, $4)";
const PUT_SYSTEM: &str = "INSERT INTO system_audit_segments (first, last, entries) VALUES ($1, $2, $3)";
const PRUNED: &str = "UPDATE vaults SET audit_pruned = $2, audit_pruned_hash = $3 WHERE user_id = $1";

/// An audit in a transaction.
pub(crate) struct In<'c> {
    conn: &'c mut Conn,
    log: Log,
}

impl<'c> In<'c> {
    pub(crate) fn new(conn: &'c mut Conn, log: Log) -> Self {
        Self { conn, log }
    }

    /// Deletes from `what` by a condition, which ends with an operator, and its right-hand side `number`.
    async fn delete(&mut self, what: &str, condition: &str, number: i64) -> Result<()> {
        let mut args = self.log.args(self.conn);
        let sql = format!("DELETE FROM {what} AND {condition} ${}", args.push(number));
        self.conn.run("pruning the audit", sql, args).await.map(drop)
    }
}

#[async_trait]
impl Stored for In<'_> {
    async fn range(&mut self) -> Result<AuditRange> {
        read::range(self.conn, self.log).await
    }
    async fn rows(&mut self, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
        read::rows(self.conn, self.log, query).await
    }
    async fn segment(&mut self, next: Next) -> Result<Option<Segment>> {
        let mut args = self.log.args(self.conn);
        let (passed, order) = if next.newest_first { ("<", "first DESC") } else { (">", "first") };
        let sql = format!(
            "SELECT first, last, entries FROM {} AND last > ${} AND first < ${} AND first {passed} ${} \
             ORDER BY {order} LIMIT 1",
            self.log.segments(),
            args.push(next.after),
            args.push(next.before),
            args.push(next.passed)
        );
        self.conn.row("reading the audit", sql, args, segment).await
    }
    async fn across(&mut self, no: u64) -> Result<Vec<Segment>> {
        let mut args = self.log.args(self.conn);
        let (segments, number) = (self.log.segments(), args.push(unsigned(no)));
        let sql = format!("SELECT first, last, entries FROM {segments} AND first <= ${number} AND last > ${number}");
        self.conn.rows("pruning the audit", sql, args, segment).await
    }
    async fn put_segment(&mut self, first: i64, last: i64, packed: Vec<u8>) -> Result<()> {
        let sql = if self.log == Log::System { PUT_SYSTEM } else { PUT };
        let args = self.log.args(self.conn).with(first).with(last).with(packed);
        self.conn.run("compressing the audit", sql, args).await.map(drop)
    }
    async fn drop_segment(&mut self, first: i64) -> Result<()> {
        self.delete(self.log.segments(), "first =", first).await
    }
    async fn drop_segments(&mut self, until: u64) -> Result<()> {
        self.delete(self.log.segments(), "last <=", unsigned(until)).await
    }
    async fn drop_rows(&mut self, until: u64) -> Result<()> {
        self.delete(self.log.entries(), "no <=", unsigned(until)).await
    }
    async fn store_pruned(&mut self, last: &AuditHead) -> Result<()> {
        let args = self.conn.args().with(unsigned(last.no)).with(last.hash.to_vec());
        self.conn.run("pruning the audit", PRUNED, args).await.map(drop)
    }
}

fn segment(row: &PgRow) -> Result<Segment> {
    let c = &mut Cells::new(row);
    Ok(Segment::read(c.int()?, c.int()?, c.opt_bytes()?))
}
