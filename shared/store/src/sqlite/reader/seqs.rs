//! Reads memories by number if they pass a filter.

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::LexicalHit;

use super::Access;
use super::cached_columns;
use crate::columns::Pass;
use crate::rows::{HIT_COLUMNS, hit};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter;
use crate::sqlite::rows::Cells;

pub(super) async fn at_seqs<M>(
    access: &mut Access<'_, M>,
    seqs: &[Seq],
    filter: &MemoryFilter,
) -> Result<Vec<LexicalHit>> {
    if seqs.is_empty() {
        return Ok(Vec::new());
    }
    let mut seqs: Vec<i64> = seqs.iter().map(|seq| seq.0).collect();
    seqs.sort_unstable();
    seqs.dedup();
    match cached_columns::columns_for(access, filter).await? {
        Some(columns) => {
            let found: Vec<(i64, f64)> = seqs.into_iter().map(|seq| (seq, 0.0)).collect();
            Ok(columns.hits(&found, &Pass::new(filter, &columns)))
        }
        None => by_number(access.conn, &seqs, filter).await,
    }
}

/// Uses one statement in the table's own order.
async fn by_number(conn: &mut Conn, seqs: &[i64], filter: &MemoryFilter) -> Result<Vec<LexicalHit>> {
    let mut sql =
        format!("SELECT {HIT_COLUMNS} FROM json_each(?) r CROSS JOIN memories m ON m.seq = r.value WHERE true");
    let mut args = Args::new().with(json(seqs));
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    conn.rows("reading memories by number", sql, args, |row| hit(&mut Cells::new(row), 0.0)).await
}

fn json(seqs: &[i64]) -> String {
    let numbers: Vec<String> = seqs.iter().map(ToString::to_string).collect();
    format!("[{}]", numbers.join(","))
}
