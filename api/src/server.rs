//! Serves every service on one port: the contract, health, and reflection in both versions.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use kimberly_core::bounds::MAX_IMPORT_MESSAGE_BYTES;
use kimberly_proto::FILE_DESCRIPTOR_SET;
use kimberly_proto::v1::access_service_server::AccessServiceServer;
use kimberly_proto::v1::attachment_service_server::AttachmentServiceServer;
use kimberly_proto::v1::audit_service_server::AuditServiceServer;
use kimberly_proto::v1::consent_service_server::ConsentServiceServer;
use kimberly_proto::v1::conversation_service_server::ConversationServiceServer;
use kimberly_proto::v1::core_memory_service_server::CoreMemoryServiceServer;
use kimberly_proto::v1::document_service_server::DocumentServiceServer;
use kimberly_proto::v1::embedding_service_server::EmbeddingServiceServer;
use kimberly_proto::v1::erasure_service_server::ErasureServiceServer;
use kimberly_proto::v1::goal_service_server::GoalServiceServer;
use kimberly_proto::v1::graph_service_server::GraphServiceServer;
use kimberly_proto::v1::link_service_server::LinkServiceServer;
use kimberly_proto::v1::maintenance_service_server::MaintenanceServiceServer;
use kimberly_proto::v1::meditation_service_server::MeditationServiceServer;
use kimberly_proto::v1::memory_service_server::MemoryServiceServer;
use kimberly_proto::v1::memory_tool_service_server::MemoryToolServiceServer;
use kimberly_proto::v1::metrics_service_server::MetricsServiceServer;
use kimberly_proto::v1::named_record_service_server::NamedRecordServiceServer;
use kimberly_proto::v1::record_service_server::RecordServiceServer;
use kimberly_proto::v1::review_service_server::ReviewServiceServer;
use kimberly_proto::v1::server_service_server::ServerServiceServer;
use kimberly_proto::v1::settings_service_server::SettingsServiceServer;
use kimberly_proto::v1::working_memory_service_server::WorkingMemoryServiceServer;
use kimberly_runtime::config::Config;
use kimberly_runtime::{Failure, MainResult};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::codec::CompressionEncoding::{Gzip, Zstd};
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tonic_web::GrpcWebLayer;
use tower::ServiceBuilder;

use crate::Api;
use crate::attachment::Attachments;
use crate::audit::Audits;
use crate::connections::{self, Bounds};
use crate::consent::Consents;
use crate::console::ConsoleLayer;
use crate::conversation::Conversations;
use crate::core_memory::CoreMemories;
use crate::document::Documents;
use crate::embedding::Embeddings;
use crate::erasure::Erasure;
use crate::front::{self, AuthenticateLayer, BrowserLayer, GateLayer, RoomLayer};
use crate::goal::Goals;
use crate::graph::Graph;
use crate::keys::Keys;
use crate::late::Late;
use crate::layers::GuardLayer;
use crate::link::Links;
use crate::maintenance::Maintenance;
use crate::mcp::McpLayer;
use crate::meditation::Meditations;
use crate::memory::Memories;
use crate::memory_tool::MemoryTool;
use crate::metrics::MetricsOf;
use crate::named::NamedRecords;
use crate::record::Records;
use crate::rest;
use crate::review::Reviews;
use crate::server_info::{self, ServerInfo};
use crate::settings::Settings;
use crate::tls::Tls;
use crate::working::Working;

/// Names of the contract's services, whose health is reported individually.
const SERVICES: &[&str] = &[
    MemoryServiceServer::<Memories>::NAME,
    MeditationServiceServer::<Meditations>::NAME,
    GoalServiceServer::<Goals>::NAME,
    RecordServiceServer::<Records>::NAME,
    DocumentServiceServer::<Documents>::NAME,
    GraphServiceServer::<Graph>::NAME,
    ReviewServiceServer::<Reviews>::NAME,
    LinkServiceServer::<Links>::NAME,
    ConversationServiceServer::<Conversations>::NAME,
    WorkingMemoryServiceServer::<Working>::NAME,
    NamedRecordServiceServer::<NamedRecords>::NAME,
    CoreMemoryServiceServer::<CoreMemories>::NAME,
    MemoryToolServiceServer::<MemoryTool>::NAME,
    SettingsServiceServer::<Settings>::NAME,
    MetricsServiceServer::<MetricsOf>::NAME,
    ServerServiceServer::<ServerInfo>::NAME,
    MaintenanceServiceServer::<Maintenance>::NAME,
    EmbeddingServiceServer::<Embeddings>::NAME,
    AccessServiceServer::<Keys>::NAME,
    AuditServiceServer::<Audits>::NAME,
    ConsentServiceServer::<Consents>::NAME,
    ErasureServiceServer::<Erasure>::NAME,
    AttachmentServiceServer::<Attachments>::NAME,
];

