//! The lines of an export, each an object with a `kind`, and those of an archive, whose sections say the kind.

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::VERSION;
use crate::{json, names};

/// The first line: names the format.
pub(crate) fn format_line(user: &str) -> Value {
    json!({"kind": "export", "version": VERSION, "user_id": user})
}

/// The line of a memory with everything that is kept about it.
pub(crate) fn record_line(record: &v1::MemoryRecord) -> Value {
    of_kind("memory", json::record(record))
}

/// The line of a goal; its own kind is `kind_of_goal`.
pub(crate) fn goal_line(goal: &v1::Goal) -> Value {
    let mut line = json::goal(goal);
    line["kind_of_goal"] = Value::String(names::goal_kind(goal.kind));
    of_kind("goal", line)
}

/// The line of a record of consent.
pub(crate) fn consent_line(consent: &v1::Consent) -> Value {
    of_kind("consent", json::consent(consent))
}

/// The line of the user's settings.
pub(crate) fn settings_line(settings: &v1::UserSettings) -> Value {
    of_kind("settings", json::user_settings(settings))
}

fn of_kind(kind: &str, mut line: Value) -> Value {
    line["kind"] = Value::String(kind.to_owned());
    line
}

/// The lines of an archive. They name no user, so that the same memory makes the same line whoever has it, and nothing
/// that follows from the rest or from the time.
pub(crate) mod of_archive {
    use kimberly_proto::v1;
    use serde_json::Value;

    use crate::json;

    /// That of a memory with everything that is kept about it.
    pub(crate) fn memory(record: &v1::MemoryRecord) -> Value {
        without(json::record(record), &["user_id", "size_bytes", "embedding_ref"])
    }

    /// That of an attachment.
    pub(crate) fn attachment(attachment: &v1::Attachment) -> Value {
        json::attachment(attachment)
    }

    /// That of a record of consent.
    pub(crate) fn consent(consent: &v1::Consent) -> Value {
        without(json::consent(consent), &["status"])
    }

    /// That of a goal.
    pub(crate) fn goal(goal: &v1::Goal) -> Value {
        json::goal(goal)
    }

    /// That of settings; empty if nothing is set.
    pub(crate) fn settings(settings: &v1::UserSettings) -> Value {
        json::user_settings(settings)
    }

    fn without(mut line: Value, members: &[&str]) -> Value {
        if let Some(object) = line.as_object_mut() {
            for member in members {
                object.remove(*member);
            }
        }
        line
    }
}
