//! Renews traits that another version of the rules derived.

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::text::TextTraits;
use rusqlite::Row;

use crate::rows::{OF_OTHER_RULES, derived_traits};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::Cells;

const PUT: &str = "UPDATE memories SET traits = ?, words = ? WHERE seq = ?";

pub(super) async fn renew(conn: &mut Conn, limit: usize) -> Result<u64> {
    let sql = format!("{OF_OTHER_RULES}{} ORDER BY seq LIMIT +?", TextTraits::RULES);
    let (args, seals) = (Args::new().with(sql_limit(limit)), conn.seals.clone());
    let read = |row: &Row<'_>| derived_traits(&mut Cells::new(row), seals.as_deref());
    let derived = conn.rows("reading memories for their traits", sql, args, read).await?;
    conn.notes.put_off.recall_changed |= !derived.is_empty();
    for (Seq(seq), traits) in &derived {
        let args = Args::new().with(i64::from(traits.bits())).with(i64::from(traits.words)).with(*seq);
        conn.run("writing traits", PUT, args).await?;
    }
    Ok(derived.len() as u64)
}
