//! What a person agreed to (K-7.1): records of consent, and which of them a memory may be stored under.
//!
//! A sensitive memory needs a record that is active when it is stored and whose scope holds it. The record stays when the
//! consent is retracted: what was stored under it is then erased, or hidden until a new one releases it.

mod cover;
mod draft;
mod record;
mod scope;

pub use cover::{Uncovered, cover};
pub use draft::{ConsentDraft, GivenBy};
pub(crate) use record::MAX_PRINCIPAL_BYTES;
pub use record::{ConsentRecord, ConsentStatus, Retraction};
pub use scope::ConsentScope;
