//! Measures bytes on disk.

use std::path::{Path, PathBuf};

use kimberly_core::error::Result;
use kimberly_core::ports::VaultSizes;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, ReadRow as _};
use crate::sqlite::{errors, files};

/// Counts the leaves of the search index, each a full page once the index is large. The table has one small row per leaf.
const LEAVES: &str = "SELECT count(*) FROM search_idx";

/// Up to this many leaves are measured page by page; more are only counted.
const WALKED: u64 = 128;

/// Sums the pages of the index. `dbstat` reads only named tables, but all tables if names are a pattern.
const WALK: &str = "SELECT coalesce(sum(pgsize), 0) FROM dbstat
    WHERE aggregate = TRUE AND name IN ('search_data', 'search_idx', 'search_docsize', 'search_config')";

/// SQLCipher answers some pragmas as text.
const PAGE: &str = "SELECT CAST(page_size AS INTEGER) FROM pragma_page_size";

pub(super) async fn sizes(conn: &mut Conn, folder: Option<&Path>) -> Result<VaultSizes> {
    let Some(folder) = folder.map(PathBuf::from) else { return Ok(VaultSizes::default()) };
    let index_bytes = index_bytes(conn).await?;
    let disk_bytes = files::off_thread(move || files::bytes_below(&folder))
        .await?
        .map_err(|e| errors::io("measuring a vault's folder", &e))?;
    Ok(VaultSizes { disk_bytes, index_bytes })
}

/// Returns the bytes of the search index: exact while it is small, estimated from its leaves when reading all pages
/// would take long.
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
