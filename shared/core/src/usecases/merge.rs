//! Replaces several records that say the same by one, when a person applies that and when a meditation does. The
//! sources stay but no longer hold, and hold again once the merge is taken back.

use std::collections::BTreeSet;

use super::admission::Admission;
use super::covering::Covering;
use super::delete_memory::put_aside;
use super::embed_later;
use super::links::{add, supersede};
use super::prepared::Prepared;
use super::supersede::hold_again;
use super::support::{entry, may_store};
use super::unsummarize::is_edited;
use crate::access::Caller;
use crate::bounds::MAX_LINKS_PER_MEMORY;
use crate::error::{Error, Result};
use crate::ids::MemoryId;
use crate::links::{Direction, Ending, Link, LinkDraft, Relation};
use crate::memory::{Creator, Memory, MemoryDraft, MemoryState, SourceType};
use crate::merging::merged;
use crate::ports::{Ids, NewMemory, VaultReader, VaultTransaction, WriteContext};
use crate::scoring::Scorer;
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::tables::{TableRow as _, count, find};
use crate::time::Timestamp;

/// Action in the audit log.
const ACTION: &str = "memory.merge";
/// Records per query of links.
const AT_ONCE: usize = 512;
/// Links that a merge adds to each source.
const LINKS: u64 = 2;

/// A merge of records into one.
pub(crate) struct Merging<'w> {
    /// The records, oldest first.
    pub(crate) sources: &'w [Memory],
    /// The reason.
    pub(crate) why: &'w str,
    /// Time of the merge.
    pub(crate) now: Timestamp,
    /// Makes new ids.
    pub(crate) ids: &'w dyn Ids,
    /// The configured values.
    pub(crate) defaults: &'w ServerDefaults,
    /// The caller who applies it; `None` for a meditation.
    pub(crate) caller: Option<&'w Caller>,
    /// W3C trace context, passed on to the work that follows.
    pub(crate) traceparent: Option<&'w str>,
}

/// A merged record that may be stored in place of its sources.
pub(crate) struct Ready<'w> {
    merging: Merging<'w>,
    context: WriteContext,
    admission: Admission,
    new: NewMemory,
}

impl<'w> Merging<'w> {
    /// Stores the merged record, and ends its sources.
    pub(crate) async fn run(self, tx: &mut dyn VaultTransaction) -> Result<NewMemory> {
        self.ready(tx).await?.store(tx).await
    }

    /// Makes the merged record, and checks its consent and room. Every refusal comes here, before anything is written.
    pub(crate) async fn ready(self, tx: &mut dyn VaultTransaction) -> Result<Ready<'w>> {
        let context = tx.write_context(None).await?;
        let settings = EffectiveSettings::resolve(&context.settings.settings, self.defaults);
        let item = self.prepared()?;
        self.check_links(tx.as_reader()).await?;
        let covering = Covering::read(tx.as_reader(), &[&item.memory.draft], self.now).await?;
        let draft = covering.covered(item.memory.draft.clone(), "memory")?;
        let added = vec![(draft.tier, item.memory.size_bytes)];
        let weights = settings.weights.value;
        let admission = Admission::ask(tx, &context, settings, added).await?;
        let mut scorer = Scorer::new(&context.goals, weights, &[], self.now.start_of_hour());
        let new = item.scored(&mut scorer, draft);
        Ok(Ready { merging: self, context, admission, new })
    }

    fn prepared(&self) -> Result<Prepared> {
        let limits = self.defaults.draft_limits;
        let problem = "cannot be merged without losing content; call ListReviews for the current items";
        let draft = merged(self.sources, limits).ok_or_else(|| Error::conflict("id", problem))?;
        let draft = draft.normalized("memory", limits)?;
        may_store(self.caller, [&draft])?;
        Ok(Prepared::new(draft, MemoryId(self.ids.new_id(self.now)), self.now, self.caller))
    }

    async fn check_links(&self, reader: &mut dyn VaultReader) -> Result<()> {
        for source in self.sources {
            let all = count(reader, &Link::of([source.id], Direction::Both).with_withheld()).await?;
            if all + LINKS > MAX_LINKS_PER_MEMORY as u64 {
                return Err(Error::LimitReached { what: "links of a memory", limit: MAX_LINKS_PER_MEMORY });
            }
        }
        Ok(())
    }
}

