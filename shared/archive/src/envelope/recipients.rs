//! The recipients of an envelope.

use std::fmt;

use age::secrecy::SecretString;

use super::{EnvelopeError, MAX_RECIPIENTS, WORK};

/// The public keys or the passphrase to which an envelope is encrypted.
#[derive(Default)]
pub struct Recipients(pub(super) Vec<Box<dyn age::Recipient + Send + Sync>>);

impl Recipients {
    /// Creates the recipient of a passphrase.
    pub fn passphrase(passphrase: &str) -> Self {
        Self::under(passphrase, WORK)
    }

    pub(super) fn under(passphrase: &str, work: u8) -> Self {
        let mut recipient = age::scrypt::Recipient::new(SecretString::from(passphrase));
        // A fixed value, since calibrating for one second gives weak factors on a busy machine.
        recipient.set_work_factor(work);
        Self(vec![Box::new(recipient)])
    }

    pub(super) fn of(key: age::x25519::Recipient) -> Self {
        Self(vec![Box::new(key)])
    }

    /// Adds a recipient by public key (`age1...`).
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

    /// Reports whether there is no recipient.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Recipients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipients({})", self.0.len())
    }
}
