//! Bytes on disk.

use std::path::{Path, PathBuf};

use kimberly_core::error::Result;
use kimberly_core::ports::VaultSizes;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::Cells;
use crate::sqlite::{errors, files};

const INDEX_BYTES: &str =
    "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE aggregate = TRUE AND name LIKE 'search\\_%' ESCAPE '\\'";

pub(super) async fn sizes(conn: &mut Conn, folder: Option<&Path>) -> Result<VaultSizes> {
    let Some(folder) = folder.map(PathBuf::from) else { return Ok(VaultSizes::default()) };
    let index_bytes = conn.row("measuring the index", INDEX_BYTES, Args::new(), |row| Cells::new(row).count()).await?;
    let disk_bytes = files::off_thread(move || files::bytes_below(&folder))
        .await?
        .map_err(|e| errors::io("measuring a vault's folder", &e))?;
    Ok(VaultSizes { disk_bytes, index_bytes: index_bytes.unwrap_or_default() })
}
