//! Objects in an S3 store: `<prefix>/<user>/<name>`, where the user is a pseudonym that only this data folder can
//! compute. An object becomes visible only when it is complete.
//!
//! Objects are sealed like files. The listing does not show parts of multipart uploads that were killed or failed to
//! finish, so a rule of the bucket must expire them. With versioning on, the store retains removed objects until their versions expire.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use kimberly_core::Timestamp;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ids::UserId;
use kimberly_crypto::Keys;
use object_store::buffered::BufWriter;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};
use tokio::io::AsyncWriteExt as _;

use crate::shelf::{Found, Get, Put, Shelf};

/// Bytes per part. Smaller objects are sent in one request.
const PART: usize = 8 * 1024 * 1024;
/// Concurrent part uploads.
const AT_ONCE: usize = 1;

/// Objects below a prefix of a bucket.
pub(crate) struct Objects {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    keys: Keys,
}

impl Objects {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, prefix: &str, keys: Keys) -> Self {
        Self { store, prefix: Path::from(prefix), keys }
    }

    fn folder(&self, user: &UserId) -> Path {
        let pseudonym = self.keys.pseudonym(user.as_str());
        let pseudonym = pseudonym.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        self.prefix.clone().join(pseudonym)
    }

    fn path(&self, user: &UserId, name: &str) -> Path {
        self.folder(user).join(name)
    }
}

#[async_trait]
impl Shelf for Objects {
    async fn begin(&self, user: &UserId, name: &str) -> Result<Box<dyn Put>> {
        let (store, path) = (Arc::clone(&self.store), self.path(user, name));
        let writer = BufWriter::with_capacity(Arc::clone(&store), path.clone(), PART);
        Ok(Box::new(Writing { writer: Some(writer.with_max_concurrency(AT_ONCE)), store, path }))
    }

    async fn open(&self, user: &UserId, name: &str) -> Result<Option<Box<dyn Get>>> {
        match self.store.get(&self.path(user, name)).await {
            Ok(found) => Ok(Some(Box::new(Reading(found.into_stream())))),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed("opening an attachment", &error)),
        }
    }

    async fn remove(&self, user: &UserId, name: &str) -> Result<()> {
        delete(&self.store, &self.path(user, name)).await
    }

    async fn list(&self, user: &UserId) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        let mut entries = self.store.list(Some(&self.folder(user)));
        while let Some(entry) = entries.try_next().await.map_err(|error| failed("listing attachments", &error))? {
            let name = entry.location.filename().unwrap_or_default().to_owned();
            found.push(Found { name, at: Timestamp(entry.last_modified.timestamp_micros()) });
        }
        Ok(found)
    }

    async fn discard(&self, user: &UserId, found: &Found) -> Result<()> {
        self.remove(user, &found.name).await
    }

    async fn remove_all(&self, user: &UserId) -> Result<()> {
        for found in self.list(user).await? {
            self.discard(user, &found).await?;
        }
        Ok(())
    }
}

/// An upload that is aborted if dropped before it is finished.
struct Writing {
    /// `None` once finishing has begun: the upload can no longer be aborted.
    writer: Option<BufWriter>,
    store: Arc<dyn ObjectStore>,
    path: Path,
}

#[async_trait]
impl Put for Writing {
    async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(writer) = &mut self.writer else { return Err(broken()) };
        let written = writer.put(Bytes::copy_from_slice(bytes)).await;
        written.map_err(|error| failed("writing an attachment", &error))
    }

    async fn finish(&mut self) -> Result<()> {
        let Some(mut writer) = self.writer.take() else { return Err(broken()) };
        let shut = writer.shutdown().await;
        shut.map_err(|error| Error::storage(StorageFailure::Unavailable, format!("finishing an attachment: {error}")))
    }

    async fn discard(mut self: Box<Self>) -> Result<()> {
        match self.writer.take() {
            Some(writer) => {
                end(writer).await;
                Ok(())
            }
            // The object may exist, whatever response was received.
            None => delete(&self.store, &self.path).await,
        }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if let (Some(writer), Ok(runtime)) = (self.writer.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(end(writer));
        }
    }
}

/// Aborts an unfinished upload.
async fn end(mut writer: BufWriter) {
    if let Err(error) = writer.abort().await {
        tracing::debug!(%error, "an unfinished upload to the object store could not be aborted");
    }
}

async fn delete(store: &Arc<dyn ObjectStore>, path: &Path) -> Result<()> {
    match store.delete(path).await {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(failed("removing an attachment", &error)),
    }
}

struct Reading(BoxStream<'static, object_store::Result<Bytes>>);

#[async_trait]
impl Get for Reading {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            match self.0.next().await {
                Some(Ok(bytes)) if bytes.is_empty() => {}
                Some(Ok(bytes)) => return Ok(Some(bytes.to_vec())),
                Some(Err(error)) => return Err(failed("reading an attachment", &error)),
                None => return Ok(None),
            }
        }
    }
}

fn broken() -> Error {
    Error::storage(StorageFailure::Unavailable, "an attachment was not written completely")
}

/// All failures are retryable: the store may be unreachable, or the operator may fix its credentials.
fn failed(doing: &str, error: &object_store::Error) -> Error {
    Error::storage(StorageFailure::Unavailable, format!("{doing} in the object store: {error}"))
}
