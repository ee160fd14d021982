//! Renews traits that another version of the rules derived.

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::text::TextTraits;

use crate::postgres::conn::Conn;
use crate::postgres::reader::limit as sql_limit;
use crate::postgres::rows::Cells;
use crate::rows::{OF_OTHER_RULES, derived_traits};

const PUT: &str = "UPDATE memories SET traits = $2, words = $3 WHERE user_id = $1 AND seq = $4";

pub(super) async fn renew(conn: &mut Conn, limit: usize) -> Result<u64> {
    let sql = format!("{OF_OTHER_RULES}{} AND user_id = $1 ORDER BY seq LIMIT $2", TextTraits::RULES);
    let (args, seals) = (conn.args().with(sql_limit(limit)), conn.seals.clone());
    let read = |row: &_| derived_traits(&mut Cells::new(row), seals.as_deref());
    let derived = conn.rows("reading memories for their traits", sql, args, read).await?;
    if !derived.is_empty() {
        conn.head.recall_changed();
    }
    for (Seq(seq), traits) in &derived {
        let args = conn.args().with(i64::from(traits.bits())).with(i64::from(traits.words)).with(*seq);
        conn.run("writing traits", PUT, args).await?;
    }
    Ok(derived.len() as u64)
}
