//! Counts the vectors computed for all users, per day.

use kimberly_core::error::Result;

use super::RegistryPort;
use crate::codes::unsigned;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::rows::{Cells, ReadRow as _};

const ON: &str = "SELECT vectors FROM embedded_days WHERE day = $1";
const BEGIN: &str = "INSERT INTO embedded_days (day, vectors) VALUES ($1, 0) ON CONFLICT (day) DO NOTHING";
const LOCK: &str = "SELECT vectors FROM embedded_days WHERE day = $1 FOR UPDATE";
const TAKE: &str = "UPDATE embedded_days SET vectors = vectors + $2 WHERE day = $1";
const FORGET: &str = "DELETE FROM embedded_days WHERE day < $1";
/// Days to keep.
const RETENTION_DAYS: i64 = 31;

impl RegistryPort {
    pub(super) async fn vectors_on(&self, day: i64) -> Result<u64> {
        let found = self
            .0
            .row("reading the embedding budget", ON, Args::none().with(day), |row| Cells::new(row).count())
            .await?;
        Ok(found.unwrap_or_default())
    }

    /// Locks the day's row, so that concurrent callers never exceed the budget.
    pub(super) async fn take_vectors(&self, day: i64, wanted: u64, budget: u64) -> Result<u64> {
        let mut conn = self.0.registry().await?;
        let done = take(&mut conn, day, wanted, budget).await;
        conn.end(done).await
    }
}

async fn take(conn: &mut Conn, day: i64, wanted: u64, budget: u64) -> Result<u64> {
    let doing = "drawing from the embedding budget";
    let day_only = || Args::none().with(day);
    if conn.run(doing, BEGIN, day_only()).await? > 0 {
        let args = Args::none().with(day.saturating_sub(RETENTION_DAYS));
        conn.run("deleting counts of past days", FORGET, args).await?;
    }
    let before = conn.row(doing, LOCK, day_only(), |row| Cells::new(row).count()).await?.unwrap_or_default();
    // Never more than the column can store, whatever the budget.
    let taken = wanted.min(budget.min(i64::MAX.cast_unsigned()).saturating_sub(before));
    conn.run(doing, TAKE, day_only().with(unsigned(taken))).await?;
    Ok(taken)
}
