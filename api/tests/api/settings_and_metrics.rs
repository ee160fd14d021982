//! Stories of `SettingsService` and `MetricsService`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail their test")]

use crate::common::{Served, USER, create, draft, fields, mask, reason};
use kimberly_proto::v1;
use kimberly_proto::v1::get_metrics_response::Metrics;
use kimberly_proto::v1::memory_tool_service_client::MemoryToolServiceClient;
use kimberly_proto::v1::review_service_client::ReviewServiceClient;
use tonic::Code;

fn update(values: &v1::UserSettings, paths: &[&str]) -> v1::UpdateSettingsRequest {
    let user_id = USER.to_owned();
    v1::UpdateSettingsRequest {
        user_id,
        user_settings: Some(*values),
        update_mask: Some(mask(paths)),
        ..Default::default()
    }
}

async fn get(served: &Served) -> v1::GetSettingsResponse {
    let request = v1::GetSettingsRequest { user_id: USER.to_owned() };
    served.settings().get_settings(request).await.unwrap().into_inner()
}

#[tokio::test]
async fn setting_holds_until_it_is_reset_and_says_where_it_comes_from() {
    let served = Served::start().await;
    let before = get(&served).await;
    assert_eq!((before.etag.as_str(), before.user_settings), ("0", Some(v1::UserSettings::default())));
    assert_eq!(before.warnings, ["a warning of the configuration"]);
    let scoring = Some(v1::user_settings::Scoring::Preset(v1::WeightPreset::Archival as i32));
    let values = v1::UserSettings { long_term_quota_bytes: Some(4_096), scoring, ..Default::default() };
    let request = update(&values, &["long_term_quota_bytes", "scoring"]);
    let answer = served.settings().update_settings(request).await.unwrap().into_inner();
    let effective = answer.effective.unwrap();
    assert_eq!(effective.long_term_quota.unwrap(), v1::EffectiveBytes { value: 4_096, origin: 1 });
    let weights = effective.weights.unwrap();
    assert_eq!((weights.origin, weights.preset), (1, v1::WeightPreset::Archival as i32));
    assert!((weights.value.unwrap().relevance_to_goals - 0.45).abs() < 1e-9);
    let reset = update(&v1::UserSettings::default(), &["long_term_quota_bytes"]);
    served.settings().update_settings(reset).await.unwrap();
    let after = get(&served).await;
    assert_eq!((after.etag.as_str(), after.effective.unwrap().long_term_quota.unwrap().origin), ("2", 6));
    assert!(after.user_settings.unwrap().scoring.is_some(), "what the mask does not name stays");
}

#[tokio::test]
async fn settings_refuse_a_stale_etag_and_replay_an_answer() {
    let served = Served::start().await;
    let values = |bytes| v1::UserSettings { long_term_quota_bytes: Some(bytes), ..Default::default() };
    let keyed = |bytes| v1::UpdateSettingsRequest {
        request_id: "r".to_owned(),
        ..update(&values(bytes), &["long_term_quota_bytes"])
    };
    let first = served.settings().update_settings(keyed(4_096)).await.unwrap().into_inner();
    served.settings().update_settings(update(&values(8_192), &["long_term_quota_bytes"])).await.unwrap();
    assert_eq!(served.settings().update_settings(keyed(4_096)).await.unwrap().into_inner(), first);
    assert_eq!(reason(&served.settings().update_settings(keyed(5_000)).await.unwrap_err()).1, "REQUEST_ID_REUSED");
    let stale =
        v1::UpdateSettingsRequest { etag: "1".to_owned(), ..update(&values(1_024), &["long_term_quota_bytes"]) };
    let (code, name, metadata) = reason(&served.settings().update_settings(stale).await.unwrap_err());
    assert_eq!((code, name.as_str(), metadata["etag"].as_str()), (Code::Aborted, "ETAG_MISMATCH", "2"));
    let unknown = served.settings().update_settings(update(&values(1), &["quota"])).await.unwrap_err();
    assert_eq!(fields(&unknown), ["update_mask"]);
}

#[tokio::test]
async fn new_meditation_interval_moves_the_run_that_is_due_next() {
    let served = Served::start().await;
    served.remember("x").await;
    let before = user_metrics(&served, USER).await.next_meditation.unwrap().seconds;
    let interval = Some(prost_types::Duration { seconds: 86_400, nanos: 0 });
    let values = v1::UserSettings { meditation_interval: interval, ..Default::default() };
    served.settings().update_settings(update(&values, &["meditation_interval"])).await.unwrap();
    let after = user_metrics(&served, USER).await.next_meditation.unwrap().seconds;
    assert_eq!(before - after, 6 * 86_400);
}

