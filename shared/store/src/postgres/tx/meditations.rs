//! Writes meditation runs.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::meditation::Meditation;

use super::numbered;
use crate::postgres::conn::Conn;
use crate::postgres::reader::limit as sql_limit;
use crate::postgres::rows::{MEDITATION_COLUMNS, push_meditation};

/// Also deletes the runs' decisions, by cascade.
const PRUNE: &str = "DELETE FROM meditations WHERE user_id = $1 AND finished_at < $2 \
     AND no NOT IN (SELECT no FROM meditations WHERE user_id = $1 ORDER BY id DESC LIMIT $3)";

pub(super) async fn put(conn: &mut Conn, run: &Meditation) -> Result<()> {
    // An update, not a replacement, which would delete the run's decisions.
    let sets: Vec<_> = MEDITATION_COLUMNS.split(", ").skip(1).map(|name| format!("{name} = excluded.{name}")).collect();
    let columns = MEDITATION_COLUMNS.split(", ").count();
    let sql = format!(
        "INSERT INTO meditations (user_id, no, {MEDITATION_COLUMNS}) SELECT v.user_id, \
         (SELECT coalesce(max(no), 0) + 1 FROM meditations WHERE user_id = $1), {} FROM vaults v WHERE v.user_id = $1 \
         ON CONFLICT (user_id, id) DO UPDATE SET {}",
        numbered(2, columns),
        sets.join(", ")
    );
    let mut args = conn.args();
    push_meditation(&mut args, run);
    conn.run("storing a run", sql, args).await?;
    Ok(())
}

pub(super) async fn prune(conn: &mut Conn, before: Timestamp, newest: usize) -> Result<u64> {
    let args = conn.args().with(before.0).with(sql_limit(newest));
    conn.run("removing old runs", PRUNE, args).await
}
