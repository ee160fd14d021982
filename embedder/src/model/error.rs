//! What can be wrong with a model.

use std::io;
use std::path::{Path, PathBuf};

/// Why a model cannot be opened or gave no vector. Each message names the file and what it should hold.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file or the folder cannot be read.
    #[error("{path} cannot be read: {error}", path = path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A file is damaged, does not fit the others, or asks for what is not supported.
    #[error("{file} {problem}")]
    Refused {
        /// The file's name in the model's folder.
        file: String,
        /// What is wrong with it.
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

impl From<candle_core::Error> for ModelError {
    fn from(error: candle_core::Error) -> Self {
        Self::Compute(error.to_string())
    }
}
