//! `expire`: erases memories after their grace, unless something speaks for keeping them (K-4.1, K-4.3, G-5).
//!
//! Memories that their owner deleted go first and without a cap: the owner asked for it. Of those that the system
//! archived, the smallest score goes first. While the archive is over its allowance they go whatever their score; below
//! the allowance only if they score low. The daily cap limits both. Inside its grace nothing is erased, however full
//! the archive is.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;

use super::order::sort_by_worth;
use super::{Body, Change, Context, Kind, Reason, RetentionItem, Snapshot, Step, Trigger};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::kinds::{ALLOWED, CAP, GRACE_OVER, HELD, INSTEAD, LOW_SCORE};
use crate::memory::{MemoryState, Tier};
use crate::retention::{PruneBudget, grace_passed};
use crate::usecases::merge::held_by_merges;

/// Erases memories after their grace.
#[derive(Clone, Copy, Debug)]
pub struct Expire;

#[async_trait]
impl Step for Expire {
    fn name(&self) -> &'static str {
        "expire"
    }

    fn runs_on(&self, trigger: Trigger) -> bool {
        trigger != Trigger::SessionEnd
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let archived = due(context.picture).filter(|item| item.state == MemoryState::Archived);
        let archived: Arc<[MemoryId]> = archived.map(|item| item.id).collect();
        let read = context.read(move |reader| {
            let archived = Arc::clone(&archived);
            Box::pin(async move { held_by_merges(reader, &archived).await })
        });
        Ok(over(context.picture, &read.await?))
    }
}

/// Returns archived and deleted memories whose grace is over.
fn due(snapshot: &Snapshot) -> impl Iterator<Item = &RetentionItem> {
    snapshot.items.iter().filter(|item| {
        let passed = grace_passed(item.delete_after, snapshot.as_of) && item.state != MemoryState::Active;
        passed && !snapshot.archived_here.contains(&item.seq)
    })
}

/// Decides about memories whose grace is over. Sources of a merge (`held`) neither count nor go: they are needed again
/// if the merged record goes.
fn over(snapshot: &Snapshot, held: &BTreeSet<MemoryId>) -> Vec<Change> {
    let (archived, mut deleted): (Vec<&RetentionItem>, Vec<&RetentionItem>) =
        due(snapshot).partition(|item| item.state == MemoryState::Archived);
    let (kept, mut archived): (Vec<_>, Vec<_>) = archived.into_iter().partition(|item| held.contains(&item.id));
    deleted.sort_by_key(|item| (item.delete_after, item.seq));
    sort_by_worth(&mut archived);
    let aside: u64 = deleted.iter().chain(&kept).map(|item| item.size_bytes).sum();
    let mut judge = Judge {
        snapshot,
        archive_bytes: snapshot.archive_bytes().saturating_sub(aside),
        budget: PruneBudget::new(snapshot.settings.daily_prune_cap.value, snapshot.erased_today),
    };
    let mut changes: Vec<_> = deleted.into_iter().map(|item| owner_deleted(item, snapshot)).collect();
    changes.extend(archived.into_iter().map(|item| judge.decide(item)));
    changes
}

fn owner_deleted(item: &RetentionItem, snapshot: &Snapshot) -> Change {
    Change::of(item, Kind::Delete, Reason::OwnerDeleted, grace_over(item, snapshot))
}

/// Returns the time since an item's grace ended.
fn grace_over(item: &RetentionItem, snapshot: &Snapshot) -> Body {
    let end = item.delete_after.unwrap_or(snapshot.as_of);
    Body::default().span(GRACE_OVER, snapshot.as_of.since(end))
}

/// Decides about archived memories, one after the other.
struct Judge<'a> {
    snapshot: &'a Snapshot,
    /// Bytes of the archive once everything decided so far is erased, today or on a later day.
    archive_bytes: u64,
    budget: PruneBudget,
}

impl Judge<'_> {
    fn decide(&mut self, item: &RetentionItem) -> Change {
        let over = grace_over(item, self.snapshot);
        if item.protected {
            return Change::of(item, Kind::Spare, Reason::Protected, over);
        }
        if item.tier == Tier::Permanent {
            return Change::of(item, Kind::Spare, Reason::Permanent, over);
        }
        let (low, allowance) = (self.snapshot.settings.low_score.value, self.snapshot.settings.archive_allowance.value);
        let (reason, numbers) = if item.score < low {
            (Reason::GracePassed, over.part(LOW_SCORE, low))
        } else if self.archive_bytes > allowance {
            (Reason::ArchiveOverAllowance, over.whole(HELD, self.archive_bytes).whole(ALLOWED, allowance))
        } else {
            return Change::of(item, Kind::Spare, Reason::ScoresWell, over.part(LOW_SCORE, low));
        };
        self.archive_bytes = self.archive_bytes.saturating_sub(item.size_bytes);
        if self.budget.take(item.size_bytes) {
            return Change::of(item, Kind::Delete, reason, numbers);
        }
        let numbers = numbers.whole(CAP, self.budget.cap()).choice(INSTEAD, reason, Reason::ALL);
        Change::of(item, Kind::Spare, Reason::DailyCap, numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meditation::tests::{archived, snapshot};

    #[test]
    fn what_one_record_says_for_others_is_not_erased_while_that_record_exists() {
        let snapshot = snapshot(Trigger::Schedule, vec![archived(1, 0.01), archived(2, 0.01)]);
        let [source, other] = &snapshot.items[..] else { panic!("two") };
        let gone = |held: BTreeSet<MemoryId>| {
            let changes = over(&snapshot, &held);
            assert!(changes.iter().all(|change| change.kind == Kind::Delete), "{changes:?}");
            changes.iter().map(Change::seq).collect::<BTreeSet<_>>()
        };
        assert_eq!(gone(BTreeSet::new()), BTreeSet::from([source.seq, other.seq]));
        assert_eq!(gone(BTreeSet::from([source.id])), BTreeSet::from([other.seq]));
    }
}
