//! Writes the user's settings.

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::settings::UserSettings;

use crate::postgres::conn::Conn;
use crate::postgres::errors;
use crate::postgres::rows::{Cells, ReadRow as _};

const PUT: &str = "UPDATE vaults SET settings = $2, settings_revision = settings_revision + 1 WHERE user_id = $1 \
     RETURNING settings_revision";

pub(super) async fn put(conn: &mut Conn, settings: &UserSettings) -> Result<u64> {
    let body = serde_json::to_string(settings)
        .map_err(|e| Error::storage(StorageFailure::Defect, format!("settings cannot be written as JSON: {e}")))?;
    let args = conn.args().with(body);
    conn.row("storing settings", PUT, args, |row| Cells::new(row).count())
        .await?
        .ok_or_else(|| errors::corrupt("the vault's row is missing"))
}
