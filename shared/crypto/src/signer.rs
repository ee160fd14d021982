//! Signatures under checkpoints of the audit and receipts of erasure (Ed25519).

use std::fmt;
use std::sync::Arc;

use ring::digest::{SHA256, digest};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use crate::hex::hex;
use crate::{KeyError, Secret32};

/// Signs for one data folder. Clones share the key.
#[derive(Clone)]
pub struct AuditSigner {
    pair: Arc<Ed25519KeyPair>,
    public: [u8; 32],
}

impl AuditSigner {
    pub(crate) fn from_seed(seed: &Secret32) -> Result<Self, KeyError> {
        let pair =
            Ed25519KeyPair::from_seed_unchecked(seed.expose()).map_err(|_| KeyError::Primitive("signing key"))?;
        let mut public = [0; 32];
        public.copy_from_slice(pair.public_key().as_ref().get(..32).ok_or(KeyError::Primitive("signing key"))?);
        Ok(Self { pair: Arc::new(pair), public })
    }

    /// The signature of these bytes.
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        let mut signature = [0; 64];
        // Always 64 bytes; a zeroed signature would verify nothing.
        for (to, from) in signature.iter_mut().zip(self.pair.sign(message).as_ref()) {
            *to = *from;
        }
        signature
    }

    /// The public key that verifies signatures.
    pub fn public_key(&self) -> [u8; 32] {
        self.public
    }

    /// The id of the public key: the first 16 hexadecimal digits of its SHA-256.
    pub fn key_id(&self) -> String {
        key_id(&self.public)
    }
}

impl fmt::Debug for AuditSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditSigner").field("key_id", &self.key_id()).finish_non_exhaustive()
    }
}

/// The id of a public key: the first 16 hexadecimal digits of its SHA-256.
pub fn key_id(public_key: &[u8; 32]) -> String {
    hex(digest(&SHA256, public_key).as_ref().get(..8).unwrap_or_default())
}

/// Whether the owner of `public_key` (32 bytes) signed `message` with `signature`. `false` for wrong lengths.
pub fn verify(public_key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    UnparsedPublicKey::new(&ED25519, public_key).verify(message, signature).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_rfc_8032() {
        let seed = [
            0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4, 0x44, 0x49,
            0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
        ];
        let signer = AuditSigner::from_seed(&Secret32::copied_from(&seed).unwrap()).unwrap();
        assert_eq!(hex(&signer.public_key()), "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
        assert!(
            hex(&signer.sign(b"")).starts_with("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555")
        );
    }

    #[test]
    fn a_changed_message_signature_or_key_does_not_verify() {
        let signer = AuditSigner::from_seed(&Secret32::random().unwrap()).unwrap();
        let other = AuditSigner::from_seed(&Secret32::random().unwrap()).unwrap();
        let (key, signature) = (signer.public_key(), signer.sign(b"note"));
        assert!(verify(&key, b"note", &signature));
        assert!(!verify(&key, b"Note", &signature));
        assert!(!verify(&other.public_key(), b"note", &signature));
        for byte in 0..signature.len() {
            let mut changed = signature;
            changed[byte] ^= 1;
            assert!(!verify(&key, b"note", &changed), "byte {byte} may be changed");
        }
        assert!(!verify(&key[..31], b"note", &signature) && !verify(&key, b"note", &signature[..63]));
        assert!(!verify(&[], b"", &[]));
        assert_ne!(signer.key_id(), other.key_id());
    }
}
