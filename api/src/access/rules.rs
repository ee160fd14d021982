//! The requirements of every rpc, one row each. They stand nowhere else. An rpc without a row is refused.

use std::collections::HashMap;
use std::sync::LazyLock;

use kimberly_core::access::Operation::{Admin, Delete, Export, Meditate, Read, Write};
use kimberly_core::access::Reach::{AllUsers, Rows, WholeUser};
use kimberly_core::access::{Operation, Reach, Rule};

macro_rules! rpc {
    ($service:literal, $method:literal) => {
        concat!("/kimberly.v1.", $service, "/", $method)
    };
}

const fn rule(rpc: &'static str, operation: Operation, reach: Reach) -> Rule {
    Rule::new(rpc, operation, reach)
}

/// The rules. `Rows` marks calls about single memories. `WholeUser` marks calls that show or change something about
/// all of a user's memories. Agents cannot give consent: only a person can.
pub(crate) const RULES: &[Rule] = &[
    rule(rpc!("MemoryService", "CreateMemory"), Write, Rows),
    rule(rpc!("MemoryService", "BatchCreateMemories"), Write, Rows),
    rule(rpc!("MemoryService", "UpdateMemory"), Write, Rows),
    rule(rpc!("MemoryService", "RestoreMemory"), Write, Rows),
    rule(rpc!("MemoryService", "RecordOutcome"), Write, Rows),
    rule(rpc!("MemoryService", "EndSession"), Write, Rows),
    rule(rpc!("MemoryService", "GetMemory"), Read, Rows),
    rule(rpc!("MemoryService", "ListMemories"), Read, Rows),
    rule(rpc!("MemoryService", "QueryMemories"), Read, Rows),
    rule(rpc!("MemoryService", "WatchMemories"), Read, Rows),
    rule(rpc!("MemoryService", "DeleteMemory"), Delete, Rows),
    rule(rpc!("MemoryService", "ForgetMemories"), Delete, Rows),
    rule(rpc!("MemoryService", "ExportMemories"), Export, Rows),
    rule(rpc!("MemoryService", "ImportMemories"), Write, WholeUser),
    rule(rpc!("RecordService", "VerifyMemory"), Write, Rows),
    rule(rpc!("RecordService", "ListUncertain"), Read, Rows),
    rule(rpc!("RecordService", "FindPlaybooks"), Read, Rows),
    rule(rpc!("RecordService", "RecordPlaybookUse"), Write, Rows),
    rule(rpc!("RecordService", "RecordInteraction"), Write, Rows),
    rule(rpc!("RecordService", "CorrectMemory"), Write, Rows),
    rule(rpc!("RecordService", "ReviseBelief"), Write, Rows),
    rule(rpc!("RecordService", "InvalidateMemory"), Write, Rows),
    rule(rpc!("RecordService", "GetHistory"), Read, Rows),
    rule(rpc!("RecordService", "PromoteMemories"), Write, Rows),
    rule(rpc!("RecordService", "ListUnprocessed"), Read, Rows),
    rule(rpc!("RecordService", "GetIdentity"), Read, Rows),
    rule(rpc!("RecordService", "ListForgettingCandidates"), Read, Rows),
    rule(rpc!("RecordService", "RunForgetting"), Delete, Rows).by_name(),
    rule(rpc!("LinkService", "Link"), Write, Rows),
    rule(rpc!("LinkService", "Unlink"), Delete, Rows),
    rule(rpc!("LinkService", "ListLinks"), Read, Rows),
    rule(rpc!("LinkService", "Lineage"), Read, Rows),
    rule(rpc!("LinkService", "ImportLinks"), Write, WholeUser),
    rule(rpc!("LinkService", "ListContradictions"), Read, Rows),
    rule(rpc!("LinkService", "ResolveContradiction"), Write, Rows),
    rule(rpc!("ReviewService", "ListReviews"), Read, Rows),
    rule(rpc!("ReviewService", "ApplyReview"), Write, Rows),
    rule(rpc!("ReviewService", "DismissReview"), Write, Rows),
    rule(rpc!("ReviewService", "UndoReview"), Write, Rows),
    rule(rpc!("DocumentService", "IngestDocument"), Write, Rows),
    rule(rpc!("DocumentService", "ListPassages"), Read, Rows),
    rule(rpc!("GraphService", "ListEntities"), Read, Rows),
    rule(rpc!("GraphService", "GetEntity"), Read, Rows),
    rule(rpc!("GraphService", "ListNeighbours"), Read, Rows),
    rule(rpc!("GraphService", "GetSubgraph"), Read, Rows),
    rule(rpc!("GraphService", "ListRelated"), Read, Rows),
    rule(rpc!("GraphService", "MergeEntities"), Write, Rows),
    rule(rpc!("GraphService", "SplitEntity"), Write, Rows),
    rule(rpc!("GraphService", "RenameEntity"), Write, Rows),
    rule(rpc!("GraphService", "DismissEntity"), Write, Rows),
    rule(rpc!("ConversationService", "Observe"), Write, Rows),
    rule(rpc!("ConversationService", "ObserveStream"), Write, Rows),
    rule(rpc!("ConversationService", "GetContext"), Read, Rows),
    rule(rpc!("ConversationService", "CompactSession"), Write, Rows),
    rule(rpc!("WorkingMemoryService", "RunWorkingOperations"), Write, Rows),
    rule(rpc!("WorkingMemoryService", "GetWorkingEntry"), Read, Rows),
    rule(rpc!("WorkingMemoryService", "ListWorkingKeys"), Read, Rows),
    rule(rpc!("NamedRecordService", "GetNamedRecord"), Read, Rows),
    rule(rpc!("NamedRecordService", "ListNames"), Read, Rows),
    rule(rpc!("NamedRecordService", "EditRecord"), Write, Rows),
    rule(rpc!("NamedRecordService", "RenameRecord"), Write, Rows),
    rule(rpc!("NamedRecordService", "ListVersions"), Read, Rows),
    rule(rpc!("NamedRecordService", "GetVersion"), Read, Rows),
    rule(rpc!("NamedRecordService", "DiffVersions"), Read, Rows),
    rule(rpc!("NamedRecordService", "UndoEdit"), Write, Rows),
    rule(rpc!("NamedRecordService", "RedactVersion"), Delete, Rows),
    rule(rpc!("CoreMemoryService", "AddBlock"), Write, Rows),
    rule(rpc!("CoreMemoryService", "UpdateBlock"), Write, Rows),
    rule(rpc!("CoreMemoryService", "RemoveBlock"), Delete, Rows),
    rule(rpc!("CoreMemoryService", "ListBlocks"), Read, Rows),
    rule(rpc!("CoreMemoryService", "RenderCoreMemory"), Read, Rows),
    // The use case also checks the permission that the command itself needs.
    rule(rpc!("MemoryToolService", "RunMemoryTool"), Read, Rows),
    rule(rpc!("AttachmentService", "UploadAttachment"), Write, Rows),
    rule(rpc!("AttachmentService", "AttachToMemory"), Write, Rows),
    rule(rpc!("AttachmentService", "DetachFromMemory"), Delete, Rows),
    rule(rpc!("AttachmentService", "GetAttachment"), Read, Rows),
    rule(rpc!("AttachmentService", "ListAttachments"), Read, Rows),
    rule(rpc!("AttachmentService", "DownloadAttachment"), Read, Rows),
    rule(rpc!("AttachmentService", "ExportAttachments"), Export, WholeUser),
    rule(rpc!("AttachmentService", "ImportAttachment"), Write, WholeUser),
    rule(rpc!("MeditationService", "Meditate"), Meditate, WholeUser),
    rule(rpc!("MeditationService", "GetMeditation"), Read, WholeUser),
    rule(rpc!("MeditationService", "ListMeditations"), Read, WholeUser),
    rule(rpc!("MeditationService", "WatchMeditation"), Read, WholeUser),
    rule(rpc!("GoalService", "CreateGoal"), Write, WholeUser),
    rule(rpc!("GoalService", "UpdateGoal"), Write, WholeUser),
    rule(rpc!("GoalService", "ImportGoals"), Write, WholeUser),
    rule(rpc!("GoalService", "GetGoal"), Read, WholeUser),
    rule(rpc!("GoalService", "ListGoals"), Read, WholeUser),
    rule(rpc!("GoalService", "DeleteGoal"), Delete, WholeUser),
    rule(rpc!("ConsentService", "GrantConsent"), Write, WholeUser).not_by_agents(),
    rule(rpc!("ConsentService", "ImportConsents"), Write, WholeUser).not_by_agents(),
    rule(rpc!("ConsentService", "GetConsent"), Read, WholeUser),
    rule(rpc!("ConsentService", "ListConsents"), Read, WholeUser),
    rule(rpc!("ConsentService", "RetractConsent"), Delete, WholeUser).by_name(),
    rule(rpc!("SettingsService", "GetSettings"), Read, WholeUser),
    rule(rpc!("SettingsService", "UpdateSettings"), Admin, WholeUser),
    rule(rpc!("EmbeddingService", "RequestEmbedding"), Write, WholeUser),
    rule(rpc!("EmbeddingService", "UploadEmbeddings"), Write, WholeUser),
    rule(rpc!("EmbeddingService", "GetEmbeddingStatus"), Read, WholeUser),
    rule(rpc!("EmbeddingService", "ExportEmbeddingTexts"), Export, WholeUser),
    rule(rpc!("MetricsService", "GetMetrics"), Read, WholeUser).or_without_user(Admin),
    rule(rpc!("MetricsService", "ListAlerts"), Admin, AllUsers),
    rule(rpc!("MaintenanceService", "RebuildDerived"), Admin, WholeUser),
    rule(rpc!("MaintenanceService", "CheckVault"), Admin, WholeUser),
    rule(rpc!("MaintenanceService", "ListUsers"), Admin, AllUsers),
    rule(rpc!("MaintenanceService", "GetKeyRings"), Admin, AllUsers),
    rule(rpc!("MaintenanceService", "ListQuarantinedVaults"), Admin, AllUsers),
    rule(rpc!("MaintenanceService", "HoldStill"), Admin, AllUsers),
    rule(rpc!("AuditService", "ListAuditEntries"), Export, WholeUser).or_without_user(Admin),
    rule(rpc!("AuditService", "VerifyAudit"), Export, WholeUser).or_without_user(Admin),
    rule(rpc!("AuditService", "ExportAudit"), Export, WholeUser).or_without_user(Admin),
    rule(rpc!("AuditService", "CreateAuditCheckpoint"), Export, WholeUser).or_without_user(Admin),
    rule(rpc!("ErasureService", "PurgeUser"), Admin, WholeUser).by_name(),
    rule(rpc!("ErasureService", "GetPurge"), Admin, WholeUser).or_without_user(Admin),
    rule(rpc!("ErasureService", "ListPurges"), Admin, WholeUser).or_without_user(Admin),
    rule(rpc!("AccessService", "CreateKey"), Admin, AllUsers),
    rule(rpc!("AccessService", "ListKeys"), Admin, AllUsers),
    rule(rpc!("AccessService", "RevokeKey"), Admin, AllUsers),
    rule(rpc!("AccessService", "RotateKey"), Admin, AllUsers).or_to_itself(),
    Rule::for_anybody(rpc!("ServerService", "GetServerInfo")),
];

