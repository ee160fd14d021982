//! Numbers for sessions, speakers, namespaces and consent records, and the next positions, for a batch in one statement; one more for new names.
//!
//! Nothing is written for a session or speaker that is known: a page less in every commit.

use std::collections::{BTreeMap, HashMap};

use kimberly_core::bounds::MAX_NAMESPACES;
use kimberly_core::error::{Error, Result};
use kimberly_core::ids::ConsentId;
use kimberly_core::memory::MemoryDraft;
use kimberly_core::ports::{NewMemory, SessionSpot};
use sqlx::sqlite::SqliteRow;

use crate::rows::folded;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::filter::json;
use crate::sqlite::rows::Cells;

/// `speakers.latest` may be this many memories behind.
const LAG: i64 = 64;

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
const KEEP_POSITIONS: &str = "UPDATE sessions \
     SET next = max(next, coalesce((SELECT max(position) + 1 FROM memories WHERE session = no), 0)) \
     WHERE no IN (SELECT session FROM memories WHERE seq IN (SELECT value FROM json_each(?)))";
const FORGET_UNUSED: &str = "DELETE FROM sessions WHERE NOT EXISTS (SELECT 1 FROM memories WHERE session = no);\
     DELETE FROM speakers WHERE no NOT IN (SELECT speaker FROM memories WHERE speaker IS NOT NULL);\
     DELETE FROM namespaces WHERE no NOT IN (SELECT namespace FROM memories)";

/// Where a memory belongs.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) spot: Option<SessionSpot>,
    pub(super) speaker: Option<i64>,
    /// How the speaker is written, if other than the first time.
    pub(super) speaker_name: Option<String>,
    /// 0 for the default one.
    pub(super) namespace: i64,
    pub(super) consent: Option<i64>,
}

/// Places for new memories, the first of which gets the number `first`.
pub(super) async fn resolve(conn: &mut Conn, memories: &[NewMemory], first: i64) -> Result<Vec<Place>> {
    let drafts: Vec<_> = memories.iter().map(|memory| &memory.draft).collect();
    let latest = first + i64::try_from(drafts.len()).unwrap_or_default() - 1;
    resolve_drafts(conn, &drafts, latest).await
}

/// Places for drafts, in order; each takes the next position of its session.
pub(super) async fn resolve_drafts(conn: &mut Conn, drafts: &[&MemoryDraft], latest: i64) -> Result<Vec<Place>> {
    let names = Names::of(drafts);
    if names.is_empty() {
        return Ok(vec![Place::default(); drafts.len()]);
    }
    let mut numbers = Numbers::default();
    let (sql, args) = names.find();
    conn.for_each("finding sessions and speakers", sql, args, |row| numbers.read(row)).await?;
    let new = names.needing_a_write(&numbers, latest);
    if !new.sessions.is_empty() || !new.speakers.is_empty() {
        let pairs = serde_json::to_string(&new.speakers.iter().collect::<Vec<_>>()).unwrap_or_default();
        let args = Args::new().with(json(&new.sessions)).with(latest).with(pairs);
        conn.for_each("numbering sessions and speakers", ADD, args, |row| numbers.read(row)).await?;
    }
    if !new.namespaces.is_empty() {
        add_namespaces(conn, &new.namespaces, &mut numbers).await?;
    }
    drafts.iter().map(|draft| numbers.place(draft)).collect()
}

async fn add_namespaces(conn: &mut Conn, new: &[String], numbers: &mut Numbers) -> Result<()> {
    conn.for_each("numbering namespaces", ADD_NAMESPACES, Args::new().with(json(new)), |row| numbers.read(row)).await?;
    let sql = "SELECT count(*) FROM namespaces";
    let all = conn.row("counting namespaces", sql, Args::new(), |row| Cells::new(row).count()).await?;
    if all.unwrap_or_default() > MAX_NAMESPACES as u64 {
        return Err(Error::LimitReached { what: "namespaces", limit: MAX_NAMESPACES });
    }
    Ok(())
}

/// The sessions and speakers of a batch, each once.
#[derive(Default)]
struct Names {
    sessions: Vec<String>,
    /// Folded names with how they are written first, in a fixed order: the same batch gives the same numbers.
    speakers: BTreeMap<String, String>,
    namespaces: Vec<String>,
    /// Ids in hexadecimal.
    consents: Vec<String>,
}

