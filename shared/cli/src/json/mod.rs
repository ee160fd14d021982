//! What `--json` prints: the contract's messages as JSON with the contract's field names.
//!
//! Enums have their short names (`long_term`), times are RFC 3339, spans are like `86400s`, 64-bit numbers are
//! numbers. Fields that are unset are left out.

mod attachment;
mod audit;
mod change;
mod consent;
mod credential;
mod forgotten;
mod goal;
mod meditation;
mod memory;
mod metrics;
mod purge;
mod settings;
pub(crate) mod structs;

pub(crate) use attachment::attachment;
pub(crate) use audit::{audit_entry, audit_verdict};
pub(crate) use change::change;
pub(crate) use consent::consent;
pub(crate) use credential::credential;
pub(crate) use forgotten::forgotten;
pub(crate) use goal::goal;
pub(crate) use meditation::{decision, meditation};
pub(crate) use memory::{memory, query_result, recall_stage, receipt, record, score_explanation, weights};
pub(crate) use metrics::{embedding_status, system_metrics, user_metrics};
pub(crate) use purge::purge;
pub(crate) use settings::{effective_settings, user_settings};

use prost_types::{Duration, Timestamp};
use serde_json::Value;

/// A time; null if unset.
pub(crate) fn time(time: Option<&Timestamp>) -> Value {
    time.map_or(Value::Null, |time| Value::String(time.to_string()))
}

/// A span; null if unset.
fn span(span: Option<&Duration>) -> Value {
    span.map_or(Value::Null, |span| Value::String(span.to_string()))
}

/// Leaves out members that are null or empty text.
fn compact(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members.into_iter().filter(|(_, value)| !value.is_null() && value.as_str() != Some("")).collect(),
        ),
        other => other,
    }
}
