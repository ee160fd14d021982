//! Erasure by the owner.

use kimberly_core::ids::Seq;
use kimberly_core::memory::{ChangeKind, MemoryDraft, MemoryState};
use kimberly_core::ports::ChangeQuery;

use super::Bed;
use super::fixtures::{any_of, at, draft, new_memory};

async fn erase(bed: &Bed, seqs: &'static [i64]) {
    bed.write("u", move |tx| {
        Box::pin(async move {
            let seqs: Vec<Seq> = seqs.iter().copied().map(Seq).collect();
            tx.erase_memories(&seqs, at(500)).await
        })
    })
    .await;
}

/// Works in any state, protected or not; unknown numbers are ignored, other memories stay unchanged.
pub async fn memories_are_erased_in_any_state(bed: &Bed) {
    let protected = MemoryDraft { protected: true, ..draft("one walrus") };
    bed.remember("u", [protected, draft("two walrus"), draft("three walrus"), draft("four walrus")]).await;
    bed.set_state("u", Seq(2), MemoryState::Archived).await;
    bed.set_state("u", Seq(3), MemoryState::Deleted).await;
    let other = bed.memory("u", 4).await.unwrap();
    erase(bed, &[1, 2, 3, 77]).await;
    for n in 1..=3 {
        assert_eq!(bed.memory("u", n).await, None);
    }
    assert_eq!(bed.memory("u", 4).await.unwrap(), other);
    assert_eq!(bed.found("u", any_of(&["walrus"])).await.len(), 1);
    let usage = bed.usage("u").await;
    assert_eq!(usage.created, 4);
    let pruned = bed.read("u", |r| Box::pin(r.pruned_on(at(500).day()))).await;
    assert_eq!(pruned, 0, "the system erased nothing");
    erase(bed, &[1]).await;
    assert_eq!(bed.usage("u").await, usage);
}

/// Followers are notified once, and the session keeps its order.
pub async fn an_erasure_is_reported_once_and_leaves_positions_empty(bed: &Bed) {
    let said = |text: &str| MemoryDraft { session_id: Some("s".to_owned()), ..draft(text) };
    bed.remember("u", [said("one"), said("two"), said("three")]).await;
    erase(bed, &[3, 2]).await;
    erase(bed, &[2, 3]).await;
    let query = ChangeQuery { limit: 100, max_bytes: 1 << 20, ..Default::default() };
    let seen = bed
        .read("u", move |r| {
            let query = query.clone();
            Box::pin(async move { r.changes(&query).await })
        })
        .await;
    let erased: Vec<u128> = seen
        .iter()
        .filter(|seen| seen.change.kind == ChangeKind::Erased)
        .map(|seen| seen.change.memory_id.0.as_u128())
        .collect();
    assert_eq!(erased, [2, 3]);
    let next = bed.insert("u", vec![new_memory(4, said("four"))]).await;
    assert_eq!(next, [Seq(4)], "no number is used again");
}
