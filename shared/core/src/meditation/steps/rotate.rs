//! `rotate`: short-term memories whose lifetime or session ended move to the archive (K-1.1).

use super::{Action, Decision, Reason, RetentionItem, Snapshot, Step, Trigger, decision};
use crate::memory::{MemoryState, Tier};
use crate::retention::{leaves_at, readable_span};

/// Archives short-term memories that outlived their lifetime or, when a session ends, those of that session.
#[derive(Clone, Copy, Debug)]
pub struct Rotate;

impl Step for Rotate {
    fn name(&self) -> &'static str {
        "rotate"
    }

    fn runs_on(&self, _: Trigger) -> bool {
        true
    }

    fn decide(&self, snapshot: &Snapshot) -> Vec<Decision> {
        let mut over: Vec<_> = snapshot
            .items
            .iter()
            .filter(|item| item.tier == Tier::ShortTerm && item.state == MemoryState::Active)
            .filter_map(|item| ended(item, snapshot).map(|(reason, why)| (item, reason, why)))
            .collect();
        over.sort_by_key(|(item, ..)| (item.created_at, item.seq));
        over.into_iter()
            .map(|(item, reason, why)| {
                if item.protected {
                    let why = format!("it is protected, although {why}");
                    return decision(item, Action::Spare, Reason::Protected, why);
                }
                decision(item, Action::Archive, reason, why)
            })
            .collect()
    }
}

/// Why a short-term memory's time is over, if it is.
fn ended(item: &RetentionItem, snapshot: &Snapshot) -> Option<(Reason, String)> {
    if snapshot.trigger == Trigger::SessionEnd {
        let ended = snapshot.session.is_some() && item.session == snapshot.session;
        return ended.then(|| (Reason::SessionEnded, "its session ended".to_owned()));
    }
    let lifetime = snapshot.settings.short_term_lifetime.value;
    let age = snapshot.as_of.since(item.created_at);
    (leaves_at(item.created_at, lifetime) <= snapshot.as_of).then(|| {
        let (age, lifetime) = (readable_span(age), readable_span(lifetime));
        (Reason::Expired, format!("it is {age} old and short_term memories live for about {lifetime}"))
    })
}
