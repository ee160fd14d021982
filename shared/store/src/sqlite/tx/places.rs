//! Numbers for sessions and speakers, and the next positions, for a batch in one statement.

use std::collections::HashMap;

use kimberly_core::error::Result;
use kimberly_core::memory::MemoryDraft;
use kimberly_core::ports::{NewMemory, SessionSpot};

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::filter::folded;
use crate::sqlite::rows::Cells;

const SESSIONS: &str = "INSERT INTO sessions (id, next) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true \
     ON CONFLICT (id) DO UPDATE SET next = next + excluded.next RETURNING 'session', no, next, id;";
const SPEAKERS: &str = "INSERT INTO speakers (folded, name, latest) SELECT value ->> 0, value ->> 1, ? \
     FROM json_each(?) WHERE true \
     ON CONFLICT (folded) DO UPDATE SET latest = excluded.latest RETURNING 'speaker', no, name, folded;";
const FORGET_UNUSED: &str = "DELETE FROM sessions WHERE NOT EXISTS (SELECT 1 FROM memories WHERE session = no);\
     DELETE FROM speakers WHERE no NOT IN (SELECT speaker FROM memories WHERE speaker IS NOT NULL)";

/// Where a memory belongs.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) spot: Option<SessionSpot>,
    pub(super) speaker: Option<i64>,
    /// How the speaker is written, if other than the first time.
    pub(super) speaker_name: Option<String>,
}

/// Places for new memories, the first of which gets the number `first`.
pub(super) async fn resolve(conn: &mut Conn, memories: &[NewMemory], first: i64) -> Result<Vec<Place>> {
    let drafts: Vec<_> = memories.iter().map(|memory| &memory.draft).collect();
    let latest = first + i64::try_from(drafts.len()).unwrap_or_default() - 1;
    resolve_drafts(conn, &drafts, latest).await
}

/// Places for drafts, in order; each takes the next position of its session.
pub(super) async fn resolve_drafts(conn: &mut Conn, drafts: &[&MemoryDraft], latest: i64) -> Result<Vec<Place>> {
    let mut sessions: Vec<(&str, i64)> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut speakers: HashMap<String, &str> = HashMap::new();
    for draft in drafts {
        if let Some(id) = draft.session_id.as_deref() {
            let index = *known.entry(id).or_insert_with(|| {
                sessions.push((id, 0));
                sessions.len() - 1
            });
            sessions[index].1 += 1;
        }
        if let Some(name) = draft.speaker.as_deref() {
            speakers.entry(folded(name)).or_insert(name);
        }
    }
    if sessions.is_empty() && speakers.is_empty() {
        return Ok(vec![Place::default(); drafts.len()]);
    }
    let found = number(conn, &sessions, &speakers, latest).await?;
    place(drafts, &sessions, found)
}

#[derive(Default)]
struct Numbers {
    /// Session id to its number and the position after its last.
    sessions: HashMap<String, (i64, i64)>,
    /// Folded speaker to its number and name.
    speakers: HashMap<String, (i64, String)>,
}

async fn number(
    conn: &mut Conn,
    sessions: &[(&str, i64)],
    speakers: &HashMap<String, &str>,
    latest: i64,
) -> Result<Numbers> {
    let (mut sql, mut args) = (String::new(), Args::new());
    if !sessions.is_empty() {
        sql.push_str(SESSIONS);
        args.push(serde_json::to_string(sessions).unwrap_or_default());
    }
    if !speakers.is_empty() {
        sql.push_str(SPEAKERS);
        args.push(latest);
        // Numbers follow the alphabet within a batch: the same batch gives the same numbers.
        let mut pairs: Vec<_> = speakers.iter().collect();
        pairs.sort_unstable();
        args.push(serde_json::to_string(&pairs).unwrap_or_default());
    }
    let mut numbers = Numbers::default();
    conn.for_each("numbering sessions and speakers", sql, args, |row| {
        let c = &mut Cells::new(row);
        if c.str()? == "session" {
            let (no, next) = (c.int()?, c.int()?);
            numbers.sessions.insert(c.text()?, (no, next));
        } else {
            let (no, name) = (c.int()?, c.text()?);
            numbers.speakers.insert(c.text()?, (no, name));
        }
        Ok(true)
    })
    .await?;
    Ok(numbers)
}

fn place(drafts: &[&MemoryDraft], sessions: &[(&str, i64)], mut numbers: Numbers) -> Result<Vec<Place>> {
    // From the position after the last back to the first new one.
    for (id, count) in sessions {
        if let Some((_, next)) = numbers.sessions.get_mut(*id) {
            *next -= count;
        }
    }
    let missing = || errors::corrupt("a session or speaker got no number");
    let mut places = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let mut place = Place::default();
        if let Some(id) = draft.session_id.as_deref() {
            let (session, next) = numbers.sessions.get_mut(id).ok_or_else(missing)?;
            place.spot = Some(SessionSpot { session: *session, position: *next });
            *next += 1;
        }
        if let Some(written) = draft.speaker.as_deref() {
            let (no, name) = numbers.speakers.get(&folded(written)).ok_or_else(missing)?;
            place.speaker = Some(*no);
            place.speaker_name = (name != written).then(|| written.to_owned());
        }
        places.push(place);
    }
    Ok(places)
}

/// Forgets sessions and speakers that no memory names any more: their names are the user's words too.
pub(super) async fn forget_unused(conn: &mut Conn) -> Result<()> {
    conn.run("forgetting unused sessions and speakers", FORGET_UNUSED, Args::new()).await?;
    Ok(())
}
