//! `recalibrate`: adjusts importance by use, and archives memories of little importance that were never retrieved
//! (B-3).

use std::collections::HashMap;

use async_trait::async_trait;

use super::reading::left;
use super::{Body, Change, Context, Kind, Reason, RetentionItem, Step};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::kinds::{AGE, BEFORE, IMPORTANCE, RETRIEVED};
use crate::retention::{Recalibrated, Recalibration, recalibrated};
use crate::tables::{TableRow as _, find};

/// Most memories that one run changes unless the operator sets a cap, smallest sequence numbers first. The others wait
/// for the next run.
const MOST: usize = 500;

/// Moves importance.
#[derive(Clone, Copy, Debug)]
pub struct Recalibrate;

#[async_trait]
impl Step for Recalibrate {
    fn name(&self) -> &'static str {
        "recalibrate"
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let picture = context.picture;
        let rows = context
            .read(|reader| Box::pin(async move { find::<Recalibration>(reader, &Recalibration::query()).await }));
        let last: HashMap<MemoryId, Recalibration> = rows.await?.into_iter().map(|row| (row.memory, row)).collect();
        let change = |item: &RetentionItem| {
            let becomes = recalibrated(item, last.get(&item.id), picture.as_of)?;
            let numbers = Body::default()
                .span(AGE, picture.as_of.since(item.updated_at))
                .whole(BEFORE, u64::from(item.importance.unsigned_abs()))
                .whole(RETRIEVED, item.access_count);
            let to = |importance: i32| numbers.clone().whole(IMPORTANCE, u64::from(importance.unsigned_abs()));
            Some(match becomes {
                Recalibrated::Raised(to_be) => Change::of(item, Kind::Recalibrate, Reason::OftenRetrieved, to(to_be)),
                Recalibrated::Lowered(to_be) => Change::of(item, Kind::Recalibrate, Reason::NeverRetrieved, to(to_be)),
                Recalibrated::Goes => Change::of(item, Kind::Archive, Reason::Unimportant, numbers),
            })
        };
        Ok(picture.reached().filter_map(change).take(left(picture, self.name(), MOST)).collect())
    }
}
