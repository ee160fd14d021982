//! Valid requests of every method, about existing objects.

mod consents;
mod conversations;
mod documents;
mod graph;
mod links;
mod named;
mod records;
mod reviews;
mod working;

use kimberly_proto::v1 as pb;
use kimberly_tests::System;
use kimberly_tests::drafts::mask;
use prost::Message;
use prost_types::value::Kind;

use crate::fuzz::{attachments, streams};

/// The user of the seeds.
pub(crate) const USER: &str = "fuzz";

/// A valid request.
#[derive(Clone, Debug)]
pub(crate) struct Seed {
    /// The method's path.
    pub(crate) method: &'static str,
    /// Creates a message that is sent unmutated before the request, for methods that take several.
    pub(crate) opening: Option<fn() -> Vec<u8>>,
    /// The encoded request.
    pub(crate) body: Vec<u8>,
    /// How much of the response is read.
    pub(crate) answers: Answers,
}

/// How much of a response is read before the call is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// All messages.
    All,
    /// For streams without a near end: one message, or two if the opening is answered too.
    First,
}

pub(crate) fn seed(method: &'static str, request: &impl Message) -> Seed {
    Seed { method, opening: None, body: request.encode_to_vec(), answers: Answers::All }
}

/// Seeds of all methods.
pub(crate) async fn all(system: &System) -> Vec<Seed> {
    let mut user = system.user(USER);
    let receipt = user.remember_draft(draft()).await;
    let goal = user.pursue("Learn to sail", &["sailing"]).await;
    let consent = user.consent().await;
    let run = user.meditate().await;
    let attachments = attachments::all(system, &receipt.id).await;
    let streams = streams::all(system).await;
    [
        memories(&receipt),
        derived(&receipt),
        questions(&receipt),
        meditations(&run.id),
        goals(&goal),
        records::seeds(&receipt.id),
        working::seeds(),
        conversations::seeds(),
        consents::seeds(&consent),
        graph::seeds(&receipt.id),
        documents::seeds(&receipt.id),
        reviews::seeds(&receipt.id),
        links::seeds(&receipt.id),
        records::corrections(&receipt.id),
        records::promotion(&receipt.id),
        records::forgetting(),
        named::seeds(),
        erasure(),
        settings(),
        keys(),
        audit(system).await,
        attachments,
        streams,
    ]
    .concat()
}

/// About another user, so that the other seeds keep their objects.
fn erasure() -> Vec<Seed> {
    let (gone, id) = ("fuzz, purged".to_owned(), "purge_0190b5a0-0000-7000-8000-00000000ffff".to_owned());
    vec![
        seed(
            "/kimberly.v1.ErasureService/PurgeUser",
            &pb::PurgeUserRequest { user_id: gone.clone(), confirm_user_id: gone.clone() },
        ),
        seed("/kimberly.v1.ErasureService/GetPurge", &pb::GetPurgeRequest { user_id: gone.clone(), id }),
        seed(
            "/kimberly.v1.ErasureService/ListPurges",
            &pb::ListPurgesRequest { user_id: gone, page_size: 10, ..Default::default() },
        ),
    ]
}

