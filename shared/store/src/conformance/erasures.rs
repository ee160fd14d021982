//! Erasure by the owner.

use std::collections::BTreeSet;
use std::sync::Arc;

use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::links::{Cascade, LinkDraft, Relation};
use kimberly_core::memory::{ChangeKind, MemoryDraft, MemoryState};
use kimberly_core::ports::ChangeQuery;
use kimberly_core::tables;

use super::Bed;
use super::fixtures::{any_of, at, draft, memory_id, new_memory};

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

/// Stores links by which each record is derived from another.
async fn derive(bed: &Bed, from_to: impl Iterator<Item = (u128, u128)>) {
    let link = |(from, to)| LinkDraft::new(memory_id(from), Relation::DerivedFrom, memory_id(to));
    let links: Arc<Vec<_>> = Arc::new(from_to.map(|ends| link(ends).checked("link", at(5)).unwrap()).collect());
    bed.write("u", move |tx| {
        let links = Arc::clone(&links);
        Box::pin(async move { tables::put(tx, &links).await })
    })
    .await;
}

async fn cascade(bed: &Bed, erased: u128) -> Cascade {
    bed.read("u", move |r| Box::pin(async move { Cascade::of(r, &BTreeSet::from([memory_id(erased)])).await })).await
}

/// No member of a cycle can be erased before the others, so their number is no reason to refuse any of them. Records
/// that only hang on the cycle still count.
pub async fn a_cycle_of_1500_is_erased_whole_and_a_chain_as_long_is_too_many(bed: &Bed) {
    const CYCLE: u128 = 1_500;
    const CHAIN: u128 = 1_001;
    bed.remember("u", (0..=CYCLE + CHAIN).map(|n| draft(&format!("note {n}")))).await;
    derive(bed, (1..=CYCLE).map(|n| (n, n % CYCLE + 1))).await;
    let others: BTreeSet<MemoryId> = (1..=CYCLE).filter(|n| *n != 700).map(memory_id).collect();
    let whole = cascade(bed, 700).await;
    assert_eq!((whole.gone.len(), whole.stale.len(), whole.too_many), (others.len(), 0, false));
    assert!(whole.gone == others);
    // One that hangs on the cycle and on a record beside it, and a chain behind that.
    derive(bed, [(CYCLE + 1, 9), (CYCLE + 1, CYCLE + CHAIN + 1)].into_iter()).await;
    let with_one = cascade(bed, 700).await;
    assert_eq!(with_one, Cascade { stale: BTreeSet::from([memory_id(CYCLE + 1)]), ..whole });
    derive(bed, (CYCLE + 2..=CYCLE + CHAIN).map(|n| (n, n - 1))).await;
    let with_chain = cascade(bed, 700).await;
    assert_eq!((with_chain.gone.len(), with_chain.stale.len(), with_chain.too_many), (1_499, 1_001, true));
    assert!(!cascade(bed, CYCLE + 1).await.too_many, "1,000 are allowed");
    assert!(cascade(bed, CYCLE + CHAIN + 1).await.too_many);
}
