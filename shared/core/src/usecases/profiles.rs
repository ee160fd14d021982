//! Writes and reads profiles: what is known about an entity, as a named record that keeps no versions.

use std::collections::{BTreeMap, BTreeSet};

use super::insights::{Withdrawn, has_room, list_kind, store};
use super::links::add;
use super::write_back::{DESCRIBE, Versioning, WriteBack};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Direction, Ending, Link, LinkDraft, Relation};
use crate::meditation::kinds::Making;
use crate::memory::{Creator, Memory, MemoryDraft, MemoryState, NIGHT, RecordKind, SourceType, Tier};
use crate::ports::{VaultReader, VaultTransaction};
use crate::reasoning::{Narrative, PROFILES};
use crate::tables::{TableRow as _, delete, find};
use crate::time::Timestamp;

/// Confidence of a profile.
const CONFIDENCE: f64 = 0.8;

/// A profile that a meditation or a person wrote.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// The record.
    pub(crate) memory: Memory,
    /// Its source records.
    pub(crate) rests_on: BTreeSet<MemoryId>,
    /// Whether it ended because too few facts were left.
    withdrawn: bool,
    /// Whether it ended like that once, even if a person made it hold again.
    pub(crate) ended_once: bool,
}

impl Written {
    /// Reads all profiles, in any state, except withheld ones.
    pub(crate) async fn read(reader: &mut dyn VaultReader) -> Result<Vec<Self>> {
        let mut memories = list_kind(reader, RecordKind::Profile).await?;
        memories.retain(|memory| memory.draft.name.as_deref().is_some_and(|name| name.starts_with(PROFILES)));
        if memories.is_empty() {
            return Ok(Vec::new());
        }
        let query = Link::of(memories.iter().map(|memory| memory.id), Direction::Out);
        let query = query.is("relation", Relation::DerivedFrom.name()).without(&["evidence"]);
        let mut links: BTreeMap<MemoryId, BTreeSet<MemoryId>> = BTreeMap::new();
        for link in find::<Link>(reader, &query).await? {
            links.entry(link.from).or_default().insert(link.to);
        }
        let withdrawn = Withdrawn::read(reader, &memories).await?;
        let written = |memory: Memory| Self {
            rests_on: links.remove(&memory.id).unwrap_or_default(),
            withdrawn: withdrawn.ended(&memory),
            ended_once: withdrawn.once(memory.id),
            memory,
        };
        Ok(memories.into_iter().map(written).collect())
    }

    /// Reports whether a meditation wrote it, and it holds.
    pub(crate) fn stands(&self, now: Timestamp) -> bool {
        self.memory.draft.is_concluded() && self.memory.state == MemoryState::Active && self.memory.holds_at(now)
    }

    /// Reports whether a person wrote, edited, ended, archived or deleted it. Then no
    /// meditation describes the same entity.
    pub(crate) fn is_decided(&self, now: Timestamp) -> bool {
        let put_aside = self.memory.state != MemoryState::Active;
        put_aside || !self.memory.draft.is_concluded() || !(self.withdrawn || self.memory.holds_at(now))
    }

    /// Reports whether a person decided about a profile of the same entity in a namespace, under whichever name.
    pub(crate) fn decides(&self, told: &Narrative, namespace: &str, now: Timestamp) -> bool {
        let of = |name: &String| self.memory.draft.name.as_deref() == Some(Narrative::record_of(name).as_str());
        let same =
            self.memory.draft.namespace == namespace && (self.is_of(told, namespace) || told.called.iter().any(of));
        same && self.is_decided(now)
    }

    /// Reports whether it is the record of this narrative in a namespace.
    pub(crate) fn is_of(&self, told: &Narrative, namespace: &str) -> bool {
        let name = Narrative::record_of(&told.subject);
        self.memory.draft.name.as_deref() == Some(name.as_str()) && self.memory.draft.namespace == namespace
    }
}

/// Returns the profile of an entity with this name, if it holds: as a meditation wrote it, or as a person edited it.
pub(crate) async fn profile_of(
    reader: &mut dyn VaultReader,
    (namespace, subject): (&str, &str),
    now: Timestamp,
) -> Result<Option<Memory>> {
    let Some(id) = reader.id_named(namespace, &Narrative::record_of(subject)).await? else { return Ok(None) };
    let memory = reader.memory(id).await?;
    Ok(memory.filter(|memory| memory.draft.was_concluded() && memory.holds_at(now)))
}

