//! Writes records of consent, and withholds, releases or marks for erasure the memories under them.

use std::fmt::Write as _;

use kimberly_core::Timestamp;
use kimberly_core::consent::ConsentRecord;
use kimberly_core::error::Result;
use kimberly_core::ids::{ConsentId, MemoryId, Seq};
use kimberly_core::memory::ChangeKind;
use kimberly_core::ports::Doomed;

use super::changes::{self, Told};
use super::counted::alter;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::filter::push_conditions;
use crate::postgres::reader::limit as sql_limit;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::rows::push_consent;

const PUT: &str = "INSERT INTO consents (user_id, no, id, granted_at, expires_at, retracted_at, body) \
     SELECT v.user_id, (SELECT coalesce(max(no), 0) + 1 FROM consents WHERE user_id = $1), $2, $3, $4, $5, $6 \
     FROM vaults v WHERE v.user_id = $1 \
     ON CONFLICT (user_id, id) DO UPDATE SET granted_at = excluded.granted_at, expires_at = excluded.expires_at, \
     retracted_at = excluded.retracted_at, body = excluded.body";
const UNDER: &str = "m.consent_no = (SELECT no FROM consents WHERE user_id = $1 AND id = $2)";
/// Memories that were already withheld get no new revision, because no caller has seen them since.
const WITHHOLD: &str = "withheld = $3, revision = old.revision + CASE WHEN old.withheld = 0 THEN 1 ELSE 0 END, \
     updated_at = CASE WHEN old.withheld = 0 THEN $4 ELSE old.updated_at END, epoch = -1, indexed = NULL, tokens = 0";
/// Archived memories get their full grace period again, because they could not be rescued while they were withheld.
const RELEASE: &str = "withheld = 0, consent_no = (SELECT no FROM consents WHERE user_id = $1 AND id = $3), \
     revision = old.revision + 1, updated_at = $4, epoch = -1, delete_after = CASE WHEN old.state = 1 \
     THEN greatest(old.delete_after, $4 + old.delete_after - old.archived_at) ELSE old.delete_after END";
const TO_ERASE: &str = "SELECT id, seq FROM memories WHERE user_id = $1 AND withheld = 2 ORDER BY seq LIMIT $2";
const LEFT: &str = "SELECT count(*) FROM memories WHERE user_id = $1 AND withheld = 2";

pub(super) async fn put(conn: &mut Conn, record: &ConsentRecord) -> Result<()> {
    let mut args = conn.args();
    push_consent(&mut args, record)?;
    conn.run("storing a record of consent", PUT, args).await?;
    Ok(())
}

pub(super) async fn withhold(conn: &mut Conn, id: ConsentId, erase: bool, at: Timestamp) -> Result<u64> {
    let withheld: i64 = if erase { 2 } else { 1 };
    let args = conn.args().with(id.0).with(withheld).with(at.0);
    let which = format!("{UNDER} AND m.withheld < $3");
    let altered = alter(conn, "withholding memories", (WITHHOLD, &which), args).await?;
    if altered.is_empty() {
        return Ok(0);
    }
    conn.head.recall_changed();
    let seen: Vec<_> = altered.iter().filter(|altered| !altered.was_withheld).map(Told::from).collect();
    let count = seen.len() as u64;
    changes::tell(conn, (ChangeKind::Withheld, at), seen).await?;
    Ok(count)
}

pub(super) async fn release(conn: &mut Conn, from: ConsentId, into: &ConsentRecord, at: Timestamp) -> Result<u64> {
    let mut args = conn.args().with(from.0).with(into.id.0).with(at.0);
    let mut which = format!("{UNDER} AND m.withheld = 1");
    push_scope(&mut which, &mut args, into);
    let altered = alter(conn, "showing withheld memories", (RELEASE, &which), args).await?;
    if !altered.is_empty() {
        conn.head.recall_changed();
    }
    changes::tell(conn, (ChangeKind::Restored, at), altered.iter().map(Told::from)).await?;
    Ok(altered.len() as u64)
}

/// Appends the conditions of a record's scope, each with a leading `AND`.
fn push_scope(sql: &mut String, args: &mut Args, record: &ConsentRecord) {
    let scope = &record.draft.scope;
    push_conditions(sql, args, &crate::consents::filter(scope), None);
    if !scope.session_ids.is_empty() {
        let ids = args.push(scope.session_ids.clone());
        let _ = write!(sql, " AND m.session IN (SELECT no FROM sessions WHERE user_id = $1 AND id = ANY(${ids}))");
    }
}

pub(super) async fn doomed(conn: &mut Conn, limit: usize) -> Result<Doomed> {
    let args = conn.args().with(sql_limit(limit));
    let oldest =
        conn.rows("selecting memories to erase", TO_ERASE, args, |row| doomed_from(&mut Cells::new(row))).await?;
    let args = conn.args();
    let all = conn.row("counting memories to erase", LEFT, args, |row| Cells::new(row).count()).await?;
    Ok(Doomed { oldest, all: all.unwrap_or_default() })
}

fn doomed_from(c: &mut Cells<'_>) -> Result<(MemoryId, Seq)> {
    Ok((MemoryId(c.uuid()?), Seq(c.int()?)))
}
