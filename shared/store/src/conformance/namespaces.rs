//! Namespaces.

use kimberly_core::Error;
use kimberly_core::bounds::{MAX_NAMESPACES, MAX_PAGE_BYTES};
use kimberly_core::meditation::Kind;
use kimberly_core::memory::{ListOrder, MemoryDraft, MemoryFilter};
use kimberly_core::ports::LexicalQuery;

use super::Bed;
use super::fixtures::{any_of, any_state, at, decide, draft, new_memory, user};

fn within(namespace: &str, content: &str) -> MemoryDraft {
    MemoryDraft { namespace: namespace.to_owned(), session_id: Some("s".to_owned()), ..draft(content) }
}

fn of(names: &[&str]) -> MemoryFilter {
    MemoryFilter { namespaces: names.iter().map(|name| (*name).to_owned()).collect(), ..MemoryFilter::default() }
}

/// Returns the numbers that pass a filter, and asserts that all reads with filters agree.
async fn passing(bed: &Bed, filter: MemoryFilter) -> Vec<i64> {
    bed.read("u", move |r| {
        let filter = filter.clone();
        Box::pin(async move {
            let query = LexicalQuery { filter: filter.clone(), ..any_of(&["tea"]) };
            let mut found: Vec<i64> = r.lexical(&query, 100).await?.iter().map(|hit| hit.seq.0).collect();
            found.sort_unstable();
            let seqs: Vec<_> = (1..=9).map(kimberly_core::ids::Seq).collect();
            let mut by_number: Vec<i64> = r.at_seqs(&seqs, &filter).await?.iter().map(|hit| hit.seq.0).collect();
            by_number.sort_unstable();
            let mut held: Vec<i64> = r.substring("tea", &filter, 100).await?.iter().map(|hit| hit.seq.0).collect();
            held.sort_unstable();
            let list = r.list(&filter, ListOrder::OldestFirst, None, 100, MAX_PAGE_BYTES).await?;
            let listed: Vec<i64> = list.iter().map(|memory| memory.seq.0).collect();
            let exported = r.export(&filter, None, 100, MAX_PAGE_BYTES).await?;
            let exported: Vec<i64> = exported.iter().map(|record| record.memory.seq.0).collect();
            for other in [by_number, held, listed, exported] {
                assert_eq!(found, other);
            }
            Ok(found)
        })
    })
    .await
}

/// A memory reads back with its namespace; filters by namespace apply in every read; unused names are forgotten.
pub async fn namespaces_divide_a_vault_and_are_filtered_everywhere(bed: &Bed) {
    let drafts = [("", "tea 1"), ("work", "tea 2"), ("ünï \"x\"", "tea 3"), ("work", "tea 4"), ("", "tea 5")];
    bed.remember("u", drafts.map(|(namespace, content)| within(namespace, content))).await;
    assert_eq!(bed.memory("u", 2).await.unwrap().draft.namespace, "work");
    assert_eq!(bed.memory("u", 3).await.unwrap().draft.namespace, "ünï \"x\"");
    assert_eq!(bed.memory("u", 5).await.unwrap().draft.namespace, "");
    assert_eq!(passing(bed, MemoryFilter::default()).await, [1, 2, 3, 4, 5]);
    assert_eq!(passing(bed, of(&["work"])).await, [2, 4]);
    assert_eq!(passing(bed, of(&[""])).await, [1, 5]);
    assert_eq!(passing(bed, of(&["", "ünï \"x\""])).await, [1, 3, 5]);
    assert_eq!(passing(bed, of(&["Work", "none"])).await, [0_i64; 0]);
    assert_eq!(passing(bed, MemoryFilter { tags_any: vec!["t".to_owned()], ..of(&["work"]) }).await, [0_i64; 0]);
    // Adds a namespace that caches do not have, and moves a memory.
    bed.insert("u", vec![new_memory(6, within("late", "tea 6"))]).await;
    let mut moved = bed.memory("u", 4).await.unwrap();
    "late".clone_into(&mut moved.draft.namespace);
    assert_eq!(passing(bed, of(&["late"])).await, [6]);
    bed.write("u", move |tx| {
        let moved = moved.clone();
        Box::pin(async move { tx.update_memory(&moved, None).await })
    })
    .await;
    assert_eq!(passing(bed, of(&["late"])).await, [4, 6]);
    assert_eq!(passing(bed, of(&["work"])).await, [2]);
    let gone = decide(&bed.memory("u", 2).await.unwrap(), Kind::Delete);
    bed.decide("u", 1, vec![gone], at(9)).await;
    assert_eq!(passing(bed, of(&["work"])).await, [0_i64; 0]);
    bed.insert("u", vec![new_memory(7, within("other", "tea 7"))]).await;
    assert_eq!(passing(bed, of(&["other"])).await, [7], "a number that is free again means the new name");
    assert_eq!(passing(bed, of(&["work"])).await, [0_i64; 0]);
    assert_eq!(passing(bed, any_state()).await, [1, 3, 4, 5, 6, 7]);
}

/// One name above the bound is refused without effect; known names are always accepted.
pub async fn a_vault_has_a_bounded_number_of_namespaces(bed: &Bed) {
    let named = |n: usize| within(&format!("n{n}"), "x");
    bed.remember("u", (0..MAX_NAMESPACES).map(named)).await;
    let one_more = vec![new_memory(9_000, named(MAX_NAMESPACES))];
    let refused = bed
        .vaults
        .transact(&user("u"), "test", move |tx| {
            let memories = one_more.clone();
            Box::pin(async move { tx.insert_memories(&memories).await })
        })
        .await;
    let Err(Error::LimitReached { what, limit }) = refused else { panic!("{refused:?}") };
    assert_eq!((what, limit), ("namespaces", MAX_NAMESPACES));
    bed.insert("u", vec![new_memory(9_001, named(0)), new_memory(9_002, draft("x"))]).await;
    assert_eq!(bed.usage("u").await.created, MAX_NAMESPACES as u64 + 2);
}
