//! Changes of memories are recorded with their cause, in commit order, without gaps.

use std::sync::Arc;

use kimberly_core::Error;
use kimberly_core::ids::Seq;
use kimberly_core::meditation::{Kind, Reason};
use kimberly_core::memory::{Change, ChangeKind, ChangeRange, Memory, MemoryFilter, MemoryState};
use kimberly_core::ports::{ChangeQuery, SeenChange, Touch};
use kimberly_core::time::Timestamp;

use ChangeKind::{Archived, Created, Deleted, Erased, Restored, Updated};

use super::Bed;
use super::fixtures::{any_state, at, decide, draft, memory_id, new_memory, score, user};

pub(super) async fn range(bed: &Bed) -> ChangeRange {
    bed.read("u", |r| Box::pin(r.change_range())).await
}

async fn seen(bed: &Bed, query: ChangeQuery) -> Vec<SeenChange> {
    let query = Arc::new(query);
    bed.read("u", move |r| {
        let query = Arc::clone(&query);
        Box::pin(async move { r.changes(&query).await })
    })
    .await
}

fn all_after(after: u64) -> ChangeQuery {
    ChangeQuery { after, filter: any_state(), with_memories: false, limit: 1_000, max_bytes: 1 << 20 }
}

/// Returns number, kind, memory, revision and time of all changes.
async fn told(bed: &Bed, after: u64) -> Vec<(u64, ChangeKind, u128, u64, Timestamp)> {
    let seen = seen(bed, all_after(after)).await;
    let tell =
        |Change { number, kind, memory_id, at, revision, .. }| (number, kind, memory_id.0.as_u128(), revision, at);
    seen.into_iter().map(|seen| tell(seen.change)).collect()
}

async fn rewrite(bed: &Bed, memory: Memory, record: bool) {
    bed.write("u", move |tx| {
        let memory = memory.clone();
        Box::pin(async move { tx.update_memory(&memory, record.then(|| score(0.5, 1)).as_ref()).await })
    })
    .await;
}

/// Calls every method that changes content or state, and expects exactly their changes.
pub async fn every_change_is_remembered_in_the_order_of_commits(bed: &Bed) {
    assert_eq!(range(bed).await, ChangeRange { oldest: 1, newest: 0 });
    let seqs = bed.remember("u", [draft("one"), draft("two"), draft("three")]).await;
    let mut changed = bed.memory("u", 1).await.unwrap();
    (changed.revision, changed.updated_at) = (2, at(20));
    rewrite(bed, changed, true).await;
    bed.set_state("u", seqs[1], MemoryState::Deleted).await;
    let mut rescued = bed.memory("u", 2).await.unwrap();
    (rescued.state, rescued.archived_at, rescued.delete_after) = (MemoryState::Active, None, None);
    (rescued.revision, rescued.updated_at) = (3, at(1_010));
    rewrite(bed, rescued, false).await;
    bed.set_state("u", seqs[0], MemoryState::Archived).await;
    bed.set_state("u", seqs[0], MemoryState::Active).await;
    let mut decisions = Vec::new();
    for (n, action) in [(1, Kind::Archive), (2, Kind::Spare), (3, Kind::Delete)] {
        decisions.push(decide(&bed.memory("u", n).await.unwrap(), action));
    }
    bed.decide("u", 1, decisions, at(1_020)).await;
    let expected = [
        (1, Created, 1, 1, at(1)),
        (2, Created, 2, 1, at(2)),
        (3, Created, 3, 1, at(3)),
        (4, Updated, 1, 2, at(20)),
        (5, Deleted, 2, 2, at(1_000)),
        (6, Restored, 2, 3, at(1_010)),
        (7, Archived, 1, 3, at(1_000)),
        (8, Restored, 1, 4, at(1_000)),
        (9, Archived, 1, 5, at(1_020)),
        (10, Erased, 3, 0, at(1_020)),
    ];
    assert_eq!(told(bed, 0).await, expected);
    assert_eq!(told(bed, 8).await, expected[8..]);
    assert!(told(bed, 10).await.is_empty());
    let reasons: Vec<_> = seen(bed, all_after(7)).await.iter().map(|seen| seen.change.reason).collect();
    assert_eq!(reasons, [None, Some(Reason::OverQuota), Some(Reason::OverQuota)]);
    assert_eq!(range(bed).await, ChangeRange { oldest: 1, newest: 10 });
    what_is_no_change_is_not_told(bed).await;
}

/// Touches, outcomes, scores and failed transactions record no change.
async fn what_is_no_change_is_not_told(bed: &Bed) {
    bed.write("u", |tx| {
        Box::pin(async move {
            tx.touch(&[Touch { seq: Seq(1), times: 1, at: at(2_000) }]).await?;
            tx.add_outcomes(&[Seq(1)], 1, 0).await
        })
    })
    .await;
    let who = user("u");
    let failed = bed.vaults.transact(&who, "test", |tx| {
        Box::pin(async move {
            tx.insert_memories(&[new_memory(9, draft("never was"))]).await?;
            Err::<(), _>(Error::PlanChanged)
        })
    });
    assert!(failed.await.is_err());
    assert_eq!(range(bed).await.newest, 10);
    bed.insert("u", vec![new_memory(10, draft("four"))]).await;
    assert_eq!(told(bed, 10).await.len(), 1, "numbers go on without a gap");
}

