//! Signs the head of an audit.

use super::AuditOf;
use crate::audit::{AuditHead, Checkpoint, SignedCheckpoint};
use crate::boxed;
use crate::error::{Error, Result, StorageFailure};
use crate::ports::{AuditQuery, AuditReader, Signer};
use crate::usecases::App;

impl App {
    /// Signs the current head of an audit. Does not verify the chain, but fails if its last entry is missing.
    #[boxed]
    pub async fn checkpoint_audit(&self, of: &AuditOf, signer: &dyn Signer) -> Result<SignedCheckpoint> {
        let log = of.log().await?;
        let genesis = AuditHead::genesis(&log);
        let head = of.read(self, move |reader| Box::pin(async move { head(reader, genesis).await })).await?;
        let checkpoint = Checkpoint { log, head, at: self.clock.now() };
        let signature = signer.sign(&checkpoint.message());
        Ok(SignedCheckpoint { checkpoint, key_id: signer.key_id(), signature })
    }
}

/// Returns the head of a chain; fails if its last entry is missing.
pub(super) async fn head(reader: &mut dyn AuditReader, genesis: AuditHead) -> Result<AuditHead> {
    let range = reader.audit_range().await?;
    let query = AuditQuery { limit: 1, newest_first: true, ..AuditQuery::default() };
    let last = reader.audit_entries(&query).await?.pop();
    let head = last.map_or_else(|| range.pruned.unwrap_or(genesis), |entry| entry.head());
    if head.no == range.last.max(range.pruned.map_or(0, |pruned| pruned.no)) {
        return Ok(head);
    }
    let detail = format!("the audit ends with entry {} and should end with {}", head.no, range.last);
    Err(Error::storage(StorageFailure::Corrupt, detail))
}
