//! How streams end, and how many there may be.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;

use super::{OTHER, drafts, import_all, start, watch, watch_of};
use crate::common::{Served, USER, reason};

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
async fn streams_have_a_bounded_number_of_places() {
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
