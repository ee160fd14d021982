//! A request per rpc, about a user and a memory. If permitted, it does no harm: calls that would change much carry a
//! wrong etag, a missing target or an invalid field, which is detected only after authorization. Calls that erase get
//! their own memory ([`erases`]).

use kimberly_proto::v1 as pb;
use kimberly_tests::drafts::mask;
use prost::Message;

/// The subject of a request.
#[derive(Clone, Debug)]
pub(crate) struct About {
    /// The user's id; empty for none.
    pub(crate) user: String,
    /// The memory's id.
    pub(crate) memory: String,
    /// The name of a key.
    pub(crate) key: String,
}

/// An id that does not exist.
const NOWHERE: &str = "01980000-0000-7000-8000-000000000000";

/// Whether the call, if permitted, erases the memory.
pub(crate) fn erases(rpc: &str) -> bool {
    rpc == "/kimberly.v1.MemoryService/ForgetMemories"
}

/// A memory that all limited credentials of these tests may store.
pub(crate) fn draft() -> pb::MemoryDraft {
    pb::MemoryDraft {
        tier: pb::Tier::LongTerm.into(),
        content: "a note of the matrix".to_owned(),
        namespace: "work".to_owned(),
        ..pb::MemoryDraft::default()
    }
}

/// The encoded request of an rpc; panics for one without a builder.
pub(crate) fn of(rpc: &str, about: &About) -> Vec<u8> {
    let About { user, memory, key } = about.clone();
    let (service, method) = rpc.trim_start_matches("/kimberly.v1.").split_once('/').expect("a path");
    match service {
        "MemoryService" => memories(method, user, memory),
        "AttachmentService" => attachments(method, user, memory),
        "AccessService" => keys(method, key),
        "AuditService" | "MetricsService" | "ServerService" => figures(method, user),
        "ConsentService" => consents(method, user),
        "EmbeddingService" | "MaintenanceService" => derived(method, user),
        "ErasureService" => purges(method, user),
        "GoalService" => goals(method, user),
        "MeditationService" => meditations(method, user),
        "DocumentService" => documents(method, user, memory),
        "GraphService" => graph(method, user, memory),
        "ReviewService" => reviews(method, user, &memory),
        "LinkService" => links(method, user, memory),
        "RecordService" => records(method, user, memory),
        "ConversationService" => conversations(method, user),
        "NamedRecordService" => named(method, user),
        "CoreMemoryService" => core(method, user),
        "MemoryToolService" => tool(user),
        "SettingsService" => settings(method, user),
        "WorkingMemoryService" => working(method, user),
        _ => no_request_of(rpc),
    }
}

fn no_request_of(rpc: &str) -> ! {
    panic!("no request for {rpc}: add it to tests/tests/access/requests.rs")
}

fn bytes(message: &impl Message) -> Vec<u8> {
    message.encode_to_vec()
}

fn documents(method: &str, user_id: String, id: String) -> Vec<u8> {
    let title = "a\nb".to_owned();
    match method {
        "IngestDocument" => bytes(&pb::IngestDocumentRequest { user_id, title, ..Default::default() }),
        "ListPassages" => bytes(&pb::ListPassagesRequest { user_id, id, ..Default::default() }),
        _ => no_request_of(method),
    }
}

