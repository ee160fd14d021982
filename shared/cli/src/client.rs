//! The connection to the api process.

use std::path::Path;
use std::time::Duration;

use kimberly_proto::v1::access_service_client::AccessServiceClient;
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
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tower::service_fn;

use crate::error::{CliError, CliResult};
use crate::tls::{Identity, Secure};
use crate::token::Token;

/// Maximum size of a response: a dry run's 10,000 decisions are about 4 MB.
const MAX_ANSWER: usize = 64 << 20;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// The channel of all clients; it sends the caller's key.
pub(crate) type Wire = InterceptedService<Channel, Bearer>;

/// Adds the caller's key to every call, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Bearer(Option<MetadataValue<Ascii>>);

impl Bearer {
    /// Builds the header from a token. Refuses a token that cannot be a header.
    fn new(token: &Token) -> CliResult<Self> {
        let mut header = format!("Bearer {}", token.text)
            .parse::<MetadataValue<Ascii>>()
            .map_err(|_| CliError::usage(format!("the key in {} contains invalid characters", token.from)))?;
        header.set_sensitive(true);
        Ok(Self(Some(header)))
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(header) = &self.0 {
            request.metadata_mut().insert("authorization", header.clone());
        }
        Ok(request)
    }
}

/// A connection; clients of it are cheap to create.
#[derive(Clone)]
pub(crate) struct Client(Wire);

impl Client {
    /// Connects; the error says how to start Kimberly.
    pub(crate) async fn connect(
        server: &str,
        token: Option<&Token>,
        (ca, identity): (Option<&Path>, Option<&Identity>),
    ) -> CliResult<Self> {
        let endpoint = Endpoint::from_shared(server.to_owned())
            .map_err(|error| {
                CliError::usage(format!(
                    "--server {server:?} is not a URL ({error}); write one such as http://127.0.0.1:7420"
                ))
            })?
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true);
        let bearer = match token {
            Some(token) => {
                token.refuse_other_hosts(server)?;
                Bearer::new(token)?
            }
            None => Bearer::default(),
        };
        let connected = if endpoint.uri().scheme_str() == Some("https") {
            let secure = Secure::trusting(ca, identity)?;
            endpoint.connect_with_connector(service_fn(move |uri| secure.clone().connect(uri))).await
        } else {
            endpoint.connect().await
        };
        let channel = connected.map_err(|error| CliError::unreachable(server, &error))?;
        Ok(Self(InterceptedService::new(channel, bearer)))
    }

    /// The channel for requests outside the gRPC contract.
    pub(crate) fn wire(&self) -> Wire {
        self.0.clone()
    }

    pub(crate) fn memories(&self) -> MemoryServiceClient<Wire> {
        MemoryServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn core(&self) -> CoreMemoryServiceClient<Wire> {
        CoreMemoryServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn tool(&self) -> MemoryToolServiceClient<Wire> {
        MemoryToolServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn named(&self) -> NamedRecordServiceClient<Wire> {
        NamedRecordServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn records(&self) -> RecordServiceClient<Wire> {
        RecordServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn graph(&self) -> GraphServiceClient<Wire> {
        GraphServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn documents(&self) -> DocumentServiceClient<Wire> {
        DocumentServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn reviews(&self) -> ReviewServiceClient<Wire> {
        ReviewServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn links(&self) -> LinkServiceClient<Wire> {
        LinkServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn conversations(&self) -> ConversationServiceClient<Wire> {
        ConversationServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn working(&self) -> WorkingMemoryServiceClient<Wire> {
        WorkingMemoryServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn meditations(&self) -> MeditationServiceClient<Wire> {
        MeditationServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn goals(&self) -> GoalServiceClient<Wire> {
        GoalServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn consents(&self) -> ConsentServiceClient<Wire> {
        ConsentServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn attachments(&self) -> AttachmentServiceClient<Wire> {
        AttachmentServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn settings(&self) -> SettingsServiceClient<Wire> {
        SettingsServiceClient::new(self.0.clone())
    }

    pub(crate) fn embeddings(&self) -> EmbeddingServiceClient<Wire> {
        EmbeddingServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn erasure(&self) -> ErasureServiceClient<Wire> {
        ErasureServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn audit(&self) -> AuditServiceClient<Wire> {
        AuditServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn server(&self) -> ServerServiceClient<Wire> {
        ServerServiceClient::new(self.0.clone())
    }

    pub(crate) fn maintenance(&self) -> MaintenanceServiceClient<Wire> {
        MaintenanceServiceClient::new(self.0.clone())
    }

    pub(crate) fn metrics(&self) -> MetricsServiceClient<Wire> {
        MetricsServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn access(&self) -> AccessServiceClient<Wire> {
        AccessServiceClient::new(self.0.clone())
    }
}
