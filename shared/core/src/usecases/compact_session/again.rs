//! Summarizes older summaries again where a session has more than it keeps side by side: two neighbours become one,
//! which covers the turns of both.

use std::collections::HashMap;

use super::next::{Conversation, domain, made};
use super::work::Work;
use super::{Made, draft};
use crate::compacting::spoken::lines;
use crate::compacting::{Covers, Spoken, room, summarize as in_short};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Direction, Link};
use crate::memory::{ListOrder, Memory, RecordKind};
use crate::ports::VaultTransaction;
use crate::tables::find;
use crate::usecases::support::{entry, load};

/// Turns that one summary covers at most, as it has a link to each.
const MOST_TURNS: usize = 400;
/// Summaries of a session that are read at most, and their bytes.
const LOOKED_AT: usize = 256;
const MAX_BYTES: usize = 1024 * 1024;

/// A summary, and the turns that it covers.
struct Snapshot {
    covers: Covers,
    summary: Memory,
    turns: Vec<MemoryId>,
}

/// Joins neighbouring summaries with the same consent and sensitivity until no more than the configured number are left.
pub(super) async fn summarize(
    work: &Work,
    tx: &mut dyn VaultTransaction,
    (conversation, like): (&Conversation, &Memory),
    made: &mut Made,
) -> Result<()> {
    let most = work.defaults.compacting.snapshots;
    let mut snapshots = snapshots(tx, (conversation, like), most).await?;
    while snapshots.len() > most {
        let fit = |pair: &[Snapshot]| pair.iter().map(|one| one.turns.len()).sum::<usize>() <= MOST_TURNS;
        let Some(index) = snapshots.windows(2).position(fit) else { return Ok(()) };
        let second = snapshots.remove(index + 1);
        let first = snapshots.remove(index);
        let joined = join(work, tx, (first, second), made).await?;
        snapshots.insert(index, joined);
    }
    Ok(())
}

/// Returns the summaries of a conversation with the same consent and sensitivity, oldest first; none where there are not too many.
async fn snapshots(
    tx: &mut dyn VaultTransaction,
    (conversation, like): (&Conversation, &Memory),
    most: usize,
) -> Result<Vec<Snapshot>> {
    let filter = conversation.of(RecordKind::Summary);
    let found = tx.list(&filter, ListOrder::NewestFirst, None, LOOKED_AT, MAX_BYTES).await?;
    let mut alike: Vec<(Covers, Memory)> = found
        .into_iter()
        .filter(|summary| domain(summary) == domain(like))
        .filter_map(|summary| Some((Covers::of(&summary)?, summary)))
        .collect();
    if alike.len() <= most {
        return Ok(Vec::new());
    }
    alike.sort_by_key(|(covers, summary)| (*covers, summary.seq));
    let query = made(Link::of(alike.iter().map(|(_, summary)| summary.id), Direction::Out));
    let mut turns: HashMap<MemoryId, Vec<MemoryId>> = HashMap::new();
    for link in find::<Link>(tx.as_reader(), &query).await? {
        turns.entry(link.from).or_default().push(link.to);
    }
    let snapshot = |(covers, summary): (Covers, Memory)| {
        let turns = turns.remove(&summary.id).unwrap_or_default();
        Snapshot { covers, summary, turns }
    };
    Ok(alike.into_iter().map(snapshot).collect())
}

/// Replaces two summaries by one.
async fn join(
    work: &Work,
    tx: &mut dyn VaultTransaction,
    (first, second): (Snapshot, Snapshot),
    made: &mut Made,
) -> Result<Snapshot> {
    let limits = work.defaults.draft_limits;
    let both = [&first.summary.draft.content, &second.summary.draft.content];
    let said: Vec<Spoken<'_>> = both.into_iter().flat_map(|text| lines(text)).collect();
    let text = in_short(&said, draft::fitting(2 * room(&said), limits));
    let covers = first.covers.with(second.covers);
    let draft = draft::draft(&second.summary, covers, &text, limits)?;
    let turns = [first.turns, second.turns].concat();
    for old in [&first.summary, &second.summary] {
        tx.erase_memories(&[old.seq], work.now).await?;
        tx.audit(&entry(work.now, "conversation.uncompact", Some(old.id.to_string()), 1)).await?;
        made.summaries.retain(|id| *id != old.id);
        made.erased.push(old.id);
    }
    let (id, stored) = work.store(tx, draft, &turns).await?;
    made.summaries.push(id);
    made.stored.push(stored);
    Ok(Snapshot { covers, summary: load(tx, id).await?, turns })
}
