//! Records of consent as JSON.

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::{compact, time};
use crate::names;

/// A record of consent.
pub(crate) fn consent(consent: &v1::Consent) -> Value {
    let scope = consent.scope.clone().unwrap_or_default();
    compact(json!({
        "id": consent.id,
        "purpose": consent.purpose,
        "scope": {
            "tiers": scope.tiers.iter().map(|tier| names::tier(*tier)).collect::<Vec<_>>(),
            "namespaces": scope.namespaces,
            "tags": scope.tags,
            "session_ids": scope.session_ids,
        },
        "given_by": names::consent_giver(consent.given_by),
        "note": consent.note,
        "expires_at": time(consent.expires_at.as_ref()),
        "wording_sha256": consent.wording_sha256,
        "status": names::consent_status(consent.status),
        "recorded_by": consent.recorded_by,
        "granted_at": time(consent.granted_at.as_ref()),
        "retracted_at": time(consent.retracted_at.as_ref()),
        "retracted_by": consent.retracted_by,
        "retraction": names::retraction(consent.retraction),
        "etag": consent.etag,
    }))
}
