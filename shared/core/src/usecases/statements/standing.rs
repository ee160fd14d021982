//! Tells which spans of turns hold, from the records that state them. Nothing of it is stored.

use std::collections::HashMap;
use std::ops::Range;

use super::spans;
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::links::Direction;
use crate::memory::{Memory, MemoryFilter, MemoryState, RecordKind, SourceType};
use crate::ports::VaultReader;
use crate::time::Timestamp;

/// Most replacements that are followed from one record to the next.
const LONGEST_CHAIN: usize = 8;

/// What no longer holds of a memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::usecases) struct Standing {
    /// When the last of its ended statements ended.
    pub(in crate::usecases) ended_at: Option<Timestamp>,
    /// The records that hold instead.
    pub(in crate::usecases) superseded_by: Vec<MemoryId>,
    /// The byte ranges that ended; all of a record.
    pub(in crate::usecases) ended: Vec<Range<usize>>,
}

/// What memories state, and what of it no longer holds.
#[derive(Clone, Debug, Default)]
pub(in crate::usecases) struct Standings {
    /// Of the memories of which something no longer holds.
    pub(in crate::usecases) ended: HashMap<MemoryId, Standing>,
    /// For each turn the records that were learned from it, with the bytes that they state.
    pub(in crate::usecases) stated: HashMap<MemoryId, Vec<(Seq, Range<usize>)>>,
}

/// Returns what memories state, and what of it no longer holds at a time. A record's own end counts as the end of its
/// span. With `strict`, so does a beginning after that time.
pub(in crate::usecases) async fn standings(
    reader: &mut dyn VaultReader,
    memories: &[&Memory],
    (at, strict): (Timestamp, bool),
) -> Result<Standings> {
    let turns: Vec<MemoryId> =
        memories.iter().filter(|memory| memory.draft.kind == RecordKind::Turn).map(|memory| memory.id).collect();
    let Standings { ended: mut standings, mut stated } = Standings::default();
    let spans = if turns.is_empty() { Vec::new() } else { spans(reader, turns, Direction::In).await? };
    let stating: Vec<MemoryId> = spans.iter().map(|link| link.from).collect();
    let numbered = if stating.is_empty() { Vec::new() } else { reader.seqs(&stating).await? };
    let ended_records = ended(reader, &numbered, (at, strict)).await?;
    for link in &spans {
        let span = link.span.as_ref().map(|span| span.start as usize..span.end as usize).unwrap_or_default();
        if let Some((_, seq)) = numbered.iter().find(|(id, _)| *id == link.from) {
            stated.entry(link.to).or_default().push((*seq, span.clone()));
        }
        if let Some((id, until)) = ended_records.iter().find(|(id, _)| *id == link.from) {
            note(standings.entry(link.to).or_default(), *id, *until, span);
        }
    }
    for memory in memories.iter().filter(|memory| memory.draft.kind != RecordKind::Turn) {
        if let Some(until) = memory.draft.valid_to.filter(|until| *until <= at) {
            let whole = 0..memory.draft.content.len();
            note(standings.entry(memory.id).or_default(), memory.id, until, whole);
        }
    }
    for standing in standings.values_mut() {
        standing.superseded_by = replacing(reader, std::mem::take(&mut standing.superseded_by), at).await?;
    }
    Ok(Standings { ended: standings, stated })
}

/// Adds an ended span; keeps the record that stated it, to look for what replaced that.
fn note(standing: &mut Standing, stated_by: MemoryId, until: Timestamp, span: Range<usize>) {
    standing.ended_at = standing.ended_at.max(Some(until));
    standing.superseded_by.push(stated_by);
    standing.ended.push(span);
}

/// Returns the records that ended by a time, with their ends. Looks at the others only in what is cached.
async fn ended(
    reader: &mut dyn VaultReader,
    numbered: &[(MemoryId, Seq)],
    (at, strict): (Timestamp, bool),
) -> Result<Vec<(MemoryId, Timestamp)>> {
    if numbered.is_empty() {
        return Ok(Vec::new());
    }
    let seqs: Vec<_> = numbered.iter().map(|(_, seq)| *seq).collect();
    let states = vec![MemoryState::Active, MemoryState::Archived];
    let filter = MemoryFilter { states, valid_at: Some(at), ..MemoryFilter::default() };
    let holding: Vec<_> = reader.at_seqs(&seqs, &filter).await?.iter().map(|hit| hit.seq).collect();
    let rest: Vec<MemoryId> = numbered.iter().filter(|(_, seq)| !holding.contains(seq)).map(|(id, _)| *id).collect();
    if rest.is_empty() {
        return Ok(Vec::new());
    }
    let merged: Vec<MemoryId> = super::replacing(reader, rest.iter().copied())
        .await?
        .iter()
        .filter(|link| link.source == SourceType::Consolidation)
        .map(|link| link.to)
        .collect();
    let records = reader.records(&rest).await?.into_iter().map(|record| record.memory);
    let until = |memory: Memory| {
        let begins = memory.draft.valid_from.filter(|from| strict && *from > at);
        let end = memory.draft.valid_to.filter(|until| *until <= at).or(begins)?;
        // What was merged is said by another record now; it did not end.
        let ended = memory.state != MemoryState::Deleted && !memory.withheld && !merged.contains(&memory.id);
        ended.then_some((memory.id, end))
    };
    Ok(records.filter_map(until).collect())
}

/// Returns the records that hold instead of ended ones, found along `supersedes`.
async fn replacing(reader: &mut dyn VaultReader, mut ended: Vec<MemoryId>, at: Timestamp) -> Result<Vec<MemoryId>> {
    let mut holding: Vec<MemoryId> = Vec::new();
    for _ in 0..LONGEST_CHAIN {
        let newer: Vec<MemoryId> = super::replacing(reader, ended).await?.iter().map(|link| link.from).collect();
        if newer.is_empty() {
            break;
        }
        let records = reader.records(&newer).await?.into_iter().map(|record| record.memory);
        let (hold, gone): (Vec<Memory>, Vec<Memory>) = records
            .filter(|memory| memory.state != MemoryState::Deleted && !memory.withheld)
            .partition(|memory| memory.holds_at(at));
        holding.extend(hold.iter().map(|memory| memory.id));
        ended = gone.iter().map(|memory| memory.id).filter(|id| !holding.contains(id)).collect();
        if ended.is_empty() {
            break;
        }
    }
    holding.sort_unstable();
    holding.dedup();
    Ok(holding)
}
