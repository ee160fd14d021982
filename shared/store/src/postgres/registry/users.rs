//! Reads users.

use kimberly_core::error::Result;
use kimberly_core::{Error, UserId};

use super::RegistryPort;
use crate::postgres::conn::Args;
use crate::postgres::errors;
use crate::postgres::reader::limit as sql_limit;
use crate::postgres::rows::{Cells, ReadRow as _};

/// No id is empty, so a page after the empty id is the first.
const USERS: &str = "SELECT user_id FROM users WHERE user_id > $1 ORDER BY user_id LIMIT $2";
const COUNT: &str = "SELECT count(*) FROM users";

impl RegistryPort {
    pub(super) async fn list_users(&self, after: Option<&UserId>, limit: usize) -> Result<Vec<UserId>> {
        let after = after.map_or("", UserId::as_str).to_owned();
        let args = Args::none().with(after).with(sql_limit(limit));
        self.0.rows("listing users", USERS, args, |row| user(Cells::new(row).str()?)).await
    }

    pub(super) async fn number_of_users(&self) -> Result<u64> {
        let count = self.0.row("counting users", COUNT, Args::none(), |row| Cells::new(row).count()).await?;
        Ok(count.unwrap_or_default())
    }
}

/// Parses a stored user id.
pub(super) fn user(id: &str) -> Result<UserId> {
    UserId::parse(id).map_err(|_: Error| errors::corrupt("the registry holds a user id out of bounds"))
}
