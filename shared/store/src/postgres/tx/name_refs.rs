//! Resolves numbers of sessions, speakers, namespaces and consents, and the next positions, for a batch by one
//! statement; one more for each kind of new names.
//!
//! Nothing is written for a known session or speaker.

use std::fmt::Write as _;

use kimberly_core::bounds::MAX_NAMESPACES;
use kimberly_core::error::{Error, Result};
use kimberly_core::memory::MemoryDraft;
use sqlx::postgres::PgRow;

use crate::name_refs::{NameRefs, Names, Numbers};
use crate::postgres::conn::{Args, Conn};
use crate::postgres::rows::{Cells, ReadRow as _};

const FIND: &str = "SELECT 'session', s.id, s.no, greatest(s.next, coalesce(\
       (SELECT max(m.position) + 1 FROM memories m WHERE m.user_id = $1 AND m.session = s.no), 0)), NULL \
     FROM sessions s WHERE s.user_id = $1 AND s.id = ANY($2) \
     UNION ALL \
     SELECT 'speaker', p.folded, p.no, p.latest, p.name FROM speakers p WHERE p.user_id = $1 AND p.folded = ANY($3)";
const FIND_NAMESPACES: &str = " UNION ALL SELECT 'namespace', n.name, n.no, 0, NULL FROM namespaces n \
     WHERE n.user_id = $1 AND n.name = ANY";
const FIND_CONSENTS: &str = " UNION ALL SELECT 'consent', replace(c.id::text, '-', ''), c.no, 0, NULL FROM consents c \
     WHERE c.user_id = $1 AND c.id = ANY";
const ADD_SESSIONS: &str = "INSERT INTO sessions AS new (user_id, no, id, next) \
     SELECT v.user_id, (SELECT coalesce(max(no), 0) FROM sessions WHERE user_id = $1) + t.place, t.id, 0 \
     FROM vaults v CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS t (id, place) WHERE v.user_id = $1 \
     RETURNING 'session', new.id, new.no, new.next, NULL";
const ADD_SPEAKERS: &str = "INSERT INTO speakers AS new (user_id, no, folded, name, latest) \
     SELECT v.user_id, (SELECT coalesce(max(no), 0) FROM speakers WHERE user_id = $1) + t.place, t.folded, t.name, $2 \
     FROM vaults v CROSS JOIN unnest($3::text[], $4::text[]) WITH ORDINALITY AS t (folded, name, place) \
     WHERE v.user_id = $1 ON CONFLICT (user_id, folded) DO UPDATE SET latest = excluded.latest \
     RETURNING 'speaker', new.folded, new.no, new.latest, new.name";
const ADD_NAMESPACES: &str = "INSERT INTO namespaces AS new (user_id, no, name) \
     SELECT v.user_id, (SELECT coalesce(max(no), 0) FROM namespaces WHERE user_id = $1) + t.place, t.name \
     FROM vaults v CROSS JOIN unnest($2::text[]) WITH ORDINALITY AS t (name, place) WHERE v.user_id = $1 \
     RETURNING 'namespace', new.name, new.no, 0::bigint, NULL";
const COUNT_NAMESPACES: &str = "SELECT count(*) FROM namespaces WHERE user_id = $1";
const RETAIN_POSITIONS: &str = "UPDATE sessions s SET next = greatest(s.next, coalesce(\
       (SELECT max(m.position) + 1 FROM memories m WHERE m.user_id = $1 AND m.session = s.no), 0)) \
     WHERE s.user_id = $1 AND s.no IN (SELECT session FROM memories WHERE user_id = $1 AND seq = ANY($2))";
const FORGET_UNUSED: [&str; 3] = [
    "DELETE FROM sessions s WHERE s.user_id = $1 \
     AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = $1 AND m.session = s.no)",
    "DELETE FROM speakers p WHERE p.user_id = $1 \
     AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = $1 AND m.speaker = p.no)",
    "DELETE FROM namespaces n WHERE n.user_id = $1 \
     AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.user_id = $1 AND m.namespace = n.no AND m.namespace <> 0)",
];

/// Returns the references of drafts in order; each takes the next position of its session. `latest` is the number of the
/// last draft.
pub(super) async fn resolve(conn: &mut Conn, drafts: &[&MemoryDraft], latest: i64) -> Result<Vec<NameRefs>> {
    let names = Names::of(drafts);
    if names.is_empty() {
        return Ok(vec![NameRefs::default(); drafts.len()]);
    }
    let mut numbers = Numbers::default();
    let (sql, args) = find(conn, &names);
    conn.for_each("looking up sessions and speakers", sql, args, |row| read(&mut numbers, row)).await?;
    let new = names.needing_a_write(&numbers, latest);
    if !new.sessions.is_empty() {
        let args = conn.args().with(new.sessions);
        conn.for_each("numbering sessions", ADD_SESSIONS, args, |row| read(&mut numbers, row)).await?;
    }
    if !new.speakers.is_empty() {
        let (folded, names): (Vec<_>, Vec<_>) = new.speakers.into_iter().unzip();
        let args = conn.args().with(latest).with(folded).with(names);
        conn.for_each("numbering speakers", ADD_SPEAKERS, args, |row| read(&mut numbers, row)).await?;
    }
    if !new.namespaces.is_empty() {
        add_namespaces(conn, new.namespaces, &mut numbers).await?;
    }
    drafts.iter().map(|draft| numbers.refs(draft)).collect()
}

/// Returns the statement that finds the names of a batch. Most batches have neither namespaces nor consents.
fn find(conn: &Conn, names: &Names) -> (String, Args) {
    let (mut sql, mut args) = (FIND.to_owned(), conn.args().with(names.sessions.clone()).with(names.folded()));
    if !names.namespaces.is_empty() {
        let _ = write!(sql, "{FIND_NAMESPACES}(${})", args.push(names.namespaces.clone()));
    }
    if !names.consents.is_empty() {
        let _ = write!(sql, "{FIND_CONSENTS}(${}::text[]::uuid[])", args.push(names.consents.clone()));
    }
    (sql, args)
}

async fn add_namespaces(conn: &mut Conn, new: Vec<String>, numbers: &mut Numbers) -> Result<()> {
    let args = conn.args().with(new);
    conn.for_each("numbering namespaces", ADD_NAMESPACES, args, |row| read(numbers, row)).await?;
    let args = conn.args();
    let all = conn.row("counting namespaces", COUNT_NAMESPACES, args, |row| Cells::new(row).count()).await?;
    if all.unwrap_or_default() > MAX_NAMESPACES as u64 {
        return Err(Error::LimitReached { what: "namespaces", limit: MAX_NAMESPACES });
    }
    Ok(())
}

fn read(numbers: &mut Numbers, row: &PgRow) -> Result<bool> {
    let c = &mut Cells::new(row);
    let (kind, key, numbered) = (c.str()?, c.text()?, (c.int()?, c.int()?));
    numbers.add(kind, key, numbered, c.opt_text()?);
    Ok(true)
}

/// Ensures that the positions of memories about to leave their sessions are not reused.
pub(super) async fn retain_positions(conn: &mut Conn, seqs: Vec<i64>) -> Result<()> {
    let args = conn.args().with(seqs);
    conn.run("writing session positions", RETAIN_POSITIONS, args).await?;
    Ok(())
}

/// Forgets sessions, speakers and namespaces that no memory refers to: their names are user data, too.
pub(super) async fn forget_unused(conn: &mut Conn) -> Result<()> {
    for sql in FORGET_UNUSED {
        let args = conn.args();
        conn.run("deleting unused sessions and speakers", sql, args).await?;
    }
    Ok(())
}
