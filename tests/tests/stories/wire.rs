//! Compression, sizes, deadlines, unknown methods.

use std::time::Duration;

use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::{self as pb};
use kimberly_tests::System;
use kimberly_tests::drafts::draft;
use tonic::codec::CompressionEncoding;
use tonic::{Code, Request};

#[tokio::test]
async fn gzip_and_zstd_are_spoken_both_ways() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let content = "compressible ".repeat(4_000);
    for encoding in [CompressionEncoding::Gzip, CompressionEncoding::Zstd] {
        let mut memories =
            MemoryServiceClient::new(system.channel()).send_compressed(encoding).accept_compressed(encoding);
        let memory = Some(draft(&content));
        let request =
            pb::CreateMemoryRequest { user_id: ana.id(), memory, request_id: String::new(), always_new: true };
        let id = memories.create_memory(request).await.expect("stored").into_inner().receipt.expect("a receipt").id;
        let request = pb::GetMemoryRequest { user_id: ana.id(), id, explain: false, ..Default::default() };
        let response = memories.get_memory(request).await.expect("read");
        let named = response.metadata().get("grpc-encoding").map(|value| value.to_str().unwrap_or_default().to_owned());
        assert_eq!(named.as_deref(), Some(if encoding == CompressionEncoding::Gzip { "gzip" } else { "zstd" }));
        assert_eq!(response.into_inner().memory.expect("a memory").content, content);
    }
    assert_eq!(ana.everything().await.len(), 2);
}

#[tokio::test]
async fn a_full_batch_passes_and_a_larger_message_is_refused() {
    let system =
        System::start_with(&[("KIMBERLY_QUOTAS__LONG_TERM", "64MiB"), ("KIMBERLY_API__MAX_REQUEST_BYTES", "6MiB")])
            .await;
    let mut ana = system.user("ana");
    let content = "x".repeat(4 * 1024);
    let memories: Vec<_> = (0..1_000).map(|_| draft(&content)).collect();
    assert_eq!(ana.remember_all(memories).await.len(), 1_000);
    let request = pb::QueryMemoriesRequest { user_id: ana.id(), query: "x".repeat(8 << 20), ..Default::default() };
    let refused = ana.clients.memories.query_memories(request).await.expect_err("8 MiB were taken");
    assert!([Code::OutOfRange, Code::ResourceExhausted].contains(&refused.code()), "{refused:?}");
    assert_eq!(ana.recall("anything").await.len(), 0, "the connection serves on");
}

#[tokio::test]
async fn a_deadline_that_has_passed_is_said_to_have_passed() {
    let system = System::start().await;
    let mut memories = system.clients().memories;
    let mut request = Request::new(pb::BatchCreateMemoriesRequest {
        user_id: "ana".to_owned(),
        memories: (0..1_000).map(|n| draft(&format!("{n} {}", "words and more words ".repeat(100)))).collect(),
        request_id: String::new(),
        always_new: true,
    });
    request.set_timeout(Duration::from_millis(1));
    let refused = memories.batch_create_memories(request).await.expect_err("a millisecond is too short");
    assert!([Code::DeadlineExceeded, Code::Cancelled].contains(&refused.code()), "{refused:?}");
}
