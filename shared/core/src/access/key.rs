//! API keys as text: `kmb_<id>_<secret>`, the id in 16 hexadecimal digits, the secret in 43 characters of base64url.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::CredentialId;

/// Prefix of every key, so that scanners can find leaked keys.
pub const KEY_PREFIX: &str = "kmb";
/// Random bytes in a secret.
pub const SECRET_BYTES: usize = 32;
/// Characters of a secret in base64url.
const SECRET_CHARS: usize = 43;

/// The secret of a key. Only [`ApiKey::reveal`] shows it.
#[derive(Clone)]
pub struct KeySecret([u8; SECRET_BYTES]);

impl From<[u8; SECRET_BYTES]> for KeySecret {
    fn from(random: [u8; SECRET_BYTES]) -> Self {
        Self(random)
    }
}

impl fmt::Debug for KeySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeySecret(..)")
    }
}

/// A key: public id and secret.
#[derive(Clone)]
pub struct ApiKey {
    id: CredentialId,
    secret: KeySecret,
}

impl ApiKey {
    /// Builds a key from random parts.
    pub fn new(id: CredentialId, secret: impl Into<KeySecret>) -> Self {
        Self { id, secret: secret.into() }
    }

    /// Parses a key; `None` for any other text.
    pub fn parse(raw: &str) -> Option<Self> {
        let mut parts = raw.splitn(3, '_');
        let (prefix, id, secret) = (parts.next()?, parts.next()?, parts.next()?);
        if prefix != KEY_PREFIX || secret.len() != SECRET_CHARS {
            return None;
        }
        let secret: [u8; SECRET_BYTES] = URL_SAFE_NO_PAD.decode(secret).ok()?.try_into().ok()?;
        Some(Self::new(CredentialId::parse(id)?, secret))
    }

    /// Returns the public part.
    pub const fn id(&self) -> CredentialId {
        self.id
    }

    /// SHA-256 of the secret, which is what is stored. The secret has full entropy, so that a slow hash would add nothing.
    pub fn secret_hash(&self) -> [u8; 32] {
        Sha256::digest(self.secret.0).into()
    }

    /// Returns the key as text. Goes to its holder once and nowhere else.
    pub fn reveal(&self) -> String {
        format!("{KEY_PREFIX}_{}_{}", self.id, URL_SAFE_NO_PAD.encode(self.secret.0))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({}, ..)", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> ApiKey {
        ApiKey::new(CredentialId::parse("0123456789abcdef").unwrap(), [0xfb; 32])
    }

    #[test]
    fn a_key_reads_back_as_it_was_written() {
        let shown = key().reveal();
        assert!(shown.starts_with("kmb_0123456789abcdef_") && shown.len() == 4 + 16 + 1 + 43, "{shown}");
        assert!(shown.matches('_').count() > 2, "a secret may hold what parts are parted by: {shown}");
        assert_eq!(ApiKey::parse(&shown).unwrap().reveal(), shown);
    }

    #[test]
    fn nothing_else_is_taken_for_a_key() {
        let good = key().reveal();
        let (short, long) = (&good[..good.len() - 1], format!("{good}A"));
        let upper = good.replace("abcdef", "ABCDEF");
        let padded = format!("{short}=");
        for wrong in ["", "kmb", "kmb_", "kmb__", "kmb_0123456789abcdef_", short, &long, &upper, &padded, &good[1..]] {
            assert!(ApiKey::parse(wrong).is_none(), "{wrong}");
        }
        assert!(ApiKey::parse(&good.replace("kmb_", "kmc_")).is_none());
        assert!(ApiKey::parse(&format!(" {good}")).is_none() && ApiKey::parse(&good.replace('-', "+")).is_none());
        // The last character carries two bits that must be zero, so that a secret has exactly one spelling.
        let last = good.len() - 1;
        let respelled = [b'A', b'B', b'C', b'D']
            .iter()
            .filter(|&&c| ApiKey::parse(&format!("{}{}", &good[..last], char::from(c))).is_some());
        assert!(respelled.count() <= 1);
    }

    #[test]
    fn debug_shows_no_secret() {
        assert_eq!(format!("{:?}", key()), "ApiKey(0123456789abcdef, ..)");
        assert_eq!(format!("{:?}", key().secret), "KeySecret(..)");
    }
}