fn graph(method: &str, user_id: String, memory: String) -> Vec<u8> {
    let id = "ent_01980000-0000-4000-8000-000000000000".to_owned();
    let other_id = "ent_01980000-0000-4000-8000-000000000001".to_owned();
    match method {
        "ListEntities" => bytes(&pb::ListEntitiesRequest { user_id, ..Default::default() }),
        "GetEntity" => bytes(&pb::GetEntityRequest { user_id, id, limit: 0 }),
        "ListNeighbours" => bytes(&pb::ListNeighboursRequest { user_id, id, ..Default::default() }),
        "GetSubgraph" => bytes(&pb::GetSubgraphRequest { user_id, ..Default::default() }),
        "ListRelated" => bytes(&pb::ListRelatedRequest { user_id, id: memory, limit: 0 }),
        "MergeEntities" => bytes(&pb::MergeEntitiesRequest { user_id, id, other_id, undo: false }),
        "SplitEntity" => bytes(&pb::SplitEntityRequest { user_id, id, other_id, undo: false }),
        "RenameEntity" => bytes(&pb::RenameEntityRequest { user_id, id, name: "Ana".to_owned(), undo: false }),
        "DismissEntity" => bytes(&pb::DismissEntityRequest { user_id, id, undo: false }),
        _ => no_request_of(method),
    }
}

/// An item that is not open, which is refused after the memory is found.
fn reviews(method: &str, user_id: String, memory: &str) -> Vec<u8> {
    let id = memory.replace("mem_", "stale_");
    match method {
        "ListReviews" => bytes(&pb::ListReviewsRequest { user_id, ..Default::default() }),
        "ApplyReview" => bytes(&pb::ApplyReviewRequest { user_id, id, ..Default::default() }),
        "DismissReview" => bytes(&pb::DismissReviewRequest { user_id, id }),
        "UndoReview" => bytes(&pb::UndoReviewRequest { user_id, id }),
        _ => no_request_of(method),
    }
}

fn links(method: &str, user_id: String, id: String) -> Vec<u8> {
    let (request_id, relation) = (String::new(), pb::Relation::Mentions.into());
    // A link to itself, which is refused after both ends are found.
    let (from_id, to_id) = (id.clone(), id.clone());
    match method {
        "Link" => {
            let link = Some(pb::MemoryLink { from_id, relation, to_id, ..Default::default() });
            bytes(&pb::LinkRequest { user_id, link, request_id })
        }
        "Unlink" => bytes(&pb::UnlinkRequest { user_id, from_id, relation, to_id, request_id }),
        "ListLinks" => bytes(&pb::ListLinksRequest { user_id, ..Default::default() }),
        "Lineage" => bytes(&pb::LineageRequest { user_id, id, ..Default::default() }),
        "ListContradictions" => bytes(&pb::ListContradictionsRequest { user_id, ..Default::default() }),
        // A memory does not contradict itself; refused after it is found.
        "ResolveContradiction" => {
            let resolution = pb::Resolution::KeepFrom.into();
            let reason = String::new();
            bytes(&pb::ResolveContradictionRequest { user_id, from_id, to_id, resolution, reason, request_id })
        }
        "ImportLinks" => bytes(&pb::ImportLinksRequest { user_id, links: Vec::new() }),
        _ => no_request_of(method),
    }
}

fn records(method: &str, user_id: String, id: String) -> Vec<u8> {
    let request_id = String::new();
    match method {
        "VerifyMemory" => bytes(&pb::VerifyMemoryRequest { user_id, id, etag: "999999".to_owned(), request_id }),
        "ListUncertain" => bytes(&pb::ListUncertainRequest { user_id, ..Default::default() }),
        "ListUnprocessed" => bytes(&pb::ListUnprocessedRequest { user_id, ..Default::default() }),
        "ListForgettingCandidates" => bytes(&pb::ListForgettingCandidatesRequest { user_id, ..Default::default() }),
        "RunForgetting" => bytes(&pb::RunForgettingRequest { user_id, dry_run: true, ..Default::default() }),
        "GetIdentity" => bytes(&pb::GetIdentityRequest { user_id, ..Default::default() }),
        // A turn has no higher layer, which is refused after the source is found.
        "PromoteMemories" => {
            let memory = pb::MemoryDraft {
                content: "a note of the matrix".to_owned(),
                kind: pb::Kind::Turn.into(),
                ..Default::default()
            };
            bytes(&pb::PromoteMemoriesRequest { user_id, ids: vec![id], memory: Some(memory), ..Default::default() })
        }
        "FindPlaybooks" => {
            bytes(&pb::FindPlaybooksRequest { user_id, situation: "secret".to_owned(), ..Default::default() })
        }
        "RecordPlaybookUse" => bytes(&pb::RecordPlaybookUseRequest { user_id, id, success: true, request_id }),
        "CorrectMemory" => {
            let (content, etag) = ("a note of the matrix".to_owned(), "999999".to_owned());
            bytes(&pb::CorrectMemoryRequest { user_id, id, content, etag, request_id, ..Default::default() })
        }
        "ReviseBelief" => {
            let content = "a note of the matrix".to_owned();
            bytes(&pb::ReviseBeliefRequest { user_id, id, content, request_id, ..Default::default() })
        }
        "InvalidateMemory" => {
            let etag = "999999".to_owned();
            bytes(&pb::InvalidateMemoryRequest { user_id, id, etag, request_id, ..Default::default() })
        }
        "GetHistory" => bytes(&pb::GetHistoryRequest { user_id, id }),
        "RecordInteraction" => bytes(&pb::RecordInteractionRequest { user_id, id, request_id, ..Default::default() }),
        _ => no_request_of(method),
    }
}

