//! Copies wrapped keys unchanged: both sides use the same key rings.

use std::sync::Arc;

use kimberly_core::Error;
use kimberly_core::UserId;
use kimberly_core::error::{Result, StorageFailure};
use kimberly_crypto::{Created, KeyError, KeyName, KeyStore, UserHash};

use super::refused;
use crate::blocking::off_thread;
use crate::keys::failure;

/// Keys per page.
const PAGE: usize = 1_000;
/// Attempts to copy a key that is rewrapped meanwhile.
const TRIES: usize = 8;

type Store = Arc<dyn KeyStore>;

/// Copies the id that all keys are bound to, and the keys of the system. Does nothing if encryption is off.
pub(super) async fn copy_of_system(from: &Store, to: &Store) -> Result<()> {
    let (from, to) = (Arc::clone(from), Arc::clone(to));
    blocking(move || {
        let Some(id) = from.id()? else { return Ok(Ok(())) };
        let stored = to.get_or_insert_id(&id)?;
        if stored != id {
            return Ok(Err(refused(format!(
                "the keys there belong to {stored}, and those here to {id}: name an empty destination"
            ))));
        }
        for name in [KeyName::System, KeyName::Queue] {
            copy(&*from, &*to, &name)?;
        }
        Ok(Ok(()))
    })
    .await?
}

/// Copies the keys of a user.
pub(super) async fn copy_of_user(from: &Store, to: &Store, user: &UserId) -> Result<()> {
    let Some(hash) = UserHash::parse(&user.folder_name()) else { return Ok(()) };
    let (from, to) = (Arc::clone(from), Arc::clone(to));
    blocking(move || copy(&*from, &*to, &KeyName::User(hash))).await
}

/// Copies all keys again, including rewrapped ones, and destroys keys on the target that the source does not have.
pub(super) async fn copy_all(from: &Store, to: &Store) -> Result<()> {
    copy_of_system(from, to).await?;
    let (from, to) = (Arc::clone(from), Arc::clone(to));
    blocking(move || {
        each(&*from, |hash| copy(&*from, &*to, &KeyName::User(hash)))?;
        each(&*to, |hash| {
            let name = KeyName::User(hash);
            if from.read(&name)?.is_none() {
                to.destroy(&name)?;
            }
            Ok(())
        })
    })
    .await
}

fn each(store: &dyn KeyStore, mut work: impl FnMut(UserHash) -> Result<(), KeyError>) -> Result<(), KeyError> {
    let mut last = None;
    loop {
        let page = store.list(last.as_ref(), PAGE)?;
        let Some(next) = page.last().cloned() else { return Ok(()) };
        page.into_iter().try_for_each(&mut work)?;
        last = Some(next);
    }
}

fn copy(from: &dyn KeyStore, to: &dyn KeyStore, name: &KeyName) -> Result<(), KeyError> {
    for _ in 0..TRIES {
        let (here, there) = (from.read(name)?, to.read(name)?);
        let done = match (&here, &there) {
            (Some(here), Some(there)) => here == there || to.replace(name, there, here)?,
            (Some(here), None) => to.create_new(name, here)? == Created::Made,
            (None, Some(_)) => {
                to.destroy(name)?;
                true
            }
            (None, None) => true,
        };
        if done {
            return Ok(());
        }
    }
    let (doing, problem) = ("copying a wrapped key", "another process is changing it".to_owned());
    Err(KeyError::Store { doing, problem })
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, KeyError> + Send + 'static) -> Result<T> {
    off_thread(work).await?.map_err(|error| match failure(&error) {
        Error::Storage { failure: StorageFailure::Defect, detail } => refused(detail),
        other => other,
    })
}
