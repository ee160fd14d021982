//! The domain of Kimberly: what a memory is, what it is worth, how it is recalled and when it is forgotten.
//!
//! Pure: this crate imports nothing of ours and no runtime, database, transport or model crate. Time, randomness and
//! ids are arguments ([`ports::Clock`], [`ports::Ids`]); storage is a port ([`ports::Vaults`]) that `store` implements.
//! The same inputs give the same outputs to the bit.
//!
//! Where to look: `memory` the record and its bounds; `text` words, stems, sentiment; `scoring` what a memory is worth;
//! `recall` what matters for a query; `embedding` which vectors stand for what; `audit` what was done, in a chain;
//! `conversation` messages on their way in; `compacting` what a summary keeps of them; `extraction` what they tell that is worth keeping, by rules; `context` what belongs in the next prompt;
//! `consent` what a person agreed to, and whether it covers a memory; `damage` what is wrong with a vault; `erasure` how everything of a user is erased;
//! `retention` quotas and grace; `meditation` the pipeline of steps and its runner;
//! `links` what records are to each other; `entities` who and what they are about; `beliefs` what they claim, and what excludes what; `reasoning` what follows; `reviews` what waits for a person;
//! `tables` tables of a vault, each said once;
//! `access` who may do what; `attachments` files that hang on memories;
//! `place` where everything is kept; `settings` what holds for a user and why; `goals`; `ports` what the domain needs from outside; `usecases` one file
//! per operation, which the processes call and which hold no transport; `working` what a session needs for a while.

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
pub mod place;
pub mod ports;
pub mod reasoning;
pub mod recall;
pub mod retention;
pub mod reviews;
pub mod scoring;
pub mod settings;
pub mod tables;
pub mod tagging;
pub mod text;
pub mod time;
pub mod usage;
pub mod usecases;
pub mod versions;
pub mod working;

pub use error::{Error, FieldViolation, Result};
pub use ids::{AttachmentId, BlobId, ConsentId, EntityId, GoalId, MeditationId, MemoryId, PurgeId, UserId};
pub use time::Timestamp;
