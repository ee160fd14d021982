//! Storage of Kimberly: two backends behind the ports of `kimberly-core`, and one conformance suite for both.
//!
//! `sqlite` keeps one file per user, `postgres` keeps all users in one database; code for both is at the top level.
//! Storage decides nothing: what a pure function can decide is in `kimberly-core`. No code here knows gRPC or the
//! queue.

mod audit;
mod blocking;
mod cache;
mod chosen;
mod chunks;
mod codes;
mod columns;
#[cfg(feature = "conformance")]
pub mod conformance;
mod consents;
mod declared;
mod delegate;
mod filter;
mod first_due;
mod keys;
mod lexical;
mod like;
pub mod moving;
mod name_refs;
mod names;
mod page;
pub mod postgres;
mod registry;
mod rings;
mod rows;
mod sealed;
mod signals;
mod slots;
pub mod sqlite;
mod statements;
mod store;
mod tables;
mod working;

pub use postgres::{PgKeyStore, PgOptions, PgStore, PgVectors, VectorOptions};
pub use rings::RingNotes;
pub use sqlite::{Registered, ScrubNote, SqliteOptions, SqliteStore};
pub use store::{Store, key_store};

use kimberly_core::error::{Error, StorageFailure};

/// An error for stored data that this build cannot have written.
pub(crate) fn corrupt(detail: impl Into<String>) -> Error {
    Error::storage(StorageFailure::Corrupt, detail)
}

/// Copies an error for another caller that shared the failed commit.
pub(crate) fn same(error: &Error) -> Error {
    match error {
        Error::Storage { failure, detail } => Error::storage(*failure, detail.clone()),
        Error::Purging => Error::Purging,
        Error::SharedFileDamaged(file) => Error::SharedFileDamaged(*file),
        Error::Quarantined { damage } => Error::Quarantined { damage: *damage },
        other => Error::storage(StorageFailure::Defect, format!("the commit failed: {other}")),
    }
}
