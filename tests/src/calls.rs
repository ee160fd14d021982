//! Requests that can send themselves, so that a test can be a table of requests.

use kimberly_proto::v1 as pb;
use tonic::Status;

use crate::Clients;

/// A request of any service; the response is dropped.
pub trait Call: Clone + std::fmt::Debug + Send {
    /// Sends the request.
    fn send(self, clients: Clients) -> impl Future<Output = Result<(), Status>> + Send;
}

macro_rules! calls {
    ($($request:ident => $client:ident . $method:ident),+ $(,)?) => {
        $(impl Call for pb::$request {
            async fn send(self, mut clients: Clients) -> Result<(), Status> {
                clients.$client.$method(self).await.map(drop)
            }
        })+
    };
}

calls! {
    CreateMemoryRequest => memories.create_memory,
    BatchCreateMemoriesRequest => memories.batch_create_memories,
    GetMemoryRequest => memories.get_memory,
    ListMemoriesRequest => memories.list_memories,
    UpdateMemoryRequest => memories.update_memory,
    DeleteMemoryRequest => memories.delete_memory,
    ForgetMemoriesRequest => memories.forget_memories,
    RestoreMemoryRequest => memories.restore_memory,
    QueryMemoriesRequest => memories.query_memories,
    RecordOutcomeRequest => memories.record_outcome,
    EndSessionRequest => memories.end_session,
    VerifyMemoryRequest => records.verify_memory,
    ListUncertainRequest => records.list_uncertain,
    FindPlaybooksRequest => records.find_playbooks,
    RecordPlaybookUseRequest => records.record_playbook_use,
    RecordInteractionRequest => records.record_interaction,
    CorrectMemoryRequest => records.correct_memory,
    ReviseBeliefRequest => records.revise_belief,
    InvalidateMemoryRequest => records.invalidate_memory,
    GetHistoryRequest => records.get_history,
    PromoteMemoriesRequest => records.promote_memories,
    ListUnprocessedRequest => records.list_unprocessed,
    ListForgettingCandidatesRequest => records.list_forgetting_candidates,
    RunForgettingRequest => records.run_forgetting,
    GetIdentityRequest => records.get_identity,
    ListEntitiesRequest => graph.list_entities,
    GetEntityRequest => graph.get_entity,
    ListNeighboursRequest => graph.list_neighbours,
    GetSubgraphRequest => graph.get_subgraph,
    ListRelatedRequest => graph.list_related,
    IngestDocumentRequest => documents.ingest_document,
    ListPassagesRequest => documents.list_passages,
    ListReviewsRequest => reviews.list_reviews,
    ApplyReviewRequest => reviews.apply_review,
    DismissReviewRequest => reviews.dismiss_review,
    UndoReviewRequest => reviews.undo_review,
    MergeEntitiesRequest => graph.merge_entities,
    SplitEntityRequest => graph.split_entity,
    RenameEntityRequest => graph.rename_entity,
    DismissEntityRequest => graph.dismiss_entity,
    LinkRequest => links.link,
    UnlinkRequest => links.unlink,
    ListLinksRequest => links.list_links,
    LineageRequest => links.lineage,
    ImportLinksRequest => links.import_links,
    ListContradictionsRequest => links.list_contradictions,
    ResolveContradictionRequest => links.resolve_contradiction,
    ObserveRequest => conversations.observe,
    GetContextRequest => conversations.get_context,
    CompactSessionRequest => conversations.compact_session,
    RunWorkingOperationsRequest => working.run_working_operations,
    GetWorkingEntryRequest => working.get_working_entry,
    ListWorkingKeysRequest => working.list_working_keys,
    GetNamedRecordRequest => named.get_named_record,
    ListNamesRequest => named.list_names,
    RenameRecordRequest => named.rename_record,
    EditRecordRequest => named.edit_record,
    ListVersionsRequest => named.list_versions,
    GetVersionRequest => named.get_version,
    DiffVersionsRequest => named.diff_versions,
    UndoEditRequest => named.undo_edit,
    RedactVersionRequest => named.redact_version,
    AddBlockRequest => core.add_block,
    UpdateBlockRequest => core.update_block,
    RemoveBlockRequest => core.remove_block,
    ListBlocksRequest => core.list_blocks,
    RenderCoreMemoryRequest => core.render_core_memory,
    RunMemoryToolRequest => tool.run_memory_tool,
    MeditateRequest => meditations.meditate,
    GetMeditationRequest => meditations.get_meditation,
    ListMeditationsRequest => meditations.list_meditations,
    GrantConsentRequest => consents.grant_consent,
    GetConsentRequest => consents.get_consent,
    ListConsentsRequest => consents.list_consents,
    RetractConsentRequest => consents.retract_consent,
    ImportConsentsRequest => consents.import_consents,
    PurgeUserRequest => erasure.purge_user,
    GetPurgeRequest => erasure.get_purge,
    ListPurgesRequest => erasure.list_purges,
    CreateGoalRequest => goals.create_goal,
    ListGoalsRequest => goals.list_goals,
    UpdateGoalRequest => goals.update_goal,
    ImportGoalsRequest => goals.import_goals,
    GetSettingsRequest => settings.get_settings,
    UpdateSettingsRequest => settings.update_settings,
    GetMetricsRequest => metrics.get_metrics,
    RebuildDerivedRequest => maintenance.rebuild_derived,
    RequestEmbeddingRequest => embedding.request_embedding,
    UploadEmbeddingsRequest => embedding.upload_embeddings,
    GetEmbeddingStatusRequest => embedding.get_embedding_status,
    ListAuditEntriesRequest => audit.list_audit_entries,
    VerifyAuditRequest => audit.verify_audit,
    GetServerInfoRequest => server.get_server_info,
}
