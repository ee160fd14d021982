//! Converts credentials to the contract, without their secrets.

use kimberly_core::access::ListedCredential;
use kimberly_proto::v1;

use super::enums::WireEnum;
use super::time::wire_timestamp;

/// Converts a credential to the contract.
pub fn credential(listed: ListedCredential) -> v1::Credential {
    let one = listed.credential;
    v1::Credential {
        id: one.id.to_string(),
        name: one.name.to_string(),
        kind: one.kind.number(),
        agent: one.agent,
        grant: Some(v1::Grant {
            users: one.grant.users.iter().collect(),
            operations: one.grant.operations.iter().map(WireEnum::number).collect(),
            namespaces: one.grant.rows.namespaces().to_vec(),
            tiers: one.grant.rows.tiers().iter().map(|tier| tier.number()).collect(),
            exclude_sensitive: one.grant.rows.exclude_sensitive(),
        }),
        created_at: Some(wire_timestamp(one.created_at)),
        created_by: one.created_by,
        expires_at: one.expires_at.map(wire_timestamp),
        revoked_at: one.revoked_at.map(wire_timestamp),
        last_used_at: listed.last_used_at.map(wire_timestamp),
        old_secret_until: one.replaced.map(|(_, until)| wire_timestamp(until)),
        certificate: one.certificate.map(|name| name.to_string()).unwrap_or_default(),
    }
}
