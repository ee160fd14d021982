//! The archive of a user: what `kimberly export --archive` writes and `kimberly import` reads; docs/archive.md has the
//! whole format.
//!
//! It is a tar, so that any system can look into it, of which every byte has one right value, so that this crate finds
//! whatever was changed, cut or moved. First comes a member that names the format and its version, then the sections in
//! their order, each in pieces of whole lines, and last a manifest with counts and hashes of all that came before. Both
//! ways are streams: nothing is held but a line, or a piece that is being written.
//!
//! Must not know what lines say, nor where bytes come from or go: no network, no files, no contract.

pub mod envelope;
mod error;
mod header;
mod manifest;
mod reader;
mod section;
mod tally;
mod writer;

pub use error::ArchiveError;
pub use manifest::{Manifest, SectionSummary};
pub use reader::{Item, Reader};
pub use section::Section;
pub use writer::Writer;

/// The version of the format that is written, and the newest that is read.
pub const VERSION: u64 = 1;

/// Longest line, in bytes, without its end. A memory of the largest size that any configuration allows stays far below.
pub const MAX_LINE_BYTES: usize = 16 << 20;

/// A piece of a section ends with the line that brings it to so many bytes.
pub const PIECE_BYTES: usize = 1 << 20;

/// The first member.
const HEAD: &str = "kimberly-archive.json";

/// The last member.
const MANIFEST: &str = "manifest.json";

/// Whether bytes are the beginning of an archive; 512 of them are enough.
pub fn is_archive(beginning: &[u8]) -> bool {
    beginning.strip_prefix(HEAD.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
}

#[cfg(test)]
mod tests;