/// Returns the rule of an rpc, by its path.
pub(crate) fn of(path: &str) -> Option<&'static Rule> {
    static BY_PATH: LazyLock<HashMap<&str, &Rule>> =
        LazyLock::new(|| RULES.iter().map(|rule| (rule.rpc, rule)).collect());
    BY_PATH.get(path).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use kimberly_proto::FILE_DESCRIPTOR_SET;
    use prost::Message as _;
    use prost_types::FileDescriptorSet;

    use super::*;
    use crate::paths;

    #[test]
    fn every_rpc_has_exactly_one_rule() {
        let files = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).unwrap().file;
        let services = files.iter().flat_map(|file| file.service.iter().map(move |service| (file.package(), service)));
        let rpcs: BTreeSet<String> = services
            .flat_map(|(package, service)| {
                service.method.iter().map(move |method| format!("/{package}.{}/{}", service.name(), method.name()))
            })
            .collect();
        let ruled: BTreeSet<String> = RULES.iter().map(|rule| rule.rpc.to_owned()).collect();
        assert_eq!(ruled.len(), RULES.len(), "an rpc has two rules");
        assert_eq!(ruled, rpcs);
    }

    #[test]
    fn only_facts_about_the_server_are_for_anybody() {
        for rule in RULES {
            assert_eq!(rule.operation.is_none(), paths::always_served(rule.rpc), "{}", rule.rpc);
            assert_eq!(rule.operation.is_none(), rule.reach == Reach::Nobody, "{}", rule.rpc);
        }
    }
}