async fn user_metrics(served: &Served, user: &str) -> v1::UserMetrics {
    let request = v1::GetMetricsRequest { user_id: user.to_owned() };
    match served.metrics().get_metrics(request).await.unwrap().into_inner().metrics {
        Some(Metrics::User(metrics)) => metrics,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn user_metrics_count_what_the_vault_holds() {
    let served = Served::start().await;
    let receipt = served.remember("ten bytes?").await;
    let permanent = v1::MemoryDraft { tier: 3, ..draft("permanent") };
    let deleted = served.create(create(permanent)).await.unwrap();
    let delete = v1::DeleteMemoryRequest { user_id: USER.to_owned(), id: deleted.id, ..Default::default() };
    served.memories().delete_memory(delete).await.unwrap();
    let metrics = user_metrics(&served, USER).await;
    let long_term = &metrics.tiers[1];
    assert_eq!((long_term.tier, long_term.items, long_term.bytes), (2, 1, receipt.size_bytes));
    assert_eq!(long_term.quota_bytes, 2 * 1024 * 1024);
    assert!(long_term.usage > 0.0 && long_term.usage < 0.001);
    let archive = metrics.archive.unwrap();
    assert_eq!((archive.items, archive.bytes), (1, deleted.size_bytes));
    assert_eq!((metrics.items_created, metrics.items_deleted, metrics.items_archived), (2, 1, 0));
    assert!(metrics.disk_bytes > 0 && metrics.sqlite_index_bytes > 0 && !metrics.embedding_enabled);
    assert!(metrics.next_meditation.is_some() && metrics.last_meditation.is_none());
    let nobody = user_metrics(&served, "nobody").await;
    assert_eq!((nobody.items_created, nobody.next_meditation, nobody.disk_bytes), (0, None, 0));
}

#[tokio::test]
async fn system_metrics_show_users_queue_and_published_names() {
    let served = Served::start().await;
    served.remember("x").await;
    let answer = served.metrics().get_metrics(v1::GetMetricsRequest::default()).await.unwrap().into_inner();
    let Some(Metrics::System(metrics)) = answer.metrics else { panic!("not of the system") };
    assert_eq!((metrics.users, metrics.open_vaults), (1, 1));
    assert_eq!(metrics.queue.unwrap().dead, 0);
    assert!(metrics.disk_bytes > 0 && !metrics.version.is_empty());
    assert_eq!(metrics.warnings, ["a warning of the configuration"]);
    let names: Vec<&str> = metrics.metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert!(names.iter().any(|name| name.starts_with("memory.items.created")), "{names:?}");
    assert!(names.contains(&"monthly_storage_per_user") && names.is_sorted(), "{names:?}");
}

/// A count in digits, since a published metric is a double.
fn counted(served: &Served, name: &str) -> String {
    let found = served.api.metrics.snapshot().into_iter().find(|(of, _)| of == name);
    found.map_or_else(String::new, |(_, count)| count.to_string())
}

#[tokio::test]
async fn files_of_the_memory_tool_count_as_other_writes_do() {
    let served = Served::start().await;
    let run = async |command: &str, request_id: &str| {
        let (user_id, command, request_id) = (USER.to_owned(), command.to_owned(), request_id.to_owned());
        let request = v1::RunMemoryToolRequest { user_id, command, request_id, ..Default::default() };
        let answer = MemoryToolServiceClient::new(served.channel.clone()).run_memory_tool(request).await;
        let answer = answer.unwrap().into_inner();
        assert!(!answer.is_error, "{}", answer.output);
    };
    let of_quota = || counted(&served, "memory.quota.usage.long_term.count");
    for file in ["one", "two"] {
        let create = format!(r#"{{"command": "create", "path": "/memories/trip/{file}.md", "file_text": "nine"}}"#);
        run(&create, file).await;
        run(&create, file).await;
    }
    let created = counted(&served, "memory.items.created{tier=long_term}");
    assert_eq!((created.as_str(), of_quota().as_str()), ("2", "2"), "a replay creates nothing");
    let edit = r#"{"command": "insert", "path": "/memories/trip/one.md", "insert_line": 0, "insert_text": "longer"}"#;
    run(edit, "").await;
    assert_eq!(of_quota(), "3");
    for _ in 0..2 {
        run(r#"{"command": "delete", "path": "/memories/trip"}"#, "gone").await;
    }
    assert_eq!(counted(&served, "memory.items.deleted{tier=long_term}"), "2", "a replay deletes nothing");
}

#[tokio::test]
async fn a_memory_forgotten_in_a_review_counts_as_deleted() {
    let served = Served::start().await;
    served.create(create(v1::MemoryDraft { confidence: Some(0.2), ..draft("The museum may close") })).await.unwrap();
    let mut reviews = ReviewServiceClient::new(served.channel.clone());
    let list = v1::ListReviewsRequest { user_id: USER.to_owned(), ..Default::default() };
    let id = reviews.list_reviews(list).await.unwrap().into_inner().reviews[0].id.clone();
    let (user_id, choice, request_id) = (USER.to_owned(), v1::ReviewChange::Forget.into(), "once".to_owned());
    let apply = v1::ApplyReviewRequest { user_id, id, choice, request_id };
    for _ in 0..2 {
        reviews.apply_review(apply.clone()).await.unwrap();
        assert_eq!(counted(&served, "memory.items.deleted{tier=long_term}"), "1", "a replay deletes nothing");
    }
}
