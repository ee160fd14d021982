//! `consolidate`: replaces two or three records that say the same by one (B-3). The new record keeps all their names,
//! numbers, dates and negations. By default a person applies such merges in a review; this step runs only by a setting,
//! or a request by name. Pairs that a person dismissed are left alone.

use std::collections::HashSet;

use async_trait::async_trait;

use super::reading::left;
use super::{Body, Change, Context, Kind, Reason, Step};
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::meditation::Subject;
use crate::meditation::kinds::{BYTES, MERGED, REVISIONS};
use crate::memory::{DraftLimits, Memory};
use crate::merging::merged;
use crate::reviews::{Decision, ReviewKind};
use crate::tables::{TableRow as _, find};
use crate::usecases::reviews::{Near, found_in};

/// Most records that a run merges unless the operator sets a cap.
const MOST: usize = 60;

/// Merges records that say the same.
#[derive(Clone, Copy, Debug)]
pub struct Consolidate;

impl Consolidate {
    /// The version of the rules. Raise it when their results change, so that records are compared again.
    const RULES: i64 = 1;
}

#[async_trait]
impl Step for Consolidate {
    fn name(&self) -> &'static str {
        "consolidate"
    }

    fn rules(&self) -> Option<i64> {
        Some(Self::RULES)
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let picture = context.picture;
        let (near, now) = (Near::of(context.source.vectors, context.source.user), picture.as_of);
        let read = context.read(move |reader| {
            let near = near.clone();
            Box::pin(async move {
                let decisions = Decision::query().is("kind", ReviewKind::Merge.name());
                Ok((found_in(reader, &near, now).await?, find::<Decision>(reader, &decisions).await?))
            })
        });
        let (found, decisions) = read.await?;
        let reached: HashSet<Seq> = picture.reached().map(|item| item.seq).collect();
        let mut room = left(picture, self.name(), MOST);
        let mut changes = Vec::new();
        for records in found {
            let reached = records.iter().all(|record| reached.contains(&record.seq));
            // A merge that a person undid or dismissed is theirs to decide.
            let has = |id: MemoryId| records.iter().any(|record| record.id == id);
            let open = !decisions.iter().any(|decision| has(decision.id.first) && has(decision.id.second));
            if !reached || !open || merged(&records, DraftLimits::default()).is_none() {
                continue;
            }
            if records.len() <= room {
                room -= records.len();
                changes.push(change(&records));
            } else {
                context.leave_over();
            }
        }
        Ok(changes)
    }
}

fn change(records: &[Memory]) -> Change {
    let bytes = records.iter().map(|record| record.size_bytes).fold(0, u64::saturating_add);
    let body = Body::default().whole(BYTES, bytes).whole(MERGED, records.len() as u64);
    let seen = REVISIONS.into_iter().zip(records);
    let body = seen.fold(body, |body, (name, record)| body.whole(name, record.revision));
    let subjects = records.iter().map(|record| Subject { id: record.id.0, seq: record.seq }).collect();
    Change { step: "", kind: Kind::Merge, subjects, reason: Reason::SaysTheSame, body }
}
