//! Paths in the data folder.

use std::path::{Path, PathBuf};

use kimberly_core::UserId;
use kimberly_core::damage::RESTORED;
use kimberly_crypto::folder_of;

/// The data folder.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    root: PathBuf,
}

impl Layout {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn system_db(&self) -> PathBuf {
        self.root.join("system.db")
    }

    pub(crate) fn vaults(&self) -> PathBuf {
        self.root.join("vaults")
    }

    /// The template of an empty vault, per schema version.
    pub(crate) fn template(&self, version: i64) -> PathBuf {
        self.vaults().join(format!("empty-v{version}.db"))
    }

    /// Lock file of the process that works on purges.
    pub(crate) fn purging(&self) -> PathBuf {
        self.vaults().join(".purging")
    }

    /// Lock file that every process on this folder holds.
    pub(crate) fn in_use(&self) -> PathBuf {
        self.vaults().join(".in-use")
    }

    /// Exists while everything is being moved here.
    pub(crate) fn moving(&self) -> PathBuf {
        self.root.join("moving")
    }

    /// Log of the users that were copied by that move.
    pub(crate) fn copied(&self) -> PathBuf {
        self.vaults().join(".copied")
    }

    /// Exists once everything was moved away.
    pub(crate) fn moved(&self) -> PathBuf {
        self.root.join("moved")
    }

    /// Exists until interrupted work is resumed.
    pub(crate) fn restored(&self) -> PathBuf {
        self.root.join(RESTORED)
    }

    /// Returns the folder of a user's vault.
    pub(crate) fn vault(&self, user: &UserId) -> PathBuf {
        self.vault_of(&user.folder_name())
    }

    /// Returns the folder of the vault of the user with this hash.
    pub(crate) fn vault_of(&self, hash: &str) -> PathBuf {
        self.vaults().join(hash.get(..2).unwrap_or_default()).join(hash)
    }
}

/// Returns the lock file, in the parent folder and shared by all vaults there. It is held while a vault is created,
/// removed, or examined because it does not open.
pub(crate) fn lock_of(vault: &Path) -> PathBuf {
    folder_of(vault).join(".lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_user_id_is_a_safe_folder_name() {
        let layout = Layout::new("/data".into());
        let folder = layout.vault(&UserId::parse("../../etc/passwd").unwrap());
        let expected = "/data/vaults/97/970eb95d41b1c5fbb2b4f1e8c7ab9b3ec5a1b8d6";
        assert!(folder.starts_with("/data/vaults"));
        assert_eq!(folder.components().count(), Path::new(expected).components().count());
        assert!(folder.file_name().unwrap().to_str().unwrap().bytes().all(|b| b.is_ascii_hexdigit()));
    }
}
