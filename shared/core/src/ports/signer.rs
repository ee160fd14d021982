//! What signs statements that are kept elsewhere.

/// The signing key of a data folder (Ed25519).
pub trait Signer: Send + Sync {
    /// The signature of these bytes.
    fn sign(&self, message: &[u8]) -> [u8; 64];

    /// What anybody needs to check signatures.
    fn public_key(&self) -> [u8; 32];

    /// The name of the public key: the first 16 hexadecimal digits of its SHA-256.
    fn key_id(&self) -> String;
}
