//! The lines of an export: objects with one member, whose name is the kind; and the lines of an archive, where the
//! section is the kind.

use kimberly_proto::v1;
use serde_json::json;

use crate::error::CliResult;
use crate::json;

/// Version of the line format.
pub(crate) const VERSION: i64 = 1;

/// Kinds of lines in an export.
pub(crate) const EXPORT: &str = "export";
pub(crate) const RECORD: &str = "record";
pub(crate) const CONSENT: &str = "consent";
pub(crate) const GOAL: &str = "goal";
pub(crate) const SETTINGS: &str = "settings";

/// The first line, which names the format.
pub(crate) fn format_line(user: &str) -> String {
    json!({"version": VERSION, EXPORT: {"userId": user}}).to_string()
}

/// The lines of an archive. They omit the user, so that a memory has the same line for every user, and fields that are
/// derived or depend on the time.
pub(crate) mod of_archive {
    use super::{CliResult, json, v1};

    /// The line of a memory with everything stored about it.
    pub(crate) fn memory(record: &v1::MemoryRecord) -> CliResult<String> {
        let memory = record.memory.clone().map(|memory| v1::Memory {
            user_id: String::new(),
            size_bytes: 0,
            embedding_ref: String::new(),
            ..memory
        });
        json::line(&v1::MemoryRecord { memory, ..record.clone() })
    }

    /// The line of a consent record.
    pub(crate) fn consent(consent: &v1::Consent) -> CliResult<String> {
        json::line(&v1::Consent { status: 0, ..consent.clone() })
    }
}
