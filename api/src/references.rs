//! Fills in which vectors the returned memories have, as found in the readable indexes.

use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::embedding::VectorSubject;
use kimberly_core::ids::Seq;
use kimberly_core::ports::VectorReader;
use kimberly_core::usecases::App;
use kimberly_proto::v1;

/// Fills `embedding_ref` of the memories with the numbers `seqs`, in the same order. An unreadable index counts as
/// absent: it is derived data, which the embedder rebuilds.
pub(crate) fn fill<'m>(app: &App, user: &UserId, seqs: &[Seq], memories: impl Iterator<Item = &'m mut v1::Memory>) {
    let Some(vectors) = &app.vectors else { return };
    let held = indices(vectors.as_ref(), user, seqs);
    for (memory, slug) in memories.zip(held).filter_map(|(memory, slug)| Some((memory, slug?))) {
        memory.embedding_ref = format!("{slug}/{}", memory.id);
    }
}

/// Returns for each number the slug of the index that contains it. If both do, returns the one being built.
fn indices(vectors: &dyn VectorReader, user: &UserId, seqs: &[Seq]) -> Vec<Option<Arc<str>>> {
    let subjects: Vec<VectorSubject> = seqs.iter().map(|seq| VectorSubject::Memory(*seq)).collect();
    let mut held = vec![None; seqs.len()];
    for index in [vectors.building(user), vectors.active(user)].into_iter().filter_map(|read| read.ok().flatten()) {
        let slug: Arc<str> = index.model.slug().into();
        let has = vectors.contains(user, &index.model, &subjects).unwrap_or_default();
        for (one, _) in held.iter_mut().zip(has).filter(|(one, has)| one.is_none() && *has) {
            *one = Some(Arc::clone(&slug));
        }
    }
    held
}
