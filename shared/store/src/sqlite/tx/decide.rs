//! Applies a run's decisions: archives and erases memories, and stores the decisions.

use kimberly_core::Timestamp;
use kimberly_core::error::{Entity, Error, Result};
use kimberly_core::ids::MeditationId;
use kimberly_core::meditation::Change;
use kimberly_core::memory::ChangeKind;

use super::{attachments, changes, name_refs, repeated};
use crate::chunks::chunks;
use crate::rows::{DECISION_TABLE, decision_rows, push_decision};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter::json_numbers;
use crate::sqlite::rows::{Cells, ReadRow as _, unsigned};

const RUN: &str = "SELECT no, (SELECT coalesce(max(position), 0) FROM decisions WHERE meditation = no) \
     FROM meditations WHERE id = ?";
const ARCHIVE: &str = "UPDATE memories SET state = 1, life = life | 1, archived_at = ?, delete_after = ?, \
     updated_at = ?, revision = revision + 1 WHERE seq IN (SELECT value FROM json_each(?))";
const ERASE: &str = "DELETE FROM memories WHERE seq IN (SELECT value FROM json_each(?))";
const PRUNED: &str =
    "INSERT INTO pruned (day, bytes) VALUES (?, ?) ON CONFLICT (day) DO UPDATE SET bytes = bytes + excluded.bytes";

fn seqs(changes: &[&Change]) -> String {
    json_numbers(changes.iter().map(|change| change.seq().0))
}

pub(super) async fn archive(
    conn: &mut Conn,
    changes: &[&Change],
    at: Timestamp,
    delete_after: Timestamp,
) -> Result<()> {
    conn.settle_index().await?;
    conn.notes.put_off.recall_changed = true;
    let args = Args::new().with(at.0).with(delete_after.0).with(at.0).with(seqs(changes));
    conn.run("archiving memories", ARCHIVE, args).await?;
    changes::decided(conn, changes, ChangeKind::Archived, at).await
}

pub(super) async fn prune(conn: &mut Conn, changes: &[&Change], at: Timestamp) -> Result<()> {
    let seqs = seqs(changes);
    conn.settle_index().await?;
    conn.notes.put_off.recall_changed = true;
    conn.notes.erased = true;
    name_refs::retain_positions(conn, seqs.clone()).await?;
    changes::decided(conn, changes, ChangeKind::Erased, at).await?;
    conn.run("erasing memories", ERASE, Args::new().with(seqs)).await?;
    attachments::remove_later(conn, at).await?;
    name_refs::forget_unused(conn).await?;
    let bytes: u64 = changes.iter().map(|change| change.pruned_bytes()).sum();
    if bytes > 0 {
        let args = Args::new().with(at.day()).with(unsigned(bytes));
        conn.run("counting erased bytes", PRUNED, args).await?;
    }
    Ok(())
}

pub(super) async fn record(conn: &mut Conn, run: MeditationId, decisions: &[Change], at: Timestamp) -> Result<()> {
    let (no, last) = run_position(conn, run).await?;
    let rows = decision_rows(no, last, decisions);
    for chunk in chunks(&rows) {
        let values = repeated("(?,?,?,?,?,?,?,?,?,?)", chunk.len());
        let sql = format!("INSERT INTO decisions ({DECISION_TABLE}) VALUES {values}");
        let mut args = Args::new();
        for row in chunk {
            push_decision(&mut args, *row, at.0);
        }
        conn.run("recording decisions", sql, args).await?;
    }
    Ok(())
}

/// Returns the run's row number and the position of its last decision.
async fn run_position(conn: &mut Conn, run: MeditationId) -> Result<(i64, i64)> {
    conn.row("reading a run", RUN, Args::new().with(run.0.as_bytes().to_vec()), |row| {
        let c = &mut Cells::new(row);
        Ok((c.int()?, c.int()?))
    })
    .await?
    .ok_or_else(|| Error::NotFound { entity: Entity::Meditation, id: run.to_string() })
}
