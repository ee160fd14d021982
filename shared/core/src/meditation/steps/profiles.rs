//! `profiles`: describes entities about which enough is known, in sentences that each cite records (Y-7). A
//! description is rewritten when these records change, and ends when too little is known about the entity.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use async_trait::async_trait;

use super::reason::Evidence;
use super::{Change, Context, Kind, Reason, Reasoning, RetentionItem, Snapshot, Step};
use crate::entities::Entity;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::Subject;
use crate::meditation::kinds::{BYTES, Body, Stated, describing};
use crate::memory::{Memory, Tier};
use crate::reasoning::{Known, Narrative};
use crate::usecases::profiles::{Written, taken};

/// Most entities that a run describes, the most prominent first.
const ENTITIES: usize = 20;
/// Already described entities stay described while they are among this many of the most prominent.
const RETAINED: usize = 60;
/// Free bytes that the tier must have before a run writes descriptions.
const ROOM: u64 = 64 * 1024;

/// Describes entities.
#[derive(Clone, Copy, Debug)]
pub struct Profiles;

impl Profiles {
    /// The version of the rules. Raise it when their results change, so that evidence is read again.
    const RULES: i64 = 1;
}

#[async_trait]
impl Step for Profiles {
    fn name(&self) -> &'static str {
        "profiles"
    }

    fn rules(&self) -> Option<i64> {
        Reasoning.rules().map(|of_evidence| Self::RULES + 1_000 * of_evidence)
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let picture = context.picture;
        let now = Stated::by(picture.as_of);
        let all = context.read(|reader| Box::pin(async move { Written::read(reader).await })).await?;
        let (decided, written): (Vec<Written>, Vec<Written>) = all.into_iter().partition(|one| one.is_decided(now));
        let written: Vec<Written> = written.into_iter().filter(|one| one.stands(now)).collect();
        let evidence = Evidence::read(context, now).await?;
        let chosen = chosen(&evidence, &written);
        let memories = evidence.told(context, &chosen).await?;
        let known = Known::new(&evidence.graph, &memories, now);
        let told: BTreeMap<MemoryId, &Memory> = memories.iter().map(|memory| (memory.id, memory)).collect();
        let with_namespace = |told_of: Narrative| {
            let first = told.get(&told_of.premises.first()?.memory)?;
            Some((first.draft.namespace.clone(), told_of))
        };
        let told_of = chosen.iter().filter_map(|entity| known.narrative(entity));
        let mut narratives: ByNamespace = told_of.filter_map(with_namespace).collect();
        let mut changes = if evidence.is_whole { fallen(picture, &written, &narratives) } else { Vec::new() };
        // What a person decided about a description stays.
        narratives.retain(|(namespace, narrative)| !decided.iter().any(|one| one.decides(narrative, namespace, now)));
        if picture.active_bytes(Tier::LongTerm).saturating_add(ROOM) <= picture.settings.quota(Tier::LongTerm) {
            let new = unwritten(context, &written, narratives).await?;
            changes.extend(new.iter().map(|narrative| change(narrative, &told)));
        } else {
            context.leave_over();
        }
        if !evidence.is_whole {
            context.leave_over();
        }
        Ok(changes)
    }
}

/// Narratives, each with its namespace.
type ByNamespace = Vec<(String, Narrative)>;

/// Returns the most prominent entities, and the next ones that are already described.
fn chosen<'e>(evidence: &'e Evidence, written: &[Written]) -> Vec<&'e Entity> {
    let described: BTreeSet<&str> = written.iter().filter_map(|one| one.memory.draft.subject.as_deref()).collect();
    let ranked = evidence.graph.entities.iter().filter(|entity| !entity.kind.is_written()).enumerate();
    let is_described = |entity: &Entity| {
        [&entity.name].into_iter().chain(&entity.aliases).any(|name| described.contains(name.as_str()))
    };
    let chosen = ranked.take(RETAINED).filter(|(rank, entity)| *rank < ENTITIES || is_described(entity));
    chosen.map(|(_, entity)| entity).collect()
}

/// Ends descriptions of entities about which too little is known, or that are no longer prominent. Descriptions that a
/// person restored stay.
fn fallen(picture: &Snapshot, written: &[Written], narratives: &ByNamespace) -> Vec<Change> {
    let items: HashMap<MemoryId, &RetentionItem> = picture.items.iter().map(|item| (item.id, item)).collect();
    let stands = |one: &Written| narratives.iter().any(|(namespace, narrative)| one.is_of(narrative, namespace));
    let end = |one: &Written| {
        let item = items.get(&one.memory.id)?;
        Some(Change::of(item, Kind::Withdraw, Reason::PremiseGone, Body::default()))
    };
    written.iter().filter(|one| !stands(one) && !one.ended_once).filter_map(end).collect()
}

/// Returns the narratives that are not yet written in this form, and whose names are free.
async fn unwritten(context: &Context<'_>, written: &[Written], mut narratives: ByNamespace) -> Result<Vec<Narrative>> {
    narratives.retain(|(namespace, narrative)| {
        let same = |one: &Written| one.memory.draft.content == narrative.text && one.rests_on == narrative.rests_on();
        !written.iter().any(|one| one.is_of(narrative, namespace) && same(one))
    });
    let of = narratives.iter().map(|(namespace, narrative)| (namespace.clone(), narrative.subject.clone()));
    let of: Arc<Vec<(String, String)>> = Arc::new(of.collect());
    let read = context.read(move |reader| {
        let of = Arc::clone(&of);
        Box::pin(async move { taken(reader, &of).await })
    });
    let taken = read.await?;
    narratives.retain(|(namespace, narrative)| !taken.contains(&(namespace.clone(), narrative.subject.clone())));
    Ok(narratives.into_iter().map(|(_, narrative)| narrative).collect())
}

fn change(narrative: &Narrative, told: &BTreeMap<MemoryId, &Memory>) -> Change {
    let premises = narrative.premises.iter().filter_map(|premise| told.get(&premise.memory));
    let (subjects, bytes): (Vec<Subject>, Vec<u64>) =
        premises.map(|memory| (Subject { id: memory.id.0, seq: memory.seq }, memory.size_bytes)).unzip();
    let body = Body::default().whole(BYTES, bytes.iter().sum()).and(describing(narrative));
    Change { step: "", kind: Kind::Describe, subjects, reason: Reason::Told, body }
}
