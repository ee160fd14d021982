//! Carries out the decisions of a plan in batches.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::load::Recorded;
use super::{Runner, still_ours};
use crate::entities::Graph;
use crate::error::Result;
use crate::ids::Seq;
use crate::meditation::fingerprint::made;
use crate::meditation::kinds::{Applying, Effect, Making, carry_out, standing};
use crate::meditation::schedule::entry;
use crate::meditation::{Change, Fingerprint, Kind, Meditation, Plan, Subject, Trigger};
use crate::memory::{Memory, MemoryState, Tier};
use crate::ports::{Ids, Observer, VaultTransaction};
use crate::retention::PruneBudget;
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::{Span, Timestamp};
use crate::usecases::embed_later;

/// Most memories per transaction, unless a single decision has more.
const BATCH: usize = 128;
/// Most bytes of memories per transaction, likewise.
const BATCH_BYTES: u64 = 128 * 1024;
/// Spares that a run records; a dry run shows all of them.
const RECORDED_SPARES: usize = 128;

impl Runner<'_> {
    /// Carries out a plan, except for what was recorded before. Returns the fingerprints of the steps whose changes all
    /// took effect; `None` if another worker has the run by now.
    pub(super) async fn apply(
        &self,
        run: &Meditation,
        settings: &EffectiveSettings,
        plan: Plan,
        recorded: &Recorded,
    ) -> Result<Option<Vec<Fingerprint>>> {
        let Plan { mut decisions, graph, mut read, .. } = plan.without(&recorded.all);
        limit_spares(run.trigger, recorded.spares, &mut decisions);
        for planned in batches(&decisions) {
            let at = self.clock.now();
            let batch = Arc::new(Batch {
                run: run.clone(),
                decisions: planned.to_vec(),
                at,
                grace: settings.grace.value,
                cap: settings.daily_prune_cap.value,
                ids: Arc::clone(self.ids),
                defaults: Arc::clone(self.defaults),
                graph: graph.clone(),
            });
            let store = self.vaults.transact(self.user, "meditation.apply", move |tx| {
                let batch = Arc::clone(&batch);
                Box::pin(async move { batch.carry_out(tx).await })
            });
            let Some(carried_out) = store.await? else { return Ok(None) };
            observe(self.observer, &carried_out);
            let of_step = |changes: &[Change], step: &str| changes.iter().filter(|change| change.step == step).count();
            read.retain(|one| of_step(&carried_out, &one.step) == of_step(planned, &one.step));
        }
        Ok(Some(read))
    }

    /// Returns the fingerprints, with `made` set from the vault as the run leaves it.
    pub(super) async fn as_left(&self, run: &Meditation, mut read: Vec<Fingerprint>) -> Result<Vec<Fingerprint>> {
        if !read.is_empty() {
            let items = self.vaults.read(self.user, |reader| Box::pin(async move { reader.retention_items().await }));
            let made = made(&items.await?, run.as_of);
            for one in &mut read {
                one.made = made;
            }
        }
        Ok(read)
    }
}

/// Limits spares. They repeat from run to run, so recording each would fill a vault: only runs over everything record
/// any, and at most [`RECORDED_SPARES`].
fn limit_spares(trigger: Trigger, recorded: usize, decisions: &mut Vec<Change>) {
    let most = if matches!(trigger, Trigger::Schedule | Trigger::Request) { RECORDED_SPARES } else { 0 };
    let mut spares = recorded;
    decisions.retain(|decision| {
        spares += usize::from(decision.kind == Kind::Spare);
        decision.kind != Kind::Spare || spares <= most
    });
}

/// Splits decisions into batches.
fn batches(decisions: &[Change]) -> Vec<&[Change]> {
    let (mut batches, mut rest) = (Vec::new(), decisions);
    while !rest.is_empty() {
        let (mut memories, mut bytes) = (0, 0_u64);
        let fit = rest.iter().take_while(|decision| {
            memories += decision.subjects.len().max(1);
            bytes = bytes.saturating_add(decision.size_bytes());
            memories <= BATCH && bytes <= BATCH_BYTES
        });
        let (batch, after) = rest.split_at(fit.count().max(1));
        batches.push(batch);
        rest = after;
    }
    batches
}

/// The decisions of one transaction, with what it takes to carry them out.
struct Batch {
    run: Meditation,
    decisions: Vec<Change>,
    at: Timestamp,
    grace: Span,
    cap: u64,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
    graph: Option<Arc<Graph>>,
}

