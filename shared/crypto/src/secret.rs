//! 32 secret bytes, wiped when dropped.

use std::fmt;

use ring::rand::{SecureRandom as _, SystemRandom};
use zeroize::Zeroizing;

use crate::KeyError;

/// A key of 32 bytes. Allocated once on the heap, so that moves leave no copies; wiped when dropped; neither `Clone`
/// nor `Debug`.
pub struct Secret32(Box<Zeroizing<[u8; 32]>>);

impl Secret32 {
    /// A new secret from the operating system's random source.
    pub fn random() -> Result<Self, KeyError> {
        let mut secret = Self::zeroed();
        fill(secret.bytes_mut())?;
        Ok(secret)
    }

    /// Copies exactly 32 bytes; the caller wipes the source.
    pub fn copied_from(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != 32 {
            return None;
        }
        let mut secret = Self::zeroed();
        secret.bytes_mut().copy_from_slice(bytes);
        Some(secret)
    }

    /// The bytes, for a primitive. A caller that copies them wipes the copy.
    pub fn expose(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn zeroed() -> Self {
        Self(Box::new(Zeroizing::new([0; 32])))
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8; 32] {
        &mut self.0
    }
}

impl fmt::Debug for Secret32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret32(..)")
    }
}

/// Fills a buffer with random bytes.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), KeyError> {
    SystemRandom::new().fill(bytes).map_err(|_| KeyError::Primitive("random bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_32_bytes_make_a_secret() {
        for wrong in [0, 31, 33, 64] {
            assert!(Secret32::copied_from(&vec![7; wrong]).is_none(), "{wrong} bytes were taken");
        }
        assert_eq!(Secret32::copied_from(&[7; 32]).unwrap().expose(), &[7; 32]);
    }

    #[test]
    fn random_secrets_differ() {
        assert_ne!(Secret32::random().unwrap().expose(), Secret32::random().unwrap().expose());
    }
}
