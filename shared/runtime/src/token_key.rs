//! The key that hides the content of page tokens and cursors from callers with access to only some memories, and that
//! keys digests.

use kimberly_core::Result;
use kimberly_core::ports::SystemAudit;
use kimberly_crypto::Keys;
use sha2::{Digest as _, Sha256};

/// The key of a data folder, stable across restarts so that cursors survive them. Derived from the secret of its
/// processes; without encryption, from the random name of its audit, which operators may see.
pub async fn token_key(keys: &Keys, audit: &dyn SystemAudit) -> Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    hasher.update("kimberly/v1/page-tokens\0");
    match keys.internal_token() {
        Some(secret) => hasher.update(secret.as_bytes()),
        None => hasher.update(audit.name().await?.as_bytes()),
    }
    Ok(hasher.finalize().into())
}
