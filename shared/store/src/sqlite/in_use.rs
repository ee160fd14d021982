//! The lock of a data folder. Every process holds it in shared mode while it has the folder open; a move away from the
//! folder takes it exclusively.

use std::fs::{File, TryLockError};
use std::io;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::folder_of;

use super::layout::Layout;
use super::moving::refuse_moved;
use super::{errors, files};

/// Locks a data folder in shared mode until the file is dropped. Refuses a folder that was moved away or is incomplete.
pub(crate) async fn beside_others(layout: &Layout) -> Result<File> {
    let file = locked(layout, File::try_lock_shared).await?;
    let file = file.ok_or_else(|| {
        Error::storage(
            StorageFailure::Unavailable,
            format!("`kimberly migrate` is working on {}: start again when it is done", layout.root().display()),
        )
    })?;
    refuse_moved(layout).await?;
    Ok(file)
}

/// Locks a data folder exclusively; `None` while another process has it open.
pub(crate) async fn alone(layout: &Layout) -> Result<Option<File>> {
    locked(layout, File::try_lock).await
}

async fn locked(layout: &Layout, lock: fn(&File) -> std::result::Result<(), TryLockError>) -> Result<Option<File>> {
    let path = layout.in_use();
    let take = move || {
        let folder = folder_of(&path);
        if !folder.exists() {
            files::make_folder(folder)?;
        }
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        match lock(&file) {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    };
    files::off_thread(take).await?.map_err(|error: io::Error| errors::io("locking the data folder", &error))
}