impl Names {
    fn of(drafts: &[&MemoryDraft]) -> Self {
        let mut names = Self::default();
        for draft in drafts {
            if let Some(id) = &draft.session_id
                && names.sessions.last() != Some(id)
                && !names.sessions.contains(id)
            {
                names.sessions.push(id.clone());
            }
            if let Some(name) = &draft.speaker {
                names.speakers.entry(folded(name)).or_insert_with(|| name.clone());
            }
            if !draft.namespace.is_empty() && !names.namespaces.contains(&draft.namespace) {
                names.namespaces.push(draft.namespace.clone());
            }
            if let Some(id) = draft.consent_id.map(hex)
                && !names.consents.contains(&id)
            {
                names.consents.push(id);
            }
        }
        names
    }

    fn is_empty(&self) -> bool {
        self.sessions.is_empty() && self.speakers.is_empty() && self.namespaces.is_empty() && self.consents.is_empty()
    }

    /// The statement that finds them. Most batches name neither namespaces nor consents.
    fn find(&self) -> (String, Args) {
        let (mut sql, mut args) = (FIND.to_owned(), Args::new().with(json(&self.sessions)).with(json(&self.folded())));
        if !self.namespaces.is_empty() {
            sql.push_str(FIND_NAMESPACES);
            args.push(json(&self.namespaces));
        }
        if !self.consents.is_empty() {
            sql.push_str(FIND_CONSENTS);
            args.push(json(&self.consents));
        }
        (sql, args)
    }

    fn folded(&self) -> Vec<String> {
        self.speakers.keys().cloned().collect()
    }

    /// Those that are unknown, and speakers whose latest memory is long past.
    fn needing_a_write(self, known: &Numbers, latest: i64) -> Self {
        let is_behind = |name: &String| known.speakers.get(name).is_none_or(|speaker| speaker.latest + LAG <= latest);
        Self {
            sessions: self.sessions.into_iter().filter(|id| !known.sessions.contains_key(id)).collect(),
            speakers: self.speakers.into_iter().filter(|(name, _)| is_behind(name)).collect(),
            namespaces: self.namespaces.into_iter().filter(|name| !known.namespaces.contains_key(name)).collect(),
            consents: Vec::new(),
        }
    }
}

struct Speaker {
    no: i64,
    latest: i64,
    name: String,
}

/// What the vault knows of a batch's names.
#[derive(Default)]
struct Numbers {
    /// Where the next memory of a session goes.
    sessions: HashMap<String, SessionSpot>,
    speakers: HashMap<String, Speaker>,
    namespaces: HashMap<String, i64>,
    consents: HashMap<String, i64>,
}

impl Numbers {
    fn read(&mut self, row: &SqliteRow) -> Result<bool> {
        let c = &mut Cells::new(row);
        let (kind, key, no, number) = (c.str()?, c.text()?, c.int()?, c.int()?);
        match kind {
            "session" => {
                self.sessions.insert(key, SessionSpot { session: no, position: number });
            }
            "namespace" => {
                self.namespaces.insert(key, no);
            }
            "consent" => {
                self.consents.insert(key, no);
            }
            _ => {
                self.speakers.insert(key, Speaker { no, latest: number, name: c.text()? });
            }
        }
        Ok(true)
    }

    fn place(&mut self, draft: &MemoryDraft) -> Result<Place> {
        let missing = || errors::corrupt("a session, speaker or namespace got no number");
        let mut place = Place::default();
        if let Some(id) = draft.session_id.as_deref() {
            let next = self.sessions.get_mut(id).ok_or_else(missing)?;
            place.spot = Some(*next);
            next.position += 1;
        }
        if let Some(written) = draft.speaker.as_deref() {
            let speaker = self.speakers.get(&folded(written)).ok_or_else(missing)?;
            place.speaker = Some(speaker.no);
            place.speaker_name = (speaker.name != written).then(|| written.to_owned());
        }
        if !draft.namespace.is_empty() {
            place.namespace = *self.namespaces.get(&draft.namespace).ok_or_else(missing)?;
        }
        if let Some(id) = draft.consent_id {
            let no = self.consents.get(&hex(id)).ok_or_else(|| Error::consent_not_found(id))?;
            place.consent = Some(*no);
        }
        Ok(place)
    }
}

fn hex(id: ConsentId) -> String {
    id.0.simple().to_string()
}

/// Keeps the positions of memories that are about to leave their sessions from being given again.
pub(super) async fn keep_positions(conn: &mut Conn, seqs: String) -> Result<()> {
    conn.run("keeping positions", KEEP_POSITIONS, Args::new().with(seqs)).await?;
    Ok(())
}

/// Forgets sessions, speakers and namespaces that no memory names any more: their names are the user's words too.
pub(super) async fn forget_unused(conn: &mut Conn) -> Result<()> {
    conn.run("forgetting unused sessions and speakers", FORGET_UNUSED, Args::new()).await?;
    Ok(())
}
