//! Writes scores.

use kimberly_core::error::Result;
use kimberly_core::meditation::Scored;

use crate::postgres::conn::Conn;
use crate::slots;

const APPLY: &str = "UPDATE memories m SET score = t.score, score_record = t.record, epoch = $2 \
     FROM unnest($3::bigint[], $4::double precision[], $5::text[]) AS t (seq, score, record) \
     WHERE m.user_id = $1 AND m.seq = t.seq";
/// Maximum number of scores per statement.
const AT_ONCE: usize = 500;

pub(super) async fn apply(conn: &mut Conn, scores: &[Scored]) -> Result<()> {
    if scores.is_empty() {
        return Ok(());
    }
    conn.head.recall_changed();
    for scores in scores.chunks(AT_ONCE) {
        let seqs: Vec<_> = scores.iter().map(|scored| scored.seq.0).collect();
        let values: Vec<_> = scores.iter().map(|scored| scored.record.score).collect();
        let records: Vec<_> = scores.iter().map(|scored| scored.record.to_compact()).collect();
        let args = conn.args().with(conn.head.items(slots::GOALS)).with(seqs).with(values).with(records);
        conn.run("storing scores", APPLY, args).await?;
    }
    Ok(())
}
