//! New memories.

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::memory::SCHEMA_VERSION;
use kimberly_core::ports::NewMemory;

use super::places;
use super::{changes, memory_row, repeated};
use crate::chunks::chunks;
use crate::places::Place;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::reader::counters;
use crate::sqlite::rows::{DRAFT_COLUMNS, Texts, push_memory_values};

/// A new memory is active, never seen, helpful to none, of revision 1, and to be scored by the next meditation.
const ROW: (usize, &str) = (13, "0,0,-1,0,0,0,0,1,?");

pub(super) async fn insert(conn: &mut Conn, memories: &[NewMemory]) -> Result<Vec<Seq>> {
    if memories.is_empty() {
        return Ok(Vec::new());
    }
    let first = next_seq(conn).await?;
    let places = places::resolve(conn, memories, first).await?;
    let numbered: Vec<_> = memories.iter().zip(places).zip(first..).collect();
    for chunk in chunks(&numbered) {
        insert_chunk(conn, chunk).await?;
    }
    let last = first + i64::try_from(memories.len()).unwrap_or(i64::MAX) - 1;
    conn.notes.next_seq = Some(last + 1);
    conn.notes.add_unindexed(first, last);
    Ok((first..=last).map(Seq).collect())
}

pub(super) async fn next_seq(conn: &mut Conn) -> Result<i64> {
    if conn.notes.next_seq.is_none() {
        counters(conn).await?;
    }
    conn.notes.next_seq.ok_or_else(|| errors::corrupt("the number of memories is unknown"))
}

async fn insert_chunk(conn: &mut Conn, chunk: &[((&NewMemory, Place), i64)]) -> Result<()> {
    let sql = format!(
        "INSERT INTO memories (seq, id, session, position, speaker, speaker_name, created_at, updated_at, \
         last_seen_at, score, score_record, namespace, consent_no, {DRAFT_COLUMNS}, withheld, state, epoch, life, helpful, unhelpful, access_count, \
         revision, schema_version) VALUES {}{}",
        repeated(&memory_row(ROW.0, ROW.1), chunk.len()),
        changes::CREATED
    );
    let mut args = Args::new();
    for ((memory, place), seq) in chunk {
        args.push(*seq);
        args.push(memory.id.0.as_bytes().to_vec());
        args.push(place.spot.map(|spot| spot.session));
        args.push(place.spot.map(|spot| spot.position));
        args.push(place.speaker);
        args.push(place.speaker_name.clone());
        for _ in 0..3 {
            args.push(memory.created_at.0);
        }
        args.push(memory.score.score);
        args.push(memory.score.to_compact());
        args.push(place.namespace);
        args.push(place.consent);
        let texts = Texts::of(memory.id, &memory.draft, conn.seals.as_deref())?;
        push_memory_values(&mut args, (&memory.draft, texts), memory.traits, memory.sentiment, memory.size_bytes);
        args.push(SCHEMA_VERSION);
    }
    if let [((memory, _), first), ..] = chunk {
        let last = first + i64::try_from(chunk.len()).unwrap_or(i64::MAX) - 1;
        changes::push_created(&mut args, memory.created_at, *first, last);
    }
    conn.run("inserting memories", sql, args).await?;
    Ok(())
}
