//! The envelope that an archive may lie in: an age file (age-encryption.org/v1), as the tool `age` writes and opens it too.
//!
//! Both ways are streams, as the archive is: every 64 KiB are authenticated by themselves, with their place and whether they
//! are the last, before a byte of them is handed on. What an envelope says of itself is bounded before it is believed: the
//! length of its header, that of the lines of an armored one, and the work that a passphrase asks for.

mod bounds;
mod error;
mod identities;
mod reader;
mod recipients;
mod writer;

pub use error::EnvelopeError;
pub use identities::Identities;
pub use reader::{Envelope, EnvelopeReader, Opened};
pub use recipients::Recipients;
pub use writer::EnvelopeWriter;

/// What an age file begins with, in any version, and when it is armored.
const BEGINNINGS: [&[u8]; 2] = [b"age-encryption.org/", ARMORED];
const ARMORED: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";

/// Longest header, in bytes.
pub const MAX_HEADER_BYTES: usize = 16 << 10;

/// Most lines of a header, of which a recipient takes two or three.
pub const MAX_HEADER_LINES: usize = 512;

/// Most recipients of one envelope, whose header stays within its bound.
pub const MAX_RECIPIENTS: usize = 100;

/// Work that is spent on a passphrase, as a power of two: that of the tool `age`, some 256 MiB of memory and a second.
pub const WORK: u8 = 18;

/// Most work that the header of an envelope may ask for: 1 GiB of memory.
pub const MAX_WORK: u8 = 20;

/// Whether bytes are the beginning of an envelope; 64 of them are enough.
pub fn is_envelope(beginning: &[u8]) -> bool {
    BEGINNINGS.iter().any(|known| beginning.starts_with(known))
}

/// A key that nobody has, for what is put aside and read back by the same process.
pub fn throwaway() -> (Recipients, Identities) {
    let identity = age::x25519::Identity::generate();
    (Recipients::of(identity.to_public()), Identities::of(identity))
}

#[cfg(test)]
mod tests;
