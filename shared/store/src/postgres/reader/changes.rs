//! Reads changes of memories, and the progress of imports.

use kimberly_core::error::Result;
use kimberly_core::memory::{ChangeKind, ChangeRange};
use kimberly_core::ports::{ChangeQuery, ImportProgress, SeenChange};
use sqlx::postgres::PgRow;

use super::limit as sql_limit;
use crate::chosen;
use crate::page::Page;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::filter::{self, is_storable};
use crate::postgres::rows::{Cells, MEMORY_JOINS, ReadRow as _, code};
use crate::rows::{CHANGE_COLUMNS, seen_change};
use crate::sealed::Seals;
use crate::tables::memories::memory_columns;

const RANGE: &str = "SELECT coalesce((SELECT min(no) FROM changes WHERE user_id = $1), 1), \
     coalesce((SELECT max(no) FROM changes WHERE user_id = $1), 0)";
const IMPORT: &str = "SELECT done, refused FROM imports WHERE user_id = $1 AND id IN ($2, $3) ORDER BY done";

pub(super) async fn range(conn: &mut Conn) -> Result<ChangeRange> {
    let args = conn.args();
    let range = conn
        .row("reading the range of changes", RANGE, args, |row| {
            let c = &mut Cells::new(row);
            Ok(ChangeRange { oldest: c.count()?, newest: c.count()? })
        })
        .await?;
    Ok(range.unwrap_or_default())
}

pub(super) async fn changes(conn: &mut Conn, query: &ChangeQuery) -> Result<Vec<SeenChange>> {
    let (sql, args) = statement(conn.args(), query, conn.seals.as_deref());
    let (mut seen, seals) = (Page::new(query.max_bytes), conn.seals.clone());
    conn.for_each("reading changes", sql, args, |row| {
        let next = seen_change(&mut Cells::new(row), query.with_memories, seals.as_deref())?;
        let bytes = next.memory.as_ref().map_or(0, |memory| memory.size_bytes);
        Ok(seen.take(next, bytes))
    })
    .await?;
    Ok(seen.items())
}

/// A change to withheld is reported whatever the filter says, like erasure: it reveals nothing hidden. The conditions
/// are a column, not in WHERE, so that rows that do not pass are returned too and a read stays bounded.
fn statement(mut args: Args, query: &ChangeQuery, seals: Option<&Seals>) -> (String, Args) {
    let mut conditions = String::from("true");
    filter::push_conditions(&mut conditions, &mut args, &query.filter, seals);
    let withheld = code(ChangeKind::Withheld);
    let memory = if query.with_memories { memory_columns() } else { "m.seq" };
    let (after, limit) = (args.push(i64::try_from(query.after).unwrap_or(i64::MAX)), args.push(sql_limit(query.limit)));
    let sql = format!(
        "SELECT {CHANGE_COLUMNS}, \
         coalesce(m.seq IS NULL OR (c.kind = {withheld} AND m.withheld > 0) OR ({conditions}), false), \
         m.seq IS NULL OR m.withheld > 0, {memory} \
         FROM changes c \
         LEFT JOIN LATERAL (SELECT * FROM memories WHERE user_id = $1 AND id = c.memory_id OFFSET 0) m ON true \
         {MEMORY_JOINS} \
         WHERE c.user_id = $1 AND c.no > ${after} ORDER BY c.no LIMIT ${limit}"
    );
    (sql, args)
}

pub(super) async fn import_progress(conn: &mut Conn, import_id: &str) -> Result<Option<ImportProgress>> {
    // Older releases stored the id itself.
    let before = Some(import_id).filter(|id| is_storable(id)).map(str::to_owned);
    let args = conn.args().with(chosen::hashed(import_id)).with(before);
    let progress = |row: &PgRow| {
        let mut c = Cells::new(row);
        Ok(ImportProgress { done: c.count()?, refused: c.count()? })
    };
    conn.row("reading the progress of an import", IMPORT, args, progress).await
}
