//! What retention reads.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::meditation::RetentionItem;
use kimberly_core::memory::Tier;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, from_code};

const ITEMS: &str = "SELECT seq, id, tier, state, protected, size_bytes, score, created_at, delete_after, session \
     FROM memories WHERE withheld = 0 OR state = 2 ORDER BY seq";

const MOVABLE: &str = "SELECT tier, sum(size_bytes) FROM memories \
     WHERE state = 0 AND protected = 0 AND withheld = 0 GROUP BY tier";

pub(super) async fn items(conn: &mut Conn) -> Result<Vec<RetentionItem>> {
    conn.rows("reading memories for retention", ITEMS, Args::new(), |row| {
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
    let args = Args::new();
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
    let args = Args::new().with(session_id.to_owned());
    conn.row("reading a session", "SELECT no FROM sessions WHERE id = ?", args, |row| Cells::new(row).int()).await
}

pub(super) async fn pruned_on(conn: &mut Conn, day: i64) -> Result<u64> {
    let sql = "SELECT bytes FROM pruned WHERE day = ?";
    let found = conn.row("reading erased bytes", sql, Args::new().with(day), |row| Cells::new(row).count()).await?;
    Ok(found.unwrap_or_default())
}
