//! Reads memories at given positions of their sessions.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::{Neighbour, SessionSpot};

use super::Access;
use super::cached_columns;
use crate::columns::{Pass, ranges};
use crate::rows::{HIT_COLUMNS, hit};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter;
use crate::sqlite::rows::Cells;

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
        "SELECT {HIT_COLUMNS} FROM json_each(?) r CROSS JOIN memories m ON m.session = r.value ->> 0 \
         AND m.position BETWEEN r.value ->> 1 AND r.value ->> 2 WHERE true"
    );
    let mut args = Args::new().with(json(&ranges(spots)));
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    conn.rows("reading neighbouring turns", sql, args, |row| hit(&mut Cells::new(row), 0.0)).await
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