pub(crate) fn draft() -> pb::MemoryDraft {
    let number = prost_types::Value { kind: Some(Kind::NumberValue(1.5)) };
    let list = prost_types::Value {
        kind: Some(Kind::ListValue(prost_types::ListValue { values: vec![number.clone(), number.clone()] })),
    };
    pb::MemoryDraft {
        tier: pb::Tier::LongTerm.into(),
        content: "Ana said that the train to Lisbon leaves on Friday.".to_owned(),
        metadata: Some(pb::Metadata {
            tags: vec!["travel".to_owned(), "train".to_owned()],
            source: pb::Source::Agent.into(),
            channels: vec!["mobile".to_owned()],
            sensitive: false,
            scope: pb::Scope::Shared.into(),
            user_feedback: Some(pb::Feedback { kind: Some(pb::feedback::Kind::Rating(4)) }),
            version: "v1".to_owned(),
        }),
        attributes: Some(prost_types::Struct { fields: [("n".to_owned(), number), ("l".to_owned(), list)].into() }),
        session_id: "session".to_owned(),
        protected: false,
        speaker: "Ana".to_owned(),
        occurred_at: Some(prost_types::Timestamp { seconds: 1_700_000_000, nanos: 5 }),
        created_by: pb::Creator::Agent.into(),
        consent: true,
        namespace: "travels".to_owned(),
        consent_id: String::new(),
        embed: pb::EmbedMark::Always.into(),
        kind: pb::Kind::Episode.into(),
        detail: Some(pb::Detail {
            kind: Some(pb::detail::Kind::Episode(pb::EpisodeDetail {
                objective: "Get to Lisbon".to_owned(),
                outcome: "We were late".to_owned(),
                outcome_type: pb::OutcomeType::Partial.into(),
                lessons: vec!["Leave early".to_owned(), "Take a book".to_owned()],
                valence: Some(-0.25),
                arousal: Some(0.75),
            })),
        }),
        subject: "Lisbon".to_owned(),
        importance: 7,
        confidence: Some(0.9),
        source_type: pb::SourceType::DirectExperience.into(),
        valid_from: Some(prost_types::Timestamp { seconds: 1_600_000_000, nanos: 5 }),
        valid_to: Some(prost_types::Timestamp { seconds: 1_900_000_000, nanos: 5 }),
        source_ref: "https://example.org/7".to_owned(),
        name: "notes/travel.md".to_owned(),
    }
}

pub(crate) fn filter() -> pb::MemoryFilter {
    let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 1 });
    pb::MemoryFilter {
        tiers: vec![1, 2],
        tags_any: vec!["travel".to_owned()],
        tags_all: vec!["train".to_owned()],
        created_after: at(1),
        created_before: at(4_000_000_000),
        occurred_after: at(2),
        occurred_before: at(4_000_000_001),
        sensitivity: 1,
        sources: vec![1, 2],
        scopes: vec![1, 2],
        session_id: "session".to_owned(),
        states: vec![1, 2],
        speakers: vec!["ana".to_owned()],
        namespaces: vec!["travels".to_owned(), String::new()],
        kinds: vec![0, 3],
        layers: vec![2, 3],
        subjects: vec!["lisbon".to_owned()],
        min_confidence: 0.5,
        below_confidence: 0.9,
        min_importance: 3,
        valid_at: at(1_700_000_000),
        known_as_of: at(1_700_000_000),
        authors: vec!["bot".to_owned()],
        any_time: true,
        stale: true,
        name_prefix: "notes/".to_owned(),
    }
}

