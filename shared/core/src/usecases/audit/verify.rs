//! Verifies the audit from end to end.

use std::sync::Arc;

use super::AuditOf;
use super::anchor::anchors;
use crate::audit::{Anchor, AuditHead, AuditVerification, AuditVerifier};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::ports::{AuditQuery, AuditReader, Purges, SystemAudit};
use crate::usecases::App;

/// Entries per query.
const AT_ONCE: usize = 2_000;

/// Result of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditVerdict {
    /// Name of the log.
    pub log: String,
    /// The head before the first entry: the genesis, or the last pruned entry.
    pub begins: AuditHead,
    /// Anchors in the system's audit that the chain was checked against; those older than `begins` are not counted.
    pub anchors: u64,
    /// The outcome.
    pub verification: AuditVerification,
}

impl App {
    /// Verifies every entry of the audit on one snapshot, and that the chain holds `noted`, if given.
    #[boxed]
    pub async fn verify_audit(&self, of: &AuditOf, noted: Option<AuditHead>) -> Result<AuditVerdict> {
        self.verify(of, noted, Arc::default()).await
    }

    /// Verifies the audit of a user's vault, and that its chain holds every head that the system's audit anchored. It
    /// detects that the chain was cut or hashed again, or that an older or another vault took its place.
    #[boxed]
    pub async fn verify_anchored_audit(
        &self,
        user: &UserId,
        noted: Option<AuditHead>,
        (system, purges): (&dyn SystemAudit, &dyn Purges),
    ) -> Result<AuditVerdict> {
        // Read before the vault, so that the vault holds every head anchored by then.
        let anchors = anchors(system, purges, user).await?;
        self.verify(&AuditOf::User(user.clone()), noted, anchors.into()).await
    }

    async fn verify(&self, of: &AuditOf, noted: Option<AuditHead>, anchors: Arc<[Anchor]>) -> Result<AuditVerdict> {
        let log = of.log().await?;
        let genesis = AuditHead::genesis(&log);
        let held = Arc::clone(&anchors);
        let read = of.read(self, move |reader| {
            let anchors = Arc::clone(&held);
            Box::pin(async move { verify(reader, genesis, noted, &anchors).await })
        });
        let (begins, verification) = read.await?;
        let anchors = anchors.iter().filter(|anchor| anchor.head.no >= begins.no).count() as u64;
        Ok(AuditVerdict { log, begins, anchors, verification })
    }
}

async fn verify(
    reader: &mut dyn AuditReader,
    genesis: AuditHead,
    noted: Option<AuditHead>,
    anchors: &[Anchor],
) -> Result<(AuditHead, AuditVerification)> {
    let range = reader.audit_range().await?;
    let begins = range.pruned.unwrap_or(genesis);
    let verifier = range.pruned.map_or_else(|| AuditVerifier::new(genesis), AuditVerifier::behind_pruned);
    let mut verifier = verifier.anchored(anchors);
    if let Some(noted) = noted {
        if noted.no < begins.no {
            let problem = format!(
                "is {}; the first stored entry is {}, and older ones cannot be checked",
                noted.no,
                begins.no + 1
            );
            return Err(Error::conflict("expected.number", problem));
        }
        verifier = verifier.expecting(noted);
    }
    let mut query = AuditQuery { limit: AT_ONCE, ..AuditQuery::default() };
    loop {
        let entries = reader.audit_entries(&query).await?;
        for entry in &entries {
            verifier.push(entry);
        }
        match entries.last() {
            Some(last) if entries.len() >= AT_ONCE => query.after = last.no,
            _ => return Ok((begins, verifier.finish(range.last))),
        }
    }
}
