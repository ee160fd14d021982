//! Vectors computed for all users, per day.

use kimberly_core::error::Result;

use super::SystemDb;
use crate::sqlite::conn::Args;
use crate::sqlite::rows::{Cells, unsigned};

const ON: &str = "SELECT vectors FROM embedded WHERE day = ?";
/// One statement: what others take meanwhile is seen, and nobody takes what is not there.
const TAKE: &str = "INSERT INTO embedded (day, vectors) VALUES (?1, min(?2, ?3)) \
     ON CONFLICT (day) DO UPDATE SET vectors = max(vectors, min(vectors + ?2, ?3)) RETURNING vectors";
const FORGET: &str = "DELETE FROM embedded WHERE day < ?";
/// Days that are kept.
const KEPT_DAYS: i64 = 31;

impl SystemDb {
    pub(super) async fn embedded_on(&self, day: i64) -> Result<u64> {
        let mut lease = self.reader().await?;
        let found = lease.conn()?.row("reading the budget", ON, Args::new().with(day), |row| Cells::new(row).count());
        Ok(found.await?.unwrap_or_default())
    }

    /// The writing connection is this process's only one, so that what it read before is what it adds to, but for other
    /// processes: they add between the two at most once, and the sum is right all the same.
    pub(super) async fn take_embedding_budget(&self, day: i64, wanted: u64, budget: u64) -> Result<u64> {
        let mut writing = self.writer().await?;
        let conn = writing.conn()?;
        let before = conn.row("reading the budget", ON, Args::new().with(day), |row| Cells::new(row).count()).await?;
        let before = before.unwrap_or_default();
        let args = Args::new().with(day).with(unsigned(wanted)).with(unsigned(budget));
        let after = conn.row("taking from the budget", TAKE, args, |row| Cells::new(row).count()).await?;
        conn.run("forgetting old days", FORGET, Args::new().with(day.saturating_sub(KEPT_DAYS))).await?;
        Ok(after.unwrap_or(before).saturating_sub(before).min(wanted))
    }
}
