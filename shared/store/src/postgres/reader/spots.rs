//! Reads memories at given positions of their sessions.

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::{Neighbour, SessionSpot};

use super::Access;
use super::cached_columns::columns_for;
use crate::columns::{Pass, ranges};
use crate::postgres::conn::Conn;
use crate::postgres::filter;
use crate::postgres::rows::Cells;
use crate::rows::{HIT_COLUMNS, hit};

pub(super) async fn at_spots<M>(
    access: &mut Access<'_, M>,
    spots: &[SessionSpot],
    filter: &MemoryFilter,
) -> Result<Vec<Neighbour>> {
    if spots.is_empty() {
        return Ok(Vec::new());
    }
    match columns_for(access, filter).await? {
        Some(columns) => Ok(columns.at_spots(spots, &Pass::new(filter, &columns))),
        None => by_index(access.conn, spots, filter).await,
    }
}

/// Uses one statement over the index by session and position.
async fn by_index(conn: &mut Conn, spots: &[SessionSpot], filter: &MemoryFilter) -> Result<Vec<Neighbour>> {
    let mut sql = format!(
        "SELECT {HIT_COLUMNS} FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) r (session, first, last) \
         CROSS JOIN LATERAL (SELECT * FROM memories WHERE user_id = $1 AND session = r.session \
         AND position BETWEEN r.first AND r.last OFFSET 0) m \
         WHERE true"
    );
    let (mut sessions, mut firsts, mut lasts) = (Vec::new(), Vec::new(), Vec::new());
    for (session, first, last) in ranges(spots) {
        sessions.push(session);
        firsts.push(first);
        lasts.push(last);
    }
    let mut args = conn.args().with(sessions).with(firsts).with(lasts);
    filter::push_conditions(&mut sql, &mut args, filter, conn.seals.as_deref());
    conn.rows("reading neighbouring turns", sql, args, |row| hit(&mut Cells::new(row), 0.0)).await
}
