//! Bytes on disk.

use std::path::{Path, PathBuf};

use kimberly_core::error::Result;
use kimberly_core::ports::VaultSizes;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::Cells;
use crate::sqlite::{errors, files};

/// Leaves of the search index, of which each fills a page once the index is large: a row of a small table each.
const LEAVES: &str = "SELECT count(*) FROM search_idx";

/// More leaves than these are not walked, only counted.
const WALKED: u64 = 128;

/// Pages of the index one by one. `dbstat` reads the tables that are named, and all others too where names are a pattern.
const WALK: &str = "SELECT coalesce(sum(pgsize), 0) FROM dbstat
    WHERE aggregate = TRUE AND name IN ('search_data', 'search_idx', 'search_docsize', 'search_config')";

const PAGE: &str = "SELECT page_size FROM pragma_page_size";

pub(super) async fn sizes(conn: &mut Conn, folder: Option<&Path>) -> Result<VaultSizes> {
    let Some(folder) = folder.map(PathBuf::from) else { return Ok(VaultSizes::default()) };
    let index_bytes = index_bytes(conn).await?;
    let disk_bytes = files::off_thread(move || files::bytes_below(&folder))
        .await?
        .map_err(|e| errors::io("measuring a vault's folder", &e))?;
    Ok(VaultSizes { disk_bytes, index_bytes })
}

/// Bytes of the search index: exact while it is small, and by the number of its leaves when walking it would take long.
async fn index_bytes(conn: &mut Conn) -> Result<u64> {
    let leaves = number(conn, LEAVES).await?;
    if leaves <= WALKED {
        return number(conn, WALK).await;
    }
    Ok(leaves.saturating_mul(number(conn, PAGE).await?))
}

async fn number(conn: &mut Conn, statement: &'static str) -> Result<u64> {
    let found = conn.row("measuring the index", statement, Args::new(), |row| Cells::new(row).count()).await?;
    Ok(found.unwrap_or_default())
}
