//! `expire`: what outlived its grace is erased, if nothing speaks for it (K-4.1, K-4.3, G-5).
//!
//! What its owner deleted goes first and without a cap: the owner asked for it. Of what the system archived, the smallest
//! score goes first: while the archive is over its allowance whatever the score, below the allowance only if it scores
//! low, and never more in a day than the cap. Inside its grace nothing goes, however full the archive is.

use super::order::sort_by_worth;
use super::{Action, Decision, Reason, RetentionItem, Snapshot, Step, Trigger, decision};
use crate::memory::{MemoryState, Tier};
use crate::retention::{PruneBudget, grace_passed, readable_bytes, readable_span};

/// Erases what outlived its grace.
#[derive(Clone, Copy, Debug)]
pub struct Expire;

impl Step for Expire {
    fn name(&self) -> &'static str {
        "expire"
    }

    fn runs_on(&self, trigger: Trigger) -> bool {
        trigger != Trigger::SessionEnd
    }

    fn decide(&self, snapshot: &Snapshot) -> Vec<Decision> {
        let due = snapshot.items.iter().filter(|item| {
            grace_passed(item.delete_after, snapshot.as_of) && !snapshot.archived_here.contains(&item.seq)
        });
        let (mut archived, mut deleted): (Vec<&RetentionItem>, Vec<&RetentionItem>) =
            due.filter(|item| item.state != MemoryState::Active).partition(|item| item.state == MemoryState::Archived);
        deleted.sort_by_key(|item| (item.delete_after, item.seq));
        sort_by_worth(&mut archived);
        let erased: u64 = deleted.iter().map(|item| item.size_bytes).sum();
        let mut judge = Judge {
            snapshot,
            archive_bytes: snapshot.archive_bytes().saturating_sub(erased),
            budget: PruneBudget::new(snapshot.settings.daily_prune_cap.value, snapshot.erased_today),
        };
        let mut decisions: Vec<_> = deleted.into_iter().map(|item| owner_deleted(item, snapshot)).collect();
        decisions.extend(archived.into_iter().map(|item| judge.decide(item)));
        decisions
    }
}

fn owner_deleted(item: &RetentionItem, snapshot: &Snapshot) -> Decision {
    let why = format!("its owner deleted it and {}", grace_ended(item, snapshot));
    decision(item, Action::Delete, Reason::OwnerDeleted, why)
}

fn grace_ended(item: &RetentionItem, snapshot: &Snapshot) -> String {
    let end = item.delete_after.unwrap_or(snapshot.as_of);
    format!("its grace ended {} ago", readable_span(snapshot.as_of.since(end)))
}

/// Decides about archived memories, in their order.
struct Judge<'a> {
    snapshot: &'a Snapshot,
    /// What the archive holds when everything decided so far is gone, be it today or on a later day.
    archive_bytes: u64,
    budget: PruneBudget,
}

impl Judge<'_> {
    fn decide(&mut self, item: &RetentionItem) -> Decision {
        let ended = grace_ended(item, self.snapshot);
        if item.protected {
            let why = format!("it is protected, although {ended}");
            return decision(item, Action::Spare, Reason::Protected, why);
        }
        if item.tier == Tier::Permanent {
            let why = format!("only its owner removes a permanent memory, although {ended}");
            return decision(item, Action::Spare, Reason::Permanent, why);
        }
        let (low, allowance) = (self.snapshot.settings.low_score.value, self.snapshot.settings.archive_allowance.value);
        let score = item.score;
        let (reason, why) = if score < low {
            (Reason::GracePassed, format!("{ended} and score {score:.3} is below {low:.3}"))
        } else if self.archive_bytes > allowance {
            let (has, may) = (readable_bytes(self.archive_bytes), readable_bytes(allowance));
            let why = format!("{ended} and the archive holds {has} of {may}; score {score:.3} is the smallest");
            (Reason::ArchiveOverAllowance, why)
        } else {
            let why = format!("score {score:.3} is not below {low:.3}, although {ended}");
            return decision(item, Action::Spare, Reason::ScoresWell, why);
        };
        self.archive_bytes = self.archive_bytes.saturating_sub(item.size_bytes);
        if self.budget.take(item.size_bytes) {
            return decision(item, Action::Delete, reason, why);
        }
        let (cap, size) = (readable_bytes(self.budget.cap()), readable_bytes(item.size_bytes));
        let why = format!("today's cap of {cap} leaves no room for its {size}, although {why}");
        decision(item, Action::Spare, Reason::DailyCap, why)
    }
}
