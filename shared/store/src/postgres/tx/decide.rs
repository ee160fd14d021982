//! Decisions carried out and recorded.

use std::collections::HashMap;

use kimberly_core::Timestamp;
use kimberly_core::error::{Entity, Error, Result};
use kimberly_core::ids::{MeditationId, MemoryId, Seq};
use kimberly_core::meditation::{Action, Decision};
use kimberly_core::memory::{ChangeKind, MemoryState};

use super::changes::{self, Told};
use super::counted::alter;
use super::{erase, numbered};
use crate::chunks::chunks;
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, code, from_code, unsigned};

const RUN: &str = "SELECT no, (SELECT coalesce(max(position), 0) FROM decisions WHERE user_id = $1 AND meditation = no) \
     FROM meditations WHERE user_id = $1 AND id = $2";
/// Withheld memories are left alone, as retention does not see them, unless their owner deleted them.
const STATES: &str = "SELECT seq, id, state FROM memories \
     WHERE user_id = $1 AND seq = ANY($2) AND (withheld = 0 OR state = 2)";
const ARCHIVE: &str = "state = 1, life = old.life | 1, archived_at = $3, delete_after = $4, updated_at = $3, \
     revision = old.revision + 1";
const PRUNED: &str = "INSERT INTO pruned (user_id, day, bytes) VALUES ($1, $2, $3) \
     ON CONFLICT (user_id, day) DO UPDATE SET bytes = pruned.bytes + excluded.bytes";
const COLUMNS: &str = "meditation, position, memory_id, seq, action, reason, explanation, tier, state, size_bytes, score, \
     decided_at";

pub(super) async fn apply(
    conn: &mut Conn,
    run: MeditationId,
    decisions: &[Decision],
    at: Timestamp,
    delete_after: Timestamp,
) -> Result<Vec<Decision>> {
    if decisions.is_empty() {
        return Ok(Vec::new());
    }
    let (no, last) = run_position(conn, run).await?;
    let carried_out = still_true(conn, decisions).await?;
    archive(conn, &carried_out, at, delete_after).await?;
    erase(conn, &carried_out, at).await?;
    record(conn, no, last, &carried_out, at).await?;
    Ok(carried_out)
}

/// The run's row and the position of its last decision.
async fn run_position(conn: &mut Conn, run: MeditationId) -> Result<(i64, i64)> {
    let args = conn.args().with(run.0);
    conn.row("reading a run", RUN, args, |row| {
        let c = &mut Cells::new(row);
        Ok((c.int()?, c.int()?))
    })
    .await?
    .ok_or_else(|| Error::NotFound { entity: Entity::Meditation, id: run.to_string() })
}

/// Those whose memory is still there and in the state that was decided about.
async fn still_true(conn: &mut Conn, decisions: &[Decision]) -> Result<Vec<Decision>> {
    let args = conn.args().with(decisions.iter().map(|decision| decision.seq.0).collect::<Vec<_>>());
    let states = conn
        .rows("reading states", STATES, args, |row| {
            let c = &mut Cells::new(row);
            Ok((Seq(c.int()?), (MemoryId(c.uuid()?), from_code::<MemoryState>(c.int()?)?)))
        })
        .await?;
    Ok(crate::decisions::still_true(decisions, states.into_iter().collect()))
}

fn of(decisions: &[Decision], action: Action) -> (Vec<&Decision>, Vec<i64>) {
    let chosen: Vec<_> = decisions.iter().filter(|decision| decision.action == action).collect();
    let seqs = chosen.iter().map(|decision| decision.seq.0).collect();
    (chosen, seqs)
}

async fn archive(conn: &mut Conn, decisions: &[Decision], at: Timestamp, delete_after: Timestamp) -> Result<()> {
    let (chosen, seqs) = of(decisions, Action::Archive);
    if chosen.is_empty() {
        return Ok(());
    }
    conn.head.recall_changed();
    let args = conn.args().with(seqs).with(at.0).with(delete_after.0);
    let altered = alter(conn, "archiving memories", (ARCHIVE, "m.seq = ANY($2)"), args).await?;
    let revisions: HashMap<Seq, i64> = altered.iter().map(|altered| (altered.seq, altered.revision)).collect();
    let told = chosen.iter().filter_map(|decision| {
        let revision = *revisions.get(&decision.seq)?;
        Some(Told { id: decision.memory_id, revision, reason: Some(decision.reason) })
    });
    changes::tell(conn, (ChangeKind::Archived, at), told).await
}

async fn erase(conn: &mut Conn, decisions: &[Decision], at: Timestamp) -> Result<()> {
    let (chosen, seqs) = of(decisions, Action::Delete);
    if chosen.is_empty() {
        return Ok(());
    }
    erase::remove(conn, seqs, at).await?;
    let told = chosen.iter().map(|decision| Told { reason: Some(decision.reason), ..Told::gone(decision.memory_id) });
    changes::tell(conn, (ChangeKind::Erased, at), told).await?;
    let by_system = chosen.iter().filter(|decision| decision.state != MemoryState::Deleted);
    let bytes: u64 = by_system.map(|decision| decision.size_bytes).sum();
    if bytes > 0 {
        let args = conn.args().with(at.day()).with(unsigned(bytes));
        conn.run("counting erased bytes", PRUNED, args).await?;
    }
    Ok(())
}

async fn record(conn: &mut Conn, run: i64, last: i64, decisions: &[Decision], at: Timestamp) -> Result<()> {
    let placed: Vec<_> = decisions.iter().zip(last + 1..).collect();
    for chunk in chunks(&placed) {
        let (mut args, mut rows) = (conn.args(), Vec::with_capacity(chunk.len()));
        for (decision, position) in chunk {
            let first = args.push(run);
            args.push(*position);
            args.push(decision.memory_id.0);
            args.push(decision.seq.0);
            args.push(decision.action.name());
            args.push(decision.reason.name());
            args.push(decision.explanation.clone());
            args.push(code(decision.tier));
            args.push(code(decision.state));
            args.push(unsigned(decision.size_bytes));
            args.push(decision.score);
            let end = args.push(at.0);
            rows.push(format!("($1, {})", numbered(first, end + 1 - first)));
        }
        let sql = format!("INSERT INTO decisions (user_id, {COLUMNS}) VALUES {}", rows.join(","));
        conn.run("recording decisions", sql, args).await?;
    }
    Ok(())
}
