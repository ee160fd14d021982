//! Makes the change that an item proposes, or another one that is allowed, as the operation for that change does.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{memories, replaced, waiting};
use crate::access::{Caller, Operation};
use crate::boxed;
use crate::error::{Error, Result, StorageFailure};
use crate::ids::{MemoryId, UserId};
use crate::links::Link;
use crate::meditation::kinds::{Body, SALIENCE};
use crate::meditation::{Change, Kind, Reason, RetentionItem, Trigger};
use crate::memory::{Memory, SourceType, Tier};
use crate::ports::{NewMemory, VaultTransaction, WriteContext};
use crate::retention::{HALF_LIFE, Salience};
use crate::reviews::{Decided, Decision, Review, ReviewChange, ReviewId, ReviewKind};
use crate::settings::EffectiveSettings;
use crate::tables::put;
use crate::time::Timestamp;
use crate::usecases::archive_now::Archiving;
use crate::usecases::core_memory::may_change;
use crate::usecases::create_memories::Created;
use crate::usecases::idempotency::{self, Key};
use crate::usecases::links::{keep_both, supersede};
use crate::usecases::merge::Merging;
use crate::usecases::promote_memories::Promoted;
use crate::usecases::statements::put_all_aside;
use crate::usecases::support::entry;
use crate::usecases::{App, embed_later};

/// Action in the audit log.
const ACTION: &str = "review.apply";

/// A change to apply.
#[derive(Clone, Debug, Serialize)]
pub struct ApplyInput {
    /// The item.
    pub id: ReviewId,
    /// The change; the proposed one if `None`.
    pub choice: Option<ReviewChange>,
    /// Makes the write idempotent; empty for none.
    #[serde(skip)]
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    #[serde(skip)]
    pub traceparent: Option<String>,
}

/// Result of applying a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// The change that was made.
    pub change: ReviewChange,
    /// The memory that changed or was made; `None` where both hold.
    pub changed: Option<MemoryId>,
}