/// Maximum message size of a service that is always served, in bytes. Such requests are short, and their memory is not
/// bounded otherwise.
const MAX_BYTES_ALWAYS_SERVED: usize = 16 * 1024;

/// The path of the rpc whose messages have their own bound.
const IMPORTS: &str = "/kimberly.v1.MemoryService/ImportMemories";

/// Maximum time for a connected client to send its first bytes.
const OPENING: Duration = Duration::from_secs(30);

/// How much of the time that a process has to stop running calls may use, in fifths. The rest is for the last touches
/// and for closing vaults.
const DRAIN_FIFTHS: u32 = 4;

/// Serves until `api.stop` is cancelled, then lets running calls finish for a bounded time.
// Boxed, so that it is compiled once here and not in each crate that awaits it.
pub fn serve(api: Api, config: &Config, listener: TcpListener) -> BoxFuture<'_, MainResult> {
    Box::pin(async move {
        let (reporter, health) = tonic_health::server::health_reporter();
        let health = health.max_decoding_message_size(MAX_BYTES_ALWAYS_SERVED);
        let routes = routes(&api, config).add_service(health);
        let tls = Tls::load(&config.tls, &api.metrics)?;
        // The layers in front of the guard translate every dialect to plain gRPC.
        let service = ServiceBuilder::new()
            .layer(BrowserLayer::new(config, listener.local_addr()?, api.metrics.clone()))
            .option_layer(front::cors(&config.api.cors_allowed_origins))
            .layer(ConsoleLayer)
            .layer(AuthenticateLayer::new(Arc::clone(api.core.auth()), api.metrics.clone(), Arc::clone(&api.refusals)))
            .layer(GateLayer::new(config, api.metrics.clone()))
            .layer(RoomLayer::new(&config.api, api.metrics.clone()))
            .layer(McpLayer::new(config, api.defaults().draft_limits))
            .layer(rest::layer(&config.api, api.defaults())?)
            .layer(GrpcWebLayer::new())
            .layer(GuardLayer::new(api.metrics.clone()).telling(Arc::clone(&api.refusals)))
            .service(routes.prepare());
        set_health(&reporter, ServingStatus::Serving).await;
        let leaving = CancellationToken::new();
        let stopping = {
            let (stop, leaving) = (api.stop.clone(), leaving.clone());
            async move {
                stop.cancelled().await;
                // Set before connections are asked to end, so that health watches report the stop before they end.
                set_health(&reporter, ServingStatus::NotServing).await;
                leaving.cancel();
            }
        };
        let watching = watch(tls.clone(), api.stop.clone());
        let serving = connections::serve(listener, tls, service, bounds(config), leaving, api.metrics);
        tokio::join!(serving, stopping, watching);
        Ok(())
    })
}

async fn watch(tls: Option<Arc<Tls>>, stop: CancellationToken) {
    if let Some(tls) = tls {
        tls.watch(stop).await;
    }
}

fn bounds(config: &Config) -> Bounds {
    Bounds {
        most: config.api.max_connections,
        opening: OPENING,
        streams: config.api.max_streams_per_connection,
        age: config.api.max_connection_age.0,
        grace: config.api.max_connection_age_grace.0,
        keepalive: config.api.keepalive_interval.0,
        keepalive_timeout: config.api.keepalive_timeout.0,
        drain: config.limits.shutdown_soft.0 * DRAIN_FIFTHS / 5,
    }
}

macro_rules! with_limits {
    ($service:expr, $config:expr) => {
        $service
            .accept_compressed(Gzip)
            .accept_compressed(Zstd)
            .send_compressed(Gzip)
            .send_compressed(Zstd)
            .max_decoding_message_size($config.api.max_request_bytes.as_usize())
    };
}

