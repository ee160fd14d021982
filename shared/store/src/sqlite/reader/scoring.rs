//! Reads the data of scoring.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::meditation::{ScoringItem, TagOutcomes};
use kimberly_core::memory::Feedback;

use super::limit as sql_limit;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, feedback_from_code, labels, opened};
use crate::tables::memories::CONTENT;

const ITEMS: &str = "SELECT seq, content, tags, sentiment, feedback, helpful, unhelpful, created_at, last_seen_at, \
     access_count, id, sealed_content FROM memories \
     WHERE seq > ? AND state <> 2 AND withheld = 0 AND (? OR epoch <> (SELECT items FROM counters WHERE slot = 14)) \
     ORDER BY seq LIMIT +?";
const TAG_OUTCOMES: &str = "SELECT t.value, sum(m.helpful), sum(m.unhelpful) FROM memories m, json_each(m.tags) t \
     WHERE (m.helpful > 0 OR m.unhelpful > 0) AND m.withheld = 0 GROUP BY t.value ORDER BY t.value";

pub(super) async fn items(conn: &mut Conn, full: bool, after: Option<Seq>, limit: usize) -> Result<Vec<ScoringItem>> {
    let args = Args::new().with(after.map_or(i64::MIN, |seq| seq.0)).with(i64::from(full)).with(sql_limit(limit));
    let seals = conn.seals.clone();
    conn.rows("reading memories to score", ITEMS, args, |row| {
        let c = &mut Cells::new(row);
        let mut item = ScoringItem {
            seq: Seq(c.int()?),
            content: c.text()?,
            tags: labels(c.opt_str()?)?,
            sentiment: c.real()?,
            feedback: c.opt_int()?.map(feedback_from_code).transpose()?.map(Feedback::valence),
            helpful: c.count()?,
            unhelpful: c.count()?,
            created_at: c.time()?,
            last_seen_at: c.time()?,
            access_count: c.count()?,
        };
        let id = MemoryId(c.uuid()?);
        if let Some(sealed) = c.opt_bytes()? {
            item.content = opened(seals.as_deref(), id, CONTENT, sealed)?;
        }
        Ok(item)
    })
    .await
}

pub(super) async fn tag_outcomes(conn: &mut Conn) -> Result<Vec<TagOutcomes>> {
    conn.rows("reading outcomes by tag", TAG_OUTCOMES, Args::new(), |row| {
        let c = &mut Cells::new(row);
        Ok(TagOutcomes { tag: c.text()?, helpful: c.count()?, unhelpful: c.count()? })
    })
    .await
}
