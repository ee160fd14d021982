//! Writes records of consent, and withholds, releases or marks for erasure the memories under them.

use kimberly_core::Timestamp;
use kimberly_core::consent::{ConsentRecord, ConsentScope};
use kimberly_core::error::Result;
use kimberly_core::ids::{ConsentId, MemoryId, Seq};
use kimberly_core::memory::ChangeKind;
use kimberly_core::ports::Doomed;

use crate::rows::push_consent;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter::{json, push_conditions};
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::{Cells, ReadRow as _, code};
use crate::sqlite::schema::late;

const PUT: &str = "INSERT INTO consents (id, granted_at, expires_at, retracted_at, body) VALUES (?, ?, ?, ?, ?) \
     ON CONFLICT (id) DO UPDATE SET granted_at = excluded.granted_at, expires_at = excluded.expires_at, \
     retracted_at = excluded.retracted_at, body = excluded.body";
/// Records the change before it happens, for memories visible until now, with the revision that they will get.
const TELL_WITHHELD: &str = "INSERT INTO changes (kind, at, revision, memory_id) \
     SELECT ?, ?, revision + 1, id FROM memories \
     WHERE consent_no = (SELECT no FROM consents WHERE id = ?) AND withheld = 0 ORDER BY seq";
const WITHHOLD: &str = "UPDATE memories SET withheld = ?, revision = revision + (withheld = 0), \
     updated_at = iif(withheld = 0, ?, updated_at), epoch = -1 \
     WHERE consent_no = (SELECT no FROM consents WHERE id = ?) AND withheld < ?";
/// Without consents nothing is withheld, and no index says so: it comes with the first consent (`schema/late.rs`).
const ANY: &str = "SELECT EXISTS (SELECT 1 FROM consents)";
const TO_ERASE: &str = "SELECT id, seq FROM memories WHERE withheld = 2 ORDER BY seq LIMIT +?";
const LEFT: &str = "SELECT count(*) FROM memories WHERE withheld = 2";

pub(super) async fn put(conn: &mut Conn, record: &ConsentRecord) -> Result<()> {
    let mut args = Args::new();
    push_consent(&mut args, record)?;
    late::create(conn, "consents").await?;
    conn.run("storing a record of consent", PUT, args).await?;
    Ok(())
}

pub(super) async fn withhold(conn: &mut Conn, id: ConsentId, erase: bool, at: Timestamp) -> Result<u64> {
    conn.settle_index().await?;
    let id = id.0.as_bytes().to_vec();
    let args = Args::new().with(code(ChangeKind::Withheld)).with(at.0).with(id.clone());
    let seen = conn.run("recording withheld memories", TELL_WITHHELD, args).await?;
    let withheld = if erase { 2 } else { 1 };
    let args = Args::new().with(withheld).with(at.0).with(id).with(withheld);
    let withheld = conn.run("withholding memories", WITHHOLD, args).await?;
    conn.notes.put_off.recall_changed |= withheld > 0;
    Ok(seen)
}

pub(super) async fn release(conn: &mut Conn, from: ConsentId, into: &ConsentRecord, at: Timestamp) -> Result<u64> {
    conn.settle_index().await?;
    let mut which = String::new();
    let from = from.0.as_bytes().to_vec();
    let mut args = Args::new().with(code(ChangeKind::Restored)).with(at.0).with(from.clone());
    push_scope(&mut which, &mut args, &into.draft.scope);
    let sql = format!(
        "INSERT INTO changes (kind, at, revision, memory_id) SELECT ?, ?, m.revision + 1, m.id FROM memories m \
         WHERE m.consent_no = (SELECT no FROM consents WHERE id = ?) AND m.withheld = 1{which} ORDER BY m.seq"
    );
    let released = conn.run("recording released memories", sql, args).await?;
    let mut which = String::new();
    // Archived memories get their full grace period again, because they could not be rescued while they were withheld.
    let mut args = Args::new().with(into.id.0.as_bytes().to_vec()).with(at.0).with(at.0).with(from);
    push_scope(&mut which, &mut args, &into.draft.scope);
    let sql = format!(
        "UPDATE memories AS m SET withheld = 0, consent_no = (SELECT no FROM consents WHERE id = ?), \
         revision = revision + 1, updated_at = ?, epoch = -1, \
         delete_after = iif(m.state = 1, max(m.delete_after, ? + m.delete_after - m.archived_at), m.delete_after) \
         WHERE m.consent_no = (SELECT no FROM consents WHERE id = ?) AND m.withheld = 1{which}"
    );
    conn.run("showing withheld memories", sql, args).await?;
    conn.notes.put_off.recall_changed |= released > 0;
    Ok(released)
}

/// Appends the conditions of a scope, each with a leading `AND`.
fn push_scope(sql: &mut String, args: &mut Args, scope: &ConsentScope) {
    push_conditions(sql, args, &crate::consents::filter(scope), None);
    if !scope.session_ids.is_empty() {
        sql.push_str(" AND m.session IN (SELECT no FROM sessions WHERE id IN (SELECT value FROM json_each(?)))");
        args.push(json(&scope.session_ids));
    }
}

pub(super) async fn doomed(conn: &mut Conn, limit: usize) -> Result<Doomed> {
    let any = conn.row("looking for consents", ANY, Args::new(), |row| Cells::new(row).flag()).await?;
    if !any.unwrap_or_default() {
        return Ok(Doomed::default());
    }
    let args = Args::new().with(sql_limit(limit));
    let oldest =
        conn.rows("selecting memories to erase", TO_ERASE, args, |row| doomed_from(&mut Cells::new(row))).await?;
    let all = conn.row("counting memories to erase", LEFT, Args::new(), |row| Cells::new(row).count()).await?;
    Ok(Doomed { oldest, all: all.unwrap_or_default() })
}

fn doomed_from(c: &mut Cells<'_>) -> Result<(MemoryId, Seq)> {
    Ok((MemoryId(c.uuid()?), Seq(c.int()?)))
}
