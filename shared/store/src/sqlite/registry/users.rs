//! Users.

use kimberly_core::error::Result;
use kimberly_core::time::{Span, Timestamp};
use kimberly_core::{Error, UserId};

use super::SystemDb;
use crate::sqlite::conn::Args;
use crate::sqlite::errors;
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::Cells;

const KNOWN: &str = "SELECT EXISTS (SELECT 1 FROM users WHERE id = ?)";
const REGISTER: &str =
    "INSERT INTO users (id, created_at, schedule_at, rotation_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING";
const USERS: &str = "SELECT id FROM users WHERE id > ? ORDER BY id LIMIT ?";
const FIRST_USERS: &str = "SELECT id FROM users WHERE id >= ? ORDER BY id LIMIT ?";
const COUNT: &str = "SELECT count(*) FROM users";

/// From a user's registration to the first scheduled run.
const FIRST_SCHEDULE: Span = Span::days(7);
/// Time of day, in UTC, of the first rotation.
const FIRST_ROTATION: Span = Span::hours(3);

impl SystemDb {
    /// Registers a user who is not; due for neither run yet.
    pub(crate) async fn register(&self, user: &UserId, now: Timestamp) -> Result<()> {
        let id = user.as_str();
        let known = {
            let mut lease = self.reader().await?;
            let args = Args::new().with(id);
            lease.conn()?.row("looking a user up", KNOWN, args, |row| Cells::new(row).flag()).await?
        };
        if known == Some(true) {
            return Ok(());
        }
        let args = Args::new().with(id).with(now.0).with(now.plus(FIRST_SCHEDULE).0).with(first_rotation(now).0);
        self.writer().await?.conn()?.run("registering a user", REGISTER, args).await?;
        Ok(())
    }

    pub(super) async fn users(&self, after: Option<&UserId>, limit: usize) -> Result<Vec<UserId>> {
        let sql = if after.is_some() { USERS } else { FIRST_USERS };
        let args = Args::new().with(after.map_or("", UserId::as_str)).with(sql_limit(limit));
        self.reader().await?.conn()?.rows("listing users", sql, args, |row| user(Cells::new(row).str()?)).await
    }

    pub(super) async fn count_users(&self) -> Result<u64> {
        let mut lease = self.reader().await?;
        let count = lease.conn()?.row("counting users", COUNT, Args::new(), |row| Cells::new(row).count()).await?;
        Ok(count.unwrap_or_default())
    }
}

/// The next 03:00 UTC, at least a microsecond away.
fn first_rotation(now: Timestamp) -> Timestamp {
    let day = Span::days(1).0;
    let today = Timestamp(now.day().saturating_mul(day)).plus(FIRST_ROTATION);
    if today > now { today } else { today.plus(Span::days(1)) }
}

/// A stored user id.
pub(super) fn user(id: &str) -> Result<UserId> {
    UserId::parse(id).map_err(|_: Error| errors::corrupt("the registry holds a user id out of bounds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rotation_is_at_the_next_three_o_clock() {
        let hour = Span::hours(1).0;
        let day = Span::days(1).0;
        assert_eq!(first_rotation(Timestamp(10 * day)), Timestamp(10 * day + 3 * hour));
        assert_eq!(first_rotation(Timestamp(10 * day + 3 * hour - 1)), Timestamp(10 * day + 3 * hour));
        assert_eq!(first_rotation(Timestamp(10 * day + 3 * hour)), Timestamp(11 * day + 3 * hour));
    }
}
