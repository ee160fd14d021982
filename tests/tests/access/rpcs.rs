//! The required rights of each rpc, written by hand.

use std::collections::BTreeMap;

use kimberly_proto::FILE_DESCRIPTOR_SET;
use prost::Message as _;
use prost_types::FileDescriptorSet;

/// Operations that can be granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Read,
    Write,
    Delete,
    Export,
    Meditate,
    Admin,
}

impl Op {
    pub(crate) const ALL: [Self; 6] =
        [Self::Read, Self::Write, Self::Delete, Self::Export, Self::Meditate, Self::Admin];

    /// The number in the contract.
    pub(crate) const fn number(self) -> i32 {
        self as i32 + 1
    }
}

/// The scope of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Anyone may call.
    Nobody,
    /// One memory, named by the request.
    Memory,
    /// Memories.
    Memories,
    /// All data of a user.
    User,
    /// All data of a user, or, if the request names none, of the system, for operators.
    UserOrSystem,
    /// The system.
    System,
    /// The system, or the key that calls.
    SystemOrItself,
}

/// An rpc.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rpc {
    pub(crate) path: &'static str,
    pub(crate) takes: Op,
    pub(crate) reach: Reach,
    /// Whether agents are excluded.
    pub(crate) personal: bool,
}

/// Decisions reserved to persons.
const PERSONAL: [&str; 2] = ["/kimberly.v1.ConsentService/GrantConsent", "/kimberly.v1.ConsentService/ImportConsents"];

