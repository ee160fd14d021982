//! Whom an envelope is closed for.

use std::fmt;

use age::secrecy::SecretString;

use super::{EnvelopeError, MAX_RECIPIENTS, WORK};

/// Public keys, or a passphrase, that open what is closed for them.
#[derive(Default)]
pub struct Recipients(pub(super) Vec<Box<dyn age::Recipient + Send + Sync>>);

impl Recipients {
    /// Whoever knows a passphrase, and nobody else.
    pub fn passphrase(passphrase: &str) -> Self {
        Self::under(passphrase, WORK)
    }

    pub(super) fn under(passphrase: &str, work: u8) -> Self {
        let mut recipient = age::scrypt::Recipient::new(SecretString::from(passphrase));
        // Not what this machine does in a second, which is little while it is busy.
        recipient.set_work_factor(work);
        Self(vec![Box::new(recipient)])
    }

    pub(super) fn of(key: age::x25519::Recipient) -> Self {
        Self(vec![Box::new(key)])
    }

    /// Whoever has the secret key of a public one (`age1...`), too.
    pub fn add(&mut self, key: &str) -> Result<(), EnvelopeError> {
        if key.to_ascii_uppercase().starts_with("AGE-SECRET-KEY-") {
            return Err(EnvelopeError::SecretRecipient);
        }
        let key: age::x25519::Recipient = key.parse().map_err(|_| EnvelopeError::NoRecipient)?;
        if self.0.len() >= MAX_RECIPIENTS {
            return Err(EnvelopeError::TooManyRecipients);
        }
        self.0.push(Box::new(key));
        Ok(())
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Recipients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipients({})", self.0.len())
    }
}