impl Ready<'_> {
    /// Stores the merged record, and ends its sources.
    pub(crate) async fn store(self, tx: &mut dyn VaultTransaction) -> Result<NewMemory> {
        let Self { merging, context, admission, new } = self;
        let Merging { sources, now, ids, defaults, traceparent, .. } = merging;
        tx.insert_memories(std::slice::from_ref(&new)).await?;
        for source in sources {
            supersede(tx, (new.id, source.id), (merging.why, SourceType::Consolidation), now).await?;
        }
        let links: Vec<Link> = sources.iter().map(|source| made_of(new.id, source.id, now)).collect();
        add(tx, &links).await?;
        tx.audit(&entry(now, ACTION, Some(new.id.to_string()), sources.len() as u64)).await?;
        admission.follow_up(tx, ids, now, traceparent).await?;
        embed_later(tx, (ids, defaults), Some(&context.settings.settings), now, traceparent).await?;
        Ok(new)
    }
}

fn made_of(made: MemoryId, source: MemoryId, now: Timestamp) -> Link {
    let source_type = Some(SourceType::Consolidation);
    LinkDraft { source: source_type, ..LinkDraft::new(made, Relation::DerivedFrom, source) }.into_link(now)
}

/// Returns the links from merged records to these sources, in any state, withheld or not. A caller may make such a
/// link, too, so it counts only if the system made the record, and replaced the source by it at the same moment.
pub(super) async fn merges(reader: &mut dyn VaultReader, ids: &[MemoryId]) -> Result<Vec<Link>> {
    merges_that(reader, ids, |_| true).await
}

/// Returns those of these records that a merged record stands in for, unless that record was deleted.
pub(crate) async fn held_by_merges(reader: &mut dyn VaultReader, ids: &[MemoryId]) -> Result<BTreeSet<MemoryId>> {
    let mut held = BTreeSet::new();
    for ids in ids.chunks(AT_ONCE) {
        let links = merges_that(reader, ids, |made| made.state != MemoryState::Deleted).await?;
        held.extend(links.into_iter().map(|link| link.to));
    }
    Ok(held)
}

async fn merges_that(
    reader: &mut dyn VaultReader,
    ids: &[MemoryId],
    is: impl Fn(&Memory) -> bool + Send,
) -> Result<Vec<Link>> {
    let mut links = replacements(reader, ids).await?;
    if links.is_empty() {
        return Ok(links);
    }
    let from: Vec<MemoryId> = links.iter().map(|link| link.from).collect::<BTreeSet<_>>().into_iter().collect();
    let records = reader.records(&from).await?.into_iter().map(|record| record.memory);
    let made = records.filter(|memory| is_made(&memory.draft) && is(memory));
    let made: BTreeSet<MemoryId> = made.map(|memory| memory.id).collect();
    links.retain(|link| made.contains(&link.from));
    Ok(links)
}

/// Returns the links from records that were made of these and replaced them at the same moment.
pub(super) async fn replacements(reader: &mut dyn VaultReader, ids: &[MemoryId]) -> Result<Vec<Link>> {
    let of = |relation: Relation| {
        let query = Link::of(ids.iter().copied(), Direction::In).is("relation", relation.name());
        query.is("source", SourceType::Consolidation.name()).without(&["evidence"]).with_doomed()
    };
    let mut links = find::<Link>(reader, &of(Relation::DerivedFrom)).await?;
    if !links.is_empty() {
        let ending = find::<Link>(reader, &of(Relation::Supersedes)).await?;
        let moments: BTreeSet<_> = ending.iter().map(moment).collect();
        links.retain(|link| moments.contains(&moment(link)));
    }
    Ok(links)
}

/// Returns what a merge's two links to a source have in common.
const fn moment(link: &Link) -> (MemoryId, MemoryId, Timestamp) {
    (link.from, link.to, link.created_at)
}

/// Reports whether a record looks as merges make it, or as it does after an edit.
fn is_made(draft: &MemoryDraft) -> bool {
    let made = [SourceType::Consolidation, SourceType::Correction].map(Some);
    draft.created_by == Creator::System && made.contains(&draft.source_type)
}

