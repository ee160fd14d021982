//! The lines of an export, each an object with a `kind`.

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