fn conversations(method: &str, user_id: String) -> Vec<u8> {
    let session_id = "secret".to_owned();
    match method {
        "Observe" => {
            let message =
                pb::Message { role: pb::Role::User.into(), content: "secret".to_owned(), ..Default::default() };
            bytes(&pb::ObserveRequest {
                user_id,
                session_id,
                messages: vec![message],
                namespace: draft().namespace,
                ..Default::default()
            })
        }
        "ObserveStream" => {
            let start = pb::ObserveStart { user_id, session_id, namespace: draft().namespace, ..Default::default() };
            bytes(&pb::ObserveStreamRequest { part: Some(pb::observe_stream_request::Part::Start(start)) })
        }
        "CompactSession" => bytes(&pb::CompactSessionRequest { user_id, session_id, ..Default::default() }),
        "GetContext" => bytes(&pb::GetContextRequest { user_id, session_id, ..Default::default() }),
        _ => no_request_of(method),
    }
}

/// An invalid name, so that existing records do not matter.
fn named(method: &str, user_id: String) -> Vec<u8> {
    let (name, namespace) = ("../nowhere".to_owned(), "work".to_owned());
    match method {
        "GetNamedRecord" => bytes(&pb::GetNamedRecordRequest { user_id, namespace, name, ..Default::default() }),
        "ListNames" => bytes(&pb::ListNamesRequest { user_id, namespace, ..Default::default() }),
        "RenameRecord" => {
            bytes(&pb::RenameRecordRequest { user_id, namespace, new_name: name.clone(), name, ..Default::default() })
        }
        "ListVersions" => bytes(&pb::ListVersionsRequest { user_id, namespace, name }),
        "GetVersion" => bytes(&pb::GetVersionRequest { user_id, namespace, name, version: 1 }),
        "DiffVersions" => bytes(&pb::DiffVersionsRequest { user_id, namespace, name, from_version: 1, to_version: 0 }),
        "UndoEdit" => bytes(&pb::UndoEditRequest { user_id, namespace, name, ..Default::default() }),
        "RedactVersion" => {
            bytes(&pb::RedactVersionRequest { user_id, namespace, name, version: 1, ..Default::default() })
        }
        "EditRecord" => {
            let edit = Some(pb::edit_record_request::Edit::Append("more".to_owned()));
            bytes(&pb::EditRecordRequest { user_id, namespace, name, edit, ..Default::default() })
        }
        _ => no_request_of(method),
    }
}

