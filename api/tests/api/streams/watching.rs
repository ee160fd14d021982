//! Watches: each change once and in order.

use std::collections::HashMap;

use kimberly_core::{MeditationId, Timestamp, UserId};
use kimberly_proto::v1;
use kimberly_runtime::config::ApiConfig;
use tonic::Code;

use super::{OTHER, kinds, lived_in, next_change, small_quotas, watch, watch_of};
use crate::common::{Served, USER, create, draft, reason};

#[tokio::test]
async fn watch_tells_every_change_once_and_in_order_across_reconnects() {
    let served = Served::start().await;
    served.remember("before").await;
    let (mut watched, now) = watch(&served, watch_of(USER)).await;
    let ids = lived_in(&served).await;
    let (mut changes, mut cursors) = (Vec::new(), vec![now]);
    for _ in 0..9 {
        let (change, cursor) = next_change(&mut watched).await;
        changes.push(change);
        cursors.push(cursor);
    }
    let expected =
        ["CREATED", "CREATED", "CREATED", "CREATED", "CREATED", "DELETED", "DELETED", "RESTORED", "ARCHIVED"];
    assert_eq!(kinds(&changes), expected);
    assert_eq!(changes[8].memory_id, ids[4]);
    assert_eq!(changes[8].reason(), v1::DecisionReason::SessionEnded);
    assert!(changes[..8].iter().all(|change| change.reason() == v1::DecisionReason::Unspecified));
    let etags: HashMap<_, _> = changes.iter().map(|change| (change.memory_id.clone(), change.etag.clone())).collect();
    for id in &ids {
        assert_eq!(served.get(id).await.unwrap().etag, etags[id], "the last change holds the etag of now");
    }
    for (done, cursor) in cursors.iter().enumerate().take(9) {
        let (mut again, first) =
            watch(&served, v1::WatchMemoriesRequest { cursor: cursor.clone(), ..watch_of(USER) }).await;
        assert_eq!(&first, cursor);
        for change in &changes[done..] {
            assert_eq!(&next_change(&mut again).await.0, change);
        }
    }
    let (mut whole, _) = watch(&served, v1::WatchMemoriesRequest { from_oldest: true, ..watch_of(USER) }).await;
    next_change(&mut whole).await;
    assert_eq!(next_change(&mut whole).await.0, changes[0]);
}

#[tokio::test]
async fn watch_sends_memories_as_they_are_and_only_those_that_pass() {
    let served = Served::start().await;
    let filter = Some(v1::MemoryFilter { tags_any: vec!["boat".to_owned()], ..Default::default() });
    let request = v1::WatchMemoriesRequest { include_memory: true, filter, ..watch_of(USER) };
    let (mut watched, _) = watch(&served, request.clone()).await;
    served.remember("no boat").await;
    let metadata = Some(v1::Metadata { tags: vec!["boat".to_owned()], ..Default::default() });
    let id = served.create(create(v1::MemoryDraft { metadata, ..draft("a boat") })).await.unwrap().id;
    let (change, cursor) = next_change(&mut watched).await;
    assert_eq!((change.memory_id.as_str(), change.memory.unwrap().content.as_str()), (id.as_str(), "a boat"));
    let foreign = [
        v1::WatchMemoriesRequest { cursor: cursor.clone(), ..watch_of(OTHER) },
        v1::WatchMemoriesRequest { cursor: cursor.clone(), ..watch_of(USER) },
        v1::WatchMemoriesRequest { cursor: "x".to_owned(), ..watch_of(USER) },
    ];
    for request in foreign {
        let refused = served.memories().watch_memories(request).await.map(drop).unwrap_err();
        assert_eq!(reason(&refused).1, "INVALID_PAGE_TOKEN");
    }
    let (mut again, _) = watch(&served, v1::WatchMemoriesRequest { cursor, ..request }).await;
    let delete = v1::DeleteMemoryRequest { user_id: USER.to_owned(), id, ..Default::default() };
    served.memories().delete_memory(delete).await.unwrap();
    let (change, _) = next_change(&mut again).await;
    assert_eq!(change.memory.unwrap().state, v1::MemoryState::Deleted as i32);
}

#[tokio::test]
async fn watch_from_a_cursor_that_is_too_old_says_so() {
    let served = Served::start().await;
    let (watched, cursor) = watch(&served, watch_of(USER)).await;
    drop(watched);
    for n in 0..5 {
        served.remember(&format!("memory {n}")).await;
    }
    let user = UserId::parse(USER).unwrap();
    let vaults = served.app.vaults.clone();
    let pruned = vaults.transact(&user, "test", |tx| Box::pin(tx.prune_changes(Timestamp::MAX, 100)));
    assert_eq!(pruned.await.unwrap(), 4);
    let request = v1::WatchMemoriesRequest { cursor, ..watch_of(USER) };
    let refused = served.memories().watch_memories(request).await.map(drop).unwrap_err();
    let (code, name, _) = reason(&refused);
    assert_eq!((code, name.as_str()), (Code::OutOfRange, "CURSOR_EXPIRED"));
    let (mut rest, _) = watch(&served, v1::WatchMemoriesRequest { from_oldest: true, ..watch_of(USER) }).await;
    assert_eq!(kinds(&[next_change(&mut rest).await.0]), ["CREATED"]);
}

#[tokio::test]
async fn meditation_tells_what_it_archives_and_why() {
    let served = Served::with(small_quotas(), ApiConfig::default()).await;
    for n in 0..9 {
        served.remember(&format!("{n} {}", "x".repeat(1_000))).await;
    }
    let (mut watched, _) = watch(&served, watch_of(USER)).await;
    let request = v1::MeditateRequest { user_id: USER.to_owned(), ..Default::default() };
    let run = served.meditations().meditate(request).await.unwrap().into_inner().meditation.unwrap();
    let user = UserId::parse(USER).unwrap();
    let id = MeditationId::parse("id", &run.id).unwrap();
    served.app.run_meditation(&user, id).await.unwrap();
    let (change, _) = next_change(&mut watched).await;
    assert_eq!((change.kind(), change.reason()), (v1::ChangeKind::Archived, v1::DecisionReason::OverQuota));
}
