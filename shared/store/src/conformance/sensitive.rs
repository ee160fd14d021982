//! Sensitive memories are found and read like all others, however a backend stores them.

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::memory::{Memory, MemoryDraft, MemoryFilter, MemoryState, SensitivityFilter, Tier};
use kimberly_core::ports::{LexicalQuery, LexicalTerm, VaultReader};

use super::Bed;
use super::fixtures::{any_of, any_state, at, draft, memory_id, new_memory};

fn sensitive(content: &str) -> MemoryDraft {
    let mut draft = draft(content);
    draft.metadata.sensitive = true;
    draft
}

fn term(words: &[&str], prefix: bool) -> LexicalTerm {
    LexicalTerm { words: words.iter().map(|word| (*word).to_owned()).collect(), prefix }
}

async fn some(bed: &Bed) {
    let drafts = [
        draft("the heron stood in the river"),
        sensitive("herons, herons: my heron is ill"),
        sensitive("green tea against the illness"),
        draft("tea that is green"),
        sensitive("100% a_b, said Dr. Quokka"),
    ];
    bed.remember("u", drafts).await;
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Words, phrases, prefixes and conjunctions, under any filter.
pub async fn sensitive_words_are_found_like_others(bed: &Bed) {
    some(bed).await;
    let cases = [
        (vec![term(&["heron"], false)], vec![], vec![1, 2]),
        (vec![term(&["green", "tea"], false)], vec![], vec![3]),
        (vec![term(&["tea"], false)], vec![term(&["green"], false)], vec![3, 4]),
        (vec![term(&["ill"], true)], vec![], vec![2, 3]),
        (vec![], vec![term(&["heron"], false), term(&["ill"], false)], vec![2]),
        (vec![term(&["river"], false), term(&["quokka"], false)], vec![], vec![1, 5]),
        (vec![term(&["quokkas"], false)], vec![term(&["river"], false)], vec![]),
        (vec![term(&["zebra"], false)], vec![], vec![]),
    ];
    for (any, all, expected) in cases {
        for (sensitivity, passes) in [
            (SensitivityFilter::Any, [1, 2, 3, 4, 5].as_slice()),
            (SensitivityFilter::Only, &[2, 3, 5]),
            (SensitivityFilter::Exclude, &[1, 4]),
        ] {
            let filter = MemoryFilter { sensitivity, ..MemoryFilter::default() };
            let query = LexicalQuery { any: any.clone(), all: all.clone(), filter };
            let mut found = bed.found("u", query.clone()).await;
            found.sort_unstable();
            let expected: Vec<i64> = expected.iter().copied().filter(|n| passes.contains(n)).collect();
            assert_eq!(found, expected, "{query:?}");
        }
    }
    let tiers = MemoryFilter { tiers: vec![Tier::Permanent], ..MemoryFilter::default() };
    assert_eq!(bed.found("u", LexicalQuery { filter: tiers, ..any_of(&["heron"]) }).await, [0_i64; 0]);
    let hits = bed.read("u", |r| Box::pin(async move { r.lexical(&any_of(&["heron"]), 10).await })).await;
    assert_eq!(hits.iter().map(|hit| hit.seq.0).collect::<Vec<_>>(), [2, 1], "three times weighs more than once");
    assert!(hits.iter().all(|hit| hit.bm25 > 0.0), "{hits:?}");
}

/// Single words, corrections of misspelled words, and substrings.
pub async fn sensitive_words_are_known_and_pieces_are_found(bed: &Bed) {
    some(bed).await;
    let only = MemoryFilter { sensitivity: SensitivityFilter::Only, ..MemoryFilter::default() };
    let exclude = MemoryFilter { sensitivity: SensitivityFilter::Exclude, ..MemoryFilter::default() };
    for (among, expected) in [
        (None, [true, true, true, false, true]),
        (Some(only), [true, false, true, false, true]),
        (Some(exclude), [true, true, false, false, false]),
    ] {
        let asked = words(&["herons", "river", "quokka", "zebra", "dr. quokka"]);
        let shown = among.clone();
        let known = bed
            .read("u", move |r| {
                let (asked, among) = (asked.clone(), among.clone());
                Box::pin(async move { r.known_words(&asked, among.as_ref()).await })
            })
            .await;
        assert_eq!(known, expected, "{shown:?}");
    }
    let mut vocabulary = bed.read("u", |r| Box::pin(r.vocabulary(&['h', 'q'], 4, 6))).await;
    vocabulary.sort();
    assert_eq!(vocabulary, [("heron".to_owned(), 2), ("quokka".to_owned(), 1)]);
    for (text, limit, expected) in [
        ("HERON", 10, vec![2, 1]),
        ("heron", 1, vec![2]),
        ("0% A_b", 10, vec![5]),
        ("0%b", 10, vec![]),
        ("tea", 10, vec![4, 3]),
        ("", 10, vec![5, 4, 3, 2, 1]),
    ] {
        let found = bed
            .read("u", move |r| Box::pin(async move { r.substring(text, &MemoryFilter::default(), limit).await }))
            .await;
        assert_eq!(found.iter().map(|hit| hit.seq.0).collect::<Vec<_>>(), expected, "{text:?}");
    }
}

async fn change(bed: &Bed, n: u128, how: impl Fn(&mut Memory)) {
    let mut memory = bed.memory("u", n).await.unwrap();
    how(&mut memory);
    let memory = Arc::new(memory);
    bed.write("u", move |tx| {
        let memory = Arc::clone(&memory);
        Box::pin(async move { tx.update_memory(&memory, None).await })
    })
    .await;
}

/// Becoming sensitive and ceasing to be, changed, withdrawn, restored and erased: each takes effect at once.
pub async fn changes_of_sensitive_memories_are_found_at_once(bed: &Bed) {
    some(bed).await;
    let heron = || any_of(&["heron"]);
    for sensitive in [true, false, true] {
        for n in [1, 2] {
            change(bed, n, |memory| memory.draft.metadata.sensitive = sensitive).await;
        }
        let mut found = bed.found("u", heron()).await;
        found.sort_unstable();
        assert_eq!(found, [1, 2], "{sensitive}");
        let read = bed.memory("u", 2).await.unwrap();
        assert_eq!(
            (read.draft.content.as_str(), read.draft.metadata.sensitive),
            ("herons, herons: my heron is ill", sensitive)
        );
    }
    change(bed, 2, |memory| {
        memory.draft.content = String::from("an egret");
        memory.draft.attributes = Some("{\"a\":1}".to_owned());
        memory.draft.metadata.channels = words(&["mail", "chat"]);
    })
    .await;
    assert_eq!((bed.found("u", heron()).await, bed.found("u", any_of(&["egret"])).await), (vec![1], vec![2]));
    let read = bed.memory("u", 2).await.unwrap().draft;
    assert_eq!((read.attributes.as_deref(), read.metadata.channels), (Some("{\"a\":1}"), words(&["mail", "chat"])));
    bed.insert("u", vec![new_memory(6, sensitive("egrets")), new_memory(7, draft("egret"))]).await;
    assert_eq!(bed.found("u", any_of(&["egret"])).await.len(), 3);
    bed.set_state("u", Seq(2), MemoryState::Deleted).await;
    let all = LexicalQuery { filter: any_state(), ..any_of(&["egret"]) };
    assert_eq!(bed.found("u", all.clone()).await.len(), 2);
    bed.set_state("u", Seq(2), MemoryState::Active).await;
    assert_eq!(bed.found("u", all.clone()).await.len(), 3);
    bed.write("u", |tx| Box::pin(async move { tx.erase_memories(&[Seq(2), Seq(6)], at(9)).await })).await;
    assert_eq!(bed.found("u", all).await, [7]);
    assert!(bed.memory("u", 2).await.is_none());
    bed.usage("u").await;
}

/// A work finds what it has just written; other readers find it only after the commit.
pub async fn a_work_finds_its_own_sensitive_words(bed: &Bed) {
    some(bed).await;
    let memory = Arc::new(new_memory(6, sensitive("an ibis and a heron")));
    let found = bed
        .write("u", move |tx| {
            let memory = Arc::clone(&memory);
            Box::pin(async move {
                tx.insert_memories(std::slice::from_ref(&memory)).await?;
                let reader: &mut dyn VaultReader = tx.as_reader();
                let hits = reader.lexical(&any_of(&["ibis", "heron"]), 10).await?;
                let known = reader.known_words(&words(&["ibis"]), None).await?;
                Ok((hits.iter().map(|hit| hit.seq.0).collect::<Vec<_>>(), known))
            })
        })
        .await;
    assert_eq!((found.0[0], found.0.len(), found.1), (6, 3, vec![true]));
    let failed = Arc::new(new_memory(7, sensitive("a stork")));
    let taken_back: Result<()> = bed
        .vaults
        .transact(&super::fixtures::user("u"), "test", move |tx| {
            let failed = Arc::clone(&failed);
            Box::pin(async move {
                tx.insert_memories(std::slice::from_ref(&failed)).await?;
                assert_eq!(tx.lexical(&any_of(&["stork"]), 10).await?.len(), 1);
                Err(kimberly_core::Error::memory_not_found(memory_id(7)))
            })
        })
        .await;
    assert!(taken_back.is_err());
    assert_eq!(bed.found("u", any_of(&["stork"])).await, [0_i64; 0]);
    assert_eq!(bed.found("u", any_of(&["ibis"])).await, [6]);
}
