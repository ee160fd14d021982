//! Reads the data of scoring.

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::meditation::{SCORING_PAGE_BYTES, ScoringItem, TagOutcomes};
use rusqlite::Row;

use super::limit as sql_limit;
use crate::page::Page;
use crate::rows::scoring_item;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, ReadRow as _};

const ITEMS: &str = "SELECT seq, content, tags, sentiment, feedback, helpful, unhelpful, created_at, last_seen_at, \
     access_count, id, sealed_content FROM memories \
     WHERE seq > ? AND state <> 2 AND withheld = 0 AND (? OR epoch <> (SELECT items FROM counters WHERE slot = 14)) \
     ORDER BY seq LIMIT +?";
const TAG_OUTCOMES: &str = "SELECT t.value, sum(m.helpful), sum(m.unhelpful) FROM memories m, json_each(m.tags) t \
     WHERE (m.helpful > 0 OR m.unhelpful > 0) AND m.withheld = 0 GROUP BY t.value ORDER BY t.value";

pub(super) async fn items(conn: &mut Conn, full: bool, after: Option<Seq>, limit: usize) -> Result<Vec<ScoringItem>> {
    let args = Args::new().with(after.map_or(i64::MIN, |seq| seq.0)).with(i64::from(full)).with(sql_limit(limit));
    let seals = conn.seals.clone();
    let mut page = Page::new(SCORING_PAGE_BYTES);
    let read = |row: &Row<'_>| {
        let item = scoring_item(&mut Cells::new(row), seals.as_deref())?;
        let bytes = item.content.len() as u64;
        Ok(page.take(item, bytes))
    };
    conn.for_each("reading memories to score", ITEMS, args, read).await?;
    Ok(page.items())
}

pub(super) async fn tag_outcomes(conn: &mut Conn) -> Result<Vec<TagOutcomes>> {
    conn.rows("reading outcomes by tag", TAG_OUTCOMES, Args::new(), |row| {
        let c = &mut Cells::new(row);
        Ok(TagOutcomes { tag: c.text()?, helpful: c.count()?, unhelpful: c.count()? })
    })
    .await
}
