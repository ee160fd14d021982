//! Asks a process for its health.

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

/// How long a process may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a process says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    Serving,
    NotServing,
    /// Nobody answers, and why.
    Away(String),
}

/// The health of the process that listens there, over TLS if it has this certificate; it is shown this identity if it asks
/// for one.
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
    let answer = answer.map_err(|status| format!("it does not answer for its health: {}", status.message()))?;
    Ok(answer.into_inner().status() == ServingStatus::Serving)
}

/// Why nobody answers; over TLS there are more reasons than one.
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
