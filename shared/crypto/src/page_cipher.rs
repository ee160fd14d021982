//! How database pages are encrypted. Every key file names the cipher, so that a file describes itself.

use std::fmt;

use zeroize::Zeroizing;

use crate::Secret32;
use crate::hex::secret_hex;

/// The cipher of all databases: SQLCipher 4 with a raw key (no passphrase derivation), AES-256-CBC, a MAC over every
/// page, pages of 4096 bytes.
pub const PAGE_CIPHER: &str = "sqlcipher-4/aes-256-cbc/hmac-sha256/4096";

/// The pragma to set on a connection right after the key, where the cipher differs from SQLCipher's defaults.
/// HMAC-SHA256 instead of SHA512 saves a twentieth of a commit.
pub const PAGE_CIPHER_PRAGMA: (&str, &str) = ("cipher_hmac_algorithm", "HMAC_SHA256");

/// Stops SQLCipher from writing to stderr, for the whole process. Run it once, on a connection without a file, before
/// any file is opened.
pub const PAGE_CIPHER_QUIET: &str = "PRAGMA cipher_log_level = NONE";

/// The key of one database.
pub struct DbKey {
    generation: u32,
    key: Secret32,
}

impl DbKey {
    pub(crate) fn new(generation: u32, key: Secret32) -> Self {
        Self { generation, key }
    }

    /// The value of `PRAGMA key`, quotes included: `"x'<64 hex>'"`. Callers wipe their copies.
    pub fn pragma(&self) -> Zeroizing<String> {
        secret_hex("\"x'", self.key.expose(), "'\"")
    }

    /// The generation of this key; rekeying uses the next one.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    #[cfg(test)]
    pub(crate) fn secret(&self) -> &Secret32 {
        &self.key
    }
}

impl fmt::Debug for DbKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DbKey").field("generation", &self.generation).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pragma_is_a_raw_key_in_quotes() {
        let key = DbKey::new(1, Secret32::copied_from(&[0xa5; 32]).unwrap());
        assert_eq!(key.pragma().as_str(), format!("\"x'{}'\"", "a5".repeat(32)));
    }
}
