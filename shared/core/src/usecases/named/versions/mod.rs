//! Versions of a named record: list them, read one, compare two, go back to one, redact one.

mod diff;
mod list;
mod redact;
mod store;
mod undo;

pub use diff::DiffInput;
pub use redact::RedactInput;
pub(in crate::usecases) use store::{add_version, discard};
pub use undo::UndoInput;

use crate::error::{Error, Result};
use crate::ids::MemoryId;
use crate::ports::VaultReader;
use crate::tables::{self, TableRow as _};
use crate::versions::Version;

/// Reads one version; the error names the field.
async fn version(reader: &mut dyn VaultReader, field: &str, memory: MemoryId, number: u64) -> Result<Version> {
    let asked = Version::query().is("memory_id", memory).is("number", number).at_most(1);
    let found = tables::find::<Version>(reader, &asked).await?.pop();
    found.ok_or_else(|| {
        Error::conflict(field, format!("is {number}; this version does not exist, ListVersions shows those that do"))
    })
}

/// Returns the texts of a version; fails if it was redacted.
fn texts(field: &str, version: Version) -> Result<(String, Option<String>)> {
    let number = version.number;
    let content = version.content;
    let content = content.ok_or_else(|| Error::conflict(field, format!("is {number}; that version was redacted")))?;
    Ok((content, version.detail))
}

/// Checks a version's number.
fn number(field: &str, raw: i64) -> Result<u64> {
    let number = u64::try_from(raw).ok().filter(|number| *number > 0);
    number.ok_or_else(|| Error::invalid(field, format!("is {raw}; a version number is 1 or more")))
}
