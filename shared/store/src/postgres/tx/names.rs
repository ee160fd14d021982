//! Keeps names unique among the active records of a namespace. Sealed names may have different keys, so the unique
//! index alone does not detect every duplicate.

use kimberly_core::error::{Error, Result};

use crate::filter::name_keys;
use crate::names::Wanted;
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};

const TAKEN: &str = "SELECT 1::bigint FROM memories WHERE user_id = $1 AND namespace = $2 AND name_key = ANY($3) \
     AND state = 0 AND name_key IS NOT NULL AND seq <> $4 LIMIT 1";

/// Fails if one of these names is taken.
pub(super) async fn refuse_taken(conn: &mut Conn, wanted: Vec<Wanted<'_>>) -> Result<()> {
    for Wanted { namespace, name, but } in wanted {
        let args = conn.args().with(namespace).with(name_keys(name, Some(&*conn.sealing()?))).with(but);
        if conn.row("looking up a name", TAKEN, args, |row| Cells::new(row).int()).await?.is_some() {
            return Err(Error::NameTaken);
        }
    }
    Ok(())
}
