//! Keys as JSON, without their secrets.

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::{compact, time};
use crate::names;

/// A key as it is kept.
pub(crate) fn credential(one: &v1::Credential) -> Value {
    let grant = one.grant.clone().unwrap_or_default();
    let operations: Vec<String> = grant.operations.iter().map(|operation| names::operation(*operation)).collect();
    compact(json!({
        "id": one.id,
        "name": one.name,
        "kind": names::credential_kind(one.kind),
        "certificate": one.certificate,
        "agent": one.agent,
        "grant": limited(json!({"users": grant.users, "operations": operations}), &grant),
        "created_at": time(one.created_at.as_ref()),
        "created_by": one.created_by,
        "expires_at": time(one.expires_at.as_ref()),
        "revoked_at": time(one.revoked_at.as_ref()),
        "last_used_at": time(one.last_used_at.as_ref()),
        "old_secret_until": time(one.old_secret_until.as_ref()),
    }))
}

/// A grant with its limits to some memories, where it has any. An empty name of a namespace must stay, so that these are
/// not left out as empty values are.
fn limited(mut grant: Value, limits: &v1::Grant) -> Value {
    let tiers: Vec<String> = limits.tiers.iter().map(|tier| names::tier(*tier)).collect();
    if !limits.namespaces.is_empty() {
        grant["namespaces"] = json!(limits.namespaces);
    }
    if !tiers.is_empty() {
        grant["tiers"] = json!(tiers);
    }
    if limits.exclude_sensitive {
        grant["exclude_sensitive"] = json!(true);
    }
    grant
}
