//! Versions: what the content and the detail of a record with a name were before each change.
//!
//! Each is whole, and not a difference, so that one can be redacted without the others. The newest are kept. Pure but for what tables
//! are; when a version is made and who may read it is for the use cases.

mod diff;
mod record;

pub use diff::unified;
pub use record::{Version, kept_bytes, surplus};