/// By service: methods, operation and scope.
#[rustfmt::skip]
const TABLE: &[(&str, &str, Op, Reach)] = &[
    ("AccessService", "CreateKey ListKeys RevokeKey", Op::Admin, Reach::System),
    ("AccessService", "RotateKey", Op::Admin, Reach::SystemOrItself),
    (
        "AuditService",
        "ListAuditEntries VerifyAudit ExportAudit CreateAuditCheckpoint",
        Op::Export,
        Reach::UserOrSystem,
    ),
    ("AttachmentService", "UploadAttachment AttachToMemory", Op::Write, Reach::Memory),
    ("AttachmentService", "DetachFromMemory", Op::Delete, Reach::Memory),
    ("AttachmentService", "ListAttachments", Op::Read, Reach::Memory),
    ("AttachmentService", "GetAttachment DownloadAttachment", Op::Read, Reach::Memories),
    ("AttachmentService", "ExportAttachments", Op::Export, Reach::User),
    ("AttachmentService", "ImportAttachment", Op::Write, Reach::User),
    ("ConsentService", "GrantConsent ImportConsents", Op::Write, Reach::User),
    ("ConsentService", "GetConsent ListConsents", Op::Read, Reach::User),
    ("ConsentService", "RetractConsent", Op::Delete, Reach::User),
    ("EmbeddingService", "RequestEmbedding UploadEmbeddings", Op::Write, Reach::User),
    ("EmbeddingService", "GetEmbeddingStatus", Op::Read, Reach::User),
    ("EmbeddingService", "ExportEmbeddingTexts", Op::Export, Reach::User),
    ("ErasureService", "PurgeUser", Op::Admin, Reach::User),
    ("ErasureService", "GetPurge ListPurges", Op::Admin, Reach::UserOrSystem),
    ("GoalService", "CreateGoal UpdateGoal ImportGoals", Op::Write, Reach::User),
    ("GoalService", "GetGoal ListGoals", Op::Read, Reach::User),
    ("GoalService", "DeleteGoal", Op::Delete, Reach::User),
    ("MetricsService", "ListAlerts", Op::Admin, Reach::System),
    ("MaintenanceService", "GetKeyRings HoldStill ListQuarantinedVaults ListUsers", Op::Admin, Reach::System),
    ("MaintenanceService", "CheckVault RebuildDerived", Op::Admin, Reach::User),
    ("MeditationService", "Meditate", Op::Meditate, Reach::User),
    ("MeditationService", "GetMeditation ListMeditations WatchMeditation", Op::Read, Reach::User),
    ("MemoryService", "CreateMemory BatchCreateMemories EndSession", Op::Write, Reach::Memories),
    ("MemoryService", "UpdateMemory RestoreMemory RecordOutcome", Op::Write, Reach::Memory),
    ("MemoryService", "GetMemory", Op::Read, Reach::Memory),
    ("MemoryService", "ListMemories QueryMemories WatchMemories", Op::Read, Reach::Memories),
    ("MemoryService", "DeleteMemory ForgetMemories", Op::Delete, Reach::Memory),
    ("MemoryService", "ExportMemories", Op::Export, Reach::Memories),
    ("MemoryService", "ImportMemories", Op::Write, Reach::User),
    ("DocumentService", "IngestDocument", Op::Write, Reach::Memories),
    ("DocumentService", "ListPassages", Op::Read, Reach::Memory),
    ("GraphService", "ListEntities GetEntity ListNeighbours GetSubgraph", Op::Read, Reach::Memories),
    ("GraphService", "ListRelated", Op::Read, Reach::Memory),
    ("GraphService", "MergeEntities SplitEntity RenameEntity DismissEntity", Op::Write, Reach::Memories),
    ("ReviewService", "ListReviews", Op::Read, Reach::Memories),
    ("ReviewService", "ApplyReview DismissReview UndoReview", Op::Write, Reach::Memory),
    ("LinkService", "Link", Op::Write, Reach::Memory),
    ("LinkService", "Unlink", Op::Delete, Reach::Memory),
    ("LinkService", "Lineage", Op::Read, Reach::Memory),
    ("LinkService", "ListLinks ListContradictions", Op::Read, Reach::Memories),
    ("LinkService", "ResolveContradiction", Op::Write, Reach::Memory),
    ("LinkService", "ImportLinks", Op::Write, Reach::User),
    ("RecordService", "CorrectMemory ReviseBelief InvalidateMemory PromoteMemories", Op::Write, Reach::Memory),
    ("RecordService", "GetHistory", Op::Read, Reach::Memory),
    ("RecordService", "VerifyMemory RecordPlaybookUse RecordInteraction", Op::Write, Reach::Memory),
    ("ConversationService", "Observe ObserveStream CompactSession", Op::Write, Reach::Memories),
    ("ConversationService", "GetContext", Op::Read, Reach::Memories),
    ("NamedRecordService", "GetNamedRecord ListNames ListVersions GetVersion DiffVersions", Op::Read, Reach::Memories),
    ("NamedRecordService", "RenameRecord EditRecord UndoEdit", Op::Write, Reach::Memories),
    ("NamedRecordService", "RedactVersion", Op::Delete, Reach::Memories),
    ("CoreMemoryService", "AddBlock UpdateBlock", Op::Write, Reach::Memories),
    ("CoreMemoryService", "RemoveBlock", Op::Delete, Reach::Memories),
    ("CoreMemoryService", "ListBlocks RenderCoreMemory", Op::Read, Reach::Memories),
    ("MemoryToolService", "RunMemoryTool", Op::Read, Reach::Memories),
    ("RecordService", "ListUncertain FindPlaybooks ListUnprocessed GetIdentity", Op::Read, Reach::Memories),
    ("RecordService", "ListForgettingCandidates", Op::Read, Reach::Memories),
    ("RecordService", "RunForgetting", Op::Delete, Reach::Memories),
    ("WorkingMemoryService", "RunWorkingOperations", Op::Write, Reach::Memories),
    ("WorkingMemoryService", "GetWorkingEntry ListWorkingKeys", Op::Read, Reach::Memories),
    ("MetricsService", "GetMetrics", Op::Read, Reach::UserOrSystem),
    ("ServerService", "GetServerInfo", Op::Read, Reach::Nobody),
    ("SettingsService", "GetSettings", Op::Read, Reach::User),
    ("SettingsService", "UpdateSettings", Op::Admin, Reach::User),
];

/// All rpcs of the contract; panics for one that is missing in the table.
pub(crate) fn all() -> Vec<Rpc> {
    let written: BTreeMap<String, (Op, Reach)> = TABLE
        .iter()
        .flat_map(|(service, methods, takes, reach)| {
            methods.split(' ').map(move |method| (format!("/kimberly.v1.{service}/{method}"), (*takes, *reach)))
        })
        .collect();
    let rpcs: Vec<Rpc> = paths()
        .into_iter()
        .map(|path| {
            let (takes, reach) = *written.get(&path).unwrap_or_else(|| panic!("no row says what {path} takes"));
            let personal = PERSONAL.contains(&path.as_str());
            Rpc { path: path.leak(), takes, reach, personal }
        })
        .collect();
    assert_eq!(rpcs.len(), written.len(), "the table has rpcs that the contract has not");
    rpcs
}

fn paths() -> Vec<String> {
    let files = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).expect("the contract").file;
    let services = files.iter().flat_map(|file| file.service.iter().map(move |service| (file.package(), service)));
    services
        .flat_map(|(package, service)| {
            service.method.iter().map(move |method| format!("/{package}.{}/{}", service.name(), method.name()))
        })
        .collect()
}
