//! Records that memories were recalled or read.

use std::collections::BTreeMap;

use kimberly_core::error::Result;
use kimberly_core::ports::Touch;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::unsigned;

const TOUCH: &str = "UPDATE memories SET access_count = access_count + t.times, \
     last_seen_at = max(last_seen_at, t.at), epoch = -1 \
     FROM (SELECT value ->> 0 AS seq, value ->> 1 AS times, value ->> 2 AS at FROM json_each(?)) t \
     WHERE memories.seq = t.seq";

pub(super) async fn touch(conn: &mut Conn, touches: &[Touch]) -> Result<()> {
    // One row per memory: an UPDATE that finds two matching rows applies only one of them.
    let mut sums: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for touch in touches {
        let sum = sums.entry(touch.seq.0).or_insert((0, i64::MIN));
        sum.0 = sum.0.saturating_add(unsigned(touch.times));
        sum.1 = sum.1.max(touch.at.0);
    }
    if sums.is_empty() {
        return Ok(());
    }
    let rows = sums.iter().map(|(seq, (times, at))| format!("[{seq},{times},{at}]"));
    let json = format!("[{}]", rows.collect::<Vec<_>>().join(","));
    conn.run("recording accesses of memories", TOUCH, Args::new().with(json)).await?;
    Ok(())
}
