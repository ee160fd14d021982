//! Secrets that open envelopes. They cannot be printed, and are wiped on drop.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use age::DecryptError;
use age::secrecy::{ExposeSecret as _, SecretString};
use age_core::format::{FileKey, Stanza};

use super::{EnvelopeError, MAX_WORK, is_envelope};

type Identity = Box<dyn age::Identity + Send + Sync>;

/// Secret keys, a passphrase, or the file key of one envelope.
#[derive(Default)]
pub struct Identities(pub(super) Vec<Identity>);

impl Identities {
    /// Creates the identity of a passphrase.
    pub fn passphrase(passphrase: &str) -> Self {
        let mut identity = age::scrypt::Identity::new(SecretString::from(passphrase));
        identity.set_max_work_factor(MAX_WORK);
        Self(vec![Box::new(identity)])
    }

    pub(super) fn of(key: age::x25519::Identity) -> Self {
        Self(vec![Box::new(key)])
    }

    /// Adds the identities of a file as `age-keygen` writes it, one per line. Ignores empty lines and lines starting
    /// with `#`.
    pub fn add(&mut self, text: &str) -> Result<(), EnvelopeError> {
        if is_envelope(text.as_bytes()) {
            return Err(EnvelopeError::SealedIdentity);
        }
        let before = self.0.len();
        for (line, key) in (1..).zip(text.lines()) {
            let key = key.trim();
            if key.is_empty() || key.starts_with('#') {
                continue;
            }
            let key: age::x25519::Identity = key.parse().map_err(|_| EnvelopeError::NoIdentity { line })?;
            self.0.push(Box::new(key));
        }
        if self.0.len() > before { Ok(()) } else { Err(EnvelopeError::NoIdentities) }
    }

    /// Iterates over the identities as age's trait objects.
    pub(super) fn each(&self) -> impl Iterator<Item = &dyn age::Identity> {
        self.0.iter().map(|identity| &**identity as &dyn age::Identity)
    }
}

impl fmt::Debug for Identities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identities({})", self.0.len())
    }
}

/// Records the file key when an identity opens an envelope, since opening with a passphrase takes a second each time.
pub(super) struct Noting<'a> {
    identities: &'a Identities,
    noted: Mutex<Option<FileKey>>,
}

impl<'a> Noting<'a> {
    pub(super) fn new(identities: &'a Identities) -> Self {
        Self { identities, noted: Mutex::new(None) }
    }

    /// Returns the identity that reopens the same envelope without delay.
    pub(super) fn into_identities(self) -> Identities {
        let noted = self.noted.into_inner().unwrap_or_else(PoisonError::into_inner);
        let known = noted.map(|key| -> Identity { Box::new(Known(key)) });
        Identities(known.into_iter().collect())
    }
}

impl age::Identity for Noting<'_> {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        self.unwrap_stanzas(std::slice::from_ref(stanza))
    }

    fn unwrap_stanzas(&self, stanzas: &[Stanza]) -> Option<Result<FileKey, DecryptError>> {
        let found = self.identities.each().find_map(|identity| identity.unwrap_stanzas(stanzas))?;
        if let Ok(key) = &found {
            *self.noted.lock().unwrap_or_else(PoisonError::into_inner) = Some(copy(key));
        }
        Some(found)
    }
}

/// The file key of one envelope. The MAC of the header detects a key of another envelope.
struct Known(FileKey);

impl age::Identity for Known {
    fn unwrap_stanza(&self, _: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        Some(Ok(copy(&self.0)))
    }
}

fn copy(key: &FileKey) -> FileKey {
    FileKey::init_with_mut(|bytes| bytes.copy_from_slice(key.expose_secret()))
}
