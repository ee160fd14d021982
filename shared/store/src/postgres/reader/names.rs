//! Reads names of active records.

use std::fmt::Write as _;

use kimberly_core::error::Result;
use kimberly_core::ids::MemoryId;
use kimberly_core::ports::{Named, NamesQuery};

use super::limit;
use crate::filter::name_keys;
use crate::names::{columns, named, page, range};
use crate::postgres::conn::Conn;
use crate::postgres::filter;
use crate::postgres::rows::{Cells, ReadRow as _};

/// The condition of the index of names.
const ACTIVE: &str = "m.user_id = $1 AND m.state = 0 AND m.name_key IS NOT NULL";

/// Returns the record with a name, withheld or not.
pub(super) async fn id(conn: &mut Conn, namespace: &str, name: &str) -> Result<Option<MemoryId>> {
    let mut args = conn.args().with(name_keys(name, conn.seals.as_deref()));
    let of = if namespace.is_empty() {
        "0".to_owned()
    } else {
        format!("(SELECT no FROM namespaces WHERE user_id = $1 AND name = ${})", args.push(namespace.to_owned()))
    };
    let sql = format!("SELECT m.id FROM memories m WHERE {ACTIVE} AND m.namespace = {of} AND m.name_key = ANY($2)");
    conn.row("reading a name", sql, args, |row| Cells::new(row).uuid().map(MemoryId)).await
}

/// Returns a page of names in order.
pub(super) async fn names(conn: &mut Conn, query: &NamesQuery) -> Result<Vec<Named>> {
    let (after, end) = range(query);
    let ends = [(after, ">"), (Some(query.prefix.clone().into_bytes()), ">="), (end, "<")];
    let (mut sql, mut args) = (format!("SELECT {} FROM memories m WHERE {ACTIVE}", columns()), conn.args());
    for (bound, compares) in ends {
        if let Some(bound) = bound {
            let _ = write!(sql, " AND m.name_key {compares} ${}", args.push(bound));
        }
    }
    filter::push_conditions(&mut sql, &mut args, &query.filter, None);
    let most = args.push(limit(query.limit));
    let _ = write!(sql, " AND m.sealed_name IS NULL ORDER BY m.name_key LIMIT ${most}");
    let plain = conn.rows("listing names", sql, args, |row| named(&mut Cells::new(row), None)).await?;
    Ok(page(plain, sealed(conn, query).await?, query))
}

/// Returns all sealed names; none if this process cannot open them.
async fn sealed(conn: &mut Conn, query: &NamesQuery) -> Result<Vec<Named>> {
    let Some(seals) = conn.seals.clone().filter(|seals| seals.can_open()) else { return Ok(Vec::new()) };
    let (mut sql, mut args) = (format!("SELECT {} FROM memories m WHERE {ACTIVE}", columns()), conn.args());
    filter::push_conditions(&mut sql, &mut args, &query.filter, None);
    sql.push_str(" AND m.sealed_name IS NOT NULL");
    conn.rows("unsealing names", sql, args, |row| named(&mut Cells::new(row), Some(&seals))).await
}
