//! Rebuilds all derived data: full-text index and usage counters.

use kimberly_core::error::Result;

use crate::sqlite::conn::{Args, Conn};

const REBUILD: &str = "INSERT INTO search (search) VALUES ('rebuild');\
     UPDATE counters SET \
       items = (SELECT count(*) FROM memories WHERE tier * 3 + state = slot), \
       bytes = (SELECT coalesce(sum(size_bytes), 0) FROM memories WHERE tier * 3 + state = slot) \
     WHERE slot < 9;\
     UPDATE counters SET items = max(items, (SELECT coalesce(max(seq), 0) FROM memories)) WHERE slot = 9";

pub(super) async fn rebuild(conn: &mut Conn) -> Result<()> {
    conn.notes.unindexed = None;
    conn.notes.next_seq = None;
    conn.notes.put_off.recall_changed = true;
    conn.run("rebuilding derived data", REBUILD, Args::new()).await?;
    Ok(())
}
