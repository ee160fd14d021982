//! The connection to the api process.

use std::time::Duration;

use kimberly_proto::v1::embedding_service_client::EmbeddingServiceClient;
use kimberly_proto::v1::goal_service_client::GoalServiceClient;
use kimberly_proto::v1::maintenance_service_client::MaintenanceServiceClient;
use kimberly_proto::v1::meditation_service_client::MeditationServiceClient;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::metrics_service_client::MetricsServiceClient;
use kimberly_proto::v1::settings_service_client::SettingsServiceClient;
use tonic::transport::{Channel, Endpoint};

use crate::error::{CliError, CliResult};

/// Largest answer that is read: a dry run's 10,000 decisions are about 4 MB.
const MAX_ANSWER: usize = 64 << 20;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// A connection; its clients are cheap to make.
#[derive(Clone)]
pub(crate) struct Client(Channel);

impl Client {
    /// Connects, or says how to start Kimberly.
    pub(crate) async fn connect(server: &str) -> CliResult<Self> {
        let endpoint = Endpoint::from_shared(server.to_owned())
            .map_err(|error| {
                CliError::usage(format!(
                    "--server {server:?} is not a URL ({error}); write one such as http://127.0.0.1:7420"
                ))
            })?
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true);
        let channel = endpoint.connect().await.map_err(|error| CliError::unreachable(server, &error))?;
        Ok(Self(channel))
    }

    pub(crate) fn memories(&self) -> MemoryServiceClient<Channel> {
        MemoryServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn meditations(&self) -> MeditationServiceClient<Channel> {
        MeditationServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn goals(&self) -> GoalServiceClient<Channel> {
        GoalServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn settings(&self) -> SettingsServiceClient<Channel> {
        SettingsServiceClient::new(self.0.clone())
    }

    pub(crate) fn embeddings(&self) -> EmbeddingServiceClient<Channel> {
        EmbeddingServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }

    pub(crate) fn maintenance(&self) -> MaintenanceServiceClient<Channel> {
        MaintenanceServiceClient::new(self.0.clone())
    }

    pub(crate) fn metrics(&self) -> MetricsServiceClient<Channel> {
        MetricsServiceClient::new(self.0.clone()).max_decoding_message_size(MAX_ANSWER)
    }
}
