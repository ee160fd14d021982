//! A data folder with vaults.

use std::path::PathBuf;

use crate::{IndexReader, IndexWriter, Options};
use kimberly_core::UserId;
use kimberly_core::embedding::ModelKey;

/// A temporary data folder.
pub(super) struct Data {
    folder: tempfile::TempDir,
}

impl Data {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// A user with a vault.
    pub(super) fn user(&self, name: &str) -> UserId {
        let user = UserId::parse(name).unwrap();
        std::fs::create_dir_all(vault(&self.path(), &user)).unwrap();
        user
    }

    pub(super) fn writer(&self) -> IndexWriter {
        IndexWriter::new(self.path(), Options::default())
    }

    pub(super) fn reader(&self) -> IndexReader {
        IndexReader::new(self.path(), Options::default())
    }

    pub(super) fn index(&self, user: &UserId, model: &ModelKey) -> PathBuf {
        vault(&self.path(), user).join("vectors").join(model.slug())
    }
}

pub(super) fn vault(data: &std::path::Path, user: &UserId) -> PathBuf {
    let name = user.folder_name();
    data.join("vaults").join(&name[..2]).join(&name)
}