fn routes(api: &Api, config: &Config) -> Routes {
    let mut routes = Routes::new(with_limits!(MemoryServiceServer::new(Memories(api.clone())), config))
        .add_service(with_limits!(MeditationServiceServer::new(Meditations(api.clone())), config))
        .add_service(with_limits!(GoalServiceServer::new(Goals(api.clone())), config))
        .add_service(with_limits!(RecordServiceServer::new(Records(api.clone())), config))
        .add_service(with_limits!(DocumentServiceServer::new(Documents(api.clone())), config))
        .add_service(with_limits!(GraphServiceServer::new(Graph(api.clone())), config))
        .add_service(with_limits!(ReviewServiceServer::new(Reviews(api.clone())), config))
        .add_service(with_limits!(LinkServiceServer::new(Links(api.clone())), config))
        .add_service(with_limits!(ConversationServiceServer::new(Conversations(api.clone())), config))
        .add_service(with_limits!(WorkingMemoryServiceServer::new(Working(api.clone())), config))
        .add_service(with_limits!(NamedRecordServiceServer::new(NamedRecords(api.clone())), config))
        .add_service(with_limits!(CoreMemoryServiceServer::new(CoreMemories(api.clone())), config))
        .add_service(with_limits!(MemoryToolServiceServer::new(MemoryTool(api.clone())), config))
        .add_service(with_limits!(SettingsServiceServer::new(Settings(api.clone())), config))
        .add_service(with_limits!(MetricsServiceServer::new(MetricsOf(api.clone())), config))
        .add_service(with_limits!(MaintenanceServiceServer::new(Maintenance(api.clone())), config))
        .add_service(with_limits!(EmbeddingServiceServer::new(Embeddings(api.clone())), config))
        .add_service(with_limits!(AccessServiceServer::new(Keys(api.clone())), config))
        .add_service(with_limits!(AuditServiceServer::new(Audits(api.clone())), config))
        .add_service(with_limits!(ConsentServiceServer::new(Consents(api.clone())), config))
        .add_service(with_limits!(ErasureServiceServer::new(Erasure(api.clone())), config))
        .add_service(with_limits!(AttachmentServiceServer::new(Attachments(api.clone())), config))
        .add_service({
            let info = ServerServiceServer::new(ServerInfo(server_info::describe(api, config)));
            with_limits!(info, config).max_decoding_message_size(MAX_BYTES_ALWAYS_SERVED)
        });
    // A message of an import is a single item, so it may be smaller than requests that hold many.
    let most = config.api.max_request_bytes.as_usize().min(MAX_IMPORT_MESSAGE_BYTES);
    let imports = with_limits!(MemoryServiceServer::new(Memories(api.clone())), config).max_decoding_message_size(most);
    let paths = routes.axum_router_mut();
    *paths = std::mem::take(paths).route_service(IMPORTS, imports);
    let v1 = Late::new(|| reflected(reflection().build_v1()).max_decoding_message_size(MAX_BYTES_ALWAYS_SERVED));
    let v1alpha =
        Late::new(|| reflected(reflection().build_v1alpha()).max_decoding_message_size(MAX_BYTES_ALWAYS_SERVED));
    routes.add_service(v1).add_service(v1alpha)
}

fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

#[expect(clippy::expect_used, reason = "the descriptors are part of this binary")]
fn reflected<S>(built: Result<S, tonic_reflection::server::Error>) -> S {
    built.expect("descriptors are sound")
}

/// Sets the health of all services. The empty name stands for the whole server.
async fn set_health(reporter: &HealthReporter, status: ServingStatus) {
    for service in SERVICES.iter().copied().chain([""]) {
        reporter.set_service_status(service, status).await;
    }
}

/// Refuses a listener that other machines can reach, unless callers must authenticate, over TLS.
pub fn refuse_reach(listener: &TcpListener, config: &Config) -> MainResult {
    config.reach_problem(listener.local_addr()?).map_or(Ok(()), |problem| Err(Failure::configuration(problem)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_loopback_addresses_are_served_without_credentials_and_tls() {
        let config = Config::default();
        let open = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let refused = refuse_reach(&open, &config).unwrap_err().message();
        assert!(refused.contains("auth.mode") && refused.contains("tls.certificate"), "{refused}");
        for loopback in ["127.0.0.1:0", "[::1]:0"] {
            if let Ok(listener) = TcpListener::bind(loopback).await {
                assert!(refuse_reach(&listener, &config).is_ok());
            }
        }
    }
}
