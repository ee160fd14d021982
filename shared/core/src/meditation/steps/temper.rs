//! `temper`: records that became hotter or colder are noted (Y-3). How warm they are is computed whenever it is asked for; a night
//! notes changes alone, each with its reason.

use std::collections::HashMap;

use async_trait::async_trait;

use super::{Body, Change, Context, Kind, Reason, RetentionItem, Step, Trigger};
use crate::entities::Tie;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::Link;
use crate::meditation::kinds::{DECAY, IDLE, PRIORITY, RETRIEVED, TEMPERATURE, WHY};
use crate::memory::MemoryState;
use crate::retention::{Connections, NotedTemperature, Temperature, Warmth, WarmthReason};
use crate::tables::{TableRow as _, find};
use crate::time::Timestamp;

/// Most memories that one run notes, those of the smallest number first: the others wait for the next.
const MOST: u64 = 500;

/// Notes what became hotter or colder.
#[derive(Clone, Copy, Debug)]
pub struct Temper;

#[async_trait]
impl Step for Temper {
    fn name(&self) -> &'static str {
        "temper"
    }

    fn runs_on(&self, trigger: Trigger) -> bool {
        matches!(trigger, Trigger::Schedule | Trigger::Request)
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let picture = context.picture;
        let (noted, connections) = read(context, picture.as_of).await?;
        let asked = |id: &MemoryId| picture.only.is_empty() || picture.only.binary_search(id).is_ok();
        let active = picture.items.iter().filter(|item| item.state == MemoryState::Active && asked(&item.id));
        let change = |item: &RetentionItem| {
            let was = noted.get(&item.id).copied().unwrap_or(Temperature::Hot);
            let connections = connections.get(&item.id).copied().unwrap_or_default();
            let warmth = Warmth::of(&item.warmth(), connections, picture.as_of);
            (warmth.temperature != was).then(|| changed(item, &warmth, was))
        };
        let done = picture.done_here.get(self.name()).copied().unwrap_or_default();
        let most = usize::try_from(MOST.saturating_sub(done)).unwrap_or_default();
        Ok(active.filter_map(change).take(most).collect())
    }
}

type Noted = HashMap<MemoryId, Temperature>;

/// What nights noted, and what records are connected to.
async fn read(context: &Context<'_>, now: Timestamp) -> Result<(Noted, HashMap<MemoryId, Connections>)> {
    let read = context.read(|reader| {
        Box::pin(async move {
            let noted = find::<NotedTemperature>(reader, &NotedTemperature::query()).await?;
            let links = find::<Link>(reader, &Link::query().without(&["evidence"])).await?;
            Ok((noted, links, find::<Tie>(reader, &Tie::query()).await?))
        })
    });
    let (noted, links, ties) = read.await?;
    let mut connections: HashMap<MemoryId, Connections> = HashMap::new();
    for link in links {
        for end in [link.from, link.to] {
            connections.entry(end).or_default().add(link.created_at, now);
        }
    }
    for tie in ties {
        connections.entry(tie.memory).or_default().add(tie.at, now);
    }
    Ok((noted.into_iter().map(|one| (one.memory, one.temperature)).collect(), connections))
}

fn changed(item: &RetentionItem, warmth: &Warmth, was: Temperature) -> Change {
    let numbers = Body::default()
        .choice(TEMPERATURE, warmth.temperature, Temperature::ALL)
        .choice(WHY, warmth.reason, WarmthReason::ALL)
        .part(DECAY, warmth.decay)
        .part(PRIORITY, warmth.priority)
        .span(IDLE, warmth.idle)
        .whole(RETRIEVED, item.access_count);
    let reason = if warmth.temperature.is_colder_than(was) { Reason::Cooled } else { Reason::Warmed };
    Change::of(item, Kind::Temper, reason, numbers)
}
