//! Says of memories that go out which vectors they have, looked up in the indices that answer.

use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::embedding::VectorSubject;
use kimberly_core::ids::Seq;
use kimberly_core::ports::VectorReader;
use kimberly_core::usecases::App;
use kimberly_proto::v1;

/// Fills `embedding_ref` of memories whose numbers are `seqs`, in the same order. An index that cannot be read is as good
/// as none: it is derived, and the embedder makes it again.
pub(crate) fn fill<'m>(app: &App, user: &UserId, seqs: &[Seq], memories: impl Iterator<Item = &'m mut v1::Memory>) {
    let Some(vectors) = &app.vectors else { return };
    let held = indices(vectors.as_ref(), user, seqs);
    for (memory, slug) in memories.zip(held).filter_map(|(memory, slug)| Some((memory, slug?))) {
        memory.embedding_ref = format!("{slug}/{}", memory.id);
    }
}

/// For each number the slug of the index that has it: of the one that is being built if both have it.
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
