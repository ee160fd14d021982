//! Stores the conclusions of meditations as records derived from their premises, and ends or erases them with those.

mod concluded;

use std::collections::BTreeSet;

use super::links::add;
use super::prepared::Prepared;
use super::store_conversation::StoreConversation;
use super::supersede::{earliest_end, set_end};
use super::support::entry;
use crate::bounds::{MAX_LINKS_PER_MEMORY, MAX_PAGE_BYTES, MAX_PAGE_SIZE};
use crate::error::{Error, Result};
use crate::ids::MemoryId;
use crate::links::{Direction, Ending, Link, LinkDraft, Relation};
use crate::meditation::kinds::Making;
use crate::memory::{
    Creator, Detail, InsightDetail, ListOrder, Memory, MemoryDraft, MemoryFilter, MemoryState, Metadata, NIGHT,
    RecordKind, SourceType, Tier,
};
use crate::ports::{ListKey, VaultReader, VaultTransaction};
use crate::reasoning::Conclusion;
use crate::settings::EffectiveSettings;
use crate::tables::{TableRow as _, count, delete, find, put};
use crate::time::Timestamp;

pub(crate) use concluded::{Concluded, Withdrawn};

/// Reason recorded when a meditation, or the end of a premise, ends a conclusion.
const WITHDRAWN: &str = "a premise is no longer valid";

/// Returns what meditations concluded from any of these records, withheld or not, including what a person edited.
pub(super) async fn concluded_from(reader: &mut dyn VaultReader, ids: &[MemoryId]) -> Result<BTreeSet<MemoryId>> {
    let query = Link::of(ids.iter().copied(), Direction::In).is("relation", Relation::DerivedFrom.name());
    let query = query.is("source", SourceType::Inference.name()).without(&["evidence"]).with_doomed();
    let from: BTreeSet<MemoryId> = find::<Link>(reader, &query).await?.into_iter().map(|link| link.from).collect();
    if from.is_empty() {
        return Ok(from);
    }
    let from: Vec<MemoryId> = from.into_iter().collect();
    let records = reader.records(&from).await?.into_iter().map(|record| record.memory);
    Ok(records.filter(|memory| memory.draft.was_concluded()).map(|memory| memory.id).collect())
}

/// Ends what was concluded from a record that no longer holds.
pub(super) async fn withdraw_resting(tx: &mut dyn VaultTransaction, id: MemoryId, now: Timestamp) -> Result<()> {
    for id in concluded_from(tx.as_reader(), &[id]).await? {
        let is_insight = |memory: &Memory| memory.draft.kind == RecordKind::Insight && memory.draft.is_concluded();
        if let Some(memory) = tx.memory(id).await?.filter(is_insight) {
            withdraw(tx, memory, now).await?;
        }
    }
    Ok(())
}

/// Makes conclusions hold again that ended with a record at `at`, where everything else that they rest on holds.
pub(super) async fn hold_resting(
    tx: &mut dyn VaultTransaction,
    (id, at): (MemoryId, Timestamp),
    now: Timestamp,
) -> Result<()> {
    for id in concluded_from(tx.as_reader(), &[id]).await? {
        let ended = Ending::query().is("memory_id", id).is("at", at);
        let found = find::<Ending>(tx.as_reader(), &ended).await?.into_iter().find(|ending| ending.why == WITHDRAWN);
        let Some((ending, before)) = found.zip(tx.memory(id).await?) else { continue };
        // Leave it alone if its end was changed since.
        let is_so = before.state == MemoryState::Active && before.draft.valid_to == ending.until;
        let Some(until) = holds_until(tx, premises(&before), now).await?.filter(|_| is_so) else { continue };
        set_end(tx, before, until, now).await?;
        delete(tx, &ended).await?;
        tx.audit(&entry(now, "memory.conclude", Some(id.to_string()), 1)).await?;
    }
    Ok(())
}

/// Returns until when all of these records are valid, if there are any and they are valid now.
async fn holds_until(
    tx: &mut dyn VaultTransaction,
    ids: &[MemoryId],
    now: Timestamp,
) -> Result<Option<Option<Timestamp>>> {
    let all: Vec<Memory> = tx.records(ids).await?.into_iter().map(|record| record.memory).collect();
    let holds = |memory: &Memory| {
        let hidden = memory.state == MemoryState::Deleted || memory.withheld || memory.draft.metadata.sensitive;
        !hidden && memory.holds_at(now)
    };
    let stands = !ids.is_empty() && all.len() == ids.len() && all.iter().all(holds);
    Ok(stands.then(|| all.iter().filter_map(|memory| memory.draft.valid_to).min()))
}

/// Ends a conclusion that holds; reports whether it did.
pub(crate) async fn withdraw(tx: &mut dyn VaultTransaction, before: Memory, now: Timestamp) -> Result<bool> {
    if before.state != MemoryState::Active || !before.holds_at(now) {
        return Ok(false);
    }
    let (id, until) = (before.id, now.max(earliest_end(&before).unwrap_or(now)));
    set_end(tx, before, Some(until), now).await?;
    put(tx, &[Ending { memory: id, at: now, until: Some(until), why: WITHDRAWN.to_owned() }]).await?;
    tx.audit(&entry(now, "memory.withdraw", Some(id.to_string()), 1)).await?;
    Ok(true)
}

