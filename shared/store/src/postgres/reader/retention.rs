//! What retention reads.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::meditation::RetentionItem;
use kimberly_core::memory::Tier;

use crate::postgres::conn::Conn;
use crate::postgres::filter::is_storable;
use crate::postgres::rows::{Cells, from_code};

const ITEMS: &str = "SELECT seq, id, tier, state, protected, size_bytes, score, created_at, delete_after, session \
     FROM memories WHERE user_id = $1 AND (withheld = 0 OR state = 2) ORDER BY seq";
const SESSION: &str = "SELECT no FROM sessions WHERE user_id = $1 AND id = $2";
const PRUNED: &str = "SELECT bytes FROM pruned WHERE user_id = $1 AND day = $2";

const MOVABLE: &str = "SELECT tier, sum(size_bytes)::bigint FROM memories \
     WHERE user_id = $1 AND state = 0 AND NOT protected AND withheld = 0 GROUP BY tier";

pub(super) async fn items(conn: &mut Conn) -> Result<Vec<RetentionItem>> {
    let args = conn.args();
    conn.rows("reading memories for retention", ITEMS, args, |row| {
        let c = &mut Cells::new(row);
        Ok(RetentionItem {
            seq: Seq(c.int()?),
            id: MemoryId(c.uuid()?),
            tier: from_code(c.int()?)?,
            state: from_code(c.int()?)?,
            protected: c.flag()?,
            size_bytes: c.count()?,
            score: c.real()?,
            created_at: c.time()?,
            delete_after: c.opt_time()?,
            session: c.opt_int()?,
        })
    })
    .await
}

pub(super) async fn movable_bytes(conn: &mut Conn) -> Result<[u64; 3]> {
    let args = conn.args();
    let sums = conn.rows("counting what may be archived", MOVABLE, args, |row| {
        let c = &mut Cells::new(row);
        Ok((from_code::<Tier>(c.int()?)?, c.count()?))
    });
    let mut movable = [0; 3];
    for (tier, bytes) in sums.await? {
        movable[tier as usize] = bytes;
    }
    Ok(movable)
}

pub(super) async fn session_number(conn: &mut Conn, session_id: &str) -> Result<Option<i64>> {
    if !is_storable(session_id) {
        return Ok(None);
    }
    let args = conn.args().with(session_id.to_owned());
    conn.row("reading a session", SESSION, args, |row| Cells::new(row).int()).await
}

pub(super) async fn pruned_on(conn: &mut Conn, day: i64) -> Result<u64> {
    let args = conn.args().with(day);
    let found = conn.row("reading erased bytes", PRUNED, args, |row| Cells::new(row).count()).await?;
    Ok(found.unwrap_or_default())
}
