//! Reads memories by id and by number.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::Memory;
use kimberly_core::ports::RowFacts;
use kimberly_core::scoring::ScoreRecord;

use crate::rows::in_order;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter::{json, json_numbers};
use crate::sqlite::rows::{Cells, MEMORY_SOURCE, ReadRow as _, from_code, memory};
use crate::tables::memories::memory_columns;

pub(super) async fn by_id(conn: &mut Conn, id: MemoryId) -> Result<Option<Memory>> {
    let columns = memory_columns();
    let sql = format!("SELECT {columns} FROM {MEMORY_SOURCE} WHERE m.id = ? AND m.withheld = 0");
    let (args, seals) = (Args::new().with(id.0.as_bytes().to_vec()), conn.seals.clone());
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
        "SELECT {columns} FROM {MEMORY_SOURCE} \
         WHERE m.seq IN (SELECT value FROM json_each(?)) AND m.withheld = 0{sealed}"
    );
    let args = Args::new().with(json_numbers(seqs.iter().map(|seq| seq.0)));
    let found = conn.rows("reading memories", sql, args, |row| memory(row, seals.as_deref())).await?;
    Ok(in_order(seqs, found))
}

pub(super) async fn seqs(conn: &mut Conn, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Seq)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = "SELECT m.id, m.seq FROM json_each(?) e CROSS JOIN memories m ON m.id = unhex(e.value) \
         WHERE m.withheld = 0 ORDER BY e.key";
    let args = Args::new().with(hex(ids));
    conn.rows("reading the numbers of memories", sql, args, |row| {
        let c = &mut Cells::new(row);
        Ok((MemoryId(c.uuid()?), Seq(c.int()?)))
    })
    .await
}

/// Reads only columns stored before the content, so that an unknown id costs almost as much as a known one.
pub(super) async fn facts(conn: &mut Conn, ids: &[MemoryId]) -> Result<Vec<Option<RowFacts>>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = "SELECT m.seq, m.tier, n.name, m.sensitive, m.withheld FROM json_each(?) e \
         LEFT JOIN memories m ON m.id = unhex(e.value) LEFT JOIN namespaces n ON n.no = m.namespace ORDER BY e.key";
    conn.rows("reading memory properties", sql, Args::new().with(hex(ids)), |row| {
        let c = &mut Cells::new(row);
        let Some(seq) = c.opt_int()? else { return Ok(None) };
        let (tier, namespace) = (from_code(c.int()?)?, c.opt_text()?.unwrap_or_default());
        Ok(Some(RowFacts { seq: Seq(seq), tier, namespace, sensitive: c.flag()?, withheld: c.flag()? }))
    })
    .await
}

/// Formats ids as a JSON array of hexadecimal strings.
fn hex(ids: &[MemoryId]) -> String {
    let hex: Vec<_> = ids.iter().map(|id| id.0.simple().to_string()).collect();
    json(&hex)
}

pub(super) async fn score_record(conn: &mut Conn, seq: Seq) -> Result<Option<ScoreRecord>> {
    let sql = "SELECT score_record FROM memories WHERE seq = ?";
    let found = conn.row("reading a score", sql, Args::new().with(seq.0), |row| Cells::new(row).opt_text()).await?;
    found.flatten().map(|compact| ScoreRecord::from_compact(&compact)).transpose()
}
