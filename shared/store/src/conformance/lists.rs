//! Lists have a fixed order and pages.

use kimberly_core::ids::Seq;
use kimberly_core::memory::{ListOrder, Memory, MemoryFilter};
use kimberly_core::ports::ListKey;

use super::Bed;
use super::fixtures::{at, draft, new_memory};

async fn page(bed: &Bed, order: ListOrder, after: Option<ListKey>, (limit, max_bytes): (usize, usize)) -> Vec<Memory> {
    bed.read("u", move |r| {
        Box::pin(async move { r.list(&MemoryFilter::default(), order, after, limit, max_bytes).await })
    })
    .await
}

/// Reads all pages.
async fn walk(bed: &Bed, order: ListOrder, bounds: (usize, usize)) -> Vec<i64> {
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let memories = page(bed, order, after, bounds).await;
        let Some(last) = memories.last() else { return seen };
        after = Some(ListKey { created_at: last.created_at, seq: last.seq });
        seen.extend(memories.iter().map(|m| m.seq.0));
    }
}

/// Both orders, several page sizes; a memory erased between pages disturbs nothing.
pub async fn pages_follow_each_other_without_gaps_or_repeats(bed: &Bed) {
    bed.remember("u", (0..10).map(|n| draft(&format!("memory {n}")))).await;
    for limit in [1, 3, 10, 11] {
        assert_eq!(walk(bed, ListOrder::OldestFirst, (limit, 10_000)).await, (1..=10).collect::<Vec<_>>());
        assert_eq!(walk(bed, ListOrder::NewestFirst, (limit, 10_000)).await, (1..=10).rev().collect::<Vec<_>>());
    }
    assert!(page(bed, ListOrder::OldestFirst, None, (0, 10_000)).await.is_empty());
}

/// A page is limited in bytes but holds at least one memory.
pub async fn a_page_ends_before_it_gets_too_large(bed: &Bed) {
    let sizes = [100, 100, 100, 900, 100];
    let news = (1..)
        .zip(sizes)
        .map(|(n, size)| {
            let mut new = new_memory(n, draft("sized"));
            new.size_bytes = size;
            new
        })
        .collect();
    bed.insert("u", news).await;
    assert_eq!(page(bed, ListOrder::OldestFirst, None, (10, 250)).await.len(), 2);
    assert_eq!(page(bed, ListOrder::OldestFirst, None, (10, 0)).await.len(), 1);
    assert_eq!(page(bed, ListOrder::OldestFirst, None, (10, 300)).await.len(), 3);
    assert_eq!(walk(bed, ListOrder::OldestFirst, (10, 250)).await, [1, 2, 3, 4, 5]);
}

/// Nothing is lost if a clock stands still or is set back.
pub async fn equal_creation_times_are_ordered_by_number(bed: &Bed) {
    let times = [5, 5, 5, 3, 5, 9];
    let news = (1..)
        .zip(times)
        .map(|(n, time)| {
            let mut new = new_memory(n, draft("timed"));
            new.created_at = at(time);
            new
        })
        .collect();
    let seqs = bed.insert("u", news).await;
    assert_eq!(seqs.last(), Some(&Seq(6)));
    for limit in [1, 2, 6] {
        assert_eq!(walk(bed, ListOrder::OldestFirst, (limit, 10_000)).await, [4, 1, 2, 3, 5, 6]);
        assert_eq!(walk(bed, ListOrder::NewestFirst, (limit, 10_000)).await, [6, 5, 3, 2, 1, 4]);
    }
}
