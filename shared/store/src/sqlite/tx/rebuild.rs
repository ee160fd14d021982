//! Rebuilds the full-text index beside the one that answers: page by page, each in a transaction of its own, until a short
//! one swaps the two.
//!
//! Triggers follow changes of what is filled in already; new memories come after it. What remains of an index that is no
//! longer needed is removed page by page, too, and at once if a memory is changed or erased meanwhile, because it may hold
//! words of that memory. All state is in the vault, so that a rebuild that was interrupted harms nothing: the next one
//! removes its index.

use kimberly_core::error::{Error, Result};
use kimberly_core::ids::Seq;
use kimberly_core::usage::Usage;
use rusqlite::Row;
use uuid::Uuid;

use crate::page::Page;
use crate::rows::{WriteRow as _, corrections};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::rows::{Cells, ReadRow as _};

const DOING: &str = "rebuilding the full-text index";

/// Memories per page.
const PAGE: usize = 512;
/// Bytes of memories per page.
const PAGE_BYTES: usize = 256 * 1024;
/// Rows removed per page: blocks of up to 4 KB, and small rows.
const BLOCKS: i64 = 256;
const ROWS: i64 = 4_096;

const LEFT: &str = "SELECT name FROM sqlite_schema WHERE name IN ('search_next', 'search_old')";
const STATE: &str = "SELECT run, stage, filled FROM search_rebuild";
const HAS_STATE: &str = "SELECT count(*) FROM sqlite_schema WHERE name = 'search_rebuild'";
const MAKE_STATE: &str = "CREATE TABLE IF NOT EXISTS search_rebuild \
     (only INTEGER PRIMARY KEY, run BLOB NOT NULL, stage INTEGER NOT NULL, filled INTEGER NOT NULL) STRICT";
const BEGIN: &str = "INSERT OR REPLACE INTO search_rebuild (only, run, stage, filled) VALUES (1, ?, 0, 0)";
const NEXT_STAGE: &str = "UPDATE search_rebuild SET stage = stage + 1";
const OPTIONS: &str = "SELECT substr(sql, instr(sql, 'USING')) FROM sqlite_schema WHERE name = 'search'";
const TRIGGERS: &str =
    "SELECT sql FROM sqlite_schema WHERE name IN ('memories_reindexed', 'memories_erased_unindexed') ORDER BY name";
const DUE: &str = "SELECT seq, size_bytes FROM memories WHERE seq > ? ORDER BY seq LIMIT +?";
const FILL: &str = "INSERT INTO search_next (rowid, content) SELECT seq, content FROM searchable WHERE seq > ?1 AND seq <= ?2;\
     UPDATE search_rebuild SET filled = ?2";
/// The old setting, with which triggers and views keep naming `search`.
const SWAP: &str = "DROP TRIGGER search_next_changed; DROP TRIGGER search_next_erased; \
     PRAGMA legacy_alter_table = ON; \
     ALTER TABLE search RENAME TO search_old; ALTER TABLE search_next RENAME TO search; \
     PRAGMA legacy_alter_table = OFF";
const CREATED: &str =
    "UPDATE counters SET items = max(items, (SELECT coalesce(max(seq), 0) FROM memories)) WHERE slot = 9";
const CORRECT: &str = "UPDATE counters SET items = items + ?, bytes = bytes + ? WHERE slot = ?";

/// The stages of a rebuild.
const CLEARING: i64 = 0;
const FILLING: i64 = 1;

/// What the triggers of an index do.
#[derive(Clone, Copy)]
enum Triggers {
    /// They change what is filled in.
    Follow,
    /// They empty it.
    Empty,
}

/// Does the next page of a run, the first one without `after`; `None` once all is done.
pub(super) async fn rebuild(conn: &mut Conn, run: Uuid, after: Option<Seq>) -> Result<Option<Seq>> {
    let left = conn.rows(DOING, LEFT, Args::new(), |row| Cells::new(row).text()).await?;
    conn.settle_index().await?;
    if after.is_none() {
        begin(conn, run, &left).await?;
        return Ok(Some(Seq(0)));
    }
    let (stage, filled) = state(conn, run).await?;
    match (stage, left.first()) {
        (FILLING, _) => return fill(conn, filled).await.map(Some),
        (_, Some(index)) => clear(conn, index).await?,
        (CLEARING, None) => make(conn).await?,
        (_, None) => {
            conn.define(DOING, "DROP TABLE search_rebuild").await?;
            return Ok(None);
        }
    }
    Ok(Some(Seq(filled)))
}

/// Adds to the counters what a recount found missing.
pub(super) async fn correct(conn: &mut Conn, stored: &Usage, counted: &Usage) -> Result<()> {
    for (slot, items, bytes) in corrections(stored, counted) {
        let args = Args::new().with(items).with(bytes).with(i64::try_from(slot).unwrap_or(i64::MAX));
        conn.run("correcting counters", CORRECT, args).await?;
    }
    Ok(())
}

/// Returns stage and last number of a run; an error if another one has begun since.
async fn state(conn: &mut Conn, run: Uuid) -> Result<(i64, i64)> {
    let read = |row: &Row<'_>| {
        let c = &mut Cells::new(row);
        Ok((c.uuid()?, (c.int()?, c.int()?)))
    };
    let exists = conn.row(DOING, HAS_STATE, Args::new(), |row| Cells::new(row).flag()).await?;
    let found = if exists == Some(true) { conn.row(DOING, STATE, Args::new(), read).await? } else { None };
    let ours = found.filter(|(of, _)| *of == run).map(|(_, state)| state);
    ours.ok_or_else(|| Error::conflict("user_id", "is being rebuilt by a later call; wait for that one"))
}

