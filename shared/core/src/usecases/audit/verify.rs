//! Checks the audit from end to end.

use super::AuditOf;
use crate::audit::{AuditHead, AuditVerification, AuditVerifier};
use crate::error::{Error, Result};
use crate::ports::{AuditQuery, AuditReader};
use crate::usecases::App;

/// Entries that are read at once.
const AT_ONCE: usize = 2_000;

/// What the check found, and where it began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditVerdict {
    /// The name of the log.
    pub log: String,
    /// What the chain begins behind: nothing, or the last entry that was pruned.
    pub begins: AuditHead,
    /// The outcome.
    pub verification: AuditVerification,
}

impl App {
    /// Checks every entry of the audit on one snapshot, and that the chain holds `noted`, if a head was noted before.
    pub async fn verify_audit(&self, of: &AuditOf, noted: Option<AuditHead>) -> Result<AuditVerdict> {
        let log = of.log().await?;
        let genesis = AuditHead::genesis(&log);
        let read = of.read(self, move |reader| Box::pin(async move { verify(reader, genesis, noted).await }));
        let (begins, verification) = read.await?;
        Ok(AuditVerdict { log, begins, verification })
    }
}

async fn verify(
    reader: &mut dyn AuditReader,
    genesis: AuditHead,
    noted: Option<AuditHead>,
) -> Result<(AuditHead, AuditVerification)> {
    let range = reader.audit_range().await?;
    let begins = range.pruned.unwrap_or(genesis);
    let mut verifier = range.pruned.map_or_else(|| AuditVerifier::new(genesis), AuditVerifier::behind_pruned);
    if let Some(noted) = noted {
        if noted.no < begins.no {
            let problem = format!(
                "is {}; entries are kept from {} on, and older ones cannot be checked",
                noted.no,
                begins.no + 1
            );
            return Err(Error::invalid("expected.number", problem));
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
