//! A block of core memory.

use serde::{Deserialize, Serialize};

use super::{Check, Form};
use crate::bounds::MAX_BLOCK_DESCRIPTION_BYTES;

/// A block of core memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockDetail {
    /// The purpose of the block; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether assistants must not change it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

impl Form for BlockDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        check.optional_name("description", &mut self.description, MAX_BLOCK_DESCRIPTION_BYTES);
    }

    /// None: it is part of every prompt anyway.
    fn texts(&self) -> Vec<&str> {
        Vec::new()
    }
}
