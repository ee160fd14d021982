//! Writes a memory back.

use std::sync::LazyLock;

use kimberly_core::error::{Error, Result};
use kimberly_core::ids::Seq;
use kimberly_core::memory::{ChangeKind, Memory, MemoryState};
use kimberly_core::ports::SessionSpot;
use kimberly_core::scoring::ScoreRecord;

use super::{changes, name_refs, names};
use crate::declared;
use crate::name_refs::NameRefs;
use crate::names::wanted;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, ReadRow as _, from_code};
use crate::tables::memories::{Stored, push_updated, updates};

const BEFORE: &str = "SELECT m.session, m.position, s.id, m.state, m.sealed_content IS NULL FROM memories m \
     LEFT JOIN sessions s ON s.no = m.session WHERE m.seq = ? AND m.id = ?";
static UPDATE: LazyLock<String> = LazyLock::new(|| {
    let sets = updates("memories", |_| "?".to_owned());
    format!("UPDATE memories SET {sets} WHERE seq = ?{}", changes::CHANGED)
});

pub(super) async fn update(conn: &mut Conn, memory: &Memory, score: Option<&ScoreRecord>) -> Result<()> {
    conn.settle_index().await?;
    let (refs, state, was_plain) = refs(conn, memory).await?;
    names::refuse_taken(conn, wanted([(memory, &refs, memory.seq.0)].into_iter())?).await?;
    let seals = conn.seals.clone();
    // The former plain text must leave the log, too.
    conn.notes.erased |= was_plain && memory.draft.metadata.sensitive && seals.as_ref().is_some_and(|s| s.are_on());
    let mut args = Args::new();
    push_updated(&mut args, &Stored::of_memory(memory, score, &refs), seals.as_deref())?;
    args.push(memory.seq.0);
    conn.notes.put_off.recall_changed = true;
    let rescued = state != MemoryState::Active && memory.state == MemoryState::Active;
    let kind = if rescued { ChangeKind::Restored } else { ChangeKind::Updated };
    changes::push_changed(&mut args, kind, memory.updated_at, memory.seq);
    conn.run("updating a memory", UPDATE.as_str(), args).await?;
    if was_plain && memory.draft.metadata.sensitive {
        declared::seal_words_of(conn, memory.id).await?;
    }
    Ok(())
}

/// Returns the memory's references (the old position, unless it moved to another session), its previous state, and whether it was
/// stored unsealed.
async fn refs(conn: &mut Conn, memory: &Memory) -> Result<(NameRefs, MemoryState, bool)> {
    let args = Args::new().with(memory.seq.0).with(memory.id.0.as_bytes().to_vec());
    let (spot, session_id, state, was_plain) = conn
        .row("reading a memory's position", BEFORE, args, |row| {
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
        name_refs::retain_positions(conn, format!("[{}]", memory.seq.0)).await?;
    }
    let Seq(latest) = memory.seq;
    let mut refs = name_refs::resolve(conn, &[&draft], latest).await?.pop().unwrap_or_default();
    if stays {
        refs.spot = spot;
    }
    Ok((refs, state, was_plain))
}
