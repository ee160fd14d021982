//! A user's archive: `kimberly export --archive` writes it, `kimberly import` reads it, and docs/archive.md specifies
//! the format.
//!
//! It is a tar, so that any system can inspect it. Every byte has exactly one valid value, so this crate detects every
//! change, truncation and move. The first member names the format and its version. The sections follow in order, each
//! in pieces of whole lines. The last member is a manifest with counts and hashes of everything before it. Reading and
//! writing stream: at most a line or a piece is held in memory.
//!
//! This crate must not interpret lines, nor know where bytes come from or go: no network, no files, no contract.

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

/// The version that is written, which is also the newest that can be read.
pub const VERSION: u64 = 1;

/// Maximum length of a line in bytes, without its line end. The largest memory record that any configuration allows is
/// far smaller.
pub const MAX_LINE_BYTES: usize = 16 << 20;

/// A piece of a section ends with the line that reaches this many bytes.
pub const PIECE_BYTES: usize = 1 << 20;

/// The first member.
const HEAD: &str = "kimberly-archive.json";

/// The last member.
const MANIFEST: &str = "manifest.json";

/// Reports whether bytes start an archive. The first 512 bytes are enough.
pub fn is_archive(beginning: &[u8]) -> bool {
    beginning.strip_prefix(HEAD.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
}

#[cfg(test)]
mod tests;
