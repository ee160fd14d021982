//! `reason`: what follows about the most prominent entities is kept as insights (Y-7), and ends with what it rests on.
//!
//! What a night before concluded is not concluded again, nor what a person ended; so a night over unchanged memories makes nothing, and
//! one that was cut goes on. What this very night reads counts: it is read here as the steps before will note it.

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

/// Entities that a night concludes about.
const ENTITIES: usize = 5;
/// Room that the tier must have for what a night concludes.
const ROOM: u64 = 32 * 1024;

/// Concludes.
#[derive(Clone, Copy, Debug)]
pub struct Reasoning;

impl Reasoning {
    /// The version of the rules: raise it when what they conclude changes, so that evidence is read again.
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
            // Those that hold count: there are never more of one.
            let best = known.conclusions(entity).into_iter().take(MOST);
            changes.extend(best.filter_map(|one| change(&one, &told, &concluded, now)));
        }
        Ok(changes)
    }
}

/// The change that keeps a conclusion, unless it is known.
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

/// What is to end, as a premise fell: it is gone, deleted, sensitive, in another tier, or holds no longer. Not what a person brought back, or wrote over.
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

/// Those of the records that still stand for what was concluded from them.
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

/// Whether steps that note whom and what records name take part in the run.
fn reads(picture: &Snapshot) -> bool {
    ["entities", "link"].iter().all(|step| picture.steps.iter().any(|taking_part| taking_part == step))
}
