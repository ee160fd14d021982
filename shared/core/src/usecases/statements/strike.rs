//! Carries out what was found: puts copies aside or leaves them to be erased, and strikes the rest from longer texts.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::super::delete_memory::put_aside;
use super::super::support::{entry, load};
use super::super::unsummarize::{Other, unsummarize};
use super::copies::is_alike;
use super::{Copies, ends, forgotten};
use crate::context::HandedOut;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::Link;
use crate::meditation::kinds::forget;
use crate::memory::{Memory, MemoryState};
use crate::ports::{Ids, VaultTransaction};
use crate::settings::EffectiveSettings;
use crate::statements::{Recognizer, Struck, Was, without};
use crate::tables::{TableRow as _, delete, find, put};
use crate::text::TextTraits;
use crate::time::Timestamp;

/// Action in the audit log: the copies of what was forgotten, by id.
const ACTION: &str = "memory.forget_copies";
/// Most originals that are compared.
const ORIGINALS: usize = 10_000;
/// States of the copies that are put aside.
const LIVE: &[MemoryState] = &[MemoryState::Active, MemoryState::Archived];

/// What goes with forgotten memories. Stored for replays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Along {
    /// Copies that went as a whole.
    #[serde(default)]
    pub also_forgotten: Vec<MemoryId>,
    /// Memories of which a part was struck; the rest stays.
    #[serde(default)]
    pub struck: Vec<MemoryId>,
    /// Memories that name the same and stay, at most [`MAX_STILL_MENTIONS`](crate::bounds::MAX_STILL_MENTIONS).
    #[serde(default)]
    pub still_mentions: Vec<MemoryId>,
}

impl Along {
    /// What would go with a deletion.
    pub(in crate::usecases) async fn of(reader: &mut dyn crate::ports::VaultReader, id: MemoryId) -> Result<Self> {
        Ok(Self::from(&Copies::of(reader, &[id], LIVE).await?))
    }
}

impl From<&Copies> for Along {
    fn from(copies: &Copies) -> Self {
        Self {
            also_forgotten: copies.whole.iter().copied().collect(),
            struck: copies.spans.keys().copied().collect(),
            still_mentions: copies.mentions.clone(),
        }
    }
}

