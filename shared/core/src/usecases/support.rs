//! What several writes share: reading the memory they change, comparing etags, audit rows.

use crate::access::Caller;
use crate::audit::Actor;
use crate::bounds::MAX_NAMESPACE_BYTES;
use crate::error::{Entity, Error, Result};
use crate::ids::MemoryId;
use crate::memory::{Memory, MemoryDraft, trimmed_label};
use crate::ports::{AuditEntry, VaultReader, VaultTransaction};
use crate::time::Timestamp;

/// The memory, or [`Error::NotFound`].
pub(super) async fn load(tx: &mut dyn VaultTransaction, id: MemoryId) -> Result<Memory> {
    tx.memory(id).await?.ok_or_else(|| Error::memory_not_found(id))
}

/// The active record of this name, or [`Error::NotFound`].
pub(super) async fn named(reader: &mut dyn VaultReader, namespace: &str, name: &str) -> Result<Memory> {
    let found = match reader.id_named(namespace, name).await? {
        Some(id) => reader.memory(id).await?,
        None => None,
    };
    found.ok_or_else(|| Error::NotFound { entity: Entity::Memory, id: name.to_owned() })
}

/// Refuses a write whose caller saw an older state. An empty `sent` asks for no check.
pub(super) fn check_etag(sent: &str, current: &str) -> Result<()> {
    if sent.is_empty() || sent == current {
        return Ok(());
    }
    Err(Error::EtagMismatch { current: current.to_owned() })
}

/// Refuses to store what its caller would not reach, before quotas and consents are looked at: what they say of such
/// memories is not for him either.
pub(super) fn may_store<'d>(caller: Option<&Caller>, drafts: impl IntoIterator<Item = &'d MemoryDraft>) -> Result<()> {
    let Some(caller) = caller else { return Ok(()) };
    let reached = drafts.into_iter().all(|draft| caller.grant.rows.admit_draft(draft));
    if reached { Ok(()) } else { Err(Error::Denied) }
}

/// The namespace that a request is about: the one that it names or, if it names none, the only one that its caller reaches, if that
/// is just one.
pub(super) fn namespace_for(caller: Option<&Caller>, named: &str) -> Result<String> {
    if named.is_empty() {
        let only = caller.and_then(|caller| caller.grant.rows.only_namespace());
        return Ok(only.unwrap_or_default().to_owned());
    }
    trimmed_label(named, MAX_NAMESPACE_BYTES).map(str::to_owned).map_err(|problem| Error::invalid("namespace", problem))
}

/// An audit row about one thing, or about several.
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
