//! Clients of all services over one connection.

use kimberly_proto::v1::attachment_service_client::AttachmentServiceClient;
use kimberly_proto::v1::audit_service_client::AuditServiceClient;
use kimberly_proto::v1::consent_service_client::ConsentServiceClient;
use kimberly_proto::v1::conversation_service_client::ConversationServiceClient;
use kimberly_proto::v1::core_memory_service_client::CoreMemoryServiceClient;
use kimberly_proto::v1::document_service_client::DocumentServiceClient;
use kimberly_proto::v1::embedding_service_client::EmbeddingServiceClient;
use kimberly_proto::v1::erasure_service_client::ErasureServiceClient;
use kimberly_proto::v1::goal_service_client::GoalServiceClient;
use kimberly_proto::v1::graph_service_client::GraphServiceClient;
use kimberly_proto::v1::link_service_client::LinkServiceClient;
use kimberly_proto::v1::maintenance_service_client::MaintenanceServiceClient;
use kimberly_proto::v1::meditation_service_client::MeditationServiceClient;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::memory_tool_service_client::MemoryToolServiceClient;
use kimberly_proto::v1::metrics_service_client::MetricsServiceClient;
use kimberly_proto::v1::named_record_service_client::NamedRecordServiceClient;
use kimberly_proto::v1::record_service_client::RecordServiceClient;
use kimberly_proto::v1::review_service_client::ReviewServiceClient;
use kimberly_proto::v1::server_service_client::ServerServiceClient;
use kimberly_proto::v1::settings_service_client::SettingsServiceClient;
use kimberly_proto::v1::working_memory_service_client::WorkingMemoryServiceClient;
use tonic::transport::Channel;

/// Clients of all services. Cheap to clone; clones share the connection.
#[derive(Clone, Debug)]
pub struct Clients {
    /// Store, recall, change, forget and restore memories.
    pub memories: MemoryServiceClient<Channel>,
    /// Records with kinds.
    pub records: RecordServiceClient<Channel>,
    /// Documents.
    pub documents: DocumentServiceClient<Channel>,
    /// Entities.
    pub graph: GraphServiceClient<Channel>,
    /// Proposals that wait for a person.
    pub reviews: ReviewServiceClient<Channel>,
    /// Links between memories.
    pub links: LinkServiceClient<Channel>,
    /// Conversations, and contexts for prompts.
    pub conversations: ConversationServiceClient<Channel>,
    /// Working memory.
    pub working: WorkingMemoryServiceClient<Channel>,
    /// Records with names.
    pub named: NamedRecordServiceClient<Channel>,
    /// Core memory.
    pub core: CoreMemoryServiceClient<Channel>,
    /// The memory tool of assistants.
    pub tool: MemoryToolServiceClient<Channel>,
    /// Attachments of memories.
    pub attachments: AttachmentServiceClient<Channel>,
    /// Meditate and watch.
    pub meditations: MeditationServiceClient<Channel>,
    /// Records of consent.
    pub consents: ConsentServiceClient<Channel>,
    /// Purges of users.
    pub erasure: ErasureServiceClient<Channel>,
    /// Goals.
    pub goals: GoalServiceClient<Channel>,
    /// Settings.
    pub settings: SettingsServiceClient<Channel>,
    /// Metrics.
    pub metrics: MetricsServiceClient<Channel>,
    /// Maintenance.
    pub maintenance: MaintenanceServiceClient<Channel>,
    /// Embeddings.
    pub embedding: EmbeddingServiceClient<Channel>,
    /// The audit.
    pub audit: AuditServiceClient<Channel>,
    /// Information about the server.
    pub server: ServerServiceClient<Channel>,
}

impl Clients {
    /// Clients over a connection.
    pub fn new(channel: Channel) -> Self {
        Self {
            memories: MemoryServiceClient::new(channel.clone()),
            records: RecordServiceClient::new(channel.clone()),
            graph: GraphServiceClient::new(channel.clone()),
            documents: DocumentServiceClient::new(channel.clone()),
            reviews: ReviewServiceClient::new(channel.clone()),
            links: LinkServiceClient::new(channel.clone()),
            conversations: ConversationServiceClient::new(channel.clone()),
            working: WorkingMemoryServiceClient::new(channel.clone()),
            named: NamedRecordServiceClient::new(channel.clone()),
            core: CoreMemoryServiceClient::new(channel.clone()),
            tool: MemoryToolServiceClient::new(channel.clone()),
            attachments: AttachmentServiceClient::new(channel.clone()),
            meditations: MeditationServiceClient::new(channel.clone()),
            consents: ConsentServiceClient::new(channel.clone()),
            erasure: ErasureServiceClient::new(channel.clone()),
            goals: GoalServiceClient::new(channel.clone()),
            settings: SettingsServiceClient::new(channel.clone()),
            metrics: MetricsServiceClient::new(channel.clone()),
            maintenance: MaintenanceServiceClient::new(channel.clone()),
            embedding: EmbeddingServiceClient::new(channel.clone()),
            audit: AuditServiceClient::new(channel.clone()),
            server: ServerServiceClient::new(channel),
        }
    }
}
