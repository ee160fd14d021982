//! The data folder's signing key: implements the domain's port.

use std::sync::Arc;

use kimberly_core::ports::Signer;
use kimberly_crypto::{AuditSigner, Keys};

/// Signs with the key of a data folder.
#[derive(Clone, Debug)]
struct OfFolder(AuditSigner);

impl Signer for OfFolder {
    fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message)
    }

    fn public_key(&self) -> [u8; 32] {
        self.0.public_key()
    }

    fn key_id(&self) -> String {
        self.0.key_id()
    }
}

/// Returns the signer of a data folder; `None` without encryption, since there is no key then.
pub fn signer(keys: &Keys) -> Option<Arc<dyn Signer>> {
    keys.signer().map(|signer| Arc::new(OfFolder(signer)) as Arc<dyn Signer>)
}
