//! `retain`: while a tier is over its quota, its least worthy memory moves to the archive (K-4.1).

use super::order::sort_by_worth;
use super::{Action, Decision, Reason, RetentionItem, Snapshot, Step, Trigger, decision};
use crate::memory::{MemoryState, Tier};
use crate::retention::readable_bytes;

/// Archives by score, tier by tier. What is protected neither counts nor goes; if it is met on the way, that is recorded.
#[derive(Clone, Copy, Debug)]
pub struct Retain;

impl Step for Retain {
    fn name(&self) -> &'static str {
        "retain"
    }

    fn runs_on(&self, trigger: Trigger) -> bool {
        matches!(trigger, Trigger::Schedule | Trigger::Quota | Trigger::Request)
    }

    fn decide(&self, snapshot: &Snapshot) -> Vec<Decision> {
        Tier::ALL.iter().flat_map(|&tier| retain_tier(snapshot, tier)).collect()
    }
}

fn retain_tier(snapshot: &Snapshot, tier: Tier) -> Vec<Decision> {
    let quota = snapshot.settings.quota(tier);
    let mut items: Vec<&RetentionItem> =
        snapshot.items.iter().filter(|item| item.tier == tier && item.state == MemoryState::Active).collect();
    let mut bytes: u64 = items.iter().filter(|item| !item.protected).map(|item| item.size_bytes).sum();
    if bytes <= quota {
        return Vec::new();
    }
    let some_protected = if items.iter().any(|item| item.protected) { ", protected ones not counted" } else { "" };
    sort_by_worth(&mut items);
    let mut decisions = Vec::new();
    for item in items {
        if bytes <= quota {
            break;
        }
        let (has, may, score) = (readable_bytes(bytes), readable_bytes(quota), item.score);
        let holds = format!("{tier} holds {has} of {may}{some_protected}; score {score:.3} is the smallest");
        if item.protected {
            let why = format!("it is protected, although {holds}");
            decisions.push(decision(item, Action::Spare, Reason::Protected, why));
        } else {
            bytes -= item.size_bytes;
            decisions.push(decision(item, Action::Archive, Reason::OverQuota, holds));
        }
    }
    decisions
}