fn working(method: &str, user_id: String) -> Vec<u8> {
    let (namespace, session_id, key) = ("work".to_owned(), String::new(), "cache:matrix".to_owned());
    match method {
        "RunWorkingOperations" => {
            let set = pb::WorkingSet { value: "a note of the matrix".to_owned(), lifetime: None };
            let operation = Some(pb::working_operation::Operation::Set(set));
            let operations = vec![pb::WorkingOperation { key, operation }];
            bytes(&pb::RunWorkingOperationsRequest { user_id, namespace, session_id, operations })
        }
        "GetWorkingEntry" => bytes(&pb::GetWorkingEntryRequest { user_id, namespace, session_id, key }),
        "ListWorkingKeys" => bytes(&pb::ListWorkingKeysRequest { user_id, namespace, ..Default::default() }),
        _ => no_request_of(method),
    }
}

/// An invalid label, in a namespace visible to limited credentials.
fn core(method: &str, user_id: String) -> Vec<u8> {
    let (label, namespace) = ("NOT A LABEL".to_owned(), "work".to_owned());
    match method {
        "AddBlock" => bytes(&pb::AddBlockRequest { user_id, namespace, label, ..Default::default() }),
        "UpdateBlock" => bytes(&pb::UpdateBlockRequest { user_id, namespace, label, ..Default::default() }),
        "RemoveBlock" => bytes(&pb::RemoveBlockRequest { user_id, namespace, label, ..Default::default() }),
        "ListBlocks" => bytes(&pb::ListBlocksRequest { user_id, namespace }),
        "RenderCoreMemory" => bytes(&pb::RenderCoreMemoryRequest { user_id, namespace }),
        _ => no_request_of(method),
    }
}

fn tool(user_id: String) -> Vec<u8> {
    let command = r#"{"command": "view", "path": "/memories"}"#.to_owned();
    bytes(&pb::RunMemoryToolRequest { user_id, namespace: "work".to_owned(), command, ..Default::default() })
}

fn memories(method: &str, user_id: String, id: String) -> Vec<u8> {
    let (etag, request_id) = ("999999".to_owned(), String::new());
    match method {
        "CreateMemory" => {
            bytes(&pb::CreateMemoryRequest { user_id, memory: Some(draft()), request_id, always_new: false })
        }
        "BatchCreateMemories" => bytes(&pb::BatchCreateMemoriesRequest {
            user_id,
            memories: vec![draft(), draft()],
            request_id,
            always_new: false,
        }),
        "UpdateMemory" => bytes(&pb::UpdateMemoryRequest {
            user_id,
            id,
            memory: Some(draft()),
            update_mask: Some(mask(&["content"])),
            etag,
            request_id,
        }),
        "RestoreMemory" => bytes(&pb::RestoreMemoryRequest { user_id, id, protect: false, request_id }),
        "RecordOutcome" => {
            bytes(&pb::RecordOutcomeRequest { user_id, memory_ids: vec![id], outcome: 1, request_id, top_k: 0 })
        }
        "EndSession" => bytes(&pb::EndSessionRequest { user_id, session_id: "no such session".to_owned(), request_id }),
        "GetMemory" => bytes(&pb::GetMemoryRequest { user_id, id, explain: true, ..Default::default() }),
        "ListMemories" => bytes(&pb::ListMemoriesRequest { user_id, page_size: 5, ..Default::default() }),
        "QueryMemories" => bytes(&pb::QueryMemoriesRequest {
            user_id,
            query: "what of the quokka in the harbour?".to_owned(),
            explain: true,
            ..Default::default()
        }),
        "WatchMemories" => bytes(&pb::WatchMemoriesRequest { user_id, from_oldest: true, ..Default::default() }),
        "DeleteMemory" => bytes(&pb::DeleteMemoryRequest { user_id, id, etag, request_id, dry_run: false }),
        "ForgetMemories" => bytes(&pb::ForgetMemoriesRequest { user_id, ids: vec![id], request_id }),
        "ExportMemories" => bytes(&pb::ExportMemoriesRequest { user_id, ..Default::default() }),
        "ImportMemories" => {
            let start = pb::ImportStart { user_id, import_id: "matrix".to_owned(), ..pb::ImportStart::default() };
            bytes(&pb::ImportMemoriesRequest { message: Some(pb::import_memories_request::Message::Start(start)) })
        }
        _ => no_request_of(method),
    }
}