fn memories(receipt: &pb::MemoryReceipt) -> Vec<Seed> {
    let (user_id, id, etag) = (USER.to_owned(), receipt.id.clone(), receipt.etag.clone());
    // Without a request id: most mutations of a used one would be refused for that reason alone.
    let request_id = String::new();
    vec![
        seed(
            "/kimberly.v1.MemoryService/CreateMemory",
            &pb::CreateMemoryRequest { user_id: user_id.clone(), memory: Some(draft()), ..Default::default() },
        ),
        seed(
            "/kimberly.v1.MemoryService/BatchCreateMemories",
            &pb::BatchCreateMemoriesRequest {
                user_id: user_id.clone(),
                memories: vec![draft(), draft()],
                ..Default::default()
            },
        ),
        seed(
            "/kimberly.v1.MemoryService/UpdateMemory",
            &pb::UpdateMemoryRequest {
                user_id: user_id.clone(),
                id: id.clone(),
                memory: Some(draft()),
                update_mask: Some(mask(&["content", "metadata.tags", "attributes", "tier"])),
                etag: etag.clone(),
                request_id: request_id.clone(),
            },
        ),
        seed(
            "/kimberly.v1.MemoryService/DeleteMemory",
            &pb::DeleteMemoryRequest { user_id: user_id.clone(), id: id.clone(), etag, ..Default::default() },
        ),
        seed(
            "/kimberly.v1.MemoryService/ForgetMemories",
            &pb::ForgetMemoriesRequest {
                user_id: user_id.clone(),
                // An id that does not exist, so that the other seeds keep their objects.
                ids: vec!["mem_0190b5a0-0000-7000-8000-00000000ffff".to_owned()],
                request_id: request_id.clone(),
            },
        ),
        seed(
            "/kimberly.v1.MemoryService/RestoreMemory",
            &pb::RestoreMemoryRequest { user_id: user_id.clone(), id: id.clone(), protect: true, ..Default::default() },
        ),
        seed(
            "/kimberly.v1.MemoryService/RecordOutcome",
            &pb::RecordOutcomeRequest {
                user_id: user_id.clone(),
                memory_ids: vec![id],
                outcome: 1,
                request_id: request_id.clone(),
                top_k: 5,
            },
        ),
        seed(
            "/kimberly.v1.MemoryService/EndSession",
            &pb::EndSessionRequest { user_id: user_id.clone(), session_id: "session".to_owned(), request_id },
        ),
    ]
}

/// Seeds about data derived from memories.
fn derived(receipt: &pb::MemoryReceipt) -> Vec<Seed> {
    let user_id = USER.to_owned();
    vec![
        seed(
            "/kimberly.v1.EmbeddingService/RequestEmbedding",
            &pb::RequestEmbeddingRequest { user_id: user_id.clone(), request_id: "again".to_owned() },
        ),
        seed(
            "/kimberly.v1.EmbeddingService/GetEmbeddingStatus",
            &pb::GetEmbeddingStatusRequest { user_id: user_id.clone() },
        ),
        seed(
            "/kimberly.v1.EmbeddingService/UploadEmbeddings",
            &pb::UploadEmbeddingsRequest {
                user_id: user_id.clone(),
                model: "m-0123456789abcdef".to_owned(),
                items: vec![pb::EmbeddingItem {
                    id: receipt.id.clone(),
                    fingerprint: "0123456789abcdef".to_owned(),
                    vectors: vec![pb::Vector { values: vec![1.0, 0.0] }],
                }],
            },
        ),
        seed("/kimberly.v1.MaintenanceService/RebuildDerived", &pb::RebuildDerivedRequest { user_id, vectors: false }),
    ]
}

/// Seeds about the audit of a separate user: the other user's audit grows with every mutation, and verification reads
/// all of it.
async fn audit(system: &System) -> Vec<Seed> {
    let user_id = "fuzz audited".to_owned();
    system.user(&user_id).remember("What is done is told.").await;
    let list = pb::ListAuditEntriesRequest {
        user_id: user_id.clone(),
        actor: "open".to_owned(),
        action: "memory.create".to_owned(),
        subject: String::new(),
        page_size: 7,
        page_token: String::new(),
    };
    let noted = pb::AuditHead { number: 1, hash: "0123456789abcdef".repeat(4) };
    vec![
        seed("/kimberly.v1.AuditService/ListAuditEntries", &list),
        seed(
            "/kimberly.v1.AuditService/VerifyAudit",
            &pb::VerifyAuditRequest { user_id: user_id.clone(), expected: Some(noted) },
        ),
        seed(
            "/kimberly.v1.AuditService/CreateAuditCheckpoint",
            &pb::CreateAuditCheckpointRequest { user_id: user_id.clone() },
        ),
        seed("/kimberly.v1.AuditService/ExportAudit", &pb::ExportAuditRequest { user_id, after: 1 }),
    ]
}

