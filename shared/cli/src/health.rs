//! Asks a process for its health.

use std::net::SocketAddr;
use std::time::Duration;

use tonic::transport::Endpoint;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

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

/// The health of the process that listens there.
pub(crate) async fn of(address: SocketAddr) -> Health {
    match tokio::time::timeout(PATIENCE, ask(address)).await {
        Ok(Ok(true)) => Health::Serving,
        Ok(Ok(false)) => Health::NotServing,
        Ok(Err(why)) => Health::Away(why),
        Err(_) => Health::Away(format!("no answer within {} s", PATIENCE.as_secs())),
    }
}

async fn ask(address: SocketAddr) -> Result<bool, String> {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).map_err(|error| error.to_string())?;
    let channel = endpoint.connect().await.map_err(|_| "nobody listens".to_owned())?;
    let answer = HealthClient::new(channel).check(HealthCheckRequest::default()).await;
    let answer = answer.map_err(|status| format!("it does not answer for its health: {}", status.message()))?;
    Ok(answer.into_inner().status() == ServingStatus::Serving)
}
