//! Stores when users' runs are due.

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::meditation::Trigger;
use kimberly_core::ports::DueUser;
use kimberly_core::time::Timestamp;
use rusqlite::Row;

use super::SystemDb;
use super::users::user;
use crate::sqlite::conn::Args;
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::{Cells, ReadRow as _, from_name};

const DUE: &str = "SELECT id, 'schedule', schedule_at AS due_at FROM users WHERE schedule_at <= ? \
     UNION ALL SELECT id, 'rotation', rotation_at FROM users WHERE rotation_at <= ? \
     ORDER BY due_at, id LIMIT +?";

/// Returns the column with a trigger's next time.
fn column(trigger: Trigger) -> Result<&'static str> {
    match trigger {
        Trigger::Schedule => Ok("schedule_at"),
        Trigger::Rotation => Ok("rotation_at"),
        other => Err(Error::storage(StorageFailure::Defect, format!("runs of trigger {other} are not planned ahead"))),
    }
}

impl SystemDb {
    pub(super) async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<DueUser>> {
        let args = Args::new().with(now.0).with(now.0).with(sql_limit(limit));
        let mut lease = self.reader().await?;
        let read = |row: &Row<'_>| {
            let c = &mut Cells::new(row);
            let user = user(c.str()?)?;
            let trigger = from_name("trigger", c.str()?, Trigger::from_name)?;
            Ok(DueUser { user, trigger, due_at: c.time()? })
        };
        lease.conn()?.rows("reading due users", DUE, args, read).await
    }

    pub(super) async fn reschedule(
        &self,
        user: &UserId,
        trigger: Trigger,
        was: Option<Timestamp>,
        next: Timestamp,
    ) -> Result<bool> {
        let column = column(trigger)?;
        let sql = format!("UPDATE users SET {column} = ? WHERE id = ? AND {column} = coalesce(?, {column})");
        let args = Args::new().with(next.0).with(user.as_str()).with(was.map(|at| at.0));
        Ok(self.writer().await?.conn()?.run("moving a due time", sql, args).await? > 0)
    }

    pub(super) async fn next_due(&self, user: &UserId, trigger: Trigger) -> Result<Option<Timestamp>> {
        let sql = format!("SELECT {} FROM users WHERE id = ?", column(trigger)?);
        let args = Args::new().with(user.as_str());
        let mut lease = self.reader().await?;
        lease.conn()?.row("reading a due time", sql, args, |row| Cells::new(row).time()).await
    }
}
