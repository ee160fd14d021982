//! Stores the position of the search for damage.

use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::error::Result;

use super::users::user;
use crate::SqliteStore;
use crate::sqlite::conn::Args;
use crate::sqlite::rows::{Cells, ReadRow as _};
use crate::sqlite::shared::Shared;

const GET: &str = "SELECT user_id FROM scrub";
const SET: &str =
    "INSERT INTO scrub (one, user_id) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET user_id = excluded.user_id";
const FORGET: &str = "DELETE FROM scrub";

/// The user whose vault was examined last.
pub struct ScrubNote(Arc<Shared>);

impl SqliteStore {
    /// Returns the position of the search for damage.
    pub fn scrub_note(&self) -> ScrubNote {
        ScrubNote(Arc::clone(&self.shared))
    }
}

impl ScrubNote {
    /// Returns the user; `None` at the beginning of a round.
    pub async fn get(&self) -> Result<Option<UserId>> {
        let mut lease = self.0.registry.reader().await?;
        lease
            .conn()?
            .row("reading the progress of the damage scan", GET, Args::new(), |row| user(Cells::new(row).str()?))
            .await
    }

    /// Stores the user; `None` at the end of a round.
    pub async fn set(&self, last: Option<&UserId>) -> Result<()> {
        let (sql, args) = match last {
            Some(user) => (SET, Args::new().with(user.as_str())),
            None => (FORGET, Args::new()),
        };
        self.0
            .registry
            .writer()
            .await?
            .conn()?
            .run("writing the progress of the damage scan", sql, args)
            .await
            .map(drop)
    }
}

impl std::fmt::Debug for ScrubNote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ScrubNote")
    }
}
