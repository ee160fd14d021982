//! Callers limited to some memories, who cannot notice the others.

mod decided;
mod dice;
mod equal;
mod lineage;

use std::sync::Arc;

use kimberly_core::Error;
use kimberly_core::access::{CallerVaults, Grant, Rows};
use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::memory::{Memory, MemoryDraft, MemoryFilter, MemoryState, Metadata, Tier};
use kimberly_core::ports::{RowFacts, Vaults};
use uuid::Uuid;

pub use decided::sizes_of_decisions_are_of_the_memory_alone;
pub use equal::a_limited_reader_is_one_of_a_vault_without_the_rest;
pub use lineage::a_chain_is_followed_as_far_as_its_reader_sees;

use super::Bed;
use super::fixtures::{any_of, any_state, at, draft, memory_id, new_memory, user};

pub(super) fn rows(namespaces: &[&str], tiers: &[Tier], exclude_sensitive: bool) -> Rows {
    let names: Vec<String> = namespaces.iter().map(|name| (*name).to_owned()).collect();
    Rows::parse("grant", &names, tiers, exclude_sensitive).unwrap()
}

pub(super) fn limited(bed: &Bed, rows: Rows) -> Arc<dyn Vaults> {
    let grant = Grant { rows, ..Grant::everything() };
    Arc::new(CallerVaults::new(Arc::clone(&bed.vaults), Arc::new(grant), "limited".into()))
}

pub(super) fn draft_in(namespace: &str, tier: Tier, sensitive: bool, content: &str) -> MemoryDraft {
    let metadata = Metadata { sensitive, ..draft("").metadata };
    MemoryDraft { namespace: namespace.to_owned(), tier, metadata, ..draft(content) }
}

/// Facts are returned in the order of the ids, and include withheld memories.
pub async fn facts_come_in_the_order_asked(bed: &Bed) {
    let drafts = [draft_in("work", Tier::Permanent, false, "a"), draft_in("", Tier::ShortTerm, true, "b")];
    bed.remember("u", drafts).await;
    let ids = [2, 9, 1, 2].map(memory_id);
    let facts = bed.read("u", move |r| Box::pin(async move { r.row_facts(&ids).await })).await;
    let second =
        RowFacts { seq: Seq(2), tier: Tier::ShortTerm, namespace: String::new(), sensitive: true, withheld: false };
    let first = RowFacts {
        seq: Seq(1),
        tier: Tier::Permanent,
        namespace: "work".to_owned(),
        sensitive: false,
        withheld: false,
    };
    assert_eq!(facts, [Some(second.clone()), None, Some(first), Some(second)]);
    assert!(bed.read("nobody", |r| Box::pin(async move { r.row_facts(&[memory_id(1)]).await })).await[0].is_none());
    assert!(bed.read("u", |r| Box::pin(async move { r.row_facts(&[]).await })).await.is_empty());
}

/// A word that occurs only in memories that the filter excludes is unknown.
pub async fn words_are_known_among_what_passes(bed: &Bed) {
    bed.remember(
        "u",
        [("work", "tea"), ("home", "quokkas \"n' roll")].map(|(n, c)| draft_in(n, Tier::LongTerm, false, c)),
    )
    .await;
    let known = |namespaces: &[&str]| {
        let namespaces: Vec<String> = namespaces.iter().map(|name| (*name).to_owned()).collect();
        let filter = MemoryFilter { namespaces, ..any_state() };
        bed.read("u", move |r| {
            let filter = filter.clone();
            Box::pin(async move {
                let words = ["tea", "quokka", "roll", "none", "\""].map(str::to_owned);
                r.known_words(&words, Some(&filter)).await
            })
        })
    };
    assert_eq!(known(&["work"]).await, [true, false, false, false, false]);
    assert_eq!(known(&["home"]).await, [false, true, true, false, false]);
    assert_eq!(known(&[]).await, [true, true, true, false, false]);
}

