//! Shared by several writes: loading the memory that they change, comparing etags, audit entries.

use crate::access::Caller;
use crate::audit::{Actor, AuditEntry};
use crate::bounds::MAX_NAMESPACE_BYTES;
use crate::error::{Entity, Error, Result};
use crate::ids::MemoryId;
use crate::memory::{Memory, MemoryDraft, trimmed_label};
use crate::ports::{VaultReader, VaultTransaction};
use crate::time::Timestamp;

/// Loads the memory, or fails with [`Error::NotFound`].
pub(super) async fn load(tx: &mut dyn VaultTransaction, id: MemoryId) -> Result<Memory> {
    tx.memory(id).await?.ok_or_else(|| Error::memory_not_found(id))
}

/// Loads the active record with this name, or fails with [`Error::NotFound`].
pub(super) async fn named(reader: &mut dyn VaultReader, namespace: &str, name: &str) -> Result<Memory> {
    let found = match reader.id_named(namespace, name).await? {
        Some(id) => reader.memory(id).await?,
        None => None,
    };
    found.ok_or_else(|| Error::NotFound { entity: Entity::Memory, id: name.to_owned() })
}

/// Fails if the caller saw an older state. An empty `sent` asks for no check.
pub(super) fn check_etag(sent: &str, current: &str) -> Result<()> {
    if sent.is_empty() || sent == current {
        return Ok(());
    }
    Err(Error::EtagMismatch { current: current.to_owned() })
}

/// Fails if callers would store what they do not reach. Runs before quotas and consents are checked, whose errors would
/// reveal something about such memories.
pub(super) fn may_store<'d>(caller: Option<&Caller>, drafts: impl IntoIterator<Item = &'d MemoryDraft>) -> Result<()> {
    let Some(caller) = caller else { return Ok(()) };
    let reached = drafts.into_iter().all(|draft| caller.grant.rows.admit_draft(draft));
    if reached { Ok(()) } else { Err(Error::Denied) }
}

/// Returns the namespace of a request: the one that it names or, if it names none, the only one that the caller
/// reaches, if there is just one.
pub(super) fn namespace_for(caller: Option<&Caller>, named: &str) -> Result<String> {
    if named.is_empty() {
        let only = caller.and_then(|caller| caller.grant.rows.only_namespace());
        return Ok(only.unwrap_or_default().to_owned());
    }
    trimmed_label(named, MAX_NAMESPACE_BYTES).map(str::to_owned).map_err(|problem| Error::invalid("namespace", problem))
}

/// Makes an audit entry about one thing, or about several.
pub(super) fn entry(at: Timestamp, action: &'static str, subject: Option<String>, count: u64) -> AuditEntry {
    AuditEntry { at, actor: Actor::Caller, action, refused: None, subject, count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn etag_is_compared_only_if_sent() {
        assert!(check_etag("", "3").is_ok());
        assert!(check_etag("3", "3").is_ok());
        assert!(matches!(check_etag("2", "3"), Err(Error::EtagMismatch { current }) if current == "3"));
    }
}
