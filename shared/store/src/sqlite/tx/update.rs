//! A memory written back.

use kimberly_core::error::{Error, Result};
use kimberly_core::ids::Seq;
use kimberly_core::memory::{ChangeKind, Memory, MemoryState};
use kimberly_core::ports::SessionSpot;
use kimberly_core::scoring::ScoreRecord;

use super::changes;
use super::places;
use super::state::life;
use crate::places::Place;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, DRAFT_COLUMNS, Texts, code, from_code, push_memory_values, unsigned};

const BEFORE: &str = "SELECT m.session, m.position, s.id, m.state, m.sealed_content IS NULL FROM memories m \
     LEFT JOIN sessions s ON s.no = m.session WHERE m.seq = ? AND m.id = ?";
/// Behind those of the draft.
const MORE: &str = "session = ?, position = ?, speaker = ?, speaker_name = ?, namespace = ?, consent_no = ?, score = ?, score_record = coalesce(?, score_record), \
     state = ?, life = life | ?, created_at = ?, updated_at = ?, last_seen_at = ?, access_count = ?, revision = ?, \
     schema_version = ?, archived_at = ?, delete_after = ?, epoch = -1 WHERE seq = ?";

pub(super) async fn update(conn: &mut Conn, memory: &Memory, score: Option<&ScoreRecord>) -> Result<()> {
    conn.settle_index().await?;
    let (place, state, was_plain) = place(conn, memory).await?;
    let seals = conn.seals.clone();
    // What stood there in plain is to go from the log, too.
    conn.notes.erased |= was_plain && memory.draft.metadata.sensitive && seals.as_ref().is_some_and(|s| s.are_on());
    let texts = Texts::of(memory.id, &memory.draft, seals.as_deref())?;
    let mut args = Args::new();
    push_memory_values(&mut args, (&memory.draft, texts), memory.traits, memory.sentiment, memory.size_bytes);
    args.push(place.spot.map(|spot| spot.session));
    args.push(place.spot.map(|spot| spot.position));
    args.push(place.speaker);
    args.push(place.speaker_name);
    args.push(place.namespace);
    args.push(place.consent);
    args.push(memory.score);
    args.push(score.map(ScoreRecord::to_compact));
    args.push(code(memory.state));
    args.push(life(memory.state));
    args.push(memory.created_at.0);
    args.push(memory.updated_at.0);
    args.push(memory.last_seen_at.0);
    args.push(unsigned(memory.access_count));
    args.push(unsigned(memory.revision));
    args.push(memory.schema_version);
    args.push(memory.archived_at.map(|at| at.0));
    args.push(memory.delete_after.map(|at| at.0));
    args.push(memory.seq.0);
    conn.notes.put_off.recall_changed = true;
    let rescued = state != MemoryState::Active && memory.state == MemoryState::Active;
    let kind = if rescued { ChangeKind::Restored } else { ChangeKind::Updated };
    changes::push_changed(&mut args, kind, memory.updated_at, memory.seq);
    conn.run(
        "updating a memory",
        format!("UPDATE memories SET {} = ?, {MORE}{}", DRAFT_COLUMNS.replace(", ", " = ?, "), changes::CHANGED),
        args,
    )
    .await?;
    Ok(())
}

/// Where the memory belongs now: its old place, unless it moved to another session; its state so far, and whether it stood
/// there unsealed.
async fn place(conn: &mut Conn, memory: &Memory) -> Result<(Place, MemoryState, bool)> {
    let args = Args::new().with(memory.seq.0).with(memory.id.0.as_bytes().to_vec());
    let (spot, session_id, state, was_plain) = conn
        .row("reading a memory's place", BEFORE, args, |row| {
            let c = &mut Cells::new(row);
            let spot = c.opt_int()?.zip(c.opt_int()?).map(|(session, position)| SessionSpot { session, position });
            Ok((spot, c.opt_text()?, from_code(c.int()?)?, c.flag()?))
        })
        .await?
        .ok_or_else(|| Error::memory_not_found(memory.id))?;
    let mut draft = memory.draft.clone();
    let stays = session_id == draft.session_id;
    if stays {
        draft.session_id = None;
    } else if spot.is_some() {
        places::keep_positions(conn, format!("[{}]", memory.seq.0)).await?;
    }
    let Seq(latest) = memory.seq;
    let mut place = places::resolve_drafts(conn, &[&draft], latest).await?.pop().unwrap_or_default();
    if stays {
        place.spot = spot;
    }
    Ok((place, state, was_plain))
}
