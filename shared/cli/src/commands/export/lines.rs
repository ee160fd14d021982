//! The lines of an export: objects with one member, which names what stands in it; and those of an archive, where the
//! section says that.

use kimberly_proto::v1;
use serde_json::json;

use super::VERSION;
use crate::error::CliResult;
use crate::json;

/// What lines of an export hold.
pub(crate) const EXPORT: &str = "export";
pub(crate) const RECORD: &str = "record";
pub(crate) const CONSENT: &str = "consent";
pub(crate) const GOAL: &str = "goal";
pub(crate) const SETTINGS: &str = "settings";

/// The first line: names the format.
pub(crate) fn format_line(user: &str) -> String {
    json!({"version": VERSION, EXPORT: {"userId": user}}).to_string()
}

/// The lines of an archive. They name no user, so that the same memory makes the same line for every user, and nothing
/// that follows from the rest or from the time.
pub(crate) mod of_archive {
    use super::{CliResult, json, v1};

    /// That of a memory with everything that is kept about it.
    pub(crate) fn memory(record: &v1::MemoryRecord) -> CliResult<String> {
        let memory = record.memory.clone().map(|memory| v1::Memory {
            user_id: String::new(),
            size_bytes: 0,
            embedding_ref: String::new(),
            ..memory
        });
        json::line(&v1::MemoryRecord { memory, ..record.clone() })
    }

    /// That of a record of consent.
    pub(crate) fn consent(consent: &v1::Consent) -> CliResult<String> {
        json::line(&v1::Consent { status: 0, ..consent.clone() })
    }
}
