//! Memories by id and by number.

use std::collections::HashMap;

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::Memory;
use kimberly_core::scoring::ScoreRecord;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter::json_numbers;
use crate::sqlite::rows::{Cells, MEMORY_COLUMNS, MEMORY_SOURCE, memory};

pub(super) async fn by_id(conn: &mut Conn, id: MemoryId) -> Result<Option<Memory>> {
    let sql = format!("SELECT {MEMORY_COLUMNS} FROM {MEMORY_SOURCE} WHERE m.id = ? AND m.withheld = 0");
    conn.row("reading a memory", sql, Args::new().with(id.0.as_bytes().to_vec()), memory).await
}

pub(super) async fn by_seqs(conn: &mut Conn, seqs: &[Seq]) -> Result<Vec<Memory>> {
    if seqs.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT {MEMORY_COLUMNS} FROM {MEMORY_SOURCE} \
         WHERE m.seq IN (SELECT value FROM json_each(?)) AND m.withheld = 0"
    );
    let args = Args::new().with(json_numbers(seqs.iter().map(|seq| seq.0)));
    let found = conn.rows("reading memories", sql, args, memory).await?;
    let mut found: HashMap<Seq, Memory> = found.into_iter().map(|memory| (memory.seq, memory)).collect();
    let mut ordered = Vec::with_capacity(found.len());
    for (index, seq) in seqs.iter().enumerate() {
        // The same number asked for twice is answered twice.
        let again = seqs[index + 1..].contains(seq);
        ordered.extend(if again { found.get(seq).cloned() } else { found.remove(seq) });
    }
    Ok(ordered)
}

pub(super) async fn seqs(conn: &mut Conn, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Seq)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let hex: Vec<_> = ids.iter().map(|id| id.0.simple().to_string()).collect();
    let sql = "SELECT m.id, m.seq FROM json_each(?) e CROSS JOIN memories m ON m.id = unhex(e.value) \
         WHERE m.withheld = 0 ORDER BY e.key";
    let args = Args::new().with(crate::sqlite::filter::json(&hex));
    conn.rows("reading numbers of memories", sql, args, |row| {
        let c = &mut Cells::new(row);
        Ok((MemoryId(c.uuid()?), Seq(c.int()?)))
    })
    .await
}

pub(super) async fn score_record(conn: &mut Conn, seq: Seq) -> Result<Option<ScoreRecord>> {
    let sql = "SELECT score_record FROM memories WHERE seq = ?";
    let found = conn.row("reading a score", sql, Args::new().with(seq.0), |row| Cells::new(row).opt_text()).await?;
    found.flatten().map(|compact| ScoreRecord::from_compact(&compact)).transpose()
}
