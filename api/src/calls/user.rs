//! The user that a request is about.

use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::LazyLock;

use kimberly_core::UserId;
use kimberly_proto::v1;

/// A request on behalf of a user.
pub(crate) trait OfUser {
    /// Whether the request changes the vault. Such a request waits for the disk more than it computes.
    const WRITES: bool;

    /// Returns the user's id as it was sent, which may be invalid.
    fn user(&self) -> &str;

    /// Names the user, in a request that names none. Without effect for calls about the whole system.
    fn name_user(&mut self, _: UserId) {}

    /// Returns the id of the single item that is read, or the name of the key that is changed, as it was sent. Empty if
    /// the request is not about a single item.
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

            fn name_user(&mut self, user: UserId) {
                self.user_id = user.into();
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

/// Implements `OfUser` for calls about the whole system.
macro_rules! of_no_user {
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

of_no_user!(
    false: GetKeyRingsRequest,
    HoldStillRequest,
    ListAlertsRequest,
    ListKeysRequest,
    ListQuarantinedVaultsRequest,
    ListUsersRequest,
);
of_no_user!(true: CreateKeyRequest, RevokeKeyRequest, RotateKeyRequest(name));

/// Stands for a user or caller in tables of bounded size. A keyed hash, so outsiders cannot choose ids that collide.
pub(super) type Key = u64;

/// A queued user, and the caller who calls for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Who {
    pub caller: Key,
    pub user: Key,
}

pub(super) fn key(of: impl Hash) -> Key {
    static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    HASHER.hash_one(of)
}