fn questions(receipt: &pb::MemoryReceipt) -> Vec<Seed> {
    let user_id = USER.to_owned();
    let query = pb::QueryMemoriesRequest {
        user_id: user_id.clone(),
        query: "When does \"the train\" to Lisbom leave?".to_owned(),
        top_k: 5,
        filter: Some(filter()),
        explain: true,
        active_session_id: "session".to_owned(),
        reference_time: Some(prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 }),
        max_content_bytes: 100,
        min_score: Some(0.5),
        stages: [("typos".to_owned(), false)].into(),
        view: pb::MemoryView::Summary.into(),
        ..Default::default()
    };
    vec![
        seed(
            "/kimberly.v1.MemoryService/GetMemory",
            &pb::GetMemoryRequest {
                user_id: user_id.clone(),
                id: receipt.id.clone(),
                explain: true,
                ..Default::default()
            },
        ),
        seed(
            "/kimberly.v1.MemoryService/ListMemories",
            &pb::ListMemoriesRequest {
                user_id: user_id.clone(),
                filter: Some(filter()),
                page_size: 10,
                page_token: "token".to_owned(),
                order: 2,
                view: pb::MemoryView::Summary.into(),
                warmth: true,
            },
        ),
        seed(
            "/kimberly.v1.MemoryService/ListMemories",
            &pb::ListMemoriesRequest {
                user_id,
                filter: Some(pb::MemoryFilter::default()),
                page_size: 10,
                ..Default::default()
            },
        ),
        seed("/kimberly.v1.MemoryService/QueryMemories", &pb::QueryMemoriesRequest { filter: None, ..query.clone() }),
        seed("/kimberly.v1.MemoryService/QueryMemories", &query),
    ]
}

fn meditations(id: &str) -> Vec<Seed> {
    let (user_id, id) = (USER.to_owned(), id.to_owned());
    let meditate = pb::MeditateRequest {
        user_id: user_id.clone(),
        dry_run: true,
        full: true,
        plan_token: String::new(),
        request_id: "request".to_owned(),
        steps: vec!["retain".to_owned()],
        ids: Vec::new(),
    };
    let get =
        pb::GetMeditationRequest { user_id: user_id.clone(), id: id.clone(), page_size: 5, page_token: "t".to_owned() };
    vec![
        seed("/kimberly.v1.MeditationService/Meditate", &meditate),
        seed("/kimberly.v1.MeditationService/GetMeditation", &get),
        seed(
            "/kimberly.v1.MeditationService/ListMeditations",
            &pb::ListMeditationsRequest { user_id: user_id.clone(), page_size: 3, page_token: String::new() },
        ),
        seed("/kimberly.v1.MeditationService/WatchMeditation", &pb::WatchMeditationRequest { user_id, id }),
    ]
}

fn goals(goal: &pb::Goal) -> Vec<Seed> {
    let (user_id, request_id) = (USER.to_owned(), "request".to_owned());
    let draft =
        pb::Goal { id: String::new(), description: "Before summer".to_owned(), importance: 0.5, ..goal.clone() };
    vec![
        seed(
            "/kimberly.v1.GoalService/CreateGoal",
            &pb::CreateGoalRequest { user_id: user_id.clone(), goal: Some(draft), request_id: request_id.clone() },
        ),
        seed("/kimberly.v1.GoalService/GetGoal", &pb::GetGoalRequest { user_id: user_id.clone(), id: goal.id.clone() }),
        seed(
            "/kimberly.v1.GoalService/ListGoals",
            &pb::ListGoalsRequest { user_id: user_id.clone(), page_size: 5, page_token: String::new(), status: 1 },
        ),
        seed(
            "/kimberly.v1.GoalService/UpdateGoal",
            &pb::UpdateGoalRequest {
                user_id: user_id.clone(),
                goal: Some(goal.clone()),
                update_mask: Some(mask(&["title", "tags", "status", "importance"])),
                request_id: request_id.clone(),
            },
        ),
        seed(
            "/kimberly.v1.GoalService/ImportGoals",
            &pb::ImportGoalsRequest { user_id: user_id.clone(), goals: vec![goal.clone()] },
        ),
        seed(
            "/kimberly.v1.GoalService/DeleteGoal",
            &pb::DeleteGoalRequest { user_id, id: goal.id.clone(), request_id },
        ),
    ]
}

