//! Reads memories by id and by number.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::Memory;
use kimberly_core::ports::RowFacts;
use kimberly_core::scoring::ScoreRecord;
use uuid::Uuid;

use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, MEMORY_JOINS, MEMORY_SOURCE, ReadRow as _, from_code, memory};
use crate::rows::in_order;
use crate::tables::memories::memory_columns;

// With row-level security the planner takes any user for one with few rows, and then reads all of them for each id. OFFSET 0 has it
// look every row up by its key instead.
const SEQS: &str = "SELECT m.id, m.seq FROM unnest($2::uuid[]) WITH ORDINALITY e (id, place) \
     CROSS JOIN LATERAL (SELECT * FROM memories WHERE user_id = $1 AND id = e.id OFFSET 0) m \
     WHERE m.withheld = 0 ORDER BY e.place";
/// Reads no content, so that an unknown id costs almost as much as a known one.
const FACTS: &str = "SELECT m.seq, m.tier, n.name, m.sensitive, m.withheld > 0 \
     FROM unnest($2::uuid[]) WITH ORDINALITY e (id, place) \
     LEFT JOIN LATERAL (SELECT * FROM memories WHERE user_id = $1 AND id = e.id OFFSET 0) m ON true \
     LEFT JOIN namespaces n ON n.user_id = $1 AND n.no = m.namespace ORDER BY e.place";

pub(super) async fn by_id(conn: &mut Conn, id: MemoryId) -> Result<Option<Memory>> {
    let columns = memory_columns();
    let sql = format!("SELECT {columns} FROM {MEMORY_SOURCE} WHERE m.user_id = $1 AND m.id = $2 AND m.withheld = 0");
    let (args, seals) = (conn.args().with(id.0), conn.seals.clone());
    conn.row("reading a memory", sql, args, |row| memory(row, seals.as_deref())).await
}

pub(super) async fn by_seqs(conn: &mut Conn, seqs: &[Seq]) -> Result<Vec<Memory>> {
    if seqs.is_empty() {
        return Ok(Vec::new());
    }
    let seals = conn.seals.clone();
    // A reader that cannot open sealed memories encounters one only if it has just become sensitive: omit it.
    let can_open = seals.as_ref().is_none_or(|seals| !seals.are_on() || seals.can_open());
    let sealed = if can_open { "" } else { " AND m.sealed_content IS NULL" };
    let columns = memory_columns();
    let sql = format!(
        "SELECT {columns} FROM unnest($2::bigint[]) e (seq) \
         CROSS JOIN LATERAL (SELECT * FROM memories WHERE user_id = $1 AND seq = e.seq OFFSET 0) m {MEMORY_JOINS} \
         WHERE m.withheld = 0{sealed}"
    );
    let args = conn.args().with(seqs.iter().map(|seq| seq.0).collect::<Vec<_>>());
    let found = conn.rows("reading memories", sql, args, |row| memory(row, seals.as_deref())).await?;
    Ok(in_order(seqs, found))
}

pub(super) async fn seqs(conn: &mut Conn, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Seq)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let args = conn.args().with(uuids(ids));
    conn.rows("reading the numbers of memories", SEQS, args, |row| {
        let c = &mut Cells::new(row);
        Ok((MemoryId(c.uuid()?), Seq(c.int()?)))
    })
    .await
}

pub(super) async fn facts(conn: &mut Conn, ids: &[MemoryId]) -> Result<Vec<Option<RowFacts>>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let args = conn.args().with(uuids(ids));
    conn.rows("reading memory properties", FACTS, args, |row| {
        let c = &mut Cells::new(row);
        let Some(seq) = c.opt_int()? else { return Ok(None) };
        let (tier, namespace) = (from_code(c.int()?)?, c.opt_text()?.unwrap_or_default());
        Ok(Some(RowFacts { seq: Seq(seq), tier, namespace, sensitive: c.flag()?, withheld: c.flag()? }))
    })
    .await
}

fn uuids(ids: &[MemoryId]) -> Vec<Uuid> {
    ids.iter().map(|id| id.0).collect()
}

pub(super) async fn score_record(conn: &mut Conn, seq: Seq) -> Result<Option<ScoreRecord>> {
    let (sql, args) = ("SELECT score_record FROM memories WHERE user_id = $1 AND seq = $2", conn.args().with(seq.0));
    let found = conn.row("reading a score", sql, args, |row| Cells::new(row).opt_text()).await?;
    found.flatten().map(|compact| ScoreRecord::from_compact(&compact)).transpose()
}
