//! Applies a run's decisions: archives and erases memories, and stores the decisions.

use std::collections::HashMap;

use kimberly_core::Timestamp;
use kimberly_core::error::{Entity, Error, Result};
use kimberly_core::ids::{MeditationId, Seq};
use kimberly_core::meditation::Change;
use kimberly_core::memory::ChangeKind;

use super::changes::{self, Told};
use super::counted::alter;
use super::{erase, numbered};
use crate::chunks::chunks;
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _, unsigned};
use crate::rows::{DECISION_TABLE, decision_rows, push_decision};

const RUN: &str = "SELECT no, (SELECT coalesce(max(position), 0) FROM decisions WHERE user_id = $1 AND meditation = no) \
     FROM meditations WHERE user_id = $1 AND id = $2";
const ARCHIVE: &str = "state = 1, life = old.life | 1, archived_at = $3, delete_after = $4, updated_at = $3, \
     revision = old.revision + 1";
const PRUNED: &str = "INSERT INTO pruned (user_id, day, bytes) VALUES ($1, $2, $3) \
     ON CONFLICT (user_id, day) DO UPDATE SET bytes = pruned.bytes + excluded.bytes";

fn seqs(changes: &[&Change]) -> Vec<i64> {
    changes.iter().map(|change| change.seq().0).collect()
}

pub(super) async fn archive(
    conn: &mut Conn,
    changes: &[&Change],
    at: Timestamp,
    delete_after: Timestamp,
) -> Result<()> {
    conn.head.recall_changed();
    let args = conn.args().with(seqs(changes)).with(at.0).with(delete_after.0);
    let altered = alter(conn, "archiving memories", (ARCHIVE, "m.seq = ANY($2)"), args).await?;
    let revisions: HashMap<Seq, i64> = altered.iter().map(|altered| (altered.seq, altered.revision)).collect();
    let told = changes.iter().filter_map(|change| {
        let revision = *revisions.get(&change.seq())?;
        Some(Told { id: change.memory_id(), revision, reason: Some(change.reason) })
    });
    changes::tell(conn, (ChangeKind::Archived, at), told).await
}

pub(super) async fn prune(conn: &mut Conn, changes: &[&Change], at: Timestamp) -> Result<()> {
    erase::remove(conn, seqs(changes), at).await?;
    let told = changes.iter().map(|change| Told { reason: Some(change.reason), ..Told::gone(change.memory_id()) });
    changes::tell(conn, (ChangeKind::Erased, at), told).await?;
    let bytes: u64 = changes.iter().map(|change| change.pruned_bytes()).sum();
    if bytes > 0 {
        let args = conn.args().with(at.day()).with(unsigned(bytes));
        conn.run("counting erased bytes", PRUNED, args).await?;
    }
    Ok(())
}

pub(super) async fn record(conn: &mut Conn, run: MeditationId, decisions: &[Change], at: Timestamp) -> Result<()> {
    let (no, last) = run_position(conn, run).await?;
    let rows = decision_rows(no, last, decisions);
    let columns = DECISION_TABLE.split(", ").count();
    for chunk in chunks(&rows) {
        let (mut args, mut values) = (conn.args(), Vec::with_capacity(chunk.len()));
        for (row, first) in chunk.iter().zip((2..).step_by(columns)) {
            push_decision(&mut args, *row, at.0);
            values.push(format!("($1, {})", numbered(first, columns)));
        }
        let sql = format!("INSERT INTO decisions (user_id, {DECISION_TABLE}) VALUES {}", values.join(","));
        conn.run("recording decisions", sql, args).await?;
    }
    Ok(())
}

/// Returns the run's row number and the position of its last decision.
async fn run_position(conn: &mut Conn, run: MeditationId) -> Result<(i64, i64)> {
    let args = conn.args().with(run.0);
    conn.row("reading a run", RUN, args, |row| {
        let c = &mut Cells::new(row);
        Ok((c.int()?, c.int()?))
    })
    .await?
    .ok_or_else(|| Error::NotFound { entity: Entity::Meditation, id: run.to_string() })
}
