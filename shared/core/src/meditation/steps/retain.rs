//! `retain`: archives the memories with the smallest scores while a tier is over its quota (K-4.1).

use async_trait::async_trait;

use super::order::sort_by_worth;
use super::{Body, Change, Context, Kind, Reason, RetentionItem, Snapshot, Step, Trigger};
use crate::error::Result;
use crate::meditation::kinds::{ALLOWED, HELD, INSTEAD, SOME_PROTECTED};
use crate::memory::{MemoryState, Tier};

/// Archives by score, tier by tier. Protected memories neither count nor go; if one would have been next, that is
/// recorded.
#[derive(Clone, Copy, Debug)]
pub struct Retain;

#[async_trait]
impl Step for Retain {
    fn name(&self) -> &'static str {
        "retain"
    }

    fn runs_on(&self, trigger: Trigger) -> bool {
        matches!(trigger, Trigger::Schedule | Trigger::Quota | Trigger::Request)
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        Ok(Tier::ALL.iter().flat_map(|&tier| retain_tier(context.picture, tier)).collect())
    }
}

fn retain_tier(snapshot: &Snapshot, tier: Tier) -> Vec<Change> {
    let quota = snapshot.settings.quota(tier);
    let mut items: Vec<&RetentionItem> =
        snapshot.items.iter().filter(|item| item.tier == tier && item.state == MemoryState::Active).collect();
    let mut bytes: u64 = items.iter().filter(|item| !item.protected).map(|item| item.size_bytes).sum();
    if bytes <= quota {
        return Vec::new();
    }
    let some_protected = items.iter().any(|item| item.protected);
    sort_by_worth(&mut items);
    let mut changes = Vec::new();
    for item in items {
        if bytes <= quota {
            break;
        }
        let numbers = Body::default().whole(HELD, bytes).whole(ALLOWED, quota);
        let numbers = if some_protected { numbers.whole(SOME_PROTECTED, 1) } else { numbers };
        changes.push(if item.protected {
            let numbers = numbers.choice(INSTEAD, Reason::OverQuota, Reason::ALL);
            Change::of(item, Kind::Spare, Reason::Protected, numbers)
        } else {
            bytes -= item.size_bytes;
            Change::of(item, Kind::Archive, Reason::OverQuota, numbers)
        });
    }
    changes
}
