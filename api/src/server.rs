//! Serves every service on one port: the contract, health, and reflection in both versions.

use std::future::Future;
use std::time::Duration;

use kimberly_proto::FILE_DESCRIPTOR_SET;
use kimberly_proto::v1::goal_service_server::GoalServiceServer;
use kimberly_proto::v1::maintenance_service_server::MaintenanceServiceServer;
use kimberly_proto::v1::meditation_service_server::MeditationServiceServer;
use kimberly_proto::v1::memory_service_server::MemoryServiceServer;
use kimberly_proto::v1::metrics_service_server::MetricsServiceServer;
use kimberly_proto::v1::server_service_server::ServerServiceServer;
use kimberly_proto::v1::settings_service_server::SettingsServiceServer;
use kimberly_runtime::config::ApiConfig;
use kimberly_runtime::{Failure, MainResult};
use tokio::net::TcpListener;
use tonic::codec::CompressionEncoding::{Gzip, Zstd};
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::Api;
use crate::goal::Goals;
use crate::layers::GuardLayer;
use crate::maintenance::Maintenance;
use crate::meditation::Meditations;
use crate::memory::Memories;
use crate::metrics::MetricsOf;
use crate::server_info::{self, ServerInfo};
use crate::settings::Settings;

/// How long connections may take to end after a stop was asked for; then they are cut.
const DRAIN: Duration = Duration::from_secs(5);
/// An idle connection is asked this often whether it is still there.
const KEEPALIVE: Duration = Duration::from_mins(1);
/// How long it may take to say so.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(20);
/// Window of a stream: a batch of usual size needs no round trip for more room.
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;
/// Window of a connection.
const CONNECTION_WINDOW_BYTES: u32 = 4 * 1024 * 1024;
/// Most headers of a request, in bytes.
const MAX_HEADER_BYTES: u32 = 16 * 1024;

/// Names of the services of the contract, whose health is reported one by one.
const SERVICES: [&str; 7] = [
    MemoryServiceServer::<Memories>::NAME,
    MeditationServiceServer::<Meditations>::NAME,
    GoalServiceServer::<Goals>::NAME,
    SettingsServiceServer::<Settings>::NAME,
    MetricsServiceServer::<MetricsOf>::NAME,
    ServerServiceServer::<ServerInfo>::NAME,
    MaintenanceServiceServer::<Maintenance>::NAME,
];

/// Serves until `api.stop` is cancelled, then lets running calls finish for a bounded time.
pub async fn serve(api: Api, config: &ApiConfig, listener: TcpListener) -> MainResult {
    let (reporter, health) = tonic_health::server::health_reporter();
    let routes = routes(&api, config)?.add_service(health);
    let guard = GuardLayer::new(config.max_concurrent_requests, config.request_timeout.0, api.metrics.clone());
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true)).with_keepalive(Some(KEEPALIVE));
    let stop = api.stop.clone();
    set_health(&reporter, ServingStatus::Serving).await;
    let asked = {
        let stop = stop.clone();
        async move {
            stop.cancelled().await;
            set_health(&reporter, ServingStatus::NotServing).await;
        }
    };
    let serving = Server::builder()
        .max_concurrent_streams(config.max_streams_per_connection)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .layer(guard)
        .serve_with_incoming_shutdown(routes.prepare(), incoming, asked);
    within_bound(serving, stop.cancelled()).await
}

/// An idle client can keep its connection open for ever: it is cut after a bound.
async fn within_bound(
    serving: impl Future<Output = Result<(), tonic::transport::Error>>,
    asked: impl Future<Output = ()>,
) -> MainResult {
    let overdue = async {
        asked.await;
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        ended = serving => Ok(ended?),
        () = overdue => {
            tracing::info!("cut the connections that were still open after {DRAIN:?}");
            Ok(())
        }
    }
}

macro_rules! with_limits {
    ($service:expr, $config:expr) => {
        $service
            .accept_compressed(Gzip)
            .accept_compressed(Zstd)
            .send_compressed(Gzip)
            .send_compressed(Zstd)
            .max_decoding_message_size($config.max_request_bytes.as_usize())
    };
}

fn routes(api: &Api, config: &ApiConfig) -> Result<Routes, Failure> {
    let routes = Routes::new(with_limits!(MemoryServiceServer::new(Memories(api.clone())), config))
        .add_service(with_limits!(MeditationServiceServer::new(Meditations(api.clone())), config))
        .add_service(with_limits!(GoalServiceServer::new(Goals(api.clone())), config))
        .add_service(with_limits!(SettingsServiceServer::new(Settings(api.clone())), config))
        .add_service(with_limits!(MetricsServiceServer::new(MetricsOf(api.clone())), config))
        .add_service(with_limits!(MaintenanceServiceServer::new(Maintenance(api.clone())), config))
        .add_service(with_limits!(ServerServiceServer::new(ServerInfo(server_info::describe(api, config))), config));
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    Ok(routes.add_service(reflection().build_v1()?).add_service(reflection().build_v1alpha()?))
}

/// The empty name stands for the whole server.
async fn set_health(reporter: &HealthReporter, status: ServingStatus) {
    for service in SERVICES.into_iter().chain([""]) {
        reporter.set_service_status(service, status).await;
    }
}

/// Refuses a listener that other machines can reach: this version has neither credentials nor TLS, so that whoever
/// reaches the port reaches every user.
pub fn refuse_other_hosts(listener: &TcpListener) -> MainResult {
    let address = listener.local_addr()?;
    if address.ip().is_loopback() {
        return Ok(());
    }
    Err(Failure::new(
        format!("{address} can be reached from other machines, and this version has neither credentials nor TLS"),
        "set api.listen to a loopback address such as 127.0.0.1:7420, and reach it from elsewhere through SSH or a proxy \
         that authenticates",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_loopback_addresses_are_served() {
        let open = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let refused = refuse_other_hosts(&open).unwrap_err().message();
        assert!(refused.contains("set api.listen to a loopback address"), "{refused}");
        for loopback in ["127.0.0.1:0", "[::1]:0"] {
            if let Ok(listener) = TcpListener::bind(loopback).await {
                assert!(refuse_other_hosts(&listener).is_ok());
            }
        }
    }
}
