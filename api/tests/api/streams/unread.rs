//! Clients that open streams and never read. They must hold nothing that others need.

use std::time::Duration;

use super::{Item, export_of, import_all, item, start, watch_of};
use crate::common::{Served, USER, draft, reason};
use kimberly_core::settings::ServerDefaults;
use kimberly_proto::v1;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_runtime::config::{Config, LimitsConfig};
use tonic::transport::Endpoint;

/// More streams than any test machine has permits for reads.
const STREAMS: usize = 80;

fn list_of(user: &str) -> v1::ListMemoriesRequest {
    v1::ListMemoriesRequest { user_id: user.to_owned(), ..Default::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_that_are_never_read_do_not_block_reads_and_writes() {
    let served = Served::start().await;
    let endpoint = Endpoint::from_shared(format!("http://{}", served.address)).unwrap();
    let closed = endpoint.initial_stream_window_size(0).connect().await.unwrap();
    let mut unread = MemoryServiceClient::new(closed);
    let (mut exports, mut watches, mut imports) = (Vec::new(), Vec::new(), Vec::new());
    for n in 0..STREAMS {
        let user = format!("user {n}");
        import_all(&served, &user, "one", vec![item(0, Item::Draft(draft("kept")))]).await.end.unwrap();
        match n % 4 {
            0 => watches.push(unread.watch_memories(watch_of(&user)).await.unwrap()),
            1 => {
                let messages = tokio_stream::iter([start(&user, "two"), item(0, Item::Draft(draft("more")))]);
                imports.push(unread.import_memories(messages).await.unwrap());
            }
            _ => exports.push(unread.export_memories(export_of(&user)).await.unwrap()),
        }
    }
    for n in 0..STREAMS {
        let user = format!("user {n}");
        served.memories().list_memories(list_of(&user)).await.unwrap();
        let end = import_all(&served, &user, "three", vec![item(0, Item::Draft(draft("also")))]).await.end;
        end.unwrap();
    }
}

#[tokio::test]
async fn a_stream_that_is_never_read_releases_its_permit_at_its_deadline() {
    let limits = LimitsConfig { max_streams: 1, ..LimitsConfig::default() };
    let served = Served::configured(ServerDefaults::default(), Config { limits, ..Config::default() }).await;
    served.remember("something to export").await;
    let endpoint = Endpoint::from_shared(format!("http://{}", served.address)).unwrap();
    let closed = endpoint.initial_stream_window_size(0).connect().await.unwrap();
    let mut request = tonic::Request::new(export_of(USER));
    request.set_timeout(Duration::from_secs(1));
    let unread = MemoryServiceClient::new(closed).export_memories(request).await.unwrap();
    let refused = served.memories().export_memories(export_of(USER)).await.map(drop).unwrap_err();
    assert_eq!(reason(&refused).1, "OVERLOADED");
    let served_again = async {
        while served.memories().export_memories(export_of(USER)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), served_again).await.expect("the place is given back");
    drop(unread);
}
