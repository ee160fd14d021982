//! Errors of models.

use std::io;
use std::path::{Path, PathBuf};

/// Why a model could not be opened or gave no vector. Messages name the file and the expected content.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file or the folder is unreadable.
    #[error("{path} cannot be read: {error}", path = path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// A file is damaged, inconsistent with others, or needs an unsupported feature.
    #[error("{file} {problem}")]
    Refused {
        /// The file's name in the model's folder.
        file: String,
        /// The problem.
        problem: String,
    },
    /// The computation failed.
    #[error("{0}")]
    Compute(String),
}

impl ModelError {
    pub(super) fn refused(file: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Refused { file: file.into(), problem: problem.into() }
    }

    pub(super) fn unreadable(path: &Path, error: io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), error }
    }
}
