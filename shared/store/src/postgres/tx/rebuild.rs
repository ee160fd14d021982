//! Rebuilds all derived data: full-text index and usage counters.

use kimberly_core::error::Result;
use kimberly_core::memory::{MemoryState, Tier};

use super::index;
use crate::codes::from_code;
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::slots;

const COUNT: &str = "SELECT tier, state, count(*), coalesce(sum(size_bytes), 0)::bigint, max(seq) FROM memories \
     WHERE user_id = $1 GROUP BY tier, state";

pub(super) async fn rebuild(conn: &mut Conn) -> Result<()> {
    conn.head.recall_changed();
    for &tier in Tier::ALL {
        for &state in MemoryState::ALL {
            conn.head.clear(slots::of(tier, state));
        }
    }
    let args = conn.args();
    let counts = conn
        .rows("counting memories", COUNT, args, |row| {
            let c = &mut Cells::new(row);
            Ok((from_code(c.int()?)?, from_code(c.int()?)?, (c.int()?, c.int()?), c.int()?))
        })
        .await?;
    for (tier, state, (items, bytes), last) in counts {
        conn.head.count(tier, state, items, bytes);
        let created = conn.head.items(slots::CREATED).max(last);
        conn.head.set(slots::CREATED, created);
    }
    index::rebuild(conn).await
}