/// With many concurrent transactions, every number and every memory occurs once.
pub async fn concurrent_writers_share_one_order_of_changes(bed: &Bed) {
    let writers = (1..=40).map(|n| bed.insert("u", vec![new_memory(n, draft("many"))]));
    futures::future::join_all(writers).await;
    let told = told(bed, 0).await;
    assert_eq!(told.iter().map(|change| change.0).collect::<Vec<_>>(), (1..=40).collect::<Vec<_>>());
    let mut memories: Vec<_> = told.iter().map(|change| change.2).collect();
    memories.sort_unstable();
    assert_eq!(memories, (1..=40).collect::<Vec<_>>());
}

/// The filter applies to memories in their current state; erasures always pass.
pub async fn changes_are_seen_with_their_memories_as_they_are_now(bed: &Bed) {
    let mut tagged = draft("tagged");
    tagged.metadata.tags = vec!["a".to_owned()];
    let seqs = bed.remember("u", [tagged, draft("plain"), draft("going")]).await;
    bed.set_state("u", seqs[0], MemoryState::Deleted).await;
    let going = bed.memory("u", 3).await.unwrap();
    bed.decide("u", 1, vec![decide(&going, Kind::Delete)], at(30)).await;
    let filter = MemoryFilter { tags_any: vec!["a".to_owned()], ..any_state() };
    let query = ChangeQuery { filter, with_memories: true, ..all_after(0) };
    let found = seen(bed, query.clone()).await;
    let brief: Vec<_> = found.iter().map(|seen| (seen.passes, seen.memory.is_some())).collect();
    assert_eq!(brief, [(true, true), (false, false), (true, false), (true, true), (true, false)]);
    assert_eq!(found[0].memory, bed.memory("u", 1).await, "as it is now, not as it was");
    let few = ChangeQuery { limit: 2, after: 1, ..query.clone() };
    assert_eq!(seen(bed, few).await.iter().map(|seen| seen.change.number).collect::<Vec<_>>(), [2, 3]);
    let small = ChangeQuery { max_bytes: 0, ..query.clone() };
    assert_eq!(seen(bed, small).await.len(), 3, "one memory, however large, and what comes without one");
    let active = ChangeQuery { filter: MemoryFilter::default(), with_memories: false, ..query };
    let passes: Vec<_> = seen(bed, active).await.iter().map(|seen| seen.passes).collect();
    assert_eq!(passes, [false, true, true, false, true]);
}

/// Pruning goes in bounded steps without gaps, and keeps the newest change, so that no number is reused.
pub async fn old_changes_are_forgotten_from_the_oldest(bed: &Bed) {
    bed.remember("u", (0..6).map(|n| draft(&format!("memory {n}")))).await;
    let forget =
        |before, limit| async move { bed.write("u", move |tx| Box::pin(tx.prune_changes(before, limit))).await };
    assert_eq!(forget(at(1), 10).await, 0);
    assert_eq!(forget(at(3), 1).await, 1);
    assert_eq!(range(bed).await, ChangeRange { oldest: 2, newest: 6 });
    assert_eq!(forget(at(3), 10).await, 1);
    assert_eq!(range(bed).await, ChangeRange { oldest: 3, newest: 6 });
    // After a clock was set back, a later change has an earlier time; it stays behind one that is kept.
    let mut early = new_memory(7, draft("early"));
    early.created_at = at(0);
    bed.insert("u", vec![early]).await;
    assert_eq!(forget(at(3), 10).await, 0);
    assert_eq!(forget(at(1_000), 100).await, 4);
    assert_eq!(range(bed).await, ChangeRange { oldest: 7, newest: 7 });
    assert_eq!(forget(at(1_000), 100).await, 0);
    bed.insert("u", vec![new_memory(8, draft("next"))]).await;
    assert_eq!(told(bed, 7).await.iter().map(|change| (change.0, change.2)).collect::<Vec<_>>(), [(8, 8)]);
}

/// A watcher that subscribes before a commit is notified, even if it polls only later.
pub async fn commits_are_signalled_to_watchers(bed: &Bed) {
    bed.remember("u", [draft("first")]).await;
    let (mut told, mut other) = (bed.vaults.next_commit(&user("u")), bed.vaults.next_commit(&user("v")));
    bed.insert("u", vec![new_memory(2, draft("second"))]).await;
    let waited = futures::future::select(&mut told, &mut other).await;
    assert!(matches!(waited, futures::future::Either::Left(_)), "only this vault was written");
    assert_eq!(bed.memory("u", 2).await.map(|memory| memory.id), Some(memory_id(2)));
}
