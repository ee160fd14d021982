//! What opens envelopes. None of it can be printed, and it is wiped when it is dropped.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use age::DecryptError;
use age::secrecy::{ExposeSecret as _, SecretString};
use age_core::format::{FileKey, Stanza};

use super::{EnvelopeError, MAX_WORK, is_envelope};

type Identity = Box<dyn age::Identity + Send + Sync>;

/// Secret keys, or a passphrase, or the key of one envelope.
#[derive(Default)]
pub struct Identities(pub(super) Vec<Identity>);

impl Identities {
    /// A passphrase.
    pub fn passphrase(passphrase: &str) -> Self {
        let mut identity = age::scrypt::Identity::new(SecretString::from(passphrase));
        identity.set_max_work_factor(MAX_WORK);
        Self(vec![Box::new(identity)])
    }

    pub(super) fn of(key: age::x25519::Identity) -> Self {
        Self(vec![Box::new(key)])
    }

    /// Adds those of a file as `age-keygen` writes it: one a line, beside empty lines and those that begin with `#`.
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

    /// The identities, as age takes them.
    pub(super) fn each(&self) -> impl Iterator<Item = &dyn age::Identity> {
        self.0.iter().map(|identity| &**identity as &dyn age::Identity)
    }
}

impl fmt::Debug for Identities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identities({})", self.0.len())
    }
}

/// Notes the key of an envelope when one of the identities finds it, as what a passphrase takes a second for.
pub(super) struct Noting<'a> {
    identities: &'a Identities,
    noted: Mutex<Option<FileKey>>,
}

impl<'a> Noting<'a> {
    pub(super) fn new(identities: &'a Identities) -> Self {
        Self { identities, noted: Mutex::new(None) }
    }

    /// What opens the same envelope again, at once.
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

/// The key of one envelope. Whether it is that of a header is for the code over the header to say.
struct Known(FileKey);

impl age::Identity for Known {
    fn unwrap_stanza(&self, _: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        Some(Ok(copy(&self.0)))
    }
}

fn copy(key: &FileKey) -> FileKey {
    FileKey::init_with_mut(|bytes| bytes.copy_from_slice(key.expose_secret()))
}
