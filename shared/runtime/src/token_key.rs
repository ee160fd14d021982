//! The key that hides what page tokens and cursors say from callers who reach only some memories, and that digests are made with.

use kimberly_core::Result;
use kimberly_core::ports::SystemAudit;
use kimberly_crypto::Keys;
use sha2::{Digest as _, Sha256};

/// The key of a data folder: the same at every start, so that a cursor outlives one. Made of what its processes alone know;
/// without encryption, of the random name of its audit, which operators may see.
pub async fn token_key(keys: &Keys, audit: &dyn SystemAudit) -> Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    hasher.update("kimberly/v1/page-tokens\0");
    match keys.internal_token() {
        Some(secret) => hasher.update(secret.as_bytes()),
        None => hasher.update(audit.name().await?.as_bytes()),
    }
    Ok(hasher.finalize().into())
}
