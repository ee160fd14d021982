//! Who works on a data folder: every process for as long as it has it open, side by side with others, or one that moves
//! everything to elsewhere, alone.

use std::fs::{File, TryLockError};
use std::io;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::folder_of;

use super::layout::Layout;
use super::moving::refuse_moved;
use super::{errors, files};

/// Begins to work on a data folder, beside others; until the file is dropped. Refuses one that was left, or is not complete.
pub(crate) async fn beside_others(layout: &Layout) -> Result<File> {
    let file = locked(layout, File::try_lock_shared).await?;
    let file = file.ok_or_else(|| {
        Error::storage(
            StorageFailure::Unavailable,
            format!(
                "`kimberly migrate` works on {} at this moment: start again when it is done",
                layout.root().display()
            ),
        )
    })?;
    refuse_moved(layout).await?;
    Ok(file)
}

/// The same alone; `None` while anybody else is there.
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
