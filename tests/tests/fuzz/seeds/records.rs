//! Requests about records of a kind.

use kimberly_proto::v1 as pb;

use super::{Seed, USER, seed};

pub(super) fn seeds(id: &str) -> Vec<Seed> {
    let (user_id, id, request_id) = (USER.to_owned(), id.to_owned(), "request".to_owned());
    let filter = pb::MemoryFilter { min_importance: 1, ..pb::MemoryFilter::default() };
    vec![
        seed(
            "/kimberly.v1.RecordService/VerifyMemory",
            &pb::VerifyMemoryRequest {
                user_id: user_id.clone(),
                id: id.clone(),
                etag: "1".to_owned(),
                request_id: request_id.clone(),
            },
        ),
        seed(
            "/kimberly.v1.RecordService/ListUncertain",
            &pb::ListUncertainRequest {
                user_id: user_id.clone(),
                threshold: Some(0.9),
                filter: Some(filter.clone()),
                limit: 3,
            },
        ),
        seed(
            "/kimberly.v1.RecordService/FindPlaybooks",
            &pb::FindPlaybooksRequest {
                user_id: user_id.clone(),
                situation: "the sea is rough".to_owned(),
                filter: Some(filter),
                limit: 3,
            },
        ),
        seed(
            "/kimberly.v1.RecordService/RecordPlaybookUse",
            &pb::RecordPlaybookUseRequest {
                user_id: user_id.clone(),
                id: id.clone(),
                success: true,
                request_id: request_id.clone(),
            },
        ),
        seed(
            "/kimberly.v1.RecordService/RecordInteraction",
            &pb::RecordInteractionRequest { user_id, id, trust: Some(0.5), sentiment: Some(-0.5), request_id },
        ),
    ]
}

/// Seeds of all rpcs that end the validity of a record, or show it.
pub(super) fn corrections(id: &str) -> Vec<Seed> {
    let (user_id, id, request_id) = (USER.to_owned(), id.to_owned(), "request".to_owned());
    let (content, reason, etag) = ("It was Porto".to_owned(), "she said so".to_owned(), "1".to_owned());
    vec![
        seed(
            "/kimberly.v1.RecordService/CorrectMemory",
            &pb::CorrectMemoryRequest {
                user_id: user_id.clone(),
                id: id.clone(),
                content: content.clone(),
                detail: None,
                reason: reason.clone(),
                etag: etag.clone(),
                request_id: request_id.clone(),
            },
        ),
        seed(
            "/kimberly.v1.RecordService/ReviseBelief",
            &pb::ReviseBeliefRequest {
                user_id: user_id.clone(),
                id: id.clone(),
                content,
                confidence: Some(0.5),
                reason: reason.clone(),
                episode_id: id.clone(),
                etag: etag.clone(),
                request_id: request_id.clone(),
            },
        ),
        seed(
            "/kimberly.v1.RecordService/InvalidateMemory",
            &pb::InvalidateMemoryRequest {
                user_id: user_id.clone(),
                id: id.clone(),
                when: Some(prost_types::Timestamp { seconds: 1_700_000_000, nanos: 5_000 }),
                reason,
                etag,
                request_id,
            },
        ),
        seed(
            "/kimberly.v1.RecordService/GetHistory",
            &pb::GetHistoryRequest { user_id: user_id.clone(), id: id.clone() },
        ),
    ]
}

/// Seeds of all rpcs for promoting captures up to identity.
pub(super) fn promotion(id: &str) -> Vec<Seed> {
    let user_id = USER.to_owned();
    let memory = pb::MemoryDraft {
        content: "Trains to Porto are late".to_owned(),
        kind: pb::Kind::Belief.into(),
        ..pb::MemoryDraft::default()
    };
    vec![
        seed(
            "/kimberly.v1.RecordService/PromoteMemories",
            &pb::PromoteMemoriesRequest {
                user_id: user_id.clone(),
                ids: vec![id.to_owned()],
                memory: Some(memory),
                reason: "seen twice".to_owned(),
                request_id: "request".to_owned(),
            },
        ),
        seed(
            "/kimberly.v1.RecordService/ListUnprocessed",
            &pb::ListUnprocessedRequest {
                user_id: user_id.clone(),
                filter: Some(pb::MemoryFilter { tags_any: vec!["tag".to_owned()], ..pb::MemoryFilter::default() }),
                limit: 3,
            },
        ),
        seed(
            "/kimberly.v1.RecordService/GetIdentity",
            &pb::GetIdentityRequest { user_id, namespace: "namespace".to_owned() },
        ),
    ]
}

/// Seeds of all rpcs for forgetting by salience.
pub(super) fn forgetting() -> Vec<Seed> {
    let (user_id, threshold, half_life_days, limit) = (USER.to_owned(), Some(0.5), 7, 3);
    let filter = Some(pb::MemoryFilter { tags_any: vec!["tag".to_owned()], ..pb::MemoryFilter::default() });
    vec![
        seed(
            "/kimberly.v1.RecordService/ListForgettingCandidates",
            &pb::ListForgettingCandidatesRequest {
                user_id: user_id.clone(),
                threshold,
                half_life_days,
                filter: filter.clone(),
                limit,
            },
        ),
        seed(
            "/kimberly.v1.RecordService/RunForgetting",
            &pb::RunForgettingRequest {
                user_id,
                threshold,
                half_life_days,
                filter,
                limit,
                dry_run: true,
                request_id: "request".to_owned(),
            },
        ),
    ]
}
