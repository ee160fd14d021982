//! Stores when users' runs are due.

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::meditation::Trigger;
use kimberly_core::ports::DueUser;
use kimberly_core::time::Timestamp;

use super::RegistryPort;
use super::users::user;
use crate::codes::from_name;
use crate::postgres::conn::Args;
use crate::postgres::reader::limit as sql_limit;
use crate::postgres::rows::{Cells, ReadRow as _};

/// Each half reads only the first due users of its index, however many there are.
const DUE: &str = "SELECT user_id, trigger, due_at FROM ( \
     (SELECT user_id, 'schedule' AS trigger, schedule_at AS due_at FROM users WHERE schedule_at <= $1 \
      ORDER BY schedule_at, user_id LIMIT $2) \
     UNION ALL \
     (SELECT user_id, 'rotation', rotation_at FROM users WHERE rotation_at <= $1 \
      ORDER BY rotation_at, user_id LIMIT $2)) AS due \
     ORDER BY due_at, user_id LIMIT $2";

/// Returns a trigger's statements: one moves its next time if it is unchanged, the other reads it.
fn statements(trigger: Trigger) -> Result<(&'static str, &'static str)> {
    match trigger {
        Trigger::Schedule => Ok((
            "UPDATE users SET schedule_at = $2 WHERE user_id = $1 AND schedule_at = coalesce($3, schedule_at)",
            "SELECT schedule_at FROM users WHERE user_id = $1",
        )),
        Trigger::Rotation => Ok((
            "UPDATE users SET rotation_at = $2 WHERE user_id = $1 AND rotation_at = coalesce($3, rotation_at)",
            "SELECT rotation_at FROM users WHERE user_id = $1",
        )),
        other => Err(Error::storage(StorageFailure::Defect, format!("runs of trigger {other} are not planned ahead"))),
    }
}

impl RegistryPort {
    pub(super) async fn due_users(&self, now: Timestamp, limit: usize) -> Result<Vec<DueUser>> {
        let args = Args::none().with(now.0).with(sql_limit(limit));
        let read = |row: &_| {
            let c = &mut Cells::new(row);
            let user = user(c.str()?)?;
            let trigger = from_name("trigger", c.str()?, Trigger::from_name)?;
            Ok(DueUser { user, trigger, due_at: c.time()? })
        };
        self.0.rows("reading due users", DUE, args, read).await
    }

    /// One statement: if two move a time concurrently, the second finds it moved.
    pub(super) async fn move_due(
        &self,
        user: &UserId,
        trigger: Trigger,
        was: Option<Timestamp>,
        next: Timestamp,
    ) -> Result<bool> {
        let (sql, _) = statements(trigger)?;
        let args = Args::of(Some(user)).with(next.0).with(was.map(|at| at.0));
        Ok(self.0.run("moving a due time", sql, args).await? > 0)
    }

    pub(super) async fn due_at(&self, user: &UserId, trigger: Trigger) -> Result<Option<Timestamp>> {
        let (_, sql) = statements(trigger)?;
        self.0.row("reading a due time", sql, Args::of(Some(user)), |row| Cells::new(row).time()).await
    }
}
