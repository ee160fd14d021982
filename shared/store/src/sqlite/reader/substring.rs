//! Memories that hold a piece of text.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::LexicalHit;

use super::limit as sql_limit;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::Cells;
use crate::sqlite::{filter, packed};

/// Longest text looked for with LIKE, whose patterns are bounded at 50,000 bytes.
const LONGEST_PATTERN: usize = 16 * 1024;

pub(super) async fn substring(
    conn: &mut Conn,
    text: &str,
    filter: &MemoryFilter,
    limit: usize,
) -> Result<Vec<LexicalHit>> {
    // No content holds a NUL, and SQLite would end the text there.
    if text.contains('\0') {
        return Ok(Vec::new());
    }
    let (condition, value) = if text.len() <= LONGEST_PATTERN {
        ("m.content LIKE ? ESCAPE '\\'", pattern(text))
    } else {
        ("instr(lower(m.content), lower(?))", text.to_owned())
    };
    let mut sql = format!("SELECT {} AS hit FROM memories m WHERE {condition}", packed::row(packed::NO_BM25));
    let mut args = Args::new().with(value);
    filter::push_conditions(&mut sql, &mut args, filter);
    sql.push_str(" ORDER BY m.created_at DESC, m.seq DESC LIMIT ?");
    args.push(sql_limit(limit));
    let packed =
        conn.row("searching for a text", packed::pack(&sql), args, |row| Cells::new(row).opt_text()).await?.flatten();
    let mut hits = packed::hits(packed.as_deref().unwrap_or_default())?;
    hits.sort_unstable_by_key(|hit| std::cmp::Reverse((hit.created_at, hit.seq)));
    Ok(hits)
}

/// A pattern for anything that holds `text`.
fn pattern(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