/// Takes over: an index that another run has begun is no longer filled.
async fn begin(conn: &mut Conn, run: Uuid, left: &[String]) -> Result<()> {
    conn.define(DOING, MAKE_STATE).await?;
    let mut args = Args::new();
    args.put_uuid(run);
    conn.run(DOING, BEGIN, args).await?;
    for index in left {
        watch(conn, index, Triggers::Empty).await?;
    }
    Ok(())
}

/// Removes a page of an index, or the index once it is empty.
async fn clear(conn: &mut Conn, index: &str) -> Result<()> {
    let mut removed = 0;
    // The first blocks, which hold no words, are needed to remove the table.
    for (table, key, which, most) in
        [("data", "id", "WHERE id > 10", BLOCKS), ("idx", "segid, term", "", ROWS), ("docsize", "id", "", ROWS)]
    {
        let sql = format!(
            "DELETE FROM {index}_{table} WHERE ({key}) IN (SELECT {key} FROM {index}_{table} {which} LIMIT +?)"
        );
        removed += conn.run(DOING, sql, Args::new().with(most)).await?;
    }
    if removed == 0 {
        let (changed, erased) = (trigger(index, "changed"), trigger(index, "erased"));
        let sql = format!("DROP TRIGGER IF EXISTS {changed}; DROP TRIGGER IF EXISTS {erased}; DROP TABLE {index}");
        conn.define(DOING, &sql).await?;
    }
    Ok(())
}

/// Makes an empty index with the options of the one that answers.
async fn make(conn: &mut Conn) -> Result<()> {
    let options = conn.row(DOING, OPTIONS, Args::new(), |row| Cells::new(row).text()).await?;
    let options = options.ok_or_else(|| errors::corrupt("the full-text index is missing"))?;
    let made = format!(
        "CREATE VIRTUAL TABLE search_next {options}; \
         INSERT INTO search_next (search_next, rank) VALUES ('secure-delete', 1)"
    );
    conn.define(DOING, &made).await?;
    watch(conn, "search_next", Triggers::Follow).await?;
    conn.run(DOING, NEXT_STAGE, Args::new()).await.map(drop)
}

/// Adds the next page of memories; after the last one, which is short, swaps the indices. Returns the last number.
async fn fill(conn: &mut Conn, filled: i64) -> Result<Seq> {
    let mut page = Page::new(PAGE_BYTES);
    let take = |row: &Row<'_>| {
        let c = &mut Cells::new(row);
        let (seq, bytes) = (c.int()?, c.count()?);
        Ok(page.take(seq, bytes))
    };
    let most = i64::try_from(PAGE).unwrap_or(i64::MAX);
    conn.for_each(DOING, DUE, Args::new().with(filled).with(most), take).await?;
    let is_last = page.is_short(PAGE);
    let last = page.items().last().copied().unwrap_or(filled);
    conn.run(DOING, FILL, Args::new().with(filled).with(last)).await?;
    if is_last {
        swap(conn).await?;
    }
    Ok(Seq(last))
}

async fn swap(conn: &mut Conn) -> Result<()> {
    conn.define(DOING, SWAP).await?;
    watch(conn, "search_old", Triggers::Empty).await?;
    conn.run(DOING, NEXT_STAGE, Args::new()).await?;
    conn.run(DOING, CREATED, Args::new()).await?;
    conn.notes.next_seq = None;
    conn.notes.put_off.recall_changed = true;
    Ok(())
}

/// Gives an index triggers, which replace those it has.
async fn watch(conn: &mut Conn, index: &str, triggers: Triggers) -> Result<()> {
    let found = conn.rows(DOING, TRIGGERS, Args::new(), |row| Cells::new(row).text()).await?;
    for (sql, name) in found.iter().zip(["erased", "changed"]) {
        let name = trigger(index, name);
        let unknown = || errors::corrupt("the triggers of the full-text index are not those of a vault");
        let sql = derived(sql, (index, &name), triggers).ok_or_else(unknown)?;
        conn.define(DOING, &format!("DROP TRIGGER IF EXISTS {name}; {sql}")).await?;
    }
    Ok(())
}

fn trigger(index: &str, name: &str) -> String {
    format!("{index}_{name}")
}

/// Derives a trigger from that of the index that answers; `None` if it looks different.
fn derived(sql: &str, (index, name): (&str, &str), triggers: Triggers) -> Option<String> {
    let (head, body) = sql.split_once(" BEGIN")?;
    let (event, condition) = head.split_once("WHEN ")?;
    let event = event.strip_prefix("CREATE TRIGGER ")?.split_once(' ')?.1;
    Some(match triggers {
        Triggers::Follow => {
            let body = body.replace("INTO search (search,", &format!("INTO {index} ({index},"));
            let body = body.replace("INTO search (", &format!("INTO {index} ("));
            let filled = "old.seq <= (SELECT filled FROM search_rebuild)";
            format!("CREATE TRIGGER {name} {event}WHEN {filled} AND ({condition}) BEGIN{body}")
        }
        Triggers::Empty => format!(
            "CREATE TRIGGER {name} {event}WHEN {condition} BEGIN INSERT INTO {index} ({index}) VALUES ('delete-all'); END"
        ),
    })
}
