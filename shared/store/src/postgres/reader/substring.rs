//! Finds memories that contain a piece of text.

use std::fmt::Write as _;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::LexicalHit;

use super::{Access, limit as sql_limit, sealed};
use crate::like;
use crate::postgres::filter::{self, is_storable};
use crate::postgres::rows::Cells;
use crate::rows::{HIT_COLUMNS, hit};

pub(super) async fn substring<M>(
    access: &mut Access<'_, M>,
    text: &str,
    filter: &MemoryFilter,
    most: usize,
) -> Result<Vec<LexicalHit>> {
    if !is_storable(text) {
        return Ok(Vec::new());
    }
    let conn = &mut *access.conn;
    // With the column's collation, only ASCII letters are matched case-insensitively. `IS TRUE` keeps Postgres from
    // using the index.
    let how = if conn.looks_through() { " IS TRUE" } else { "" };
    // Sealed memories have the content ''.
    let mut sql = format!(
        "SELECT {HIT_COLUMNS} FROM searched m \
         WHERE m.user_id = $1 AND m.sealed_content IS NULL AND (m.content ILIKE $2 ESCAPE '\\' OR m.texts ILIKE $2 ESCAPE '\\'){how}"
    );
    let mut args = conn.args().with(like::containing(text));
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    let limit = args.push(sql_limit(most));
    let _ = write!(sql, " ORDER BY m.created_at DESC, m.seq DESC LIMIT ${limit}");
    let mut hits = conn.rows("searching for a text", sql, args, |row| hit(&mut Cells::new(row), 0.0)).await?;
    let indexed = hits.len();
    sealed::add_substring(conn, text, (filter, most), &mut hits).await?;
    if hits.len() > indexed {
        hits.sort_unstable_by_key(|hit| std::cmp::Reverse((hit.created_at, hit.seq)));
        hits.truncate(most);
    }
    Ok(hits)
}
