//! Finds what may be merged, among the newest records that the caller reaches.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::window::window;
use crate::embedding::VectorSubject;
use crate::error::Result;
use crate::ids::UserId;
use crate::memory::Memory;
use crate::merging::{Note, clusters, mergeable};
use crate::ports::{AttachmentQuery, VaultReader, VectorReader};
use crate::reviews::{Review, ReviewId, ReviewKind};
use crate::time::Timestamp;
use crate::usecases::App;

/// Least cosine at which two texts may say the same in other words.
const NEAR: f32 = 0.85;
/// Newest records whose vectors are compared.
const COMPARED: usize = 256;

/// Finds records with near vectors, by the vectors of a user; finds none without vectors.
#[derive(Clone, Default)]
pub(crate) struct Near(Option<(Arc<dyn VectorReader>, UserId)>);

impl App {
    /// Uses the vectors of a user, if there are any.
    pub(super) fn near(&self, user: &UserId) -> Near {
        Near::of(self.vectors.as_ref(), user)
    }

    /// Returns the merge with this id, if it is one and waits. Finding it compares many records, so this is a read
    /// before the write begins.
    pub(super) async fn waiting_merge(&self, user: &UserId, id: ReviewId, now: Timestamp) -> Result<Option<Review>> {
        if id.kind != ReviewKind::Merge {
            return Ok(None);
        }
        let near = self.near(user);
        let read = self.vaults.read(user, move |reader| {
            let near = near.clone();
            Box::pin(async move { merges(reader, &near, now).await })
        });
        Ok(read.await?.into_iter().find(|review| review.id == id))
    }
}

impl Near {
    /// Uses the vectors of a user, if there are any.
    pub(crate) fn of(vectors: Option<&Arc<dyn VectorReader>>, user: &UserId) -> Self {
        Self(vectors.map(|vectors| (Arc::clone(vectors), user.clone())))
    }

    /// Returns pairs of records whose vectors are near, by index. Vectors that are missing or unreadable are ignored.
    fn pairs(&self, records: &[Memory]) -> BTreeSet<(usize, usize)> {
        let Some((vectors, user)) = &self.0 else { return BTreeSet::new() };
        let Ok(Some(state)) = vectors.active(user) else { return BTreeSet::new() };
        let subjects: Vec<VectorSubject> = records.iter().map(|record| VectorSubject::Memory(record.seq)).collect();
        let has = vectors.contains(user, &state.model, &subjects).unwrap_or_default();
        let known = subjects.into_iter().enumerate().zip(has).rev().filter(|(_, has)| *has).take(COMPARED);
        let (indexes, subjects): (Vec<usize>, Vec<VectorSubject>) = known.map(|(one, _)| one).unzip();
        let cosines = vectors.cosines(user, &subjects, &subjects).unwrap_or_default();
        let mut near = BTreeSet::new();
        for (one, row) in indexes.iter().zip(cosines) {
            let others = indexes
                .iter()
                .zip(row)
                .filter(|(other, cosine)| one < *other && cosine.is_some_and(|cosine| cosine >= NEAR));
            near.extend(others.map(|(other, _)| (*one, *other)));
        }
        near
    }
}

/// Returns a merge that was found before, if its records are unchanged.
pub(super) async fn still_waits(reader: &mut dyn VaultReader, found: &Review) -> Result<Option<Review>> {
    let mut records = Vec::with_capacity(found.memories.len());
    for before in &found.memories {
        let record = reader.memory(before.id).await?.filter(|record| record.revision == before.revision);
        let Some(record) = record else { return Ok(None) };
        records.push(record);
    }
    if any_attached(reader, &records).await? { Ok(None) } else { Ok(Review::merge(records)) }
}

/// Returns what may be merged, in the order of ids.
pub(super) async fn merges(reader: &mut dyn VaultReader, near: &Near, now: Timestamp) -> Result<Vec<Review>> {
    let found = found_in(reader, near, now).await?;
    let mut all: Vec<Review> = found.into_iter().filter_map(Review::merge).collect();
    all.sort_by_key(|review| review.id);
    Ok(all)
}

/// Returns groups of two or three records that say the same, oldest first.
pub(crate) async fn found_in(reader: &mut dyn VaultReader, near: &Near, now: Timestamp) -> Result<Vec<Vec<Memory>>> {
    let window = window(reader, &mergeable(now)).await?;
    let (records, notes): (Vec<Memory>, Vec<Note>) =
        window.into_iter().filter_map(|record| Note::of(&record).map(|note| (record, note))).unzip();
    let clusters = clusters(&notes, &near.pairs(&records));
    let mut found = Vec::with_capacity(clusters.len());
    for cluster in clusters {
        let of: Vec<Memory> = cluster.into_iter().filter_map(|at| records.get(at).cloned()).collect();
        if !any_attached(reader, &of).await? {
            found.push(of);
        }
    }
    Ok(found)
}

/// Reports whether any of them has an attachment, which a merge would leave behind.
async fn any_attached(reader: &mut dyn VaultReader, records: &[Memory]) -> Result<bool> {
    for record in records {
        if !reader.attachments(&AttachmentQuery::OfMemory(record.seq)).await?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
