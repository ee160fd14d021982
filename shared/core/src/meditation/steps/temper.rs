//! `temper`: notes records that became hotter or colder (Y-3). The current temperature is computed on request; runs
//! note only changes, each with its reason.

use std::collections::HashMap;

use async_trait::async_trait;

use super::reading::left;
use super::{Body, Change, Context, Kind, Reason, RetentionItem, Step};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::kinds::{DECAY, IDLE, PRIORITY, TEMPERATURE, WHY};
use crate::retention::{Connections, Evidence, NotedTemperature, Temperature, Warmth, WarmthReason};
use crate::tables::{TableRow as _, find};

/// Most memories that one run notes unless the operator sets a cap, smallest sequence numbers first. The others wait
/// for the next run.
const MOST: usize = 500;

/// Notes what became hotter or colder.
#[derive(Clone, Copy, Debug)]
pub struct Temper;

#[async_trait]
impl Step for Temper {
    fn name(&self) -> &'static str {
        "temper"
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let picture = context.picture;
        let read = context
            .read(|reader| Box::pin(async move { find::<NotedTemperature>(reader, &NotedTemperature::query()).await }));
        let noted: HashMap<MemoryId, Temperature> =
            read.await?.into_iter().map(|one| (one.memory, one.temperature)).collect();
        // Connections only warm: where every record is hot without any, they need not be read.
        let is_hot = |item: &RetentionItem| {
            Warmth::of(&item.warmth(), Connections::default(), picture.as_of).temperature == Temperature::Hot
        };
        let are_hot = noted.values().all(|noted| *noted == Temperature::Hot) && picture.reached().all(is_hot);
        if are_hot {
            return Ok(Vec::new());
        }
        let evidence = context.read(|reader| Box::pin(Evidence::whole(reader))).await?;
        let stored = picture.reached().map(|item| (item.id, item.created_at)).collect();
        let connections = evidence.counted(&stored, picture.as_of);
        let change = |item: &RetentionItem| {
            let was = noted.get(&item.id).copied().unwrap_or(Temperature::Hot);
            let connections = connections.get(&item.id).copied().unwrap_or_default();
            let warmth = Warmth::of(&item.warmth(), connections, picture.as_of);
            (warmth.temperature != was).then(|| changed(item, &warmth, was))
        };
        Ok(picture.reached().filter_map(change).take(left(picture, self.name(), MOST)).collect())
    }
}

fn changed(item: &RetentionItem, warmth: &Warmth, was: Temperature) -> Change {
    let numbers = Body::default()
        .choice(TEMPERATURE, warmth.temperature, Temperature::ALL)
        .choice(WHY, warmth.reason, WarmthReason::ALL)
        .part(DECAY, warmth.decay)
        .part(PRIORITY, warmth.priority)
        .span(IDLE, warmth.idle);
    let reason = if warmth.temperature.is_colder_than(was) { Reason::Cooled } else { Reason::Warmed };
    Change::of(item, Kind::Temper, reason, numbers)
}
