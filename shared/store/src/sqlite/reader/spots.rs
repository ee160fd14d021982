//! Reads memories at given positions of their sessions.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::{Neighbour, SessionSpot};

use super::Access;
use super::cached_columns;
use crate::columns::{Pass, ranges};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::Cells;
use crate::sqlite::{filter, packed};

pub(super) async fn at_spots<M>(
    access: &mut Access<'_, M>,
    spots: &[SessionSpot],
    filter: &MemoryFilter,
) -> Result<Vec<Neighbour>> {
    if spots.is_empty() {
        return Ok(Vec::new());
    }
    match cached_columns::columns_for(access, filter).await? {
        Some(columns) => Ok(columns.at_spots(spots, &Pass::new(filter, &columns))),
        None => by_index(access.conn, spots, filter).await,
    }
}

/// Uses one statement over the index by session and position.
async fn by_index(conn: &mut Conn, spots: &[SessionSpot], filter: &MemoryFilter) -> Result<Vec<Neighbour>> {
    let mut sql = format!(
        "SELECT {} AS hit FROM json_each(?) r CROSS JOIN memories m ON m.session = r.value ->> 0 \
         AND m.position BETWEEN r.value ->> 1 AND r.value ->> 2 WHERE true",
        packed::row(packed::NO_BM25)
    );
    let mut args = Args::new().with(json(&ranges(spots)));
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    sql.push_str(" LIMIT -1");
    let packed = conn
        .row("reading neighbouring turns", packed::pack(&sql), args, |row| Cells::new(row).opt_text())
        .await?
        .flatten();
    packed::hits(packed.as_deref().unwrap_or_default())
}

fn json(ranges: &[(i64, i64, i64)]) -> String {
    let rows = ranges.iter().map(|(session, first, last)| format!("[{session},{first},{last}]"));
    format!("[{}]", rows.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_an_array_of_arrays() {
        assert_eq!(json(&[(1, 4, 6), (2, 6, 6)]), "[[1,4,6],[2,6,6]]");
    }
}
