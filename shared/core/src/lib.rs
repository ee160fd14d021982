//! The domain of Kimberly: records, scores, recall and forgetting.
//!
//! Pure: this crate imports no other crate of this repository and no runtime, database, transport or model crate. Time,
//! randomness and ids are arguments ([`ports::Clock`], [`ports::Ids`]); storage is a port ([`ports::Vaults`]) that `store`
//! implements. The same inputs give bit-identical outputs.
//!
//! Where to look:
//!
//! - `memory`: the record and its bounds. `goals`, `documents`, `attachments`, `core_memory`: what else a vault holds.
//!   `tables`: declarations of a vault's further tables.
//! - `recall`: ranking for a query. `scoring`: the score of a memory. `context`: the context for the next prompt.
//! - `conversation`: incoming messages. `extraction`: memories found in them by rules. `compacting`: their summaries.
//! - `meditation`: the pipeline of steps and its runner. `retention`: quotas and grace.
//! - `entities`: people and things that records are about. `links`: relations between records. `beliefs`: claims and
//!   which of them exclude each other. `statements`: which texts say the same, and how one is struck. `reasoning`:
//!   inferences. `reviews`: questions for a person.
//! - `embedding`: the vectors of texts. `text`: words, stems, sentiment. `working`: short-lived data of a
//!   session.
//! - `access`: permissions. `consent`: what a person agreed to, and whether it covers a memory. `audit`: the hash chain
//!   of what was done. `erasure`: erasing all data of a user. `damage`: damaged vaults.
//! - `database`: addresses of databases. `settings`: the effective settings of a user and their origin.
//! - `ports`: what the domain needs from outside. `usecases`: one file per operation, called by the processes, without
//!   transport code.

pub mod access;
pub mod alerts;
pub mod attachments;
pub mod audit;
pub mod beliefs;
pub mod bounds;
pub mod compacting;
pub mod consent;
pub mod context;
pub mod conversation;
pub mod core_memory;
pub mod damage;
pub mod database;
pub mod documents;
pub mod embedding;
pub mod entities;
pub mod erasure;
pub mod error;
pub mod extraction;
pub mod goals;
pub mod ids;
pub mod links;
pub mod meditation;
pub mod memory;
pub mod memory_tool;
pub mod merging;
pub mod ports;
pub mod reasoning;
pub mod recall;
pub mod retention;
pub mod reviews;
pub mod scoring;
pub mod settings;
pub mod statements;
pub mod tables;
pub mod tagging;
pub mod text;
pub mod time;
pub mod usage;
pub mod usecases;
pub mod versions;
pub mod working;

// A boxed use case is compiled here, once, and not again in each process that awaits it.
pub(crate) use async_recursion::async_recursion as boxed;

pub use error::{Error, FieldViolation, Result};
pub use ids::{AttachmentId, BlobId, ConsentId, EntityId, GoalId, MeditationId, MemoryId, PurgeId, UserId};
pub use time::Timestamp;
