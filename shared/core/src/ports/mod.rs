//! The interfaces that the domain needs from outside, as traits: clock, ids, vaults, registry of users, credentials, vectors, a
//! cross-encoder, a language model, observer.
//!
//! To add a table to vaults, see `tables`; no port changes. To add another storage operation: add a method to
//! [`VaultReader`] or [`VaultTransaction`], implement it in every backend of `store`, add its tests to the conformance
//! suite there, and decide in `access/caller_vaults` what it does for callers who reach only some memories.

mod acting;
mod blobs;
mod clock;
mod credentials;
mod cross_encoder;
mod language_model;
mod lexical;
mod lists;
mod observer;
mod outbox;
mod purges;
mod quarantine;
mod reader;
mod registry;
mod signer;
mod system_audit;
mod transaction;
mod vaults;
mod vectors;
mod working;

pub use acting::ActingVaults;
pub use blobs::{BlobReader, BlobWriter, Blobs, TidiedBlobs};
pub use clock::{Clock, Ids};
pub use credentials::{Added, Credentials};
pub use cross_encoder::{CrossEncoder, NoScores};
pub use language_model::{LanguageModel, NoAnswer, Task};
pub use lexical::{LexicalHit, LexicalQuery, LexicalTerm, Neighbour, SessionSpot};
pub use lists::{AttachmentQuery, ChangeQuery, ConsentCount, ConsentQuery, ListKey, Named, NamesQuery, SeenChange};
pub use observer::{NoObserver, Observer};
pub use outbox::{Job, OutboxRow};
pub use purges::{ErasesUsers, Purges};
pub use quarantine::Quarantine;
pub use reader::{ImportProgress, PriorRequest, RowFacts, VaultReader, VaultSizes, WriteContext};
pub use registry::{DueUser, PendingOutbox, Registry};
pub use signer::Signer;
pub use system_audit::{AuditQuery, AuditRange, AuditReader, AuditWork, By, SystemAudit};
pub use transaction::{Doomed, NewMemory, RequestRecord, Touch, VaultTransaction};
pub use vaults::{BoxFuture, ReadWork, TransactWork, Vaults};
pub use vectors::{
    CENTRE_OF, DocumentEmbedder, IndexChange, IndexState, NoVector, NoVectors, QueryEmbedder, VectorReader,
    VectorTurns, VectorWriter,
};
pub use working::WorkingMemory;
