//! The audit as JSON.

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::{compact, time};
use crate::names;

/// An entry.
pub(crate) fn audit_entry(entry: &v1::AuditEntry) -> Value {
    compact(json!({
        "number": entry.number,
        "recorded_at": time(entry.recorded_at.as_ref()),
        "actor": entry.actor,
        "action": entry.action,
        "refused": entry.refused,
        "subject": entry.subject,
        "count": entry.count,
        "hash": entry.hash,
    }))
}

/// The outcome of a check.
pub(crate) fn audit_verdict(verdict: &v1::VerifyAuditResponse) -> Value {
    let head = |head: Option<&v1::AuditHead>| head.map(|head| json!({"number": head.number, "hash": head.hash}));
    json!({
        "log": verdict.log,
        "intact": verdict.intact,
        "entries": verdict.entries,
        "begins": head(verdict.begins.as_ref()),
        "head": head(verdict.head.as_ref()),
        "findings": verdict.findings.iter().map(finding).collect::<Vec<_>>(),
        "found": verdict.found,
        "anchors": verdict.anchors,
    })
}

fn finding(finding: &v1::AuditFinding) -> Value {
    compact(json!({
        "kind": names::audit_finding(finding.kind),
        "first": finding.first,
        "last": finding.last,
        "recorded_at": time(finding.recorded_at.as_ref()),
        "system_entry": Some(finding.system_entry).filter(|entry| *entry != 0),
    }))
}
