//! Writes meditation runs.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::meditation::Meditation;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::{MEDITATION_COLUMNS, push_meditation};

const PRUNE: &str = "DELETE FROM meditations WHERE finished_at < ? \
     AND no NOT IN (SELECT no FROM meditations ORDER BY id DESC LIMIT +?)";

pub(super) async fn put(conn: &mut Conn, run: &Meditation) -> Result<()> {
    // An update, not a replacement, which would delete the run's decisions.
    let sets: Vec<_> = MEDITATION_COLUMNS.split(", ").skip(1).map(|name| format!("{name} = excluded.{name}")).collect();
    let sql = format!(
        "INSERT INTO meditations ({MEDITATION_COLUMNS}) VALUES ({}) \
         ON CONFLICT (id) DO UPDATE SET {}",
        vec!["?"; sets.len() + 1].join(","),
        sets.join(", ")
    );
    let mut args = Args::new();
    push_meditation(&mut args, run);
    conn.run("storing a run", sql, args).await?;
    Ok(())
}

pub(super) async fn prune(conn: &mut Conn, before: Timestamp, newest: usize) -> Result<u64> {
    conn.run("removing old runs", PRUNE, Args::new().with(before.0).with(sql_limit(newest))).await
}
