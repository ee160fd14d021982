//! Records that memories were recalled or read.

use kimberly_core::error::Result;
use kimberly_core::ports::Touch;

use crate::postgres::conn::Conn;
use crate::rows::summed;

const TOUCH: &str = "UPDATE memories m SET access_count = m.access_count + t.times, \
     last_seen_at = greatest(m.last_seen_at, t.at), epoch = -1 \
     FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS t (seq, times, at) WHERE m.user_id = $1 AND m.seq = t.seq";

pub(super) async fn touch(conn: &mut Conn, touches: &[Touch]) -> Result<()> {
    let sums = summed(touches);
    if sums.is_empty() {
        return Ok(());
    }
    let seqs: Vec<_> = sums.keys().copied().collect();
    let (times, at): (Vec<_>, Vec<_>) = sums.into_values().unzip();
    let args = conn.args().with(seqs).with(times).with(at);
    conn.run("recording accesses of memories", TOUCH, args).await?;
    Ok(())
}
