//! Writes the user's settings.

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::settings::UserSettings;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::rows::{Cells, ReadRow as _};

const PUT: &str =
    "UPDATE vault SET settings = ?, settings_revision = settings_revision + 1 RETURNING settings_revision";

pub(super) async fn put(conn: &mut Conn, settings: &UserSettings) -> Result<u64> {
    let body = serde_json::to_string(settings)
        .map_err(|e| Error::storage(StorageFailure::Defect, format!("settings cannot be written as JSON: {e}")))?;
    conn.row("storing settings", PUT, Args::new().with(body), |row| Cells::new(row).count())
        .await?
        .ok_or_else(|| errors::corrupt("the vault's row is missing"))
}
