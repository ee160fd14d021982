//! How streams end, and how many there may be.

use std::time::Duration;

use kimberly_core::settings::ServerDefaults;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;
use kimberly_runtime::config::{Config, LimitsConfig};
use kimberly_store::SqliteOptions;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;

use super::{OTHER, drafts, import_all, start, watch, watch_of};
use crate::common::{Served, USER, create, draft, reason};

#[tokio::test]
async fn streams_end_with_the_server_and_with_the_callers_deadline() {
    let served = Served::start().await;
    let mut request = tonic::Request::new(watch_of(USER));
    request.set_timeout(Duration::from_millis(300));
    let mut late = served.memories().watch_memories(request).await.unwrap().into_inner();
    late.message().await.unwrap().unwrap();
    let ended = late.message().await.unwrap_err();
    assert!(matches!(ended.code(), Code::DeadlineExceeded | Code::Cancelled), "{ended:?}");
    let (mut watched, _) = watch(&served, watch_of(USER)).await;
    let (send, receive) = mpsc::channel(16);
    let mut imported = served.memories().import_memories(ReceiverStream::new(receive)).await.unwrap().into_inner();
    send.send(start(USER, "stopped")).await.unwrap();
    imported.message().await.unwrap().unwrap();
    served.api.stop.cancel();
    for ended in [watched.message().await.unwrap_err(), imported.message().await.unwrap_err()] {
        let (code, name, _) = reason(&ended);
        assert_eq!((code, name.as_str()), (Code::Unavailable, "SHUTTING_DOWN"));
    }
}

#[tokio::test]
async fn watch_that_waits_for_its_first_turn_ends_with_the_server() {
    let limits = LimitsConfig { max_running_reads: 1, ..LimitsConfig::default() };
    let served = Served::configured(ServerDefaults::default(), Config { limits, ..Config::default() }).await;
    // All connections to one user's vault are busy, so a call that reads it holds the only permit.
    served.create(v1::CreateMemoryRequest { user_id: OTHER.to_owned(), ..create(draft("x")) }).await.unwrap();
    let (begins, mut begun) = mpsc::unbounded_channel();
    for _ in 0..SqliteOptions::new("unused").readers_per_vault {
        let (vaults, begins) = (served.app.vaults.clone(), begins.clone());
        tokio::spawn(async move {
            let user = UserId::parse(OTHER).unwrap();
            let endless = vaults.read(&user, move |_| {
                begins.send(()).unwrap();
                Box::pin(std::future::pending::<Result<()>>())
            });
            endless.await
        });
        begun.recv().await.unwrap();
    }
    let counted = async |name: &str| {
        let one = |(of, count): (String, f64)| of == name && count > 0.5;
        while !served.api.metrics.snapshot().into_iter().any(one) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let list = v1::ListMemoriesRequest { user_id: OTHER.to_owned(), ..Default::default() };
    let mut memories = served.memories();
    tokio::spawn(async move { memories.list_memories(list).await });
    counted("grpc.calls.wait.reads.count").await;
    let mut memories = served.memories();
    let watching = tokio::spawn(async move { memories.watch_memories(watch_of(USER)).await.map(drop) });
    counted("grpc.calls.waiting.reads").await;
    served.api.stop.cancel();
    let (code, name, _) = reason(&watching.await.unwrap().unwrap_err());
    assert_eq!((code, name.as_str()), (Code::Unavailable, "SHUTTING_DOWN"));
}

#[tokio::test]
async fn streams_have_a_bounded_number_of_permits() {
    let served = Served::start().await;
    let mut held = Vec::new();
    let refused = loop {
        match served.memories().watch_memories(watch_of(USER)).await {
            Ok(watched) => held.push(watched),
            Err(refused) => break refused,
        }
        assert!(held.len() < 1_000);
    };
    assert_eq!(reason(&refused).1, "OVERLOADED");
    let refused = import_all(&served, USER, "one", drafts(0..1)).await.end.unwrap_err();
    assert_eq!(reason(&refused).1, "OVERLOADED");
    import_all(&served, OTHER, "one", drafts(0..1)).await.end.unwrap();
    drop(held);
}