/// Reports whether a merge made a record, whichever of its sources the caller reaches.
pub(super) async fn was_merged(reader: &mut dyn VaultReader, memory: &Memory) -> Result<bool> {
    let of = |relation: Relation| {
        let query = Link::of([memory.id], Direction::Out).is("relation", relation.name());
        query.is("source", SourceType::Consolidation.name()).with_doomed().whole()
    };
    Ok(is_made(&memory.draft)
        && count(reader, &of(Relation::DerivedFrom)).await? > 0
        && count(reader, &of(Relation::Supersedes)).await? > 0)
}

/// Makes the sources of merged records hold again, except those that are erased with them; returns them. A source that
/// was archived meanwhile becomes active, in place of the merged record.
pub(super) async fn release(
    tx: &mut dyn VaultTransaction,
    made: &BTreeSet<MemoryId>,
    erased: &BTreeSet<MemoryId>,
    now: Timestamp,
) -> Result<Vec<MemoryId>> {
    let mut released = Vec::new();
    let query = Link::of(made.iter().copied(), Direction::Out).is("relation", Relation::Supersedes.name());
    let query = query.is("source", SourceType::Consolidation.name()).with_withheld();
    for link in find::<Link>(tx.as_reader(), &query).await? {
        if !erased.contains(&link.to) && ended_by(tx, &link).await? {
            hold_again(tx, (link.from, link.to), (link.created_at, None), now).await?;
            bring_back(tx, link.to, now).await?;
            released.push(link.to);
        }
    }
    Ok(released)
}

/// Makes an archived record active again.
async fn bring_back(tx: &mut dyn VaultTransaction, id: MemoryId, now: Timestamp) -> Result<()> {
    let Some(mut memory) = tx.memory(id).await?.filter(|memory| memory.state == MemoryState::Archived) else {
        return Ok(());
    };
    memory.state = MemoryState::Active;
    (memory.archived_at, memory.delete_after) = (None, None);
    memory.revision += 1;
    tx.update_memory(&memory, None).await?;
    tx.audit(&entry(now, "memory.restore", Some(id.to_string()), 1)).await
}

/// Reports whether a record ends as a merge said, and nothing else has changed that since.
async fn ended_by(tx: &mut dyn VaultTransaction, link: &Link) -> Result<bool> {
    let Some(source) = tx.memory(link.to).await? else { return Ok(false) };
    let query = Ending::query().is("memory_id", link.to).is("at", link.created_at);
    let ending = find::<Ending>(tx.as_reader(), &query).await?.pop();
    Ok(ending.is_some_and(|ending| ending.until == source.draft.valid_to))
}

/// Reports whether a made record is unedited. A merged one may have ended with another merge that was taken back, so
/// its revision may be higher.
async fn is_as_made(reader: &mut dyn VaultReader, made: &Memory) -> Result<bool> {
    let merged = was_merged(reader, made).await?;
    Ok(made.revision == 1 || (merged && made.draft.valid_to.is_none() && !is_edited(made)))
}

/// Takes back a made record: deletes it, unless it was changed since. Returns the sources that hold again.
pub(super) async fn take_back(
    tx: &mut dyn VaultTransaction,
    made: MemoryId,
    (action, settings): (&'static str, &EffectiveSettings),
    now: Timestamp,
) -> Result<Vec<MemoryId>> {
    // If it was erased, nothing is left to do.
    let Some(mut made) = tx.memory(made).await? else { return Ok(Vec::new()) };
    match made.state {
        MemoryState::Deleted => {}
        MemoryState::Active if is_as_made(tx.as_reader(), &made).await? => {
            put_aside(tx, &mut made, now, settings).await?;
            tx.audit(&entry(now, action, Some(made.id.to_string()), 1)).await?;
        }
        _ => {
            let problem =
                "cannot be undone, because the merged memory was changed since; forget that memory if it is wrong";
            return Err(Error::conflict("id", problem));
        }
    }
    release(tx, &BTreeSet::from([made.id]), &BTreeSet::new(), now).await
}
