//! Writes a memory back.

use std::sync::LazyLock;

use kimberly_core::error::{Error, Result};
use kimberly_core::ids::Seq;
use kimberly_core::memory::{ChangeKind, Memory, MemoryState};
use kimberly_core::ports::SessionSpot;
use kimberly_core::scoring::ScoreRecord;

use super::changes::{self, Told};
use super::counted::alter;
use super::index::{self, Indexed};
use super::{name_refs, names};
use crate::declared;
use crate::name_refs::NameRefs;
use crate::names::wanted;
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _, from_code};
use crate::tables::memories::{Stored, push_updated, updates};

const BEFORE: &str = "SELECT m.session, m.position, s.id, m.state, m.withheld > 0, m.sealed_content IS NULL FROM memories m \
     LEFT JOIN sessions s ON s.user_id = $1 AND s.no = m.session WHERE m.user_id = $1 AND m.seq = $2 AND m.id = $3";
/// Parameters $1 and $2 are the user and the memory's number.
static UPDATES: LazyLock<String> = LazyLock::new(|| updates("old", |at| format!("${}", at + 3)));

pub(super) async fn update(conn: &mut Conn, memory: &Memory, score: Option<&ScoreRecord>) -> Result<()> {
    let before = before(conn, memory).await?;
    let refs = refs(conn, memory, &before).await?;
    names::refuse_taken(conn, wanted([(memory, &refs, memory.seq.0)].into_iter())?).await?;
    let indexed = indexed(conn, memory, before.withheld).await?;
    let mut args = conn.args().with(memory.seq.0);
    push_updated(&mut args, &Stored::of_memory(memory, score, &refs), Some(&*conn.sealing()?))?;
    let (words, tokens) = indexed.map_or((None, 0), |indexed| (Some(indexed.words), indexed.tokens));
    let (words, tokens) = (args.push(words), args.push(tokens));
    let sets = format!("{}, indexed = ${words}::tsvector, tokens = ${tokens}", *UPDATES);
    conn.head.recall_changed();
    let altered = alter(conn, "updating a memory", (&sets, "m.seq = $2"), args).await?;
    if before.was_plain && memory.draft.metadata.sensitive {
        declared::seal_words_of(conn, memory.id).await?;
    }
    let rescued = before.state != MemoryState::Active && memory.state == MemoryState::Active;
    let kind = if rescued { ChangeKind::Restored } else { ChangeKind::Updated };
    changes::tell(conn, (kind, memory.updated_at), altered.iter().map(Told::from)).await
}

/// A memory's previous references and state.
struct Before {
    spot: Option<SessionSpot>,
    session_id: Option<String>,
    state: MemoryState,
    withheld: bool,
    was_plain: bool,
}

async fn before(conn: &mut Conn, memory: &Memory) -> Result<Before> {
    let args = conn.args().with(memory.seq.0).with(memory.id.0);
    conn.row("reading a memory's position", BEFORE, args, |row| {
        let c = &mut Cells::new(row);
        let spot = c.opt_int()?.zip(c.opt_int()?).map(|(session, position)| SessionSpot { session, position });
        Ok(Before {
            spot,
            session_id: c.opt_text()?,
            state: from_code(c.int()?)?,
            withheld: c.flag()?,
            was_plain: c.flag()?,
        })
    })
    .await?
    .ok_or_else(|| Error::memory_not_found(memory.id))
}

/// Returns the memory's references: the old position, unless it moved to another session.
async fn refs(conn: &mut Conn, memory: &Memory, before: &Before) -> Result<NameRefs> {
    let mut draft = memory.draft.clone();
    let stays = before.session_id == draft.session_id;
    if stays {
        draft.session_id = None;
    } else if before.spot.is_some() {
        name_refs::retain_positions(conn, vec![memory.seq.0]).await?;
    }
    let Seq(latest) = memory.seq;
    let mut refs = name_refs::resolve(conn, &[&draft], latest).await?.pop().unwrap_or_default();
    if stays {
        refs.spot = before.spot;
    }
    Ok(refs)
}

/// Computes the index columns; `None` if the memory does not belong in the index.
async fn indexed(conn: &Conn, memory: &Memory, withheld: bool) -> Result<Option<Indexed>> {
    let sealed = memory.draft.metadata.sensitive && conn.sealing()?.are_on();
    if memory.state == MemoryState::Deleted || withheld || sealed {
        return Ok(None);
    }
    Ok(index::of(conn, &[memory.draft.search_text().into_owned()]).await?.pop())
}
