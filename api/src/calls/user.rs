//! Whose call a request is.

use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::LazyLock;

use kimberly_proto::v1;

/// A request on behalf of a user.
pub(crate) trait OfUser {
    /// Whether it changes the vault, and so waits for the disk more than it computes.
    const WRITES: bool;

    /// The user's id as it was sent; it may be no valid one.
    fn user(&self) -> &str;

    /// The id of the one thing that is read, or the name of the key that is changed, as it was sent; empty if it is about
    /// no one thing.
    #[expect(clippy::unnecessary_literal_bound, reason = "requests about one thing return their own")]
    fn subject(&self) -> &str {
        ""
    }
}

macro_rules! of_user {
    ($writes:literal: $($request:ident $(($subject:ident))?),+ $(,)?) => {
        $(impl OfUser for v1::$request {
            const WRITES: bool = $writes;

            fn user(&self) -> &str {
                &self.user_id
            }

            $(fn subject(&self) -> &str {
                &self.$subject
            })?
        })+
    };
}

of_user!(
    false: DownloadAttachmentRequest(id),
    ExportAttachmentsRequest,
    ExportAuditRequest,
    ExportEmbeddingTextsRequest,
    FindPlaybooksRequest,
    GetAttachmentRequest(id),
    GetConsentRequest(id),
    GetContextRequest,
    GetEmbeddingStatusRequest,
    GetGoalRequest(id),
    GetHistoryRequest(id),
    GetMeditationRequest(id),
    GetMemoryRequest(id),
    GetMetricsRequest,
    GetNamedRecordRequest,
    GetEntityRequest(id),
    GetPurgeRequest(id),
    GetSettingsRequest,
    GetSubgraphRequest,
    LineageRequest(id),
    GetWorkingEntryRequest,
    GetVersionRequest,
    DiffVersionsRequest,
    ListAttachmentsRequest,
    ListBlocksRequest,
    ListAuditEntriesRequest,
    ListConsentsRequest,
    ListEntitiesRequest,
    ListGoalsRequest,
    ListContradictionsRequest,
    ListLinksRequest,
    ListMeditationsRequest,
    ListMemoriesRequest,
    ListNamesRequest,
    ListNeighboursRequest(id),
    ListPassagesRequest(id),
    ListPurgesRequest,
    ListRelatedRequest(id),
    ListReviewsRequest,
    ListUncertainRequest,
    ListUnprocessedRequest,
    ListForgettingCandidatesRequest,
    GetIdentityRequest,
    ListWorkingKeysRequest,
    ListVersionsRequest,
    MeditateRequest,
    QueryMemoriesRequest,
    RenderCoreMemoryRequest,
    VerifyAuditRequest,
    CreateAuditCheckpointRequest,
    WatchMeditationRequest(id),
    ExportMemoriesRequest,
    WatchMemoriesRequest,
);
of_user!(
    true: AddBlockRequest,
    ApplyReviewRequest,
    DismissReviewRequest,
    UndoReviewRequest,
    AttachToMemoryRequest,
    AttachmentStart,
    BatchCreateMemoriesRequest,
    CheckVaultRequest,
    CorrectMemoryRequest,
    CreateGoalRequest,
    CreateMemoryRequest,
    DeleteGoalRequest,
    DeleteMemoryRequest,
    DetachFromMemoryRequest,
    DismissEntityRequest,
    EditRecordRequest,
    EndSessionRequest,
    ForgetMemoriesRequest,
    GrantConsentRequest,
    ImportAttachmentStart,
    IngestDocumentRequest,
    PromoteMemoriesRequest,
    ImportConsentsRequest,
    ImportGoalsRequest,
    ImportLinksRequest,
    ImportStart,
    InvalidateMemoryRequest,
    LinkRequest,
    CompactSessionRequest,
    MergeEntitiesRequest,
    ObserveRequest,
    ObserveStart,
    PurgeUserRequest,
    RebuildDerivedRequest,
    RecordInteractionRequest,
    RecordOutcomeRequest,
    RecordPlaybookUseRequest,
    RedactVersionRequest,
    RemoveBlockRequest,
    RenameEntityRequest,
    RenameRecordRequest,
    RequestEmbeddingRequest,
    ResolveContradictionRequest,
    RestoreMemoryRequest,
    RetractConsentRequest,
    ReviseBeliefRequest,
    SplitEntityRequest,
    UnlinkRequest,
    RunForgettingRequest,
    RunWorkingOperationsRequest,
    RunMemoryToolRequest,
    UndoEditRequest,
    UpdateBlockRequest,
    UpdateGoalRequest,
    UpdateMemoryRequest,
    UpdateSettingsRequest,
    UploadEmbeddingsRequest,
    VerifyMemoryRequest,
);

/// Calls about the whole system.
macro_rules! of_nobody {
    ($writes:literal: $($request:ident $(($subject:ident))?),+ $(,)?) => {
        $(impl OfUser for v1::$request {
            const WRITES: bool = $writes;

            fn user(&self) -> &'static str {
                ""
            }

            $(fn subject(&self) -> &str {
                &self.$subject
            })?
        })+
    };
}

of_nobody!(
    false: GetKeyRingsRequest,
    HoldStillRequest,
    ListAlertsRequest,
    ListKeysRequest,
    ListQuarantinedVaultsRequest,
);
of_nobody!(true: CreateKeyRequest, RevokeKeyRequest, RotateKeyRequest(name));

/// Stands for a user in tables of bounded size. Nobody outside can choose ids that share one.
pub(super) type Key = u64;

/// Who stands in line: a user, and who calls for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Who {
    pub caller: Key,
    pub user: Key,
}

pub(super) fn key(of: impl Hash) -> Key {
    static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    HASHER.hash_one(of)
}
