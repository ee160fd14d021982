//! The gRPC health service: serving until a stop is requested.

use kimberly_runtime::{MainResult, Shutdown};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;

/// Serves health on `listener` until a stop is requested. Drops connections that are still open after the soft bound.
pub async fn serve(listener: TcpListener, shutdown: Shutdown) -> MainResult {
    let (reporter, health) = tonic_health::server::health_reporter();
    let stop = shutdown.token();
    let server =
        Server::builder().add_service(health).serve_with_incoming_shutdown(TcpIncoming::from(listener), async {
            stop.cancelled().await;
            reporter.set_service_status("", ServingStatus::NotServing).await;
        });
    tokio::select! {
        ended = server => Ok(ended?),
        () = shutdown.overdue() => Ok(()),
    }
}
