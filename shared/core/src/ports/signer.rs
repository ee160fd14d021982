//! Signatures on statements that are stored elsewhere.

/// The signing key of a data folder (Ed25519).
pub trait Signer: Send + Sync {
    /// Signs bytes.
    fn sign(&self, message: &[u8]) -> [u8; 64];

    /// The key for verifying signatures.
    fn public_key(&self) -> [u8; 32];

    /// The key's name: the first 16 hexadecimal digits of the public key's SHA-256.
    fn key_id(&self) -> String;
}
