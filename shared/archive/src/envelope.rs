//! The encryption envelope of an archive: an age file (age-encryption.org/v1), which the tool `age` also reads and
//! writes.
//!
//! Reading and writing stream. Each chunk of 64 KiB is authenticated before any of its bytes are passed on. The
//! authentication covers the chunk's position and whether it is the last. Values that the envelope itself claims are
//! bounded before use: the length of the header, the length of armored lines, and the work factor of a passphrase.

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

/// The first bytes of an age file of any version, binary and armored.
const BEGINNINGS: [&[u8]; 2] = [b"age-encryption.org/", ARMORED];
const ARMORED: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";

/// Maximum size of a header, in bytes.
pub const MAX_HEADER_BYTES: usize = 16 << 10;

/// Maximum number of lines in a header. A recipient takes two or three lines.
pub const MAX_HEADER_LINES: usize = 512;

/// Maximum number of recipients of one envelope. Its header stays within [`MAX_HEADER_BYTES`].
pub const MAX_RECIPIENTS: usize = 100;

/// scrypt work factor (log2) for new passphrases, as in the tool `age`: about 256 MiB of memory and one second.
pub const WORK: u8 = 18;

/// Maximum work factor (log2) that an envelope's header may request: 1 GiB of memory.
pub const MAX_WORK: u8 = 20;

/// Reports whether bytes start an envelope. The first 64 bytes are enough.
pub fn is_envelope(beginning: &[u8]) -> bool {
    BEGINNINGS.iter().any(|known| beginning.starts_with(known))
}

/// Generates a one-time key pair, for data that the same process sets aside and reads back.
pub fn throwaway() -> (Recipients, Identities) {
    let identity = age::x25519::Identity::generate();
    (Recipients::of(identity.to_public()), Identities::of(identity))
}

#[cfg(test)]
mod tests;
