//! Keeps names unique among the active records of a namespace. Sealed names may have different keys, so the unique
//! index alone does not detect every duplicate.

use kimberly_core::error::{Error, Result};

use crate::filter::name_keys;
use crate::names::Wanted;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, ReadRow as _};

/// Fails if one of these names is taken.
pub(super) async fn refuse_taken(conn: &mut Conn, wanted: Vec<Wanted<'_>>) -> Result<()> {
    for Wanted { namespace, name, but } in wanted {
        let keys = name_keys(name, conn.seals.as_deref());
        let sql = format!(
            "SELECT 1 FROM memories WHERE namespace = ? AND name_key IN ({}) AND state = 0 AND seq <> ?",
            vec!["?"; keys.len()].join(", ")
        );
        let mut args = Args::new().with(namespace);
        for key in keys {
            args.push(key);
        }
        let taken = conn.row("looking up a name", sql, args.with(but), |row| Cells::new(row).int()).await?;
        if taken.is_some() {
            return Err(Error::NameTaken);
        }
    }
    Ok(())
}
