//! `[keys]`: where secrets of the account lie.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Problems;

/// Where secrets lie that belong to the account and not to the data. Names places and never holds a secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeysConfig {
    /// The folder, outside the data folder; unset means `~/.kimberly/keys/<id of the data folder>`.
    pub folder: Option<PathBuf>,
}

impl KeysConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        if self.folder.as_ref().is_some_and(|folder| folder.as_os_str().is_empty()) {
            problems.add("keys.folder is empty; name a folder outside the data folder, or leave it unset");
        }
    }
}
