//! Storage of Kimberly: backends behind the ports of `kimberly-core`, and the one suite that checks them all.
//!
//! `sqlite` is the only backend so far. Storage decides nothing: whatever a pure function can decide lives in
//! `kimberly-core`. Nothing here knows gRPC or the queue.

#[cfg(feature = "conformance")]
pub mod conformance;
pub mod sqlite;

pub use sqlite::{RingNotes, ScrubNote, SqliteOptions, SqliteStore, encrypt_databases};
