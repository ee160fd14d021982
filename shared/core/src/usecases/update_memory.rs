//! Changes some fields of a memory, and with them its size, its score and its place in the quotas.

use std::sync::Arc;

use super::admission::Admission;
use super::attachments::seal::seal_later;
use super::covering::Covering;
use super::idempotency::{self, Key};
use super::support::{check_etag, entry, load, may_store};
use super::{App, embed_later};
use crate::access::Caller;
use crate::error::{Error, Result};
use crate::goals::Goal;
use crate::ids::{MemoryId, UserId};
use crate::meditation::ScoringItem;
use crate::memory::{Feedback, Memory, MemoryDraft, MemoryPatch, MemoryReceipt, MemoryState, Tier, size_bytes};
use crate::ports::{Ids, VaultTransaction};
use crate::scoring::{ScoreRecord, Scorer, Weights};
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::text::TextTraits;
use crate::time::Timestamp;

/// What to change.
#[derive(Clone, Debug)]
pub struct UpdateInput {
    /// The memory.
    pub id: MemoryId,
    /// The new values and which to take.
    pub patch: MemoryPatch,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

impl App {
    /// Changes an active or archived memory. What makes an active memory grow, or moves it to another tier, is held to
    /// the hard limit of its tier.
    pub async fn update_memory(&self, user: &UserId, input: UpdateInput) -> Result<MemoryReceipt> {
        let body = (input.id, &input.etag, &input.patch.values, input.patch.paths());
        let key = self.key(&input.request_id, "memory.update", &body)?;
        let trace = input.traceparent.clone();
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let (now, caller, seals) = (self.clock.now(), self.caller.clone(), self.seals());
        let work = Arc::new(Update { input, key, now, ids, defaults, caller, seals });
        let running = self.vaults.transact(user, "update_memory", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let (receipt, shares) = self.relieved(user, trace.as_deref(), running.await).await?;
        for (tier, share) in shares {
            self.observer.quota_usage(tier, share);
        }
        Ok(receipt)
    }
}

struct Update {
    input: UpdateInput,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
    caller: Option<Arc<Caller>>,
    /// Whether what is sensitive is sealed.
    seals: bool,
}

impl Update {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(MemoryReceipt, Vec<(Tier, f64)>)> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(receipt) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok((receipt, Vec::new()));
        }
        let before = load(tx, self.input.id).await?;
        check_etag(&self.input.etag, &before.etag())?;
        if before.state == MemoryState::Deleted {
            let allowed = "restore it first, or create a new one";
            return Err(Error::WrongState { id: before.id.to_string(), state: before.state, allowed });
        }
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        let weights = settings.weights.value;
        let mut memory = self.changed(&before)?;
        may_store(self.caller.as_deref(), [&memory.draft])?;
        memory.draft = self.covered(tx, &before.draft, memory.draft).await?;
        let admission = Admission::ask(tx, &context, settings, growth(&before, &memory)).await?;
        let score = self.rescored(tx, &before, &memory, &context.goals, weights).await?;
        if let Some(record) = &score {
            memory.score = record.score;
        }
        tx.update_memory(&memory, score.as_ref()).await?;
        if memory.draft.metadata.sensitive && !before.draft.metadata.sensitive {
            // Its text is sealed with this transaction, its attachments by a job behind it.
            seal_later(tx, (self.seals, self.ids.new_id(self.now)), self.now).await?;
        }
        tx.audit(&entry(self.now, "memory.update", Some(memory.id.to_string()), 1)).await?;
        let trace = self.input.traceparent.as_deref();
        admission.follow_up(tx, &*self.ids, self.now, trace).await?;
        let tools = (&*self.ids, &*self.defaults);
        embed_later(tx, tools, Some(&context.settings.settings), self.now, trace).await?;
        let receipt = memory.receipt();
        idempotency::remember(self.key.as_ref(), tx, &receipt, self.now).await?;
        Ok((receipt, admission.shares()))
    }

    /// The memory with the patch applied and what follows from its text computed anew.
    fn changed(&self, before: &Memory) -> Result<Memory> {
        let draft = self.input.patch.apply(&before.draft, self.defaults.draft_limits)?;
        let mut memory = Memory { draft, updated_at: self.now, revision: before.revision + 1, ..before.clone() };
        memory.size_bytes = size_bytes(&memory.draft);
        if self.input.patch.paths().contains(&"confidence") {
            memory.belief.rewrite(&memory.draft, before.created_at, self.now);
        }
        memory.draft.confidence = None;
        if feels_differently(&before.draft, &memory.draft) {
            memory.sentiment = memory.draft.sentiment();
        }
        if memory.draft.content != before.draft.content {
            memory.traits = TextTraits::of(&memory.draft.content);
        }
        Ok(memory)
    }

