//! Versions: earlier contents and details of records with names.
//!
//! Each version is stored whole and not as a difference, so that one can be redacted without the others. Only the
//! newest are kept. Pure apart from tables; the use cases decide when a version is created and who may read it.

mod diff;
mod record;
mod size;

pub use diff::unified;
pub use record::{Version, surplus};
pub use size::kept_bytes;
