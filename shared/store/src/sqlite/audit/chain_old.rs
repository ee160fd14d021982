//! Links the entries of vaults from before there were chains: what is changed from now on shows.

use kimberly_core::UserId;
use kimberly_core::audit::{AuditHead, vault_log};
use kimberly_core::error::Result;
use kimberly_core::ports::{AuditQuery, BoxFuture};

use super::read::rows;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::rows::{Cells, unsigned};

const OWNER: &str = "SELECT user_id FROM vault";
const LINK: &str = "UPDATE audit SET hash = ? WHERE no = ?;";
/// Entries that are read and linked at once.
const AT_ONCE: usize = 500;

/// Links every entry, within the transaction that changes the schema.
pub(crate) fn chain_old(conn: &mut Conn) -> BoxFuture<'_, Result<()>> {
    Box::pin(async move {
        let owner = conn.row("reading a vault's owner", OWNER, Args::new(), |row| Cells::new(row).opt_text()).await?;
        // A new vault does not say yet whose it is, and holds no entry.
        let Some(owner) = owner.flatten() else { return Ok(()) };
        let user = UserId::parse(&owner).map_err(|_| errors::corrupt("the vault's owner is no user id"))?;
        let mut head = AuditHead::genesis(&vault_log(&user));
        let mut query = AuditQuery { limit: AT_ONCE, ..AuditQuery::default() };
        loop {
            let old = rows(conn, &query).await?;
            let Some(last) = old.last() else { return Ok(()) };
            query.after = last.no;
            let (mut sql, mut args) = (String::new(), Args::new());
            for entry in &old {
                head = AuditHead { no: entry.no, hash: entry.hash_after(&head.hash) };
                sql.push_str(LINK);
                args.push(head.hash.to_vec());
                args.push(unsigned(head.no));
            }
            conn.run("linking the audit", sql, args).await?;
        }
    })
}
