//! Writes scores.

use kimberly_core::error::Result;
use kimberly_core::meditation::Scored;

use super::repeated;
use crate::chunks::chunks;
use crate::sqlite::conn::{Args, Conn};

pub(super) async fn apply(conn: &mut Conn, scores: &[Scored]) -> Result<()> {
    conn.notes.put_off.recall_changed |= !scores.is_empty();
    for chunk in chunks(scores) {
        // Scores are bound instead of written as JSON, so that they are stored exactly.
        let sql = format!(
            "UPDATE memories SET score = t.column2, score_record = t.column3, \
             epoch = (SELECT items FROM counters WHERE slot = 14) FROM (VALUES {}) t WHERE memories.seq = t.column1",
            repeated("(?,?,?)", chunk.len())
        );
        let mut args = Args::new();
        for scored in chunk {
            args.push(scored.seq.0);
            args.push(scored.record.score);
            args.push(scored.record.to_compact());
        }
        conn.run("storing scores", sql, args).await?;
    }
    Ok(())
}
