//! Says of memories that go out which vectors they have, looked up in the index that answers.

use kimberly_core::UserId;
use kimberly_core::embedding::VectorSubject;
use kimberly_core::ids::Seq;
use kimberly_proto::v1;

use crate::Api;

/// Fills `embedding_ref` of memories whose numbers are `seqs`, in the same order. An index that cannot be read is as good
/// as none: it is derived, and the embedder makes it anew.
pub(crate) fn fill<'m>(api: &Api, user: &UserId, seqs: &[Seq], memories: impl Iterator<Item = &'m mut v1::Memory>) {
    let Some(vectors) = &api.app.vectors else { return };
    let Ok(Some(index)) = vectors.active(user) else { return };
    let subjects: Vec<VectorSubject> = seqs.iter().map(|seq| VectorSubject::Memory(*seq)).collect();
    let model = index.model.slug();
    let has = vectors.contains(user, &subjects).unwrap_or_default();
    for (memory, _) in memories.zip(has).filter(|(_, has)| *has) {
        memory.embedding_ref = format!("{model}/{}", memory.id);
    }
}
