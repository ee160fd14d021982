//! Paths of indices: `<data>/vaults/<first two>/<hash>/vectors/<slug>/`, and `vectors/active`.

use std::path::{Path, PathBuf};

use kimberly_core::UserId;
use kimberly_core::embedding::ModelKey;

/// The data file of an environment.
pub(crate) const DATA: &str = "data.mdb";
/// The lock file of an environment.
pub(crate) const LOCK: &str = "lock.mdb";

/// The folders of one user.
#[derive(Clone, Debug)]
pub(crate) struct UserFolder {
    vault: PathBuf,
    vectors: PathBuf,
}

impl UserFolder {
    /// The folders of `user` in the data folder `data`.
    pub(crate) fn new(data: &Path, user: &UserId) -> Self {
        let name = user.folder_name();
        let vault = data.join("vaults").join(&name[..2]).join(&name);
        let vectors = vault.join("vectors");
        Self { vault, vectors }
    }

    /// The vault's folder, which belongs to the store and is never created here.
    pub(crate) fn vault(&self) -> &Path {
        &self.vault
    }

    /// The folder of all indices.
    pub(crate) fn vectors(&self) -> &Path {
        &self.vectors
    }

    /// The environment of a model.
    pub(crate) fn index(&self, model: &ModelKey) -> PathBuf {
        self.vectors.join(model.slug())
    }

    /// The file that names the active model.
    pub(crate) fn active(&self) -> PathBuf {
        self.vectors.join("active")
    }
}
