//! The evidence of graphs of entities, and the cache of graphs.

use std::sync::Arc;

use kimberly_core::entities::{FRESH_FOR, Graph, GraphCache, Mention, ReadMark, Ruled, Ruling, Tie, mentions_of};
use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::memory::MemoryState;
use kimberly_core::ports::{BoxFuture, Touch, VaultTransaction, Vaults};
use kimberly_core::tables::{self, TableRow};
use kimberly_core::time::{Span, Timestamp};

use super::Bed;
use super::fixtures::{at, draft, memory_id, new_memory, user};
use super::rows::{draft_in, limited, rows};

const PAIR: &str = "Ana Silva works with Ben Costa at Acme Corp.";

/// Notes what memories with these numbers name and state.
async fn read_by_a_night(bed: &Bed, seqs: &'static [i64]) {
    bed.write("u", move |tx| {
        Box::pin(async move {
            let memories = tx.memories(&seqs.iter().copied().map(Seq).collect::<Vec<_>>()).await?;
            tables::put(tx, &memories.iter().flat_map(mentions_of).collect::<Vec<_>>()).await?;
            tables::put(tx, &memories.iter().flat_map(Tie::all_of).collect::<Vec<_>>()).await
        })
    })
    .await;
}

async fn version(bed: &Bed) -> u64 {
    bed.read("u", |r| Box::pin(r.evidence_version())).await
}

/// Writes, and reports whether that changed the version.
async fn moves<F>(bed: &Bed, write: F) -> bool
where
    F: for<'t> FnMut(&'t mut dyn VaultTransaction) -> BoxFuture<'t, Result<()>> + Send + 'static,
{
    let before = version(bed).await;
    bed.write("u", write).await;
    version(bed).await != before
}

/// Adding and using memories leaves the version as it is, so that a graph stays cached while an assistant works.
pub async fn the_version_of_evidence_moves_with_what_graphs_are_built_from(bed: &Bed) {
    bed.remember("u", [draft(PAIR), draft(PAIR), draft(PAIR)]).await;
    let mention = |n| mentions_of(&bed_memory(n)).remove(0);
    let before = version(bed).await;
    bed.insert("u", vec![new_memory(4, draft(PAIR))]).await;
    assert_eq!(version(bed).await, before, "a new memory has no evidence yet");
    let touch = Touch { seq: Seq(1), times: 1, at: at(60) };
    assert!(!moves(bed, move |tx| Box::pin(async move { tx.touch(&[touch]).await })).await);
    let mark = || ReadMark { step: "entities".to_owned(), memory: memory_id(1), rules: 1 };
    assert!(!moves(bed, move |tx| Box::pin(async move { tables::put(tx, &[mark()]).await })).await);
    let one = mention(1);
    assert!(
        moves(bed, move |tx| {
            let one = one.clone();
            Box::pin(async move { tables::put(tx, &[one]).await })
        })
        .await
    );
    let tie = Tie::all_of(&bed_memory(1)).remove(0);
    assert!(
        moves(bed, move |tx| {
            let tie = tie.clone();
            Box::pin(async move { tables::put(tx, &[tie]).await })
        })
        .await
    );
    let name = mention(1).name;
    let (ruled, at) = (Ruled::Dismissed, at(9));
    assert!(
        moves(bed, move |tx| {
            let ruling = Ruling { ruled, name, other: name, memory: memory_id(1), at, called: None };
            Box::pin(async move { tables::put(tx, &[ruling]).await })
        })
        .await
    );
    let gone = || Mention::query().is("memory_id", memory_id(1));
    assert!(moves(bed, move |tx| Box::pin(async move { tables::delete(tx, &gone()).await.map(drop) })).await);
    let before = version(bed).await;
    bed.set_state("u", Seq(2), MemoryState::Deleted).await;
    assert_ne!(version(bed).await, before);
    let ended = bed.memory("u", 1).await.unwrap();
    assert!(
        moves(bed, move |tx| {
            let mut ended = ended.clone();
            (ended.draft.valid_to, ended.revision) = (Some(at), ended.revision + 1);
            Box::pin(async move { tx.update_memory(&ended, None).await })
        })
        .await
    );
    assert!(moves(bed, |tx| Box::pin(async move { tx.erase_memories(&[Seq(3)], Timestamp(1)).await })).await);
}

