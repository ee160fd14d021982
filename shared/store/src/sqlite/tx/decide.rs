//! Decisions carried out and recorded.

use kimberly_core::Timestamp;
use kimberly_core::error::{Entity, Error, Result};
use kimberly_core::ids::{MeditationId, MemoryId, Seq};
use kimberly_core::meditation::{Action, Decision};
use kimberly_core::memory::MemoryState;

use super::{attachments, changes, places, repeated};
use crate::chunks::chunks;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter::json_numbers;
use crate::sqlite::rows::{Cells, code, from_code, unsigned};

const RUN: &str = "SELECT no, (SELECT coalesce(max(position), 0) FROM decisions WHERE meditation = no) \
     FROM meditations WHERE id = ?";
/// Withheld memories are left alone, as retention does not see them, unless their owner deleted them.
const STATES: &str = "SELECT seq, id, state FROM memories \
     WHERE seq IN (SELECT value FROM json_each(?)) AND (withheld = 0 OR state = 2)";
const ARCHIVE: &str = "UPDATE memories SET state = 1, life = life | 1, archived_at = ?, delete_after = ?, \
     updated_at = ?, revision = revision + 1 WHERE seq IN (SELECT value FROM json_each(?))";
const ERASE: &str = "DELETE FROM memories WHERE seq IN (SELECT value FROM json_each(?))";
const PRUNED: &str =
    "INSERT INTO pruned (day, bytes) VALUES (?, ?) ON CONFLICT (day) DO UPDATE SET bytes = bytes + excluded.bytes";

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
    conn.settle_index().await?;
    let (no, last) = run_position(conn, run).await?;
    let carried_out = still_true(conn, decisions).await?;
    archive(conn, &carried_out, at, delete_after).await?;
    erase(conn, &carried_out, at).await?;
    record(conn, no, last, &carried_out, at).await?;
    Ok(carried_out)
}

/// The run's row and the position of its last decision.
async fn run_position(conn: &mut Conn, run: MeditationId) -> Result<(i64, i64)> {
    conn.row("reading a run", RUN, Args::new().with(run.0.as_bytes().to_vec()), |row| {
        let c = &mut Cells::new(row);
        Ok((c.int()?, c.int()?))
    })
    .await?
    .ok_or_else(|| Error::NotFound { entity: Entity::Meditation, id: run.to_string() })
}

/// Those whose memory is still there and in the state that was decided about.
async fn still_true(conn: &mut Conn, decisions: &[Decision]) -> Result<Vec<Decision>> {
    let args = Args::new().with(json_numbers(decisions.iter().map(|decision| decision.seq.0)));
    let states = conn
        .rows("reading states", STATES, args, |row| {
            let c = &mut Cells::new(row);
            Ok((Seq(c.int()?), (MemoryId(c.uuid()?), from_code::<MemoryState>(c.int()?)?)))
        })
        .await?;
    Ok(crate::decisions::still_true(decisions, states.into_iter().collect()))
}

fn seqs(decisions: &[Decision], action: Action) -> Option<String> {
    let seqs: Vec<_> = decisions.iter().filter(|d| d.action == action).map(|d| d.seq.0).collect();
    (!seqs.is_empty()).then(|| json_numbers(seqs.into_iter()))
}

async fn archive(conn: &mut Conn, decisions: &[Decision], at: Timestamp, delete_after: Timestamp) -> Result<()> {
    let Some(seqs) = seqs(decisions, Action::Archive) else { return Ok(()) };
    conn.notes.put_off.recall_changed = true;
    let args = Args::new().with(at.0).with(delete_after.0).with(at.0).with(seqs);
    conn.run("archiving memories", ARCHIVE, args).await?;
    changes::decided(conn, decisions, Action::Archive, at).await
}

async fn erase(conn: &mut Conn, decisions: &[Decision], at: Timestamp) -> Result<()> {
    let Some(seqs) = seqs(decisions, Action::Delete) else { return Ok(()) };
    conn.notes.put_off.recall_changed = true;
    conn.notes.erased = true;
    places::keep_positions(conn, seqs.clone()).await?;
    changes::decided(conn, decisions, Action::Delete, at).await?;
    conn.run("erasing memories", ERASE, Args::new().with(seqs)).await?;
    attachments::remove_later(conn, at).await?;
    places::forget_unused(conn).await?;
    let by_system = decisions.iter().filter(|d| d.action == Action::Delete && d.state != MemoryState::Deleted);
    let bytes: u64 = by_system.map(|d| d.size_bytes).sum();
    if bytes > 0 {
        let args = Args::new().with(at.day()).with(unsigned(bytes));
        conn.run("counting erased bytes", PRUNED, args).await?;
    }
    Ok(())
}

async fn record(conn: &mut Conn, run: i64, last: i64, decisions: &[Decision], at: Timestamp) -> Result<()> {
    let numbered: Vec<_> = decisions.iter().zip(last + 1..).collect();
    for chunk in chunks(&numbered) {
        let sql = format!(
            "INSERT INTO decisions (meditation, position, memory_id, seq, action, reason, explanation, tier, state, \
             size_bytes, score, decided_at) VALUES {}",
            repeated("(?,?,?,?,?,?,?,?,?,?,?,?)", chunk.len())
        );
        let mut args = Args::new();
        for (decision, position) in chunk {
            args.push(run);
            args.push(*position);
            args.push(decision.memory_id.0.as_bytes().to_vec());
            args.push(decision.seq.0);
            args.push(decision.action.name());
            args.push(decision.reason.name());
            args.push(decision.explanation.clone());
            args.push(code(decision.tier));
            args.push(code(decision.state));
            args.push(unsigned(decision.size_bytes));
            args.push(decision.score);
            args.push(at.0);
        }
        conn.run("recording decisions", sql, args).await?;
    }
    Ok(())
}
