//! Purges vector indexes. A running embedder has them open and may be writing them, so it drops the user's indexes
//! itself. Without an embedder, they are removed with the vault's folder.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::ErasesUsers;
use kimberly_proto::internal::DropUserRequest;
use kimberly_proto::internal::vector_service_client::VectorServiceClient;
use tonic::Request;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Endpoint;

/// Timeout for connecting to the embedder.
const CONNECT: Duration = Duration::from_secs(1);
/// Timeout for the embedder to finish its work for the user and drop the indexes.
const DEADLINE: Duration = Duration::from_secs(20);

/// How to reach the embedder.
#[derive(Clone, Debug)]
pub struct Embedder {
    /// The embedder's URL.
    pub url: String,
    /// The token shared by the processes of this data folder, as a header; `None` without encryption.
    pub token: Option<MetadataValue<Ascii>>,
}

impl Embedder {
    /// Creates the address of an embedder that requires this token.
    pub fn new(url: String, token: Option<&str>) -> Self {
        let header = token.and_then(|token| format!("Bearer {token}").parse().ok());
        let token = header.map(|mut header: MetadataValue<Ascii>| {
            header.set_sensitive(true);
            header
        });
        Self { url, token }
    }
}

pub(super) struct Vectors {
    /// Lock file of an embedder that may write indexes.
    lock: PathBuf,
    embedder: Embedder,
}

impl Vectors {
    pub(super) fn new(data_dir: &Path, embedder: Embedder) -> Self {
        Self { lock: data_dir.join("embedder.lock"), embedder }
    }

    /// Reports whether a running embedder may write indexes.
    fn is_embedder_there(&self) -> io::Result<bool> {
        let file = match File::options().read(true).write(true).open(&self.lock) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    async fn ask(&self, user: &UserId) -> std::result::Result<(), String> {
        let endpoint = Endpoint::from_shared(self.embedder.url.clone()).map_err(|error| error.to_string())?;
        let channel = endpoint.connect_timeout(CONNECT).timeout(DEADLINE).connect().await;
        let channel = channel.map_err(|error| error.to_string())?;
        let mut request = Request::new(DropUserRequest { user_id: user.as_str().to_owned() });
        if let Some(token) = &self.embedder.token {
            request.metadata_mut().insert("authorization", token.clone());
        }
        let answer = VectorServiceClient::new(channel).drop_user(request).await;
        answer.map(drop).map_err(|status| format!("{}: {}", status.code(), status.message()))
    }
}

#[async_trait]
impl ErasesUsers for Vectors {
    async fn erase(&self, user: &UserId) -> Result<()> {
        let failed = |what: String| Error::storage(StorageFailure::Unavailable, what);
        let there = self.is_embedder_there();
        if !there.map_err(|error| failed(format!("{} cannot be checked: {error}", self.lock.display())))? {
            return Ok(());
        }
        self.ask(user).await.map_err(|why| failed(format!("the embedder did not drop the vectors of a user: {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_embedder_is_asked_only_if_it_runs_and_one_that_does_not_answer_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let user = UserId::parse("ada").unwrap();
        let vectors = Vectors::new(folder.path(), Embedder::new("http://127.0.0.1:1".to_owned(), None));
        vectors.erase(&user).await.unwrap();
        let held = File::create(folder.path().join("embedder.lock")).unwrap();
        vectors.erase(&user).await.unwrap();
        held.lock().unwrap();
        let refused = vectors.erase(&user).await.unwrap_err();
        assert!(matches!(refused, Error::Storage { failure: StorageFailure::Unavailable, .. }), "{refused}");
    }
}
