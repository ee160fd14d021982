//! Counts the vectors computed for all users, per day.

use kimberly_core::error::Result;

use super::SystemDb;
use crate::sqlite::conn::Args;
use crate::sqlite::rows::{Cells, ReadRow as _, unsigned};

const ON: &str = "SELECT vectors FROM embedded WHERE day = ?";
/// Atomic: it sees what others take meanwhile and never exceeds the budget.
const TAKE: &str = "INSERT INTO embedded (day, vectors) VALUES (?1, min(?2, ?3)) \
     ON CONFLICT (day) DO UPDATE SET vectors = max(vectors, min(vectors + ?2, ?3)) RETURNING vectors";
const FORGET: &str = "DELETE FROM embedded WHERE day < ?";
/// Days to keep.
const RETENTION_DAYS: i64 = 31;

impl SystemDb {
    pub(super) async fn embedded_on(&self, day: i64) -> Result<u64> {
        let mut lease = self.reader().await?;
        let found =
            lease.conn()?.row("reading the embedding budget", ON, Args::new().with(day), |row| Cells::new(row).count());
        Ok(found.await?.unwrap_or_default())
    }

    /// Reads the count before and after taking. Within this process the single writing connection prevents changes in
    /// between; another process may add in between, but the total stays correct.
    pub(super) async fn take_embedding_budget(&self, day: i64, wanted: u64, budget: u64) -> Result<u64> {
        let mut writing = self.writer().await?;
        let conn = writing.conn()?;
        let before =
            conn.row("reading the embedding budget", ON, Args::new().with(day), |row| Cells::new(row).count()).await?;
        let before = before.unwrap_or_default();
        let args = Args::new().with(day).with(unsigned(wanted)).with(unsigned(budget));
        let after = conn.row("drawing from the embedding budget", TAKE, args, |row| Cells::new(row).count()).await?;
        conn.run("deleting counts of past days", FORGET, Args::new().with(day.saturating_sub(RETENTION_DAYS))).await?;
        Ok(after.unwrap_or(before).saturating_sub(before).min(wanted))
    }
}