fn attachments(method: &str, user_id: String, memory_id: String) -> Vec<u8> {
    let id = format!("att_{NOWHERE}");
    match method {
        "UploadAttachment" => {
            // The announced size exceeds the content, so that nothing is stored.
            let size_bytes = Some(1);
            let start = pb::AttachmentStart { user_id, memory_id, size_bytes, ..pb::AttachmentStart::default() };
            bytes(&pb::UploadAttachmentRequest { message: Some(pb::upload_attachment_request::Message::Start(start)) })
        }
        "ImportAttachment" => {
            // Names no attachment, so that nothing is stored.
            let start = pb::ImportAttachmentStart { user_id, attachment: None };
            bytes(&pb::ImportAttachmentRequest { message: Some(pb::import_attachment_request::Message::Start(start)) })
        }
        "ExportAttachments" => bytes(&pb::ExportAttachmentsRequest { user_id, cursor: String::new() }),
        "AttachToMemory" => bytes(&pb::AttachToMemoryRequest { user_id, memory_id, id }),
        "DetachFromMemory" => bytes(&pb::DetachFromMemoryRequest { user_id, memory_id, id }),
        "ListAttachments" => bytes(&pb::ListAttachmentsRequest { user_id, memory_id, ..Default::default() }),
        "GetAttachment" => bytes(&pb::GetAttachmentRequest { user_id, id }),
        "DownloadAttachment" => bytes(&pb::DownloadAttachmentRequest { user_id, id, offset: 0 }),
        _ => no_request_of(method),
    }
}

/// A key that is rotated keeps its old secret for a day, longer than the matrix takes.
fn keys(method: &str, name: String) -> Vec<u8> {
    match method {
        "CreateKey" => bytes(&pb::CreateKeyRequest { name: "not a name".to_owned(), ..Default::default() }),
        "ListKeys" => bytes(&pb::ListKeysRequest { page_size: 1, page_token: String::new() }),
        "RevokeKey" => bytes(&pb::RevokeKeyRequest { name }),
        "RotateKey" => bytes(&pb::RotateKeyRequest { name, overlap: None }),
        _ => no_request_of(method),
    }
}

fn figures(method: &str, user_id: String) -> Vec<u8> {
    match method {
        "ListAuditEntries" => bytes(&pb::ListAuditEntriesRequest { user_id, page_size: 1, ..Default::default() }),
        "VerifyAudit" => bytes(&pb::VerifyAuditRequest { user_id, expected: None }),
        "CreateAuditCheckpoint" => bytes(&pb::CreateAuditCheckpointRequest { user_id }),
        "ExportAudit" => bytes(&pb::ExportAuditRequest { user_id, after: 0 }),
        "GetMetrics" => bytes(&pb::GetMetricsRequest { user_id }),
        "ListAlerts" => bytes(&pb::ListAlertsRequest::default()),
        "GetServerInfo" => bytes(&pb::GetServerInfoRequest {}),
        _ => no_request_of(method),
    }
}

fn consents(method: &str, user_id: String) -> Vec<u8> {
    let id = format!("con_{NOWHERE}");
    match method {
        "GrantConsent" => {
            bytes(&pb::GrantConsentRequest { user_id, consent: Some(pb::Consent::default()), ..Default::default() })
        }
        "ImportConsents" => bytes(&pb::ImportConsentsRequest { user_id, consents: vec![pb::Consent::default()] }),
        "GetConsent" => bytes(&pb::GetConsentRequest { user_id, id }),
        "ListConsents" => bytes(&pb::ListConsentsRequest { user_id, ..Default::default() }),
        "RetractConsent" => bytes(&pb::RetractConsentRequest { user_id, id, ..Default::default() }),
        _ => no_request_of(method),
    }
}