/// Returns those, by namespace and name of the entity, whose record name belongs to a record that no meditation wrote.
pub(crate) async fn taken(reader: &mut dyn VaultReader, of: &[(String, String)]) -> Result<BTreeSet<(String, String)>> {
    let mut taken = BTreeSet::new();
    for (namespace, subject) in of {
        let Some(id) = reader.id_named(namespace, &Narrative::record_of(subject)).await? else { continue };
        if !reader.memory(id).await?.is_some_and(|memory| memory.draft.is_concluded()) {
            taken.insert((namespace.clone(), subject.clone()));
        }
    }
    Ok(taken)
}

/// Writes a profile from these records: a new one, or over the existing one. Leaves a record of the same name that no meditation
/// wrote, and writes nothing where a person decided about any of `written` that is the same. Reports whether it wrote one.
pub(crate) async fn describe(
    tx: &mut dyn VaultTransaction,
    making: Making<'_>,
    (told, premises, written): (&Narrative, &[Memory], &[Written]),
    now: Timestamp,
) -> Result<bool> {
    let Ok(draft) = draft(making, told, premises).normalized("profile", making.defaults.draft_limits) else {
        return Ok(false);
    };
    let ids: Vec<MemoryId> = premises.iter().map(|premise| premise.id).collect();
    if !has_room(tx, &ids).await? {
        return Ok(false);
    }
    let decided = |one: &Written| one.decides(told, &draft.namespace, now);
    if written.iter().any(decided) {
        return Ok(false);
    }
    let name = Narrative::record_of(&told.subject);
    let id = match tx.id_named(&draft.namespace, &name).await? {
        Some(id) => {
            let before = tx.memory(id).await?.filter(|memory| memory.draft.is_concluded());
            let Some(before) = before else { return Ok(false) };
            rewrite(tx, making, (before, draft), now).await?;
            delete(tx, &Link::query().is("from_id", id).is("relation", Relation::DerivedFrom.name())).await?;
            delete(tx, &Ending::query().is("memory_id", id)).await?;
            id
        }
        None => match store(tx, making, draft, now).await? {
            Some(id) => id,
            None => return Ok(false),
        },
    };
    let link = |premise: &crate::reasoning::Premise| {
        let source = Some(SourceType::Inference);
        let draft = LinkDraft { source, ..LinkDraft::new(id, Relation::DerivedFrom, premise.memory) };
        Link { span: Some(premise.span.clone()), ..draft.into_link(now) }
    };
    add(tx, &told.premises.iter().map(link).collect::<Vec<_>>()).await?;
    Ok(true)
}

/// Writes over an earlier profile without keeping a version: the records that it no longer rests on may be forgotten,
/// and a version would still hold their words.
async fn rewrite(
    tx: &mut dyn VaultTransaction,
    making: Making<'_>,
    (before, draft): (Memory, MemoryDraft),
    now: Timestamp,
) -> Result<()> {
    let context = tx.write_context(None).await?;
    let versioning = Versioning { reason: None, discard: true };
    let write = WriteBack {
        action: DESCRIBE,
        now,
        ids: &**making.ids,
        defaults: making.defaults,
        caller: None,
        seals: false,
        names_consent: false,
        versioning: &versioning,
        trace: None,
    };
    let mut memory = Memory { draft, updated_at: now, revision: before.revision + 1, ..before.clone() };
    write.store(tx, &context, &before, &mut memory).await.map(drop)
}

fn draft(making: Making<'_>, told: &Narrative, premises: &[Memory]) -> MemoryDraft {
    let of = premises.first().map(|memory| memory.draft.clone()).unwrap_or_default();
    MemoryDraft {
        tier: Tier::LongTerm,
        content: told.text.clone(),
        created_by: Creator::System,
        consent: of.consent,
        namespace: of.namespace,
        consent_id: of.consent_id,
        kind: RecordKind::Profile,
        subject: Some(told.subject.clone()),
        confidence: Some(CONFIDENCE),
        source_type: Some(SourceType::Inference),
        source_ref: Some(format!("{NIGHT}{}", making.run)),
        name: Some(Narrative::record_of(&told.subject)),
        ..MemoryDraft::default()
    }
}
