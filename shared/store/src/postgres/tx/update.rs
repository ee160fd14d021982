//! A memory written back.

use kimberly_core::error::{Error, Result};
use kimberly_core::ids::Seq;
use kimberly_core::memory::{ChangeKind, Memory, MemoryState};
use kimberly_core::ports::SessionSpot;
use kimberly_core::scoring::ScoreRecord;

use super::changes::{self, Told};
use super::counted::alter;
use super::index::{self, Indexed};
use super::places;
use super::state::life;
use crate::places::Place;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::rows::{Cells, DRAFT_COLUMNS, Texts, code, from_code, push_memory_values, unsigned};

const BEFORE: &str = "SELECT m.session, m.position, s.id, m.state, m.withheld > 0 FROM memories m \
     LEFT JOIN sessions s ON s.user_id = $1 AND s.no = m.session WHERE m.user_id = $1 AND m.seq = $2 AND m.id = $3";

pub(super) async fn update(conn: &mut Conn, memory: &Memory, score: Option<&ScoreRecord>) -> Result<()> {
    let before = before(conn, memory).await?;
    let place = place(conn, memory, &before).await?;
    let indexed = indexed(conn, memory, before.withheld).await?;
    let texts = Texts::of(memory.id, &memory.draft, Some(&*conn.sealing()?))?;
    let (mut sets, mut args) = (Vec::new(), conn.args().with(memory.seq.0));
    push_memory_values(&mut args, (&memory.draft, texts), memory.traits, memory.sentiment, memory.size_bytes);
    for (column, n) in DRAFT_COLUMNS.split(", ").zip(3..) {
        sets.push(format!("{column} = ${n}"));
    }
    push(&mut sets, &mut args, memory, place);
    let (words, tokens) = indexed.map_or((None, 0), |indexed| (Some(indexed.words), indexed.tokens));
    sets.push(format!("indexed = ${}::tsvector", args.push(words)));
    sets.push(format!("tokens = ${}", args.push(tokens)));
    sets.push(format!("score_record = coalesce(${}, old.score_record)", args.push(score.map(ScoreRecord::to_compact))));
    sets.push(format!("life = old.life | ${}", args.push(life(memory.state))));
    sets.push("epoch = -1".to_owned());
    conn.head.recall_changed();
    let altered = alter(conn, "updating a memory", (&sets.join(", "), "m.seq = $2"), args).await?;
    let rescued = before.state != MemoryState::Active && memory.state == MemoryState::Active;
    let kind = if rescued { ChangeKind::Restored } else { ChangeKind::Updated };
    changes::tell(conn, (kind, memory.updated_at), altered.iter().map(Told::from)).await
}

fn push(sets: &mut Vec<String>, args: &mut Args, memory: &Memory, place: Place) {
    let spot = place.spot;
    for (column, number) in [
        ("session", spot.map(|spot| spot.session)),
        ("position", spot.map(|spot| spot.position)),
        ("speaker", place.speaker),
        ("namespace", Some(place.namespace)),
        ("consent_no", place.consent),
        ("state", Some(code(memory.state))),
        ("created_at", Some(memory.created_at.0)),
        ("updated_at", Some(memory.updated_at.0)),
        ("last_seen_at", Some(memory.last_seen_at.0)),
        ("access_count", Some(unsigned(memory.access_count))),
        ("revision", Some(unsigned(memory.revision))),
        ("schema_version", Some(i64::from(memory.schema_version))),
        ("archived_at", memory.archived_at.map(|at| at.0)),
        ("delete_after", memory.delete_after.map(|at| at.0)),
    ] {
        sets.push(format!("{column} = ${}", args.push(number)));
    }
    sets.push(format!("speaker_name = ${}", args.push(place.speaker_name)));
    sets.push(format!("score = ${}", args.push(memory.score)));
}

/// What a memory was.
struct Before {
    spot: Option<SessionSpot>,
    session_id: Option<String>,
    state: MemoryState,
    withheld: bool,
}

async fn before(conn: &mut Conn, memory: &Memory) -> Result<Before> {
    let args = conn.args().with(memory.seq.0).with(memory.id.0);
    conn.row("reading a memory's place", BEFORE, args, |row| {
        let c = &mut Cells::new(row);
        let spot = c.opt_int()?.zip(c.opt_int()?).map(|(session, position)| SessionSpot { session, position });
        Ok(Before { spot, session_id: c.opt_text()?, state: from_code(c.int()?)?, withheld: c.flag()? })
    })
    .await?
    .ok_or_else(|| Error::memory_not_found(memory.id))
}

/// Where the memory belongs now: its old place, unless it moved to another session.
async fn place(conn: &mut Conn, memory: &Memory, before: &Before) -> Result<Place> {
    let mut draft = memory.draft.clone();
    let stays = before.session_id == draft.session_id;
    if stays {
        draft.session_id = None;
    } else if before.spot.is_some() {
        places::keep_positions(conn, vec![memory.seq.0]).await?;
    }
    let Seq(latest) = memory.seq;
    let mut place = places::resolve(conn, &[&draft], latest).await?.pop().unwrap_or_default();
    if stays {
        place.spot = before.spot;
    }
    Ok(place)
}

/// What the index takes of it; nothing if it must not hold it.
async fn indexed(conn: &Conn, memory: &Memory, withheld: bool) -> Result<Option<Indexed>> {
    let sealed = memory.draft.metadata.sensitive && conn.sealing()?.are_on();
    if memory.state == MemoryState::Deleted || withheld || sealed {
        return Ok(None);
    }
    Ok(index::of(conn, std::slice::from_ref(&memory.draft.content)).await?.pop())
}
