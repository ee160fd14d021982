//! `reason`: stores conclusions about the most prominent entities as insights (Y-7), and ends them when a premise ends.
//!
//! Conclusions of earlier runs, and those that a person ended, are not made again. So a run over unchanged memories
//! makes nothing, and an interrupted run continues. Records that this very run reads count as well: they are read here
//! as the steps before will note them.

mod evidence;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;

pub(super) use self::evidence::Evidence;
pub use self::evidence::Shared;
use super::{Change, Context, Entities, Kind, Link, Reason, RetentionItem, Step};
use crate::entities::Entity;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::kinds::{Body, Stated, concluding};
use crate::meditation::{Snapshot, Subject};
use crate::memory::{InsightType, Memory, MemoryState, Tier};
use crate::reasoning::{Conclusion, Known, MOST};
use crate::time::Timestamp;
use crate::usecases::insights::{Concluded, premises};

/// Most entities that a run concludes about.
const ENTITIES: usize = 5;
/// Free bytes that the tier must have before a run concludes anything.
const ROOM: u64 = 32 * 1024;

/// Draws conclusions.
#[derive(Clone, Copy, Debug)]
pub struct Reasoning;

impl Reasoning {
    /// The version of the rules. Raise it when their results change, so that evidence is read again.
    const RULES: i64 = 1;
}

#[async_trait]
impl Step for Reasoning {
    fn name(&self) -> &'static str {
        "reason"
    }

    fn rules(&self) -> Option<i64> {
        Some(Self::RULES + 1_000 * (Entities::RULES + 1_000 * Link::RULES))
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let picture = context.picture;
        let now = Stated::by(picture.as_of);
        let concluded = context.read(|reader| Box::pin(async move { Concluded::read(reader).await })).await?;
        let mut changes = fallen(context, &concluded, now).await?;
        let held = picture.active_bytes(Tier::LongTerm).saturating_add(ROOM);
        if held > picture.settings.quota(Tier::LongTerm) {
            context.leave_over();
            return Ok(changes);
        }
        let evidence = Evidence::read(context, now).await?;
        if !evidence.is_whole {
            context.leave_over();
        }
        let prominent = evidence.graph.entities.iter().filter(|entity| !entity.kind.is_written()).take(ENTITIES);
        let prominent: Vec<&Entity> = prominent.collect();
        let memories = evidence.told(context, &prominent).await?;
        let known = Known::new(&evidence.graph, &memories, now);
        let told: BTreeMap<MemoryId, &Memory> = memories.iter().map(|memory| (memory.id, memory)).collect();
        for entity in prominent {
            // Valid conclusions count too, so that an entity never has more than this many.
            let best = known.conclusions(entity).into_iter().take(MOST);
            changes.extend(best.filter_map(|one| change(&one, &told, &concluded, now)));
        }
        Ok(changes)
    }
}

/// Returns the change that stores a conclusion, unless it is known.
fn change(
    conclusion: &Conclusion,
    told: &BTreeMap<MemoryId, &Memory>,
    concluded: &Concluded,
    now: Timestamp,
) -> Option<Change> {
    let premises: Vec<&&Memory> = conclusion.premises.iter().filter_map(|one| told.get(&one.memory)).collect();
    let namespace = premises.first()?.draft.namespace.as_str();
    if concluded.knows(namespace, conclusion, now) {
        return None;
    }
    let subjects = premises.iter().map(|memory| Subject { id: memory.id.0, seq: memory.seq }).collect();
    let reason = match conclusion.rule.insight_type() {
        InsightType::Deduction => Reason::Follows,
        InsightType::Induction => Reason::Recurs,
    };
    let body =
        Body::default().whole(crate::meditation::kinds::BYTES, premises.iter().map(|memory| memory.size_bytes).sum());
    Some(Change { step: "", kind: Kind::Conclude, subjects, reason, body: body.and(concluding(conclusion)) })
}

/// Returns the changes that end conclusions with a fallen premise: one that is erased, deleted, sensitive, withheld, in
/// another tier, or no longer holds. Conclusions that a person restored or rewrote stay.
async fn fallen(context: &Context<'_>, concluded: &Concluded, now: Timestamp) -> Result<Vec<Change>> {
    let items: HashMap<MemoryId, &RetentionItem> = context.picture.items.iter().map(|item| (item.id, item)).collect();
    let holds = |memory: &&Memory| {
        let stands = memory.state == MemoryState::Active && memory.holds_at(now);
        stands && memory.draft.is_concluded() && !concluded.withdrawn.once(memory.id)
    };
    let holding: Vec<&Memory> = concluded.all.iter().filter(holds).collect();
    let rests_on: BTreeSet<MemoryId> = holding.iter().flat_map(|memory| premises(memory)).copied().collect();
    let standing = standing(context, &items, &rests_on, now).await?;
    let fell = |memory: &&&Memory| premises(memory).iter().any(|premise| !standing.contains(premise));
    let change = |memory: &&Memory| {
        let item = items.get(&memory.id)?;
        Some(Change::of(item, Kind::Withdraw, Reason::PremiseGone, Body::default()))
    };
    Ok(holding.iter().filter(fell).filter_map(change).collect())
}

/// Returns the records that still support what was concluded from them.
async fn standing(
    context: &Context<'_>,
    items: &HashMap<MemoryId, &RetentionItem>,
    ids: &BTreeSet<MemoryId>,
    now: Timestamp,
) -> Result<BTreeSet<MemoryId>> {
    let there: Vec<&RetentionItem> = ids.iter().filter_map(|id| items.get(id).copied()).collect();
    let stands = |memory: &Memory| {
        memory.state != MemoryState::Deleted
            && memory.draft.tier == Tier::LongTerm
            && memory.holds_at(now)
            && !memory.draft.metadata.sensitive
            && !memory.withheld
    };
    let memories = evidence::memories(context, &there).await?;
    Ok(memories.into_iter().filter(stands).map(|memory| memory.id).collect())
}

/// Reports whether both steps that record names and relations take part in the run.
fn reads(picture: &Snapshot) -> bool {
    ["entities", "link"].iter().all(|step| picture.steps.iter().any(|taking_part| taking_part == step))
}
