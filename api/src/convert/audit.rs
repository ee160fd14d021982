//! Converts audits in both directions.

use kimberly_core::audit::{AuditFinding, AuditFindingKind, AuditHead, AuditRecord, hash_from_text, hash_text};
use kimberly_core::ports::Signer;
use kimberly_core::usecases::audit::{AuditSection, AuditVerdict};
use kimberly_core::{Error, Result};
use kimberly_proto::v1;

use super::{int64, time};

/// Converts an entry to the contract.
pub fn entry(record: AuditRecord) -> v1::AuditEntry {
    v1::AuditEntry {
        number: int64(record.no),
        recorded_at: Some(time::wire_timestamp(record.at)),
        actor: record.actor,
        action: record.action,
        refused: record.refused.unwrap_or_default(),
        subject: record.subject.unwrap_or_default(),
        count: int64(record.count),
        hash: hash_text(&record.hash),
    }
}

/// Parses a head that the caller saved earlier.
pub fn noted(head: &v1::AuditHead) -> Result<AuditHead> {
    let no = u64::try_from(head.number).map_err(|_| {
        let problem = format!("is {}; 0 or more is allowed", head.number);
        Error::invalid("expected.number", problem)
    })?;
    let hash = hash_from_text(&head.hash).ok_or_else(|| {
        Error::invalid("expected.hash", "is not what this service returned: 64 digits of lower-case hex")
    })?;
    Ok(AuditHead { no, hash })
}

/// Converts the description of an exported section to the contract.
pub fn section(section: AuditSection) -> v1::AuditSection {
    v1::AuditSection { log: section.log, begins: Some(head(section.begins)), last: int64(section.last) }
}

/// Returns the public key that verifies signatures, in hex.
pub fn public_key(signer: &dyn Signer) -> String {
    hash_text(&signer.public_key())
}

/// Converts the outcome of a verification to the contract.
pub fn verdict(verdict: &AuditVerdict) -> v1::VerifyAuditResponse {
    let outcome = &verdict.verification;
    v1::VerifyAuditResponse {
        intact: outcome.is_intact(),
        entries: int64(outcome.entries),
        begins: Some(head(verdict.begins)),
        head: Some(head(outcome.head)),
        findings: outcome.findings.iter().map(finding).collect(),
        found: int64(outcome.found),
        log: verdict.log.clone(),
        anchors: int64(verdict.anchors),
    }
}

fn finding(finding: &AuditFinding) -> v1::AuditFinding {
    let kind = match finding.kind {
        AuditFindingKind::Altered => v1::AuditFindingKind::Altered,
        AuditFindingKind::Missing => v1::AuditFindingKind::Missing,
        AuditFindingKind::Reordered => v1::AuditFindingKind::Reordered,
        AuditFindingKind::Truncated => v1::AuditFindingKind::Truncated,
        AuditFindingKind::Rewritten => v1::AuditFindingKind::Rewritten,
    };
    v1::AuditFinding {
        kind: kind.into(),
        first: int64(finding.first),
        last: int64(finding.last),
        recorded_at: finding.at.map(time::wire_timestamp),
        system_entry: int64(finding.anchor.unwrap_or_default()),
    }
}

/// Converts the head of a chain to the contract.
pub fn head(head: AuditHead) -> v1::AuditHead {
    v1::AuditHead { number: int64(head.no), hash: hash_text(&head.hash) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_out_of_bounds_are_refused_with_their_field() {
        let hash = hash_text(&[7; 32]);
        let head = |number, hash: &str| noted(&v1::AuditHead { number, hash: hash.to_owned() });
        assert_eq!(head(0, &hash).unwrap(), AuditHead { no: 0, hash: [7; 32] });
        for (number, hash, named) in [(-1, hash.as_str(), "expected.number"), (1, &hash[1..], "expected.hash")] {
            let refused = head(number, hash);
            assert!(matches!(refused, Err(Error::Invalid(v)) if v[0].field == named), "{named}");
        }
    }
}
