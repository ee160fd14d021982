//! Stores versions of records, within bounds.

use crate::error::Result;
use crate::ids::MemoryId;
use crate::ports::VaultTransaction;
use crate::tables::{self, TableRow as _};
use crate::versions::{Version, surplus};

/// Stores a version, and deletes the oldest ones beyond the bounds.
pub(in crate::usecases) async fn add_version(tx: &mut dyn VaultTransaction, version: Version) -> Result<()> {
    let memory = version.memory;
    tables::put(tx, &[version]).await?;
    let all = Version::query().is("memory_id", memory).descending().without(Version::TEXTS).with_withheld();
    let all = tables::find::<Version>(tx.as_reader(), &all).await?;
    let gone = surplus(&all).iter().map(|version| version.number);
    let gone: Vec<u64> = gone.collect();
    if gone.is_empty() {
        return Ok(());
    }
    let gone = Version::query().is("memory_id", memory).among(&["number"], gone).with_withheld();
    tables::delete(tx, &gone).await.map(drop)
}

/// Deletes all versions of a record.
pub(in crate::usecases) async fn discard(tx: &mut dyn VaultTransaction, memory: MemoryId) -> Result<()> {
    tables::delete(tx, &Version::query().is("memory_id", memory).with_withheld()).await.map(drop)
}
