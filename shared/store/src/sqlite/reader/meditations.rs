//! Reads meditation runs.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ids::MeditationId;
use kimberly_core::meditation::Meditation;

use super::limit as sql_limit;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, MEDITATION_COLUMNS, ReadRow as _, meditation as read};

pub(super) async fn meditation(conn: &mut Conn, id: MeditationId) -> Result<Option<Meditation>> {
    let sql = format!("SELECT {MEDITATION_COLUMNS} FROM meditations WHERE id = ?");
    conn.row("reading a run", sql, Args::new().with(id.0.as_bytes().to_vec()), read).await
}

pub(super) async fn meditations(conn: &mut Conn, after: Option<MeditationId>, limit: usize) -> Result<Vec<Meditation>> {
    let mut sql = format!("SELECT {MEDITATION_COLUMNS} FROM meditations WHERE true");
    let mut args = Args::new();
    if let Some(after) = after {
        sql.push_str(" AND id < ?");
        args.push(after.0.as_bytes().to_vec());
    }
    sql.push_str(" ORDER BY id DESC LIMIT +?");
    args.push(sql_limit(limit));
    conn.rows("reading runs", sql, args, read).await
}

pub(super) async fn waiting(conn: &mut Conn) -> Result<Option<Meditation>> {
    let sql = format!(
        "SELECT {MEDITATION_COLUMNS} FROM meditations WHERE status = 'scheduled' \
         AND started_by IN ('schedule', 'quota', 'request') AND asked IS NULL ORDER BY id DESC"
    );
    conn.row("reading the waiting run", sql, Args::new(), read).await
}

pub(super) async fn last(conn: &mut Conn) -> Result<Option<Timestamp>> {
    let sql = "SELECT max(finished_at) FROM meditations WHERE status = 'complete'";
    Ok(conn.row("reading the last run", sql, Args::new(), |row| Cells::new(row).opt_time()).await?.flatten())
}