/// A graph of before an erasure by another process goes although no call asks for a newer one.
pub async fn graphs_that_name_what_was_erased_are_evicted_in_every_process(bed: &Bed) {
    bed.remember("u", [draft(PAIR), draft("unrelated")]).await;
    read_by_a_night(bed, &[1]).await;
    let cache = GraphCache::default();
    load(&bed.vaults, &cache, (at(100), at(100))).await;
    cache.forget_stale(&bed.vaults, at(130)).await;
    assert!(cache.holds(&user("u")), "nothing changed");
    bed.write("u", |tx| Box::pin(async move { tx.erase_memories(&[Seq(1)], at(131)).await })).await;
    cache.forget_stale(&bed.vaults, at(132)).await;
    assert!(!cache.holds(&user("u")));
    load(&bed.vaults, &cache, (at(140), at(140))).await;
    cache.forget_stale(&bed.vaults, at(201)).await;
    assert!(!cache.holds(&user("u")), "a minute has passed");
}

/// A memory as the fixtures store it, for what is read in its text alone.
fn bed_memory(n: u32) -> kimberly_core::memory::Memory {
    new_memory(n, draft(PAIR)).into_record().memory
}

async fn load(vaults: &Arc<dyn Vaults>, cache: &GraphCache, times: (Timestamp, Timestamp)) -> (Timestamp, Arc<Graph>) {
    let (user, cache) = (user("u"), cache.clone());
    let of = user.clone();
    let read = vaults.read(&user, move |r| {
        let (of, cache) = (of.clone(), cache.clone());
        Box::pin(async move { cache.load(r, (&of, &[]), times).await })
    });
    read.await.unwrap()
}

/// A cached graph is used for a minute and until its evidence changes, and is then the one that a reader builds.
pub async fn a_graph_is_built_once_while_its_evidence_stays_the_same(bed: &Bed) {
    bed.remember(
        "u",
        [draft_in("work", kimberly_core::memory::Tier::LongTerm, false, PAIR), draft("Carla Novak met Ana Silva.")],
    )
    .await;
    read_by_a_night(bed, &[1]).await;
    let cache = GraphCache::default();
    let now = |seconds| (at(seconds).minus(FRESH_FOR), at(seconds));
    let (as_of, first) = load(&bed.vaults, &cache, now(100)).await;
    assert!(as_of == at(100) && !first.entities.is_empty());
    bed.insert("u", vec![new_memory(9, draft("unrelated"))]).await;
    let (as_of, second) = load(&bed.vaults, &cache, now(130)).await;
    assert!(as_of == at(100) && Arc::ptr_eq(&first, &second), "nothing was read but the version");
    let (as_of, exact) = load(&bed.vaults, &cache, (at(130), at(130))).await;
    assert!(as_of == at(130) && !Arc::ptr_eq(&first, &exact), "a time that is asked for is kept to");
    let (as_of, later) = load(&bed.vaults, &cache, now(191)).await;
    assert!(as_of == at(191) && !Arc::ptr_eq(&exact, &later), "a minute has passed");
    read_by_a_night(bed, &[2]).await;
    let (_, grown) = load(&bed.vaults, &cache, now(192)).await;
    let built = bed.read("u", |r| Box::pin(async move { Graph::load(r, &[], at(192)).await })).await;
    assert!(*grown == built && grown.entities.len() > first.entities.len());
    bed.set_state("u", Seq(2), MemoryState::Archived).await;
    let (_, shrunk) = load(&bed.vaults, &cache, now(193)).await;
    assert_eq!(shrunk.entities.len(), first.entities.len());
    // A limited caller, whose cache is its own.
    let (_, seen) = load(&limited(bed, rows(&["home"], &[], false)), &GraphCache::default(), now(193)).await;
    assert!(seen.entities.is_empty() && seen.mentions.is_empty());
    cache.forget(&user("u"));
    assert!(!Arc::ptr_eq(&shrunk, &load(&bed.vaults, &cache, now(194)).await.1));
    assert_eq!(FRESH_FOR, Span::seconds(60));
}
