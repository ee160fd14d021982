//! Reads the data of scoring.

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::meditation::{SCORING_PAGE_BYTES, ScoringItem, TagOutcomes};

use super::limit as sql_limit;
use crate::page::Page;
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::rows::scoring_item;
use crate::slots;

const ITEMS: &str = "SELECT seq, content, tags, sentiment, feedback, helpful, unhelpful, created_at, last_seen_at, \
     access_count, id, sealed_content FROM memories \
     WHERE user_id = $1 AND seq > $2 AND state <> 2 AND withheld = 0 AND ($3 OR epoch <> $4) ORDER BY seq LIMIT $5";
const TAG_OUTCOMES: &str = "SELECT t.tag, sum(m.helpful)::bigint, sum(m.unhelpful)::bigint \
     FROM memories m CROSS JOIN unnest(m.tags) t (tag) \
     WHERE m.user_id = $1 AND (m.helpful > 0 OR m.unhelpful > 0) AND m.withheld = 0 \
     GROUP BY t.tag ORDER BY t.tag COLLATE \"C\"";

pub(super) async fn items(conn: &mut Conn, full: bool, after: Option<Seq>, limit: usize) -> Result<Vec<ScoringItem>> {
    let args = conn.args().with(after.map_or(i64::MIN, |seq| seq.0)).with(full);
    let args = args.with(conn.head.items(slots::GOALS)).with(sql_limit(limit));
    let seals = conn.seals.clone();
    let mut page = Page::new(SCORING_PAGE_BYTES);
    let read = |row: &_| {
        let item = scoring_item(&mut Cells::new(row), seals.as_deref())?;
        let bytes = item.content.len() as u64;
        Ok(page.take(item, bytes))
    };
    conn.for_each("reading memories to score", ITEMS, args, read).await?;
    Ok(page.items())
}

pub(super) async fn tag_outcomes(conn: &mut Conn) -> Result<Vec<TagOutcomes>> {
    let args = conn.args();
    conn.rows("reading outcomes by tag", TAG_OUTCOMES, args, |row| {
        let c = &mut Cells::new(row);
        Ok(TagOutcomes { tag: c.text()?, helpful: c.count()?, unhelpful: c.count()? })
    })
    .await
}