impl Batch {
    /// Carries out the decisions that still hold. `None` if another worker has the run by now.
    async fn carry_out(&self, tx: &mut dyn VaultTransaction) -> Result<Option<Vec<Change>>> {
        let Some(mut run) = still_ours(tx, &self.run).await? else { return Ok(None) };
        let holding = standing(tx, &self.decisions).await?;
        let still = self.still(tx, &holding, run.as_of.min(self.at)).await?;
        let graph = self.graph.as_deref();
        let making = Making { run: run.id, ids: &self.ids, defaults: &self.defaults, graph };
        let when = Applying { at: self.at, delete_after: self.at.plus(self.grace), making: Some(making) };
        let carried_out = carry_out(tx, run.id, still, &holding, when).await?;
        let usage = tx.usage().await?;
        run.account(&carried_out, &usage);
        for &kind in Kind::ALL {
            let of_kind = carried_out.iter().filter(|decision| decision.kind == kind);
            let count: u64 = of_kind.map(|decision| decision.subjects.len() as u64).sum();
            if let Some(name) = kind.rules().audit().filter(|_| count > 0) {
                tx.audit(&entry(&run, name, self.at, count)).await?;
            }
        }
        if carried_out.iter().any(|decision| decision.kind.rules().effect() != Effect::None) {
            embed_later(tx, (&*self.ids, &*self.defaults), None, self.at, None).await?;
        }
        tx.put_meditation(&run).await?;
        Ok(Some(carried_out))
    }

    /// Returns the decisions that still apply to the memories in their present state and that fit into today's cap.
    /// Anything the owner did since the decisions were made takes precedence.
    async fn still(
        &self,
        tx: &mut dyn VaultTransaction,
        standing: &BTreeMap<Seq, Memory>,
        now: Timestamp,
    ) -> Result<Vec<Change>> {
        let mut budget = PruneBudget::new(self.cap, tx.pruned_on(self.at.day()).await?);
        let mut still = self.decisions.clone();
        still.retain_mut(|change| {
            let then = change.clone();
            let holds = |subject: &Subject| {
                let memory = standing.get(&subject.seq).filter(|memory| memory.id.0 == subject.id);
                memory.is_some_and(|memory| then.kind.rules().holds(&then, memory, now))
            };
            change.retain(holds) && (change.pruned_bytes() == 0 || budget.take(change.pruned_bytes()))
        });
        Ok(still)
    }
}

/// Reports the changes to telemetry. Memories that their owners deleted were counted at that time.
pub(crate) fn observe(observer: &dyn Observer, carried_out: &[Change]) {
    let count = |tier: Tier, effect: Effect| {
        let of_tier = carried_out.iter().filter(|change| change.tier() == Some(tier));
        let concerned = of_tier.filter(|change| change.kind.rules().effect() == effect);
        concerned.filter(|change| change.state() != Some(MemoryState::Deleted)).count() as u64
    };
    for &tier in Tier::ALL {
        let (archived, erased) = (count(tier, Effect::Archives), count(tier, Effect::Erases));
        if archived > 0 {
            observer.archived(tier, archived);
        }
        if erased > 0 {
            observer.deleted(tier, erased);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meditation::Reason;
    use crate::meditation::kinds::{BYTES, Body};

    fn change(memories: usize, bytes: u64) -> Change {
        let subjects = vec![Subject { id: uuid::Uuid::nil(), seq: Seq(1) }; memories];
        let body = Body::default().whole(BYTES, bytes);
        Change { step: "tag", kind: Kind::Tag, subjects, reason: Reason::Unread, body }
    }

    /// Each batch is a transaction, which other writers of the vault wait for.
    #[test]
    fn a_batch_has_few_memories_and_bytes_however_many_a_decision_has() {
        let memories = |batch: &&[Change]| batch.iter().map(|change| change.subjects.len()).sum::<usize>();
        let pages: Vec<Change> = (0..157).map(|_| change(BATCH, 20_000)).collect();
        assert_eq!(batches(&pages).iter().map(memories).max(), Some(BATCH));
        let singles: Vec<Change> = (0..1_000).map(|_| change(1, 100)).collect();
        assert_eq!(batches(&singles).iter().map(memories).max(), Some(BATCH));
        let long: Vec<Change> = (0..50).map(|_| change(1, 60_000)).collect();
        assert_eq!(batches(&long).iter().map(memories).max(), Some(2));
        let too_long = [change(2 * BATCH, 9), change(1, 2 * BATCH_BYTES), change(1, 9)];
        assert_eq!(batches(&too_long).len(), 3);
        for all in [pages, singles, long] {
            assert_eq!(batches(&all).concat(), all);
        }
    }
}
