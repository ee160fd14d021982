//! Resolves numbers of sessions, speakers, namespaces and consents, and the next positions, for a batch by one
//! statement; a second one adds new names.
//!
//! Nothing is written for a known session or speaker, which saves a page per commit.

use kimberly_core::bounds::MAX_NAMESPACES;
use kimberly_core::error::{Error, Result};
use kimberly_core::memory::MemoryDraft;
use rusqlite::Row;

use crate::name_refs::{NameRefs, Names, Numbers};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter::json;
use crate::sqlite::rows::{Cells, ReadRow as _};

const FIND: &str = "SELECT 'session', s.id, s.no, \
       max(s.next, coalesce((SELECT max(position) + 1 FROM memories WHERE session = s.no), 0)), NULL \
     FROM json_each(?) e CROSS JOIN sessions s ON s.id = e.value \
     UNION ALL \
     SELECT 'speaker', p.folded, p.no, p.latest, p.name FROM json_each(?) e CROSS JOIN speakers p ON p.folded = e.value";
const FIND_NAMESPACES: &str = " UNION ALL \
     SELECT 'namespace', n.name, n.no, 0, NULL FROM json_each(?) e CROSS JOIN namespaces n ON n.name = e.value";
const FIND_CONSENTS: &str = " UNION ALL \
     SELECT 'consent', e.value, c.no, 0, NULL FROM json_each(?) e CROSS JOIN consents c ON c.id = unhex(e.value)";
const ADD_NAMESPACES: &str = "INSERT INTO namespaces (name) SELECT value FROM json_each(?) \
     RETURNING 'namespace', name, no, 0, NULL";
const ADD: &str = "INSERT INTO sessions (id, next) SELECT value, 0 FROM json_each(?) \
     RETURNING 'session', id, no, next, NULL;\
     INSERT INTO speakers (folded, name, latest) SELECT value ->> 0, value ->> 1, ? FROM json_each(?) WHERE true \
     ON CONFLICT (folded) DO UPDATE SET latest = excluded.latest RETURNING 'speaker', folded, no, latest, name";
const RETAIN_POSITIONS: &str = "UPDATE sessions \
     SET next = max(next, coalesce((SELECT max(position) + 1 FROM memories WHERE session = no), 0)) \
     WHERE no IN (SELECT session FROM memories WHERE seq IN (SELECT value FROM json_each(?)))";
const FORGET_UNUSED: &str = "DELETE FROM sessions WHERE NOT EXISTS (SELECT 1 FROM memories WHERE session = no);\
     DELETE FROM speakers WHERE no NOT IN (SELECT speaker FROM memories WHERE speaker IS NOT NULL);\
     DELETE FROM namespaces WHERE no NOT IN (SELECT namespace FROM memories)";

/// Returns the references of drafts in order; each takes the next position of its session.
pub(super) async fn resolve(conn: &mut Conn, drafts: &[&MemoryDraft], latest: i64) -> Result<Vec<NameRefs>> {
    let names = Names::of(drafts);
    if names.is_empty() {
        return Ok(vec![NameRefs::default(); drafts.len()]);
    }
    let mut numbers = Numbers::default();
    let (sql, args) = find(&names);
    conn.for_each("looking up sessions and speakers", sql, args, |row| read(&mut numbers, row)).await?;
    let new = names.needing_a_write(&numbers, latest);
    if !new.sessions.is_empty() || !new.speakers.is_empty() {
        let pairs = serde_json::to_string(&new.speakers.iter().collect::<Vec<_>>()).unwrap_or_default();
        let args = Args::new().with(json(&new.sessions)).with(latest).with(pairs);
        conn.for_each("numbering sessions and speakers", ADD, args, |row| read(&mut numbers, row)).await?;
    }
    if !new.namespaces.is_empty() {
        add_namespaces(conn, &new.namespaces, &mut numbers).await?;
    }
    drafts.iter().map(|draft| numbers.refs(draft)).collect()
}

async fn add_namespaces(conn: &mut Conn, new: &[String], numbers: &mut Numbers) -> Result<()> {
    conn.for_each("numbering namespaces", ADD_NAMESPACES, Args::new().with(json(new)), |row| read(numbers, row))
        .await?;
    let sql = "SELECT count(*) FROM namespaces";
    let all = conn.row("counting namespaces", sql, Args::new(), |row| Cells::new(row).count()).await?;
    if all.unwrap_or_default() > MAX_NAMESPACES as u64 {
        return Err(Error::LimitReached { what: "namespaces", limit: MAX_NAMESPACES });
    }
    Ok(())
}

/// Returns the statement that finds the names of a batch. Most batches have neither namespaces nor consents.
fn find(names: &Names) -> (String, Args) {
    let (mut sql, mut args) = (FIND.to_owned(), Args::new().with(json(&names.sessions)).with(json(&names.folded())));
    if !names.namespaces.is_empty() {
        sql.push_str(FIND_NAMESPACES);
        args.push(json(&names.namespaces));
    }
    if !names.consents.is_empty() {
        sql.push_str(FIND_CONSENTS);
        args.push(json(&names.consents));
    }
    (sql, args)
}

fn read(numbers: &mut Numbers, row: &Row<'_>) -> Result<bool> {
    let c = &mut Cells::new(row);
    let (kind, key, numbered) = (c.str()?, c.text()?, (c.int()?, c.int()?));
    numbers.add(kind, key, numbered, c.opt_text()?);
    Ok(true)
}

/// Ensures that the positions of memories about to leave their sessions are not reused.
pub(super) async fn retain_positions(conn: &mut Conn, seqs: String) -> Result<()> {
    conn.run("writing session positions", RETAIN_POSITIONS, Args::new().with(seqs)).await?;
    Ok(())
}

/// Forgets sessions, speakers and namespaces that no memory refers to: their names are user data, too.
pub(super) async fn forget_unused(conn: &mut Conn) -> Result<()> {
    conn.run("deleting unused sessions and speakers", FORGET_UNUSED, Args::new()).await?;
    Ok(())
}
