//! `rotate`: short-term memories whose lifetime or session ended move to the archive (K-1.1).

use async_trait::async_trait;

use super::{Body, Change, Context, Kind, Reason, RetentionItem, Snapshot, Step, Trigger};
use crate::error::Result;
use crate::meditation::kinds::{AGE, INSTEAD, LIFETIME};
use crate::memory::{MemoryState, Tier};
use crate::retention::leaves_at;

/// Archives short-term memories that outlived their lifetime or, when a session ends, those of that session.
#[derive(Clone, Copy, Debug)]
pub struct Rotate;

#[async_trait]
impl Step for Rotate {
    fn name(&self) -> &'static str {
        "rotate"
    }

    fn runs_on(&self, _: Trigger) -> bool {
        true
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        Ok(Self::over(context.picture))
    }
}

impl Rotate {
    /// Returns the proposals, which depend only on a snapshot of the vault.
    pub fn over(snapshot: &Snapshot) -> Vec<Change> {
        let mut over: Vec<_> = snapshot
            .items
            .iter()
            .filter(|item| item.tier == Tier::ShortTerm && item.state == MemoryState::Active)
            .filter_map(|item| ended(item, snapshot).map(|(reason, numbers)| (item, reason, numbers)))
            .collect();
        over.sort_by_key(|(item, ..)| (item.created_at, item.seq));
        over.into_iter()
            .map(|(item, reason, numbers)| {
                if item.protected {
                    let numbers = numbers.choice(INSTEAD, reason, Reason::ALL);
                    return Change::of(item, Kind::Spare, Reason::Protected, numbers);
                }
                Change::of(item, Kind::Archive, reason, numbers)
            })
            .map(|change| Change { step: Rotate.name(), ..change })
            .collect()
    }
}

/// Returns why a short-term memory's time is over, if it is.
fn ended(item: &RetentionItem, snapshot: &Snapshot) -> Option<(Reason, Body)> {
    if snapshot.trigger == Trigger::SessionEnd {
        let ended = snapshot.session.is_some() && item.session == snapshot.session;
        return ended.then(|| (Reason::SessionEnded, Body::default()));
    }
    let lifetime = snapshot.settings.short_term_lifetime.value;
    let numbers = || Body::default().span(AGE, snapshot.as_of.since(item.created_at)).span(LIFETIME, lifetime);
    (leaves_at(item.created_at, lifetime) <= snapshot.as_of).then(|| (Reason::Expired, numbers()))
}
