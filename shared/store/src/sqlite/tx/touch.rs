//! Records that memories were recalled or read.

use kimberly_core::error::Result;
use kimberly_core::ports::Touch;

use crate::rows::summed;
use crate::sqlite::conn::{Args, Conn};

const TOUCH: &str = "UPDATE memories SET access_count = access_count + t.times, \
     last_seen_at = max(last_seen_at, t.at), epoch = -1 \
     FROM (SELECT value ->> 0 AS seq, value ->> 1 AS times, value ->> 2 AS at FROM json_each(?)) t \
     WHERE memories.seq = t.seq";

pub(super) async fn touch(conn: &mut Conn, touches: &[Touch]) -> Result<()> {
    let sums = summed(touches);
    if sums.is_empty() {
        return Ok(());
    }
    let rows = sums.iter().map(|(seq, (times, at))| format!("[{seq},{times},{at}]"));
    let json = format!("[{}]", rows.collect::<Vec<_>>().join(","));
    conn.run("recording accesses of memories", TOUCH, Args::new().with(json)).await?;
    Ok(())
}
