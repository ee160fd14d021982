//! Finds memories that contain a piece of text.
//!
//! Uses `LIKE` over the vault. A trigram index would more than double a vault (442 to 1,074 KB per 1,000 memories) and
//! gain nothing at this size (0.03 ms without it, 0.05 ms with it).

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::LexicalHit;

use super::{limit as sql_limit, sealed};
use crate::like;
use crate::rows::{HIT_COLUMNS, hit};
use crate::sealed::may_pass;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter;
use crate::sqlite::rows::Cells;

/// Longest text in bytes for LIKE, whose patterns are limited to 50,000 bytes.
const LONGEST_PATTERN: usize = 16 * 1024;

/// The content with the texts of a detail, which few memories have.
const SEARCHED: &str = "iif(m.texts IS NULL, m.content, m.content || char(10) || m.texts)";

pub(super) async fn substring(
    conn: &mut Conn,
    text: &str,
    filter: &MemoryFilter,
    limit: usize,
) -> Result<Vec<LexicalHit>> {
    // No content contains a NUL, and SQLite would end the text there.
    if text.contains('\0') {
        return Ok(Vec::new());
    }
    // Sealed memories have the content ''.
    let (condition, value) = if text.len() <= LONGEST_PATTERN {
        // A bare parameter would make SQLite plan the statement again at each call.
        (format!("{SEARCHED} LIKE +? ESCAPE '\\'"), like::containing(text))
    } else {
        (format!("instr(lower({SEARCHED}), lower(?))"), text.to_owned())
    };
    let mut sql = format!("SELECT {HIT_COLUMNS} FROM memories m WHERE m.sealed_content IS NULL AND {condition}");
    let mut args = Args::new().with(value);
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    // `+`: all rows are read anyway unless many match, and in the order of the table that takes half the time.
    sql.push_str(" ORDER BY +m.created_at DESC, m.seq DESC LIMIT +?");
    args.push(sql_limit(limit));
    let mut hits = conn.rows("searching for a text", sql, args, |row| hit(&mut Cells::new(row), 0.0)).await?;
    if may_pass(filter) && sealed::any(conn).await? {
        sealed::add_substring(conn, text, (filter, limit), &mut hits).await?;
    }
    hits.sort_unstable_by_key(|hit| std::cmp::Reverse((hit.created_at, hit.seq)));
    hits.truncate(limit);
    Ok(hits)
}
