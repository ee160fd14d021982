//! Consent (K-7.1): records of what a person agreed to, and which of them a memory may be stored under.
//!
//! A sensitive memory needs a record that is active when the memory is stored and whose scope covers it. The record
//! stays when the consent is retracted: memories stored under it are then erased, or hidden until a new record
//! releases them.

mod cover;
mod draft;
mod record;
mod scope;
mod uncovered;

pub use cover::cover;
pub use draft::{ConsentDraft, GivenBy};
pub(crate) use record::MAX_PRINCIPAL_BYTES;
pub use record::{ConsentRecord, ConsentStatus, Retraction};
pub use scope::ConsentScope;
pub use uncovered::Uncovered;
