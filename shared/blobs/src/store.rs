//! Implements the port `Blobs` with frames and a shelf.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::Timestamp;
use kimberly_core::attachments::{BlobFacts, S3Location};
use kimberly_core::database::PostgresDatabase;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ids::{BlobId, UserId};
use kimberly_core::ports::{BlobReader, BlobWriter, Blobs, TidiedBlobs};
use kimberly_crypto::Keys;
use object_store::ObjectStore;
use sha2::{Digest as _, Sha256};

use crate::frames::{FRAME, Packer, Unpacker};
use crate::keys::UserBlobs;
use crate::local::Local;
use crate::objects::Objects;
use crate::s3;
use crate::shelf::{Get, Put, Shelf};

/// Sealed bytes buffered before a write.
const WRITE: usize = 256 * 1024;

/// The blobs of all users. Cheap to clone.
#[derive(Clone)]
pub struct BlobStore {
    keys: Keys,
    shelf: Arc<dyn Shelf>,
}

impl fmt::Debug for BlobStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BlobStore")
    }
}

impl BlobStore {
    /// Stores files in the folders of vaults.
    pub fn local(data_dir: &Path, keys: Keys) -> Self {
        Self { shelf: Arc::new(Local::new(data_dir, false, 0, &keys)), keys }
    }

    /// Stores files on this machine while vaults are in a database. The folders are like those of vaults.
    pub fn beside_database(data_dir: &Path, keys: Keys) -> Self {
        Self { shelf: Arc::new(Local::new(data_dir, true, 0, &keys)), keys }
    }

    /// Opens the configured store: S3 if configured, else the folders of vaults. If vaults are in a database, creates
    /// these folders itself. Files are not written while less than `reserve` bytes are free.
    pub fn open(
        data_dir: &Path,
        keys: Keys,
        location: &S3Location,
        database: Option<&PostgresDatabase>,
        reserve: u64,
    ) -> Result<Self> {
        if !location.endpoint.is_empty() {
            return Ok(Self::on(s3::open(location)?, &location.prefix, keys));
        }
        Ok(Self { shelf: Arc::new(Local::new(data_dir, database.is_some(), reserve, &keys)), keys })
    }

    pub(crate) fn on(store: Arc<dyn ObjectStore>, prefix: &str, keys: Keys) -> Self {
        Self { keys: keys.clone(), shelf: Arc::new(Objects::new(store, prefix, keys)) }
    }
}

#[async_trait]
impl Blobs for BlobStore {
    fn seals(&self) -> bool {
        self.keys.are_on()
    }

    async fn begin(&self, user: &UserId, blob: BlobId, sensitive: bool) -> Result<Box<dyn BlobWriter>> {
        let sensitive = sensitive && self.seals();
        let (name, seal) = UserBlobs::of_owner(&self.keys, user).await?.to_write(blob, sensitive)?;
        let put = self.shelf.begin(user, &name).await?;
        let facts = BlobFacts { sha256: [0; 32], size_bytes: 0, stored_bytes: 0 };
        Ok(Box::new(Writing { packer: Some(Packer::new(seal)), out: Vec::new(), put, hasher: Sha256::new(), facts }))
    }

    async fn open(&self, user: &UserId, blob: BlobId, offset: u64) -> Result<Option<Box<dyn BlobReader>>> {
        let Some(blobs) = UserBlobs::of(&self.keys, user).await? else { return Ok(None) };
        let Some(get) = self.shelf.open(user, &blobs.name(blob)).await? else { return Ok(None) };
        let unpacker = Unpacker::new(blobs.seal(blob));
        let skip = usize::try_from(offset % FRAME as u64).unwrap_or_default();
        Ok(Some(Box::new(Reading { get, unpacker, from: offset / FRAME as u64, skip, ended: false })))
    }

    async fn remove(&self, user: &UserId, blobs: &[BlobId]) -> Result<()> {
        // Without keys nothing can be read. The files are removed with the vault.
        let Some(of_user) = UserBlobs::of(&self.keys, user).await? else { return Ok(()) };
        for blob in blobs {
            self.shelf.remove(user, &of_user.name(*blob)).await?;
        }
        Ok(())
    }

    async fn tidy(&self, user: &UserId, known: &[BlobId], before: Timestamp) -> Result<TidiedBlobs> {
        let Some(blobs) = UserBlobs::of(&self.keys, user).await? else { return Ok(TidiedBlobs::default()) };
        let expected: HashMap<String, BlobId> = known.iter().map(|blob| (blobs.name(*blob), *blob)).collect();
        let (mut tidied, mut there) = (TidiedBlobs::default(), HashSet::new());
        for found in self.shelf.list(user).await? {
            if let Some(blob) = expected.get(&found.name) {
                there.insert(*blob);
            } else if found.at < before {
                self.shelf.discard(user, &found).await?;
                tidied.removed += 1;
            }
        }
        tidied.missing = known.iter().filter(|blob| !there.contains(blob)).copied().collect();
        Ok(tidied)
    }

    async fn remove_all(&self, user: &UserId) -> Result<()> {
        self.shelf.remove_all(user).await
    }
}

struct Writing {
    /// `None` once the end was written.
    packer: Option<Packer>,
    out: Vec<u8>,
    put: Box<dyn Put>,
    hasher: Sha256,
    facts: BlobFacts,
}

impl Writing {
    async fn flush(&mut self) -> Result<()> {
        self.put.write(&self.out).await?;
        self.facts.stored_bytes += self.out.len() as u64;
        self.out.clear();
        Ok(())
    }
}

#[async_trait]
impl BlobWriter for Writing {
    async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        // One frame at a time, to bound the buffer and to yield in between.
        for piece in bytes.chunks(FRAME) {
            let Some(packer) = &mut self.packer else { return Err(ended()) };
            packer.push(piece, &mut self.out)?;
            self.hasher.update(piece);
            self.facts.size_bytes += piece.len() as u64;
            if self.out.len() >= WRITE {
                self.flush().await?;
            }
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    async fn finish(&mut self) -> Result<BlobFacts> {
        self.flush().await?;
        let Some(packer) = self.packer.take() else { return Err(ended()) };
        packer.finish(&mut self.out)?;
        self.flush().await?;
        self.put.finish().await?;
        Ok(BlobFacts { sha256: std::mem::take(&mut self.hasher).finalize().into(), ..self.facts })
    }

    async fn discard(self: Box<Self>) -> Result<()> {
        self.put.discard().await
    }
}

fn ended() -> Error {
    Error::storage(StorageFailure::Defect, "an attachment was written beyond its end")
}

struct Reading {
    get: Box<dyn Get>,
    unpacker: Unpacker,
    /// The first frame to return.
    from: u64,
    /// The offset within that frame.
    skip: usize,
    ended: bool,
}

#[async_trait]
impl BlobReader for Reading {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        while !self.ended {
            let index = self.unpacker.index();
            match self.unpacker.next(self.from)? {
                Some(mut bytes) if index == self.from => {
                    bytes.drain(..self.skip.min(bytes.len()));
                    if !bytes.is_empty() {
                        return Ok(Some(bytes));
                    }
                }
                Some(bytes) if index > self.from && !bytes.is_empty() => return Ok(Some(bytes)),
                Some(_) => {}
                None => {
                    if let Some(bytes) = self.get.next().await? {
                        self.unpacker.push(&bytes);
                    } else {
                        self.unpacker.end()?;
                        self.ended = true;
                    }
                }
            }
        }
        Ok(None)
    }
}
