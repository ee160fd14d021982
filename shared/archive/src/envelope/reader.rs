//! Opens an envelope and passes on its content once it is authenticated.

use std::fmt;
use std::io::{self, BufReader, ErrorKind, Read};
use std::sync::atomic::Ordering;

use age::armor::ArmoredReader;
use age::stream::StreamReader;
use age::{DecryptError, Decryptor};

use super::bounds::{ShortHeader, ShortLines};
use super::identities::Noting;
use super::{EnvelopeError, Identities};

/// Bytes per authenticated chunk.
const CHUNK: u64 = 64 << 10;

type Input<R> = ShortHeader<ArmoredReader<BufReader<ShortLines<R>>>>;

/// An envelope whose header has been read.
pub struct Envelope<R: Read>(Decryptor<Input<R>>);

/// An opened envelope.
#[derive(Debug)]
pub struct Opened<R: Read> {
    /// The decrypted content.
    pub reader: EnvelopeReader<R>,
    /// The key that reopens the same envelope without delay.
    pub key: Identities,
}

impl<R: Read> Envelope<R> {
    /// Reads the header, armored or binary.
    pub fn read(input: R) -> Result<Self, EnvelopeError> {
        let (input, is_passed) = ShortHeader::new(ArmoredReader::new(ShortLines::new(input)));
        let envelope = Decryptor::new_buffered(input).map_err(of_header)?;
        is_passed.store(true, Ordering::Relaxed);
        Ok(Self(envelope))
    }

    /// Reports whether a passphrase opens it, and not an identity.
    pub fn is_under_passphrase(&self) -> bool {
        self.0.is_scrypt()
    }

    /// Opens it. With a passphrase this takes about a second.
    pub fn open(self, identities: &Identities) -> Result<Opened<R>, EnvelopeError> {
        let (is_under_passphrase, noting) = (self.is_under_passphrase(), Noting::new(identities));
        let opened = self.0.decrypt(std::iter::once(&noting as &dyn age::Identity));
        let stream = opened.map_err(|error| match error {
            DecryptError::ExcessiveWork { required, .. } => EnvelopeError::TooMuchWork { asked: required },
            DecryptError::NoMatchingKeys | DecryptError::DecryptionFailed | DecryptError::KeyDecryptionFailed => {
                if is_under_passphrase {
                    EnvelopeError::OtherPassphrase
                } else {
                    EnvelopeError::OtherIdentity
                }
            }
            other => of_header(other),
        })?;
        Ok(Opened { reader: EnvelopeReader { stream, at: 0 }, key: noting.into_identities() })
    }
}

impl<R: Read> fmt::Debug for Envelope<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Envelope").finish_non_exhaustive()
    }
}

fn of_header(error: DecryptError) -> EnvelopeError {
    match error {
        DecryptError::UnknownFormat => EnvelopeError::Newer,
        DecryptError::Io(error) => of_input(error, |_| EnvelopeError::Header),
        _ => EnvelopeError::Header,
    }
}

/// Maps a read error: an [`EnvelopeError`] inside it is returned as such.
fn of_input(error: io::Error, wrong: impl FnOnce(&io::Error) -> EnvelopeError) -> EnvelopeError {
    match error.downcast::<EnvelopeError>() {
        Ok(ours) => ours,
        Err(error) if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) => wrong(&error),
        Err(error) => EnvelopeError::Io(error),
    }
}

/// The decrypted content. As with an archive, the content may be used only after its end was reached.
pub struct EnvelopeReader<R: Read> {
    stream: StreamReader<Input<R>>,
    at: u64,
}

impl<R: Read> Read for EnvelopeReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(into).map_err(|error| {
            let wrong = |error: &io::Error| match error.kind() {
                ErrorKind::UnexpectedEof => EnvelopeError::Cut { at: self.at },
                _ => EnvelopeError::Damaged { at: self.at - self.at % CHUNK },
            };
            of_input(error, wrong).into_io()
        })?;
        self.at += read as u64;
        Ok(read)
    }
}

impl<R: Read> fmt::Debug for EnvelopeReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvelopeReader").field("at", &self.at).finish_non_exhaustive()
    }
}
