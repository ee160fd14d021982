//! The size of all versions of a vault.

use super::Version;
use crate::error::Result;
use crate::ports::VaultReader;
use crate::tables::TableRow as _;

/// Size of all versions of a vault in bytes; counts against the archive's allowance.
pub async fn kept_bytes(reader: &mut dyn VaultReader) -> Result<u64> {
    let all = reader.count_rows(&Version::query().with_doomed().whole(), Some("bytes")).await?;
    Ok(u64::try_from(all.sum).unwrap_or_default())
}
