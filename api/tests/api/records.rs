//! Records with kinds as JSON, and how many are looked at.

use kimberly_proto::v1::record_service_client::RecordServiceClient;
use kimberly_proto::v1::{self, Kind};
use serde_json::json;

use crate::common::{Served, USER, conflict, create, draft};
use crate::http::{get, post};

#[tokio::test]
async fn records_are_written_verified_and_listed_as_json() {
    let served = Served::start().await;
    let detail = json!({"playbook": {"triggers": ["it hangs"], "steps": ["restart it"]}});
    let memory = json!({"content": "How to restart", "detail": detail, "confidence": 0.25, "sourceType": "correction"});
    let stored = post(&served, &format!("/v1/users/{USER}/memories"), &memory).await.json();
    let id = stored["receipt"]["id"].as_str().unwrap_or_default().to_owned();
    let uncertain = get(&served, &format!("/v1/users/{USER}/memories:uncertain?filter.kinds=playbook")).await.json();
    assert_eq!(uncertain["memories"][0]["id"], id.as_str(), "{uncertain}");
    assert_eq!(uncertain["memories"][0]["detail"]["playbook"]["steps"], json!(["restart it"]));
    assert_eq!(uncertain["memories"][0]["layer"], "LAYER_SUPPORTING");
    let verified = post(&served, &format!("/v1/users/{USER}/memories/{id}:verify"), &json!({})).await.json();
    assert_eq!((&verified["confidence"], &verified["verificationCount"]), (&json!(0.4375), &json!("1")), "{verified}");
    let asked = json!({"situation": "it hangs"});
    let found = post(&served, &format!("/v1/users/{USER}/playbooks:find"), &asked).await.json();
    assert_eq!(found["playbooks"][0]["memory"]["id"], id.as_str(), "{found}");
    let path = format!("/v1/users/{USER}/playbooks/{id}:recordUse");
    let used = post(&served, &path, &json!({"success": true})).await.json();
    assert_eq!((&used["used"], &used["succeeded"]), (&json!("1"), &json!("1")), "{used}");
    let path = format!("/v1/users/{USER}/relationships/{id}:recordInteraction");
    assert_eq!(post(&served, &path, &json!({})).await.reason(), "WRONG_STATE", "a playbook is no relationship");
}

#[tokio::test]
async fn the_least_certain_are_found_among_more_than_a_page() {
    let served = Served::start().await;
    let believed = |n: u32| v1::MemoryDraft {
        confidence: Some(f64::from(n * 37 % 1_100) / 2_200.0),
        source_type: v1::SourceType::Correction.into(),
        ..draft(&format!("belief {n}"))
    };
    for from in (0..1_100).step_by(100) {
        let memories = (from..from + 100).map(believed).collect();
        let request = v1::BatchCreateMemoriesRequest {
            user_id: USER.to_owned(),
            memories,
            request_id: String::new(),
            always_new: true,
        };
        served.memories().batch_create_memories(request).await.expect("a batch");
    }
    let request = v1::ListUncertainRequest { user_id: USER.to_owned(), limit: 3, ..Default::default() };
    let mut records = RecordServiceClient::new(served.channel.clone());
    let answer = records.list_uncertain(request).await.expect("a list").into_inner();
    let confidences: Vec<f64> = answer.memories.iter().map(|memory| memory.confidence() * 2_200.0).collect();
    let values: Vec<i64> = confidences.iter().map(|one| rounded(*one)).collect();
    assert_eq!(values, [0, 1, 2], "{confidences:?}");
}

#[expect(clippy::cast_possible_truncation, reason = "small numbers")]
fn rounded(value: f64) -> i64 {
    value.round() as i64
}

#[tokio::test]
async fn a_use_is_counted_of_playbooks_alone_and_changes_nothing_else() {
    let served = Served::start().await;
    let steps = vec!["restart it".to_owned()];
    let playbook = v1::detail::Kind::Playbook(v1::PlaybookDetail { steps, ..Default::default() });
    let detail = Some(v1::Detail { kind: Some(playbook) });
    let receipt = served.create(create(v1::MemoryDraft { detail, ..draft("restart") })).await.expect("stored");
    let without = v1::MemoryDraft { kind: Kind::Playbook.into(), ..draft("a playbook without steps") };
    let without = served.create(create(without)).await.expect("stored");
    let before = served.get(&receipt.id).await.expect("a memory");
    let used = |id: &str| v1::RecordPlaybookUseRequest {
        user_id: USER.to_owned(),
        id: id.to_owned(),
        success: true,
        request_id: String::new(),
    };
    let mut records = RecordServiceClient::new(served.channel.clone());
    let refused = records.record_playbook_use(used(&without.id)).await.expect_err("it has no detail");
    assert_eq!(conflict(&refused), "id");
    records.record_playbook_use(used(&receipt.id)).await.expect("counted");
    let after = served.get(&receipt.id).await.expect("a memory");
    let Some(v1::detail::Kind::Playbook(now)) = after.detail.clone().and_then(|detail| detail.kind) else {
        panic!("no playbook: {after:?}")
    };
    assert_eq!((now.used, now.succeeded, after.etag.as_str()), (1, 1, "2"));
    let same = v1::Memory { detail: before.detail.clone(), etag: before.etag.clone(), ..after };
    let same = v1::Memory { updated_at: before.updated_at, last_seen_at: before.last_seen_at, ..same };
    let same = v1::Memory { access_count: before.access_count, size_bytes: before.size_bytes, ..same };
    assert_eq!(same, before);
}
