//! Reads meditation runs.

use std::fmt::Write as _;

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ids::MeditationId;
use kimberly_core::meditation::Meditation;

use super::limit as sql_limit;
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, MEDITATION_COLUMNS, ReadRow as _, meditation as read};

pub(super) async fn meditation(conn: &mut Conn, id: MeditationId) -> Result<Option<Meditation>> {
    let sql = format!("SELECT {MEDITATION_COLUMNS} FROM meditations WHERE user_id = $1 AND id = $2");
    let args = conn.args().with(id.0);
    conn.row("reading a run", sql, args, read).await
}

pub(super) async fn meditations(conn: &mut Conn, after: Option<MeditationId>, limit: usize) -> Result<Vec<Meditation>> {
    let mut sql = format!("SELECT {MEDITATION_COLUMNS} FROM meditations WHERE user_id = $1");
    let mut args = conn.args();
    if let Some(after) = after {
        let _ = write!(sql, " AND id < ${}", args.push(after.0));
    }
    let _ = write!(sql, " ORDER BY id DESC LIMIT ${}", args.push(sql_limit(limit)));
    conn.rows("reading runs", sql, args, read).await
}

pub(super) async fn waiting(conn: &mut Conn) -> Result<Option<Meditation>> {
    let sql = format!(
        "SELECT {MEDITATION_COLUMNS} FROM meditations WHERE user_id = $1 AND status = 'scheduled' \
         AND started_by IN ('schedule', 'quota', 'request') AND asked IS NULL ORDER BY id LIMIT 1"
    );
    let args = conn.args();
    conn.row("reading the waiting run", sql, args, read).await
}

pub(super) async fn last(conn: &mut Conn) -> Result<Option<Timestamp>> {
    let sql = "SELECT max(finished_at) FROM meditations WHERE user_id = $1 AND status = 'complete'";
    let args = conn.args();
    Ok(conn.row("reading the last run", sql, args, |row| Cells::new(row).opt_time()).await?.flatten())
}