/// Deletes a memory that is not deleted yet, with all copies of what it states, until its grace ends.
pub(in crate::usecases) async fn put_all_aside(
    tx: &mut dyn VaultTransaction,
    memory: &mut Memory,
    (action, settings, ids): (&'static str, &EffectiveSettings, &dyn Ids),
    now: Timestamp,
) -> Result<Along> {
    let copies = Copies::of(tx.as_reader(), &[memory.id], LIVE).await?;
    let by = forgotten::made(tx, ids, now).await?;
    forgotten::note(tx, &by, (&memory.draft, None), now).await?;
    put_aside(tx, memory, now, settings).await?;
    ends::release(tx, memory.id, now).await?;
    tx.audit(&entry(now, action, Some(memory.id.to_string()), 1)).await?;
    let (cause, mut along, mut went) = (memory.id, Along::from(&copies), Vec::new());
    for id in &copies.whole {
        // It may have been made of another one, and be erased with that.
        let Some(mut copy) = tx.memory(*id).await?.filter(|copy| LIVE.contains(&copy.state)) else { continue };
        forgotten::note(tx, &by, (&copy.draft, None), now).await?;
        put_aside(tx, &mut copy, now, settings).await?;
        ends::release(tx, copy.id, now).await?;
        put(tx, &[Struck { cause, memory: *id, was: Was::Whole, at: now }]).await?;
        went.push(*id);
    }
    along.also_forgotten = went;
    along.struck = strike(tx, &copies, (&by, Some(cause)), now).await?;
    audit(tx, &copies, now).await?;
    Ok(along)
}

/// Strikes what memories state from longer texts, and keeps no original. The caller erases the copies that go as a whole.
pub(in crate::usecases) async fn strike_for_good(
    tx: &mut dyn VaultTransaction,
    asked: &[MemoryId],
    ids: &dyn Ids,
    now: Timestamp,
) -> Result<(Along, BTreeSet<MemoryId>)> {
    let mut copies = Copies::of(tx.as_reader(), asked, MemoryState::ALL).await?;
    // Copies that an earlier deletion put aside go, too.
    for row in
        find::<Struck>(tx.as_reader(), &Struck::query().among(&["cause", "memory_id"], asked.iter().copied())).await?
    {
        if row.was == Was::Whole {
            copies.whole.extend([row.cause, row.memory]);
        }
    }
    copies.whole.retain(|id| !asked.contains(id));
    copies.spans.retain(|id, _| !copies.whole.contains(id));
    let by = forgotten::made(tx, ids, now).await?;
    for id in asked.iter().chain(&copies.whole) {
        if let Some(memory) = tx.memory(*id).await? {
            forgotten::note(tx, &by, (&memory.draft, None), now).await?;
        }
    }
    let mut along = Along::from(&copies);
    along.struck = strike(tx, &copies, (&by, None), now).await?;
    drop_originals(tx, &copies).await?;
    audit(tx, &copies, now).await?;
    Ok((along, copies.whole))
}

/// Drops originals of the same statements that deletions of something else hold.
async fn drop_originals(tx: &mut dyn VaultTransaction, copies: &Copies) -> Result<()> {
    for row in find::<Struck>(tx.as_reader(), &Struck::query().with_withheld().at_most(ORIGINALS)).await? {
        let (Was::Text { text, .. } | Was::Quote { text, .. }) = &row.was else { continue };
        let said: Vec<_> = copies.said.iter().filter(|said| said.statement.is_within(text)).collect();
        if said.is_empty() {
            continue;
        }
        let of = tx.memory(row.memory).await?;
        if of.is_none_or(|of| said.iter().any(|said| matches!(row.was, Was::Quote { .. }) || is_alike(&said.by, &of))) {
            delete(tx, &row.named().with_withheld()).await?;
        }
    }
    Ok(())
}

async fn audit(tx: &mut dyn VaultTransaction, copies: &Copies, now: Timestamp) -> Result<()> {
    let ids: Vec<String> = copies.ids().map(|id| id.to_string()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    tx.audit(&entry(now, ACTION, Some(ids.join(" ")), ids.len() as u64)).await
}

/// Strikes parts of memories and empties quotes; for a cause, the originals are stored. Returns the memories.
async fn strike(
    tx: &mut dyn VaultTransaction,
    copies: &Copies,
    (by, cause): (&Recognizer, Option<MemoryId>),
    now: Timestamp,
) -> Result<Vec<MemoryId>> {
    let mut struck = Vec::new();
    for (id, ranges) in &copies.spans {
        if tx.memory(*id).await?.is_none() {
            continue;
        }
        unsummarize(tx, *id, Other::Edited, now).await?;
        let mut before = load(tx, *id).await?;
        forgotten::note(tx, by, (&before.draft, Some(ranges)), now).await?;
        let rows: Vec<Struck> = cause.map(|cause| originals(cause, &before, ranges, now)).unwrap_or_default();
        let content = without(&before.draft.content, ranges);
        put(tx, &rows).await?;
        forgotten::mark_sent(&mut before.draft, by);
        rewrite(tx, before, content, now).await?;
        struck.push(*id);
    }
    for quote in &copies.quotes {
        empty(tx, quote, cause, now).await?;
    }
    Ok(struck)
}

fn originals(cause: MemoryId, memory: &Memory, ranges: &[Range<usize>], at: Timestamp) -> Vec<Struck> {
    let text = |range: &Range<usize>| {
        let text = memory.draft.content.get(range.clone())?.to_owned();
        Some(Struck { cause, memory: memory.id, was: Was::Text { start: range.start, text }, at })
    };
    ranges.iter().filter_map(text).collect()
}

/// Stores a content of the same length, and drops all that was derived from the old one.
pub(super) async fn rewrite(
    tx: &mut dyn VaultTransaction,
    before: Memory,
    content: String,
    now: Timestamp,
) -> Result<()> {
    let mut memory = before;
    memory.draft.content = content;
    memory.sentiment = memory.draft.sentiment();
    memory.traits = TextTraits::of(&memory.draft.content);
    memory.updated_at = now;
    memory.revision += 1;
    forget(tx, memory.id).await?;
    delete(tx, &HandedOut::query().is("memory_id", memory.id)).await?;
    tx.update_memory(&memory, None).await
}

/// Empties the quote of a link, unless the link went.
async fn empty(tx: &mut dyn VaultTransaction, quote: &Link, cause: Option<MemoryId>, at: Timestamp) -> Result<()> {
    let Some(link) = find::<Link>(tx.as_reader(), &Link::named(quote.key())).await?.pop() else { return Ok(()) };
    if let (Some(cause), Some(text)) = (cause, link.evidence.clone())
        && cause != link.from
    {
        put(tx, &[Struck { cause, memory: link.from, was: Was::Quote { of: link.to, text }, at }]).await?;
    }
    put(tx, &[Link { evidence: None, ..link }]).await
}
