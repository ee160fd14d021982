//! Files in the folder of the user's vault: `vaults/3f/<hash>/attachments/<name>`, or `.<name>.new` while being
//! written.
//!
//! This module never creates the folder of a vault, since a user without one has no attachments. Thus nothing reappears
//! after a purge. If vaults are stored in a database, no other code creates that folder. In that case this module
//! creates and removes it, and a late upload leaves a file that belongs to no vault, as in an object store.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use async_trait::async_trait;
use kimberly_core::Timestamp;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ids::UserId;
use kimberly_crypto::{Keys, folder_of, refuse_adding};
use tokio::fs::{self, File};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::errors;
use crate::shelf::{Found, Get, Put, Shelf};

/// Bytes per read.
const READ: usize = 256 * 1024;

/// Files below a data folder.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    vaults: PathBuf,
    /// Bytes to keep free. Writing is refused while less than this is free.
    reserve: u64,
    /// Whether vaults are stored in a database.
    apart: bool,
    /// Whether files are overwritten before removal. Without encryption, freed blocks would remain readable.
    overwrites: bool,
}

impl Local {
    pub(crate) fn new(data_dir: &Path, apart: bool, reserve: u64, keys: &Keys) -> Self {
        Self { vaults: data_dir.join("vaults"), apart, reserve, overwrites: !keys.are_on() }
    }

    fn folder(&self, user: &UserId) -> PathBuf {
        let name = user.folder_name();
        self.vaults.join(name.get(..2).unwrap_or_default()).join(&name).join("attachments")
    }
}

#[async_trait]
impl Shelf for Local {
    async fn begin(&self, user: &UserId, name: &str) -> Result<Box<dyn Put>> {
        let folder = self.folder(user);
        let made = if self.apart { make_all(&folder, &self.vaults).await } else { make(&folder).await };
        made.map_err(|error| errors::io("creating the attachments folder", &error))?;
        let staged = folder.join(format!(".{name}.new"));
        let opened = private().write(true).create_new(true).open(&staged).await;
        let file = opened.map_err(|error| errors::io("beginning an attachment", &error))?;
        let (staged, to) = (Staged(Some(staged)), folder.join(name));
        let Self { reserve, overwrites, .. } = *self;
        Ok(Box::new(Writing { file: Some(file), staged, to, folder, overwrites, reserve }))
    }

    async fn open(&self, user: &UserId, name: &str) -> Result<Option<Box<dyn Get>>> {
        match File::open(self.folder(user).join(name)).await {
            Ok(file) => Ok(Some(Box::new(Reading(file)))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(errors::io("opening an attachment", &error)),
        }
    }

    async fn remove(&self, user: &UserId, name: &str) -> Result<()> {
        let folder = self.folder(user);
        for name in [name.to_owned(), format!(".{name}.new")] {
            let removed = remove(&folder.join(name), self.overwrites).await;
            removed.map_err(|error| errors::io("removing an attachment", &error))?;
        }
        gone(sync(&folder).await).map_err(|error| errors::io("removing an attachment", &error))
    }

    async fn list(&self, user: &UserId) -> Result<Vec<Found>> {
        let failed = |error: io::Error| errors::io("listing attachments", &error);
        let mut entries = match fs::read_dir(self.folder(user)).await {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut found = Vec::new();
        while let Some(entry) = entries.next_entry().await.map_err(failed)? {
            let at = match entry.metadata().await {
                Ok(meta) => written(&meta),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            let name = entry.file_name().to_string_lossy().into_owned();
            found.push(Found { name, at });
        }
        Ok(found)
    }

    async fn discard(&self, user: &UserId, found: &Found) -> Result<()> {
        let removed = remove(&self.folder(user).join(&found.name), self.overwrites).await;
        removed.map_err(|error| errors::io("removing stray files from the attachments folder", &error))
    }

    /// Removing the vault's folder would remove all files too. Here they are first overwritten, if that is required.
    async fn remove_all(&self, user: &UserId) -> Result<()> {
        for found in self.list(user).await? {
            self.discard(user, &found).await?;
        }
        if self.apart {
            let folder = self.folder(user);
            for folder in folder.ancestors().take_while(|folder| *folder != self.vaults) {
                // The shared folder of a hash prefix stays until it is empty.
                match fs::remove_dir(folder).await {
                    Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => break,
                    removed => gone(removed).map_err(|error| errors::io("removing a folder of attachments", &error))?,
                }
            }
        }
        Ok(())
    }
}

/// Creates a folder and its missing parents, and syncs the parents below `below`.
async fn make_all(folder: &Path, below: &Path) -> io::Result<()> {
    if fs::try_exists(folder).await? {
        return Ok(());
    }
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).await?;
    for made in folder.ancestors().skip(1).take_while(|folder| folder.starts_with(below)) {
        sync(made).await?;
    }
    Ok(())
}

/// Creates the folder of attachments in the folder of the vault, which must exist.
async fn make(folder: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder).await {
        Ok(()) => sync(folder_of(folder)).await,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn private() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.mode(0o600);
    options
}

/// Removes a file if it exists.
async fn remove(file: &Path, overwrites: bool) -> io::Result<()> {
    if overwrites {
        gone(overwrite(file.to_owned()).await)?;
    }
    gone(fs::remove_file(file).await)
}

async fn overwrite(file: PathBuf) -> io::Result<()> {
    let overwriting = tokio::task::spawn_blocking(move || {
        let mut file = std::fs::OpenOptions::new().write(true).open(file)?;
        let length = file.metadata()?.len();
        io::copy(&mut io::repeat(0).take(length), &mut file)?;
        file.sync_data()
    });
    overwriting.await.map_err(io::Error::other)?
}

async fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder).await?.sync_all().await
}

fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns when a file was last written, or the epoch if unknown.
fn written(meta: &std::fs::Metadata) -> Timestamp {
    let at = meta.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    Timestamp(at.map_or(0, |at| i64::try_from(at.as_micros()).unwrap_or(i64::MAX)))
}

/// A file that is removed on drop unless the write was finished.
struct Staged(Option<PathBuf>);

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            // If this fails, a later cleanup finds the leftover by its name and age.
            let _ = std::fs::remove_file(path);
        }
    }
}

struct Writing {
    /// `None` once a write has failed.
    file: Option<File>,
    staged: Staged,
    to: PathBuf,
    folder: PathBuf,
    overwrites: bool,
    reserve: u64,
}

#[async_trait]
impl Put for Writing {
    async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        // Checked on each write, not only at the start: the upload may exceed the free space.
        if let Err(none) = refuse_adding(&self.folder, self.reserve) {
            self.file = None;
            return Err(Error::storage(StorageFailure::Full, none.to_string()));
        }
        let written = match &mut self.file {
            Some(file) => file.write_all(bytes).await,
            None => Err(io::Error::other("an earlier write failed")),
        };
        written.map_err(|error| {
            self.file = None;
            errors::io("writing an attachment", &error)
        })
    }

    async fn finish(&mut self) -> Result<()> {
        let Some(mut file) = self.file.take() else {
            return Err(Error::storage(StorageFailure::Unavailable, "an attachment was not written completely"));
        };
        let Some(staged) = &self.staged.0 else { return Ok(()) };
        let done = async {
            file.flush().await?;
            file.sync_all().await?;
            fs::rename(staged, &self.to).await?;
            sync(&self.folder).await
        };
        done.await.map_err(|error| errors::io("finishing an attachment", &error))?;
        self.staged.0 = None;
        Ok(())
    }

    async fn discard(self: Box<Self>) -> Result<()> {
        let Self { file, staged, to, folder, overwrites, .. } = *self;
        drop(file);
        let removed = async {
            for file in staged.0.iter().chain([&to]) {
                remove(file, overwrites).await?;
            }
            gone(sync(&folder).await)
        };
        removed.await.map_err(|error| errors::io("removing an attachment", &error))
    }
}

struct Reading(File);

#[async_trait]
impl Get for Reading {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let mut bytes = vec![0; READ];
        let read = self.0.read(&mut bytes).await.map_err(|error| errors::io("reading an attachment", &error))?;
        bytes.truncate(read);
        Ok((read > 0).then_some(bytes))
    }
}