impl App {
    /// Applies a change to an item that waits, in one transaction.
    #[boxed]
    pub async fn apply_review(&self, user: &UserId, input: ApplyInput) -> Result<Applied> {
        let key = self.key(&input.request_id, ACTION, &input)?;
        let first = input.id.first;
        let now = self.clock.now();
        let found = self.waiting_merge(user, input.id, now).await?;
        let work = Arc::new(Apply { input, key, found, now, app: self.clone() });
        let trace = work.input.traceparent.clone();
        let running = self.vaults.transact_existing(user, "apply_review", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let done = self.relieved(user, trace.as_deref(), running.await).await?;
        let (applied, effect) = done.ok_or_else(|| Error::memory_not_found(first))?;
        match effect {
            Some(Effect::Promoted(created)) => self.note_created(&created),
            Some(Effect::Merged(new)) => self.observer.created(new.draft.tier, 1),
            Some(Effect::Forgotten(tier)) => self.observer.deleted(tier, 1),
            None => {}
        }
        Ok(applied)
    }
}

/// A record that was made, or the tier of one that was deleted.
enum Effect {
    Promoted(Created),
    Merged(Box<NewMemory>),
    Forgotten(Tier),
}

struct Apply {
    input: ApplyInput,
    key: Option<Key>,
    /// The merge, if the item is one.
    found: Option<Review>,
    now: Timestamp,
    app: App,
}

impl Apply {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(Applied, Option<Effect>)> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(answer) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok((answer, None));
        }
        let (id, now) = (self.input.id, self.now);
        let (review, link) = waiting(tx, &id, self.found.as_ref(), now).await?;
        let change = self.chosen(&review)?;
        let until = match (id.kind, ending(&review, change)) {
            (ReviewKind::Replaced, _) => review.memories.first().and_then(|old| old.draft.valid_to),
            (_, ending) => ending.and_then(|(_, lost)| lost.draft.valid_to),
        };
        let (changed, effect) = match change {
            ReviewChange::Promote => {
                let created = self.promote(tx, &review).await?;
                (created.first(), Some(Effect::Promoted(created)))
            }
            ReviewChange::Merge => {
                let new = self.merge(tx, &review).await?;
                (Some(new.id), Some(Effect::Merged(Box::new(new))))
            }
            _ => {
                let changed = self.carry_out(tx, &context, (&review, link), change).await?;
                let tier = review.memories.first().filter(|_| change == ReviewChange::Forget);
                (changed, tier.map(|memory| Effect::Forgotten(memory.draft.tier)))
            }
        };
        let after = memories(tx, &id).await?;
        put(tx, &[Decision { until, ..Decision::about(id, Decided::Applied(change), &after, now) }]).await?;
        tx.audit(&entry(now, ACTION, Some(id.first.to_string()), 1)).await?;
        let trace = self.input.traceparent.as_deref();
        embed_later(tx, (&*self.app.ids, &*self.app.defaults), Some(&context.settings.settings), now, trace).await?;
        let answer = Applied { change, changed };
        idempotency::remember(self.key.as_ref(), tx, &answer, now).await?;
        Ok((answer, effect))
    }

    /// Returns the change to make; fails if the kind does not allow it, or the caller may not make it.
    fn chosen(&self, review: &Review) -> Result<ReviewChange> {
        let (kind, change) = (review.id.kind, self.input.choice.unwrap_or(review.proposes));
        if !kind.changes().contains(&change) {
            let allowed = kind.changes().iter().map(|one| one.name()).collect::<Vec<_>>().join(", ");
            return Err(Error::invalid("choice", format!("is {change}; {allowed} are allowed for this kind")));
        }
        let removes = matches!(change, ReviewChange::Archive | ReviewChange::Forget);
        let may = |caller: &Arc<Caller>| !removes || caller.grant.allows(Operation::Delete);
        if !self.app.caller.as_ref().is_none_or(may) {
            return Err(Error::Denied);
        }
        for memory in &review.memories {
            may_change(&memory.draft, None, self.app.caller.as_deref())?;
        }
        Ok(change)
    }

    /// Makes the record that the item's records are promoted to.
    async fn promote(&self, tx: &mut dyn VaultTransaction, review: &Review) -> Result<Created> {
        let draft = review.makes(self.app.defaults.draft_limits);
        let draft = draft.ok_or_else(|| Error::storage(StorageFailure::Defect, "a promotion makes nothing"))?;
        let (reason, traceparent) = (review.reason.clone(), self.input.traceparent.clone());
        let promoted = Promoted { sources: &review.memories, draft, reason, now: self.now, traceparent };
        self.app.prepare_promotion(promoted, None)?.run(tx).await
    }

    /// Merges the item's records into one.
    async fn merge(&self, tx: &mut dyn VaultTransaction, review: &Review) -> Result<NewMemory> {
        let merging = Merging {
            sources: &review.memories,
            why: &review.reason,
            now: self.now,
            ids: &*self.app.ids,
            defaults: &self.app.defaults,
            caller: self.app.caller.as_deref(),
            traceparent: self.input.traceparent.as_deref(),
        };
        merging.run(tx).await
    }

    async fn carry_out(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        (review, link): (&Review, Option<Link>),
        change: ReviewChange,
    ) -> Result<Option<MemoryId>> {
        let now = self.now;
        if let (ReviewKind::Replaced, Some(link)) = (review.id.kind, &link) {
            return replaced::take_back(tx, (review, link), change, now).await;
        }
        if let Some((kept, lost)) = ending(review, change) {
            return Ok(supersede(tx, (kept.id, lost.id), ("", SourceType::UserResolved), now)
                .await?
                .ended
                .map(|(id, _)| id));
        }
        if let Some(link) = link {
            keep_both(tx, "", link, now).await?;
            return Ok(None);
        }
        let Some(mut memory) = review.memories.first().cloned() else { return Ok(None) };
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.app.defaults);
        match change {
            ReviewChange::Archive => self.archive(tx, context, &settings, &memory).await?,
            ReviewChange::Forget => {
                drop(put_all_aside(tx, &mut memory, (ACTION, &settings, &*self.app.ids), now).await?);
            }
            _ => {
                memory.belief.verify(memory.created_at, now);
                let verified = Memory { updated_at: now, revision: memory.revision + 1, ..memory.clone() };
                tx.update_memory(&verified, None).await?;
            }
        }
        Ok(Some(memory.id))
    }

    async fn archive(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        settings: &EffectiveSettings,
        memory: &Memory,
    ) -> Result<()> {
        let (now, ids) = (self.now, Arc::clone(&self.app.ids));
        let archiving =
            Archiving { trigger: Trigger::Request, step: "forget", settings, usage: context.usage.clone(), now, ids };
        let numbers = Body::default().part(SALIENCE, Salience::of(memory, HALF_LIFE, now).value);
        let change = Change::of(&RetentionItem::of(memory), Kind::Archive, Reason::LowSalience, numbers);
        let done = archiving.carry_out(tx, vec![change]).await?;
        if done.is_empty() {
            let problem = "cannot be archived in its present state; call ListReviews for the current items";
            return Err(Error::conflict("id", problem));
        }
        Ok(())
    }
}

/// Returns the memory that stays valid, and the one that ends.
fn ending(review: &Review, change: ReviewChange) -> Option<(&Memory, &Memory)> {
    let (first, second) = (review.memories.first()?, review.memories.last()?);
    match change {
        ReviewChange::KeepFirst => Some((first, second)),
        ReviewChange::KeepSecond => Some((second, first)),
        _ => None,
    }
}