/// Returns the premises of an insight.
pub(crate) fn premises(memory: &Memory) -> &[MemoryId] {
    match &memory.draft.detail {
        Some(Detail::Insight(insight)) => &insight.premises,
        _ => &[],
    }
}

/// Returns all records of a kind, in any state, except withheld ones.
pub(super) async fn list_kind(reader: &mut dyn VaultReader, kind: RecordKind) -> Result<Vec<Memory>> {
    let states = MemoryState::ALL.to_vec();
    let filter = MemoryFilter { kinds: vec![kind], states, any_time: true, ..MemoryFilter::default() };
    let (mut all, mut after): (Vec<Memory>, Option<ListKey>) = (Vec::new(), None);
    loop {
        let page = reader.list(&filter, ListOrder::OldestFirst, after, MAX_PAGE_SIZE, MAX_PAGE_BYTES).await?;
        let Some(last) = page.last() else { return Ok(all) };
        after = Some(ListKey { created_at: last.created_at, seq: last.seq });
        all.extend(page);
    }
}

/// Stores a conclusion from these records, in their order; `None` if there is no room for it, or it is out of bounds.
pub(crate) async fn store_conclusion(
    tx: &mut dyn VaultTransaction,
    making: Making<'_>,
    (conclusion, premises): (&Conclusion, &[&Memory]),
    now: Timestamp,
) -> Result<Option<MemoryId>> {
    let Ok(draft) = draft(making, conclusion, premises).normalized("insight", making.defaults.draft_limits) else {
        return Ok(None);
    };
    let ids: Vec<MemoryId> = premises.iter().map(|premise| premise.id).collect();
    if !has_room(tx, &ids).await? {
        return Ok(None);
    }
    let Some(id) = store(tx, making, draft, now).await? else { return Ok(None) };
    let link = |premise: &crate::reasoning::Premise| Link {
        span: Some(premise.span.clone()),
        ..LinkDraft {
            source: Some(SourceType::Inference),
            confidence: Some(conclusion.confidence),
            ..LinkDraft::new(id, Relation::DerivedFrom, premise.memory)
        }
        .into_link(now)
    };
    let links: Vec<Link> = conclusion.premises.iter().map(link).collect();
    add(tx, &links).await?;
    Ok(Some(id))
}

/// Stores what a meditation makes of records; `None` if there is no room, or their consent has ended.
pub(super) async fn store(
    tx: &mut dyn VaultTransaction,
    making: Making<'_>,
    draft: MemoryDraft,
    now: Timestamp,
) -> Result<Option<MemoryId>> {
    let context = tx.write_context(None).await?;
    let settings = EffectiveSettings::resolve(&context.settings.settings, making.defaults);
    let id = MemoryId(making.ids.new_id(now));
    let prepared = Prepared::new(draft, id, now, None);
    let held = context.usage.active_bytes(Tier::LongTerm).saturating_add(prepared.memory.size_bytes);
    if held > settings.quota(Tier::LongTerm) {
        return Ok(None);
    }
    let storing = StoreConversation {
        action: "memory.create",
        now,
        ids: making.ids,
        defaults: making.defaults,
        caller: None,
        traceparent: None,
    };
    match storing.run(tx, &context, &[prepared]).await {
        // The consent that covers the premises has ended.
        Err(Error::ConsentRequired { .. }) => Ok(None),
        stored => stored.map(|_| Some(id)),
    }
}

/// Reports whether each record has room for one more link.
pub(super) async fn has_room(tx: &mut dyn VaultTransaction, ids: &[MemoryId]) -> Result<bool> {
    for id in ids {
        let links = count(tx.as_reader(), &Link::of([*id], Direction::Both).with_withheld()).await?;
        if links >= MAX_LINKS_PER_MEMORY as u64 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Drafts the record that a conclusion becomes. It inherits namespace and consent, which are the same for all premises.
fn draft(making: Making<'_>, conclusion: &Conclusion, premises: &[&Memory]) -> MemoryDraft {
    let of = premises.first().map(|memory| memory.draft.clone()).unwrap_or_default();
    MemoryDraft {
        tier: Tier::LongTerm,
        content: conclusion.text.clone(),
        metadata: Metadata::default(),
        occurred_at: premises.iter().map(|memory| memory.occurred_at()).max(),
        created_by: Creator::System,
        consent: of.consent,
        namespace: of.namespace,
        consent_id: of.consent_id,
        kind: RecordKind::Insight,
        detail: Some(Detail::Insight(InsightDetail {
            insight_type: conclusion.rule.insight_type(),
            premises: conclusion.premises.iter().map(|premise| premise.memory).collect(),
        })),
        subject: Some(conclusion.subject.clone()),
        confidence: Some(conclusion.confidence),
        source_type: Some(SourceType::Inference),
        source_ref: Some(format!("{NIGHT}{}", making.run)),
        valid_from: conclusion.valid_from,
        valid_to: conclusion.valid_to,
        ..MemoryDraft::default()
    }
}
