//! Requests a process's health.

use std::error::Error;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use tonic::transport::Endpoint;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tower::service_fn;

use crate::tls::{self, Identity, Secure};

/// Timeout of a health check.
const PATIENCE: Duration = Duration::from_secs(2);

/// The reported health of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    Serving,
    NotServing,
    /// The process does not answer, with the reason.
    Away(String),
}

/// The health of the process that listens on an address. With `certificate`, connects over TLS; `identity` is presented
/// if the process requests one.
pub(crate) async fn of(address: SocketAddr, certificate: Option<&Path>, identity: Option<&Identity>) -> Health {
    match tokio::time::timeout(PATIENCE, ask(address, certificate, identity)).await {
        Ok(Ok(true)) => Health::Serving,
        Ok(Ok(false)) => Health::NotServing,
        Ok(Err(why)) => Health::Away(why),
        Err(_) => Health::Away(format!("no answer within {} s", PATIENCE.as_secs())),
    }
}

async fn ask(address: SocketAddr, certificate: Option<&Path>, identity: Option<&Identity>) -> Result<bool, String> {
    let scheme = if certificate.is_some() { "https" } else { "http" };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{}", tls::here(address)));
    let endpoint = endpoint.map_err(|error| error.to_string())?;
    let connected = match certificate {
        Some(certificate) => {
            let secure = Secure::only(certificate, address, identity)?;
            endpoint.connect_with_connector(service_fn(move |uri| secure.clone().connect(uri))).await
        }
        None => endpoint.connect().await,
    };
    let channel = connected.map_err(|error| away(&error, certificate))?;
    let answer = HealthClient::new(channel).check(HealthCheckRequest::default()).await;
    let answer = answer.map_err(|status| format!("it does not answer health checks: {}", status.message()))?;
    Ok(answer.into_inner().status() == ServingStatus::Serving)
}

/// Why the process does not answer; TLS adds more possible reasons.
fn away(error: &dyn Error, certificate: Option<&Path>) -> String {
    let mut last = error;
    while let Some(inner) = last.source() {
        last = inner;
    }
    match certificate {
        Some(file) => format!("no secure connection to the server with the certificate in {}: {last}", file.display()),
        None => "nobody listens".to_owned(),
    }
}
