//! States of memories.

use kimberly_core::Error;
use kimberly_core::ids::Seq;
use kimberly_core::memory::MemoryState;

use super::Bed;
use super::fixtures::{at, draft, user};

/// Changes state, times and revision, and nothing else.
pub async fn states_set_times_and_revision(bed: &Bed) {
    bed.remember("u", [draft("one")]).await;
    let mut expected = bed.memory("u", 1).await.unwrap();
    for (revision, state) in (2..).zip([MemoryState::Archived, MemoryState::Deleted, MemoryState::Active]) {
        bed.set_state("u", Seq(1), state).await;
        expected.state = state;
        expected.revision = revision;
        expected.updated_at = at(1_000);
        expected.archived_at = (state != MemoryState::Active).then(|| at(1_000));
        expected.delete_after = (state != MemoryState::Active).then(|| at(2_000));
        assert_eq!(bed.memory("u", 1).await.unwrap(), expected);
        bed.usage("u").await;
    }
    let unknown = bed
        .vaults
        .transact(&user("u"), "test", |tx| {
            Box::pin(async move { tx.set_state(Seq(2), MemoryState::Active, None, None, at(1)).await })
        })
        .await;
    assert!(matches!(unknown, Err(Error::NotFound { .. })), "{unknown:?}");
}