/// A limited caller can change only memories within reach, and cannot add or move memories out of reach.
pub async fn a_limited_writer_changes_what_it_reaches_alone(bed: &Bed) {
    let (long, short) = (Tier::LongTerm, Tier::ShortTerm);
    bed.remember("u", [draft_in("work", long, false, "mine"), draft_in("home", long, false, "theirs")]).await;
    let vaults = limited(bed, rows(&["work"], &[long], true));
    let attempt = |memory: Memory| {
        let vaults = Arc::clone(&vaults);
        async move {
            vaults
                .transact(&user("u"), "test", move |tx| {
                    let memory = memory.clone();
                    Box::pin(async move { tx.update_memory(&memory, None).await })
                })
                .await
        }
    };
    let (mine, theirs) = (bed.memory("u", 1).await.unwrap(), bed.memory("u", 2).await.unwrap());
    let moved = |draft: MemoryDraft| Memory { draft, ..mine.clone() };
    for memory in [
        moved(draft_in("home", long, false, "mine")),
        moved(draft_in("work", short, false, "mine")),
        moved(draft_in("work", long, true, "mine")),
        theirs.clone(),
        Memory { draft: mine.draft.clone(), ..theirs.clone() },
    ] {
        assert!(matches!(attempt(memory.clone()).await, Err(Error::Denied)), "{memory:?}");
    }
    attempt(moved(draft_in("work", long, false, "ours"))).await.unwrap();
    for draft in
        [draft_in("home", long, false, "x"), draft_in("work", short, false, "x"), draft_in("work", long, true, "x")]
    {
        let refused = insert(&vaults, 7, draft).await;
        assert!(matches!(refused, Err(Error::Denied)), "{refused:?}");
    }
    insert(&vaults, 8, draft_in("work", long, false, "new")).await.unwrap();
    for (n, seq) in [(1, Seq(2)), (2, Seq(1))] {
        let state = vaults
            .transact(&user("u"), "test", move |tx| {
                Box::pin(async move {
                    tx.add_outcomes(&[seq], 1, 0).await?;
                    tx.set_state(seq, MemoryState::Deleted, Some(at(1)), Some(at(2)), at(1)).await
                })
            })
            .await;
        assert_eq!(state.is_ok(), seq == Seq(1), "attempt {n}: {state:?}");
    }
    assert_eq!(bed.memory("u", 2).await.unwrap(), theirs);
    assert_eq!(bed.memory("u", 1).await.unwrap().state, MemoryState::Deleted);
    assert_eq!(bed.found("u", any_of(&["new", "theirs", "ours", "x"])).await.len(), 2);
}

async fn insert(vaults: &Arc<dyn Vaults>, n: u32, draft: MemoryDraft) -> Result<Vec<Seq>> {
    let memories = Arc::new(vec![new_memory(n, draft)]);
    vaults
        .transact(&user("u"), "test", move |tx| {
            let memories = Arc::clone(&memories);
            Box::pin(async move { tx.insert_memories(&memories).await })
        })
        .await
}

/// Usage, goals, runs and the audit cover all memories, so limited callers are refused.
pub async fn what_is_about_whole_vaults_is_refused_to_the_limited(bed: &Bed) {
    bed.remember("u", [draft_in("work", Tier::LongTerm, false, "mine")]).await;
    let vaults = limited(bed, rows(&["work"], &[], false));
    macro_rules! refused {
        ($($name:ident($($given:expr),*))+) => {$(
            let said = vaults.read(&user("u"), |r| Box::pin(async move { r.$name($($given),*).await.map(drop) })).await;
            assert!(matches!(said, Err(Error::Denied)), "{}: {said:?}", stringify!($name));
        )+};
    }
    refused! {
        usage() recount() sizes() import_progress("i") goals(None, None, 1) count_goals() meditations(None, 1)
        waiting_meditation() last_meditation() scoring_items(true, None, 1) retention_items() pruned_on(1)
        embedding_subjects() outbox(1) audit_range() count_consents(at(1))
    }
    let rebuilt = vaults.transact(&user("u"), "test", |tx| Box::pin(tx.rebuild_index(Uuid::nil(), None))).await;
    assert!(matches!(rebuilt, Err(Error::Denied)), "{rebuilt:?}");
}