fn derived(method: &str, user_id: String) -> Vec<u8> {
    match method {
        "RequestEmbedding" => bytes(&pb::RequestEmbeddingRequest { user_id, request_id: String::new() }),
        "UploadEmbeddings" => bytes(&pb::UploadEmbeddingsRequest { user_id, ..Default::default() }),
        "GetEmbeddingStatus" => bytes(&pb::GetEmbeddingStatusRequest { user_id }),
        "ExportEmbeddingTexts" => bytes(&pb::ExportEmbeddingTextsRequest { user_id, ..Default::default() }),
        "CheckVault" => bytes(&pb::CheckVaultRequest { user_id, release: false, attachments: true }),
        "ListQuarantinedVaults" => bytes(&pb::ListQuarantinedVaultsRequest::default()),
        "ListUsers" => bytes(&pb::ListUsersRequest::default()),
        "HoldStill" => bytes(&pb::HoldStillRequest::default()),
        "GetKeyRings" => bytes(&pb::GetKeyRingsRequest {}),
        "RebuildDerived" => bytes(&pb::RebuildDerivedRequest { user_id, vectors: false }),
        _ => no_request_of(method),
    }
}

fn purges(method: &str, user_id: String) -> Vec<u8> {
    match method {
        // The confirmation is wrong, so that no user is purged.
        "PurgeUser" => bytes(&pb::PurgeUserRequest { user_id, confirm_user_id: "not this user".to_owned() }),
        "GetPurge" => bytes(&pb::GetPurgeRequest { user_id, id: format!("purge_{NOWHERE}") }),
        "ListPurges" => bytes(&pb::ListPurgesRequest { user_id, page_size: 1, page_token: String::new() }),
        _ => no_request_of(method),
    }
}

fn goals(method: &str, user_id: String) -> Vec<u8> {
    let (id, request_id) = (format!("goal_{NOWHERE}"), String::new());
    match method {
        "CreateGoal" => bytes(&pb::CreateGoalRequest { user_id, goal: Some(pb::Goal::default()), request_id }),
        "UpdateGoal" => {
            let goal = pb::Goal { id, title: "x".to_owned(), ..pb::Goal::default() };
            bytes(&pb::UpdateGoalRequest { user_id, goal: Some(goal), update_mask: Some(mask(&["title"])), request_id })
        }
        "ImportGoals" => bytes(&pb::ImportGoalsRequest { user_id, goals: vec![pb::Goal::default()] }),
        "GetGoal" => bytes(&pb::GetGoalRequest { user_id, id }),
        "ListGoals" => bytes(&pb::ListGoalsRequest { user_id, ..Default::default() }),
        "DeleteGoal" => bytes(&pb::DeleteGoalRequest { user_id, id, request_id }),
        _ => no_request_of(method),
    }
}

fn meditations(method: &str, user_id: String) -> Vec<u8> {
    let id = format!("med_{NOWHERE}");
    match method {
        "Meditate" => bytes(&pb::MeditateRequest { user_id, dry_run: true, ..Default::default() }),
        "GetMeditation" => bytes(&pb::GetMeditationRequest { user_id, id, ..Default::default() }),
        "ListMeditations" => bytes(&pb::ListMeditationsRequest { user_id, ..Default::default() }),
        "WatchMeditation" => bytes(&pb::WatchMeditationRequest { user_id, id }),
        _ => no_request_of(method),
    }
}

fn settings(method: &str, user_id: String) -> Vec<u8> {
    match method {
        "GetSettings" => bytes(&pb::GetSettingsRequest { user_id }),
        "UpdateSettings" => bytes(&pb::UpdateSettingsRequest {
            user_id,
            user_settings: Some(pb::UserSettings::default()),
            update_mask: Some(mask(&["low_score"])),
            etag: "999999".to_owned(),
            request_id: String::new(),
        }),
        _ => no_request_of(method),
    }
}
