//! Maintenance: derived data is rebuilt, and the server describes itself.

use kimberly_proto::v1::{self as pb, Feature};
use kimberly_tests::System;

#[tokio::test]
async fn rebuilding_what_is_derived_loses_nothing_and_can_be_repeated() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let kept = ana.remember("The boiler was serviced in March.").await;
    let gone = ana.remember("The boiler man is called Igor.").await;
    ana.forget(&gone.id).await;
    for _ in 0..2 {
        let request = pb::RebuildDerivedRequest { user_id: ana.id(), vectors: false };
        let rebuilt = ana.clients.maintenance.rebuild_derived(request).await.expect("a rebuild").into_inner();
        assert_eq!((rebuilt.memories, rebuilt.counters_corrected), (2, false));
        assert_eq!(ana.recalled("boiler").await, ["The boiler was serviced in March."]);
    }
    ana.restore(&gone.id).await;
    assert_eq!(ana.recalled("boiler").await.len(), 2, "{}", kept.id);
}

#[tokio::test]
async fn rebuilding_makes_no_vault_for_an_unknown_user() {
    let system = System::start().await;
    let mut nobody = system.user("nobody");
    let request = pb::RebuildDerivedRequest { user_id: nobody.id(), vectors: false };
    let rebuilt = nobody.clients.maintenance.rebuild_derived(request).await.expect("an answer").into_inner();
    assert_eq!((rebuilt.memories, rebuilt.counters_corrected), (0, false));
    let metrics = nobody.clients.metrics.get_metrics(pb::GetMetricsRequest::default()).await.expect("metrics");
    let Some(pb::get_metrics_response::Metrics::System(metrics)) = metrics.into_inner().metrics else {
        panic!("no metrics of the system");
    };
    assert_eq!(metrics.users, 0);
}

#[tokio::test]
async fn server_says_what_it_serves_and_holds_itself_to_its_limits() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let info = ana.clients.server.get_server_info(pb::GetServerInfoRequest {}).await.expect("facts").into_inner();
    assert_eq!((info.api_version.as_str(), info.version.as_str()), ("kimberly.v1", env!("CARGO_PKG_VERSION")));
    assert!(info.features().any(|feature| feature == Feature::Json), "{info:?}");
    let limits = info.limits.expect("limits");
    let longest = usize::try_from(limits.max_content_bytes).expect("a length");
    let draft = |length| Some(pb::MemoryDraft { content: "x".repeat(length), ..pb::MemoryDraft::default() });
    let request = |length| pb::CreateMemoryRequest {
        user_id: "ana".to_owned(),
        memory: draft(length),
        request_id: String::new(),
        always_new: false,
    };
    ana.clients.memories.create_memory(request(longest)).await.expect("content of just the limit");
    let refused = ana.clients.memories.create_memory(request(longest + 1)).await.expect_err("content above the limit");
    assert_eq!(refused.code(), tonic::Code::InvalidArgument);
}