fn settings() -> Vec<Seed> {
    let user_id = USER.to_owned();
    let span = |seconds| Some(prost_types::Duration { seconds, nanos: 0 });
    let wanted = pb::UserSettings {
        short_term_quota_bytes: Some(1 << 20),
        long_term_quota_bytes: Some(1 << 21),
        permanent_quota_bytes: Some(1 << 22),
        archive_allowance_bytes: Some(1 << 23),
        core_memory_bytes: Some(1 << 13),
        scoring: Some(pb::user_settings::Scoring::Preset(2)),
        grace: span(86_400),
        daily_prune_cap_bytes: Some(1 << 20),
        meditation_interval: span(86_400),
        short_term_lifetime: span(86_400),
        low_score: Some(0.25),
        embedding_enabled: Some(false),
        reading_enabled: Some(false),
        merging_enabled: Some(false),
        vector_cap: Some(100),
        daily_embedding_limit: Some(0),
        weekly_embedding_limit: Some(1_000),
        consent_retraction: 2,
    };
    vec![
        seed("/kimberly.v1.SettingsService/GetSettings", &pb::GetSettingsRequest { user_id: user_id.clone() }),
        seed(
            "/kimberly.v1.SettingsService/UpdateSettings",
            &pb::UpdateSettingsRequest {
                user_id: user_id.clone(),
                user_settings: Some(wanted),
                update_mask: Some(mask(&["grace", "scoring", "low_score", "long_term_quota_bytes"])),
                etag: String::new(),
                request_id: "request".to_owned(),
            },
        ),
        seed("/kimberly.v1.MetricsService/GetMetrics", &pb::GetMetricsRequest { user_id }),
    ]
}

fn keys() -> Vec<Seed> {
    let span = |seconds| Some(prost_types::Duration { seconds, nanos: 0 });
    let grant = pb::Grant {
        users: vec![USER.to_owned(), "fuzz-*".to_owned()],
        operations: vec![1, 2, 6],
        namespaces: vec!["travels".to_owned(), String::new()],
        tiers: vec![2, 3],
        exclude_sensitive: true,
    };
    let create = pb::CreateKeyRequest {
        name: "fuzz".to_owned(),
        grant: Some(grant),
        agent: true,
        lifetime: span(86_400),
        certificate: "spiffe://example.org/agent".to_owned(),
    };
    vec![
        seed("/kimberly.v1.AccessService/CreateKey", &create),
        seed(
            "/kimberly.v1.AccessService/ListKeys",
            &pb::ListKeysRequest { page_size: 5, page_token: "fuzz".to_owned() },
        ),
        seed(
            "/kimberly.v1.AccessService/RotateKey",
            &pb::RotateKeyRequest { name: "fuzz".to_owned(), overlap: span(60) },
        ),
        seed("/kimberly.v1.AccessService/RevokeKey", &pb::RevokeKeyRequest { name: "fuzz".to_owned() }),
        seed("/kimberly.v1.MetricsService/ListAlerts", &pb::ListAlertsRequest { include_cleared: true }),
        seed("/kimberly.v1.MaintenanceService/GetKeyRings", &pb::GetKeyRingsRequest {}),
        seed("/kimberly.v1.MaintenanceService/ListUsers", &pb::ListUsersRequest { page_size: 5, ..Default::default() }),
        seed(
            "/kimberly.v1.MaintenanceService/CheckVault",
            &pb::CheckVaultRequest { user_id: USER.to_owned(), release: true, attachments: true },
        ),
        seed(
            "/kimberly.v1.MaintenanceService/ListQuarantinedVaults",
            &pb::ListQuarantinedVaultsRequest { page_size: 5, page_token: "fuzz".to_owned() },
        ),
    ]
}
