//! Ids of credentials.

use std::fmt;

/// The public part of a key: 16 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CredentialId([u8; 16]);

impl CredentialId {
    /// Parses exactly 16 lower-case hexadecimal digits.
    pub fn parse(raw: &str) -> Option<Self> {
        let digits: [u8; 16] = raw.as_bytes().try_into().ok()?;
        digits.iter().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(b)).then_some(Self(digits))
    }

    /// Builds an id from 8 random bytes.
    pub fn from_random(random: [u8; 8]) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut digits = [b'0'; 16];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(random) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        Self(digits)
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for CredentialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for CredentialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