    /// The draft under the consent record that covers it now. Asked only if the change stores something that a consent is
    /// about: a thumbs up needs none. A record that was named must cover it; one that was not may give way to another.
    async fn covered(
        &self,
        tx: &mut dyn VaultTransaction,
        before: &MemoryDraft,
        after: MemoryDraft,
    ) -> Result<MemoryDraft> {
        let named = self.input.patch.paths().contains(&"consent_id");
        let asks = named || (after.metadata.sensitive && captures_differently(before, &after));
        if !asks {
            // True wherever there is a record, whatever was sent.
            return Ok(MemoryDraft { consent: after.consent || after.consent_id.is_some(), ..after });
        }
        if named && after.consent_id.is_none() && before.consent_id.is_some() && !after.metadata.sensitive {
            let problem = "is empty, but the memory was stored under a consent and stays under one, so that retracting it \
                           reaches the memory; name another active record, or delete the memory";
            return Err(Error::conflict("memory.consent_id", problem));
        }
        let covering = Covering::read(tx.as_reader(), &[&after], self.now).await?;
        if named || after.consent_id.is_none() {
            return covering.covered(after, "memory");
        }
        covering
            .covered(after.clone(), "memory")
            .or_else(|_| covering.covered(MemoryDraft { consent_id: None, ..after }, "memory"))
    }

    /// A new score, if what it is computed from has changed. Outcomes and accesses stay as they were.
    async fn rescored(
        &self,
        tx: &mut dyn VaultTransaction,
        before: &Memory,
        memory: &Memory,
        goals: &[Goal],
        weights: Weights,
    ) -> Result<Option<ScoreRecord>> {
        if !scores_differently(&before.draft, &memory.draft) {
            return Ok(None);
        }
        let stored = tx.records(&[memory.id]).await?.pop();
        let (helpful, unhelpful) = stored.map_or((0, 0), |record| (record.helpful, record.unhelpful));
        let tags = tx.tag_outcomes().await?;
        let item = ScoringItem {
            seq: memory.seq,
            content: memory.draft.content.clone(),
            tags: memory.draft.metadata.tags.clone(),
            sentiment: memory.sentiment,
            feedback: memory.draft.metadata.user_feedback.map(Feedback::valence),
            helpful,
            unhelpful,
            created_at: memory.created_at,
            last_seen_at: memory.last_seen_at,
            access_count: memory.access_count,
        };
        Ok(Some(Scorer::new(goals, weights, &tags, self.now.start_of_hour()).score(&item)))
    }
}

/// Whether a change touches what a consent is about: the text, or what its scope looks at.
fn captures_differently(before: &MemoryDraft, after: &MemoryDraft) -> bool {
    let about = |draft: &MemoryDraft| {
        let (sensitive, tags) = (draft.metadata.sensitive, draft.metadata.tags.clone());
        (draft.content.clone(), draft.attributes.clone(), sensitive, tags)
    };
    let names = |draft: &MemoryDraft| (draft.detail.clone(), draft.subject.clone(), draft.source_ref.clone());
    let place = |draft: &MemoryDraft| (draft.tier, draft.namespace.clone(), draft.session_id.clone());
    about(before) != about(after) || names(before) != names(after) || place(before) != place(after)
}

/// Whether a change touches what the sentiment is made of.
fn feels_differently(before: &MemoryDraft, after: &MemoryDraft) -> bool {
    before.content != after.content || before.emotion() != after.emotion()
}

fn scores_differently(before: &MemoryDraft, after: &MemoryDraft) -> bool {
    feels_differently(before, after)
        || before.metadata.tags != after.metadata.tags
        || before.metadata.user_feedback != after.metadata.user_feedback
}

/// Bytes that the change adds to a tier; nothing for an archived memory, which counts for no tier.
pub(super) fn growth(before: &Memory, after: &Memory) -> Vec<(Tier, u64)> {
    if after.state != MemoryState::Active {
        return Vec::new();
    }
    let held = if before.draft.tier == after.draft.tier { before.size_bytes } else { 0 };
    let added = after.size_bytes.saturating_sub(held);
    if added == 0 { Vec::new() } else { vec![(after.draft.tier, added)] }
}
